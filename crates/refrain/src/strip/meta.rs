//! What the preamble says about the book, and how it identifies the title page.

use foldhash::HashSet;
use twox_hash::XxHash3_64;

use super::blocks::{Tokens, Words};
use super::lines::Line;

/// What a preamble says about the book; empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The title.
    pub title: String,
    /// The author.
    pub author: String,
    /// The name of the language.
    pub language: String,
    /// When the e-book was released.
    pub release_date: String,
    /// The number of the e-book.
    pub ebook: String,
    /// The name of the encoding.
    pub encoding: String,
    /// Who made the e-book.
    pub credits: String,
}

impl Facts {
    /// Those that are given, with the names of their fields.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let fields = [
            ("title", &self.title),
            ("author", &self.author),
            ("declared_language", &self.language),
            ("release_date", &self.release_date),
            ("ebook", &self.ebook),
            ("declared_encoding", &self.encoding),
            ("credits", &self.credits),
        ];
        fields.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name, value.as_str()))
    }
}

/// The title line of an old header is this near the top (a banner may come first).
const TITLE_LINES: usize = 40;

const FIELDS: [(&str, usize); 7] = [
    ("title", 0),
    ("author", 1),
    ("language", 2),
    ("release date", 3),
    ("posting date", 3),
    ("character set encoding", 4),
    ("credits", 5),
];

/// Reads the fields of a header; `lines` should end with the marker.
pub(super) fn read(lines: &[Line]) -> Facts {
    let mut meta = Facts::default();
    let mut i = 0;
    while i < lines.len() {
        if !may_state_field(lines[i].text) {
            i += 1;
            continue;
        }
        let text = decode(lines[i].text);
        if meta.ebook.is_empty() {
            meta.ebook = ebook_number(&text);
        }
        if let Some((field, value)) = field(&text) {
            let mut value = value.to_string();
            while lines.get(i + 1).is_some_and(|l| !l.is_blank() && field_free(&decode(l.text))) && value.len() < 400 {
                i += 1;
                let more = decode(lines[i].text);
                value = format!("{value} {more}").trim().to_string();
            }
            meta.set(field, value);
        } else if meta.title.is_empty() && i < TITLE_LINES {
            meta.title_line(&text);
            if !meta.title.is_empty() && meta.author.is_empty() {
                meta.title_rest(&lines[i + 1..]);
            }
        }
        i += 1;
    }
    meta
}

/// Maximum number of words on a line that continues an author's name.
const NAME_WORDS: usize = 4;

/// The author, for display: a field is most reliable, and a title line may break off inside the name, or continue with
/// other people. `found` is what [`read`] found, which identifies title pages.
pub(super) fn author(lines: &[Line], found: &str) -> String {
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| is_field(line.text)) {
        let text = decode(line.text);
        let Some((1, value)) = field(&text).filter(|(_, value)| !value.is_empty()) else { continue };
        let more = lines[i + 1..].iter().take_while(|line| !line.is_blank()).map(|line| decode(line.text));
        let more = more.take_while(|line| field_free(line));
        let whole = more.fold(value.to_owned(), |value, line| format!("{value} {line}"));
        return without_others(&whole).to_owned();
    }
    let ends_so = |line: &Line| !found.is_empty() && decode(line.text).ends_with(found);
    let at = lines.iter().take(TITLE_LINES).position(ends_so);
    let next = at.and_then(|at| lines.get(at + 1)).map(|line| decode(line.text)).filter(|next| {
        let words = next.split_whitespace().count();
        (1..=NAME_WORDS).contains(&words) && next.starts_with(char::is_alphabetic) && field_free(next)
    });
    let whole = next.map_or_else(|| found.to_owned(), |next| format!("{found} {next}"));
    without_others(&whole).to_owned()
}

/// An author without those who edited, translated or illustrated the book.
fn without_others(author: &str) -> &str {
    let lower = author.to_ascii_lowercase();
    let roles = ["edited", "translated", "illustrated", "arranged"];
    let role = |at: &usize| roles.iter().any(|role| lower[*at..].trim_start_matches([' ', ',', '(']).starts_with(role));
    let cut = lower.match_indices([' ', ',']).map(|(at, _)| at).find(role).unwrap_or(author.len());
    author[..cut].trim_end_matches([',', ';', ' '])
}

/// A cheap test: a field has a colon, the number of the e-book a hash, and a title line the name of the publisher.
fn may_state_field(line: &[u8]) -> bool {
    const NAME: &[u8] = b"gutenberg";
    let is_name = |at: usize| line.get(at..at + NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME));
    memchr::memchr2(b':', b'#', line).is_some() || memchr::memchr2_iter(b'G', b'g', line).any(is_name)
}

impl Facts {
    fn set(&mut self, field: usize, value: String) {
        let slot = match field {
            0 => &mut self.title,
            1 => &mut self.author,
            2 => &mut self.language,
            3 => &mut self.release_date,
            4 => &mut self.encoding,
            _ => &mut self.credits,
        };
        if slot.is_empty() || field == 0 {
            *slot = value;
        }
        if field == 3
            && let Some(cut) = self.release_date.find('[')
        {
            self.release_date.truncate(cut);
            self.release_date = self.release_date.trim().to_string();
        }
    }

    /// An old title line can continue on the next two lines of its paragraph.
    fn title_rest(&mut self, lines: &[Line]) {
        for line in lines.iter().take(2).take_while(|l| !l.is_blank()) {
            let text = decode(line.text);
            let text = text.trim_matches(['*', ' ']);
            if let Some(author) = text.strip_prefix("by ").or_else(|| text.strip_prefix("By ")) {
                self.author = author.to_string();
            } else if self.author.is_empty() && !text.starts_with(['#', '(']) && !text.contains("should be named") {
                self.title = format!("{} {text}", self.title);
            }
        }
    }

    /// "The Project Gutenberg Etext of X, by Y" and its variants.
    fn title_line(&mut self, line: &str) {
        let line = line.trim_matches(|c: char| c == '*' || c.is_whitespace());
        let lower = line.to_ascii_lowercase();
        let Some(at) = lower.find("gutenberg") else { return };
        if !matches!(lower[..at].trim(), "project" | "the project" | "this is the project") {
            return;
        }
        let rest = &line[at + "gutenberg".len()..];
        let rest = rest.trim_start_matches(['\'', '\u{2019}', 's']).trim_start();
        let words: Vec<&str> = rest.split_whitespace().collect();
        let skip = words.iter().take(4).take_while(|w| is_etext_word(w)).count();
        if skip == 0 && !lower.contains("'s ") && !lower.contains("\u{2019}s ") {
            return;
        }
        let rest = words[skip..].join(" ");
        let (title, author) = match rest.to_ascii_lowercase().rfind(" by ") {
            Some(by) => (rest[..by].to_string(), rest[by + 4..].to_string()),
            None => (rest, String::new()),
        };
        self.title = title.trim_end_matches([',', ' ']).to_string();
        self.author = author;
    }
}

fn is_etext_word(word: &str) -> bool {
    let w = word.to_ascii_lowercase().replace('-', "");
    matches!(w.trim_end_matches(','), "etext" | "ebook" | "edition" | "of" | "etexts")
}

fn field(line: &str) -> Option<(usize, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = name.trim().to_ascii_lowercase();
    FIELDS.iter().find(|f| f.0 == name).map(|f| (f.1, value.trim()))
}

/// Is this line a metadata field such as "Language: English"?
pub(super) fn is_field(line: &[u8]) -> bool {
    memchr::memchr(b':', line).is_some_and(|c| c < 24) && field(&decode(line)).is_some()
}

/// A line that continues the field above: no field of its own, not a marker, not another notice.
fn field_free(line: &str) -> bool {
    !line.contains("***")
        && !line.split_once(':').is_some_and(|(n, _)| n.len() < 24 && !n.contains(' '))
        && field(line).is_none()
        && !line.starts_with('[')
        && !line.to_ascii_lowercase().contains("release date")
}

fn ebook_number(line: &str) -> String {
    let lower = line.to_ascii_lowercase();
    let Some(at) = lower.find("book #").or_else(|| lower.find("text #")) else {
        return String::new();
    };
    lower[at + 6..].chars().take_while(char::is_ascii_digit).collect()
}

/// UTF-8 if valid, else Latin-1.
pub(super) fn decode(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|&b| b as char).collect(), str::to_string)
}

/// Words of title and author, to know the book's own title page.
#[derive(Default, Debug)]
pub(super) struct TitleWords {
    title: HashSet<u64>,
    author: HashSet<u64>,
}

/// How a block relates to the title of its book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TitleMatch {
    None,
    Author,
    Title,
}

const STOP: [&[u8]; 26] = [
    b"the",
    b"a",
    b"an",
    b"of",
    b"and",
    b"by",
    b"in",
    b"to",
    b"or",
    b"on",
    b"for",
    b"with",
    b"from",
    b"is",
    b"it",
    b"at",
    b"s",
    b"project",
    b"gutenberg",
    b"gutenbergs",
    b"etext",
    b"ebook",
    b"this",
    b"start",
    b"#",
    b"end",
];

fn content(token: &[u8]) -> bool {
    !STOP.contains(&token)
}

impl TitleWords {
    /// From the metadata and the text of the marker line(s).
    pub(super) fn new(meta: &Facts, marker: &[Line]) -> Self {
        let mut words = Self::default();
        let mut tokens = Tokens::default();
        tokens.add_line(meta.title.as_bytes());
        for line in marker {
            tokens.add_line(line.text);
        }
        let small_print = tokens.all().iter().any(|t| t == b"small");
        if small_print {
            tokens.clear();
            tokens.add_line(meta.title.as_bytes());
        }
        words.title.extend(tokens.all().iter().filter(|t| content(t)).map(XxHash3_64::oneshot));
        tokens.clear();
        tokens.add_line(meta.author.as_bytes());
        words.author.extend(tokens.all().iter().filter(|t| content(t) && t.len() > 1).map(XxHash3_64::oneshot));
        words
    }

    /// Compares the first words of a block with title and author.
    pub(super) fn compare(&self, tokens: Words) -> TitleMatch {
        let (mut seen, mut title, mut author) = (0, 0, 0);
        let mut opens = false;
        for token in tokens.iter().take(12).filter(|t| content(t)) {
            let hash = XxHash3_64::oneshot(token);
            if self.title.contains(&hash) {
                opens |= seen + author == 0;
                title += 1;
                seen += 1;
            } else if self.author.contains(&hash) {
                author += 1;
            } else {
                seen += 1;
            }
        }
        let short = tokens.len() <= 40;
        let whole = title >= self.title.len() && (title >= 2 || opens) && tokens.len() <= 24;
        if short && title > 0 && (title * 5 >= seen * 3 || whole) {
            TitleMatch::Title
        } else if short && author > 0 && seen == 0 && title == 0 {
            TitleMatch::Author
        } else {
            TitleMatch::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strip::lines::edges;

    #[test]
    fn reads_a_modern_header() {
        let h = b"The Project Gutenberg EBook of Kim, by Rudyard Kipling\n\nTitle: Kim\n       A Novel\n\nAuthor: Rudyard Kipling\n\nRelease Date: May 1, 2004 [EBook #2226]\n\nLanguage: English\n";
        let m = read(&edges(h, 99, 0).head);
        assert_eq!((m.title.as_str(), m.author.as_str(), m.ebook.as_str()), ("Kim A Novel", "Rudyard Kipling", "2226"));
        assert_eq!((m.release_date.as_str(), m.language.as_str()), ("May 1, 2004", "English"));
    }

    #[test]
    fn reads_an_old_title_line() {
        let m = read(&edges(b"***The Project Gutenberg Etext of The Golden Bowl, by Henry James***\n", 9, 0).head);
        assert_eq!((m.title.as_str(), m.author.as_str()), ("The Golden Bowl", "Henry James"));
    }

    #[test]
    fn the_author_is_that_of_the_field_or_of_a_continued_title_line() {
        let shown = |text: &[u8]| {
            let edges = edges(text, 99, 0);
            author(&edges.head, &read(&edges.head).author)
        };
        let wrapped = b"The Project Gutenberg EBook of The Long Way Down the River, by Anna\nKeeper\n\n";
        assert_eq!(shown(wrapped), "Anna Keeper");
        assert_eq!(shown(&[&wrapped[..], b"Author: Anna B. Keeper\n\nAuthor: Nobody\n"].concat()), "Anna B. Keeper");
        assert_eq!(shown(b"Project Gutenberg's The Mill, by Anna Keeper, Edited\nby Tom Reader\n"), "Anna Keeper");
        let numbered = b"The Project Gutenberg Etext of The Mill, by Anna Keeper,\n#7 in our series by Anna Keeper\n";
        assert_eq!(shown(numbered), "Anna Keeper");
        assert_eq!(shown(b"Author: Anna Keeper\n        Edited and Arranged by Tom Reader\n"), "Anna Keeper");
        assert_eq!(shown(b"No title line\n"), "");
    }

    #[test]
    fn knows_a_title_page() {
        let meta = Facts { title: "The Golden Bowl".into(), author: "Henry James".into(), ..Default::default() };
        let words = TitleWords::new(&meta, &[]);
        let mut t = Tokens::default();
        t.add_line(b"THE GOLDEN BOWL, VOLUME I");
        assert_eq!(words.compare(t.all()), TitleMatch::Title);
        t.clear();
        t.add_line(b"This etext was produced by Eve Sobol, South Bend");
        assert_eq!(words.compare(t.all()), TitleMatch::None);
    }
}
