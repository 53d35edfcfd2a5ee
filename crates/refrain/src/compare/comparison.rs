//! A whole comparison: documents in, pairs with their scores and passages out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::Serialize;

use super::excluded::{Exclusion, blanked, references, stretches_of};
use super::fingerprint::{Fingerprint, FingerprintOptions, Scores, landmarks, words_of};
use super::pairs::{DocumentPair, FingerprintCollection, PairOptions, Side};
use super::passages::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};
use super::quotes::{Quoted, quotations, quoted};
use super::rules::{WordRule, is_invisible};
use super::spillable::SpillableList;
use crate::decode::identify;
use crate::document::{Document, Link, Passage, Span};
use crate::error::Result;
use crate::run::Workers;
use crate::text::{CharOffsets, Digest};

/// How documents are compared.
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// What fingerprints are made of.
    pub fingerprints: FingerprintOptions,
    /// Which pairs are reported.
    pub pairs: PairOptions,
    /// How passages are found. If `None`, passages are not searched for.
    pub passages: Option<AlignOptions>,
    /// Pairs that share a passage of at least this many words are reported, too, whatever their scores; 0 disables this.
    pub passage_words: u64,
    /// Whether lists of references count like other text.
    pub keep_references: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            fingerprints: FingerprintOptions::default(),
            pairs: PairOptions::default(),
            passages: Some(AlignOptions::default()),
            passage_words: 40,
            keep_references: false,
        }
    }
}

impl CompareOptions {
    /// True if pairs are also reported for their longest passage.
    fn seeks_passages(&self) -> bool {
        self.passages.is_some() && self.passage_words > 0
    }
}

/// Text that everyone received, such as an assignment brief. Its n-grams do not count.
#[derive(Debug, Clone, Default)]
pub struct ExcludedText {
    grams: Vec<u64>,
}

impl ExcludedText {
    /// Adds a text.
    pub fn add(&mut self, text: &str, options: &FingerprintOptions) {
        self.grams.extend_from_slice(Fingerprint::of(text, options).grams());
        self.grams.sort_unstable();
        self.grams.dedup();
    }

    fn has(&self, gram: u64) -> bool {
        self.grams.binary_search(&gram).is_ok()
    }
}

/// One file of a document that was assembled from several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentPart {
    /// Its name inside the document.
    pub name: String,
    /// Where it begins in the text of the document, in code points.
    pub start: u64,
    /// Where its pages begin in the text of the document, in code points.
    pub pages: Vec<u64>,
}

/// A document that is ready to be compared.
#[derive(Debug, Clone, Default)]
pub struct PreparedDocument {
    /// Its id.
    pub id: String,
    /// Its address, if it has one.
    pub url: Option<String>,
    /// Its original text.
    pub text: String,
    /// Its language, if the source states one.
    pub language: Option<String>,
    /// Where its pages begin, in code points.
    pub pages: Vec<u64>,
    /// The files it was assembled from, in order; empty if it is a single file.
    pub parts: Vec<DocumentPart>,
    /// Ranges that do not count, in order.
    pub left_out: Vec<(Span, Exclusion)>,
    fingerprint: Fingerprint,
    /// What other documents are likely to share if they share a passage.
    landmarks: Fingerprint,
}

impl PreparedDocument {
    /// Prepares a document.
    pub fn of(document: Document, options: &CompareOptions, given: &ExcludedText) -> PreparedDocument {
        let pages = pages_of(&document);
        let (id, url, language) = (document.id.clone(), document.origin.url.clone(), document.language.clone());
        let text = document.into_text();
        let lists = if options.keep_references { Vec::new() } else { references(&text) };
        let mut left_out: Vec<(Span, Exclusion)> = lists.iter().map(|span| (*span, Exclusion::References)).collect();
        let counting = blanked(&text, &lists);
        let mut words = words_of(&counting, options.fingerprints.rule);
        let mut fingerprint = Fingerprint::of_words(&words, &options.fingerprints);
        if !given.grams.is_empty() {
            fingerprint = fingerprint.without(|gram| given.has(gram));
            let stretches = stretches_of(&counting, &options.fingerprints, |gram| given.has(gram));
            left_out.extend(stretches.into_iter().map(|span| (span, Exclusion::Given)));
            left_out.sort_unstable();
            let spans: Vec<Span> = left_out.iter().map(|(span, _)| *span).collect();
            words = words_of(&blanked(&text, &spans), options.fingerprints.rule);
        }
        let landmarks = if options.seeks_passages() { landmarks(&words) } else { Fingerprint::default() };
        PreparedDocument { id, url, text, language, pages, parts: Vec::new(), left_out, fingerprint, landmarks }
    }

    /// Its display name: its address, or else its id.
    pub fn name(&self) -> &str {
        self.url.as_deref().unwrap_or(&self.id)
    }

    /// The n-grams that count.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The number of words that count.
    pub fn words(&self) -> u64 {
        self.fingerprint.words()
    }
}

/// Where the pages of a document begin, in code points; empty if it has none.
pub(crate) fn pages_of(document: &Document) -> Vec<u64> {
    let mut chars = CharOffsets::new(document.text());
    document.pages().iter().map(|&at| chars.chars(at) as u64).collect()
}

/// A document of a comparison, without its text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ComparedDocument {
    /// Its id.
    pub id: String,
    /// Its address, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A short, unique display name.
    pub name: String,
    /// The number of words, without lists of references.
    pub words: u64,
    /// The number of distinct n-grams that count.
    pub grams: usize,
    /// Ranges that do not count, in order.
    pub left_out: Vec<(Span, Exclusion)>,
    /// Whether other documents are only compared against it.
    pub reference: bool,
    /// Where its pages begin, in code points.
    pub pages: Vec<u64>,
    /// The files it was assembled from, in order; empty if it is a single file.
    pub parts: Vec<DocumentPart>,
    /// Its language, if the source states one.
    language: Option<String>,
}

impl ComparedDocument {
    /// The index of the file that contains a character; `None` if the document is a single file.
    pub fn part(&self, character: u64) -> Option<usize> {
        let before = self.parts.partition_point(|part| part.start <= character).max(1);
        (!self.parts.is_empty()).then_some(before - 1)
    }

    /// The page of its file that contains a character, counted from 1; `None` if there are no pages.
    pub fn page(&self, character: u64) -> Option<usize> {
        page_of(self.part(character).map_or(&self.pages, |part| &self.parts[part].pages), character)
    }
}

/// The page that contains a character, counted from 1, given where pages begin; `None` if there are no pages.
pub(crate) fn page_of(pages: &[u64], character: u64) -> Option<usize> {
    (!pages.is_empty()).then(|| pages.partition_point(|start| *start <= character).max(1))
}

/// A passage that two documents share.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SharedPassage {
    /// Its range in the first document.
    pub a: Span,
    /// Its range in the second document.
    pub b: Span,
    /// How it was reused.
    pub kind: PassageKind,
    /// The strength of the evidence for it.
    pub score: f32,
    /// Whether it is a quotation in the first document.
    pub quoted_a: Option<Quoted>,
    /// Whether it is a quotation in the second document.
    pub quoted_b: Option<Quoted>,
}

/// Two documents that share text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ComparedPair {
    /// The number of the first document.
    pub a: usize,
    /// The number of the second document.
    pub b: usize,
    /// How much they share.
    pub scores: Scores,
    /// The number of words in the longest passage, on the side where it has fewer.
    pub longest: u64,
    /// The passages they share, in the order of `a`.
    pub passages: Vec<SharedPassage>,
}

impl ComparedPair {
    /// Swaps the two documents.
    fn turn(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        std::mem::swap(&mut self.scores.a_in_b, &mut self.scores.b_in_a);
        for passage in &mut self.passages {
            std::mem::swap(&mut passage.a, &mut passage.b);
            std::mem::swap(&mut passage.quoted_a, &mut passage.quoted_b);
        }
        self.passages.sort_by_key(|passage| (passage.a, passage.b));
    }
}

/// A set of documents to compare.
///
/// ```
/// use refrain::{Document, Run};
/// use refrain::compare::{Comparison, CompareOptions, PreparedDocument, ExcludedText, Side};
///
/// let options = CompareOptions::default();
/// let shared = "The keeper of the lighthouse climbed the stairs every evening at dusk, lit the lamp, and wrote the names of \
///     all ships that had passed into a large book that lay below the window on a table made of driftwood, which his \
///     father had built in the winter of the great storm, when no boat could leave the harbour for eleven weeks.";
/// let mut comparison = Comparison::new(options.clone());
/// for (id, text) in [("one", format!("My essay. {shared}")), ("two", format!("{shared} So it was."))] {
///     let document = PreparedDocument::of(Document::from_text(id, text), &options, &ExcludedText::default());
///     comparison.add(document, Side::New)?;
/// }
/// let found = comparison.conclude(&Run::default().start()?)?;
/// assert!(found.pairs[0].scores.resemblance > 0.8);
/// assert_eq!(found.pairs[0].passages.len(), 1);
/// assert_eq!(found.link(0).a, "one");
/// # Ok::<(), refrain::Error>(())
/// ```
pub struct Comparison {
    options: CompareOptions,
    documents: Vec<ComparedDocument>,
    texts: SpillableList<str>,
    collection: FingerprintCollection,
    landmarks: FingerprintCollection,
}

/// The result of a comparison.
pub struct ComparisonResult {
    /// The documents, in the order in which they were added.
    pub documents: Vec<ComparedDocument>,
    /// The pairs, the highest resemblance first.
    pub pairs: Vec<ComparedPair>,
    /// Text that occurs in too many documents to count, with the number of documents; the most frequent first.
    pub common: Vec<(String, usize)>,
    texts: SpillableList<str>,
}

/// Texts may use 1/8 of the memory, and the texts being aligned another 1/8.
const TEXTS: u64 = 8;
/// Memory for a text prepared for alignment, as a multiple of its bytes.
const READY: u64 = 16;
/// Landmarks are one in seven n-grams, and may use this part of the memory.
const LANDMARKS: u64 = 8;

impl Comparison {
    /// A comparison without documents.
    pub fn new(options: CompareOptions) -> Comparison {
        let texts = SpillableList::new(&options.pairs.temporary, options.pairs.memory / TEXTS);
        let collection = FingerprintCollection::new(options.pairs.clone());
        // One landmark is enough to look for a passage.
        let landmarks = FingerprintCollection::new(PairOptions {
            resemblance: 0.0,
            containment: 0.0,
            memory: options.pairs.memory / LANDMARKS,
            ..options.pairs.clone()
        });
        Comparison { options, documents: Vec::new(), texts, collection, landmarks }
    }

    /// Adds the next document. Returns its number.
    pub fn add(&mut self, document: PreparedDocument, side: Side) -> Result<usize> {
        let PreparedDocument { id, url, text, language, pages, parts, left_out, fingerprint, landmarks } = document;
        let (words, grams) = (fingerprint.words(), fingerprint.len());
        let number = self.collection.add(fingerprint, side)?;
        self.landmarks.add(landmarks, side)?;
        let reference = side == Side::Reference;
        let name = String::new();
        self.documents.push(ComparedDocument {
            id,
            url,
            name,
            words,
            grams,
            left_out,
            reference,
            pages,
            parts,
            language,
        });
        self.texts.add(text)?;
        Ok(number)
    }

    /// The options of the comparison.
    pub fn options(&self) -> &CompareOptions {
        &self.options
    }

    /// The documents, without comparing them.
    pub fn into_documents(self) -> Vec<ComparedDocument> {
        self.documents
    }

    /// The document numbers by id.
    pub fn numbers(&self) -> HashMap<&str, usize> {
        self.documents.iter().zip(0..).map(|(document, number)| (document.id.as_str(), number)).collect()
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// True when there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Finds the pairs and their passages.
    pub fn conclude(mut self, workers: &Workers) -> Result<ComparisonResult> {
        let found = self.collection.pairs(workers)?;
        for (document, size) in self.documents.iter_mut().zip(found.sizes) {
            document.grams = size;
        }
        let pairs = self.with_landmarks(found.pairs, &found.common, workers)?;
        let common = self.find_common(&found.common)?;
        let options = self.options.clone();
        let mut result = self.align(pairs, common, workers)?;
        let is_long = |pair: &ComparedPair| options.passage_words > 0 && pair.longest >= options.passage_words;
        result.pairs.retain(|pair| options.pairs.wants(&pair.scores) || is_long(pair));
        result.pairs.sort_by(in_order);
        Ok(result)
    }

    /// Adds the pairs that share a landmark, whatever their scores, if passages are wanted.
    fn with_landmarks(
        &self,
        mut pairs: Vec<DocumentPair>,
        common: &[u64],
        workers: &Workers,
    ) -> Result<Vec<DocumentPair>> {
        if !self.options.seeks_passages() {
            return Ok(pairs);
        }
        let known: HashSet<(usize, usize)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        let mut others = self.landmarks.pairs(workers)?.pairs;
        others.retain(|pair| !known.contains(&(pair.a, pair.b)));
        for pair in &mut others {
            pair.scores = self.collection.scores(pair.a, pair.b, common)?;
        }
        pairs.append(&mut others);
        Ok(pairs)
    }

    /// Compares only the given pairs of document numbers.
    pub fn conclude_pairs(self, pairs: &[(usize, usize)], workers: &Workers) -> Result<ComparisonResult> {
        let pair =
            |(a, b): &(usize, usize)| Ok(DocumentPair { a: *a, b: *b, scores: self.collection.scores(*a, *b, &[])? });
        let mut pairs: Vec<DocumentPair> = workers.install(|| pairs.par_iter().map(pair).collect::<Result<_>>())?;
        pairs.sort_by(|one, other| other.scores.resemblance.total_cmp(&one.scores.resemblance));
        self.align(pairs, Vec::new(), workers)
    }

    /// Records where common text occurs. Returns the text itself.
    fn find_common(&mut self, grams: &[u64]) -> Result<Vec<(String, usize)>> {
        if grams.is_empty() {
            return Ok(Vec::new());
        }
        let mut known: HashMap<String, usize> = HashMap::new();
        for number in 0..self.documents.len() {
            let text = self.texts.get(number)?;
            let is_common = |gram: u64| grams.binary_search(&gram).is_ok();
            let stretches = stretches_of(&text, &self.options.fingerprints, is_common);
            let different: BTreeSet<String> =
                stretches.iter().map(|span| span.of(&text).split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            for stretch in different {
                *known.entry(stretch).or_default() += 1;
            }
            let document = &mut self.documents[number];
            document.left_out.extend(stretches.into_iter().map(|span| (span, Exclusion::Common)));
            document.left_out.sort_unstable();
        }
        let mut common: Vec<(String, usize)> = known.into_iter().collect();
        common.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        Ok(common)
    }

    /// Finds the passages of pairs, a few documents at a time.
    fn align(
        self,
        pairs: Vec<DocumentPair>,
        common: Vec<(String, usize)>,
        workers: &Workers,
    ) -> Result<ComparisonResult> {
        let Some(options) = &self.options.passages else {
            let pairs = pairs.into_iter().map(|DocumentPair { a, b, scores }| ComparedPair {
                a,
                b,
                scores,
                longest: 0,
                passages: Vec::new(),
            });
            return Ok(ComparisonResult {
                documents: self.documents,
                pairs: pairs.collect(),
                common,
                texts: self.texts,
            });
        };
        let room = self.options.pairs.memory / TEXTS / READY;
        // Keep the pairs of one document together, so that it is prepared only once.
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|pair| (pairs[*pair].a, pairs[*pair].b));
        let rule = self.options.fingerprints.rule;
        let mut done: BTreeMap<usize, (u64, Vec<SharedPassage>)> = BTreeMap::new();
        let mut from = 0;
        while from < order.len() {
            let mut involved = BTreeSet::new();
            let mut bytes = 0;
            let mut to = from;
            while to < order.len() && (bytes < room || to == from) {
                for number in [pairs[order[to]].a, pairs[order[to]].b] {
                    if involved.insert(number) {
                        bytes += self.texts.length(number) as u64;
                    }
                }
                to += 1;
            }
            let one_text = |number| Ok((number, self.alignable(number)?));
            let aligned: Result<Vec<_>> = workers.install(|| {
                let texts: HashMap<usize, AlignableText> =
                    involved.into_par_iter().map(one_text).collect::<Result<_>>()?;
                let one_pair = |pair: &usize| {
                    workers.stop().check()?;
                    let DocumentPair { a, b, .. } = pairs[*pair];
                    let found = passages(&texts[&a], &texts[&b], options);
                    Ok((*pair, (longest(&found, &texts[&a].text, &texts[&b].text, rule), found)))
                };
                order[from..to].par_iter().map(one_pair).collect()
            });
            done.extend(aligned?);
            from = to;
        }
        let pairs = pairs.into_iter().zip(done.into_values());
        let pairs = pairs
            .map(|(DocumentPair { a, b, scores }, (longest, passages))| ComparedPair {
                a,
                b,
                scores,
                longest,
                passages,
            })
            .collect();
        Ok(ComparisonResult { documents: self.documents, pairs, common, texts: self.texts })
    }

    /// Prepares a document for alignment, with the text that does not count blanked out.
    fn alignable(&self, number: usize) -> Result<AlignableText> {
        let document = &self.documents[number];
        let spans: Vec<Span> = document.left_out.iter().map(|(span, _)| *span).collect();
        let text = self.texts.get(number)?;
        let language = detected_language(&text).or(document.language.as_deref());
        Ok(AlignableText::of(&text, &spans, language, self.options.fingerprints.rule))
    }
}

/// The number of words in the longest passage, on the side where it has fewer.
fn longest(passages: &[SharedPassage], a: &str, b: &str, rule: WordRule) -> u64 {
    let words = |text: &str| words_of(text, rule).len() as u64;
    passages.iter().map(|passage| words(passage.a.of(a)).min(words(passage.b.of(b)))).max().unwrap_or(0)
}

/// The order of pairs: the highest resemblance first.
fn in_order(one: &ComparedPair, other: &ComparedPair) -> Ordering {
    let order = other.scores.resemblance.total_cmp(&one.scores.resemblance);
    order.then((one.a, one.b).cmp(&(other.a, other.b)))
}

/// The language of a text, if it can be identified reliably.
fn detected_language(text: &str) -> Option<&'static str> {
    identify(text).filter(|found| found.reliable).map(|found| found.code)
}

/// A document prepared for alignment.
pub(super) struct AlignableText {
    text: String,
    /// The text that counts.
    counting: String,
    language: Option<String>,
    aligned: PassageText,
    /// The text prepared without a language, for pairs in different languages, whose words would be split differently.
    neutral: OnceLock<PassageText>,
    quotations: Vec<Span>,
    is_code: bool,
}

impl AlignableText {
    pub(super) fn of_document(document: &PreparedDocument, rule: WordRule) -> AlignableText {
        let left_out: Vec<Span> = document.left_out.iter().map(|(span, _)| *span).collect();
        let language = detected_language(&document.text).or(document.language.as_deref());
        AlignableText::of(&document.text, &left_out, language, rule)
    }

    /// Prepares a text, ignoring the `left_out` ranges.
    pub(super) fn of(text: &str, left_out: &[Span], language: Option<&str>, rule: WordRule) -> AlignableText {
        let counting = blanked(text, left_out);
        // Source code is not in a human language, and its quotation marks do not quote anyone.
        let is_code = rule == WordRule::Code;
        let language = language.filter(|_| !is_code);
        AlignableText {
            quotations: if is_code { Vec::new() } else { quotations(text) },
            aligned: if is_code { PassageText::code(&counting) } else { PassageText::new(&counting, language) },
            neutral: OnceLock::new(),
            language: language.map(str::to_owned),
            text: text.to_owned(),
            counting: counting.into_owned(),
            is_code,
        }
    }

    fn neutral(&self) -> &PassageText {
        self.neutral.get_or_init(|| PassageText::new(&self.counting, None))
    }

    /// The span of a passage. In source code, leading signs that close the previous statement are trimmed.
    fn passage(&self, range: std::ops::Range<usize>) -> Span {
        let ends = |sign: char| sign.is_whitespace() || matches!(sign, ';' | ',' | '}' | ')' | ']');
        let rest = self.text[range.clone()].trim_start_matches(ends);
        if self.is_code && !rest.is_empty() {
            Span::new(range.end - rest.len(), range.end)
        } else {
            Span::new(range.start, range.end)
        }
    }

    /// The range of text that counts, from its first to its last character.
    fn whole(&self) -> std::ops::Range<usize> {
        let start = self.counting.len() - self.counting.trim_start().len();
        start..self.counting.trim_end().len().max(start)
    }
}

/// Passages that two documents share.
pub(super) fn passages(a: &AlignableText, b: &AlignableText, options: &AlignOptions) -> Vec<SharedPassage> {
    let mut found = if a.language == b.language {
        align(&a.aligned, &b.aligned, options)
    } else {
        align(a.neutral(), b.neutral(), options)
    };
    // Identical texts are reported even if they are short.
    if found.is_empty() && !a.whole().is_empty() && a.counting.trim() == b.counting.trim() {
        found.push(AlignedPassage { a: a.whole(), b: b.whole(), kind: PassageKind::Verbatim, score: 0.0 });
    }
    found
        .into_iter()
        .map(|passage| {
            let (one, other) = (a.passage(passage.a), b.passage(passage.b));
            SharedPassage {
                a: one,
                b: other,
                kind: if same_words(one.of(&a.text), other.of(&b.text), a.is_code) {
                    PassageKind::Verbatim
                } else {
                    passage.kind
                },
                score: passage.score,
                quoted_a: quoted(&a.text, &a.quotations, one),
                quoted_b: quoted(&b.text, &b.quotations, other),
            }
        })
        .collect()
}

/// True for texts with the same words and numbers, whatever separates them. In source code, signs and case count too.
fn same_words(one: &str, other: &str, is_code: bool) -> bool {
    if is_code {
        return words_of(one, WordRule::Code) == words_of(other, WordRule::Code);
    }
    let words = |text: &str| {
        let seen: String = text.chars().filter(|character| !is_invisible(*character)).collect();
        let words = seen.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<String>>()
    };
    words(one) == words(other)
}

impl ComparisonResult {
    /// The original text of a document.
    pub fn text(&self, number: usize) -> Result<std::borrow::Cow<'_, str>> {
        self.texts.get(number)
    }

    /// The documents, pairs and common text, without the texts of documents.
    pub fn into_parts(self) -> (Vec<ComparedDocument>, Vec<ComparedPair>, Vec<(String, usize)>) {
        (self.documents, self.pairs, self.common)
    }

    /// Reorders the documents by the digests of their texts, so that the order reveals nothing about their names.
    /// Reference documents come last.
    pub fn shuffled(self) -> Result<ComparisonResult> {
        let ComparisonResult { documents, mut pairs, common, mut texts } = self;
        let mut order = Vec::with_capacity(documents.len());
        for (number, document) in documents.iter().enumerate() {
            let digest = |parts: &[&[u8]]| {
                let mut digest = Digest::default();
                for part in parts {
                    digest.update(part);
                }
                digest.short()
            };
            let text = texts.get(number)?;
            let text = text.as_bytes();
            order.push((document.reference, digest(&[text]), digest(&[text, document.id.as_bytes()]), number));
        }
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(.., number)| number).collect();
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(number, at)| place[*number] = at);
        texts.reorder(&order);
        let mut old: Vec<Option<ComparedDocument>> = documents.into_iter().map(Some).collect();
        let documents = order.iter().filter_map(|number| old[*number].take()).collect();
        for pair in &mut pairs {
            (pair.a, pair.b) = (place[pair.a], place[pair.b]);
            if pair.a > pair.b {
                pair.turn();
            }
        }
        pairs.sort_by(in_order);
        Ok(ComparisonResult { documents, pairs, common, texts })
    }

    /// A pair as a [`Link`].
    pub fn link(&self, pair: usize) -> Link {
        let ComparedPair { a, b, scores, longest, passages } = &self.pairs[pair];
        let scores = [
            ("R", scores.resemblance),
            ("C of a in b", scores.a_in_b),
            ("C of b in a", scores.b_in_a),
            ("shared", scores.shared as f64),
            ("longest", *longest as f64),
        ];
        Link {
            a: self.documents[*a].id.clone(),
            b: self.documents[*b].id.clone(),
            scores: scores.into_iter().map(|(name, score)| (name.to_owned(), score)).collect(),
            passages: passages.iter().map(|passage| Passage { a: passage.a, b: passage.b }).collect(),
        }
    }

    /// Documents that are linked by pairs, directly or through others; the largest groups first.
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.documents.len()).collect();
        for pair in &self.pairs {
            let (one, other) = (root(&mut group, pair.a), root(&mut group, pair.b));
            group[one.max(other)] = one.min(other);
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..group.len() {
            members.entry(root(&mut group, number)).or_default().push(number);
        }
        let mut clusters: Vec<Vec<usize>> = members.into_values().filter(|members| members.len() > 1).collect();
        clusters.sort_by_key(|members| (std::cmp::Reverse(members.len()), members[0]));
        clusters
    }
}

/// The first document of a group.
fn root(group: &mut [usize], mut of: usize) -> usize {
    while group[of] != of {
        group[of] = group[group[of]];
        of = group[of];
    }
    of
}
