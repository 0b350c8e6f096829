//! Decisions: the most probable class, or the one of least expected cost.

use crate::data::csv::CsvReader;
use crate::data::open::display_name;
use crate::data::raw::{RawRows, Records};
use crate::error::{Error, Result, nearest};
use crate::num::winner;
use std::fs::File;

/// What each decision costs when each class is true.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMatrix {
    classes: usize,
    /// True class x decision.
    costs: Vec<f64>,
}

impl CostMatrix {
    /// A matrix of true class x decision.
    pub fn new(classes: usize, costs: Vec<f64>) -> Result<CostMatrix> {
        if classes == 0 || costs.len() != classes * classes || costs.iter().any(|c| !c.is_finite())
        {
            let problem = format!("the costs are not {classes} x {classes} finite numbers");
            return Err(Error::data("cost matrix", problem, "give one cost a pair of classes"));
        }
        Ok(CostMatrix { classes, costs })
    }

    /// Reads a matrix from CSV: the header names the decisions (its first field is free), each row a true class and what
    /// each decision costs then. The labels must be the classes' levels, in any order.
    pub fn read(path: &str, levels: &[String]) -> Result<CostMatrix> {
        let file = display_name(path);
        let input: Box<dyn std::io::Read + Send> = match path {
            "-" => Box::new(std::io::stdin()),
            _ => Box::new(File::open(path).map_err(Error::io(path))?),
        };
        // Without a header: its first field may be empty, or even a class.
        let mut reader = CsvReader::new(input, file, None, false)?;
        let text = |field: &[u8]| String::from_utf8_lossy(field).trim().to_string();
        let (mut names, mut truths, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = RawRows::default();
        loop {
            reader.read(&mut rows, 1024)?;
            if rows.is_empty() {
                break;
            }
            for r in 0..rows.len() {
                if names.is_empty() {
                    names = (0..rows.width).map(|c| text(rows.field(r, c))).collect::<Vec<_>>();
                    continue;
                }
                truths.push(text(rows.field(r, 0)));
                for (c, name) in names.iter().enumerate().skip(1) {
                    values.push(cost(file, rows.field(r, c), rows.lines[r], name)?);
                }
            }
        }
        let decisions = labels(file, &names[1..], levels, "the header")?;
        let truths = labels(file, &truths, levels, "the first column")?;
        let k = levels.len();
        let mut costs = vec![0.0; k * k];
        for (r, &truth) in truths.iter().enumerate() {
            for (c, &decision) in decisions.iter().enumerate() {
                costs[truth * k + decision] = values[r * k + c];
            }
        }
        CostMatrix::new(k, costs)
    }

    /// What a decision costs when a class is true.
    pub fn cost(&self, truth: usize, decision: usize) -> f64 {
        self.costs[truth * self.classes + decision]
    }

    /// The decision of least expected cost under these probabilities, and that cost; of decisions whose costs are equal but
    /// for rounding, the first.
    pub fn decide(&self, probabilities: &[f64]) -> (usize, f64) {
        let expected = |d: usize| {
            probabilities.iter().enumerate().map(|(t, p)| p * self.cost(t, d)).sum::<f64>()
        };
        // Relative to the largest cost, which rounding errors are relative to.
        let scale = self.costs.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let merits: Vec<f64> = (0..self.classes).map(|d| -expected(d) / scale).collect();
        let best = winner(&merits);
        (best, expected(best))
    }
}

fn cost(file: &str, field: &[u8], line: u64, column: &str) -> Result<f64> {
    let text = String::from_utf8_lossy(field).trim().to_string();
    text.parse().ok().filter(|c: &f64| c.is_finite()).ok_or_else(|| Error::Cell {
        file: file.into(),
        line,
        column: Some(column.into()),
        problem: format!("'{text}' is no cost"),
        fix: "give a finite number".into(),
    })
}

/// The level of each label; every level must be there once.
fn labels(file: &str, given: &[String], levels: &[String], place: &str) -> Result<Vec<usize>> {
    let fix = format!("name each class once: {}", levels.join(", "));
    let mut found = Vec::new();
    for label in given {
        let Some(level) = levels.iter().position(|l| l == label) else {
            let near = nearest(label, levels.iter().map(String::as_str));
            let hint = near.map(|n| format!(" (did you mean '{n}'?)")).unwrap_or_default();
            let problem = format!("{place} has '{label}', which is no class{hint}");
            return Err(Error::data(file, problem, fix));
        };
        if found.contains(&level) {
            return Err(Error::data(file, format!("{place} has '{label}' twice"), fix));
        }
        found.push(level);
    }
    match (0..levels.len()).find(|l| !found.contains(l)) {
        Some(l) => Err(Error::data(file, format!("{place} lacks the class '{}'", levels[l]), fix)),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CostMatrix> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        CostMatrix::read(file.path().to_str().unwrap(), &["ill".to_string(), "well".to_string()])
    }

    #[test]
    fn labels_may_come_in_any_order() {
        let m = read("truth,well,ill\nwell,0,1\nill,50,0\n").unwrap();
        assert_eq!(read(",ill,well\nill,0,50\nwell,1,0\n").unwrap(), m);
        assert_eq!([m.cost(0, 1), m.cost(1, 0), m.cost(0, 0)], [50.0, 1.0, 0.0]);
        // One in fifty ill is enough to call ill.
        assert_eq!(m.decide(&[0.03, 0.97]).0, 0);
        let (decision, cost) = m.decide(&[0.01, 0.99]);
        assert_eq!(decision, 1);
        assert!((cost - 0.5).abs() < 1e-12);
    }

    /// 0.1 x 3 and 0.3 x 1 are the same cost, but not the same bits.
    #[test]
    fn equal_costs_are_a_tie() {
        for scale in [1.0, 1e-15, 1e15] {
            let costs = [0.0, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(|c: f64| c * scale);
            let m = CostMatrix::new(3, costs.to_vec()).unwrap();
            let (first, second) = (m.decide(&[0.1, 0.3, 0.6]).0, m.decide(&[0.3, 0.1, 0.6]).0);
            assert_eq!((first, second), (2, 2));
            let costs = [1.0, 0.0, 0.0, 3.0].map(|c: f64| c * scale);
            let m = CostMatrix::new(2, costs.to_vec()).unwrap();
            // p0 x 1 against p1 x 3 at p = 3/4, reached by a sum.
            assert_eq!(m.decide(&[0.7 + 0.05, 0.1 + 0.1 + 0.05]).0, 0, "{scale}");
        }
    }

    #[test]
    fn wrong_matrices_are_refused() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("t,ill\nill,0\n").contains("the header lacks the class 'well'"));
        assert!(message("t,ill,wel\nill,0,1\nwell,1,0\n").contains("did you mean 'well'?"));
        assert!(
            message("t,ill,well\nill,0,1\n").contains("the first column lacks the class 'well'")
        );
        assert!(message("t,ill,well\nill,0,1\nill,1,0\n").contains("'ill' twice"));
        assert!(message("t,ill,well\nill,0,x\nwell,1,0\n").contains("line 2, column 'well': 'x'"));
        assert!(message("t,ill,well\nill,0\nwell,1,0\n").contains("2 fields where 3"));
    }
}
