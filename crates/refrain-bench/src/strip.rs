//! The evidence that `refrain strip` ships, and how well it does.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use refrain::Position;
use refrain::strip::{BookSample, BookText, BoundaryFinder, EDGE_LINES, Ends, StripProfile};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the books, plain text files
    books: PathBuf,
    /// The evidence file to write
    #[arg(short, long)]
    output: PathBuf,
    /// Exclude the books whose names, without .txt, are in this file, one a line, and their near-duplicates
    #[arg(long, value_name = "FILE")]
    without: Option<PathBuf>,
}

/// Learns from all books of a folder, and from nothing else.
pub(crate) fn build(arguments: &Arguments) -> Result<()> {
    let mut paths: Vec<PathBuf> = fs::read_dir(&arguments.books)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .with_context(|| arguments.books.display().to_string())?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let left_out = arguments.without.as_deref().map(names).transpose()?.unwrap_or_default();
    let (mut sample, mut without) = (BookSample::default(), BookSample::default());
    for (input, path) in (0..).zip(&paths) {
        let position = Position { input, record: 0 };
        let read = File::open(path).and_then(|mut file| Ends::read(&mut file, EDGE_LINES));
        let ends = read.with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if left_out.contains(name.as_ref()) { &mut without } else { &mut sample }
            .add(BookText { position, ends: &ends });
    }
    let near = sample.remove_copies_of(&without);
    let evidence = BoundaryFinder::new(StripProfile::Gutenberg)?.learn_only(&sample);
    let bytes = evidence.saved();
    crate::print_message(&format!(
        "learned from {} distinct of {} books (without {} of them and {near} near-duplicates of these): {} bytes",
        evidence.books(),
        sample.len(),
        without.len(),
        bytes.len()
    ));
    fs::write(&arguments.output, bytes).with_context(|| arguments.output.display().to_string())
}

fn names(path: &Path) -> Result<HashSet<String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}
