//! A line search that ends at the first step which meets the strong Wolfe conditions: enough gain, and a slope that has
//! become clearly smaller. Brackets such a step and narrows by cubic interpolation (Moré and Thuente, 1994; Nocedal and
//! Wright, 2006, section 3.5).

use super::line::{Line, Sample};
use crate::error::Result;

/// The part of the gain promised by the first slope that a step must bring.
const GAIN: f64 = 1e-4;
/// The part of the first slope that may be left. Loose: the next direction does more than a better step would.
const SLOPE: f64 = 0.9;
/// A search gives up after so many passes.
const TRIALS: usize = 25;
/// How the step shrinks where the function is not finite.
const SHRINK: f64 = 0.1;
/// Trials stay away from the ends of the bracket by this part of it.
const MARGIN: f64 = 0.1;
/// A bracket that two trials have not narrowed to this part is halved.
const NARROWER: f64 = 0.66;
/// By how many times the last distance a step that is too short is lengthened: at least and at most.
const LONGER: (f64, f64) = (1.0, 20.0);

/// What is known on the far side of the step wanted.
enum Far {
    /// Nothing: all steps so far were too short.
    Open,
    /// The function is not finite there.
    Wall(f64),
    /// A step that is too long.
    Seen(Sample),
}

/// Looks for the step. If none meets the conditions, the best that gains enough is kept.
pub(super) fn search(line: &mut Line<'_, '_>, first: f64) -> Result<()> {
    let start = line.start();
    let noise = line.noise();
    // `near` gains enough, and the function rises from it towards `far`.
    let (mut near, mut far) = (start, Far::Open);
    let mut widths = [f64::INFINITY; 2];
    let mut step = first;
    for trial in 0..TRIALS {
        // What is left to try cannot be told from rounding.
        if trial > 0 && step * start.slope < noise {
            break;
        }
        let before = near;
        match line.look(step)? {
            None => far = Far::Wall(step),
            Some(seen) => {
                // Rounding is forgiven in the promise, never in the value itself.
                let promised = start.value + GAIN * step * start.slope - noise;
                if seen.value < promised.max(near.value) {
                    far = Far::Seen(seen);
                } else {
                    line.keep();
                    if seen.slope.abs() <= SLOPE * start.slope {
                        return Ok(());
                    }
                    let ahead = match &far {
                        Far::Open => f64::INFINITY,
                        Far::Wall(wall) => wall - seen.step,
                        Far::Seen(far) => far.step - seen.step,
                    };
                    if seen.slope * ahead < 0.0 {
                        far = Far::Seen(near);
                    }
                    near = seen;
                }
            }
        }
        step = match &far {
            Far::Open => longer(&before, &near),
            // From the beginning it may be far too long; else the step wanted is this side of the wall or at it.
            Far::Wall(wall) if near.step == 0.0 => SHRINK * wall,
            Far::Wall(wall) => 0.5 * (near.step + wall),
            Far::Seen(far) => {
                let width = (far.step - near.step).abs();
                let slow = width > NARROWER * widths[0];
                widths = [widths[1], width];
                between(&near, far, slow)
            }
        };
    }
    Ok(())
}

/// A longer step than the two seen, both too short.
fn longer(before: &Sample, last: &Sample) -> f64 {
    let distance = last.step - before.step;
    let (least, most) = (last.step + LONGER.0 * distance, last.step + LONGER.1 * distance);
    match top_of_cubic(before, last) {
        Some(top) if top > last.step => top.clamp(least, most),
        // The slope grows: no top in sight.
        _ => most,
    }
}

/// A step inside the bracket.
fn between(near: &Sample, far: &Sample, slow: bool) -> f64 {
    let width = far.step - near.step;
    let part = match top_of_cubic(near, far) {
        Some(top) if !slow => ((top - near.step) / width).clamp(MARGIN, 1.0 - MARGIN),
        _ => 0.5,
    };
    near.step + part * width
}

/// Where the cubic through two values and slopes has its top, if it has one.
fn top_of_cubic(a: &Sample, b: &Sample) -> Option<f64> {
    let width = b.step - a.step;
    // Slopes and values are negated: the formula is for the bottom.
    let mean = 3.0 * (b.value - a.value) / width - a.slope - b.slope;
    let inside = mean * mean - a.slope * b.slope;
    if inside < 0.0 {
        return None;
    }
    let root = inside.sqrt().copysign(width);
    let top = b.step - width * (root - b.slope - mean) / (a.slope - b.slope + 2.0 * root);
    top.is_finite().then_some(top)
}
