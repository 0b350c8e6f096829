//! A model as a drawing of its structure.

use sare::average::Kind;
use sare::classify::Classifier;
use sare::draw::{DrawnArc, DrawnNode, Emphasis, LinePoint, Lines, NetworkDrawing, Series};
use sare::graph::markov_blanket;

/// Arcs of an average that are less probable than this are not drawn.
const LEAST_PROBABILITY: f64 = 0.5;

/// The structure of a model: a network's arcs as wide as what they tell, an average's probable arcs as wide as they are
/// probable.
pub fn drawing(model: &Classifier) -> NetworkDrawing {
    let nodes = model.schema().len();
    let class = nodes - 1;
    let near = model.network().map(|network| markov_blanket(network.dag(), class));
    let node = |v: usize| DrawnNode {
        label: model.schema().fields[v].name.clone(),
        emphasis: match &near {
            _ if v == class => Emphasis::Class,
            Some(near) if !near.contains(v) => Emphasis::Faded,
            _ => Emphasis::Attribute,
        },
        tooltip: None,
    };
    let (arcs, strength_note) = match model.network() {
        Some(_) if model.outcome().relevance.is_some() => by_relevance(model),
        Some(_) => by_information(model),
        None => by_probability(model),
    };
    NetworkDrawing {
        title: Some(format!("{} ({})", file_name(&model.training().file), model.forms()[0])),
        note: None,
        nodes: (0..nodes).map(node).collect(),
        arcs,
        strength_note,
    }
}

/// How a learner climbed.
pub fn climb(model: &Classifier) -> Lines {
    let point = |(i, &y): (usize, &f64)| LinePoint { x: i as f64, y, error: None };
    let points = model.outcome().trace.iter().enumerate().map(point).collect();
    Lines {
        title: format!("{} ({})", file_name(&model.training().file), model.forms()[0]),
        x_label: "iteration".into(),
        y_label: "objective".into(),
        series: vec![Series { name: model.forms()[1].clone(), points }],
        ..Lines::default()
    }
}

fn file_name(path: &str) -> &str {
    std::path::Path::new(path).file_name().and_then(|n| n.to_str()).unwrap_or(path)
}

/// Arcs as wide as what the parent tells about the child beside its other parents.
fn by_information(model: &Classifier) -> (Vec<DrawnArc>, Option<String>) {
    let Some(network) = model.network() else { return (Vec::new(), None) };
    let reasons = &model.outcome().reasons;
    let most = reasons.iter().map(|r| r.information).fold(0.0, f64::max);
    let least = reasons.iter().map(|r| r.information).fold(f64::INFINITY, f64::min);
    let mut arcs = Vec::new();
    for to in 0..network.variables().len() {
        for from in network.dag().parents(to) {
            let reason = reasons.iter().find(|r| (r.parent, r.child) == (from, to));
            arcs.push(DrawnArc {
                from,
                to,
                strength: reason.filter(|_| most > 0.0).map(|r| r.information / most),
                tooltip: reason.map(|r| {
                    format!("information {:.4} nats, gain in BIC {:.2}", r.information, r.gain)
                }),
            });
        }
    }
    let note =
        format!("arc width: information beside the other parents, {least:.4} to {most:.4} nats");
    (arcs, (!reasons.is_empty()).then_some(note))
}

/// Arcs from the class as wide as it is probable that the attribute depends on it.
fn by_relevance(model: &Classifier) -> (Vec<DrawnArc>, Option<String>) {
    let class = model.schema().len() - 1;
    let relevance = model.outcome().relevance.iter().flatten();
    let arc = |(to, &p): (usize, &f64)| DrawnArc {
        from: class,
        to,
        strength: Some(p),
        tooltip: Some(format!("probability {p:.4}")),
    };
    let arcs = relevance.enumerate().filter(|(_, p)| **p >= LEAST_PROBABILITY).map(arc).collect();
    (
        arcs,
        Some(format!(
            "arc width: probability that the attribute matters, from {LEAST_PROBABILITY}"
        )),
    )
}

/// The probable arcs of an average of pairs.
fn by_probability(model: &Classifier) -> (Vec<DrawnArc>, Option<String>) {
    let class = model.schema().len() - 1;
    let of_class = |to: usize| DrawnArc { from: class, to, ..DrawnArc::default() };
    // Where arcs from the class are not averaged over, they are all there.
    let certain = model.pairs().is_some_and(|p| !matches!(p.kind(), Kind::Orders { .. }));
    let mut arcs: Vec<DrawnArc> = (0..class).filter(|_| certain).map(of_class).collect();
    let probable = model.outcome().arcs.iter().flatten();
    arcs.extend(probable.filter(|a| a.probability >= LEAST_PROBABILITY).map(|a| DrawnArc {
        from: a.parent,
        to: a.child,
        strength: Some(a.probability),
        tooltip: Some(format!("probability {:.4}", a.probability)),
    }));
    let note = model
        .outcome()
        .arcs
        .as_ref()
        .map(|_| format!("arc width: probability, from {LEAST_PROBABILITY}"));
    (arcs, note)
}
