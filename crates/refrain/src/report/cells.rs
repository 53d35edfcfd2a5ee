//! Cells of tables for spreadsheets and programs.

use crate::text::legible;

/// Text as a table cell for the given column separator. With commas, cells are quoted if needed; otherwise, tabs and
/// line breaks become spaces. An apostrophe protects text that a spreadsheet would interpret as a formula.
pub(crate) fn cell(text: &str, separator: char) -> String {
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
    let line = legible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    match line.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn formulas_are_protected_and_separators_quoted() {
        assert_eq!(cell("=1+1", '\t'), "'=1+1");
        assert_eq!(cell("one, two", ','), "\"one, two\"");
    }
}
