//! HTML pages with both sides of each place: benchmark items in documents, and removed text beside its source.

use std::collections::HashSet;
use std::fmt::Write;

use htmlize::escape_text;

use crate::text::words;

/// The head of the pages.
const HEAD: &str = include_str!("sides.html");

/// A page, as far as it is written.
pub(crate) struct SidesPage(String);

/// A text with a note above it.
pub(crate) struct Side<'a> {
    pub(crate) note: &'a str,
    pub(crate) text: &'a str,
}

impl SidesPage {
    /// Items that a list shows.
    pub(crate) const ITEMS: usize = 200;

    pub(crate) fn new(title: &str, summary: &str) -> SidesPage {
        let note = "Words that both sides have are highlighted. Long texts are cut.";
        let head = HEAD.replace("{{title}}", title);
        SidesPage(format!("{head}<p>{}</p>\n<p class=\"note\">{note}</p>\n", escape_text(summary)))
    }

    /// Begins a part of the page.
    pub(crate) fn part(&mut self, name: &str, about: &str) {
        let _ = writeln!(self.0, "<h2><bdi>{}</bdi></h2>\n<p>{}</p>", escape_text(name), escape_text(about));
    }

    /// Begins a list of items.
    pub(crate) fn list(&mut self, title: &str, count: usize) {
        if count > 0 {
            let shown = Self::ITEMS;
            let more = if count > shown { format!(", the first {shown} of {count}") } else { String::new() };
            let _ = writeln!(self.0, "<h3>{title}{more}</h3>");
        }
    }

    /// Adds an item: its name, a sentence, and pairs of sides.
    pub(crate) fn item(&mut self, name: &str, about: &str, pairs: &[[Side<'_>; 2]]) {
        let (name, about) = (escape_text(name), escape_text(about));
        let _ = writeln!(self.0, "<section><p><b><bdi>{name}</bdi></b>: {about}</p>");
        for [one, other] in pairs {
            self.0.push_str("<div class=\"sides\">");
            for (side, beside) in [(one, other), (other, one)] {
                let (note, text) = (escape_text(side.note), highlighted(side.text, beside.text));
                let _ = write!(self.0, "<div><p class=\"note\"><bdi>{note}</bdi></p>{text}</div>");
            }
            self.0.push_str("</div>\n");
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
