//! FindOptimal: eliminating useless parts of semi-structured documents by alternation counts, as published (Ikeda, Yamada,
//! Hirokawa, 2001).
//!
//! A page is a string of letters. An n-gram is useless when it is among the most frequent a percent; letters under useless
//! n-grams are template. The cut point (n, a) is climbed from (2, 1) for as long as the number of alternations between useless
//! and other parts falls. The published text leaves four things open; [`Readings`] names them.
//!
//! One suffix array serves all n: equal n-grams are adjacent in it, and the lengths of common prefixes show where one
//! n-gram ends and the next begins.

use libsais::SuffixArrayConstruction;
use libsais::suffix_array::SuffixArrayWithText;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::template::normalise;

/// How to read the ambiguous passages of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Readings {
    /// N-grams that are as frequent as the last one of the first a percent.
    pub ties: Ties,
    /// How many letters an n-gram makes useless.
    pub covered: Covered,
    /// Whether n-grams are looked up, and alternations counted, across the ends of documents.
    pub documents: Documents,
    /// The whole of which a percent is selected.
    pub percent: Percent,
}

/// N-grams that are as frequent as the last one of the first a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Those that occur first in the text are selected.
    First,
    /// All of them are selected: an n-gram is useless when its frequency is among the first a percent of the frequencies.
    #[default]
    All,
    /// None of them is selected, unless all fit.
    None,
}

/// How many letters an n-gram makes useless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Covered {
    /// Its own n letters: the definition of range strings.
    #[default]
    Own,
    /// One more: x\[i..i + n\] in Figure 2, where i..j is elsewhere the letters from i to j.
    AndNext,
}

/// Whether n-grams are looked up, and alternations counted, across the ends of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Documents {
    /// Each document for itself: the alternation count of a set is the sum over its strings.
    #[default]
    Apart,
    /// All documents as one string, as Figure 2 has it. N-grams are counted inside of documents.
    Joined,
}

/// The whole of which a percent is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Percent {
    /// Of the different n-grams.
    #[default]
    Distinct,
    /// Of all n-grams, counted as often as they occur.
    Occurrences,
}

/// The cut point that the climb ends at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CutPoint {
    /// Letters of an n-gram.
    pub n: usize,
    /// Percent of n-grams that are useless.
    pub a: usize,
    /// Alternations between useless and other parts, of all documents.
    pub alternations: usize,
}

/// Documents, made ready for all n.
pub struct FindOptimal {
    readings: Readings,
    /// Where each document begins, and where the last one ends.
    starts: Vec<usize>,
    suffixes: Vec<i32>,
    /// Letters that a suffix has in common with the one before it in the array.
    common: Vec<u32>,
    /// For each letter, the letters of its document from there on.
    left: Vec<u32>,
}

/// The n-grams of one length: of each letter, the rank of the n-gram that begins there; the most frequent one has rank 0.
struct Ranked {
    n: usize,
    ranks: Vec<u32>,
    /// Occurrences, by rank.
    counts: Vec<u32>,
}

/// The rank of a position without an n-gram of a document.
const UNRANKED: u32 = u32::MAX;

impl FindOptimal {
    /// Prepares documents. White space is normalised: tabs and line ends become spaces, and runs of spaces become one.
    pub fn new<'a>(documents: impl IntoIterator<Item = &'a str>, readings: Readings) -> Result<FindOptimal> {
        let mut letters: Vec<i32> = Vec::new();
        let mut starts = vec![0];
        for document in documents {
            letters.extend(normalise(document).chars().map(|letter| letter as i32));
            starts.push(letters.len());
        }
        let left = starts.windows(2).flat_map(|ends| (1..=ends[1] - ends[0]).rev().map(|left| left as u32)).collect();
        let suffixes = suffix_array(&mut letters)?;
        let common = common_prefixes(&letters, &suffixes);
        Ok(FindOptimal { readings, starts, suffixes, common, left })
    }

    /// Climbs from (2, 1) to an optimal cut point.
    pub fn cut_point(&self) -> CutPoint {
        let longest = self.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or_default();
        let mut current = self.ranked(2);
        let mut next: Option<Ranked> = None;
        let mut a = 1;
        let mut count = self.alternations(&current, a);
        while current.n <= longest && a < 100 {
            let following = next.take().unwrap_or_else(|| self.ranked(current.n + 1));
            let by_a = self.alternations(&current, a + 1);
            let by_n = self.alternations(&following, a);
            if count <= by_a && count <= by_n {
                break;
            }
            if by_a < by_n {
                a += 1;
                count = by_a;
                next = Some(following);
            } else {
                count = by_n;
                current = following;
            }
        }
        CutPoint { n: current.n, a, alternations: count }
    }

    /// The parts of each document that are not useless, as ranges of letters of the normalised document.
    pub fn content(&self, n: usize, a: usize) -> Vec<Vec<(usize, usize)>> {
        let useless = self.useless(&self.ranked(n), a);
        let ranges = |ends: &[usize]| {
            let document = &useless[ends[0]..ends[1]];
            let mut ranges: Vec<(usize, usize)> = Vec::new();
            for at in (0..document.len()).filter(|at| !document[*at]) {
                match ranges.last_mut() {
                    Some(last) if last.1 == at => last.1 = at + 1,
                    _ => ranges.push((at, at + 1)),
                }
            }
            ranges
        };
        self.starts.windows(2).map(ranges).collect()
    }

    /// Counts the n-grams of one length and sorts them.
    #[allow(clippy::cast_sign_loss)] // places in a text are not negative
    fn ranked(&self, n: usize) -> Ranked {
        // Equal n-grams are neighbours in the suffix array.
        let mut classes = vec![0_u32; self.suffixes.len()];
        let mut class = 0;
        for (place, suffix) in self.suffixes.iter().enumerate() {
            if place > 0 && (self.common[place] as usize) < n {
                class += 1;
            }
            classes[*suffix as usize] = class;
        }
        // Those that occur in documents, in the order in which they are first met.
        let mut met = vec![UNRANKED; class as usize + 1];
        let mut counts: Vec<u32> = Vec::new();
        for (at, class) in classes.iter().enumerate() {
            if self.left[at] as usize >= n {
                let met = &mut met[*class as usize];
                if *met == UNRANKED {
                    *met = counts.len() as u32;
                    counts.push(0);
                }
                counts[*met as usize] += 1;
            }
        }
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_by_key(|met| std::cmp::Reverse(counts[*met as usize]));
        let mut rank_of = vec![UNRANKED; counts.len()];
        for (rank, met) in order.iter().enumerate() {
            rank_of[*met as usize] = rank as u32;
        }
        let inside = self.readings.documents == Documents::Apart;
        let rank = |(at, class): (usize, u32)| {
            // The last positions are too close to the end for an n-gram.
            let there = at + n <= classes.len() && (!inside || self.left[at] as usize >= n);
            let met = met[class as usize];
            if there && met != UNRANKED { rank_of[met as usize] } else { UNRANKED }
        };
        let ranks = classes.iter().copied().enumerate().map(rank).collect();
        Ranked { n, ranks, counts: order.iter().map(|met| counts[*met as usize]).collect() }
    }

    /// How many n-grams are useless.
    fn cut(&self, ranked: &Ranked, a: usize) -> usize {
        let counts = &ranked.counts;
        let cut = match self.readings.percent {
            Percent::Distinct => counts.len() * a / 100,
            Percent::Occurrences => {
                let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
                let wanted = all * a as u64 / 100;
                let mut sum = 0;
                counts
                    .iter()
                    .take_while(|count| {
                        sum += u64::from(**count);
                        sum <= wanted
                    })
                    .count()
            }
        };
        match self.readings.ties {
            Ties::All if cut > 0 => counts.partition_point(|count| *count >= counts[cut - 1]),
            Ties::None if cut < counts.len() => counts.partition_point(|count| *count > counts[cut]),
            _ => cut,
        }
    }

    /// Which letters are part of useless n-grams.
    fn useless(&self, ranked: &Ranked, a: usize) -> Vec<bool> {
        let cut = self.cut(ranked, a) as u32;
        let mut useless = vec![false; ranked.ranks.len()];
        self.each_letter(ranked, cut, |at, covered| useless[at] = covered);
        useless
    }

    fn alternations(&self, ranked: &Ranked, a: usize) -> usize {
        let cut = self.cut(ranked, a) as u32;
        let apart = self.readings.documents == Documents::Apart;
        let (mut count, mut before) = (0, None);
        let mut next_start = self.starts.iter().copied().peekable();
        self.each_letter(ranked, cut, |at, covered| {
            while next_start.peek().is_some_and(|start| *start < at) {
                next_start.next();
            }
            let begins = apart && next_start.peek() == Some(&at);
            count += usize::from(!begins && before.is_some_and(|before| before != covered));
            before = Some(covered);
        });
        count
    }

    /// Passes to `visit` for each letter whether it is part of a useless n-gram.
    fn each_letter(&self, ranked: &Ranked, cut: u32, mut visit: impl FnMut(usize, bool)) {
        let covers = ranked.n + usize::from(self.readings.covered == Covered::AndNext);
        let apart = self.readings.documents == Documents::Apart;
        let mut until = 0;
        for (at, rank) in ranked.ranks.iter().enumerate() {
            if *rank < cut {
                let end = at + if apart { covers.min(self.left[at] as usize) } else { covers };
                until = until.max(end);
            }
            visit(at, at < until);
        }
    }
}

fn suffix_array(letters: &mut [i32]) -> Result<Vec<i32>> {
    if letters.is_empty() {
        return Ok(Vec::new());
    }
    SuffixArrayConstruction::for_text_mut(letters)
        .in_owned_buffer32()
        .single_threaded()
        .run()
        .map(SuffixArrayWithText::into_vec)
        .map_err(|error| Error::Refused(format!("cannot build a suffix array of the pages ({error}); use fewer pages")))
}

/// The lengths of the prefixes that neighbours in a suffix array have in common (Kasai et al., 2001).
#[allow(clippy::cast_sign_loss)] // places in a text are not negative
fn common_prefixes(letters: &[i32], suffixes: &[i32]) -> Vec<u32> {
    let mut places = vec![0_u32; suffixes.len()];
    for (place, suffix) in suffixes.iter().enumerate() {
        places[*suffix as usize] = place as u32;
    }
    let mut common = vec![0_u32; suffixes.len()];
    let mut length = 0_usize;
    for (at, place) in places.iter().enumerate() {
        let Some(before) = (*place as usize).checked_sub(1) else {
            length = 0;
            continue;
        };
        let other = suffixes[before] as usize;
        while at + length < letters.len()
            && other + length < letters.len()
            && letters[at + length] == letters[other + length]
        {
            length += 1;
        }
        common[*place as usize] = length as u32;
        length = length.saturating_sub(1);
    }
    common
}
