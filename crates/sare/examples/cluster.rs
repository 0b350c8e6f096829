//! From a table without a class to clusters, how many, and which columns tell them apart: `cargo run --release --example cluster`

use sare::cluster::{Chooser, Clusterer, Contingency, Rule, agreement, warnings};
use sare::network::known::{Shape, generate};
use sare::registry;
use sare::run::Run;

fn main() -> Result<(), sare::error::Error> {
    let run = Run::with_seed(1);
    // Rows of three kinds, of which about half of the columns know nothing; the last column is the kind.
    let shape = Shape { variables: 12, clusters: 3, relevant: 0.5, ..Shape::default() };
    let table = generate("random-nb", Some(1000), &shape, 5)?;
    let kind = table.schema().require("class", table.name())?;
    let answers = table.select(&(0..kind).collect::<Vec<usize>>());

    let clusterer =
        Clusterer { method: registry::clusterer("ema:auto")?, starts: 30, ..Clusterer::default() };
    let chooser = Chooser { clusterer, numbers: 1..=5, folds: 0, rule: Rule::Bic };
    let mut choice = chooser.choose(answers.view(), &run)?;
    for figures in choice.candidates.iter().map(|c| &c.figures) {
        println!("{} clusters: BIC {:.1}", figures.clusters, figures.by(Rule::Bic));
    }

    let found = choice.candidates.swap_remove(choice.chosen).clustering;
    let outcome = found.model.outcome();
    for (attribute, p) in found.model.attributes().iter().zip(outcome.relevance.iter().flatten()) {
        println!("{}: matters with probability {p:.3}", attribute.name);
    }
    for weakness in warnings(&found.model) {
        println!("note: {weakness}");
    }

    let known: Vec<Option<u32>> =
        (0..table.rows()).map(|r| table.cells(kind).code(r).map(|c| c as u32)).collect();
    let clusters: Vec<Option<u32>> = found.assignment().into_iter().map(Some).collect();
    let agreed = agreement(&Contingency::new(&known, &clusters, None)?);
    println!("adjusted Rand index with the kinds: {:.3}", agreed.adjusted_rand);
    Ok(())
}
