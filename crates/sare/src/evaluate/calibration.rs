//! Do probabilities mean what they say? The confidence of predicted classes beside how often they are right.

use serde::{Deserialize, Serialize};

/// Bins of each kind.
const BINS: usize = 10;

/// Rows of similar confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// The least confidence that falls into the bin.
    pub low: f64,
    /// The confidence at which the next bin begins.
    pub high: f64,
    /// The mean probability given to the predicted class.
    pub confidence: f64,
    /// The share predicted right.
    pub accuracy: f64,
    /// The weight of the rows.
    pub weight: f64,
}

/// How well confidence and accuracy agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The expected calibration error over bins of equal width: the mean of |accuracy - confidence| by weight.
    pub error_by_width: f64,
    /// The same over bins of equal weight.
    pub error_by_count: f64,
    /// The bins of equal width that hold rows.
    pub bins: Vec<ReliabilityBin>,
}

impl Calibration {
    /// From the confidence of each predicted class, whether it was right, and the row's weight. Sorts the rows.
    pub fn of(rows: &mut [(f64, bool, f64)]) -> Calibration {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = rows.iter().map(|r| r.2).sum();
        let mut by_width = vec![Sum::default(); BINS];
        let mut by_count = vec![Sum::default(); BINS];
        let mut seen = 0.0;
        for ties in rows.chunk_by(|a, b| a.0 == b.0) {
            let weight: f64 = ties.iter().map(|r| r.2).sum();
            let of_width = ((ties[0].0 * BINS as f64) as usize).min(BINS - 1);
            // Rows of equal confidence stay together, in the bin of their middle.
            let middle = (seen + weight / 2.0) / total;
            let of_count = ((middle * BINS as f64) as usize).min(BINS - 1);
            for row in ties {
                by_width[of_width].add(row);
                by_count[of_count].add(row);
            }
            seen += weight;
        }
        Calibration {
            error_by_width: error(&by_width, total),
            error_by_count: error(&by_count, total),
            bins: (0..BINS)
                .filter(|&b| by_width[b].weight > 0.0)
                .map(|b| by_width[b].bin(b))
                .collect(),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    confidence: f64,
    right: f64,
    weight: f64,
}

impl Sum {
    fn add(&mut self, row: &(f64, bool, f64)) {
        self.confidence += row.0 * row.2;
        self.right += if row.1 { row.2 } else { 0.0 };
        self.weight += row.2;
    }

    fn bin(&self, number: usize) -> ReliabilityBin {
        ReliabilityBin {
            low: number as f64 / BINS as f64,
            high: (number + 1) as f64 / BINS as f64,
            confidence: self.confidence / self.weight,
            accuracy: self.right / self.weight,
            weight: self.weight,
        }
    }
}

fn error(bins: &[Sum], total: f64) -> f64 {
    bins.iter().map(|s| (s.right - s.confidence).abs()).sum::<f64>() / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};

    #[test]
    fn honest_and_boastful() {
        let mut honest: Vec<(f64, bool, f64)> = (0..100).map(|i| (0.8, i < 80, 1.0)).collect();
        assert!(Calibration::of(&mut honest).error_by_width < ROUNDING);
        let mut boastful: Vec<(f64, bool, f64)> = (0..100).map(|i| (0.95, i < 60, 1.0)).collect();
        let c = Calibration::of(&mut boastful);
        assert!(close(c.error_by_width, 0.35, ROUNDING) && close(c.error_by_count, 0.35, ROUNDING));
        assert_eq!(c.bins.len(), 1);
    }

    #[test]
    fn bins_of_equal_count_follow_the_rows() {
        // Half of the rows at 0.52 and always right, half at 0.58 and never: one bin by width, two by count.
        let mut rows: Vec<(f64, bool, f64)> =
            (0..40).map(|i| if i < 20 { (0.52, true, 1.0) } else { (0.58, false, 1.0) }).collect();
        let c = Calibration::of(&mut rows);
        assert!(close(c.error_by_width, (0.5f64 - 0.55).abs(), ROUNDING));
        assert!(close(c.error_by_count, (0.48 + 0.58) / 2.0, ROUNDING));
    }
}
