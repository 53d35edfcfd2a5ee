//! The profile without domain rules, which uses only what the files of a folder share.
//!
//! People paste notices as a whole, so their lines stay together. What counts is therefore pairs of consecutive lines,
//! if most texts with the first line also have the second after it, and blocks of a single line. Lines that occur next
//! to ever different ones, such as library names in programs, are not boilerplate. Losing a line of a body is worse
//! than keeping a line of a licence.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rayon::prelude::*;

use super::blocks::{Tokens, blocks};
use super::evidence::{Count, Evidence, Seen, Side};
use super::learn::{COPY_LINES, distinct_by, smallest};
use super::lines::{Edges, Line, TRIVIAL_BELOW};
use super::{Boundaries, StripProfile};

/// Lines in other blocks that the walk skips if the text after them is as common as the text before, and how many more
/// it skips if twice as many known lines follow at once.
const GAP: usize = 3;
const GAP_MAX: usize = 10;
/// This many consecutive known lines need only a fourth of the texts that share the rest.
const NOTICE: usize = 3;
const NOTICE_DROP: u32 = 4;
/// The seed of keys for two consecutive lines, and the replacement for a missing second line.
const PAIR: u64 = 1 << 32;
const ALONE: u64 = 1 << 40;

/// Texts that must share something before it counts.
fn least(texts: u32) -> u32 {
    if texts < 6 { 2 } else { (texts / 12).clamp(3, 8) }
}

/// Keys of one block.
#[derive(Debug)]
struct Keys {
    /// Its lines: indices into those of the edge.
    first: usize,
    last: usize,
    /// Those of its lines that have words, from the outside.
    lines: Vec<Own>,
    /// Each two consecutive ones.
    pairs: Vec<u64>,
    /// The whole block, if it is one line.
    alone: Option<u64>,
}

/// A line of a block.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// Its index among those of the edge.
    at: usize,
    key: u64,
    /// It is long enough to distinguish texts.
    distinguishes: bool,
    /// Plain words on it.
    words: usize,
    /// There is nothing else on it.
    plain: bool,
    /// No sentence ends with it.
    open: bool,
}

/// Plain words that a line must have to read like a part of a sentence: notices are written for people, and most lines of programs
/// and tables are not.
const SENTENCE: usize = 5;
/// The same for a line that forms a block.
const WHOLE_SENTENCE: usize = 6;

/// Counts the words that consist only of letters, and returns whether there are no others. Words in non-ASCII letters
/// may have no spaces between them.
fn plain_words(line: &[u8]) -> (usize, bool) {
    let (mut words, mut plain) = (0, true);
    for word in line.split(u8::is_ascii_whitespace) {
        // Lists, of names perhaps, have commas; sentences have more words without them.
        let (listed, word) =
            (word.ends_with(b","), word.strip_suffix(b".").or_else(|| word.strip_suffix(b",")).unwrap_or(word));
        if word.iter().all(u8::is_ascii_alphabetic) {
            words += usize::from(!word.is_empty() && !listed);
        } else {
            words += word.iter().filter(|byte| !byte.is_ascii()).count() / 6;
            plain &= !word.iter().any(u8::is_ascii_alphanumeric);
        }
    }
    (words, plain)
}

/// Blocks of an edge, from the outside.
fn keyed(lines: &[Line], tail: bool) -> Vec<Keys> {
    let mut tokens = Tokens::default();
    let mut own = |at: usize| {
        let text = lines[at].text;
        tokens.clear();
        tokens.add_line(text);
        let words = tokens.all();
        let distinguishes = text.len() >= TRIVIAL_BELOW && words.len() > 2;
        let (plain_words, plain) = plain_words(text);
        let open = !text.ends_with(b".");
        (words.len() > 0).then(|| Own {
            at,
            key: words.key(usize::MAX, 0),
            distinguishes,
            words: plain_words,
            plain,
            open,
        })
    };
    let mut keys = |first: usize, last: usize| {
        let mut lines: Vec<Own> = (first..=last).filter_map(&mut own).collect();
        // The order of a pair is that of the text.
        let mut pairs: Vec<u64> = lines.windows(2).map(|two| pair(two[0].key, two[1].key)).collect();
        let alone = match lines[..] {
            [line] => Some(pair(line.key, ALONE)),
            _ => None,
        };
        if tail {
            lines.reverse();
            pairs.reverse();
        }
        Keys { first, last, lines, pairs, alone }
    };
    let mut out: Vec<Keys> = blocks(lines, 0, usize::MAX).iter().map(|b| keys(b.first, b.last)).collect();
    if tail {
        out.reverse();
    }
    out
}

fn pair(one: u64, other: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&other.to_le_bytes());
    twox_hash::XxHash3_64::oneshot_with_seed(PAIR, &bytes) >> 24
}

/// What belongs to the boilerplate of one end.
#[derive(Clone, Copy, Debug, Default)]
struct Walk {
    /// Number of blocks, from the outside, that belong to it as a whole.
    blocks: usize,
    /// How many non-trivial lines of the next block belong to it, too.
    lines: usize,
    /// Lines inside of it that no other text has.
    skipped: usize,
    /// Texts that share the part of it that most have, and the innermost part.
    most: u32,
    last: u32,
}

impl Walk {
    fn is_empty(self) -> bool {
        self.blocks == 0 && self.lines == 0
    }
}

/// How much of a block is shared: lines from the outside, and by how many texts.
struct Shared {
    lines: usize,
    /// Those of them that are known and read like sentences.
    known: usize,
    /// They read like sentences. Others are skipped, and boilerplate never ends with them.
    reads: bool,
    support: u32,
}

/// What of a block is known, from its outer side.
fn shared(b: &Keys, side: &Side, least: u32) -> Option<Shared> {
    let known = |key: u64| side.seen(key, least) == Seen::Inside;
    if let Some(alone) = b.alone {
        return known(alone).then(|| Shared {
            lines: b.lines.len(),
            known: 1,
            reads: b.lines.iter().all(|line| line.words >= WHOLE_SENTENCE),
            support: side.inside(alone),
        });
    }
    let bonds: Vec<bool> = b.pairs.iter().map(|pair| known(*pair)).collect();
    let is_known = |i: usize| (i > 0 && bonds[i - 1]) || bonds.get(i).is_some_and(|bond| *bond);
    let (mut known_lines, mut sentences, mut most) = (0, 0, 0);
    let (mut best, mut reads, mut taken) = (0, false, 0);
    for (i, line) in b.lines.iter().enumerate().filter(|(i, _)| is_known(*i)) {
        known_lines += 1;
        let is_sentence = line.words >= SENTENCE;
        sentences += usize::from(is_sentence);
        // Another line can end a sentence, or belongs to it if nearly all texts have it there.
        let before = i.checked_sub(1).filter(|before| bonds[*before]);
        let support = before.map_or(0, |before| side.inside(b.pairs[before]));
        most = most.max(support);
        let ends_one =
            line.plain && before.is_some_and(|before| b.lines[before].open && b.lines[before].words >= SENTENCE);
        let belongs = is_sentence || ends_one || support * 4 >= most * 3;
        // One line in four may be of the text alone: names, titles, dates.
        let is_text = sentences * 2 >= known_lines;
        if known_lines * 4 >= (i + 1) * 3 && if is_text { belongs } else { !reads } {
            (best, reads, taken) = (i + 1, is_text, sentences);
        }
    }
    let support = b.pairs.iter().zip(&bonds).filter(|(_, bond)| **bond).map(|(pair, _)| side.inside(*pair)).max();
    support.filter(|_| best > 0).map(|support| Shared { lines: best, known: taken, reads, support })
}

fn walk(blocks: &[Keys], side: &Side, least: u32, tail: bool, reach: usize) -> Walk {
    let (mut walk, mut gap) = (Walk::default(), 0);
    for (i, b) in blocks.iter().enumerate() {
        // A few lines that far fewer texts have than those around them are of another kind. A notice may be directly
        // above the text, in one block with it, but hardly ever directly below.
        let agrees = |found: &Shared| {
            let whole = found.lines == b.lines.len();
            (whole || !tail)
                && match gap {
                    0 => found.support * if found.known >= NOTICE { NOTICE_DROP } else { 2 } >= walk.most,
                    _ if !found.reads => true,
                    _ => b.alone.is_none() && found.support * 2 >= walk.most && (gap <= GAP || found.known >= 2 * gap),
                }
        };
        match shared(b, side, least).filter(agrees) {
            Some(Shared { reads: false, .. }) => {}
            Some(Shared { lines, support, .. }) => {
                let whole = lines == b.lines.len();
                let (blocks, lines) = if whole { (i + 1, 0) } else { (i, lines) };
                let skipped = walk.skipped + gap;
                walk = Walk { blocks, lines, skipped, most: walk.most.max(support), last: support };
                gap = 0;
                if !whole {
                    break;
                }
            }
            None => gap += b.lines.len().max(1),
        }
        if gap > reach {
            break;
        }
    }
    walk
}

/// Blocks of both ends of a text.
struct Blocks {
    head: Vec<Keys>,
    tail: Vec<Keys>,
}

impl Blocks {
    fn of(text: &Edges) -> Blocks {
        Blocks { head: keyed(&text.head, false), tail: keyed(&text.tail, true) }
    }
}

/// Learns what is boilerplate; near-duplicates have one vote.
///
/// Near-duplicates can only be detected by the text that is not boilerplate: if a licence is most of each text, all of them are
/// similar. So all texts vote first, and their remaining text then shows the near-duplicates.
pub(super) fn learn(texts: &[Edges]) -> Evidence {
    let all: Vec<Blocks> = texts.par_iter().map(Blocks::of).collect();
    let everything: Vec<&Blocks> = all.iter().collect();
    let first = learn_from(&everything);
    let sketches: Vec<Vec<u64>> =
        texts.par_iter().zip(&all).map(|(text, blocks)| sketch(text, blocks, &first)).collect();
    let voters: Vec<&Blocks> = distinct_by(&sketches).into_iter().map(|text| &all[text]).collect();
    learn_from(&voters)
}

fn learn_from(texts: &[&Blocks]) -> Evidence {
    let heads: Vec<&[Keys]> = texts.iter().map(|text| &text.head[..]).collect();
    let tails: Vec<&[Keys]> = texts.iter().map(|text| &text.tail[..]).collect();
    let books = texts.len() as u32;
    let (heads, tails) = rayon::join(|| learn_side(&heads, least(books)), || learn_side(&tails, least(books)));
    Evidence { profile: StripProfile::Generic, books, heads, tails, ..Default::default() }
}

/// Keys that identify near-duplicates: of the lines between the boundaries, or of the middle lines if hardly any remain.
fn sketch(text: &Edges, blocks: &Blocks, evidence: &Evidence) -> Vec<u64> {
    let ends = BothEnds::of(text, blocks, evidence);
    let (from, until) =
        (ends.preamble_end, if ends.epilogue_start == 0 { text.total } else { ends.epilogue_start - 1 });
    let distinguishing = |blocks: &[Keys], lines: &[Line]| -> Vec<(usize, u64)> {
        let own = blocks.iter().flat_map(|b| &b.lines).filter(|line| line.distinguishes);
        own.map(|line| (lines[line.at].number, line.key)).collect()
    };
    let mut lines = distinguishing(&blocks.head, &text.head);
    lines.extend(distinguishing(&blocks.tail, &text.tail).into_iter().filter(|(number, _)| *number >= text.head.len()));
    let keys = |from: usize, until: usize| {
        smallest(lines.iter().filter(|(number, _)| (from..until).contains(number)).map(|(_, key)| *key).collect())
    };
    let between = keys(from, until);
    let skip = 400.min(text.total / 3);
    if between.len() < COPY_LINES { keys(skip, text.total - skip) } else { between }
}

/// Pairs and single lines that enough texts have, and that occur together more often than apart, with the numbers of
/// texts.
fn learn_side(texts: &[&[Keys]], least: u32) -> Side {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for text in texts {
        let mut seen = HashSet::new();
        let keys = text.iter().flat_map(|b| b.lines.iter().map(|line| &line.key).chain(&b.pairs).chain(&b.alone));
        for key in keys.filter(|key| seen.insert(**key)) {
            *counts.entry(*key).or_default() += 1;
        }
    }
    let count = |key: &u64| counts.get(key).copied().unwrap_or(0);
    let bound = |key: &u64, parts: &[Own]| {
        let together = count(key);
        let each = || parts.iter().map(|line| count(&line.key));
        let (rarest, commonest) = (each().min().unwrap_or(0), each().max().unwrap_or(0));
        together >= least && together * 2 >= rarest && together * 10 >= commonest
    };
    let mut side = Side::default();
    let mut add = |key: u64| {
        side.0.insert(key, Count { inside: count(&key), outside: 0 });
    };
    for b in texts.iter().copied().flatten() {
        let pairs =
            b.pairs.iter().zip(b.lines.windows(2)).filter(|(pair, lines)| bound(pair, lines)).map(|(pair, _)| *pair);
        pairs.chain(b.alone.filter(|alone| bound(alone, &b.lines))).for_each(&mut add);
    }
    side
}

/// The innermost line that belongs to the boilerplate of an end. Lines after it without letters and digits, such as the
/// end of a comment, belong to it if they are in the same block.
fn end_of<'a, 'b>(lines: &'a [Line<'b>], blocks: &[Keys], walk: Walk, tail: bool) -> Option<&'a Line<'b>> {
    if walk.is_empty() {
        return None;
    }
    if walk.lines == 0 {
        let b = blocks.get(walk.blocks - 1)?;
        return lines.get(if tail { b.first } else { b.last });
    }
    let b = blocks.get(walk.blocks)?;
    let mut at = b.lines.get(walk.lines - 1)?.at;
    let says_nothing = |i: usize| !lines[i].text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    while if tail { at > b.first && says_nothing(at - 1) } else { at < b.last && says_nothing(at + 1) } {
        at = if tail { at - 1 } else { at + 1 };
    }
    lines.get(at)
}

/// The boilerplate of a text, as lines from 1; 0 means none.
struct BothEnds {
    top: Walk,
    bottom: Walk,
    preamble_end: usize,
    epilogue_start: usize,
}

impl BothEnds {
    /// Both ends have lines in common.
    fn overlap(&self) -> bool {
        self.epilogue_start > 0 && self.epilogue_start <= self.preamble_end
    }

    fn of(text: &Edges, blocks: &Blocks, evidence: &Evidence) -> BothEnds {
        let Evidence { books, heads, tails, .. } = evidence;
        let least = least(*books);
        let both = |reach: usize| {
            let top = walk(&blocks.head, heads, least, false, reach);
            let bottom = walk(&blocks.tail, tails, least, true, reach);
            let preamble_end = end_of(&text.head, &blocks.head, top, false).map_or(0, |line| line.number + 1);
            let epilogue_start = end_of(&text.tail, &blocks.tail, bottom, true).map_or(0, |line| line.number + 1);
            BothEnds { top, bottom, preamble_end, epilogue_start }
        };
        let mut found = both(GAP_MAX);
        // In a short text, each walk can cross the whole body and reach the other end. The body is not a gap.
        if found.overlap() {
            found = both(0);
        }
        let overlap = found.overlap();
        let BothEnds { mut top, mut bottom, mut preamble_end, mut epilogue_start } = found;
        // Lines that both still reach belong to the end with less text in between.
        if overlap {
            if bottom.skipped < top.skipped {
                (top, preamble_end) = (Walk::default(), 0);
            } else {
                let from = text.tail.partition_point(|line| line.number < preamble_end);
                let behind = &text.tail[from..];
                let blocks = keyed(behind, true);
                bottom = walk(&blocks, tails, least, true, 0);
                epilogue_start = end_of(behind, &blocks, bottom, true).map_or(0, |line| line.number + 1);
            }
        }
        BothEnds { top, bottom, preamble_end, epilogue_start }
    }
}

/// Marks one file by learned lines alone.
pub(super) fn mark(file: &Edges, evidence: &Evidence) -> Boundaries {
    let BothEnds { top, bottom, preamble_end, epilogue_start } = BothEnds::of(file, &Blocks::of(file), evidence);
    let body_end = if epilogue_start == 0 { file.total } else { epilogue_start - 1 };
    let (confidence, doubts) = confidence([top, bottom], body_end.saturating_sub(preamble_end));
    Boundaries {
        preamble_end,
        epilogue_start,
        confidence: Some(confidence),
        why_preamble: why(top),
        why_epilogue: why(bottom),
        doubts,
        ..Boundaries::default()
    }
}

fn why(walk: Walk) -> String {
    match walk {
        walk if walk.is_empty() => "found no shared line".to_owned(),
        _ if walk.most == walk.last => format!("found lines that {} texts share", walk.most),
        _ => format!("found lines that {} texts share; the innermost line occurs in {}", walk.most, walk.last),
    }
}

/// How sure it is, as a product of doubts, and those doubts.
fn confidence(ends: [Walk; 2], lines_left: usize) -> (f32, Vec<&'static str>) {
    let found = || ends.iter().filter(|walk| !walk.is_empty());
    let doubts = [
        (found().next().is_none(), 0.6, "no shared line"),
        (found().any(|walk| walk.last * 2 < walk.most), 0.65, "far fewer texts share the innermost lines"),
        (found().any(|walk| walk.most < 5), 0.7, "few texts share these lines"),
        (lines_left <= 5, 0.2, "almost nothing remains"),
    ];
    let held = || doubts.iter().filter(|(holds, ..)| *holds);
    (held().fold(0.95, |confidence, (_, factor, _)| confidence * factor), held().map(|(.., doubt)| *doubt).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::lines::edges;
    use crate::strip::model::scramble;

    /// A word that no other number has.
    fn word(x: u64) -> String {
        (0..6).map(|i| (b'a' + (scramble(x) >> (5 * i) & 15) as u8) as char).collect()
    }

    /// Lines that no other text has.
    fn own(text: u64, lines: std::ops::Range<u64>) -> String {
        let line = |i: u64| (0..7).map(|word_at| word((text * 1000 + i) * 7 + word_at)).collect::<Vec<_>>().join(" ");
        lines.map(|i| line(i) + "\n" + if i % 5 == 4 { "\n" } else { "" }).collect()
    }

    /// What is found in each text of a folder.
    fn found_in(texts: &[String]) -> Vec<(usize, usize)> {
        let books: Vec<Edges> = texts.iter().map(|text| edges(text.as_bytes(), 600, 600)).collect();
        let evidence = learn(&books);
        let found = books.iter().map(|book| mark(book, &evidence).checked(book));
        found.map(|found| if found.emptied { (0, 0) } else { (found.preamble_end, found.epilogue_start) }).collect()
    }

    const LICENCE: &str = "// Licensed under terms that are written down in the file called LICENCE,\n\
        // which should have come with this one. You may copy it and change it, as\n\
        // long as this notice stays where it is. There is no warranty of any kind,\n\
        // neither stated nor implied.\n";

    #[test]
    fn libraries_that_programs_name_are_kept() {
        let libraries = [
            "use std::collections::{BTreeMap, HashMap, HashSet};\n",
            "use std::sync::atomic::{AtomicU64, Ordering};\n",
            "from typing import Any, Dict, List, Optional, Tuple, Union\n",
            "import numpy as the_numbers_of_everything\n",
            "use crate::error::{Error, Result};\n",
        ];
        let names =
            |n: usize| -> String { (0..5).filter(|i| !(n + i).is_multiple_of(3)).map(|i| libraries[i]).collect() };
        let program = |n: usize| format!("{LICENCE}\n{}\n{}", names(n), own(n as u64, 0..40));
        let with_licence: Vec<String> = (0..40).map(program).collect();
        assert_eq!(found_in(&with_licence), [(4, 0); 40]);
        let without: Vec<String> = (0..40).map(|n| format!("{}\n{}", names(n), own(n as u64, 0..40))).collect();
        assert_eq!(found_in(&without), [(0, 0); 40]);
        let directly: Vec<String> =
            (0..40).map(|n| format!("{LICENCE}{}\n{}", names(n), own(n as u64, 0..40))).collect();
        assert_eq!(found_in(&directly), [(4, 0); 40]);
    }

    #[test]
    fn a_licence_may_be_most_of_each_text() {
        let clauses: String = (0..30).map(|n| LICENCE.replace("copy it", &format!("copy it {}", word(n)))).collect();
        let texts: Vec<String> = (0..20).map(|n| format!("{clauses}\n{}", own(n, 0..4))).collect();
        assert_eq!(found_in(&texts), [(120, 0); 20]);
    }

    #[test]
    fn footers_of_mails_are_found_and_what_people_wrote_is_kept() {
        let footer = "You receive this mail because you are on the list of friends of the garden.\n\
            To leave the list, write to the address below, with a word of farewell.\n";
        let mail = |n: u64| {
            let name = word(n % 7);
            format!("Dear {name},\n\n{}\nBest wishes from your old friend,\n{name}\n\n{footer}", own(n, 0..n % 9 + 3))
        };
        let texts: Vec<String> = (0..60).map(mail).collect();
        for (text, found) in texts.iter().zip(found_in(&texts)) {
            assert_eq!(found, (0, text.lines().count() - 1), "{text}");
        }
    }

    #[test]
    fn short_mails_keep_all_text_between() {
        let header = "This mail was sent to you by the friends of the garden.\n\
            Please do not answer to this address, because nobody reads it.\n\
            The office is open on weekdays from nine until five.\n";
        let footer = "You receive this mail because you are on the list of friends of the garden.\n\
            To leave the list, write to the address below, with a word of farewell.\n\
            The friends of the garden are a society that makes no profit.\n";
        // A few mails have a paragraph in common, directly above the footer.
        let news = |n: u64| if n.is_multiple_of(10) { own(999, 0..4) + "\n" } else { String::new() };
        let mail = |n: u64| format!("{header}\n{}\n{}{footer}", own(n, 0..n % 3 + 2), news(n));
        let texts: Vec<String> = (0..30).map(mail).collect();
        for (text, found) in texts.iter().zip(found_in(&texts)) {
            assert_eq!(found, (3, text.lines().count() - 2), "{text}");
        }
    }

    #[test]
    fn copies_of_one_text_do_not_lose_what_they_have_in_common() {
        let copies = (0..20).map(|n| format!("{}\n{}", own(999, 0..60), own(n, 0..1)));
        let texts: Vec<String> = copies.chain((0..20).map(|n| own(n, 0..60))).collect();
        assert_eq!(found_in(&texts), [(0, 0); 40]);
    }

    #[test]
    fn source_licence_headers_are_found() {
        let file = |n: u64| {
            format!(
                "// Copyright 20{n:02} The Example Authors. All rights reserved.\n// Use is governed by a licence found in the LICENSE file.\n\n{}",
                own(n, 0..60)
            )
        };
        let files: Vec<String> = (0..30).map(file).collect();
        let books: Vec<Edges> = files.iter().map(|f| edges(f.as_bytes(), 600, 600)).collect();
        let evidence = learn(&books);
        let found = mark(&books[0], &evidence);
        assert_eq!((found.preamble_end, found.epilogue_start), (2, 0));
        assert!(found.confidence.is_some_and(|confidence| confidence > 0.9) && found.doubts.is_empty());
        assert_eq!(found.why_preamble, "found lines that 30 texts share");
        let other = edges(b"A text of a kind that nobody else has ever written.\n\nIt goes on.\n", 600, 600);
        assert_eq!(mark(&other, &evidence).doubts, ["no shared line", "almost nothing remains"]);
    }
}
