//! The two kernels: gather and scatter, and the counting kernel for rows whose class is seen.
//!
//! `table` is always cells x classes with the class innermost; a cell number points at the first entry of its vector.

/// A number that says which cell a row is in.
pub trait Cell: Copy {
    /// As an index.
    fn index(self) -> usize;
}

impl Cell for u8 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

impl Cell for u16 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

impl Cell for u32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// Runs `$body` with `$n` a constant where the number of classes is small, so that the inner loop is unrolled.
macro_rules! with_classes {
    ($classes:expr, $n:ident => $body:expr, else $general:expr) => {
        match $classes {
            1 => {
                const $n: usize = 1;
                $body
            }
            2 => {
                const $n: usize = 2;
                $body
            }
            3 => {
                const $n: usize = 3;
                $body
            }
            4 => {
                const $n: usize = 4;
                $body
            }
            5 => {
                const $n: usize = 5;
                $body
            }
            6 => {
                const $n: usize = 6;
                $body
            }
            7 => {
                const $n: usize = 7;
                $body
            }
            8 => {
                const $n: usize = 8;
                $body
            }
            _ => $general,
        }
    };
}

/// scores[row, :] += table[cell(row), :]
pub fn gather<C: Cell>(cells: &[C], table: &[f64], classes: usize, scores: &mut [f64]) {
    with_classes!(classes, N => {
        for (cell, score) in cells.iter().zip(scores.as_chunks_mut::<N>().0) {
            let entry = &table[cell.index() * N..][..N];
            for k in 0..N {
                score[k] += entry[k];
            }
        }
    }, else {
        for (cell, score) in cells.iter().zip(scores.chunks_exact_mut(classes)) {
            let entry = &table[cell.index() * classes..][..classes];
            score.iter_mut().zip(entry).for_each(|(s, e)| *s += e);
        }
    });
}

/// scores[row, :] += factor * table[cell(row), :]
pub fn gather_scaled<C: Cell>(
    cells: &[C],
    table: &[f64],
    factor: f64,
    classes: usize,
    scores: &mut [f64],
) {
    with_classes!(classes, N => {
        for (cell, score) in cells.iter().zip(scores.as_chunks_mut::<N>().0) {
            let entry = &table[cell.index() * N..][..N];
            for k in 0..N {
                score[k] += factor * entry[k];
            }
        }
    }, else {
        for (cell, score) in cells.iter().zip(scores.chunks_exact_mut(classes)) {
            let entry = &table[cell.index() * classes..][..classes];
            score.iter_mut().zip(entry).for_each(|(s, e)| *s += factor * e);
        }
    });
}

/// table[cell(row), :] += weights[row, :]
pub fn scatter<C: Cell>(cells: &[C], weights: &[f64], classes: usize, table: &mut [f64]) {
    with_classes!(classes, N => {
        for (cell, weight) in cells.iter().zip(weights.as_chunks::<N>().0) {
            let entry = &mut table[cell.index() * N..][..N];
            for k in 0..N {
                entry[k] += weight[k];
            }
        }
    }, else {
        for (cell, weight) in cells.iter().zip(weights.chunks_exact(classes)) {
            let entry = &mut table[cell.index() * classes..][..classes];
            entry.iter_mut().zip(weight).for_each(|(e, w)| *e += w);
        }
    });
}

/// How often each byte occurs, added to `counts`. Four histograms side by side, so that equal neighbours do not wait
/// for each other.
pub fn histogram(codes: &[u8], counts: &mut [u64; 256]) {
    let mut parts = [[0u32; 256]; 4];
    let (fours, rest) = codes.as_chunks::<4>();
    for four in fours {
        for (part, &code) in parts.iter_mut().zip(four) {
            part[code as usize] += 1;
        }
    }
    for &code in rest {
        parts[0][code as usize] += 1;
    }
    for (code, count) in counts.iter_mut().enumerate() {
        *count += parts.iter().map(|p| u64::from(p[code])).sum::<u64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_of_classes_does_the_same(
            classes in 1usize..12,
            cells in prop::collection::vec(0u8..7, 0..200),
        ) {
            let table: Vec<f64> = (0..7 * classes).map(|v| v as f64).collect();
            let mut scores = vec![1.0; cells.len() * classes];
            gather(&cells, &table, classes, &mut scores);
            for (row, &cell) in cells.iter().enumerate() {
                for c in 0..classes {
                    let expected = 1.0 + table[cell as usize * classes + c];
                    prop_assert_eq!(scores[row * classes + c], expected);
                }
            }
            let mut scaled = vec![1.0; cells.len() * classes];
            gather_scaled(&cells, &table, 0.5, classes, &mut scaled);
            let half = |s: &f64| 1.0 + (s - 1.0) / 2.0;
            prop_assert_eq!(scaled, scores.iter().map(half).collect::<Vec<_>>());
            let mut back = vec![0.0; 7 * classes];
            scatter(&cells, &scores, classes, &mut back);
            for cell in 0..7 {
                for c in 0..classes {
                    let rows = cells.iter().enumerate().filter(|(_, x)| **x as usize == cell);
                    let expected: f64 = rows.map(|(row, _)| scores[row * classes + c]).sum();
                    prop_assert_eq!(back[cell * classes + c], expected);
                }
            }
        }

        #[test]
        fn the_histogram_counts(codes in prop::collection::vec(any::<u8>(), 0..500)) {
            let mut counts = [0; 256];
            histogram(&codes, &mut counts);
            for code in 0..=255u8 {
                let expected = codes.iter().filter(|&&c| c == code).count() as u64;
                prop_assert_eq!(counts[code as usize], expected);
            }
        }
    }
}
