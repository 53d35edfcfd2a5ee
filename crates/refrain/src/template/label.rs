//! Decides which parts of a backbone are content, once for all pages of a site.

use super::backbone::{Backbone, Gap};
use super::parameters::Parameters;
use super::tokens::Kind;

/// Content (true) or template, for each token of the backbone and for each gap.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Labels {
    pub(super) pieces: Vec<bool>,
    pub(super) gaps: Vec<bool>,
}

/// The evidence that a gap is content: text that differs from page to page counts for it, links count against it. It
/// uses the geometric mean of the text length and the total length with markup: text alone would undervalue tables, and
/// the total would overvalue a date inside tags.
pub(super) fn worth(gap: &Gap, link_weight: f32) -> f32 {
    let text = gap.text + gap.link;
    if text <= 0.0 {
        return 0.0;
    }
    let share = (gap.text - link_weight * gap.link) / text;
    if share <= 0.0 {
        return -link_weight * gap.link;
    }
    share * ((gap.chars - gap.raw).max(0.0) * text).sqrt() * gap.distinct
}

impl Labels {
    /// Labels that maximise the worth of content with few alternations, in the innermost element that holds most of it;
    /// and headlines.
    pub(super) fn of(backbone: &Backbone, parameters: &Parameters) -> Labels {
        let worths: Vec<f32> = backbone.gaps.iter().map(|gap| worth(gap, parameters.link_weight)).collect();
        let best = worths.iter().copied().fold(0.0, f32::max);
        let costs: Vec<f32> = backbone
            .pieces
            .iter()
            .map(|piece| if piece.kind.is_text() { parameters.text_cost } else { parameters.markup_cost } * f32::from(piece.chars))
            .collect();
        let narrowed = narrow(backbone, &worths, parameters);
        let (from, to) = extend(backbone, &worths, &costs, narrowed, parameters);
        // Gap, token, gap, token, ..., gap.
        let mut scores = Vec::with_capacity(to.saturating_sub(from) * 2 + 1);
        for gap in from..=to {
            if gap > from {
                scores.push(-costs[gap - 1]);
            }
            scores.push(worths[gap]);
        }
        let chosen = fewest_alternations(&scores, parameters.alternation * best);
        let mut labels = Labels { pieces: vec![false; costs.len()], gaps: vec![false; worths.len()] };
        for (index, content) in chosen.into_iter().enumerate() {
            match index % 2 {
                0 => labels.gaps[from + index / 2] = content,
                _ => labels.pieces[from + index / 2] = content,
            }
        }
        labels.close(backbone, &worths, &costs, parameters);
        let headlines = backbone.headline_gaps();
        for gap in (0..headlines.len()).filter(|gap| headlines[*gap]) {
            if backbone.gaps[gap].text > 0.0 && backbone.gaps[gap].distinct > parameters.other_headlines {
                labels.gaps[gap] = true;
            }
        }
        labels.widen(backbone, &headlines);
        labels
    }

    /// Fills the innermost element around the content, if its other content is small and the same on all pages.
    fn close(&mut self, backbone: &Backbone, worths: &[f32], costs: &[f32], parameters: &Parameters) {
        let (Some(first), Some(last)) =
            (self.gaps.iter().position(|content| *content), self.gaps.iter().rposition(|content| *content))
        else {
            return;
        };
        let around = |(from, to): &(usize, usize)| *from <= first && last <= *to;
        let Some((from, to)) = backbone.insides().into_iter().filter(around).min_by_key(|(from, to)| to - from) else {
            return;
        };
        let [mut held, mut cost] = [0.0, 0.0];
        for gap in from..=to {
            match self.gaps[gap] {
                true => held += worths[gap].max(0.0),
                false => cost += worths[gap].abs(),
            }
            if gap < to && !self.pieces[gap] {
                cost += costs[gap];
            }
        }
        if cost <= parameters.closing * held {
            self.gaps[from..=to].fill(true);
            self.pieces[from..to].fill(true);
        }
    }

    /// Moves the borders of content to tags. Backbone text that touches content belongs to it, and so do tags around it
    /// that only describe the kind of text, such as paragraph tags.
    fn widen(&mut self, backbone: &Backbone, headlines: &[bool]) {
        let pieces = &backbone.pieces;
        let mut gap = 0;
        while gap < self.gaps.len() {
            if !self.gaps[gap] {
                gap += 1;
                continue;
            }
            let (mut first, mut last) = (gap, gap);
            while self.pieces.get(last) == Some(&true) && self.gaps.get(last + 1) == Some(&true) {
                last += 1;
            }
            loop {
                let before = first.checked_sub(1).map(|index| pieces[index].kind);
                let behind = pieces.get(last).map(|piece| piece.kind);
                if before.is_some_and(Kind::is_text) {
                    first -= 1;
                } else if behind.is_some_and(Kind::is_text) {
                    last += 1;
                } else if let (Some(Kind::End), Some(Kind::Close), Some(open)) = (before, behind, first.checked_sub(2))
                {
                    let bare = pieces[open].kind == Kind::Open && pieces[open].name == pieces[last].name;
                    if !bare || headlines[gap] || pieces.get(last + 1).is_none_or(|piece| piece.kind != Kind::End) {
                        break;
                    }
                    (first, last) = (open, last + 2);
                } else {
                    break;
                }
            }
            // The gaps before the first piece and after the last one keep their labels, unless text continues there.
            self.pieces[first..last].fill(true);
            let inner = (first + 1).min(gap)..last.max(gap + 1);
            self.gaps[inner].fill(true);
            gap = last + 1;
        }
    }
}

/// The innermost element that holds most of the worth, as a range of gaps.
fn narrow(backbone: &Backbone, worths: &[f32], parameters: &Parameters) -> (usize, usize) {
    let mut sums = vec![0.0_f32; worths.len() + 1];
    for (index, worth) in worths.iter().enumerate() {
        sums[index + 1] = sums[index] + worth.max(0.0);
    }
    let held = |(from, to): (usize, usize)| sums[to + 1] - sums[from];
    let mut here = (0, worths.len().saturating_sub(1));
    let least = parameters.least_share * held(here);
    let mut elements: Vec<(usize, usize)> =
        backbone.elements().iter().map(|(open, close)| (open + 1, *close)).collect();
    // Outer elements first.
    elements.sort_unstable_by_key(|(from, to)| (std::cmp::Reverse(to - from), *from));
    for inner in elements {
        let inside = inner.0 >= here.0 && inner.1 <= here.1;
        if inside && held(inner) >= (parameters.narrowing * held(here)).max(least) {
            here = inner;
        }
    }
    here
}

/// Adds what is next to an element, separated by a little markup only, if it is on most pages and has some worth. An
/// element can hold most of the content but not all, such as one of two consecutive sections.
fn extend(
    backbone: &Backbone,
    worths: &[f32],
    costs: &[f32],
    (mut from, mut to): (usize, usize),
    parameters: &Parameters,
) -> (usize, usize) {
    let held: f32 = worths[from..=to].iter().map(|worth| worth.max(0.0)).sum();
    let joins = |gap: usize| {
        worths[gap] >= parameters.beside * held && f64::from(backbone.gaps[gap].filled) >= parameters.common
    };
    // Continues as long as there are no words and the cost is low.
    let walk = |cost: &mut f32, piece: usize| {
        *cost += costs[piece];
        let word = matches!(backbone.pieces[piece].kind, Kind::Word | Kind::Link);
        (!word && *cost <= parameters.between * held).then_some(piece)
    };
    while let Some(gap) = {
        let mut cost = 0.0;
        (0..from).rev().map_while(|piece| walk(&mut cost, piece)).find(|gap| joins(*gap))
    } {
        from = gap;
    }
    while let Some(piece) = {
        let mut cost = 0.0;
        (to..costs.len()).map_while(|piece| walk(&mut cost, piece)).find(|piece| joins(piece + 1))
    } {
        to = piece + 1;
    }
    (from, to)
}

/// The labelling that maximises the sum of the scores labelled true, minus a cost for each alternation. The positions
/// before and after count as false.
pub(super) fn fewest_alternations(scores: &[f32], cost: f32) -> Vec<bool> {
    // The best sums that end in false and in true, and whether the label before was the other one.
    let mut sums = [0.0_f32, -cost];
    let mut changed: Vec<[bool; 2]> = Vec::with_capacity(scores.len());
    for score in scores {
        let [outside, inside] = sums;
        let leaves = inside - cost > outside;
        let enters = outside - cost > inside;
        sums = [outside.max(inside - cost), inside.max(outside - cost) + score];
        changed.push([leaves, enters]);
    }
    let mut label = sums[1] - cost > sums[0];
    let mut labels = vec![false; scores.len()];
    for (place, changed) in labels.iter_mut().zip(&changed).rev() {
        *place = label;
        label ^= changed[usize::from(label)];
    }
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(scores: &[f32], labels: &[bool], cost: f32) -> f32 {
        let sum: f32 = scores.iter().zip(labels).filter(|(_, label)| **label).map(|(score, _)| score).sum();
        let bounded: Vec<bool> = [&[false], labels, &[false]].concat();
        sum - cost * bounded.windows(2).filter(|pair| pair[0] != pair[1]).count() as f32
    }

    proptest! {
        #[test]
        fn no_labelling_is_better(scores in prop::collection::vec(-9_i8..9, 0..10), cost in 0_u8..6) {
            let scores: Vec<f32> = scores.into_iter().map(f32::from).collect();
            let cost = f32::from(cost);
            let found = value(&scores, &fewest_alternations(&scores, cost), cost);
            for chosen in 0..1_u32 << scores.len() {
                let labels: Vec<bool> = (0..scores.len()).map(|bit| chosen >> bit & 1 == 1).collect();
                prop_assert!(value(&scores, &labels, cost) <= found);
            }
        }
    }

    #[test]
    fn links_and_what_is_the_same_everywhere_are_worth_nothing() {
        let body = Gap { chars: 500.0, text: 400.0, distinct: 1.0, filled: 1.0, ..Gap::default() };
        assert!(worth(&body, 0.4) > 400.0);
        assert!(worth(&Gap { distinct: 0.0, ..body }, 0.4) <= 0.0);
        assert!(worth(&Gap { text: 10.0, link: 390.0, ..body }, 0.4) < 0.0);
        assert!(worth(&Gap { text: 0.0, raw: 500.0, ..body }, 0.4) <= 0.0);
    }
}
