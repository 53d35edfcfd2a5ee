//! `refrain decode`: files in any encoding to UTF-8, or the encoding of each file.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use refrain::jobs::{DecodeMethod, Uncertain};
use refrain::write::{Compression, Format};
use refrain::{Decode, DecodeReport, Outputs, Run};

use crate::arguments::{Given, OutputArguments, is_folder, named, one_of, print_message, size};
use crate::exit::Exit;
use crate::stores::input;

/// Decode files to UTF-8, or report their encoding and language
///
/// Every file is one text, whatever its name; nothing is decompressed. One file is written to standard output, or to
/// the file that -o names. Several files are written to a folder under the same names, with a report, report.jsonl.
/// Bytes that fit no encoding become U+FFFD and are counted.
#[derive(Args)]
#[command(
    before_help = "Examples:\n  refrain decode samples/pages/ -o utf8/\n  refrain decode --detect samples/pages/\n  refrain decode --assume-lang cs samples/pages/garten.example/cz-jablon.html\n  refrain decode --train czech.txt --encodings windows-1250,iso-8859-2 -o czech.model",
    mut_arg("output", |arg| arg.value_name("PATH").help(
        "Folder for the texts and their report; or the file, for one text or with --detect [default: standard output]"
    ))
)]
pub(crate) struct Arguments {
    /// Files, folders, glob patterns, addresses (s3://, gs://, https://), @list.txt (one name per line), or - for standard input
    #[arg(value_name = "INPUT", required_unless_present = "train")]
    inputs: Vec<String>,

    /// Largest file to read; larger files are reported and skipped
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, allow_negative_numbers = true, help_heading = "Input")]
    max_document: u64,

    #[command(flatten)]
    encoding: EncodingArguments,

    /// Report encoding, language, confidence and whether declarations are right; write no text
    #[arg(long, help_heading = "Output")]
    detect: bool,

    /// With --detect: a table (text) or one JSON object per line (jsonl), if the file extension does not select it
    /// [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Decode::FORMATS), help_heading = "Output")]
    format: Option<Format>,

    /// Write only texts in these languages, by their codes, separated by commas; the report lists the others as foreign.
    /// Texts in an unclear language are written
    #[arg(long, alias = "only", value_name = "CODES", value_delimiter = ',', help_heading = "Output")]
    lang: Vec<String>,

    #[command(flatten)]
    output: OutputArguments,
}

/// How to detect the encoding.
#[derive(Args)]
#[command(next_help_heading = "Encoding")]
struct EncodingArguments {
    /// Language of the files, by its code, where it is known
    #[arg(long, value_name = "CODE")]
    assume_lang: Option<String>,

    /// Encoding of all files, by its name, such as IBM850: decode from it and detect nothing
    #[arg(long, value_name = "ENCODING", conflicts_with_all = ["assume_lang", "method", "model", "train", "sample", "detect"])]
    from: Option<String>,

    /// How to detect the encoding: by letters (default), or by the published method, which needs --assume-lang or --model
    #[arg(long, value_name = "METHOD", default_value = "letters", value_parser = named(DecodeMethod::ALL.to_vec()))]
    method: DecodeMethod,

    /// Your own model for the published method, created with --train
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// Train a model on a UTF-8 text with one sentence per line, and write it to the file that -o names
    #[arg(long, value_name = "TEXT", requires = "encodings", conflicts_with_all = ["inputs", "detect", "model", "method", "assume_lang"])]
    train: Option<PathBuf>,

    /// With --train: the usual encodings of the language, the most common first
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "train")]
    encodings: Vec<String>,

    /// Read at most this many bytes of a file to detect its encoding [default: as many as needed]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    sample: Option<u64>,
}

impl Arguments {
    fn job(&self) -> Decode {
        let encoding = &self.encoding;
        Decode {
            max_document: self.max_document,
            assume_lang: encoding.assume_lang.clone(),
            from: encoding.from.clone(),
            method: encoding.method,
            model: encoding.model.clone(),
            sample: encoding.sample,
            detect: self.detect,
            lang: self.lang.clone(),
        }
    }

    /// True if texts are written to a folder.
    fn fills_folder(&self) -> bool {
        !self.detect && self.output.path().is_some_and(is_folder)
    }

    /// Refuses options that would do nothing.
    fn refuse_idle(&self, given: &Given) -> Result<()> {
        if !self.detect {
            given.refuse(&["format"], "needs --detect; texts are written as they are")?;
        }
        if self.detect {
            given.refuse(&["lang"], "is for texts that are written; --detect lists the language of each file")?;
        }
        if !self.fills_folder() {
            let why = "needs a folder to write to, such as -o utf8/; --assume-lang names the language of a file";
            given.refuse(&["lang"], why)?;
        }
        if self.encoding.model.is_some() && self.encoding.method == DecodeMethod::Letters {
            given.refuse(
                &["method"],
                "the method letters uses no model; remove the option, or use --method published",
            )?;
        }
        Ok(())
    }
}

pub(crate) fn run(arguments: &Arguments, given: &Given) -> Result<Exit> {
    let output = &arguments.output;
    let format = arguments.format.map(|format| (format, Compression::None));
    let outputs = output.outputs(format)?;
    if let Some(text) = &arguments.encoding.train {
        given.refuse(
            &["format", "overwrite", "lang", "sample", "errors", "json", "report"],
            "has no effect with --train",
        )?;
        return train(text, &arguments.encoding.encodings, output, &outputs);
    }
    arguments.refuse_idle(given)?;
    let (job, input) = (arguments.job(), input(&arguments.inputs)?);
    let left = match output.path().filter(|_| arguments.fills_folder()) {
        Some(path) => {
            format!("{} holds some of the texts and no report; run again with --overwrite", path.display())
        }
        None => "the output was not finished".to_owned(),
    };
    let report = output.run(Run::default(), "files", &left, |run| job.run(&input, outputs, run))?;
    output.print_json(&report)?;
    let exit = OutputArguments::print_failures(&report.failures);
    if !output.quiet {
        print_report(&report, output.path(), arguments.detect);
    }
    output.print_account(&report.input);
    Ok(exit)
}

/// Trains a model and writes it.
fn train(text: &Path, encodings: &[String], output: &OutputArguments, outputs: &Outputs) -> Result<Exit> {
    let Some(path) = output.path() else { bail!("a model is written to a file: name one, such as -o mylang.model") };
    let model = Decode::train(text, encodings, outputs)?;
    if !output.quiet {
        let (path, encodings) = (path.display(), encodings.join(", "));
        print_message(&format!("wrote {path}: {} byte triples distinguish {encodings}", model.triples()));
    }
    Ok(Exit::Done)
}

/// Prints what was found, what was lost and what was repaired.
fn print_report(report: &DecodeReport, output: Option<&Path>, detect: bool) {
    let found = found(report);
    match (output, &report.report) {
        (Some(folder), Some(_)) => {
            let texts = files(report.files - report.foreign);
            print_message(&format!("wrote {texts} and report.jsonl to {}: {found}", folder.display()));
        }
        (Some(file), None) if detect || report.failures.count == 0 => {
            print_message(&format!("wrote {}: {found}", file.display()));
        }
        (None, _) if detect => print_message(&found),
        _ => {}
    }
    print_uncertain(report);
    if report.losses > 0 {
        let (count, files) = (report.losses, files(report.files_with_losses));
        print_message(&format!("note: bytes that fit no encoding became U+FFFD ({count}), in {files}"));
    }
    if report.nuls > 0 {
        print_message(&format!(
            "note: NUL characters became U+FFFD ({}), in {}",
            report.nuls,
            files(report.files_with_nuls)
        ));
    }
    if report.repaired > 0 {
        print_message(&format!("note: repaired doubly encoded or mixed text in {}", files(report.repaired)));
    }
}

/// How many files of uncertain encoding are named.
const NAMED: usize = 3;

/// Prints the files whose encoding may be wrong, each with the two best guesses.
fn print_uncertain(report: &DecodeReport) {
    for Uncertain { origin, encoding, second, confidence } in report.uncertain_files.iter().take(NAMED) {
        let guesses = second.map_or_else(|| (*encoding).to_owned(), |second| format!("{encoding} or {second}"));
        print_message(&format!("note: {origin}: the encoding is uncertain: {guesses} (confidence {confidence:.2})"));
    }
    if report.uncertain > NAMED as u64 {
        let more = files(report.uncertain - NAMED as u64);
        print_message(&format!("note: the encoding is also uncertain in {more}; the report has a note on each"));
    }
    if report.uncertain > 0 {
        print_message("note: --from ENCODING decodes with the encoding that you name");
    }
}

/// The encodings, the most frequent one first.
fn found(report: &DecodeReport) -> String {
    let mut encodings: Vec<_> = report.encodings.iter().collect();
    encodings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let mut parts: Vec<String> = encodings.iter().map(|(encoding, count)| format!("{count} {encoding}")).collect();
    if report.empty > 0 {
        parts.push(format!("{} empty", report.empty));
    }
    if parts.is_empty() {
        parts.push("no text".into());
    }
    if report.misdeclared > 0 {
        parts.push(format!("{} declared otherwise", report.misdeclared));
    }
    if report.foreign > 0 {
        parts.push(format!("{} foreign, skipped", report.foreign));
    }
    parts.join(", ")
}

fn files(count: u64) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_not_given_are_the_defaults_of_the_job() {
        let arguments: Arguments = crate::arguments::parsed();
        assert_eq!(arguments.job(), Decode::default());
    }
}
