//! The order of the entries of a table, by files written by hand: p(c | a, b) with a of 2 states and b of 3 is
//! (f, 0.3, 0.7 - f) where f = (1 + 3 i + j) / 10 for state i of a and j of b, and every file gives the parents as b, a.

use super::*;

const BIF: &str = "network n { }
variable a { type discrete [ 2 ] { a0, a1 }; }
variable c { type discrete [ 3 ] { c0, c1, c2 }; }
variable b { type discrete [ 3 ] { b0, b1, b2 }; }
probability ( a ) { table 0.25, 0.75; }
probability ( b ) { table 0.2, 0.3, 0.5; }
";
const BIF_ROWS: &str = "probability ( c | b, a ) {
  (b2, a1) 0.6, 0.3, 0.1;
  (b0, a0) 0.1, 0.3, 0.6;
  (b0, a1) 0.4, 0.3, 0.3;
  (b1, a0) 0.2, 0.3, 0.5;
  (b1, a1) 0.5, 0.3, 0.2;
  (b2, a0) 0.3, 0.3, 0.4;
}";
const BIF_TABLE: &str = "probability ( c | b, a ) {
  table 0.1 0.4 0.2 0.5 0.3 0.6
        0.3 0.3 0.3 0.3 0.3 0.3
        0.6 0.3 0.5 0.2 0.4 0.1;
}";
const XMLBIF: &str = "<BIF VERSION='0.3'><NETWORK><NAME>n</NAME>
<VARIABLE TYPE='nature'><NAME>a</NAME><OUTCOME>a0</OUTCOME><OUTCOME>a1</OUTCOME></VARIABLE>
<VARIABLE TYPE='nature'><NAME>c</NAME><OUTCOME>c0</OUTCOME><OUTCOME>c1</OUTCOME><OUTCOME>c2</OUTCOME></VARIABLE>
<VARIABLE TYPE='nature'><NAME>b</NAME><OUTCOME>b0</OUTCOME><OUTCOME>b1</OUTCOME><OUTCOME>b2</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
<DEFINITION><FOR>b</FOR><TABLE>0.2 0.3 0.5</TABLE></DEFINITION>
<DEFINITION><FOR>c</FOR><GIVEN>b</GIVEN><GIVEN>a</GIVEN><TABLE>
0.1 0.3 0.6 <!-- b0, a0 -->
0.4 0.3 0.3
0.2 0.3 0.5
0.5 0.3 0.2
0.3 0.3 0.4
0.6 0.3 0.1
</TABLE></DEFINITION></NETWORK></BIF>";
const NET: &str = "net { node_size = (80 40); }
node a { label = \"the first\"; states = (\"a0\" \"a1\"); }
node c { states = (\"c0\" \"c1\" \"c2\"); }
node b { states = (\"b0\" \"b1\" \"b2\"); position = (10 20); }
potential (a) { data = (0.25 0.75); }
potential (b) { data = (0.2 0.3 0.5); }
potential (c | b a) { data = (((0.1 0.3 0.6)   % b0, a0
                               (0.4 0.3 0.3))  % b0, a1
                              ((0.2 0.3 0.5)(0.5 0.3 0.2))
                              ((0.3 0.3 0.4)(0.6 0.3 0.1))); }";
const XDSL: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<smile version=\"1.0\" id=\"n\" numsamples=\"1000\"><nodes>
<cpt id=\"a\"><state id=\"a0\" /><state id=\"a1\" /><probabilities>0.25 0.75</probabilities></cpt>
<cpt id=\"c\"><state id=\"c0\" /><state id=\"c1\" /><state id=\"c2\" /><parents>b a</parents><probabilities>
0.1 0.3 0.6 0.4 0.3 0.3 0.2 0.3 0.5 0.5 0.3 0.2 0.3 0.3 0.4 0.6 0.3 0.1</probabilities></cpt>
<cpt id=\"b\"><state id=\"b0\" /><state id=\"b1\" /><state id=\"b2\" /><probabilities>0.2 0.3 0.5</probabilities></cpt>
</nodes><extensions><genie><node id=\"a\"><name>the first</name></node></genie></extensions></smile>";
const DSL: &str = "net n
{
 HEADER = { ID = n; NAME = \"n\"; };
 NUMSAMPLES = 1000;
 SCREEN = { POSITION = { CENTER_X = 0; }; COLOR = 1; };
 node a
  { TYPE = CPT; HEADER = { ID = a; NAME = \"the first\"; }; PARENTS = ();
   DEFINITION = { NAMESTATES = (a0, a1); PROBABILITIES = (0.25000000, 0.75000000); }; };
 node c
  { TYPE = CPT; PARENTS = (b, a); USER_PROPERTIES = { NAMESTATES = (x, y); };
   DEFINITION = { NAMESTATES = (c0, c1, c2);
     PROBABILITIES = (0.1, 0.3, 0.6, 0.4, 0.3, 0.3, 0.2, 0.3, 0.5,
     0.5, 0.3, 0.2, 0.3, 0.3, 0.4, 0.6, 0.3, 0.1); };
   EXTRA_DEFINITION = { PROBABILITIES = (1, 0); DOCUMENTATION = { }; DOCUMENTATION = { }; }; };
 node b
  { TYPE = CPT; PARENTS = ();
   DEFINITION = { NAMESTATES = (b0, b1, b2); PROBABILITIES = (0.2, 0.3, 0.5); }; };
};";

#[test]
fn tables_come_in_our_order() {
    let bif = [BIF_ROWS, BIF_TABLE].map(|c| (Format::Bif, format!("{BIF}{c}")));
    let others =
        [(Format::XmlBif, XMLBIF), (Format::Net, NET), (Format::Xdsl, XDSL), (Format::Dsl, DSL)];
    let others = others.map(|(format, text)| (format, text.to_string()));
    for (format, text) in bif.into_iter().chain(others) {
        let ReadNetwork { network, notes } = read(format, &text);
        assert!(notes.is_empty());
        let names: Vec<&str> = network.variables().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a", "c", "b"], "{format:?}");
        assert_eq!(network.variables()[1].levels, ["c0", "c1", "c2"]);
        assert_eq!(network.table(0), [0.25, 0.75]);
        assert_eq!(network.table(2), [0.2, 0.3, 0.5]);
        // Ours: a before b, b fastest.
        #[rustfmt::skip]
        let wanted = [0.1, 0.3, 0.6, 0.2, 0.3, 0.5, 0.3, 0.3, 0.4, 0.4, 0.3, 0.3, 0.5, 0.3, 0.2, 0.6, 0.3, 0.1];
        assert_eq!(network.table(1), wanted, "{format:?}");
        for other in BOTH_WAYS {
            assert_eq!(read(other, &written(&network, other)).network, network);
        }
    }
}

#[test]
fn three_parents_in_any_order_mean_the_same() {
    let parts = |order: [usize; 3]| {
        let names = ["x", "y", "z"];
        let sizes = [2, 3, 4];
        let mut text = String::from("network n { }\n");
        for (v, name) in names.iter().enumerate() {
            let levels: Vec<String> = (0..sizes[v]).map(|s| format!("{name}{s}")).collect();
            let p: Vec<String> =
                levels.iter().map(|_| (1.0 / sizes[v] as f64).to_string()).collect();
            text += &format!(
                "variable {name} {{ type discrete [ {} ] {{ {} }}; }}\n",
                sizes[v],
                levels.join(", ")
            );
            text += &format!("probability ( {name} ) {{ table {}; }}\n", p.join(" "));
        }
        text += "variable w { type discrete [ 2 ] { no, yes }; }\n";
        let given: Vec<&str> = order.iter().map(|&v| names[v]).collect();
        let (mut no, mut yes) = (Vec::new(), Vec::new());
        for cell in 0..24 {
            let mut rest = cell;
            let mut state = [0; 3];
            for &v in order.iter().rev() {
                state[v] = rest % sizes[v];
                rest /= sizes[v];
            }
            let p = (state[0] * 12 + state[1] * 4 + state[2] + 1) as f64 / 32.0;
            no.push((1.0 - p).to_string());
            yes.push(p.to_string());
        }
        no.extend(yes);
        text + &format!("probability ( w | {} ) {{ table {}; }}", given.join(", "), no.join(" "))
    };
    let rising = read(Format::Bif, &parts([0, 1, 2])).network;
    assert_eq!(rising.table(3)[2 * 23], 1.0 - 24.0 / 32.0);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(read(Format::Bif, &parts(order)).network, rising);
    }
}
