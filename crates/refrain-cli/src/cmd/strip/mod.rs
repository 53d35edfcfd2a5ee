//! `refrain strip`: what was put in front of books and behind them.

mod books;
mod method;
mod rows;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use refrain::pipeline::Control;
use refrain::report::StripReport;
use refrain::source::Inputs;
use refrain::write::{Compressed, Compression, Format, Output, WriteOptions, extension, open, write_atomically};

use crate::common::{
    Given, InputArguments, OutputArguments, is_folder, on_interrupt, one_of, refuse_input_as, tell, tell_failures,
};
use crate::exit::Exit;
use books::Books;
use method::{Finder, MethodArguments};
use refrain::write::Names;
use rows::{Row, Summary, head};
use write::Destination;

/// Take licence headers and footers off books
///
/// The texts are read twice: first to learn from their two ends what they share, then to find in each the last line of its
/// preamble and the first line of its epilogue. With the profile gutenberg, what was learned is joined with evidence that comes
/// with refrain, so that one book is enough. Into a folder, the bytes of each book are written as they are, with a report of
/// what was found: report.jsonl. A text of which nothing would be left is written whole and told.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain strip samples/books/ -o clean/\n  refrain strip samples/books/lamp.txt\n  refrain strip samples/books/ --explain --worst\n  refrain strip samples/books/ --explain --format tsv -o found.tsv",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for the bodies and their report; or a file: the body of one book, documents (.jsonl, .parquet, .vert), or with \
         --explain what was found; standard output when not given"
    ))
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    #[command(flatten)]
    method: MethodArguments,

    /// Tell what was found and why, and write no book
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// With --explain: the least certain first
    #[arg(long, requires = "explain", help_heading = "Output")]
    worst: bool,

    /// Write a list of doubtful cases to this file, the worst first, with tabs between columns
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    doubtful: Option<PathBuf>,

    /// Write a page to this file: the least certain cases with the lines around their boundaries, where frequent lines stand,
    /// and how often lines occur
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Format, where the name does not tell. With --explain: text (a table), tsv or jsonl; for documents: text, jsonl, parquet
    /// or vertical
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Write into a folder that is not empty: files of the same names are replaced, others are left alone
    #[arg(long, help_heading = "Output")]
    overwrite: bool,

    #[command(flatten)]
    output: OutputArguments,
}

/// What `--format` names.
const FORMATS: [Format; 5] = [Format::Text, Format::Tsv, Format::Jsonl, Format::Parquet, Format::Vertical];
/// What `--explain` writes.
const ROWS: [Format; 3] = [Format::Text, Format::Tsv, Format::Jsonl];

/// Refuses formats that are not for documents.
fn of_documents(format: Format) -> Result<Format> {
    match Format::DOCUMENTS.contains(&format) {
        true => Ok(format),
        false => bail!("{} is for what was found: add --explain, or write documents as jsonl", format.name()),
    }
}

/// Endings that promise something else than a body.
const TABLES_AND_PAGES: [&str; 4] = ["csv", "html", "htm", "json"];

/// What is to be done.
enum Job {
    /// Tell what was found.
    Explain(Format),
    /// Write the bodies into a folder.
    Folder(PathBuf),
    /// Write the body of the only book.
    Body,
    /// Write documents.
    Documents(Format),
}

impl Arguments {
    fn job(&self, inputs: &Inputs) -> Result<Job> {
        let path = self.output.path();
        if self.explain {
            if let Some(path) = path.filter(|path| is_folder(path)) {
                bail!("{} is a folder, and --explain writes one file, such as -o found.tsv", path.display());
            }
            let format = match path {
                Some(path) if self.format.is_some() || extension(path).is_some() => {
                    Format::choose(path, self.format, &ROWS)?
                }
                _ => self.format.unwrap_or(Format::Text),
            };
            if !ROWS.contains(&format) {
                bail!("--explain writes text, tsv or jsonl; choose one of them with --format");
            }
            return Ok(Job::Explain(format));
        }
        let one = inputs.len() == 1 && inputs.iter().all(|input| input.named && !input.in_corpus);
        let asked = self.format.map(of_documents).transpose()?;
        match path {
            None => match asked {
                Some(Format::Text) => Ok(Job::Body),
                Some(format) => Ok(Job::Documents(format)),
                None if one => Ok(Job::Body),
                None => bail!(
                    "several books go into a folder: name one, such as -o clean/, or use --explain to see what was found"
                ),
            },
            Some(path) if is_folder(path) => match asked {
                None | Some(Format::Text) => Ok(Job::Folder(path.to_owned())),
                _ => bail!("only bodies go into a folder; name a file instead of {}", path.display()),
            },
            Some(path) => match asked.or(Format::of_path_among(path, &FORMATS).map(of_documents).transpose()?) {
                // Bodies one after the other in one file could not be told apart.
                Some(Format::Text) => Ok(Job::Body),
                Some(format) => Ok(Job::Documents(format)),
                None => match extension(path).as_deref() {
                    None if one => Ok(Job::Body),
                    None => Ok(Job::Folder(path.to_owned())),
                    // A text may be a program or anything else, and keep its ending.
                    Some(ending) if one && !TABLES_AND_PAGES.contains(&ending) => Ok(Job::Body),
                    Some(_) => bail!(
                        "the name of {} does not tell its format; give --format, or end it with / for a folder",
                        path.display()
                    ),
                },
            },
        }
    }

    /// Where a single file is written.
    fn open(&self) -> Result<Compressed> {
        Ok(match self.output.path() {
            Some(path) => Compression::of_path(path).compress(Output::file(path)?)?,
            None => Compression::None.compress(Output::stream(std::io::stdout()))?,
        })
    }

    fn destination(&self, job: &Job, inputs: &Inputs, names: &Names) -> Result<Destination> {
        Ok(match job {
            Job::Explain(_) => Destination::Nowhere,
            Job::Folder(folder) => {
                Destination::folder(folder, self.overwrite, inputs.iter().map(|input| names.of(input)))?
            }
            Job::Body => Destination::Stream { out: self.open()?, held: None },
            Job::Documents(format) => {
                let (output, packing) = match self.output.path() {
                    Some(path) => (Output::file(path)?, Compression::of_path(path)),
                    None => (Output::stream(std::io::stdout()), Compression::None),
                };
                Destination::Documents(open(output, *format, packing, WriteOptions::default())?)
            }
        })
    }

    fn check(&self, given: &Given, job: &Job, inputs: &Inputs) -> Result<()> {
        if !matches!(job, Job::Folder(_)) {
            given.refuse(&["overwrite"], "needs a folder to write to, such as -o clean/")?;
        }
        self.output.check(inputs)?;
        let beside = [("--doubtful", &self.doubtful), ("--report", &self.report), ("--save", &self.method.save)];
        let mut taken: Vec<PathBuf> = self.output.path().map(std::path::absolute).transpose()?.into_iter().collect();
        for (option, path) in beside {
            let Some(path) = path else { continue };
            refuse_input_as(option, Some(path), inputs)?;
            if path == Path::new(refrain::source::STDIN) {
                bail!("{option} needs the name of a file");
            }
            let plain = std::path::absolute(path)?;
            if taken.contains(&plain) {
                bail!("{} is written to by another option already; name another file for {option}", path.display());
            }
            if let Some(folder) = plain.parent().filter(|folder| !folder.is_dir()) {
                bail!("{option}: the folder {} does not exist; make it first", folder.display());
            }
            taken.push(plain);
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    arguments.method.check(given)?;
    let (mut inputs, early) = arguments.input.expand(output.path())?;
    let job = arguments.job(&inputs)?;
    arguments.check(given, &job, &inputs)?;
    let mut failures = output.failures(early)?;
    let _copied = inputs.copy_stdin(None)?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let names = Names::new(&arguments.input.inputs, &inputs);
    let destination = arguments.destination(&job, &inputs, &names)?;
    let books = Books {
        names,
        inputs,
        options: arguments.input.options(),
        lines: arguments.method.edge_lines(),
        only_one: matches!(job, Job::Body),
        output: output.path().map(Path::to_owned),
        noun: arguments.method.noun(),
        shows_progress: output.shows_progress(),
        pool: output.pool()?,
        control,
    };
    let done = arguments.method.finder(&books, output.quiet).and_then(|finder| {
        let mut work = Work { arguments, finder, failures: &mut failures, summary: Summary::default() };
        work.all(&books, &job, destination).map(|()| work.summary)
    });
    let summary = match done {
        Err(error) if matches!(error.downcast_ref(), Some(refrain::Error::Interrupted)) => {
            tell("interrupted; the output was not finished");
            return Ok(Exit::Interrupted);
        }
        done => done?,
    };
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if !output.quiet {
        summary.tell(output.path(), matches!(job, Job::Explain(_)), arguments.method.noun());
    }
    Ok(Exit::of_failures(failures.count))
}

/// The second reading.
struct Work<'a> {
    arguments: &'a Arguments,
    finder: Finder,
    failures: &'a mut crate::common::Failures,
    summary: Summary,
}

impl Work<'_> {
    fn all(&mut self, books: &Books, job: &Job, mut destination: Destination) -> Result<()> {
        let layout = match job {
            Job::Explain(layout) => Some(*layout),
            _ => None,
        };
        let mut out = layout.map(|layout| self.arguments.open().map(|out| (layout, out))).transpose()?;
        if let Some((layout, out)) = &mut out {
            out.put(head(*layout).as_bytes())?;
        }
        // Rows that have to be sorted first.
        let mut kept: Vec<Row> = Vec::new();
        let mut doubtful: Vec<Row> = Vec::new();
        let mut report = StripReport::default();
        let writer = destination.writer();
        let (finder, failures, summary) = (&self.finder, &mut *self.failures, &mut self.summary);
        let arguments = self.arguments;
        books.each(
            "strip",
            books::Reading::Whole,
            |book| {
                let book = book?;
                let found = finder.find(&book.ends);
                // The report needs the ends, too.
                let ends = arguments.report.is_some().then(|| (book.position, book.ends.clone()));
                let (row, left) = writer.prepare(book, found)?;
                Ok((row, left, ends))
            },
            |done| {
                let (mut row, body, ends) = match done {
                    Ok(done) => done,
                    Err(books::Trouble::Failed(failure)) => return failures.add(failure),
                    Err(books::Trouble::Ended(error)) => return Err(error),
                };
                if let Some(failure) = row.failure.clone() {
                    failures.add(failure)?;
                }
                summary.add(&row);
                if let Some((position, ends)) = ends {
                    report.add(position, &row.id, &ends, &row.found);
                }
                destination.put(&mut row, body)?;
                if arguments.doubtful.is_some() && row.found.is_doubtful() {
                    doubtful.push(row.clone());
                }
                match &mut out {
                    Some((layout, out)) if !arguments.worst => out.put(row.line(*layout).as_bytes()),
                    Some(_) => {
                        kept.push(row);
                        Ok(())
                    }
                    None => Ok(()),
                }
            },
        )?;
        destination.finish(!summary.is_empty())?;
        if let Some((layout, mut out)) = out {
            kept.sort_by(|one, other| one.found.by_doubt(&other.found));
            kept.iter().try_for_each(|row| out.put(row.line(layout).as_bytes()))?;
            out.finish()?;
        }
        if let Some(path) = &arguments.report {
            write_atomically(path, report.page()?.as_bytes())?;
        }
        if let Some(path) = &arguments.doubtful {
            doubtful.sort_by(|one, other| one.found.by_doubt(&other.found));
            let mut out = Compression::of_path(path).compress(Output::file(path)?)?;
            out.put(head(Format::Tsv).as_bytes())?;
            doubtful.iter().try_for_each(|row| out.put(row.line(Format::Tsv).as_bytes()))?;
            out.finish()?;
        }
        Ok(())
    }
}
