//! Rules kept as data, and the small interpreter that applies them.
//!
//! One rule per line: `where what pattern`. `where` is `head` or `tail`; `what` names a [`Says`].
//! A pattern is a sequence of token tests on a masked line or block:
//! `a|b` one of these words, `a?` the word may be missing, `~3` skip up to three tokens,
//! `^` (first) the match must begin at the first token, `$` (last) it must end at the last one.
//! `#` starts a comment line.

use super::blocks::Tokens;
use crate::error::{Error, Result};

/// Which end of a file a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Head,
    Tail,
}

/// What a matching line or block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The preamble runs at least to here.
    Marker,
    /// A line that names who made the e-book.
    Credit,
    /// Opens a note by those who made the e-book.
    Note,
    /// Text of the publisher of the e-book, whoever wrote the book.
    Notice,
    /// First line of a title page, contents and the like: the book has begun.
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
pub(super) struct Rules(Vec<Rule>);

/// First letters with which a match can begin: a cheap test before a line is cut into tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstLetters(u32);

impl FirstLetters {
    /// Could a line with this text match?
    pub(super) fn admit(self, text: &[u8]) -> bool {
        let first = text.iter().find(|b| b.is_ascii_alphanumeric() || **b >= 0x80);
        first.is_some_and(|b| self.0 >> letter(*b) & 1 == 1)
    }
}

/// Letters are 0 to 25, all else is 26.
fn letter(b: u8) -> u32 {
    if b.is_ascii_alphabetic() { u32::from(b.to_ascii_lowercase() - b'a') } else { 26 }
}

impl Rules {
    /// Compiles a rules text; the error names the line at fault.
    pub(super) fn parse(text: &str) -> Result<Rules> {
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

    /// First letters of all matches of this place and meaning.
    pub(super) fn first_letters(&self, place: Place, says: Says) -> FirstLetters {
        let rules = self.0.iter().filter(|r| r.place == place && r.says == says);
        FirstLetters(rules.fold(0, |mask, r| mask | r.first_letters()))
    }

    /// Does any rule of this place and meaning match?
    pub(super) fn matches(&self, place: Place, says: Says, tokens: &Tokens) -> bool {
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
    fn first_letters(&self) -> u32 {
        let mut mask = 0;
        for test in &self.tests {
            match test {
                Test::Words(words, optional) if self.at_start => {
                    mask |= words.iter().fold(0, |m, w| m | 1 << letter(w[0]));
                    if !optional {
                        return mask;
                    }
                }
                _ => return u32::MAX,
            }
        }
        u32::MAX
    }

    fn matches(&self, tokens: &Tokens) -> bool {
        let starts = if self.at_start { 1 } else { tokens.len() };
        (0..starts.min(tokens.len())).any(|s| self.run(0, tokens, s))
    }

    fn run(&self, test: usize, tokens: &Tokens, at: usize) -> bool {
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

/// The three heuristics printed in the paper (section 3.4), for `super::paper`.
pub(super) const PAPER: &str = "\
head marker ^ start of the|this project gutenberg
head marker ^ end the small print
tail marker ^ this? is? the? end of? the|this? project gutenberg|gutenbergs
tail marker ^ etext
";

/// Project Gutenberg, as wide as its volunteers wrote it.
pub(super) const GUTENBERG: &str = include_str!("gutenberg.rules");

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(rules: &str, place: Place, says: Says, line: &str) -> bool {
        let mut t = Tokens::default();
        t.add_line(line.as_bytes());
        Rules::parse(rules).expect("rules").matches(place, says, &t)
    }

    #[test]
    fn markers_of_both_eras_match() {
        for line in [
            "*** START OF THIS PROJECT GUTENBERG EBOOK KIM ***",
            "***START OF THE PROJECT GUTENBERG EBOOK KIM***",
            "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        ] {
            assert!(hit(PAPER, Place::Head, Says::Marker, line), "{line}");
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
}
