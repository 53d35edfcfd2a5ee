//! `decode`: files in any encoding to UTF-8, or the encoding and language of each file.

mod found;
mod lines;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::found::{Decoder, Found, Raw};
pub(super) use self::lines::DecodedFile;
use self::lines::{Table, line};
use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Output, Outputs, REPORT, is_folder};
use crate::decode::{
    CharedModel, Decoded, LanguageFilter, NotText, chared_model, encodings, is_encoding, known_languages,
    languages_with_encodings,
};
use crate::document::Document;
use crate::error::{Error, Failure, Hint, IoContext, Result};
use crate::run::{Run, Workers};
use crate::source::ReadOptions;
use crate::stats::Account;
use crate::write::{self, Compressed, Compression, FolderWriter, Format, Names, TEXT, extension, place_below};

/// Decodes files in any encoding to UTF-8, or detects the encoding and language of each file.
///
/// Every file is one text, whatever its name; nothing is decompressed. The main output is a folder for the texts and their
/// report (`report.jsonl`), a file or standard output for a single text, or memory for documents. The list `files` receives
/// the lines of that report wherever the texts are written.
///
/// ```
/// use refrain::{Decode, Input, Outputs, Run};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), b"\xc8esk\xe1 \xf8eka te\xe8e p\xf8es \xfazem\xed")?;
/// let (outputs, results) = Outputs::memory();
/// let input = Input::paths([folder.path().to_string_lossy()])?;
/// let report = Decode { assume_lang: Some("cs".into()), ..Decode::default() }.run(&input, outputs, &Run::default())?;
/// assert_eq!(report.encodings["windows-1250"], 1);
/// assert_eq!(results.documents()[0].text(), "Česká řeka teče přes území");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Decode {
    /// The maximum size of a file in bytes; larger files are failures.
    pub max_document: u64,
    /// The language of the files, by its code, if it is known.
    pub assume_lang: Option<String>,
    /// The encoding of the files, by any of its names, if it is known: nothing is detected, and the options that say how have
    /// no effect.
    pub from: Option<String>,
    /// How the encoding is detected.
    pub method: DecodeMethod,
    /// A file with a model for the published method, which is then used. See [`Decode::train`].
    pub model: Option<PathBuf>,
    /// How many bytes of a file are examined to detect its encoding; `None` examines as many as needed.
    pub sample: Option<u64>,
    /// List encoding, language, confidence and declaration of each file instead of writing texts.
    pub detect: bool,
    /// Write only texts in these languages, by their codes, and those whose language is unclear. Empty for all.
    pub lang: Vec<String>,
}

impl Default for Decode {
    fn default() -> Decode {
        Decode {
            max_document: ReadOptions::MAX_DOCUMENT,
            assume_lang: None,
            from: None,
            method: DecodeMethod::default(),
            model: None,
            sample: None,
            detect: false,
            lang: Vec::new(),
        }
    }
}

/// How an encoding is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecodeMethod {
    /// By the letters of all known languages and encodings.
    #[default]
    Letters,
    /// By the published method alone, which needs a language or a model.
    Published,
}

impl DecodeMethod {
    /// All methods, by name.
    pub const ALL: [(&'static str, DecodeMethod); 2] =
        [("letters", DecodeMethod::Letters), ("published", DecodeMethod::Published)];
}

/// The result of [`Decode`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct DecodeReport {
    /// Files that are text, or empty.
    pub files: u64,
    /// Files without content.
    pub empty: u64,
    /// Files in languages that were not requested. They were not written, and count only here and in `files`.
    pub foreign: u64,
    /// Files by encoding.
    pub encodings: BTreeMap<&'static str, u64>,
    /// Files that declare a different encoding from the actual one.
    pub misdeclared: u64,
    /// Files whose encoding is uncertain: the confidence is below 0.5.
    pub uncertain: u64,
    /// The first ten of them.
    pub uncertain_files: Vec<Uncertain>,
    /// Files with bytes that fit no encoding.
    pub files_with_losses: u64,
    /// How often such bytes were replaced with U+FFFD.
    pub losses: u64,
    /// Files with NUL characters.
    pub files_with_nuls: u64,
    /// How many NUL characters were replaced with U+FFFD.
    pub nuls: u64,
    /// Files whose text was encoded twice, or in two encodings, and was repaired.
    pub repaired: u64,
    /// The report written next to the texts in a folder.
    pub report: Option<PathBuf>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// A file whose encoding is uncertain.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Uncertain {
    /// The file.
    pub origin: String,
    /// The encoding that was chosen.
    pub encoding: &'static str,
    /// The next best guess.
    pub second: Option<&'static str>,
    /// How sure the encoding is, from 0 to 1.
    pub confidence: f32,
}

/// How many files of uncertain encoding are listed.
const UNCERTAIN_LISTED: usize = 10;

impl DecodeReport {
    fn add(&mut self, found: &Found) {
        let Some(detection) = &found.detection else { return };
        self.files += 1;
        if found.foreign {
            self.foreign += 1;
            return;
        }
        match detection.encoding {
            Some(encoding) => *self.encodings.entry(encoding).or_default() += 1,
            None => self.empty += 1,
        }
        self.misdeclared += u64::from(detection.agrees() == Some(false));
        if let Some(uncertain) = found.uncertain() {
            self.uncertain += 1;
            self.uncertain_files.extend(Some(uncertain).filter(|_| self.uncertain <= UNCERTAIN_LISTED as u64));
        }
        let damage = &found.damage;
        self.files_with_losses += u64::from(damage.losses > 0);
        self.losses += damage.losses;
        self.files_with_nuls += u64::from(damage.nuls.is_some());
        self.nuls += damage.nuls.map_or(0, |(_, count)| count as u64);
        self.repaired += u64::from(damage.repair.is_some());
    }
}

/// The list of all files with their encodings, one JSON object a line.
const FILES: &str = "files";
/// The name of the same list in a folder of texts.
const REPORT_FILE: &str = "report.jsonl";

/// Where results are written.
enum Target {
    /// The list of detections.
    Detections(Format),
    /// A folder with a file for each text.
    Folder(PathBuf),
    /// The only text.
    Text,
    /// Documents in memory, or nothing.
    Documents,
}

/// A file that was examined, and its text if that is still to be written.
type Done = (Found, Option<String>);

impl Decode {
    /// The formats of lists of detections.
    pub const FORMATS: &[Format] = &[Format::Text, Format::Jsonl];

    /// Decodes one text. Bytes that are not text in any encoding are an error.
    ///
    /// The model of a job that names one is loaded for each call; [`decode`](crate::decode::decode()) takes a loaded one.
    ///
    /// ```
    /// let decoded = refrain::Decode::default().bytes(b"Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1")?;
    /// assert_eq!((decoded.text.as_str(), decoded.encoding), ("Zażółć gęślą jaźń", "ISO-8859-2"));
    /// assert_eq!((decoded.language, decoded.losses), (Some("pl"), 0));
    /// # Ok::<(), refrain::Error>(())
    /// ```
    pub fn bytes(&self, bytes: impl Into<Vec<u8>>) -> Result<Decoded> {
        let (decoded, _) = self.decoder()?.decode(bytes.into()).map_err(|NotText { at }| {
            Error::Refused(format!("the bytes are not text in any encoding: binary data at byte {at}"))
        })?;
        Ok(decoded)
    }

    /// Trains a model for the published method and writes it to the main output. The text is a file in UTF-8 with a sentence
    /// on each line; the encodings are those that are common for its language, the commonest first.
    pub fn train(text: &Path, encodings: &[String], outputs: &Outputs) -> Result<CharedModel> {
        outputs.check(&[])?;
        if let (Some(path), Ok(text)) = (outputs.path(), text.canonicalize())
            && path.canonicalize().is_ok_and(|path| path == text)
        {
            let path = path.display();
            return Err(Error::Refused(format!("{path} is both the text and the model; name another output")));
        }
        let shown = text.display();
        let content = String::from_utf8(fs::read(text).at(text)?)
            .map_err(|_| Error::Refused(format!("{shown}: is not in UTF-8; decode it first")))?;
        let encodings: Vec<&str> = encodings.iter().map(|encoding| encoding.trim()).collect();
        let model =
            CharedModel::train(&content, &encodings).map_err(|error| Error::Refused(format!("{shown}: {error}")))?;
        let mut saved = Vec::new();
        model.save(&mut saved)?;
        let mut out = outputs.main().open()?;
        out.put(&saved)?;
        out.finish()?;
        Ok(model)
    }

    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<DecodeReport> {
        outputs.check_names(&[ERRORS, FILES, REPORT], if self.detect { Format::Jsonl } else { Format::Text })?;
        if input.is_table() {
            return Err(Error::Refused("files are decoded, not tables; decode the bytes of each row".into()));
        }
        let decoder = self.decoder()?;
        let (source, early) = input.open(&ReadOptions::default(), &outputs)?;
        let inputs = source.inputs();
        let raw: Vec<Raw<'_>> = match input.in_memory() {
            Some(documents) => documents.iter().map(Raw::Document).collect(),
            None => inputs.iter().map(Raw::File).collect(),
        };
        let target = self.target(&outputs, &raw, &early)?;
        let mut report = DecodeReport::default();
        let mut reports: Vec<Compressed> = Vec::new();
        if let Target::Folder(folder) = &target {
            let path = make_folder(&outputs, folder)?;
            reports.push(Compression::None.compress(write::Sink::below(folder, REPORT_FILE, None)?)?);
            report.report = Some(path);
        }
        reports.extend(outputs.open_list(FILES)?);
        let mut failures = FailureLog::new(&outputs, Vec::new())?;
        let names = Names::new(input.names(), inputs);
        let mut writer = Writer::open(&outputs, &target, &raw, &names)?;
        let mut sink = |raw: Option<Raw<'_>>, (found, text): Done| {
            report.add(&found);
            for out in &mut reports {
                out.put(line(&found, !self.detect).as_bytes())?;
            }
            writer.write(raw, &found, text)?;
            failures.count(found.detection.is_some(), None, found.failure)
        };
        early.into_iter().try_for_each(|failure| sink(None, (Found::failed(failure), None)))?;
        let work = |raw: Raw<'_>| -> Result<Done> {
            if self.detect {
                return Ok((decoder.detect_raw(raw), None));
            }
            let (Target::Folder(folder), Raw::File(input)) = (&target, raw) else {
                return Ok(decoder.decode_raw(raw));
            };
            // Files are written by the threads that decode them.
            let name = names.of(input);
            if name == Path::new(REPORT_FILE) {
                return Ok((Found::failed(named_like_the_report(raw.name())), None));
            }
            let (found, text) = decoder.decode_raw(raw);
            if let Some(text) = text {
                place_below(folder, &name, text.as_bytes())?;
            }
            Ok((found, None))
        };
        let workers = run.start()?;
        workers.begin("read", inputs.total_size());
        each(&workers, &raw, work, |raw, done| sink(Some(raw), done))?;
        writer.finish()?;
        for out in reports {
            out.finish()?;
        }
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    fn target(&self, outputs: &Outputs, raw: &[Raw<'_>], early: &[Failure]) -> Result<Target> {
        if self.detect {
            return Ok(Target::Detections(outputs.file_format(Self::FORMATS, Format::Text)?));
        }
        let is_one = raw.len() == 1 && early.is_empty();
        match outputs.main() {
            Output::Discard | Output::Memory(_) => Ok(Target::Documents),
            Output::Stdout if is_one => Ok(Target::Text),
            Output::Stdout => Err(Error::Refused("several files need a folder".into()).hint(Hint::option(
                "output",
                "name one, such as `output=utf8/`, or use `detect` to list their encodings",
            ))),
            Output::Path(path) if is_folder(path) => Ok(Target::Folder(path.clone())),
            Output::Path(path) if is_one && raw.iter().all(Raw::is_named) => {
                let own = raw.first().and_then(|raw| extension(Path::new(raw.name())));
                let allowed: Vec<String> =
                    std::iter::once(TEXT.to_owned()).chain(own.filter(|own| own != TEXT)).collect();
                // Devices and pipes have no extension.
                if extension(path).is_none_or(|extension| allowed.contains(&extension)) {
                    return Ok(Target::Text);
                }
                let allowed = allowed.join(" or .");
                Err(Error::Refused(format!(
                    "{} is not named like the text that would be written; end the name in .{allowed}, with .gz or .zst \
                     after it to compress the text",
                    path.display()
                )))
            }
            Output::Path(path) => Err(Error::Refused(format!(
                "{} is the name of a file, and several files need a folder; end it with /",
                path.display()
            ))),
        }
    }

    /// Checks the options and loads the model.
    fn decoder(&self) -> Result<Decoder> {
        let lang = self.assume_lang.as_deref().map(known_language).transpose()?;
        let from = self.from.as_deref().map(known_encoding).transpose()?;
        let model = match (&self.model, self.method, &lang) {
            (Some(path), ..) => {
                let model = CharedModel::load(&fs::read(path).at(path)?);
                let not_a_model = |error| Error::Refused(format!("{} is not a model: {error}", path.display()));
                Some(Cow::Owned(model.map_err(not_a_model)?))
            }
            (None, DecodeMethod::Published, Some(code)) => {
                let unknown = || Error::Refused(format!("there is no model of the published method for `{code}`"));
                let hint = || Hint::option("train", "train one with `train`, and name it with `model`");
                Some(Cow::Borrowed(chared_model(code).ok_or_else(|| unknown().hint(hint()))?))
            }
            (None, DecodeMethod::Published, None) => {
                let error = Error::Refused("the published method needs a language or a model".into());
                return Err(error.hint(Hint::option("assume_lang", "name one with `assume_lang` or `model`")));
            }
            (None, DecodeMethod::Letters, _) => None,
        };
        let sample = self.sample.map(|sample| usize::try_from(sample).unwrap_or(usize::MAX));
        let filter = LanguageFilter::of(&self.lang)?;
        Ok(Decoder { lang, from, model, sample, filter, max_document: self.max_document })
    }
}

/// The code of a language whose encodings are known.
fn known_language(code: &str) -> Result<String> {
    let code = code.trim().to_lowercase();
    if code.contains(',') {
        let error = Error::Refused(format!("`{code}` names several languages"));
        return Err(error.hint(Hint::option("assume_lang", "name one code, or remove `assume_lang`")));
    }
    let codes = languages_with_encodings();
    if codes.contains(&code.as_str()) {
        return Ok(code);
    }
    let what = match known_languages().contains(&code.as_str()) {
        true => "no encoding but UTF-8 is known for",
        false => "unknown language",
    };
    Err(Error::Refused(format!("{what} `{code}`; the codes are: {}", codes.join(", "))))
}

/// The label of an encoding that is known.
fn known_encoding(label: &str) -> Result<String> {
    if is_encoding(label) {
        return Ok(label.to_owned());
    }
    let error = Error::Refused(format!("unknown encoding `{label}`; the encodings are: {}", encodings().join(", ")));
    Err(error.hint(Hint::option("from", "name one of them, or remove `from` to detect the encoding of each file")))
}

/// How many files are decoded before their results are written.
const CHUNK: usize = 256;

/// Processes files on all threads, each thread one file at a time, and passes the results to the sink in order.
fn each<'r>(
    workers: &Workers,
    raw: &[Raw<'r>],
    work: impl Fn(Raw<'r>) -> Result<Done> + Sync,
    mut sink: impl FnMut(Raw<'r>, Done) -> Result<()>,
) -> Result<()> {
    let work = |raw: &Raw<'r>| {
        workers.stop().check()?;
        let done = work(*raw)?;
        workers.advance(raw.size(), 1, u64::from(done.0.failure.is_some()));
        Ok(done)
    };
    for chunk in raw.chunks(CHUNK) {
        let done: Vec<Result<Done>> = workers.install(|| chunk.par_iter().map(work).collect());
        for (raw, done) in chunk.iter().zip(done) {
            workers.stop().check()?;
            sink(*raw, done?)?;
        }
    }
    Ok(())
}

/// Writes results in the order of the files. Files of a folder are written elsewhere, by the threads that decode them.
enum Writer<'a> {
    Table(Compressed, Table),
    Lines(Compressed),
    Text(&'a Output),
    Memory(&'a super::Memory),
    /// Files for documents that were in memory.
    Folder(FolderWriter, &'a Names),
    Nothing,
}

impl<'a> Writer<'a> {
    fn open(outputs: &'a Outputs, target: &Target, raw: &[Raw<'_>], names: &'a Names) -> Result<Writer<'a>> {
        Ok(match target {
            Target::Detections(Format::Jsonl) => Writer::Lines(outputs.main().open()?),
            Target::Detections(_) => {
                let (mut out, table) = (outputs.main().open()?, Table::new(raw));
                out.put(table.head().as_bytes())?;
                Writer::Table(out, table)
            }
            Target::Text => Writer::Text(outputs.main()),
            Target::Folder(folder) => {
                Writer::Folder(FolderWriter::next_to(folder, [], outputs.may_overwrite())?, names)
            }
            Target::Documents => match outputs.main() {
                Output::Memory(memory) => Writer::Memory(memory),
                _ => Writer::Nothing,
            },
        })
    }

    fn write(&mut self, raw: Option<Raw<'_>>, found: &Found, text: Option<String>) -> Result<()> {
        match (self, raw, text) {
            (Writer::Table(out, table), ..) => out.put(table.row(found).as_bytes()),
            (Writer::Lines(out), ..) => out.put(line(found, false).as_bytes()),
            (Writer::Text(output), _, Some(text)) => {
                let mut out = output.open()?;
                out.put(text.as_bytes())?;
                out.finish().map(drop)
            }
            (Writer::Memory(memory), Some(raw), Some(text)) => {
                memory.push(document(raw, found, text))?;
                Ok(())
            }
            (Writer::Folder(writer, names), Some(raw), Some(text)) => {
                let document = document(raw, found, text);
                writer.write(&names.of_document(&document, None, TEXT), document.text().as_bytes()).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Writer::Table(out, _) | Writer::Lines(out) => out.finish().map(drop),
            _ => Ok(()),
        }
    }
}

/// The document that was decoded.
fn document(raw: Raw<'_>, found: &Found, text: String) -> Document {
    let mut document = match raw {
        Raw::Document(document) if document.text() == text => document.clone(),
        Raw::Document(document) => {
            let mut document = document.clone();
            document.set_text(text);
            document
        }
        Raw::File(input) => {
            let mut document = Document::from_text(input.name.as_str(), text);
            document.origin.input.clone_from(&input.name);
            document
        }
    };
    if let Some(detection) = &found.detection {
        document.encoding = detection.encoding.map(str::to_owned);
        document.language = detection.language.map(str::to_owned);
    }
    document
}

/// Creates the folder and returns the path of its report. The report of an earlier run is removed: a folder with a report holds
/// all texts.
fn make_folder(outputs: &Outputs, folder: &Path) -> Result<PathBuf> {
    outputs.check_folder(folder)?;
    fs::create_dir_all(folder).at(folder)?;
    let report = folder.join(REPORT_FILE);
    if report.is_file() {
        fs::remove_file(&report).at(&report)?;
    }
    Ok(report)
}

fn named_like_the_report(name: &str) -> Failure {
    let failure = Failure::new(name, format!("its text would overwrite the report, {REPORT_FILE}"));
    failure.hint("rename it, or decode it to a separate file")
}
