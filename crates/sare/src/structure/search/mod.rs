//! Searches for graphs: over the attributes beside a class that is a parent of all (BAN), or over class and attributes
//! alike (ALGORITHMS 3).

mod climb;
mod k2;
mod order;
mod pc;
mod scores;

pub use self::climb::Patience;

use self::scores::FamilyScores;
use super::Structure;
use super::constraints::Rules;
use super::naive::augmented;
use super::pairs::Information;
use crate::data::{Schema, Source};
use crate::describe::{Description, Range, Setting};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::run::{Run, SearchOutcome};
use crate::seed::{Purpose, Random};
use crate::stats::Score;

/// What a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The attributes; the class is a parent of all.
    Attributes,
    /// The class and the attributes.
    All,
}

/// The order of the nodes for K2; a structure to begin with gives its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By falling information about the class.
    Relevance,
    /// As the columns are.
    Columns,
    /// At random.
    Random,
}

/// How a graph is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Hill climbing.
    Climb {
        /// What is raised.
        score: Score,
        /// The most parents, the class not counted where it is a parent of all.
        parents: usize,
        /// How it goes on where no step leads up.
        patience: Patience,
    },
    /// Greedily on an order.
    K2 {
        /// What is raised.
        score: Score,
        /// The most parents, the class not counted where it is a parent of all.
        parents: usize,
        /// The order.
        order: Order,
    },
    /// By tests of independence.
    Pc {
        /// The level of significance.
        level: f64,
        /// The most columns conditioned on.
        given: usize,
    },
}

/// A search for a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphSearch {
    /// What it is over.
    pub scope: Scope,
    /// How.
    pub method: Method,
}

const SETTINGS: &[Setting] = &[
    Setting {
        name: "search",
        help: "hill climbing (hc), greedily on an order (k2), or by tests of independence (pc)",
        range: Range::Choice(&["hc", "k2", "pc"]),
    },
    Setting {
        name: "score",
        help: "what hc and k2 raise; auto is bic for hc and k2 for k2",
        range: Range::Only(&["hc", "k2"], &Range::Choice(&["auto", "bic", "aic", "k2", "bdeu"])),
    },
    Setting {
        name: "ess",
        help: "the size of the prior sample of bdeu",
        range: Range::Only(&["hc", "k2"], &Range::Positive { default: 1.0 }),
    },
    Setting {
        name: "parents",
        help: "the most parents (hc, k2; auto is no limit) or columns conditioned on (pc; auto is 2)",
        range: Range::WholeOrAuto { most: 64 },
    },
    Setting {
        name: "tabu",
        help: "hc: steps without a new best before it gives up, and steps for which a changed pair rests",
        range: Range::Only(&["hc"], &Range::Whole { least: 0, most: 10_000, default: 10 }),
    },
    Setting {
        name: "restarts",
        help: "hc: how many times a third of the best graph's arcs are changed at random and it is climbed from again",
        range: Range::Only(&["hc"], &Range::Whole { least: 0, most: 1_000_000, default: 20 }),
    },
    Setting {
        name: "order",
        help: "k2: the order of the columns; that of --structure goes before",
        range: Range::Only(&["k2"], &Range::Choice(&["relevance", "columns", "random"])),
    },
    Setting {
        name: "level",
        help: "pc: the level of significance",
        range: Range::Only(&["pc"], &Range::Level { default: 0.01 }),
    },
];

/// Columns conditioned on by PC unless said otherwise: with more, tests are many and each has few rows in a cell.
const GIVEN: usize = 2;

/// The network-augmented naive Bayes.
pub const BAN: Description = Description {
    name: "ban",
    help: "augmented naive Bayes: any graph over the attributes, by hill climbing, K2 or PC",
    source: "Friedman, Geiger and Goldszmidt 1997; Cheng and Greiner 1999",
    settings: SETTINGS,
};

/// The unrestricted network.
pub const NETWORK: Description = Description {
    name: "network",
    help: "any graph over class and attributes, by hill climbing, K2 or PC; predicts by the class's Markov blanket",
    source: "Cooper and Herskovits 1992; Spirtes and Glymour 1991; Colombo and Maathuis 2014",
    settings: SETTINGS,
};

impl GraphSearch {
    /// From the values of the settings.
    pub fn new(scope: Scope, v: &[f64]) -> GraphSearch {
        let bdeu = Score::Bdeu(v[2]);
        let first = if v[0] == 0.0 { Score::Bic } else { Score::K2 };
        let score = [first, Score::Bic, Score::Aic, Score::K2, bdeu][v[1] as usize];
        let parents = if v[3].is_finite() { v[3] as usize } else { usize::MAX };
        let method = match v[0] as usize {
            0 => {
                let patience = Patience { tabu: v[4] as usize, restarts: v[5] as usize };
                Method::Climb { score, parents, patience }
            }
            2 => {
                let given = if v[3].is_finite() { parents } else { GIVEN };
                Method::Pc { level: v[7], given }
            }
            _ => {
                let order = [Order::Relevance, Order::Columns, Order::Random][v[6] as usize];
                Method::K2 { score, parents, order }
            }
        };
        GraphSearch { scope, method }
    }

    fn description(&self) -> &'static Description {
        match self.scope {
            Scope::Attributes => &BAN,
            Scope::All => &NETWORK,
        }
    }

    /// The nodes' order for K2, the class first: what it tells about others is what a classifier is after.
    fn order(
        &self,
        order: Order,
        data: &Source<'_>,
        rules: &Rules,
        run: &Run<'_>,
    ) -> Result<Vec<usize>> {
        let class = data.schema().len() - 1;
        if let Some(start) = &rules.start {
            let order = start.topological_order();
            return Ok(order
                .into_iter()
                .filter(|&v| self.scope == Scope::All || v != class)
                .collect());
        }
        let attributes = match order {
            Order::Relevance => Information::relevance(data, run)?,
            Order::Columns => (0..class).collect(),
            Order::Random => {
                let mut all: Vec<usize> = (0..class).collect();
                Random::new(run.seed, Purpose::Order, 0).shuffle(&mut all);
                all
            }
        };
        let first = (self.scope == Scope::All).then_some(class);
        Ok(rules.ordered(&first.into_iter().chain(attributes).collect::<Vec<usize>>()))
    }
}

impl GraphSearch {
    /// Refuses a structure to begin with that the search could not keep.
    fn check_start(&self, schema: &Schema, rules: &Rules) -> Result<()> {
        let name = |v: usize| &schema.fields[v].name;
        let class = schema.len() - 1;
        let into_class = rules.start.as_ref().and_then(|start| start.parents(class).next());
        if let (Scope::Attributes, Some(p)) = (self.scope, into_class) {
            let problem = format!("'ban' has no room for the arc {} -> {}", name(p), name(class));
            let fix = "leave it out of the structure, or choose network";
            return Err(Error::model("structure", problem, fix));
        }
        let Method::Climb { parents, .. } = self.method else { return Ok(()) };
        let start = rules.start.as_ref().unwrap_or(rules.arcs.required());
        let beside = |p: usize| self.scope == Scope::All || p != class;
        let count = |v: &usize| start.parents(*v).filter(|&p| beside(p)).count();
        match (0..=class).find(|v| count(v) > parents) {
            None => Ok(()),
            Some(v) => {
                let problem = format!("'{}' begins with more than {parents} parents", name(v));
                let fix = "allow more parents, or begin with fewer";
                Err(Error::model("structure", problem, fix))
            }
        }
    }
}

/// The score of a graph over the columns of `data`: the sum of its families' scores.
pub fn graph_score(dag: &Dag, data: &Source<'_>, score: Score, run: &Run<'_>) -> Result<f64> {
    let none = vec![Vec::new(); dag.nodes()];
    let columns = (0..dag.nodes()).collect();
    let scores = FamilyScores::new(data, score, columns, none, usize::MAX, run)?;
    let family = |v: usize| scores.family(v, &dag.parents(v).collect::<Vec<usize>>());
    (0..dag.nodes()).map(family).sum()
}

impl Structure for GraphSearch {
    fn form(&self) -> String {
        let name = self.description().name;
        let written = |score: Score, parents: usize| {
            let score = written_score(score);
            let most =
                if parents < usize::MAX { format!(",parents={parents}") } else { String::new() };
            format!("score={score}{most}")
        };
        match self.method {
            Method::Climb { score, parents, patience: Patience { tabu, restarts } } => {
                let settings = written(score, parents);
                format!("{name}:hc,{settings},tabu={tabu},restarts={restarts}")
            }
            Method::K2 { score, parents, order } => {
                let order = match order {
                    Order::Relevance => "relevance",
                    Order::Columns => "columns",
                    Order::Random => "random",
                };
                format!("{name}:k2,{},order={order}", written(score, parents))
            }
            Method::Pc { level, given } if given < usize::MAX => {
                format!("{name}:pc,parents={given},level={level}")
            }
            Method::Pc { level, .. } => format!("{name}:pc,level={level}"),
        }
    }

    fn takes_start(&self) -> bool {
        !matches!(self.method, Method::Pc { .. })
    }

    fn check(&self) -> Result<()> {
        match self.method {
            Method::Pc { level, .. } if !(level > 0.0 && level < 1.0) => Err(Error::Setting {
                learner: self.description().name.into(),
                setting: "level".into(),
                value: level.to_string(),
                expected: "a number above 0 and below 1".into(),
            }),
            _ => Ok(()),
        }
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        Ok(self.find(data, rules, run)?.0)
    }

    fn find(
        &self,
        data: &Source<'_>,
        rules: &Rules,
        run: &Run<'_>,
    ) -> Result<(Dag, Option<SearchOutcome>)> {
        self.check_start(data.schema(), rules)?;
        let class = data.schema().len() - 1;
        let nodes = match self.scope {
            Scope::Attributes => class,
            Scope::All => class + 1,
        };
        let always = |child: usize| {
            let told = self.scope == Scope::Attributes && !rules.arcs.forbids(class, child);
            told.then_some(class).into_iter().collect()
        };
        let always: Vec<Vec<usize>> = (0..nodes).map(always).collect();
        let (dag, score, steps) = match self.method {
            Method::Climb { score, parents, patience } => {
                let order = order::by_counts(data, nodes, run)?;
                let start = rules.start.as_ref().unwrap_or(rules.arcs.required());
                let (start, arcs) = (start.among(&order), rules.arcs.among(&order));
                let mut scores =
                    FamilyScores::new(data, score, order.clone(), always, parents, run)?;
                let (dag, steps) = climb::climb(&mut scores, &arcs, start, patience, run)?;
                scores.tell()?;
                (dag.among(&order::inverse(&order)), Some(score), steps)
            }
            Method::K2 { score, parents, order } => {
                let columns = (0..nodes).collect();
                let mut scores = FamilyScores::new(data, score, columns, always, parents, run)?;
                let order = self.order(order, data, rules, run)?;
                let dag = k2::k2(&mut scores, &rules.arcs, &order, run)?;
                scores.tell()?;
                let steps = dag.arcs() as u64;
                (dag, Some(score), steps)
            }
            Method::Pc { level, given } => {
                let always = (self.scope == Scope::Attributes).then_some(class);
                let rules = rules.arcs.among(&(0..nodes).collect::<Vec<usize>>());
                let (dag, tests) = pc::pc(data, &rules, nodes, always, level, given, run)?;
                (dag, None, tests)
            }
        };
        let dag = match self.scope {
            Scope::Attributes => augmented(&dag, rules)?,
            Scope::All => dag,
        };
        let score = match score {
            Some(score) => Some((written_score(score), graph_score(&dag, data, score, run)?)),
            None => None,
        };
        Ok((dag, Some(SearchOutcome { score, steps })))
    }
}

/// A score as it is written in a text form.
fn written_score(score: Score) -> String {
    match score {
        Score::Aic => "aic".into(),
        Score::K2 => "k2".into(),
        Score::Bdeu(size) => format!("bdeu,ess={size}"),
        _ => "bic".to_string(),
    }
}
