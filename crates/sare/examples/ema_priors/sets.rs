//! Rows whose clusters are known.

use sare::data::{Cells, Field, ReadOptions, Table, read_table};
use sare::error::Result;
use sare::network::random::{Form, RandomNetwork};
use sare::run::Run;
use sare::seed::{Purpose, Random};

/// Rows of known clusters, and which attributes matter.
pub struct Known {
    pub table: Table,
    pub truth: Vec<Option<u32>>,
    pub clusters: usize,
    pub matters: Vec<bool>,
}

/// Three strings of 50 bits at distances 2, 3 and 5, each 20 times with one bit in twenty turned.
pub fn toy(seed: u64) -> Result<Known> {
    let mut random = Random::new(seed, Purpose::Sample, 1);
    let mut places: Vec<usize> = (0..50).collect();
    random.shuffle(&mut places);
    let first: Vec<usize> = (0..50).map(|_| random.below(2)).collect();
    let mut strings = [first.clone(), first.clone(), first];
    for &p in &places[..2] {
        strings[1][p] ^= 1;
        strings[2][p] ^= 1;
    }
    places[2..5].iter().for_each(|&p| strings[2][p] ^= 1);
    let truth: Vec<usize> = (0..60).map(|r| r / 20).collect();
    let mut cell = |r: usize, v: usize| strings[truth[r]][v] ^ usize::from(random.uniform() < 0.05);
    let columns = (0..50).map(|v| (0..60).map(|r| cell(r, v)).collect()).collect();
    let matters = (0..50).map(|v| places[..5].contains(&v)).collect();
    known(columns, truth, matters)
}

/// 142 haploids of three populations that drifted apart from one: a marker's frequency is uniform in the first, and in each
/// population beta with this mean and this F_ST.
pub fn islands(seed: u64, markers: usize, f_st: f64) -> Result<Known> {
    let mut random = Random::new(seed, Purpose::Sample, 2);
    let sizes = [48, 46, 48].into_iter().enumerate();
    let truth: Vec<usize> = sizes.flat_map(|(p, n)| std::iter::repeat_n(p, n)).collect();
    let mut columns = Vec::new();
    while columns.len() < markers {
        let (all, total) = (0.05 + 0.9 * random.uniform(), (1.0 - f_st) / f_st);
        let mut beta = || {
            let (a, b) = (gamma(all * total, &mut random), gamma((1.0 - all) * total, &mut random));
            a / (a + b)
        };
        let own = [beta(), beta(), beta()];
        let column: Vec<usize> =
            truth.iter().map(|&p| usize::from(random.uniform() < own[p])).collect();
        if column.contains(&0) && column.contains(&1) {
            columns.push(column);
        }
    }
    known(columns, truth, vec![true; markers])
}

/// A draw of the gamma distribution of scale 1, as Marsaglia and Tsang make it.
fn gamma(shape: f64, random: &mut Random) -> f64 {
    if shape < 1.0 {
        let u = 1.0 - random.uniform();
        return gamma(shape + 1.0, random) * u.powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    loop {
        let x = random.normal();
        let v = (1.0 + x / (9.0 * d).sqrt()).powi(3);
        if v > 0.0 && (1.0 - random.uniform()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Rows of a random selective naive Bayes network of three clusters and 30 attributes of three states, of which this share
/// matter, the tables drawn from Dirichlet(alpha).
pub fn random(seed: u64, rows: usize, relevant: f64, alpha: f64) -> Result<Known> {
    let form = Form::SelectiveNaiveBayes(relevant);
    let network =
        RandomNetwork { form, attributes: 30, states: 3, classes: 3, alpha }.draw(seed)?;
    let table = network.sample("random", rows, &mut Random::new(seed, Purpose::Sample, 3))?;
    let truth = (0..rows).map(|r| table.cells(30).code(r).map(|c| c as u32)).collect();
    let matters = (0..30).map(|v| network.dag().has_arc(30, v)).collect();
    let table = table.select(&(0..30).collect::<Vec<usize>>());
    Ok(Known { table, truth, clusters: 3, matters })
}

/// The same rows with this share of the cells missing.
pub fn with_holes(known: Known, seed: u64, share: f64) -> Result<Known> {
    let mut random = Random::new(seed, Purpose::Holes, 0);
    let mut column = |c: usize| {
        let table = &known.table;
        let mut code = |r: usize| table.cells(c).code(r).filter(|_| random.uniform() >= share);
        let codes: Vec<Option<usize>> = (0..table.rows()).map(&mut code).collect();
        (table.field(c).clone(), Cells::from_codes(codes, table.field(c).states()))
    };
    let columns = (0..known.table.columns()).map(&mut column).collect();
    Ok(Known { table: Table::new("holed", columns)?, ..known })
}

/// A file of rows with a column of classes. Its other columns are levels, but for those of `numbers`.
pub fn file(path: &str, class: &str, ignore: &[&str], numbers: bool) -> Result<Known> {
    let run = Run::default();
    let ignore = ignore.iter().map(|c| c.to_string()).collect();
    let mut options = ReadOptions { ignore, ..ReadOptions::default() };
    if !numbers {
        let first = read_table(path, &options, &run)?;
        options.discrete = first.schema().fields.iter().map(|f| f.name.clone()).collect();
    }
    let table = read_table(path, &options, &run)?;
    let place = table.schema().require(class, table.name())?;
    let truth = (0..table.rows()).map(|r| table.cells(place).code(r).map(|c| c as u32)).collect();
    let others: Vec<usize> = (0..table.columns()).filter(|c| *c != place).collect();
    let clusters = table.field(place).states();
    Ok(Known { table: table.select(&others), truth, clusters, matters: Vec::new() })
}

fn known(columns: Vec<Vec<usize>>, truth: Vec<usize>, matters: Vec<bool>) -> Result<Known> {
    let column = |(v, codes): (usize, Vec<usize>)| {
        let cells = Cells::from_codes(codes.into_iter().map(Some), 2);
        (Field::discrete(format!("x{v}"), ["0", "1"]), cells)
    };
    let table = Table::new("known", columns.into_iter().enumerate().map(column).collect())?;
    let truth = truth.into_iter().map(|c| Some(c as u32)).collect();
    Ok(Known { table, truth, clusters: 3, matters })
}
