//! The numbers of the method.

/// The numbers of the method, with the values that were chosen.
///
/// They are shares and ratios, of what is learned from the pages at hand: what a border between content and template costs is
/// a share of the worth of the best gap of this very site, how rare a token may be is a share of its pages. None is a count of
/// letters or pages but for [`Parameters::surplus`], [`Parameters::border`], [`Parameters::many`], [`Parameters::enough`] and [`Parameters::most_pages`].
/// `refrain-bench template --vary` prints what becomes of the result with half and with twice of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// The share of pages that must have an anchor. Pages of another kind among them are fewer than one in five.
    pub common: f64,
    /// A page joins a group when it has this share of what most of its pages have.
    pub join: f64,
    /// What a page shares with a group must be this share of the page, or [`Parameters::many`] stretches: all pages have the
    /// same few declarations at their heads.
    pub of_page: f64,
    /// That many stretches are enough.
    pub many: u32,
    /// What most pages of a group have is known from this many pages.
    pub enough: u32,
    /// The most pages that one template is learned from; more teach nothing new.
    pub most_pages: usize,
    /// A page has a template when it has this share of the template's core.
    pub core_share: f64,
    /// Pages that share this much of what is not template are near-duplicates, and have one vote.
    pub near_duplicate: f64,
    /// Text in links counts against a gap with this weight, text outside of links for it.
    pub link_weight: f32,
    /// What a character of text in the backbone costs inside of content.
    pub text_cost: f32,
    /// What a character of markup in the backbone costs there.
    pub markup_cost: f32,
    /// What each alternation costs, as a share of the worth of the best gap.
    pub alternation: f32,
    /// An element that holds this share of what the element around it holds is where to look.
    pub narrowing: f32,
    /// It must hold this share of what the page holds.
    pub least_share: f32,
    /// What stands beside it is taken in when it holds this share of what it holds.
    pub beside: f32,
    /// The markup between may cost this share of it.
    pub between: f32,
    /// An element is filled when what is not content in it costs this share of what is.
    pub closing: f32,
    /// A headline is another one on more than this share of the pages.
    pub other_headlines: f32,
    /// Tokens on either side of content that tell whether a page is of this kind.
    pub border: usize,
    /// The share of them that a page must have on both sides.
    pub border_share: f32,
    /// Only tokens that this share of the pages has are asked for.
    pub reliable: f32,
    /// A region of content counts when it holds this share of all content.
    pub main_region: f32,
    /// So many characters of text beside content, where other pages have few, are content.
    pub surplus: f32,
    /// No stretch of the backbone goes over a gap that more than this share of the pages fills.
    pub open_gap: f32,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            common: 0.8,
            join: 0.4,
            of_page: 0.05,
            many: 40,
            enough: 32,
            most_pages: 100,
            core_share: 0.3,
            near_duplicate: 0.8,
            link_weight: 0.4,
            text_cost: 0.5,
            markup_cost: 0.1,
            alternation: 0.25,
            narrowing: 0.7,
            least_share: 0.5,
            beside: 0.05,
            between: 0.005,
            closing: 0.01,
            other_headlines: 0.5,
            border: 24,
            border_share: 0.1,
            reliable: 0.88,
            main_region: 0.2,
            surplus: 200.0,
            open_gap: 0.5,
        }
    }
}

impl Parameters {
    /// The names of all numbers, and how to change each: by its name, times so much. Shares stay at most 1.
    pub const NAMES: [&'static str; 24] = [
        "common",
        "join",
        "of_page",
        "many",
        "enough",
        "most_pages",
        "core_share",
        "near_duplicate",
        "link_weight",
        "text_cost",
        "markup_cost",
        "alternation",
        "narrowing",
        "least_share",
        "beside",
        "between",
        "closing",
        "other_headlines",
        "border",
        "border_share",
        "reliable",
        "main_region",
        "surplus",
        "open_gap",
    ];

    /// The numbers with one of them multiplied; a share of pages or of tokens is at most 1. None when no number has the name.
    #[must_use]
    pub fn scaled(mut self, name: &str, factor: f32) -> Option<Parameters> {
        let wide = f64::from(factor);
        #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation)] // small and positive
        let count = |value: f64| (value * wide).round().max(1.0) as u32;
        match name {
            "common" => self.common = (self.common * wide).min(1.0),
            "join" => self.join = (self.join * wide).min(1.0),
            "of_page" => self.of_page = (self.of_page * wide).min(1.0),
            "many" => self.many = count(f64::from(self.many)),
            "enough" => self.enough = count(f64::from(self.enough)),
            "most_pages" => self.most_pages = count(self.most_pages as f64) as usize,
            "core_share" => self.core_share = (self.core_share * wide).min(1.0),
            "near_duplicate" => self.near_duplicate = (self.near_duplicate * wide).min(1.0),
            "link_weight" => self.link_weight *= factor,
            "text_cost" => self.text_cost *= factor,
            "markup_cost" => self.markup_cost *= factor,
            "alternation" => self.alternation *= factor,
            "narrowing" => self.narrowing = (self.narrowing * factor).min(1.0),
            "least_share" => self.least_share = (self.least_share * factor).min(1.0),
            "beside" => self.beside *= factor,
            "between" => self.between *= factor,
            "closing" => self.closing *= factor,
            "other_headlines" => self.other_headlines = (self.other_headlines * factor).min(1.0),
            "border" => self.border = count(self.border as f64) as usize,
            "border_share" => self.border_share = (self.border_share * factor).min(1.0),
            "reliable" => self.reliable = (self.reliable * factor).min(1.0),
            "main_region" => self.main_region = (self.main_region * factor).min(1.0),
            "surplus" => self.surplus *= factor,
            "open_gap" => self.open_gap = (self.open_gap * factor).min(1.0),
            _ => return None,
        }
        Some(self)
    }
}
