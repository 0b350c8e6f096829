//! Parameters by climbing a criterion of how well classes are told apart (ALGORITHMS 5).

use super::Parameters;
use super::dirichlet::{FromCounts, Prior, count_dag};
use super::inner::InnerSplit;
use super::layout::Layout;
use super::penalty::{L2, cost, distances};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::density::LogTables;
use crate::infer::slopes::{Criterion, Slopes, SlopesPass};
use crate::network::Network;
use crate::observe::Event;
use crate::optimise::{Method, Objective, Settings, maximise};
use crate::run::{Outcome, Run, Stop};
use crate::stats::run_pass;
use std::ops::ControlFlow;

/// What is raised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// The conditional log-likelihood of the classes.
    ConditionalLikelihood,
    /// The log-likelihood of rows and classes.
    Likelihood,
    /// The expected share predicted right: less the expected error.
    ExpectedError,
    /// Less the squared error.
    SquaredError,
    /// The conditional log-likelihood and m times the log-likelihood of the attributes.
    Mixed(
        /// m, from 0 to 1.
        f64,
    ),
}

/// Climbs from Laplace's parameters. Each table row is softmax(beta), and beta is what is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// What is raised.
    pub aim: Aim,
    /// How.
    pub method: Method,
    /// At most this many iterations.
    pub iterations: usize,
    /// When it is good enough: the relative gain, or the gradient a row, below which it ends.
    pub tolerance: f64,
    /// The share of rows held out to stop on: the parameters best on them are kept. 0 holds out none.
    pub held_out: f64,
    /// How strongly the parameters are drawn towards their start: this times half the squared distance of the
    /// log-parameters, each table row's mean difference taken off, is subtracted. 0 is the published form.
    pub l2: f64,
}

const METHOD: Setting = Setting {
    name: "method",
    help: "L-BFGS, or conjugate gradients with Brent's line search as published",
    range: Range::Choice(&["lbfgs", "cg"]),
};
const ITERATIONS: Setting = Setting {
    name: "iterations",
    help: "at most this many",
    range: Range::Whole { least: 0, most: 1_000_000, default: 500 },
};
const TOLERANCE: Setting = Setting {
    name: "tolerance",
    help: "ends when the relative gain, or the gradient a row, falls below",
    range: Range::Positive { default: 1e-6 },
};
const HELD_OUT: Setting = Setting {
    name: "held-out",
    help: "the share of rows to stop on, those parameters best on them are kept",
    range: Range::Share { default: 0.0 },
};
/// A likelihood needs no penalty to be what it says.
const FREE: Setting = Setting { range: Range::NotNegative { default: 0.0 }, ..L2 };

/// The conditional log-likelihood.
pub const CLL: Description = Description {
    name: "cll",
    help: "the greatest conditional log-likelihood of the classes, penalised (l2=0: as published)",
    source: "Greiner and Zhou 2002; Zhou 2005",
    settings: &[METHOD, ITERATIONS, TOLERANCE, HELD_OUT, L2],
};
/// The log-likelihood.
pub const LL: Description = Description {
    name: "ll",
    help: "the greatest log-likelihood by its gradient, missing cells summed out",
    source: "Binder, Koller, Russell and Kanazawa 1997",
    settings: &[METHOD, ITERATIONS, TOLERANCE, HELD_OUT, FREE],
};
/// The expected error.
pub const AE: Description = Description {
    name: "ae",
    help: "the least expected error on the training rows, penalised (l2=0: as published)",
    source: "Zhou 2005",
    settings: &[METHOD, ITERATIONS, TOLERANCE, HELD_OUT, L2],
};
/// The squared error.
pub const SE: Description = Description {
    name: "se",
    help: "the least squared error of the true class's probability, penalised (l2=0: as published)",
    source: "Zhou 2005",
    settings: &[METHOD, ITERATIONS, TOLERANCE, HELD_OUT, L2],
};
/// The mix.
pub const MIXED: Description = Description {
    name: "mixed",
    help: "conditional and m times the attributes' log-likelihood, penalised (l2=0: as published)",
    source: "Zhou 2005",
    settings: &[
        Setting {
            name: "m",
            help: "how much the attributes' own likelihood counts",
            range: Range::Share { default: 0.5 },
        },
        METHOD,
        ITERATIONS,
        TOLERANCE,
        HELD_OUT,
        L2,
    ],
};

impl Gradient {
    /// From the values of the settings, without that of `mixed`.
    pub fn new(aim: Aim, v: &[f64]) -> Gradient {
        let method = [Method::LimitedMemory, Method::ConjugateGradient][v[0] as usize];
        Gradient {
            aim,
            method,
            iterations: v[1] as usize,
            tolerance: v[2],
            held_out: v[3],
            l2: v[4],
        }
    }

    fn criterion(&self) -> Criterion {
        match self.aim {
            Aim::ConditionalLikelihood => Criterion::Conditional,
            Aim::Likelihood => Criterion::Joint,
            Aim::ExpectedError => Criterion::Error,
            Aim::SquaredError => Criterion::Squared,
            Aim::Mixed(m) => Criterion::Mixed(m),
        }
    }
}

impl Parameters for Gradient {
    fn form(&self) -> String {
        let name = match self.aim {
            Aim::ConditionalLikelihood => CLL.name.into(),
            Aim::Likelihood => LL.name.into(),
            Aim::ExpectedError => AE.name.into(),
            Aim::SquaredError => SE.name.into(),
            Aim::Mixed(m) => format!("{}:m={m},", MIXED.name),
        };
        let between = if matches!(self.aim, Aim::Mixed(_)) { "" } else { ":" };
        let method = match self.method {
            Method::ConjugateGradient => "cg",
            _ => "lbfgs",
        };
        let mut form = format!("{name}{between}method={method}");
        for (setting, value, usual) in [
            ("iterations", self.iterations as f64, ITERATIONS.range.default()),
            ("tolerance", self.tolerance, TOLERANCE.range.default()),
            ("held-out", self.held_out, HELD_OUT.range.default()),
        ] {
            if value != usual {
                form.push_str(&format!(",{setting}={value}"));
            }
        }
        // Always named: files written when the default was 0 do not name it.
        form + &format!(",l2={}", self.l2)
    }

    fn check(&self) -> Result<()> {
        let bad = |setting: &str, value: f64, expected: &str| {
            Err(Error::Setting {
                learner: self.form(),
                setting: setting.into(),
                value: value.to_string(),
                expected: expected.into(),
            })
        };
        if !(0.0..1.0).contains(&self.held_out) {
            return bad("held-out", self.held_out, "a share from 0 to below 1");
        }
        if !(self.l2 >= 0.0 && self.l2.is_finite()) {
            return bad("l2", self.l2, "a number of at least 0");
        }
        match self.aim {
            Aim::Mixed(m) if !(0.0..=1.0).contains(&m) => bad("m", m, "a number from 0 to 1"),
            _ => Ok(()),
        }
    }

    fn learn(&self, dag: &Dag, data: &Source<'_>, run: &Run<'_>) -> Result<(Network, Outcome)> {
        let split = InnerSplit::new(data, self.held_out, run)?;
        let (training, held_out) = (split.training(data), split.held_out());
        let (start, generative) =
            FromCounts { prior: Prior::Laplace }.learn(dag, &training, run)?;
        let problem = Problem::new(start, self.criterion(), self.l2);
        problem.tables.check_source(data)?;
        let counts = count_dag(dag, &training, run)?;
        let scale = problem.layout.gather(&counts, |n| 1.0 / (n + 1.0 + self.l2));
        let settings = Settings {
            method: self.method,
            memory: 20,
            max_iterations: self.iterations,
            tolerance: self.tolerance,
            rows: counts[dag.nodes() - 1].total().max(1.0),
            scale: Some(&scale),
        };
        run.tell(&Event::Phase { name: "steps up the gradient", steps: None })?;
        let held = |x: &[f64]| match &held_out {
            Some(rows) => problem.slopes(x, rows, true, run).map(|s| Some(s.value)),
            None => Ok(None),
        };
        let mut best = held(&problem.anchor)?.map(|value| (problem.anchor.clone(), value));
        let mut since_best = 0;
        let mut watch = |x: &[f64], value: f64, number: usize| {
            run.tell(&Event::Step { steps: 1 })?;
            if run.should_stop(&Event::Iteration { number, objective: value }) {
                return Ok(ControlFlow::Break(()));
            }
            let Some(value) = held(x)? else { return Ok(ControlFlow::Continue(())) };
            since_best += 1;
            if best.as_ref().is_none_or(|(_, most)| value > *most) {
                best = Some((x.to_vec(), value));
                since_best = 0;
            }
            let done = since_best >= PATIENCE;
            Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let mut climb = Climb { problem: &problem, data: &training, run };
        let optimum = maximise(&mut climb, &problem.anchor, &settings, &mut watch)?;
        let x = best.map_or_else(|| optimum.x.clone(), |(x, _)| x);
        let network = problem.layout.network(&problem.start, &x)?;
        // The held-out rows ended the climb, not the observer.
        let stop = if since_best >= PATIENCE { Stop::NoGain } else { optimum.stop };
        Ok((network, Outcome { reasons: generative.reasons, stop, ..optimum.outcome() }))
    }
}

/// Iterations without a new best on the held-out rows after which climbing ends.
const PATIENCE: usize = 10;

/// What is raised, as a function of the log-parameters.
struct Problem {
    start: Network,
    tables: LogTables,
    layout: Layout,
    criterion: Criterion,
    l2: f64,
    /// The log-parameters of the start, which L2 draws towards.
    anchor: Vec<f64>,
}

impl Problem {
    fn new(start: Network, criterion: Criterion, l2: f64) -> Problem {
        let layout = Layout::new(&start, criterion.purpose());
        let anchor = layout.log_parameters(&start);
        Problem { tables: LogTables::new(&start), layout, criterion, l2, anchor, start }
    }

    fn slopes(
        &self,
        x: &[f64],
        data: &Source<'_>,
        value_only: bool,
        run: &Run<'_>,
    ) -> Result<Slopes> {
        let tables = self.tables.renewed(&self.layout.network(&self.start, x)?);
        run_pass(data, &SlopesPass { tables: &tables, criterion: self.criterion, value_only }, run)
    }
}

struct Climb<'a> {
    problem: &'a Problem,
    data: &'a Source<'a>,
    run: &'a Run<'a>,
}

impl Objective for Climb<'_> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let Problem { layout, l2, anchor, .. } = self.problem;
        let slopes = self.problem.slopes(x, self.data, false, self.run)?;
        layout.project(x, &slopes.families, gradient);
        let mut value = slopes.value;
        for row in layout.rows() {
            let d = distances(&x[row.clone()], &anchor[row.clone()]);
            value -= cost(*l2, &d);
            gradient[row].iter_mut().zip(&d).for_each(|(g, d)| *g -= l2 * d);
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cells, Field, Table};
    use crate::seed::{Purpose, Random};

    /// 60 rows of four attributes and a class of three, cells missing here and there.
    fn table(holes: bool) -> Table {
        let mut random = Random::new(5, Purpose::Sample, 1);
        let states = [2, 3, 2, 3, 3];
        let columns = states.iter().enumerate().map(|(i, &s)| {
            let codes = (0..60).map(|_| {
                let code = random.below(s);
                (i == 4 || !holes || random.below(4) > 0).then_some(code)
            });
            let codes: Vec<Option<usize>> = codes.collect();
            let levels: Vec<String> = (0..s).map(|l| l.to_string()).collect();
            (Field::discrete(format!("c{i}"), levels), Cells::from_codes(codes, s))
        });
        let columns = columns.collect();
        let weights = (0..60).map(|r| 0.5 + (r % 3) as f64).collect();
        Table::new("t", columns).unwrap().with_weights(weights).unwrap()
    }

    fn graph(arcs: &[(usize, usize)]) -> Dag {
        let mut dag = Dag::new(5);
        arcs.iter().for_each(|&(p, c)| dag.add(p, c).unwrap());
        dag
    }

    /// Naive, a tree, a collider, a class with parents and an attribute apart from it.
    fn graphs() -> [Dag; 4] {
        [
            graph(&[(4, 0), (4, 1), (4, 2), (4, 3)]),
            graph(&[(4, 0), (4, 1), (4, 2), (4, 3), (0, 1), (1, 2), (1, 3)]),
            graph(&[(4, 0), (4, 1), (4, 2), (4, 3), (0, 2), (1, 2), (2, 3)]),
            graph(&[(0, 4), (1, 4), (4, 2), (0, 2), (1, 3)]),
        ]
    }

    #[test]
    fn gradients_are_finite_differences() {
        let run = Run::default();
        for holes in [false, true] {
            let table = table(holes);
            let data = Source::Memory(table.view());
            for dag in graphs() {
                let laplace = FromCounts { prior: Prior::Laplace };
                let (start, _) = laplace.learn(&dag, &data, &run).unwrap();
                for criterion in [
                    Criterion::Joint,
                    Criterion::Conditional,
                    Criterion::Error,
                    Criterion::Squared,
                    Criterion::Mixed(0.3),
                ] {
                    let problem = Problem::new(start.clone(), criterion, 0.2);
                    // Away from the start, where L2 pulls.
                    let mut random = Random::new(7, Purpose::Sample, 2);
                    let x: Vec<f64> =
                        problem.anchor.iter().map(|a| a + 0.5 * random.normal()).collect();
                    let mut climb = Climb { problem: &problem, data: &data, run: &run };
                    let mut gradient = vec![0.0; x.len()];
                    climb.evaluate(&x, &mut gradient).unwrap();
                    let mut unused = vec![0.0; x.len()];
                    for i in 0..x.len() {
                        let mut at = |step: f64| {
                            let mut moved = x.clone();
                            moved[i] += step;
                            climb.evaluate(&moved, &mut unused).unwrap()
                        };
                        let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                        let off = (slope - gradient[i]).abs();
                        assert!(off < 1e-6 * (1.0 + slope.abs()), "{criterion:?} {i}: {off}");
                    }
                }
            }
        }
    }
}
