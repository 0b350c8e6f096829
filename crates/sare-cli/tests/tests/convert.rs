//! Networks from one format into another.

use crate::util::*;

const NET: &str = "net { }\nnode rain { states = (\"y e s\" \"no\"); }\nnode wet { states = (\"yes\" \"no\"); }\n\
                   potential (rain) { data = (0.2 0.8); }\npotential (wet | rain) { data = ((0.9 0.1) (0.05 0.95)); }\n";

#[test]
fn a_model_goes_through_every_format_and_back() {
    let s = Scratch::new();
    let data = s.generate("monk3", "432");
    let model = s.fit("model.json", &data, &["--model", "tan"]);
    let said = json(&["convert", &model, &s.path("a.bif")]);
    assert_eq!(said["nodes"], 7);
    assert_eq!(said["arcs"], 11);
    assert_eq!(said["format"], "bif");
    for (from, to) in [("a.bif", "b.xml"), ("b.xml", "c.net"), ("c.net", "d.json")] {
        ok(&["convert", &s.path(from), &s.path(to)]);
    }
    let network: serde_json::Value = serde_json::from_str(&s.read("d.json")).unwrap();
    assert_eq!(network, learnt(&model)[2]);
    ok(&["convert", &model, &s.path("e.dot")]);
    assert_eq!(s.read("e.dot").matches(" -> ").count(), 11);
}

#[test]
fn standard_streams_and_named_formats() {
    let (code, bif, stderr) = run(&["convert", "-", "-", "--to", "bif"], NET.as_bytes());
    let renamed = "the names of 0 nodes and 1 state: identifiers replace them (the first: 'y_e_s' for 'y e s')";
    assert!(code == 0 && stderr.lines().count() == 1 && stderr.contains(renamed), "{stderr}");
    assert!(bif.starts_with("network") && bif.contains("(y_e_s) 0.9, 0.1;"), "{bif}");
    let (code, net, _) =
        run(&["convert", "-", "-", "--from", "bif", "--to", "net"], bif.as_bytes());
    assert!(code == 0 && net.contains("states = (\"y e s\" \"no\")"), "{net}");
    let few = NET.replace("0.2 0.8", "0.2 0.7995");
    let (code, _, stderr) = run(&["convert", "-", "-", "--to", "json"], few.as_bytes());
    assert!(code == 0 && stderr.contains("divided 1 row of 1 node by the sum"), "{stderr}");
}

/// What was decided is said once, in the JSON too; a refusal is one line.
#[test]
fn odd_files_are_answered_in_one_line() {
    let s = Scratch::new();
    let counts = s.write("counts.net", NET.replace("0.2 0.8", "1 4").replace("0.9 0.1", "9 1"));
    let said = json(&["convert", &counts, &s.path("a.bif")]);
    let notes: Vec<&str> =
        said["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    assert!(notes.len() == 2 && notes[0].starts_with("divided 2 rows of 2 nodes"), "{notes:?}");
    assert!(notes[1].starts_with("bif files cannot hold"), "{notes:?}");
    // p(wet) = 0.2 * 0.9 + 0.8 * 0.05.
    let (code, out, stderr) =
        run(&["query", "--json", &counts, "--target", "wet", "--given", "wet=yes"], b"");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(code == 0 && stderr.lines().count() == 1, "{stderr}");
    assert!((answer["probability_of_evidence"].as_f64().unwrap() - 0.22).abs() < 1e-12, "{out}");
    let parents = s.write(
        "parents.xdsl",
        "<smile><nodes>\n<cpt id='a'><state id='x'/><parents>z</parents>\
        <probabilities>1</probabilities></cpt></nodes></smile>",
    );
    let (code, out, stderr) = run(&["query", &parents], b"");
    assert_eq!((code, out.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
    assert!(stderr.contains("parents.xdsl, line 2, node 'a': there is no node 'z'"), "{stderr}");
}

#[test]
fn what_cannot_be_converted_leaves_everything_as_it_was() {
    let s = Scratch::new();
    let good = s.write("good.net", NET);
    let cut = s.write("cut.net", &NET[..NET.len() - 20]);
    let wrong = s.write("wrong.bif", NET);
    let old = s.write("old.bif", "old");
    let before = s.files();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["convert", &cut, &old], 1, "cut.net, line 5, node 'wet'"),
        (&["convert", &wrong, &old], 1, "its name says bif, but its content looks like net"),
        (&["convert", &good, &s.path("x.xdsl")], 2, "format to write = xdsl is not possible"),
        (&["convert", &good, &s.path("x.txt")], 2, "add --to bif, xmlbif, net, dot, json"),
        (&["convert", &good, "-"], 2, "add --to"),
        (&["convert", &good, &old, "--to", "biff"], 2, "did you mean 'bif'?"),
        (&["convert", &s.path("none.bif"), &old], 1, "none.bif"),
    ];
    for (args, code, wanted) in cases {
        let (got, stdout, stderr) = run(args, b"");
        assert_eq!((got, stdout.as_str()), (code, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(wanted), "{stderr}");
        assert_eq!(s.files(), before);
    }
}
