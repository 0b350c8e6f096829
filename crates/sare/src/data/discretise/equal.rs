//! Bins that do not look at the class.

use super::midpoint;
use super::points::Points;

/// `bins` bins of equal width over the range of the values.
pub(super) fn width(points: &Points, bins: usize) -> Vec<f64> {
    let (Some(&first), Some(&last)) = (points.numbers().first(), points.numbers().last()) else {
        return Vec::new();
    };
    if first >= last {
        return Vec::new();
    }
    // Weighted means of the ends: no difference of theirs can overflow.
    let share = |b: usize| b as f64 / bins as f64;
    let mut cuts: Vec<f64> =
        (1..bins).map(|b| first * (1.0 - share(b)) + last * share(b)).collect();
    cuts.dedup();
    cuts.retain(|c| *c < last);
    cuts
}

/// At most `bins` bins of about equal weight; equal values are never parted, and what they take too much of is shared
/// by the bins after them.
pub(super) fn frequency(points: &Points, bins: usize) -> Vec<f64> {
    let mut left: f64 = (0..points.len()).map(|p| points.weight(p)).sum();
    let (mut cuts, mut filled) = (Vec::new(), 0.0);
    for next in 1..points.len() {
        filled += points.weight(next - 1);
        let bins_left = bins.saturating_sub(cuts.len());
        // Cut where the bin comes nearest to its share: here, or only after the next value.
        if bins_left > 1 && filled + 0.5 * points.weight(next) >= left / bins_left as f64 {
            cuts.push(midpoint(points.numbers()[next - 1], points.numbers()[next]));
            left -= filled;
            filled = 0.0;
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(numbers: &[f64]) -> Points {
        let values: Vec<(f64, u32, f64)> = numbers.iter().map(|&x| (x, 0, 1.0)).collect();
        Points::from_sorted(&values, 1)
    }

    #[test]
    fn equal_widths() {
        assert_eq!(width(&points(&[0.0, 1.0, 10.0]), 5), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(width(&points(&[-1.7e308, 1.7e308]), 10).len(), 9);
        assert!(width(&points(&[3.0, 3.0]), 5).is_empty());
        assert!(width(&points(&[]), 5).is_empty());
    }

    #[test]
    fn equal_frequencies() {
        let numbers: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(frequency(&points(&numbers), 4), [2.5, 5.5, 8.5]);
        // A value that fills several bins leaves the rest to be shared fairly.
        let skewed: Vec<f64> = (0..100).map(|i| f64::from((i - 89).max(0))).collect();
        assert_eq!(frequency(&points(&skewed), 3), [0.5, 5.5]);
        // Ties stay together.
        assert_eq!(frequency(&points(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0]), 3), [1.5, 2.5]);
    }
}
