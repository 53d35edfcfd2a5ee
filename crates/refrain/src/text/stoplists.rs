//! Stop lists: the most frequent words of a language.
//!
//! `data/stoplists.tsv` holds one line per language: code, tab, words. `make stoplists` builds it from freely licensed
//! text (see CONTRIBUTING.md).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

/// The frequent words of one language, in lower case.
///
/// ```
/// use refrain::extract::StopList;
///
/// let list = StopList::from_words(["The", "of", "and"]);
/// assert!(list.contains("the"));
/// assert_eq!(list.len(), 3);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopList(HashSet<Cow<'static, str>>);

impl StopList {
    /// A custom list. Words are converted to lower case.
    pub fn from_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> StopList {
        StopList(words.into_iter().map(|word| Cow::Owned(word.as_ref().to_lowercase())).collect())
    }

    /// True if the list contains a word, given in lower case.
    pub fn contains(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if the list has no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

static DATA: &str = include_str!("../../data/stoplists.tsv");

/// The words of a language, and its list once it has been requested.
struct Entry {
    words: &'static str,
    list: OnceLock<StopList>,
}

fn entries() -> &'static BTreeMap<&'static str, Entry> {
    static ENTRIES: OnceLock<BTreeMap<&'static str, Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let lines = DATA.lines().filter(|line| !line.starts_with('#'));
        let entries = lines.filter_map(|line| line.split_once('\t'));
        entries.map(|(code, words)| (code, Entry { words, list: OnceLock::new() })).collect()
    })
}

/// The stop list of a language, by its ISO 639-1 code.
pub fn stop_list(language: &str) -> Option<&'static StopList> {
    let entry = entries().get(language)?;
    Some(entry.list.get_or_init(|| StopList(entry.words.split(' ').map(Cow::Borrowed).collect())))
}

/// The first words of the stop list of a language, the most frequent first; none for a language without a list.
pub(crate) fn frequent_words(language: &str, count: usize) -> Vec<&'static str> {
    entries().get(language).map(|entry| entry.words.split(' ').take(count).collect()).unwrap_or_default()
}

/// The languages that have a stop list, sorted by code.
pub fn stop_list_languages() -> Vec<&'static str> {
    entries().keys().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_function_words() {
        let english = stop_list("en").expect("a list");
        assert!(["the", "of", "and", "is"].iter().all(|word| english.contains(word)));
        assert!(stop_list("de").is_some_and(|list| list.contains("und")));
        assert!(stop_list("xx").is_none());
    }

    #[test]
    fn there_are_lists_for_fifty_languages_and_each_is_in_lower_case() {
        let languages = stop_list_languages();
        assert!(languages.len() >= 50, "{}", languages.len());
        assert!(languages.is_sorted());
        for language in languages {
            let list = stop_list(language).expect("a list");
            assert!(list.len() >= 20, "{language}: {}", list.len());
            assert!(list.0.iter().all(|word| !word.is_empty() && word.to_lowercase() == *word), "{language}");
        }
    }
}
