//! Offsets in the normalised page: every run of space, tab, carriage return and line feed is one space.

use crate::document::Span;

/// The page with every run of white space turned into one space; nothing is trimmed.
pub fn normalise(text: &str) -> String {
    let mut normalised = String::with_capacity(text.len());
    let mut in_space = false;
    for character in text.chars() {
        let space = is_space(character);
        if !(space && in_space) {
            normalised.push(if space { ' ' } else { character });
        }
        in_space = space;
    }
    normalised
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// Ranges of a page, in order, as code points of the normalised page.
pub fn normalised_ranges(text: &str, ranges: &[Span]) -> Vec<(usize, usize)> {
    let mut characters = text.char_indices();
    let (mut count, mut in_space) = (0, false);
    let mut next = 0;
    // Characters of the normalised page in front of a byte. Bytes are asked for in order.
    let mut before = |byte: usize| {
        while next < byte {
            match characters.next() {
                Some((at, character)) => {
                    let space = is_space(character);
                    count += usize::from(!(space && in_space));
                    in_space = space;
                    next = at + character.len_utf8();
                }
                None => break,
            }
        }
        count
    };
    ranges.iter().map(|range| (before(range.start), before(range.end))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn offsets_are_those_of_the_normalised_prefix(text in "[aé \t\r\n漢]{0,30}", a in 0_usize..90, b in 0_usize..90) {
            let (a, b) = (a.min(b).min(text.len()), a.max(b).min(text.len()));
            prop_assume!(text.is_char_boundary(a) && text.is_char_boundary(b));
            let length = |end: usize| normalise(&text[..end]).chars().count();
            prop_assert_eq!(normalised_ranges(&text, &[Span::new(a, b)]), vec![(length(a), length(b))]);
        }
    }
}
