//! SCOOP: one record per page, with its fields between delimiters.
//!
//! A left delimiter ends in `>`, a right one begins with `<`. They are searched for at the edges of what differs
//! between pages, and kept if most pages have them exactly once, at that position. A [`Wrapper`] consists only of
//! delimiters: it extracts the same fields from later pages.

use memchr::memmem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::align::NOWHERE;
use super::fit::LearnedTemplate;
use super::offsets::normalise;
use super::tokens::{Kind, Token, tokens};
use crate::document::Span;
use crate::error::{Error, Hint, Result};

/// The share of pages that must have a delimiter, once and at the right place.
const FREQUENT: f64 = 0.8;
/// The share of pages that must have something in a field.
const FILLED: f32 = 0.5;
/// How many different values a field must have, as a share of the pages.
const DISTINCT: f32 = 0.1;
/// The most tags that a delimiter is made of.
const MOST_TAGS: usize = 12;
/// The most pages that delimiters are tried on.
const MOST_PAGES: usize = 40;
/// Fields that have the same value on this share of the pages are one.
const SAME: f64 = 0.9;
/// What the file says it is.
const WHAT: &str = "wrapper of refrain";
/// The version of the layout.
const VERSION: u32 = 1;

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Its name: a label before it, or the name of its element.
    pub name: String,
    /// The text before it, on the normalised page.
    pub left: String,
    /// The text after it.
    pub right: String,
}

/// The delimiters of all fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wrapper {
    /// The fields, in the order of the page.
    pub fields: Vec<Field>,
}

/// A file of the delimiters of fields.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct SavedWrappers {
    /// What the file is.
    what: String,
    /// The version of the layout.
    version: u32,
    /// Wrappers, each a list of fields.
    wrappers: Vec<Vec<Field>>,
}

impl Wrapper {
    /// The fields of a page, taken from between their delimiters; `None` where a delimiter is missing.
    pub fn extract(&self, page: &str) -> Vec<Option<String>> {
        let page = normalise(page);
        self.fields.iter().map(|field| value(&page, field).map(|span| span.of(&page).trim().to_owned())).collect()
    }

    /// Wrappers as a file: one JSON object.
    pub fn to_bytes(wrappers: &[Wrapper]) -> Result<Vec<u8>> {
        let wrappers = wrappers.iter().map(|wrapper| wrapper.fields.clone()).collect();
        let file = SavedWrappers { what: WHAT.to_owned(), version: VERSION, wrappers };
        serde_json::to_vec_pretty(&file).map_err(|error| Error::Stream(error.into()))
    }

    /// Reads what [`Wrapper::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Vec<Wrapper>> {
        let file: SavedWrappers = serde_json::from_slice(bytes)
            .map_err(|error| Error::Refused(format!("not a wrapper file: {error}")).hint(write_one()))?;
        if file.what != WHAT || file.version != VERSION {
            return Err(Error::Refused(format!("not a wrapper file of version {VERSION}")).hint(write_one()));
        }
        if file.wrappers.iter().flatten().any(|field| field.left.is_empty() || field.right.is_empty()) {
            return Err(Error::Refused(
                "a field of the wrapper file has no delimiter; write both, left and right".into(),
            ));
        }
        let twice =
            |fields: &Vec<Field>| (1..fields.len()).find(|at| fields[..*at].iter().any(|f| f.name == fields[*at].name));
        if let Some((fields, at)) = file.wrappers.iter().find_map(|fields| Some((fields, twice(fields)?))) {
            return Err(Error::Refused(format!(
                "two fields of the wrapper file are called {}; give each a unique name",
                fields[at].name
            )));
        }
        Ok(file.wrappers.into_iter().map(|fields| Wrapper { fields }).collect())
    }

    /// The fields of pages that a template was learned from.
    pub(super) fn learn(template: &LearnedTemplate, texts: &[&str]) -> Wrapper {
        let step = texts.len().div_ceil(MOST_PAGES).max(1);
        let pages: Vec<String> = texts.iter().step_by(step).map(|text| normalise(text)).collect();
        let tokenised: Vec<Vec<Token>> = pages.iter().map(|page| tokens(page)).collect();
        let laid: Vec<Vec<u32>> = tokenised.iter().map(|page| template.lay(page)).collect();
        let mut fields: Vec<Field> = Vec::new();
        // The values of each field.
        let mut columns: Vec<Vec<Option<String>>> = Vec::new();
        let mut last_end: Vec<usize> = vec![0; pages.len()];
        for slot in slots(template) {
            let spans: Vec<Option<Span>> =
                (0..pages.len()).map(|page| slot_span(&pages[page], &tokenised[page], &laid[page], &slot)).collect();
            // Text that was part of the previous field is not used again.
            let fresh = |(page, span): (usize, &Option<Span>)| span.filter(|span| span.start >= last_end[page]);
            let spans: Vec<Option<Span>> = spans.iter().enumerate().map(fresh).collect();
            if let Some((left, right, model)) = delimiters(&pages, &spans) {
                let field = Field { name: name(&pages[model], &left, slot.main, &fields), left, right };
                let values: Vec<Option<String>> = pages.iter().map(|page| shown(page, &field)).collect();
                let known = |other: &Vec<Option<String>>| {
                    let same = other.iter().zip(&values).filter(|(a, b)| a == b).count();
                    same as f64 >= SAME * pages.len() as f64
                };
                if !slot.main && columns.iter().any(known) {
                    continue;
                }
                columns.push(values);
                for ((page, last), span) in pages.iter().zip(&mut last_end).zip(&spans) {
                    *last = value(page, &field).or(*span).map_or(*last, |span| span.end.max(*last));
                }
                fields.push(field);
            }
        }
        Wrapper { fields }
    }
}

/// The range of a field on a normalised page.
fn value(page: &str, field: &Field) -> Option<Span> {
    let start = memmem::find(page.as_bytes(), field.left.as_bytes())? + field.left.len();
    let end = start + memmem::find(&page.as_bytes()[start..], field.right.as_bytes())?;
    Some(Span::new(start, end))
}

/// The words of a field on a normalised page, without tags.
fn shown(page: &str, field: &Field) -> Option<String> {
    let html = value(page, field)?.of(page);
    let words = tokens(html).into_iter().filter(|token| token.kind.is_text());
    let words: Vec<&str> = words.map(|token| &html[token.start as usize..token.end as usize]).collect();
    Some(words.join(" "))
}

/// Gaps that make one field.
struct Slot {
    first: usize,
    last: usize,
    /// It is the main content.
    main: bool,
}

/// Where fields can be: gaps with text, and regions of content as a whole.
fn slots(template: &LearnedTemplate) -> Vec<Slot> {
    let backbone = &template.backbone;
    let labels = &template.labels;
    let mut slots: Vec<Slot> = Vec::new();
    let mut gap = 0;
    while gap < backbone.gaps.len() {
        let first = gap;
        while labels.pieces.get(gap) == Some(&true) {
            gap += 1;
        }
        let many = backbone.gaps[first..=gap]
            .iter()
            .any(|gap| gap.text + gap.link > 0.0 && gap.filled >= FILLED && gap.distinct >= DISTINCT);
        let kind = first.checked_sub(1).map(|before| backbone.pieces[before].kind);
        let in_text = kind.is_none_or(|kind| kind.is_text() || matches!(kind, Kind::End | Kind::Raw));
        if many && in_text {
            slots.push(Slot { first, last: gap, main: false });
        }
        gap += 1;
    }
    // The largest of those that hold content is the main content.
    let content = |slot: &Slot| labels.gaps[slot.first..=slot.last].contains(&true);
    let chars = |slot: &Slot| -> f32 { backbone.gaps[slot.first..=slot.last].iter().map(|gap| gap.chars).sum() };
    let largest = slots.iter_mut().filter(|slot| content(slot)).max_by(|a, b| chars(a).total_cmp(&chars(b)));
    if let Some(largest) = largest {
        largest.main = true;
    }
    slots
}

/// The range of a slot on a page, widened to the tags around it.
fn slot_span(page: &str, tokens: &[Token], laid: &[u32], slot: &Slot) -> Option<Span> {
    let before = match slot.first.checked_sub(1) {
        None => 0,
        Some(piece) => tokens[Some(laid[piece]).filter(|at| *at != NOWHERE)? as usize].end as usize,
    };
    let behind = match laid.get(slot.last) {
        None => page.len(),
        Some(at) => tokens[Some(*at).filter(|at| *at != NOWHERE)? as usize].start as usize,
    };
    let start = page.get(..before)?.rfind('>').map_or(0, |at| at + 1);
    let end = behind + page.get(behind..)?.find('<')?;
    (start <= end && start > 0).then_some(Span::new(start, end))
}

/// The shortest delimiters that most pages have around a field, and the page they were taken from.
#[allow(clippy::cast_sign_loss)] // a share of a count is not negative
fn delimiters(pages: &[String], spans: &[Option<Span>]) -> Option<(String, String, usize)> {
    let there: Vec<(usize, Span)> =
        spans.iter().enumerate().filter_map(|(page, span)| Some((page, (*span)?))).collect();
    let need = ((there.len() as f64 * FREQUENT).ceil() as usize).max(2);
    if there.len() * 2 < pages.len() {
        return None;
    }
    // A page in the middle of those that have it is as good as any.
    let (model, span) = *there.get(there.len() / 2)?;
    let page = &pages[model];
    let is_left = |left: &str| {
        let right_there = |(number, span): &&(usize, Span)| {
            let mut found = memmem::find_iter(pages[*number].as_bytes(), left.as_bytes());
            found.next() == Some(span.start.wrapping_sub(left.len())) && found.next().is_none()
        };
        there.iter().filter(right_there).count() >= need
    };
    let mut tags = page[..span.start].rmatch_indices('<').map(|(at, _)| at).take(MOST_TAGS);
    let left = tags.find(|at| is_left(&page[*at..span.start])).map(|at| page[at..span.start].to_owned())?;
    let is_right = |right: &str| {
        let right_there = |(number, span): &&(usize, Span)| {
            let rest = &pages[*number].as_bytes()[span.start..];
            memmem::find(rest, right.as_bytes()) == Some(span.len())
        };
        there.iter().filter(right_there).count() >= need
    };
    let mut tags = page[span.end..].match_indices('>').map(|(at, _)| span.end + at + 1).take(MOST_TAGS);
    let right = tags.find(|at| is_right(&page[span.end..*at])).map(|at| page[span.end..at].to_owned())?;
    Some((left, right, model))
}

/// A name for a field: what the left delimiter says in words, in an id or class, or its last tag.
fn name(page: &str, left: &str, main: bool, others: &[Field]) -> String {
    let at = page.find(left).unwrap_or_default();
    let tag_at = left.rfind('<').unwrap_or_default();
    let tag = &left[tag_at..];
    let tag_name: String = tag.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
    let said = if main {
        Some("content".to_owned())
    } else if matches!(tag_name.as_str(), "h1" | "title") {
        Some(if tag_name == "h1" { "headline".to_owned() } else { tag_name.clone() })
    } else {
        label_before(&page[..at + left.len()])
            .or_else(|| ["id", "itemprop", "class"].iter().find_map(|name| attribute(tag, name)))
    };
    let plain = |text: &str| -> String {
        let words: Vec<String> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        words.join("_").chars().take(40).collect()
    };
    let name = [said.as_deref().map(plain), Some(plain(&tag_name)), Some("field".to_owned())];
    let name = name.into_iter().flatten().find(|name| !name.is_empty()).unwrap_or_default();
    let taken = |name: &str| others.iter().any(|field| field.name == name);
    if !taken(&name) {
        return name;
    }
    // One of these is free, since there are fewer others.
    let numbered = (2..=others.len() + 2).map(|number| format!("{name}_{number}"));
    numbered.into_iter().find(|name| !taken(name)).unwrap_or_default()
}

/// Words before a field that end in a colon, separated from it by tags only.
fn label_before(before: &str) -> Option<String> {
    let mut rest = before;
    while let Some(open) = rest.strip_suffix('>').and_then(|rest| rest.rfind('<')) {
        rest = rest[..open].trim_end();
    }
    let label = rest.rsplit(['>', '<']).next()?.trim().strip_suffix(':')?.trim();
    (1..=40).contains(&label.chars().count()).then(|| label.to_owned())
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = tag.find(&format!(" {name}="))? + name.len() + 2;
    let rest = &tag[at..];
    let quote = rest.chars().next()?;
    let value = match quote {
        '"' | '\'' => rest[1..].split(quote).next()?,
        _ => rest.split([' ', '>']).next()?,
    };
    (!value.is_empty()).then(|| value.to_owned())
}

/// What to do about a file that is not a wrapper.
fn write_one() -> Hint {
    Hint::option("save_wrapper", "write one with `records` and `save_wrapper`")
}
