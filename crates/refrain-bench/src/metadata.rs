//! Measures how often the metadata found in pages match human annotations.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use refrain::extract::{Metadata, segment};
use serde_json::{Value, json};

/// Compares the pages of a JSONL file with their own fields `title`, `author` and `date`, and prints shares as JSON.
pub(crate) fn score(pages: &Path, misses: bool) -> Result<()> {
    let mut scores = [("title", Score::default()), ("author", Score::default()), ("date", Score::default())];
    let mut seconds = 0.0;
    for line in BufReader::new(File::open(pages)?).lines() {
        let page: Value = serde_json::from_str(&line?).context("a line is no JSON")?;
        let Some(html) = page["html"].as_str() else { continue };
        let segmented = segment(html);
        let start = Instant::now();
        let found = Metadata::of(html, &segmented, page["url"].as_str());
        seconds += start.elapsed().as_secs_f64();
        let found = [found.title, found.author, found.date];
        for ((field, score), found) in scores.iter_mut().zip(found) {
            let noted = page[*field].as_str().filter(|noted| !noted.is_empty());
            let both = noted.zip(found.as_deref());
            let right = both.is_some_and(|(noted, found)| same(field, noted, found));
            score.noted += u32::from(noted.is_some());
            score.right += u32::from(right);
            score.near += u32::from(right || both.is_some_and(|(noted, found)| near(noted, found)));
            score.absent += u32::from(noted.is_some() && found.is_none());
            score.beyond += u32::from(noted.is_none() && found.is_some());
            if misses && noted.is_some() && !right {
                print(&json!({ "id": page["id"], "field": *field, "noted": noted, "found": found }));
            }
        }
    }
    for (field, score) in scores {
        print(&score.report(field));
    }
    print(&json!({ "seconds": seconds }));
    Ok(())
}

/// Counts of one field.
#[derive(Debug, Default)]
struct Score {
    noted: u32,
    right: u32,
    near: u32,
    absent: u32,
    beyond: u32,
}

impl Score {
    fn report(&self, field: &str) -> Value {
        json!({
            "field": field,
            "noted": self.noted,
            "right": self.right,
            "share": f64::from(self.right) / f64::from(self.noted.max(1)),
            "right_or_part": f64::from(self.near) / f64::from(self.noted.max(1)),
            "not_found": self.absent,
            "found_but_not_noted": self.beyond,
        })
    }
}

/// True when two values say the same: dates by the day, authors in any order, titles by their words.
fn same(field: &str, noted: &str, found: &str) -> bool {
    match field {
        "date" => noted.get(..10) == found.get(..10),
        "author" => authors(noted) == authors(found),
        _ => words(noted) == words(found),
    }
}

/// True when one value is a part of the other: a title with more or less around it.
fn near(noted: &str, found: &str) -> bool {
    let (noted, found) = (words(noted).join(" "), words(found).join(" "));
    noted.contains(&found) || found.contains(&noted)
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(Into::into).collect()
}

fn authors(text: &str) -> BTreeSet<String> {
    words(text).into_iter().filter(|word| word != "and").collect()
}

#[allow(clippy::print_stdout)] // the result of this command
fn print(value: &Value) {
    println!("{value}");
}
