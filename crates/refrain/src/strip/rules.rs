//! Rules kept as data, and the small interpreter that applies them.
//!
//! One rule per line: `where what pattern`. `where` is `head` or `tail`; `what` names a [`Says`].
//! A pattern is a sequence of token tests on a masked line or block:
//! `a|b` one of these words, `a?` the word may be missing, `~3` skip up to three tokens,
//! `^` (first) the match must begin at the first token, `$` (last) it must end at the last one.
//! `#` starts a comment line.

use super::blocks::Words;
use crate::error::{Error, Result};

/// Which end of a file a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Head,
    Tail,
}

/// What a match means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// The preamble runs at least to here.
    Marker,
    /// A line that names who made the e-book.
    Credit,
    /// Opens a note by those who made the e-book.
    Note,
    /// Text by the publisher of the e-book.
    Notice,
    /// First line of a title page, table of contents or similar: the book starts here.
    Book,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Words(Vec<Vec<u8>>, bool),
    Skip(usize),
}

/// One compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) place: Place,
    pub(super) says: Says,
    at_start: bool,
    at_end: bool,
    tests: Vec<Test>,
}

/// An ordered set of rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules(Vec<Rule>);

/// Words with which a match can begin: a cheap test before a line is cut into tokens.
#[derive(Clone, Debug)]
pub(super) struct FirstWords<'a> {
    /// The words; none where a match can begin with any.
    words: Option<Vec<&'a [u8]>>,
    /// Their first letters, from the lowest bit on.
    letters: u32,
}

impl FirstWords<'_> {
    /// Could a line with this text match?
    pub(super) fn admit(&self, text: &[u8]) -> bool {
        let Some(words) = &self.words else { return true };
        let Some(start) = text.iter().position(|b| b.is_ascii_alphanumeric() || *b >= 0x80) else { return false };
        let text = &text[start..];
        text[0].is_ascii_alphabetic()
            && self.letters >> (text[0].to_ascii_lowercase() - b'a') & 1 == 1
            && words.iter().any(|word| opens_with(text, word))
    }
}

/// Hyphens and apostrophes do not count, and what is not ASCII may be one of them.
fn opens_with(text: &[u8], word: &[u8]) -> bool {
    let mut letters = text.iter().filter(|b| !matches!(b, b'-' | b'\''));
    for wanted in word {
        match letters.next() {
            Some(b) if b.eq_ignore_ascii_case(wanted) => {}
            other => return other.is_some_and(|b| *b >= 0x80),
        }
    }
    true
}

impl Rules {
    /// Compiles a rules text; the error names the line at fault.
    pub(crate) fn parse(text: &str) -> Result<Rules> {
        let mut rules = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with("# ") && line != "#" {
                let rule = parse_rule(line)
                    .map_err(|error| Error::Refused(format!("line {} of the rules: {error}", i + 1)))?;
                rules.push(rule);
            }
        }
        Ok(Self(rules))
    }

    /// True when there is no rule at all (the generic profile).
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// First words of all matches of this place and meaning.
    pub(super) fn first_words(&self, place: Place, says: Says) -> FirstWords<'_> {
        let rules = self.0.iter().filter(|r| r.place == place && r.says == says);
        let words: Option<Vec<Vec<&[u8]>>> = rules.map(Rule::first_words).collect();
        let words = words.map(|words| words.concat());
        let letters = words.iter().flatten().fold(0, |letters, word| letters | 1 << (word[0] - b'a'));
        FirstWords { words, letters }
    }

    /// Does any rule of this place and meaning match?
    pub(crate) fn matches(&self, place: Place, says: Says, tokens: Words) -> bool {
        self.0.iter().any(|r| r.place == place && r.says == says && r.matches(tokens))
    }
}

fn parse_rule(line: &str) -> Result<Rule, String> {
    let mut parts = line.split_whitespace();
    let place = match parts.next() {
        Some("head") => Place::Head,
        Some("tail") => Place::Tail,
        other => return Err(format!("expected head or tail, found {other:?}")),
    };
    let says = match parts.next() {
        Some("marker") => Says::Marker,
        Some("credit") => Says::Credit,
        Some("note") => Says::Note,
        Some("notice") => Says::Notice,
        Some("book") => Says::Book,
        other => return Err(format!("unknown meaning {other:?}")),
    };
    let mut rule = Rule { place, says, at_start: false, at_end: false, tests: Vec::new() };
    for part in parts {
        match part {
            "^" => rule.at_start = true,
            "$" => rule.at_end = true,
            _ => rule.tests.push(parse_test(part)?),
        }
    }
    if rule.tests.is_empty() { Err("empty pattern".into()) } else { Ok(rule) }
}

fn parse_test(part: &str) -> Result<Test, String> {
    if let Some(n) = part.strip_prefix('~') {
        return n.parse().map(Test::Skip).map_err(|_| format!("bad skip {part:?}"));
    }
    let (words, optional) = part.strip_suffix('?').map_or((part, false), |w| (w, true));
    Ok(Test::Words(words.split('|').filter(|w| !w.is_empty()).map(|w| w.as_bytes().to_vec()).collect(), optional))
}

impl Rule {
    /// Words with which a match can begin; none where it can begin with any.
    fn first_words(&self) -> Option<Vec<&[u8]>> {
        let mut first = Vec::new();
        for test in self.tests.iter().take_while(|_| self.at_start) {
            let Test::Words(words, optional) = test else { return None };
            if !words.iter().all(|word| word[0].is_ascii_lowercase()) {
                return None;
            }
            first.extend(words.iter().map(Vec::as_slice));
            if !optional {
                return Some(first);
            }
        }
        None
    }

    pub(crate) fn matches(&self, tokens: Words) -> bool {
        let starts = if self.at_start { 1 } else { tokens.len() };
        (0..starts.min(tokens.len())).any(|s| self.run(0, tokens, s))
    }

    fn run(&self, test: usize, tokens: Words, at: usize) -> bool {
        match self.tests.get(test) {
            None => !self.at_end || at == tokens.len(),
            Some(Test::Skip(n)) => (at..=(at + n).min(tokens.len())).any(|a| self.run(test + 1, tokens, a)),
            Some(Test::Words(words, optional)) => {
                let here = at < tokens.len() && words.iter().any(|w| w == tokens.get(at));
                (here && self.run(test + 1, tokens, at + 1)) || (*optional && self.run(test + 1, tokens, at))
            }
        }
    }
}

/// Project Gutenberg, as wide as its volunteers wrote it.
pub(super) const GUTENBERG: &str = include_str!("gutenberg.rules");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::blocks::Tokens;

    fn hit(rules: &str, place: Place, says: Says, line: &str) -> bool {
        let mut t = Tokens::default();
        t.add_line(line.as_bytes());
        Rules::parse(rules).expect("rules").matches(place, says, t.all())
    }

    #[test]
    fn markers_of_both_eras_match() {
        for line in [
            "*** START OF THIS PROJECT GUTENBERG EBOOK KIM ***",
            "***START OF THE PROJECT GUTENBERG EBOOK KIM***",
            "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        ] {
            assert!(hit(GUTENBERG, Place::Head, Says::Marker, line), "{line}");
        }
        assert!(!hit(
            GUTENBERG,
            Place::Head,
            Says::Marker,
            "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***"
        ));
    }

    #[test]
    fn end_lines_match() {
        for line in [
            "End of Project Gutenberg's Etext The Hound of the Baskervilles by Doyle",
            "Ende dieses Projekt Gutenberg Etextes Emilia Galotti, von Gotthold",
            "***********  End Of Project Gutenberg Etext study10.txt *************",
            "The end of Project Gutenberg Etext of King Henry IV, Part 2, by Shakespeare",
        ] {
            assert!(hit(GUTENBERG, Place::Tail, Says::Marker, line), "{line}");
        }
        assert!(!hit(GUTENBERG, Place::Tail, Says::Marker, "Here ends the first book of the project."));
    }

    #[test]
    fn a_bad_rule_is_named() {
        assert!(Rules::parse("head marker x\nfoot marker y").expect_err("a bad rule").to_string().contains("line 2"));
    }

    #[test]
    fn the_cheap_test_admits_whatever_matches() {
        let rules = Rules::parse(GUTENBERG).expect("rules");
        for place in [Place::Head, Place::Tail] {
            let first = rules.first_words(place, Says::Marker);
            for line in [
                "*** START OF THIS PROJECT GUTENBERG EBOOK KIM ***",
                "*END*THE SMALL PRINT!",
                "-- En-d of The E-text",
                "This is the end of Project Gutenberg",
                "THE END OF THIS EBOOK",
                "En\u{2019}d of this etext",
                "Starboard, and the small boat",
                "12 o'clock",
                "***",
            ] {
                let matches = hit(GUTENBERG, place, Says::Marker, line);
                assert!(!matches || first.admit(line.as_bytes()), "{line}");
            }
            assert!(!first.admit(b"Nothing of this kind") && !first.admit(b"* * *"));
        }
        assert!(Rules::parse("head marker a").expect("rules").first_words(Place::Head, Says::Marker).admit(b"*"));
    }
}
