//! Detects the language of a text, and marks documents in unwanted languages.

use std::collections::BTreeMap;

use super::markup;
use super::models::{LATIN, Models, OWN_SCRIPT, Script, TONES_APART, Window, script_of};
use super::ngrams::{ORDER, STEP};
use super::symbols::{SPACE, symbols};
use crate::document::{Block, Document, Label, Mark, Reason, Span};
use crate::error::{Error, Result};

/// A language and how sure the detector is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Language {
    /// ISO 639-1 code.
    pub code: &'static str,
    /// From 0 to 1.
    pub confidence: f64,
    /// True when the text is long and clear enough to act on.
    pub reliable: bool,
}

/// The samples that are examined of the text of a document, and their bytes: more does not change the answer.
const SAMPLES: usize = 16;
const SAMPLE: usize = 120;

/// With fewer bytes, no result is reliable.
const ENOUGH: usize = 80;

/// A document with this many bytes is in some language, that of most of it, even if it mixes several.
const DECIDED: usize = 500;

/// The same in letters, since tables of numbers and signs are in none.
const DECIDED_LETTERS: usize = 250;

/// Letters that are examined together.
const CHUNK: usize = 64;

/// After this many chunks from different positions, a clear lead is enough if all of them agree.
const ENOUGH_CHUNKS: usize = 2;

/// A clear lead, in nats.
const CLEAR: f32 = 40.0;

/// At most this many letters and spaces are examined.
const MOST_SYMBOLS: usize = 2048;

/// Letters that a reliable answer needs.
const RELIABLE_LETTERS: usize = 24;

/// The same for a script of a single language; mathematical signs are not text.
const OWN_LETTERS: usize = 8;

/// Letters depend on each other, so n-gram evidence is divided by this.
const TEMPERATURE: f32 = 3.0;

/// Identifies the language of a text.
///
/// ```
/// use refrain::decode::identify;
///
/// let found = identify("Der Wärter zündet jeden Abend die Lampe an.").expect("letters");
/// assert_eq!((found.code, found.reliable), ("de", true));
/// assert!(identify("1, 2, 3").is_none());
/// ```
pub fn identify(text: &str) -> Option<Language> {
    identify_by(text, ENOUGH_CHUNKS)
}

/// Identifies the language of a text, by at least this many parts of it.
fn identify_by(text: &str, least_chunks: usize) -> Option<Language> {
    let symbols = first_symbols(text);
    let (script, letters) = main_script(&symbols)?;
    let sure = |code| Language { code, confidence: 1.0, reliable: letters >= OWN_LETTERS };
    match script {
        Script::Own(code) => Some(sure(code)),
        Script::Han => Some(sure("zh")),
        Script::Kana => Some(sure("ja")),
        Script::Shared(group) => among(group, &symbols, letters, least_chunks),
        Script::Unknown => None,
    }
}

/// The first letters of a text, with spaces between words.
fn first_symbols(text: &str) -> Vec<u16> {
    let mut first = Vec::with_capacity(text.len().min(MOST_SYMBOLS));
    first.extend(symbols(text).take(MOST_SYMBOLS));
    first
}

/// The script that most letters of a text are in, and their number.
fn main_script(symbols: &[u16]) -> Option<(Script, usize)> {
    let mut counts: Vec<(Script, usize)> = Vec::new();
    let latin = symbols.iter().filter(|symbol| LATIN.contains(symbol)).count();
    counts.extend((latin > 0).then_some((Script::Shared("latin"), latin)));
    for script in symbols.iter().filter(|symbol| !LATIN.contains(symbol)).filter_map(|symbol| script_of(*symbol)) {
        match counts.iter_mut().find(|(known, _)| *known == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let count = |script| counts.iter().find(|(known, _)| *known == script).map_or(0, |(_, count)| *count);
    let (kana, han) = (count(Script::Kana), count(Script::Han));
    // Kana occur between Chinese characters in Japanese; some also occur in Chinese text.
    if kana > 2 && kana * 8 > han {
        counts.retain(|(script, _)| !matches!(script, Script::Kana | Script::Han));
        counts.push((Script::Kana, kana + 3 * han));
    }
    // A Chinese character is worth several letters.
    let weight = |(script, count): &(Script, usize)| if *script == Script::Han { 3 * count } else { *count };
    counts.into_iter().reduce(|best, next| if weight(&next) > weight(&best) { next } else { best })
}

/// Identifies the language within one group.
fn among(group: &str, symbols: &[u16], letters: usize, least_chunks: usize) -> Option<Language> {
    let (_, group) = Models::shipped().group(group)?;
    let table = group.table();
    let mut sums = vec![0; table.width()];
    for (sum, (code, prior)) in sums.iter_mut().zip(&group.languages) {
        *sum = if code == TONES_APART { u32::MAX / 2 } else { u32::from(*prior) };
    }
    let languages = group.languages.len();
    let chunks: Vec<&[u16]> = symbols.chunks(CHUNK).collect();
    let mut keys = Vec::with_capacity(CHUNK);
    let mut wins = vec![0_usize; languages];
    for (seen, number) in spread(chunks.len()).enumerate() {
        let start = number * CHUNK;
        // The preceding letters.
        let mut window = Window(u64::from(SPACE));
        for symbol in &symbols[start.saturating_sub(ORDER - 1)..start] {
            window.push(*symbol);
        }
        keys.clear();
        keys.extend(chunks[number].iter().filter_map(|symbol| window.push(*symbol).then_some(window.0)));
        let mut costs = vec![0; table.width()];
        table.add(&keys, &mut costs);
        sums.iter_mut().zip(&costs).for_each(|(sum, cost)| *sum += cost);
        // The remainder at the end is too short to count.
        if let Some(winner) = (0..languages).min_by_key(|&language| costs[language])
            && (keys.len() >= RELIABLE_LETTERS || chunks.len() == 1)
        {
            wins[winner] += 1;
        }
        let agree = wins.iter().filter(|wins| **wins > 0).count() == 1;
        if agree && seen + 1 >= least_chunks && lead(&sums[..languages]) > CLEAR {
            break;
        }
    }
    let sums = &sums[..languages];
    let best = (0..languages).min_by_key(|&language| sums[language])?;
    let odds = |sum: u32| (-((sum - sums[best]) as f32) / STEP / TEMPERATURE).exp();
    let confidence = 1.0 / sums.iter().map(|sum| odds(*sum)).sum::<f32>();
    Some(Language {
        code: group.code(best),
        confidence: f64::from(confidence),
        // Half in one language and half in another is neither.
        reliable: letters >= RELIABLE_LETTERS && confidence > 0.8 && 3 * wins[best] >= 2 * wins.iter().sum::<usize>(),
    })
}

/// The numbers below `count`, ordered so that the first few are spread out: ends, middle, quarters, eighths.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    let bits = count.next_power_of_two().trailing_zeros();
    let scattered =
        (0..1_usize << bits).map(move |at| if bits == 0 { 0 } else { at.reverse_bits() >> (usize::BITS - bits) });
    scattered.filter(move |&at| at < count)
}

/// The lead of the best one, in nats.
fn lead(sums: &[u32]) -> f32 {
    let (mut best, mut second) = (u32::MAX, u32::MAX);
    for &sum in sums {
        if sum < best {
            (best, second) = (sum, best);
        } else {
            second = second.min(sum);
        }
    }
    (second - best) as f32 / STEP
}

/// How many bytes of a page are examined for its language.
const PAGE: usize = 16 << 10;

/// Identifies the language of a text that may be a web page, ignoring markup. For short texts the result is not
/// reliable.
///
/// ```
/// use refrain::decode::identify_page;
///
/// let found = identify_page("<html><body><p>Der Wärter zündet jeden Abend die Lampe im Turm über dem Hafen an, und am Morgen löscht er sie.</p>");
/// assert_eq!(found.map(|found| (found.code, found.reliable)), Some(("de", true)));
/// ```
pub fn identify_page(text: &str) -> Option<Language> {
    let head = &text[..text.floor_char_boundary(PAGE)];
    let plain = markup::plain_text_of(head.as_bytes());
    let plain = String::from_utf8_lossy(&plain);
    let found = identify(&plain)?;
    Some(Language { reliable: found.reliable && plain.trim().len() >= ENOUGH, ..found })
}

/// Finds the language of a document from the running text in all of it that no mark covers. Samples at equal distances are enough.
/// With 500 bytes of text the answer is always reliable.
pub fn detect_language(document: &Document) -> Option<Language> {
    let marked = document.removed_spans();
    let is_left = |span: Span| {
        let next = marked.partition_point(|mark| mark.end <= span.start);
        marked.get(next).is_none_or(|mark| mark.start > span.start || mark.end < span.end)
    };
    let blocks = || document.blocks().iter();
    let only_left = blocks().any(|block| is_left(block.span));
    let mut sample = String::new();
    // Running text first; any text if there is none.
    for least in [80, 1] {
        let is_running = |block: &Block| {
            let length = block.span.len();
            length >= least && (least == 1 || block.link_chars as usize * 3 <= length)
        };
        let running = blocks().filter(|block| is_running(block) && (!only_left || is_left(block.span)));
        let texts: Vec<&str> = running.map(|block| block.span.of(document.text())).collect();
        sample = sampled(&texts);
        if sample.len() >= ENOUGH {
            break;
        }
    }
    // A document may begin and end in another language than the rest of it.
    let found = identify_by(if sample.is_empty() { document.text() } else { &sample }, SAMPLES)?;
    let is_long = || {
        let letters = main_script(&first_symbols(&sample)).map_or(0, |(_, letters)| letters);
        sample.len() >= DECIDED && letters >= DECIDED_LETTERS
    };
    Some(Language { reliable: (found.reliable && sample.len() >= ENOUGH) || is_long(), ..found })
}

/// Samples of texts, at equal distances over all of them, or the whole of short ones.
fn sampled(texts: &[&str]) -> String {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    let distance = (total / SAMPLES).max(SAMPLE);
    let mut sample = String::with_capacity(total.min(2 * SAMPLES * SAMPLE));
    let mut before = 0;
    for text in texts {
        let (mut at, already) = (0, sample.len());
        while at < text.len() {
            let inside = (before + at) % distance;
            let end = text.floor_char_boundary(at + SAMPLE.saturating_sub(inside));
            sample.push_str(text.get(at..end).unwrap_or_default());
            at = text.ceil_char_boundary(at + distance - inside);
        }
        if sample.len() > already {
            sample.push('\n');
        }
        before += text.len();
    }
    sample
}

/// The language of each block of a document, since pages can mix languages. `None` for blocks without letters.
pub(crate) fn block_languages(document: &Document) -> Vec<Option<Language>> {
    document.blocks().iter().map(|block| identify(block.span.of(document.text()))).collect()
}

/// Codes of all languages that can be identified.
pub(crate) fn known_languages() -> Vec<&'static str> {
    let mut codes: Vec<&str> = OWN_SCRIPT.iter().copied().chain(["ja", "th", "zh"]).collect();
    for group in &Models::shipped().groups {
        codes.extend((0..group.languages.len()).map(|column| group.code(column)));
    }
    codes.retain(|code| !code.starts_with("zh-"));
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Records the language of every document. If languages were requested, marks documents in others as
/// [`Label::Foreign`], or only their blocks in others.
#[derive(Debug, Clone, Default)]
pub struct LanguageFilter {
    /// Codes of the languages to keep; all when empty.
    pub wanted: Vec<String>,
    /// Judge each block by itself.
    pub by_block: bool,
    /// What becomes of text whose language is unknown.
    pub undecided: Undecided,
}

/// What becomes of text whose language is unknown, because it is short or has few letters, when languages were requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undecided {
    /// It is kept.
    #[default]
    Keep,
    /// It is marked like text in another language.
    Drop,
}

impl LanguageFilter {
    /// Codes of all languages that can be identified.
    pub fn known() -> Vec<&'static str> {
        known_languages()
    }

    /// A filter for documents in these languages, by code; an empty list means all languages.
    pub fn of(codes: &[String]) -> Result<LanguageFilter> {
        let named = codes.iter().map(|code| code.trim().to_lowercase()).filter(|code| !code.is_empty());
        let wanted: Vec<String> = named.collect();
        if wanted.is_empty() && !codes.is_empty() {
            return Err(Error::Refused(
                "no language is named; name at least one, or remove the option to keep all languages".into(),
            ));
        }
        let known = known_languages();
        match wanted.iter().find(|code| !known.contains(&code.as_str())) {
            Some(code) => {
                Err(Error::Refused(format!("unknown language `{code}`; the codes are: {}", known.join(", "))))
            }
            None => Ok(LanguageFilter { wanted, ..LanguageFilter::default() }),
        }
    }

    /// True for a language that was not requested.
    pub fn is_foreign(&self, found: &Language) -> bool {
        found.reliable && !self.wanted.is_empty() && !self.wanted.iter().any(|wanted| wanted == found.code)
    }

    /// The reason to remove text in a language, if there is one.
    fn objection(&self, found: Option<&Language>) -> Option<Reason> {
        match found.filter(|found| found.reliable) {
            Some(found) => self.is_foreign(found).then(|| reason(found)),
            None if self.undecided == Undecided::Drop && !self.wanted.is_empty() => {
                Some(Reason::Language { found: Reason::UNKNOWN.into(), confidence: 0.0 })
            }
            None => None,
        }
    }

    /// Detects the language of a document, and marks what is in a language that was not requested. The text that is marked already
    /// does not count.
    pub fn mark(&self, document: &mut Document) {
        let found = detect_language(document).filter(|found| found.reliable);
        document.language = found.map(|found| found.code.to_owned()).or(document.language.take());
        if self.by_block {
            self.mark_blocks(document);
        } else if let Some(reason) = self.objection(found.as_ref()) {
            document.mark_all(Label::Foreign, NAME, reason);
        }
    }

    /// Marks blocks in other languages. The document's language is that of most of the rest, if any.
    fn mark_blocks(&self, document: &mut Document) {
        let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
        let mut marks = Vec::new();
        for (block, found) in document.blocks().iter().zip(block_languages(document)) {
            if let Some(reason) = self.objection(found.as_ref()) {
                marks.push(Mark { span: block.span, label: Label::Foreign, pass: NAME.into(), reason });
            } else if let Some(found) = found.filter(|found| found.reliable) {
                *kept.entry(found.code).or_default() += block.span.len();
            }
        }
        document.marks.extend(marks);
        if let Some((code, _)) = kept.into_iter().max_by_key(|(_, length)| *length) {
            document.language = Some(code.to_owned());
        }
    }
}

/// The name that marks carry.
const NAME: &str = "language";

fn reason(found: &Language) -> Reason {
    Reason::Language { found: found.code.to_owned(), confidence: found.confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str = "Der Leuchtturm steht seit mehr als hundert Jahren auf der Klippe über dem Hafen, und jeden Abend \
        zündet der Wärter die Lampe an, damit die Schiffe den Weg in die Bucht finden.";

    #[test]
    fn foreign_documents_are_marked_and_short_ones_never() {
        let english_only = LanguageFilter { wanted: vec!["en".into()], ..LanguageFilter::default() };
        let mut german = Document::from_text("d", GERMAN);
        english_only.mark(&mut german);
        assert_eq!(german.language.as_deref(), Some("de"));
        assert_eq!(german.marks[0].label, Label::Foreign);

        let mut short = Document::from_text("d", "Guten Morgen");
        english_only.mark(&mut short);
        assert!(short.marks.is_empty());
    }

    #[test]
    fn languages_are_detected_by_script_and_by_letters() {
        let of = |text: &str| identify(text).map(|found| found.code);
        assert_eq!(of("Příliš žluťoučký kůň úpěl ďábelské ódy"), Some("cs"));
        assert_eq!(of("Съешь же ещё этих мягких французских булок"), Some("ru"));
        assert_eq!(of("Щастям б'єш жук їх глицю в фон й ґедзь пріч"), Some("uk"));
        assert_eq!(of("東京都は日本の首都である"), Some("ja"));
        assert_eq!(of("北京是中华人民共和国的首都"), Some("zh"));
        assert_eq!(of("대한민국의 수도는 서울이다"), Some("ko"));
        assert_eq!(of("Η Αθήνα είναι η πρωτεύουσα"), Some("el"));
        assert_eq!(of("תל אביב היא עיר"), Some("he"));
        assert_eq!(of("42 – 17 = 25"), None);
    }

    #[test]
    fn a_foreign_beginning_does_not_decide() {
        let text =
            format!("The keeper of the lighthouse has written down the following story for us. {}", GERMAN.repeat(9));
        assert_eq!(identify(&text).map(|found| (found.code, found.reliable)), Some(("de", true)));
        let half = "The keeper of the lighthouse has written down the following story for us, and all of us have read it. \
            It is about a ship that was lost in the bay, and about the crew, who came ashore on the next morning.";
        assert!(identify(&format!("{half} {GERMAN}")).is_some_and(|found| !found.reliable));
        assert_eq!(spread(5).collect::<Vec<_>>(), [0, 4, 2, 1, 3]);
        assert_eq!((spread(0).count(), spread(1).count()), (0, 1));
    }

    #[test]
    fn samples_come_from_all_of_a_text() {
        assert_eq!(sampled(&["one", "two"]), "one\ntwo\n");
        let texts: Vec<String> = (0..900).map(|number| format!("é{number:05} ").repeat(20)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let sample = sampled(&texts);
        assert!((SAMPLES * SAMPLE..SAMPLES * SAMPLE * 5 / 4).contains(&sample.trim().len()), "{}", sample.len());
        assert!(sample.contains("é00000") && sample.contains("é00450") && sample.contains("é0084"), "{sample}");
    }

    #[test]
    fn signs_of_mathematics_are_no_greek_text() {
        assert!(identify("α β γ δ").is_some_and(|found| !found.reliable));
    }

    #[test]
    fn blocks_have_languages_of_their_own() {
        let text = format!(
            "{GERMAN}\n\nThe lighthouse has stood on the cliff above the harbour for a hundred years.\n\n* * *"
        );
        let found = block_languages(&Document::from_text("d", text.as_str()));
        let codes: Vec<_> = found.iter().map(|found| found.map(|language| language.code)).collect();
        assert_eq!(codes, [Some("de"), Some("en"), None]);
    }

    #[test]
    fn foreign_blocks_are_marked_and_short_ones_never() {
        let english = "The lighthouse has stood on the cliff above the harbour for more than a hundred years.";
        let mut mixed = Document::from_text("d", format!("{GERMAN}\n\n{english}\n\nGuten Morgen"));
        LanguageFilter { wanted: vec!["en".into()], by_block: true, ..LanguageFilter::default() }.mark(&mut mixed);
        assert_eq!(mixed.kept(), format!("{english}\n\nGuten Morgen"));
        assert_eq!(mixed.language.as_deref(), Some("en"));
    }

    #[test]
    fn sixty_languages_are_known() {
        let codes = known_languages();
        assert!(codes.len() >= 60 && codes.is_sorted(), "{codes:?}");
        assert!(["en", "zh", "sr", "vi", "hy"].iter().all(|code| codes.contains(code)), "{codes:?}");
    }
}
