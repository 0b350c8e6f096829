//! What a columnar file claims about its sizes, checked against the file before anything is allocated.
//!
//! The decoders allocate what the file claims. A damaged length would end the process, so compressed buffers and pages
//! that claim more than their bytes can hold are refused first.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, CompressionType, Message, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// A claim up to this is believed: it harms no machine, and small buffers of equal bytes are packed tightly.
const HARMLESS: u64 = 64 << 20;
/// No buffer may claim more than this, however much its bytes could hold.
const MAX_CLAIM: u64 = 4 << 30;
/// A byte of LZ4 stands for at most 255.
const LZ4_RATIO: u64 = 255;
/// A byte of gzip stands for at most 1032, which is more than one of Snappy.
const GZIP_RATIO: u64 = 1032;
/// A block of Zstandard has at least 3 bytes and stands for at most 128 KiB.
const ZSTD_RATIO: u64 = (128 << 10) / 3 + 1;
/// The most bytes at the start of a compressed buffer that are looked at: its claim and the header of a Zstandard frame.
const HEAD: usize = 8 + 18;

type Checked = std::result::Result<(), ArrowError>;

fn damaged(problem: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(problem.into())
}

/// Whether `packed` bytes can hold what they claim, where a byte stands for at most `ratio`.
fn check_claim(claimed: u64, packed: u64, ratio: u64) -> std::result::Result<(), String> {
    let limit = packed.saturating_mul(ratio).clamp(HARMLESS, MAX_CLAIM);
    if claimed <= limit {
        return Ok(());
    }
    Err(format!(
        "{packed} compressed bytes claim to hold {claimed}, which is impossible or too much"
    ))
}

/// Checks an Arrow file: its blocks lie within it, and no compressed buffer claims more than it can hold.
pub(super) fn check_file(input: &mut (impl Read + Seek)) -> Checked {
    let size = input.seek(SeekFrom::End(0))?;
    let mut end = [0; 10];
    input.seek(SeekFrom::End(-(end.len() as i64)))?;
    input.read_exact(&mut end)?;
    let length = read_footer_length(end)? as u64;
    let start = size.checked_sub(length + end.len() as u64);
    let start = start.ok_or_else(|| damaged("the footer is longer than the file"))?;
    let footer = read_at(input, start, length)?;
    let footer = root_as_footer(&footer).map_err(|e| damaged(format!("the footer: {e}")))?;
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    blocks.into_iter().try_for_each(|block| check_block(input, size, block))
}

fn check_block(input: &mut (impl Read + Seek), size: u64, block: &Block) -> Checked {
    let outside = || damaged("a batch lies outside the file");
    let [offset, body] = [block.offset(), block.bodyLength()].map(u64::try_from);
    let (Ok(offset), Ok(head), Ok(body)) = (offset, u64::try_from(block.metaDataLength()), body)
    else {
        return Err(outside());
    };
    let body_start = offset.checked_add(head).filter(|s| *s <= size).ok_or_else(outside)?;
    if body > size - body_start || head < 8 {
        return Err(outside());
    }
    let bytes = read_at(input, offset, head)?;
    let skipped = if bytes.starts_with(super::STREAM) { 8 } else { 4 };
    check_message(input, &bytes[skipped..], body_start, body)
}

/// Checks an Arrow stream, message by message.
pub(super) fn check_stream(input: &mut (impl Read + Seek)) -> Checked {
    let size = input.seek(SeekFrom::End(0))?;
    let mut at = 0;
    while at + 4 <= size {
        let mut length = read_at(input, at, 4)?;
        at += 4;
        if length == super::STREAM && at + 4 <= size {
            length = read_at(input, at, 4)?;
            at += 4;
        }
        let length = length.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
        if length == 0 {
            return Ok(());
        }
        if length > size - at {
            return Err(damaged("a message is longer than the file"));
        }
        let head = read_at(input, at, length)?;
        at += length;
        let body = message(&head)?.bodyLength();
        let body = u64::try_from(body).ok().filter(|b| *b <= size - at);
        let body = body.ok_or_else(|| damaged("a batch is longer than the file"))?;
        check_message(input, &head, at, body)?;
        at += body;
    }
    Ok(())
}

fn read_at(input: &mut (impl Read + Seek), start: u64, length: u64) -> std::io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

fn message(bytes: &[u8]) -> std::result::Result<Message<'_>, ArrowError> {
    root_as_message(bytes).map_err(|e| damaged(format!("the head of a message: {e}")))
}

/// Checks the buffers of a message whose body of `body` bytes starts at `start`.
fn check_message(input: &mut (impl Read + Seek), head: &[u8], start: u64, body: u64) -> Checked {
    let message = message(head)?;
    let dictionary = || message.header_as_dictionary_batch()?.data();
    let Some(batch) = message.header_as_record_batch().or_else(dictionary) else { return Ok(()) };
    let (Some(codec), Some(buffers)) = (codec(&batch), batch.buffers()) else { return Ok(()) };
    for buffer in buffers {
        let place = u64::try_from(buffer.offset()).ok().zip(u64::try_from(buffer.length()).ok());
        let inside = place.filter(|(o, n)| o.checked_add(*n).is_some_and(|end| end <= body));
        let (offset, length) = inside.ok_or_else(|| damaged("a buffer lies outside its batch"))?;
        if length >= 8 {
            let bytes = read_at(input, start + offset, length.min(HEAD as u64))?;
            check_buffer(codec, &bytes, length - 8).map_err(damaged)?;
        }
    }
    Ok(())
}

fn codec(batch: &RecordBatch<'_>) -> Option<CompressionType> {
    batch.compression().map(|c| c.codec())
}

/// Checks a compressed buffer by its first bytes: the claim, and what its codec says.
fn check_buffer(
    codec: CompressionType,
    bytes: &[u8],
    packed: u64,
) -> std::result::Result<(), String> {
    let (claim, frame) = bytes.split_at(8);
    let claim = claim.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    // -1: the buffer is not compressed after all. Other negative lengths are refused by the decoder.
    if claim > i64::MAX as u64 {
        return Ok(());
    }
    let zstd = codec == CompressionType::ZSTD;
    check_claim(claim, packed, if zstd { ZSTD_RATIO } else { LZ4_RATIO })?;
    match content_size(frame) {
        Some(size) if zstd && claim > HARMLESS && size != claim => {
            Err(format!("a compressed buffer claims to hold {claim} bytes and {size}"))
        }
        _ => Ok(()),
    }
}

/// The size of the content that the header of a Zstandard frame states (RFC 8878, 3.1.1.1).
fn content_size(frame: &[u8]) -> Option<u64> {
    let rest = frame.strip_prefix(&[0x28, 0xb5, 0x2f, 0xfd])?;
    let (&descriptor, rest) = rest.split_first()?;
    let single = descriptor >> 5 & 1;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let length = match descriptor >> 6 {
        0 => usize::from(single),
        flag => 1 << flag,
    };
    let start = usize::from(1 - single) + dictionary;
    let field = rest.get(start..start + length).filter(|f| !f.is_empty())?;
    let size = field.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    Some(if length == 2 { size + 256 } else { size })
}

/// A Parquet file whose pages are checked before they are read.
pub(super) struct CheckedFile {
    file: File,
    /// How much a compressed byte of a page can stand for.
    ratio: u64,
}

impl CheckedFile {
    pub(super) fn new(file: File, metadata: &ParquetMetaData) -> CheckedFile {
        let mut chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
        let zstd = chunks.any(|chunk| matches!(chunk.compression(), Compression::ZSTD(_)));
        CheckedFile { file, ratio: if zstd { ZSTD_RATIO } else { GZIP_RATIO } }
    }
}

impl Length for CheckedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for CheckedFile {
    type T = BufReader<File>;

    /// Whatever starts here and looks like the header of a page must not claim more than it can hold.
    fn get_read(&self, start: u64) -> std::result::Result<Self::T, ParquetError> {
        let mut head = self.file.get_read(start)?;
        if let Some((claimed, packed)) = page_sizes(&mut head) {
            check_claim(claimed, packed.min(self.len()), self.ratio)
                .map_err(ParquetError::General)?;
        }
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> std::result::Result<Bytes, ParquetError> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF("a part of the file lies behind its end".into()));
        }
        self.file.get_bytes(start, length)
    }
}

/// The sizes a page states in its header, uncompressed and compressed: the second and third field of a struct in the
/// compact form of Thrift, after the kind of page.
fn page_sizes(input: &mut impl Read) -> Option<(u64, u64)> {
    let (mut fields, mut number) = ([0; 4], 0);
    while number < 3 {
        let head = byte(input)?;
        let step = u64::from(head >> 4);
        number = if step > 0 { number + step } else { zigzag(varint(input)?)? };
        // Whole numbers of 32 bits.
        if head & 15 != 5 || !(1..=3).contains(&number) {
            return None;
        }
        fields[number as usize] = zigzag(varint(input)?)?;
    }
    Some((fields[2], fields[3]))
}

fn byte(input: &mut impl Read) -> Option<u8> {
    let mut byte = [0];
    input.read_exact(&mut byte).ok()?;
    Some(byte[0])
}

fn varint(input: &mut impl Read) -> Option<u64> {
    let mut value = 0;
    for place in 0..9 {
        let next = byte(input)?;
        value |= u64::from(next & 127) << (7 * place);
        if next < 128 {
            return Some(value);
        }
    }
    None
}

/// A number that is not negative, from its zigzag form.
fn zigzag(value: u64) -> Option<u64> {
    (value & 1 == 0).then_some(value >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_measured_by_the_bytes_behind_it() {
        let lz4 = |claim: i64, packed| {
            let bytes = claim.to_le_bytes();
            check_buffer(CompressionType::LZ4_FRAME, &bytes, packed).is_ok()
        };
        assert!(lz4(-1, 5) && lz4(0, 5) && lz4(64 << 20, 5));
        assert!(!lz4((64 << 20) + 1, 5) && !lz4(i64::MAX, 5));
        assert!(lz4(255 << 20, 1 << 20) && !lz4((255 << 20) + 1, 1 << 20));
        assert!(!lz4((4 << 30) + 1, 1 << 40));
    }

    /// Frames of the command zstd: descriptors of every form, by the format's specification.
    #[test]
    fn the_frame_of_zstandard_states_its_content() {
        let frame = |rest: &[u8]| content_size(&[&[0x28, 0xb5, 0x2f, 0xfd], rest].concat());
        assert_eq!(frame(&[0x20, 7]), Some(7));
        assert_eq!(frame(&[0x60, 1, 2]), Some(1 + 2 * 256 + 256));
        assert_eq!(frame(&[0xa0, 1, 0, 0, 1]), Some(1 + (1 << 24)));
        assert_eq!(frame(&[0x80, 0x58, 1, 0, 0, 1]), Some(1 + (1 << 24)));
        assert_eq!(frame(&[0xe1, 9, 1, 0, 0, 0, 0, 0, 0, 1]), Some(1 + (1 << 56)));
        // Not stated, cut off, another format.
        assert_eq!(frame(&[0x00, 0x58]), None);
        assert_eq!(frame(&[0x60, 1]), None);
        assert_eq!(content_size(b"PAR1PAR1"), None);
        let claims = |claim: u64, stated: u32| {
            let head = [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..], &stated.to_le_bytes()].concat();
            let bytes = [&claim.to_le_bytes()[..], &head].concat();
            check_buffer(CompressionType::ZSTD, &bytes, 1 << 20).is_ok()
        };
        assert!(claims(1 << 30, 1 << 30) && !claims(1 << 30, 1 << 20) && claims(1 << 20, 1 << 30));
    }

    #[test]
    fn pages_state_their_sizes_in_short_and_long_form() {
        let sizes = |bytes: &[u8]| page_sizes(&mut &*bytes);
        assert_eq!(sizes(&[0x15, 0, 0x15, 20, 0x15, 0x80, 0x01, 0x2c]), Some((10, 64)));
        assert_eq!(sizes(&[0x05, 2, 0, 0x05, 4, 20, 0x15, 8]), Some((10, 4)));
        assert_eq!(sizes(b"\x15\x04\x19\x00"), None);
        assert_eq!(sizes(b"PAR1"), None);
        assert_eq!(sizes(&[0x15]), None);
    }
}
