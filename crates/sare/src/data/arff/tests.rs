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
        ("@attribute a date 'yyyy'\n", "line 1, column 'a': date attributes are not supported"),
        ("@attribute a relational\n", "column 'a': relational attributes are not supported"),
        ("@attribute a real [0, 1]\n", "'[0, 1]' after the type is not understood"),
        ("@attribute a real {2}\n", "'{2}' after the type is not understood"),
        ("@attribute a {}\n", "column 'a': a level is empty, or none is declared"),
        ("@attribute a {b, ''}\n", "column 'a': a level is empty"),
        ("@attribute a {b,,c}\n", "column 'a': a level is empty"),
        ("@attribute a {b, c\n", "column 'a': the levels have no closing brace"),
        ("@attribute a {b c}\n", "the level 'b c' has a blank in it but no quotes"),
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
        ("1\tx", "the row has 1 of the 2 values declared"),
        ("1,x,2", "line 4: more values than the 2 attributes declared"),
        ("1,x,", "line 4: more values than the 2 attributes declared"),
        ("1,", "line 4, column 'b': there is no value; write ?"),
        (",x", "line 4, column 'a': there is no value"),
        ("'',x", "column 'a': there is no value"),
        ("1,''", "column 'b': there is no value"),
        ("1,X", "column 'b': 'X' is not among the levels declared (x, y z, ?); did you mean 'x'?"),
        ("1,other", "'other' is not among the levels declared (x, y z, ?); correct it or add"),
        ("{0 1, 1 x}", "line 4: sparse ARFF rows are not supported"),
        ("{}", "line 4: sparse ARFF rows are not supported"),
        ("1,x,{5}", "line 4: the row ends in a weight, '{5}'"),
        ("1,x, {0.5}", "line 4: the row ends in a weight, '{0.5}'"),
        ("1,x {5}", "line 4: the row ends in a weight, '{5}'"),
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
