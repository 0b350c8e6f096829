use super::*;
use proptest::prelude::*;

fn labels(scale: &Scale, most: usize) -> Vec<String> {
    scale.ticks(most).into_iter().map(|t| t.label).collect()
}

#[test]
fn linear_ticks_by_hand() {
    assert_eq!(
        labels(&Scale::linear((0.0, 1.0), 0.0, 1.0), 5),
        ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    );
    assert_eq!(labels(&Scale::linear((-3.0, 3.0), 0.0, 1.0), 4), ["−2", "0", "2"]);
    assert_eq!(labels(&Scale::linear((0.0, 4e6), 0.0, 1.0), 3), ["0", "2,000,000", "4,000,000"]);
    assert_eq!(labels(&Scale::linear((0.0, 4e8), 0.0, 1.0), 2), ["0", "2×10⁸", "4×10⁸"]);
    assert_eq!(labels(&Scale::linear((0.0, 3e-9), 0.0, 1.0), 3), ["0", "10⁻⁹", "2×10⁻⁹", "3×10⁻⁹"]);
}

#[test]
fn log_ticks_by_hand() {
    assert_eq!(
        labels(&Scale::log((50.0, 2000.0), 0.0, 1.0), 6),
        ["50", "100", "200", "500", "1,000", "2,000"]
    );
    assert_eq!(labels(&Scale::log((1.0, 1e6), 0.0, 1.0), 7).len(), 7);
    assert_eq!(labels(&Scale::log((1.0, 1e6), 0.0, 1.0), 4), ["1", "100", "10,000", "1,000,000"]);
    // Less than two round numbers within: ticks as on a linear axis.
    assert!(labels(&Scale::log((110.0, 150.0), 0.0, 1.0), 5).len() > 2);
    assert_eq!(Scale::log((1.0, 10.0), 0.0, 1.0).minor().len(), 10);
    assert!(Scale::linear((1.0, 10.0), 0.0, 1.0).minor().is_empty());
}

#[test]
fn ranges_without_inside_get_one() {
    assert_eq!(settle(None), (0.0, 1.0));
    assert_eq!(settle(range([f64::NAN, f64::INFINITY])), (0.0, 1.0));
    assert_eq!(settle(range([0.0])), (0.0, 1.0));
    assert_eq!(settle(range([-10.0, -10.0])), (-11.0, -9.0));
    let scale = Scale::linear((f64::NAN, 3.0), 0.0, 100.0);
    assert_eq!((scale.low, scale.high, scale.at(f64::NAN)), (0.0, 1.0, 0.0));
    let scale = Scale::log((-5.0, 0.0), 0.0, 100.0);
    assert_eq!((scale.low, scale.high, scale.at(f64::INFINITY)), (1.0, 10.0, 100.0));
}

#[test]
fn places_are_proportional() {
    let up = Scale::linear((10.0, 20.0), 300.0, 100.0);
    assert_eq!([up.at(10.0), up.at(15.0), up.at(25.0)], [300.0, 200.0, 100.0]);
    let log = Scale::log((1.0, 100.0), 0.0, 100.0);
    assert!((log.at(10.0) - 50.0).abs() < 1e-9);
}

#[test]
fn numbers_as_people_write_them() {
    let all = [0.0, 0.12345, -1234.6, 1e6, 12.0, 3e-5, 2.5e9, f64::NAN].map(plain);
    assert_eq!(all, ["0", "0.1235", "−1,235", "1,000,000", "12", "3×10⁻⁵", "2.5×10⁹", "?"]);
    assert_eq!([grouped(-0.001, 2), grouped(1234.567, 1)], ["0.00", "1,234.6"]);
}

/// True for 1, 2 or 5 times a power of ten.
fn is_step(x: f64) -> bool {
    let mantissa = x / 10f64.powf(x.log10().floor());
    [1.0, 2.0, 5.0, 10.0].iter().any(|m| (mantissa / m - 1.0).abs() < 1e-4)
}

proptest! {
    #[test]
    fn linear_ticks_are_nice_and_cover(a in -1e6f64..1e6, span in 1e-2f64..1e6, most in 2usize..12) {
        let range = (a, a + span);
        let wide = nice(range, most);
        let ticks = Scale::linear(wide, 0.0, 1.0).ticks(most);
        prop_assert!(wide.0 <= range.0 + span * 1e-6 && wide.1 >= range.1 - span * 1e-6);
        let (first, last) = (ticks[0].value, ticks[ticks.len() - 1].value);
        prop_assert!((first - wide.0).abs() < span * 1e-6 && (last - wide.1).abs() < span * 1e-6);
        prop_assert!(ticks.len() >= 2 && ticks.len() <= most + 1, "{ticks:?}");
        prop_assert!(is_step(ticks[1].value - ticks[0].value), "{ticks:?}");
        let mut names: Vec<_> = ticks.iter().map(|t| &t.label).collect();
        names.dedup();
        prop_assert_eq!(names.len(), ticks.len());
    }

    #[test]
    fn log_ticks_lie_within(low in 1e-6f64..1e6, ratio in 1.01f64..1e9, most in 2usize..10) {
        let scale = Scale::log((low, low * ratio), 0.0, 1.0);
        let ticks = scale.ticks(most);
        prop_assert!(!ticks.is_empty());
        for pair in ticks.windows(2) {
            prop_assert!(pair[0].value < pair[1].value && pair[0].label != pair[1].label);
        }
        prop_assert!(ticks.iter().all(|t| t.value > low * 0.99 && t.value < low * ratio * 1.01));
    }

    #[test]
    fn any_numbers_give_places(low in proptest::num::f64::ANY, high in proptest::num::f64::ANY,
                               x in proptest::num::f64::ANY) {
        for scale in [Scale::linear((low, high), 0.0, 100.0), Scale::log((low, high), 0.0, 100.0)] {
            let at = scale.at(x);
            prop_assert!((-1e-6..=100.000001).contains(&at), "{scale:?} {at}");
            prop_assert!(scale.ticks(6).len() < 30);
            prop_assert!(scale.minor().len() < 100);
            prop_assert!(!plain(x).contains("NaN"));
        }
        let (a, b) = nice((low, high), 5);
        prop_assert!(a < b && a.is_finite() && b.is_finite());
    }
}
