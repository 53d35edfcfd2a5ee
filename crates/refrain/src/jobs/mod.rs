//! Jobs: one for each verb of the command line, with the same defaults, the same bytes out and the same errors.
//!
//! A job is a plain struct whose `Default` holds every default. Its `run` takes an [`Input`] (files, or documents in memory),
//! [`Outputs`] (files, or memory) and a [`Run`](crate::Run) (threads, memory, progress, stop), and returns a typed report.

mod convert;
mod dedup;
mod extract;
mod failures;
mod input;
mod outputs;

pub use convert::{Convert, ConvertReport};
pub use dedup::{Dedup, DedupReport, Keep, NgramReport, RepeatedPassage, Totals};
pub use extract::{Extract, ExtractReport, ExtractedPage};
pub use failures::Failures;
pub use input::Input;
pub use outputs::{Memory, Output, Outputs, is_folder};
