//! Where a text contains a unit, word by word.

use std::collections::BTreeMap;

use super::index::{Unit, Words};
use crate::text::Word;

/// Words that a unit and a text share in the same order, without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// The first word in the unit.
    pub(super) i: usize,
    /// The first word in the text.
    pub(super) j: usize,
    /// How many words.
    pub(super) length: usize,
}

impl Run {
    fn ends(&self) -> (usize, usize) {
        (self.i + self.length, self.j + self.length)
    }
}

/// A place of a text that contains at least a part of a unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// What is the same, in order on both sides.
    pub(super) runs: Vec<Run>,
    /// The share of the words of the unit.
    pub(super) share: f64,
    /// The share of its names and numbers; 1 if it has too few of them.
    pub(super) facts: f64,
    /// How much the words say that are the same, in words.
    pub(super) evidence: usize,
    /// The text has another number in place of one of the unit.
    pub(super) other_number: bool,
    /// The text has another name in place of one of the unit.
    pub(super) other_name: bool,
}

impl Place {
    /// The first word of the text, and the one after the last.
    pub(super) fn bounds(&self) -> (usize, usize) {
        let start = self.runs.first().map_or(0, |run| run.j);
        (start, self.runs.last().map_or(start, |run| run.ends().1))
    }
}

/// Words of the text that may occur between two runs, such as the comments between lines that a post quotes.
const GAP: usize = 80;
/// For short units, this many times their words.
const GAP_FACTOR: usize = 3;
/// Single words count as the same if at most this many words of the unit differ in a row, ...
const FILL: usize = 6;
/// ... and the text has at most this many more there.
const SLACK: usize = 4;
/// Units with fewer names and numbers are not judged by them.
const FACTS: usize = 3;

/// The largest number of words between two runs of a unit.
fn widest_gap(unit: &Unit) -> usize {
    GAP.min(GAP_FACTOR * unit.words.len())
}

/// The words that a run adds to a chain that ends with another one; nothing if it cannot follow it.
fn gain(before: &Run, run: &Run, gap: usize) -> usize {
    let (i, j) = before.ends();
    let overlap = i.saturating_sub(run.i).max(j.saturating_sub(run.j));
    let follows = run.i > before.i && run.j > before.j && run.j <= j + gap;
    if follows { run.length.saturating_sub(overlap) } else { 0 }
}

/// The places of a text that contain a unit: chains of runs, those of most words first, that do not overlap each other in the
/// text. The runs are in order of the text.
pub(super) fn places(unit: &Unit, text: &Words<'_>, runs: &[Run]) -> Vec<Place> {
    let gap = widest_gap(unit);
    let longest = runs.iter().map(|run| run.length).max().unwrap_or_default();
    let mut chains: Vec<(usize, Option<usize>)> = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let mut best = (run.length, None);
        for (before, other) in runs[..number].iter().enumerate().rev() {
            if other.j + longest + gap < run.j {
                break;
            }
            let gain = gain(other, run, gap);
            if gain > 0 && chains[before].0 + gain > best.0 {
                best = (chains[before].0 + gain, Some(before));
            }
        }
        chains.push(best);
    }
    let mut order: Vec<usize> = (0..runs.len()).collect();
    order.sort_by_key(|&number| (std::cmp::Reverse(chains[number].0), number));
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = Vec::new();
    for last in order {
        let chain = chain(runs, &chains, last, &taken);
        let Some((start, end)) = chain.first().zip(chain.last()).map(|(first, last)| (first.j, last.ends().1)) else {
            continue;
        };
        taken.insert(start, end);
        places.push(measured(unit, text, filled(unit, text, chain)));
    }
    places.sort_by_key(Place::bounds);
    places
}

/// The chain that ends with a run, back to where the text is taken by a better one. Runs that overlap are cut.
fn chain(runs: &[Run], chains: &[(usize, Option<usize>)], last: usize, taken: &BTreeMap<usize, usize>) -> Vec<Run> {
    let is_taken = |run: &Run| {
        let before = taken.range(..run.ends().1).next_back();
        before.is_some_and(|(_, end)| *end > run.j)
    };
    let mut chain = Vec::new();
    let mut next = Some(last);
    while let Some(number) = next.filter(|number| !is_taken(&runs[*number])) {
        chain.push(runs[number]);
        next = chains[number].1;
    }
    chain.reverse();
    for at in 1..chain.len() {
        let (i, j) = chain[at - 1].ends();
        let run = &mut chain[at];
        let overlap = i.saturating_sub(run.i).max(j.saturating_sub(run.j));
        *run = Run { i: run.i + overlap, j: run.j + overlap, length: run.length.saturating_sub(overlap) };
    }
    chain
}

/// The chain with the single words that are the same between its runs, before the first and after the last.
fn filled(unit: &Unit, text: &Words<'_>, chain: Vec<Run>) -> Vec<Run> {
    let (ours, theirs) = (&unit.words, &text.words);
    let (Some(first), Some(last)) = (chain.first().copied(), chain.last().copied()) else { return chain };
    let mut all = Vec::with_capacity(chain.len());
    let head = first.i.min(FILL);
    let head_text = (first.j).min(head + SLACK);
    all.extend(common(ours, theirs, (first.i - head, first.i), (first.j - head_text, first.j)));
    for (at, run) in chain.iter().enumerate() {
        all.push(*run);
        let Some(next) = chain.get(at + 1) else { break };
        let (i, j) = run.ends();
        if next.i - i <= FILL && next.j - j <= next.i - i + SLACK {
            all.extend(common(ours, theirs, (i, next.i), (j, next.j)));
        }
    }
    let (i, j) = last.ends();
    let tail = (ours.len() - i).min(FILL);
    all.extend(common(ours, theirs, (i, i + tail), (j, theirs.len().min(j + tail + SLACK))));
    all
}

/// The longest sequence of words that both ranges have in the same order, the first of several.
pub(super) fn common(ours: &[Word], theirs: &[Word], (i0, i1): (usize, usize), (j0, j1): (usize, usize)) -> Vec<Run> {
    let (rows, columns) = (i1 - i0, j1 - j0);
    let width = columns + 1;
    let mut longest = vec![0_u16; (rows + 1) * width];
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            longest[i * width + j] = if ours[i0 + i].hash == theirs[j0 + j].hash {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < rows && j < columns && longest[i * width + j] > 0 {
        if ours[i0 + i].hash == theirs[j0 + j].hash {
            found.push(Run { i: i0 + i, j: j0 + j, length: 1 });
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// The figures of a place.
fn measured(unit: &Unit, text: &Words<'_>, runs: Vec<Run>) -> Place {
    let words = &unit.words;
    let covered = || runs.iter().flat_map(|run| run.i..run.i + run.length);
    let facts = words.iter().filter(|word| word.marked()).count();
    let facts_covered = covered().filter(|&at| words[at].marked()).count();
    let count: usize = runs.iter().map(|run| run.length).sum();
    let halves: usize = covered().map(|at| usize::from(unit.weights[at])).sum();
    let mut place = Place {
        share: count as f64 / words.len().max(1) as f64,
        facts: if facts < FACTS { 1.0 } else { facts_covered as f64 / facts as f64 },
        evidence: halves / 2,
        other_number: false,
        other_name: false,
        runs,
    };
    // The words that differ: between runs, and as many before the first and after the last.
    let mut gaps: Vec<[(usize, usize); 2]> = Vec::new();
    for pair in place.runs.windows(2) {
        let ((i, j), next) = (pair[0].ends(), pair[1]);
        if next.i > i && next.j - j <= next.i - i + SLACK {
            gaps.push([(i, next.i), (j, next.j)]);
        }
    }
    if let Some((first, last)) = place.runs.first().zip(place.runs.last()) {
        let ((i, j), head) = (last.ends(), first.i.min(first.j));
        let tail = (words.len() - i).min(text.words.len() - j);
        gaps.push([(first.i - head.min(FILL), first.i), (first.j - head.min(FILL), first.j)]);
        gaps.push([(i, i + tail.min(FILL)), (j, j + tail.min(FILL))]);
    }
    for [(i, i_end), (j, j_end)] in gaps {
        let ours = differing(&unit.text, &words[i..i_end]);
        let theirs = differing(text.text, &text.words[j..j_end]);
        let differ = |ours: &str, theirs: &str| !ours.is_empty() && !theirs.is_empty() && ours != theirs;
        place.other_number |= differ(&ours.0, &theirs.0);
        place.other_name |= differ(&ours.1, &theirs.1);
    }
    place
}

/// The digits and the names of some words.
fn differing(text: &str, words: &[Word]) -> (String, String) {
    let (mut digits, mut names) = (String::new(), String::new());
    for word in words.iter().map(|word| &text[word.range()]) {
        digits.extend(word.chars().filter(char::is_ascii_digit));
        if word.starts_with(char::is_uppercase) {
            names.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    (digits, names)
}

/// The best place of a short unit among some words of a text, and the nearest to other words of several. A unit of up to
/// three words must be there as it is.
pub(super) fn nearby(
    unit: &Unit,
    text: &Words<'_>,
    (from, to): (usize, usize),
    near: (usize, usize),
) -> Option<Vec<Run>> {
    let ours = &unit.words[..unit.words.len().min(LONGEST_NEARBY)];
    let theirs = &text.words;
    let to = to.min(theirs.len());
    let mut best: Option<(usize, usize, Vec<Run>)> = None;
    for at in from..to {
        if !ours.iter().take(EXACT).any(|word| word.hash == theirs[at].hash) {
            continue;
        }
        let runs = if ours.len() <= EXACT {
            let fits = at + ours.len() <= to && ours.iter().zip(&theirs[at..]).all(|(one, two)| one.hash == two.hash);
            fits.then(|| vec![Run { i: 0, j: at, length: ours.len() }])
        } else {
            let end = to.min(at + ours.len() + ours.len() / 4 + 1);
            let runs = common(ours, theirs, (0, ours.len()), (at, end));
            (4 * runs.len() >= 3 * ours.len()).then_some(runs)
        };
        let Some(runs) = runs else { continue };
        let count: usize = runs.iter().map(|run| run.length).sum();
        let distance = near.0.saturating_sub(at) + at.saturating_sub(near.1);
        if best.as_ref().is_none_or(|(most, least, _)| count > *most || count == *most && distance < *least) {
            best = Some((count, distance, runs));
        }
    }
    best.map(|(_, _, runs)| runs)
}

/// Units of up to this many words are compared as a whole.
const EXACT: usize = 3;
/// Words of a long option or answer that are compared.
const LONGEST_NEARBY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(text: &str) -> Unit {
        let words = Words::outside(text, &[]).words;
        let count = words.len();
        Unit { text: text.into(), words, identifies: vec![true; count], weights: vec![2; count], uses: Vec::new() }
    }

    #[test]
    fn short_units_must_be_there_as_they_are() {
        let text = Words::outside("He said Eva and later Eva Carrow, then Eva Maria Carrow", &[]);
        let runs = nearby(&unit("Eva Carrow"), &text, (0, 99), (0, 1)).expect("a place");
        assert_eq!(runs, [Run { i: 0, j: 5, length: 2 }]);
        assert_eq!(nearby(&unit("Maria Eva"), &text, (0, 99), (0, 1)), None);
        let long = nearby(&unit("and later Eva Carrow came"), &text, (0, 99), (0, 1)).expect("most of it");
        assert_eq!((long[0].j, long.len()), (3, 4));
    }

    #[test]
    fn other_numbers_and_names_in_the_same_place_are_noticed() {
        let unit = unit("how many of the 12 lamps did the keeper Eva light in the year of the storm");
        let check = |text: &str| {
            let text = Words::outside(text, &[]);
            let runs: Vec<Run> = common(&unit.words, &text.words, (0, unit.words.len()), (0, text.words.len()));
            let place = measured(&unit, &text, runs);
            (place.other_number, place.other_name)
        };
        assert_eq!(check("how many of the 14 lamps did the keeper Eva light in the year of the storm"), (true, false));
        assert_eq!(check("how many of the 12 lamps did the keeper Tom light in the year of the storm"), (false, true));
        assert_eq!(check("how many of the twelve lamps did the keeper light in the year of the storm"), (false, false));
    }
}
