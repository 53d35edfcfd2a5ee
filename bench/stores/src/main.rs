//! What a library costs in the sorted files of refrain, in redb and in LMDB: the same documents, n-grams and texts in each.
//!
//!     stores FOLDER [DOCUMENTS.jsonl]
//!
//! Without documents, 2,000 of 3,000 words are made: words as frequent as in a language, and a passage of an earlier document in
//! every tenth. Time to add is that of storing alone, all in one transaction that lasts; then that of adding 50 more. A check is
//! run by a new process each time: it opens the store, looks all n-grams of an essay up, and reads the 20 texts that share most.
//! What is read is in the cache of the system, or it was taken out before (by `dd`).

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use heed::types::{Bytes, U32, U64};
use heed::{Database, EnvOpenOptions, PutFlags, byteorder::BE};
use redb::{ReadableDatabase, ReadableTable, TableDefinition};
use refrain::Document;
use refrain::compare::{CheckOptions, CompareOptions, ExcludedText, LibraryReader, LibraryWriter, PreparedDocument};
use serde_json::{Value, json};

const DOCUMENTS: usize = 2000;
const WORDS: usize = 3000;
const VOCABULARY: usize = 50_000;
const COPIED: usize = 200;
/// Documents that are added later.
const MORE: usize = 50;
const CHECKS: usize = 9;
const STORES: [&str; 3] = ["refrain", "redb", "lmdb"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["check", store, folder, essay] => {
            let essay = ready("essay", std::fs::read_to_string(essay)?);
            let start = Instant::now();
            let found = check(store, Path::new(folder), &essay)?;
            println!("{} {}", start.elapsed().as_nanos(), found.join(" "));
            Ok(())
        }
        [folder] => measure(Path::new(folder), made()),
        [folder, documents] => measure(Path::new(folder), read(Path::new(documents))?),
        _ => bail!("stores FOLDER [DOCUMENTS.jsonl]"),
    }
}

fn ready(id: &str, text: String) -> PreparedDocument {
    PreparedDocument::of(Document::from_text(id, text), &CompareOptions::default(), &ExcludedText::default())
}

fn read(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path)?;
    let of = |line| Ok(serde_json::from_str::<Value>(line)?["text"].as_str().context("a text")?.to_owned());
    text.lines().map(of).collect()
}

/// Texts of words with the frequencies of Zipf.
fn made() -> Vec<String> {
    let mut state = 11_u64;
    let mut chance = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut letters = |length: u64| (0..length).map(|_| char::from(b'a' + (chance() % 26) as u8)).collect::<String>();
    let vocabulary: Vec<String> = (0..VOCABULARY).map(|rank| letters(2 + u64::from((rank + 1).ilog2()) / 2)).collect();
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..VOCABULARY)
        .map(|rank| {
            sum += 1.0 / (rank as f64 + 2.7);
            sum
        })
        .collect();
    let mut texts: Vec<Vec<&str>> = Vec::new();
    for number in 0..DOCUMENTS + MORE {
        let mut text: Vec<&str> = (0..WORDS)
            .map(|_| {
                let at = chance() as f64 / f64::from(1_u32 << 31) * sum;
                vocabulary[sums.partition_point(|sum| *sum < at).min(VOCABULARY - 1)].as_str()
            })
            .collect();
        if number % 10 == 9 {
            let (from, start) = (chance() as usize % number, chance() as usize % (WORDS - COPIED));
            text[1000..1000 + COPIED].copy_from_slice(&texts[from][start..start + COPIED]);
        }
        texts.push(text);
    }
    texts.into_iter().map(|text| text.join(" ")).collect()
}

fn measure(folder: &Path, texts: Vec<String>) -> Result<()> {
    ensure!(texts.len() > MORE, "more than {MORE} documents are needed");
    if folder.exists() && !folder.join("essay.txt").exists() && folder.read_dir()?.next().is_some() {
        bail!("{} has other files in it; name another folder", folder.display());
    }
    std::fs::create_dir_all(folder)?;
    // An essay with a passage of a document in the middle, and one of a document that is added later.
    let words = |text: usize, from: usize| texts[text].split_whitespace().skip(from).take(COPIED).collect::<Vec<_>>();
    let mut essay: Vec<&str> = Vec::new();
    for number in 0..(WORDS / COPIED) {
        essay.extend(words((number * 131) % texts.len(), 300));
    }
    essay.truncate(WORDS);
    std::fs::write(folder.join("essay.txt"), essay.join(" "))?;
    let bytes: usize = texts.iter().map(String::len).sum();
    let essays: Vec<PreparedDocument> =
        texts.into_iter().enumerate().map(|(number, text)| ready(&number.to_string(), text)).collect();
    let postings: usize = essays.iter().map(|essay| essay.fingerprint().len()).sum();
    println!("{} documents, {:.1} MB, {postings} n-grams", essays.len(), bytes as f64 / 1e6);
    println!(
        "{:<10}{:>10}{:>14}{:>10}{:>14}{:>14}",
        "store",
        "add s",
        format!("{MORE} more s"),
        "MB",
        "check ms",
        "from disk ms"
    );
    let mut answers: Vec<String> = Vec::new();
    for store in STORES {
        let place = folder.join(store);
        if place.exists() {
            std::fs::remove_dir_all(&place)?;
        }
        std::fs::create_dir_all(&place)?;
        let (first, more) = essays.split_at(essays.len() - MORE);
        let mut seconds = Vec::new();
        for (part, from) in [(first, 0), (more, first.len())] {
            let start = Instant::now();
            add(store, &place, part, from as u32)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        let mut size = 0;
        for entry in place.read_dir()? {
            size += entry?.metadata()?.len();
        }
        let mut medians = Vec::new();
        for from_disk in [false, true] {
            let mut times = Vec::new();
            for _ in 0..CHECKS {
                if from_disk {
                    forget(&place)?;
                }
                let (time, answer) = check_elsewhere(store, &place, &folder.join("essay.txt"))?;
                times.push(time);
                answers.push(answer);
            }
            times.sort();
            medians.push(times[times.len() / 2].as_secs_f64() * 1e3);
        }
        println!(
            "{store:<10}{:>10.2}{:>14.2}{:>10.0}{:>14.1}{:>14.1}",
            seconds[0],
            seconds[1],
            size as f64 / 1e6,
            medians[0],
            medians[1]
        );
    }
    answers.dedup();
    ensure!(answers.len() == 1, "the stores do not answer alike: {answers:?}");
    println!("all answer: {}", answers[0]);
    Ok(())
}

/// Takes files out of the cache of the system.
fn forget(folder: &Path) -> Result<()> {
    for entry in folder.read_dir()? {
        let file = format!("if={}", entry?.path().display());
        ensure!(Command::new("dd").args([&file, "iflag=nocache", "count=0", "status=none"]).status()?.success(), "dd");
    }
    Ok(())
}

fn check_elsewhere(store: &str, place: &Path, essay: &Path) -> Result<(Duration, String)> {
    let this = std::env::current_exe()?;
    let out = Command::new(this).args(["check", store]).arg(place).arg(essay).output()?;
    let out = String::from_utf8(out.stdout)?;
    let (time, answer) = out.trim().split_once(' ').with_context(|| format!("{store} found nothing: {out}"))?;
    Ok((Duration::from_nanos(time.parse()?), answer.to_owned()))
}

// ---------------------------------------------------------------- stores

const GRAMS: TableDefinition<u64, &[u8]> = TableDefinition::new("grams");
const SOURCES: TableDefinition<u32, &[u8]> = TableDefinition::new("sources");
const TEXTS: TableDefinition<u32, &[u8]> = TableDefinition::new("texts");

/// N-grams in order, with the documents that have them.
fn postings(essays: &[PreparedDocument], from: u32) -> Vec<(u64, Vec<u8>)> {
    let of = |(essay, number): (&PreparedDocument, u32)| -> Vec<(u64, u32)> {
        essay.fingerprint().grams().iter().map(|gram| (*gram, number)).collect()
    };
    let mut entries: Vec<(u64, u32)> = essays.iter().zip(from..).flat_map(of).collect();
    entries.sort_unstable();
    let mut lists: Vec<(u64, Vec<u8>)> = Vec::new();
    for (gram, document) in entries {
        match lists.last_mut() {
            Some((last, list)) if *last == gram => list.extend(document.to_le_bytes()),
            _ => lists.push((gram, document.to_le_bytes().to_vec())),
        }
    }
    lists
}

/// What is kept of a document, and its packed text.
fn record(essay: &PreparedDocument) -> Result<(Vec<u8>, Vec<u8>)> {
    let source =
        json!({"id": essay.id, "words": essay.words(), "grams": essay.fingerprint().len(), "language": essay.language});
    Ok((serde_json::to_vec(&source)?, zstd::bulk::compress(essay.text.as_bytes(), 3)?))
}

fn lmdb(place: &Path) -> Result<heed::Env> {
    // SAFETY: nobody else has the files of this folder open.
    Ok(unsafe { EnvOpenOptions::new().map_size(32 << 30).max_dbs(3).open(place)? })
}

type Grams = Database<U64<BE>, Bytes>;
type Records = Database<U32<BE>, Bytes>;

fn add(store: &str, place: &Path, essays: &[PreparedDocument], from: u32) -> Result<()> {
    match store {
        "refrain" => {
            let mut writer = LibraryWriter::open(place, &CompareOptions::default())?;
            for essay in essays {
                writer.add(essay.clone())?;
            }
            writer.commit()?;
        }
        "redb" => {
            let database = redb::Database::create(place.join("data.redb"))?;
            let change = database.begin_write()?;
            {
                let mut grams = change.open_table(GRAMS)?;
                for (gram, mut list) in postings(essays, from) {
                    if from > 0
                        && let Some(known) = grams.get(gram)?
                    {
                        list.splice(0..0, known.value().iter().copied());
                    }
                    grams.insert(gram, list.as_slice())?;
                }
                let (mut sources, mut texts) = (change.open_table(SOURCES)?, change.open_table(TEXTS)?);
                for (essay, number) in essays.iter().zip(from..) {
                    let (source, text) = record(essay)?;
                    sources.insert(number, source.as_slice())?;
                    texts.insert(number, text.as_slice())?;
                }
            }
            change.commit()?;
        }
        _ => {
            let environment = lmdb(place)?;
            let mut change = environment.write_txn()?;
            let grams: Grams = environment.create_database(&mut change, Some("grams"))?;
            for (gram, mut list) in postings(essays, from) {
                if from == 0 {
                    grams.put_with_flags(&mut change, PutFlags::APPEND, &gram, &list)?;
                    continue;
                }
                if let Some(known) = grams.get(&change, &gram)? {
                    list.splice(0..0, known.iter().copied());
                }
                grams.put(&mut change, &gram, &list)?;
            }
            let sources: Records = environment.create_database(&mut change, Some("sources"))?;
            let texts: Records = environment.create_database(&mut change, Some("texts"))?;
            for (essay, number) in essays.iter().zip(from..) {
                let (source, text) = record(essay)?;
                sources.put(&mut change, &number, &source)?;
                texts.put(&mut change, &number, &text)?;
            }
            change.commit()?;
        }
    }
    Ok(())
}

/// Opens a store and checks an essay against it. Returns the ids of the documents that have most of it, with what they share.
fn check(store: &str, place: &Path, essay: &PreparedDocument) -> Result<Vec<String>> {
    let grams = essay.fingerprint().grams();
    let options = CheckOptions::default();
    let mut counts: HashMap<u32, usize> = HashMap::new();
    let mut count = |list: &[u8]| {
        for document in list.as_chunks().0 {
            *counts.entry(u32::from_le_bytes(*document)).or_default() += 1;
        }
    };
    let answer =
        |counts: HashMap<u32, usize>, get: &dyn Fn(u32) -> Result<(Vec<u8>, Vec<u8>)>| -> Result<Vec<String>> {
            let wanted = |(_, shared): &(u32, usize)| *shared as f64 >= options.containment * grams.len() as f64;
            let mut found: Vec<(u32, usize)> = counts.into_iter().filter(wanted).collect();
            found.sort_by_key(|(document, shared)| (std::cmp::Reverse(*shared), *document));
            found.truncate(options.most);
            let mut answers = Vec::new();
            for (document, shared) in found {
                let (source, text) = get(document)?;
                let source: Value = serde_json::from_slice(&source)?;
                ensure!(!zstd::stream::decode_all(text.as_slice())?.is_empty(), "a text");
                answers.push(format!("{}:{shared}", source["id"].as_str().context("an id")?));
            }
            Ok(answers)
        };
    match store {
        "refrain" => {
            let compare = CompareOptions { passages: None, ..CompareOptions::default() };
            let checked = LibraryReader::open(place)?.check(essay, &options, &compare)?;
            Ok(checked.sources.iter().map(|found| format!("{}:{}", found.source.id, found.scores.shared)).collect())
        }
        "redb" => {
            let database = redb::Database::open(place.join("data.redb"))?;
            let reading = database.begin_read()?;
            let table = reading.open_table(GRAMS)?;
            for gram in grams {
                if let Some(list) = table.get(*gram)? {
                    count(list.value());
                }
            }
            let (sources, texts) = (reading.open_table(SOURCES)?, reading.open_table(TEXTS)?);
            answer(counts, &|document| {
                let source = sources.get(document)?.context("a source")?.value().to_vec();
                Ok((source, texts.get(document)?.context("a text")?.value().to_vec()))
            })
        }
        _ => {
            let environment = lmdb(place)?;
            let reading = environment.read_txn()?;
            let table: Grams = environment.open_database(&reading, Some("grams"))?.context("n-grams")?;
            for gram in grams {
                if let Some(list) = table.get(&reading, gram)? {
                    count(list);
                }
            }
            let sources: Records = environment.open_database(&reading, Some("sources"))?.context("sources")?;
            let texts: Records = environment.open_database(&reading, Some("texts"))?.context("texts")?;
            answer(counts, &|document| {
                let source = sources.get(&reading, &document)?.context("a source")?.to_vec();
                Ok((source, texts.get(&reading, &document)?.context("a text")?.to_vec()))
            })
        }
    }
}
