//! Structures: given, constrained, explained, drawn.

use crate::util::*;
use serde_json::Value;

/// The arcs of a saved model as `parent -> child`.
fn arcs(model: &str) -> Vec<String> {
    let network = json(&["show", model]);
    let nodes = network["nodes"].as_array().unwrap().clone();
    let mut arcs = Vec::new();
    for node in nodes {
        let child = node["name"].as_str().unwrap().to_string();
        for parent in node["parents"].as_array().unwrap() {
            arcs.push(format!("{} -> {child}", parent.as_str().unwrap()));
        }
    }
    arcs
}

fn fails(args: &[&str], wanted: &[&str]) {
    let (code, _, error) = run(args, b"");
    assert!(code > 0, "sare {args:?}");
    assert!(wanted.iter().all(|w| error.contains(w)), "sare {args:?}: {error}");
}

#[test]
fn a_structure_is_given_as_formula_arcs_json_or_model() {
    let s = Scratch::new();
    let data = s.generate("monk1", "300");
    let formula = "[a1|class][a2|a1:class][a3][a4][a5][a6][class]";
    let first = s.fit("first.json", &data, &["--structure", formula]);
    let wanted = ["class -> a1", "a1 -> a2", "class -> a2"];
    assert_eq!(arcs(&first), wanted);
    let file = s.write("arcs.txt", "# mine\nclass -> a1\na1 -> a2\nclass -> a2\n");
    let network = s.write("network.json", ok(&["show", &first, "--json"]));
    for structure in [&file, &network, &first] {
        let model = s.fit("again.json", &data, &["--structure", structure]);
        assert_eq!(arcs(&model), wanted, "{structure}");
    }
    // In an evaluation too, and as a model in a comparison.
    let form = format!("given:{formula}");
    let judged = json(&["evaluate", &data, "--class", "class", "--structure", formula]);
    assert!(judged["evaluation"].as_str().unwrap().starts_with(&form));
    ok(&["compare", &data, "--class", "class", "--models", &format!("nb,{form}")]);
}

#[test]
fn constraints_are_obeyed() {
    let s = Scratch::new();
    let data = s.generate("monk1", "300");
    let rules = s.write("rules.txt", "# what we know\nrequire a3 -> a4\nforbid * -> a5\n");
    for model in ["network", "network:k2", "network:pc", "ban", "tan", "kdb", "joined"] {
        let options = ["--model", model, "--constraints", &rules, "--forbid", "a1 -> a2"];
        let all = [&options[..], &["--tiers", "a1,a2 < a3,a4 < a6"]].concat();
        let found = arcs(&s.fit("m.json", &data, &all));
        assert!(found.contains(&"a3 -> a4".to_string()), "{model}: {found:?}");
        let bad = |arc: &&String| {
            arc.ends_with("-> a5")
                || *arc == "a1 -> a2"
                || (arc.starts_with("a6 ->") && !arc.ends_with("class"))
        };
        assert!(!found.iter().any(|a| bad(&a)), "{model}: {found:?}");
    }
}

#[test]
fn constraints_that_cannot_be_are_refused() {
    let s = Scratch::new();
    let data = s.generate("monk1", "100");
    let model = s.path("m.json");
    let fit = |options: &[&str], wanted: &[&str]| {
        fails(&[&["fit", &data, "--class", "class", "-o", &model], options].concat(), wanted);
    };
    fit(&["--require", "a1 -> a7"], &["no column 'a7'", "did you mean"]);
    fit(&["--require", "a1"], &["require a1", "require a -> b"]);
    fit(&["--require", "a1 -> a2", "--forbid", "a1 -> a2"], &["both required and forbidden"]);
    fit(&["--require", "a1 -> a2", "--require", "a2 -> a1"], &["cycle"]);
    fit(&["--require", "a1 -> a2"], &["'nb' cannot have the required arc a1 -> a2", "network"]);
    fit(&["--model", "tan", "--require", "a1 -> class"], &["'tan' cannot have"]);
    fit(&["--model", "averaged-nb", "--forbid", "class -> a1"], &["averaged-nb", "constraints"]);
    fit(&["--model", "tan", "--structure", "[a1]"], &["'tan' cannot begin with a structure"]);
    fit(&["--structure", "[a1][a1]"], &["'a1' is there twice"]);
    fit(&["--structure", "[class][a9|class]"], &["no column 'a9'"]);
    fit(&["--structure", "nowhere.txt"], &["nowhere.txt"]);
    fit(&["--structure", "[a1|a2][a2|a1]"], &["cycle"]);
    fit(
        &["--model", "ban", "--structure", "[a1][class|a1]"],
        &["'ban' has no room for the arc a1 -> class", "network"],
    );
    fit(&["--model", "network:pc,level=2"], &["level = 2", "below 1"]);
    fit(&["--model", "network:pc,score=bic"], &["score = bic", "goes with hc and k2"]);
    fit(&["--model", "selective:wrapper,level=0.1"], &["level = 0.1", "goes with filter"]);
    fit(&["--model", "ban:pc", "--max-parents", "2"], &["does not go with pc"]);
    fit(&["--model", "tan", "--max-parents", "2"], &["parents=2", "no settings"]);
    fit(&["--model", "ban:hc,parents=1", "--max-parents", "2"], &["parents = 2", "once"]);
    fit(&["--model", "ban:hc,scor=bic"], &["did you mean score"]);
    fit(&["--model", "averaged-trees", "--parameters", "dirichlet:1e300"], &["above 0"]);
    assert!(!std::path::Path::new(&model).exists());
}

#[test]
fn explanations_add_up() {
    let s = Scratch::new();
    let data = s.generate("monk3", "200");
    for model in ["nb", "tan", "network", "aode", "averaged-tan", "averaged-trees", "averaged-nb"] {
        let path = s.fit("m.json", &data, &["--model", model]);
        let text = ok(&["predict", &path, &data, "--explain", "--json"]);
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let why = &row["explanation"];
            let number = |v: &Value| v.as_f64().unwrap();
            let terms = why["attributes"].as_object().unwrap().values().map(number).sum::<f64>();
            let sum = terms + number(&why["prior"]) + number(&why["rest"]);
            let p = |class: &Value| number(&row["probabilities"][class.as_str().unwrap()]);
            let odds = (p(&row["predicted"]) / p(&why["against"])).ln();
            assert!((sum - odds).abs() < 1e-6, "{model}: {line}");
            assert!(number(&why["rest"]) == 0.0 || model.starts_with("a"), "{model}: {line}");
        }
        let csv = ok(&["predict", &path, &data, "--explain", "--only-predictions"]);
        let header = cells(&csv)[0].join(",");
        assert!(
            header.contains("against,log_odds,why_prior,why_a1") && header.ends_with("why_rest")
        );
    }
}

#[test]
fn every_arc_has_its_reason() {
    let s = Scratch::new();
    let data = s.generate("monk1", "400");
    let args = |model: &'static str| {
        ["fit", &data, "--class", "class", "--model", model, "-o", &s.path("m.json"), "--explain"]
            .map(String::from)
    };
    let run_json = |model| json(&args(model).iter().map(String::as_str).collect::<Vec<_>>());
    let tan = run_json("tan");
    let reasons = tan["arcs"].as_array().unwrap();
    assert_eq!(reasons.len(), 11);
    assert!(reasons.iter().all(|r| r["information"].as_f64().unwrap() >= 0.0));
    assert!(reasons.iter().all(|r| r["gain"].is_f64() && r["chance"].is_f64()));
    let nb = run_json("averaged-nb");
    assert_eq!(nb["arcs"].as_array().unwrap().len(), 6);
    let trees = run_json("averaged-trees");
    let all = trees["arcs"].as_array().unwrap();
    // The edges of a spanning tree of six, whatever the tree.
    let sum: f64 = all.iter().map(|a| a["probability"].as_f64().unwrap()).sum();
    assert!((sum - 5.0).abs() < 0.05, "{sum}");
    let text = ok(&args("tan").iter().map(String::as_str).collect::<Vec<_>>());
    assert!(text.contains("gain in BIC") && text.contains("class -> a5"), "{text}");
}

#[test]
fn structures_are_drawn() {
    let s = Scratch::new();
    let data = s.generate("monk1", "300");
    for model in ["nb", "network", "averaged-tan", "averaged-nb", "aode"] {
        let path = s.fit("m.json", &data, &["--model", model]);
        let svg = s.path("m.svg");
        assert!(ok(&["show", &path, "--svg", &svg]).contains("free parameters"));
        let drawn = s.read("m.svg");
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"));
        assert!(["class", "a1", "a6"].iter().all(|n| drawn.contains(&format!(">{n}<"))), "{model}");
        assert_eq!(ok(&["show", &path, "--svg", "-"]), drawn);
    }
}

#[test]
fn what_was_learnt_from_fewer_rows_is_said() {
    let s = Scratch::new();
    let holed = "a,b,class\nx,p,u\n,p,u\ny,,v\ny,q,v\nx,p,u\ny,q,v\nx,,u\n";
    let data = s.write("holed.csv", holed);
    for (model, wanted) in
        [("tan", "4 of 7"), ("network", "4 of 7"), ("averaged-trees", "expected counts")]
    {
        let args = ["fit", &data, "--class", "class", "--model", model, "-o", &s.path("m.json")];
        let (code, _, error) = run(&args, b"");
        assert_eq!(code, 0, "{error}");
        assert!(error.contains("cells are missing") && error.contains(wanted), "{model}: {error}");
    }
}
