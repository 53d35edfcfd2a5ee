//! Seeds: pairs of units so similar that they may belong to a common passage.

use super::pair::{ABSENT, Pair};

/// Least cosine of the weighted stems of two units. At .27 and .33 the result is lower by .002 and .003.
const MIN_COSINE: f32 = 0.30;

/// Least Dice coefficient of the stems of two units, which rejects pairs that share only one rare word. .35 is as good;
/// without it the result is lower by .003.
const MIN_DICE: f32 = 0.28;

/// Least share of the best cosine of either unit: a unit has few partners. From .6 to .8 the result moves by .001.
const BEST_SHARE: f32 = 0.7;

/// Most partners of one unit. A unit with more is formulaic, such as a line of a table, and gives no evidence. The limit
/// also keeps repetitive texts tractable. Without it nothing changes on ordinary text.
const MAX_PARTNERS: usize = 4;

/// Share of the least cosine that the affordable stems alone must reach for a pair to be compared in full.
const CANDIDATE_SHARE: f32 = 0.6;

/// Work allowed for finding candidates, in visits of a posting: about a quarter of a second. Rare stems are served first;
/// two texts of 100,000 words stay below.
const BUDGET: u64 = 1 << 26;

/// Two similar units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seed {
    /// Unit of each side.
    pub(super) units: [usize; 2],
    /// Cosine of their weighted stems.
    cosine: f32,
}

/// All pairs of similar units that are nearly the best partners for each other.
pub(super) fn find(pair: &Pair) -> Vec<Seed> {
    let norms = [norms(pair, 0), norms(pair, 1)];
    let postings = Postings::new(pair);
    let this = &pair.sides[0];
    let mut dots = vec![0.0; pair.sides[1].text.units()];
    let mut touched = Vec::new();
    let mut seeds = Vec::new();
    let mut of_unit = Vec::new();
    for unit in 0..this.text.units() {
        for &(stem, count) in this.text.unit_stems(unit) {
            let square = this.weights[stem as usize].powi(2);
            for &(other, there) in postings.of(stem) {
                if dots[other as usize] == 0.0 {
                    touched.push(other);
                }
                dots[other as usize] += square * count as f32 * there as f32;
            }
        }
        for other in touched.drain(..) {
            let dot = std::mem::take(&mut dots[other as usize]);
            let units = [unit, other as usize];
            let norm = norms[0][unit] * norms[1][other as usize];
            if dot >= CANDIDATE_SHARE * MIN_COSINE * norm {
                of_unit.extend(compare(pair, units, norm));
            }
        }
        keep_best(&mut of_unit);
        seeds.append(&mut of_unit);
    }
    keep_best_of_other_side(seeds)
}

/// A seed of two units, if they are similar enough. `norm` is the product of their lengths as vectors.
fn compare(pair: &Pair, units: [usize; 2], norm: f32) -> Option<Seed> {
    let here = pair.sides[0].text.unit_stems(units[0]);
    let there = pair.sides[1].text.unit_stems(units[1]);
    let (mut at, mut common, mut dot) = (0, 0, 0.0);
    for &(stem, count) in here {
        let twin = pair.sides[0].twins[stem as usize];
        if twin == ABSENT {
            continue;
        }
        while at < there.len() && there[at].0 < twin {
            at += 1;
        }
        if let Some(&(other, times)) = there.get(at)
            && other == twin
        {
            common += 1;
            dot += pair.sides[0].weights[stem as usize].powi(2) * count as f32 * times as f32;
        }
    }
    let cosine = dot / norm;
    let dice = 2.0 * common as f32 / (here.len() + there.len()) as f32;
    (cosine > MIN_COSINE && dice > MIN_DICE).then_some(Seed { units, cosine })
}

/// Keeps the seeds of one unit that score close to its best.
fn keep_best(seeds: &mut Vec<Seed>) {
    seeds.sort_by(|x, y| y.cosine.total_cmp(&x.cosine).then(x.units.cmp(&y.units)));
    if let Some(best) = seeds.first().map(|seed| seed.cosine) {
        seeds.retain(|seed| seed.cosine >= BEST_SHARE * best);
    }
    if seeds.len() > MAX_PARTNERS {
        seeds.clear();
    }
}

/// Keeps the seeds that score close to the best of their unit on side 1.
fn keep_best_of_other_side(mut seeds: Vec<Seed>) -> Vec<Seed> {
    seeds.sort_by_key(|seed| seed.units[1]);
    let mut kept = Vec::new();
    for unit in seeds.chunk_by(|x, y| x.units[1] == y.units[1]) {
        let mut unit = unit.to_vec();
        keep_best(&mut unit);
        kept.append(&mut unit);
    }
    kept
}

/// Length of each unit of a side as a vector of weighted stems.
fn norms(pair: &Pair, side: usize) -> Vec<f32> {
    let side = &pair.sides[side];
    let square = |&(stem, count): &(u32, u32)| (side.weights[stem as usize] * count as f32).powi(2);
    let norm = |unit| side.text.unit_stems(unit).iter().map(square).sum::<f32>().sqrt();
    (0..side.text.units()).map(|unit| norm(unit).max(f32::MIN_POSITIVE)).collect()
}

/// The units of side 1 that hold a stem of side 0, with counts.
struct Postings {
    /// Where the entries of each stem begin, and their number at the end.
    starts: Vec<u32>,
    /// Units with the count of the stem, one stem after another.
    entries: Vec<(u32, u32)>,
}

impl Postings {
    /// Postings of the stems that fit the budget.
    fn new(pair: &Pair) -> Postings {
        let [this, other] = &pair.sides;
        let affordable = affordable(pair);
        let mut starts = vec![0; this.twins.len() + 1];
        for (stem, &twin) in this.twins.iter().enumerate() {
            let size = if affordable[stem] { other.text.unit_frequency[twin as usize] } else { 0 };
            starts[stem + 1] = starts[stem] + size;
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 0); starts[this.twins.len()] as usize];
        for unit in 0..other.text.units() {
            for &(stem, count) in other.text.unit_stems(unit) {
                let twin = other.twins[stem as usize];
                if twin != ABSENT && affordable[twin as usize] {
                    entries[next[twin as usize] as usize] = (unit as u32, count);
                    next[twin as usize] += 1;
                }
            }
        }
        Postings { starts, entries }
    }

    /// Entries of one stem of side 0.
    fn of(&self, stem: u32) -> &[(u32, u32)] {
        &self.entries[self.starts[stem as usize] as usize..self.starts[stem as usize + 1] as usize]
    }
}

/// Which stems of side 0 to look up: the shared ones, from the rarest on, as far as the budget allows.
fn affordable(pair: &Pair) -> Vec<bool> {
    let [this, other] = &pair.sides;
    let mut costs = Vec::new();
    for (stem, &twin) in this.twins.iter().enumerate() {
        if twin != ABSENT && this.weights[stem] > 0.0 {
            let there = other.text.unit_frequency[twin as usize];
            costs.push((u64::from(this.text.unit_frequency[stem]) * u64::from(there), stem));
        }
    }
    costs.sort_unstable();
    let mut affordable = vec![false; this.twins.len()];
    let mut spent = 0;
    for (cost, stem) in costs {
        spent += cost;
        if spent > BUDGET {
            break;
        }
        affordable[stem] = true;
    }
    affordable
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compare::passages::text::PassageText;

    /// All pairs of similar units, by comparing every unit with every other.
    fn plain_seeds(pair: &Pair) -> Vec<[usize; 2]> {
        let norms = [norms(pair, 0), norms(pair, 1)];
        let mut seeds = Vec::new();
        for unit in 0..norms[0].len() {
            let partners = 0..norms[1].len();
            let mut of_unit: Vec<Seed> =
                partners.filter_map(|other| compare(pair, [unit, other], norms[0][unit] * norms[1][other])).collect();
            keep_best(&mut of_unit);
            seeds.append(&mut of_unit);
        }
        let mut units: Vec<[usize; 2]> = keep_best_of_other_side(seeds).iter().map(|seed| seed.units).collect();
        units.sort_unstable();
        units
    }

    proptest! {
        #[test]
        fn the_index_misses_nothing(a in "([a-h]{1,2} ){6}([a-h]{1,2}[.]? ){0,60}", b in "([a-h]{1,2} ){6}([a-h]{1,2}[.]? ){0,60}") {
            let (a, b) = (PassageText::new(&a, None), PassageText::new(&b, None));
            let pair = Pair::new(&a, &b);
            let mut units: Vec<[usize; 2]> = find(&pair).iter().map(|seed| seed.units).collect();
            units.sort_unstable();
            prop_assert_eq!(units, plain_seeds(&pair));
        }
    }
}
