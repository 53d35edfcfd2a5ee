//! Alarms: groups of documents that lose more than a user accepts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::error::{Error, Hint, Result};
use crate::stats::Loss;
use crate::text::legible;

/// Shares that differ by less are equal.
const ROUNDING: f64 = 1e-9;
/// Groups that an alarm names.
const NAMED: usize = 10;

/// Returns an error if a group lost a larger share than the limit. `groups` have a kind, a name and what they lost.
pub(super) fn check<'a>(limit: Option<f64>, groups: impl Iterator<Item = (&'a str, &'a str, Loss)>) -> Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    let mut raised: BTreeMap<(String, &str, &str), Loss> = BTreeMap::new();
    for (kind, name, loss) in groups.filter(|(.., loss)| loss.counts() && loss.share() > limit + ROUNDING) {
        // The largest loss first.
        let kept = (1e9 * (1.0 - loss.share()).clamp(0.0, 1.0)).round();
        raised.insert((format!("{kept:010}"), kind, name), loss);
    }
    if raised.is_empty() {
        return Ok(());
    }
    let share = |kept: u64, all: u64| format!("{:.1} %", 100.0 - kept as f64 * 100.0 / all.max(1) as f64);
    let line = |((_, kind, name), loss): (&(String, &str, &str), &Loss)| {
        let Loss { documents, documents_kept, words, words_kept } = *loss;
        let (lost_documents, lost_words) = (share(documents_kept, documents), share(words_kept, words));
        format!(
            "\n  {kind} {} loses {lost_documents} of its {documents} documents and {lost_words} of its {words} words",
            legible(name)
        )
    };
    let mut lines: String = raised.iter().take(NAMED).map(line).collect();
    if raised.len() > NAMED {
        let _ = write!(lines, "\n  and {} more", raised.len() - NAMED);
    }
    let hint = "to accept this, run the same command with `alarm=off` or a higher limit: it completes the output";
    let percent = format!("{:.2}", limit * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    Err(Error::Alarm(format!("some groups lose more than {percent} %:{lines}\nthe output was not completed"))
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
        assert!(text.starts_with("some groups lose more than 30 %:\n"), "{text}");
        assert!(raised(Some(0.001), &groups).is_some_and(|text| text.contains("more than 0.1 %:")));
        assert_eq!(raised(None, &groups), None);
        assert_eq!(raised(Some(1.0), &groups), None);
    }
}
