//! Stop lists: of each language, the most frequent words that together make up half of text they were not counted in.
//!
//! The published thresholds of jusText (0.30 and 0.32 of the words) suppose lists of about this reach. Words are counted
//! as jusText looks them up: between white space, in lower case; only those made of letters are listed.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use refrain::Document;

/// The share of running text that a list covers.
const REACH: f64 = 0.5;

/// No list is longer. Languages that build their words need more words than any sample has.
const LONGEST: usize = 10_000;

/// A list that reaches less far into unseen text is not used. The lower threshold is 0.30 of the words of a block; at a
/// mean of 0.4, one block of forty words in ten falls below it by chance.
const SHORTEST_REACH: f64 = 0.4;

pub(crate) fn build(texts: &Path, output: &Path) -> Result<()> {
    let mut folders: Vec<_> = fs::read_dir(texts)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| texts.display().to_string())?;
    folders.sort();
    let mut lists = String::from(
        "# Stop lists: language, tab, its most frequent words. Built by `make stoplists`; see CONTRIBUTING.md.\n",
    );
    for folder in folders {
        let Some(code) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        let Ok(sample) = fs::read_to_string(folder.join("sample.txt")) else { continue };
        let more = fs::read_to_string(folder.join("more.txt")).unwrap_or_default();
        let Some((words, reach)) = stop_words(&in_language(&sample, code), &in_language(&more, code)) else {
            tell(&format!("{code}: no spaces between words, no list"));
            continue;
        };
        let used = reach >= SHORTEST_REACH;
        let verdict = if used { "" } else { ", too little for a list" };
        tell(&format!("{code}: {} words, {:.1} % of unseen text{verdict}", words.len(), 100.0 * reach));
        if used {
            let _ = writeln!(lists, "{code}\t{}", words.join(" "));
        }
    }
    fs::write(output, lists).with_context(|| output.display().to_string())
}

/// The lines of a text that are not plainly English (translations are rarely complete).
fn in_language(text: &str, code: &str) -> String {
    let foreign = |line: &str| {
        let found = refrain::decode::detect_language(&Document::from_text("line", line));
        found.is_some_and(|language| language.reliable && language.code == "en")
    };
    if code == "en" {
        return text.to_owned();
    }
    text.lines().filter(|line| !foreign(line)).collect::<Vec<_>>().join("\n")
}

/// The stop words of a language, most frequent first, and their share of text that they were not counted in. None for
/// scripts without spaces.
fn stop_words(sample: &str, more: &str) -> Option<(Vec<String>, f64)> {
    let total = sample.split_whitespace().count();
    if total == 0 || sample.chars().count() / total >= 11 {
        return None;
    }
    let more = Counts::of(more);
    // Each half of the sample says how long a list must be that was made without it.
    let (mut length, mut reach) = (0, 0.0);
    for half in 0..2 {
        let lines = |which: usize| sample.lines().skip(which).step_by(2).collect::<Vec<_>>().join("\n");
        let ranked = Counts::of(&lines(half)).with(&more).ranked();
        let (words, reached) = length_for(&ranked, &lines(1 - half));
        length += words;
        reach += reached / 2.0;
    }
    let mut ranked = Counts::of(sample).with(&more).ranked();
    ranked.truncate(length / 2);
    Some((ranked, reach))
}

/// How many of the ranked words it takes to reach far enough into a text, and how far they reach. Where all of them are
/// too few, as many as a list may have.
fn length_for(ranked: &[String], text: &str) -> (usize, f64) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut total = 0_usize;
    for word in text.split_whitespace() {
        *counts.entry(word.to_lowercase()).or_default() += 1;
        total += 1;
    }
    let mut covered = 0;
    for (i, word) in ranked.iter().take(LONGEST).enumerate() {
        covered += counts.get(word).copied().unwrap_or_default();
        if covered as f64 >= REACH * total as f64 {
            return (i + 1, REACH);
        }
    }
    (LONGEST, covered as f64 / total.max(1) as f64)
}

/// The words of a text.
#[derive(Default)]
struct Counts {
    counts: HashMap<String, usize>,
    /// Those seen in lower case. Words that never are, are names.
    lower: HashSet<String>,
}

impl Counts {
    fn of(text: &str) -> Counts {
        let mut counts = Counts::default();
        for word in text.split_whitespace().filter(|word| word.chars().all(is_letter)) {
            let lower = word.to_lowercase();
            if lower == word {
                counts.lower.insert(lower.clone());
            }
            *counts.counts.entry(lower).or_default() += 1;
        }
        counts
    }

    fn with(mut self, other: &Counts) -> Counts {
        for (word, count) in &other.counts {
            *self.counts.entry(word.clone()).or_default() += count;
        }
        self.lower.extend(other.lower.iter().cloned());
        self
    }

    /// Words, most frequent first.
    fn ranked(self) -> Vec<String> {
        let mut words: Vec<_> = self.counts.into_iter().filter(|(word, _)| self.lower.contains(word)).collect();
        words.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        words.into_iter().map(|(word, _)| word).collect()
    }
}

/// Letters, and what stands inside words between them: joiners, and the signs of Indic scripts that join letters or mark
/// them (at the same two places of each script's table).
fn is_letter(c: char) -> bool {
    let indic = ('\u{900}'..'\u{e00}').contains(&c) && matches!(u32::from(c) & 0x7f, 0x3c | 0x4d);
    c.is_alphabetic() || indic || matches!(c, '\u{200c}' | '\u{200d}')
}

#[allow(clippy::print_stderr)] // a tool for builders, on their terminal
fn tell(message: &str) {
    eprintln!("{message}");
}
