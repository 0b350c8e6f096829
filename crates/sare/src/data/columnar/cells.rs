//! The cells of one array as texts, with the choice of type made once for them all.

use arrow_array::cast::AsArray as _;
use arrow_array::types::*;
use arrow_array::{Array, ArrayAccessor, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};
use std::fmt::{Display, LowerExp, Write};
use std::io::Write as _;

/// The texts given at once have at most about this many bytes: the spans must fit in 32 bits.
const MAX_BYTES: usize = 1 << 30;
/// Whole numbers below this have their text written once for a whole array.
const SMALL: usize = 256;

/// Where the texts of one column go. A span that is not set stays empty, which is a missing cell.
pub(super) struct Strip<'a> {
    /// All the texts.
    pub(super) bytes: &'a mut Vec<u8>,
    /// The spans, from the column's first one on.
    pub(super) spans: &'a mut [(u32, u32)],
    /// From one of the column's spans to the next.
    pub(super) step: usize,
}

/// Why a column was not written to its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// There is too much text: fewer rows must do.
    Full,
    /// What the crate said.
    Failed(ArrowError),
}

impl From<ArrowError> for Stop {
    fn from(e: ArrowError) -> Stop {
        Stop::Failed(e)
    }
}

impl Strip<'_> {
    /// Makes what was written since `start` the text of a row.
    fn end(&mut self, row: usize, start: usize) -> (u32, u32) {
        let span = (start as u32, self.bytes.len() as u32);
        self.spans[row * self.step] = span;
        span
    }

    fn display(&mut self, row: usize, value: impl Display) {
        let start = self.bytes.len();
        // Writing into memory does not fail.
        let _ = write!(self.bytes, "{value}");
        self.end(row, start);
    }

    fn check(&self, more: usize) -> Result<(), Stop> {
        if self.bytes.len() + more > MAX_BYTES { Err(Stop::Full) } else { Ok(()) }
    }
}

/// Writes all cells of an array of a type that is allowed.
pub(super) fn write(array: &dyn Array, strip: &mut Strip<'_>) -> Result<(), Stop> {
    match array.data_type() {
        DataType::Null => {}
        DataType::Boolean => booleans(array.as_boolean(), strip),
        DataType::Int8 => integers(array.as_primitive::<Int8Type>(), strip),
        DataType::Int16 => integers(array.as_primitive::<Int16Type>(), strip),
        DataType::Int32 => integers(array.as_primitive::<Int32Type>(), strip),
        DataType::Int64 => integers(array.as_primitive::<Int64Type>(), strip),
        DataType::UInt8 => integers(array.as_primitive::<UInt8Type>(), strip),
        DataType::UInt16 => integers(array.as_primitive::<UInt16Type>(), strip),
        DataType::UInt32 => integers(array.as_primitive::<UInt32Type>(), strip),
        DataType::UInt64 => integers(array.as_primitive::<UInt64Type>(), strip),
        DataType::Float16 => floats(array.as_primitive::<Float16Type>(), strip),
        DataType::Float32 => floats(array.as_primitive::<Float32Type>(), strip),
        DataType::Float64 => floats(array.as_primitive::<Float64Type>(), strip),
        DataType::Utf8 => texts(array.as_string::<i32>(), strip)?,
        DataType::LargeUtf8 => texts(array.as_string::<i64>(), strip)?,
        DataType::Utf8View => texts(array.as_string_view(), strip)?,
        DataType::Dictionary(_, values) => dictionary(array, values, strip)?,
        DataType::RunEndEncoded(_, values) => {
            write(cast(array, values.data_type())?.as_ref(), strip)?;
        }
        DataType::Timestamp(unit, Some(_)) => {
            // Zones by name would need a database of them; the moment is the same in UTC.
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            formatted(cast(array, &utc)?.as_ref(), strip)?;
        }
        _ => formatted(array, strip)?,
    }
    strip.check(0)
}

/// The rows of an array that are not null.
fn present(array: &dyn Array) -> impl Iterator<Item = usize> {
    let nulls = array.nulls().filter(|n| n.null_count() > 0).cloned();
    (0..array.len()).filter(move |&row| nulls.as_ref().is_none_or(|n| n.is_valid(row)))
}

fn booleans(array: &BooleanArray, strip: &mut Strip<'_>) {
    let start = strip.bytes.len() as u32;
    strip.bytes.extend_from_slice(b"falsetrue");
    let spans = [(start, start + 5), (start + 5, start + 9)];
    for row in present(array) {
        strip.spans[row * strip.step] = spans[usize::from(array.value(row))];
    }
}

fn integers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, strip: &mut Strip<'_>)
where
    T::Native: Display + TryInto<usize>,
{
    // Codes of categories are small and come again and again: rows may share a text.
    let mut known = [(0, 0); SMALL];
    let values = array.values();
    for row in present(array) {
        match values[row].try_into() {
            Ok(small) if small < SMALL => {
                if known[small] == (0, 0) {
                    let start = strip.bytes.len();
                    let _ = write!(strip.bytes, "{small}");
                    known[small] = strip.end(row, start);
                } else {
                    strip.spans[row * strip.step] = known[small];
                }
            }
            _ => strip.display(row, values[row]),
        }
    }
}

fn floats<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, strip: &mut Strip<'_>)
where
    T::Native: Display + LowerExp + Into<f64>,
{
    let values = array.values();
    for row in present(array) {
        let value = values[row];
        let wide: f64 = value.into();
        if wide.is_nan() {
            continue;
        }
        // Plain digits are what other files have, but not hundreds of zeros. Either form is the shortest that reads
        // back as the same number of the same width.
        if wide == 0.0 || wide.is_infinite() || (1e-5..1e16).contains(&wide.abs()) {
            strip.display(row, value);
        } else {
            strip.display(row, format_args!("{value:e}"));
        }
    }
}

fn texts<'a>(array: impl ArrayAccessor<Item = &'a str>, strip: &mut Strip<'_>) -> Result<(), Stop> {
    for row in present(&array) {
        let text = array.value(row);
        strip.check(text.len())?;
        let start = strip.bytes.len();
        strip.bytes.extend_from_slice(text.as_bytes());
        strip.end(row, start);
    }
    Ok(())
}

/// Rows of the same category share its text, unless there are more categories than rows.
fn dictionary(array: &dyn Array, kind: &DataType, strip: &mut Strip<'_>) -> Result<(), Stop> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    if values.is_empty() {
        return Ok(());
    }
    if values.len() > array.len() {
        return write(cast(array, kind)?.as_ref(), strip);
    }
    let mut spans = vec![(0, 0); values.len()];
    write(values.as_ref(), &mut Strip { bytes: strip.bytes, spans: &mut spans, step: 1 })?;
    let keys = dictionary.normalized_keys();
    for row in present(dictionary.keys()) {
        strip.spans[row * strip.step] = spans[keys[row]];
    }
    Ok(())
}

/// Types that are rare enough for the crate's own way of writing them.
fn formatted(array: &dyn Array, strip: &mut Strip<'_>) -> Result<(), Stop> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array, &options)?;
    for row in present(array) {
        let start = strip.bytes.len();
        formatter.value(row).write(&mut Bytes(strip.bytes))?;
        strip.end(row, start);
    }
    Ok(())
}

/// Lets text be written to bytes.
struct Bytes<'a>(&'a mut Vec<u8>);

impl Write for Bytes<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
