//! Reading pages, as often as it takes.

use std::sync::Arc;

use refrain::pipeline::{Control, Opened, run_in_order};
use refrain::source::{EMPTY_FILE, Inputs, Item, Source, SourceOptions};
use refrain::{Document, Failure, Position};

use crate::progress::{Bar, Status};

/// Pages that may share a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    All,
    Host,
    Folder,
}

impl By {
    pub(super) const ALL: [(&'static str, By); 3] = [("all", By::All), ("host", By::Host), ("folder", By::Folder)];

    /// The key of a page: pages with another one never share its template.
    fn key(self, document: &Document) -> String {
        match self {
            By::All => String::new(),
            By::Host => document.host(),
            By::Folder => {
                let path = document.origin.path().replace('\\', "/");
                path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
            }
        }
    }
}

/// A page as it came.
pub(super) struct Page {
    /// All that is known of it but its text.
    pub(super) document: Document,
    pub(super) text: String,
    pub(super) key: String,
    /// What was wrong with it, though it can be used.
    pub(super) failure: Option<Failure>,
}

/// Where pages are.
pub(super) struct Pages<'a> {
    pub(super) named: &'a [String],
    pub(super) inputs: Inputs,
    pub(super) options: SourceOptions,
    pub(super) by: By,
    pub(super) shows_progress: bool,
    pub(super) pool: rayon::ThreadPool,
    pub(super) control: Arc<Control>,
}

impl Pages<'_> {
    /// Works on all pages and hands the results on in the order of the pages. What is no page is a failure, or passed over.
    pub(super) fn each<T: Send>(
        &self,
        phase: &'static str,
        work: impl Fn(Result<Page, Failure>) -> T + Sync,
        mut sink: impl FnMut(T) -> refrain::Result<()>,
    ) -> refrain::Result<()> {
        let source = Arc::new(Source::new(self.inputs.clone(), self.options.clone()));
        let (watched, counted) = (source.clone(), self.control.clone());
        let before = self.control.documents();
        let _bar = Bar::start(!self.shows_progress, move || Status {
            phase,
            done: watched.bytes_read(),
            total: watched.inputs().total_size(),
            documents: counted.documents() - before,
            note: format!(", {} pages", counted.documents() - before),
        });
        run_in_order(
            &source,
            0..source.inputs().len(),
            Position::default(),
            &self.pool,
            &self.control,
            |position, item| self.page(position, item).map(&work),
            |_, done| {
                self.control.count(u64::from(done.is_some()), 0);
                done.map_or(Ok(()), &mut sink)
            },
        )
    }

    fn page(&self, position: Position, item: Item) -> Option<Result<Page, Failure>> {
        let raw = match item {
            Item::Document(raw) => *raw,
            Item::Skipped { .. } => return None,
            Item::Failed(failure) if failure.error == EMPTY_FILE => {
                return Some(Err(failure.hint("a page without content teaches nothing and is left out")));
            }
            Item::Failed(failure) => return Some(Err(failure)),
        };
        match Opened::new(position, raw) {
            Err(prepared) => prepared.failure.map(Err),
            Ok(mut opened) => {
                opened.remove_marked();
                let key = self.by.key(&opened.document);
                // Browsers take NUL characters in their stride; pages that hold some are no failures.
                Some(Ok(Page { document: opened.document, text: opened.text, key, failure: None }))
            }
        }
    }
}
