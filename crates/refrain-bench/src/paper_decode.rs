//! Reproduces Table 1 of the chared paper: how often the encoding of a document is detected, in a five-fold
//! cross-validation.
//!
//! The publication used web pages in the encodings that they declared. Here a document is a block of sentences, converted
//! to every encoding. See docs/algorithms/chared.md.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use refrain::decode::{CharedEncoding, CharedModel, TrainError};

/// Parts of the cross-validation.
const FOLDS: usize = 5;

/// A document is so many bytes of UTF-8, and at most a sentence more.
const DOCUMENT: usize = 2_000;

/// Less than this at the end of a file is no document.
const LEAST_DOCUMENT: usize = 1_200;

/// A language of the published table.
struct Published {
    code: &'static str,
    name: &'static str,
    /// Label, share of the pages and accuracy, both in percent; the most common encoding first.
    encodings: &'static [(&'static str, f64, f64)],
    /// The weighted average of the accuracies, in percent.
    average: f64,
}

/// The encodings with an accuracy in Table 1: those of more than 0.5 % of the pages.
const TABLE: [Published; 6] = [
    Published {
        code: "cs",
        name: "Czech",
        encodings: &[
            ("utf-8", 60.2, 100.0),
            ("windows-1250", 32.2, 100.0),
            ("iso-8859-2", 6.0, 99.6),
            ("iso-8859-1", 1.0, 89.5),
        ],
        average: 99.2,
    },
    Published {
        code: "en",
        name: "English",
        encodings: &[("utf-8", 56.9, 95.8), ("iso-8859-1", 32.8, 90.9), ("windows-1252", 9.4, 97.5)],
        average: 93.5,
    },
    Published {
        code: "de",
        name: "German",
        encodings: &[
            ("utf-8", 54.6, 100.0),
            ("iso-8859-1", 37.1, 85.8),
            ("windows-1252", 6.5, 97.3),
            ("iso-8859-15", 1.2, 85.6),
        ],
        average: 93.7,
    },
    Published {
        code: "el",
        name: "Greek",
        encodings: &[
            ("utf-8", 68.5, 100.0),
            ("windows-1253", 14.3, 99.3),
            ("iso-8859-7", 12.0, 97.2),
            ("windows-1252", 3.1, 75.8),
            ("iso-8859-1", 1.7, 71.2),
        ],
        average: 97.9,
    },
    Published {
        code: "it",
        name: "Italian",
        encodings: &[("utf-8", 54.2, 100.0), ("iso-8859-1", 37.9, 85.1), ("windows-1252", 7.1, 95.7)],
        average: 93.3,
    },
    Published {
        code: "no",
        name: "Norwegian",
        encodings: &[("utf-8", 63.0, 100.0), ("iso-8859-1", 29.3, 88.2), ("windows-1252", 7.0, 97.4)],
        average: 95.7,
    },
];

/// Prints the table for a folder of language folders with text files in them.
pub(crate) fn run(texts: &Path) -> Result<()> {
    let there: Vec<_> = TABLE.iter().filter(|language| texts.join(language.code).is_dir()).collect();
    if there.is_empty() {
        bail!("{}: no folder named cs, en, de, el, it or no, with text files in it", texts.display());
    }
    print("| language | encoding | share | documents | accuracy | or tied | same text | published |");
    print("|---|---|---|---|---|---|---|---|");
    for language in &TABLE {
        if there.iter().any(|found| found.code == language.code) {
            validate(language, &texts.join(language.code))?;
        } else {
            print(&format!("| {} | no texts | | | | | | {:.1} |", language.name, language.average));
        }
    }
    Ok(())
}

/// Prints the rows of a language.
fn validate(language: &Published, folder: &Path) -> Result<()> {
    let documents = documents(folder)?;
    if documents.len() < FOLDS {
        bail!("{}: {} documents of {DOCUMENT} bytes are too few", folder.display(), documents.len());
    }
    let labels = expressible(language, &documents)?;
    let encodings: Vec<_> = labels.iter().filter_map(|label| CharedEncoding::for_label(label)).collect();
    let mut scores = vec![Score::default(); labels.len()];
    for fold in 0..FOLDS {
        let is_test = |i: usize| i % FOLDS == fold;
        let training: String =
            documents.iter().enumerate().filter(|(i, _)| !is_test(*i)).map(|(_, document)| document.as_str()).collect();
        let model = CharedModel::train(&training, &labels).with_context(|| folder.display().to_string())?;
        for (_, document) in documents.iter().enumerate().filter(|(i, _)| is_test(*i)) {
            let document = without_what_does_not_fit(document, &encodings);
            for (encoding, score) in encodings.iter().zip(&mut scores) {
                score.add(&model, *encoding, &document);
            }
        }
    }
    report(language, &labels, &scores);
    Ok(())
}

/// The encodings of a language without those that cannot express its texts.
fn expressible(language: &Published, documents: &[String]) -> Result<Vec<&'static str>> {
    let text = documents.concat();
    let mut labels: Vec<_> = language.encodings.iter().map(|(label, ..)| *label).collect();
    loop {
        match CharedModel::train(&text, &labels) {
            Ok(_) => return Ok(labels),
            Err(error @ TrainError::CannotExpress { .. }) => {
                crate::print_message(&format!("{}: {error}", language.name));
                let TrainError::CannotExpress { encoding, .. } = error else { continue };
                labels.retain(|label| CharedEncoding::for_label(label).is_some_and(|known| known.name() != encoding));
            }
            Err(error) => return Err(error).context(language.name),
        }
    }
}

fn without_what_does_not_fit(document: &str, encodings: &[CharedEncoding]) -> String {
    let fits = |sentence: &&str| encodings.iter().all(|encoding| encoding.encode(sentence).is_ok());
    document.split_inclusive('\n').filter(fits).collect()
}

/// Counts of one encoding.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    documents: u32,
    right: u32,
    tied: u32,
    same_text: u32,
}

impl Score {
    /// Counts a document, unless all of its bytes are ASCII.
    fn add(&mut self, model: &CharedModel, encoding: CharedEncoding, document: &str) {
        let Ok(bytes) = encoding.encode(document) else { return };
        if bytes.is_ascii() {
            return;
        }
        let best = model.best(&bytes);
        let answer = best.first().and_then(|name| CharedEncoding::for_label(name));
        self.documents += 1;
        self.right += u32::from(answer == Some(encoding));
        self.tied += u32::from(best.contains(&encoding.name()));
        self.same_text += u32::from(answer.is_some_and(|answer| answer.decode(&bytes) == encoding.decode(&bytes)));
    }

    /// Accuracy, accuracy with ties, and share of documents with the same text, in percent.
    fn shares(&self) -> [f64; 3] {
        [self.right, self.tied, self.same_text].map(|n| 100.0 * f64::from(n) / f64::from(self.documents.max(1)))
    }
}

/// The average is weighted as published: by the shares of all pages, so that pages in other encodings count as missed.
fn report(language: &Published, labels: &[&str], scores: &[Score]) {
    let mut averages = [0.0; 3];
    let (mut published, mut covered, mut judged) = (0.0, 0.0, 0);
    for (label, share, accuracy) in language.encodings {
        let Some(nth) = labels.iter().position(|known| known == label) else {
            print(&format!("| {} | {label} | {share:.1} | | not expressible | | | {accuracy:.1} |", language.name));
            continue;
        };
        if scores[nth].documents == 0 {
            print(&format!("| {} | {label} | {share:.1} | 0 | n/a | | | {accuracy:.1} |", language.name));
            continue;
        }
        let shares = scores[nth].shares();
        judged += 1;
        averages.iter_mut().zip(shares).for_each(|(average, accuracy)| *average += share * accuracy / 100.0);
        published += share * accuracy / 100.0;
        covered += share;
        let documents = scores[nth].documents;
        print(&format!(
            "| {} | {label} | {share:.1} | {documents} | {} | {accuracy:.1} |",
            language.name,
            cells(shares)
        ));
    }
    let whole = if judged == language.encodings.len() {
        format!("{:.1}", language.average)
    } else {
        format!("{:.1}; of these encodings {published:.1}", language.average)
    };
    print(&format!("| **{}** | weighted average | {covered:.1} | | {} | {whole} |", language.name, cells(averages)));
}

fn cells(shares: [f64; 3]) -> String {
    shares.map(|share| format!("{share:.1}")).join(" | ")
}

/// Blocks of sentences, a sentence a line, none of which is there twice.
fn documents(folder: &Path) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut documents = Vec::new();
    for path in text_files(folder)? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let mut document = String::new();
        for sentence in text.lines().map(str::trim).filter(|sentence| !sentence.is_empty()) {
            if !seen.insert(sentence.to_owned()) {
                continue;
            }
            document.push_str(sentence);
            document.push('\n');
            if document.len() >= DOCUMENT {
                documents.push(std::mem::take(&mut document));
            }
        }
        if document.len() >= LEAST_DOCUMENT {
            documents.push(document);
        }
    }
    Ok(documents)
}

fn text_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    Ok(paths)
}

#[allow(clippy::print_stdout)] // the result of this command
fn print(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_averages_are_sums_over_all_pages() {
        for language in &TABLE {
            let sum: f64 = language.encodings.iter().map(|(_, share, accuracy)| share * accuracy / 100.0).sum();
            assert!((sum - language.average).abs() < 0.1, "{}: {sum}", language.name);
        }
    }

    #[test]
    fn documents_whose_bytes_are_ascii_do_not_count() {
        let text = "Příliš žluťoučký kůň úpěl ďábelské ódy\n".repeat(300);
        let model = CharedModel::train(&text, &["utf-8", "windows-1250"]).expect("a model");
        let utf8 = CharedEncoding::for_label("utf-8").expect("a label");
        let mut score = Score::default();
        score.add(&model, utf8, "plain words\n");
        assert_eq!(score.documents, 0);
        score.add(&model, utf8, "žluťoučký kůň\n");
        assert_eq!((score.documents, score.shares()), (1, [100.0; 3]));
    }
}
