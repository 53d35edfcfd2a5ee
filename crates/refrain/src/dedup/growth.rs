//! How the work grows in extreme collections, in words that are read for comparisons: no clock, so that it is the same
//! everywhere.

use std::sync::atomic::Ordering;

use super::{DedupOptions, DocumentRule, Learning, Signature, Task};
use crate::document::Document;
use crate::run::Run;

/// A random word of a small vocabulary.
fn word(chance: &mut u64) -> String {
    *chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    format!("w{}", (*chance >> 40) % 2000)
}

/// Documents of 300 words in six blocks that differ in seven words.
fn near_identical(number: usize) -> Vec<String> {
    let mut chance = 1;
    let text: Vec<String> = (0..300).map(|_| word(&mut chance)).collect();
    let document = |_| {
        let mut words = text.clone();
        for _ in 0..7 {
            let other = word(&mut chance);
            let at = (chance >> 33) as usize % words.len();
            words[at] = other;
        }
        words.chunks(50).map(|block| block.join(" ")).collect::<Vec<_>>().join("\n\n")
    };
    (0..number).map(document).collect()
}

/// Short documents of which all have one n-gram.
fn one_ngram(number: usize) -> Vec<String> {
    let mut chance = 2;
    let mut own = || (0..12).map(|_| word(&mut chance)).collect::<Vec<_>>().join(" ");
    (0..number).map(|_| format!("{}\n\nwe use cookies to count our visits\n\n{}", own(), own())).collect()
}

/// Words that are read for each document of a collection.
fn words_read(task: Task, texts: &[String]) -> f64 {
    let options = DedupOptions { task, ..DedupOptions::default() };
    let workers = Run::default().start().expect("threads");
    let signatures: Vec<Signature> =
        texts.iter().map(|text| Signature::of(&Document::from_text("d", text.clone()), &options)).collect();
    let mut learning = Learning::new(options).expect("a folder");
    for (number, signature) in signatures.iter().enumerate() {
        learning.add(&number.to_string(), signature).expect("room");
    }
    let mut learned = learning.conclude(&workers).expect("evidence");
    let store = learned.store.clone();
    let before = store.words_read.load(Ordering::Relaxed);
    for signature in &signatures {
        let mut evidence = learned.look_up(signature).expect("evidence");
        learned.aligner.align(signature, &mut evidence).expect("words");
        match task {
            Task::Documents => {
                let context = super::DocumentContext::default();
                let judged = learned.judge_document(signature, &evidence, DocumentRule::Contained(0.8), context);
                judged.expect("a verdict");
            }
            _ => drop(learned.judge_with(signature, &evidence).expect("a verdict")),
        }
    }
    (store.words_read.load(Ordering::Relaxed) - before) as f64 / texts.len() as f64
}

#[test]
fn a_document_is_compared_with_few_others_however_many_are_like_it() {
    for (name, make) in [("near-identical", near_identical as fn(usize) -> Vec<String>), ("one n-gram", one_ngram)] {
        for task in [Task::Blocks, Task::Documents] {
            let [few, many] = [250, 1000].map(|number| words_read(task, &make(number)));
            assert!(many <= 1.5 * few + 50.0, "{name}, {task:?}: {few} and {many} words for each document");
        }
    }
}
