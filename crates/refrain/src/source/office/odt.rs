//! ODT: the text documents of LibreOffice and other programs.
//!
//! A zip archive of XML parts; the text is in `content.xml`. Text deleted by tracked changes is stored separately there
//! and dropped; inserted text is kept. Comments, headers and footers are not part of the text.

use super::flow::Flow;
use super::parts::Parts;
use super::xml::{Node, attribute, fields, walk};
use super::{About, Content, Unreadable};

const FORMAT: &str = "ODT";
const TEXT: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";
const META: &str = "meta.xml";

/// Elements that are skipped with their content: deleted text, comments, note numbers, pronunciation marks, forms, and
/// replacements for pictures.
const PASSED_OVER: [&str; 8] = [
    "text:tracked-changes",
    "office:annotation",
    "text:note-citation",
    "text:ruby-text",
    "office:forms",
    "svg:title",
    "svg:desc",
    "text:number",
];

/// No text has more spaces in a row than this.
const MOST_SPACES: usize = 100;

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    let mut parts = Parts::open(FORMAT, bytes, limit)?;
    if let Some(manifest) = parts.find(MANIFEST)?
        && memchr::memmem::find(&manifest, b"encryption-data").is_some()
    {
        return Err(Unreadable::encrypted(FORMAT));
    }
    let content = parts.get(TEXT)?;
    let mut flow = Flow::new(FORMAT, limit);
    collect(&content, &mut flow)?;
    Ok(Content { text: flow.finish()?, about: about(&mut parts)?, ..Content::default() })
}

/// What `meta.xml` says. The one who began the document is its author, not the one who saved it last.
fn about(parts: &mut Parts<'_>) -> Result<About, Unreadable> {
    let mut about = About::default();
    let mut saved_by = String::new();
    if let Some(meta) = parts.find(META)? {
        fields(FORMAT, META, &meta, |name, value| match name {
            "title" => about.title(value),
            "initial-creator" => about.author(value),
            "creator" => value.clone_into(&mut saved_by),
            "language" => about.language(value),
            _ => {}
        })?;
    }
    if about.author.is_none() {
        about.author(&saved_by);
    }
    Ok(about)
}

/// Collects the text.
fn collect(xml: &[u8], flow: &mut Flow) -> Result<(), Unreadable> {
    let mut passed_over = 0_usize;
    walk(FORMAT, TEXT, xml, |node| {
        match node {
            Node::Open(name, _) if passed_over > 0 || PASSED_OVER.contains(&name) => passed_over += 1,
            Node::Close(_) if passed_over > 0 => passed_over -= 1,
            _ if passed_over > 0 => {}
            Node::Open(name, element) => match name {
                "text:p" | "text:h" => flow.open_paragraph(),
                "text:s" => {
                    let count = attribute(element, "c").and_then(|count| count.parse().ok()).unwrap_or(1);
                    flow.text(&" ".repeat(MOST_SPACES.min(count)))?;
                }
                "text:tab" => flow.text("\t")?,
                "text:line-break" => flow.text("\n")?,
                "table:table" => flow.open_table(),
                "table:table-cell" | "table:covered-table-cell" => flow.open_cell(),
                "text:note" => flow.open_note(),
                _ => {}
            },
            Node::Text(text) => flow.collapsed(text)?,
            Node::Close(name) => match name {
                "text:p" | "text:h" => flow.close_paragraph(),
                "table:table" => flow.close_table(),
                "table:table-row" => flow.close_row(),
                "table:table-cell" | "table:covered-table-cell" => flow.close_cell(),
                "text:note" => flow.close_note(),
                _ => {}
            },
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_notes_and_deleted_text_are_as_a_reader_sees_them() {
        let xml = "<office:text><text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion>\
            </text:tracked-changes><text:h>A  heading</text:h>\n <text:p>One<text:s text:c='2'/>two\n   three<text:note>\
            <text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note> \
            four<office:annotation><text:p>comment</text:p></office:annotation>.</text:p></office:text>";
        let mut flow = Flow::new(FORMAT, 10_000);
        collect(xml.as_bytes(), &mut flow).expect("good XML");
        assert_eq!(flow.finish().expect("text"), "A heading\n\nOne  two three four.\n\nA note.");
    }
}
