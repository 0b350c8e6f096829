//! Vector code for bit planes: the only file of the library with `unsafe` code.
//!
//! A plane is a bitmap with one bit per row: is the cell in this state? Planes are kept in lines
//! of 512 bits, and in groups of four planes whose lines alternate. The unit of work is a
//! [`Tile`], the popcounts of the 4 x 4 ANDs of two groups: eight loads feed sixteen products, and
//! both operands are read in the order in which they lie in memory.
//!
//! A [`Kernel`] can only be had for instructions that were detected on this processor, which is
//! what makes its methods safe to call.

use std::sync::OnceLock;
#[cfg(target_arch = "x86_64")]
use std::{arch::x86_64::*, hint::select_unpredictable};

/// Planes in one group, and so the height and the width of a tile.
pub(crate) const GROUP: usize = 4;

/// Rows in one line of a plane.
pub(crate) const LINE_ROWS: usize = 512;

/// Counts of 4 x 4 plane products: first group by row, second group by column.
pub(crate) type Tile = [u32; GROUP * GROUP];

/// 512 bits of one plane: a cache line and an AVX-512 register.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Line(pub(crate) [u64; 8]);

/// Rows of one class within 64 consecutive rows, and where they go.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
struct Step {
    /// Which of the 64 rows belong to the class.
    mask: u64,
    /// Number of the group of 64 rows.
    word: u32,
    /// Place of the first of these rows in class order.
    at: u32,
}

/// Moves that bring rows into class order, class by class and so in the order of their places.
#[derive(Default)]
pub(crate) struct Steps {
    list: Vec<Step>,
    /// Every row moved is before this one.
    rows: usize,
    /// Every row moved goes to a place before this one.
    end: usize,
}

impl Steps {
    /// Moves the rows of `mask` in the given group of 64 rows to the places from `at` on.
    pub(crate) fn push(&mut self, mask: u64, word: u32, at: u32) {
        let last = 64 - mask.leading_zeros() as usize;
        self.rows = self.rows.max(word as usize * 64 + last);
        self.end = self.end.max(at as usize + mask.count_ones() as usize);
        self.list.push(Step { mask, word, at });
    }

    /// The number of moves.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }
}

/// The instructions that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    /// Portable code.
    Portable,
    /// AVX2, with a counting sort of each column by class.
    Avx2,
    /// AVX2, with planes brought into class order by the PEXT of BMI2.
    Avx2Pext,
    /// AVX-512 with byte compression and vector popcount.
    Avx512,
}

/// Instructions that this processor is known to have. All kernels give the same counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kernel(Instructions);

impl Kernel {
    /// The best kernel for this processor.
    pub(crate) fn best() -> Kernel {
        // Looked up once: CPUID can take microseconds in a virtual machine.
        static BEST: OnceLock<Kernel> = OnceLock::new();
        let good = |k: &Kernel| k.0 != Instructions::Avx2Pext || pext_is_fast();
        let portable = Kernel(Instructions::Portable);
        *BEST.get_or_init(|| Kernel::available().filter(good).last().unwrap_or(portable))
    }

    /// Every kernel that this processor can run, as a rule the faster ones later.
    pub(crate) fn available() -> impl Iterator<Item = Kernel> {
        use Instructions::{Avx2, Avx2Pext, Avx512, Portable};
        [Portable, Avx2, Avx2Pext, Avx512].into_iter().filter(|i| detected(*i)).map(Kernel)
    }

    /// The instructions that the kernel uses.
    pub(crate) fn instructions(self) -> Instructions {
        self.0
    }

    /// Writes where `bytes` equal `state` to every `stride`-th line.
    pub(crate) fn cut(self, bytes: &[u8], state: u8, to: &mut [Line], stride: usize) {
        match self.0 {
            // SAFETY: this kernel exists, so the processor has its features.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { cut_avx512(bytes, state, to, stride) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 | Instructions::Avx2Pext => unsafe {
                cut_avx2(bytes, state, to, stride)
            },
            _ => cut_portable(bytes, state, to, stride),
        }
    }

    /// Adds the products of two groups of planes to a tile.
    pub(crate) fn add_tile(self, a: &[Line], b: &[Line], tile: &mut Tile) {
        match self.0 {
            // SAFETY: this kernel exists, so the processor has its features.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { tile_avx512(a, b, tile) },
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 | Instructions::Avx2Pext => unsafe { tile_avx2(a, b, tile) },
            _ => tile_portable(a, b, tile),
        }
    }

    /// Brings a column into class order; may leave anything in the 64 bytes after each class.
    ///
    /// # Panics
    /// When the kernel has no byte compression, or the slices are too short.
    pub(crate) fn compress(self, codes: &[u8], steps: &Steps, to: &mut [u8]) {
        assert!(codes.len() >= steps.rows && to.len() >= steps.end + 64);
        match self.0 {
            // SAFETY: this kernel exists; the rows and places of all steps are in the slices.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { compress_avx512(codes, &steps.list, to) },
            _ => panic!("{self:?} cannot compress"),
        }
    }

    /// Brings a plane into class order; each class must start a word, and the bits between its
    /// last row and the end of the word after that row's are cleared or left alone.
    ///
    /// # Panics
    /// When the kernel has no PEXT, or the slices are too short.
    pub(crate) fn extract(self, plane: &[Line], steps: &Steps, to: &mut [u64]) {
        assert!(plane.len() * LINE_ROWS >= steps.rows && to.len() >= steps.end / 64 + 2);
        match self.0 {
            // SAFETY: this kernel exists, so the processor has its features.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2Pext => unsafe { extract_bmi2(plane, &steps.list, to) },
            _ => panic!("{self:?} cannot extract"),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn detected(instructions: Instructions) -> bool {
    macro_rules! all {
        ($($feature:tt)*) => { true $(&& is_x86_feature_detected!($feature))* };
    }
    match instructions {
        Instructions::Portable => true,
        Instructions::Avx2 => all!("avx2"),
        Instructions::Avx2Pext => all!("avx2" "bmi2" "popcnt"),
        Instructions::Avx512 => all!("avx512f" "avx512bw" "avx512vbmi2" "avx512vpopcntdq"),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected(instructions: Instructions) -> bool {
    instructions == Instructions::Portable
}

/// AMD processors before family 0x19 (Zen 3) run PEXT in microcode, slower than the sort.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)] // `__cpuid` is a safe function in newer compilers
fn pext_is_fast() -> bool {
    // SAFETY: every x86_64 processor has CPUID with leaves 0 and 1.
    let (vendor, version) = unsafe { (__cpuid(0).ecx, __cpuid(1).eax) };
    let family = ((version >> 8) & 15) + ((version >> 20) & 255);
    let amd = vendor == u32::from_le_bytes(*b"cAMD");
    !amd || family >= 0x19
}

#[cfg(not(target_arch = "x86_64"))]
fn pext_is_fast() -> bool {
    false
}

fn cut_portable(bytes: &[u8], state: u8, to: &mut [Line], stride: usize) {
    const LOW: u64 = u64::MAX / 255; // 1 in each byte
    const SEVEN: u64 = LOW * 127;
    for (line, bytes) in to.iter_mut().step_by(stride).zip(bytes.as_chunks::<LINE_ROWS>().0) {
        for (word, bytes) in line.0.iter_mut().zip(bytes.as_chunks::<64>().0) {
            *word = 0;
            for (k, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
                let differ = u64::from_le_bytes(*eight) ^ (LOW * u64::from(state));
                // The top bit of each byte says that the byte is zero; the product lines them up.
                let zero = !(((differ & SEVEN) + SEVEN) | differ | SEVEN);
                *word |= (zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * k);
            }
        }
    }
}

fn tile_portable(a: &[Line], b: &[Line], tile: &mut Tile) {
    for (a, b) in a.as_chunks::<GROUP>().0.iter().zip(b.as_chunks::<GROUP>().0) {
        for (k, sum) in tile.iter_mut().enumerate() {
            let both = a[k / GROUP].0.iter().zip(&b[k % GROUP].0);
            *sum += both.map(|(x, y)| (x & y).count_ones()).sum::<u32>();
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn cut_avx2(bytes: &[u8], state: u8, to: &mut [Line], stride: usize) {
    let state = _mm256_set1_epi8(state as i8);
    // SAFETY: 32 bytes are there to read.
    let load = |x: &[u8; 32]| unsafe { _mm256_loadu_si256(x.as_ptr().cast()) };
    let mask = |x| _mm256_movemask_epi8(_mm256_cmpeq_epi8(load(x), state)) as u32;
    for (line, bytes) in to.iter_mut().step_by(stride).zip(bytes.as_chunks::<LINE_ROWS>().0) {
        let halves = bytes.as_chunks::<32>().0.as_chunks::<2>().0;
        for (word, [low, high]) in line.0.iter_mut().zip(halves) {
            *word = u64::from(mask(low)) | u64::from(mask(high)) << 32;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn cut_avx512(bytes: &[u8], state: u8, to: &mut [Line], stride: usize) {
    let state = _mm512_set1_epi8(state as i8);
    for (line, bytes) in to.iter_mut().step_by(stride).zip(bytes.as_chunks::<LINE_ROWS>().0) {
        for (word, bytes) in line.0.iter_mut().zip(bytes.as_chunks::<64>().0) {
            // SAFETY: 64 bytes are there to read.
            let codes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
            *word = _mm512_cmpeq_epi8_mask(codes, state);
        }
    }
}

/// # Safety
/// The rows of every step must lie in `codes`, and its place 64 bytes before the end of `to`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
unsafe fn compress_avx512(codes: &[u8], steps: &[Step], to: &mut [u8]) {
    for step in steps {
        // SAFETY: lanes that the mask leaves out are not read; the caller vouches for the others
        // and for the room of the store.
        unsafe {
            let from = codes.as_ptr().add(step.word as usize * 64);
            let rows = _mm512_maskz_loadu_epi8(step.mask, from.cast());
            let packed = _mm512_maskz_compress_epi8(step.mask, rows);
            _mm512_storeu_si512(to.as_mut_ptr().add(step.at as usize).cast(), packed);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2,popcnt")]
fn extract_bmi2(plane: &[Line], steps: &[Step], to: &mut [u64]) {
    let mut open = 0; // bits of the word that is being filled
    for step in steps {
        let word = step.word as usize;
        let bits = _pext_u64(plane[word / 8].0[word % 8], step.mask);
        let (at, shift) = (step.at as usize / 64, step.at % 64);
        let full = bits << shift | select_unpredictable(shift == 0, 0, open);
        let carry = bits >> 1 >> (63 - shift);
        // Both words are written each time: a later step of the class completes them.
        to[at] = full;
        to[at + 1] = carry;
        open = select_unpredictable(shift + step.mask.count_ones() < 64, full, carry);
    }
}

/// The sums of the four 64-bit lanes of each of four vectors.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn lane_sums(v: [__m256i; 4]) -> [u64; 4] {
    let pair = |x, y| _mm256_add_epi64(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y));
    let (x, y) = (pair(v[0], v[1]), pair(v[2], v[3]));
    let low = _mm256_permute2x128_si256::<0x20>(x, y);
    let sum = _mm256_add_epi64(low, _mm256_permute2x128_si256::<0x31>(x, y));
    let mut out = [0; 4];
    // SAFETY: `out` has 32 bytes.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), sum) };
    out
}

/// Popcount by a table of nibbles. A quarter of the tile at a time, as there are 16 registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tile_avx2(a: &[Line], b: &[Line], tile: &mut Tile) {
    // A byte counter grows by at most 16 per line.
    const LINES: usize = GROUP * 15;
    let bits_of =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let (nibble, zero) = (_mm256_set1_epi8(15), _mm256_setzero_si256());
    let popcount = |x| {
        let low = _mm256_and_si256(x, nibble);
        let high = _mm256_and_si256(_mm256_srli_epi16::<4>(x), nibble);
        _mm256_add_epi8(_mm256_shuffle_epi8(bits_of, low), _mm256_shuffle_epi8(bits_of, high))
    };
    // SAFETY: `half` is 0 or 1, so 32 bytes of the aligned line are there to read.
    let load =
        |x: &Line, half| unsafe { _mm256_load_si256(x.0.as_ptr().cast::<__m256i>().add(half)) };
    for quarter in 0..4 {
        let (r, s) = (quarter / 2 * 2, quarter % 2 * 2);
        let mut total = [zero; 4];
        for (a, b) in a.chunks(LINES).zip(b.chunks(LINES)) {
            let mut sum = [zero; 4];
            for (a, b) in a.as_chunks::<GROUP>().0.iter().zip(b.as_chunks::<GROUP>().0) {
                for half in 0..2 {
                    let (a0, a1) = (load(&a[r], half), load(&a[r + 1], half));
                    let (b0, b1) = (load(&b[s], half), load(&b[s + 1], half));
                    for (sum, (x, y)) in
                        sum.iter_mut().zip([(a0, b0), (a0, b1), (a1, b0), (a1, b1)])
                    {
                        *sum = _mm256_add_epi8(*sum, popcount(_mm256_and_si256(x, y)));
                    }
                }
            }
            for (total, sum) in total.iter_mut().zip(sum) {
                *total = _mm256_add_epi64(*total, _mm256_sad_epu8(sum, zero));
            }
        }
        for (k, n) in lane_sums(total).into_iter().enumerate() {
            tile[(r + k / 2) * GROUP + s + k % 2] += n as u32;
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn tile_avx512(a: &[Line], b: &[Line], tile: &mut Tile) {
    // SAFETY: a line is 64 aligned bytes.
    let load = |x: &Line| unsafe { _mm512_load_si512(x.0.as_ptr().cast()) };
    let mut sums = [_mm512_setzero_si512(); GROUP * GROUP];
    for (a, b) in a.as_chunks::<GROUP>().0.iter().zip(b.as_chunks::<GROUP>().0) {
        let b = [load(&b[0]), load(&b[1]), load(&b[2]), load(&b[3])];
        for (sums, a) in sums.as_chunks_mut::<GROUP>().0.iter_mut().zip(a) {
            let a = load(a);
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = _mm512_add_epi64(*sum, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
            }
        }
    }
    // Two sums share the halves of each 64-bit lane; three rounds then add up the eight lanes.
    let join = |k: usize| _mm512_or_si512(sums[k], _mm512_slli_epi64::<32>(sums[k + 1]));
    let first = |k| {
        let (x, y) = (join(k), join(k + 2));
        _mm512_add_epi32(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y))
    };
    let fold = |x, y| {
        let even = _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y);
        _mm512_add_epi32(even, _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y))
    };
    let all = fold(fold(first(0), first(4)), fold(first(8), first(12)));
    // SAFETY: a tile is 64 bytes.
    unsafe {
        let to = tile.as_mut_ptr().cast();
        _mm512_storeu_si512(to, _mm512_add_epi32(_mm512_loadu_si512(to.cast_const().cast()), all));
    }
}
