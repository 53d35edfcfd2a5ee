//! Evidence: a sample of pages; and what it teaches, a template for each group of pages that share one.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::backbone::Backbone;
use super::fit::{Fit, Template};
use super::label::Labels;
use super::parameters::Parameters;
use super::records::Wrapper;
use super::separate::{CoreIndex, core, separate, sketch};
use super::tokens::{GOLDEN, Token, tokens};
use crate::document::Position;
use crate::error::Result;
use crate::pass::Evidence;

/// The least number of pages that a template is learned from.
pub const LEAST_PAGES: usize = 3;
/// Longer pages teach nothing unless there are no others.
const LONG_PAGE: usize = 4 << 20;
/// With fewer stretches beside the template, pages are not compared.
const TOO_LITTLE: usize = 4;

/// A sample of pages that fits in memory. It depends on the pages alone, not on the order in which they come: each has a rank
/// by its position, and the first in rank are kept.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Bytes that may be held.
    memory: usize,
    held: usize,
    /// Pages by rank.
    pages: BTreeMap<(u64, Position), Page>,
    /// The lowest rank that did not fit: from there on nothing is taken.
    full: Option<(u64, Position)>,
    observed: u64,
    parameters: Parameters,
}

#[derive(Debug, Clone)]
struct Page {
    key: String,
    text: String,
}

impl Sample {
    /// What is held when nobody says otherwise.
    pub const MEMORY: usize = 128 << 20;

    /// An empty sample that may hold so many bytes.
    pub fn new(memory: usize) -> Sample {
        Sample { memory, held: 0, pages: BTreeMap::new(), full: None, observed: 0, parameters: Parameters::default() }
    }

    /// The same with other numbers of the method.
    #[must_use]
    pub fn with(self, parameters: Parameters) -> Sample {
        Sample { parameters, ..self }
    }

    /// Adds a page. Pages with different keys (hosts, say) never share a template.
    pub fn observe(&mut self, position: Position, key: &str, text: &str) {
        self.observed += 1;
        let rank = rank(position);
        if self.full.is_none_or(|full| rank < full) {
            self.held += text.len();
            self.pages.insert(rank, Page { key: key.to_owned(), text: text.to_owned() });
            self.fit();
        }
    }

    /// Pages that were seen.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    fn fit(&mut self) {
        while self.held > self.memory && self.pages.len() > 1 {
            if let Some((rank, page)) = self.pages.pop_last() {
                self.held -= page.text.len();
                self.full = Some(rank);
            }
        }
    }

    /// What the pages teach.
    pub fn conclude(&self) -> Templates {
        self.learn(false)
    }

    /// The same, with a wrapper for each template, in the same order.
    pub fn conclude_with_wrappers(&self) -> (Templates, Vec<Wrapper>) {
        let mut templates = self.learn(true);
        let wrappers = templates.all.iter_mut().map(|template| std::mem::take(&mut template.wrapper)).collect();
        (templates, wrappers)
    }

    fn learn(&self, wrappers: bool) -> Templates {
        let mut keys: BTreeMap<&str, Vec<(&Position, &Page)>> = BTreeMap::new();
        for ((_, position), page) in &self.pages {
            keys.entry(&page.key).or_default().push((position, page));
        }
        let learned = |(key, mut pages): (&str, Vec<(&Position, &Page)>)| {
            // Groups depend on the order; that of the collection is the one that people can see.
            pages.sort_unstable_by_key(|(position, _)| **position);
            learn_key(key, &pages, wrappers, &self.parameters)
        };
        let parts: Vec<Vec<Template>> = keys.into_iter().collect::<Vec<_>>().into_par_iter().map(learned).collect();
        Templates::new(self.observed, parts.into_iter().flatten().collect(), self.parameters)
    }
}

impl Default for Sample {
    fn default() -> Sample {
        Sample::new(Sample::MEMORY)
    }
}

impl Evidence for Sample {
    fn merge(&mut self, other: Sample) -> Result<()> {
        self.observed += other.observed;
        self.full = match (self.full, other.full) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.pages.extend(other.pages);
        if let Some(full) = self.full {
            self.pages.split_off(&full);
        }
        self.held = self.pages.values().map(|page| page.text.len()).sum();
        self.fit();
        Ok(())
    }
}

/// A page's place in the queue.
fn rank(position: Position) -> (u64, Position) {
    let mixed = (position.record ^ (u64::from(position.input) << 40)).wrapping_mul(GOLDEN);
    ((mixed ^ (mixed >> 29)).wrapping_mul(GOLDEN), position)
}

/// The templates of pages that have one key.
fn learn_key(key: &str, pages: &[(&Position, &Page)], wrappers: bool, parameters: &Parameters) -> Vec<Template> {
    let short: Vec<&(&Position, &Page)> = pages.iter().filter(|(_, page)| page.text.len() <= LONG_PAGE).collect();
    let pages: Vec<&(&Position, &Page)> = if short.len() < LEAST_PAGES { pages.iter().collect() } else { short };
    let sketches: Vec<Vec<u64>> = pages.par_iter().map(|(_, page)| sketch(&tokens(&page.text))).collect();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, group) in separate(&sketches, parameters).into_iter().enumerate() {
        groups.entry(group).or_default().push(number);
    }
    let learned = |mut members: Vec<usize>| {
        if members.len() > parameters.most_pages {
            members.sort_unstable_by_key(|number| rank(*pages[*number].0));
            members.truncate(parameters.most_pages);
            members.sort_unstable();
        }
        let core = core(members.iter().map(|number| &sketches[*number]));
        let texts: Vec<&str> = distinct(&members, &sketches, &core, parameters.near_duplicate)
            .map(|number| pages[number].1.text.as_str())
            .collect();
        learn(key, &texts, core, wrappers, parameters)
    };
    groups.into_values().collect::<Vec<_>>().into_par_iter().filter_map(learned).collect()
}

/// Pages of which no other one before them is a near-duplicate.
fn distinct<'a>(
    members: &'a [usize],
    sketches: &'a [Vec<u64>],
    core: &[u64],
    near_duplicate: f64,
) -> impl Iterator<Item = usize> + use<'a> {
    let own: Vec<BTreeSet<u64>> = members
        .iter()
        .map(|number| sketches[*number].iter().copied().filter(|gram| core.binary_search(gram).is_err()).collect())
        .collect();
    let alike = |a: usize, b: usize| {
        if own[a].len().min(own[b].len()) < TOO_LITTLE {
            return sketches[members[a]] == sketches[members[b]];
        }
        let common = own[a].intersection(&own[b]).count();
        common as f64 >= near_duplicate * (own[a].len() + own[b].len() - common) as f64
    };
    let kept: Vec<usize> = (0..members.len()).filter(|b| !(0..*b).any(|a| alike(a, *b))).collect();
    kept.into_iter().map(|index| members[index])
}

/// The template of pages; none when there are too few.
fn learn(key: &str, texts: &[&str], core: Vec<u64>, wrappers: bool, parameters: &Parameters) -> Option<Template> {
    if texts.len() < LEAST_PAGES {
        return None;
    }
    let tokenised: Vec<Vec<Token>> = texts.par_iter().map(|text| tokens(text)).collect();
    let pages: Vec<&[Token]> = tokenised.iter().map(Vec::as_slice).collect();
    let backbone = Backbone::of(texts, &pages, parameters.common);
    let labels = Labels::of(&backbone, parameters);
    let mut template = Template::new(key.to_owned(), texts.len(), core, backbone, labels, *parameters);
    let fitting = texts.par_iter().zip(&pages).filter(|(text, page)| template.fit(text, page).fits).count();
    template.fitted = fitting as f32 / texts.len() as f32;
    if wrappers {
        template.wrapper = Wrapper::learn(&template, texts);
    }
    Some(template)
}

/// The templates of a collection, by which its pages and new ones are marked.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    pub(super) observed: u64,
    pub(super) all: Vec<Template>,
    index: CoreIndex,
    parameters: Parameters,
}

/// What a page is, seen by the templates.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// It has the template of this number.
    Page(usize, Fit),
    /// No template is its own; the best one is this far off: the share of the template's core that it has.
    Unknown {
        /// From 0 to 1.
        nearest: f64,
    },
}

impl Templates {
    pub(super) fn new(observed: u64, templates: Vec<Template>, parameters: Parameters) -> Templates {
        let cores: Vec<&[u64]> = templates.iter().map(|template| template.core.as_slice()).collect();
        let index = CoreIndex::new(&cores);
        Templates { observed, all: templates, index, parameters }
    }

    /// The templates, in order.
    pub fn all(&self) -> &[Template] {
        &self.all
    }

    /// How many pages were looked at to learn them.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    /// Finds the template of a page, and its content.
    pub fn find(&self, key: &str, text: &str) -> Found {
        let page = tokens(text);
        let candidates = self.index.all(&sketch(&page));
        let own = candidates.into_iter().filter(|(number, _)| self.all[*number].key == key);
        match own.reduce(|best, next| if next.1 > best.1 { next } else { best }) {
            Some((number, share)) if share >= self.parameters.core_share => {
                Found::Page(number, self.all[number].fit(text, &page))
            }
            best => Found::Unknown { nearest: best.map_or(0.0, |(_, share)| share) },
        }
    }
}
