//! Which format a file is taken for.

use super::*;

#[test]
fn names_and_contents_say_the_format() {
    let names = [
        ("a.bif", Format::Bif),
        ("dir.x/a.BIF.gz", Format::Bif),
        ("a.xml", Format::XmlBif),
        ("a.xmlbif", Format::XmlBif),
        ("a.bifxml", Format::XmlBif),
        ("a.net", Format::Net),
        ("a.xdsl", Format::Xdsl),
        ("a.dsl", Format::Dsl),
        ("a.dot", Format::Dot),
        ("a.json", Format::Json),
    ];
    for (name, format) in names {
        assert_eq!(Format::of_name(name), Some(format), "{name}");
        assert_eq!(Format::named(format.name()).unwrap(), format);
    }
    assert_eq!((Format::of_name("bif"), Format::of_name("a.txt")), (None, None));
    let texts = [
        ("\n// x\n/* net */ network \"n\" {", Some(Format::Bif)),
        ("variable a {", Some(Format::Bif)),
        ("% network\nnet{", Some(Format::Net)),
        ("net % name\n {", Some(Format::Net)),
        ("class C {", Some(Format::Net)),
        ("net name\n{", Some(Format::Dsl)),
        ("<?xml?><!-- <smile> --><BIF>", Some(Format::XmlBif)),
        ("<!DOCTYPE BIF [ <!ELEMENT smile>", Some(Format::XmlBif)),
        ("<smile ", Some(Format::Xdsl)),
        ("<html>", None),
        (" {", Some(Format::Json)),
        ("strict digraph {", Some(Format::Dot)),
        ("", None),
        ("a,b\n1,2", None),
    ];
    for (text, format) in texts {
        assert_eq!(Format::of_text(text), format, "{text}");
    }
}

#[test]
fn a_name_that_says_otherwise_is_an_error() {
    let text = b"node a { states = (x y); } potential (a) { data = (0.5 0.5); }";
    let error = |name| network_from(name, text, None).unwrap_err().to_string();
    assert!(
        error("a.bif").contains("its name says bif, but its content looks like net"),
        "{}",
        error("a.bif")
    );
    assert!(network_from("a.bif", text, Some(Format::Net)).is_ok());
    assert!(network_from("a.txt", text, None).is_ok());
    let error = |bytes| network_from("a.txt", bytes, None).unwrap_err().to_string();
    assert!(error(b"a,b\n").contains("no file of a network"));
    assert!(error(b"digraph { }").contains("without probabilities"));
    let error = Format::named("xmlbiff").unwrap_err().to_string();
    assert!(error.contains("did you mean 'xmlbif'?"), "{error}");
}

#[test]
fn models_are_read_as_networks() {
    let path = |name: &str| format!("{}/tests/models/{name}", env!("CARGO_MANIFEST_DIR"));
    for name in ["form-1-nb.json", "form-1-tan.json", "form-2-network.json"] {
        let read = super::super::read_network(&path(name), None).unwrap();
        let text = written(&read.network, Format::Bif);
        assert_eq!(super::read(Format::Bif, &text).network, read.network);
    }
    let error = super::super::read_network(&path("form-2-averaged-tan.json"), None).unwrap_err();
    assert!(error.to_string().contains("an average over structures"), "{error}");
    let error = message(
        Format::Json,
        "{\"nodes\": [{\"name\": \"a\", \"levels\": [\"x\"], \"parents\": [\"a\"], \"probabilities\": [[1]]}]}",
    );
    assert!(error.contains("a -> a would close a directed cycle"), "{error}");
    assert!(message(Format::Json, "{}").contains("neither"));
}
