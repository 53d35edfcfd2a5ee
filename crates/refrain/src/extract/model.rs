//! The learned part of the default method: sums of small trees, stored as data in the repository.
//!
//! All nodes of one level of a tree ask the same question, so a tree is a list of questions and a table of answers. A
//! page is judged tree by tree: each question is put to all blocks at once, which compilers turn into vector
//! instructions. The file is text: the features with the borders that divide their values, then the trees.

use std::sync::OnceLock;

use super::features::Names;

/// The shipped weights. `make train-extract` builds them; see CONTRIBUTING.md.
static SHIPPED: &str = include_str!("../../data/extract.model");

/// Two passes over a page: the second one knows the results of the first for all blocks.
#[derive(Debug)]
pub(crate) struct Model {
    features: Vec<Feature>,
    /// One for each feature, in the order of `Measures::each_feature`.
    binned: Vec<BinnedFeature>,
    /// The borders of all features, each padded with infinity to a multiple of four: no value is above the padding.
    borders: Vec<[f32; 4]>,
    pub(crate) first: Forest,
    pub(crate) second: Forest,
}

/// A sum of trees.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    trees: Vec<Tree>,
    bias: f32,
    scale: f32,
}

#[derive(Debug)]
struct Feature {
    name: String,
    /// Ascending.
    borders: Vec<f32>,
}

/// Where the borders of a feature are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BinnedFeature {
    column: u16,
    from: u16,
    to: u16,
}

impl BinnedFeature {
    /// A feature that no tree uses.
    const UNUSED: BinnedFeature = BinnedFeature { column: u16::MAX, from: 0, to: 0 };
}

#[derive(Debug)]
struct Tree {
    /// Column, and the border that the value must exceed.
    questions: [(u16, u8); Tree::QUESTIONS],
    /// Answers, indexed by the questions answered yes; the first question is the lowest bit.
    leaves: Box<[i16; Tree::LEAVES]>,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the model: {what}")]
pub struct ModelError {
    line: usize,
    what: &'static str,
}

impl Model {
    /// The model that ships with the library.
    pub(crate) fn shipped() -> &'static Model {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| {
            let parsed = Model::parse(SHIPPED);
            debug_assert!(parsed.is_ok(), "the shipped model: {:?}", parsed.err());
            // The tests read the same bytes, so an unreadable model is never shipped.
            parsed.unwrap_or_else(|_| Model::blank(Names::all()))
        })
    }

    /// A model that considers all blocks equally likely.
    fn blank(names: &Names) -> Model {
        Model {
            features: Vec::new(),
            binned: vec![BinnedFeature::UNUSED; names.second.len()],
            borders: Vec::new(),
            first: Forest::default(),
            second: Forest::default(),
        }
    }

    /// Reads a model.
    pub(crate) fn parse(text: &str) -> Result<Model, ModelError> {
        Model::parse_with(text, Names::all())
    }

    fn parse_with(text: &str, names: &Names) -> Result<Model, ModelError> {
        let mut model = Model::blank(names);
        let mut forests = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let wrong = |what| ModelError { line: i + 1, what };
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "" | "#" => {}
                "feature" => {
                    let feature = Feature::parse(rest).ok_or(wrong("a feature has a name and up to 255 borders"))?;
                    let nth = names.second.iter().position(|name| *name == feature.name);
                    model.add(nth.ok_or(wrong("nobody measures this feature"))?, feature);
                }
                "look" => {
                    let mut numbers = rest.split(' ').map(str::parse::<f32>);
                    let (Some(Ok(bias)), Some(Ok(scale))) = (numbers.next(), numbers.next()) else {
                        return Err(wrong("a look has a bias and a scale"));
                    };
                    forests.push(Forest { bias, scale, trees: Vec::new() });
                }
                "tree" => {
                    let forest: &mut Forest = forests.last_mut().ok_or(wrong("a tree outside of a look"))?;
                    let tree = Tree::parse(rest, &model.features);
                    forest.trees.push(
                        tree.ok_or(wrong("a tree has up to six questions and a leaf for each way to answer them"))?,
                    );
                }
                _ => return Err(wrong("unknown word")),
            }
        }
        let Ok([first, second]) = <[Forest; 2]>::try_from(forests) else {
            return Err(ModelError { line: text.lines().count(), what: "there are two looks" });
        };
        (model.first, model.second) = (first, second);
        Ok(model)
    }

    /// Adds the `nth` feature.
    fn add(&mut self, nth: usize, feature: Feature) {
        let from = self.borders.len() as u16;
        let fours = feature.borders.chunks(4);
        self.borders
            .extend(fours.map(|few| std::array::from_fn::<_, 4, _>(|i| few.get(i).copied().unwrap_or(f32::INFINITY))));
        self.binned[nth] = BinnedFeature { column: self.features.len() as u16, from, to: self.borders.len() as u16 };
        self.features.push(feature);
    }

    /// How many borders of a feature the value is above.
    #[inline]
    fn bin(&self, feature: BinnedFeature, value: f32) -> u8 {
        // Counted as floats, which compilers turn into vector instructions.
        let mut above = [0.0_f32; 4];
        for borders in &self.borders[usize::from(feature.from)..usize::from(feature.to)] {
            for i in 0..4 {
                above[i] += if borders[i] < value { 1.0 } else { 0.0 };
            }
        }
        let above = above[0] + above[1] + above[2] + above[3];
        #[allow(clippy::cast_sign_loss)] // a count
        {
            above as u8
        }
    }
}

impl Feature {
    fn parse(line: &str) -> Option<Feature> {
        let mut words = line.split(' ');
        let name = words.next()?.to_owned();
        let borders = words.map(str::parse).collect::<Result<Vec<f32>, _>>().ok()?;
        (borders.len() <= 255 && borders.is_sorted()).then_some(Feature { name, borders })
    }
}

impl Tree {
    const QUESTIONS: usize = 6;
    const LEAVES: usize = 1 << Tree::QUESTIONS;
    /// A question whose answer is always no: no value is above the last possible border.
    const NO: (u16, u8) = (0, u8::MAX);

    fn parse(line: &str, features: &[Feature]) -> Option<Tree> {
        let (questions, leaves) = line.split_once(" = ")?;
        let questions = questions.split(' ').map(|question| {
            let (column, border) = question.split_once(':')?;
            let (column, border) = (column.parse::<u16>().ok()?, border.parse::<u8>().ok()?);
            (usize::from(border) < features.get(usize::from(column))?.borders.len()).then_some((column, border))
        });
        let questions = questions.collect::<Option<Vec<_>>>()?;
        let answers = leaves.split(' ').map(str::parse).collect::<Result<Vec<i16>, _>>().ok()?;
        if questions.len() > Tree::QUESTIONS || answers.len() != 1 << questions.len() {
            return None;
        }
        let mut tree = Tree { questions: [Tree::NO; Tree::QUESTIONS], leaves: Box::new([0; Tree::LEAVES]) };
        tree.questions[..questions.len()].copy_from_slice(&questions);
        tree.leaves[..answers.len()].copy_from_slice(&answers);
        Some(tree)
    }
}

/// The features of one block on their way into a table: collected one by one, stored all at once.
#[derive(Debug)]
pub(crate) struct Row {
    values: [f32; Row::LONGEST],
    length: usize,
}

impl Row {
    /// More than the number of features of a block.
    const LONGEST: usize = 320;

    #[inline]
    pub(crate) fn push(&mut self, value: f32) {
        if let Some(slot) = self.values.get_mut(self.length) {
            *slot = value;
            self.length += 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    pub(crate) fn values(&self) -> &[f32] {
        &self.values[..self.length]
    }
}

impl Default for Row {
    fn default() -> Self {
        Row { values: [0.0; Row::LONGEST], length: 0 }
    }
}

/// How many trees judge a page in one pass.
const TREES_AT_ONCE: usize = 4;

/// The values of all blocks of a page, binned by the borders of a model, feature by feature.
#[derive(Debug, Default)]
pub(crate) struct Table {
    bins: Vec<u8>,
    rows: usize,
    /// The leaf that each block reaches, tree by tree.
    leaves: Vec<u8>,
    sums: Vec<i32>,
}

impl Table {
    /// Makes room for the blocks of a page.
    pub(crate) fn reset(&mut self, model: &Model, rows: usize) {
        self.rows = rows;
        self.bins.clear();
        self.bins.resize(model.features.len() * rows, 0);
    }

    /// Stores features of a block, from the `nth` on.
    pub(crate) fn set_row(&mut self, model: &Model, row: usize, nth: usize, values: &[f32]) {
        for (value, &feature) in values.iter().zip(&model.binned[nth..]) {
            if feature != BinnedFeature::UNUSED {
                self.bins[usize::from(feature.column) * self.rows + row] = model.bin(feature, *value);
            }
        }
    }

    /// Stores the value of the `nth` feature for all blocks.
    pub(crate) fn set_all(&mut self, model: &Model, nth: usize, value: f32) {
        let feature = model.binned[nth];
        if feature != BinnedFeature::UNUSED {
            self.bins[usize::from(feature.column) * self.rows..][..self.rows].fill(model.bin(feature, value));
        }
    }

    /// Stores features that are bits, from the `nth` on: one set of bits per block.
    pub(crate) fn set_bits(&mut self, model: &Model, nth: usize, bits: &[u64]) {
        for bit in 0..64 {
            let feature = model.binned[nth + bit];
            if feature != BinnedFeature::UNUSED {
                let column = &mut self.bins[usize::from(feature.column) * self.rows..][..self.rows];
                for (bin, bits) in column.iter_mut().zip(bits) {
                    *bin = (bits >> bit & 1) as u8;
                }
            }
        }
    }

    /// Judges all blocks: the probability that each one is main content.
    pub(crate) fn judge(&mut self, forest: &Forest, probabilities: &mut Vec<f32>) {
        let rows = self.rows;
        self.sums.clear();
        self.sums.resize(rows, 0);
        self.leaves.resize(TREES_AT_ONCE * rows, 0);
        for trees in forest.trees.chunks(TREES_AT_ONCE) {
            for (tree, leaves) in trees.iter().zip(self.leaves.chunks_mut(rows.max(1))) {
                let asked = tree.questions.map(|(column, _)| &self.bins[usize::from(column) * rows..][..rows]);
                let border = tree.questions.map(|(_, border)| border);
                for (row, leaf) in leaves.iter_mut().enumerate() {
                    *leaf = u8::from(asked[0][row] > border[0])
                        | u8::from(asked[1][row] > border[1]) << 1
                        | u8::from(asked[2][row] > border[2]) << 2
                        | u8::from(asked[3][row] > border[3]) << 3
                        | u8::from(asked[4][row] > border[4]) << 4
                        | u8::from(asked[5][row] > border[5]) << 5;
                }
            }
            let answer = |tree: &Tree, leaf: u8| i32::from(tree.leaves[usize::from(leaf) % Tree::LEAVES]);
            let mut leaves = self.leaves.chunks(rows.max(1));
            let mut next = || leaves.next().unwrap_or_default();
            if let [one, two, three, four] = trees {
                let (first, second, third, fourth) = (next(), next(), next(), next());
                let leaves = first.iter().zip(second).zip(third.iter().zip(fourth));
                for (sum, ((a, b), (c, d))) in self.sums.iter_mut().zip(leaves) {
                    *sum += answer(one, *a) + answer(two, *b) + answer(three, *c) + answer(four, *d);
                }
            } else {
                for tree in trees {
                    for (sum, leaf) in self.sums.iter_mut().zip(next()) {
                        *sum += answer(tree, *leaf);
                    }
                }
            }
        }
        probabilities.clear();
        probabilities.extend(self.sums.iter().map(|&sum| {
            let odds = forest.bias + forest.scale * sum as f32;
            1.0 / (1.0 + (-odds).exp())
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "# two looks\nfeature a 1 2\nfeature b 0.5\nlook 0 1\ntree 0:1 1:0 = -1 0 1 2\nlook 1 0.5\n";

    #[test]
    fn trees_answer_by_their_questions() {
        let names = Names { first: Vec::new(), second: vec!["b", "x", "a"] };
        let model = Model::parse_with(SMALL, &names).expect("a model");
        let mut table = Table::default();
        table.reset(&model, 2);
        for (row, values) in [[1.0, 9.0, 3.0], [0.0, 9.0, 2.0]].iter().enumerate() {
            table.set_row(&model, row, 0, values);
        }
        let mut probabilities = Vec::new();
        table.judge(&model.first, &mut probabilities);
        let expected = [2.0_f32, -1.0].map(|odds| 1.0 / (1.0 + (-odds).exp()));
        assert_eq!(probabilities, expected);
        assert!(Model::parse(SMALL).is_err(), "nobody measures a and b");
    }

    proptest::proptest! {
        /// Compares with a simple reference: each block by itself, each tree from its first question to its leaf.
        #[test]
        fn judging_all_blocks_at_once_is_judging_each(
            values in proptest::collection::vec((-1.0_f32..4.0, -1.0_f32..4.0), 0..70)
        ) {
            let names = Names { first: Vec::new(), second: vec!["a", "b"] };
            let text = "feature a 0 1 2\nfeature b 0.5 3\nlook 0.25 0.1\ntree 0:1 1:0 0:2 = 1 2 3 4 5 6 7 8\n\
                        tree 1:1 = -9 9\nlook 0 1\n";
            let model = Model::parse_with(text, &names).expect("a model");
            let mut table = Table::default();
            table.reset(&model, values.len());
            for (row, (a, b)) in values.iter().enumerate() {
                table.set_row(&model, row, 0, &[*a, *b]);
            }
            let mut probabilities = Vec::new();
            table.judge(&model.first, &mut probabilities);
            let plain = values.iter().map(|(a, b)| {
                let mut sum = 0;
                for tree in &model.first.trees {
                    let mut leaf = 0;
                    let asked = tree.questions.iter().filter(|question| **question != Tree::NO);
                    for (nth, (column, border)) in asked.enumerate() {
                        let value = if *column == 0 { a } else { b };
                        let above = *value > model.features[usize::from(*column)].borders[usize::from(*border)];
                        leaf += usize::from(above) << nth;
                    }
                    sum += i32::from(tree.leaves[leaf]);
                }
                1.0 / (1.0 + (-(0.25 + 0.1 * sum as f32)).exp())
            });
            proptest::prop_assert_eq!(probabilities, plain.collect::<Vec<f32>>());
        }
    }

    #[test]
    fn damaged_models_are_refused_with_the_line() {
        assert_eq!(Model::parse("look 0 1\ntree 0:0 = 1 2").expect_err("no such feature").line, 2);
        assert_eq!(Model::parse("feature words 2 1").expect_err("not sorted").line, 1);
        assert!(Model::parse("look 0 1\n").is_err());
    }

    #[test]
    fn a_row_has_room_for_all_features() {
        assert!(Names::all().second.len() <= Row::LONGEST);
    }

    #[test]
    fn the_shipped_model_can_be_read() {
        let model = Model::parse(SHIPPED).expect("the shipped model");
        assert!(model.first.trees.len() > 10 && model.second.trees.len() > 10);
    }
}
