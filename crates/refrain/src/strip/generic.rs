//! The profile without domain rules: only what the files of a folder share.
//!
//! A line is known if enough files have it (masked) at the same edge and it stands inside the
//! boilerplate far more often than outside; failing that, if the opening of its block does.

use foldhash::{HashSet, HashSetExt};
use rayon::prelude::*;

use super::blocks::{Block, Tokens, blocks};
use super::evidence::{Evidence, Seen, Side};
use super::head::keys_of;
use super::learn::voters;
use super::lines::{Edges, Line};
use super::{Found, Profile};

/// Non-trivial lines without a known one that end the walk (the paper's GAP_MAX).
const GAP_MAX: usize = 10;
/// Blocks next to the boundary whose openings are tried as boilerplate.
const ZONE: usize = 2;
/// Rounds of marking and counting.
const ROUNDS: usize = 4;

/// Key of the first `n` tokens of a block.
fn opening(tokens: &Tokens, n: usize) -> u64 {
    tokens.all().key(n, n as u64)
}

/// Keys of one block: its non-trivial lines and its openings of two to four tokens.
struct Keys {
    first: usize,
    last: usize,
    lines: Vec<u64>,
    openings: Vec<u64>,
}

/// Blocks of an edge, nearest to the outside first. `last` and `first` are line indices, `keys` those of the lines.
fn keyed(lines: &[Line], keys: &[Option<u64>], tail: bool) -> Vec<Keys> {
    let mut tokens = Tokens::default();
    let key = |b: &Block| {
        tokens.clear();
        lines[b.first..=b.last].iter().take(2).for_each(|l| tokens.add_line(l.text));
        let openings = (2..=tokens.len().min(4)).map(|n| opening(&tokens, n)).collect();
        Keys {
            first: b.first,
            last: b.last,
            lines: keys[b.first..=b.last].iter().flatten().copied().collect(),
            openings,
        }
    };
    let mut out: Vec<Keys> = blocks(lines, 0, usize::MAX).iter().map(key).collect();
    if tail {
        out.reverse();
    }
    out
}

/// What belongs to the boilerplate of one end.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    /// Number of blocks, from the outside.
    blocks: usize,
    /// Texts that share the line of it that most have, and that of its innermost block that most have.
    most: u32,
    last: u32,
}

fn walk(blocks: &[Keys], side: &Side, least: u32) -> Walk {
    let (mut walk, mut gap) = (Walk::default(), 0);
    for (i, b) in blocks.iter().enumerate() {
        let shared = |keys: &[u64], least: u32| {
            let known = keys.iter().filter(|key| side.seen(**key, least) == Seen::Inside);
            known.fold((0, 0), |(count, most), key| (count + 1, side.inside(*key).max(most)))
        };
        let (lines, most) = shared(&b.lines, least);
        let (openings, opened) = shared(&b.openings, 2 * least);
        let by_lines = lines * 2 > b.lines.len() || (lines > 0 && b.lines.len() < 3);
        let by_opening = openings > 0 && i <= walk.blocks + 1;
        let support = most.max(if by_opening { opened } else { 0 });
        if by_lines || by_opening {
            walk = Walk { blocks: i + 1, most: walk.most.max(support), last: support };
            gap = 0;
        } else {
            gap += b.lines.len();
        }
        if gap >= GAP_MAX {
            break;
        }
    }
    walk
}

/// Learns which lines and openings are boilerplate; near-copies vote once.
pub(super) fn learn(books: &[Edges]) -> Evidence {
    let voters = voters(books);
    let mut evidence = Evidence { profile: Profile::Generic, books: voters.len() as u32, ..Default::default() };
    let least = evidence.least();
    let heads: Vec<Vec<Keys>> = voters.par_iter().map(|v| keyed(&v.edges.head, &v.head, false)).collect();
    evidence.heads = learn_side(&heads, least);
    let tails: Vec<Vec<Keys>> = voters.par_iter().map(|v| keyed(&v.edges.tail, &v.tail, true)).collect();
    evidence.tails = learn_side(&tails, least);
    evidence
}

fn learn_side(books: &[Vec<Keys>], least: u32) -> Side {
    let mut side = Side::default();
    for book in books {
        let lines: HashSet<u64> = book.iter().flat_map(|b| b.lines.iter().copied()).collect();
        for key in lines {
            side.vote(key, true);
        }
    }
    for _ in 0..ROUNDS {
        let ends: Vec<usize> = books.par_iter().map(|b| walk(b, &side, least).blocks).collect();
        side = count(books, &ends);
    }
    side
}

/// Lines vote by the present boundary; openings get the benefit of the doubt next to it.
fn count(books: &[Vec<Keys>], ends: &[usize]) -> Side {
    let mut side = Side::default();
    for (book, &end) in books.iter().zip(ends) {
        let mut seen = HashSet::new();
        for (i, b) in book.iter().enumerate() {
            for k in b.lines.iter().filter(|k| seen.insert(**k)) {
                side.vote(*k, i < end);
            }
        }
        let mut seen = HashSet::new();
        for (i, b) in book.iter().enumerate() {
            for k in b.openings.iter().filter(|k| seen.insert(**k)) {
                side.vote(*k, end > 0 && i < end + ZONE);
            }
        }
    }
    side
}

/// Marks one file by learned lines alone.
pub(super) fn mark(file: &Edges, evidence: &Evidence) -> Found {
    let least = evidence.least();
    let head = keyed(&file.head, &keys_of(&file.head), false);
    let top = walk(&head, &evidence.heads, least);
    let preamble_end = match top.blocks {
        0 => 0,
        n => file.head[head[n - 1].last].number + 1,
    };
    let from = file.tail.partition_point(|l| l.number < preamble_end);
    let behind = &file.tail[from..];
    let tail = keyed(behind, &keys_of(behind), true);
    let bottom = walk(&tail, &evidence.tails, least);
    let epilogue_start = match bottom.blocks {
        0 => 0,
        n => behind[tail[n - 1].first].number + 1,
    };
    let body_end = if epilogue_start == 0 { file.total } else { epilogue_start - 1 };
    let (confidence, doubts) = confidence([top, bottom], body_end.saturating_sub(preamble_end));
    Found {
        preamble_end,
        epilogue_start,
        confidence: Some(confidence),
        why_preamble: why(top),
        why_epilogue: why(bottom),
        doubts,
        ..Found::default()
    }
}

fn why(walk: Walk) -> String {
    match walk.blocks {
        0 => "no shared line".to_owned(),
        _ if walk.most == walk.last => format!("shared lines, in {} texts", walk.most),
        _ => format!("shared lines, in {} texts, the innermost in {}", walk.most, walk.last),
    }
}

/// How sure it is, as a product of doubts, and those doubts.
fn confidence(ends: [Walk; 2], lines_left: usize) -> (f32, Vec<&'static str>) {
    let found = || ends.iter().filter(|walk| walk.blocks > 0);
    let doubts = [
        (found().next().is_none(), 0.6, "no shared line"),
        (found().any(|walk| walk.last * 2 < walk.most), 0.65, "its innermost lines are in far fewer texts"),
        (found().any(|walk| walk.most < 5), 0.7, "few texts share it"),
        (lines_left <= 5, 0.2, "hardly anything is left"),
    ];
    let held = || doubts.iter().filter(|(holds, ..)| *holds);
    (held().fold(0.95, |confidence, (_, factor, _)| confidence * factor), held().map(|(.., doubt)| *doubt).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::lines::edges;
    use crate::strip::model::scramble;

    #[test]
    fn source_licence_headers_are_found() {
        let word =
            |x: u64| -> String { (0..6).map(|i| (b'a' + (scramble(x) >> (5 * i) & 15) as u8) as char).collect() };
        let line = |x: u64| (0..7).map(|i| word(x * 7 + i)).collect::<Vec<_>>().join(" ");
        let file = |n: u64| {
            let body: String = (0..60).map(|i| line(n * 1000 + i) + "\n\n").collect();
            format!(
                "// Copyright 20{n:02} The Example Authors. All rights reserved.\n// Use is governed by a licence found in the LICENSE file.\n\n{body}"
            )
        };
        let files: Vec<String> = (0..30).map(file).collect();
        let books: Vec<Edges> = files.iter().map(|f| edges(f.as_bytes(), 600, 600)).collect();
        let evidence = learn(&books);
        let found = mark(&books[0], &evidence);
        assert_eq!((found.preamble_end, found.epilogue_start), (2, 0));
        assert!(found.confidence.is_some_and(|confidence| confidence > 0.9) && found.doubts.is_empty());
        assert_eq!(found.why_preamble, "shared lines, in 30 texts");
        let other = edges(b"A text of a kind that nobody else has ever written.\n\nIt goes on.\n", 600, 600);
        assert_eq!(mark(&other, &evidence).doubts, ["no shared line", "hardly anything is left"]);
    }
}
