//! Measures how well content is separated from templates on pages with known content, and the effect of halving or
//! doubling each parameter.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use rayon::prelude::*;
use refrain::template::{self, PageSample, Parameters, TemplateMatch, normalised_ranges};
use refrain::{Position, Span};
use serde_json::Value;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Folders of sets: JSON lines of {id, html, content_ranges, norm_chars}, ranges in characters of the normalised page
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Try half and twice the value of each parameter
    #[arg(long)]
    vary: bool,
    /// Take this many pages of each set, at even distances
    #[arg(long)]
    pages: Option<usize>,
    /// Change a parameter: NAME=FACTOR
    #[arg(long, value_name = "NAME=FACTOR")]
    scale: Vec<String>,
}

/// A page and where its content is.
struct Page {
    html: String,
    letters: usize,
    content: Vec<(usize, usize)>,
}

struct Set {
    name: String,
    pages: Vec<Page>,
}

/// How well the content of a set was found.
#[derive(Clone, Copy)]
struct Values {
    accuracy: f64,
    recall: f64,
    precision: f64,
    f1: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut parameters = Parameters::default();
    for scale in &arguments.scale {
        let (name, factor) = scale.split_once('=').context("--scale is NAME=FACTOR")?;
        parameters = parameters.scaled(name, factor.parse()?).with_context(|| unknown(name))?;
    }
    let mut groups = Vec::new();
    for folder in &arguments.folders {
        groups.push((folder.display().to_string(), sets(folder, arguments.pages)?));
    }
    let mut out = io::stdout();
    if arguments.vary {
        return vary(&groups, parameters, &mut out);
    }
    for (_, sets) in &groups {
        writeln!(out, "{:28} {:>8} {:>8} {:>9} {:>6}", "set", "accuracy", "recall", "precision", "F1")?;
        let found: Vec<Values> = sets.par_iter().map(|set| score(set, parameters)).collect();
        let row = |name: &str, v: &Values| {
            format!("{name:28} {:8.3} {:8.3} {:9.3} {:6.3}", v.accuracy, v.recall, v.precision, v.f1)
        };
        for (set, values) in sets.iter().zip(&found) {
            writeln!(out, "{}", row(&set.name, values))?;
        }
        let mean = |of: fn(&Values) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
        let means = Values {
            accuracy: mean(|v| v.accuracy),
            recall: mean(|v| v.recall),
            precision: mean(|v| v.precision),
            f1: mean(|v| v.f1),
        };
        writeln!(out, "{}\n", row("mean", &means))?;
    }
    Ok(())
}

fn unknown(name: &str) -> String {
    format!("no number of the method is called {name}; there are {}", Parameters::NAMES.join(", "))
}

/// Mean and lowest F1 of each group, with half and with twice of each number.
fn vary(groups: &[(String, Vec<Set>)], parameters: Parameters, out: &mut io::Stdout) -> Result<()> {
    for (number, (name, sets)) in groups.iter().enumerate() {
        writeln!(out, "group {}: {name}, {} sets", number + 1, sets.len())?;
    }
    write!(out, "{:18} {:>6}", "number", "times")?;
    for number in 1..=groups.len() {
        write!(out, "  {:>8} {:>8}", format!("mean {number}"), format!("lowest {number}"))?;
    }
    writeln!(out)?;
    let cells = |parameters: Parameters| -> String {
        let cell = |(_, sets): &(String, Vec<Set>)| {
            let found: Vec<f64> = sets.par_iter().map(|set| score(set, parameters).f1).collect();
            let mean = found.iter().sum::<f64>() / found.len() as f64;
            format!("  {mean:8.3} {:8.3}", found.into_iter().fold(1.0, f64::min))
        };
        groups.iter().map(cell).collect()
    };
    writeln!(out, "{:18} {:>6}{}", "as it is", 1, cells(parameters))?;
    for name in Parameters::NAMES {
        for factor in [0.5, 2.0] {
            let changed = parameters.scaled(name, factor).with_context(|| unknown(name))?;
            writeln!(out, "{name:18} {factor:>6}{}", cells(changed))?;
            out.flush()?;
        }
    }
    Ok(())
}

/// The sets of a folder, by name.
fn sets(folder: &Path, limit: Option<usize>) -> Result<Vec<Set>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|end| end == "jsonl"));
    paths.sort_unstable();
    ensure!(!paths.is_empty(), "{} holds no .jsonl files", folder.display());
    paths.par_iter().map(|path| set(path, limit).with_context(|| path.display().to_string())).collect()
}

fn set(path: &Path, limit: Option<usize>) -> Result<Set> {
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let step = limit.map_or(1, |limit| (lines.len() / limit.max(1)).max(1));
    let chosen = lines.iter().step_by(step).take(limit.unwrap_or(usize::MAX));
    let pages = chosen.map(|line| page(line)).collect::<Result<_>>()?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Set { name, pages })
}

fn page(line: &str) -> Result<Page> {
    let value: Value = serde_json::from_str(line)?;
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok());
    let range = |range: &Value| Some((number(&range[0])?, number(&range[1])?));
    let (Some(html), Some(letters), Some(ranges)) =
        (value["html"].as_str(), number(&value["norm_chars"]), value["content_ranges"].as_array())
    else {
        bail!("a page lacks html, norm_chars or content_ranges");
    };
    let content = ranges.iter().map(range).collect::<Option<_>>().context("a range is no pair of numbers")?;
    Ok(Page { html: html.to_owned(), letters, content })
}

fn score(set: &Set, parameters: Parameters) -> Values {
    let mut sample = PageSample::default().with(parameters);
    for (record, page) in (0..).zip(&set.pages) {
        sample.observe(template::TemplatePage { position: Position { input: 0, record }, key: "", text: &page.html });
    }
    let templates = sample.conclude();
    let sums = set.pages.par_iter().map(|page| {
        let spans: Vec<Span> = match templates.find("", &page.html) {
            TemplateMatch::Page(_, fit) => fit.content,
            TemplateMatch::Unknown { .. } => Vec::new(),
        };
        let found = normalised_ranges(&page.html, &spans);
        let length = |ranges: &[(usize, usize)]| ranges.iter().map(|(from, to)| to - from).sum::<usize>();
        [page.letters, length(&page.content), length(&found), common(&page.content, &found)]
    });
    let [letters, content, kept, both] =
        sums.reduce(|| [0; 4], |a, b| std::array::from_fn(|i| a[i] + b[i])).map(|sum| sum as f64);
    let precision = if kept > 0.0 { both / kept } else { 0.0 };
    let recall = if content > 0.0 { both / content } else { 1.0 };
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    Values { accuracy: (letters - content - kept + 2.0 * both) / letters, recall, precision, f1 }
}

/// How much two lists of ranges have in common.
fn common(a: &[(usize, usize)], b: &[(usize, usize)]) -> usize {
    let (mut i, mut j, mut sum) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        sum += x.1.min(y.1).saturating_sub(x.0.max(y.0));
        if x.1 < y.1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    sum
}
