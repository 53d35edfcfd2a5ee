//! A small hashed logistic classifier, cheap to train, apply, average and ship.

/// Number of hashed weights.
pub(super) const BUCKETS: usize = 1 << 14;

/// Maps a feature hash to its weight.
pub(super) fn bucket(hash: u64) -> u16 {
    (hash ^ (hash >> 29)) as u16 & (BUCKETS - 1) as u16
}

/// Training examples, with their features concatenated.
#[derive(Debug, Default)]
pub(super) struct Examples {
    features: Vec<u16>,
    /// Where the features of each end, what it is (1 for boilerplate), and its weight.
    rows: Vec<(u32, f32, f32)>,
}

impl Examples {
    /// Adds an example, whose features may be in several lists.
    pub(super) fn add(&mut self, features: &[&[u16]], boilerplate: bool, weight: f32) {
        for part in features {
            self.features.extend_from_slice(part);
        }
        self.rows.push((self.features.len() as u32, f32::from(u8::from(boilerplate)), weight));
    }

    fn get(&self, i: usize) -> (&[u16], f32, f32) {
        let start = if i == 0 { 0 } else { self.rows[i - 1].0 };
        let (end, target, weight) = self.rows[i];
        (&self.features[start as usize..end as usize], target, weight)
    }
}

/// Logistic regression over hashed features.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) bias: f32,
    pub(super) weights: Vec<f32>,
}

impl Default for Model {
    fn default() -> Self {
        Self { bias: 0.0, weights: vec![0.0; BUCKETS] }
    }
}

const EPOCHS: usize = 6;
const RATE: f32 = 0.3;
const DECAY: f32 = 2e-4;
/// An example whose error is smaller teaches nothing more.
const SETTLED: f32 = 2e-3;

impl Model {
    /// Log-odds that a block with these features is boilerplate.
    pub(super) fn score(&self, features: &[u16]) -> f32 {
        self.bias + features.iter().map(|&f| self.weights[f as usize]).sum::<f32>()
    }

    /// AdaGrad with weight decay on the touched weights; order fixed, so training is repeatable.
    pub(super) fn train(examples: &Examples) -> Self {
        let mut bias = 0.0;
        let mut slots = vec![Slot { weight: 0.0, history: 1.0 }; BUCKETS];
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(examples.rows.len());
        for epoch in 0..EPOCHS {
            order.clear();
            order.extend((0..examples.rows.len()).map(|i| (scramble((i * EPOCHS + epoch) as u64), i as u32)));
            order.sort_unstable();
            for &(_, i) in &order {
                step(examples.get(i as usize), &mut bias, &mut slots);
            }
        }
        Model { bias, weights: slots.iter().map(|slot| slot.weight).collect() }
    }

    /// Average of two models, weighted by the number of their books.
    pub(super) fn merge(&mut self, other: &Self, mine: f32, theirs: f32) {
        let share = theirs / (mine + theirs).max(1.0);
        self.bias += (other.bias - self.bias) * share;
        for (a, b) in self.weights.iter_mut().zip(&other.weights) {
            *a += (b - *a) * share;
        }
    }
}

/// A weight in training, with the sum of the squares of its gradients.
#[derive(Clone, Copy)]
struct Slot {
    weight: f32,
    history: f32,
}

fn step((features, target, weight): (&[u16], f32, f32), bias: &mut f32, slots: &mut [Slot]) {
    let score = *bias + features.iter().map(|&f| slots[f as usize].weight).sum::<f32>();
    let g = (1.0 / (1.0 + (-score).exp()) - target) * weight;
    if g.abs() < SETTLED {
        return;
    }
    *bias -= 0.01 * g;
    for &f in features {
        let slot = &mut slots[f as usize];
        let gradient = g + DECAY * slot.weight;
        slot.history += gradient * gradient;
        slot.weight -= RATE * gradient / slot.history.sqrt();
    }
}

/// A cheap bijective mixer (splitmix64).
pub(super) fn scramble(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_a_separable_feature() {
        let mut examples = Examples::default();
        (0..80).for_each(|i| examples.add(&[&[1 + i % 2, 99]], i % 2 == 0, 1.0));
        let m = Model::train(&examples);
        assert!(m.score(&[1, 99]) > 1.0 && m.score(&[2, 99]) < -1.0);
    }
}
