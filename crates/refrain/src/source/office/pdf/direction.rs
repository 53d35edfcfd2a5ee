//! Text from right to left: Hebrew, Arabic and their relatives.
//!
//! Most programs show such text as it is seen, the last letter of a word first. The reading order is found again from the
//! positions: glyphs are sorted from left to right, and the rules of Unicode for showing text are applied to what is seen.
//! These rules turn what is seen back into what is read, except where directions are nested three deep.

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};
use unicode_normalization::UnicodeNormalization;

use super::content::Glyph;

/// True for letters that are read from right to left.
pub(super) fn is_right_to_left(c: char) -> bool {
    // Most letters are far below the first of them.
    c >= '\u{590}' && matches!(bidi_class(c), BidiClass::R | BidiClass::AL)
}

/// True for letters that are read from left to right.
fn is_left_to_right(c: char) -> bool {
    bidi_class(c) == BidiClass::L
}

/// How many letters of a text are read from right to left, and how many from left to right.
pub(super) fn letters(text: &str) -> (usize, usize) {
    let right = text.chars().filter(|c| is_right_to_left(*c)).count();
    (right, if right == 0 { 0 } else { text.chars().filter(|c| is_left_to_right(*c)).count() })
}

/// A piece of a line: a glyph with the marks above and below it, or the space between two.
struct Piece {
    text: String,
    x: f64,
    end: f64,
}

impl Piece {
    /// Adds marks, in the order of Unicode.
    fn add(&mut self, marks: &str) {
        if !marks.is_empty() {
            self.text = self.text.chars().chain(marks.chars()).nfc().collect();
        }
    }
}

/// The text of a line in reading order, from its glyphs in any order. `gap` gives the separator for a gap of some width.
pub(super) fn read(glyphs: &[&Glyph], mostly_right: bool, gap: impl Fn(f64) -> &'static str) -> String {
    let mut seen: Vec<Piece> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for piece in pieces(glyphs) {
        let joint = if seen.is_empty() { "" } else { gap(piece.x - last) };
        if !joint.is_empty() {
            seen.push(Piece { text: joint.to_owned(), x: last, end: piece.x });
        }
        last = last.max(piece.end);
        seen.push(piece);
    }
    let line: String = seen.iter().map(|piece| piece.text.as_str()).collect();
    let base = if mostly_right { Level::rtl() } else { Level::ltr() };
    let info = BidiInfo::new(&line, Some(base));
    let mut at = 0;
    let levels: Vec<Level> = seen
        .iter()
        .map(|piece| {
            let level = info.levels.get(at).copied().unwrap_or(base);
            at += piece.text.len();
            level
        })
        .collect();
    let order = BidiInfo::reorder_visual(&levels);
    let turned = |index: &usize| levels.get(*index).is_some_and(Level::is_rtl);
    let read = |mirrored: bool| -> String {
        let of = |index: &usize| -> String {
            let text = seen.get(*index).map_or("", |piece| piece.text.as_str());
            if mirrored && turned(index) { text.chars().map(mirror).collect() } else { text.to_owned() }
        };
        order.iter().map(of).collect()
    };
    // Some programs name a bracket as it is seen, others as it is read.
    let (as_named, mirrored) = (read(false), read(true));
    if unmatched(&mirrored) < unmatched(&as_named) { mirrored } else { as_named }
}

/// Glyphs from left to right. Marks belong to the letter that is shown next to them: after them where letters are shown as
/// they are seen, before them where they are shown as they are read. The places of marks say little, because fonts
/// draw them on either side.
fn pieces(glyphs: &[&Glyph]) -> Vec<Piece> {
    let is_mark = |glyph: &Glyph| glyph.text.chars().all(|c| bidi_class(c) == BidiClass::NSM);
    let mut pieces: Vec<Piece> = Vec::new();
    // Marks that wait for the next letter.
    let mut waiting = String::new();
    for (index, glyph) in glyphs.iter().enumerate() {
        if is_mark(glyph) {
            let next = glyphs[index + 1..].iter().find(|next| !is_mark(next));
            let is_next = match (pieces.last(), next) {
                (Some(before), Some(next)) => next.x > before.x && next.text.chars().any(is_right_to_left),
                (before, _) => before.is_none(),
            };
            match pieces.last_mut().filter(|_| !is_next) {
                Some(letter) => letter.add(&plain(&glyph.text)),
                None => waiting.push_str(&plain(&glyph.text)),
            }
            continue;
        }
        let mut letter = Piece { text: plain(&glyph.text), x: glyph.x, end: glyph.end };
        letter.add(&std::mem::take(&mut waiting));
        pieces.push(letter);
    }
    pieces.sort_by(|a, b| a.x.total_cmp(&b.x));
    pieces
}

/// Letters instead of the shapes that they have in a word.
fn plain(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{fb1d}'..='\u{fb4f}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
                let shape: String = std::iter::once(c).nfkc().collect();
                // A mark alone is shown on a space.
                letters.push_str(shape.trim_start());
            }
            // Marks of direction, which the order of the text replaces; and the stroke that makes a word longer.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{640}' | '\u{feff}' => {}
            c => letters.push(c),
        }
    }
    letters
}

/// Brackets in pairs.
const BRACKETS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('«', '»')];

fn mirror(c: char) -> char {
    let other = |(open, close): &(char, char)| match c {
        c if c == *open => Some(*close),
        c if c == *close => Some(*open),
        _ => None,
    };
    BRACKETS.iter().find_map(other).unwrap_or(c)
}

/// How many brackets have no partner.
fn unmatched(text: &str) -> usize {
    let count = |(open, close): &(char, char)| {
        let (mut depth, mut alone) = (0_usize, 0);
        for c in text.chars() {
            if c == *open {
                depth += 1;
            } else if c == *close && depth == 0 {
                alone += 1;
            } else if c == *close {
                depth -= 1;
            }
        }
        alone + depth
    };
    BRACKETS.iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read from text as it is seen, one glyph a character.
    fn read_seen(seen: &str, mostly_right: bool) -> String {
        let glyph = |(at, c): (usize, char)| {
            let x = at as f64 * 5.0;
            Glyph { turn: 0, x, end: x + 5.0, y: 0.0, size: 10.0, text: c.to_string().into() }
        };
        let glyphs: Vec<Glyph> = seen.chars().enumerate().map(glyph).collect();
        let mut shuffled: Vec<&Glyph> = glyphs.iter().collect();
        shuffled.reverse();
        read(&shuffled, mostly_right, |gap| if gap > 1.0 { " " } else { "" })
    }

    /// What the rules of Unicode show of a text.
    fn shown(text: &str, mostly_right: bool) -> String {
        let info = BidiInfo::new(text, Some(if mostly_right { Level::rtl() } else { Level::ltr() }));
        info.reorder_line(&info.paragraphs[0], 0..text.len()).into_owned()
    }

    #[test]
    fn what_is_seen_is_read() {
        let hebrew =
            ["שלום, עולם!", "בשעה 21:45 יצאו 4 סירות", "מן Évreux יצאו (שתי) סירות", "1,250 ליש\"ט", "ראה [3] ו־(4)"];
        for text in hebrew.into_iter().chain(["العام 2024 كان (حارس) Skerrow Head."]) {
            assert_eq!(read_seen(&shown(text, true), true), text, "{text}");
        }
        for text in ["The word שלום עולם means hello.", "in Hebrew (שלום) 12"] {
            assert_eq!(read_seen(&shown(text, false), false), text, "{text}");
        }
    }

    #[test]
    fn brackets_are_read_however_they_are_named() {
        // Seen as "(b) a" in Latin letters: named as it is seen, and as it is read.
        assert_eq!(read_seen("(ב) א", true), "א (ב)");
        assert_eq!(read_seen(")ב( א", true), "א (ב)");
    }

    #[test]
    fn shapes_become_letters() {
        assert_eq!(plain("\u{fefb}\u{fee1}\u{fb2a}\u{640}"), "لامש\u{5c1}");
        assert_eq!(plain("\u{fe76}a"), "\u{64e}a");
    }

    #[test]
    fn marks_follow_their_letters() {
        let glyph =
            |text: &str, x: f64, end: f64| Glyph { turn: 0, x, end, y: 0.0, size: 10.0, text: text.to_owned().into() };
        // Two letters, the right one with two marks: shown as they are seen, and as they are read.
        let letters =
            [glyph("א", 0.0, 5.0), glyph("\u{5b8}", 3.0, 3.0), glyph("\u{5bc}", 4.0, 4.0), glyph("ב", 5.0, 10.0)];
        for order in [[0, 1, 2, 3], [3, 2, 1, 0]] {
            let glyphs: Vec<&Glyph> = order.iter().map(|index| &letters[*index]).collect();
            assert_eq!(read(&glyphs, true, |_| ""), "ב\u{5b8}\u{5bc}א");
        }
    }
}
