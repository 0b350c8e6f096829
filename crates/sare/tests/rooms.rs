//! Data flows one way: a room may use the rooms before it, never those after it.

use std::fs;
use std::path::Path;

/// The rooms in their order; what is at the root and used by all comes first.
const ORDER: [&str; 21] = [
    "error",
    "num",
    "observe",
    "seed",
    "run",
    "optimise",
    "describe",
    "draw",
    "data",
    "graph",
    "stats",
    "network",
    "infer",
    "parameters",
    "structure",
    "average",
    "classify",
    "cluster",
    "registry",
    "evaluate",
    "lib",
];

fn rank(room: &str) -> usize {
    ORDER
        .iter()
        .position(|r| *r == room)
        .unwrap_or_else(|| panic!("'{room}' has no place in ORDER"))
}

fn visit(folder: &Path, room: Option<&str>, found: &mut Vec<(String, String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        let own = room.unwrap_or(&stem).to_string();
        if path.is_dir() {
            visit(&path, Some(&own), found);
            continue;
        }
        // Tests ask for every method of their room by name.
        let tests = path.components().any(|c| c.as_os_str() == "tests");
        for line in fs::read_to_string(&path).unwrap().lines() {
            if tests && line.trim() == "use crate::registry;" {
                continue;
            }
            for part in line.split("crate::").skip(1) {
                let used: String =
                    part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                // `use crate::{a, b}` would hide its rooms from this test.
                assert!(!used.is_empty(), "{}: name one room a line: {line}", path.display());
                found.push((own.clone(), used, format!("{}: {line}", path.display())));
            }
        }
    }
}

#[test]
fn no_arrow_points_back() {
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut found);
    assert!(found.len() > 50, "the test must have seen the library");
    for (room, used, line) in found {
        assert!(rank(&used) <= rank(&room), "'{room}' may not use '{used}': {line}");
    }
}
