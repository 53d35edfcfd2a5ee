//! Glyphs to lines, lines to paragraphs.
//!
//! A PDF does not say where a paragraph ends. This module uses these signs: more space between lines than usual for the
//! font size; an indented line; a line that ends early, though the next word would have fitted; a different font size.
//! Hyphens at line ends are removed if the word continues in lower case.

use std::collections::BTreeMap;

use super::content::Glyph;
use super::direction;

/// Glyphs this much of their size above or below a line still belong to it, such as superscripts.
const ON_LINE: f64 = 0.5;
/// A gap of this much of the size is a space.
const SPACE: f64 = 0.12;
/// A gap of this much of the size parts columns.
const COLUMN: f64 = 2.2;
/// Lines may be this much further apart than is usual.
const LEADING: f64 = 1.22;
/// Rows of a table are no further apart than this many sizes.
const ROWS: f64 = 3.5;
/// An indentation is at least this much of the size.
const INDENT: f64 = 0.7;
/// Sizes of letters may differ by this share.
const SIZES: f64 = 0.12;
/// Lines before and after a line that determine its right margin.
const AROUND: usize = 30;

/// A line of a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Its text; columns are apart by tabs.
    pub(super) text: String,
    turn: u8,
    x: f64,
    end: f64,
    y: f64,
    size: f64,
    /// Where its first word ends, and whether it has ended.
    word_end: f64,
    word_ended: bool,
    /// It has letters that are read from right to left.
    goes_left: bool,
}

impl Line {
    fn new(glyph: &Glyph) -> Line {
        let Glyph { turn, x, end, y, size, .. } = *glyph;
        let text = glyph.text.to_string();
        Line { text, turn, x, end, y, size, word_end: end, word_ended: false, goes_left: goes_left(glyph) }
    }

    /// True if a glyph continues this line.
    fn takes(&self, glyph: &Glyph) -> bool {
        let size = self.size.max(glyph.size);
        let is_near = self.turn == glyph.turn && (glyph.y - self.y).abs() < ON_LINE * size;
        is_near && (glyph.x > self.end - size || self.goes_left || goes_left(glyph))
    }

    fn push(&mut self, glyph: &Glyph, spaced: bool) {
        let joint = joint_over(glyph.x - self.end, self.size, self.size.min(glyph.size), spaced);
        self.goes_left |= goes_left(glyph);
        self.word_ended |= !joint.is_empty();
        if !self.word_ended {
            self.word_end = glyph.end;
        }
        self.text.push_str(joint);
        self.text.push_str(&glyph.text);
        if glyph.size > self.size * (1.0 + SIZES) {
            // It began with a small figure.
            self.y = glyph.y;
        }
        self.size = self.size.max(glyph.size);
        self.end = self.end.max(glyph.end);
    }

    /// True for a row of a table: columns after a first one that is more than a list marker.
    fn is_row(&self) -> bool {
        self.text.find('\t').is_some_and(|at| self.text[..at].chars().count() > 3)
    }

    /// True when it begins like an item of a list.
    fn is_item(&self) -> bool {
        let mut chars = self.text.chars();
        let mark = chars.next().unwrap_or_default();
        matches!(mark, '•' | '◦' | '▪' | '‣' | '–' | '·' | '●' | '○' | '■')
            && chars.next().is_some_and(char::is_whitespace)
    }
}

/// True if a glyph is read from right to left.
fn goes_left(glyph: &Glyph) -> bool {
    glyph.text.chars().any(direction::is_right_to_left)
}

/// The separator of two glyphs with a gap between them, by the sizes of the line and of the smaller glyph.
fn joint_over(gap: f64, line: f64, smaller: f64, spaced: bool) -> &'static str {
    if gap > COLUMN * line {
        "\t"
    } else if spaced || gap > SPACE * smaller {
        " "
    } else {
        ""
    }
}

/// The lines of a page, in the order in which they are shown; those that are turned come last.
pub(super) fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // The glyphs of each line.
    let mut members: Vec<Vec<&Glyph>> = Vec::new();
    let mut spaced = false;
    let mut last: Option<&Glyph> = None;
    for glyph in glyphs {
        if glyph.text.trim().is_empty() {
            spaced = true;
            continue;
        }
        // Some programs show letters twice to make them bold.
        let twice = last.is_some_and(|last| {
            let near = |a: f64, b: f64| (a - b).abs() < 0.1 * glyph.size;
            last.text == glyph.text && near(last.x, glyph.x) && near(last.y, glyph.y)
        });
        if twice {
            continue;
        }
        last = Some(glyph);
        match lines.last_mut().filter(|line| line.takes(glyph)) {
            Some(line) => line.push(glyph, spaced),
            None => {
                lines.push(Line::new(glyph));
                members.push(Vec::new());
            }
        }
        members.last_mut().into_iter().for_each(|members| members.push(glyph));
        spaced = false;
    }
    turn_lines(&mut lines, &members);
    let upright = most_frequent_turn(&lines);
    lines.sort_by_key(|line| line.turn != upright);
    for line in &mut lines {
        let tidy = line.text.split('\t').map(|cell| cell.split_whitespace().collect::<Vec<_>>().join(" "));
        line.text = tidy.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("\t");
    }
    lines.retain(|line| !line.text.is_empty());
    lines
}

/// Puts lines with letters from right to left into the order in which they are read. On a page that is mostly read from
/// right to left, lines are mirrored, so that they begin where others do.
fn turn_lines(lines: &mut [Line], members: &[Vec<&Glyph>]) {
    if !lines.iter().any(|line| line.goes_left) {
        return;
    }
    let counts: Vec<(usize, usize)> = lines.iter().map(|line| direction::letters(&line.text)).collect();
    let right: usize = counts.iter().map(|(right, _)| right).sum();
    let all: usize = lines.iter().map(|line| line.text.chars().filter(|c| c.is_alphabetic()).count()).sum();
    let page_goes_left = 2 * right > all;
    for ((line, (right, left)), glyphs) in lines.iter_mut().zip(counts).zip(members) {
        if line.goes_left {
            let smaller = glyphs.iter().map(|glyph| glyph.size).fold(line.size, f64::min);
            let gap = |gap: f64| joint_over(gap, line.size, smaller, false);
            line.text = direction::read(glyphs, page_goes_left || right > left, gap);
            line.x = glyphs.iter().map(|glyph| glyph.x).fold(line.x, f64::min);
            line.end = glyphs.iter().map(|glyph| glyph.end).fold(line.end, f64::max);
        }
        if page_goes_left {
            let word = word_from_right(glyphs, line);
            (line.x, line.end, line.word_end) = (-line.end, -line.x, -word);
        }
    }
}

/// Where the first word of a line ends that is read from right to left.
fn word_from_right(glyphs: &[&Glyph], line: &Line) -> f64 {
    let mut sorted: Vec<&&Glyph> = glyphs.iter().collect();
    sorted.sort_by(|a, b| b.end.total_cmp(&a.end));
    let mut reached = line.end;
    for glyph in sorted {
        if reached - glyph.end > SPACE * line.size {
            break;
        }
        reached = reached.min(glyph.x);
    }
    reached
}

fn most_frequent_turn(lines: &[Line]) -> u8 {
    let characters =
        |turn: u8| lines.iter().filter(|line| line.turn == turn).map(|line| line.text.len()).sum::<usize>();
    (0..4).rev().max_by_key(|turn| characters(*turn)).unwrap_or(0)
}

/// The text of all pages, and where each of them begins in it, in code points.
pub(super) fn text_of(pages: &[Vec<Line>]) -> (String, Vec<usize>) {
    let leading = Leading::of(pages);
    let mut text = String::new();
    let mut count = 0;
    let mut starts = Vec::with_capacity(pages.len());
    for lines in pages {
        let page = page_text(lines, &leading);
        if !text.is_empty() && !page.is_empty() {
            text.push_str("\n\n");
            count += 2;
        }
        starts.push(count);
        count += page.chars().count();
        text.push_str(&page);
    }
    (text, starts)
}

fn page_text(lines: &[Line], leading: &Leading) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(before) = index.checked_sub(1) else {
            text.push_str(&line.text);
            continue;
        };
        match joint(lines, before, leading) {
            Joint::Paragraph => text.push_str("\n\n"),
            Joint::Line => text.push('\n'),
            Joint::None => join_words(&mut text, &line.text),
        }
        text.push_str(&line.text);
    }
    text
}

/// A word that was hyphenated becomes one again; other words get a space.
fn join_words(text: &mut String, next: &str) {
    if is_hyphenated(text) && begins_small(next) {
        text.pop();
    } else if !is_hyphenated(text) {
        text.push(' ');
    }
}

/// True if a text ends with a hyphen after a letter.
fn is_hyphenated(text: &str) -> bool {
    let mut ends = text.chars().rev();
    ends.next().is_some_and(|c| matches!(c, '-' | '\u{ad}' | '\u{2010}'))
        && ends.next().is_some_and(char::is_alphabetic)
}

fn begins_small(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_lowercase)
}

/// The separator of two lines.
enum Joint {
    None,
    Line,
    Paragraph,
}

/// The separator between a line and the next one.
fn joint(lines: &[Line], index: usize, leading: &Leading) -> Joint {
    let (line, next) = (&lines[index], &lines[index + 1]);
    let size = line.size.max(next.size);
    let alike = (line.size - next.size).abs() <= SIZES * size;
    if line.turn != next.turn || !alike {
        return Joint::Paragraph;
    }
    let ends = ends_sentence(&line.text);
    let room = right_margin(lines, index) - line.end;
    let is_short = room > next.word_end - next.x + 0.3 * size;
    let down = line.y - next.y;
    if down <= 0.0 || next.x > line.end || next.end < line.x {
        // Another column, or a note at the side.
        let goes_on = down < 0.0 && !ends && !is_short && begins_small(&next.text);
        return if goes_on { Joint::None } else { Joint::Paragraph };
    }
    if line.is_row() && next.is_row() && down < ROWS * size {
        return Joint::Line;
    }
    if down > leading.usual(line.size) * LEADING || next.is_item() {
        return Joint::Paragraph;
    }
    if line.is_row() || next.is_row() {
        return Joint::Line;
    }
    if is_hyphenated(&line.text) && begins_small(&next.text) {
        return Joint::None;
    }
    let is_indented = next.x > line.x + INDENT * size && !line.is_item();
    match (is_indented || is_short, ends, is_short) {
        (true, true, _) => Joint::Paragraph,
        (_, false, true) if is_indented => Joint::Paragraph,
        (_, _, true) => Joint::Line,
        _ => Joint::None,
    }
}

/// True when a text ends like a sentence, or like what announces one.
fn ends_sentence(text: &str) -> bool {
    let text = text
        .trim_end_matches(|c: char| matches!(c, ')' | ']' | '"' | '\'' | '»' | '”' | '’' | '“') || c.is_ascii_digit());
    text.ends_with(['.', '!', '?', ':', '…', '。', '؟'])
}

/// Where lines like this one end: three of four lines around it end there or before.
fn right_margin(lines: &[Line], index: usize) -> f64 {
    let line = &lines[index];
    let around = &lines[index.saturating_sub(AROUND)..(index + AROUND + 1).min(lines.len())];
    let alike = |other: &&Line| {
        other.turn == line.turn
            && (other.x - line.x).abs() < 4.0 * line.size
            && (other.size - line.size).abs() <= SIZES * line.size
    };
    let mut ends: Vec<f64> = around.iter().filter(alike).map(|other| other.end).collect();
    ends.sort_by(f64::total_cmp);
    ends.get(ends.len() * 3 / 4).or(ends.last()).copied().unwrap_or(line.end)
}

/// How far apart lines are, by the size of their letters.
struct Leading {
    by_size: BTreeMap<i64, f64>,
    /// For sizes that are rare, in sizes.
    other: f64,
}

/// So many pairs of lines say what is usual.
const ENOUGH: usize = 4;

impl Leading {
    fn of(pages: &[Vec<Line>]) -> Leading {
        let mut counts: BTreeMap<i64, BTreeMap<i64, usize>> = BTreeMap::new();
        let mut ratios: BTreeMap<i64, usize> = BTreeMap::new();
        for pair in pages.iter().flat_map(|lines| lines.windows(2)) {
            let (line, next) = (&pair[0], &pair[1]);
            let down = (line.y - next.y) / line.size;
            let overlap = next.x < line.end && next.end > line.x && line.turn == next.turn;
            if overlap && (0.6..4.0).contains(&down) && (line.size - next.size).abs() <= SIZES * line.size {
                let step = (down * 20.0).round() as i64;
                *counts.entry(bucket(line.size)).or_default().entry(step).or_default() += 1;
                *ratios.entry(step).or_default() += 1;
            }
        }
        let by_size = counts.iter().filter(|(_, steps)| steps.values().sum::<usize>() >= ENOUGH);
        let by_size = by_size.filter_map(|(size, steps)| Some((*size, smallest_usual(steps)?))).collect();
        Leading { by_size, other: smallest_usual(&ratios).unwrap_or(1.25) }
    }

    /// The usual distance of lines with letters of this size.
    fn usual(&self, size: f64) -> f64 {
        self.by_size.get(&bucket(size)).copied().unwrap_or(self.other) * size
    }
}

fn bucket(size: f64) -> i64 {
    (size * 2.0).round() as i64
}

/// The smallest of the distances that are met often: larger ones part paragraphs.
fn smallest_usual(steps: &BTreeMap<i64, usize>) -> Option<f64> {
    let most = *steps.values().max()?;
    steps.iter().find(|(_, count)| **count * 4 >= most).map(|(step, _)| *step as f64 / 20.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of letters half as wide as they are high.
    fn shown(x: f64, y: f64, text: &str) -> Vec<Glyph> {
        let glyph = |(at, c): (usize, char)| {
            let x = x + at as f64 * 5.0;
            Glyph { turn: 0, x, end: x + 5.0, y, size: 10.0, text: c.to_string().into() }
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn text(page: &[(f64, f64, &str)]) -> String {
        let glyphs: Vec<Glyph> = page.iter().flat_map(|(x, y, text)| shown(*x, *y, text)).collect();
        text_of(&[lines(&glyphs)]).0
    }

    #[test]
    fn lines_become_paragraphs() {
        let page = [
            (0.0, 100.0, "The lamp is lit at dusk and"),
            (0.0, 88.0, "burns until the morn-"),
            (0.0, 76.0, "ing comes over the sea, and"),
            (0.0, 64.0, "nobody sleeps."),
            (10.0, 52.0, "The keeper climbs up the"),
            (0.0, 40.0, "stairs once more. They are"),
            (0.0, 28.0, "steep, and wet as well."),
            (0.0, 8.0, "Another day begins."),
        ];
        assert_eq!(
            text(&page),
            "The lamp is lit at dusk and burns until the morning comes over the sea, and nobody sleeps.\n\n\
             The keeper climbs up the stairs once more. They are steep, and wet as well.\n\nAnother day begins."
        );
    }

    #[test]
    fn columns_of_a_table_are_apart_by_tabs() {
        let page = [(0.0, 100.0, "Harbour"), (90.0, 100.0, "Depth"), (0.0, 88.0, "Skerrow"), (90.0, 88.0, "12")];
        assert_eq!(text(&page), "Harbour\tDepth\nSkerrow\t12");
    }

    #[test]
    fn text_continues_in_the_next_column() {
        let page = [
            (0.0, 100.0, "The lamp is lit and"),
            (0.0, 88.0, "burns until it gets"),
            (200.0, 100.0, "light over the sea."),
            (200.0, 88.0, "Nobody sleeps then."),
        ];
        assert_eq!(text(&page), "The lamp is lit and burns until it gets light over the sea. Nobody sleeps then.");
    }

    #[test]
    fn pages_begin_where_they_are_said_to() {
        let pages = [lines(&shown(0.0, 1.0, "Été.")), Vec::new(), lines(&shown(0.0, 1.0, "Two."))];
        assert_eq!(text_of(&pages), ("Été.\n\nTwo.".into(), vec![0, 4, 6]));
    }

    #[test]
    fn letters_shown_twice_are_read_once() {
        let mut glyphs = shown(0.0, 1.0, "ab");
        glyphs.insert(1, Glyph { x: 0.2, ..glyphs[0].clone() });
        assert_eq!(text_of(&[lines(&glyphs)]).0, "ab");
    }
}
