//! A structure of one's own beside those of the registry: `cargo run --release --example own_learner`

use sare::classify::Learner;
use sare::data::Source;
use sare::error::Result;
use sare::evaluate::{Options, Scheme, evaluate};
use sare::graph::Dag;
use sare::network::known::{Shape, generate};
use sare::run::Run;
use sare::stats::information::information_with_class;
use sare::stats::{CountFamilies, Family, run_pass};
use sare::structure::Structure;
use sare::structure::constraints::Rules;

/// Naive Bayes with the attributes that tell at least `bits` about the class.
struct Informative {
    bits: f64,
}

impl Structure for Informative {
    fn form(&self) -> String {
        format!("informative:{}", self.bits)
    }

    fn learn(&self, data: &Source<'_>, _: &Rules, run: &Run<'_>) -> Result<Dag> {
        let class = data.schema().len() - 1;
        let alone = |child| Family { child, parents: Vec::new() };
        let pass = CountFamilies::new(data, (0..class).map(alone).collect(), Some(class))?;
        let mut dag = Dag::new(class + 1);
        for (attribute, counts) in run_pass(data, &pass, run)?.iter().enumerate() {
            if information_with_class(counts) >= self.bits * std::f64::consts::LN_2 {
                dag.add(class, attribute)?;
            }
        }
        Ok(dag)
    }
}

fn main() -> Result<()> {
    let (options, run) = (Options::default(), Run::default());
    let table = generate("corral", None, &Shape::default(), 1)?;
    for bits in [0.0, 0.05, 0.15] {
        let learner = Learner { structure: Informative { bits }.into(), ..Learner::default() };
        let result = evaluate(&learner, &table, "class", Scheme::LeaveOneOut, &options, &run)?;
        println!("at least {bits} bits: accuracy {:.3}", result.accuracy().mean);
    }
    Ok(())
}
