//! Networks whose names no format likes come back bit for bit.

use super::*;
use crate::graph::Dag;
use crate::network::Variable;
use proptest::prelude::*;

/// Names that mean something somewhere, or need quotes, escapes or another script.
const NAMES: [&str; 28] = [
    "a b",
    "a_b",
    "a-b",
    "größe",
    "x\"y",
    "p,q{r}",
    "variable",
    "my variable",
    "probability",
    "net",
    "node",
    "1a",
    "l|m(n)",
    "back\\slash",
    "tab\there",
    " edge ",
    "日本",
    "%20",
    "a;b=c",
    "<&>",
    "",
    "line\nbreak",
    "table",
    "default",
    "007",
    "-1",
    "\u{1}",
    "a_b_1",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(NAMES.to_vec()).prop_map(str::to_string),
        any::<String>(),
        "[a-z ,;{}()\"'|%/\\\\<>&=_-]{0,6}",
    ]
}

fn distinct(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(name(), 1..=most)
        .prop_map(|set| set.into_iter().collect::<Vec<_>>())
        .prop_shuffle()
}

prop_compose! {
    /// A network of up to six variables; weights that are tiny, zero and everything between.
    fn network()(names in distinct(6))
        (levels in prop::collection::vec(distinct(4), names.len()),
         arcs in prop::collection::vec(prop::bool::weighted(0.4), names.len() * names.len()),
         order in Just((0..names.len()).collect::<Vec<usize>>()).prop_shuffle(),
         weights in prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.0f64, (-300.0..0.0f64).prop_map(f64::exp)], 64),
         names in Just(names))
        -> Network {
        let count = names.len();
        let mut dag = Dag::new(count);
        for (at, &child) in order.iter().enumerate() {
            for &parent in order[..at].iter().filter(|&&p| arcs[p * count + child]) {
                dag.add(parent, child).unwrap();
            }
        }
        let mut next = weights.iter().cycle();
        let table = |v: usize| -> Vec<f64> {
            let states = levels[v].len();
            let rows: usize = dag.parents(v).map(|p| levels[p].len()).product();
            let mut row = || {
                let mut row: Vec<f64> = next.by_ref().take(states).copied().collect();
                row[0] += 0.25;
                let sum: f64 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= sum);
                row
            };
            (0..rows).flat_map(|_| row()).collect()
        };
        let tables = (0..count).map(table).collect();
        let variables = names.into_iter().zip(levels.clone()).map(|(name, levels)| Variable { name, levels });
        Network::new(variables.collect(), dag, tables).unwrap()
    }
}

fn bits(network: &Network) -> Vec<u64> {
    (0..network.variables().len()).flat_map(|v| network.table(v)).map(|p| p.to_bits()).collect()
}

proptest! {
    #[test]
    fn every_network_comes_back(network in network()) {
        for format in BOTH_WAYS {
            let text = written(&network, format);
            prop_assert_eq!(Format::of_text(&text), Some(format), "{}", text);
            let back = network_from("t", text.as_bytes(), None);
            let back = back.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(&back.network, &network, "{}", text);
            prop_assert_eq!(bits(&back.network), bits(&network));
            prop_assert!(back.notes.is_empty());
        }
        let dot = written(&network, Format::Dot);
        prop_assert_eq!(dot.matches(" -> ").count() >= network.dag().arcs(), true);
    }
}
