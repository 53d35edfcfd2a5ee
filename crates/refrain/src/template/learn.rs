//! Evidence and its result: a sample of pages, and a template for each group of pages that share one.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::backbone::Backbone;
use super::fit::{Fit, LearnedTemplate};
use super::label::Labels;
use super::parameters::Parameters;
use super::records::Wrapper;
use super::separate::{CoreIndex, core, separate, sketch};
use super::tokens::{GOLDEN, Token, tokens};
use crate::document::Position;
use crate::error::Result;
use crate::kernel::{Bytes, Fields, Kernel, put, put_position};

/// The minimum number of pages to learn a template from.
pub(crate) const LEAST_PAGES: usize = 3;
/// Longer pages are used only if there are no others.
const LONG_PAGE: usize = 4 << 20;
/// One byte in this many of the memory is left free.
const SLACK: usize = 16;
/// With fewer stretches outside the template, pages are not compared.
const TOO_LITTLE: usize = 4;

/// Learns the templates of sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteTemplates {
    /// Bytes of pages that may be held in memory.
    pub memory: usize,
}

impl Default for SiteTemplates {
    fn default() -> SiteTemplates {
        SiteTemplates { memory: PageSample::MEMORY }
    }
}

impl Kernel for SiteTemplates {
    type Item<'a> = TemplatePage<'a>;
    type Partial = PageSample;
    type Finding = Templates;
    type Verdict = TemplateMatch;

    fn partial(&self) -> PageSample {
        PageSample::new(self.memory)
    }

    fn observe(&self, page: TemplatePage<'_>, sample: &mut PageSample) -> Result<()> {
        sample.observe(page);
        Ok(())
    }

    fn merge(&self, sample: &mut PageSample, other: PageSample) -> Result<()> {
        sample.merge(other);
        Ok(())
    }

    fn conclude(&self, sample: PageSample) -> Result<Templates> {
        Ok(sample.conclude())
    }

    fn mark(&self, page: TemplatePage<'_>, templates: &Templates) -> Result<TemplateMatch> {
        Ok(templates.find(page.key, page.text))
    }
}

/// A page of a collection.
#[derive(Debug, Clone, Copy)]
pub struct TemplatePage<'a> {
    /// Where it is in the collection.
    pub position: Position,
    /// Its group, such as a host: pages with different keys never share a template.
    pub key: &'a str,
    /// Its text, with markup.
    pub text: &'a str,
}

/// A sample of pages that fits in memory.
///
/// Each page has a rank by its position, and each key keeps its first pages by rank. If not all pages fit, every key
/// gets the same maximum number of bytes, so that all keys fit together. A small site next to a large one thus keeps
/// its pages, and the selection depends only on the collection, not on how it is split or ordered.
#[derive(Debug, Clone)]
pub struct PageSample {
    /// Bytes that may be held.
    memory: usize,
    held: usize,
    keys: BTreeMap<String, Pages>,
    observed: u64,
    parameters: Parameters,
}

/// The pages of one key.
#[derive(Debug, Clone, Default)]
struct Pages {
    by_rank: BTreeMap<Rank, String>,
    /// Bytes of these pages.
    held: usize,
    /// Bytes of all pages that were observed.
    observed: usize,
    /// The lowest rank that did not fit: later pages are rejected.
    full: Option<Rank>,
}

impl Pages {
    fn add(&mut self, rank: Rank, text: String) {
        if self.full.is_none_or(|full| rank < full) {
            self.held += text.len();
            self.by_rank.insert(rank, text);
        }
    }

    /// Rejects pages from this rank on.
    fn fill(&mut self, rank: Rank) {
        self.full = Some(self.full.map_or(rank, |full| full.min(rank)));
        self.held -= self.by_rank.split_off(&rank).values().map(String::len).sum::<usize>();
    }

    /// The pages that fit into `share` bytes.
    fn within(&self, share: usize) -> impl Iterator<Item = (&Rank, &String)> {
        let mut bytes = 0;
        self.by_rank.iter().take_while(move |(_, text)| {
            bytes += text.len();
            bytes <= share
        })
    }
}

/// A page's place in the queue: long pages come last.
type Rank = (bool, u64, Position);

impl PageSample {
    /// The default memory limit.
    pub const MEMORY: usize = 128 << 20;

    /// An empty sample that may hold `memory` bytes.
    pub fn new(memory: usize) -> PageSample {
        PageSample { memory, held: 0, keys: BTreeMap::new(), observed: 0, parameters: Parameters::default() }
    }

    /// The same with other parameters.
    #[must_use]
    pub fn with(self, parameters: Parameters) -> PageSample {
        PageSample { parameters, ..self }
    }

    /// Adds a page.
    pub fn observe(&mut self, TemplatePage { position, key, text }: TemplatePage<'_>) {
        self.observed += 1;
        if !self.keys.contains_key(key) {
            self.keys.insert(key.to_owned(), Pages::default());
        }
        let Some(pages) = self.keys.get_mut(key) else { return };
        let before = pages.held;
        pages.observed = pages.observed.saturating_add(text.len());
        pages.add(rank(position, text.len()), text.to_owned());
        self.held += pages.held - before;
        self.fit();
    }

    /// The number of pages seen.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    /// The number of pages to learn from.
    pub fn kept(&self) -> u64 {
        let share = self.share();
        self.keys.values().map(|pages| pages.within(share).count() as u64).sum()
    }

    /// Bytes that each key may hold. This only decreases as pages are added.
    fn share(&self) -> usize {
        let mut sizes: Vec<usize> = self.keys.values().map(|pages| pages.observed).collect();
        sizes.sort_unstable();
        // Some room is left, so that not every page shrinks all keys.
        let mut room = self.memory - self.memory / SLACK;
        for (number, size) in sizes.iter().enumerate() {
            let keys = sizes.len() - number;
            if size.saturating_mul(keys) > room {
                return room / keys;
            }
            room -= size;
        }
        usize::MAX
    }

    /// Drops pages that do not fit.
    fn fit(&mut self) {
        if self.held <= self.memory {
            return;
        }
        let share = self.share();
        for pages in self.keys.values_mut().filter(|pages| pages.held > share) {
            let fitting = pages.within(share).count();
            if let Some(rank) = pages.by_rank.keys().nth(fitting).copied() {
                let before = pages.held;
                pages.fill(rank);
                self.held -= before - pages.held;
            }
        }
    }

    /// Adds the pages of another sample.
    fn merge(&mut self, other: PageSample) {
        self.observed += other.observed;
        for (key, theirs) in other.keys {
            let pages = self.keys.entry(key).or_default();
            let before = pages.held;
            pages.observed = pages.observed.saturating_add(theirs.observed);
            for (rank, text) in theirs.by_rank {
                pages.add(rank, text);
            }
            if let Some(full) = theirs.full {
                pages.fill(full);
            }
            self.held = self.held + pages.held - before;
        }
        self.fit();
    }

    /// Learns the templates of the pages.
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
        let share = self.share();
        let learned = |(key, pages): (&String, &Pages)| {
            let mut pages: Vec<TemplatePage<'_>> =
                pages.within(share).map(|(rank, text)| TemplatePage { position: rank.2, key, text }).collect();
            // Groups depend on the order of pages; use the order of the collection, which people can see.
            pages.sort_unstable_by_key(|page| page.position);
            learn_key(key, &pages, wrappers, &self.parameters)
        };
        let keys: Vec<(&String, &Pages)> = self.keys.iter().collect();
        let parts: Vec<Vec<LearnedTemplate>> = keys.into_par_iter().map(learned).collect();
        Templates::new(self.observed, parts.into_iter().flatten().collect(), self.parameters)
    }
}

impl Default for PageSample {
    fn default() -> PageSample {
        PageSample::new(PageSample::MEMORY)
    }
}

impl Bytes for PageSample {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = self.observed.to_le_bytes().to_vec();
        for (key, pages) in &self.keys {
            put(&mut out, key.as_bytes());
            out.extend((pages.observed as u64).to_le_bytes());
            out.extend((pages.by_rank.len() as u64).to_le_bytes());
            for (rank, text) in &pages.by_rank {
                put_position(&mut out, rank.2);
                put(&mut out, text.as_bytes());
            }
            let (long, mixed, position) = pages.full.unwrap_or_default();
            for number in [u64::from(pages.full.is_some()), u64::from(long), mixed] {
                out.extend(number.to_le_bytes());
            }
            put_position(&mut out, position);
        }
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<PageSample> {
        let mut fields = Fields(bytes);
        let mut sample = PageSample { observed: fields.number()?, ..PageSample::default() };
        while !fields.is_empty() {
            let key = fields.text()?.to_owned();
            let mut pages = Pages { observed: fields.size()?, ..Pages::default() };
            for _ in 0..fields.number()? {
                let (position, text) = (fields.position()?, fields.text()?);
                pages.add(rank(position, text.len()), text.to_owned());
            }
            let [is_full, long, mixed] = [fields.number()?, fields.number()?, fields.number()?];
            let full = (long != 0, mixed, fields.position()?);
            pages.full = (is_full != 0).then_some(full);
            sample.held += pages.held;
            sample.keys.insert(key, pages);
        }
        Ok(sample)
    }
}

impl Bytes for Templates {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        Templates::to_bytes(self)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Templates> {
        Templates::from_bytes(bytes)
    }
}

fn rank(position: Position, length: usize) -> Rank {
    let mixed = (position.record ^ (u64::from(position.input) << 40)).wrapping_mul(GOLDEN);
    (length > LONG_PAGE, (mixed ^ (mixed >> 29)).wrapping_mul(GOLDEN), position)
}

/// The templates of pages that have one key.
fn learn_key(key: &str, pages: &[TemplatePage<'_>], wrappers: bool, parameters: &Parameters) -> Vec<LearnedTemplate> {
    let short: Vec<TemplatePage<'_>> = pages.iter().copied().filter(|page| page.text.len() <= LONG_PAGE).collect();
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

/// Pages that are not near-duplicates of an earlier one.
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

/// The template of pages; `None` if there are too few.
fn learn(
    key: &str,
    texts: &[&str],
    core: Vec<u64>,
    wrappers: bool,
    parameters: &Parameters,
) -> Option<LearnedTemplate> {
    if texts.len() < LEAST_PAGES {
        return None;
    }
    let tokenised: Vec<Vec<Token>> = texts.par_iter().map(|text| tokens(text)).collect();
    let pages: Vec<&[Token]> = tokenised.iter().map(Vec::as_slice).collect();
    let backbone = Backbone::of(texts, &pages, parameters.common);
    let labels = Labels::of(&backbone, parameters);
    let mut template = LearnedTemplate::new(key.to_owned(), texts.len(), core, backbone, labels, *parameters);
    let fitting = texts.par_iter().zip(&pages).filter(|(text, page)| template.fit(text, page).fits).count();
    template.fitted = fitting as f32 / texts.len() as f32;
    if wrappers {
        template.wrapper = Wrapper::learn(&template, texts);
    }
    Some(template)
}

/// The templates of a collection, used to mark its pages and new ones.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    pub(super) observed: u64,
    pub(super) all: Vec<LearnedTemplate>,
    /// For each key, the numbers of its templates, and an index to find the right one.
    index: BTreeMap<String, (Vec<usize>, CoreIndex)>,
    parameters: Parameters,
}

/// How a page relates to the templates.
#[derive(Debug, Clone, PartialEq)]
pub enum TemplateMatch {
    /// It has the template of this number.
    Page(usize, Fit),
    /// No template matches; the nearest one shares this much of its core with the page.
    Unknown {
        /// From 0 to 1.
        nearest: f64,
    },
}

impl Templates {
    pub(super) fn new(observed: u64, templates: Vec<LearnedTemplate>, parameters: Parameters) -> Templates {
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
    pub fn all(&self) -> &[LearnedTemplate] {
        &self.all
    }

    /// How many pages were observed to learn them.
    pub fn observed(&self) -> u64 {
        self.observed
    }

    /// Finds the template of a page, and its content.
    pub fn find(&self, key: &str, text: &str) -> TemplateMatch {
        let Some((numbers, index)) = self.index.get(key) else { return TemplateMatch::Unknown { nearest: 0.0 } };
        let page = tokens(text);
        match index.best(&sketch(&page)) {
            Some((best, share)) if share >= self.parameters.core_share => {
                let number = numbers[best];
                TemplateMatch::Page(number, self.all[number].fit(text, &page))
            }
            best => TemplateMatch::Unknown { nearest: best.map_or(0.0, |(_, share)| share) },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The kept pages depend neither on their order nor on the split, whatever the memory limit.
        #[test]
        fn a_sample_does_not_depend_on_how_pages_come(
            sizes in prop::collection::vec((1_usize..60, 0_usize..4), 1..40),
            memory in 0_usize..1500,
            pieces in prop::collection::vec(0_usize..4, 40),
            seed in any::<u64>(),
        ) {
            let pages: Vec<(Position, String, String)> = (0..).zip(&sizes).map(|(record, (size, key))| {
                (Position { input: 0, record }, key.to_string(), "x ".repeat(*size))
            }).collect();
            let kept = |sample: &PageSample| -> Vec<(String, Position)> {
                let share = sample.share();
                let of = |(key, pages): (&String, &Pages)| {
                    pages.within(share).map(|(rank, _)| (key.clone(), rank.2)).collect::<Vec<_>>()
                };
                sample.keys.iter().flat_map(of).collect()
            };
            let mut whole = PageSample::new(memory);
            for (position, key, text) in &pages {
                whole.observe(TemplatePage { position: *position, key, text });
                prop_assert!(whole.held <= memory);
            }
            let mut shuffled: Vec<_> = pages.iter().zip(&pieces).collect();
            shuffled.sort_by_key(|((position, ..), _)| (position.record ^ seed).wrapping_mul(GOLDEN));
            let mut parts = vec![PageSample::new(memory); 4];
            for ((position, key, text), piece) in shuffled {
                parts[*piece].observe(TemplatePage { position: *position, key, text });
            }
            let mut joined = PageSample::new(memory);
            for part in parts.into_iter().rev() {
                joined.merge(PageSample::from_bytes(&part.to_bytes()?)?);
            }
            prop_assert_eq!(kept(&joined), kept(&whole));
            prop_assert_eq!(joined.kept(), whole.kept());
        }
    }
}
