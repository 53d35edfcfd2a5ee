#![no_main]
//! The first byte chooses the rule, the next two cut the rest into a text that was given and two that are compared.

use refrain::compare::{
    AlignOptions, CompareOptions, Comparison, ExcludedText, FingerprintOptions, PairOptions, PreparedDocument, Side,
    WordRule,
};
use refrain::{Document, Run};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [choice, first, second, rest @ ..] = input else { return };
    let text = String::from_utf8_lossy(rest);
    let cut = |share: u8, text: &str| {
        let mut at = text.len() * usize::from(share) / 256;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (given, texts) = text.split_at(cut(first / 2, &text));
    let (a, b) = texts.split_at(cut(*second, texts));
    let rule = WordRule::ALL[usize::from(*choice) % WordRule::ALL.len()];
    let options = CompareOptions {
        fingerprints: FingerprintOptions { rule, ngram: 1 + usize::from(choice / 64) },
        pairs: PairOptions { resemblance: 0.0, containment: 0.0, ..PairOptions::default() },
        passages: Some(AlignOptions::of(rule)),
        ..CompareOptions::default()
    };
    let mut excluded = ExcludedText::default();
    excluded.add(given, &options.fingerprints);
    let workers = Run { threads: Some(1), ..Run::default() }.start().expect("a thread");
    let mut comparison = Comparison::new(options.clone());
    for (id, text) in [("a", a), ("b", b)] {
        let prepared = PreparedDocument::of(Document::from_text(id, text), &options, &excluded);
        comparison.add(prepared, Side::New).expect("room for two texts");
    }
    let found = comparison.conclude(&workers).expect("nothing that can fail");
    for pair in &found.pairs {
        assert!((0.0..=1.0).contains(&pair.scores.resemblance), "R is a share");
        for passage in &pair.passages {
            assert!(a.get(passage.a.start..passage.a.end).is_some(), "a passage lies in the one text");
            assert!(b.get(passage.b.start..passage.b.end).is_some(), "and in the other");
        }
    }
});
