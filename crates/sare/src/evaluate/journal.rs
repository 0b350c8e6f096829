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
    file: Option<Mutex<Lines>>,
}

/// The file of a journal.
struct Lines {
    path: String,
    file: File,
    /// How many bytes are whole lines.
    whole: u64,
    /// Whether there was no file before.
    new: bool,
}

impl Lines {
    /// Adds a line, or leaves the file as it was.
    fn add(&mut self, line: &str) -> std::io::Result<()> {
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.whole += line.len() as u64,
            // The error that matters is the one there was.
            Err(_) => drop(self.file.set_len(self.whole)),
        }
        written
    }
}

impl Drop for Lines {
    /// A journal in which nothing could be written is not left behind.
    fn drop(&mut self) {
        if self.new && self.whole == 0 {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Journal {
    /// Opens a journal, or starts one. A last line that was cut off is forgotten; any other that cannot be read is an
    /// error.
    pub fn open(path: &str) -> Result<Journal> {
        let mut journal = Journal::default();
        let mut whole = 0;
        let mut new = false;
        let old = match File::open(path) {
            // A device or a pipe may have no end, and keeps nothing.
            Ok(file) if !file.metadata().is_ok_and(|m| m.is_file()) => {
                let fix = "name a file that a comparison has written, or a new one";
                return Err(Error::data(path, "a journal must be a file", fix));
            }
            Ok(file) => Some(file),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                new = true;
                None
            }
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
        journal.file = Some(Mutex::new(Lines { path: path.into(), file, whole, new }));
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
        file.add(&text).map_err(Error::io(file.path.as_str()))
    }
}
