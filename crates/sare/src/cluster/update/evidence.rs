//! How probable the rows are under the average, about: what starts can be compared by (Cheeseman and Stutz 1996).

use super::{Averaged, with_missing};
use crate::network::Network;
use crate::num::ln_or_floor;
use crate::stats::{FamilyTable, Score};

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
        let k = counts[class].classes();
        let clusters = &counts[class].values()[..k];
        let log_odds = self.log_odds();
        let mut of_clusters = FamilyTable::zeros(1, k, 1);
        of_clusters.values_mut()[..k].copy_from_slice(clusters);
        let mut sum = Score::K2.of(&of_clusters) + log_likelihood;
        let term = |n: f64, p: f64| if n > 0.0 { n * ln_or_floor(p) } else { 0.0 };
        sum -= clusters.iter().zip(network.table(class)).map(|(n, p)| term(*n, *p)).sum::<f64>();
        for (v, counts) in counts[..class].iter().enumerate() {
            let table = network.table(v);
            let whole = with_missing(counts, clusters, table);
            sum += self.rivals(v, &whole).log_evidence(log_odds);
            for (cluster, row) in table.chunks_exact(whole.states()).enumerate() {
                let cells = row.iter().enumerate();
                sum -= cells.map(|(k, p)| term(whole.at(0, k, cluster), *p)).sum::<f64>();
            }
        }
        sum
    }
}
