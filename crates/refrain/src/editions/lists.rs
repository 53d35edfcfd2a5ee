//! Dictionaries and word lists: texts whose lines or paragraphs begin in alphabetical order.
//!
//! Two such texts have the same words in the same order without sharing any text.

/// The minimum number of first words to compare.
const LEAST: u32 = 60;
/// The minimum share of words in alphabetical order. In running text, it is about one half.
const ORDERED: f64 = 0.85;
/// Letters of a word that are compared.
const LETTERS: usize = 6;

/// True for a text that is in alphabetical order.
pub(super) fn is_list(text: &str) -> bool {
    let (mut lines, mut paragraphs) = (Order::default(), Order::default());
    let mut blank = true;
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(first) = first_word(line) {
            lines.next(first);
            if blank {
                paragraphs.next(first);
            }
        }
        blank = line.is_empty();
    }
    lines.is_alphabetical() || paragraphs.is_alphabetical()
}

type Letters = [char; LETTERS];

/// The letters that a line begins with, in lower case.
fn first_word(line: &str) -> Option<Letters> {
    let mut letters = ['\0'; LETTERS];
    let word = line.trim_start_matches(|c: char| !c.is_alphabetic());
    // A line that begins with a number or bracket may still be an entry; a line of signs is not.
    if word.len() + 8 < line.len() {
        return None;
    }
    let lower = word.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase);
    letters.iter_mut().zip(lower).for_each(|(to, from)| *to = from);
    (letters[0] != '\0').then_some(letters)
}

/// How often a word follows the one before it in the alphabet.
#[derive(Default)]
struct Order {
    last: Option<Letters>,
    steps: u32,
    up: u32,
}

impl Order {
    fn next(&mut self, word: Letters) {
        if let Some(last) = self.last.filter(|last| *last != word) {
            self.steps += 1;
            self.up += u32::from(last < word);
        }
        self.last = Some(word);
    }

    fn is_alphabetical(&self) -> bool {
        self.steps >= LEAST && f64::from(self.up) >= ORDERED * f64::from(self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_distinguished_from_a_story() {
        let entries = (0..200_u32).map(|n| {
            let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
            format!("{}{}{}, n. what the {} is.\n\n", letter(n / 26), letter(n), letter(n), letter(n * 7))
        });
        assert!(is_list(&entries.collect::<String>()));
        let words = ["the", "keeper", "lit", "a", "lamp", "and", "went", "down", "to", "his", "boat"];
        let story = (0..400).map(|n| format!("{} line of it\n", words[n * n * 7 % 11]));
        assert!(!is_list(&story.collect::<String>()));
        assert!(!is_list(""));
    }
}
