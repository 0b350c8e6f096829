//! What a user can do, from the first look at a file to predictions and an estimate of how good they are.

use crate::util::*;
use serde_json::Value;
use std::process::Command;

/// A table with names, numbers that tell something of the class, gaps and weights; every tenth row lacks its class if
/// asked for. No randomness, but no simple pattern either.
fn mixed(rows: usize, unlabelled: bool) -> String {
    let mut text = String::from("name,number,weight,class\n");
    for i in 0..rows {
        let noise = (i * 7919 + i * i * 31) % 101;
        let class = if (noise < 50) == (i % 7 > 0) { "u" } else { "v" };
        let name = ["p", "q", "", "r"][noise % 4];
        let number = if noise % 9 == 0 { "NA".into() } else { format!("{}.{}", noise, i % 10) };
        let weight = ["1", "2", "0.3", "0.1"][i % 4];
        let class = if unlabelled && i % 10 == 0 { "" } else { class };
        text.push_str(&format!("{name},{number},{weight},{class}\n"));
    }
    text
}

/// The columns of a prediction's text from the predicted class on, the header left out.
fn predictions(csv: &str) -> Vec<Vec<String>> {
    let rows = cells(csv);
    let at = rows[0].iter().position(|n| n.starts_with("predicted_")).unwrap();
    rows[1..].iter().map(|r| r[at..].iter().map(|c| c.to_string()).collect()).collect()
}

fn numbers(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|c| c.parse().unwrap()).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn the_whole_journey_on_known_sets() {
    let sets = [
        ("corral", "128", 0.75),
        ("monk3", "432", 0.9),
        ("tic-tac-toe", "300", 0.6),
        ("nursery", "600", 0.8),
        ("waveform-21", "300", 0.7),
        ("random-nb", "300", 0.5),
        ("random-tan", "300", 0.4),
        ("random-network", "300", 0.4),
    ];
    for (set, rows, least) in sets {
        let s = Scratch::new();
        let data = s.generate(set, rows);
        let rows: usize = rows.parse().unwrap();
        assert_eq!(cells(&s.read(&format!("{set}.csv"))).len(), rows + 1, "{set}");

        let seen = json(&["inspect", &data, "--class", "class"]);
        assert_eq!(seen["rows"], rows, "{set}");
        let columns = seen["columns"].as_array().unwrap().len();

        let model = s.fit("model.json", &data, &[]);
        let shown = ok(&["show", &model]);
        assert!(shown.starts_with("nb with laplace parameters"), "{set}: {shown}");
        assert!(shown.contains("p(class)") && shown.contains(" | class)"), "{set}: {shown}");

        let (code, csv, stderr) = run(&["predict", &model, &data], b"");
        assert_eq!(code, 0, "{set}: {stderr}");
        let predicted = cells(&csv);
        assert_eq!(predicted.len(), rows + 1, "{set}");
        let right = predicted[1..].iter().filter(|r| r[columns - 1] == r[columns]).count();
        let share = format!("sare: {:.2} % of the {rows} rows", 100.0 * right as f64 / rows as f64);
        assert!(stderr.starts_with(&share), "{set}: {stderr} instead of {share}");
        for row in predictions(&csv) {
            assert!(close(numbers(&row[1..]).iter().sum(), 1.0), "{set}: {row:?}");
        }

        let result = json(&["evaluate", &data, "--class", "class", "--folds", "5"]);
        assert_eq!(result["rows"], rows, "{set}");
        let accuracy = result["accuracy"].as_f64().unwrap();
        assert!(accuracy >= least && accuracy <= 1.0, "{set}: {accuracy}");
    }
}

#[test]
fn probabilities_are_those_worked_out_by_hand() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,class\nx,u\nx,u\ny,v\n");
    let model = s.fit("model.json", &data, &[]);
    let new = s.write("new.csv", "a\nx\ny\n\"\"\n");
    let rows = predictions(&ok(&["predict", &model, &new]));
    // With one added to every count: p(u) = 3/5, p(x | u) = 3/4, p(x | v) = 1/3.
    let expected = [("u", 27.0 / 35.0), ("v", 9.0 / 25.0), ("u", 3.0 / 5.0)];
    assert_eq!(rows.len(), expected.len());
    for (row, (class, p)) in rows.iter().zip(expected) {
        assert_eq!(row[0], class);
        assert!(close(numbers(&row[1..])[0], p), "{row:?} instead of {p}");
    }
}

#[test]
fn every_command_prints_json() {
    let s = Scratch::new();
    let data = s.write("t.csv", mixed(60, true));
    let model = s.path("m.json");

    let seen = json(&["inspect", &data, "--class", "class"]);
    assert_eq!((&seen["rows"], &seen["file"]), (&60.into(), &data.as_str().into()));
    assert_eq!(seen["columns"][0]["kind"], "discrete");
    assert_eq!(seen["columns"][1]["kind"], "continuous");
    assert_eq!(seen["columns"][3]["missing"], 6);
    assert_eq!(seen["columns"][3]["levels"][0][0], "u");

    let fitted =
        json(&["fit", &data, "--class", "class", "-o", &model, "--parameters", "dirichlet:0.5"]);
    assert_eq!(fitted["structure"], "nb");
    assert_eq!(fitted["parameters"], "dirichlet:0.5");
    assert_eq!((&fitted["rows"], &fitted["attributes"]), (&54.into(), &3.into()));
    assert_eq!(fitted["levels"], serde_json::json!(["u", "v"]));

    let shown = json(&["show", &model]);
    let names: Vec<&Value> =
        shown["nodes"].as_array().unwrap().iter().map(|n| &n["name"]).collect();
    assert_eq!(names, ["name", "number", "weight", "class"]);

    let lines = ok(&["predict", &model, &data, "--json"]);
    assert_eq!(lines.lines().count(), 60);
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let p = |class: &str| row["probabilities"][class].as_f64().unwrap();
        assert!(close(p("u") + p("v"), 1.0), "{line}");
        assert_eq!(row["predicted"], if p("u") >= p("v") { "u" } else { "v" }, "{line}");
    }

    let result = json(&["evaluate", &data, "--class", "class", "--folds", "3"]);
    assert_eq!((&result["rows"], &result["unlabelled_rows"]), (&54.into(), &6.into()));
    assert_eq!(result["folds"].as_array().unwrap().len(), 3);
    let matrix = result["first_repetition"]["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap());
    assert_eq!(matrix.map(|n| n.as_f64().unwrap()).sum::<f64>(), 54.0);
    assert!(result["measures"]["cll"]["mean"].as_f64().unwrap() < 0.0);

    let sets = json(&["generate", "--list"]);
    assert!(sets.as_array().unwrap().iter().any(|k| k["name"] == "monk1" && k["rows"] == 432));

    let learners = json(&["learners"]);
    assert_eq!(learners["models"][0]["name"], "nb");
    let dirichlet = &learners["parameters"][2];
    assert_eq!(
        (&dirichlet["name"], &dirichlet["settings"][0]["default"]),
        (&"dirichlet".into(), &"1".into())
    );
}

#[test]
fn the_demo_runs() {
    let sets = json(&["demo"]);
    let accuracy = |name: &str| {
        let set = sets.as_array().unwrap().iter().find(|s| s["set"] == name).unwrap();
        ["nb", "tan"].map(|model| set[model]["mean"].as_f64().unwrap())
    };
    assert!(accuracy("monk3")[0] > 0.95 && accuracy("nursery")[0] > 0.89);
    assert!(accuracy("monk1")[0] < 0.8 && accuracy("monk1")[1] > 0.99);
}

#[test]
fn what_can_be_named_is_listed_and_works() {
    let s = Scratch::new();
    let data = s.write("t.csv", mixed(40, false));
    let listed = json(&["learners"]);
    let options =
        [("models", "--model"), ("parameters", "--parameters"), ("discretisers", "--discretise")];
    for (kind, option) in options {
        for entry in listed[kind].as_array().unwrap() {
            s.fit("m.json", &data, &[option, entry["name"].as_str().unwrap()]);
        }
    }
    let text = ok(&["learners"]);
    assert!(text.contains("dirichlet[:alpha]") && text.contains("equal-width[:bins]"), "{text}");
}

#[test]
fn a_set_is_the_same_for_the_same_seed() {
    let draw = |seed: &str| ok(&["generate", "random-tan", "-n", "50", "--seed", seed]);
    assert_eq!(draw("4"), draw("4"));
    assert_ne!(draw("4"), draw("5"));
}

#[test]
fn a_random_network_can_be_kept() {
    let s = Scratch::new();
    let (network, data) = (s.path("net.json"), s.path("t.csv"));
    let args = ["generate", "random-tan", "-n", "5", "--variables", "4", "-o", &data];
    ok(&[&args[..], &["--network", &network]].concat());
    let network: Value = serde_json::from_str(&s.read("net.json")).unwrap();
    let names: Vec<&str> =
        network["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, cells(&s.read("t.csv"))[0]);
}

#[test]
fn every_input_row_gives_one_output_row() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,b,class\nx,1,u\ny,2,v\nx,2,u\ny,1,v\n");
    let model = s.fit("m.json", &data, &[]);
    // Missing cells in each of their forms, unseen levels, and blank lines, which are no rows.
    let new = s.write("new.csv", "\na,b\n\nx,1\n,\nNA,?\n\n\nz,3\ny,2\n\n");
    let (code, csv, _) = run(&["predict", &model, &new], b"");
    assert_eq!(code, 0);
    let firsts: Vec<String> = cells(&csv).iter().map(|r| format!("{},{}", r[0], r[1])).collect();
    assert_eq!(firsts, ["a,b", "x,1", ",", "NA,?", "z,3", "y,2"]);
    let rows = predictions(&csv);
    assert!(rows.iter().all(|r| close(numbers(&r[1..]).iter().sum(), 1.0)), "{csv}");
    assert!(rows[1] == rows[2] && rows[2] == rows[3], "{csv}");
}

#[test]
fn input_columns_come_back_unchanged() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,n,class\nx,1,u\ny,2,v\n");
    let model = s.fit("m.json", &data, &["--continuous", "n"]);
    let head = "id,a,\"said \"\"so\"\"\",n\n";
    let rows = ["007,x,\"a, b\",1.50\n", "1e3,y,\"two\nlines\",+2\n", ",\"?\",\" \"\"q\"\" \",\n"];
    let new = s.write("new.csv", format!("{head}{}", rows.concat()));
    let out = ok(&["predict", &model, &new]);
    let mut rest = out.as_str();
    // A mark of a missing cell needs no quotes.
    for row in std::iter::once(head).chain(rows) {
        let kept = row.trim_end_matches('\n').replace("\"?\"", "?");
        rest = rest.strip_prefix(&kept).unwrap_or_else(|| panic!("{kept} is not in {out}"));
        rest = rest.split_once('\n').unwrap().1;
    }
    assert_eq!(rest, "");
}

#[test]
fn predictions_alone_and_as_tabs() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,class\nx,u\ny,v\n");
    let model = s.fit("m.json", &data, &[]);
    let alone = ok(&["predict", &model, &data, "--only-predictions"]);
    assert_eq!(cells(&alone)[0], ["predicted_class", "p_u", "p_v"]);
    assert_eq!(cells(&alone).len(), 3);
    ok(&["predict", &model, &data, "-o", &s.path("out.tsv")]);
    assert!(s.read("out.tsv").starts_with("a\tclass\tpredicted_class\tp_u\tp_v\nx\tu\tu\t"));
}

#[test]
fn names_that_are_taken_get_an_underscore() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,class\nx,u\ny,v\n");
    let model = s.fit("m.json", &data, &[]);
    let new = s.write("new.csv", "predicted_class,a,p_u,p_u_\nold,x,1,2\n");
    let out = ok(&["predict", &model, &new]);
    let rows = cells(&out);
    let expected = ["predicted_class", "a", "p_u", "p_u_", "predicted_class_", "p_u__", "p_v"];
    assert_eq!(rows[0], expected);
    assert_eq!(rows[1][..5], ["old", "x", "1", "2", "u"]);
}

#[test]
fn a_file_can_be_replaced_by_its_own_predictions() {
    let s = Scratch::new();
    let data = s.write("t.csv", "a,class\nx,u\ny,v\n");
    let model = s.fit("m.json", &data, &[]);
    let expected = ok(&["predict", &model, &data]);
    ok(&["predict", &model, &data, "-o", &data]);
    assert_eq!(s.read("t.csv"), expected);
}

#[test]
fn columns_are_found_by_name() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,b,class\nx,1,u\ny,2,v\nx,2,u\ny,1,u\n");
    let model = s.fit("m.json", &data, &[]);
    let turned = s.write("turned.csv", "more,class,b,a\n,u,1,x\n,v,2,y\n,u,2,x\n,u,1,y\n");
    let predict = |data: &str| predictions(&ok(&["predict", &model, data]));
    assert_eq!(predict(&data), predict(&turned));
    // The class need not be there.
    let without = s.write("without.csv", "b,a\n1,x\n2,y\n2,x\n1,y\n");
    assert_eq!(predict(&data), predict(&without));
}

#[test]
fn an_unseen_level_counts_as_missing_and_is_told_once_a_column() {
    let s = Scratch::new();
    let data = s.write("train.csv", "a,b,class\nx,k,u\ny,l,v\nx,l,u\ny,k,u\n");
    let model = s.fit("m.json", &data, &[]);
    let new = s.write("new.csv", "a,b\nz,k\n,k\nz,k\nzz,k\nx,m\nx,\n");
    let (code, csv, stderr) = run(&["predict", &model, &new], b"");
    assert_eq!(code, 0);
    let rows = predictions(&csv);
    assert!(rows[0] == rows[1] && rows[2] == rows[1] && rows[3] == rows[1], "{csv}");
    assert_eq!(rows[4], rows[5], "{csv}");
    let warnings: Vec<&str> = stderr.lines().collect();
    assert_eq!(warnings.len(), 2, "{stderr}");
    assert!(warnings[0].starts_with("sare: warning: column 'a': cells with levels"), "{stderr}");
    assert!(warnings[0].ends_with("'z' (2), 'zz' (1)"), "{stderr}");
    assert!(warnings[1].starts_with("sare: warning: column 'b': cells with levels"), "{stderr}");
    assert!(warnings[1].ends_with("'m' (1)"), "{stderr}");
    // Quiet means quiet, and changes nothing else.
    assert_eq!(run(&["predict", &model, &new, "-q"], b""), (0, csv, String::new()));
}

#[test]
fn standard_input_and_output_do_for_files() {
    let s = Scratch::new();
    let text = mixed(50, false);
    let data = s.write("t.csv", &text);
    let model = s.fit("m.json", &data, &[]);

    let (code, piped, stderr) = run(&["fit", "-", "--class", "class", "-o", "-"], text.as_bytes());
    assert_eq!((code, stderr.as_str()), (0, ""));
    let piped = s.write("piped.json", piped);
    assert_eq!(learnt(&piped), learnt(&model));

    let expected = run(&["predict", &model, &data], b"");
    assert_eq!(expected.0, 0);
    assert_eq!(run(&["predict", &model, "-"], text.as_bytes()), expected);
    assert_eq!(run(&["predict", "-", &data], s.read("m.json").as_bytes()), expected);
    assert_eq!(run(&["predict", &model, &data, "-o", "-"], b""), expected);

    let (code, seen, _) = run(&["inspect", "-"], text.as_bytes());
    assert_eq!(code, 0);
    assert_eq!(seen.replace("standard input", &data), ok(&["inspect", &data]));
    let (code, shown, _) = run(&["show", "-"], s.read("m.json").as_bytes());
    assert_eq!((code, shown), (0, ok(&["show", &model])));
}

#[test]
fn the_same_table_in_other_texts_gives_the_same_model() {
    let s = Scratch::new();
    let text = mixed(60, false);
    let model = learnt(&s.fit("m.json", &s.write("t.csv", &text), &[]));
    let same = |name: &str, text: &str, options: &[&str]| {
        let got = learnt(&s.fit("other.json", &s.write(name, text), options));
        assert_eq!(got, model, "{name}");
    };
    same("crlf.csv", &text.replace('\n', "\r\n"), &[]);
    same("cr.csv", &text.replace('\n', "\r"), &[]);
    same("mark.csv", &format!("\u{feff}{text}"), &[]);
    same("unended.csv", text.trim_end(), &[]);
    same("quoted.csv", &text.replace(",NA,", ",\"NA\",").replace("p,", "\"p\","), &[]);
    same("tabs.tsv", &text.replace(',', "\t"), &[]);
    same("bars.txt", &text.replace(',', "|"), &[]);
    same("colons.txt", &text.replace(',', ":"), &["--delimiter", ":"]);
    same("tabs.txt", &text.replace(',', "\t"), &["--delimiter", "tab"]);
    let semicolons = text.replace(',', ";").replace('.', ",");
    same("decimal.csv", &semicolons, &["--decimal-comma"]);
}

#[test]
fn predictions_are_the_same_from_other_texts() {
    let s = Scratch::new();
    let text = mixed(60, false);
    let data = s.write("t.csv", &text);
    let model = s.fit("m.json", &data, &["--ignore", "weight"]);
    let expected = predictions(&ok(&["predict", &model, &data]));
    let decimal = s.write("decimal.csv", text.replace(',', ";").replace('.', ","));
    let args = ["predict", &model, &decimal, "--decimal-comma", "--only-predictions"];
    assert_eq!(predictions(&ok(&args)), expected);
    let tabs = s.write("tabs.tsv", text.replace(',', "\t").replace('\n', "\r\n"));
    assert_eq!(predictions(&ok(&["predict", &model, &tabs])), expected);
}

#[test]
fn gzipped_files_are_read_as_they_are() {
    let s = Scratch::new();
    let data = s.write("t.csv", mixed(60, false));
    let Ok(packed) = Command::new("gzip").args(["-c", &data]).output() else { return };
    assert!(packed.stdout.starts_with(&[0x1f, 0x8b]));
    let zipped = s.write("t.csv.gz", &packed.stdout);
    let model = s.fit("m.json", &data, &[]);
    for options in [&[][..], &["--stream"]] {
        assert_eq!(learnt(&s.fit("z.json", &zipped, options)), learnt(&model));
    }
    assert_eq!(run(&["predict", &model, &zipped], b""), run(&["predict", &model, &data], b""));
    assert_eq!(run(&["inspect", "-"], &packed.stdout).0, 0);
}

#[test]
fn a_file_without_a_header() {
    let s = Scratch::new();
    let text = mixed(60, false);
    let (header, rows) = text.split_once('\n').unwrap();
    let bare = s.write("bare.csv", rows);
    let named = s.write("named.csv", &text);
    let (m, n) = (s.path("m.json"), s.fit("n.json", &named, &[]));
    ok(&["fit", &bare, "--no-header", "--class", "c4", "-o", &m]);
    let mut renamed = s.read("m.json");
    for (i, name) in header.split(',').enumerate() {
        renamed = renamed.replace(&format!("\"c{}\"", i + 1), &format!("\"{name}\""));
    }
    assert_eq!(learnt(&s.write("renamed.json", renamed)), learnt(&n));
    let out = ok(&["predict", &m, &bare, "--no-header"]);
    assert_eq!(cells(&out)[0], ["c1", "c2", "c3", "c4", "predicted_c4", "p_u", "p_v"]);
    assert_eq!(predictions(&out), predictions(&ok(&["predict", &n, &named])));
}

#[test]
fn arff_is_read_with_its_declared_kinds() {
    let s = Scratch::new();
    let head = "% a comment\n@RELATION r\n@attribute a {y, 'x z', never}\n@attribute n numeric\n\
                @attribute class {u,v}\n\n@data\n";
    let arff = s.write("t.arff", format!("{head}y,1,u\n'x z',?,v\n% no row\n?,3,u\ny,2.5,v\n"));
    let seen = json(&["inspect", &arff]);
    assert_eq!((&seen["rows"], &seen["missing"]), (&4.into(), &2.into()));
    // In the declared order, with the level that no row has.
    let levels = serde_json::json!([["y", 2], ["x z", 1], ["never", 0]]);
    assert_eq!(seen["columns"][0]["levels"], levels);
    assert_eq!(seen["columns"][1]["kind"], "continuous");

    let model = s.fit("m.json", &arff, &[]);
    let csv = s.write("t.csv", "a,n,class\ny,1,u\nx z,,v\n,3,u\ny,2.5,v\n");
    let expected = predictions(&ok(&["predict", &model, &csv]));
    assert_eq!(predictions(&ok(&["predict", &model, &arff])), expected);
    // An unquoted ? is missing in any case; --missing adds to it.
    assert_eq!(learnt(&s.fit("k.json", &arff, &["--missing", "NA"])), learnt(&model));
    assert_eq!(learnt(&s.fit("s.json", &arff, &["--stream"])), learnt(&model));
}

#[test]
fn other_marks_of_missing_cells_are_remembered() {
    let s = Scratch::new();
    let text = mixed(60, false);
    let data = s.write("t.csv", &text);
    // Marks that are numbers and names; "NA" and the empty cell are then cells like others, but none is left.
    let marked = text.replace(",NA,", ",-999,").replace("\n,", "\nnone,");
    let marked = s.write("marked.csv", marked);
    let plain = s.fit("plain.json", &data, &[]);
    assert_ne!(learnt(&plain)[1][1], serde_json::json!([]), "nothing is cut: the test is blind");
    for options in [&["--missing=-999,none"][..], &["--missing=-999,none", "--stream"]] {
        let model = s.fit("marked.json", &marked, options);
        assert_eq!(learnt(&model), learnt(&plain), "{options:?}");
        let predicted = predictions(&ok(&["predict", &model, &marked]));
        assert_eq!(predicted, predictions(&ok(&["predict", &plain, &data])), "{options:?}");
    }
}

#[test]
fn columns_are_what_the_options_say() {
    let s = Scratch::new();
    let rows: String = (0..40).map(|i| format!("{},{i},{},u{}\n", i % 3, i, i % 2)).collect();
    let data = s.write("t.csv", format!("code,count,id,class\n{rows}"));
    let kinds = |options: &[&str]| -> Vec<String> {
        let seen = json(&[&["inspect", &data], options].concat());
        let columns = seen["columns"].as_array().unwrap();
        columns.iter().map(|c| format!("{}:{}", c["name"], c["kind"]).replace('"', "")).collect()
    };
    // Few different whole numbers are codes, many are numbers.
    let found = ["code:discrete", "count:continuous", "id:continuous", "class:discrete"];
    assert_eq!(kinds(&[]), found);
    let said = ["code:continuous", "count:discrete", "class:discrete"];
    let options = ["--continuous", "code", "--discrete", "count", "--ignore", "id"];
    assert_eq!(kinds(&options), said);
    assert_eq!(kinds(&["--ignore", "code,count,id"]), ["class:discrete"]);
    assert_eq!(
        kinds(&["--weight", "count", "--ignore", "id"]),
        ["code:discrete", "class:discrete"]
    );
}

#[test]
fn columns_that_cannot_help_take_one_line_and_can_be_kept() {
    let s = Scratch::new();
    let rows: String = (0..30).map(|i| format!("n{i},m{i},{},k,u{}\n", i % 3, i % 2)).collect();
    let data = s.write("t.csv", format!("id,code,a,same,class\n{rows}"));
    let model = s.path("m.json");
    let fit = ["fit", &data, "--class", "class", "-o", &model];
    let (code, _, stderr) = run(&fit, b"");
    assert_eq!((code, stderr.lines().count()), (0, 2), "{stderr}");
    assert!(stderr.contains("left out: 'id', 'code': every row differs"), "{stderr}");
    assert!(stderr.contains("left out: 'same': one value in all rows (--keep"), "{stderr}");
    let found = json(&fit);
    assert_eq!(
        (&found["attributes"], &found["notes"][0]["columns"][1]),
        (&1.into(), &"code".into())
    );
    // The saved model remembers, and quiet is quiet.
    let saved: serde_json::Value = serde_json::from_str(&s.read("m.json")).unwrap();
    let notes = &saved["training"]["conventions"]["notes"];
    assert_eq!(notes[0]["about"]["left-out"], "identifier");
    assert_eq!(run(&[&fit[..], &["--quiet"]].concat(), b"").2, "");
    assert!(ok(&["inspect", &data]).contains("id: every row differs"));
    for options in [&["--keep", "id,same"][..], &["--keep", "id", "--keep", "same", "--stream"]] {
        assert_eq!(json(&[&fit[..], options].concat())["attributes"], 3);
    }
    let found = json(&["cluster", &data, "-k", "2", "--starts", "2", "--ignore", "class"]);
    assert_eq!(found["notes"][1]["about"]["left-out"], "constant");
    let evaluation = json(&["evaluate", &data, "--class", "class", "--folds", "2"]);
    assert_eq!(evaluation["notes"].as_array().unwrap().len(), 2);
}

#[test]
fn a_file_as_pandas_and_excel_write_it_goes_through_every_command() {
    let s = Scratch::new();
    let (mut plain, mut german) = ("a,x,class\n".to_string(), ";a;x;class;\r\n".to_string());
    for r in 0..60 {
        let (a, x, class) = (["rot", "größer"][r % 2], r as f64 / 4.0, ["u", "v"][r / 30]);
        plain += &format!("{a},{x},{class}\n");
        german += &format!("{r};{a};{};{class};\r\n", x.to_string().replace('.', ","));
    }
    let plain = s.write("plain.csv", plain);
    let latin: Vec<u8> = german.chars().map(|c| c as u8).collect();
    let german = s.write("german.csv", latin);
    let latin = ["--encoding", "latin-1"];
    let fitted = [s.fit("p.json", &plain, &[]), s.fit("g.json", &german, &latin)];
    assert_eq!(learnt(&fitted[0]), learnt(&fitted[1]));
    let streamed = s.fit("gs.json", &german, &[&latin[..], &["--stream"]].concat());
    assert!(s.read("g.json") == s.read("gs.json"), "{streamed}");
    // Every model reads every file; the columns it does not know are carried along.
    let only = |model: &str, data: &str, more: &[&str]| {
        ok(&[&["predict", model, data, "--only-predictions"], more].concat())
    };
    let expected = only(&fitted[0], &plain, &[]);
    assert_eq!(only(&fitted[1], &plain, &[]), expected);
    assert_eq!(only(&fitted[0], &german, &latin), expected);
    assert_eq!(only(&fitted[1], &german, &latin), expected);
    let whole = ok(&[&["predict", &fitted[1], &german], &latin[..]].concat());
    assert!(whole.starts_with(",a,x,class,predicted_class"), "{whole}");
    assert!(whole.lines().nth(2).unwrap().starts_with("1,größer,\"0,25\",u,u"), "{whole}");
    let measured = |data: &str, more: &[&str]| {
        let args = [&["evaluate", data, "--class", "class", "--folds", "3"], more].concat();
        json(&args)["measures"].clone()
    };
    assert_eq!(measured(&plain, &[]), measured(&german, &latin));
    let sizes = |data: &str, more: &[&str]| {
        let args = ["cluster", data, "-k", "2", "--starts", "3", "--truth", "class", "--json"];
        let found: serde_json::Value = serde_json::from_str(&ok(&[&args, more].concat())).unwrap();
        found["sizes"].clone()
    };
    assert_eq!(sizes(&plain, &[]), sizes(&german, &latin));
    let seen = json(&[&["inspect", &german], &latin[..]].concat());
    let about: Vec<&serde_json::Value> =
        seen["notes"].as_array().unwrap().iter().map(|n| &n["about"]).collect();
    assert_eq!(about.len(), 3, "{about:?}");
}

#[test]
fn a_class_of_numbers_is_cut_on_demand_and_alike_in_a_new_file() {
    let s = Scratch::new();
    let rows: String = (0..90).map(|r| format!("{},{}.5\n", r / 30, r)).collect();
    let data = s.write("t.csv", format!("a,class\n{rows}"));
    let (code, _, stderr) = run(&["evaluate", &data, "--class", "class"], b"");
    assert!(
        code == 1 && stderr.contains("sare classifies") && stderr.contains("--bins 5"),
        "{stderr}"
    );
    let found = json(&["evaluate", &data, "--class", "class", "--bins", "3"]);
    assert_eq!((&found["accuracy"], found["classes"].as_array().unwrap().len()), (&1.0.into(), 3));
    let model = s.fit("m.json", &data, &["--bins", "3"]);
    let new = s.write("new.csv", "a,class\n0,1\n1,31\n2,1000\n2,0\n");
    let (code, stdout, stderr) = run(&["predict", &model, &new], b"");
    assert!(code == 0 && stderr.contains("75.00 % of the 4 rows"), "{stderr}");
    assert!(stdout.contains("2,1000,>59.5") || stdout.contains("2,1000,>60"), "{stdout}");
    let stream = ["fit", &data, "--class", "class", "--bins", "3", "--stream", "-o", &s.path("x")];
    assert_eq!(run(&stream, b"").0, 2);
}

#[test]
fn a_file_fitted_in_pieces_gives_the_same_model_to_the_byte() {
    let s = Scratch::new();
    // More rows than one piece of 16384, so that the order of sums matters.
    let data = s.write("t.csv", mixed(40_000, false));
    let options: [&[&str]; 5] = [
        &[],
        &["--weight", "weight"],
        &["--class-weights", "balanced", "--parameters", "bdeu:2"],
        &["--weight", "weight", "--class-weights", "u=0.3", "--discretise", "equal-frequency:7"],
        &["--discrete", "number", "--ignore", "name", "--parameters", "ml"],
    ];
    for options in options {
        let whole = s.fit("whole.json", &data, options);
        let pieces = s.fit("pieces.json", &data, &[options, &["--stream"]].concat());
        assert!(std::fs::read(whole).unwrap() == std::fs::read(pieces).unwrap(), "{options:?}");
    }
}

#[test]
fn rows_without_a_class_teach_nothing() {
    let s = Scratch::new();
    let text = mixed(200, true);
    let data = s.write("t.csv", &text);
    let labelled: Vec<&str> = text.lines().filter(|l| !l.ends_with(',')).collect();
    let labelled = s.write("labelled.csv", labelled.join("\n"));
    for options in [&[][..], &["--weight", "weight"], &["--class-weights", "balanced"]] {
        let expected = learnt(&s.fit("labelled.json", &labelled, options));
        assert_eq!(learnt(&s.fit("all.json", &data, options)), expected, "{options:?}");
        let options = [options, &["--stream"]].concat();
        assert_eq!(learnt(&s.fit("pieces.json", &data, &options)), expected, "{options:?}");
    }
    let (_, _, stderr) = run(&["fit", &data, "--class", "class", "-o", &s.path("m.json")], b"");
    assert_eq!(stderr, "sare: warning: 20 rows have no class and were not learnt from\n");
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    let s = Scratch::new();
    let data = s.write("t.csv", mixed(40_000, true));
    let weigh = ["--weight", "weight"];
    let results = ["1", "2", "5"].map(|threads| {
        let threads = ["--threads", threads];
        let model = s.fit("m.json", &data, &[&weigh[..], &threads].concat());
        let predicted = run(&[&["predict", &model, &data][..], &threads].concat(), b"");
        let evaluate = ["evaluate", &data, "--class", "class", "--json", "--folds", "4"];
        let evaluated = run(&[&evaluate[..], &weigh, &threads].concat(), b"");
        assert_eq!((predicted.0, evaluated.0), (0, 0));
        (s.read("m.json"), predicted, evaluated)
    });
    assert!(results[0] == results[1]);
    assert!(results[0] == results[2]);
}

#[test]
fn weight_two_is_the_row_twice() {
    let s = Scratch::new();
    let (mut weighted, mut repeated) = (String::new(), String::new());
    for (i, line) in mixed(80, false).lines().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let plain = format!("{},{},{}\n", cells[0], cells[1], cells[3]);
        let times = if i == 0 { 1 } else { i % 3 };
        repeated.push_str(&plain.repeat(times));
        let weight = if i == 0 { "w".to_string() } else { times.to_string() };
        weighted.push_str(&format!("{weight},{plain}"));
    }
    let weighted = s.write("weighted.csv", weighted);
    let repeated = s.write("repeated.csv", repeated);
    for more in [&[][..], &["--class-weights", "u=3"], &["--parameters", "bdeu:2"]] {
        let by_weight = s.fit("w.json", &weighted, &[&["--weight", "w"], more].concat());
        assert_eq!(learnt(&by_weight), learnt(&s.fit("r.json", &repeated, more)), "{more:?}");
    }
}

#[test]
fn balanced_class_weights_make_classes_equal() {
    let s = Scratch::new();
    let data = s.write("t.csv", "a,class\nx,u\ny,u\nx,u\nx,v\n");
    let prior = |options: &[&str]| {
        let [_, _, network] = learnt(&s.fit("m.json", &data, options));
        network["nodes"][1]["probabilities"][0].clone()
    };
    assert_eq!(prior(&["--parameters", "ml"]), serde_json::json!([0.75, 0.25]));
    assert_eq!(
        prior(&["--parameters", "ml", "--class-weights", "balanced"]),
        serde_json::json!([0.5, 0.5])
    );
    assert_eq!(
        prior(&["--parameters", "ml", "--class-weights", "v=9"]),
        serde_json::json!([0.25, 0.75])
    );
}

#[test]
fn the_ways_to_evaluate() {
    let s = Scratch::new();
    let data = s.generate("monk3", "100");
    let evaluate =
        |options: &[&str]| json(&[&["evaluate", &data, "--class", "class"], options].concat());
    let shape = |result: &Value| -> Vec<(u64, u64)> {
        let fold = |f: &Value| (f["trained"].as_u64().unwrap(), f["tested"].as_u64().unwrap());
        result["folds"].as_array().unwrap().iter().map(fold).collect()
    };
    assert_eq!(shape(&evaluate(&[])), [(90, 10); 10]);
    assert_eq!(shape(&evaluate(&["--folds", "4"])), [(75, 25); 4]);
    assert_eq!(shape(&evaluate(&["--leave-one-out"])), [(99, 100)]);
    assert_eq!(shape(&evaluate(&["--hold-out", "0.3"])), [(70, 30)]);
    assert_eq!(shape(&evaluate(&["--train-first", "60"])), [(60, 40)]);
    let text = ok(&["evaluate", &data, "--class", "class", "--folds", "4"]);
    assert!(text.contains("stratified 4-fold") && text.contains("true \\ predicted"), "{text}");
    assert_eq!(evaluate(&["--seed", "3"]), evaluate(&["--seed", "3"]));
}

#[test]
fn training_on_the_first_rows_is_fit_and_predict() {
    let s = Scratch::new();
    let text = mixed(120, false);
    let data = s.write("t.csv", &text);
    let lines: Vec<&str> = text.lines().collect();
    let train = s.write("train.csv", lines[..81].join("\n"));
    let test = s.write("test.csv", format!("{}\n{}\n", lines[0], lines[81..].join("\n")));
    let model = s.fit("m.json", &train, &[]);
    let out = ok(&["predict", &model, &test]);
    let right = cells(&out)[1..].iter().filter(|r| r[3] == r[4]).count();
    let result = json(&["evaluate", &data, "--class", "class", "--train-first", "80"]);
    assert!(close(result["accuracy"].as_f64().unwrap(), right as f64 / 40.0));
}

#[test]
fn show_can_be_limited_to_some_variables() {
    let s = Scratch::new();
    let model = s.fit("m.json", &s.write("t.csv", mixed(40, false)), &[]);
    let shown = ok(&["show", &model, "--variables", "name,class"]);
    assert!(shown.contains("p(name | class)") && shown.contains("p(class)"), "{shown}");
    assert!(!shown.contains("p(number"), "{shown}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::Stdio;
    // More output than a pipe holds.
    let mut child = Command::new(SARE)
        .args(["generate", "nursery"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    // Goes away with the pipe at the end of the statement.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("parents,has_nurs,"));
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

/// A column of whole numbers that gets a hole is often written 1.0 for 1 by other programs.
#[test]
fn a_number_written_otherwise_is_the_same_level() {
    let s = Scratch::new();
    let data = s.write("t.csv", "a,class\n1,u\n2,v\n1,u\n2,v\n1,u\n");
    let model = s.fit("m.json", &data, &[]);
    let plain = ok(&["predict", &model, &s.write("p.csv", "a\n1\n2\n"), "--only-predictions"]);
    let (code, dotted, stderr) =
        run(&["predict", &model, &s.write("q.csv", "a\n1.0\n2.0\n"), "--only-predictions"], b"");
    assert_eq!((code, dotted, stderr), (0, plain, String::new()));
}

#[test]
fn marks_of_missing_cells_hold_for_declared_levels_too() {
    let s = Scratch::new();
    let arff =
        "@relation r\n@attribute a {x,y,NA}\n@attribute class {u,v}\n@data\nx,u\nNA,v\ny,v\n";
    let path = s.write("t.arff", arff);
    assert_eq!(json(&["inspect", &path])["columns"][0]["missing"], 0);
    let marked = json(&["inspect", &path, "--missing", "NA"]);
    assert_eq!(marked["columns"][0]["missing"], 1);
    assert_eq!(marked["columns"][0]["levels"].as_array().unwrap().len(), 2);
}

/// The limits of the codes: 255 levels in a byte, 65,535 in two.
#[test]
fn columns_of_very_many_levels() {
    let s = Scratch::new();
    for levels in [254, 255, 256, 257] {
        let rows: String =
            (0..2 * levels).map(|i| format!("v{},{}\n", i % levels, ["u", "v"][i % 2])).collect();
        let data = s.write("many.csv", format!("a,class\n{rows}"));
        let model = s.fit("m.json", &data, &["-q"]);
        let streamed = s.fit("n.json", &data, &["-q", "--stream"]);
        assert_eq!(learnt(&model), learnt(&streamed));
        assert_eq!(ok(&["predict", &model, &data, "-q"]).lines().count(), 2 * levels + 1);
    }
    let names: Vec<String> = (0..65_536).map(|i| format!("v{i}")).collect();
    let arff = format!(
        "@relation r\n@attribute a {{{}}}\n@attribute class {{u,v}}\n@data\nv1,u\nv65535,v\n",
        names.join(",")
    );
    let (code, _, stderr) = run(&["inspect", &s.write("big.arff", arff)], b"");
    assert_eq!(code, 1);
    assert!(stderr.contains("65536 levels, more than 65535"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_private_file_stays_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let s = Scratch::new();
    let data = s.generate("monk1", "30");
    let model = s.write("m.json", "old");
    std::fs::set_permissions(&model, std::fs::Permissions::from_mode(0o600)).unwrap();
    s.fit("m.json", &data, &[]);
    assert_eq!(std::fs::metadata(&model).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn inspect_names_what_may_be_missing_without_harm() {
    let s = Scratch::new();
    let rows: String = (0..60i64)
        .map(|r| {
            let (age, score) =
                (if r == 9 { 999 } else { 20 + r % 40 }, if r == 3 { -99 } else { r % 30 });
            let (pain, stars) =
                (["none", "some", "-"][r as usize % 3], if r == 5 { 9 } else { 1 + r % 5 });
            format!("{age},{score},{pain},{stars},{}.5,{}\n", 99 - r, r % 2)
        })
        .collect();
    let data = s.write("t.csv", format!("age,score,pain,stars,x,class\n{rows}"));
    let text = ok(&["inspect", &data, "--class", "class"]);
    for words in [
        "age: 999 stands apart",
        "score: -99 stands apart",
        "pain: level 'none' (20 rows) may mean a missing value, or be a level of its own",
        "pain: level '-' (20 rows) may",
    ] {
        assert!(text.contains(words), "'{words}' is not in: {text}");
    }
    assert!(!text.contains("stars: 9") && !text.contains("x: "), "{text}");
    // What could destroy a column is not printed as a command.
    assert!(!text.contains("--missing \"?,NA,,none"), "{text}");
}
