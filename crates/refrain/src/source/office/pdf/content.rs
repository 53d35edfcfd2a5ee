//! The glyphs that the content of a page shows, and their positions.

use std::rc::Rc;

use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, Stream};

use super::fonts::{Font, Fonts};
use super::{dictionary, number, object};

/// No honest page nests forms deeper than this.
const MAX_FORMS: usize = 12;

/// No honest page saves more states than this.
const MAX_SAVED: usize = 1024;

/// A glyph on a page. Coordinates are those of a page that is turned so that the text runs from left to right.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    /// Quarter turns that the page was turned by.
    pub(super) turn: u8,
    /// Where it begins and ends, and where its line is.
    pub(super) x: f64,
    pub(super) end: f64,
    pub(super) y: f64,
    /// The size of its font.
    pub(super) size: f64,
    /// The characters that it represents.
    pub(super) text: Rc<str>,
}

/// What was met while reading pages.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Glyphs, and how many of them are known characters.
    pub(super) glyphs: usize,
    pub(super) decoded: usize,
    /// Pictures.
    pub(super) pictures: usize,
    /// Bytes that forms may still decompress to, and whether they needed more.
    pub(super) left: usize,
    pub(super) exhausted: bool,
}

impl Shown {
    /// Adds what another page shows.
    pub(super) fn add(&mut self, other: &Shown) {
        self.glyphs += other.glyphs;
        self.decoded += other.decoded;
        self.pictures += other.pictures;
    }
}

/// The glyphs of a page, in the order in which they are shown.
pub(super) fn glyphs<'d>(
    document: &'d Document,
    content: &[u8],
    resources: &[&'d Dictionary],
    fonts: &mut Fonts<'d>,
    shown: &mut Shown,
) -> Vec<Glyph> {
    let mut page = Page { document, fonts, shown, glyphs: Vec::new() };
    page.run(content, resources, State::default(), 0);
    page.glyphs
}

/// A change of coordinates, as PDF writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Matrix([f64; 6]);

impl Matrix {
    const SAME: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    fn moved(x: f64, y: f64) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    fn of(operands: &[Object]) -> Option<Matrix> {
        let numbers: Vec<f64> = operands.iter().filter_map(number).collect();
        numbers.try_into().ok().map(Matrix)
    }

    /// This one first, then the other.
    fn then(self, other: Matrix) -> Matrix {
        let (mine, next) = (self.0, other.0);
        let across = |x: f64, y: f64| [x * next[0] + y * next[2], x * next[1] + y * next[3]];
        let (first, second, origin) = (across(mine[0], mine[1]), across(mine[2], mine[3]), across(mine[4], mine[5]));
        Matrix([first[0], first[1], second[0], second[1], origin[0] + next[4], origin[1] + next[5]])
    }
}

/// What operators set.
#[derive(Clone)]
struct State {
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
    /// The position of the next glyph, and of the start of its line.
    text: Matrix,
    line: Matrix,
}

impl Default for State {
    fn default() -> State {
        State {
            page: Matrix::SAME,
            font: None,
            size: 0.0,
            letter_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            text: Matrix::SAME,
            line: Matrix::SAME,
        }
    }
}

impl State {
    /// Begins a line at an offset from the beginning of this one.
    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.text = self.line;
    }
}

/// The page that is being read.
struct Page<'p, 'd> {
    document: &'d Document,
    fonts: &'p mut Fonts<'d>,
    shown: &'p mut Shown,
    glyphs: Vec<Glyph>,
}

impl<'d> Page<'_, 'd> {
    /// Runs the operators of a page or form.
    fn run(&mut self, content: &[u8], resources: &[&'d Dictionary], mut state: State, forms: usize) {
        let mut saved: Vec<State> = Vec::new();
        for operation in Content::decode_iter(content) {
            // The content after an error is lost, the content before it is not.
            let Ok(operation) = operation else { return };
            match operation.operator.as_str() {
                "q" if saved.len() < MAX_SAVED => saved.push(state.clone()),
                "Q" => state = saved.pop().unwrap_or(state),
                "cm" => {
                    if let Some(matrix) = Matrix::of(&operation.operands) {
                        state.page = matrix.then(state.page);
                    }
                }
                "Do" => self.draw(&operation, resources, &state, forms),
                "BI" => self.shown.pictures += 1,
                "Tf" => {
                    let named = operation.operands.first().and_then(|name| name.as_name().ok());
                    state.font = named.and_then(|name| self.fonts.get(resources, name));
                    state.size = operation.operands.get(1).and_then(number).unwrap_or(0.0);
                }
                _ => self.text_operator(&operation, &mut state),
            }
            if self.shown.exhausted {
                return;
            }
        }
    }

    fn text_operator(&mut self, operation: &Operation, state: &mut State) {
        let operands = &operation.operands;
        let first = || operands.first().and_then(number).unwrap_or(0.0);
        let second = || operands.get(1).and_then(number).unwrap_or(0.0);
        match operation.operator.as_str() {
            "BT" => (state.text, state.line) = (Matrix::SAME, Matrix::SAME),
            "Tc" => state.letter_space = first(),
            "Tw" => state.word_space = first(),
            "Tz" => state.scale = first() / 100.0,
            "TL" => state.leading = first(),
            "Ts" => state.rise = first(),
            "Td" => state.next_line(first(), second()),
            "TD" => {
                state.leading = -second();
                state.next_line(first(), second());
            }
            "Tm" => {
                if let Some(matrix) = Matrix::of(operands) {
                    (state.text, state.line) = (matrix, matrix);
                }
            }
            "T*" => state.next_line(0.0, -state.leading),
            "Tj" => self.show(operands.first(), state),
            "'" => {
                state.next_line(0.0, -state.leading);
                self.show(operands.first(), state);
            }
            "\"" => {
                (state.word_space, state.letter_space) = (first(), second());
                state.next_line(0.0, -state.leading);
                self.show(operands.get(2), state);
            }
            "TJ" => {
                let pieces = operands.first().and_then(|operand| operand.as_array().ok());
                for piece in pieces.into_iter().flatten() {
                    match number(piece) {
                        Some(back) => {
                            let x = -back / 1000.0 * state.size * state.scale;
                            state.text = Matrix::moved(x, 0.0).then(state.text);
                        }
                        None => self.show(Some(piece), state),
                    }
                }
            }
            _ => {}
        }
    }

    /// Shows a string.
    fn show(&mut self, string: Option<&Object>, state: &mut State) {
        let (Some(font), Some(Ok(bytes))) = (state.font.clone(), string.map(Object::as_str)) else { return };
        let State { size, scale, rise, .. } = *state;
        for shown in font.glyphs(bytes) {
            self.shown.glyphs += 1;
            let width = shown.width;
            if let Some(text) = shown.text {
                self.shown.decoded += 1;
                let at = Matrix([size * scale, 0.0, 0.0, size, 0.0, rise]).then(state.text).then(state.page);
                self.glyphs.extend(placed(at, width, text));
            }
            let space = state.letter_space + if shown.is_space { state.word_space } else { 0.0 };
            state.text = Matrix::moved((width * size + space) * scale, 0.0).then(state.text);
        }
    }

    /// Draws a form, which is a page of its own, or meets a picture.
    fn draw(&mut self, operation: &Operation, resources: &[&'d Dictionary], state: &State, forms: usize) {
        let Some(Ok(name)) = operation.operands.first().map(Object::as_name) else { return };
        let Some(drawn) = self.find(resources, b"XObject", name).and_then(|object| object.as_stream().ok()) else {
            return;
        };
        match drawn.dict.get(b"Subtype").and_then(Object::as_name) {
            Ok(b"Image") => self.shown.pictures += 1,
            Ok(b"Form") if forms < MAX_FORMS => self.draw_form(drawn, resources, state, forms),
            _ => {}
        }
    }

    fn draw_form(&mut self, form: &'d Stream, resources: &[&'d Dictionary], state: &State, forms: usize) {
        let Ok(content) = form.get_plain_content_with_limit(self.shown.left) else { return };
        // Drawing takes time, even if there is little to decompress.
        match self.shown.left.checked_sub(content.len() + 1024) {
            Some(left) => self.shown.left = left,
            None => {
                self.shown.exhausted = true;
                return;
            }
        }
        let own = dictionary(self.document, &form.dict, b"Resources");
        let resources: Vec<&Dictionary> = own.into_iter().chain(resources.iter().copied()).take(MAX_FORMS).collect();
        let matrix = object(self.document, &form.dict, b"Matrix").and_then(|matrix| matrix.as_array().ok());
        let matrix = matrix.and_then(|matrix| Matrix::of(matrix)).unwrap_or(Matrix::SAME);
        let inner = State { page: matrix.then(state.page), ..state.clone() };
        self.run(&content, &resources, inner, forms + 1);
    }

    /// A resource by its kind and name.
    fn find(&self, resources: &[&'d Dictionary], kind: &[u8], name: &[u8]) -> Option<&'d Object> {
        resources.iter().find_map(|resources| object(self.document, dictionary(self.document, resources, kind)?, name))
    }
}

/// A glyph with its place, turned so that its text runs from left to right; `None` for one that nobody sees.
fn placed(at: Matrix, width: f64, text: Rc<str>) -> Option<Glyph> {
    let [right, up, .., x, y] = at.0;
    let (length, size) = (right.hypot(up), at.0[2].hypot(at.0[3]));
    let (turn, x, y) = match (up.abs() > right.abs(), right >= 0.0, up >= 0.0) {
        (false, true, _) => (0, x, y),
        (true, _, true) => (1, y, -x),
        (false, false, _) => (2, -x, -y),
        (true, _, false) => (3, -y, x),
    };
    let fine = [length, size, x, y, width].iter().all(|number| number.is_finite()) && size > 0.0;
    fine.then_some(Glyph { turn, x, end: x + width * length, y, size, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_multiply_as_pdf_says() {
        let scaled = Matrix([2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!(Matrix::moved(1.0, 2.0).then(scaled), Matrix([2.0, 0.0, 0.0, 2.0, 2.0, 4.0]));
        assert_eq!(scaled.then(Matrix::moved(1.0, 2.0)), Matrix([2.0, 0.0, 0.0, 2.0, 1.0, 2.0]));
    }

    #[test]
    fn turned_text_is_turned_back() {
        let up = placed(Matrix([0.0, 10.0, -10.0, 0.0, 100.0, 50.0]), 0.5, "x".into()).expect("a glyph");
        assert_eq!((up.turn, up.x, up.end, up.y, up.size), (1, 50.0, 55.0, -100.0, 10.0));
        assert!(placed(Matrix([0.0; 6]), 0.5, "x".into()).is_none());
    }
}
