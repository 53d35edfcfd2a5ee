//! Measures the speed of encoding and language detection without I/O, next to chardetng in the same run.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use clap::Args;
use refrain::decode::{Hints, detect, identify};
use serde_json::{Value, json};

use crate::extract::cpu_time;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Documents, one JSON object a line: id, lang, encoding, kind; the bytes of each are a file of the name of its id, in the
    /// folder docs next to this file
    documents: PathBuf,
    /// Texts, one JSON object a line: id, text
    texts: PathBuf,
    /// Go over everything this many times and print the seconds of CPU time of each round as JSON, instead of what
    /// chardetng says of the documents and refrain of the texts
    #[arg(long)]
    rounds: Option<u32>,
}

/// Clocks tick too slowly for less work than this, in seconds of CPU time.
const LEAST_WORK: f64 = 0.4;

/// Bytes of the large buffers.
const LARGE: usize = 64 << 20;

/// A document as it was found.
struct Document {
    id: String,
    language: String,
    encoding: String,
    kind: String,
    bytes: Vec<u8>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let documents = documents(&arguments.documents)?;
    let mut texts = Vec::new();
    for text in values(&arguments.texts)? {
        texts.push((field(&text, "id")?, field(&text, "text")?));
    }
    match arguments.rounds {
        Some(rounds) => measure(&documents, &texts, rounds),
        None => answer(&documents, &texts),
    }
}

fn documents(path: &Path) -> Result<Vec<Document>> {
    let folder = path.parent().unwrap_or(Path::new("")).join("docs");
    let read = |document: Value| {
        let id = field(&document, "id")?;
        let file = folder.join(&id);
        Ok(Document {
            bytes: fs::read(&file).with_context(|| file.display().to_string())?,
            id,
            language: field(&document, "lang")?,
            encoding: field(&document, "encoding")?,
            kind: field(&document, "kind")?,
        })
    };
    values(path)?.into_iter().map(read).collect()
}

fn values(path: &Path) -> Result<Vec<Value>> {
    let lines = BufReader::new(File::open(path).with_context(|| path.display().to_string())?);
    lines.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

fn field(value: &Value, name: &str) -> Result<String> {
    Ok(value.get(name).and_then(Value::as_str).with_context(|| format!("no {name}"))?.to_owned())
}

fn by_chardetng(bytes: &[u8]) -> &'static str {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow).name()
}

/// What chardetng says of the documents, and refrain of the texts.
fn answer(documents: &[Document], texts: &[(String, String)]) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for document in documents {
        writeln!(out, "{}", json!({"document": document.id, "encoding": by_chardetng(&document.bytes)}))?;
    }
    for (id, text) in texts {
        writeln!(out, "{}", json!({"text": id, "language": identify(text).map(|language| language.code)}))?;
    }
    out.flush()?;
    Ok(())
}

/// One thing that is measured.
struct Measure<'a> {
    tool: &'static str,
    input: &'static str,
    bytes: usize,
    work: Box<dyn Fn() + 'a>,
}

impl<'a> Measure<'a> {
    /// A tool that is called with every one of several byte strings.
    fn new<T: 'a>(tool: &'static str, input: &'static str, list: &'a [&'a [u8]], call: fn(&[u8]) -> T) -> Measure<'a> {
        let work = Box::new(move || {
            for bytes in list {
                black_box(call(black_box(bytes)));
            }
        });
        Measure { tool, input, bytes: size(list), work }
    }

    /// Seconds of CPU time that it takes once.
    fn seconds(&self) -> Result<f64> {
        let now = || cpu_time().context("the CPU time is unknown: this needs Linux with /proc/self/schedstat");
        let (start, mut times) = (now()?, 0);
        loop {
            (self.work)();
            times += 1;
            let taken = now()? - start;
            if taken >= LEAST_WORK {
                return Ok(taken / f64::from(times));
            }
        }
    }
}

/// Does everything in turn, again and again, after a round that does not count.
fn measure(documents: &[Document], texts: &[(String, String)], rounds: u32) -> Result<()> {
    let all: Vec<&[u8]> = documents.iter().map(|document| document.bytes.as_slice()).collect();
    let legacy = documents.iter().filter(|document| document.encoding != "utf-8");
    let legacy: Vec<&[u8]> = legacy.map(|document| document.bytes.as_slice()).collect();
    let buffers = [
        ("ascii", large(documents, &["en"], u8::is_ascii)?),
        ("russian", large(documents, &["ru"], |_| true)?),
        ("chinese", large(documents, &["zh-hans", "zh-hant"], |_| true)?),
    ];
    let buffers = buffers.each_ref().map(|(input, buffer)| (*input, [buffer.as_slice()]));
    let mut measures = Vec::new();
    for (input, list) in [("all", &all), ("legacy", &legacy)] {
        measures.push(Measure::new("chardetng", input, list, by_chardetng));
        measures.push(Measure::new("refrain", input, list, by_refrain));
    }
    for (input, list) in &buffers {
        measures.push(Measure::new("memory", input, list, sum));
        measures.push(Measure::new("simdutf8", input, list, |bytes| simdutf8::basic::from_utf8(bytes).is_ok()));
        measures.push(Measure::new("chardetng", input, list, by_chardetng));
        measures.push(Measure::new("refrain", input, list, by_refrain));
    }
    measures.push(Measure {
        tool: "refrain",
        input: "texts",
        bytes: texts.iter().map(|(_, text)| text.len()).sum(),
        work: Box::new(|| {
            for (_, text) in texts {
                black_box(identify(black_box(text)));
            }
        }),
    });
    let mut seconds = vec![Vec::new(); measures.len()];
    for round in 0..=rounds {
        for (measure, seconds) in measures.iter().zip(&mut seconds) {
            let taken = measure.seconds()?;
            seconds.extend((round > 0).then_some(taken));
        }
    }
    let lines = measures.iter().zip(seconds).map(|(measure, seconds)| {
        json!({"tool": measure.tool, "input": measure.input, "bytes": measure.bytes, "cpu_seconds": seconds})
    });
    print(&lines.collect());
    Ok(())
}

#[allow(clippy::print_stdout)] // what it was asked for
fn print(figures: &Value) {
    println!("{figures}");
}

fn by_refrain(bytes: &[u8]) -> Option<&'static str> {
    detect(bytes, Hints::default()).ok()?.encoding
}

fn size(list: &[&[u8]]) -> usize {
    list.iter().map(|bytes| bytes.len()).sum()
}

/// What it takes to look at every byte.
fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let sum = words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    sum.wrapping_add(rest.iter().copied().map(u64::from).sum())
}

/// The documents of some languages in UTF-8, again and again, as far as their bytes are wanted.
fn large(documents: &[Document], languages: &[&str], wanted: fn(&u8) -> bool) -> Result<Vec<u8>> {
    let chosen = documents.iter().filter(|document| {
        document.encoding == "utf-8" && document.kind == "text" && languages.contains(&document.language.as_str())
    });
    let once: Vec<u8> = chosen.flat_map(|document| document.bytes.iter().copied().filter(wanted)).collect();
    ensure!(!once.is_empty(), "no document in UTF-8 of the languages {}", languages.join(", "));
    Ok(once.repeat(LARGE / once.len() + 1))
}
