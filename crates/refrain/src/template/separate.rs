//! Separates pages of different sites, or of different kinds, by what they share.

use super::align::Table;
use super::parameters::Parameters;
use super::tokens::{GOLDEN, Kind, Token, gram};

/// Tokens of a stretch.
const LENGTH: usize = 8;
/// One stretch in 2 to the power of this is sampled.
const SAMPLING: u32 = 2;
/// Stretches that more groups than this share do not distinguish them, and are not counted.
const MANY_GROUPS: usize = 64;

/// A sample of the stretches of tokens of a page, sorted, each once.
pub(super) fn sketch(page: &[Token]) -> Vec<u64> {
    // Scripts are excluded: sites that have nothing else in common share them.
    let seen: Vec<u64> = page.iter().filter(|token| token.kind != Kind::Raw).map(|token| token.hash).collect();
    let grams = seen.windows(LENGTH).map(|window| gram(window.iter().copied()));
    let mut sketch: Vec<u64> = grams.filter(|gram| gram.wrapping_mul(GOLDEN) >> (64 - SAMPLING) == 0).collect();
    sketch.sort_unstable();
    sketch.dedup();
    sketch
}

/// Pages that share a template.
#[derive(Default)]
struct Group {
    pages: u32,
    counts: Table<u64, u32>,
    /// How many stretches most of its pages have, where that is known.
    size: Option<usize>,
}

impl Group {
    fn add(&mut self, sketch: &[u64]) {
        self.pages += 1;
        self.size = None;
        for gram in sketch {
            *self.counts.entry(*gram).or_default() += 1;
        }
    }

    fn is_core(&self, count: u32) -> bool {
        2 * count > self.pages
    }

    /// What most of its pages have.
    fn core(&self) -> Vec<u64> {
        let mut core: Vec<u64> =
            self.counts.iter().filter(|(_, count)| self.is_core(**count)).map(|(gram, _)| *gram).collect();
        core.sort_unstable();
        core
    }
}

/// The group of each page, by its number. Groups are numbered in the order of their first pages.
pub(super) fn separate(sketches: &[Vec<u64>], parameters: &Parameters) -> Vec<usize> {
    let mut counts: Table<u64, u32> = Table::default();
    for gram in sketches.iter().flatten() {
        *counts.entry(*gram).or_default() += 1;
    }
    // Stretches of a single page are useless.
    let shared: Vec<Vec<u64>> =
        sketches.iter().map(|sketch| sketch.iter().copied().filter(|gram| counts[gram] > 1).collect()).collect();
    let mut groups = Groups::default();
    for (sketch, whole) in shared.iter().zip(sketches) {
        groups.place(sketch, whole.len(), parameters);
    }
    let cores: Vec<Vec<u64>> = groups.groups.iter().map(Group::core).collect();
    let index = CoreIndex::new(&cores);
    // Now that the core of each group is known, assign every page to its best group.
    let mut numbers: Vec<Option<usize>> = vec![None; cores.len()];
    let mut next = 0;
    let mut place = |(sketch, whole): (&Vec<u64>, &Vec<u64>)| {
        let best = index.best(sketch).filter(|(group, share)| {
            #[allow(clippy::cast_sign_loss)] // a share of a count is not negative
            let count = (share * index.sizes[*group] as f64).round() as u32;
            is_enough(count, whole.len(), parameters)
        });
        let group = best.map_or(cores.len(), |(group, _)| group);
        let number = numbers.get(group).copied().flatten().unwrap_or_else(|| {
            next += 1;
            next - 1
        });
        if let Some(known) = numbers.get_mut(group) {
            *known = Some(number);
        }
        number
    };
    shared.iter().zip(sketches).map(&mut place).collect()
}

/// True when a page shares enough with others to have a template with them.
fn is_enough(shared: u32, of_page: usize, parameters: &Parameters) -> bool {
    shared >= parameters.many || f64::from(shared) >= parameters.of_page * of_page as f64
}

/// What most of these pages have, sorted.
pub(super) fn core<'a>(sketches: impl Iterator<Item = &'a Vec<u64>>) -> Vec<u64> {
    let mut group = Group::default();
    sketches.for_each(|sketch| group.add(sketch));
    group.core()
}

#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    /// The groups that a stretch was seen in.
    seen_in: Table<u64, Vec<u32>>,
}

impl Groups {
    /// How many stretches most pages of a group have, without those that many groups have.
    fn core_size(&mut self, number: u32) -> usize {
        let group = &self.groups[number as usize];
        let size = group.size.unwrap_or_else(|| {
            let own = |gram: &u64| self.seen_in.get(gram).is_none_or(|groups| groups.len() <= MANY_GROUPS);
            group.counts.iter().filter(|(gram, count)| group.is_core(**count) && own(gram)).count().max(1)
        });
        self.groups[number as usize].size = Some(size);
        size
    }

    /// Puts a page into the group it shares most with, or into a new one.
    fn place(&mut self, sketch: &[u64], of_page: usize, parameters: &Parameters) {
        let mut shared: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
        for gram in sketch {
            for group in self.seen_in.get(gram).filter(|groups| groups.len() <= MANY_GROUPS).into_iter().flatten() {
                let known = &self.groups[*group as usize];
                if known.counts.get(gram).is_some_and(|count| known.is_core(*count)) {
                    *shared.entry(*group).or_default() += 1;
                }
            }
        }
        let sizes: std::collections::BTreeMap<u32, usize> =
            shared.keys().map(|group| (*group, self.core_size(*group))).collect();
        let fits = shared.into_iter().filter_map(|(group, count)| {
            let share = f64::from(count) / sizes[&group] as f64;
            (share >= parameters.join && is_enough(count, of_page, parameters)).then_some((group, share))
        });
        // Of equal ones, the first.
        let best = fits.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let group = best.map_or(self.groups.len(), |(group, _)| group as usize);
        if group == self.groups.len() {
            self.groups.push(Group::default());
        }
        if self.groups[group].pages < parameters.enough {
            for gram in sketch {
                let groups = self.seen_in.entry(*gram).or_default();
                if groups.len() <= MANY_GROUPS && !groups.contains(&(group as u32)) {
                    groups.push(group as u32);
                }
            }
            self.groups[group].add(sketch);
        }
    }
}

/// Finds the core that a page has most of.
#[derive(Debug, Clone, Default)]
pub(super) struct CoreIndex {
    owners: Table<u64, Vec<u32>>,
    sizes: Vec<usize>,
}

impl CoreIndex {
    pub(super) fn new(cores: &[impl AsRef<[u64]>]) -> CoreIndex {
        let mut owners: Table<u64, Vec<u32>> = Table::default();
        for (number, core) in cores.iter().enumerate() {
            for gram in core.as_ref() {
                owners.entry(*gram).or_default().push(number as u32);
            }
        }
        owners.retain(|_, owners| owners.len() <= MANY_GROUPS);
        let mut sizes = vec![0; cores.len()];
        for owner in owners.values().flatten() {
            sizes[*owner as usize] += 1;
        }
        CoreIndex { owners, sizes }
    }

    /// The number of the core that the page has the largest share of, the first of these, and the share.
    pub(super) fn best(&self, sketch: &[u64]) -> Option<(usize, f64)> {
        let mut found: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
        for owner in sketch.iter().filter_map(|gram| self.owners.get(gram)).flatten() {
            *found.entry(*owner).or_default() += 1;
        }
        let share = |(owner, count): (u32, u32)| {
            let size = self.sizes.get(owner as usize).copied().unwrap_or_default().max(1);
            (owner as usize, f64::from(count) / size as f64)
        };
        found.into_iter().map(share).reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn page(site: &str, number: usize) -> String {
        let chrome = (0..60).map(|n| format!("<li class=\"{site}-{n}\">{site} item {n} {site}</li>"));
        let body = (0..200).map(|n| format!("w{number}x{n} "));
        format!("{}<p>{}</p>", chrome.collect::<Vec<_>>().concat(), body.collect::<Vec<_>>().concat())
    }

    #[test]
    fn sites_are_distinguished_also_small_ones() {
        let pages: Vec<String> =
            (0..24).map(|number| page(if number % 8 == 3 { "small" } else { "large" }, number)).collect();
        let sketches: Vec<Vec<u64>> = pages.iter().map(|page| sketch(&tokens(page))).collect();
        let groups = separate(&sketches, &Parameters::default());
        for (number, group) in groups.iter().enumerate() {
            assert_eq!(*group, usize::from(number % 8 == 3), "page {number}");
        }
    }

    #[test]
    fn pages_that_share_nothing_are_alone() {
        let pages: Vec<String> = (0..20).map(|number| page(&format!("site{number}"), number)).collect();
        let sketches: Vec<Vec<u64>> = pages.iter().map(|page| sketch(&tokens(page))).collect();
        let mut groups = separate(&sketches, &Parameters::default());
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(groups.len(), 20);
    }
}
