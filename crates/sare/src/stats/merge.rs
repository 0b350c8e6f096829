//! The laws of statistics.

/// Statistics of some rows, which can be added up.
///
/// Laws: the empty statistics change nothing; any way of parting the rows, merged, equals the whole (exactly for
/// counts, to rounding for sums of fractions); merging in a fixed order gives the same bits; a row of weight 2
/// equals the row twice. `tests/laws.rs` checks them for every kind of statistics.
pub trait Merge {
    /// Adds the statistics of other rows.
    fn merge(&mut self, other: &Self);
}

impl<T: Merge> Merge for Vec<T> {
    fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.len(), other.len());
        self.iter_mut().zip(other).for_each(|(a, b)| a.merge(b));
    }
}
