//! How preambles and epilogues are found.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::kernel::Kernel;
use refrain::strip::counters::{CounterKind, Options};
use refrain::strip::{
    EDGE_LINES, Ends, Evidence, Found, FrequentLines, LineCounts, PaperOptions, PreparedLines, Profile, Sample, Strip,
    Text,
};
use refrain::write::write_atomically;

use super::books::{Book, Books, Glimpse, Reading};
use super::rows::counted;
use crate::common::{Given, named, size, tell};

/// How preambles and epilogues are found.
#[derive(Args)]
#[command(next_help_heading = "Method")]
pub(super) struct MethodArguments {
    /// What is known of the texts: books of Project Gutenberg, or nothing but what they share
    #[arg(long, value_name = "PROFILE", default_value = "gutenberg", value_parser = named(Profile::ALL.to_vec()))]
    profile: Profile,

    /// Leave credits and notes of those who made the e-book in it, as far as they stand behind the marker
    #[arg(long)]
    keep_credits: bool,

    /// Learn nothing; use evidence that --save wrote
    #[arg(long, value_name = "FILE")]
    evidence: Option<PathBuf>,

    /// Write what was learned to this file, for --evidence
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,

    /// The default method, or the published one: lines that are frequent in these very texts, at their two ends
    #[arg(long, value_name = "METHOD", default_value = "learned", value_parser = named(Method::ALL.to_vec()))]
    method: Method,

    /// Method paper: a line is frequent when it occurs more often than this
    #[arg(long, value_name = "N", default_value_t = PaperOptions::PUBLISHED.k)]
    k: u32,

    /// Method paper: non-trivial lines that are looked at in front
    #[arg(long, value_name = "N", default_value_t = PaperOptions::PUBLISHED.p_max)]
    p_max: usize,

    /// Method paper: non-trivial lines that are looked at at the end
    #[arg(long, value_name = "N", default_value_t = PaperOptions::PUBLISHED.e_max)]
    e_max: usize,

    /// Method paper: so many infrequent lines on end make the boilerplate end
    #[arg(long, value_name = "N", default_value_t = PaperOptions::PUBLISHED.gap_max)]
    gap_max: usize,

    /// Method paper: lines that say where the boilerplate ends count, too
    #[arg(long)]
    heuristics: bool,

    /// Method paper: what counts lines; each has its own errors and needs (the guide tells which)
    #[arg(long, value_name = "NAME", default_value = "exact", value_parser = named(CounterKind::ALL.map(|kind| (kind.name(), kind)).to_vec()))]
    counter: CounterKind,

    /// Counter hashed: 2 to the power of this many 8-bit counters, 3 to 30
    #[arg(long, value_name = "N", default_value_t = 23, value_parser = clap::value_parser!(u32).range(3..=30))]
    bits: u32,

    /// Counter majority: lines that are monitored at a time
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    counters: u32,

    /// Counter sorted: memory to count in; more goes to temporary files
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = size, allow_negative_numbers = true)]
    memory: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Learned,
    Paper,
}

impl Method {
    const ALL: [(&'static str, Method); 2] = [("learned", Method::Learned), ("paper", Method::Paper)];
}

/// A method that has learned what there is to learn.
pub(super) enum Finder {
    Learned(Strip, Box<Learned>),
    Paper(Box<FrequentLines>),
}

impl Finder {
    pub(super) fn find(&self, text: &Ends) -> Found {
        match self {
            Finder::Learned(strip, learned) => match &learned.known {
                Some(known) => known.find(text, || strip.find(text, &learned.evidence)),
                None => strip.find(text, &learned.evidence),
            },
            Finder::Paper(lines) => lines.find(text),
        }
    }
}

/// What was learned.
pub(super) struct Learned {
    evidence: Evidence,
    /// Where texts seem to be there several times.
    known: Option<Known>,
}

impl From<Evidence> for Learned {
    fn from(evidence: Evidence) -> Learned {
        Learned { evidence, known: None }
    }
}

/// What was found in texts, by their digests and numbers of lines: a text that is there again need not be looked at again.
#[derive(Default)]
struct Known(Mutex<HashMap<(u64, usize), Found>>);

impl Known {
    /// Texts that are remembered at most.
    const MOST: usize = 10_000;

    fn find(&self, text: &Ends, find: impl FnOnce() -> Found) -> Found {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (text.digest(), text.lines());
        let seen = known().get(&key).cloned();
        seen.unwrap_or_else(|| {
            let found = find();
            let mut known = known();
            if known.len() < Known::MOST {
                known.insert(key, found.clone());
            }
            found
        })
    }
}

impl MethodArguments {
    /// Refuses options that would do nothing.
    pub(super) fn check(&self, given: &Given) -> Result<()> {
        match self.method {
            Method::Learned => {
                let paper = ["k", "p_max", "e_max", "gap_max", "heuristics", "counter", "bits", "counters", "memory"];
                given.refuse(&paper, "needs --method paper")?;
            }
            Method::Paper => given.refuse(
                &["profile", "keep_credits", "evidence", "save"],
                "is for the default method; leave --method paper out",
            )?,
        }
        for (kind, option) in
            [(CounterKind::Hashed, "bits"), (CounterKind::Majority, "counters"), (CounterKind::Sorted, "memory")]
        {
            if self.method == Method::Paper && self.counter != kind {
                given.refuse(&[option], &format!("needs --counter {kind}"))?;
            }
        }
        if self.profile == Profile::Generic {
            given.refuse(&["keep_credits"], "needs --profile gutenberg, which knows credits")?;
        }
        if self.evidence.is_some() {
            given.refuse(&["save"], "has nothing to save where --evidence is used")?;
        }
        Ok(())
    }

    /// What texts are called.
    pub(super) fn noun(&self) -> &'static str {
        match self.profile {
            Profile::Gutenberg => "book",
            Profile::Generic => "text",
        }
    }

    fn paper(&self) -> PaperOptions {
        let MethodArguments { k, p_max, e_max, gap_max, heuristics, .. } = *self;
        PaperOptions { k, p_max, e_max, gap_max, heuristics }
    }

    fn counting(&self) -> Options {
        let MethodArguments { k, bits, counters, memory, .. } = *self;
        // What must be told apart is K occurrences from K + 1; more than 255 make counters approximate.
        let ceiling = k.saturating_add(1).max(Options::default().ceiling);
        Options { bits, counters, memory, ceiling, ..Options::default() }
    }

    /// Lines that are needed of each end.
    pub(super) fn edge_lines(&self) -> usize {
        match self.method {
            Method::Learned => EDGE_LINES,
            Method::Paper => self.paper().edge_lines(),
        }
    }

    /// Reads the books and learns from them, where that is needed.
    pub(super) fn finder(&self, books: &Books, quiet: bool) -> Result<Finder> {
        if self.method == Method::Paper {
            let options = self.paper();
            let mut lines = LineCounts::new(self.counter.build(&self.counting())?, options);
            // What is kept of a book until its turn is as little as the counter needs.
            let prepare = |book: Book| PreparedLines::of(&book.ends, &options, self.counter);
            books.each(
                "learn",
                Reading::Ends,
                |book| book.ok().map(prepare),
                |prepared| match prepared {
                    Some(prepared) => lines.add(&prepared?),
                    None => Ok(()),
                },
            )?;
            return Ok(Finder::Paper(Box::new(lines.conclude()?)));
        }
        let mut strip = Strip::new(self.profile)?;
        strip.keep_credits = self.keep_credits;
        let learned = match &self.evidence {
            Some(path) => self.load(path)?.into(),
            None => self.learn(&strip, books, quiet)?,
        };
        if let Some(path) = &self.save {
            write_atomically(path, &learned.evidence.saved())?;
        }
        Ok(Finder::Learned(strip, Box::new(learned)))
    }

    fn load(&self, path: &PathBuf) -> Result<Evidence> {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let evidence = Evidence::from_saved(&bytes).with_context(|| path.display().to_string())?;
        if evidence.profile() != self.profile {
            let name =
                Profile::ALL.iter().find(|(_, profile)| *profile == evidence.profile()).map_or("", |(name, _)| name);
            bail!("{} was learned with --profile {name}; name the same one here", path.display());
        }
        Ok(evidence)
    }

    fn learn(&self, strip: &Strip, books: &Books, quiet: bool) -> Result<Learned> {
        // One plain file teaches nothing about others, and need not be read twice.
        let one = self.profile == Profile::Gutenberg && books.is_one();
        let Drawn { sample, count, repeated } =
            if one { Drawn { count: 1, ..Drawn::default() } } else { draw(strip, books)? };
        if self.profile == Profile::Generic && count == 1 {
            bail!(
                "--profile generic finds what texts share, and there is only one; name more, or evidence that was saved (--evidence)"
            );
        }
        let drawn = sample.len();
        let evidence = books.pool.install(|| strip.conclude(sample))?;
        // Where there is none, what was wrong with them is told later.
        if !quiet && count > 0 {
            let shipped = Evidence::shipped().books();
            let voters = match self.profile {
                Profile::Gutenberg => evidence.books().saturating_sub(shipped),
                Profile::Generic => evidence.books(),
            };
            let from = match u64::from(voters) {
                voters if voters == count => counted(count, self.noun()),
                voters => format!("{} among {count}", counted(voters, &format!("different {}", self.noun()))),
            };
            tell(&match self.profile {
                Profile::Gutenberg if drawn < 2 => {
                    let one = if count == 1 { "one book" } else { "one book, again and again" };
                    format!("{one}: found by the evidence that comes with refrain ({shipped} books)")
                }
                Profile::Gutenberg => {
                    format!("learned from {from} and from the evidence that comes with refrain ({shipped} books)")
                }
                Profile::Generic => format!("learned from {from}"),
            });
        }
        Ok(Learned { evidence, known: repeated.then(Known::default) })
    }
}

/// The texts that are learned from.
#[derive(Default)]
struct Drawn {
    sample: Sample,
    /// How many there were to draw from.
    count: u64,
    /// Some of them seem to be the same.
    repeated: bool,
}

/// Draws the texts that are learned from. Plain files are identified by their sizes and some of their bytes; only those that are
/// drawn are read.
fn draw(strip: &Strip, books: &Books) -> Result<Drawn> {
    let mut sample = strip.partial();
    let (mut files, mut count) = (Vec::new(), 0_u64);
    books.glimpse(|seen| {
        count += u64::from(!matches!(seen, Glimpse::Failed));
        match seen {
            Glimpse::File(identity, position) => files.push((identity, position)),
            Glimpse::Document(book) => {
                return strip.observe(Text { position: book.position, ends: &book.ends }, &mut sample);
            }
            Glimpse::Failed => {}
        }
        Ok(())
    })?;
    let sample = Mutex::new(sample);
    let files_in_all = files.len();
    let (drawn, distinct) = Sample::draw(files);
    // What is drawn does not depend on the order, so it is done where the text was read.
    books.ends_of(&drawn, |position, ends| {
        let mut sample = sample.lock().unwrap_or_else(PoisonError::into_inner);
        strip.observe(Text { position, ends: &ends }, &mut sample)
    })?;
    let sample = sample.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Drawn { sample, count, repeated: distinct < files_in_all })
}
