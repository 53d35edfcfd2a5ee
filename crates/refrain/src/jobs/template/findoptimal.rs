//! Content by FindOptimal, as published.

use std::collections::BTreeMap;

use super::pages::{Page, Pages};
use super::{How, Marked};
use crate::document::{Position, Span};
use crate::error::Result;
use crate::template::findoptimal::{CutPoint, FindOptimal, Readings};
use crate::template::normalise;

/// The result of FindOptimal.
pub(super) struct Cut {
    pub(super) point: CutPoint,
    /// The content of each page, in ranges of characters of the normalised page.
    ranges: BTreeMap<Position, Vec<(usize, usize)>>,
}

impl Cut {
    pub(super) fn find(pages: &Pages) -> Result<Cut> {
        let mut texts: Vec<(Position, String)> = Vec::new();
        pages.each("learn", Result::ok, |page| {
            texts.extend(page.map(|page| (page.document.position, page.text)));
            Ok(())
        })?;
        let method = FindOptimal::new(texts.iter().map(|(_, text)| text.as_str()), Readings::default())?;
        let point = method.cut_point();
        let positions = texts.iter().map(|(position, _)| *position);
        Ok(Cut { point, ranges: positions.zip(method.content(point.n, point.a)).collect() })
    }
    /// Marks the content of a page.
    pub(super) fn mark(&self, page: Page) -> Marked {
        let ranges = self.ranges.get(&page.document.position).map_or(&[][..], Vec::as_slice);
        Marked { content: in_page(&page.text, ranges), page, how: How::Template, learned_from: self.ranges.len() }
    }
}

/// Ranges of characters of the normalised page as ranges of bytes of the page.
fn in_page(text: &str, ranges: &[(usize, usize)]) -> Vec<Span> {
    let mut bounds = ranges.iter().flat_map(|(start, end)| [*start, *end]).peekable();
    let mut found = Vec::with_capacity(2 * ranges.len());
    let (mut number, mut in_space) = (0, false);
    for (at, character) in text.char_indices() {
        let space = matches!(character, ' ' | '\t' | '\r' | '\n');
        if !(space && in_space) {
            while bounds.next_if_eq(&number).is_some() {
                found.push(at);
            }
            number += 1;
        }
        in_space = space;
    }
    found.extend(bounds.map(|_| text.len()));
    debug_assert!(number == normalise(text).chars().count());
    found.chunks_exact(2).map(|ends| Span::new(ends[0], ends[1])).collect()
}
