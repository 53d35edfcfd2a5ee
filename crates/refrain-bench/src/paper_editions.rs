//! Reproduces the experiments of the DUPNIQ paper: precision and recall of the methods (its Table 3), and scores by
//! noise and overlap (its Figure 3).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use refrain::Run;
use refrain::Span;
use refrain::editions::{BaselineMethod, Book, FindOptions, Published, Shelf, find};
use refrain::strip::{BoundaryFinder, EDGE_LINES, Ends, Evidence, StripProfile};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of books
    books: PathBuf,
    /// Pairs with tabs between columns: a, b, kind (dup, partial, ignore)
    #[arg(long)]
    pairs: PathBuf,
    /// A list of made-up books with tabs between columns: out, base, donor, keep, noise
    #[arg(long)]
    made: Option<PathBuf>,
    /// The folder of the made-up books
    #[arg(long)]
    made_books: Option<PathBuf>,
}

type Pairs = HashSet<(String, String)>;
/// The two published scores of a pair, and whether it was found.
type Cell = (f64, f64, bool);
/// Pairs by noise and share kept.
type Cells = BTreeMap<(u32, u32), Vec<Cell>>;
/// A named figure about a pair.
type Figure<'a> = (&'a str, &'a dyn Fn(&Cell) -> f64);

struct Gold {
    whole: Pairs,
    partial: Pairs,
    ignored: Pairs,
}

pub(crate) fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}

pub(crate) fn rows(path: &Path) -> Result<Vec<HashMap<String, String>>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    Ok(lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect())
}

fn gold(path: &Path) -> Result<Gold> {
    let mut gold = Gold { whole: Pairs::new(), partial: Pairs::new(), ignored: Pairs::new() };
    for row in rows(path)? {
        let cell = |name: &str| row.get(name).map_or("", String::as_str);
        let pair = ordered(cell("a"), cell("b"));
        match cell("kind") {
            "dup" => gold.whole.insert(pair),
            "partial" => gold.partial.insert(pair),
            _ => gold.ignored.insert(pair),
        };
    }
    Ok(gold)
}

/// A text and the part of it that is skipped.
pub(crate) struct Text {
    id: String,
    content: String,
    outside: [Span; 2],
}

impl Text {
    fn read(path: &Path, strip: &BoundaryFinder) -> Result<Text> {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let text =
            String::from_utf8(bytes).unwrap_or_else(|other| other.into_bytes().into_iter().map(char::from).collect());
        let ends = Ends::of(text.as_bytes(), EDGE_LINES);
        let body = strip.find(&ends, Evidence::shipped()).body(&ends);
        let at = |place: u64| text.floor_char_boundary(usize::try_from(place).unwrap_or(text.len()));
        let outside = [Span::new(0, at(body.start)), Span::new(at(body.end), text.len())];
        let id = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Text { id, content: text, outside })
    }

    fn inside(&self) -> Span {
        Span::new(self.outside[0].end, self.outside[1].start)
    }
}

/// Pairs with scores.
type Scored = Vec<((String, String), f64)>;

fn published(texts: &[Text], method: BaselineMethod, raw: bool) -> Result<Scored> {
    let sets: Vec<Vec<u64>> =
        texts.iter().map(|text| method.read(&text.content, if raw { &[] } else { &text.outside })).collect();
    // Thresholds are chosen later; below this, every two books are similar.
    let low = method.threshold().min(1.0) / 4.0;
    let pairs = method.pairs(&sets, low, &Run::default().start()?).into_iter();
    Ok(pairs.map(|(a, b, score)| (ordered(&texts[a as usize].id, &texts[b as usize].id), score)).collect())
}

/// The books of a folder, in the order of their names.
pub(crate) fn texts(folder: &Path, strip: &BoundaryFinder) -> Result<Vec<Text>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        paths.push(entry?.path());
    }
    paths.sort();
    let texts: Vec<Text> = paths.iter().map(|path| Text::read(path, strip)).collect::<Result<_>>()?;
    ensure!(texts.len() > 1, "{}: no books in this folder", folder.display());
    Ok(texts)
}

/// Puts books on a shelf, as `refrain editions` does.
pub(crate) fn shelf(texts: &[Text]) -> Result<Shelf> {
    let mut shelf = Shelf::new(&std::env::temp_dir())?;
    for text in texts {
        let edges = Book::read(text.id.clone(), &text.content, &[text.inside()]);
        shelf.add(&Book::read(text.id.clone(), &text.content, &text.outside), Some(&edges))?;
    }
    shelf.flush()?;
    Ok(shelf)
}

fn ours(texts: &[Text]) -> Result<Scored> {
    let shelf = shelf(texts)?;
    let found = find(&shelf, &FindOptions::default(), &Run::default().start()?)?;
    let id = |number: u32| shelf.books()[number as usize].id.clone();
    Ok(found.pairs.iter().map(|pair| (ordered(&id(pair.a), &id(pair.b)), pair.score)).collect())
}

/// Precision and recall at a threshold, for books of a half or all of them.
fn figures(
    scored: &Scored,
    wanted: &Pairs,
    ignored: &Pairs,
    threshold: f64,
    books: &dyn Fn(&str) -> bool,
) -> (f64, f64) {
    let inside = |pair: &&(String, String)| books(&pair.0) && books(&pair.1);
    let said: Vec<_> =
        scored.iter().filter(|(_, score)| *score >= threshold).map(|(pair, _)| pair).filter(inside).collect();
    let said: Vec<_> = said.into_iter().filter(|pair| !ignored.contains(*pair)).collect();
    let right = said.iter().filter(|pair| wanted.contains(**pair)).count() as f64;
    let all = wanted.iter().filter(inside).count() as f64;
    (if said.is_empty() { 0.0 } else { right / said.len() as f64 }, if all > 0.0 { right / all } else { 0.0 })
}

/// The threshold with the best F-measure on the training half.
fn best_threshold(scored: &Scored, wanted: &Pairs, ignored: &Pairs, books: &dyn Fn(&str) -> bool) -> f64 {
    let mut steps: Vec<f64> = scored.iter().map(|(_, score)| *score).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let each = (steps.len() / 200).max(1);
    let f = |threshold: f64| {
        let (p, r) = figures(scored, wanted, ignored, threshold, books);
        if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
    };
    steps.into_iter().step_by(each).max_by(|a, b| f(*a).total_cmp(&f(*b))).unwrap_or(0.0)
}

/// Books of one family stay together: those that share text, directly or through others.
fn training(gold: &Gold, texts: &[Text]) -> HashSet<String> {
    let mut family: BTreeMap<&str, usize> = texts.iter().map(|text| text.id.as_str()).zip(0..).collect();
    loop {
        let mut changed = false;
        for (a, b) in gold.whole.iter().chain(&gold.partial).chain(&gold.ignored) {
            if let (Some(&one), Some(&other)) = (family.get(a.as_str()), family.get(b.as_str()))
                && one != other
            {
                let low = one.min(other);
                family.values_mut().filter(|number| **number == one || **number == other).for_each(|n| *n = low);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut numbers: Vec<usize> = family.values().copied().collect();
    numbers.sort_unstable();
    numbers.dedup();
    let half: HashSet<usize> = numbers.into_iter().step_by(2).collect();
    family.iter().filter(|(_, number)| half.contains(number)).map(|(id, _)| (*id).to_owned()).collect()
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let strip = BoundaryFinder::new(StripProfile::Gutenberg)?;
    let gold = gold(&arguments.pairs)?;
    let texts = texts(&arguments.books, &strip)?;
    table(&texts, &gold)?;
    if let (Some(list), Some(folder)) = (&arguments.made, &arguments.made_books) {
        curves(list, folder, &texts, &strip)?;
    }
    Ok(())
}

fn table(texts: &[Text], gold: &Gold) -> Result<()> {
    let mut out = io::stdout();
    let train = training(gold, texts);
    let all: Pairs = gold.whole.union(&gold.partial).cloned().collect();
    let without_whole: Pairs = gold.ignored.union(&gold.whole).cloned().collect();
    writeln!(out, "{} books, {} pairs, {} of them partial; P and R", texts.len(), all.len(), gold.partial.len())?;
    writeln!(
        out,
        "{:<26} {:>9}  {:^11}  {:^11}  {:^11}  {:^11}",
        "", "threshold", "training", "other half", "all", "partial"
    )?;
    let mut row = |name: &str, scored: &Scored, threshold: f64| -> Result<()> {
        let inside = |id: &str| train.contains(id);
        let outside = |id: &str| !train.contains(id);
        write!(out, "{name:<26} {threshold:>9.3}")?;
        for (p, r) in [
            figures(scored, &all, &gold.ignored, threshold, &inside),
            figures(scored, &all, &gold.ignored, threshold, &outside),
            figures(scored, &all, &gold.ignored, threshold, &|_| true),
            figures(scored, &gold.partial, &without_whole, threshold, &|_| true),
        ] {
            write!(out, "  {p:.3} {r:.3}")?;
        }
        writeln!(out)?;
        Ok(())
    };
    let inside = |id: &str| train.contains(id);
    for (name, method) in [("DUPNIQ-cs", BaselineMethod::Cs), ("DUPNIQ-its", BaselineMethod::Its)] {
        row(&format!("{name}, raw"), &published(texts, method, true)?, method.threshold())?;
    }
    for (name, method) in [
        ("DUPNIQ-cs", BaselineMethod::Cs),
        ("DUPNIQ-its", BaselineMethod::Its),
        ("UWO", BaselineMethod::Uwo),
        ("VO", BaselineMethod::Vo),
        ("Shingling", BaselineMethod::Shingle),
        ("I-Match", BaselineMethod::IMatch),
    ] {
        let scored = published(texts, method, false)?;
        if matches!(method, BaselineMethod::Cs | BaselineMethod::Its) {
            row(&format!("{name}, published"), &scored, method.threshold())?;
        }
        row(&format!("{name}, trained"), &scored, best_threshold(&scored, &all, &gold.ignored, &inside))?;
    }
    row("refrain editions", &ours(texts)?, 0.0)
}

/// Mean scores by noise and by the share that was kept, and how many pairs are found.
fn curves(list: &Path, folder: &Path, texts: &[Text], strip: &BoundaryFinder) -> Result<()> {
    let mut out = io::stdout();
    let by_id: HashMap<&str, &Text> = texts.iter().map(|text| (text.id.as_str(), text)).collect();
    let mut cells = Cells::new();
    for row in rows(list)? {
        let cell = |name: &str| row.get(name).map_or("", String::as_str);
        let Some(base) = by_id.get(cell("base")) else { continue };
        let made = Text::read(&folder.join(format!("{}.txt", cell("out"))), strip)?;
        let sets = [*base, &made].map(|text| BaselineMethod::Cs.read(&text.content, &text.outside));
        let scores = Published::of_sequences(&sets[0], &sets[1]);
        let two = [
            Text { id: "a".into(), content: base.content.clone(), outside: base.outside },
            Text { id: "b".into(), content: made.content, outside: made.outside },
        ];
        let found = !ours(&two)?.is_empty();
        let number = |name: &str| cell(name).parse::<u32>().unwrap_or(0);
        cells.entry((number("noise"), number("keep"))).or_default().push((scores.its(), scores.cs(), found));
    }
    let noises: Vec<u32> = distinct(cells.keys().map(|(noise, _)| *noise));
    let keeps: Vec<u32> = distinct(cells.keys().map(|(_, keep)| *keep));
    let mean = |of: &[Cell], value: &dyn Fn(&Cell) -> f64| of.iter().map(value).sum::<f64>() / of.len().max(1) as f64;
    let figures: [Figure<'_>; 3] = [
        ("DUPNIQ-its", &|cell| cell.0),
        ("DUPNIQ-cs", &|cell| cell.1),
        ("found by refrain editions", &|cell| f64::from(u8::from(cell.2))),
    ];
    for (name, value) in figures {
        let head: Vec<String> = keeps.iter().map(|keep| format!("{keep:>6} %")).collect();
        let head = head.concat();
        writeln!(out, "\n{name} by noise (rows) and share kept (columns)\n      {head}")?;
        for noise in &noises {
            let of = |keep: &u32| cells.get(&(*noise, *keep)).map_or(0.0, |cells| mean(cells, value));
            let row: Vec<String> = keeps.iter().map(|keep| format!("{:>8.3}", of(keep))).collect();
            let row = row.concat();
            writeln!(out, "{noise:>4} % {row}")?;
        }
    }
    Ok(())
}

fn distinct(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
