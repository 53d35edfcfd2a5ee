//! Dedup compared with a plain twin: the same rule, with sets of words in memory.

use std::collections::HashSet;

use proptest::prelude::*;
use refrain::dedup::{By, Copied, DedupOptions, Learning, Signature};
use refrain::{Document, Run};

const NGRAM: usize = 3;

fn options() -> DedupOptions {
    DedupOptions { ngram: NGRAM, stub: 0, edited: false, ..DedupOptions::default() }
}

/// Documents of blocks of words.
type Collection = Vec<Vec<Vec<&'static str>>>;

fn collection() -> impl Strategy<Value = Collection> {
    let word = prop::sample::select(vec!["lamp", "keeper", "ship", "tide", "harbour", "stairs"]);
    let block = prop::collection::vec(word, 1..12);
    prop::collection::vec(prop::collection::vec(block, 1..5), 1..9)
}

fn documents(collection: &Collection) -> Vec<Document> {
    let text = |blocks: &Vec<Vec<&str>>| blocks.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join("\n\n");
    collection.iter().enumerate().map(|(n, blocks)| Document::from_text(n.to_string(), text(blocks))).collect()
}

fn judged(documents: &[Document], options: &DedupOptions, threads: usize) -> Vec<Vec<Option<Copied>>> {
    let workers = Run { threads: Some(threads), ..Run::default() }.start().expect("threads");
    let mut learning = Learning::new(options.clone()).expect("a folder");
    for document in documents {
        learning.add(&document.id, &Signature::of(document, options)).expect("room");
    }
    let mut learned = learning.conclude(&workers).expect("room");
    documents.iter().map(|document| learned.judge(&Signature::of(document, options)).expect("answers").blocks).collect()
}

/// Which words of a document stand in n-grams of a set.
fn covered(words: &[&str], kept: &HashSet<Vec<String>>) -> Vec<bool> {
    let mut covered = vec![false; words.len()];
    for (at, ngram) in words.windows(NGRAM).enumerate() {
        if kept.contains(&owned(ngram)) {
            covered[at..at + NGRAM].fill(true);
        }
    }
    covered
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The n-grams of a document of which all words are kept.
fn kept_ngrams(blocks: &[Vec<&'static str>], gone: &[bool]) -> Vec<Vec<String>> {
    let words = blocks.concat();
    let kept: Vec<bool> = blocks.iter().zip(gone).flat_map(|(block, gone)| vec![!gone; block.len()]).collect();
    let whole = words.windows(NGRAM).zip(kept.windows(NGRAM)).filter(|(_, kept)| kept.iter().all(|kept| *kept));
    whole.map(|(ngram, _)| owned(ngram)).collect()
}

/// The published rule for short blocks: what is left between two duplicates, or between one and the start or end of the
/// document, is a duplicate if it has at most `stub` words.
fn smoothed(blocks: &[Vec<&str>], verdicts: &[bool], stub: usize) -> Vec<bool> {
    let smoothed = |block: usize| {
        let start = verdicts[..block].iter().rposition(|gone| *gone).map_or(0, |gone| gone + 1);
        let end = verdicts[block..].iter().position(|gone| *gone).map_or(verdicts.len(), |gone| block + gone);
        let words: usize = blocks[start..end].iter().map(Vec::len).sum();
        verdicts[block] || (verdicts.contains(&true) && stub > 0 && words <= stub)
    };
    (0..blocks.len()).map(smoothed).collect()
}

/// The rule: documents in their order; a copy of a whole document goes; a block goes when more than half of its words stand
/// in n-grams that were kept before; then short blocks go.
fn plain(collection: &Collection, stub: usize) -> Vec<Vec<bool>> {
    let mut kept: HashSet<Vec<String>> = HashSet::new();
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    let mut all = Vec::new();
    for blocks in collection {
        let words = blocks.concat();
        if !seen.insert(owned(&words)) {
            all.push(vec![true; blocks.len()]);
            continue;
        }
        let covered = covered(&words, &kept);
        let mut start = 0;
        let mut verdicts = Vec::new();
        for block in blocks {
            let end = start + block.len();
            let share = covered[start..end].iter().filter(|covered| **covered).count() as f64 / block.len() as f64;
            verdicts.push(share > 0.5);
            start = end;
        }
        let verdicts = smoothed(blocks, &verdicts, stub);
        kept.extend(kept_ngrams(blocks, &verdicts));
        all.push(verdicts);
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_rule_is_kept(collection in collection(), stub in 0_usize..25) {
        let found = judged(&documents(&collection), &DedupOptions { stub, ..options() }, 2);
        let found: Vec<Vec<bool>> = found.iter().map(|blocks| blocks.iter().map(Option::is_some).collect()).collect();
        prop_assert_eq!(found, plain(&collection, stub));
    }

    #[test]
    fn nothing_vanishes_from_all_its_places(collection in collection()) {
        let verdicts = judged(&documents(&collection), &options(), 1);
        let mut kept = HashSet::new();
        for (blocks, verdicts) in collection.iter().zip(&verdicts) {
            kept.extend(kept_ngrams(blocks, &verdicts.iter().map(Option::is_some).collect::<Vec<_>>()));
        }
        for (blocks, verdicts) in collection.iter().zip(&verdicts) {
            let covered = covered(&blocks.concat(), &kept);
            let mut start = 0;
            for (block, verdict) in blocks.iter().zip(verdicts) {
                let share = covered[start..start + block.len()].iter().filter(|covered| **covered).count();
                if verdict.as_ref().is_some_and(|copied| copied.by == By::Ngrams) {
                    prop_assert!(2 * share > block.len());
                }
                start += block.len();
            }
        }
    }

    #[test]
    fn figures_are_those_of_the_text_that_is_left(collection in collection()) {
        let (documents, options) = (documents(&collection), options());
        let workers = Run { threads: Some(1), ..Run::default() }.start().expect("threads");
        let mut learning = Learning::new(options.clone()).expect("a folder");
        for document in &documents {
            learning.add(&document.id, &Signature::of(document, &options)).expect("room");
        }
        let mut learned = learning.conclude(&workers).expect("room");
        let (mut all, mut kept) = (HashSet::new(), Vec::new());
        for (blocks, document) in collection.iter().zip(&documents) {
            let judged = learned.judge(&Signature::of(document, &options)).expect("answers");
            all.extend(blocks.concat().windows(NGRAM).map(owned));
            kept.extend(kept_ngrams(blocks, &judged.blocks.iter().map(Option::is_some).collect::<Vec<_>>()));
        }
        let left: HashSet<&Vec<String>> = kept.iter().collect();
        let twice = left.iter().filter(|ngram| kept.iter().filter(|other| *other == **ngram).count() > 1).count();
        let after = learned.counts_after();
        let found = (after.ngrams, after.distinct, after.duplicate, learned.lost());
        prop_assert_eq!(found, (kept.len() as u64, left.len() as u64, twice as u64, (all.len() - left.len()) as u64));
    }

    #[test]
    fn threads_do_not_matter(collection in collection()) {
        let documents = documents(&collection);
        let options = DedupOptions { ngram: NGRAM, ..DedupOptions::default() };
        prop_assert_eq!(judged(&documents, &options, 1), judged(&documents, &options, 3));
    }
}

#[test]
fn a_hash_that_two_ngrams_share_removes_nothing() {
    let workers = Run { threads: Some(1), ..Run::default() }.start().expect("threads");
    let of = |text: &str| Signature::of(&Document::from_text("d", text), &options());
    let first = of("the lamp is lit at dusk by the keeper");
    let mut second = of("a ship came in with the tide that night");
    second.ngrams.clone_from(&first.ngrams);
    let mut learning = Learning::new(options()).expect("a folder");
    learning.add("a", &first).expect("room");
    learning.add("b", &second).expect("room");
    let mut learned = learning.conclude(&workers).expect("room");
    assert_eq!(learned.counts().duplicate, first.ngrams.len() as u64, "hashes say that all of it repeats");
    learned.judge(&first).expect("answers");
    assert_eq!(learned.judge(&second).expect("answers").blocks, [None]);
}

#[test]
fn documents_that_changed_in_between_are_an_error() {
    let workers = Run { threads: Some(1), ..Run::default() }.start().expect("threads");
    let of = |text: &str| Signature::of(&Document::from_text("d", text), &options());
    let learned = || {
        let mut learning = Learning::new(options()).expect("a folder");
        learning.add("a", &of("the lamp is lit at dusk")).expect("room");
        learning.conclude(&workers).expect("room")
    };
    assert!(learned().judge(&of("the lamp is lit")).is_err(), "another text");
    assert!(learned().finish().is_err(), "a document is missing");
    let mut more = learned();
    more.judge(&of("the lamp is lit at dusk")).expect("the same");
    assert!(more.judge(&of("the lamp is lit at dusk")).is_err(), "one too many");
    assert!(more.finish().is_ok());
}
