//! The levels of a nominal attribute.

use std::collections::HashSet;

/// Up to this many levels a scan is faster than a hash.
const SCANNED: usize = 8;

/// The levels of a nominal attribute, indexed for a fast search.
#[derive(Default)]
pub(super) struct Levels {
    pub(super) names: Vec<String>,
    seen: HashSet<Vec<u8>>,
}

impl Levels {
    /// Adds a level; false if it was there already.
    pub(super) fn push(&mut self, level: String) -> bool {
        let new = self.seen.insert(level.as_bytes().to_vec());
        self.names.push(level);
        new
    }

    /// To be called after the last level: a short list is searched without the hash.
    pub(super) fn index(&mut self) {
        if self.names.len() <= SCANNED {
            self.seen = HashSet::new();
        }
    }

    #[inline]
    pub(super) fn contains(&self, value: &[u8]) -> bool {
        if self.seen.is_empty() {
            // Byte by byte: levels are short, and a call to compare them costs more than the comparison.
            let same = |l: &String| l.len() == value.len() && l.bytes().eq(value.iter().copied());
            self.names.iter().any(same)
        } else {
            self.seen.contains(value)
        }
    }
}
