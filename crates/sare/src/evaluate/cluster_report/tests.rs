use super::*;
use crate::average::order::OrderAverage;
use crate::classify::{Learner, Structures};
use crate::cluster::pairing::Labeling;
use crate::cluster::{Chooser, Clusterer, Rule};
use crate::data::read::SchemaReader;
use crate::data::{ReadOptions, Table as Rows, read_table};
use crate::num::tolerance::close;
use crate::run::Run;
use crate::structure::naive::NaiveBayes;
use crate::structure::tan::{Edges, TreeAugmented};
use serde_json::{Value, json};

/// Rows of two kinds that three columns tell apart and one does not, in a file; some cells missing, all weighed.
fn file(folder: &tempfile::TempDir) -> String {
    let mut text = String::from("a,<b>,c & d,noise,class,w\n");
    for r in 0..120usize {
        let kind = r % 2;
        let cell = |turn: usize, names: [&'static str; 2]| match r % turn {
            0 if r % 4 == 0 => "?",
            0 => names[1 - kind],
            _ => names[kind],
        };
        let (a, b, c) = (cell(11, ["x", "y"]), cell(7, ["<i>", "\"q\""]), cell(9, ["low", "high"]));
        let noise = ["p", "q", "r"][r / 2 % 3];
        text.push_str(&format!("{a},{},{c},{noise},k{kind},{}\n", b.replace('"', "'"), 1 + r % 3));
    }
    let path = folder.path().join("rows.csv").to_str().unwrap().to_string();
    std::fs::write(&path, text).unwrap();
    path
}

fn rows(path: &str, ignored: &[&str]) -> Rows {
    let ignore = ignored.iter().map(|c| c.to_string()).collect();
    let options = ReadOptions { weight: Some("w".into()), ignore, ..ReadOptions::default() };
    read_table(path, &options, &Run::default()).unwrap()
}

fn clusters(path: &str) -> Classifier {
    let learner = Clusterer { clusters: 2, starts: 5, ..Clusterer::default() };
    learner.fit(rows(path, &["class"]).view(), &Run::default()).unwrap()
}

fn membership(model: &Classifier, path: &str, weight: Option<&str>) -> Membership {
    let schema = Schema::new(model.attributes().to_vec());
    let options = ReadOptions { weight: weight.map(String::from), ..ReadOptions::default() };
    let mut reader = SchemaReader::open(path, &schema, &options, &[], false).unwrap();
    Membership::read(model, path, &mut reader, None, &Run::default()).unwrap()
}

#[test]
fn memberships_are_sums_over_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let model = clusters(&path);
    let table = rows(&path, &[]);
    let told = model.predict(&table, &Run::default()).unwrap().posteriors;
    let m = membership(&model, &path, Some("w"));
    let weights = table.weights().unwrap();
    let total: f64 = weights.iter().sum();
    assert_eq!((m.rows, m.weight), (120, total));
    let over = |value: &dyn Fn(&[f64]) -> f64| -> f64 {
        (0..120).map(|r| weights[r] * value(told.row(r))).sum()
    };
    let first = over(&|p| p[0]) / total;
    assert!(close(m.mean()[0], first, 1e-12) && close(m.mean().iter().sum(), 1.0, 1e-12));
    assert_eq!(m.assigned[1], over(&|p| f64::from(p[1] > p[0])));
    assert_eq!(m.sure.iter().sum::<f64>(), over(&|p| f64::from(p[0].max(p[1]) >= 0.9)));
    assert_eq!(m.bins.iter().sum::<f64>(), total);
    assert!(close(m.mean_largest(), over(&|p| p[0].max(p[1])) / total, 1e-12));
    let entropy = over(&|p| -p.iter().map(|p| p * p.max(1e-300).log2()).sum::<f64>()) / total;
    assert!(entropy > 1e-4 && close(m.mean_entropy(), entropy, 1e-9), "{entropy}");
    assert!(close(m.relative_entropy().unwrap(), 1.0 - entropy, 1e-9));
    let within = m.mean_within(0).unwrap();
    assert!(within[0] > 0.5 && close(within.iter().sum(), 1.0, 1e-12));
    // Cells of the four attributes alone.
    assert_eq!(m.missing.1, 480);
    let missing: usize = (0..4).map(|c| table.cells(c).missing()).sum();
    assert_eq!(m.missing.0, missing as u64);
    // Without weights every row counts once.
    assert_eq!(membership(&model, &path, None).weight, 120.0);
}

#[test]
fn the_page_tells_everything_and_escapes_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let model = clusters(&path);
    let clustered = Clustered::of(&model, "m.json").unwrap();
    // The column that is the same in both kinds comes last.
    assert_eq!(clustered.order[3], 3);
    let m = membership(&model, &path, None);
    let notes = ["column 'a': <odd>".to_string()];
    let html = page(&clustered, &m, "", &notes, "made & done").html();
    for part in [
        "<h1>Clusters of rows.csv</h1>",
        "2 clusters in 120 rows and 4 columns",
        "probability that it matters",
        "&lt;b&gt; = &lt;i&gt;",
        "c &amp; d",
        "Warning: column &#39;a&#39;: &lt;odd&gt;.",
        "Membership of every row",
        "Relative entropy",
        "made &amp; done",
    ] {
        assert!(html.contains(part), "{part}");
    }
    for raw in ["<b>", "<i>", "<odd>", "<script"] {
        assert!(!html.contains(raw), "{raw}");
    }
    assert_eq!(html, page(&clustered, &m, "", &notes, "made & done").html());
    assert!(page(&clustered, &m, "Voters", &[], "").html().contains("<h1>Voters</h1>"));
}

#[test]
fn how_the_number_was_chosen_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let told = |model: &Classifier| {
        let clustered = Clustered::of(model, "m.json").unwrap();
        page(&clustered, &membership(model, &path, None), "", &[], "").html()
    };
    assert!(!told(&clusters(&path)).contains("How many clusters"));
    let clusterer = Clusterer { starts: 3, ..Clusterer::default() };
    for (folds, drawn) in [(0, 3), (3, 4)] {
        let chooser =
            Chooser { clusterer: clusterer.clone(), numbers: 1..=3, folds, rule: Rule::Icl };
        let table = rows(&path, &["class"]);
        let mut choice = chooser.choose(table.view(), &Run::default()).unwrap();
        let mut model = choice.candidates.swap_remove(choice.chosen).clustering.model;
        let html = told(&model);
        for part in ["How many clusters", "2 is the best of the numbers tried by ICL", "chosen"] {
            assert!(html.contains(part), "{part}");
        }
        // One line per criterion; that of held-out rows where there are such.
        let chart = &html[html.find("Numbers of clusters").unwrap()..];
        let chart = &chart[..chart.find("</svg>").unwrap()];
        let lines = ["BIC", "AIC", "ICL", "held-out deviance"]
            .map(|name| chart.contains(&format!(">{name}<")));
        assert_eq!(lines.iter().filter(|there| **there).count(), drawn, "{lines:?}");
        assert!(!html.contains("is the largest that was tried"));
        // What the file says is what the page says.
        let saved = format!("{path}.{folds}.json");
        model.save(&saved).unwrap();
        model = Classifier::load(&saved).unwrap();
        assert_eq!(told(&model), html);
    }
}

#[test]
fn known_groups_stand_beside_the_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let (model, run) = (clusters(&path), Run::default());
    let options = ReadOptions { weight: Some("w".into()), ..ReadOptions::default() };
    let schema = Schema::new(model.attributes().to_vec());
    let mut reader = SchemaReader::open(&path, &schema, &options, &[], false).unwrap();
    let groups = Labeling::read(&path, Some("class"), None, &options, &run).unwrap();
    let m = Membership::read(&model, &path, &mut reader, Some(groups), &run).unwrap();
    // Row by row.
    let table = rows(&path, &[]);
    let told = model.predict(&table, &run).unwrap().posteriors;
    let mut meet = [[0.0; 2]; 2];
    for r in 0..120 {
        meet[r % 2][told.winner(r)] += table.weights().unwrap()[r];
    }
    let known = m.known.as_ref().unwrap();
    let right = f64::max(meet[0][0] + meet[1][1], meet[0][1] + meet[1][0]);
    assert!(close(known.agreement.accuracy, right / m.weight, 1e-12));
    let clustered = Clustered::of(&model, "m.json").unwrap();
    let html = page(&clustered, &m, "", &[], "").html();
    assert!(html.contains("Known groups") && html.contains("column class knows"));
    for (group, line) in meet.iter().enumerate() {
        let cells: Vec<String> = line.iter().map(|w| format!(">{w}<")).collect();
        let row = html.split("<tr").find(|row| row.contains(&format!(">k{group}<"))).unwrap();
        assert!(cells.iter().all(|cell| row.contains(cell)), "{row} {line:?}");
    }
    assert!(
        !page(&clustered, &membership(&model, &path, None), "", &[], "")
            .html()
            .contains("Known groups")
    );
}

/// A classifier that says of itself that its class is a cluster.
fn dressed(path: &str, structure: Structures, change: impl Fn(&mut Value)) -> Classifier {
    let learner = Learner { structure, ..Learner::default() };
    let model = learner.fit(rows(path, &[]).view(), "class", &Run::default()).unwrap();
    let file = format!("{path}.json");
    model.save(&file).unwrap();
    let mut value: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    value["outcome"]["clusters"] = json!({
        "log_likelihood": -500.0, "sizes": [130.0, 110.0], "starts": [], "reached": 0,
        "independence": [0.5, null, 0.4, 0.0], "information": [0.5, 0.4, 0.3, 0.1],
    });
    change(&mut value);
    Classifier::parse(&file, &value.to_string()).unwrap()
}

#[test]
fn attributes_may_depend_on_each_other_or_be_averaged_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let table = rows(&path, &[]);
    let structures: [Structures; 2] = [
        TreeAugmented { edges: Edges::Tree }.into(),
        Structures::Average(Box::new(OrderAverage::default())),
    ];
    for structure in structures {
        let (form, averaged) = (structure.form(), structure.one().is_none());
        let model = dressed(&path, structure, |_| {});
        assert_eq!(model.pairs().is_some(), averaged);
        let clustered = Clustered::of(&model, "m.json").unwrap();
        let html = page(&clustered, &membership(&model, &path, None), "", &[], "").html();
        assert!(html.contains("∞") && html.contains("cluster k1"), "{form}");
        // What it says of a level in a cluster is near what the rows say, which only smoothing keeps apart.
        let (mut both, mut all) = (0.0, 0.0);
        for r in (0..120).filter(|&r| table.cells(4).code(r) == Some(0)) {
            let weight = table.weights().unwrap()[r];
            let code = table.cells(2).code(r);
            all += if code.is_some() { weight } else { 0.0 };
            both += if code == Some(0) { weight } else { 0.0 };
        }
        let said = clustered.marginals.given(2, 0)[0];
        assert!((said - both / all).abs() < 0.03, "{form}: {said} {}", both / all);
    }
}

#[test]
fn models_without_fitting_clusters_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let told = |model: &Classifier| Clustered::of(model, "m.json").err().map(|e| e.to_string());
    let none = dressed(&path, NaiveBayes.into(), |v| v["outcome"]["clusters"] = Value::Null);
    let text = told(&none).unwrap();
    assert!(text.contains("m.json") && text.contains("sare cluster"), "{text}");
    assert!(told(&dressed(&path, NaiveBayes.into(), |_| {})).is_none());
}
