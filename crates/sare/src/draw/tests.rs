//! What holds for every chart.

use super::*;
use proptest::prelude::*;

/// Checks that the tags of a text are balanced, attributes quoted and once each, and nothing is left unescaped.
pub(super) fn well_formed(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text.trim_end();
    while let Some(at) = rest.find('<') {
        content(&rest[..at])?;
        if open.is_empty() && at > 0 {
            return Err(format!("text outside: {}", &rest[..at]));
        }
        let end = rest.find('>').ok_or("a tag without end")?;
        let tag = rest.get(at + 1..end).filter(|t| !t.contains('<')).ok_or("a tag in a tag")?;
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("{last:?} closed by {name}"));
            }
        } else {
            let (tag, single) = tag.strip_suffix('/').map_or((tag, false), |t| (t, true));
            let name = tag.split(' ').next().unwrap_or("");
            attributes(&tag[name.len()..])?;
            if !single {
                open.push(name);
            }
        }
        if open.is_empty() && !rest.is_empty() {
            return Err(format!("after the root: {rest}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

fn attributes(mut text: &str) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    while !text.is_empty() {
        let text_ = text.strip_prefix(' ').ok_or(format!("no space before {text}"))?;
        let (name, value) = text_.split_once("=\"").ok_or(format!("no value: {text}"))?;
        if seen.contains(&name) || name.contains([' ', '"']) {
            return Err(format!("attribute {name}"));
        }
        seen.push(name);
        let (value, after) = value.split_once('"').ok_or(format!("no end: {value}"))?;
        content(value)?;
        text = after;
    }
    Ok(())
}

fn content(text: &str) -> Result<(), String> {
    const KNOWN: [&str; 5] = ["lt;", "gt;", "amp;", "quot;", "#39;"];
    let known = |part: &str| KNOWN.iter().any(|k| part.starts_with(k));
    // The style sheet of a page has quotes and combinators of its own.
    if text.split('&').skip(1).all(known) { Ok(()) } else { Err(format!("unescaped: {text}")) }
}

/// The number at a place, from the beginning again after the last.
fn round(numbers: &[f64], i: usize) -> f64 {
    numbers.get(i % numbers.len().max(1)).copied().unwrap_or(f64::NAN)
}

fn scatter(name: &str, numbers: &[f64]) -> Scatter {
    let at = |i: usize| round(numbers, i);
    let points = (0..numbers.len()).map(|i| ScatterPoint {
        name: name.into(),
        x: at(i),
        y: at(i + 1),
        x_error: Some(at(i + 2)),
        y_error: Some(at(i + 3)),
    });
    Scatter { title: name.into(), points: points.collect(), ..Scatter::default() }
}

/// A chart of every kind from the same numbers.
fn all(name: &str, numbers: &[f64]) -> Vec<String> {
    let at = |i: usize| round(numbers, i);
    let n = numbers.len();
    let title = || name.to_string();
    let line = |k: usize| Series {
        name: title(),
        points: (0..n)
            .map(|i| LinePoint { x: at(i), y: at(i * k), error: Some(at(i + k)) })
            .collect(),
    };
    let lines = |x_log, unit_square| Lines {
        title: title(),
        x_label: title(),
        series: (1..5).map(line).collect(),
        x_log,
        unit_square,
        diagonal: true,
        ..Lines::default()
    };
    let bin = |i: usize| Bin {
        low: at(i),
        high: at(i + 1),
        predicted: at(i + 2),
        observed: at(i + 3),
        error: Some(at(i)),
        count: at(i + 1),
    };
    let bars = |style| Bars {
        title: title(),
        x_label: title(),
        style,
        note: title(),
        bars: (0..n).map(|i| Bar { name: title(), value: at(i), error: Some(at(i + 1)) }).collect(),
    };
    let learners = (0..n).map(|i| Ranked { name: title(), rank: at(i) }).collect();
    [
        scatter(name, numbers).svg(),
        lines(false, false).svg(),
        lines(true, false).svg(),
        lines(false, true).svg(),
        Reliability { bins: (0..n).map(bin).collect(), ..Reliability::default() }.svg(),
        CriticalDifference {
            title: title(),
            learners,
            critical_difference: at(0),
            ..Default::default()
        }
        .svg(),
        bars(BarStyle::Bars).svg(),
        bars(BarStyle::Dots).svg(),
        network(name, numbers).svg(),
    ]
    .into_iter()
    .chain(of_groups(name, numbers))
    .collect()
}

/// The charts that show groups.
fn of_groups(name: &str, numbers: &[f64]) -> Vec<String> {
    let title = || name.to_string();
    let bin = |i: usize| HistogramBin {
        low: round(numbers, i),
        high: round(numbers, i + 1),
        count: round(numbers, i + 2),
    };
    let panel = |most| Panel { label: title(), values: numbers.to_vec(), most };
    let row =
        |i: usize| ProfileRow { name: title(), whole: round(numbers, i), shares: numbers.to_vec() };
    let block =
        |more| ProfileBlock { name: title(), rows: (0..numbers.len()).map(row).collect(), more };
    vec![
        Histogram {
            title: title(),
            bins: (0..numbers.len()).map(bin).collect(),
            ..Histogram::default()
        }
        .svg(),
        MembershipBars {
            title: title(),
            note: title(),
            y_label: title(),
            groups: vec![title(); 3],
            rows: numbers.chunks(3).map(<[f64]>::to_vec).collect(),
        }
        .svg(),
        Panels {
            title: title(),
            note: title(),
            names: vec![title(); 4],
            panels: vec![panel(None), panel(numbers.first().copied())],
        }
        .svg(),
        Profiles {
            title: title(),
            note: title(),
            groups: vec![ProfileGroup { name: title(), note: title() }; 3],
            blocks: vec![block(0), block(2)],
        }
        .svg(),
    ]
}

fn network(name: &str, numbers: &[f64]) -> NetworkDrawing {
    let some = |i: usize| i.is_multiple_of(2).then(|| name.to_string());
    let emphasis = [Emphasis::Class, Emphasis::Attribute, Emphasis::Faded];
    let node =
        |i: usize| DrawnNode { label: name.into(), emphasis: emphasis[i % 3], tooltip: some(i) };
    let arc = |(i, x): (usize, &f64)| DrawnArc {
        from: (x * 7.0) as usize,
        to: i,
        strength: Some(*x),
        tooltip: some(i),
    };
    NetworkDrawing {
        title: some(0),
        note: some(0),
        nodes: (0..numbers.len()).map(node).collect(),
        arcs: numbers.iter().enumerate().map(arc).collect(),
        strength_note: some(0),
    }
}

fn sound(svg: &str) -> Result<(), String> {
    well_formed(svg)?;
    for bad in ["NaN", "inf", "null"] {
        if svg.contains(bad) {
            return Err(format!("{bad} in {svg}"));
        }
    }
    let root = svg.starts_with("<svg ") && svg.contains("role=\"img\"") && svg.contains("><title>");
    if root { Ok(()) } else { Err("no name".into()) }
}

#[test]
fn the_checker_sees_what_is_wrong() {
    well_formed("<a x=\"1\"><b/>&lt;</a>").unwrap();
    for bad in [
        "<a>",
        "<a></b>",
        "<a x=1/>",
        "<a x=\"1\" x=\"2\"/>",
        "<a>&</a>",
        "<a/><b/>",
        "<a x=\"<\"/>",
    ] {
        assert!(well_formed(bad).is_err(), "{bad}");
    }
}

#[test]
fn names_are_escaped() {
    for svg in all("<a>&\"b'", &[0.1, 0.2, 0.3, 0.25]) {
        sound(&svg).unwrap();
        assert!(svg.contains("&lt;a&gt;&amp;&quot;b&#39;") || svg.contains("Reliability"));
    }
}

#[test]
fn the_same_numbers_give_the_same_bytes() {
    let numbers = [0.3, 0.1, 0.25, 0.7, 0.9];
    assert_eq!(all("name", &numbers), all("name", &numbers));
}

#[test]
fn no_data_and_one_point_are_drawn() {
    for numbers in [&[][..], &[0.0], &[0.3], &[f64::NAN], &[f64::INFINITY, 1.0], &[5.0, 5.0, 5.0]] {
        for svg in all("name", numbers) {
            sound(&svg).unwrap();
        }
    }
}

fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0f64..1.0,
        2 => -1e3f64..1e3,
        2 => proptest::num::f64::ANY,
        1 => prop::sample::select(vec![
            f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, f64::MIN_POSITIVE, f64::MAX, 9e99, -9e99, 1e-320,
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn hostile_numbers_and_names(numbers in prop::collection::vec(hostile(), 0..20), name in "[^NIni]{0,40}") {
        for svg in all(&name, &numbers) {
            prop_assert!(sound(&svg).is_ok(), "{:?}", sound(&svg));
        }
    }
}
