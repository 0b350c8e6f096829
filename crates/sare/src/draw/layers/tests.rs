//! What holds for every layout.

use super::*;
use proptest::prelude::*;

fn cubic(from: Spot, [a, b, c]: [Spot; 3], t: f64) -> Spot {
    let s = 1.0 - t;
    let one = |p: f64, q: f64, r: f64, u: f64| {
        s * s * s * p + 3.0 * s * s * t * q + 3.0 * s * t * t * r + t * t * t * u
    };
    (one(from.0, a.0, b.0, c.0), one(from.1, a.1, b.1, c.1))
}

/// The spots along a curve.
fn along(route: &Route) -> Vec<Spot> {
    let mut from = route.start;
    let mut all = Vec::new();
    for piece in &route.pieces {
        all.extend((0..=20).map(|i| cubic(from, *piece, f64::from(i) / 20.0)));
        from = piece[2];
    }
    all
}

/// Boxes on the canvas and apart; curves on the canvas, from parent down to child, and through no box.
fn sound(layout: &Layout, widths: &[f64], arcs: &[(usize, usize)]) -> Result<(), String> {
    const E: f64 = 1e-6;
    let (width, height) = (layout.width + E, layout.height + E);
    let side =
        |v: usize| (layout.middles[v].0 - widths[v] / 2.0, layout.middles[v].0 + widths[v] / 2.0);
    for v in 0..widths.len() {
        let ((left, right), y) = (side(v), layout.middles[v].1);
        if left < -E || right > width || y - BOX / 2.0 < -E || y + BOX / 2.0 > height {
            return Err(format!("{v} is off the canvas"));
        }
        for w in 0..v {
            let (l, r) = side(w);
            let aside = right + 4.0 < l || r + 4.0 < left;
            if !aside && (layout.middles[w].1 - y).abs() < BOX + 4.0 {
                return Err(format!("{v} and {w} touch"));
            }
        }
    }
    let mut rows: Vec<(f64, Vec<usize>)> = Vec::new();
    for (v, middle) in layout.middles.iter().enumerate() {
        match rows.iter_mut().find(|r| r.0 == middle.1) {
            Some(row) => row.1.push(v),
            None => rows.push((middle.1, vec![v])),
        }
    }
    let turned = rank::orient(widths.len(), arcs);
    for (i, route) in layout.routes.iter().enumerate() {
        let (Some((upper, lower)), Some(route)) = (turned[i], route) else {
            assert!(turned[i].is_none() && route.is_none());
            continue;
        };
        if layout.middles[upper].1 + BOX > layout.middles[lower].1 {
            return Err(format!("{upper} is not above {lower}"));
        }
        let route = if arcs[i] == (upper, lower) { route.clone() } else { route.turned() };
        let spots = along(&route);
        let meets = |spot: Spot, v: usize, edge: f64| {
            let (left, right) = side(v);
            (left..=right).contains(&spot.0) && (spot.1 - layout.middles[v].1 - edge).abs() < E
        };
        let last = spots[spots.len() - 1];
        if !meets(spots[0], upper, BOX / 2.0) || !meets(last, lower, -BOX / 2.0) {
            return Err(format!("{:?} does not join its boxes", arcs[i]));
        }
        for pair in spots.windows(2) {
            if pair[1].1 < pair[0].1 - E {
                return Err(format!("{:?} turns up", arcs[i]));
            }
        }
        for spot in spots {
            if spot.0 < -E || spot.0 > width {
                return Err(format!("{:?} leaves the canvas", arcs[i]));
            }
            let within = |v: &&usize| {
                let (left, right) = side(**v);
                spot.0 > left - 1.0 && spot.0 < right + 1.0
            };
            let near = |m: &f64| (spot.1 - m).abs() < BOX / 2.0 - 0.01;
            let row = rows.iter().find(|r| near(&r.0)).map_or(&[][..], |r| &r.1);
            if let Some(v) = row.iter().find(within) {
                return Err(format!("{:?} runs through {v}", arcs[i]));
            }
        }
    }
    Ok(())
}

fn lay(nodes: usize, arcs: &[(usize, usize)], class: bool) -> Layout {
    let widths: Vec<f64> = (0..nodes).map(|v| 40.0 + (v * 37 % 100) as f64).collect();
    let layout = lay_out(&widths, arcs, &vec![class; usize::from(class)]);
    sound(&layout, &widths, arcs).unwrap();
    layout
}

fn star(nodes: usize) -> Vec<(usize, usize)> {
    (1..nodes).map(|v| (0, v)).collect()
}

/// A tree over all nodes but the first.
fn tree(nodes: usize) -> Vec<(usize, usize)> {
    (2..nodes).map(|v| (1 + (v * 7 + v / 3) % (v - 1), v)).collect()
}

#[test]
fn small_and_odd_graphs() {
    assert_eq!(lay(0, &[], false).height, 0.0);
    assert_eq!(lay(1, &[], true).height, BOX);
    lay(2, &[(0, 1)], true);
    lay(12, &[], false);
    lay(4, &[(0, 0), (1, 9), (2, 3), (2, 3), (3, 2)], false);
    lay(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 1)], false);
}

#[test]
fn an_arc_that_closes_a_cycle_points_up() {
    let layout = lay(3, &[(0, 1), (1, 2), (2, 0)], false);
    let up = layout.routes[2].as_ref().unwrap();
    assert!(up.start.1 > up.pieces[up.pieces.len() - 1][2].1);
}

#[test]
fn naive_bayes_is_no_strip() {
    let layout = lay(37, &star(37), true);
    assert_eq!(layout.hubs, [0]);
    let shape = layout.width / layout.height;
    assert!((1.0..2.3).contains(&shape), "{shape}");
    assert!((layout.middles[0].0 - layout.width / 2.0).abs() < 30.0, "the class is in the middle");
    // Without a class in the top row it is wrapped as well.
    let arcs: Vec<(usize, usize)> = (2..40).map(|v| (1, v)).chain([(0, 1)]).collect();
    let layout = lay(40, &arcs, false);
    assert!(layout.hubs.is_empty());
    let shape = layout.width / layout.height;
    assert!((0.8..2.5).contains(&shape), "{shape}");
}

#[test]
fn trees_under_a_class_do_not_cross() {
    let arcs: Vec<(usize, usize)> = star(37).into_iter().chain(tree(37)).collect();
    let layout = lay(37, &arcs, true);
    assert_eq!(layout.crossings, 0);
    let shape = layout.width / layout.height;
    assert!((0.7..2.6).contains(&shape), "{shape}");
}

#[test]
fn a_class_and_a_parent_of_all() {
    let arcs: Vec<(usize, usize)> = star(30).into_iter().chain((2..30).map(|v| (1, v))).collect();
    assert_eq!(lay(30, &arcs, true).hubs, [0, 1]);
}

#[test]
fn chains_are_straight() {
    let arcs: Vec<(usize, usize)> = (1..10).map(|v| (v - 1, v)).collect();
    let layout = lay(10, &arcs, false);
    assert!(layout.middles.iter().all(|m| (m.0 - layout.middles[0].0).abs() < 0.01));
}

#[test]
fn arcs_that_run_as_one_begin_as_one() {
    // Three children on a row far below: two of them are on one side of what is between.
    let arcs = [(0, 1), (1, 2), (2, 3), (2, 4), (2, 5), (0, 3), (0, 4), (0, 5)];
    let layout = lay(6, &arcs, false);
    let pieces = |i: usize| &layout.routes[i].as_ref().unwrap().pieces;
    let (a, b) = if pieces(5)[0] == pieces(6)[0] { (5, 6) } else { (6, 7) };
    assert_eq!(pieces(a)[0], pieces(b)[0]);
    assert_ne!(pieces(a).last(), pieces(b).last());
}

#[test]
fn hundreds_and_thousands() {
    for nodes in [200, 1200] {
        let arcs: Vec<(usize, usize)> = (1..nodes)
            .flat_map(|v| [(v * 31 % v.min(60), v), (v - 1 - v * 17 % v.min(40), v)])
            .collect();
        lay(nodes, &arcs, false);
        let arcs: Vec<(usize, usize)> = star(nodes).into_iter().chain(tree(nodes)).collect();
        lay(nodes, &arcs, true);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn all_graphs_are_laid_out(
        nodes in 0usize..40,
        pairs in prop::collection::vec((0usize..40, 0usize..40), 0..70),
        widths in prop::collection::vec(36.0f64..160.0, 40),
        class in 0usize..40,
        hub in any::<bool>(),
    ) {
        let mut arcs = pairs;
        if hub {
            arcs.extend((0..nodes).map(|v| (class, v)));
        }
        let central: Vec<bool> = (0..nodes).map(|v| v == class).collect();
        let layout = lay_out(&widths[..nodes], &arcs, &central);
        prop_assert_eq!(sound(&layout, &widths[..nodes], &arcs), Ok(()));
    }
}
