//! Damaged columnar files are refused: no panic is printed, and no memory is taken because a file claims it.
#![cfg(all(feature = "columnar", target_os = "linux"))]

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rustix::process::{Resource, Rlimit, setrlimit};
use sare::data::{ReadOptions, read_table};
use sare::run::Run;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

static PRINTED: AtomicUsize = AtomicUsize::new(0);

fn batch() -> RecordBatch {
    let rows = 0..40i64;
    let text: StringArray =
        rows.clone().map(|i| (i % 7 != 0).then(|| format!("t{}", i % 3))).collect();
    let kind: DictionaryArray<Int32Type> =
        rows.clone().map(|i| Some(["u", "v"][i as usize % 2])).collect();
    let half: Float64Array = rows.clone().map(|i| (i % 3 != 0).then_some(i as f64 / 2.0)).collect();
    let columns: [(&str, ArrayRef, bool); 4] = [
        ("text", Arc::new(text), true),
        ("kind", Arc::new(kind), true),
        ("half", Arc::new(half), true),
        ("code", Arc::new(Int64Array::from(vec![7; 40])), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// A small file of every format and compression.
fn files() -> Vec<(String, Vec<u8>)> {
    let (batch, mut files) = (batch(), Vec::new());
    for codec in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let options = || IpcWriteOptions::default().try_with_compression(codec).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        files.push((format!("file {codec:?}"), bytes));
        let mut bytes = Vec::new();
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        files.push((format!("stream {codec:?}.arrows"), bytes));
    }
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4_RAW,
    ];
    for codec in codecs {
        let properties = WriterProperties::builder().set_compression(codec).build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        files.push((format!("parquet {codec:?}"), bytes));
    }
    files
}

/// No more than a gigabyte beyond what is taken already: what a file claims is refused by the system at once.
fn limit_memory() {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
    let limit = Some(pages * rustix::param::page_size() as u64 + (1 << 30));
    setrlimit(Resource::As, Rlimit { current: limit, maximum: limit }).unwrap();
}

/// Every byte of every file with one bit changed, and with all. One test, as it changes the whole process.
#[test]
fn no_damaged_byte_panics_or_takes_memory() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        PRINTED.fetch_add(1, Ordering::SeqCst);
    }));
    let files = files();
    let run = Run::default().threads(1).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // A stream is known by the ending of its name alone.
    let read = |name: &str, bytes: &[u8]| {
        let ending = if name.ends_with(".arrows") { "arrows" } else { "x" };
        let path = folder.path().join(format!("damaged.{ending}"));
        std::fs::write(&path, bytes).unwrap();
        read_table(path.to_str().unwrap(), &ReadOptions::default(), &run)
    };
    files.iter().for_each(|(name, bytes)| assert_eq!(read(name, bytes).expect(name).rows(), 40));
    limit_memory();
    let (mut refused, mut panicked) = (0, 0);
    for (name, good) in &files {
        let mut bytes = good.clone();
        for place in 0..good.len() {
            for change in [good[place] ^ 1 << (place % 8), good[place] ^ 0xff] {
                bytes[place] = change;
                if let Err(e) = read(name, &bytes) {
                    refused += 1;
                    panicked += usize::from(e.to_string().contains("its decoder failed"));
                }
            }
            bytes[place] = good[place];
        }
    }
    assert!(refused > 1000, "{refused}");
    assert_eq!(PRINTED.load(Ordering::SeqCst), 0, "{panicked} panics were caught");
    // Panics of others are still printed.
    let _ = std::thread::spawn(|| panic!("this is printed")).join();
    let _ = std::panic::catch_unwind(|| panic!("and this"));
    assert_eq!(PRINTED.load(Ordering::SeqCst), 2);
}
