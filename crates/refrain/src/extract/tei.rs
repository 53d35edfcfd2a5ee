//! Writes the kept part of a page as a TEI P5 document.
//!
//! Headings open divisions, which nest by level; lists, quotations, tables and code become the matching TEI elements.
//! The output is always well-formed and follows the content models of TEI.

use std::fmt::Write;

use super::metadata::Metadata;
use super::segment::ParsedPage;
use super::shape::{Cell, Container, Kind, LinkCount, Numbers, Piece, Shape, Style, What, percent, target};

/// The start of an XML file. [`tei`] returns elements without it, so that one file can hold many.
pub(crate) const XML_DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// Writes the blocks that `keep` selects as one `<TEI>` element, without an XML declaration. `page` must be the result
/// of [`segment`](super::segment) for `html`; `id` is the name of the document.
///
/// ```
/// use refrain::extract::{segment, tei, Metadata};
///
/// let html = "<h1>Fog</h1><p>One &amp; <b>two</b>";
/// let page = segment(html);
/// let text = tei(html, &page, &Metadata::of(html, &page, None), "fog", &|_| true);
/// assert!(text.contains("<div><head>Fog</head>\n<p>One &amp; <hi rend=\"bold\">two</hi></p>\n</div>"));
/// ```
pub fn tei(html: &str, page: &ParsedPage, metadata: &Metadata, id: &str, keep: &dyn Fn(usize) -> bool) -> String {
    let mut out = String::with_capacity(page.text.len() + 1000);
    out.push_str("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n");
    let source = Source::of(html, page);
    header(source, metadata, id, &mut out);
    out.push_str("<text>\n<body>\n");
    let shape = Shape::of(html, page, keep, true);
    let links = LinkCount::default();
    let mut writer = Writer { html, shape: &shape, out, open: Vec::new(), divisions: Vec::new(), links };
    for piece in &shape.pieces {
        writer.piece(piece);
    }
    if shape.pieces.is_empty() {
        // A body must not be empty.
        writer.out.push_str("<p/>\n");
    }
    writer.finish()
}

/// The source of a document.
#[derive(Debug, Clone, Copy)]
enum Source {
    WebPage,
    PlainText,
}

impl Source {
    /// Plain text, if the page has text that does not come from HTML.
    fn of(html: &str, page: &ParsedPage) -> Source {
        if html.is_empty() && !page.blocks.is_empty() { Source::PlainText } else { Source::WebPage }
    }

    fn name(self) -> &'static str {
        match self {
            Source::WebPage => "a web page",
            Source::PlainText => "plain text",
        }
    }
}

/// The metadata of the document, in the order that TEI requires.
fn header(source: Source, metadata: &Metadata, id: &str, out: &mut String) {
    let element = |name: &str, value: Option<&String>, out: &mut String| {
        if let Some(value) = value {
            let _ = write!(out, "<{name}>");
            escape(value, out);
            let _ = write!(out, "</{name}>");
        }
    };
    out.push_str("<teiHeader>\n<fileDesc>\n<titleStmt>");
    // A title is required; a document without one uses its name.
    let name = id.to_owned();
    let title = metadata.title.as_ref().unwrap_or(&name);
    element("title", Some(title), out);
    element("author", metadata.author.as_ref(), out);
    let source = source.name();
    let _ =
        write!(out, "</titleStmt>\n<publicationStmt><p>Made from {source}.</p></publicationStmt>\n<sourceDesc><bibl>");
    element("title", metadata.title.as_ref(), out);
    element("author", metadata.author.as_ref(), out);
    element("publisher", metadata.site.as_ref(), out);
    if let Some(date) = &metadata.date {
        out.push_str("<date when=\"");
        escape(date, out);
        out.push_str("\">");
        escape(date, out);
        out.push_str("</date>");
    }
    let address = metadata.canonical.as_deref().or_else(|| Some(id).filter(|id| is_address(id)));
    if let Some(address) = address {
        out.push_str("<ptr target=\"");
        pointer(address, out);
        out.push_str("\"/>");
    }
    element("idno", Some(&name), out);
    out.push_str("</bibl></sourceDesc>\n</fileDesc>\n");
    profile(metadata, out);
    out.push_str("</teiHeader>\n");
}

/// The description and the language of the text.
fn profile(metadata: &Metadata, out: &mut String) {
    let tag = |code: &&String| !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let language = metadata.language.as_ref().filter(tag);
    if language.is_none() && metadata.description.is_none() {
        return;
    }
    out.push_str("<profileDesc>\n");
    if let Some(description) = &metadata.description {
        out.push_str("<abstract><p>");
        escape(description, out);
        out.push_str("</p></abstract>\n");
    }
    if let Some(language) = language {
        let _ = writeln!(out, "<langUsage><language ident=\"{language}\">{language}</language></langUsage>");
    }
    out.push_str("</profileDesc>\n");
}

fn is_address(id: &str) -> bool {
    id.starts_with("http://") || id.starts_with("https://")
}

/// An element that is open.
#[derive(Debug, Clone, Copy)]
struct Level {
    element: u32,
    container: Container,
}

struct Writer<'a> {
    html: &'a str,
    shape: &'a Shape<'a>,
    out: String,
    /// The containers of the last piece.
    open: Vec<Level>,
    /// The levels of the headings whose divisions are open.
    divisions: Vec<u8>,
    links: LinkCount,
}

impl Writer<'_> {
    fn piece(&mut self, piece: &Piece) {
        let top = self.enter(piece.container);
        match &piece.what {
            What::Heading(level, block) if top => {
                while self.divisions.pop_if(|open| *open >= *level).is_some() {
                    self.out.push_str("</div>\n");
                }
                self.divisions.push(*level);
                self.out.push_str("<div><head>");
                self.inline(*block);
                self.out.push_str("</head>\n");
            }
            // Only divisions have headings in TEI.
            What::Heading(level, block) => {
                let _ = write!(self.out, "<p rend=\"h{level}\">");
                self.inline(*block);
                self.out.push_str("</p>\n");
            }
            What::Paragraph(block) => {
                self.out.push_str("<p>");
                self.inline(*block);
                self.out.push_str("</p>\n");
            }
            What::Code(blocks) => {
                self.out.push_str("<ab type=\"code\" xml:space=\"preserve\">");
                let language = self.shape.language(blocks);
                if let Some(language) = language {
                    self.out.push_str("<code lang=\"");
                    escape(language, &mut self.out);
                    self.out.push_str("\">");
                }
                escape(&self.shape.code(blocks), &mut self.out);
                self.out.push_str(if language.is_some() { "</code></ab>\n" } else { "</ab>\n" });
            }
            What::Table(rows) => self.table(rows),
        }
    }

    fn table(&mut self, rows: &[Vec<Cell>]) {
        self.out.push_str("<table>\n");
        for cells in rows {
            self.out.push_str("<row>");
            for cell in cells {
                self.cell(*cell);
            }
            self.out.push_str("</row>\n");
        }
        self.out.push_str("</table>\n");
    }

    fn cell(&mut self, cell: Cell) {
        match cell {
            // The cell that spans it says so.
            Cell::Covered => {}
            Cell::Empty => self.out.push_str("<cell></cell>"),
            Cell::Block(block, reach) => {
                self.out.push_str(if self.shape.is_header(block) { "<cell role=\"label\"" } else { "<cell" });
                for (name, places) in [("rows", reach.rows), ("cols", reach.columns)] {
                    if places > 1 {
                        let _ = write!(self.out, " {name}=\"{places}\"");
                    }
                }
                self.out.push('>');
                self.inline(block);
                self.out.push_str("</cell>");
            }
        }
    }

    /// Closes and opens containers. True if none is open afterwards.
    fn enter(&mut self, container: u32) -> bool {
        let chain = self.shape.chain(container);
        let common = self.open.iter().zip(&chain).take_while(|(level, element)| level.element == **element).count();
        let mut numbers = Numbers::default();
        let next = chain.get(common).map(|&element| self.shape.container(element, &mut numbers));
        // The next item of a list continues the list.
        let same_list = match (self.open.get(common).map(|level| level.container), next) {
            (Some(Container::Item { list: a, .. }), Some(Container::Item { list: b, .. })) => a == b,
            _ => false,
        };
        self.leave(common, same_list);
        for (i, &element) in chain.iter().enumerate().skip(common) {
            let container = self.shape.container(element, &mut numbers);
            match container {
                Container::Quote => self.out.push_str("<quote>\n"),
                Container::Item { .. } if i == common && same_list => self.out.push_str("<item>"),
                Container::Item { ordered, .. } => {
                    let rend = if ordered { "numbered" } else { "bulleted" };
                    let _ = write!(self.out, "<list rend=\"{rend}\">\n<item>");
                }
            }
            self.open.push(Level { element, container });
        }
        self.open.is_empty()
    }

    /// Closes containers until `left` remain; the list of the last one may stay open.
    fn leave(&mut self, left: usize, list_stays: bool) {
        while self.open.len() > left {
            let Some(level) = self.open.pop() else { return };
            match level.container {
                Container::Quote => self.out.push_str("</quote>\n"),
                Container::Item { .. } if list_stays && self.open.len() == left => self.out.push_str("</item>\n"),
                Container::Item { .. } => self.out.push_str("</item>\n</list>\n"),
            }
        }
    }

    /// The text of a block with its links and emphasis.
    fn inline(&mut self, block: usize) {
        let mut stack: Vec<Style> = Vec::new();
        let (html, out, links) = (self.html, &mut self.out, &mut self.links);
        let mut first = true;
        self.shape.runs(block, &mut |text, open| {
            let wanted = open.iter().filter(|style| style.kind != Kind::Link || links.allows(html, style.href, first));
            let wanted: Vec<Style> = wanted.copied().collect();
            let common = stack.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            close(&mut stack, common, out);
            for style in &wanted[common..] {
                begin(html, style, out);
                stack.push(*style);
            }
            escape(text, out);
            first = false;
        });
        close(&mut stack, 0, out);
    }

    fn finish(mut self) -> String {
        self.leave(0, false);
        for _ in 0..self.divisions.len() {
            self.out.push_str("</div>\n");
        }
        self.out.push_str("</body>\n</text>\n</TEI>\n");
        self.out
    }
}

fn begin(html: &str, style: &Style, out: &mut String) {
    match style.kind {
        Kind::Link => {
            out.push_str("<ref target=\"");
            pointer(&target(html, style.href).unwrap_or_default(), out);
            out.push_str("\">");
        }
        Kind::Strong => out.push_str("<hi rend=\"bold\">"),
        Kind::Emphasis => out.push_str("<hi rend=\"italic\">"),
        Kind::Code => out.push_str("<code>"),
    }
}

/// Closes everything that is open beyond a depth.
fn close(stack: &mut Vec<Style>, depth: usize, out: &mut String) {
    for style in stack.drain(depth..).rev() {
        out.push_str(match style.kind {
            Kind::Link => "</ref>",
            Kind::Strong | Kind::Emphasis => "</hi>",
            Kind::Code => "</code>",
        });
    }
}

/// Text for XML. Characters that XML cannot hold become U+FFFD.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(c),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            // Readers of XML 1.1 turn some of these into line ends.
            '\x7f'..='\u{9f}' => drop(write!(out, "&#{};", u32::from(c))),
            _ => out.push(c),
        }
    }
}

/// An address for an attribute: characters not allowed in addresses are percent-encoded.
fn pointer(address: &str, out: &mut String) {
    // The fragment sign may occur once.
    let mut fragment = false;
    for c in address.chars() {
        let again = c == '#' && std::mem::replace(&mut fragment, true);
        match c {
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            _ if again || c.is_whitespace() || c.is_control() => percent(c, out),
            '<' | '>' | '"' | '\\' | '^' | '`' | '{' | '|' | '}' | '\u{fffe}' | '\u{ffff}' => percent(c, out),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::segment;
    use super::*;

    fn body(html: &str) -> String {
        let page = segment(html);
        let text = tei(html, &page, &Metadata::default(), "d", &|_| true);
        let text = text.split("<body>\n").nth(1).expect("a body").to_owned();
        text.split("</body>").next().expect("its end").replace('\n', "")
    }

    /// The text of the body as an XML parser sees it, without white space.
    fn read(tei: &str) -> String {
        let document = roxmltree::Document::parse(tei).unwrap_or_else(|error| panic!("{error}: {tei}"));
        let body = document.descendants().find(|node| node.has_tag_name("body")).expect("a body");
        let text: String = body.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect();
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }

    #[test]
    fn headings_open_divisions() {
        assert_eq!(
            body("a<h1>b</h1>c<h3>d</h3>e<h2>f</h2>g"),
            "<p>a</p><div><head>b</head><p>c</p><div><head>d</head><p>e</p></div><div><head>f</head><p>g</p></div></div>"
        );
        assert_eq!(body(""), "<p/>");
    }

    #[test]
    fn lists_quotations_code_and_tables() {
        assert_eq!(
            body("<ul><li>a<ol><li>b</ol><li>c<h2>d</h2></ul><ol><li>e</ol>"),
            "<list rend=\"bulleted\"><item><p>a</p><list rend=\"numbered\"><item><p>b</p></item></list></item>\
             <item><p>c</p><p rend=\"h2\">d</p></item></list><list rend=\"numbered\"><item><p>e</p></item></list>"
        );
        assert_eq!(
            body("<blockquote>a<blockquote>b</blockquote></blockquote><pre>c &lt;\nd</pre>"),
            "<quote><p>a</p><quote><p>b</p></quote></quote><ab type=\"code\" xml:space=\"preserve\">c &lt;d</ab>"
        );
        assert_eq!(
            body("<table><tr><th>a<th>b<tr><td><td>c</table>"),
            "<table><row><cell role=\"label\">a</cell><cell role=\"label\">b</cell></row><row><cell></cell><cell>c</cell></row></table>"
        );
    }

    #[test]
    fn cells_say_how_far_they_go() {
        assert_eq!(
            body(
                "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td rowspan=0>f<td>g<tr><td>h<td>i</table>"
            ),
            "<table><row><cell role=\"label\" rows=\"2\">a</cell><cell role=\"label\" cols=\"2\">b</cell></row>\
             <row><cell>c</cell><cell>d</cell></row>\
             <row><cell>e</cell><cell rows=\"2\">f</cell><cell>g</cell></row>\
             <row><cell>h</cell><cell>i</cell></row></table>"
        );
    }

    #[test]
    fn code_has_its_language() {
        assert_eq!(
            body("<pre><code class=language-c++>a</code></pre>"),
            "<ab type=\"code\" xml:space=\"preserve\"><code lang=\"c++\">a</code></ab>"
        );
    }

    #[test]
    fn plain_text_is_not_called_a_web_page() {
        let mut page = ParsedPage::default();
        page.add_block("One.");
        let text = tei("", &page, &Metadata::default(), "d", &|_| true);
        assert!(text.contains("<p>Made from plain text.</p>") && text.contains("<p>One.</p>"), "{text}");
        assert!(tei("<p>a", &segment("<p>a"), &Metadata::default(), "d", &|_| true).contains("Made from a web page."));
    }

    #[test]
    fn inline_elements_are_nested() {
        assert_eq!(
            body("<b>a<i>b</b>c</i> <a href='x y&amp;z#a#b'>d <code>e</code></a> <a href='javascript:x'>f</a>"),
            "<p><hi rend=\"bold\">a<hi rend=\"italic\">b</hi></hi><hi rend=\"italic\">c</hi> \
             <ref target=\"x%20y&amp;z#a%23b\">d <code>e</code></ref> f</p>"
        );
    }

    #[test]
    fn the_header_says_what_is_known() {
        let metadata = Metadata {
            title: Some("A & B".into()),
            author: Some("Ida".into()),
            date: Some("2021-03-03".into()),
            site: Some("S".into()),
            language: Some("en".into()),
            canonical: Some("https://a.example/?a=1&b=\"".into()),
            description: Some("\u{1}x".into()),
            kind: None,
        };
        let text = tei("", &segment(""), &metadata, "doc<1>", &|_| true);
        for part in [
            "<titleStmt><title>A &amp; B</title><author>Ida</author></titleStmt>",
            "<date when=\"2021-03-03\">2021-03-03</date><ptr target=\"https://a.example/?a=1&amp;b=%22\"/>",
            "<idno>doc&lt;1&gt;</idno>",
            "<abstract><p>\u{fffd}x</p></abstract>",
            "<langUsage><language ident=\"en\">en</language></langUsage>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let declared = format!("{XML_DECLARATION}{text}");
        let document = roxmltree::Document::parse(&declared).expect("well-formed");
        let children: Vec<_> = document.root_element().children().filter(roxmltree::Node::is_element).collect();
        assert_eq!(children.iter().map(|node| node.tag_name().name()).collect::<Vec<_>>(), ["teiHeader", "text"]);
    }

    proptest::proptest! {
        #[test]
        fn any_page_is_well_formed(parts in proptest::collection::vec((0..34_usize, "[ a-c&<>\"'\u{1}\u{85}é\u{ffff}\\]]{0,4}"), 0..40), id in "\\PC{0,8}") {
            #[rustfmt::skip]
            const TAGS: [&str; 34] = [
                "<td rowspan=2>", "<td colspan=3>", "<th rowspan=0 colspan=2>", "<pre class='language-a&b lang-c'>", "<p>", "<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<a href='x y\"<&'>", "</a>", "<ul>", "</ul>", "<ol>", "</ol>",
                "<li>", "<blockquote>", "</blockquote>", "<pre>", "</pre>", "<table>", "</table>", "<tr>", "<td>", "<th>", "<h1>",
                "<h3>", "</h3>", "<dl>", "<dt>", "<dd>", "<div>",
            ];
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag], text]).collect();
            let page = segment(&html);
            let text = tei(&html, &page, &Metadata::of(&html, &page, None), &id, &|_| true);
            let clean = |c: char| if c < ' ' || c == '\u{ffff}' { '\u{fffd}' } else { c };
            let kept: String = page.text.chars().filter(|c| !c.is_whitespace()).map(clean).collect();
            proptest::prop_assert_eq!(read(&text), kept);
        }
    }
}
