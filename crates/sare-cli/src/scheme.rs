//! Options that say how rows are parted into training and test.

use crate::args::Usage;
use clap::Args;
use sare::evaluate::Scheme;

/// How rows are parted into training and test.
#[derive(Args)]
#[command(next_help_heading = "Training and test rows")]
pub struct SchemeArgs {
    #[command(flatten)]
    kind: Kind,
    /// Deal folds, or draw test parts, this many times [default: 1]
    #[arg(long, value_name = "N")]
    repeats: Option<usize>,
    /// Do not spread each class evenly over the folds
    #[arg(long)]
    unstratified: bool,
}

#[derive(Args)]
#[group(multiple = false)]
struct Kind {
    /// Cross-validation with this many folds [default: 10]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Test each row on a model learnt from all others
    #[arg(long)]
    leave_one_out: bool,
    /// Test a random share of the rows on a model learnt from the rest
    #[arg(long, value_name = "SHARE")]
    hold_out: Option<f64>,
    /// Learn from the first N rows and test the others
    #[arg(long, value_name = "N")]
    train_first: Option<usize>,
    /// Five times two folds
    #[arg(long)]
    five_by_two: bool,
    /// The .632 bootstrap with this many samples
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// Test on the rows learnt from, to see how much that flatters
    #[arg(long)]
    resubstitution: bool,
}

impl SchemeArgs {
    /// The scheme that was asked for.
    pub fn scheme(&self) -> anyhow::Result<Scheme> {
        let k = &self.kind;
        let repeats = self.repeats.unwrap_or(1);
        let stratified = !self.unstratified;
        let scheme = if k.leave_one_out {
            Scheme::LeaveOneOut
        } else if k.resubstitution {
            Scheme::Resubstitution
        } else if k.five_by_two {
            Scheme::Folds { count: 2, repeats: 5, stratified }
        } else if let Some(share) = k.hold_out {
            Scheme::HoldOut { share, repeats }
        } else if let Some(rows) = k.train_first {
            Scheme::FirstRows(rows)
        } else if let Some(repeats) = k.bootstrap {
            Scheme::Bootstrap { repeats }
        } else {
            Scheme::Folds { count: k.folds.unwrap_or(10), repeats, stratified }
        };
        let folds = matches!(scheme, Scheme::Folds { .. });
        let repeatable = !k.five_by_two && (folds || matches!(scheme, Scheme::HoldOut { .. }));
        if self.repeats.is_some() && !repeatable {
            return Err(Usage("--repeats goes with --folds and --hold-out".into()).into());
        }
        if self.unstratified && !folds {
            return Err(Usage("--unstratified goes with folds".into()).into());
        }
        Ok(scheme)
    }
}
