//! Limits for a language, learned from text in it that is worth keeping.

use std::collections::{BTreeMap, HashMap};

use super::measure::{MeasuredText, QualityMeasure as M};
use super::presets::{fineweb2, preset};
use super::rules::QualityRules;
use super::words::{is_symbols, words};

/// One of so many documents of the reference lies beyond each limit.
const TAIL: u64 = 10;

/// Parts of one in which figures are counted.
const STEPS: f64 = 1000.0;

/// Words that are at least this share of all words are stop words (FineWeb-2).
const FREQUENT: f64 = 0.008;

/// Different words that are counted. Those that occur first after so many others are rare.
const MOST_WORDS: usize = 1_000_000;

/// The measures whose limits differ between languages: those that FineWeb-2 sets for each.
const AT_MOST: [M; 12] = [
    M::DuplicateLines,
    M::Top2GramChars,
    M::Top3GramChars,
    M::Top4GramChars,
    M::Duplicate5GramChars,
    M::Duplicate6GramChars,
    M::Duplicate7GramChars,
    M::Duplicate8GramChars,
    M::Duplicate9GramChars,
    M::Duplicate10GramChars,
    M::WordLength,
    M::LineBreaks,
];
const AT_LEAST: [M; 3] = [M::WordLength, M::AlphabeticWords, M::SentenceLines];

/// What was measured of one document of a reference.
#[derive(Debug, Clone, Default)]
pub struct ReferenceDocument {
    figures: Vec<(M, u32)>,
    words: HashMap<String, u64>,
}

impl ReferenceDocument {
    /// Measures a text in a language.
    pub fn of(text: &str, language: &str) -> ReferenceDocument {
        let measured = MeasuredText::new(text, Some(language));
        let all = AT_MOST.iter().chain(&AT_LEAST[1..]);
        #[allow(clippy::cast_sign_loss)] // no figure is negative
        let figures = all.filter_map(|measure| {
            let value = measured.measure(*measure, &[], None)?;
            Some((*measure, (value * STEPS).floor() as u32))
        });
        let figures = figures.collect();
        let mut counts = HashMap::new();
        words(text, language == "en", |word| {
            let word = word.of(text);
            if !is_symbols(word) && !word.contains(char::is_numeric) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        });
        ReferenceDocument { figures, words: counts }
    }
}

/// What was measured of text that is worth keeping, in one language. It does not grow with the number of documents.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    /// Documents.
    pub documents: u64,
    figures: BTreeMap<M, BTreeMap<u32, u64>>,
    words: HashMap<String, u64>,
    total_words: u64,
}

impl Reference {
    /// With fewer documents, a tenth of them says little.
    pub const LEAST_DOCUMENTS: u64 = 100;

    /// Adds a document.
    pub fn add(&mut self, document: ReferenceDocument) {
        self.documents += 1;
        for (measure, value) in document.figures {
            *self.figures.entry(measure).or_default().entry(value).or_default() += 1;
        }
        for (word, count) in document.words {
            self.total_words += count;
            if self.words.len() < MOST_WORDS || self.words.contains_key(&word) {
                *self.words.entry(word).or_default() += count;
            }
        }
    }

    /// The rules of FineWeb-2 for the language: learned limits where languages differ, published ones elsewhere, and the most
    /// frequent words as stop words. At most a tenth of the reference lies beyond each learned limit.
    pub fn rules(&self, language: &str) -> QualityRules {
        let mut rules = QualityRules { language: Some(language.to_owned()), ..QualityRules::new(language) };
        for set in preset("fineweb2").unwrap_or_default() {
            rules.at_least.extend(set.at_least);
            rules.at_most.extend(set.at_most);
        }
        for measure in AT_MOST {
            rules.at_most.extend(self.quantile(measure, true).map(|limit| (measure, limit)));
        }
        for measure in AT_LEAST {
            rules.at_least.extend(self.quantile(measure, false).map(|limit| (measure, limit)));
        }
        rules.stop_words = self.stop_words();
        rules
    }

    /// The smallest limit that at most a tenth of the documents exceed, or the largest that at most a tenth fall below.
    fn quantile(&self, measure: M, at_most: bool) -> Option<f64> {
        let counts = self.figures.get(&measure)?;
        let all: u64 = counts.values().sum();
        let beyond = all / TAIL;
        let mut seen = 0;
        let mut passes = |(value, count): (&u32, &u64)| {
            seen += count;
            (seen > beyond).then_some(*value)
        };
        // A figure was rounded down when it was counted.
        let step = match at_most {
            true => counts.iter().rev().find_map(&mut passes)? + 1,
            false => counts.iter().find_map(&mut passes)?,
        };
        Some(f64::from(step) / STEPS)
    }

    /// The words that are frequent enough, and at least as many as Gopher has for English; the most frequent first.
    fn stop_words(&self) -> Vec<String> {
        let mut frequent: Vec<(&String, &u64)> = self.words.iter().collect();
        frequent.sort_unstable_by(|(one, count), (other, than)| than.cmp(count).then(one.cmp(other)));
        let is_frequent = |count: u64| count as f64 >= FREQUENT * self.total_words as f64;
        let enough = frequent.iter().take_while(|(_, count)| is_frequent(**count)).count();
        let enough = enough.max(fineweb2::STOP_WORDS_OF_LANGUAGE);
        frequent.into_iter().take(enough).map(|(word, _)| word.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_reference_is_beyond_each_limit() {
        let mut reference = Reference::default();
        let mut texts = Vec::new();
        for number in 1..=100 {
            // More and more lines of ten words without an end, and ten with one.
            let open = "jeden starý strážce majáku každý večer zapálil velkou lampu nahoře\n".repeat(number / 4 + 1);
            let closed =
                (0..10).fold(String::new(), |text, line| format!("{text}Strážce {number} {line} a lampa svítí.\n"));
            texts.push(open + &closed);
        }
        for text in &texts {
            reference.add(ReferenceDocument::of(text, "cs"));
        }
        let rules = reference.rules("cs");
        assert_eq!((rules.language.as_deref(), rules.at_least[&M::Words]), (Some("cs"), 50.0));
        assert!((rules.at_most[&M::RepeatedLineChars] - 0.1).abs() < 1e-9);
        for measure in AT_LEAST {
            let limit = rules.at_least[&measure];
            let figures = texts.iter().map(|text| MeasuredText::new(text, Some("cs")).measure(measure, &[], None));
            let beyond = figures.flatten().filter(|value| *value < limit).count();
            assert!(beyond <= 10, "{}: {beyond}", measure.name());
        }
        for measure in AT_MOST {
            let limit = rules.at_most[&measure];
            let figures = texts.iter().map(|text| MeasuredText::new(text, Some("cs")).measure(measure, &[], None));
            let beyond = figures.flatten().filter(|value| *value > limit).count();
            assert!(beyond <= 10, "{}: {beyond}", measure.name());
            assert!(measure != M::DuplicateLines || beyond >= 8, "{beyond}");
        }
        assert!(
            rules.stop_words.len() >= 8 && rules.stop_words.contains(&"lampa".to_owned()),
            "{:?}",
            rules.stop_words
        );
        assert_eq!(QualityRules::from_json(&rules.to_json(), ""), Ok(rules));
    }
}
