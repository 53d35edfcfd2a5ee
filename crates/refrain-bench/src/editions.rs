//! Measures how the search for editions scales with the number of books: 1,000, 10,000 and 100,000 synthetic books,
//! with planted pairs, and two works in many editions.
//!
//! A synthetic book is a sequence of words without letters: each word is a number. Words are drawn by the
//! Zipf-Mandelbrot law from a vocabulary that all books share; some come from a few hundred words that only this book
//! has (names), and some are scanner errors, which occur nowhere else. The shares are chosen so that books have as many
//! words, and as many words that occur once, as a real collection; `--texts` prints the figures of one next to those of
//! the synthetic books.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use refrain::Run;
use refrain::editions::{AnchorIndex, Book, CandidateOptions, FindOptions, PairRule, Shelf, Term, find, unique_words};

use crate::random::Random;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Numbers of books, one run for each
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    books: Vec<u32>,
    /// Memory that the search may use, in MiB
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// Folder for temporary files
    #[arg(long, default_value = "bench-data")]
    folder: PathBuf,
    /// A folder of real books: figures of these, and how fast unique words are extracted from them
    #[arg(long)]
    texts: Option<PathBuf>,
}

/// Of 100 books, 45 are copied by another one: 45,000 pairs in 100,000 books.
const COPIED: u32 = 45;
/// Works in many editions, in addition to those.
const GROUPS: [u32; 2] = [6, 40];
/// Words that all books share.
const VOCABULARY: usize = 100_000;
/// Errors of a scanner and the like, in 10,000 words.
const ERRORS: u64 = 60;
/// Words of which only this book has some, in 10,000.
const NAMES: u64 = 300;
/// How many of those there are.
const NAME_LIST: u64 = 400;

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    std::fs::create_dir_all(&arguments.folder).with_context(|| arguments.folder.display().to_string())?;
    let mut out = io::stdout();
    if let Some(texts) = &arguments.texts {
        extraction(texts, &mut out)?;
    }
    let words = Vocabulary::new();
    writeln!(
        out,
        "{:>8} {:>8} {:>8} {:>9} {:>10} {:>8} {:>9} {:>9} {:>8} {:>8} {:>8}",
        "books", "words", "unique", "made s", "search s", "CPU s", "planted", "passing", "found", "others", "peak MB"
    )?;
    for &books in &arguments.books {
        let row = measured(&words, books, arguments)?;
        writeln!(out, "{row}")?;
        out.flush()?;
    }
    Ok(())
}

fn extraction(folder: &std::path::Path, out: &mut impl io::Write) -> Result<()> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        texts.push(
            String::from_utf8(bytes).unwrap_or_else(|other| other.into_bytes().into_iter().map(char::from).collect()),
        );
    }
    ensure!(!texts.is_empty(), "{}: no books in this folder", folder.display());
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut best = f64::MAX;
    let mut unique = 0;
    for _ in 0..5 {
        let start = processor_time();
        unique = texts.iter().map(|text| unique_words(text).len()).sum();
        best = best.min(processor_time() - start);
    }
    let words: usize = texts.iter().map(|text| Book::read("", text, &[]).words as usize).sum();
    let count = texts.len();
    writeln!(out, "{count} real books: {} words and {} unique words each", words / count, unique / count)?;
    writeln!(out, "extraction of unique words, one core: {:.0} MB/s (best of 5)\n", bytes as f64 / 1e6 / best)?;
    Ok(())
}

fn measured(words: &Vocabulary, books: u32, arguments: &Arguments) -> Result<String> {
    let plan = &Plan::new(books);
    let start = Instant::now();
    let mut shelf = Shelf::new(&arguments.folder)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    for from in (0..books).step_by(CHUNK as usize) {
        let to = books.min(from + CHUNK);
        let made: Vec<Vec<Book>> = std::thread::scope(|scope| {
            let part = |n: u32| from + (to - from) * n / threads..from + (to - from) * (n + 1) / threads;
            let work = |n: u32| scope.spawn(move || part(n).map(|number| words.book(number, plan)).collect::<Vec<_>>());
            let running: Vec<_> = (0..threads).map(work).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        });
        for book in made.iter().flatten() {
            shelf.add(book, None)?;
        }
    }
    shelf.flush()?;
    ensure!(shelf.len() as u32 == books, "a thread died");
    let made = start.elapsed().as_secs_f64();
    let limits = CandidateOptions { memory: arguments.memory << 20, temporary: arguments.folder.clone() };
    let (start, busy) = (Instant::now(), process_time());
    let found = find(&shelf, &FindOptions { limits, ..FindOptions::default() }, &Run::default().start()?)?;
    let (searched, busy) = (start.elapsed().as_secs_f64(), process_time() - busy);
    let pairs: std::collections::HashSet<(u32, u32)> = found.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let all = plan.pairs();
    let (planted, mut passing, mut there) = (all.len(), 0, 0);
    let rule = PairRule::default();
    for &(a, b) in &all {
        let (one, other) = (shelf.book(a)?, shelf.book(b)?);
        let passes = rule
            .judge((a, &one, &AnchorIndex::of(&one.anchors)), (b, &other, &AnchorIndex::of(&other.anchors)))
            .is_some();
        passing += u32::from(passes);
        there += u32::from(passes && pairs.contains(&(a, b)));
    }
    let others = pairs.difference(&all).count();
    let mean = |of: &dyn Fn(&refrain::editions::Entry) -> u32| {
        shelf.books().iter().map(|book| u64::from(of(book))).sum::<u64>() / u64::from(books.max(1))
    };
    Ok(format!(
        "{books:>8} {:>8} {:>8} {made:>9.1} {searched:>10.1} {busy:>8.1} {planted:>9} {passing:>9} {there:>8} {others:>8} {:>8}",
        mean(&|book| book.words),
        mean(&|book| book.unique),
        peak_memory()
    ))
}

/// Books that are made at a time.
const CHUNK: u32 = 512;

/// Which book copies which. A copy can be anywhere after its original: neighbours would be found too easily.
struct Plan {
    /// For each book the one that it copies.
    copies: Vec<Option<u32>>,
    /// Works in many editions: the books of each.
    groups: Vec<std::ops::Range<u32>>,
}

impl Plan {
    fn new(books: u32) -> Plan {
        let pairs = books * COPIED / 100;
        let mut copies = vec![None; books as usize];
        // Originals come first, then their copies in an order that is shuffled the same way each time.
        let mut order: Vec<u32> = (0..pairs).collect();
        let mut random = Random(u64::from(books));
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        for (copy, original) in (pairs..).zip(order) {
            copies[copy as usize] = Some(original);
        }
        let mut groups = Vec::new();
        let mut from = 2 * pairs;
        for size in GROUPS.into_iter().filter(|size| 2 * pairs + 2 * size < books) {
            groups.push(from..from + size);
            (from + 1..from + size).for_each(|copy| copies[copy as usize] = Some(from));
            from += size;
        }
        Plan { copies, groups }
    }

    /// The book that this one copies, and whether it is an edition of the whole.
    fn original(&self, number: u32) -> Option<(u32, bool)> {
        let original = self.copies.get(number as usize).copied().flatten()?;
        Some((original, self.groups.iter().any(|group| group.contains(&number))))
    }

    /// The pairs that share text.
    fn pairs(&self) -> std::collections::HashSet<(u32, u32)> {
        let single = (0..).zip(&self.copies).filter_map(|(copy, original)| Some(((*original)?, copy)));
        let among = self.groups.iter().flat_map(|group| {
            let last = group.end;
            group.clone().flat_map(move |a| (a + 1..last).map(move |b| (a, b)))
        });
        single.chain(among).collect()
    }
}

/// CPU seconds of this thread: a busy machine changes it little.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// CPU seconds of all threads of this process.
fn process_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The fields after the name, which may contain spaces: user and system time are the 12th and 13th, in hundredths.
    let behind = stat.rsplit_once(')').map_or("", |(_, behind)| behind);
    behind.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The peak memory of this process, in MB; 0 if the system does not report it.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1000
}

/// A share of a number.
#[allow(clippy::cast_sign_loss)] // neither is negative
fn share_of(number: usize, share: f64) -> usize {
    (number as f64 * share) as usize
}

/// The words that all books share, by the alias method: a draw takes two lookups.
struct Vocabulary {
    alias: Vec<(f32, u32)>,
}

impl Vocabulary {
    fn new() -> Vocabulary {
        // Zipf and Mandelbrot, fitted to English novels.
        let weight = |rank: usize| 1.0 / (rank as f64 + 2.7).powf(1.4);
        let total: f64 = (0..VOCABULARY).map(weight).sum();
        let mut weights: Vec<f64> = (0..VOCABULARY).map(|rank| weight(rank) / total * VOCABULARY as f64).collect();
        let mut alias: Vec<(f32, u32)> = (0..VOCABULARY).map(|rank| (1.0, rank as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..VOCABULARY).partition(|rank| weights[*rank] < 1.0);
        while let (Some(low), Some(&high)) = (small.pop(), large.last()) {
            alias[low] = (weights[low] as f32, high as u32);
            weights[high] -= 1.0 - weights[low];
            if weights[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        Vocabulary { alias }
    }

    fn word(&self, random: &mut Random) -> u64 {
        let at = random.below(VOCABULARY as u64) as usize;
        let (own, other) = self.alias[at];
        if (random.share() as f32) < own { at as u64 } else { u64::from(other) }
    }

    /// The words of a book that copies nothing.
    fn words(&self, number: u32) -> Vec<u64> {
        let mut random = Random(u64::from(number) << 20);
        // From a few thousand words to a few hundred thousand, most books in between.
        let bell: f64 = (0..6).map(|_| random.share()).sum::<f64>() - 3.0;
        let length = share_of(34_000, (bell * 0.8).exp());
        let own = (u64::from(number) + 1) << 32;
        (0..length)
            .map(|_| {
                let kind = random.below(10_000);
                if kind < ERRORS {
                    own | 1 << 31 | random.below(1 << 31)
                } else if kind < ERRORS + NAMES {
                    // The first names of the list are the most frequent ones.
                    own | (random.below(NAME_LIST) * random.below(NAME_LIST) / NAME_LIST)
                } else {
                    self.word(&mut random)
                }
            })
            .collect()
    }

    /// A book; one that copies another has a part of it, in one piece, with a few errors of its own.
    fn book(&self, number: u32, plan: &Plan) -> Book {
        let mut words = self.words(number);
        if let Some((original, edition)) = plan.original(number) {
            let mut random = Random(u64::from(number) << 20 | 1);
            let original = self.words(original);
            // Every second pair is a new edition, the others have from a tenth to two thirds of the second book in common.
            let whole = random.below(2) == 0 || edition;
            let share = if whole { 0.85 + 0.15 * random.share() } else { 0.1 + 0.55 * random.share() };
            let errors = random.below(8);
            let of = if whole { original.len() } else { words.len() };
            let length = share_of(of, share).min(original.len());
            let from = random.below((original.len() - length) as u64 + 1) as usize;
            let mut copied = original[from..from + length].to_vec();
            for word in &mut copied {
                if random.below(100) < errors {
                    *word = (u64::from(number) + 1) << 32 | 1 << 31 | random.below(1 << 31);
                }
            }
            let room = words.len().saturating_sub(length);
            let front = random.below(room as u64 + 1) as usize;
            let rest = if whole { 0 } else { room };
            let behind = words.split_off(front.min(rest));
            words.extend(copied);
            words.extend(behind.into_iter().take(rest - front.min(rest)));
        }
        let mut place = 0_u32;
        let terms: Vec<Term> = words
            .iter()
            .map(|word| {
                let key = Random(*word).next() & ((1 << 40) - 1);
                // Frequent words are short.
                let letters = if *word < 300 { 3 } else { 4 + (key % 7) as u8 };
                let term = Term { key, position: place, byte: place, bytes: letters, letters };
                place += u32::from(letters) + 1;
                term
            })
            .collect();
        Book::of_terms(format!("{number}"), &terms, place)
    }
}
