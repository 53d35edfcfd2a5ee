//! The backbone of pages: the tokens that most of them have, in order, and the content of the gaps between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::align::{NOWHERE, Table, align};
use super::tokens::{GOLDEN, Kind, Token, chars, hash};

/// A token of the backbone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Piece {
    pub(super) hash: u64,
    /// For tags, the hash of the name in lower case; otherwise 0.
    pub(super) name: u64,
    pub(super) kind: Kind,
    pub(super) chars: u16,
    /// The share of pages that have it.
    pub(super) share: f32,
}

/// The content between two tokens of the backbone, on an average page.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Gap {
    /// Characters of all kinds, without white space.
    pub(super) chars: f32,
    /// Of them, text outside of links.
    pub(super) text: f32,
    /// Text inside links.
    pub(super) link: f32,
    /// Scripts, style sheets, comments.
    pub(super) raw: f32,
    /// The number of different contents, as a share of the pages.
    pub(super) distinct: f32,
    /// The share of pages with any content there.
    pub(super) filled: f32,
}

/// The tokens of the backbone, and the gaps: one before each token, and one after the last.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Backbone {
    pub(super) pieces: Vec<Piece>,
    pub(super) gaps: Vec<Gap>,
}

/// The content between two adjacent tokens of the backbone on one page.
struct Filling {
    /// The first and last gap of the backbone it can belong to: the tokens between them are missing on the page.
    first: usize,
    last: usize,
    sums: [f32; 4],
    hash: u64,
}

impl Backbone {
    /// What at least this share of the pages have in common.
    pub(super) fn of(texts: &[&str], pages: &[&[Token]], common: f64) -> Backbone {
        let (pieces, places) = pieces(texts, pages, common);
        let gaps = gaps(texts, pages, &places);
        Backbone { pieces, gaps }
    }

    /// Matching pairs of opening and closing tags, by index; inner pairs before outer ones.
    pub(super) fn elements(&self) -> Vec<(usize, usize)> {
        let mut open: Vec<usize> = Vec::new();
        // How many of each name are open: a tag that closes nothing is skipped at once.
        let mut counts: Table<u64, u32> = Table::default();
        let mut pairs = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece.kind {
                Kind::Open => {
                    open.push(index);
                    *counts.entry(piece.name).or_default() += 1;
                }
                Kind::Close if counts.get(&piece.name).is_some_and(|count| *count > 0) => {
                    while let Some(start) = open.pop() {
                        let name = self.pieces[start].name;
                        counts.entry(name).and_modify(|count| *count -= 1);
                        if name == piece.name {
                            pairs.push((start, index));
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
        pairs
    }

    /// The elements as ranges of gaps, starting after the opening tag.
    pub(super) fn insides(&self) -> Vec<(usize, usize)> {
        // The first end of a tag from each token on.
        let mut ends = vec![None; self.pieces.len() + 1];
        for (index, piece) in self.pieces.iter().enumerate().rev() {
            ends[index] = if piece.kind == Kind::End { Some(index) } else { ends[index + 1] };
        }
        let inside = |(open, close): (usize, usize)| {
            let end = ends[open + 1].filter(|end| *end < close)?;
            Some((end + 1, close))
        };
        self.elements().into_iter().filter_map(inside).collect()
    }

    /// For each gap, whether it is inside a heading of the first level.
    pub(super) fn headline_gaps(&self) -> Vec<bool> {
        let heading = hash(b"h1");
        let mut inside = vec![false; self.gaps.len()];
        let mut until = 0;
        let mut headings = self.elements();
        headings.retain(|(open, _)| self.pieces[*open].name == heading);
        headings.sort_unstable();
        for (open, close) in headings {
            inside[(open + 1).max(until).min(close + 1)..=close].fill(true);
            until = until.max(close + 1);
        }
        inside
    }
}

/// Joins anchors to tokens; those of overlapping anchors count once. With them, where each is on every page.
fn pieces(texts: &[&str], pages: &[&[Token]], common: f64) -> (Vec<Piece>, Vec<Vec<u32>>) {
    let (mut pieces, mut places) = (Vec::new(), Vec::new());
    // The first token of each page after all pieces so far.
    let mut free = vec![0_u32; pages.len()];
    for anchor in align(pages, common) {
        for offset in 0..anchor.length as u32 {
            let place = |page: usize| match anchor.at[page] {
                NOWHERE => NOWHERE,
                at if at + offset < free[page] => NOWHERE,
                at => at + offset,
            };
            let places_of: Vec<u32> = (0..pages.len()).map(place).collect();
            let there: Vec<usize> = (0..pages.len()).filter(|page| places_of[*page] != NOWHERE).collect();
            let anchored = anchor.at.iter().filter(|at| **at != NOWHERE).count();
            let Some(&page) = there.first().filter(|_| there.len() * 2 > anchored) else { continue };
            let token = &pages[page][places_of[page] as usize];
            let share = there.len() as f32 / pages.len() as f32;
            pieces.push(piece(texts[page], token, share));
            for page in there {
                free[page] = places_of[page] + 1;
            }
            places.push(places_of);
        }
    }
    (pieces, places)
}

fn piece(text: &str, token: &Token, share: f32) -> Piece {
    let name = match token.kind {
        Kind::Open | Kind::Close => {
            let tag = text.get(token.start as usize..token.end as usize).unwrap_or_default();
            hash(tag.trim_start_matches(['<', '/']).to_ascii_lowercase().as_bytes())
        }
        _ => 0,
    };
    let chars = chars(text, token).min(usize::from(u16::MAX)) as u16;
    Piece { hash: token.hash, name, kind: token.kind, chars, share }
}

fn gaps(texts: &[&str], pages: &[&[Token]], places: &[Vec<u32>]) -> Vec<Gap> {
    let fillings: Vec<Filling> =
        (0..pages.len()).flat_map(|page| fillings(texts[page], pages[page], page, places)).collect();
    // The content of each gap where no token around it is missing.
    let mut mass = vec![0.0_f32; places.len() + 1];
    for filling in fillings.iter().filter(|filling| filling.first == filling.last) {
        mass[filling.first] += filling.sums[0];
    }
    let mut gaps = vec![Gap::default(); places.len() + 1];
    let mut contents: Vec<Vec<u64>> = vec![Vec::new(); places.len() + 1];
    for filling in &fillings {
        // Where tokens of the backbone are missing, the content counts for the fullest gap.
        let most = (filling.first..=filling.last).max_by(|a, b| mass[*a].total_cmp(&mass[*b]));
        let index = most.unwrap_or(filling.first);
        let gap = &mut gaps[index];
        let [all, text, link, raw] = filling.sums;
        gap.chars += all;
        gap.text += text;
        gap.link += link;
        gap.raw += raw;
        contents[index].push(filling.hash);
    }
    let count = pages.len() as f32;
    for (gap, contents) in gaps.iter_mut().zip(&mut contents) {
        for sum in [&mut gap.chars, &mut gap.text, &mut gap.link, &mut gap.raw] {
            *sum /= count;
        }
        gap.filled = contents.len() as f32 / count;
        contents.sort_unstable();
        contents.dedup();
        gap.distinct = contents.len().saturating_sub(1) as f32 / (count - 1.0).max(1.0);
    }
    gaps
}

/// The content of the gaps on one page.
fn fillings(text: &str, page: &[Token], number: usize, places: &[Vec<u32>]) -> Vec<Filling> {
    let mut fillings = Vec::new();
    let (mut from, mut first) = (0, 0);
    for index in 0..=places.len() {
        let to = match places.get(index) {
            None => page.len(),
            Some(places) if places[number] == NOWHERE => continue,
            Some(places) => places[number] as usize,
        };
        if let Some(tokens) = page.get(from..to).filter(|tokens| !tokens.is_empty()) {
            let mut filling = Filling { first, last: index, sums: [0.0; 4], hash: 0 };
            for token in tokens {
                let length = chars(text, token) as f32;
                filling.hash = (filling.hash.rotate_left(5) ^ token.hash).wrapping_mul(GOLDEN);
                filling.sums[0] += length;
                match token.kind {
                    Kind::Word | Kind::Sign => filling.sums[1] += length,
                    Kind::Link => filling.sums[2] += length,
                    Kind::Raw => filling.sums[3] += length,
                    _ => {}
                }
            }
            fillings.push(filling);
        }
        (from, first) = (to + 1, index + 1);
    }
    fillings
}
