//! Reading pages, as often as needed.

use serde::{Deserialize, Serialize};

use crate::document::{Document, Position};
use crate::error::{Failure, Result};
use crate::flow::each_document;
use crate::prepare::Opened;
use crate::run::Workers;
use crate::source::{Collection, EMPTY_FILE, Item};

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
        work: impl Fn(Result<Page, Failure>) -> T + Sync,
        mut sink: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.source.rewind();
        each_document(
            &self.workers,
            phase,
            &self.source,
            |position, item| self.page(position, item).map(&work),
            |_, done| done.map_or(Ok(()), &mut sink),
        )
    }

    fn page(&self, position: Position, item: Item) -> Option<Result<Page, Failure>> {
        let raw = match item {
            Item::Document(raw) => *raw,
            Item::Skipped { .. } => return None,
            Item::Failed(failure) if failure.error == EMPTY_FILE => {
                return Some(Err(failure.hint("the page was skipped")));
            }
            Item::Failed(failure) => return Some(Err(failure)),
        };
        match Opened::new(position, raw) {
            Err(prepared) => prepared.failure.map(Err),
            Ok(mut opened) => {
                opened.remove_marked();
                let key = self.by.key(&opened.document);
                // Browsers ignore NUL characters: pages that contain some are not failures.
                Some(Ok(Page { document: opened.document, text: opened.text, key }))
            }
        }
    }
}
