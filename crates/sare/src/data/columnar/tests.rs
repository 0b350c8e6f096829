use super::*;
use arrow_array::builder::{ListBuilder, PrimitiveRunBuilder, StringRunBuilder};
use arrow_array::types::*;
use arrow_array::*;
use arrow_cast::cast;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{Field, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;
use tempfile::NamedTempFile;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Parquet(Compression),
    File(Option<CompressionType>),
    Stream,
}

const FORMATS: [Format; 3] =
    [Format::Parquet(Compression::UNCOMPRESSED), Format::File(None), Format::Stream];

fn path(file: &NamedTempFile) -> &str {
    file.path().to_str().unwrap()
}

fn parquet(path: &str) -> Result<Box<dyn Records>> {
    super::parquet(path, File::open(path).unwrap())
}

fn arrow_ipc(path: &str) -> Result<Box<dyn Records>> {
    super::arrow_ipc(path, File::open(path).unwrap())
}

fn save(format: Format, batches: &[RecordBatch]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    let out = file.reopen().unwrap();
    let schema = batches[0].schema();
    match format {
        Format::Parquet(compression) => {
            let properties = WriterProperties::builder().set_compression(compression).build();
            let mut writer = ArrowWriter::try_new(out, schema, Some(properties)).unwrap();
            batches.iter().for_each(|b| writer.write(b).unwrap());
            writer.close().unwrap();
        }
        Format::File(compression) => {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let mut writer = FileWriter::try_new_with_options(out, &schema, options).unwrap();
            batches.iter().for_each(|b| writer.write(b).unwrap());
            writer.finish().unwrap();
        }
        Format::Stream => {
            let mut writer = StreamWriter::try_new(out, &schema).unwrap();
            batches.iter().for_each(|b| writer.write(b).unwrap());
            writer.finish().unwrap();
        }
    }
    file
}

fn open(format: Format, path: &str) -> Result<Box<dyn Records>> {
    match format {
        Format::Parquet(_) => parquet(path),
        _ => arrow_ipc(path),
    }
}

/// All cells as texts and the size of each read.
fn drain(records: &mut dyn Records, limit: usize) -> Result<(Vec<Vec<String>>, Vec<usize>)> {
    let mut rows = RawRows::default();
    let (mut all, mut sizes) = (Vec::new(), Vec::new());
    loop {
        records.read(&mut rows, limit)?;
        if rows.is_empty() {
            return Ok((all, sizes));
        }
        sizes.push(rows.len());
        assert_eq!(rows.spans.len(), rows.len() * rows.width);
        for row in 0..rows.len() {
            let cell = |c| String::from_utf8(rows.field(row, c).to_vec()).unwrap();
            all.push((0..rows.width).map(cell).collect::<Vec<_>>());
            assert_eq!(rows.lines[row], all.len() as u64);
        }
    }
}

/// What becomes of one column, in every format that can hold it.
fn column(array: impl Array + 'static) -> (Declared, Vec<String>) {
    let array: ArrayRef = Arc::new(array);
    let batch = RecordBatch::try_from_iter_with_nullable([("a", array.clone(), true)]).unwrap();
    let run_ends = matches!(array.data_type(), DataType::RunEndEncoded(..));
    let mut found = Vec::new();
    for format in FORMATS {
        // The writer of Parquet knows no runs.
        if run_ends && matches!(format, Format::Parquet(_)) {
            continue;
        }
        let file = save(format, std::slice::from_ref(&batch));
        let mut records = open(format, path(&file)).unwrap();
        assert_eq!(records.names(), ["a"]);
        assert_eq!(records.missing(), [""]);
        let (cells, _) = drain(records.as_mut(), 100).unwrap();
        found.push((records.declared().remove(0), cells.concat()));
    }
    assert!(found.windows(2).all(|w| w[0] == w[1]), "{found:?}");
    found.remove(0)
}

fn number() -> Declared {
    Declared::Kind(Kind::Continuous)
}

fn texts<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}

#[test]
fn truths_and_whole_numbers() {
    let levels = texts(["false", "true"]);
    let (declared, cells) = column(BooleanArray::from(vec![Some(true), None, Some(false)]));
    assert_eq!(declared, Declared::Kind(Kind::Discrete { levels }));
    assert_eq!(cells, ["true", "", "false"]);

    let unknown = |cells: &[&str]| {
        (Declared::Unknown, cells.iter().map(|c| c.to_string()).collect::<Vec<_>>())
    };
    assert_eq!(
        column(Int8Array::from(vec![Some(i8::MIN), None, Some(0), Some(0)])),
        unknown(&["-128", "", "0", "0"])
    );
    assert_eq!(column(Int16Array::from(vec![-1, 255, 256])), unknown(&["-1", "255", "256"]));
    assert_eq!(column(Int32Array::from(vec![i32::MIN, 9])), unknown(&["-2147483648", "9"]));
    assert_eq!(
        column(Int64Array::from(vec![i64::MIN, 9])),
        unknown(&["-9223372036854775808", "9"])
    );
    assert_eq!(column(UInt8Array::from(vec![0, 255, 0])), unknown(&["0", "255", "0"]));
    assert_eq!(column(UInt16Array::from(vec![65535])), unknown(&["65535"]));
    assert_eq!(column(UInt32Array::from(vec![u32::MAX])), unknown(&["4294967295"]));
    assert_eq!(
        column(UInt64Array::from(vec![Some(u64::MAX), None])),
        unknown(&["18446744073709551615", ""])
    );
    assert_eq!(column(NullArray::new(2)), unknown(&["", ""]));
}

#[test]
fn numbers_are_shortest_and_read_back() {
    let (declared, cells) =
        column(Float32Array::from(vec![Some(0.1), None, Some(f32::NAN), Some(f32::MAX)]));
    assert_eq!((declared, cells), (number(), texts(["0.1", "", "", "3.4028235e38"])));

    let values =
        [1.0, -2.5, 0.1 + 0.2, 1e300, 5e-324, -0.0, 1e15, 123456.75, f64::MIN_POSITIVE, 1e-5];
    let (declared, cells) = column(Float64Array::from(values.to_vec()));
    assert_eq!(declared, number());
    assert_eq!(&cells[..5], ["1", "-2.5", "0.30000000000000004", "1e300", "5e-324"]);
    let back: Vec<u64> = cells.iter().map(|c| c.parse::<f64>().unwrap().to_bits()).collect();
    assert_eq!(back, values.map(f64::to_bits));

    let infinite = Float64Array::from(vec![f64::INFINITY, f64::NEG_INFINITY]);
    assert_eq!(column(infinite).1, ["inf", "-inf"]);

    let half = cast(&Float32Array::from(vec![1.5, 0.25]), &DataType::Float16).unwrap();
    assert_eq!(
        column(half.as_any().downcast_ref::<Float16Array>().unwrap().clone()),
        (number(), texts(["1.5", "0.25"]))
    );
    let decimal = Decimal128Array::from(vec![Some(-12345), None, Some(5)]);
    assert_eq!(
        column(decimal.with_precision_and_scale(9, 2).unwrap()),
        (number(), texts(["-123.45", "", "0.05"]))
    );
}

#[test]
fn texts_and_categories() {
    let given = || vec![Some("é, \"b\"\n"), None, Some(""), Some("x"), Some("x")];
    let expected = (Declared::Discrete, texts(["é, \"b\"\n", "", "", "x", "x"]));
    assert_eq!(column(StringArray::from(given())), expected);
    assert_eq!(column(LargeStringArray::from(given())), expected);
    assert_eq!(column(StringViewArray::from(given())), expected);
    assert_eq!(column(DictionaryArray::<Int8Type>::from_iter(given())), expected);
    assert_eq!(column(DictionaryArray::<UInt32Type>::from_iter(given())), expected);

    let empty = DictionaryArray::<Int8Type>::from_iter([None::<&str>, None]);
    assert_eq!(column(empty).1, ["", ""]);
    // Categories that are whole numbers, one of them null, and more of them than rows.
    let keys = Int8Array::from(vec![Some(2), None, Some(0), Some(2), Some(1)]);
    let values = Arc::new(Int64Array::from(vec![Some(70), None, Some(-900)]));
    let numbers = DictionaryArray::new(keys, values.clone());
    let few = numbers.slice(0, 2);
    assert_eq!(column(numbers), (Declared::Discrete, texts(["-900", "", "70", "-900", ""])));
    assert_eq!(column(few), (Declared::Discrete, texts(["-900", ""])));
}

#[test]
fn runs_are_unrolled() {
    let mut builder = StringRunBuilder::<Int32Type>::new();
    builder.extend([Some("a"), Some("a"), None, Some("b")]);
    assert_eq!(column(builder.finish()), (Declared::Discrete, texts(["a", "a", "", "b"])));
    let mut builder = PrimitiveRunBuilder::<Int16Type, Float64Type>::new();
    builder.extend([Some(0.5), Some(0.5), None]);
    assert_eq!(column(builder.finish()), (number(), texts(["0.5", "0.5", ""])));
}

#[test]
fn moments_are_texts_that_may_be_read_as_dates() {
    let unknown = |cells| (Declared::Unknown, cells);
    assert_eq!(column(Date32Array::from(vec![Some(0), None])), unknown(texts(["1970-01-01", ""])));
    assert_eq!(
        column(Time32SecondArray::from(vec![3661])),
        (Declared::Discrete, texts(["01:01:01"]))
    );
    assert_eq!(
        column(TimestampMillisecondArray::from(vec![1_500])),
        unknown(texts(["1970-01-01T00:00:01.500"]))
    );
    for zone in ["UTC", "Europe/Berlin", "+02:00"] {
        let zoned = TimestampMicrosecondArray::from(vec![Some(0), None]).with_timezone(zone);
        assert_eq!(column(zoned), unknown(texts(["1970-01-01T00:00:00Z", ""])));
    }
    // Beyond every calendar: an error, no panic and no nonsense.
    let batch = RecordBatch::try_from_iter([(
        "when",
        Arc::new(TimestampSecondArray::from(vec![i64::MAX])) as ArrayRef,
    )])
    .unwrap();
    let file = save(Format::Stream, &[batch]);
    let message = drain(arrow_ipc(path(&file)).unwrap().as_mut(), 9).unwrap_err().to_string();
    assert!(message.contains("column 'when': a cell cannot be written as text"), "{message}");
}

fn mixed(rows: std::ops::Range<i64>) -> RecordBatch {
    let text: StringArray = rows.clone().map(|i| (i % 7 != 0).then(|| format!("t{i}"))).collect();
    let code: UInt8Array = rows.clone().map(|i| (i % 5 != 0).then_some(i as u8)).collect();
    let half: Float64Array = rows.clone().map(|i| (i % 3 != 0).then_some(i as f64 / 2.0)).collect();
    let even: BooleanArray = rows.clone().map(|i| (i % 4 != 0).then_some(i % 2 == 0)).collect();
    let names = ["u", "v", "w"];
    let kind: DictionaryArray<Int32Type> =
        rows.map(|i| (i % 6 != 0).then_some(names[i as usize % 3])).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("text", Arc::new(text) as ArrayRef, true),
        ("code", Arc::new(code), true),
        ("half", Arc::new(half), true),
        ("even", Arc::new(even), true),
        ("kind", Arc::new(kind), true),
    ])
    .unwrap()
}

fn mixed_cells(rows: std::ops::Range<i64>) -> Vec<Vec<String>> {
    let unless = |zero: bool, text: String| if zero { String::new() } else { text };
    rows.map(|i| {
        vec![
            unless(i % 7 == 0, format!("t{i}")),
            unless(i % 5 == 0, (i as u8).to_string()),
            unless(i % 3 == 0, (i as f64 / 2.0).to_string()),
            unless(i % 4 == 0, (i % 2 == 0).to_string()),
            unless(i % 6 == 0, ["u", "v", "w"][i as usize % 3].to_string()),
        ]
    })
    .collect()
}

#[test]
fn sliced_batches_and_small_limits() {
    // Slices with an offset into their buffers, and one batch without rows.
    let whole = mixed(0..1000);
    let batches = [whole.slice(3, 500), whole.slice(0, 0), whole.slice(503, 400)];
    for format in FORMATS {
        let file = save(format, &batches);
        for limit in [1, 7, 256, 500, usize::MAX] {
            let mut records = open(format, path(&file)).unwrap();
            assert_eq!(records.names(), ["text", "code", "half", "even", "kind"]);
            let (cells, sizes) = drain(records.as_mut(), limit).unwrap();
            assert!(cells == mixed_cells(3..903), "{format:?}, limit {limit}");
            assert!(sizes.iter().all(|&s| s <= limit));
        }
    }
}

#[test]
fn every_compression_is_read() {
    let batch = [mixed(0..300)];
    let parquet = [
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    let ipc = [CompressionType::LZ4_FRAME, CompressionType::ZSTD];
    let formats = parquet.map(Format::Parquet).into_iter();
    for format in formats.chain(ipc.map(|c| Format::File(Some(c)))) {
        let file = save(format, &batch);
        let (cells, _) = drain(open(format, path(&file)).unwrap().as_mut(), 64).unwrap();
        assert!(cells == mixed_cells(0..300), "{format:?}");
    }
}

#[test]
fn a_file_may_have_no_rows() {
    for format in FORMATS {
        let file = save(format, &[mixed(0..0)]);
        let mut records = open(format, path(&file)).unwrap();
        assert_eq!(drain(records.as_mut(), 9).unwrap().0, Vec::<Vec<String>>::new());
        assert_eq!(records.declared().len(), 5);
    }
}

/// The message when a file of this one column is opened.
fn refused(array: impl Array + 'static) -> String {
    let batch = RecordBatch::try_from_iter([("odd", Arc::new(array) as ArrayRef)]).unwrap();
    arrow_ipc(path(&save(Format::File(None), &[batch]))).err().unwrap().to_string()
}

#[test]
fn columns_without_single_values_are_refused() {
    let mut list = ListBuilder::new(Int32Array::builder(1));
    list.append_value([Some(1), None]);
    let parts = vec![(
        Arc::new(Field::new("p", DataType::Int8, false)),
        Arc::new(Int8Array::from(vec![1])) as ArrayRef,
    )];
    let cases = [
        (refused(list.finish()), "List("),
        (refused(StructArray::from(parts)), "Struct("),
        (refused(BinaryArray::from(vec![b"a".as_slice()])), "write it as text"),
        (refused(BinaryViewArray::from(vec![b"a".as_slice()])), "write it as text"),
        (refused(DurationSecondArray::from(vec![1])), "such as seconds"),
    ];
    for (message, expected) in cases {
        assert!(message.contains("column 'odd': cells of the type "), "{message}");
        assert!(message.contains("drop it before writing the file"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn one_name_twice_is_refused() {
    let array = || Arc::new(Int8Array::from(vec![1])) as ArrayRef;
    let fields = vec![Field::new("a", DataType::Int8, false); 2];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![array(), array()]);
    let file = save(Format::Stream, &[batch.unwrap()]);
    let message = arrow_ipc(path(&file)).err().unwrap().to_string();
    assert!(message.contains("column 'a': another column has the same name"), "{message}");
}

#[test]
fn other_files_are_refused() {
    let cases = [
        ("FEA1....", "Feather file of version 1"),
        ("PAR1....", "this is a Parquet file"),
        ("a,b\n1,2\n", "neither an Arrow file nor an Arrow stream"),
        ("", "neither an Arrow file nor an Arrow stream"),
        ("ARROW1", "the file cannot be read: "),
    ];
    for (text, expected) in cases {
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let message = arrow_ipc(path(&file)).err().unwrap().to_string();
        assert!(message.contains(expected), "{text:?}: {message}");
        let message = parquet(path(&file)).err().unwrap().to_string();
        assert!(message.contains("the file cannot be read: "), "{text:?}: {message}");
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut state = 7u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for format in FORMATS {
        let whole = mixed(0..99);
        let saved = save(format, &[whole.slice(0, 50), whole.slice(50, 49)]);
        let good = std::fs::read(saved.path()).unwrap();
        let file = NamedTempFile::new().unwrap();
        for case in 0..300 {
            let mut bytes = good.clone();
            if case % 3 == 0 {
                bytes.truncate(draw(good.len()));
            } else {
                (0..case % 4 + 1).for_each(|_| bytes[draw(good.len())] = draw(256) as u8);
            }
            std::fs::write(file.path(), bytes).unwrap();
            if let Ok(mut records) = open(format, path(&file)) {
                let _ = drain(records.as_mut(), 40);
            }
        }
    }
}

#[test]
fn times_of_every_unit_are_allowed() {
    for unit in [TimeUnit::Second, TimeUnit::Nanosecond] {
        assert_eq!(super::declared(&DataType::Timestamp(unit, None)), Some(Declared::Unknown));
    }
}

/// What cannot be looked into at any place goes into a temporary file first.
#[cfg(unix)]
#[test]
fn pipes_and_gzipped_files_are_read() {
    use crate::data::{ReadOptions, open::open as by_path};
    use std::io::Write as _;
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for format in FORMATS {
        let saved = save(format, &[mixed(0..300)]);
        let bytes = std::fs::read(saved.path()).unwrap();
        // A stream does not say what it is, but by its name.
        let (pipe, packed) = (at("pipe.arrows"), at("packed.arrows.gz"));
        let out = File::create(&packed).unwrap();
        let mut zip = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        zip.write_all(&bytes).unwrap();
        zip.finish().unwrap();
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&pipe, &bytes).unwrap());
            for path in [&packed, &pipe] {
                let mut records = by_path(path, &ReadOptions::default()).unwrap();
                let (cells, _) = drain(records.as_mut(), 64).unwrap();
                assert!(cells == mixed_cells(0..300), "{format:?} {path}");
            }
        });
        std::fs::remove_file(pipe).unwrap();
    }
}

/// The same table as pandas writes it to Parquet and to CSV gives the same columns, in memory and in pieces.
#[test]
fn the_same_columns_as_from_csv() {
    use crate::data::{LeftOut, ReadOptions, Stream, Table, read_table};
    use crate::run::Run;
    let rows = 40;
    let index: Int64Array = (0..rows).map(|r| Some(i64::from(3 * r % 7))).collect();
    let day: Date32Array = (0..rows).map(|r| (r % 9 != 2).then_some(19_753 + r % 20)).collect();
    let moment: TimestampSecondArray =
        (0..rows).map(|r| Some(86_400 * i64::from(r) + 43_200)).collect();
    let text: StringArray = (0..rows).map(|r| Some(["a", "b"][r as usize % 2])).collect();
    let dates: StringArray =
        (0..rows).map(|r| Some(format!("2024-01-{:02}", 1 + r % 30))).collect();
    let weight: Float64Array =
        (0..rows).map(|r| (r % 5 != 1).then_some(f64::from(r) + 0.5)).collect();
    let id: StringArray = (0..rows).map(|r| Some(format!("case {r}"))).collect();
    let number: Int32Array = (0..rows).map(|r| Some(rows - r)).collect();
    let same: Float64Array = (0..rows).map(|_| Some(2.5)).collect();
    let none: Float64Array = (0..rows).map(|_| None).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("__index_level_0__", Arc::new(index)),
        ("day", Arc::new(day)),
        ("moment", Arc::new(moment)),
        ("text", Arc::new(text)),
        ("dates", Arc::new(dates)),
        ("weight", Arc::new(weight)),
        ("id", Arc::new(id)),
        ("number", Arc::new(number)),
        ("same", Arc::new(same)),
        ("none", Arc::new(none)),
    ];
    let names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    let file = save(Format::Parquet(Compression::UNCOMPRESSED), &[batch.unwrap()]);
    let (cells, _) = drain(parquet(path(&file)).unwrap().as_mut(), 100).unwrap();
    let csv = NamedTempFile::new().unwrap();
    // The index has no name there.
    let lines: Vec<String> = cells.iter().map(|row| row.join(",")).collect();
    let text = format!(",{}\n{}\n", names[1..].join(","), lines.join("\n"));
    std::fs::write(csv.path(), text).unwrap();
    let (options, run) = (ReadOptions::default(), Run::default());
    let read = |path: &str| -> Table {
        let table = read_table(path, &options, &run).unwrap();
        let stream = Stream::open(path, &options, &run).unwrap();
        assert_eq!(table.schema(), stream.schema());
        assert_eq!(**table.conventions(), *stream.conventions());
        table
    };
    let (from_parquet, from_csv) = (read(path(&file)), read(path(&csv)));
    for (c, name) in names.iter().enumerate() {
        let (one, other) = (from_parquet.field(c), from_csv.field(c));
        assert_eq!(one.left_out, other.left_out, "{name}");
        if one.left_out.is_none() {
            assert_eq!(one.kind, other.kind, "{name}");
            assert_eq!(from_parquet.cells(c), from_csv.cells(c), "{name}");
        }
    }
    let why: Vec<Option<LeftOut>> = (0..10).map(|c| from_csv.field(c).left_out).collect();
    let identifier = [LeftOut::Identifier, LeftOut::RowNumbers, LeftOut::Constant, LeftOut::Empty];
    assert_eq!(why[0], Some(LeftOut::Index));
    assert_eq!(why[1..6], [None; 5]);
    assert_eq!(why[6..], identifier.map(Some));
    assert_eq!(from_csv.cells(2).number(1), Some(1.5));
}
