use super::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

/// Naive Bayes with the true probabilities: what counts tend to.
fn naive_truth() -> Network {
    true_network(0).unwrap()
}

#[test]
fn scores_are_those_of_closed_forms() {
    // Five copies are one attribute: p(yes, 0) = 0.72, p(yes, 1) = 0.18, p(no, 0) = 0.02, p(no, 1) = 0.08.
    let copies = true_network(4).unwrap();
    let [ll, lcl, ce, mse] = scores(&copies, &copies);
    let cells = [[0.72, 0.02], [0.18, 0.08]];
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        cells.iter().flat_map(|&[a, b]| [of(a, a + b), of(b, a + b)]).sum()
    };
    assert!(near(ll, sum(&|p, _| p * p.ln())));
    assert!(near(lcl, sum(&|p, both| p * (p / both).ln())));
    assert!(near(mse, sum(&|p, both| p * (1.0 - p / both).powi(2))));
    assert!(near(ce, 0.1), "yes is always the better guess");
    // Naive Bayes counts the copy five times, so that five ones outweigh the prior.
    let [_, over, wrong, _] = scores(&naive_truth(), &copies);
    assert!(near(wrong, 0.18 + 0.02), "{wrong}");
    let odds: f64 = 9.0 * 0.25f64.powi(5);
    let tails = 9.0 * 4.0f64.powi(5);
    let expected = 0.18 * (odds / (1.0 + odds)).ln()
        + 0.08 * (1.0 / (1.0 + odds)).ln()
        + 0.72 * (tails / (1.0 + tails)).ln()
        + 0.02 * (1.0 / (1.0 + tails)).ln();
    assert!(near(over, expected), "{over} {expected}");
}

#[test]
fn the_more_copies_the_more_counts_lose() {
    let run = Run::default();
    let points: Vec<Point> =
        (0..=MOST_ARCS).map(|arcs| Point::measured(arcs, 8, &run).unwrap()).collect();
    for (s, score) in SCORES.iter().enumerate() {
        let sign = if score.rises { 1.0 } else { -1.0 };
        for p in &points {
            let best = p.truth[s] * sign;
            let beaten = |f: &[Scores; 2]| f.iter().all(|x| x[s] * sign <= best + 1e-12);
            assert!(p.fits.iter().all(beaten), "nothing beats the truth in {}", score.name);
        }
    }
    let gain = |arcs: usize, s: usize| points[arcs].difference(s).mean;
    let lcl = 1;
    assert!(gain(0, lcl).abs() < 0.01, "{}", gain(0, lcl));
    assert!(gain(4, lcl) > 0.1, "{}", gain(4, lcl));
    assert!(points[4].fits.iter().all(|f| f[1][lcl] > f[0][lcl]), "in every sample");
    assert!((1..=MOST_ARCS).all(|m| gain(m, lcl) > gain(m - 1, lcl)));
    assert_eq!(points[4].better(0, &SCORES[0]), "counts", "in likelihood");
    assert!(gain(4, 2) < -0.05, "classification error: {}", gain(4, 2));
}

#[test]
fn the_report_is_whole_and_repeatable() {
    let report = |run: &Run<'_>| figures("", false, run).unwrap();
    let once = report(&Run::default());
    assert_eq!(once.rows.len(), SCORES.len() * (MOST_ARCS + 1));
    assert!(once.rows.iter().all(|r| r.len() == once.header.len()));
    let names: Vec<&str> = once.drawings.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names[0], "zhou-figure-4-3-ll");
    assert_eq!(names.len(), SCORES.len());
    let again = report(&Run::default().threads(1).unwrap());
    assert_eq!(once.rows, again.rows);
    assert_ne!(once.rows, report(&Run::with_seed(2)).rows);
}
