//! Summaries: a short passage that summarises a long stretch of the other text.
//!
//! No sentence of a summary need resemble a sentence of its source. The evidence is that the words of the passage recur
//! in the other text far more than the words around it do, and are spread over a stretch much longer than the passage.
//! The passage and the stretch are found in turn, each given the other. Two things look similar but are not summaries.
//! A copied passage is explained by one window of the other text as well as by all of it. Two texts on one topic share
//! words but hardly any pairs of neighbouring words.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::matcher::{Mass, Matcher, contrast, tie};
use super::pair::{ABSENT, Span, collide, overlap};
use super::refine;
use super::{Found, PassageKind};

/// First thresholds for the densest stretch, between the share of matches of the whole text (0) and 1. Several are tried
/// because the share inside the passage is not known yet.
const FIRST_THRESHOLDS: [f32; 3] = [0.15, 0.30, 0.45];

/// How often a range is fitted anew to the shares that it implies.
const FITS: usize = 2;

/// Value of an end at the end of the text: a text has one, but many sentence breaks. At 4, the value of a sentence
/// break, sources come out shorter and summaries lose .027, at 8 .012; at 18 they gain .006.
const TEXT_END_BONUS: f32 = 12.0;

/// Least gain in log-likelihood from separating the passage from its surroundings. Down to 0 nothing changes, as the
/// other tests are stricter; at 60 summaries lose .011.
const MIN_CONTRAST: f32 = 40.0;

/// Least share of the distinct words of the passage that is matched above chance. Tables and forms reach .2, most summaries
/// .3 and more. From .2 to .3 the result moves by .001.
const MIN_EXCESS: f32 = 0.25;

/// Least and largest number of source words per word of the passage. Below, there is nothing to summarise; above, a
/// text of that length contains the words of anything. Limits of 2 to 3 and 20 to 30 change one or two decisions in a
/// hundred.
const COMPRESSION: Range<f32> = 2.5..25.0;

/// Largest part of the matches that a single window of the source may explain; a copy has them all in one. .82 to .9
/// trade summaries found against copies mistaken for one: summaries -.017 at .82, copies -.003 at .9.
const MAX_IN_WINDOW: f32 = 0.86;

/// Length of that window, in halves of the passage length.
const WINDOW: usize = 3;

/// Largest contrast of a single copy inside the passage, relative to that of the passage. At 1.3 summaries lose .034,
/// at 1.7 paraphrases .003.
const MAX_COPY: f32 = 1.5;

/// Largest contrast of all copies inside the passage together: 1 to 2.5 for sentences copied one by one, more for
/// independent copies. At 2 summaries lose .033, at 3 nothing changes.
const MAX_COPIES: f32 = 2.5;

/// How often a verbatim copy counts among all copies: the contrast sees its words but not their order, which suggests
/// an independent copy. At 1 and 3 nothing changes on the development set; at 1 scattered verbatim copies in longer
/// texts are occasionally mistaken for a summary.
const VERBATIM_FACTOR: f32 = 2.0;

/// Least rarity of common neighbouring words per word of the passage: about .15 between texts on one topic, .3 and more in
/// summaries. From .25 to .35 the result moves by .002; without it one cross pair in 70 gets a summary.
const MIN_COLLOCATION: f32 = 0.30;

/// A passage that may be a summary.
struct Candidate {
    /// Side of the passage; the source is on the other.
    side: usize,
    /// Tokens of the passage.
    here: Range<usize>,
    /// Tokens of its source.
    there: Range<usize>,
    /// Weight of the passage, matched against its source.
    inside: Mass,
    /// Gain in log-likelihood from separating the passage from its surroundings.
    contrast: f32,
}

impl Candidate {
    /// Token ranges in the order of the sides.
    fn span(&self) -> Span {
        let (here, there) = (self.here.clone(), self.there.clone());
        if self.side == 0 { [here, there] } else { [there, here] }
    }
}

/// A summary: the side of the short passage, and the token ranges.
pub(super) struct Summary {
    /// Side of the short passage.
    pub(super) side: usize,
    /// Token ranges of the passage and its source, in the order of the sides.
    pub(super) span: Span,
}

/// The best summary in either direction. `copies` are the copied passages found before, `runs` the stretches of equal
/// words, and `least` the minimum length of a passage in tokens.
pub(super) fn find(matcher: &mut Matcher, copies: &[Found], runs: &[Span], least: usize) -> Vec<Summary> {
    let mut candidates: Vec<Candidate> = (0..2).filter_map(|side| candidate(matcher, side)).collect();
    candidates.sort_by(|x, y| y.contrast.total_cmp(&x.contrast));
    let mut summaries: Vec<Summary> = Vec::new();
    for candidate in candidates {
        let span = candidate.span();
        let free = summaries.iter().all(|other| !collide(&other.span, &span));
        if free && is_summary(matcher, &candidate, copies, least) && !is_scattered(matcher, &candidate, runs) {
            summaries.push(Summary { side: candidate.side, span });
        }
    }
    summaries
}

/// The passage of `side` that the other text covers best, and the stretch it may summarise.
fn candidate(matcher: &mut Matcher, side: usize) -> Option<Candidate> {
    let all = 0..matcher.pair.sides[1 - side].text.len();
    matcher.mark(1 - side, all.clone());
    let first = densest(matcher, side)?;
    let there = source(matcher, side, &first, all)?;
    matcher.mark(1 - side, there.clone());
    let mut here = first;
    for _ in 0..FITS {
        let (inside, outside) = masses(matcher, side, &here);
        here = best_stretch(matcher, side, threshold(inside, outside)?)?;
    }
    let there = source(matcher, side, &here, there)?;
    matcher.mark(1 - side, there.clone());
    let (inside, outside) = masses(matcher, side, &here);
    Some(Candidate { side, here, there, inside, contrast: contrast(inside, outside) })
}

/// Weight inside and outside a range of `side`.
fn masses(matcher: &Matcher, side: usize, range: &Range<usize>) -> (Mass, Mass) {
    let inside = matcher.mass(side, range.clone());
    (inside, matcher.whole(side).without(inside))
}

/// The share of matches that separates inside from outside, if there are more matches inside.
fn threshold(inside: Mass, outside: Mass) -> Option<f32> {
    let (inside, outside) = (inside.share(), outside.share());
    (inside > outside).then(|| tie(inside, outside))
}

/// The range of `side` that stands out most, if any does.
fn densest(matcher: &Matcher, side: usize) -> Option<Range<usize>> {
    let share = matcher.whole(side).share();
    let mut best = None;
    let mut highest = MIN_CONTRAST;
    for part in FIRST_THRESHOLDS {
        let mut level = share + part * (1.0 - share);
        for _ in 0..FITS {
            let range = best_stretch(matcher, side, level)?;
            let (inside, outside) = masses(matcher, side, &range);
            let Some(next) = threshold(inside, outside) else { break };
            level = next;
            let contrast = contrast(inside, outside);
            if contrast > highest {
                highest = contrast;
                best = Some(range);
            }
        }
    }
    best
}

/// The stretch of the other text that the passage `here` draws on. The rest of the passage's own text shows how many of
/// its words would match by chance.
fn source(matcher: &mut Matcher, side: usize, here: &Range<usize>, mut there: Range<usize>) -> Option<Range<usize>> {
    let background = background(matcher, side, here);
    matcher.mark(side, here.clone());
    for _ in 0..FITS {
        let inside = matcher.mass(1 - side, there);
        there = best_stretch(matcher, 1 - side, threshold(inside, background)?)?;
    }
    Some(there)
}

/// Weight of the text around the passage, matched against those words of the passage that the other text has.
fn background(matcher: &Matcher, side: usize, here: &Range<usize>) -> Mass {
    let this = &matcher.pair.sides[side];
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let mut inside = Mass::default();
    for token in &this.text.tokens[here.clone()] {
        let weight = matcher.weight(side, token.stem);
        inside.total += weight;
        if this.twins[token.stem as usize] != ABSENT {
            *counts.entry(token.stem).or_insert(0) += 1;
            inside.matched += weight;
        }
    }
    let mut whole = Mass { matched: 0.0, total: matcher.whole(side).total };
    for &stem in counts.keys() {
        whole.matched += matcher.weight(side, stem) * this.text.occurrences[stem as usize] as f32;
    }
    whole.without(inside)
}

/// The range of `side` with the largest sum of weight × (match − threshold), including the value of its ends.
fn best_stretch(matcher: &Matcher, side: usize, threshold: f32) -> Option<Range<usize>> {
    let text = matcher.pair.sides[side].text;
    let bonus = |at: usize| if at == 0 || at == text.len() { TEXT_END_BONUS } else { refine::bonus(text, at) };
    let (mut sum, mut lowest, mut start) = (0.0, f32::INFINITY, 0);
    let mut best = None;
    let mut highest = 0.0;
    for (at, token) in text.tokens.iter().enumerate() {
        let before = sum - bonus(at);
        if before < lowest {
            lowest = before;
            start = at;
        }
        let hit = f32::from(matcher.count(side, token.stem) > 0);
        sum += matcher.weight(side, token.stem) * (hit - threshold);
        let total = sum + bonus(at + 1) - lowest;
        if total > highest {
            highest = total;
            best = Some(start..at + 1);
        }
    }
    best
}

/// Whether a candidate is neither chance nor a copy nor a text on the same topic.
fn is_summary(matcher: &mut Matcher, candidate: &Candidate, copies: &[Found], least: usize) -> bool {
    let length = candidate.here.len();
    let compression = candidate.there.len() as f32 / length as f32;
    length >= least
        && candidate.contrast > MIN_CONTRAST
        && COMPRESSION.contains(&compression)
        && matcher.excess(candidate.side, &candidate.span()).share() > MIN_EXCESS
        && !is_copied(matcher, candidate, copies)
        && collocation(matcher, candidate, copies, least) > MIN_COLLOCATION
        && in_window(matcher, candidate) < MAX_IN_WINDOW * candidate.inside.share()
}

/// Whether copies inside the passage explain it better than a summary does.
fn is_copied(matcher: &mut Matcher, candidate: &Candidate, copies: &[Found]) -> bool {
    let side = candidate.side;
    let (mut largest, mut sum) = (0.0f32, 0.0);
    for copy in copies.iter().filter(|copy| overlap(&copy.span[side], &candidate.here) > 0) {
        matcher.mark(1 - side, copy.span[1 - side].clone());
        let (inside, outside) = masses(matcher, side, &copy.span[side]);
        let contrast = contrast(inside, outside);
        largest = largest.max(contrast);
        sum += contrast * if copy.kind == PassageKind::Verbatim { VERBATIM_FACTOR } else { 1.0 };
    }
    largest > MAX_COPY * candidate.contrast || sum > MAX_COPIES * candidate.contrast
}

/// Whether the passage consists only of scattered copied sentences: without the runs of equal words, it has no more in
/// common with its source than the text around it.
fn is_scattered(matcher: &mut Matcher, candidate: &Candidate, runs: &[Span]) -> bool {
    let side = candidate.side;
    matcher.mark(1 - side, candidate.there.clone());
    let (inside, outside) = masses(matcher, side, &candidate.here);
    let span = candidate.span();
    let equal = taken_by(runs.iter().filter(|run| collide(run, &span)), candidate);
    let places = candidate.here.clone().zip(equal).filter(|(_, equal)| *equal);
    let copied = places.fold(Mass::default(), |sum, (at, _)| sum.plus(matcher.mass(side, at..at + 1)));
    let rest = inside.without(copied);
    rest.share() <= outside.share()
}

/// Largest share of the passage's weight that a single window of its source matches.
fn in_window(matcher: &mut Matcher, candidate: &Candidate) -> f32 {
    let length = (candidate.here.len() * WINDOW).div_ceil(2);
    let step = (length / 3).max(1);
    let mut largest = 0.0f32;
    for start in candidate.there.clone().step_by(step) {
        let window = start..(start + length).min(candidate.there.end);
        matcher.mark(1 - candidate.side, window);
        largest = largest.max(matcher.mass(candidate.side, candidate.here.clone()).share());
    }
    largest
}

/// Rarity of the neighbouring words that the passage and its source have in common, per word. If enough of the passage
/// is not copied, only that part counts: copies would make a summary of any text on the same topic.
fn collocation(matcher: &Matcher, candidate: &Candidate, copies: &[Found], least: usize) -> f32 {
    let [this, other] = [candidate.side, 1 - candidate.side].map(|side| &matcher.pair.sides[side]);
    let mut taken = taken_by(copies.iter().map(|copy| &copy.span), candidate);
    let mut words = taken.iter().filter(|&&taken| !taken).count();
    if words < least {
        taken.fill(false);
        words = taken.len();
    }
    let there = other.text.tokens[candidate.there.clone()].windows(2);
    let there: HashSet<[u32; 2]> = there.map(|pair| [0, 1].map(|at| other.twins[pair[at].stem as usize])).collect();
    let mut seen = HashSet::new();
    let mut sum = 0.0;
    for (pair, taken) in this.text.tokens[candidate.here.clone()].windows(2).zip(taken.windows(2)) {
        let stems = [pair[0].stem, pair[1].stem];
        if taken == [false, false] && there.contains(&stems) && seen.insert(stems) {
            let [first, second] = stems.map(|stem| rarity(matcher, candidate.side, stem));
            sum += first.min(second);
        }
    }
    sum / words as f32
}

/// Which tokens of the passage belong to copies.
fn taken_by<'a>(copies: impl Iterator<Item = &'a Span>, candidate: &Candidate) -> Vec<bool> {
    let here = &candidate.here;
    let mut taken = vec![false; here.len()];
    for copy in copies.map(|copy| &copy[candidate.side]) {
        if overlap(copy, here) > 0 {
            taken[copy.start.max(here.start) - here.start..copy.end.min(here.end) - here.start].fill(true);
        }
    }
    taken
}

/// Rarity of a shared stem in the text where it is more common. A word that either text uses all the time is no
/// evidence, however rare it is in a list or a table on the other side.
fn rarity(matcher: &Matcher, side: usize, stem: u32) -> f32 {
    let this = &matcher.pair.sides[side];
    let other = &matcher.pair.sides[1 - side];
    let twin = this.twins[stem as usize] as usize;
    let there = other.text.unit_frequency.get(twin).copied().unwrap_or(1);
    let rarity = |units: usize, frequency: u32| ((units + 1) as f32 / frequency as f32).ln();
    rarity(this.text.units(), this.text.unit_frequency[stem as usize]).min(rarity(other.text.units(), there))
}
