//! Difficult files of other programs. Each holds p(A) = (0.3, 0.7) and p(B | A) = (0.2, 0.8; 0.6, 0.4), or must be refused.

use super::*;

const BIF: &str = "network t {
}
variable A {
  type discrete [ 2 ] { a, b };
}
variable B {
  type discrete [ 2 ] { x, y };
}
probability ( A ) {
  table 0.3, 0.7;
}
probability ( B | A ) {
  (a) 0.2, 0.8;
  (b) 0.6, 0.4;
}
";

fn two_nodes(read: &ReadNetwork) {
    let variables = read.network.variables();
    assert_eq!((variables[0].name.as_str(), variables[1].name.as_str()), ("A", "B"));
    assert_eq!(
        (&variables[0].levels[..], &variables[1].levels[..]),
        (&["a".to_string(), "b".to_string()][..], &["x".to_string(), "y".to_string()][..],)
    );
    assert_eq!(read.network.table(0), [0.3, 0.7]);
    assert_eq!(read.network.table(1), [0.2, 0.8, 0.6, 0.4]);
}

#[test]
fn comments_end_words() {
    let glued = "network t { // the net\n}\nvariable A {//first\n type discrete[2] {\n a, // \"a\"\n b// second\n };\n}\n\
                 variable B {/* two\nlines */ type discrete[2] { x,y/* y */ }; }\n\
                 probability ( A ) {// prior\n table 0.3,0.7// sums to 1\n ; }\n\
                 probability ( B | A ) { (a) 0.2 0.8;// row\n (b/*second*/) 0.6 0.4; }";
    two_nodes(&read(Format::Bif, glued));
    let net = "net { }\nnode A% first\n{ states = (a% one\n b); }\nnode B { states = (x y); }\n\
               potential (A) { data = (0.3 0.7%sum\n); }\npotential (B | A) { data = ((0.2 0.8)(0.6 0.4)); }";
    two_nodes(&read(Format::Net, net));
    // A slash alone is part of a name.
    let slash = BIF.replace("a, b", "a/1, b").replace("(a)", "(a/1)");
    assert_eq!(read(Format::Bif, &slash).network.variables()[0].levels[0], "a/1");
}

/// Bytes in UTF-16, with a mark of their order.
fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    ['\u{feff}']
        .into_iter()
        .chain(text.chars())
        .map(|c| bytes(c as u16))
        .collect::<Vec<_>>()
        .concat()
}

#[test]
fn encodings_and_line_ends() {
    let commented = BIF.replace("network", "// by hand\nnetwork");
    let files = [
        commented.replace('\n', "\r").into_bytes(),
        commented.replace('\n', "\r\n").into_bytes(),
        format!("\u{feff}{commented}").into_bytes(),
        wide(&commented, u16::to_le_bytes),
        wide(&commented, u16::to_be_bytes),
        commented.trim_end().as_bytes().to_vec(),
        BIF.replace('\n', " ").into_bytes(),
    ];
    for bytes in &files {
        let read = network_from("t.bif", bytes, None).unwrap();
        two_nodes(&read);
        assert!(read.notes.is_empty());
    }
    let mut odd = wide(BIF, u16::to_le_bytes);
    odd.pop();
    let refused = network_from("t.bif", &odd, None).unwrap_err().to_string();
    assert!(refused.contains("mark of UTF-16"), "{refused}");
    // Lines are counted whatever ends them.
    let cut = BIF.replace("(b) 0.6, 0.4;", "(b) 0.6, zzz;").replace('\n', "\r");
    let refused = network_from("t.bif", cut.as_bytes(), None).unwrap_err().to_string();
    assert!(refused.contains("t.bif, line 14, node 'B': 'zzz'"), "{refused}");
}

#[test]
fn unknown_sections_of_dsl_are_left_out_with_one_note() {
    let text = "net t\n{\n HEADER = { ID = t; };\n FUTURE = { A = 1; B = (1, \"x;y}\"); INNER = { node A { }; }; };\n\
         node A { TYPE = CPT; NEW_THING = { PROBABILITIES = (1, 0); };\n\
           DEFINITION = { NAMESTATES = (a, b); PROBABILITIES = (0.3, 0.7); LATER = { X = 1; }; }; };\n\
         node B { TYPE = CPT; PARENTS = (A); DEFINITION = { NAMESTATES = (x, y); PROBABILITIES = (0.2, 0.8, 0.6, 0.4); }; };\n\
         OBSERVATION_COST = { node A { PARENTS = (); COSTS = (0.0); }; };\n};";
    let network = read(Format::Dsl, text);
    two_nodes(&network);
    assert_eq!(network.notes, ["3 unknown sections were left out (the first: FUTURE, line 4)"]);
    let open = text.trim_end_matches("};");
    assert!(message(Format::Dsl, &open[..open.len() - 5]).contains("the file ends"));
}

#[test]
fn elements_given_twice_are_refused() {
    let xdsl = |parents: &str| {
        format!(
            "<smile><nodes>\n<cpt id='A'><state id='a'/><state id='b'/><probabilities>0.3 0.7</probabilities></cpt>\n\
             <cpt id='B'><state id='x'/><state id='y'/>{parents}<probabilities>0.2 0.8 0.6 0.4</probabilities></cpt>\n\
             </nodes><extensions><genie><submodel id='S'><node id='B'><name>b &lt; c</name></node></submodel></genie>\
             </extensions></smile>"
        )
    };
    two_nodes(&read(Format::Xdsl, &xdsl("<parents>A</parents>")));
    let refused = message(Format::Xdsl, &xdsl("<parents>A</parents><parents>C</parents>"));
    assert!(refused.contains("line 3, node 'B': <cpt> has more than one <parents>"), "{refused}");
    let refused = message(Format::Xdsl, &xdsl("<parents>Z</parents>").replace(" 0.6 0.4", ""));
    assert!(refused.contains("line 3, node 'B': there is no node 'Z', its parent"), "{refused}");
    let xml = "<BIF><NETWORK><VARIABLE><NAME>A</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>\n\
               <DEFINITION><FOR>A</FOR><TABLE>0.3 0.7</TABLE><TABLE>0.3 0.7</TABLE></DEFINITION></NETWORK></BIF>";
    let refused = message(Format::XmlBif, xml);
    assert!(
        refused.contains("line 2, node 'A': <DEFINITION> has more than one <TABLE>"),
        "{refused}"
    );
}

#[test]
fn potentials_without_data_are_said_once() {
    let text = "node A { states = (a b); } node B { states = (x y); }\n\
                potential (A) { } potential (B | A) { }";
    let ReadNetwork { network, notes } = read(Format::Net, text);
    assert_eq!(network.table(1), [0.5; 4]);
    assert_eq!(notes, ["2 potentials have no data: uniform (the first: 'A')"]);
}

/// Names that pyAgrum 3.3.1 and pgmpy 0.1.26 read from BIF, and some that they do not.
#[test]
fn bif_keeps_the_names_that_others_read() {
    let kept = ["20_MG_L", "12_3-4", "a-b", "TABLE", "DISCRETE", "_", "0x1", "12d3"];
    let kept_levels = ["0", "007", "-3", "+1", "123456789012", "a.b", "a%", "b?"];
    let changed = ["2e3", "20eggs", "<5", "5-12", "0.5", "Asy/Patch", "größe", "table", "a b", ""];
    let one = |name: &str, level: &str| {
        let text = |t: &str| serde_json::to_string(t).unwrap();
        let json = format!(
            r#"{{"nodes": [{{"name": {}, "levels": [{}, "z"], "parents": [], "probabilities": [[0.25, 0.75]]}}]}}"#,
            text(name),
            text(level)
        );
        let network = read(Format::Json, &json).network;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("t.bif");
        let notes = write_network(&network, path.to_str().unwrap(), None).unwrap();
        let back = read_network(path.to_str().unwrap(), None).unwrap();
        assert_eq!(back.network, network);
        (std::fs::read_to_string(path).unwrap(), notes)
    };
    for name in kept {
        let (text, notes) = one(name, name);
        assert!(text.contains(&format!("variable {name} {{")) && notes.is_empty(), "{text}");
        assert!(text.contains(&format!("{{ {name}, z }}")), "{text}");
    }
    for level in kept_levels {
        let (text, notes) = one("a", level);
        assert!(text.contains(&format!("{{ {level}, z }}")) && notes.is_empty(), "{text}");
    }
    for name in changed {
        let (text, notes) = one(name, name);
        assert!(text.contains("sare_name") && text.contains("sare_states"), "{text}");
        let wanted =
            "bif files cannot hold the names of 1 node and 1 state: identifiers replace them";
        assert!(notes.len() == 1 && notes[0].starts_with(wanted), "{notes:?}");
    }
}
