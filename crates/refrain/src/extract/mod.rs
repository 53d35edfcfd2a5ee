//! Extract: the blocks of a web page, and which of them are its main content.
//!
//! [`segment`] turns HTML into blocks: what browsers draw as blocks. An [`Extractor`] says which of them are main content:
//! by a learned method that looks at each block, its neighbours and the elements around it ([`ExtractMethod::Default`]), or by
//! [`JusText`] and [`bte`], as they were published. [`Metadata`] is what the page says about itself; [`markdown`] and
//! [`tei`] write the blocks that are kept with their headings, lists, tables and links.

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
mod stoplists;
pub(crate) mod tags;
mod tei;
pub(crate) mod tokens;
#[doc(hidden)]
pub mod training;
mod traits;

pub use extractor::{
    Decision, DecisionRule, ExtractMethod, ExtractOptions, ExtractProfile, Extracted, Extractor, Workspace,
};
pub use markdown::{MarkdownOptions, markdown};
pub use metadata::Metadata;
pub use model::ModelError;
pub use record::RecordOptions;
pub use segment::{ParsedPage, Segmentation, segment, segment_with};
pub use stoplists::{StopList, stop_list, stop_list_languages};
pub use tei::{XML_DECLARATION, tei};

pub use crate::papers::bte::bte;
pub use crate::papers::justext::{Class, Classified, JusText, JusTextOptions};
