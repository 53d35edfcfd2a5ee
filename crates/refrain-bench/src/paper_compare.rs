//! Reproduces the studies of the paper on Ferret: figures of the corpora, thresholds, and doctored news.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use refrain::Run;
use refrain::compare::{
    DocumentPair, Fingerprint, FingerprintCollection, FingerprintOptions, PairOptions, Side, WordRule, tokens,
};
use serde_json::Value;

#[derive(Args)]
pub(crate) struct Arguments {
    /// A folder with federalist.jsonl, news_bulletins.jsonl, news_doctored.jsonl and news_doctored_truth.json
    texts: PathBuf,
}

struct Written {
    id: String,
    author: String,
    text: String,
}

fn read(path: &Path) -> Result<Vec<Written>> {
    let lines = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let field = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    lines
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            let value: Value = serde_json::from_str(line)?;
            let id = value["id"].as_str().map_or_else(|| value["id"].to_string(), str::to_owned);
            Ok(Written { id, author: field(&value, "author"), text: field(&value, "text") })
        })
        .collect()
}

/// Words, different trigrams, and those that occur once.
fn figures(texts: &[Written], options: &FingerprintOptions) -> (usize, usize, usize) {
    let (mut words, mut counts) = (0, HashMap::new());
    for text in texts {
        let mut hashes = Vec::new();
        tokens(&text.text, options.rule, |token| hashes.push(token.hash));
        words += hashes.len();
        for gram in hashes.windows(options.ngram) {
            *counts.entry(gram.to_vec()).or_insert(0_u32) += 1;
        }
    }
    (words, counts.len(), counts.values().filter(|count| **count == 1).count())
}

/// All pairs, the most alike first.
fn pairs(texts: &[Written], options: &FingerprintOptions) -> Result<Vec<DocumentPair>> {
    let mut collection = FingerprintCollection::new(PairOptions {
        resemblance: 0.0,
        containment: 0.0,
        common: 1.0,
        ..PairOptions::default()
    });
    for text in texts {
        collection.add(Fingerprint::of(&text.text, options), Side::New)?;
    }
    Ok(collection.pairs(&Run::default().start()?)?.pairs)
}

/// The containment of some texts, spaced through a collection, in all others but these.
fn containments(texts: &[Written], count: usize, options: &FingerprintOptions) -> Vec<f64> {
    let step = texts.len() / count;
    let is_assessed = |number: usize| number % step == step / 2 && number / step < count;
    let mut rest: Vec<u64> = Vec::new();
    for (_, text) in texts.iter().enumerate().filter(|(number, _)| !is_assessed(*number)) {
        rest.extend_from_slice(Fingerprint::of(&text.text, options).grams());
    }
    rest.sort_unstable();
    let assessed = texts.iter().enumerate().filter(|(number, _)| is_assessed(*number));
    assessed
        .map(|(_, text)| {
            let own = Fingerprint::of(&text.text, options);
            own.grams().iter().filter(|gram| rest.binary_search(gram).is_ok()).count() as f64 / own.len().max(1) as f64
        })
        .collect()
}

fn range(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    format!("{least:.2} to {most:.2}")
}

/// Prints the studies compared with what was published.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let options = FingerprintOptions { rule: WordRule::Sentences, ngram: 3 };
    let mut report = String::from("                                        here        published\n");
    let mut line = |what: &str, here: String, published: &str| {
        let _ = writeln!(report, "{what:<34} {here:>14}   {published}");
    };
    let federalist = read(&arguments.texts.join("federalist.jsonl"))?;
    let papers: Vec<Written> = federalist.into_iter().filter(|text| text.author != "JAY").collect();
    let (words, distinct, once) = figures(&papers, &options);
    line("Federalist: papers not by Jay", papers.len().to_string(), "81");
    line("  words", words.to_string(), "183372");
    line("  different trigrams", distinct.to_string(), "135830");
    line("  trigrams that occur once", once.to_string(), "118842");
    let highest = pairs(&papers, &options)?.first().map_or(0.0, |pair| pair.scores.resemblance);
    line("  highest R", format!("{highest:.4}"), "0.03");
    line("  C of nine spaced papers", range(&containments(&papers, 9, &options)), "0.23 to 0.37");

    let mut news = read(&arguments.texts.join("news_bulletins.jsonl"))?;
    let (words, distinct, once) = figures(&news, &options);
    line("News: bulletins", news.len().to_string(), "335");
    line("  words", words.to_string(), "985316 (other news)");
    line("  different trigrams", distinct.to_string(), "718953");
    line("  trigrams that occur once", format!("{} %", 100 * once / distinct.max(1)), "85 %");
    let path = arguments.texts.join("news_doctored_truth.json");
    let truth: Value = serde_json::from_str(&fs::read_to_string(&path).with_context(|| path.display().to_string())?)?;
    let before = pairs(&news, &options)?;
    line(
        "  highest R of the originals",
        format!("{:.3}", before.first().map_or(0.0, |p| p.scores.resemblance)),
        "0.16",
    );
    let doctored: HashMap<String, String> =
        read(&arguments.texts.join("news_doctored.jsonl"))?.into_iter().map(|text| (text.id, text.text)).collect();
    for text in &mut news {
        if let Some(other) = doctored.get(&text.id) {
            text.text.clone_from(other);
        }
    }
    let planted = planted(&truth);
    ensure!(!planted.is_empty(), "{}: no bulletin and its source found", path.display());
    let found = pairs(&news, &options)?;
    let is_planted = |pair: &DocumentPair| {
        let (a, b) = (news[pair.a].id.as_str(), news[pair.b].id.as_str());
        planted.iter().any(|(one, other)| (one == a && other == b) || (one == b && other == a))
    };
    let first = found.iter().take(planted.len()).filter(|pair| is_planted(pair)).count();
    let lowest = found.iter().filter(|pair| is_planted(pair)).map(|pair| pair.scores.resemblance);
    line("  doctored pairs among the first", format!("{first} of {}", planted.len()), "10 of 10");
    line("  lowest R of these", format!("{:.3}", lowest.fold(1.0, f64::min)), "over 0.30");
    io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

/// The doctored bulletins and their sources.
fn planted(truth: &Value) -> Vec<(String, String)> {
    let text = |entry: &Value, name: &str| entry[name].as_str().map(str::to_owned);
    let pair = |entry: &Value| Some((text(entry, "host")?, text(entry, "donor")?));
    truth.as_array().into_iter().flatten().filter_map(pair).collect()
}
