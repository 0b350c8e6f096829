//! Questions to networks: `query`, `sample`, `independent`.

use crate::util::*;
use serde_json::Value;

/// Rain and the sprinkler make the grass wet. p(wet) = 0.44838 and p(rain | wet) = 0.16038 / 0.44838.
const GRASS: &str = r#"{"nodes": [
  {"name": "rain", "levels": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]},
  {"name": "sprinkler", "levels": ["off", "turned on"], "parents": ["rain"],
   "probabilities": [[0.6, 0.4], [0.99, 0.01]]},
  {"name": "wet", "levels": ["no", "yes"], "parents": ["rain", "sprinkler"],
   "probabilities": [[1, 0], [0.1, 0.9], [0.2, 0.8], [0.01, 0.99]]}]}"#;

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-12
}

fn fails(args: &[&str], code: i32, wanted: &[&str]) {
    let (found, out, error) = run(args, b"");
    assert_eq!(found, code, "sare {args:?}: {error}");
    assert!(out.is_empty(), "{out}");
    assert!(wanted.iter().all(|w| error.contains(w)), "sare {args:?}: {error}");
}

#[test]
fn what_is_known_changes_what_is_probable() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let all = json(&["query", &grass, "--given", "wet=yes"]);
    assert!(near(&all["probability_of_evidence"], 0.44838));
    assert!(near(&all["marginals"]["rain"]["yes"], 0.16038 / 0.44838));
    assert!(near(&all["marginals"]["wet"]["yes"], 1.0));
    let two =
        json(&["query", &grass, "--given", "wet=yes,sprinkler=turned on", "--target", "rain"]);
    assert!(near(&two["marginals"]["rain"]["yes"], 0.00198 / (0.00198 + 0.288)));
    assert_eq!(two["marginals"].as_object().unwrap().len(), 1);
    let apart = (0.44838f64 * 0.322 / 0.28998).ln();
    assert!(near(&two["conflict"], apart));
    // Nothing known, from standard input, as text.
    let (code, text, _) = run(&["query", "-", "--target", "wet"], GRASS.as_bytes());
    assert_eq!(code, 0);
    assert!(text.contains("wet       no        0.551620") && !text.contains("Given"), "{text}");
    let text = ok(&["query", &grass, "--given", "wet=yes", "--given", "sprinkler=off"]);
    assert!(text.contains("Given wet=yes, sprinkler=off") && text.contains("Conflict"), "{text}");
}

#[test]
fn uncertain_observations() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let ask = |likely: &str| json(&["query", &grass, "--likely", likely, "--target", "rain"]);
    assert!(near(&ask("wet=yes:0.5,no:0.5")["marginals"]["rain"]["yes"], 0.2));
    assert!(near(&ask("wet=yes:3")["marginals"]["rain"]["yes"], 0.16038 / 0.44838));
    let (yes, no) = (0.9 * 0.16038 + 0.1 * 0.03962, 0.9 * 0.288 + 0.1 * 0.512);
    assert!(near(&ask("wet=yes:0.9,no:0.1")["marginals"]["rain"]["yes"], yes / (yes + no)));
    fails(&["query", &grass, "--likely", "wet=yes"], 2, &["level:likelihood"]);
    fails(&["query", &grass, "--likely", "wet=yes:-1"], 2, &["wet", "below 0"]);
}

#[test]
fn joints_explanations_and_what_to_ask_next() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let joint =
        json(&["query", &grass, "--given", "wet=yes", "--target", "sprinkler,rain", "--joint"]);
    assert_eq!(joint["joint"]["variables"], serde_json::json!(["sprinkler", "rain"]));
    let entries = joint["joint"]["entries"].as_array().unwrap();
    assert_eq!(entries[2]["levels"], serde_json::json!(["turned on", "no"]));
    assert!(near(&entries[2]["probability"], 0.288 / 0.44838));
    let best = json(&["query", &grass, "--given", "wet=yes", "--mpe"]);
    assert_eq!(best["explanation"]["levels"]["sprinkler"], "turned on");
    assert_eq!(best["explanation"]["levels"]["rain"], "no");
    assert!(near(&best["explanation"]["log_posterior"], (0.288f64 / 0.44838).ln()));
    let next = json(&["query", &grass, "--target", "rain", "--next"]);
    let asked = next["next"].as_array().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(asked[0]["information"].as_f64() > asked[1]["information"].as_f64());
    for options in [&["--joint"][..], &["--mpe"], &["--next"]] {
        let args = [&["query", &grass, "--target", "rain"], options].concat();
        assert!(ok(&args).contains("rain"), "{args:?}");
    }
    fails(&["query", &grass, "--target", "rain,wet", "--next"], 2, &["one --target"]);
    fails(&["query", &grass, "--target", "rain", "--given", "rain=no", "--next"], 2, &["rain"]);
}

#[test]
fn estimates_come_with_their_errors_and_do_not_depend_on_threads() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    for sampler in ["forward", "lw", "gibbs"] {
        let ask = |threads| {
            let options = ["--sampling", sampler, "-n", "20000", "--threads", threads];
            json(
                &[&["query", &grass, "--given", "wet=yes", "--target", "rain"], &options[..]]
                    .concat(),
            )
        };
        let found = ask("1");
        let number = |field: &str| found[field]["rain"]["yes"].as_f64().unwrap();
        let (p, error) = (number("marginals"), number("standard_errors"));
        assert!(error > 0.0 && (p - 0.16038 / 0.44838).abs() < 5.0 * error, "{found}");
        assert_eq!(found, ask("2"));
    }
    let text = ok(&["query", &grass, "--given", "wet=yes", "--sampling", "lw", "-n", "1000"]);
    assert!(text.contains("standard error") && text.contains("1000 rows (lw)"), "{text}");
    let (_, _, warning) = run(&["query", &grass, "--sampling", "gibbs", "-n", "1000"], b"");
    assert!(warning.contains("zeros"), "{warning}");
    fails(&["query", &grass, "--sampling", "gibs"], 2, &["did you mean 'gibbs'"]);
    fails(&["query", &grass, "--sampling", "lw", "-n", "3"], 2, &["samples", "100 or more"]);
}

#[test]
fn wrong_questions_are_answered_by_what_is_wrong() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let query = |options: &[&str], code, wanted: &[&str]| {
        fails(&[&["query", &grass], options].concat(), code, wanted);
    };
    query(
        &["--given", "rain=no,wet=yes,sprinkler=off"],
        1,
        &["rain=no, wet=yes, sprinkler=off cannot be", "probability is 0"],
    );
    query(&["--given", "rian=no"], 2, &["'rian'", "did you mean 'rain'"]);
    query(&["--given", "rain=nno"], 2, &["rain=nno", "did you mean 'no'"]);
    query(&["--given", "rain"], 2, &["variable=level"]);
    query(&["--given", "rain=no,rain=yes"], 2, &["rain", "once"]);
    query(&["--target", "snow"], 2, &["'snow'", "rain, sprinkler, wet"]);
    query(&["--target", "rain,rain"], 2, &["twice"]);
    query(&["--memory", "1e-9"], 1, &["more than the limit", "--sampling lw"]);
    query(&["--memory", "0"], 2, &["--memory"]);
    query(
        &["--given", "rain=no,wet=yes,sprinkler=off", "--sampling", "lw"],
        1,
        &["none of 100000 rows"],
    );
    fails(&["query", "nowhere.json"], 1, &["nowhere.json"]);
    let damaged = s.write("damaged.json", GRASS.replace("0.8, 0.2", "0.8, 0.3"));
    fails(&["query", &damaged], 1, &["damaged.json", "does not sum to 1"]);
    let text = s.write("text.json", "rain");
    fails(&["query", &text], 1, &["text.json", "damaged"]);
    let data = s.generate("monk1", "100");
    let average = s.fit("average.json", &data, &["--model", "aode"]);
    fails(&["query", &average], 1, &["no distribution over rows"]);
    let wide = s.path("wide.csv");
    ok(&["generate", "random-nb", "-n", "60", "--variables", "25", "-o", &wide]);
    let average = s.fit("wide.json", &wide, &["--model", "averaged-trees"]);
    fails(&["query", &average], 1, &["average over structures", "combinations of states"]);
    // Of few columns an average is a network as well.
    let average = s.fit("few.json", &data, &["--model", "averaged-trees"]);
    assert!(
        json(&["query", &average, "--given", "a1=1", "--target", "class"])
            .to_string()
            .contains("class")
    );
    assert_eq!(ok(&["sample", &average, "-n", "7"]).lines().count(), 8);
}

/// Files of other tools answer as sare's own do.
#[test]
fn networks_of_other_formats_are_asked_too() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let ask = |path: &str| json(&["query", path, "--given", "wet=yes", "--target", "rain"]);
    for file in ["grass.bif", "grass.xml", "grass.net"] {
        let path = s.path(file);
        ok(&["convert", &grass, &path]);
        assert_eq!(ask(&path), ask(&grass), "{file}");
    }
}

/// A classifier is a network: asked for its class with all attributes known, it says what it predicts.
#[test]
fn a_model_answers_as_it_predicts() {
    let s = Scratch::new();
    let rows = "size,weight,class\n1.5,a,x\n2.5,b,y\n7.25,a,x\n8.5,b,y\n9.5,b,x\n3.5,a,y\n2.25,b,y\n8.75,a,x\n";
    let data = s.write("data.csv", rows);
    let options = ["--model", "tan", "--discretise", "equal-width:3"];
    let model = s.fit("model.json", &data, &options);
    let predicted = ok(&["predict", &model, &data, "--only-predictions"]);
    for (line, probabilities) in rows.lines().zip(cells(&predicted)).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let given = format!("size={},weight={}", fields[0], fields[1]);
        let answer = json(&["query", &model, "--given", &given, "--target", "class"]);
        for (class, p) in ["x", "y"].into_iter().zip(&probabilities[1..]) {
            assert!(near(&answer["marginals"]["class"][class], p.parse().unwrap()), "{line}");
        }
    }
    // A bin by its name, which has a comma.
    let levels = json(&["show", &model])["nodes"][0]["levels"].clone();
    let middle = levels[1].as_str().unwrap();
    assert!(middle.contains(", "));
    let given = format!("size={middle},weight=a");
    let named = json(&["query", &model, "--given", &given, "--target", "class"]);
    let number = json(&["query", &model, "--given", "size=5,weight=a", "--target", "class"]);
    assert_eq!(named["marginals"], number["marginals"]);
}

#[test]
fn rows_are_drawn() {
    let s = Scratch::new();
    let grass = s.write("grass.json", GRASS);
    let text = ok(&["sample", &grass, "-n", "2000"]);
    assert_eq!(text, ok(&["sample", &grass, "-n", "2000"]));
    assert_ne!(text, ok(&["sample", &grass, "-n", "2000", "--seed", "2"]));
    let rows = cells(&text);
    assert_eq!((rows.len(), &rows[0][..]), (2001, &["rain", "sprinkler", "wet"][..]));
    let share = |text: &str| {
        let rows = cells(text);
        rows[1..].iter().filter(|r| r[0] == "yes").count() as f64 / (rows.len() - 1) as f64
    };
    assert!((share(&text) - 0.2).abs() < 0.05);
    let wet = ok(&["sample", &grass, "-n", "2000", "--given", "wet=yes"]);
    assert!(cells(&wet)[1..].iter().all(|r| r[2] == "yes"));
    assert!((share(&wet) - 0.16038 / 0.44838).abs() < 0.06);
    assert_eq!(cells(&ok(&["sample", &grass, "-n", "0"])).len(), 1);
}

#[test]
fn independence_is_read_from_the_structure() {
    let s = Scratch::new();
    let data = s.generate("monk1", "200");
    let model = s.fit("nb.json", &data, &[]);
    let ask = |options: &[&str]| json(&[&["independent", &model], options].concat());
    assert_eq!(ask(&["a1", "a2"])["independent"], false);
    assert_eq!(ask(&["a1", "a2"])["trail"], serde_json::json!(["a1", "class", "a2"]));
    assert_eq!(ask(&["a1", "a2", "--given", "class"])["independent"], true);
    let all = ask(&[]);
    assert_eq!(all["pairs"], 15);
    assert_eq!(all["independent"][0]["given"], serde_json::json!(["class"]));
    let text = ok(&["independent", &model, "a1", "a2"]);
    assert!(text.contains("a1 <- class -> a2"), "{text}");
    let text = ok(&["independent", &model, "--most", "3"]);
    assert!(text.contains("a1 ⊥ a2 | class") && text.contains("12 more pairs"), "{text}");
    let independent = ok(&["independent", &model, "a1", "a2", "--given", "class,a3"]);
    assert!(independent.contains("are independent given class, a3"));
    fails(&["independent", &model, "a1", "a7"], 2, &["did you mean"]);
    fails(&["independent", &model, "a1", "a1"], 2, &["two different"]);
    fails(&["independent", &model, "a1", "a2", "--given", "a2"], 2, &["two different"]);
    fails(&["independent", &model, "a1"], 2, &["2 values"]);
}
