//! A page with a chart of every kind: `cargo run --release --example charts -- charts.html`
//!
//! The numbers are made up; they only show what the charts look like.

#[path = "charts/groups.rs"]
mod groups;
#[path = "charts/networks.rs"]
mod networks;

use sare::draw::{
    Bar, BarStyle, Bars, Bin, Block, Cell, Column, CriticalDifference, Figure, LinePoint, Lines,
    Page, Ranked, Reliability, Scatter, ScatterPoint, Section, Series, Table,
};

const SETS: [(&str, f64, f64); 25] = [
    ("adult", 0.168, 0.139),
    ("audiology", 0.271, 0.302),
    ("australian", 0.141, 0.149),
    ("breast-cancer", 0.276, 0.294),
    ("car", 0.146, 0.058),
    ("chess", 0.121, 0.077),
    ("cleveland", 0.165, 0.172),
    ("corral", 0.134, 0.014),
    ("credit-german", 0.245, 0.262),
    ("flare", 0.201, 0.174),
    ("glass", 0.298, 0.305),
    ("heart-statlog", 0.163, 0.167),
    ("hepatitis", 0.152, 0.148),
    ("iris", 0.053, 0.053),
    ("letter", 0.251, 0.141),
    ("lymphography", 0.149, 0.176),
    ("mofn-3-7-10", 0.136, 0.089),
    ("nursery", 0.097, 0.064),
    ("pima-indians-diabetes", 0.246, 0.241),
    ("satimage", 0.181, 0.124),
    ("segment", 0.081, 0.049),
    ("shuttle-small", 0.009, 0.002),
    ("soybean-large", 0.071, 0.066),
    ("vehicle", 0.386, 0.294),
    ("waveform-21", 0.189, 0.178),
];

fn scatter() -> String {
    let point = |(name, x, y): &(&str, f64, f64)| ScatterPoint {
        name: (*name).into(),
        x: *x,
        y: *y,
        x_error: Some(0.004 + 0.05 * x),
        y_error: Some(0.004 + 0.05 * y),
    };
    Scatter {
        title: "Errors on 25 data sets".into(),
        x_label: "error of naive Bayes".into(),
        y_label: "error of a tree-augmented network".into(),
        points: SETS.iter().map(point).collect(),
        ..Scatter::default()
    }
    .svg()
}

fn learning_curves() -> String {
    let line = |name: &str, floor: f64, start: f64, speed: f64| Series {
        name: name.into(),
        points: (0..9)
            .map(|k| {
                let rows = 50.0 * 2f64.powi(k);
                let y = floor + start * (rows / 50.0).powf(-speed);
                LinePoint { x: rows, y, error: Some(0.15 * (y / rows).sqrt()) }
            })
            .collect(),
    };
    Lines {
        title: "Learning curves".into(),
        x_label: "training rows".into(),
        y_label: "error".into(),
        series: vec![
            line("naive Bayes", 0.17, 0.06, 0.6),
            line("tree-augmented", 0.12, 0.14, 0.6),
            line("2-dependence", 0.085, 0.22, 0.55),
            line("3-dependence", 0.06, 0.31, 0.5),
        ],
        x_log: true,
        ..Lines::default()
    }
    .svg()
}

fn roc() -> String {
    let line = |name: &str, bend: f64| Series {
        name: format!("{name} (AUC {:.3})", bend / (1.0 + bend)),
        points: (0..=200)
            .map(|k| f64::from(k) / 200.0)
            .map(|t| LinePoint { x: t.powf(bend), y: t, error: None })
            .collect(),
    };
    Lines {
        title: "ROC curves".into(),
        x_label: "false positive rate".into(),
        y_label: "true positive rate".into(),
        series: vec![line("naive Bayes", 4.0), line("tree-augmented", 7.0), line("forest", 11.0)],
        unit_square: true,
        diagonal: true,
        ..Lines::default()
    }
    .svg()
}

fn history() -> String {
    let line = |name: &str, rate: f64| Series {
        name: name.into(),
        points: (0..120)
            .map(|k| LinePoint {
                x: f64::from(k),
                y: -0.32 - 0.5 * (-rate * f64::from(k)).exp(),
                error: None,
            })
            .collect(),
    };
    Lines {
        title: "Conditional log-likelihood by iteration".into(),
        x_label: "iteration".into(),
        y_label: "mean ln p(class | row)".into(),
        series: vec![line("conjugate gradient", 0.12), line("gradient ascent", 0.03)],
        ..Lines::default()
    }
    .svg()
}

fn reliability() -> String {
    let rows = [5210.0, 1804.0, 922.0, 513.0, 0.0, 0.0, 0.0, 488.0, 901.0, 3377.0];
    let bins = rows.iter().enumerate().map(|(i, count)| {
        let middle = (i as f64 + 0.5) / 10.0;
        let observed = middle + 0.35 * middle * (1.0 - middle) * (middle - 0.4);
        let error = 1.96 * (observed * (1.0 - observed) / f64::max(*count, 1.0)).sqrt();
        Bin {
            low: i as f64 / 10.0,
            high: (i + 1) as f64 / 10.0,
            predicted: middle,
            observed,
            error: Some(error),
            count: *count,
        }
    });
    Reliability {
        title: "Calibration of naive Bayes".into(),
        note: "bars: 95% intervals; three bins hold no rows".into(),
        bins: bins.collect(),
        ..Reliability::default()
    }
    .svg()
}

const RANKS: [(&str, f64); 12] = [
    ("averaged one-dependence", 3.62),
    ("forest of dependence trees", 3.94),
    ("3-dependence", 4.88),
    ("tree-augmented (discrim.)", 5.02),
    ("tree-augmented", 5.36),
    ("2-dependence", 5.90),
    ("hill climbing (BDeu)", 6.52),
    ("selective naive Bayes", 7.10),
    ("attribute-weighted NB", 7.26),
    ("naive Bayes + conj. grad.", 7.98),
    ("naive Bayes", 9.74),
    ("majority class", 10.68),
];

fn critical_difference() -> String {
    let learners = RANKS.iter().map(|(name, rank)| Ranked { name: (*name).into(), rank: *rank });
    CriticalDifference {
        title: "Average ranks of 12 learners on 25 data sets".into(),
        note: "Nemenyi test at 0.05; the best rank is on the left".into(),
        learners: learners.collect(),
        critical_difference: 3.332,
    }
    .svg()
}

fn bars(style: BarStyle) -> String {
    let (title, x_label, rows): (&str, &str, &[(&str, f64, f64)]) = match style {
        BarStyle::Bars => (
            "Relevance of attributes",
            "mutual information with the class (bits)",
            &[
                ("safety", 0.262, 0.014),
                ("persons", 0.220, 0.013),
                ("buying price of the vehicle", 0.096, 0.009),
                ("maintenance", 0.074, 0.008),
                ("luggage boot", 0.030, 0.005),
                ("doors", 0.004, 0.002),
            ],
        ),
        _ => (
            "Accuracies",
            "accuracy",
            &[
                ("3-dependence", 0.9472, 0.0051),
                ("tree-augmented", 0.9421, 0.0047),
                ("averaged one-dependence", 0.9298, 0.0062),
                ("naive Bayes", 0.8540, 0.0085),
            ],
        ),
    };
    let bar = |r: &(&str, f64, f64)| Bar { name: r.0.into(), value: r.1, error: Some(r.2) };
    let bars = rows.iter().map(bar).collect();
    Bars { title: title.into(), x_label: x_label.into(), bars, style, ..Bars::default() }.svg()
}

fn table() -> Table {
    let column = |heading: &str, numeric| Column { heading: heading.into(), numeric };
    let row = |(name, x, y): &(&str, f64, f64)| {
        let cell = |v: &f64, other: &f64| Cell { text: format!("{v:.3}"), best: v <= other };
        vec![Cell::from(*name), cell(x, y), cell(y, x)]
    };
    Table {
        caption: "Errors; the smaller of a row in bold".into(),
        columns: vec![
            column("data set", false),
            column("naive Bayes", true),
            column("tree-augmented", true),
        ],
        rows: SETS.iter().take(8).map(row).collect(),
    }
}

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "charts.html".into());
    let figure =
        |svg: String, caption: &str| Block::Figure(Figure { svg, caption: caption.into() });
    let section = |heading: &str, blocks: Vec<Block>| Section { heading: heading.into(), blocks };
    let page = Page {
        title: "Charts".into(),
        lead: "One of each kind, from numbers that are made up.".into(),
        sections: vec![
            section(
                "Two learners",
                vec![
                    Block::Paragraph("Below the diagonal the second learner errs less.".into()),
                    figure(scatter(), "Each point is a data set; bars are standard errors."),
                    Block::Table(table()),
                ],
            ),
            section(
                "Curves",
                vec![
                    figure(
                        learning_curves(),
                        "More parents pay once there are rows to learn from.",
                    ),
                    figure(roc(), "The dashed line is chance."),
                    figure(history(), "Two optimisers from the same start."),
                ],
            ),
            section("Calibration", vec![figure(reliability(), "Dots on the diagonal are honest.")]),
            section(
                "Many learners",
                vec![figure(critical_difference(), "Bars join learners that do not differ.")],
            ),
            section(
                "Rows of values",
                vec![
                    figure(bars(BarStyle::Bars), "Bars start at 0."),
                    figure(bars(BarStyle::Dots), "Dots need not."),
                ],
            ),
            section(
                "Groups of rows",
                groups::all().into_iter().map(|(svg, caption)| figure(svg, caption)).collect(),
            ),
            section(
                "Networks",
                networks::all().into_iter().map(|(svg, caption)| figure(svg, caption)).collect(),
            ),
        ],
        footer: "Written by the example charts of sare.".into(),
    };
    std::fs::write(path, page.html())
}
