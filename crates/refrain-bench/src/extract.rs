//! Extraction without I/O, to try models and to measure speed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use refrain::extract::{ExtractMethod, ExtractOptions, Extractor, Workspace};
use serde_json::{Value, json};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Pages, one JSON object a line: id, html
    pages: PathBuf,
    /// A model to use instead of the shipped one
    #[arg(long)]
    model: Option<PathBuf>,
    /// The method: default, justext or bte
    #[arg(long, default_value = "default")]
    method: String,
    /// Extract all pages this many times and print the seconds of each round (by the clock and of CPU time) as JSON instead
    /// of the texts
    #[arg(long)]
    rounds: Option<u32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let named = ExtractMethod::ALL.iter().find(|(name, _)| *name == arguments.method);
    let (_, method) = *named.with_context(|| format!("no method {}", arguments.method))?;
    let options = ExtractOptions { method, language: Some("en".into()), ..ExtractOptions::default() };
    let extractor = match &arguments.model {
        Some(path) => Extractor::with_model(options, &fs::read_to_string(path)?)?,
        None => Extractor::new(options),
    };
    let lines = BufReader::new(File::open(&arguments.pages).with_context(|| arguments.pages.display().to_string())?);
    let mut pages = Vec::new();
    for line in lines.lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let field = |name: &str| page.get(name).and_then(Value::as_str).map(str::to_owned);
        pages.push((field("id").unwrap_or_default(), field("html").context("no html")?));
    }
    let mut workspace = Workspace::default();
    let mut out = BufWriter::new(std::io::stdout().lock());
    if let Some(rounds) = arguments.rounds {
        let bytes: usize = pages.iter().map(|(_, html)| html.len()).sum();
        let (mut seconds, mut cpu_seconds) = (Vec::new(), Vec::new());
        let mut length = 0;
        for _ in 0..rounds {
            let (start, cpu_start) = (Instant::now(), cpu_time());
            length = pages.iter().map(|(_, html)| extractor.extract(html, None, &mut workspace).text().len()).sum();
            seconds.push(start.elapsed().as_secs_f64());
            cpu_seconds.extend(cpu_start.zip(cpu_time()).map(|(before, now)| now - before));
        }
        let measured = json!({
            "bytes": bytes,
            "pages": pages.len(),
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "text_bytes": length,
        });
        writeln!(out, "{measured}")?;
        return Ok(());
    }
    for (id, html) in &pages {
        let found = extractor.extract(html, None, &mut workspace);
        writeln!(out, "{}", json!({"id": id, "text": found.text(), "confidence": found.confidence}))?;
    }
    out.flush()?;
    Ok(())
}

/// Seconds of CPU time that the main thread, the only one here, has used so far, as Linux reports it.
pub(crate) fn cpu_time() -> Option<f64> {
    let statistics = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: u64 = statistics.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}
