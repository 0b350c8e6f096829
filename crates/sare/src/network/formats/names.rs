//! Names in formats that cannot hold every name: an identifier in the place of the name, and the name itself,
//! percent-coded, in a property that other tools skip.

use rustc_hash::{FxHashMap, FxHashSet};

/// The property that holds the name of a node whose identifier differs from it.
pub(super) const NAME: &str = "sare_name";
/// The property that holds the names of a node's levels where some identifiers differ from them.
pub(super) const LEVELS: &str = "sare_states";

/// What a file calls each name: a name that is `plain` stays as it is, any other becomes an identifier that no other
/// has, made of what `clean` leaves of it.
pub(super) fn identifiers<'a>(
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
