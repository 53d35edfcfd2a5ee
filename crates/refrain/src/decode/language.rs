//! The language of a document, and the pass that marks documents in languages that were not asked for.

use whatlang::Lang;

use crate::document::{Document, Label, Reason};
use crate::pass::LocalPass;

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

/// How much text is looked at: more does not change the answer.
const SAMPLE: usize = 1200;

/// Below this many bytes nothing is said for sure.
const ENOUGH: usize = 80;

/// Finds the language of a document from the first running text in it.
pub fn detect_language(document: &Document) -> Option<Language> {
    let mut sample = String::with_capacity(SAMPLE + 200);
    // Running text first; whatever there is when there is none.
    for least in [80, 1] {
        for block in &document.blocks {
            let text = block.span.of(&document.text);
            let linked = block.link_chars as usize * 3 > text.len();
            if text.len() >= least && !(least > 1 && linked) && sample.len() < SAMPLE {
                let mut end = text.len().min(SAMPLE);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                sample.push_str(&text[..end]);
                sample.push('\n');
            }
        }
        if sample.len() >= ENOUGH {
            break;
        }
        sample.clear();
    }
    let info = whatlang::detect(if sample.is_empty() { &document.text } else { &sample })?;
    Some(Language {
        code: short_code(info.lang()),
        confidence: info.confidence(),
        reliable: info.is_reliable() && sample.len() >= ENOUGH,
    })
}

/// The two-letter code; Norwegian counts as one language.
#[rustfmt::skip] // a table
fn short_code(lang: Lang) -> &'static str {
    match lang {
        Lang::Epo => "eo", Lang::Eng => "en", Lang::Rus => "ru", Lang::Cmn => "zh", Lang::Spa => "es", Lang::Por => "pt",
        Lang::Ita => "it", Lang::Ben => "bn", Lang::Fra => "fr", Lang::Deu => "de", Lang::Ukr => "uk", Lang::Kat => "ka",
        Lang::Ara => "ar", Lang::Hin => "hi", Lang::Jpn => "ja", Lang::Heb => "he", Lang::Yid => "yi", Lang::Pol => "pl",
        Lang::Amh => "am", Lang::Jav => "jv", Lang::Kor => "ko", Lang::Nob => "no", Lang::Dan => "da", Lang::Swe => "sv",
        Lang::Fin => "fi", Lang::Tur => "tr", Lang::Nld => "nl", Lang::Hun => "hu", Lang::Ces => "cs", Lang::Ell => "el",
        Lang::Bul => "bg", Lang::Bel => "be", Lang::Mar => "mr", Lang::Kan => "kn", Lang::Ron => "ro", Lang::Slv => "sl",
        Lang::Hrv => "hr", Lang::Srp => "sr", Lang::Mkd => "mk", Lang::Lit => "lt", Lang::Lav => "lv", Lang::Est => "et",
        Lang::Tam => "ta", Lang::Vie => "vi", Lang::Urd => "ur", Lang::Tha => "th", Lang::Guj => "gu", Lang::Uzb => "uz",
        Lang::Pan => "pa", Lang::Aze => "az", Lang::Ind => "id", Lang::Tel => "te", Lang::Pes => "fa", Lang::Mal => "ml",
        Lang::Ori => "or", Lang::Mya => "my", Lang::Nep => "ne", Lang::Sin => "si", Lang::Khm => "km", Lang::Tuk => "tk",
        Lang::Aka => "ak", Lang::Zul => "zu", Lang::Sna => "sn", Lang::Afr => "af", Lang::Lat => "la", Lang::Slk => "sk",
        Lang::Cat => "ca", Lang::Tgl => "tl", Lang::Hye => "hy", Lang::Cym => "cy",
    }
}

/// Notes the language of every document and, when languages were asked for, marks documents in others as
/// [`Label::Foreign`]. What is too short to tell is never marked.
#[derive(Debug, Clone, Default)]
pub struct LanguageFilter {
    /// Codes of the languages to keep; all when empty.
    pub wanted: Vec<String>,
}

impl LanguageFilter {
    /// Codes of all languages that can be told.
    pub fn known() -> Vec<&'static str> {
        let mut codes: Vec<_> = Lang::all().iter().map(|&lang| short_code(lang)).collect();
        codes.sort_unstable();
        codes
    }
}

impl LocalPass for LanguageFilter {
    fn name(&self) -> &'static str {
        "language"
    }

    fn mark(&self, document: &mut Document) {
        let Some(found) = detect_language(document) else { return };
        if !found.reliable {
            return;
        }
        document.language = Some(found.code.to_owned());
        if !self.wanted.is_empty() && !self.wanted.iter().any(|wanted| wanted == found.code) {
            let reason = Reason::Language { found: found.code.to_owned(), confidence: found.confidence };
            document.mark_all(Label::Foreign, self.name(), reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GERMAN: &str = "Der Leuchtturm steht seit mehr als hundert Jahren auf der Klippe über dem Hafen, und jeden Abend \
        zündet der Wärter die Lampe an, damit die Schiffe den Weg in die Bucht finden.";

    #[test]
    fn foreign_documents_are_marked_and_short_ones_never() {
        let english_only = LanguageFilter { wanted: vec!["en".into()] };
        let mut german = Document::from_text("d", GERMAN);
        english_only.mark(&mut german);
        assert_eq!(german.language.as_deref(), Some("de"));
        assert_eq!(german.marks[0].label, Label::Foreign);

        let mut short = Document::from_text("d", "Guten Morgen");
        english_only.mark(&mut short);
        assert!(short.marks.is_empty());
    }

    #[test]
    fn codes_are_short() {
        let codes = LanguageFilter::known();
        assert!(codes.contains(&"en") && codes.iter().all(|code| code.len() == 2), "{codes:?}");
    }
}
