//! How far to the right: arcs straight where they can be, parents above the middle of their children, nothing too near.

use super::straight::straighten;

/// A link between vertices of neighbouring rows, and how much it matters that it is straight.
pub(super) type Link = (usize, usize, f64);

/// The places nearest to those wished for (in weighted squares) that keep the order and the distances `apart` from one
/// to the next.
pub(super) fn settle(wish: &[f64], weight: &[f64], apart: &[f64]) -> Vec<f64> {
    // Without the distances it is monotone regression: neighbours in the wrong order share their mean.
    let mut shift = vec![0.0; wish.len()];
    for i in 1..wish.len() {
        shift[i] = shift[i - 1] + apart[i - 1];
    }
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(wish.len());
    for i in 0..wish.len() {
        let mut pool = (wish[i] - shift[i], weight[i], 1);
        while let Some(&(mean, w, count)) = pools.last()
            && mean >= pool.0
        {
            pools.pop();
            let sum = w + pool.1;
            pool = ((mean * w + pool.0 * pool.1) / sum, sum, count + pool.2);
        }
        pools.push(pool);
    }
    let flat = pools.iter().flat_map(|(mean, _, count)| std::iter::repeat_n(*mean, *count));
    flat.zip(&shift).map(|(mean, shift)| mean + shift).collect()
}

/// The middles of all vertices, of which those from `nodes` on are bends; `apart(a, b)` is how far b's middle must be to
/// the right of its left neighbour a's.
pub(super) fn place(
    rows: &[Vec<usize>],
    links: &[Link],
    nodes: usize,
    apart: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let count = rows.iter().flatten().max().map_or(0, |v| v + 1);
    let (mut up, mut down) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for &(a, b, weight) in links {
        down[a].push((b, weight));
        up[b].push((a, weight));
    }
    let gaps: Vec<Vec<f64>> =
        rows.iter().map(|row| row.windows(2).map(|p| apart(p[0], p[1])).collect()).collect();
    let mut x = vec![0.0; count];
    for (row, gaps) in rows.iter().zip(&gaps) {
        let mut at = -gaps.iter().sum::<f64>() / 2.0;
        for (i, &v) in row.iter().enumerate() {
            at += if i > 0 { gaps[i - 1] } else { 0.0 };
            x[v] = at;
        }
    }
    let rounds = (400_000 / count.max(1)).clamp(6, 120);
    for round in 0..rounds {
        // At first news must travel far, along one side; then both sides count.
        let both = round * 3 >= rounds;
        for k in 0..rows.len() {
            let r = if round % 2 == 0 { k } else { rows.len() - 1 - k };
            let mut wish = Vec::with_capacity(rows[r].len());
            let mut weight = Vec::with_capacity(rows[r].len());
            for &v in &rows[r] {
                let (first, second) = if round % 2 == 0 { (&up, &down) } else { (&down, &up) };
                let far = if both { &second[v][..] } else { &[] };
                let (mut sum, mut total) = (0.0, 0.0);
                for (w, weight) in first[v].iter().chain(far) {
                    // Long links pull less than in proportion: else one of them tilts all others.
                    let share = weight * 80.0 / (80.0 + (x[*w] - x[v]).abs());
                    sum += share * x[*w];
                    total += share;
                }
                wish.push(if total > 0.0 { sum / total } else { x[v] });
                weight.push(if total > 0.0 { total } else { 1e-3 });
            }
            for (v, at) in rows[r].iter().zip(settle(&wish, &weight, &gaps[r])) {
                x[*v] = at;
            }
        }
    }
    straighten(rows, &gaps, links, nodes, &mut x);
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_kept_where_there_is_room() {
        assert_eq!(settle(&[0.0, 20.0], &[1.0, 1.0], &[10.0]), [0.0, 20.0]);
        assert_eq!(settle(&[0.0, 0.0], &[1.0, 1.0], &[10.0]), [-5.0, 5.0]);
        assert_eq!(settle(&[0.0, 0.0], &[3.0, 1.0], &[10.0]), [-2.5, 7.5]);
        assert!(settle(&[], &[], &[]).is_empty());
    }

    #[test]
    fn parents_stand_above_their_children_and_chains_are_straight() {
        let rows = [vec![0], vec![1, 2, 3], vec![4, 5]];
        let links = [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0), (1, 4, 1.0), (3, 5, 1.0)];
        let x = place(&rows, &links, 6, |_, _| 50.0);
        assert!((x[0] - x[2]).abs() < 1.0, "{x:?}");
        assert!((x[1] - x[4]).abs() < 1.0 && (x[3] - x[5]).abs() < 1.0, "{x:?}");
        assert!(x[2] - x[1] > 49.9 && x[3] - x[2] > 49.9, "{x:?}");
    }
}
