//! Reading a table: all at once with the kinds found from the cells, or chunk by chunk by a schema that is known.

use super::encode::{Encoder, Meaning, Unseen};
use super::inference::Inference;
use super::open::{display_name, open};
use super::raw::{Declared, RawRows, Records};
use super::schema::{Field, Kind, Schema};
use super::table::{Cells, MAX_LEVELS, Table};
use crate::error::{Error, Result};
use crate::observe::Event;
use crate::run::Run;
use std::sync::Arc;

/// Rows asked of a file at a time; a reader may give fewer.
const CHUNK_ROWS: usize = 1 << 14;

/// Texts that mean a missing cell in a text file, unless said otherwise.
pub const MISSING_TEXTS: [&str; 3] = ["?", "NA", ""];

/// How a file is to be understood.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// What separates fields of a text file; found from its first line if not given.
    pub delimiter: Option<u8>,
    /// Whether a text file's first row holds the names.
    pub header: bool,
    /// Texts that mean a missing cell; if not given, [`MISSING_TEXTS`] in a text file, and in other formats what the
    /// format itself calls missing.
    pub missing: Option<Vec<String>>,
    /// Whether numbers are written with a decimal comma.
    pub decimal_comma: bool,
    /// Columns that are discrete whatever their cells look like.
    pub discrete: Vec<String>,
    /// Columns that are continuous whatever their cells look like.
    pub continuous: Vec<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The column of row weights.
    pub weight: Option<String>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            delimiter: None,
            header: true,
            missing: None,
            decimal_comma: false,
            discrete: Vec::new(),
            continuous: Vec::new(),
            ignore: Vec::new(),
            weight: None,
        }
    }
}

/// Reads a whole file (`-` for the standard input) into memory.
pub fn read_table(path: &str, options: &ReadOptions, run: &Run<'_>) -> Result<Table> {
    let ReadColumns { columns, rows, weights, .. } = read_columns(path, options, run, true)?;
    let table = Table::trusted(display_name(path), columns, rows);
    take_weights(table, options.weight.as_deref(), weights)
}

/// What a first reading of a file tells.
pub struct Summary {
    /// What the columns are, without the column of weights.
    pub schema: Schema,
    /// How many rows there are.
    pub rows: usize,
    /// How many cells of each column are missing.
    pub missing: Vec<usize>,
    /// Whether the file gives weights to its rows, outside of any column.
    pub weighted: bool,
}

/// Reads a whole file for what it holds, in memory that does not grow with the rows.
pub fn read_schema(path: &str, options: &ReadOptions, run: &Run<'_>) -> Result<Summary> {
    let ReadColumns { columns, rows, missing, weights } = read_columns(path, options, run, false)?;
    let weighted = weights.is_some();
    let mut summary = Summary { schema: Schema::default(), rows, missing: Vec::new(), weighted };
    for ((field, _), missing) in columns.into_iter().zip(missing) {
        if options.weight.as_ref() != Some(&field.name) {
            summary.schema.fields.push(field);
            summary.missing.push(missing);
        }
    }
    Ok(summary)
}

/// What `read_columns` found.
struct ReadColumns {
    columns: Vec<(Field, Cells)>,
    rows: usize,
    /// How many cells of each column are missing; counted only if the cells are not kept.
    missing: Vec<usize>,
    /// The weights that the file gives to its rows; without values if the cells are not kept.
    weights: Option<Vec<f64>>,
}

/// Reads a whole file, and keeps its cells or only counts the missing ones.
fn read_columns(
    path: &str,
    options: &ReadOptions,
    run: &Run<'_>,
    keep: bool,
) -> Result<ReadColumns> {
    let file = display_name(path);
    run.tell(&Event::Phase { name: "rows read", steps: None })?;
    let mut records = open(path, options)?;
    check_names(file, records.names(), options)?;
    let meanings = meanings(file, records.as_ref(), options);
    let mut encoders = inferring_encoders(records.as_ref(), options, &meanings, keep)?;
    let mut missing = vec![0; encoders.len()];
    let (mut rows, mut count, mut unseen) = (RawRows::default(), 0, Unseen::new());
    let mut weights = None;
    loop {
        records.read(&mut rows, CHUNK_ROWS)?;
        if rows.is_empty() {
            break;
        }
        if keep {
            rows.collect_weights(count, &mut weights);
        } else if !rows.weights.is_empty() {
            weights.get_or_insert_default();
        }
        count += rows.len();
        run.tell(&Event::Step { steps: rows.len() as u64 })?;
        if count > u32::MAX as usize && keep {
            let fix = "read it in pieces with --stream";
            return Err(Error::data(file, "the file has more than 4,294,967,295 rows", fix));
        }
        for (c, encoder) in encoders.iter_mut().enumerate() {
            encoder.add(&rows, c, &meanings[c], &mut unseen)?;
            if !keep {
                missing[c] += encoder.take_missing();
            }
        }
    }
    if count == 0 {
        let fix = "give a file with at least one row of data";
        return Err(Error::data(file, "the file has a header but no rows", fix));
    }
    let declared = declared(records.as_ref(), options);
    let (mut columns, mut kept) = (Vec::new(), Vec::new());
    for (c, (encoder, declared)) in encoders.into_iter().zip(declared).enumerate() {
        match encoder {
            Encoder::Skip => continue,
            Encoder::Infer(inference) => columns.push(inference.finish(&meanings[c])?),
            mut fixed => {
                let kind = match (&fixed, declared) {
                    (Encoder::Levels { .. }, Declared::Kind(kind)) => kind,
                    _ => Kind::Continuous,
                };
                columns.push((Field { name: meanings[c].column.clone(), kind }, fixed.take()));
            }
        }
        kept.push(missing[c]);
    }
    Ok(ReadColumns { columns, rows: count, missing: kept, weights })
}

/// What the file says of its columns, without levels that the user calls missing.
fn declared(records: &dyn Records, options: &ReadOptions) -> Vec<Declared> {
    let mut all = records.declared();
    for declared in &mut all {
        if let (Declared::Kind(Kind::Discrete { levels }), Some(missing)) =
            (declared, &options.missing)
        {
            levels.retain(|l| !missing.contains(l));
        }
    }
    all
}

fn check_names(file: &str, names: &[String], options: &ReadOptions) -> Result<()> {
    let schema = Schema::new(names.iter().map(Field::continuous).collect());
    let named = [&options.discrete, &options.continuous, &options.ignore];
    for name in named.into_iter().flatten().chain(&options.weight) {
        schema.require(name, file)?;
    }
    if let Some(name) = options.discrete.iter().find(|n| options.continuous.contains(n)) {
        let problem = "it is named as discrete and as continuous";
        return Err(Error::column(file, name, problem, "name it as one of the two"));
    }
    Ok(())
}

pub(super) fn meanings(file: &str, records: &dyn Records, options: &ReadOptions) -> Vec<Meaning> {
    let own = records.missing();
    let missing: Vec<String> = match &options.missing {
        // Where the format itself knows missing cells, they come as empty fields and stay missing.
        Some(given) if own == [""] => given.iter().cloned().chain([String::new()]).collect(),
        Some(given) => given.clone(),
        None => own.iter().map(|m| m.to_string()).collect(),
    };
    let missing = Arc::new(missing);
    let meaning = |name: &String| Meaning {
        file: file.into(),
        column: name.clone(),
        missing: missing.clone(),
        decimal_comma: options.decimal_comma,
    };
    records.names().iter().map(meaning).collect()
}

/// Refuses a declared column of more levels than codes can tell apart.
fn check_levels(file: &str, name: &str, kind: &Kind) -> Result<()> {
    match kind {
        Kind::Discrete { levels } if levels.len() > MAX_LEVELS => {
            let problem = format!("it has {} levels, more than {MAX_LEVELS}", levels.len());
            Err(Error::column(file, name, problem, format!("leave it out with --ignore {name}")))
        }
        _ => Ok(()),
    }
}

fn inferring_encoders(
    records: &dyn Records,
    options: &ReadOptions,
    meanings: &[Meaning],
    keep: bool,
) -> Result<Vec<Encoder>> {
    let encoder = |(meaning, declared): (&Meaning, Declared)| {
        let name = &meaning.column;
        if let (Declared::Kind(kind), false) = (&declared, options.ignore.contains(name)) {
            check_levels(&meaning.file, name, kind)?;
        }
        Ok(if options.ignore.contains(name) {
            Encoder::Skip
        } else if options.weight.as_ref() == Some(name) {
            Encoder::Weights(Vec::new())
        } else if options.continuous.contains(name) {
            Encoder::fixed(&Kind::Continuous, meaning, true)
        } else if options.discrete.contains(name) {
            Encoder::Infer(Inference::new(meaning, true, keep))
        } else {
            match declared {
                Declared::Kind(kind) => Encoder::fixed(&kind, meaning, true),
                Declared::Discrete => Encoder::Infer(Inference::new(meaning, true, keep)),
                Declared::Unknown => Encoder::Infer(Inference::new(meaning, false, keep)),
            }
        })
    };
    meanings.iter().zip(declared(records, options)).map(encoder).collect()
}

/// Moves the column of weights out of the table's columns; without such a column takes the file's own weights of rows.
fn take_weights(table: Table, weight: Option<&str>, own: Option<Vec<f64>>) -> Result<Table> {
    let Some(name) = weight else {
        return match own {
            Some(weights) => table.with_weights(weights),
            None => Ok(table),
        };
    };
    if own.is_some() {
        let problem =
            "rows have weights of their own ({...} at the end) beside a column of weights";
        return Err(Error::data(table.name(), problem, "leave out --weight"));
    }
    let column = table.schema().require(name, table.name())?;
    let others: Vec<usize> = (0..table.columns()).filter(|&c| c != column).collect();
    let rest = table.select(&others);
    let Cells::Numbers(weights) = table.cells(column) else { return Ok(rest) };
    rest.with_weights(weights.as_ref().clone())
}

/// Reads a file chunk by chunk by a schema that is known, columns matched by name.
pub struct SchemaReader {
    records: Box<dyn Records>,
    file: String,
    fields: Vec<Field>,
    /// For each field of the schema, its column in the file; `None` is given as missing.
    positions: Vec<Option<usize>>,
    encoders: Vec<Encoder>,
    meanings: Vec<Meaning>,
    weight: Option<usize>,
    /// The file's own weights of the rows read since the last table.
    own_weights: Option<Vec<f64>>,
    rows: RawRows,
    unseen: Unseen,
}

impl SchemaReader {
    /// Opens a file that must have every column of `schema` but those in `optional` (which are missing cells where
    /// the file lacks them). With `strict` a level that the schema lacks is an error; otherwise the cell is missing
    /// and counted.
    pub fn open(
        path: &str,
        schema: &Schema,
        options: &ReadOptions,
        optional: &[String],
        strict: bool,
    ) -> Result<SchemaReader> {
        let records = open(path, options)?;
        let file = display_name(path).to_string();
        let names = Schema::new(records.names().iter().map(Field::continuous).collect());
        let all_meanings = meanings(&file, records.as_ref(), options);
        let mut reader = SchemaReader {
            records,
            file: file.clone(),
            fields: schema.fields.clone(),
            positions: Vec::new(),
            encoders: Vec::new(),
            meanings: Vec::new(),
            weight: None,
            own_weights: None,
            rows: RawRows::default(),
            unseen: Unseen::new(),
        };
        let places = names.positions();
        for field in &schema.fields {
            let position = match places.get(field.name.as_str()) {
                Some(&place) => Some(place),
                None if optional.contains(&field.name) => None,
                None => Some(names.require(&field.name, &file)?),
            };
            let meaning = position.map_or_else(
                || Meaning { column: field.name.clone(), ..all_meanings[0].clone() },
                |p| all_meanings[p].clone(),
            );
            check_levels(&file, &field.name, &field.kind)?;
            reader.encoders.push(Encoder::fixed(&field.kind, &meaning, strict));
            reader.positions.push(position);
            reader.meanings.push(meaning);
        }
        if let Some(name) = &options.weight {
            let position = names.require(name, &file)?;
            reader.weight = Some(reader.encoders.len());
            reader.encoders.push(Encoder::Weights(Vec::new()));
            reader.positions.push(Some(position));
            reader.meanings.push(all_meanings[position].clone());
        }
        Ok(reader)
    }

    /// The names of the file's columns, those outside the schema too.
    pub fn names(&self) -> &[String] {
        self.records.names()
    }

    /// The rows of the last chunk as the file had them.
    pub fn raw(&self) -> &RawRows {
        &self.rows
    }

    /// Levels met that the schema lacks, with how often each came.
    pub fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    /// The next rows, as many as the file gives at once; `None` at its end.
    pub fn next_chunk(&mut self) -> Result<Option<Table>> {
        let count = self.fill(CHUNK_ROWS, 0)?;
        if count == 0 { Ok(None) } else { self.table(count).map(Some) }
    }

    /// Exactly `rows` rows, fewer only at the end of the file; `None` when there is none left.
    pub fn next_piece(&mut self, rows: usize) -> Result<Option<Table>> {
        let mut count = 0;
        while count < rows {
            match self.fill(rows - count, count)? {
                0 => break,
                got => count += got,
            }
        }
        if count == 0 { Ok(None) } else { self.table(count).map(Some) }
    }

    /// Reads more rows after the `before` that are already encoded.
    fn fill(&mut self, limit: usize, before: usize) -> Result<usize> {
        self.records.read(&mut self.rows, limit)?;
        self.rows.collect_weights(before, &mut self.own_weights);
        for ((encoder, position), meaning) in
            self.encoders.iter_mut().zip(&self.positions).zip(&self.meanings)
        {
            if let Some(column) = position {
                encoder.add(&self.rows, *column, meaning, &mut self.unseen)?;
            }
        }
        Ok(self.rows.len())
    }

    fn table(&mut self, rows: usize) -> Result<Table> {
        let mut columns = Vec::with_capacity(self.fields.len());
        for (i, field) in self.fields.iter().enumerate() {
            let cells = match (self.positions[i], &field.kind) {
                (Some(_), _) => self.encoders[i].take(),
                (None, Kind::Discrete { levels }) => {
                    Cells::from_codes(std::iter::repeat_n(None, rows), levels.len())
                }
                (None, Kind::Continuous) => Cells::from_numbers(vec![f64::NAN; rows]),
                (None, Kind::Text) => Cells::Dropped,
            };
            columns.push((field.clone(), cells));
        }
        let own = self.own_weights.take();
        let Some(weight) = self.weight else {
            return take_weights(Table::trusted(self.file.as_str(), columns, rows), None, own);
        };
        let name = self.meanings[weight].column.clone();
        let field = Field::continuous(name.clone());
        columns.push((field, self.encoders[weight].take()));
        take_weights(Table::trusted(self.file.as_str(), columns, rows), Some(&name), own)
    }
}
