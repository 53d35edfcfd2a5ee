//! Which items a text contains, and whether that is sure enough to remove them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alignment::{Place, Run, nearby, places};
use super::index::{Benchmarks, Parts, Unit, Words};
use super::{ItemField, ranges};
use crate::document::Span;

/// An item that a text contains, at least in part.
#[derive(Debug, Clone, PartialEq)]
pub struct Contamination {
    /// The number of the item.
    pub item: usize,
    /// The fields that were found.
    pub fields: Vec<ItemField>,
    /// The share of the words of the item that were found.
    pub share: f64,
    /// Why it is not sure enough to be removed; `None` if it is.
    pub doubt: Option<Doubt>,
    /// The ranges of the text that belong to the item, in order.
    pub spans: Vec<Span>,
}

/// Why an item is only reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Doubt {
    /// A short question or passage, and nothing near it confirms that it is the item.
    Short,
    /// Only a part of a field is there.
    Part,
    /// Names or numbers of the item are others in the text.
    OtherFacts,
}

impl Doubt {
    /// What it means, in words.
    pub fn explained(self) -> &'static str {
        match self {
            Doubt::Short => "too short to be sure without the answer",
            Doubt::Part => "only a part",
            Doubt::OtherFacts => "the same wording with other names or numbers",
        }
    }
}

/// The share of the words of a field that must be found, by the field.
const PASSAGE_SHARE: f64 = 0.6;
const QUESTION_SHARE: f64 = 0.7;
/// The same for questions of up to `SHORT` words.
const SHORT_SHARE: f64 = 0.75;
const SHORT: usize = 10;
/// The share of the names and numbers of a field that must be found.
const FACTS_SHARE: f64 = 0.5;
/// Words that must be found of a question, of a passage and of an answer that is alone. Words of formulas do not count.
const QUESTION_WORDS: usize = 10;
const PASSAGE_WORDS: usize = 13;
const ANSWER_WORDS: usize = 20;
/// The same of options, where the question is a formula or is missing.
const OPTION_WORDS: usize = 13;
/// Words between fields of an item that belong together, besides those of its options.
const NEAR: usize = 60;
/// Words between a question of `QUESTION_WORDS` words and its answer, for each letter of the answer: a longer answer is rarer.
/// A question of fewer words says less, so its answer must be as much nearer.
const REACH_PER_LETTER: usize = 12;
const REACH: usize = 200;
/// A smaller part of a field is not worth a report.
const PART_SHARE: f64 = 0.3;
const QUESTION_PART_SHARE: f64 = 0.5;
const PART_WORDS: usize = 8;

/// A place of a field of an item.
struct Found<'a> {
    item: u32,
    field: ItemField,
    unit: &'a Unit,
    number: u32,
    place: &'a Place,
}

impl Found<'_> {
    /// True if enough of the field is there.
    fn is_whole(&self) -> bool {
        self.has_share() && !self.has_other_facts()
    }

    fn has_share(&self) -> bool {
        let least = match self.field {
            ItemField::Passage => PASSAGE_SHARE,
            _ if self.unit.words.len() <= SHORT => SHORT_SHARE,
            _ => QUESTION_SHARE,
        };
        self.place.share >= least
    }

    /// True if it is the same wording with other facts. In a passage, some numbers and names may be others.
    fn has_other_facts(&self) -> bool {
        let other = self.field == ItemField::Question && self.place.other_number;
        other || self.place.facts < FACTS_SHARE
    }
}

/// The items in a text. The runs are in order of units, then of the text.
pub(super) fn judge(benchmarks: &Benchmarks, text: &Words<'_>, runs: &[(u32, Run)]) -> Vec<Contamination> {
    let mut all: Vec<(u32, Vec<Place>)> = Vec::new();
    for same in runs.chunk_by(|one, next| one.0 == next.0) {
        let unit = &benchmarks.units[same[0].0 as usize];
        let of_unit: Vec<Run> = same.iter().map(|(_, run)| *run).collect();
        if reach(unit, &of_unit) < PART_SHARE {
            continue;
        }
        let mut found = places(unit, text, &of_unit);
        found.retain(|place| place.share >= PART_SHARE);
        if !found.is_empty() {
            all.push((same[0].0, found));
        }
    }
    let mut found: Vec<Found<'_>> = Vec::new();
    for (number, places) in &all {
        let unit = &benchmarks.units[*number as usize];
        for place in places {
            let of_use = |&(item, field)| Found { item, field, unit, number: *number, place };
            found.extend(unit.uses.iter().map(of_use));
        }
    }
    found.sort_by_key(|found| (found.item, found.place.bounds(), found.field));
    let mut contaminations = Vec::new();
    for of_item in found.chunk_by(|one, next| one.item == next.item) {
        let parts = &benchmarks.items[of_item[0].item as usize];
        let options: usize = parts.options.iter().map(|unit| benchmarks.units[*unit as usize].words.len()).sum();
        let mut from = 0;
        let mut end = 0;
        for (at, found) in of_item.iter().enumerate() {
            let (start, next_end) = found.place.bounds();
            if at > from && start > end + NEAR + options {
                contaminations.extend(judge_group(benchmarks, parts, text, &of_item[from..at]));
                from = at;
            }
            end = if at == from { next_end } else { end.max(next_end) };
        }
        contaminations.extend(judge_group(benchmarks, parts, text, &of_item[from..]));
    }
    contaminations.sort_by_key(|found| (found.spans.first().copied(), found.item));
    contaminations
}

/// The largest share of a unit that its runs can cover, with what is filled in between them.
fn reach(unit: &Unit, runs: &[Run]) -> f64 {
    const MARGIN: usize = 6;
    let mut ranges: Vec<(usize, usize)> = runs
        .iter()
        .map(|run| (run.i.saturating_sub(MARGIN), (run.i + run.length + MARGIN).min(unit.words.len())))
        .collect();
    ranges.sort_unstable();
    let (mut covered, mut end) = (0, 0);
    for (from, to) in ranges {
        covered += to.saturating_sub(from.max(end));
        end = end.max(to);
    }
    covered as f64 / unit.words.len().max(1) as f64
}

/// Decides about places of an item that are near each other.
fn judge_group(benchmarks: &Benchmarks, parts: &Parts, text: &Words<'_>, group: &[Found<'_>]) -> Option<Contamination> {
    // A question that repeats words of its passage is not asked there.
    let passages = || group.iter().filter(|found| found.field == ItemField::Passage).map(|found| found.place.bounds());
    let is_quoted = |found: &Found<'_>| {
        let (start, end) = found.place.bounds();
        found.field == ItemField::Question
            && passages().any(|(from, to)| {
                to - from > end - start && 2 * end.min(to).saturating_sub(start.max(from)) >= end - start
            })
    };
    let best = |field: ItemField| {
        let of_field = group.iter().filter(|found| found.field == field && !is_quoted(found));
        of_field.max_by(|a, b| a.place.share.total_cmp(&b.place.share).then(b.place.bounds().cmp(&a.place.bounds())))
    };
    let (passage, question, answer) = (best(ItemField::Passage), best(ItemField::Question), best(ItemField::Answer));
    let whole = |found: Option<&Found<'_>>, words: usize| {
        found.is_some_and(|found| found.is_whole() && found.place.evidence >= words)
    };
    // What surrounds the places: options and answers that are too short to be found by themselves.
    let (start, end) =
        question.or_else(|| best(ItemField::Options)).or(passage).map_or((0, 0), |found| found.place.bounds());
    let unit = |number: &u32| &benchmarks.units[*number as usize];
    let widths: usize = parts.options.iter().map(|option| unit(option).words.len()).sum();
    // The words of the question itself do not answer it.
    let beside = |unit: &Unit, reach: usize| {
        let reach = reach + unit.words.len();
        let sides = [(start.saturating_sub(reach), start), (end, end + reach)];
        let whole = [(start.saturating_sub(reach), end + reach), (0, 0)];
        let windows = if question.is_some() { sides } else { whole };
        let found = windows.map(|window| nearby(unit, text, window, (start, end)));
        found.into_iter().flatten().max_by_key(Vec::len)
    };
    let mut near: Vec<(ItemField, u32, Vec<Run>)> = Vec::new();
    for option in &parts.options {
        let place = beside(unit(option), NEAR + widths);
        near.extend(place.map(|runs| (ItemField::Options, *option, runs)));
    }
    near.dedup_by_key(|(_, unit, _)| *unit);
    let options_found = near.len();
    let says = question.map_or(0, |found| found.place.evidence.min(QUESTION_WORDS));
    for answer in &parts.answers {
        let unit = unit(answer);
        if is_common(unit) {
            continue;
        }
        let place = if question.is_some() { beside(unit, answer_reach(unit, says)) } else { None };
        near.extend(place.map(|runs| (ItemField::Answer, *answer, runs)));
    }
    let has_answer = near.iter().any(|(field, ..)| *field == ItemField::Answer);
    let has_options = options_found >= 2 && 2 * options_found >= parts.options.len();
    let confirmed = has_answer || has_options;
    let has_other_name = |found: Option<&Found<'_>>| found.is_some_and(|found| found.place.other_name);
    let is_short = question.is_some_and(|found| found.unit.words.len() <= SHORT);
    let by_question = match has_other_name(question) {
        false => whole(question, QUESTION_WORDS) || whole(question, 1) && confirmed,
        true => whole(question, 1) && confirmed && !is_short,
    };
    let by_passage = whole(passage, PASSAGE_WORDS) || whole(passage, 1) && by_question;
    let by_answer = whole(answer, ANSWER_WORDS);
    let option_words: usize = near
        .iter()
        .filter(|(field, ..)| *field == ItemField::Options)
        .map(|(_, unit, runs)| says_of(benchmarks, *unit, runs))
        .sum();
    let by_options = options_found >= 3 && 4 * options_found >= 3 * parts.options.len() && option_words >= OPTION_WORDS;
    let fields: Vec<ItemField> = [
        (by_passage, ItemField::Passage),
        (by_question || by_options && whole(question, 1), ItemField::Question),
        (by_options || by_question && has_options, ItemField::Options),
        (by_answer || by_question && has_answer, ItemField::Answer),
    ]
    .into_iter()
    .filter_map(|(found, field)| found.then_some(field))
    .collect();
    let is_sure = by_passage || by_question || by_options || by_answer;
    let doubt = if is_sure { None } else { Some(doubt([passage, question, answer])?) };
    let fields = match doubt {
        None => fields,
        Some(_) => {
            group.iter().map(|found| found.field).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
        }
    };
    let mut runs: Vec<Run> = Vec::new();
    for found in group.iter().filter(|found| fields.contains(&found.field) && (doubt.is_some() || !is_quoted(found))) {
        if doubt.is_some() || found.is_whole() {
            runs.extend(&found.place.runs);
        }
    }
    near.retain(|(field, ..)| doubt.is_none() && fields.contains(field));
    let others: Vec<Run> = near.iter().flat_map(|(_, _, runs)| runs).copied().collect();
    Some(Contamination {
        item: group[0].item as usize,
        share: share(benchmarks, parts, group, &near, &fields),
        fields,
        doubt,
        spans: ranges::spans(text, &runs, &others),
    })
}

/// How many words that identify a unit some runs cover.
fn says_of(benchmarks: &Benchmarks, unit: u32, runs: &[Run]) -> usize {
    let weights = &benchmarks.units[unit as usize].weights;
    let halves: usize = runs.iter().flat_map(|run| run.i..run.i + run.length).map(|at| usize::from(weights[at])).sum();
    halves / 2
}

/// How far from a question that says so much an answer can be. One without a name, a number or a long word is found next to any
/// text, so it must follow the question.
fn answer_reach(unit: &Unit, says: usize) -> usize {
    const FOLLOWS: usize = 4;
    let is_rare = |word: &crate::text::Word| {
        let word_text = &unit.text[word.range()];
        let letters = word_text.chars().count();
        letters >= 6
            || letters >= 4 && word.marked()
            || letters >= 2 && word_text.contains(|c: char| c.is_ascii_digit())
    };
    let reach = (unit.characters() * REACH_PER_LETTER).min(REACH);
    if unit.words.iter().any(is_rare) { reach * says / QUESTION_WORDS } else { FOLLOWS }
}

/// True for an answer that is found next to any question: it confirms nothing.
fn is_common(unit: &Unit) -> bool {
    let text = unit.text.trim().to_lowercase();
    unit.characters() < 2 || ["yes", "no", "true", "false", "none"].contains(&&*text)
}

/// Why places are not sure; `None` if they are not worth a report.
fn doubt(found: [Option<&Found<'_>>; 3]) -> Option<Doubt> {
    let mut doubts = found.into_iter().flatten().filter_map(|found| {
        let Found { place, field, .. } = found;
        let is_question = *field == ItemField::Question;
        if found.has_share() && (is_question || place.evidence >= PART_WORDS) {
            let other = found.has_other_facts() || is_question && place.other_name;
            return Some(if other { Doubt::OtherFacts } else { Doubt::Short });
        }
        let least = if is_question { QUESTION_PART_SHARE } else { PART_SHARE };
        (place.share >= least && place.evidence >= PART_WORDS).then_some(Doubt::Part)
    });
    doubts.next()
}

/// The share of the words of an item that were found. An answer that is an option counts once.
fn share(
    benchmarks: &Benchmarks,
    parts: &Parts,
    group: &[Found<'_>],
    near: &[(ItemField, u32, Vec<Run>)],
    fields: &[ItemField],
) -> f64 {
    let mut units: Vec<u32> = parts.passage.iter().chain(&parts.question).chain(&parts.options).copied().collect();
    // Any of the answers is right: the one that was found counts, or the first.
    let answer = near.iter().find(|(field, ..)| *field == ItemField::Answer).map(|(_, unit, _)| *unit);
    let of_group = || group.iter().find(|found| found.field == ItemField::Answer).map(|found| found.number);
    units.extend(answer.or_else(of_group).or(parts.answers.first().copied()));
    units.sort_unstable();
    units.dedup();
    let count = |runs: &[Run]| runs.iter().map(|run| run.length).sum::<usize>();
    let found_of = |unit: u32| {
        let places = group.iter().filter(|found| found.number == unit && fields.contains(&found.field));
        let near = near.iter().filter(|(_, number, _)| *number == unit).map(|(_, _, runs)| count(runs));
        places.map(|found| count(&found.place.runs)).chain(near).max().unwrap_or_default()
    };
    let all: usize = units.iter().map(|unit| benchmarks.units[*unit as usize].words.len()).sum();
    let found: usize = units.iter().map(|unit| found_of(*unit)).sum();
    found as f64 / all.max(1) as f64
}
