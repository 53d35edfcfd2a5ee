//! The registry file of a corpus manager: what Manatee (NoSketch Engine) needs to know of a vertical file.
//!
//! It declares what the file has: positional attributes by the columns of its tokens, structures with their attributes, and
//! whether a structure occurs inside itself. Comments give the command line of the IMS Corpus Workbench, which writes its
//! own registry.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::without_packing;
use crate::disk::atomic::write_atomically;
use crate::error::{Error, Result};

/// The names of languages, as the registries of corpora have them.
#[rustfmt::skip] // a table
const LANGUAGES: [(&str, &str); 42] = [
    ("ar", "Arabic"), ("bg", "Bulgarian"), ("bn", "Bengali"), ("ca", "Catalan"), ("cs", "Czech"), ("da", "Danish"),
    ("de", "German"), ("el", "Greek"), ("en", "English"), ("es", "Spanish"), ("et", "Estonian"), ("eu", "Basque"),
    ("fa", "Persian"), ("fi", "Finnish"), ("fr", "French"), ("ga", "Irish"), ("he", "Hebrew"), ("hi", "Hindi"),
    ("hr", "Croatian"), ("hu", "Hungarian"), ("id", "Indonesian"), ("is", "Icelandic"), ("it", "Italian"),
    ("ja", "Japanese"), ("ko", "Korean"), ("lt", "Lithuanian"), ("lv", "Latvian"), ("nl", "Dutch"), ("no", "Norwegian"),
    ("pl", "Polish"), ("pt", "Portuguese"), ("ro", "Romanian"), ("ru", "Russian"), ("sk", "Slovak"), ("sl", "Slovenian"),
    ("sr", "Serbian"), ("sv", "Swedish"), ("th", "Thai"), ("tr", "Turkish"), ("uk", "Ukrainian"), ("vi", "Vietnamese"),
    ("zh", "Chinese"),
];

/// What was written to a vertical file.
pub(super) struct Registry {
    /// The vertical file, and the names that are made from its own.
    vertical: PathBuf,
    stem: String,
    name: String,
    structures: Vec<Structure>,
    /// Columns of the widest token.
    columns: usize,
    /// Documents in each language.
    languages: BTreeMap<String, u64>,
}

/// A structure of the vertical file.
struct Structure {
    name: String,
    attributes: Vec<String>,
    /// How many are open, and were open at most.
    open: usize,
    depth: usize,
    /// It has no content, such as `<g/>`.
    is_empty: bool,
}

impl Registry {
    /// The registry of a vertical file that is about to be written.
    pub(super) fn of(vertical: &Path) -> Result<Registry> {
        let vertical = std::path::absolute(vertical)?;
        // The registry has no signs to write these in a name.
        let shown =
            vertical.to_str().filter(|name| !name.contains(['"', '\'', '\\']) && !name.contains(char::is_control));
        let Some(_) = shown else {
            let path = vertical.display();
            return Err(Error::Refused(format!(
                "a registry cannot name {path}; choose a name and a folder without quotation marks and backslashes"
            )));
        };
        let file = vertical.file_name().and_then(|name| name.to_str()).map(without_packing).unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned();
        let name = stem.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        Ok(Registry { vertical, stem, name, structures: Vec::new(), columns: 1, languages: BTreeMap::new() })
    }

    /// Takes note of the lines of a document.
    pub(super) fn note(&mut self, page: &str, language: Option<&str>) {
        for line in page.lines() {
            match line.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
                Some(tag) => self.note_tag(tag),
                None => self.columns = self.columns.max(1 + memchr::memchr_iter(b'\t', line.as_bytes()).count()),
            }
        }
        if let Some(language) = language {
            *self.languages.entry(language.to_owned()).or_default() += 1;
        }
    }

    fn note_tag(&mut self, tag: &str) {
        let (tag, ends) = tag.strip_prefix('/').map_or((tag, false), |name| (name, true));
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
        let (name, attributes) = tag.split_once([' ', '\t']).unwrap_or((tag, ""));
        let at = self.structures.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let name = name.to_owned();
            self.structures.push(Structure { name, attributes: Vec::new(), open: 0, depth: 0, is_empty });
            self.structures.len() - 1
        });
        let structure = &mut self.structures[at];
        if ends {
            structure.open = structure.open.saturating_sub(1);
            return;
        }
        // Values have no quotation marks of their own, so every second piece is a value.
        for name in attributes.split('"').step_by(2).filter_map(|piece| piece.trim().strip_suffix('=')) {
            if !structure.attributes.iter().any(|known| known == name) {
                structure.attributes.push(name.to_owned());
            }
        }
        if !is_empty {
            structure.open += 1;
            structure.depth = structure.depth.max(structure.open);
            structure.is_empty = false;
        }
    }

    /// Writes the registry beside the vertical file.
    pub(super) fn write(&self) -> Result<()> {
        write_atomically(&self.beside("registry"), self.text().as_bytes())
    }

    fn beside(&self, extension: &str) -> PathBuf {
        self.vertical.with_file_name(format!("{}.{extension}", self.stem))
    }

    fn text(&self) -> String {
        let vertical = self.vertical.to_string_lossy();
        let (data, registry) = (self.beside("data"), self.beside("registry"));
        let (data, registry) = (data.to_string_lossy(), registry.to_string_lossy());
        let unpack = match self.vertical.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Some("gzip -dc"),
            Some("zst") => Some("zstd -dc"),
            _ => None,
        };
        let positional = (2..=self.columns).map(|number| format!("column_{number}"));
        let names: Vec<String> = std::iter::once("word".to_owned()).chain(positional).collect();

        let mut text = format!(
            "# {registry}\n# written by refrain {}, for NoSketch Engine: compilecorp --no-sketches --recompile-corpus {}\n#\n",
            env!("CARGO_PKG_VERSION"),
            self.name
        );
        self.comment_for_workbench(&mut text, &names, unpack);
        let source = unpack.map_or_else(|| vertical.to_string(), |unpack| format!("| {unpack} '{vertical}'"));
        let _ = write!(text, "\nNAME \"{}\"\nPATH \"{data}/\"\nVERTICAL \"{source}\"\nENCODING \"UTF-8\"\n", self.name);
        if let Some(language) = self.language() {
            let _ = writeln!(text, "LANGUAGE \"{language}\"");
        }
        text.push_str("DEFAULTATTR word\nDOCSTRUCTURE doc\n\n");
        for name in names {
            let _ = writeln!(text, "ATTRIBUTE {name}");
        }
        for structure in &self.structures {
            let _ = writeln!(text, "\nSTRUCTURE {} {{", structure.name);
            for name in &structure.attributes {
                let _ = writeln!(text, "    ATTRIBUTE {name}");
            }
            if structure.depth > 1 {
                text.push_str("    NESTED 1\n");
            }
            if structure.name == "g" {
                text.push_str("    DISPLAYTAG 0\n    DISPLAYBEGIN \"_EMPTY_\"\n");
            }
            text.push_str("}\n");
        }
        text
    }

    fn comment_for_workbench(&self, text: &mut String, names: &[String], unpack: Option<&str>) {
        let vertical = self.vertical.to_string_lossy();
        let _ = write!(text, "# For the IMS Corpus Workbench, with a folder DATA and a folder REGISTRY:\n#   ");
        let _ = match unpack {
            Some(unpack) => write!(text, "{unpack} '{vertical}' | cwb-encode"),
            None => write!(text, "cwb-encode -f '{vertical}'"),
        };
        let _ = write!(text, " -d DATA -R REGISTRY/{} -xsB -c utf8", self.name);
        for name in &names[1..] {
            let _ = write!(text, " -P {name}");
        }
        for Structure { name, attributes, depth, is_empty, .. } in &self.structures {
            let _ = match is_empty {
                true => write!(text, " -0 {name}"),
                false => write!(text, " -S {name}:{}", depth.saturating_sub(1)),
            };
            for attribute in attributes.iter().filter(|_| !is_empty) {
                let _ = write!(text, "+{attribute}");
            }
        }
        let _ = write!(text, "\n#   cwb-makeall -r REGISTRY -V {}\n", self.name.to_uppercase());
    }

    /// The language of most documents, by its name.
    fn language(&self) -> Option<&'static str> {
        let all: u64 = self.languages.values().sum();
        let (code, _) = self.languages.iter().find(|(_, documents)| **documents > all / 2)?;
        LANGUAGES.iter().find(|(known, _)| known == code).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_file_has_is_declared() {
        let mut registry = Registry::of(Path::new("/data/My corpus.vert.gz")).expect("a name");
        let page = "<doc id=\"a=\" title=\"x &lt; y\">\n<p type=\"heading\">\nOne\tNN\n</p>\n<p>\n<mark label=\"duplicate\">\n<mark \
            label=\"foreign\">\n&lt;two\tNN\ttwo\n<g/>\n.\n</mark>\n</mark>\n</p>\n</doc>\n";
        registry.note(page, Some("cs"));
        registry.note("<doc id=\"b\" url=\"c\">\n</doc>\n", Some("cs"));
        registry.note("<doc id=\"b\" url=\"c\">\n</doc>\n", Some("en"));
        let text = registry.text();
        let declared = text.split_once("NAME").expect("a name").1;
        let expected = " \"my_corpus\"\nPATH \"/data/My corpus.data/\"\nVERTICAL \"| gzip -dc '/data/My corpus.vert.gz'\"\n\
            ENCODING \"UTF-8\"\nLANGUAGE \"Czech\"\nDEFAULTATTR word\nDOCSTRUCTURE doc\n\nATTRIBUTE word\nATTRIBUTE column_2\n\
            ATTRIBUTE column_3\n\nSTRUCTURE doc {\n    ATTRIBUTE id\n    ATTRIBUTE title\n    ATTRIBUTE url\n}\n\nSTRUCTURE p {\n    \
            ATTRIBUTE type\n}\n\nSTRUCTURE mark {\n    ATTRIBUTE label\n    NESTED 1\n}\n\nSTRUCTURE g {\n    DISPLAYTAG 0\n    \
            DISPLAYBEGIN \"_EMPTY_\"\n}\n";
        assert_eq!(declared, expected);
        let command = "gzip -dc '/data/My corpus.vert.gz' | cwb-encode -d DATA -R REGISTRY/my_corpus -xsB -c utf8 -P column_2 \
            -P column_3 -S doc:0+id+title+url -S p:0+type -S mark:1+label -0 g\n";
        assert!(text.contains(command), "{text}");
        assert!(Registry::of(Path::new("a\"b.vert")).is_err());
    }
}
