//! Dumps of MediaWiki: one article, one document. Redirects, and pages in other namespaces, are skipped.
//!
//! The dump is divided at `<page>` and `</page>`, which cannot occur in the text of a page. The markup of pages becomes text where documents are decoded, on all cores.

use std::io::BufRead;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::divided::{self, Division};
use super::office::{Node, attribute, local, walk};
use super::{At, Body, Emitter, Markup, RawDocument, WikiText};
use crate::error::Place;

const FORMAT: &str = "MediaWiki";

pub(super) fn read(at: &At<'_>, reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut site = None;
    let pages = Division { begin: b"<page>", end: b"</page>", what: "page" };
    divided::read(at, reader, &pages, out, |header, page, number, out| {
        let site = site.get_or_insert_with(|| Site::of(header));
        match Page::parse(page) {
            Ok(page) => match page.reason_to_skip(site) {
                Some(reason) => out.skipped(at.origin(), reason),
                None => out.document(page.document(at, site, number)),
            },
            Err(error) => out.failed(at.failure(error).place(Place::Record(number))),
        }
    })
}

/// What a dump says of its wiki.
#[derive(Default)]
struct Site {
    language: Option<String>,
    /// The address of a page without its title.
    base: Option<String>,
    /// Numbers and names of namespaces.
    namespaces: Vec<(String, String)>,
    /// Namespaces whose links are pictures or categories.
    unread: Arc<[String]>,
}

impl Site {
    /// Reads the header of a dump, as far as it can be read.
    fn of(header: &[u8]) -> Site {
        let mut site = Site::default();
        let mut text = String::new();
        let mut key = None;
        // The root element does not end here, which is an error that says nothing.
        let _ = walk(FORMAT, "", header, |node| {
            match node {
                Node::Open(name, element) => {
                    text.clear();
                    match local(name) {
                        "mediawiki" => site.language = attribute(element, "lang"),
                        "namespace" => key = attribute(element, "key"),
                        _ => {}
                    }
                }
                Node::Text(piece) => text.push_str(piece),
                Node::Close("base") => {
                    site.base = text.rfind('/').filter(|_| text.starts_with("http")).map(|end| text[..=end].to_owned());
                }
                Node::Close("namespace") => {
                    site.namespaces.extend(key.take().map(|key| (key, std::mem::take(&mut text))));
                }
                Node::Close(_) => {}
            }
            Ok(())
        });
        let named = |wanted: &str| site.namespaces.iter().find(|(key, _)| key == wanted).map(|(_, name)| name.clone());
        let own = ["6", "14"].into_iter().filter_map(named);
        site.unread = own.chain(["File", "Image", "Category"].map(str::to_owned)).collect();
        site
    }

    fn namespace(&self, key: &str) -> String {
        let name = self.namespaces.iter().find(|(known, name)| known == key && !name.is_empty());
        name.map_or_else(|| key.to_owned(), |(_, name)| name.clone())
    }

    /// The address of a page.
    fn url(&self, title: &str) -> Option<String> {
        let mut url = self.base.clone()?;
        for c in title.chars() {
            match c {
                ' ' => url.push('_'),
                '%' | '?' | '#' | '"' | '<' | '>' => url.extend(["%", &format!("{:02X}", u32::from(c))]),
                c => url.push(c),
            }
        }
        Some(url)
    }
}

/// A page of a dump, with its last revision.
#[derive(Default)]
struct Page {
    title: String,
    namespace: String,
    id: String,
    is_redirect: bool,
    revision: String,
    timestamp: String,
    model: String,
    text: String,
}

impl Page {
    fn parse(page: &[u8]) -> Result<Page, String> {
        let mut found = Page::default();
        let mut open: Vec<String> = Vec::new();
        let mut text = String::new();
        walk(FORMAT, "", page, |node| {
            match node {
                Node::Open(name, _) => {
                    text.clear();
                    if name == "revision" {
                        found.text.clear();
                        found.model.clear();
                    }
                    found.is_redirect |= name == "redirect";
                    open.push(name.to_owned());
                }
                Node::Text(piece) => text.push_str(piece),
                Node::Close(name) => {
                    open.pop();
                    let field = match (open.last().map(String::as_str), name) {
                        (Some("page"), "title") => &mut found.title,
                        (Some("page"), "ns") => &mut found.namespace,
                        (Some("page"), "id") => &mut found.id,
                        (Some("revision"), "id") => &mut found.revision,
                        (Some("revision"), "timestamp") => &mut found.timestamp,
                        (Some("revision"), "model") => &mut found.model,
                        (Some("revision"), "text") => &mut found.text,
                        _ => return Ok(()),
                    };
                    *field = std::mem::take(&mut text);
                }
            }
            Ok(())
        })
        .map_err(|why| why.error)?;
        Ok(found)
    }

    /// Why the page is no article; `None` for an article.
    fn reason_to_skip(&self, site: &Site) -> Option<String> {
        if self.is_redirect {
            Some("redirect".into())
        } else if !matches!(self.namespace.trim(), "" | "0") {
            Some(format!("wiki namespace {}", site.namespace(self.namespace.trim())))
        } else if !matches!(self.model.trim(), "" | "wikitext") {
            Some(format!("wiki content {}", self.model.trim()))
        } else {
            self.text.trim().is_empty().then(|| "empty page".into())
        }
    }

    fn document(self, at: &At<'_>, site: &Site, number: u64) -> RawDocument {
        let mut meta = Map::new();
        let language = site.language.as_ref().filter(|code| (2..=3).contains(&code.len()));
        for (name, value) in [
            ("title", Some(&self.title)),
            ("language", language),
            ("revision", Some(&self.revision)),
            ("timestamp", Some(&self.timestamp)),
        ] {
            if let Some(value) = value.map(|value| value.trim()).filter(|value| !value.is_empty()) {
                meta.insert(name.to_owned(), Value::from(value));
            }
        }
        let mut origin = at.origin();
        origin.url = site.url(self.title.trim());
        let id = Some(self.id.trim())
            .filter(|id| !id.is_empty())
            .map_or_else(|| format!("{}:{number}", at.path()), str::to_owned);
        RawDocument {
            id,
            origin,
            meta,
            body: Body::Wiki(WikiText { text: self.text, unread: site.unread.clone() }),
            markup: Some(Markup::Text),
            charset: None,
            claims_text: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_describes_the_wiki() {
        let header =
            b"<mediawiki xml:lang=\"cs\"><siteinfo><base>https://cs.example/wiki/Hlavn%C3%AD</base><namespaces>\
            <namespace key=\"0\" /><namespace key=\"6\">Soubor</namespace></namespaces></siteinfo><page>";
        let site = Site::of(header);
        assert_eq!(site.language.as_deref(), Some("cs"));
        assert_eq!(site.url("Maják? 50 %").as_deref(), Some("https://cs.example/wiki/Maják%3F_50_%25"));
        assert_eq!((site.namespace("6"), site.namespace("7")), ("Soubor".into(), "7".into()));
        assert_eq!(site.unread[0], "Soubor");
    }

    #[test]
    fn the_last_revision_counts() {
        let page =
            b"<page><title>A</title><ns>0</ns><id>5</id><revision><id>1</id><contributor><id>9</id></contributor>\
            <text>Old.</text></revision><revision><id>2</id><text>New &amp; good.</text></revision></page>";
        let found = Page::parse(page).expect("a page");
        assert_eq!((found.id.as_str(), found.revision.as_str(), found.text.as_str()), ("5", "2", "New & good."));
        assert!(Page::parse(b"<page><title>A</page>").is_err_and(|error| error.contains("byte")));
    }
}
