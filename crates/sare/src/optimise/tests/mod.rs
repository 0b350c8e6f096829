//! Tops that are known, counted passes, and functions that behave badly.

mod edges;
mod logistic;
mod problems;
mod tops;

use super::{Method, Objective, Optimum, Settings, maximise};
use std::ops::ControlFlow;

const METHODS: [Method; 2] = [Method::LimitedMemory, Method::ConjugateGradient];

/// Climbs unwatched and holds the result to what every climb promises.
fn climb(objective: &mut dyn Objective, start: &[f64], settings: &Settings<'_>) -> Optimum {
    let mut heard = Vec::new();
    let mut listen = |_: &[f64], value: f64, iteration: usize| {
        heard.push(value);
        assert_eq!(heard.len(), iteration);
        Ok(ControlFlow::Continue(()))
    };
    let top = maximise(objective, start, settings, &mut listen).unwrap();
    assert_eq!(heard, top.trace);
    assert_eq!(top.iterations, top.trace.len());
    assert!(top.iterations <= settings.max_iterations);
    assert!(top.evaluations > top.iterations);
    let mut before = top.start_value;
    for &value in &top.trace {
        assert!(value >= before, "{before} fell to {value}");
        before = value;
    }
    assert_eq!(top.value, before);
    let again = objective.evaluate(&top.x, &mut vec![0.0; start.len()]).unwrap();
    assert_eq!(again.to_bits(), top.value.to_bits(), "the value is that of the point returned");
    top
}

/// Climbs by both methods; L-BFGS must not need more passes.
fn climb_both(
    name: &str,
    objective: &mut dyn Objective,
    start: &[f64],
    settings: &Settings<'_>,
) -> [Optimum; 2] {
    let tops = METHODS.map(|method| climb(objective, start, &Settings { method, ..*settings }));
    for (method, top) in METHODS.iter().zip(&tops) {
        println!(
            "{name}, {method:?}: {} evaluations, {} iterations, {:?}, value {:e}",
            top.evaluations, top.iterations, top.stop, top.value
        );
    }
    assert!(tops[0].evaluations <= tops[1].evaluations, "{name}");
    tops
}

/// The largest distance between two points in one variable.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| (a - b).abs().max(most))
}
