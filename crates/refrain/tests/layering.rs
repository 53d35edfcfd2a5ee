//! The layers of the library, held by a look at its `use` lines: passes do not import each other, and only what joins
//! them knows them all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What everyone may use.
const SHARED: [&str; 7] = ["disk", "document", "error", "kernel", "run", "text", "url"];

/// What each folder or file may use beyond that.
const ALLOWED: [(&str, &[&str]); 24] = [
    ("run", &[]),
    ("flow", &["source"]),
    (
        "jobs",
        &[
            "compare",
            "decode",
            "decontaminate",
            "dedup",
            "editions",
            "extract",
            "flow",
            "prepare",
            "quality",
            "report",
            "source",
            "stats",
            "strip",
            "template",
            "write",
        ],
    ),
    ("disk", &[]),
    ("document", &[]),
    ("error", &[]),
    ("kernel", &[]),
    ("text", &[]),
    ("url", &[]),
    ("source", &[]),
    ("decode", &["papers"]),
    ("extract", &["papers"]),
    ("compare", &["decode"]),
    ("decontaminate", &[]),
    ("dedup", &["papers"]),
    ("quality", &[]),
    ("strip", &["papers"]),
    ("editions", &["papers"]),
    ("template", &["papers"]),
    ("papers", &["compare", "decode", "dedup", "editions", "extract", "strip", "template"]),
    ("report", &["compare", "editions", "quality", "strip"]),
    ("write", &["source"]),
    ("stats", &["report"]),
    ("prepare", &["decode", "extract", "quality", "source", "template"]),
];

#[test]
fn passes_do_not_import_each_other() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for entry in fs::read_dir(&source).expect("the sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if name == "lib" {
            continue;
        }
        let (_, allowed) = ALLOWED.iter().find(|(room, _)| *room == name).unwrap_or_else(|| {
            panic!("{name} is a new folder of the library: add it to ALLOWED");
        });
        for file in files(&path) {
            let text = fs::read_to_string(&file).expect("a source file");
            let code = text.split("#[cfg(test)]").next().expect("the code above the tests");
            for used in code.split("crate::").skip(1) {
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let own = used == name || used.starts_with(|c: char| c.is_uppercase()) || used.is_empty();
                let fine = own || SHARED.contains(&used.as_str()) || allowed.contains(&used.as_str());
                assert!(fine, "{} uses crate::{used}, which {name} may not", file.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 30, "only {checked} files were looked at");
}

#[test]
fn no_two_public_types_have_the_same_name() {
    let mut places: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for line in text.lines() {
            let item = ["struct", "enum", "trait", "type"]
                .iter()
                .find_map(|keyword| line.strip_prefix("pub ")?.strip_prefix(keyword)?.strip_prefix(' '));
            if let Some(item) = item {
                let name = item.chars().take_while(|c| c.is_alphanumeric()).collect();
                places.entry(name).or_default().push(file.clone());
            }
        }
    }
    assert!(places.len() > 100, "only {} types were found", places.len());
    let homonyms: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(homonyms.is_empty(), "rename all but one of each: {homonyms:?}");
}

/// What only one file names: what depends on the operating system.
const SYSTEM: [&str; 5] = ["std::os::", "/proc/", "cfg(unix)", "cfg(windows)", "target_os"];

#[test]
fn one_file_names_the_operating_system() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates").to_owned();
    let folders = ["refrain/src", "refrain-cli/src"].map(|folder| crates.join(folder));
    let mut naming = Vec::new();
    for file in folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| files(folder)) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        if SYSTEM.iter().any(|name| code.contains(name)) {
            naming.push(file);
        }
    }
    assert_eq!(naming, [crates.join("refrain/src/disk/platform.rs")]);
}

/// The source files at or below a path.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    fs::read_dir(path).expect("a folder").flat_map(|entry| files(&entry.expect("an entry").path())).collect()
}
