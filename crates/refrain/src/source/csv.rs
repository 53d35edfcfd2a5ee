//! Tables of values separated by commas, semicolons or tabs: one row, one document. The first row names the columns.
//!
//! Quoted cells may contain separators and line ends. A row that does not fit the columns is a failure, and reading
//! continues with the next one.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Value};

use super::compress::DamagedMember;
use super::jsonl::{document, take_id};
use super::{At, Emitter, RawDocument, describe, too_large};
use crate::error::{Failure, Hint, Place};

/// No honest table has more columns.
const MOST_COLUMNS: usize = 10_000;
/// A buffer that is larger than this is not kept for the next row.
const KEPT_BUFFER: usize = 1 << 20;
/// What may separate the cells of a row; the first one wins if two separate as many cells.
const SEPARATORS: [u8; 3] = [b'\t', b',', b';'];

pub(super) fn read(at: &At<'_>, mut reader: Box<dyn BufRead + '_>, out: &mut Emitter<'_>) -> ControlFlow<()> {
    let options = at.options();
    let separator = match reader.fill_buf() {
        Ok(head) => separator(first_line(head), &options.text_field),
        Err(error) => return out.failed(at.failure(describe(&error))),
    };
    let mut rows = Rows::new(reader, separator, options.max_document);
    let columns = match rows.next(MOST_COLUMNS) {
        Ok(Some(Row::Whole)) => match rows.cells() {
            Some(cells) => names(&cells),
            None => return out.failed(not_utf8(at).place(Place::Line(1))),
        },
        Ok(Some(_)) => return out.failed(at.failure("the first row has too many columns").place(Place::Line(1))),
        Ok(None) => return ControlFlow::Continue(()),
        Err(error) => return out.failed(at.failure(describe(&error)).place(Place::Line(1))),
    };
    let text_column = columns.iter().position(|name| *name == options.text_field);
    if text_column.is_none() && !options.text_field.is_empty() {
        let names: Vec<&str> = columns.iter().map(String::as_str).take(12).collect();
        let error = format!("no column \"{}\"; columns are: {}", options.text_field, names.join(", "));
        return out.failed(at.failure(error).hint(Hint::option("text_field", "name the column with `text_field`")));
    }
    let mut after_damage = false;
    loop {
        let row = rows.next(columns.len());
        let place = Place::Line(rows.line);
        let row = match row {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(row)) => row,
            Err(error) => {
                out.failed(at.failure(describe(&error)).place(place))?;
                if !DamagedMember::is(&error) {
                    return ControlFlow::Continue(());
                }
                // Decompression continues at the next good member, perhaps inside a row: if so, that row was reported here.
                rows.restart();
                after_damage = true;
                continue;
            }
        };
        let rest_of_damaged = std::mem::take(&mut after_damage);
        // A row after damage counts only if it fits.
        if !out.wants_next() && !rest_of_damaged {
            out.pass_over()?;
            continue;
        }
        match document_of(at, &columns, text_column, &rows, row) {
            Ok(raw) => out.document(raw)?,
            Err(_) if rest_of_damaged => {}
            Err(failure) => out.failed(failure.place(place))?,
        }
    }
}

fn document_of(
    at: &At<'_>,
    columns: &[String],
    text_column: Option<usize>,
    rows: &Rows<'_>,
    row: Row,
) -> Result<RawDocument, Failure> {
    match row {
        Row::Whole => {}
        Row::TooLong => return Err(at.failure(too_large(rows.limit)).hint(Hint::max_document())),
        Row::TooWide => {
            return Err(at.failure(format!("a row with more cells than there are columns ({})", columns.len())));
        }
    }
    let cells = rows.cells().ok_or_else(|| not_utf8(at))?;
    if cells.len() < columns.len() {
        let error = format!("a row of {} cells in a table of {} columns", cells.len(), columns.len());
        return Err(at.failure(error).hint("put quotation marks around cells with separators or line ends"));
    }
    let filled =
        columns.iter().zip(&cells).enumerate().filter(|(at, (_, cell))| Some(*at) != text_column && !cell.is_empty());
    let mut fields: Map<String, Value> = filled.map(|(_, (name, cell))| (name.clone(), Value::from(*cell))).collect();
    let text = text_column.and_then(|column| cells.get(column)).copied().unwrap_or_default();
    let id = take_id(&mut fields, &at.options().id_field).unwrap_or_else(|| format!("{}:{}", at.path(), rows.line));
    Ok(document(at, id, text.to_owned(), fields))
}

fn not_utf8(at: &At<'_>) -> Failure {
    at.failure("not UTF-8").hint("convert the file to UTF-8, for example with `refrain decode`")
}

/// The names of the columns, each different: empty ones and repeated ones get their number.
fn names(cells: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(cells.len());
    let mut known = std::collections::HashSet::new();
    for (number, cell) in cells.iter().enumerate() {
        let cell = cell.trim();
        let mut name = if cell.is_empty() { format!("column_{}", number + 1) } else { cell.to_owned() };
        while !known.insert(name.clone()) {
            name = format!("{name}_{}", number + 1);
        }
        names.push(name);
    }
    names
}

fn first_line(head: &[u8]) -> &[u8] {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    head.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default()
}

/// What separates the columns: what makes one of them the text, or else what occurs most often outside of quoted names.
fn separator(line: &[u8], text_field: &str) -> u8 {
    let names_text = |separator: u8| line.split(|byte| *byte == separator).any(|name| is_called(name, text_field));
    let count = |separator: u8| {
        let mut quoted = false;
        line.iter()
            .filter(|byte| {
                quoted ^= **byte == b'"';
                !quoted && **byte == separator
            })
            .count()
    };
    if let Some(found) = SEPARATORS.into_iter().find(|separator| line.contains(separator) && names_text(*separator)) {
        return found;
    }
    let found = SEPARATORS.into_iter().rev().filter(|separator| line.contains(separator));
    found.max_by_key(|separator| count(*separator)).unwrap_or(b',')
}

/// True for a name, perhaps in quotation marks.
fn is_called(name: &[u8], wanted: &str) -> bool {
    let name = name.trim_ascii();
    name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name) == wanted.as_bytes()
}

/// True for content that opens with the names of columns, of which one is the text: names that a program could use,
/// without spaces, and each different.
pub(super) fn begins_table(head: &[u8], text_field: &str) -> bool {
    let line = first_line(head);
    let is_name = |name: &&[u8]| {
        (1..=60).contains(&name.len())
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'"'))
    };
    SEPARATORS.into_iter().any(|separator| {
        let names: Vec<&[u8]> = line.split(|byte| *byte == separator).collect();
        line.len() < head.len()
            && names.len() > 1
            && names.iter().all(is_name)
            && names.iter().any(|name| is_called(name, text_field))
    })
}

/// What was read as a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Row {
    Whole,
    /// One over the limit for a document.
    TooLong,
    /// One with more cells than columns.
    TooWide,
}

/// Rows of limited length and width: of larger ones nothing is held in memory.
struct Rows<'r> {
    reader: Box<dyn BufRead + 'r>,
    core: Reader,
    separator: u8,
    limit: u64,
    /// The bytes of the cells, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    cells: usize,
    /// The line on which the row begins, from 1.
    line: u64,
}

impl<'r> Rows<'r> {
    fn new(reader: Box<dyn BufRead + 'r>, separator: u8, limit: u64) -> Rows<'r> {
        let core = ReaderBuilder::new().delimiter(separator).build();
        Rows { reader, core, separator, limit, bytes: Vec::new(), ends: Vec::new(), cells: 0, line: 1 }
    }

    /// Continues with a new row.
    fn restart(&mut self) {
        let line = self.core.line();
        self.core = ReaderBuilder::new().delimiter(self.separator).build();
        self.core.set_line(line);
    }

    /// Reads the next row, of at most so many cells.
    fn next(&mut self, most_cells: usize) -> io::Result<Option<Row>> {
        if self.bytes.len() > KEPT_BUFFER {
            self.bytes = Vec::new();
        }
        self.bytes.resize(self.bytes.len().max(4 << 10), 0);
        self.ends.resize(most_cells, 0);
        let (mut filled, mut cells, mut row) = (0, 0, Row::Whole);
        let mut at_start = true;
        loop {
            let input = match self.reader.fill_buf() {
                Ok(input) => input,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if at_start {
                // Empty lines are no rows.
                let empty = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
                let lines = memchr::memchr_iter(b'\n', &input[..empty]).count() as u64;
                self.core.set_line(self.core.line() + lines);
                self.line = self.core.line();
                if empty > 0 {
                    self.reader.consume(empty);
                    continue;
                }
                at_start = false;
            }
            let (result, read, written, ended) =
                self.core.read_record(input, &mut self.bytes[filled..], &mut self.ends[cells..]);
            self.reader.consume(read);
            if row == Row::Whole {
                filled += written;
                cells += ended;
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if row == Row::Whole && (self.bytes.len() as u64) < self.limit => {
                    let size = (self.bytes.len() as u64 * 2).min(self.limit);
                    self.bytes.resize(size as usize, 0);
                }
                // What is read from here on replaces what was read.
                ReadRecordResult::OutputFull => (row, filled, cells) = (Row::TooLong, 0, 0),
                ReadRecordResult::OutputEndsFull => {
                    row = if row == Row::Whole { Row::TooWide } else { row };
                    (filled, cells) = (0, 0);
                }
                ReadRecordResult::Record => {
                    self.cells = cells;
                    return Ok(Some(if filled as u64 > self.limit { Row::TooLong } else { row }));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// The cells of a whole row; `None` if they are not UTF-8.
    fn cells(&self) -> Option<Vec<&str>> {
        let ends = &self.ends[..self.cells];
        let text = simdutf8::basic::from_utf8(&self.bytes[..ends.last().copied().unwrap_or_default()]).ok()?;
        let mut start = 0;
        ends.iter().map(|&end| text.get(std::mem::replace(&mut start, end)..end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &[u8], limit: u64) -> Vec<(Row, u64, Vec<String>)> {
        let mut rows = Rows::new(Box::new(io::BufReader::with_capacity(3, table)), b',', limit);
        let mut all = Vec::new();
        while let Some(row) = rows.next(2).expect("memory") {
            let cells = if row == Row::Whole { rows.cells().expect("UTF-8") } else { Vec::new() };
            all.push((row, rows.line, cells.into_iter().map(str::to_owned).collect()));
        }
        all
    }

    #[test]
    fn rows_are_read_with_quotes_and_line_ends() {
        let table = b"a,b\r\n\"one, \"\"two\"\"\nthree\",4\n\n5,6,7\n\n8\n\"9\",";
        let strings = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let expected = [
            (Row::Whole, 1, strings(&["a", "b"])),
            (Row::Whole, 2, strings(&["one, \"two\"\nthree", "4"])),
            (Row::TooWide, 5, Vec::new()),
            (Row::Whole, 7, strings(&["8"])),
            (Row::Whole, 8, strings(&["9", ""])),
        ];
        assert_eq!(rows(table, 1 << 20), expected);
    }

    #[test]
    fn long_rows_are_not_held_in_memory() {
        let long = format!("1,{}\n2,b\n3,\"{}\n{}\"\n4,d\n", "x".repeat(9000), "y,".repeat(9000), "z\n".repeat(9000));
        let found: Vec<(Row, usize)> =
            rows(long.as_bytes(), 5000).into_iter().map(|(row, _, cells)| (row, cells.len())).collect();
        assert_eq!(found, [(Row::TooLong, 0), (Row::Whole, 2), (Row::TooLong, 0), (Row::Whole, 2)]);
    }

    #[test]
    fn separators_and_tables_are_recognised_by_their_first_line() {
        for (line, expected) in [
            ("id,text", b','),
            ("id\ttext, all of it\tyear", b'\t'),
            ("\"a,b,c,d\";\"text\"", b';'),
            ("a;b;\"c,d,e,f\"", b';'),
            ("text", b','),
        ] {
            assert_eq!(separator(line.as_bytes(), "text"), expected, "{line}");
        }
        for (head, expected) in [
            (&b"\xef\xbb\xbfid,text\r\n1,One."[..], true),
            (b"\"id\";\"text\"\n", true),
            (b"id\ttext\n", true),
            (b"id,text", false),
            (b"id,content\n", false),
            (b"A text, and more of it\n", false),
            (b"text\n", false),
            (b"id,text,\n", false),
        ] {
            assert_eq!(begins_table(head, "text"), expected, "{}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn columns_have_different_names() {
        assert_eq!(names(&["text", "", " a ", "a", "a_4"]), ["text", "column_2", "a", "a_4", "a_4_5"]);
    }
}
