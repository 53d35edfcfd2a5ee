//! A folder as hubs of data sets expect it: Parquet files in `data/`, a card that says what they are, and the same as
//! metadata for programs (Croissant).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::arrow::columns;
use super::output::Written;
use super::shards::ShardsWriter;
use super::{Compression, DocumentWriter, Format, WriteOptions};
use crate::disk::atomic::write_atomically;
use crate::document::Document;
use crate::error::Result;
use crate::text::count_words;

/// The names of the other files.
const CARD: &str = "README.md";
const METADATA: &str = "croissant.json";

/// Writes a folder for a hub.
pub(crate) struct HubWriter {
    folder: PathBuf,
    shards: ShardsWriter,
    names: Vec<String>,
    options: WriteOptions,
    documents: u64,
    words: u64,
    languages: BTreeMap<String, u64>,
}

impl HubWriter {
    /// Opens the folder, with so many Parquet files.
    pub(crate) fn open(folder: &Path, shards: u32, options: WriteOptions) -> Result<HubWriter> {
        let names: Vec<String> =
            (0..shards).map(|number| format!("train-{number:05}-of-{shards:05}.parquet")).collect();
        let format = (Format::Parquet, Compression::None);
        let shards = ShardsWriter::open(&folder.join("data"), &names, format, options, true)?;
        let (folder, languages) = (folder.to_owned(), BTreeMap::new());
        Ok(HubWriter { folder, shards, names, options, documents: 0, words: 0, languages })
    }

    /// The name of the data set: that of the folder.
    fn name(&self) -> String {
        let folder = std::path::absolute(&self.folder).unwrap_or_default();
        folder.file_name().map_or_else(|| "corpus".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    fn card(&self) -> String {
        let name = self.name();
        // A string of JSON is one of YAML.
        let mut card = format!("---\npretty_name: {}\n", json!(name));
        if !self.languages.is_empty() {
            card.push_str("language:\n");
            for language in self.languages.keys() {
                let _ = writeln!(card, "- {}", json!(language));
            }
        }
        let _ = write!(
            card,
            "size_categories:\n- {}\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: \
            data/train-*.parquet\n---\n\n# {name}\n\n{} documents, {} words. Made with refrain {}.\n\n| Column | Type | Meaning |\n\
            |---|---|---|\n",
            size_category(self.documents),
            self.documents,
            self.words,
            env!("CARGO_PKG_VERSION")
        );
        for (name, kind, meaning) in columns(self.options) {
            let _ = writeln!(card, "| `{name}` | {kind} | {meaning} |");
        }
        card.push_str("\nAdd the licence of the texts, where they come from, and whom to ask about them.\n");
        card
    }

    fn metadata(&self, written: &[Written]) -> Value {
        let files = self.names.iter().zip(written).map(|(name, written)| {
            json!({
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": format!("data/{name}"),
                "contentSize": format!("{} B", written.bytes),
                "encodingFormat": "application/x-parquet",
                "sha256": written.sha256,
            })
        });
        let set = json!({
            "@type": "cr:FileSet",
            "@id": "parquet-files",
            "name": "parquet-files",
            "description": "All Parquet files.",
            "containedIn": self.names.iter().map(|name| json!({"@id": name})).collect::<Value>(),
            "encodingFormat": "application/x-parquet",
            "includes": "data/train-*.parquet",
        });
        let field = |(name, kind, meaning): (&str, &str, &str)| {
            json!({
                "@type": "cr:Field",
                "@id": format!("documents/{name}"),
                "name": name,
                "description": meaning,
                "dataType": if kind == "integer" { "sc:Integer" } else { "sc:Text" },
                "repeated": kind == "list",
                "source": {"fileSet": {"@id": "parquet-files"}, "extract": {"column": name}},
            })
        };
        json!({
            "@context": context(),
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": self.name(),
            "description": format!("{} documents, {} words.", self.documents, self.words),
            "inLanguage": self.languages.keys().collect::<Vec<_>>(),
            "distribution": files.chain([set]).collect::<Value>(),
            "recordSet": [{
                "@type": "cr:RecordSet",
                "@id": "documents",
                "name": "documents",
                "key": {"@id": "documents/id"},
                "field": columns(self.options).into_iter().map(field).collect::<Value>(),
            }],
        })
    }
}

impl DocumentWriter for HubWriter {
    fn write(&mut self, document: &Document) -> Result<()> {
        self.documents += 1;
        self.words += count_words(&document.shown(self.options.keep_marked).text);
        if let Some(language) = &document.language {
            *self.languages.entry(language.clone()).or_default() += 1;
        }
        self.shards.write(document)
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let mut hub = *self;
        let written = hub.shards.finish_each()?;
        let metadata = serde_json::to_string_pretty(&hub.metadata(&written)).map_err(std::io::Error::from)? + "\n";
        write_atomically(&hub.folder.join(METADATA), metadata.as_bytes())?;
        write_atomically(&hub.folder.join(CARD), hub.card().as_bytes())?;
        Ok(Written { bytes: written.iter().map(|written| written.bytes).sum(), sha256: None })
    }
}

/// The size of a data set, in the words that hubs have for it.
fn size_category(documents: u64) -> &'static str {
    match documents {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        10_000_000..100_000_000 => "10M<n<100M",
        100_000_000..1_000_000_000 => "100M<n<1B",
        _ => "n>1B",
    }
}

/// What the names in the metadata mean, as version 1.0 of Croissant defines them.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "extract": "cr:extract",
        "field": "cr:field",
        "fileProperty": "cr:fileProperty",
        "fileObject": "cr:fileObject",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    })
}
