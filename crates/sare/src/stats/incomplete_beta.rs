//! The regularised incomplete beta function, accurate relative to its own size also far out in the tail.
//!
//! `statrs` takes one argument x and forms 1 - x itself, which loses the digits of a tail (F) or of a value near
//! 1 (t); its lnGamma differences lose digits where a + b is large. Here the caller gives both x and 1 - x.

use crate::num::ln_gamma;

/// ln(2 pi) / 2.
const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// I_x(a, b) = 1 / B(a, b) * integral from 0 to x of t^(a-1) (1-t)^(b-1) dt, with `y` = 1 - x.
///
/// For finite a, b > 0; 0 where `x` is not positive, else 1 where `y` is not.
pub(super) fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    // The fraction converges quickly below about the mean a / (a + b); above it the mirror image is used.
    let value = if x < (a + 1.0) / (a + b + 2.0) {
        ln_power(a, b, x, y).exp() / (a * fraction(a, b, x))
    } else {
        1.0 - ln_power(b, a, y, x).exp() / (b * fraction(b, a, y))
    };
    // Rounding, or arguments near the ends of the number range, may step outside.
    value.clamp(0.0, 1.0)
}

/// ln(x^a y^b / B(a, b)), arranged so that nothing large cancels.
///
/// With lnGamma(s) = (s - 1/2) ln s - s + ln(2 pi) / 2 + r(s) it is a ln(x (a+b) / a) + b ln(y (a+b) / b)
/// + ln(a b / (a+b)) / 2 - ln(2 pi) / 2 + r(a+b) - r(a) - r(b).
fn ln_power(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let sum = a + b;
    let away = x * b - y * a;
    let halves = (a.ln() + b.ln() - sum.ln()) / 2.0 - HALF_LN_TWO_PI;
    let powers = a * ln_ratio(x * sum / a, away / a) + b * ln_ratio(y * sum / b, -away / b);
    powers + halves + remainder(sum) - remainder(a) - remainder(b)
}

/// ln `ratio`, where `over` = `ratio` - 1 is known better than by that subtraction when the ratio is near 1.
fn ln_ratio(ratio: f64, over: f64) -> f64 {
    if over.abs() < 0.5 { over.ln_1p() } else { ratio.ln() }
}

/// lnGamma(s) less the main terms of Stirling's formula, (s - 1/2) ln s - s + ln(2 pi) / 2.
fn remainder(s: f64) -> f64 {
    if s < 10.0 {
        return ln_gamma(s) - ((s - 0.5) * s.ln() - s + HALF_LN_TWO_PI);
    }
    // B_2n / (2n (2n-1) s^(2n-1)); the first term left out is below 1e-15 from s = 10 on.
    let terms =
        [1.0 / 156.0, -691.0 / 360_360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0];
    let inverse_square = 1.0 / (s * s);
    terms.iter().fold(0.0, |series, term| (series + term) * inverse_square) / s + 1.0 / (12.0 * s)
}

/// 1 + d1 / (1 + d2 / (1 + ...)), the denominator of the continued fraction of I_x(a, b) (DLMF 8.17.22), with
/// d(2m) = m (b-m) x / ((a+2m-1)(a+2m)) and d(2m+1) = -(a+m)(a+b+m) x / ((a+2m)(a+2m+1)); by Lentz's method.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    // About sqrt(max(a, b)) rounds are needed; this bounds the time for absurd arguments.
    const ROUNDS: u32 = 1_000_000;
    let (mut value, mut above, mut below) = (1.0, 1.0, 0.0);
    let mut step = |d: f64| {
        below = 1.0 / away_from_zero(1.0 + d * below);
        above = away_from_zero(1.0 + d / above);
        value *= above * below;
        (value, above * below)
    };
    let (mut result, _) = step(-(a + b) * x / (a + 1.0));
    for m in 1..ROUNDS {
        let m = f64::from(m);
        let (_, first) = step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)));
        let (latest, second) =
            step(-(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)));
        result = latest;
        // Both: one step alone may stand still without the fraction having converged.
        if (first - 1.0).abs() <= f64::EPSILON && (second - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    result
}

/// The value, or something tiny in place of 0, which Lentz's method would divide by.
fn away_from_zero(value: f64) -> f64 {
    if value.abs() < 1e-290 { 1e-290 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::ROUNDING;

    #[test]
    fn closed_forms() {
        for x in [1e-9, 0.01, 0.3, 0.5, 0.77, 0.999] {
            let y = 1.0 - x;
            for a in [0.5, 1.0, 3.25, 40.0, 1e5] {
                let (ours, theirs) = (incomplete_beta(a, 1.0, x, y), x.powf(a));
                assert!((ours - theirs).abs() <= 1e-11 * theirs, "{a} {x}: {ours} and {theirs}");
            }
            let arcsine = 2.0 / std::f64::consts::PI * x.sqrt().asin();
            assert!((incomplete_beta(0.5, 0.5, x, y) / arcsine - 1.0).abs() < ROUNDING);
            let (below, above) = (incomplete_beta(7.5, 2.5, x, y), incomplete_beta(2.5, 7.5, y, x));
            assert!((below + above - 1.0).abs() < ROUNDING);
        }
        assert_eq!(incomplete_beta(2.0, 3.0, 0.0, 1.0), 0.0);
        assert_eq!(incomplete_beta(2.0, 3.0, 1.0, 0.0), 1.0);
    }
}
