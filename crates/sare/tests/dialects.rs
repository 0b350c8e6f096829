//! The same table in many dialects of delimited text gives the same columns, in memory, in pieces, and to a model that was
//! learnt from another dialect. The files of `tests/dialects` were written by pandas and by the rules of R.

use proptest::prelude::*;
use sare::classify::Learner;
use sare::data::read::SchemaReader;
use sare::data::{About, Encoding, LeftOut, ReadOptions, Schema, Stream, Table, read_table};
use sare::run::Run;

/// A cell before it is written.
#[derive(Clone, Debug)]
enum Cell {
    Missing,
    Text(String),
    Number(f64),
}

/// Columns by name, all of the same length.
type Columns = Vec<(&'static str, Vec<Cell>)>;

/// What a row is called.
type RowName = fn(usize) -> String;

/// How a table is written.
#[derive(Clone, Debug)]
struct Dialect {
    delimiter: char,
    decimal_comma: bool,
    quote: bool,
    /// What a missing number looks like; a missing text is always empty.
    missing: &'static str,
    /// Row numbers or names before the first column; its header: nothing, or no field at all.
    index: Option<(RowName, bool)>,
    /// Delimiters at the end of the header and of the rows.
    trailing: (bool, bool),
    before: &'static str,
    end: &'static str,
    encoding: &'static str,
}

const PLAIN: Dialect = Dialect {
    delimiter: ',',
    decimal_comma: false,
    quote: false,
    missing: "",
    index: None,
    trailing: (false, false),
    before: "",
    end: "\n",
    encoding: "utf-8",
};

impl Dialect {
    fn text(&self, columns: &Columns) -> String {
        let quoted = |t: &str| match self.quote || t.contains([self.delimiter, '"', ' ', '#']) {
            true => format!("\"{}\"", t.replace('"', "\"\"")),
            false => t.to_string(),
        };
        let cell = |c: &Cell| match c {
            Cell::Missing => self.missing.to_string(),
            Cell::Text(t) => quoted(t),
            Cell::Number(x) if self.decimal_comma => x.to_string().replace('.', ","),
            Cell::Number(x) => x.to_string(),
        };
        let line = |first: Option<String>, cells: Vec<String>, trailing: bool| {
            let cells: Vec<String> = first.into_iter().chain(cells).collect();
            let tail = if trailing { self.delimiter.to_string() } else { String::new() };
            cells.join(&self.delimiter.to_string()) + &tail + self.end
        };
        let names = columns.iter().map(|(n, _)| quoted(n)).collect();
        let first = self.index.filter(|(_, named)| *named).map(|_| "\"\"".to_string());
        let mut text = self.before.to_string() + &line(first, names, self.trailing.0);
        for r in 0..columns[0].1.len() {
            let cells = columns.iter().map(|(_, cells)| match &cells[r] {
                Cell::Missing
                    if matches!(
                        cells.iter().find(|c| !matches!(c, Cell::Missing)),
                        Some(Cell::Text(_))
                    ) =>
                {
                    String::new()
                }
                other => cell(other),
            });
            let first = self.index.map(|(name, _)| name(r));
            text += &line(first, cells.collect(), self.trailing.1);
        }
        text
    }

    fn bytes(&self, columns: &Columns) -> Vec<u8> {
        let text = self.text(columns);
        let marked = || format!("\u{feff}{text}");
        match self.encoding {
            "utf-16le" => marked().encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => marked().encode_utf16().flat_map(u16::to_be_bytes).collect(),
            "utf-8 with a mark" => marked().into_bytes(),
            "latin-1" => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
            _ => text.into_bytes(),
        }
    }

    fn options(&self) -> ReadOptions {
        let encoding = (self.encoding == "latin-1").then_some(Encoding::Latin1);
        ReadOptions { encoding, ..ReadOptions::default() }
    }
}

/// The dialects, one feature after the other and then together.
fn dialects() -> Vec<Dialect> {
    let number = |r: usize| r.to_string();
    let name = |r: usize| format!("\"{}\"", r + 1);
    let gaps = |r: usize| (3 * r % 7).to_string();
    let words = |r: usize| format!("\"case {r}\"");
    let semicolon = Dialect { delimiter: ';', decimal_comma: true, ..PLAIN };
    let tab = Dialect { delimiter: '\t', ..PLAIN };
    vec![
        Dialect { index: Some((number, true)), ..PLAIN },
        Dialect { index: Some((name, true)), quote: true, ..PLAIN },
        Dialect { index: Some((gaps, true)), ..PLAIN },
        Dialect { index: Some((words, true)), ..PLAIN },
        Dialect { index: Some((name, false)), quote: true, delimiter: ' ', missing: "NA", ..PLAIN },
        Dialect { index: Some((words, false)), quote: true, ..tab },
        Dialect { trailing: (true, true), ..PLAIN },
        Dialect { trailing: (false, true), ..PLAIN },
        Dialect { trailing: (true, false), ..PLAIN },
        Dialect { before: "# made on Monday\n# by nobody, at all\n", ..PLAIN },
        Dialect { before: "% a comment\r\n", end: "\r\n", ..PLAIN },
        Dialect { before: "sep=;\r\n", end: "\r\n", ..semicolon },
        semicolon.clone(),
        Dialect { decimal_comma: true, ..tab },
        Dialect { missing: "NaN", ..PLAIN },
        Dialect { missing: "n/a", ..tab },
        Dialect { missing: "#N/A", ..semicolon },
        Dialect { missing: "-", ..PLAIN },
        Dialect { missing: ".", ..PLAIN },
        Dialect { missing: "null", delimiter: '|', ..PLAIN },
        Dialect { encoding: "utf-8 with a mark", ..PLAIN },
        Dialect { encoding: "utf-16le", end: "\r\n", ..tab },
        Dialect { encoding: "utf-16be", ..PLAIN },
        Dialect { encoding: "latin-1", ..semicolon },
        Dialect {
            encoding: "latin-1",
            index: Some((number, true)),
            trailing: (true, true),
            ..semicolon
        },
        Dialect {
            before: "#x\n",
            index: Some((name, true)),
            quote: true,
            missing: "NULL",
            ..semicolon
        },
    ]
}

prop_compose! {
    /// Levels, codes, measurements and dates with missing cells, and a class; numbers enough to be told from codes.
    fn table()(
        rows in prop::collection::vec(
            (prop::option::weighted(0.8, 0usize..4), prop::option::weighted(0.8, 0u8..5),
             prop::option::weighted(0.8, -9999i32..9999), 0i64..4000, any::<bool>()), 30..60),
    ) -> Columns {
        let levels = ["ja, gewiß", "naïve", "say \"no\"", "#4"];
        let or_missing = |cell: Option<Cell>| cell.unwrap_or(Cell::Missing);
        let mut columns: Columns =
            ["level", "code", "größe", "day", "class"].map(|name| (name, Vec::new())).into();
        for (r, (level, code, number, day, class)) in rows.into_iter().enumerate() {
            columns[0].1.push(or_missing(level.map(|l| Cell::Text(levels[l].into()))));
            columns[1].1.push(or_missing(code.map(|c| Cell::Number(f64::from(c)))));
            // Two decimals, never whole: thirteen rows differ at least.
            let number = number.map(|n| Cell::Number((f64::from(n) + r as f64 * 20_000.0 + 0.25) / 1.0));
            columns[2].1.push(or_missing(number));
            columns[3].1.push(Cell::Text(date(day)));
            columns[4].1.push(Cell::Text(if class { "u" } else { "v" }.into()));
        }
        columns
    }
}

/// A day of the years from 2000 on in which every month has 28 days.
fn date(day: i64) -> String {
    format!("{}-{:02}-{:02}", 2000 + day / 336, 1 + day % 336 / 28, 1 + day % 28)
}

/// The table without columns that are left out.
fn used(table: &Table) -> Table {
    table.select(&table.schema().usable().collect::<Vec<usize>>())
}

fn same(a: &Table, b: &Table) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.schema(), b.schema());
    prop_assert_eq!(a.rows(), b.rows());
    for c in 0..a.columns() {
        prop_assert_eq!(a.cells(c), b.cells(c), "column {}", &a.field(c).name);
    }
    Ok(())
}

/// All rows of a file read by a schema, with nothing unknown.
fn by_schema(path: &str, schema: &Schema, options: &ReadOptions) -> Result<Table, TestCaseError> {
    let mut reader = SchemaReader::open(path, schema, options, &[], false).unwrap();
    let table = reader.next_piece(1000).unwrap().unwrap();
    prop_assert!(reader.unseen().is_empty(), "{:?}", reader.unseen());
    Ok(table)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_dialect_gives_the_same_columns(columns in table()) {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::default();
        let write = |dialect: &Dialect, name: &str| {
            let path = folder.path().join(name).display().to_string();
            std::fs::write(&path, dialect.bytes(&columns)).unwrap();
            path
        };
        let plain_path = write(&PLAIN, "plain.csv");
        let plain = read_table(&plain_path, &ReadOptions::default(), &run).unwrap();
        let model = Learner::default().fit(plain.view(), "class", &run).unwrap();
        let expected = model.predict(&plain, &run).unwrap().posteriors;
        for (i, dialect) in dialects().iter().enumerate() {
            let path = write(dialect, &format!("{i}.csv"));
            let options = dialect.options();
            let table = read_table(&path, &options, &run).unwrap_or_else(|e| panic!("{dialect:?}: {e}"));
            same(&used(&table), &used(&plain))?;
            // In pieces: the same columns are left out, and the cells are the same.
            let stream = Stream::open(&path, &options, &run).unwrap();
            prop_assert_eq!(stream.schema(), table.schema());
            prop_assert_eq!(stream.conventions(), &**table.conventions());
            let columns: Vec<usize> = stream.schema().usable().collect();
            stream.select(&columns).for_each_piece(|piece| {
                assert_eq!((piece.schema(), piece.rows()), (used(&table).schema(), table.rows()));
                (0..piece.columns()).for_each(|c| assert_eq!(piece.cells(c), used(&table).cells(c)));
                Ok(())
            }).unwrap();
            // A model of either dialect reads the other.
            let known = ReadOptions { conventions: model.training().conventions.clone(), ..options };
            let rows = by_schema(&path, model.schema(), &known)?;
            prop_assert_eq!(&model.predict(&rows, &run).unwrap().posteriors, &expected);
            let own = Learner::default().fit(table.view(), "class", &run).unwrap();
            prop_assert_eq!(own.network(), model.network());
            let known = ReadOptions { conventions: own.training().conventions.clone(), ..ReadOptions::default() };
            let rows = by_schema(&plain_path, own.schema(), &known)?;
            prop_assert_eq!(&own.predict(&rows, &run).unwrap().posteriors, &expected);
        }
    }
}

fn read(text: &str) -> sare::error::Result<Table> {
    read_with(text, &ReadOptions::default())
}

fn read_with(text: &str, options: &ReadOptions) -> sare::error::Result<Table> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv").display().to_string();
    std::fs::write(&path, text).unwrap();
    let table = read_table(&path, options, &Run::default());
    // In pieces it is the same, or the same error.
    match (&table, Stream::open(&path, options, &Run::default())) {
        (Ok(table), Ok(stream)) => {
            assert_eq!(table.schema(), stream.schema());
            assert_eq!(**table.conventions(), *stream.conventions());
            let left_out = |schema: &Schema| -> Vec<Option<LeftOut>> {
                schema.fields.iter().map(|f| f.left_out).collect()
            };
            assert_eq!(left_out(table.schema()), left_out(stream.schema()));
            (0..table.columns()).for_each(|c| {
                assert_eq!(table.cells(c).missing(), stream.missing(c), "{}", table.field(c).name);
            });
        }
        // A stream is never cut into bins.
        (Err(_), Err(b)) if options.bins.is_some() => {
            assert!(b.to_string().contains("cannot be cut into bins"));
        }
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
        (a, b) => panic!("{:?} in memory, {:?} in pieces", a.is_ok(), b.is_ok()),
    }
    table
}

fn left_out(table: &Table, column: &str) -> Option<LeftOut> {
    table.field(table.schema().position(column).unwrap()).left_out
}

/// Rows of a number, a word and more columns made from the row number.
fn rows(header: &str, n: usize, row: impl Fn(usize) -> String) -> String {
    let body: String = (0..n).map(|r| row(r) + "\n").collect();
    format!("{header}\n{body}")
}

#[test]
fn columns_that_cannot_help_are_left_out_and_can_be_kept() {
    let text = rows("id,count,one,none,same?,x,class", 25, |r| {
        format!("case{r},{},k,,{},{}.5,{}", 25 - r, if r == 3 { "" } else { "7" }, r % 9, r % 2)
    });
    let table = read(&text).unwrap();
    assert_eq!(left_out(&table, "id"), Some(LeftOut::Identifier));
    assert_eq!(left_out(&table, "count"), Some(LeftOut::RowNumbers));
    assert_eq!(left_out(&table, "one"), Some(LeftOut::Constant));
    assert_eq!(left_out(&table, "none"), Some(LeftOut::Empty));
    assert_eq!(left_out(&table, "same?"), Some(LeftOut::Constant));
    assert_eq!((left_out(&table, "x"), left_out(&table, "class")), (None, None));
    let model = Learner::default().fit(table.view(), "class", &Run::default()).unwrap();
    assert_eq!(model.attributes().iter().map(|f| &*f.name).collect::<Vec<_>>(), ["x"]);
    assert_eq!(model.training().conventions.notes.len(), 4, "one line for each reason");
    let keep = ["id", "count", "one", "none"].map(String::from).to_vec();
    let kept = read_with(&text, &ReadOptions { keep, ..ReadOptions::default() }).unwrap();
    for name in ["id", "count", "one"] {
        assert_eq!(left_out(&kept, name), None);
    }
    assert_eq!(left_out(&kept, "none"), Some(LeftOut::Empty), "nothing is there to keep");
    // In a smaller table a real attribute may differ in every row.
    let small = read(&rows("id,n,c", 19, |r| format!("case{r},{r},{}", r % 2))).unwrap();
    assert_eq!((left_out(&small, "id"), left_out(&small, "n")), (None, None));
}

#[test]
fn an_index_may_hold_numbers_and_words() {
    let text = rows(",x,class", 30, |r| {
        format!("{},{r}.5,{}", if r == 29 { "Total".into() } else { r.to_string() }, r % 2)
    });
    let table = read(&text).unwrap();
    assert_eq!(table.field(0).left_out, Some(LeftOut::Index));
    assert_eq!(table.conventions().notes.len(), 1);
    let days = rows(",x,class", 30, |r| format!("2024-01-{:02},{r}.5,{}", r + 1, r % 2));
    let table = read(&days).unwrap();
    assert_eq!(table.field(0).left_out, Some(LeftOut::Index));
    assert_eq!((table.conventions().notes.len(), table.conventions().dates.len()), (1, 0));
}

#[test]
fn words_are_missing_only_among_numbers() {
    let words = ["NaN", "nan", "null", "NULL", "N/A", "n/a", "#N/A", "-", ".", " "];
    let text = rows("x,code,text,class", 40, |r| {
        let word = words[r % words.len()];
        let some = |cell: String| if r % 4 == 1 { word.to_string() } else { cell };
        format!(
            "{},{},{},{}",
            some(format!("{r}.5")),
            some((r % 3).to_string()),
            some("a".into()),
            r % 2
        )
    });
    let table = read(&text).unwrap();
    assert_eq!(table.cells(0).missing(), 10);
    assert_eq!(table.field(1).levels(), ["0", "1", "2"]);
    assert_eq!(table.cells(1).missing(), 10);
    // Texts: only the blank is missing, and the other words of these rows stay levels.
    assert!(table.field(2).levels().contains(&"nan".to_string()));
    let note = table.conventions().notes.iter().find(|n| n.about == About::MissingWords).unwrap();
    assert_eq!(note.columns, ["x", "code"]);
    assert!(note.text.contains("'nan' (4)"), "{}", note.text);
    // A list of one's own switches the words off.
    let missing = Some(vec!["?".to_string(), String::new()]);
    let error = read_with(&text, &ReadOptions { missing, ..ReadOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("line 3, column 'x'"), "{error}");
}

#[test]
fn commas_in_numbers_are_decimal_only_where_all_agree() {
    let all = |delimiter: &str, cell: fn(usize) -> String| {
        read(&rows(&["x", "y"].join(delimiter), 30, |r| {
            format!("{}{delimiter}k{}", cell(r), r % 2)
        }))
    };
    let sum = |t: Table| (0..30).filter_map(|r| t.cells(0).number(r)).sum::<f64>();
    let expected = (0..30).map(|r| f64::from(r) + 0.5).sum::<f64>();
    assert_eq!(sum(all(";", |r| format!("{r},5")).unwrap()), expected);
    assert_eq!(sum(all("\t", |r| format!("{r},5")).unwrap()), expected);
    // Between commas, in quotes: not without being told.
    let quoted = |r: usize| format!("\"{r},5\"");
    let error = all(",", quoted).unwrap_err().to_string();
    assert!(
        error.contains("line 2, column 'x': '0,5'") && error.contains("--decimal-comma yes"),
        "{error}"
    );
    // A number with a point among them: they do not agree.
    let mixed = |r: usize| if r == 9 { "9.5".into() } else { format!("{r},5") };
    assert!(all(";", mixed).unwrap_err().to_string().contains("--decimal-comma yes"));
    // Tabs, and nothing that could not separate thousands.
    let thousands = |r: usize| format!("{},500", r + 1);
    assert!(all("\t", thousands).unwrap_err().to_string().contains("separates thousands"));
    assert_eq!(sum(all(";", thousands).unwrap()), expected + 30.0);
}

#[test]
fn dates_are_days_and_stay_so_in_a_model() {
    let text = rows("day,moment,class", 30, |r| {
        format!("2024-01-{:02},2024-01-31T{:02}:30:00Z,{}", r + 1, r % 24, ["u", "v"][r / 15])
    });
    let table = read(&text).unwrap();
    assert_eq!(table.cells(0).number(0), Some(19_723.0));
    assert_eq!(table.cells(1).number(6), Some(19_753.0 + 6.5 / 24.0));
    let model = Learner::default().fit(table.view(), "class", &Run::default()).unwrap();
    assert_eq!(model.training().conventions.dates, ["day", "moment"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.csv").display().to_string();
    std::fs::write(&path, "day,moment\n2024-01-05,2024-01-31 12:00\nsoon,?\n17,2024-02-30\n")
        .unwrap();
    let conventions = model.training().conventions.clone();
    let options = ReadOptions { conventions, ..ReadOptions::default() };
    let class = ["class".to_string()];
    let mut reader = SchemaReader::open(&path, model.schema(), &options, &class, false).unwrap();
    let new = reader.next_piece(9).unwrap().unwrap();
    assert_eq!(new.cells(0).number(0), Some(19_727.0));
    assert_eq!(new.cells(0).missing(), 2, "a word and a number are no dates");
    assert_eq!(reader.unseen().len(), 3);
    let mut strict = SchemaReader::open(&path, model.schema(), &options, &class, true).unwrap();
    let error = strict.next_piece(9).unwrap_err().to_string();
    assert!(error.contains("line 3, column 'day': 'soon'"), "{error}");
    assert!(!error.contains("--discrete"), "advice that prediction does not have: {error}");
    // Told to be discrete, they are names.
    let discrete = vec!["day".to_string()];
    let names = read_with(&text, &ReadOptions { discrete, ..ReadOptions::default() }).unwrap();
    assert_eq!(names.field(0).states(), 30);
}

#[test]
fn more_values_than_a_column_has_codes() {
    // Overflow of the dictionary: numbers with commas and words, dates, row numbers, names.
    let n = 70_000;
    let text = rows(";x;moment;id;name;same;class", n, |r| {
        let x = if r % 1000 == 7 { "NaN".into() } else { format!("{},{}", r % 977, 100 + r) };
        let (day, hour, minute) = (1 + r / 1440 % 28, r / 60 % 24, r % 60);
        let month = 1 + r / 40_320;
        format!(
            "row{r};{x};2024-{month:02}-{day:02}T{hour:02}:{minute:02};{};n{r};5;{}",
            n - r,
            r % 2
        )
    });
    let table = read(&text).unwrap();
    assert_eq!(table.field(0).left_out, Some(LeftOut::Index));
    assert_eq!(table.cells(1).missing(), n / 1000);
    assert_eq!(table.cells(1).number(1), Some(1.101));
    assert_eq!(table.cells(1).number(69_999), Some("632.70099".parse::<f64>().unwrap() + 0.0));
    assert_eq!(table.cells(2).number(1), Some(19_723.0 + 1.0 / 1440.0));
    assert_eq!(left_out(&table, "id"), Some(LeftOut::RowNumbers));
    assert_eq!(left_out(&table, "name"), Some(LeftOut::Texts));
    assert_eq!(left_out(&table, "same"), Some(LeftOut::Constant));
    let words = table.conventions().notes.iter().find(|n| n.about == About::MissingWords).unwrap();
    assert!(words.text.contains("'NaN' (70)"), "{}", words.text);
}

#[test]
fn what_stays_wrong_is_refused_with_the_place_and_the_way_out() {
    let refused = |text: &str, parts: &[&str]| {
        let error = read(text).unwrap_err().to_string();
        parts.iter().for_each(|p| assert!(error.contains(p), "'{p}' is not in: {error}"));
    };
    refused(",a\nx,1\nx,2\n", &["first column has no name", "name every column"]);
    refused("a,,b\n1,2,3\n", &["line 1", "field 2 has no name"]);
    refused("a,b,\n1,2,3\n", &["line 1", "field 3 has no name"]);
    refused("a,b\n1,2,\n1,2,3\n", &["one field more than the header", "name every column"]);
    refused("a,b\n1,2,\n1,2\n1,2,3\n", &["line 2", "3 fields where 2"]);
    refused("a,b,c\n1,2,3\n1;2;3\n", &["line 3", "1 fields where 3", "separated by ';'"]);
    let units = rows("a,b\ncm,kg", 30, |r| format!("{r}.5,{}", r % 2));
    refused(&units, &["line 2, column 'a': 'cm'", "second header", "--discrete a"]);
    let one =
        rows(
            "a,b",
            10_000,
            |r| if r == 7_000 { "much,0".into() } else { format!("{r}.5,{}", r % 2) },
        );
    refused(&one, &["line 7002, column 'a': 'much'", "--missing \"?,NA,,much\"", "--discrete a"]);
}

/// A class of numbers cut into bins: in the training file, and by the same cut points in a new one.
#[test]
fn bins_of_a_class_are_the_same_in_a_new_file() {
    let text = rows("x,y", 99, |r| format!("{},{}.5", ["a", "b"][r % 2], r));
    let bins = Some(("y".to_string(), 3));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv").display().to_string();
    std::fs::write(&path, &text).unwrap();
    let table = read_table(&path, &ReadOptions { bins, ..ReadOptions::default() }, &Run::default())
        .unwrap();
    let counts = |t: &Table| {
        (0..3)
            .map(|c| (0..t.rows()).filter(|&r| t.cells(1).code(r) == Some(c)).count())
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&table), [33, 33, 33]);
    let model = Learner::default().fit(table.view(), "y", &Run::default()).unwrap();
    std::fs::write(&path, "y,x\n0.5,a\n50,b\n1e6,a\n,b\n").unwrap();
    let conventions = model.training().conventions.clone();
    let options = ReadOptions { conventions, ..ReadOptions::default() };
    let new = SchemaReader::open(&path, model.schema(), &options, &[], true).unwrap().next_piece(9);
    let codes: Vec<Option<usize>> = {
        let t = new.unwrap().unwrap();
        (0..4).map(|r| t.cells(1).code(r)).collect()
    };
    assert_eq!(codes, [Some(0), Some(1), Some(2), None]);
    let bins = Some(("x".to_string(), 3));
    assert!(read_with("x,y\na,1\nb,2\n", &ReadOptions { bins, ..ReadOptions::default() }).is_err());
}

/// The files of `tests/dialects`, which `make.py` wrote, hold the table of `plain.csv`.
#[test]
fn files_of_pandas_r_and_excel_hold_the_same_table() {
    let path = |name: &str| format!("{}/tests/dialects/{name}", env!("CARGO_MANIFEST_DIR"));
    let run = Run::default();
    let plain = read_table(&path("plain.csv"), &ReadOptions::default(), &run).unwrap();
    assert_eq!((plain.rows(), plain.columns()), (40, 5));
    assert!(plain.conventions().dates == ["day"] && plain.cells(3).number(0) == Some(19_753.0));
    let mut read = 0;
    for entry in std::fs::read_dir(path("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".py") {
            continue;
        }
        let latin = name == "excel-latin-1.csv";
        let encoding = latin.then_some(Encoding::Latin1);
        let options = ReadOptions { encoding, ..ReadOptions::default() };
        let table = used(&read_table(&path(&name), &options, &run).unwrap());
        let names: Vec<&str> = table.schema().names().collect();
        let first = if latin { "Größe" } else { "colour" };
        assert_eq!(names, [first, "weight", "count", "day", "class"], "{name}");
        for c in 0..5 {
            assert_eq!(table.field(c).kind, plain.field(c).kind, "{name}");
            assert_eq!(table.cells(c), plain.cells(c), "{name}, column {c}");
        }
        read += 1;
    }
    assert!(read >= 13, "{read} files");
}
