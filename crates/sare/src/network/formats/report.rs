//! Errors of network files: all name the file, the line and, where there is one, the node.

use super::scan::shortened;
use crate::error::{Error, Result};

/// Makes the errors of one file.
#[derive(Clone, Copy)]
pub(super) struct Report<'a> {
    /// What messages call the file.
    pub file: &'a str,
}

impl Report<'_> {
    /// A trouble on a line.
    pub fn error(&self, line: u64, problem: impl Into<String>, fix: impl Into<String>) -> Error {
        self.made(line, None, problem.into(), fix.into())
    }

    /// A trouble with a node.
    pub fn node(
        &self,
        line: u64,
        node: &str,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Error {
        self.made(line, Some(node.into()), problem.into(), fix.into())
    }

    fn made(&self, line: u64, node: Option<String>, problem: String, fix: String) -> Error {
        Error::Network { file: self.file.into(), line, node, problem, fix }
    }

    /// A word as a number that can be a probability.
    pub fn number(&self, line: u64, word: &str) -> Result<f64> {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => {
                let problem = format!("'{}' is no probability", shortened(word));
                Err(self.error(line, problem, "write a number from 0 to 1"))
            }
        }
    }
}

/// Names the node in an error that names none.
pub(super) fn blame<T>(node: &str, result: Result<T>) -> Result<T> {
    result.map_err(|e| match e {
        Error::Network { file, line, node: None, problem, fix } => {
            Error::Network { file, line, node: Some(node.into()), problem, fix }
        }
        other => other,
    })
}
