//! `refrain template`: what the pages of a site share, and what is left.

mod output;
mod pages;
mod records;
mod work;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::kernel::Kernel;
use refrain::pipeline::Control;
use refrain::source::Inputs;
use refrain::template::{Page, SiteTemplates, Templates, Wrapper};
use refrain::write::{Format, extension, write_atomically};

use crate::common::{
    Given, InputArguments, OutputArguments, is_folder, named, on_interrupt, one_of, refuse_input_as, size, tell,
    tell_failures,
};
use crate::exit::Exit;
use output::Destination;
use pages::{By, Pages};
use work::{Summary, Work};

/// Take the template of a site off its pages; content and records stay
///
/// Pages are read twice: first to learn what those of a site share, then to mark it in each. Pages of several sites are told
/// apart by what they share. Three pages of a site are the least to learn from; with fewer, the content of each page is found as
/// `refrain extract` finds it.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain template samples/site/ -o content/\n  refrain template samples/crawl.warc.gz --by host --format text\n  refrain template samples/site/ --records --format csv\n  refrain template samples/site/ --show -o pages.html",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for pages without what they share; or a file: documents (.txt, .jsonl, .parquet, .vert), a table of records \
         (.csv, .tsv, .jsonl, .parquet), or what --show draws (.html); standard output when not given"
    ))
)]
#[allow(clippy::struct_excessive_bools)] // switches of a command line
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,

    /// Pages that may share a template: all, those of one host, or those of one folder
    #[arg(long, value_name = "WHAT", default_value = "all", value_parser = named(By::ALL.to_vec()), help_heading = "Method")]
    by: By,

    /// The default method, or the published one: n-grams that are frequent in these very pages
    #[arg(long, value_name = "METHOD", default_value = "backbone", value_parser = named(Method::ALL.to_vec()), help_heading = "Method")]
    method: Method,

    /// Learn nothing; use templates that --save wrote
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    evidence: Option<PathBuf>,

    /// Write what was learned to this file, for --evidence
    #[arg(long, value_name = "FILE", help_heading = "Method")]
    save: Option<PathBuf>,

    /// Memory for the pages that are learned from. If they do not fit, a sample is used, with an equal share for each host
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = size, allow_negative_numbers = true, help_heading = "Method")]
    memory: u64,

    /// Write the ranges of the content of each page, one JSON object a page: in characters or bytes of the page, or in
    /// characters of the normalised page, in which every run of white space is one space
    #[arg(long, value_name = "UNIT", value_parser = named(Unit::ALL.to_vec()), help_heading = "Output")]
    ranges: Option<Unit>,

    /// Write a table: one row a page, one column an inferred field
    #[arg(long, conflicts_with_all = ["ranges", "show"], help_heading = "Output")]
    records: bool,

    /// With --records: take the fields from this file, and learn nothing
    #[arg(long, value_name = "FILE", requires = "records", help_heading = "Output")]
    wrapper: Option<PathBuf>,

    /// With --records: write the delimiters of fields to this file, for --wrapper
    #[arg(long, value_name = "FILE", requires = "records", conflicts_with = "wrapper", help_heading = "Output")]
    save_wrapper: Option<PathBuf>,

    /// Show whole pages with their template in grey
    #[arg(long, conflicts_with = "ranges", help_heading = "Output")]
    show: bool,

    /// Tell what was found as one JSON object: templates, or the cut point of the published method
    #[arg(long, conflicts_with_all = ["ranges", "show", "records"], help_heading = "Output")]
    json: bool,

    /// Format, where the name does not tell: text, jsonl, parquet or vertical; csv and tsv for --records
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Backbone,
    FindOptimal,
}

impl Method {
    const ALL: [(&'static str, Method); 2] = [("backbone", Method::Backbone), ("findoptimal", Method::FindOptimal)];
}

/// What ranges count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Chars,
    Bytes,
    Normalised,
}

impl Unit {
    const ALL: [(&'static str, Unit); 3] =
        [("chars", Unit::Chars), ("bytes", Unit::Bytes), ("normalised", Unit::Normalised)];
}

/// What `--format` names.
const FORMATS: [Format; 6] = [Format::Text, Format::Jsonl, Format::Parquet, Format::Vertical, Format::Csv, Format::Tsv];

/// What is to be done.
enum Job {
    /// One JSON object about all pages.
    Summary,
    Ranges(Unit),
    Records(Format),
    Show,
    /// Pages without what they share, into a folder.
    Folder(PathBuf),
    /// Their text, as documents.
    Documents(Format),
}

impl Arguments {
    fn job(&self) -> Result<Job> {
        let path = self.output.path();
        if let Some(path) = path.filter(|path| is_folder(path)) {
            if self.records || self.show || self.json || self.ranges.is_some() {
                bail!("{} is a folder; name a file, such as -o found.jsonl", path.display());
            }
            return match self.format {
                None => Ok(Job::Folder(path.to_owned())),
                Some(_) => bail!("pages go into a folder as they are; leave --format out, or name a file"),
            };
        }
        let format = self.format.or(path.and_then(|path| Format::of_path_among(path, &FORMATS)));
        let table = matches!(format, Some(Format::Csv | Format::Tsv));
        if self.json {
            return Ok(Job::Summary);
        }
        if let Some(unit) = self.ranges {
            return match format {
                None | Some(Format::Jsonl) => Ok(Job::Ranges(unit)),
                Some(_) => bail!("--ranges writes jsonl; leave --format out, or end the name in .jsonl"),
            };
        }
        if self.records {
            return match format.unwrap_or(Format::Csv) {
                Format::Text | Format::Vertical => bail!("--records writes csv, tsv, jsonl or parquet"),
                format => Ok(Job::Records(format)),
            };
        }
        if self.show {
            return match self.format {
                None => Ok(Job::Show),
                Some(_) => bail!("--show writes one HTML page; leave --format out"),
            };
        }
        if table {
            bail!("csv and tsv are for tables: add --records, or write documents as jsonl");
        }
        match (format, path) {
            (Some(format), _) => Ok(Job::Documents(format)),
            (None, None) => Ok(Job::Documents(Format::Jsonl)),
            (None, Some(path)) => match extension(path) {
                // A name without an ending is that of a folder.
                None => Ok(Job::Folder(path.to_owned())),
                Some(end) => bail!(
                    "{} ends in .{end}, which is no format of documents; write .txt, .jsonl, .parquet or .vert, or {}/ for a folder",
                    path.display(),
                    path.display()
                ),
            },
        }
    }

    fn check(&self, given: &Given, job: &Job, inputs: &Inputs) -> Result<()> {
        if !matches!(job, Job::Folder(_)) {
            given.refuse(&["overwrite"], "needs a folder to write to, such as -o clean/")?;
        }
        if self.method == Method::FindOptimal {
            let own = ["by", "evidence", "save", "memory", "records", "wrapper"];
            given.refuse(&own, "is for the default method; leave --method findoptimal out")?;
        }
        if self.evidence.is_some() {
            given.refuse(&["save", "memory"], "does nothing with --evidence, from which nothing is learned")?;
            given.refuse(&["records"], "learns its fields from pages; leave --evidence out, or name a --wrapper")?;
        }
        if self.wrapper.is_some() {
            given.refuse(&["save", "memory", "by"], "does nothing with --wrapper, with which nothing is learned")?;
        }
        self.output.check(inputs)?;
        refuse_input_as("the templates", self.save.as_deref(), inputs)?;
        refuse_input_as("the wrapper", self.save_wrapper.as_deref(), inputs)
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    let job = arguments.job()?;
    let (mut inputs, early) = arguments.input.expand(output.path())?;
    arguments.check(given, &job, &inputs)?;
    let mut failures = output.failures(early)?;
    let _copied = inputs.copy_stdin(None)?;
    let control = Arc::new(Control::default());
    let stopped = control.clone();
    on_interrupt(move || stopped.stop())?;
    let pages = Pages {
        named: &arguments.input.inputs,
        inputs,
        options: arguments.input.options_for_pages(),
        by: arguments.by,
        shows_progress: output.shows_progress(),
        pool: output.pool()?,
        control,
    };
    let done = known(arguments, &pages).and_then(|known| {
        let destination = Destination::open(arguments, &job, &pages, &known)?;
        let mut work = Work { job: &job, known, failures: &mut failures, summary: Summary::default() };
        work.all(&pages, destination)?;
        Ok((work.known, work.summary))
    });
    let (known, summary) = match done {
        Err(error) if matches!(error.downcast_ref(), Some(refrain::Error::Interrupted)) => {
            tell("interrupted; the output was not finished");
            return Ok(Exit::Interrupted);
        }
        done => done?,
    };
    tell_failures(&failures.first, failures.count, " (list them all with --errors)");
    if let (Known::Templates(templates), Some(path)) = (&known, &arguments.evidence) {
        summary.tell_drift(templates, path);
    }
    if !output.quiet {
        summary.tell(&known, output.path());
    }
    Ok(Exit::of_failures(failures.count))
}

/// What is known before pages are looked at one by one.
enum Known {
    Templates(Templates),
    Wrappers(Vec<Wrapper>),
    /// The same, learned from these very pages.
    Records(Templates, Vec<Wrapper>),
    /// The content of all pages, by the published method: how many pages there were, the cut point, and ranges of letters.
    Cut(Box<work::Cut>),
}

/// Reads the pages and learns from them, where that is needed.
fn known(arguments: &Arguments, pages: &Pages<'_>) -> Result<Known> {
    let read = |path: &PathBuf| {
        fs::read(path).with_context(|| format!("{} cannot be read; name a file that is there", path.display()))
    };
    if let Some(path) = &arguments.wrapper {
        return Wrapper::from_bytes(&read(path)?).with_context(|| path.display().to_string()).map(Known::Wrappers);
    }
    if let Some(path) = &arguments.evidence {
        return Templates::from_bytes(&read(path)?).with_context(|| path.display().to_string()).map(Known::Templates);
    }
    if arguments.method == Method::FindOptimal {
        return work::Cut::find(pages).map(Box::new).map(Known::Cut);
    }
    let kernel = SiteTemplates { memory: usize::try_from(arguments.memory).unwrap_or(usize::MAX) };
    let mut sample = kernel.partial();
    pages.each("learn", Result::ok, |page| {
        let Some(page) = page else { return Ok(()) };
        kernel.observe(Page { position: page.document.position, key: &page.key, text: &page.text }, &mut sample)
    })?;
    if sample.kept() < sample.observed() && !arguments.output.quiet {
        tell(&format!(
            "note: learned from {} of {} pages, those that fit into --memory",
            sample.kept(),
            sample.observed()
        ));
    }
    let (templates, wrappers) = pages.pool.install(|| match arguments.records {
        true => Ok(sample.conclude_with_wrappers()),
        false => kernel.conclude(sample).map(|templates| (templates, Vec::new())),
    })?;
    if let Some(path) = &arguments.save {
        write_atomically(path, &templates.to_bytes()?)?;
    }
    if let Some(path) = &arguments.save_wrapper {
        write_atomically(path, &Wrapper::to_bytes(&wrappers)?)?;
    }
    Ok(if arguments.records { Known::Records(templates, wrappers) } else { Known::Templates(templates) })
}
