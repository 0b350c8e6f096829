//! Tails of the usual distributions, from `statrs`.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// P(Z > z) of a standard normal variable.
pub fn normal_upper(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// P(T > t) of Student's t with `freedom` degrees of freedom; NaN if they are not positive.
pub fn student_upper(t: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |d| d.sf(t))
}

/// P(X > x) of chi-square with `freedom` degrees of freedom; NaN if they are not positive.
pub fn chi_square_upper(x: f64, freedom: f64) -> f64 {
    ChiSquared::new(freedom).map_or(f64::NAN, |d| d.sf(x))
}

/// P(X > x) of Fisher's F with these degrees of freedom; NaN if they are not positive.
pub fn fisher_upper(x: f64, above: f64, below: f64) -> f64 {
    FisherSnedecor::new(above, below).map_or(f64::NAN, |d| d.sf(x))
}

/// The value that chi-square with `freedom` degrees of freedom exceeds with probability `upper`.
///
/// Bisection on the upper tail: exact to the last bits also where 1 - `upper` would round to 1.
pub fn chi_square_quantile(upper: f64, freedom: f64) -> f64 {
    if !(freedom > 0.0 && upper > 0.0 && upper <= 1.0) {
        return f64::NAN;
    }
    let (mut low, mut high) = (0.0, freedom.max(1.0));
    while chi_square_upper(high, freedom) > upper {
        high *= 2.0;
    }
    while high - low > f64::EPSILON * high {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if chi_square_upper(middle, freedom) > upper { low = middle } else { high = middle }
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
        assert!(student_upper(1.0, 0.0).is_nan());
    }
}
