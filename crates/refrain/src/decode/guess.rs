//! Guesses encoding and language together, from the letters that the bytes represent.
//!
//! Each candidate encoding turns the bytes into letters, and each language written in it assigns a cost to these
//! letters. The cheapest pair wins. Only bytes above ASCII and their neighbours distinguish encodings, and a few
//! occurrences of each byte are enough.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::OnceLock;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS};
use foldhash::fast::FixedState;

use super::charsets::Charset;
use super::models::{Models, TONES_APART, Window};
use super::ngrams::{Found, Key, STEP, Table};
use super::symbols::{SPACE, symbol};

/// The result of a guess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Guess {
    pub(super) charset: Charset,
    /// The next best encoding that makes another text of the bytes.
    pub(super) second: Option<Charset>,
    pub(super) language: &'static str,
    /// How sure it is, from 0 to 1.
    pub(super) confidence: f32,
    /// How many different words with bytes above ASCII it is based on; bytes, if words are not apart.
    pub(super) judged_by: usize,
}

/// What is known in advance.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known<'a> {
    /// The language: no other is considered.
    pub(super) language: Option<&'a str>,
    /// What the document declares: evidence, but not proof.
    pub(super) declared: Option<Charset>,
    /// What the server declares, which is more often right.
    pub(super) served: Option<Charset>,
    /// The top-level domain of the source.
    pub(super) domain: Option<&'a str>,
}

/// How often each byte is examined, with its neighbours.
const EACH_BYTE: u16 = 24;
/// How many letters a byte can change the cost of, itself included.
const REACH: usize = super::ngrams::ORDER;
/// Bytes above ASCII examined before the first encodings are dropped; then twice as many, and so on.
const FIRST_LOOK: usize = 16;
/// An encoding that costs this much more than the cheapest one is dropped.
const GIVEN_UP: i64 = 560;
/// An encoding is not examined further if its letters alone cost this much more, plus this much more per byte above
/// ASCII.
const HOPELESS: i64 = 400;
const HOPELESS_EACH: i64 = 48;
/// After this many bytes above ASCII, bytes with the same meaning in all remaining encodings add nothing.
const ALL_ALIKE: usize = 64;
/// The maximum length of a stretch, so that encodings can be dropped in between.
const LONGEST_STRETCH: usize = 32;
/// The average cost of an ASCII letter: windows are compared by their excess over it.
const AVERAGE: i64 = 44;
/// If bytes above ASCII cost more on average, the text is probably in none of these encodings and languages; and the
/// confidence in that case. A few bytes may well cost more.
const DOUBTFUL: i64 = 105;
const FEW_BYTES: usize = 6;
const NO_TEXT: f32 = 0.3;
/// The largest confidence in an encoding other than the usual Western ones, if all evidence is one word with at most this many bytes above
/// ASCII: a few letters are words of many languages.
const ONE_WORD: f32 = 0.4;
const SHORT_WORD: usize = 4;
/// Letters on each side of a byte above ASCII by which its word is known.
const WORD_SIDE: usize = 4;
/// The weight of a declaration, and of one that decodes the text without errors.
const DECLARED: i64 = 48;
const DECLARED_AND_SOUND: i64 = 320;
/// The weight of the server's declaration.
const SERVED: i64 = 144;
/// The weight of the domain.
const DOMAIN: i64 = 32;
/// A byte without a character, or a control character.
const IMPOSSIBLE: i64 = 1055;
/// A capital inside a word.
const CAPITAL_INSIDE: i64 = 96;
/// A word in two scripts; a Latin letter among those of another script.
const TWO_SCRIPTS: i64 = 112;
/// A closing quotation mark that opens a word.
const WRONG_QUOTE: i64 = 64;
/// A letter of another script on its own: what Western signs and accents become in the encodings of these scripts.
const ALONE: i64 = 64;
/// An encoding of another script or of other languages than the Western ones, for a text without any of its letters. Signs alone
/// occur in Western encodings.
const NO_LETTERS: i64 = 400;
/// A sign between two letters, unless it occurs there: an apostrophe, a dash.
const SIGN_INSIDE: i64 = 240;
/// A word in another language of the same script, such as a name.
const OTHER_LANGUAGE: u32 = 64;
/// How many ASCII letters are examined for the language.
const ASCII_LETTERS: usize = 128;
/// The most that ASCII can count against a language: pages often have English around their text.
const MOST_BY_ASCII: u32 = 200;
/// Bytes examined for multi-byte encodings: first a few, then more for the plausible ones.
const WIDE_LOOKS: [usize; 2] = [192, 1600];
/// A Chinese character or the like next to a letter of ASCII.
const WIDE_BESIDE_ASCII: i64 = 48;

/// The meaning of a byte in an encoding.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)] // properties of a character
struct Entry {
    symbol: u16,
    /// The cost of a character that is not a letter.
    cost: u8,
    kind: Kind,
    latin: bool,
    closing_quote: bool,
    /// It is not an ASCII character.
    above: bool,
    /// A sign that does not occur between letters.
    parts: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Other,
    Impossible,
}

/// A single-byte encoding.
#[derive(Debug)]
struct Single {
    charset: Charset,
    entries: Box<[Entry; 256]>,
    group: usize,
    is_latin: bool,
    is_western: bool,
    /// Columns of the languages that are written in it.
    languages: Vec<usize>,
    /// Its initial cost: rare encodings need more evidence.
    prior: i64,
    /// The cost of letters above ASCII on their own, in their cheapest language.
    letters: Box<[u8; 256]>,
}

const WESTERN: &str = "en de fr es it pt nl sv da no fi is ga eu ca gl af id ms sw tl la et sq cy";
const CENTRAL: &str = "cs sk pl hu sl hr bs sr ro sq";

/// Single-byte encodings: name, group, languages, initial cost.
#[rustfmt::skip] // a table
const SINGLE: [(&str, &str, &str, i64); 29] = [
    ("windows-1252", "latin", WESTERN, 0), ("ISO-8859-15", "latin", WESTERN, 24), ("macintosh", "latin", WESTERN, 128),
    ("windows-1250", "latin", CENTRAL, 16), ("ISO-8859-2", "latin", CENTRAL, 20), ("ISO-8859-16", "latin", "ro", 112),
    ("windows-1257", "latin", "lt lv et", 32), ("ISO-8859-13", "latin", "lt lv et", 40), ("ISO-8859-4", "latin", "lt lv et", 128),
    ("windows-1254", "latin", "tr az", 32), ("windows-1258", "latin", TONES_APART, 48), ("ISO-8859-3", "latin", "eo", 128),
    ("IBM850", "latin", WESTERN, 128), ("IBM437", "latin", WESTERN, 136), ("IBM852", "latin", CENTRAL, 128),
    ("windows-1251", "cyrillic", "ru uk be bg mk sr kk mn tg uz", 0), ("KOI8-R", "cyrillic", "ru bg", 24),
    ("KOI8-U", "cyrillic", "uk ru be", 28), ("ISO-8859-5", "cyrillic", "ru bg mk sr be uk", 32),
    ("IBM866", "cyrillic", "ru be uk bg", 48), ("IBM855", "cyrillic", "ru bg sr mk be uk", 80),
    ("x-mac-cyrillic", "cyrillic", "ru uk be bg mk sr", 64),
    ("windows-1253", "greek", "el", 0), ("ISO-8859-7", "greek", "el", 8), ("windows-1255", "hebrew", "he", 0),
    ("ISO-8859-8", "hebrew", "he", 8), ("windows-1256", "arabic", "ar fa ur", 0), ("ISO-8859-6", "arabic", "ar", 8),
    ("windows-874", "thai", "th", 0),
];

/// Encodings with several bytes for most characters, and the languages written in them.
static WIDE: [(&Encoding, &[&str]); 5] = [
    (SHIFT_JIS, &["ja"]),
    (EUC_JP, &["ja"]),
    (EUC_KR, &["ko"]),
    (GB18030, &["zh-hans", "zh-hant"]),
    (BIG5, &["zh-hant"]),
];

/// Languages by the country domains where most text is in them. Domains are not language codes: .uk is not Ukrainian,
/// .ar is not Arabic.
#[rustfmt::skip] // a table
const DOMAINS: [(&str, &str); 58] = [
    ("ae", "ar"), ("al", "sq"), ("ar", "es"), ("at", "de"), ("az", "az"), ("ba", "bs"), ("bg", "bg"), ("br", "pt"),
    ("by", "be"), ("cat", "ca"), ("ch", "de"), ("cl", "es"), ("cn", "zh-hans"), ("co", "es"), ("cz", "cs"), ("de", "de"),
    ("dk", "da"), ("ee", "et"), ("eg", "ar"), ("es", "es"), ("eus", "eu"), ("fi", "fi"), ("fr", "fr"), ("gal", "gl"),
    ("gr", "el"), ("hk", "zh-hant"), ("hr", "hr"), ("hu", "hu"), ("id", "id"), ("il", "he"), ("ir", "fa"), ("is", "is"),
    ("it", "it"), ("jp", "ja"), ("kr", "ko"), ("lt", "lt"), ("lv", "lv"), ("mk", "mk"), ("mx", "es"), ("my", "ms"),
    ("nl", "nl"), ("no", "no"), ("pk", "ur"), ("pl", "pl"), ("pt", "pt"), ("ro", "ro"), ("rs", "sr"), ("ru", "ru"),
    ("sa", "ar"), ("se", "sv"), ("si", "sl"), ("sk", "sk"), ("su", "ru"), ("th", "th"), ("tr", "tr"), ("tw", "zh-hant"),
    ("ua", "uk"), ("vn", "vi"),
];

impl Single {
    fn all() -> &'static [Single] {
        static ALL: OnceLock<Vec<Single>> = OnceLock::new();
        ALL.get_or_init(|| SINGLE.into_iter().filter_map(Single::new).collect())
    }

    fn new((name, group, languages, prior): (&str, &str, &str, i64)) -> Option<Single> {
        let charset = Charset::for_label(name)?;
        let is_western = languages == WESTERN;
        let (number, found) = Models::shipped().group(group)?;
        let entries = (0..=u8::MAX).map(|byte| Entry::of(charset.single(byte))).collect::<Vec<_>>();
        let languages: Vec<usize> = languages.split(' ').filter_map(|code| found.column(code)).collect();
        let mut sums = Vec::new();
        let alone = |entry: &Entry| {
            sums.clear();
            sums.resize(found.table().width(), 0);
            if entry.above && entry.symbol != SPACE && (group == "latin") == entry.latin {
                found.table().add(&[Key::from(entry.symbol)], &mut sums);
            }
            languages.iter().map(|&language| sums[language] as u8).min().unwrap_or_default()
        };
        let letters = entries.iter().map(alone).collect::<Vec<_>>();
        Some(Single {
            letters: letters.try_into().ok()?,
            charset,
            entries: entries.try_into().ok()?,
            group: number,
            is_latin: group == "latin",
            is_western,
            languages,
            prior,
        })
    }
}

impl Entry {
    const IMPOSSIBLE: Entry = Entry {
        symbol: SPACE,
        cost: 0,
        kind: Kind::Impossible,
        latin: false,
        closing_quote: false,
        above: true,
        parts: false,
    };

    fn of(c: Option<char>) -> Entry {
        let Some(c) = c else { return Entry::IMPOSSIBLE };
        if matches!(c, '\u{80}'..='\u{9f}' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}') {
            return Entry::IMPOSSIBLE;
        }
        let symbol = symbol(c);
        let kind = match c {
            _ if symbol == SPACE => Kind::Other,
            _ if c.is_uppercase() => Kind::Upper,
            _ => Kind::Lower,
        };
        let latin = symbol != SPACE && matches!(c, '\0'..='\u{24f}' | '\u{300}'..='\u{36f}' | '\u{1e00}'..='\u{1eff}');
        let cost = if symbol == SPACE && !c.is_ascii() { sign_cost(c) } else { 0 };
        let joins =
            matches!(c, '’' | '‘' | '–' | '—' | '…' | '·' | '•' | '\u{a0}' | '\u{ad}' | '\u{200c}'..='\u{200f}');
        let parts = cost > 0 && !joins;
        Entry { symbol, cost, kind, latin, closing_quote: c == '’', above: !c.is_ascii(), parts }
    }

    /// Its cost in any position: signs, Latin letters in another script's encoding, bytes without a character.
    fn cost_alone(self, is_latin: bool) -> i64 {
        match self.kind {
            Kind::Impossible => IMPOSSIBLE,
            _ if self.latin && self.above && !is_latin => TWO_SCRIPTS,
            _ => i64::from(self.cost),
        }
    }
}

/// The cost of signs, by how common they are in text.
#[rustfmt::skip] // a table
fn sign_cost(c: char) -> u8 {
    match c {
        '“' | '”' | '„' | '’' | '‘' | '–' | '—' | '«' | '»' | '\u{a0}' | '…' => 48,
        '¿' | '¡' => 64,
        'ª' | 'º' | '•' | '€' | '°' | '§' | '©' | '®' | '™' | '·' | '‚' | '£' | '\u{ad}' | '№' | '´' | '‹' | '›'
        | '\u{200c}'..='\u{200f}' => 80,
        '×' | '²' | '³' | '½' | '¼' | '¾' | '±' | 'µ' | '¹' | '¢' | '¥' | '†' | '÷' | '¶' | '‰' => 112,
        '\u{2500}'..='\u{25ff}' => 144,
        _ => 176,
    }
}

/// The bytes above ASCII of a text, and where enough of them are.
struct Sample<'a> {
    bytes: &'a [u8],
    /// How often each byte is examined.
    counts: [u16; 256],
    /// Their positions: stretches of a few bytes.
    stretches: Vec<(usize, usize)>,
    /// How many bytes above ASCII are examined.
    looked_at: i64,
    /// The cost of a non-Latin script, given the amount of ASCII.
    foreign: i64,
    /// The different words that hold them, as far as their nearest letters.
    words: HashSet<&'a [u8], FixedState>,
}

impl<'a> Sample<'a> {
    fn of(bytes: &'a [u8]) -> Sample<'a> {
        let words = HashSet::default();
        let mut sample = Sample { bytes, counts: [0; 256], stretches: Vec::new(), looked_at: 0, foreign: 0, words };
        let mut above = 0_usize;
        let mut from = 0;
        // Stretches of ASCII are skipped eight bytes at a time.
        while let Some(at) = next_above_ascii(bytes, from) {
            let byte = bytes[at];
            from = at + 1;
            above += 1;
            let count = &mut sample.counts[usize::from(byte)];
            if *count == EACH_BYTE {
                continue;
            }
            *count += 1;
            sample.looked_at += 1;
            sample.words.insert(word_at(bytes, at));
            let end = (at + REACH).min(bytes.len());
            match sample.stretches.last_mut() {
                Some(last) if last.1 >= at && at - last.0 < LONGEST_STRETCH => last.1 = end,
                Some(last) if last.1 > at => {
                    last.1 = at;
                    sample.stretches.push((at, end));
                }
                _ => sample.stretches.push((at, end)),
            }
        }
        // About four in five bytes of ASCII are letters.
        let ratio = 0.8 * (bytes.len() - above) as f32 / above.max(1) as f32;
        if ratio > 3.0 {
            sample.foreign = (64.0 * (ratio / 3.0).ln()) as i64;
        }
        sample
    }

    /// True if two encodings may decode the bytes to different texts.
    fn differs(&self, one: Charset, other: Charset) -> bool {
        let wide = one.has_wide_characters() || other.has_wide_characters();
        let seen = (0x80..=u8::MAX).filter(|byte| self.counts[usize::from(*byte)] > 0);
        wide || seen.into_iter().any(|byte| one.single(byte) != other.single(byte))
    }

    /// True if more than one in fifty bytes above ASCII has no character in an encoding.
    fn is_impossible(&self, single: &Single) -> bool {
        let entries = single.entries.iter().zip(&self.counts);
        let impossible = entries.filter(|(entry, _)| entry.kind == Kind::Impossible);
        50 * impossible.map(|(_, count)| i64::from(*count)).sum::<i64>() > self.looked_at
    }

    /// True if some bytes above ASCII are letters of the script of an encoding.
    fn has_letters(&self, single: &Single) -> bool {
        let seen = single.entries.iter().zip(&self.counts).filter(|(_, count)| **count > 0);
        seen.into_iter().any(|(entry, _)| entry.symbol != SPACE && entry.latin == single.is_latin)
    }

    /// True if all bytes above ASCII are in one word, and few.
    fn is_one_short_word(&self) -> bool {
        self.words.len() == 1 && self.words.iter().all(|word| above_ascii(word) <= SHORT_WORD)
    }

    /// True if an encoding decodes the bytes without errors.
    fn is_sound(&self, charset: Charset) -> bool {
        let runs = || self.runs(WIDE_LOOKS[WIDE_LOOKS.len() - 1]);
        match Single::all().iter().find(|single| single.charset == charset) {
            Some(single) => {
                let mut entries = single.entries.iter().zip(&self.counts);
                entries.all(|(entry, count)| *count == 0 || entry.kind != Kind::Impossible)
            }
            None => charset.has_wide_characters() && charset.decode(&runs()).1 == 0,
        }
    }

    /// The cost of the bytes in a multi-byte encoding, and their number.
    fn cost_wide(
        &self,
        encoding: &'static Encoding,
        most: usize,
        table: &Table,
        sums: &mut Vec<u32>,
    ) -> Option<(i64, u32)> {
        let head = self.runs(most);
        let (text, _) = encoding.decode_without_bom_handling(&head);
        let mut damaged = text.matches('\u{fffd}').count();
        // The text may be cut inside a character.
        damaged -= usize::from(text.ends_with('\u{fffd}'));
        if damaged * 100 > above_ascii(&head) {
            return None;
        }
        sums.clear();
        sums.resize(table.width(), 0);
        let mut common = 400 * i64::try_from(damaged).unwrap_or(i64::MAX / 400);
        let mut window = Window(u64::from(SPACE));
        let mut keys = Vec::with_capacity(head.len());
        let (mut letter, mut run) = (false, 0);
        for c in text.chars() {
            if c.is_ascii() {
                letter = c.is_ascii_alphabetic();
                common += if std::mem::take(&mut run) == 1 { 2 * ALONE } else { 0 };
                common += if letter && window.0 != u64::from(SPACE) { WIDE_BESIDE_ASCII } else { 0 };
                window = Window(u64::from(SPACE));
                continue;
            }
            common += if std::mem::take(&mut letter) { WIDE_BESIDE_ASCII } else { 0 };
            run += 1;
            let narrow = matches!(c, '\u{ff61}'..='\u{ff9f}');
            let symbol = symbol(c);
            let cost = match c {
                _ if narrow => 130,
                '\u{e000}'..='\u{f8ff}' => 400,
                _ if symbol != SPACE => 0,
                '\u{3000}'..='\u{3020}' | '\u{ff00}'..='\u{ff65}' | '\u{2010}'..='\u{2027}' | '·' => 60,
                _ => 150,
            };
            common += cost;
            if cost > 0 {
                window = Window(u64::from(SPACE));
            } else if window.push(symbol) {
                keys.push(window.0);
            }
        }
        table.add(&keys, sums);
        Some((common, above_ascii(&head) as u32))
    }

    /// The first bytes above ASCII, with a few bytes of ASCII after each: these may be the second bytes of characters.
    fn runs(&self, most: usize) -> Vec<u8> {
        let mut runs = Vec::with_capacity(most + 2);
        let mut from = 0;
        while let Some(at) = next_above_ascii(self.bytes, from)
            && runs.len() < most
        {
            if at > from {
                runs.extend([b'\n', self.bytes[at - 1]]);
            }
            let mut ascii = 0;
            from = at;
            while let Some(&byte) = self.bytes.get(from)
                && ascii <= REACH
                && runs.len() < most
            {
                ascii = if byte < 0x80 { ascii + 1 } else { 0 };
                runs.push(byte);
                from += 1;
            }
        }
        runs
    }
}

/// The cost so far of the examined bytes in an encoding.
struct Running {
    single: &'static Single,
    /// The cost in any language.
    common: i64,
    /// The cost of their letters alone.
    alone: i64,
    /// The cost in each language.
    sums: Vec<u32>,
}

impl Running {
    fn new(single: &'static Single, sample: &Sample<'_>) -> Running {
        let foreign = if single.is_latin { 0 } else { sample.foreign };
        let no_letters = if single.is_western || sample.has_letters(single) { 0 } else { NO_LETTERS };
        let common = single.prior + foreign + no_letters;
        let sums = vec![0; Models::shipped().groups[single.group].table().width()];
        Running { single, common, alone: 0, sums }
    }

    /// Reads a stretch of bytes: adds its language-independent cost and collects the letters that determine the rest.
    fn read(&mut self, bytes: &[u8], (from, to): (usize, usize), keys: &mut Vec<Key>) {
        let Running { single, common, alone, .. } = self;
        let start = from.saturating_sub(REACH - 1);
        let mut window = Window(if start == 0 { u64::from(SPACE) } else { 0 });
        let mut word = Word::default();
        let mut letters = 0;
        for (at, &byte) in (start..).zip(&bytes[start..to]) {
            let entry = single.entries[usize::from(byte)];
            let above = byte >= 0x80 || (at > 0 && bytes[at - 1] >= 0x80);
            let own = entry.cost_alone(single.is_latin);
            // A line of the same sign is one sign.
            let again = at > 0 && bytes[at - 1] == byte && entry.kind == Kind::Other;
            let cost = word.push(entry, above) + if again { own / 4 } else { own };
            *common += if at >= from { cost } else { 0 };
            let symbol = if entry.latin && !single.is_latin { SPACE } else { entry.symbol };
            // Letters of ASCII that no letter above ASCII precedes are the same in all encodings.
            letters = if entry.above && symbol != SPACE { REACH } else { letters };
            if window.push(symbol) && letters > 0 {
                letters -= 1;
                if at < from {
                    continue;
                }
                keys.push(window.0);
                if byte < 0x80 {
                    *common -= AVERAGE;
                    *alone += AVERAGE;
                } else {
                    *alone += i64::from(single.letters[usize::from(byte)]);
                }
            }
        }
    }

    /// The cost of letters on their own, with that of everything else.
    fn by_letters(&self) -> i64 {
        self.common + self.alone
    }

    /// The cost in a language, with the evidence for and against it.
    fn cost(&self, language: usize, known: &Evidence<'_>) -> i64 {
        let group = &Models::shipped().groups[self.single.group];
        let own = i64::from(self.sums[language]) + i64::from(group.languages[language].1);
        let against = if self.single.is_latin { known.against(language) >> u32::from(known.is_one_word) } else { 0 };
        self.common + own + against - known.bonus(self.single.charset, group.code(language))
    }

    /// The cost in the cheapest language.
    fn least(&self, known: &Evidence<'_>) -> i64 {
        known.languages(self.single).map(|language| self.cost(language, known)).min().unwrap_or(i64::MAX)
    }
}

/// What is known in advance, and what the ASCII of the text shows.
struct Evidence<'a> {
    known: Known<'a>,
    bytes: &'a [u8],
    by_ascii: OnceCell<Vec<u32>>,
    /// The weight of the declaration of the document.
    declared: i64,
    /// All evidence is one short word, which may be a name from another language than that of the text.
    is_one_word: bool,
}

impl Evidence<'_> {
    /// True for languages that are considered.
    fn wants(&self, code: &str) -> bool {
        self.known.language.is_none_or(|language| is_language(code, language))
    }

    /// The languages of an encoding that are considered.
    fn languages<'s>(&'s self, single: &'s Single) -> impl Iterator<Item = usize> + 's {
        let group = &Models::shipped().groups[single.group];
        single.languages.iter().copied().filter(|&language| self.wants(group.code(language)))
    }

    /// The weight of declarations for a pair of encoding and language.
    fn bonus(&self, charset: Charset, code: &str) -> i64 {
        let worth = |is: bool, worth: i64| if is { worth } else { 0 };
        worth(self.known.declared == Some(charset), self.declared)
            + worth(self.known.served == Some(charset), SERVED)
            + worth(self.known.domain.is_some_and(|domain| is_of_domain(code, domain)), DOMAIN)
    }

    /// How much ASCII counts against a language of the Latin script; nothing if the language is known.
    fn against(&self, language: usize) -> i64 {
        if self.known.language.is_some() {
            return 0;
        }
        let against = self.by_ascii.get_or_init(|| against_by_ascii(self.bytes));
        against.get(language).copied().unwrap_or_default().into()
    }
}

/// The position of the next byte above ASCII.
pub(super) fn next_above_ascii(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for eight in bytes[from..].chunks_exact(8) {
        let eight =
            u64::from_le_bytes([eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7]]);
        let above = eight & 0x8080_8080_8080_8080;
        if above != 0 {
            return Some(at + (above.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    bytes[at..].iter().position(|byte| *byte >= 0x80).map(|found| at + found)
}

/// The letters of stretches in the encodings of one group. Encodings that decode a stretch to the same letters share them.
#[derive(Default)]
struct Letters {
    keys: Vec<Key>,
    /// Where the letters of each stretch end.
    runs: Vec<usize>,
    /// Which encodings produced which run.
    users: Vec<(usize, usize)>,
}

impl Letters {
    /// Adds what an encoding makes of a stretch; earlier encodings produced the runs from `first` on.
    fn read(&mut self, user: usize, running: &mut Running, bytes: &[u8], stretch: (usize, usize), first: usize) {
        let start = self.keys.len();
        running.read(bytes, stretch, &mut self.keys);
        let (known, made) = self.keys.split_at(start);
        let starts_at = |run: usize| if run == 0 { 0 } else { self.runs[run - 1] };
        let same = (first..self.runs.len()).find(|&run| known[starts_at(run)..self.runs[run]] == *made);
        let run = same.unwrap_or(self.runs.len());
        match same {
            Some(_) => self.keys.truncate(start),
            None => self.runs.push(self.keys.len()),
        }
        self.users.push((run, user));
    }

    /// Adds their cost in each language.
    fn count(&mut self, table: &Table, left: &mut [Running], work: &mut Work) {
        table.find(&self.keys, &mut work.found);
        self.users.sort_unstable();
        for users in self.users.chunk_by(|one, next| one.0 == next.0) {
            let run = users[0].0;
            let start = if run == 0 { 0 } else { self.runs[run - 1] };
            work.sums.clear();
            work.sums.resize(table.width(), 0);
            table.sum(&work.found[start..self.runs[run]], &mut work.sums);
            for (_, user) in users {
                let Running { single, sums, .. } = &mut left[*user];
                let least = single.languages.iter().map(|&language| work.sums[language]).min().unwrap_or_default();
                let most = least + OTHER_LANGUAGE;
                sums.iter_mut().zip(&work.sums).for_each(|(sum, cost)| *sum += (*cost).min(most));
            }
        }
        self.keys.clear();
        self.runs.clear();
        self.users.clear();
    }
}

/// Reusable buffers.
#[derive(Default)]
struct Work {
    found: Vec<Found>,
    sums: Vec<u32>,
}

/// Reads a stretch in all remaining encodings.
fn read(letters: &mut [Letters], left: &mut [Running], bytes: &[u8], stretch: (usize, usize)) {
    // Encodings of one group are adjacent.
    let mut user = 0;
    for same in left.chunk_by_mut(|one, next| one.single.group == next.single.group) {
        let letters = &mut letters[same[0].single.group];
        let first = letters.runs.len();
        for running in same {
            letters.read(user, running, bytes, stretch, first);
            user += 1;
        }
    }
}

/// Counts what was read.
fn count(letters: &mut [Letters], left: &mut [Running], work: &mut Work) {
    for (letters, group) in letters.iter_mut().zip(&Models::shipped().groups) {
        if !letters.users.is_empty() {
            letters.count(group.table(), left, work);
        }
    }
}

/// Bytes whose meaning differs among some encodings.
fn differing(left: &[Running]) -> [bool; 256] {
    let mut differs = [false; 256];
    if let Some((first, others)) = left.split_first() {
        for (byte, differs) in differs.iter_mut().enumerate() {
            let meaning = |running: &Running| {
                let entry = running.single.entries[byte];
                (entry.symbol, entry.kind, entry.cost)
            };
            *differs = others.iter().any(|other| meaning(other) != meaning(first));
        }
    }
    differs
}

/// The relevant letters of a word so far.
#[derive(Debug, Clone, Copy)]
struct Word {
    before: Entry,
    /// A letter also precedes it.
    inside: bool,
    /// The preceding quotation mark opened the word.
    opened: bool,
    /// How many letters of a script other than Latin precede it.
    run: usize,
}

impl Default for Word {
    fn default() -> Self {
        let before = Entry {
            symbol: SPACE,
            cost: 0,
            kind: Kind::Other,
            latin: false,
            closing_quote: false,
            above: false,
            parts: false,
        };
        Word { before, inside: false, opened: true, run: 0 }
    }
}

impl Word {
    /// Adds the meaning of a byte. Returns the cost of its position; capitals count only next to bytes above ASCII.
    fn push(&mut self, entry: Entry, above: bool) -> i64 {
        let before = self.before;
        let mut cost = 0;
        let capital_inside = (before.kind == Kind::Lower && entry.kind == Kind::Upper)
            || (before.kind == Kind::Upper && entry.kind == Kind::Lower && self.inside);
        if capital_inside && above {
            cost += CAPITAL_INSIDE;
        }
        if before.symbol != SPACE && entry.symbol != SPACE && before.latin != entry.latin {
            cost += TWO_SCRIPTS;
        }
        if before.parts && self.inside && entry.symbol != SPACE {
            cost += SIGN_INSIDE;
        }
        let foreign = entry.above && entry.symbol != SPACE && !entry.latin;
        if !foreign && self.run == 1 {
            cost += ALONE;
        }
        self.run = if foreign { self.run + 1 } else { 0 };
        if before.closing_quote && entry.symbol != SPACE && self.opened {
            cost += WRONG_QUOTE;
        }
        if entry.closing_quote {
            self.opened = before.symbol == SPACE;
        }
        self.inside = before.symbol != SPACE;
        self.before = entry;
        cost
    }
}

/// How much the ASCII of a text counts against each language of the Latin script.
fn against_by_ascii(bytes: &[u8]) -> Vec<u32> {
    let Some((_, group)) = Models::shipped().group("latin") else { return Vec::new() };
    let table = group.table();
    let mut window = Window(u64::from(SPACE));
    let mut keys = Vec::with_capacity(ASCII_LETTERS);
    let mut near = 0;
    for &byte in bytes {
        if byte >= 0x80 {
            near = REACH;
            window = Window(u64::from(SPACE));
            continue;
        }
        let letter = if byte.is_ascii_alphabetic() { u16::from(byte.to_ascii_lowercase()) } else { SPACE };
        if !window.push(letter) {
            continue;
        }
        if near > 0 {
            near -= 1;
            continue;
        }
        keys.push(window.0);
        if keys.len() == ASCII_LETTERS {
            break;
        }
    }
    let mut sums = vec![0; table.width()];
    table.add(&keys, &mut sums);
    for (sum, (_, prior)) in sums.iter_mut().zip(&group.languages) {
        *sum += u32::from(*prior);
    }
    sums.truncate(group.languages.len());
    let best = sums.iter().copied().min().unwrap_or_default();
    sums.iter().map(|sum| ((sum - best) / 2).min(MOST_BY_ASCII)).collect()
}

/// The encodings that the first bytes do not rule out by their letters alone: a quick check, before letters are
/// examined in context.
fn without_hopeless(all: Vec<Running>, sample: &Sample<'_>) -> Vec<&'static Single> {
    let (mut all, looked_at) = by_first_letters(all, sample);
    let best = all.iter().map(Running::by_letters).min().unwrap_or_default();
    let margin = HOPELESS + HOPELESS_EACH * i64::try_from(looked_at).unwrap_or_default();
    all.retain(|running| running.by_letters() <= best + margin);
    all.into_iter().map(|running| running.single).collect()
}

/// Reads the first bytes above ASCII in all encodings, each letter on its own. Returns how many were read.
fn by_first_letters(mut all: Vec<Running>, sample: &Sample<'_>) -> (Vec<Running>, usize) {
    let (mut keys, mut looked_at) = (Vec::new(), 0);
    for &(from, to) in &sample.stretches {
        for running in &mut all {
            running.read(sample.bytes, (from, to), &mut keys);
            keys.clear();
        }
        looked_at += above_ascii(&sample.bytes[from..to]);
        if looked_at >= FIRST_LOOK {
            break;
        }
    }
    (all, looked_at)
}

/// The letters around a byte above ASCII, with itself.
fn word_at(bytes: &[u8], at: usize) -> &[u8] {
    let is_letter = |byte: &&u8| **byte >= 0x80 || byte.is_ascii_alphabetic();
    let before = bytes[..at].iter().rev().take(WORD_SIDE).take_while(is_letter).count();
    let after = bytes[at + 1..].iter().take(WORD_SIDE).take_while(is_letter).count();
    &bytes[at - before..=at + after]
}

/// Of the encodings that are no candidates any more, the one that the first bytes speak for most, if it makes another text.
fn next_best(sample: &Sample<'_>, evidence: &Evidence<'_>, charset: Charset) -> Option<Charset> {
    let can_be = |single: &&Single| {
        let wanted = evidence.languages(single).next().is_some() && !sample.is_impossible(single);
        wanted && single.charset != charset && sample.differs(charset, single.charset)
    };
    let others = Single::all().iter().filter(can_be).map(|single| Running::new(single, sample)).collect();
    let (others, _) = by_first_letters(others, sample);
    others.into_iter().min_by_key(Running::by_letters).map(|running| running.single.charset)
}

/// How many bytes are above ASCII.
fn above_ascii(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte >= 0x80).count()
}

/// Examines the bytes in all single-byte encodings, and drops those that fall behind. Returns the remaining ones, and
/// the number of bytes above ASCII examined.
fn compare(sample: &Sample<'_>, evidence: &Evidence<'_>) -> (Vec<Running>, usize) {
    let mut wanted: Vec<&Single> = Single::all().iter().collect();
    wanted.retain(|single| evidence.languages(single).next().is_some() && !sample.is_impossible(single));
    let running = |single| Running::new(single, sample);
    let hopeful = without_hopeless(wanted.into_iter().map(running).collect(), sample);
    let mut left: Vec<Running> = hopeful.into_iter().map(running).collect();
    let mut letters: Vec<Letters> = Models::shipped().groups.iter().map(|_| Letters::default()).collect();
    let mut work = Work::default();
    let mut differs = [true; 256];
    let (mut looked_at, mut next_look) = (0, FIRST_LOOK);
    for &(from, to) in &sample.stretches {
        let start = from.saturating_sub(REACH - 1);
        if looked_at > ALL_ALIKE && !sample.bytes[start..to].iter().any(|byte| differs[usize::from(*byte)]) {
            continue;
        }
        read(&mut letters, &mut left, sample.bytes, (from, to));
        looked_at += above_ascii(&sample.bytes[from..to]);
        if looked_at >= next_look {
            next_look = 2 * looked_at;
            count(&mut letters, &mut left, &mut work);
            let least: Vec<i64> = left.iter().map(|running| running.least(evidence)).collect();
            let best = least.iter().copied().min().unwrap_or_default();
            let mut least = least.into_iter();
            left.retain(|_| least.next().is_some_and(|cost| cost <= best + GIVEN_UP));
            differs = differing(&left);
        }
    }
    count(&mut letters, &mut left, &mut work);
    (left, looked_at)
}

/// Guesses the encoding and the language of a text with bytes above ASCII; `None` if it has no such bytes, or no
/// encoding fits.
pub(super) fn guess(bytes: &[u8], known: Known<'_>) -> Option<Guess> {
    let sample = Sample::of(bytes);
    if sample.looked_at == 0 {
        return None;
    }
    let sound = known.declared.is_some_and(|declared| sample.is_sound(declared));
    let declared = if sound { DECLARED_AND_SOUND } else { DECLARED };
    let is_one_word = sample.is_one_short_word();
    let evidence = Evidence { known, bytes, by_ascii: OnceCell::new(), declared, is_one_word };
    let models = Models::shipped();
    let (left, above) = compare(&sample, &evidence);
    let mut costs: Vec<(i64, Charset, &'static str)> = Vec::new();
    for running in left {
        let group = &models.groups[running.single.group];
        for language in evidence.languages(running.single) {
            costs.push((running.cost(language, &evidence), running.single.charset, group.code(language)));
        }
    }
    let best = costs.iter().map(|(cost, _, _)| *cost).min().unwrap_or(i64::MAX / 2);
    if let Some((_, group)) = models.group("cjk") {
        let mut sums = Vec::new();
        for (encoding, languages) in &WIDE {
            let charset = Charset::Standard(encoding);
            let wanted = || languages.iter().filter(|code| evidence.wants(code));
            if wanted().next().is_none() {
                continue;
            }
            let mut found = Vec::new();
            for most in WIDE_LOOKS {
                found.clear();
                let Some((common, bytes)) = sample.cost_wide(encoding, most, group.table(), &mut sums) else { break };
                for code in wanted() {
                    let Some(language) = group.column(code) else { continue };
                    // As if all bytes that the others were judged by had the same cost.
                    let cost = (common + i64::from(sums[language])) as f32 / bytes as f32 * above as f32;
                    found.push((cost as i64 + sample.foreign - evidence.bonus(charset, code), charset, *code));
                }
                let hopeless = found.iter().all(|(cost, _, _)| *cost > best + best.abs() / 2 + GIVEN_UP);
                if hopeless || sample.bytes.len() <= most {
                    break;
                }
            }
            costs.extend(found);
        }
    }
    let &(best, charset, language) = costs.iter().min_by_key(|(cost, _, _)| *cost)?;
    // Of encodings that decode the bytes to the same text, the declared one is named.
    let is_single = |charset: Charset| Single::all().iter().any(|single| single.charset == charset);
    let same = |declared: &Charset| is_single(*declared) && !sample.differs(charset, *declared);
    let charset = [known.served, known.declared].into_iter().flatten().find(same).unwrap_or(charset);
    // Encodings that decode the bytes to the same text are not rivals.
    let rivals = costs.iter().filter(|(_, other, _)| *other != charset && sample.differs(charset, *other));
    let second = rivals.min_by_key(|(cost, _, _)| *cost);
    let lead = second.map_or(f32::MAX, |(cost, _, _)| (cost - best) as f32 / STEP);
    let mut confidence = 1.0 - 0.5 * (-lead / 2.0).exp();
    if above >= FEW_BYTES && best > DOUBTFUL * i64::try_from(above).unwrap_or(i64::MAX / DOUBTFUL) {
        confidence = confidence.min(NO_TEXT);
    }
    let is_stated = known.language.is_some() || known.declared.is_some() || known.served.is_some();
    let is_usual = ["windows-1252", "ISO-8859-15"].contains(&charset.name());
    if !is_stated && !is_usual && is_one_word {
        confidence = confidence.min(ONE_WORD);
    }
    let language = if language.starts_with("zh-") { "zh" } else { language };
    let second = second.map(|(_, charset, _)| *charset);
    // Only doubtful guesses name another one.
    let second = second.or_else(|| if confidence < 0.5 { next_best(&sample, &evidence, charset) } else { None });
    let judged_by = if is_single(charset) { sample.words.len() } else { above };
    Some(Guess { charset, second, language, confidence, judged_by })
}

/// True if a language of the models is the requested one.
fn is_language(code: &str, wanted: &str) -> bool {
    code == wanted || (wanted == "zh" && code.starts_with("zh-")) || (matches!(wanted, "nb" | "nn") && code == "no")
}

/// True when a language is that of a country's domain.
fn is_of_domain(code: &str, domain: &str) -> bool {
    DOMAINS.iter().any(|(known, language)| *known == domain && *language == code)
}

/// The encodings that are common for a language, the commonest first.
pub(super) fn encodings_of(language: &str) -> Vec<&'static str> {
    let models = Models::shipped();
    let mut single: Vec<&Single> = Single::all().iter().collect();
    single.retain(|single| {
        let group = &models.groups[single.group];
        single.languages.iter().any(|&column| is_language(group.code(column), language))
    });
    single.sort_by_key(|single| single.prior);
    let wide = WIDE.iter().filter(|(_, languages)| languages.iter().any(|code| is_language(code, language)));
    single.iter().map(|single| single.charset.name()).chain(wide.map(|(encoding, _)| encoding.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(bytes: &[u8], known: Known<'_>) -> Option<(&'static str, &'static str)> {
        guess(bytes, known).map(|guess| (guess.charset.name(), guess.language))
    }

    fn encoded(text: &str, label: &str) -> Vec<u8> {
        let encoding = Encoding::for_label(label.as_bytes()).expect("an encoding");
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn encoding_and_language_are_guessed_together() {
        let czech = "Příliš žluťoučký kůň úpěl ďábelské ódy, a pak šel domů.";
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю.";
        let greek = "Η Αθήνα είναι η πρωτεύουσα και η μεγαλύτερη πόλη της Ελλάδας.";
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたか頓と見当がつかぬ。";
        let known = Known::default();
        for label in ["windows-1250", "ISO-8859-2"] {
            assert_eq!(guessed(&encoded(czech, label), known), Some((label, "cs")));
        }
        for label in ["windows-1251", "KOI8-R", "ISO-8859-5", "IBM866", "x-mac-cyrillic"] {
            assert_eq!(guessed(&encoded(russian, label), known), Some((label, "ru")));
        }
        assert_eq!(guessed(&encoded(greek, "windows-1253"), known).map(|(_, language)| language), Some("el"));
        for label in ["Shift_JIS", "EUC-JP"] {
            assert_eq!(guessed(&encoded(japanese, label), known), Some((label, "ja")));
        }
        assert_eq!(guessed(b"all ASCII", known), None);
    }

    #[test]
    fn signs_further_down_do_not_rule_an_encoding_out_early() {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(4);
        let boxed = format!("{russian}\n{}\n{russian}", "─│ ".repeat(40));
        assert_eq!(guessed(&encoded(&boxed, "KOI8-R"), Known::default()), Some(("KOI8-R", "ru")));
    }

    #[test]
    fn a_known_language_leaves_its_encodings_only() {
        let known = Known { language: Some("pl"), ..Known::default() };
        let bytes = encoded("Zażółć gęślą jaźń", "ISO-8859-2");
        assert_eq!(guessed(&bytes, known), Some(("ISO-8859-2", "pl")));
        assert_eq!(encodings_of("zh"), ["gb18030", "Big5"]);
        assert_eq!(encodings_of("vi"), ["windows-1258"]);
        assert_eq!(encodings_of("hy"), [""; 0]);
    }

    #[test]
    fn domains_are_no_codes_of_languages() {
        assert!(is_of_domain("cs", "cz") && is_of_domain("de", "de") && is_of_domain("es", "ar"));
        assert!(!is_of_domain("uk", "uk") && !is_of_domain("ar", "ar"));
        let known: Vec<&str> = Models::shipped()
            .groups
            .iter()
            .flat_map(|group| (0..group.languages.len()).map(|column| group.code(column)))
            .collect();
        assert!(DOMAINS.is_sorted() && DOMAINS.iter().all(|(_, code)| known.contains(code)));
    }

    #[test]
    fn what_fits_nothing_well_is_doubtful() {
        // English in EBCDIC, which is not a candidate.
        let other = b"\xe3\x88\x85\x40\x93\x81\x94\x97\x40\x89\xa2\x40\x93\x89\xa3\x40\x81\xa3\x40\x84\xa4\xa2\x92\x4b";
        assert!(guess(other, Known::default()).is_some_and(|guess| guess.confidence <= 0.3));
        let russian = encoded("Съешь же ещё этих мягких французских булок, да выпей чаю.", "KOI8-R");
        let known = Known { language: Some("cs"), ..Known::default() };
        assert!(guess(&russian, known).is_some_and(|guess| guess.confidence <= 0.3));
        assert!(guess(&russian, Known::default()).is_some_and(|guess| guess.confidence > 0.9));
    }

    #[test]
    fn all_encodings_have_languages() {
        assert_eq!(Single::all().len(), SINGLE.len());
        assert!(Single::all().iter().all(|single| !single.languages.is_empty()));
    }
}
