//! A template, and its alignment with a page.

use super::align::{LENGTHS, NOWHERE, Table};
use super::backbone::{Backbone, Gap};
use super::label::Labels;
use super::parameters::Parameters;
use super::records::Wrapper;
use super::tokens::{Kind, Token, chars, gram};
use crate::document::Span;
use crate::text::longest_increasing;

/// A page has more text in a gap than others when it has this many times as much, and a surplus.
const MANY_TIMES: f32 = 4.0;

/// What the pages of a site share: the backbone, and which of its parts are content.
#[derive(Debug, Clone)]
pub struct LearnedTemplate {
    /// The group key of its pages, such as a host; may be empty.
    pub(super) key: String,
    /// How many pages it was learned from.
    pub(super) pages: usize,
    /// Stretches of tokens that most of its pages have, sampled by hash and sorted. They identify the template of a
    /// page.
    pub(super) core: Vec<u64>,
    /// The share of pages that fitted when it was learned.
    pub(super) fitted: f32,
    pub(super) backbone: Backbone,
    pub(super) labels: Labels,
    /// The delimiters of fields, if requested.
    pub(super) wrapper: Wrapper,
    parameters: Parameters,
    /// For each token of the backbone, the end of its run without open gaps.
    runs: Vec<usize>,
    /// The positions of stretches of the first length in the backbone; repeated stretches have none.
    places: Table<u64, u32>,
    /// The tokens before and after each region of content.
    borders: Vec<[Vec<usize>; 2]>,
}

/// A page aligned with a template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fit {
    /// The content: ranges of bytes, in order, not touching. Empty if the page does not fit.
    pub content: Vec<Span>,
    /// False for pages of another kind than those that the template was learned from, such as index pages.
    pub fits: bool,
    /// The share of the backbone that the page has.
    pub share: f32,
}

impl LearnedTemplate {
    /// Adds derived data to what was learned or read from a file.
    pub(super) fn new(
        key: String,
        pages: usize,
        core: Vec<u64>,
        backbone: Backbone,
        labels: Labels,
        parameters: Parameters,
    ) -> LearnedTemplate {
        let mut runs = vec![0; backbone.pieces.len()];
        for index in (0..runs.len()).rev() {
            let open = backbone.gaps.get(index + 1).is_none_or(|gap| gap.filled >= parameters.open_gap);
            runs[index] = match runs.get(index + 1) {
                Some(end) if !open => *end,
                _ => index + 1,
            };
        }
        let mut template = LearnedTemplate {
            key,
            pages,
            core,
            fitted: 1.0,
            backbone,
            labels,
            wrapper: Wrapper::default(),
            parameters,
            runs,
            places: Table::default(),
            borders: Vec::new(),
        };
        template.places = template.places_of(0, template.backbone.pieces.len(), LENGTHS[0]);
        template.borders = template.regions().into_iter().map(|region| template.border(region)).collect();
        template
    }

    /// The group key of its pages, such as a host; may be empty.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How many pages it was learned from.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// The share of the pages it was learned from that fitted.
    pub fn fitted(&self) -> f32 {
        self.fitted
    }

    /// True when something in it is content.
    pub fn has_content(&self) -> bool {
        self.labels.gaps.contains(&true)
    }

    /// True when the n-th element (gap, token, gap, token, ..., gap) is content.
    fn is_content(&self, element: usize) -> bool {
        if element.is_multiple_of(2) { self.labels.gaps[element / 2] } else { self.labels.pieces[element / 2] }
    }

    /// The larger regions of content, as ranges of elements.
    fn regions(&self) -> Vec<std::ops::Range<usize>> {
        let held = |region: &std::ops::Range<usize>| -> f32 {
            region.clone().filter(|element| element.is_multiple_of(2)).map(|e| self.backbone.gaps[e / 2].chars).sum()
        };
        let mut regions = Vec::new();
        let mut start = None;
        let elements = 2 * self.backbone.pieces.len() + 1;
        for element in 0..=elements {
            let content = element < elements && self.is_content(element);
            match (content, start) {
                (true, None) => start = Some(element),
                (false, Some(from)) => {
                    regions.push(from..element);
                    start = None;
                }
                _ => {}
            }
        }
        let all: f32 = regions.iter().map(held).sum();
        regions.retain(|region| held(region) > self.parameters.main_region * all);
        regions
    }

    /// The nearest reliable tokens of the template before and after a region.
    fn border(&self, region: std::ops::Range<usize>) -> [Vec<usize>; 2] {
        let wanted = |index: &usize| {
            !self.labels.pieces[*index] && self.backbone.pieces[*index].share >= self.parameters.reliable
        };
        let before = (0..region.start.div_ceil(2)).rev().filter(wanted).take(self.parameters.border).collect();
        let behind =
            (region.end.div_ceil(2)..self.backbone.pieces.len()).filter(wanted).take(self.parameters.border).collect();
        [before, behind]
    }

    /// The positions of stretches that occur once in a part of the backbone and span no open gap.
    fn places_of(&self, from: usize, to: usize, length: usize) -> Table<u64, u32> {
        let mut places = Table::default();
        for start in from..(to + 1).saturating_sub(length) {
            if self.runs[start] >= start + length {
                let gram = gram(self.backbone.pieces[start..start + length].iter().map(|piece| piece.hash));
                places.entry(gram).and_modify(|at| *at = NOWHERE).or_insert(start as u32);
            }
        }
        places
    }

    /// For each token of the backbone, the matching token of the page.
    pub(super) fn lay(&self, page: &[Token]) -> Vec<u32> {
        let mut at = vec![NOWHERE; self.backbone.pieces.len()];
        self.lay_part(page, 0..page.len(), 0..at.len(), &LENGTHS, &mut at);
        at
    }

    fn lay_part(
        &self,
        page: &[Token],
        tokens: std::ops::Range<usize>,
        pieces: std::ops::Range<usize>,
        lengths: &[usize],
        at: &mut [u32],
    ) {
        let [length, shorter @ ..] = lengths else { return };
        let length = *length;
        if tokens.is_empty() || pieces.is_empty() {
            return;
        }
        if tokens.len() < length || pieces.len() < length {
            return self.lay_part(page, tokens, pieces, shorter, at);
        }
        let whole = pieces.len() == at.len() && length == LENGTHS[0];
        let of_part = if whole { Table::default() } else { self.places_of(pieces.start, pieces.end, length) };
        let places = if whole { &self.places } else { &of_part };
        let pairs = common(page, tokens.clone(), length, places);
        let ranks: Vec<u32> = pairs.iter().map(|(_, piece)| *piece).collect();
        let (mut token, mut piece) = (tokens.start, pieces.start);
        for index in longest_increasing(&ranks) {
            let (next_token, next_piece) = (pairs[index].0 as usize, pairs[index].1 as usize);
            if next_token < token || next_piece < piece {
                // It overlaps the previous one: the new tokens belong to it if both continue in step.
                while next_token + piece == next_piece + token && token < next_token + length {
                    at[piece] = token as u32;
                    (token, piece) = (token + 1, piece + 1);
                }
                continue;
            }
            self.lay_part(page, token..next_token, piece..next_piece, shorter, at);
            for step in 0..length {
                at[next_piece + step] = (next_token + step) as u32;
            }
            (token, piece) = (next_token + length, next_piece + length);
        }
        self.lay_part(page, token..tokens.end, piece..pieces.end, shorter, at);
    }

    /// True if the page has the tokens around the content.
    fn has_borders(&self, at: &[u32]) -> bool {
        let has = |side: &Vec<usize>| {
            let found = side.iter().filter(|index| at[**index] != NOWHERE).count();
            side.is_empty() || found as f32 >= self.parameters.border_share * side.len() as f32
        };
        self.borders.iter().all(|sides| sides.iter().all(has))
    }

    /// The content of a page.
    pub(super) fn fit(&self, text: &str, page: &[Token]) -> Fit {
        let at = self.lay(page);
        let found = at.iter().filter(|at| **at != NOWHERE).count();
        let share = if at.is_empty() { 0.0 } else { found as f32 / at.len() as f32 };
        if !self.has_content() || !self.has_borders(&at) {
            return Fit { content: Vec::new(), fits: !self.has_content(), share };
        }
        Fit { content: self.content(text, page, &at), fits: true, share }
    }

    /// The content according to the labels, with whole tags at its borders.
    fn content(&self, text: &str, page: &[Token], at: &[u32]) -> Vec<Span> {
        let mut whole: Vec<Span> = Vec::new();
        for span in self.labelled(text, page, at) {
            let span = with_whole_tags(page, span);
            match whole.last_mut() {
                Some(last) if last.end >= span.start => last.end = last.end.max(span.end),
                _ => whole.push(span),
            }
        }
        whole
    }

    fn labelled(&self, text: &str, page: &[Token], at: &[u32]) -> Vec<Span> {
        let mut parts: Vec<Part> = Vec::new();
        let (mut end, mut first, mut from) = (0, 0, 0);
        for index in 0..=at.len() {
            let (start, next, to) = match at.get(index) {
                None => (text.len(), text.len(), page.len()),
                Some(&NOWHERE) => continue,
                Some(place) => {
                    let token = &page[*place as usize];
                    (token.start as usize, token.end as usize, *place as usize)
                }
            };
            if start > end {
                let content = self.mostly_content(first, index);
                let own = !content && self.has_surplus(first, index, text, page.get(from..to).unwrap_or_default());
                parts.push(Part { span: Span::new(end, start), content, own, words: false });
            }
            if let (Some(piece), Some(content)) = (self.backbone.pieces.get(index), self.labels.pieces.get(index)) {
                let words = matches!(piece.kind, Kind::Word | Kind::Link);
                parts.push(Part { span: Span::new(start, next), content: *content, own: false, words });
            }
            (end, first, from) = (next, index + 1, to + 1);
        }
        take_in(&mut parts);
        let mut content: Vec<Span> = Vec::new();
        for Part { span, .. } in parts.into_iter().filter(|part| part.content) {
            match content.last_mut() {
                Some(last) if last.end >= span.start => last.end = span.end,
                _ => content.push(span),
            }
        }
        content
    }

    /// True if a page has much more text in these gaps than other pages.
    fn has_surplus(&self, first: usize, last: usize, text: &str, tokens: &[Token]) -> bool {
        let usual: f32 = self.backbone.gaps[first..=last].iter().map(|gap| gap.text).sum();
        let shown = tokens.iter().filter(|token| matches!(token.kind, Kind::Word | Kind::Sign));
        let found: usize = shown.map(|token| chars(text, token)).sum();
        found as f32 > self.parameters.surplus + MANY_TIMES * usual
    }

    /// Where tokens of the backbone are missing, the content of the gaps has the majority label of that part of the
    /// backbone.
    fn mostly_content(&self, first: usize, last: usize) -> bool {
        if first == last {
            return self.labels.gaps[first];
        }
        let mut balance = 0.0;
        let mut weigh = |content: bool, weight: f32| balance += if content { weight } else { -weight };
        for index in first..=last {
            let Gap { chars, .. } = self.backbone.gaps[index];
            weigh(self.labels.gaps[index], chars + 0.01);
            if index < last {
                weigh(self.labels.pieces[index], f32::from(self.backbone.pieces[index].chars));
            }
        }
        balance > 0.0
    }
}

/// A part of a page.
struct Part {
    span: Span,
    content: bool,
    /// Text of this page only, in gaps that other pages leave empty.
    own: bool,
    /// Words of the backbone.
    words: bool,
}

/// Adds a page's own text next to content, separated by markup only: there, content of this page was mistaken for the
/// template.
fn take_in(parts: &mut [Part]) {
    for forwards in [true, false] {
        let mut open = None;
        for step in 0..parts.len() {
            let index = if forwards { step } else { parts.len() - 1 - step };
            if parts[index].content {
                open = Some(index);
            } else if parts[index].words {
                open = None;
            } else if let Some(before) = open.filter(|_| parts[index].own) {
                let (from, to) = if forwards { (before, index) } else { (index, before) };
                parts[from..=to].iter_mut().for_each(|part| part.content = true);
                open = Some(index);
            }
        }
    }
}

/// Widens a span so that it cuts no tags.
fn with_whole_tags(page: &[Token], span: Span) -> Span {
    let starts = |token: &Token| matches!(token.kind, Kind::Open | Kind::Close);
    let first = page.partition_point(|token| (token.start as usize) < span.start);
    let behind = page.partition_point(|token| (token.start as usize) < span.end);
    let start = match page.get(first).filter(|token| matches!(token.kind, Kind::Inside | Kind::End)) {
        Some(_) => page[..first].iter().rfind(|token| starts(token)).map_or(span.start, |token| token.start as usize),
        None => span.start,
    };
    let cut = behind.checked_sub(1).is_some_and(|last| starts(&page[last]) || page[last].kind == Kind::Inside);
    let end = match cut {
        true => {
            page[behind..].iter().find(|token| token.kind == Kind::End).map_or(span.end, |token| token.end as usize)
        }
        false => span.end,
    };
    Span::new(start, end)
}

/// Stretches that occur once in a part of a page and have a position: their tokens and positions, in page order.
fn common(page: &[Token], tokens: std::ops::Range<usize>, length: usize, places: &Table<u64, u32>) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for start in tokens.start..(tokens.end + 1).saturating_sub(length) {
        let gram = gram(page[start..start + length].iter().map(|token| token.hash));
        if let Some(place) = places.get(&gram).filter(|place| **place != NOWHERE) {
            pairs.push((*place, start as u32));
        }
    }
    // Duplicates are adjacent now.
    pairs.sort_unstable();
    let twice = |index: usize| {
        let same = |other: Option<&(u32, u32)>| other.is_some_and(|other| other.0 == pairs[index].0);
        same(pairs.get(index + 1)) || same(index.checked_sub(1).and_then(|before| pairs.get(before)))
    };
    let mut once: Vec<(u32, u32)> =
        (0..pairs.len()).filter(|index| !twice(*index)).map(|index| (pairs[index].1, pairs[index].0)).collect();
    once.sort_unstable();
    once
}
