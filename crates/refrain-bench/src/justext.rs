//! The blocks of pages with their classes, for comparison with other programs.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, Write as _, stdout};
use std::path::Path;

use anyhow::{Context, Result, bail};
use refrain::Document;
use refrain::extract::{JusText, Segmentation, StopList, segment_with, stop_list, stop_list_languages};
use serde_json::{Value, json};

pub(crate) fn classify(pages: &Path, language: Option<&str>, stop_words: Option<&Path>) -> Result<()> {
    let own;
    let list = match (stop_words, language) {
        (Some(path), _) => {
            let words = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            own = StopList::from_words(words.lines());
            Some(&own)
        }
        (None, Some(language)) => match stop_list(language) {
            Some(list) => Some(list),
            None => bail!("no stop list for {language}; there are: {}", stop_list_languages().join(", ")),
        },
        (None, None) => None,
    };
    let file = File::open(pages).with_context(|| pages.display().to_string())?;
    let mut out = BufWriter::new(stdout().lock());
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let at = || format!("{}, line {}", pages.display(), number + 1);
        let page: Value = serde_json::from_str(&line.with_context(at)?).with_context(at)?;
        let html = page["html"].as_str().with_context(|| format!("{}: no field \"html\"", at()))?;
        let blocks = blocks(html, list);
        writeln!(out, "{}", json!({ "id": page["id"], "blocks": blocks }))?;
    }
    Ok(out.flush()?)
}

fn blocks(html: &str, list: Option<&StopList>) -> Vec<Value> {
    let page = segment_with(html, Segmentation::Published);
    let mut document = Document::default();
    document.set_text_and_blocks(page.text, page.blocks);
    let classes = JusText::default().classify(&document, list);
    let block = |(block, found): (&refrain::Block, refrain::extract::Classified)| {
        json!({
            "text": block.span.of(document.text()),
            "class": found.class.name(),
            "context_free": found.context_free.name(),
            "link_chars": block.link_chars,
        })
    };
    document.blocks().iter().zip(classes).map(block).collect()
}
