//! The HTML page of a stripped collection: doubtful cases, and figures 2 and 5 of the paper that describes the method.

use std::collections::HashMap;
use std::fmt::Write;

use htmlize::escape_text;

use crate::document::Position;
use crate::strip::{BookSample, BookText, Boundaries, Column, Ends, StripFigures};

/// The number of cases shown, the least certain ones.
const CASES: usize = 200;
/// Texts whose frequent lines are drawn.
const COLUMNS: usize = 100;
/// Lines that are shown on each side of a boundary; blank ones do not count.
const AROUND: usize = 4;
/// The page without the results.
const PAGE: &str = include_str!("books.html");

/// The data shown for a stripped collection.
#[derive(Debug, Default)]
pub(crate) struct StripPage {
    sample: BookSample,
    cases: Vec<Case>,
    /// The boundaries of every text.
    boundaries: HashMap<Position, (usize, usize)>,
    preambles: usize,
    epilogues: usize,
    doubtful: usize,
}

/// One text.
#[derive(Debug)]
struct Case {
    id: String,
    position: Position,
    found: Boundaries,
    /// Lines around the boundaries.
    excerpts: [String; 2],
}

impl StripPage {
    /// Adds a text and what was found in it.
    pub(crate) fn add(&mut self, position: Position, id: &str, text: &Ends, found: &Boundaries) {
        self.boundaries.insert(position, (found.preamble_end, found.epilogue_start));
        self.preambles += usize::from(found.preamble_end > 0);
        self.epilogues += usize::from(found.epilogue_start > 0);
        self.doubtful += usize::from(found.is_doubtful());
        if found.confidence.is_some() || found.emptied {
            let (end, start) = (found.preamble_end, found.epilogue_start);
            let excerpts = [
                excerpt(text, end, |line| line <= end),
                // Without an epilogue, the end of the text shows that there is none.
                excerpt(text, if start == 0 { found.lines } else { start - 1 }, |line| start > 0 && line >= start),
            ];
            self.cases.push(Case { id: id.to_owned(), position, found: found.clone(), excerpts });
            if self.cases.len() >= 2 * CASES {
                self.keep_worst();
            }
        }
        self.sample.add(BookText { position, ends: text });
    }

    fn keep_worst(&mut self) {
        self.cases.sort_by(|one, other| one.found.by_doubt(&other.found).then(one.position.cmp(&other.position)));
        self.cases.truncate(CASES);
    }

    /// The page: one file that needs no other.
    pub(crate) fn page(mut self) -> String {
        self.keep_worst();
        let figures = StripFigures::of(&self.sample, COLUMNS);
        let parts = [
            ("<!--LEAD-->", self.lead()),
            ("<!--CASES-->", self.table()),
            ("<!--PLACES-->", self.places(&figures)),
            ("<!--OCCURRENCES-->", occurrences(&figures)),
        ];
        // All text is escaped, so it cannot contain a placeholder.
        parts.iter().fold(PAGE.to_owned(), |page, (place, part)| page.replacen(place, part, 1))
    }

    fn lead(&self) -> String {
        let StripPage { preambles, epilogues, doubtful, .. } = self;
        let texts = self.boundaries.len();
        format!("<p>{texts} texts: {preambles} with a preamble, {epilogues} with an epilogue, {doubtful} doubtful.</p>")
    }

    fn table(&self) -> String {
        if self.cases.is_empty() {
            return "<p class=\"note\">This method reports no confidence.</p>".to_owned();
        }
        let mut out = format!(
            "<p class=\"note\">The {} least certain texts, the least certain first. Grey lines are removed.</p>\n<table><thead><tr>\
             <th class=\"number\">confidence</th><th>text</th><th class=\"number\">last line of preamble</th>\
             <th class=\"number\">first line of epilogue</th><th class=\"number\">lines</th><th>doubts</th></tr></thead><tbody>\n",
            self.cases.len()
        );
        for Case { id, found, excerpts, .. } in &self.cases {
            let confidence = found.confidence.map_or(String::new(), |confidence| format!("{confidence:.3}"));
            let [preamble, epilogue] = excerpts;
            let _ = writeln!(
                out,
                "<tr><td class=\"number\">{confidence}</td><td><details><summary><bdi>{}</bdi></summary>\
                 <p class=\"note\">Preamble: {}. Epilogue: {}.</p><pre>{preamble}</pre><pre>{epilogue}</pre></details></td>\
                 <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>",
                escape_text(id),
                escape_text(&found.why_preamble),
                escape_text(&found.why_epilogue),
                found.preamble_end,
                found.epilogue_start,
                found.lines,
                escape_text(found.doubts.join("; ")),
            );
        }
        out + "</tbody></table>\n"
    }

    /// Figure 2: a column for each text, and its lines from above; below it the same from the end.
    fn places(&self, figures: &StripFigures) -> String {
        let furthest =
            |lines: fn(&Column) -> &Vec<usize>| figures.columns.iter().flat_map(lines).copied().max().unwrap_or(1);
        let [top, bottom] = [furthest(|column| &column.head), furthest(|column| &column.tail)];
        let boundary = |column: &Column| self.boundaries.get(&column.position).copied().unwrap_or_default();
        let head = panel(figures, top, 30.0, |column| (&column.head, boundary(column).0), |line| line);
        let tail = panel(
            figures,
            bottom,
            330.0,
            |column| {
                let start = boundary(column).1;
                (&column.tail, if start == 0 { 0 } else { (column.lines + 1).saturating_sub(start) })
            },
            |line| bottom + 1 - line.min(bottom),
        );
        format!(
            "<figure><svg viewBox=\"0 0 {WIDTH} 610\" role=\"img\" aria-label=\"Positions of frequent lines\">\
             <text x=\"{LEFT}\" y=\"18\">lines from the top</text>{head}<text x=\"{LEFT}\" y=\"318\">lines from the end</text>{tail}\
             </svg><figcaption>{} of {} different texts, one per column. Dots are lines at their ends that occur at least {} times in \
             the collection. Horizontal marks are the detected boundaries. Lines with fewer than 30 characters or without \
             letters do not count.</figcaption></figure>",
            figures.columns.len(),
            figures.texts,
            figures.least
        )
    }
}

/// Lines around a boundary, as HTML; removed lines are highlighted.
fn excerpt(text: &Ends, line: usize, is_gone: impl Fn(usize) -> bool) -> String {
    let mut out = String::new();
    for (number, line) in text.around(line, AROUND) {
        let line = escape_text(format!("{number:>6}  {line}")).into_owned();
        let _ = if is_gone(number) { writeln!(out, "<b>{line}</b>") } else { writeln!(out, "{line}") };
    }
    out
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 50.0;
const HEIGHT: f64 = 260.0;

/// One half of figure 2: its axis, frequent lines and boundaries. `place` says how far down a line is.
fn panel<'a>(
    figures: &'a StripFigures,
    furthest: usize,
    top: f64,
    lines: impl Fn(&'a Column) -> (&'a Vec<usize>, usize),
    place: impl Fn(usize) -> usize,
) -> String {
    let scale = HEIGHT / furthest as f64;
    let width = (WIDTH - LEFT - 10.0) / figures.columns.len().max(1) as f64;
    let y = |line: usize| top + (place(line) as f64 - 1.0) * scale;
    let (mut dots, mut cuts) = (String::new(), String::new());
    for (number, column) in figures.columns.iter().enumerate() {
        let x = LEFT + (number as f64 + 0.5) * width;
        let (frequent, boundary) = lines(column);
        for &line in frequent {
            let _ = write!(dots, "M{x:.1} {:.1}v{:.1}", y(line), scale.max(0.6));
        }
        if (1..=furthest).contains(&boundary) {
            let _ = write!(cuts, "M{:.1} {:.1}h{width:.1}", x - width / 2.0, y(boundary) + scale);
        }
    }
    let (right, foot) = (WIDTH - 10.0, top + HEIGHT);
    let mut axis = format!("<path class=\"axis\" d=\"M{LEFT} {top}V{foot}H{right}\"/>");
    let (first, last) = (y(1) + 4.0, y(furthest) + 4.0);
    let _ = write!(axis, "<text x=\"{:.0}\" y=\"{first:.1}\" text-anchor=\"end\">1</text>", LEFT - 6.0);
    if furthest > 1 {
        let _ = write!(axis, "<text x=\"{:.0}\" y=\"{last:.1}\" text-anchor=\"end\">{furthest}</text>", LEFT - 6.0);
    }
    let stroke = (width * 0.8).max(1.0);
    format!("{axis}<path class=\"dots\" stroke-width=\"{stroke:.1}\" d=\"{dots}\"/><path class=\"cut\" d=\"{cuts}\"/>")
}

/// Figure 5: how many distinct lines occur so often, and which share of lines occurs at least so often.
fn occurrences(figures: &StripFigures) -> String {
    let rows = &figures.occurrences;
    let most = rows.iter().map(|row| f64::from(row.times)).fold(1.0, f64::max);
    let distinct = rows.iter().map(|row| row.distinct as f64).fold(1.0, f64::max);
    let counted: Vec<(f64, f64)> = rows.iter().map(|row| (f64::from(row.times), row.distinct as f64)).collect();
    let shares: Vec<(f64, f64)> = rows.iter().map(|row| (f64::from(row.times), row.at_least)).collect();
    let least = shares.iter().map(|share| share.1).fold(1.0, f64::min);
    let left = chart(LEFT, &counted, (1.0, most), (1.0, distinct), "distinct lines by number of occurrences");
    let right = chart(
        LEFT + WIDTH / 2.0,
        &shares,
        (1.0, most),
        (least, 1.0),
        "share of lines with at least this many occurrences",
    );
    format!(
        "<figure><svg viewBox=\"0 0 {WIDTH} 340\" role=\"img\" aria-label=\"Line frequencies\">{left}{right}</svg>\
         <figcaption>Lines at both ends of {} different texts, by number of occurrences. All scales are \
         logarithmic.</figcaption></figure>",
        figures.texts
    )
}

/// Points on two logarithmic scales, with a mark at each power of ten.
fn chart(left: f64, points: &[(f64, f64)], across: (f64, f64), up: (f64, f64), title: &str) -> String {
    let (width, top, foot) = (WIDTH / 2.0 - 80.0, 40.0, 40.0 + HEIGHT);
    let along = |value: f64, (least, most): (f64, f64)| (value / least).log10() / (most / least).log10().max(1e-9);
    let x = |value: f64| left + along(value, across) * width;
    let y = |value: f64| foot - along(value, up) * HEIGHT;
    let mut out = format!(
        "<text x=\"{left:.0}\" y=\"20\">{title}</text><path class=\"axis\" d=\"M{left:.0} {top}V{foot}h{width:.0}\"/>"
    );
    for ten in powers(across) {
        let _ = write!(out, "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{ten}</text>", x(ten), foot + 18.0);
    }
    for ten in powers(up) {
        let _ = write!(out, "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{ten}</text>", left - 6.0, y(ten) + 4.0);
    }
    out.push_str("<g class=\"points\">");
    for &(times, value) in points {
        let _ = write!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"/>", x(times), y(value));
    }
    out + "</g>"
}

/// The powers of ten in a range.
fn powers((least, most): (f64, f64)) -> impl Iterator<Item = f64> {
    (-9..10).map(|power| 10.0_f64.powi(power)).filter(move |ten| (least * 0.999..=most * 1.001).contains(ten))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_come_first_and_hostile_text_is_text() {
        let mut report = StripPage::default();
        for input in 0..250 {
            let found = Boundaries {
                confidence: Some(0.9 - input as f32 / 1000.0),
                preamble_end: 1,
                lines: 3,
                ..Boundaries::default()
            };
            let text = format!("A licence that stands in front of every text.\n<script>{input}</script>\nEnd.\n");
            let position = Position { input, record: 0 };
            report.add(position, &format!("text<{input}>"), &Ends::of(text.as_bytes(), 600), &found);
        }
        let page = report.page();
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        assert!(place("text&lt;249&gt;") < place("text&lt;248&gt;"));
        assert!(page.contains("250 texts: 250 with a preamble") && !page.contains("text&lt;3&gt;"));
        assert!(page.contains("&lt;script&gt;249") && !page.contains("<script"));
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(!page.contains("NaN") && !page.contains("<!--"));
    }

    #[test]
    fn excerpts_show_both_ends() {
        let text = (1..=40).map(|line| format!("Line {line}\n\n\n")).collect::<Vec<_>>().concat();
        let found = Boundaries { confidence: Some(0.5), preamble_end: 1, lines: 120, ..Boundaries::default() };
        let mut report = StripPage::default();
        report.add(Position::default(), "text", &Ends::of(text.as_bytes(), 600), &found);
        let [top, bottom] = &report.cases[0].excerpts;
        assert_eq!(top, "<b>     1  Line 1</b>\n     4  Line 2\n     7  Line 3\n    10  Line 4\n    13  Line 5\n");
        assert_eq!(bottom, "   109  Line 37\n   112  Line 38\n   115  Line 39\n   118  Line 40\n");
    }

    #[test]
    fn a_page_of_nothing_is_a_page() {
        let page = StripPage::default().page();
        assert!(page.contains("0 texts") && !page.contains("NaN") && !page.contains("inf"));
    }
}
