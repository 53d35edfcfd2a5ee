//! The features of pages as rows of numbers, for those who train the model of the default method.

use super::features::{Context, Measures};
use super::segment::{ParsedPage, Segmentation, Segmenter};

/// Measures pages.
#[derive(Debug, Default)]
pub struct Features {
    segmenter: Segmenter,
    page: ParsedPage,
    measures: Measures,
    context: Context,
}

/// The features of a page: a row of numbers for each of its blocks.
#[derive(Debug, Default)]
pub struct Rows {
    /// The names of the numbers in a row.
    pub names: Vec<&'static str>,
    /// All rows, one after another.
    pub values: Vec<f32>,
    /// The texts of the blocks.
    pub texts: Vec<String>,
}

impl Features {
    /// The features of the first pass or, given the probabilities from it, those of both passes.
    pub fn of(&mut self, html: &str, probabilities: Option<&[f32]>) -> Rows {
        self.segmenter.segment(html, Segmentation::Visual, &mut self.page);
        self.measures.measure(html, &self.page);
        let page = &self.page;
        if let Some(probabilities) = probabilities {
            self.context.measure(page, &self.measures, probabilities);
        }
        let mut rows = Rows::default();
        for block in 0..page.blocks.len() {
            let mut add = |name, value| {
                if block == 0 {
                    rows.names.push(name);
                }
                rows.values.push(value);
            };
            self.measures.each_feature(page, block, &mut add);
            if let Some(probabilities) = probabilities {
                self.context.each_feature(page, &self.measures, probabilities, block, &mut add);
            }
            rows.texts.push(page.blocks[block].span.of(&page.text).to_owned());
        }
        rows
    }
}
