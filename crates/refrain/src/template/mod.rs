//! What the pages of a site share, and what is left: their content.
//!
//! Pages from one template have the same text and markup around what differs. [`PageSample`] collects pages,
//! [`PageSample::conclude`] separates sites and learns a template for each, and [`Templates::find`] finds the content
//! of a page. Templates can be saved and used for later pages. A [`Wrapper`] extracts fields from pages by the text
//! around them, and [`findoptimal`] is the published method that all of this is based on.
//!
//! No word list, no language and no name of an element is needed, but for links, scripts and headings of the first level. The
//! method is described in `docs/algorithms/template.md`.
//!
//! ```
//! use refrain::Position;
//! use refrain::template::{TemplateMatch, TemplatePage, PageSample};
//!
//! let page = |text: &str| format!("<body><ul><li><a href=/>Home</a></ul><div id=text>{text}</div><p>All rights reserved</p>");
//! let texts = ["The lamp is lit at dusk.", "Gulls sleep on the gallery.", "In spring the lens is polished."];
//! let mut sample = PageSample::default();
//! for (record, text) in (0..).zip(texts) {
//!     sample.observe(TemplatePage { position: Position { input: 0, record }, key: "", text: &page(text) });
//! }
//! let new = page("A boat brings oil once a month.");
//! let TemplateMatch::Page(_, fit) = sample.conclude().find("", &new) else { panic!("its template is known") };
//! let content: Vec<&str> = fit.content.iter().map(|span| span.of(&new)).collect();
//! assert_eq!(content, ["A boat brings oil once a month."]);
//! ```

mod align;
mod backbone;
mod file;
mod fit;
mod label;
mod learn;
mod offsets;
mod parameters;
mod records;
mod separate;
mod tokens;

/// The name that marks of templates carry.
pub(crate) const PASS: &str = "template";

pub(crate) use file::SavedTemplates;
pub use fit::{Fit, LearnedTemplate};
pub(crate) use learn::LEAST_PAGES;
pub use learn::{PageSample, SiteTemplates, TemplateMatch, TemplatePage, Templates};
#[doc(hidden)]
pub use offsets::{normalise, normalised_ranges};
#[doc(hidden)]
pub use parameters::Parameters;
pub(crate) use records::SavedWrappers;
pub use records::{Field, Wrapper};

#[cfg(feature = "papers")]
pub use crate::papers::findoptimal;
