//! What is done with each page, and what is told in the end.

use std::path::Path;

use anyhow::Result;
use refrain::Span;
use refrain::extract::Extractor;
use refrain::pipeline::with_workspace;
use refrain::template::findoptimal::{CutPoint, FindOptimal, Readings};
use refrain::template::{Found, LEAST_PAGES, Templates, normalise};

use super::output::{Destination, Put};
use super::pages::{Page, Pages};
use super::records::{Columns, Row};
use super::{Job, Known};
use crate::common::{Failures, tell};

/// The share of pages that may fit no longer before it is told.
const DRIFT: f64 = 0.2;

/// What the published method found.
pub(super) struct Cut {
    pub(super) pages: usize,
    pub(super) point: CutPoint,
    /// The content of each page, in ranges of letters of the normalised page.
    ranges: Vec<Vec<(usize, usize)>>,
}

impl Cut {
    pub(super) fn find(pages: &Pages<'_>) -> Result<Cut> {
        let mut texts: Vec<String> = Vec::new();
        pages.each("learn", Result::ok, |page| {
            texts.extend(page.map(|page| page.text));
            Ok(())
        })?;
        let method = FindOptimal::new(texts.iter().map(String::as_str), Readings::default())?;
        let point = method.cut_point();
        Ok(Cut { pages: texts.len(), point, ranges: method.content(point.n, point.a) })
    }
}

/// How the content of a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Template,
    /// It has a template, and is another kind of page: a list, say.
    OtherKind,
    /// No template is its own.
    Alone,
}

/// A page and its content.
pub(super) struct Marked {
    pub(super) page: Page,
    pub(super) content: Vec<Span>,
    pub(super) how: How,
}

/// The second reading.
pub(super) struct Work<'a> {
    pub(super) job: &'a Job,
    pub(super) known: Known,
    pub(super) failures: &'a mut Failures,
    pub(super) summary: Summary,
}

impl Work<'_> {
    pub(super) fn all(&mut self, pages: &Pages<'_>, mut destination: Destination) -> Result<()> {
        let (known, failures, summary) = (&self.known, &mut *self.failures, &mut self.summary);
        let job = self.job;
        let mut number = 0;
        pages.each(
            "write",
            |page| {
                page.map(|page| match known {
                    Known::Templates(templates) => Put::prepare(job, mark(templates, page)),
                    Known::Wrappers(wrappers) => Put::Row(Box::new(Row::of(wrappers, page))),
                    Known::Records(templates, wrappers) => Put::Row(Box::new(Row::learned(templates, wrappers, page))),
                    Known::Cut(_) => Put::Page(Box::new(page)),
                })
            },
            |done| {
                let put = match done {
                    Err(failure) => return failures.add(failure),
                    Ok(Put::Page(page)) => match known {
                        Known::Cut(cut) => {
                            let content = letters(&page.text, cut.ranges.get(number).map_or(&[], Vec::as_slice));
                            Put::prepare(job, Marked { page: *page, content, how: How::Template })
                        }
                        _ => Put::Page(page),
                    },
                    Ok(put) => put,
                };
                number += 1;
                if let Some(failure) = put.failure() {
                    failures.add(failure)?;
                }
                summary.add(&put);
                destination.put(put)
            },
        )?;
        destination.finish(known, &self.summary)
    }
}

/// Pages that a template must be learned from before it tells that a page is of another kind.
const ENOUGH: usize = 10;

/// Finds the content of a page.
fn mark(templates: &Templates, page: Page) -> Marked {
    match templates.find(&page.key, &page.text) {
        // Few pages tell too little of what is another kind of page.
        Found::Page(number, fit) if !fit.fits && templates.all()[number].pages() < ENOUGH => {
            Marked { content: by_page(&page.text), page, how: How::Alone }
        }
        Found::Page(_, fit) => {
            let how = if fit.fits { How::Template } else { How::OtherKind };
            Marked { content: fit.content, page, how }
        }
        Found::Unknown { .. } => Marked { content: by_page(&page.text), page, how: How::Alone },
    }
}

/// The content of a page for which there is no template.
fn by_page(html: &str) -> Vec<Span> {
    with_workspace(|workspace| Extractor::default().extract(html, None, workspace).sources(html))
}

/// Ranges of letters of the normalised page as ranges of bytes of the page.
fn letters(text: &str, ranges: &[(usize, usize)]) -> Vec<Span> {
    let mut bounds = ranges.iter().flat_map(|(start, end)| [*start, *end]).peekable();
    let mut found = Vec::with_capacity(2 * ranges.len());
    let (mut letter, mut in_space) = (0, false);
    for (at, character) in text.char_indices() {
        let space = matches!(character, ' ' | '\t' | '\r' | '\n');
        if !(space && in_space) {
            while bounds.next_if_eq(&letter).is_some() {
                found.push(at);
            }
            letter += 1;
        }
        in_space = space;
    }
    found.extend(bounds.map(|_| text.len()));
    debug_assert!(letter == normalise(text).chars().count());
    found.chunks_exact(2).map(|ends| Span::new(ends[0], ends[1])).collect()
}

/// What became of all pages, in figures.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) pages: u64,
    pub(super) fitting: u64,
    pub(super) other_kind: u64,
    pub(super) alone: u64,
    pub(super) empty: u64,
}

impl Summary {
    fn add(&mut self, put: &Put) {
        self.pages += 1;
        self.empty += u64::from(put.is_empty());
        match put.how() {
            How::Template => self.fitting += 1,
            How::OtherKind => self.other_kind += 1,
            How::Alone => self.alone += 1,
        }
    }

    /// Says so when templates that were learned earlier no longer fit.
    pub(super) fn tell_drift(&self, templates: &Templates, path: &Path) {
        let learned: usize = templates.all().iter().map(refrain::template::Template::pages).sum();
        let fitted: f64 =
            templates.all().iter().map(|template| f64::from(template.fitted()) * template.pages() as f64).sum();
        let before = if learned == 0 { 0.0 } else { fitted / learned as f64 };
        let now = if self.pages == 0 { before } else { self.fitting as f64 / self.pages as f64 };
        if before - now > DRIFT {
            tell(&format!(
                "note: {} no longer fits: {} of {} pages have its templates ({:.0} % when it was learned); learn again with --save",
                path.display(),
                self.fitting,
                self.pages,
                100.0 * before
            ));
        }
    }

    pub(super) fn tell(&self, known: &Known, path: Option<&Path>) {
        if self.pages == 0 {
            return tell("nothing was written: no page could be read");
        }
        let wrote = path.map_or(String::new(), |path| format!("wrote {}: ", path.display()));
        let pages = if self.pages == 1 { "1 page".to_owned() } else { format!("{} pages", self.pages) };
        let by = match known {
            Known::Templates(templates) => match templates.all().len() {
                1 => ", 1 template".to_owned(),
                count => format!(", {count} templates"),
            },
            Known::Wrappers(wrappers) | Known::Records(_, wrappers) => match Columns::of(wrappers).names.len() - 1 {
                1 => ", 1 field".to_owned(),
                fields => format!(", {fields} fields"),
            },
            Known::Cut(cut) => format!(", cut at n {} and a {}", cut.point.n, cut.point.a),
        };
        let mut notes = Vec::new();
        if self.other_kind > 0 {
            notes.push(format!("{} of another kind, without content of their own", self.other_kind));
        }
        if self.empty > self.other_kind {
            notes.push(format!("{} without content", self.empty - self.other_kind));
        }
        let notes = if notes.is_empty() { String::new() } else { format!("; {}", notes.join(", ")) };
        tell(&format!("{wrote}{pages}{by}{notes}"));
        if self.alone > 0 && matches!(known, Known::Templates(_)) {
            let (of, have) = (format!("{} of {pages}", self.alone), if self.pages == 1 { "has" } else { "have" });
            tell(&format!(
                "note: {of} {have} no template: it takes {LEAST_PAGES} different pages among those learned from; content was \
                 found page by page, as refrain extract does",
            ));
        }
    }
}
