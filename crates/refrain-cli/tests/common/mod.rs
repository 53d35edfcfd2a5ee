//! A folder to run the command in, and makers of the files that tests feed to it.

#![allow(dead_code, unused_imports)] // every test file uses its own part of this

#[path = "../../../../tests/skipped.rs"]
mod skipped;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Cursor, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

pub(crate) use skipped::skipped;

/// A text that is fine. It stands next to damaged files and has to arrive.
pub(crate) const GOOD: &str = "The keeper lit the lamp at dusk and went down to the boats.";

/// A folder of its own for every test. The command runs in it, so files are named without a path.
pub(crate) struct Env {
    folder: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// What `refrain convert` made of its inputs.
#[derive(Debug)]
pub(crate) struct Converted {
    pub(crate) outcome: Outcome,
    pub(crate) documents: Vec<Value>,
    pub(crate) failures: Vec<Value>,
}

impl Env {
    pub(crate) fn new() -> Env {
        Env { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder with a good document in `good.txt`.
    pub(crate) fn with_good_document() -> Env {
        let env = Env::new();
        env.write("good.txt", GOOD);
        env
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        fs::write(path, content).expect("a written file");
    }

    /// Copies a folder with all that is in it.
    pub(crate) fn copy_folder(&self, from: &Path, to: &str) {
        let mut files = Vec::new();
        collect(from, from, &mut files);
        for (name, content) in files.into_iter().filter(|(name, _)| !name.ends_with('/')) {
            self.write(&format!("{to}/{name}"), content);
        }
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn read_text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn read_jsonl(&self, name: &str) -> Vec<Value> {
        parse_jsonl(&self.read(name))
    }

    pub(crate) fn read_json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs a command whose output is closed after the first line (or before it).
    pub(crate) fn run_with_closed_pipe(&self, arguments: &[&str], lines: usize) -> Outcome {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("refrain starts");
        let mut stdout = BufReader::with_capacity(64, child.stdout.take().expect("its standard output"));
        for _ in 0..lines {
            let mut line = Vec::new();
            stdout.read_until(b'\n', &mut line).expect("a line");
            assert!(!line.is_empty());
        }
        drop(stdout);
        Outcome::of(child.wait_with_output().expect("refrain ends"))
    }

    /// The command, ready to be started in the folder.
    pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("COLUMNS");
        command
    }

    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Outcome {
        Outcome::of(self.command(arguments).output().expect("refrain starts"))
    }

    /// Runs with bytes on standard input.
    pub(crate) fn run_fed<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S], input: &[u8]) -> Outcome {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("refrain starts");
        let mut stdin = child.stdin.take().expect("its standard input");
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().expect("refrain ends")
        });
        Outcome::of(output)
    }

    /// Converts to JSONL on standard output, with the failures in a file.
    pub(crate) fn convert(&self, arguments: &[&str]) -> Converted {
        let arguments = [&["convert", "--errors", "failures.jsonl"], arguments].concat();
        let outcome = self.run(&arguments);
        assert!(outcome.code < 2, "could not run: {outcome:?}");
        Converted { documents: parse_jsonl(&outcome.stdout), failures: self.read_jsonl("failures.jsonl"), outcome }
    }

    /// The text of the only document that comes out of some inputs without any failure.
    pub(crate) fn only_text(&self, arguments: &[&str]) -> String {
        let converted = self.convert(arguments);
        assert_eq!((converted.outcome.code, converted.documents.len()), (0, 1), "{arguments:?}: {converted:?}");
        text_of(&converted.documents[0]).trim_end().to_owned()
    }

    /// All files under a folder with their content, by their path in it.
    pub(crate) fn snapshot(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.path(folder);
        let mut files = Vec::new();
        collect(&root, &root, &mut files);
        files.sort();
        files
    }

    /// The names of all files and folders under a folder, without the records of the run.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        self.snapshot(folder).into_iter().map(|(name, _)| name).filter(|name| !name.starts_with("_refrain/")).collect()
    }
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("inside").to_string_lossy().into_owned();
        if path.is_dir() {
            files.push((name + "/", Vec::new()));
            collect(root, &path, files);
        } else {
            files.push((name, fs::read(&path).expect("a readable file")));
        }
    }
}

impl Outcome {
    pub(crate) fn of(output: Output) -> Outcome {
        let outcome = Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        assert!(!outcome.stderr.contains("panicked"), "a panic: {}", outcome.stderr);
        outcome
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Outcome {
        assert_eq!(self.code, code, "exit code; standard error was: {}", self.stderr);
        self
    }

    /// Checks what standard error says.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Outcome {
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is not in: {}", self.stderr);
        }
        self
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("UTF-8 on standard output")
    }
}

impl Converted {
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.documents.iter().map(text_of).collect()
    }

    pub(crate) fn ids(&self) -> Vec<&str> {
        self.documents.iter().map(|document| document["id"].as_str().expect("an id")).collect()
    }

    /// Checks that the good document came through and that nothing but this one failure was met.
    #[track_caller]
    pub(crate) fn good_is_kept_with_one_failure(&self, input: &str, words: &[&str]) -> &Value {
        assert!(self.texts().contains(&GOOD), "the good document is missing: {self:?}");
        assert_eq!(self.outcome.code, 1, "{self:?}");
        assert_eq!(self.failures.len(), 1, "{:#?}", self.failures);
        let failure = &self.failures[0];
        assert_eq!(failure["input"], input);
        for word in words {
            // Files name options without the spelling of the command line.
            let neutral = word.strip_prefix("--").map_or((*word).to_owned(), |option| option.replace('-', "_"));
            assert!(failure.to_string().contains(&neutral), "`{neutral}` is not in {failure}");
            assert!(self.outcome.stderr.contains(word), "`{word}` is not in: {}", self.outcome.stderr);
        }
        assert!(self.outcome.stderr.contains(input), "{input} is not in: {}", self.outcome.stderr);
        failure
    }
}

/// Every verb that the help lists, with the verbs below it: `corpus`, `library`, `library add`.
pub(crate) fn verbs(env: &Env) -> Vec<Vec<String>> {
    let mut verbs = Vec::new();
    let mut groups = vec![Vec::new()];
    while let Some(group) = groups.pop() {
        let arguments: Vec<&str> = group.iter().map(String::as_str).chain(["--help"]).collect();
        let help = env.run(&arguments).code(0);
        let listed = help.text().lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            // Descriptions that are wrapped go on further to the right.
            let name =
                line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).and_then(|line| line.split(' ').next());
            if let Some(name) = name.filter(|name| *name != "help") {
                let verb = [group.clone(), vec![name.to_owned()]].concat();
                verbs.push(verb.clone());
                groups.push(verb);
            }
        }
    }
    assert!(verbs.len() > 14, "verbs are read from the help: {verbs:?}");
    verbs
}

/// A file of the samples.
pub(crate) fn sample(name: &str) -> String {
    samples().join(name).to_string_lossy().into_owned()
}

/// A document of the samples, as people hand them in.
pub(crate) fn handed_in(name: &str) -> Vec<u8> {
    fs::read(samples().join("documents").join(name)).expect("a sample")
}

/// The beginning of one.
pub(crate) fn cut(name: &str, percent: usize) -> Vec<u8> {
    let mut bytes = handed_in(name);
    bytes.truncate(bytes.len() * percent / 100);
    bytes
}

/// The folder with the samples.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").canonicalize().expect("the samples")
}

#[track_caller]
pub(crate) fn text_of(document: &Value) -> &str {
    document["text"].as_str().unwrap_or_else(|| panic!("no text: {document}"))
}

#[track_caller]
pub(crate) fn parse_jsonl(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("JSONL in UTF-8");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Bytes that look random and are always the same.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut state = 42_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// A text of words that do not compress well.
pub(crate) fn words(count: usize, seed: u64) -> String {
    let mut state = seed.wrapping_add(7);
    let mut text = String::new();
    for _ in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        for shift in [24, 29, 34, 39, 44, 49] {
            text.push(char::from(b'a' + ((state >> shift) % 26) as u8));
        }
        text.push(' ');
    }
    text
}

/// The SHA-256 digest in hexadecimal digits.
pub(crate) fn sha256(content: &[u8]) -> String {
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]));
    Sha256::digest(content).iter().flat_map(digits).collect()
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(content, 1).expect("in memory")
}

pub(crate) fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

pub(crate) fn xz(content: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

pub(crate) fn decompress_gzip(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(content), &mut plain).expect("gzip data");
    plain
}

pub(crate) fn decompress_zstd(content: &[u8]) -> Vec<u8> {
    ::zstd::decode_all(content).expect("zstd data")
}

/// A file that another program wrote.
pub(crate) fn reader_file(name: &str) -> String {
    format!("{}/tests/readers/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A zip archive; members are stored as they are or deflated.
pub(crate) fn zip(members: &[(&str, &[u8])], deflated: bool) -> Vec<u8> {
    let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let options = SimpleFileOptions::default().compression_method(method);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, options).expect("in memory");
        writer.write_all(content).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

/// A tar archive. Names are written as they are, however wicked.
pub(crate) fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *content).expect("in memory");
    }
    builder.into_inner().expect("in memory")
}

/// One record of a WARC file.
pub(crate) fn warc_record(kind: &str, url: &str, content_type: &str, block: &[u8]) -> Vec<u8> {
    warc_record_of_length(kind, url, content_type, block, block.len())
}

/// A record whose header says another length than its block has.
pub(crate) fn warc_record_of_length(kind: &str, url: &str, content_type: &str, block: &[u8], length: usize) -> Vec<u8> {
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n\
         Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// The block of a response record; the headers are lines with their ends.
pub(crate) fn http(headers: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body].concat()
}

/// A response record with a page.
pub(crate) fn page_record(url: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    warc_record("response", url, "application/http; msgtype=response", &http(headers, body))
}

/// A response record with a small HTML page around one sentence.
pub(crate) fn simple_page(url: &str, sentence: &str) -> Vec<u8> {
    let html = format!("<html><body><p>{sentence}</p></body></html>");
    page_record(url, "Content-Type: text/html; charset=utf-8\r\n", html.as_bytes())
}

/// Writes a Parquet table.
pub(crate) fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a complete file");
}

pub(crate) fn strings(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// A Parquet table: names of the columns, and all rows with values in their text form (nothing where there is none).
pub(crate) fn read_parquet(path: &Path) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let file = File::open(path).expect("a Parquet file");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("a readable Parquet file");
    let names = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in builder.build().expect("a reader") {
        let batch = batch.expect("a batch");
        for row in 0..batch.num_rows() {
            rows.push(batch.columns().iter().map(|column| cell(column, row)).collect());
        }
    }
    (names, rows)
}

fn cell(column: &ArrayRef, row: usize) -> Option<String> {
    use arrow_array::cast::AsArray;
    if column.is_null(row) {
        return None;
    }
    if let Some(texts) = column.as_string_opt::<i32>() {
        return Some(texts.value(row).to_owned());
    }
    if let Some(numbers) = column.as_primitive_opt::<arrow_array::types::Int64Type>() {
        return Some(numbers.value(row).to_string());
    }
    Some(format!("{:?}", column.slice(row, 1)))
}
