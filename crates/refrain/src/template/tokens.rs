//! Pages as tokens: words, signs, and the pieces of tags.
//!
//! White space belongs to no token, so pages that differ only in their line breaks have the same tokens. The rules know how
//! markup between angle brackets looks and nothing else; text without any is words and signs.

use crate::text::scripts::is_unspaced_or_enclosed;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word of text; one character where words are not spaced.
    Word,
    /// Any other character of text.
    Sign,
    /// Text inside a link.
    Link,
    /// `<name`.
    Open,
    /// `</name`.
    Close,
    /// The text between the name of a tag and its end.
    Inside,
    /// The `>` of a tag.
    End,
    /// Scripts, style sheets and comments.
    Raw,
}

impl Kind {
    const ALL: [Kind; 8] =
        [Kind::Word, Kind::Sign, Kind::Link, Kind::Open, Kind::Close, Kind::Inside, Kind::End, Kind::Raw];

    /// The number used in files.
    pub(crate) fn number(self) -> u8 {
        Kind::ALL.iter().position(|kind| *kind == self).unwrap_or_default() as u8
    }

    pub(crate) fn of_number(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }

    /// Text that readers see.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Kind::Word | Kind::Sign | Kind::Link)
    }
}

/// A token: a range of bytes, and the hash of its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) hash: u64,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: Kind,
}

/// The state of the tokeniser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Tag,
    Comment,
    /// A script or style sheet, up to this closing tag.
    Until(&'static [u8]),
}

/// The tokens of a page. Pages of 4 GiB and more are cut there.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let text = text.get(..text.floor_char_boundary(u32::MAX as usize - 1)).unwrap_or(text);
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 3);
    let mut state = State::Text;
    let mut after_tag = State::Text;
    let mut link = Link::default();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            at += 1;
            continue;
        }
        let start = at;
        let mut kind = match state {
            State::Text if link.is_open() => Kind::Link,
            State::Text => Kind::Word,
            State::Tag => Kind::Inside,
            State::Comment | State::Until(_) => Kind::Raw,
        };
        let rest = &bytes[at..];
        at = match state {
            State::Text if rest.starts_with(b"<!--") => {
                (state, kind) = (State::Comment, Kind::Raw);
                at + 4
            }
            State::Text if opens_tag(rest) => {
                let name = 1 + rest[1..].iter().skip(1).take_while(|byte| byte.is_ascii_alphanumeric()).count() + 1;
                kind = if rest[1] == b'/' { Kind::Close } else { Kind::Open };
                (state, after_tag) = (State::Tag, State::Text);
                link.pass(&rest[1..name], rest);
                match &rest[1..name] {
                    tag if tag.eq_ignore_ascii_case(b"script") => after_tag = State::Until(b"</script"),
                    tag if tag.eq_ignore_ascii_case(b"style") => after_tag = State::Until(b"</style"),
                    _ => {}
                }
                at + name
            }
            State::Until(end) if rest.len() >= end.len() && rest[..end.len()].eq_ignore_ascii_case(end) => {
                (state, after_tag, kind) = (State::Tag, State::Text, Kind::Close);
                at + end.len()
            }
            State::Comment if rest.starts_with(b"-->") => {
                state = State::Text;
                at + 3
            }
            State::Tag if byte == b'>' => {
                (state, kind) = (after_tag, Kind::End);
                at + 1
            }
            _ => {
                let (end, word) = word_or_sign(text, at);
                if kind == Kind::Word && !word {
                    kind = Kind::Sign;
                }
                end
            }
        };
        tokens.push(Token { hash: hash(&bytes[start..at]), start: start as u32, end: at as u32, kind });
    }
    tokens
}

/// Whether a link is open: from a tag with a target up to its end tag, or to the end of its block if it is never
/// closed.
#[derive(Default)]
struct Link {
    /// Blocks opened inside the link and still open, plus one for the link itself.
    depth: u32,
}

/// Elements that end what is open in them.
const BLOCKS: [&[u8]; 20] = [
    b"article", b"body", b"dd", b"div", b"dl", b"dt", b"footer", b"header", b"li", b"main", b"nav", b"ol", b"p",
    b"section", b"table", b"tbody", b"td", b"th", b"tr", b"ul",
];

impl Link {
    fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Processes a tag: its name, and the page from the tag on.
    fn pass(&mut self, name: &[u8], rest: &[u8]) {
        let (closing, name) = name.strip_prefix(b"/").map_or((false, name), |name| (true, name));
        if name.eq_ignore_ascii_case(b"a") {
            let tag = &rest[..memchr::memchr(b'>', rest).unwrap_or(rest.len())];
            let leads = tag.windows(5).any(|part| part.eq_ignore_ascii_case(b"href="));
            self.depth = u32::from(!closing && leads);
        } else if self.is_open() && BLOCKS.iter().any(|block| name.eq_ignore_ascii_case(block)) {
            self.depth = if closing { self.depth - 1 } else { self.depth.saturating_add(1) };
        }
    }
}

/// True where a tag begins, and not only a sign that looks like one.
fn opens_tag(rest: &[u8]) -> bool {
    rest[0] == b'<' && rest.get(1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'))
}

/// Where the word or sign at a position ends, and whether it is a word.
fn word_or_sign(text: &str, at: usize) -> (usize, bool) {
    let mut end = at;
    for character in text[at..].chars() {
        if character.is_ascii_alphanumeric() || (!character.is_ascii() && character.is_alphanumeric()) {
            if is_unspaced_or_enclosed(character) {
                return (if end == at { at + character.len_utf8() } else { end }, true);
            }
            end += character.len_utf8();
        } else if end == at {
            return (at + character.len_utf8(), false);
        } else {
            break;
        }
    }
    (end, true)
}

/// The hash of a token. Its values are in files of evidence: they never change.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0_u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(GOLDEN);
        hash ^= hash >> 29;
    }
    hash.wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ (hash >> 31)
}

/// The hash of several consecutive tokens.
pub(crate) fn gram(hashes: impl Iterator<Item = u64>) -> u64 {
    let hash = hashes.fold(0_u64, |hash, next| (hash.rotate_left(5) ^ next).wrapping_mul(GOLDEN));
    hash ^ (hash >> 32)
}

/// 2 to the power of 64, divided by the golden ratio.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Characters of a token.
pub(crate) fn chars(text: &str, token: &Token) -> usize {
    let bytes = text.as_bytes().get(token.start as usize..token.end as usize).unwrap_or_default();
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<(&str, Kind)> {
        tokens(text).iter().map(|token| (&text[token.start as usize..token.end as usize], token.kind)).collect()
    }

    #[test]
    fn tags_words_and_signs() {
        let wanted = [
            ("<p", Kind::Open),
            ("id", Kind::Inside),
            ("=", Kind::Inside),
            ("x", Kind::Inside),
            (">", Kind::End),
            ("Ein", Kind::Word),
            ("<a", Kind::Open),
            ("href", Kind::Inside),
            ("=", Kind::Inside),
            ("y", Kind::Inside),
            (">", Kind::End),
            ("Über3", Kind::Link),
            ("</a", Kind::Close),
            (">", Kind::End),
            (".", Kind::Sign),
            ("2", Kind::Word),
            ("<", Kind::Sign),
            ("3", Kind::Word),
        ];
        assert_eq!(show("<p id=x> Ein\n<a href=y>Über3</a>. 2 < 3"), wanted);
    }

    #[test]
    fn scripts_and_comments_are_raw_up_to_their_ends() {
        let kinds: Vec<Kind> = show("<script>a</p></SCRIPT>b<!-- c --> d").into_iter().map(|(_, kind)| kind).collect();
        let raw = [Kind::Raw; 5];
        assert_eq!(kinds[..2], [Kind::Open, Kind::End]);
        assert_eq!(kinds[2..7], raw);
        assert_eq!(kinds[7..], [Kind::Close, Kind::End, Kind::Word, Kind::Raw, Kind::Raw, Kind::Raw, Kind::Word]);
    }

    #[test]
    fn links_that_nobody_closes_end_with_their_block() {
        let links = |page| -> Vec<&str> {
            show(page).into_iter().filter(|(_, kind)| *kind == Kind::Link).map(|(text, _)| text).collect()
        };
        assert!(links("<a name=top><p>one</p>").is_empty());
        assert_eq!(links("<p><a href=x>one</p><p>two</p>"), ["one"]);
        assert_eq!(links("<a href=x><div>one</div><p>two</p></a> three"), ["one", "two"]);
    }

    #[test]
    fn unspaced_scripts_are_cut_into_characters() {
        assert_eq!(show("日本語abc語"), ["日", "本", "語", "abc", "語"].map(|word| (word, Kind::Word)));
        assert!(show("").is_empty() && show(" \r\n").is_empty());
        assert_eq!(show("<").len(), 1);
    }
}
