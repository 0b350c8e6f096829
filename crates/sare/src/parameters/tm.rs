//! The TM algorithm: the greatest conditional likelihood by changing counts (ALGORITHMS 5).
//!
//! The probabilities that go with counts N are those of greatest sum N ln theta, so an iteration raises
//! sum (N + lambda (N_observed - E[N | attributes])) ln theta. With a penalty it raises this less lambda times what the
//! table rows cost (`parameters/penalty.rs`). Where that moves nothing, the gradient of the conditional log-likelihood less
//! the penalty is zero, so TM ends where `cll` does. The total of each table row then stays as it was at the start: at
//! such a point the totals of observed and expected counts differ, and would drift for ever.

use super::Parameters;
use super::dirichlet::{Prior, count_dag, network_from_counts};
use super::penalty::{L2, best_row, cost, distances};
use super::reasons::arc_reasons;
use crate::data::{Schema, Source};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::{Dag, perfect};
use crate::infer::density::{LogTables, has_holes};
use crate::infer::slopes::{Criterion, Slopes, SlopesPass};
use crate::network::Network;
use crate::observe::Event;
use crate::run::{Outcome, Run, Stop};
use crate::stats::{FamilyTable, run_pass};

/// Adds to the counts what was observed less what is expected of the classes given the attributes:
/// N <- N + lambda (N_observed - E[N | attributes]), with lambda = 1 unless that makes a count negative or the
/// conditional likelihood fall. Without a penalty, what the counts sum to over the classes never changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tm {
    /// What happens to a structure in which TM would stop short of the optimum.
    pub imperfect: Imperfect,
    /// What is added to every count at the start; 0 is maximum likelihood, as published.
    pub alpha: f64,
    /// Ends when the conditional log-likelihood gains less.
    pub tolerance: f64,
    /// At most this many iterations.
    pub iterations: usize,
    /// How strongly the parameters are drawn towards their start. 0 is the published form.
    pub l2: f64,
}

/// What happens to a structure that is not perfect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imperfect {
    /// It is refused.
    Refuse,
    /// The missing arcs are added.
    Complete,
}

/// What TM is called and does.
pub const DESCRIPTION: Description = Description {
    name: "tm",
    help: "as cll by the TM algorithm, for structures whose parents are joined (l2=0: as published)",
    source: "Edwards and Lauritzen 2001; Santafe, Lozano and Larranaga 2005",
    settings: &[
        Setting {
            name: "imperfect",
            help: "what happens to a structure with parents that are not joined by an arc",
            range: Range::Choice(&["refuse", "complete"]),
        },
        Setting {
            name: "alpha",
            help: "what is added to every count at the start",
            range: Range::NotNegative { default: 1.0 },
        },
        Setting {
            name: "tolerance",
            help: "ends when the conditional log-likelihood gains less",
            range: Range::Positive { default: 1e-3 },
        },
        Setting {
            name: "iterations",
            help: "at most this many",
            range: Range::Whole { least: 0, most: 1_000_000, default: 1000 },
        },
        L2,
    ],
};

impl Tm {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> Tm {
        let imperfect = [Imperfect::Refuse, Imperfect::Complete][v[0] as usize];
        Tm { imperfect, alpha: v[1], tolerance: v[2], iterations: v[3] as usize, l2: v[4] }
    }

    /// The structure, completed if it must be and may be.
    fn structure(&self, dag: &Dag, schema: &Schema, run: &Run<'_>) -> Result<Dag> {
        if dag.parents(dag.nodes() - 1).next().is_some() {
            let problem = "the class has parents, and TM needs it to be a parent of all";
            return Err(Error::model("structure", problem, "use cll"));
        }
        let (whole, added) = perfect::completed(dag, dag.nodes() - 1)?;
        if added.is_empty() {
            return Ok(whole);
        }
        let name = |v: usize| schema.fields[v].name.as_str();
        let arcs: Vec<String> =
            added.iter().map(|&(p, c)| format!("{} -> {}", name(p), name(c))).collect();
        let arcs = arcs.join(", ");
        if self.imperfect == Imperfect::Refuse {
            let problem = format!("TM would stop short of the optimum without the arcs {arcs}");
            let fix = "say tm:complete to add them, or use cll";
            return Err(Error::model("structure", problem, fix));
        }
        run.note(&format!("arcs were added so that TM reaches the optimum: {arcs}"))?;
        Ok(whole)
    }
}

impl Parameters for Tm {
    fn form(&self) -> String {
        let imperfect = match self.imperfect {
            Imperfect::Refuse => "refuse",
            Imperfect::Complete => "complete",
        };
        let mut form = format!("{}:{imperfect}", DESCRIPTION.name);
        for (setting, value, usual) in [
            ("alpha", self.alpha, 1.0),
            ("tolerance", self.tolerance, 1e-3),
            ("iterations", self.iterations as f64, 1000.0),
        ] {
            if value != usual {
                form.push_str(&format!(",{setting}={value}"));
            }
        }
        // Always named: files written when the default was 0 do not name it.
        form + &format!(",l2={}", self.l2)
    }

    fn check(&self) -> Result<()> {
        let bad = |(_, value): &(&str, f64)| !(*value >= 0.0 && *value <= 1e100);
        match [("alpha", self.alpha), ("l2", self.l2)].into_iter().find(bad) {
            None => Ok(()),
            Some((setting, value)) => Err(Error::Setting {
                learner: DESCRIPTION.name.into(),
                setting: setting.into(),
                value: value.to_string(),
                expected: "a number of at least 0".into(),
            }),
        }
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let dag = self.structure(dag, data.schema(), run)?;
        let observed = count_dag(&dag, data, run)?;
        let mut counts = observed.clone();
        counts.iter_mut().for_each(|t| add_everywhere(t, self.alpha));
        run.tell(&Event::Phase { name: "iterations of TM", steps: None })?;
        let fit = Fitting { dag: &dag, data, run };
        let Climbed { counts, trace, passes, stop, .. } =
            self.climb(&fit, counts.clone(), &counts)?;
        let network = network_from_counts(Prior::None, &dag, data.schema(), &counts)?;
        let iterations = trace.len().saturating_sub(1);
        let reasons = arc_reasons(&dag, &observed);
        Ok((network, Outcome { stop, iterations, trace, passes, reasons, ..Outcome::exact() }))
    }
}

/// Where TM ended.
pub(crate) struct Climbed {
    pub counts: Vec<FamilyTable>,
    /// The conditional log-likelihood.
    pub likelihood: f64,
    /// The same less the penalty, at the start and after each iteration.
    trace: Vec<f64>,
    passes: usize,
    stop: Stop,
}

/// What counts are worth.
struct Place {
    counts: Vec<FamilyTable>,
    tables: LogTables,
    slopes: Slopes,
    /// The conditional log-likelihood less the penalty.
    value: f64,
}

impl Tm {
    /// From these counts on; the penalty draws towards the probabilities of `start`.
    pub(crate) fn climb(
        &self,
        fit: &Fitting<'_>,
        counts: Vec<FamilyTable>,
        start: &[FamilyTable],
    ) -> Result<Climbed> {
        let run = fit.run;
        let pull = Pull::new(self.l2, start);
        self.refuse_holes(fit)?;
        let tables = LogTables::new(&fit.network(&counts)?);
        let mut here = fit.place(counts, tables, &pull)?;
        let (mut trace, mut passes, mut stop) = (vec![here.value], 1, Stop::IterationLimit);
        for number in 1..=self.iterations {
            let mut lambda = pull.first_step(&here);
            let mut best: Option<Place> = None;
            // Halved until it leads up, then for as long as shorter is higher. The pass that judges a step also says where
            // to go from it, so that an iteration is one pass wherever the first step is good.
            for _ in 0..HALVINGS {
                let moved = pull.moved(&here, lambda);
                let tables = here.tables.renewed(&fit.network(&moved)?);
                let there = fit.place(moved, tables, &pull)?;
                passes += 1;
                if there.value > best.as_ref().map_or(here.value, |p| p.value) {
                    best = Some(there);
                    if lambda == 1.0 {
                        break;
                    }
                } else if best.is_some() {
                    break;
                }
                lambda /= 2.0;
            }
            let Some(next) = best else {
                stop = Stop::NoGain;
                break;
            };
            let gain = next.value - here.value;
            here = next;
            trace.push(here.value);
            run.tell(&Event::Step { steps: 1 })?;
            if run.should_stop(&Event::Iteration { number, objective: here.value }) {
                stop = Stop::Interrupted;
                break;
            }
            if gain < self.tolerance {
                stop = Stop::Converged;
                break;
            }
        }
        Ok(Climbed { counts: here.counts, likelihood: here.slopes.value, trace, passes, stop })
    }

    /// Counts of attributes that depend on each other are not to be had from rows with missing cells.
    fn refuse_holes(&self, fit: &Fitting<'_>) -> Result<()> {
        let class = fit.dag.nodes() - 1;
        let alone = (0..class).all(|v| fit.dag.parents(v).all(|p| p == class));
        if !has_holes(fit.data) || (alone && self.l2 > 0.0) {
            return Ok(());
        }
        if alone {
            // The counts of an attribute then no longer sum to those of the classes, as TM supposes.
            return fit
                .run
                .note("cells are missing: TM may end short of the optimum, which cll reaches");
        }
        let problem = "TM needs rows without missing cells where attributes depend on each other";
        Err(Error::data(fit.data.name(), problem, "use cll, or nb with tm"))
    }
}

/// How often a step is halved before there is none.
const HALVINGS: usize = 40;

/// A structure on rows.
pub(crate) struct Fitting<'a> {
    pub dag: &'a Dag,
    pub data: &'a Source<'a>,
    pub run: &'a Run<'a>,
}

impl Fitting<'_> {
    fn network(&self, counts: &[FamilyTable]) -> Result<Network> {
        network_from_counts(Prior::None, self.dag, self.data.schema(), counts)
    }

    fn place(&self, counts: Vec<FamilyTable>, tables: LogTables, pull: &Pull) -> Result<Place> {
        let pass =
            SlopesPass { tables: &tables, criterion: Criterion::Conditional, value_only: false };
        let slopes = run_pass(self.data, &pass, self.run)?;
        let value = slopes.value - pull.cost(&counts);
        Ok(Place { counts, tables, slopes, value })
    }
}

/// The step that changes counts, and the penalty's part in it.
struct Pull {
    l2: f64,
    /// The table rows that are drawn; none without a penalty.
    rows: Vec<Row>,
}

/// The cells of a table row that are above 0 at the start.
struct Row {
    table: usize,
    places: Vec<usize>,
    /// Their log-probabilities at the start.
    start: Vec<f64>,
    total: f64,
}

impl Row {
    fn gather(&self, tables: &[FamilyTable]) -> Vec<f64> {
        let values = tables[self.table].values();
        self.places.iter().map(|&i| values[i]).collect()
    }

    fn logs(&self, counts: &[FamilyTable]) -> Vec<f64> {
        self.gather(counts).iter().map(|n| (n / self.total).ln()).collect()
    }
}

impl Pull {
    fn new(l2: f64, start: &[FamilyTable]) -> Pull {
        let mut rows = Vec::new();
        for (table, counts) in start.iter().enumerate().filter(|_| l2 > 0.0) {
            for mut places in row_places(counts, table + 1 == start.len()) {
                places.retain(|&i| counts.values()[i] > 0.0);
                let total = places.iter().map(|&i| counts.values()[i]).sum();
                let mut row = Row { table, places, start: Vec::new(), total };
                row.start = row.logs(start);
                rows.push(row);
            }
        }
        Pull { l2, rows }
    }

    /// What all table rows cost.
    fn cost(&self, counts: &[FamilyTable]) -> f64 {
        let of_row = |row: &Row| cost(self.l2, &distances(&row.logs(counts), &row.start));
        self.rows.iter().map(of_row).sum()
    }

    /// The first step to try: 1, if it makes no count negative. A row that is drawn stays above 0.
    fn first_step(&self, here: &Place) -> f64 {
        if self.l2 > 0.0 {
            return 1.0;
        }
        let longest = longest_legal(&here.counts, &here.slopes.families);
        if longest > 1.0 { 1.0 } else { longest * 0.99 }
    }

    /// Counts after a step; a count of zero stays zero.
    fn moved(&self, here: &Place, lambda: f64) -> Vec<FamilyTable> {
        if self.l2 == 0.0 {
            return moved(&here.counts, &here.slopes.families, lambda);
        }
        let mut next = here.counts.clone();
        for row in &self.rows {
            let slopes = row.gather(&here.slopes.families);
            if slopes.iter().all(|u| *u == 0.0) {
                continue;
            }
            let shift = slopes.iter().sum::<f64>() / row.total;
            let counts = row.gather(&here.counts);
            let wanted = counts.iter().zip(&slopes).map(|(n, u)| n + lambda * (u - n * shift));
            let mut logs = row.logs(&here.counts);
            best_row(&wanted.collect::<Vec<f64>>(), lambda * self.l2, &row.start, &mut logs);
            for (&place, x) in row.places.iter().zip(&logs) {
                next[row.table].values_mut()[place] = row.total * x.exp();
            }
        }
        next
    }
}

/// Where the entries of each table row are. The class is the child of its own family, and its states are the classes.
fn row_places(counts: &FamilyTable, is_class: bool) -> Vec<Vec<usize>> {
    let classes = counts.classes();
    if is_class {
        return (0..counts.cells()).map(|j| (j * classes..(j + 1) * classes).collect()).collect();
    }
    let size = counts.states() * classes;
    let row = |i: usize| {
        let first = i / classes * size + i % classes;
        (first..).step_by(classes).take(counts.states()).collect()
    };
    (0..counts.configurations() * classes).map(row).collect()
}

/// The longest step that makes no count negative.
fn longest_legal(counts: &[FamilyTable], slopes: &[FamilyTable]) -> f64 {
    let mut longest = f64::INFINITY;
    for (counts, slopes) in counts.iter().zip(slopes) {
        for (n, u) in counts.values().iter().zip(slopes.values()) {
            if *u < 0.0 && *n > 0.0 {
                longest = longest.min(-n / u);
            }
        }
    }
    longest
}

/// Counts after a step without a penalty.
fn moved(counts: &[FamilyTable], slopes: &[FamilyTable], lambda: f64) -> Vec<FamilyTable> {
    let mut next = counts.to_vec();
    for (table, slopes) in next.iter_mut().zip(slopes) {
        for (n, u) in table.values_mut().iter_mut().zip(slopes.values()) {
            if *n > 0.0 {
                *n = (*n + lambda * u).max(0.0);
            }
        }
    }
    next
}

/// Adds a number to every cell but that of missing members.
pub(crate) fn add_everywhere(table: &mut FamilyTable, alpha: f64) {
    let seen = table.cells() * table.classes();
    table.values_mut()[..seen].iter_mut().for_each(|n| *n += alpha);
}
