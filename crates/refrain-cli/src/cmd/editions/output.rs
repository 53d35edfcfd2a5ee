//! What a search for editions writes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use refrain::editions::{Found, Shelf, works};
use refrain::report::EditionsReport;
use refrain::write::{Compression, Format, Output};

use super::Arguments;
use crate::common::{Failures, legible, print, tell};

/// The formats of the output.
pub(super) const FORMATS: [Format; 5] = [Format::Table, Format::Tsv, Format::Jsonl, Format::Parquet, Format::Report];

/// A search on its way out.
pub(super) struct Written<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) form: Format,
    pub(super) shelf: &'a Shelf,
    pub(super) found: &'a Found,
    pub(super) failures: &'a Failures,
}

/// Pairs that the table on the terminal shows.
const SHOWN: usize = 40;
/// Books that are named one by one.
const NAMED: usize = 20;

impl Written<'_> {
    pub(super) fn write(&self) -> Result<()> {
        let works = works(self.shelf.books(), &self.found.pairs);
        let report = EditionsReport {
            books: self.shelf.books(),
            found: self.found,
            works: &works,
            failures: self.failures.first.iter().map(ToString::to_string).collect(),
        };
        let path = self.arguments.output.path();
        match (self.form, path) {
            (Format::Report, Some(folder)) => {
                std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
                let write = |name: &str, bytes: &[u8]| to(Some(&folder.join(name)), bytes);
                write("pairs.tsv", report.pairs_tsv().as_bytes())?;
                write("pairs.jsonl", report.pairs_jsonl().as_bytes())?;
                write("works.jsonl", report.works_jsonl().as_bytes())?;
                write("report.html", report.page().as_bytes())?;
                if !self.arguments.output.quiet {
                    print(&self.table())?;
                }
            }
            (Format::Jsonl, path) => to(path, report.pairs_jsonl().as_bytes())?,
            (Format::Tsv, path) => to(path, report.pairs_tsv().as_bytes())?,
            (Format::Parquet, path) => to(path, &report.pairs_parquet()?)?,
            (_, path) => to(path, self.table().as_bytes())?,
        }
        self.tell(works.iter().filter(|work| work.books.len() > 1).count());
        Ok(())
    }

    /// Says what was found, and what could not be judged.
    fn tell(&self, works: usize) {
        self.name("too short to judge", &self.found.too_short);
        self.name("in alphabetical order, not compared with each other", &self.found.lists);
        if self.arguments.output.quiet {
            return;
        }
        let (books, pairs) = (self.shelf.len(), self.found.pairs.len());
        let wrote = self.arguments.output.path().map_or(String::new(), |path| format!("wrote {}: ", path.display()));
        let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let (books, pairs, works) = (count(books, "book"), count(pairs, "pair"), count(works, "work"));
        let share = if pairs == "1 pair" { "shares" } else { "share" };
        tell(&format!("{wrote}{books}, {pairs} that {share} text, {works} in several editions"));
        if let Some(index) = &self.arguments.index {
            tell(&format!("saved the index {}", index.display()));
        }
    }

    fn name(&self, what: &str, books: &[u32]) {
        let names: Vec<String> = books.iter().take(NAMED).map(|number| self.book(*number)).collect();
        let more = if books.len() > NAMED { format!(" and {} more", books.len() - NAMED) } else { String::new() };
        if !names.is_empty() {
            tell(&format!("note: {what}: {}{more}", names.join(", ")));
        }
    }

    fn book(&self, number: u32) -> String {
        self.shelf.books().get(number as usize).map_or(String::new(), |book| legible(&book.id))
    }

    /// The pairs that share most, for people.
    fn table(&self) -> String {
        let mut pairs: Vec<_> = self.found.pairs.iter().collect();
        if pairs.is_empty() {
            return "no two books share enough text to be called editions, whole or in part\n".to_owned();
        }
        pairs.sort_by(|one, other| other.score.total_cmp(&one.score).then((one.a, one.b).cmp(&(other.a, other.b))));
        let mut table = match self.arguments.method.0 {
            Some(_) => format!("{:>9} {:>7}  books\n", "kind", "score"),
            None => format!("{:>9} {:>5} {:>5} {:>8}  books\n", "kind", "A %", "B %", "passages"),
        };
        for pair in pairs.iter().take(SHOWN) {
            if !pair.is_measured() {
                let (a, b) = (self.book(pair.a), self.book(pair.b));
                let _ = writeln!(table, "{:>9} {:>7.4}  {a} | {b}", pair.kind.name(), pair.score);
                continue;
            }
            let _ = writeln!(
                table,
                "{:>9} {:>5.1} {:>5.1} {:>8}  {} | {}",
                pair.kind.name(),
                100.0 * pair.share_a,
                100.0 * pair.share_b,
                pair.passages.len(),
                self.book(pair.a),
                self.book(pair.b),
            );
        }
        if let Some(more) = pairs.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(table, "and {more} more pairs (all of them with -o pairs.tsv, or -o editions/)");
        }
        table
    }
}

/// Writes a file, or to standard output.
fn to(path: Option<&Path>, bytes: &[u8]) -> Result<()> {
    let output = match path {
        Some(path) => Output::file(path)?,
        None => Output::stream(std::io::stdout()),
    };
    let mut out = path.map_or(Compression::None, Compression::of_path).compress(output)?;
    out.put(bytes)?;
    out.finish()?;
    Ok(())
}

/// The files of a report, and nothing else, may be in its folder.
const FILES: [&str; 4] = ["pairs.tsv", "pairs.jsonl", "works.jsonl", "report.html"];

/// Refuses a folder with other files in it.
pub(super) fn check_folder(folder: &Path) -> Result<()> {
    if let Ok(entries) = folder.read_dir() {
        for entry in entries {
            let name = entry?.file_name();
            if !FILES.iter().any(|file| name == *file) {
                bail!("the folder {} has other files in it; name another one for the report", folder.display());
            }
        }
    }
    Ok(())
}
