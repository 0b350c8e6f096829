//! The studentised range with infinite degrees of freedom: the range of independent standard normal variables.

use super::distribution::{invert_upper, normal_upper};

/// P(Q > q) for Q the range of `groups` independent standard normal variables: 1 - k * integral of
/// phi(z) (Phi(z) - Phi(z-q))^(k-1) dz.
///
/// Computed as k * integral of phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z-q))^(k-1)) dz, which is the same because
/// k phi Phi^(k-1) integrates to 1, and keeps its digits when the tail is tiny. NaN for fewer than two groups.
pub fn studentised_range_upper(q: f64, groups: usize) -> f64 {
    if groups < 2 || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        return 1.0;
    }
    let others = (groups - 1) as f64;
    let integrand = |z: f64| {
        let ln_below = ln_normal_lower(z);
        let share = normal_upper(q - z) / ln_below.exp();
        let density = (-z * z / 2.0).exp();
        density * (others * ln_below).exp() * -(others * (-share.min(1.0)).ln_1p()).exp_m1()
    };
    // The trapezoidal rule converges faster than any power of the step for such a function. Outside of the limits
    // phi alone makes it negligible; the largest of k variables lies near sqrt(2 ln k).
    const STEP: f64 = 1.0 / 32.0;
    let (from, to) = (-9.0, q + 9.0 + (2.0 * others.ln_1p()).sqrt());
    if to > 200.0 {
        return 0.0;
    }
    let points = ((to - from) / STEP) as usize;
    let sum: f64 = (0..=points).map(|i| integrand(from + STEP * i as f64)).sum();
    let scale = groups as f64 * STEP / std::f64::consts::TAU.sqrt();
    (sum * scale).min(1.0)
}

/// The value q with P(Q > q) = `upper` for the range of `groups` standard normal variables; NaN for fewer than two
/// groups or an `upper` outside of (0, 1).
pub fn studentised_range_quantile(upper: f64, groups: usize) -> f64 {
    if groups < 2 || !(upper > 0.0 && upper < 1.0) {
        return f64::NAN;
    }
    invert_upper(upper, 4.0, |q| studentised_range_upper(q, groups))
}

/// ln Phi(z), without rounding Phi to 1 first: it is raised to high powers.
fn ln_normal_lower(z: f64) -> f64 {
    if z > 0.0 { (-normal_upper(z)).ln_1p() } else { normal_upper(-z).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(ours: f64, theirs: f64, tolerance: f64) {
        assert!((ours - theirs).abs() <= tolerance * theirs.abs(), "{ours} and {theirs}");
    }

    /// The range of two is |N(0, 2)|: P(Q > q) = 2 P(Z > q / sqrt 2).
    #[test]
    fn two_groups_are_a_normal_difference() {
        for q in [0.01, 0.5, 2.0, 5.0, 12.0, 40.0] {
            let theirs = 2.0 * normal_upper(q / 2f64.sqrt());
            near(studentised_range_upper(q, 2), theirs, 1e-12);
        }
        near(studentised_range_quantile(0.05, 2) / 2f64.sqrt(), 1.959963984540054, 1e-14);
    }

    /// Critical values as in the usual tables (Demšar 2006), alpha 0.05 and 0.10.
    #[test]
    fn quantiles_equal_the_tables() {
        let table = [(2, 1.960, 1.645), (3, 2.343, 2.052), (5, 2.728, 2.459), (10, 3.164, 2.920)];
        for (k, five, ten) in table {
            let at = |alpha| studentised_range_quantile(alpha, k) / 2f64.sqrt();
            assert!((at(0.05) - five).abs() < 1e-3, "{k}: {}", at(0.05));
            assert!((at(0.10) - ten).abs() < 1e-3, "{k}: {}", at(0.10));
        }
    }

    #[test]
    fn any_argument_has_an_answer() {
        assert!(studentised_range_upper(1.0, 1).is_nan());
        assert!(studentised_range_upper(f64::NAN, 3).is_nan());
        assert_eq!(studentised_range_upper(f64::INFINITY, 3), 0.0);
        assert_eq!(studentised_range_upper(-1.0, 3), 1.0);
        assert!(studentised_range_quantile(0.0, 3).is_nan());
        assert!(studentised_range_quantile(f64::NAN, 3).is_nan());
        assert!(studentised_range_quantile(1e-300, 3) > 50.0);
        assert!(studentised_range_quantile(0.05, usize::MAX).is_finite());
        assert!(studentised_range_upper(1e-9, 1_000_000) <= 1.0);
    }
}
