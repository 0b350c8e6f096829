//! How a table over some of the variables of a larger table lies in it.

/// Where each entry of a larger table has its entry in a smaller one. The larger table falls into blocks: the
/// smaller one is read once for each `outer` offset, and inside that either each of `middle` runs of `inner` entries
/// meets one entry (`along` is false), or each run meets the same `inner` entries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Embedding {
    offsets: Vec<u32>,
    middle: usize,
    inner: usize,
    along: bool,
}

impl Embedding {
    /// The embedding of a table over `small` in one over `large`, which must hold all of its variables.
    pub fn new(large: &[usize], small: &[usize], states: &[usize]) -> Embedding {
        let mut dimensions = dimensions(large, small, states);
        let (mut middle, mut inner, mut along) = (1, 1, false);
        match dimensions.last() {
            Some(&(size, 0)) => {
                inner = size;
                dimensions.pop();
                if let Some(&(size, 1)) = dimensions.last() {
                    middle = size;
                    dimensions.pop();
                }
            }
            Some(&(size, 1)) => {
                (inner, along) = (size, true);
                dimensions.pop();
                if let Some(&(size, 0)) = dimensions.last() {
                    middle = size;
                    dimensions.pop();
                }
            }
            _ => {}
        }
        let mut offsets = vec![0u32];
        for (size, stride) in dimensions {
            let step = |o: u32| (0..size).map(move |i| o + (i * stride) as u32);
            offsets = offsets.into_iter().flat_map(step).collect();
        }
        Embedding { offsets, middle, inner, along }
    }

    /// Multiplies every entry of the larger table by its entry of the smaller one.
    pub fn multiply(&self, large: &mut [f64], small: &[f64]) {
        let blocks = large.chunks_exact_mut(self.middle * self.inner).zip(&self.offsets);
        for (block, &offset) in blocks {
            let part = &small[offset as usize..];
            if self.along {
                let part = &part[..self.inner];
                for run in block.chunks_exact_mut(self.inner) {
                    run.iter_mut().zip(part).for_each(|(x, y)| *x *= y);
                }
            } else {
                for (run, y) in block.chunks_exact_mut(self.inner).zip(part) {
                    run.iter_mut().for_each(|x| *x *= y);
                }
            }
        }
    }

    /// Sums the larger table into the smaller one.
    pub fn sum(&self, large: &[f64], small: &mut [f64]) {
        small.fill(0.0);
        for (block, &offset) in large.chunks_exact(self.middle * self.inner).zip(&self.offsets) {
            let part = &mut small[offset as usize..];
            if self.along {
                let part = &mut part[..self.inner];
                for run in block.chunks_exact(self.inner) {
                    part.iter_mut().zip(run).for_each(|(x, y)| *x += y);
                }
            } else {
                for (run, x) in block.chunks_exact(self.inner).zip(part) {
                    *x += total(run);
                }
            }
        }
    }
}

/// The dimensions of `large`, the slowest first, as (size, step in `small`); neighbours that move alike are one.
fn dimensions(large: &[usize], small: &[usize], states: &[usize]) -> Vec<(usize, usize)> {
    let stride = |v: usize| {
        let place = small.iter().position(|&s| s == v)?;
        Some(small[place + 1..].iter().map(|&s| states[s]).product::<usize>())
    };
    let mut dimensions: Vec<(usize, usize)> = Vec::new();
    for &v in large.iter().filter(|&&v| states[v] > 1) {
        let (size, step) = (states[v], stride(v).unwrap_or(0));
        match dimensions.last_mut() {
            Some(last) if last.1 == size * step => *last = (last.0 * size, step),
            _ => dimensions.push((size, step)),
        }
    }
    dimensions
}

/// The sum of some numbers; eight at a time where there are many, so that they are added side by side.
#[inline]
pub(crate) fn total(values: &[f64]) -> f64 {
    if values.len() < 16 {
        return values.iter().sum();
    }
    let mut lanes = [0.0; 8];
    let chunks = values.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x);
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Purpose, Random};

    /// Every order of every subset of four variables, against indices counted digit by digit.
    #[test]
    fn entries_meet_their_own() {
        let states = [2, 3, 1, 4, 2];
        let mut random = Random::new(1, Purpose::Model, 0);
        for trial in 0..400 {
            let mut large: Vec<usize> = (0..5).collect();
            random.shuffle(&mut large);
            let mut small: Vec<usize> =
                large.iter().copied().filter(|_| random.below(2) == 0).collect();
            if trial % 2 == 0 {
                random.shuffle(&mut small);
            }
            let size = |scope: &[usize]| scope.iter().map(|&v| states[v]).product::<usize>();
            let place = |entry: usize| {
                let (mut rest, mut digits) = (entry, [0; 5]);
                for &v in large.iter().rev() {
                    digits[v] = rest % states[v];
                    rest /= states[v];
                }
                small.iter().fold(0, |index, &v| index * states[v] + digits[v])
            };
            let embedding = Embedding::new(&large, &small, &states);
            let table: Vec<f64> = (0..size(&large)).map(|_| random.uniform()).collect();
            let part: Vec<f64> = (0..size(&small)).map(|_| random.uniform()).collect();
            let mut product = table.clone();
            embedding.multiply(&mut product, &part);
            let mut expected = vec![0.0; part.len()];
            for (entry, x) in table.iter().enumerate() {
                assert_eq!(product[entry], x * part[place(entry)]);
                expected[place(entry)] += x;
            }
            let mut sums = vec![7.0; part.len()];
            embedding.sum(&table, &mut sums);
            assert!(sums.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn long_sums_lose_nothing() {
        for n in 0..50 {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(total(&values), f64::from(n * (n - 1)) / 2.0);
        }
    }
}
