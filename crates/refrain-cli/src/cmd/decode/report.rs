//! What was found, for people and for programs.

use std::collections::BTreeMap;

use refrain::decode::{Detection, Repair};
use refrain::source::Inputs;
use serde_json::{Value, json};

use super::work::{Damage, Found};

/// What is said of a file without content.
const EMPTY: &str = "empty";

/// One file as JSON, with the end of the line; `decoded` when its text was written, too.
pub(super) fn line(found: &Found, decoded: bool) -> String {
    let detection = found.detection.as_ref();
    let mut line = json!({
        "origin": found.origin,
        "encoding": detection.and_then(|found| found.encoding),
        "language": detection.and_then(|found| found.language),
        "confidence": detection.map_or(0.0, |found| three_digits(found.confidence)),
        "declared": detection.and_then(|found| found.declared),
        "agrees": detection.and_then(Detection::agrees),
        "bytes": found.bytes,
    });
    if decoded {
        let Damage { losses, loss_at, repair, nuls } = &found.damage;
        line["losses"] = json!(losses);
        line["loss_at"] = json!(loss_at);
        line["repair"] = repair.map_or(Value::Null, repair_value);
        line["nuls"] = nuls.map_or(Value::Null, |(at, count)| json!({"at": at, "count": count}));
    }
    line["note"] = match () {
        () if found.is_empty() => EMPTY.into(),
        () if found.foreign => "foreign".into(),
        () if found.unsure => "language not clear".into(),
        () => Value::Null,
    };
    line["error"] = found.failure.as_ref().map_or(Value::Null, |failure| failure.error.as_str().into());
    line.to_string() + "\n"
}

fn three_digits(confidence: f32) -> f64 {
    (f64::from(confidence) * 1000.0).round() / 1000.0
}

/// What was set right: an object with one field, whose name says what kind of repair it is.
fn repair_value(repair: Repair) -> Value {
    match repair {
        Repair::DoubleEncoded { through } => json!({"double_encoded": {"through": through}}),
        Repair::Mixed { with, lines } => json!({"mixed": {"with": with, "lines": lines}}),
        other => json!({"other": format!("{other:?}")}),
    }
}

/// A table that is written row by row.
pub(super) struct Table {
    /// Of the names.
    width: usize,
}

/// Names that are longer push the rest of their row to the right.
const WIDEST: usize = 72;

impl Table {
    pub(super) fn new(inputs: &Inputs) -> Table {
        let widest = inputs.iter().map(|input| input.name.chars().count()).max().unwrap_or(0);
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

/// What became of all files, in figures.
#[derive(Default)]
pub(super) struct Summary {
    /// Files that are text, or empty.
    files: u64,
    empty: u64,
    /// Files in languages that were not asked for.
    foreign: u64,
    encodings: BTreeMap<&'static str, u64>,
    /// Files that declare another encoding than they are in.
    otherwise: u64,
    /// Files with losses, and how many.
    lost: (u64, u64),
    /// Files with NUL characters, and how many.
    nuls: (u64, u64),
    repaired: u64,
}

impl Summary {
    pub(super) fn add(&mut self, found: &Found) {
        let Some(detection) = &found.detection else { return };
        self.files += 1;
        if found.foreign {
            self.foreign += 1;
            return;
        }
        match detection.encoding {
            Some(encoding) => *self.encodings.entry(encoding).or_default() += 1,
            None => self.empty += 1,
        }
        self.otherwise += u64::from(detection.agrees() == Some(false));
        let damage = &found.damage;
        if damage.losses > 0 {
            self.lost = (self.lost.0 + 1, self.lost.1 + damage.losses);
        }
        if let Some((_, count)) = damage.nuls {
            self.nuls = (self.nuls.0 + 1, self.nuls.1 + count as u64);
        }
        self.repaired += u64::from(damage.repair.is_some());
    }

    /// How many texts there are.
    pub(super) fn written(&self) -> String {
        files(self.files - self.foreign)
    }

    /// The encodings, the most frequent one first.
    pub(super) fn words(&self) -> String {
        let mut encodings: Vec<_> = self.encodings.iter().collect();
        encodings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut parts: Vec<String> = encodings.iter().map(|(encoding, count)| format!("{count} {encoding}")).collect();
        if self.empty > 0 {
            parts.push(format!("{} {EMPTY}", self.empty));
        }
        if parts.is_empty() {
            parts.push("no text".into());
        }
        if self.otherwise > 0 {
            parts.push(format!("{} declared otherwise", self.otherwise));
        }
        if self.foreign > 0 {
            parts.push(format!("{} foreign and left out", self.foreign));
        }
        parts.join(", ")
    }

    /// What the texts do not have any more, and what was set right, in sentences.
    pub(super) fn damage(&self) -> Vec<String> {
        let (lost, nuls) = (self.lost, self.nuls);
        let mut notes = Vec::new();
        if lost.1 > 0 {
            notes.push(format!("note: bytes that fit no encoding became U+FFFD ({}), in {}", lost.1, files(lost.0)));
        }
        if nuls.1 > 0 {
            notes.push(format!("note: NUL characters became U+FFFD ({}), in {}", nuls.1, files(nuls.0)));
        }
        if self.repaired > 0 {
            notes.push(format!("note: set right what was encoded twice or mixed, in {}", files(self.repaired)));
        }
        notes
    }
}

fn files(count: u64) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}
