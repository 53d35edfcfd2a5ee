//! The law that every method keeps which learns from a whole collection: its result does not depend on how the collection was
//! cut into pieces, on the order in which the pieces came together, or on whether they travelled as bytes.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use refrain::compare::{Fingerprint, FingerprintCollection, FingerprintOptions, PairJoin, PairOptions, Side};
use refrain::dedup::{
    DedupJoin, DedupOptions, DocumentContext, DocumentRule, ExactDuplicates, Learning, Measure, Normalise, Signature,
    Task, Unit, Verdict,
};
use refrain::editions::{Book, BookPair, EditionJoin, FindOptions, Shelf, find};
use refrain::kernel::{Bytes, Join, Kernel};
use refrain::strip::{BookText, BoundaryFinder, EDGE_LINES, Ends, StripProfile};
use refrain::template::{SiteTemplates, TemplatePage};
use refrain::{Document, Position, Reason, Run};

/// A cut of a collection: the piece of each item, and the order in which pieces are merged.
#[derive(Debug, Clone)]
struct Cut {
    pieces: Vec<usize>,
    order: Vec<usize>,
}

const PIECES: usize = 5;

fn cut() -> impl Strategy<Value = Cut> {
    let order = Just((0..PIECES).collect::<Vec<_>>()).prop_shuffle();
    (prop::collection::vec(0..PIECES, 64), order).prop_map(|(pieces, order)| Cut { pieces, order })
}

/// Sends a value through bytes.
fn sent<T: Bytes>(value: &T) -> T {
    let bytes = value.to_bytes().expect("bytes");
    for end in [0, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        // Damaged bytes are an error or another value, never a panic.
        let _ = T::from_bytes(&bytes[..end]);
    }
    T::from_bytes(&bytes).expect("the same value")
}

/// What a kernel finds in one piece.
fn whole<K: Kernel>(kernel: &K, items: &[K::Item<'_>]) -> Vec<K::Verdict> {
    let mut partial = kernel.partial();
    for item in items {
        kernel.observe(*item, &mut partial).expect("observed");
    }
    let finding = kernel.conclude(partial).expect("a finding");
    items.iter().map(|item| kernel.mark(*item, &finding).expect("a verdict")).collect()
}

/// What it finds in pieces that travel as bytes, and whose items come in another order.
fn in_pieces<K: Kernel>(kernel: &K, items: &[K::Item<'_>], cut: &Cut) -> Vec<K::Verdict> {
    let mut parts: Vec<K::Partial> = (0..PIECES).map(|_| kernel.partial()).collect();
    for (item, piece) in items.iter().rev().zip(cut.pieces.iter().cycle()) {
        kernel.observe(*item, &mut parts[*piece]).expect("observed");
    }
    let mut all = kernel.partial();
    for piece in &cut.order {
        kernel.merge(&mut all, sent(&parts[*piece])).expect("merged");
        all = sent(&all);
        // A partial that was read has no limits of its own; one of the kernel has.
        let mut limited = kernel.partial();
        kernel.merge(&mut limited, all).expect("merged");
        all = limited;
    }
    let finding = sent(&kernel.conclude(all).expect("a finding"));
    items.iter().map(|item| kernel.mark(*item, &finding).expect("a verdict")).collect()
}

fn holds<K: Kernel<Verdict: Debug + PartialEq>>(kernel: &K, items: &[K::Item<'_>], cut: &Cut) {
    assert_eq!(in_pieces(kernel, items, cut), whole(kernel, items));
}

fn position(number: usize) -> Position {
    Position { input: (number / 7) as u32, record: (number % 7) as u64 }
}

/// Documents of so many words each: those with the same number are copies.
fn documents(words: &[u8]) -> Vec<Document> {
    let document = |(number, words): (usize, &u8)| {
        let text = ["word ", "word\n\n"][number % 2].repeat(usize::from(*words));
        let mut document = Document::from_text(format!("doc-{number}"), text);
        document.position = position(number);
        document
    };
    words.iter().enumerate().map(document).collect()
}

/// The plain twin of exact duplicates: one map over the collection in order.
fn copies_plainly(words: &[u8]) -> Vec<Option<Position>> {
    let mut first: HashMap<u8, Position> = HashMap::new();
    let copy_of = |(number, words): (usize, &u8)| {
        let first = *first.entry(*words).or_insert(position(number));
        (*words > 0 && first != position(number)).then_some(first)
    };
    words.iter().enumerate().map(copy_of).collect()
}

proptest! {
    #[test]
    fn exact_duplicates(words in prop::collection::vec(0..12_u8, 0..60), cut in cut(), memory in 0..2000_usize) {
        let documents = documents(&words);
        let items: Vec<&Document> = documents.iter().collect();
        let kernel = ExactDuplicates { memory, ..ExactDuplicates::default() };
        holds(&kernel, &items, &cut);
        let copy_of = |reason: &Option<Reason>| match reason {
            Some(Reason::CopyOf { position, .. }) => Some(*position),
            _ => None,
        };
        let found: Vec<Option<Position>> = whole(&kernel, &items).iter().map(copy_of).collect();
        prop_assert_eq!(found, copies_plainly(&words));
    }
}

fn book(number: usize) -> String {
    let line = |line: usize| format!("Sentence {line} of story {} goes on and on.\n", number * 7);
    let body = (0..40).map(line).collect::<Vec<_>>().concat();
    let credit = ["Produced by A. Volunteer", "Transcribed from the first edition by a reader"][number % 2];
    format!(
        "The Project Gutenberg EBook of Tale {number}\n\nTitle: The Tale\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\
         \n\n\n{credit}\n\n\n\nTHE TALE\n\n{body}\n\nEnd of Project Gutenberg's The Tale\nMore at the library of tales, where all are free.\n"
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn strip(numbers in prop::collection::vec(0_usize..12, 1..24), cut in cut()) {
        let ends: Vec<Ends> = numbers.iter().map(|number| Ends::of(book(*number).as_bytes(), EDGE_LINES)).collect();
        let items: Vec<BookText> = ends.iter().zip(0..).map(|(ends, n)| BookText { position: position(n), ends }).collect();
        for profile in [StripProfile::Gutenberg, StripProfile::Generic] {
            holds(&BoundaryFinder::new(profile).expect("rules"), &items, &cut);
        }
    }

    #[test]
    fn template(cut in cut(), memory in prop_oneof![Just(usize::MAX), 0_usize..60_000], hosts in prop::collection::vec(0_u8..3, 16)) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/site");
        let mut paths: Vec<_> = fs::read_dir(folder).expect("the sample site").map(|entry| entry.expect("a file").path()).collect();
        paths.sort();
        let pages: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).expect("a page")).collect();
        let keys: Vec<String> = hosts.iter().map(u8::to_string).collect();
        let pages = pages.iter().zip(keys.iter().cycle()).zip(0..);
        let items: Vec<TemplatePage> = pages.map(|((text, key), n)| TemplatePage { position: position(n), key, text }).collect();
        holds(&SiteTemplates { memory }, &items, &cut);
    }
}

/// The same books as files, in UTF-8 with and without a byte order mark and in UTF-16, and in documents.
#[test]
fn a_book_counts_once_however_it_arrives() {
    let strip = BoundaryFinder::new(StripProfile::Gutenberg).expect("rules");
    let mut sample = strip.partial();
    for number in 0..3 {
        let text = book(number).repeat(1 + 40 * number);
        let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        let wide = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let files = [text.as_bytes(), &marked, &wide].map(|bytes| std::io::Cursor::new(bytes.to_vec()));
        let mut ends = vec![Ends::of(text.as_bytes(), EDGE_LINES)];
        for mut file in files {
            assert_eq!(Ends::identify(&mut file).expect("read"), Some(ends[0].identity()));
            ends.push(Ends::read(&mut file, EDGE_LINES).expect("read"));
            ends.push(Ends::glance(&mut file, EDGE_LINES).expect("read"));
        }
        for ends in &ends {
            strip.observe(BookText { position: position(number), ends }, &mut sample).expect("observed");
        }
    }
    assert_eq!(sample.len(), 3);
}

/// Joins items that come in pieces: everything travels as bytes, in another order than it was made. What is found comes in the
/// order of components, which is that of their first items.
fn joined<J: Join>(join: &J, items: &[J::Item], cut: &Cut) -> Vec<J::Verdict> {
    let mut pieces: Vec<Vec<(J::Key, J::Entry)>> = (0..PIECES).map(|_| Vec::new()).collect();
    for ((number, item), piece) in items.iter().enumerate().rev().zip(cut.pieces.iter().cycle()) {
        pieces[*piece].extend(join.entries(position(number), item).expect("entries"));
    }
    let mut by_key: BTreeMap<J::Key, Vec<J::Entry>> = BTreeMap::new();
    for piece in &cut.order {
        for (key, entry) in pieces[*piece].drain(..) {
            by_key.entry(sent(&key)).or_default().push(sent(&entry));
        }
    }
    let answered = by_key.into_iter().rev().flat_map(|(key, entries)| join.answer(&key, entries).expect("answers"));
    let answers: Vec<J::Answer> = answered.map(|answer| sent(&answer)).collect();
    // Components, by the first item of each.
    let mut first: BTreeMap<Position, Position> =
        (0..items.len()).map(|number| (position(number), position(number))).collect();
    for answer in &answers {
        let (a, b) = join.connects(answer);
        let (low, high) = (first[&a].min(first[&b]), first[&a].max(first[&b]));
        first.values_mut().filter(|root| **root == high).for_each(|root| *root = low);
    }
    let mut components: BTreeMap<Position, Component<J>> = BTreeMap::new();
    for ((at, root), item) in first.iter().zip(items) {
        components.entry(*root).or_default().0.push((*at, item));
    }
    for answer in answers {
        components.entry(first[&join.connects(&answer).0]).or_default().1.push(answer);
    }
    let connected = components.into_values().filter(|(_, answers)| !answers.is_empty());
    connected.flat_map(|(items, answers)| join.verdicts(&items, answers).expect("verdicts")).collect()
}

/// Items that are connected, and the answers that connect them.
type Component<'a, J> = (Vec<(Position, &'a <J as Join>::Item)>, Vec<<J as Join>::Answer>);

/// Some words of one of three languages that share none.
fn words(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    (prop::sample::select(vec!["ka", "lo", "mu"]), prop::collection::vec(0_u8..5, count)).prop_map(
        |(language, words)| {
            words.iter().map(|word| format!("{language}{}", char::from(b'a' + word))).collect::<Vec<_>>().join(" ")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn compare(
        texts in prop::collection::vec((words(0..30), any::<bool>()), 1..14),
        cut in cut(),
        (resemblance, containment, common) in (0.0..0.6_f64, 0.0..1.0_f64, 0.3..1.2_f64),
    ) {
        let fingerprint = |text: &String| Fingerprint::of(text, &FingerprintOptions::default());
        let side = |new: bool| if new { Side::New } else { Side::Reference };
        let items: Vec<(Fingerprint, Side)> = texts.iter().map(|(text, new)| (fingerprint(text), side(*new))).collect();
        let options = PairOptions { resemblance, containment, common, common_from: 0, ..PairOptions::default() };
        let mut collection = FingerprintCollection::new(options.clone());
        for (fingerprint, side) in &items {
            collection.add(fingerprint.clone(), *side).expect("room");
        }
        let found = collection.pairs(&refrain::Run::default().start().expect("threads")).expect("pairs");
        let mut pairs: Vec<_> = found.pairs.iter().map(|pair| (position(pair.a), position(pair.b), pair.scores)).collect();
        pairs.sort_by_key(|(a, b, _)| (*a, *b));
        let mut links = joined(&PairJoin { options, common: found.common }, &items, &cut);
        links.sort_by_key(|(a, b, _)| (*a, *b));
        prop_assert_eq!(links, pairs);
    }
}

/// Books with words of their own, then words of one of several texts.
fn books(passages: &[(usize, usize)]) -> Vec<Book> {
    let word = |n: usize| n.to_string().bytes().map(|digit| char::from(digit - b'0' + b'k')).collect::<String>();
    let book = |(number, (from, count)): (usize, &(usize, usize))| {
        let own = (0..200).map(|at| word(100_000 * (number + 1) + at));
        let text: Vec<String> = own.chain((*from..from + count).map(word)).collect();
        Book::read(number.to_string(), &text.join(" "), &[])
    };
    passages.iter().enumerate().map(book).collect()
}

fn editions_hold(passages: &[(usize, usize)], cut: &Cut) {
    let books = books(passages);
    let mut shelf = Shelf::new(&std::env::temp_dir()).expect("a file");
    for book in &books {
        shelf.add(book, None).expect("room");
    }
    let found =
        find(&shelf, &FindOptions::default(), &refrain::Run::default().start().expect("threads")).expect("pairs");
    let pairs = shelf.books().iter().map(|entry| u64::from(entry.pairs)).sum();
    let join = EditionJoin { books: books.len() as u32, pairs, ..EditionJoin::default() };
    let number = |at: Position| at.input * 7 + at.record as u32;
    let links = joined(&join, &books, cut).into_iter();
    let mut links: Vec<BookPair> = links.map(|(a, b, pair)| BookPair { a: number(a), b: number(b), ..pair }).collect();
    links.sort_by_key(|pair| (pair.a, pair.b));
    assert_eq!(links, found.pairs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn editions(passages in prop::collection::vec((0_usize..6, 0_usize..900), 1..12), cut in cut()) {
        let passages: Vec<(usize, usize)> = passages.iter().map(|(text, count)| (10_000 + 400 * text, *count)).collect();
        editions_hold(&passages, &cut);
    }
}

/// More books share a text than are all compared with each other.
#[test]
fn editions_of_which_there_are_many() {
    let cut = Cut { pieces: vec![3, 1, 2, 0, 4], order: vec![4, 2, 0, 1, 3] };
    editions_hold(&[(10_000, 500); 34], &cut);
}

fn dedup_holds(documents: &[Document], join: &DedupJoin, cut: &Cut) {
    let options = &join.options;
    let items: Vec<(String, Signature)> =
        documents.iter().map(|document| (document.id.clone(), Signature::of(document, options))).collect();
    let mut learning = Learning::new(options.clone()).expect("a folder");
    for (id, signature) in &items {
        learning.add(id, signature).expect("room");
    }
    let workers = Run { threads: Some(2), ..Run::default() }.start().expect("threads");
    let mut learned = learning.conclude(&workers).expect("evidence");
    let mut lookup = learned.take_lookup().expect("evidence");
    let found: HashMap<Position, Verdict> = joined(join, &items, cut).into_iter().collect();
    for (number, (id, signature)) in items.iter().enumerate() {
        let evidence = lookup.look_up(signature).expect("answers");
        let joined = found.get(&position(number));
        if options.task == Task::Documents {
            let context = DocumentContext::default();
            let whole = learned.judge_document(signature, &evidence, join.rule, context).expect("a verdict").resembles;
            let joined = match joined {
                Some(Verdict::Document(found)) => found.as_ref().map(|found| (found.document.clone(), found.score)),
                _ => None,
            };
            assert_eq!(joined, whole.map(|found| (found.document, found.score)), "{id}");
        } else {
            let whole = learned.judge_with(signature, &evidence).expect("a verdict").blocks;
            let joined = match joined {
                Some(Verdict::Blocks(found)) => {
                    found.iter().map(|copied| copied.as_ref().map(|copied| copied.by)).collect()
                }
                _ => vec![None; whole.len()],
            };
            assert_eq!(
                joined,
                whole.iter().map(|copied| copied.as_ref().map(|copied| copied.by)).collect::<Vec<_>>(),
                "{id}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn dedup(texts in prop::collection::vec(prop::collection::vec(words(1..14), 1..4), 1..10), cut in cut()) {
        let document = |(number, blocks): (usize, &Vec<String>)| Document::from_text(number.to_string(), blocks.join("\n\n"));
        let documents: Vec<Document> = texts.iter().enumerate().map(document).collect();
        let by_words = DedupOptions { ngram: 3, stub: 0, edited: false, ..DedupOptions::default() };
        let tasks = [
            Task::Blocks,
            Task::Documents,
            Task::Exact(Unit::Block, Normalise::Space),
            Task::Exact(Unit::Document, Normalise::Words),
        ];
        for task in tasks {
            for rule in [DocumentRule::Contained(0.8), DocumentRule::Resemblance(Measure::Jaccard, 0.3)] {
                let options = DedupOptions { task, aligns: rule == DocumentRule::Contained(0.8), ..by_words.clone() };
                dedup_holds(&documents, &DedupJoin { options, rule }, &cut);
            }
        }
    }
}
