//! The nursery set: applications to a nursery school, ranked by a hierarchical decision model (Olave, Rajkovic and
//! Bohanec 1989).
//!
//! The tables below were worked out from the 12,960 published rows, by merging values that the class cannot tell
//! apart. They give every row its published class, but they need not be the tables that the authors wrote down, and
//! `MEANS` is a grouping of our own.

use super::labelled_grid;
use crate::data::schema::Field;
use crate::data::table::Table;

const ATTRIBUTES: [(&str, &[&str]); 8] = [
    ("parents", &["usual", "pretentious", "great_pret"]),
    ("has_nurs", &["proper", "less_proper", "improper", "critical", "very_crit"]),
    ("form", &["complete", "completed", "incomplete", "foster"]),
    ("children", &["1", "2", "3", "more"]),
    ("housing", &["convenient", "less_conv", "critical"]),
    ("finance", &["convenient", "inconv"]),
    ("social", &["nonprob", "slightly_prob", "problematic"]),
    ("health", &["recommended", "priority", "not_recom"]),
];

const CLASSES: [&str; 5] = ["not_recom", "recommend", "very_recom", "priority", "spec_prior"];
const NOT_RECOM: usize = 0;
const RECOMMEND: usize = 1;
const VERY_RECOM: usize = 2;
const PRIORITY: usize = 3;
const SPEC_PRIOR: usize = 4;

/// How badly the parents' work and the present care call for a place: by `parents`, `has_nurs`.
const EMPLOYMENT: [[usize; 5]; 3] = [[0, 1, 1, 2, 3], [1, 1, 2, 3, 3], [2, 2, 3, 3, 3]];
/// How difficult the family's structure is: by `form`, `children`.
const STRUCTURE: [[usize; 4]; 4] = [[0, 1, 2, 2], [1, 1, 2, 2], [1, 2, 2, 2], [2, 2, 2, 2]];
/// How difficult its means are: by `housing`, `finance`.
const MEANS: [[usize; 2]; 3] = [[0, 1], [1, 1], [2, 2]];
/// How difficult its standing is as a whole: by structure, means.
const STANDING: [[usize; 3]; 3] = [[0, 1, 1], [1, 1, 2], [1, 2, 2]];
/// The class of a child without troubles of its own: by employment, standing.
const AT_EASE: [[usize; 3]; 4] = [
    [RECOMMEND, VERY_RECOM, PRIORITY],
    [VERY_RECOM, VERY_RECOM, PRIORITY],
    [PRIORITY, PRIORITY, PRIORITY],
    [PRIORITY, PRIORITY, SPEC_PRIOR],
];
/// The class of a child whose social or health conditions ask for priority: by employment, standing.
const IN_NEED: [[usize; 3]; 4] = [
    [PRIORITY, PRIORITY, PRIORITY],
    [PRIORITY, PRIORITY, PRIORITY],
    [PRIORITY, PRIORITY, SPEC_PRIOR],
    [PRIORITY, SPEC_PRIOR, SPEC_PRIOR],
];

/// All 12,960 applications with their class.
pub(super) fn nursery() -> Table {
    let field = |(name, levels): (&str, &[&str])| Field::discrete(name, levels.iter().copied());
    labelled_grid("nursery", ATTRIBUTES.map(field).to_vec(), &CLASSES, class_of)
}

/// The class of one application, given the codes of its attributes.
fn class_of(codes: &[usize]) -> usize {
    let (problematic, health) = (codes[6] == 2, codes[7]);
    if health == 2 {
        return NOT_RECOM;
    }
    let employment = EMPLOYMENT[codes[0]][codes[1]];
    let standing = STANDING[STRUCTURE[codes[2]][codes[3]]][MEANS[codes[4]][codes[5]]];
    let ranking = if problematic || health == 1 { IN_NEED } else { AT_EASE };
    ranking[employment][standing]
}
