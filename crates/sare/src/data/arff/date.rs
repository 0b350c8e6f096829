//! Dates of ARFF: a pattern of letters as in Java's `SimpleDateFormat`, and the days since 1970-01-01 of a text.

use crate::data::cell::day_number;

/// The pattern of a date attribute that names none.
pub(super) const ISO: &str = "yyyy-MM-dd'T'HH:mm:ss";

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// A letter and how often it stands there.
    Field(char, usize),
    /// A character that stands for itself.
    Literal(char),
}

/// A pattern that texts are read by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DatePattern {
    parts: Vec<Part>,
}

impl DatePattern {
    /// The pattern of this text, or what is wrong with it.
    pub(super) fn new(text: &str) -> Result<DatePattern, String> {
        let (mut parts, mut quoted) = (Vec::<Part>::new(), false);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, parts.last_mut()) {
                // Two quotes are one, inside a quoted text and outside.
                ('\'', _) if chars.next_if_eq(&'\'').is_some() => parts.push(Part::Literal('\'')),
                ('\'', _) => quoted = !quoted,
                _ if quoted || !c.is_ascii_alphabetic() => parts.push(Part::Literal(c)),
                (_, Some(Part::Field(letter, count))) if *letter == c => *count += 1,
                _ if "yMdHhmsSaEzZX".contains(c) => parts.push(Part::Field(c, 1)),
                _ => return Err(format!("the letter '{c}' of the date pattern is not supported")),
            }
        }
        let years = parts.iter().find(|p| matches!(p, Part::Field('y', _)));
        match years {
            None => Err("the date pattern has no year (yyyy)".into()),
            Some(Part::Field(_, 2)) => Err("a year of two digits is ambiguous".into()),
            _ => Ok(DatePattern { parts }),
        }
    }

    /// The days since 1970-01-01 00:00, if the text fits the pattern and is a date of the calendar.
    pub(super) fn days(&self, text: &str) -> Option<f64> {
        let (mut moment, mut rest) = (Moment::default(), text.trim());
        for (i, &part) in self.parts.iter().enumerate() {
            rest = match part {
                Part::Literal(c) => rest.strip_prefix(c)?,
                Part::Field(letter, count) => {
                    // Digits of a field that stands directly before another are counted, otherwise they all belong to it.
                    let next = self.parts.get(i + 1);
                    let glued = matches!(next, Some(Part::Field(l, _)) if "yMdHhmsS".contains(*l));
                    moment.take(letter, if glued { count } else { usize::MAX }, count, rest)?
                }
            };
        }
        if rest.is_empty() { moment.days() } else { None }
    }
}

/// A point in time, field by field.
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    half_day: Option<i64>,
    twelve: bool,
    minute: i64,
    second: i64,
    millisecond: i64,
    /// Minutes east of Greenwich.
    zone: i64,
}

impl Default for Moment {
    fn default() -> Self {
        let (hour, minute, second, millisecond, zone) = Default::default();
        Moment {
            year: 1970,
            month: 1,
            day: 1,
            hour,
            half_day: None,
            twelve: false,
            minute,
            second,
            millisecond,
            zone,
        }
    }
}

impl Moment {
    /// Takes a field from the start of the text; returns what follows it.
    fn take<'a>(
        &mut self,
        letter: char,
        most: usize,
        count: usize,
        text: &'a str,
    ) -> Option<&'a str> {
        match letter {
            'M' if count > 2 => {
                let (word, rest) = word(text);
                let start = word.get(..3)?.to_ascii_lowercase();
                self.month = 1 + MONTHS.iter().position(|m| *m == start)? as i64;
                return Some(rest);
            }
            'a' => {
                let (word, rest) = word(text);
                let halves = [("am", 0), ("pm", 12)];
                let half = halves.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?;
                self.half_day = Some(half.1);
                return Some(rest);
            }
            'E' => return Some(word(text).1),
            'z' | 'Z' | 'X' => {
                let (zone, rest) = zone(text)?;
                self.zone = zone;
                return Some(rest);
            }
            _ => {}
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count().min(most);
        let number: i64 = text[..digits].parse().ok().filter(|_| digits <= 9)?;
        let field = match letter {
            'y' => &mut self.year,
            'M' => &mut self.month,
            'd' => &mut self.day,
            'm' => &mut self.minute,
            's' => &mut self.second,
            'S' => &mut self.millisecond,
            _ => {
                self.twelve = letter == 'h';
                &mut self.hour
            }
        };
        *field = number;
        Some(&text[digits..])
    }

    fn days(&self) -> Option<f64> {
        let hour = match (self.twelve, self.hour) {
            (true, 1..=12) => self.hour % 12 + self.half_day.unwrap_or(0),
            (true, _) => return None,
            (false, hour) => hour,
        };
        let clock = hour < 24 && self.minute < 60 && self.second < 60 && self.millisecond < 1000;
        if !clock {
            return None;
        }
        let minutes = hour * 60 + self.minute - self.zone;
        let milliseconds = (minutes * 60 + self.second) * 1000 + self.millisecond;
        let days = day_number(self.year, self.month, self.day)?;
        Some(days as f64 + milliseconds as f64 / 86_400_000.0)
    }
}

/// The letters at the start of a text, and the rest.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_alphabetic).count())
}

/// Minutes east of Greenwich at the start of a text (`Z`, `UTC`, `GMT`, `+0130`, `+01:30`), and the rest.
fn zone(text: &str) -> Option<(i64, &str)> {
    let (name, rest) = word(text);
    if ["Z", "UTC", "GMT"].iter().any(|z| z.eq_ignore_ascii_case(name)) {
        return Some((0, rest));
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let number = |digits: &str| digits.parse::<i64>().ok().filter(|n| (0..60).contains(n));
    let hours = number(text.get(1..3)?)?;
    let rest = text[3..].strip_prefix(':').unwrap_or(&text[3..]);
    match rest.get(..2).and_then(number) {
        Some(minutes) => Some((sign * (hours * 60 + minutes), &rest[2..])),
        None => Some((sign * hours * 60, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(pattern: &str, text: &str) -> Option<f64> {
        DatePattern::new(pattern).unwrap().days(text)
    }

    /// Day numbers are Unix times divided by 86,400, as any calendar prints them.
    #[test]
    fn dates_are_days_since_1970() {
        let cases = [
            (ISO, "1970-01-01T00:00:00", 0.0),
            (ISO, "2000-02-29T12:00:00", 11_016.5),
            (ISO, "1969-12-31T18:00:00", -0.25),
            (ISO, "1900-03-01T00:00:00", -25_508.0),
            ("yyyy-MM-dd HH:mm:ss", "2026-11-19 06:00:00", 20_776.25),
            ("yyyyMMdd", "20240101", 19_723.0),
            ("d.M.yyyy", "1.1.2024", 19_723.0),
            ("dd MMM yyyy hh:mm a", "01 Jan 2024 12:00 AM", 19_723.0),
            ("MM/dd/yyyy h:mm a", "1/1/2024 6:00 pm", 19_723.75),
            ("EEE, d MMMM yyyy", "Mon, 1 January 2024", 19_723.0),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-01-01T01:30:00.000+01:30", 19_723.0),
            ("yyyy-MM-dd HH:mm Z", "2023-12-31 18:00 -0600", 19_723.0),
            ("yyyy 'o''clock' H", "2024 o'clock 12", 19_723.5),
            ("yyyy", "2024", 19_723.0),
        ];
        for (pattern, text, wanted) in cases {
            assert_eq!(days(pattern, text), Some(wanted), "{pattern}: {text}");
        }
        for text in
            ["2023-02-29T00:00:00", "2023-13-01T00:00:00", "2023-01-01", "2023-01-01T24:00:00"]
        {
            assert_eq!(days(ISO, text), None, "{text}");
        }
        assert_eq!(days("yyyy-MM-dd", "2023-01-01x"), None);
        assert_eq!(days("yyyy-MM-dd", ""), None);
        assert_eq!(days("hh:mm a yyyy", "13:00 pm 2024"), None);
    }

    /// Every day of 1200 years, counted one by one.
    #[test]
    fn the_calendar_has_no_gap() {
        let mut wanted = day_number(1400, 1, 1).unwrap();
        for year in 1400..2600 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let text = format!("{year}-{month}-{day}");
                    if let Some(found) = days("yyyy-M-d", &text) {
                        assert_eq!(found, wanted as f64, "{text}");
                        wanted += 1;
                    }
                }
            }
        }
        assert_eq!(Some(wanted), day_number(2600, 1, 1));
    }

    #[test]
    fn patterns_that_say_too_little_are_refused() {
        for pattern in ["dd.MM.yy", "HH:mm", "yyyy-ww"] {
            assert!(DatePattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
