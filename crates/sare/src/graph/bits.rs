//! Sets of small numbers as bits.

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// The empty set of numbers below `bound`.
    pub fn new(bound: usize) -> BitSet {
        BitSet { words: vec![0; bound.div_ceil(64)] }
    }

    /// Whether `x` is in the set.
    #[inline]
    pub fn contains(&self, x: usize) -> bool {
        self.words[x / 64] >> (x % 64) & 1 == 1
    }

    /// Puts `x` in; true if it was not there.
    pub fn insert(&mut self, x: usize) -> bool {
        let new = !self.contains(x);
        self.words[x / 64] |= 1 << (x % 64);
        new
    }

    /// Takes `x` out; true if it was there.
    pub fn remove(&mut self, x: usize) -> bool {
        let was = self.contains(x);
        self.words[x / 64] &= !(1 << (x % 64));
        was
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// The numbers in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| bits_of(i, word))
    }

    /// How many numbers are in both sets; both must have the same bound.
    pub fn common_len(&self, other: &BitSet) -> usize {
        let both = self.words.iter().zip(&other.words);
        both.map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// The numbers in both sets, in rising order; both must have the same bound.
    pub fn common<'a>(&'a self, other: &'a BitSet) -> impl Iterator<Item = usize> + 'a {
        let both = self.words.iter().zip(&other.words).enumerate();
        both.flat_map(|(i, (a, b))| bits_of(i, a & b))
    }
}

/// The numbers that the word in place `i` stands for.
fn bits_of(i: usize, word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            i * 64 + bit
        })
    })
}
