//! Names in formats that cannot hold every name: an identifier in the place of the name, and the name itself,
//! percent-coded, in a property that other tools skip.

use crate::network::{Network, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The property that holds the name of a node whose identifier differs from it.
pub(super) const NAME: &str = "sare_name";
/// The property that holds the names of a node's levels where some identifiers differ from them.
pub(super) const LEVELS: &str = "sare_states";

/// Which names a format holds as they are, and what becomes of the others.
pub(super) struct Rules {
    pub node: fn(&str) -> bool,
    pub level: fn(&str) -> bool,
    pub clean: fn(&str) -> String,
}

/// What a file calls the nodes of a network and their levels.
pub(super) struct Names {
    pub nodes: Vec<String>,
    pub levels: Vec<Vec<String>>,
}

impl Names {
    /// The names of a network by the rules of a format.
    pub fn new(network: &Network, rules: &Rules) -> Names {
        let variables = network.variables();
        let nodes = variables.iter().map(|v| v.name.as_str());
        let levels = |v: &Variable| {
            identifiers(v.levels.iter().map(String::as_str), rules.level, rules.clean)
        };
        Names {
            nodes: identifiers(nodes, rules.node, rules.clean),
            levels: variables.iter().map(levels).collect(),
        }
    }

    /// Each node with what the file calls it and its levels.
    pub fn of<'a>(
        &'a self,
        network: &'a Network,
    ) -> impl Iterator<Item = (&'a Variable, &'a String, &'a [String])> {
        let names = self.nodes.iter().zip(&self.levels);
        network.variables().iter().zip(names).map(|(v, (node, levels))| (v, node, &levels[..]))
    }

    /// How many names the file could not hold, if any.
    pub fn note(&self, network: &Network, format: &str) -> Option<String> {
        let (mut nodes, mut states, mut first) = (0, 0, None);
        for (variable, node, levels) in self.of(network) {
            let renamed =
                |(old, new): (&String, &String)| (old != new).then(|| (old.clone(), new.clone()));
            let node = renamed((&variable.name, node));
            nodes += usize::from(node.is_some());
            let mut levels = variable.levels.iter().zip(levels).filter_map(renamed).peekable();
            first = first.or(node).or_else(|| levels.peek().cloned());
            states += levels.count();
        }
        let (old, new) = first?;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        Some(format!(
            "{format} files cannot hold the names of {nodes} node{} and {states} state{}: identifiers replace them \
             (the first: '{new}' for '{old}'); sare reads the names back, other programs do not",
            plural(nodes),
            plural(states),
        ))
    }
}

/// What a file calls each name: a name that is `plain` stays as it is, any other becomes an identifier that no other
/// has, made of what `clean` leaves of it.
fn identifiers<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    plain: impl Fn(&str) -> bool,
    clean: impl Fn(&str) -> String,
) -> Vec<String> {
    let mut used: FxHashSet<String> =
        names.clone().filter(|n| plain(n)).map(str::to_string).collect();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut identifier = |name: &str| {
        if plain(name) {
            return name.to_string();
        }
        let base = clean(name);
        let number = numbers.entry(base.clone()).or_insert(1);
        loop {
            // Not the bare word where it means something in the format.
            let candidate = match *number {
                1 if plain(&base) => base.clone(),
                n => format!("{base}_{n}"),
            };
            *number += 1;
            if used.insert(candidate.clone()) {
                return candidate;
            }
        }
    };
    names.map(&mut identifier).collect()
}

/// The name with everything but ASCII letters, digits and underscores turned into underscores.
pub(super) fn cleaned(name: &str) -> String {
    let mut text: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// Whether a name is a letter or underscore followed by letters, digits, underscores and what `more` allows, all ASCII.
pub(super) fn is_identifier(name: &str, more: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || more.contains(c);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(inner)
}

/// A name in letters and digits of any script, `_`, `-`, `.` and `%XX` for every other byte; the empty one is `%`.
pub(super) fn coded(name: &str) -> String {
    if name.is_empty() {
        return "%".into();
    }
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || "_-.".contains(c) {
            text.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|b| text.push_str(&format!("%{b:02X}")));
        }
    }
    text
}

/// The name that was coded; nothing if this is no code.
pub(super) fn decoded(text: &str) -> Option<String> {
    if text == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// The codes of all levels in one text.
pub(super) fn coded_list(names: &[String]) -> String {
    names.iter().map(|n| coded(n)).collect::<Vec<String>>().join(",")
}

/// The levels that were coded in one text.
pub(super) fn decoded_list(text: &str) -> Option<Vec<String>> {
    text.split(',').map(|part| decoded(part.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bare(name: &str) -> bool {
        is_identifier(name, "") && name != "table"
    }

    #[test]
    fn plain_names_stay_and_others_get_their_own() {
        let names = ["a b", "a_b", "a,b", "", "1", "größe", "table", "a-b"];
        let ids = identifiers(names.into_iter(), bare, cleaned);
        assert_eq!(ids, ["a_b_2", "a_b", "a_b_3", "_", "_1", "gr__e", "table_1", "a_b_4"]);
    }

    proptest! {
        #[test]
        fn every_name_comes_back(names in prop::collection::vec(any::<String>(), 1..6)) {
            for name in &names {
                prop_assert_eq!(decoded(&coded(name)), Some(name.clone()));
            }
            prop_assert_eq!(decoded_list(&coded_list(&names)), Some(names.clone()));
            let mut ids = identifiers(names.iter().map(String::as_str), bare, cleaned);
            prop_assert!(ids.iter().all(|id| bare(id)));
            let distinct: FxHashSet<&String> = names.iter().collect();
            if distinct.len() == names.len() {
                ids.sort_unstable();
                ids.dedup();
                prop_assert_eq!(ids.len(), names.len());
            }
        }
    }
}
