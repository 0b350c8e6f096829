//! XML as network files have it, and as they must not.

use super::*;

const REPORT: Report<'_> = Report { file: "t.xml" };

#[test]
fn a_tree_with_all_that_is_skipped() {
    let text = "<?xml version='1.0'?>\n<!DOCTYPE A [\n<!ELEMENT A (B*)> <!-- > -->\n<!ATTLIST A x CDATA \">\">]>\n\
                <A x='1 &lt; 2' >\n <b>one<!-- no --> two</b><B y=\"&quot;\"/><B> &#32;a&amp;b<![CDATA[<&>]]> </B>\n</A>";
    let root = parse(REPORT, text).unwrap();
    assert_eq!((root.name, root.line), ("A", 5));
    assert_eq!(root.attribute("x", REPORT).unwrap().as_deref(), Some("1 < 2"));
    let texts: Vec<String> = root.all("B").map(|b| b.text(REPORT).unwrap()).collect();
    assert_eq!(texts, ["one two", "", " a&b<&>"]);
    assert_eq!(root.children[1].attribute("y", REPORT).unwrap().as_deref(), Some("\""));
    assert_eq!(root.children[2].line, 6);
}

#[test]
fn what_is_wrong_is_said() {
    let message = |text| parse(REPORT, text).unwrap_err().to_string();
    assert!(message("<a>\n<b>").contains("line 2: <b> is not closed"), "{}", message("<a>\n<b>"));
    assert!(message("<a></b>").contains("</b> closes nothing"));
    assert!(message("<a x=1>").contains("no quotes"));
    assert!(message("<!-- ").contains("not closed") && message("").contains("no element"));
    assert!(message(&"<a>".repeat(100_000)).contains("inside each other"));
    let root = parse(REPORT, "<a>&nbsp;</a>").unwrap();
    assert!(root.text(REPORT).unwrap_err().to_string().contains("'&nbsp;' is no reference"));
}

#[test]
fn escaped_texts_come_back() {
    for text in ["", " ", " a b ", "<&>\"'", "\t\n\r", "\u{a0}x\u{2003}", "größe"] {
        let file = format!("<a y=\"{0}\">\n {0} \n</a>", escaped(text));
        let root = parse(REPORT, &file).unwrap();
        assert_eq!(root.text(REPORT).unwrap(), text);
        assert_eq!(root.attribute("y", REPORT).unwrap().unwrap(), text);
    }
}
