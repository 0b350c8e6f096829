//! What the text of one cell can be read as: a number, a number with a decimal comma, a date, a word for a missing value.

/// Words that mean a missing value in a column whose other cells are all numbers or all dates; upper and lower case are
/// the same. An empty or blank cell is on the list of every text file.
pub const MISSING_WORDS: [&str; 6] = ["nan", "null", "n/a", "#n/a", "-", "."];

/// What a text can be read as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    /// A finite number.
    Number(f64),
    /// A number if the comma is a decimal comma. Not `sure`: it may as well separate thousands, as in 1,500.
    Comma { value: f64, sure: bool },
    /// An ISO date, perhaps with a time, in days since 1970-01-01.
    Date(f64),
    /// One of [`MISSING_WORDS`].
    Word,
    /// Anything else.
    Text,
}

impl Look {
    /// What this text looks like. Blanks around it do not count.
    pub(super) fn of(text: &str) -> Look {
        let text = text.trim();
        if let Some(x) = text.parse().ok().filter(|x: &f64| x.is_finite()) {
            return Look::Number(x);
        }
        if is_missing_word(text.as_bytes()) {
            return Look::Word;
        }
        if let Some(value) = comma_number(text) {
            return Look::Comma { value, sure: !like_thousands(text) };
        }
        days(text).map_or(Look::Text, Look::Date)
    }
}

/// True for a text that means a missing value among numbers.
pub(super) fn is_missing_word(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    MISSING_WORDS.iter().any(|w| w.as_bytes().eq_ignore_ascii_case(field))
}

fn comma_number(text: &str) -> Option<f64> {
    let one = text.matches(',').count() == 1 && !text.contains('.');
    one.then(|| text.replace(',', ".").parse().ok()).flatten().filter(|x: &f64| x.is_finite())
}

/// One to three digits that do not begin with 0, a comma, three digits.
fn like_thousands(text: &str) -> bool {
    let Some((whole, rest)) = text.trim_start_matches(['+', '-']).split_once(',') else {
        return false;
    };
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    rest.len() == 3
        && digits(rest)
        && (1..=3).contains(&whole.len())
        && digits(whole)
        && !whole.starts_with('0')
}

/// Days since 1970-01-01 of `2024-01-31`, of `2024-01-31T12:30` or `2024-01-31 12:30:15.5`, perhaps with `Z` or an
/// offset such as `+01:00` behind it.
pub(super) fn days(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' || !text.is_ascii() {
        return None;
    }
    let (year, month, day) = (digits(&bytes[..4])?, digits(&bytes[5..7])?, digits(&bytes[8..10])?);
    let days = day_number(year, month, day)? as f64;
    match bytes.get(10) {
        None => Some(days),
        Some(b'T' | b't' | b' ') => Some(days + seconds(&text[11..])? / 86_400.0),
        Some(_) => None,
    }
}

fn digits(bytes: &[u8]) -> Option<i64> {
    let all = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    all.then(|| bytes.iter().fold(0, |n, b| 10 * n + i64::from(b - b'0')))
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to a date, if the Gregorian calendar has it. Years begin in March, so that a leap day comes last.
pub(super) fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let year = if month < 3 { year - 1 } else { year };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * year + leaps + of_year - 719_468)
}

/// Seconds since midnight in UTC of `12:30`, `12:30:15` or `12:30:15.25`, with an offset or without.
fn seconds(text: &str) -> Option<f64> {
    let (time, offset) = match text.find(['Z', 'z', '+', '-']) {
        None => (text, 0),
        Some(at) if text[at..].eq_ignore_ascii_case("z") => (&text[..at], 0),
        Some(at) => (&text[..at], offset_minutes(&text[at..])?),
    };
    let mut parts = time.trim_end().splitn(3, ':');
    let hour = digits(parts.next()?.as_bytes()).filter(|h| *h < 24)?;
    let minute = digits(parts.next()?.as_bytes()).filter(|m| *m < 60)?;
    let second = match parts.next() {
        None => 0.0,
        // Digits first: a sign or an exponent would be a number too.
        Some(s) => {
            let plain = s.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            s.parse::<f64>().ok().filter(|x| plain && *x < 61.0)?
        }
    };
    Some(((hour * 60 + minute - offset) * 60) as f64 + second)
}

/// The minutes of `+01`, `+0130` or `-01:30`.
fn offset_minutes(text: &str) -> Option<i64> {
    let plain = text[1..].replace(':', "");
    let (hours, minutes) = match plain.len() {
        2 => (digits(plain.as_bytes())?, 0),
        4 => (digits(&plain.as_bytes()[..2])?, digits(&plain.as_bytes()[2..])?),
        _ => return None,
    };
    let sign = if text.starts_with('-') { -1 } else { 1 };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_told_apart() {
        assert_eq!(Look::of(" 1.5 "), Look::Number(1.5));
        assert_eq!(Look::of("1,5"), Look::Comma { value: 1.5, sure: true });
        assert_eq!(Look::of("-0,125"), Look::Comma { value: -0.125, sure: true });
        assert_eq!(Look::of("1,500"), Look::Comma { value: 1.5, sure: false });
        for word in ["NaN", "nan", "null", "NULL", "N/A", "n/a", "#N/A", "-", "."] {
            assert_eq!(Look::of(word), Look::Word, "{word}");
        }
        for text in ["", "none", "1,2,3", "1.234,5", "inf", "1e400", "2024-13-01", "2024-1-1"] {
            assert_eq!(Look::of(text), Look::Text, "{text}");
        }
    }

    #[test]
    fn dates_are_days_since_1970() {
        // As Python prints them: (date(...) - date(1970, 1, 1)).days.
        for (text, expected) in [
            ("1970-01-01", 0.0),
            ("2024-01-31", 19_753.0),
            ("2000-02-29", 11_016.0),
            ("1900-03-01", -25_508.0),
            ("0001-01-01", -719_162.0),
            ("9999-12-31", 2_932_896.0),
            ("2024-01-31T12:00", 19_753.5),
            ("2024-01-31 06:00:00.0", 19_753.25),
            ("2024-01-31T12:00:00Z", 19_753.5),
            ("2024-01-31T00:00:00+12:00", 19_752.5),
            ("2024-01-31T00:00:00-0600", 19_753.25),
        ] {
            assert_eq!(days(text), Some(expected), "{text}");
        }
        for text in ["1900-02-29", "2024-00-10", "2024-01-31x", "2024-01-31T25:00", "2024/01/31"] {
            assert_eq!(days(text), None, "{text}");
        }
        for text in ["2024-01-31T", "2024-01-31T12:00:-1", "2024-01-31T12", "２024-01-31"] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn days_follow_one_another(first in -700_000i64..2_900_000) {
            // The calendar walked day by day from a known one.
            let (mut year, mut month, mut day) = (1970, 1, 1);
            let mut left = first;
            while left >= 365 + i64::from(days_in(year, 2) == 29) {
                left -= 365 + i64::from(days_in(year, 2) == 29);
                year += 1;
            }
            while left < 0 {
                year -= 1;
                left += 365 + i64::from(days_in(year, 2) == 29);
            }
            while left > 0 {
                let step = left.min(days_in(year, month) - day);
                day += step;
                left -= step;
                if left > 0 {
                    (month, day, left) = (month + 1, 1, left - 1);
                }
            }
            prop_assert_eq!(day_number(year, month, day), Some(first));
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,30}|[0-9T:+. -]{0,30}") {
            Look::of(&text);
        }
    }
}
