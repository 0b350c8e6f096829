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

/// Entropy in bits, total weight and number of classes present.
type Summary = (f64, f64, f64);

fn summary(classes: &[f64]) -> Summary {
    let total: f64 = classes.iter().sum();
    let present = classes.iter().filter(|&&n| n > 0.0).count() as f64;
    let sum: f64 = classes.iter().map(|&n| x_ln_x(n)).sum();
    let entropy = if total > 0.0 { (total.ln() - sum / total) / LN_2 } else { 0.0 };
    (entropy.max(0.0), total, present)
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
    let (entropy, total, present) = summary(&right);
    let mut left = vec![0.0; classes];
    let mut best: Option<(f64, usize, [Summary; 2])> = None;
    for at in 1..points.len() {
        for (c, n) in points[at - 1].classes.iter().enumerate() {
            left[c] += n;
            right[c] -= n;
        }
        if same_pure_class(&points[at - 1], &points[at]) {
            continue;
        }
        let parts = [summary(&left), summary(&right)];
        let split = (parts[0].0 * parts[0].1 + parts[1].0 * parts[1].1) / total;
        // A later cut must be better by more than rounding: ties go to the first.
        if best.as_ref().is_none_or(|b| split < b.0 - 1e-12) {
            best = Some((split, at, parts));
        }
    }
    let (split, at, [a, b]) = best?;
    let gain = entropy - split;
    let classes_cost = (3f64.powf(present) - 2.0).log2();
    let cost = classes_cost - (present * entropy - a.2 * a.0 - b.2 * b.0);
    (total > 1.0 && gain > ((total - 1.0).log2() + cost) / total).then_some(at)
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
