//! What may be wrong with clusters that were found.

use crate::classify::Classifier;
use crate::run::{Alternatives, ClusterOutcome, Compared, Figures, NumbersTried, Stop};

/// A cluster of less than this part of the rows is nearly empty.
const EMPTY: f64 = 1e-3;
/// Empty clusters that are named.
const NAMED: usize = 5;

/// What a reader of the result should know: numbers of clusters that could not be compared, or at the end of those tried; a model
/// that is not identified; starts that failed or did not converge; a best solution that only one start found; clusters without rows.
pub fn warnings(model: &Classifier) -> Vec<String> {
    let Some(found) = &model.outcome().clusters else { return Vec::new() };
    let mut all = of_numbers(found);
    all.extend(Figures::of(model).and_then(|figures| too_many_parameters(found, &figures)));
    all.extend(of_starts(found));
    all.extend(nearly_empty(found));
    all
}

fn of_numbers(found: &ClusterOutcome) -> Vec<String> {
    let Some(tried) = &found.numbers else { return Vec::new() };
    let NumbersTried { rule, figures } = tried;
    let (rule, chosen) = (rule.name(), found.sizes.len());
    let mut all = Vec::new();
    let names: Vec<String> =
        figures.iter().filter(|f| !f.converged).map(|f| f.clusters.to_string()).collect();
    let what = match tried.compared() {
        Compared::All => None,
        Compared::Converged => Some("they are not compared with the others"),
        Compared::NoneConverged => Some("the recommended number is not certain"),
    };
    all.extend(what.map(|what| {
        format!("the best start did not converge for {} clusters: {what}", names.join(", "))
    }));
    if figures.len() > 1 && figures.last().is_some_and(|f| f.clusters == chosen) {
        all.push(format!(
            "the best number by {rule} is the largest that was tried: try more than {chosen}"
        ));
    }
    all
}

/// More parameters than the probabilities of all different rows leave free.
fn too_many_parameters(found: &ClusterOutcome, figures: &Figures) -> Option<String> {
    let degrees = figures.degrees_of_freedom()?;
    // Rows parted by distance have no likelihood that parameters could raise alike.
    if degrees >= 0.0 || found.objective.is_some() || figures.clusters == 1 {
        return None;
    }
    Some(format!(
        "not identified: the model has {} parameters, and {} possible patterns of levels determine at most {}; other shares and \
         profiles fit as well: use fewer clusters or more columns",
        short(figures.parameters),
        short(figures.patterns?),
        short(figures.patterns? - 1.0)
    ))
}

/// A number with at most one decimal.
fn short(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

fn of_starts(found: &ClusterOutcome) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(Alternatives { starts, compared, difference }) = found.alternatives {
        all.push(format!(
            "not identified: {starts} of the {compared} best starts compared have the same likelihood but put rows into other clusters \
             (memberships differ by up to {difference:.2})"
        ));
    }
    let count = found.starts.len();
    let failed: Vec<&String> = found.starts.iter().filter_map(|s| s.problem.as_ref()).collect();
    if let Some(problem) = failed.first() {
        all.push(format!("{} of {count} starts failed: {problem}", failed.len()));
    }
    if found.reached == 1 && count > 1 {
        let text = "the best solution was found by one start only: there may be better ones; try more starts";
        all.push(text.into());
    }
    let limited = |stop: Option<Stop>| stop == Some(Stop::IterationLimit);
    let slow = found.starts.iter().filter(|s| limited(s.stop)).count();
    if slow > 0 {
        all.push(format!("{slow} of {count} starts did not converge within their iterations"));
    }
    all
}

fn nearly_empty(found: &ClusterOutcome) -> Option<String> {
    let total: f64 = found.sizes.iter().sum();
    let small = |c: &usize| found.sizes[*c] < EMPTY * total;
    let empty: Vec<usize> = (0..found.sizes.len()).filter(small).collect();
    match empty[..] {
        [] => None,
        [c] => {
            let size = found.sizes[c];
            Some(format!("cluster {} is nearly empty ({size:.2} rows expected)", c + 1))
        }
        _ => {
            let named: Vec<String> =
                empty.iter().take(NAMED).map(|c| (c + 1).to_string()).collect();
            let more = empty.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let rows: f64 = empty.iter().map(|&c| found.sizes[c]).sum();
            Some(format!(
                "clusters {}{more} are nearly empty ({rows:.2} rows expected in all of them)",
                named.join(", ")
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn warnings(found: &ClusterOutcome) -> Vec<String> {
        [of_numbers(found), of_starts(found), nearly_empty(found).into_iter().collect()].concat()
    }

    #[test]
    fn every_weakness_is_told_and_nothing_else() {
        let good = json!({"log_likelihood": -10.0, "stop": "converged", "iterations": 5});
        let outcome = json!({
            "log_likelihood": -10.0, "sizes": [6.0, 4.0], "starts": [good, good], "reached": 2,
            "independence": [0.1], "information": [0.1],
        });
        let mut found: ClusterOutcome = serde_json::from_value(outcome).unwrap();
        assert!(warnings(&found).is_empty());
        found.reached = 1;
        found.sizes = vec![10.0, 0.001];
        found.starts[0].stop = Some(Stop::IterationLimit);
        found.starts[1].problem = Some("no room".into());
        let told = warnings(&found).join("\n");
        let parts = [
            "1 of 2 starts failed: no room",
            "one start only",
            "1 of 2 starts did not",
            "cluster 2",
        ];
        assert!(parts.iter().all(|p| told.contains(p)), "{told}");
        found.sizes = vec![10.0, 0.001, 0.001];
        assert!(warnings(&found).join("\n").contains("clusters 2, 3 are nearly empty (0.00 rows"));
        found.sizes = [vec![1e9], vec![1.0; 7]].concat();
        assert!(warnings(&found).join("\n").contains("clusters 2, 3, 4, 5, 6 and 2 more"));
        found.alternatives = Some(Alternatives { starts: 3, compared: 4, difference: 0.4 });
        assert!(warnings(&found).join("\n").contains("3 of the 4 best starts"));
        let tried = |clusters: usize, converged: bool| {
            json!({
                "clusters": clusters, "log_likelihood": -1.0, "parameters": 1.0, "rows": 9.0, "entropy": 0.0,
                "converged": converged, "reached": 1, "starts": 1,
            })
        };
        for (most, told) in [(8, true), (9, false)] {
            let numbers = json!({"rule": "icl", "figures": [tried(1, true), tried(most, told)]});
            found.numbers = serde_json::from_value(numbers).unwrap();
            let text = warnings(&found).join("\n");
            assert_eq!(text.contains("number by icl is the largest"), told);
            assert_eq!(text.contains("did not converge for 9 clusters"), !told, "{text}");
        }
        // A single start cannot be found again.
        found.starts.truncate(1);
        assert!(!warnings(&found).join("\n").contains("one start only"));
    }
}
