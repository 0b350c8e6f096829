//! Rows that do not sum to 1. The answers are divisions done by hand.

use super::*;

/// A node with this row as BIF, and as NET.
fn node(format: Format, row: &str) -> Result<ReadNetwork, String> {
    let levels: Vec<String> = (0..row.split(' ').count()).map(|s| format!("s{s}")).collect();
    let (count, names) = (levels.len(), levels.join(" "));
    let text = match format {
        Format::Bif => format!(
            "variable a {{ type discrete [ {count} ] {{ {names} }}; }} probability ( a ) {{ table {row}; }}"
        ),
        _ => format!("node a {{ states = ({names}); }} potential (a) {{ data = ({row}); }}"),
    };
    network_from("t", text.as_bytes(), Some(format)).map_err(|e| e.to_string())
}

fn near(read: &ReadNetwork, wanted: &[f64]) {
    let table = read.network.table(0);
    assert_eq!(table.len(), wanted.len());
    assert!(table.iter().zip(wanted).all(|(p, q)| (p - q).abs() < 1e-15), "{table:?}");
}

#[test]
fn rows_are_divided_by_their_sums() {
    for format in [Format::Bif, Format::Net] {
        let exact = node(format, "0.333 0.333 0.334").unwrap();
        assert_eq!((exact.network.table(0), exact.notes.len()), (&[0.333, 0.333, 0.334][..], 0));
        // Many digits, but not all: divided without a note.
        let seven = node(format, "0.3333333 0.3333333 0.3333333").unwrap();
        near(&seven, &[1.0 / 3.0; 3]);
        assert!(seven.notes.is_empty());
        for (row, sum) in [("0.333 0.333 0.333", "0.999"), ("0.333 0.333 0.332", "0.998")] {
            let few = node(format, row).unwrap();
            let sum_of_row: f64 = sum.parse().unwrap();
            near(
                &few,
                &row.split(' ').map(|p| p.parse::<f64>().unwrap() / sum_of_row).collect::<Vec<_>>(),
            );
            let wanted = format!(
                "divided 1 row of 1 node by the sum, which was not 1 (the first: {sum} for 'a')"
            );
            assert_eq!(few.notes, [wanted]);
        }
        assert!(node(format, "0 0 0").unwrap_err().contains("'a': its row sums to 0 instead of 1"));
        assert!(node(format, "1e308 1e308").unwrap_err().contains("its row sums to inf"));
    }
}

/// Hugin counts: any sum above 0. In other formats such a row is a mistake.
#[test]
fn only_hugin_files_hold_counts() {
    near(&node(Format::Net, "30 50 20").unwrap(), &[0.3, 0.5, 0.2]);
    near(&node(Format::Net, "0.1 0.3").unwrap(), &[0.25, 0.75]);
    let refused = node(Format::Bif, "30 50 20").unwrap_err();
    assert!(refused.contains("'a': its row sums to 100 instead of 1"), "{refused}");
    assert!(node(Format::Bif, "0.4 0.58").is_err());

    let text = "node a { states = (x y); } node b { states = (u v); }\n\
                potential (a) { data = (3 1); } potential (b | a) { data = ((1 1) (0 5)); }";
    let ReadNetwork { network, notes } = read(Format::Net, text);
    assert_eq!(
        (network.table(0), network.table(1)),
        (&[0.75, 0.25][..], &[0.5, 0.5, 0.0, 1.0][..])
    );
    let note = "divided 3 rows of 2 nodes by the sum, which was not 1 (the first: 4 for 'a')";
    assert_eq!(notes, [note]);
}

/// What was read and is written comes back, whatever the sums were.
#[test]
fn divided_rows_come_back() {
    let json = r#"{"nodes": [{"name": "a", "levels": ["x", "y"], "parents": [], "probabilities": [[0.2500004, 0.75]]}]}"#;
    let few =
        [node(Format::Net, "1 2 4").unwrap(), node(Format::Bif, "0.333 0.333 0.333").unwrap()];
    for first in few.into_iter().chain([read(Format::Json, json)]) {
        for format in BOTH_WAYS {
            let back = read(format, &written(&first.network, format));
            assert_eq!((&back.network, back.notes.len()), (&first.network, 0));
        }
    }
}
