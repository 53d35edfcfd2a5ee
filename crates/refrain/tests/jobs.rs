//! Every job of the library: files and memory give the same documents, and files the same bytes as the command line.

#[path = "jobs/compare.rs"]
mod compare;
#[path = "jobs/decode.rs"]
mod decode;
#[path = "jobs/dedup.rs"]
mod dedup;
#[path = "jobs/strip.rs"]
mod strip;
