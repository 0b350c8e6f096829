//! Figures 4.2 to 4.6: redundant evidence in naive Bayes.
//!
//! The true network is a class with five attributes, of which the first ones are copies of each other: every arc from an
//! attribute to the next makes one more copy, and is an arc that naive Bayes lacks. All scores are exact: expectations
//! under the true network, over its 64 cells.

use crate::data::Source;
use crate::draw::{LinePoint, Lines, Series};
use crate::error::Result;
use crate::evaluate::published::{Drawing, Experiment, Report};
use crate::evaluate::validate::Estimate;
use crate::graph::Dag;
use crate::network::{Network, Variable};
use crate::optimise::Method;
use crate::parameters::Parameters;
use crate::parameters::dirichlet::{FromCounts, Prior};
use crate::parameters::gradient::{Aim, Gradient};
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;

/// Figures 4.2 to 4.6: naive Bayes by counts and by conditional likelihood, the more arcs it lacks.
pub const FIGURES: Experiment = Experiment {
    name: "zhou-figures",
    help: "naive Bayes by counts and by conditional likelihood where attributes are copies of each other, four scores",
    source: "Zhou 2002, section 4.1.2, figures 4.2 to 4.6",
    data: "",
    run: figures,
};

const ATTRIBUTES: usize = 5;
const MOST_ARCS: usize = ATTRIBUTES - 1;
const ROWS: usize = 400;
/// p(class = yes), p(attribute = 1 | yes) and p(attribute = 1 | no).
const TRUTH: [f64; 3] = [0.9, 0.2, 0.8];

/// A score and its figure.
struct Score {
    name: &'static str,
    figure: &'static str,
    title: &'static str,
    /// Whether more is better.
    rises: bool,
    /// Whether the thesis finds counts better than conditional likelihood by it.
    counts_win: bool,
}

const SCORES: [Score; 4] = [
    Score {
        name: "LL",
        figure: "4.3",
        title: "Log-likelihood a row",
        rises: true,
        counts_win: true,
    },
    Score {
        name: "LCL",
        figure: "4.4",
        title: "Conditional log-likelihood a row",
        rises: true,
        counts_win: false,
    },
    Score {
        name: "CE",
        figure: "4.5",
        title: "Classification error",
        rises: false,
        counts_win: false,
    },
    Score {
        name: "MSE",
        figure: "4.6",
        title: "Mean squared error of the true class's probability",
        rises: false,
        counts_win: false,
    },
];

/// The scores of a network, in the order of [`SCORES`].
type Scores = [f64; SCORES.len()];

fn figures(_: &str, full: bool, run: &Run<'_>) -> Result<Report> {
    let repetitions = if full { 1000 } else { 50 };
    let points = (0..=MOST_ARCS).map(|arcs| Point::measured(arcs, repetitions, run));
    let points: Vec<Point> = points.collect::<Result<_>>()?;
    let mut report = Report::default();
    let header =
        ["score", "missing arcs", "counts", "cll", "cll - counts", "true network", "better"];
    report.header.extend(header.map(String::from));
    for (s, score) in SCORES.iter().enumerate() {
        report.rows.extend(points.iter().map(|p| p.row(s, score)));
        report.notes.push(finding(&points, s, score));
        report.drawings.push(drawing(&points, s, score, repetitions));
    }
    report.notes.extend(notes(repetitions));
    Ok(report)
}

/// What was found with so many arcs.
struct Point {
    arcs: usize,
    /// Of the true network itself.
    truth: Scores,
    /// Of naive Bayes by counts and by conditional likelihood, repetition by repetition.
    fits: Vec<[Scores; 2]>,
}

impl Point {
    fn measured(arcs: usize, repetitions: usize, run: &Run<'_>) -> Result<Point> {
        let truth = true_network(arcs)?;
        let one = |repetition: usize| -> Result<[Scores; 2]> {
            let stream = (repetition * (MOST_ARCS + 1) + arcs) as u64;
            let mut random = Random::new(run.seed, Purpose::Sample, stream);
            let rows = truth.sample("cases", ROWS, &mut random)?;
            let data = Source::Memory(rows.view());
            let graph = graph(0)?;
            let (counts, _) = FromCounts { prior: Prior::Laplace }.learn(&graph, &data, run)?;
            let (climbed, _) = climb().learn(&graph, &data, run)?;
            Ok([scores(&counts, &truth), scores(&climbed, &truth)])
        };
        let fits =
            run.install(|| (0..repetitions).into_par_iter().map(one).collect::<Result<_>>())?;
        Ok(Point { arcs, truth: scores(&truth, &truth), fits })
    }

    /// A score of counts (0) or of conditional likelihood (1).
    fn of(&self, score: usize, learner: usize) -> Estimate {
        Estimate::of(&self.fits.iter().map(|f| f[learner][score]).collect::<Vec<f64>>())
    }

    /// Conditional likelihood less counts, on the same rows.
    fn difference(&self, score: usize) -> Estimate {
        let difference = |f: &[Scores; 2]| f[1][score] - f[0][score];
        Estimate::of(&self.fits.iter().map(difference).collect::<Vec<f64>>())
    }

    /// Which is better by more than two standard errors of the difference.
    fn better(&self, number: usize, score: &Score) -> &'static str {
        let difference = self.difference(number);
        if difference.mean.abs() <= 2.0 * difference.error.unwrap_or(f64::INFINITY) {
            "alike"
        } else if (difference.mean > 0.0) == score.rises {
            "cll"
        } else {
            "counts"
        }
    }

    fn row(&self, number: usize, score: &Score) -> Vec<String> {
        let words = |e: Estimate| format!("{:.4} ± {:.4}", e.mean, e.error.unwrap_or(f64::NAN));
        let difference = self.difference(number);
        vec![
            score.name.into(),
            self.arcs.to_string(),
            words(self.of(number, 0)),
            words(self.of(number, 1)),
            format!("{:+.4} ± {:.4}", difference.mean, difference.error.unwrap_or(f64::NAN)),
            format!("{:.4}", self.truth[number]),
            self.better(number, score).into(),
        ]
    }
}

/// The class points to every attribute, and each of the first attributes to the next. The class is the last node.
fn graph(arcs: usize) -> Result<Dag> {
    let mut dag = Dag::new(ATTRIBUTES + 1);
    (0..ATTRIBUTES).try_for_each(|a| dag.add(ATTRIBUTES, a))?;
    (0..arcs).try_for_each(|a| dag.add(a, a + 1))?;
    Ok(dag)
}

/// The network rows are drawn from: an attribute with an attribute for a parent equals it.
fn true_network(arcs: usize) -> Result<Network> {
    let [yes, one_if_yes, one_if_no] = TRUTH;
    let variable = |name: String, levels: [&str; 2]| Variable {
        name,
        levels: levels.map(String::from).to_vec(),
    };
    let attribute = |a: usize| variable(format!("e{}", a + 1), ["0", "1"]);
    let variables = (0..ATTRIBUTES).map(attribute).chain([variable("class".into(), ["no", "yes"])]);
    let table = |a: usize| match a.checked_sub(1).is_some_and(|before| before < arcs) {
        // By the attribute before, then by the class.
        true => vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
        false => vec![1.0 - one_if_no, one_if_no, 1.0 - one_if_yes, one_if_yes],
    };
    let tables = (0..ATTRIBUTES).map(table).chain([vec![1.0 - yes, yes]]);
    Network::new(variables.collect(), graph(arcs)?, tables.collect())
}

/// Conditional likelihood by conjugate gradients from counts, as published, to the top.
fn climb() -> Gradient {
    Gradient {
        aim: Aim::ConditionalLikelihood,
        method: Method::ConjugateGradient,
        iterations: 500,
        tolerance: 1e-6,
        held_out: 0.0,
        l2: 0.0,
    }
}

/// The expected scores of a network on rows of the true one.
fn scores(network: &Network, truth: &Network) -> Scores {
    let mut scores = [0.0; SCORES.len()];
    for cell in 0..1 << ATTRIBUTES {
        let mut row: Vec<usize> = (0..=ATTRIBUTES).map(|a| cell >> a & 1).collect();
        let mut joint = |network: &Network| {
            [0, 1].map(|class| {
                row[ATTRIBUTES] = class;
                network.log_probability(&row)
            })
        };
        let (said, true_logs) = (joint(network), joint(truth));
        let both = said[0].exp() + said[1].exp();
        for (class, log) in true_logs.into_iter().enumerate() {
            let (p, posterior) = (log.exp(), said[class].exp() / both);
            if p > 0.0 {
                scores[0] += p * said[class];
                scores[1] += p * posterior.ln();
                // Equal probabilities would name the first class.
                scores[2] += p * f64::from(usize::from(said[1] > said[0]) != class);
                scores[3] += p * (1.0 - posterior).powi(2);
            }
        }
    }
    scores
}

/// Whether the thesis's words about a score hold here: who is better, and more so the more arcs are missing.
fn finding(points: &[Point], number: usize, score: &Score) -> String {
    let claimed = if score.counts_win { "counts" } else { "cll" };
    let as_claimed = |p: &&Point| p.better(number, score) == claimed;
    let wrong = points[1..].iter().filter(|p| !as_claimed(p)).map(|p| p.arcs.to_string());
    let wrong: Vec<String> = wrong.collect();
    let holds = match wrong.is_empty() {
        true => "so here wherever arcs are missing".to_string(),
        false => format!("not so here with {} missing arcs", wrong.join(", ")),
    };
    // How much better the one that is claimed to be is.
    let lead = |p: &Point| {
        let ahead = if score.counts_win == score.rises { -1.0 } else { 1.0 };
        ahead * p.difference(number).mean
    };
    let steps = points.windows(2).filter(|w| lead(&w[1]) <= lead(&w[0]));
    let steps: Vec<String> =
        steps.map(|w| format!("from {} to {}", w[0].arcs, w[1].arcs)).collect();
    let grows = match steps.is_empty() {
        true => "Its lead grows with every arc".to_string(),
        false => format!("Its lead grows with every arc but {}", steps.join(" and ")),
    };
    format!(
        "{} (figure {}): the thesis finds {claimed} better, the more so the more arcs are missing; {holds}, and with none missing {}. {grows}.",
        score.name,
        score.figure,
        match points[0].better(number, score) {
            "alike" => "they are alike".into(),
            better => format!("{better} is better"),
        }
    )
}

fn drawing(points: &[Point], number: usize, score: &Score, repetitions: usize) -> Drawing {
    let fitted = |learner: usize, p: &Point| {
        let e = p.of(number, learner);
        LinePoint { x: p.arcs as f64, y: e.mean, error: e.error }
    };
    let series = |name: &str, of: &dyn Fn(&Point) -> LinePoint| Series {
        name: name.into(),
        points: points.iter().map(of).collect(),
    };
    let exact = |p: &Point| LinePoint { x: p.arcs as f64, y: p.truth[number], error: None };
    let lines = Lines {
        title: score.title.into(),
        note: format!(
            "As figure {} of Zhou 2002: naive Bayes from {ROWS} rows; mean and standard error of {repetitions} samples",
            score.figure
        ),
        x_label: "arcs that naive Bayes lacks".into(),
        y_label: score.name.into(),
        series: vec![
            series("counts", &|p| fitted(0, p)),
            series("cll", &|p| fitted(1, p)),
            series("true network", &exact),
        ],
        ..Lines::default()
    };
    let name =
        format!("zhou-figure-{}-{}", score.figure.replace('.', "-"), score.name.to_lowercase());
    Drawing { name, svg: lines.svg() }
}

fn notes(repetitions: usize) -> [String; 4] {
    let [yes, one_if_yes, one_if_no] = TRUTH;
    [
        format!(
            "{ROWS} rows, as published, drawn {repetitions} times (published: once); +- is the standard error of the mean, \
             that of cll - counts over the same samples. Better: by more than two standard errors of the difference."
        ),
        "Counts: frequencies with one added (LM). cll: conjugate gradients from there (CLGD), to convergence. Scores are \
         exact expectations under the true network, a row each, logarithms natural; on which rows the published ones \
         were taken is not said."
            .into(),
        format!(
            "The probabilities are drawn in figure 4.2 of the thesis, and not in its text. Ours: p(yes) = {yes}, \
             p(e = 1 | yes) = {one_if_yes}, p(e = 1 | no) = {one_if_no}; with m missing arcs the first m + 1 of the five \
             attributes are copies. With classes of equal probability five copies would decide as one \
             does, and CE could not differ."
        ),
        "The published curves are figures without numbers: only what the text says of them can be compared.".into(),
    ]
}

#[cfg(test)]
mod tests;
