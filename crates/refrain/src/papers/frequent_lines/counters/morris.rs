//! Approximate counting in eight bits: R. Morris, "Counting large numbers of events in small registers" (1978).

/// The probability with which a line may be missed that occurs exactly as often as a frequent line must; one that occurs
/// more often is missed more rarely.
pub const MISS: f64 = 0.001;

/// The largest value of a counter.
const TOP: u8 = u8::MAX;

/// Counts in steps that grow: a counter of value v is raised by a further event with the probability g^−v.
///
/// So after n events (g^v − 1)/(g − 1) is n in expectation, with a variance of (g − 1)n(n − 1)/2: a relative error of
/// about √((g − 1)/2), whatever n. The base g is the smallest for which 255 represents the ceiling: the relative error
/// is 7 % for a ceiling of 1 000, 10 % for 10 000 and 15 % for a million.
///
/// # How much may be missed
///
/// The time that a counter takes to reach v is a sum of independent geometric waiting times, with the probabilities
/// g^0 … g^−(v−1). [`Morris::miss`] bounds the chance that this sum is larger than n by the method of Chernoff, without
/// approximation. [`Morris::threshold`] is the largest v for which the bound is at most [`MISS`] if n is as large as a
/// frequent line must be; so some lines that occur less often also count as frequent.
///
/// # Why counters merge
///
/// Think of each event with a uniform number u of its own: it raises a counter of value v if u < g^−v. Let x ≥ y be two
/// counters. The events of y that did not raise it would not raise x, which is at least as large. The event that raised y
/// from i has u < g^−i, and nothing else is known of it: it would raise x with the probability g^−(x−i). So the merged
/// counter is distributed as if it had seen all events itself, and the bound above holds after any number of merges.
#[derive(Debug, Clone, PartialEq)]
pub struct Morris {
    base: f64,
    /// A counter of value v is raised by numbers up to this.
    limits: Vec<u64>,
}

impl Morris {
    /// The scale on which 255 represents `ceiling`, which should be more than 255.
    pub fn new(ceiling: u32) -> Self {
        let ceiling = f64::from(ceiling.max(u32::from(TOP) + 1));
        let (mut low, mut high) = (1.0 + 1e-9, 2.0);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if reached(middle, TOP) < ceiling { low = middle } else { high = middle }
        }
        #[allow(clippy::cast_sign_loss)] // powers are above zero
        let limits = (0..=TOP).map(|v| (high.powi(-i32::from(v)) * 2f64.powi(64)) as u64).collect();
        Morris { base: high, limits }
    }

    /// The base g.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// The number of events that a value represents.
    pub fn estimate(&self, value: u8) -> f64 {
        reached(self.base, value)
    }

    /// The value after a further event, by a random number.
    pub fn step(&self, value: u8, random: u64) -> u8 {
        value.saturating_add(u8::from(random <= self.limits[usize::from(value)]))
    }

    /// The value for the events of two counters, with one random number for each step of the smaller one.
    pub fn merge(&self, one: u8, other: u8, mut random: impl FnMut() -> u64) -> u8 {
        let (mut large, small) = (one.max(other), one.min(other));
        for i in 0..small {
            large = large.saturating_add(u8::from(random() <= self.limits[usize::from(large - i)]));
        }
        large
    }

    /// The value from which on a line counts as one that occurs at least `least` times.
    pub fn threshold(&self, least: u32) -> u8 {
        let (mut low, mut high) = (1, TOP);
        while low < high {
            let middle = high - (high - low) / 2;
            if self.miss(middle, least) <= MISS { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// An upper bound for the probability that a counter is still below `value` after `events`.
    pub fn miss(&self, value: u8, events: u32) -> f64 {
        if u32::from(value) > events {
            return 1.0;
        }
        if value <= 1 {
            return 0.0;
        }
        let chances: Vec<f64> = (0..value).map(|v| self.base.powi(-i32::from(v))).collect();
        let largest = -(-chances[chances.len() - 1]).ln_1p();
        let exponent = |t: f64| exponent(&chances, t, f64::from(events) + 1.0);
        least_of(exponent, 0.0, largest).exp().min(1.0)
    }
}

/// (g^v − 1)/(g − 1).
fn reached(base: f64, value: u8) -> f64 {
    (base.powi(i32::from(value)) - 1.0) / (base - 1.0)
}

/// The logarithm of E[exp(tT)]/exp(tn), where T is the sum of geometric waiting times with these chances.
fn exponent(chances: &[f64], t: f64, n: f64) -> f64 {
    let one = |p: &f64| p.ln() + t - (1.0 - (1.0 - p) * t.exp()).max(f64::MIN_POSITIVE).ln();
    chances.iter().map(one).sum::<f64>() - t * n
}

/// The minimum of a convex function in an interval, at most its value at the start.
fn least_of(function: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if function(low + third) < function(high - third) { high -= third } else { low += third }
    }
    function(f64::midpoint(low, high)).min(0.0)
}

/// A sequence of random numbers that a seed determines: SplitMix64.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Probability of each value after so many events, without chance.
    fn distribution(morris: &Morris, events: u32) -> Vec<f64> {
        let mut at = vec![0.0; 256];
        at[0] = 1.0;
        for _ in 0..events {
            for v in (0..255).rev() {
                let raised = at[v] / morris.base.powf(v as f64);
                at[v] -= raised;
                at[v + 1] += raised;
            }
        }
        at
    }

    fn counted(morris: &Morris, events: u32, random: &mut Random) -> u8 {
        (0..events).fold(0, |value, _| morris.step(value, random.next()))
    }

    #[test]
    fn top_represents_the_ceiling() {
        for ceiling in [256, 1_000, 1_000_000, u32::MAX] {
            let estimate = Morris::new(ceiling).estimate(TOP);
            assert!((estimate / f64::from(ceiling) - 1.0).abs() < 1e-6, "{ceiling}: {estimate}");
        }
    }

    #[test]
    fn documented_errors_are_those_of_the_base() {
        for (ceiling, error) in [(1_000, 0.07), (10_000, 0.10), (1_000_000, 0.15)] {
            let found = ((Morris::new(ceiling).base() - 1.0) / 2.0).sqrt();
            assert!((found - error).abs() < 0.005, "{ceiling}: {found}");
        }
    }

    #[test]
    fn bound_is_never_below_the_probability() {
        for (ceiling, events) in [(300, 300), (1_000, 20), (1_000, 1_000), (5_000, 3_000)] {
            let morris = Morris::new(ceiling);
            let mut below = 0.0;
            for (value, probability) in distribution(&morris, events).iter().enumerate() {
                let bound = morris.miss(value as u8, events);
                assert!(below <= bound + 1e-9, "{ceiling} {events} {value}: {below} > {bound}");
                below += probability;
            }
        }
    }

    #[test]
    fn threshold_is_not_far_below_what_is_asked() {
        for least in [1_000, 10_000, 1_000_000] {
            let morris = Morris::new(least);
            let share = morris.estimate(morris.threshold(least)) / f64::from(least);
            assert!((0.5..1.0).contains(&share), "{least}: {share}");
        }
    }

    #[test]
    fn a_small_least_has_a_threshold_that_can_be_reached() {
        let morris = Morris::new(100_000);
        for least in 1..50 {
            let threshold = morris.threshold(least);
            assert!(u32::from(threshold) <= least && morris.miss(threshold, least) <= MISS);
        }
        assert_eq!(morris.threshold(1), 1);
    }

    #[test]
    fn misses_are_as_rare_as_promised_and_estimates_are_right_on_average() {
        let (morris, mut random) = (Morris::new(1_000), Random::new(1));
        let values: Vec<u8> = (0..20_000).map(|_| counted(&morris, 1_000, &mut random)).collect();
        let threshold = morris.threshold(1_000);
        let missed = values.iter().filter(|&&v| v < threshold).count();
        assert!(missed as f64 <= MISS * 20_000.0, "{missed}");
        let mean = values.iter().map(|&v| morris.estimate(v)).sum::<f64>() / 20_000.0;
        // Values stop at 255, which represents 1 000: the mean is below it by about the mean of half a bell curve.
        assert!((950.0..1_000.0).contains(&mean), "{mean}");
    }

    #[test]
    fn estimates_are_unbiased_away_from_the_ceiling() {
        let (morris, mut random) = (Morris::new(10_000), Random::new(2));
        let all: f64 = (0..10_000).map(|_| morris.estimate(counted(&morris, 700, &mut random))).sum();
        assert!((all / 10_000.0 / 700.0 - 1.0).abs() < 0.01, "{all}");
    }

    #[test]
    fn merged_counters_are_distributed_as_one() {
        let (morris, mut random) = (Morris::new(2_000), Random::new(3));
        let rounds = 20_000;
        let mut found = vec![0.0; 256];
        for _ in 0..rounds {
            let parts = [500, 100, 0, 150].map(|events| counted(&morris, events, &mut random));
            let merged = parts.into_iter().reduce(|a, b| morris.merge(a, b, || random.next()));
            found[usize::from(merged.expect("no error"))] += 1.0 / f64::from(rounds);
        }
        let (mut distance, mut sum): (f64, f64) = (0.0, 0.0);
        for (found, expected) in found.iter().zip(distribution(&morris, 750)) {
            sum += found - expected;
            distance = distance.max(sum.abs());
        }
        // Kolmogorov and Smirnov: at a level of 0.001, 1.95/√rounds.
        assert!(distance < 1.95 / f64::from(rounds).sqrt(), "{distance}");
    }
}
