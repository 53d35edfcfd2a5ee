//! Reads benchmarks: each file is one, each record an item.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::decontaminate::{BenchmarkFields, BenchmarkItem};
use crate::error::{Error, Failure, Hint, Place, Result};
use crate::jobs::failures::FailureLog;
use crate::jobs::{Input, Outputs};
use crate::source::{Body, InputFile, Item, RawDocument, ReadOptions, plain_name};
use crate::write::without_packing;

/// The name of an item.
#[derive(Debug, Clone)]
pub(super) struct ItemName {
    pub(super) benchmark: Arc<str>,
    pub(super) id: String,
}

/// Fields that hold the id of an item.
const IDS: [&str; 13] = [
    "id",
    "_id",
    "qid",
    "uid",
    "guid",
    "question_id",
    "task_id",
    "item_id",
    "example_id",
    "key",
    "ind",
    "idx",
    "index",
];
/// Fields of a record that a message lists.
const LISTED: usize = 12;

/// Reads all items. Records without a question, a passage or an answer are failures.
pub(super) fn read_items(
    evals: &Input,
    fields: &BenchmarkFields,
    outputs: &Outputs,
    failures: &mut FailureLog,
) -> Result<(Vec<ItemName>, Vec<BenchmarkItem>)> {
    // Records have no text of their own: all their fields are wanted.
    let options = ReadOptions { text_field: String::new(), id_field: String::new(), ..ReadOptions::default() };
    let (source, early) = evals.open(&options, outputs)?;
    if source.inputs().iter().any(InputFile::is_stdin) {
        let error = Error::Refused("benchmarks cannot come from standard input".into());
        return Err(error.hint(Hint::option("evals", "name a file or a folder with `evals`")));
    }
    failures.add_early(early)?;
    let mut names: Vec<(String, String, String)> = Vec::new();
    let mut items = Vec::new();
    let mut result = Ok(());
    source.read_all(&mut |position, item| {
        let raw = match item {
            Item::Document(raw) => *raw,
            Item::Skipped { reason, .. } => {
                return continues(failures.count(false, Some(&reason), None), &mut result);
            }
            Item::Failed(failure) => return continues(failures.count(false, None, Some(failure)), &mut result),
        };
        let (path, number) = (raw.origin.path().into_owned(), number_of(&raw));
        let Some(record) = record(raw.body, &raw.meta) else {
            // Folders of benchmarks have other files, such as a description.
            if !source.inputs().get(position.input).is_some_and(|file| file.named) {
                return continues(failures.count(false, Some("not a benchmark"), None), &mut result);
            }
            let error = "not a benchmark; benchmarks are JSONL or Parquet";
            let failure = Failure::new(&raw.origin.input, error).member(raw.origin.member.as_deref());
            return continues(failures.count(false, None, Some(failure)), &mut result);
        };
        match fields.item(&record) {
            Some(item) => {
                let id = IDS.iter().find_map(|name| id_of(record.get(*name)?));
                let in_memory = number.is_none().then(|| raw.id.clone());
                let id = id.or(in_memory).or(number).unwrap_or_default();
                names.push((path, raw.origin.input.clone(), id));
                items.push(item);
                ControlFlow::Continue(())
            }
            None => {
                let fields: Vec<&str> = record.keys().map(String::as_str).take(LISTED).collect();
                let error = format!("no question, passage or answer; fields are: {}", fields.join(", "));
                let mut failure = Failure::new(&raw.origin.input, error).member(raw.origin.member.as_deref());
                if let Some(number) = number.and_then(|number| number.parse().ok()) {
                    let is_table = without_packing(&raw.origin.path()).ends_with(".parquet");
                    failure = failure.place(if is_table { Place::Row(number) } else { Place::Line(number) });
                }
                let hint = Hint::option("question_field", "name the field with `question_field`");
                continues(failures.add(failure.hint(hint)), &mut result)
            }
        }
    });
    result?;
    if items.is_empty() {
        let mut first = failures.so_far().first.first().cloned();
        let hint = first.as_mut().and_then(|failure| failure.hint.take()).map(|hint| *hint);
        let first = first.map(|failure| format!(": {failure}")).unwrap_or_default();
        let error = Error::Refused(format!("no benchmark item could be read{first}"));
        return Err(error.hint(hint.unwrap_or(Hint::option("evals", "name JSONL or Parquet files with `evals`"))));
    }
    Ok((named(names, evals.names()), items))
}

fn continues(added: Result<()>, result: &mut Result<()>) -> ControlFlow<()> {
    match added {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            *result = Err(error);
            ControlFlow::Break(())
        }
    }
}

/// The number that the source gives a record without an id.
fn number_of(raw: &RawDocument) -> Option<String> {
    let number = raw.id.strip_prefix(&*raw.origin.path())?.strip_prefix(':')?;
    Some(number.to_owned())
}

/// The fields of a record; `None` for a text or a page, which are no records.
fn record(body: Body, fields: &Map<String, Value>) -> Option<Map<String, Value>> {
    match body {
        Body::Text(_) => Some(fields.clone()),
        Body::Document(document) => {
            let mut fields = fields.clone();
            if !document.text().is_empty() {
                fields.entry("text").or_insert_with(|| Value::from(document.text()));
            }
            Some(fields)
        }
        _ => None,
    }
}

fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Names the benchmark of each item after its file: below a folder that was given, with the folders in between. Files that
/// would have the same name keep their whole path.
fn named(items: Vec<(String, String, String)>, given: &[String]) -> Vec<ItemName> {
    let short = |path: &str, input: &str| {
        let folder = given.iter().find(|name| Path::new(name).is_dir() && Path::new(input).starts_with(plain(name)));
        let base = match folder {
            Some(folder) => plain(folder),
            None => Path::new(input).parent().map(|parent| parent.to_string_lossy().into_owned()).unwrap_or_default(),
        };
        let relative = Path::new(path).strip_prefix(&base).unwrap_or(Path::new(path));
        without_extensions(&relative.to_string_lossy()).to_owned()
    };
    let mut of_path: HashMap<String, String> = HashMap::new();
    let mut taken: HashSet<String> = HashSet::new();
    let mut known: HashMap<String, Arc<str>> = HashMap::new();
    let mut named = Vec::with_capacity(items.len());
    for (path, input, id) in items {
        let benchmark = of_path.entry(path).or_insert_with_key(|path| {
            let name = short(path, &input);
            if !name.is_empty() && taken.insert(name.clone()) { name } else { path.clone() }
        });
        let benchmark = known.entry(benchmark.clone()).or_insert_with_key(|name| Arc::from(name.as_str()));
        named.push(ItemName { benchmark: benchmark.clone(), id });
    }
    named
}

fn plain(name: &str) -> String {
    plain_name(Path::new(name))
}

/// A name without the extensions of its format and its compression.
fn without_extensions(name: &str) -> &str {
    let name = without_packing(name);
    [".jsonl", ".json", ".ndjson", ".parquet"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}
