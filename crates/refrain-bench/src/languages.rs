//! The models of languages, trained on free texts.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use refrain::decode::languages_with_encodings;

use self::training::{TrainingText, train, train_published};

mod training;

/// Languages distinguished by their letters, group by group; a part of the name of their texts after a colon.
#[rustfmt::skip] // a table
const GROUPS: [(&str, &str); 8] = [
    ("latin", "af az bs ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lt lv ms nl no pl pt ro sk sl sq sr:latin sv sw tl tr uz:latin vi"),
    ("cyrillic", "be bg kk mk mn ru sr:cyrillic tg uk uz:cyrillic"),
    ("arabic", "ar fa ur"),
    ("devanagari", "hi mr ne"),
    ("greek", "el"),
    ("hebrew", "he"),
    ("thai", "th"),
    ("cjk", "ja ko zh-hans zh-hant"),
];

/// Languages that need more evidence, since fewer texts are in them than in those they resemble.
const RARE: &str = "af gl ms bs eo la tl sw az uz sq cy eu kk mn tg ga ur ne mr";
/// What these cost beforehand, in sixteenths of a nat.
const PRIOR: u8 = 48;

/// Bytes of each kind of text, so that what programs say does not drown the rest.
const MOST: [(&str, usize); 6] = [
    ("news", 1_000_000),
    ("udhr", 100_000),
    ("stories", 500_000),
    ("games", 300_000),
    ("fortunes", 300_000),
    ("manuals", 200_000),
]; // the rest
const MOST_OF_OTHERS: usize = 120_000;

pub(crate) fn build(texts: &Path, output: &Path, keep: usize) -> Result<()> {
    let mut groups = Vec::new();
    for (name, languages) in GROUPS {
        let mut group = Vec::new();
        for language in languages.split(' ') {
            let (code, part) = language.split_once(':').unwrap_or((language, ""));
            let prior = if RARE.split(' ').any(|rare| rare == code) { PRIOR } else { 0 };
            let lines = read(&texts.join(code), part)?;
            if code == "vi" {
                group.push(TrainingText::with_tones_apart(&lines));
            }
            group.push(TrainingText { code: code.to_owned(), prior, lines });
        }
        groups.push((name, group));
    }
    fs::write(output, train(&groups, keep)?).with_context(|| output.display().to_string())
}

/// Bytes of text that a published model is trained on.
const PUBLISHED_TEXT: usize = 150_000;

/// Trains the published models, from the same texts.
pub(crate) fn build_published(texts: &Path, output: &Path) -> Result<()> {
    let mut all = Vec::new();
    for code in languages_with_encodings().into_iter().filter(|code| texts.join(code).is_dir()) {
        let part = if code == "sr" { "cyrillic" } else { "" };
        let lines = read(&texts.join(code), part)?;
        let bytes: usize = lines.iter().map(String::len).sum();
        let few: Vec<String> = lines.into_iter().step_by((bytes / PUBLISHED_TEXT).max(1)).collect();
        all.push((code.to_owned(), few.join("\n")));
    }
    let (packed, refused) = train_published(&all)?;
    for line in refused {
        crate::print_message(&line);
    }
    fs::write(output, packed).with_context(|| output.display().to_string())
}

/// Lines of all texts in a folder whose names have a part in them, spread evenly.
fn read(folder: &Path, part: &str) -> Result<Vec<String>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| folder.display().to_string())?;
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.contains(part) {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let most = MOST.iter().find(|(kind, _)| name.starts_with(kind)).map_or(MOST_OF_OTHERS, |(_, most)| *most);
        let mut bytes = 0;
        for line in text.lines().step_by((text.len() / most).max(1)) {
            bytes += line.len();
            if bytes > most {
                break;
            }
            lines.push(line.to_owned());
        }
    }
    Ok(lines)
}
