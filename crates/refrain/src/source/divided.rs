//! XML files of many documents, divided at the tags around each: one of them is in memory at a time, and a damaged one costs
//! one document.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use super::compress::DamagedMember;
use super::{At, Emitter, describe, too_large};
use crate::error::{Hint, Place};

/// How a file is divided.
pub(super) struct Division {
    /// What a document begins with, and ends with.
    pub(super) begin: &'static [u8],
    pub(super) end: &'static [u8],
    /// What a document is called.
    pub(super) what: &'static str,
}

/// No honest header of a file is longer.
const MAX_HEADER: u64 = 1 << 20;

/// Passes on each document with the header of the file, which is all before the first one, and its number.
pub(super) fn read(
    at: &At<'_>,
    mut reader: Box<dyn BufRead + '_>,
    division: &Division,
    out: &mut Emitter<'_>,
    mut meet: impl FnMut(&[u8], &[u8], u64, &mut Emitter<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let limit = at.options().max_document;
    let mut header: Option<Vec<u8>> = None;
    let (mut number, mut piece) = (0, Vec::new());
    loop {
        let fail = |error: String| at.failure(error).place(Place::Record(number + 1));
        let mut between = Vec::new();
        let most = if header.is_none() { MAX_HEADER } else { 0 };
        match read_until(&mut reader, division.begin, &mut between, most) {
            Ok(Until::Found { .. }) => header = header.or(Some(between)),
            Ok(Until::End) if number == 0 => {
                return out.failed(at.failure(format!("no {} in this file", division.what)));
            }
            Ok(Until::End) => return ControlFlow::Continue(()),
            Err(error) => {
                out.failed(fail(describe(&error)))?;
                if DamagedMember::is(&error) {
                    number += 1;
                    continue;
                }
                return ControlFlow::Continue(());
            }
        }
        piece.clear();
        piece.extend_from_slice(division.begin);
        match read_until(&mut reader, division.end, &mut piece, limit) {
            Ok(Until::Found { whole: true }) if !out.wants_next() => out.pass_over()?,
            Ok(Until::Found { whole: true }) => meet(header.as_deref().unwrap_or_default(), &piece, number + 1, out)?,
            Ok(Until::Found { whole: false }) => out.failed(fail(too_large(limit)).hint(Hint::max_document()))?,
            Ok(Until::End) => {
                let failure = fail(format!("cut off in the middle of a {}", division.what));
                return out.failed(failure.hint("check that the file is complete"));
            }
            Err(error) => {
                out.failed(fail(describe(&error)))?;
                if !DamagedMember::is(&error) {
                    return ControlFlow::Continue(());
                }
            }
        }
        number += 1;
    }
}

/// How reading up to a mark ended.
enum Until {
    /// With the mark. All before it was kept, unless it was too long.
    Found { whole: bool },
    /// With the end of the data.
    End,
}

/// Reads up to the next mark, and appends what comes before it and the mark. Of more bytes than `limit`, none are kept.
fn read_until(reader: &mut dyn BufRead, mark: &[u8], into: &mut Vec<u8>, limit: u64) -> io::Result<Until> {
    let finder = memchr::memmem::Finder::new(mark);
    let start = into.len();
    let mut whole = true;
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(Until::End);
        }
        // The mark may have begun in what was read before.
        let (before, from) = (into.len(), into.len().saturating_sub(mark.len() - 1).max(start));
        let used = available.len();
        into.extend_from_slice(available);
        let found = finder.find(&into[from..]).map(|at| from + at + mark.len());
        reader.consume(found.map_or(used, |end| end - before));
        if let Some(end) = found {
            into.truncate(end);
        }
        if into.len() as u64 > limit {
            whole = false;
            into.drain(start..into.len() - (mark.len() - 1).min(into.len() - start));
            into.shrink_to(MAX_HEADER as usize);
        }
        if found.is_some() {
            return Ok(Until::Found { whole });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_across_buffers_and_long_text_is_dropped() {
        for size in 1..9 {
            let mut reader = io::BufReader::with_capacity(size, &b"ab<pa<page>cdefghijklmn</page>rest<page"[..]);
            let mut kept = Vec::new();
            assert!(matches!(read_until(&mut reader, b"<page>", &mut kept, 100), Ok(Until::Found { whole: true })));
            assert_eq!(kept, b"ab<pa<page>", "{size}");
            assert!(matches!(read_until(&mut reader, b"</page>", &mut kept, 20), Ok(Until::Found { whole: false })));
            assert!(kept.len() <= 20, "{size}");
            assert!(matches!(read_until(&mut reader, b"<page>", &mut Vec::new(), 100), Ok(Until::End)));
        }
    }
}
