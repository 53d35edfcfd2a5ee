//! The markup of MediaWiki to plain text.
//!
//! Headings, list items and paragraphs become paragraphs. Links become their label. Templates, tables, pictures,
//! references, categories and formulas are removed, and headings of sections in which nothing is left.
//!
//! One pass copies the text and remembers where brackets opened; a bracket that closes removes or shortens what was copied
//! since. Brackets that never close are text. So the time is linear whatever the nesting.

/// Elements that are removed with their content.
#[rustfmt::skip] // a table
const REMOVED: [&str; 17] = [
    "ref", "references", "math", "chem", "ce", "gallery", "timeline", "score", "graph", "mapframe", "maplink", "imagemap",
    "hiero", "table", "style", "templatestyles", "includeonly",
];
/// Elements whose content is no markup.
const LITERAL: [&str; 4] = ["nowiki", "pre", "syntaxhighlight", "source"];
/// Elements that begin or end a paragraph.
const BLOCKS: [&str; 10] = ["blockquote", "center", "dd", "div", "dl", "dt", "hr", "li", "p", "ul"];

/// The address and the label of a link to another site are not longer.
const MAX_LINK: usize = 4096;
/// Links are not nested deeper.
const MAX_LINKS: usize = 40;

/// Converts a page. Links into the namespaces `unread`, such as pictures and categories, are removed.
pub(crate) fn text_of(markup: &str, unread: &[String]) -> String {
    let mut copy = Copy {
        markup,
        unread,
        out: String::with_capacity(markup.len()),
        open: Vec::new(),
        braces: Vec::new(),
        counts: [0; 4],
        unclosed: Vec::new(),
    };
    copy.run();
    paragraphs(&copy.out)
}

/// What opened, and will be removed or shortened when it closes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bracket {
    /// `{{`
    Template,
    /// `{{{`
    Parameter,
    /// `[[`
    Link,
    /// `{|`
    Table,
}

struct Copy<'m> {
    markup: &'m str,
    unread: &'m [String],
    out: String,
    /// Brackets that are open, and where they are in the copy.
    open: Vec<(Bracket, usize)>,
    /// Those of them that are braces.
    braces: Vec<Bracket>,
    /// How many of each are open.
    counts: [usize; 4],
    /// Elements that are known not to end any more.
    unclosed: Vec<&'static str>,
}

impl Copy<'_> {
    fn run(&mut self) {
        let bytes = self.markup.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // Of brackets, more than this make no difference.
            let most = if bytes[at] == b'\'' { usize::MAX } else { 6 };
            let run = bytes[at..].iter().take(most).take_while(|byte| **byte == bytes[at]).count();
            at += match bytes[at] {
                b'{' if bytes[at..].starts_with(b"{|") && self.at_line_start() => self.begin(Bracket::Table, at, 2),
                b'{' if run >= 3 && run != 4 => self.begin(Bracket::Parameter, at, 3),
                b'{' if run >= 2 => self.begin(Bracket::Template, at, 2),
                b'|' if bytes[at..].starts_with(b"|}") && !bytes[at..].starts_with(b"|}}") && self.at_line_start() => {
                    self.end_removed(Bracket::Table, at, 2)
                }
                b'}' if run >= 2 => match self.braces.last() {
                    Some(Bracket::Parameter) if run >= 3 => self.end_removed(Bracket::Parameter, at, 3),
                    Some(Bracket::Template) => self.end_removed(Bracket::Template, at, 2),
                    _ => self.copy(at, run),
                },
                b'[' if run >= 2 && self.counts[Bracket::Link as usize] < MAX_LINKS => self.begin(Bracket::Link, at, 2),
                b'[' => self.external_link(at),
                b']' if run >= 2 && self.counts[Bracket::Link as usize] > 0 => self.end_link(),
                b'\'' if run >= 2 => {
                    // Two are italics, three bold, five both; others are apostrophes.
                    let apostrophes = match run {
                        4 => 1,
                        run => run.saturating_sub(5),
                    };
                    self.copy(at, apostrophes);
                    run
                }
                b'<' => self.tag(at),
                b'_' if run >= 2 => self.magic_word(at),
                _ => {
                    let rest = &bytes[at + 1..];
                    let next = rest.iter().position(|byte| b"{}[]<'_|".contains(byte));
                    self.copy(at, 1 + next.unwrap_or(rest.len()))
                }
            };
        }
    }

    /// Copies some bytes of the markup.
    fn copy(&mut self, at: usize, length: usize) -> usize {
        self.out.push_str(&self.markup[at..at + length]);
        length
    }

    fn at_line_start(&self) -> bool {
        self.out.bytes().rev().find(|byte| !matches!(byte, b' ' | b':' | b'\t')).is_none_or(|byte| byte == b'\n')
    }

    fn begin(&mut self, bracket: Bracket, at: usize, length: usize) -> usize {
        self.open.push((bracket, self.out.len()));
        if matches!(bracket, Bracket::Template | Bracket::Parameter) {
            self.braces.push(bracket);
        }
        self.counts[bracket as usize] += 1;
        self.copy(at, length)
    }

    /// Where the innermost bracket of a kind opened; brackets in it that did not close are text.
    fn pop(&mut self, wanted: Bracket) -> Option<usize> {
        if self.counts[wanted as usize] == 0 {
            return None;
        }
        while let Some((bracket, at)) = self.open.pop() {
            self.counts[bracket as usize] -= 1;
            if matches!(bracket, Bracket::Template | Bracket::Parameter) {
                self.braces.pop();
            }
            if bracket == wanted {
                return Some(at);
            }
        }
        None
    }

    fn end_removed(&mut self, wanted: Bracket, at: usize, length: usize) -> usize {
        match self.pop(wanted) {
            Some(start) => {
                self.out.truncate(start);
                length
            }
            None => self.copy(at, length),
        }
    }

    fn end_link(&mut self) -> usize {
        let Some(start) = self.pop(Bracket::Link) else { return 2 };
        let link = self.out.split_off(start);
        let link = &link[2..];
        let (target, label) = link.split_once('|').map_or((link, None), |(target, label)| (target, Some(label)));
        let target = target.trim();
        let space = target.split_once(':').map_or("", |(space, _)| space.trim());
        let is_unread = self.unread.iter().any(|name| same_name(name, space));
        if is_unread || (label.is_none() && is_language(space)) {
            return 2;
        }
        let label = label.filter(|label| !label.trim().is_empty()).unwrap_or(target.trim_start_matches(':'));
        self.out.push_str(label);
        2
    }

    /// `[http://a.example label]`
    fn external_link(&mut self, at: usize) -> usize {
        let rest = &self.markup[at + 1..];
        let is_address =
            ["http://", "https://", "ftp://", "mailto:", "//"].iter().any(|scheme| rest.starts_with(scheme));
        let head = &rest.as_bytes()[..rest.len().min(MAX_LINK)];
        let end = memchr::memchr2(b'\n', b']', head).filter(|end| is_address && head[*end] == b']');
        let Some(line) = end.map(|end| &rest[..end]) else { return self.copy(at, 1) };
        if let Some((_, label)) = line.split_once([' ', '\t']) {
            self.out.push_str(&label.trim().replace("'''", "").replace("''", ""));
        }
        line.len() + 2
    }

    fn tag(&mut self, at: usize) -> usize {
        let rest = &self.markup[at..];
        if rest.starts_with("<!--") {
            return rest.find("-->").map_or(rest.len(), |end| end + 3);
        }
        let inner = rest[1..].trim_start_matches('/');
        let name = &inner[..inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len())];
        let end = memchr::memchr2(b'>', b'<', &rest.as_bytes()[1..]).map(|end| end + 1);
        let is_tag = |end: &usize| rest[*end..].starts_with('>') && name.starts_with(|c: char| c.is_ascii_alphabetic());
        let Some(end) = end.filter(is_tag) else { return self.copy(at, 1) };
        let (opens, is_empty) = (!rest[1..].starts_with('/'), rest[..end].ends_with('/'));
        let named = |names: &[&'static str]| names.iter().copied().find(|known| known.eq_ignore_ascii_case(name));
        if let Some(known) = named(&REMOVED).filter(|_| opens && !is_empty) {
            return self.end_of(known, at + end + 1).map_or(end + 1, |(_, after)| after - at);
        }
        if let Some(known) = named(&LITERAL).filter(|_| opens && !is_empty) {
            return match self.end_of(known, at + end + 1) {
                Some((before, after)) => {
                    self.copy(at + end + 1, before - (at + end + 1));
                    after - at
                }
                None => end + 1,
            };
        }
        if name.eq_ignore_ascii_case("br") {
            self.out.push('\n');
        } else if named(&BLOCKS).is_some() {
            self.out.push_str("\n\n");
        }
        end + 1
    }

    /// Where the end tag of an element begins and ends.
    fn end_of(&mut self, name: &'static str, from: usize) -> Option<(usize, usize)> {
        if self.unclosed.contains(&name) {
            return None;
        }
        let bytes = self.markup.as_bytes();
        let is_end = |at: &usize| {
            let tag = &bytes[at + 2..];
            tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
                && tag.get(name.len()).is_some_and(|next| matches!(next, b'>' | b' ' | b'\n'))
        };
        let found = memchr::memmem::find_iter(&bytes[from..], b"</").map(|at| from + at).find(is_end);
        let found = found.and_then(|at| Some((at, at + memchr::memchr(b'>', &bytes[at..])? + 1)));
        if found.is_none() {
            self.unclosed.push(name);
        }
        found
    }

    /// `__TOC__`
    fn magic_word(&mut self, at: usize) -> usize {
        let rest = &self.markup.as_bytes()[at + 2..];
        let length = rest.iter().take(32).take_while(|byte| byte.is_ascii_uppercase()).count();
        if length > 0 && rest[length..].starts_with(b"__") { length + 4 } else { self.copy(at, 2) }
    }
}

/// True for two names of a namespace: cases and underscores do not matter.
fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.replace('_', " ").to_lowercase();
    one.len() == other.len() && plain(one) == plain(other)
}

/// True for what links to the same page in another language begin with.
fn is_language(space: &str) -> bool {
    let code = space.split('-').next().unwrap_or_default();
    (2..=3).contains(&code.len())
        && space.len() <= 12
        && space.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// A paragraph, or a heading with its level.
struct Paragraph {
    level: Option<usize>,
    text: String,
}

/// Divides the copy into paragraphs, without its marks at the beginning of lines.
fn paragraphs(copy: &str) -> String {
    let mut all: Vec<Paragraph> = Vec::new();
    let mut open = false;
    for line in copy.lines() {
        let line = line.trim();
        let level = line.bytes().take_while(|byte| *byte == b'=').count();
        let level = level.min(line.bytes().rev().take_while(|byte| *byte == b'=').count()).min(6);
        let is_heading = level > 0 && line.len() > 2 * level;
        let is_item = line.starts_with(['*', '#', ';', ':']);
        let is_rule = line.starts_with("----");
        let content = match (is_heading, is_item, is_rule) {
            (true, ..) => &line[level..line.len() - level],
            (_, true, _) => line.trim_start_matches(['*', '#', ';', ':']),
            (.., true) => line.trim_start_matches('-'),
            _ => line,
        };
        let content = tidy(content);
        if content.is_empty() {
            open = false;
            continue;
        }
        if let Some(last) = all.last_mut().filter(|_| open && !is_heading && !is_item) {
            last.text.push('\n');
            last.text.push_str(&content);
        } else {
            all.push(Paragraph { level: is_heading.then_some(level), text: content });
        }
        open = !is_heading && !is_item;
    }
    // From the end on: whether there is something under a heading of each level.
    let mut filled = [false; 7];
    let mut kept: Vec<String> = Vec::new();
    for Paragraph { level, text } in all.into_iter().rev() {
        let keep = match level {
            Some(level) => {
                let keep = filled[level];
                filled[level..].fill(false);
                keep
            }
            None => {
                filled = [true; 7];
                true
            }
        };
        kept.extend(keep.then_some(text));
    }
    kept.reverse();
    kept.join("\n\n")
}

/// A line without references to characters, brackets of which nothing is left, and the spaces that this leaves.
fn tidy(line: &str) -> String {
    let line = htmlize::unescape(line);
    let mut tidy = String::with_capacity(line.len());
    for c in line.chars() {
        let c = if c == '\u{a0}' || c == '\t' { ' ' } else { c };
        let spaced = tidy.is_empty() || tidy.ends_with(' ');
        if c == ')'
            && let before = tidy.trim_end_matches([' ', ',', ';', ':'])
            && before.ends_with('(')
        {
            tidy.truncate(before.len() - 1);
            tidy.truncate(tidy.trim_end().len());
        } else if c != ' ' || !spaced {
            tidy.push(c);
        }
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(markup: &str) -> String {
        text_of(markup, &["Soubor".into(), "File".into(), "Category".into()])
    }

    #[test]
    fn links_become_their_labels() {
        assert_eq!(text("A [[lamp]], [[Lamp (light)|another]] and [[ship]]s."), "A lamp, another and ships.");
        assert_eq!(text("See [http://a.example the ''log''] [https://b.example]."), "See the log .");
        assert_eq!(text("One[[File:a.png|thumb|A [[lamp]] of {{x}}]] two.[[Category:Lamps]][[de:Lampe]]"), "One two.");
        assert_eq!(text("[[soubor:a.png|x]][[:Category:Lamps]] [[a|]] [not a link]"), "Category:Lamps a [not a link]");
    }

    #[test]
    fn templates_tables_and_references_are_removed() {
        let markup = "{{Box\n| a = {{b|{{{1|x}}}}}\n}}'''Lamp''' ({{IPA|x}}; ) is<ref name=\"a\">Book, {{p|1}}.</ref> a <math>x</math>\
            ''light''<ref name=a />.<!-- no -->\n{| class=\"wikitable\"\n| a || b\n{|\n| c\n|}\n|}\nMore.";
        assert_eq!(text(markup), "Lamp is a light.\n\nMore.");
        assert_eq!(text("{{{{{x}}}}}a {{{y|{{z}}}}}b"), "a b");
    }

    #[test]
    fn headings_and_items_are_paragraphs_and_empty_sections_are_removed() {
        let markup = "Intro\nline two.\n== One ==\n* a\n** b\n; c\n: d\n=== Empty ===\n== Two ==\n=== Three ===\nText.\n----\n\
            == References ==\n{{reflist}}\n[[Category:x]]";
        assert_eq!(text(markup), "Intro\nline two.\n\nOne\n\na\n\nb\n\nc\n\nd\n\nTwo\n\nThree\n\nText.");
    }

    #[test]
    fn tags_and_signs_become_text() {
        let markup = "a<br/>b <nowiki>[[x]]</nowiki> <span style='x'>c</span> 1 < 2 &amp;&nbsp;&eacute; __NOTOC__ it''''s'''' o'clock";
        assert_eq!(text(markup), "a\nb [[x]] c 1 < 2 & é it's' o'clock");
        assert_eq!(text("<blockquote>x</blockquote>y"), "x\n\ny");
    }

    #[test]
    fn what_does_not_close_is_text() {
        for markup in
            ["a {{b", "a [[b", "a }} ]] |} b", "a <ref>b", "a {{{b}} c", "[[a {{b]]", "<", "a <!-- b", "_", "__", "'''"]
        {
            let found = text(markup);
            assert!(found.len() <= markup.len(), "{markup}: {found}");
        }
        assert_eq!(text("a {{b"), "a {{b");
        assert_eq!(text("a <ref>b"), "a b");
        assert_eq!(text("x [[a]] {{b}} {{c"), "x a {{c");
    }

    #[test]
    fn the_time_is_linear_in_the_nesting() {
        for unit in [
            "{{", "[[", "{|\n", "<ref>", "[[}}", "{{]]", "<nowiki>", "(", "[http://", "__", "''", "\n{|}}", "{{{",
            "}}}", "x{|", "a'b", "<a", "{", "[", "[[a|",
        ] {
            let long = unit.repeat(200_000 / unit.len());
            assert!(text(&long).len() <= long.len(), "{unit}");
        }
    }
}
