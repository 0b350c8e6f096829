//! The one error type of the library: what went wrong, where, and what to do about it.

use std::fmt::Write as _;

/// What a call that may fail returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong. Fields say where; the text says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read or write.
    #[error("{path}: {source}")]
    Io {
        /// The file, or `-` for a standard stream.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// One cell or line of a file cannot be used.
    #[error("{file}, line {line}{}: {problem}; {fix}", in_column(.column))]
    Cell {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column's name, where one column is to blame.
        column: Option<String>,
        /// What is wrong, the value included.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// A whole column cannot be used.
    #[error("{file}, column '{column}': {problem}; {fix}")]
    Column {
        /// The file.
        file: String,
        /// The column's name.
        column: String,
        /// What is wrong.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// A column that was asked for is not there.
    #[error("{file} has no column '{column}'{}", suggestion(.nearest, .known))]
    NoSuchColumn {
        /// The file.
        file: String,
        /// The name asked for.
        column: String,
        /// The name most like it, if one is close.
        nearest: Option<String>,
        /// The names there are.
        known: Vec<String>,
    },
    /// A file or table as a whole cannot be used.
    #[error("{file}: {problem}; {fix}")]
    Data {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// One row of a table cannot be used.
    #[error("{file}, row {row}: {problem}; {fix}")]
    Row {
        /// The file.
        file: String,
        /// The row, counted from 1.
        row: usize,
        /// What is wrong.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// A name is not in the registry.
    #[error("no {kind} is called '{name}'{}", suggestion(.nearest, .known))]
    Unknown {
        /// What was looked for: a model, a parameter learner, a known set.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The name most like it, if one is close.
        nearest: Option<String>,
        /// The names there are.
        known: Vec<String>,
    },
    /// A learner's setting has a value outside its range.
    #[error("{learner}: {setting} = {value} is not possible; it must be {expected}")]
    Setting {
        /// The learner.
        learner: String,
        /// The setting.
        setting: String,
        /// The value given.
        value: String,
        /// What would be right.
        expected: String,
    },
    /// A model file cannot be used.
    #[error("{file}: {problem}; {fix}")]
    Model {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// A file of a network cannot be used.
    #[error("{file}, line {line}{}: {problem}; {fix}", of_node(.node))]
    Network {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The node's name, where one node is to blame.
        node: Option<String>,
        /// What is wrong, the value included.
        problem: String,
        /// What the user can do.
        fix: String,
    },
    /// Something would need more memory than it may have.
    #[error("{what} would need {} bytes, more than the limit of {limit}; {fix}", size(*bytes))]
    TooLarge {
        /// What would be made.
        what: String,
        /// How much it needs.
        bytes: u128,
        /// How much it may have.
        limit: u128,
        /// What the user can do.
        fix: String,
    },
    /// What was seen cannot happen by the network.
    #[error("{evidence} cannot be by this network: the probability is 0; {fix}")]
    Impossible {
        /// The findings that exclude each other, or the only one.
        evidence: String,
        /// What the user can do.
        fix: String,
    },
    /// An arc would close a directed cycle.
    #[error("the arc {parent} -> {child} would close a directed cycle")]
    Cycle {
        /// Where the arc starts.
        parent: String,
        /// Where it ends.
        child: String,
    },
    /// The observer asked to stop, or the time limit was reached, before there was a result.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// The same error of a piece of a table that begins after so many rows.
    pub fn after_rows(self, rows: usize) -> Error {
        match self {
            Error::Row { file, row, problem, fix } => {
                Error::Row { file, row: row + rows, problem, fix }
            }
            other => other,
        }
    }

    /// Wraps what the system said about `path`.
    pub fn io(path: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }

    /// A trouble with a whole file or table.
    pub fn data(file: &str, problem: impl Into<String>, fix: impl Into<String>) -> Error {
        Error::Data { file: file.into(), problem: problem.into(), fix: fix.into() }
    }

    /// A trouble with a whole column.
    pub fn column(
        file: &str,
        column: &str,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Error {
        Error::Column {
            file: file.into(),
            column: column.into(),
            problem: problem.into(),
            fix: fix.into(),
        }
    }

    /// A trouble with a model file.
    pub fn model(file: &str, problem: impl Into<String>, fix: impl Into<String>) -> Error {
        Error::Model { file: file.into(), problem: problem.into(), fix: fix.into() }
    }

    /// A name that `known` does not hold, with the nearest one that it does.
    pub fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Error {
        let known: Vec<String> = known.into_iter().map(str::to_string).collect();
        Error::Unknown {
            kind,
            name: name.into(),
            nearest: nearest(name, known.iter().map(String::as_str)),
            known,
        }
    }
}

fn in_column(column: &Option<String>) -> String {
    column.as_ref().map(|c| format!(", column '{c}'")).unwrap_or_default()
}

fn of_node(node: &Option<String>) -> String {
    node.as_ref().map(|n| format!(", node '{n}'")).unwrap_or_default()
}

/// At most this many names are listed in a message.
const LISTED: usize = 20;

fn suggestion(nearest: &Option<String>, known: &[String]) -> String {
    let mut text = String::new();
    if let Some(name) = nearest {
        let _ = write!(text, "; did you mean '{name}'?");
    }
    let shown: Vec<&str> = known.iter().take(LISTED).map(String::as_str).collect();
    let more = if known.len() > LISTED {
        format!(" and {} more", known.len() - LISTED)
    } else {
        String::new()
    };
    let _ = write!(text, " (there is: {}{more})", shown.join(", "));
    text
}

/// The candidate most like `name`, if any is near enough to be a slip of the finger.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let limit = name.chars().count().div_ceil(3).max(1);
    let name = name.to_lowercase();
    candidates
        .map(|c| (edit_distance(&name, &c.to_lowercase()), c))
        // A name that shares no letter is not near, however short it is.
        .filter(|&(d, c)| d <= limit && d < name.chars().count().max(c.chars().count()))
        .min_by_key(|&(d, _)| d)
        .map(|(_, c)| c.to_string())
}

/// Levenshtein distance by characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut current = vec![i + 1];
        for (j, &cb) in b.iter().enumerate() {
            let change = previous[j] + usize::from(ca != cb);
            current.push(change.min(previous[j + 1] + 1).min(current[j] + 1));
        }
        previous = current;
    }
    previous[b.len()]
}

/// A number of bytes; of numbers that stand for nothing any more, how large they are at least.
fn size(bytes: u128) -> String {
    const TOLD: u128 = 1_000_000_000_000_000_000;
    if bytes < TOLD { bytes.to_string() } else { "more than 10^18".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_name_is_found_only_when_near() {
        let names = ["class", "age", "income"];
        assert_eq!(nearest("clas", names.into_iter()), Some("class".into()));
        assert_eq!(nearest("Class", names.into_iter()), Some("class".into()));
        assert_eq!(nearest("zebra", names.into_iter()), None);
        assert_eq!(nearest("7", ["0", "1"].into_iter()), None);
    }

    #[test]
    fn a_missing_column_suggests_the_nearest_name() {
        let e = Error::NoSuchColumn {
            file: "t.csv".into(),
            column: "clss".into(),
            nearest: Some("class".into()),
            known: vec!["a".into(), "class".into()],
        };
        assert_eq!(
            e.to_string(),
            "t.csv has no column 'clss'; did you mean 'class'? (there is: a, class)"
        );
    }
}
