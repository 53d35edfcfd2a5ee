//! Stop lists: the most frequent words of a language.
//!
//! `data/stoplists.tsv` holds a line a language: code, tab, words. It is built by `make stoplists` (see CONTRIBUTING.md)
//! from freely licensed text.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The frequent words of one language, in lower case.
pub type StopList = HashSet<&'static str>;

static DATA: &str = include_str!("../../data/stoplists.tsv");

fn lists() -> &'static HashMap<&'static str, StopList> {
    static LISTS: OnceLock<HashMap<&'static str, StopList>> = OnceLock::new();
    LISTS.get_or_init(|| {
        let lines = DATA.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once('\t')).map(|(code, words)| (code, words.split(' ').collect())).collect()
    })
}

/// The stop list of a language, by its ISO 639-1 code.
pub fn stop_list(language: &str) -> Option<&'static StopList> {
    lists().get(language)
}

/// The languages that have one.
pub fn stop_list_languages() -> Vec<&'static str> {
    let mut codes: Vec<_> = lists().keys().copied().collect();
    codes.sort_unstable();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_function_words() {
        let english = stop_list("en").expect("a list");
        assert!(["the", "of", "and", "is"].iter().all(|word| english.contains(word)));
        assert!(stop_list("de").is_some_and(|list| list.contains("und")));
        assert!(stop_list_languages().len() >= 30);
        assert!(stop_list("xx").is_none());
    }
}
