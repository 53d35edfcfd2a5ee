//! Repeated n-grams by language and host, and of several batches together.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GROUPS, OTHERS, ROWS, UNKNOWN_LANGUAGE, shortened, thousands};
use crate::disk::atomic::write_atomically;
use crate::document::Document;
use crate::error::{Error, IoContext, Result};
use crate::text::legible;

/// Words of the n-grams whose repetition is counted.
pub(crate) const NGRAM: usize = 10;

/// N-grams of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NgramAmount {
    /// All n-grams.
    pub ngrams: u64,
    /// Different n-grams.
    pub distinct: u64,
    /// Different n-grams that occur at least twice.
    pub duplicate: u64,
}

/// N-grams before and after near-duplicates were removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NgramStages {
    /// Main content without exact duplicates.
    pub after_exact_duplicates: NgramAmount,
    /// Main content without all duplicates.
    pub after_near_duplicates: NgramAmount,
}

/// N-grams of the words of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TextNgrams {
    /// Words in an n-gram.
    pub n: usize,
    /// All documents. They are counted in each batch, and estimated for several batches together.
    #[serde(flatten)]
    pub total: NgramStages,
    /// One different n-gram in so many was counted for languages, hosts, and several batches together. With 1, all figures are exact.
    #[serde(default = "one")]
    pub one_in: u64,
    /// N-grams that are repeated inside a language.
    #[serde(default)]
    pub languages: BTreeMap<String, NgramStages>,
    /// N-grams that are repeated inside a host.
    #[serde(default)]
    pub hosts: BTreeMap<String, NgramStages>,
}

fn one() -> u64 {
    1
}

impl TextNgrams {
    /// The languages and hosts with the most repetition, as a table for people.
    pub(crate) fn table(&self) -> String {
        let mut table = String::new();
        for (what, groups, most) in [("language", &self.languages, usize::MAX), ("host", &self.hosts, ROWS + 1)] {
            let mut rows: Vec<_> = groups.iter().collect();
            rows.retain(|(_, stages)| stages.after_exact_duplicates.duplicate > 0);
            rows.sort_by_key(|(name, stages)| {
                (std::cmp::Reverse(stages.after_exact_duplicates.duplicate), (*name).clone())
            });
            if rows.is_empty() {
                continue;
            }
            let (before, after) = ("before near-duplicates", "in the corpus");
            let _ = writeln!(table, "\nduplicate 10-grams by {what:<16}{before:>29}{after:>24}{:>10}", "kept");
            let (shown, more) = shortened(&rows, most);
            for (name, stages) in shown {
                let [before, after] = [stages.after_exact_duplicates.duplicate, stages.after_near_duplicates.duplicate];
                let name = if *name == UNKNOWN_LANGUAGE { "unknown".into() } else { legible(name) };
                let name: String = name.chars().take(37).collect();
                let kept = after as f64 * 100.0 / before as f64;
                let _ = writeln!(table, "{name:<38}{:>29}{:>24}{kept:>8.1} %", thousands(before), thousands(after));
            }
            table += &more;
        }
        if self.one_in > 1 && !table.is_empty() {
            let _ = writeln!(table, "(estimated from one 10-gram in {})", self.one_in);
        }
        table
    }
}

/// Entries of a sample: about 50 MB of memory.
const ENTRIES: usize = 1 << 20;

/// The bit of a hash that says whether it is in kept text.
const KEPT: u64 = 1;

/// Which n-grams occur in which groups. If there are too many, the n-grams with half of the hashes remain, so that all
/// occurrences of an n-gram are counted or none. The result depends neither on the order nor on how the collection was divided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NgramSample {
    /// One hash in `1 << bits` is counted.
    bits: u32,
    /// Language and host.
    groups: Vec<(String, String)>,
    numbers: HashMap<(String, String), u32>,
    /// How often an n-gram occurs in a group before and after near-duplicates were removed.
    entries: HashMap<(u64, u32), [u32; 2]>,
    most: usize,
}

/// A group of a document: its language and host.
pub(crate) fn group_of(document: &Document) -> (String, String) {
    (document.language.as_deref().unwrap_or(UNKNOWN_LANGUAGE).to_owned(), document.host())
}

/// The first line of a saved sample.
#[derive(Serialize, Deserialize)]
struct Head {
    bits: u32,
    groups: Vec<(String, String)>,
}

/// Bytes of a saved entry.
const ENTRY: usize = 20;

impl Default for NgramSample {
    fn default() -> Self {
        NgramSample::of_at_most(ENTRIES)
    }
}

impl NgramSample {
    fn of_at_most(most: usize) -> NgramSample {
        NgramSample { bits: 0, groups: Vec::new(), numbers: HashMap::new(), entries: HashMap::new(), most }
    }

    /// True for hashes that are counted. Those of n-grams that follow each other are independent in their high bits.
    fn counts(&self, hash: u64) -> bool {
        let mixed = (hash | KEPT).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.bits == 0 || (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> (64 - self.bits) == 0
    }

    /// The number of a group. Groups that come late are counted together, as in other figures.
    fn number_of(&mut self, (language, host): (String, String)) -> u32 {
        let is_new = !self.numbers.contains_key(&(language.clone(), host.clone()));
        let host = if is_new && self.groups.len() >= GROUPS { OTHERS.to_owned() } else { host };
        let next = self.groups.len() as u32;
        let (groups, group) = (&mut self.groups, (language, host));
        *self.numbers.entry(group.clone()).or_insert_with(|| {
            groups.push(group);
            next
        })
    }

    /// Adds the n-grams of a document, of which the lowest bit says whether they are in kept text.
    pub(crate) fn add(&mut self, group: (String, String), hashes: &[u64]) {
        let group = self.number_of(group);
        for hash in hashes {
            self.add_counts(hash & !KEPT, group, [1, (hash & KEPT) as u32]);
        }
    }

    fn add_counts(&mut self, hash: u64, group: u32, added: [u32; 2]) {
        if !self.counts(hash) {
            return;
        }
        let counts = self.entries.entry((hash, group)).or_default();
        (0..2).for_each(|at| counts[at] = counts[at].saturating_add(added[at]));
        while self.entries.len() > self.most && self.bits < 63 {
            self.halve();
        }
    }

    fn halve(&mut self) {
        self.bits += 1;
        let mut entries = std::mem::take(&mut self.entries);
        entries.retain(|(hash, _), _| self.counts(*hash));
        self.entries = entries;
    }

    /// Adds another sample.
    pub(crate) fn merge(&mut self, other: &NgramSample) {
        while self.bits < other.bits {
            self.halve();
        }
        let numbers: Vec<u32> = other.groups.iter().map(|group| self.number_of(group.clone())).collect();
        // In order, so that the same samples always end with the same bytes.
        for ((hash, group), counts) in other.in_order() {
            self.add_counts(hash, numbers[group as usize], counts);
        }
    }

    fn in_order(&self) -> Vec<((u64, u32), [u32; 2])> {
        let mut entries: Vec<_> = self.entries.iter().map(|(key, counts)| (*key, *counts)).collect();
        entries.sort_unstable();
        entries
    }

    /// Counts all n-grams, and those of each language and host.
    pub(crate) fn count(&self) -> TextNgrams {
        let mut counted = TextNgrams { n: NGRAM, one_in: 1 << self.bits, ..TextNgrams::default() };
        let entries = self.in_order();
        for same in entries.chunk_by(|one, other| one.0.0 == other.0.0) {
            let (mut all, mut languages, mut hosts) = ([0; 2], BTreeMap::new(), BTreeMap::new());
            for ((_, group), counts) in same {
                let (language, host) = &self.groups[*group as usize];
                let of_language: &mut [u32; 2] = languages.entry(language).or_default();
                add(&mut all, *counts);
                add(of_language, *counts);
                if !host.is_empty() {
                    add(hosts.entry(host).or_default(), *counts);
                }
            }
            counted.total.count(all, self.bits);
            for (groups, found) in [(&mut counted.languages, languages), (&mut counted.hosts, hosts)] {
                for (name, counts) in found {
                    match groups.get_mut(name) {
                        Some(stages) => stages.count(counts, self.bits),
                        None => groups.entry(name.clone()).or_default().count(counts, self.bits),
                    }
                }
            }
        }
        counted
    }

    /// Saves the sample.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let head = Head { bits: self.bits, groups: self.groups.clone() };
        let mut bytes = serde_json::to_vec(&head).map_err(std::io::Error::from)?;
        bytes.push(b'\n');
        for ((hash, group), [before, after]) in self.in_order() {
            bytes.extend(hash.to_le_bytes());
            bytes.extend([group, before, after].iter().flat_map(|number| number.to_le_bytes()));
        }
        write_atomically(path, &zstd::bulk::compress(&bytes, 1).at(path)?)
    }

    /// Reads a sample that was [saved](NgramSample::save).
    pub(crate) fn read(path: &Path) -> Result<NgramSample> {
        let bytes = zstd::stream::decode_all(std::fs::File::open(path).at(path)?).at(path)?;
        let sample = NgramSample::from_bytes(&bytes);
        sample.ok_or_else(|| Error::Damaged { path: path.to_owned(), message: "damaged".into() })
    }

    fn from_bytes(bytes: &[u8]) -> Option<NgramSample> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let Head { bits, groups } = serde_json::from_slice(&bytes[..end]).ok()?;
        if bits > 63 || !(bytes.len() - end - 1).is_multiple_of(ENTRY) {
            return None;
        }
        let mut sample = NgramSample { bits, ..NgramSample::default() };
        for group in groups {
            sample.number_of(group);
        }
        for entry in bytes[end + 1..].chunks_exact(ENTRY) {
            let (hash, numbers) = entry.split_first_chunk()?;
            let mut numbers = numbers.chunks_exact(4).map(|four| four.try_into().map_or(0, u32::from_le_bytes));
            let (group, counts) = (numbers.next()?, [numbers.next()?, numbers.next()?]);
            if group as usize >= sample.groups.len() {
                return None;
            }
            sample.add_counts(u64::from_le_bytes(*hash), group, counts);
        }
        Some(sample)
    }
}

fn add(counts: &mut [u32; 2], other: [u32; 2]) {
    (0..2).for_each(|at| counts[at] = counts[at].saturating_add(other[at]));
}

impl NgramStages {
    /// Counts an n-gram that stands for `1 << bits` of them, and occurs so often.
    fn count(&mut self, [before, after]: [u32; 2], bits: u32) {
        for (amount, times) in [(&mut self.after_exact_duplicates, before), (&mut self.after_near_duplicates, after)] {
            amount.ngrams += u64::from(times) << bits;
            amount.distinct += u64::from(times > 0) << bits;
            amount.duplicate += u64::from(times > 1) << bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn group(language: &str, host: &str) -> (String, String) {
        (language.to_owned(), host.to_owned())
    }

    /// Documents: a group, and the hashes of n-grams with the bit of kept text.
    type Documents = Vec<((String, String), Vec<u64>)>;

    fn documents() -> impl Strategy<Value = Documents> {
        let group = (0..3_usize, 0..4_usize).prop_map(|(language, host)| {
            group(["en", "de", "cs"][language], ["", "a.example", "b.example", "c.example"][host])
        });
        // Few different n-grams, spread over all bits of a hash.
        let hash = (0..200_u64, 0..2_u64)
            .prop_map(|(number, kept)| (number + 1).wrapping_mul(0xD134_2543_DE82_EF95) & !1 | kept);
        prop::collection::vec((group, prop::collection::vec(hash, 0..60)), 0..20)
    }

    fn sample_of<'a>(
        documents: impl IntoIterator<Item = &'a ((String, String), Vec<u64>)>,
        most: usize,
    ) -> NgramSample {
        let mut sample = NgramSample::of_at_most(most);
        documents.into_iter().for_each(|(group, hashes)| sample.add(group.clone(), hashes));
        sample
    }

    /// The definition: count the n-grams of the documents of a group.
    fn plainly(documents: &Documents, is_in: impl Fn(&(String, String)) -> bool) -> NgramStages {
        let mut times: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
        for (_, hashes) in documents.iter().filter(|(group, _)| is_in(group)) {
            for hash in hashes {
                let times = times.entry(hash & !1).or_default();
                times[0] += 1;
                times[1] += hash & 1;
            }
        }
        let amount = |at: usize| NgramAmount {
            ngrams: times.values().map(|times| times[at]).sum(),
            distinct: times.values().filter(|times| times[at] > 0).count() as u64,
            duplicate: times.values().filter(|times| times[at] > 1).count() as u64,
        };
        NgramStages { after_exact_duplicates: amount(0), after_near_duplicates: amount(1) }
    }

    proptest! {
        #[test]
        fn a_small_collection_is_counted_exactly(documents in documents()) {
            let counted = sample_of(&documents, ENTRIES).count();
            prop_assert_eq!(counted.one_in, 1);
            prop_assert_eq!(counted.total, plainly(&documents, |_| true));
            for (language, stages) in &counted.languages {
                prop_assert_eq!(*stages, plainly(&documents, |group| group.0 == *language));
            }
            for (host, stages) in &counted.hosts {
                prop_assert_eq!(*stages, plainly(&documents, |group| group.1 == *host));
            }
            prop_assert!(!counted.hosts.contains_key(""));
        }

        #[test]
        fn a_sample_does_not_depend_on_order_and_division(documents in documents(), cut in 0..20_usize, most in 1..300_usize) {
            let whole = sample_of(&documents, most).count();
            prop_assert_eq!(&sample_of(documents.iter().rev(), most).count(), &whole);
            let (first, second) = documents.split_at(cut.min(documents.len()));
            let mut merged = sample_of(first, most);
            merged.merge(&sample_of(second, most));
            prop_assert_eq!(&merged.count(), &whole);
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("sample");
            merged.save(&path).expect("a saved sample");
            prop_assert_eq!(&NgramSample::read(&path).expect("the sample").count(), &whole);
        }
    }

    #[test]
    fn a_large_collection_is_estimated() {
        // 60,000 n-grams, of which every third occurs twice.
        let hash = |n: u64| (n + 1).wrapping_mul(0xD134_2543_DE82_EF95) | 1;
        let hashes: Vec<u64> = (0..60_000).chain((0..60_000).step_by(3)).map(hash).collect();
        let sample = sample_of(&[(group("en", ""), hashes)], 4096);
        assert!(sample.entries.len() <= 4096 && sample.bits >= 4, "{}", sample.bits);
        let found = sample.count().total.after_near_duplicates;
        let is_near = |found: u64, expected: f64| (found as f64 / expected - 1.0).abs() < 0.1;
        assert!(is_near(found.ngrams, 80_000.0) && is_near(found.distinct, 60_000.0), "{found:?}");
        assert!(is_near(found.duplicate, 20_000.0), "{found:?}");
    }

    #[test]
    fn damaged_samples_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sample");
        sample_of(&[(group("en", "a.example"), vec![3, 4])], ENTRIES).save(&path).expect("a saved sample");
        let bytes = zstd::stream::decode_all(std::fs::File::open(&path).expect("a file")).expect("bytes");
        for end in 0..bytes.len() {
            let is_whole =
                bytes[..end].iter().position(|byte| *byte == b'\n').is_some_and(|at| (end - at - 1) % ENTRY == 0);
            assert_eq!(NgramSample::from_bytes(&bytes[..end]).is_some(), is_whole, "{end}");
        }
        std::fs::write(&path, b"damaged").expect("a file");
        assert!(NgramSample::read(&path).is_err());
    }
}
