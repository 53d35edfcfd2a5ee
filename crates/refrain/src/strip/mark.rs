//! The default method: markers as data, combined with learned evidence.

use memchr::memchr2_iter;

use super::blocks::{BlockTokens, blocks};
use super::evidence::{Evidence, Seen};
use super::head::{
    Extent, Head, HeadBlock, SECTION_GAP, block_keys, evidence_features, first_marker, keys_of, last_marker,
};
use super::lines::{Edges, Line};
use super::meta;
use super::rules::{Place, Rules, Says};
use super::{Boundaries, Facts};

/// A block's score is bounded, so that one odd block cannot move the boundary far.
const CLIP: f32 = 4.0;
/// The walk ends when the running score has fallen this far below its best.
const DROP: f32 = 8.0;

/// The minimum score that a rule gives.
const RULE: f32 = 2.0;

/// What running text gains directly after a note.
const CONTEXT: f32 = 2.0;

/// Score of every block after the anchor, up to the title page.
pub(super) fn scores(head: &Head, evidence: &Evidence) -> Vec<f32> {
    let mut scorer = Scorer::new(evidence, head.anchor.is_some());
    head.blocks[..head.before_title()].iter().map(|b| scorer.score(b)).collect()
}

/// Scores one block after the other.
pub(super) struct Scorer<'a> {
    evidence: &'a Evidence,
    anchored: bool,
    open_note: bool,
    buffer: Vec<u16>,
}

impl Scorer<'_> {
    pub(super) fn new(evidence: &Evidence, anchored: bool) -> Scorer<'_> {
        Scorer { evidence, anchored, open_note: false, buffer: Vec::new() }
    }

    /// The score of the next block.
    pub(super) fn score(&mut self, b: &HeadBlock) -> f32 {
        let learned = self.learned(b);
        let mut score = with_rules(b, learned, self.anchored);
        if self.open_note && b.block.gap == 1 && b.prose {
            score = (score + CONTEXT).min(CLIP);
        }
        let opens = b.note || b.in_note || (!b.credit && b.block.last > b.block.first && learned >= RULE);
        self.open_note = opens || (self.open_note && b.block.gap < SECTION_GAP);
        score
    }

    fn learned(&mut self, b: &HeadBlock) -> f32 {
        self.buffer.clear();
        self.buffer.extend_from_slice(&b.features);
        evidence_features(b, self.evidence, &mut self.buffer);
        self.evidence.model.score(&self.buffer).clamp(-CLIP, CLIP)
    }
}

/// A rule that matches a block sets a minimum score, and so does the paragraph of the marker. Without an anchor, only rules
/// can remove a block: the classifier was trained on what follows a header.
fn with_rules(b: &HeadBlock, learned: f32, anchored: bool) -> f32 {
    let vouched = b.credit || b.note || b.notice || b.by_line;
    let same_paragraph = b.block.gap == 0 && b.block.last - b.block.first < 2;
    if vouched {
        learned.max(RULE)
    } else if !anchored {
        learned.min(-RULE)
    } else if same_paragraph {
        learned.max(0.5 * RULE)
    } else if b.is_title_page() {
        0.0
    } else {
        learned
    }
}

/// A cut after the first `blocks` blocks, and its lead over the next best one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub(super) blocks: usize,
    pub(super) margin: f32,
}

/// The walk over scores: where their sum is highest, until it has fallen far below that.
#[derive(Debug, Default)]
pub(super) struct Best {
    sum: f32,
    highest: f32,
    at: usize,
    seen: usize,
}

impl Best {
    /// Adds the next score. True if nothing after it counts.
    pub(super) fn push(&mut self, score: f32) -> bool {
        self.sum += score;
        self.seen += 1;
        if self.sum > self.highest {
            (self.highest, self.at) = (self.sum, self.seen);
        }
        self.sum < self.highest - DROP
    }
}

/// Best prefix: the cut with the highest sum of scores before it.
pub(super) fn best_cut(scores: &[f32]) -> Cut {
    let mut walk = Best::default();
    let mut sums = vec![0.0];
    for score in scores {
        let ended = walk.push(*score);
        sums.push(walk.sum);
        if ended {
            break;
        }
    }
    let Best { highest, at, .. } = walk;
    let margin = sums.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, s)| highest - s).fold(CLIP, f32::min);
    Cut { blocks: at, margin }
}

/// Marks one book. With `keep_credits`, credits and notes after the marker are kept.
pub(super) fn mark(file: &Edges, rules: &Rules, evidence: &Evidence, keep_credits: bool) -> Boundaries {
    let head = Head::new(&file.head, rules, evidence, Extent::Needed);
    let scores = &head.scores[..head.scores.len().min(head.before_title())];
    let cut = best_cut(scores);
    let end = preamble_end(&head, if keep_credits { 0 } else { cut.blocks });
    let tail = tail_start(&file.tail, end, rules, evidence);
    let mut found = Boundaries {
        preamble_end: end,
        epilogue_start: tail.start,
        why_preamble: why_preamble(&head, cut, keep_credits),
        why_epilogue: tail.why.to_owned(),
        ..Boundaries::default()
    };
    let (confidence, doubts) = confidence(file, &head, scores, cut, &found, head.another || tail.another);
    (found.confidence, found.doubts) = (Some(confidence), doubts);
    let credits = credits(&file.head, &head, cut);
    let author = meta::author(&file.head[..head.anchor.map_or(0, |anchor| anchor + 1)], &head.meta.author);
    found.facts = Facts { author, ..head.meta };
    if found.facts.credits.is_empty() {
        found.facts.credits = credits;
    }
    found
}

/// 1-based last line of the preamble if it includes the first `taken` blocks.
pub(super) fn preamble_end(head: &Head, taken: usize) -> usize {
    match taken {
        0 => head.anchor.map_or(0, |a| a + 1),
        n => head.blocks[n - 1].block.last + 1,
    }
}

fn why_preamble(head: &Head, cut: Cut, keep_credits: bool) -> String {
    let (base, place) = match (head.marker, head.anchor) {
        (Some(_), _) => ("found the end-of-licence marker", "after it"),
        (None, Some(_)) => ("found frequent licence lines", "after them"),
        _ => ("found no end-of-licence marker and no frequent licence line", "at the start"),
    };
    if keep_credits {
        return base.to_owned();
    }
    let next = if cut.blocks < head.blocks.len() && head.blocks[cut.blocks].is_title_page() {
        "; the title page follows"
    } else {
        ""
    };
    let blocks = match cut.blocks {
        0 => String::new(),
        1 => format!("; removed 1 block {place}"),
        n => format!("; removed {n} blocks {place}"),
    };
    format!("{base}{blocks}{next}")
}

fn credits(lines: &[Line], head: &Head, cut: Cut) -> String {
    let mut out = String::new();
    for b in head.blocks[..cut.blocks].iter().filter(|b| b.credit) {
        for line in &lines[b.block.first..=b.block.last] {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(&super::meta::decode(line.text));
        }
    }
    out
}

/// Where the closing material starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    /// 1-based line, 0 = none.
    pub(super) start: usize,
    pub(super) why: &'static str,
    /// Another e-book begins in these lines.
    pub(super) another: bool,
}

/// Finds the epilogue in the last lines, after line `after` (1-based).
pub(super) fn tail_start(lines: &[Line], after: usize, rules: &Rules, evidence: &Evidence) -> Tail {
    let lines = &lines[lines.partition_point(|l| l.number < after)..];
    // If another e-book begins here, the end is that of the last one: no book is mistaken for a licence. A licence at
    // the end may close with a line like those that close it at the top.
    let another = if rules.is_empty() { None } else { last_marker(lines, Place::Head, rules) }.filter(|marker| {
        let behind = &lines[marker + 1..];
        let text = behind.iter().filter(|line| !line.is_blank()).count();
        text >= ANOTHER_LINES || first_marker(behind, Place::Tail, rules).is_some()
    });
    let lines = &lines[another.map_or(0, |marker| marker + 1)..];
    let (mut start, mut why) = match first_marker(lines, Place::Tail, rules) {
        Some(m) => (Some(m), "found the end-of-book marker"),
        None => match frequent_start(&keys_of(lines), evidence) {
            Some(f) => (Some(f), "found frequent licence lines"),
            None => (None, "found no end-of-book marker and no frequent licence line"),
        },
    };
    let front = start.unwrap_or(lines.len());
    // The block that contains the end line is not a notice before it.
    let whole = lines[front..].iter().position(Line::is_blank).map_or(lines.len(), |blank| front + blank);
    let cut = blocks(&lines[..whole], front.saturating_sub(NOTICE_LINES), usize::MAX);
    let mut tokens = BlockTokens::default();
    for b in cut.iter().rev().filter(|b| b.last < front) {
        let text = &lines[b.first..=b.last];
        tokens.cut(text);
        if rules.matches(Place::Tail, Says::Notice, tokens.all()) || licence(text, &tokens, evidence) {
            (start, why) = (Some(b.first), "found a licence notice near the end");
        } else {
            break;
        }
    }
    Tail { start: start.map_or(0, |s| lines[s].number + 1), why, another: another.is_some() }
}

/// With this many lines after a marker near the end, another book follows.
const ANOTHER_LINES: usize = 50;

/// Lines before the end line searched for notices.
const NOTICE_LINES: usize = 60;

/// All non-trivial lines are known licence text, of either edge.
fn licence(lines: &[Line], tokens: &BlockTokens, evidence: &Evidence) -> bool {
    let least = evidence.least();
    let known = |k: u64| evidence.heads.seen(k, least) == Seen::Inside || evidence.tails.seen(k, least) == Seen::Inside;
    let mut keys = block_keys(lines, tokens).peekable();
    keys.peek().is_some() && keys.all(known)
}

/// The paper's backward walk over lines known to be boilerplate.
pub(super) fn frequent_start(keys: &[Option<u64>], evidence: &Evidence) -> Option<usize> {
    let (mut first, mut gap) = (None, 0);
    for (i, key) in keys.iter().enumerate().rev() {
        let Some(key) = key else { continue };
        match evidence.tails.seen(*key, evidence.least()) {
            Seen::Inside => (first, gap) = (Some(i), 0),
            _ => gap += 1,
        }
        if gap >= 10 {
            break;
        }
    }
    first
}

/// How sure it is, as a product of doubts, and those doubts.
fn confidence(
    file: &Edges,
    head: &Head,
    scores: &[f32],
    cut: Cut,
    found: &Boundaries,
    another: bool,
) -> (f32, Vec<&'static str>) {
    let body_end = if found.epilogue_start == 0 { file.total } else { found.epilogue_start - 1 };
    let name = name_left(file, found);
    let titled = head.blocks.get(cut.blocks).is_some_and(HeadBlock::is_title_page);
    let doubts = [
        (head.marker.is_none(), 0.5, "no marker"),
        (another, 0.5, "another e-book starts in this text"),
        (cut.margin < 1.0, 0.7, "the decision was close"),
        (!titled, 0.95, "no title page follows"),
        (scores[..cut.blocks].iter().any(|score| *score < 0.5), 0.8, "a removed block may belong to the book"),
        (name == Some(true), 0.6, "the publisher's name remains at an end of the book"),
        (name == Some(false), 0.85, "the publisher's name remains in the book"),
        (found.epilogue_start == 0, 0.9, "no epilogue"),
        (body_end <= found.preamble_end + 5, 0.2, "almost nothing remains"),
    ];
    let mut confidence = 0.995 * (1.0 / (1.0 + (-1.2 * cut.margin).exp()) * 0.25 + 0.75);
    let mut reasons = Vec::new();
    for (_, factor, doubt) in doubts.into_iter().filter(|(holds, ..)| *holds) {
        confidence *= factor;
        reasons.push(doubt);
    }
    (confidence, reasons)
}

/// Lines inside a boundary that are searched for the name of the publisher, at the top and at the bottom; and those of them that
/// are at the end of the book. Further in, it is mostly a part of the book: a note of an editor, a notice between two acts.
const NAME_LINES: [usize; 2] = [80, 60];
const NEAR_LINES: usize = 30;

/// The word "Gutenberg" inside the boundaries: true if it is close to one.
fn name_left(file: &Edges, marked: &Boundaries) -> Option<bool> {
    let inside = |l: &&Line| {
        let n = l.number + 1;
        n > marked.preamble_end && (marked.epilogue_start == 0 || n < marked.epilogue_start)
    };
    // The letter in its middle is the rarest; to look for it is faster than for the word, in lines as short as these.
    let is_name = |text: &[u8], at: usize| {
        let word = at.checked_sub(4).and_then(|start| text.get(start..at + 4));
        word.is_some_and(|word| matches!(word, b"utenberg" | b"UTENBERG"))
    };
    let has = |l: &Line| memchr2_iter(b'b', b'B', l.text).any(|at| is_name(l.text, at));
    let top = file.head.iter().filter(inside).take(NAME_LINES[0]).position(has);
    let bottom = file.tail.iter().rev().filter(inside).take(NAME_LINES[1]).position(has);
    [top, bottom].into_iter().flatten().min().map(|lines| lines < NEAR_LINES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::EDGE_LINES;

    #[test]
    fn best_cut_bridges_a_weak_block() {
        assert_eq!(best_cut(&[3.0, -1.0, 2.0, -4.0, -4.0, 1.0]).blocks, 3);
        assert_eq!(best_cut(&[-1.0, -1.0]).blocks, 0);
        assert_eq!(best_cut(&[]).blocks, 0);
    }

    #[test]
    fn margin_is_the_distance_to_the_next_best_cut() {
        assert_eq!(best_cut(&[3.0, -0.5]), Cut { blocks: 1, margin: 0.5 });
    }

    fn book(n: usize) -> String {
        let body = (0..80)
            .map(|i| format!("Body sentence {i} of story {n} goes on and on, as stories do.\n"))
            .collect::<Vec<_>>()
            .concat();
        format!(
            "The Project Gutenberg EBook of Tale {n}\n\nTitle: The Tale\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n\n\nProduced by A. Volunteer\n\n\n\nTHE TALE\n\n{body}\n\nEnd of Project Gutenberg's The Tale\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n"
        )
    }

    #[test]
    fn rules_alone_find_both_boundaries_and_keep_credits_stops_at_the_marker() {
        let rules = Rules::parse(crate::strip::rules::GUTENBERG).expect("rules");
        let text = book(1);
        let file = crate::strip::lines::edges(text.as_bytes(), EDGE_LINES, EDGE_LINES);
        let marked = mark(&file, &rules, &Evidence::default(), false);
        assert_eq!((marked.preamble_end, marked.epilogue_start), (8, 96));
        assert_eq!(marked.facts.credits, "Produced by A. Volunteer");
        let marked = mark(&file, &rules, &Evidence::default(), true);
        assert_eq!(marked.preamble_end, 5);
    }

    #[test]
    fn two_e_books_in_one_file_are_both_kept_and_doubtful() {
        let rules = Rules::parse(crate::strip::rules::GUTENBERG).expect("rules");
        let (one, two) = (book(1), book(2));
        let text = format!("{one}{two}");
        let file = crate::strip::lines::edges(text.as_bytes(), EDGE_LINES, EDGE_LINES);
        let marked = mark(&file, &rules, &Evidence::default(), false);
        assert_eq!((marked.preamble_end, marked.epilogue_start), (8, one.lines().count() + 96));
        assert!(marked.doubts.contains(&"another e-book starts in this text") && marked.checked(&file).is_doubtful());
        // Where the ends do not overlap, and where one end has both.
        for edge in [60, 110, 150] {
            let file = crate::strip::lines::edges(text.as_bytes(), edge, edge);
            let marked = mark(&file, &rules, &Evidence::default(), false);
            assert_eq!((marked.preamble_end, marked.epilogue_start), (8, one.lines().count() + 96), "{edge}");
        }
    }

    #[test]
    fn a_file_without_any_boilerplate_is_left_alone() {
        let rules = Rules::parse(crate::strip::rules::GUTENBERG).expect("rules");
        let file = crate::strip::lines::edges(b"Once upon a time.\n\nThe end.\n", EDGE_LINES, EDGE_LINES);
        let marked = mark(&file, &rules, &Evidence::default(), false);
        assert_eq!((marked.preamble_end, marked.epilogue_start), (0, 0));
        assert!(marked.confidence.is_some_and(|confidence| confidence < 0.6));
    }
}
