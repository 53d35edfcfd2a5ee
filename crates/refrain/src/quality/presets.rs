//! The published limits, each with its source.

use super::lines::LineRules;
use super::measure::QualityMeasure as M;
use super::rules::QualityRules;

/// Repetition inside a document: Rae et al. 2021, "Scaling Language Models: Methods, Analysis & Insights from Training Gopher",
/// Table A1. All are at most.
pub mod gopher_repetition {
    /// Duplicate line fraction.
    pub const DUPLICATE_LINES: f64 = 0.30;
    /// Duplicate paragraph fraction.
    pub const DUPLICATE_PARAGRAPHS: f64 = 0.30;
    /// Duplicate line character fraction.
    pub const DUPLICATE_LINE_CHARS: f64 = 0.20;
    /// Duplicate paragraph character fraction.
    pub const DUPLICATE_PARAGRAPH_CHARS: f64 = 0.20;
    /// Top 2-gram, 3-gram and 4-gram character fractions.
    pub const TOP_NGRAM_CHARS: [f64; 3] = [0.20, 0.18, 0.16];
    /// Duplicate 5-gram to 10-gram character fractions.
    pub const DUPLICATE_NGRAM_CHARS: [f64; 6] = [0.15, 0.14, 0.13, 0.12, 0.11, 0.10];
}

/// Quality of a document: Rae et al. 2021, section A.1.1, "Quality Filtering".
pub mod gopher_quality {
    /// "between 50 and 100,000 words": at least.
    pub const LEAST_WORDS: f64 = 50.0;
    /// The same: at most.
    pub const MOST_WORDS: f64 = 100_000.0;
    /// "mean word length is outside the range of 3 to 10 characters": at least.
    pub const LEAST_WORD_LENGTH: f64 = 3.0;
    /// The same: at most.
    pub const MOST_WORD_LENGTH: f64 = 10.0;
    /// "symbol-to-word ratio greater than 0.1 for either the hash symbol or the ellipsis": at most.
    pub const SYMBOLS: f64 = 0.1;
    /// "more than 90 % of lines starting with a bullet point": at most.
    pub const BULLET_LINES: f64 = 0.9;
    /// "more than 30 % ending with an ellipsis": at most.
    pub const ELLIPSIS_LINES: f64 = 0.3;
    /// "80 % of words in a document contain at least one alphabetic character": at least.
    pub const ALPHABETIC_WORDS: f64 = 0.8;
    /// "at least two of the following English words".
    pub const STOP_WORDS: f64 = 2.0;
    /// These words.
    pub const ENGLISH_STOP_WORDS: [&str; 8] = ["the", "be", "to", "of", "and", "that", "have", "with"];
}

/// Lines and documents: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
/// section 2.2.
pub mod c4 {
    /// "only retained lines that contained at least 3 words" (5 in the first version of the paper).
    pub const LEAST_LINE_WORDS: usize = 3;
    /// Longer words are none: in the code published with the paper.
    pub const MOST_LINE_WORD_LENGTH: usize = 1000;
    /// "discarded any page with fewer than 5 sentences" (3 in the first version).
    pub const LEAST_SENTENCES: f64 = 5.0;
    /// "removed any page where the phrase lorem ipsum appeared": lines with it, at most.
    pub const LOREM_IPSUM: f64 = 0.0;
    /// "removed any pages that contained a curly bracket": lines with one, at most.
    pub const CURLY_BRACKETS: f64 = 0.0;
}

/// Documents: Penedo et al. 2024, "The FineWeb Datasets", section 3.6.
pub mod fineweb_quality {
    /// Share of lines that end with a punctuation mark: at least.
    pub const SENTENCE_LINES: f64 = 0.12;
    /// Share of lines with at most 30 characters: at most.
    pub const SHORT_LINES: f64 = 0.67;
    /// Share of characters in duplicate lines: at most.
    pub const REPEATED_LINE_CHARS: f64 = 0.01;
    /// Line breaks per word: at most. It is in the code published with the paper.
    pub const LINE_BREAKS: f64 = 0.3;
}

/// What FineWeb-2 changes of these for all languages: Penedo et al. 2025, "FineWeb2", and the code published with it.
pub mod fineweb2 {
    /// Share of characters in duplicate lines: at most.
    pub const REPEATED_LINE_CHARS: f64 = 0.1;
    /// Stop words that are taken from the start of the list of a language, as many as Gopher has for English.
    pub const STOP_WORDS_OF_LANGUAGE: usize = 8;
}

/// The names of all presets.
pub const PRESETS: [&str; 7] =
    ["gopher-repetition", "gopher-quality", "gopher", "c4", "fineweb-quality", "fineweb", "fineweb2"];

/// The rules of a preset, in the order in which they are applied; `None` for an unknown name.
pub(super) fn preset(name: &str) -> Option<Vec<QualityRules>> {
    Some(match name {
        "gopher-repetition" => vec![repetition()],
        "gopher-quality" => vec![quality()],
        "gopher" => vec![repetition(), quality()],
        "c4" => vec![c4_rules()],
        "fineweb-quality" => vec![fineweb_rules()],
        // FineWeb does not ask for marks at the ends of lines.
        "fineweb" => {
            let c4 = c4_rules();
            let c4 = QualityRules { lines: LineRules { terminal: false, ..c4.lines }, ..c4 };
            vec![repetition(), quality(), c4, fineweb_rules()]
        }
        "fineweb2" => {
            let dropped = [M::DuplicateParagraphs, M::DuplicateParagraphChars, M::DuplicateLineChars, M::ShortLines];
            let mut sets = [repetition(), fineweb_rules(), quality()];
            for set in &mut sets {
                set.at_most.retain(|measure, _| !dropped.contains(measure));
            }
            sets[1].at_most.insert(M::RepeatedLineChars, fineweb2::REPEATED_LINE_CHARS);
            sets.into()
        }
        _ => return None,
    })
}

fn repetition() -> QualityRules {
    use gopher_repetition as limits;
    let [top_2, top_3, top_4] = limits::TOP_NGRAM_CHARS;
    let [five, six, seven, eight, nine, ten] = limits::DUPLICATE_NGRAM_CHARS;
    QualityRules::new("gopher-repetition").at_most([
        (M::DuplicateParagraphs, limits::DUPLICATE_PARAGRAPHS),
        (M::DuplicateParagraphChars, limits::DUPLICATE_PARAGRAPH_CHARS),
        (M::DuplicateLines, limits::DUPLICATE_LINES),
        (M::DuplicateLineChars, limits::DUPLICATE_LINE_CHARS),
        (M::Top2GramChars, top_2),
        (M::Top3GramChars, top_3),
        (M::Top4GramChars, top_4),
        (M::Duplicate5GramChars, five),
        (M::Duplicate6GramChars, six),
        (M::Duplicate7GramChars, seven),
        (M::Duplicate8GramChars, eight),
        (M::Duplicate9GramChars, nine),
        (M::Duplicate10GramChars, ten),
    ])
}

fn quality() -> QualityRules {
    use gopher_quality as limits;
    QualityRules::new("gopher-quality")
        .at_least([
            (M::Words, limits::LEAST_WORDS),
            (M::WordLength, limits::LEAST_WORD_LENGTH),
            (M::AlphabeticWords, limits::ALPHABETIC_WORDS),
            (M::StopWords, limits::STOP_WORDS),
        ])
        .at_most([
            (M::Words, limits::MOST_WORDS),
            (M::WordLength, limits::MOST_WORD_LENGTH),
            (M::Hashes, limits::SYMBOLS),
            (M::Ellipses, limits::SYMBOLS),
            (M::BulletLines, limits::BULLET_LINES),
            (M::EllipsisLines, limits::ELLIPSIS_LINES),
        ])
}

fn c4_rules() -> QualityRules {
    let rules = QualityRules::new("c4")
        .at_least([(M::Sentences, c4::LEAST_SENTENCES)])
        .at_most([(M::LoremIpsum, c4::LOREM_IPSUM), (M::CurlyBrackets, c4::CURLY_BRACKETS)]);
    let lines = LineRules {
        terminal: true,
        words: c4::LEAST_LINE_WORDS,
        word_length: c4::MOST_LINE_WORD_LENGTH,
        javascript: true,
        policy: true,
        citations: true,
    };
    QualityRules { lines, ..rules }
}

fn fineweb_rules() -> QualityRules {
    use fineweb_quality as limits;
    QualityRules::new("fineweb-quality").at_least([(M::SentenceLines, limits::SENTENCE_LINES)]).at_most([
        (M::ShortLines, limits::SHORT_LINES),
        (M::RepeatedLineChars, limits::REPEATED_LINE_CHARS),
        (M::LineBreaks, limits::LINE_BREAKS),
    ])
}
