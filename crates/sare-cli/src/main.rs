//! The `sare` command.

mod args;
mod commands;
mod drawing;
mod networks;
mod output;
mod progress;
mod scheme;

use clap::{Parser, Subcommand};
use sare::error::Error;
use std::process::ExitCode;

/// Bayesian networks that tell classes apart and find clusters: learn them from a table, predict, evaluate, ask.
#[derive(Parser)]
#[command(name = "sare", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: args::Common,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Demo),
    Inspect(commands::inspect::Inspect),
    Fit(commands::fit::Fit),
    Predict(commands::predict::Predict),
    Evaluate(commands::evaluate::Evaluate),
    Compare(commands::compare::Compare),
    Cluster(Box<commands::cluster::Cluster>),
    Report(commands::report::Report),
    Curve(commands::curve::CurveCommand),
    Reproduce(commands::reproduce::Reproduce),
    Partitions(commands::partitions::Partitions),
    Show(commands::show::Show),
    Convert(commands::convert::Convert),
    Query(commands::query::QueryCommand),
    Sample(commands::sample::Sample),
    Independent(commands::independent::IndependentCommand),
    Generate(commands::generate::Generate),
    Learners(commands::learners::Learners),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    progress::handle_interrupts();
    let common = &cli.common;
    let result = match &cli.command {
        Command::Demo(c) => c.run(common),
        Command::Inspect(c) => c.run(common),
        Command::Fit(c) => c.run(common),
        Command::Predict(c) => c.run(common),
        Command::Evaluate(c) => c.run(common),
        Command::Compare(c) => c.run(common),
        Command::Cluster(c) => c.run(common),
        Command::Report(c) => c.run(common),
        Command::Curve(c) => c.run(common),
        Command::Reproduce(c) => c.run(common),
        Command::Partitions(c) => c.run(common),
        Command::Show(c) => c.run(common),
        Command::Convert(c) => c.run(common),
        Command::Query(c) => c.run(common),
        Command::Sample(c) => c.run(common),
        Command::Independent(c) => c.run(common),
        Command::Generate(c) => c.run(common),
        Command::Learners(c) => c.run(common),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            // Not the causes too: the text of an error already holds what the system said.
            eprintln!("sare: {e}");
            ExitCode::from(exit_code(&e))
        }
    }
}

/// A reader that has seen enough, such as `head`, is no failure.
fn closed_pipe(e: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    e.chain().any(|cause| match cause.downcast_ref::<Error>() {
        Some(Error::Io { source, .. }) => broken(source),
        _ => cause.downcast_ref::<std::io::Error>().is_some_and(broken),
    })
}

/// 2 for what was typed wrongly, 1 for everything else.
fn exit_code(e: &anyhow::Error) -> u8 {
    match e.downcast_ref::<Error>() {
        Some(Error::Unknown { .. } | Error::Setting { .. }) => 2,
        _ if e.is::<args::Usage>() => 2,
        _ => 1,
    }
}
