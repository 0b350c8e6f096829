//! From a clustering on: a cluster split in two, or two made one, as long as that is better (ALGORITHMS 8).

use super::choose::Candidate;
use super::clusterer::{Clusterer, Clustering, MOST_CLUSTERS};
use crate::data::View;
use crate::error::{Error, Result};
use crate::network::{Network, Variable};
use crate::observe::Event;
use crate::run::{Figures, NumbersTried, Rule, Run};
use crate::seed::{Purpose, Random};

/// The halves of a split cluster are its distribution mixed with a random one, this much of it.
const SHAKEN: f64 = 0.5;

/// Each cluster is split at random so many times.
const SPLITS: usize = 3;

/// At most so many pairs of clusters are tried as one: the most alike.
const MOST_PAIRS: usize = 12;

/// A step must gain more than this part of the figure.
const LEAST_GAIN: f64 = 1e-9;

impl Clusterer {
    /// Refuses a rule that cannot judge clusters by one look at them.
    pub fn check_split_and_merge(rule: Rule) -> Result<()> {
        if rule != Rule::CrossValidated {
            return Ok(());
        }
        Err(Error::Setting {
            learner: "split and merge".into(),
            setting: "rule".into(),
            value: rule.name().into(),
            expected: "any rule but cv".into(),
        })
    }

    /// Goes on from a clustering by the best split or merger of clusters, each followed by the method's own loop, as long as
    /// the rule's criterion falls; returns where that ends. What has not converged is not gone to from what has. The model
    /// remembers the best figures of every number that was tried on the way, beside those that were known before. For methods
    /// that can go on from a network: em and ema.
    pub fn split_and_merge(
        &self,
        view: View<'_>,
        from: Clustering,
        rule: Rule,
        run: &Run<'_>,
    ) -> Result<Candidate> {
        Clusterer::check_split_and_merge(rule)?;
        if naive(&from).is_none() {
            let problem = format!("'{}' makes no naive Bayes to go on from", self.method.form());
            return Err(Error::model("split and merge", problem, "use em or ema"));
        }
        run.tell(&Event::Phase { name: "splitting and merging", steps: None })?;
        let judged = |clustering: Clustering| -> Result<Candidate> {
            let figures = Figures::of(&clustering.model).ok_or_else(|| {
                Error::model("clusters", "nothing was learnt", "learn them again")
            })?;
            Ok(Candidate { clustering, figures })
        };
        let known = from.model.outcome().clusters.as_ref().and_then(|c| c.numbers.clone());
        let figures = known.map_or_else(Vec::new, |known| known.figures);
        let mut numbers = NumbersTried { rule, figures };
        let mut best = judged(from)?;
        numbers.add(best.figures.clone());
        'steps: for step in 0.. {
            let starts = neighbours(&best.clustering, view, run.seed, step);
            let mut next: Option<Candidate> = None;
            for start in starts {
                let clusters = start.states(start.variables().len() - 1);
                let clusterer = Clusterer { clusters, starts: 1, ..self.clone() };
                let found = clusterer.find_from(view, &start, run);
                // Asked afterwards: what was stopped underway has no figures.
                let stopped = run.should_stop(&Event::Step { steps: 1 });
                let found = match found {
                    Ok(found) if !stopped => judged(found)?,
                    Ok(_) | Err(Error::Interrupted) => {
                        // After a stop the best so far is what there is.
                        let text = "stopped: splitting and merging had not come to an end";
                        run.should_stop(&Event::Note { text });
                        break 'steps;
                    }
                    Err(e) => return Err(e),
                };
                numbers.add(found.figures.clone());
                let better = |n: &Candidate| found.figures.is_better(&n.figures, rule);
                if next.as_ref().is_none_or(better) {
                    next = Some(found);
                }
            }
            let most = best.figures.by(rule) - best.figures.by(rule).abs().max(1.0) * LEAST_GAIN;
            // What has not converged replaces nothing that has, and is replaced by nothing that is worse.
            match next {
                Some(next)
                    if next.figures.by(rule) < most
                        && (next.figures.converged || !best.figures.converged) =>
                {
                    best = next;
                }
                _ => break,
            }
        }
        numbers.choose(&best.figures);
        best.clustering.model.keep_numbers(numbers);
        Ok(best)
    }
}

/// The network of a clustering, if it is naive Bayes.
fn naive(clustering: &Clustering) -> Option<&Network> {
    let network = clustering.model.network()?;
    let class = network.variables().len() - 1;
    (0..class).all(|v| network.dag().parents(v).eq([class])).then_some(network)
}

/// Every cluster split, and the pairs most alike made one. Nothing for a model that is no naive Bayes network.
fn neighbours(clustering: &Clustering, view: View<'_>, seed: u64, step: u64) -> Vec<Network> {
    let Some(network) = naive(clustering) else { return Vec::new() };
    let k = network.states(network.variables().len() - 1);
    let mut random = Random::new(seed, Purpose::Start, 1 << 32 | step);
    let mut all = Vec::new();
    if k < MOST_CLUSTERS {
        for c in (0..k).flat_map(|c| std::iter::repeat_n(c, SPLITS)) {
            all.extend(split(network, c, &mut random));
        }
    }
    // How much rows are of both clusters of a pair, row by row: the lower triangle.
    let mut shared = vec![0.0; k * k];
    let weights = view.table().weights();
    for (row, r) in clustering.memberships.chunks_exact(k).zip(view.row_numbers()) {
        let weight = weights.map_or(1.0, |w| w[r]);
        for b in (0..k).filter(|&b| row[b] > 0.0) {
            let of_row = shared[b * k..][..b].iter_mut().zip(row);
            of_row.for_each(|(sum, p)| *sum += weight * row[b] * p);
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..k).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let alike = |&(a, b): &(usize, usize)| shared[b * k + a];
    pairs.sort_by(|x, y| alike(y).total_cmp(&alike(x)));
    all.extend(pairs.iter().take(MOST_PAIRS).filter_map(|&(a, b)| merge(network, a, b)));
    all
}

/// The network with one cluster in two halves, the second of them last.
fn split(network: &Network, cluster: usize, random: &mut Random) -> Option<Network> {
    let class = network.variables().len() - 1;
    let k = network.states(class);
    let mut tables: Vec<Vec<f64>> = Vec::with_capacity(class + 1);
    for v in 0..class {
        let states = network.states(v);
        let mut shaken = || -> Vec<f64> {
            let own = &network.table(v)[cluster * states..][..states];
            let drawn = random.dirichlet(states, 1.0);
            own.iter().zip(drawn).map(|(p, d)| (1.0 - SHAKEN) * p + SHAKEN * d).collect()
        };
        let mut table = network.table(v).to_vec();
        table[cluster * states..][..states].copy_from_slice(&shaken());
        table.extend(shaken());
        tables.push(table);
    }
    let mut weights = network.table(class).to_vec();
    weights[cluster] /= 2.0;
    weights.push(weights[cluster]);
    tables.push(weights);
    renamed(network, k + 1, tables)
}

/// The network with two clusters as one.
fn merge(network: &Network, a: usize, b: usize) -> Option<Network> {
    let class = network.variables().len() - 1;
    let (k, weights) = (network.states(class), network.table(class));
    let total = weights[a] + weights[b];
    let share = if total > 0.0 { weights[a] / total } else { 0.5 };
    let mut tables: Vec<Vec<f64>> = Vec::with_capacity(class + 1);
    for v in 0..class {
        let row = |c: usize| network.table(v)[c * network.states(v)..][..network.states(v)].iter();
        let mean = row(a).zip(row(b)).map(|(p, q)| share * p + (1.0 - share) * q);
        let mean: Vec<f64> = mean.collect();
        let of = |c: usize| if c == a { mean.clone() } else { row(c).copied().collect() };
        tables.push((0..k).filter(|&c| c != b).flat_map(of).collect());
    }
    let weight = |c: usize| if c == a { total } else { weights[c] };
    tables.push((0..k).filter(|&c| c != b).map(weight).collect());
    renamed(network, k - 1, tables)
}

/// A network of the same graph with so many clusters; none if there are none, or what comes of it is no network.
fn renamed(network: &Network, clusters: usize, tables: Vec<Vec<f64>>) -> Option<Network> {
    let mut variables: Vec<Variable> = network.variables().to_vec();
    variables.last_mut()?.levels = (1..=clusters).map(|c| c.to_string()).collect();
    Network::new(variables, network.dag().clone(), tables).ok()
}
