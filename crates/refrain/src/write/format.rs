//! Output formats, and how a file name states one.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Compression;
use crate::error::{Error, Hint, Result};

/// An output format. Each verb writes some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Plain text.
    Text,
    /// One JSON object per line.
    Jsonl,
    /// One JSON object.
    Json,
    /// A Parquet table.
    Parquet,
    /// One token per line, structures as tags.
    Vertical,
    /// Markdown.
    Markdown,
    /// TEI XML.
    Tei,
    /// A table with commas between its columns.
    Csv,
    /// A table with tabs between its columns.
    Tsv,
    /// A web page.
    Html,
    /// A table for people to read.
    Table,
    /// A folder with a report in several formats.
    Report,
    /// One JSON object per line, with the fields of Dolma.
    Dolma,
    /// One JSON object per line, with the fields of datatrove.
    Datatrove,
    /// The text of documents as conversion records of a WARC file.
    Wet,
    /// A folder with Parquet files, a card and metadata, for a hub of data sets such as Hugging Face.
    Hf,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 16] = [
        Format::Text,
        Format::Jsonl,
        Format::Json,
        Format::Parquet,
        Format::Vertical,
        Format::Markdown,
        Format::Tei,
        Format::Csv,
        Format::Tsv,
        Format::Html,
        Format::Table,
        Format::Report,
        Format::Dolma,
        Format::Datatrove,
        Format::Wet,
        Format::Hf,
    ];

    /// The formats that documents are written in.
    pub const DOCUMENTS: [Format; 7] =
        [Format::Text, Format::Jsonl, Format::Parquet, Format::Vertical, Format::Dolma, Format::Datatrove, Format::Wet];

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Jsonl => "jsonl",
            Format::Json => "json",
            Format::Parquet => "parquet",
            Format::Vertical => "vertical",
            Format::Markdown => "markdown",
            Format::Tei => "tei",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Html => "html",
            Format::Table => "table",
            Format::Report => "report",
            Format::Dolma => "dolma",
            Format::Datatrove => "datatrove",
            Format::Wet => "wet",
            Format::Hf => "hf",
        }
    }

    /// The file extension; empty for a folder.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Text | Format::Table => "txt",
            Format::Vertical => "vert",
            Format::Markdown => "md",
            Format::Tei => "xml",
            Format::Report | Format::Hf => "",
            Format::Dolma | Format::Datatrove => "jsonl",
            Format::Wet | Format::Jsonl | Format::Json | Format::Parquet | Format::Csv | Format::Tsv | Format::Html => {
                self.name()
            }
        }
    }

    /// The format that a file name states. The extension of a compression is ignored.
    ///
    /// ```
    /// use refrain::write::Format;
    ///
    /// assert_eq!(Format::of_path("pages.jsonl.gz".as_ref()), Some(Format::Jsonl));
    /// assert_eq!(Format::of_path("pages.docx".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Format> {
        match extension(path)?.as_str() {
            "text" => Some(Format::Text),
            "ndjson" => Some(Format::Jsonl),
            "vertical" => Some(Format::Vertical),
            "markdown" => Some(Format::Markdown),
            "tei" => Some(Format::Tei),
            "htm" => Some(Format::Html),
            "" => None,
            extension => Format::ALL.into_iter().find(|format| format.extension() == extension),
        }
    }

    /// The same among the formats that a verb writes. A `.txt` file holds a table where a verb writes no other text.
    pub fn of_path_among(path: &Path, allowed: &[Format]) -> Option<Format> {
        let format = match Format::of_path(path)? {
            Format::Text if !allowed.contains(&Format::Text) => Format::Table,
            format => format,
        };
        allowed.contains(&format).then_some(format)
    }

    /// The format of a file: the requested one, or the one its name states. An error if the verb does not write it.
    pub fn choose(path: &Path, asked: Option<Format>, allowed: &[Format]) -> Result<Format> {
        if let Some(format) = asked {
            return match allowed.contains(&format) {
                true => Ok(format),
                false => {
                    let names: Vec<&str> = allowed.iter().map(|format| format.name()).collect();
                    let message = format!("{}: cannot be written as {}", path.display(), format.name());
                    Err(Error::Refused(message).hint(Hint::new(format!("choose one of {}", names.join(", ")))))
                }
            };
        }
        Format::of_path_among(path, allowed).ok_or_else(|| {
            let files = allowed.iter().filter(|format| **format != Format::Report);
            let mut ends: Vec<String> = files.map(|format| format!(".{}", format.extension())).collect();
            let mut known = std::collections::HashSet::new();
            ends.retain(|end| known.insert(end.clone()));
            if allowed.contains(&Format::Report) {
                ends.push("/ for a folder with a report".to_owned());
            }
            let message = format!("the name {} does not state a format that can be written", path.display());
            let advice = format!("end it in {}, or choose one with `format`", ends.join(", "));
            Error::Refused(message).hint(Hint::option("format", advice))
        })
    }
}

/// True if the extension of a file belongs to a format that is not text, such as .xlsx.
pub(crate) fn is_not_for_text(path: &Path) -> bool {
    const NOT_TEXT: [&str; 14] =
        ["doc", "docx", "epub", "odp", "ods", "odt", "parquet", "pdf", "ppt", "pptx", "rtf", "xls", "xlsx", "zip"];
    extension(path).is_some_and(|extension| NOT_TEXT.contains(&extension.as_str()))
}

/// The extension of a file name in lower case, without that of a compression.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let compressed =
        [Compression::Gzip, Compression::Zstd].into_iter().find_map(|with| name.strip_suffix(with.suffix()));
    Some(compressed.unwrap_or(&name).rsplit_once('.')?.1.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_states_a_format() {
        let unnamed = [Format::Report, Format::Table, Format::Dolma, Format::Datatrove, Format::Hf];
        for format in Format::ALL.into_iter().filter(|format| !unnamed.contains(format)) {
            let name = format!("a.b.{}.ZST", format.extension().to_uppercase());
            assert_eq!(Format::of_path(Path::new(&name)), Some(format), "{name}");
            assert_eq!(serde_json::to_value(format).ok(), Some(format.name().into()));
        }
        assert_eq!(Format::of_path(Path::new("report")), None);
        assert_eq!(Format::of_path(Path::new("a.")), None);
        assert_eq!(extension(Path::new("a.gz")), None);
    }

    #[test]
    fn only_what_a_verb_writes_is_chosen() {
        let allowed = [Format::Table, Format::Jsonl, Format::Report];
        assert!(Format::choose(Path::new("a.txt"), None, &allowed).is_ok_and(|format| format == Format::Table));
        assert!(
            Format::choose(Path::new("a.txt"), Some(Format::Jsonl), &allowed)
                .is_ok_and(|format| format == Format::Jsonl)
        );
        let refused =
            Format::choose(Path::new("a.xlsx"), None, &allowed).expect_err("an unknown extension").to_string();
        assert!(refused.contains("a.xlsx") && refused.contains(".txt, .jsonl, / for"), "{refused}");
        let refused =
            Format::choose(Path::new("a.txt"), Some(Format::Csv), &allowed).expect_err("another format").to_string();
        assert!(refused.contains("table, jsonl, report"), "{refused}");
    }
}
