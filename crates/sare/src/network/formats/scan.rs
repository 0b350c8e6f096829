//! The words of a text format: BIF, NET and DSL differ in their comments and marks, not in what a word is.

use super::report::Report;
use crate::error::Result;
use std::borrow::Cow;

/// What a text format looks like.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Marks that stand for themselves and end a word.
    pub marks: &'static [u8],
    /// Whether `//` and `/* */` are comments.
    pub slashes: bool,
    /// Whether `%` starts a comment.
    pub percent: bool,
}

impl Style {
    /// Whether a comment starts here, even directly after a word.
    fn comment(self, text: &[u8]) -> bool {
        match text {
            [b'%', ..] => self.percent,
            [b'/', b'/' | b'*', ..] => self.slashes,
            _ => false,
        }
    }
}

/// A part of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A word without quotes: a name, a keyword, a number.
    Word(&'a str),
    /// What stood between quotes.
    Text(Cow<'a, str>),
    /// One of the marks.
    Mark(u8),
    /// The end of the file.
    End,
}

impl<'a> Token<'a> {
    /// The word or quoted text.
    pub fn name(self) -> Option<Cow<'a, str>> {
        match self {
            Token::Word(word) => Some(Cow::Borrowed(word)),
            Token::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether this is the keyword, in any case.
    pub fn is_word(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// What to call it in a message.
    pub fn shown(&self) -> String {
        match self {
            Token::Word(word) => format!("'{}'", shortened(word)),
            Token::Text(text) => format!("\"{}\"", shortened(text)),
            Token::Mark(mark) => format!("'{}'", *mark as char),
            Token::End => "the end of the file".into(),
        }
    }
}

/// At most the first 40 characters of a text.
pub(super) fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() { format!("{start}...") } else { start }
}

/// Reads a text word by word.
pub(super) struct Scanner<'a> {
    text: &'a str,
    style: Style,
    at: usize,
    /// The line of the last token.
    pub line: u64,
    /// The line that has been reached.
    reached: u64,
    /// What messages name.
    pub report: Report<'a>,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, style: Style, report: Report<'a>) -> Scanner<'a> {
        Scanner { text, style, at: 0, line: 1, reached: 1, report }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Goes on by `count` bytes and counts the lines among them.
    fn advance(&mut self, count: usize) {
        let passed = &self.rest()[..count];
        self.reached += passed.iter().filter(|&&b| b == b'\n').count() as u64;
        self.at += count;
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Token<'a>> {
        self.skip_blanks()?;
        self.line = self.reached;
        let rest = self.rest();
        let Some(&first) = rest.first() else { return Ok(Token::End) };
        if first == b'"' {
            return self.quoted();
        }
        if self.style.marks.contains(&first) {
            self.at += 1;
            return Ok(Token::Mark(first));
        }
        let ends = |at: &usize| {
            let byte = rest[*at];
            byte.is_ascii_whitespace()
                || byte == b'"'
                || self.style.marks.contains(&byte)
                || (matches!(byte, b'/' | b'%') && self.style.comment(&rest[*at..]))
        };
        // The first byte is part of the word whatever it is, so that every call goes on. All that ends a word is ASCII,
        // so the cut is between characters.
        let length = (1..rest.len()).find(ends).unwrap_or(rest.len());
        let word = &self.text[self.at..self.at + length];
        self.at += length;
        Ok(Token::Word(word))
    }

    /// The next token, left where it is.
    pub fn peek(&mut self) -> Result<Token<'a>> {
        let before = (self.at, self.line, self.reached);
        let token = self.next();
        (self.at, self.line, self.reached) = before;
        token
    }

    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            let rest = self.rest();
            let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let length = match &rest[blanks..] {
                [b'%', tail @ ..] if self.style.percent => 1 + to_line_end(tail),
                [b'/', b'/', tail @ ..] if self.style.slashes => 2 + to_line_end(tail),
                [b'/', b'*', tail @ ..] if self.style.slashes => {
                    let Some(end) = tail.windows(2).position(|w| w == b"*/") else {
                        self.advance(blanks);
                        let problem = "a comment is not closed";
                        return Err(self.report.error(self.reached, problem, "end it with */"));
                    };
                    end + 4
                }
                _ if blanks == 0 => return Ok(()),
                _ => 0,
            };
            self.advance(blanks + length);
        }
    }

    fn quoted(&mut self) -> Result<Token<'a>> {
        let start = self.at + 1;
        let mut at = start;
        let mut escaped = false;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(at) {
                None => {
                    let problem = "a quoted text is not closed";
                    return Err(self.report.error(self.line, problem, "end it with a quote"));
                }
                Some(b'"') => break,
                // A backslash before anything else stands for itself.
                Some(b'\\') if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => {
                    escaped = true;
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        let inside = &self.text[start..at];
        self.advance(at + 1 - self.at);
        Ok(Token::Text(if escaped { unescaped(inside).into() } else { inside.into() }))
    }

    /// The next token, which must be this mark.
    pub fn expect(&mut self, mark: u8, place: &str) -> Result<()> {
        match self.next()? {
            Token::Mark(m) if m == mark => Ok(()),
            other => Err(self.unexpected(&other, &format!("'{}' {place}", mark as char))),
        }
    }

    /// The next token, which must be a name.
    pub fn expect_name(&mut self, what: &str) -> Result<Cow<'a, str>> {
        let token = self.next()?;
        let shown = token.shown();
        token.name().ok_or_else(|| {
            let problem = format!("{shown} stands where {what} should be");
            self.report.error(self.line, problem, format!("write {what}"))
        })
    }

    /// The error of a token that cannot be here.
    pub fn unexpected(&self, token: &Token<'_>, wanted: &str) -> crate::error::Error {
        if *token == Token::End {
            let problem = format!("the file ends where {wanted} should be");
            return self.report.error(self.line, problem, "a block is not closed: copy it again");
        }
        let problem = format!("{} stands where {wanted} should be", token.shown());
        self.report.error(self.line, problem, "correct the file")
    }

    /// The tokens up to the semicolon that ends a value, which is passed too.
    pub fn value(&mut self) -> Result<Vec<Token<'a>>> {
        let mut tokens = Vec::new();
        loop {
            match self.next()? {
                Token::Mark(b';') => return Ok(tokens),
                token @ (Token::End | Token::Mark(b'{' | b'}')) => {
                    return Err(self.unexpected(&token, "';'"));
                }
                token => tokens.push(token),
            }
        }
    }

    /// A word as a probability.
    pub fn number(&self, word: &str) -> Result<f64> {
        self.report.number(self.line, word)
    }

    /// Skips a block of which nothing is needed, from its opening brace to its closing one.
    pub fn skip_block(&mut self) -> Result<()> {
        self.expect(b'{', "before a block")?;
        let mut depth = 1usize;
        while depth > 0 {
            match self.next()? {
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') => depth -= 1,
                Token::End => return Err(self.unexpected(&Token::End, "'}'")),
                _ => {}
            }
        }
        Ok(())
    }

    /// The numbers up to the semicolon; commas and parentheses between them say nothing.
    pub fn numbers(&mut self) -> Result<Vec<f64>> {
        let mut numbers = Vec::new();
        loop {
            match self.next()? {
                Token::Mark(b';') => return Ok(numbers),
                Token::Word(word) => numbers.push(self.number(word)?),
                Token::Mark(b'(' | b')' | b',') => {}
                other => return Err(self.unexpected(&other, "a number or ';'")),
            }
        }
    }
}

fn to_line_end(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len())
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let next = chars.as_str().chars().next();
        if c == '\\' && matches!(next, Some('"' | '\\')) {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}
