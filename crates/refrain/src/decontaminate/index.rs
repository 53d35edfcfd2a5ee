//! All items of all benchmarks, and where each run of four words occurs in them.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::alignment::Run;
use super::evidence::Contamination;
use super::fields::BenchmarkItem;
use super::{ItemField, evidence};
use crate::document::Span;
use crate::text::scripts::is_unspaced;
use crate::text::{Word, mix, words};

/// Words in a row that a text must share with an item. Fewer are common phrases; with more, a short question with one
/// changed word is lost.
pub(super) const GRAM: usize = 4;
/// Words in a row that occur more often than this in the benchmarks ("which of the following") are a formula of theirs and
/// identify no item.
pub(super) const FORMULA: usize = 32;

/// A text with its words.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word>,
}

impl<'a> Words<'a> {
    /// The words outside some ranges, which are in order.
    pub(super) fn outside(text: &'a str, hidden: &[Span]) -> Words<'a> {
        let (mut all, mut next) = (Vec::new(), 0);
        words(text, |word| {
            while hidden.get(next).is_some_and(|span| span.end <= word.range().start) {
                next += 1;
            }
            if hidden.get(next).is_none_or(|span| word.range().end <= span.start) {
                all.push(word);
            }
        });
        Words { text, words: all }
    }
}

/// A text of an item that is searched: a passage, a question, an option or an answer. Items can share it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) words: Vec<Word>,
    /// For each word, whether the four words from it on identify the unit.
    pub(super) identifies: Vec<bool>,
    /// How much each word says, in halves: nothing if it is only part of formulas, and a character of a script without
    /// spaces half as much as a word.
    pub(super) weights: Vec<u8>,
    /// The items that contain it, and as what.
    pub(super) uses: Vec<(u32, ItemField)>,
}

impl Unit {
    fn new(text: &str) -> Unit {
        let found = Words::outside(text, &[]).words;
        let count = found.len();
        Unit {
            text: text.to_owned(),
            words: found,
            identifies: vec![false; count],
            weights: vec![0; count],
            uses: Vec::new(),
        }
    }

    /// The letters and digits of its text.
    pub(super) fn characters(&self) -> usize {
        self.words.iter().map(|word| self.text[word.range()].chars().count()).sum()
    }
}

/// The units of an item.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) passage: Option<u32>,
    pub(super) question: Option<u32>,
    pub(super) options: Vec<u32>,
    pub(super) answers: Vec<u32>,
}

/// Items of benchmarks, ready to be searched for.
///
/// ```
/// use refrain::decontaminate::{BenchmarkItem, Benchmarks};
///
/// let question = "Which keeper lit the lamp of Skerrow Head on the night of the great storm?".to_owned();
/// let benchmarks = Benchmarks::new([BenchmarkItem { question, answers: vec!["Eva Carrow".into()], ..Default::default() }]);
/// let page = "Quiz!\n1. WHICH keeper lit the lamp of Skerrow Head\n   on the night of the great storm? Eva Carrow.";
/// let found = benchmarks.find(page, &[]);
/// assert_eq!((found[0].item, found[0].doubt, found[0].share), (0, None, 1.0));
/// ```
#[derive(Debug)]
pub struct Benchmarks {
    pub(super) units: Vec<Unit>,
    pub(super) items: Vec<Parts>,
    /// Where the places of a run of words begin in `places`, and how many there are.
    grams: HashMap<u64, (u32, u32), FixedState>,
    places: Vec<(u32, u32)>,
    /// A bit for each run of words: most runs of a text are in no item, and this costs less than a look into the table.
    filter: Vec<u64>,
}

/// Four words as one number.
pub(super) fn gram(words: &[Word]) -> u64 {
    words.iter().fold(0, |hash: u64, word| mix(hash.rotate_left(17) ^ word.hash))
}

impl Benchmarks {
    /// Prepares items. The number of an item in [`Contamination::item`] is its place here.
    pub fn new(items: impl IntoIterator<Item = BenchmarkItem>) -> Benchmarks {
        let mut units: Vec<Unit> = Vec::new();
        let mut known: HashMap<Vec<u64>, u32, FixedState> = HashMap::default();
        let mut add = |text: &str| {
            let unit = Unit::new(text);
            let key: Vec<u64> = unit.words.iter().map(|word| word.hash).collect();
            (!key.is_empty()).then(|| {
                *known.entry(key).or_insert_with(|| {
                    units.push(unit);
                    units.len() as u32 - 1
                })
            })
        };
        let items: Vec<Parts> = items
            .into_iter()
            .map(|item| Parts {
                passage: add(&item.passage),
                question: add(&item.question),
                options: item.options.iter().filter_map(|option| add(option)).collect(),
                answers: item.answers.iter().filter_map(|answer| add(answer)).collect(),
            })
            .collect();
        for (number, parts) in items.iter().enumerate() {
            let all = parts.passage.iter().map(|unit| (unit, ItemField::Passage));
            let all = all.chain(parts.question.iter().map(|unit| (unit, ItemField::Question)));
            let all = all.chain(parts.options.iter().map(|unit| (unit, ItemField::Options)));
            let all = all.chain(parts.answers.iter().map(|unit| (unit, ItemField::Answer)));
            for (unit, field) in all {
                let uses = &mut units[*unit as usize].uses;
                let own = uses.iter().rev().take_while(|(item, _)| *item == number as u32);
                if !own.map(|(_, field)| *field).any(|other| other == field) {
                    uses.push((number as u32, field));
                }
            }
        }
        Benchmarks::indexed(units, items)
    }

    fn indexed(mut units: Vec<Unit>, items: Vec<Parts>) -> Benchmarks {
        let mut all: Vec<(u64, u32, u32)> = Vec::new();
        for (number, unit) in units.iter().enumerate() {
            // A question that many items share is a formula as a whole; a passage has many questions.
            let shared = unit.uses.iter().filter(|(_, field)| *field != ItemField::Passage).count();
            if shared <= FORMULA {
                let grams = unit.words.windows(GRAM).enumerate();
                all.extend(grams.map(|(at, words)| (gram(words), number as u32, at as u32)));
            }
        }
        all.sort_unstable();
        let mut grams = HashMap::default();
        let mut places = Vec::new();
        let bits = (all.len().max(64) * 16).next_power_of_two();
        let mut filter = vec![0_u64; bits / 64];
        for same in all.chunk_by(|one, next| one.0 == next.0).filter(|same| same.len() <= FORMULA) {
            grams.insert(same[0].0, (places.len() as u32, same.len() as u32));
            let bit = same[0].0 as usize % bits;
            filter[bit / 64] |= 1 << (bit % 64);
            for &(_, unit, at) in same {
                places.push((unit, at));
                let unit = &mut units[unit as usize];
                unit.identifies[at as usize] = true;
                for word in at as usize..at as usize + GRAM {
                    let is_character = |c: char| is_unspaced(c);
                    let half = unit.text[unit.words[word].range()].starts_with(is_character);
                    unit.weights[word] = if half { 1 } else { 2 };
                }
            }
        }
        Benchmarks { units, items, grams, places, filter }
    }

    /// True for an item that can be found: one with words in a row that few others have.
    pub fn can_find(&self, item: usize) -> bool {
        let Some(parts) = self.items.get(item) else { return false };
        let Parts { passage, question, options, answers } = parts;
        let mut units = passage.iter().chain(question).chain(options).chain(answers);
        units.any(|unit| self.units[*unit as usize].identifies.contains(&true))
    }

    /// All items that a text contains, in the order in which they begin. Text in the hidden ranges, which are in order, does
    /// not count.
    pub fn find(&self, text: &str, hidden: &[Span]) -> Vec<Contamination> {
        let words = Words::outside(text, hidden);
        let runs = self.runs(&words);
        if runs.is_empty() {
            return Vec::new();
        }
        evidence::judge(self, &words, &runs)
    }

    /// The longest runs of words that a text shares with a unit, each with its unit; in order.
    fn runs(&self, text: &Words<'_>) -> Vec<(u32, Run)> {
        let words = &text.words;
        let mut runs = Vec::new();
        let mask = self.filter.len() * 64 - 1;
        for (at, four) in words.windows(GRAM).enumerate() {
            let hash = gram(four);
            let bit = hash as usize & mask;
            if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
                continue;
            }
            let Some(&(from, count)) = self.grams.get(&hash) else { continue };
            for &(number, place) in &self.places[from as usize..(from + count) as usize] {
                let (unit, place) = (&self.units[number as usize], place as usize);
                let same = |i: usize, j: usize| unit.words[i].hash == words[j].hash;
                // Inside a run that was found already.
                if place > 0 && at > 0 && unit.identifies[place - 1] && same(place - 1, at - 1) {
                    continue;
                }
                if !(0..GRAM).all(|n| same(place + n, at + n)) {
                    continue;
                }
                let before = (1..=place.min(at)).take_while(|n| same(place - n, at - n)).count();
                let (i, j) = (place - before, at - before);
                let most = (unit.words.len() - i).min(words.len() - j);
                let length = (before + GRAM..most).take_while(|n| same(i + n, j + n)).count() + before + GRAM;
                runs.push((number, Run { i, j, length }));
            }
        }
        runs.sort_unstable_by_key(|(unit, run)| (*unit, run.j, run.i));
        runs.dedup();
        runs
    }
}
