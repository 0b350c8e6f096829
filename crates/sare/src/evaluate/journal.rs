//! A journal of finished splits, so that a long comparison can be interrupted and go on where it stopped.

use super::validate::SplitOutcome;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::sync::Mutex;

/// What a finished split is known by. Everything that its result depends on is in here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The data: name and fingerprint.
    pub data: String,
    /// The learner's text form.
    pub learner: String,
    /// The scheme, the seed, the options, and the version of what is measured.
    pub scheme: String,
    /// The number of the split.
    pub split: usize,
}

/// How every line begins: a file that begins otherwise is not ours to cut.
const START: &[u8] = b"{\"data\":";

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    key: Key,
    outcome: SplitOutcome,
}

/// Finished splits, in memory and perhaps in a file: one line of JSON each, written as soon as it is finished.
#[derive(Default)]
pub struct Journal {
    done: BTreeMap<Key, SplitOutcome>,
    file: Option<Mutex<(String, File)>>,
}

impl Journal {
    /// Opens a journal, or starts one. A last line that was cut off is forgotten; any other that cannot be read is an
    /// error.
    pub fn open(path: &str) -> Result<Journal> {
        let mut journal = Journal::default();
        let mut whole = 0;
        let old = match File::open(path) {
            Ok(file) => Some(file),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(Error::io(path)(e)),
        };
        if let Some(file) = old {
            let mut reader = BufReader::new(file);
            let (mut number, mut text) = (0, Vec::new());
            while reader.read_until(b'\n', &mut text).map_err(Error::io(path))? > 0 {
                number += 1;
                // Cut off, even if only the end of the line is: written anew.
                if !text.ends_with(b"\n") && (number > 1 || text.starts_with(START)) {
                    break;
                }
                match serde_json::from_slice::<Line>(&text) {
                    Ok(line) => {
                        journal.done.insert(line.key, line.outcome);
                    }
                    Err(e) => {
                        return Err(Error::Cell {
                            file: path.into(),
                            line: number,
                            column: None,
                            problem: format!("this is no line of a journal ({e})"),
                            fix: "name a file that a comparison has written, or a new one".into(),
                        });
                    }
                }
                whole += text.len() as u64;
                text.clear();
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(Error::io(path))?;
        // What was cut off goes, so that the next line starts a line.
        file.set_len(whole).map_err(Error::io(path))?;
        journal.file = Some(Mutex::new((path.into(), file)));
        Ok(journal)
    }

    /// How many finished splits are known.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// True if no finished split is known.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// What came of a split, if it is finished. A split that failed is tried again.
    pub fn get(&self, key: &Key) -> Option<&SplitOutcome> {
        self.done.get(key).filter(|o| matches!(o, SplitOutcome::Done(_)))
    }

    /// Writes a finished split down.
    pub fn put(&self, key: Key, outcome: &SplitOutcome) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut text =
            serde_json::to_string(&Line { key, outcome: outcome.clone() }).map_err(|e| {
                Error::data("journal", e.to_string(), "report this as a mistake in sare")
            })?;
        text.push('\n');
        let mut file = file.lock().unwrap_or_else(|broken| broken.into_inner());
        let (path, file) = &mut *file;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(Error::io(path.as_str()))
    }
}
