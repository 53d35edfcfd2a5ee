//! Turns a sequence of paragraphs, cells and notes into plain text.

use super::Unreadable;

/// Collects the text of a document. Paragraphs can be in cells, cells in tables, tables in notes, and a paragraph in a
/// text box in the middle of another one.
pub(super) struct Flow {
    /// The name of the format, for messages.
    format: &'static str,
    /// Finished paragraphs: those of the body first, then those of the cells and notes that are open.
    places: Vec<Vec<String>>,
    /// Paragraphs that are not finished, the innermost last.
    open: Vec<String>,
    /// Tables that are not finished, the innermost last.
    tables: Vec<Table>,
    /// Paragraphs of finished notes.
    notes: Vec<String>,
    /// Bytes of text so far, and how many there may be.
    size: usize,
    limit: usize,
}

/// A table that is not finished.
#[derive(Default)]
struct Table {
    /// Rows since the last one that became paragraphs.
    rows: Vec<String>,
    /// The cells of the row that is open: their paragraphs.
    cells: Vec<Vec<String>>,
}

impl Flow {
    /// An empty document of a format that may grow to `limit` bytes.
    pub(super) fn new(format: &'static str, limit: usize) -> Flow {
        let places = vec![Vec::new()];
        Flow { format, places, open: Vec::new(), tables: Vec::new(), notes: Vec::new(), size: 0, limit }
    }

    /// Adds text to the innermost paragraph; text outside of paragraphs is ignored.
    pub(super) fn text(&mut self, text: &str) -> Result<(), Unreadable> {
        let Some(paragraph) = self.open.last_mut() else { return Ok(()) };
        // Separators between texts count, too.
        self.size = self.size.saturating_add(text.len());
        if self.size > self.limit {
            return Err(Unreadable::too_large(self.format, self.limit));
        }
        paragraph.push_str(text);
        Ok(())
    }

    /// Adds text by the rules of ODF: a run of white space becomes one space.
    pub(super) fn collapsed(&mut self, text: &str) -> Result<(), Unreadable> {
        let Some(paragraph) = self.open.last() else { return Ok(()) };
        let mut spaced = paragraph.is_empty() || paragraph.ends_with([' ', '\n', '\t']);
        let mut collapsed = String::with_capacity(text.len());
        for c in text.chars() {
            let space = matches!(c, ' ' | '\t' | '\n' | '\r');
            if !space {
                collapsed.push(c);
            } else if !spaced {
                collapsed.push(' ');
            }
            spaced = space;
        }
        self.text(&collapsed)
    }

    /// Begins a paragraph.
    pub(super) fn open_paragraph(&mut self) {
        self.open.push(String::new());
    }

    /// Ends the innermost paragraph.
    pub(super) fn close_paragraph(&mut self) {
        if let Some(paragraph) = self.open.pop() {
            self.push(&paragraph);
        }
    }

    fn push(&mut self, paragraph: &str) {
        let paragraph = paragraph.trim();
        if let Some(place) = self.places.last_mut().filter(|_| !paragraph.is_empty()) {
            // Separators count, so that a million paragraphs of one letter have their true size.
            self.size = self.size.saturating_add(2);
            place.push(paragraph.to_owned());
        }
    }

    /// Begins a table.
    pub(super) fn open_table(&mut self) {
        self.tables.push(Table::default());
    }

    /// Ends the innermost table.
    pub(super) fn close_table(&mut self) {
        self.close_row();
        self.close_rows();
        self.tables.pop();
    }

    /// Begins a cell.
    pub(super) fn open_cell(&mut self) {
        self.places.push(Vec::new());
    }

    /// Ends the innermost cell.
    pub(super) fn close_cell(&mut self) {
        if self.places.len() > 1
            && let Some(paragraphs) = self.places.pop()
            && let Some(table) = self.tables.last_mut()
        {
            table.cells.push(paragraphs);
        }
    }

    /// Ends a row of the innermost table. Single-cell rows are frames around text: their paragraphs stay paragraphs.
    pub(super) fn close_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let mut cells = std::mem::take(&mut table.cells);
        if cells.len() == 1 {
            self.close_rows();
            for paragraph in cells.pop().unwrap_or_default() {
                self.push(&paragraph);
            }
        } else if cells.iter().any(|cell| !cell.is_empty()) {
            let cells: Vec<String> = cells.iter().map(|cell| on_one_line(cell)).collect();
            table.rows.push(cells.join("\t").trim_end().to_owned());
        }
    }

    /// The rows of the innermost table so far are one paragraph.
    fn close_rows(&mut self) {
        let rows = self.tables.last_mut().map(|table| std::mem::take(&mut table.rows)).unwrap_or_default();
        self.push(&rows.join("\n"));
    }

    /// Begins a footnote or endnote.
    pub(super) fn open_note(&mut self) {
        self.places.push(Vec::new());
    }

    /// Ends a note.
    pub(super) fn close_note(&mut self) {
        if self.places.len() > 1 {
            self.notes.extend(self.places.pop().unwrap_or_default());
        }
    }

    /// The text: the paragraphs of the body, then those of the notes.
    pub(super) fn finish(mut self) -> Result<String, Unreadable> {
        let mut paragraphs = self.places.drain(..).next().unwrap_or_default();
        paragraphs.append(&mut self.notes);
        if paragraphs.is_empty() {
            return Err(Unreadable::without_text(self.format));
        }
        let text = paragraphs.join("\n\n");
        if text.len() > self.limit { Err(Unreadable::too_large(self.format, self.limit)) } else { Ok(text) }
    }
}

fn on_one_line(paragraphs: &[String]) -> String {
    paragraphs.iter().flat_map(|paragraph| paragraph.split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(flow: &mut Flow, text: &str) {
        flow.open_paragraph();
        flow.text(text).expect("room");
        flow.close_paragraph();
    }

    fn row(flow: &mut Flow, cells: &[&str]) {
        for cell in cells {
            flow.open_cell();
            cell.split('|').for_each(|text| paragraph(flow, text));
            flow.close_cell();
        }
        flow.close_row();
    }

    #[test]
    fn rows_are_lines_cells_are_apart_by_tabs_and_notes_come_last() {
        let mut flow = Flow::new("DOCX", 1000);
        flow.open_paragraph();
        flow.text("One").expect("room");
        flow.open_note();
        paragraph(&mut flow, "A note.");
        flow.close_note();
        flow.text(" more.").expect("room");
        flow.close_paragraph();
        paragraph(&mut flow, "  ");
        flow.open_table();
        row(&mut flow, &["a", "b|c", ""]);
        row(&mut flow, &["", "", ""]);
        row(&mut flow, &["", "d"]);
        row(&mut flow, &["Framed.|More."]);
        row(&mut flow, &["e", "f"]);
        flow.close_table();
        let expected = "One more.\n\na\tb c\n\td\n\nFramed.\n\nMore.\n\ne\tf\n\nA note.";
        assert_eq!(flow.finish().expect("text"), expected);
    }

    #[test]
    fn text_boxes_come_before_the_paragraph_that_holds_them() {
        let mut flow = Flow::new("DOCX", 1000);
        flow.open_paragraph();
        flow.text("Outer").expect("room");
        paragraph(&mut flow, "Box.");
        flow.text(" text.").expect("room");
        flow.close_paragraph();
        assert_eq!(flow.finish().expect("text"), "Box.\n\nOuter text.");
    }

    #[test]
    fn the_limit_holds() {
        let mut flow = Flow::new("ODT", 10);
        flow.open_paragraph();
        assert!(flow.text("0123456789").is_ok());
        assert!(flow.text("0").is_err_and(|why| why.error.contains("more than 10 bytes")));
    }

    #[test]
    fn ends_without_beginnings_do_no_harm() {
        let mut flow = Flow::new("ODT", 10);
        flow.close_cell();
        flow.close_row();
        flow.close_table();
        flow.close_note();
        flow.close_paragraph();
        assert!(flow.finish().is_err());
    }
}
