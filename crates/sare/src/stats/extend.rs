//! Counting one set of columns with each of many others: what searches over structures live on.

use super::count::{CountFamilies, Family};
use super::family::FamilyTable;
use super::pairs::store::PlaneStore;
use super::pass::run_pass;
use super::score::Score;
use crate::data::{Cells, Source, View};
use crate::error::Result;
use crate::run::Run;

/// The most memory that kept planes may take.
const MOST_PLANES: usize = 1 << 30;

/// The most memory that the planes of a family's cells may take.
const MOST_CELL_BYTES: f64 = (1 << 27) as f64;

/// With more seen cells than this, going through the rows is faster than products of planes.
const MOST_PRODUCTS: usize = 1024;

/// Candidates are counted together as long as their tables have no more entries than this: enough to share the work, too
/// few to fill the memory.
const TOGETHER: usize = 1 << 20;

/// Up to this many possible cells are looked up in a list of all of them; more are searched for among those seen.
const MOST_LISTED: f64 = (1 << 22) as f64;

/// The counts of a family, of which only the parents' configurations that were seen are held.
#[derive(Clone, Debug)]
pub struct SeenCounts {
    /// A row a seen configuration; no classes.
    pub table: FamilyTable,
    /// How many configurations the parents have together.
    pub configurations: f64,
}

impl SeenCounts {
    /// The family's score as if each row had been seen `scale` times.
    pub fn score(mut self, score: Score, scale: f64) -> f64 {
        if scale != 1.0 {
            self.table.values_mut().iter_mut().for_each(|n| *n *= scale);
        }
        score.with_configurations(&self.table, self.configurations)
    }
}

impl SeenCounts {
    /// The same rows without the last parent, which has so many states.
    pub fn merged(&self, states: usize) -> SeenCounts {
        let seen = self.table.configurations() / states;
        let mut table = FamilyTable::zeros(seen, self.table.states(), 1);
        let own = self.table.states();
        let groups = self.table.values()[..self.table.cells()].chunks_exact(own * states);
        for (to, group) in table.values_mut().chunks_exact_mut(own).zip(groups) {
            for row in group.chunks_exact(own) {
                to.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
            }
        }
        SeenCounts { table, configurations: self.configurations / states as f64 }
    }
}

/// Counts families of the rows of known class; a row counts where all members are seen.
pub struct FamilyCounter<'a> {
    source: Source<'a>,
    states: Vec<usize>,
    /// The rows of known class, where not all are.
    labelled: Option<Vec<u32>>,
    planes: Option<PlaneStore>,
    total: f64,
    run: &'a Run<'a>,
}

impl<'a> FamilyCounter<'a> {
    /// For a source whose last column is the class.
    pub fn new(source: Source<'a>, run: &'a Run<'a>) -> Result<FamilyCounter<'a>> {
        let states: Vec<usize> = source.schema().fields.iter().map(|f| f.states()).collect();
        let class = states.len() - 1;
        let family = vec![Family { child: class, parents: Vec::new() }];
        let counts = run_pass(&source, &CountFamilies::new(&source, family, None)?, run)?;
        let total = counts[0].total();
        let (mut labelled, mut planes) = (None, None);
        if let Source::Memory(view) = source {
            let known = |r: &usize| view.table().cells(class).code(*r).is_some();
            if !view.row_numbers().all(|r| known(&r)) {
                let rows = view.row_numbers().filter(known).map(|r| r as u32).collect();
                labelled = Some(rows);
            }
            let rows = labelled.as_deref().map_or(view, |rows| View::of(view.table(), rows));
            let narrow = states.iter().all(|&s| s <= 255) && rows.len() < u32::MAX as usize;
            let bytes = PlaneStore::bytes(rows.len(), states.iter().copied());
            if narrow && !source.has_weights() && bytes <= MOST_PLANES {
                let mut store = PlaneStore::new(rows.len());
                store.fill((0..=class).map(|c| (narrow_codes(rows, c), states[c])));
                planes = Some(store);
            }
        }
        Ok(FamilyCounter { source, states, labelled, planes, total, run })
    }

    /// The weight of the rows of known class.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// How many states each column has.
    pub fn states(&self) -> &[usize] {
        &self.states
    }

    /// Counts a family, and the same family with each of the candidates as one more parent. `each` is handed the family's
    /// counts, a candidate and the counts with it, and may keep what it wants of them: they are not all held at once.
    pub fn extend<T>(
        &self,
        family: &Family,
        candidates: &[usize],
        each: impl Fn(&SeenCounts, usize, SeenCounts) -> T,
    ) -> Result<(SeenCounts, Vec<T>)> {
        let Source::Memory(view) = self.source else {
            return self.by_pass(family, candidates, each);
        };
        let members: Vec<usize> = family.parents.iter().copied().chain([family.child]).collect();
        // Every cell that is seen takes a plane: where there may be too many, the rows are gone through at once.
        let possible = members.iter().map(|&m| self.states[m] as f64).product::<f64>();
        if let Some(store) =
            self.planes.as_ref().filter(|s| possible * s.plane_bytes() <= MOST_CELL_BYTES)
        {
            let cells = store.cells(&members);
            if cells.numbers.len() <= MOST_PRODUCTS {
                let shape = Shape::new(self, family, &cells.numbers);
                let rows: Vec<f64> = cells.rows.iter().map(|&n| n.into()).collect();
                let base = shape.base(&rows);
                let mut all = Vec::with_capacity(candidates.len());
                for part in self.parts(candidates, cells.numbers.len()) {
                    for (counts, &c) in store.products(&cells, part).into_iter().zip(part) {
                        let counts = counts.into_iter().map(f64::from);
                        all.push(each(&base, c, shape.with(self.states[c], counts)));
                    }
                }
                return Ok((base, all));
            }
        }
        let rows = self.labelled.as_deref().map_or(view, |rows| View::of(view.table(), rows));
        Ok(self.by_rows(rows, family, candidates, each))
    }

    /// The candidates in parts whose tables, with so many cells a state, may be held at once.
    fn parts<'c>(
        &self,
        candidates: &'c [usize],
        cells: usize,
    ) -> impl Iterator<Item = &'c [usize]> + use<'c> {
        let most = candidates.iter().map(|&c| self.states[c]).max().unwrap_or(1);
        candidates.chunks((TOGETHER / (cells * most).max(1)).max(1))
    }

    /// Goes through the rows: any weights, any number of levels.
    fn by_rows<T>(
        &self,
        rows: View<'_>,
        family: &Family,
        candidates: &[usize],
        each: impl Fn(&SeenCounts, usize, SeenCounts) -> T,
    ) -> (SeenCounts, Vec<T>) {
        let table = rows.table();
        let (places, numbers) = self.seen_cells(rows, family);
        let weight = |row: usize| table.weights().map_or(1.0, |w| w[row]);
        let mut base = vec![0.0; numbers.len()];
        for (row, place) in rows.row_numbers().zip(&places) {
            if let Some(place) = place {
                base[*place as usize] += weight(row);
            }
        }
        let shape = Shape::new(self, family, &numbers);
        let base = shape.base(&base);
        let count = |&column: &usize| {
            let states = self.states[column];
            let cells = table.cells(column);
            let mut counts = vec![0.0; numbers.len() * states];
            for (row, place) in rows.row_numbers().zip(&places) {
                if let (Some(place), Some(code)) = (place, cells.code(row)) {
                    counts[*place as usize * states + code] += weight(row);
                }
            }
            each(&base, column, shape.with(states, counts.into_iter()))
        };
        let all = candidates.iter().map(count).collect();
        (base, all)
    }

    /// The place of each row's cell among the seen cells of a family, and the numbers of these, rising.
    fn seen_cells(&self, rows: View<'_>, family: &Family) -> (Vec<Option<u32>>, Vec<u64>) {
        let table = rows.table();
        let members = family.parents.iter().chain([&family.child]);
        let codes: Vec<(&Cells, u64)> =
            members.map(|&m| (table.cells(m), self.states[m] as u64)).collect();
        let number = |row: usize| {
            let step = |n: u64, (cells, states): &(&Cells, u64)| {
                Some(n.wrapping_mul(*states).wrapping_add(cells.code(row)? as u64))
            };
            codes.iter().try_fold(0, step)
        };
        let of_rows: Vec<Option<u64>> = rows.row_numbers().map(number).collect();
        let possible = codes.iter().map(|(_, states)| *states as f64).product::<f64>();
        if possible <= MOST_LISTED {
            let mut place = vec![u32::MAX; possible as usize];
            of_rows.iter().flatten().for_each(|&n| place[n as usize] = 0);
            let seen = (0..place.len() as u64).filter(|&n| place[n as usize] == 0);
            let numbers: Vec<u64> = seen.collect();
            numbers.iter().zip(0..).for_each(|(&n, i)| place[n as usize] = i);
            let places = of_rows.into_iter().map(|n| n.map(|n| place[n as usize])).collect();
            return (places, numbers);
        }
        let mut numbers: Vec<u64> = of_rows.iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |n: Option<u64>| n.and_then(|n| numbers.binary_search(&n).ok());
        let places = of_rows.into_iter().map(|n| place(n).map(|p| p as u32)).collect();
        (places, numbers)
    }

    /// Passes over a source that is not in memory, as many candidates at a time as fit.
    fn by_pass<T>(
        &self,
        family: &Family,
        candidates: &[usize],
        each: impl Fn(&SeenCounts, usize, SeenCounts) -> T,
    ) -> Result<(SeenCounts, Vec<T>)> {
        let class = self.states.len() - 1;
        let cells = family.parents.iter().map(|&p| self.states[p]).product::<usize>()
            * self.states[family.child];
        let with = |c: Option<usize>| {
            let parents = family.parents.iter().copied().chain(c).collect();
            (Family { child: family.child, parents }, false)
        };
        let seen = |table: FamilyTable| SeenCounts {
            configurations: table.configurations() as f64,
            table,
        };
        let count = |families: Vec<(Family, bool)>| {
            let pass = CountFamilies::of_known_class(&self.source, families, class)?;
            Ok(run_pass(&self.source, &pass, self.run)?.into_iter().map(seen))
        };
        let mut alone = count(vec![with(None)])?;
        let base = alone.next().unwrap_or_else(|| unreachable!("the family itself is counted"));
        let mut all = Vec::with_capacity(candidates.len());
        for part in self.parts(candidates, cells) {
            let counted = count(part.iter().map(|&c| with(Some(c))).collect())?;
            all.extend(part.iter().zip(counted).map(|(&c, counts)| each(&base, c, counts)));
        }
        Ok((base, all))
    }
}

/// The codes of a narrow column, side by side.
fn narrow_codes(rows: View<'_>, column: usize) -> Vec<u8> {
    let cells = rows.table().cells(column);
    rows.row_numbers().map(|r| cells.code(r).map_or(u8::MAX, |c| c as u8)).collect()
}

/// Where the seen cells of a family go in its table.
struct Shape {
    states: usize,
    configurations: f64,
    /// The seen configuration and the child's state of each seen cell.
    places: Vec<(usize, usize)>,
    seen: usize,
}

impl Shape {
    fn new(counter: &FamilyCounter<'_>, family: &Family, numbers: &[u64]) -> Shape {
        let states = counter.states[family.child];
        let (mut seen, mut last) = (0, None);
        let place = |&number: &u64| {
            let configuration = number / states as u64;
            if last != Some(configuration) {
                seen += 1;
                last = Some(configuration);
            }
            (seen - 1, (number % states as u64) as usize)
        };
        let places = numbers.iter().map(place).collect();
        let configurations = family.parents.iter().map(|&p| counter.states[p] as f64).product();
        Shape { states, configurations, places, seen }
    }

    fn base(&self, counts: &[f64]) -> SeenCounts {
        let mut table = FamilyTable::zeros(self.seen, self.states, 1);
        for (&(configuration, state), n) in self.places.iter().zip(counts) {
            *table.at_mut(configuration, state, 0) = *n;
        }
        SeenCounts { table, configurations: self.configurations }
    }

    /// The table with one more parent, of so many states, from the counts of cells x its states.
    fn with(&self, more: usize, mut counts: impl Iterator<Item = f64>) -> SeenCounts {
        let mut table = FamilyTable::zeros(self.seen * more, self.states, 1);
        for &(configuration, state) in &self.places {
            for (parent, n) in (0..more).zip(counts.by_ref()) {
                *table.at_mut(configuration * more + parent, state, 0) = n;
            }
        }
        SeenCounts { table, configurations: self.configurations * more as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Table};
    use crate::num::tolerance::{ROUNDING, close};
    use crate::seed::{Purpose, Random};

    /// 700 rows of 4 columns of 2 to 4 states; a missing cell here and there.
    fn table(holes: bool) -> Table {
        let mut random = Random::new(3, Purpose::Sample, 0);
        let states = [3, 2, 4, 2];
        let columns = states.iter().enumerate().map(|(i, &s)| {
            let codes = (0..700).map(|_| {
                let code = random.below(s);
                (!holes || random.below(20) > 0).then_some(code)
            });
            let codes: Vec<Option<usize>> = codes.collect();
            let levels: Vec<String> = (0..s).map(|l| l.to_string()).collect();
            (Field::discrete(format!("c{i}"), levels), Cells::from_codes(codes, s))
        });
        Table::new("t", columns.collect()).unwrap()
    }

    #[test]
    fn three_ways_to_count_agree() {
        for holes in [false, true] {
            let table = table(holes);
            let run = Run::default();
            let counter = FamilyCounter::new(Source::Memory(table.view()), &run).unwrap();
            let family = Family { child: 0, parents: vec![1] };
            let rows = counter.labelled.as_deref().map_or(table.view(), |r| View::of(&table, r));
            let keep = |_: &SeenCounts, _: usize, counts: SeenCounts| counts;
            let ways = [
                counter.extend(&family, &[2, 3], keep).unwrap(),
                counter.by_rows(rows, &family, &[2, 3], keep),
                counter.by_pass(&family, &[2, 3], keep).unwrap(),
            ];
            for score in [Score::Bic, Score::K2, Score::Bdeu(2.0), Score::Aic] {
                let of = |(base, with): &(SeenCounts, Vec<SeenCounts>)| -> Vec<f64> {
                    let all = std::iter::once(base).chain(with);
                    all.map(|c| c.clone().score(score, 1.0)).collect()
                };
                let first = of(&ways[0]);
                assert_eq!(first.len(), 3);
                for way in &ways[1..] {
                    let same = |(a, b): (&f64, &f64)| close(*a, *b, ROUNDING);
                    assert!(first.iter().zip(&of(way)).all(same), "{holes} {score:?}");
                }
            }
        }
    }
}
