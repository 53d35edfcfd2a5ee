//! Drawn removals, and the page on which people judge them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// A text in pieces; those that the other side has, too, are marked.
pub(crate) type Pieces = Vec<(String, bool)>;

/// A drawn removal as the page and the list show it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AuditItem {
    /// Its name: id, range and pass.
    pub(crate) item: String,
    /// The pass, and how it found the range.
    pub(crate) rule: String,
    /// How much of it was copied, or how likely it is content; absent if the rule has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// The number of removals that it represents.
    pub(crate) weight: f64,
    /// Id of the document.
    pub(crate) id: String,
    /// Its address, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// Where the range starts.
    pub(crate) start: usize,
    /// Where the range ends; the end is exclusive.
    pub(crate) end: usize,
    /// Its words.
    pub(crate) words: u64,
    /// Why it was removed, in words.
    pub(crate) sentence: String,
    /// Id of the document that it was copied from, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    /// In the list, a plain text.
    #[schemars(with = "String")]
    pub(crate) text: Pieces,
    /// The text that it was copied from, if the output holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partner: Option<ShownPartner>,
}

/// The text that it was copied from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ShownPartner {
    /// Id of its document.
    pub(crate) id: String,
    /// Its address, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The benchmark, if it is an item of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) benchmark: Option<String>,
    /// False if the words were found in another document than the one that the reason names.
    pub(crate) is_named: bool,
    /// In the list, a plain text.
    #[schemars(with = "String")]
    pub(crate) text: Pieces,
}

impl AuditItem {
    /// The item as a line of the list, with plain texts.
    pub(crate) fn line(&self) -> Value {
        let plain = |pieces: &Pieces| pieces.iter().map(|(piece, _)| piece.as_str()).collect::<String>();
        let mut line = json!(self);
        line["text"] = plain(&self.text).into();
        if let Some(partner) = &self.partner {
            line["partner"]["text"] = plain(&partner.text).into();
        }
        line
    }
}

/// The page without the items.
const PAGE: &str = include_str!("audit.html");

/// The page: one file that needs no other. `<` is escaped, so that no text can end the script that contains it.
pub(crate) fn audit_page(audit: &Value) -> String {
    PAGE.replacen("/*AUDIT*/null", &audit.to_string().replace('<', "\\u003c"), 1)
}
