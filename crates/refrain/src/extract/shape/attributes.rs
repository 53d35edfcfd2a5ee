//! Attributes of cells and code that the outline of a page does not store: how many rows and columns a cell spans, and
//! the programming language of code.
//!
//! Few pages are written as Markdown or TEI, and few of those have tables or code. Those pages are tokenised again
//! here, and their tags are matched with the elements of the outline by order.

use std::collections::HashMap;

use super::super::segment::ParsedPage;
use super::super::tags::{Attribute, Tag};
use super::super::tokens::{TokenSink, tokenise};
use crate::document::Span;

/// How many rows and columns a cell spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

impl Reach {
    /// A cell without such attributes.
    pub(crate) const ONE: Reach = Reach { rows: 1, columns: 1 };
}

/// The known attributes of elements, by their index in the outline.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    reaches: HashMap<u32, Reach>,
    languages: HashMap<u32, String>,
}

impl Attributes {
    /// Reads the attributes of cells and code. If the tags do not match the outline, the result is empty.
    pub(super) fn of(html: &str, page: &ParsedPage) -> Attributes {
        let elements = page.outline.elements.iter().map(|element| element.tag).zip(0..);
        let wanted: Vec<(Tag, u32)> = elements.filter(|(tag, _)| is_wanted(*tag)).collect();
        if html.is_empty() || wanted.is_empty() {
            return Attributes::default();
        }
        let mut reader = Reader {
            html,
            wanted: &wanted,
            found: Attributes::default(),
            seen: 0,
            fits: true,
            silent: None,
            code: None,
            announced: None,
        };
        tokenise(html, &mut Vec::new(), &mut reader);
        if reader.fits && reader.seen == wanted.len() { reader.found } else { Attributes::default() }
    }

    /// The span of a cell.
    pub(super) fn reach(&self, cell: u32) -> Reach {
        self.reaches.get(&cell).copied().unwrap_or(Reach::ONE)
    }

    /// The language of code.
    pub(super) fn language(&self, code: u32) -> Option<&str> {
        self.languages.get(&code).map(String::as_str)
    }
}

fn is_wanted(tag: Tag) -> bool {
    matches!(tag, Tag::Td | Tag::Th | Tag::Pre)
}

/// Walks the tags of a page alongside its outline.
struct Reader<'a> {
    html: &'a str,
    /// The elements whose attributes are needed, in the order of their start tags.
    wanted: &'a [(Tag, u32)],
    found: Attributes,
    /// How many of them were seen.
    seen: usize,
    /// True while all tags match the outline.
    fits: bool,
    /// The open element without text, and how many of its name are open.
    silent: Option<(Tag, u32)>,
    /// The preformatted element that is open.
    code: Option<u32>,
    /// The language that a box states for the code at its start.
    announced: Option<String>,
}

impl TokenSink for Reader<'_> {
    fn start(&mut self, tag: Tag, attributes: &[(Attribute, Span)], self_closing: bool, _: Span) {
        if self.is_silent(tag, self_closing) {
            return;
        }
        match tag {
            Tag::Td | Tag::Th | Tag::Pre => self.element(tag, attributes),
            Tag::Code => {
                let language = language(self.html, attributes, false);
                match self.code {
                    Some(code) => self.name(code, language),
                    None => self.announced = language,
                }
            }
            Tag::Div | Tag::Figure if self.code.is_none() => {
                self.announced = language(self.html, attributes, true).or(self.announced.take());
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: Tag, _: Span) {
        if let Some((silent, depth)) = &mut self.silent {
            if *silent == tag {
                *depth -= 1;
                if *depth == 0 {
                    self.silent = None;
                }
            }
            return;
        }
        self.announced = None;
        if tag == Tag::Pre {
            self.code = None;
        }
    }

    fn text(&mut self, span: Span) {
        if self.announced.is_some() && !span.of(self.html).trim().is_empty() {
            self.announced = None;
        }
    }

    fn raw(&mut self, _: Tag, _: Span) {}

    fn in_foreign(&self) -> bool {
        self.silent.is_some_and(|(tag, _)| tag.is(Tag::FOREIGN))
    }
}

impl Reader<'_> {
    /// True for tags that create no element, by the rules of `segment`: hidden content has no elements.
    fn is_silent(&mut self, tag: Tag, self_closing: bool) -> bool {
        if let Some((silent, depth)) = &mut self.silent {
            *depth += u32::from(*silent == tag && !self_closing);
            if !(silent.is(Tag::FOREIGN) && tag.is(Tag::BREAKS) && tag.is(Tag::TRACKED)) {
                return true;
            }
            self.silent = None;
        }
        if tag.is(Tag::SILENT) && !(self_closing && tag.is(Tag::FOREIGN)) {
            self.silent = Some((tag, 1));
        }
        tag.is(Tag::SILENT)
    }

    /// Reads the attributes of the next wanted element.
    fn element(&mut self, tag: Tag, attributes: &[(Attribute, Span)]) {
        let Some(&(expected, element)) = self.wanted.get(self.seen) else {
            self.fits = false;
            return;
        };
        self.seen += 1;
        self.fits &= expected == tag;
        if tag == Tag::Pre {
            self.code = Some(element);
            let language = language(self.html, attributes, false).or(self.announced.take());
            self.name(element, language);
            return;
        }
        let reach = reach(self.html, attributes);
        if reach != Reach::ONE {
            self.found.reaches.insert(element, reach);
        }
    }

    /// Records the language of code, unless one was stated before.
    fn name(&mut self, code: u32, language: Option<String>) {
        if let Some(language) = language {
            self.found.languages.entry(code).or_insert(language);
        }
    }
}

/// The span of a cell, within the limits of the standard. `rowspan=0` means all remaining rows of its section.
fn reach(html: &str, attributes: &[(Attribute, Span)]) -> Reach {
    const MOST_ROWS: u32 = 65_534;
    const MOST_COLUMNS: u32 = 1000;
    let number = |wanted: Attribute| {
        let value = attributes.iter().find(|(attribute, _)| *attribute == wanted)?.1.of(html).trim_start();
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        // Numbers that overflow are larger than any limit.
        (digits > 0).then(|| value[..digits].parse::<u32>().unwrap_or(u32::MAX))
    };
    let rows = match number(Attribute::RowSpan) {
        None => 1,
        Some(0) => u32::MAX,
        Some(rows) => rows.min(MOST_ROWS),
    };
    let columns = match number(Attribute::ColSpan) {
        None | Some(0) => 1,
        Some(columns) => columns.min(MOST_COLUMNS),
    };
    Reach { rows, columns }
}

/// The language that an element states for its code. Boxes around code must say that they contain code.
fn language(html: &str, attributes: &[(Attribute, Span)], is_box: bool) -> Option<String> {
    let value = |wanted: Attribute| attributes.iter().find(|(attribute, _)| *attribute == wanted);
    let class = value(Attribute::Class).map_or("", |(_, class)| class.of(html));
    let about_code = class.contains("highlight") || class.contains("code");
    let stated = value(Attribute::DataLang).map(|(_, language)| language.of(html).trim());
    let stated = stated.filter(|_| !is_box || about_code);
    stated.and_then(plain_word).or_else(|| {
        let names = || class.split_ascii_whitespace();
        let prefixed = |prefix: &str| names().find_map(|name| plain_word(name.strip_prefix(prefix)?));
        let brush = || plain_word(class.split_once("brush:")?.1.trim_start().split([';', ' ']).next()?);
        let by_name = || prefixed("language-").or_else(|| prefixed("lang-")).filter(|_| !is_box || about_code);
        // The class of boxes in the documentation of Python programs.
        let by_box = || prefixed("highlight-").filter(|_| is_box && names().any(|name| name == "notranslate"));
        prefixed("highlight-source-").or_else(by_name).or_else(by_box).or_else(brush)
    })
}

/// The name of a language in lower case, if it is a single meaningful word.
fn plain_word(name: &str) -> Option<String> {
    const LONGEST: usize = 24;
    const SAY_NOTHING: [&str; 6] = ["none", "auto", "default", "undefined", "null", "unknown"];
    let name = name.to_ascii_lowercase();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.');
    let is_word = name.len() <= LONGEST && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    (is_word && name.bytes().all(plain) && !SAY_NOTHING.contains(&name.as_str())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::super::segment;
    use super::*;

    fn language_of(html: &str) -> Option<String> {
        let page = segment(html);
        let code = page.outline.elements.iter().position(|element| element.tag == Tag::Pre).expect("code");
        Attributes::of(html, &page).language(code as u32).map(str::to_owned)
    }

    fn reach_of(attributes: &str) -> (u32, u32) {
        let html = format!("<table><tr><td {attributes}>a</table>");
        let page = segment(&html);
        let cell = page.outline.elements.iter().position(|element| element.tag == Tag::Td).expect("a cell");
        let Reach { rows, columns } = Attributes::of(&html, &page).reach(cell as u32);
        (rows, columns)
    }

    #[test]
    fn languages_are_stated_in_many_ways() {
        for (html, language) in [
            ("<pre class='language-python x'>a", "python"),
            ("<pre><code class='hljs lang-py'>a", "py"),
            ("<div class='highlight highlight-source-rust'><pre>a", "rust"),
            ("<div class='language-c++ highlighter-rouge'><div class=highlight><pre><code>a", "c++"),
            ("<div class='highlight-python3 notranslate'><div class=highlight><pre><span></span>a", "python3"),
            ("<pre class='brush: java; gutter: false'>a", "java"),
            ("<pre data-lang=Go>a", "go"),
            ("<pre><code data-language='c#'>a", "c#"),
            ("<svg><pre class=lang-sql>a", "sql"),
        ] {
            assert_eq!(language_of(html).as_deref(), Some(language), "{html}");
        }
    }

    #[test]
    fn what_is_no_plain_word_is_no_language() {
        for html in [
            "<pre>a",
            "<pre class=language-none>a",
            "<pre class='language-`x'>a",
            "<pre class='language-é'>a",
            "<pre class=language->a",
            "<pre class='language-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>a",
            "<pre data-lang='two words'>a",
            "<div class=lang-en><pre>a",
            "<div class='highlight language-js'>text<pre>a",
            "<div class='highlight language-js'></div><pre>a",
        ] {
            assert_eq!(language_of(html), None, "{html}");
        }
    }

    #[test]
    fn reaches_have_the_bounds_of_browsers() {
        assert_eq!(reach_of(""), (1, 1));
        assert_eq!(reach_of("rowspan=2 colspan=' 3x'"), (2, 3));
        assert_eq!(reach_of("rowspan=0 colspan=0"), (u32::MAX, 1));
        assert_eq!(reach_of("rowspan=99999999999 colspan=99999999999"), (65_534, 1000));
        assert_eq!(reach_of("rowspan=-1 colspan=x"), (1, 1));
    }

    #[test]
    fn cells_that_are_not_shown_are_skipped() {
        let html = "<object><table><tr><td colspan=2>x</table></object><table><tr><td colspan=3>a</table>";
        let page = segment(html);
        let cell = page.outline.elements.iter().position(|element| element.tag == Tag::Td).expect("a cell");
        assert_eq!(Attributes::of(html, &page).reach(cell as u32).columns, 3);
        // A different page from the one that the outline describes.
        assert_eq!(Attributes::of("<td colspan=2>a<td>", &page).reach(cell as u32).columns, 1);
    }
}
