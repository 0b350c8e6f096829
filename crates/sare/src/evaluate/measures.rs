//! How good predictions are (ALGORITHMS 12).

use super::auc::area;
use super::calibration::Calibration;
use crate::classify::CostMatrix;
use crate::error::{Error, Result};
use crate::num::{LN_ZERO, class_probabilities, first_max, log_sum_exp, winner};
use serde::{Deserialize, Serialize};

/// Log-odds nearer than one over this are equal.
const GRID: f64 = 1e9;

/// What was predicted for some rows of known class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Predictions {
    classes: usize,
    truth: Vec<u32>,
    weights: Vec<f64>,
    /// How many cases each row stands for.
    cases: Vec<u64>,
    /// ln p(class, attributes), rows x classes.
    log_joint: Vec<f64>,
}

impl Predictions {
    /// No rows yet.
    pub fn new(classes: usize) -> Predictions {
        Predictions { classes, ..Predictions::default() }
    }

    /// Adds a row that stands for some cases, which weigh so much together.
    pub fn push(&mut self, truth: usize, weight: f64, cases: u64, log_joint: &[f64]) {
        self.truth.push(truth as u32);
        self.weights.push(weight);
        self.cases.push(cases);
        self.log_joint.extend_from_slice(log_joint);
    }

    /// Adds the rows of others.
    pub fn extend(&mut self, others: &Predictions) {
        self.truth.extend(&others.truth);
        self.weights.extend(&others.weights);
        self.cases.extend(&others.cases);
        self.log_joint.extend(&others.log_joint);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.truth.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.truth.is_empty()
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.log_joint[row * self.classes..][..self.classes]
    }

    /// The posterior probabilities of a row.
    pub fn posteriors(&self, row: usize) -> Vec<f64> {
        let mut posteriors = self.row(row).to_vec();
        class_probabilities(&mut posteriors);
        posteriors
    }

    /// The log-odds of every class of every row against the rest, rows x classes.
    fn log_odds(&self) -> Vec<f64> {
        (0..self.len()).flat_map(|r| log_odds(self.row(r))).collect()
    }

    /// Each row's log-odds of one class, whether that is its true class, and its weight.
    pub fn against(&self, class: usize) -> Vec<(f64, bool, f64)> {
        self.against_by(&self.log_odds(), class)
    }

    fn against_by(&self, odds: &[f64], class: usize) -> Vec<(f64, bool, f64)> {
        let one = |r: usize| {
            let score = odds[r * self.classes + class];
            (score, self.truth[r] as usize == class, self.weights[r])
        };
        (0..self.len()).map(one).collect()
    }

    /// Every measure of these predictions; decisions are those of least expected cost where costs are given.
    pub fn measures(&self, costs: Option<&CostMatrix>) -> Measures {
        let mut sums = Sums::new(self.classes);
        let mut confidences = Vec::with_capacity(self.len());
        for r in 0..self.len() {
            let posteriors = self.posteriors(r);
            let truth = self.truth[r] as usize;
            let decision = match costs {
                Some(costs) => costs.decide(&posteriors).0,
                None => winner(self.row(r)),
            };
            sums.add(truth, decision, &posteriors, self.row(r), self.weights[r]);
            sums.count(self.cases[r], self.weights[r]);
            sums.cost += costs.map_or(0.0, |m| self.weights[r] * m.cost(truth, decision));
            confidences.push((posteriors[decision], truth == decision, self.weights[r]));
        }
        let (auc, auc_weighted) = self.areas();
        sums.finish(auc, auc_weighted, Calibration::of(&mut confidences), costs.is_some())
    }

    /// The areas under the ROC curves of every class against the rest: their mean, and their mean by the weight of the
    /// classes. NaN if no class has rows on both sides. Two classes share one curve.
    fn areas(&self) -> (f64, f64) {
        let (mut sum, mut count, mut weighted, mut weight) = (0.0, 0.0, 0.0, 0.0);
        let odds = self.log_odds();
        for class in 0..if self.classes == 2 { 1 } else { self.classes } {
            let mut rows = self.against_by(&odds, class);
            let own: f64 = rows.iter().filter(|r| r.1).map(|r| r.2).sum();
            let auc = area(&mut rows);
            if !auc.is_nan() {
                sum += auc;
                count += 1.0;
                weighted += own * auc;
                weight += own;
            }
        }
        (sum / count, weighted / weight)
    }
}

/// The log-odds of every class against the rest. Not probabilities: they round to 1 long before they round to 0, and rows
/// that differ would tie. Rounded, so that the same terms summed in another order are the same score.
fn log_odds(row: &[f64]) -> Vec<f64> {
    let best = first_max(row);
    let parts: Vec<f64> = row.iter().map(|x| (x - row[best]).exp()).collect();
    let whole: f64 = parts.iter().sum();
    let others: Vec<f64> = (0..row.len()).filter(|&c| c != best).map(|c| row[c]).collect();
    let odds = |c: usize| {
        // The best class's part is 1, so nothing is lost in taking another off the sum.
        let rest =
            if c == best { log_sum_exp(&others) } else { row[best] + (whole - parts[c]).ln() };
        ((row[c] - rest) * GRID).round() / GRID
    };
    (0..row.len()).map(odds).collect()
}

/// Measures of some predictions. Sums are over rows by weight; shares and means are divided by the total weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Cases: rows, or the sum of their weights where these are whole numbers.
    pub rows: usize,
    /// Their total weight.
    pub weight: f64,
    /// How many cases of equal weight would tell as much: the square of the total weight over the sum of the cases' squared
    /// weights (Kish 1965).
    #[serde(default)]
    pub effective_cases: f64,
    /// The share predicted right.
    pub accuracy: f64,
    /// The share predicted wrong.
    pub error: f64,
    /// Conditional log-likelihood: the sum of ln p(true class | row); -inf if a true class got probability 0.
    #[serde(with = "null_is_never")]
    pub cll: f64,
    /// Log-likelihood: the sum of ln p(true class, row).
    #[serde(with = "null_is_never")]
    pub ll: f64,
    /// Expected error: the sum of 1 - p(true class | row).
    pub ae: f64,
    /// Squared error: the sum of (1 - p(true class | row))^2.
    pub se: f64,
    /// The mean over rows of the squared distance of the probabilities from the truth.
    pub brier: f64,
    /// Area under the ROC curve; for more than two classes the mean of each against the rest.
    #[serde(with = "null_is_unknown")]
    pub auc: f64,
    /// The same, the mean weighted by the classes.
    #[serde(with = "null_is_unknown")]
    pub auc_weighted: f64,
    /// How well confidence and accuracy agree.
    pub calibration: Calibration,
    /// The mean cost of the decisions, where costs are given.
    pub cost: Option<f64>,
    /// Weight of the rows by true class (outer) and predicted class.
    pub confusion: Vec<Vec<f64>>,
    /// Weight of the rows whose true class got probability 0.
    pub impossible: f64,
}

impl Measures {
    /// Of the rows predicted as a class, the share that is; NaN if none is predicted so.
    pub fn precision(&self, class: usize) -> f64 {
        self.confusion[class][class] / self.confusion.iter().map(|row| row[class]).sum::<f64>()
    }

    /// Of the rows of a class, the share predicted so; NaN if there is none.
    pub fn recall(&self, class: usize) -> f64 {
        self.confusion[class][class] / self.confusion[class].iter().sum::<f64>()
    }
}

/// A measure by name.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Whether more of it is better.
    pub larger_is_better: bool,
    /// Whether it is a share, shown as a percentage.
    pub share: bool,
    /// How it is got.
    pub value: fn(&Measures) -> f64,
}

/// The measures that can be asked for.
pub const MEASURES: [Measure; 12] = [
    measure("accuracy", "share predicted right", true, true, |m| m.accuracy),
    measure("error", "share predicted wrong", false, true, |m| m.error),
    measure("cll", "mean of ln p(true class | row)", true, false, |m| m.cll / m.weight),
    measure("ll", "mean of ln p(true class, row)", true, false, |m| m.ll / m.weight),
    measure("ae", "expected error: mean of 1 - p(true class | row)", false, false, |m| {
        m.ae / m.weight
    }),
    measure("se", "squared error: mean of (1 - p(true class | row))^2", false, false, |m| {
        m.se / m.weight
    }),
    measure("brier", "mean squared distance of the probabilities", false, false, |m| m.brier),
    measure(
        "auc",
        "area under the ROC curve; of several classes, the mean against the rest",
        true,
        false,
        |m| m.auc,
    ),
    measure("auc-weighted", "the same, weighted by the classes", true, false, |m| m.auc_weighted),
    measure(
        "calibration",
        "expected calibration error over 10 bins of equal width",
        false,
        false,
        |m| m.calibration.error_by_width,
    ),
    measure("calibration-count", "the same over 10 bins of equal count", false, false, |m| {
        m.calibration.error_by_count
    }),
    measure("cost", "mean cost of the decisions", false, false, |m| m.cost.unwrap_or(f64::NAN)),
];

const fn measure(
    name: &'static str,
    help: &'static str,
    larger_is_better: bool,
    share: bool,
    value: fn(&Measures) -> f64,
) -> Measure {
    Measure { name, help, larger_is_better, share, value }
}

impl Measure {
    /// The measure of this name.
    pub fn named(name: &str) -> Result<Measure> {
        let found = MEASURES.iter().find(|m| m.name == name).copied();
        found.ok_or_else(|| Error::unknown("measure", name, MEASURES.iter().map(|m| m.name)))
    }
}

/// JSON has neither -inf nor NaN: both are written as null.
macro_rules! nullable {
    ($name:ident, $null:expr, $doc:literal) => {
        #[doc = $doc]
        mod $name {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            pub(super) fn serialize<S: Serializer>(
                x: &f64,
                s: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                x.is_finite().then_some(*x).serialize(s)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                d: D,
            ) -> std::result::Result<f64, D::Error> {
                Ok(Option::<f64>::deserialize(d)?.unwrap_or($null))
            }
        }
    };
}

nullable!(null_is_never, f64::NEG_INFINITY, "A logarithm, where null is ln 0.");
nullable!(null_is_unknown, f64::NAN, "A number, where null is no number.");

struct Sums {
    cases: u64,
    squares: f64,
    cll: f64,
    ll: f64,
    ae: f64,
    se: f64,
    brier: f64,
    cost: f64,
    impossible: f64,
    confusion: Vec<Vec<f64>>,
}

impl Sums {
    fn new(classes: usize) -> Sums {
        let confusion = vec![vec![0.0; classes]; classes];
        let (cll, ll, ae, se, brier, cost, impossible) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        Sums { cases: 0, squares: 0.0, cll, ll, ae, se, brier, cost, impossible, confusion }
    }

    fn add(&mut self, truth: usize, decision: usize, p: &[f64], log_joint: &[f64], weight: f64) {
        let own = p[truth];
        let distance = |(c, p): (usize, &f64)| (p - f64::from(u8::from(c == truth))).powi(2);
        self.confusion[truth][decision] += weight;
        self.ae += weight * (1.0 - own);
        self.se += weight * (1.0 - own).powi(2);
        self.brier += weight * p.iter().enumerate().map(distance).sum::<f64>();
        let ln = log_joint[truth] - log_sum_exp(log_joint);
        // The floor that stands for ln 0 in the tables shows through: the true class is impossible.
        if ln < LN_ZERO / 2.0 {
            self.impossible += weight;
        }
        let or_never = |x: f64| if x < LN_ZERO / 2.0 { f64::NEG_INFINITY } else { x };
        if weight > 0.0 {
            self.cll += weight * or_never(ln);
            self.ll += weight * or_never(log_joint[truth]);
        }
    }

    fn count(&mut self, cases: u64, weight: f64) {
        self.cases += cases;
        self.squares += weight * weight / cases as f64;
    }

    fn finish(
        self,
        auc: f64,
        auc_weighted: f64,
        calibration: Calibration,
        costs: bool,
    ) -> Measures {
        let weight: f64 = self.confusion.iter().flatten().sum();
        let right: f64 = (0..self.confusion.len()).map(|c| self.confusion[c][c]).sum();
        Measures {
            rows: self.cases as usize,
            weight,
            effective_cases: weight * weight / self.squares,
            accuracy: right / weight,
            error: 1.0 - right / weight,
            cll: self.cll,
            ll: self.ll,
            ae: self.ae,
            se: self.se,
            brier: self.brier / weight,
            auc,
            auc_weighted,
            calibration,
            cost: costs.then_some(self.cost / weight),
            confusion: self.confusion,
            impossible: self.impossible,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::{ROUNDING, close};

    /// Four rows by hand: probabilities of class 0 of 0.8, 0.6, 0.3 and 0.5; truths 0, 1, 1, 0.
    fn four() -> Predictions {
        let mut p = Predictions::new(2);
        for (own, truth) in [(0.8f64, 0), (0.6, 1), (0.3, 1), (0.5, 0)] {
            // Any common factor is p(attributes).
            p.push(truth, 1.0, 1, &[own.ln() - 2.0, (1.0 - own).ln() - 2.0]);
        }
        p
    }

    #[test]
    fn measures_by_hand() {
        let m = four().measures(None);
        let near = |a: f64, b: f64| assert!(close(a, b, ROUNDING), "{a} {b}");
        near(m.accuracy, 0.75);
        near(m.error, 0.25);
        let cll = 0.8f64.ln() + 0.4f64.ln() + 0.7f64.ln() + 0.5f64.ln();
        near(m.cll, cll);
        near(m.ll, cll - 8.0);
        near(m.ae, 0.2 + 0.6 + 0.3 + 0.5);
        near(m.se, 0.04 + 0.36 + 0.09 + 0.25);
        near(m.brier, 2.0 * m.se / 4.0);
        // Of the four pairs of a row of each class, three are in order.
        near(m.auc, 0.75);
        near(m.precision(0), 2.0 / 3.0);
        near(m.recall(0), 1.0);
        near(m.recall(1), 0.5);
        assert_eq!(m.confusion, [[2.0, 0.0], [1.0, 1.0]]);
        assert_eq!(m.cost, None);
    }

    #[test]
    fn costs_change_the_decisions() {
        let costs = CostMatrix::new(2, vec![0.0, 1.0, 10.0, 0.0]).unwrap();
        let m = four().measures(Some(&costs));
        // Class 0 is decided only above 10/11: never here.
        assert_eq!(m.confusion, [[0.0, 2.0], [0.0, 2.0]]);
        assert!(close(m.cost.unwrap(), 0.5, ROUNDING));
    }

    #[test]
    fn weight_two_is_the_row_twice() {
        let (mut heavy, mut twice) = (Predictions::new(2), Predictions::new(2));
        for (own, truth) in [(0.8f64, 0), (0.6, 1), (0.3, 1)] {
            let row = [own.ln(), (1.0 - own).ln()];
            heavy.push(truth, 2.0, 2, &row);
            twice.push(truth, 1.0, 1, &row);
            twice.push(truth, 1.0, 1, &row);
        }
        let (a, b) = (heavy.measures(None), twice.measures(None));
        assert_eq!(a.confusion, b.confusion);
        assert_eq!((a.rows, a.effective_cases), (b.rows, b.effective_cases));
        for (x, y) in [(a.cll, b.cll), (a.auc, b.auc), (a.brier, b.brier), (a.se, b.se)] {
            assert!(close(x, y, ROUNDING));
        }
        assert!(close(a.calibration.error_by_count, b.calibration.error_by_count, ROUNDING));
    }

    #[test]
    fn an_impossible_truth_is_minus_infinity() {
        let mut p = four();
        p.push(1, 1.0, 1, &[-1.0, LN_ZERO]);
        let m = p.measures(None);
        assert_eq!((m.cll, m.impossible), (f64::NEG_INFINITY, 1.0));
        let text = serde_json::to_string(&m).unwrap();
        assert_eq!(serde_json::from_str::<Measures>(&text).unwrap().cll, f64::NEG_INFINITY);
    }
}
