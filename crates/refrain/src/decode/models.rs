//! The languages that can be identified, by their scripts and letter n-grams: data in the repository.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use super::ngrams::{Gram, Key, ORDER, Table};
use super::symbols::SPACE;

/// The shipped models. `make languages` builds them; see CONTRIBUTING.md.
static SHIPPED: &[u8] = include_bytes!("../../data/languages.model");

/// The first line of a file of models.
pub(super) const HEAD: &[u8] = b"refrain languages 1\n";

/// Codes and initial costs of languages: rare ones need more evidence.
pub(super) type Languages = Vec<(String, u8)>;

/// Languages distinguished by their letters: those of one script, or of one writing system.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) languages: Languages,
    grams: Vec<u8>,
    table: OnceLock<Table>,
}

impl Group {
    /// The table, built on first use.
    pub(super) fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::new(self.languages.len(), &unpack_grams(&self.grams).unwrap_or_default()))
    }

    /// The column of a language.
    pub(super) fn column(&self, code: &str) -> Option<usize> {
        self.languages.iter().position(|(known, _)| known == code)
    }

    /// The language code that users see. The windows-1258 form of Vietnamese is Vietnamese.
    pub(super) fn code(&self, column: usize) -> &str {
        let code = &self.languages[column].0;
        if code == TONES_APART { "vi" } else { code }
    }
}

/// Vietnamese with the tone marks after its letters.
pub const TONES_APART: &str = "vi-apart";

/// All groups.
#[derive(Debug, Default)]
pub(super) struct Models {
    pub(super) groups: Vec<Group>,
}

impl Models {
    /// The models that ship with the library.
    pub(super) fn shipped() -> &'static Models {
        static MODELS: OnceLock<Models> = OnceLock::new();
        MODELS.get_or_init(|| {
            let read = zstd::stream::decode_all(SHIPPED).ok().and_then(|bytes| Models::parse(&bytes));
            debug_assert!(read.is_some(), "the shipped models can be read");
            // The tests read the same bytes, so unreadable models are never shipped.
            read.unwrap_or_default()
        })
    }

    /// Reads models.
    fn parse(bytes: &[u8]) -> Option<Models> {
        let mut reader = Reader(bytes.strip_prefix(HEAD)?);
        let mut groups = Vec::new();
        for _ in 0..reader.byte()? {
            let name = reader.string()?;
            let languages =
                (0..reader.byte()?).map(|_| Some((reader.string()?, reader.byte()?))).collect::<Option<_>>()?;
            let length = usize::try_from(reader.number()?).ok()?;
            let grams = reader.take(length)?.to_vec();
            groups.push(Group { name, languages, grams, table: OnceLock::new() });
        }
        Some(Models { groups })
    }

    /// A group by its name.
    pub(super) fn group(&self, name: &str) -> Option<(usize, &Group)> {
        self.groups.iter().enumerate().find(|(_, group)| group.name == name)
    }
}

/// The n-grams of a group: each as the difference from the previous one, with its languages and costs; shorter ones
/// first.
fn unpack_grams(bytes: &[u8]) -> Option<Vec<Gram>> {
    let mut reader = Reader(bytes);
    let mut grams = Vec::new();
    let mut key: Key = 0;
    while !reader.0.is_empty() {
        key = key.wrapping_add(reader.number()?);
        let costs = (0..reader.byte()?).map(|_| Some((reader.byte()?, reader.byte()?))).collect::<Option<_>>()?;
        grams.push((key, costs));
    }
    Some(grams)
}

/// Writes models as `Models::parse` reads them: groups with their languages, initial costs, and n-grams sorted by
/// length and number.
pub fn pack(groups: &[(String, Languages, Vec<Gram>)]) -> std::io::Result<Vec<u8>> {
    let mut bytes = HEAD.to_vec();
    bytes.push(groups.len() as u8);
    for (name, languages, grams) in groups {
        put_string(&mut bytes, name);
        bytes.push(languages.len() as u8);
        for (code, prior) in languages {
            put_string(&mut bytes, code);
            bytes.push(*prior);
        }
        let (mut packed, mut last) = (Vec::new(), 0);
        for (key, costs) in grams {
            put_number(&mut packed, key.wrapping_sub(last));
            last = *key;
            packed.push(costs.len() as u8);
            packed.extend(costs.iter().flat_map(|(language, cost)| [*language, *cost]));
        }
        put_number(&mut bytes, packed.len() as u64);
        bytes.extend(packed);
    }
    zstd::stream::encode_all(&bytes[..], 19)
}

fn put_string(bytes: &mut Vec<u8>, string: &str) {
    bytes.push(string.len() as u8);
    bytes.extend(string.as_bytes());
}

/// Seven bits a byte, the lowest first.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn string(&mut self) -> Option<String> {
        let length = self.byte()?;
        String::from_utf8(self.take(usize::from(length))?.to_vec()).ok()
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// The script of a letter: the name of the group that distinguishes its languages, or its only language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Several languages use it.
    Shared(&'static str),
    /// Only this language uses it.
    Own(&'static str),
    /// Chinese characters: Chinese, unless kana occur between them.
    Han,
    /// Japanese letters.
    Kana,
    /// Not of any known language.
    Unknown,
}

/// Symbols of the letters that most Latin text is written in.
pub(super) const LATIN: RangeInclusive<u16> = 0x61..=0x24f;

/// Which script a symbol belongs to; none for spaces.
#[rustfmt::skip] // a table
pub(super) fn script_of(symbol: u16) -> Option<Script> {
    Some(match symbol {
        SPACE => return None,
        0x61..=0x24f | 0x300..=0x36f | 0x1e00..=0x1eff => Script::Shared("latin"),
        0x400..=0x52f => Script::Shared("cyrillic"),
        0x600..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfeff => Script::Shared("arabic"),
        0x900..=0x97f => Script::Shared("devanagari"),
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Own("el"),
        0x531..=0x58f => Script::Own("hy"), 0x590..=0x5ff => Script::Own("he"),
        0x980..=0x9ff => Script::Own("bn"), 0xa00..=0xa7f => Script::Own("pa"), 0xa80..=0xaff => Script::Own("gu"),
        0xb00..=0xb7f => Script::Own("or"), 0xb80..=0xbff => Script::Own("ta"), 0xc00..=0xc7f => Script::Own("te"),
        0xc80..=0xcff => Script::Own("kn"), 0xd00..=0xd7f => Script::Own("ml"), 0xd80..=0xdff => Script::Own("si"),
        0xe00..=0xe7f => Script::Own("th"), 0xe80..=0xeff => Script::Own("lo"), 0xf00..=0xfff => Script::Own("bo"),
        0x1000..=0x109f => Script::Own("my"), 0x10a0..=0x10ff => Script::Own("ka"),
        0x1200..=0x139f => Script::Own("am"), 0x1780..=0x17ff => Script::Own("km"),
        0x3040..=0x30ff => Script::Kana,
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff => Script::Han,
        0x1100..=0x11ff | 0xac00..=0xd7af => Script::Own("ko"),
        _ => Script::Unknown,
    })
}

/// The languages with a script of their own, besides those of [`Script::Han`] and [`Script::Kana`].
pub(super) const OWN_SCRIPT: [&str; 19] =
    ["am", "bn", "bo", "el", "gu", "he", "hy", "ka", "km", "kn", "ko", "lo", "ml", "my", "or", "pa", "si", "ta", "te"];

/// A window of letters that moves over a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Window(pub(super) Key);

impl Window {
    /// Adds the next letter; false for a space after a space, which is ignored.
    #[inline]
    pub(super) fn push(&mut self, symbol: u16) -> bool {
        if symbol == SPACE && self.0 as u16 == SPACE {
            return false;
        }
        // The longest n-grams fill the key.
        const { assert!(ORDER * 16 == Key::BITS as usize) };
        self.0 = self.0 << 16 | Key::from(symbol);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_models_can_be_read() {
        let bytes = zstd::stream::decode_all(SHIPPED).expect("packed");
        let models = Models::parse(&bytes).expect("models");
        for group in &models.groups {
            assert!(unpack_grams(&group.grams).is_some_and(|grams| grams.len() > 1000), "{}", group.name);
        }
    }

    #[test]
    fn models_are_read_as_they_were_written() {
        let grams = vec![(97, vec![(0, 30)]), (98, vec![(0, 40), (1, 50)]), (0x61_0062, vec![(1, 7)])];
        let languages = vec![("aa".to_owned(), 0), ("bb".to_owned(), 48)];
        let packed = pack(&[("latin".to_owned(), languages.clone(), grams.clone())]).expect("packed");
        let bytes = zstd::stream::decode_all(&packed[..]).expect("unpacked");
        let models = Models::parse(&bytes).expect("models");
        assert_eq!(models.groups[0].languages, languages);
        assert_eq!(unpack_grams(&models.groups[0].grams), Some(grams));
        assert!(Models::parse(&bytes[..bytes.len() - 1]).is_none());
    }
}
