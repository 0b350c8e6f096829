//! Wins, draws and losses summed over all kinds of models.

use super::contest::{Found, Tally};

/// Sums by number of rows, and how alike published figures and ours are.
pub(super) struct Sums<'a> {
    /// The methods; the wins are those of the first.
    methods: &'a [&'a str],
    theirs: Vec<Tally>,
    /// Against each of the other methods.
    ours: Vec<Vec<Tally>>,
    /// What each method found.
    parts: Vec<Vec<Part>>,
    /// Differences that are sure, for and against: published and ours.
    sure: [[usize; 2]; 2],
    /// Cells in which the sign of wins less losses is the published one, and those in which it is the opposite.
    signs: [usize; 2],
    cells: usize,
}

/// What a method made of many data sets.
#[derive(Clone, Copy, Default)]
struct Part {
    accuracy: f64,
    ones: usize,
    sets: usize,
}

impl<'a> Sums<'a> {
    /// Nothing yet, for some methods and so many sizes of data sets.
    pub fn new(methods: &'a [&'a str], sizes: usize) -> Sums<'a> {
        let tallies = vec![Tally::default(); sizes];
        Sums {
            methods,
            ours: vec![tallies.clone(); methods.len() - 1],
            theirs: tallies,
            parts: vec![vec![Part::default(); sizes]; methods.len()],
            sure: [[0; 2]; 2],
            signs: [0; 2],
            cells: 0,
        }
    }

    /// Adds what the methods found on data sets of one size, beside the published figures; gives ours.
    pub fn add(&mut self, size: usize, theirs: &Tally, found: &[Vec<Found>]) -> Tally {
        self.theirs[size] = self.theirs[size].plus(theirs);
        for (sums, other) in self.ours.iter_mut().zip(&found[1..]) {
            sums[size] = sums[size].plus(&Tally::of(&found[0], other));
        }
        for (parts, found) in self.parts.iter_mut().zip(found) {
            parts[size].accuracy += found.iter().map(|f| f.accuracy).sum::<f64>();
            parts[size].ones += found.iter().filter(|f| f.is_one).count();
            parts[size].sets += found.len();
        }
        let ours = Tally::of(&found[0], &found[1]);
        for (sure, cell) in self.sure.iter_mut().zip([theirs, &ours]) {
            if cell.sure > 0 && cell.wins != cell.losses {
                sure[usize::from(cell.wins < cell.losses)] += 1;
            }
        }
        let (x, y) = (theirs.wins.cmp(&theirs.losses), ours.wins.cmp(&ours.losses));
        self.signs[0] += usize::from(x == y);
        self.signs[1] += usize::from(x == y.reverse() && x.is_ne());
        self.cells += 1;
        ours
    }

    /// The last rows of a table with so many columns before the figures, each called by what it holds and of what.
    pub fn rows(&self, of: &str, keys: usize) -> Vec<Vec<String>> {
        let line = |name: String, theirs: &[Tally], ours: Vec<String>| {
            let theirs = theirs.iter().map(Tally::text).chain(std::iter::repeat(String::new()));
            let cells = theirs.zip(ours).flat_map(|(theirs, ours)| [theirs, ours]);
            let names = [name].into_iter().chain(std::iter::repeat_n(String::new(), keys - 1));
            names.chain(cells).collect::<Vec<String>>()
        };
        let mut rows = Vec::new();
        for (i, (method, tallies)) in self.methods[1..].iter().zip(&self.ours).enumerate() {
            // The published figures are of the first pair.
            let theirs = if i == 0 { &self.theirs[..] } else { &[] };
            let ours = tallies.iter().map(Tally::text).collect();
            rows.push(line(format!("{of}: sum against {method}"), theirs, ours));
        }
        for (method, parts) in self.methods.iter().zip(&self.parts) {
            let right = |p: &Part| format!("{:.1}", 100.0 * p.accuracy / p.sets as f64);
            rows.push(line(
                format!("{of}: % right by {method}"),
                &[],
                parts.iter().map(right).collect(),
            ));
        }
        for (method, parts) in self.methods.iter().zip(&self.parts) {
            let one = |p: &Part| format!("{} of {}", p.ones, p.sets);
            rows.push(line(
                format!("{of}: in one cluster by {method}"),
                &[],
                parts.iter().map(one).collect(),
            ));
        }
        rows
    }

    /// How alike the figures are.
    pub fn words(&self) -> String {
        let [theirs, ours] = self.sure;
        format!(
            "More wins than losses, or fewer, as published in {} of {} cells, the other way round in {}. Sure at 10 %: \
             published {} for and {} against, ours {} and {}.",
            self.signs[0], self.cells, self.signs[1], theirs[0], theirs[1], ours[0], ours[1]
        )
    }
}
