//! Converts office documents, e-books (DOCX, ODT, EPUB, RTF and PDF), editions (TEI) and recognised text (ALTO and hOCR)
//! to plain text and metadata.
//!
//! One file per format, and one for recognised text. Every reader takes the bytes of a whole file and a limit, and returns [`Content`] or the reason
//! why there is none ([`Unreadable`]). Blank lines separate paragraphs, as in plain text; tabs separate table cells,
//! and line ends separate rows; footnotes and endnotes follow the text. Decompressed data and output never exceed the
//! limit.
//!
//! `detect.rs` recognises such files and passes them on unopened. `prepare.rs` opens them on all cores, and converts
//! the chapters of a book, which are web pages.

mod detect;
mod docx;
mod epub;
mod flow;
mod ocr;
mod odt;
mod parts;
mod pdf;
mod rtf;
mod tei;
mod xml;

pub(super) use detect::{Found, claimed, of_content, of_zip, read, read_ole};
pub(crate) use docx::read as docx;
pub(crate) use epub::read as epub;
pub(crate) use ocr::{alto, hocr};
pub(crate) use odt::read as odt;
pub(crate) use pdf::read as pdf;
pub(crate) use rtf::read as rtf;
pub(crate) use tei::read as tei;
pub(super) use xml::{Node, attribute, local, walk};

use crate::error::Hint;

/// The content of a document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Content {
    /// The text: paragraphs, separated by blank lines.
    pub(crate) text: String,
    /// Its metadata.
    pub(crate) about: About,
    /// Where each page begins in the text, in code points; empty for formats without pages.
    pub(crate) pages: Vec<usize>,
    /// The share of the glyphs of a PDF that no font maps to letters: they are missing from the text.
    pub(crate) unmapped: f64,
    /// Defects of a file that is still usable.
    pub(crate) damage: Option<Unreadable>,
}

/// The metadata of a document.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct About {
    /// Its title.
    pub(crate) title: Option<String>,
    /// The authors, separated by semicolons.
    pub(crate) author: Option<String>,
    /// Its language as a code of two or three letters.
    pub(crate) language: Option<String>,
}

impl About {
    /// Sets the title; the first one wins.
    fn title(&mut self, title: &str) {
        set(&mut self.title, title);
    }

    /// Adds an author.
    fn author(&mut self, author: &str) {
        match (&mut self.author, tidy(author)) {
            (_, None) => {}
            (Some(authors), Some(author)) => *authors = format!("{authors}; {author}"),
            (none, author) => *none = author,
        }
    }

    /// Sets the language by its tag (`en-GB`); the first one wins.
    fn language(&mut self, tag: &str) {
        let code = tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        if (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase()) {
            set(&mut self.language, &code);
        }
    }
}

fn set(field: &mut Option<String>, value: &str) {
    if field.is_none() {
        *field = tidy(value);
    }
}

/// A value on one line, without white space around it; `None` when nothing is left.
fn tidy(value: &str) -> Option<String> {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    (!value.is_empty()).then_some(value)
}

/// Why a document yields no text, or not all of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable {
    /// The error.
    pub(crate) error: String,
    /// The way out, if there is one.
    pub(crate) hint: Option<Hint>,
    /// The file can be read, but there is no text in it.
    pub(crate) is_without_text: bool,
}

impl Unreadable {
    fn new(error: impl Into<String>, hint: Option<Hint>) -> Unreadable {
        Unreadable { error: error.into(), hint, is_without_text: false }
    }

    /// A malformed file of this format, and the faulty part.
    fn damaged(format: &str, what: impl std::fmt::Display) -> Unreadable {
        let hint = "check that the file is complete";
        Unreadable::new(format!("damaged {format} file: {what}"), Some(hint.into()))
    }

    /// A file that needs a password.
    fn encrypted(format: &str) -> Unreadable {
        Unreadable::new(format!("encrypted {format} file"), Some("save it without a password".into()))
    }

    /// A file that decompresses to more than the limit for a document.
    fn too_large(format: &str, limit: usize) -> Unreadable {
        let error = format!("this {format} file expands to more than {limit} bytes, the limit for one document");
        Unreadable::new(error, Some(Hint::max_document()))
    }

    /// A readable file without any text.
    fn without_text(format: &str) -> Unreadable {
        Unreadable { is_without_text: true, ..Unreadable::new(format!("this {format} file holds no text"), None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_documents_say_of_themselves_is_tidied() {
        let mut about = About::default();
        about.title("  ");
        about.title(" The\n lamp ");
        about.title("Another");
        about.author("Ida Fennick");
        about.author(" ");
        about.author("Tom Carrow");
        about.language("x");
        about.language("en-GB");
        assert_eq!(about.title.as_deref(), Some("The lamp"));
        assert_eq!(about.author.as_deref(), Some("Ida Fennick; Tom Carrow"));
        assert_eq!(about.language.as_deref(), Some("en"));
    }
}
