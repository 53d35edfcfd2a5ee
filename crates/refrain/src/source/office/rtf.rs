//! RTF: text with commands in braces, as many programs write it.
//!
//! refrain has its own small reader: the existing parser supports no code pages, tables or notes. Groups without text
//! (font and colour tables, style sheets, pictures, field codes, and every ignorable destination) are skipped.
//! Footnotes follow the text. Deleted text in tracked changes and hidden text are dropped.

use std::collections::HashMap;

use encoding_rs::Encoding;

use super::flow::Flow;
use super::{About, Content, Unreadable};

const FORMAT: &str = "RTF";

/// Destinations without text of the document.
const PASSED_OVER: [&str; 26] = [
    "annotation",
    "atnauthor",
    "atnid",
    "colortbl",
    "comment",
    "datastore",
    "filetbl",
    "fldinst",
    "footer",
    "footerf",
    "footerl",
    "footerr",
    "header",
    "headerf",
    "headerl",
    "headerr",
    "listtable",
    "listtext",
    "nonshppict",
    "objdata",
    "pict",
    "pntext",
    "stylesheet",
    "tc",
    "themedata",
    "xe",
];

/// The maximum nesting of groups: no program writes more.
const MAX_DEPTH: usize = 10_000;

/// The destination of a group's text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Destination {
    /// To the document.
    Text,
    /// To nowhere.
    Nowhere,
    /// Into the table of fonts.
    Fonts,
    /// Into a field of the document's description; not to the text.
    Info,
    Title,
    Author,
    /// To a note.
    Note,
}

/// The state that applies until the end of a group.
#[derive(Debug, Clone, Copy)]
struct State {
    destination: Destination,
    /// Deleted by a tracked change, or hidden.
    deleted: bool,
    hidden: bool,
    /// Paragraphs belong to a row of a table.
    in_row: bool,
    /// How many fallback characters follow one given by its number, for programs that do not support numbers.
    fallback: usize,
    encoding: &'static Encoding,
}

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(Unreadable::damaged(FORMAT, "it does not begin with {\\rtf"));
    }
    let mut reader = Rtf::new(limit);
    let damage = reader.run(bytes)?;
    reader.flush()?;
    reader.end_paragraph();
    reader.end_table();
    let damage = damage.map(|error| Unreadable::new(error, None));
    Ok(Content { text: reader.flow.finish()?, about: reader.about, damage, ..Content::default() })
}

/// The reader of one document.
#[allow(clippy::struct_excessive_bools)] // what is open, and each may be without the others
struct Rtf {
    flow: Flow,
    about: About,
    state: State,
    /// The states of the groups around this one.
    outer: Vec<State>,
    /// Encodings of fonts by their number, and the font that is being described.
    fonts: HashMap<i32, &'static Encoding>,
    font: i32,
    /// Encoding of fonts that say nothing.
    default: &'static Encoding,
    /// Bytes that are yet to be decoded: a character may take two of them.
    bytes: Vec<u8>,
    /// The first half of a character that takes two numbers.
    high: Option<u16>,
    /// Characters still to be skipped after a number.
    to_skip: usize,
    /// True in a paragraph; in one that contains a note; in a table; in a cell.
    in_paragraph: bool,
    around_note: bool,
    in_table: bool,
    in_cell: bool,
    /// A value of the description.
    value: String,
    /// True after the sign that a destination may be ignored.
    may_ignore: bool,
}

impl Rtf {
    fn new(limit: usize) -> Rtf {
        let default = encoding_rs::WINDOWS_1252;
        let state = State {
            destination: Destination::Text,
            deleted: false,
            hidden: false,
            in_row: false,
            fallback: 1,
            encoding: default,
        };
        Rtf {
            flow: Flow::new(FORMAT, limit),
            about: About::default(),
            state,
            outer: Vec::new(),
            fonts: HashMap::new(),
            font: 0,
            default,
            bytes: Vec::new(),
            high: None,
            to_skip: 0,
            in_paragraph: false,
            around_note: false,
            in_table: false,
            in_cell: false,
            value: String::new(),
            may_ignore: false,
        }
    }

    /// Reads the whole document; returns an error if its end is missing.
    fn run(&mut self, bytes: &[u8]) -> Result<Option<String>, Unreadable> {
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            rest = behind;
            match byte {
                b'{' => {
                    self.flush()?;
                    self.to_skip = 0;
                    if self.outer.len() >= MAX_DEPTH {
                        return Err(Unreadable::damaged(FORMAT, "groups nested too deep"));
                    }
                    self.outer.push(self.state);
                }
                b'}' => {
                    self.flush()?;
                    self.to_skip = 0;
                    self.close_group();
                    if self.outer.is_empty() {
                        return Ok(None);
                    }
                }
                b'\\' => rest = self.command(rest)?,
                b'\r' | b'\n' | 0 => {}
                byte => self.byte(byte)?,
            }
        }
        let groups = match self.outer.len() {
            1 => "1 group of this RTF file has".to_owned(),
            groups => format!("{groups} groups of this RTF file have"),
        };
        Ok(Some(format!("truncated: {groups} no end")))
    }

    fn close_group(&mut self) {
        let inner = self.state;
        if let Some(outer) = self.outer.pop() {
            self.state = outer;
        }
        if inner.destination == self.state.destination {
            return;
        }
        match inner.destination {
            Destination::Note => {
                self.end_paragraph();
                self.flow.close_note();
                // The paragraph around the note continues.
                self.in_paragraph = self.around_note;
            }
            Destination::Title => self.about.title(&std::mem::take(&mut self.value)),
            Destination::Author => self.about.author(&std::mem::take(&mut self.value)),
            _ => {}
        }
    }

    /// A command and its arguments.
    fn command<'b>(&mut self, rest: &'b [u8]) -> Result<&'b [u8], Unreadable> {
        let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        if letters == 0 {
            return self.symbol(rest);
        }
        let (word, mut rest) = rest.split_at(letters);
        let word = std::str::from_utf8(word).unwrap_or_default();
        let negative = rest.first() == Some(&b'-') && rest.get(1).is_some_and(u8::is_ascii_digit);
        rest = &rest[usize::from(negative)..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number: Option<i32> =
            std::str::from_utf8(&rest[..digits.min(9)]).ok().and_then(|digits| digits.parse().ok());
        let number = number.map(|n| if negative { -n } else { n });
        rest = &rest[digits..];
        rest = rest.strip_prefix(b" ").unwrap_or(rest);
        if word == "bin" {
            let length = number.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            return Ok(&rest[length.min(rest.len())..]);
        }
        // Ignorable destinations are ignored if unknown; LibreOffice also marks footnotes in this way.
        if std::mem::take(&mut self.may_ignore) && word != "footnote" {
            self.flush()?;
            self.state.destination = Destination::Nowhere;
        }
        if self.to_skip > 0 && word != "u" {
            self.to_skip -= 1;
            return Ok(rest);
        }
        self.word(word, number)?;
        Ok(rest)
    }

    /// A command that is one character.
    fn symbol<'b>(&mut self, rest: &'b [u8]) -> Result<&'b [u8], Unreadable> {
        let Some((&symbol, behind)) = rest.split_first() else { return Ok(rest) };
        match symbol {
            b'\'' => {
                let hex = behind.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
                if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    self.byte(byte)?;
                }
                return Ok(behind.get(2..).unwrap_or_default());
            }
            b'\\' | b'{' | b'}' => self.byte(symbol)?,
            b'~' => self.text("\u{a0}")?,
            b'_' => self.text("-")?,
            b'\r' | b'\n' => self.word("par", None)?,
            b'*' => self.may_ignore = true,
            _ => {}
        }
        Ok(behind)
    }

    fn word(&mut self, word: &str, number: Option<i32>) -> Result<(), Unreadable> {
        if self.state.destination == Destination::Nowhere && word != "uc" {
            return Ok(());
        }
        if word != "u" {
            self.flush()?;
        }
        match word {
            "par" | "sect" | "page" | "column" if self.takes_text() => self.end_paragraph(),
            "line" | "lbr" => self.text("\n")?,
            "tab" => self.text("\t")?,
            "cell" | "nestcell" if self.state.destination == Destination::Text => self.end_cell(),
            "row" | "nestrow" if self.state.destination == Destination::Text => self.flow.close_row(),
            "pard" => self.state.in_row = false,
            "intbl" => self.state.in_row = true,
            "u" => self.number(number.unwrap_or(0))?,
            "uc" => self.state.fallback = number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1).min(16),
            "emdash" => self.text("\u{2014}")?,
            "endash" => self.text("\u{2013}")?,
            "lquote" => self.text("\u{2018}")?,
            "rquote" => self.text("\u{2019}")?,
            "ldblquote" => self.text("\u{201c}")?,
            "rdblquote" => self.text("\u{201d}")?,
            "bullet" => self.text("\u{2022}")?,
            "emspace" | "enspace" | "qmspace" => self.text(" ")?,
            "deleted" => self.state.deleted = number != Some(0),
            "v" => self.state.hidden = number != Some(0),
            "plain" => (self.state.deleted, self.state.hidden) = (false, false),
            "ansicpg" => self.use_code_page(number.unwrap_or(0)),
            "mac" => self.use_encoding(encoding_rs::MACINTOSH),
            "f" if self.state.destination == Destination::Fonts => self.font = number.unwrap_or(0),
            "f" => self.state.encoding = self.fonts.get(&number.unwrap_or(0)).copied().unwrap_or(self.default),
            "fcharset" if self.state.destination == Destination::Fonts => {
                if let Some(encoding) = number.and_then(of_charset) {
                    self.fonts.insert(self.font, encoding);
                }
            }
            "fonttbl" => self.state.destination = Destination::Fonts,
            "info" => self.state.destination = Destination::Info,
            "title" if self.state.destination == Destination::Info => self.state.destination = Destination::Title,
            "author" if self.state.destination == Destination::Info => self.state.destination = Destination::Author,
            "footnote" if self.state.destination == Destination::Text => {
                self.state.destination = Destination::Note;
                self.flow.open_note();
                self.around_note = std::mem::take(&mut self.in_paragraph);
            }
            word if PASSED_OVER.contains(&word) => self.state.destination = Destination::Nowhere,
            _ => {}
        }
        Ok(())
    }

    fn use_code_page(&mut self, page: i32) {
        let label = match page {
            10000 => "macintosh".to_owned(),
            874 => "windows-874".to_owned(),
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            65001 => "utf-8".to_owned(),
            page => format!("windows-{page}"),
        };
        if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
            self.use_encoding(encoding);
        }
    }

    fn use_encoding(&mut self, encoding: &'static Encoding) {
        self.default = encoding;
        self.state.encoding = encoding;
        // The states of groups that are open were set before.
        self.outer.iter_mut().for_each(|state| state.encoding = encoding);
    }

    /// A character by its number, which is negative from 32768 on.
    fn number(&mut self, number: i32) -> Result<(), Unreadable> {
        // The fallback of the previous number ends here.
        self.to_skip = 0;
        if !self.bytes.is_empty() {
            self.decode_bytes()?;
        }
        let unit = u16::try_from(number & 0xffff).unwrap_or_default();
        let c = match (self.high.take(), unit) {
            (_, 0xd800..=0xdbff) => {
                self.high = Some(unit);
                None
            }
            (Some(high), _) => char::decode_utf16([high, unit]).next().and_then(Result::ok),
            (None, _) => char::from_u32(u32::from(unit)),
        };
        if let Some(c) = c.filter(|c| !c.is_control()) {
            self.put(c.encode_utf8(&mut [0; 4]))?;
        }
        self.to_skip = self.state.fallback;
        Ok(())
    }

    fn byte(&mut self, byte: u8) -> Result<(), Unreadable> {
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return Ok(());
        }
        if self.bytes.len() >= 4096 && byte < 0x80 {
            self.decode_bytes()?;
        }
        if byte == b'\t' || byte >= b' ' {
            self.bytes.push(byte);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        self.flush()?;
        if self.to_skip > 0 {
            self.to_skip -= 1;
            return Ok(());
        }
        self.put(text)
    }

    /// Decodes the bytes so far.
    fn flush(&mut self) -> Result<(), Unreadable> {
        self.high = None;
        self.decode_bytes()
    }

    fn decode_bytes(&mut self) -> Result<(), Unreadable> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.bytes);
        let (text, _) = self.state.encoding.decode_without_bom_handling(&bytes);
        self.put(&text)
    }

    /// True where text belongs to the document.
    fn takes_text(&self) -> bool {
        matches!(self.state.destination, Destination::Text | Destination::Note)
    }

    /// Adds text to its destination.
    fn put(&mut self, text: &str) -> Result<(), Unreadable> {
        match self.state.destination {
            Destination::Text | Destination::Note if !self.state.deleted && !self.state.hidden => {
                if !self.in_paragraph {
                    self.begin_paragraph();
                }
                self.flow.text(text)
            }
            Destination::Title | Destination::Author => {
                if self.value.len() + text.len() <= 10_000 {
                    self.value.push_str(text);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A paragraph of a row begins in a cell, any other one after the table.
    fn begin_paragraph(&mut self) {
        if self.state.destination == Destination::Text {
            if self.state.in_row {
                self.begin_cell();
            } else {
                self.end_table();
            }
        }
        self.flow.open_paragraph();
        self.in_paragraph = true;
    }

    fn end_paragraph(&mut self) {
        if std::mem::take(&mut self.in_paragraph) {
            self.flow.close_paragraph();
        }
    }

    fn begin_cell(&mut self) {
        if !std::mem::replace(&mut self.in_table, true) {
            self.flow.open_table();
        }
        if !std::mem::replace(&mut self.in_cell, true) {
            self.flow.open_cell();
        }
    }

    fn end_cell(&mut self) {
        self.end_paragraph();
        self.begin_cell();
        self.flow.close_cell();
        self.in_cell = false;
    }

    fn end_table(&mut self) {
        if self.in_cell {
            self.end_cell();
        }
        if std::mem::take(&mut self.in_table) {
            self.flow.close_table();
        }
    }
}

/// The encoding of a font by the number of its character set.
fn of_charset(charset: i32) -> Option<&'static Encoding> {
    Some(match charset {
        0 => encoding_rs::WINDOWS_1252,
        77 => encoding_rs::MACINTOSH,
        128 => encoding_rs::SHIFT_JIS,
        129 => encoding_rs::EUC_KR,
        134 => encoding_rs::GBK,
        136 => encoding_rs::BIG5,
        161 => encoding_rs::WINDOWS_1253,
        162 => encoding_rs::WINDOWS_1254,
        163 => encoding_rs::WINDOWS_1258,
        177 => encoding_rs::WINDOWS_1255,
        178 => encoding_rs::WINDOWS_1256,
        186 => encoding_rs::WINDOWS_1257,
        204 => encoding_rs::WINDOWS_1251,
        222 => encoding_rs::WINDOWS_874,
        238 => encoding_rs::WINDOWS_1250,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(rtf: &str) -> Content {
        read(rtf.as_bytes(), 10_000).expect("text")
    }

    fn text(body: &str) -> String {
        content(&format!(
            "{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f0 Times;}}{{\\f1\\fcharset238 Arial CE;}}}}{body}}}"
        ))
        .text
    }

    #[test]
    fn characters_come_from_code_pages_and_numbers() {
        assert_eq!(text(r"caf\'e9 \f1 \'e8\'f8\f0 \'e8"), "café čřè");
        assert_eq!(text(r"\u233?a\uc2\u-10179??\u-8704??b\uc0\u8364 c"), "éa\u{1f600}b€c");
        assert_eq!(text(r"{\uc1\u8220\'93}x\u8221\emdash y"), "“x”y");
        assert_eq!(text(r"a\{b\}\\c\~d\_e\-f"), "a{b}\\c\u{a0}d-ef");
    }

    #[test]
    fn groups_without_text_are_skipped() {
        let body = r"{\*\generator X;}{\stylesheet{\s0 Normal;}}{\pict 0102}{\header Top}One{\v hidden} {\deleted gone}{\field{\*\fldinst HYPERLINK}{\fldrslt link}}\par
Two\bin3 abc{\footnote\pard A note.}.\line three\par";
        assert_eq!(text(body), "One link\n\nTwo.\nthree\n\nA note.");
    }

    #[test]
    fn tables_are_rows_of_cells() {
        let body = r"Before\par\trowd\cellx1\cellx2\pard\intbl a\cell\pard\intbl b\par c\cell\row\trowd\pard\intbl d\cell\cell\row\pard After\par";
        assert_eq!(text(body), "Before\n\na\tb c\nd\n\nAfter");
    }

    #[test]
    fn the_description_is_read_and_the_end_is_missed() {
        let found = content(r"{\rtf1{\info{\title The lamp}{\author Ida}{\creatim\yr2020}}Text");
        assert_eq!((found.about.title.as_deref(), found.about.author.as_deref()), (Some("The lamp"), Some("Ida")));
        assert_eq!(found.text, "Text");
        assert!(found.damage.is_some_and(|damage| damage.error.starts_with("truncated")));
        assert!(read(b"{\\rtf1 too long}", 5).is_err_and(|why| why.error.contains("more than 5 bytes")));
        assert!(read(b"{\\rtf1 }", 5).is_err());
    }
}
