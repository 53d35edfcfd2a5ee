//! Writes the kept part of a page as Markdown (CommonMark, with GitHub tables).
//!
//! Text stays text: anything that could be read as markup is escaped. Markup that parsers would not recognise where it
//! occurs, such as emphasis inside a word next to a quotation mark, is dropped.

use std::collections::HashMap;

use self::inline::{Segment, longest_run};
use super::segment::ParsedPage;
use super::shape::{Cell, Container, Kind, LinkCount, Numbers, Piece, Shape, Style, What};

mod inline;

/// What to write besides text, headings, lists, quotations and code blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarkdownOptions {
    /// Write links with their addresses; otherwise only their text.
    pub links: bool,
    /// Write strong, emphasised and code words as such; otherwise as plain text.
    pub emphasis: bool,
    /// Write data tables as tables; otherwise every cell becomes a paragraph.
    pub tables: bool,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        MarkdownOptions { links: true, emphasis: true, tables: true }
    }
}

/// Writes the blocks that `keep` selects as Markdown. `page` must be [`segment`](super::segment) of `html`.
///
/// ```
/// use refrain::extract::{markdown, segment, MarkdownOptions};
///
/// let html = "<nav>Home</nav><h2>Fog</h2><p>See <a href='/horn'>the <b>horn</b></a>.<ol><li>Wait<li>Listen</ol>";
/// let text = markdown(html, &segment(html), &|block| block > 0, &MarkdownOptions::default());
/// assert_eq!(text, "## Fog\n\nSee [the **horn**](/horn).\n\n1. Wait\n2. Listen\n");
/// ```
pub fn markdown(html: &str, page: &ParsedPage, keep: &dyn Fn(usize) -> bool, options: &MarkdownOptions) -> String {
    let shape = Shape::of(html, page, keep, options.tables);
    let mut writer = Writer {
        html,
        shape: &shape,
        options: *options,
        out: String::with_capacity(page.text.len()),
        open: Vec::new(),
        markers: HashMap::new(),
        numbers: Numbers::default(),
        last_was_paragraph: false,
        links: LinkCount::default(),
    };
    for piece in &shape.pieces {
        writer.piece(piece);
    }
    writer.out
}

/// An open container and the prefixes of its lines.
#[derive(Debug, Clone)]
struct Level {
    element: u32,
    container: Container,
    /// Prefix of the first line.
    first: String,
    /// Prefix of all other lines.
    rest: String,
}

struct Writer<'a> {
    html: &'a str,
    shape: &'a Shape<'a>,
    options: MarkdownOptions,
    out: String,
    /// The containers of the last piece.
    open: Vec<Level>,
    /// Which of the two list markers the items of a list use: adjacent lists with the same marker would merge into one.
    markers: HashMap<u32, bool>,
    numbers: Numbers,
    last_was_paragraph: bool,
    links: LinkCount,
}

impl Writer<'_> {
    fn piece(&mut self, piece: &Piece) {
        let paragraph = matches!(piece.what, What::Paragraph(_));
        let begun = self.enter(piece.container, paragraph);
        let lines = match &piece.what {
            What::Paragraph(block) => vec![at_line_start(self.inline(*block, false))],
            What::Heading(level, block) => {
                let signs = "#".repeat(usize::from(*level));
                vec![format!("{signs} {}", heading_end(self.inline(*block, false)))]
            }
            What::Code(blocks) => self.code(blocks),
            What::Table(rows) => self.table(rows),
        };
        self.lines(&lines, begun);
        self.last_was_paragraph = paragraph;
    }

    /// Closes and opens containers, and writes the separator between two pieces. Returns how many containers stay open.
    fn enter(&mut self, container: u32, paragraph: bool) -> usize {
        let chain = self.shape.chain(container);
        let common = self.open.iter().zip(&chain).take_while(|(level, element)| level.element == **element).count();
        let ended = self.open.get(common).map(|level| level.container);
        let mut begun = Vec::new();
        for (i, &element) in chain.iter().enumerate().skip(common) {
            let container = self.shape.container(element, &mut self.numbers);
            let neighbour = if i == common { ended } else { None };
            begun.push(self.level(element, container, neighbour));
        }
        // No blank line between the items of a list, nor between an item's text and the list in it.
        let tight = match &begun[..] {
            [item] => paragraph && self.last_was_paragraph && self.follows_directly(item.container, ended),
            _ => false,
        };
        self.open.truncate(common);
        if !self.out.is_empty() && !tight {
            let blank: String = self.open.iter().map(|level| level.rest.as_str()).collect();
            self.out.push_str(blank.trim_end());
            self.out.push('\n');
        }
        self.open.extend(begun);
        common
    }

    /// True for an item that can directly follow the previous line: the text of the previous item, which ends, or of
    /// the enclosing item, if nothing ends.
    fn follows_directly(&self, item: Container, ended: Option<Container>) -> bool {
        let Container::Item { list, ordered, number } = item else { return false };
        match (ended, self.open.last().map(|level| level.container)) {
            (Some(Container::Item { list: before, .. }), _) => before == list,
            // Only a list that starts at 1 can follow a line of text.
            (None, Some(Container::Item { .. })) => !ordered || number == 1,
            _ => false,
        }
    }

    /// The line prefixes of a container. A list next to a list of its kind gets a different marker.
    fn level(&mut self, element: u32, container: Container, neighbour: Option<Container>) -> Level {
        let (first, rest) = match container {
            Container::Quote => ("> ".to_owned(), "> ".to_owned()),
            Container::Item { list, ordered, number } => {
                let other = match neighbour {
                    Some(Container::Item { list: next, ordered: same, .. }) if next != list && same == ordered => {
                        !self.markers.get(&next).copied().unwrap_or(false)
                    }
                    _ => false,
                };
                let other = *self.markers.entry(list).or_insert(other);
                let mark = match (ordered, other) {
                    (true, false) => format!("{number}. "),
                    (true, true) => format!("{number}) "),
                    (false, false) => "- ".to_owned(),
                    (false, true) => "+ ".to_owned(),
                };
                let rest = " ".repeat(mark.len());
                (mark, rest)
            }
        };
        Level { element, container, first, rest }
    }

    /// Writes lines inside the open containers, the first `begun` of which were already open.
    fn lines(&mut self, lines: &[String], begun: usize) {
        for (i, line) in lines.iter().enumerate() {
            let from = self.out.len();
            for (depth, level) in self.open.iter().enumerate() {
                self.out.push_str(if i == 0 && depth >= begun { &level.first } else { &level.rest });
            }
            if line.is_empty() {
                let length = from + self.out[from..].trim_end().len();
                self.out.truncate(length);
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    /// The lines of code, between fences that are longer than any fence inside it.
    fn code(&self, blocks: &[usize]) -> Vec<String> {
        let code = self.shape.code(blocks).replace('\0', "\u{fffd}");
        let fence = "`".repeat(longest_run(&code).max(2) + 1);
        let mut lines = vec![format!("{fence}{}", self.shape.language(blocks).unwrap_or_default())];
        lines.extend(code.split('\n').map(str::to_owned));
        lines.push(fence);
        lines
    }

    /// The lines of a table. Its first row is the header: Markdown has no tables without one.
    fn table(&mut self, rows: &[Vec<Cell>]) -> Vec<String> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut lines = Vec::with_capacity(rows.len() + 1);
        for (i, cells) in rows.iter().enumerate() {
            let mut line = self.row(cells);
            if i == 0 {
                // The header sets the number of columns. Parsers pad shorter rows below it.
                line.push_str(&" |".repeat(columns - cells.len()));
                lines.push(line);
                line = format!("|{}", " --- |".repeat(columns));
            }
            lines.push(line);
        }
        lines
    }

    /// A row of a table. Markdown cells cannot span rows or columns: covered cells stay empty.
    fn row(&mut self, cells: &[Cell]) -> String {
        let mut line = String::from("|");
        for cell in cells {
            if let Cell::Block(block, _) = cell {
                line.push(' ');
                line.push_str(&self.inline(*block, true));
            }
            line.push_str(" |");
        }
        line
    }

    /// The text of a block with its links and emphasis, on one line.
    fn inline(&mut self, block: usize, in_table: bool) -> String {
        let mut segments: Vec<Segment> = Vec::new();
        let (html, options, links) = (self.html, self.options, &mut self.links);
        self.shape.runs(block, &mut |text, open| {
            let mut stack: Vec<Style> = Vec::new();
            for style in open {
                let wanted = match style.kind {
                    // Code is not a mark: nothing inside it has a meaning.
                    Kind::Code => false,
                    Kind::Link => options.links && links.allows(html, style.href, segments.is_empty()),
                    Kind::Strong | Kind::Emphasis => options.emphasis,
                };
                // One of each kind is enough.
                if wanted && stack.iter().all(|mark| mark.kind != style.kind) {
                    stack.push(*style);
                }
            }
            let code = options.emphasis && open.iter().any(|style| style.kind == Kind::Code);
            segments.push(Segment { text, stack, code });
        });
        inline::line(html, segments, in_table)
    }
}

/// Escapes characters that have a meaning at the start of a line.
fn at_line_start(mut line: String) -> String {
    let bytes = line.as_bytes();
    let blank = |at: usize| bytes.get(at).is_none_or(|&byte| byte == b' ');
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let at = match bytes.first() {
        Some(b'#' | b'>') => Some(0),
        Some(b'+') if blank(1) => Some(0),
        Some(b'-') if blank(1) || bytes.get(1) == Some(&b'-') => Some(0),
        Some(_) if (1..=9).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) && blank(digits + 1) => {
            Some(digits)
        }
        _ => None,
    };
    if let Some(at) = at {
        line.insert(at, '\\');
    }
    line
}

/// Escapes the signs that would close a heading.
fn heading_end(mut line: String) -> String {
    if line.ends_with('#') {
        line.insert(line.len() - 1, '\\');
    }
    line
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag as Element, TagEnd};

    use super::super::segment;
    use super::*;

    fn all(html: &str) -> String {
        markdown(html, &segment(html), &|_| true, &MarkdownOptions::default())
    }

    /// What a Markdown parser shows, without white space, and what it reads as markup that we never write.
    fn visible(text: &str) -> String {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let mut visible = String::new();
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Text(text) | Event::Code(text) => visible.extend(text.chars().filter(|c| !c.is_whitespace())),
                Event::Start(Element::Image { .. } | Element::Strikethrough | Element::HtmlBlock) => panic!("{text}"),
                Event::Start(_) | Event::End(_) | Event::SoftBreak => {}
                other => panic!("{other:?} in {text}"),
            }
        }
        visible
    }

    fn kept(html: &str) -> String {
        let page = segment(html);
        page.text.replace('\0', "\u{fffd}").chars().filter(|c| !c.is_whitespace()).collect()
    }

    fn round_trip(html: &str) {
        let text = all(html);
        assert_eq!(visible(&text), kept(html), "{html}\n---\n{text}");
    }

    #[test]
    fn headings_paragraphs_and_quotations() {
        let html = "<h1>One #</h1><p>two</p><blockquote><p>three<p>four<blockquote>five</blockquote></blockquote>six";
        assert_eq!(all(html), "# One \\#\n\ntwo\n\n> three\n>\n> four\n>\n> > five\n\nsix\n");
        round_trip(html);
    }

    #[test]
    fn lists_nest_and_continue() {
        let html = "<ul><li>a<ol><li>b<li>c<p>d</p></ol><li>e</ul><ul><li>f</ul>";
        assert_eq!(all(html), "- a\n  1. b\n  2. c\n\n     d\n- e\n\n+ f\n");
        round_trip(html);
        assert_eq!(all("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>"), "- a\n\n  b\n\n  c\n- d\n\n  e\n");
        assert_eq!(all("<ul><li><ul><li>deep</ul></ul><p>x"), "- - deep\n\nx\n");
    }

    #[test]
    fn code_keeps_its_lines() {
        let html = "<ul><li>see<pre>a\n\n  ``` b</pre></ul>";
        assert_eq!(all(html), "- see\n\n  ````\n  a\n\n    ``` b\n  ````\n");
        round_trip(html);
        assert_eq!(all("<pre><div>a</div><div>b</div></pre>"), "```\na\nb\n```\n");
        assert_eq!(all("<p>Call <code>a`b</code>, <code>`</code>"), "Call ``a`b``, `` ` ``\n");
    }

    #[test]
    fn tables_of_data_and_of_boxes() {
        let html = "<table><caption>Lamps</caption><tr><th>Name<th>Watt<tr><td>a|b<td><td>x<tr><td><a href='/q|r'>c</a><td>3</table>";
        assert_eq!(
            all(html),
            "Lamps\n\n| Name | Watt | |\n| --- | --- | --- |\n| a\\|b | | x |\n| [c](/q%7Cr) | 3 |\n"
        );
        round_trip(html);
        assert_eq!(all("<table><tr><td>a<tr><td>b</table>"), "a\n\nb\n");
        assert_eq!(all("<table><tr><td><p>a<p>b<td>c</table>"), "a\n\nb\n\nc\n");
        assert_eq!(all("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>"), "a\n\n| b | c |\n| --- | --- |\n");
        let plain = MarkdownOptions { tables: false, ..MarkdownOptions::default() };
        let html = "<table><tr><td>a<td>b</table>";
        assert_eq!(markdown(html, &segment(html), &|_| true, &plain), "a\n\nb\n");
    }

    #[test]
    fn values_are_under_their_headers() {
        let html = "<table><tr><th rowspan=2>Lamp<th colspan=2>Watt<th>Year<tr><th>old<th>new<th>x
            <tr><td>a<td>1<td>2<td>3<tr><td colspan=2>b<td>4<td>5</table>";
        let table = "| Lamp | Watt | | Year |\n| --- | --- | --- | --- |\n| | old | new | x |\n| a | 1 | 2 | 3 |\n| b | | 4 | 5 |\n";
        assert_eq!(all(html), table);
        round_trip(html);
        // The rest of a row stays in its columns, even if the cell that spans others is dropped.
        let without = |dropped: &str| {
            let page = segment(html);
            let keep = |block: usize| page.blocks[block].span.of(&page.text) != dropped;
            markdown(html, &page, &keep, &MarkdownOptions::default())
        };
        for (dropped, before, after) in [
            ("Lamp", "| Lamp | Watt |", "| | Watt |"),
            ("Watt", "| Watt | | Year |", "| | | Year |"),
            ("old", "| | old |", "| | |"),
            ("b", "| b | | 4 |", "| | | 4 |"),
        ] {
            assert_eq!(without(dropped), table.replace(before, after));
        }
        // A one-column table with a wide header keeps its one column.
        assert_eq!(all("<table><tr><th colspan=100>a<tr><td>b</table>"), "a\n\nb\n");
    }

    #[test]
    fn tables_of_cells_without_end_are_survived() {
        let html = "<table>".to_owned() + &"<tr><td rowspan=65534 colspan=1000>a<td rowspan=0>b".repeat(3000);
        round_trip(&html);
        let html = "<table><tr>".to_owned() + &"<td rowspan=0>a".repeat(63) + "<td>b" + &"<tr><td>c".repeat(3000);
        let text = all(&html);
        assert!(text.len() < 10 * html.len(), "{} bytes", text.len());
        assert_eq!(visible(&text), kept(&html));
    }

    #[test]
    fn code_has_its_language() {
        assert_eq!(all("<pre><code class='language-python'>a</code></pre>"), "```python\na\n```\n");
        assert_eq!(all("<pre class='language-a`b'>a</pre>"), "```\na\n```\n");
        round_trip("<ul><li><pre class='lang-c++'>a``` b</pre></ul>");
    }

    #[test]
    fn links_lead_where_the_page_says() {
        assert_eq!(all("<a href='a b(c)?x=1&amp;amp;y'>t</a>"), "[t](a%20b%28c%29?x=1\\&amp;y)\n");
        assert_eq!(all("Go!<a href='/x'>there</a>"), "Go\\![there](/x)\n");
        assert_eq!(all("<a href='JavaScript:void(0)'>t</a> <a>u</a> <a href=''>v</a>"), "t u v\n");
        let html = "<p>a <a href=/x>b <b>c</b></a> <i>d</i>";
        let none = MarkdownOptions { links: false, emphasis: false, tables: true };
        assert_eq!(markdown(html, &segment(html), &|_| true, &none), "a b c d\n");
        // A link that is never closed does not repeat forever.
        let html = format!("<a href=/x>{}", "<p>a</p>".repeat(100));
        assert_eq!(all(&html).matches("/x").count(), 64);
    }

    #[test]
    fn emphasis_is_written_where_it_is_read() {
        assert_eq!(all("a <b>b</b> <i>c</i> <b><i>d</i></b>"), "a **b** _c_ **_d_**\n");
        assert_eq!(all("un<i>believ</i>able <b>b</b>old"), "un*believ*able **b**old\n");
        // Marks that a parser would show as text are dropped.
        assert_eq!(all("un<b>(b)</b>able"), "un(b)able\n");
        assert_eq!(all("<b>a<i>b</b>c</i>"), "**ab**c\n");
        assert_eq!(all("<b>a</b><b>b</b>"), "**ab**\n");
        round_trip("<b>a<i>b</b> c</i>d<i><b>e</b></i><b>f</b>");
    }

    #[test]
    fn text_remains_text() {
        for text in [
            "# a",
            "- a",
            "+ a",
            "1. a",
            "1) a",
            "&gt; a",
            "* a",
            "_a_",
            "[a]: /b",
            "[a](b)",
            "`a`",
            "a|b\n-|-",
            "---",
            "~~~",
            "&lt;b&gt;",
            "&amp;lt;",
            "\\",
            "a\\",
            "![a](b)",
            "~~a~~",
            "===",
            "&lt;!-- a",
            "&lt;a@b.c&gt;",
            "    a",
            "[^1]",
            "- [ ] a",
        ] {
            round_trip(&format!("<p>{text}</p>"));
            round_trip(&format!("<ul><li>{text}<p>{text}</ul><h2>{text}</h2><table><tr><td>{text}<td>{text}</table>"));
        }
        assert_eq!(all("<a href=/x>Q&amp;A</a> R&amp;D"), "[Q&A](/x) R&D\n");
        assert_eq!(all("snake_case and <i>a_b</i>"), "snake_case and _a_b_\n");
    }

    #[test]
    fn only_kept_blocks_are_written() {
        let html = "<ul><li>a<li>b<li>c</ul><p>d";
        assert_eq!(markdown(html, &segment(html), &|block| block != 1, &MarkdownOptions::default()), "- a\n- c\n\nd\n");
        assert_eq!(markdown(html, &segment(html), &|_| false, &MarkdownOptions::default()), "");
    }

    #[test]
    fn depth_without_end_is_survived() {
        let html = "<blockquote><ul><li>".repeat(3000) + "x<p>y";
        let text = all(&html);
        assert!(text.len() < 1000 && text.contains('x'), "{} bytes", text.len());
    }

    #[test]
    fn kinds_of_markup_come_back() {
        let text = all("<h2>t</h2><ol><li>a<li>b</ol><blockquote>q</blockquote><p><b>s</b> <i>e</i> <a href=/x>l</a>");
        let ends: Vec<TagEnd> =
            Parser::new(&text).filter_map(|event| if let Event::End(end) = event { Some(end) } else { None }).collect();
        for end in [TagEnd::Strong, TagEnd::Emphasis, TagEnd::Link, TagEnd::List(true), TagEnd::Item] {
            assert!(ends.contains(&end), "{end:?} in {text}");
        }
    }

    #[rustfmt::skip]
    const TAGS: [&str; 44] = [
        "<p>", "</p>", "<b>", "</b>", "<strong>", "</strong>", "<i>", "</i>", "<em>", "</em>", "<code>", "</code>",
        "<a href='x y(z)`'>", "<a href=/w>", "</a>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "<blockquote>", "</blockquote>",
        "<pre>", "</pre>", "<table>", "</table>", "<tr>", "<td>", "<th>", "<h2>", "</h2>", "<dl>", "</dl>", "<dt>", "<dd>", "<br>",
        "<div>", "</div>", " ", "\n", "<td rowspan=2>", "<th colspan=3>", "<td rowspan=0 colspan=2>", "<pre class='language-a&b lang-c#'>",
    ];

    proptest::proptest! {
        #[test]
        fn any_page_comes_back(parts in proptest::collection::vec((0..44_usize, "[ a-c19#*_()<>`|~!&;:.+=\"'é“—€\\\\\\[\\]-]{0,6}"), 0..30)) {
            let escaped = |text: &String| text.replace('&', "&amp;").replace('<', "&lt;");
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag].to_owned(), escaped(text)]).collect();
            let text = all(&html);
            proptest::prop_assert_eq!(visible(&text), kept(&html), "{}\n---\n{}", html, text);
        }

        #[test]
        fn inline_marks_come_back(parts in proptest::collection::vec((2..15_usize, "[ ab*_`\"(]{0,3}"), 0..14)) {
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag], text]).collect();
            let text = all(&html);
            proptest::prop_assert_eq!(visible(&text), kept(&html), "{}\n---\n{}", html, text);
        }

        #[test]
        fn any_text_comes_back(text in "\\PC{0,40}") {
            let html = format!("<p>{}</p>", text.replace('&', "&amp;").replace('<', "&lt;"));
            let markdown = all(&html);
            proptest::prop_assert_eq!(visible(&markdown), kept(&html), "{}", markdown);
        }
    }
}
