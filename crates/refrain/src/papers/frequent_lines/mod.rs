//! Frequent lines: finds the preamble and the epilogue of a book by lines that many books share.
//!
//! Owen Kaser and Daniel Lemire, *Removing Manually Generated Boilerplate from Electronic Texts: Experiments with Project
//! Gutenberg e-Books* (CASCON 2007), Algorithm 1, with the heuristics of section 3.4 as an option.
//!
//! A line is frequent if it occurs more than K times in all texts. Trivial lines (short ones, and those without a letter) do
//! not count. The window is the first p_max and the last e_max lines of a text that count. The preamble ends with the last
//! frequent line before a gap of GAP_MAX infrequent lines in a row; lines before the first frequent one are skipped. The
//! epilogue is found in the same way from the last line backwards, but there the gap counts from the last line on: GAP_MAX
//! infrequent lines at the very end hide an epilogue. `walk` is this rule.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use self::counters::{AnyCounter, Counter, CounterKind, FrequentTable, Options};
use crate::error::Result;
use crate::strip::blocks::Tokens;
use crate::strip::lines::{Line, preprocess};
use crate::strip::rules::{Place, Rules, Says};
use crate::strip::{Boundaries, EDGE_LINES, Ends};

pub mod counters;

/// The three heuristics printed in the paper (section 3.4).
const HEURISTICS: &str = "\
head marker ^ start of the|this project gutenberg
head marker ^ end the small print
tail marker ^ this? is? the? end of? the|this? project gutenberg|gutenbergs
tail marker ^ etext
";

/// The parameters of the paper, under the names of the paper, and which of its structures counts lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaperOptions {
    /// K: a line is frequent when it occurs more often than this.
    pub k: u32,
    /// Non-trivial lines examined at the top.
    pub p_max: usize,
    /// Non-trivial lines examined at the bottom.
    pub e_max: usize,
    /// GAP_MAX: this many consecutive infrequent lines end the boilerplate.
    pub gap_max: usize,
    /// Also use lines that state where the boilerplate ends (section 3.4 of the paper).
    pub heuristics: bool,
    /// What counts lines.
    pub counter: CounterKind,
    /// The hashed counter has 2 to the power of this many 8-bit counters.
    pub bits: u32,
    /// Lines that the majority counter monitors at a time.
    pub counters: u32,
}

impl PaperOptions {
    /// As published.
    pub const PUBLISHED: PaperOptions = PaperOptions {
        k: 10,
        p_max: 300,
        e_max: 300,
        gap_max: 10,
        heuristics: false,
        counter: CounterKind::Exact,
        bits: 23,
        counters: 100_000,
    };

    /// An empty counter. The sorted one uses this much memory, and this folder for the rest.
    pub fn build_counter(&self, memory: Option<u64>, folder: PathBuf) -> Result<AnyCounter> {
        let default = Options::default();
        // K occurrences must differ from K + 1. With a ceiling above 255, the hashed counter is approximate.
        let ceiling = self.k.saturating_add(1).max(default.ceiling);
        let memory = memory.unwrap_or(default.memory);
        let PaperOptions { bits, counters, .. } = *self;
        self.counter.build(&Options { memory, folder, bits, ceiling, counters, ..default })
    }

    /// Lines that are needed of each end of a text.
    pub fn edge_lines(&self) -> usize {
        EDGE_LINES.max(self.p_max.saturating_mul(2)).max(self.e_max.saturating_mul(2))
    }

    /// Calls `each` with the lines of a text that count: the first and the last non-trivial ones, after preprocessing. If the
    /// ends overlap, each line is passed once.
    pub fn lines(&self, text: &Ends, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let edges = text.edges();
        let top = Window::of(edges.head.iter(), self.p_max);
        let after = top.lines.last().map_or(0, |line| line.0 + 1);
        let bottom = Window::of(edges.tail.iter().rev(), self.e_max);
        let lines = top.iter().chain(bottom.iter().filter(|line| line.0 >= after));
        lines.map(|(_, line)| line).try_for_each(&mut each)
    }
}

impl Default for PaperOptions {
    fn default() -> Self {
        PaperOptions::PUBLISHED
    }
}

/// The first pass of the published method: counts the lines of all texts, with any of the [`counters`].
///
/// ```
/// use refrain::papers::frequent_lines::counters::{CounterKind, Options};
/// use refrain::strip::{Ends, LineCounts, PaperOptions};
///
/// let book = |n: u32| {
///     let body = (0..40).map(|i| format!("Line {i} of book {n}, which occurs nowhere else.\n")).collect::<Vec<_>>().concat();
///     Ends::of(format!("This licence opens every book in the collection.\n\n{body}").as_bytes(), 600)
/// };
/// let mut counts = LineCounts::new(CounterKind::Hashed.build(&Options::default())?, PaperOptions::PUBLISHED);
/// (0..12).try_for_each(|n| counts.observe(&book(n)))?;
/// assert_eq!(counts.conclude()?.find(&book(3)).preamble_end, 1);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug)]
pub struct LineCounts {
    counter: AnyCounter,
    options: PaperOptions,
}

impl LineCounts {
    /// With a counter that has counted nothing.
    pub fn new(counter: AnyCounter, options: PaperOptions) -> LineCounts {
        LineCounts { counter, options }
    }

    /// Counts the lines of one text.
    pub fn observe(&mut self, text: &Ends) -> Result<()> {
        self.add(&PreparedLines::of(text, &self.options, self.counter.kind())?)
    }

    /// Counts lines that were prepared, perhaps by another thread.
    pub fn add(&mut self, prepared: &PreparedLines) -> Result<()> {
        let PreparedLines { keys, bytes, ends } = prepared;
        let mut start = 0;
        for (at, key) in keys.iter().enumerate() {
            let end = ends.get(at).copied().unwrap_or(start);
            self.counter.add_keyed(*key, &bytes[start..end])?;
            start = end;
        }
        Ok(())
    }

    /// Counts what others have counted, with the same kind of counter.
    pub fn merge(&mut self, other: LineCounts) -> Result<()> {
        self.counter.merge(other.counter)
    }

    /// Ends counting.
    pub fn conclude(self) -> Result<FrequentLines> {
        let LineCounts { counter, options } = self;
        let rules = options.heuristics.then(|| Rules::parse(HEURISTICS)).transpose()?;
        Ok(FrequentLines { frequent: counter.finish(options.k.saturating_add(1))?, options, rules })
    }
}

/// The lines of one text that count, with their keys. Preparing them takes most of the time of the first pass.
#[derive(Debug, Default)]
pub struct PreparedLines {
    keys: Vec<u64>,
    /// The concatenated lines and where each ends, for counters that keep lines.
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PreparedLines {
    /// The lines of a text, for a counter of this kind.
    pub fn of(text: &Ends, options: &PaperOptions, kind: CounterKind) -> Result<PreparedLines> {
        let mut prepared = PreparedLines::default();
        options.lines(text, |line| {
            prepared.keys.push(kind.key(line));
            if kind.keeps_lines() {
                prepared.bytes.extend_from_slice(line);
                prepared.ends.push(prepared.bytes.len());
            }
            Ok(())
        })?;
        Ok(prepared)
    }
}

/// The second pass of the published method: finds preambles and epilogues by the lines that [were counted](LineCounts).
#[derive(Debug)]
pub struct FrequentLines {
    frequent: FrequentTable,
    options: PaperOptions,
    rules: Option<Rules>,
}

impl FrequentLines {
    /// The second pass of the algorithm, for one text.
    pub fn find(&self, text: &Ends) -> Boundaries {
        let edges = text.edges();
        let mut why = ["found frequent lines", "found frequent lines"];
        let (top, bottom) = (
            Window::of(edges.head.iter(), self.options.p_max),
            Window::of(edges.tail.iter().rev(), self.options.e_max),
        );
        let frequent = |(number, line)| (number, self.frequent.is_frequent(line));
        let mut preamble_end = walk(top.iter().map(frequent), First::Sought, self.options.gap_max);
        let mut epilogue_start = walk(bottom.iter().map(frequent), First::Near, self.options.gap_max);
        if let Some(rules) = &self.rules {
            let last = edges.head.iter().rev().find(|line| says_marker(rules, Place::Head, line));
            let first = edges.tail.iter().find(|line| says_marker(rules, Place::Tail, line));
            if let Some(line) = last.filter(|line| line.number >= preamble_end) {
                (preamble_end, why[0]) = (line.number + 1, "found a line that states the boundary");
            }
            if let Some(line) = first.filter(|line| epilogue_start == 0 || line.number + 1 < epilogue_start) {
                (epilogue_start, why[1]) = (line.number + 1, "found a line that states the boundary");
            }
        }
        if epilogue_start <= preamble_end {
            epilogue_start = 0;
        }
        let reason =
            |line: usize, why: &str| if line == 0 { "found no frequent line".to_owned() } else { why.to_owned() };
        Boundaries {
            preamble_end,
            epilogue_start,
            why_preamble: reason(preamble_end, why[0]),
            why_epilogue: reason(epilogue_start, why[1]),
            ..Boundaries::default()
        }
        .checked(&edges)
    }
}

/// How far the first frequent line may be from the end of the text: Algorithm 1 treats the two ends differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// "skip till frequent line seen": at the top.
    Sought,
    /// The gap is counted from the last line of the text: at the bottom.
    Near,
}

/// The last frequent line before a gap of infrequent ones, from 1; 0 means none. Lines come numbered, outermost first.
fn walk(mut lines: impl Iterator<Item = (usize, bool)>, first: First, gap_max: usize) -> usize {
    let mut last = 0;
    if first == First::Sought {
        match lines.find(|(_, is_frequent)| *is_frequent) {
            Some((number, _)) => last = number + 1,
            None => return 0,
        }
    }
    let mut gap = 0;
    while gap < gap_max {
        match lines.next() {
            Some((number, true)) => (gap, last) = (0, number + 1),
            Some((_, false)) => gap += 1,
            None => break,
        }
    }
    last
}

/// The non-trivial lines of one end: their numbers, and their text after preprocessing.
#[derive(Default)]
struct Window {
    bytes: Vec<u8>,
    lines: Vec<(usize, Range<usize>)>,
}

impl Window {
    fn of<'a>(lines: impl Iterator<Item = &'a Line<'a>>, limit: usize) -> Window {
        let mut window = Window::default();
        let mut buffer = Vec::new();
        for line in lines {
            if window.lines.len() == limit {
                break;
            }
            if preprocess(line.text, &mut buffer) {
                let start = window.bytes.len();
                window.bytes.extend_from_slice(&buffer);
                window.lines.push((line.number, start..window.bytes.len()));
            }
        }
        window
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.lines.iter().map(|(number, range)| (*number, &self.bytes[range.clone()]))
    }
}

fn says_marker(rules: &Rules, place: Place, line: &Line) -> bool {
    let mut tokens = Tokens::default();
    tokens.add_line(line.text);
    rules.matches(place, Says::Marker, tokens.all())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pass 2 of Algorithm 1 as it is printed, over a whole file: where the preamble ends and the epilogue starts, from 1.
    fn algorithm_1(file: &[bool], gap_max: usize) -> (usize, usize) {
        let (mut line, mut preamble, mut epilogue) = (0, 0, 0);
        while line < file.len() && !file[line] {
            line += 1;
        }
        let mut gap = 0;
        if line < file.len() {
            preamble = line + 1;
            line += 1;
            while gap < gap_max && line < file.len() {
                if file[line] {
                    gap = 0;
                    preamble = line + 1;
                } else {
                    gap += 1;
                }
                line += 1;
            }
        }
        let mut line = file.len();
        gap = 0;
        while gap < gap_max && line > 0 {
            if file[line - 1] {
                gap = 0;
                epilogue = line;
            } else {
                gap += 1;
            }
            line -= 1;
        }
        (preamble, epilogue)
    }

    proptest! {
        #[test]
        fn the_walk_is_that_of_algorithm_1(file in prop::collection::vec(prop::bool::weighted(0.2), 0..60), gap_max in 0_usize..7) {
            let lines = || file.iter().copied().enumerate();
            let found = (walk(lines(), First::Sought, gap_max), walk(lines().rev(), First::Near, gap_max));
            prop_assert_eq!(found, algorithm_1(&file, gap_max));
        }
    }

    #[test]
    fn ten_infrequent_lines_at_the_end_hide_an_epilogue_and_at_the_top_no_preamble() {
        let own = |n: usize| format!("A line of its own, number {n}, is of no other book.\n");
        let book = |book: usize| {
            let around = |from: usize| (from..from + 12).map(|n| own(book * 100 + n)).collect::<String>();
            let shared = "A licence line that is shared by all the books.\n";
            Ends::of(format!("{}{shared}{}{shared}{}", around(0), around(20), around(40)).as_bytes(), EDGE_LINES)
        };
        let counter = CounterKind::Exact.build(&Options::default()).expect("a counter");
        let mut counts = LineCounts::new(counter, PaperOptions::PUBLISHED);
        (0..12).for_each(|n| counts.observe(&book(n)).expect("room"));
        let found = counts.conclude().expect("room").find(&book(0));
        assert_eq!((found.preamble_end, found.epilogue_start), (13, 0));
    }

    fn book(n: usize) -> Ends {
        let body = (0..40)
            .map(|i| format!("Body line {i} of the book number {n}, which is unique.\n"))
            .collect::<Vec<_>>()
            .concat();
        let text = format!(
            "Licence line one, shared by all the books.\nTitle of {n}\n\n{body}\nThe closing licence line, shared by all.\n"
        );
        Ends::of(text.as_bytes(), EDGE_LINES)
    }

    fn counted(books: Range<usize>, kind: CounterKind, options: PaperOptions) -> FrequentLines {
        let mut counts = LineCounts::new(kind.build(&Options::default()).expect("a counter"), options);
        books.for_each(|n| counts.observe(&book(n)).expect("room"));
        counts.conclude().expect("room")
    }

    #[test]
    fn shared_lines_are_found_at_both_ends_with_any_counter() {
        for kind in CounterKind::ALL {
            let found = counted(0..12, kind, PaperOptions::PUBLISHED).find(&book(0));
            assert_eq!((found.preamble_end, found.epilogue_start), (1, 45), "{kind}");
        }
    }

    #[test]
    fn the_heuristics_find_lines_that_are_not_frequent() {
        let options = PaperOptions { heuristics: true, ..PaperOptions::PUBLISHED };
        let lines = counted(0..0, CounterKind::Exact, options);
        for marker in [
            "*** START OF THIS PROJECT GUTENBERG EBOOK KIM ***",
            "***START OF THE PROJECT GUTENBERG EBOOK KIM***",
            "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        ] {
            let text = format!("{marker}\n\nKIM\n\nEnd of Project Gutenberg's Kim\n");
            let found = lines.find(&Ends::of(text.as_bytes(), EDGE_LINES));
            assert_eq!((found.preamble_end, found.epilogue_start), (1, 5), "{marker}");
        }
    }
}
