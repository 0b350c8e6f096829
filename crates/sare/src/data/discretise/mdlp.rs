//! Fayyad and Irani's discretisation: recursive cuts of least class entropy, accepted by description length.

use super::{Value, midpoint};
use crate::num::x_ln_x;
use std::f64::consts::LN_2;

/// The weight of each class at one value.
struct Point {
    number: f64,
    classes: Vec<f64>,
}

/// The cut points of one column from its sorted values.
pub(super) fn cuts(values: &[Value], classes: usize) -> Vec<f64> {
    let mut points: Vec<Point> = Vec::new();
    for v in values {
        if points.last().is_none_or(|p| p.number < v.number) {
            points.push(Point { number: v.number, classes: vec![0.0; classes] });
        }
        let last = points.len() - 1;
        points[last].classes[v.class as usize] += v.weight;
    }
    points.retain(|p| p.classes.iter().any(|&n| n > 0.0));
    let mut found = Vec::new();
    // A stack instead of recursion: a hostile column could nest as deep as it has values.
    let mut open = vec![(0, points.len())];
    while let Some((from, to)) = open.pop() {
        if let Some(cut) = best_cut(&points[from..to], classes) {
            let at = from + cut;
            found.push(midpoint(points[at - 1].number, points[at].number));
            open.push((from, at));
            open.push((at, to));
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

/// True if every row of both points is of one and the same class: no best cut lies between them.
fn same_pure_class(a: &Point, b: &Point) -> bool {
    let only = |p: &Point| {
        let mut present = p.classes.iter().enumerate().filter(|(_, n)| **n > 0.0);
        match (present.next(), present.next()) {
            (Some((class, _)), None) => Some(class),
            _ => None,
        }
    };
    only(a).is_some() && only(a) == only(b)
}

/// Where to part the points, if parting pays for itself.
fn best_cut(points: &[Point], classes: usize) -> Option<usize> {
    let mut right = vec![0.0; classes];
    for p in points {
        right.iter_mut().zip(&p.classes).for_each(|(r, n)| *r += n);
    }
    let whole = Part::of(&right);
    let mut left = vec![0.0; classes];
    let mut best: Option<(f64, usize, [Part; 2])> = None;
    for at in 1..points.len() {
        for (c, n) in points[at - 1].classes.iter().enumerate() {
            left[c] += n;
            // What rounding leaves of fractional weights is no class that is present.
            let rest = right[c] - n;
            right[c] = if rest > 1e-9 * left[c] { rest } else { 0.0 };
        }
        if same_pure_class(&points[at - 1], &points[at]) {
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
    let cost = (3f64.powf(whole.present) - 2.0).log2() - (coded(whole) - coded(a) - coded(b));
    let enough = gain > ((whole.weight - 1.0).log2() + cost) / whole.weight;
    (whole.weight > 1.0 && enough).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers_classes: &[(f64, u32)]) -> Vec<Value> {
        let value = |&(number, class)| Value { number, class, weight: 1.0 };
        let mut v: Vec<Value> = numbers_classes.iter().map(value).collect();
        v.sort_by(|a, b| a.number.total_cmp(&b.number));
        v
    }

    #[test]
    fn a_clean_border_is_cut_once_in_the_middle() {
        let data: Vec<(f64, u32)> = (0..20).map(|i| (f64::from(i), u32::from(i >= 10))).collect();
        assert_eq!(cuts(&column(&data), 2), [9.5]);
    }

    #[test]
    fn noise_is_not_cut() {
        let data: Vec<(f64, u32)> = (0..40u32).map(|i| (f64::from(i), i % 2)).collect();
        assert!(cuts(&column(&data), 2).is_empty());
        assert!(cuts(&[], 2).is_empty());
        assert!(cuts(&column(&[(1.0, 0), (1.0, 1)]), 2).is_empty());
    }

    #[test]
    fn three_stripes_give_two_cuts() {
        let data: Vec<(f64, u32)> =
            (0..60).map(|i| (f64::from(i), u32::from((20..40).contains(&i)))).collect();
        assert_eq!(cuts(&column(&data), 2), [19.5, 39.5]);
    }

    #[test]
    fn weight_two_is_the_row_twice() {
        let data: Vec<(f64, u32)> =
            (0..30).map(|i| (f64::from(i), u32::from(i % 7 > 2 || i > 18))).collect();
        let mut twice = data.clone();
        twice.extend(&data);
        let mut heavy = column(&data);
        heavy.iter_mut().for_each(|v| v.weight = 2.0);
        assert_eq!(cuts(&heavy, 2), cuts(&column(&twice), 2));
    }
}
