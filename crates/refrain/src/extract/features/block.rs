//! The measures of a block's own text.

use super::share;
use crate::document::Block;

/// The measures of a single block.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub(super) struct Measure {
    pub(super) words: f32,
    pub(super) chars: f32,
    pub(super) link_words: f32,
    pub(super) link_density: f32,
    pub(super) commas: f32,
    pub(super) ends: f32,
    pub(super) digits: f32,
    pub(super) capitals: f32,
    pub(super) long_words: f32,
    pub(super) symbols: f32,
    pub(super) ends_sentence: bool,
    pub(super) begins_lower: bool,
    /// It reads like running text.
    pub(super) good: bool,
    pub(super) hash: u32,
    /// How many blocks of the page have the same text.
    pub(super) copies: f32,
    /// The same text occurs earlier in the page.
    pub(super) repeated: bool,
    pub(super) title_overlap: f32,
    pub(super) dates: f32,
    pub(super) cues: [f32; Cue::COUNT],
    /// The nearest ancestor that holds more than this block.
    pub(super) container: u32,
}

impl Measure {
    pub(super) fn of(block: &Block, text: &str, title_words: &[u32]) -> Measure {
        let mut measure = Measure::default();
        let bytes = text.as_bytes();
        let mut between = true;
        let mut length = 0;
        // Characters of scripts that do not separate words with spaces.
        let mut unspaced = 0.0;
        for (i, &byte) in bytes.iter().enumerate() {
            if byte <= b' ' {
                measure.long_words += f32::from(u8::from(length > 6));
                (between, length) = (true, 0);
                continue;
            }
            if between {
                measure.words += 1.0;
                measure.capitals += f32::from(u8::from(byte.is_ascii_uppercase()));
                between = false;
            }
            if byte & 0xc0 != 0x80 {
                length += 1;
                measure.chars += 1.0;
            }
            match byte {
                b',' | b';' => measure.commas += 1.0,
                b'.' | b'!' | b'?' => {
                    let last =
                        bytes.get(i + 1).is_none_or(|&next| matches!(next, b' ' | b'\n' | b'"' | b'\'' | b')' | 0xe2));
                    measure.ends += f32::from(u8::from(last));
                }
                b'|' | b'{' | b'}' | b'<' | b'>' | b'=' | b'_' | b'/' | b'\\' | b'@' | b'#' | b'$' => {
                    measure.symbols += 1.0;
                }
                // Bullets, guillemets, the copyright and trademark signs.
                0xc2 if matches!(bytes.get(i + 1), Some(0xa9 | 0xae | 0xab | 0xbb | 0xb7)) => measure.symbols += 2.0,
                0xe2 if matches!(bytes.get(i + 1..i + 3), Some([0x80, 0xa2 | 0xb9 | 0xba] | [0x86..=0x9e, _])) => {
                    measure.symbols += 2.0;
                }
                b'0'..=b'9' => {
                    measure.digits += 1.0;
                    measure.dates += f32::from(u8::from(begins_date(bytes, i)));
                }
                // Chinese and Japanese; their full stops and commas.
                0xe3..=0xe9 => {
                    unspaced += 1.0;
                    match bytes.get(i..i + 3) {
                        Some([0xe3, 0x80, 0x82]) => measure.ends += 1.0,
                        Some([0xe3, 0x80, 0x81]) => measure.commas += 1.0,
                        _ => {}
                    }
                }
                // Thai, Lao, Khmer.
                0xe0 if matches!(bytes.get(i + 1), Some(0xb8..=0xbb)) => unspaced += 0.5,
                0xe1 if matches!(bytes.get(i + 1), Some(0x9e | 0x9f)) => unspaced += 0.5,
                // Full stops of Indian and Arabic scripts, and full-width ones.
                0xe0 if matches!(bytes.get(i + 1..i + 3), Some([0xa5, 0xa4 | 0xa5])) => measure.ends += 1.0,
                0xef if matches!(bytes.get(i + 1..i + 3), Some([0xbc, 0x81 | 0x9f])) => measure.ends += 1.0,
                0xef if matches!(bytes.get(i + 1..i + 3), Some([0xbc, 0x8c])) => measure.commas += 1.0,
                0xd8 if bytes.get(i + 1) == Some(&0x9f) => measure.ends += 1.0,
                0xd8 if bytes.get(i + 1) == Some(&0x8c) => measure.commas += 1.0,
                _ => {}
            }
        }
        measure.long_words += f32::from(u8::from(length > 6));
        measure.words += (unspaced * 0.5_f32).floor();
        measure.link_density = share(block.link_chars as f32, measure.chars).min(1.0);
        measure.link_words = measure.words * measure.link_density;
        let end = text.trim_end_matches(['"', '\'', ')', '”', '’', '»', ']']);
        measure.ends_sentence = end.ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟', ':']);
        measure.begins_lower = bytes.first().is_some_and(u8::is_ascii_lowercase);
        measure.good = measure.words >= 10.0
            && measure.link_density < 0.4
            && ((measure.ends_sentence && !end.ends_with(':')) || measure.words >= 20.0);
        let mut hash = 0_u32;
        let (mut known, mut content) = (0.0, 0.0);
        let few = measure.words < Cue::LONGEST_BLOCK;
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            let mixed = u64::from_le_bytes(eight).wrapping_add(u64::from(hash)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash = (mixed >> 32) as u32;
        }
        measure.hash = hash;
        if few {
            let table = cue_table();
            each_word(text, |word, length| {
                let mut slot = word as usize % CUE_TABLE;
                while table[slot].1 != 0 {
                    if table[slot].0 == word {
                        measure.cues[usize::from(table[slot].1) - 1] += 1.0;
                        break;
                    }
                    slot = (slot + 1) % CUE_TABLE;
                }
                if length > 2 {
                    content += 1.0;
                    known += f32::from(u8::from(title_words.contains(&word)));
                }
            });
            measure.title_overlap = share(known, content) * share(known, title_words.len() as f32).min(1.0);
        }
        measure
    }
}

/// Groups of words that do not belong to the content of a page.
pub(super) struct Cue;

impl Cue {
    pub(super) const COUNT: usize = 8;
    pub(super) const COMMENT: usize = 0;
    pub(super) const SUBSCRIBE: usize = 2;
    pub(super) const LEGAL: usize = 3;
    pub(super) const SHOP: usize = 7;
    pub(super) const RELATED: usize = 4;
    /// Longer blocks are running text, whatever their words.
    const LONGEST_BLOCK: f32 = 60.0;
}

pub(super) const CUE_NAMES: [&str; Cue::COUNT] =
    ["cue_comment", "cue_share", "cue_subscribe", "cue_legal", "cue_related", "cue_credit", "cue_posted", "cue_shop"];

#[rustfmt::skip]
const CUES: [&[&str]; Cue::COUNT] = [
    &["comment", "comments", "reply", "replies", "responses", "response", "commentaire", "commentaires", "kommentar", "kommentare",
      "kommentarer", "comentario", "comentarios", "comentários", "comentário", "commenti", "commento", "reacties", "reactie",
      "комментарии", "комментарий", "комментариев", "komentarze", "komentarz", "komentáře", "commented", "says", "said", "wrote", "anonymous",
      "yorum", "yorumlar", "hozzászólás", "評論", "评论", "コメント", "leave", "permalink", "reactions", "discuss", "discussion"],
    &["share", "facebook", "twitter", "tweet", "email", "print", "linkedin", "pinterest", "whatsapp", "reddit", "follow", "like", "digg",
      "teilen", "partager", "compartir", "compartilhar", "condividi", "delen", "delicious", "stumbleupon", "bookmark", "friend", "instagram", "youtube", "rss"],
    &["subscribe", "newsletter", "sign", "register", "login", "log", "account", "password", "subscription", "inbox", "abonnieren", "suscríbete",
      "subscribers", "join", "download", "app", "free", "submit", "enter", "click", "unsubscribe", "username", "registered"],
    &["copyright", "rights", "reserved", "privacy", "policy", "terms", "cookies", "cookie", "disclaimer", "conditions", "trademark", "trademarks",
      "datenschutz", "impressum", "confidentialité", "privacidad", "inc", "llc", "powered", "reproduced", "permission", "opinions"],
    &["related", "more", "read", "see", "also", "recommended", "popular", "latest", "recent", "previous", "next", "archives", "categories", "tags",
      "trending", "mehr", "plus", "más", "weitere", "leia", "stories", "articles", "posts", "links", "similar", "related:", "similaires", "relacionadas", "interest"],
    &["photo", "credit", "getty", "images", "reuters", "image", "photograph", "photos", "picture", "courtesy", "foto", "afp", "caption", "file",
      "video", "watch", "gallery", "slideshow", "shutterstock", "pictured", "illustration", "pictures", "associated"],
    &["posted", "published", "updated", "by", "pm", "am", "ago", "on", "edt", "est", "gmt", "author", "editor", "written", "reporter", "staff",
      "minutes", "hours", "days", "date", "par", "von", "por", "views", "filed", "under", "am:", "correspondent"],
    &["price", "cart", "buy", "shipping", "add", "sale", "quantity", "stock", "delivery", "checkout", "shop", "order", "wishlist", "compare",
      "advertisement", "sponsored", "ad", "ads", "advertise", "offer", "deals", "off", "usd", "reviews", "customers", "rating", "stars"],
];

const CUE_TABLE: usize = 1024;

/// Maps the hashes of cue words to their group plus one.
fn cue_table() -> &'static [(u32, u8); CUE_TABLE] {
    static TABLE: std::sync::OnceLock<[(u32, u8); CUE_TABLE]> = std::sync::OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = [(0, 0); CUE_TABLE];
        for (group, words) in CUES.iter().enumerate() {
            for word in *words {
                each_word(word, |hash, _| {
                    let mut slot = hash as usize % CUE_TABLE;
                    while table[slot].1 != 0 && table[slot].0 != hash {
                        slot = (slot + 1) % CUE_TABLE;
                    }
                    table[slot] = (hash, group as u8 + 1);
                });
            }
        }
        table
    })
}

/// True if a year or a time of day starts here.
fn begins_date(bytes: &[u8], at: usize) -> bool {
    if at > 0 && bytes[at - 1].is_ascii_digit() {
        return false;
    }
    let digit = |step: usize| bytes.get(at + step).is_some_and(u8::is_ascii_digit);
    match bytes[at] {
        b'1' if bytes.get(at + 1) == Some(&b'9') && digit(2) && digit(3) && !digit(4) => true,
        b'2' if bytes.get(at + 1) == Some(&b'0') && digit(2) && digit(3) && !digit(4) => true,
        _ => {
            let colon = 1 + usize::from(digit(1));
            bytes.get(at + colon) == Some(&b':') && digit(colon + 1) && digit(colon + 2) && !digit(colon + 3)
        }
    }
}

/// Calls `each` with the hash of each word in lower case and its length.
pub(super) fn each_word(text: &str, mut each: impl FnMut(u32, usize)) {
    let (mut hash, mut length) = (0_u32, 0);
    for byte in text.bytes().chain([b' ']) {
        if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            hash = (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193).rotate_left(5);
            length += 1;
        } else if length > 0 {
            each(hash, length);
            (hash, length) = (0, 0);
        }
    }
}
