//! A table of n-grams with what each costs in each of several languages.
//!
//! The cost of a letter after others is the negative logarithm of its probability. An n-gram that never occurs in a
//! language, or is no better than a shorter one, is not stored: it costs as much as its suffix, plus a step.

/// Costs are in sixteenths of a nat.
pub const STEP: f32 = 16.0;
/// What it costs to fall back to a shorter n-gram.
pub const FALL_BACK: u8 = 14;
/// Letters of the longest n-grams.
pub const ORDER: usize = 4;
/// Rows are that many costs wide, or a multiple of it, for the sake of vector instructions.
const LANES: usize = 16;

/// Rows of more than four times as many languages are that wide; nobody has more languages.
const WIDEST: usize = 256 / LANES;

/// An n-gram as a number: sixteen bits a letter, the last letter lowest.
pub type Key = u64;

/// An n-gram that is stored: languages and what it costs in them.
pub type Gram = (Key, Vec<(u8, u8)>);

/// How many letters an n-gram has.
pub fn order(key: Key) -> usize {
    (u64::BITS - key.leading_zeros()).div_ceil(16) as usize
}

/// An n-gram without its first letter.
fn shorter(key: Key) -> Key {
    match order(key) {
        0 | 1 => 0,
        order => key & (u64::MAX >> (16 * (ORDER + 1 - order))),
    }
}

/// The n-grams of the languages of one group, by hash.
#[derive(Debug, Default)]
pub(super) struct Table {
    width: usize,
    /// Fingerprints of n-grams in their slots; zero for empty slots. Separate from the rows, and small enough to stay
    /// in the cache. Two n-grams of one slot share a fingerprint once in a billion.
    traces: Vec<u32>,
    /// A row for each place, and one for all that was never seen.
    rows: Vec<[u8; LANES]>,
}

/// N-grams that are looked up together: so many costs fit into sixteen bits, and the memory answers many at a time.
const TOGETHER: usize = 128;

/// The place of a row of costs, and what it costs to fall back to it.
pub(super) type Found = (u32, u8);

impl Table {
    /// Makes the table from the n-grams that are stored: each with its languages and their costs, shorter ones first.
    pub(super) fn new(languages: usize, grams: &[Gram]) -> Table {
        let width = match languages.div_ceil(LANES) {
            few @ 0..=4 => few.max(1),
            _ => WIDEST,
        };
        let places = grams.len() * 3 / 2 + 1;
        // What was never seen costs most in all languages.
        let rows = vec![[u8::MAX; LANES]; (places + 1) * width];
        let mut table = Table { width, traces: vec![0; places], rows };
        let mut found = Vec::new();
        for (key, costs) in grams {
            table.find(&[shorter(*key)], &mut found);
            let (end, back) = found[0];
            let (mut place, trace) = table.place(*key);
            while table.traces[place] != 0 {
                place = table.behind(place);
            }
            table.traces[place] = trace;
            let start = end as usize * width;
            table.rows.copy_within(start..start + width, place * width);
            let row = table.rows[place * width..][..width].as_flattened_mut();
            for cost in row.iter_mut() {
                *cost = cost.saturating_add(back).saturating_add(FALL_BACK);
            }
            for (language, cost) in costs {
                if let Some(slot) = row.get_mut(usize::from(*language)) {
                    *slot = *cost;
                }
            }
        }
        table
    }

    /// How wide a row of costs is.
    pub(super) fn width(&self) -> usize {
        self.width * LANES
    }

    /// Where an n-gram is looked for, and what it leaves there.
    #[inline]
    fn place(&self, key: Key) -> (usize, u32) {
        let mixed = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let place = ((mixed >> 32) * self.traces.len() as u64) >> 32;
        (place as usize, (mixed ^ mixed >> 32) as u32 | 1)
    }

    /// The next place.
    #[inline]
    fn behind(&self, place: usize) -> usize {
        if place + 1 == self.traces.len() { 0 } else { place + 1 }
    }

    /// Finds the rows of the longest ends of n-grams that are stored.
    ///
    /// Of many n-grams the whole first, then shorter ends of those that were not found. All first places are read before any
    /// of them is looked at: memory answers many questions at a time, if nobody waits for the first answer.
    pub(super) fn find(&self, keys: &[Key], found: &mut Vec<Found>) {
        found.clear();
        let nowhere = self.traces.len();
        let mut looks = [(0, 0, 0); TOGETHER];
        for keys in keys.chunks(TOGETHER) {
            let start = found.len();
            found.resize(start + keys.len(), (nowhere as u32, 0));
            let found = &mut found[start..];
            let mut open: [u8; TOGETHER] = std::array::from_fn(|at| at as u8);
            let mut left = keys.len();
            for length in (1..=ORDER).rev() {
                let mask = u64::MAX >> (16 * (ORDER - length));
                for (look, at) in looks.iter_mut().zip(&open[..left]) {
                    let (place, trace) = self.place(keys[usize::from(*at)] & mask);
                    *look = (place, trace, self.traces[place]);
                }
                let mut still = 0;
                for nth in 0..left {
                    let at = open[nth];
                    let (mut place, trace, mut stored) = looks[nth];
                    while stored != trace && stored != 0 {
                        place = self.behind(place);
                        stored = self.traces[place];
                    }
                    if stored == 0 {
                        open[still] = at;
                        still += 1;
                        continue;
                    }
                    // What is shorter than the mask is found with it, too.
                    let steps = order(keys[usize::from(at)]).saturating_sub(length) as u8;
                    found[usize::from(at)] = (place as u32, FALL_BACK * steps);
                }
                left = still;
            }
        }
    }

    /// Adds costs that were found to the sums of all languages.
    pub(super) fn sum(&self, found: &[Found], sums: &mut [u32]) {
        match self.width {
            1 => self.sum_wide::<1>(found, sums),
            2 => self.sum_wide::<2>(found, sums),
            3 => self.sum_wide::<3>(found, sums),
            4 => self.sum_wide::<4>(found, sums),
            _ => self.sum_wide::<WIDEST>(found, sums),
        }
    }

    /// The same for rows whose width is known: the sums of a chunk stay in registers.
    fn sum_wide<const WIDTH: usize>(&self, found: &[Found], sums: &mut [u32]) {
        let (rows, _) = self.rows.as_chunks::<WIDTH>();
        for found in found.chunks(TOGETHER) {
            let mut costs = [[0_u16; LANES]; WIDTH];
            for &(place, back) in found {
                let row = &rows[place as usize];
                for lane in 0..WIDTH {
                    for at in 0..LANES {
                        costs[lane][at] += u16::from(row[lane][at].saturating_add(back));
                    }
                }
            }
            for (sum, cost) in sums.iter_mut().zip(costs.as_flattened()) {
                *sum += u32::from(*cost);
            }
        }
    }

    /// Adds the costs of the last letters of n-grams, given the letters before, to the sums of all languages.
    pub(super) fn add(&self, keys: &[Key], sums: &mut [u32]) {
        let mut found = Vec::with_capacity(keys.len());
        self.find(keys, &mut found);
        self.sum(&found, sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letters: &str) -> Key {
        letters.encode_utf16().fold(0, |key, letter| key << 16 | Key::from(letter))
    }

    #[test]
    fn keys_know_their_length() {
        assert_eq!(["", "a", "ab", "abc", "abcd"].map(|letters| order(key(letters))), [0, 1, 2, 3, 4]);
        assert_eq!(shorter(key("abcd")), key("bcd"));
        assert_eq!(shorter(key("a")), 0);
    }

    #[test]
    fn what_is_not_stored_costs_what_its_end_costs_and_a_step() {
        let grams = [(key("b"), vec![(0, 40), (1, 50)]), (key("ab"), vec![(0, 10)]), (key("xyab"), vec![(1, 5)])];
        let table = Table::new(2, &grams);
        let cost = |letters: &str| {
            let mut sums = vec![0; table.width()];
            table.add(&[key(letters)], &mut sums);
            (sums[0], sums[1])
        };
        assert_eq!(cost("b"), (40, 50));
        assert_eq!(cost("ab"), (10, 50 + 14));
        assert_eq!(cost("zab"), (10 + 14, 50 + 28));
        assert_eq!(cost("xyab"), (10 + 28, 5));
        assert_eq!(cost("q"), (255, 255));
    }

    /// The plain definition: the cost of the longest stored suffix in a language, and a step for each missing letter.
    fn plain(grams: &[Gram], key: Key, language: u8) -> u32 {
        let (mut end, mut steps) = (key, 0_u8);
        while end != 0 {
            let stored = grams.iter().find(|(stored, _)| *stored == end);
            let cost = stored.and_then(|(_, costs)| costs.iter().find(|(of, _)| *of == language));
            if let Some((_, cost)) = cost {
                return cost.saturating_add(FALL_BACK.saturating_mul(steps)).into();
            }
            (end, steps) = (shorter(end), steps + 1);
        }
        u8::MAX.into()
    }

    #[test]
    fn many_looked_up_together_cost_what_each_costs_by_definition() {
        let alphabet: Vec<u16> = "abcäжй".encode_utf16().collect();
        let mut random = 1_u64;
        let mut below = |most: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % most
        };
        let word = |below: &mut dyn FnMut(usize) -> usize, letters: usize| {
            (0..letters).fold(0, |key: Key, _| key << 16 | Key::from(alphabet[below(alphabet.len())]))
        };
        for languages in [1, 3, 17, 42, 100] {
            let mut grams: Vec<Gram> = Vec::new();
            for letters in 1..=ORDER {
                let mut keys: Vec<Key> = (0..40).map(|_| word(&mut below, letters)).collect();
                keys.sort_unstable();
                keys.dedup();
                grams.extend(keys.into_iter().map(|key| {
                    let costs = (0..languages).map(|language| (language, below(300)));
                    (key, costs.filter_map(|(language, cost)| Some((language, u8::try_from(cost).ok()?))).collect())
                }));
            }
            let table = Table::new(usize::from(languages), &grams);
            let keys: Vec<Key> = (0..3 * TOGETHER + 7).map(|at| word(&mut below, at % ORDER + 1)).collect();
            let mut sums = vec![0; table.width()];
            table.add(&keys, &mut sums);
            for language in 0..languages {
                let by_definition: u32 = keys.iter().map(|key| plain(&grams, *key, language)).sum();
                assert_eq!(sums[usize::from(language)], by_definition);
            }
        }
    }
}
