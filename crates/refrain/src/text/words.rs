//! Words as passes compare them: letters and digits in lower case, by their hashes.

/// What a character is to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Inside,
    /// A word by itself: scripts that write no spaces.
    Alone,
    /// Between words.
    Outside,
}

/// ASCII in lower case where it belongs to a word, else zero.
static ASCII: [u8; 128] = ascii();

const fn ascii() -> [u8; 128] {
    let mut table = [0; 128];
    let mut at = 0;
    while at < 128 {
        let byte = at as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            table[at] = byte.to_ascii_lowercase();
        }
        at += 1;
    }
    table
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Spreads what is in a hash over all of its bits.
#[inline]
pub(crate) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let hash = (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ hash >> 32
}

/// A word: its hash, and whether it may be a fact: it has a digit or begins with a capital.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The hash of its letters in lower case.
    pub hash: u64,
    /// It has a digit, or begins with a capital.
    pub marked: bool,
}

/// Hands out the words of a text: stretches of letters, digits and underscores, whatever their case. Characters of scripts
/// without spaces are words by themselves.
///
/// ```
/// use refrain::text::words;
///
/// let of = |text: &str| { let mut all = Vec::new(); words(text, |word| all.push(word.hash)); all };
/// assert_eq!(of("The lamp, THE lamp."), of("the Lamp\nthe lamp"));
/// assert_eq!(of("灯台").len(), 2);
/// ```
pub fn words(text: &str, mut found: impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let (mut hash, mut marked, mut at) = (SEED, false, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte < 0x80 {
            at += 1;
            let lower = ASCII[usize::from(byte)];
            if lower != 0 {
                marked |= byte.is_ascii_digit() || (hash == SEED && byte.is_ascii_uppercase());
                hash = (hash ^ u64::from(lower)).wrapping_mul(PRIME);
                continue;
            }
        } else {
            let Some(c) = text[at..].chars().next() else { break };
            at += c.len_utf8();
            let class = class(c);
            if class == Class::Inside {
                marked |= c.is_numeric() || (hash == SEED && c.is_uppercase());
                for lower in c.to_lowercase() {
                    hash = (hash ^ u64::from(u32::from(lower))).wrapping_mul(PRIME);
                }
                continue;
            }
            if class == Class::Alone {
                if hash != SEED {
                    found(Word { hash: mix(hash), marked });
                }
                hash = (SEED ^ u64::from(u32::from(c))).wrapping_mul(PRIME);
                marked = false;
            }
        }
        if hash != SEED {
            found(Word { hash: mix(hash), marked });
            (hash, marked) = (SEED, false);
        }
    }
    if hash != SEED {
        found(Word { hash: mix(hash), marked });
    }
}

#[rustfmt::skip] // a table
fn class(c: char) -> Class {
    match c {
        // Thai, Lao, Burmese, Khmer; Japanese and Chinese.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
            => Class::Alone,
        // Signs above and below letters.
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{dff}' => Class::Inside,
        _ if c.is_alphanumeric() => Class::Inside,
        _ => Class::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Word> {
        let mut all = Vec::new();
        words(text, |word| all.push(word));
        all
    }

    #[test]
    fn words_are_letters_and_digits_in_any_case() {
        assert_eq!(of("Don't go_on 1999!").len(), 4);
        assert_eq!(
            of("ÄRGER  straße"),
            of("Ärger\tStraße").into_iter().enumerate().map(|(n, w)| Word { marked: n == 0, ..w }).collect::<Vec<_>>()
        );
        assert_eq!(of(" \n--- "), []);
        assert_ne!(of("ab c"), of("a bc"));
    }

    #[test]
    fn capitals_and_digits_mark_facts() {
        let marked: Vec<bool> = of("on Monday at 5pm room b12").iter().map(|word| word.marked).collect();
        assert_eq!(marked, [false, true, false, true, false, true]);
    }

    #[test]
    fn scripts_without_spaces_have_a_word_a_character() {
        assert_eq!(of("灯台は明るい").len(), 6);
        assert_eq!(of("abc灯d").len(), 3);
    }
}
