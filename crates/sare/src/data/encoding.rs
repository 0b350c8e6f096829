//! Text that is not UTF-8, decoded while it is read.

use crate::error::{Error, Result};
use std::io::{BufRead, BufReader, Read};

/// How a text file encodes its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// Latin-1, with the characters of Windows (such as the euro sign) where Latin-1 has none.
    Latin1,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

impl Encoding {
    /// The encoding of this name.
    pub fn named(name: &str) -> Result<Encoding> {
        let plain = name.to_ascii_lowercase().replace(['-', '_'], "");
        match plain.as_str() {
            "utf8" => Ok(Encoding::Utf8),
            "latin1" | "iso88591" | "windows1252" | "cp1252" => Ok(Encoding::Latin1),
            "utf16" | "utf16le" => Ok(Encoding::Utf16Le),
            "utf16be" => Ok(Encoding::Utf16Be),
            _ => Err(Error::unknown("encoding", name, ["utf-8", "latin-1", "utf-16", "utf-16be"])),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Latin1 => "Latin-1",
            Encoding::Utf16Le | Encoding::Utf16Be => "UTF-16",
        }
    }

    /// The encoding that a byte-order mark at the start of a file tells.
    fn of_mark(start: &[u8]) -> Option<Encoding> {
        match start {
            [0xff, 0xfe, ..] => Some(Encoding::Utf16Le),
            [0xfe, 0xff, ..] => Some(Encoding::Utf16Be),
            [0xef, 0xbb, 0xbf, ..] => Some(Encoding::Utf8),
            _ => None,
        }
    }
}

/// The input as UTF-8: decoded as its byte-order mark says, else as `told`. Returns what it was decoded from.
pub(super) fn decoded(
    mut input: Box<dyn BufRead + Send>,
    told: Option<Encoding>,
) -> std::io::Result<(Box<dyn BufRead + Send>, Encoding)> {
    let marked = Encoding::of_mark(input.fill_buf()?);
    let encoding = marked.or(told).unwrap_or(Encoding::Utf8);
    if encoding == Encoding::Utf8 {
        return Ok((input, encoding));
    }
    let decoder = Decoder { input, encoding, rest: Vec::new(), text: Vec::new(), given: 0 };
    Ok((Box::new(BufReader::with_capacity(1 << 16, decoder)), encoding))
}

/// How many bytes are decoded at a time.
const PIECE: u64 = 1 << 15;

struct Decoder<R> {
    input: R,
    encoding: Encoding,
    /// Bytes of a character that is not yet complete.
    rest: Vec<u8>,
    text: Vec<u8>,
    /// How much of `text` has been given out.
    given: usize,
}

impl<R: BufRead> Decoder<R> {
    fn fill(&mut self) -> std::io::Result<()> {
        let got = self.input.by_ref().take(PIECE).read_to_end(&mut self.rest)?;
        let mut text = String::new();
        let kept = match self.encoding {
            Encoding::Latin1 | Encoding::Utf8 => {
                text.extend(self.rest.iter().map(|&b| latin1(b)));
                0
            }
            Encoding::Utf16Le => utf16(&self.rest, u16::from_le_bytes, got == 0, &mut text)?,
            Encoding::Utf16Be => utf16(&self.rest, u16::from_be_bytes, got == 0, &mut text)?,
        };
        self.rest.drain(..self.rest.len() - kept);
        (self.text, self.given) = (text.into_bytes(), 0);
        Ok(())
    }
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.text.len() {
            let ended = self.input.fill_buf()?.is_empty();
            self.fill()?;
            if ended {
                break;
            }
        }
        let n = (&self.text[self.given..]).read(buffer)?;
        self.given += n;
        Ok(n)
    }
}

/// The bytes 0x80 to 0x9f as Windows has them.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn latin1(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Decodes what is complete; returns how many bytes at the end are not. At the end of the file nothing may be left.
fn utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    last: bool,
    text: &mut String,
) -> std::io::Result<usize> {
    let mut units: Vec<u16> = bytes.chunks_exact(2).map(|b| unit([b[0], b[1]])).collect();
    let half = !last && units.last().is_some_and(|u| (0xd800..0xdc00).contains(u));
    units.truncate(units.len() - usize::from(half));
    let kept = bytes.len() - 2 * units.len();
    let bad = || {
        let problem = "the text is not valid UTF-16; say --encoding if it is something else";
        std::io::Error::new(std::io::ErrorKind::InvalidData, problem)
    };
    if last && kept > 0 {
        return Err(bad());
    }
    for c in char::decode_utf16(units) {
        text.push(c.map_err(|_| bad())?);
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives three bytes at a time, so that characters are cut.
    struct Slow(std::io::Cursor<Vec<u8>>);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = buffer.len().min(3);
            self.0.read(&mut buffer[..n])
        }
    }

    fn read(bytes: Vec<u8>, told: Option<Encoding>) -> std::io::Result<(String, Encoding)> {
        let slow = Slow(std::io::Cursor::new(bytes));
        let (mut input, encoding) = decoded(Box::new(BufReader::with_capacity(7, slow)), told)?;
        let mut text = String::new();
        input.read_to_string(&mut text)?;
        Ok((text, encoding))
    }

    #[test]
    fn latin_1_has_the_characters_of_windows() {
        let (text, _) = read(b"caf\xe9 \x80 \x93x\x94".to_vec(), Some(Encoding::Latin1)).unwrap();
        assert_eq!(text, "café € “x”");
    }

    #[test]
    fn a_mark_decides_before_what_was_told() {
        let (text, encoding) = read(vec![0xff, 0xfe, b'a', 0], Some(Encoding::Latin1)).unwrap();
        assert_eq!((text.trim_start_matches('\u{feff}'), encoding), ("a", Encoding::Utf16Le));
        let (text, _) = read("\u{feff}é".as_bytes().to_vec(), Some(Encoding::Latin1)).unwrap();
        assert_eq!(text, "\u{feff}é");
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        assert!(read(vec![0xff, 0xfe, b'a'], None).is_err(), "half a unit");
        assert!(read(vec![0xff, 0xfe, 0x00, 0xd8], None).is_err(), "half a character");
        assert!(read(vec![0xff, 0xfe, 0x00, 0xdc, b'a', 0], None).is_err(), "the wrong half");
    }

    #[test]
    fn names() {
        assert_eq!(Encoding::named("ISO-8859-1").unwrap(), Encoding::Latin1);
        assert_eq!(Encoding::named("utf-16").unwrap(), Encoding::Utf16Le);
        assert!(Encoding::named("latin").unwrap_err().to_string().contains("latin-1"));
    }

    proptest! {
        #[test]
        fn utf_16_is_what_the_standard_library_writes(text in "[a-zé€\u{10000}-\u{10fff}\n]{0,200}", big in any::<bool>()) {
            let marked = format!("\u{feff}{text}");
            let bytes = |u: u16| if big { u.to_be_bytes() } else { u.to_le_bytes() };
            let coded: Vec<u8> = marked.encode_utf16().flat_map(bytes).collect();
            prop_assert_eq!(read(coded, None).unwrap().0, marked);
        }
    }
}
