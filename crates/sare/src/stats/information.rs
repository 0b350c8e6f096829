//! Entropy and information from counts, in nats (ALGORITHMS 2).

use super::family::FamilyTable;
use crate::num::x_ln_x;

/// The entropy of a distribution given by counts.
pub fn entropy(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let sum: f64 = counts.iter().map(|&n| x_ln_x(n)).sum();
    (total.ln() - sum / total).max(0.0)
}

/// I(row; column) of a table of counts with `columns` columns.
pub fn mutual_information(counts: &[f64], columns: usize) -> f64 {
    let rows: Vec<f64> = counts.chunks(columns).map(|r| r.iter().sum()).collect();
    let mut sums = vec![0.0; columns];
    for row in counts.chunks(columns) {
        sums.iter_mut().zip(row).for_each(|(s, n)| *s += n);
    }
    (entropy(&rows) + entropy(&sums) - entropy(counts)).max(0.0)
}

/// I(X; C) of a child without attribute parents and the class.
pub fn information_with_class(table: &FamilyTable) -> f64 {
    mutual_information(&table.values()[..table.cells() * table.classes()], table.classes())
}

/// I(parents; child | class) of a family counted by class.
pub fn conditional_information(table: &FamilyTable) -> f64 {
    let total = table.total();
    if total <= 0.0 {
        return 0.0;
    }
    let (configurations, states) = (table.configurations(), table.states());
    let mut sum = 0.0;
    for c in 0..table.classes() {
        let joint: Vec<f64> = (0..configurations * states)
            .map(|cell| table.values()[cell * table.classes() + c])
            .collect();
        sum += joint.iter().sum::<f64>() * mutual_information(&joint, states);
    }
    sum / total
}

/// I(parents; child) of a family, the class summed out.
pub fn pair_information(table: &FamilyTable) -> f64 {
    let summed = table.sum_over_classes();
    mutual_information(&summed.values()[..summed.cells()], summed.states())
}

/// The explaining-away residual I(parents; child | class) - I(parents; child).
pub fn explaining_away_residual(table: &FamilyTable) -> f64 {
    conditional_information(table) - pair_information(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};
    use std::f64::consts::LN_2;

    #[test]
    fn closed_forms() {
        assert!(close(entropy(&[5.0, 5.0]), LN_2, ROUNDING));
        assert_eq!(entropy(&[0.0, 7.0]), 0.0);
        assert_eq!(entropy(&[]), 0.0);
        assert!(close(mutual_information(&[5.0, 0.0, 0.0, 5.0], 2), LN_2, ROUNDING));
        assert!(mutual_information(&[1.0, 2.0, 2.0, 4.0], 2) < ROUNDING);
    }

    #[test]
    fn exclusive_or_is_all_explaining_away() {
        // child = parent xor class: nothing alone, everything together.
        let mut t = FamilyTable::zeros(2, 2, 2);
        for (p, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            *t.at_mut(p, p ^ c, c) = 10.0;
        }
        assert!(close(conditional_information(&t), LN_2, ROUNDING));
        assert!(pair_information(&t) < ROUNDING);
        assert!(close(explaining_away_residual(&t), LN_2, ROUNDING));
    }
}
