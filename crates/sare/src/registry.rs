//! Every learner there is, by name: the one place that text forms, help and error messages come from.

use crate::average::naive::AveragedNaiveBayes;
use crate::average::order::{self, OrderAverage, OrderWeights};
use crate::average::super_parents::{self, SuperParents};
use crate::average::trees::{self, TreeAverage};
use crate::average::{Average, naive as averaged_naive};
use crate::classify::Structures;
use crate::cluster::{
    self, BoundCollapse, CompleteNetwork, Exhaustive, HardMethod, Latent, StructuralEm,
    TreeClusters, Update,
};
use crate::data::Method;
use crate::describe::{Description, Range, Setting, parts};
use crate::error::{Error, Result};
use crate::parameters::Parameters;
use crate::parameters::dirichlet::{BDEU, DIRICHLET, FromCounts, LAPLACE, ML, Prior};
use crate::parameters::em::{self, ExpectationMaximisation};
use crate::parameters::gradient::{self, Aim, Gradient};
use crate::parameters::tm::{self, Tm};
use crate::structure::given::{self, Given};
use crate::structure::joined::{self, Direction, Joined};
use crate::structure::kdb::{self, KDependence};
use crate::structure::naive::{self, NaiveBayes};
use crate::structure::named::NamedGraph;
use crate::structure::search::{self, GraphSearch, Scope};
use crate::structure::selective::{self, Selection, Selective};
use crate::structure::structural_tm::{self, StructuralTm};
use crate::structure::tan::{self, Edges, TreeAugmented};
use crate::structure::wrapper_tan::{self, WrapperTan};
use std::path::Path;
use std::sync::Arc;

/// A learner's description and how it is made from the values of its settings.
pub struct Entry<T> {
    /// What it is called, does and can be told.
    pub description: &'static Description,
    make: fn(&[f64]) -> T,
}

/// The structures.
pub const STRUCTURES: &[Entry<Structures>] = &[
    Entry { description: &naive::DESCRIPTION, make: |_| NaiveBayes.into() },
    Entry {
        description: &selective::DESCRIPTION,
        make: |v| {
            let by = [Selection::Wrapper, Selection::Filter(v[1])][v[0] as usize];
            Selective { selection: by }.into()
        },
    },
    Entry { description: &tan::TAN, make: |_| tree(Edges::Tree) },
    Entry {
        description: &tan::FAN,
        make: |v| tree(if v[0].is_finite() { Edges::Count(v[0] as usize) } else { Edges::Bic }),
    },
    Entry {
        description: &tan::CONDITIONAL_TAN,
        make: |v| tree([Edges::ConditionalTree, Edges::ConditionalForest][v[0] as usize]),
    },
    Entry { description: &wrapper_tan::DESCRIPTION, make: |_| WrapperTan.into() },
    Entry {
        description: &joined::DESCRIPTION,
        make: |v| {
            let direction = [Direction::Forward, Direction::Backward][v[0] as usize];
            Joined { direction }.into()
        },
    },
    Entry { description: &kdb::DESCRIPTION, make: |v| KDependence { k: v[0] as usize }.into() },
    Entry { description: &search::BAN, make: |v| GraphSearch::new(Scope::Attributes, v).into() },
    Entry { description: &search::NETWORK, make: |v| GraphSearch::new(Scope::All, v).into() },
    Entry {
        description: &structural_tm::DESCRIPTION,
        make: |v| StructuralTm { parents: v[0] as usize, alpha: v[1], l2: v[2] }.into(),
    },
    Entry {
        description: &super_parents::DESCRIPTION,
        make: |v| average(SuperParents { least: v[0] as usize }),
    },
    Entry { description: &averaged_naive::DESCRIPTION, make: |_| average(AveragedNaiveBayes) },
    Entry {
        description: &order::DESCRIPTION,
        make: |v| {
            let weights = [OrderWeights::Evidence, OrderWeights::Uniform][v[1] as usize];
            average(OrderAverage { orders: v[0] as usize, weights })
        },
    },
    Entry { description: &trees::DESCRIPTION, make: |v| average(TreeAverage { weight: v[0] }) },
    Entry { description: &given::DESCRIPTION, make: |_| empty() },
];

/// A structure that is given is made of a formula, not of settings: see [`structure`].
fn empty() -> Structures {
    Given { graph: NamedGraph::default() }.into()
}

fn average(average: impl Average + 'static) -> Structures {
    Structures::Average(Box::new(average))
}

fn tree(edges: Edges) -> Structures {
    TreeAugmented { edges }.into()
}

/// The parameter learners.
pub const PARAMETERS: &[Entry<Box<dyn Parameters>>] = &[
    Entry { description: &ML, make: |_| from_counts(Prior::None) },
    Entry { description: &LAPLACE, make: |_| from_counts(Prior::Laplace) },
    Entry { description: &DIRICHLET, make: |v| from_counts(Prior::Dirichlet(v[0])) },
    Entry { description: &BDEU, make: |v| from_counts(Prior::Bdeu(v[0])) },
    Entry {
        description: &gradient::CLL,
        make: |v| Box::new(Gradient::new(Aim::ConditionalLikelihood, v)),
    },
    Entry { description: &tm::DESCRIPTION, make: |v| Box::new(Tm::new(v)) },
    Entry { description: &em::DESCRIPTION, make: |v| Box::new(ExpectationMaximisation::new(v)) },
    Entry { description: &gradient::LL, make: |v| Box::new(Gradient::new(Aim::Likelihood, v)) },
    Entry { description: &gradient::AE, make: |v| Box::new(Gradient::new(Aim::ExpectedError, v)) },
    Entry { description: &gradient::SE, make: |v| Box::new(Gradient::new(Aim::SquaredError, v)) },
    Entry {
        description: &gradient::MIXED,
        make: |v| Box::new(Gradient::new(Aim::Mixed(v[0]), &v[1..])),
    },
];

fn from_counts(prior: Prior) -> Box<dyn Parameters> {
    Box::new(FromCounts { prior })
}

/// The ways to find clusters.
pub const CLUSTERERS: &[Entry<Arc<dyn cluster::Method>>] = &[
    Entry { description: &cluster::EM, make: |v| Arc::new(Latent::new(Update::Frequencies, v)) },
    Entry { description: &cluster::EMA, make: |v| Arc::new(Latent::new(Update::Averaged, v)) },
    Entry { description: &cluster::EM_TAN, make: |v| Arc::new(TreeClusters::best(v)) },
    Entry { description: &cluster::EMA_TAN, make: |v| Arc::new(TreeClusters::orders(v)) },
    Entry { description: &cluster::EMA_TREES, make: |v| Arc::new(TreeClusters::all(v)) },
    Entry { description: &cluster::EM_NETWORK, make: |v| Arc::new(CompleteNetwork::new(v)) },
    Entry { description: &cluster::STRUCTURAL_EM, make: |v| Arc::new(StructuralEm::new(v)) },
    Entry {
        description: &cluster::exhaustive::DESCRIPTION,
        make: |v| Arc::new(Exhaustive::new(v)),
    },
    Entry { description: &cluster::BC_EM, make: |v| Arc::new(BoundCollapse::new(v)) },
    Entry { description: &cluster::KMEANS, make: |v| Arc::new(HardMethod::means(v)) },
    Entry { description: &cluster::KMODES, make: |v| Arc::new(HardMethod::modes(v)) },
];

/// The ways to cut numbers into bins.
pub const DISCRETISERS: &[Entry<Method>] = &[
    Entry {
        description: &Description {
            name: "mdlp",
            help: "cuts of least class entropy, stopped by description length",
            source: "Fayyad and Irani 1993",
            settings: &[],
        },
        make: |_| Method::Mdlp,
    },
    Entry {
        description: &Description {
            name: "equal-width",
            help: "bins of equal width",
            source: "closed form",
            settings: &[BINS],
        },
        make: |v| Method::EqualWidth(v[0] as usize),
    },
    Entry {
        description: &Description {
            name: "equal-frequency",
            help: "bins of about equally many rows",
            source: "closed form",
            settings: &[BINS],
        },
        make: |v| Method::EqualFrequency(v[0] as usize),
    },
];

const BINS: Setting = Setting {
    name: "bins",
    help: "how many bins",
    range: Range::Whole { least: 1, most: 65_535, default: 10 },
};

/// The structure learner of a text form such as `nb`.
pub fn structure(text: &str) -> Result<Structures> {
    // A given structure is no list of settings but a formula.
    let (name, formula) = parts(text);
    if name == given::DESCRIPTION.name {
        let graph = NamedGraph::parse("structure", formula.unwrap_or_default())?;
        return Ok(Given { graph }.into());
    }
    make("model", STRUCTURES, text)
}

/// The parameter learner of a text form such as `laplace` or `dirichlet:0.5`.
pub fn parameters(text: &str) -> Result<Box<dyn Parameters>> {
    make("parameter learner", PARAMETERS, text)
}

/// The way to find clusters of a text form such as `em` or `ema:0.5`.
///
/// After `em:` a structure may stand instead of settings, as a formula or as the name of a file: see [`NamedGraph::read`].
pub fn clusterer(text: &str) -> Result<Arc<dyn cluster::Method>> {
    let (name, rest) = parts(text);
    // What is called like a file is meant to be one, also where there is none.
    let is_graph = |rest: &str| {
        let path = Path::new(rest);
        let called = path.extension().is_some_and(|e| e.to_string_lossy().parse::<u64>().is_err());
        rest.trim_start().starts_with('[') || path.is_file() || (called && !rest.contains('='))
    };
    match rest.filter(|rest| name == cluster::EM.name && is_graph(rest)) {
        Some(rest) => {
            let defaults = cluster::EM.parse(None)?;
            let graph = Some(NamedGraph::read(rest)?);
            Ok(Arc::new(Latent { graph, ..Latent::new(Update::Frequencies, &defaults) }))
        }
        None => make("clustering method", CLUSTERERS, text),
    }
}

/// The discretiser of a text form such as `mdlp` or `equal-width:10`.
pub fn discretiser(text: &str) -> Result<Method> {
    make("discretiser", DISCRETISERS, text)
}

fn make<T>(kind: &'static str, entries: &[Entry<T>], text: &str) -> Result<T> {
    let (name, settings) = parts(text);
    let entry = entries
        .iter()
        .find(|e| e.description.name == name)
        .ok_or_else(|| Error::unknown(kind, name, entries.iter().map(|e| e.description.name)))?;
    Ok((entry.make)(&entry.description.parse(settings)?))
}

/// The text forms in a list separated by commas. A comma inside a form, as in `name:1,setting=2`, is told from one
/// between forms by what follows: a form begins with a name that is registered, or with one that is no setting.
pub fn forms<T>(entries: &[Entry<T>], list: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for item in list.split(',') {
        let (name, _) = parts(item);
        let known = entries.iter().any(|e| e.description.name == name);
        let setting = item.contains('=') || item.trim().parse::<f64>().is_ok();
        match forms.last_mut() {
            Some(last) if !known && setting => {
                last.push(',');
                last.push_str(item);
            }
            _ => forms.push(item.to_string()),
        }
    }
    forms
}

/// One line of help an entry.
pub fn help<T>(entries: &[Entry<T>]) -> String {
    let line = |e: &Entry<T>| {
        let d = e.description;
        let form = if d.settings.is_empty() {
            d.name.to_string()
        } else {
            let names: Vec<&str> = d.settings.iter().map(|s| s.name).collect();
            format!("{}[:{}]", d.name, names.join(","))
        };
        format!("  {form:<24} {}", d.help)
    };
    entries.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_forms_are_told_from_those_between() {
        let forms = |text| forms(PARAMETERS, text);
        assert_eq!(forms("ml,laplace"), ["ml", "laplace"]);
        assert_eq!(forms("dirichlet:0.5,bdeu:ess=2,ml"), ["dirichlet:0.5", "bdeu:ess=2", "ml"]);
        assert_eq!(forms("dirichlet:0.5,beta=2,ml"), ["dirichlet:0.5,beta=2", "ml"]);
        assert_eq!(forms("ml,unknown"), ["ml", "unknown"]);
    }
}
