//! Tails of the usual distributions: accurate relative to their own size, and an answer (NaN if need be) for any
//! argument.

pub use super::studentised_range::{studentised_range_quantile, studentised_range_upper};

use super::incomplete_beta::incomplete_beta;
use statrs::function::gamma::checked_gamma_ur;

/// P(Z > z) of a standard normal variable.
pub fn normal_upper(z: f64) -> f64 {
    // Not from statrs: its erfc keeps ten digits only.
    0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(T > t) of Student's t with `freedom` degrees of freedom (normal if infinite); NaN if they are not positive.
///
/// I_x(freedom / 2, 1 / 2) / 2 for t > 0, with x = freedom / (freedom + t^2).
pub fn student_upper(t: f64, freedom: f64) -> f64 {
    if t.is_nan() || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if freedom.is_infinite() {
        return normal_upper(t);
    }
    let (square, all) = (t * t, freedom + t * t);
    let tail = 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / all, square / all);
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// P(X > x) of chi-square with `freedom` degrees of freedom; NaN if they are not positive and finite.
///
/// The regularised upper incomplete gamma function of freedom / 2 at x / 2; above 10^8 degrees of freedom the normal
/// approximation of Wilson and Hilferty to the cube root of x / freedom.
pub fn chi_square_upper(x: f64, freedom: f64) -> f64 {
    if x.is_nan() || !(freedom > 0.0 && freedom.is_finite()) {
        return f64::NAN;
    }
    if x <= 0.0 || x == f64::INFINITY {
        return f64::from(x <= 0.0);
    }
    // statrs loses its digits there, and at 10^300 or so it never returns.
    if freedom > 1e8 {
        let variance = 2.0 / (9.0 * freedom);
        return normal_upper(((x / freedom).cbrt() - (1.0 - variance)) / variance.sqrt());
    }
    // The checked form: the one of the distribution panics on some arguments that its constructor lets through.
    checked_gamma_ur(freedom / 2.0, x / 2.0).unwrap_or(f64::NAN)
}

/// P(X > x) of Fisher's F with these degrees of freedom; NaN if they are not positive and finite.
///
/// I_v(below / 2, above / 2), with v = below / (below + above x).
pub fn fisher_upper(x: f64, above: f64, below: f64) -> f64 {
    let positive = |freedom: f64| freedom > 0.0 && freedom.is_finite();
    if x.is_nan() || !positive(above) || !positive(below) {
        return f64::NAN;
    }
    let part = above * x.max(0.0);
    incomplete_beta(below / 2.0, above / 2.0, below / (below + part), part / (below + part))
}

/// The value that chi-square with `freedom` degrees of freedom exceeds with probability `upper`.
pub fn chi_square_quantile(upper: f64, freedom: f64) -> f64 {
    if !(freedom > 0.0 && upper > 0.0 && upper <= 1.0) {
        return f64::NAN;
    }
    invert_upper(upper, freedom.max(1.0), |x| chi_square_upper(x, freedom))
}

/// The positive value where a falling upper tail comes down to `upper`; `start` is a first guess above 0.
///
/// Bisection on the upper tail: exact to the last bits also where 1 - `upper` would round to 1.
pub(super) fn invert_upper(upper: f64, start: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, start);
    while tail(high) > upper {
        high *= 2.0;
    }
    while high - low > f64::EPSILON * high {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if tail(middle) > upper { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::tolerance::OTHER_PACKAGE;

    /// Relative: a tail probability may be tiny.
    fn near(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= OTHER_PACKAGE * theirs.abs(), "{ours} and {theirs}");
    }

    /// The right-hand sides were printed by SciPy 1.17.1.
    #[test]
    fn tails_equal_scipys() {
        near(normal_upper(1.0), 0.15865525393145707);
        near(normal_upper(6.5), 4.016000583859088e-11);
        near(normal_upper(0.3), 0.3820885778110474);
        near(student_upper(2.1, 4.0), 0.05182664315880109);
        near(student_upper(0.05, 17.5), 0.4803443245696189);
        near(student_upper(25.0, 9.0), 6.294725189495184e-10);
        near(chi_square_upper(3.2, 2.0), 0.2018965179946554);
        near(chi_square_upper(120.5, 60.0), 6.020534454629626e-06);
        near(fisher_upper(2.5, 3.0, 21.0), 0.08736945343994498);
        near(fisher_upper(40.0, 2.0, 11.0), 8.972885183991718e-06);
        near(chi_square_quantile(0.05, 6.0), 12.59158724374398);
        near(chi_square_quantile(1e-6, 3.0), 30.664849706213598);
        near(normal_upper(37.0), 5.725571222524577e-300);
        near(student_upper(1e-6, 1e6), 0.49999960105769303);
        near(fisher_upper(1e8, 50.0, 3.0), 1.402586093988937e-12);
        assert!(student_upper(1.0, 0.0).is_nan());
    }

    #[test]
    fn any_argument_has_an_answer() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, -1.0, 1e-320, 1e300, 2.0];
        let probability = |p: f64| p.is_nan() || (0.0..=1.0).contains(&p);
        for x in odd {
            assert!(probability(normal_upper(x)));
            for a in odd {
                assert!(probability(student_upper(x, a)), "t {x} {a}");
                assert!(probability(chi_square_upper(x, a)), "chi {x} {a}");
                for b in odd {
                    assert!(probability(fisher_upper(x, a, b)), "F {x} {a} {b}");
                }
            }
        }
        let (at, over) = (chi_square_upper(1e8, 1e8), chi_square_upper(1e8 + 10.0, 1e8 + 10.0));
        assert!(
            (at - over).abs() < 1e-7,
            "the approximation continues the exact value: {at} and {over}"
        );
        assert_eq!(student_upper(f64::INFINITY, 3.0), 0.0);
        assert_eq!(fisher_upper(f64::INFINITY, 3.0, 4.0), 0.0);
        assert_eq!(chi_square_upper(f64::INFINITY, 3.0), 0.0);
    }
}
