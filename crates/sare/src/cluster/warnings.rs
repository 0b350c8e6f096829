//! What may be wrong with clusters that were found.

use crate::run::{ClusterOutcome, Stop};

/// A cluster of less than this part of the rows is nearly empty.
const EMPTY: f64 = 1e-3;

/// What a reader of the result should know: starts that failed or did not converge, a best solution that only one start
/// found, clusters without rows.
pub fn warnings(found: &ClusterOutcome) -> Vec<String> {
    let mut all = Vec::new();
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
        all.push(format!("{slow} of {count} starts had not converged after their iterations"));
    }
    let total: f64 = found.sizes.iter().sum();
    for (c, size) in found.sizes.iter().enumerate().filter(|(_, s)| **s < EMPTY * total) {
        all.push(format!("cluster {} is nearly empty ({size:.2} rows expected)", c + 1));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
            "1 of 2 starts had not",
            "cluster 2",
        ];
        assert!(parts.iter().all(|p| told.contains(p)), "{told}");
        // A single start cannot be found again.
        found.starts.truncate(1);
        assert!(!warnings(&found).join("\n").contains("one start only"));
    }
}
