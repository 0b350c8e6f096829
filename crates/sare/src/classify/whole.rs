//! An average over structures as one network: every attribute depends on the class and on all before it.

use super::fitted::Fitted;
use crate::data::{Cells, Schema, Table};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::infer::density::Purpose;
use crate::network::Network;
use crate::num::normalise_logs;
use crate::parameters::dirichlet::variables;
use crate::run::Run;

/// The most combinations of states of the attributes that are gone through.
const MOST_CELLS: u128 = 1 << 20;

/// The network that says what the model says of every combination of states; `schema` is that of the coded columns, the
/// class last. Fails where there are too many.
pub(super) fn whole_network(fitted: &Fitted, schema: &Schema, run: &Run<'_>) -> Result<Network> {
    let class = schema.len() - 1;
    let states: Vec<usize> = schema.fields.iter().map(|f| f.states()).collect();
    let cells = states[..class].iter().fold(1u128, |n, &s| n.saturating_mul(s as u128));
    if cells > MOST_CELLS {
        let problem = format!(
            "the model is an average over structures, and as one network it would need {cells} combinations of states: at most {MOST_CELLS}"
        );
        return Err(Error::model("model", problem, "use a model of one structure"));
    }
    let mut joint = fitted.per_class(
        every_cell(schema, cells as usize).view(),
        Purpose::Density,
        run,
        |_| {},
    )?;
    normalise_logs(&mut joint);
    let mut dag = Dag::new(class + 1);
    let mut tables = vec![Vec::new(); class + 1];
    // From the last attribute on: what is left is p(attributes before it, class).
    for v in (0..class).rev() {
        dag.add(class, v)?;
        (0..v).try_for_each(|parent| dag.add(parent, v))?;
        let (shorter, table) = given_before(&joint, states[v], states[class]);
        tables[v] = table;
        joint = shorter;
    }
    tables[class] = joint;
    Network::new(variables(schema), dag, tables)
}

/// Every combination of the attributes' states, the first changing slowest; the class is missing.
fn every_cell(schema: &Schema, cells: usize) -> Table {
    let class = schema.len() - 1;
    let mut period = cells;
    let column = |c: usize| {
        let field = schema.fields[c].clone();
        let states = field.states();
        if c == class {
            let missing = Cells::from_codes(std::iter::repeat_n(None, cells), states);
            return (field, missing);
        }
        period /= states;
        let own = period;
        let codes = Cells::from_codes((0..cells).map(|i| Some(i / own % states)), states);
        (field, codes)
    };
    Table::trusted("cells", (0..=class).map(column).collect(), cells)
}

/// Of p(attributes, class), class innermost: p(attributes but the last, class), and p(last | others, class) with the class
/// as the last parent.
fn given_before(joint: &[f64], states: usize, classes: usize) -> (Vec<f64>, Vec<f64>) {
    let mut shorter = Vec::with_capacity(joint.len() / states);
    let mut table = Vec::with_capacity(joint.len());
    for of_one in joint.chunks_exact(states * classes) {
        for c in 0..classes {
            let own = || (0..states).map(|s| of_one[s * classes + c]);
            let sum: f64 = own().sum();
            let share = |p: f64| if sum > 0.0 { p / sum } else { 1.0 / states as f64 };
            table.extend(own().map(share));
            shorter.push(sum);
        }
    }
    (shorter, table)
}

#[cfg(test)]
mod tests {
    use crate::average::Average;
    use crate::average::order::OrderAverage;
    use crate::average::trees::TreeAverage;
    use crate::classify::{Learner, Structures};
    use crate::data::View;
    use crate::network::known::{Shape, generate};
    use crate::num::tolerance::close;
    use crate::run::Run;

    /// The network gives every row the probability that the average gives it.
    #[test]
    fn an_average_as_a_network_says_the_same() {
        let table = generate("monk1", Some(120), &Shape::default(), 1).unwrap();
        let run = Run::default();
        let averages: [Box<dyn Average>; 2] = [
            Box::new(OrderAverage { orders: 3, ..OrderAverage::default() }),
            Box::new(TreeAverage::default()),
        ];
        for average in averages {
            let form = average.form();
            let structure = Structures::Average(average);
            let learner = Learner { structure, ..Learner::default() };
            let model = learner.fit(table.view(), "class", &run).unwrap();
            let network = model.as_network(&run).unwrap();
            let coded = model.bins().apply(&table);
            let joint = model.log_joint(View::all(&coded), &run).unwrap();
            for r in 0..coded.rows() {
                for c in 0..2 {
                    let mut row: Vec<usize> =
                        (0..6).map(|v| coded.cells(v).code(r).unwrap()).collect();
                    row.push(c);
                    let (ours, theirs) = (network.log_probability(&row), joint.row(r)[c]);
                    assert!(close(ours, theirs, 1e-9), "{form}: {ours} {theirs}");
                }
            }
        }
    }
}
