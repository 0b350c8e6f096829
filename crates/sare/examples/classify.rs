//! From a table to predictions: `cargo run --release --example classify`

use sare::classify::Learner;
use sare::evaluate::{Options, Scheme, evaluate};
use sare::network::known::{Shape, generate};
use sare::registry;
use sare::run::Run;

fn main() -> Result<(), sare::error::Error> {
    let run = Run::with_seed(1);
    // A file would be read by `sare::data::read_table("file.csv", &ReadOptions::default(), &run)?`.
    let table = generate("nursery", None, &Shape::default(), 1)?;
    let learner =
        Learner { parameters: registry::parameters("dirichlet:0.5")?, ..Learner::default() };

    let result = evaluate(&learner, &table, "class", Scheme::folds(5), &Options::default(), &run)?;
    println!("accuracy on unseen rows: {:.4}", result.accuracy().mean);

    let model = learner.fit(table.view(), "class", &run)?;
    let posteriors = model.predict(&table, &run)?.posteriors;
    for (level, p) in model.class().levels().iter().zip(posteriors.row(0)) {
        println!("p({level} | first row) = {p:.6}");
    }
    Ok(())
}
