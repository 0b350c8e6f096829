//! `sare cluster` through the binary.

use crate::util::*;

/// Runs sare, which must fail and say all of this.
fn fails(args: &[&str], wanted: &[&str]) {
    let (code, out, error) = run(args, b"");
    assert!(code != 0 && out.is_empty(), "sare {args:?}: {out}");
    assert!(wanted.iter().all(|w| error.contains(w)), "sare {args:?}: {error}");
}

/// Rows of a random naive Bayes whose class is known.
fn rows(s: &Scratch) -> String {
    let data = s.path("rows.csv");
    ok(&[
        "generate",
        "random-nb",
        "-n",
        "300",
        "--variables",
        "8",
        "--states",
        "3",
        "--clusters",
        "2",
        "--alpha",
        "0.4",
        "--seed",
        "5",
        "-o",
        &data,
    ]);
    data
}

#[test]
fn clusters_are_found_saved_and_used_like_any_model() {
    let s = Scratch::new();
    let data = rows(&s);
    let (model, grouped) = (s.path("m.json"), s.path("grouped.csv"));
    for method in ["ema", "em:0"] {
        let found = json(&[
            "cluster",
            &data,
            "--clusters",
            "2",
            "--method",
            method,
            "--starts",
            "20",
            "--truth",
            "class",
            "-o",
            &model,
            "--assign",
            &grouped,
        ]);
        assert!(found["agreement"]["accuracy"].as_f64().unwrap() > 0.9, "{found}");
        let sizes: Vec<f64> =
            found["sizes"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(sizes[0] >= sizes[1] && (sizes[0] + sizes[1] - 300.0).abs() < 1e-6);
        assert_eq!(found["starts"].as_array().unwrap().len(), 20);
        let relevant = found["columns"][0]["relevance"].as_f64();
        assert_eq!(relevant.is_some(), method == "ema");
        // The class did not take part, and the rows come back as they were.
        let text = std::fs::read_to_string(&grouped).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 301);
        assert!(lines[0].ends_with(",class,predicted_cluster,p_1,p_2"), "{}", lines[0]);
        ok(&["show", &model]);
        ok(&["sample", &model, "-n", "5"]);
        let asked = json(&["query", &model, "--given", "cluster=1", "--target", "x1"]);
        assert!(asked.to_string().contains("x1"));
        let again = json(&["partitions", &grouped, "--columns", "class,predicted_cluster"]);
        assert!(again.to_string().contains("accuracy"));
    }
    let text = ok(&["cluster", &data, "-k", "2", "--starts", "10", "--truth", "class"]);
    for part in ["reached by", "bits about the cluster", "cluster 2", "known groups"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Every method makes a model that the other commands take.
#[test]
fn every_method_makes_a_model() {
    let s = Scratch::new();
    let data = rows(&s);
    let model = s.path("m.json");
    let methods = [
        "em-tan",
        "ema-tan:1,orders=2",
        "ema-trees",
        "em-network",
        "structural-em",
        "bc-em",
        "structural-em:bayesian,parents=2",
        "kmodes",
        "kmeans",
    ];
    for method in methods {
        let args =
            ["cluster", &data, "-k", "2", "--method", method, "--starts", "5", "--truth", "class"];
        let found = json(&[&args[..], &["--ignore", "x7,x8", "-o", &model]].concat());
        assert!(found["agreement"]["accuracy"].as_f64().unwrap() > 0.5, "{method}: {found}");
        let predicted = ok(&["predict", &model, &data]);
        assert_eq!(predicted.lines().count(), 301, "{method}");
        assert!(ok(&["show", &model]).contains(method.split(':').next().unwrap()), "{method}");
    }
    // Rows are of the cluster that k-modes put them in, whatever the model of the clusters says.
    let grouped = s.path("g.csv");
    let hard = ["cluster", &data, "-k", "3", "--method", "kmodes", "--assign", &grouped];
    let found = json(&hard);
    let text = std::fs::read_to_string(&grouped).unwrap();
    assert!(
        text.lines()
            .skip(1)
            .all(|l| l.contains(",1,0,0") || l.contains(",0,1,0") || l.ends_with(",0,0,1"))
    );
    assert_eq!(found["objective"][0], "cells that differ");
}

#[test]
fn a_number_is_recommended_of_several() {
    let s = Scratch::new();
    let data = rows(&s);
    let args = ["cluster", &data, "-k", "2..4", "--starts", "5", "--truth", "class"];
    let found = json(&[&args[..], &["--choose", "icl", "--folds", "3"]].concat());
    let tried: Vec<u64> = found["tried"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["clusters"].as_u64().unwrap())
        .collect();
    assert_eq!(tried, [1, 2, 3, 4]);
    assert!(found["tried"][1]["held_out_log_likelihood"].is_f64() && found["rule"] == "icl");
    assert_eq!(found["clusters"], 2);
    let text = ok(&args);
    assert!(text.contains("best by bic") && text.contains("held-out"), "{text}");
    let split =
        json(&["cluster", &data, "-k", "1", "--method", "em", "--split-merge", "--truth", "class"]);
    assert_eq!(split["clusters"], 2, "{split}");
}

#[test]
fn structures_orders_and_policies() {
    let s = Scratch::new();
    let data = rows(&s);
    let base = ["cluster", &data[..], "-k", "2", "--starts", "5", "--truth", "class"];
    let with = |more: &[&str]| json(&[&base[..], more].concat());
    let formula = "[cluster][x1|cluster][x2|x1:cluster][x3|cluster][x4|cluster][x5][x6][x7][x8]";
    let given = with(&["--structure", formula, "--method", "em:0.5"]);
    assert!(given["method"].as_str().unwrap().contains("x2|"), "{given}");
    let file = s.write("graph.txt", formula);
    let read = with(&["--method", &format!("em:{file}")]);
    assert!(read["method"].as_str().unwrap().contains("x2|"), "{read}");
    for policy in ["uniform", "weighted"] {
        let found = with(&["--method", "em", "--policy", policy]);
        assert!(found["agreement"]["accuracy"].as_f64().unwrap() > 0.9, "{policy}: {found}");
    }
    let ordered = with(&["--method", "ema-tan", "--order", "x3,x1"]);
    assert!(ordered["method"].as_str().unwrap().contains("order=columns"), "{ordered}");
}

#[test]
fn what_cannot_be_clustered_is_refused() {
    let s = Scratch::new();
    let data = rows(&s);
    let refused = |options: &[&str], wanted: &[&str]| {
        fails(&[&["cluster", &data[..]], options].concat(), wanted);
    };
    refused(&["-k", "0"], &["clusters = 0", "from 1 to"]);
    refused(&["-k", "2", "--starts", "0"], &["starts = 0"]);
    refused(&["-k", "2", "--method", "emma"], &["emma", "did you mean 'ema'"]);
    refused(&["-k", "2", "--truth", "clas"], &["no column 'clas'", "did you mean 'class'"]);
    refused(&["-k", "2", "--discretise", "mdlp"], &["needs no class"]);
    refused(&["-k", "4..2"], &["4..2", "rises"]);
    refused(&["-k", "two"], &["'two'", "1..8"]);
    refused(&["-k", "2", "--policy", "bets"], &["bets", "did you mean 'best'"]);
    refused(&["-k", "1..2", "--choose", "bics"], &["bics", "did you mean 'bic'"]);
    refused(&["-k", "1..2", "--choose", "cv", "--folds", "0"], &["folds = 0", "at least 2"]);
    refused(&["-k", "2", "--structure", "[cluster][x1|cluster]", "--method", "ema"], &["em"]);
    refused(&["-k", "2", "--structure", "[cluster][x99|cluster]"], &["x99"]);
    refused(&["-k", "2", "--method", "ema-tan", "--order", "x1,x1"], &["--order", "x1"]);
    refused(&["-k", "2", "--method", "ema-tan:1,order=up"], &["order = up", "mi, random, columns"]);
    refused(&["-k", "2", "-o", &data], &["replace the data file"]);
    refused(&["-k", "2", "--method", "ema-tan", "--split-merge", "--starts", "2"], &["em or ema"]);
    let empty = s.write("empty.csv", "a,b\n,\nNA,\n");
    fails(&["cluster", &empty, "-k", "2"], &["no column"]);
    let none = s.write("none.csv", "a,b\n");
    fails(&["cluster", &none, "-k", "2"], &["no row"]);
}

/// Nothing that is read, or that was just written, is written over, whichever way its name is written.
#[test]
fn no_file_is_written_over_another() {
    let s = Scratch::new();
    let data = rows(&s);
    let model = s.path("m.json");
    let learn = ["cluster", &data, "-k", "2", "--starts", "2", "--truth", "class"];
    ok(&[&learn[..], &["-o", &model]].concat());
    let twice = s.path("./m.json");
    let before = s.files();
    fails(&[&learn[..], &["-o", &data]].concat(), &["--output", "data file"]);
    fails(&[&learn[..], &["-o", &model, "--assign", &twice]].concat(), &["different files"]);
    let (new, again) = (s.path("new.csv"), s.path("./new.csv"));
    fails(&[&learn[..], &["-o", &new, "--assign", &again]].concat(), &["different files"]);
    fails(&["report", &model, &data, "-o", &data], &["--output", "data file"]);
    fails(&["report", &model, &data, "-o", &twice], &["--output", "model"]);
    fails(&["predict", &model, &data, "-o", &model], &["--output", "model"]);
    fails(&["show", &model, "--svg", &twice], &["--svg", "model"]);
    fails(&["sample", &model, "-o", &model], &["--output", "model"]);
    fails(&["fit", &data, "--class", "class", "-o", &data], &["--output", "data file"]);
    // Where no file can be is said before anything is learnt.
    let (nowhere, folder) = (s.path("none/m.json"), s.path("."));
    fails(&[&learn[..], &["-o", &nowhere]].concat(), &["--output", "no folder", "none"]);
    fails(&[&learn[..], &["-o", &new, "--assign", &folder]].concat(), &["--assign", "is a folder"]);
    let judged = ["compare", &data, "--class", "class"];
    for option in ["--html", "--resume"] {
        fails(&[&judged[..], &[option, &data]].concat(), &[option, "data file"]);
    }
    let html = s.path("new.html");
    let into = format!("--csv={html}");
    fails(&[&judged[..], &["--html", &html, &into]].concat(), &["different files"]);
    let costs = s.write("costs.csv", "truth,1,2\n1,0,1\n2,1,0\n");
    let curve = ["curve", &data, "--class", "class", "--sizes", "50"];
    fails(&[&curve[..], &["--svg", &data]].concat(), &["--svg", "data file"]);
    fails(&[&curve[..], &["--cost", &costs, "--svg", &costs]].concat(), &["--svg", "cost file"]);
    std::fs::remove_file(&costs).unwrap();
    assert!(s.files() == before);
}

#[test]
fn clustered_rows_are_compared_by_their_clusters() {
    let s = Scratch::new();
    let data = rows(&s);
    let grouped = s.path("grouped.csv");
    let learn = ["cluster", &data, "-k", "2", "--starts", "5", "--truth", "class"];
    let found = json(&[&learn[..], &["--assign", &grouped]].concat());
    let compared = json(&["partitions", &data, &grouped]);
    assert_eq!(compared["second"]["column"], "predicted_cluster");
    let (a, b) = (&found["agreement"]["adjusted_rand"], &compared["measures"]["adjusted_rand"]);
    assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-12, "{a} {b}");
}

#[test]
fn names_with_commas_stand_in_quotes() {
    let s = Scratch::new();
    let rows: String = (0..40).map(|r| format!("{},{},{r}\n", r % 2, r / 2 % 2)).collect();
    let data = s.write("q.csv", format!("\"tea, or coffee?\",b,\"no, really\"\n{rows}"));
    let model = s.path("m.json");
    let ignore = "\"no, really\"";
    ok(&["cluster", &data, "-k", "2", "--starts", "2", "--ignore", ignore, "-o", &model]);
    ok(&["query", &model, "--given", "\"tea, or coffee?\"=1,b=0", "--target", "cluster"]);
    ok(&["query", &model, "--target", "\"tea, or coffee?\",b"]);
    ok(&["show", &model, "--variables", "\"tea, or coffee?\""]);
    fails(&["cluster", &data, "-k", "2", "--ignore", "\"no"], &["double quotes"]);
}

#[test]
fn options_that_cannot_be_obeyed_are_refused_by_their_own_names() {
    let s = Scratch::new();
    let data = rows(&s);
    let wrong = |options: &[&str], wanted: &[&str]| {
        fails(&[&["cluster", &data, "-k", "2", "--starts", "2"], options].concat(), wanted);
    };
    wrong(&["--method", "em:nofile.json"], &["nofile.json", "No such file"]);
    wrong(&["--method", "em", "--relevance-prior", "learnt"], &["--relevance-prior", "ema"]);
    wrong(&["--order", "class"], &["--order", "ema-tan"]);
    let orders = ["--method", "ema-tan", "--order", "class,class"];
    wrong(&orders, &["--order", "'class' twice"]);
    wrong(&["--truth", "class", "--ignore", "class"], &["--truth class", "--ignore"]);
    wrong(&["--method", "kmodes", "--policy", "uniform"], &["policy", "best"]);
    // Too few rows for parts: what was learnt from all of them is kept.
    let three = s.write("three.csv", "a,b\nx,1\ny,2\nx,2\n");
    let kept = ["cluster", &three, "-k", "1..3", "--method", "kmodes", "--starts", "2"];
    let (code, out, error) = run(&kept, b"");
    assert!(code == 0 && out.contains("best by bic"), "{error}");
    assert!(error.contains("could not be left out"), "{error}");
    // Every level comes once: whatever the number, a row left out is impossible without a prior.
    let ids: String = (0..20).map(|r| format!("n{r},{}\n", r % 2)).collect();
    let ids = s.write("ids.csv", format!("id,a\n{ids}"));
    let by_cv =
        ["cluster", &ids, "-k", "1..2", "--method", "em:0", "--starts", "2", "--choose", "cv"];
    let (code, _, error) = run(&[&by_cv[..], &["--keep", "id"]].concat(), b"");
    assert!(code == 0 && error.contains("cannot rank the numbers"), "{error}");
    let ranged = ["cluster", &data, "-k", "1..2", "--folds", "1"];
    fails(&ranged, &["folds", "at least 2"]);
    // A column that is called as the clusters are.
    let named = std::fs::read_to_string(&data).unwrap().replacen("class", "cluster", 1);
    let named = s.write("named.csv", named);
    let structure = ["--structure", "[cluster][x1|cluster]"];
    let learn = ["cluster", &named, "-k", "2", "--starts", "2"];
    fails(&[&learn[..], &structure].concat(), &["'cluster'", "rename"]);
    let (code, _, told) = run(&learn, b"");
    assert!(code == 0 && told.contains("a column is called 'cluster'"), "{told}");
}

#[test]
fn one_cluster_and_rows_without_a_known_group_are_told() {
    let s = Scratch::new();
    let data = rows(&s);
    let text = ok(&["cluster", &data, "-k", "1", "--truth", "class"]);
    assert!(!text.contains("matters") && !text.contains("more of"), "{text}");
    // The class of the first row goes missing.
    let mut lines: Vec<String> =
        std::fs::read_to_string(&data).unwrap().lines().map(String::from).collect();
    let cut = lines[1].rfind(',').unwrap() + 1;
    lines[1].truncate(cut);
    let holed = s.write("holed.csv", lines.join("\n"));
    let found = json(&["cluster", &holed, "-k", "2", "--starts", "2", "--truth", "class"]);
    assert_eq!(found["without_known_group"], 1);
    let text = ok(&["cluster", &holed, "-k", "2", "--starts", "2", "--truth", "class"]);
    assert!(text.contains("(1 without one left out)"), "{text}");
}
