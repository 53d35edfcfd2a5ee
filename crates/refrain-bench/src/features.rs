//! The features of pages with gold answers, and how much of each block is gold: what the model is trained on.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use refrain::extract::training::Features;
use serde_json::{Value, json};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Pages, one JSON object a line: id, html, gold, and what else is to be known of them
    pages: PathBuf,
    /// Folder for features.f32, labels.f32, tokens.f32, pages.jsonl, blocks.jsonl and names.txt
    #[arg(short, long)]
    output: PathBuf,
    /// Probabilities of the first look, one 32-bit float a block: write the features of the second look, too
    #[arg(long)]
    probabilities: Option<PathBuf>,
}

pub(crate) fn write(arguments: &Arguments) -> Result<()> {
    fs::create_dir_all(&arguments.output)?;
    let create =
        |name: &str| -> Result<BufWriter<File>> { Ok(BufWriter::new(File::create(arguments.output.join(name))?)) };
    let (mut values, mut labels, mut tokens) = (create("features.f32")?, create("labels.f32")?, create("tokens.f32")?);
    let (mut pages, mut blocks) = (create("pages.jsonl")?, create("blocks.jsonl")?);
    let probabilities = arguments.probabilities.as_deref().map(floats).transpose()?;
    let mut features = Features::default();
    let mut first = 0;
    let lines = BufReader::new(File::open(&arguments.pages).with_context(|| arguments.pages.display().to_string())?);
    for line in lines.lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let text = |field: &str| page.get(field).and_then(Value::as_str);
        let (html, gold) = (text("html").context("no html")?, text("gold").context("no gold")?);
        let known = match &probabilities {
            Some(all) => {
                let count = features.of(html, None).texts.len();
                ensure!(all.len() >= first + count, "too few probabilities");
                Some(&all[first..first + count])
            }
            None => None,
        };
        let rows = features.of(html, known);
        let shares = gold_shares(&rows.texts, gold);
        write_floats(&mut values, rows.values.iter().copied())?;
        write_floats(&mut labels, shares.iter().map(|share| share.0))?;
        write_floats(&mut tokens, shares.iter().map(|share| share.1))?;
        let about = |field: &str| text(field).map_or(Value::Null, Value::from);
        let entry = json!({
            "id": about("id"), "dataset": about("dataset"), "url": about("url"), "page_type": about("page_type"),
            "first": first, "count": rows.texts.len(), "gold_tokens": words(gold).len(),
        });
        writeln!(pages, "{entry}")?;
        writeln!(blocks, "{}", json!({"gold": gold, "texts": rows.texts}))?;
        if first == 0 {
            fs::write(arguments.output.join("names.txt"), rows.names.join("\n") + "\n")?;
        }
        first += rows.texts.len();
    }
    for mut file in [values, labels, tokens, pages, blocks] {
        file.flush()?;
    }
    Ok(())
}

fn floats(path: &Path) -> Result<Vec<f32>> {
    let bytes = fs::read(path).with_context(|| path.display().to_string())?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
}

fn write_floats(out: &mut impl Write, values: impl Iterator<Item = f32>) -> Result<()> {
    for value in values {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(())
}

/// Words as the scorer counts them.
fn words(text: &str) -> Vec<String> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// For each block the share of its words that an alignment with the gold text finds there, and how many words it has.
///
/// The alignment is a longest common subsequence, by the bit-parallel method of Hyyrö (2004), with all rows kept to walk
/// back through them.
fn gold_shares(blocks: &[String], gold: &str) -> Vec<(f32, f32)> {
    let gold = words(gold);
    let blocks: Vec<Vec<String>> = blocks.iter().map(|block| words(block)).collect();
    let width = gold.len().div_ceil(64);
    let mut places: HashMap<&str, Vec<u64>> = HashMap::new();
    for (i, word) in gold.iter().enumerate() {
        places.entry(word).or_insert_with(|| vec![0; width])[i / 64] |= 1 << (i % 64);
    }
    let page: Vec<(usize, &str)> =
        blocks.iter().enumerate().flat_map(|(i, words)| words.iter().map(move |word| (i, word.as_str()))).collect();
    // Words that the gold text lacks change nothing: their rows are dropped.
    let page: Vec<(usize, &[u64])> =
        page.iter().filter_map(|(block, word)| places.get(word).map(|places| (*block, places.as_slice()))).collect();
    let mut rows = vec![u64::MAX; width * (page.len() + 1)];
    for (i, (_, places)) in page.iter().enumerate() {
        let mut carry = false;
        for w in 0..width {
            let above = rows[i * width + w];
            let common = above & places[w];
            let (sum, over) = above.overflowing_add(common);
            let (sum, over_again) = sum.overflowing_add(u64::from(carry));
            carry = over || over_again;
            rows[(i + 1) * width + w] = sum | (above & !places[w]);
        }
    }
    let mut found = vec![0_f32; blocks.len()];
    let set = |row: usize, column: usize| rows[row * width + column / 64] >> (column % 64) & 1 == 1;
    let (mut row, mut column) = (page.len(), gold.len());
    while row > 0 && column > 0 {
        if set(row, column - 1) {
            column -= 1;
        } else if !set(row - 1, column - 1) {
            row -= 1;
        } else {
            found[page[row - 1].0] += 1.0;
            row -= 1;
            column -= 1;
        }
    }
    // Of several copies of one block the alignment found one; any would have done.
    let mut best: HashMap<&[String], f32> = HashMap::new();
    for (words, &found) in blocks.iter().zip(&found) {
        let known = best.entry(words).or_default();
        *known = known.max(found);
    }
    let found = blocks.iter().map(|words| best[words.as_slice()]);
    blocks.iter().zip(found).map(|(words, found)| (found / (words.len() as f32).max(1.0), words.len() as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_gold_text_are_found() {
        let blocks = ["Home About us".to_owned(), "The keeper lit the lamp.".to_owned(), "About the lamp".to_owned()];
        let shares: Vec<f32> = gold_shares(&blocks, "the keeper lit the lamp").iter().map(|share| share.0).collect();
        assert_eq!(shares, [0.0, 1.0, 0.0]);
    }
}
