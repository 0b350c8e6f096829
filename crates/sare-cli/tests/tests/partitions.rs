//! `sare partitions`: two files or two columns, by position or by identifier.

use crate::util::*;

/// Six rows of three classes and what a clustering made of them.
fn files(s: &Scratch) -> (String, String) {
    let truth = s.write("truth.csv", "id,kind\na,x\nb,x\nc,y\nd,y\ne,z\nf,z\n");
    let found =
        s.write("found.csv", "id,p,cluster\na,0.5,2\nb,0.6,2\nc,0.7,10\nd,0.8,2\ne,1,1\nf,1,1\n");
    (truth, found)
}

fn close(value: &serde_json::Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() < 1e-12, "{value} and {expected}");
}

#[test]
fn two_files_by_position() {
    let s = Scratch::new();
    let (truth, found) = files(&s);
    let got = json(&["partitions", &truth, &found]);
    assert_eq!(
        (&got["first"]["column"], &got["second"]["column"]),
        (&"kind".into(), &"cluster".into())
    );
    assert_eq!(got["rows"], 6);
    // Sizes 2 2 2 and 2 3 1, cells 2 1 1 2: 12 + 14 - 2 * 10.
    close(&got["measures"]["hamming"], 6.0);
    close(&got["measures"]["accuracy"], 5.0 / 6.0);
    // Pairs: 3 and 4 of 15 joined, 2 by both; expected 12 / 15.
    close(&got["measures"]["adjusted_rand"], (2.0 - 0.8) / (3.5 - 0.8));
    assert_eq!(got["second_labels"], serde_json::json!(["1", "2", "10"]));
    assert_eq!(got["cells"].as_array().unwrap().len(), 4);
    let pairs = got["matching"].as_array().unwrap();
    let pairs: Vec<&str> = pairs.iter().map(|p| p["second"].as_str().unwrap()).collect();
    assert_eq!(pairs, ["2", "10", "1"]);
    let text = ok(&["partitions", &truth, &found]);
    for part in [
        "column 'kind', 3 labels",
        "column 'cluster', 3 labels",
        "6 rows compared",
        "0.4444",
        "83.33 %",
        "16.67 %",
        "first \\ second  1  2  10  rows  matched with",
        "y               0  1   1     2  10",
    ] {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
}

#[test]
fn two_columns_of_one_file_also_from_a_pipe() {
    let s = Scratch::new();
    let both = "x,truth,cluster\n1,a,1\n2,a,1\n3,b,2\n4,b,2\n";
    let path = s.write("both.csv", both);
    let got = json(&["partitions", &path, "--columns", "truth,cluster"]);
    close(&got["measures"]["adjusted_rand"], 1.0);
    close(&got["measures"]["normalised_information"], 1.0);
    let args = ["partitions", "-", "--column", "truth", "--column", "cluster", "--json"];
    let (code, piped, error) = run(&args, both.as_bytes());
    assert_eq!(code, 0, "{error}");
    assert!(
        piped.contains("standard input") && piped.contains("\"adjusted_rand\": 1.0"),
        "{piped}"
    );
}

#[test]
fn rows_paired_by_identifier() {
    let s = Scratch::new();
    let (truth, _) = files(&s);
    let mixed = s.write("mixed.csv", "cluster,id\n1,f\n1,e\n2,a\n10,c\n2,b\n7,new\n");
    let got = json(&["partitions", &truth, &mixed, "--id", "id"]);
    assert_eq!(got["rows"], 5);
    assert_eq!(got["left_out"]["only_in_first"], 1);
    assert_eq!(got["left_out"]["only_in_second"], 1);
    close(&got["measures"]["adjusted_rand"], 1.0);
    let text = ok(&["partitions", &truth, &mixed, "--id", "id"]);
    assert!(text.contains("5 rows compared; left out: 1 in the first file only, 1 in the second"));
}

#[test]
fn rows_without_a_label_are_left_out_and_counted() {
    let s = Scratch::new();
    let a = s.write("a.csv", "label\nx\n?\ny\n\"\"\nx\ny\n");
    let b = s.write("b.csv", "label\n1\n1\n\"\"\nNA\n1\n2\n");
    let got = json(&["partitions", &a, &b]);
    assert_eq!(got["rows"], 3);
    let left = &got["left_out"];
    assert_eq!([&left["without_first"], &left["without_second"], &left["without_both"]], [1, 1, 1]);
    assert!(ok(&["partitions", &a, &b]).contains("1 without a first label, 1 without a second"));
    // What means missing can be said.
    let got = json(&["partitions", &a, &b, "--missing", "?"]);
    assert_eq!(got["rows"], 5);
}

#[test]
fn many_labels_are_not_printed_but_compared() {
    let s = Scratch::new();
    let rows: String = (0..70_000).map(|i| format!("{i},{}\n", i / 2)).collect();
    let path = s.write("many.csv", format!("own,pair\n{rows}"));
    let text = ok(&["partitions", &path, "--columns", "own,pair"]);
    assert!(text.contains("70,000 by 35,000 labels is not shown"), "{text}");
    assert!(text.contains("50.00 %"), "{text}");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let s = Scratch::new();
    let (truth, found) = files(&s);
    let short = s.write("short.csv", "id,cluster\na,1\nb,2\n");
    let twice = s.write("twice.csv", "id,cluster\na,1\nb,2\na,2\n");
    let unnamed = s.write("unnamed.csv", "id,cluster\na,1\n?,2\n");
    let other = s.write("other.csv", "id,cluster\nA1,1\nA2,2\n");
    let blank = s.write("blank.csv", "id,cluster\na,\nb,NA\n");
    let empty = s.write("empty.csv", "id,cluster\n");
    let apart = s.write("apart.csv", "t,c\nx,\n,1\n");
    let cases: [(&[&str], i32, &[&str]); 13] = [
        (&[&truth, &short], 1, &["truth.csv: 6 rows", "short.csv has 2", "--id"]),
        (
            &[&truth, &found, "--columns", "kind,clusters"],
            1,
            &["found.csv", "did you mean 'cluster'?"],
        ),
        (&[&truth, &found, "--column", "kind"], 1, &["found.csv has no column 'kind'"]),
        (&[&truth, &twice, "--id", "id"], 1, &["twice.csv, line 4", "'id'", "'a' was on line 2"]),
        (&[&truth, &unnamed, "--id", "id"], 1, &["unnamed.csv, line 3", "identifier is missing"]),
        (
            &[&truth, &other, "--id", "id"],
            1,
            &["truth.csv, column 'id'", "other.csv", "'a' here, 'A1'"],
        ),
        (&[&truth, &found, "--id", "name"], 1, &["truth.csv has no column 'name'"]),
        (&[&truth, &blank], 1, &["blank.csv, column 'cluster'", "no row has a label", "--missing"]),
        (&[&truth, &empty], 1, &["empty.csv", "no rows"]),
        (&[&apart, "--columns", "t,c"], 1, &["apart.csv, column 't'", "column 'c'", "--missing"]),
        (&[&truth], 2, &["two files", "--columns truth,cluster"]),
        (&[&truth, &found, "--columns", "a,b,c"], 2, &["at most two columns"]),
        (&["-", "-"], 2, &["standard input"]),
    ];
    for (args, code, parts) in cases {
        let (got, stdout, stderr) = run(&[&["partitions"], args].concat(), b"");
        assert_eq!((got, stdout.as_str()), (code, ""), "{args:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        for part in parts {
            assert!(stderr.contains(part), "{args:?}: '{part}' is not in: {stderr}");
        }
    }
}
