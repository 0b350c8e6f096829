//! Charts of groups of rows.

use sare::draw::{
    Histogram, HistogramBin, MembershipBars, Panel, Panels, ProfileBlock, ProfileGroup, ProfileRow,
    Profiles,
};

const QUESTIONS: [(&str, f64, f64); 5] = [
    ("reads the local paper", 1.0, 0.412),
    ("votes in town elections", 0.998, 0.251),
    ("belongs to a club", 0.871, 0.094),
    ("owns a bicycle", 0.310, 0.011),
    ("has moved in the last year", 0.024, 0.001),
];

/// Every chart with what it shows.
pub fn all() -> Vec<(String, &'static str)> {
    vec![
        (panels(), "Two measures of the same columns."),
        (profiles(), "Bars lead from the share in all to that in the group."),
        (histogram(), "Most rows are sure of their group."),
        (memberships(), "A bar a row."),
    ]
}

fn panels() -> String {
    let panel = |label: &str, most, value: fn(&(&str, f64, f64)) -> f64| Panel {
        label: label.into(),
        values: QUESTIONS.iter().map(value).collect(),
        most,
    };
    Panels {
        title: "What each question tells".into(),
        names: QUESTIONS.iter().map(|q| q.0.into()).collect(),
        panels: vec![
            panel("probability that it matters", Some(1.0), |q| q.1),
            panel("mutual information (bits)", None, |q| q.2),
        ],
        ..Panels::default()
    }
    .svg()
}

fn profiles() -> String {
    let groups = [("settled", "45 %"), ("curious", "35 %"), ("passing through", "20 %")];
    let levels = [("never", 0.3), ("sometimes", 0.5), ("often", 0.2)];
    let block = |(i, question): (usize, &(&str, f64, f64))| {
        let row = |(k, (name, whole)): (usize, &(&str, f64))| {
            let turn = |g: usize| 0.2 * question.1 * ((g + k + i) as f64 * 2.1).sin();
            let shares = (0..groups.len()).map(|g| whole + turn(g)).collect();
            ProfileRow { name: (*name).into(), whole: *whole, shares }
        };
        let rows = levels.iter().enumerate().map(row).collect();
        ProfileBlock { name: question.0.into(), rows, more: 0 }
    };
    let group = |g: &(&str, &str)| ProfileGroup { name: g.0.into(), note: g.1.into() };
    Profiles {
        title: "Answers of three groups".into(),
        groups: groups.iter().map(group).collect(),
        blocks: QUESTIONS.iter().enumerate().map(block).collect(),
        ..Profiles::default()
    }
    .svg()
}

fn histogram() -> String {
    let bin = |i: usize| HistogramBin {
        low: i as f64 / 20.0,
        high: (i + 1) as f64 / 20.0,
        count: (i as f64 / 3.0).exp().floor(),
    };
    Histogram {
        title: "How sure the rows are".into(),
        x_label: "largest membership probability".into(),
        y_label: "rows".into(),
        bins: (6..20).map(bin).collect(),
        ..Histogram::default()
    }
    .svg()
}

fn memberships() -> String {
    let row = |i: usize| {
        let odds = |g: usize| (3.0 * (i as f64 * 0.37 + g as f64 * 2.1).sin()).exp();
        let sum: f64 = (0..3).map(odds).sum();
        (0..3).map(|g| odds(g) / sum).collect()
    };
    MembershipBars {
        title: "Membership of 120 rows".into(),
        y_label: "probability".into(),
        groups: ["settled", "curious", "passing through"].map(String::from).into(),
        rows: (0..120).map(row).collect(),
        ..MembershipBars::default()
    }
    .svg()
}
