//! `sare report` through the binary.

use crate::util::*;
use std::fmt::Write as _;

/// Runs sare, which must fail with this code, say all of this and leave nothing behind.
fn fails(s: &Scratch, args: &[&str], code: i32, wanted: &[&str]) {
    let before = s.files();
    let (found, out, error) = run(args, b"");
    assert_eq!((found, out.as_str()), (code, ""), "sare {args:?}: {error}");
    assert!(wanted.iter().all(|w| error.contains(w)), "sare {args:?}: {error}");
    assert!(s.files() == before, "sare {args:?} changed files");
}

/// Answers of two kinds of people, with markup in names, missing cells, numbers and weights; a name that says nothing.
fn answers(s: &Scratch) -> String {
    let mut text = String::from("id,<b>likes</b>,tea & milk,age,town,w\n");
    for r in 0..90 {
        let kind = if r % 10 == 7 { 1 - r % 2 } else { r % 2 };
        let likes = ["<script>alert(1)</script>", "\"yes\", of course"][kind];
        let tea = if r % 13 == 0 { "?" } else { ["never", "often"][kind] };
        let age = 20 + 30 * kind + r % 17;
        let town = ["north", "south", "west"][r / 2 % 3];
        let quoted = likes.replace('"', "\"\"");
        let _ = writeln!(text, "r{r},\"{quoted}\",{tea},{age},{town},{}", 1 + r % 2);
    }
    s.write("answers.csv", text)
}

fn clusters(s: &Scratch, data: &str, options: &[&str]) -> String {
    let model = s.path("m.json");
    let fixed = ["cluster", data, "-k", "2", "--starts", "5", "--ignore", "id,w", "-o", &model];
    ok(&[&fixed[..], options].concat());
    model
}

#[test]
fn a_page_is_written_whole_and_needs_nothing_else() {
    let s = Scratch::new();
    let data = answers(&s);
    for method in ["ema", "em:0"] {
        let model = clusters(&s, &data, &["--method", method]);
        let page = s.path("page.html");
        let told = json(&["report", &model, &data, "-o", &page]);
        let assigned: Vec<f64> =
            told["assigned"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert_eq!(assigned.iter().sum::<f64>(), 90.0);
        assert_eq!(told["missing_cells"], 7);
        let html = s.read("page.html");
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
        for part in [
            "Clusters of answers.csv",
            "&lt;b&gt;likes&lt;/b&gt;",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "&quot;yes&quot;, of course",
            "tea &amp; milk",
            "town",
            "north",
            "cluster 2",
            "mutual information",
            "How sure the rows of answers.csv are",
            "The best start",
        ] {
            assert!(html.contains(part), "{method}: {part}");
        }
        for raw in ["<script", "<b>", "src=", "href=", "url(", "@import", "NaN"] {
            assert!(!html.contains(raw), "{method}: {raw}");
        }
        assert_eq!(html.contains("probability that it matters"), method == "ema");
        // The same page on standard output, under another name.
        let out = ok(&["report", &model, &data, "-o", "-", "--title", "Tea & people"]);
        assert!(out.contains("<h1>Tea &amp; people</h1>"));
        let same = out.replace("Tea &amp; people", "Clusters of answers.csv");
        assert!(same == html, "{method}");
    }
}

#[test]
fn rows_are_told_as_predict_tells_them() {
    let s = Scratch::new();
    let data = answers(&s);
    let model = clusters(&s, &data, &[]);
    let predicted = ok(&["predict", &model, &data, "--only-predictions"]);
    let rows = cells(&predicted);
    let first: f64 = rows[1..].iter().map(|r| r[1].parse::<f64>().unwrap()).sum();
    let told = json(&["report", &model, &data, "-o", &s.path("page.html")]);
    let mean = told["mean_membership"][0].as_f64().unwrap();
    assert!((mean - first / 90.0).abs() < 1e-9, "{mean}");
    let ones = rows[1..].iter().filter(|r| r[0] == "1").count();
    assert_eq!(told["assigned"][0], ones as f64);
    let weighed = json(&["report", &model, &data, "-o", &s.path("page.html"), "--weight", "w"]);
    assert_eq!(weighed["weight"], 135.0);
    assert!(s.read("page.html").contains("of weight 135.0 in total"));
}

#[test]
fn unknown_levels_are_missing_and_told() {
    let s = Scratch::new();
    let data = answers(&s);
    let model = clusters(&s, &data, &[]);
    let text = s.read("answers.csv").replace("north", "<east>");
    // A column called like the cluster is none of the model's.
    let text: String = text
        .lines()
        .enumerate()
        .map(|(i, l)| if i == 0 { format!("{l},cluster\n") } else { format!("{l},odd\n") })
        .collect();
    let other = s.write("other.csv", text);
    let page = s.path("page.html");
    let (code, _, error) = run(&["report", &model, &other, "-o", &page], b"");
    assert!(code == 0 && error.contains("column 'town'") && error.contains("'<east>' (30)"));
    assert!(!error.contains("'cluster'"), "{error}");
    let html = s.read("page.html");
    assert!(html.contains("Warning: column &#39;town&#39;") && html.contains("&lt;east&gt;"));
    assert!(html.contains("37 of 360 cells are missing") && !html.contains("<east>"));
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let s = Scratch::new();
    let data = answers(&s);
    let model = clusters(&s, &data, &[]);
    let page = s.path("page.html");
    s.write("page.html", "old");
    let to = ["-o", page.as_str()];
    let refused = |model: &str, data: &str, code: i32, wanted: &[&str]| {
        fails(&s, &[&["report", model, data], &to[..]].concat(), code, wanted);
    };
    let classifier = s.path("c.json");
    ok(&["fit", &data, "--class", "town", "--ignore", "id,w", "-o", &classifier]);
    refused(&classifier, &data, 1, &["c.json", "no clusters", "sare cluster"]);
    refused(&s.path("none.json"), &data, 1, &["none.json"]);
    refused(&data, &data, 1, &["answers.csv", "not a sare model"]);
    refused(&model, &s.path("none.csv"), 1, &["none.csv"]);
    let short = s.write("short.csv", "age,town\n30,north\n");
    refused(&model, &short, 1, &["short.csv", "no column '<b>likes</b>'"]);
    let empty = s.write("empty.csv", s.read("answers.csv").lines().next().unwrap());
    refused(&model, &empty, 1, &["empty.csv", "no rows"]);
    refused("-", "-", 2, &["standard input"]);
    fails(&s, &["report", &model, &data, "-o", "-", "--json"], 2, &["standard output"]);
    let nowhere = s.path("nowhere/page.html");
    fails(&s, &["report", &model, &data, "-o", &nowhere], 1, &["there is no folder"]);
    fails(&s, &["report", &model, &data, "-o", &page, "--weight", "v"], 1, &["no column 'v'"]);
    // A model whose parts do not fit together.
    let mut parts: serde_json::Value = serde_json::from_str(&s.read("m.json")).unwrap();
    parts["outcome"]["clusters"]["sizes"] = serde_json::json!([1.0]);
    let broken = s.write("broken.json", parts.to_string());
    refused(
        &broken,
        &data,
        1,
        &["broken.json", "outcome.clusters.sizes has 1 entries instead of 2"],
    );
}

/// A model that was learnt with weights tells its rows with them, where the file has them.
#[test]
fn weights_of_learning_are_those_of_the_page() {
    let s = Scratch::new();
    let data = answers(&s);
    let model = s.path("w.json");
    let learn = ["cluster", &data, "-k", "2", "--starts", "5", "--ignore", "id", "--weight", "w"];
    ok(&[&learn[..], &["-o", &model]].concat());
    let page = s.path("page.html");
    let told = json(&["report", &model, &data, "-o", &page]);
    assert_eq!((&told["rows"], &told["weight"]), (&90.into(), &135.0.into()));
    assert!(s.read("page.html").contains("which weigh 135"));
    let without = std::fs::read_to_string(&data).unwrap().replacen(",w\n", ",other\n", 1);
    let without = s.write("without.csv", without);
    let (code, _, warned) = run(&["report", &model, &without, "-o", &page], b"");
    assert!(code == 0 && warned.contains("no column 'w'"), "{warned}");
}

/// What k-modes put into clusters is told as such, by what it goes by.
#[test]
fn pages_of_hard_clusters_do_not_speak_of_likelihoods_of_starts() {
    let s = Scratch::new();
    let data = answers(&s);
    let model = clusters(&s, &data, &["--method", "kmodes"]);
    let page = s.path("page.html");
    ok(&["report", &model, &data, "-o", &page]);
    let html = s.read("page.html");
    assert!(html.contains("The method puts each row into one cluster"));
    assert!(!html.contains("is not known") && html.contains("at the best solution"));
}

/// What the page says of known groups is what `sare cluster` and `sare partitions` say.
#[test]
fn known_groups_are_compared_on_the_page() {
    let s = Scratch::new();
    let data = answers(&s);
    let (model, grouped) = (s.path("m.json"), s.path("g.csv"));
    let learn =
        ["cluster", &data, "-k", "2", "--starts", "5", "--ignore", "id,w", "--truth", "town"];
    let found = json(&[&learn[..], &["-o", &model, "--assign", &grouped]].concat());
    let told = json(&["report", &model, &data, "--truth", "town", "-o", &s.path("p.html")]);
    assert_eq!(
        (&told["agreement"], &told["without_known_group"]),
        (&found["agreement"], &0.into())
    );
    let html = s.read("p.html");
    assert!(html.contains("Known groups") && html.contains("column town knows"));
    let (code, _, error) =
        run(&["report", &model, &data, "--truth", "age", "-o", &s.path("q.html")], b"");
    assert!(code == 0 && error.contains("learnt from column 'age' too"), "{error}");
    fails(&s, &["report", &model, &data, "--truth", "twon"], 1, &["twon", "did you mean 'town'"]);
    fails(&s, &["report", &model, "-", "--truth", "town"], 2, &["--truth", "standard input"]);
}
