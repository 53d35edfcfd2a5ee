//! A whole comparison: documents in, pairs with their scores and passages out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::fingerprint::{Fingerprint, FingerprintOptions, Scores};
use super::leave_out::{LeftOut, blanked, references, stretches_of};
use super::pairs::{DocumentPair, FingerprintCollection, PairOptions, Side};
use super::passages::{AlignOptions, AlignedPassage, PassageKind, PassageText, align};
use super::quotes::{Quoted, quotations, quoted};
use super::rules::{WordRule, is_invisible, tokens};
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
    /// How passages are found; none are looked for without it.
    pub passages: Option<AlignOptions>,
    /// Lists of references count like other text.
    pub keep_references: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            fingerprints: FingerprintOptions::default(),
            pairs: PairOptions::default(),
            passages: Some(AlignOptions::default()),
            keep_references: false,
        }
    }
}

/// Text that everyone was given, such as the brief of an assignment: its n-grams do not count.
#[derive(Debug, Clone, Default)]
pub struct ExcludedText {
    grams: Vec<u64>,
}

impl ExcludedText {
    /// Takes in a text.
    pub fn add(&mut self, text: &str, options: &FingerprintOptions) {
        self.grams.extend_from_slice(Fingerprint::of(text, options).grams());
        self.grams.sort_unstable();
        self.grams.dedup();
    }

    fn has(&self, gram: u64) -> bool {
        self.grams.binary_search(&gram).is_ok()
    }
}

/// A file of a document that was put together from several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DocumentPart {
    /// What it is called inside the document.
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
    /// Its text, as it was.
    pub text: String,
    /// Its language, where it came with one.
    pub language: Option<String>,
    /// Where its pages begin, in code points.
    pub pages: Vec<u64>,
    /// The files it was put together from, in their order; none where it is one file.
    pub parts: Vec<DocumentPart>,
    /// Stretches that do not count, in their order.
    pub left_out: Vec<(Span, LeftOut)>,
    fingerprint: Fingerprint,
}

impl PreparedDocument {
    /// Makes a document ready.
    pub fn of(document: Document, options: &CompareOptions, given: &ExcludedText) -> PreparedDocument {
        let pages = pages_of(&document);
        let (id, language) = (document.id.clone(), document.language.clone());
        let text = document.into_text();
        let lists = if options.keep_references { Vec::new() } else { references(&text) };
        let mut left_out: Vec<(Span, LeftOut)> = lists.iter().map(|span| (*span, LeftOut::References)).collect();
        let counting = blanked(&text, &lists);
        let mut fingerprint = Fingerprint::of(&counting, &options.fingerprints);
        if !given.grams.is_empty() {
            fingerprint = fingerprint.without(|gram| given.has(gram));
            let stretches = stretches_of(&counting, &options.fingerprints, |gram| given.has(gram));
            left_out.extend(stretches.into_iter().map(|span| (span, LeftOut::Given)));
            left_out.sort_unstable();
        }
        PreparedDocument { id, text, language, pages, parts: Vec::new(), left_out, fingerprint }
    }

    /// The n-grams of it that count.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// How many words count.
    pub fn words(&self) -> u64 {
        self.fingerprint.words()
    }
}

/// Where the pages of a document begin, in code points; nothing where it has none.
pub fn pages_of(document: &Document) -> Vec<u64> {
    let mut chars = CharOffsets::new(document.text());
    document.pages().iter().map(|&at| chars.chars(at) as u64).collect()
}

/// A document of a comparison, but for its text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ComparedDocument {
    /// Its id.
    pub id: String,
    /// Its name for people: short, and different from the others.
    pub name: String,
    /// Its words, but for lists of references.
    pub words: u64,
    /// The different n-grams of it that count.
    pub grams: usize,
    /// Stretches that do not count, in their order.
    pub left_out: Vec<(Span, LeftOut)>,
    /// It is only compared with.
    pub reference: bool,
    /// Where its pages begin, in code points.
    pub pages: Vec<u64>,
    /// The files it was put together from, in their order; none where it is one file.
    pub parts: Vec<DocumentPart>,
    language: Option<String>,
}

impl ComparedDocument {
    /// The file in which a character stands, by its number; none where the document is one file.
    pub fn part(&self, character: u64) -> Option<usize> {
        let before = self.parts.partition_point(|part| part.start <= character).max(1);
        (!self.parts.is_empty()).then_some(before - 1)
    }

    /// The page of its file on which a character stands, from 1 on; none where there are no pages.
    pub fn page(&self, character: u64) -> Option<usize> {
        page_of(self.part(character).map_or(&self.pages, |part| &self.parts[part].pages), character)
    }
}

/// The page on which a character stands, from 1 on, by where pages begin; none where there are none.
pub(crate) fn page_of(pages: &[u64], character: u64) -> Option<usize> {
    (!pages.is_empty()).then(|| pages.partition_point(|start| *start <= character).max(1))
}

/// A passage that two documents share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharedPassage {
    /// Where it stands in the one.
    pub a: Span,
    /// Where it stands in the other.
    pub b: Span,
    /// How it was taken over.
    pub kind: PassageKind,
    /// How much speaks for it.
    pub score: f32,
    /// What it is in the one: a quotation, perhaps.
    pub quoted_a: Option<Quoted>,
    /// What it is in the other.
    pub quoted_b: Option<Quoted>,
}

/// Two documents that share text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedPair {
    /// The number of the one.
    pub a: usize,
    /// The number of the other.
    pub b: usize,
    /// How much they share.
    pub scores: Scores,
    /// The passages they share, in the order of `a`.
    pub passages: Vec<SharedPassage>,
}

impl ComparedPair {
    /// Makes the one the other.
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

/// Documents that are compared.
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
}

/// What a comparison comes to.
pub struct ComparisonResult {
    /// The documents, in the order in which they came.
    pub documents: Vec<ComparedDocument>,
    /// Pairs of them, those that resemble each other most first.
    pub pairs: Vec<ComparedPair>,
    /// Text that stands in too many documents to count, with the number of documents; the most frequent first.
    pub common: Vec<(String, usize)>,
    texts: SpillableList<str>,
}

/// Texts may take one part of the memory in so many, and those that are aligned at a time as much.
const TEXTS: u64 = 8;
/// What a text takes that is made ready for alignment, by its bytes.
const READY: u64 = 16;

impl Comparison {
    /// One without documents.
    pub fn new(options: CompareOptions) -> Comparison {
        let texts = SpillableList::new(&options.pairs.temporary, options.pairs.memory / TEXTS);
        let collection = FingerprintCollection::new(options.pairs.clone());
        Comparison { options, documents: Vec::new(), texts, collection }
    }

    /// Takes in the next document. Returns its number.
    pub fn add(&mut self, document: PreparedDocument, side: Side) -> Result<usize> {
        let PreparedDocument { id, text, language, pages, parts, left_out, fingerprint } = document;
        let (words, grams) = (fingerprint.words(), fingerprint.len());
        let number = self.collection.add(fingerprint, side)?;
        let reference = side == Side::Reference;
        let name = String::new();
        self.documents.push(ComparedDocument { id, name, words, grams, left_out, reference, pages, parts, language });
        self.texts.add(text)?;
        Ok(number)
    }

    /// How documents are compared.
    pub fn options(&self) -> &CompareOptions {
        &self.options
    }

    /// The documents, without a comparison.
    pub fn into_documents(self) -> Vec<ComparedDocument> {
        self.documents
    }

    /// The numbers of the documents, by their ids.
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
        let common = self.find_common(&found.common)?;
        self.align(found.pairs, common, workers)
    }

    /// Compares some pairs, by the numbers of their documents, and no others.
    pub fn conclude_pairs(self, pairs: &[(usize, usize)], workers: &Workers) -> Result<ComparisonResult> {
        let pair = |(a, b): &(usize, usize)| Ok(DocumentPair { a: *a, b: *b, scores: self.collection.scores(*a, *b)? });
        let mut pairs: Vec<DocumentPair> = workers.install(|| pairs.par_iter().map(pair).collect::<Result<_>>())?;
        pairs.sort_by(|one, other| other.scores.resemblance.total_cmp(&one.scores.resemblance));
        self.align(pairs, Vec::new(), workers)
    }

    /// Notes where common text stands. Returns the text itself.
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
            document.left_out.extend(stretches.into_iter().map(|span| (span, LeftOut::Common)));
            document.left_out.sort_unstable();
        }
        let mut common: Vec<(String, usize)> = known.into_iter().collect();
        common.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        Ok(common)
    }

    /// Finds the passages of pairs, some documents at a time.
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
        // Pairs of one document come together, so that it is made ready once.
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|pair| (pairs[*pair].a, pairs[*pair].b));
        let mut done: BTreeMap<usize, Vec<SharedPassage>> = BTreeMap::new();
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
            let aligned: Result<Vec<(usize, Vec<SharedPassage>)>> = workers.install(|| {
                let texts: HashMap<usize, AlignableText> =
                    involved.into_par_iter().map(one_text).collect::<Result<_>>()?;
                let one_pair = |pair: &usize| {
                    workers.stop().check()?;
                    let DocumentPair { a, b, .. } = pairs[*pair];
                    Ok((*pair, passages(&texts[&a], &texts[&b], options)))
                };
                order[from..to].par_iter().map(one_pair).collect()
            });
            done.extend(aligned?);
            from = to;
        }
        let pairs = pairs.into_iter().zip(done.into_values());
        let pairs =
            pairs.map(|(DocumentPair { a, b, scores }, passages)| ComparedPair { a, b, scores, passages }).collect();
        Ok(ComparisonResult { documents: self.documents, pairs, common, texts: self.texts })
    }

    /// Makes a document ready for alignment: what does not count is not seen.
    fn alignable(&self, number: usize) -> Result<AlignableText> {
        let document = &self.documents[number];
        let spans: Vec<Span> = document.left_out.iter().map(|(span, _)| *span).collect();
        let text = self.texts.get(number)?;
        let language = detected_language(&text).or(document.language.as_deref());
        Ok(AlignableText::of(&text, &spans, language, self.options.fingerprints.rule))
    }
}

/// The language of a text, if it can be identified reliably.
fn detected_language(text: &str) -> Option<&'static str> {
    identify(text).filter(|found| found.reliable).map(|found| found.code)
}

/// A document that is ready for alignment.
pub(super) struct AlignableText {
    text: String,
    /// What of it counts.
    counting: String,
    language: Option<String>,
    aligned: PassageText,
    /// The same with no language in mind, for texts that are in different ones: their words would be cut differently.
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

    /// Makes a text ready; `left_out` of it is not seen.
    pub(super) fn of(text: &str, left_out: &[Span], language: Option<&str>, rule: WordRule) -> AlignableText {
        let counting = blanked(text, left_out);
        // Programs are in no language that people speak, and their quotation marks quote nobody.
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

    /// A passage; of programs without signs at its front that end what stands before it.
    fn passage(&self, range: std::ops::Range<usize>) -> Span {
        let ends = |sign: char| sign.is_whitespace() || matches!(sign, ';' | ',' | '}' | ')' | ']');
        let rest = self.text[range.clone()].trim_start_matches(ends);
        if self.is_code && !rest.is_empty() {
            Span::new(range.end - rest.len(), range.end)
        } else {
            Span::new(range.start, range.end)
        }
    }

    /// What counts of it, from its first to its last character.
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
    // However short they are.
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

/// True for texts that have the same words and numbers, whatever stands between them. In programs, signs and case count.
fn same_words(one: &str, other: &str, is_code: bool) -> bool {
    if is_code {
        let words = |text: &str| {
            let mut words = Vec::new();
            tokens(text, WordRule::Code, |token| words.push(token.hash));
            words
        };
        return words(one) == words(other);
    }
    let words = |text: &str| {
        let seen: String = text.chars().filter(|character| !is_invisible(*character)).collect();
        let words = seen.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<String>>()
    };
    words(one) == words(other)
}

impl ComparisonResult {
    /// The text of a document, as it was.
    pub fn text(&self, number: usize) -> Result<std::borrow::Cow<'_, str>> {
        self.texts.get(number)
    }

    /// The documents, pairs and common text, without the texts of documents.
    pub fn into_parts(self) -> (Vec<ComparedDocument>, Vec<ComparedPair>, Vec<(String, usize)>) {
        (self.documents, self.pairs, self.common)
    }

    /// The same with the documents in an order that says nothing of their names: that of digests of their texts.
    /// Documents that were only compared with stay behind the others.
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
        pairs.sort_by(|one, other| {
            let order = other.scores.resemblance.total_cmp(&one.scores.resemblance);
            order.then((one.a, one.b).cmp(&(other.a, other.b)))
        });
        Ok(ComparisonResult { documents, pairs, common, texts })
    }

    /// A pair as a link of the model.
    pub fn link(&self, pair: usize) -> Link {
        let ComparedPair { a, b, scores, passages } = &self.pairs[pair];
        let scores = [
            ("R", scores.resemblance),
            ("C of a in b", scores.a_in_b),
            ("C of b in a", scores.b_in_a),
            ("shared", scores.shared as f64),
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

/// The first of a group of documents.
fn root(group: &mut [usize], mut of: usize) -> usize {
    while group[of] != of {
        group[of] = group[group[of]];
        of = group[of];
    }
    of
}
