//! The published method: Algorithm 1 of Kaser and Lemire, with their heuristics as an option.

use std::ops::Range;

use foldhash::HashMap;
use twox_hash::XxHash3_64;

use super::blocks::Tokens;
use super::lines::{Ends, Line, preprocess};
use super::rules::{PAPER, Place, Rules, Says};
use super::{EDGE_LINES, Found};
use crate::error::Result;

/// The constants of the paper, under the names of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperOptions {
    /// K: a line is frequent when it occurs more often than this.
    pub k: u32,
    /// Non-trivial lines that are looked at in front.
    pub p_max: usize,
    /// Non-trivial lines that are looked at at the end.
    pub e_max: usize,
    /// GAP_MAX: so many infrequent lines on end make the boilerplate end.
    pub gap_max: usize,
    /// Lines that say where the boilerplate ends count, too (section 3.4 of the paper).
    pub heuristics: bool,
}

impl PaperOptions {
    /// As published.
    pub const PUBLISHED: PaperOptions = PaperOptions { k: 10, p_max: 300, e_max: 300, gap_max: 10, heuristics: false };

    /// Lines that are needed of each end of a text.
    pub fn edge_lines(&self) -> usize {
        EDGE_LINES.max(self.p_max.saturating_mul(2)).max(self.e_max.saturating_mul(2))
    }
}

impl Default for PaperOptions {
    fn default() -> Self {
        PaperOptions::PUBLISHED
    }
}

/// What counts lines. The paper compares several structures that need less memory than an exact table; each is one of these.
pub trait LineCounter: Send + Sync {
    /// Counts a preprocessed line.
    fn add(&mut self, line: &[u8]);

    /// True when a line was, or seems to have been, counted more than `k` times.
    fn is_frequent(&self, line: &[u8], k: u32) -> bool;
}

/// An exact table, as far as 64 bits tell lines apart.
#[derive(Debug, Default)]
pub struct ExactCounter(HashMap<u64, u32>);

impl LineCounter for ExactCounter {
    fn add(&mut self, line: &[u8]) {
        let count = self.0.entry(XxHash3_64::oneshot(line)).or_default();
        *count = count.saturating_add(1);
    }

    fn is_frequent(&self, line: &[u8], k: u32) -> bool {
        self.0.get(&XxHash3_64::oneshot(line)).is_some_and(|&count| count > k)
    }
}

/// The published method, over any counter of lines: [`FrequentLines::observe`] all texts, then [`FrequentLines::find`].
///
/// ```
/// use refrain::strip::{Ends, ExactCounter, FrequentLines, PaperOptions};
///
/// let book = |n: u32| {
///     let body = (0..40).map(|i| format!("Line {i} of book {n}, which stands nowhere else.\n")).collect::<Vec<_>>().concat();
///     Ends::of(format!("This licence stands in front of every book.\n\n{body}").as_bytes(), 600)
/// };
/// let mut lines = FrequentLines::<ExactCounter>::new(PaperOptions::PUBLISHED)?;
/// (0..12).for_each(|n| lines.observe(&book(n)));
/// assert_eq!(lines.find(&book(3)).preamble_end, 1);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug)]
pub struct FrequentLines<C> {
    counter: C,
    options: PaperOptions,
    rules: Option<Rules>,
}

impl<C: LineCounter + Default> FrequentLines<C> {
    /// With a counter that has counted nothing.
    pub fn new(options: PaperOptions) -> Result<FrequentLines<C>> {
        FrequentLines::with(C::default(), options)
    }
}

impl<C: LineCounter> FrequentLines<C> {
    /// With this counter.
    pub fn with(counter: C, options: PaperOptions) -> Result<FrequentLines<C>> {
        let rules = options.heuristics.then(|| Rules::parse(PAPER)).transpose()?;
        Ok(FrequentLines { counter, options, rules })
    }

    /// What counted.
    pub fn counter(&self) -> &C {
        &self.counter
    }

    /// The first pass of the algorithm, for one text.
    pub fn observe(&mut self, text: &Ends) {
        let edges = text.edges();
        let top = Telling::of(edges.head.iter(), self.options.p_max);
        let after = top.lines.last().map_or(0, |line| line.0 + 1);
        let bottom = Telling::of(edges.tail.iter().rev(), self.options.e_max);
        for (_, line) in top.iter().chain(bottom.iter().filter(|line| line.0 >= after)) {
            self.counter.add(line);
        }
    }

    /// The second pass of the algorithm, for one text.
    pub fn find(&self, text: &Ends) -> Found {
        let edges = text.edges();
        let mut why = ["frequent lines", "frequent lines"];
        let mut preamble_end = self.walk(&Telling::of(edges.head.iter(), self.options.p_max));
        let mut epilogue_start = self.walk(&Telling::of(edges.tail.iter().rev(), self.options.e_max));
        if let Some(rules) = &self.rules {
            let last = edges.head.iter().rev().find(|line| says_marker(rules, Place::Head, line));
            let first = edges.tail.iter().find(|line| says_marker(rules, Place::Tail, line));
            if let Some(line) = last.filter(|line| line.number >= preamble_end) {
                (preamble_end, why[0]) = (line.number + 1, "a line that says so");
            }
            if let Some(line) = first.filter(|line| epilogue_start == 0 || line.number + 1 < epilogue_start) {
                (epilogue_start, why[1]) = (line.number + 1, "a line that says so");
            }
        }
        if epilogue_start <= preamble_end {
            epilogue_start = 0;
        }
        let told = |line: usize, why: &str| if line == 0 { "no frequent line".to_owned() } else { why.to_owned() };
        Found {
            preamble_end,
            epilogue_start,
            why_preamble: told(preamble_end, why[0]),
            why_epilogue: told(epilogue_start, why[1]),
            ..Found::default()
        }
        .checked(&edges)
    }

    /// The last frequent line before a gap of infrequent ones, from 1; 0 is none.
    fn walk(&self, lines: &Telling) -> usize {
        let (mut gap, mut last) = (0, 0);
        for (number, line) in lines.iter() {
            if self.counter.is_frequent(line, self.options.k) {
                (gap, last) = (0, number + 1);
            } else if last > 0 {
                gap += 1;
                if gap >= self.options.gap_max {
                    break;
                }
            }
        }
        last
    }
}

/// The non-trivial lines of one end: their numbers, and what preprocessing made of them.
#[derive(Default)]
struct Telling {
    bytes: Vec<u8>,
    lines: Vec<(usize, Range<usize>)>,
}

impl Telling {
    fn of<'a>(lines: impl Iterator<Item = &'a Line<'a>>, limit: usize) -> Telling {
        let mut telling = Telling::default();
        let mut buffer = Vec::new();
        for line in lines {
            if telling.lines.len() == limit {
                break;
            }
            if preprocess(line.text, &mut buffer) {
                let start = telling.bytes.len();
                telling.bytes.extend_from_slice(&buffer);
                telling.lines.push((line.number, start..telling.bytes.len()));
            }
        }
        telling
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.lines.iter().map(|(number, range)| (*number, &self.bytes[range.clone()]))
    }
}

fn says_marker(rules: &Rules, place: Place, line: &Line) -> bool {
    let mut tokens = Tokens::default();
    tokens.add_line(line.text);
    rules.matches(place, Says::Marker, &tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn shared_lines_are_found_at_both_ends() {
        let mut lines = FrequentLines::<ExactCounter>::new(PaperOptions::PUBLISHED).expect("rules");
        (0..12).for_each(|n| lines.observe(&book(n)));
        let found = lines.find(&book(0));
        assert_eq!((found.preamble_end, found.epilogue_start), (1, 45));
    }

    #[test]
    fn the_heuristics_find_lines_that_are_not_frequent() {
        let options = PaperOptions { heuristics: true, ..PaperOptions::PUBLISHED };
        let lines = FrequentLines::<ExactCounter>::new(options).expect("rules");
        let text = "*** START OF THIS PROJECT GUTENBERG EBOOK KIM ***\n\nKIM\n\nEnd of Project Gutenberg's Kim\n";
        let found = lines.find(&Ends::of(text.as_bytes(), EDGE_LINES));
        assert_eq!((found.preamble_end, found.epilogue_start), (1, 5));
    }
}
