//! Which format a file of a network has.

use crate::error::{Error, Result};

/// The formats of network files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The interchange format 0.15.
    Bif,
    /// The interchange format in XML, 0.3.
    XmlBif,
    /// Hugin's text form.
    Net,
    /// The form of GeNIe and SMILE; read only.
    Xdsl,
    /// The older text form of GeNIe and SMILE; read only.
    Dsl,
    /// Graphs for Graphviz; written only.
    Dot,
    /// sare's own form; a model is read too.
    Json,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::Bif,
        Format::XmlBif,
        Format::Net,
        Format::Xdsl,
        Format::Dsl,
        Format::Dot,
        Format::Json,
    ];

    /// The name it is asked for by, and the endings of its files.
    fn endings(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Format::Bif => ("bif", &["bif"]),
            Format::XmlBif => ("xmlbif", &["xml", "xmlbif", "bifxml"]),
            Format::Net => ("net", &["net"]),
            Format::Xdsl => ("xdsl", &["xdsl"]),
            Format::Dsl => ("dsl", &["dsl"]),
            Format::Dot => ("dot", &["dot", "gv"]),
            Format::Json => ("json", &["json"]),
        }
    }

    /// The name it is asked for by.
    pub fn name(self) -> &'static str {
        self.endings().0
    }

    /// Whether it can be read.
    pub fn is_readable(self) -> bool {
        self != Format::Dot
    }

    /// Whether it can be written.
    pub fn is_writable(self) -> bool {
        !matches!(self, Format::Xdsl | Format::Dsl)
    }

    /// The format of this name.
    pub fn named(name: &str) -> Result<Format> {
        let found = Format::ALL.into_iter().find(|f| f.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            Error::unknown("network format", name, Format::ALL.into_iter().map(Format::name))
        })
    }

    /// Fails if the format cannot be written.
    pub(super) fn check_writable(self) -> Result<()> {
        if self.is_writable() {
            return Ok(());
        }
        let writable = Format::ALL.into_iter().filter(|f| f.is_writable()).map(Format::name);
        Err(Error::Setting {
            learner: "network file".into(),
            setting: "format to write".into(),
            value: self.name().into(),
            expected: format!("one of {}", writable.collect::<Vec<&str>>().join(", ")),
        })
    }

    /// The format that the ending of a file's name says; `.gz` after it says nothing.
    pub fn of_name(path: &str) -> Option<Format> {
        let lower = path.to_ascii_lowercase();
        let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
        let (_, ending) = stem.rsplit_once('.')?;
        Format::ALL.into_iter().find(|f| f.endings().1.contains(&ending))
    }

    /// The error of a name whose ending says nothing.
    pub(super) fn unknown_ending(path: &str) -> Error {
        let endings: Vec<String> = Format::ALL
            .into_iter()
            .flat_map(|f| f.endings().1)
            .map(|ending| format!(".{ending}"))
            .collect();
        let problem = "its name does not say which format of networks it is";
        Error::data(
            path,
            problem,
            format!("end it with {}, or name the format", endings.join(", ")),
        )
    }

    /// The format that the start of a text shows.
    pub fn of_text(text: &str) -> Option<Format> {
        let start = after_comments(text);
        match start.chars().next()? {
            '{' => return Some(Format::Json),
            '<' => return of_xml(start),
            _ => {}
        }
        let ends = |c: char| c.is_whitespace() || "{(\"".contains(c);
        let word = &start[..start.find(ends).unwrap_or(start.len())];
        match word.to_ascii_lowercase().as_str() {
            "network" | "variable" => Some(Format::Bif),
            "digraph" | "strict" => Some(Format::Dot),
            "class" | "node" => Some(Format::Net),
            // Hugin's block has no name, SMILE's has.
            "net" if after_comments(&start[3..]).starts_with('{') => Some(Format::Net),
            "net" => Some(Format::Dsl),
            _ => None,
        }
    }

    /// The format of a file: what its text shows, unless its name says otherwise.
    pub(super) fn of_file(name: &str, text: &str) -> Result<Format> {
        match (Format::of_name(name), Format::of_text(text)) {
            (Some(by_name), Some(by_text)) if by_name != by_text => {
                let xml = name.to_ascii_lowercase();
                let xml = xml.strip_suffix(".gz").unwrap_or(&xml).ends_with(".xml");
                if xml && by_text == Format::Xdsl {
                    return Ok(by_text);
                }
                let (by_name, by_text) = (by_name.name(), by_text.name());
                let problem =
                    format!("its name says {by_name}, but its content looks like {by_text}");
                Err(Error::data(name, problem, "rename it, or name the format"))
            }
            (_, Some(format)) | (Some(format), None) => Ok(format),
            (None, None) => {
                let problem = "this is no file of a network";
                let readable = Format::ALL.into_iter().filter(|f| f.is_readable());
                let names: Vec<&str> = readable.map(Format::name).collect();
                Err(Error::data(name, problem, format!("give one of {}", names.join(", "))))
            }
        }
    }
}

/// The text after blanks and comments of any of the text formats.
fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if rest.starts_with("//") || rest.starts_with('%') {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest;
        };
        rest = after.trim_start();
    }
}

/// By the outermost element.
fn of_xml(text: &str) -> Option<Format> {
    let mut rest = text;
    loop {
        let inside = rest.split_once('<')?.1;
        let (skipped, end) = match inside {
            _ if inside.starts_with("!--") => (true, "-->"),
            _ => (inside.starts_with(['!', '?']), ">"),
        };
        if !skipped {
            let ends = |c: char| c.is_whitespace() || ">/".contains(c);
            let name = &inside[..inside.find(ends).unwrap_or(inside.len())];
            return match name.to_ascii_lowercase().as_str() {
                "bif" => Some(Format::XmlBif),
                "smile" => Some(Format::Xdsl),
                _ => None,
            };
        }
        if let Some(named) = inside.strip_prefix("!DOCTYPE") {
            // The document type names the outermost element, and its declarations may hold anything.
            let name = named.trim_start().to_ascii_lowercase();
            return if name.starts_with("bif") { Some(Format::XmlBif) } else { None };
        }
        rest = inside.split_once(end)?.1;
    }
}
