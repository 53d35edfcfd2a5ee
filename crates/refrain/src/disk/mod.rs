//! Data on disk: each way to store it exists once, and every method uses it from here.

pub(crate) mod atomic;
pub(crate) mod partitions;
pub(crate) mod platform;
pub(crate) mod runs;
pub(crate) mod spilled;
