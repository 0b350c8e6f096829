//! The ways in which other tools write each format.

use super::*;

fn bif(a: &str, b: &str) -> String {
    format!(
        "variable a {{ type discrete [ 2 ] {{ yes, no }}; }}\nvariable b {{ type discrete [ 2 ] {{ t, f }}; }}\n\
         probability ( a ) {{ {a} }}\nprobability ( b | a ) {{ {b} }}"
    )
}

#[test]
fn bif_of_every_kind() {
    let wanted =
        read(Format::Bif, &bif("table 0.2, 0.8;", "(yes) 0.7, 0.3; (no) 0.1, 0.9;")).network;
    assert_eq!(wanted.table(1), [0.7, 0.3, 0.1, 0.9]);
    let same = [
        bif("table 0.2 0.8;", "table 0.7, 0.1, 0.3, 0.9;"),
        bif("default 0.2, 0.8;", "default 0.1 0.9; (yes) 0.7 0.3;"),
        bif("() 0.2, 0.8;", "( \"yes\" ) 7e-1, .3; ( no ) 0.1 , 9.0E-1 ;"),
        bif("property \"of; no {use}\"; table 0.2 0.8;", "property x y; table 0.7, 0.1, 0.3, 0.9;"),
    ];
    for text in &same {
        assert_eq!(read(Format::Bif, text).network, wanted, "{text}");
    }
    // As JavaBayes writes it: quoted names, blanks between them, comments, tables before the variables.
    let java = "// Bayesian network\nnetwork \"Old one\" { property \"author x\" ; }\n\
                probability ( \"b\" \"a\" ) { //2 variable(s) and 4 values\n\ttable 0.7 0.1 0.3 0.9 ; }\n\
                variable \"a\" { //2 values\n\ttype discrete[2] { \"yes\"\"no\" }; property \"position = (1, 2)\" ; }\n\
                /* a remark\n */ variable \"b\" { type discrete[2] {  \"t\"  \"f\" };\n}\n\
                probability ( \"a\" ) { table 0.2 0.8 ; }";
    assert_eq!(read(Format::Bif, java).network, wanted);
}

/// pgmpy and bnlearn write names as they are, without quotes.
#[test]
fn bif_with_blanks_inside_names() {
    let text = "network unknown {\n}\nvariable my node {\n type discrete [ 2 ] { lo w, hi gh };\n}\n\
                variable b {\n type discrete [ 3 ] { <5, 5-12, 12+ };\n}\n\
                probability ( my node ) {\n table 0.5, 0.5 ;\n}\n\
                probability ( b | my node ) {\n ( lo w ) 0.1, 0.2, 0.7;\n ( hi gh ) 0.3, 0.3, 0.4;\n}\n";
    let network = read(Format::Bif, text).network;
    assert_eq!(network.variables()[0].name, "my node");
    assert_eq!(network.variables()[0].levels, ["lo w", "hi gh"]);
    assert_eq!(network.variables()[1].levels, ["<5", "5-12", "12+"]);
    assert_eq!(network.table(1), [0.1, 0.2, 0.7, 0.3, 0.3, 0.4]);
}

#[test]
fn net_of_every_kind() {
    let body = "discrete node a { states = (\"y \\\"1\\\"\" \"n\"); HR_Desc = \"a \\ b; }\"; }\n\
                node b { states = (t f); subtype = boolean; }\n\
                potential (b | a) { model_nodes = (); data = ((0.7 0.3)\n(0.1 0.9)); experience = (1 2); }\n\
                potential (a) { data = (0.2 0.8); }";
    let wanted = read(Format::Net, &format!("net\n{{\n}}\n{body}")).network;
    assert_eq!(wanted.variables()[0].levels, ["y \"1\"", "n"]);
    assert_eq!(wanted.table(1), [0.7, 0.3, 0.1, 0.9]);
    let class =
        format!("% a class\nclass Some_Name\n{{\n inputs = ();\n node_size = (1 2);\n{body}\n}}");
    assert_eq!(read(Format::Net, &class).network, wanted);
    assert_eq!(read(Format::Net, body).network, wanted);
    let uniform = read(Format::Net, "node a { states = (x y z w); } potential (a) { }");
    assert_eq!(uniform.network.table(0), [0.25; 4]);
    assert_eq!(uniform.notes, ["1 potential has no data: uniform (the first: 'a')"]);
}

#[test]
fn xdsl_with_a_deterministic_node() {
    let text = "<smile><nodes><cpt id='b'><state id='u'/><state id='v'/><state id='w'/>\
                <probabilities>0.2 0.3 0.5</probabilities></cpt>\
                <cpt id='a'><state id='x'/><state id='y'/><probabilities>0.25 0.75</probabilities></cpt>\
                <deterministic id='d'><state id='no'/><state id='yes'/><parents>a b</parents>\
                <resultingstates>no yes no yes no no</resultingstates></deterministic></nodes></smile>";
    let network = read(Format::Xdsl, text).network;
    // By b, then a: (u x) no, (u y) yes, (v x) yes, (v y) no, (w x) no, (w y) no.
    assert_eq!(network.table(2), [1., 0., 0., 1., 0., 1., 1., 0., 1., 0., 1., 0.]);
    let wrong = text.replace("no yes no yes no no", "no yes no yes no ja");
    assert!(message(Format::Xdsl, &wrong).contains("'d' has no state 'ja'"));
}

#[test]
fn a_file_that_is_not_utf_8_is_latin_1() {
    let text = b"node a { states = (\"caf\xe9\" no); } potential (a) { data = (0.5 0.5); }";
    let read = network_from("t.net", text, None).unwrap();
    assert_eq!(read.network.variables()[0].levels[0], "café");
    assert_eq!(read.notes, ["the file is not UTF-8: 1 byte was read as Latin-1"]);
}
