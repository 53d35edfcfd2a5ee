//! Stop lists: of each language, the most frequent words that together make up half of its running text.
//!
//! The published thresholds of jusText (0.30 and 0.32 of the words) suppose lists of about this reach. Words are counted
//! as jusText looks them up: between white space, in lower case; only those made of letters are listed. Words seen once
//! are chance.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use refrain::Document;

/// The share of running text that a list covers.
const REACH: f64 = 0.5;

pub(crate) fn build(texts: &Path, files: &[String], output: &Path) -> Result<()> {
    let mut languages = Vec::new();
    for entry in fs::read_dir(texts).with_context(|| texts.display().to_string())? {
        let path = entry?.path();
        let Some(code) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if let Some(text) = files.iter().find_map(|file| fs::read_to_string(path.join(file)).ok()) {
            languages.push((code.to_owned(), in_language(&text, code)));
        }
    }
    languages.sort();
    let mut lists = String::from(
        "# Stop lists: language, tab, its most frequent words. Built by `make stoplists`; see CONTRIBUTING.md.\n",
    );
    for (code, text) in &languages {
        match stop_words(text) {
            Some(words) => {
                let _ = writeln!(lists, "{code}\t{}", words.join(" "));
            }
            None => tell(&format!("{code}: no spaces between words, no list")),
        }
    }
    fs::write(output, lists).with_context(|| output.display().to_string())
}

/// The lines of a text that are not plainly in another language (translations are rarely complete).
fn in_language(text: &str, code: &str) -> String {
    let foreign = |line: &str| {
        let found = refrain::decode::detect_language(&Document::from_text("line", line));
        found.is_some_and(|language| language.reliable && language.code != code)
    };
    text.lines().filter(|line| !foreign(line)).collect::<Vec<_>>().join("\n")
}

/// The stop words of a text, most frequent first; none for scripts without spaces. Words that never appear in lower case
/// are names.
fn stop_words(text: &str) -> Option<Vec<&str>> {
    let total = text.split_whitespace().count();
    if total == 0 || text.chars().count() / total >= 11 {
        return None;
    }
    let mut counts: HashMap<String, (usize, Option<&str>)> = HashMap::new();
    for word in text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)) {
        let lower = word.to_lowercase();
        let is_lower = lower == word;
        let entry = counts.entry(lower).or_default();
        entry.0 += 1;
        if is_lower && entry.1.is_none() {
            entry.1 = Some(word);
        }
    }
    let mut words: Vec<(usize, &str)> = counts.values().filter_map(|&(n, word)| word.map(|word| (n, word))).collect();
    words.sort_by_key(|&(n, word)| (std::cmp::Reverse(n), word));
    let mut covered = 0;
    let list = words.into_iter().take_while(|&(n, _)| {
        let wanted = n > 1 && (covered as f64) < REACH * total as f64;
        covered += n;
        wanted
    });
    Some(list.map(|(_, word)| word).collect())
}

#[allow(clippy::print_stderr)] // a tool for builders, on their terminal
fn tell(message: &str) {
    eprintln!("{message}");
}
