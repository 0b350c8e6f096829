//! How probable the rows are under the average, about: what starts can be compared by (Cheeseman and Stutz 1996).

use super::Averaged;
use super::prior::{Column, urns};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::stats::FamilyTable;

impl Averaged {
    /// ln p(rows) = ln p(completed rows) - ln p(completed rows | parameters) + ln p(rows | parameters), the completed rows
    /// those that are expected under the network: exact where all rows are surely of one cluster.
    pub(in crate::cluster) fn log_evidence(
        &self,
        network: &Network,
        counts: &[FamilyTable],
        log_likelihood: f64,
    ) -> f64 {
        let class = counts.len() - 1;
        let clusters = &counts[class].values()[..counts[class].classes()];
        let log_odds = self.log_odds();
        // A start that was stopped before its first step has not looked at the columns yet.
        let unseen = self.learning.is_some() && self.columns.is_empty();
        let fresh: Vec<Column> = match unseen {
            true => counts[..class].iter().map(Column::new).collect(),
            false => Vec::new(),
        };
        let term = |n: f64, p: f64| if n > 0.0 { n * ln_or_floor(p) } else { 0.0 };
        let given = clusters.iter().zip(network.table(class)).map(|(n, p)| term(*n, *p));
        let mut sum = log_likelihood + urns(clusters, 1, |_| self.of_clusters);
        sum -= given.sum::<f64>();
        for (v, counts) in counts[..class].iter().enumerate() {
            let table = network.table(v);
            let counts = self.counted(counts, clusters, table);
            let column = fresh.get(v).unwrap_or_else(|| self.column(v));
            sum += self.prior.rivals(column, &counts).together(log_odds);
            for (cluster, row) in table.chunks_exact(counts.states()).enumerate() {
                let cells = row.iter().enumerate();
                sum -= cells.map(|(k, p)| term(counts.at(0, k, cluster), *p)).sum::<f64>();
            }
        }
        sum
    }
}
