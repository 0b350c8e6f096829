//! From the bytes of a file to its text: encodings and line ends.

use crate::error::{Error, Result};
use std::borrow::Cow;

/// The text of a file with `\n` at the end of every line, and a note if its encoding was guessed. A byte-order mark
/// names UTF-8 or UTF-16; what is not UTF-8 without a mark is read as Latin-1.
pub(super) fn text_of<'a>(file: &str, bytes: &'a [u8]) -> Result<(Cow<'a, str>, Option<String>)> {
    let mut note = None;
    let text: Cow<'_, str> = match bytes {
        [0xff, 0xfe, rest @ ..] => wide(file, rest, u16::from_le_bytes)?.into(),
        [0xfe, 0xff, rest @ ..] => wide(file, rest, u16::from_be_bytes)?.into(),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8_or_latin(rest, &mut note),
        _ => utf8_or_latin(bytes, &mut note),
    };
    Ok(match text.contains('\r') {
        true => (text.replace("\r\n", "\n").replace('\r', "\n").into(), note),
        false => (text, note),
    })
}

fn wide(file: &str, bytes: &[u8], code: fn([u8; 2]) -> u16) -> Result<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text = String::from_utf16(&pairs.iter().map(|&pair| code(pair)).collect::<Vec<u16>>());
    text.ok().filter(|_| rest.is_empty()).ok_or_else(|| {
        let problem = "the file begins with the mark of UTF-16, but is not UTF-16";
        Error::data(file, problem, "save it as UTF-8")
    })
}

fn utf8_or_latin<'a>(bytes: &'a [u8], note: &mut Option<String>) -> Cow<'a, str> {
    std::str::from_utf8(bytes).map_or_else(
        |_| {
            let count = bytes.iter().filter(|b| !b.is_ascii()).count();
            let what = if count == 1 { "byte was" } else { "bytes were" };
            *note = Some(format!("the file is not UTF-8: {count} {what} read as Latin-1"));
            bytes.iter().map(|&b| b as char).collect::<String>().into()
        },
        Cow::Borrowed,
    )
}
