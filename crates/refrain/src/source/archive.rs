//! Zip and tar: every member is read like a separate file. Member names are only names: nothing is ever extracted to a
//! path.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::ops::ControlFlow;

use zip::result::ZipError;

use super::compress::{Metered, RAISE_EXPANSION, Whole};
use super::{At, Emitter, InputFormat, describe, office};
use crate::error::Hint;

/// Folders and files that operating systems add to archives, and hidden files: skipped as in folders.
fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| part == "__MACOSX" || (part.starts_with('.') && part != "." && part != ".."))
}

pub(super) fn read_zip(at: &At<'_>, file: File, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut archive = match zip::ZipArchive::new(BufReader::new(file)) {
        Ok(archive) => archive,
        Err(error) => {
            let error = match office::claimed(at.name()) {
                Some(format) => {
                    format!("damaged {format} file: the list of parts at its end cannot be read")
                }
                None => describe_zip(&error),
            };
            return out.failed(at.failure(error).hint("check that the archive is complete"));
        }
    };
    // A forced zip format means its members.
    if at.forced != Some(InputFormat::Zip) {
        match office::of_zip(&mut archive) {
            None => {}
            Some(office::Found::Other(what)) => return at.binary(what, out),
            Some(office::Found::Document(packing)) => {
                let mut file = archive.into_inner();
                return match file.rewind() {
                    Ok(()) => office::read(at, packing, file, out),
                    Err(error) => out.failed(at.failure(describe(&error))),
                };
            }
        }
    }
    if archive.is_empty() {
        return out.failed(at.failure("empty archive"));
    }
    for index in 0..archive.len() {
        let name = match archive.name_for_index(index) {
            Some(Ok(name)) => name.into_owned(),
            _ => format!("member {}", index + 1),
        };
        let member = match archive.by_index(index) {
            Ok(member) => member,
            Err(error) => {
                out.failed(at.inside(&name).failure(describe_zip(&error)))?;
                continue;
            }
        };
        if member.is_dir() || is_hidden(&name) {
            continue;
        }
        let inside = at.inside(&name);
        // The sizes in the archive's directory can be wrong, so the stream is metered, too.
        if !at.allowance.covers(member.size()) {
            let error = "expands beyond the limit: a zip bomb?";
            out.failed(inside.failure(error).hint(Hint::option("max_expansion", RAISE_EXPANSION)))?;
            continue;
        }
        let metered = Metered::new(member, &inside.allowance);
        inside.read_stream(Box::new(BufReader::with_capacity(64 << 10, metered)), out)?;
    }
    ControlFlow::Continue(())
}

fn describe_zip(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => describe(error),
        ZipError::UnsupportedArchive(what) if *what == ZipError::PASSWORD_REQUIRED => "encrypted".into(),
        error => error.to_string(),
    }
}

pub(super) fn read_tar(at: &At<'_>, reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let mut archive = tar::Archive::new(reader);
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return out.failed(at.failure(describe(&error))),
    };
    for (members, entry) in entries.enumerate() {
        let entry = match entry {
            Ok(entry) => entry,
            // The position of the next header is unknown after a bad one.
            Err(error) => {
                return out.failed(at.failure(format!("damaged tar archive after {members} members: {error}")));
            }
        };
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !entry.header().entry_type().is_file() || is_hidden(&name) {
            continue;
        }
        let size = entry.size();
        let cut_off = Cell::new(false);
        let whole = Whole::new(entry, size, &cut_off);
        at.inside(&name).read_stream(Box::new(BufReader::with_capacity(64 << 10, whole)), out)?;
        if cut_off.get() {
            break; // the member's failure reports it
        }
    }
    ControlFlow::Continue(())
}
