//! A discrete Bayesian network.

use super::file::NetworkFile;
use crate::data::{Cells, Field, Schema, Table};
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::num::ln_or_floor;
use crate::seed::Random;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A discrete variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The names of its states.
    pub levels: Vec<String>,
}

/// Probabilities of a row may miss 1 by this much: they may have been written with few digits.
pub(super) const SUM_TOLERANCE: f64 = 1e-6;

/// A directed acyclic graph over discrete variables with the probabilities of each given its parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NetworkFile", into = "NetworkFile")]
pub struct Network {
    /// Shared, as the graph is, by the networks that learning by iteration goes through.
    variables: Arc<Vec<Variable>>,
    dag: Arc<Dag>,
    /// For each variable p(state | parents): the parents in rising order, the last changing fastest among them, the
    /// state fastest of all.
    tables: Vec<Vec<f64>>,
}

impl Network {
    /// A network from its parts; fails if a table has the wrong size, an entry that is no probability, or a row that
    /// does not sum to 1.
    pub fn new(variables: Vec<Variable>, dag: Dag, tables: Vec<Vec<f64>>) -> Result<Network> {
        let network = Network { variables: Arc::new(variables), dag: Arc::new(dag), tables };
        if network.dag.nodes() != network.variables.len() {
            return Err(bad("", "variables, graph and tables differ in number"));
        }
        network.check_variables()?;
        network.check_tables()?;
        Ok(network)
    }

    /// The same variables and graph with other tables, which are checked as a new network's are.
    pub fn with_tables(&self, tables: Vec<Vec<f64>>) -> Result<Network> {
        let network = Network { variables: self.variables.clone(), dag: self.dag.clone(), tables };
        network.check_tables()?;
        Ok(network)
    }

    fn check_variables(&self) -> Result<()> {
        if self.variables.is_empty() {
            return Err(bad("", "there is no variable"));
        }
        let mut seen = FxHashSet::default();
        for variable in self.variables.iter() {
            if variable.levels.is_empty() {
                return Err(bad(&variable.name, "it has no state"));
            }
            if !seen.insert(&variable.name) {
                return Err(bad(&variable.name, "the name is used twice"));
            }
            let mut sorted: Vec<&String> = variable.levels.iter().collect();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
                let problem = format!("its level '{}' is there twice", pair[0]);
                return Err(bad(&variable.name, &problem));
            }
        }
        Ok(())
    }

    fn check_tables(&self) -> Result<()> {
        if self.tables.len() != self.variables.len() {
            return Err(bad("", "variables, graph and tables differ in number"));
        }
        for (v, variable) in self.variables.iter().enumerate() {
            let states = variable.levels.len();
            let parents = self.dag.parents(v).map(|p| self.states(p));
            let expected = parents.chain([states]).try_fold(1usize, usize::checked_mul);
            if Some(self.tables[v].len()) != expected {
                let expected = expected.map_or("far too many".into(), |n| n.to_string());
                let problem =
                    format!("its table has {} entries instead of {expected}", self.tables[v].len());
                return Err(bad(&variable.name, &problem));
            }
            if self.tables[v].iter().any(|p| !(0.0..=1.0 + SUM_TOLERANCE).contains(p)) {
                return Err(bad(&variable.name, "an entry of its table is no probability"));
            }
            let off = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() > SUM_TOLERANCE;
            if let Some(row) = self.tables[v].chunks_exact(states).position(off) {
                let problem = format!("row {} of its table does not sum to 1", row + 1);
                return Err(bad(&variable.name, &problem));
            }
        }
        Ok(())
    }

    /// The variables.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// p(state | parents) of a variable, configuration by configuration of its parents.
    pub fn table(&self, variable: usize) -> &[f64] {
        &self.tables[variable]
    }

    /// How many states a variable has.
    pub fn states(&self, variable: usize) -> usize {
        self.variables[variable].levels.len()
    }

    /// How many configurations the parents of a variable have together.
    pub fn configurations(&self, variable: usize) -> usize {
        self.dag.parents(variable).map(|p| self.states(p)).product()
    }

    /// How many numbers the tables leave free.
    pub fn free_parameters(&self) -> usize {
        (0..self.variables.len()).map(|v| self.configurations(v) * (self.states(v) - 1)).sum()
    }

    /// p(. | parents) of a variable in a row that has its parents' states.
    pub(crate) fn row_of(&self, variable: usize, row: &[usize]) -> &[f64] {
        let states = self.states(variable);
        let configuration =
            self.dag.parents(variable).fold(0, |index, p| index * self.states(p) + row[p]);
        &self.tables[variable][configuration * states..][..states]
    }

    /// ln p of a complete row of states.
    pub fn log_probability(&self, row: &[usize]) -> f64 {
        (0..self.variables.len()).map(|v| ln_or_floor(self.row_of(v, row)[row[v]])).sum()
    }

    /// ln p of every row of a complete table whose columns are the network's variables, matched by position.
    pub fn log_probabilities(&self, table: &Table) -> Result<Vec<f64>> {
        if *table.schema() != self.schema() {
            let problem = "the columns are not the network's variables with their levels";
            return Err(Error::data(
                table.name(),
                problem,
                "read the file by the network's schema",
            ));
        }
        let mut row = vec![0; self.variables.len()];
        let mut logs = Vec::with_capacity(table.rows());
        for r in 0..table.rows() {
            for (v, state) in row.iter_mut().enumerate() {
                *state = table.cells(v).code(r).ok_or_else(|| {
                    let problem = format!("the cell of row {} is missing", r + 1);
                    Error::column(table.name(), &table.field(v).name, problem, "give complete rows")
                })?;
            }
            logs.push(self.log_probability(&row));
        }
        Ok(logs)
    }

    /// Draws a row, parents before children.
    pub fn draw(&self, order: &[usize], random: &mut Random, row: &mut [usize]) {
        for &v in order {
            row[v] = random.categorical(self.row_of(v, row));
        }
    }

    /// Draws `rows` rows as a table.
    pub fn sample(&self, name: &str, rows: usize, random: &mut Random) -> Result<Table> {
        let order = self.dag.topological_order();
        self.tabulate(name, rows, |row| self.draw(&order, random, row))
    }

    /// A table of `rows` rows, each as `fill` leaves it.
    pub(crate) fn tabulate(
        &self,
        name: &str,
        rows: usize,
        mut fill: impl FnMut(&mut [usize]),
    ) -> Result<Table> {
        let mut columns: Vec<Vec<u16>> = vec![Vec::with_capacity(rows); self.variables.len()];
        let mut row = vec![0; self.variables.len()];
        for _ in 0..rows {
            fill(&mut row);
            columns.iter_mut().zip(&row).for_each(|(c, &x)| c.push(x as u16));
        }
        let cells = self.schema().fields.into_iter().zip(columns).map(|(field, codes)| {
            let states = field.states();
            (field, Cells::from_codes(codes.into_iter().map(|c| Some(c.into())), states))
        });
        Table::new(name, cells.collect())
    }

    /// The variables as the schema of a table.
    pub fn schema(&self) -> Schema {
        let field = |v: &Variable| Field::discrete(v.name.clone(), v.levels.iter().cloned());
        Schema::new(self.variables.iter().map(field).collect())
    }
}

fn bad(variable: &str, problem: &str) -> Error {
    let place =
        if variable.is_empty() { "network".into() } else { format!("variable '{variable}'") };
    Error::model(&place, problem, "correct the network")
}
