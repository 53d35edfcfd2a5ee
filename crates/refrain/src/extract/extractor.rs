//! Extracts the main content of a page: one entry point for all methods, with reusable buffers.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::features::{Context, Measures, Names, traits_of};
use super::linked_data::parse_leniently;
use super::model::{Model, ModelError, Row, Table};
use super::segment::{ParsedPage, Segmentation, Segmenter, Statement, unescape};
use super::traits::Traits;
use crate::document::{Block, BlockKind, Label, Mark, Reason, Span};
use crate::papers::bte::bte;
use crate::papers::justext::{Class, Classified, JusText, JusTextOptions};
use crate::text::{StopList, stop_list};

/// The method that separates the main content from the rest of the page.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractMethod {
    /// The learned method: best on pages of all kinds, and never returns nothing.
    #[default]
    Default,
    /// jusText as published, with its parameters.
    JusText(JusTextOptions),
    /// Body text extraction as published.
    Bte,
}

impl ExtractMethod {
    /// The methods by name, with default parameters.
    pub const ALL: [(&'static str, ExtractMethod); 3] = [
        ("default", ExtractMethod::Default),
        ("justext", ExtractMethod::JusText(JusTextOptions::PUBLISHED)),
        ("bte", ExtractMethod::Bte),
    ];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            ExtractMethod::Default => "default",
            ExtractMethod::JusText(_) => "justext",
            ExtractMethod::Bte => "bte",
        }
    }
}

/// Which parts of the main content to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtractProfile {
    /// All of it, including headings, lists, tables and captions.
    #[default]
    CleanEval,
    /// Full sentences only, for linguistic corpora.
    KrdWrd,
}

impl ExtractProfile {
    /// The profiles by name.
    pub const ALL: [(&'static str, ExtractProfile); 2] =
        [("cleaneval", ExtractProfile::CleanEval), ("krdwrd", ExtractProfile::KrdWrd)];

    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            ExtractProfile::CleanEval => "cleaneval",
            ExtractProfile::KrdWrd => "krdwrd",
        }
    }
}

/// What to extract, and how.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractOptions {
    /// The method.
    pub method: ExtractMethod,
    /// The profile.
    pub profile: ExtractProfile,
    /// Keep reader comments below articles. Forum posts are always main content.
    pub comments: bool,
    /// Language of the stop list that jusText uses. If not given, each page's own language decides.
    pub language: Option<String>,
}

/// Extracts the main content of pages.
///
/// ```
/// use refrain::extract::{Extractor, Workspace};
///
/// let html = "<title>Lamps</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>
///     <article><h1>Lamps</h1><p>The keeper lit the lamp at dusk, and again when the fog came in.</p></article>";
/// let mut workspace = Workspace::default();
/// let found = Extractor::default().extract(html, None, &mut workspace);
/// assert!(found.text().contains("The keeper lit the lamp") && !found.text().contains("Home"));
/// ```
#[derive(Debug, Default)]
pub struct Extractor {
    options: ExtractOptions,
    /// Replaces the shipped model.
    model: Option<Model>,
}

/// Buffers that are reused from page to page. Results do not depend on earlier pages.
#[derive(Debug, Default)]
pub struct Workspace {
    segmenter: Segmenter,
    pub(crate) page: ParsedPage,
    measures: Measures,
    context: Context,
    table: Table,
    traits: Vec<u64>,
    probabilities: Vec<f32>,
    order: Vec<u32>,
    decisions: Vec<Decision>,
}

/// The decision about a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// It belongs to the main content.
    pub keep: bool,
    /// The probability that it is main content, from the learned method.
    pub probability: Option<f32>,
    /// The rule that decided.
    pub rule: DecisionRule,
}

impl Decision {
    /// The decision as the reason for a mark.
    fn reason(&self) -> Reason {
        match self.rule {
            DecisionRule::Classified(found) => found.reason(),
            rule => {
                let probability = self.probability.map(|p| (f64::from(p) * 1000.0).round() / 1000.0);
                Reason::Judged { rule: rule.name(), probability }
            }
        }
    }
}

/// The rule that decided about a block.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum DecisionRule {
    /// The learned method: the blocks above a threshold give the best expected F1 for the page.
    Learned,
    /// It is a reader comment.
    Comment,
    /// Its text also appears elsewhere in the page.
    Copy,
    /// The profile drops everything that is not a full sentence.
    NoSentence,
    /// jusText: its class with and without context, and the measures.
    Classified(Classified),
    /// BTE: it is inside, or outside, the densest range of text.
    Range,
    /// The page shows no text; this comes from its metadata.
    Stated,
    /// The input is plain text, not a page.
    Plain,
}

impl DecisionRule {
    /// The name used in files.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            DecisionRule::Learned => "learned".into(),
            DecisionRule::Comment => "comment".into(),
            DecisionRule::Copy => "copy".into(),
            DecisionRule::NoSentence => "no_sentence".into(),
            DecisionRule::Classified(found) => format!("{}/{}", found.context_free.name(), found.class.name()).into(),
            DecisionRule::Range => "range".into(),
            DecisionRule::Stated => "stated".into(),
            DecisionRule::Plain => "plain".into(),
        }
    }
}

/// The content found in a page.
#[derive(Debug, Clone, Copy)]
pub struct Extracted<'a> {
    /// The page, split into blocks.
    pub page: &'a ParsedPage,
    /// One for each block.
    pub decisions: &'a [Decision],
    /// How good the result is expected to be, from 0 to 1.
    pub confidence: f32,
    /// Why the confidence is 0, or a caveat about the result.
    pub note: Option<&'static str>,
}

impl Extracted<'_> {
    /// True for blocks of the main content.
    pub fn keeps(&self, block: usize) -> bool {
        self.decisions.get(block).is_some_and(|decision| decision.keep)
    }

    /// The blocks of the main content.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.page.blocks.iter().enumerate().filter(|(i, _)| self.keeps(*i))
    }

    /// The ranges of the page's source that contain the main content. Adjacent blocks form one range, including the
    /// markup between them.
    ///
    /// ```
    /// use refrain::extract::{Extractor, Workspace};
    ///
    /// let html = "<nav><a href=/>Home</a></nav><p>The lamp is <b>lit</b> at dusk.</p><p>Gulls sleep on its gallery.</p>";
    /// let mut workspace = Workspace::default();
    /// let found = Extractor::default().extract(html, None, &mut workspace);
    /// let content: Vec<&str> = found.sources(html).iter().map(|span| span.of(html)).collect();
    /// assert_eq!(content, ["The lamp is <b>lit</b> at dusk.</p><p>Gulls sleep on its gallery."]);
    /// ```
    pub fn sources(&self, html: &str) -> Vec<Span> {
        let places = &self.page.outline.places;
        let start =
            |block: usize| places.get(block).map_or(html.len(), |place| (place.source as usize).min(html.len()));
        let mut ranges: Vec<Span> = Vec::new();
        let mut last = None;
        for (block, _) in self.blocks() {
            let end = start(block) + text_end(html.get(start(block)..start(block + 1)).unwrap_or_default());
            match ranges.last_mut() {
                Some(range) if block.checked_sub(1) == last => range.end = end,
                _ => ranges.push(Span::new(start(block), end)),
            }
            last = Some(block);
        }
        ranges.retain(|range| !range.is_empty());
        ranges
    }

    /// The text of the main content, blocks separated by blank lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (_, block) in self.blocks() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(block.span.of(&self.page.text));
        }
        text
    }

    /// Marks for all blocks that are not main content.
    pub fn marks(&self, method: ExtractMethod) -> Vec<Mark> {
        let pass: Cow<'static, str> = match method {
            ExtractMethod::Default => "extract".into(),
            ExtractMethod::JusText(_) => "justext".into(),
            ExtractMethod::Bte => "bte".into(),
        };
        let dropped = self.page.blocks.iter().zip(self.decisions).filter(|(_, decision)| !decision.keep);
        dropped
            .map(|(block, decision)| Mark {
                span: block.span,
                label: Label::Boilerplate,
                pass: pass.clone(),
                reason: decision.reason(),
            })
            .collect()
    }
}

/// Where the text of a piece of HTML ends: before its trailing tags and white space.
fn text_end(html: &str) -> usize {
    let mut rest = html.trim_end();
    while let Some(open) = rest.ends_with('>').then(|| rest.rfind('<')).flatten() {
        // A tag starts with a name, a slash or an exclamation mark after its `<`; anything else is text.
        if !rest[open + 1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            break;
        }
        rest = rest[..open].trim_end();
    }
    rest.len()
}

/// A block whose text duplicates another block is kept above this probability.
const LIKELY_REFRAIN: f32 = 0.8;
/// Main content of at least this many words must precede comments before they are recognised as such.
const WORDS_ABOVE_COMMENTS: f32 = 40.0;
/// The same as a share of all words that are likely main content.
const SHARE_ABOVE_COMMENTS: f32 = 0.1;

impl Extractor {
    /// An extractor with the shipped model.
    pub fn new(options: ExtractOptions) -> Extractor {
        Extractor { options, ..Extractor::default() }
    }

    /// An extractor with a custom model, for those who train one.
    pub fn with_model(options: ExtractOptions, model: &str) -> Result<Extractor, ModelError> {
        Ok(Extractor { options, model: Some(Model::parse(model)?) })
    }

    /// The options.
    pub fn options(&self) -> &ExtractOptions {
        &self.options
    }

    /// Extracts the main content of a page. `language` is the language of the page, if known.
    pub fn extract<'a>(&self, html: &str, language: Option<&str>, workspace: &'a mut Workspace) -> Extracted<'a> {
        self.extract_detecting(html, |_| language.map(str::to_owned), workspace)
    }

    /// Like [`extract`](Self::extract), for callers that detect the language of a page from its text.
    pub fn extract_detecting<'a>(
        &self,
        html: &str,
        detect: impl FnOnce(&ParsedPage) -> Option<String>,
        workspace: &'a mut Workspace,
    ) -> Extracted<'a> {
        self.segment(html, workspace);
        let language = detect(&workspace.page);
        if !workspace.page.blocks.is_empty() || self.options.method != ExtractMethod::Default || !workspace.state(html)
        {
            return self.decide(html, language.as_deref(), workspace);
        }
        let mut note = "the page shows no text; used the description in its metadata";
        let mut confidence = STATED_CONFIDENCE;
        if self.options.profile == ExtractProfile::KrdWrd {
            workspace.keep_sentences();
            if !workspace.decisions.iter().any(|decision| decision.keep) {
                (confidence, note) = (0.0, "the page shows no text and describes itself in no full sentence");
            }
        }
        Extracted { page: &workspace.page, decisions: &workspace.decisions, confidence, note: Some(note) }
    }

    /// Treats plain text as a page of paragraphs, all of them main content, for callers that accept both.
    pub fn plain<'a>(text: &str, workspace: &'a mut Workspace) -> Extracted<'a> {
        workspace.segmenter.segment("", Segmentation::Visual, &mut workspace.page);
        workspace.decisions.clear();
        for paragraph in crate::text::paragraphs(text) {
            workspace.page.add_block(paragraph.of(text));
            workspace.decisions.push(Decision { keep: true, probability: None, rule: DecisionRule::Plain });
        }
        let empty = workspace.decisions.is_empty();
        let (confidence, note) = if empty { (0.0, Some("the text is empty")) } else { (1.0, None) };
        Extracted { page: &workspace.page, decisions: &workspace.decisions, confidence, note }
    }

    /// First step: splits the page into the blocks that the method judges.
    pub(crate) fn segment(&self, html: &str, workspace: &mut Workspace) {
        let segmentation = match self.options.method {
            ExtractMethod::JusText(_) => Segmentation::Published,
            ExtractMethod::Default | ExtractMethod::Bte => Segmentation::Visual,
        };
        workspace.segmenter.segment(html, segmentation, &mut workspace.page);
    }

    /// Second step: judges the blocks.
    pub(crate) fn decide<'a>(&self, html: &str, language: Option<&str>, workspace: &'a mut Workspace) -> Extracted<'a> {
        workspace.decisions.clear();
        let (mut confidence, mut note) = (0.0, None);
        if workspace.page.blocks.is_empty() {
            note = Some(if html.trim().is_empty() { "the page is empty" } else { "the page shows no text" });
        } else {
            confidence = match self.options.method {
                ExtractMethod::Default => self.judge(html, workspace),
                ExtractMethod::JusText(options) => self.justext(options, language, workspace),
                ExtractMethod::Bte => workspace.densest(),
            };
            if self.options.profile == ExtractProfile::KrdWrd {
                workspace.keep_sentences();
            }
            if !workspace.decisions.iter().any(|decision| decision.keep) {
                (confidence, note) = (0.0, Some("this method and profile found no main content"));
            }
        }
        Extracted { page: &workspace.page, decisions: &workspace.decisions, confidence, note }
    }

    /// The learned method. Returns the expected F1 of the result.
    fn judge(&self, html: &str, workspace: &mut Workspace) -> f32 {
        let model = self.model.as_ref().unwrap_or_else(|| Model::shipped());
        let Workspace { page, measures, context, table, traits, probabilities, .. } = workspace;
        measures.measure(html, page);
        let (blocks, of_context) = (page.blocks.len(), Names::all().first.len());
        table.reset(model, blocks);
        let mut nth = 0;
        measures.each_page_feature(&mut |_, value| {
            table.set_all(model, nth, value);
            nth += 1;
        });
        traits.clear();
        traits.extend((0..blocks).map(|block| traits_of(page, block).0));
        table.set_bits(model, nth, traits);
        let of_block = nth + Traits::COUNT;
        let mut row = Row::default();
        for block in 0..blocks {
            row.clear();
            measures.each_block_feature(page, block, &mut |_, value| row.push(value));
            table.set_row(model, block, of_block, row.values());
        }
        table.judge(&model.first, probabilities);
        context.measure(page, measures, probabilities);
        for block in 0..blocks {
            row.clear();
            context.each_feature(page, measures, probabilities, block, &mut |_, value| row.push(value));
            table.set_row(model, block, of_context, row.values());
        }
        table.judge(&model.second, probabilities);
        let learned =
            |&probability| Decision { keep: true, probability: Some(probability), rule: DecisionRule::Learned };
        workspace.decisions.extend(workspace.probabilities.iter().map(learned));
        if !self.options.comments {
            workspace.drop_comments();
        }
        workspace.drop_copies();
        let expected = workspace.cut();
        if self.options.comments {
            workspace.keep_comments();
        }
        expected
    }

    /// jusText. Returns the share of good characters that were already good without context.
    fn justext(&self, options: JusTextOptions, language: Option<&str>, workspace: &mut Workspace) -> f32 {
        let page = &workspace.page;
        let language = self.options.language.as_deref().or(language).or(page.language.as_deref());
        let stop_words: Option<&StopList> = language.and_then(stop_list);
        let classes =
            JusText { options, fallback_language: None }.classify_blocks(&page.text, &page.blocks, stop_words);
        let (mut good, mut sure) = (0, 0);
        for found in classes {
            let keep = found.class == Class::Good;
            good += if keep { found.length } else { 0 };
            sure += if keep && found.context_free == Class::Good { found.length } else { 0 };
            let rule = DecisionRule::Classified(found);
            workspace.decisions.push(Decision { keep, probability: None, rule });
        }
        if good == 0 { 0.0 } else { sure as f32 / good as f32 }
    }
}

/// The confidence in text that the page states but does not show.
const STATED_CONFIDENCE: f32 = 0.1;

impl Workspace {
    /// Uses the text that a page without visible text has in its data or description; false if there is none.
    fn state(&mut self, html: &str) -> bool {
        self.decisions.clear();
        let Some(text) = stated_text(html, &self.page) else { return false };
        for paragraph in crate::text::paragraphs(&text) {
            self.page.add_block(paragraph.of(&text));
            self.decisions.push(Decision { keep: true, probability: None, rule: DecisionRule::Stated });
        }
        true
    }

    /// BTE. Returns the share of the text that is inside the densest range.
    fn densest(&mut self) -> f32 {
        let (mut inside, mut all) = (0, 0);
        for (keep, block) in bte(&self.page).into_iter().zip(&self.page.blocks) {
            inside += if keep { block.span.len() } else { 0 };
            all += block.span.len();
            self.decisions.push(Decision { keep, probability: None, rule: DecisionRule::Range });
        }
        if all == 0 { 0.0 } else { inside as f32 / all as f32 }
    }

    /// Drops reader comments, unless the page has little else.
    fn drop_comments(&mut self) {
        if self.measures.is_discussion() {
            return;
        }
        let Workspace { page, measures, decisions, probabilities, .. } = self;
        let comment = |block: usize| traits_of(page, block).has(Traits::COMMENT);
        // Comments come below the content that they refer to.
        let (mut all, mut above, mut begun) = (0.0, 0.0, false);
        for (block, &probability) in probabilities.iter().enumerate() {
            let mass = measures.words(block) * probability;
            all += mass;
            begun |= comment(block) && probability > 0.5 && measures.is_good(block);
            above += if begun || comment(block) { 0.0 } else { mass };
        }
        if above > WORDS_ABOVE_COMMENTS.max(SHARE_ABOVE_COMMENTS * all) {
            for (block, decision) in decisions.iter_mut().enumerate() {
                if comment(block) {
                    (decision.keep, decision.rule) = (false, DecisionRule::Comment);
                }
            }
        }
    }

    /// Keeps reader comments that read like running text, whatever the cut decides.
    fn keep_comments(&mut self) {
        let Workspace { page, measures, decisions, .. } = self;
        for (block, decision) in decisions.iter_mut().enumerate() {
            let dropped = !decision.keep && decision.rule == DecisionRule::Learned;
            if dropped && measures.is_good(block) && traits_of(page, block).has(Traits::COMMENT) {
                (decision.keep, decision.rule) = (true, DecisionRule::Comment);
            }
        }
    }

    /// Among blocks with the same text, keeps the likeliest one and those that the page repeats on purpose.
    fn drop_copies(&mut self) {
        let Workspace { page, measures, decisions, probabilities, order, .. } = self;
        order.clear();
        let candidate = |block: usize| decisions[block].keep && measures.has_copies(block);
        order.extend((0..decisions.len() as u32).filter(|&block| candidate(block as usize)));
        order.sort_unstable_by(|&a, &b| {
            let by_text = measures.hash(a as usize).cmp(&measures.hash(b as usize));
            by_text.then(probabilities[b as usize].total_cmp(&probabilities[a as usize])).then(a.cmp(&b))
        });
        let text = |block: u32| page.blocks[block as usize].span.of(&page.text);
        for same in order.chunk_by(|&a, &b| measures.hash(a as usize) == measures.hash(b as usize)) {
            for &block in same[1..].iter().filter(|&&block| text(block) == text(same[0])) {
                // A refrain has different neighbours each time it occurs; copies have the same neighbours.
                let likely = probabilities[block as usize] > LIKELY_REFRAIN;
                if likely && !measures.have_like_neighbours(block as usize, same[0] as usize) {
                    continue;
                }
                let decision = &mut decisions[block as usize];
                (decision.keep, decision.rule) = (false, DecisionRule::Copy);
            }
        }
    }

    /// Keeps the likeliest blocks, as many as maximise the expected F1 of the kept words.
    fn cut(&mut self) -> f32 {
        let Workspace { measures, decisions, probabilities, order, .. } = self;
        order.clear();
        order.extend((0..decisions.len() as u32).filter(|&block| decisions[block as usize].keep));
        order
            .sort_unstable_by(|&a, &b| probabilities[b as usize].total_cmp(&probabilities[a as usize]).then(a.cmp(&b)));
        let expected: f32 =
            order.iter().map(|&block| measures.words(block as usize) * probabilities[block as usize]).sum();
        let (mut words, mut right, mut best, mut count) = (0.0, 0.0, -1.0, 0);
        for (i, &block) in order.iter().enumerate() {
            words += measures.words(block as usize);
            right += measures.words(block as usize) * probabilities[block as usize];
            let f1 = 2.0 * right / (words + expected);
            if f1 > best {
                (best, count) = (f1, i + 1);
            }
        }
        for &block in &order[count..] {
            decisions[block as usize].keep = false;
        }
        best.max(0.0)
    }

    /// Keeps full sentences only.
    fn keep_sentences(&mut self) {
        for (block, decision) in self.page.blocks.iter().zip(&mut self.decisions) {
            if decision.keep && !is_sentence(block, block.span.of(&self.page.text)) {
                (decision.keep, decision.rule) = (false, DecisionRule::NoSentence);
            }
        }
    }
}

/// True for running text: not a heading, more than a few words, and at least one complete sentence.
fn is_sentence(block: &Block, text: &str) -> bool {
    if block.kind == BlockKind::Heading || block.kind == BlockKind::Choice {
        return false;
    }
    let end = text.trim_end_matches(['"', '\'', ')', '”', '’', '»', ']', ' ']);
    let ends = end.ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟', '۔', '።', '။']);
    let spaced = text.split_whitespace().nth(2).is_some();
    ends && (spaced || text.chars().nth(9).is_some())
}

/// The text that a page states without showing it: the article body in its data, its description, or its title.
fn stated_text(html: &str, page: &ParsedPage) -> Option<String> {
    let mut description = None;
    for statement in &page.outline.statements {
        match statement {
            Statement::Data(data) => {
                let data = parse_leniently(data.of(html));
                if let Some(body) = data.as_ref().and_then(article_body) {
                    // Some pages put markup into it.
                    let inner = super::segment::segment(body);
                    return Some(if inner.text.is_empty() { body.trim().to_owned() } else { inner.text });
                }
            }
            Statement::Meta { key, value } if description.is_none() => {
                let key = key.of(html);
                if ["description", "og:description"].iter().any(|known| key.eq_ignore_ascii_case(known)) {
                    description = Some(unescape(value.of(html)).trim().to_owned()).filter(|text| !text.is_empty());
                }
            }
            _ => {}
        }
    }
    description.or_else(|| page.title.clone())
}

/// The text of an article anywhere in structured data.
fn article_body(data: &Value) -> Option<&str> {
    match data {
        Value::Object(fields) => {
            let own = fields.get("articleBody").and_then(Value::as_str);
            own.filter(|text| !text.trim().is_empty()).or_else(|| fields.values().find_map(article_body))
        }
        Value::Array(values) => values.iter().find_map(article_body),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::format_collect, clippy::float_cmp)] // short pages, exact zeros
mod tests {
    use super::*;

    const SENTENCE: &str = "The keeper lit the lamp at dusk, and again when the fog came in from the sea that night.";

    fn extract_with(options: ExtractOptions, html: &str) -> (String, f32, Option<&'static str>) {
        let mut workspace = Workspace::default();
        let found = Extractor::new(options).extract(html, None, &mut workspace);
        (found.text(), found.confidence, found.note)
    }

    fn text_of(html: &str) -> String {
        extract_with(ExtractOptions::default(), html).0
    }

    /// An article with navigation and reader comments.
    fn article() -> String {
        let links: String = (0..12).map(|i| format!("<li><a href=/{i}>Section number {i}</a>")).collect();
        let body: String = (0..8).map(|i| format!("<p>{SENTENCE} It was night {i} of the watch.</p>")).collect();
        let comments =
            format!("<div class=comment><p>I was there that night, too, and saw it all. {SENTENCE}</p></div>");
        format!(
            "<title>The lamp</title><nav><ul>{links}</ul></nav><article><h1>The lamp</h1>{body}</article>\
             <div class=comments><h3>2 comments</h3>{comments}</div><footer>© 2020 <a href=/>Lights</a></footer>"
        )
    }

    #[test]
    fn the_article_is_kept_and_the_rest_is_removed() {
        let text = text_of(&article());
        assert!(text.contains("night 0 of") && text.contains("night 7 of"), "{text}");
        assert!(!text.contains("Section number") && !text.contains("2020") && !text.contains("I was there"), "{text}");
    }

    #[test]
    fn repeated_sentences_are_kept_and_copies_are_removed() {
        let verse =
            |n: usize| format!("<p>The keeper of tower {n} lit the lamp at dusk, and again when the fog came in.</p>");
        let refrain = "<p>Serve with two slices of dark bread and a glass of cold water, as always.</p>";
        let song: String = (0..6).map(|n| format!("<h3>Supper {n}</h3>{}{refrain}", verse(n))).collect();
        let once = text_of(&format!("<title>Suppers</title><article><h1>Suppers</h1>{song}</article>"));
        assert!(once.matches("Serve with two").count() >= 5, "{once}");
        let twice = text_of(&format!("<title>Suppers</title><article>{song}</article><article>{song}</article>"));
        assert_eq!(twice.matches("tower 3").count(), 1, "{twice}");
    }

    #[test]
    fn comments_are_kept_on_request() {
        let options = ExtractOptions { comments: true, ..ExtractOptions::default() };
        let mut workspace = Workspace::default();
        let found = Extractor::new(options).extract(&article(), None, &mut workspace);
        assert!(found.text().contains("I was there that night"));
    }

    #[test]
    fn a_page_with_text_always_yields_text() {
        for html in ["x", "<a href=/>Home</a>", "<nav><a href=/>Home</a></nav>", "<select><option>a</select>", "<td>1"]
        {
            let (text, confidence, _) = extract_with(ExtractOptions::default(), html);
            assert!(!text.is_empty(), "{html}");
            assert!((0.0..=1.0).contains(&confidence), "{confidence}");
        }
    }

    #[test]
    fn a_page_without_text_says_so() {
        for html in ["", " \n", "<html><head></head><body><img src=x></body></html>"] {
            let (text, confidence, note) = extract_with(ExtractOptions::default(), html);
            assert_eq!((text.as_str(), confidence), ("", 0.0));
            assert!(note.is_some());
        }
    }

    #[test]
    fn what_a_page_states_is_better_than_nothing() {
        let html = format!(
            "<script type='application/ld+json'>{{\"@graph\":[{{\"articleBody\":\"{SENTENCE}\"}}]}}</script><div id=app></div>"
        );
        let (text, confidence, note) = extract_with(ExtractOptions::default(), &html);
        assert_eq!(text, SENTENCE);
        assert!(confidence < 0.5 && note.is_some());
        assert_eq!(text_of("<meta name=description content='Lamps &amp; light'><body>"), "Lamps & light");
    }

    #[test]
    fn the_krdwrd_profile_keeps_sentences_only() {
        let options = ExtractOptions { profile: ExtractProfile::KrdWrd, ..ExtractOptions::default() };
        let (text, ..) = extract_with(options, &article());
        assert!(text.contains(SENTENCE) && !text.contains("The lamp\n"), "{text}");
    }

    #[test]
    fn published_methods_can_be_empty_handed_and_say_so() {
        let method = ExtractMethod::JusText(JusTextOptions::PUBLISHED);
        let (text, confidence, note) = extract_with(ExtractOptions { method, ..ExtractOptions::default() }, "<p>short");
        assert_eq!((text.as_str(), confidence), ("", 0.0));
        assert!(note.is_some());
        let (text, ..) =
            extract_with(ExtractOptions { method: ExtractMethod::Bte, ..ExtractOptions::default() }, &article());
        assert!(text.contains("night 3 of"));
    }

    #[test]
    fn pages_before_leave_no_trace() {
        let extractor = Extractor::default();
        let mut workspace = Workspace::default();
        let first = extractor.extract(&article(), None, &mut workspace).text();
        for html in ["", "<p>x", "<table><tr><td>a<td>b</table>"] {
            extractor.extract(html, None, &mut workspace);
            assert_eq!(extractor.extract(&article(), None, &mut workspace).text(), first);
        }
    }

    proptest::proptest! {
        /// Compares the cut with a simple reference that tries every number of blocks.
        #[test]
        fn the_cut_makes_the_expected_f1_highest(
            blocks in proptest::collection::vec((1..40_usize, 0.01_f32..0.99), 1..30)
        ) {
            let html: String = blocks.iter().map(|(words, _)| format!("<p>{}", "word ".repeat(*words))).collect();
            let mut workspace = Workspace::default();
            Extractor::default().segment(&html, &mut workspace);
            workspace.measures.measure(&html, &workspace.page);
            workspace.probabilities = blocks.iter().map(|(_, probability)| *probability).collect();
            let decision = |&(_, p): &(usize, f32)| Decision { keep: true, probability: Some(p), rule: DecisionRule::Learned };
            workspace.decisions = blocks.iter().map(decision).collect();
            let found = workspace.cut();

            let mut sorted: Vec<(f32, f32)> = blocks.iter().map(|&(words, p)| (p, words as f32)).collect();
            sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
            let expected: f32 = sorted.iter().map(|(p, words)| p * words).sum();
            let f1 = |count: usize| {
                let words: f32 = sorted[..count].iter().map(|(_, words)| words).sum();
                2.0 * sorted[..count].iter().map(|(p, words)| p * words).sum::<f32>() / (words + expected)
            };
            let best = (1..=sorted.len()).map(f1).fold(0.0, f32::max);
            let kept = workspace.decisions.iter().filter(|decision| decision.keep).count();
            proptest::prop_assert!((found - best).abs() < 1e-4 && (f1(kept) - best).abs() < 1e-4);
        }
    }
}
