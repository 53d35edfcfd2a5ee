//! A page's metadata: title, author, date and so on.
//!
//! Pages state each value in several places. Each place has a rank that reflects how reliable it is, and the best
//! usable value wins. Values come only from the page or its address, never from the clock.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::dates::{Order, date_in_url, find_date};
use super::linked_data::{Role, collect_nodes, names_in, parse_leniently, resolve, type_of};
use super::names::{LONGEST, LONGEST_NAME, after_by, byline, names, starter, tidy};
use super::segment::{ParsedPage, Place, Said, Statement, unescape};
use super::tags::Tag;
use super::traits::Traits;
use crate::document::Span;

/// The metadata of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Metadata {
    /// The title of the text, without the site name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The authors, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The date of publication, or of the last change if only that is known: an ISO 8601 date or date-time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The name of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The code of the declared language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The canonical address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of page, as the page itself states it: `article`, `NewsArticle`, `Product`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Maximum length of a description.
const LONGEST_DESCRIPTION: usize = 2000;

/// At most this many bytes of data in scripts are read.
const MOST_DATA: usize = 4 << 20;

impl Metadata {
    /// Reads the metadata of a page. `page` must be the result of [`segment`](super::segment) for `html`; `url` is the
    /// address of the page, if known.
    ///
    /// ```
    /// use refrain::extract::{segment, Metadata};
    ///
    /// let html = "<title>Fog signals - The Lighthouse</title><meta property=og:site_name content='The Lighthouse'>
    ///     <h1>Fog signals</h1><p class=byline>By Ida Fennick, 3 March 2021";
    /// let metadata = Metadata::of(html, &segment(html), None);
    /// assert_eq!(metadata.title.as_deref(), Some("Fog signals"));
    /// assert_eq!(metadata.author.as_deref(), Some("Ida Fennick"));
    /// assert_eq!(metadata.date.as_deref(), Some("2021-03-03"));
    /// ```
    pub fn of(html: &str, page: &ParsedPage, url: Option<&str>) -> Metadata {
        let mut search = Search::new(html, page, url);
        search.statements();
        search.text();
        search.conclude()
    }
}

/// The best value found so far, with its rank: 0 is best.
#[derive(Debug, Default)]
struct Best {
    value: Option<String>,
    rank: u8,
}

impl Best {
    /// True if a value of this rank would be accepted.
    fn wants(&self, rank: u8) -> bool {
        self.value.is_none() || rank < self.rank
    }

    /// Accepts a value if it ranks better than the current one. Among equals, the first wins.
    fn offer(&mut self, rank: u8, value: Option<String>) {
        if value.is_some() && self.wants(rank) {
            *self = Best { value, rank };
        }
    }

    fn get(&self) -> Option<&str> {
        self.value.as_deref()
    }
}

/// The fields of [`Metadata`] and others that help to find them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Author,
    Published,
    Modified,
    Site,
    Language,
    Canonical,
    Description,
    Kind,
}

const FIELDS: usize = Field::Kind as usize + 1;

/// The keys of `<meta>` in lower case, with the field that they state and their rank.
#[rustfmt::skip] // a line per key would hide the ranks
fn meta_key(key: &str) -> Option<(Field, u8)> {
    Some(match key {
        "citation_title" | "eprints.title" | "bepress_citation_title" => (Field::Title, 0),
        "og:title" => (Field::Title, 2),
        "headline" | "parsely-title" | "sailthru.title" | "article:title" | "article.headline" | "hdl" => {
            (Field::Title, 3)
        }
        "dc.title" | "dcterms.title" | "dc:title" => (Field::Title, 4),
        "twitter:title" => (Field::Title, 5),
        "citation_authors" => (Field::Author, 0),
        "parsely-author" | "sailthru.author" | "article.author" => (Field::Author, 2),
        "author" | "byl" | "byline" | "creator" => (Field::Author, 3),
        "article:author" | "article:author_name" | "og:article:author" | "og:author" | "dc.creator"
        | "dcterms.creator" | "dc:creator" | "dc.contributor" | "dcsext.author" => (Field::Author, 4),
        "citation_publication_date" | "citation_date" | "citation_online_date" | "article:published_time"
        | "article:published" | "og:article:published_time" | "datepublished" | "og:published_time"
        | "article.published" | "published_time" => (Field::Published, 1),
        "parsely-pub-date" | "sailthru.date" | "dc.date.issued" | "dcterms.issued" | "dcterms.created"
        | "dc.date.created" | "dc.created" | "pubdate" | "publishdate" | "publish-date" | "publish_date"
        | "publication_date" | "published-date" | "published" | "date.published" | "article_date_original"
        | "originalpublicationdate" | "cxenseparse:recs:publishtime" | "ptime" | "displaydate" | "datecreated"
        | "rnews:datepublished" => (Field::Published, 2),
        "date" | "dc.date" | "dc:date" | "dcterms.date" | "blogdate" | "doc_date"
        | "ms.date" => (Field::Published, 4),
        "article:modified_time" | "og:updated_time" | "article:modified" | "last-modified" | "datemodified"
        | "dcterms.modified" | "dc.date.modified" | "lastmod" | "revised" | "updated_at" => (Field::Modified, 1),
        "og:site_name" => (Field::Site, 0),
        "dc.publisher" | "dcterms.publisher" | "publisher" | "citation_journal_title" => (Field::Site, 2),
        "application-name" | "apple-mobile-web-app-title" | "al:ios:app_name" => (Field::Site, 3),
        "og:locale" => (Field::Language, 2),
        "content-language" | "language" | "dc.language" | "dcterms.language" | "inlanguage" => (Field::Language, 3),
        "og:url" => (Field::Canonical, 1),
        "description" => (Field::Description, 0),
        "og:description" => (Field::Description, 1),
        "dc.description" | "dcterms.description" | "dcterms.abstract"
        | "citation_abstract" => (Field::Description, 2),
        "twitter:description" | "sailthru.description" => (Field::Description, 3),
        "og:type" => (Field::Kind, 1),
        _ => return None,
    })
}

/// Collects the statements of a page.
struct Search<'a> {
    html: &'a str,
    page: &'a ParsedPage,
    url: Option<&'a str>,
    order: Order,
    best: [Best; FIELDS],
    /// Names from separate `<meta>` elements.
    named: Vec<String>,
    /// All author candidates, with their ranks.
    authors: Vec<(u8, String)>,
    /// The last `twitter:label` announces an author.
    announced: bool,
}

impl<'a> Search<'a> {
    fn new(html: &'a str, page: &'a ParsedPage, url: Option<&'a str>) -> Search<'a> {
        // If the language is unknown, English is most likely, and most English pages are American.
        let english = page.language.as_deref().is_none_or(|language| language == "en");
        let order = if english { Order::MonthFirst } else { Order::DayFirst };
        let best = std::array::from_fn(|_| Best::default());
        Search { html, page, url, order, best, named: Vec::new(), authors: Vec::new(), announced: false }
    }

    fn best(&mut self, field: Field) -> &mut Best {
        &mut self.best[field as usize]
    }

    fn get(&self, field: Field) -> Option<&str> {
        self.best[field as usize].get()
    }

    /// Accepts a value for a field, if it is plausible.
    fn offer(&mut self, field: Field, rank: u8, raw: &str) {
        if field == Field::Author {
            return self.offer_author(rank, names(&tidy(raw, LONGEST)));
        }
        if !self.best(field).wants(rank) {
            return;
        }
        let value = match field {
            Field::Author => None,
            Field::Published | Field::Modified => find_date(&tidy(raw, LONGEST), self.order),
            Field::Language => language_code(raw),
            Field::Canonical => address(raw),
            Field::Description => some(tidy(raw, LONGEST_DESCRIPTION)),
            Field::Title | Field::Site | Field::Kind => some(tidy(raw, LONGEST)),
        };
        self.best(field).offer(rank, value);
    }

    /// Collects author candidates. The choice is made at the end, when the site name is known.
    fn offer_author(&mut self, rank: u8, value: Option<String>) {
        const MOST: usize = 64;
        if let Some(value) = value
            && self.authors.len() < MOST
        {
            self.authors.push((rank, value));
        }
    }

    /// Reads the statements outside of the page's text.
    fn statements(&mut self) {
        let (html, page) = (self.html, self.page);
        let mut read = 0;
        for statement in &page.outline.statements {
            match *statement {
                Statement::Meta { key, value } => self.meta(key.of(html), value.of(html)),
                Statement::Link { rel, href } => {
                    if rel.of(html).split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("canonical")) {
                        self.offer(Field::Canonical, 0, href.of(html));
                    }
                }
                Statement::Data(data) => {
                    read += data.len();
                    if read <= MOST_DATA {
                        self.data(data.of(html));
                    }
                }
                Statement::Said { what, value, text } => self.said(what, value, text),
            }
        }
        if let Some(language) = &page.language {
            self.offer(Field::Language, 1, language);
        }
    }

    fn meta(&mut self, key: &str, value: &str) {
        const LONGEST_KEY: usize = 40;
        if key.len() > LONGEST_KEY || value.is_empty() {
            return;
        }
        let key = key.trim().to_ascii_lowercase();
        for name in key.split_ascii_whitespace() {
            if name.starts_with("twitter:label") {
                let label = tidy(value, LONGEST_NAME).to_lowercase();
                self.announced = label.ends_with("by") || label.contains("author");
            } else if name.starts_with("twitter:data") && self.announced {
                self.offer(Field::Author, 3, value);
            } else if name == "citation_author" && self.named.len() < 50 {
                // Scholarly pages have an element for each author.
                let name = tidy(value, LONGEST_NAME);
                let name = name.split_once(", ").map_or(name.clone(), |(last, first)| format!("{first} {last}"));
                self.named.extend(names(&name));
            } else if let Some((field, rank)) = meta_key(name) {
                self.offer(field, rank, value);
            }
        }
    }

    /// Reads a part of the text that the markup labels.
    fn said(&mut self, what: Said, value: Span, text: Span) {
        if self.is_commented(text) || (what == Said::Byline && self.leads_to_list(text)) {
            return;
        }
        // Trailing white space of preformatted text is removed after the start of a part was recorded.
        let (html, start) = (self.html, self.page.text.floor_char_boundary(text.start));
        let text = text.of(&self.page.text).trim();
        let value = value.of(html);
        match what {
            Said::Author if !value.is_empty() => self.offer(Field::Author, 5, value),
            Said::Author => self.offer_author(5, byline(text)),
            Said::Byline => self.offer_author(7, byline(text)),
            Said::Headline => self.offer(Field::Title, 1, text),
            Said::Published | Said::Time | Said::Dated | Said::Modified => {
                let (field, rank) = match what {
                    Said::Published => (Field::Published, 3),
                    Said::Time => (Field::Published, 5),
                    Said::Dated => (Field::Published, 6),
                    _ => (Field::Modified, 3),
                };
                // If the preceding words mention a change, the date is that of a change.
                let before = &self.page.text[..start];
                let before = &before[before.ceil_char_boundary(start.saturating_sub(20))..];
                let changed =
                    speaks_of_change(text) || speaks_of_change(before.rsplit('\n').next().unwrap_or_default());
                let field = if changed { Field::Modified } else { field };
                let text = tidy(text, LONGEST);
                let order = self.order;
                if self.best(field).wants(rank) {
                    let found = find_date(value, order).or_else(|| find_date(&text, order));
                    self.best(field).offer(rank, found);
                }
            }
        }
    }

    /// True for a part of the text inside reader comments.
    fn is_commented(&self, text: Span) -> bool {
        let end = self.page.blocks.partition_point(|block| block.span.start < text.end);
        end.checked_sub(1).is_some_and(|block| self.is_comment(block))
    }

    /// True for a block of reader comments. In forums, these are the text of the page.
    fn is_comment(&self, block: usize) -> bool {
        let outline = &self.page.outline;
        let in_comments = |element: u32| outline.elements[element as usize].traits.has(Traits::COMMENT);
        let Some(mut at) = outline.places.get(block).map(|place| place.element) else { return false };
        if outline.elements.first().is_none_or(|page| page.own.has(Traits::MESSAGE)) {
            return false;
        }
        // A line about the text may also give the number of comments; its class names then mention both.
        while in_comments(at) {
            let element = &outline.elements[at as usize];
            if element.own.has(Traits::COMMENT) && !element.own.has(Traits::BYLINE) {
                return true;
            }
            if element.parent == at {
                return false;
            }
            at = element.parent;
        }
        false
    }

    /// True for a link to a list of authors, not to a single author.
    fn leads_to_list(&self, text: Span) -> bool {
        // Stretches are in the order of their ends.
        let inline = &self.page.outline.inline;
        let from = inline.partition_point(|inline| inline.span.end < text.end);
        let mut same = inline[from..].iter().take_while(|inline| inline.span.end == text.end);
        let link = same.find(|inline| inline.tag == Tag::A && inline.span.start >= text.start);
        link.is_some_and(|link| {
            let path = link.href.of(self.html).split(['?', '#']).next().unwrap_or_default();
            path.trim().trim_end_matches('/').ends_with("/authors")
        })
    }

    /// Searches for a byline and a date around the first heading.
    fn text(&mut self) {
        const BEFORE: usize = 4;
        const AFTER: usize = 12;
        const LONGEST_LINE: usize = 200;
        let page = self.page;
        let is_heading = |place: &Place| self.heading_around(place.element).is_some();
        let heading = page.outline.places.iter().position(is_heading).unwrap_or(0);
        let near = heading.saturating_sub(BEFORE)..(heading + AFTER).min(page.blocks.len());
        for block in near {
            let text = page.blocks[block].span.of(&page.text);
            if text.len() > LONGEST_LINE || self.is_comment(block) {
                continue;
            }
            if let Some(rest) = after_by(text).or_else(|| starter(text)) {
                self.offer_author(6, byline(rest));
            }
            let field = if speaks_of_change(text) { Field::Modified } else { Field::Published };
            self.offer(field, 7, text);
        }
    }

    /// The first-level heading that is this element or contains it.
    fn heading_around(&self, mut element: u32) -> Option<u32> {
        // The text may be in a box inside the heading.
        for _ in 0..3 {
            let found = self.page.outline.elements.get(element as usize)?;
            if found.tag == Tag::H1 {
                return Some(element);
            }
            element = found.parent;
        }
        None
    }

    /// Reads a script with data about the page.
    fn data(&mut self, script: &str) {
        let Some(value) = parse_leniently(script) else { return };
        let mut nodes = Vec::new();
        collect_nodes(&value, &mut nodes);
        let by_id: HashMap<&str, &Value> =
            nodes.iter().filter_map(|node| Some((node["@id"].as_str()?, *node))).collect();
        for node in &nodes {
            self.node(node, &by_id);
        }
    }

    /// Reads one object of the data.
    fn node(&mut self, node: &Value, by_id: &HashMap<&str, &Value>) {
        let Some(kind) = type_of(node) else { return };
        let trust = match Role::of(kind) {
            Role::Text => 0,
            Role::Page => 3,
            Role::Thing => 4,
            Role::Site => {
                self.offer_text(Field::Site, 1, &node["name"]);
                return;
            }
            Role::Other => return,
        };
        self.offer(Field::Kind, if trust == 0 { 0 } else { 2 }, kind);
        for key in ["headline", "name"] {
            self.offer_text(Field::Title, 1 + trust, &node[key]);
        }
        let authors = names_in(&node["author"], by_id).or_else(|| names_in(&node["creator"], by_id));
        self.offer_author(1 + trust, authors);
        self.offer_text(Field::Published, trust, &node["datePublished"]);
        self.offer_text(Field::Published, 4 + trust, &node["dateCreated"]);
        self.offer_text(Field::Modified, trust, &node["dateModified"]);
        self.offer_text(Field::Description, 2 + trust, &node["description"]);
        self.offer_text(Field::Language, 3, &node["inLanguage"]);
        for key in ["url", "@id"] {
            self.offer_text(Field::Canonical, 2 + trust, &node[key]);
        }
        let publisher = resolve(&node["publisher"], by_id);
        self.offer_text(Field::Site, 1, &publisher["name"]);
    }

    fn offer_text(&mut self, field: Field, rank: u8, value: &Value) {
        let value = if let Value::Array(values) = value { values.first().unwrap_or(&Value::Null) } else { value };
        if let Some(text) = value.as_str() {
            self.offer(field, rank, text);
        }
    }

    /// Picks the final values.
    fn conclude(mut self) -> Metadata {
        let title = self.title();
        let author = self.author();
        if let Some(date) = self.url.or(self.get(Field::Canonical)).and_then(date_in_url) {
            // After the page's own statements, the address is more reliable than the text.
            self.best(Field::Published).offer(5, Some(date));
        }
        let mut take = |field: Field| std::mem::take(&mut self.best[field as usize]).value;
        let (published, modified) = (take(Field::Published), take(Field::Modified));
        Metadata {
            title,
            author,
            date: published.or(modified),
            site: take(Field::Site),
            language: take(Field::Language),
            canonical: take(Field::Canonical),
            description: take(Field::Description),
            kind: take(Field::Kind),
        }
    }

    /// The best-ranked author; people take precedence over the site itself.
    fn author(&mut self) -> Option<String> {
        if !self.named.is_empty() {
            self.named.dedup();
            return Some(self.named.join(", "));
        }
        let best = self.authors.iter().min_by_key(|(rank, name)| (self.is_site(name), *rank));
        best.map(|(_, name)| name.clone())
    }

    /// The title: a heading that the page's head confirms, or the title in the head without the site name.
    fn title(&self) -> Option<String> {
        let tag = self.page.title.as_deref().map(|title| tidy(title, LONGEST));
        let tag = tag.as_deref();
        let mut headings = self.first_headings();
        let stated = self.get(Field::Title).or(tag).map(|title| {
            let cut = self.without_site(title);
            // A heading that is on every page is also the site name.
            let named = headings.iter().any(|heading| ends_with_part(&cut, &letters(heading)));
            if named { split_last(&cut).map_or(cut.clone(), |(title, _)| title.to_owned()) } else { cut }
        });
        headings.retain(|heading| !tag.is_some_and(|tag| ends_with_part(tag, &letters(heading))));
        let heads = [self.get(Field::Title), tag];
        let confirmed = headings.iter().filter(|heading| {
            let heading = letters(heading);
            let confirms = |head: &str| letters(head) == heading || begins_with_part(head, &heading);
            heading.chars().count() > 2 && heads.iter().flatten().any(|head| confirms(head))
        });
        if let Some(heading) = confirmed.min_by_key(|heading| heading.len()) {
            return Some(heading.clone());
        }
        // The title in the head of an article is written for search engines.
        let article = self.get(Field::Kind).is_some_and(|kind| kind == "article" || Role::of(kind) == Role::Text);
        match (&headings[..], stated) {
            ([heading], Some(stated)) if article && !letters(&stated).contains(&letters(heading)) => {
                Some(heading.clone())
            }
            (_, Some(stated)) => Some(stated),
            _ => headings.into_iter().next(),
        }
    }

    /// The texts of the first first-level headings.
    fn first_headings(&self) -> Vec<String> {
        const MOST: usize = 4;
        let mut headings: Vec<(u32, String)> = Vec::new();
        for (place, block) in self.page.outline.places.iter().zip(&self.page.blocks) {
            let Some(element) = self.heading_around(place.element) else { continue };
            let text = tidy(block.span.of(&self.page.text), LONGEST);
            let full = headings.len() == MOST;
            match headings.last_mut() {
                Some((last, heading)) if *last == element => {
                    if heading.len() < LONGEST {
                        heading.push(' ');
                        heading.push_str(&text);
                    }
                }
                _ if full => break,
                _ => headings.push((element, text)),
            }
        }
        let mut texts: Vec<String> = headings.into_iter().map(|(_, text)| self.without_site(&text)).collect();
        texts.dedup();
        texts.retain(|text| !text.is_empty() && !self.is_site(text));
        texts
    }

    /// A title without the site name at its start or end. Unchanged if in doubt.
    fn without_site(&self, title: &str) -> String {
        let mut title = title;
        while let Some((before, after)) = split_last(title) {
            if !self.is_site(after) {
                break;
            }
            title = before;
        }
        if let Some((before, after)) = split_first(title)
            && self.is_site(before)
        {
            title = after;
        }
        // Text after a vertical bar is rarely part of a title.
        if let Some((before, _)) = title.split_once(" | ")
            && before.contains(' ')
        {
            title = before.trim();
        }
        title.to_owned()
    }

    /// True for the site name, as the page or its address spells it.
    fn is_site(&self, part: &str) -> bool {
        let part = letters(part);
        if part.is_empty() {
            return false;
        }
        let same = |name: &String| *name == part || (part.len() > 3 && name.contains(&part));
        self.get(Field::Site)
            .map(letters)
            .is_some_and(|site| same(&site) || (site.len() > 3 && part.starts_with(site.as_str())))
            || self.url.or(self.get(Field::Canonical)).map(host_letters).is_some_and(|host| same(&host))
    }
}

const SEPARATORS: [&str; 12] = [" | ", " - ", " – ", " — ", " » ", " « ", " · ", " • ", " :: ", " / ", " ~ ", " : "];

/// True if a title starts with a heading, followed by a separator and more text. The heading is given by its letters.
fn begins_with_part(title: &str, heading: &str) -> bool {
    let ends = SEPARATORS.iter().flat_map(|separator| title.match_indices(separator));
    ends.take(MOST_PARTS).any(|(at, _)| letters(&title[..at]) == heading)
}

/// True if a title ends with a heading, after a separator. Sites put their name there.
fn ends_with_part(title: &str, heading: &str) -> bool {
    split_last(title).is_some_and(|(_, last)| letters(last) == heading)
}

/// Titles with more parts than this are keyword lists.
const MOST_PARTS: usize = 16;

/// Splits a title at its last separator.
fn split_last(title: &str) -> Option<(&str, &str)> {
    let found = SEPARATORS.iter().filter_map(|separator| Some((title.rfind(separator)?, separator.len())));
    let (at, length) = found.max()?;
    Some((title[..at].trim(), title[at + length..].trim()))
}

/// Splits a title at its first separator.
fn split_first(title: &str) -> Option<(&str, &str)> {
    let found = SEPARATORS.iter().filter_map(|separator| Some((title.find(separator)?, separator.len())));
    let (at, length) = found.min()?;
    Some((title[..at].trim(), title[at + length..].trim()))
}

/// Letters and digits in lower case, to compare two spellings of a name.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The letters of the host name in a URL, without `www`.
fn host_letters(url: &str) -> String {
    letters(&crate::url::host_or_start(url))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// The code of a language: `en` of `en-GB` and `en_US`.
fn language_code(raw: &str) -> Option<String> {
    let code = raw.trim().split(['-', '_', ',', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    let code = if matches!(code.as_str(), "nb" | "nn") { "no".to_owned() } else { code };
    ((2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase())).then_some(code)
}

/// A web address, as written.
fn address(raw: &str) -> Option<String> {
    let text = unescape(raw.trim());
    let text = text.trim();
    let lower = text.get(..8).unwrap_or_default().to_ascii_lowercase();
    let web = lower.starts_with("http://") || lower == "https://";
    (web && text.len() <= 2000 && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// True if a line says that its date is the date of a change.
fn speaks_of_change(text: &str) -> bool {
    let start = text[..text.floor_char_boundary(40)].to_lowercase();
    let start = start.trim_start();
    [
        "updated",
        "last updated",
        "modified",
        "last modified",
        "aktualisiert",
        "mis à jour",
        "last reviewed",
        "actualizado",
        "edited",
    ]
    .iter()
    .any(|word| start.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::segment;
    use super::*;

    fn of(html: &str) -> Metadata {
        Metadata::of(html, &segment(html), None)
    }

    fn title(html: &str) -> String {
        of(html).title.unwrap_or_default()
    }

    fn author(html: &str) -> String {
        of(html).author.unwrap_or_default()
    }

    fn date(html: &str) -> String {
        of(html).date.unwrap_or_default()
    }

    #[test]
    fn data_in_scripts_come_first() {
        let html = r#"<html lang="en-GB"><title>Fog | Site</title><meta name=author content="Webmaster">
            <link rel=canonical href=" https://a.example/fog?a=1&amp;b=2 "><script type="application/ld+json"><!--
            {"@context": "https://schema.org", "@graph": [
                {"@type": "WebSite", "name": "The Lighthouse"},
                {"@type": "Person", "@id": "urn:ida", "name": "Ida Fennick"},
                {"@type": ["Thing", "NewsArticle"], "headline": "Fog &amp; horns", "author": [{"@id": "urn:ida"}, {"name": ["Ole Berg"]}],
                 "datePublished": "2021-03-03T10:00:00Z", "dateModified": "2022-01-01",
                 "publisher": {"name": "Lamp House"}, "description": "About
            fog",},
            ]} --></script>"#;
        let found = of(html);
        assert_eq!(
            found,
            Metadata {
                title: Some("Fog & horns".into()),
                author: Some("Ida Fennick, Ole Berg".into()),
                date: Some("2021-03-03T10:00:00Z".into()),
                site: Some("The Lighthouse".into()),
                language: Some("en".into()),
                canonical: Some("https://a.example/fog?a=1&b=2".into()),
                description: Some("About fog".into()),
                kind: Some("NewsArticle".into()),
            }
        );
        let json = serde_json::to_value(Metadata { title: Some("a".into()), ..Metadata::default() }).expect("JSON");
        assert_eq!(json, serde_json::json!({"title": "a"}));
    }

    #[test]
    fn broken_data_are_mended_or_skipped() {
        let page = |data: &str| format!("<script type=application/ld+json>{data}</script><title>t</title>");
        let good = r#"{"@type":"Article","author":"Ida"}"#;
        for data in [
            good.to_owned(),
            format!("/*<![CDATA[*/ {good} /*]]>*/"),
            format!("<![CDATA[[{good}]]]>"),
            format!("{good};"),
            format!("[{good},]"),
        ] {
            assert_eq!(author(&page(&data)), "Ida", "{data}");
        }
        for data in ["", "{", "[[[", "\"", "{\"@type\":[]}", "null", "[CDATA["] {
            assert_eq!(author(&page(data)), "", "{data}");
        }
        assert_eq!(author(&page(&"[".repeat(100_000))), "");
    }

    #[test]
    fn titles_lose_the_name_of_the_site() {
        assert_eq!(title("<title>Fog - The Lamp</title><meta property=og:site_name content='The Lamp'>"), "Fog");
        assert_eq!(title("<title>The Lamp » Fog</title><meta property=og:site_name content='The Lamp'>"), "Fog");
        assert_eq!(title("<title>Fog and horns | Anything</title>"), "Fog and horns");
        assert_eq!(title("<title>Fog - and horns</title>"), "Fog - and horns");
        assert_eq!(title("<title>Fog - Horns - Lamp</title><h1>Fog - Horns</h1>"), "Fog - Horns");
        // The heading names the site, not the page.
        assert_eq!(title("<title>Fog - The Lamp</title><h1>The Lamp</h1>"), "Fog");
        assert_eq!(title("<h1><div>Fog</div> <div>now</div></h1>"), "Fog now");
        let html = "<title>Fog - Lamp House</title>";
        let found = Metadata::of(html, &segment(html), Some("https://www.lamphouse.example/x"));
        assert_eq!(found.title.as_deref(), Some("Fog"));
        assert_eq!(title(""), "");
    }

    #[test]
    fn parts_that_begin_in_blanks_that_were_cut_off_do_no_harm() {
        assert_eq!(of("<div><pre>a   <span class=date></pre>été bla</span>").date, None);
        let long = format!("<meta property=og:site_name content=abcd><title>x{}", " - abcd".repeat(20_000));
        assert!(of(&long).title.is_some_and(|title| title.chars().count() <= LONGEST));
    }

    #[test]
    fn authors_are_names() {
        assert_eq!(author("<meta name=author content='By Ida Fennick and Ole Berg'>"), "Ida Fennick, Ole Berg");
        assert_eq!(
            author("<meta name=citation_author content='Fennick, Ida'><meta name=citation_author content='Ole Berg'>"),
            "Ida Fennick, Ole Berg"
        );
        assert_eq!(author("<h1>x</h1><p>By Ida Fennick | 3 March 2021"), "Ida Fennick");
        assert_eq!(author("<p class=byline>Written by <b>Ida Fennick</b>, March 3, 2021"), "Ida Fennick");
        assert_eq!(author("<a href=/author/ida>Ida Fennick</a>"), "Ida Fennick");
        assert_eq!(author("<p class=byline>Ida Fennick, 3 March 2021</p>"), "Ida Fennick");
        assert_eq!(
            author("<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ida'>"),
            "Ida"
        );
        assert_eq!(
            author("<meta name=twitter:label1 content='Reading time'><meta name=twitter:data1 content='Ida'>"),
            ""
        );
        for wrong in ["https://a.example/ida", "ida@a.example", "3 March 2021", "unknown", "What? No!", &"a".repeat(70)]
        {
            assert_eq!(author(&format!("<meta name=author content='{wrong}'>")), "", "{wrong}");
        }
        // People take precedence over the site.
        let html =
            "<meta name=author content='The Lamp'><meta property=og:site_name content='The Lamp'><p class=author>Ida";
        assert_eq!(author(&format!("{html}</p>")), "Ida");
    }

    #[test]
    fn names_keep_the_stops_that_belong_to_them() {
        for name in ["Jane Doe Jr.", "Müller, Ü. & Co.", "John Smith Jr., Ida Fennick M.D.", "Ole B."] {
            assert_eq!(author(&format!("<meta name=author content='{name}'>")), name);
            assert_eq!(author(&format!("<h1>x</h1><p>By {name}</p>")), name);
        }
        assert_eq!(author("<meta name=author content='Jane Doe, Jr., Ole Berg.'>"), "Jane Doe Jr., Ole Berg");
        assert_eq!(author("<p class=byline>By Ida Fennick.</p>"), "Ida Fennick");
    }

    #[test]
    fn what_readers_wrote_says_nothing_about_the_page() {
        let comments = "<div class=comments><p class=author>By Ole Berg</p><p class=date>3 May 2020</p><p>By Eva Holm, 4 May 2020</p></div>";
        let found = of(&format!("<h1>Fog</h1><p>Horns.</p>{comments}"));
        assert_eq!((found.author, found.date), (None, None));
        let found = of(&format!("<h1>Fog</h1><p>By Ida Fennick, 3 March 2021</p>{comments}"));
        assert_eq!((found.author.as_deref(), found.date.as_deref()), (Some("Ida Fennick"), Some("2021-03-03")));
        assert_eq!(date("<h1>Fog</h1><p class=comment-date>3 May 2020</p>"), "");
        // The class names of some boxes also mention comments; and in forums, readers write the text.
        assert_eq!(date("<h1>Fog</h1><div class=by-line-comments-views><p>3 May 2020</p></div>"), "2020-05-03");
        assert_eq!(date("<body class=topic><h1>Fog</h1><div class=reply><p>3 May 2020</p></div>"), "2020-05-03");
    }

    #[test]
    fn authors_of_forums_are_those_who_began() {
        let menu = "<ul><li><a href='resources/authors'>Most Resources</a></ul>";
        assert_eq!(author(menu), "");
        let html = format!(
            "{menu}<h1>Fog</h1><p>Discussion in '<a href=/f>Horns</a>' started by <a href=/m class=username>pelex</a>, May 26, 2025.</p>
             <a class='username author' href=/m>Ole</a>"
        );
        assert_eq!(author(&html), "pelex");
        assert_eq!(author("<a href=/authors/ida>Ida Fennick</a>"), "Ida Fennick");
    }

    #[test]
    fn dates_of_publication_come_before_changes() {
        assert_eq!(
            date(
                "<meta property=article:modified_time content=2022-01-01><meta property=article:published_time content=2021-03-03>"
            ),
            "2021-03-03"
        );
        assert_eq!(date("<meta property=article:modified_time content=2022-01-01>"), "2022-01-01");
        assert_eq!(
            date("<p>Last updated <time datetime=2022-01-01>x</time><p class=date>3 March 2021</p>"),
            "2021-03-03"
        );
        assert_eq!(date("<time datetime='2021-03-03 10:00'>Wednesday</time>"), "2021-03-03T10:00:00");
        assert_eq!(date("<h1>x</h1><p>Wednesday, March 3, 2021"), "2021-03-03");
        assert_eq!(date("<meta name=date content='1889-03-03'>"), "");
        let html = "<p>x";
        let found = Metadata::of(html, &segment(html), Some("https://a.example/2021/03/03/x"));
        assert_eq!(found.date.as_deref(), Some("2021-03-03"));
    }

    #[test]
    fn values_are_tidy_and_short() {
        let html = format!(
            "<meta name=description content='a &amp;amp;  b\n{}'><link rel=canonical href='/x'>",
            "c".repeat(5000)
        );
        let found = of(&html);
        let description = found.description.expect("a description");
        assert!(description.starts_with("a & b c") && description.chars().count() <= LONGEST_DESCRIPTION);
        assert_eq!(found.canonical, None);
        assert_eq!(of("<meta property=og:locale content=nb_NO>").language.as_deref(), Some("no"));
    }

    proptest::proptest! {
        #[test]
        fn any_page_is_survived(
            parts in proptest::collection::vec((0..8_usize, "[ a-cB|,&;:{}\\[\\]\"0-9é年İ-]{0,12}"), 0..12),
            url in "\\PC{0,20}",
        ) {
            const TAGS: [&str; 8] = [
                "<title>", "<h1>", "<p class=byline>By ", "<time>", "<meta name=author content='", "<meta name=date content='",
                "<script type=application/ld+json>{\"@type\":\"Article\",", "</script></title>'>",
            ];
            let html: String = parts.iter().flat_map(|(tag, text)| [TAGS[*tag], text]).collect();
            let found = Metadata::of(&html, &segment(&html), Some(&url));
            proptest::prop_assert!(found.title.is_none_or(|title| title.chars().count() <= LONGEST));
        }
    }
}
