//! The plain counterpart: every item is compared with every word of a text, without an index and without shortcuts.

use std::collections::HashMap;

use proptest::prelude::*;

use super::alignment::Run;
use super::evidence::{Contamination, judge};
use super::fields::BenchmarkItem;
use super::index::{Benchmarks, FORMULA, GRAM, Words};

/// How often each run of words occurs in all units.
fn counts(benchmarks: &Benchmarks) -> HashMap<Vec<String>, usize> {
    let mut counts = HashMap::new();
    for unit in &benchmarks.units {
        let words = spelled(&unit.text);
        if unit.uses.iter().filter(|(_, field)| field.name() != "passage").count() <= FORMULA {
            for gram in words.windows(GRAM) {
                *counts.entry(gram.to_vec()).or_default() += 1;
            }
        }
    }
    counts
}

fn spelled(text: &str) -> Vec<String> {
    Words::outside(text, &[]).words.iter().map(|word| text[word.range()].to_lowercase()).collect()
}

/// All runs that cannot be made longer and hold four words in a row that identify the unit.
fn plain_runs(benchmarks: &Benchmarks, text: &str) -> Vec<(u32, Run)> {
    let counts = counts(benchmarks);
    let theirs = spelled(text);
    let mut runs = Vec::new();
    for (number, unit) in benchmarks.units.iter().enumerate() {
        let ours = spelled(&unit.text);
        let is_formula = unit.uses.iter().filter(|(_, field)| field.name() != "passage").count() > FORMULA;
        for j in 0..theirs.len() {
            for i in 0..ours.len() {
                let begins = i == 0 || j == 0 || ours[i - 1] != theirs[j - 1];
                let length = ours[i..].iter().zip(&theirs[j..]).take_while(|(one, two)| one == two).count();
                let identifies = |gram: &[String]| counts.get(gram).is_some_and(|count| *count <= FORMULA);
                if begins && !is_formula && ours[i..i + length].windows(GRAM).any(identifies) {
                    runs.push((number as u32, Run { i, j, length }));
                }
            }
        }
    }
    runs
}

fn plain(benchmarks: &Benchmarks, text: &str) -> Vec<Contamination> {
    judge(benchmarks, &Words::outside(text, &[]), &plain_runs(benchmarks, text))
}

/// Few different words, so that much is shared by chance.
fn some_text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(vec!["a", "lamp", "sea", "Eva", "the", "7", "12", "of", "storm", "night", "灯", "bell"]);
    let separator = prop::sample::select(vec![" ", " ", " ", "\n", ", ", ". ", "\n> "]);
    prop::collection::vec((word, separator), words)
        .prop_map(|words| words.into_iter().flat_map(|(word, separator)| [word, separator]).collect())
}

fn some_item() -> impl Strategy<Value = BenchmarkItem> {
    let options = prop::collection::vec(some_text(1..6), 0..4);
    (some_text(0..40), some_text(0..14), options, some_text(0..5)).prop_map(|(passage, question, options, answer)| {
        BenchmarkItem { passage, question, options, answers: vec![answer] }
    })
}

proptest! {
    #[test]
    fn the_index_finds_what_all_pairs_show(
        items in prop::collection::vec(some_item(), 1..12),
        around in prop::collection::vec(some_text(0..60), 4),
        changes in prop::collection::vec((0_usize..400, some_text(1..3)), 0..6),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3),
    ) {
        let mut text = around[0].clone();
        for (pick, around) in picks.iter().zip(&around[1..]) {
            let BenchmarkItem { passage, question, options, answers } = pick.get(&items);
            text += &[&[passage.clone(), question.clone()], &options[..], &answers[..], std::slice::from_ref(around)].concat().concat();
        }
        for (at, change) in changes {
            let at = text.floor_char_boundary(at.min(text.len()));
            text.insert_str(at, &change);
        }
        let benchmarks = Benchmarks::new(items);
        let words = Words::outside(&text, &[]);
        prop_assert_eq!(benchmarks.find(&text, &[]), plain(&benchmarks, &text));
        for found in plain(&benchmarks, &text) {
            prop_assert!((0.0..=1.0).contains(&found.share), "{}", found.share);
            prop_assert!(!found.spans.is_empty());
            for span in found.spans {
                prop_assert!(text.get(span.start..span.end).is_some_and(|text| !text.is_empty()));
            }
        }
        prop_assert!(words.words.len() < 2000);
    }
}
