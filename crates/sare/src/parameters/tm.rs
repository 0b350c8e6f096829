//! The TM algorithm: the greatest conditional likelihood by changing counts (ALGORITHMS 5).

use super::Parameters;
use super::dirichlet::{Prior, count_dag, network_from_counts};
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
/// conditional likelihood fall. What the counts sum to over the classes never changes.
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
    help: "the greatest conditional likelihood by the TM algorithm, for structures whose parents are joined",
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
    ],
};

impl Tm {
    /// From the values of the settings.
    pub fn new(v: &[f64]) -> Tm {
        let imperfect = [Imperfect::Refuse, Imperfect::Complete][v[0] as usize];
        Tm { imperfect, alpha: v[1], tolerance: v[2], iterations: v[3] as usize }
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
        form
    }

    fn check(&self) -> Result<()> {
        if self.alpha >= 0.0 && self.alpha <= 1e100 {
            return Ok(());
        }
        Err(Error::Setting {
            learner: DESCRIPTION.name.into(),
            setting: "alpha".into(),
            value: self.alpha.to_string(),
            expected: "a number of at least 0".into(),
        })
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let dag = self.structure(dag, data.schema(), run)?;
        let observed = count_dag(&dag, data, run)?;
        let mut counts = observed.clone();
        counts.iter_mut().for_each(|t| add_everywhere(t, self.alpha));
        run.tell(&Event::Phase { name: "iterations of TM", steps: None })?;
        let fit = Fitting { dag: &dag, data, run };
        let Climbed { counts, trace, passes, stop } = self.climb(&fit, counts)?;
        let network = network_from_counts(Prior::None, &dag, data.schema(), &counts)?;
        let iterations = trace.len().saturating_sub(1);
        let reasons = arc_reasons(&dag, &observed);
        Ok((network, Outcome { stop, iterations, trace, passes, reasons, ..Outcome::exact() }))
    }
}

/// Where TM ended.
pub(crate) struct Climbed {
    pub counts: Vec<FamilyTable>,
    /// The conditional log-likelihood at the start and after each iteration.
    pub trace: Vec<f64>,
    passes: usize,
    stop: Stop,
}

impl Tm {
    /// From these counts on.
    pub(crate) fn climb(&self, fit: &Fitting<'_>, counts: Vec<FamilyTable>) -> Result<Climbed> {
        let run = fit.run;
        let mut tables = LogTables::new(&fit.network(&counts)?);
        fit.refuse_holes()?;
        let mut slopes = fit.slopes(&tables)?;
        let mut all =
            Climbed { counts, trace: vec![slopes.value], passes: 1, stop: Stop::IterationLimit };
        for number in 1..=self.iterations {
            let longest = longest_legal(&all.counts, &slopes.families);
            let mut lambda = if longest > 1.0 { 1.0 } else { longest * 0.99 };
            let mut best: Option<(Vec<FamilyTable>, LogTables, Slopes)> = None;
            // Halved until it leads up, then for as long as shorter is higher. The pass that judges a step also says where
            // to go from it, so that an iteration is one pass wherever the first step is good.
            for _ in 0..HALVINGS {
                let moved = moved(&all.counts, &slopes.families, lambda);
                let moved_tables = tables.renewed(&fit.network(&moved)?);
                let there = fit.slopes(&moved_tables)?;
                all.passes += 1;
                let rises = there.value > best.as_ref().map_or(slopes.value, |(_, _, s)| s.value);
                if rises {
                    best = Some((moved, moved_tables, there));
                    if lambda == 1.0 {
                        break;
                    }
                } else if best.is_some() {
                    break;
                }
                lambda /= 2.0;
            }
            let Some((next, next_tables, there)) = best else {
                all.stop = Stop::NoGain;
                return Ok(all);
            };
            let gain = there.value - slopes.value;
            (all.counts, tables, slopes) = (next, next_tables, there);
            all.trace.push(slopes.value);
            run.tell(&Event::Step { steps: 1 })?;
            if run.should_stop(&Event::Iteration { number, objective: slopes.value }) {
                all.stop = Stop::Interrupted;
                return Ok(all);
            }
            if gain < self.tolerance {
                all.stop = Stop::Converged;
                return Ok(all);
            }
        }
        Ok(all)
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

    fn slopes(&self, tables: &LogTables) -> Result<Slopes> {
        let pass = SlopesPass { tables, criterion: Criterion::Conditional, value_only: false };
        run_pass(self.data, &pass, self.run)
    }

    /// Counts of attributes that depend on each other are not to be had from rows with missing cells.
    fn refuse_holes(&self) -> Result<()> {
        let class = self.dag.nodes() - 1;
        let alone = (0..class).all(|v| self.dag.parents(v).all(|p| p == class));
        if !has_holes(self.data) {
            return Ok(());
        }
        if alone {
            // The counts of an attribute then no longer sum to those of the classes, as TM supposes.
            return self
                .run
                .note("cells are missing: TM may end short of the optimum, which cll reaches");
        }
        let problem = "TM needs rows without missing cells where attributes depend on each other";
        Err(Error::data(self.data.name(), problem, "use cll, or nb with tm"))
    }
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

/// Counts after a step; a count of zero stays zero.
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
