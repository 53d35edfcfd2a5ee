//! Cells of tables for spreadsheets and programs.

/// Text as a table cell for the given column separator. With commas, cells are quoted if needed; otherwise, tabs and
/// line breaks become spaces. An apostrophe protects text that a spreadsheet would interpret as a formula.
///
/// ```
/// use refrain::report::cell;
///
/// assert_eq!(cell("=1+1", '\t'), "'=1+1");
/// assert_eq!(cell("one, two", ','), "\"one, two\"");
/// ```
pub fn cell(text: &str, separator: char) -> String {
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    match separator {
        ',' if text.contains([',', '"', '\n', '\r']) => format!("\"{}\"", text.replace('"', "\"\"")),
        ',' => text,
        _ => text.replace(['\t', '\n', '\r'], " "),
    }
}

/// Characters of a text that a line for people shows.
pub(crate) const SHOWN: usize = 70;

/// The beginning of a text, on one line.
pub(crate) fn excerpt(text: &str, characters: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// A name without control characters, which could do harm to a terminal.
pub fn legible(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
