//! Why a row is predicted as it is: the log-odds of two classes as a sum of contributions.

use super::classifier::Classifier;
use crate::average::PairModel;
use crate::data::View;
use crate::error::Result;
use crate::infer::density::log_families;
use crate::infer::holes::LogFamily;
use crate::num::winner;
use crate::run::Run;
use crate::stats::FamilyTable;
use std::sync::Arc;

/// The log-odds of a class against another, as a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The class that is explained.
    pub class: usize,
    /// The most probable of the others.
    pub against: usize,
    /// ln p(class | row) - ln p(against | row): the sum of all that follows.
    pub log_odds: f64,
    /// What the classes' own probabilities contribute (given their parents, where the class has any).
    pub prior: f64,
    /// What each attribute contributes: ln p(its state | its parents, class) less the same for the other class. A missing
    /// one, or one the class is no parent of, contributes nothing by itself. In an average over structures, what it
    /// would contribute alone.
    pub attributes: Vec<f64>,
    /// What is left: the joint contribution of attributes that depend on missing cells; in an average over structures,
    /// what the dependences among the attributes contribute.
    pub rest: f64,
}

/// Explains predictions of one classifier.
pub struct Explainer<'a> {
    classifier: &'a Classifier,
    families: Vec<LogFamily>,
    prior: Vec<f64>,
    states: Vec<usize>,
    /// Whether the families of a complete row say all there is to say.
    whole: bool,
}

impl<'a> Explainer<'a> {
    /// Makes the classifier's families ready.
    pub fn new(classifier: &'a Classifier) -> Explainer<'a> {
        let class = classifier.attributes().len();
        let (families, prior) = match (classifier.network(), classifier.pairs()) {
            (Some(network), _) => {
                let (families, prior) = log_families(network);
                let tells = |f: &LogFamily| f.child.is_none_or(|v| network.dag().has_arc(class, v));
                (families.into_iter().filter(tells).collect(), prior)
            }
            (None, pairs) => pairs.map_or_else(Default::default, families_alone),
        };
        let coded = classifier.bins().schema(classifier.schema());
        let states = coded.fields[..class].iter().map(|f| f.states()).collect();
        Explainer { classifier, families, prior, states, whole: classifier.network().is_some() }
    }

    /// Explains rows coded as the classifier codes them: each row's class in `decided` against the most probable other.
    pub fn explain(
        &self,
        coded: View<'_>,
        decided: &[usize],
        run: &Run<'_>,
    ) -> Result<Vec<Explanation>> {
        let scores = self.classifier.log_odds(coded, run)?;
        let rows = coded.row_numbers().zip(decided).enumerate();
        Ok(rows.map(|(i, (row, &class))| self.row(coded, row, scores.row(i), class)).collect())
    }

    fn row(&self, coded: View<'_>, row: usize, scores: &[f64], class: usize) -> Explanation {
        let mut others = scores.to_vec();
        others[class] = f64::NEG_INFINITY;
        let against = winner(&others);
        let log_odds = scores[class] - scores[against];
        let mut prior = self.prior[class] - self.prior[against];
        let mut attributes = vec![0.0; self.states.len()];
        let classes = scores.len();
        for family in &self.families {
            let code = |cell: usize, m: &usize| {
                Some(cell * self.states[*m] + coded.table().cells(*m).code(row)?)
            };
            let Some(cell) = family.members.iter().try_fold(0, code) else { continue };
            let entry = &family.table.values()[cell * classes..][..classes];
            let told = entry[class] - entry[against];
            match family.child {
                Some(child) => attributes[child] = told,
                None => prior += told,
            }
        }
        let known = prior + attributes.iter().sum::<f64>();
        let holed = (0..self.states.len()).any(|v| coded.table().cells(v).code(row).is_none());
        // Without missing cells the sum is whole, and a rest would be rounding.
        let rest = if holed || !self.whole { log_odds - known } else { 0.0 };
        Explanation { class, against, log_odds, prior, attributes, rest }
    }
}

/// What each attribute of an average would say alone.
fn families_alone(pairs: &PairModel) -> (Vec<LogFamily>, Vec<f64>) {
    let (prior, tables) = pairs.alone();
    let family = |(v, logs): (usize, Vec<f64>)| {
        let classes = prior.len();
        let mut table = FamilyTable::zeros(1, logs.len() / classes - 1, classes);
        table.values_mut().copy_from_slice(&logs);
        LogFamily { members: vec![v], child: Some(v), table: Arc::new(table) }
    };
    (tables.into_iter().enumerate().map(family).collect(), prior)
}
