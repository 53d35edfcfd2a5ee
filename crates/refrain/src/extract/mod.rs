//! Extract: splits a web page into blocks and finds its main content.
//!
//! [`segment`] splits HTML into the blocks that browsers draw. An [`Extractor`] decides which of them are main content.
//! Its default is a learned method that examines each block, its neighbours and the elements around it
//! ([`ExtractMethod::Default`]). Alternatives are [`JusText`] and [`bte`], as published. [`Metadata`] holds the page's
//! title, author, date and so on. [`markdown`] and [`tei`] write the kept blocks with their headings, lists, tables and
//! links.

mod dates;
mod extractor;
mod features;
mod linked_data;
mod markdown;
mod metadata;
mod model;
mod names;
mod record;
pub(crate) mod segment;
mod shape;

pub(crate) mod tags;
mod tei;
pub(crate) mod tokens;
#[doc(hidden)]
pub mod training;
mod traits;

pub use crate::text::{StopList, stop_list, stop_list_languages};
pub use extractor::{
    Decision, DecisionRule, ExtractMethod, ExtractOptions, ExtractProfile, Extracted, Extractor, Workspace,
};
pub use markdown::{MarkdownOptions, markdown};
pub use metadata::Metadata;
#[doc(hidden)]
pub use model::ModelError;
pub use record::{BlockExplanation, BlockRecord, PageRecord, RecordOptions};
pub use segment::{ParsedPage, Segmentation, segment, segment_with};
pub(crate) use tei::XML_DECLARATION;
pub use tei::tei;

pub use crate::papers::bte::bte;
pub use crate::papers::justext::{Class, Classified, JusText, JusTextOptions};
