use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use refrain::jobs::corpus::{CorpusCheck, CorpusDedup, Manifest, Start};
use refrain::{Corpus, Document, Input, Outputs, Run};

use super::{read, samples, texts};

#[test]
fn a_corpus_from_memory_resumes_and_knows_its_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = folder.path().join("corpus");
    let build = |texts: &[&str]| {
        let documents = texts.iter().map(|text| Document::from_text("", *text));
        let outputs = Outputs::to(&corpus).expect("a name");
        Corpus::default().run(&Input::documents(documents), outputs, &Run::default())
    };
    assert_eq!(build(&["One note.", "Another."]).expect("a corpus").start, Start::New);
    assert_eq!(build(&["One note.", "Another."]).expect("a corpus").start, Start::Complete);
    assert!(build(&["Two notes", "Another."]).is_err(), "other documents are another corpus");
}

#[test]
fn threads_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = Input::paths([samples().join("crawl.warc.gz").to_string_lossy()]).expect("a name");
    let build = |threads: usize| {
        let path = folder.path().join(threads.to_string());
        let run = Run { threads: Some(threads), ..Run::default() };
        Corpus::default().run(&input, Outputs::to(&path).expect("a name"), &run).expect("a corpus");
        (fs::read(path.join("manifest.json")).expect("a manifest"), read(&path))
    };
    let ((one, documents), (two, others)) = (build(1), build(2));
    assert_eq!(one, two);
    assert_eq!(texts(&documents), texts(&others));
}

/// Documents with exact copies, copied and edited paragraphs, and forms that differ in names and numbers.
fn repetitive(seed: u64, count: usize) -> Vec<String> {
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 33) as usize % below
    };
    let word = |n: usize| format!("{}{}", ["ka", "lo", "mi", "ter", "sun", "ve"][n % 6], n);
    let paragraph = |random: &mut dyn FnMut(usize) -> usize| -> String {
        let words: Vec<String> = (0..20 + random(30)).map(|_| word(random(4000))).collect();
        words.join(" ") + "."
    };
    let known: Vec<String> = (0..12).map(|_| paragraph(&mut random)).collect();
    let form = paragraph(&mut random);
    let mut documents: Vec<String> = Vec::new();
    for _ in 0..count {
        if !documents.is_empty() && random(6) == 0 {
            documents.push(documents[random(documents.len())].clone());
            continue;
        }
        let blocks: Vec<String> = (0..=random(4))
            .map(|_| match random(5) {
                0 => known[random(known.len())].clone(),
                1 => format!("{form} Dear Mr {} of {} Street: {}.", word(random(90)), random(900), word(random(4000))),
                2 => {
                    let mut words: Vec<String> = known[random(known.len())].split(' ').map(str::to_owned).collect();
                    for _ in 0..3 {
                        let at = random(words.len());
                        words[at] = word(random(4000));
                    }
                    words.join(" ")
                }
                _ => paragraph(&mut random),
            })
            .collect();
        documents.push(blocks.join("\n\n"));
    }
    documents
}

fn write_jsonl(path: &Path, texts: &[String], first: usize) {
    let line = |(at, text): (usize, &String)| {
        serde_json::json!({"id": format!("d{}", first + at), "text": text}).to_string() + "\n"
    };
    fs::write(path, texts.iter().enumerate().map(line).collect::<String>()).expect("a file");
}

fn build(job: &Corpus, inputs: &[&Path], output: &Path) -> Manifest {
    let input = Input::paths(inputs.iter().map(|path| path.to_string_lossy())).expect("names");
    job.run(&input, Outputs::to(output).expect("a name"), &Run::default()).expect("a corpus").manifest
}

#[test]
fn a_corpus_that_grew_is_the_corpus_of_all_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (seed, dedup) in
        [(1, CorpusDedup::Blocks), (2, CorpusDedup::Blocks), (3, CorpusDedup::Documents), (4, CorpusDedup::Exact)]
    {
        let texts = repetitive(seed, 150);
        // Small parts, so that judging is resumed and parts do not end where batches do.
        let job = Corpus { dedup, part_size: 12_000, checkpoint: 5000, keep_marked: true, ..Corpus::default() };
        let cuts = [0, 7 + 40 * seed as usize % 60, 90, texts.len()];
        let files: Vec<_> = cuts
            .windows(2)
            .enumerate()
            .map(|(number, cut)| {
                let file = at(&format!("{seed}-{number}.jsonl"));
                write_jsonl(&file, &texts[cut[0]..cut[1]], cut[0]);
                file
            })
            .collect();
        let (whole, grown) = (at(&format!("{seed}-whole")), at(&format!("{seed}-grown")));
        let all: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let expected = build(&job, &all, &whole);
        let mut manifest = build(&job, &all[..1], &grown);
        let adding = Corpus { add: true, ..job.clone() };
        for (number, file) in all.iter().enumerate().skip(1) {
            let before = fs::read(grown.join(&manifest.parts[0].path)).expect("a part");
            manifest = build(&adding, &[file], &grown);
            assert_eq!(manifest.batches.len(), number + 1);
            assert_eq!(
                fs::read(grown.join(&manifest.parts[0].path)).expect("a part"),
                before,
                "old parts do not change"
            );
        }
        assert_eq!(texts_of(&grown), texts_of(&whole), "{dedup:?}");
        let check = CorpusCheck::of(&grown, &Run::default()).expect("a corpus");
        assert_eq!((&check.problems, check.documents), (&Vec::new(), 150));
        assert_eq!(check.digest, CorpusCheck::of(&whole, &Run::default()).expect("a corpus").digest);
        assert_eq!(manifest.statistics.total, expected.statistics.total);
        assert_eq!(manifest.statistics.input, expected.statistics.input);
        assert_eq!(manifest.inputs, expected.inputs);
        let total = &expected.statistics.total;
        assert!(total.duplicates.documents > 0);
        assert_eq!(total.near_duplicates.words > 0, dedup != CorpusDedup::Exact);
        // The same batch again is known.
        let input = Input::paths([files[1].to_string_lossy()]).expect("a name");
        let again = adding.run(&input, Outputs::to(&grown).expect("a name"), &Run::default()).expect("a corpus");
        assert_eq!((again.start, &again.manifest), (Start::Complete, &manifest));
        // The removed ranges are the same, too, and what later batches are compared with.
        assert_eq!(removed_of(&grown), removed_of(&whole));
        assert_eq!(evidence_of(&grown, &manifest), evidence_of(&whole, &expected), "{dedup:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn cuts_do_not_matter(
        seed in any::<u64>(),
        mut cuts in prop::collection::vec(0_usize..60, 1..6),
        dedup in prop::sample::select(vec![CorpusDedup::Blocks, CorpusDedup::Blocks, CorpusDedup::Documents]),
        part_size in prop::sample::select(vec![3000_u64, 9000, 1 << 20]),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let texts = repetitive(seed, 60);
        cuts.extend([0, texts.len()]);
        cuts.sort_unstable();
        cuts.dedup();
        let files: Vec<_> = cuts.windows(2).map(|cut| {
            let file = at(&format!("{}.jsonl", cut[0]));
            write_jsonl(&file, &texts[cut[0]..cut[1]], cut[0]);
            file
        }).collect();
        let all: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        let job = Corpus { dedup, part_size, checkpoint: 4000, ..Corpus::default() };
        let expected = build(&job, &all, &at("whole"));
        let adding = Corpus { add: true, ..job };
        let mut manifest = expected.clone();
        for file in &all {
            manifest = build(&adding, &[file], &at("grown"));
        }
        prop_assert_eq!(texts_of(&at("grown")), texts_of(&at("whole")));
        prop_assert_eq!(removed_of(&at("grown")), removed_of(&at("whole")));
        prop_assert_eq!(evidence_of(&at("grown"), &manifest), evidence_of(&at("whole"), &expected));
    }
}

/// Replaces evidence by that of an earlier version: verdicts without hashes, and no files of bits.
fn make_old(evidence: &Path) {
    let path = |name: &str| evidence.join(name);
    for name in ["size.json", "widespread", "first-ngrams", "first-anchors"] {
        let _ = fs::remove_file(path(name));
    }
    let (verdicts, mut old, mut at) = (fs::read(path("verdicts")).expect("verdicts"), Vec::new(), 0);
    while at < verdicts.len() {
        old.extend_from_slice(&verdicts[at..at + 3]);
        let count = u32::from_le_bytes(verdicts[at + 11..at + 15].try_into().expect("four bytes"));
        let end = at + 15 + 8 * count as usize;
        old.extend_from_slice(&verdicts[at + 11..end]);
        at = end;
    }
    fs::write(path("verdicts"), old).expect("room");
    let size = |name: &str| fs::metadata(path(name)).expect("a file").len();
    let (documents, places) = (size("documents") / 16, size("words") / 6);
    let note = serde_json::json!({"refrain_evidence": 2, "documents": documents, "words": places - documents});
    fs::write(path("evidence.json"), note.to_string()).expect("room");
}

#[test]
fn evidence_of_an_earlier_version_is_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let texts = repetitive(9, 120);
    let (one, two) = (at("1.jsonl"), at("2.jsonl"));
    write_jsonl(&one, &texts[..70], 0);
    write_jsonl(&two, &texts[70..], 70);
    for dedup in [CorpusDedup::Blocks, CorpusDedup::Documents, CorpusDedup::Exact] {
        let (whole, grown) = (at(&format!("{dedup:?}-whole")), at(&format!("{dedup:?}-grown")));
        let job = Corpus { dedup, ..Corpus::default() };
        let expected = build(&job, &[&one, &two], &whole);
        let manifest = build(&job, &[&one], &grown);
        let evidence = grown.join(manifest.evidence.expect("evidence"));
        if dedup == CorpusDedup::Exact {
            fs::remove_file(evidence.join("size.json")).expect("a file");
        } else {
            make_old(&evidence);
        }
        let input = Input::paths([two.to_string_lossy()]).expect("a name");
        let adding = Corpus { add: true, ..job };
        let report = adding.run(&input, Outputs::to(&grown).expect("a name"), &Run::default()).expect("a corpus");
        assert!(report.converted && !evidence.exists(), "{dedup:?}");
        assert_eq!(texts_of(&grown), texts_of(&whole), "{dedup:?}");
        assert_eq!(evidence_of(&grown, &report.manifest), evidence_of(&whole, &expected), "{dedup:?}");
    }
}

fn texts_of(corpus: &Path) -> Vec<(String, String)> {
    read(corpus).into_iter().map(|document| (document.id.clone(), document.kept().into_owned())).collect()
}

/// The files of the evidence, by name.
fn evidence_of(corpus: &Path, manifest: &Manifest) -> BTreeMap<String, Vec<u8>> {
    let folder = corpus.join(manifest.evidence.as_ref().expect("evidence"));
    let files = fs::read_dir(folder).expect("a folder").flatten();
    files.map(|file| (file.file_name().to_string_lossy().into(), fs::read(file.path()).expect("a file"))).collect()
}

/// All removed ranges as they are listed.
fn removed_of(corpus: &Path) -> Vec<u8> {
    let manifest = Manifest::read(corpus).expect("a corpus");
    let list = |part: &refrain::jobs::corpus::Part| {
        let packed = fs::File::open(corpus.join(&part.path)).expect("a list");
        zstd::decode_all(packed).expect("zstd")
    };
    manifest.removed.iter().flat_map(list).collect()
}
