//! Drawn removals, and the page on which people judge them.

use serde::Serialize;
use serde_json::{Value, json};

/// A text in pieces; those that the other side has, too, are marked.
pub(crate) type Pieces = Vec<(String, bool)>;

/// A drawn removal as the page and the list show it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AuditItem {
    pub(crate) item: String,
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// The number of removals that it represents.
    pub(crate) weight: f64,
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) words: u64,
    pub(crate) sentence: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<String>,
    pub(crate) text: Pieces,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partner: Option<ShownPartner>,
}

/// The text that it was copied from.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownPartner {
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The benchmark, if it is an item of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) benchmark: Option<String>,
    pub(crate) is_named: bool,
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
