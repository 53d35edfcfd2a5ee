//! The features of each block of a page, as numbers.
//!
//! They describe the block itself, its neighbours, the elements around it, the blocks in similar elements, and the
//! page. All of them come from sums that are computed once per page, so the work is linear in the number of blocks.

pub(crate) use self::context::Context;

use self::block::{CUE_NAMES, Cue, Measure, each_word};
use super::segment::{ParsedPage, Place, Statement};
use super::tags::Tag;
use super::traits::Traits;
use crate::document::BlockKind;

mod block;
mod context;

/// The sums and measures of a page from which the features of its blocks are computed.
#[derive(Debug, Default)]
pub(crate) struct Measures {
    blocks: Vec<Measure>,
    /// Prefix sums over the blocks: one entry more than there are blocks.
    sums: Vec<Sums>,
    elements: Vec<Inside>,
    rows: Vec<Row>,
    kin: Vec<(u32, u32, u32)>,
    /// Buffer to sort blocks, first by the hash of their text, then by path.
    paths: Vec<(u32, u32)>,
    by_path: Vec<ByPath>,
    /// The index in `by_path` of each block.
    path_of: Vec<u32>,
    title_words: Vec<u32>,
    page: Whole,
}

/// Sums over blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    words: f32,
    link_words: f32,
    good_words: f32,
    good: f32,
    headings: f32,
}

impl Sums {
    fn of(block: &Measure, heading: bool) -> Sums {
        Sums {
            words: block.words,
            link_words: block.link_words,
            good_words: if block.good { block.words } else { 0.0 },
            good: f32::from(u8::from(block.good)),
            headings: f32::from(u8::from(heading)),
        }
    }

    fn plus(self, other: Sums) -> Sums {
        Sums {
            words: self.words + other.words,
            link_words: self.link_words + other.link_words,
            good_words: self.good_words + other.good_words,
            good: self.good + other.good,
            headings: self.headings + other.headings,
        }
    }

    fn minus(self, other: Sums) -> Sums {
        Sums {
            words: self.words - other.words,
            link_words: self.link_words - other.link_words,
            good_words: self.good_words - other.good_words,
            good: self.good - other.good,
            headings: self.headings - other.headings,
        }
    }
}

/// The content of an element.
#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    sums: Sums,
    blocks: f32,
    /// How strongly the text directly inside suggests that the element contains the main content.
    score: f32,
    /// The highest score among this element and its ancestors.
    best: f32,
    in_top: bool,
    /// First block inside, and one past the last.
    first: u32,
    end: u32,
    dates: f32,
    /// Words about legal matters, accounts and shopping.
    cues: [f32; 3],
    /// Index of its row, if it has similar siblings.
    row: u32,
    /// Index of the innermost row that contains it.
    in_row: u32,
}

/// Sibling elements of one kind: comments, results, cards, paragraphs.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    sums: Sums,
    blocks: f32,
    members: f32,
    dated: f32,
    headed: f32,
    linked: f32,
    squares: f32,
    first: u32,
    end: u32,
}

/// The content of all elements with the same path.
#[derive(Debug, Clone, Copy, Default)]
struct ByPath {
    sums: Sums,
    blocks: f32,
}

/// The page as a whole.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)] // independent facts
struct Whole {
    sums: Sums,
    blocks: f32,
    source: f32,
    max_score: f32,
    first_good: f32,
    last_good: f32,
    in_articles: f32,
    in_main: f32,
    in_cells: f32,
    in_items: f32,
    in_comments: f32,
    articles: f32,
    headings_1: f32,
    states_article: bool,
    states_product: bool,
    has_body_text: bool,
    longest: f32,
    links: f32,
    images: f32,
    dates: f32,
    /// The first short block after good text that mentions comments.
    comment_cue: f32,
    good_before_comment_cue: f32,
    related_cue: f32,
    largest_row: f32,
    in_messages: f32,
    states_discussion: bool,
    states_list: bool,
    /// The traits of the body.
    named: Traits,
}

const WINDOWS: [usize; 4] = [2, 4, 8, 16];

impl Measures {
    /// Measures a page. Replaces all earlier measures and reuses the buffers.
    pub(crate) fn measure(&mut self, html: &str, page: &ParsedPage) {
        self.measure_blocks(page);
        self.measure_elements(page);
        self.measure_rows(page);
        self.measure_paths(page);
        self.measure_page(html, page);
    }

    fn measure_blocks(&mut self, page: &ParsedPage) {
        self.title_words.clear();
        each_word(page.title.as_deref().unwrap_or_default(), |hash, length| {
            if length > 2 && !self.title_words.contains(&hash) && self.title_words.len() < 64 {
                self.title_words.push(hash);
            }
        });
        self.blocks.clear();
        self.sums.clear();
        self.sums.push(Sums::default());
        for block in &page.blocks {
            let measure = Measure::of(block, block.span.of(&page.text), &self.title_words);
            let sums = Sums::of(&measure, block.kind == BlockKind::Heading);
            self.sums.push(self.sums[self.sums.len() - 1].plus(sums));
            self.blocks.push(measure);
        }
        self.paths.clear();
        self.paths.extend(self.blocks.iter().enumerate().map(|(i, block)| (block.hash, i as u32)));
        self.paths.sort_unstable();
        for same in self.paths.chunk_by(|a, b| a.0 == b.0) {
            for (nth, &(_, block)) in same.iter().enumerate() {
                self.blocks[block as usize].copies = same.len() as f32;
                self.blocks[block as usize].repeated = nth > 0;
            }
        }
    }

    fn measure_elements(&mut self, page: &ParsedPage) {
        let outline = &page.outline;
        self.elements.clear();
        self.elements.resize(outline.elements.len(), Inside { first: u32::MAX, ..Inside::default() });
        for (i, (measure, place)) in self.blocks.iter().zip(&outline.places).enumerate() {
            let inside = &mut self.elements[place.element as usize];
            inside.sums = inside.sums.plus(self.sums[i + 1].minus(self.sums[i]));
            inside.blocks += 1.0;
            inside.dates += measure.dates;
            for (sum, cue) in inside.cues.iter_mut().zip([Cue::LEGAL, Cue::SUBSCRIBE, Cue::SHOP]) {
                *sum += measure.cues[cue];
            }
            inside.first = inside.first.min(i as u32);
            inside.end = i as u32 + 1;
            if measure.good {
                let score = (1.0 + measure.commas + (measure.chars / 100.0).min(3.0)) * (1.0 - measure.link_density);
                let mut element = place.element;
                // A paragraph counts for the element around it; text outside paragraphs counts for its own element.
                if matches!(outline.elements[element as usize].tag, Tag::P | Tag::Pre | Tag::Blockquote | Tag::Li) {
                    element = outline.elements[element as usize].parent;
                }
                for weight in [1.0, 0.5, 0.25] {
                    self.elements[element as usize].score += score * weight;
                    let parent = outline.elements[element as usize].parent;
                    if parent == element {
                        break;
                    }
                    element = parent;
                }
            }
        }
        // Children come after their parents, so a backward pass adds each one to its parent.
        for i in (1..self.elements.len()).rev() {
            let (parent, inside) = (outline.elements[i].parent as usize, self.elements[i]);
            let around = &mut self.elements[parent];
            around.sums = around.sums.plus(inside.sums);
            around.blocks += inside.blocks;
            around.dates += inside.dates;
            for (sum, cue) in around.cues.iter_mut().zip(inside.cues) {
                *sum += cue;
            }
            around.first = around.first.min(inside.first);
            around.end = around.end.max(inside.end);
        }
        let mut top = (0.0, 0);
        for (i, inside) in self.elements.iter_mut().enumerate() {
            inside.score *= 1.0 - share(inside.sums.link_words, inside.sums.words);
            if inside.score > top.0 {
                top = (inside.score, i);
            }
        }
        for i in 0..self.elements.len() {
            let parent = outline.elements[i].parent as usize;
            let (best, in_top) =
                if i == 0 { (0.0, false) } else { (self.elements[parent].best, self.elements[parent].in_top) };
            self.elements[i].best = self.elements[i].score.max(best);
            self.elements[i].in_top = in_top || (i == top.1 && top.0 > 0.0);
        }
        self.page.max_score = top.0;
        for (measure, place) in self.blocks.iter_mut().zip(&outline.places) {
            let mut element = place.element;
            for _ in 0..MAX_CLIMB {
                let parent = outline.elements[element as usize].parent;
                if self.elements[element as usize].blocks >= 3.0 || parent == element {
                    break;
                }
                element = parent;
            }
            measure.container = element;
        }
    }

    /// Finds elements with similar siblings.
    fn measure_rows(&mut self, page: &ParsedPage) {
        let elements = &page.outline.elements;
        self.rows.clear();
        self.rows.push(Row::default());
        self.kin.clear();
        for (i, (element, inside)) in elements.iter().zip(&self.elements).enumerate().skip(1) {
            // Lines, cells and elements without text are not units.
            if inside.blocks > 0.0 {
                self.kin.push((element.parent, element.kin, i as u32));
            }
        }
        self.kin.sort_unstable();
        for kin in self.kin.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if kin.len() < 2 {
                continue;
            }
            let mut row = Row { first: u32::MAX, ..Row::default() };
            for &(_, _, member) in kin {
                let inside = &mut self.elements[member as usize];
                inside.row = self.rows.len() as u32;
                row.sums = row.sums.plus(inside.sums);
                row.blocks += inside.blocks;
                row.members += 1.0;
                row.dated += f32::from(u8::from(inside.dates > 0.0));
                row.headed += f32::from(u8::from(inside.sums.headings > 0.0));
                row.linked += f32::from(u8::from(inside.sums.link_words > 0.0));
                row.squares += inside.sums.words * inside.sums.words;
                row.first = row.first.min(inside.first);
                row.end = row.end.max(inside.end);
            }
            self.rows.push(row);
        }
        for (i, element) in elements.iter().enumerate().skip(1) {
            let inside = self.elements[i];
            // Rows of single blocks are paragraphs and cells; rows of larger units are what we look for.
            let unit =
                inside.row > 0 && self.rows[inside.row as usize].blocks >= 2.0 * self.rows[inside.row as usize].members;
            let around = self.elements[element.parent as usize].in_row;
            self.elements[i].in_row = if unit { inside.row } else { around };
        }
    }

    fn measure_paths(&mut self, page: &ParsedPage) {
        let path = |place: &Place| page.outline.elements[place.element as usize].path;
        self.paths.clear();
        self.paths.extend(page.outline.places.iter().enumerate().map(|(i, place)| (path(place), i as u32)));
        self.paths.sort_unstable();
        self.by_path.clear();
        self.path_of.clear();
        self.path_of.resize(self.blocks.len(), 0);
        let mut last = None;
        for &(path, block) in &self.paths {
            if last != Some(path) {
                self.by_path.push(ByPath::default());
                last = Some(path);
            }
            let index = self.by_path.len() - 1;
            self.path_of[block as usize] = index as u32;
            let entry = &mut self.by_path[index];
            let i = block as usize;
            entry.sums = entry.sums.plus(self.sums[i + 1].minus(self.sums[i]));
            entry.blocks += 1.0;
        }
    }

    fn measure_page(&mut self, html: &str, page: &ParsedPage) {
        let outline = &page.outline;
        let count = self.blocks.len();
        let max_score = self.page.max_score;
        let mut whole = Whole { max_score, ..Whole::default() };
        whole.sums = self.sums[count];
        whole.blocks = count as f32;
        whole.source = html.len() as f32;
        whole.named = outline.elements[0].own;
        whole.first_good = count as f32;
        whole.comment_cue = count as f32;
        whole.related_cue = count as f32;
        for row in &self.rows {
            whole.largest_row = whole.largest_row.max(if row.members >= 3.0 { row.sums.good_words } else { 0.0 });
        }
        let mut related = false;
        for (i, (measure, place)) in self.blocks.iter().zip(&outline.places).enumerate() {
            let traits = outline.elements[place.element as usize].traits;
            whole.links += f32::from(place.links);
            whole.images += f32::from(place.images);
            whole.longest = whole.longest.max(if measure.link_density < 0.4 { measure.words } else { 0.0 });
            whole.dates += measure.dates.min(1.0);
            if measure.words <= 10.0 && self.sums[i].good_words > 0.2 * whole.sums.good_words {
                if measure.cues[Cue::COMMENT] > 0.0 && whole.good_before_comment_cue == 0.0 {
                    whole.comment_cue = i as f32;
                    whole.good_before_comment_cue = share(self.sums[i].good_words, whole.sums.good_words);
                }
                if measure.cues[Cue::RELATED] > 0.0 && !related {
                    whole.related_cue = i as f32;
                    related = true;
                }
            }
            if measure.good {
                whole.first_good = whole.first_good.min(i as f32);
                whole.last_good = i as f32;
                for (share, wanted) in [
                    (&mut whole.in_articles, Traits::ARTICLE),
                    (&mut whole.in_main, Traits::MAIN),
                    (&mut whole.in_cells, Traits::CELL),
                    (&mut whole.in_items, Traits::ITEM),
                    (&mut whole.in_comments, Traits::COMMENT),
                    (&mut whole.in_messages, Traits::MESSAGE),
                ] {
                    if traits.has(wanted) {
                        *share += measure.words;
                    }
                }
            }
            whole.has_body_text |= traits.has(Traits::BODY_TEXT);
        }
        for element in &outline.elements {
            whole.articles += f32::from(u8::from(element.tag == Tag::Article));
            whole.headings_1 += f32::from(u8::from(element.tag == Tag::H1));
        }
        for statement in &outline.statements {
            match statement {
                Statement::Meta { key, value } if key.of(html).eq_ignore_ascii_case("og:type") => {
                    whole.states_article |= value.of(html).starts_with("article");
                    whole.states_product |= value.of(html).contains("product");
                }
                Statement::Meta { key, value } if key.of(html).eq_ignore_ascii_case("generator") => {
                    let generator = value.of(html).to_ascii_lowercase();
                    let boards =
                        ["vbulletin", "phpbb", "discourse", "xenforo", "mybb", "invision", "smf", "flarum", "nodebb"];
                    whole.states_discussion |= boards.iter().any(|board| generator.contains(board));
                }
                Statement::Data(data) => {
                    let data = data.of(html).as_bytes();
                    let names = |name: &str| memchr::memmem::find(data, name.as_bytes()).is_some();
                    whole.states_article |= names("Article\"") || names("BlogPosting\"");
                    whole.states_product |= names("\"Product\"");
                    whole.states_discussion |= names("DiscussionForumPosting\"") || names("\"QAPage\"");
                    whole.states_list |= names("\"ItemList\"") || names("\"CollectionPage\"");
                }
                _ => {}
            }
        }
        self.page = whole;
    }

    /// The word count of a block.
    pub(crate) fn words(&self, block: usize) -> f32 {
        self.blocks[block].words
    }

    /// True if other blocks of the page have the same text, and it is too long to recur by chance.
    pub(crate) fn has_copies(&self, block: usize) -> bool {
        self.blocks[block].copies > 1.0 && self.blocks[block].words >= SHORTEST_COPY
    }

    /// True for blocks that read like running text.
    pub(crate) fn is_good(&self, block: usize) -> bool {
        self.blocks[block].good
    }

    /// A hash of the text of a block.
    pub(crate) fn hash(&self, block: usize) -> u32 {
        self.blocks[block].hash
    }

    /// True if the blocks before, or the blocks after, two blocks have the same text.
    pub(crate) fn have_like_neighbours(&self, one: usize, other: usize) -> bool {
        [-1, 1].into_iter().any(|step| {
            let beside = |block: usize| block.checked_add_signed(step).filter(|&at| at != one && at != other);
            let hash = |block: usize| beside(block).and_then(|at| self.blocks.get(at)).map(|measure| measure.hash);
            hash(one).is_some() && hash(one) == hash(other)
        })
    }

    /// True if the page consists mainly of contributions by readers.
    pub(crate) fn is_discussion(&self) -> bool {
        let whole = &self.page;
        let good = whole.sums.good_words;
        let messages = whole.in_messages > 0.5 * good && whole.in_messages > whole.in_comments + 0.2 * good;
        whole.states_discussion || (messages && !whole.states_article)
    }

    /// Passes all features of a block to `add`, by name, always in the same order: page features, traits, block
    /// features.
    pub(crate) fn each_feature(&self, page: &ParsedPage, block: usize, add: &mut impl FnMut(&'static str, f32)) {
        self.each_page_feature(add);
        for (bit, name) in TRAIT_NAMES.iter().enumerate() {
            add(name, f32::from(u8::from(traits_of(page, block).0 >> bit & 1 == 1)));
        }
        self.each_block_feature(page, block, add);
    }

    /// Passes the features that all blocks of the page share to `add`.
    pub(crate) fn each_page_feature(&self, add: &mut impl FnMut(&'static str, f32)) {
        let whole = &self.page;
        let flag = |is: bool| f32::from(u8::from(is));
        add("page_words", whole.sums.words);
        add("page_good", share(whole.sums.good_words, whole.sums.words));
        add("page_good_words", whole.sums.good_words);
        add("page_links", share(whole.sums.link_words, whole.sums.words));
        add("page_blocks", whole.blocks);
        add("page_text_share", share(whole.sums.words, whole.source));
        add("page_articles", whole.articles);
        add("page_h1", whole.headings_1);
        add("page_headings", share(whole.sums.headings, whole.blocks));
        add("page_in_articles", share(whole.in_articles, whole.sums.good_words));
        add("page_in_main", share(whole.in_main, whole.sums.good_words));
        add("page_in_cells", share(whole.in_cells, whole.sums.good_words));
        add("page_in_items", share(whole.in_items, whole.sums.good_words));
        add("page_in_comments", share(whole.in_comments, whole.sums.good_words));
        add("page_states_article", flag(whole.states_article));
        add("page_states_product", flag(whole.states_product));
        add("page_has_body_text", flag(whole.has_body_text));
        add("page_longest", whole.longest);
        add("page_images", whole.images);
        add("page_max_score", whole.max_score);
        add("page_dates", whole.dates);
        add("page_in_messages", share(whole.in_messages, whole.sums.good_words));
        add("page_states_discussion", flag(whole.states_discussion));
        add("page_states_list", flag(whole.states_list));
        add("page_named_message", flag(whole.named.has(Traits::MESSAGE)));
        add("page_named_product", flag(whole.named.has(Traits::PRODUCT)));
        add("page_named_post", flag(whole.named.has(Traits::POST)));
        add("page_named_listing", flag(whole.named.has(Traits::LISTING)));
        add("page_largest_row", share(whole.largest_row, whole.sums.good_words));
    }

    /// Passes the features of the block itself to `add`.
    #[allow(clippy::too_many_lines)] // a list
    pub(crate) fn each_block_feature(&self, page: &ParsedPage, block: usize, add: &mut impl FnMut(&'static str, f32)) {
        let outline = &page.outline;
        let count = self.blocks.len();
        let (own, place) = (&self.blocks[block], &outline.places[block]);
        let element = &outline.elements[place.element as usize];
        let whole = &self.page;
        let flag = |is: bool| f32::from(u8::from(is));

        // The block itself.
        add("words", own.words);
        add("chars_per_word", share(own.chars, own.words));
        add("link_density", own.link_density);
        add("commas", own.commas);
        add("sentence_ends", own.ends);
        add("words_per_end", share(own.words, own.ends.max(0.5)));
        add("digits", share(own.digits, own.chars));
        add("capitals", share(own.capitals, own.words));
        add("long_words", share(own.long_words, own.words));
        add("symbols", own.symbols);
        add("ends_sentence", flag(own.ends_sentence));
        add("begins_lower", flag(own.begins_lower));
        add("good", flag(own.good));
        add("repeated", flag(own.repeated));
        add("copies", own.copies);
        add("title_overlap", own.title_overlap);
        add("kind", f32::from(page.blocks[block].kind as u8));
        add("heading_level", f32::from(heading_level(page, block)));
        add("tags_per_word", share(place.tags as f32, own.words));
        add("links", f32::from(place.links));
        add("images", f32::from(place.images));
        add("line_breaks", f32::from(place.line_breaks));
        add("depth", f32::from(element.depth));

        // Its position.
        let before = self.sums[block];
        let after = whole.sums.minus(self.sums[block + 1]);
        add("share_before", share(block as f32, count as f32));
        add("words_before", share(before.words, whole.sums.words));
        add("good_before", share(before.good_words, whole.sums.good_words));
        add("good_after", share(after.good_words, whole.sums.good_words));
        add("good_words_before", before.good_words);
        add("good_words_after", after.good_words);
        add("after_first_good", block as f32 - whole.first_good);
        add("before_last_good", whole.last_good - block as f32);
        add("source_share", share(place.source as f32, whole.source));

        // The neighbours.
        for (step, names) in NEIGHBOURS {
            let at = block.checked_add_signed(step).filter(|&at| at < count);
            let other = at.map_or(Measure::default(), |at| self.blocks[at]);
            add(names[0], at.map_or(-1.0, |_| other.words));
            add(names[1], at.map_or(-1.0, |_| other.link_density));
            add(names[2], at.map_or(-1.0, |at| f32::from(page.blocks[at].kind as u8)));
            add(names[3], at.map_or(-1.0, |at| flag(self.path_of[at] == self.path_of[block])));
            add(names[4], at.map_or(-1.0, |at| flag(self.blocks[at].container == own.container)));
            add(names[5], flag(other.ends_sentence));
        }
        for (window, names) in WINDOWS.iter().zip(WINDOW_NAMES) {
            let from = block.saturating_sub(*window);
            let to = (block + 1 + window).min(count);
            let left = self.sums[block].minus(self.sums[from]);
            let right = self.sums[to].minus(self.sums[block + 1]);
            add(names[0], left.good_words);
            add(names[1], right.good_words);
            add(names[2], share(left.link_words, left.words));
            add(names[3], share(right.link_words, right.words));
            add(names[4], left.plus(right).good);
            add(names[5], left.plus(right).words);
        }

        // The elements around it.
        let inside = &self.elements[place.element as usize];
        add("score", share(inside.best, whole.max_score));
        add("in_top", flag(inside.in_top));
        let mut around = own.container;
        for names in AROUND {
            let inside = &self.elements[around as usize];
            add(names[0], inside.sums.words);
            add(names[1], share(inside.sums.link_words, inside.sums.words));
            add(names[2], share(inside.sums.good_words, inside.sums.words));
            add(names[3], share(inside.sums.words, whole.sums.words));
            add(names[4], inside.blocks);
            add(names[5], share(inside.score, whole.max_score));
            add(names[6], share(inside.sums.good_words, whole.sums.good_words));
            add(names[7], share(inside.sums.words, inside.blocks));
            add(names[8], share(inside.cues[0], inside.sums.words));
            add(names[9], share(inside.cues[1], inside.sums.words));
            add(names[10], share(inside.cues[2], inside.sums.words));
            around = self.larger(page, around);
        }
        let container = &self.elements[own.container as usize];
        add("place_in_container", share((block as f32) - (container.first as f32), container.blocks));
        add("own_share_of_container", share(own.words, container.sums.words));
        let holder = self.holder(page, place.element);
        add("depth_to_half", f32::from(element.depth) - f32::from(outline.elements[holder as usize].depth));
        add(
            "half_links",
            share(self.elements[holder as usize].sums.link_words, self.elements[holder as usize].sums.words),
        );
        add("half_words", share(self.elements[holder as usize].sums.words, whole.sums.words));

        // The rows that contain it: rows of larger units, and rows of single blocks.
        let row = &self.rows[self.elements[place.element as usize].in_row as usize];
        add("row_members", row.members);
        add("row_unit_words", share(row.sums.words, row.members));
        add("row_unit_blocks", share(row.blocks, row.members));
        add("row_share", share(row.sums.words, whole.sums.words));
        add("row_good_share", share(row.sums.good_words, whole.sums.good_words));
        add("row_links", share(row.sums.link_words, row.sums.words));
        add("row_good", share(row.sums.good_words, row.sums.words));
        add("row_dated", share(row.dated, row.members));
        add("row_headed", share(row.headed, row.members));
        add("row_linked", share(row.linked, row.members));
        add("row_spread", share(row.squares * row.members, row.sums.words * row.sums.words));
        let row_before = if row.members > 0.0 { self.sums[row.first as usize] } else { Sums::default() };
        add("row_good_before", share(row_before.good_words, whole.sums.good_words));
        add("row_words_before", row_before.good_words);
        let line = &self.rows[inside.row as usize];
        add("line_members", line.members);
        add("line_words", share(line.sums.words, line.members));
        add("line_links", share(line.sums.link_words, line.sums.words));
        add("line_good", share(line.sums.good_words, line.sums.words));

        // Words that do not belong to the content.
        add("dates", own.dates);
        for (cue, name) in own.cues.iter().zip(CUE_NAMES) {
            add(name, *cue);
        }
        add("p1_comment_cue", block.checked_sub(1).map_or(0.0, |at| self.blocks[at].cues[Cue::COMMENT]));
        add("p1_dates", block.checked_sub(1).map_or(0.0, |at| self.blocks[at].dates));
        add("n1_dates", self.blocks.get(block + 1).map_or(0.0, |next| next.dates));
        let heard = whole.comment_cue;
        add("after_comment_cue", if heard < count as f32 { block as f32 - heard } else { -1000.0 });
        add("good_before_comment_cue", whole.good_before_comment_cue);
        let heard = whole.related_cue;
        add("after_related_cue", if heard < count as f32 { block as f32 - heard } else { -1000.0 });

        // The blocks in similar elements.
        let alike = &self.by_path[self.path_of[block] as usize];
        add("alike", alike.blocks);
        add("alike_words", share(alike.sums.words, alike.blocks));
        add("alike_good", share(alike.sums.good_words, alike.sums.words));
        add("alike_links", share(alike.sums.link_words, alike.sums.words));
        add("alike_share", share(alike.sums.words, whole.sums.words));
        add("alike_good_share", share(alike.sums.good_words, whole.sums.good_words));

        // The names of the elements around it.
        let parent = outline.elements[element.parent as usize];
        add("own_content", flag(Traits(element.own.0 | parent.own.0).has(Traits::CONTENT)));
        add("own_comment", flag(Traits(element.own.0 | parent.own.0).has(Traits::COMMENT)));
        add("own_byline", flag(Traits(element.own.0 | parent.own.0).has(Traits::BYLINE)));
        add("own_review", flag(Traits(element.own.0 | parent.own.0).has(Traits::REVIEW)));
        add("own_related", flag(Traits(element.own.0 | parent.own.0).has(Traits::RELATED)));
    }

    /// The nearest ancestor that holds more.
    fn larger(&self, page: &ParsedPage, element: u32) -> u32 {
        let blocks = self.elements[element as usize].blocks;
        let mut at = element;
        for _ in 0..MAX_CLIMB {
            let parent = page.outline.elements[at as usize].parent;
            if parent == at {
                break;
            }
            at = parent;
            if self.elements[at as usize].blocks > blocks * 1.5 {
                break;
            }
        }
        at
    }

    /// The innermost ancestor that holds half of the page's good words.
    fn holder(&self, page: &ParsedPage, element: u32) -> u32 {
        let mut at = element;
        for _ in 0..MAX_CLIMB {
            let parent = page.outline.elements[at as usize].parent;
            if parent == at || self.elements[at as usize].sums.good_words * 2.0 >= self.page.sums.good_words {
                break;
            }
            at = parent;
        }
        at
    }
}

/// Shorter blocks can well occur twice in a page.
const SHORTEST_COPY: f32 = 8.0;

/// At most this many ancestors are searched, so that very deep pages take no longer than others.
const MAX_CLIMB: usize = 64;

const NEIGHBOURS: [(isize, [&str; 6]); 4] = [
    (-2, ["p2_words", "p2_links", "p2_kind", "p2_alike", "p2_container", "p2_ends"]),
    (-1, ["p1_words", "p1_links", "p1_kind", "p1_alike", "p1_container", "p1_ends"]),
    (1, ["n1_words", "n1_links", "n1_kind", "n1_alike", "n1_container", "n1_ends"]),
    (2, ["n2_words", "n2_links", "n2_kind", "n2_alike", "n2_container", "n2_ends"]),
];

const WINDOW_NAMES: [[&str; 6]; 4] = [
    ["w2_good_before", "w2_good_after", "w2_links_before", "w2_links_after", "w2_good", "w2_words"],
    ["w4_good_before", "w4_good_after", "w4_links_before", "w4_links_after", "w4_good", "w4_words"],
    ["w8_good_before", "w8_good_after", "w8_links_before", "w8_links_after", "w8_good", "w8_words"],
    ["w16_good_before", "w16_good_after", "w16_links_before", "w16_links_after", "w16_good", "w16_words"],
];

const AROUND: [[&str; 11]; 3] = [
    [
        "a1_words",
        "a1_links",
        "a1_good",
        "a1_share",
        "a1_blocks",
        "a1_score",
        "a1_good_share",
        "a1_block_words",
        "a1_legal",
        "a1_subscribe",
        "a1_shop",
    ],
    [
        "a2_words",
        "a2_links",
        "a2_good",
        "a2_share",
        "a2_blocks",
        "a2_score",
        "a2_good_share",
        "a2_block_words",
        "a2_legal",
        "a2_subscribe",
        "a2_shop",
    ],
    [
        "a3_words",
        "a3_links",
        "a3_good",
        "a3_share",
        "a3_blocks",
        "a3_score",
        "a3_good_share",
        "a3_block_words",
        "a3_legal",
        "a3_subscribe",
        "a3_shop",
    ],
];

const TRAIT_NAMES: [&str; Traits::COUNT] = [
    "in_nav",
    "in_header",
    "in_footer",
    "in_aside",
    "in_main",
    "in_article",
    "in_section",
    "in_form",
    "in_cell",
    "in_item",
    "in_definition",
    "in_figure",
    "in_caption",
    "in_quote",
    "in_pre",
    "in_address",
    "in_none",
    "in_button",
    "in_details",
    "in_heading",
    "in_select",
    "in_hidden",
    "in_noscript",
    "in_dialog",
    "in_paragraph",
    "in_textarea",
    "in_body_text",
    "in_search",
    "in_none",
    "in_none",
    "in_none",
    "in_none",
    "word_article",
    "word_content",
    "word_post",
    "word_main",
    "word_comment",
    "word_sidebar",
    "word_nav",
    "word_footer",
    "word_header",
    "word_related",
    "word_share",
    "word_ad",
    "word_widget",
    "word_byline",
    "word_date",
    "word_tags",
    "word_title",
    "word_caption",
    "word_legal",
    "word_login",
    "word_search",
    "word_review",
    "word_message",
    "word_product",
    "word_list",
    "word_hidden",
    "word_summary",
    "word_docs",
    "word_bio",
    "word_hero",
    "word_description",
    "word_pullquote",
];

/// The traits of the elements around a block.
pub(crate) fn traits_of(page: &ParsedPage, block: usize) -> Traits {
    page.outline.elements[page.outline.places[block].element as usize].traits
}

fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn heading_level(page: &ParsedPage, block: usize) -> u8 {
    let mut at = page.outline.places[block].element;
    if page.blocks[block].kind != BlockKind::Heading {
        return 0;
    }
    for _ in 0..4 {
        let element = &page.outline.elements[at as usize];
        if let Some(level) = element.tag.heading_level() {
            return level;
        }
        at = element.parent;
    }
    7
}

/// The names of all features, in the order in which `add` receives them.
#[derive(Debug)]
pub(crate) struct Names {
    /// Those of the first pass.
    pub(crate) first: Vec<&'static str>,
    /// Those of the second pass, which include those of the first.
    pub(crate) second: Vec<&'static str>,
}

impl Names {
    /// The same for every page.
    pub(crate) fn all() -> &'static Names {
        static NAMES: std::sync::OnceLock<Names> = std::sync::OnceLock::new();
        NAMES.get_or_init(|| {
            let page = super::segment::segment("<p>any");
            let (mut measures, mut context) = (Measures::default(), Context::default());
            measures.measure("", &page);
            context.measure(&page, &measures, &[0.5]);
            let mut first = Vec::new();
            measures.each_feature(&page, 0, &mut |name, _| first.push(name));
            let mut second = first.clone();
            context.each_feature(&page, &measures, &[0.5], 0, &mut |name, _| second.push(name));
            Names { first, second }
        })
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // counts are whole numbers
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::extract::segment::segment;

    fn features(page: &ParsedPage, html: &str, block: usize) -> HashMap<&'static str, f32> {
        let mut measures = Measures::default();
        measures.measure(html, page);
        let mut values = HashMap::new();
        measures.each_feature(page, block, &mut |name, value| {
            values.insert(name, value);
        });
        values
    }

    proptest::proptest! {
        /// Compares with a simple reference: sums over windows, elements and the page, counted block by block.
        #[test]
        fn sums_are_what_counting_gives(units in proptest::collection::vec((1..30_usize, 0..4_u8), 1..25), at in 0..25_usize) {
            let unit = |&(words, kind): &(usize, u8)| {
                let text = "word ".repeat(words);
                match kind {
                    0 => format!("<p>{text}.</p>"),
                    1 => format!("<div class=box><p><a href=x>{text}</a></p></div>"),
                    2 => format!("<ul><li>{text}<li>two words</ul>"),
                    _ => format!("<h2>{text}</h2>"),
                }
            };
            let html: String = units.iter().map(unit).collect();
            let page = segment(&html);
            let at = at % page.blocks.len();
            let values = features(&page, &html, at);
            let words: Vec<f32> =
                page.blocks.iter().map(|b| b.span.of(&page.text).split_whitespace().count() as f32).collect();
            let window = |size: usize| -> f32 {
                let (from, to) = (at.saturating_sub(size), (at + size + 1).min(words.len()));
                words[from..to].iter().sum::<f32>() - words[at]
            };
            let path = |block: usize| page.outline.elements[page.outline.places[block].element as usize].path;
            let alike = (0..words.len()).filter(|&other| path(other) == path(at)).count() as f32;
            proptest::prop_assert_eq!(values["words"], words[at]);
            proptest::prop_assert_eq!(values["page_words"], words.iter().sum::<f32>());
            proptest::prop_assert_eq!(values["w2_words"], window(2));
            proptest::prop_assert_eq!(values["w8_words"], window(8));
            proptest::prop_assert_eq!(values["alike"], alike);
            proptest::prop_assert_eq!(values["page_blocks"], words.len() as f32);
        }
    }

    #[test]
    fn the_best_container_is_that_of_the_paragraphs() {
        let text = "One, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve. ".repeat(3);
        let html = format!("<div><a href=x>Home</a></div><div><p>{text}</p><p>{text}</p></div>");
        let page = segment(&html);
        assert_eq!(features(&page, &html, 0)["in_top"], 0.0);
        assert_eq!(features(&page, &html, 1)["in_top"], 1.0);
    }

    #[test]
    fn all_names_are_different_but_those_of_no_trait() {
        let names = Names::all();
        let mut seen = std::collections::HashSet::new();
        assert!(names.second.iter().all(|name| seen.insert(*name) || *name == "in_none"));
        assert_eq!(names.second[..names.first.len()], names.first);
    }
}
