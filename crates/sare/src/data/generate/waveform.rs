//! Breiman's waveforms (Breiman, Friedman, Olshen and Stone 1984).

use super::CLASS;
use crate::data::schema::Field;
use crate::data::table::{Cells, Table};
use crate::seed::Random;

/// How many points a wave is measured at.
const POINTS: usize = 21;
/// Where the three base waves are highest, counted from 1; each is a triangle of height 6 and slope 1.
///
/// The numbering is that of the usual programs, and it gives the class labels of the copies in circulation. Some texts
/// number the waves from the middle one (peaks at 11, 15 and 7): the same three classes in the opposite order.
const PEAKS: [usize; 3] = [7, 15, 11];
/// The two base waves that each class mixes.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];

/// Rows of the waveform distribution: each class is as likely as the others, and a row of it is a random convex
/// combination of its two base waves plus standard normal noise at each point.
pub(super) fn waveform(rows: usize, random: &mut Random) -> Table {
    let mut points: Vec<Vec<f64>> = (0..POINTS).map(|_| Vec::with_capacity(rows)).collect();
    let mut classes = Vec::with_capacity(rows);
    for _ in 0..rows {
        // The order of the draws is part of what a seed means: class, mixture, noise from the first point on.
        let class = random.below(PAIRS.len());
        let mixture = random.uniform();
        for (point, signal) in points.iter_mut().zip(signal(class, mixture)) {
            point.push(signal + random.normal());
        }
        classes.push(class as u8);
    }
    let number =
        |(i, values)| (Field::continuous(format!("x{}", i + 1)), Cells::from_numbers(values));
    let mut columns: Vec<(Field, Cells)> = points.into_iter().enumerate().map(number).collect();
    columns.push((Field::discrete(CLASS, ["0", "1", "2"]), Cells::Narrow(classes.into())));
    Table::new("waveform-21", columns)
        .expect("the columns grow together, the numbers are finite and there are three classes")
}

/// A row of the class before the noise; `mixture` is the share of the first wave.
pub(super) fn signal(class: usize, mixture: f64) -> [f64; POINTS] {
    let (first, second) = PAIRS[class];
    std::array::from_fn(|i| {
        mixture * base_wave(first, i + 1) + (1.0 - mixture) * base_wave(second, i + 1)
    })
}

/// The height of a base wave at a point, counted from 1.
fn base_wave(wave: usize, point: usize) -> f64 {
    6usize.saturating_sub(point.abs_diff(PEAKS[wave])) as f64
}
