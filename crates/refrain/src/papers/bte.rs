//! BTE, body text extraction: A. Finn, N. Kushmerick, B. Smyth, Fact or Fiction: Content Classification for Digital
//! Libraries (2001).
//!
//! A page is a sequence of tokens, each a tag or a word. The main content is assumed to be one stretch in the middle
//! with few tags: the one that maximises (tags before it) + (words in it) + (tags after it).

use crate::extract::ParsedPage;

/// Finds the blocks of the main content of a page: those from the first to the last block of the best stretch.
///
/// Stretches begin and end with blocks. As published they could begin and end at any word, which only differs where a
/// block has more tags than words at one of its ends.
///
/// ```
/// use refrain::extract::{bte, segment};
///
/// let page = segment(
///     "<ul><li><a>Home</a><li><a>News</a></ul><p>The lamp was lit on the first of May.<p>It <b>still</b> burns every night.
///      <ul><li><a>Imprint</a></ul>",
/// );
/// assert_eq!(bte(&page), [false, false, true, true, false]);
/// ```
pub fn bte(page: &ParsedPage) -> Vec<bool> {
    let places = &page.outline.places;
    let mut behind = 0;
    let stretches: Vec<Stretch> = page
        .blocks
        .iter()
        .zip(places)
        .map(|(block, place)| {
            let words: i64 = block.span.of(&page.text).split_whitespace().map(|_| 1).sum();
            let stretch =
                Stretch { tags_before: behind + i64::from(place.before), worth: words - i64::from(place.inside) };
            behind = i64::from(place.tags) - i64::from(place.before) - i64::from(place.inside);
            stretch
        })
        .collect();
    let best = best_stretch(&stretches);
    (0..stretches.len()).map(|i| best.is_some_and(|(first, last)| (first..=last).contains(&i))).collect()
}

/// What counts of a block.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// Tags between the text of the block before and its own.
    tags_before: i64,
    /// Words less tags, from its first word to its last.
    worth: i64,
}

/// The first and last block of the best stretch; of several, the one that begins first, and of these the shortest.
///
/// A word inside counts one. A tag inside costs one, since it would count outside. So the best stretch has the largest
/// sum, which one pass finds. The best stretch that ends at a block either extends the best one that ends at the
/// previous block, or starts here.
fn best_stretch(blocks: &[Stretch]) -> Option<(usize, usize)> {
    let mut best: Option<(i64, usize, usize)> = None;
    let (mut sum, mut first) = (0, 0);
    for (i, block) in blocks.iter().enumerate() {
        sum -= block.tags_before;
        if i == 0 || sum < 0 {
            (sum, first) = (0, i);
        }
        sum += block.worth;
        if best.is_none_or(|(most, ..)| sum > most) {
            best = Some((sum, first, i));
        }
    }
    best.map(|(_, first, last)| (first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::segment;

    /// The plain definition: tries every stretch, and counts all tags and words for each.
    fn best_plainly(tokens: &[Vec<bool>], gaps: &[i64]) -> Option<(usize, usize)> {
        let words = |block: &Vec<bool>| block.iter().map(|&is_word| i64::from(is_word)).sum::<i64>();
        let tags = |block: &Vec<bool>| block.iter().map(|&is_word| i64::from(!is_word)).sum::<i64>();
        let mut best: Option<(i64, usize, usize)> = None;
        for first in 0..tokens.len() {
            for last in first..tokens.len() {
                let mut score = 0;
                for (i, block) in tokens.iter().enumerate() {
                    // The gap before a block is inside when the block before it is inside as well.
                    score += if (first + 1..=last).contains(&i) { 0 } else { gaps[i] };
                    score += if (first..=last).contains(&i) { words(block) } else { tags(block) };
                }
                if best.is_none_or(|(most, ..)| score > most) {
                    best = Some((score, first, last));
                }
            }
        }
        best.map(|(_, first, last)| (first, last))
    }

    proptest::proptest! {
        #[test]
        fn the_walk_agrees_with_the_definition(
            blocks in proptest::collection::vec((proptest::collection::vec(proptest::bool::ANY, 0..12), 0..8_i64), 0..24)
        ) {
            let (tokens, gaps): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
            let worth = |block: &Vec<bool>| block.iter().map(|&is_word| if is_word { 1 } else { -1 }).sum();
            let stretches: Vec<_> = tokens
                .iter()
                .zip(&gaps)
                .map(|(block, &tags_before)| Stretch { tags_before, worth: worth(block) })
                .collect();
            proptest::prop_assert_eq!(best_stretch(&stretches), best_plainly(&tokens, &gaps));
        }
    }

    #[test]
    fn tags_are_counted_where_they_occur() {
        // There are two tags between the words of the two blocks, and two inside the second.
        let page = segment("<p>one two three</p><p>four <b>five</b> six seven eight nine</p>");
        assert_eq!(bte(&page), [true, true]);
        let place = page.outline.places[1];
        assert_eq!((place.before, place.inside), (1, 2));
        // There are three tags in between: more than two words make up for.
        let page = segment("<p>one two</p><div><p>three four five</p></div>");
        assert_eq!(bte(&page), [false, true]);
    }

    #[test]
    fn a_page_without_text_has_no_content() {
        assert_eq!(bte(&segment("<p></p>")), [false; 0]);
        assert_eq!(bte(&segment("x")), [true]);
    }
}
