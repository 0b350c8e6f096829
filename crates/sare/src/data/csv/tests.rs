//! The scanner against hand-made texts and against the `csv` crate.

use super::*;
use proptest::prelude::*;

/// Gives a few bytes at a time, so that every record is cut somewhere.
struct Slow(Vec<u8>, usize);
impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(3).min(self.0.len() - self.1);
        buffer[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

fn all(text: &str, limit: usize, header: bool) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let input = Box::new(Slow(text.as_bytes().to_vec(), 0));
    let mut reader = CsvReader::new(input, "t.csv", Some(b','), header)?;
    let (mut rows, mut out) = (RawRows::default(), Vec::new());
    loop {
        reader.read(&mut rows, limit)?;
        if rows.is_empty() {
            return Ok((reader.names, out));
        }
        for r in 0..rows.len() {
            let field = |c| String::from_utf8_lossy(rows.field(r, c)).into_owned();
            out.push((0..rows.width).map(field).collect());
        }
    }
}

#[test]
fn quotes_newlines_and_endings() {
    let text = "a,b\r\n\"x, \"\"y\"\"\",2\n\n\"two\nlines\" ,\"\"\r3,4";
    let (names, rows) = all(text, 10, true).unwrap();
    assert_eq!(names, ["a", "b"]);
    let expected = [["x, \"y\"", "2"], ["two\nlines", ""], ["3", "4"]];
    assert_eq!(rows, expected.map(|r| r.map(String::from).to_vec()));
}

#[test]
fn lines_are_counted_through_quotes_and_blanks() {
    let error = all("a,b\n\"1\n\n\",2\n\n3\n", 10, true).unwrap_err().to_string();
    assert!(error.contains("line 6") && error.contains("1 fields where 2"), "{error}");
}

#[test]
fn an_empty_line_of_one_column_is_an_empty_cell() {
    let (_, rows) = all("a\n1\n\n2\n", 10, true).unwrap();
    assert_eq!(rows.concat(), ["1", "", "2"]);
}

#[test]
fn no_header_keeps_the_first_row() {
    let (names, rows) = all("1,2\n3,4\n", 1, false).unwrap();
    assert_eq!(names, ["c1", "c2"]);
    assert_eq!(rows.concat(), ["1", "2", "3", "4"]);
}

#[test]
fn bad_files_are_refused_by_line() {
    let message = |text: &str| all(text, 10, true).unwrap_err().to_string();
    assert!(message("").contains("empty"));
    assert!(message("a,b,a\n1,2,3\n").contains("'a' twice (fields 1 and 3)"));
    assert!(message("a,\n1,2\n").contains("field 2 has no name"));
    assert!(message("a,b\n1,\"2\n3,4\n").contains("line 2: a quote opened"));
    assert!(message("a,b\n\"1\"x,2\n").contains("line 2: there is text after"));
}

#[test]
fn delimiters_behind_the_last_column_are_dropped() {
    for text in ["a,b,\n1,2,\n3,,\n", "a,b\n1,2,\n3,,\n", "a,b,\n1,2\n3,\n", "a,b,,\n1,2,, \n3,\n"]
    {
        let (names, rows) = all(text, 10, true).unwrap();
        assert_eq!(names, ["a", "b"], "{text}");
        assert_eq!(rows.concat(), ["1", "2", "3", ""], "{text}");
    }
    // Only empty fields, and none more than the first rows have shown.
    assert!(all("a,b,\n1,2,\n1,2,3\n", 10, true).is_err());
    assert!(all("a,b\n1,2\n1,2,\n", 1, true).is_ok(), "seen in time");
}

#[test]
fn row_names_without_a_header_have_no_name() {
    let (names, rows) = all("a,b\nx,1,2\ny,3,4\n", 1, true).unwrap();
    assert_eq!(names, ["", "a", "b"]);
    assert_eq!(rows.concat(), ["x", "1", "2", "y", "3", "4"]);
}

#[test]
fn lines_are_counted_from_the_top_of_the_file() {
    let error = all("# one\n# two\na,b\n1,2\n3\n", 10, true).unwrap_err().to_string();
    assert!(error.contains("line 5"), "{error}");
}

proptest! {
    #[test]
    fn reads_what_the_csv_crate_writes(
        rows in prop::collection::vec(prop::collection::vec("[a-c\",\n ;é]{0,5}", 3), 1..20),
        limit in 1usize..5,
    ) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["x", "y", "z"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let (_, read) = all(&text, limit, true).unwrap();
        prop_assert_eq!(read, rows);
    }
}
