use super::*;

fn chart(points: impl IntoIterator<Item = (f64, f64)>) -> Lines {
    let point = |(x, y): (f64, f64)| LinePoint { x, y, error: None };
    let points = points.into_iter().map(point).collect();
    Lines { series: vec![Series { name: "one".into(), points }], ..Lines::default() }
}

#[test]
fn what_an_axis_cannot_hold_is_left_out() {
    let points = [(0.0, 0.5), (-1.0, 0.5), (0.5, 0.5), (f64::NAN, 0.1), (0.9, 2.0)];
    let left = |chart: Lines| chart.drawn().first().map_or(0, |d| d.points.len());
    assert_eq!(left(chart(points)), 4);
    assert_eq!(left(Lines { x_log: true, ..chart(points) }), 2);
    assert_eq!(left(Lines { unit_square: true, ..chart(points) }), 2);
}

#[test]
fn long_lines_stay_small_and_bear_few_marks() {
    let svg = chart((0..100_000).map(|i| (f64::from(i), f64::from(i).sqrt()))).svg();
    assert!(svg.len() < 40_000, "{}", svg.len());
    assert!((6..12).contains(&svg.matches("<circle").count()));
}

#[test]
fn series_step_aside_only_for_bars() {
    let mut two = chart([(1.0, 1.0), (2.0, 2.0)]);
    two.series.push(two.series[0].clone());
    assert_eq!(side_step(&two.drawn(), 0), 0.0);
    two.series[1].points[0].error = Some(0.1);
    assert!(side_step(&two.drawn(), 0) < 0.0 && side_step(&two.drawn(), 1) > 0.0);
}
