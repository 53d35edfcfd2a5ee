//! The second pass: features from what the first pass found for a block, its neighbours and similar blocks.

use super::{Measures, share};
use crate::extract::segment::ParsedPage;

/// Sums of the results of the first pass, from which the features of the second pass are computed.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// Prefix sums of words times probability: one entry more than there are blocks.
    sums: Vec<f32>,
    elements: Vec<f32>,
    by_path: Vec<f32>,
    total: f32,
    highest: f32,
}

impl Context {
    /// Reads the probabilities from the first pass.
    pub(crate) fn measure(&mut self, page: &ParsedPage, measures: &Measures, probabilities: &[f32]) {
        self.sums.clear();
        self.sums.push(0.0);
        self.elements.clear();
        self.elements.resize(page.outline.elements.len(), 0.0);
        self.by_path.clear();
        self.by_path.resize(measures.by_path.len(), 0.0);
        self.highest = 0.0;
        let mut sum = 0.0;
        for (i, &probability) in probabilities.iter().enumerate() {
            let mass = measures.blocks[i].words * probability;
            sum += mass;
            self.sums.push(sum);
            self.elements[page.outline.places[i].element as usize] += mass;
            self.by_path[measures.path_of[i] as usize] += mass;
            self.highest = self.highest.max(probability);
        }
        for i in (1..self.elements.len()).rev() {
            self.elements[page.outline.elements[i].parent as usize] += self.elements[i];
        }
        self.total = sum;
    }

    /// Passes the features of the second pass to `add`.
    pub(crate) fn each_feature(
        &self,
        page: &ParsedPage,
        measures: &Measures,
        probabilities: &[f32],
        block: usize,
        add: &mut impl FnMut(&'static str, f32),
    ) {
        let count = probabilities.len();
        let own = &measures.blocks[block];
        add("q", probabilities[block]);
        for (step, name) in [(-3, "q_p3"), (-2, "q_p2"), (-1, "q_p1"), (1, "q_n1"), (2, "q_n2"), (3, "q_n3")] {
            let at = block.checked_add_signed(step).filter(|&at| at < count);
            add(name, at.map_or(-0.1, |at| probabilities[at]));
        }
        for (window, names) in [
            (3, ["q_w3_before", "q_w3_after"]),
            (8, ["q_w8_before", "q_w8_after"]),
            (20, ["q_w20_before", "q_w20_after"]),
        ] {
            let from = block.saturating_sub(window);
            let to = (block + 1 + window).min(count);
            let words = |a: usize, b: usize| measures.sums[b].words - measures.sums[a].words;
            add(names[0], share(self.sums[block] - self.sums[from], words(from, block)));
            add(names[1], share(self.sums[to] - self.sums[block + 1], words(block + 1, to)));
        }
        add("q_before", share(self.sums[block], self.total));
        add("q_after", share(self.total - self.sums[block + 1], self.total));
        let mut around = own.container;
        for names in [["q_a1", "q_a1_share"], ["q_a2", "q_a2_share"], ["q_a3", "q_a3_share"]] {
            add(names[0], share(self.elements[around as usize], measures.elements[around as usize].sums.words));
            add(names[1], share(self.elements[around as usize], self.total));
            around = measures.larger(page, around);
        }
        let path = measures.path_of[block] as usize;
        add("q_alike", share(self.by_path[path], measures.by_path[path].sums.words));
        add("q_alike_share", share(self.by_path[path], self.total));
        add("q_page", share(self.total, measures.page.sums.words));
        add("q_words", self.total);
        add("q_highest", self.highest);
    }
}
