//! Trees and forests over the attributes beside naive Bayes (ALGORITHMS 3).

use super::Structure;
use super::constraints::Rules;
use super::naive::augmented;
use super::pairs::{Information, Pair};
use crate::data::Source;
use crate::describe::{Description, Range, Setting};
use crate::error::Result;
use crate::graph::{Arc, Dag, Edge, Undirected, maximum_branching, maximum_spanning_tree};
use crate::run::Run;

/// Which edges a tree is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edges {
    /// All of a spanning tree, by I(X; Y | class).
    Tree,
    /// The best forest of so many, by I(X; Y | class).
    Count(usize),
    /// Those that raise the BIC score.
    Bic,
    /// All of a spanning tree, by the explaining-away residual I(X; Y | class) - I(X; Y).
    ConditionalTree,
    /// Those of positive explaining-away residual.
    ConditionalForest,
}

/// Naive Bayes with a tree or forest over the attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeAugmented {
    /// Which edges.
    pub edges: Edges,
}

/// Tree-augmented naive Bayes.
pub const TAN: Description = Description {
    name: "tan",
    help: "tree-augmented naive Bayes: the spanning tree of greatest likelihood over the attributes",
    source: "Friedman, Geiger and Goldszmidt 1997",
    settings: &[],
};

/// The best forest, of a number of edges or of those that raise BIC.
pub const FAN: Description = Description {
    name: "fan",
    help: "forest-augmented naive Bayes: the best forest of so many edges, or (auto) of those that raise BIC",
    source: "Lucas 2004",
    settings: &[Setting {
        name: "edges",
        help: "how many edges",
        range: Range::WholeOrAuto { most: 1_000_000 },
    }],
};

/// The tree of explaining-away residuals.
pub const CONDITIONAL_TAN: Description = Description {
    name: "conditional-tan",
    help: "tree-augmented naive Bayes by the explaining-away residual",
    source: "Bilmes 2000; Perez, Larranaga and Inza 2006",
    settings: &[Setting {
        name: "negative",
        help: "what becomes of edges of negative residual; without them the tree is a forest",
        range: Range::Choice(&["keep", "drop"]),
    }],
};

impl Structure for TreeAugmented {
    fn form(&self) -> String {
        match self.edges {
            Edges::Tree => TAN.name.into(),
            Edges::Count(n) => format!("{}:{n}", FAN.name),
            Edges::Bic => format!("{}:auto", FAN.name),
            Edges::ConditionalTree => format!("{}:keep", CONDITIONAL_TAN.name),
            Edges::ConditionalForest => format!("{}:drop", CONDITIONAL_TAN.name),
        }
    }

    fn learn(&self, data: &Source<'_>, rules: &Rules, run: &Run<'_>) -> Result<Dag> {
        let information = Information::of(data, run)?;
        let states: Vec<usize> = data.schema().fields.iter().map(|f| f.states()).collect();
        if rules.arcs.is_free() {
            let forest = self.forest(&information, &states);
            return augmented(&forest.rooted(&information.by_relevance()), rules);
        }
        augmented(&self.obedient(&information, &states, rules)?, rules)
    }
}

impl TreeAugmented {
    /// The graph without constraints; every tree hangs from the first of its attributes in this order. `states` are those of
    /// the attributes and of the class.
    pub(crate) fn hanging(
        &self,
        information: &Information,
        states: &[usize],
        roots: &[usize],
    ) -> Result<Dag> {
        let forest = self.forest(information, states);
        augmented(&forest.rooted(roots), &Rules::none(states.len()))
    }

    /// What an edge is worth.
    fn weight(&self, p: &Pair) -> f64 {
        match self.edges {
            Edges::ConditionalTree | Edges::ConditionalForest => p.conditional - p.plain,
            _ => p.conditional,
        }
    }

    /// Whether an edge may be taken at all.
    fn keeps(&self, p: &Pair, states: &[usize]) -> bool {
        match self.edges {
            Edges::ConditionalForest => p.conditional > p.plain,
            Edges::Bic => {
                // What the edge adds to the likelihood against what its parameters cost.
                let free = (states[p.a] - 1) * (states[p.b] - 1) * states[states.len() - 1];
                p.rows * p.conditional > p.rows.max(1.0).ln() / 2.0 * free as f64
            }
            _ => true,
        }
    }

    /// The best tree or forest whose arcs obey the rules: a branching, as an arc may be allowed in one direction only. Of
    /// a number of edges, the strongest of those of the best branching beside the required ones.
    fn obedient(&self, information: &Information, states: &[usize], rules: &Rules) -> Result<Dag> {
        let class = states.len() - 1;
        let rules = rules.arcs.among(&(0..class).collect::<Vec<usize>>());
        let most = information.all().map(|p| self.weight(&p).abs()).fold(1.0, f64::max);
        // One arc more is worth more than any weights, and a required one more than any number of others.
        let one_more = 2.0 * most * (class + 1) as f64;
        let required = one_more * (class + 1) as f64;
        let mut arcs = Vec::new();
        for pair in information.all() {
            for (parent, child) in [(pair.a, pair.b), (pair.b, pair.a)] {
                let settled = rules.required().parents(child).next().is_some();
                let may = rules.allows(parent, child) && !settled && self.keeps(&pair, states);
                let must = rules.requires(parent, child);
                if must || may {
                    let worth = if must { required } else { one_more };
                    arcs.push(Arc { parent, child, weight: worth + self.weight(&pair) });
                }
            }
        }
        let mut parents = maximum_branching(class, &arcs, true);
        if let Edges::Count(wanted) = self.edges {
            let strength = |c: usize, p: usize| information.pair(p, c).conditional;
            let free = |c: &usize| parents[*c].is_some_and(|p| !rules.requires(p, *c));
            let mut taken: Vec<usize> = (0..class).filter(free).collect();
            let required = rules.required().arcs();
            let of = |c: usize| parents[c].map_or(0.0, |p| strength(c, p));
            taken.sort_by(|&x, &y| of(y).total_cmp(&of(x)));
            let left: Vec<usize> =
                taken.into_iter().skip(wanted.saturating_sub(required)).collect();
            left.into_iter().for_each(|c| parents[c] = None);
        }
        let mut dag = Dag::new(class);
        for (child, parent) in parents.into_iter().enumerate() {
            parent.map_or(Ok(()), |p| dag.add(p, child))?;
        }
        Ok(dag)
    }

    fn forest(&self, information: &Information, states: &[usize]) -> Undirected {
        let class = states.len() - 1;
        let edge = |p: Pair| Edge { a: p.a, b: p.b, weight: self.weight(&p) };
        let kept = |p: &Pair| self.keeps(p, states);
        let edges: Vec<Edge> = information.for_trees().filter(kept).map(edge).collect();
        let tree = maximum_spanning_tree(class, &edges);
        let Edges::Count(wanted) = self.edges else { return tree };
        // The best forest of so many edges is made of the first ones that the best tree takes.
        let mut taken: Vec<(usize, usize)> = tree.edges().collect();
        let weight = |&(a, b): &(usize, usize)| information.pair(a, b).conditional;
        taken.sort_by(|x, y| weight(y).total_cmp(&weight(x)));
        let mut forest = Undirected::new(class);
        taken.into_iter().take(wanted).for_each(|(a, b)| {
            forest.add(a, b);
        });
        forest
    }
}
