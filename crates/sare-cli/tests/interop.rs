//! Network files as other tools read and write them, and the public networks. The tools are fetched into the target
//! folder once; where there is no Python or no net, the tests say so and pass.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SARE: &str = env!("CARGO_BIN_EXE_sare");

/// Runs a command; what it printed if it succeeded, what went wrong otherwise.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{}\n{}", text(&output.stdout), text(&output.stderr))),
    }
}

/// The folder that is kept between runs.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("interop")
}

/// Does something that needs the net once and for all: `work` fills a folder that counts only when it is whole.
fn once(name: &str, work: impl FnOnce(&Path) -> Result<(), String>) -> Option<PathBuf> {
    let place = kept().join(name);
    let done = place.join("done");
    if !done.exists() {
        std::fs::create_dir_all(&place).unwrap();
        if let Err(e) = work(&place) {
            let last = e.lines().last().unwrap_or_default();
            println!("skipped: {name} cannot be had here ({last})");
            return None;
        }
        std::fs::write(done, "").unwrap();
    }
    Some(place)
}

fn pip(python: impl AsRef<Path>, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(python.as_ref());
    command.args(["-m", "pip", "--disable-pip-version-check", "--retries", "0", "--timeout", "15"]);
    run(command.args(arguments)).map(drop)
}

/// A Python with pyAgrum, which needs NumPy and nothing else to read and write networks.
fn pyagrum() -> Option<PathBuf> {
    let folder = once("pyagrum-3.3.1", |place| {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(place))?;
        let python = place.join("bin/python");
        pip(&python, &["install", "-q", "--no-deps", "pyagrum==3.3.1", "numpy==2.4.6"])?;
        run(Command::new(&python).args(["-c", "import pyagrum"])).map(drop)
    })?;
    Some(folder.join("bin/python"))
}

/// The folder of the public networks, as the wheel of pgmpy has them.
fn public() -> Option<PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = || {
        let folder = once("pgmpy-0.1.26", |place| {
            let here = place.to_str().ok_or("the folder's name is not UTF-8")?;
            pip("python3", &["download", "-q", "--no-deps", "pgmpy==0.1.26", "-d", here])?;
            let wheel = place.join("pgmpy-0.1.26-py3-none-any.whl");
            run(Command::new("python3").args(["-m", "zipfile", "-e"]).args([&wheel, place]))
                .map(drop)
        })?;
        Some(folder.join("pgmpy/utils/example_models"))
    };
    FOLDER.get_or_init(made).clone()
}

/// The sizes that the repository of bnlearn publishes: nodes, arcs, free parameters (www.bnlearn.com/bnrepository).
#[test]
fn public_networks_have_their_published_sizes() {
    let Some(folder) = public() else { return };
    let published = [
        ("alarm", 37, 46, 509),
        ("andes", 223, 338, 1157),
        ("hailfinder", 56, 66, 2656),
        ("munin", 1041, 1397, 80592),
        ("pathfinder", 109, 195, 72079),
        ("pigs", 441, 592, 5618),
    ];
    for (name, nodes, arcs, free) in published {
        let file = folder.join(format!("{name}.bif.gz"));
        let scratch = tempfile::tempdir().unwrap();
        let convert = |from: &Path, to: &str| -> (Value, PathBuf) {
            let to = scratch.path().join(to);
            let printed =
                run(Command::new(SARE).args(["convert", "--json"]).args([from, &to])).unwrap();
            (serde_json::from_str(&printed).unwrap(), to)
        };
        let (said, first) = convert(&file, "a.json");
        let sizes = json!([said["nodes"], said["arcs"], said["free_parameters"], said["notes"]]);
        assert_eq!(sizes, json!([nodes, arcs, free, []]), "{name}");
        // Through every format and back, byte for byte.
        let mut last = first.clone();
        for ending in ["bif", "xml", "net", "json"] {
            last = convert(&last, &format!("b.{ending}")).1;
        }
        assert_eq!(std::fs::read(first).unwrap(), std::fs::read(last).unwrap(), "{name}");
    }
}

/// A random network; node i and its levels are called by what `names` says.
fn random(path: &Path, seed: &str, names: &[&str]) {
    let rows = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let shape = ["--variables", "11", "--states", "3", "--max-parents", "3", "--alpha", "0.3"];
    let mut command = Command::new(SARE);
    command.args(["generate", "random-network", "-n", "1", "-o", rows, "--seed", seed]);
    run(command.args(shape).arg("--network").arg(path)).unwrap();
    if names.is_empty() {
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let mut network: Value = serde_json::from_str(&text).unwrap();
    let nodes = network["nodes"].as_array_mut().unwrap();
    let old: Vec<Value> = nodes.iter().map(|n| n["name"].clone()).collect();
    for (i, node) in nodes.iter_mut().enumerate() {
        node["name"] = json!(names[i]);
        for parent in node["parents"].as_array_mut().unwrap() {
            *parent = json!(names[old.iter().position(|o| o == parent).unwrap()]);
        }
        for (s, level) in node["levels"].as_array_mut().unwrap().iter_mut().enumerate() {
            *level = json!(names[(i + 5 * s) % names.len()]);
        }
    }
    std::fs::write(path, serde_json::to_vec(&network).unwrap()).unwrap();
}

const AWKWARD: [&str; 12] =
    ["a b", "a_b", "größe", "x'y", "p,q", "{r}", "日本", "5-12", "12+", "q\"r", "no.1", "t:u;v"];
const WILD: [&str; 12] = [
    "variable",
    "a_b",
    "net",
    "<5 & >3",
    "back\\slash",
    "tab\there",
    " edge ",
    "probability of x",
    "007",
    "default",
    "%20",
    "l|m(n)",
];

#[test]
fn pyagrum_reads_what_sare_writes_and_back() {
    let Some(python) = pyagrum() else { return };
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    for seed in ["1", "2"] {
        random(&path(&format!("plain-{seed}.json")), seed, &[]);
        random(&path(&format!("awkward-{seed}.json")), seed, &AWKWARD);
        random(&path(&format!("wild-{seed}.json")), seed, &WILD);
    }
    if let Some(folder) = public() {
        // Names that begin with letters, and states such as 20_MG_L.
        for (kind, name) in [("plain", "alarm"), ("named", "water")] {
            let file = folder.join(format!("{name}.bif.gz"));
            let to = path(&format!("{kind}-{name}.json"));
            run(Command::new(SARE).arg("convert").args([file, to])).unwrap();
        }
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/interop.py");
    let mut command = Command::new(python);
    match run(command.arg(script).arg(SARE).arg(scratch.path())) {
        Ok(said) => {
            assert!(said.lines().count() >= 6 * 3 + 2 * 5, "{said}");
            println!("{said}");
        }
        Err(said) => panic!("{said}"),
    }
}
