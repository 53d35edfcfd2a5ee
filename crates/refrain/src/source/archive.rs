//! Zip and tar: every member is read like a separate file. Member names are only names: nothing is ever extracted to a
//! path.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek};
use std::ops::ControlFlow;

use zip::ZipReadOptions;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

use super::compress::{Metered, RAISE_EXPANSION, Whole};
use super::sample::Part;
use super::store::Bytewise;
use super::{At, Emitter, InputFormat, describe, office, sparse};
use crate::error::Hint;

/// Folders and files that operating systems add to archives, and hidden files: skipped as in folders.
fn is_hidden(name: &str) -> bool {
    name.split(['/', '\\']).any(|part| part == "__MACOSX" || (part.starts_with('.') && part != "." && part != ".."))
}

pub(super) fn read_zip(at: &At<'_>, file: Bytewise, part: Option<&Part>, out: &mut Emitter<'_>) -> ControlFlow<()> {
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
    // The archive as such knows only the last of several members with the same name, and members are often added again.
    let all = ZipIterable::try_new(archive.into_inner(), zip::read::Config::default());
    let mut all = match all {
        Ok(all) => all,
        Err(error) => return out.failed(at.failure(describe_zip(&error))),
    };
    let members = match all.files() {
        Ok(members) => members,
        Err(error) => return out.failed(at.failure(describe_zip(&error))),
    };
    let mut names = Names::default();
    let (mut number, mut position) = (0, 0);
    while let Some(member) = members.next() {
        number += 1;
        let member = match member {
            Ok(member) => member,
            // The position of the next one is unknown.
            Err(error) => return out.failed(at.inside(&format!("member {number}")).failure(describe_zip(&error))),
        };
        let begin = position;
        position += member.compressed_size();
        if part.is_some_and(|part| !part.contains(begin)) {
            continue;
        }
        let name = member.name().map_or_else(|_| format!("member {number}"), Cow::into_owned);
        if member.is_dir() || is_hidden(&name) {
            continue;
        }
        let inside = at.inside(&names.of_its_own(name));
        // The sizes in the archive's directory can be wrong, so the stream is metered, too.
        if !at.allowance.covers(member.size()) {
            let error = "expands beyond the limit: a zip bomb?";
            out.failed(inside.failure(error).hint(Hint::option("max_expansion", RAISE_EXPANSION)))?;
            continue;
        }
        let content = match member.with_reader(members.reader_mut(), ZipReadOptions::new()) {
            Ok(content) => content,
            Err(error) => {
                out.failed(inside.failure(describe_zip(&error)))?;
                continue;
            }
        };
        let metered = Metered::new(content, &inside.allowance);
        inside.read_stream(Box::new(BufReader::with_capacity(64 << 10, metered)), out)?;
    }
    ControlFlow::Continue(())
}

/// Gives each member of an archive a name of its own, because ids are made from it: the second `notes.txt` is
/// `notes (2).txt`.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn of_its_own(&mut self, name: String) -> String {
        let Some(&met) = self.0.get(&name) else {
            self.0.insert(name.clone(), 1);
            return name;
        };
        let (folder, file) = name.rfind(['/', '\\']).map_or(("", name.as_str()), |at| name.split_at(at + 1));
        let (stem, extension) = file.find('.').map_or((file, ""), |at| file.split_at(at));
        let mut number = met;
        let own = loop {
            number = number.saturating_add(1);
            let own = format!("{folder}{stem} ({number}){extension}");
            if number == u32::MAX || !self.0.contains_key(&own) {
                break own;
            }
        };
        self.0.insert(own.clone(), 1);
        self.0.insert(name, number);
        own
    }
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
        let mut entry = match entry {
            Ok(entry) => entry,
            // The position of the next header is unknown after a bad one.
            Err(error) => {
                return out.failed(at.failure(format!("damaged tar archive after {members} members: {error}")));
            }
        };
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() || is_hidden(&name) {
            continue;
        }
        let (name, map) = match sparse::map_of(&mut entry, name) {
            Ok(found) => found,
            Err((name, error)) => {
                let error = format!("damaged map of a sparse file: {}", describe(&error));
                out.failed(at.inside(&name).failure(error))?;
                continue;
            }
        };
        let inside = at.inside(&name);
        if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
            let reason = if kind.is_symlink() || kind.is_hard_link() { "link" } else { "special file" };
            out.skipped(inside.origin(), reason)?;
            continue;
        }
        let cut_off = Cell::new(false);
        // A sparse file is larger than what the archive holds of it: its holes are metered, too.
        let content: Box<dyn Read + '_> = match map {
            Some(map) => {
                let held = Whole::new(entry, map.held(), &cut_off);
                Box::new(Metered::new(map.expand(held), &inside.allowance))
            }
            None if kind.is_gnu_sparse() => {
                let size = entry.size();
                Box::new(Metered::new(Whole::new(entry, size, &cut_off), &inside.allowance))
            }
            None => {
                let size = entry.size();
                Box::new(Whole::new(entry, size, &cut_off))
            }
        };
        inside.read_stream(Box::new(BufReader::with_capacity(64 << 10, content)), out)?;
        if cut_off.get() {
            break; // the member's failure reports it
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_get_names_of_their_own() {
        let mut names = Names::default();
        let given = ["a/b.tar.gz", "a/b (2).tar.gz", "a/b.tar.gz", "a/b.tar.gz", "c.d/e", "c.d/e", "a/b (2).tar.gz"];
        let own = given.map(|name| names.of_its_own(name.to_owned()));
        assert_eq!(own[..3], ["a/b.tar.gz", "a/b (2).tar.gz", "a/b (3).tar.gz"]);
        assert_eq!(own[3..], ["a/b (4).tar.gz", "c.d/e", "c.d/e (2)", "a/b (2) (2).tar.gz"]);
    }
}
