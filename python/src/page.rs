//! Single documents.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use refrain::text::{CharOffsets, Offsets};
use refrain::{Decode, Document, Extract, Span};

use crate::errors::exception;
use crate::jobs::build;

/// A text, or the bytes of one.
#[derive(FromPyObject)]
pub(crate) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// The main content of a page, as a dictionary.
#[pyfunction]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    html: Content,
    url: Option<String>,
    job: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let work = || {
        let job: Extract = build(job)?;
        let (html, encoding) = match html {
            Content::Text(html) => (html, None),
            Content::Bytes(bytes) => {
                let decoded = Decode::default().bytes(bytes)?;
                (decoded.text, Some(decoded.encoding))
            }
        };
        Ok((job.page(&html, url.as_deref()), encoding, job.offsets))
    };
    let (page, encoding, offsets) = py.detach(work).map_err(|error| exception(&error))?;
    let (document, metadata) = (&page.document, &page.metadata);
    let result = PyDict::new(py);
    result.set_item("text", document.text())?;
    result.set_item("blocks", blocks(py, document, offsets)?)?;
    result.set_item("marks", marks(py, document, offsets)?)?;
    result.set_item("markdown", &page.markdown)?;
    result.set_item("confidence", page.confidence)?;
    result.set_item("title", &metadata.title)?;
    result.set_item("author", &metadata.author)?;
    result.set_item("date", &metadata.date)?;
    result.set_item("site", &metadata.site)?;
    result.set_item("language", &metadata.language)?;
    result.set_item("canonical", &metadata.canonical)?;
    result.set_item("description", &metadata.description)?;
    result.set_item("kind", &metadata.kind)?;
    result.set_item("url", url_of(document))?;
    result.set_item("encoding", encoding)?;
    Ok(result)
}

fn url_of(document: &Document) -> Option<&str> {
    document.origin.url.as_deref()
}

/// Start, end and kind of each block.
pub(crate) fn blocks<'py>(py: Python<'py>, document: &Document, offsets: Offsets) -> PyResult<Bound<'py, PyList>> {
    let mut chars = CharOffsets::new(document.text());
    let blocks = document.blocks().iter().map(|block| {
        let Span { start, end } = chars.span(block.span, offsets);
        (start, end, block.kind.name())
    });
    PyList::new(py, blocks.collect::<Vec<_>>())
}

/// Start, end, label, pass and evidence (JSON) of each mark.
pub(crate) fn marks<'py>(py: Python<'py>, document: &Document, offsets: Offsets) -> PyResult<Bound<'py, PyList>> {
    let mut chars = CharOffsets::new(document.text());
    let marks = document.marks.iter().map(|mark| {
        let Span { start, end } = chars.span(mark.span, offsets);
        (start, end, mark.label.name(), &*mark.pass, serde_json::to_string(&mark.reason).unwrap_or_default())
    });
    PyList::new(py, marks.collect::<Vec<_>>())
}

/// The text of some bytes, as a dictionary.
#[pyfunction]
pub(crate) fn decode<'py>(py: Python<'py>, data: Vec<u8>, job: &str) -> PyResult<Bound<'py, PyDict>> {
    let decoded = py.detach(|| build::<Decode>(job)?.bytes(data)).map_err(|error| exception(&error))?;
    let result = PyDict::new(py);
    result.set_item("text", &decoded.text)?;
    result.set_item("encoding", decoded.encoding)?;
    result.set_item("second", decoded.second)?;
    result.set_item("language", decoded.language)?;
    result.set_item("confidence", decoded.confidence)?;
    result.set_item("losses", decoded.losses)?;
    Ok(result)
}
