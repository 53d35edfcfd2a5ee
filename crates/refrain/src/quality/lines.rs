//! The rules of C4 for lines (Raffel et al. 2020, section 2.2, and the code published with it).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::count_sentences;
use crate::document::Span;

/// Lines must end with one of these.
const TERMINAL: [char; 5] = ['.', '?', '!', '"', '\''];

/// Lines that contain one of these, in lower case, say what a site does with its visitors.
const POLICY: [&str; 6] =
    ["terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"];

/// Which lines are removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a rule of its own
pub struct LineRules {
    /// Remove lines that do not end with `.`, `?`, `!` or a quotation mark, or that end with an ellipsis.
    pub terminal: bool,
    /// Remove lines with fewer words, separated by white space.
    pub words: usize,
    /// Remove lines with a longer word, in characters; zero removes none.
    pub word_length: usize,
    /// Remove lines that mention JavaScript.
    pub javascript: bool,
    /// Remove lines that mention cookies, terms of use or a privacy policy.
    pub policy: bool,
    /// Remove references such as `[1]`, `[edit]` and `[citation needed]` from the lines that are kept.
    pub citations: bool,
}

impl LineRules {
    /// True if no line is ever removed.
    pub fn is_none(&self) -> bool {
        *self == LineRules::default()
    }
}

/// A range that a rule for lines removes.
#[derive(Debug, Clone, PartialEq)]
pub struct LineRemoval {
    /// Its bytes.
    pub span: Span,
    /// The rule.
    pub rule: &'static str,
    /// What the rule measured.
    pub value: f64,
    /// The limit.
    pub limit: f64,
}

/// What the rules for lines found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineVerdicts {
    /// The ranges to remove, in order.
    pub removed: Vec<LineRemoval>,
    /// Sentences in the lines that are kept.
    pub sentences: usize,
    /// Lines with "lorem ipsum".
    pub lorem_ipsum: usize,
    /// Lines with a curly bracket.
    pub curly_brackets: usize,
}

impl LineRules {
    /// Judges each line of a text.
    pub fn judge(&self, text: &str, english: bool) -> LineVerdicts {
        let mut verdicts = LineVerdicts::default();
        let mut at = 0;
        for line in text.split('\n') {
            let start = at + line.len() - line.trim_start().len();
            at += line.len() + 1;
            let line = line.trim();
            if !line.is_empty() {
                self.judge_line(line, start, english, &mut verdicts);
            }
        }
        verdicts
    }

    fn judge_line(&self, line: &str, start: usize, english: bool, verdicts: &mut LineVerdicts) {
        let remove = |rule, value: usize, limit: usize| LineRemoval {
            span: Span::new(start, start + line.len()),
            rule,
            value: value as f64,
            limit: limit as f64,
        };
        let longest = || line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
        if self.word_length > 0 && line.len() > self.word_length && longest() > self.word_length {
            return verdicts.removed.push(remove("line_word_length", longest(), self.word_length));
        }
        let citations = if self.citations { citations(line) } else { Vec::new() };
        let bare = without(line, &citations);
        if self.terminal && (!bare.ends_with(TERMINAL) || bare.ends_with("...")) {
            return verdicts.removed.push(remove("line_end", 0, 1));
        }
        let words = line.split_whitespace().count();
        if words < self.words {
            return verdicts.removed.push(remove("line_words", words, self.words));
        }
        let lower = bare.to_lowercase();
        verdicts.lorem_ipsum += usize::from(lower.contains("lorem ipsum"));
        if self.javascript && lower.contains("javascript") {
            return verdicts.removed.push(remove("line_javascript", 1, 0));
        }
        verdicts.curly_brackets += usize::from(bare.contains('{'));
        if self.policy && POLICY.iter().any(|phrase| lower.contains(phrase)) {
            return verdicts.removed.push(remove("line_policy", 1, 0));
        }
        verdicts.sentences += count_sentences(&bare, english);
        verdicts.removed.extend(citations.into_iter().map(|span| LineRemoval {
            span: Span::new(start + span.start, start + span.end),
            ..remove("citation", 1, 0)
        }));
    }
}

/// References in brackets: a number or nothing, `edit`, `citation needed`.
fn citations(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('[') {
        let Some(length) = line[at..].find(']') else { break };
        let inside = &line[at + 1..at + length];
        if inside.chars().all(char::is_numeric) || inside == "edit" || inside == "citation needed" {
            found.push(Span::new(at, at + length + 1));
        }
    }
    found
}

fn without(line: &str, removed: &[Span]) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut from = 0;
    for span in removed {
        kept.push_str(&line[from..span.start]);
        from = span.end;
    }
    kept + &line[from..]
}

/// The text that is left without some ranges.
pub(super) fn left(text: &str, removed: &[LineRemoval]) -> String {
    let spans: Vec<Span> = removed.iter().map(|removed| removed.span).collect();
    without(text, &spans)
}

#[cfg(test)]
mod tests {
    use super::super::rules::QualityRules;

    #[test]
    fn each_rule_removes_its_lines_and_no_others() {
        let rules = QualityRules::preset("c4").expect("its rules").remove(0).lines;
        let long = "x".repeat(1000);
        for (line, rule) in [
            ("The lamp is lit.", ""),
            ("The lamp is lit", "line_end"),
            ("The lamp is...", "line_end"),
            ("\"The lamp is lit!\"", ""),
            ("Lit now.", "line_words"),
            ("It is lit.", ""),
            (&format!("A word {long}"), "line_end"),
            (&format!("A word {long}x."), "line_word_length"),
            ("You need JavaScript for this.", "line_javascript"),
            ("Read our Privacy Policy here.", "line_policy"),
            ("  It was lit [12] in 1901[citation needed].  ", "citation"),
            ("It was lit [note 1] at dusk.", ""),
        ] {
            let text = format!("One two three.\n{line}\nFour five six.");
            let removed = rules.judge(&text, true).removed;
            let names: Vec<&str> = removed.iter().map(|line| line.rule).collect();
            match rule {
                "" => assert!(names.is_empty(), "{line}: {names:?}"),
                "citation" => {
                    let texts: Vec<&str> = removed.iter().map(|line| line.span.of(&text)).collect();
                    assert_eq!(texts, ["[12]", "[citation needed]"]);
                }
                _ => {
                    assert_eq!(names, [rule], "{line}");
                    assert_eq!(removed[0].span.of(&text), line);
                }
            }
        }
    }

    #[test]
    fn sentences_are_counted_in_lines_that_are_kept() {
        let rules = QualityRules::preset("c4").expect("its rules").remove(0).lines;
        let verdicts = rules.judge("One two. Three four.\nFive six seven. Eight\nLorem ipsum is { here.", true);
        assert_eq!((verdicts.sentences, verdicts.lorem_ipsum, verdicts.curly_brackets), (3, 1, 1));
    }
}
