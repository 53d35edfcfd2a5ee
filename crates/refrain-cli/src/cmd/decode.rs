//! `refrain decode`: files in whatever encoding to UTF-8, or which encoding they are in.

mod report;
mod training;
mod work;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use refrain::Failure;
use refrain::decode::{CharedModel, Hints, LanguageFilter, chared_model, languages_with_encodings};
use refrain::pipeline::Control;
use refrain::source::{Input, Inputs};
use refrain::write::{Compressed, Compression, Format, Output, place_below};

use crate::common::{
    Failures, Given, OutputArguments, expand, is_folder, languages, named, on_interrupt, one_of, size, tell,
    tell_failures,
};
use crate::exit::Exit;
use crate::progress::{Bar, Status};
use refrain::write::Names;
use report::{Summary, Table, line};
use work::{Found, Reader, in_order};

/// Turn files in any encoding into UTF-8, or tell which encoding and language they are in
///
/// Every file is one text, whatever its name; nothing is unpacked. One file goes to standard output, or to the file that -o
/// names. Several files, and folders, go into a folder under the same relative names, with a report of what was found and
/// what was lost: report.jsonl. Bytes that fit no encoding become U+FFFD and are counted.
#[derive(Args)]
#[command(
    before_help = "Example:\n  refrain decode samples/pages/ -o utf8/\n  refrain decode --detect samples/pages/\n  refrain decode --lang cs samples/pages/garten.example/cz-jablon.html\n  refrain decode --train czech.txt --encodings windows-1250,iso-8859-2 -o czech.model",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for the texts and their report; or the file, for one text or with --detect; standard output when not given"
    ))
)]
pub(crate) struct Arguments {
    /// Files, folders, glob patterns, @list.txt (one name a line), or - for standard input
    #[arg(value_name = "INPUT", required_unless_present = "train")]
    inputs: Vec<String>,

    /// Largest file to read; larger ones are reported and left out
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Input")]
    max_document: u64,

    #[command(flatten)]
    encoding: EncodingArguments,

    /// Tell encoding, language, confidence and whether declarations are right; write no text
    #[arg(long, help_heading = "Output")]
    detect: bool,

    /// With --detect: a table for people, or one JSON object a line, where the name (.txt, .jsonl) does not tell
    /// [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Write only texts in these languages, by their codes, separated by commas; others are noted as foreign in the report.
    /// Where the language is not clear, the text is written
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = "Output")]
    only: Vec<String>,

    /// Write into a folder that is not empty: files of the same names are replaced, others are left alone
    #[arg(long, help_heading = "Output")]
    overwrite: bool,

    #[command(flatten)]
    output: OutputArguments,
}

/// How the encoding is told, and what is known beforehand.
#[derive(Args)]
#[command(next_help_heading = "Encoding")]
struct EncodingArguments {
    /// Language of the files, by its code, where it is known
    #[arg(long, value_name = "CODE", value_parser = language)]
    lang: Option<String>,

    /// How the encoding is told: by all that is known of languages and encodings, or by the published method alone, which
    /// needs --lang or --model [default: letters]
    #[arg(long, value_name = "METHOD", value_parser = named(Method::ALL.to_vec()))]
    method: Option<Method>,

    /// A model of your own for the published method, made by --train
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Make a model from a text in UTF-8, a sentence a line, and write it to the file that -o names
    #[arg(long, value_name = "TEXT", requires = "encodings", conflicts_with_all = ["inputs", "detect", "model", "method", "lang"])]
    train: Option<PathBuf>,

    /// With --train: the encodings that are common for the language, the commonest first
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "train")]
    encodings: Vec<String>,

    /// Look at no more than so many bytes of a file to tell its encoding [default: as many as it takes]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    sample: Option<u64>,
}

impl EncodingArguments {
    fn hints<'a>(&'a self, model: Option<&'a CharedModel>) -> Hints<'a> {
        let sample = self.sample.map(|sample| usize::try_from(sample).unwrap_or(usize::MAX));
        Hints { language: self.lang.as_deref(), sample, model, ..Hints::default() }
    }

    /// The model of the published method, where that is wanted.
    fn model(&self) -> Result<Option<Cow<'static, CharedModel>>> {
        if let Some(path) = &self.model {
            if self.method == Some(Method::Letters) {
                bail!("--model is for the published method; leave --method out, or name published");
            }
            let file = fs::read(path).with_context(|| path.display().to_string())?;
            let model = CharedModel::load(&file).with_context(|| format!("{} is no model", path.display()))?;
            return Ok(Some(Cow::Owned(model)));
        }
        match (self.method, &self.lang) {
            (Some(Method::Published), Some(code)) => match chared_model(code) {
                Some(model) => Ok(Some(Cow::Borrowed(model))),
                None => bail!("there is no model of the published method for `{code}`; make one with --train"),
            },
            (Some(Method::Published), None) => bail!("the published method needs a language: add --lang, or --model"),
            _ => Ok(None),
        }
    }
}

/// How the encoding is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Letters,
    Published,
}

impl Method {
    const ALL: [(&'static str, Method); 2] = [("letters", Method::Letters), ("published", Method::Published)];
}

/// How findings are written.
const FORMATS: [Format; 2] = [Format::Text, Format::Jsonl];

/// A language that encodings are known for.
fn language(code: &str) -> Result<String, String> {
    let code = code.trim().to_lowercase();
    if code.contains(',') {
        return Err("the files are taken to be in one language: name one code, or leave --lang out".into());
    }
    let known = languages_with_encodings();
    if known.contains(&code.as_str()) {
        return Ok(code);
    }
    let what = match LanguageFilter::known().contains(&code.as_str()) {
        true => "no encoding but UTF-8 is known for",
        false => "unknown language",
    };
    Err(format!("{what} `{code}`; the codes are: {}", known.join(", ")))
}

/// What is to be done.
enum Job {
    /// Tell what the files are.
    Detect(Format),
    /// Write the texts into a folder.
    Folder(PathBuf),
    /// Write the only text to a file, or to standard output.
    Text,
}

impl Arguments {
    fn job(&self, inputs: &Inputs, failures: &[Failure]) -> Result<Job> {
        if self.detect {
            return Ok(Job::Detect(self.format()?));
        }
        let one = inputs.len() == 1 && failures.is_empty();
        match self.output.path() {
            None if one => Ok(Job::Text),
            None => bail!(
                "several files go into a folder: name one, such as -o utf8/, or use --detect to see what they are"
            ),
            Some(path) if is_folder(path) => Ok(Job::Folder(path.to_owned())),
            Some(_) if one && inputs.iter().all(|input| input.named) => Ok(Job::Text),
            Some(path) => Ok(Job::Folder(path.to_owned())),
        }
    }

    /// How findings are written.
    fn format(&self) -> Result<Format> {
        let Some(path) = self.output.path() else { return Ok(self.format.unwrap_or(Format::Text)) };
        if is_folder(path) {
            bail!("{} is a folder, and --detect writes one file, such as -o found.jsonl", path.display());
        }
        Ok(Format::choose(path, self.format, &FORMATS)?)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given, job: &Job) -> Result<()> {
        if !self.detect {
            given.refuse(&["format"], "needs --detect; texts are written as they are")?;
        }
        if self.detect {
            given.refuse(&["only"], "is for texts that are written; --detect tells the language of each file")?;
        }
        if !matches!(job, Job::Folder(_)) {
            given.refuse(&["overwrite", "only"], "needs a folder to write to, such as -o utf8/")?;
        }
        Ok(())
    }

    /// Where a single file is written.
    fn open(&self) -> Result<Compressed> {
        Ok(match self.output.path() {
            Some(path) => Compression::of_path(path).compress(Output::file(path)?)?,
            None => Compression::None.compress(Output::stream(std::io::stdout()))?,
        })
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    if let Some(text) = &arguments.encoding.train {
        given.refuse(&["format", "overwrite", "only", "sample"], "has nothing to do with --train")?;
        return training::run(text, &arguments.encoding.encodings, output);
    }
    let model = arguments.encoding.model()?;
    let (inputs, early) = expand(&arguments.inputs, output.path())?;
    let job = arguments.job(&inputs, &early)?;
    arguments.refuse_idle(given, &job)?;
    output.check(&inputs)?;
    let filter = LanguageFilter { wanted: languages("--only", &arguments.only)?, by_block: false };
    if let Job::Folder(folder) = &job {
        prepare(folder, arguments.overwrite)?;
    }
    let reader = Arc::new(Reader::new(arguments.max_document));
    let hints = arguments.encoding.hints(model.as_deref());
    let failures = output.failures(Vec::new())?;
    let run = Run { arguments, hints, filter, inputs, reader, failures, summary: Summary::default() };
    match job {
        Job::Detect(format) => run.detect(early, format),
        Job::Folder(folder) => run.fill(early, &folder),
        Job::Text => run.text(),
    }
}

/// A run over files.
struct Run<'a> {
    arguments: &'a Arguments,
    hints: Hints<'a>,
    /// The languages whose texts are written.
    filter: LanguageFilter,
    inputs: Inputs,
    reader: Arc<Reader>,
    failures: Failures,
    summary: Summary,
}

impl Run<'_> {
    /// Tells what the files are.
    fn detect(mut self, early: Vec<Failure>, format: Format) -> Result<Exit> {
        let mut out = self.arguments.open()?;
        let (hints, reader) = (self.hints, self.reader.clone());
        let table = Table::new(&self.inputs);
        if format == Format::Text {
            out.put(table.head().as_bytes())?;
        }
        let done = self.all(
            early,
            |input| Ok(reader.detect(input, hints)),
            |found| {
                let written = match format {
                    Format::Jsonl => line(found, false),
                    _ => table.row(found),
                };
                out.put(written.as_bytes())
            },
        );
        if let Some(exit) = interrupted(&done, "the output was not finished") {
            return Ok(exit);
        }
        done?;
        out.finish()?;
        let wrote = self.arguments.output.path().map_or(String::new(), |path| format!("wrote {}: ", path.display()));
        Ok(self.tell(Some(wrote + &self.summary.words())))
    }

    /// Fills a folder with the texts.
    fn fill(mut self, early: Vec<Failure>, folder: &Path) -> Result<Exit> {
        let mut out = Compression::None.compress(Output::file(&folder.join(REPORT))?)?;
        let names = Names::new(&self.arguments.inputs, &self.inputs);
        let (hints, reader) = (self.hints, self.reader.clone());
        let filter = self.filter.clone();
        let done = self.all(
            early,
            |input| {
                let name = names.of(input);
                if name == Path::new(REPORT) {
                    return Ok(Found::failed(named_like_the_report(input)));
                }
                let (mut found, text) = reader.decode(input, hints);
                if let Some(text) = text {
                    found.note_language(&text, &filter);
                    if !found.foreign {
                        place_below(folder, &name, text.as_bytes())?;
                    }
                }
                Ok(found)
            },
            |found| out.put(line(found, true).as_bytes()),
        );
        let left = format!("{} holds some of the texts, and no report; start again with --overwrite", folder.display());
        if let Some(exit) = interrupted(&done, &left) {
            return Ok(exit);
        }
        done?;
        out.finish()?;
        let (texts, found) = (self.summary.written(), self.summary.words());
        Ok(self.tell(Some(format!("wrote {texts} and {REPORT} to {}: {found}", folder.display()))))
    }

    /// Writes the only text.
    fn text(mut self) -> Result<Exit> {
        let Some(input) = self.inputs.iter().next() else { bail!("nothing to read") };
        let (found, text) = self.reader.decode(input, self.hints);
        self.summary.add(&found);
        if let Some(text) = text {
            let mut out = self.arguments.open()?;
            out.put(text.as_bytes())?;
            out.finish()?;
        }
        let path = self.arguments.output.path().filter(|_| found.failure.is_none());
        let line = path.map(|path| format!("wrote {}: {}", path.display(), self.summary.words()));
        if let Some(failure) = found.failure {
            self.failures.add(failure)?;
        }
        Ok(self.tell(line))
    }

    /// Works on all files, and hands over what was found in their order; first what was not there.
    fn all(
        &mut self,
        early: Vec<Failure>,
        work: impl Fn(&Input) -> refrain::Result<Found> + Sync,
        mut write: impl FnMut(&Found) -> refrain::Result<()>,
    ) -> Result<()> {
        let output = &self.arguments.output;
        let (failures, summary) = (&mut self.failures, &mut self.summary);
        let mut take = |found: Found| {
            summary.add(&found);
            write(&found)?;
            found.failure.map_or(Ok(()), |failure| failures.add(failure))
        };
        for failure in early {
            take(Found::failed(failure))?;
        }
        let pool = output.pool()?;
        let control = Arc::new(Control::default());
        let (stopped, reader, counted) = (control.clone(), self.reader.clone(), control.clone());
        on_interrupt(move || stopped.stop())?;
        let total = self.inputs.total_size();
        let bar = Bar::start(!output.shows_progress(), move || Status {
            phase: "read",
            done: reader.bytes_read(),
            total,
            documents: counted.documents(),
            note: format!(", {} files", counted.documents()),
        });
        let result = in_order(&self.inputs, &pool, &control, work, take);
        drop(bar);
        Ok(result?)
    }

    /// Tells what failed and, unless nobody wants to know, what was done and what was lost.
    fn tell(&self, line: Option<String>) -> Exit {
        tell_failures(&self.failures.first, self.failures.count, " (list them all with --errors)");
        if !self.arguments.output.quiet {
            line.into_iter().chain(self.summary.damage()).for_each(|line| tell(&line));
        }
        Exit::of_failures(self.failures.count)
    }
}

/// The exit code of a run that was asked to stop; none for others.
fn interrupted(done: &Result<()>, left: &str) -> Option<Exit> {
    let error = done.as_ref().err()?.downcast_ref::<refrain::Error>()?;
    matches!(error, refrain::Error::Interrupted).then(|| {
        tell(&format!("interrupted; {left}"));
        Exit::Interrupted
    })
}

/// The name of the report in a folder of texts.
const REPORT: &str = "report.jsonl";

/// Makes the folder ready. The report of an earlier run goes: where there is one, all texts are.
fn prepare(folder: &Path, overwrite: bool) -> Result<()> {
    // Without the slash at its end.
    let plain: PathBuf = folder.components().collect();
    if plain.exists() && !plain.is_dir() {
        bail!("{} is a file, and the texts need a folder; name another one, such as -o utf8/", plain.display());
    }
    if !overwrite && plain.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        bail!(
            "the folder {} is not empty; name another one, or replace files of the same names with --overwrite",
            folder.display()
        );
    }
    fs::create_dir_all(&plain).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let report = plain.join(REPORT);
    if report.is_file() {
        fs::remove_file(&report).with_context(|| report.display().to_string())?;
    }
    Ok(())
}

fn named_like_the_report(input: &Input) -> Failure {
    let failure = Failure::new(&input.name, format!("would lie where the report goes, which is called {REPORT}"));
    failure.hint("rename it, or decode it by itself, with a file for -o")
}
