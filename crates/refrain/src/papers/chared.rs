//! chared, a detector of encodings as published: PRESEMT project, deliverable D3.1.3, Corpus creation & annotation
//! module (2012), section 4.
//!
//! A model covers one language. The same text is converted to every common encoding of the language, and the byte
//! trigrams of each conversion are counted; the code calls them triples. Trigrams that are equally frequent in all of them
//! are dropped (`CharedModel::push`). A document is in the encoding whose counts have the largest scalar product with its own
//! (`CharedModel::scores`).

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use encoding_rs::{Encoding, WINDOWS_874, WINDOWS_1252, WINDOWS_1254, X_USER_DEFINED};

use crate::decode::symbols::{TONELESS, TONES};

mod shipped;

pub use shipped::chared_model;
#[doc(hidden)]
pub use shipped::pack;

/// The first line of a model file.
const VERSION: &str = "chared model, version 1";

/// Triples of bytes, as numbers of 24 bits.
const TRIPLES: usize = 1 << 24;

/// The largest share of letters, in percent, that an encoding may lack.
const MOST_LOST: usize = 2;

/// How many of the characters that an encoding lacks are named.
const NAMED: usize = 5;

/// An encoding that text can be converted to.
///
/// Names are those of WHATWG, plus three that it does not distinguish: ISO-8859-1, ISO-8859-9 and ISO-8859-11, which
/// are windows-1252, windows-1254 and windows-874 without the bytes 80 to 9f.
///
/// ```
/// use refrain::decode::CharedEncoding;
///
/// let [narrow, wide] = ["latin1", "cp1252"].map(|label| CharedEncoding::for_label(label).expect("a label"));
/// assert_eq!((narrow.name(), wide.name()), ("ISO-8859-1", "windows-1252"));
/// assert_eq!(narrow.encode("“é”").as_deref(), Ok(&b"\"\xe9\""[..]));
/// assert_eq!(wide.encode("“é”").as_deref(), Ok(&b"\x93\xe9\x94"[..]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharedEncoding {
    name: &'static str,
    encoding: &'static Encoding,
    /// Without the bytes 80 to 9f.
    narrow: bool,
}

impl CharedEncoding {
    /// The encoding of a WHATWG label. None for an unknown label, and for UTF-16 and others that none converts to.
    pub fn for_label(label: &str) -> Option<CharedEncoding> {
        let encoding = Encoding::for_label(label.as_bytes())?;
        if encoding.output_encoding() != encoding || encoding == X_USER_DEFINED {
            return None;
        }
        let narrow = [
            (WINDOWS_1252, "1252", "ISO-8859-1"),
            (WINDOWS_1254, "1254", "ISO-8859-9"),
            (WINDOWS_874, "874", "ISO-8859-11"),
        ];
        // All labels of the wide encodings have their number in them, and none of the others has.
        let name = narrow.iter().find(|(wide, number, _)| *wide == encoding && !label.contains(number));
        let name = name.map(|(.., name)| *name);
        Some(CharedEncoding { name: name.unwrap_or(encoding.name()), encoding, narrow: name.is_some() })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Converts text. Quotation marks, dashes, ellipses, spaces and some letters that the encoding lacks become plain
    /// ones. The error holds the characters that have no such equivalent, in the order of the text.
    pub fn encode<'t>(&self, text: &'t str) -> Result<Cow<'t, [u8]>, Vec<char>> {
        match self.encode_directly(text) {
            Some(bytes) => Ok(bytes),
            None => {
                let plain = self.in_own_characters(text)?;
                let bytes = self.encode_directly(&plain.text).map(|bytes| Cow::Owned(bytes.into_owned()));
                bytes.ok_or_else(Vec::new)
            }
        }
    }

    /// The text of bytes in this encoding.
    pub fn decode<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        self.encoding.decode_without_bom_handling(bytes).0
    }

    fn encode_directly<'t>(&self, text: &'t str) -> Option<Cow<'t, [u8]>> {
        let (bytes, _, lossy) = self.encoding.encode(text);
        let beyond = lossy || self.narrow && bytes.iter().any(|b| (0x80..0xa0).contains(b));
        (!beyond).then_some(bytes)
    }

    fn has(&self, c: char) -> bool {
        c.is_ascii() && c != '\x1b' || self.encode_directly(c.encode_utf8(&mut [0; 4])).is_some()
    }

    /// The text with plain equivalents for characters that the encoding lacks, or the characters that have none.
    fn in_own_characters(&self, text: &str) -> Result<Plain, Vec<char>> {
        let mut plain = Plain { text: String::with_capacity(text.len()), ascii: Vec::new() };
        let mut lacking = Vec::new();
        for c in text.chars() {
            if self.has(c) {
                plain.text.push(c);
                continue;
            }
            let from = plain.text.len();
            push_equivalent(c, &mut plain.text);
            let equivalent = &plain.text[from..];
            if equivalent.is_empty() || !equivalent.chars().all(|c| self.has(c)) {
                plain.text.truncate(from);
                lacking.push(c);
            } else if equivalent.is_ascii() {
                plain.ascii.push(from..plain.text.len());
            }
        }
        if lacking.is_empty() { Ok(plain) } else { Err(lacking) }
    }
}

/// Text with plain equivalents in it.
struct Plain {
    text: String,
    /// The positions of ASCII equivalents.
    ascii: Vec<Range<usize>>,
}

/// Adds the plain equivalent of a character, if there is one.
fn push_equivalent(c: char, plain: &mut String) {
    match c {
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | '′' => plain.push('\''),
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' => plain.push('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
        '…' => plain.push_str("..."),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' => plain.push(' '),
        'Ș' => plain.push('Ş'),
        'ș' => plain.push('ş'),
        'Ț' => plain.push('Ţ'),
        'ț' => plain.push('ţ'),
        _ => plain.extend(vowel_and_tone(c).into_iter().flatten()),
    }
}

/// A Vietnamese letter as windows-1258 has it: the vowel, then its tone as a combining mark.
fn vowel_and_tone(c: char) -> Option<[char; 2]> {
    let lower = c.to_lowercase().next()?;
    let (vowel, tone) = TONES.iter().find_map(|(tone, letters)| {
        let nth = letters.chars().position(|letter| letter == lower)?;
        Some((TONELESS.chars().nth(nth)?, *tone))
    })?;
    let vowel = if c == lower { vowel } else { vowel.to_uppercase().next()? };
    Some([vowel, tone])
}

/// Why no model can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// No encodings to distinguish.
    #[error("no encoding is named")]
    NoEncodings,
    /// A label that is not known, or an encoding that nothing is converted to.
    #[error("text cannot be converted to the encoding {0}")]
    UnknownEncoding(String),
    /// The same encoding under one or two labels.
    #[error("{0} is named twice")]
    NamedTwice(&'static str),
    /// Too little text, or too little after sentences are dropped.
    #[error("training needs at least {needed} bytes of text that all encodings can express, found {bytes}")]
    TooSmall {
        /// How much there is, in UTF-8.
        bytes: usize,
        /// How much there must be.
        needed: usize,
    },
    /// The text is in characters that the encoding lacks.
    #[error(
        "{encoding} cannot express the text: it lacks {lacking} of {letters} letters, and {left_out} are in sentences \
         that training would remove; the first missing ones are {}",
        list(characters)
    )]
    CannotExpress {
        /// The encoding.
        encoding: &'static str,
        /// The first characters that it lacks, each once.
        characters: Vec<char>,
        /// How many letters the text has.
        letters: usize,
        /// How many of them the encoding lacks.
        lacking: usize,
        /// How many of them are in sentences with a character that it lacks.
        left_out: usize,
    },
}

fn list(characters: &[char]) -> String {
    characters.iter().map(|&c| format!("{c} (U+{:04X})", u32::from(c))).collect::<Vec<_>>().join(", ")
}

/// A damaged file, or one that is not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the model: {what}")]
pub struct DamagedModel {
    /// Where this showed.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

/// What distinguishes the encodings of one language: how often each byte triple occurs in each of them.
///
/// ```
/// use refrain::decode::CharedModel;
///
/// let text = "Příliš žluťoučký kůň úpěl ďábelské ódy.\n".repeat(300);
/// let model = CharedModel::train(&text, &["utf-8", "windows-1250", "iso-8859-2"])?;
/// assert_eq!(model.best(b"st\xf8\xedbrn\xfd k\xf9\xf2, \x9elu\x9dou\xe8k\xfd p\xe1v"), ["windows-1250"]);
/// # Ok::<(), refrain::decode::TrainError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharedModel {
    encodings: Vec<CharedEncoding>,
    /// For each pair of bytes, where the triples begin that begin with it; one more for the end.
    starts: Vec<u32>,
    /// The third bytes of all triples, which are in order.
    thirds: Vec<u8>,
    /// The counts of each triple, one for each encoding.
    counts: Vec<u32>,
}

impl CharedModel {
    /// How much text it takes to train a model, in bytes of UTF-8.
    pub const LEAST_TEXT: usize = 10_000;

    /// Trains a model on a text in one language, one sentence per line, and its common encodings, the most common one
    /// first. Sentences that one of the encodings cannot express are dropped for all of them.
    pub fn train(text: &str, encodings: &[&str]) -> Result<CharedModel, TrainError> {
        let encodings = resolve(encodings)?;
        let enough = |bytes| match bytes < Self::LEAST_TEXT {
            true => Err(TrainError::TooSmall { bytes, needed: Self::LEAST_TEXT }),
            false => Ok(()),
        };
        enough(text.len())?;
        let converted = Converted::new(text, &encodings);
        let letters = text.chars().filter(|c| c.is_alphabetic()).count();
        for (encoding, losses) in encodings.iter().zip(&converted.losses) {
            losses.check(encoding.name, letters)?;
        }
        enough(converted.kept)?;
        Ok(CharedModel::of(encodings, &converted.files))
    }

    /// A model of the conversions of a text to encodings.
    fn of(encodings: Vec<CharedEncoding>, files: &[Conversion]) -> CharedModel {
        let mut seen: Vec<(u32, u32, u32)> = Vec::new();
        let mut table = vec![0_u32; TRIPLES];
        for (nth, file) in (0..).zip(files) {
            let first = seen.len();
            for triple in file.pieces().flat_map(triples) {
                let count = &mut table[triple as usize];
                if *count == 0 {
                    seen.push((triple, nth, 0));
                }
                *count = count.saturating_add(1);
            }
            for (triple, _, count) in &mut seen[first..] {
                *count = std::mem::take(&mut table[*triple as usize]);
            }
        }
        seen.sort_unstable();
        let mut model = CharedModel::blank(encodings);
        let mut row = vec![0; model.encodings.len()];
        for same in seen.chunk_by(|a, b| a.0 == b.0) {
            row.fill(0);
            for &(_, nth, count) in same {
                row[nth as usize] = count;
            }
            model.push(same[0].0, &row);
        }
        model.finish();
        model
    }

    fn blank(encodings: Vec<CharedEncoding>) -> CharedModel {
        CharedModel { encodings, starts: Vec::with_capacity((1 << 16) + 1), thirds: Vec::new(), counts: Vec::new() }
    }

    /// Appends a triple, unless it is equally frequent in all encodings. True if it was added.
    fn push(&mut self, triple: u32, row: &[u32]) -> bool {
        let differs = row.iter().any(|count| *count != row[0]);
        if differs {
            self.begin_pairs((triple >> 8) as usize + 1);
            self.thirds.push(triple as u8);
            self.counts.extend_from_slice(row);
        }
        differs
    }

    fn finish(&mut self) {
        self.begin_pairs((1 << 16) + 1);
    }

    /// Sets the start of all pairs below this one that have no start yet.
    fn begin_pairs(&mut self, pairs: usize) {
        if self.starts.len() < pairs {
            self.starts.resize(pairs, self.thirds.len() as u32);
        }
    }

    /// The names of its encodings, in the order in which they were given.
    pub fn encodings(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.encodings.iter().map(CharedEncoding::name)
    }

    /// How many triples of bytes it looks for.
    pub fn triples(&self) -> usize {
        self.thirds.len()
    }

    /// All encodings with their scores, the highest first; of equal scores, in the order in which they were given.
    pub fn classify(&self, bytes: &[u8]) -> Vec<(&'static str, u64)> {
        let mut ranked: Vec<_> = self.encodings().zip(self.scores(bytes)).collect();
        ranked.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        ranked
    }

    /// The encodings with the highest score: one, or several that the bytes cannot distinguish.
    pub fn best(&self, bytes: &[u8]) -> Vec<&'static str> {
        let ranked = self.classify(bytes);
        ranked.iter().take_while(|(_, score)| *score == ranked[0].1).map(|(name, _)| *name).collect()
    }

    /// The scalar products. Each occurrence of a triple in the document adds the counts of the triple, which gives
    /// the product of the frequencies without a vector of the document.
    fn scores(&self, bytes: &[u8]) -> Vec<u64> {
        let mut scores = vec![0_u64; self.encodings.len()];
        for triple in triples(bytes) {
            if let Some(row) = self.row(triple) {
                for (score, count) in scores.iter_mut().zip(row) {
                    *score = score.saturating_add(u64::from(*count));
                }
            }
        }
        scores
    }

    fn row(&self, triple: u32) -> Option<&[u32]> {
        let pair = (triple >> 8) as usize;
        let (from, to) = (self.starts[pair] as usize, self.starts[pair + 1] as usize);
        if from == to {
            return None;
        }
        let nth = from + self.thirds[from..to].binary_search(&(triple as u8)).ok()?;
        let width = self.encodings.len();
        Some(&self.counts[nth * width..][..width])
    }

    /// Writes the model as text: a line with the version, one with the encodings, one with the number of triples, then
    /// the triples in order, each with its counts.
    pub fn save(&self, mut to: impl Write) -> io::Result<()> {
        writeln!(to, "{VERSION}\nencodings {}", self.encodings().collect::<Vec<_>>().join(" "))?;
        writeln!(to, "triples {}", self.triples())?;
        let mut rows = self.counts.chunks(self.encodings.len());
        for (pair, ends) in self.starts.windows(2).enumerate() {
            for third in &self.thirds[ends[0] as usize..ends[1] as usize] {
                write!(to, "{pair:04x}{third:02x}")?;
                for count in rows.next().unwrap_or_default() {
                    write!(to, " {count}")?;
                }
                writeln!(to)?;
            }
        }
        to.flush()
    }

    /// Reads what [`save`](Self::save) wrote. A file that was changed or cut off is refused, with the line.
    pub fn load(file: &[u8]) -> Result<CharedModel, DamagedModel> {
        let mut lines = Lines { rest: file, line: 0 };
        if lines.next()? != VERSION {
            return Err(lines.wrong("not a chared model of version 1"));
        }
        let names = lines.next()?.strip_prefix("encodings ").ok_or(lines.wrong("expected the encodings"))?;
        let encodings = resolve(&names.split(' ').collect::<Vec<_>>())
            .ok()
            .filter(|encodings| encodings.iter().map(CharedEncoding::name).eq(names.split(' ')))
            .ok_or(lines.wrong("an encoding is unknown or occurs twice"))?;
        let number = lines.next()?.strip_prefix("triples ").and_then(|number| number.parse::<usize>().ok());
        let number = number.filter(|number| *number <= TRIPLES).ok_or(lines.wrong("expected the number of triples"))?;
        let mut model = CharedModel::blank(encodings);
        let mut last = None;
        let mut row = Vec::with_capacity(model.encodings.len());
        for _ in 0..number {
            let triple = parse_row(lines.next()?, &mut row).filter(|_| row.len() == model.encodings.len());
            let triple =
                triple.ok_or(lines.wrong("expected three bytes in hexadecimal and a count for each encoding"))?;
            if last.is_some_and(|last| triple <= last) {
                return Err(lines.wrong("the triples are out of order"));
            }
            if !model.push(triple, &row) {
                return Err(lines.wrong("a triple is equally frequent in all encodings"));
            }
            last = Some(triple);
        }
        if !lines.rest.is_empty() {
            lines.line += 1;
            return Err(lines.wrong("there are more lines than triples"));
        }
        model.finish();
        Ok(model)
    }
}

/// All triples of consecutive bytes.
fn triples(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.windows(3).map(|three| u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]))
}

fn resolve(labels: &[&str]) -> Result<Vec<CharedEncoding>, TrainError> {
    let mut encodings: Vec<CharedEncoding> = Vec::with_capacity(labels.len());
    for label in labels {
        let found = CharedEncoding::for_label(label).ok_or_else(|| TrainError::UnknownEncoding((*label).to_owned()))?;
        if encodings.contains(&found) {
            return Err(TrainError::NamedTwice(found.name));
        }
        encodings.push(found);
    }
    if encodings.is_empty() { Err(TrainError::NoEncodings) } else { Ok(encodings) }
}

/// A text in several encodings.
struct Converted {
    /// The same sentences in each encoding.
    files: Vec<Conversion>,
    losses: Vec<Losses>,
    /// How much text was kept, in UTF-8.
    kept: usize,
}

impl Converted {
    fn new(text: &str, encodings: &[CharedEncoding]) -> Converted {
        let mut files = vec![Conversion::default(); encodings.len()];
        let mut losses = vec![Losses::default(); encodings.len()];
        let mut kept = 0;
        for sentence in text.lines() {
            let mut fits = true;
            for ((encoding, file), losses) in encodings.iter().zip(&mut files).zip(&mut losses) {
                if let Err(lacking) = file.add(sentence, *encoding) {
                    fits = false;
                    losses.add(sentence, &lacking);
                }
            }
            kept += if fits { sentence.len() + 1 } else { 0 };
            for file in &mut files {
                file.end_sentence(fits);
            }
        }
        Converted { files, losses, kept }
    }
}

/// A text in one encoding, every sentence with a line end.
#[derive(Debug, Clone, Default)]
struct Conversion {
    bytes: Vec<u8>,
    /// Where pieces end; no triple reaches over these places.
    cuts: Vec<usize>,
    /// How many bytes and cuts there were when the last sentence ended.
    sure: (usize, usize),
}

impl Conversion {
    /// Adds a sentence, without equivalents in ASCII: the triples with these would differ between encodings whose ASCII
    /// does not, and speak for those that lack quotation marks in any document with plain ones.
    fn add(&mut self, sentence: &str, encoding: CharedEncoding) -> Result<(), Vec<char>> {
        if let Some(bytes) = encoding.encode_directly(sentence) {
            self.bytes.extend_from_slice(&bytes);
        } else {
            let plain = encoding.in_own_characters(sentence)?;
            let mut from = 0;
            for ascii in &plain.ascii {
                self.add_piece(&plain.text[from..ascii.start], encoding)?;
                self.cuts.push(self.bytes.len());
                from = ascii.end;
            }
            self.add_piece(&plain.text[from..], encoding)?;
        }
        self.bytes.push(b'\n');
        Ok(())
    }

    fn add_piece(&mut self, piece: &str, encoding: CharedEncoding) -> Result<(), Vec<char>> {
        let bytes = encoding.encode_directly(piece).ok_or_else(Vec::new)?;
        self.bytes.extend_from_slice(&bytes);
        Ok(())
    }

    /// Keeps or discards what was added since the last sentence.
    fn end_sentence(&mut self, keep: bool) {
        if keep {
            self.sure = (self.bytes.len(), self.cuts.len());
        } else {
            self.bytes.truncate(self.sure.0);
            self.cuts.truncate(self.sure.1);
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.cuts.iter().copied());
        let ends = self.cuts.iter().copied().chain(std::iter::once(self.bytes.len()));
        starts.zip(ends).map(|(from, to)| &self.bytes[from..to])
    }
}

/// The characters of a text that an encoding lacks.
#[derive(Debug, Clone, Default)]
struct Losses {
    /// The first characters, each once.
    characters: Vec<char>,
    lacking: usize,
    left_out: usize,
}

impl Losses {
    fn add(&mut self, sentence: &str, lacking: &[char]) {
        self.left_out += sentence.chars().filter(|c| c.is_alphabetic()).count();
        self.lacking += lacking.iter().filter(|c| c.is_alphabetic()).count();
        for c in lacking {
            if self.characters.len() < NAMED && !self.characters.contains(c) {
                self.characters.push(*c);
            }
        }
    }

    fn check(&self, encoding: &'static str, letters: usize) -> Result<(), TrainError> {
        let &Losses { lacking, left_out, .. } = self;
        if lacking * 100 <= letters * MOST_LOST && left_out * 2 <= letters {
            return Ok(());
        }
        let characters = self.characters.clone();
        Err(TrainError::CannotExpress { encoding, characters, letters, lacking, left_out })
    }
}

/// The lines of a model file, each of which ends with a line end.
struct Lines<'f> {
    rest: &'f [u8],
    line: usize,
}

impl<'f> Lines<'f> {
    fn next(&mut self) -> Result<&'f str, DamagedModel> {
        self.line += 1;
        let end = memchr::memchr(b'\n', self.rest).ok_or(self.wrong("the file is truncated"))?;
        let (line, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        std::str::from_utf8(line).map_err(|_| self.wrong("not text"))
    }

    fn wrong(&self, what: &'static str) -> DamagedModel {
        DamagedModel { line: self.line, what }
    }
}

/// Reads a triple and its counts.
fn parse_row(line: &str, row: &mut Vec<u32>) -> Option<u32> {
    let (triple, counts) = line.split_once(' ')?;
    row.clear();
    for count in counts.split(' ') {
        row.push(plain_number(count, 10)?);
    }
    (triple.len() == 6).then(|| plain_number(triple, 16))?
}

/// A number without a sign, in lower case.
fn plain_number(digits: &str, radix: u32) -> Option<u32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let padded = radix == 10 && digits.len() > 1 && digits.starts_with('0');
    (plain && !padded).then(|| u32::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    const CZECH: &str = "Příliš žluťoučký kůň úpěl ďábelské ódy.\n\
        Starý správce majáku vystoupil večer po schodech a rozsvítil lampu.\n\
        Na útesech se tříštily vlny a ve větru křičeli racci.\n\
        „Šťastnou cestu,“ řekl rybář a odrazil loďku od břehu – moře bylo klidné…\n";

    fn czech() -> String {
        CZECH.repeat(60)
    }

    fn train(text: &str, encodings: &[&str]) -> CharedModel {
        CharedModel::train(text, encodings).expect("a model")
    }

    /// The published steps, literally: frequency lists of all files, those with equal frequency discarded, the vector
    /// of the document, its scalar product with each.
    fn scores_plainly(files: &[Conversion], document: &[u8]) -> (usize, Vec<u64>) {
        fn vector(bytes: &[u8], cuts: &[usize]) -> HashMap<[u8; 3], u64> {
            let mut vector = HashMap::new();
            for i in (2..bytes.len()).filter(|i| !cuts.contains(i) && !cuts.contains(&(i - 1))) {
                *vector.entry([bytes[i - 2], bytes[i - 1], bytes[i]]).or_default() += 1;
            }
            vector
        }
        let mut vectors: Vec<_> = files.iter().map(|file| vector(&file.bytes, &file.cuts)).collect();
        let all: HashSet<[u8; 3]> = vectors.iter().flat_map(|vector| vector.keys().copied()).collect();
        let frequency = |vector: &HashMap<_, _>, triple| vector.get(triple).copied().unwrap_or(0_u64);
        let mut left = 0;
        for triple in &all {
            let frequencies: HashSet<u64> = vectors.iter().map(|vector| frequency(vector, triple)).collect();
            if frequencies.len() == 1 {
                for vector in &mut vectors {
                    vector.remove(triple);
                }
            } else {
                left += 1;
            }
        }
        let document = vector(document, &[]);
        let product = |model| document.iter().map(|(triple, times)| times * frequency(model, triple)).sum();
        (left, vectors.iter().map(product).collect())
    }

    fn some_encodings(number: usize) -> Vec<CharedEncoding> {
        let labels = ["utf-8", "windows-1250", "iso-8859-2", "latin1"];
        resolve(&labels[..number]).expect("labels")
    }

    /// Bytes of a small alphabet, in which triples come back.
    fn bytes(most: usize) -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(&b"\x00a\xa9\xff"[..]), 0..most)
    }

    fn file(most: usize) -> impl proptest::strategy::Strategy<Value = Conversion> {
        use proptest::strategy::Strategy;
        (bytes(most), proptest::collection::vec(0..=most, 0..6)).prop_map(|(bytes, mut cuts)| {
            cuts.retain(|cut| *cut <= bytes.len());
            cuts.sort_unstable();
            Conversion { bytes, cuts, sure: (0, 0) }
        })
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(48))]

        #[test]
        fn the_model_agrees_with_the_published_steps(
            files in proptest::collection::vec(file(200), 1..5),
            document in bytes(100),
        ) {
            let model = CharedModel::of(some_encodings(files.len()), &files);
            let plain = scores_plainly(&files, &document);
            proptest::prop_assert_eq!((model.triples(), model.scores(&document)), plain);
        }

        #[test]
        fn a_saved_model_comes_back_as_it_was(files in proptest::collection::vec(file(200), 1..5)) {
            let model = CharedModel::of(some_encodings(files.len()), &files);
            let mut file = Vec::new();
            model.save(&mut file).expect("memory takes all");
            proptest::prop_assert_eq!(CharedModel::load(&file), Ok(model));
        }
    }

    #[test]
    fn each_encoding_of_a_trained_text_is_detected() {
        let names = ["UTF-8", "windows-1250", "ISO-8859-2", "IBM852"];
        assert_eq!(
            CharedModel::train(&czech(), &names),
            Err(TrainError::UnknownEncoding("IBM852".into())),
            "WHATWG does not have it"
        );
        let model = train(&czech(), &names[..3]);
        for name in model.encodings() {
            let bytes = CharedEncoding::for_label(name).expect("a label").encode(CZECH).expect("Czech").into_owned();
            assert_eq!(model.best(&bytes), [name]);
        }
    }

    #[test]
    fn trained_text_agrees_with_the_published_steps() {
        let model = train(&czech(), &["utf-8", "windows-1250", "iso-8859-2"]);
        let files = Converted::new(&czech(), &some_encodings(3)).files;
        let document = "Žlutý kůň".as_bytes();
        assert_eq!((model.triples(), model.scores(document)), scores_plainly(&files, document));
    }

    #[test]
    fn bytes_without_evidence_leave_all_encodings() {
        let model = train(&czech(), &["windows-1250", "utf-8"]);
        assert_eq!(model.best(b"plain words"), ["windows-1250", "UTF-8"]);
        assert_eq!(model.classify(b"\xf8"), [("windows-1250", 0), ("UTF-8", 0)]);
        assert_eq!(model.best(b""), ["windows-1250", "UTF-8"]);
    }

    #[test]
    fn all_encodings_that_can_encode_are_known() {
        let labels = "utf-8 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 \
            windows-1257 windows-1258 windows-874 iso-8859-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 \
            iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-9 iso-8859-10 iso-8859-11 iso-8859-13 iso-8859-14 iso-8859-15 \
            iso-8859-16 koi8-r koi8-u ibm866 macintosh x-mac-cyrillic gb18030 gbk big5 euc-jp shift_jis euc-kr \
            iso-2022-jp";
        let names: Vec<_> = labels
            .split_whitespace()
            .map(|label| CharedEncoding::for_label(label).unwrap_or_else(|| panic!("{label}")).name())
            .collect();
        let distinct: HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        for label in ["utf-16", "utf-16be", "replacement", "x-user-defined", "klingon", ""] {
            assert_eq!(CharedEncoding::for_label(label), None, "{label}");
        }
    }

    #[test]
    fn every_name_is_its_own_label() {
        for label in ["latin1", "ascii", "latin5", "tis-620", "cp1252", "x-cp1254", "dos-874", "sjis"] {
            let encoding = CharedEncoding::for_label(label).expect("a label");
            assert_eq!(CharedEncoding::for_label(encoding.name()), Some(encoding), "{label}");
        }
    }

    #[test]
    fn characters_have_plain_equivalents_where_the_encoding_lacks_them() {
        let encoded = |label, text: &str| {
            let encoding = CharedEncoding::for_label(label).expect("a label");
            encoding.encode(text).map(Cow::into_owned)
        };
        assert_eq!(encoded("iso-8859-2", "„ș…“ –"), Ok(b"\"\xba...\" -".to_vec()));
        assert_eq!(encoded("windows-1250", "„ș“"), Ok(b"\x84\xba\x93".to_vec()));
        assert_eq!(encoded("utf-8", "„ș“"), Ok("„ș“".as_bytes().to_vec()));
        assert_eq!(encoded("windows-1258", "ếẾ"), Ok(b"\xea\xec\xca\xec".to_vec()));
        assert_eq!(encoded("iso-8859-1", "ș ☃ é ☃"), Err(vec!['ș', '☃', '☃']));
        assert_eq!(encoded("iso-8859-1", "€"), Err(vec!['€']));
    }

    #[test]
    fn sentences_that_do_not_fit_are_in_no_conversion() {
        let text = "Žluťoučký kůň\nЛошадь and horse\nKůň\n";
        let converted = Converted::new(text, &some_encodings(2));
        assert_eq!(converted.files[0].bytes, "Žluťoučký kůň\nKůň\n".as_bytes());
        assert_eq!(converted.files[1].bytes, b"\x8elu\x9dou\xe8k\xfd k\xf9\xf2\nK\xf9\xf2\n");
        assert_eq!(converted.kept, converted.files[0].bytes.len());
        assert_eq!(converted.losses[1].characters, ['Л', 'о', 'ш', 'а', 'д']);
    }

    #[test]
    fn plain_quotation_marks_speak_for_no_encoding() {
        let text =
            "“The keeper – a woman – said “good night…”” to the café\n\"It is late,\" said the others\n".repeat(200);
        let model = train(&text, &["utf-8", "windows-1252", "latin1"]);
        assert_eq!(model.best(b"\"Good night\" - said the keeper..."), ["UTF-8", "windows-1252", "ISO-8859-1"]);
        assert_eq!(model.best(b"\x93The keeper"), ["windows-1252"]);
        assert_eq!(model.best(b"the caf\xe9"), ["windows-1252", "ISO-8859-1"]);
        assert_eq!(model.best("“The keeper".as_bytes()), ["UTF-8"]);
    }

    #[test]
    fn letters_with_equivalents_are_counted_as_such() {
        let text = "Țara și orașul știu că așa ține\n".repeat(400);
        let model = train(&text, &["utf-8", "iso-8859-2", "iso-8859-16"]);
        assert_eq!(model.best(b"ora\xba \xbai \xfeine"), ["ISO-8859-2", "ISO-8859-16"]);
    }

    #[test]
    fn too_little_text_is_refused_with_how_much_is_needed() {
        let error = CharedModel::train(CZECH, &["utf-8"]).expect_err("too small");
        assert_eq!(error, TrainError::TooSmall { bytes: CZECH.len(), needed: 10_000 });
        // Dropped sentences do not count.
        let text = format!("{}{}", "a horse, ".repeat(1000), "\n☃ horses\n".repeat(100));
        let error = CharedModel::train(&text, &["utf-8", "latin1"]).expect_err("too small");
        assert_eq!(error, TrainError::TooSmall { bytes: 9100, needed: 10_000 });
    }

    #[test]
    fn an_encoding_that_lacks_the_letters_is_refused() {
        let error = CharedModel::train(&czech(), &["utf-8", "iso-8859-1"]).expect_err("no Czech in it");
        let TrainError::CannotExpress { encoding, characters, .. } = &error else { panic!("{error}") };
        assert_eq!((*encoding, characters.as_slice()), ("ISO-8859-1", &['ř', 'š', 'ž', 'ť', 'č'][..]));
        assert!(error.to_string().contains("the first missing ones are ř (U+0159), š (U+0161)"), "{error}");
        // Few letters, but in most sentences.
        let text =
            "Sentences of many plain words, and a small Š among all the others of them, which are plain\n".repeat(200);
        assert!(matches!(CharedModel::train(&text, &["latin1"]), Err(TrainError::CannotExpress { .. })));
    }

    #[test]
    fn encodings_are_named_once() {
        assert_eq!(CharedModel::train(&czech(), &[]), Err(TrainError::NoEncodings));
        assert_eq!(CharedModel::train(&czech(), &["utf8", "UTF-8"]), Err(TrainError::NamedTwice("UTF-8")));
    }

    #[test]
    fn damaged_models_are_refused_with_the_line() {
        let sound = "chared model, version 1\nencodings UTF-8 windows-1250\ntriples 2\n2020e1 0 7\n20c3a1 7 0\n";
        assert!(CharedModel::load(sound.as_bytes()).is_ok());
        let damage = [
            ("version 1", ("version 2", 1)),
            ("encodings ", ("", 2)),
            ("windows-1250", ("cp1250", 2)),
            ("windows-1250", ("UTF-8", 2)),
            ("triples 2", ("triples 3", 6)),
            ("triples 2\n", ("triples 1\n", 5)),
            ("triples 2\n", ("triples 99999999999\n", 3)),
            ("2020e1 0 7", ("2020e1 0", 4)),
            ("2020e1 0 7", ("2020e1 7 7", 4)),
            ("2020e1", ("2020E1", 4)),
            ("2020e1", ("+020e1", 4)),
            ("20c3a1", ("1fc3a1", 5)),
            ("20c3a1", ("20c3", 5)),
            ("7 0\n", ("7 0", 5)),
            ("7 0\n", ("7 00\n", 5)),
            ("7 0\n", ("4294967296 0\n", 5)),
        ];
        for (from, (to, line)) in damage {
            let error = CharedModel::load(sound.replacen(from, to, 1).as_bytes()).expect_err(to);
            assert_eq!(error.line, line, "{from} -> {to}: {error}");
        }
        assert_eq!(CharedModel::load(b"\xff\n").expect_err("no text").line, 1);
        assert_eq!(
            CharedModel::load(b"").expect_err("nothing").to_string(),
            "line 1 of the model: the file is truncated"
        );
    }

    #[test]
    fn no_file_that_is_cut_off_is_read() {
        let mut file = Vec::new();
        train(&czech(), &["utf-8", "windows-1250"]).save(&mut file).expect("memory takes all");
        for end in (0..file.len()).rev().take(40).chain(0..80) {
            assert!(CharedModel::load(&file[..end]).is_err(), "{end} of {}", file.len());
        }
    }
}
