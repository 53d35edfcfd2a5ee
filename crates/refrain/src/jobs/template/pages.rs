//! Reading pages, as often as needed.

use serde::{Deserialize, Serialize};

use crate::document::{Document, Position};
use crate::error::{Failure, Result};
use crate::flow::each_document;
use crate::jobs::failures::NoDocument;
use crate::prepare::Opened;
use crate::run::Workers;
use crate::source::{Collection, EMPTY_FILE, Item, Markup};

/// Which pages may share a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateBy {
    /// All pages. Those of different sites are separated by what they share.
    #[default]
    All,
    /// Pages of one host.
    Host,
    /// Pages of one folder.
    Folder,
}

impl TemplateBy {
    /// All values, by name.
    pub const ALL: [(&'static str, TemplateBy); 3] =
        [("all", TemplateBy::All), ("host", TemplateBy::Host), ("folder", TemplateBy::Folder)];

    /// The key of a page: pages with different keys never share a template.
    fn key(self, document: &Document) -> String {
        match self {
            TemplateBy::All => String::new(),
            TemplateBy::Host => document.host(),
            TemplateBy::Folder => {
                let path = document.origin.path().replace('\\', "/");
                path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
            }
        }
    }
}

/// A page as it was read.
pub(super) struct Page {
    /// The document without its text.
    pub(super) document: Document,
    /// The whole page, with its markup.
    pub(super) text: String,
    pub(super) key: String,
    /// What was wrong with it, though it can be used.
    pub(super) failure: Option<Failure>,
}

/// All pages.
pub(super) struct Pages {
    pub(super) source: Collection,
    pub(super) by: TemplateBy,
    pub(super) workers: Workers,
}

impl Pages {
    /// Processes pages on all threads, and passes the results to the sink in order.
    pub(super) fn each<T: Send>(
        &self,
        phase: &'static str,
        work: impl Fn(Result<Page, NoDocument>) -> T + Sync,
        mut sink: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.source.rewind();
        each_document(
            &self.workers,
            phase,
            &self.source,
            |position, item| work(self.page(position, item)),
            |_, done| sink(done),
        )
    }

    fn page(&self, position: Position, item: Item) -> Result<Page, NoDocument> {
        let raw = match item {
            Item::Document(raw) => *raw,
            Item::Skipped { reason, .. } => return Err(NoDocument { skipped: Some(reason), failure: None }),
            Item::Failed(failure) => {
                let is_empty = failure.error == EMPTY_FILE;
                let failure = if is_empty { failure.hint("the page was skipped") } else { failure };
                return Err(NoDocument { skipped: None, failure: Some(failure) });
            }
        };
        match Opened::new(position, raw).and_then(Opened::without_marked) {
            Err(prepared) => Err(NoDocument { skipped: prepared.skipped, failure: prepared.failure }),
            Ok(opened) => {
                let key = self.by.key(&opened.document);
                // Browsers ignore NUL characters: pages that contain some are not failures.
                let failure = opened.failure.filter(|_| opened.markup == Markup::Text);
                Ok(Page { document: opened.document, text: opened.text, key, failure })
            }
        }
    }
}
