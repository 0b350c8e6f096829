//! A published table of wins, draws and losses, run again.

use super::contest::{Contest, Distance, Tally};
use super::published::Published;
use super::random::Shape;
use crate::error::Result;
use crate::evaluate::published::Report;
use crate::observe::Event;
use crate::run::Run;

/// A published table and how it is run again.
pub(super) struct WinTable<'a> {
    /// The table.
    pub published: &'static str,
    /// The text form of the method whose wins are counted, and of the method it is compared with.
    pub pair: [&'a str; 2],
    /// A method it is compared with beside, and what that is called; only sums are shown.
    pub beside: Option<(&'a str, &'a str)>,
    /// The models of a line, by what its first columns hold.
    pub shape: fn(&[usize]) -> Shape,
    /// How partitions are judged.
    pub distance: Distance,
    /// How many models of each kind the publication has.
    pub models: usize,
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
        let methods: Vec<&str> = self.pair.into_iter().chain(self.beside.map(|b| b.0)).collect();
        let contest = Contest {
            methods: &methods,
            starts: size.starts,
            models: size.models,
            rows: &rows,
            distance: self.distance,
        };
        let shapes = table.lines.iter().map(|line| (line, (self.shape)(&line.keys)));
        let shapes: Vec<_> = shapes.filter(|(_, s)| s.attributes <= size.attributes).collect();
        let steps = (shapes.len() * contest.sets()) as u64;
        run.tell(&Event::Phase { name: "clustering data sets", steps: Some(steps) })?;
        let mut report = Report::default();
        report.header.extend(table.keys.iter().map(|k| k.to_string()));
        report
            .header
            .extend(rows.iter().flat_map(|r| [format!("{r} rows published"), "ours".into()]));
        let mut sums = Sums::new(rows.len());
        for (line, shape) in shapes {
            let mut row: Vec<String> = line.keys.iter().map(usize::to_string).collect();
            for (i, found) in contest.distances(&shape, run)?.iter().enumerate() {
                let (theirs, ours) = (line.cells[places[i]], Tally::of(&found[0], &found[1]));
                row.extend([theirs.text(), ours.text()]);
                let beside = found.get(2).map(|other| Tally::of(&found[0], other));
                sums.add(i, &theirs, &ours, beside.as_ref());
            }
            report.rows.push(row);
        }
        report.rows.push(sums.row(table.keys.len()));
        report.notes = self.notes(size, &table, &sums, &rows);
        Ok(report)
    }

    fn notes(
        &self,
        size: &Size<'_>,
        table: &Published,
        sums: &Sums,
        rows: &[usize],
    ) -> Vec<String> {
        let judged = match self.distance {
            Distance::Hamming => "the Hamming distance of the co-membership matrices",
            Distance::Error => "the share of rows that are right under the best matching",
        };
        let [one, other] = self.pair;
        let mut notes = vec![
            format!(
                "Wins/draws/losses of {one} against {other} by {judged} between the clusters of the training rows and the \
                 true ones, over {} random models with {} starts of each method (published: {} models); the start of \
                 greatest likelihood is kept. By Wilcoxon's signed-rank test ** is sure at 1 %, * at 10 %.",
                size.models, size.starts, self.models
            ),
            sums.words(),
        ];
        if let Some((_, name)) = self.beside {
            let cells: Vec<String> = rows
                .iter()
                .zip(&sums.beside)
                .map(|(r, t)| format!("{r} rows {}", t.text()))
                .collect();
            notes.push(format!("The sums of {one} against {name}: {}.", cells.join(", ")));
        }
        let wrong = table.wrong_sums(self.models);
        if !wrong.is_empty() {
            let text = "Published figures that do not sum to";
            notes.push(format!("{text} {}: {}.", self.models, wrong.join("; ")));
        }
        notes
    }
}

/// Sums over all kinds of models, by number of rows, and how alike the figures are.
struct Sums {
    theirs: Vec<Tally>,
    ours: Vec<Tally>,
    beside: Vec<Tally>,
    /// Differences that are sure, for and against: published and ours.
    sure: [[usize; 2]; 2],
    /// Cells in which the sign of wins less losses is the published one, and those in which it is the opposite.
    signs: [usize; 2],
    cells: usize,
}

impl Sums {
    fn new(sizes: usize) -> Sums {
        let empty = || vec![Tally::default(); sizes];
        let (theirs, ours, beside) = (empty(), empty(), empty());
        Sums { theirs, ours, beside, sure: [[0; 2]; 2], signs: [0; 2], cells: 0 }
    }

    fn add(&mut self, size: usize, theirs: &Tally, ours: &Tally, beside: Option<&Tally>) {
        self.theirs[size] = self.theirs[size].plus(theirs);
        self.ours[size] = self.ours[size].plus(ours);
        self.beside[size] = self.beside[size].plus(beside.unwrap_or(&Tally::default()));
        for (sure, cell) in self.sure.iter_mut().zip([theirs, ours]) {
            if cell.sure > 0 && cell.wins != cell.losses {
                sure[usize::from(cell.wins < cell.losses)] += 1;
            }
        }
        let (x, y) = (theirs.wins.cmp(&theirs.losses), ours.wins.cmp(&ours.losses));
        self.signs[0] += usize::from(x == y);
        self.signs[1] += usize::from(x == y.reverse() && x.is_ne());
        self.cells += 1;
    }

    fn row(&self, keys: usize) -> Vec<String> {
        let both = self.theirs.iter().zip(&self.ours);
        let cells = both.flat_map(|(theirs, ours)| [theirs.text(), ours.text()]);
        (0..keys).map(|k| if k == 0 { "all" } else { "" }.to_string()).chain(cells).collect()
    }

    fn words(&self) -> String {
        let [theirs, ours] = self.sure;
        format!(
            "More wins than losses, or fewer, as published in {} of {} cells, the other way round in {}. Sure at 10 %: \
             published {} for and {} against, ours {} and {}.",
            self.signs[0], self.cells, self.signs[1], theirs[0], theirs[1], ours[0], ours[1]
        )
    }
}
