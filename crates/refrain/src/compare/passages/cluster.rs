//! Clusters: seeds that are close together in both texts are joined as long as the whole scores higher than its parts.

use std::ops::Range;

use super::matcher::Matcher;
use super::pair::{Span, collide, hull};
use super::seeds::Seed;

/// Share of the weight that must be matched for a stretch to raise a region's score instead of lowering it. At .35 the
/// result is lower by .002, as regions swallow their surroundings; at .45 by .006, as paraphrases are split.
const TAU: f32 = 0.40;

/// Most tokens between two regions that may be joined, on either side. 90 costs .002, 150 nothing.
const REACH: usize = 120;

/// Most tokens of a region on either side. The words of a longer stretch occur in any text, so nothing would
/// distinguish it from its surroundings. Longer passages are judged in pieces and rejoined. No effect on the
/// development set.
pub(super) const MAX_LENGTH: usize = 1000;

/// Least score of a region. From 0 to 20 the result moves by .002, as the evidence test removes weak regions later.
const MIN_SCORE: f32 = 5.0;

/// At most one in this many of a region's tokens may already belong to a better region.
const SHARED_PART: usize = 5;

/// Work allowed for joining, in tokens examined: about half a second. Only repetitive texts need more; their regions
/// then stay separate.
const BUDGET: usize = 1 << 27;

/// A candidate passage.
struct Region {
    span: Span,
    /// Matched weight above [`TAU`].
    score: f32,
}

/// Joins seeds into regions and returns the best ones that hardly overlap, best first.
pub(super) fn cluster(matcher: &mut Matcher, seeds: &[Seed]) -> Vec<Span> {
    let mut regions: Vec<Region> = seeds.iter().map(|seed| region(matcher, seed)).collect();
    let mut budget = BUDGET;
    while join_neighbours(matcher, &mut regions, &mut budget) && budget > 0 {}
    select(matcher, regions)
}

/// The region of a single seed.
fn region(matcher: &mut Matcher, seed: &Seed) -> Region {
    let span = [0, 1].map(|side| {
        let unit = seed.units[side];
        matcher.pair.sides[side].text.unit_tokens(unit..unit + 1)
    });
    let score = matcher.surplus(&span, TAU);
    Region { span, score }
}

/// Lets every region join its best partner once, and returns whether any did. Joining in rounds keeps the work
/// near-linear, as regions double in length from round to round.
fn join_neighbours(matcher: &mut Matcher, regions: &mut Vec<Region>, budget: &mut usize) -> bool {
    regions.sort_by_key(|region| (region.span[0].start, region.span[1].start));
    let mut gone = vec![false; regions.len()];
    for first in 0..regions.len() {
        if gone[first] || *budget == 0 {
            continue;
        }
        if let Some((second, joined)) = best_partner(matcher, regions, &mut gone, first, budget) {
            regions[first] = joined;
            gone[second] = true;
        }
    }
    let before = regions.len();
    let mut gone = gone.into_iter();
    regions.retain(|_| !gone.next().unwrap_or(false));
    regions.len() < before
}

/// The later region whose union with region `first` scores best, and higher than either alone. Also removes regions
/// inside it.
fn best_partner(
    matcher: &mut Matcher,
    regions: &[Region],
    gone: &mut [bool],
    first: usize,
    budget: &mut usize,
) -> Option<(usize, Region)> {
    let Region { span: own, score: own_score } = &regions[first];
    let mut best: Option<(usize, Region)> = None;
    for second in first + 1..regions.len() {
        let Region { span: other, score: other_score } = &regions[second];
        if other[0].start > own[0].end + REACH {
            break;
        }
        if gone[second] || !near(&own[1], &other[1]) {
            continue;
        }
        let span = hull(own, other);
        if span == *own {
            gone[second] = true;
        } else if span.iter().all(|range| range.len() <= MAX_LENGTH) {
            *budget = budget.saturating_sub(2 * (span[0].len() + span[1].len()));
            let score = matcher.surplus(&span, TAU);
            let least = best.as_ref().map_or(*own_score, |(_, best)| best.score);
            if score > least.max(*other_score) {
                best = Some((second, Region { span, score }));
            }
        }
    }
    best
}

/// Whether two ranges are within reach of each other.
fn near(x: &Range<usize>, y: &Range<usize>) -> bool {
    x.start <= y.end + REACH && y.start <= x.end + REACH
}

/// The best regions, each sharing hardly any tokens with a better one.
fn select(matcher: &Matcher, mut regions: Vec<Region>) -> Vec<Span> {
    regions.retain(|region| region.score >= MIN_SCORE);
    regions.sort_by(|x, y| y.score.total_cmp(&x.score));
    let mut taken = [0, 1].map(|side| vec![false; matcher.pair.sides[side].text.len()]);
    let mut spans = Vec::new();
    for Region { span, .. } in regions {
        let shared = (0..2).any(|side| {
            let count = taken[side][span[side].clone()].iter().filter(|&&taken| taken).count();
            count * SHARED_PART > span[side].len()
        });
        if !shared {
            for side in 0..2 {
                taken[side][span[side].clone()].fill(true);
            }
            spans.push(span);
        }
    }
    spans
}

/// Joins spans that overlap on both sides.
pub(super) fn join_colliding(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span[0].start);
    let mut joined: Vec<Span> = Vec::new();
    for mut span in spans {
        while let Some(at) = joined.iter().rposition(|other| collide(other, &span)) {
            span = hull(&span, &joined.remove(at));
        }
        joined.push(span);
    }
    joined
}

/// Joins spans that continue each other on both sides and are together longer than a region may be.
pub(super) fn join_pieces(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| span[0].start);
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if continues(last, &span) => *last = hull(last, &span),
            _ => joined.push(span),
        }
    }
    joined
}

/// Whether the second of two spans begins about where the first one ends, on both sides.
fn continues(first: &Span, second: &Span) -> bool {
    let follows = |side: usize| first[side].end.abs_diff(second[side].start) <= REACH;
    let whole = hull(first, second);
    follows(0) && follows(1) && whole.iter().any(|range| range.len() > MAX_LENGTH)
}
