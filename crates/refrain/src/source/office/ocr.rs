//! ALTO and hOCR: text that a program recognised in images of pages, in lines and paragraphs.

use super::xml::{Node, attribute, local, walk, walk_html};
use super::{About, Content, Unreadable};

/// Reads ALTO. Words that are divided at the end of a line are joined where the file marks them.
pub(crate) fn alto(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    const FORMAT: &str = "ALTO";
    let mut about = About::default();
    let mut scan = Scan::default();
    let mut line = AltoLine::default();
    walk(FORMAT, "", bytes, |node| {
        match node {
            Node::Open(name, element) => match local(name) {
                "Page" => scan.begin_page(),
                "TextBlock" => {
                    about.language(
                        &attribute(element, "LANG").or_else(|| attribute(element, "language")).unwrap_or_default(),
                    );
                    scan.end_paragraph();
                }
                "String" => {
                    let content = attribute(element, "CONTENT").unwrap_or_default();
                    match attribute(element, "SUBS_TYPE").as_deref() {
                        Some("HypPart1") => match attribute(element, "SUBS_CONTENT") {
                            Some(whole) => {
                                line.word(&whole);
                                line.is_divided = true;
                            }
                            None => line.word(&content),
                        },
                        Some("HypPart2") if line.is_divided => line.is_divided = false,
                        _ => {
                            line.is_divided = false;
                            line.word(&content);
                        }
                    }
                }
                "SP" => line.space(),
                "HYP" if !line.is_divided => line.hyphen = attribute(element, "CONTENT").or(Some("-".into())),
                _ => {}
            },
            Node::Close(name) => match local(name) {
                "TextLine" => {
                    let (text, hyphen) = line.end();
                    scan.line(&text, hyphen);
                }
                "TextBlock" => scan.end_paragraph(),
                _ => {}
            },
            Node::Text(_) => {}
        }
        Ok(())
    })?;
    scan.finish(FORMAT, about, limit)
}

/// A line of ALTO that is being read.
#[derive(Default)]
struct AltoLine {
    /// Words, and the spaces between them. Lines without spaces between words have words apart all the same.
    words: Vec<String>,
    has_spaces: bool,
    hyphen: Option<String>,
    /// The second part of the last word comes at the beginning of the next line.
    is_divided: bool,
}

impl AltoLine {
    fn word(&mut self, content: &str) {
        self.words.push(content.to_owned());
    }

    fn space(&mut self) {
        self.has_spaces = true;
        self.words.push(" ".to_owned());
    }

    fn end(&mut self) -> (String, Option<String>) {
        let words = std::mem::take(&mut self.words);
        let text = words.join(if std::mem::take(&mut self.has_spaces) { "" } else { " " });
        (text, self.hyphen.take())
    }
}

/// HTML elements without an end.
const VOID: [&str; 7] = ["area", "br", "hr", "img", "input", "link", "meta"];

/// Where hOCR puts a border.
#[derive(Clone, Copy, PartialEq)]
enum Border {
    None,
    Line,
    Paragraph,
    Page,
}

impl Border {
    fn of(class: &str) -> Border {
        let borders = class.split_ascii_whitespace().map(|class| match class {
            "ocr_page" => Border::Page,
            "ocr_par" | "ocr_carea" | "ocrx_block" | "ocr_column" | "ocr_section" | "ocr_chapter" => Border::Paragraph,
            "ocr_line" | "ocrx_line" | "ocr_header" | "ocr_footer" | "ocr_caption" | "ocr_textfloat" => Border::Line,
            _ => Border::None,
        });
        borders.rev().find(|border| *border != Border::None).unwrap_or(Border::None)
    }
}

/// Reads hOCR. Words are joined at a soft hyphen at the end of a line: any other hyphen may belong to the word.
pub(crate) fn hocr(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    const FORMAT: &str = "hOCR";
    let mut about = About::default();
    let mut scan = Scan::default();
    let (mut open, mut pages): (Vec<(String, Border)>, usize) = (Vec::new(), 0);
    let mut line = String::new();
    let mut title = None;
    walk_html(FORMAT, bytes, |node| {
        match node {
            Node::Open(name, element) => {
                let border = Border::of(&attribute(element, "class").unwrap_or_default());
                if let Some(tag) = attribute(element, "lang") {
                    about.language(&tag);
                }
                end_line(&mut scan, &mut line, border);
                if border == Border::Page {
                    scan.begin_page();
                    pages += 1;
                }
                if name == "title" && pages == 0 {
                    title = Some(String::new());
                }
                if !VOID.contains(&name) {
                    open.push((name.to_owned(), border));
                }
            }
            Node::Text(text) if pages > 0 => line.push_str(text),
            Node::Text(text) => title.iter_mut().for_each(|title| title.push_str(text)),
            Node::Close(name) => {
                if name == "title"
                    && let Some(title) = title.take()
                {
                    about.title(&title);
                }
                // Elements that were not ended end here, too.
                let Some(at) = open.iter().rposition(|(open, _)| open == name) else { return Ok(()) };
                for (_, border) in open.drain(at..).rev() {
                    end_line(&mut scan, &mut line, border);
                    pages -= usize::from(border == Border::Page && pages > 0);
                }
            }
        }
        Ok(())
    })?;
    end_line(&mut scan, &mut line, Border::Page);
    scan.finish(FORMAT, about, limit)
}

/// Ends the line, and the paragraph, if there is such a border.
fn end_line(scan: &mut Scan, line: &mut String, border: Border) {
    if border == Border::None {
        return;
    }
    let text = std::mem::take(line);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.strip_suffix('\u{ad}') {
        Some(first) => scan.line(first, Some(String::new())),
        None => scan.line(&text, None),
    }
    if border != Border::Line {
        scan.end_paragraph();
    }
}

/// The text so far.
#[derive(Default)]
struct Scan {
    paragraphs: Vec<String>,
    /// The number of paragraphs before each page.
    pages: Vec<usize>,
    /// The paragraph that is open.
    current: String,
    /// What ended the last line in the middle of a word.
    hyphen: Option<String>,
}

impl Scan {
    fn begin_page(&mut self) {
        self.end_paragraph();
        self.pages.push(self.paragraphs.len());
    }

    /// Adds a line; a hyphen says that its last word continues on the next one.
    fn line(&mut self, text: &str, hyphen: Option<String>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let (end_of_word, rest) = match self.hyphen.take() {
            Some(_) => text.split_once(' ').unwrap_or((text, "")),
            None => ("", text),
        };
        self.current.push_str(end_of_word);
        if !rest.is_empty() {
            if !self.current.is_empty() {
                self.current.push('\n');
            }
            self.current.push_str(rest);
        }
        self.hyphen = hyphen;
    }

    fn end_paragraph(&mut self) {
        // The other part of the word is in another paragraph.
        let hyphen = self.hyphen.take().unwrap_or_default();
        let paragraph = std::mem::take(&mut self.current) + &hyphen;
        if !paragraph.is_empty() {
            self.paragraphs.push(paragraph);
        }
    }

    fn finish(mut self, format: &'static str, about: About, limit: usize) -> Result<Content, Unreadable> {
        self.end_paragraph();
        let mut starts = Vec::with_capacity(self.paragraphs.len());
        let mut at = 0;
        for paragraph in &self.paragraphs {
            starts.push(at);
            at += paragraph.chars().count() + 2;
        }
        let end = at.saturating_sub(2);
        let pages = self.pages.iter().map(|&first| starts.get(first).copied().unwrap_or(end)).collect();
        let text = self.paragraphs.join("\n\n");
        if text.is_empty() {
            return Err(Unreadable::without_text(format));
        }
        if text.len() > limit {
            Err(Unreadable::too_large(format, limit))
        } else {
            Ok(Content { text, about, pages, ..Content::default() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: &str) -> String {
        format!("<Page><PrintSpace><TextBlock>{lines}</TextBlock></PrintSpace></Page>")
    }

    fn read_alto(pages: &str) -> Content {
        alto(format!("<alto><Layout>{pages}</Layout></alto>").as_bytes(), 1 << 20).expect("a document")
    }

    #[test]
    fn divided_words_of_alto_are_joined_where_the_file_says_so() {
        let substituted = "<TextLine><String CONTENT='a'/><SP/><String CONTENT='light' SUBS_TYPE='HypPart1' \
            SUBS_CONTENT='lighthouse'/><HYP CONTENT='-'/></TextLine><TextLine><String CONTENT='house' SUBS_TYPE='HypPart2' \
            SUBS_CONTENT='lighthouse'/><SP/><String CONTENT='stood'/></TextLine>";
        assert_eq!(read_alto(&page(substituted)).text, "a lighthouse\nstood");
        let marked = "<TextLine><String CONTENT='light'/><HYP/></TextLine><TextLine><String CONTENT='house'/><SP/>\
            <String CONTENT='stood'/></TextLine><TextLine><String CONTENT='well-'/></TextLine><TextLine>\
            <String CONTENT='known'/></TextLine><TextLine><String CONTENT='end'/><HYP CONTENT='¬'/></TextLine>";
        assert_eq!(read_alto(&page(marked)).text, "lighthouse\nstood\nwell-\nknown\nend¬");
    }

    #[test]
    fn words_of_alto_are_apart_unless_the_line_has_spaces() {
        let apart = "<TextLine><String CONTENT='one'/><String CONTENT='two'/></TextLine>";
        let spaced = "<TextLine><String CONTENT='(one'/><String CONTENT=')'/><SP/><String CONTENT='two'/></TextLine>";
        assert_eq!(read_alto(&page(&format!("{apart}{spaced}"))).text, "one two\n(one) two");
    }

    #[test]
    fn pages_begin_with_their_first_paragraph() {
        let line = "<TextLine><String CONTENT='é'/></TextLine>";
        let pages = [page(line), page(""), page(line), page("")].concat();
        let found = read_alto(&pages);
        assert_eq!((found.text.as_str(), found.pages), ("é\n\né", vec![0, 3, 3, 4]));
    }

    #[test]
    fn hocr_has_lines_paragraphs_and_pages() {
        let html = "<!DOCTYPE html><html lang='de'><head><title>The log</title><meta name='ocr-system' content='x'></head><body>\
            <div class='ocr_page'><div class='ocr_carea'><p class='ocr_par'><span class='ocr_line'><span class='ocrx_word'>A\
            </span> <span class='ocrx_word'>light&shy;</span></span><span class='ocr_line'>house &amp; a\nboat</span></p>\
            <p class='ocr_par'><span class='ocr_line'>well-</span> <span class='ocr_line'>known<br></span></p></div></div>\
            <div class='ocr_page'><span class='ocr_line'>Next &eacute;.</div></body></html>";
        let found = hocr(html.as_bytes(), 1 << 20).expect("a document");
        assert_eq!(found.text, "A lighthouse\n& a boat\n\nwell-\nknown\n\nNext é.");
        assert_eq!(found.pages, [0, 36]);
        assert_eq!((found.about.title.as_deref(), found.about.language.as_deref()), (Some("The log"), Some("de")));
    }

    #[test]
    fn damage_and_limits_are_reported() {
        assert!(alto(b"<alto><Page></alto>", 100).is_err_and(|why| why.error.starts_with("damaged ALTO file: byte ")));
        assert!(alto(b"<alto/>", 100).is_err_and(|why| why.is_without_text));
        assert!(hocr(b"<div class='ocr_page'>abc</div>", 2).is_err());
    }
}
