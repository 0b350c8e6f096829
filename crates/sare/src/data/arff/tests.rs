use super::*;

fn open(text: impl Into<Vec<u8>>) -> Result<ArffReader> {
    ArffReader::new(Box::new(std::io::Cursor::new(text.into())), "t.arff")
}

/// All cells as texts, read two rows at a time.
fn cells(reader: &mut ArffReader) -> Result<Vec<Vec<String>>> {
    let mut rows = RawRows::default();
    let mut all = Vec::new();
    loop {
        reader.read(&mut rows, 2)?;
        if rows.is_empty() {
            return Ok(all);
        }
        for row in 0..rows.len() {
            let cell = |c| String::from_utf8_lossy(rows.field(row, c)).into_owned();
            all.push((0..rows.width).map(cell).collect());
        }
    }
}

fn good(text: &str) -> Vec<Vec<String>> {
    cells(&mut open(text).unwrap()).unwrap()
}

/// The message, wherever the trouble shows.
fn bad(text: impl Into<Vec<u8>>) -> String {
    match open(text) {
        Err(e) => e.to_string(),
        Ok(mut reader) => cells(&mut reader).unwrap_err().to_string(),
    }
}

fn row(header: &str, row: &str) -> String {
    format!("{header}\n@data\n{row}\n")
}

const AB: &str = "@attribute a numeric\n@attribute b {x, 'y z', '?'}";

#[test]
fn a_whole_file_is_read() {
    let text = "\u{feff}% made by hand\r\n@RELATION 'a % name'\r\n\r\n\
        @Attribute size NUMERIC % in metres\r\n\
        @attribute\t'the \\'class\\''\t{ b, \"c d\" ,'%','?'}\r\n\
        @attribute \"per cent\" Real\r\n@attribute n integer\r\n@attribute s string\r\n\
        \t@DATA\r\n% a comment\r\n\r\n\
        1.5,b,?,2,'a, b'\r\n\
         -3e4 ,\t'c d' , 7 , ? , \"100% \\\"sure\\\"\" % the end\r\n\
        ?,'%',0,1,free text\r\n?,?,?,?,'?'\r\n0,c d,0,0,''";
    let mut reader = open(text).unwrap();
    assert_eq!(reader.names(), ["size", "the 'class'", "per cent", "n", "s"]);
    let levels = ["b", "c d", "%", "?"].map(String::from).to_vec();
    let number = || Declared::Kind(Kind::Continuous);
    assert_eq!(
        reader.declared(),
        [
            number(),
            Declared::Kind(Kind::Discrete { levels }),
            number(),
            number(),
            Declared::Discrete
        ]
    );
    assert_eq!(reader.missing(), [""]);
    assert_eq!(
        cells(&mut reader).unwrap(),
        [
            ["1.5", "b", "", "2", "a, b"],
            ["-3e4", "c d", "7", "", "100% \"sure\""],
            ["", "%", "0", "1", "free text"],
            ["", "", "", "", "?"],
            ["0", "c d", "0", "0", ""],
        ]
    );
}

#[test]
fn lines_are_counted_and_the_limit_is_kept() {
    let mut reader = open(row(AB, "1,x\n\n% no\n2,x\n3,x")).unwrap();
    let mut rows = RawRows::default();
    reader.read(&mut rows, 2).unwrap();
    assert_eq!((rows.len(), rows.width, rows.lines.as_slice()), (2, 2, &[4, 7][..]));
    reader.read(&mut rows, 2).unwrap();
    assert_eq!(rows.lines, [8]);
    reader.read(&mut rows, 2).unwrap();
    assert!(rows.is_empty());
}

#[test]
fn escapes_are_undone_in_quotes_only() {
    let text = row(
        "@attribute a string",
        "'a\\tb\\n\\\\\\'\\u001e\\101\\xü\\ü'\n\\t\n'\\u12'\n'\\477\\uD800'",
    );
    assert_eq!(good(&text), [["a\tb\n\\'\u{1e}Axüü"], ["\\t"], ["u12"], ["'7uD800"]]);
}

#[test]
fn many_levels_are_found_too() {
    let levels: Vec<String> = (0..30).map(|i| format!("v{i}")).collect();
    let header = format!("@attribute a{{{}}}", levels.join(","));
    assert_eq!(good(&row(&header, "v0\nv29")), [["v0"], ["v29"]]);
    let message = bad(row(&header, "w"));
    assert!(message.contains("v18, v19 and 10 more"), "{message}");
}

#[test]
fn cells_that_are_not_utf8_are_passed_on() {
    let mut reader = open(b"@attribute a string\n@data\n\xff\n".to_vec()).unwrap();
    let mut rows = RawRows::default();
    reader.read(&mut rows, 9).unwrap();
    assert_eq!(rows.field(0, 0), b"\xff");
    let message = bad(b"@attribute a {b}\n@data\n\xff\n".to_vec());
    assert!(message.contains("'\u{fffd}' is not among the levels declared (b)"), "{message}");
}

#[test]
fn bad_headers_are_refused() {
    let cases = [
        ("", "t.arff: the file ends before a line '@data'"),
        ("@attribute a real\n", "t.arff: the file ends before a line '@data'"),
        ("@relation r\n@data\n", "t.arff, line 2: no attribute is declared"),
        ("@attribute a real\n@data 1\n", "t.arff, line 2: there is more on the line"),
        ("@attribut a real\n", "'@attribut' is not known; did you mean '@attribute'?"),
        ("@inputs a\n", "line 1: '@inputs' is not known; a header has only"),
        ("\n1,2\n", "line 2: '1,2' stands before '@data'"),
        ("@attribute\n", "line 1: an attribute without a name"),
        ("@attribute '' real\n", "line 1: an attribute without a name"),
        ("@attribute a\n", "line 1, column 'a': the attribute has no type"),
        ("@attribute a nominal\n", "'a': the type 'nominal' is not known"),
        ("@attribute a numerc\n", "did you mean 'numeric'?"),
        (
            "@attribute a date 'dd.MM.yy'\n",
            "column 'a': 'dd.MM.yy': a year of two digits is ambiguous",
        ),
        ("@attribute a date 'ww yyyy'\n", "line 1, column 'a': 'ww yyyy': the letter 'w'"),
        ("@attribute a date HH:mm\n", "column 'a': 'HH:mm': the date pattern has no year"),
        ("@attribute a relational\n", "column 'a': relational attributes are not supported"),
        ("@attribute a real [0, 1\n", "'[0, 1' after the type is not understood"),
        ("@attribute a real [low, high]\n", "'[low, high]' after the type is not understood"),
        ("@attribute a real {2} more\n", "'{2} more' after the type is not understood"),
        ("@attribute a {}\n", "column 'a': a level is empty, or none is declared"),
        ("@attribute a {b, ''}\n", "column 'a': a level is empty"),
        ("@attribute a {b,,c}\n", "column 'a': a level is empty"),
        ("@attribute a {b, c\n", "column 'a': the levels have no closing brace"),
        ("@attribute a {b, c d}\n", "the level 'c d' has a blank in it but no quotes"),
        ("@attribute a {b b}\n", "the level 'b' is declared twice"),
        ("@attribute a {b, 'b'}\n", "the level 'b' is declared twice"),
        ("@attribute a {<5%, 6}\n", "column 'a': there is a percent sign in a value"),
        ("@attribute 'a real\n", "line 1: a quote is not closed"),
        ("@attribute 'a'real\n", "line 1: there is text between a closing quote"),
        (
            "@attribute a real\n\n@attribute 'a' {x}\n",
            "line 3, column 'a': the attribute on line 1 has the same name",
        ),
    ];
    for (text, expected) in cases {
        let message = bad(text);
        assert!(message.contains(expected), "{text:?} gives: {message}");
    }
    let message = bad(b"% caf\xe9 is allowed in a comment\n@attribute caf\xe9 real\n".to_vec());
    assert!(message.contains("line 2: the declaration is not valid UTF-8"), "{message}");
}

#[test]
fn bad_rows_are_refused() {
    let cases = [
        ("1", "t.arff, line 4: the row has 1 of the 2 values declared; separate"),
        ("1\tx y", "line 4: more values than the 2 attributes declared"),
        ("1\ty", "line 4, column 'b': 'y' is not among the levels declared"),
        ("1,x,2", "line 4: more values than the 2 attributes declared"),
        ("1,x,", "line 4: more values than the 2 attributes declared"),
        ("1,", "line 4, column 'b': there is no value; write ?"),
        (",x", "line 4, column 'a': there is no value"),
        ("'',x", "column 'a': there is no value"),
        ("1,''", "column 'b': there is no value"),
        ("1,X", "column 'b': 'X' is not among the levels declared (x, y z, ?); did you mean 'x'?"),
        ("1,other", "'other' is not among the levels declared (x, y z, ?); correct it or add"),
        ("{0 1, 2 x}", "line 4: '2' is not the number of an attribute (0 to 1)"),
        ("{a 1}", "line 4: 'a' is not the number of an attribute"),
        ("{1 y z}", "line 4, column 'b': 'y' is not among the levels"),
        ("{0 1, 0 2}", "line 4, column 'a': the sparse row has two values for it"),
        ("{0 1, 1}", "line 4, column 'b': there is no value"),
        ("{0 1, 1 x", "line 4: the sparse row is not closed"),
        ("{0 1} 5", "line 4: more values than the 2 attributes declared"),
        ("1,x,{five}", "line 4: '{five}' is not a weight"),
        ("1,x,{-1}", "line 4: '{-1}' is not a weight"),
        ("1,x,{5", "line 4: '{5' is not a weight"),
        ("1,x,{5} 6", "line 4: '{5} 6' is not a weight"),
        ("1,{x}", "line 4, column 'b': there is a brace outside quotes"),
        ("1,'x", "line 4, column 'b': a quote is not closed"),
        ("1,'x\\", "line 4, column 'b': a quote is not closed"),
        ("1,'x'y", "line 4, column 'b': there is text between a closing quote"),
        ("5%,x", "line 4, column 'a': there is a percent sign in a value without quotes"),
    ];
    for (text, expected) in cases {
        let message = bad(row(AB, text));
        assert!(message.contains(expected), "{text:?} gives: {message}");
    }
}

#[test]
fn ranges_and_weights_of_attributes_are_skipped() {
    let header = "@attribute a real [0,9]\n@attribute b INTEGER (-inf, 5.5] {2}\n@attribute c {x, y} {0.5}\n\
                  @attribute d numeric% glued\n@attribute e {red green\t'light blue'}";
    assert_eq!(
        good(&row(header, "11,1,x,0,red\n1,2,y,3,'light blue'")),
        [["11", "1", "x", "0", "red"], ["1", "2", "y", "3", "light blue"]]
    );
}

#[test]
fn blanks_separate_values_where_no_comma_does() {
    let rows = "1\tx\n 2  'y z' % a, comment\n?\t?\n3, x\n'4' x% glued\n5,x%glued, too";
    let wanted = [["1", "x"], ["2", "y z"], ["", ""], ["3", "x"], ["4", "x"], ["5", "x"]];
    assert_eq!(good(&row(AB, rows)), wanted);
    assert_eq!(
        good(&row("@attribute s string", "one text with blanks")),
        [["one text with blanks"]]
    );
}

#[test]
fn sparse_rows_leave_out_zeros_and_first_levels() {
    let header = "@attribute a real\n@attribute b {x, 'y z'}\n@attribute s string\n@attribute t date yyyy-MM-dd\n\
                  @attribute c {p, q}";
    let rows = "{0 5, 1 'y z'}\n{}\n{ 4 q , 2 'a, b' }\n{3 1970-01-03, 0 ?} % end\n{1 x 4 q}";
    assert_eq!(
        good(&row(header, rows)),
        [
            ["5", "y z", "", "0", "p"],
            ["0", "x", "", "0", "p"],
            ["0", "x", "a, b", "0", "q"],
            ["", "x", "", "2", "p"],
            ["0", "x", "", "0", "q"],
        ]
    );
}

#[test]
fn dates_become_days() {
    let header = "@attribute t date\n@attribute u DATE \"yyyy-MM-dd HH:mm:ss\"\n@attribute v date dd.MM.yyyy";
    let rows = "1970-01-02T12:00:00,'1970-01-01 06:00:00',31.12.1969\n?,?,?";
    assert_eq!(good(&row(header, rows)), [["1.5", "0.25", "-1"], ["", "", ""]]);
    assert_eq!(
        open(row(header, "")).unwrap().declared(),
        vec![Declared::Kind(Kind::Continuous); 3]
    );
    for (cell, shown) in
        [("1.1.2023", "1.1.2023"), ("'2023-02-30T00:00:00'", "2023-02-30T00:00:00")]
    {
        let message = bad(row("@attribute t date", &format!("1970-01-01T00:00:00\n{cell}")));
        let wanted = format!("line 4, column 't': '{shown}' is not a date of the declared form");
        assert!(message.contains(&wanted), "{message}");
    }
}

#[test]
fn weights_of_rows_are_kept() {
    let text = row(AB, "1,x\n2,x,{5}\n3 x {0.5} % half\n{0 4}, {2}\n5,x {0}\n6,x");
    let (mut reader, mut rows, mut all) = (open(text).unwrap(), RawRows::default(), None);
    let mut before = 0;
    loop {
        reader.read(&mut rows, 2).unwrap();
        rows.collect_weights(before, &mut all);
        before += rows.len();
        if rows.is_empty() {
            break;
        }
    }
    assert_eq!(all, Some(vec![1.0, 5.0, 0.5, 2.0, 0.0, 1.0]));
}

/// A weight is a row repeated: in a table, in a stream, and with a first piece that has none.
#[test]
fn weights_reach_the_table_and_the_stream() {
    use crate::data::{ReadOptions, Stream, read_table};
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.arff");
    let plain = "1,x\n".repeat(20_000);
    std::fs::write(&path, row(AB, &format!("{plain}2,x,{{5}}\n3,'y z'"))).unwrap();
    let (path, run) = (path.to_str().unwrap(), crate::run::Run::default());
    let table = read_table(path, &ReadOptions::default(), &run).unwrap();
    assert_eq!(table.weights().unwrap()[19_999..], [1.0, 5.0, 1.0]);
    assert_eq!(table.weights().unwrap().len(), 20_002);
    let stream = Stream::open(path, &ReadOptions::default(), &run).unwrap();
    assert!(stream.has_weights());
    let mut weights = Vec::new();
    let gathered = stream.for_each_piece(|piece| {
        weights.extend_from_slice(piece.weights().unwrap());
        Ok(())
    });
    gathered.unwrap();
    assert_eq!(weights, table.weights().unwrap());
    let options = ReadOptions { weight: Some("a".into()), ..ReadOptions::default() };
    let refused = read_table(path, &options, &run).unwrap_err().to_string();
    assert!(refused.contains("beside a column of weights"), "{refused}");
}

#[test]
fn a_file_without_rows_is_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("t.arff");
    std::fs::write(&path, format!("{AB}\n@data\n% nothing\n")).unwrap();
    let options = crate::data::ReadOptions::default();
    let refused =
        crate::data::read_table(path.to_str().unwrap(), &options, &crate::run::Run::default());
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("t.arff: the file has a header but no rows"), "{refused}");
}

#[test]
fn arbitrary_bytes_never_panic() {
    // A small generator is enough: the bytes are drawn from those with a meaning.
    let alphabet = b"@attribute data{},'\"\\?% \n\r\tu0{1\xc3\xa9";
    let mut state = 1u64;
    for case in 0..20_000 {
        let mut text =
            if case % 2 == 0 { row(AB, "").into_bytes() } else { b"@attribute ".to_vec() };
        for _ in 0..case % 40 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push(alphabet[(state >> 33) as usize % alphabet.len()]);
        }
        if let Ok(mut reader) = open(text) {
            let _ = cells(&mut reader);
        }
    }
}
