//! Latent classes by maximum likelihood against figures that poLCA prints and an independent EM. `golden/README.md` says how the
//! figures were made.

use sare::cluster::{Clusterer, Clustering, Marginals, boundary};
use sare::data::{Cells, Field, Table};
use sare::registry;
use sare::run::{Run, Stop};
use serde_json::Value;

/// The rows of a frequency table, as many of each cell as it counts.
fn table(set: &Value) -> Table {
    let list = |v: &Value| v.as_array().expect("an array").clone();
    let text = |v: &Value| v.as_str().expect("a text").to_string();
    let (names, counts) = (list(&set["columns"]), list(&set["counts"]));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (cell, count) in list(&set["cells"]).iter().zip(counts) {
        let row: Vec<String> = text(cell).split(' ').map(String::from).collect();
        rows.extend(std::iter::repeat_n(row, count.as_u64().expect("a count") as usize));
    }
    let column = |(v, name): (usize, &Value)| {
        let mut levels: Vec<String> = rows.iter().map(|row| row[v].clone()).collect();
        levels.sort();
        levels.dedup();
        let codes = rows.iter().map(|row| levels.iter().position(|level| *level == row[v]));
        let codes: Vec<Option<usize>> = codes.collect();
        let cells = Cells::from_codes(codes, levels.len());
        (Field::discrete(text(name), levels), cells)
    };
    let columns = names.iter().enumerate().map(column).collect();
    Table::new("golden", columns).expect("the columns fit")
}

fn find(table: &Table, clusters: usize) -> Clustering {
    let method = registry::clusterer("em:0").expect("the method is known");
    let learner = Clusterer { method, clusters, ..Clusterer::default() };
    learner.find(table.view(), &Run::default()).expect("clusters are found")
}

#[test]
fn maximum_likelihood_is_that_of_other_programs() {
    let path = format!("{}/tests/golden/latent_classes.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the file is in the tree");
    let golden: Value = serde_json::from_str(&text).expect("the file is JSON");
    let number = |v: &Value| v.as_f64().expect("a number");
    let mut compared = 0;
    for (name, set) in golden.as_object().expect("data sets") {
        let table = table(set);
        for fit in set["fits"].as_array().expect("fits") {
            let clusters = fit["classes"].as_u64().expect("a number") as usize;
            let found = find(&table, clusters);
            let what = format!("{name} with {clusters} classes");
            let outcome = found.model.outcome();
            let told = outcome.clusters.as_ref().expect("clusters were found");
            assert_eq!(outcome.stop, Stop::Converged, "{what}");
            let (ours, wanted) = (told.log_likelihood, number(&fit["log_likelihood"]));
            assert!((ours - wanted).abs() < 2e-6, "{what}: {ours} {wanted}");
            // Rounded as it is printed: to three or four decimals.
            let printed = number(&fit["printed"]);
            let digits = fit["printed"].to_string().split('.').nth(1).map_or(0, str::len);
            let half = 0.5000001 * 0.1f64.powi(digits as i32);
            assert!((ours - printed).abs() <= half, "{what}: {ours} {printed}");
            // Where the table does not determine the classes, starts that are as good end elsewhere.
            let identified = fit["identified"].as_bool().expect("yes or no");
            assert_eq!(told.alternatives.is_none(), identified, "{what}: {:?}", told.alternatives);
            compared += 1;
            if !identified {
                continue;
            }
            let marginals = Marginals::of(&found.model).expect("a network");
            for (c, share) in fit["shares"].as_array().expect("shares").iter().enumerate() {
                let ours = marginals.clusters[c];
                assert!((ours - number(share)).abs() < 1e-4, "{what}, share {c}: {ours} {share}");
            }
            let mut zeros = 0;
            for (v, rows) in fit["probabilities"].as_array().expect("tables").iter().enumerate() {
                for (c, row) in rows.as_array().expect("rows").iter().enumerate() {
                    for (s, p) in row.as_array().expect("a row").iter().enumerate() {
                        let ours = marginals.given(v, c)[s];
                        let p = number(p);
                        assert!((ours - p).abs() < 1e-3, "{what}, {v} {c} {s}: {ours} {p}");
                        zeros += usize::from(ours == 0.0);
                    }
                }
            }
            // What is estimated as 0 is 0, and no other probability is near.
            let near = marginals.attributes.iter().flatten().filter(|p| **p < 1e-5).count();
            assert_eq!(near, zeros, "{what}");
            assert_eq!(boundary(&marginals).is_empty(), zeros == 0, "{what}");
        }
    }
    assert_eq!(compared, 9);
}
