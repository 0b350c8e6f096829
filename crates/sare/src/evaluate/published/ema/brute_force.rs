//! Section IV, figures 3 and 4: EMA against the average over all structures one by one.

use super::contest::clusterer;
use crate::cluster::Marginals;
use crate::cluster::exhaustive::{Averaged, Exhaustive};
use crate::data::{Cells, Source, View};
use crate::draw::{LinePoint, Lines, Series};
use crate::error::Result;
use crate::evaluate::published::{Drawing, Experiment, Report};
use crate::network::random::{Form, RandomNetwork};
use crate::num::x_ln_x;
use crate::run::Run;
use crate::seed::{Purpose, Random};
use rayon::prelude::*;
use std::f64::consts::LN_2;

/// EMA against brute force.
pub const BRUTE_FORCE: Experiment = Experiment {
    name: "ema-brute-force",
    help: "how near EMA comes to the average over all 2^n structures, beside random models",
    source: "Santafe, Lozano and Larranaga 2006, section IV, figures 3 and 4; Santafe 2007, section 7.5.1",
    data: "",
    run: ema_brute_force,
};

const CLUSTERS: usize = 2;

/// How much is done.
pub(super) struct Size {
    /// Numbers of attributes, and how many data sets there are of each.
    pub tests: Vec<(usize, usize)>,
    pub rows: usize,
    /// Starts of EMA, and of EM for every structure.
    pub starts: usize,
    /// Random models.
    pub models: usize,
    pub exhaustive: Exhaustive,
}

fn ema_brute_force(_: &str, full: bool, run: &Run<'_>) -> Result<Report> {
    let tests = if full { vec![(10, 10), (12, 10)] } else { vec![(10, 3), (12, 1)] };
    let exhaustive = Exhaustive::default();
    report(&Size { tests, rows: 300, starts: 30, models: 10_000, exhaustive }, run)
}

/// What came of one data set; divergences of the average from models, in bits.
struct Test {
    ema: f64,
    /// Of the naive Bayes network that has the least.
    nearest: f64,
    /// Of naive Bayes by EM.
    em: f64,
    /// Of random models, in rising order: as drawn, and with their clusters named to be nearer.
    random: [Vec<f64>; 2],
    /// How much the weights of structures are spread: exp of their entropy.
    structures: f64,
    /// The mean standard error of the logarithm of a structure's evidence, each as probable as it is.
    error: f64,
}

impl Test {
    /// The divergence that one in a hundred random models is within.
    fn level(&self, named: usize) -> f64 {
        let all = &self.random[named];
        all[all.len().div_ceil(100).max(1) - 1]
    }

    /// The share of random models that are nearer than EMA, in percent.
    fn nearer(&self, named: usize) -> f64 {
        let all = &self.random[named];
        100.0 * all.partition_point(|d| *d < self.ema) as f64 / all.len() as f64
    }
}

const HEADER: [&str; 12] = [
    "attributes",
    "test",
    "EMA",
    "T99",
    "nearer %",
    "T99 named",
    "nearer % named",
    "least",
    "EM",
    "structures",
    "error",
    "EMA within T99",
];

/// The table of all tests.
pub(super) fn report(size: &Size, run: &Run<'_>) -> Result<Report> {
    let mut report = Report { header: HEADER.map(String::from).to_vec(), ..Report::default() };
    for &(attributes, count) in &size.tests {
        let tests: Vec<Test> =
            (0..count).map(|t| test(size, attributes, t, run)).collect::<Result<_>>()?;
        for (number, t) in tests.iter().enumerate() {
            let within = if t.ema < t.level(1) { "both" } else { "as drawn" };
            let within = if t.ema < t.level(0) { within } else { "no" };
            let mut row = vec![attributes.to_string(), (number + 1).to_string()];
            row.extend([t.ema, t.level(0)].map(|d| format!("{d:.4}")));
            row.push(format!("{:.2}", t.nearer(0)));
            row.push(format!("{:.4}", t.level(1)));
            row.push(format!("{:.2}", t.nearer(1)));
            row.extend([t.nearest, t.em].map(|d| format!("{d:.4}")));
            row.extend([format!("{:.1}", t.structures), format!("{:.2}", t.error), within.into()]);
            report.rows.push(row);
        }
        let within = |named: usize| tests.iter().filter(|t| t.ema < t.level(named)).count();
        report.notes.push(format!(
            "{attributes} attributes: EMA is nearer to the average than 99 % of the random models in {} of {} tests, and in {} \
             where each random model's clusters are named so that it is nearest. Published: 9 of 10.",
            within(0),
            count,
            within(1)
        ));
        report.drawings.push(chart(attributes, &tests));
    }
    report.notes.extend(notes(size));
    Ok(report)
}

fn test(size: &Size, attributes: usize, number: usize, run: &Run<'_>) -> Result<Test> {
    let mut run = run.clone();
    // Everything in a test is its own.
    run.seed = run.seed.wrapping_add((attributes * 1000 + number) as u64);
    let form = Form::SelectiveNaiveBayes(0.5);
    let shape = RandomNetwork { form, attributes, states: 2, classes: CLUSTERS, alpha: 1.0 };
    let truth = shape.draw(run.seed)?;
    let mut random = Random::new(run.seed, Purpose::Sample, 0);
    let mut table = truth.sample("sample", size.rows, &mut random)?;
    let seen = table.select(&(0..attributes).collect::<Vec<usize>>());
    let latent = Cells::from_codes(std::iter::repeat_n(None, size.rows), CLUSTERS);
    table.replace(attributes, table.field(attributes).clone(), latent);
    let average = size.exhaustive.average(&Source::Memory(table.view()), size.starts, &run)?;
    let learner = clusterer("ema weighted", CLUSTERS, size.starts)?;
    let ema = Marginals::of(&learner.fit(View::all(&seen), &run)?)?;
    let distance = run.install(|| Distance::new(&average));
    let whole = average.structures.iter().find(|s| s.attributes.len() == attributes);
    let em =
        whole.map(|s| Marginals { clusters: s.clusters.clone(), attributes: s.tables.clone() });
    let draw = |index: usize| {
        let mut random = Random::new(run.seed, Purpose::Model, 1 + index as u64);
        let mut even = || random.dirichlet(2, 1.0);
        let clusters = even();
        let attributes = (0..attributes).map(|_| [even(), even()].concat()).collect();
        let both = distance.both(&Marginals { clusters, attributes });
        (both[0], both[0].min(both[1]))
    };
    let drawn: Vec<(f64, f64)> =
        run.install(|| (0..size.models).into_par_iter().map(draw).collect());
    let (mut plain, mut named): (Vec<f64>, Vec<f64>) = drawn.into_iter().unzip();
    plain.sort_by(f64::total_cmp);
    named.sort_by(f64::total_cmp);
    let weights = || average.structures.iter().map(|s| s.weight);
    let errors = average.structures.iter().map(|s| s.weight * s.error);
    Ok(Test {
        ema: distance.named(&ema),
        nearest: distance.to(&distance.average),
        em: em.map_or(f64::NAN, |m| distance.named(&m)),
        random: [plain, named],
        structures: (-weights().map(x_ln_x).sum::<f64>()).exp(),
        error: errors.sum(),
    })
}

/// Divergences of naive Bayes models from the average, KL(average || model) in bits over all cells.
struct Distance {
    /// What the average says of the clusters and of each attribute in them: all of it that a naive Bayes model can match.
    average: Marginals,
    /// Minus the entropy of the average, in nats.
    certainty: f64,
}

impl Distance {
    fn new(average: &Averaged) -> Distance {
        let network = &average.network;
        let class = network.variables().len() - 1;
        let states: Vec<usize> = (0..class).map(|v| network.states(v)).collect();
        let cells: usize = states.iter().product();
        let of_cell = |mut cell: usize| -> f64 {
            let mut row = Vec::with_capacity(class);
            for s in &states {
                row.push(cell % s);
                cell /= s;
            }
            average.joint(&row).into_iter().map(x_ln_x).sum()
        };
        let terms: Vec<f64> = (0..cells).into_par_iter().map(of_cell).collect();
        let attributes = (0..class).map(|v| network.table(v).to_vec()).collect();
        let clusters = network.table(class).to_vec();
        Distance { average: Marginals { clusters, attributes }, certainty: terms.iter().sum() }
    }

    /// sum p ln p - sum p ln q: as ln q is a sum over clusters and attributes, what p says of each by itself is enough.
    fn to(&self, model: &Marginals) -> f64 {
        let p = &self.average;
        let mut matched = 0.0;
        for (c, size) in p.clusters.iter().enumerate() {
            let mut inside = model.clusters[c].ln();
            for v in 0..p.attributes.len() {
                let terms = p.given(v, c).iter().zip(model.given(v, c));
                inside += terms.map(|(p, q)| p * q.ln()).sum::<f64>();
            }
            matched += size * inside;
        }
        // Rounding must not make it less than nothing.
        ((self.certainty - matched) / LN_2).max(0.0)
    }

    /// With the clusters as they are, and exchanged.
    fn both(&self, model: &Marginals) -> [f64; 2] {
        let exchanged = |table: &Vec<f64>| -> Vec<f64> {
            let half = table.len() / CLUSTERS;
            table[half..].iter().chain(&table[..half]).copied().collect()
        };
        let other = Marginals {
            clusters: exchanged(&model.clusters),
            attributes: model.attributes.iter().map(exchanged).collect(),
        };
        [self.to(model), self.to(&other)]
    }

    /// With the clusters named so that it is least.
    fn named(&self, model: &Marginals) -> f64 {
        let [a, b] = self.both(model);
        a.min(b)
    }
}

fn chart(attributes: usize, tests: &[Test]) -> Drawing {
    let series = |name: &str, value: &dyn Fn(&Test) -> f64| {
        let point = |(i, t)| LinePoint { x: i as f64 + 1.0, y: value(t), error: None };
        Series { name: name.into(), points: tests.iter().enumerate().map(point).collect() }
    };
    let chart = Lines {
        title: format!("EMA against brute force, {attributes} attributes"),
        note: "T99: one in a hundred random models is nearer".into(),
        x_label: "test".into(),
        y_label: "divergence from the average over all structures in bits".into(),
        series: vec![
            series("EMA", &|t| t.ema),
            series("T99", &|t| t.level(0)),
            series("T99, clusters named", &|t| t.level(1)),
        ],
        ..Lines::default()
    };
    Drawing { name: format!("ema-brute-force-{attributes}"), svg: chart.svg() }
}

fn notes(size: &Size) -> Vec<String> {
    vec![
        format!(
            "Each test: {} rows of a random selective naive Bayes model (each attribute depends on the cluster with probability \
             1/2, every table uniform among all there are), two states and two clusters. The text does not say how the models \
             were drawn, nor whether the ten tests had different ones: here every test has its own. The published figures give \
             no numbers here.",
            size.rows
        ),
        format!(
            "The average: every structure by EM from {} starts, alpha 1, the greatest likelihood kept, weighted by its evidence, \
             by Gibbs sampling ({} cluster columns, more for structures that matter and are not known to 0.2). Published: the \
             Candidate method, which takes the formula at one t that we take at many. structures: how many it comes to, exp of \
             the entropy of their weights. error: the standard error of ln p(D | S), mean over structures as probable as they \
             are.",
            size.starts, size.exhaustive.samples
        ),
        format!(
            "EMA: the average of {} starts, each weighted by its likelihood, as published; here memberships are averaged, \
             clusters named as in the best start, and one step is made from the mean.",
            size.starts
        ),
        format!(
            "EMA, least, EM: D_KL(average || model) in bits, clusters named so that it is least; least: the naive Bayes network \
             nearest to the average; EM: naive Bayes with all attributes by EM. T99: one in a hundred of {} naive Bayes models \
             with uniform random tables is within it, their clusters named as drawn, which is how the text reads, or (named) so \
             that each is nearest. nearer %: the share of these models nearer than EMA.",
            size.models
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use crate::num::tolerance::close;

    fn small() -> Size {
        Size {
            tests: vec![(4, 2)],
            rows: 60,
            starts: 3,
            models: 200,
            exhaustive: Exhaustive { samples: 100, ..Exhaustive::default() },
        }
    }

    #[test]
    fn the_experiment_runs() {
        let on = |threads: usize| {
            let run = Run::with_seed(2).threads(threads).unwrap();
            report(&small(), &run).unwrap()
        };
        let found = on(1);
        assert_eq!(found.rows, on(2).rows);
        assert_eq!((found.rows.len(), found.drawings.len()), (2, 1));
        assert!(found.rows.iter().all(|r| r.len() == found.header.len()));
        for row in &found.rows {
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            let (ema, level, named, least) = (number(2), number(3), number(5), number(7));
            assert!(least <= ema && least >= 0.0 && named <= level, "{row:?}");
            assert_eq!(ema < level, row[11] != "no");
        }
    }

    /// The divergence by going through all cells.
    #[test]
    fn a_divergence_is_the_sum_over_all_cells() {
        let run = Run::with_seed(5);
        let form = Form::SelectiveNaiveBayes(1.0);
        let shape = RandomNetwork { form, attributes: 3, states: 2, classes: CLUSTERS, alpha: 1.0 };
        let draw = |seed: u64| shape.draw(seed).unwrap();
        let mut table = draw(1).sample("t", 50, &mut Random::new(1, Purpose::Sample, 0)).unwrap();
        let latent = Cells::from_codes(std::iter::repeat_n(None, 50), CLUSTERS);
        table.replace(3, table.field(3).clone(), latent);
        let settings = Exhaustive { samples: 100, ..Exhaustive::default() };
        let average = settings.average(&Source::Memory(table.view()), 2, &run).unwrap();
        let distance = Distance::new(&average);
        let direct = |model: &Network, exchanged: usize| -> f64 {
            let mut sum = 0.0;
            for cell in 0..8 {
                let x = [cell & 1, cell >> 1 & 1, cell >> 2];
                for (c, p) in average.joint(&x).into_iter().enumerate() {
                    let row = [x[0], x[1], x[2], c ^ exchanged];
                    sum += p * (p.log2() - model.log_probability(&row) / LN_2);
                }
            }
            sum
        };
        for seed in 2..6 {
            let model = draw(seed);
            let attributes = (0..3).map(|v| model.table(v).to_vec()).collect();
            let clusters = model.table(3).to_vec();
            let both = distance.both(&Marginals { clusters, attributes });
            assert!(close(both[0], direct(&model, 0), 1e-10));
            assert!(close(both[1], direct(&model, 1), 1e-10));
        }
    }
}
