//! Bins that do not look at the class.

use super::{Value, midpoint};

/// `bins` bins of equal width over the range of the (sorted) values.
pub(super) fn width(values: &[Value], bins: usize) -> Vec<f64> {
    let mut weighty = values.iter().filter(|v| v.weight > 0.0);
    let (Some(first), last) = (weighty.next(), weighty.next_back()) else { return Vec::new() };
    let last = last.unwrap_or(first);
    // Halved so that a range wider than the largest number does not overflow.
    let step = (last.number / 2.0 - first.number / 2.0) / bins as f64 * 2.0;
    if step <= 0.0 {
        return Vec::new();
    }
    let mut cuts: Vec<f64> = (1..bins).map(|b| first.number + step * b as f64).collect();
    cuts.dedup();
    cuts.retain(|c| *c < last.number);
    cuts
}

/// At most `bins` bins of about equal weight; equal values are never parted, and what they take too much of is shared
/// by the bins after them.
pub(super) fn frequency(values: &[Value], bins: usize) -> Vec<f64> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for v in values.iter().filter(|v| v.weight > 0.0) {
        match points.last_mut() {
            Some((number, weight)) if *number == v.number => *weight += v.weight,
            _ => points.push((v.number, v.weight)),
        }
    }
    let mut left: f64 = points.iter().map(|p| p.1).sum();
    let (mut cuts, mut filled) = (Vec::new(), 0.0);
    for pair in points.windows(2) {
        filled += pair[0].1;
        let bins_left = bins.saturating_sub(cuts.len());
        // Cut where the bin comes nearest to its share: here, or only after the next value.
        if bins_left > 1 && filled + 0.5 * pair[1].1 >= left / bins_left as f64 {
            cuts.push(midpoint(pair[0].0, pair[1].0));
            left -= filled;
            filled = 0.0;
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(numbers: &[f64]) -> Vec<Value> {
        numbers.iter().map(|&number| Value { number, class: 0, weight: 1.0 }).collect()
    }

    #[test]
    fn equal_widths() {
        assert_eq!(width(&values(&[0.0, 1.0, 10.0]), 5), [2.0, 4.0, 6.0, 8.0]);
        assert!(width(&values(&[3.0, 3.0]), 5).is_empty());
        assert!(width(&[], 5).is_empty());
    }

    #[test]
    fn equal_frequencies() {
        let numbers: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(frequency(&values(&numbers), 4), [2.5, 5.5, 8.5]);
        // A value that fills several bins leaves the rest to be shared fairly.
        let skewed: Vec<f64> = (0..100).map(|i| f64::from((i - 89).max(0))).collect();
        assert_eq!(frequency(&values(&skewed), 3), [0.5, 5.5]);
        // Ties stay together.
        assert_eq!(frequency(&values(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0]), 3), [1.5, 2.5]);
    }
}
