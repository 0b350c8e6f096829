//! Hill climbing over graphs: arcs are added, taken away and turned round, with a tabu list and restarts.

use super::scores::{FamilyScores, Wanted};
use crate::error::Result;
use crate::graph::{ArcRules, Dag};
use crate::observe::Event;
use crate::run::Run;
use crate::seed::{Purpose, Random};

/// How a climb goes on where no step leads up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How many steps it may go without a new best, and for how many steps a pair of nodes that was changed is left
    /// alone; 0 stops at the first hill top.
    pub tabu: usize,
    /// How many times the best graph is shaken and climbed from again.
    pub restarts: usize,
}

/// A change of one arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Add(usize, usize),
    Remove(usize, usize),
    Reverse(usize, usize),
}

/// A graph on its way up.
struct Climber<'s, 'a> {
    scores: &'s mut FamilyScores<'a>,
    rules: &'s ArcRules,
    dag: Dag,
    /// The score of each node's family.
    own: Vec<f64>,
    /// `gains[child][other]`: what the child's family gains if `other` becomes, or ceases to be, its parent.
    gains: Vec<Vec<f64>>,
    /// How many moves have been made.
    steps: u64,
}

/// The smallest gain that is one, as a share of the whole score: below it, two sums differ by rounding.
const SMALLEST_GAIN: f64 = 1e-9;

/// The share of the arcs that a restart removes or reverses.
const SHAKEN: f64 = 1.0 / 3.0;

/// How many arcs a restart adds at random. Parents that only matter together are found no other way.
const ADDED: usize = 2;

/// More steps than this beside one for every two nodes are a circle.
const STEPS: usize = 1000;

/// The best graph found from `start` over the nodes of `scores`, and how many steps it took.
pub(super) fn climb(
    scores: &mut FamilyScores<'_>,
    rules: &ArcRules,
    start: Dag,
    patience: Patience,
    run: &Run<'_>,
) -> Result<(Dag, u64)> {
    run.tell(&Event::Phase { name: "steps over graphs", steps: None })?;
    let mut climber = Climber::new(scores, rules, start)?;
    climber.ascend(patience.tabu, run)?;
    let mut best = climber.place();
    for restart in 0..patience.restarts {
        let mut random = Random::new(run.seed, Purpose::Search, restart as u64);
        climber.go_to(&best)?;
        climber.shake(&mut random)?;
        climber.ascend(patience.tabu, run)?;
        // An equivalent graph is a new place to leave from.
        if climber.total() > best.total() - climber.smallest_gain() {
            best = climber.place();
        }
    }
    Ok((best.dag, climber.steps))
}

/// A graph and the scores of its families.
#[derive(Clone)]
struct Place {
    dag: Dag,
    own: Vec<f64>,
}

impl Place {
    fn total(&self) -> f64 {
        self.own.iter().sum()
    }
}

impl<'s, 'a> Climber<'s, 'a> {
    fn new(
        scores: &'s mut FamilyScores<'a>,
        rules: &'s ArcRules,
        dag: Dag,
    ) -> Result<Climber<'s, 'a>> {
        let nodes = scores.nodes();
        let family = |v: usize| scores.family(v, &dag.parents(v).collect::<Vec<usize>>());
        let own: Vec<f64> = (0..nodes).map(family).collect::<Result<_>>()?;
        let gains = vec![vec![0.0; nodes]; nodes];
        let mut climber = Climber { scores, rules, dag, own, gains, steps: 0 };
        climber.refresh(&(0..nodes).collect::<Vec<usize>>())?;
        Ok(climber)
    }

    fn total(&self) -> f64 {
        self.own.iter().sum()
    }

    fn smallest_gain(&self) -> f64 {
        SMALLEST_GAIN * self.total().abs().max(1.0)
    }

    fn place(&self) -> Place {
        Place { dag: self.dag.clone(), own: self.own.clone() }
    }

    fn go_to(&mut self, place: &Place) -> Result<()> {
        let changed = |v: &usize| !place.dag.parents(*v).eq(self.dag.parents(*v));
        let changed: Vec<usize> = (0..place.dag.nodes()).filter(changed).collect();
        self.dag = place.dag.clone();
        self.own = place.own.clone();
        self.refresh(&changed)
    }

    /// Computes what a step can make of the families of these children.
    fn refresh(&mut self, children: &[usize]) -> Result<()> {
        let nodes = self.scores.nodes();
        let wanted = |&child: &usize| {
            let parents: Vec<usize> = self.dag.parents(child).collect();
            let may = |p: &usize| *p != child && self.rules.allows(*p, child);
            let full = parents.len() >= self.scores.most_parents();
            let more = if full { Vec::new() } else { (0..nodes).filter(may).collect() };
            Wanted { child, parents, more }
        };
        let wanted: Vec<Wanted> = children.iter().map(wanted).collect();
        self.scores.prepare(&wanted, true)?;
        for Wanted { child, parents, more } in &wanted {
            self.gains[*child].fill(f64::NEG_INFINITY);
            for &other in more.iter().chain(parents) {
                self.gains[*child][other] = self.scores.gain(*child, parents, other);
            }
        }
        Ok(())
    }

    /// What a move gains, if the rules let it be.
    fn gain(&self, change: Move) -> Option<f64> {
        match change {
            Move::Add(p, c) => self.rules.allows(p, c).then(|| self.gains[c][p]),
            Move::Remove(p, c) => (!self.rules.requires(p, c)).then(|| self.gains[c][p]),
            Move::Reverse(p, c) => (!self.rules.requires(p, c) && self.rules.allows(c, p))
                .then(|| self.gains[c][p] + self.gains[p][c]),
        }
        .filter(|gain| gain.is_finite())
    }

    fn closes_cycle(&self, change: Move) -> bool {
        match change {
            Move::Add(p, c) => self.dag.has_path(c, p),
            Move::Remove(..) => false,
            Move::Reverse(p, c) => self.dag.children(p).any(|n| n != c && self.dag.has_path(n, c)),
        }
    }

    /// The moves of a pair of nodes, in the order in which equals are preferred.
    fn moves(&self, p: usize, c: usize) -> impl Iterator<Item = Move> + use<> {
        let (arc, back) = (self.dag.has_arc(p, c), self.dag.has_arc(c, p));
        let add = (!arc && !back).then_some(Move::Add(p, c));
        let remove = arc.then_some(Move::Remove(p, c));
        let reverse = arc.then_some(Move::Reverse(p, c));
        add.into_iter().chain(remove).chain(reverse)
    }

    /// The best move among those that `may` be made; of equals, the first.
    fn best_move(&self, may: impl Fn(usize, usize, f64) -> bool) -> Option<(Move, f64)> {
        let slack = self.smallest_gain();
        let mut best: Option<(Move, f64)> = None;
        for c in 0..self.scores.nodes() {
            for p in (0..self.scores.nodes()).filter(|&p| p != c) {
                for change in self.moves(p, c) {
                    let Some(gain) = self.gain(change) else { continue };
                    let better = best.is_none_or(|(_, most)| gain > most + slack);
                    if better && may(p, c, gain) && !self.closes_cycle(change) {
                        best = Some((change, gain));
                    }
                }
            }
        }
        best
    }

    fn make(&mut self, change: Move) -> Result<()> {
        let (Move::Add(p, c) | Move::Remove(p, c) | Move::Reverse(p, c)) = change;
        self.steps += 1;
        self.own[c] += self.gains[c][p];
        match change {
            Move::Add(..) => self.dag.add(p, c)?,
            Move::Remove(..) => drop(self.dag.remove(p, c)),
            Move::Reverse(..) => {
                self.own[p] += self.gains[p][c];
                self.dag.reverse(p, c)?;
                return self.refresh(&[p, c]);
            }
        }
        self.refresh(&[c])
    }

    /// Climbs, then looks for a higher hill by the best steps that undo none of the last ones; ends on the best graph it
    /// met.
    fn ascend(&mut self, tabu: usize, run: &Run<'_>) -> Result<()> {
        let mut best = self.place();
        let nodes = self.scores.nodes();
        // The step until which a pair of nodes is left alone.
        let mut resting = vec![0usize; nodes * nodes];
        let mut without_best = 0;
        // Missing cells make gains depend on the way: they might lead up in a circle.
        for step in 1..nodes * nodes + STEPS {
            run.tell(&Event::Step { steps: 1 })?;
            run.tell(&Event::Iteration { number: step, objective: best.total() })?;
            let (now, highest, slack) = (self.total(), best.total(), self.smallest_gain());
            let rests = |p: usize, c: usize| resting[p.min(c) * nodes + p.max(c)] >= step;
            let may = |p: usize, c: usize, gain: f64| !rests(p, c) || now + gain > highest + slack;
            let Some((change, gain)) = self.best_move(may) else { break };
            if gain <= slack && without_best >= tabu {
                break;
            }
            self.make(change)?;
            let (Move::Add(p, c) | Move::Remove(p, c) | Move::Reverse(p, c)) = change;
            resting[p.min(c) * nodes + p.max(c)] = step + tabu;
            if self.total() > highest + slack {
                best = self.place();
                without_best = 0;
            } else {
                without_best += 1;
                if without_best > tabu {
                    break;
                }
            }
        }
        self.go_to(&best)
    }

    /// Whether the rules allow a move and it closes no cycle.
    fn may(&self, change: Move) -> bool {
        self.gain(change).is_some() && !self.closes_cycle(change)
    }

    /// Removes about a third of the arcs, or reverses them where the new parent raises the score of its child, and adds
    /// two. A wrong direction taken early makes further arcs necessary that hold it in place: only a change of many arcs
    /// at once leads away from it.
    fn shake(&mut self, random: &mut Random) -> Result<()> {
        let nodes = self.scores.nodes();
        if nodes == 0 {
            return Ok(());
        }
        let arcs = |child| self.dag.parents(child).map(move |parent| (parent, child));
        let arcs: Vec<(usize, usize)> = (0..nodes).flat_map(arcs).collect();
        for (p, c) in arcs {
            let (touched, turned) = (random.uniform() < SHAKEN, random.below(2) == 0);
            let turned = turned && self.gains[p][c] > self.smallest_gain();
            let change = match turned && self.may(Move::Reverse(p, c)) {
                true => Move::Reverse(p, c),
                false => Move::Remove(p, c),
            };
            if touched && self.may(change) {
                self.make(change)?;
            }
        }
        for _ in 0..ADDED {
            let (p, c) = (random.below(nodes), random.below(nodes));
            let joined = p == c || self.dag.has_arc(p, c) || self.dag.has_arc(c, p);
            if !joined && self.may(Move::Add(p, c)) {
                self.make(Move::Add(p, c))?;
            }
        }
        Ok(())
    }
}
