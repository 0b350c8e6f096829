//! From the text of a field to its code, quickly: one-byte fields by table, short ones by packed key.

use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;
/// The code of a text that means a missing cell.
pub(crate) const MISSING: u32 = u32::MAX - 1;

/// Codes by text. The map's order never reaches a result: codes are only looked up.
pub(crate) struct Dictionary {
    one: Box<[u32; 256]>,
    short: FxHashMap<u64, u32>,
    long: FxHashMap<Box<[u8]>, u32>,
}

/// Up to seven bytes and their number in one word.
#[inline]
fn pack(field: &[u8]) -> u64 {
    let mut word = [0u8; 8];
    word[..field.len()].copy_from_slice(field);
    word[7] = field.len() as u8;
    u64::from_le_bytes(word)
}

impl Dictionary {
    pub(crate) fn new() -> Dictionary {
        Dictionary {
            one: Box::new([NONE; 256]),
            short: FxHashMap::default(),
            long: FxHashMap::default(),
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, field: &[u8]) -> Option<u32> {
        let code = match *field {
            [byte] => self.one[byte as usize],
            _ => self.get_longer(field),
        };
        (code != NONE).then_some(code)
    }

    fn get_longer(&self, field: &[u8]) -> u32 {
        let code = match field.len() {
            0..=7 => self.short.get(&pack(field)),
            _ => self.long.get(field),
        };
        *code.unwrap_or(&NONE)
    }

    pub(crate) fn insert(&mut self, field: &[u8], code: u32) {
        match field.len() {
            1 => self.one[field[0] as usize] = code,
            0..=7 => {
                self.short.insert(pack(field), code);
            }
            _ => {
                self.long.insert(field.into(), code);
            }
        }
    }
}
