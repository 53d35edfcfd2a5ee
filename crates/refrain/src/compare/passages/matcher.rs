//! Matched weight: how much of a range of one text recurs in a range of the other, and how much would by chance.

use std::ops::Range;

use super::cluster::MAX_LENGTH;
use super::pair::{ABSENT, Pair, Span};

/// Largest weight of a token. Without a cap, a few words that occur once outweigh all others. At 3 the result is lower
/// by .005, at 5 and without a cap by .002.
const WEIGHT_CAP: f32 = 4.0;

/// Added to the weight outside a range, so that a range that is the whole text still has a background: a tenth of a few
/// words. It matters for short texts only.
const PRIOR: Mass = Mass { matched: 0.5, total: 5.0 };

/// Smallest distance of a share from 0 and 1, where likelihoods would be infinite.
const SHARE_MARGIN: f32 = 1e-3;

/// Weight of a range of tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mass {
    /// Weight of the tokens found in the other text.
    pub(super) matched: f32,
    /// Weight of all tokens.
    pub(super) total: f32,
}

impl Mass {
    /// Share of the weight that is matched.
    pub(super) fn share(self) -> f32 {
        self.matched / self.total.max(f32::MIN_POSITIVE)
    }

    /// The sum of both.
    pub(super) fn plus(self, other: Mass) -> Mass {
        Mass { matched: self.matched + other.matched, total: self.total + other.total }
    }

    /// Evidence of matches above chance: their weight, times their share of all weight. A lot of weight slightly above
    /// chance and a little far above it have the same score.
    pub(super) fn evidence(self) -> f32 {
        self.matched.max(0.0) * self.share()
    }

    /// The weight without a part of it, plus the prior.
    pub(super) fn without(self, part: Mass) -> Mass {
        let rest = Mass { matched: (self.matched - part.matched).max(0.0), total: (self.total - part.total).max(0.0) };
        rest.plus(PRIOR)
    }

    /// Log-likelihood of the matches when each unit of weight is matched with this share.
    fn likelihood(self, share: f32) -> f32 {
        let share = share.clamp(SHARE_MARGIN, 1.0 - SHARE_MARGIN);
        self.matched * share.ln() + (self.total - self.matched) * (1.0 - share).ln()
    }
}

/// Gain in log-likelihood from letting a range have its own share of matches instead of the one of the whole text: the
/// scan statistic for a dense stretch.
pub(super) fn contrast(inside: Mass, outside: Mass) -> f32 {
    let whole = inside.plus(outside);
    inside.likelihood(inside.share()) + outside.likelihood(outside.share()) - whole.likelihood(whole.share())
}

/// The share of matches that favours neither the share `inside` nor the share `outside`.
pub(super) fn tie(inside: f32, outside: f32) -> f32 {
    let [p, q] = [inside, outside].map(|share| share.clamp(SHARE_MARGIN, 1.0 - SHARE_MARGIN));
    let miss = ((1.0 - q) / (1.0 - p)).ln();
    let hit = (p / q).ln();
    miss / (hit + miss)
}

/// Finds the tokens of one side whose stem occurs in a marked range of the other side.
pub(super) struct Matcher<'p, 't> {
    /// The two texts.
    pub(super) pair: &'p Pair<'t>,
    /// Round in which each stem of each side was last marked, and how often it was.
    marks: [Vec<(u32, u32)>; 2],
    /// The current round.
    round: u32,
    /// Weight of all tokens of each side.
    totals: [f32; 2],
    /// Weight of all tokens that match the marked range, on the side opposite to it.
    matched: f32,
}

impl<'p, 't> Matcher<'p, 't> {
    /// A matcher with nothing marked.
    pub(super) fn new(pair: &'p Pair<'t>) -> Matcher<'p, 't> {
        let marks = [0, 1].map(|side| vec![(0, 0); pair.sides[side].twins.len()]);
        let mut matcher = Matcher { pair, marks, round: 0, totals: [0.0; 2], matched: 0.0 };
        matcher.totals = [0, 1].map(|side| {
            let counts = pair.sides[side].text.occurrences.iter().zip(0..);
            counts.map(|(&count, stem)| count as f32 * matcher.weight(side, stem)).sum()
        });
        matcher
    }

    /// Marks a range of tokens of `side`. From now on, tokens of the other side are matched against it.
    pub(super) fn mark(&mut self, side: usize, tokens: Range<usize>) {
        self.round = self.round.wrapping_add(1);
        self.matched = 0.0;
        let this = &self.pair.sides[side];
        let other = 1 - side;
        for token in &this.text.tokens[tokens] {
            let twin = this.twins[token.stem as usize];
            if twin == ABSENT {
                continue;
            }
            let mark = &mut self.marks[other][twin as usize];
            if mark.0 == self.round {
                mark.1 += 1;
            } else {
                *mark = (self.round, 1);
                let count = self.pair.sides[other].text.occurrences[twin as usize];
                self.matched += count as f32 * self.weight(other, twin);
            }
        }
    }

    /// How often a stem of `side` occurs in the marked range.
    pub(super) fn count(&self, side: usize, stem: u32) -> u32 {
        let (round, count) = self.marks[side][stem as usize];
        if round == self.round { count } else { 0 }
    }

    /// Capped weight of a stem of `side`.
    pub(super) fn weight(&self, side: usize, stem: u32) -> f32 {
        self.pair.sides[side].weights[stem as usize].clamp(0.0, WEIGHT_CAP)
    }

    /// Weight of a range of `side`, matched against the marked range of the other.
    pub(super) fn mass(&self, side: usize, tokens: Range<usize>) -> Mass {
        let mut mass = Mass::default();
        for token in &self.pair.sides[side].text.tokens[tokens] {
            let weight = self.weight(side, token.stem);
            mass.total += weight;
            if self.count(side, token.stem) > 0 {
                mass.matched += weight;
            }
        }
        mass
    }

    /// Weight of all of `side`, matched against the marked range of the other.
    pub(super) fn whole(&self, side: usize) -> Mass {
        Mass { matched: self.matched, total: self.totals[side] }
    }

    /// Matched weight of a span above the given share of its weight, on both sides together.
    pub(super) fn surplus(&mut self, span: &Span, share: f32) -> f32 {
        let mut surplus = 0.0;
        for side in 0..2 {
            self.mark(1 - side, span[1 - side].clone());
            let mass = self.mass(side, span[side].clone());
            surplus += mass.matched - share * mass.total;
        }
        surplus
    }

    /// Evidence that one range of a span derives from the other, on both sides together. Long spans are judged piece by
    /// piece, since the words of a long stretch occur anywhere.
    pub(super) fn evidence(&mut self, span: &Span) -> f32 {
        let longest = span[0].len().max(span[1].len());
        let pieces = longest.div_ceil(MAX_LENGTH).max(1);
        let cut = |range: &Range<usize>, piece: usize| range.start + range.len() * piece / pieces;
        let mut evidence = 0.0;
        for piece in 0..pieces {
            let part = [0, 1].map(|side| cut(&span[side], piece)..cut(&span[side], piece + 1));
            evidence += (0..2).map(|side| self.excess(side, &part).evidence()).sum::<f32>();
        }
        evidence
    }

    /// Matched weight of one side of a span above what the rest of its text would give, and its weight. Every stem
    /// counts once: a word that a passage repeats, as in tables and lists, adds no evidence.
    pub(super) fn excess(&mut self, side: usize, span: &Span) -> Mass {
        self.mark(1 - side, span[1 - side].clone());
        let inside = self.mass(side, span[side].clone());
        let background = self.whole(side).without(inside).share();
        let tokens = &self.pair.sides[side].text.tokens[span[side].clone()];
        let mut stems: Vec<u32> = tokens.iter().map(|token| token.stem).collect();
        stems.sort_unstable();
        stems.dedup();
        let mut excess = Mass::default();
        for stem in stems {
            let weight = self.weight(side, stem);
            excess.total += weight;
            excess.matched += weight * (f32::from(self.count(side, stem) > 0) - background);
        }
        excess
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare::passages::text::PassageText;

    proptest! {
        /// The sum over stems agrees with the walk over all tokens.
        #[test]
        fn whole_is_the_mass_of_all_tokens(a in "[a-f]( [a-f]){0,40}", b in "[a-f]( [a-f]){0,40}", part in 0..=8usize) {
            let (a, b) = (PassageText::new(&a, None), PassageText::new(&b, None));
            let pair = Pair::new(&a, &b);
            let mut matcher = Matcher::new(&pair);
            matcher.mark(1, 0..b.len() * part / 8);
            let (whole, walked) = (matcher.whole(0), matcher.mass(0, 0..a.len()));
            prop_assert!((whole.matched - walked.matched).abs() < 1e-3);
            prop_assert!((whole.total - walked.total).abs() < 1e-3);
        }
    }

    #[test]
    fn a_tie_is_between_the_shares() {
        for (inside, outside) in [(0.9, 0.1), (0.3, 0.2), (1.0, 0.0), (0.55, 0.5)] {
            let tie = tie(inside, outside);
            assert!(outside < tie && tie < inside, "{tie} for {inside} and {outside}");
        }
    }

    #[test]
    fn only_what_differs_has_contrast() {
        let mass = |matched, total| Mass { matched, total };
        assert!(contrast(mass(5.0, 10.0), mass(50.0, 100.0)).abs() < 1e-3);
        assert!(contrast(mass(9.0, 10.0), mass(10.0, 100.0)) > 10.0);
    }
}
