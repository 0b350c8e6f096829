//! Structures in which the parents of every node are joined with each other.

use super::dag::Dag;
use crate::error::Result;

/// A graph with the arcs it lacks so that `class` is a parent of every node that tells anything about it, and the
/// parents of each such node are joined; and these arcs. What depends on the class in no way stays as it is.
pub fn completed(dag: &Dag, class: usize) -> Result<(Dag, Vec<(usize, usize)>)> {
    let order = dag.topological_order();
    let mut place = vec![0; dag.nodes()];
    order.iter().enumerate().for_each(|(i, &v)| place[v] = i);
    let mut whole = dag.clone();
    let mut added = Vec::new();
    let mut add = |whole: &mut Dag, parent: usize, child: usize| -> Result<()> {
        if !whole.has_arc(parent, child) {
            whole.add(parent, child)?;
            added.push((parent, child));
        }
        Ok(())
    };
    // Children first: an arc between parents is one more parent for an earlier node, which is still to come.
    for &child in order.iter().rev().filter(|&&v| v != class) {
        if !whole.has_arc(class, child) {
            continue;
        }
        let parents: Vec<usize> = whole.parents(child).filter(|&p| p != class).collect();
        for (i, &a) in parents.iter().enumerate() {
            add(&mut whole, class, a)?;
            for &b in &parents[..i] {
                let (first, second) = if place[a] < place[b] { (a, b) } else { (b, a) };
                if !whole.has_arc(second, first) {
                    add(&mut whole, first, second)?;
                }
            }
        }
    }
    Ok((whole, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arcs: &[(usize, usize)]) -> Dag {
        let mut dag = Dag::new(5);
        arcs.iter().for_each(|&(p, c)| dag.add(p, c).unwrap());
        dag
    }

    #[test]
    fn trees_are_perfect_and_colliders_are_completed() {
        let tree = graph(&[(4, 0), (4, 1), (4, 2), (0, 1), (0, 2)]);
        assert_eq!(completed(&tree, 4).unwrap(), (tree.clone(), vec![]));
        // 0 -> 3 <- 1, 2 -> 1: joining 0 and 1 gives 1 the parents 0 and 2, which are joined in turn.
        let collider = graph(&[(4, 0), (4, 1), (4, 2), (4, 3), (0, 3), (1, 3), (2, 1)]);
        let (whole, mut added) = completed(&collider, 4).unwrap();
        added.sort_unstable();
        assert_eq!(added, [(0, 1), (0, 2)]);
        assert_eq!(completed(&whole, 4).unwrap().1, []);
        // A parent that does not depend on the class must; what is apart from the class is left alone.
        let apart = graph(&[(4, 0), (1, 0), (2, 3)]);
        assert_eq!(completed(&apart, 4).unwrap().1, [(4, 1)]);
    }
}
