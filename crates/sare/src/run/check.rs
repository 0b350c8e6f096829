//! Whether an outcome fits the columns of its model: it may come from a damaged file.

use super::{ClusterOutcome, Outcome};

/// What does not fit, by the name of the field.
type Fits = Result<(), String>;

impl Outcome {
    /// Fails if something refers to a column that is not there, or has not one entry for each column or class. The class is
    /// the last column.
    pub(crate) fn check(&self, columns: usize, classes: usize) -> Fits {
        if let Some(relevance) = &self.relevance {
            check_length("outcome.relevance", relevance.len(), columns - 1)?;
            relevance.iter().try_for_each(|&p| check_probability("outcome.relevance", p))?;
        }
        for reason in &self.reasons {
            check_arc("outcome.reasons", reason.parent, reason.child, columns)?;
            check_probability("outcome.reasons: chance", reason.chance)?;
        }
        for arc in self.arcs.iter().flatten() {
            check_arc("outcome.arcs", arc.parent, arc.child, columns)?;
            check_probability("outcome.arcs: probability", arc.probability)?;
        }
        self.clusters.as_ref().map_or(Ok(()), |found| found.check(columns - 1, classes))
    }
}

impl ClusterOutcome {
    fn check(&self, attributes: usize, clusters: usize) -> Fits {
        check_length("outcome.clusters.sizes", self.sizes.len(), clusters)?;
        check_length("outcome.clusters.independence", self.independence.len(), attributes)?;
        check_length("outcome.clusters.information", self.information.len(), attributes)?;
        if let Some(size) = self.sizes.iter().find(|s| !(0.0..=1e100).contains(*s)) {
            return Err(format!(
                "outcome.clusters.sizes holds {size}, which is not a number of rows"
            ));
        }
        let figures = self.numbers.iter().flat_map(|tried| &tried.figures);
        let tried: Vec<usize> = figures.map(|f| f.clusters).collect();
        if tried.first() == Some(&0) || !tried.is_sorted_by(|a, b| a < b) {
            return Err(
                "outcome.clusters.numbers: the numbers of clusters do not ascend from 1".into()
            );
        }
        Ok(())
    }
}

fn check_length(field: &str, found: usize, expected: usize) -> Fits {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{field} has {found} entries instead of {expected}"))
    }
}

fn check_arc(field: &str, parent: usize, child: usize, columns: usize) -> Fits {
    if parent != child && parent.max(child) < columns {
        return Ok(());
    }
    Err(format!(
        "{field} has an arc from column {parent} to column {child}, of {columns} counted from 0"
    ))
}

fn check_probability(field: &str, p: f64) -> Fits {
    /// Sums of many rounded numbers may exceed 1.
    const ROUNDING: f64 = 1e-6;
    if (-ROUNDING..=1.0 + ROUNDING).contains(&p) {
        Ok(())
    } else {
        Err(format!("{field} holds {p}, which is not a probability"))
    }
}
