//! Finds what pages have in common in the same order: the backbone.
//!
//! Candidates are stretches of tokens that occur exactly once on most pages; those in the same order on most pages are
//! kept. Between two of them the search continues with shorter stretches, which may be unique there though not on the
//! whole page. This is a patience diff for many pages at once.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::tokens::{Token, gram};
use crate::text::longest_increasing;

pub(super) type Table<K, V> = HashMap<K, V, FixedState>;

/// Marks an anchor that a page lacks.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Lengths of stretches, in tokens, in the order in which they are tried.
pub(super) const LENGTHS: [usize; 4] = [8, 4, 2, 1];

/// A stretch of tokens that most pages have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// Its tokens.
    pub(super) length: usize,
    /// Its first token on each page.
    pub(super) at: Vec<u32>,
}

/// The part of a page to search; `None` if the page lacks its boundaries.
type Part = Option<(u32, u32)>;

/// The anchors of pages, in order: what at least this share of the pages has.
pub(super) fn align(pages: &[&[Token]], common: f64) -> Vec<Anchor> {
    let whole: Vec<Part> = pages.iter().map(|page| Some((0, page.len() as u32))).collect();
    let mut anchors = Vec::new();
    align_parts(pages, common, &whole, &LENGTHS, &mut anchors);
    anchors
}

#[allow(clippy::cast_sign_loss)] // a share of a count is not negative
fn align_parts(pages: &[&[Token]], common: f64, parts: &[Part], lengths: &[usize], out: &mut Vec<Anchor>) {
    let [length, shorter @ ..] = lengths else { return };
    let length = *length;
    let present = parts.iter().flatten().count();
    if present < 2 {
        return;
    }
    let need = ((present as f64 * common).ceil() as usize).max(2);
    let long_enough = parts.iter().flatten().filter(|(from, to)| (to - from) as usize >= length).count();
    let chains = if long_enough < need { Vec::new() } else { common_chain(pages, parts, length, need) };
    if chains.is_empty() {
        return align_parts(pages, common, parts, shorter, out);
    }
    let mut before: Vec<Option<u32>> = parts.iter().map(|part| part.map(|(from, _)| from)).collect();
    for at in chains.into_iter().map(Some).chain([None]) {
        let end = |page: usize| match &at {
            Some(at) => Some(at[page]).filter(|at| *at != NOWHERE),
            None => parts[page].map(|(_, to)| to),
        };
        let gap: Vec<Part> = (0..parts.len()).map(|page| Some((before[page]?, end(page)?))).collect();
        if gap.iter().flatten().any(|(from, to)| to > from) {
            let gap: Vec<Part> = gap.into_iter().map(|part| part.map(|(from, to)| (from.min(to), to))).collect();
            align_parts(pages, common, &gap, shorter, out);
        }
        if let Some(at) = at {
            for (before, at) in before.iter_mut().zip(&at) {
                *before = (*at != NOWHERE).then(|| at + length as u32);
            }
            out.push(Anchor { length, at });
        }
    }
}

/// Positions of the stretches of one length that are unique in at least `need` parts, and in the same order there.
fn common_chain(pages: &[&[Token]], parts: &[Part], length: usize, need: usize) -> Vec<Vec<u32>> {
    let mut once: Vec<Vec<(u64, u32)>> = Vec::with_capacity(parts.len());
    let mut counts: Table<u64, u32> = Table::default();
    let mut seen = Table::default();
    for (page, part) in pages.iter().zip(parts) {
        let unique = part.map_or(Vec::new(), |(from, to)| unique_grams(page, from, to, length, &mut seen));
        for (gram, _) in &unique {
            *counts.entry(*gram).or_default() += 1;
        }
        once.push(unique);
    }
    counts.retain(|_, count| *count as usize >= need);
    for unique in &mut once {
        unique.retain(|(gram, _)| counts.contains_key(gram));
        unique.sort_unstable_by_key(|(_, at)| *at);
    }
    // The page with most of them gives the order; the first one among equals.
    let Some(model) = (0..once.len()).rev().max_by_key(|&page| once[page].len()) else { return Vec::new() };
    let ranks: Table<u64, u32> = once[model].iter().enumerate().map(|(rank, (gram, _))| (*gram, rank as u32)).collect();
    let mut places = vec![vec![NOWHERE; parts.len()]; once[model].len()];
    for (page, unique) in once.iter().enumerate() {
        let known: Vec<(u32, u32)> =
            unique.iter().filter_map(|(gram, at)| ranks.get(gram).map(|rank| (*rank, *at))).collect();
        for kept in longest_increasing(&known.iter().map(|(rank, _)| *rank).collect::<Vec<_>>()) {
            let (rank, at) = known[kept];
            places[rank as usize][page] = at;
        }
    }
    places.retain(|at| at.iter().filter(|at| **at != NOWHERE).count() >= need);
    places
}

/// The stretches that occur once in a part of a page, and their positions.
fn unique_grams(page: &[Token], from: u32, to: u32, length: usize, seen: &mut Table<u64, u32>) -> Vec<(u64, u32)> {
    seen.clear();
    let part = page.get(from as usize..to as usize).unwrap_or_default();
    for (at, window) in part.windows(length).enumerate() {
        let at = from + at as u32;
        seen.entry(gram(window.iter().map(|token| token.hash))).and_modify(|at| *at = NOWHERE).or_insert(at);
    }
    seen.iter().filter(|(_, at)| **at != NOWHERE).map(|(gram, at)| (*gram, *at)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tokens::tokens;
    use super::*;

    fn anchored(pages: &[&str]) -> Vec<Vec<String>> {
        let tokenised: Vec<Vec<Token>> = pages.iter().map(|page| tokens(page)).collect();
        let slices: Vec<&[Token]> = tokenised.iter().map(Vec::as_slice).collect();
        let word = |page: usize, at: usize| {
            tokenised[page].get(at).map_or("", |token| &pages[page][token.start as usize..token.end as usize])
        };
        let shown = |anchor: &Anchor| -> Vec<String> {
            let first = |(page, at): (usize, &u32)| match *at {
                NOWHERE => "-".to_owned(),
                at => (0..anchor.length).map(|next| word(page, at as usize + next)).collect::<Vec<_>>().join(" "),
            };
            anchor.at.iter().enumerate().map(first).collect()
        };
        align(&slices, 0.8).iter().map(shown).collect()
    }

    #[test]
    fn what_all_pages_share_in_order_is_found() {
        let found = anchored(&["head alpha mid one foot", "head beta mid two foot", "head gamma delta mid three foot"]);
        assert_eq!(found, [["head"; 3], ["mid"; 3], ["foot"; 3]]);
    }

    #[test]
    fn text_in_another_order_is_no_anchor() {
        let found = anchored(&["a b x c", "a b y c", "b a z c"]);
        assert!(found.contains(&vec!["c".to_owned(); 3]), "{found:?}");
        let both = found.iter().filter(|anchor| anchor[0] == "a" || anchor[0] == "b").count();
        assert!(both <= 1, "one of the two at most stands in one order: {found:?}");
    }

    proptest! {
        #[test]
        fn anchors_are_in_order_and_do_not_overlap_backwards(pages in prop::collection::vec("[a-e ]{0,40}", 2..6)) {
            let tokenised: Vec<Vec<Token>> = pages.iter().map(|page| tokens(&page.replace(' ', " . "))).collect();
            let slices: Vec<&[Token]> = tokenised.iter().map(Vec::as_slice).collect();
            let anchors = align(&slices, 0.8);
            for page in 0..pages.len() {
                let at: Vec<u32> = anchors.iter().map(|anchor| anchor.at[page]).filter(|at| *at != NOWHERE).collect();
                prop_assert!(at.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", at);
            }
        }
    }
}
