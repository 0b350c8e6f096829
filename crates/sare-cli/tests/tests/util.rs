//! What the tests share: a folder that goes away, and the command itself.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The command under test.
pub const SARE: &str = env!("CARGO_BIN_EXE_sare");

/// A folder that goes away with the test.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    /// The path of a file here.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_string()
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Makes a known set and returns its path.
    pub fn generate(&self, set: &str, rows: &str) -> String {
        let path = self.path(&format!("{set}.csv"));
        ok(&["generate", set, "-n", rows, "-o", &path]);
        path
    }

    /// Fits `data` with class `class` and more options; returns the model's path.
    pub fn fit(&self, model: &str, data: &str, options: &[&str]) -> String {
        let path = self.path(model);
        ok(&[&["fit", data, "--class", "class", "-o", &path], options].concat());
        path
    }

    /// Every file here with its content, hidden ones too: what must not change when a command fails.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let files = fs::read_dir(self.0.path()).unwrap().map(Result::unwrap);
        let name = |e: &fs::DirEntry| e.file_name().into_string().unwrap();
        files
            .filter(|e| e.path().is_file())
            .map(|e| (name(&e), fs::read(e.path()).unwrap()))
            .collect()
    }
}

/// Runs sare and returns its exit code, standard output and standard error.
pub fn run(args: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut command = Command::new(SARE);
    command.args(args);
    finish(command, stdin)
}

/// Runs a line of bash in which `$SARE` is the command; nothing where there is no bash.
#[cfg(unix)]
pub fn bash(line: &str) -> Option<(i32, String, String)> {
    Command::new("bash").args(["-c", ":"]).output().ok()?;
    let mut command = Command::new("bash");
    command.args(["-c", line]).env("SARE", SARE);
    Some(finish(command, b""))
}

fn finish(mut command: Command, stdin: &[u8]) -> (i32, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // Beside the reading, so that neither side waits for the other; a command need not read all, or anything.
        scope.spawn(move || pipe.write_all(stdin));
        child.wait_with_output().unwrap()
    });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Runs sare, which must succeed, and returns its standard output.
pub fn ok(args: &[&str]) -> String {
    let (code, stdout, stderr) = run(args, b"");
    assert_eq!(code, 0, "sare {args:?}: {stderr}");
    stdout
}

/// Runs sare with `--json` and returns what it printed.
pub fn json(args: &[&str]) -> Value {
    let text = ok(&[args, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("sare {args:?}: {e}\n{text}"))
}

/// The part of a model that was learnt: what does not depend on the name or the number of rows of the file.
pub fn learnt(model: &str) -> [Value; 3] {
    let model: Value = serde_json::from_slice(&fs::read(model).unwrap()).unwrap();
    ["schema", "cuts", "network"].map(|part| {
        assert!(!model[part].is_null(), "{part}");
        model[part].clone()
    })
}

/// The fields of every line of a CSV text without quotes, the header first.
pub fn cells(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().map(|line| line.split(',').collect()).collect()
}
