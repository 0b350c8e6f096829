//! What is wrong with a file is said with its line and its node.

use super::*;

/// A BIF file of two variables on its lines 2 and 3, and these blocks from line 4 on.
fn bif(blocks: &str) -> String {
    let variable = |name: &str| format!("variable {name} {{ type discrete [ 2 ] {{ y, n }}; }}\n");
    format!("network n {{ }}\n{}{}{blocks}", variable("age"), variable("b"))
}

const AGE: &str = "probability ( age ) { table 0.5, 0.5; }\n";

#[test]
fn bif_errors() {
    let b = |block: &str| bif(&format!("{AGE}{block}"));
    let cases = [
        (
            b("probability ( b | agee ) { table 1; }"),
            "line 5, node 'b': there is no node 'agee', its parent; did you mean 'age'?",
        ),
        (
            b("probability ( bb ) { table 0.5, 0.5; }"),
            "node 'bb': a table is given, but there is no such node; did you mean 'b'?",
        ),
        (
            b("probability ( b | age ) { table 0.5, 0.5; }"),
            "line 5, node 'b': its table has 2 entries instead of 4",
        ),
        (
            b("probability ( b | age ) { (y) 0.5, 0.5; }"),
            "line 5, node 'b': there is no row for (n)",
        ),
        (
            b("probability ( b | age ) {\n(y) 0.5, 0.5;\n(y) 0.5, 0.5; }"),
            "line 7, node 'b': the row (y) is there twice",
        ),
        (
            b("probability ( b | age ) {\n(y) 0.5, 0.5;\n(nn) 0.5, 0.5; }"),
            "line 7, node 'b': 'age' has no state 'nn'; did you mean 'n'?",
        ),
        (
            b("probability ( b | age ) {\n(y) 0.5;\n(n) 0.5, 0.5; }"),
            "line 6, node 'b': a row has 1 entries instead of 2",
        ),
        (
            b("probability ( b | age ) {\n(y, n) 0.5, 0.5; }"),
            "line 6, node 'b': a row names 2 states for 1 parents",
        ),
        (
            b("probability ( b | age ) {\n(y) 0.5, 0.6;\n(n) 0.5, 0.5; }"),
            "line 6, node 'b': its row sums to 1.1 instead of 1",
        ),
        (
            b("probability ( b | age ) { table 0.5 0.5 0.4 0.5; }"),
            "line 5, node 'b': its row for age = y sums to 0.9 instead of 1",
        ),
        (b("probability ( b ) { table 0.5, x; }"), "line 5, node 'b': 'x' is no probability"),
        (b("probability ( b ) { table 1.5, -0.5; }"), "'-0.5' is no probability"),
        (b("probability ( b ) { table nan, 0.5; }"), "'nan' is no probability"),
        (
            b("probability ( b ) { table 0.5, 0.5; default 0.5 0.5; }"),
            "line 5, node 'b': it has a table beside rows",
        ),
        (b("probability ( b ) { table 0.5, 0.5;"), "line 5, node 'b': the file ends where a row"),
        (
            b("probability ( b ) { table 0.5, 0.5;\n\nprobability ( age ) { }"),
            "line 7, node 'b': 'probability' stands where",
        ),
        (b(""), "line 3, node 'b': it has no table"),
        (b(AGE), "line 5, node 'age': it has a table already"),
        (
            b("probability ( b | b ) { table 1 0 1 0; }"),
            "line 5, node 'b': the arc b -> b closes a directed cycle",
        ),
        (
            b("probability ( b | age, age ) { table 1; }"),
            "line 5, node 'b': the parent 'age' is there twice",
        ),
        (
            bif(
                "probability ( age | b ) { table 1 1 0 0; }\nprobability ( b | age ) { table 1 1 0 0; }",
            ),
            "line 5, node 'b': the arc age -> b closes a directed cycle",
        ),
        (
            bif("variable age { type discrete [ 1 ] { z }; }"),
            "line 4, node 'age': the node is there twice",
        ),
        (
            bif("variable c { type discrete [ 3 ] { x, z }; }"),
            "line 4, node 'c': it has 2 states instead of 3",
        ),
        (
            bif("variable c { type discrete [ 2 ] { x, x }; }"),
            "line 4, node 'c': the state 'x' is there twice",
        ),
        (bif("variable c { type discrete [ 0 ] { }; }"), "line 4, node 'c': it has no states"),
        (
            bif("variable c { type discrete [ many ] { x }; }"),
            "line 4, node 'c': 'many' is no number of states",
        ),
        (bif("variable c { type continuous; }"), "line 4, node 'c': its type is 'continuous'"),
        (bif("variable c {"), "line 4, node 'c': the file ends where"),
        (
            bif("variable c { property sare_name = %x ; }"),
            "line 4, node 'c': the sare_name '%x' is damaged",
        ),
        (bif("/* never\nclosed"), "line 4: a comment is not closed"),
        (bif("\"never\nclosed"), "line 4: a quoted text is not closed"),
        (bif("what"), "line 4: 'what' stands where 'network'"),
        ("".into(), "there is no node"),
    ];
    for (text, wanted) in cases {
        let message = message(Format::Bif, &text);
        assert!(
            message.starts_with('t') && message.contains(wanted),
            "{message}\n  instead of {wanted}"
        );
    }
}

#[test]
fn kept_levels_must_fit() {
    let text = "variable a { type discrete [ 2 ] { x, z }; property sare_states = a,b,c ; }\nprobability ( a ) { table 1 0; }";
    assert!(
        message(Format::Bif, text)
            .contains("line 1, node 'a': sare_states has 3 names for 2 states")
    );
}

#[test]
fn net_errors() {
    let cases = [
        (
            "node a { states = (x y); } potential (a | b) { data = (1 0); }",
            "node 'a': there is no node 'b', its parent",
        ),
        (
            "node a { states = (x y); }\npotential (a) { data = (1 0 0); }",
            "line 2, node 'a': its table has 3 entries instead of 2",
        ),
        (
            "node a { states = (x y); }\npotential (a) { data = (1 0);",
            "line 2, node 'a': the file ends",
        ),
        ("node a { states = (x y);", "line 1, node 'a': the file ends"),
        ("net\n{\nnode_size = (1 2);", "the file ends"),
        ("continuous node a { }", "line 1: there is a continuous node"),
        ("net { }\nutility u { }", "line 2: there is a utility node"),
        ("node a { states = (x y); } potential (a a) { data = (1 0); }", "2 nodes before the bar"),
        (
            "node a { states = (x y); } potential (a) { model_data = (1); }",
            "node 'a': its table is given by a formula",
        ),
        ("node a { } potential (a) { data = (1); }", "node 'a': it has no states"),
        ("}", "'}' stands where"),
    ];
    for (text, wanted) in cases {
        let message = message(Format::Net, text);
        assert!(message.contains(wanted), "{message}\n  instead of {wanted}");
    }
}

#[test]
fn xml_and_dsl_errors() {
    let xml = |v: &str, d: &str| {
        format!(
            "<BIF><NETWORK>\n<VARIABLE{v}</VARIABLE>\n<DEFINITION>{d}</DEFINITION></NETWORK></BIF>"
        )
    };
    let a = "><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME>";
    let cpt = |inside: &str| format!("<smile><nodes>\n<cpt id='a'>{inside}</cpt></nodes></smile>");
    let states = "<state id='x'/><state id='y'/>";
    let cases = [
        (Format::XmlBif, xml(a, "<FOR>a</FOR>"), "line 3, node 'a': it has no TABLE"),
        (
            Format::XmlBif,
            xml(a, "<FOR>a</FOR><TABLE>1 x</TABLE>"),
            "line 3, node 'a': 'x' is no probability",
        ),
        (
            Format::XmlBif,
            xml(a, "<FOR>a</FOR><TABLE>1</TABLE>"),
            "line 3, node 'a': its table has 1 entries instead of 2",
        ),
        (Format::XmlBif, xml(a, "<TABLE>1 0</TABLE>"), "line 3: <DEFINITION> has no <FOR>"),
        (
            Format::XmlBif,
            xml(" TYPE='utility'><NAME>u</NAME>", ""),
            "line 2, node 'u': it is of the type 'utility'",
        ),
        (
            Format::XmlBif,
            xml(a, "<FOR>a</FOR><TABLE>1 0</TABLE>").replace("</NETWORK></BIF>", ""),
            "<NETWORK> is not closed",
        ),
        (Format::XmlBif, "<html></html>".into(), "line 1: <html> holds no NETWORK"),
        (
            Format::Xdsl,
            cpt(&format!("{states}<parents>q</parents><probabilities>1 0</probabilities>")),
            "line 2, node 'a': there is no node 'q', its parent",
        ),
        (Format::Xdsl, cpt(states), "line 2, node 'a': its table has 0 entries instead of 2"),
        (Format::Xdsl, cpt("<state/>"), "line 2, node 'a': a state has no id"),
        (
            Format::Xdsl,
            cpt(states).replace("cpt", "noisymax"),
            "line 2, node 'a': it is a node of the kind 'noisymax'",
        ),
        (Format::Xdsl, "<smile><nodes/><dynamic/></smile>".into(), "the network is dynamic"),
        (
            Format::Dsl,
            "net n { node a { TYPE = DECISION; }; };".into(),
            "node 'a': it is a node of the type 'DECISION'",
        ),
        (
            Format::Dsl,
            "net n { node a { TYPE = CPT;\nDEFINITION = { NAMESTATES = (x, y);".into(),
            "line 2, node 'a': the file ends",
        ),
        (
            Format::Dsl,
            "net n { node a { TYPE CPT; }; };".into(),
            "node 'a': 'CPT' stands where '='",
        ),
        (Format::Dsl, "network".into(), "'network' stands where 'net'"),
    ];
    for (format, text, wanted) in cases {
        let message = message(format, &text);
        assert!(message.contains(wanted), "{message}\n  instead of {wanted}");
    }
}

#[test]
fn enormous_tables_are_refused_with_their_size() {
    let mut text = String::new();
    let levels: Vec<String> = (0..10).map(|s| format!("s{s}")).collect();
    for v in 0..40 {
        text += &format!("variable x{v} {{ type discrete [ 10 ] {{ {} }}; }}\n", levels.join(", "));
        text += &format!("probability ( x{v} ) {{ default {}; }}\n", ["0.1"; 10].join(" "));
    }
    let child = |parents: usize| {
        let names: Vec<String> = (0..parents).map(|v| format!("x{v}")).collect();
        let names = names.join(", ");
        format!(
            "{text}variable y {{ type discrete [ 2 ] {{ a, b }}; }}\nprobability ( y | {names} ) {{ default 0.5 0.5; }}"
        )
    };
    let message_of = |parents| message(Format::Bif, &child(parents));
    let message = message_of(8);
    assert!(
        message
            .contains("line 82: the table of 'y' with its 8 parents would need 3200000000 bytes"),
        "{message}"
    );
    // More than any machine can count.
    assert!(message_of(40).contains("would need"), "{}", message_of(40));
    assert_eq!(read(Format::Bif, &child(3)).network.configurations(40), 1000);
    let spelt = child(30).replace("default 0.5 0.5; }", "table 0.5 0.5; }");
    let message = super::message(Format::Bif, &spelt);
    let wanted = format!("has 2 entries instead of 2{}", "0".repeat(30));
    assert!(message.contains(&wanted), "{message}");
}

#[test]
fn graphs_of_too_many_nodes_are_refused_with_their_size() {
    let text: String = (0..70_000).map(|v| format!("node x{v} {{ states = (a b); }}\n")).collect();
    let message = message(Format::Net, &text);
    assert!(message.contains("the graph of 70000 nodes would need"), "{message}");
}
