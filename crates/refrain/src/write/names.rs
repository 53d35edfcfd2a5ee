//! The paths of texts in the output folder.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use crate::source::{InputFile, InputFiles};

/// The name of what came through a pipe, and how it ends.
const PIPED: (&str, &str) = ("standard-input", ".txt");

/// Names relative to the input folder. If there are several inputs, or files, names are relative to their common
/// folder, so that no two files get the same name.
pub(crate) struct Names {
    common: PathBuf,
    /// The folder that relative paths start from, looked up only once.
    current: PathBuf,
    /// The name of what came through a pipe: one that no file has.
    piped: PathBuf,
}

impl Names {
    /// Names for these inputs, which were found under the names that the user gave.
    pub(crate) fn new(named: &[String], inputs: &InputFiles) -> Names {
        let current = std::env::current_dir().unwrap_or_default();
        let folders = named.iter().map(Path::new).filter(|path| path.is_dir()).map(|path| plain(&current, path));
        // Files of one folder are consecutive.
        let mut parents: Vec<&Path> =
            inputs.iter().filter(|input| !input.is_stdin()).filter_map(|input| input.path.parent()).collect();
        parents.dedup();
        let parents = parents.into_iter().map(|parent| plain(&current, parent));
        let common = folders.chain(parents).reduce(|one, other| shared(&one, &other)).unwrap_or_default();
        let mut made = Names { common, current, piped: PathBuf::new() };
        if inputs.iter().any(InputFile::is_stdin) {
            let taken: HashSet<PathBuf> = inputs.iter().map(|input| made.of(input)).collect();
            let (name, end) = PIPED;
            let other = (2..).map(|number| format!("{name}-{number}{end}"));
            let mut free = std::iter::once(format!("{name}{end}")).chain(other).map(PathBuf::from);
            made.piped = free.find(|name| !taken.contains(name)).unwrap_or_default();
        }
        made
    }

    /// The path of a text under the output folder; it never leads out of it.
    pub(crate) fn of(&self, input: &InputFile) -> PathBuf {
        if input.is_stdin() {
            return self.piped.clone();
        }
        let path = plain(&self.current, &input.path);
        match path.strip_prefix(&self.common) {
            Ok(inner) => inner.to_owned(),
            Err(_) => path.components().filter(|part| matches!(part, Component::Normal(_))).collect(),
        }
    }
}

/// The path from the root of the file system, without `.` and `..`.
fn plain(current: &Path, path: &Path) -> PathBuf {
    // A relative path starts from the current folder.
    let mut plain = PathBuf::with_capacity(current.as_os_str().len() + path.as_os_str().len() + 1);
    for part in current.components().filter(|_| path.is_relative()).chain(path.components()) {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The folder that holds both.
fn shared(one: &Path, other: &Path) -> PathBuf {
    let pairs = one.components().zip(other.components());
    pairs.take_while(|(one, other)| one == other).map(|(part, _)| part).collect()
}

/// A name without what packing added to it.
pub(crate) fn without_packing(name: &str) -> &str {
    [".gz", ".zst", ".bz2", ".xz"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// A name without `.txt` at its end.
pub(crate) fn without_extension(name: &str) -> &str {
    name.strip_suffix(".txt").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(path: &str) -> InputFile {
        InputFile { name: path.into(), path: path.into(), size: None, named: false, in_corpus: false }
    }

    #[test]
    fn names_are_relative_to_what_was_named_and_cannot_leave_the_folder() {
        let current = PathBuf::from("/here");
        let names = |common: &str| Names {
            common: plain(&current, Path::new(common)),
            current: current.clone(),
            piped: "piped.txt".into(),
        };
        assert_eq!(names("pages").of(&input("pages/a/b.html")), Path::new("a/b.html"));
        assert_eq!(names("pages").of(&input("pages/./a/../b.html")), Path::new("b.html"));
        assert_eq!(names("pages").of(&input("-")), Path::new("piped.txt"));
        let elsewhere = names("pages").of(&input("/../etc/passwd"));
        assert_eq!(elsewhere, Path::new("etc/passwd"));
    }

    #[test]
    fn two_folders_have_the_one_above_in_common() {
        assert_eq!(shared(Path::new("/a/b/c"), Path::new("/a/b/d")), Path::new("/a/b"));
        assert_eq!(shared(Path::new("/a/b"), Path::new("/a/bc")), Path::new("/a"));
        assert_eq!(shared(Path::new("/a"), Path::new("/b")), Path::new("/"));
    }
}
