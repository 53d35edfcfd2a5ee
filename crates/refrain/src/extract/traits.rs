//! What the names and attributes of an element and its ancestors say about its text, as a set of bits.

use super::tags::{Attribute, Tag};
use crate::document::Span;

/// A set of traits. Elements pass theirs on to their descendants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Traits(pub(crate) u64);

macro_rules! traits {
    ($($name:ident $bit:literal)*) => { $(pub(crate) const $name: Traits = Traits(1 << $bit);)* };
}

impl Traits {
    traits! {
        NAV 0 HEADER 1 FOOTER 2 ASIDE 3 MAIN 4 ARTICLE 5 SECTION 6 FORM 7 CELL 8 ITEM 9 DEFINITION 10 FIGURE 11
        CAPTION 12 QUOTE 13 PRE 14 ADDRESS 15 BUTTON 17 DETAILS 18 HEADING 19 SELECT 20 HIDDEN 21 NOSCRIPT 22
        DIALOG 23 PARAGRAPH 24 TEXTAREA 25 BODY_TEXT 26 SEARCH 27
        CONTENT 33 POST 34 COMMENT 36 RELATED 41 BYLINE 45 REVIEW 53 MESSAGE 54 PRODUCT 55 LISTING 56
    }

    /// The number of traits: 32 from elements and roles, 32 from words in class names and ids.
    pub(crate) const COUNT: usize = 64;
    const FIRST_WORD: u32 = 32;

    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Traits) {
        self.0 |= other.0;
    }

    /// The names of the traits in the set, for display.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        const NAMES: [&str; 28] = [
            "nav",
            "header",
            "footer",
            "aside",
            "main",
            "article",
            "section",
            "form",
            "cell",
            "item",
            "definition",
            "figure",
            "caption",
            "quote",
            "pre",
            "address",
            "link",
            "button",
            "details",
            "heading",
            "select",
            "hidden",
            "noscript",
            "dialog",
            "paragraph",
            "textarea",
            "articleBody",
            "search",
        ];
        let words = WORDS.iter().enumerate().map(|(group, words)| (Traits::FIRST_WORD as usize + group, words[0]));
        let named = NAMES.iter().copied().enumerate().chain(words);
        named.filter(move |(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name)
    }

    /// The traits of a single element.
    pub(crate) fn of(html: &str, tag: Tag, attributes: &[(Attribute, Span)]) -> Traits {
        let mut traits = Traits::of_tag(tag);
        for (attribute, value) in attributes {
            let value = value.of(html);
            match attribute {
                Attribute::Class | Attribute::Id => traits.0 |= words_in(value),
                Attribute::Hidden => traits.add(Traits::HIDDEN),
                Attribute::AriaHidden if value.eq_ignore_ascii_case("true") => traits.add(Traits::HIDDEN),
                Attribute::Style if hides(value) => traits.add(Traits::HIDDEN),
                Attribute::Role => traits.add(Traits::of_role(value)),
                Attribute::ItemProp if names_body_text(value) => traits.add(Traits::BODY_TEXT),
                _ => {}
            }
        }
        traits
    }

    fn of_tag(tag: Tag) -> Traits {
        match tag {
            Tag::Nav | Tag::Menu => Traits::NAV,
            Tag::Header => Traits::HEADER,
            Tag::Footer => Traits::FOOTER,
            Tag::Aside => Traits::ASIDE,
            Tag::Main => Traits::MAIN,
            Tag::Article => Traits::ARTICLE,
            Tag::Section => Traits::SECTION,
            Tag::Form | Tag::Fieldset => Traits::FORM,
            Tag::Td | Tag::Th => Traits::CELL,
            Tag::Li => Traits::ITEM,
            Tag::Dd | Tag::Dt => Traits::DEFINITION,
            Tag::Figure => Traits::FIGURE,
            Tag::Figcaption | Tag::Caption => Traits::CAPTION,
            Tag::Blockquote => Traits::QUOTE,
            Tag::Pre | Tag::Xmp | Tag::Listing | Tag::Plaintext => Traits::PRE,
            Tag::Address => Traits::ADDRESS,
            Tag::Button => Traits::BUTTON,
            Tag::Details | Tag::Summary => Traits::DETAILS,
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => Traits::HEADING,
            Tag::Select => Traits::SELECT,
            Tag::Noscript => Traits::NOSCRIPT,
            Tag::Dialog => Traits::DIALOG,
            Tag::P => Traits::PARAGRAPH,
            Tag::Textarea => Traits::TEXTAREA,
            Tag::Search => Traits::SEARCH,
            _ => Traits::default(),
        }
    }

    fn of_role(role: &str) -> Traits {
        match role.trim() {
            "navigation" | "menu" | "menubar" | "tablist" | "toolbar" => Traits::NAV,
            "banner" => Traits::HEADER,
            "contentinfo" => Traits::FOOTER,
            "complementary" => Traits::ASIDE,
            "main" => Traits::MAIN,
            "article" => Traits::ARTICLE,
            "search" => Traits::SEARCH,
            "dialog" | "alertdialog" => Traits::DIALOG,
            "heading" => Traits::HEADING,
            "button" => Traits::BUTTON,
            _ => Traits::default(),
        }
    }
}

/// True for styles that hide an element.
fn hides(style: &str) -> bool {
    let mut declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.any(|(property, value)| {
        let (property, value) = (property.trim(), value.trim());
        (property.eq_ignore_ascii_case("display") && starts(value, "none"))
            || (property.eq_ignore_ascii_case("visibility") && starts(value, "hidden"))
    })
}

fn starts(value: &str, with: &str) -> bool {
    value.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

fn names_body_text(property: &str) -> bool {
    property.split_ascii_whitespace().any(|name| {
        ["articleBody", "text", "reviewBody", "description"].iter().any(|known| name.eq_ignore_ascii_case(known))
    })
}

/// Words that page authors use in class names and ids, in groups of similar meaning. The first one names the group.
#[rustfmt::skip]
const WORDS: [&[&str]; 32] = [
    &["article", "articlebody", "articlecontent", "story", "storybody", "storytext", "artikel", "articulo", "articletext"],
    &["content", "contents", "body", "bodytext", "bodycopy", "text", "txt", "copy", "maincontent", "pagecontent", "richtext", "prose"],
    &["post", "entry", "blog", "hentry", "blogpost", "postbody", "entrycontent", "postcontent", "entrybody", "blogentry"],
    &["main", "primary", "maincol", "maincolumn", "center", "middle"],
    &["comment", "comments", "commentlist", "commentbody", "commenttext", "disqus", "reply", "replies", "respond", "discussion",
      "reaction", "reactions", "feedback", "trackback", "pingback", "commentarea"],
    &["sidebar", "side", "rail", "right", "left", "secondary", "rightcol", "leftcol", "rightcolumn", "leftcolumn", "sidebars", "rhs", "lhs"],
    &["nav", "navigation", "navbar", "menu", "menus", "submenu", "dropdown", "tabs", "tab", "toolbar", "pagination", "pager",
      "paging", "subnav", "topnav", "mainnav", "sitenav", "globalnav", "sitemap", "megamenu", "navi",
      "breadcrumb", "breadcrumbs", "crumb", "crumbs", "trail", "path", "youarehere"],
    &["footer", "foot", "bottom", "colophon", "foottext", "footerlinks", "pagefooter", "sitefooter"],
    &["header", "head", "top", "masthead", "banner", "topbar", "logo", "branding", "pageheader", "siteheader"],
    &["related", "recommended", "recommend", "recommendations", "similar", "more", "popular", "trending", "latest", "recent", "also",
      "readmore", "suggestions", "next", "prev", "previous", "mostread", "mostpopular", "moreon", "relatedlinks", "seealso", "outbrain", "taboola"],
    &["share", "sharing", "social", "facebook", "twitter", "addthis", "sharethis", "sociable", "follow", "bookmark", "bookmarks",
      "sharebar", "socialmedia", "email", "tools", "digg", "pinterest", "linkedin", "whatsapp", "articletools"],
    &["ad", "ads", "advert", "advertisement", "adverts", "advertising", "adsense", "sponsor", "sponsored", "sponsors", "promo", "promos",
      "promotion", "promoted", "dfp", "adslot", "adbox", "adwrap", "adcontainer", "googlead", "mpu", "leaderboard", "skyscraper", "affiliate"],
    &["widget", "widgets", "module", "box", "teaser", "teasers", "card", "cards", "tile", "carousel", "slider", "gallery", "slideshow", "portlet", "gadget"],
    &["byline", "author", "authors", "credit", "credits", "meta", "info", "by", "metadata", "postmeta", "entrymeta", "writer", "source"],
    &["date", "time", "timestamp", "published", "pubdate", "posted", "dateline", "datetime", "updated", "day", "month", "year"],
    &["tags", "tag", "category", "categories", "keywords", "topics", "labels", "cat", "taxonomy", "filed", "taglist"],
    &["title", "headline", "heading", "subtitle", "hed", "subhead", "subheading", "entrytitle", "posttitle", "headlines", "subheadline"],
    &["caption", "figure", "image", "photo", "img", "images", "photos", "picture", "media", "video", "videos", "player", "thumb", "thumbnail", "cutline"],
    &["legal", "copyright", "disclaimer", "privacy", "cookie", "cookies", "consent", "gdpr", "terms", "notice", "alert"],
    &["login", "signin", "signup", "register", "account", "user", "subscribe", "subscription", "newsletter", "paywall", "cart", "form", "basket", "checkout", "registration"],
    &["search", "searchbox", "searchform", "filter", "filters", "sort", "facet", "facets", "refine"],
    &["review", "reviews", "rating", "ratings", "stars", "testimonial", "testimonials", "reviewer", "customer", "ugc", "bv", "votes"],
    &["message", "thread", "topic", "forum", "posts", "quote", "signature", "sig", "bbcode", "msg", "messages", "threads"],
    &["product", "price", "prices", "spec", "specs", "specification", "specifications", "sku", "pdp", "buy", "shop", "store"],
    &["list", "listing", "listings", "results", "result", "item", "items", "grid", "archive", "index", "feed", "row", "col", "column", "columns"],
    &["hidden", "hide", "invisible", "sr", "screenreader", "visuallyhidden", "noprint", "print", "modal", "popup", "overlay", "tooltip", "skip", "offscreen", "collapse", "collapsed"],
    &["summary", "abstract", "intro", "lead", "lede", "excerpt", "dek", "standfirst", "deck", "introduction", "ingress", "snippet"],
    &["docs", "documentation", "markdown", "wiki", "mw", "chapter", "toc", "faq", "faqs", "answer", "answers", "question", "questions", "api", "reference", "code", "highlight", "readme"],
    &["bio", "profile", "about", "avatar", "vcard", "authorbox", "contact", "address", "phone", "hours", "location", "map"],
    &["hero", "cta", "button", "btn", "jumbotron", "feature", "features", "services", "service", "pricing", "buttons", "link", "links"],
    &["description", "desc", "details", "detail", "overview", "information", "productdescription", "longdesc", "accordion"],
    &["pullquote", "inset", "factbox", "infobox", "sidebox", "fact", "facts", "callout", "note", "footnote", "footnotes", "references", "aside"],
];

/// Names are cut to this many letters; the groups have no longer words.
const LONGEST: usize = 18;

/// The groups by the hash of their words.
fn table() -> &'static [(u32, u32); TABLE] {
    static WORD_TABLE: std::sync::OnceLock<[(u32, u32); TABLE]> = std::sync::OnceLock::new();
    WORD_TABLE.get_or_init(|| {
        let mut table = [(0, 0); TABLE];
        for (group, words) in WORDS.iter().enumerate() {
            for word in *words {
                let hash = word.bytes().fold(0, step);
                let mut slot = hash as usize % TABLE;
                while table[slot].1 != 0 && table[slot].0 != hash {
                    slot = (slot + 1) % TABLE;
                }
                table[slot] = (hash, table[slot].1 | 1 << group);
            }
        }
        table
    })
}

const TABLE: usize = 2048;

/// Adds a letter to the hash of a word.
fn step(hash: u32, letter: u8) -> u32 {
    (hash ^ u32::from(letter)).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// The groups whose words occur in a class name or id. Words end at any non-letter and at `camelCase` boundaries.
fn words_in(names: &str) -> u64 {
    let table = table();
    let mut groups = 0;
    let mut look_up = |hash: u32| {
        let mut slot = hash as usize % TABLE;
        while table[slot].1 != 0 {
            if table[slot].0 == hash {
                groups |= table[slot].1;
                return;
            }
            slot = (slot + 1) % TABLE;
        }
    };
    let (mut hash, mut length, mut was_lower) = (0, 0, false);
    // The word as a whole and its parts: articleBody is `articlebody`, `article` and `body`.
    let (mut whole, mut bent) = (0, false);
    for letter in names.bytes().chain([b' ']) {
        if letter.is_ascii_alphabetic() && length < LONGEST {
            if letter.is_ascii_uppercase() && was_lower {
                look_up(hash);
                (hash, bent) = (0, true);
            }
            let lower = letter.to_ascii_lowercase();
            hash = step(hash, lower);
            whole = step(whole, lower);
            was_lower = letter.is_ascii_lowercase();
            length += 1;
        } else {
            if length > 0 {
                look_up(hash);
                if bent {
                    look_up(whole);
                }
            }
            (hash, whole, length, was_lower, bent) = (0, 0, 0, false, false);
        }
    }
    u64::from(groups) << Traits::FIRST_WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(value: &str) -> Vec<&'static str> {
        Traits(words_in(value)).names().collect()
    }

    #[test]
    fn words_are_found_in_class_names() {
        assert_eq!(names("post-content"), ["content", "post"]);
        assert_eq!(names("articleBody"), ["article", "content"]);
        assert_eq!(names("SIDEBAR_2 x"), ["sidebar"]);
        assert_eq!(names("loads"), [""; 0]);
    }

    #[test]
    fn no_two_words_of_different_groups_have_one_hash() {
        let mut seen = std::collections::HashMap::new();
        for word in WORDS.iter().copied().flatten() {
            let other = seen.insert(word.bytes().fold(0, step), *word);
            assert!(other.is_none_or(|other| other == *word), "{word} and {other:?}");
        }
    }

    #[test]
    fn the_bit_of_comments_is_that_of_their_words() {
        assert_eq!(Traits::COMMENT.names().collect::<Vec<_>>(), ["comment"]);
    }

    #[test]
    fn styles_hide() {
        assert!(hides("color: red; DISPLAY :none !important"));
        assert!(!hides("display: block"));
    }
}
