//! Sets of few numbers as sorted lists: their size depends on what they hold, not on the largest number there could be.

/// A set of numbers, kept in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SortedSet {
    numbers: Vec<usize>,
}

impl SortedSet {
    /// Whether `x` is in the set.
    #[inline]
    pub(super) fn contains(&self, x: usize) -> bool {
        self.numbers.binary_search(&x).is_ok()
    }

    /// Puts `x` in; true if it was not there.
    pub(super) fn insert(&mut self, x: usize) -> bool {
        let place = self.numbers.binary_search(&x);
        if let Err(place) = place {
            self.numbers.insert(place, x);
        }
        place.is_err()
    }

    /// Takes `x` out; true if it was there.
    pub(super) fn remove(&mut self, x: usize) -> bool {
        let place = self.numbers.binary_search(&x);
        if let Ok(place) = place {
            self.numbers.remove(place);
        }
        place.is_ok()
    }

    /// How many numbers are in the set.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True if the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The numbers in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.numbers.iter().copied()
    }
}
