//! Evaluating and comparing.

use crate::util::*;
use serde_json::Value;

/// Two sets side by side: one that naive Bayes can learn, one that it cannot.
fn sets(s: &Scratch) -> (String, String) {
    (s.generate("monk3", "300"), s.generate("monk2", "300"))
}

#[test]
fn every_scheme_is_understood() {
    let s = Scratch::new();
    let data = s.generate("monk3", "120");
    let splits = |options: &[&str]| {
        let args = [&["evaluate", &data, "--class", "class"], options].concat();
        json(&args)["folds"].as_array().unwrap().len()
    };
    assert_eq!(splits(&[]), 10);
    assert_eq!(splits(&["--folds", "3", "--repeats", "4"]), 12);
    assert_eq!(splits(&["--folds", "3", "--unstratified"]), 3);
    assert_eq!(splits(&["--five-by-two"]), 10);
    assert_eq!(splits(&["--hold-out", "0.25", "--repeats", "7"]), 7);
    assert_eq!(splits(&["--bootstrap", "5"]), 6);
    assert_eq!(splits(&["--resubstitution"]), 1);
    let (code, _, error) =
        run(&["evaluate", &data, "--class", "class", "--leave-one-out", "--repeats", "2"], b"");
    assert_eq!((code, error.as_str()), (2, "sare: --repeats goes with --folds and --hold-out\n"));
}

#[test]
fn training_rows_flatter() {
    let s = Scratch::new();
    let data = s.generate("waveform-21", "150");
    let args = ["evaluate", &data, "--class", "class", "--folds", "5", "--training"];
    let result = json(&args);
    let mean = |part: &str| {
        let folds = result["folds"].as_array().unwrap();
        folds.iter().map(|f| f[part]["accuracy"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(mean("training") > mean("test"));
    assert!(ok(&args).contains("training"));
}

#[test]
fn costs_move_the_decisions() {
    let s = Scratch::new();
    let data = s.write("d.csv", "a,class\nx,ill\nx,well\ny,well\ny,well\nx,well\ny,ill\n");
    let model = s.fit("m.json", &data, &[]);
    let costs = s.write("cost.csv", "truth,well,ill\nwell,0,1\nill,100,0\n");
    let plain = ok(&["predict", &model, &data, "--only-predictions"]);
    assert!(cells(&plain)[1..].iter().all(|row| row[0] == "well"), "{plain}");
    let careful = ok(&["predict", &model, &data, "--only-predictions", "--cost", &costs]);
    assert_eq!(cells(&careful)[0].last(), Some(&"expected_cost"));
    assert!(cells(&careful)[1..].iter().all(|row| row[0] == "ill"), "{careful}");
    // The probabilities are what they were; the expected cost is that of calling a well one ill.
    for (a, b) in cells(&plain)[1..].iter().zip(&cells(&careful)[1..]) {
        assert_eq!(a[1..3], b[1..3]);
        assert_eq!(b[3], b[2]);
    }
    let evaluated =
        json(&["evaluate", &data, "--class", "class", "--folds", "2", "--cost", &costs]);
    assert!(evaluated["first_repetition"]["cost"].as_f64().unwrap() <= 1.0);
    let bad = s.write("bad.csv", "truth,well,il\nwell,0,1\nill,100,0\n");
    for args in [["evaluate", &data, "--class", "class"], ["predict", &model, &data, "--quiet"]] {
        let (code, _, error) = run(&[&args[..], &["--cost", &bad]].concat(), b"");
        assert_eq!(code, 1);
        assert!(error.contains(&bad) && error.contains("did you mean 'ill'?"), "{error}");
    }
}

#[test]
fn a_comparison_in_every_form() {
    let s = Scratch::new();
    let (easy, hard) = sets(&s);
    let args = ["compare", &easy, &hard, "--class", "class", "--parameters", "laplace,ml,bdeu:5"];
    let text = ok(&args);
    for part in ["monk3", "monk2", "nb+laplace", "nb+ml", "nb+bdeu:5", "average rank", "Friedman"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = ok(&[&args[..], &["--markdown"]].concat());
    assert!(markdown.starts_with("| data | nb+laplace | nb+ml | nb+bdeu:5 |\n| --- | ---: |"));
    let csv = ok(&[&args[..], &["--csv"]].concat());
    assert_eq!(cells(&csv).len(), 1 + 2 * 3);
    assert_eq!(cells(&csv)[0][..5], ["data", "learner", "splits", "failed", "accuracy"]);
    let result = json(&args);
    assert_eq!(result["results"].as_array().unwrap().len(), 6);
    assert_eq!(result["summary"]["average_ranks"].as_array().unwrap().len(), 3);
    let page = s.path("report.html");
    ok(&[&args[..], &["--html", &page]].concat());
    let html = s.read("report.html");
    assert!(html.starts_with("<!doctype html>") && html.contains("<svg"));
    // Nothing from elsewhere, nothing that runs.
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("@import"));
}

#[test]
fn a_comparison_goes_on_where_it_stopped() {
    let s = Scratch::new();
    let (easy, hard) = sets(&s);
    let journal = s.path("journal");
    let base = ["compare", &easy, &hard, "--class", "class", "--parameters", "laplace,ml", "--csv"];
    let whole = ok(&base);
    let args = [&base[..], &["--resume", &journal]].concat();
    assert_eq!(ok(&args), whole);
    let lines = s.read("journal");
    assert_eq!(lines.lines().count(), 2 * 2 * 10);
    let kept: String = lines.lines().take(13).map(|l| format!("{l}\n")).collect();
    s.write("journal", format!("{kept}{{\"data\": \"cut o"));
    assert_eq!(ok(&args), whole);
    assert_eq!(s.read("journal").lines().count(), 40);
    // Another seed is another comparison.
    ok(&[&args[..], &["--seed", "2"]].concat());
    assert_eq!(s.read("journal").lines().count(), 80);
}

#[test]
fn a_file_that_cannot_be_used_does_not_lose_the_others() {
    let s = Scratch::new();
    let (easy, _) = sets(&s);
    let small = s.write("small.csv", "a,class\nx,u\nx,u\ny,u\n");
    let (code, stdout, stderr) =
        run(&["compare", &easy, &small, "--class", "class", "--folds", "3"], b"");
    assert_eq!(code, 1);
    assert!(stdout.contains("monk3"), "{stdout}");
    assert!(stderr.contains("the class has one level, 'u'"), "{stderr}");
    assert!(stderr.contains("1 of 2 files were left out"), "{stderr}");
}

#[test]
fn classes_of_few_rows_are_spread_and_noted() {
    let s = Scratch::new();
    let (easy, _) = sets(&s);
    let small = s.write("small.csv", "a,class\nx,u\nx,u\nx,u\ny,u\ny,v\ny,w\ny,w\ny,w\n");
    let args = ["evaluate", &small, "--class", "class", "--folds", "4"];
    let (code, stdout, stderr) = run(&args, b"");
    assert_eq!((code, stderr.lines().count()), (0, 1), "{stderr}");
    assert!(stderr.contains("fewer rows than the 4 folds") && stderr.contains("'v (1)', 'w (3)'"));
    // The only row of its class is learnt from and never tested; the others are tested once.
    assert!(stdout.contains("7 rows tested"), "{stdout}");
    let found = json(&args);
    let confusion = &found["first_repetition"]["confusion"];
    let sum = |c: usize| {
        confusion[c].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).sum::<f64>()
    };
    assert_eq!([sum(0), sum(1), sum(2)], [4.0, 0.0, 3.0]);
    assert_eq!(found["notes"][0]["about"], "rare-classes");
    assert!(found["folds"].as_array().unwrap().iter().all(|f| f["trained"].as_u64() >= Some(6)));
    // The area under the curve is over the classes that have rows on both sides.
    assert!(found["first_repetition"]["auc"].as_f64().unwrap().is_finite());
    let both = ["compare", &easy, &small, "--class", "class", "--folds", "3"];
    let (code, stdout, stderr) = run(&both, b"");
    assert!(
        code == 0 && stdout.contains("small") && stderr.contains("small: classes with fewer"),
        "{stderr}"
    );
    ok(&["curve", &small, "--class", "class", "--folds", "3", "--sizes", "3,4"]);
    let (code, _, stderr) = run(&["evaluate", &small, "--class", "class", "--folds", "8"], b"");
    assert!(code != 0 && stderr.contains("from 2 to 7"), "{stderr}");
}

#[test]
fn a_file_that_is_no_journal_is_left_alone() {
    let s = Scratch::new();
    let (easy, _) = sets(&s);
    for notes in ["my only notes", "{\"not\": \"ours\"}", "notes\nmore notes\n"] {
        let path = s.write("notes.txt", notes);
        let (code, _, stderr) =
            run(&["compare", &easy, "--class", "class", "--resume", &path], b"");
        assert_eq!(code, 1);
        assert!(stderr.contains("no line of a journal"), "{stderr}");
        assert_eq!(s.read("notes.txt"), notes);
    }
}

#[test]
fn a_class_of_numbers_is_told_by_every_command() {
    let s = Scratch::new();
    let data = s.generate("waveform-21", "60");
    for command in ["fit", "evaluate", "compare", "curve"] {
        let more: &[&str] = match command {
            "fit" => &["-o", "-"],
            "curve" => &["--sizes", "10"],
            _ => &[],
        };
        let (code, _, stderr) = run(&[&[command, &data, "--class", "x1"], more].concat(), b"");
        assert_eq!(code, 1);
        assert!(stderr.contains("the class holds numbers"), "{command}: {stderr}");
    }
}

#[test]
fn schemes_that_have_no_curve_are_refused() {
    let s = Scratch::new();
    let (easy, _) = sets(&s);
    for scheme in ["--leave-one-out", "--resubstitution"] {
        let args = ["curve", &easy, "--class", "class", "--sizes", "20", scheme];
        let (code, _, stderr) = run(&args, b"");
        assert_eq!(code, 2);
        assert!(stderr.contains("folds, hold-out or train-first"), "{stderr}");
    }
}

#[test]
fn tiny_sets_keep_their_results() {
    let s = Scratch::new();
    let data = s.write("tiny.csv", "a,class\nx,u\nx,u\ny,v\ny,v\nx,v\n");
    let journal = s.path("journal");
    let args = ["compare", &data, "--class", "class", "--bootstrap", "100", "--resume", &journal];
    let first = json(&args);
    assert!(first["results"][0]["measures"]["error"]["mean"].is_f64(), "{first}");
    // Written and read again, the figures are the same.
    assert_eq!(json(&args), first);
    let (code, _, stderr) =
        run(&["evaluate", &data, "--class", "class", "--bootstrap", "18446744073709551615"], b"");
    assert_eq!(code, 2);
    assert!(stderr.contains("from 1 to 1000000"), "{stderr}");
}

#[test]
fn wrong_names_are_wrong_usage() {
    let s = Scratch::new();
    let (easy, _) = sets(&s);
    let refused = |options: &[&str], part: &str| {
        let (code, stdout, stderr) =
            run(&[&["compare", &easy, "--class", "class"], options].concat(), b"");
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(part), "{stderr}");
    };
    refused(&["--models", "nb,nbb"], "no model is called 'nbb'; did you mean 'nb'?");
    refused(&["--parameters", "laplace,laplace"], "'nb+laplace' is named twice");
    refused(&["--measure", "eror"], "did you mean 'error'?");
    let (code, _, stderr) = run(&["reproduce", "zhou-4-1", "--data", "."], b"");
    assert_eq!(code, 2);
    assert!(stderr.contains("did you mean 'zhou-4-2'?"), "{stderr}");
}

#[test]
fn curves_fall_with_more_rows() {
    let s = Scratch::new();
    let data = s.generate("waveform-21", "600");
    let svg = s.path("curve.svg");
    let args = ["curve", &data, "--class", "class", "--sizes", "15,100,480", "--folds", "5"];
    let result = json(&[&args[..], &["--svg", &svg]].concat());
    let errors: Vec<f64> = result["curves"][0]["error"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["mean"].as_f64().unwrap())
        .collect();
    assert!(errors[0] > errors[1] && errors[1] > errors[2], "{errors:?}");
    assert!(s.read("curve.svg").starts_with("<svg"));
    let (code, _, stderr) = run(&["curve", &data, "--class", "class", "--sizes", "600"], b"");
    assert_eq!(code, 2);
    assert!(stderr.contains("from 1 to 540"), "{stderr}");
}

/// The harness on stand-ins for two of its sets; the others are said to be missing.
#[test]
fn an_experiment_puts_ours_beside_theirs() {
    let s = Scratch::new();
    let monks = s.generate("corral", "128");
    assert!(monks.ends_with("corral.csv"));
    s.write("columns.csv", "file,column,kind\ncorral.csv,A0,discrete\n");
    let folder = s.path("");
    let result: Value = json(&["reproduce", "zhou-4-2", "--data", &folder]);
    assert_eq!(result["rows"].as_array().unwrap().len(), 1);
    assert_eq!(result["rows"][0][0], "corral");
    assert_eq!(result["rows"][0][1], "13.60 ± 2.99");
    let notes = result["notes"].to_string();
    assert!(notes.contains("vote was left out") && notes.contains("within two standard errors"));
    assert!(ok(&["reproduce", "--list"]).contains("zhou-4-2"));
    let holed: Value = json(&["reproduce", "zhou-4-3", "--data", &folder]);
    let row = &holed["rows"][0];
    assert_eq!([&row[0], &row[1], &row[2]], ["corral", "discrete", "21.60 ± 2.71"]);
    assert_ne!(row[3], result["rows"][0][2], "cells were taken away");
}

#[test]
fn an_experiment_without_data_draws_its_figures() {
    let s = Scratch::new();
    let result: Value = json(&["reproduce", "zhou-figures", "--drawings", &s.path("figures")]);
    assert_eq!(result["rows"].as_array().unwrap().len(), 20);
    for name in ["4-3-ll", "4-4-lcl", "4-5-ce", "4-6-mse"] {
        let svg = s.read(&format!("figures/zhou-figure-{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.contains("true network"), "{name}");
    }
}

/// A table of counts is the rows that were counted, in any order: the same measures by every scheme, and the same number of
/// clusters. Weights that are not whole numbers are named as what they are.
#[test]
fn a_table_of_counts_is_the_rows_that_were_counted() {
    let s = Scratch::new();
    let long = s.generate("corral", "300");
    let text = s.read("corral.csv");
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    let header = text.lines().next().unwrap();
    let mut counted = format!("{header},n\n");
    for line in lines.chunk_by(|a, b| a == b) {
        counted.push_str(&format!("{},{}\n", line[0], line.len()));
    }
    let short = s.write("counted.csv", &counted);
    let schemes: [&[&str]; 5] = [
        &["--folds", "5"],
        &["--leave-one-out"],
        &["--hold-out", "0.3"],
        &["--bootstrap", "4"],
        &["--folds", "3", "--model", "tan", "--parameters", "cll:held-out=0.2,iterations=20"],
    ];
    for scheme in schemes {
        let of = |args: &[&str]| json(&[&["evaluate", "--class", "class"], args, scheme].concat());
        let (a, b) = (of(&[&long]), of(&[&short, "--weight", "n"]));
        assert_eq!(a["rows"], b["rows"]);
        assert_eq!(
            a["first_repetition"]["confusion"], b["first_repetition"]["confusion"],
            "{scheme:?}"
        );
        assert_eq!(a["accuracy_standard_error"], b["accuracy_standard_error"]);
        let words = b["weights"].as_str().unwrap();
        assert!(a["weights"].is_null() && words.contains("rows stand for 300 cases"), "{words}");
    }
    let of = |args: &[&str]| {
        let common =
            ["cluster", "--clusters", "1..3", "--starts", "5", "--method", "em", "--choose", "cv"];
        let ignored = ["--ignore", "class"];
        let found = json(&[&common, args, &ignored].concat());
        let tried = found["tried"].as_array().unwrap();
        let tried: Vec<Value> = tried.iter().map(|t| t["cross_validated"].clone()).collect();
        (found["clusters"].clone(), tried)
    };
    assert_eq!(of(&[&long]), of(&[&short, "--weight", "n"]));
    let shares = s.write("shares.csv", counted.replace(",1\n", ",0.5\n"));
    let args = ["evaluate", &shares, "--class", "class", "--weight", "n"];
    assert!(ok(&args).contains("\nweights: not all whole numbers: each row is one case"));
    let (_, _, warned) = run(&["compare", &shares, "--class", "class", "--weight", "n"], b"");
    assert!(warned.contains("weights are not all whole numbers"), "{warned}");
}

/// A single row of u has x=1. In the part that tests it no row of u was seen with x=1, so maximum likelihood gives its class
/// probability 0: the mean is -inf, which has no standard error.
#[test]
fn an_infinite_likelihood_is_explained() {
    let s = Scratch::new();
    let rows = (0..20).map(|i| format!("{},{}\n", u8::from(i > 8), if i < 10 { "u" } else { "v" }));
    let data = s.write("t.csv", format!("x,class\n{}", rows.collect::<String>()));
    let learning = ["--class", "class", "--folds", "5"];
    let evaluate = [&["evaluate", &data, "--parameters", "ml"][..], &learning].concat();
    let text = ok(&evaluate);
    let cll = text.lines().find(|l| l.starts_with("cll ")).unwrap();
    assert_eq!(cll.split_whitespace().take(3).collect::<Vec<_>>(), ["cll", "-inf", "-"]);
    let note = "cll is -inf: 1 test row has probability 0 for the true class";
    assert!(text.contains(note) && !text.contains("NaN"), "{text}");
    let result = json(&evaluate);
    assert_eq!(result["notes"], serde_json::json!([{"about": "zero-probability", "text": note}]));
    assert!(result["measures"]["cll"]["mean"].is_null());
    assert!(result["measures"]["cll"]["error"].is_null());
    let compare =
        [&["compare", &data, "--parameters", "laplace,ml", "--measure", "cll"][..], &learning];
    let text = ok(&compare.concat());
    assert!(text.contains("-inf ± -") && !text.contains("NaN"), "{text}");
    assert!(text.contains(&format!("nb+ml on t: {note}.")), "{text}");
    // Penalised parameters leave every class possible.
    let text = ok(&[&["evaluate", &data, "--parameters", "cll"][..], &learning].concat());
    assert!(!text.contains("inf") && !text.contains("probability 0"), "{text}");
}
