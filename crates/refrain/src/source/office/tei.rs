//! TEI: scholarly editions and corpora in XML.
//!
//! The text is that of the elements `text`, in paragraphs; the header states title, author and language. Notes follow the
//! text. Of alternatives, the corrected, regularised and expanded one is read; deleted text and readings of other
//! witnesses are not.

use super::xml::{Node, attribute, local, walk};
use super::{About, Content, Unreadable};

const FORMAT: &str = "TEI";

/// Elements that begin and end a paragraph.
#[rustfmt::skip] // a table
const BLOCKS: [&str; 60] = [
    "ab", "argument", "back", "body", "byline", "castItem", "castList", "closer", "cit", "dateline", "dictScrap", "div",
    "div1", "div2", "div3", "div4", "div5", "div6", "div7", "docAuthor", "docDate", "docEdition", "docImprint", "docTitle",
    "entry", "entryFree", "epigraph", "epilogue", "event", "figure", "floatingText", "front", "group", "head", "imprimatur",
    "item", "lg", "list", "listBibl", "listPerson", "listPlace", "opener", "p", "performance", "person", "place",
    "postscript", "prologue", "salute", "set", "signed", "sp", "speaker", "table", "text", "titlePage", "titlePart",
    "trailer", "u", "argumentum",
];

/// Elements that do so unless they are part of a sentence.
const BLOCKS_OUTSIDE_SENTENCES: [&str; 7] = ["bibl", "biblStruct", "desc", "label", "quote", "said", "stage"];

/// Elements with sentences.
const SENTENCES: [&str; 6] = ["p", "ab", "l", "head", "item", "cell"];

/// Elements that are skipped with their content.
const SKIPPED: [&str; 15] = [
    "del",
    "facsimile",
    "figDesc",
    "fsdDecl",
    "fw",
    "interpGrp",
    "joinGrp",
    "linkGrp",
    "metamark",
    "rdg",
    "rdgGrp",
    "sourceDoc",
    "spanGrp",
    "standOff",
    "surplus",
];

/// The alternatives in a `choice` that are not read.
const ORIGINALS: [&str; 3] = ["abbr", "orig", "sic"];

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    let mut header = Header::default();
    let mut flow = Text::default();
    // How deep elements are open: the header, the text, skipped elements, choices.
    let (mut in_header, mut in_text, mut skipped, mut choices) = (0_usize, 0_usize, 0_usize, 0_usize);
    walk(FORMAT, "", bytes, |node| {
        match node {
            Node::Open(name, element) => {
                let name = local(name);
                if in_header > 0 || name == "teiHeader" {
                    in_header += 1;
                    header.open(name);
                    if name == "language" {
                        header.about.language(&attribute(element, "ident").unwrap_or_default());
                    }
                    return Ok(());
                }
                let is_original = choices > 0 && ORIGINALS.contains(&name);
                if skipped > 0 || is_original || SKIPPED.contains(&name) {
                    skipped += 1;
                    return Ok(());
                }
                if matches!(name, "TEI" | "TEI.2" | "text") && header.tag.is_empty() {
                    header.tag = attribute(element, "lang").unwrap_or_default();
                }
                in_text += usize::from(name == "text");
                choices += usize::from(name == "choice");
                if in_text > 0 {
                    flow.open(name, |wanted| attribute(element, wanted));
                }
            }
            Node::Text(text) if in_header > 0 => header.text(text),
            Node::Text(text) if in_text > 0 && skipped == 0 => flow.text(text),
            Node::Text(_) => {}
            Node::Close(_) if in_header > 0 => {
                in_header -= 1;
                header.close();
            }
            Node::Close(_) if skipped > 0 => skipped -= 1,
            Node::Close(name) => {
                let name = local(name);
                if in_text > 0 {
                    flow.close(name);
                }
                in_text -= usize::from(name == "text" && in_text > 0);
                choices -= usize::from(name == "choice" && choices > 0);
            }
        }
        Ok(())
    })?;
    let mut paragraphs = flow.paragraphs;
    paragraphs.append(&mut flow.notes);
    let text = paragraphs.join("\n\n");
    if text.is_empty() {
        return Err(Unreadable::without_text(FORMAT));
    }
    if text.len() > limit {
        return Err(Unreadable::too_large(FORMAT, limit));
    }
    header.about.language(&header.tag);
    Ok(Content { text, about: header.about, ..Content::default() })
}

/// What the header says.
#[derive(Default)]
struct Header {
    /// The elements that are open, with the text in them.
    open: Vec<(String, String)>,
    about: About,
    /// The language that an element of the document states.
    tag: String,
}

impl Header {
    fn open(&mut self, name: &str) {
        self.open.push((name.to_owned(), String::new()));
    }

    fn text(&mut self, text: &str) {
        if let Some((_, own)) = self.open.last_mut() {
            own.push_str(text);
        }
    }

    fn close(&mut self) {
        let Some((name, text)) = self.open.pop() else { return };
        let in_statement = self.open.iter().any(|(name, _)| name == "titleStmt");
        match name.as_str() {
            "title" if in_statement => self.about.title(&text),
            "author" if in_statement => self.about.author(&text),
            // The parts of a name, or of a title with emphasis.
            _ => self.text(&text),
        }
    }
}

/// The text so far.
#[derive(Default)]
struct Text {
    paragraphs: Vec<String>,
    notes: Vec<String>,
    /// The paragraph that is open.
    current: String,
    /// White space at the beginning of the next text is dropped.
    glued: bool,
    /// How deep elements with sentences are open.
    sentences: usize,
    /// Whether the row that is open has a cell, for each table in a table.
    rows: Vec<bool>,
    /// What was open around the notes that are open.
    outside: Vec<(String, usize, Vec<bool>)>,
    /// Whether elements of words that are open are written together with the next one.
    joined: Vec<bool>,
}

impl Text {
    fn open(&mut self, name: &str, attribute: impl Fn(&str) -> Option<String>) {
        match name {
            "note" => {
                let around = (std::mem::take(&mut self.current), self.sentences, std::mem::take(&mut self.rows));
                self.sentences = 0;
                self.outside.push(around);
            }
            "row" => {
                self.end_line();
                self.rows.push(false);
            }
            "cell" => {
                if let Some(has_cells) = self.rows.last_mut()
                    && std::mem::replace(has_cells, true)
                {
                    self.trim();
                    self.current.push('\t');
                }
            }
            "l" => self.end_line(),
            "lb" | "pb" | "cb" => match attribute("break").as_deref() {
                Some("no") => {
                    self.trim();
                    self.glued = true;
                }
                _ => self.text(" "),
            },
            "w" | "pc" => {
                let join = attribute("join").unwrap_or_default();
                if matches!(join.as_str(), "left" | "both") {
                    self.trim();
                }
                self.joined.push(matches!(join.as_str(), "right" | "both"));
            }
            _ if self.is_block(name) => self.end_paragraph(),
            _ => {}
        }
        self.sentences += usize::from(SENTENCES.contains(&name));
    }

    fn close(&mut self, name: &str) {
        self.sentences -= usize::from(SENTENCES.contains(&name) && self.sentences > 0);
        match name {
            "note" => {
                self.rows.clear();
                self.end_paragraph();
                if let Some((current, sentences, rows)) = self.outside.pop() {
                    (self.current, self.sentences, self.rows) = (current, sentences, rows);
                }
            }
            "row" => {
                self.rows.pop();
                self.end_line();
            }
            "l" => self.end_line(),
            "w" | "pc" => self.glued |= self.joined.pop() == Some(true),
            _ if self.is_block(name) => self.end_paragraph(),
            _ => {}
        }
    }

    fn is_block(&self, name: &str) -> bool {
        BLOCKS.contains(&name) || (self.sentences == 0 && BLOCKS_OUTSIDE_SENTENCES.contains(&name))
    }

    /// Adds text; a run of white space becomes one space.
    fn text(&mut self, text: &str) {
        let mut spaced = self.glued || self.current.is_empty() || self.current.ends_with([' ', '\n', '\t']);
        for c in text.chars() {
            let space = matches!(c, ' ' | '\t' | '\n' | '\r');
            if !space {
                self.current.push(c);
                self.glued = false;
            } else if !spaced {
                self.current.push(' ');
            }
            spaced = space || (spaced && self.glued);
        }
    }

    fn trim(&mut self) {
        self.current.truncate(self.current.trim_end_matches(' ').len());
    }

    /// Ends a line of verse, or a row of a table.
    fn end_line(&mut self) {
        self.trim();
        if !self.current.is_empty() && !self.current.ends_with('\n') {
            self.current.push('\n');
        }
    }

    /// Ends a paragraph. Paragraphs in a cell are words in a row.
    fn end_paragraph(&mut self) {
        self.glued = false;
        if !self.rows.is_empty() {
            return self.text(" ");
        }
        let paragraph = self.current.trim();
        if !paragraph.is_empty() {
            let list = if self.outside.is_empty() { &mut self.paragraphs } else { &mut self.notes };
            list.push(paragraph.to_owned());
        }
        self.current.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str) -> String {
        let tei = format!("<TEI><text><body>{body}</body></text></TEI>");
        read(tei.as_bytes(), 1 << 20).expect("a document").text
    }

    #[test]
    fn the_header_states_title_author_and_language() {
        let tei = "<?xml version='1.0'?><TEI xmlns='http://www.tei-c.org/ns/1.0' xml:lang='de'><teiHeader><fileDesc><titleStmt>\
            <title>The <hi>lamp</hi></title><title type='sub'>A tale</title><author><persName><forename>Ida</forename> \
            <surname>Fennick</surname></persName></author><author>Tom</author></titleStmt><sourceDesc><bibl><title>No</title>\
            <author>Nobody</author></bibl></sourceDesc></fileDesc><profileDesc><langUsage><language ident='en-GB'/></langUsage>\
            </profileDesc></teiHeader><text><body><p>One.</p></body></text></TEI>";
        let content = read(tei.as_bytes(), 1 << 20).expect("a document");
        let about = About {
            title: Some("The lamp".into()),
            author: Some("Ida Fennick; Tom".into()),
            language: Some("en".into()),
        };
        assert_eq!((content.text.as_str(), content.about), ("One.", about));
    }

    #[test]
    fn paragraphs_verse_tables_and_notes_are_as_a_reader_sees_them() {
        let body = "<div><head>The\n  lamp</head><p>One <quote>and two</quote><note><p>A note.</p></note>,\n then <lb/>three.</p>\
            <quote>A quote.</quote><lg><l>First</l>\n<l>second <hi>line</hi></l></lg><list><item>a<list><item>b</item></list></item>\
            </list><table><row><cell>x</cell><cell><p>y</p><p>z</p></cell></row><row><cell/><cell>w</cell></row></table></div>";
        let expected = "The lamp\n\nOne and two, then three.\n\nA quote.\n\nFirst\nsecond line\n\na\n\nb\n\nx\ty z\n\tw\n\nA note.";
        assert_eq!(text(body), expected);
    }

    #[test]
    fn words_are_joined_where_the_file_says_so() {
        assert_eq!(text("<p>a light<lb break='no'/>\n house\n <lb/>there</p>"), "a lighthouse there");
        let words = "<s><w>The</w> <w join='right'>lamp</w>\n<pc>,</pc> <pc join='right'>(</pc> <w>lit</w> <pc join='left'>)</pc></s>";
        assert_eq!(text(&format!("<p>{words}</p>")), "The lamp, (lit)");
    }

    #[test]
    fn of_alternatives_one_is_read() {
        let body = "<p><choice><sic>lmap</sic><corr>lamp</corr></choice> <abbr>Dr</abbr> <app><lem>lit</lem><rdg>out</rdg></app>\
            <del> gone</del><fw>12</fw></p>";
        assert_eq!(text(body), "lamp Dr lit");
    }

    #[test]
    fn damage_is_named_with_its_place() {
        let why = read(b"<TEI><text><p>One</text></TEI>", 1 << 20).expect_err("damaged");
        assert!(why.error.starts_with("damaged TEI file: byte "), "{why:?}");
        assert!(read(b"<TEI><text/></TEI>", 100).expect_err("empty").is_without_text);
        assert!(read(b"<TEI><text><p>One.</p></text></TEI>", 3).is_err());
    }
}
