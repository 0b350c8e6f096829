//! Functions whose top is known, and how many passes it takes to get there.

use super::logistic::Logistic;
use super::problems::{Quadratic, Rosenbrock, Walled};
use super::{METHODS, climb, climb_both, distance};
use crate::optimise::{Method, Objective, Settings};
use crate::run::Stop;

/// Goes on to the last digits.
const EXACT: Settings<'static> = Settings {
    method: Method::LimitedMemory,
    memory: 10,
    max_iterations: 5000,
    tolerance: 0.0,
    rows: 1.0,
    scale: None,
};

#[test]
fn a_quadratic_takes_conjugate_gradients_as_many_steps_as_variables() {
    let mut hill = Quadratic::spread(6, 20.0, 0.5);
    let start = [5.0; 6];
    for top in climb_both("quadratic", &mut hill, &start, &Settings::default()) {
        assert!(distance(&top.x, &hill.top) < 1e-6);
        assert_eq!(top.stop, Stop::Converged);
    }
    let method = Method::ConjugateGradient;
    let six = Settings { method, max_iterations: 6, ..EXACT };
    let four = Settings { max_iterations: 4, ..six };
    assert!(distance(&climb(&mut hill, &start, &six).x, &hill.top) < 1e-5);
    assert!(distance(&climb(&mut hill, &start, &four).x, &hill.top) > 1e-3);
    let enough = Settings { max_iterations: 7, tolerance: 1e-5, ..six };
    assert_eq!(climb(&mut hill, &start, &enough).stop, Stop::Converged);
}

#[test]
fn rosenbrock() {
    for variables in [2, 20] {
        let start: Vec<f64> = (0..variables).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let name = format!("Rosenbrock of {variables}");
        let settings = Settings { tolerance: 1e-10, ..Settings::default() };
        for top in climb_both(&name, &mut Rosenbrock, &start, &settings) {
            assert!(distance(&top.x, &vec![1.0; variables]) < 1e-5, "{:?}", top.x);
            assert_eq!(top.stop, Stop::Converged);
        }
    }
}

#[test]
fn a_badly_scaled_quadratic() {
    let mut hill = Quadratic::spread(30, 1e6, 0.3);
    let settings = Settings { tolerance: 1e-12, max_iterations: 5000, ..Settings::default() };
    let start = vec![0.0; 30];
    let plain = climb_both("condition 1e6", &mut hill, &start, &settings);
    let scale: Vec<f64> = hill.curvature.iter().map(|c| 1.0 / c).collect();
    let scaled = Settings { scale: Some(&scale), ..settings };
    let helped = climb_both("condition 1e6, scaled", &mut hill, &start, &scaled);
    for (plain, helped) in plain.iter().zip(&helped) {
        assert!(distance(&plain.x, &hill.top) < 1e-3);
        assert!(distance(&helped.x, &hill.top) < 1e-5);
        assert!(3 * helped.evaluations < plain.evaluations);
    }
    // A guess that is off by the same factor everywhere costs next to nothing.
    for factor in [1e-4, 1e4] {
        let off: Vec<f64> = scale.iter().map(|s| s * factor).collect();
        let top = climb(&mut hill, &start, &Settings { scale: Some(&off), ..settings });
        println!("  scale off by {factor:e}: {} evaluations", top.evaluations);
        assert!(top.evaluations <= helped[0].evaluations + 5);
    }
}

#[test]
fn logistic_regression_ends_where_newton_does() {
    let mut model = Logistic::random(400, 6, 3, 1.0);
    let newton = model.newton();
    let start = vec![0.0; model.variables()];
    let tops = climb_both("logistic to the last digit", &mut model, &start, &EXACT);
    // Brent's method sees values only, which rounding makes flat within about 1e-7 of the top.
    for (top, near) in tops.iter().zip([1e-8, 1e-6]) {
        let mut gradient = vec![0.0; start.len()];
        model.evaluate(&top.x, &mut gradient).unwrap();
        let (off, slope) = (distance(&top.x, &newton), distance(&gradient, &start));
        println!("  distance from Newton {off:e}, gradient {slope:e}");
        assert!(off < near && slope < 100.0 * near);
    }
    let highest = model.evaluate(&newton, &mut vec![0.0; start.len()]).unwrap();
    assert!(tops.iter().all(|top| (top.value - highest).abs() < 1e-10));
    let settings = Settings { rows: 400.0, ..Settings::default() };
    for top in climb_both("logistic", &mut model, &start, &settings) {
        assert_eq!(top.stop, Stop::Converged);
        assert!(tops[0].value - top.value < 1e-4);
    }
}

#[test]
fn most_iterations_take_one_pass() {
    let mut model = Logistic::random(400, 10, 4, 0.1);
    let start = vec![0.0; model.variables()];
    let settings = Settings { rows: 400.0, ..Settings::default() };
    let top = climb(&mut model, &start, &settings);
    assert!(top.iterations > 15);
    assert!(top.evaluations <= top.iterations + 4, "{} {}", top.evaluations, top.iterations);
}

#[test]
fn rare_cells_are_helped_by_their_counts() {
    let penalty = 0.01;
    let mut model = Logistic::rare(2000, 11, penalty);
    let start = vec![0.0; model.variables()];
    let counts: Vec<f64> = (0..11).map(|k| model.rows.iter().map(|r| r[k]).sum()).collect();
    let scale: Vec<f64> = counts.iter().chain(&counts).map(|c| 1.0 / (c + penalty)).collect();
    let settings = Settings { rows: 2000.0, tolerance: 1e-10, ..Settings::default() };
    let plain = climb_both("rare cells", &mut model, &start, &settings);
    let scaled = Settings { scale: Some(&scale), ..settings };
    let helped = climb_both("rare cells, scaled", &mut model, &start, &scaled);
    let top = model.newton();
    let highest = model.evaluate(&top, &mut vec![0.0; start.len()]).unwrap();
    let recalled = climb(&mut model, &start, &Settings { memory: 20, ..settings });
    println!("  memory of 20: {} evaluations", recalled.evaluations);
    assert!(recalled.evaluations < plain[0].evaluations);
    for (plain, helped) in plain.iter().zip(&helped) {
        assert!(helped.evaluations < plain.evaluations);
        assert!(highest - helped.value < 1e-4, "{} {}", highest, helped.value);
        assert!(highest - plain.value < 1e-2, "{} {}", highest, plain.value);
    }
}

#[test]
fn a_wall_of_nan_is_kept_away_from() {
    let settings = Settings { tolerance: 1e-10, ..Settings::default() };
    for start in [[0.01; 5], [0.3; 5], [40.0; 5]] {
        let name = format!("wall, from {}", start[0]);
        for top in climb_both(&name, &mut Walled, &start, &settings) {
            assert!(distance(&top.x, &[1.0; 5]) < 1e-4, "{:?}", top.x);
        }
    }
}

#[test]
fn one_iteration_does_no_harm() {
    let one = Settings { max_iterations: 1, ..Settings::default() };
    let huge = vec![1e8; 4];
    let tiny = vec![1e-12; 4];
    for method in METHODS {
        for scale in [None, Some(huge.as_slice()), Some(tiny.as_slice())] {
            let one = Settings { method, scale, ..one };
            let mut model = Logistic::random(100, 2, 2, 0.5);
            let hills: [(&mut dyn Objective, f64); 4] = [
                (&mut Rosenbrock, -1.2),
                (&mut Walled, 0.02),
                (&mut Quadratic::spread(4, 1e6, 0.0), 3.0),
                (&mut model, 0.0),
            ];
            for (hill, start) in hills {
                let top = climb(hill, &[start; 4], &one);
                assert!(top.value > top.start_value);
                assert_eq!((top.stop, top.iterations), (Stop::IterationLimit, 1));
            }
        }
    }
}

#[test]
fn the_same_bits_every_time() {
    for method in METHODS {
        let settings = Settings { method, ..Settings::default() };
        let mut model = Logistic::random(200, 5, 3, 0.1);
        let start = vec![0.0; model.variables()];
        let first = climb(&mut model, &start, &settings);
        assert_eq!(climb(&mut model, &start, &settings), first);
    }
}
