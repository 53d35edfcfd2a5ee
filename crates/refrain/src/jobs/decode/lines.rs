//! Reports about files, for people and for programs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::found::{Damage, Found, Raw};
use crate::decode::{Detection, Repair};

/// The encoding name of an empty file.
const EMPTY: &str = "empty";

/// A line of the list of files.
#[derive(Serialize, JsonSchema)]
pub(in crate::jobs) struct DecodedFile<'a> {
    /// The file, as it was named or as it was found in a folder; `-` for standard input.
    origin: &'a str,
    /// The detected encoding, by its WHATWG name if it has one; null for empty files and failures.
    encoding: Option<&'a str>,
    /// The next best encoding, if it would give another text.
    second: Option<&'a str>,
    /// The code of the language, if it is known.
    language: Option<&'a str>,
    /// The confidence in the encoding, from 0 to 1.
    confidence: f64,
    /// The encoding that the file declares.
    declared: Option<&'a str>,
    /// Whether the declaration is right; null if there is none.
    agrees: Option<bool>,
    /// The size of the file.
    bytes: u64,
    #[serde(flatten)]
    text: Option<DecodedText<'a>>,
    /// A remark: `empty`, `foreign`, `encoding not clear` or `language not clear`.
    note: Option<&'a str>,
    /// Why the file could not be read as text, for people.
    error: Option<&'a str>,
}

/// What happened to a text that was decoded, too.
#[derive(Serialize, JsonSchema)]
struct DecodedText<'a> {
    /// How many U+FFFD replace bytes that fit no encoding.
    losses: u64,
    /// Positions of the first ten U+FFFD in the text, in bytes.
    loss_at: &'a [usize],
    /// What was repaired.
    repair: Option<Repair>,
    /// NUL characters that became U+FFFD.
    nuls: Option<Nuls>,
}

/// NUL characters in a text.
#[derive(Serialize, JsonSchema)]
struct Nuls {
    /// The position of the first one, in bytes.
    at: usize,
    /// How many there are.
    count: usize,
}

/// One file as a line of JSON; `decoded` if its text was decoded, too.
pub(super) fn line(found: &Found, decoded: bool) -> String {
    let detection = found.detection.as_ref();
    let Damage { losses, loss_at, repair, nuls } = &found.damage;
    let line = DecodedFile {
        origin: &found.origin,
        encoding: detection.and_then(|found| found.encoding),
        second: detection.and_then(|found| found.second),
        language: detection.and_then(|found| found.language),
        confidence: detection.map_or(0.0, |found| three_digits(found.confidence)),
        declared: detection.and_then(|found| found.declared),
        agrees: detection.and_then(Detection::agrees),
        bytes: found.bytes,
        text: decoded.then(|| DecodedText {
            losses: *losses,
            loss_at,
            repair: *repair,
            nuls: nuls.map(|(at, count)| Nuls { at, count }),
        }),
        note: match () {
            () if found.is_empty() => Some(EMPTY),
            () if found.foreign => Some("foreign"),
            () if found.uncertain().is_some() => Some("encoding not clear"),
            () if found.unsure => Some("language not clear"),
            () => None,
        },
        error: found.failure.as_ref().map(|failure| failure.error.as_str()),
    };
    json!(line).to_string() + "\n"
}

fn three_digits(confidence: f32) -> f64 {
    (f64::from(confidence) * 1000.0).round() / 1000.0
}

/// A table that is written row by row.
pub(super) struct Table {
    /// The width of the first column, which holds names.
    width: usize,
}

/// Longer names push the rest of their row to the right.
const WIDEST: usize = 72;

impl Table {
    pub(super) fn new(raw: &[Raw<'_>]) -> Table {
        let widest = raw.iter().map(|raw| raw.name().chars().count()).max().unwrap_or(0);
        Table { width: widest.clamp("file".len(), WIDEST) }
    }

    pub(super) fn head(&self) -> String {
        self.columns("file", ["encoding", "language", "confidence", "declared"])
    }

    pub(super) fn row(&self, found: &Found) -> String {
        let name: String = found.origin.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let Some(detection) = &found.detection else {
            let error = found.failure.as_ref().map_or("-", |failure| failure.error.as_str());
            return self.columns(&name, ["-", "-", "-", error]);
        };
        let declared = match (detection.declared, detection.agrees()) {
            (Some(declared), Some(true)) => format!("{declared}, agrees"),
            (Some(declared), _) => format!("{declared}, differs"),
            _ => "-".to_owned(),
        };
        let Some(encoding) = detection.encoding else {
            return self.columns(&name, [EMPTY, "-", "-", &declared]);
        };
        let confidence = format!("{:.2}", detection.confidence);
        self.columns(&name, [encoding, detection.language.unwrap_or("-"), &confidence, &declared])
    }

    fn columns(&self, name: &str, [encoding, language, confidence, declared]: [&str; 4]) -> String {
        format!("{name:<width$}  {encoding:<14}  {language:<8}  {confidence:>10}  {declared}\n", width = self.width)
    }
}
