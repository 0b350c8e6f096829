//! What goes wrong is said in one line that names the place and the way out, and destroys nothing.

use crate::util::*;
use serde_json::{Value, json};

/// A folder with a small set, a model of it, and an old file where output is to go.
fn place() -> Scratch {
    let s = Scratch::new();
    let data = s.write("good.csv", "a,b,class\nx,1,u\ny,2,v\nx,2,u\ny,1,u\nx,1,v\n");
    s.fit("good.json", &data, &[]);
    s.write("old", "old\n");
    s
}

/// Runs a command that must fail with this code: one line on the standard error that has all the parts, nothing on the
/// standard output, and every file as it was.
fn refused(s: &Scratch, args: &[&str], code: i32, parts: &[&str]) {
    refused_with(s, args, b"", code, parts);
}

fn refused_with(s: &Scratch, args: &[&str], stdin: &[u8], code: i32, parts: &[&str]) {
    let before = s.files();
    let (got, stdout, stderr) = run(args, stdin);
    check_refusal(&format!("sare {args:?}"), (got, &stdout, &stderr), code, parts);
    assert_eq!(s.files(), before, "sare {args:?} changed a file");
}

fn check_refusal(what: &str, (got, stdout, stderr): (i32, &str, &str), code: i32, parts: &[&str]) {
    assert_eq!(got, code, "{what}: {stderr}");
    assert_eq!(stdout, "", "{what}");
    let one_line = stderr.starts_with("sare: ") && stderr.ends_with('\n');
    assert!(one_line && stderr.lines().count() == 1, "{what}: {stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{what}: '{part}' is not in: {stderr}");
    }
}

/// Data that cannot be fitted, in memory or in pieces.
fn not_fitted(data: impl AsRef<[u8]>, options: &[&str], parts: &[&str]) {
    let s = place();
    let data = s.write("bad.csv", data);
    let old = s.path("old");
    let args = [&["fit", &data, "--class", "class", "-o", &old], options].concat();
    let parts = [&[data.as_str()], parts].concat();
    refused(&s, &args, 1, &parts);
    refused(&s, &[&args[..], &["--stream"]].concat(), 1, &parts);
}

/// Twenty numbers, then a cell on line 22.
fn numbers_and(cell: &str) -> String {
    let rows: String = (0..20).map(|i| format!("{i}.5,{}\n", ["u", "v"][i % 2])).collect();
    format!("a,class\n{rows}{cell},u\n")
}

/// A model with something changed.
fn edited(s: &Scratch, edit: impl FnOnce(&mut Value)) -> String {
    let mut model: Value = serde_json::from_str(&s.read("good.json")).unwrap();
    edit(&mut model);
    s.write("edited.json", model.to_string())
}

#[test]
fn ragged_rows_are_refused_by_line() {
    not_fitted("a,b,class\n1,2,u\n\n1,v\n", &[], &["line 4", "2 fields where 3 are expected"]);
    not_fitted("a,b,class\n1,2,u\n1,2,3,v\n", &[], &["line 3", "4 fields where 3"]);
    not_fitted("a,b,class\n1,2,u\n1;2;v\n", &[], &["line 3", "separated by ';'"]);
}

#[test]
fn open_quotes_are_refused_where_they_start() {
    not_fitted("a,class\n1,u\n\"2,v\n3,u\n", &[], &["line 3", "quote", "never closed"]);
}

#[test]
fn header_names_must_differ_and_be_there() {
    not_fitted("a,class,a\n1,u,2\n", &[], &["line 1", "'a' twice (fields 1 and 3)", "rename"]);
    not_fitted("a,,class\n1,2,u\n", &[], &["line 1", "field 2 has no name"]);
}

#[test]
fn a_missing_class_column_suggests_the_nearest() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    let parts = [&data, "no column 'clas'", "did you mean 'class'?", "a, b, class"];
    refused(&s, &["fit", &data, "--class", "clas", "-o", &old], 1, &parts);
    refused(&s, &["evaluate", &data, "--class", "clas"], 1, &parts);
    refused(&s, &["inspect", &data, "--class", "clas"], 1, &parts);
}

#[test]
fn files_without_rows_are_refused() {
    not_fitted("", &[], &["the file is empty", "header"]);
    not_fitted("\n\n", &[], &["the file is empty"]);
    not_fitted("a,class\n", &[], &["a header but no rows", "at least one row"]);
}

#[test]
fn a_class_of_missing_cells_is_refused_and_a_column_of_them_is_left_out() {
    not_fitted("a,class\nx,\ny,NA\n", &[], &["column 'class'", "every cell of the class"]);
    let data = "a,b,class\n,1,u\nNA,2,v\n?,1,u\n";
    for options in [&[][..], &["--continuous", "a"], &["--keep", "a"], &["--stream"]] {
        let s = place();
        let data = s.write("holes.csv", data);
        let model = s.path("m.json");
        let args = [&["fit", &data, "--class", "class", "-o", &model], options].concat();
        let (code, _, stderr) = run(&args, b"");
        assert_eq!((code, stderr.lines().count()), (0, 1), "{stderr}");
        assert!(stderr.contains("note: left out: 'a': every cell is missing"), "{stderr}");
    }
    let only = "a,class\n,u\n,v\n";
    not_fitted(only, &[], &["no attribute to learn from", "left out: 'a': every cell is missing"]);
}

#[test]
fn a_class_that_cannot_be_told_apart_is_refused() {
    not_fitted("a,class\n1,u\n2,u\n", &[], &["column 'class'", "one level, 'u'"]);
    let parts = ["column 'class'", "numbers", "classifies", "--discrete class", "--bins"];
    not_fitted("a,class\nx,1.5\ny,2.5\n", &[], &parts);
    not_fitted("class\nu\nv\n", &[], &["no attribute"]);
}

/// Codes of classes are levels up to 50 values; more whole numbers are something to be measured.
#[test]
fn a_class_of_whole_numbers_is_one_of_codes_up_to_fifty_values() {
    let rows = |n: usize| -> String {
        let lines = (0..4 * n).map(|i| format!("{},{}\n", ["x", "y"][i % 2], i % n));
        format!("a,class\n{}", lines.collect::<String>())
    };
    let s = place();
    let data = s.write("fifty.csv", rows(50));
    let (code, _, stderr) = run(&["evaluate", &data, "--class", "class", "--folds", "2"], b"");
    assert_eq!(code, 0, "{stderr}");
    let (code, stdout, stderr) =
        run(&["evaluate", &data, "--class", "class", "--folds", "2", "--bins", "2"], b"");
    assert!(code == 0 && stdout.contains("200 rows tested"), "{stdout}{stderr}");
    not_fitted(rows(51), &[], &["column 'class'", "numbers", "classifies", "--bins"]);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let latin = "--encoding latin-1";
    not_fitted(b"a,class\nx,u\ncaf\xe9,v\n", &[], &["line 3", "column 'a'", "not UTF-8", latin]);
    not_fitted(b"caf\xe9,class\nx,u\ny,v\n", &[], &["line 1", "not UTF-8", latin]);
    let s = place();
    let data = s.write("l.csv", b"caf\xe9,class\nx,u\ny,v\n");
    s.fit("l.json", &data, &["--encoding", "latin-1"]);
    assert!(s.read("l.json").contains("café"));
    // Without a mark nobody can know.
    let bytes = "a,class\nx,u\ny,v\n".encode_utf16().flat_map(u16::to_le_bytes);
    let data: Vec<u8> = bytes.collect();
    not_fitted(&data, &[], &["UTF-16", "--encoding utf-16"]);
    let path = s.write("u.csv", &data);
    s.fit("u.json", &path, &["--encoding", "utf-16"]);
    not_fitted(b"\xff\xfea\0,\0\x00\xd8", &[], &["not valid UTF-16"]);
}

#[test]
fn cells_that_are_no_usable_numbers_are_refused() {
    for options in [&[][..], &["--continuous", "a"]] {
        let refuse = |cell: &str, parts: &[&str]| {
            let shown = format!("'{cell}'");
            let parts = [&["line 22", "column 'a'", &shown], parts].concat();
            not_fitted(numbers_and(cell), options, &parts);
        };
        refuse("1e400", &["beyond the range", "--missing \"?,NA,,1e400\""]);
        refuse("inf", &["--missing \"?,NA,,inf\""]);
        refuse("-inf", &["--missing \"?,NA,,-inf\""]);
        refuse("hello", &["not a number", "--missing \"?,NA,,hello\"", "--discrete a"]);
    }
}

#[test]
fn the_advice_about_a_cell_works() {
    let s = place();
    let data = s.write("bad.csv", numbers_and("1e400"));
    s.fit("m.json", &data, &["--missing", "?,NA,,1e400"]);
    let data = s.write("bad.csv", numbers_and("hello"));
    s.fit("m.json", &data, &["--missing", "?,NA,,hello"]);
    s.fit("m.json", &data, &["--discrete", "a"]);
    let data = s.write("bad.csv", "a,class\nx,1.5\ny,2.5\n");
    s.fit("m.json", &data, &["--discrete", "class"]);
}

#[test]
fn a_decimal_comma_is_refused_and_understood_on_demand() {
    let parts = ["line 22", "column 'a'", "'1,5'", "--decimal-comma yes"];
    not_fitted(numbers_and("\"1,5\""), &[], &parts);
    let s = place();
    let data = s.write("comma.csv", numbers_and("\"1,5\""));
    let model = s.fit("m.json", &data, &["--decimal-comma"]);
    let point = s.write("point.csv", numbers_and("1.5"));
    assert_eq!(learnt(&model), learnt(&s.fit("p.json", &point, &[])));
}

#[test]
fn a_text_among_numbers_is_missing_in_prediction_and_an_error_on_demand() {
    let s = place();
    let data = s.write("n.csv", numbers_and("1.5"));
    let model = s.fit("n.json", &data, &[]);
    let missing = s.write("missing.csv", numbers_and(""));
    let expected = ok(&["predict", &model, &missing, "--only-predictions"]);
    let old = s.path("old");
    for cell in ["1e400", "inf", "hello", "\"1,5\""] {
        let bad = s.write("bad.csv", numbers_and(cell));
        let shown = format!("'{}'", cell.trim_matches('"'));
        let (code, stdout, stderr) = run(&["predict", &model, &bad, "--only-predictions"], b"");
        assert_eq!((code, &stdout), (0, &expected), "{stderr}");
        let words =
            format!("column 'a': cells that are not numbers were treated as missing: {shown} (1)");
        assert!(stderr.contains(&words), "{stderr}");
        let parts = [&bad, "line 22", "column 'a'", &shown, "correct the cell or leave it empty"];
        refused(&s, &["predict", &model, &bad, "-o", &old, "--unseen", "error"], 1, &parts);
    }
    // A word for a missing value is no surprise.
    let word = s.write("word.csv", numbers_and("NaN"));
    let (code, stdout, stderr) = run(&["predict", &model, &word, "--only-predictions"], b"");
    assert_eq!((code, &stdout), (0, &expected));
    assert!(!stderr.contains("treated as missing"), "{stderr}");
}

#[test]
fn folders_and_missing_files_are_refused() {
    let s = place();
    let (folder, old, none) = (s.path("."), s.path("old"), s.path("none.csv"));
    let model = s.path("good.json");
    let data = |path: &str, parts: &[&str]| {
        let parts = [&[path], parts].concat();
        refused(&s, &["inspect", path], 1, &parts);
        refused(&s, &["fit", path, "--class", "class", "-o", &old], 1, &parts);
        refused(&s, &["fit", path, "--class", "class", "-o", &old, "--stream"], 1, &parts);
        refused(&s, &["evaluate", path, "--class", "class"], 1, &parts);
        refused(&s, &["predict", &model, path, "-o", &old], 1, &parts);
    };
    data(&folder, &["this is a folder", "name a file"]);
    data(&none, &[]);
    refused(&s, &["show", &none], 1, &[&none]);
    refused(&s, &["show", &folder], 1, &[&folder]);
}

#[test]
fn what_the_system_says_is_said_once() {
    let s = place();
    let (_, _, stderr) = run(&["inspect", &s.path("none.csv")], b"");
    assert_eq!(stderr.matches("os error").count(), 1, "{stderr}");
}

#[test]
fn a_model_cut_anywhere_is_refused() {
    let s = place();
    let (whole, data, old) = (s.read("good.json"), s.path("good.csv"), s.path("old"));
    let last = whole.trim_end().len() - 1;
    for at in [0, 1, 10, last / 4, last / 2, last * 3 / 4, last] {
        let cut = s.write("cut.json", &whole[..at]);
        let fault = if at == 0 { "not a sare model" } else { "ends in the middle" };
        refused(&s, &["predict", &cut, &data, "-o", &old], 1, &[&cut, fault]);
        refused(&s, &["show", &cut], 1, &[&cut, fault]);
    }
}

#[test]
fn files_that_are_no_model_of_this_kind_and_version_are_refused() {
    let s = place();
    let data = s.path("good.csv");
    let show = |model: &str, parts: &[&str]| {
        refused(&s, &["show", model], 1, &[&[model], parts].concat());
        refused(&s, &["predict", model, &data], 1, &[&[model], parts].concat());
    };
    show(&data, &["not a sare model"]);
    show(&s.write("other.json", "{\"a\": 1}"), &["not a sare model"]);
    show(&s.write("binary.json", b"\xff\xfe\x00"), &["not a sare model"]);
    show(&edited(&s, |m| m["version"] = json!(3)), &["version 3", "up to 2", "newer"]);
    show(&edited(&s, |m| m["kind"] = json!("clustering")), &["a clustering", "give a classifier"]);
    show(&edited(&s, |m| m["training"] = json!(null)), &["damaged"]);
}

#[test]
fn a_model_that_contradicts_itself_is_refused() {
    let s = place();
    let data = s.path("good.csv");
    let old = s.path("old");
    let refuse = |part: &str, edit: &dyn Fn(&mut Value)| {
        let model = edited(&s, edit);
        refused(&s, &["predict", &model, &data, "-o", &old], 1, &[&model, part]);
    };
    let apart = "do not fit together";
    refuse(apart, &|m| m["schema"][0]["name"] = json!("z"));
    refuse(apart, &|m| m["schema"][0]["kind"]["discrete"]["levels"] = json!(["x", "z"]));
    refuse(apart, &|m| m["schema"][0]["kind"] = json!("text"));
    refuse(apart, &|m| m["network"]["nodes"][0]["levels"] = json!(["x", "z"]));
    refuse(apart, &|m| m["cuts"] = json!([]));
    // A discrete column with cut points, told in the same way by the network.
    refuse(apart, &|m| {
        m["cuts"][0] = json!([0.5]);
        m["network"]["nodes"][0]["levels"] = json!(["<=0.5", ">0.5"]);
    });
    refuse("the class is not discrete", &|m| {
        m["schema"][2]["kind"] = json!("continuous");
        m["cuts"][2] = json!([0.5]);
        m["network"]["nodes"][2]["levels"] = json!(["<=0.5", ">0.5"]);
    });
    refuse("sum to 1", &|m| m["network"]["nodes"][0]["probabilities"][0] = json!([0.5, 0.6]));
    refuse("no probability", &|m| m["network"]["nodes"][0]["probabilities"][0] = json!([-1, 2]));
    refuse("instead of 4", &|m| m["network"]["nodes"][0]["probabilities"] = json!([[0.5, 0.5]]));
    refuse("'z'", &|m| m["network"]["nodes"][0]["parents"] = json!(["z"]));
}

#[test]
fn prediction_data_must_have_the_columns_of_the_model() {
    let s = place();
    let (model, old) = (s.path("good.json"), s.path("old"));
    let data = s.write("lack.csv", "b,class\n1,u\n");
    refused(&s, &["predict", &model, &data, "-o", &old], 1, &[&data, "no column 'a'", "b, class"]);
}

#[test]
fn output_that_has_no_place_is_refused() {
    let s = place();
    let (model, data) = (s.path("good.json"), s.path("good.csv"));
    let out = s.path("none/out");
    let outputs = |out: &str, parts: &[&str]| {
        refused(&s, &["fit", &data, "--class", "class", "-o", out], 1, parts);
        refused(&s, &["predict", &model, &data, "-o", out], 1, parts);
        refused(&s, &["generate", "monk1", "-o", out], 1, parts);
    };
    outputs(&out, &[&out, "there is no folder", "make it first"]);
    // The name of the unfinished file beside is of no use to anybody.
    assert!(!run(&["generate", "monk1", "-o", &out], b"").2.contains(".sare-"));
    outputs(&s.path("."), &[&s.path(".")]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_refused() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    let s = place();
    let folder = s.path("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let out = s.path("locked/out");
    if fs::write(&out, "").is_ok() {
        return; // The superuser may write anywhere.
    }
    refused(&s, &["generate", "monk1", "-o", &out], 1, &[&out, "permission denied"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file_whole() {
    let s = place();
    let rows: String = (0..5000).map(|i| format!("{},{},u\n", ["x", "y"][i % 2], i % 3)).collect();
    let data = s.write("big.csv", format!("a,b,class\n{rows}"));
    let (model, old) = (s.path("good.json"), s.path("old"));
    let before = s.files();
    let commands = [
        format!("predict '{model}' '{data}' -o '{old}'"),
        format!("fit '{data}' --class b -o '{old}' --discrete b -q"),
        format!("generate nursery -o '{old}'"),
    ];
    for (command, blocks) in commands.iter().zip([4, 1, 4]) {
        // No file may grow beyond a few kilobytes: writing fails as on a full disk.
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$SARE\" {command}");
        let Some((code, stdout, stderr)) = bash(&line) else { return };
        check_refusal(command, (code, &stdout, &stderr), 1, &[&old]);
        assert!(!stderr.contains(".sare-"), "{stderr}");
        // The old file, and no unfinished one beside it.
        assert_eq!(s.files(), before, "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_on_the_standard_output_too() {
    for command in ["generate monk1", "learners", "generate monk1 -o /dev/full"] {
        let Some((code, stdout, stderr)) = bash(&format!("\"$SARE\" {command} > /dev/full")) else {
            return;
        };
        check_refusal(command, (code, &stdout, &stderr), 1, &["No space left"]);
    }
}

#[test]
fn unknown_names_are_wrong_usage_and_list_the_known_ones() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    let fit = |option: &str, name: &str, parts: &[&str]| {
        let args = ["fit", &data, "--class", "class", "-o", &old, option, name];
        refused(&s, &args, 2, parts);
        refused(&s, &["evaluate", &data, "--class", "class", option, name], 2, parts);
    };
    fit("--model", "nv", &["no model", "'nv'", "did you mean 'nb'?"]);
    let known = "ml, laplace, dirichlet, bdeu";
    fit("--parameters", "laplac", &["no parameter learner", "did you mean 'laplace'?", known]);
    let known = "mdlp, equal-width, equal-frequency";
    fit("--discretise", "equalwidth", &["no discretiser", "did you mean 'equal-width'?", known]);
    fit("--model", "zzzzzz", &["no model", "'zzzzzz'", "there is: nb"]);
    let parts = ["no known set", "did you mean 'nursery'?", "corral, mofn-3-7-10, monk1"];
    refused(&s, &["generate", "nurserie", "-o", &old], 2, &parts);
    refused(&s, &["generate"], 2, &["name a set", "corral, mofn-3-7-10, monk1"]);
}

#[test]
fn impossible_settings_are_wrong_usage() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    let fit = |option: &str, value: &str, parts: &[&str]| {
        let args = ["fit", &data, "--class", "class", "-o", &old, option, value];
        refused(&s, &args, 2, parts);
    };
    fit("--parameters", "dirichlet:-1", &["dirichlet", "alpha = -1", "a number above 0"]);
    fit("--parameters", "dirichlet:abc", &["dirichlet", "alpha = abc", "a number above 0"]);
    fit("--parameters", "bdeu:1,2", &["bdeu: one value too many", "written as bdeu:ess=1"]);
    fit("--parameters", "laplace:1", &["laplace", "no settings"]);
    fit("--discretise", "equal-width:0", &["bins = 0", "from 1 to 65535"]);
    fit("--discretise", "equal-frequency:2.5", &["bins = 2.5", "a whole number"]);
    fit("--threads", "100000000", &["threads = 100000000", "from 0 to 1024"]);
    let network = |option: &str, value: &str| {
        let args = ["generate", "random-network", option, value, "-o", &old];
        refused(&s, &args, 2, &[&option[2..], &format!("= {value}")]);
    };
    network("--states", "0");
    network("--clusters", "256");
    network("--variables", "0");
    network("--alpha", "0");
    network("--max-parents", "4294967295");
    let parts = ["'monk1' is made by a rule"];
    refused(&s, &["generate", "monk1", "--network", &old], 2, &parts);
}

#[test]
fn impossible_splits_are_wrong_usage() {
    let s = place();
    let data = s.path("good.csv");
    let evaluate = |option: &str, value: &str, parts: &[&str]| {
        refused(&s, &["evaluate", &data, "--class", "class", option, value], 2, parts);
    };
    evaluate("--folds", "0", &["folds = 0", "from 2 to 5"]);
    evaluate("--folds", "1", &["folds = 1", "from 2 to 5"]);
    evaluate("--folds", "6", &["folds = 6", "from 2 to 5, the number of cases"]);
    for share in ["0", "1", "2"] {
        let given = format!("hold-out = {share} ");
        evaluate("--hold-out", share, &[&given, "above 0 and below 1"]);
    }
    evaluate("--train-first", "0", &["train-first = 0"]);
    evaluate("--train-first", "5", &["train-first = 5", "below 5"]);
}

#[test]
fn impossible_class_weights_are_refused() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    let fit = |weights: &str, code: i32, parts: &[&str]| {
        let args = ["fit", &data, "--class", "class", "-o", &old, "--class-weights", weights];
        refused(&s, &args, code, parts);
        refused(&s, &[&args[..], &["--stream"]].concat(), code, parts);
    };
    fit("nonsense", 2, &["--class-weights 'nonsense'", "'balanced', or class=weight"]);
    fit("u=1,v", 2, &["--class-weights", "class=weight"]);
    fit("u=heavy", 2, &["--class-weights", "class=weight"]);
    fit("w=1", 2, &["no class is called 'w'", "u, v"]);
    fit("u=-1", 2, &["u=-1", "from 1e-40 to 1e40"]);
    fit("u=inf", 2, &["u=inf", "from 1e-40 to 1e40"]);
    fit("u=1,u=2", 2, &["each class once"]);
}

#[test]
fn impossible_row_weights_are_refused() {
    let weigh = |cell: &str, parts: &[&str]| {
        let data = format!("a,w,class\nx,1,u\ny,{cell},v\nx,2,v\n");
        not_fitted(data, &["--weight", "w"], &[&["column 'w'"], parts].concat());
    };
    weigh("-1", &["line 3", "'-1' is not a weight", "from 1e-40 to 1e40"]);
    weigh("", &["line 3", "'' is not a weight", "from 1e-40 to 1e40"]);
    weigh("abc", &["line 3", "'abc' is not a weight"]);
    weigh("nan", &["line 3", "'nan' is not a weight"]);
    let s = place();
    let data = s.write("light.csv", "a,w,class\nx,0,u\ny,0,v\n");
    let old = s.path("old");
    let args = ["fit", &data, "--class", "class", "-o", &old, "--weight", "w"];
    let parts = [data.as_str(), "weigh nothing in total"];
    refused(&s, &args, 1, &parts);
    refused(&s, &[&args[..], &["--stream"]].concat(), 1, &parts);
    // Class weights that take everything away, too.
    let (good, none) = (s.path("good.csv"), "u=0,v=0");
    let args = ["fit", &good, "--class", "class", "-o", &old, "--class-weights", none];
    refused(&s, &args, 1, &[&good, "weigh nothing in total"]);
}

#[test]
fn options_that_name_no_column_are_refused() {
    for option in ["--discrete", "--continuous", "--ignore", "--weight"] {
        let parts = ["no column 'agee'", "did you mean 'age'?", "age, class"];
        not_fitted("age,class\n1,u\n2,v\n", &[option, "agee"], &parts);
    }
    let s = place();
    let model = s.path("good.json");
    refused(&s, &["show", &model, "--variables", "clas"], 1, &[&model, "did you mean 'class'?"]);
}

#[test]
fn options_that_take_the_class_away_are_wrong_usage() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    for option in ["--ignore", "--weight"] {
        let args = ["fit", &data, "--class", "class", "-o", &old, option, "class"];
        refused(&s, &args, 2, &[&format!("{option} takes the class 'class' away")]);
    }
    let both = ["--discrete", "a", "--continuous", "a"];
    not_fitted("a,class\n1,u\n2,v\n", &both, &["column 'a'", "as discrete and as continuous"]);
}

#[test]
fn files_that_are_not_text_are_refused() {
    not_fitted(b"PK\x03\x04rest of a workbook\n1,2\n", &[], &["workbook", "as CSV"]);
    let utf16: Vec<u8> = "a,class\n1,u\n".bytes().flat_map(|b| [b, 0]).collect();
    not_fitted(utf16, &[], &["not text, or UTF-16", "--encoding utf-16"]);
    // The start of a gzip stream and nothing more.
    not_fitted(b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b", &[], &["damaged or cut off", "copy it again"]);
}

#[test]
fn the_standard_input_is_read_once() {
    let s = place();
    let (data, old) = (s.read("good.csv"), s.path("old"));
    let args = ["fit", "-", "--stream", "--class", "class", "-o", &old];
    let parts = ["--stream reads the file more than once", "standard input"];
    refused_with(&s, &args, data.as_bytes(), 2, &parts);
    let parts = ["only one of the model and the data"];
    refused_with(&s, &["predict", "-", "-", "-o", &old], data.as_bytes(), 2, &parts);
}

#[test]
fn troubles_of_the_standard_input_name_it() {
    let s = place();
    let parts = ["standard input, line 3", "1 fields where 2"];
    refused_with(&s, &["inspect", "-"], b"a,class\n1,u\n2\n", 1, &parts);
    refused_with(&s, &["show", "-"], b"{\"format\"", 1, &["standard input", "ends in the middle"]);
}

#[test]
fn an_unseen_level_is_an_error_on_demand() {
    let s = place();
    let (model, old) = (s.path("good.json"), s.path("old"));
    let data = s.write("new.csv", "a,b\nx,1\nz,2\n");
    let args = ["predict", &model, &data, "-o", &old, "--unseen", "error"];
    refused(&s, &args, 1, &[&data, "line 3", "column 'a'", "'z'", "2 levels"]);
}

#[test]
fn arff_troubles_are_refused_by_line() {
    let s = place();
    let arff = |rows: &str, parts: &[&str]| {
        let head = "@relation r\n@attribute a {x,y}\n@attribute n numeric\n@data\n";
        let data = s.write("bad.arff", format!("{head}{rows}"));
        refused(&s, &["inspect", &data], 1, &[&[data.as_str()], parts].concat());
    };
    arff("x,1\nz,2\n", &["line 6", "column 'a'", "'z'"]);
    arff("x,1\ny,two\n", &["line 6", "column 'n'", "'two'"]);
    arff("x,1\ny\n", &["line 6", "1 of the 2 values"]);
}

#[test]
fn what_clap_refuses_is_wrong_usage_and_changes_nothing() {
    let s = place();
    let (data, old) = (s.path("good.csv"), s.path("old"));
    let before = s.files();
    let wrong: [&[&str]; 5] = [
        &["fit", &data, "-o", &old],
        &["fit", &data, "--class", "class", "-o", &old, "--delimiter", ",,"],
        &["evaluate", &data, "--class", "class", "--folds", "3", "--hold-out", "0.5"],
        &["predict", &s.path("good.json"), &data, "-o", &old, "--unseen", "maybe"],
        &["fitt", &data],
    ];
    for args in wrong {
        let (code, stdout, stderr) = run(args, b"");
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{args:?}: {stderr}");
    }
    assert_eq!(s.files(), before);
}
