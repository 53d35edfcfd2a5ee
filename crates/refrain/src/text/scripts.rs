//! Scripts that are written without spaces between words.
//!
//! Methods count each character of these scripts as a word. The sets differ in rare characters only. They are separate because
//! indexes, libraries and learned templates on disk hold hashes of the words they produce.

/// Thai, Lao, Burmese and Khmer.
#[inline]
pub(crate) const fn is_southeast_asian(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Hiragana, Katakana and Han.
#[inline]
pub(crate) const fn is_chinese_or_japanese(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Katakana that write the sounds of Ainu.
#[inline]
pub(crate) const fn is_phonetic_katakana(c: char) -> bool {
    matches!(c, '\u{31f0}'..='\u{31ff}')
}

/// The scripts without spaces that are in wide use.
#[inline]
pub(crate) const fn is_unspaced(c: char) -> bool {
    is_southeast_asian(c) || is_chinese_or_japanese(c)
}

/// These and all other characters of East Asian scripts except Korean syllables, as templates split them. They include
/// numbers in circles and brackets.
#[inline]
pub(crate) const fn is_unspaced_or_enclosed(c: char) -> bool {
    is_unspaced(c) || matches!(c, '\u{2e80}'..='\u{33ff}' | '\u{4dc0}'..='\u{4dff}' | '\u{ff66}'..='\u{ff9d}')
}

/// The scripts in wide use, Tibetan, and rare characters of Chinese and Japanese: radicals, signs of repetition, Bopomofo,
/// narrow and historic Kana.
#[inline]
pub(crate) const fn is_unspaced_or_rare(c: char) -> bool {
    is_unspaced(c)
        || matches!(c, '\u{f00}'..='\u{fff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{31ff}'
            | '\u{ff66}'..='\u{ff9f}' | '\u{1b000}'..='\u{1b16f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_agree_on_scripts_in_wide_use() {
        for c in "กລမខあア中豈𠀀".chars() {
            assert!(is_unspaced(c) && is_unspaced_or_enclosed(c) && is_unspaced_or_rare(c), "{c}");
        }
        for c in "aé한".chars() {
            assert!(!is_unspaced(c) && !is_unspaced_or_enclosed(c) && !is_unspaced_or_rare(c), "{c}");
        }
    }

    #[test]
    fn the_sets_differ_in_rare_characters() {
        let sets = |c| (is_unspaced(c), is_unspaced_or_enclosed(c), is_unspaced_or_rare(c));
        assert_eq!(sets('ༀ'), (false, false, true));
        assert_eq!(sets('㈠'), (false, true, false));
        assert_eq!(sets('ㄅ'), (false, true, true));
        assert!(is_phonetic_katakana('ㇰ') && !is_unspaced('ㇰ'));
    }
}
