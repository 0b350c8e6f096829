//! A published table of wins, draws and losses, run again.

use super::contest::{Contest, Distance, Tally};
use super::published::{Line, Published};
use super::random::Shape;
use super::sums::Sums;
use crate::error::Result;
use crate::evaluate::published::Report;
use crate::observe::Event;
use crate::run::Run;

/// A published table and how it is run again.
pub(super) struct WinTable<'a> {
    /// The table.
    pub published: &'static str,
    /// The method whose wins are counted, the one it is compared with, and others of which only sums are shown; as
    /// [`super::contest::clusterer`] reads them.
    pub methods: &'a [&'a str],
    /// The models of a line, by what its first columns hold.
    pub shape: fn(&[usize]) -> Shape,
    /// Other models in their place, of which only sums are shown.
    pub variant: Option<Variant>,
    /// How partitions are judged.
    pub distance: Distance,
    /// How many models of each kind the publication has.
    pub models: usize,
}

/// Models in the place of others.
pub(super) struct Variant {
    /// What they are called.
    pub name: &'static str,
    /// What they are instead.
    pub change: fn(Shape) -> Shape,
}

/// How much of it is run.
pub(super) struct Size<'a> {
    /// Models of each kind.
    pub models: usize,
    /// Starts of each method.
    pub starts: usize,
    /// Sizes of data sets.
    pub rows: &'a [usize],
    /// The most attributes of a model.
    pub attributes: usize,
}

impl WinTable<'_> {
    /// Runs the table: ours beside the published figures, then the sums.
    pub fn run(&self, size: &Size<'_>, run: &Run<'_>) -> Result<Report> {
        let table = Published::read(self.published);
        let place = |rows: &usize| table.rows.iter().position(|r| r == rows);
        let places: Vec<usize> = size.rows.iter().filter_map(place).collect();
        let rows: Vec<usize> = places.iter().map(|&i| table.rows[i]).collect();
        let contest = Contest {
            methods: self.methods,
            starts: size.starts,
            models: size.models,
            rows: &rows,
            distance: self.distance,
        };
        let shapes = table.lines.iter().map(|line| (line, (self.shape)(&line.keys)));
        let shapes: Vec<_> = shapes.filter(|(_, s)| s.attributes <= size.attributes).collect();
        let times = 1 + usize::from(self.variant.is_some());
        let steps = (times * shapes.len() * contest.sets()) as u64;
        run.tell(&Event::Phase { name: "clustering data sets", steps: Some(steps) })?;
        let mut report = Report::default();
        report.header.extend(table.keys.iter().map(|k| k.to_string()));
        let columns = rows.iter().flat_map(|r| [format!("{r} rows published"), "ours".into()]);
        report.header.extend(columns);
        let mut sums = Sums::new(self.methods, rows.len());
        for (line, shape) in &shapes {
            let ours = compare(&contest, line, &places, shape, &mut sums, run)?;
            let mut row: Vec<String> = line.keys.iter().map(usize::to_string).collect();
            let pairs = places.iter().map(|&i| &line.cells[i]).zip(&ours);
            row.extend(pairs.flat_map(|(theirs, ours)| [theirs.text(), ours.text()]));
            report.rows.push(row);
        }
        report.rows.extend(sums.rows("all", table.keys.len()));
        if let Some(Variant { name, change }) = self.variant {
            let mut sums = Sums::new(self.methods, rows.len());
            for (line, shape) in &shapes {
                compare(&contest, line, &places, &change(*shape), &mut sums, run)?;
            }
            report.rows.extend(sums.rows(name, table.keys.len()));
        }
        report.notes = self.notes(size, &table, &sums);
        Ok(report)
    }

    fn notes(&self, size: &Size<'_>, table: &Published, sums: &Sums<'_>) -> Vec<String> {
        let judged = match self.distance {
            Distance::Hamming => "the Hamming distance of the co-membership matrices",
            Distance::Error => "the share of rows that are right under the best matching",
        };
        let mut notes = vec![
            format!(
                "Wins/draws/losses of {} against {} by {judged} between the clusters of the training rows and the true ones, \
                 over {} random models with {} starts of each method (published: {} models). Of the starts the one of \
                 greatest likelihood is kept; 'weighted': they are averaged, each by its likelihood, as published. By Wilcoxon's signed-rank test ** is sure at 1 %, * at 10 %.",
                self.methods[0], self.methods[1], size.models, size.starts, self.models
            ),
            "% right: under the best matching of clusters; in one cluster: the data sets of which all rows came into the same \
             one."
                .into(),
            sums.words(),
        ];
        let wrong = table.wrong_sums(self.models);
        if !wrong.is_empty() {
            let text = "Published figures that do not sum to";
            notes.push(format!("{text} {}: {}.", self.models, wrong.join("; ")));
        }
        notes
    }
}

/// What comes of the models of a line, size by size; added to the sums.
fn compare(
    contest: &Contest<'_>,
    line: &Line,
    places: &[usize],
    shape: &Shape,
    sums: &mut Sums<'_>,
    run: &Run<'_>,
) -> Result<Vec<Tally>> {
    let found = contest.hold(shape, run)?;
    let all = found.iter().enumerate();
    Ok(all.map(|(i, found)| sums.add(i, &line.cells[places[i]], found)).collect())
}
