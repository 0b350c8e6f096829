//! Products of factors' entries, a few classes at a time.

/// Below this a product of scales goes into the scores, long before it underflows.
const SMALL_SCALE: f64 = 1e-200;

/// Adds the product of the entries at these places to the sum.
pub(super) fn add_product(
    values: &[f64],
    places: &[usize],
    product: &mut Vec<f64>,
    sum: &mut [f64],
) {
    let width = sum.len();
    match *places {
        [a] => sum.iter_mut().zip(&values[a..a + width]).for_each(|(s, a)| *s += a),
        [a, b] => {
            let pairs = values[a..a + width].iter().zip(&values[b..b + width]);
            sum.iter_mut().zip(pairs).for_each(|(s, (a, b))| *s += a * b);
        }
        _ => {
            product.clear();
            product.resize(width, 1.0);
            for &place in places {
                product.iter_mut().zip(&values[place..]).for_each(|(p, v)| *p *= v);
            }
            sum.iter_mut().zip(&*product).for_each(|(s, p)| *s += p);
        }
    }
}

/// Adds to the slope of each input what is above times the product of the other inputs.
pub(super) fn share_out(
    values: &[f64],
    places: &[usize],
    above: &[f64],
    before: &mut Vec<f64>,
    slopes: &mut [f64],
) {
    let width = above.len();
    if let [a] = *places {
        slopes[a..a + width].iter_mut().zip(above).for_each(|(s, x)| *s += x);
        return;
    }
    // What is above times the inputs before each one, then times those after it, from the last one back.
    before.clear();
    before.extend_from_slice(above);
    for (k, &place) in places.iter().enumerate() {
        for c in 0..width {
            before.push(before[k * width + c] * values[place + c]);
        }
    }
    let after = places.len() * width;
    before[after..].fill(1.0);
    for (k, &place) in places.iter().enumerate().rev() {
        for c in 0..width {
            slopes[place + c] += before[k * width + c] * before[after + c];
            before[after + c] *= values[place + c];
        }
    }
}

/// Divides the values of each class by the greatest of them, and keeps by what.
pub(super) fn scale(
    values: &mut [f64],
    tops: &mut Vec<f64>,
    scales: &mut [f64],
    scores: &mut [f64],
) {
    let width = scales.len();
    tops.clear();
    tops.resize(width, 0.0);
    for entry in values.chunks_exact(width) {
        tops.iter_mut().zip(entry).for_each(|(top, &v)| *top = top.max(v));
    }
    for ((top, scale), score) in tops.iter_mut().zip(scales).zip(scores) {
        if *top > 0.0 {
            *scale *= *top;
            *top = 1.0 / *top;
            if *scale < SMALL_SCALE {
                *score += scale.ln();
                *scale = 1.0;
            }
        }
    }
    for entry in values.chunks_exact_mut(width) {
        entry.iter_mut().zip(&*tops).for_each(|(v, part)| *v *= part);
    }
}
