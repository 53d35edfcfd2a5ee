//! The HTML page of benchmark items in documents: both sides of each place.

use std::collections::HashSet;
use std::fmt::Write;

use htmlize::escape_text;

use crate::text::words;

/// The head of the page.
const HEAD: &str = include_str!("contamination.html");

/// The page, as far as it is written.
pub(crate) struct ContaminationPage(String);

/// An item on the page.
pub(crate) struct ShownItem<'a> {
    pub(crate) id: &'a str,
    /// What was found of it.
    pub(crate) found: &'a str,
    /// How often.
    pub(crate) count: u64,
    pub(crate) text: &'a str,
    /// Documents, and the text there.
    pub(crate) places: &'a [(&'a str, &'a str)],
}

impl ContaminationPage {
    /// Items that a list shows.
    pub(crate) const ITEMS: usize = 200;

    pub(crate) fn new(summary: &str) -> ContaminationPage {
        let note = "Words that both sides have are highlighted. Long texts are cut.";
        ContaminationPage(format!("{HEAD}<p>{}</p>\n<p class=\"note\">{note}</p>\n", escape_text(summary)))
    }

    /// Begins a benchmark: its items, those removed, those only reported, and documents.
    pub(crate) fn benchmark(&mut self, name: &str, [items, found, doubtful, documents]: [u64; 4]) {
        let name = escape_text(name);
        let _ = writeln!(
            self.0,
            "<h2><bdi>{name}</bdi></h2>\n<p>{items} items: {found} removed from {documents} documents, {doubtful} only reported.</p>"
        );
    }

    /// Begins a list of items.
    pub(crate) fn list(&mut self, title: &str, count: usize) {
        if count > 0 {
            let shown = Self::ITEMS;
            let more = if count > shown { format!(", the first {shown} of {count}") } else { String::new() };
            let _ = writeln!(self.0, "<h3>{title}{more}</h3>");
        }
    }

    /// Adds an item.
    pub(crate) fn item(&mut self, item: &ShownItem<'_>) {
        let times = if item.count == 1 { String::new() } else { format!(", {} times", item.count) };
        let _ = writeln!(
            self.0,
            "<section><p><b><bdi>{}</bdi></b>: {}{times}</p>",
            escape_text(item.id),
            escape_text(item.found)
        );
        for (document, text) in item.places {
            let _ = writeln!(
                self.0,
                "<div class=\"sides\"><div><p class=\"note\">item</p>{}</div><div><p class=\"note\"><bdi>{}</bdi></p>{}</div></div>",
                highlighted(item.text, text),
                escape_text(*document),
                highlighted(text, item.text)
            );
        }
        self.0.push_str("</section>\n");
    }

    /// The whole page.
    pub(crate) fn finish(self) -> String {
        self.0 + "</body>\n</html>\n"
    }
}

/// A text with the words highlighted that another one has, too.
fn highlighted(text: &str, other: &str) -> String {
    let mut known = HashSet::new();
    words(other, |word| {
        known.insert(word.hash);
    });
    let (mut out, mut at, mut open) = (String::new(), 0, false);
    words(text, |word| {
        let is_known = known.contains(&word.hash);
        if is_known ^ open {
            // A highlighted stretch ends with its last word.
            let between = &text[at..word.range().start];
            let (before, after) = if open { ("</mark>", "") } else { ("", "<mark>") };
            let _ = write!(out, "{before}{}{after}", escape_text(between));
            open = is_known;
        } else {
            out.push_str(&escape_text(&text[at..word.range().start]));
        }
        out.push_str(&escape_text(&text[word.range()]));
        at = word.range().end;
    });
    let close = if open { "</mark>" } else { "" };
    let _ = write!(out, "{close}{}", escape_text(&text[at..]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_highlighted_and_signs_escaped() {
        let shown = highlighted("the <b>lamp</b> & a bell", "lamp & bell");
        assert_eq!(shown, "the &lt;b&gt;<mark>lamp</mark>&lt;/b&gt; &amp; a <mark>bell</mark>");
    }
}
