//! How a learner is described, once: its name, its settings with their ranges, and the text form they are given in.
//!
//! The text form is `name`, `name:value`, `name:value,value` or `name:setting=value`; values without a name are taken
//! in the order of the settings.

use crate::error::{Error, Result, nearest};

/// What a learner is called, does and can be told.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What it can be told.
    pub settings: &'static [Setting],
}

/// One thing a learner can be told.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// What it may be.
    pub range: Range,
}

/// The largest number a setting may have; larger ones would drown the data in rounding.
const LARGEST_POSITIVE: f64 = 1e100;

/// What a setting may be, and what it is when nothing is said.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Range {
    /// A number above 0.
    Positive {
        /// When nothing is said.
        default: f64,
    },
    /// A number above 0, or `auto`, whose value is infinite.
    PositiveOrAuto {
        /// When nothing is said.
        default: f64,
    },
    /// A number of at least 0.
    NotNegative {
        /// When nothing is said.
        default: f64,
    },
    /// A number from 0 to 1.
    Share {
        /// When nothing is said.
        default: f64,
    },
    /// A number above 0 and below 1.
    Level {
        /// When nothing is said.
        default: f64,
    },
    /// A setting that means something only where the first setting is one of some words.
    Only(
        /// These words.
        &'static [&'static str],
        /// What it may be there.
        &'static Range,
    ),
    /// A setting that is not to be said where the first setting is one of some words, which says it too.
    Unless(
        /// These words.
        &'static [&'static str],
        /// What it may be elsewhere.
        &'static Range,
    ),
    /// A whole number.
    Whole {
        /// The smallest.
        least: usize,
        /// The largest.
        most: usize,
        /// When nothing is said.
        default: usize,
    },
    /// A whole number up to the largest, or `auto`, which is also meant when nothing is said; its value is infinite.
    WholeOrAuto {
        /// The largest.
        most: usize,
    },
    /// One of some words; its value is the word's place, and the first is meant when nothing is said.
    Choice(
        /// The words.
        &'static [&'static str],
    ),
}

impl Range {
    /// What is right, in words.
    fn expected(&self) -> String {
        match self {
            Range::Positive { .. } => "a number above 0".into(),
            Range::PositiveOrAuto { .. } => "auto, or a number above 0".into(),
            Range::NotNegative { .. } => "a number of at least 0".into(),
            Range::Share { .. } => "a number from 0 to 1".into(),
            Range::Level { .. } => "a number above 0 and below 1".into(),
            Range::Only(_, range) | Range::Unless(_, range) => range.expected(),
            Range::Whole { least, most, .. } => format!("a whole number from {least} to {most}"),
            Range::WholeOrAuto { most } => format!("auto, or a whole number from 0 to {most}"),
            Range::Choice(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// The value when nothing is said.
    pub fn default(&self) -> f64 {
        match *self {
            Range::Positive { default }
            | Range::PositiveOrAuto { default }
            | Range::NotNegative { default }
            | Range::Share { default }
            | Range::Level { default } => default,
            Range::Only(_, range) | Range::Unless(_, range) => range.default(),
            Range::Whole { default, .. } => default as f64,
            Range::WholeOrAuto { .. } => f64::INFINITY,
            Range::Choice(_) => 0.0,
        }
    }

    /// A value as it is written in a text form.
    pub fn written(&self, value: f64) -> String {
        match *self {
            Range::Only(_, range) | Range::Unless(_, range) => range.written(value),
            Range::WholeOrAuto { .. } | Range::PositiveOrAuto { .. } if value.is_infinite() => {
                "auto".into()
            }
            Range::Choice(words) => words.get(value as usize).copied().unwrap_or_default().into(),
            _ => value.to_string(),
        }
    }

    fn parse(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        match *self {
            Range::Positive { .. } => {
                text.parse().ok().filter(|x: &f64| *x > 0.0 && *x <= LARGEST_POSITIVE)
            }
            Range::NotNegative { .. } => {
                text.parse().ok().filter(|x: &f64| *x >= 0.0 && *x <= LARGEST_POSITIVE)
            }
            Range::Share { .. } => text.parse().ok().filter(|x: &f64| (0.0..=1.0).contains(x)),
            Range::Level { .. } => text.parse().ok().filter(|x: &f64| *x > 0.0 && *x < 1.0),
            Range::Only(_, range) | Range::Unless(_, range) => range.parse(text),
            Range::Whole { least, most, .. } => {
                text.parse().ok().filter(|n| (least..=most).contains(n)).map(|n: usize| n as f64)
            }
            Range::WholeOrAuto { .. } | Range::PositiveOrAuto { .. } if text == "auto" => {
                Some(f64::INFINITY)
            }
            Range::PositiveOrAuto { default } => Range::Positive { default }.parse(text),
            Range::WholeOrAuto { most } => {
                text.parse().ok().filter(|n| *n <= most).map(|n: usize| n as f64)
            }
            Range::Choice(words) => words.iter().position(|w| *w == text).map(|i| i as f64),
        }
    }
}

impl Description {
    /// The values of the settings in a text form's part after the colon, in the order of the settings.
    pub fn parse(&self, text: Option<&str>) -> Result<Vec<f64>> {
        let mut values: Vec<f64> = self.settings.iter().map(|s| s.range.default()).collect();
        let given = text.into_iter().flat_map(|t| t.split(',')).map(str::trim);
        let mut said = vec![false; values.len()];
        for (position, item) in given.enumerate() {
            let (index, value) = match item.split_once('=') {
                Some((name, value)) => (self.setting(name.trim(), item)?, value),
                None if position < self.settings.len() => (position, item),
                None => return Err(self.bad("one value too many", item, &self.written())),
            };
            let setting = &self.settings[index];
            if std::mem::replace(&mut said[index], true) {
                return Err(self.bad(setting.name, value, "said once"));
            }
            values[index] = setting
                .range
                .parse(value)
                .ok_or_else(|| self.bad(setting.name, value, &setting.range.expected()))?;
        }
        for (i, setting) in self.settings.iter().enumerate().filter(|(i, _)| said[*i]) {
            self.check_meant(setting, values[i], &values)?;
        }
        Ok(values)
    }

    /// Refuses a setting that means nothing with what the first one says.
    fn check_meant(&self, setting: &Setting, value: f64, values: &[f64]) -> Result<()> {
        let (words, range, goes) = match setting.range {
            Range::Only(words, range) => (words, range, true),
            Range::Unless(words, range) => (words, range, false),
            _ => return Ok(()),
        };
        let first = &self.settings[0];
        let chosen = first.range.written(values[0]);
        if words.contains(&&*chosen) == goes {
            return Ok(());
        }
        let mut expected = format!("left out with {}={chosen}", first.name);
        match goes {
            true => expected.push_str(&format!(": it goes with {}", words.join(" and "))),
            false => expected.push_str(", which says it too"),
        }
        Err(self.bad(setting.name, &range.written(value), &expected))
    }

    /// The text form with these values of the settings: the first as it is, the others by name where they are not what is
    /// meant when nothing is said.
    pub fn form(&self, values: &[f64]) -> String {
        let mut form = self.name.to_string();
        for (i, (setting, &value)) in self.settings.iter().zip(values).enumerate() {
            let written = setting.range.written(value);
            match i {
                0 => form.push_str(&format!(":{written}")),
                _ if value == setting.range.default() => {}
                _ => form.push_str(&format!(",{}={written}", setting.name)),
            }
        }
        form
    }

    /// Refuses values that no text form could have given.
    pub fn check(&self, values: &[f64]) -> Result<()> {
        for (setting, &value) in self.settings.iter().zip(values) {
            let written = setting.range.written(value);
            if setting.range.parse(&written) != Some(value) {
                return Err(self.bad(setting.name, &written, &setting.range.expected()));
            }
        }
        Ok(())
    }

    fn setting(&self, name: &str, item: &str) -> Result<usize> {
        self.settings.iter().position(|s| s.name == name).ok_or_else(|| {
            let hint = nearest(name, self.settings.iter().map(|s| s.name));
            let hint = hint.map(|h| format!(" (did you mean {h}?)")).unwrap_or_default();
            self.bad("settings", item, &format!("{}{hint}", self.written()))
        })
    }

    fn bad(&self, setting: &str, value: &str, expected: &str) -> Error {
        Error::Setting {
            learner: self.name.into(),
            setting: setting.into(),
            value: value.into(),
            expected: expected.into(),
        }
    }

    fn written(&self) -> String {
        if self.settings.is_empty() {
            return format!("written as '{}' alone, as it has no settings", self.name);
        }
        format!("written as {}", self.usage())
    }

    /// How the text form is written with every setting.
    pub fn usage(&self) -> String {
        let one = |s: &Setting| format!("{}={}", s.name, s.range.written(s.range.default()));
        let all: Vec<String> = self.settings.iter().map(one).collect();
        format!("{}:{}", self.name, all.join(","))
    }
}

/// A text form's name and what follows the colon.
pub fn parts(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((name, rest)) => (name.trim(), Some(rest)),
        None => (text.trim(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL: Description = Description {
        name: "trial",
        help: "",
        source: "",
        settings: &[
            Setting { name: "alpha", help: "", range: Range::Positive { default: 1.0 } },
            Setting { name: "k", help: "", range: Range::Whole { least: 1, most: 9, default: 2 } },
        ],
    };

    #[test]
    fn values_by_place_and_by_name() {
        assert_eq!(TRIAL.parse(None).unwrap(), [1.0, 2.0]);
        assert_eq!(TRIAL.parse(Some("0.5")).unwrap(), [0.5, 2.0]);
        assert_eq!(TRIAL.parse(Some("0.5,3")).unwrap(), [0.5, 3.0]);
        assert_eq!(TRIAL.parse(Some("k=4")).unwrap(), [1.0, 4.0]);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        const SEARCH: Description = Description {
            name: "search",
            help: "",
            source: "",
            settings: &[
                Setting { name: "by", help: "", range: Range::Choice(&["score", "tests"]) },
                Setting {
                    name: "level",
                    help: "",
                    range: Range::Only(&["tests"], &Range::Level { default: 0.05 }),
                },
            ],
        };
        assert_eq!(SEARCH.parse(Some("tests,0.1")).unwrap(), [1.0, 0.1]);
        assert_eq!(SEARCH.parse(Some("score")).unwrap(), [0.0, 0.05]);
        let message = |text| SEARCH.parse(Some(text)).unwrap_err().to_string();
        let refused = message("score,level=0.1");
        assert!(
            refused.contains("level = 0.1") && refused.contains("goes with tests"),
            "{refused}"
        );
        assert!(message("tests,7").contains("above 0 and below 1"));
    }

    #[test]
    fn what_is_said_already_is_refused() {
        const MIXED: Description = Description {
            name: "mixed",
            help: "",
            source: "",
            settings: &[
                Setting { name: "alpha", help: "", range: Range::PositiveOrAuto { default: 1.0 } },
                Setting {
                    name: "by",
                    help: "",
                    range: Range::Unless(&["auto"], &Range::Choice(&["score", "tests"])),
                },
            ],
        };
        assert_eq!(MIXED.parse(Some("0.5,tests")).unwrap(), [0.5, 1.0]);
        assert_eq!(MIXED.parse(Some("auto")).unwrap(), [f64::INFINITY, 0.0]);
        let refused = MIXED.parse(Some("auto,by=score")).unwrap_err().to_string();
        assert!(refused.contains("by = score") && refused.contains("alpha=auto"), "{refused}");
        assert!(MIXED.parse(Some("2,by=luck")).unwrap_err().to_string().contains("score, tests"));
    }

    #[test]
    fn wrong_values_say_what_is_right() {
        let message = |text| TRIAL.parse(Some(text)).unwrap_err().to_string();
        assert!(message("-1").contains("alpha = -1") && message("-1").contains("above 0"));
        assert!(message("k=10").contains("from 1 to 9"));
        assert!(message("alpa=1").contains("did you mean alpha?"));
        assert!(message("1,2,3").contains("trial:alpha=1,k=2"));
        assert!(message("nan").contains("above 0") && message("1e308").contains("above 0"));
        assert!(message("0.5,alpha=3").contains("said once"));
    }
}
