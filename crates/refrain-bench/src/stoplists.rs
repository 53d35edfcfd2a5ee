//! Builds stop lists: for each language, the words that are frequent in texts of all kinds, as many as make up more
//! than half of unseen text.
//!
//! The published thresholds of jusText (0.30 and 0.32 of the words) suppose lists of about this reach. Words are counted
//! as jusText looks them up: between white space, in lower case; only those made of letters are listed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The share of running text that a list covers.
const REACH: f64 = 0.57;

/// No list is longer: further words are those of some subject.
const LONGEST: usize = 4_000;

/// A list that reaches less far into unseen text is not used. The lower threshold is 0.30 of the words of a block; at a
/// mean of 0.4, one block of forty words in ten falls below it by chance.
const SHORTEST_REACH: f64 = 0.4;

/// With less text, in bytes, there is no telling which words are frequent.
const LEAST_TEXT: usize = 100_000;

/// One line of so many is set aside to see how far a list reaches.
const SET_ASIDE: usize = 10;

/// Running text. What programs say is text of its own kind: its words count less, and it does not say how long a list is.
const PROSE: [&str; 5] = ["news", "udhr", "stories", "games", "fortunes"];

/// The weight of a word of other text.
const OTHER_WEIGHT: f64 = 0.25;

pub(crate) fn build(texts: &Path, output: &Path) -> Result<()> {
    let mut lists = String::from(
        "# Stop lists: language, tab, its most frequent words. Built by `make stoplists`; see CONTRIBUTING.md.\n",
    );
    for folder in entries(texts)? {
        let Some(code) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let sources = entries(&folder)?.iter().map(|path| Source::read(path)).collect::<Result<Vec<_>>>()?;
        if sources.iter().map(|source| source.bytes).sum::<usize>() < LEAST_TEXT {
            crate::print_message(&format!("{code}: too little text"));
            continue;
        }
        let Some((words, reach)) = of_all_variants(&sources) else {
            crate::print_message(&format!("{code}: no spaces between words, no list"));
            continue;
        };
        let used = reach >= SHORTEST_REACH;
        let verdict = if used { "" } else { ", too little for a list" };
        crate::print_message(&format!("{code}: {} words, {:.1} % of unseen text{verdict}", words.len(), 100.0 * reach));
        if used {
            let _ = writeln!(lists, "{code}\t{}", words.join(" "));
        }
    }
    fs::write(output, lists).with_context(|| output.display().to_string())
}

/// What is in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| folder.display().to_string())?;
    paths.sort();
    Ok(paths)
}

/// A text in a language.
struct Source {
    /// Script or written form, where a language has several.
    variant: String,
    is_prose: bool,
    bytes: usize,
    chars: usize,
    total: usize,
    counts: HashMap<String, usize>,
    /// Words seen in lower case. Those that never are, are names.
    lower: HashSet<String>,
    /// The words of the lines that were set aside.
    aside: Vec<String>,
}

impl Source {
    fn read(path: &Path) -> Result<Source> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut source = Source {
            variant: name.split_once('-').map_or("", |(_, variant)| variant).to_owned(),
            is_prose: PROSE.iter().any(|genre| name.starts_with(genre)),
            bytes: text.len(),
            chars: text.chars().count(),
            total: 0,
            counts: HashMap::new(),
            lower: HashSet::new(),
            aside: Vec::new(),
        };
        for (i, line) in text.lines().enumerate() {
            for word in line.split_whitespace() {
                let lower = word.to_lowercase();
                if i % SET_ASIDE == 0 {
                    source.aside.push(lower);
                    continue;
                }
                source.total += 1;
                if word.chars().all(is_letter) {
                    if lower == word {
                        source.lower.insert(lower.clone());
                    }
                    *source.counts.entry(lower).or_default() += 1;
                }
            }
        }
        Ok(source)
    }
}

/// The stop words of a language: those of its variants one after the other, and how far they reach on average.
fn of_all_variants(sources: &[Source]) -> Option<(Vec<String>, f64)> {
    let variants: BTreeSet<&str> = sources.iter().map(|source| source.variant.as_str()).collect();
    let (mut all, mut seen, mut reach) = (Vec::new(), HashSet::new(), 0.0);
    for variant in &variants {
        let (words, own) = stop_words(&sources.iter().filter(|source| source.variant == *variant).collect::<Vec<_>>())?;
        reach += own / variants.len() as f64;
        all.extend(words.into_iter().filter(|word| seen.insert(word.clone())));
    }
    Some((all, reach))
}

/// The stop words of a variant, most frequent first, and their share of text that they were not counted in. None for
/// scripts without spaces.
fn stop_words(sources: &[&Source]) -> Option<(Vec<String>, f64)> {
    let (chars, words) =
        sources.iter().fold((0, 0), |sum, source| (sum.0 + source.chars, sum.1 + source.total + source.aside.len()));
    if words == 0 || chars / words >= 11 {
        return None;
    }
    let mut ranked = ranked(sources);
    let any_prose = sources.iter().any(|source| source.is_prose);
    let unseen: Vec<&[String]> =
        sources.iter().filter(|source| source.is_prose || !any_prose).map(|source| &source.aside[..]).collect();
    let (length, reach) = length_for(&ranked, &unseen);
    ranked.truncate(length);
    Some((ranked, reach))
}

/// Words of at least a third of the texts, by the mean of the roots of their shares: those that are frequent everywhere
/// come before those that are very frequent somewhere.
fn ranked(sources: &[&Source]) -> Vec<String> {
    let mut scores: HashMap<&str, (f64, usize)> = HashMap::new();
    for source in sources.iter().filter(|source| source.total > 0) {
        for (word, count) in &source.counts {
            let score = scores.entry(word).or_default();
            let weight = if source.is_prose { 1.0 } else { OTHER_WEIGHT };
            score.0 += weight * (*count as f64 / source.total as f64).sqrt();
            score.1 += 1;
        }
    }
    let enough = (sources.len() / 3).max(sources.len().min(2));
    let is_word = |word: &str| sources.iter().any(|source| source.lower.contains(word));
    let mut words: Vec<_> = scores.into_iter().filter(|(word, (_, seen))| *seen >= enough && is_word(word)).collect();
    words.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(b.0)));
    words.into_iter().map(|(word, _)| word.to_owned()).collect()
}

/// How many of the ranked words it takes to reach far enough into texts, on their average, and how far they reach. Where
/// all of them are too few, as many as a list may have.
fn length_for(ranked: &[String], texts: &[&[String]]) -> (usize, f64) {
    let mut shares: HashMap<&str, f64> = HashMap::new();
    let texts: Vec<_> = texts.iter().filter(|text| !text.is_empty()).collect();
    for text in &texts {
        for word in **text {
            *shares.entry(word).or_default() += 1.0 / (text.len() * texts.len()) as f64;
        }
    }
    let mut reach = 0.0;
    for (i, word) in ranked.iter().take(LONGEST).enumerate() {
        reach += shares.get(word.as_str()).copied().unwrap_or_default();
        if reach >= REACH {
            return (i + 1, reach);
        }
    }
    (ranked.len().min(LONGEST), reach)
}

/// Letters, and the signs inside words between them: joiners, and the signs of Indic scripts that join or mark letters
/// (at the same two positions of each script's table).
fn is_letter(c: char) -> bool {
    let indic = ('\u{900}'..'\u{e00}').contains(&c) && matches!(u32::from(c) & 0x7f, 0x3c | 0x4d);
    c.is_alphabetic() || indic || matches!(c, '\u{200c}' | '\u{200d}')
}
