//! Published tables of wins, draws and losses, kept as CSV files beside the code.

use super::contest::Tally;

/// A published table.
pub(super) struct Published {
    /// What the first columns hold.
    pub keys: Vec<&'static str>,
    /// The sizes of the data sets, one a further column.
    pub rows: Vec<usize>,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a table.
pub(super) struct Line {
    /// The values of the first columns.
    pub keys: Vec<usize>,
    /// What came of each size.
    pub cells: Vec<Tally>,
}

impl Published {
    /// Reads a table; the columns whose names are numbers are sizes. A line that is no such line, which no file here has,
    /// would be left out.
    pub fn read(text: &'static str) -> Published {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let rows: Vec<usize> = names.iter().filter_map(|n| n.parse().ok()).collect();
        let keys = names[..names.len() - rows.len()].to_vec();
        let line = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            let (first, rest) = fields.split_at_checked(keys.len())?;
            let keys = first.iter().map(|f| f.parse().ok()).collect::<Option<_>>()?;
            Some(Line { keys, cells: rest.iter().map(|f| tally(f)).collect::<Option<_>>()? })
        };
        let lines = lines.filter_map(line).collect();
        Published { keys, rows, lines }
    }

    /// The cells that are not of so many data sets, in words.
    pub fn wrong_sums(&self, models: usize) -> Vec<String> {
        let mut wrong = Vec::new();
        for line in &self.lines {
            for (rows, cell) in self.rows.iter().zip(&line.cells) {
                if cell.total() != models {
                    let keys = self.keys.iter().zip(&line.keys);
                    let place: Vec<String> = keys.map(|(k, v)| format!("{v} {k}")).collect();
                    let (place, text) = (place.join(", "), cell.text());
                    wrong.push(format!("{text} ({place}, {rows} rows) to {}", cell.total()));
                }
            }
        }
        wrong
    }
}

/// A cell such as 24/17/9**.
fn tally(text: &str) -> Option<Tally> {
    let counts = text.trim_end_matches('*');
    let mut parts = counts.split('/').map(|n| n.parse().ok());
    let mut next = || parts.next().flatten();
    let (wins, draws, losses) = (next()?, next()?, next()?);
    Some(Tally { wins, draws, losses, sure: text.len() - counts.len() })
}
