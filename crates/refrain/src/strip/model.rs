//! A small hashed logistic classifier, cheap to train, apply, average and ship.

/// Number of hashed weights.
pub(super) const BUCKETS: usize = 1 << 14;

/// Maps a feature hash to its weight.
pub(super) fn bucket(hash: u64) -> u32 {
    (hash ^ (hash >> 29)) as u32 & (BUCKETS as u32 - 1)
}

/// One training example: sparse feature buckets, label, weight.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub(super) features: Vec<u32>,
    pub(super) boilerplate: bool,
    pub(super) weight: f32,
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

impl Model {
    /// Log-odds that a block with these features is boilerplate.
    pub(super) fn score(&self, features: &[u32]) -> f32 {
        self.bias + features.iter().map(|&f| self.weights[f as usize]).sum::<f32>()
    }

    /// AdaGrad with weight decay on the touched weights; order fixed, so training is repeatable.
    pub(super) fn train(examples: &[Example]) -> Self {
        let mut model = Self::default();
        let mut history = vec![1.0f32; BUCKETS];
        let mut order: Vec<usize> = (0..examples.len()).collect();
        for epoch in 0..EPOCHS {
            order.sort_by_key(|&i| scramble((i * EPOCHS + epoch) as u64));
            for &i in &order {
                model.step(&examples[i], &mut history);
            }
        }
        model
    }

    fn step(&mut self, example: &Example, history: &mut [f32]) {
        let p = 1.0 / (1.0 + (-self.score(&example.features)).exp());
        let target = if example.boilerplate { 1.0 } else { 0.0 };
        let g = (p - target) * example.weight;
        self.bias -= 0.01 * g;
        for &f in &example.features {
            let f = f as usize;
            let gradient = g + DECAY * self.weights[f];
            history[f] += gradient * gradient;
            self.weights[f] -= RATE * gradient / history[f].sqrt();
        }
    }

    /// Average of two models weighted by the books behind them.
    pub(super) fn merge(&mut self, other: &Self, mine: f32, theirs: f32) {
        let share = theirs / (mine + theirs).max(1.0);
        self.bias += (other.bias - self.bias) * share;
        for (a, b) in self.weights.iter_mut().zip(&other.weights) {
            *a += (b - *a) * share;
        }
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
        let e = |f: u32, y| Example { features: vec![f, 99], boilerplate: y, weight: 1.0 };
        let examples: Vec<Example> = (0..80).map(|i| e(1 + i % 2, i % 2 == 0)).collect();
        let m = Model::train(&examples);
        assert!(m.score(&[1, 99]) > 1.0 && m.score(&[2, 99]) < -1.0);
    }
}
