//! Some columns of a file as their texts, whatever they hold: labels and the names of rows. There may be as many
//! different texts as rows.

use super::dictionary::{Dictionary, MISSING};
use super::open::{display_name, open};
use super::raw::RawRows;
use super::read::{ReadOptions, meanings};
use super::schema::{Field, Schema};
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;

/// Rows asked of a file at a time.
const CHUNK_ROWS: usize = 1 << 14;

/// One column as texts.
#[derive(Clone, Debug, PartialEq)]
pub struct TextColumn {
    /// The column's name.
    pub name: String,
    /// The different texts, by number if all are numbers, otherwise by alphabet.
    pub texts: Vec<String>,
    /// The text of each row, as its place in `texts`; `None` for a missing cell.
    pub codes: Vec<Option<u32>>,
}

/// Some columns of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct TextColumns {
    /// What stands for the file in messages.
    pub file: String,
    /// The columns, in the order they were asked for.
    pub columns: Vec<TextColumn>,
    /// The line of the file on which each row starts.
    pub lines: Vec<u64>,
}

/// Reads the columns that `choose` picks from the schema (of which only the names are known) as texts.
pub fn read_texts(
    path: &str,
    options: &ReadOptions,
    run: &Run<'_>,
    choose: &dyn Fn(&Schema) -> Result<Vec<usize>>,
) -> Result<TextColumns> {
    let file = display_name(path);
    run.tell(&Event::Phase { name: "rows read", steps: None })?;
    let mut records = open(path, options)?;
    let meanings = meanings(file, records.as_ref(), options);
    let schema = Schema::new(records.names().iter().map(Field::continuous).collect());
    let chosen = choose(&schema)?;
    let mut columns: Vec<Collector> = chosen.iter().map(|_| Collector::new()).collect();
    let (mut rows, mut lines) = (RawRows::default(), Vec::new());
    loop {
        records.read(&mut rows, CHUNK_ROWS)?;
        if rows.is_empty() {
            break;
        }
        run.tell(&Event::Step { steps: rows.len() as u64 })?;
        lines.extend_from_slice(&rows.lines);
        if lines.len() > MISSING as usize {
            let fix = "compare fewer rows";
            return Err(Error::data(file, "the file has more than 4,294,967,294 rows", fix));
        }
        for (collector, &c) in columns.iter_mut().zip(&chosen) {
            for r in 0..rows.len() {
                let field = rows.field(r, c);
                let code = match collector.dictionary.get(field) {
                    Some(code) => code,
                    None if meanings[c].is_missing(field) => {
                        collector.dictionary.insert(field, MISSING);
                        MISSING
                    }
                    None => collector.learn(field, meanings[c].text(field, rows.lines[r])?),
                };
                collector.codes.push((code != MISSING).then_some(code));
            }
        }
    }
    if lines.is_empty() {
        let fix = "give a file with at least one row of data";
        return Err(Error::data(file, "the file has a header but no rows", fix));
    }
    let finish = |(collector, &c): (Collector, &usize)| {
        collector.finish(&meanings[c].column, &|text| meanings[c].number(text))
    };
    let columns = columns.into_iter().zip(&chosen).map(finish).collect();
    Ok(TextColumns { file: file.into(), columns, lines })
}

/// Collects the texts of one column.
struct Collector {
    dictionary: Dictionary,
    texts: Vec<String>,
    codes: Vec<Option<u32>>,
}

impl Collector {
    fn new() -> Collector {
        Collector { dictionary: Dictionary::new(), texts: Vec::new(), codes: Vec::new() }
    }

    fn learn(&mut self, field: &[u8], text: &str) -> u32 {
        let code = self.texts.len() as u32;
        self.dictionary.insert(field, code);
        self.texts.push(text.into());
        code
    }

    /// Puts the texts in order.
    fn finish(self, name: &str, number: &dyn Fn(&str) -> Option<f64>) -> TextColumn {
        let values: Option<Vec<f64>> =
            self.texts.iter().map(|t| number(t).filter(|x| x.is_finite())).collect();
        let mut order: Vec<usize> = (0..self.texts.len()).collect();
        order.sort_by(|&a, &b| {
            let by_value = values.as_ref().map(|v| v[a].total_cmp(&v[b]));
            by_value.unwrap_or(std::cmp::Ordering::Equal).then(self.texts[a].cmp(&self.texts[b]))
        });
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new as u32);
        TextColumn {
            name: name.into(),
            codes: self.codes.iter().map(|c| c.map(|c| place[c as usize])).collect(),
            texts: order.iter().map(|&t| self.texts[t].clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(content: &str, names: &[&str]) -> Result<TextColumns> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        let path = file.path().to_str().unwrap();
        read_texts(path, &ReadOptions::default(), &Run::default(), &|schema| {
            names.iter().map(|n| schema.require(n, "t")).collect()
        })
    }

    #[test]
    fn texts_in_order_with_missing_cells() {
        let found = read("a,n,b\ny,10,1\nx,9,2\nNA,10,3\ny,?,4\n", &["n", "a"]).unwrap();
        let [n, a] = &found.columns[..] else { panic!("two columns") };
        assert_eq!((n.name.as_str(), &n.texts[..]), ("n", &["9".to_string(), "10".into()][..]));
        assert_eq!(n.codes, [Some(1), Some(0), Some(1), None]);
        assert_eq!(a.texts, ["x", "y"]);
        assert_eq!(a.codes, [Some(1), Some(0), None, Some(1)]);
        assert_eq!(found.lines, [2, 3, 4, 5]);
    }

    #[test]
    fn as_many_texts_as_rows() {
        let rows: String = (0..70_000).map(|i| format!("row {i}\n")).collect();
        let found = read(&format!("id\n{rows}"), &["id"]).unwrap();
        assert_eq!(found.columns[0].texts.len(), 70_000);
    }

    #[test]
    fn an_unknown_column_is_an_error() {
        assert!(matches!(read("a\n1\n", &["b"]), Err(Error::NoSuchColumn { .. })));
    }
}
