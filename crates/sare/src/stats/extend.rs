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

/// A family and the same family with each of some columns as one more parent.
pub struct Extended {
    /// The family.
    pub base: SeenCounts,
    /// With one more parent.
    pub with: Vec<SeenCounts>,
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

    /// Counts a family, and the same family with each of the candidates as one more parent.
    pub fn extend(&self, family: &Family, candidates: &[usize]) -> Result<Extended> {
        let Source::Memory(view) = self.source else { return self.by_pass(family, candidates) };
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
                let of_column = |(counts, &c): (Vec<u32>, &usize)| {
                    shape.with(self.states[c], counts.into_iter().map(f64::from))
                };
                let products = store.products(&cells, candidates);
                let with = products.into_iter().zip(candidates).map(of_column).collect();
                return Ok(Extended { base: shape.base(&rows), with });
            }
        }
        let rows = self.labelled.as_deref().map_or(view, |rows| View::of(view.table(), rows));
        Ok(self.by_rows(rows, family, &members, candidates))
    }

    /// Goes through the rows: any weights, any number of levels.
    fn by_rows(
        &self,
        rows: View<'_>,
        family: &Family,
        members: &[usize],
        candidates: &[usize],
    ) -> Extended {
        let table = rows.table();
        let codes: Vec<(&Cells, u64)> =
            members.iter().map(|&m| (table.cells(m), self.states[m] as u64)).collect();
        let number = |row: usize| {
            let step = |n: u64, (cells, states): &(&Cells, u64)| {
                Some(n.wrapping_mul(*states).wrapping_add(cells.code(row)? as u64))
            };
            codes.iter().try_fold(0, step)
        };
        let of_rows: Vec<Option<u64>> = rows.row_numbers().map(number).collect();
        let mut numbers: Vec<u64> = of_rows.iter().flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = |n: &Option<u64>| n.and_then(|n| numbers.binary_search(&n).ok());
        let places: Vec<Option<usize>> = of_rows.iter().map(place).collect();
        let weight = |row: usize| table.weights().map_or(1.0, |w| w[row]);
        let mut base = vec![0.0; numbers.len()];
        for (row, place) in rows.row_numbers().zip(&places) {
            if let Some(place) = place {
                base[*place] += weight(row);
            }
        }
        let shape = Shape::new(self, family, &numbers);
        let count = |&column: &usize| {
            let states = self.states[column];
            let mut counts = vec![0.0; numbers.len() * states];
            for (row, place) in rows.row_numbers().zip(&places) {
                if let (Some(place), Some(code)) = (place, table.cells(column).code(row)) {
                    counts[place * states + code] += weight(row);
                }
            }
            shape.with(states, counts.into_iter())
        };
        Extended { base: shape.base(&base), with: candidates.iter().map(count).collect() }
    }

    /// One pass over a source that is not in memory.
    fn by_pass(&self, family: &Family, candidates: &[usize]) -> Result<Extended> {
        let class = self.states.len() - 1;
        let with = |c: &usize| Family {
            child: family.child,
            parents: family.parents.iter().copied().chain([*c]).collect(),
        };
        let families: Vec<Family> =
            std::iter::once(family.clone()).chain(candidates.iter().map(with)).collect();
        // Rows of unknown class count nowhere, which the class as the innermost dimension sees to.
        let pass = CountFamilies::new(&self.source, families, Some(class))?;
        let mut tables = run_pass(&self.source, &pass, self.run)?.into_iter().map(|t| {
            let table = t.sum_over_classes();
            SeenCounts { configurations: table.configurations() as f64, table }
        });
        let base = tables.next().unwrap_or_else(|| unreachable!("the family itself is counted"));
        Ok(Extended { base, with: tables.collect() })
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
            let ways = [
                counter.extend(&family, &[2, 3]).unwrap(),
                counter.by_rows(
                    counter.labelled.as_deref().map_or(table.view(), |r| View::of(&table, r)),
                    &family,
                    &[1, 0],
                    &[2, 3],
                ),
                counter.by_pass(&family, &[2, 3]).unwrap(),
            ];
            for score in [Score::Bic, Score::K2, Score::Bdeu(2.0), Score::Aic] {
                let of = |e: &Extended| -> Vec<f64> {
                    let all = std::iter::once(&e.base).chain(&e.with);
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
