//! Refinement: moves the ends of a region to where the matches thin out.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::matcher::Matcher;
use super::pair::Span;
use super::text::PassageText;
use super::words::Break;

/// How often the ends on both sides are moved in turn. One round is as good to .001.
const ROUNDS: usize = 2;

/// Most tokens by which an end may move outwards in a round. From 40 to 100 nothing changes.
const REACH: usize = 60;

/// Where between the share of matches outside (0) and inside (1) a stretch counts as part of the passage. At .45 the result
/// is lower by .001, at .55 by .003.
const BETWEEN: f32 = 0.5;

/// Value of a match beyond the number of times the other side has the word. Otherwise, words that a topic repeats would
/// draw the ends into the surroundings. From .6 to .8 the result moves by .001; at 1 it is lower by .001, and by .003
/// with longer sources.
const REPEATED: f32 = 0.7;

/// Weight that an end at a sentence break is worth. From 3 to 6 the result moves by .001; without it is lower by .013.
const SENTENCE_BONUS: f32 = 4.0;

/// Weight that an end at a line break is worth. From 0 to 3 the result moves by .001.
const LINE_BONUS: f32 = 1.0;

/// Moves the ends of a span on both sides. `None` if nothing distinguishes the span from its surroundings.
pub(super) fn refine(matcher: &mut Matcher, mut span: Span) -> Option<Span> {
    for _ in 0..ROUNDS {
        for side in 0..2 {
            matcher.mark(1 - side, span[1 - side].clone());
            span[side] = move_ends(matcher, side, &span[side])?;
        }
    }
    Some(span)
}

/// The range around `now` whose tokens have the largest sum of weight × (match − threshold).
fn move_ends(matcher: &Matcher, side: usize, now: &Range<usize>) -> Option<Range<usize>> {
    let text = matcher.pair.sides[side].text;
    let inside = matcher.mass(side, now.clone());
    let outside = matcher.whole(side).without(inside).share();
    let inside = inside.share();
    if inside <= outside {
        return None;
    }
    let threshold = outside + BETWEEN * (inside - outside);
    let middle = usize::midpoint(now.start, now.end);
    let first = now.start.saturating_sub(REACH);
    let last = (now.end + REACH).min(text.len());
    let before = best_end(matcher, side, threshold, (first..middle).rev(), |at| at);
    let after = best_end(matcher, side, threshold, middle..last, |at| at + 1);
    Some(before.unwrap_or(middle)..after?)
}

/// The best end of a walk outwards from the middle of a passage. `end` returns the end if a token is the outermost one.
fn best_end(
    matcher: &Matcher,
    side: usize,
    threshold: f32,
    walk: impl Iterator<Item = usize>,
    end: impl Fn(usize) -> usize,
) -> Option<usize> {
    let text = matcher.pair.sides[side].text;
    let mut seen: HashMap<u32, u32> = HashMap::new();
    let mut best = None;
    let mut highest = f32::NEG_INFINITY;
    let mut sum = 0.0;
    for at in walk {
        let stem = text.tokens[at].stem;
        let times = seen.entry(stem).or_insert(0);
        *times += 1;
        let worth = match matcher.count(side, stem) {
            0 => 0.0,
            count if *times <= count => 1.0,
            _ => REPEATED,
        };
        sum += matcher.weight(side, stem) * (worth - threshold);
        let total = sum + bonus(text, end(at));
        if total > highest {
            highest = total;
            best = Some(end(at));
        }
    }
    best
}

/// The value of an end before the token `at`, given the break there.
pub(super) fn bonus(text: &PassageText, at: usize) -> f32 {
    match text.tokens.get(at).map_or(Break::Sentence, |token| token.before) {
        Break::Sentence => SENTENCE_BONUS,
        Break::Line => LINE_BONUS,
        Break::None => 0.0,
    }
}
