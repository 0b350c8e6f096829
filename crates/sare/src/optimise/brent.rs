//! Brent's line search: three steps of which the middle one is highest, then parabolas through the best steps, with golden
//! sections where a parabola does not help (Brent, 1973, chapter 5). It looks at values only, as published.

use super::line::Line;
use crate::error::Result;

/// How near to the top the step must be, as a part of it.
const NEAR: f64 = 1e-4;
/// By how much a step that is too short is lengthened.
const GOLDEN_LONGER: f64 = 1.618_034;
/// The golden section of a bracket.
const GOLDEN: f64 = 0.381_966;
/// A parabola may lengthen the last distance by so much.
const LONGEST: f64 = 100.0;
/// Bracketing, and narrowing, give up after so many passes each.
const TRIALS: usize = 50;

/// A step and the value there; minus infinity where it is not finite.
type Seen = (f64, f64);

/// Looks for the top along the line and keeps the highest point met, if it is higher than the beginning.
pub(super) fn search(line: &mut Line<'_, '_>, first: f64) -> Result<()> {
    match bracket(line, first)? {
        Some(bracket) => narrow(line, bracket),
        None => Ok(()),
    }
}

/// Looks at a step; keeps it if it is higher than `best`.
fn look(line: &mut Line<'_, '_>, step: f64, best: f64) -> Result<Seen> {
    let value = line.look(step)?.map_or(f64::NEG_INFINITY, |seen| seen.value);
    if value > best {
        line.keep();
    }
    Ok((step, value))
}

/// Three steps in order of which the middle one is highest and kept.
fn bracket(line: &mut Line<'_, '_>, first: f64) -> Result<Option<[Seen; 3]>> {
    let start = (0.0, line.start().value);
    let middle = look(line, first, start.1)?;
    if middle.1 > start.1 { lengthen(line, start, middle) } else { shorten(line, start, middle) }
}

/// Goes on until it goes down.
fn lengthen(line: &mut Line<'_, '_>, mut a: Seen, mut b: Seen) -> Result<Option<[Seen; 3]>> {
    let mut step = b.0 + GOLDEN_LONGER * (b.0 - a.0);
    for _ in 0..TRIALS {
        let c = look(line, step, b.1)?;
        if c.1 <= b.1 {
            return Ok(Some([a, b, c]));
        }
        let limit = c.0 + LONGEST * (c.0 - b.0);
        step = match top_of_parabola(b, a, c) {
            // A top at `c` itself would show nothing new.
            Some(top) if top > c.0 + NEAR * (c.0 - b.0) => top.min(limit),
            _ => c.0 + GOLDEN_LONGER * (c.0 - b.0),
        };
        (a, b) = (b, c);
    }
    Ok(None)
}

/// Comes nearer until it is higher than at the beginning, as it must be: the line rises there.
fn shorten(line: &mut Line<'_, '_>, start: Seen, mut far: Seen) -> Result<Option<[Seen; 3]>> {
    let (slope, noise) = (line.start().slope, line.noise());
    for _ in 0..TRIALS {
        // The parabola with this value and slope at the beginning, through the far step; minus infinity gives 0.
        let fall = start.1 + slope * far.0 - far.1;
        let part = slope * far.0 / (2.0 * fall);
        // NaN comes of an overflow.
        let step = far.0 * if part.is_nan() { 0.1 } else { part.clamp(0.1, 0.5) };
        if step * slope < noise {
            break;
        }
        let seen = look(line, step, start.1)?;
        if seen.1 > start.1 {
            return Ok(Some([start, seen, far]));
        }
        far = seen;
    }
    Ok(None)
}

/// Brent's method inside the bracket, whose middle is kept.
fn narrow(line: &mut Line<'_, '_>, [mut low, middle, mut high]: [Seen; 3]) -> Result<()> {
    let mut best = middle;
    // The second and third best.
    let (mut second, mut third) = if low.1 > high.1 { (low, high) } else { (high, low) };
    // The last two moves; a parabola must halve the one before the last.
    let (mut older, mut newer) = (high.0 - low.0, high.0 - low.0);
    for _ in 0..TRIALS {
        let centre = 0.5 * (low.0 + high.0);
        let near = NEAR * best.0;
        if (best.0 - centre).abs() <= 2.0 * near - 0.5 * (high.0 - low.0) {
            break;
        }
        let top = top_of_parabola(best, second, third)
            .filter(|&top| top > low.0 && top < high.0 && (top - best.0).abs() < 0.5 * older.abs());
        older = newer;
        newer = match top {
            // Not too near to the ends.
            Some(top) if top - low.0 < 2.0 * near || high.0 - top < 2.0 * near => {
                near.copysign(centre - best.0)
            }
            Some(top) => top - best.0,
            None => {
                older = if best.0 >= centre { low.0 - best.0 } else { high.0 - best.0 };
                GOLDEN * older
            }
        };
        // Nor so near to the best that rounding hides the difference.
        let newest = if newer.abs() >= near { newer } else { near.copysign(newer) };
        let seen = look(line, best.0 + newest, best.1)?;
        if seen.1 > best.1 {
            if seen.0 >= best.0 {
                low = best
            } else {
                high = best
            }
            (third, second, best) = (second, best, seen);
        } else {
            if seen.0 < best.0 {
                low = seen
            } else {
                high = seen
            }
            if seen.1 >= second.1 {
                (third, second) = (second, seen);
            } else if seen.1 >= third.1 {
                third = seen;
            }
        }
    }
    Ok(())
}

/// Where the parabola through three steps has its top, if it has one.
fn top_of_parabola(best: Seen, second: Seen, third: Seen) -> Option<f64> {
    let r = (best.0 - second.0) * (best.1 - third.1);
    let q = (best.0 - third.0) * (best.1 - second.1);
    let over = (best.0 - third.0) * q - (best.0 - second.0) * r;
    let top = best.0 - over / (2.0 * (q - r));
    top.is_finite().then_some(top)
}
