//! Structured data in a page's scripts: JSON-LD with the vocabulary of schema.org, as found in the wild.

use std::collections::HashMap;

use serde_json::Value;

use super::names::{LONGEST, names, tidy};

/// What an object of the data describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text of the page.
    Text,
    /// The page itself.
    Page,
    /// Something the page is about.
    Thing,
    Site,
    Other,
}

impl Role {
    pub(crate) fn of(kind: &str) -> Role {
        let kind = kind.rsplit(['/', '#', ':']).next().unwrap_or_default();
        match kind {
            "Recipe"
            | "HowTo"
            | "Report"
            | "ScholarlyArticle"
            | "Chapter"
            | "Review"
            | "CriticReview"
            | "QAPage"
            | "Question"
            | "MedicalScholarlyArticle" => Role::Text,
            "WebPage" | "AboutPage" | "FAQPage" | "ItemPage" | "ProfilePage" | "MedicalWebPage" | "ContactPage"
            | "CollectionPage" => Role::Page,
            "Product"
            | "Book"
            | "Event"
            | "Course"
            | "SoftwareApplication"
            | "VideoObject"
            | "JobPosting"
            | "Movie"
            | "Dataset"
            | "PodcastEpisode"
            | "Service"
            | "ProductGroup" => Role::Thing,
            "WebSite" => Role::Site,
            _ if kind.ends_with("Article") || kind.ends_with("Posting") => Role::Text,
            _ => Role::Other,
        }
    }
}

/// The type of an object; of several types, a text type if there is one, otherwise the first.
pub(crate) fn type_of(node: &Value) -> Option<&str> {
    match &node["@type"] {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let kinds = || kinds.iter().filter_map(Value::as_str);
            kinds().find(|kind| Role::of(kind) == Role::Text).or_else(|| kinds().next())
        }
        _ => None,
    }
}

/// The objects that describe the page, without those that they mention.
pub(crate) fn collect_nodes<'a>(value: &'a Value, nodes: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect_nodes(value, nodes)),
        Value::Object(object) => {
            nodes.push(value);
            let questions = type_of(value) == Some("FAQPage");
            for key in ["@graph", "mainEntity", "mainEntityOfPage"] {
                // The questions of an FAQ do not describe the page.
                if let Some(inner) = object.get(key).filter(|_| !questions) {
                    collect_nodes(inner, nodes);
                }
            }
        }
        _ => {}
    }
}

/// The object that a reference points to.
pub(crate) fn resolve<'a>(value: &'a Value, by_id: &HashMap<&str, &'a Value>) -> &'a Value {
    let value = if let Value::Array(values) = value { values.first().unwrap_or(value) } else { value };
    if value.get("name").is_some() {
        return value;
    }
    value["@id"].as_str().and_then(|id| by_id.get(id)).copied().unwrap_or(value)
}

/// The names of authors: a string, an object with a name, or a list of them.
pub(crate) fn names_in(value: &Value, by_id: &HashMap<&str, &Value>) -> Option<String> {
    const MOST: usize = 20;
    let one = |value: &Value| -> Option<String> {
        let value = resolve(value, by_id);
        let name = value.as_str().or_else(|| value["name"].as_str()).or_else(|| value["name"][0].as_str())?;
        names(&tidy(name, LONGEST))
    };
    match value {
        Value::Array(values) => {
            let mut found: Vec<String> = Vec::new();
            for name in values.iter().take(MOST).filter_map(one) {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            (!found.is_empty()).then(|| found.join(", "))
        }
        value => one(value),
    }
}

/// Parses handwritten JSON: inside comments or CDATA sections, with line breaks in strings, with surplus commas.
pub(crate) fn parse_leniently(script: &str) -> Option<Value> {
    let script = &script[script.find(['{', '['])?..];
    // The first `[` can be the one in `<![CDATA[`.
    let script =
        script.strip_prefix("[CDATA[").map_or(Some(script), |rest| rest.find(['{', '[']).map(|at| &rest[at..]))?;
    let first = |text: &str| serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok();
    first(script).or_else(|| first(&mended(script)))
}

/// JSON without control characters in strings, without commas before brackets, and without comments.
fn mended(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    let mut comma = false;
    for c in json.chars() {
        if in_string {
            mended.push(if c.is_control() { ' ' } else { c });
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        if comma && !c.is_whitespace() {
            if !matches!(c, '}' | ']' | ',') {
                mended.push(',');
            }
            comma = false;
        }
        match c {
            ',' => comma = true,
            _ => mended.push(c),
        }
        in_string = c == '"';
    }
    mended
}
