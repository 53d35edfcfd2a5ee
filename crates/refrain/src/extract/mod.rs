//! Extract: the blocks of a web page, and which of them are its main content.
//!
//! [`segment`] turns HTML into a document whose blocks are what browsers draw as blocks. [`JusText`] classifies them as
//! published by Pomikálek (2011): first each block by itself, then the doubtful ones by their neighbours.

mod justext;
mod segment;
mod stoplists;
mod tags;
mod tokens;
mod traits;

pub use justext::{Class, Classified, JusText, JusTextOptions};
pub use segment::{Page, Segmentation, segment};
pub use stoplists::{StopList, stop_list, stop_list_languages};
