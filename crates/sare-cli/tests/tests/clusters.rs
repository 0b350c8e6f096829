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
    let empty = s.write("empty.csv", "a,b\n1,\n2,\n");
    fails(&["cluster", &empty, "-k", "2"], &["'b'", "every cell is missing", "--ignore b"]);
    let none = s.write("none.csv", "a,b\n");
    fails(&["cluster", &none, "-k", "2"], &["no row"]);
}
