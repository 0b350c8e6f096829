//! Reading a table: all at once with the kinds found from the cells, or chunk by chunk by a schema that is known.

use super::discretise::{Discretiser, Method};
use super::encode::{Comma, Encoder, Evidence, Meaning, Unseen};
use super::encoding::Encoding;
use super::inference::{CLASS_INTEGERS, DISCRETE_INTEGERS, Finished, Inference, Role, Wish};
use super::left_out::Judge;
use super::notes::{About, Bins, Conventions, Found, Note};
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
    /// How a text file encodes its characters; UTF-8 if not given, or as its byte-order mark says.
    pub encoding: Option<Encoding>,
    /// Whether numbers are written with a decimal comma. If not given, that is found out in files separated by
    /// semicolons or tabs; in others a comma is no part of a number.
    pub decimal_comma: Option<bool>,
    /// Columns that are discrete whatever their cells look like.
    pub discrete: Vec<String>,
    /// Columns that are continuous whatever their cells look like.
    pub continuous: Vec<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// Columns that are not left out, even if they cannot help, such as identifiers.
    pub keep: Vec<String>,
    /// The class, in which whole numbers are levels up to 50 different values.
    pub class: Option<String>,
    /// The column of row weights.
    pub weight: Option<String>,
    /// A column of numbers to be cut into this many bins of about equally many rows, so that it can be a class.
    pub bins: Option<(String, usize)>,
    /// How the file was written that a model was learnt from: where the options above are silent, a file read by a
    /// known schema is understood in the same way.
    pub conventions: Conventions,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            delimiter: None,
            header: true,
            missing: None,
            encoding: None,
            decimal_comma: None,
            discrete: Vec::new(),
            continuous: Vec::new(),
            ignore: Vec::new(),
            keep: Vec::new(),
            class: None,
            weight: None,
            bins: None,
            conventions: Conventions::default(),
        }
    }
}

/// Reads a whole file (`-` for the standard input) into memory.
pub fn read_table(path: &str, options: &ReadOptions, run: &Run<'_>) -> Result<Table> {
    let read = read_columns(path, options, run, true)?;
    let mut conventions = read.conventions;
    let table = Table::trusted(display_name(path), read.columns, read.rows);
    let table = match &options.bins {
        Some((column, bins)) => cut(table, column, *bins, &mut conventions)?,
        None => table,
    };
    take_weights(table.read_by(Arc::new(conventions)), options.weight.as_deref(), read.weights)
}

/// The table with a column of numbers cut into bins of about equally many rows.
fn cut(mut table: Table, name: &str, bins: usize, conventions: &mut Conventions) -> Result<Table> {
    let column = table.schema().require(name, table.name())?;
    let alone = table.select(&[column]);
    let learnt = Discretiser::learn(alone.view(), None, Method::EqualFrequency(bins))?;
    let coded = learnt.apply(&alone);
    table.replace(column, coded.field(0).clone(), coded.cells(0).clone());
    let cuts = learnt.cuts.into_iter().flatten().next().unwrap_or_default();
    let levels = coded.field(0).levels().join(", ");
    let text = |names: &str| {
        format!("numbers cut into bins of about equally many rows: {names}: {levels}")
    };
    conventions.notes.push(Note::of(About::Bins, vec![name.into()], text));
    conventions.bins = Some(Bins { column: name.into(), cuts });
    Ok(table)
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
    /// How the file is written, and what was decided about its columns.
    pub conventions: Conventions,
}

/// Reads a whole file for what it holds, in memory that does not grow with the rows.
pub fn read_schema(path: &str, options: &ReadOptions, run: &Run<'_>) -> Result<Summary> {
    if options.bins.is_some() {
        let fix = "read the whole file into memory, or cut the column beforehand";
        return Err(Error::data(display_name(path), "a stream cannot be cut into bins", fix));
    }
    let Read { columns, rows, missing, weights, conventions } =
        read_columns(path, options, run, false)?;
    let (schema, weighted) = (Schema::default(), weights.is_some());
    let mut summary = Summary { schema, rows, missing: Vec::new(), weighted, conventions };
    for ((field, _), missing) in columns.into_iter().zip(missing) {
        if options.weight.as_ref() != Some(&field.name) {
            summary.schema.fields.push(field);
            summary.missing.push(missing);
        }
    }
    Ok(summary)
}

/// What came of reading a file.
struct Read {
    columns: Vec<(Field, Cells)>,
    rows: usize,
    /// Missing cells of each column, unless the cells are kept.
    missing: Vec<usize>,
    /// The weights that the file gives to its rows; without values if the cells are not kept.
    weights: Option<Vec<f64>>,
    conventions: Conventions,
}

/// Reads the columns of a file, with their cells if these are to be kept.
fn read_columns(path: &str, options: &ReadOptions, run: &Run<'_>, keep: bool) -> Result<Read> {
    let file = display_name(path);
    run.tell(&Event::Phase { name: "rows read", steps: None })?;
    let mut records = open(path, options)?;
    check_names(file, records.names(), options)?;
    let mut meanings = meanings(file, records.as_ref(), options);
    let mut encoders = inferring_encoders(records.as_ref(), options, &meanings, keep)?;
    let mut judges: Vec<Judge> = encoders.iter().map(|_| Judge::default()).collect();
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
                missing[c] += encoder.take_missing(&mut judges[c]);
            }
        }
    }
    if count == 0 {
        let fix = "give a file with at least one row of data";
        return Err(Error::data(file, "the file has a header but no rows", fix));
    }
    decide_commas(&mut encoders, &mut meanings, records.delimiter())?;
    let declared = declared(records.as_ref(), options);
    let mut read = Read {
        columns: Vec::new(),
        rows: count,
        missing: Vec::new(),
        weights,
        conventions: Conventions::default(),
    };
    let mut found = Found::default();
    let columns = encoders.into_iter().zip(declared).zip(judges).zip(missing).enumerate();
    for (c, (((encoder, declared), judge), missing)) in columns {
        let (meaning, role) = (&meanings[c], role(&meanings[c].column, records.as_ref(), options));
        let finished = match encoder {
            Encoder::Skip => continue,
            Encoder::Infer(inference) => inference.finish(meaning, count as u64, role)?,
            fixed => finish_fixed(fixed, declared, judge, meaning, count as u64, role),
        };
        if finished.field.left_out.is_none() {
            found.add(meaning, &finished.evidence, finished.dates);
        }
        read.missing.push(missing + finished.missing);
        read.columns.push((finished.field, finished.cells));
    }
    read.conventions = Conventions {
        decimal_comma: options.decimal_comma == Some(true) || !found.commas.is_empty(),
        dates: found.dates.clone(),
        bins: None,
        notes: records.notes().into_iter().chain(found.notes(&read.columns, count)).collect(),
    };
    Ok(read)
}

/// A column whose kind was known before.
fn finish_fixed(
    mut encoder: Encoder,
    declared: Declared,
    mut judge: Judge,
    meaning: &Meaning,
    rows: u64,
    role: Role,
) -> Finished {
    let cells = encoder.take();
    judge.cells(&cells);
    let (kind, evidence) = match (encoder, declared) {
        (Encoder::Levels { .. }, Declared::Kind(kind)) => (kind, Evidence::default()),
        (Encoder::Numbers { evidence, .. }, _) => (Kind::Continuous, evidence),
        _ => (Kind::Continuous, Evidence::default()),
    };
    let left_out = role.applies(judge.verdict(rows));
    let field = Field { left_out, ..Field::new(meaning.column.clone(), kind) };
    Finished { field, cells, missing: 0, evidence, dates: false }
}

/// Decides for the whole file whether commas in numbers are decimal commas: some cannot be anything else (between
/// semicolons, none needs proof), and no other number has a decimal point.
fn decide_commas(
    encoders: &mut [Encoder],
    meanings: &mut [Meaning],
    delimiter: Option<u8>,
) -> Result<()> {
    let (mut sure, mut point) = (delimiter == Some(b';'), false);
    let mut first = None;
    for (c, encoder) in encoders.iter_mut().enumerate() {
        let (evidence, known) = match encoder {
            Encoder::Infer(inference) => (inference.settle(), false),
            Encoder::Numbers { evidence, .. } => (&*evidence, true),
            _ => continue,
        };
        sure |= evidence.sure;
        point |= evidence.point;
        if let (Some((line, text)), true) = (&evidence.comma, known) {
            first = first.or_else(|| Some((c, *line, text.clone())));
        }
    }
    let decided = if sure && !point { Comma::Yes } else { Comma::No };
    for meaning in meanings.iter_mut().filter(|m| m.comma == Comma::Undecided) {
        meaning.comma = decided;
    }
    match first {
        Some((c, line, text)) if decided == Comma::No => Err(meanings[c].not_a_number(line, &text)),
        _ => Ok(()),
    }
}

/// Whether a column is called as an index is: not at all, or as pandas does in Parquet and Arrow files. Readers of text
/// allow no name for the first column only.
fn is_index(name: &str) -> bool {
    name.is_empty() || name.starts_with("__index_level_")
}

fn role(name: &str, records: &dyn Records, options: &ReadOptions) -> Role {
    let among = |names: &[String]| names.iter().any(|n| n == name);
    if is_index(name) {
        Role::Index { row_names: records.has_row_names() }
    } else if among(&options.keep) {
        Role::Kept
    } else if among(&options.discrete) || among(&options.continuous) {
        Role::Named
    } else {
        Role::Attribute
    }
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
    let named = [&options.discrete, &options.continuous, &options.ignore, &options.keep];
    let cut = options.bins.iter().map(|(column, _)| column);
    for name in named.into_iter().flatten().chain(&options.weight).chain(cut) {
        schema.require(name, file)?;
    }
    if let Some(name) = options.discrete.iter().find(|n| options.continuous.contains(n)) {
        let problem = "it is named as discrete and as continuous";
        return Err(Error::column(file, name, problem, "name it as one of the two"));
    }
    Ok(())
}

/// How the cells of each column are to be understood, as far as that is known before they are seen.
pub(super) fn meanings(file: &str, records: &dyn Records, options: &ReadOptions) -> Vec<Meaning> {
    let own = records.missing();
    let missing: Vec<String> = match &options.missing {
        // Where the format itself knows missing cells, they come as empty fields and stay missing.
        Some(given) if own == [""] => given.iter().cloned().chain([String::new()]).collect(),
        Some(given) => given.clone(),
        None => own.iter().map(|m| m.to_string()).collect(),
    };
    let missing = Arc::new(missing);
    let comma = match (options.decimal_comma, records.delimiter()) {
        (Some(true), _) => Comma::Yes,
        (None, Some(b';' | b'\t')) => Comma::Undecided,
        _ => Comma::No,
    };
    let meaning = |name: &String| Meaning {
        file: file.into(),
        column: name.clone(),
        missing: missing.clone(),
        words: options.missing.is_none(),
        comma,
        dates: false,
        known: false,
        whole_levels: match &options.class {
            Some(class) if class == name && options.bins.is_none() => CLASS_INTEGERS,
            _ => DISCRETE_INTEGERS,
        },
    };
    records.names().iter().map(meaning).collect()
}

/// The same where what the columns are is known, and perhaps how a file was written that a model was learnt from.
fn known_meanings(file: &str, records: &dyn Records, options: &ReadOptions) -> Vec<Meaning> {
    let known = &options.conventions;
    let mut meanings = meanings(file, records, options);
    for meaning in &mut meanings {
        meaning.known = true;
        meaning.dates = known.dates.contains(&meaning.column);
        meaning.comma = match (meaning.comma, records.delimiter()) {
            _ if options.decimal_comma.is_none() && known.decimal_comma => Comma::Yes,
            (Comma::Undecided, Some(b'\t')) => Comma::Clear,
            (Comma::Undecided, _) => Comma::Yes,
            (said, _) => said,
        };
    }
    meanings
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
    let cut = options.bins.as_ref().map(|(column, _)| column);
    let encoder = |(meaning, declared): (&Meaning, Declared)| {
        let name = &meaning.column;
        if let (Declared::Kind(kind), false) = (&declared, options.ignore.contains(name)) {
            check_levels(&meaning.file, name, kind)?;
        }
        Ok(if options.ignore.contains(name) {
            Encoder::Skip
        } else if options.weight.as_ref() == Some(name) {
            Encoder::Weights(Vec::new())
        } else if is_index(name) {
            Encoder::Infer(Inference::new(meaning, Wish::Texts, keep))
        } else if options.continuous.contains(name) || cut == Some(name) {
            Encoder::fixed(&Kind::Continuous, meaning, true)
        } else if options.discrete.contains(name) {
            Encoder::Infer(Inference::new(meaning, Wish::Discrete, keep))
        } else {
            match declared {
                Declared::Kind(kind) => Encoder::fixed(&kind, meaning, true),
                Declared::Discrete => Encoder::Infer(Inference::new(meaning, Wish::Texts, keep)),
                Declared::Unknown => Encoder::Infer(Inference::new(meaning, Wish::Open, keep)),
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
    bins: Option<Bins>,
}

impl SchemaReader {
    /// Opens a file that must have every column of `schema` but those in `optional` (which are missing cells where
    /// the file lacks them). With `strict` a level that the schema lacks and a text among numbers are errors; otherwise
    /// the cell is missing and counted.
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
        let all_meanings = known_meanings(&file, records.as_ref(), options);
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
            bins: options.conventions.bins.clone(),
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
            let kind = if is_cut(&reader.bins, field) { &Kind::Continuous } else { &field.kind };
            reader.encoders.push(Encoder::fixed(kind, &meaning, strict));
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

    /// What the columns are.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Levels met that the schema lacks, and texts among numbers, with how often each came.
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
                (Some(_), _) if is_cut(&self.bins, field) => {
                    binned(self.encoders[i].take(), &self.bins)?
                }
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

/// Whether a file has numbers where the schema has bins.
fn is_cut(bins: &Option<Bins>, field: &Field) -> bool {
    bins.as_ref().is_some_and(|b| b.column == field.name && field.is_discrete())
}

/// The bins of these numbers.
fn binned(numbers: Cells, bins: &Option<Bins>) -> Result<Cells> {
    let cuts = vec![bins.as_ref().map(|b| b.cuts.clone())];
    let table = Table::new("", vec![(Field::continuous(""), numbers)])?;
    Ok(Discretiser { cuts }.apply(&table).cells(0).clone())
}
