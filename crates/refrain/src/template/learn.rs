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

/// A sample of pages that fits in memory.
///
/// Each page has a rank by its position, and each key keeps the first of its pages in rank. Where not all fit, the keys that hold
/// most give way, so that a small site beside a large one keeps its pages.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Bytes that may be held.
    memory: usize,
    held: usize,
    keys: BTreeMap<String, Pages>,
    /// The bytes of each key, for the one that holds most.
    sizes: BTreeSet<(usize, String)>,
    observed: u64,
    kept: u64,
    parameters: Parameters,
}

/// The pages of one key.
#[derive(Debug, Clone, Default)]
struct Pages {
    by_rank: BTreeMap<Rank, String>,
    bytes: usize,
    /// The lowest rank that did not fit: from there on nothing is taken.
    full: Option<Rank>,
}

/// A page's place in the queue: long pages come last.
type Rank = (bool, u64, Position);

impl Sample {
    /// What is held when nobody says otherwise.
    pub const MEMORY: usize = 128 << 20;

    /// An empty sample that may hold so many bytes.
    pub fn new(memory: usize) -> Sample {
        Sample {
            memory,
            held: 0,
            keys: BTreeMap::new(),
            sizes: BTreeSet::new(),
            observed: 0,
            kept: 0,
            parameters: Parameters::default(),
        }
    }

    /// The same with other numbers of the method.
    #[must_use]
    pub fn with(self, parameters: Parameters) -> Sample {
        Sample { parameters, ..self }
    }

    /// Adds a page. Pages with different keys (hosts, say) never share a template.
    pub fn observe(&mut self, position: Position, key: &str, text: &str) {
        self.observed += 1;
        self.add(key, rank(position, text.len()), text);
        self.fit();
    }

    /// Pages that were seen.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    /// Pages that are learned from.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    fn add(&mut self, key: &str, rank: Rank, text: &str) {
        if !self.keys.contains_key(key) {
            self.keys.insert(key.to_owned(), Pages::default());
        }
        let Some(pages) = self.keys.get_mut(key).filter(|pages| pages.full.is_none_or(|full| rank < full)) else {
            return;
        };
        let before = pages.bytes;
        pages.bytes += text.len();
        self.held += text.len();
        self.kept += 1;
        pages.by_rank.insert(rank, text.to_owned());
        let after = pages.bytes;
        self.resize(key, before, after);
    }

    fn resize(&mut self, key: &str, before: usize, after: usize) {
        self.sizes.remove(&(before, key.to_owned()));
        self.sizes.insert((after, key.to_owned()));
    }

    /// Lets go of pages until the rest fits; one page stays.
    fn fit(&mut self) {
        while self.held > self.memory && self.kept > 1 {
            let Some((before, key)) = self.sizes.last().cloned() else { break };
            let Some(pages) = self.keys.get_mut(&key) else { break };
            let Some((rank, text)) = pages.by_rank.pop_last() else { break };
            self.kept -= 1;
            pages.full = Some(rank);
            pages.bytes -= text.len();
            self.held -= text.len();
            let after = pages.bytes;
            self.resize(&key, before, after);
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
        let learned = |(key, pages): (&String, &Pages)| {
            let mut pages: Vec<Page<'_>> =
                pages.by_rank.iter().map(|(rank, text)| Page { position: rank.2, text }).collect();
            // Groups depend on the order; that of the collection is the one that people can see.
            pages.sort_unstable_by_key(|page| page.position);
            learn_key(key, &pages, wrappers, &self.parameters)
        };
        let keys: Vec<(&String, &Pages)> = self.keys.iter().collect();
        let parts: Vec<Vec<Template>> = keys.into_par_iter().map(learned).collect();
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
        for (key, pages) in other.keys {
            for (rank, text) in pages.by_rank {
                self.add(&key, rank, &text);
            }
            if let (Some(full), Some(own)) = (pages.full, self.keys.get_mut(&key)) {
                own.full = Some(own.full.map_or(full, |own| own.min(full)));
                let before = own.bytes;
                let over = own.by_rank.split_off(&full);
                own.bytes -= over.values().map(String::len).sum::<usize>();
                self.kept -= over.len() as u64;
                self.held -= before - own.bytes;
                let after = own.bytes;
                self.resize(&key, before, after);
            }
        }
        self.fit();
        Ok(())
    }
}

/// A page that is learned from.
#[derive(Debug, Clone, Copy)]
struct Page<'a> {
    position: Position,
    text: &'a str,
}

fn rank(position: Position, length: usize) -> Rank {
    let mixed = (position.record ^ (u64::from(position.input) << 40)).wrapping_mul(GOLDEN);
    (length > LONG_PAGE, (mixed ^ (mixed >> 29)).wrapping_mul(GOLDEN), position)
}

/// The templates of pages that have one key.
fn learn_key(key: &str, pages: &[Page<'_>], wrappers: bool, parameters: &Parameters) -> Vec<Template> {
    let short: Vec<Page<'_>> = pages.iter().copied().filter(|page| page.text.len() <= LONG_PAGE).collect();
    let pages = if short.len() < LEAST_PAGES { pages.to_vec() } else { short };
    let sketches: Vec<Vec<u64>> = pages.par_iter().map(|page| sketch(&tokens(page.text))).collect();
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, group) in separate(&sketches, parameters).into_iter().enumerate() {
        groups.entry(group).or_default().push(number);
    }
    let learned = |mut members: Vec<usize>| {
        if members.len() > parameters.most_pages {
            members.sort_unstable_by_key(|number| rank(pages[*number].position, pages[*number].text.len()));
            members.truncate(parameters.most_pages);
            members.sort_unstable();
        }
        let core = core(members.iter().map(|number| &sketches[*number]));
        let texts: Vec<&str> =
            distinct(&members, &sketches, &core, parameters.near_duplicate).map(|number| pages[number].text).collect();
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
    /// For each key, the numbers of its templates, and what finds one of them.
    index: BTreeMap<String, (Vec<usize>, CoreIndex)>,
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
        let mut numbers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, template) in templates.iter().enumerate() {
            numbers.entry(template.key.clone()).or_default().push(number);
        }
        let index_of = |numbers: Vec<usize>| {
            let cores: Vec<&[u64]> = numbers.iter().map(|number| templates[*number].core.as_slice()).collect();
            let index = CoreIndex::new(&cores);
            (numbers, index)
        };
        let index = numbers.into_iter().map(|(key, numbers)| (key, index_of(numbers))).collect();
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
        let Some((numbers, index)) = self.index.get(key) else { return Found::Unknown { nearest: 0.0 } };
        let page = tokens(text);
        match index.best(&sketch(&page)) {
            Some((best, share)) if share >= self.parameters.core_share => {
                let number = numbers[best];
                Found::Page(number, self.all[number].fit(text, &page))
            }
            best => Found::Unknown { nearest: best.map_or(0.0, |(_, share)| share) },
        }
    }
}
