//! Holes are summed out: `cargo run --release --example missing_values`

use sare::classify::Learner;
use sare::data::{Cells, Table};
use sare::network::known::{Shape, generate};
use sare::run::Run;

fn main() -> Result<(), sare::error::Error> {
    let run = Run::default();
    let whole = generate("monk3", None, &Shape::default(), 1)?;
    // Every third cell of a5 is lost; the rows are still learnt from and still predicted.
    let columns = (0..whole.columns()).map(|c| {
        let field = whole.field(c).clone();
        let lost = |r: usize| field.name == "a5" && r.is_multiple_of(3);
        let codes = (0..whole.rows()).map(|r| whole.cells(c).code(r).filter(|_| !lost(r)));
        let cells = Cells::from_codes(codes, field.states());
        (field, cells)
    });
    let holed = Table::new("monk3 with holes", columns.collect())?;
    let model = Learner::default().fit(holed.view(), "class", &run)?;
    let posteriors = model.predict(&holed, &run)?.posteriors;
    println!("{} rows in, {} rows out", holed.rows(), posteriors.rows());
    println!("row 0, a5 unknown: {:?}", posteriors.row(0));
    println!("row 1, a5 known:   {:?}", posteriors.row(1));
    Ok(())
}
