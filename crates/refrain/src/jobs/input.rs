//! The input of a job.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tempfile::TempDir;

use super::Outputs;
use crate::document::{Document, Origin, Position};
use crate::error::{Error, Failure, Result};
use crate::flow::each_document;
use crate::prepare::{Opened, Preparation, Prepared};
use crate::run::Run;
use crate::source::{ArrowTable, Collection, InputFiles, Item, ReadOptions, STDIN, Store};
use crate::stats::Account;

/// The input of a job: files by name, standard input, or documents in memory.
///
/// ```
/// use refrain::{Document, Input};
///
/// let files = Input::paths(["samples/crawl.warc.gz", "samples/pages/", "notes/*.txt"])?;
/// let memory = Input::documents([Document::from_text("a", "One text."), Document::from_text("b", "Another.")]);
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Input {
    kind: Kind,
    store: Option<Arc<dyn Store>>,
}

/// An item of an input, as [`Input::each_item`] lists it.
#[derive(Debug)]
pub struct ListedItem {
    /// The number of its record in its input, if it is one.
    pub record: Option<u64>,
    /// What it is.
    pub kind: ItemKind,
    /// What went wrong. A document may have a failure: it was damaged, but can be used.
    pub failure: Option<Failure>,
}

/// What an item of an input is.
#[derive(Debug)]
pub enum ItemKind {
    /// A document.
    Document {
        /// Its id.
        id: String,
        /// Where it came from.
        origin: Origin,
        /// The size of its content, as it was found.
        bytes: usize,
    },
    /// Something that is not expected to be a document.
    Skipped {
        /// Where it came from.
        origin: Origin,
        /// Why it was skipped.
        reason: String,
    },
    /// Something that should have been a document.
    Failed,
}

/// A [`ListedItem`] as a line of JSON.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ListedLine<'a> {
    /// A document.
    Document {
        /// Its id.
        id: &'a str,
        /// Its address, if it has one.
        url: Option<&'a str>,
        /// The size of its content, as it was found.
        bytes: usize,
        /// Where it came from.
        origin: Cow<'a, str>,
        /// The number of its record in its input, if it is one.
        record: Option<u64>,
        /// What is damaged.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'a Failure>,
    },
    /// Something that is not expected to be a document.
    Skipped {
        /// Why it was skipped.
        reason: &'a str,
        /// Its address, if it has one.
        url: Option<&'a str>,
        /// Where it came from.
        origin: Cow<'a, str>,
        /// The number of its record in its input, if it is one.
        record: Option<u64>,
        /// What is damaged.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'a Failure>,
    },
    /// Something that should have been a document.
    Failed {
        /// What went wrong.
        failure: Option<&'a Failure>,
        /// The number of its record in its input, if it is one.
        record: Option<u64>,
    },
}

impl ListedItem {
    /// The item as it is written.
    pub fn line(&self) -> ListedLine<'_> {
        let (record, failure) = (self.record, self.failure.as_ref());
        match &self.kind {
            ItemKind::Document { id, origin, bytes } => {
                let (url, origin) = (origin.url.as_deref(), origin.path());
                ListedLine::Document { id, url, bytes: *bytes, origin, record, failure }
            }
            ItemKind::Skipped { origin, reason } => {
                let (url, origin) = (origin.url.as_deref(), origin.path());
                ListedLine::Skipped { reason, url, origin, record, failure }
            }
            ItemKind::Failed => ListedLine::Failed { failure, record },
        }
    }

    fn of(position: Position, item: Item) -> ListedItem {
        let record = Some(position.record + 1);
        let (id, origin, bytes) = match &item {
            Item::Document(raw) => (raw.id.clone(), raw.origin.clone(), raw.body.len()),
            Item::Skipped { origin, .. } => (String::new(), origin.clone(), 0),
            Item::Failed(_) => (String::new(), Origin::default(), 0),
        };
        let opened = match item {
            Item::Document(raw) => {
                let opened = Opened::new(position, *raw).and_then(Opened::without_marked);
                opened.map(|opened| opened.failure).map_err(|none| *none)
            }
            item => Err(Preparation::default().prepare(position, item)),
        };
        match opened {
            Ok(failure) => ListedItem { record, kind: ItemKind::Document { id, origin, bytes }, failure },
            Err(Prepared { skipped: Some(reason), failure, .. }) => {
                ListedItem { record, kind: ItemKind::Skipped { origin, reason }, failure }
            }
            Err(Prepared { failure, .. }) => ListedItem { record, kind: ItemKind::Failed, failure },
        }
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Names(Vec<String>),
    Documents(Arc<[Document]>),
    Table(ArrowTable),
}

impl Input {
    /// Files, folders, glob patterns, `@list` files with one name a line, or `-` for standard input. A name that does not
    /// exist is a failure in the report of the job; if none exists, the job returns an error.
    pub fn paths<I>(names: I) -> Result<Input>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        if names.is_empty() {
            return Err(Error::Refused("nothing to read; name at least one file or folder".into()));
        }
        Ok(Input::of(Kind::Names(names)))
    }

    /// Also resolves the names that a store knows.
    #[must_use]
    pub fn with_store(self, store: Arc<dyn Store>) -> Input {
        Input { store: Some(store), ..self }
    }

    /// Other names, in the same store.
    pub(crate) fn with_names<I>(&self, names: I) -> Result<Input>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        Ok(Input { store: self.store.clone(), ..Input::paths(names)? })
    }

    fn of(kind: Kind) -> Input {
        Input { kind, store: None }
    }

    /// Standard input.
    pub fn stdin() -> Input {
        Input::of(Kind::Names(vec![STDIN.to_owned()]))
    }

    /// Documents in memory, in this order.
    pub fn documents(documents: impl IntoIterator<Item = Document>) -> Input {
        Input::of(Kind::Documents(documents.into_iter().collect()))
    }

    /// The rows of a table, in this order. [`ReadOptions::text_field`] names the column of their texts. The position of each
    /// document has the number of its row, from 0, which is also the id of a row without one.
    pub fn arrow(table: ArrowTable) -> Input {
        Input::of(Kind::Table(table))
    }

    /// The names, unless the documents are in memory.
    pub fn names(&self) -> &[String] {
        match &self.kind {
            Kind::Names(names) => names,
            Kind::Documents(_) | Kind::Table(_) => &[],
        }
    }

    /// The documents, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[Document]> {
        match &self.kind {
            Kind::Names(_) | Kind::Table(_) => None,
            Kind::Documents(documents) => Some(documents),
        }
    }

    /// True for the rows of a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.kind, Kind::Table(_))
    }

    /// Finds what there is to read. Nothing at all is an error; names that do not exist are failures. Files below the main
    /// output are not read, and no output may be an input.
    pub(crate) fn open(&self, options: &ReadOptions, outputs: &Outputs) -> Result<(Collection, Vec<Failure>)> {
        let (source, failures) = self.open_any(options, outputs)?;
        if source.inputs().is_empty() {
            let list: Vec<String> = failures.iter().map(Failure::to_string).collect();
            return Err(Error::Refused(format!("nothing to read: {}", list.join("; "))));
        }
        Ok((source, failures))
    }

    /// Visits every item in order, and returns what became of them. Documents are opened as any job opens them, because some
    /// turn out to be something else. Nothing to read at all is an error.
    pub fn each_item(
        &self,
        options: &ReadOptions,
        run: &Run,
        mut visit: impl FnMut(ListedItem) -> Result<()>,
    ) -> Result<Account> {
        let (source, failures) = self.open(options, &Outputs::none())?;
        let mut account = Account::default();
        for failure in failures {
            account.add(false, None);
            visit(ListedItem { record: None, kind: ItemKind::Failed, failure: Some(failure) })?;
        }
        each_document(&run.start()?, "list", &source, ListedItem::of, |_, listed| {
            let reason = if let ItemKind::Skipped { reason, .. } = &listed.kind { Some(reason.as_str()) } else { None };
            account.add(matches!(listed.kind, ItemKind::Document { .. }), reason);
            visit(listed)
        })?;
        Ok(account)
    }

    /// Visits every document in order, with what went wrong with it, and what went wrong with items that are no documents. Marked
    /// ranges of documents that refrain marked before are removed, unless they are kept. Nothing to read at all is an error.
    ///
    /// ```
    /// use refrain::source::ReadOptions;
    /// use refrain::{Document, Input, Run};
    ///
    /// let input = Input::documents([Document::from_text("a", "One text."), Document::from_text("b", "Another.")]);
    /// let mut ids = Vec::new();
    /// let account = input.each_document(&ReadOptions::default(), false, &Run::default(), |document, _failure| {
    ///     ids.extend(document.map(|document| document.id));
    ///     Ok(())
    /// })?;
    /// assert_eq!((ids, account.documents), (vec!["a".to_owned(), "b".to_owned()], 2));
    /// # Ok::<(), refrain::Error>(())
    /// ```
    pub fn each_document(
        &self,
        options: &ReadOptions,
        keep_marked: bool,
        run: &Run,
        mut visit: impl FnMut(Option<Document>, Option<Failure>) -> Result<()>,
    ) -> Result<Account> {
        let (source, failures) = self.open(options, &Outputs::none())?;
        let mut account = Account::default();
        for failure in failures {
            account.add(false, None);
            visit(None, Some(failure))?;
        }
        let preparation = Preparation::default();
        let prepare = |position, item| {
            let prepared = preparation.prepare(position, item);
            if keep_marked { prepared } else { prepared.without_marked() }
        };
        each_document(&run.start()?, "read", &source, prepare, |_, prepared| {
            account.add(prepared.document.is_some(), prepared.skipped.as_deref());
            visit(prepared.document, prepared.failure)
        })?;
        Ok(account)
    }

    /// The same for a job that reads its input more than once: standard input is copied to a file in a new folder, which is
    /// deleted when it is dropped.
    pub(crate) fn open_twice(
        &self,
        options: &ReadOptions,
        outputs: &Outputs,
        temporary: Option<&Path>,
    ) -> Result<(Collection, Vec<Failure>, Option<TempDir>)> {
        let (mut source, failures) = self.open(options, outputs)?;
        let copied = source.copy_stdin(temporary)?;
        Ok((source, failures, copied))
    }

    /// The same, but empty input is not an error.
    pub(crate) fn open_any(&self, options: &ReadOptions, outputs: &Outputs) -> Result<(Collection, Vec<Failure>)> {
        let names = match &self.kind {
            Kind::Documents(documents) => {
                return Ok((Collection::of_documents(documents.clone(), options.clone()), Vec::new()));
            }
            Kind::Table(table) => return Ok((Collection::of_table(table.clone(), options.clone()), Vec::new())),
            Kind::Names(names) => names,
        };
        let output = outputs.path();
        let (inputs, failures) = InputFiles::expand_without(names, output, self.store.as_ref());
        refuse_output_among(names, &inputs, &failures, output)?;
        outputs.refuse_inputs(&inputs)?;
        Ok((Collection::new(inputs, options.clone()), failures))
    }
}

/// Rejects an output file that was named as input, or that is in an input folder and may have been meant as input.
fn refuse_output_among(
    names: &[String],
    inputs: &InputFiles,
    failures: &[Failure],
    output: Option<&Path>,
) -> Result<()> {
    let Some(output) = output.filter(|output| output.is_file()) else { return Ok(()) };
    let Ok(file) = output.canonicalize() else { return Ok(()) };
    let is_file = |failure: &&Failure| Path::new(&failure.input).canonicalize().is_ok_and(|path| path == file);
    if let Some(failure) = failures.iter().find(is_file) {
        let input = &failure.input;
        return Err(Error::Refused(format!("{input} is both an input and the output; name another output")));
    }
    // An output of an earlier run is not read again, unless the folder has other files with its extension.
    let looks_alike = inputs.iter().any(|input| input.path.extension() == output.extension());
    let (all, _) = InputFiles::expand(names);
    if looks_alike && all.iter().any(|input| input.path.canonicalize().is_ok_and(|path| path == file)) {
        return Err(Error::Refused(format!(
            "{} already exists among the inputs and would be overwritten; name another output, or move the file",
            output.display()
        )));
    }
    Ok(())
}
