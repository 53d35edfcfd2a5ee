//! Reproduces the studies of the paper on frequent lines: Kaser and Lemire (2007), figures 2, 3 and 5 to 9.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use refrain::papers::frequent_lines::counters::{CounterKind, Options};
use refrain::strip::{Ends, LineCounts, Occurrences, PaperOptions};

use self::study::Zipf;

mod study;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the books, plain text files
    books: PathBuf,
    /// A table with tabs whose columns id, preamble_end and epilogue_start say where boundaries are, for figure 8
    #[arg(long, value_name = "FILE")]
    gold: Option<PathBuf>,
    /// A folder for the tables, one file a figure
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Only these figures, such as figure9, with commas between them
    #[arg(long, value_name = "FIGURES", value_delimiter = ',')]
    only: Vec<String>,
}

/// Numbers of counters that the paper tries for generalised majority, as powers of two.
const MAJORITY: [u32; 6] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20];
/// What the counter of generalised majority must say where K is 10 (section 4 of the paper).
const MAJORITY_LEAST: u32 = 5;
/// Books of figure 2, and occurrences from which on a line is drawn in it.
const DRAWN: (usize, u32) = (100, 100);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let books = read(&arguments.books)?;
    ensure!(!books.is_empty(), "{}: no file in it", arguments.books.display());
    let lines = lines_of(&books)?;
    let slices: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    fs::create_dir_all(&arguments.output).with_context(|| arguments.output.display().to_string())?;
    let tables = Tables { folder: &arguments.output, only: &arguments.only };
    tables.put("figure2", "places of lines that occur 100 times or more", || figure_2(&books, &slices))?;
    tables.put("figure3", "expected lines of the book that are taken for the preamble", || Ok(figure_3()))?;
    tables.put("figure5", "how often lines occur", || figure_5(&slices))?;
    tables.put("figure6", "lines that are falsely called frequent, as a share of all lines", || figure_6(&slices))?;
    tables.put("figure7", "efficiency of generalised majority", figure_7)?;
    if let Some(gold) = &arguments.gold {
        let title = "errors in lines, of books with known boundaries (below zero: too many removed)";
        tables.put("figure8", title, || figure_8(&books, gold))?;
    }
    tables.put("figure9", "seconds to build the structures", || figure_9(&slices))
}

/// Writes tables to files, and shows them.
struct Tables<'a> {
    folder: &'a Path,
    /// The names of those that are wanted; all where there is none.
    only: &'a [String],
}

impl Tables<'_> {
    fn put(&self, name: &str, title: &str, table: impl FnOnce() -> Result<String>) -> Result<()> {
        if !self.only.is_empty() && !self.only.iter().any(|wanted| wanted == name) {
            return Ok(());
        }
        let table = table()?;
        let path = self.folder.join(format!("{name}.tsv"));
        fs::write(&path, &table).with_context(|| path.display().to_string())?;
        let mut shown = format!("\n{name}: {title}\n");
        let rows: Vec<&str> = table.lines().collect();
        for row in rows.iter().take(SHOWN) {
            let cells: Vec<String> = row.split('\t').map(|cell| format!("{cell:>14}")).collect();
            writeln!(shown, "{}", cells.concat())?;
        }
        if rows.len() > SHOWN {
            writeln!(shown, "{:>14} ({} more rows in {})", "...", rows.len() - SHOWN, path.display())?;
        }
        print(&shown)
    }
}

/// Rows of a table that are shown.
const SHOWN: usize = 40;

fn print(text: &str) -> Result<()> {
    Ok(io::stdout().write_all(text.as_bytes())?)
}

struct Book {
    id: String,
    ends: Ends,
}

fn read(folder: &Path) -> Result<Vec<Book>> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.with_context(|| folder.display().to_string())?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let lines = PaperOptions::PUBLISHED.edge_lines();
    let book = |path: &PathBuf| {
        let ends = File::open(path).and_then(|mut file| Ends::read(&mut file, lines));
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Book { id, ends: ends.with_context(|| path.display().to_string())? })
    };
    paths.iter().map(book).collect()
}

/// The lines of the paper: 300 non-trivial ones of each end of each book.
fn lines_of(books: &[Book]) -> Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    for book in books {
        PaperOptions::PUBLISHED.lines(&book.ends, |line| {
            lines.push(line.to_vec());
            Ok(())
        })?;
    }
    Ok(lines)
}

fn figure_2(books: &[Book], lines: &[&[u8]]) -> Result<String> {
    let mut counts: HashMap<&[u8], u32> = HashMap::new();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    let step = books.len().div_ceil(DRAWN.0);
    let first = PaperOptions { e_max: 0, ..PaperOptions::PUBLISHED };
    let mut table = String::from("book\tline\toccurrences\n");
    for book in books.iter().step_by(step) {
        let mut number = 0;
        first.lines(&book.ends, |line| {
            number += 1;
            let count = counts.get(line).copied().unwrap_or_default();
            if count >= DRAWN.1 {
                let _ = writeln!(table, "{}\t{number}\t{count}", book.id);
            }
            Ok(())
        })?;
    }
    Ok(table)
}

fn figure_3() -> String {
    let mut table = String::from("GAP_MAX\tp\tlines\n");
    for gap_max in [5, 10, 15] {
        let probabilities: Vec<f64> = (0..=10).map(|p| f64::from(p) / 20.0).collect();
        for row in study::misclassified(gap_max, &probabilities) {
            let _ = writeln!(table, "{}\t{:.2}\t{:.3}", row.gap_max, row.p, row.lines);
        }
    }
    table
}

fn figure_5(lines: &[&[u8]]) -> Result<String> {
    let mut table = String::from("occurrences\tdistinct lines\tshare at least\n");
    let mut counts: HashMap<&[u8], u32> = HashMap::new();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    for row in Occurrences::rows(counts.into_values()) {
        writeln!(table, "{}\t{}\t{:.5}", row.times, row.distinct, row.at_least)?;
    }
    Ok(table)
}

fn figure_6(lines: &[&[u8]]) -> Result<String> {
    let mut table = String::from("K\tcounters\tmeasured\tcrude bound\tp\tskewed bound\tp of the paper\n");
    for row in study::false_positives(lines, &[5, 10, 50, 100], &[14, 16, 18, 20, 22, 23, 24], 5)? {
        let bounds = [row.crude_bound, row.p, row.skewed_bound, row.paper_bound].map(|bound| format!("{bound:.2e}"));
        writeln!(table, "{}\t{}\t{:.2e}\t{}", row.k, row.c, row.measured, bounds.join("\t"))?;
    }
    Ok(table)
}

fn figure_7() -> Result<String> {
    let mut table = String::from("exponent\tefficiency\n");
    let exponents: Vec<f64> = (0..=12).map(|x| f64::from(x) / 4.0).collect();
    for row in study::efficiency(&Zipf::default(), &exponents)? {
        writeln!(table, "{:.2}\t{:.3}", row.x, row.efficiency)?;
    }
    Ok(table)
}

/// The boundaries of a book: the last line of the preamble and the first of the epilogue, 0 for none.
type Boundaries = (usize, usize);

fn boundaries(path: &Path) -> Result<HashMap<String, Boundaries>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap_or_default();
    let column = |name: &str| {
        let at = head.iter().position(|cell| *cell == name);
        at.with_context(|| format!("{}: no column {name}", path.display()))
    };
    let (id, preamble, epilogue) = (column("id")?, column("preamble_end")?, column("epilogue_start")?);
    let number = |row: &[&str], at: usize| {
        let cell = row.get(at).copied().unwrap_or_default();
        cell.parse().with_context(|| format!("{}: {cell:?} is no line", path.display()))
    };
    rows.map(|row| {
        let name = row.get(id).copied().unwrap_or_default().to_owned();
        Ok((name, (number(&row, preamble)?, number(&row, epilogue)?)))
    })
    .collect()
}

/// The method with each structure, with heuristics and without.
fn figure_8(books: &[Book], gold: &Path) -> Result<String> {
    let gold = boundaries(gold)?;
    let mut table = String::from(
        "counter\theuristics\tend\tbooks\texact\twithin 10\tmean\tleast\tlower 10th\tmedian\tupper 10th\tmost\n",
    );
    for kind in CounterKind::ALL {
        for heuristics in [false, true] {
            let options = PaperOptions { heuristics, ..PaperOptions::PUBLISHED };
            let counting = Options { majority_least: Some(MAJORITY_LEAST), ..Options::default() };
            let mut counts = LineCounts::new(kind.build(&counting)?, options);
            books.iter().try_for_each(|book| counts.observe(&book.ends))?;
            let frequent = counts.conclude()?;
            let (mut tops, mut bottoms) = (Vec::new(), Vec::new());
            for book in books {
                let Some(&(preamble, epilogue)) = gold.get(&book.id) else { continue };
                let found = frequent.find(&book.ends);
                let signed = |one: usize, other: usize| one.cast_signed() - other.cast_signed();
                let behind = |line: usize| if line == 0 { book.ends.lines() + 1 } else { line };
                tops.push(signed(preamble, found.preamble_end));
                bottoms.push(signed(behind(found.epilogue_start), behind(epilogue)));
            }
            ensure!(!tops.is_empty(), "no book of the collection is in the table of boundaries");
            for (end, errors) in [("preamble", &mut tops), ("epilogue", &mut bottoms)] {
                writeln!(table, "{kind}\t{}\t{end}\t{}", if heuristics { "with" } else { "without" }, spread(errors))?;
            }
        }
    }
    Ok(table)
}

/// How errors are spread.
fn spread(errors: &mut [isize]) -> String {
    errors.sort_unstable();
    let count = errors.len();
    let share = |most: usize| errors.iter().filter(|error| error.unsigned_abs() <= most).count() as f64 / count as f64;
    let mean = errors.iter().map(|error| error.unsigned_abs()).sum::<usize>() as f64 / count as f64;
    let at = |tenths: usize| errors[(count - 1) * tenths / 10];
    let (exact, near) = (share(0), share(10));
    format!("{count}\t{exact:.2}\t{near:.2}\t{mean:.1}\t{}\t{}\t{}\t{}\t{}", at(0), at(1), at(5), at(9), at(10))
}

fn figure_9(lines: &[&[u8]]) -> Result<String> {
    let mut table = String::from("structure\tcounters\tthreads\tlines\tseconds\tMB/s\tfrequent\ttimes sort\n");
    let (sort, bytes) = sorted_by_tools(lines)?;
    let rate = |seconds: f64| bytes as f64 / 1e6 / seconds.max(1e-9);
    writeln!(table, "sort | uniq -c\t\t\t{}\t{sort:.3}\t{:.0}\t\t1.0", lines.len(), rate(sort))?;
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for row in pool.install(|| study::time_all(lines, PaperOptions::PUBLISHED.k, &Options::default(), &MAJORITY))? {
            let counters = if row.c == 0 { String::new() } else { row.c.to_string() };
            let (speed, times) = (row.megabytes_per_second(), sort / row.seconds.max(1e-9));
            let study::Timing { kind, lines, seconds, frequent, .. } = row;
            writeln!(
                table,
                "{kind}\t{counters}\t{threads}\t{lines}\t{seconds:.3}\t{speed:.0}\t{frequent}\t{times:.1}"
            )?;
        }
    }
    Ok(table)
}

/// Seconds of the pipeline of section 3.3.2 over these lines, and their bytes.
fn sorted_by_tools(lines: &[&[u8]]) -> Result<(f64, u64)> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("lines");
    let mut file = io::BufWriter::new(File::create(&path)?);
    for line in lines {
        file.write_all(line)?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    let bytes = fs::metadata(&path)?.len();
    let start = Instant::now();
    let status = Command::new("sh")
        .args(["-c", "LC_ALL=C sort -S 512M \"$1\" | uniq -c | grep -Ev '^ *[1-9] '", "sh"])
        .arg(&path)
        .stdout(Stdio::null())
        .status()
        .context("sort, uniq and grep are needed")?;
    // grep ends with 1 where no line is frequent.
    ensure!(status.code().is_some_and(|code| code < 2), "sort | uniq -c failed");
    Ok((start.elapsed().as_secs_f64(), bytes))
}
