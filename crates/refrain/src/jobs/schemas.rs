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
        object::<AuditReport>("audit-report", "what `refrain audit --json` prints when it draws a sample"),
        lines::<AuditItem>("audit-sample", "`refrain audit -o FILE.jsonl`: removals that were drawn"),
        object::<AuditVerdicts>("audit-summary", "what `refrain audit --verdicts --json` prints"),
        OutputSchema {
            root: read::<VerdictLine>,
            ..lines::<VerdictLine>("audit-verdicts", "verdicts, as the page of `refrain audit` saves them")
        },
        lines::<WrittenPair<&str>>("compare-pairs", "`refrain compare -o FILE.jsonl`: pairs"),
        object::<CompareReport>("compare-report", "report of `refrain compare` (--report, --json)"),
        lines::<ReportText<'static>>("compare-texts", "`texts.jsonl` in the folder of `refrain compare`"),
        object::<ConvertReport>("convert-report", "report of `refrain convert` (--report, --json)"),
        object::<CorpusCheck>("corpus-verify", "what `refrain corpus --verify --json` prints"),
        lines::<DatatroveDocument>("datatrove", "documents in the shape of datatrove"),
        lines::<DecodedFile<'static>>(
            "decode-files",
            "`report.jsonl` in the folder of `refrain decode`, and `--detect --format jsonl`",
        ),
        object::<DecodeReport>("decode-report", "report of `refrain decode` (--report, --json)"),
        object::<DecontaminateReport>("decontaminate-report", "report of `refrain decontaminate` (--report, --json)"),
        lines::<Cluster>("dedup-clusters", "`refrain dedup --clusters`: kept documents with their copies"),
        object::<DedupCounts>("dedup-counts", "what `refrain dedup --count-only --json` prints"),
        lines::<LostPassage<'static>>("dedup-lost", "`refrain dedup --lost`: passages that no longer occur anywhere"),
        object::<DedupPlan>("dedup-plan", "what `refrain dedup --plan --json` prints"),
        object::<DedupReport>("dedup-report", "report of `refrain dedup` (--report, --json)"),
        lines::<WrittenDocument<'static>>("documents", "documents as JSONL"),
        lines::<DolmaDocument>("dolma", "documents in the shape of Dolma"),
        lines::<WrittenBooks<'static>>("editions-pairs", "`pairs.jsonl` of `refrain editions`"),
        object::<EditionsReport>("editions-report", "report of `refrain editions` (--report, --json)"),
        lines::<WrittenWork<'static>>("editions-works", "`works.jsonl` of `refrain editions`"),
        lines::<Failure>("errors", "`errors.jsonl` of a corpus, and `--errors FILE`"),
        lines::<ExplainedBlock<'static>>("extract-blocks", "`refrain extract --explain --format jsonl`"),
        lines::<ExtractedLine<'static>>("extract-records", "`refrain extract --format jsonl`"),
        object::<ExtractReport>("extract-report", "report of `refrain extract` (--report, --json)"),
        object::<LibraryNote>("library", "`library.json` in the folder of a library"),
        object::<AddReport>("library-add-report", "report of `refrain library add` (--report, --json)"),
        lines::<CheckedLine<'static>>(
            "library-check",
            "`refrain library check --format jsonl`, and what its `--json` prints",
        ),
        object::<CheckReport>("library-check-report", "report of `refrain library check` (--report)"),
        lines::<ListedSource<'static>>("library-sources", "what `refrain library list --json` prints"),
        lines::<ListedLine<'static>>("list", "what `refrain list --json` prints"),
        object::<Manifest>("manifest", "`manifest.json` of a corpus"),
        lines::<JudgedLine<'static>>("quality-explain", "`refrain quality --explain`"),
        object::<LearnedQuality>("quality-learn-report", "report of `refrain quality --learn` (--report, --json)"),
        object::<QualityReport>("quality-report", "report of `refrain quality` (--report, --json)"),
        OutputSchema {
            root: read::<QualityRules>,
            ..object::<QualityRules>(
                "quality-rules",
                "rules, as `refrain quality --learn` writes and `--quality` reads them",
            )
        },
        lines::<RemovedLine<'static>>("removed", "`removed/` of a corpus, and `--removed FILE`: removed ranges"),
        object::<ReportBundle<'static>>("report", "`report.json` in the folder of `refrain compare`"),
        object::<Statistics>("stats", "`stats.json` of a corpus, and what `refrain stats --json` prints"),
        lines::<StrippedBook<'static>>(
            "strip-books",
            "`report.jsonl` in the folder of `refrain strip`, and `--explain --format jsonl`",
        ),
        object::<StripReport>("strip-report", "report of `refrain strip` (--report, --json)"),
        lines::<WrittenPage<'static>>("template-pages", "`report.jsonl` in the folder of `refrain template`"),
        lines::<PageRanges<'static>>("template-ranges", "`refrain template --ranges`"),
        lines::<BTreeMap<String, Option<String>>>(
            "template-records",
            "`refrain template --records -o FILE.jsonl`: fields of pages",
        ),
        object::<TemplateReport>("template-report", "report of `refrain template` (--report)"),
        object::<SavedTemplates>("template-saved", "`refrain template --save`: templates"),
        object::<TemplateSummary<'static>>("template-summary", "what `refrain template --json` prints"),
        object::<SavedWrappers>("template-wrapper", "`refrain template --save-wrapper`: delimiters of fields"),
        object::<WhyReport>("why", "what `refrain why --json` prints"),
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
