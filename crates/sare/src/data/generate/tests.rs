use super::waveform::signal;
use super::*;

fn whole(name: &str) -> Table {
    rule(name, None, 0).unwrap()
}

fn rows_as_text(table: &Table) -> Vec<Vec<String>> {
    let row = |r| (0..table.columns()).map(|c| table.text(c, r)).collect();
    (0..table.rows()).map(row).collect()
}

/// How often each class occurs, in level order.
fn class_counts(table: &Table) -> Vec<usize> {
    let last = table.columns() - 1;
    let mut counts = vec![0; table.field(last).states()];
    (0..table.rows()).for_each(|r| counts[table.cells(last).code(r).unwrap()] += 1);
    counts
}

/// FNV-1a over the rows as lines of comma-separated values.
fn fingerprint(table: &Table) -> u64 {
    let lines = rows_as_text(table).into_iter().map(|row| row.join(",") + "\n");
    let step = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3);
    lines.fold(0xcbf2_9ce4_8422_2325, |h, line| line.bytes().fold(h, step))
}

#[test]
fn whole_sets_have_their_rows_classes_and_names() {
    let counts: [(&str, &[usize]); 7] = [
        ("corral", &[72, 56]),
        ("mofn-3-7-10", &[232, 792]),
        ("monk1", &[216, 216]),
        ("monk2", &[290, 142]),
        ("monk3", &[204, 228]),
        ("tic-tac-toe", &[626, 332]),
        ("nursery", &[4320, 2, 328, 4266, 4044]),
    ];
    for (name, expected) in counts {
        assert_eq!(class_counts(&whole(name)), expected, "{name}");
    }
    for set in RULES {
        let table = whole(set.name);
        assert_eq!(table.name(), set.name);
        assert_eq!(table.field(table.columns() - 1).name, CLASS);
        assert_eq!(table.rows(), set.natural_rows.unwrap_or(5000));
        assert!((0..table.columns()).all(|c| table.cells(c).missing() == 0));
    }
}

#[test]
fn whole_sets_are_the_published_ones_row_for_row() {
    // Fingerprints of the published files without their header, computed by another program. Of mofn-3-7-10 it is the
    // 1024 test rows, sorted; the others are in the order of the file.
    let published = [
        ("corral", 0xc3c9_1cde_2d99_741d),
        ("mofn-3-7-10", 0xcd63_75f4_862c_d5a5),
        ("monk1", 0x8f3d_4a67_5dd1_a06d),
        ("monk2", 0x88de_0289_423a_20cd),
        ("monk3", 0x7f3e_f53d_f377_9a35),
        ("tic-tac-toe", 0xf1c7_8f22_88a2_0365),
        ("nursery", 0x4130_84e0_b721_2fbf),
    ];
    for (name, expected) in published {
        assert_eq!(fingerprint(&whole(name)), expected, "{name}");
    }
}

#[test]
fn corral_repeats_each_combination_with_three_agreeing_values() {
    let mut rows = rows_as_text(&whole("corral"));
    rows.sort();
    for four in rows.chunks(4) {
        let bit = |i: usize| four[0][i].parse::<u8>().unwrap();
        let class = 1 - (1 - bit(0) * bit(1)) * (1 - bit(2) * bit(3));
        assert!(four.iter().all(|r| r[..5] == four[0][..5] && r[6] == class.to_string()));
        assert_eq!(four.iter().filter(|r| r[5] == r[6]).count(), 3);
    }
}

#[test]
fn mofn_counts_the_middle_bits_of_the_row_number() {
    let table = whole("mofn-3-7-10");
    for row in 0..1024usize {
        let middle = (row >> 1) & 0b111_1111;
        assert_eq!(table.cells(10).code(row), Some(usize::from(middle.count_ones() > 2)));
        assert_eq!(table.cells(0).code(row), Some(row >> 9));
    }
}

#[test]
fn monks_follow_their_rules_restated() {
    for row in rows_as_text(&whole("monk1")) {
        let differs = row[0] != row[1] && row[4] != "1";
        assert_eq!(row[6] == "0", differs);
    }
    for row in rows_as_text(&whole("monk2")) {
        let ones = row[..6].concat().matches('1').count();
        assert_eq!(row[6] == "1", ones == 2);
    }
    for row in rows_as_text(&whole("monk3")) {
        // By the value of a5: 1 and 2 leave only the second half of the rule, 4 neither.
        let second = ["1", "2"].contains(&row[1].as_str());
        let holds = match row[4].as_str() {
            "4" => false,
            "3" => second || row[3] == "1",
            _ => second,
        };
        assert_eq!(row[6] == "1", holds);
    }
}

#[test]
fn end_boards_are_those_that_counting_allows() {
    // Without playing: lines are the triples of a magic square that sum to 15, and the numbers of x and o tell whose
    // move was the last, which must be the winner's.
    const MAGIC: [usize; 9] = [2, 7, 6, 9, 5, 1, 4, 3, 8];
    let wins = |board: &[usize], player| {
        let own: Vec<usize> = (0..9).filter(|&s| board[s] == player).map(|s| MAGIC[s]).collect();
        let sums =
            |a: usize| own.iter().any(|&b| b > a && own.iter().any(|&c| c > b && a + b + c == 15));
        own.iter().any(|&a| sums(a))
    };
    let end = |board: &Vec<usize>| {
        let count = |player| board.iter().filter(|&&s| s == player).count();
        let (x, o) = (count(0), count(1));
        match (wins(board, 0), wins(board, 1)) {
            (true, false) => x == o + 1,
            (false, true) => x == o,
            (false, false) => (x, o) == (5, 4),
            (true, true) => false,
        }
    };
    let mut expected: Vec<Vec<usize>> = combinations(&[3; 9]).filter(end).collect();
    expected.iter_mut().for_each(|b| b.push(usize::from(!wins(b, 0))));

    let table = whole("tic-tac-toe");
    let row = |r| (0..10).map(|c| table.cells(c).code(r).unwrap()).collect();
    let mut boards: Vec<Vec<usize>> = (0..table.rows()).map(row).collect();
    boards.sort();
    assert_eq!(boards, expected);
}

#[test]
fn nursery_ranks_never_fall_when_an_application_gets_worse() {
    // The levels are listed from best to worst and the class from least to most urgent, health "not_recom" apart.
    let table = whole("nursery");
    let steps = [4320, 864, 216, 54, 18, 9, 3, 1];
    let states = [3, 5, 4, 4, 3, 2, 3, 2];
    let class = |r: usize| table.cells(8).code(r).unwrap();
    for row in 0..table.rows() {
        let health = table.cells(7).code(row).unwrap();
        assert_eq!(class(row) == 0, health == 2);
        for c in (0..8).filter(|_| health < 2) {
            if table.cells(c).code(row).unwrap() + 1 < states[c] {
                assert!(class(row) <= class(row + steps[c]), "row {row}, column {c}");
            }
        }
    }
}

#[test]
fn waveform_signals_are_the_base_waves_and_their_means() {
    // The numbering from the middle wave, and hence the pairs in the opposite order.
    let h1 = |i: i32| f64::from((6 - (i - 11).abs()).max(0));
    let (h2, h3) = (|i| h1(i - 4), |i| h1(i + 4));
    for i in 0..21 {
        let at = i as i32 + 1;
        assert_eq!((signal(0, 1.0)[i], signal(0, 0.0)[i]), (h3(at), h2(at)));
        assert_eq!((signal(1, 1.0)[i], signal(1, 0.0)[i]), (h3(at), h1(at)));
        assert_eq!((signal(2, 1.0)[i], signal(2, 0.0)[i]), (h2(at), h1(at)));
        assert_eq!(signal(0, 0.5)[i], (h2(at) + h3(at)) / 2.0);
    }
}

#[test]
fn waveform_samples_have_the_means_and_variances_of_their_class() {
    let table = rule("waveform-21", Some(30_000), 1).unwrap();
    for class in 0..3 {
        let rows: Vec<usize> =
            (0..table.rows()).filter(|&r| table.cells(21).code(r) == Some(class)).collect();
        let n = rows.len() as f64;
        assert!((n - 10_000.0).abs() < 5.0 * (30_000.0 * 2.0 / 9.0f64).sqrt());
        for point in 0..21 {
            let values = || rows.iter().map(|&r| table.cells(point).number(r).unwrap());
            let mean = values().sum::<f64>() / n;
            let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
            // A uniform share has the variance 1/12, times the squared distance of the two waves.
            let distance = signal(class, 1.0)[point] - signal(class, 0.0)[point];
            let expected = 1.0 + distance * distance / 12.0;
            assert!((mean - signal(class, 0.5)[point]).abs() < 5.0 * (expected / n).sqrt());
            assert!((variance / expected - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
        }
    }
}

#[test]
fn samples_depend_on_the_seed_alone() {
    for set in RULES {
        let draw = |seed| rule(set.name, Some(200), seed).unwrap();
        assert_eq!(draw(5), draw(5), "{}", set.name);
        assert_ne!(draw(5), draw(6), "{}", set.name);
        assert_eq!(draw(5).rows(), 200);
        // Fewer rows are the first of more.
        assert_eq!(
            rule(set.name, Some(50), 5).unwrap(),
            draw(5).gather(&(0..50).collect::<Vec<_>>())
        );
        assert_eq!(rule(set.name, Some(0), 5).unwrap().rows(), 0);
    }
}

#[test]
fn samples_of_a_list_come_from_the_list_and_reach_all_of_it() {
    let known: std::collections::BTreeSet<_> = rows_as_text(&whole("monk2")).into_iter().collect();
    let drawn: std::collections::BTreeSet<_> =
        rows_as_text(&rule("monk2", Some(10_000), 3).unwrap()).into_iter().collect();
    assert_eq!(drawn, known);
}

#[test]
fn bad_requests_are_refused_with_a_way_out() {
    let unknown = rule("monk4", None, 0).unwrap_err().to_string();
    assert!(
        unknown.starts_with("no known set is called 'monk4'; did you mean 'monk1'?"),
        "{unknown}"
    );
    #[cfg(target_pointer_width = "64")]
    for set in RULES {
        let many = rule(set.name, Some(1 << 32), 0).unwrap_err().to_string();
        assert!(many.contains("4294967296 rows were asked for"), "{many}");
    }
}
