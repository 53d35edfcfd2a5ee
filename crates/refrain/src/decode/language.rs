//! Detects the language of a text, and marks documents in unwanted languages.

use std::collections::BTreeMap;

use super::markup;
use super::models::{LATIN, Models, OWN_SCRIPT, Script, TONES_APART, Window, script_of};
use super::ngrams::{ORDER, STEP};
use super::symbols::{SPACE, symbols};
use crate::document::{Document, Label, Mark, Reason};
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

/// How much text of a document is examined: more does not change the answer.
const SAMPLE: usize = 1200;

/// With fewer bytes, no result is reliable.
const ENOUGH: usize = 80;

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
    let symbols = first_symbols(text);
    let (script, letters) = main_script(&symbols)?;
    let sure = |code| Language { code, confidence: 1.0, reliable: letters >= OWN_LETTERS };
    match script {
        Script::Own(code) => Some(sure(code)),
        Script::Han => Some(sure("zh")),
        Script::Kana => Some(sure("ja")),
        Script::Shared(group) => among(group, &symbols, letters),
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
fn among(group: &str, symbols: &[u16], letters: usize) -> Option<Language> {
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
        if agree && seen + 1 >= ENOUGH_CHUNKS && lead(&sums[..languages]) > CLEAR {
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

/// Finds the language of a document from the first running text in it.
pub fn detect_language(document: &Document) -> Option<Language> {
    let mut sample = String::with_capacity(SAMPLE + 200);
    // Running text first; any text if there is none.
    for least in [80, 1] {
        for block in document.blocks() {
            let text = block.span.of(document.text());
            let linked = block.link_chars as usize * 3 > text.len();
            if text.len() >= least && !(least > 1 && linked) && sample.len() < SAMPLE {
                sample.push_str(&text[..text.floor_char_boundary(SAMPLE)]);
                sample.push('\n');
            }
        }
        if sample.len() >= ENOUGH {
            break;
        }
        sample.clear();
    }
    let found = identify(if sample.is_empty() { document.text() } else { &sample })?;
    Some(Language { reliable: found.reliable && sample.len() >= ENOUGH, ..found })
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
/// [`Label::Foreign`], or only their blocks in others. Text too short to identify is never marked, and a document whose
/// language is unknown gets none.
#[derive(Debug, Clone, Default)]
pub struct LanguageFilter {
    /// Codes of the languages to keep; all when empty.
    pub wanted: Vec<String>,
    /// Judge each block by itself.
    pub by_block: bool,
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
            None => Ok(LanguageFilter { wanted, by_block: false }),
        }
    }

    /// True for a language that was not requested.
    pub fn is_foreign(&self, found: &Language) -> bool {
        found.reliable && !self.wanted.is_empty() && !self.wanted.iter().any(|wanted| wanted == found.code)
    }

    /// Detects the language of a document, and marks what is in a language that was not requested.
    pub fn mark(&self, document: &mut Document) {
        let found = detect_language(document).filter(|found| found.reliable);
        document.language = found.map(|found| found.code.to_owned()).or(document.language.take());
        if self.by_block {
            self.mark_blocks(document);
        } else if let Some(found) = found.filter(|found| self.is_foreign(found)) {
            document.mark_all(Label::Foreign, NAME, reason(&found));
        }
    }

    /// Marks blocks in other languages. The document's language is that of most of the rest, if any.
    fn mark_blocks(&self, document: &mut Document) {
        let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
        let mut marks = Vec::new();
        for (block, found) in document.blocks().iter().zip(block_languages(document)) {
            let Some(found) = found.filter(|found| found.reliable) else { continue };
            if self.is_foreign(&found) {
                let (pass, reason) = (NAME.into(), reason(&found));
                marks.push(Mark { span: block.span, label: Label::Foreign, pass, reason });
            } else {
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
        let english_only = LanguageFilter { wanted: vec!["en".into()], by_block: false };
        let mut german = Document::from_text("d", GERMAN);
        english_only.mark(&mut german);
        assert_eq!(german.language.as_deref(), Some("de"));
        assert_eq!(german.marks[0].label, Label::Foreign);

        let mut short = Document::from_text("d", "Guten Morgen");
        english_only.mark(&mut short);
        assert!(short.marks.is_empty());
    }

    #[test]
    fn languages_are_told_by_script_and_by_letters() {
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
        LanguageFilter { wanted: vec!["en".into()], by_block: true }.mark(&mut mixed);
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
