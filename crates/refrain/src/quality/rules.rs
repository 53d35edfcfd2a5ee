//! Sets of rules: limits for what is measured of a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
fn rounded(value: f64) -> f64 {
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
        QualityMeasure::all().filter(|measure| self.at_least.contains_key(measure) || self.at_most.contains_key(measure))
    }

    fn stop_words<'a>(&'a self, language: Option<&str>) -> Vec<&'a str> {
        match language {
            _ if !self.stop_words.is_empty() => self.stop_words.iter().map(String::as_str).collect(),
            None | Some("en") => gopher_quality::ENGLISH_STOP_WORDS.into(),
            Some(other) => frequent_words(other, fineweb2::STOP_WORDS_OF_LANGUAGE),
        }
    }
}
