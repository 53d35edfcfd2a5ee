//! Reports about files, for people and for programs.

use serde_json::{Value, json};

use super::found::{Damage, Found, Raw};
use crate::decode::{Detection, Repair};

/// The encoding name of an empty file.
const EMPTY: &str = "empty";

/// One file as a line of JSON; `decoded` if its text was decoded, too.
pub(super) fn line(found: &Found, decoded: bool) -> String {
    let detection = found.detection.as_ref();
    let mut line = json!({
        "origin": found.origin,
        "encoding": detection.and_then(|found| found.encoding),
        "second": detection.and_then(|found| found.second),
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
        () if found.uncertain().is_some() => "encoding not clear".into(),
        () if found.unsure => "language not clear".into(),
        () => Value::Null,
    };
    line["error"] = found.failure.as_ref().map_or(Value::Null, |failure| failure.error.as_str().into());
    line.to_string() + "\n"
}

fn three_digits(confidence: f32) -> f64 {
    (f64::from(confidence) * 1000.0).round() / 1000.0
}

/// A repair as an object with one field, whose name is the kind of repair.
fn repair_value(repair: Repair) -> Value {
    match repair {
        Repair::DoubleEncoded { through } => json!({"double_encoded": {"through": through}}),
        Repair::Mixed { with, lines } => json!({"mixed": {"with": with, "lines": lines}}),
    }
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
