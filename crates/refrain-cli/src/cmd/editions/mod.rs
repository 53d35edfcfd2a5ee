//! `refrain editions`: which books are editions of which, and where they overlap.

mod output;
mod read;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::Failure;
use refrain::editions::{CandidateOptions, FindOptions, Found, Method, Pair, Shelf, find};
use refrain::pipeline::Control;
use refrain::source::Inputs;
use refrain::write::Format;

use self::output::{FORMATS, Written};
use self::read::Reader;
use crate::cmd::compare::LEAST_MEMORY;
use crate::common::{
    Failures, Given, InputArguments, OutputArguments, expand, is_folder, legible, named, on_interrupt, one_of,
    refuse_input_as, share, size, tell, tell_failures,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};

/// Find books that are editions of one work, whole or in part, and where they overlap
///
/// Of each book, the words and pairs of words that it has once or twice are kept, in order. Two books that have them at the same
/// distances share text, also where it was scanned badly, where stories stand in another order, or where it is one story of
/// a collection. Licences in front of books and behind them do not count. Translations are not editions of each other.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain editions samples/editions/ -o editions/\n  refrain editions samples/editions/ --format tsv -o pairs.tsv\n  refrain editions samples/editions/ --index books.index -o pairs.tsv\n  refrain editions books.index --against samples/editions/lamp-scanned.txt",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for pairs, works and a page with pictures; or a file of pairs (.tsv, .jsonl, .parquet); a table on standard output \
         when not given"
    ))
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Books to look for among the others, and not among each other
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Books")]
    against: Vec<String>,

    /// Save what is known of all books to this file; it is an INPUT for later runs, instead of the books
    #[arg(long, value_name = "FILE", help_heading = "Books")]
    index: Option<PathBuf>,

    /// Compare licences and notices at the beginning and the end of books, too
    #[arg(long, help_heading = "Books")]
    no_strip: bool,

    /// How books are compared: by chains of rare words (default), or by a published method: DUPNIQ (cs, its), the overlap of
    /// unique words (uwo) or vocabularies (vo), shingles, I-Match. These find no passages, and keep all sets of words in memory
    #[arg(long, value_name = "METHOD", default_value = "default", value_parser = methods(), help_heading = "Comparison")]
    method: Chosen,

    /// With a published method: the score that a pair has to reach, or `calibrated` for one that suits clean texts without licences
    /// [default: the published one]
    #[arg(long, value_name = "SCORE", value_parser = threshold, help_heading = "Comparison")]
    threshold: Option<Threshold>,

    /// Form of the pairs, where the name of the output does not tell
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Memory to stay within
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    memory: u64,

    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temporary: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArguments,
}

/// The score that a pair has to reach.
#[derive(Debug, Clone, Copy)]
enum Threshold {
    Of(f64),
    Calibrated,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    if text == "calibrated" { Ok(Threshold::Calibrated) } else { share(text).map(Threshold::Of) }
}

/// The default method, or a published one.
#[derive(Debug, Clone, Copy)]
struct Chosen(Option<Method>);

fn methods() -> impl clap::builder::TypedValueParser<Value = Chosen> {
    let published = Method::ALL.map(|(name, method)| (name, Chosen(Some(method))));
    named(std::iter::once(("default", Chosen(None))).chain(published).collect())
}

impl Arguments {
    /// The form of the output.
    fn form(&self) -> Result<Format> {
        match (self.output.path(), self.format) {
            (Some(path), None) if is_folder(path) => Ok(Format::Report),
            (Some(path), Some(form)) if is_folder(path) && form != Format::Report => {
                bail!("{} is a folder, for a report; name a file for {}", path.display(), form.name())
            }
            (None, Some(Format::Report)) => bail!("a report is a folder; name it with -o"),
            (None, Some(Format::Parquet)) => bail!("a Parquet file is not for standard output; name it with -o"),
            (Some(path), asked) => Ok(Format::choose(path, asked, &FORMATS)?),
            (None, asked) => Ok(asked.unwrap_or(Format::Table)),
        }
    }

    fn temporary(&self) -> PathBuf {
        self.temporary.clone().unwrap_or_else(std::env::temp_dir)
    }

    fn check(&self) -> Result<()> {
        if self.memory < LEAST_MEMORY {
            bail!("that is too little memory to work with; give it --memory {}M or more", LEAST_MEMORY >> 20);
        }
        if let Some(folder) = self.temporary.as_deref().filter(|folder| !folder.is_dir()) {
            bail!("--temporary: {} is no folder; make it first", folder.display());
        }
        self.output.keeps("--against", &self.against)?;
        let absolute = |path: Option<&std::path::Path>| path.map(std::path::absolute).transpose();
        let index = absolute(self.index.as_deref())?;
        if index.is_some() && index == absolute(self.output.path())? {
            bail!("the pairs and the index cannot go into one file; name another one for --index");
        }
        if index.is_some() && index == absolute(self.output.errors())? {
            bail!("the errors and the index cannot go into one file; name another one for --index");
        }
        if let Some(index) = self.index.as_deref() {
            let folder = index.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
            if let Some(folder) = folder {
                bail!("cannot write {}: the folder {} does not exist", index.display(), folder.display());
            }
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let form = arguments.form()?;
    arguments.check()?;
    if arguments.method.0.is_none() {
        given.refuse(&["threshold"], "needs a published method (--method)")?;
    }
    let output = &arguments.output;
    let (inputs, early) = arguments.input.expand(output.path())?;
    output.check(&inputs)?;
    let books_only = inputs.iter().filter(|input| !Shelf::is_saved(&input.path)).count();
    if books_only > 0 || arguments.index.as_deref().is_some_and(|index| !Shelf::is_saved(index)) {
        refuse_input_as("the index", arguments.index.as_deref(), &inputs)?;
    }
    let against = match arguments.against.as_slice() {
        [] => None,
        named => Some(expand(named, output.path())?),
    };
    if let Some((against, _)) = &against {
        refuse_input_as("the index", arguments.index.as_deref(), against)?;
    }
    if let (Format::Report, Some(folder)) = (form, output.path()) {
        output::check_folder(folder)?;
    }
    let mut failures = output.failures(early)?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let pool = output.pool()?;
    let mut reader = Reader {
        input: &arguments.input,
        output,
        strip: Reader::strip_by_default(!arguments.no_strip)?,
        control: &control,
        pool: &pool,
        method: arguments.method.0,
        sets: Vec::new(),
        known: HashSet::new(),
    };
    let named = (&inputs, against);
    let worked = pool.install(|| {
        let (shelf, new_from) = arguments.read(named, &mut reader, &mut failures)?;
        let found = match is_enough(shelf.len() as u32, new_from, arguments.index.is_some()) {
            true => Some(arguments.search(&shelf, new_from, &reader)?),
            false => None,
        };
        anyhow::Ok((shelf, found))
    });
    let (shelf, found) = match worked {
        Err(error) if matches!(error.downcast_ref(), Some(refrain::Error::Interrupted)) => {
            tell(match arguments.index.as_deref().filter(|index| Shelf::is_saved(index)) {
                Some(_) => "interrupted; no pairs were written",
                None => "interrupted; nothing was written",
            });
            return Ok(Exit::Interrupted);
        }
        worked => worked?,
    };
    if let Some(found) = &found {
        Written { arguments, form, shelf: &shelf, found, failures: &failures }.write()?;
    }
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if found.is_none() {
        let read = match shelf.books() {
            [] => "no book could be read".to_owned(),
            [only] => format!("{}: this is the only book that could be read", legible(&only.id)),
            _ => "only the books of one side could be read".to_owned(),
        };
        tell(&format!("failed: {read}: there is nothing to compare; name two books or more, or a folder of them"));
        return Ok(Exit::SomeFailed);
    }
    Ok(Exit::of_failures(failures.count))
}

impl Arguments {
    /// Puts all books on a shelf, and saves it where that was asked for. With it, the number from which on books are looked for.
    fn read(
        &self,
        (inputs, against): (&Inputs, Option<(Inputs, Vec<Failure>)>),
        reader: &mut Reader<'_>,
        failures: &mut Failures,
    ) -> Result<(Shelf, Option<u32>)> {
        let made = if self.no_strip { "as they come" } else { "without licences" };
        let mut books = Shelf::of_books_made(&self.temporary(), made)?;
        reader.add(&self.input.inputs, inputs, &mut books, failures)?;
        // What a published method keeps of books is in the order in which they were read.
        let sorts = self.method.0.is_none();
        if sorts {
            books.sort_from(0);
        }
        let new_from = against.is_some().then_some(books.len() as u32);
        if let Some((against, early)) = against {
            early.into_iter().try_for_each(|failure| failures.add(failure))?;
            // A book may be looked for under the name that it has in the collection, but not saved under it once more.
            if self.index.is_none() {
                reader.known.clear();
            }
            reader.add(&self.against, &against, &mut books, failures)?;
            if sorts {
                books.sort_from(new_from.unwrap_or(0) as usize);
            }
        }
        books.flush()?;
        if let Some(index) = self.index.as_ref().filter(|_| is_enough(books.len() as u32, new_from, true)) {
            books.save(index)?;
        }
        Ok((books, new_from))
    }

    /// Finds the pairs.
    fn search(&self, on: &Shelf, new_from: Option<u32>, reader: &Reader<'_>) -> Result<Found> {
        let books = on.len() as u64;
        let _bar = Bar::start(!self.output.shows_progress(), move || Status {
            phase: "match",
            done: 0,
            total: 0,
            documents: books,
            note: format!(", {books} books"),
        });
        if let Some(method) = self.method.0 {
            let threshold = self.threshold.map_or(method.threshold(), |threshold| match threshold {
                Threshold::Of(score) => score,
                Threshold::Calibrated => method.calibrated(),
            });
            let pairs = method.pairs(&reader.sets, threshold).into_iter();
            let wanted = |a: u32, b: u32| new_from.is_none_or(|new| a < new && b >= new);
            let pairs = pairs.filter(|(a, b, _)| wanted(*a, *b));
            let pairs = pairs.map(|(a, b, score)| Ok(Pair::published((a, &on.book(a)?), (b, &on.book(b)?), score)));
            return Ok(Found { pairs: pairs.collect::<refrain::Result<Vec<Pair>>>()?, ..Found::default() });
        }
        let limits = CandidateOptions { memory: self.memory, temporary: self.temporary() };
        let options = FindOptions { limits, new_from, ..FindOptions::default() };
        let mut found = find(on, &options, &|| !reader.control.stopped())?;
        // A book of the collection that is looked for finds itself.
        let id = |book: u32| on.books().get(book as usize).map(|book| &book.id);
        let is_itself = |pair: &Pair| id(pair.a) == id(pair.b) && on.are_same(pair.a, pair.b);
        found.pairs.retain(|pair| new_from.is_none() || !is_itself(pair));
        Ok(found)
    }
}

/// True when there are books to compare, or one at least for an index. If books are new from a number on, each side needs some.
fn is_enough(books: u32, new_from: Option<u32>, for_index: bool) -> bool {
    match new_from {
        Some(new) => new > 0 && new < books,
        None => books > 1 || (for_index && books > 0),
    }
}
