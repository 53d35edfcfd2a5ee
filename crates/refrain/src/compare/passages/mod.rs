//! Aligned passages: which stretches of two texts derive from each other.
//!
//! [`PassageText::new`] prepares a document once. [`align`] compares two of them and returns [`AlignedPassage`]s:
//! stretches copied word for word, stretches that were edited, reordered or reworded, and short passages that summarise
//! long ones. The two sides are treated equally.
//!
//! ```
//! use refrain::compare::{AlignOptions, PassageText, align};
//!
//! let speech = "Four score and seven years ago our fathers brought forth upon this continent a new nation conceived in \
//!     liberty and dedicated to the proposition that all men are created equal now we are engaged in a great civil war \
//!     testing whether that nation or any nation so conceived and so dedicated can long endure";
//! let essay = format!("The speech begins thus. {speech}. It was short.");
//! let passages = align(&PassageText::new(speech, Some("en")), &PassageText::new(&essay, Some("en")), &AlignOptions::default());
//! assert_eq!(passages.len(), 1);
//! assert_eq!(&essay[passages[0].b.clone()], format!("{speech}."));
//! ```

mod cluster;
mod matcher;
mod pair;
mod refine;
mod seeds;
mod summary;
mod text;
pub(super) mod verbatim;
mod words;

use std::ops::Range;

use matcher::Matcher;
use pair::{Pair, Span, collide, hull, overlap};
pub use text::PassageText;
use words::Break;

use super::rules::WordRule;

/// How a passage was reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PassageKind {
    /// Word for word; case, white space and punctuation may differ.
    Verbatim,
    /// With words changed, added, removed or moved.
    Edited,
    /// Summarised: one side is much shorter than the other.
    Summary,
}

/// Two stretches, one of which derives from the other.
#[derive(Clone, Debug, PartialEq)]
pub struct AlignedPassage {
    /// Bytes of the first text.
    pub a: Range<usize>,
    /// Bytes of the second text.
    pub b: Range<usize>,
    /// How the passage was reused.
    pub kind: PassageKind,
    /// Evidence: weight of the words in common above chance, times their share of all words. A rare word weighs about 4;
    /// a copied sentence scores about 50.
    pub score: f32,
}

/// What to report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AlignOptions {
    /// Least length in words of an edited passage or a summary, on both sides. At 20 the result is lower by .006 and
    /// shows more fragments, at 30 by .001.
    pub min_words: usize,
    /// Least length in words of a verbatim passage that is reported regardless of its context; shorter ones must
    /// qualify as edited passages. 50 changes nothing; at 30 the result is lower by .003.
    pub min_verbatim_words: usize,
    /// Least evidence for an edited passage. Texts on one topic stay below 20, tables and forms mostly below 40; heavy
    /// paraphrases begin at 20. At 20 the result is the same, at 30 lower by .001, at 40 by .004.
    pub min_score: f32,
    /// Least length in words of identical whole sentences that are reported on their own, if they have the evidence of
    /// a passage and no other result covers them. Shorter ones are phrases found in many texts.
    pub min_sentence_words: usize,
    /// Whether to look for summaries.
    pub summaries: bool,
}

impl Default for AlignOptions {
    fn default() -> AlignOptions {
        AlignOptions { min_words: 25, min_verbatim_words: 40, min_score: 25.0, min_sentence_words: 15, summaries: true }
    }
}

impl AlignOptions {
    /// Options for a word rule. In source code, signs count as words, a line has about ten of them, and nobody
    /// summarises: a copy is three lines or more. These lengths were chosen, not measured.
    pub fn of(rule: WordRule) -> AlignOptions {
        match rule {
            WordRule::Letters | WordRule::Sentences => AlignOptions::default(),
            WordRule::Code => AlignOptions {
                min_words: 30,
                min_verbatim_words: 40,
                min_sentence_words: 30,
                summaries: false,
                ..AlignOptions::default()
            },
        }
    }
}

/// A passage in tokens.
struct Found {
    span: Span,
    kind: PassageKind,
    score: f32,
}

/// Finds the passages that two texts have in common, in order of the first text. No two of them overlap on both sides;
/// on one side they may, since a passage can be reused more than once.
pub fn align(a: &PassageText, b: &PassageText, options: &AlignOptions) -> Vec<AlignedPassage> {
    let pair = Pair::new(a, b);
    let mut matcher = Matcher::new(&pair);
    let runs = verbatim::find(a, b);
    let long = |run: &&Span| run[0].len() >= options.min_verbatim_words;
    let verbatim = runs.iter().filter(long).cloned().collect();
    let edited = edited(&mut matcher, options);
    let mut found = combine(&mut matcher, verbatim, edited);
    if options.summaries {
        add_summaries(&mut matcher, &mut found, &runs, options);
    }
    add_sentences(&mut matcher, &mut found, &runs, options);
    let mut passages: Vec<AlignedPassage> = without_collisions(found)
        .into_iter()
        .map(|found| {
            let [a, b] = [0, 1].map(|side| pair.sides[side].text.bytes(found.span[side].clone()));
            AlignedPassage { a, b, kind: found.kind, score: found.score }
        })
        .collect();
    passages.sort_by_key(|passage| (passage.a.start, passage.b.start));
    passages
}

/// Spans that were reused with changes.
fn edited(matcher: &mut Matcher, options: &AlignOptions) -> Vec<Span> {
    let seeds = seeds::find(matcher.pair);
    let regions = cluster::cluster(matcher, &seeds);
    let refined = regions.into_iter().filter_map(|span| refine::refine(matcher, span)).collect();
    let mut spans = cluster::join_colliding(refined);
    spans.retain(|span| {
        span.iter().all(|range| range.len() >= options.min_words.max(1)) && matcher.evidence(span) >= options.min_score
    });
    cluster::join_pieces(spans)
}

/// Share of an edited span, on either side, from which the verbatim runs inside it replace it: then only the runs were
/// copied, and the rest is context. From .4 to .75 the result does not change, but at .4 copies with reordered
/// sentences are split; at .9 it is lower by .001.
const RUN_SHARE: f32 = 0.75;

/// Decides which of the colliding verbatim and edited spans are reported.
fn combine(matcher: &mut Matcher, mut verbatim: Vec<Span>, edited: Vec<Span>) -> Vec<Found> {
    let mut spans = Vec::new();
    for mut span in edited {
        let inside: Vec<Span> = verbatim.iter().filter(|run| collide(run, &span)).cloned().collect();
        let mostly_runs = (0..2).any(|side| {
            let covered: usize = inside.iter().map(|run| overlap(&run[side], &span[side])).sum();
            covered as f32 > RUN_SHARE * span[side].len() as f32
        });
        if mostly_runs {
            continue;
        }
        if !inside.is_empty() {
            verbatim.retain(|run| !inside.contains(run));
            span = inside.iter().fold(span, |span, run| hull(&span, run));
        }
        spans.push((span, PassageKind::Edited));
    }
    spans.extend(verbatim.into_iter().map(|span| (span, PassageKind::Verbatim)));
    let found = spans.into_iter();
    found.map(|(span, kind)| Found { score: matcher.evidence(&span), span, kind }).collect()
}

/// Looks for summaries, which replace the copied sentences in them.
fn add_summaries(matcher: &mut Matcher, found: &mut Vec<Found>, runs: &[Span], options: &AlignOptions) {
    for summary in summary::find(matcher, found, runs, options.min_words.max(1)) {
        let side = summary.side;
        found.retain(|copy| overlap(&copy.span[side], &summary.span[side]) == 0);
        let score = matcher.excess(side, &summary.span).evidence();
        found.push(Found { span: summary.span, kind: PassageKind::Summary, score });
    }
}

/// Adds whole sentences in runs of equal words that are long enough, have the evidence of a passage, and are not part
/// of another result.
fn add_sentences(matcher: &mut Matcher, found: &mut Vec<Found>, runs: &[Span], options: &AlignOptions) {
    for span in runs.iter().filter_map(|run| sentences(matcher.pair, run)) {
        let free = |side: usize| found.iter().all(|other| overlap(&other.span[side], &span[side]) == 0);
        if span[0].len() < options.min_sentence_words || !free(0) || !free(1) {
            continue;
        }
        let score = matcher.evidence(&span);
        if score >= options.min_score {
            found.push(Found { span, kind: PassageKind::Verbatim, score });
        }
    }
}

/// The whole sentences in a run of equal words: from where one begins on both sides to where one ends.
fn sentences(pair: &Pair, run: &Span) -> Option<Span> {
    let breaks = |at: usize| {
        (0..2).all(|side| {
            let token = pair.sides[side].text.tokens.get(run[side].start + at);
            token.is_none_or(|token| token.before != Break::None)
        })
    };
    let length = run[0].len();
    let start = (0..length).find(|at| breaks(*at))?;
    let end = (start + 1..=length).rev().find(|at| breaks(*at))?;
    Some([0, 1].map(|side| run[side].start + start..run[side].start + end))
}

/// Drops results that overlap a better one on both sides.
fn without_collisions(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|x, y| y.score.total_cmp(&x.score));
    let mut kept: Vec<Found> = Vec::new();
    for candidate in found {
        if kept.iter().all(|other| !collide(&other.span, &candidate.span)) {
            kept.push(candidate);
        }
    }
    kept
}
