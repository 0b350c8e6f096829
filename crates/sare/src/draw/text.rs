//! How wide text is, roughly, so that labels fit; and escaping.

/// The advance of a character in thousandths of the font size, for a sans-serif face of common width.
fn advance(c: char) -> u32 {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0,
        '\'' => 191,
        'i' | 'j' | 'l' => 222,
        '|' => 260,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | 'I' | '[' | '\\' | ']' | 'f' | 't' => 278,
        '(' | ')' | '-' | '`' | 'r' | '{' | '}' => 333,
        '"' => 355,
        '⁰'..='⁹' | '²' | '³' | '¹' | '⁻' => 360,
        '*' => 389,
        '^' => 469,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        '+' | '<' | '=' | '>' | '~' | '−' | '×' | '±' => 584,
        'F' | 'T' | 'Z' => 611,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | '&' => 667,
        'C' | 'D' | 'H' | 'N' | 'R' | 'U' | 'w' => 722,
        'G' | 'O' | 'Q' => 778,
        'm' | 'M' => 833,
        '%' => 889,
        'W' => 944,
        '@' => 1015,
        '…' => 1000,
        _ if c.is_ascii() => 556,
        // Accented and Greek letters are a little wider than the Latin average; scripts further on fill the square.
        _ if (c as u32) < 0x1100 => 640,
        _ => 1000,
    }
}

/// The width of a line of text at a font size, in the same unit. An estimate: faces differ by a few per cent.
pub fn width(text: &str, size: f64) -> f64 {
    let sum: u64 = text.chars().map(|c| u64::from(advance(c))).sum();
    sum as f64 / 1000.0 * size
}

/// The room to leave for a line of text: its width and some slack for wider faces.
pub fn room(text: &str, size: f64) -> f64 {
    width(text, size) * 1.09
}

/// The text itself if it is at most `most` wide, or as much of its beginning as fits, with an ellipsis.
pub fn fit(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let mut room = most - width("…", size);
    let kept = text.chars().take_while(|c| {
        room -= f64::from(advance(*c)) / 1000.0 * size;
        room >= 0.0
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

/// The text itself if it is at most `most` wide, or as much of its beginning and its end as fits, with an ellipsis
/// between: for names that are alike but for their ends, as questions of a survey often are.
pub fn clip(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let room = most - width("…", size);
    let fits = |share: f64, letters: &mut dyn Iterator<Item = char>| -> String {
        let mut left = room * share;
        letters
            .take_while(|c| {
                left -= f64::from(advance(*c)) / 1000.0 * size;
                left >= 0.0
            })
            .collect()
    };
    let head = fits(0.55, &mut text.chars());
    let tail: String = fits(0.45, &mut text.chars().rev()).chars().rev().collect();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

/// The text in at most `lines` lines of at most `most` width, broken between words; what is left over ends in an
/// ellipsis.
pub fn wrap(text: &str, size: f64, most: f64, lines: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut done: Vec<String> = Vec::new();
    let mut next = 0;
    while next < words.len() && done.len() < lines {
        let mut end = next + 1;
        let joined = |end: usize| words[next..end].join(" ");
        let last = done.len() + 1 == lines;
        while end < words.len() && (last || width(&joined(end + 1), size) <= most) {
            end += 1;
        }
        done.push(fit(&joined(end), size, most));
        next = end;
    }
    done
}

/// The text with what means something to XML and HTML replaced, and characters that XML forbids shown as U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if (c as u32) < 0x20 || ('\u{fffe}'..='\u{ffff}').contains(&c) => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_are_wider() {
        assert!(width("WWW", 10.0) > width("iii", 10.0) * 3.0);
        assert_eq!(width("", 10.0), 0.0);
        assert_eq!(width("00", 10.0), width("19", 10.0));
    }

    #[test]
    fn fitted_text_fits() {
        let name = "an-uncommonly-long-data-set-name";
        for most in [20.0, 50.0, 90.0] {
            let short = fit(name, 11.0, most);
            assert!(short.ends_with('…') && width(&short, 11.0) <= most);
        }
        assert_eq!(fit(name, 11.0, 1000.0), name);
        assert_eq!(fit(name, 11.0, 0.0), "…");
    }

    #[test]
    fn clipped_text_keeps_both_ends() {
        let name = "how much do you agree with question 17";
        for most in [60.0, 90.0, 120.0] {
            let short = clip(name, 11.0, most);
            assert!(width(&short, 11.0) <= most && short.contains('…'), "{short}");
            assert!(short.starts_with("how") && short.ends_with("17"), "{short}");
        }
        assert_eq!(clip(name, 11.0, 1000.0), name);
        assert_eq!(clip(name, 11.0, 0.0), "…");
    }

    #[test]
    fn wrapping_keeps_the_words() {
        let text = "one two three four five six";
        assert_eq!(wrap(text, 10.0, 60.0, 9).join(" "), text);
        let two = wrap(text, 10.0, 60.0, 2);
        assert!(two.len() == 2 && two[1].ends_with('…'), "{two:?}");
        assert!(wrap(" ", 10.0, 60.0, 2).is_empty());
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("<a href=\"x\">'&'\u{1}"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;\u{fffd}"
        );
    }
}
