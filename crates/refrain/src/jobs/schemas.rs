//! JSON Schema of everything that refrain writes as JSON, from the types that are written.

use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::audit::{AuditReport, AuditVerdicts, VerdictLine};
use super::compare::CompareReport;
use super::convert::ConvertReport;
use super::corpus::{CorpusCheck, Manifest};
use super::decode::{DecodeReport, DecodedFile};
use super::decontaminate::DecontaminateReport;
use super::dedup::{Cluster, DedupCounts, DedupPlan, DedupReport, LostPassage};
use super::editions::EditionsReport;
use super::extract::{ExplainedBlock, ExtractReport, ExtractedLine};
use super::input::ListedLine;
use super::library::{AddReport, CheckReport, CheckedLine, ListedSource};
use super::quality::{JudgedLine, LearnedQuality, QualityReport};
use super::strip::{StripReport, StrippedBook};
use super::template::{PageRanges, TemplateReport, TemplateSummary, WrittenPage};
use super::why::WhyReport;
use crate::compare::LibraryNote;
use crate::error::Failure;
use crate::quality::QualityRules;
use crate::report::{AuditItem, ReportBundle, ReportText, WrittenBooks, WrittenPair, WrittenWork};
use crate::stats::Statistics;
use crate::template::{SavedTemplates, SavedWrappers};
use crate::write::{DatatroveDocument, DolmaDocument, RemovedLine, WrittenDocument};

/// The version of JSON Schema.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A format that refrain writes as JSON, with its schema.
///
/// ```
/// use refrain::jobs::OutputSchema;
///
/// let errors = OutputSchema::named("errors").expect("a format");
/// assert_eq!(errors.schema()["properties"]["input"]["type"], "string");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct OutputSchema {
    /// The name of the format.
    pub name: &'static str,
    /// The files that have the format, or what prints it.
    pub about: &'static str,
    /// Whether each line of a file is an object. If not, the file is one object.
    pub lines: bool,
    root: fn() -> Schema,
}

const fn object<T: JsonSchema>(name: &'static str, about: &'static str) -> OutputSchema {
    OutputSchema { name, about, lines: false, root: written::<T> }
}

const fn lines<T: JsonSchema>(name: &'static str, about: &'static str) -> OutputSchema {
    OutputSchema { name, about, lines: true, root: written::<T> }
}

fn written<T: JsonSchema>() -> Schema {
    generator(SchemaSettings::for_serialize).into_root_schema_for::<T>()
}

/// The schema of what refrain also reads: fields that have a default may be absent.
fn read<T: JsonSchema>() -> Schema {
    generator(SchemaSettings::for_deserialize).into_root_schema_for::<T>()
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    contract(SchemaSettings::draft2020_12()).into_generator()
}

impl OutputSchema {
    /// All formats, in the order of their names.
    pub const ALL: &[OutputSchema] = &[
        object::<AuditReport>("audit-report", "what `refrain audit` prints as JSON when it draws a sample"),
        lines::<AuditItem>("audit-sample", "`refrain audit -o FILE.jsonl`: removals that were drawn"),
        object::<AuditVerdicts>("audit-summary", "what `refrain audit` prints of verdicts as JSON"),
        OutputSchema {
            root: read::<VerdictLine>,
            ..lines::<VerdictLine>("audit-verdicts", "verdicts, as the page of `refrain audit` saves them")
        },
        lines::<WrittenPair<&str>>("compare-pairs", "`refrain compare -o FILE.jsonl`: pairs"),
        object::<CompareReport>("compare-report", "report of `refrain compare`"),
        lines::<ReportText<'static>>("compare-texts", "`texts.jsonl` in the folder of `refrain compare`"),
        object::<ConvertReport>("convert-report", "report of `refrain convert`"),
        object::<CorpusCheck>("corpus-verify", "what `refrain corpus` prints as JSON when it verifies corpora"),
        lines::<DatatroveDocument>("datatrove", "documents in the shape of datatrove"),
        lines::<DecodedFile<'static>>(
            "decode-files",
            "`report.jsonl` in the folder of `refrain decode`, and what it detects, as JSONL",
        ),
        object::<DecodeReport>("decode-report", "report of `refrain decode`"),
        object::<DecontaminateReport>("decontaminate-report", "report of `refrain decontaminate`"),
        lines::<Cluster>("dedup-clusters", "clusters of `refrain dedup`: kept documents with their copies"),
        object::<DedupCounts>("dedup-counts", "what `refrain dedup` prints as JSON when it only counts"),
        lines::<LostPassage<'static>>("dedup-lost", "lost passages of `refrain dedup`: they no longer occur anywhere"),
        object::<DedupPlan>("dedup-plan", "what `refrain dedup` prints of a plan as JSON"),
        object::<DedupReport>("dedup-report", "report of `refrain dedup`"),
        lines::<WrittenDocument<'static>>("documents", "documents as JSONL"),
        lines::<DolmaDocument>("dolma", "documents in the shape of Dolma"),
        lines::<WrittenBooks<'static>>("editions-pairs", "`pairs.jsonl` of `refrain editions`"),
        object::<EditionsReport>("editions-report", "report of `refrain editions`"),
        lines::<WrittenWork<'static>>("editions-works", "`works.jsonl` of `refrain editions`"),
        lines::<Failure>("errors", "`errors.jsonl` of a corpus, and failures of other verbs"),
        lines::<ExplainedBlock<'static>>("extract-blocks", "explanations of `refrain extract`, as JSONL"),
        lines::<ExtractedLine<'static>>("extract-records", "records of `refrain extract`, as JSONL"),
        object::<ExtractReport>("extract-report", "report of `refrain extract`"),
        object::<LibraryNote>("library", "`library.json` in the folder of a library"),
        object::<AddReport>("library-add-report", "report of `refrain library add`"),
        lines::<CheckedLine<'static>>("library-check", "results of `refrain library check`, as JSONL or JSON"),
        object::<CheckReport>("library-check-report", "report of `refrain library check`"),
        lines::<ListedSource<'static>>("library-sources", "what `refrain library list` prints as JSON"),
        lines::<ListedLine<'static>>("list", "what `refrain list` prints as JSON"),
        object::<Manifest>("manifest", "`manifest.json` of a corpus"),
        lines::<JudgedLine<'static>>("quality-explain", "explanations of `refrain quality`"),
        object::<LearnedQuality>("quality-learn-report", "report of `refrain quality` when it learns"),
        object::<QualityReport>("quality-report", "report of `refrain quality`"),
        OutputSchema {
            root: read::<QualityRules>,
            ..object::<QualityRules>("quality-rules", "rules that `refrain quality` learns and reads")
        },
        lines::<RemovedLine<'static>>("removed", "`removed/` of a corpus, and lists of removed ranges"),
        object::<ReportBundle<'static>>("report", "`report.json` in the folder of `refrain compare`"),
        object::<Statistics>("stats", "`stats.json` of a corpus, and what `refrain stats` prints as JSON"),
        lines::<StrippedBook<'static>>(
            "strip-books",
            "`report.jsonl` in the folder of `refrain strip`, and its explanations, as JSONL",
        ),
        object::<StripReport>("strip-report", "report of `refrain strip`"),
        lines::<WrittenPage<'static>>("template-pages", "`report.jsonl` in the folder of `refrain template`"),
        lines::<PageRanges<'static>>("template-ranges", "ranges of `refrain template`"),
        lines::<BTreeMap<String, Option<String>>>(
            "template-records",
            "records of `refrain template`, as JSONL: fields of pages",
        ),
        object::<TemplateReport>("template-report", "report of `refrain template`"),
        object::<SavedTemplates>("template-saved", "saved templates of `refrain template`"),
        object::<TemplateSummary<'static>>("template-summary", "what `refrain template` prints as JSON"),
        object::<SavedWrappers>("template-wrapper", "saved wrapper of `refrain template`: delimiters of fields"),
        object::<WhyReport>("why", "what `refrain why` prints as JSON"),
    ];

    /// The format with this name.
    pub fn named(name: &str) -> Option<&'static OutputSchema> {
        OutputSchema::ALL.iter().find(|format| format.name == name)
    }

    /// The JSON Schema (draft 2020-12) of the file, or of each of its lines.
    pub fn schema(&self) -> Value {
        let what = if self.lines { "Each line of: " } else { "" };
        let head = json!({"$schema": DRAFT, "title": self.name, "description": format!("{what}{}", self.about)});
        // The fields that say what it is come first.
        let (mut schema, derived) = (head, (self.root)().to_value());
        if let (Value::Object(fields), Value::Object(derived)) = (&mut schema, derived) {
            for (name, value) in derived {
                fields.entry(name).or_insert(value);
            }
        }
        without_links(&mut schema);
        schema
    }
}

/// Comments link to types of the library, which readers of a schema do not know.
fn without_links(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(without_links),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => *text = plain(text),
                    _ => without_links(value),
                }
            }
        }
        _ => {}
    }
}

/// A comment with ``[`name`](target)`` as `` `name` ``, and `null` for what Rust calls `None`.
fn plain(comment: &str) -> String {
    let mut rest = comment;
    let mut text = String::new();
    while let Some((before, link)) = rest.split_once("[`") {
        let Some((name, behind)) = link.split_once("`]") else { break };
        text.extend([before, "`", name, "`"]);
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    (text + rest).replace("`None`", "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_in_order_and_their_schemas_say_what_they_describe() {
        assert!(OutputSchema::ALL.is_sorted_by_key(|format| format.name));
        for format in OutputSchema::ALL {
            let schema = format.schema();
            assert_eq!(schema["$schema"], DRAFT, "{}", format.name);
            assert!(schema["description"].as_str().is_some_and(|text| text.contains(format.about)), "{}", format.name);
            assert!(!schema.to_string().contains("[`"), "{} links to a type", format.name);
        }
    }

    #[test]
    fn comments_lose_their_links() {
        assert_eq!(plain("[`a`](b::c) and [`d`] or `None`: [e]"), "`a` and `d` or null: [e]");
    }
}
