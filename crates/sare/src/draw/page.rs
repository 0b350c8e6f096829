//! A report as one HTML file that needs nothing else: no script, no font, no image from elsewhere.

use super::text::escape;
use std::fmt::Write;

/// The look of a page.
const STYLE: &str = include_str!("page/style.css");

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What it is called.
    pub title: String,
    /// A line under the title; none if empty.
    pub lead: String,
    /// What it says.
    pub sections: Vec<Section>,
    /// A line at the foot: how and when it was made; none if empty.
    pub footer: String,
}

/// A part of a report under a heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading; none if empty.
    pub heading: String,
    /// What stands under it, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Block {
    /// Words.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// A table that stays folded behind a line until the reader opens it.
    Folded(String, Table),
    /// A drawing.
    Figure(Figure),
}

/// A drawing with its caption.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The SVG as the charts of this room give it; it is written as it is.
    pub svg: String,
    /// What it shows; none if empty.
    pub caption: String,
}

/// A table; rows shorter than the columns are filled with empty cells, longer ones are cut.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows; none if empty.
    pub caption: String,
    /// The columns; the first cell of a row names it unless it is a number. Without any heading there is no head.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// What stands above it.
    pub heading: String,
    /// Whether its cells are numbers, set to the right.
    pub numeric: bool,
}

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Whether it is the best of its row or column, set in bold.
    pub best: bool,
}

impl Page {
    /// The whole file.
    pub fn html(&self) -> String {
        let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n");
        out.push_str("<meta charset=\"utf-8\"/>\n");
        out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
        let title = escape(if self.title.is_empty() { "Report" } else { &self.title });
        let _ = write!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n");
        let _ = write!(out, "<header>\n<h1>{title}</h1>\n");
        element(&mut out, "p", " class=\"lead\"", &self.lead);
        out.push_str("</header>\n<main>\n");
        for section in &self.sections {
            out.push_str("<section>\n");
            element(&mut out, "h2", "", &section.heading);
            for block in &section.blocks {
                match block {
                    Block::Paragraph(text) => element(&mut out, "p", "", text),
                    Block::Table(table) => table.write(&mut out),
                    Block::Folded(line, table) => {
                        let line = escape(line);
                        let _ = writeln!(out, "<details>\n<summary>{line}</summary>");
                        table.write(&mut out);
                        out.push_str("</details>\n");
                    }
                    Block::Figure(figure) => figure.write(&mut out),
                }
            }
            out.push_str("</section>\n");
        }
        out.push_str("</main>\n");
        element(&mut out, "footer", "", &self.footer);
        out.push_str("</body>\n</html>\n");
        out
    }
}

/// Writes an element with text in it, if there is text.
fn element(out: &mut String, name: &str, attributes: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(out, "<{name}{attributes}>{}</{name}>", escape(text));
    }
}

impl Figure {
    fn write(&self, out: &mut String) {
        let _ = write!(out, "<figure>\n<div class=\"wide\">{}</div>\n", self.svg.trim_end());
        element(out, "figcaption", "", &self.caption);
        out.push_str("</figure>\n");
    }
}

impl Table {
    fn write(&self, out: &mut String) {
        out.push_str("<figure>\n<div class=\"wide\"><table>\n");
        element(out, "caption", "", &self.caption);
        if self.columns.iter().any(|c| !c.heading.is_empty()) {
            out.push_str("<thead><tr>");
            for column in &self.columns {
                let class = if column.numeric { " class=\"number\"" } else { "" };
                let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(&column.heading));
            }
            out.push_str("</tr></thead>\n");
        }
        out.push_str("<tbody>\n");
        let none = Cell::default();
        for row in &self.rows {
            out.push_str("<tr>");
            for (i, column) in self.columns.iter().enumerate() {
                row.get(i).unwrap_or(&none).write(out, i == 0, column.numeric);
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n</table></div>\n</figure>\n");
    }
}

impl Cell {
    /// The best of its row or column.
    pub fn best(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), best: true }
    }

    fn write(&self, out: &mut String, first: bool, numeric: bool) {
        let text = escape(&self.text);
        let text = if self.best { format!("<strong>{text}</strong>") } else { text };
        let _ = match (first, numeric) {
            (_, true) => write!(out, "<td class=\"number\">{text}</td>"),
            (true, false) => write!(out, "<th scope=\"row\">{text}</th>"),
            (false, false) => write!(out, "<td>{text}</td>"),
        };
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell { text: text.into(), best: false }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, best: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(word: &str) -> Page {
        let column = |heading: &str, numeric| Column { heading: heading.into(), numeric };
        let table = Table {
            caption: word.into(),
            columns: vec![column(word, false), column("error", true)],
            rows: vec![
                vec![word.into(), Cell::best("0.1")],
                vec![],
                vec!["a".into(), "1".into(), "cut".into()],
            ],
        };
        let svg = super::super::Bars::default().svg();
        let blocks = vec![
            Block::Paragraph(word.into()),
            Block::Table(table.clone()),
            Block::Folded(word.into(), table),
            Block::Figure(Figure { svg, caption: word.into() }),
        ];
        let sections = vec![Section { heading: word.into(), blocks }];
        Page { title: word.into(), lead: word.into(), sections, footer: word.into() }
    }

    #[test]
    fn pages_are_well_formed_and_escaped() {
        let html = page("<script>alert('\"&')</script>").html();
        let body = html.strip_prefix("<!doctype html>\n").unwrap();
        super::super::tests::well_formed(body).unwrap();
        assert!(!html.contains("<script"));
        assert!(html.contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;"));
    }

    #[test]
    fn pages_need_nothing_else() {
        let html = page("word").html();
        for outside in ["src=", "href=", "url(", "@import", "<link", "<script"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn cells_follow_the_columns() {
        let html = page("word").html();
        assert!(html.contains("<td class=\"number\"><strong>0.1</strong></td>"));
        assert!(html.contains("<tr><th scope=\"row\"></th><td class=\"number\"></td></tr>"));
        assert!(!html.contains("cut"));
        assert!(html.contains("<details>\n<summary>word</summary>\n<figure>"));
    }

    #[test]
    fn a_table_without_headings_has_no_head() {
        let table = Table {
            columns: vec![Column::default(), Column::default()],
            rows: vec![vec!["rows".into(), "150".into()]],
            ..Table::default()
        };
        let mut html = String::new();
        table.write(&mut html);
        assert!(!html.contains("<thead>") && html.contains("<td>150</td>"), "{html}");
    }
}
