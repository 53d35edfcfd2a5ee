//! Sets of rules: limits for what is measured of a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::{LineRules, LineVerdicts};
use super::measure::{MeasuredText, QualityMeasure, is_english};
use super::presets::{fineweb2, gopher_quality, preset};
use crate::document::Reason;
use crate::text::frequent_words;

/// A set of rules. A document that breaks one of them is removed.
///
/// ```
/// use refrain::quality::{MeasuredText, QualityRules};
///
/// let gopher = QualityRules::preset("gopher-quality").expect("its rules");
/// let short = gopher[0].judge("The keeper lit the lamp.", Some("en")).expect("a rule that it breaks");
/// assert_eq!((short.rule.as_str(), short.value, short.limit), ("words", 5.0, 50.0));
/// let own = QualityRules::from_json(r#"{"at_most": {"short_lines": 0.5}}"#, "own")?;
/// assert!(own.judge("Menu", None).is_some());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QualityRules {
    /// Their name in the reasons.
    pub name: String,
    /// The only language whose documents are judged, by its code; all if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The words that count as stop words; those of the language of a document if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_words: Vec<String>,
    /// The lines that are removed before the document is judged by the rest.
    #[serde(skip_serializing_if = "LineRules::is_none")]
    pub lines: LineRules,
    /// The least that each measure must be.
    pub at_least: BTreeMap<QualityMeasure, f64>,
    /// The most that each measure may be.
    pub at_most: BTreeMap<QualityMeasure, f64>,
}

/// A rule that a text breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenRule {
    /// The name of the set.
    pub filter: String,
    /// The name of the measure, or of the rule for lines.
    pub rule: String,
    /// What was measured.
    pub value: f64,
    /// The limit.
    pub limit: f64,
}

impl From<BrokenRule> for Reason {
    fn from(broken: BrokenRule) -> Reason {
        let BrokenRule { filter, rule, value, limit } = broken;
        Reason::Measured { filter: Cow::Owned(filter), rule: Cow::Owned(rule), value: rounded(value), limit }
    }
}

/// A figure with six digits after the point.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

impl QualityRules {
    /// A set without rules.
    pub fn new(name: &str) -> QualityRules {
        QualityRules { name: name.to_owned(), ..QualityRules::default() }
    }

    /// The sets of a [preset](super::PRESETS), in the order in which they are applied.
    pub fn preset(name: &str) -> Option<Vec<QualityRules>> {
        preset(name)
    }

    /// Reads a set from JSON. The error says in words what is wrong. A set without a name of its own gets this one.
    pub fn from_json(json: &str, name: &str) -> Result<QualityRules, String> {
        let mut rules: QualityRules = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if rules.at_least.is_empty() && rules.at_most.is_empty() && rules.lines.is_none() {
            return Err("it has no rules; name limits in at_least, at_most or lines".into());
        }
        if rules.name.is_empty() {
            name.clone_into(&mut rules.name);
        }
        Ok(rules)
    }

    /// The set as JSON that a person can edit.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    pub(super) fn at_least(mut self, limits: impl IntoIterator<Item = (QualityMeasure, f64)>) -> QualityRules {
        self.at_least.extend(limits);
        self
    }

    pub(super) fn at_most(mut self, limits: impl IntoIterator<Item = (QualityMeasure, f64)>) -> QualityRules {
        self.at_most.extend(limits);
        self
    }

    /// True if documents in a language are judged.
    pub fn applies(&self, language: Option<&str>) -> bool {
        self.language.is_none() || self.language.as_deref() == language
    }

    /// The first rule that a text in this language breaks. Rules are applied in the order of [`QualityMeasure`]. A text of white
    /// space breaks none.
    pub fn judge(&self, text: &str, language: Option<&str>) -> Option<BrokenRule> {
        let lines = self.judge_lines(text, language);
        self.judge_measured(&MeasuredText::new(text, language), language, lines.as_ref())
    }

    pub(super) fn judge_lines(&self, text: &str, language: Option<&str>) -> Option<LineVerdicts> {
        (!self.lines.is_none()).then(|| self.lines.judge(text, is_english(language)))
    }

    pub(super) fn judge_measured(
        &self,
        text: &MeasuredText<'_>,
        language: Option<&str>,
        lines: Option<&LineVerdicts>,
    ) -> Option<BrokenRule> {
        if text.is_blank() || !self.applies(language) {
            return None;
        }
        let stop_words = self.stop_words(language);
        self.measures().find_map(|measure| {
            let value = text.measure(measure, &stop_words, lines)?;
            let least = self.at_least.get(&measure).filter(|limit| value < **limit);
            let limit = *least.or_else(|| self.at_most.get(&measure).filter(|limit| value > **limit))?;
            Some(BrokenRule { filter: self.name.clone(), rule: measure.name().to_owned(), value, limit })
        })
    }

    /// What the rules measure of a text.
    pub fn figures(&self, text: &str, language: Option<&str>) -> Vec<(QualityMeasure, Option<f64>)> {
        let lines = self.judge_lines(text, language);
        let (text, stop_words) = (MeasuredText::new(text, language), self.stop_words(language));
        self.measures().map(|measure| (measure, text.measure(measure, &stop_words, lines.as_ref()))).collect()
    }

    fn measures(&self) -> impl Iterator<Item = QualityMeasure> {
        QualityMeasure::all()
            .filter(|measure| self.at_least.contains_key(measure) || self.at_most.contains_key(measure))
    }

    fn stop_words<'a>(&'a self, language: Option<&str>) -> Vec<&'a str> {
        match language {
            _ if !self.stop_words.is_empty() => self.stop_words.iter().map(String::as_str).collect(),
            None | Some("en") => gopher_quality::ENGLISH_STOP_WORDS.into(),
            Some(other) => frequent_words(other, fineweb2::STOP_WORDS_OF_LANGUAGE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that occur once, and a last one that makes a text this long.
    fn padded(start: &str, length: usize) -> String {
        format!("{start} {}", "z".repeat(length - start.len() - 1))
    }

    /// The same words twice, two letters each, in a text of some length.
    fn twice(words: usize, length: usize) -> String {
        let once: Vec<String> = (b'a'..).take(words).map(|c| format!("{}x", char::from(c))).collect();
        padded(&format!("{0} {0}", once.join(" ")), length)
    }

    /// Parts of which some equal the first one.
    fn copies(all: usize, copies: usize, between: &str) -> String {
        let parts: Vec<String> = (0..all).map(|n| format!("part {}", if n < all - copies { n } else { 0 })).collect();
        parts.join(between)
    }

    fn of_lines(line: &str, count: usize, other: &str, others: usize) -> String {
        [vec![line; count], vec![other; others]].concat().join("\n")
    }

    /// Each rule with a text that it just keeps, and one that it just removes.
    #[test]
    fn every_published_limit_is_where_it_was_published() {
        let sentence = "The lamp is lit.";
        let cases = [
            ("gopher-repetition", "duplicate_paragraphs", copies(10, 3, "\n\n"), copies(10, 4, "\n\n")),
            (
                "gopher-repetition",
                "duplicate_paragraph_chars",
                padded("aaaa\n\naaaa\n\n", 22),
                padded("aaaa\n\naaaa\n\n", 21),
            ),
            ("gopher-repetition", "duplicate_lines", copies(10, 3, "\n"), copies(10, 4, "\n")),
            ("gopher-repetition", "duplicate_line_chars", padded("aaaa\naaaa\n", 20), padded("aaaa\naaaa\n", 19)),
            ("gopher-repetition", "top_2_gram_chars", twice(2, 50), twice(2, 49)),
            ("gopher-repetition", "top_3_gram_chars", twice(3, 89), twice(3, 88)),
            ("gopher-repetition", "top_4_gram_chars", twice(4, 138), twice(4, 137)),
            ("gopher-repetition", "duplicate_5_gram_chars", twice(5, 67), twice(5, 66)),
            ("gopher-repetition", "duplicate_6_gram_chars", twice(6, 86), twice(6, 85)),
            ("gopher-repetition", "duplicate_7_gram_chars", twice(7, 108), twice(7, 107)),
            ("gopher-repetition", "duplicate_8_gram_chars", twice(8, 134), twice(8, 133)),
            ("gopher-repetition", "duplicate_9_gram_chars", twice(9, 164), twice(9, 163)),
            ("gopher-repetition", "duplicate_10_gram_chars", twice(10, 200), twice(10, 199)),
            ("gopher-quality", "words", "word ".repeat(50), "word ".repeat(49)),
            ("gopher-quality", "words", "word ".repeat(100_000), "word ".repeat(100_001)),
            ("gopher-quality", "word_length", "abc abc".into(), "abc ab".into()),
            ("gopher-quality", "word_length", "abcdefghij".into(), "abcdefghijk".into()),
            ("gopher-quality", "hashes", "# ".to_owned() + &"word ".repeat(9), "# ".to_owned() + &"word ".repeat(8)),
            ("gopher-quality", "ellipses", "… ".to_owned() + &"word ".repeat(9), "… ".to_owned() + &"word ".repeat(8)),
            ("gopher-quality", "bullet_lines", of_lines("- a", 9, "b", 1), of_lines("• a", 10, "b", 1)),
            ("gopher-quality", "ellipsis_lines", of_lines("a...", 3, "b", 7), of_lines("a…", 4, "b", 6)),
            ("gopher-quality", "alphabetic_words", "a 1 b c d".into(), "a 1 b c".into()),
            ("gopher-quality", "stop_words", "the keeper of it".into(), "the keeper the".into()),
            ("c4", "lorem_ipsum", sentence.repeat(5), sentence.repeat(5) + " Lorem ipsum."),
            ("c4", "curly_brackets", sentence.repeat(5), sentence.repeat(5) + " { }."),
            ("c4", "sentences", [sentence; 5].join(" "), [sentence; 4].join(" ")),
            ("fineweb-quality", "sentence_lines", of_lines("a.", 3, "b", 22), of_lines("a.", 2, "b", 23)),
            (
                "fineweb-quality",
                "short_lines",
                of_lines(&"a".repeat(30), 67, &"b".repeat(31), 33),
                of_lines(&"a".repeat(30), 68, &"b".repeat(31), 32),
            ),
            (
                "fineweb-quality",
                "repeated_line_chars",
                format!("a\na\n{}", "b".repeat(98)),
                format!("a\na\n{}", "b".repeat(97)),
            ),
            ("fineweb-quality", "line_breaks", "a a a a a a a\na\na\na".into(), "a a a a a a\na\na\na".into()),
        ];
        let mut seen = std::collections::BTreeSet::new();
        for (preset, rule, kept, removed) in cases {
            let mut rules = QualityRules::preset(preset).expect("its rules").remove(0);
            let only = |measure: &QualityMeasure, _: &mut f64| measure.name() == rule;
            rules.at_least.retain(only);
            rules.at_most.retain(only);
            let judge = |text: &str| rules.judge(text, Some("en"));
            let broken = judge(&kept);
            assert!(broken.is_none(), "{preset} {rule} removes too much: {broken:?}");
            let broken = judge(&removed).unwrap_or_else(|| panic!("{preset} {rule} removes too little"));
            assert_eq!(broken.rule, rule);
            seen.insert(rule.to_owned());
        }
        let all: std::collections::BTreeSet<String> =
            QualityMeasure::all().map(|measure| measure.name().to_owned()).collect();
        assert_eq!(seen, all, "a rule without a test");
    }

    #[test]
    fn files_state_what_is_wrong_with_them() {
        for (json, why) in [
            ("", "EOF"),
            ("{}", "no rules"),
            (r#"{"at_most": {"wrods": 3}}"#, "wrods"),
            (r#"{"atmost": {"words": 3}}"#, "atmost"),
            (r#"{"at_most": {"words": "many"}}"#, "many"),
        ] {
            assert!(QualityRules::from_json(json, "own").is_err_and(|error| error.contains(why)), "{json}");
        }
        let rules = QualityRules::from_json(r#"{"language": "cs", "at_least": {"words": 3}}"#, "own").expect("rules");
        assert_eq!((rules.name.as_str(), rules.judge("a", Some("de")), rules.judge("a", None)), ("own", None, None));
        assert!(rules.judge("a b", Some("cs")).is_some() && rules.judge(" \n", Some("cs")).is_none());
    }

    #[test]
    fn each_language_has_its_own_stop_words() {
        let rules = QualityRules::preset("gopher-quality").expect("its rules").remove(0);
        let stop_words = |language| rules.figures("Majákář a lampa se rozsvítila v noci.", language);
        let count = |language| {
            stop_words(language).iter().find(|(measure, _)| measure.name() == "stop_words").and_then(|it| it.1)
        };
        assert_eq!(count(Some("en")), Some(0.0));
        assert!(count(Some("cs")) >= Some(2.0), "{:?}", count(Some("cs")));
        assert_eq!(count(Some("xx")), None, "nothing is known of the language");
    }

    #[test]
    fn fineweb_2_has_fewer_rules() {
        let [repetition, fineweb, gopher] = &QualityRules::preset("fineweb2").expect("its rules")[..] else {
            panic!("three sets")
        };
        assert_eq!(repetition.at_most.len(), 10);
        assert!((fineweb.at_most[&QualityMeasure::RepeatedLineChars] - 0.1).abs() < 1e-9);
        assert!(!fineweb.at_most.contains_key(&QualityMeasure::ShortLines) && gopher.at_least.len() == 4);
        let fineweb = QualityRules::preset("fineweb").expect("its rules");
        assert!(fineweb.iter().any(|rules| rules.name == "c4" && !rules.lines.terminal && rules.lines.policy));
    }
}
