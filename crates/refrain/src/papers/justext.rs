//! jusText, as published: J. Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora (2011), chapter 3.
//!
//! The method uses four observations. Short blocks with a link are boilerplate, and so are blocks with many links. Long
//! blocks of grammatical text are good, other long blocks are not. Good and bad blocks come in clusters. Grammatical
//! text is recognised by its share of stop words.

use std::borrow::Cow;

use crate::document::{Block, BlockKind, Document, Label, Mark, Reason};
use crate::text::{StopList, stop_list};

pub(crate) mod blocks;

/// The published parameters, with their published names and defaults.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JusTextOptions {
    /// Blocks with a larger share of characters in links are bad.
    pub max_link_density: f64,
    /// Blocks below this many characters are short.
    pub length_low: usize,
    /// Blocks above this many characters, with enough stop words, are good.
    pub length_high: usize,
    /// Share of stop words that makes a block near-good.
    pub stopwords_low: f64,
    /// Share of stop words that makes a long block good.
    pub stopwords_high: f64,
    /// A heading is kept when good text follows within this many characters.
    pub max_heading_distance: usize,
    /// Treat headings like other blocks.
    pub no_headings: bool,
}

impl JusTextOptions {
    /// The values that were published.
    pub const PUBLISHED: JusTextOptions = JusTextOptions {
        max_link_density: 0.2,
        length_low: 70,
        length_high: 200,
        stopwords_low: 0.30,
        stopwords_high: 0.32,
        max_heading_distance: 200,
        no_headings: false,
    };
}

impl Default for JusTextOptions {
    fn default() -> Self {
        JusTextOptions::PUBLISHED
    }
}

/// The class of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Main content.
    Good,
    /// Probably main content; the neighbours decide.
    NearGood,
    /// Too short to classify; the neighbours decide.
    Short,
    /// Boilerplate.
    Bad,
}

impl Class {
    /// The published name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Good => "good",
            Class::NearGood => "neargood",
            Class::Short => "short",
            Class::Bad => "bad",
        }
    }
}

/// The class of a block, and the figures it depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Classified {
    /// The class by the block alone.
    pub context_free: Class,
    /// The class with its neighbours: good or bad.
    pub class: Class,
    /// Characters.
    pub length: usize,
    /// Share of characters in links.
    pub link_density: f64,
    /// Share of words that are stop words.
    pub stop_word_density: f64,
    heading: bool,
}

impl Classified {
    /// The figures as the reason of a mark.
    pub(crate) fn reason(&self) -> Reason {
        Reason::Classified {
            class: self.class.name().into(),
            context_free: self.context_free.name().into(),
            length: self.length as u32,
            link_density: rounded(self.link_density),
            stop_word_density: rounded(self.stop_word_density),
        }
    }
}

/// The pass. Marks blocks that are not good as [`Label::Boilerplate`].
#[derive(Debug, Clone, Default)]
pub struct JusText {
    /// Thresholds.
    pub options: JusTextOptions,
    /// Language whose stop list is used for pages whose own language is not known. Without it, and in languages that have
    /// no list, pages are judged without stop words.
    pub fallback_language: Option<String>,
}

impl JusText {
    /// The stop list for a document.
    fn stop_list_for(&self, document: &Document) -> Option<&'static StopList> {
        document.language.as_deref().or(self.fallback_language.as_deref()).and_then(stop_list)
    }

    /// Classifies the blocks of a document. Without a stop list the share of stop words plays no part.
    pub fn classify(&self, document: &Document, stop_words: Option<&StopList>) -> Vec<Classified> {
        self.classify_blocks(document.text(), document.blocks(), stop_words)
    }

    /// The same for blocks that belong to no document yet.
    pub(crate) fn classify_blocks(
        &self,
        text: &str,
        blocks: &[Block],
        stop_words: Option<&StopList>,
    ) -> Vec<Classified> {
        let mut options = self.options;
        if stop_words.is_none() {
            (options.stopwords_low, options.stopwords_high) = (0.0, 0.0);
        }
        let measure = |block| measure(text, block, stop_words, &options);
        let mut blocks: Vec<Classified> = blocks.iter().map(measure).collect();
        revise(&mut blocks, &options);
        blocks
    }

    /// Marks the blocks of a document that are not main content.
    pub fn mark(&self, document: &mut Document) {
        let classes = self.classify(document, self.stop_list_for(document));
        let bad = document.blocks().iter().zip(classes).filter(|(_, found)| found.class != Class::Good);
        let mark = |(block, found): (&Block, Classified)| Mark {
            span: block.span,
            label: Label::Boilerplate,
            pass: Cow::Borrowed("justext"),
            reason: found.reason(),
        };
        let marks: Vec<Mark> = bad.map(mark).collect();
        document.marks.extend(marks);
    }
}

/// A share as people read it: three digits.
fn rounded(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

/// The context-free step: a block by itself.
fn measure(text: &str, block: &Block, stop_words: Option<&StopList>, options: &JusTextOptions) -> Classified {
    let text = block.span.of(text);
    let length = text.chars().count();
    let link_density = if length == 0 { 0.0 } else { f64::from(block.link_chars) / length as f64 };
    let stop_word_density = stop_words.map_or(0.0, |list| density(text, list));
    let context_free = if link_density > options.max_link_density
        || text.contains('©')
        || text.contains("&copy")
        || block.kind == BlockKind::Choice
    {
        Class::Bad
    } else if length < options.length_low {
        if block.link_chars > 0 { Class::Bad } else { Class::Short }
    } else if stop_word_density >= options.stopwords_high {
        if length > options.length_high { Class::Good } else { Class::NearGood }
    } else if stop_word_density >= options.stopwords_low {
        Class::NearGood
    } else {
        Class::Bad
    };
    let heading = block.kind == BlockKind::Heading && !options.no_headings;
    Classified { context_free, class: context_free, length, link_density, stop_word_density, heading }
}

/// The share of words that are stop words. Words are what white space separates, as published.
fn density(text: &str, list: &StopList) -> f64 {
    let (mut words, mut stop_words) = (0_u32, 0_u32);
    let mut lower = String::new();
    for word in text.split_whitespace() {
        words += 1;
        let found = if !word.is_ascii() {
            // Some letters depend on their place in the word.
            list.contains(&word.to_lowercase())
        } else if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lower.clear();
            lower.push_str(word);
            lower.make_ascii_lowercase();
            list.contains(&lower)
        } else {
            list.contains(word)
        };
        stop_words += u32::from(found);
    }
    if words == 0 { 0.0 } else { f64::from(stop_words) / f64::from(words) }
}

/// The context-sensitive step: doubtful blocks by their neighbours.
fn revise(blocks: &mut [Classified], options: &JusTextOptions) {
    // Headings before good text are near-good.
    for i in 0..blocks.len() {
        if blocks[i].heading && blocks[i].class == Class::Short && good_follows(blocks, i, options) {
            blocks[i].class = Class::NearGood;
        }
    }
    // Short blocks take the class of what surrounds them. All are judged before any is changed.
    let neighbours = Neighbours::of(blocks);
    let mut revised = Vec::new();
    for (i, block) in blocks.iter().enumerate() {
        if block.class == Class::Short {
            let (before, after) = (neighbours.before[i], neighbours.after[i]);
            let good = match (before.firm, after.firm) {
                (Class::Good, Class::Good) => true,
                (Class::Bad, Class::Bad) => false,
                _ => {
                    (before.firm == Class::Bad && before.any == Class::NearGood)
                        || (after.firm == Class::Bad && after.any == Class::NearGood)
                }
            };
            revised.push((i, if good { Class::Good } else { Class::Bad }));
        }
    }
    for (i, class) in revised {
        blocks[i].class = class;
    }
    // Near-good blocks are good unless they are between bad ones. Each decision affects the next.
    let mut before = Class::Bad;
    let mut after = vec![Class::Bad; blocks.len()];
    for i in (1..blocks.len()).rev() {
        after[i - 1] = if blocks[i].class == Class::NearGood { after[i] } else { blocks[i].class };
    }
    for (block, after) in blocks.iter_mut().zip(after) {
        if block.class == Class::NearGood {
            block.class = if (before, after) == (Class::Bad, Class::Bad) { Class::Bad } else { Class::Good };
        }
        before = block.class;
    }
    // Headings that were classified as bad become good again if good text follows.
    for i in 0..blocks.len() {
        let lost = blocks[i].class == Class::Bad && blocks[i].context_free != Class::Bad;
        if blocks[i].heading && lost && good_follows(blocks, i, options) {
            blocks[i].class = Class::Good;
        }
    }
}

/// True when a good block begins within the distance that a heading may have from its text.
fn good_follows(blocks: &[Classified], heading: usize, options: &JusTextOptions) -> bool {
    let mut distance = 0;
    for block in &blocks[heading + 1..] {
        if distance > options.max_heading_distance {
            return false;
        }
        if block.class == Class::Good {
            return true;
        }
        distance += block.length;
    }
    false
}

/// The nearest block on one side that is not short.
#[derive(Clone, Copy)]
struct Neighbour {
    /// Good or bad: near-good blocks are skipped, too.
    firm: Class,
    /// Good, near-good or bad.
    any: Class,
}

/// The neighbours of every block. Beyond the edges of the page all is bad.
struct Neighbours {
    before: Vec<Neighbour>,
    after: Vec<Neighbour>,
}

impl Neighbours {
    fn of(blocks: &[Classified]) -> Neighbours {
        let mut after = Neighbours::walk(blocks.iter().rev());
        after.reverse();
        Neighbours { before: Neighbours::walk(blocks.iter()), after }
    }

    fn walk<'a>(blocks: impl Iterator<Item = &'a Classified>) -> Vec<Neighbour> {
        let mut nearest = Neighbour { firm: Class::Bad, any: Class::Bad };
        blocks
            .map(|block| {
                let seen = nearest;
                match block.class {
                    Class::Short => {}
                    Class::NearGood => nearest.any = Class::NearGood,
                    class => nearest = Neighbour { firm: class, any: class },
                }
                seen
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Span;

    /// The published procedure, literally, with its nested searches: the reference for [`revise`].
    fn revise_plainly(blocks: &mut [Classified], options: &JusTextOptions) {
        fn neighbour(blocks: &[Classified], from: usize, step: isize, ignore_near_good: bool) -> Class {
            let mut i = from;
            while let Some(next) = i.checked_add_signed(step).filter(|&next| next < blocks.len()) {
                match blocks[next].class {
                    class @ (Class::Good | Class::Bad) => return class,
                    Class::NearGood if !ignore_near_good => return Class::NearGood,
                    _ => i = next,
                }
            }
            Class::Bad
        }
        for i in 0..blocks.len() {
            if !(blocks[i].heading && blocks[i].class == Class::Short) {
                continue;
            }
            let (mut j, mut distance) = (i + 1, 0);
            while j < blocks.len() && distance <= options.max_heading_distance {
                if blocks[j].class == Class::Good {
                    blocks[i].class = Class::NearGood;
                    break;
                }
                distance += blocks[j].length;
                j += 1;
            }
        }
        let mut new_classes = Vec::new();
        for i in 0..blocks.len() {
            if blocks[i].class != Class::Short {
                continue;
            }
            let previous = neighbour(blocks, i, -1, true);
            let next = neighbour(blocks, i, 1, true);
            let class = if previous == Class::Good && next == Class::Good {
                Class::Good
            } else if (previous == Class::Bad && next == Class::Bad)
                || !((previous == Class::Bad && neighbour(blocks, i, -1, false) == Class::NearGood)
                    || (next == Class::Bad && neighbour(blocks, i, 1, false) == Class::NearGood))
            {
                Class::Bad
            } else {
                Class::Good
            };
            new_classes.push((i, class));
        }
        for (i, class) in new_classes {
            blocks[i].class = class;
        }
        for i in 0..blocks.len() {
            if blocks[i].class == Class::NearGood {
                let both = (neighbour(blocks, i, -1, true), neighbour(blocks, i, 1, true));
                blocks[i].class = if both == (Class::Bad, Class::Bad) { Class::Bad } else { Class::Good };
            }
        }
        for i in 0..blocks.len() {
            if !(blocks[i].heading && blocks[i].class == Class::Bad && blocks[i].context_free != Class::Bad) {
                continue;
            }
            let (mut j, mut distance) = (i + 1, 0);
            while j < blocks.len() && distance <= options.max_heading_distance {
                if blocks[j].class == Class::Good {
                    blocks[i].class = Class::Good;
                    break;
                }
                distance += blocks[j].length;
                j += 1;
            }
        }
    }

    fn block(class: Class, heading: bool, length: usize) -> Classified {
        Classified { context_free: class, class, length, link_density: 0.0, stop_word_density: 0.0, heading }
    }

    proptest::proptest! {
        #[test]
        fn revision_agrees_with_the_published_procedure(
            blocks in proptest::collection::vec((0..4_u8, proptest::bool::ANY, 0..150_usize), 0..40)
        ) {
            let class = |n| [Class::Good, Class::NearGood, Class::Short, Class::Bad][usize::from(n)];
            let mut fast: Vec<_> = blocks.iter().map(|&(c, heading, length)| block(class(c), heading, length)).collect();
            let mut plain = fast.clone();
            revise(&mut fast, &JusTextOptions::default());
            revise_plainly(&mut plain, &JusTextOptions::default());
            proptest::prop_assert_eq!(fast, plain);
        }
    }

    fn context_free(text: &str, kind: BlockKind, link_chars: u32) -> Class {
        let block = Block { span: Span::new(0, text.len()), kind, link_chars };
        measure(text, &block, stop_list("en"), &JusTextOptions::default()).context_free
    }

    #[test]
    fn blocks_at_the_thresholds() {
        let p = BlockKind::Paragraph;
        let grammatical = "the of and to in is was for on that it with as his he be at by this had not are but from or \
            have an they which one you were all her she there would their we him been has when who will no more if out \
            so up said what its about than into them can only other time new some could";
        assert_eq!(context_free(grammatical, p, 0), Class::Good);
        assert_eq!(context_free(&grammatical[..120], p, 0), Class::NearGood);
        assert_eq!(context_free(&grammatical[..69], p, 0), Class::Short);
        assert_eq!(context_free(&grammatical[..69], p, 1), Class::Bad, "short with a link");
        assert_eq!(context_free(grammatical, p, 60), Class::Bad, "many links");
        assert_eq!(context_free(&format!("© {grammatical}"), p, 0), Class::Bad);
        assert_eq!(context_free(grammatical, BlockKind::Choice, 0), Class::Bad);
        assert_eq!(context_free(&"xylophone ".repeat(30), p, 0), Class::Bad, "no stop words");
    }

    #[test]
    fn a_page_without_a_language_is_judged_without_stop_words() {
        let page = crate::extract::segment(&format!("<p>{}</p><p><a>Home</a></p>", "xylophone ".repeat(30)));
        let mut document = Document::default();
        document.set_text_and_blocks(page.text, page.blocks);
        let classes = JusText::default().classify(&document, None);
        assert_eq!(classes.iter().map(|c| c.class).collect::<Vec<_>>(), [Class::Good, Class::Bad]);
    }
}
