//! The parameters of the method.

/// The parameters of the method, with their default values.
///
/// They are shares and ratios relative to the pages of a site. The cost of a border between content and template is a
/// share of the worth of the site's best gap. The rarity of a token is a share of its pages. Only
/// [`Parameters::surplus`], [`Parameters::border`], [`Parameters::many`], [`Parameters::enough`] and
/// [`Parameters::most_pages`] are counts of letters, tokens or pages. `refrain-bench template --vary` prints the
/// results with half and twice each value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// The share of pages that must have an anchor. Pages of another kind are fewer than one in five.
    pub common: f64,
    /// A page joins a group when it has this share of what most of its pages have.
    pub join: f64,
    /// What a page shares with a group must be this share of the page, or [`Parameters::many`] stretches: all pages have the
    /// same few declarations at their heads.
    pub of_page: f64,
    /// This many stretches are enough.
    pub many: u32,
    /// A group needs this many pages before it is known what most of them have.
    pub enough: u32,
    /// The most pages that one template is learned from; more teach nothing new.
    pub most_pages: usize,
    /// A page has a template when it has this share of the template's core.
    pub core_share: f64,
    /// Pages that share this much outside of the template are near-duplicates, and have one vote.
    pub near_duplicate: f64,
    /// Text in links counts against a gap with this weight, text outside of links for it.
    pub link_weight: f32,
    /// The cost of a character of backbone text inside content.
    pub text_cost: f32,
    /// The cost of a character of backbone markup inside content.
    pub markup_cost: f32,
    /// The cost of each alternation, as a share of the worth of the best gap.
    pub alternation: f32,
    /// The search moves to an inner element that holds this share of what the outer one holds.
    pub narrowing: f32,
    /// It must hold this share of the page's worth.
    pub least_share: f32,
    /// A neighbour is added if it holds this share of what the element holds.
    pub beside: f32,
    /// The markup between may cost this share of it.
    pub between: f32,
    /// An element is filled if the rest of it costs at most this share of its content.
    pub closing: f32,
    /// A headline differs on more than this share of the pages.
    pub other_headlines: f32,
    /// Tokens on either side of content that show whether a page is of this kind.
    pub border: usize,
    /// The share of them that a page must have on both sides.
    pub border_share: f32,
    /// Only tokens on this share of the pages are required.
    pub reliable: f32,
    /// A region of content counts when it holds this share of all content.
    pub main_region: f32,
    /// This many characters of text next to content, where other pages have few, are content.
    pub surplus: f32,
    /// No stretch of the backbone spans a gap that more than this share of the pages fills.
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
    /// The names of all parameters.
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

    /// The parameters with one of them multiplied; shares are capped at 1. `None` if no parameter has the name.
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
