//! All kernels and both methods against a plain loop over the rows.

use super::planes::{GROUP, Instructions, Kernel, LINE_ROWS, Line, Steps};
use super::{PairColumn, PairCounts, add_pairs, add_pairs_by, pair_counts};
use crate::stats::Merge;

/// Small generator of test data (an LCG; the high bits are used).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 32) * n as u64) >> 32) as usize
    }

    fn column(&mut self, rows: usize, states: usize, missing_percent: usize) -> Vec<u8> {
        let cell = |r: &mut Self| {
            if r.below(100) < missing_percent {
                r.below(256 - states) + states
            } else {
                r.below(states)
            }
        };
        (0..rows).map(|_| cell(self) as u8).collect()
    }
}

fn plain(class: PairColumn, columns: &[PairColumn]) -> PairCounts {
    let states: Vec<_> = columns.iter().map(|c| c.states).collect();
    let mut out = PairCounts::empty(&states, class.states);
    for (j, b) in columns.iter().enumerate() {
        for (i, a) in columns[..j].iter().enumerate() {
            let table = out.table_mut(i, j);
            for (r, &k) in class.codes.iter().enumerate() {
                let (k, x, y) = (usize::from(k), usize::from(a.codes[r]), usize::from(b.codes[r]));
                if k < class.states && x < a.states && y < b.states {
                    table[(x * b.states + y) * class.states + k] += 1;
                }
            }
        }
    }
    out
}

/// Checks every kernel with planes only, histograms only, a mixture, and the estimate.
fn check(class: PairColumn, columns: &[PairColumn]) {
    let want = plain(class, columns);
    assert_eq!(pair_counts(class, columns), want);
    for kernel in Kernel::available() {
        for limit in [Some(usize::MAX), Some(0), Some(12), Some(40), None] {
            let mut got = PairCounts::empty(want.states(), class.states);
            add_pairs_by(kernel, limit, class, columns, &mut got);
            assert!(got == want, "{kernel:?} with limit {limit:?}");
        }
    }
}

fn check_data(class: &[u8], classes: usize, data: &[Vec<u8>], states: &[usize]) {
    let columns: Vec<_> =
        data.iter().zip(states).map(|(c, &states)| PairColumn { codes: c, states }).collect();
    check(PairColumn { codes: class, states: classes }, &columns);
}

#[test]
fn random_tables_agree_with_the_plain_loop() {
    let mut r = Random(1);
    for round in 0..60 {
        let rows = if round % 3 == 0 { r.below(200) } else { r.below(5001) };
        let classes = 1 + r.below(30);
        let missing = [0, 0, 3, 40][r.below(4)];
        let states: Vec<_> = (0..r.below(9)).map(|_| 1 + r.below(20)).collect();
        let unlabelled = [0, 10][r.below(2)];
        let class = r.column(rows, classes, unlabelled);
        let mut column = |&s: &usize| {
            let missing = if r.below(2) == 0 { missing } else { 0 };
            r.column(rows, s, missing)
        };
        let data: Vec<_> = states.iter().map(&mut column).collect();
        check_data(&class, classes, &data, &states);
    }
}

#[test]
fn skewed_and_absent_classes() {
    let mut r = Random(2);
    let states = [3, 1, 7, 4];
    for rows in [1, 63, 64, 65, 511, 512, 513, 3000] {
        let data: Vec<_> = states.iter().map(|&s| r.column(rows, s, 0)).collect();
        let mut class = vec![2; rows];
        check_data(&class, 4, &data, &states);
        for _ in 0..rows / 100 {
            class[r.below(rows)] = r.below(4) as u8;
        }
        check_data(&class, 4, &data, &states);
        check_data(&vec![255; rows], 4, &data, &states);
    }
}

#[test]
fn every_length_around_a_word_and_a_line() {
    let mut r = Random(3);
    for rows in (0..140).chain(500..530).chain(1020..1030) {
        let states = [2, 4, 3];
        let data: Vec<_> = states.iter().map(|&s| r.column(rows, s, rows % 2 * 10)).collect();
        check_data(&r.column(rows, 2, 5), 2, &data, &states);
    }
}

#[test]
fn no_columns_no_rows_no_classes_no_states() {
    let mut r = Random(4);
    let data = vec![r.column(100, 3, 0), r.column(100, 2, 0)];
    let class = r.column(100, 2, 0);
    check_data(&class, 2, &[], &[]);
    check_data(&class, 2, &data[..1], &[3]);
    check_data(&class, 0, &data, &[3, 2]);
    check_data(&class, 2, &data, &[3, 0]);
    check_data(&[], 2, &[vec![], vec![]], &[3, 2]);
}

#[test]
fn many_states_and_many_classes() {
    let mut r = Random(5);
    let states = [256, 2, 70, 64, 255, 3];
    let data: Vec<_> = states.iter().map(|&s| r.column(2000, s, 0)).collect();
    check_data(&r.column(2000, 255, 0), 255, &data, &states);
    check_data(&r.column(2000, 256, 0), 256, &data[..2], &states[..2]);
    check_data(&r.column(2000, 3, 1), 3, &data, &states);
}

#[test]
fn several_blocks_in_which_missing_cells_come_late() {
    let (mut r, rows) = (Random(6), 70_000);
    let states = [4, 2, 9, 3];
    let mut data: Vec<_> = states.iter().map(|&s| r.column(rows, s, 0)).collect();
    data[0][40_000] = 200;
    data[2][69_999] = 9;
    check_data(&r.column(rows, 3, 1), 3, &data, &states);
}

#[test]
fn blocks_and_merged_parts_equal_the_whole() {
    let mut r = Random(7);
    let data = [r.column(1000, 3, 5), r.column(1000, 2, 0), r.column(1000, 5, 0)];
    let class = r.column(1000, 3, 0);
    let part = |range: std::ops::Range<usize>, into: &mut PairCounts| {
        let columns = [3, 2, 5].iter().zip(&data);
        let columns: Vec<_> =
            columns.map(|(&states, c)| PairColumn { codes: &c[range.clone()], states }).collect();
        add_pairs(PairColumn { codes: &class[range], states: 3 }, &columns, into);
    };
    let empty = PairCounts::empty(&[3, 2, 5], 3);
    let (mut whole, mut blocks, mut other) = (empty.clone(), empty.clone(), empty);
    part(0..1000, &mut whole);
    part(0..300, &mut blocks);
    part(300..700, &mut blocks);
    part(700..1000, &mut other);
    blocks.merge(&other);
    assert_eq!(blocks, whole);
    assert_eq!((whole.columns(), whole.classes(), whole.table(1, 2).len()), (3, 3, 30));
}

#[test]
#[should_panic(expected = "differ in length")]
fn columns_of_other_length_are_refused() {
    let class = PairColumn { codes: &[0, 1], states: 2 };
    pair_counts(class, &[class, PairColumn { codes: &[0], states: 2 }]);
}

/// The single operations of each kernel against the portable ones.
#[test]
fn kernels_agree_operation_by_operation() {
    let mut r = Random(8);
    let portable = Kernel::available().next().unwrap();
    assert_eq!(portable.instructions(), Instructions::Portable);
    for lines in [0, 1, 2, 15, 16, 33] {
        let bytes = r.column(lines * LINE_ROWS, 2, 1);
        let cut = |kernel: Kernel, state, stride| {
            let mut to = vec![Line([7; 8]); lines * stride];
            kernel.cut(&bytes, state, &mut to, stride);
            to
        };
        let words = |lines: &[Line]| lines.iter().map(|l| l.0).collect::<Vec<_>>();
        let full = vec![Line([u64::MAX; 8]); lines * GROUP];
        let (a, b) = (cut(portable, 0, GROUP), cut(portable, 1, GROUP));
        for kernel in Kernel::available() {
            for (state, stride) in [(0, 1), (1, 4), (255, 3)] {
                let want = cut(portable, state, stride);
                assert_eq!(words(&cut(kernel, state, stride)), words(&want), "{kernel:?}");
            }
            for (x, y) in [(&a, &b), (&b, &b), (&full, &a), (&full, &full)] {
                let (mut want, mut got) = ([3; 16], [3; 16]);
                portable.add_tile(x, y, &mut want);
                kernel.add_tile(x, y, &mut got);
                assert_eq!(got, want, "{kernel:?}");
            }
        }
    }
}

/// Moves of bytes and of bits, with two classes that start at places 0 and 512.
#[test]
fn moves_keep_the_order_of_the_rows() {
    let (mut r, rows) = (Random(9), 333);
    let (class, codes) = (r.column(rows, 2, 5), r.column(rows, 2, 0));
    let (mut steps, mut want) = (Steps::default(), vec![0; 1024]);
    for (c, start) in [(0, 0), (1, 512)] {
        let mut at = start;
        for (word, part) in class.chunks(64).enumerate() {
            let mask = part.iter().rev().fold(0, |m, &k| m << 1 | u64::from(k == c));
            steps.push(mask, word as u32, at as u32);
            for (k, _) in part.iter().enumerate().filter(|(_, k)| **k == c) {
                want[at] = codes[word * 64 + k];
                at += 1;
            }
        }
    }
    for kernel in Kernel::available() {
        if kernel.instructions() == Instructions::Avx512 {
            let mut got = vec![0; 1024 + 64];
            kernel.compress(&codes, &steps, &mut got);
            assert_eq!(got[..1024], want);
        }
        if kernel.instructions() == Instructions::Avx2Pext {
            let (mut plane, mut bits) = ([Line([0; 8])], [0u64; 18]);
            let mut bytes = codes.clone();
            bytes.resize(LINE_ROWS, 0);
            kernel.cut(&bytes, 1, &mut plane, 1);
            kernel.extract(&plane, &steps, &mut bits);
            let got: Vec<_> = (0..1024).map(|k| (bits[k / 64] >> (k % 64) & 1) as u8).collect();
            assert_eq!(got, want);
        }
    }
}
