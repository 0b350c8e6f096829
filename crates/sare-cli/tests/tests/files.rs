//! Pipes, links, full disks, killed processes and damaged models: what files do beyond being read and written.

use crate::util::*;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DATA: &str = "a,b,class\nx,1,u\ny,2,v\nx,2,u\ny,1,u\nx,1,v\ny,2,v\nx,1,u\ny,1,v\n";

fn place() -> (Scratch, String, String) {
    let s = Scratch::new();
    let data = s.write("good.csv", DATA);
    let model = s.fit("good.json", &data, &[]);
    (s, data, model)
}

/// What reads a file once reads it through a pipe, a named one too, and says the same as of the file.
#[test]
fn pipes_are_read_like_files() {
    let (s, data, model) = place();
    let packed = s.path("packed.json.gz");
    let Some((0, ..)) = bash(&format!("gzip -c '{model}' > '{packed}'")) else { return };
    let clusters = s.path("clusters.json");
    ok(&[
        "cluster",
        &data,
        "--ignore",
        "class",
        "--clusters",
        "2",
        "--starts",
        "2",
        "-o",
        &clusters,
        "-q",
    ]);
    let (out, page) = (s.path("out"), s.path("page.html"));
    let commands = [
        ("inspect FILE", &data),
        ("evaluate FILE --class class --folds 2 --json", &data),
        ("compare FILE --class class --models nb,tan --folds 2", &data),
        (&*format!("predict '{model}' FILE"), &data),
        (&*format!("predict FILE '{data}'"), &model),
        (&*format!("report '{clusters}' FILE -o '{page}'"), &data),
        (&*format!("report FILE '{data}' -o '{page}'"), &clusters),
        ("show FILE", &model),
        ("query FILE", &model),
        ("query FILE", &packed),
        ("show FILE", &packed),
        (&*format!("convert FILE '{out}' --to bif"), &model),
        ("fit FILE --class class -o - -q", &data),
    ];
    for (command, file) in commands {
        // The name of the file, and the time it took, are all that may differ.
        let lines = |before: &str, name: &str, input: &str| {
            let command = command.replace("FILE", name);
            let line = format!("{before} timeout 60 \"$SARE\" {command}{input}");
            let (code, stdout, stderr) = bash(&line).unwrap();
            assert_eq!(code, 0, "{line}: {stderr}");
            stdout.lines().count()
        };
        let fifo = s.path("fifo");
        let filled = format!("mkfifo '{fifo}'; cat '{file}' > '{fifo}' &");
        let expected = lines("", &format!("'{file}'"), "");
        assert_eq!(lines(&filled, &format!("'{fifo}'"), ""), expected, "{command}");
        assert_eq!(lines("", "/dev/stdin", &format!(" < <(cat '{file}')")), expected, "{command}");
        fs::remove_file(fifo).unwrap();
    }
}

/// What reads a file more than once refuses a pipe before it reads from it.
#[test]
fn pipes_are_refused_where_the_file_is_read_again() {
    let (s, data, _) = place();
    let clusters = s.path("clusters.json");
    ok(&["cluster", &data, "--clusters", "2", "--starts", "2", "-o", &clusters, "-q"]);
    let old = s.write("old", "old\n");
    let commands = [
        ("--stream", format!("fit FILE --class class --stream -o '{old}'")),
        ("--assign", format!("cluster FILE --clusters 2 --assign '{old}'")),
        ("--truth", format!("report '{clusters}' FILE --truth class -o '{old}'")),
    ];
    let before = s.files();
    for (option, command) in commands {
        let command = command.replace("FILE", "<(sleep 5)");
        let Some((code, stdout, stderr)) = bash(&format!("timeout 60 \"$SARE\" {command}")) else {
            return;
        };
        assert_eq!((code, stdout.as_str()), (2, ""), "{command}: {stderr}");
        assert!(stderr.contains(&format!("{option} reads the file more than once")), "{stderr}");
        assert!(stderr.contains("write it to a file first"), "{stderr}");
        assert_eq!(s.files(), before);
    }
}

/// The files that are being written, or were.
fn parts(s: &Scratch) -> Vec<String> {
    s.files().into_keys().filter(|name| name.ends_with(".part")).collect()
}

/// A prediction that has begun to write and waits for more rows.
fn unfinished(s: &Scratch, model: &str, out: &str) -> Child {
    let before = parts(s);
    let mut child = Command::new(SARE)
        .args(["predict", model, "-", "-o", out, "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let rows = "a,b\n".to_string() + &"x,1\n".repeat(100_000);
    child.stdin.as_mut().unwrap().write_all(rows.as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while parts(s).iter().all(|part| before.contains(part)) {
        assert!(Instant::now() < deadline, "nothing is being written");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn what_a_killed_run_left_is_removed_and_a_running_one_is_left_alone() {
    let (s, _, model) = place();
    let mut killed = unfinished(&s, &model, &s.path("killed.csv"));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let left = parts(&s);
    assert_eq!(left.len(), 1, "SIGKILL leaves the file beside");
    let mut running = unfinished(&s, &model, &s.path("running.csv"));
    let after = parts(&s);
    assert!(after.len() == 1 && after != left, "{left:?} {after:?}");
    ok(&["generate", "monk1", "-o", &s.path("monk1.csv"), "-q"]);
    assert_eq!(parts(&s), after);
    drop(running.stdin.take());
    assert!(running.wait().unwrap().success());
    assert_eq!(s.read("running.csv").lines().count(), 100_001);
    assert_eq!(parts(&s), Vec::<String>::new());
}

#[test]
fn output_through_a_link_goes_to_its_target() {
    let (s, _, _) = place();
    // To a file that is there, and to one that is not there yet.
    s.write("there", "old\n");
    for name in ["there", "new"] {
        let link = s.path(&format!("link to {name}"));
        std::os::unix::fs::symlink(name, &link).unwrap();
        ok(&["generate", "monk1", "-o", &link, "-q"]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(s.read(name).starts_with("a1,"), "{name}");
    }
}

/// `ulimit -f` stops files from growing, as a full disk does.
#[test]
fn a_full_disk_leaves_the_journal_as_it_was() {
    let (s, data, _) = place();
    let journal = s.path("journal");
    let compare = |limit: &str, folds: &str| {
        let line = format!(
            "trap '' XFSZ; {limit} exec \"$SARE\" compare '{data}' --class class --models nb --folds {folds} \
             --resume '{journal}' -q"
        );
        bash(&line)
    };
    let Some((code, stdout, stderr)) = compare("ulimit -f 0;", "2") else { return };
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains(&journal) && stderr.contains("File too large"), "{stderr}");
    assert!(!fs::exists(&journal).unwrap(), "an empty journal was left");
    // What is not a file cannot be a journal, and is not read to an end it does not have.
    for device in ["/dev/full", "/dev/zero"] {
        let (code, _, stderr) =
            run(&["compare", &data, "--class", "class", "--resume", device], b"");
        assert!(code == 1 && stderr.contains("a journal must be a file"), "{device}: {stderr}");
    }
    // One that is there keeps its lines, and can be gone on with.
    assert_eq!(compare("", "2").unwrap().0, 0);
    let before = s.read("journal");
    assert_eq!(before.lines().count(), 2);
    let block = before.len() / 1024 + 1;
    let (code, _, stderr) = compare(&format!("ulimit -f {block};"), "3").unwrap();
    assert_eq!(code, 1, "{stderr}");
    let after = s.read("journal");
    assert!(after.starts_with(&before) && after.ends_with('\n'), "{after}");
    assert_eq!(compare("", "3").unwrap().0, 0);
    assert_eq!(s.read("journal").lines().count(), 5);
}

#[test]
fn weights_that_cannot_be_added_up_are_refused() {
    let s = Scratch::new();
    let weighted = |name: &str, weight: &str| {
        let rows = DATA.lines().skip(1).map(|row| format!("{row},{weight}\n"));
        s.write(name, format!("a,b,class,w\n{}", rows.collect::<String>()))
    };
    for (weight, what) in [
        ("1e-308", "too small"),
        ("1e-41", "too small"),
        ("1e300", "too large"),
        ("1.1e40", "too large"),
    ] {
        let data = weighted("bad.csv", weight);
        for command in ["evaluate", "compare"] {
            let (code, stdout, stderr) =
                run(&[command, &data, "--class", "class", "--weight", "w", "--folds", "2"], b"");
            assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
            let parts = ["line 2", "column 'w'", weight, what, "from 1e-40 to 1e40"];
            assert!(parts.iter().all(|p| stderr.contains(p)), "{stderr}");
        }
    }
    // At both ends everything is a number, and equal weights say what no weights say.
    let measures = |data: &str, options: &[&str]| -> Value {
        let args = [
            &["evaluate", data, "--class", "class", "--folds", "2", "--parameters", "ml"],
            options,
        ]
        .concat();
        json(&args)["first_repetition"].clone()
    };
    let none = measures(&s.write("none.csv", DATA), &[]);
    for weight in ["1e-40", "1e40"] {
        let with = measures(&weighted("good.csv", weight), &["--weight", "w"]);
        for measure in ["accuracy", "brier"] {
            let (a, b) = (none[measure].as_f64().unwrap(), with[measure].as_f64().unwrap());
            assert!((a - b).abs() < 1e-9, "{weight} {measure}: {a} {b}");
        }
    }
}

#[test]
fn a_network_without_nodes_is_refused() {
    let s = Scratch::new();
    let network = s.write("none.json", "{\"nodes\": []}");
    let out = s.path("out.bif");
    for args in [&["query", &network][..], &["convert", &network, &out], &["sample", &network]] {
        let (code, stdout, stderr) = run(args, b"");
        assert_eq!((code, stdout.as_str()), (1, ""), "{args:?}: {stderr}");
        assert!(stderr.contains("none.json") && stderr.contains("no variable"), "{stderr}");
    }
}

/// The issue's own case: `show` looked up a column that was not there.
#[test]
fn a_model_that_refers_to_no_column_is_refused() {
    let s = Scratch::new();
    let data = s.generate("monk3", "100");
    let path = s.fit("average.json", &data, &["--model", "averaged-tan:orders=2"]);
    let mut model: Value = serde_json::from_str(&s.read("average.json")).unwrap();
    model["outcome"]["arcs"][0]["parent"] = json!(99);
    s.write("average.json", model.to_string());
    for args in [&["show", &path][..], &["predict", &path, &data], &["query", &path]] {
        let (code, stdout, stderr) = run(args, b"");
        assert_eq!((code, stdout.as_str()), (1, ""), "{args:?}: {stderr}");
        assert!(stderr.contains("outcome.arcs") && stderr.contains("column 99"), "{stderr}");
    }
}

/// Where the values of a tree are, of lists only the first.
fn places(value: &Value, place: &str, all: &mut Vec<String>) {
    all.push(place.to_string());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, v)| places(v, &format!("{place}/{key}"), all))
        }
        Value::Array(list) => {
            list.iter().take(1).for_each(|v| places(v, &format!("{place}/0"), all))
        }
        _ => {}
    }
}

/// One value after the other of what a model says of its learning: shown and reported, or refused in one line.
#[test]
fn no_damaged_outcome_makes_a_command_panic() {
    let s = Scratch::new();
    let data = s.generate("monk3", "100");
    let average = s.fit("average.json", &data, &["--model", "averaged-tan:orders=2"]);
    let (clusters, page) = (s.path("clusters.json"), s.path("page.html"));
    ok(&[
        "cluster",
        &data,
        "--clusters",
        "1..2",
        "--starts",
        "2",
        "--method",
        "ema",
        "-o",
        &clusters,
        "-q",
    ]);
    for path in [average, clusters] {
        let whole: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let mut all = Vec::new();
        places(&whole["outcome"], "/outcome", &mut all);
        for place in all {
            let mut model = whole.clone();
            let value = model.pointer_mut(&place).unwrap();
            *value = match value {
                Value::Number(_) => json!(99),
                Value::Array(_) => json!([]),
                _ => Value::Null,
            };
            fs::write(&path, model.to_string()).unwrap();
            for args in [
                &["show", &path, "--svg", "-"][..],
                &["show", &path],
                &["report", &path, &data, "-o", &page],
            ] {
                let (code, _, stderr) = run(args, b"");
                assert!(code <= 1 && !stderr.contains("panicked"), "{place} {args:?}: {stderr}");
            }
        }
    }
}
