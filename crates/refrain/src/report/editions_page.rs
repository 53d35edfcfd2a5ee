//! The page of works and editions, with a picture of every pair: two bars, as in the second figure of the paper, with
//! the shared parts connected.

use std::collections::HashMap;
use std::fmt::Write as _;

use htmlize::escape_text;

use super::editions::EditionsTables;
use crate::document::Span;
use crate::editions::{BookPair, BookPairKind, BookPassage, Entry, Relation, Work};

const PAGE: &str = include_str!("editions.html");

/// Pairs that the page shows, in all and of one work.
const PAGE_PAIRS: usize = 1000;
const WORK_PAIRS: usize = 20;
/// Works that the page lists.
const PAGE_WORKS: usize = 2000;
/// Passages of a pair that the page lists.
const PAGE_PASSAGES: usize = 40;
/// Related works that are named.
const PAGE_RELATED: usize = 12;

impl EditionsTables<'_> {
    /// A page with all of it that opens anywhere.
    pub(crate) fn page(&self) -> String {
        PAGE.replacen("<!--LEAD-->", &self.lead(), 1).replacen("<!--WORKS-->", &self.list_of_works(), 1)
    }

    fn lead(&self) -> String {
        let mut lead = String::new();
        let editions = self.works.iter().filter(|work| work.books.len() > 1).count();
        let related: usize = self.works.iter().map(|work| work.books.len()).sum();
        let alone = self.books.len() - related.min(self.books.len());
        let _ = write!(
            lead,
            "<p class=\"lead\">{}: {} with several editions, {} of books that share text. {} with no other book.</p>\
             <p class=\"note\">Each bar is a book, drawn to scale; the first-named book is on top. Bands connect the same text.\
             <span class=\"key\" style=\"background: var(--shared)\"></span>also appears in the other book\
             <span class=\"key\" style=\"background: var(--own)\"></span>appears in this book only\
             <span class=\"key\" style=\"background: var(--out)\"></span>licence, does not count</p>",
            counted(self.books.len(), "book"),
            counted(editions, "work"),
            counted(self.found.pairs.len(), "pair"),
            if alone == 1 { "1 book shares text".to_owned() } else { format!("{alone} books share text") },
        );
        self.named(&mut lead, "Too short to judge", &self.found.too_short);
        self.named(&mut lead, "Alphabetical lists, compared with each other for whole copies only", &self.found.lists);
        if !self.failures.is_empty() {
            let failures: Vec<String> = self.failures.iter().map(|failure| isolated(failure)).collect();
            let _ = write!(
                lead,
                "<details><summary>Files that could not be read: {}</summary><ul><li>{}</ul></details>",
                failures.len(),
                failures.join("<li>")
            );
        }
        lead
    }

    fn named(&self, lead: &mut String, what: &str, books: &[u32]) {
        if !books.is_empty() {
            let names: Vec<String> = books.iter().map(|book| isolated(self.name(*book))).collect();
            let _ = write!(
                lead,
                "<details><summary>{what}: {}</summary><p>{}</p></details>",
                books.len(),
                names.join(", ")
            );
        }
    }

    /// Works with several editions, those with most first, then what shares parts with others; each with its pairs.
    fn list_of_works(&self) -> String {
        let work_of: HashMap<u32, usize> =
            self.works.iter().enumerate().flat_map(|(n, work)| work.books.iter().map(move |book| (*book, n))).collect();
        let mut pairs: Vec<Vec<&BookPair>> = vec![Vec::new(); self.works.len()];
        for pair in &self.found.pairs {
            // For two works, report it with the one that has the larger share in the other.
            let book = if pair.share_a >= pair.share_b { pair.a } else { pair.b };
            if let Some(of) = work_of.get(&book).and_then(|work| pairs.get_mut(*work)) {
                of.push(pair);
            }
        }
        let mut order: Vec<usize> = (0..self.works.len()).collect();
        order.sort_by_cached_key(|n| {
            let work = &self.works[*n];
            (std::cmp::Reverse(work.books.len()), work.title.to_lowercase(), *n)
        });
        let several = order.iter().take_while(|n| self.works[**n].books.len() > 1).count();
        let mut page = String::new();
        let mut left = PAGE_PAIRS;
        for (at, n) in order.iter().take(PAGE_WORKS).enumerate() {
            if at == 0 && several > 0 {
                page.push_str("<h2>Works with several editions</h2>");
            }
            if at == several {
                page.push_str("<h2>Books that share part of their text</h2>");
            }
            self.work(&mut page, *n, &mut pairs[*n], &mut left);
        }
        if self.works.is_empty() {
            page.push_str("<p>No two books share enough text to be editions of the same work.</p>");
        }
        more(&mut page, self.works.len(), PAGE_WORKS, "works", "works.jsonl");
        page
    }

    fn work(&self, page: &mut String, number: usize, pairs: &mut [&BookPair], left: &mut usize) {
        let work = &self.works[number];
        let author =
            if work.author.is_empty() { String::new() } else { format!(" <small>{}</small>", isolated(&work.author)) };
        let _ =
            write!(page, "<section class=\"work\" id=\"w{}\"><h3>{}{author}</h3>", number + 1, isolated(&work.title));
        page.push_str("<ul class=\"books\">");
        for book in &work.books {
            if let Some(entry) = self.books.get(*book as usize) {
                let title = if entry.title == work.title && work.books.len() == 1 { "" } else { &entry.title };
                let _ = write!(
                    page,
                    "<li><b>{}</b><span>{}</span><span>{} words</span></li>",
                    isolated(entry.name()),
                    isolated(title),
                    grouped(entry.words)
                );
            }
        }
        page.push_str("</ul>");
        self.related(page, work);
        // Editions first, then what shares most.
        pairs.sort_by(|one, other| {
            one.kind
                .cmp(&other.kind)
                .then(other.score.total_cmp(&one.score))
                .then((one.a, one.b).cmp(&(other.a, other.b)))
        });
        let shown = pairs.len().min(WORK_PAIRS).min(*left);
        *left -= shown;
        for pair in &pairs[..shown] {
            self.pair(page, pair);
        }
        more(page, pairs.len(), shown, "pairs", "pairs.tsv");
        page.push_str("</section>");
    }

    fn related(&self, page: &mut String, work: &Work) {
        let mut lines = String::new();
        for (relation, said) in [
            (Relation::Contains, "Contains"),
            (Relation::ContainedIn, "Is contained in"),
            (Relation::Overlaps, "Shares text with"),
        ] {
            let others: Vec<usize> =
                work.relations.iter().filter(|(known, _)| *known == relation).map(|(_, other)| *other).collect();
            if others.is_empty() {
                continue;
            }
            let link = |other: &usize| {
                let title = self.works.get(*other).map_or("", |work| work.title.as_str());
                format!("<a href=\"#w{}\">{}</a>", other + 1, isolated(title))
            };
            let names: Vec<String> = others.iter().take(PAGE_RELATED).map(link).collect();
            let rest = others.len() - names.len();
            let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            let _ = write!(lines, "<li>{said} {}{rest}</li>", names.join("; "));
        }
        if !lines.is_empty() {
            let _ = write!(page, "<ul class=\"related\">{lines}</ul>");
        }
    }

    fn pair(&self, page: &mut String, pair: &BookPair) {
        let _ = write!(page, "<div class=\"pair\"><p>{}</p>{}", self.sentence(pair), self.bars(pair));
        let total = pair.passages.len();
        if total > 0 {
            let _ = write!(
                page,
                "<details><summary>{}, in bytes; cs {:.3}, its {:.3}</summary>\
                 <table><tr><th></th><th colspan=\"2\">{}</th><th colspan=\"2\">{}</th></tr>",
                counted(total, "passage"),
                pair.published.cs(),
                pair.published.its(),
                isolated(self.name(pair.a)),
                isolated(self.name(pair.b)),
            );
            for (n, passage) in pair.passages.iter().take(PAGE_PASSAGES).enumerate() {
                let (a, b) = (passage.a_bytes, passage.b_bytes);
                let _ = write!(
                    page,
                    "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    n + 1,
                    a.start,
                    a.end,
                    b.start,
                    b.end
                );
            }
            page.push_str("</table>");
            more(page, total, PAGE_PASSAGES, "passages", "pairs.jsonl");
            page.push_str("</details>");
        }
        page.push_str("</div>");
    }

    /// The relation between two books, in words.
    fn sentence(&self, pair: &BookPair) -> String {
        let [a, b] = [pair.a, pair.b].map(|book| format!("<b>{}</b>", isolated(self.name(book))));
        if pair.passages.is_empty() {
            return format!("{a} and {b}: score {:.3}", pair.score);
        }
        let kind = match pair.kind {
            BookPairKind::Duplicate => "Editions",
            BookPairKind::Partial => "Partial overlap",
        };
        format!(
            "{kind}: {} of {a} also appears in {b}, and {} of {b} also appears in {a}.",
            percent(pair.share_a),
            percent(pair.share_b)
        )
    }

    /// Two bars, as in the second figure of the paper: a bin is coloured when more than half of it is in the other book. Passages are
    /// joined between the bars.
    pub(crate) fn bars(&self, pair: &BookPair) -> String {
        let entry = |number: u32| self.books.get(number as usize);
        let size = |number: u32| entry(number).map_or(1, |entry: &Entry| entry.bytes.max(1)) as usize;
        let compared = |number: u32| {
            let (start, end) = entry(number).map_or((0, 0), |entry| entry.compared);
            Span::new(start as usize, end as usize)
        };
        let longest = size(pair.a).max(size(pair.b));
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"text of each book that also appears in the other\" \
             xmlns=\"http://www.w3.org/2000/svg\">"
        );
        let spans = |of: fn(&BookPassage) -> Span| pair.passages.iter().map(of).collect::<Vec<_>>();
        for (top, book, spans) in [(0, pair.a, spans(|p| p.a_bytes)), (HEIGHT - BAR, pair.b, spans(|p| p.b_bytes))] {
            let size = size(book);
            let bins = (BINS * size).div_ceil(longest).max(1);
            let width = WIDTH as f64 * size as f64 / longest as f64 / bins as f64;
            for (first, last, bin) in runs(&coloured(&spans, compared(book), size, bins)) {
                let (class, colour) = bin.class_and_colour();
                let _ = write!(
                    svg,
                    "<rect class=\"{class}\" x=\"{:.1}\" y=\"{top}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>",
                    first as f64 * width,
                    (last - first) as f64 * width,
                );
            }
        }
        let at = |place: usize| place as f64 * WIDTH as f64 / longest as f64;
        let mut ribbons = String::new();
        for passage in &pair.passages {
            let (x, y) = (passage.a_bytes, passage.b_bytes);
            let _ = write!(
                ribbons,
                "M{:.1} {BAR}L{:.1} {BAR}L{:.1} {foot}L{:.1} {foot}Z",
                at(x.start),
                at(x.end),
                at(y.end),
                at(y.start),
                foot = HEIGHT - BAR,
            );
        }
        if !ribbons.is_empty() {
            let _ = write!(svg, "<path class=\"ribbon\" d=\"{ribbons}\" fill=\"#2c8a55\" fill-opacity=\"0.22\"/>");
        }
        svg + "</svg>"
    }
}

const WIDTH: usize = 960;
const HEIGHT: usize = 64;
/// The height of a bar.
const BAR: usize = 18;
/// Bins of the longer book.
const BINS: usize = 240;

/// A part of a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bin {
    /// More than half of it is in the other book.
    Shared,
    /// Half of it or less is in the other book.
    Own,
    /// It was not compared.
    Excluded,
}

impl Bin {
    /// The colour is for pictures that are copied from the page.
    fn class_and_colour(self) -> (&'static str, &'static str) {
        match self {
            Bin::Shared => ("shared", "#2c8a55"),
            Bin::Own => ("own", "#e9c3b7"),
            Bin::Excluded => ("out", "#dddbd4"),
        }
    }
}

/// The kind of each bin of a book.
fn coloured(spans: &[Span], compared: Span, size: usize, bins: usize) -> Vec<Bin> {
    let range = |n: usize| Span::new(size * n / bins, size * (n + 1) / bins);
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let mut end = 0;
    // Parts that are covered twice count once.
    for span in &mut spans {
        span.start = span.start.max(end);
        end = end.max(span.end);
    }
    let covered = |n: usize| spans.iter().map(|span| span.intersection(range(n)).len()).sum::<usize>();
    let bin = |n: usize| match range(n).len() {
        length if 2 * covered(n) > length => Bin::Shared,
        length if 2 * compared.intersection(range(n)).len() < length => Bin::Excluded,
        _ => Bin::Own,
    };
    (0..bins).map(bin).collect()
}

/// Bins of one colour together: from, to, colour.
fn runs(bins: &[Bin]) -> Vec<(usize, usize, Bin)> {
    let mut at = 0;
    bins.chunk_by(|one, other| one == other)
        .map(|run| {
            at += run.len();
            (at - run.len(), at, run[0])
        })
        .collect()
}

/// A share as people read it: small ones are not rounded to nothing.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

fn counted(number: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(u32::try_from(number).unwrap_or(u32::MAX)), if number == 1 { "" } else { "s" })
}

/// 1234567 as 1,234,567.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + 4);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn more(page: &mut String, all: usize, shown: usize, what: &str, file: &str) {
    if all > shown {
        let _ = write!(page, "<p class=\"note\">{file} lists {} more {what}</p>", all - shown);
    }
}

/// Escapes untrusted text, so that neither its markup nor its writing direction affects the page.
fn isolated(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_is_coloured_when_more_than_half_of_it_is_covered() {
        let spans = [Span::new(0, 16), Span::new(10, 16), Span::new(35, 40)];
        let bins = coloured(&spans, Span::new(0, 33), 40, 4);
        assert_eq!(bins, [Bin::Shared, Bin::Shared, Bin::Own, Bin::Excluded]);
        assert_eq!(runs(&bins), [(0, 2, Bin::Shared), (2, 3, Bin::Own), (3, 4, Bin::Excluded)]);
    }

    #[test]
    fn hostile_names_remain_text() {
        assert_eq!(isolated("<a href=x>&"), "<bdi>&lt;a href=x&gt;&amp;</bdi>");
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.004, 0.0996, 0.5].map(percent), ["0.4 %", "10 %", "50 %"]);
        assert_eq!(counted(1, "book"), "1 book");
    }
}
