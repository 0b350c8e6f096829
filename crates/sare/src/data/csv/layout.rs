//! What comes before the rows of a text file: the line `sep=;` of a spreadsheet, comment lines, and which delimiter it has.

use super::scan::Scanner;

/// The delimiters that are tried when none is given.
const DELIMITERS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// What comes before the header, or before the first row.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Preamble {
    /// How many bytes it takes.
    pub bytes: usize,
    /// How many lines.
    pub lines: u64,
    /// How many of them are comments.
    pub comments: u64,
    /// The delimiter that a spreadsheet named.
    pub delimiter: Option<u8>,
}

/// Finds what comes before the header; `head` is the start of the file, at least its first line.
pub(super) fn preamble(head: &[u8], header: bool) -> Preamble {
    let mut found = Preamble::default();
    if let Some((line, length)) = lines(head).next()
        && let [b's', b'e', b'p', b'=', delimiter] = line.to_ascii_lowercase()[..]
        && length > line.len()
    {
        found = Preamble { bytes: length, lines: 1, comments: 0, delimiter: Some(delimiter) };
    }
    let mut comments: Vec<(usize, &[u8], bool)> = Vec::new();
    let mut place = found.bytes;
    for (line, length) in lines(&head[found.bytes..]) {
        if !is_comment(line) && !line.is_empty() {
            let names = |comment: &[u8]| names_columns(comment, line, found.delimiter);
            // A header may begin with a mark, and so may rows without one.
            while let Some((_, comment, _)) = comments.last()
                && names(comment)
            {
                comments.pop();
                if header {
                    break;
                }
            }
            break;
        }
        place += length;
        comments.push((place, line, is_comment(line)));
    }
    // Blank lines alone are left to the scanner, and so is a file of nothing but comments.
    let marked = comments.iter().filter(|c| c.2).count();
    if let (Some(last), true) = (comments.iter().rposition(|c| c.2), place < head.len()) {
        found.bytes = comments[last].0;
        found.lines += last as u64 + 1;
        found.comments = marked as u64;
    }
    found
}

/// The lines with their lengths, line ends included.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (&[u8], usize)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let ends = if after.starts_with(b"\r\n") { 2 } else { usize::from(!after.is_empty()) };
        rest = &after[ends..];
        (end + ends > 0).then_some((line, end + ends))
    })
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.starts_with(b"%") || line.starts_with(b"//")
}

/// Whether a line that begins like a comment is one of the table's own, as `#chrom,pos` before `1,17`: no blank after
/// the mark, and as many fields as the next line.
fn names_columns(comment: &[u8], next: &[u8], delimiter: Option<u8>) -> bool {
    let scanner = Scanner::new(delimiter.unwrap_or_else(|| most_frequent(comment).unwrap_or(b',')));
    let fields = |line: &[u8]| scanner.widths(line, true, 0).0;
    let tight = comment.get(1).is_some_and(|b| !b.is_ascii_whitespace() && !b"#%/".contains(b));
    tight && fields(comment) == fields(next)
}

/// The delimiter of a file that starts with these bytes; `ended` if that is all of it.
pub(super) fn sniff(head: &[u8], ended: bool) -> u8 {
    most_frequent(head).unwrap_or(if separated_by_blanks(head, ended) { b' ' } else { b',' })
}

/// The delimiter that occurs most in the first line, outside quotes; of equals the first.
fn most_frequent(head: &[u8]) -> Option<u8> {
    let mut counts = [0usize; DELIMITERS.len()];
    let mut quoted = false;
    for &b in head.iter().skip_while(|b| b"\r\n".contains(b)) {
        match b {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                if let Some(d) = DELIMITERS.iter().position(|&d| d == b) {
                    counts[d] += 1;
                }
            }
        }
    }
    let best = (0..counts.len()).rev().max_by_key(|&d| counts[d])?;
    (counts[best] > 0).then_some(DELIMITERS[best])
}

/// Whether the fields are separated by single blanks, as R's `write.table` does by default: all rows have as many
/// fields, the header as many or one less, and the header is in quotes or some field is a number. Text with blanks in
/// one column must not be torn apart.
fn separated_by_blanks(head: &[u8], ended: bool) -> bool {
    let (widths, _) = Scanner::new(b' ').widths(head, ended, 0);
    let [header, first, ..] = widths[..] else { return false };
    let even = widths[1..].iter().all(|w| *w == first);
    let quoted = head.starts_with(b"\"");
    let number = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|t| t.parse::<f64>().is_ok());
    let numbers = || lines(head).skip(1).take(3).any(|(l, _)| l.split(|b| *b == b' ').any(number));
    first > 1 && even && (header == first || header + 1 == first) && (quoted || numbers())
}

/// The delimiter that would give a row the number of fields it should have.
pub(super) fn other_delimiter(record: &[u8], fields: usize, own: u8) -> Option<u8> {
    let gives = |d: &u8| *d != own && Scanner::new(*d).widths(record, true, 0).0 == [fields];
    DELIMITERS.into_iter().find(|d| fields > 1 && gives(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_found() {
        let sniff = |text: &[u8]| char::from(super::sniff(text, true));
        assert_eq!(sniff(b"a;b;c\n1,5;2;3"), ';');
        assert_eq!(sniff(b"a\tb\n"), '\t');
        assert_eq!(sniff(b"\"a;b;c\",d\n"), ',');
        assert_eq!(sniff(b"single\n"), ',');
        assert_eq!(sniff(b"\n\na;b\n"), ';');
        // Blanks only where they cannot be part of a text.
        assert_eq!(sniff(b"\"a\" \"b\"\n\"1\" \"x y\" 2\n\"2\" \"z\" 3\n"), ' ');
        assert_eq!(sniff(b"a b\n1 2.5\n3 4\n"), ' ');
        assert_eq!(sniff(b"full name\nJohn Smith\nMary Ann\n"), ',');
        assert_eq!(sniff(b"full name\nJohn\nMary Ann 3\n"), ',');
    }

    #[test]
    fn comments_are_found() {
        let of = |text: &str| {
            let p = preamble(text.as_bytes(), true);
            (text[p.bytes..].lines().next().unwrap_or("").to_string(), p.lines, p.comments)
        };
        assert_eq!(of("a,b\n1,2\n"), ("a,b".into(), 0, 0));
        assert_eq!(of("# made by x\n# on Monday\na,b\n1,2\n"), ("a,b".into(), 2, 2));
        assert_eq!(of("% note\r\n\r\na,b\r\n1,2\r\n"), ("".into(), 1, 1));
        assert_eq!(of("// a, b\na,b\n"), ("a,b".into(), 1, 1));
        assert_eq!(of("#chrom,pos\n1,17\n"), ("#chrom,pos".into(), 0, 0));
        assert_eq!(of("##file,v1\n#chrom,pos\n1,17\n"), ("#chrom,pos".into(), 1, 1));
        assert_eq!(of("#x,y,z\na,b\n"), ("a,b".into(), 1, 1));
        assert_eq!(of("\"#a\",b\n1,2\n"), ("\"#a\",b".into(), 0, 0));
        assert_eq!(of("# only\n# comments\n"), ("# only".into(), 0, 0));
        assert_eq!(of("sep=;\na;b\n"), ("a;b".into(), 1, 0));
        assert_eq!(preamble(b"sep=|\na|b\n", true).delimiter, Some(b'|'));
        // Rows without a header that begin with a mark are rows.
        assert_eq!(preamble(b"#a,1\n#b,2\nc,3\n", false).bytes, 0);
        assert_eq!(preamble(b"# a note\n#b,2\nc,3\n", false).lines, 1);
    }

    #[test]
    fn another_delimiter_is_suggested() {
        assert_eq!(other_delimiter(b"1;2;3\n", 3, b','), Some(b';'));
        assert_eq!(other_delimiter(b"1;2\n", 3, b','), None);
    }
}
