//! Parquet tables: one row, one document.

use std::fmt::Display;
use std::ops::ControlFlow;

use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::arrow::Rows;
use super::guard::guarded;
use super::sample::Part;
use super::store::Bytewise;
use super::{At, Emitter};
use crate::error::Place;

/// Rows at a time: few, because a row may hold a whole book.
const BATCH_ROWS: usize = 16;

pub(super) fn read(at: &At<'_>, file: Bytewise, part: Option<&Part>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    // The Arrow schema that some writers embed is not needed, and must not be believed.
    let reading = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = match attempt(|| ParquetRecordBatchReaderBuilder::try_new_with_options(file, reading)) {
        Ok(builder) => builder.with_batch_size(BATCH_ROWS),
        Err(error) => return out.failed(at.failure(format!("not a readable Parquet file: {error}"))),
    };
    let mut rows = match Rows::of(at, builder.schema(), false) {
        Ok(rows) => rows,
        Err(failure) => return out.failed(*failure),
    };
    let builder = match part {
        Some(part) => {
            let part = part.rows(u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or_default());
            builder.with_offset(part.start as usize).with_limit((part.end - part.start) as usize)
        }
        None => builder,
    };
    let mut reader = match attempt(|| builder.build()) {
        Ok(reader) => reader,
        Err(error) => return out.failed(at.failure(format!("not a readable Parquet file: {error}"))),
    };
    loop {
        let batch = match attempt(|| reader.next().transpose()) {
            Ok(Some(batch)) => batch,
            Ok(None) => return ControlFlow::Continue(()),
            Err(error) => {
                let failure = at.failure(format!("damaged Parquet data: {error}"));
                return out.failed(failure.place(Place::Row(rows.number() + 1)));
            }
        };
        rows.emit(&batch, out)?;
    }
}

/// Runs a step of the Parquet library, which panics on some damaged files. Nothing is used after a step that failed.
fn attempt<T, E: Display>(step: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match guarded(step) {
        Some(result) => result.map_err(|error| error.to_string()),
        None => Err("damaged".into()),
    }
}
