//! Networks of the usual kinds, with made-up strengths.

use sare::draw::{DrawnArc, DrawnNode, Emphasis, NetworkDrawing};

/// The attributes of the chess endgame data, short and many.
const CHESS: [&str; 36] = [
    "bkblk", "bknwy", "bkon8", "bkona", "bkspr", "bkxbq", "bkxcr", "bkxwp", "blxwp", "bxqsq",
    "cntxt", "dsopp", "dwipd", "hdchk", "katri", "mulch", "qxmsq", "r2ar8", "reskd", "reskr",
    "rimmx", "rkxwp", "rxmsq", "simpl", "skach", "skewr", "skrxp", "spcop", "stlmt", "thrsk",
    "wkcti", "wkna8", "wknck", "wkovl", "wkpos", "wtoeg",
];

/// The attributes of the votes data, long enough to be cut.
const VOTES: [&str; 16] = [
    "handicapped-infants",
    "water-project",
    "budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups",
    "anti-satellite-ban",
    "aid-to-contras",
    "mx-missile",
    "immigration",
    "synfuels-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-act-south-africa",
];

/// A number below `most` that only looks like chance.
fn draw(state: &mut u64, most: usize) -> usize {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as usize % most.max(1)
}

fn node(label: &str, emphasis: Emphasis) -> DrawnNode {
    DrawnNode { label: label.into(), emphasis, tooltip: None }
}

fn arc(from: usize, to: usize, strength: Option<f64>) -> DrawnArc {
    let tooltip = strength.map(|s| format!("{:.3} nats", 0.41 * s));
    DrawnArc { from, to, strength, tooltip }
}

/// A class and its attributes, each with up to `k` more parents among those before it.
fn classifier(title: &str, attributes: &[&str], k: usize, strengths: bool) -> String {
    let mut state = 7;
    let mut strength = |scale: f64| {
        let share = (draw(&mut state, 100) as f64 / 100.0).powi(2) * scale;
        strengths.then_some(share.max(0.02))
    };
    let mut arcs: Vec<DrawnArc> =
        (1..=attributes.len()).map(|v| arc(0, v, strength(0.8))).collect();
    let mut chance = 3;
    for v in 2..=attributes.len() {
        let mut parents = vec![];
        while parents.len() < k.min(v - 1) {
            // Early attributes are parents more often, as strong ones are.
            let parent = 1 + draw(&mut chance, v - 1).min(draw(&mut chance, v - 1));
            if !parents.contains(&parent) {
                parents.push(parent);
                arcs.push(arc(parent, v, strength(1.0)));
            }
        }
    }
    let mut nodes = vec![node("class", Emphasis::Class)];
    nodes.extend(attributes.iter().map(|a| node(a, Emphasis::Attribute)));
    let strength_note =
        strengths.then(|| "arc width: mutual information given the class, up to 0.41 nats".into());
    NetworkDrawing { title: Some(title.into()), nodes, arcs, strength_note, note: None }.svg()
}

/// The public ALARM network; what is outside the Markov blanket of HR is faded.
fn alarm() -> String {
    let pairs: Vec<(&str, &str)> = include_str!("../../src/draw/network/alarm.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for (a, b) in &pairs {
        for name in [a, b] {
            if !names.contains(name) {
                names.push(name);
            }
        }
    }
    let children = |of: &str| pairs.iter().filter(|p| p.0 == of).map(|p| p.1).collect::<Vec<_>>();
    let near = |name: &str| {
        let below = children("HR");
        let joint = pairs.iter().any(|p| p.0 == name && (p.1 == "HR" || below.contains(&p.1)));
        joint || below.contains(&name)
    };
    let emphasis = |name: &str| match name {
        "HR" => Emphasis::Class,
        _ if near(name) => Emphasis::Attribute,
        _ => Emphasis::Faded,
    };
    let at = |name: &str| names.iter().position(|n| *n == name).unwrap_or(0);
    NetworkDrawing {
        title: Some("The ALARM network".into()),
        note: Some("in full ink: the Markov blanket of the heart rate (HR)".into()),
        nodes: names.iter().map(|n| node(n, emphasis(n))).collect(),
        arcs: pairs.iter().map(|(a, b)| arc(at(a), at(b), None)).collect(),
        strength_note: None,
    }
    .svg()
}

/// The five nodes of Pearl's example.
fn small() -> String {
    let names = ["burglary", "earthquake", "alarm", "John calls", "Mary calls"];
    let arcs = [(0, 2, 0.9), (1, 2, 0.4), (2, 3, 1.0), (2, 4, 0.7)];
    let emphasis = |i| if i == 0 { Emphasis::Class } else { Emphasis::Attribute };
    NetworkDrawing {
        title: Some("Five nodes".into()),
        nodes: names.iter().enumerate().map(|(i, n)| node(n, emphasis(i))).collect(),
        arcs: arcs.iter().map(|(a, b, s)| arc(*a, *b, Some(*s))).collect(),
        strength_note: Some("arc width: mutual information".into()),
        note: None,
    }
    .svg()
}

/// Naive Bayes on some of the attributes; the others are left over.
fn selective() -> String {
    let mut nodes = vec![node("class", Emphasis::Class)];
    let chosen = |i: usize| i % 3 == 1;
    nodes.extend(VOTES.iter().enumerate().map(|(i, name)| {
        node(name, if chosen(i) { Emphasis::Attribute } else { Emphasis::Faded })
    }));
    let arcs = (0..VOTES.len()).filter(|i| chosen(*i)).map(|i| arc(0, i + 1, None)).collect();
    NetworkDrawing {
        title: Some("Selective naive Bayes".into()),
        nodes,
        arcs,
        ..Default::default()
    }
    .svg()
}

/// All of them with their captions.
pub fn all() -> Vec<(String, &'static str)> {
    vec![
        (small(), "Wide arcs are strong."),
        (classifier("Naive Bayes", &CHESS, 0, false), "The arcs of the class are light."),
        (classifier("Tree-augmented", &CHESS, 1, true), "A tree over the attributes."),
        (classifier("2-dependence", &VOTES, 2, true), "Two parents besides the class."),
        (selective(), "What is not used is faded."),
        (alarm(), "A network that was not made to classify."),
    ]
}
