//! Ranks with ties.

/// Ranks of some values, smallest first; tied values share the mean of their ranks.
pub(super) struct Ranks {
    /// Twice the rank of each value: whole numbers, since a mean of consecutive ranks is whole or a half.
    pub doubled: Vec<u64>,
    /// The sizes of the groups of equal values, a single value being a group of one.
    pub groups: Vec<usize>,
}

impl Ranks {
    /// The ranks of values none of which is NaN.
    pub fn of(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let mut ranks = Self { doubled: vec![0; values.len()], groups: Vec::new() };
        let mut before = 0;
        // Equal means ==, so that the two zeros are one value.
        for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
            let first_and_last = 2 * before + group.len() + 1;
            for &at in group {
                ranks.doubled[at] = first_and_last as u64;
            }
            ranks.groups.push(group.len());
            before += group.len();
        }
        ranks
    }

    /// True if some values are equal.
    pub fn has_ties(&self) -> bool {
        self.groups.len() < self.doubled.len()
    }

    /// The sum over groups of equal values of t^3 - t, which corrects variances for ties.
    pub fn tie_term(&self) -> f64 {
        let term = |&t: &usize| (t as f64).powi(3) - t as f64;
        self.groups.iter().map(term).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tied_values_share_ranks() {
        let ranks = Ranks::of(&[3.0, 1.0, -0.0, 1.0, 0.0, 1.0]);
        assert_eq!(ranks.doubled, [12, 8, 3, 8, 3, 8]);
        assert_eq!(ranks.groups, [2, 3, 1]);
        assert!(ranks.has_ties());
        assert_eq!(ranks.tie_term(), 30.0);
        assert!(!Ranks::of(&[2.0, f64::INFINITY]).has_ties());
        assert!(Ranks::of(&[]).doubled.is_empty());
    }
}
