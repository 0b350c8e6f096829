//! No reader panics, whatever it is given: files that are cut off, damaged, or made of pieces of others.

use super::*;
use proptest::prelude::*;

/// A small network in every format that is read.
fn files() -> Vec<(Format, String)> {
    let xdsl = "<?xml version=\"1.0\"?><!-- x --><smile version=\"1.0\"><nodes><cpt id=\"a\"><state id=\"x&amp;\" /><state id=\"y\" />\
                <probabilities>0.25 0.75</probabilities></cpt>\n<deterministic id=\"d\"><state id=\"no\"/><state id=\"yes\"/>\
                <parents>a</parents><resultingstates>no yes</resultingstates></deterministic></nodes></smile>";
    let dsl = "net n\n{\n HEADER = { ID = n; };\n node a\n { TYPE = CPT; PARENTS = ();\n DEFINITION = { NAMESTATES = (x, y); \
               PROBABILITIES = (0.25, 0.75); }; };\n node b { TYPE = CPT; PARENTS = (a); // c\n DEFINITION = { NAMESTATES = (x, y); \
               PROBABILITIES = (0.25, 0.75, 1, 0); }; }; };";
    let bif = "network n { }\nvariable \"a b\" { type discrete [ 2 ] { x y, z }; property sare_states = a%20,b ; }\n\
               variable c { type discrete [2] { t, f }; }\nprobability ( \"a b\" ) { default 0.5 0.5; }\n\
               probability ( c | a b ) { (x y) 0.1, 0.9; /* c */ (z) 0.2, 0.8; }";
    let network = read(Format::Bif, bif).network;
    let mut files: Vec<(Format, String)> =
        BOTH_WAYS.into_iter().map(|format| (format, written(&network, format))).collect();
    files.extend([
        (Format::Xdsl, xdsl.into()),
        (Format::Dsl, dsl.into()),
        (Format::Bif, bif.into()),
    ]);
    files
}

/// Pieces that mean something to some reader.
const PIECES: [&str; 40] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "|",
    "=",
    "\"",
    "\\",
    "%",
    "//",
    "/*",
    "*/",
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<!DOCTYPE [",
    "<![CDATA[",
    "&",
    "&#0;",
    "&#xD800;",
    "%ff",
    "é",
    "\u{0}",
    "nan",
    "-1",
    "1e999",
    "99999999999999999999",
    "table",
    "default",
    "property",
    "node",
    "sare_name = ",
    "\n",
];

proptest! {
    #[test]
    fn damaged_files_are_refused_or_read(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::sample::select(PIECES.to_vec()), 0..4u8), 0..5),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let files = files();
        let (format, text) = &files[which.index(files.len())];
        let mut bytes = text.as_bytes().to_vec();
        for (from, to, piece, kind) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = from.index(bytes.len());
            let end = at.max(to.index(bytes.len())).min(at + 40);
            match kind {
                0 => drop(bytes.splice(at..at, piece.bytes())),
                1 => drop(bytes.splice(at..end, piece.bytes())),
                2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
                _ => bytes[at] ^= 1 << to.index(8),
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        for format in [Some(*format), None] {
            if let Ok(read) = network_from("t", &bytes, format) {
                for format in BOTH_WAYS {
                    prop_assert_eq!(&super::read(format, &written(&read.network, format)).network, &read.network);
                }
            }
        }
    }

    #[test]
    fn anything_at_all_is_refused_or_read(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            let _ = network_from("t", text.as_bytes(), format);
            let _ = network_from("t", &bytes, format);
        }
    }
}

/// Every beginning of every file: a file cut off is not read as a smaller network, unless only its end is blank.
#[test]
fn every_beginning_of_a_file() {
    for (format, text) in files() {
        let whole = read(format, &text);
        let mut cut = text.trim_end().len();
        while cut > 0 {
            cut -= 1;
            if let Ok(part) = network_from("t", &text.as_bytes()[..cut], Some(format)) {
                assert_eq!(part.network, whole.network, "{format:?} cut at {cut}");
            }
        }
    }
}
