//! Bins that do not look at the class.

use super::{Value, midpoint};

/// `bins` bins of equal width over the range of the (sorted) values.
pub(super) fn width(values: &[Value], bins: usize) -> Vec<f64> {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return Vec::new() };
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

/// At most `bins` bins of about equal weight; equal values are never parted.
pub(super) fn frequency(values: &[Value], bins: usize) -> Vec<f64> {
    let total: f64 = values.iter().map(|v| v.weight).sum();
    let (mut cuts, mut seen) = (Vec::new(), 0.0);
    for pair in values.windows(2) {
        seen += pair[0].weight;
        let next = (cuts.len() + 1) as f64 * total / bins as f64;
        // Half a row of slack, so that the bins are as equal as the ties allow.
        if cuts.len() + 1 < bins
            && pair[0].number < pair[1].number
            && seen + 0.5 * pair[1].weight > next
        {
            cuts.push(midpoint(pair[0].number, pair[1].number));
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
        // Ties stay together.
        assert_eq!(frequency(&values(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0]), 3), [1.5, 2.5]);
    }
}
