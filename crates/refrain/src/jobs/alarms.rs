//! Alarms: groups of documents that lose more than a user accepts.

use std::collections::BTreeMap;
use std::path::Path;

use crate::document::Document;
use crate::error::{Error, Hint, Result};
use crate::text::legible;

/// How much of a group of documents was kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Loss {
    pub(super) documents: u64,
    pub(super) documents_kept: u64,
    pub(super) words: u64,
    pub(super) words_kept: u64,
}

/// Smaller groups raise no alarm: one copy can be most of them.
const LEAST_DOCUMENTS: u64 = 10;
const LEAST_WORDS: u64 = 1000;
/// Groups that an alarm names.
const NAMED: usize = 10;

impl Loss {
    /// Large enough that a share means something.
    pub(super) fn counts(&self) -> bool {
        self.documents >= LEAST_DOCUMENTS && self.words >= LEAST_WORDS
    }

    /// The lost share of words, or of documents if that is larger.
    pub(super) fn share(&self) -> f64 {
        let lost = |kept: u64, all: u64| if all == 0 { 0.0 } else { 1.0 - kept as f64 / all as f64 };
        lost(self.words_kept, self.words).max(lost(self.documents_kept, self.documents))
    }
}

/// The source of a document for people: the file that holds it with others, or the folder of its own file.
pub(super) fn source_of(document: &Document) -> String {
    let input = &document.origin.input;
    let alone = document.origin.member.is_none() && document.origin.url.is_none() && document.id == *input;
    let folder = Path::new(input).parent().filter(|_| alone).map(|folder| folder.to_string_lossy().into_owned());
    match folder {
        Some(folder) if folder.is_empty() => ".".to_owned(),
        Some(folder) => folder,
        None => input.clone(),
    }
}

/// Refuses to go on if a group lost a larger share than the limit. `groups` have a kind, a name and what they lost.
pub(super) fn check<'a>(limit: Option<f64>, groups: impl Iterator<Item = (&'a str, &'a str, Loss)>) -> Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let mut raised: BTreeMap<(u64, &str, &str), Loss> = BTreeMap::new();
    for (kind, name, loss) in groups.filter(|(.., loss)| loss.counts() && loss.share() > limit) {
        // The largest loss first.
        raised.insert(((1e9 * (1.0 - loss.share())) as u64, kind, name), loss);
    }
    if raised.is_empty() {
        return Ok(());
    }
    let share = |kept: u64, all: u64| format!("{:.1} %", 100.0 - kept as f64 * 100.0 / all.max(1) as f64);
    let line = |((_, kind, name), loss): (&(u64, &str, &str), &Loss)| {
        let Loss { documents, documents_kept, words, words_kept } = *loss;
        let (lost_documents, lost_words) = (share(documents_kept, documents), share(words_kept, words));
        format!(
            "\n  {kind} {} loses {lost_documents} of its {documents} documents and {lost_words} of its {words} words",
            legible(name)
        )
    };
    let mut lines: String = raised.iter().take(NAMED).map(line).collect();
    if raised.len() > NAMED {
        lines += &format!("\n  and {} more", raised.len() - NAMED);
    }
    let hint = "to accept this, run the same command with `alarm=off` or a higher limit: it completes the output";
    Err(Error::Alarm(format!(
        "some groups lose more than {:.0} %, so the output was not completed:{lines}",
        limit * 100.0
    ))
    .hint(Hint::value("alarm", "off", hint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(limit: Option<f64>, groups: &[(&str, Loss)]) -> Option<String> {
        let groups = groups.iter().map(|(name, loss)| ("host", *name, *loss));
        check(limit, groups).err().map(|error| error.to_string())
    }

    #[test]
    fn large_groups_that_lose_more_are_named_and_the_worst_comes_first() {
        let loss = |documents, documents_kept, words, words_kept| Loss { documents, documents_kept, words, words_kept };
        let groups = [
            ("small", loss(9, 0, 100_000, 0)),
            ("short", loss(100, 0, 999, 0)),
            ("half", loss(10, 10, 1000, 500)),
            ("fine", loss(10, 7, 1000, 700)),
            ("gone\u{7}", loss(10, 0, 1000, 0)),
        ];
        let text = raised(Some(0.3), &groups).expect("an alarm");
        let [gone, half] = ["gone ", "half"].map(|name| text.find(name).expect("named"));
        assert!(gone < half && text.contains("loses 100.0 % of its 10 documents"), "{text}");
        assert!(!["small", "short", "fine"].iter().any(|name| text.contains(name)), "{text}");
        assert!(text.contains("`alarm=off`"), "{text}");
        assert_eq!(raised(None, &groups), None);
        assert_eq!(raised(Some(1.0), &groups), None);
    }

    #[test]
    fn a_file_with_one_text_belongs_to_its_folder() {
        let mut document = Document::from_text("books/a.txt", "");
        document.origin.input = "books/a.txt".into();
        assert_eq!(source_of(&document), "books");
        document.id = "12".into();
        assert_eq!(source_of(&document), "books/a.txt");
    }
}
