//! Fayyad and Irani's discretisation: recursive cuts of least class entropy, accepted by description length.

use super::midpoint;
use super::points::Points;
use crate::num::x_ln_x;
use std::f64::consts::LN_2;
use std::ops::Range;

/// The cut points of one column.
pub(super) fn cuts(points: &Points) -> Vec<f64> {
    let mut found = Vec::new();
    // A stack instead of recursion: a hostile column could nest as deep as it has values.
    let mut open: Vec<Range<usize>> = Vec::new();
    open.push(0..points.len());
    while let Some(part) = open.pop() {
        if let Some(at) = best_cut(points, part.clone()) {
            found.push(midpoint(points.numbers()[at - 1], points.numbers()[at]));
            open.push(part.start..at);
            open.push(at..part.end);
        }
    }
    found.sort_by(f64::total_cmp);
    found
}

/// Some rows' classes, summed up.
#[derive(Clone, Copy)]
struct Part {
    /// Class entropy in bits.
    entropy: f64,
    weight: f64,
    /// Classes that occur.
    present: f64,
}

impl Part {
    fn of(classes: &[f64]) -> Part {
        let weight: f64 = classes.iter().sum();
        let present = classes.iter().filter(|&&n| n > 0.0).count() as f64;
        let sum: f64 = classes.iter().map(|&n| x_ln_x(n)).sum();
        let entropy = if weight > 0.0 { (weight.ln() - sum / weight) / LN_2 } else { 0.0 };
        Part { entropy: entropy.max(0.0), weight, present }
    }
}

/// True if every row at both values is of one and the same class: no best cut lies between them.
fn same_pure_class(a: &[f64], b: &[f64]) -> bool {
    let only = |weights: &[f64]| {
        let mut present = weights.iter().enumerate().filter(|(_, n)| **n > 0.0);
        match (present.next(), present.next()) {
            (Some((class, _)), None) => Some(class),
            _ => None,
        }
    };
    only(a).is_some() && only(a) == only(b)
}

/// Where to part a range of values, if parting pays for itself.
fn best_cut(points: &Points, part: Range<usize>) -> Option<usize> {
    let classes = points.classes();
    let mut right = vec![0.0; classes];
    for p in part.clone() {
        right.iter_mut().zip(points.weights(p)).for_each(|(r, n)| *r += n);
    }
    let whole = Part::of(&right);
    let mut left = vec![0.0; classes];
    let mut best: Option<(f64, usize, [Part; 2])> = None;
    for at in part.start + 1..part.end {
        for (c, n) in points.weights(at - 1).iter().enumerate() {
            left[c] += n;
            // What rounding leaves of fractional weights is no class that is present.
            let rest = right[c] - n;
            right[c] = if rest > 1e-9 * left[c] { rest } else { 0.0 };
        }
        if same_pure_class(points.weights(at - 1), points.weights(at)) {
            continue;
        }
        let parts = [Part::of(&left), Part::of(&right)];
        let split = parts.iter().map(|p| p.entropy * p.weight).sum::<f64>() / whole.weight;
        // A later cut must be better by more than rounding: ties go to the first.
        if best.as_ref().is_none_or(|b| split < b.0 - 1e-12) {
            best = Some((split, at, parts));
        }
    }
    let (split, at, [a, b]) = best?;
    let gain = whole.entropy - split;
    let coded = |p: Part| p.present * p.entropy;
    // log2(3^k - 2); from 40 classes on the 2 is lost in rounding, and 3^647 would not be finite.
    let k = whole.present;
    let labels = if k < 40.0 { (3f64.powf(k) - 2.0).log2() } else { k * 3f64.log2() };
    let cost = labels - (coded(whole) - coded(a) - coded(b));
    // Light rows may weigh less than 2 together: naming a cut never costs less than nothing.
    let enough = gain > ((whole.weight - 1.0).max(1.0).log2() + cost) / whole.weight;
    (whole.weight > 1.0 && enough).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers_classes: &[(f64, u32)], weight: f64) -> Points {
        let mut values: Vec<(f64, u32, f64)> =
            numbers_classes.iter().map(|&(number, class)| (number, class, weight)).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        Points::from_sorted(&values, 2)
    }

    #[test]
    fn a_clean_border_is_cut_once_in_the_middle() {
        let data: Vec<(f64, u32)> = (0..20).map(|i| (f64::from(i), u32::from(i >= 10))).collect();
        assert_eq!(cuts(&column(&data, 1.0)), [9.5]);
    }

    #[test]
    fn noise_is_not_cut() {
        let data: Vec<(f64, u32)> = (0..40u32).map(|i| (f64::from(i), i % 2)).collect();
        assert!(cuts(&column(&data, 1.0)).is_empty());
        assert!(cuts(&column(&[], 1.0)).is_empty());
        assert!(cuts(&column(&[(1.0, 0), (1.0, 1)], 1.0)).is_empty());
    }

    #[test]
    fn light_noise_is_not_cut_and_many_classes_are() {
        let noise: Vec<(f64, u32)> = (0..40u32).map(|i| (f64::from(i), i % 2)).collect();
        for total in [40.0, 2.0, 1.5, 1.1, 1.0001] {
            assert!(cuts(&column(&noise, total / 40.0)).is_empty(), "{total}");
        }
        let classes = 700;
        let values: Vec<(f64, u32, f64)> =
            (0..classes * 8).map(|i| (f64::from(i / 8), i / 8, 1.0)).collect();
        assert_eq!(cuts(&Points::from_sorted(&values, classes as usize)).len(), 699);
    }

    #[test]
    fn three_stripes_give_two_cuts() {
        let data: Vec<(f64, u32)> =
            (0..60).map(|i| (f64::from(i), u32::from((20..40).contains(&i)))).collect();
        assert_eq!(cuts(&column(&data, 1.0)), [19.5, 39.5]);
    }

    #[test]
    fn weight_two_is_the_row_twice() {
        let data: Vec<(f64, u32)> =
            (0..30).map(|i| (f64::from(i), u32::from(i % 7 > 2 || i > 18))).collect();
        let mut twice = data.clone();
        twice.extend(&data);
        assert_eq!(cuts(&column(&data, 2.0)), cuts(&column(&twice, 1.0)));
    }
}
