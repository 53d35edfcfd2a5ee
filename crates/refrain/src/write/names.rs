//! The paths of texts in the output folder.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use crate::document::Document;
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

    /// The path of a file for a document under the output folder: `input` is the file that it was read from. What is part of a file
    /// is named after it; everything else after its address or id.
    pub(crate) fn of_document(&self, document: &Document, input: Option<&InputFile>, extension: &str) -> PathBuf {
        let inside = document.id.strip_prefix(&document.origin.input);
        let inside = inside.filter(|rest| !rest.starts_with(char::is_alphanumeric) && document.origin.url.is_none());
        let (Some(input), Some(inside)) = (input, inside) else {
            return with_extension(safe_name(document.name(), extension), extension);
        };
        let path = self.of(input);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let file = without_packing(&file);
        let own = file.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.')).unwrap_or(file);
        let is_short = own.len() <= MAX_NAME;
        let stem =
            if inside.is_empty() && is_short { own.into() } else { safe_name(&[file, inside].concat(), extension) };
        path.with_file_name(with_extension(stem, extension))
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

fn with_extension(mut stem: String, extension: &str) -> PathBuf {
    stem.extend([".", extension]);
    PathBuf::from(stem)
}

/// Longer names do not fit file systems.
const MAX_NAME: usize = 180;

/// A file name without its extension, made from an address or id: no folders, nothing hidden, nothing a shell or file system would trip over.
fn safe_name(id: &str, extension: &str) -> String {
    let id = crate::url::without_scheme(id);
    let id = id.strip_suffix(extension).and_then(|id| id.strip_suffix('.')).unwrap_or(id);
    let mut name = String::new();
    for c in id.chars() {
        let safe = c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let c = if safe { c } else { '_' };
        if name.len() + c.len_utf8() > MAX_NAME {
            break;
        }
        let repeated = c == '_' && name.ends_with('_');
        let leading = name.is_empty() && matches!(c, '.' | '_' | '-');
        if !repeated && !leading {
            name.push(c);
        }
    }
    if name.is_empty() { "document".into() } else { name }
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
        InputFile { name: path.into(), path: path.into(), size: None, named: false, in_corpus: false, stored: None }
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
    fn documents_are_named_after_their_file_or_their_id() {
        let current = PathBuf::from("/here");
        let names = Names { common: current.join("in"), current, piped: "piped.txt".into() };
        let name = |id: &str, path: &str, extension: &str| {
            let mut document = Document::from_text(id, "");
            document.origin.input = path.into();
            names.of_document(&document, Some(&input(path)), extension)
        };
        let whole = |path: &str, extension: &str| name(path, path, extension);
        assert_eq!(whole("/here/in/sub/anna.txt", "txt"), Path::new("sub/anna.txt"));
        assert_eq!(whole("in/anna.txt.gz", "txt"), Path::new("anna.txt"));
        assert_eq!(whole("in/anna.docx", "txt"), Path::new("anna.docx.txt"));
        assert_eq!(whole("in/page.html", "md"), Path::new("page.html.md"));
        assert_eq!(name("in/all.zip/sub/anna.txt", "in/all.zip", "txt"), Path::new("all.zip_sub_anna.txt"));
        assert_eq!(name("7/8", "in/all.jsonl", "txt"), Path::new("7_8.txt"));
        assert!(whole(&format!("in/{}", "ä".repeat(120)), "txt").as_os_str().len() <= MAX_NAME + ".txt".len());
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(safe_name("../../etc/passwd", "txt"), "etc_passwd");
        assert_eq!(safe_name("https://a.example/x?y=1", "txt"), "a.example_x_y_1");
        assert_eq!(safe_name("notes.zip/b/.hidden.txt", "txt"), "notes.zip_b_.hidden");
        assert_eq!(safe_name("/", "txt"), "document");
        assert!(safe_name(&"ä".repeat(500), "txt").len() <= MAX_NAME);
    }

    #[test]
    fn two_folders_have_the_one_above_in_common() {
        assert_eq!(shared(Path::new("/a/b/c"), Path::new("/a/b/d")), Path::new("/a/b"));
        assert_eq!(shared(Path::new("/a/b"), Path::new("/a/bc")), Path::new("/a"));
        assert_eq!(shared(Path::new("/a"), Path::new("/b")), Path::new("/"));
    }
}
