//! Quality: rules that remove documents and lines that are not worth keeping.
//!
//! A [`QualityRules`] limits what is [measured](QualityMeasure) of a text. The presets hold the published limits; a file can hold
//! others, and a [`Reference`] learns limits for a language. A [`QualityFilter`] applies sets of rules to documents, and removes
//! those of [blocked hosts](BlockedHosts). [`personal_data`] finds what is to be masked.

mod exceptions;
mod filter;
mod hosts;
mod learn;
mod lines;
mod mask;
mod measure;
pub mod presets;
mod repetition;
mod rules;
mod words;

pub use filter::QualityFilter;
pub use hosts::BlockedHosts;
pub use learn::{Reference, ReferenceDocument};
pub use lines::{LineRemoval, LineRules, LineVerdicts};
pub use mask::{Mask, PersonalData, personal_data};
pub use measure::{MeasuredText, QualityMeasure};
pub use presets::PRESETS;
pub(crate) use rules::rounded;
pub use rules::{BrokenRule, QualityRules};
pub use words::{count_sentences, words};

/// The name of the pass that removes documents and lines.
pub const PASS: &str = "quality";
/// The name of the pass that removes the documents of hosts.
pub const HOSTS_PASS: &str = "hosts";
/// The name of the pass that masks personal data.
pub const MASK_PASS: &str = "mask";
