//! The area under the ROC curve, and the curve.

/// One row: its score, whether it is positive, its weight.
pub type Scored = (f64, bool, f64);

/// The probability that a positive row has the higher score than a negative one, a tie counting half; NaN if either kind
/// is missing. Sorts the rows by score.
pub fn area(rows: &mut [Scored]) -> f64 {
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut positives, mut sum) = (0.0, 0.0, 0.0);
    for ties in rows.chunk_by(|a, b| a.0 == b.0) {
        let weight = |kind: bool| ties.iter().filter(|r| r.1 == kind).map(|r| r.2).sum::<f64>();
        let (plus, minus) = (weight(true), weight(false));
        sum += plus * (below + 0.5 * minus);
        below += minus;
        positives += plus;
    }
    sum / (positives * below)
}

/// The curve from (0, 0) to (1, 1): false-positive rate and true-positive rate at every threshold.
pub fn roc(rows: &mut [Scored]) -> Vec<(f64, f64)> {
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let total = |kind: bool| rows.iter().filter(|r| r.1 == kind).map(|r| r.2).sum::<f64>();
    let (positives, negatives) = (total(true), total(false));
    let (mut plus, mut minus) = (0.0, 0.0);
    let mut curve = vec![(0.0, 0.0)];
    for ties in rows.chunk_by(|a, b| a.0 == b.0) {
        for (_, positive, weight) in ties {
            if *positive { plus += weight } else { minus += weight }
        }
        curve.push((minus / negatives, plus / positives));
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn perfect_useless_and_reversed() {
        let rows = |scores: [f64; 4]| -> Vec<Scored> {
            scores.iter().enumerate().map(|(i, &s)| (s, i >= 2, 1.0)).collect()
        };
        assert_eq!(area(&mut rows([0.1, 0.2, 0.3, 0.4])), 1.0);
        assert_eq!(area(&mut rows([0.5, 0.5, 0.5, 0.5])), 0.5);
        assert_eq!(area(&mut rows([0.4, 0.3, 0.2, 0.1])), 0.0);
        assert!(area(&mut [(0.3, true, 1.0)]).is_nan());
    }

    proptest! {
        #[test]
        fn the_area_counts_pairs(rows in prop::collection::vec((0u8..6, any::<bool>(), 1u8..4), 1..40)) {
            let mut rows: Vec<Scored> =
                rows.into_iter().map(|(s, p, w)| (f64::from(s) / 6.0, p, f64::from(w))).collect();
            let (mut sum, mut pairs) = (0.0, 0.0);
            for p in rows.iter().filter(|r| r.1) {
                for n in rows.iter().filter(|r| !r.1) {
                    let better = if p.0 > n.0 { 1.0 } else if p.0 == n.0 { 0.5 } else { 0.0 };
                    sum += p.2 * n.2 * better;
                    pairs += p.2 * n.2;
                }
            }
            let ours = area(&mut rows);
            if pairs == 0.0 {
                prop_assert!(ours.is_nan());
            } else {
                prop_assert!((ours - sum / pairs).abs() < 1e-12);
                // The trapezes under the curve are the same area.
                let curve = roc(&mut rows);
                let under: f64 =
                    curve.windows(2).map(|w| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) / 2.0).sum();
                prop_assert!((ours - under).abs() < 1e-12);
            }
        }
    }
}
