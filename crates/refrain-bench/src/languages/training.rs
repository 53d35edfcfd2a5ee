//! Builds the language models.

use std::collections::HashMap;

use refrain::decode::training::{
    FALL_BACK, Gram, Key, ORDER, STEP, TONES_APART, order, pack, pack_published, symbols, with_tones_apart,
};
use refrain::decode::{CharedModel, encodings_of};

/// A language to train: its code, what it costs beforehand, and lines of text.
pub(crate) struct TrainingText {
    /// ISO 639-1 code, or that of Vietnamese with its tone marks apart.
    pub(crate) code: String,
    /// In sixteenths of a nat.
    pub(crate) prior: u8,
    /// Sentences or paragraphs.
    pub(crate) lines: Vec<String>,
}

impl TrainingText {
    /// Vietnamese as windows-1258 writes it.
    pub(crate) fn with_tones_apart(lines: &[String]) -> TrainingText {
        let lines = lines.iter().map(|line| with_tones_apart(line)).collect();
        TrainingText { code: TONES_APART.to_owned(), prior: 0, lines }
    }
}

/// Rarer n-grams are dropped.
const LEAST: u32 = 3;

/// The letters that there may be, for the probability of those never seen.
const LETTERS: f64 = 3000.0;

/// Trains the published models of languages with their common encodings and UTF-8, and packs them. Languages whose text
/// an encoding cannot express are returned with the reason.
pub(crate) fn train_published(texts: &[(String, String)]) -> std::io::Result<(Vec<u8>, Vec<String>)> {
    let (mut models, mut refused) = (Vec::new(), Vec::new());
    for (code, text) in texts {
        let text = if code == "vi" { with_tones_apart(text) } else { text.clone() };
        // Rare encodings that cannot express the language are dropped one by one.
        let mut encodings = vec!["UTF-8"];
        for encoding in encodings_of(code) {
            encodings.push(encoding);
            if let Err(error) = CharedModel::train(&text, &encodings) {
                refused.push(format!("{code}: {error}"));
                encodings.pop();
            }
        }
        if encodings.len() > 1
            && let Ok(model) = CharedModel::train(&text, &encodings)
        {
            models.push((code.clone(), model));
        }
    }
    Ok((pack_published(&models)?, refused))
}

/// Trains the models of groups of languages, with `keep` n-grams per language, and packs them.
pub(crate) fn train(groups: &[(&str, Vec<TrainingText>)], keep: usize) -> std::io::Result<Vec<u8>> {
    let groups: Vec<_> = groups
        .iter()
        .map(|(name, texts)| {
            let languages = texts.iter().map(|text| (text.code.clone(), text.prior)).collect();
            ((*name).to_owned(), languages, grams_of_all(texts, keep))
        })
        .collect();
    pack(&groups)
}

/// The n-grams of all languages of a group, shorter ones first.
fn grams_of_all(texts: &[TrainingText], keep: usize) -> Vec<Gram> {
    let mut all: HashMap<Key, Vec<(u8, u8)>> = HashMap::new();
    for (language, text) in texts.iter().enumerate() {
        for (key, cost) in grams(&text.lines, keep) {
            all.entry(key).or_default().push((language as u8, cost));
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(key, _)| (order(*key), *key));
    all
}

/// The n-grams of a language that say most, with their costs.
fn grams(lines: &[String], keep: usize) -> Vec<(Key, u8)> {
    let counts = count(lines);
    // How often each n-gram continues, and with how many different letters.
    let mut contexts: HashMap<Key, (f64, f64)> = HashMap::new();
    for (key, count) in &counts {
        let context = contexts.entry(key >> 16).or_default();
        context.0 += f64::from(*count);
        context.1 += 1.0;
    }
    let mut grams: Vec<(f64, Key, u8)> = Vec::new();
    for (&key, &count) in counts.iter().filter(|(_, count)| **count >= LEAST) {
        let (probability, shorter) = probability(key, &counts, &contexts);
        let steps = -probability.ln() as f32 * STEP;
        #[allow(clippy::cast_sign_loss)] // probabilities are below 1
        let cost = steps.round().clamp(0.0, 255.0) as u8;
        let gain = match order(key) {
            1 => f64::MAX,
            _ => f64::from(count) * ((probability / shorter).ln() + f64::from(FALL_BACK) / f64::from(STEP)).abs(),
        };
        grams.push((gain, key, cost));
    }
    grams.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    grams.truncate(keep);
    grams.into_iter().map(|(_, key, cost)| (key, cost)).collect()
}

fn count(lines: &[String]) -> HashMap<Key, u32> {
    let mut counts = HashMap::new();
    for line in lines {
        let mut window: Key = 0;
        let spaced = format!(" {line} ");
        for (i, symbol) in symbols(&spaced).enumerate() {
            window = window << 16 | Key::from(symbol);
            for length in 1..=ORDER.min(i + 1) {
                *counts.entry(window & (Key::MAX >> (16 * (ORDER - length)))).or_default() += 1;
            }
        }
    }
    counts
}

/// The probability of the last letter of an n-gram given the others, and given all but the first (Witten-Bell
/// smoothing).
fn probability(key: Key, counts: &HashMap<Key, u32>, contexts: &HashMap<Key, (f64, f64)>) -> (f64, f64) {
    let (mut probability, mut shorter) = (1.0 / LETTERS, 1.0 / LETTERS);
    for length in 1..=order(key) {
        let gram = key & (Key::MAX >> (16 * (ORDER - length)));
        let Some((total, distinct)) = contexts.get(&(gram >> 16)) else { break };
        let count = f64::from(counts.get(&gram).copied().unwrap_or_default());
        shorter = probability;
        probability = (count + distinct * probability) / (total + distinct);
    }
    (probability, shorter)
}
