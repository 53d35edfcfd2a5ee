//! DOCX: the documents of Word since 2007, which other programs also write.
//!
//! A zip archive of XML parts. The text is in `word/document.xml`, or where `_rels/.rels` says; notes are in separate
//! parts. Tracked changes count as accepted: deleted or moved text is dropped, inserted text is kept. Field codes and
//! hidden text are dropped, field results are kept. Headers, footers and comments are not part of the text.

use super::flow::Flow;
use super::parts::Parts;
use super::xml::{Node, attribute, dublin_core, local, walk};
use super::{About, Content, Unreadable};

const FORMAT: &str = "DOCX";

/// Where the text is unless the document says otherwise.
const MAIN: &str = "word/document.xml";

/// Elements that are skipped with their content: deleted and moved text, the older of two forms of a drawing,
/// pronunciation marks.
const PASSED_OVER: [&str; 4] = ["del", "moveFrom", "Fallback", "rt"];

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limit: usize) -> Result<Content, Unreadable> {
    let mut parts = Parts::open(FORMAT, bytes, limit)?;
    let main = main_part(&mut parts)?;
    let document = parts.get(&main)?;
    let mut flow = Flow::new(FORMAT, limit);
    collect(&main, &document, &mut flow)?;
    drop(document);
    let folder = main.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    for notes in ["footnotes.xml", "endnotes.xml"] {
        let name = format!("{folder}{notes}");
        if let Some(part) = parts.find(&name)? {
            collect(&name, &part, &mut flow)?;
        }
    }
    Ok(Content { text: flow.finish()?, about: about(&mut parts)?, ..Content::default() })
}

/// The name of the part with the text.
fn main_part(parts: &mut Parts<'_>) -> Result<String, Unreadable> {
    const RELATIONS: &str = "_rels/.rels";
    let Some(relations) = parts.find(RELATIONS)? else { return Ok(MAIN.into()) };
    let mut main = None;
    walk(FORMAT, RELATIONS, &relations, |node| {
        if let Node::Open(_, element) = node
            && attribute(element, "Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
            && let Some(target) = attribute(element, "Target")
        {
            main.get_or_insert(target.trim_start_matches('/').to_owned());
        }
        Ok(())
    })?;
    Ok(main.unwrap_or_else(|| MAIN.into()))
}

/// Reads the metadata in `docProps/core.xml`.
fn about(parts: &mut Parts<'_>) -> Result<About, Unreadable> {
    const CORE: &str = "docProps/core.xml";
    match parts.find(CORE)? {
        Some(core) => dublin_core(FORMAT, CORE, &core),
        None => Ok(About::default()),
    }
}

/// The state of the reader in a part.
#[derive(Default)]
struct Place {
    /// Elements open since one that is skipped.
    passed_over: usize,
    /// Runs of text that are open, and whether they are hidden.
    runs: Vec<bool>,
    /// True inside an element that holds text.
    in_text: bool,
}

/// Collects the text of a part.
fn collect(part: &str, xml: &[u8], flow: &mut Flow) -> Result<(), Unreadable> {
    let mut place = Place::default();
    walk(FORMAT, part, xml, |node| {
        match node {
            Node::Open(name, _) if place.passed_over > 0 || PASSED_OVER.contains(&local(name)) => {
                place.passed_over += 1;
            }
            Node::Close(_) if place.passed_over > 0 => place.passed_over -= 1,
            _ if place.passed_over > 0 => {}
            Node::Open(name, element) => {
                let hidden = place.runs.last().is_some_and(|hidden| *hidden);
                match local(name) {
                    "p" => flow.open_paragraph(),
                    "r" => place.runs.push(false),
                    "vanish" => {
                        let off = attribute(element, "val")
                            .is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off"));
                        place.runs.last_mut().into_iter().for_each(|hidden| *hidden = !off);
                    }
                    "t" => place.in_text = !hidden,
                    "tab" | "ptab" if !place.runs.is_empty() && !hidden => flow.text("\t")?,
                    "br" | "cr" if !hidden => flow.text("\n")?,
                    "noBreakHyphen" if !hidden => flow.text("-")?,
                    "tbl" => flow.open_table(),
                    "tc" => flow.open_cell(),
                    "footnote" | "endnote" => flow.open_note(),
                    _ => {}
                }
            }
            Node::Text(text) if place.in_text => flow.text(text)?,
            Node::Text(_) => {}
            Node::Close(name) => match local(name) {
                "p" => flow.close_paragraph(),
                "r" => drop(place.runs.pop()),
                "t" => place.in_text = false,
                "tbl" => flow.close_table(),
                "tr" => flow.close_row(),
                "tc" => flow.close_cell(),
                "footnote" | "endnote" => flow.close_note(),
                _ => {}
            },
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str) -> String {
        let mut flow = Flow::new(FORMAT, 10_000);
        let xml = format!("<w:document><w:body>{body}</w:body></w:document>");
        collect(MAIN, xml.as_bytes(), &mut flow).expect("good XML");
        flow.finish().expect("text")
    }

    #[test]
    fn deleted_text_codes_and_hidden_text_are_skipped() {
        let body = "<w:p><w:pPr><w:tabs><w:tab w:pos='9'/></w:tabs><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>Kept </w:t></w:r>\
            <w:del><w:r><w:delText>gone</w:delText></w:r><w:r><w:t>gone</w:t></w:r></w:del>\
            <w:ins><w:r><w:t>new</w:t><w:tab/></w:r></w:ins><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom>\
            <w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:t>7</w:t></w:r>\
            <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>\
            <w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>!</w:t></w:r></w:p>";
        assert_eq!(text(body), "Kept new\t7!");
    }

    #[test]
    fn text_boxes_are_read_once() {
        let shape = "<w:txbxContent><w:p><w:r><w:t>Box.</w:t></w:r></w:p></w:txbxContent>";
        let body = format!(
            "<w:p><w:r><w:t>Text.</w:t><mc:AlternateContent><mc:Choice>{shape}</mc:Choice><mc:Fallback>{shape}\
             </mc:Fallback></mc:AlternateContent></w:r></w:p>"
        );
        assert_eq!(text(&body), "Box.\n\nText.");
    }
}
