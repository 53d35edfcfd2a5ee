//! The file format of templates: saved evidence for later use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backbone::{Backbone, Gap, Piece};
use super::fit::LearnedTemplate;
use super::label::Labels;
use super::learn::Templates;
use super::parameters::Parameters;
use super::tokens::Kind;
use crate::error::{Error, Hint, Result};

/// The identification of the file.
const WHAT: &str = "templates of refrain";
/// The version of the layout.
const VERSION: u32 = 1;

/// A file of templates.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SavedTemplates {
    /// What the file is.
    what: String,
    /// The version of the layout.
    version: u32,
    /// The number of pages seen.
    pages: u64,
    /// The templates.
    #[serde(default)]
    templates: Vec<Saved>,
}

/// Only the first fields, to distinguish a file of another version from an unrelated file.
#[derive(Deserialize)]
struct Head {
    what: String,
    version: u32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Saved {
    /// The host or folder of its pages, or nothing.
    key: String,
    /// The number of different pages that it was learned from.
    pages: usize,
    /// The share of these that fit.
    fitted: f32,
    /// Hashes by which a page finds its template.
    core: Vec<u64>,
    /// Hash, hash of the name, kind, characters, share of pages, whether it is content.
    pieces: Vec<(u64, u64, u8, u16, f32, bool)>,
    /// What is between the pieces, and whether it is content.
    gaps: Vec<(Gap, bool)>,
}

const LEARN_AGAIN: &str = "learn them again with `save`";

fn refused(message: impl Into<String>, advice: &'static str) -> Error {
    Error::Refused(message.into()).hint(Hint::option("save", advice))
}

impl Templates {
    /// The templates as a file: one JSON object.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let templates = self.all.iter().map(saved).collect();
        let file = SavedTemplates { what: WHAT.to_owned(), version: VERSION, pages: self.observed, templates };
        serde_json::to_vec(&file).map_err(|error| Error::Stream(error.into()))
    }

    /// Reads what [`Templates::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Templates> {
        let head: Head =
            serde_json::from_slice(bytes).map_err(|_| refused("not a file of templates", "write one with `save`"))?;
        if head.what != WHAT {
            return Err(refused("not a file of templates", "write one with `save`"));
        }
        if head.version != VERSION {
            let version = head.version;
            let message = format!("the templates are of version {version}, but this refrain reads version {VERSION}");
            return Err(refused(message, LEARN_AGAIN));
        }
        let file: SavedTemplates = serde_json::from_slice(bytes)
            .map_err(|error| refused(format!("the templates are damaged: {error}"), LEARN_AGAIN))?;
        let templates: Option<Vec<LearnedTemplate>> = file.templates.into_iter().map(template).collect();
        let templates = templates.ok_or_else(|| refused("the templates are damaged", LEARN_AGAIN))?;
        Ok(Templates::new(file.pages, templates, Parameters::default()))
    }
}

fn saved(template: &LearnedTemplate) -> Saved {
    let labels = &template.labels;
    let pieces = template.backbone.pieces.iter().zip(&labels.pieces);
    Saved {
        key: template.key.clone(),
        pages: template.pages,
        fitted: template.fitted,
        core: template.core.clone(),
        pieces: pieces.map(|(p, content)| (p.hash, p.name, p.kind.number(), p.chars, p.share, *content)).collect(),
        gaps: template.backbone.gaps.iter().copied().zip(labels.gaps.iter().copied()).collect(),
    }
}

/// `None` if its parts are inconsistent.
fn template(saved: Saved) -> Option<LearnedTemplate> {
    if saved.gaps.len() != saved.pieces.len() + 1 {
        return None;
    }
    let mut backbone = Backbone::default();
    let mut labels = Labels::default();
    for (hash, name, kind, chars, share, content) in saved.pieces {
        backbone.pieces.push(Piece { hash, name, kind: Kind::of_number(kind)?, chars, share });
        labels.pieces.push(content);
    }
    for (gap, content) in saved.gaps {
        backbone.gaps.push(gap);
        labels.gaps.push(content);
    }
    let mut template =
        LearnedTemplate::new(saved.key, saved.pages, saved.core, backbone, labels, Parameters::default());
    template.fitted = saved.fitted;
    Some(template)
}
