//! Two texts side by side: which stems they share and how informative each stem is.

use std::cmp::Ordering;
use std::ops::Range;

use super::text::PassageText;

/// Marks a stem that does not occur in the other text.
pub(super) const ABSENT: u32 = u32::MAX;

/// Token ranges of both sides that belong together.
pub(super) type Span = [Range<usize>; 2];

/// One of the two texts of a pair.
pub(super) struct Side<'t> {
    /// The text.
    pub(super) text: &'t PassageText,
    /// Weight of each stem: the logarithm of how rare it is among the units of both texts.
    pub(super) weights: Vec<f32>,
    /// The same stem in the other text, or [`ABSENT`].
    pub(super) twins: Vec<u32>,
}

/// Two texts with common weights. All code works on either side, numbered 0 or 1, so that the order of the two texts
/// makes no difference.
pub(super) struct Pair<'t> {
    /// The two sides.
    pub(super) sides: [Side<'t>; 2],
}

impl<'t> Pair<'t> {
    /// Computes the weights of the stems of both texts.
    pub(super) fn new(a: &'t PassageText, b: &'t PassageText) -> Pair<'t> {
        let [twins_a, twins_b] = twins(a, b);
        let side_a = Side { text: a, weights: weigh(a, b, &twins_a), twins: twins_a };
        let side_b = Side { text: b, weights: weigh(b, a, &twins_b), twins: twins_b };
        Pair { sides: [side_a, side_b] }
    }
}

/// For each stem of either text, the same stem in the other. Both lists are sorted by hash, so one pass is enough.
fn twins(a: &PassageText, b: &PassageText) -> [Vec<u32>; 2] {
    let mut twins = [vec![ABSENT; a.stems.len()], vec![ABSENT; b.stems.len()]];
    let (mut i, mut j) = (0, 0);
    while i < a.stems.len() && j < b.stems.len() {
        match a.stems[i].cmp(&b.stems[j]) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                twins[0][i] = j as u32;
                twins[1][j] = i as u32;
                i += 1;
                j += 1;
            }
        }
    }
    twins
}

/// Weight of each stem of `text`: ln(N / df), where N counts the units of both texts and df those with the stem.
fn weigh(text: &PassageText, other: &PassageText, twins: &[u32]) -> Vec<f32> {
    let units = (text.units() + other.units()) as f32;
    let frequencies = text.unit_frequency.iter().zip(twins);
    frequencies
        .map(|(&own, &twin)| {
            let there = other.unit_frequency.get(twin as usize).copied().unwrap_or(0);
            (units / (own + there) as f32).ln()
        })
        .collect()
}

/// The smallest span that covers both.
pub(super) fn hull(x: &Span, y: &Span) -> Span {
    [0, 1].map(|side| x[side].start.min(y[side].start)..x[side].end.max(y[side].end))
}

/// Number of positions two ranges have in common.
pub(super) fn overlap(x: &Range<usize>, y: &Range<usize>) -> usize {
    x.end.min(y.end).saturating_sub(x.start.max(y.start))
}

/// Whether two spans overlap on both sides, and so describe the same reuse.
pub(super) fn collide(x: &Span, y: &Span) -> bool {
    (0..2).all(|side| overlap(&x[side], &y[side]) > 0)
}
