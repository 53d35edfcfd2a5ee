//! Measures how close true and false pairs of books come to the limits of the rule: prints every two books that share
//! chains, with the rule's figures, whether or not it accepts them.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use refrain::Run;
use refrain::editions::{FindOptions, PairRule, find};
use refrain::strip::{BoundaryFinder, StripProfile};

use crate::paper_editions::{Text, ordered, rows, shelf, texts};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folders of books
    #[arg(required = true)]
    books: Vec<PathBuf>,
    /// Pairs with tabs between columns: a, b, kind
    #[arg(long)]
    pairs: PathBuf,
}

/// Prints a line for every two books that share chains: their label, whether the rule accepts them, and its figures.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let strip = BoundaryFinder::new(StripProfile::Gutenberg)?;
    let mut all: Vec<Text> = Vec::new();
    for folder in &arguments.books {
        all.extend(texts(folder, &strip)?);
    }
    let shelf = shelf(&all)?;
    let mut labels = HashMap::new();
    for row in rows(&arguments.pairs)? {
        let cell = |name: &str| row.get(name).map_or("", String::as_str);
        labels.insert(ordered(cell("a"), cell("b")), cell("kind").to_owned());
    }
    let loose =
        find(&shelf, &FindOptions { rule: PairRule::loose(), ..FindOptions::default() }, &Run::default().start()?)?;
    let accepted = find(&shelf, &FindOptions::default(), &Run::default().start()?)?;
    let accepted: std::collections::HashSet<(u32, u32)> = accepted.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "a\tb\tlabel\taccepted\tworth\tsteadiness\tshare\tletters\tlinks\tpassages")?;
    for pair in &loose.pairs {
        let (a, b) = (&shelf.books()[pair.a as usize], &shelf.books()[pair.b as usize]);
        let covered = [pair.share_a * f64::from(a.letters), pair.share_b * f64::from(b.letters)];
        let label = labels.get(&ordered(&a.id, &b.id)).map_or("none", String::as_str);
        writeln!(
            out,
            "{}\t{}\t{label}\t{}\t{:.1}\t{:.3}\t{:.4}\t{:.0}\t{}\t{}",
            a.id,
            b.id,
            u8::from(accepted.contains(&(pair.a, pair.b))),
            pair.worth,
            pair.steadiness,
            if a.letters <= b.letters { pair.share_a } else { pair.share_b },
            covered[0].min(covered[1]),
            pair.links,
            pair.passages.len(),
        )?;
    }
    Ok(())
}
