//! Many tests at once.

/// Holm's step-down adjustment: with p_(1) <= ... <= p_(m), the adjusted p_(i) is the greatest of
/// min(1, (m - j + 1) p_(j)) over j <= i. Rejecting those at most alpha keeps the probability of any false rejection
/// at most alpha.
///
/// In the order given. A NaN (a test that could not be done) stays NaN and is not counted in m; values outside of
/// [0, 1] are taken as the nearer end.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|&i| !p_values[i].is_nan()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![f64::NAN; p_values.len()];
    let mut greatest: f64 = 0.0;
    for (before, &at) in order.iter().enumerate() {
        let left = (order.len() - before) as f64;
        greatest = greatest.max((left * p_values[at]).min(1.0));
        adjusted[at] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_down_and_never_falls() {
        // 4 * 0.01; 3 * 0.02; 2 * 0.029 = 0.058 is held at 0.06; 0.5 stays.
        assert_eq!(holm(&[0.5, 0.01, 0.029, 0.02]), [0.5, 0.04, 0.06, 0.06]);
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert_eq!(holm(&[0.03]), [0.03]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn tests_that_were_not_done_do_not_count() {
        let adjusted = holm(&[f64::NAN, 0.01, 0.04]);
        assert!(adjusted[0].is_nan());
        assert_eq!(adjusted[1..], [0.02, 0.04]);
        assert_eq!(holm(&[-1.0, f64::INFINITY]), [0.0, 1.0]);
    }
}
