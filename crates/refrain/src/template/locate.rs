//! Blocks of text found again in the page they came from.

use super::tokens::{Kind, Token, hash, tokens};
use crate::document::Span;

/// Words of a block that are looked for.
const WORDS: usize = 6;
/// Of them, how many must be found.
const ENOUGH: usize = 2;

/// Where the blocks that are kept stand in the page they were taken from. All blocks of the page are named, in its order; those
/// on end that are kept make one range, with the markup between them. A block that is not found (its letters were written in
/// another way) belongs to what stands around it.
pub fn locate<'a>(page: &str, blocks: impl IntoIterator<Item = (&'a str, bool)>) -> Vec<Span> {
    let shown: Vec<Token> = tokens(page).into_iter().filter(|token| token.kind.is_text()).collect();
    let mut ranges: Vec<Span> = Vec::new();
    let mut from = 0;
    let mut open = false;
    for (block, kept) in blocks {
        let words: Vec<u64> = words(block).map(|(_, hash)| hash).collect();
        let Some(first) = find(&shown[from..], &words).map(|at| from + at) else { continue };
        // The end of the block: as many words on.
        let mut left = words.len();
        let mut last = first;
        for (index, token) in shown.iter().enumerate().skip(first) {
            if left == 0 {
                break;
            }
            if token.kind != Kind::Sign && words.contains(&token.hash) {
                left -= 1;
                last = index;
            } else if index - first > words.len() * 2 + 16 {
                break;
            }
        }
        let (start, end) = (shown[first].start as usize, shown[last].end as usize);
        match ranges.last_mut() {
            Some(range) if kept && open => range.end = end,
            _ if kept => ranges.push(Span::new(start, end)),
            _ => {}
        }
        open = kept;
        from = last + 1;
    }
    ranges
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = (Token, u64)> + '_ {
    let tokens = tokens(text).into_iter();
    tokens.filter(|token| matches!(token.kind, Kind::Word | Kind::Link)).map(move |token| {
        let word = &text.as_bytes()[token.start as usize..token.end as usize];
        (token, hash(word))
    })
}

/// The first place where most of the first words follow each other closely.
fn find(shown: &[Token], words: &[u64]) -> Option<usize> {
    let wanted = &words[..words.len().min(WORDS)];
    let need = ENOUGH.min(wanted.len());
    if need == 0 {
        return None;
    }
    let starts = (0..shown.len()).filter(|at| shown[*at].hash == wanted[0]);
    starts.into_iter().find(|start| {
        let near = &shown[*start..shown.len().min(start + 3 * WORDS)];
        let mut next = wanted.iter().peekable();
        let mut found = 0;
        for token in near {
            if next.peek() == Some(&&token.hash) {
                next.next();
                found += 1;
            }
        }
        found >= need.max(wanted.len().div_ceil(2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_blocks_on_end_are_one_range() {
        let page = "<nav>Home About</nav><p>The lamp is <b>lit</b> at dusk.</p><p>Gulls sleep on it.</p><p>Share this page</p>";
        let blocks = [
            ("Home About", false),
            ("The lamp is lit at dusk.", true),
            ("Gulls sleep on it.", true),
            ("Share this page", false),
        ];
        let found: Vec<&str> = locate(page, blocks).iter().map(|span| span.of(page)).collect();
        assert_eq!(found, ["The lamp is <b>lit</b> at dusk.</p><p>Gulls sleep on it"]);
    }

    #[test]
    fn what_is_not_found_is_passed_over() {
        assert!(locate("<p>a b</p>", [("c d", true), ("", true)]).is_empty());
        assert!(locate("", [("c d", true)]).is_empty());
    }
}
