//! A table of errors over sets, ours beside the published ones.

use super::protocol::{CLASS, Contender, Figure, measure, read_set, scheme_of};
use crate::data::Table;
use crate::data::kinds::Kinds;
use crate::error::{Error, Result};
use crate::evaluate::published::Report;
use crate::run::Run;
use rayon::prelude::*;

/// A published table and who is in it.
pub(super) struct ErrorTable {
    /// A line a set: its name, and the figures in the columns the contenders name.
    pub published: &'static str,
    pub contenders: &'static [Contender],
    /// Whether to show of which kind the attributes are.
    pub show_kinds: bool,
}

/// What came of it.
pub(super) struct Compared {
    pub sets: Vec<SetErrors>,
    /// The sets that could not be used, and why.
    pub left_out: Vec<String>,
}

/// The errors on a set.
pub(super) struct SetErrors {
    pub name: String,
    /// Of which kind its attributes are: discrete, continuous or mixed.
    pub kinds: &'static str,
    /// Contender by contender.
    pub pairs: Vec<Pair>,
    scheme: String,
}

/// A published figure and ours.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub theirs: Figure,
    pub ours: Figure,
}

impl Pair {
    /// The difference in its standard errors.
    pub(super) fn z(&self) -> f64 {
        let difference = self.ours.error - self.theirs.error;
        if difference == 0.0 { 0.0 } else { difference / self.theirs.bar.hypot(self.ours.bar) }
    }

    /// Whether the difference is within two of its standard errors.
    pub(super) fn is_near(&self) -> bool {
        self.z().abs() <= 2.0
    }
}

/// What is made of a set before it is used: one table a repetition.
pub(super) type Prepare<'a> = &'a (dyn Fn(&Table) -> Result<Vec<Table>> + Sync);

impl ErrorTable {
    /// Runs every contender on every set in the folder. `repeats` is how often rows are parted anew for each of the
    /// tables that `prepare` makes.
    pub(super) fn compare(
        &self,
        folder: &str,
        repeats: usize,
        prepare: Prepare<'_>,
        run: &Run<'_>,
    ) -> Result<Compared> {
        let kinds = Kinds::read(&format!("{folder}/columns.csv"), run)?;
        let mut compared = Compared { sets: Vec::new(), left_out: Vec::new() };
        for line in self.published.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            match self.one_set(folder, &fields, repeats, &kinds, prepare, run) {
                Ok(set) => compared.sets.push(set),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(e) => compared.left_out.push(format!("{} was left out: {e}", fields[0])),
            }
        }
        Ok(compared)
    }

    fn one_set(
        &self,
        folder: &str,
        fields: &[&str],
        repeats: usize,
        kinds: &Kinds,
        prepare: Prepare<'_>,
        run: &Run<'_>,
    ) -> Result<SetErrors> {
        let table = read_set(folder, fields[0], kinds, run)?;
        let tables = prepare(&table)?;
        let scheme = scheme_of(fields[0], repeats);
        // Side by side, because a set with one split would leave threads idle.
        let one = |contender: &Contender| -> Result<Pair> {
            let theirs = published_figure(fields, contender);
            Ok(Pair { theirs, ours: measure(contender, &tables, scheme, run)? })
        };
        let pairs =
            run.install(|| self.contenders.par_iter().map(one).collect::<Result<Vec<Pair>>>())?;
        let name = fields[0].to_string();
        Ok(SetErrors { name, kinds: kinds_of(&table), pairs, scheme: scheme.words() })
    }

    /// The table of it, with the sets that were left out as notes.
    pub(super) fn report(&self, compared: &Compared) -> Report {
        let mut report = Report { notes: compared.left_out.clone(), ..Report::default() };
        report.header.push("set".into());
        report.header.extend(self.show_kinds.then(|| "attributes".into()));
        for contender in self.contenders {
            let published = format!("{} published", contender.name());
            report.header.extend([published, "ours".into(), "z".into()]);
        }
        report.header.push("ours by".into());
        report.rows.extend(compared.sets.iter().map(|set| self.row(set)));
        report
    }

    fn row(&self, set: &SetErrors) -> Vec<String> {
        let mut row = vec![set.name.clone()];
        row.extend(self.show_kinds.then(|| set.kinds.into()));
        for pair in &set.pairs {
            let figure = |f: Figure| format!("{:.2} ± {:.2}", f.error, f.bar);
            row.extend([figure(pair.theirs), figure(pair.ours), format!("{:+.1}", pair.z())]);
        }
        row.push(set.scheme.clone());
        row
    }
}

/// The published error of a contender on the set of this line.
pub(super) fn published_figure(fields: &[&str], contender: &Contender) -> Figure {
    let number = |c: usize| fields.get(c).and_then(|f| f.parse().ok()).unwrap_or(f64::NAN);
    Figure { error: number(contender.column), bar: number(contender.column + 1) }
}

fn kinds_of(table: &Table) -> &'static str {
    let fields = &table.schema().fields;
    let mut attributes = fields.iter().filter(|f| f.name != CLASS).map(|f| f.is_discrete());
    let first = attributes.next();
    match first {
        Some(discrete) if attributes.any(|other| other != discrete) => "mixed",
        Some(true) => "discrete",
        _ => "continuous",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_counts_standard_errors_and_knows_agreement_without_spread() {
        let figure = |error: f64, bar: f64| Figure { error, bar };
        let pair = Pair { theirs: figure(10.0, 3.0), ours: figure(20.0, 4.0) };
        assert_eq!((pair.z(), pair.is_near()), (2.0, true));
        let perfect = Pair { theirs: figure(0.0, 0.0), ours: figure(0.0, 0.0) };
        assert_eq!((perfect.z(), perfect.is_near()), (0.0, true));
        let certain = Pair { theirs: figure(0.0, 0.0), ours: figure(1.0, 0.0) };
        assert!(!certain.is_near());
    }
}
