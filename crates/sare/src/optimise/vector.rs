//! Sums over long vectors, in an order that is fixed.

/// As many sums are kept side by side, so that they need not wait for each other.
const LANES: usize = 8;

/// sum a_i b_i.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (a, b) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The length of a vector.
pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The largest entry, whatever its sign; 0 for none.
pub(super) fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |top, v| v.abs().max(top))
}

/// a += factor b.
pub(super) fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// sum s_i a_i b_i, where no scale stands for ones.
pub(super) fn scaled_dot(scale: Option<&[f64]>, a: &[f64], b: &[f64]) -> f64 {
    match scale {
        None => dot(a, b),
        Some(scale) => scale.iter().zip(a).zip(b).map(|((s, a), b)| s * a * b).sum(),
    }
}

/// a_i = factor s_i a_i, where no scale stands for ones.
pub(super) fn rescale(scale: Option<&[f64]>, factor: f64, a: &mut [f64]) {
    match scale {
        None => a.iter_mut().for_each(|a| *a *= factor),
        Some(scale) => a.iter_mut().zip(scale).for_each(|(a, s)| *a *= factor * s),
    }
}
