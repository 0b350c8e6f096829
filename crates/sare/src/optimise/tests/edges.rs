//! Functions and callers that behave badly.

use super::logistic::Logistic;
use super::problems::{Formula, Quadratic, Rosenbrock};
use super::{METHODS, climb, climb_both};
use crate::error::{Error, Result};
use crate::optimise::{Objective, Settings, maximise};
use crate::run::Stop;
use std::ops::ControlFlow;

fn quiet(_: &[f64], _: f64, _: usize) -> Result<ControlFlow<()>> {
    Ok(ControlFlow::Continue(()))
}

#[test]
fn flat_functions_and_no_variables_end_at_once() {
    let mut flat = Formula(|_: &[f64], _: &mut [f64]| 4.0);
    for method in METHODS {
        let settings = Settings { method, tolerance: 0.0, ..Settings::default() };
        for start in [&[1.0, 2.0][..], &[]] {
            let top = climb(&mut flat, start, &settings);
            assert_eq!((top.stop, top.iterations, top.evaluations), (Stop::Converged, 0, 1));
            assert_eq!((top.x.as_slice(), top.value), (start, 4.0));
        }
    }
}

#[test]
fn a_gradient_that_lies_ends_without_gain() {
    let mut liar = Formula(|x: &[f64], g: &mut [f64]| {
        g[0] = 1.0;
        -x[0]
    });
    for method in METHODS {
        let top = climb(&mut liar, &[0.0], &Settings { method, ..Settings::default() });
        assert_eq!((top.stop, top.x[0]), (Stop::NoGain, 0.0));
        assert!(top.evaluations <= 60, "{}", top.evaluations);
    }
}

#[test]
fn a_top_at_infinity_ends_by_tolerance() {
    // Separable: the class is the sign of the last column, so the weights would grow for ever.
    let mut model = Logistic::random(200, 4, 2, 0.0);
    for (row, class) in model.rows.iter().zip(&mut model.classes) {
        *class = usize::from(row[3] > 0.0);
    }
    let start = vec![0.0; model.variables()];
    let settings = Settings { rows: 200.0, tolerance: 1e-8, ..Settings::default() };
    for top in climb_both("separable", &mut model, &start, &settings) {
        assert_eq!(top.stop, Stop::Converged);
        assert!(top.value > -1e-2 && top.iterations < 100);
        assert!(top.x.iter().all(|x| x.is_finite()));
    }
}

#[test]
fn a_function_without_a_top_ends_by_the_limit() {
    let mut slope = Formula(|x: &[f64], g: &mut [f64]| {
        g.fill(1.0);
        x.iter().sum()
    });
    for method in METHODS {
        let settings = Settings { method, max_iterations: 30, ..Settings::default() };
        let top = climb(&mut slope, &[0.0; 3], &settings);
        assert!(top.x.iter().all(|x| x.is_finite()) && top.value.is_finite());
        assert!(top.value > 1e9, "{}", top.value);
    }
}

#[test]
fn a_gradient_of_nan_is_a_wall_too() {
    // Finite values beyond 2, but no gradient there: the top, at 3, is out of bounds.
    let mut hill = Formula(|x: &[f64], g: &mut [f64]| {
        g[0] = if x[0] > 2.0 { f64::NAN } else { 6.0 - 2.0 * x[0] };
        -(x[0] - 3.0).powi(2)
    });
    for method in METHODS {
        let top = climb(&mut hill, &[-7.0], &Settings { method, ..Settings::default() });
        assert!(top.x[0] <= 2.0 && top.x[0] > 1.9, "{:?} {:?}", top.x, top.stop);
    }
}

#[test]
fn the_caller_can_end_it() {
    for method in METHODS {
        let settings = Settings { method, ..Settings::default() };
        let start = [-1.2, 1.0];
        let mut seen = Vec::new();
        let mut third = |x: &[f64], _: f64, iteration: usize| {
            seen = x.to_vec();
            Ok(if iteration == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let top = maximise(&mut Rosenbrock, &start, &settings, &mut third).unwrap();
        assert_eq!((top.stop, top.iterations), (Stop::Interrupted, 3));
        assert_eq!(top.x, seen);
        let told = top.outcome().trace;
        assert_eq!((told[0], &told[1..]), (top.start_value, &top.trace[..]));
    }
}

/// Rosenbrock's function until the clock runs out.
struct Clocked(usize);

impl Objective for Clocked {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        self.0 = self.0.checked_sub(1).ok_or(Error::Interrupted)?;
        Rosenbrock.evaluate(x, gradient)
    }
}

#[test]
fn the_clock_leaves_the_best_so_far() {
    for method in METHODS {
        let settings = Settings { method, ..Settings::default() };
        let start = [-1.2, 1.0];
        for passes in 1..30 {
            let top = maximise(&mut Clocked(passes), &start, &settings, &mut quiet).unwrap();
            assert_eq!(top.stop, Stop::Interrupted);
            assert_eq!(top.value, *top.trace.last().unwrap_or(&top.start_value));
            assert_eq!(top.value, Rosenbrock.evaluate(&top.x, &mut [0.0; 2]).unwrap());
        }
        let none = maximise(&mut Clocked(0), &start, &settings, &mut quiet);
        assert!(matches!(none, Err(Error::Interrupted)));
    }
}

#[test]
fn other_errors_are_handed_on() {
    let mut failing = |_: &[f64], _: f64, _: usize| Err(Error::data("f", "broken", "mend it"));
    let failed = maximise(&mut Rosenbrock, &[0.0; 2], &Settings::default(), &mut failing);
    assert!(matches!(failed, Err(Error::Data { .. })));
}

#[test]
fn no_iterations_return_the_start() {
    let settings = Settings { max_iterations: 0, ..Settings::default() };
    let top = climb(&mut Rosenbrock, &[0.5, 0.5], &settings);
    assert_eq!((top.stop, top.evaluations, top.x), (Stop::IterationLimit, 1, vec![0.5, 0.5]));
}

#[test]
fn impossible_settings_are_refused() {
    let plain = Settings::default();
    let cases: [(&[f64], Settings<'_>); 8] = [
        (&[0.0; 2], Settings { tolerance: -1.0, ..plain }),
        (&[0.0; 2], Settings { tolerance: f64::NAN, ..plain }),
        (&[0.0; 2], Settings { memory: 0, ..plain }),
        (&[0.0; 2], Settings { rows: 0.0, ..plain }),
        (&[0.0; 2], Settings { scale: Some(&[1.0]), ..plain }),
        (&[0.0; 2], Settings { scale: Some(&[1.0, 0.0]), ..plain }),
        (&[f64::NAN, 0.0], plain),
        (&[1e200, 0.0], plain),
    ];
    for (start, settings) in cases {
        let mut hill = Quadratic::spread(2, 1.0, 0.0);
        let refused = maximise(&mut hill, start, &settings, &mut quiet);
        assert!(matches!(refused, Err(Error::Setting { .. })), "{settings:?}");
    }
}

#[test]
fn two_small_gains_in_a_row_end_it_however_steep() {
    // Small beside the value itself; small beside the rows where the value is near 0.
    for (value, rows, least) in [(1e9, 1.0, 10.0), (0.0, 1e4, 1e-4)] {
        let mut hill = Quadratic::spread(12, 1e6, 0.3);
        let mut raised =
            Formula(|x: &[f64], g: &mut [f64]| value + hill.evaluate(x, g).unwrap_or(f64::NAN));
        let start = [0.0; 12];
        for method in METHODS {
            let settings = Settings { method, rows, ..Settings::default() };
            let top = climb(&mut raised, &start, &settings);
            assert_eq!(top.stop, Stop::Converged);
            let mut gradient = [0.0; 12];
            raised.evaluate(&top.x, &mut gradient).unwrap();
            assert!(gradient.iter().any(|g| g.abs() > settings.tolerance * rows));
            let values: Vec<f64> = [top.start_value].into_iter().chain(top.trace).collect();
            // The bound goes with the value, which changes a little.
            let small: Vec<bool> =
                values.windows(2).map(|v| v[1] - v[0] <= least * 1.000_001).collect();
            let pairs = small.windows(2).filter(|s| s[0] && s[1]).count();
            assert!(small.ends_with(&[true, true]) && pairs == 1, "{small:?}");
        }
    }
}
