//! Corpus folders as inputs: their parts, and no other files next to them.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the layout; changes when older versions of refrain could not read it.
pub(crate) const LAYOUT: u32 = 1;

/// The file that makes a folder a complete corpus.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The folder in an output folder that says what was removed. Programs that read folders of Parquet files skip such a name.
pub(crate) const EVIDENCE: &str = "_refrain";

/// The file in it that lists removed ranges.
pub(crate) const REMOVED_LIST: &str = "removed.jsonl.zst";

/// The file in it with the report of the run.
pub(crate) const RUN_REPORT: &str = "report.json";

/// The report that decode, strip or template write next to texts.
pub(crate) const REPORT_BESIDE_TEXTS: &str = "report.jsonl";

/// The folder that exists while a corpus is being written.
pub(crate) const WORK: &str = "work";

/// The file in it that exists while an old corpus is being removed.
pub(crate) const CLEARING: &str = "clearing";

/// The file in it that records how the corpus is being made.
pub(crate) const RUN: &str = "run.json";

/// The program that wrote a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// Its version.
    pub version: String,
    /// The version of the folder's layout.
    pub layout: u32,
}

/// The fields of a manifest that are needed to read the documents.
#[derive(Deserialize)]
struct Known {
    refrain: Identity,
    parts: Vec<KnownPart>,
}

#[derive(Deserialize)]
struct KnownPart {
    path: PathBuf,
}

/// The files with the documents, if the folder is a corpus; an error message if it cannot be read as one.
pub(crate) fn parts_of(folder: &Path) -> Option<Result<Vec<PathBuf>, String>> {
    let content = match fs::read(folder.join(MANIFEST)) {
        Ok(content) => content,
        Err(_) if began_by_refrain(folder) => {
            return Some(Err("an incomplete corpus; run the command that started it again".into()));
        }
        Err(_) => return None,
    };
    parts_of_manifest(folder, &content)
}

/// The same of the content of a manifest.
pub(crate) fn parts_of_manifest(folder: &Path, content: &[u8]) -> Option<Result<Vec<PathBuf>, String>> {
    // A manifest.json of another program is an ordinary file.
    let known: Known = serde_json::from_slice(content).ok()?;
    if known.refrain.layout > LAYOUT {
        return Some(Err(format!("a corpus of the newer refrain {}", known.refrain.version)));
    }
    Some(Ok(known.parts.iter().map(|part| folder.join(&part.path)).collect()))
}

/// True for the report that decode, strip or template wrote next to texts.
pub(crate) fn is_report_of_texts(path: &Path) -> bool {
    const FIELDS: [[&str; 2]; 3] = [["encoding", "loss_at"], ["preamble_end", "why_preamble"], ["file", "by"]];
    if path.file_name().is_none_or(|name| name != REPORT_BESIDE_TEXTS) {
        return false;
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD_OF_REPORT).read_to_end(&mut head));
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(first).unwrap_or_default();
    read.is_ok()
        && !fields.contains_key("text")
        && FIELDS.iter().any(|own| own.iter().all(|name| fields.contains_key(*name)))
}

/// The kind of a folder that refrain keeps and that holds no documents: a report or a library, and nothing else.
pub(crate) fn kept_by_refrain(folder: &Path) -> Option<&'static str> {
    let begins_with = |name: &str, sign: &str| {
        let mut head = Vec::new();
        let read = fs::File::open(folder.join(name)).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        read.is_ok() && memchr::memmem::find(&head, sign.as_bytes()).is_some()
    };
    let has_only = |is_own: fn(&str) -> bool| {
        let own = |entry: std::io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_own))
        };
        fs::read_dir(folder).is_ok_and(|mut entries| entries.all(own))
    };
    let is_evidence = |name: &str| matches!(name, REMOVED_LIST | RUN_REPORT) || name.starts_with('.');
    let is_report = |name: &str| matches!(name, "report.json" | "texts.jsonl" | "pairs.csv" | "report.html");
    let is_editions = |name: &str| matches!(name, "pairs.tsv" | "pairs.jsonl" | "works.jsonl" | "report.html");
    let is_library = |name: &str| {
        let segment = name.split_once('.').is_some_and(|(number, kind)| {
            matches!(kind, "grams" | "steps" | "documents" | "texts")
                && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        segment || matches!(name, "library.json" | "library.new" | "lock")
    };
    if (begins_with("report.json", "\"refrain_report\"") && has_only(is_report))
        || (begins_with("report.html", "content=\"refrain editions\"") && has_only(is_editions))
    {
        Some("a report of refrain")
    } else if begins_with("library.json", "\"refrain_library\"") && has_only(is_library) {
        Some("a library of refrain")
    } else if folder.file_name().is_some_and(|name| name == EVIDENCE) && has_only(is_evidence) {
        Some("a list of removed text")
    } else {
        None
    }
}

/// This many bytes of a file show whether refrain wrote it.
const HEAD: u64 = 4096;
/// The first line of a report next to texts is shorter.
const HEAD_OF_REPORT: u64 = 1 << 20;

/// True if a run of refrain started to fill the folder.
fn began_by_refrain(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Begun {
        #[serde(rename = "refrain")]
        _by: Identity,
    }
    let content = fs::read(folder.join(WORK).join(RUN)).unwrap_or_default();
    serde_json::from_slice::<Begun>(&content).is_ok() || folder.join(WORK).join(CLEARING).is_file()
}
