//! The top of a book, prepared for marking: marker, metadata, blocks and their features.

use twox_hash::XxHash3_64;

use super::blocks::{Block, BlockTokens, FILE, MAIL, Tokens, URL, Words, blocks};
use super::evidence::{Evidence, Seen, key_of_words, line_key};
use super::lines::Line;
use super::mark::{Best, Scorer};
use super::meta::{self, Facts, TitleMatch, TitleWords};
use super::model::bucket;
use super::rules::{FirstWords, Place, Rules, Says};

/// Blocks examined after the anchor.
pub(super) const REACH: usize = 48;
/// A gap of this many blank lines closes a note.
pub(super) const SECTION_GAP: usize = 3;
/// Tokens of a block that become features.
const WORDS: usize = 80;

/// One block after the anchor.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each says whether a rule speaks of the block
pub(super) struct HeadBlock {
    pub(super) block: Block,
    pub(super) title: TitleMatch,
    pub(super) credit: bool,
    pub(super) note: bool,
    pub(super) notice: bool,
    /// The author's name under a title line that speaks of the e-book.
    pub(super) by_line: bool,
    /// Inside a note opened by an earlier block of the same section.
    pub(super) in_note: bool,
    /// Running text rather than a heading.
    pub(super) prose: bool,
    /// Features that do not depend on the evidence.
    pub(super) features: Vec<u16>,
    /// Keys of its non-trivial lines.
    pub(super) keys: Vec<u64>,
}

/// The prepared head of a book.
#[derive(Debug)]
pub(super) struct Head {
    /// Index of the last marker line, if any marker was found.
    pub(super) marker: Option<usize>,
    /// Another e-book begins after the end of the first one.
    pub(super) another: bool,
    /// Index of the line after which the blocks start (marker or frequent lines), if any.
    pub(super) anchor: Option<usize>,
    pub(super) meta: Facts,
    pub(super) blocks: Vec<HeadBlock>,
    /// The block that carries the book's own title (or author), if one was found.
    pub(super) title: Option<usize>,
    /// Scores of the first blocks, where a head is prepared for marking.
    pub(super) scores: Vec<f32>,
}

/// How much of a head to prepare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Up to the title page, or to where no later block can move the boundary: enough for marking.
    Needed,
    /// Beyond it: examples of the book for training.
    Full,
}

/// Keys of all lines of an edge.
pub(super) fn keys_of(lines: &[Line]) -> Vec<Option<u64>> {
    let mut tokens = Tokens::default();
    lines.iter().map(|l| line_key(l.text, &mut tokens)).collect()
}

impl Head {
    /// Prepares a head: the anchor is the last marker, or what `evidence` knows to be boilerplate.
    pub(super) fn new(lines: &[Line], rules: &Rules, evidence: &Evidence, extent: Extent) -> Self {
        let (marker, another) = find_marker(lines, rules).unzip();
        let anchor = marker.map(|m| m.1).or_else(|| frequent_end(lines, evidence));
        let meta = meta::read(&lines[..anchor.map_or(0, |a| a + 1)]);
        let marker_lines = marker.map_or(&lines[..0], |(first, last)| &lines[first..=last]);
        let words = TitleWords::new(&meta, marker_lines);
        let cut = blocks(lines, anchor.map_or(0, |a| a + 1), REACH);
        let judge = (extent == Extent::Needed).then(|| Scorer::new(evidence, anchor.is_some()));
        let (blocks, scores) = describe(lines, &cut, &words, rules, judge);
        let title = title_page(&blocks);
        Self { marker: marker.map(|m| m.1), another: another == Some(true), anchor, meta, blocks, title, scores }
    }

    /// Blocks before the title page.
    pub(super) fn before_title(&self) -> usize {
        self.title.unwrap_or(self.blocks.len())
    }
}

impl HeadBlock {
    /// A heading that no rule matches.
    fn is_heading(&self) -> bool {
        !(self.prose || self.credit || self.note || self.notice || self.in_note || self.by_line) && self.block.gap > 0
    }

    /// Title or author of the book and nothing that speaks of the e-book.
    pub(super) fn is_title_page(&self) -> bool {
        self.title != TitleMatch::None && !self.credit && !self.note && !self.notice && !self.by_line
    }
}

/// The last line of these that says that a book begins, or ends.
pub(super) fn last_marker(lines: &[Line], place: Place, rules: &Rules) -> Option<usize> {
    let first_words = rules.first_words(place, Says::Marker);
    let mut tokens = Tokens::default();
    lines.iter().rposition(|line| is_marker(line, place, rules, &first_words, &mut tokens))
}

/// The first one.
pub(super) fn first_marker(lines: &[Line], place: Place, rules: &Rules) -> Option<usize> {
    let first_words = rules.first_words(place, Says::Marker);
    let mut tokens = Tokens::default();
    lines.iter().position(|line| is_marker(line, place, rules, &first_words, &mut tokens))
}

fn is_marker(line: &Line, place: Place, rules: &Rules, first_words: &FirstWords, tokens: &mut Tokens) -> bool {
    if line.text.len() < 12 || !first_words.admit(line.text) {
        return false;
    }
    tokens.clear();
    tokens.add_line(line.text);
    rules.matches(place, Says::Marker, tokens.all())
}

/// The marker in the head: the last one, but none after the end of a whole e-book. Returns the indices of its first and
/// last line (markers may wrap), and whether another e-book follows.
fn find_marker(lines: &[Line], rules: &Rules) -> Option<((usize, usize), bool)> {
    if rules.is_empty() {
        return None;
    }
    let last = last_marker(lines, Place::Head, rules)?;
    let ended = first_marker(&lines[..last], Place::Tail, rules);
    let before = ended.and_then(|end| last_marker(&lines[..end], Place::Head, rules));
    let first = before.unwrap_or(last);
    Some(((first, wrapped_end(lines, first)), before.is_some()))
}

/// A marker that starts with stars but does not end with them continues on the next lines.
fn wrapped_end(lines: &[Line], first: usize) -> usize {
    let text = lines[first].text;
    if !text.starts_with(b"*") || text.ends_with(b"*") {
        return first;
    }
    (first + 1..(first + 4).min(lines.len()))
        .take_while(|&i| !lines[i].is_blank())
        .find(|&i| lines[i].text.ends_with(b"*"))
        .unwrap_or(first)
}

/// Paper-like walk over lines known to be boilerplate; stops after ten unknown non-trivial lines.
pub(super) fn frequent_end(lines: &[Line], evidence: &Evidence) -> Option<usize> {
    let (mut last, mut gap) = (None, 0);
    let mut tokens = Tokens::default();
    for (i, line) in lines.iter().enumerate() {
        let Some(key) = line_key(line.text, &mut tokens) else {
            continue;
        };
        match evidence.heads.seen(key, evidence.least()) {
            Seen::Inside => (last, gap) = (Some(i), 0),
            _ => gap += 1,
        }
        if gap >= 10 {
            break;
        }
    }
    last
}

/// Describes the blocks. With a scorer, they are scored, and the rest is skipped when it does not matter. This is so
/// after the title page, and once the sum of scores has fallen so far that no later block counts. A later title page
/// may reach back over headings before it, but not over any other block.
fn describe(
    lines: &[Line],
    cut: &[Block],
    words: &TitleWords,
    rules: &Rules,
    mut judge: Option<Scorer>,
) -> (Vec<HeadBlock>, Vec<f32>) {
    let (mut out, mut scores): (Vec<HeadBlock>, Vec<f32>) = (Vec::new(), Vec::new());
    let mut tokens = BlockTokens::default();
    let (mut walk, mut fallen) = (Best::default(), false);
    for block in cut {
        tokens.cut(&lines[block.first..=block.last]);
        let b = describe_one(lines, block, &tokens, words, rules, out.last());
        let reaches_back = b.is_heading();
        out.push(b);
        if let (Some(judge), Some(b)) = (&mut judge, out.last()) {
            if !fallen {
                let score = judge.score(b);
                scores.push(score);
                fallen = walk.push(score);
            }
            let titled = title_page(&out);
            if titled.is_some_and(|t| out.len() > t + SECOND_TITLE) || (titled.is_none() && fallen && !reaches_back) {
                break;
            }
        }
    }
    (out, scores)
}

fn describe_one(
    lines: &[Line],
    block: &Block,
    tokens: &BlockTokens,
    words: &TitleWords,
    rules: &Rules,
    before: Option<&HeadBlock>,
) -> HeadBlock {
    let text = &lines[block.first..=block.last];
    let all = tokens.all();
    let says = |what| rules.matches(Place::Head, what, all);
    let masked = all.iter().any(|t| t == MAIL || t == URL || t == FILE);
    let title = if masked { TitleMatch::None } else { words.compare(all) };
    let near = block.gap < SECTION_GAP;
    let named = before.is_some_and(|b| b.notice && b.title == TitleMatch::Title);
    let by = all.iter().next() == Some(b"by") || title == TitleMatch::Author;
    let mut b = HeadBlock {
        block: *block,
        title,
        by_line: named && near && by,
        // At the start of any line, not only of the block.
        credit: tokens.lines().take(8).any(|line| rules.matches(Place::Head, Says::Credit, line)),
        note: says(Says::Note),
        notice: says(Says::Notice) || (!rules.is_empty() && meta::is_field(text[0].text)),
        in_note: near && before.is_some_and(|b| b.note || b.in_note),
        prose: false,
        features: Vec::new(),
        keys: block_keys(text, tokens).collect(),
    };
    let book = says(Says::Book);
    b.prose = !book && is_prose(text);
    b.features = features(text, &b, all, book);
    b
}

/// Keys of the non-trivial lines of a block.
pub(super) fn block_keys<'a>(lines: &'a [Line], tokens: &'a BlockTokens) -> impl Iterator<Item = u64> {
    lines.iter().zip(tokens.lines()).filter_map(|(line, words)| key_of_words(line.text, words))
}

/// Running text: begins with a small letter, or half of at least five words do.
fn is_prose(lines: &[Line]) -> bool {
    let (mut small, mut all) = (0, 0);
    for word in lines.iter().flat_map(|l| l.text.split(u8::is_ascii_whitespace)) {
        small += usize::from(word.first().is_some_and(u8::is_ascii_lowercase));
        all += usize::from(word.first().is_some_and(u8::is_ascii_alphabetic));
    }
    lines[0].text[0].is_ascii_lowercase() || (all >= 5 && small * 2 >= all)
}

/// Capitals and small letters of a block.
fn letters(lines: &[Line]) -> (usize, usize) {
    let (mut upper, mut lower) = (0, 0);
    for &c in lines.iter().flat_map(|l| l.text) {
        upper += usize::from(c.is_ascii_uppercase());
        lower += usize::from(c.is_ascii_lowercase());
    }
    (upper, lower)
}

/// Blocks after a title line that are searched for the true title page.
const SECOND_TITLE: usize = 4;

/// First title page; a title line that only heads a list of credits, with the title repeated after them, is not one.
fn title_page(blocks: &[HeadBlock]) -> Option<usize> {
    let title = titled_block(blocks)?;
    let heading = |i: &usize| blocks[i + 1].block.gap <= 2 && blocks[*i].is_heading();
    Some((0..title).rev().take_while(heading).last().unwrap_or(title))
}

fn titled_block(blocks: &[HeadBlock]) -> Option<usize> {
    let first = blocks.iter().position(HeadBlock::is_title_page)?;
    let after =
        |from: usize| blocks[from..].iter().take(SECOND_TITLE).position(HeadBlock::is_title_page).map(|t| from + t);
    match blocks.get(first + 1) {
        Some(b) if b.credit && !b.note => after(first + 2).or(Some(first)),
        _ => Some(first),
    }
}

/// The blocks up to the anchor, for training.
pub(super) fn header_blocks(lines: &[Line], anchor: usize) -> Vec<HeadBlock> {
    let cut = blocks(&lines[..=anchor], 0, REACH);
    describe(lines, &cut, &TitleWords::default(), &Rules::default(), None).0
}

/// Hashed features of a block: opening words, words, pairs of words, layout, rules.
fn features(text: &[Line], b: &HeadBlock, tokens: Words, book: bool) -> Vec<u16> {
    let mut f = Features(Vec::with_capacity(128));
    let words = tokens.len().min(WORDS);
    (1..=tokens.len().min(4)).for_each(|opening| f.add(1, tokens.run(0..opening)));
    for i in 0..words {
        f.add(2, tokens.get(i));
    }
    for i in 1..words {
        let pair = tokens.run(i - 1..i + 1);
        f.add(3, &pair[..pair.len() - 1]);
    }
    layout(text, b, tokens, &mut f);
    let flags =
        [b.credit, b.note, b.notice, b.in_note, book, b.title == TitleMatch::Author, b.title == TitleMatch::Title];
    for (i, _) in flags.iter().enumerate().filter(|(_, on)| **on) {
        f.add(4, &[i as u8]);
    }
    f.0.sort_unstable();
    f.0.dedup();
    f.0
}

fn layout(text: &[Line], b: &HeadBlock, tokens: Words, f: &mut Features) {
    if b.in_note {
        f.add(6, &[b.block.gap as u8]);
    }
    f.add(7, &[text.len().min(6) as u8]);
    f.add(8, &[(tokens.len() + 1).ilog2() as u8]);
    let longest = text.iter().map(|l| l.text.len()).max().unwrap_or(0);
    f.add(9, &[(longest / 12) as u8]);
    let (upper, lower) = letters(text);
    f.add(10, &[(upper * 4 / (upper + lower).max(1)) as u8]);
    let open = text[0].text.first().copied().unwrap_or(0);
    f.add(11, &[if open.is_ascii_alphanumeric() { b'a' } else { open }]);
    let close = text[text.len() - 1].text.last().copied().unwrap_or(0);
    f.add(12, &[if close.is_ascii_alphanumeric() { b'a' } else { close }]);
}

struct Features(Vec<u16>);

impl Features {
    fn add(&mut self, kind: u64, value: &[u8]) {
        self.0.push(bucket(XxHash3_64::oneshot_with_seed(kind, value)));
    }
}

/// Features that state what the line evidence says of a block.
pub(super) fn evidence_features(b: &HeadBlock, evidence: &Evidence, out: &mut Vec<u16>) {
    let least = evidence.least();
    let (mut inside, mut outside) = (0, 0);
    for key in &b.keys {
        match evidence.heads.seen(*key, least) {
            Seen::Inside => inside += 1,
            Seen::Outside => outside += 1,
            _ => {}
        }
    }
    let n = b.keys.len();
    let share = |k: usize| {
        if k == 0 {
            0
        } else if k * 2 < n {
            1
        } else {
            2
        }
    };
    let mut f = Features(Vec::new());
    if inside + outside > 0 {
        f.add(13, &[share(inside)]);
        f.add(14, &[share(outside)]);
    }
    out.extend(f.0);
}
