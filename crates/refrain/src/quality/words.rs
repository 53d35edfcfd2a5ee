//! Words and sentences as the filters count them that set the published limits.
//!
//! Those filters run with the tokeniser of spaCy, so a limit such as "50 words" means its tokens. This module follows its rules:
//! split at white space, split punctuation from both ends of a stretch, keep addresses whole, split what is left at hyphens and
//! other signs between letters. Each character of a script without spaces is a word.

use super::exceptions::{is_smiley, parts};
use crate::document::Span;
use crate::text::scripts::is_unspaced;
use crate::url::without_scheme;

/// Hands out the words of a text, punctuation marks included, by their bytes. In English, contractions are two words.
///
/// ```
/// use refrain::quality::words;
///
/// let of = |text: &'static str| { let mut all = Vec::new(); words(text, true, |word| all.push(word.of(text))); all };
/// assert_eq!(of("Don't go (yet), see https://a.example/x?y."), ["Do", "n't", "go", "(", "yet", ")", ",", "see", "https://a.example/x?y", "."]);
/// ```
pub fn words(text: &str, english: bool, mut found: impl FnMut(Span)) {
    let mut suffixes = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !is_space(c) {
            from = from.or(Some(at));
        } else if let Some(start) = from.take() {
            stretch(text, Span::new(start, at), english, &mut suffixes, &mut found);
        }
    }
}

/// The number of sentences: a sentence ends with a mark that ends sentences, and the next one begins with the next word.
pub fn count_sentences(text: &str, english: bool) -> usize {
    let (mut sentences, mut ended) = (0, false);
    words(text, english, |word| {
        let word = word.of(text);
        let ends = is_sentence_end(word);
        if sentences == 0 {
            sentences = 1;
        } else if ended && !ends && !word.chars().all(is_punctuation) {
            sentences += 1;
            ended = false;
        }
        ended |= ends;
    });
    sentences
}

/// White space, and the separators that Python counts with it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The words of a stretch without white space.
fn stretch(text: &str, span: Span, english: bool, suffixes: &mut Vec<Span>, found: &mut impl FnMut(Span)) {
    let whole = span.of(text);
    if whole.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return exception(text, span, english, found).unwrap_or_else(|| found(span));
    }
    let mut rest = span;
    suffixes.clear();
    while !rest.is_empty() && !is_exception(rest.of(text), english) {
        let before = rest;
        let prefix = prefix(rest.of(text));
        let inner = Span::new(rest.start + prefix, rest.end);
        if prefix > 0 && is_exception(inner.of(text), english) {
            emit(text, Span::new(rest.start, inner.start), found);
            rest = inner;
            break;
        }
        let suffix = suffix(inner.of(text));
        let without = Span::new(rest.start, rest.end - suffix);
        if suffix > 0 && is_exception(without.of(text), english) {
            suffixes.push(Span::new(without.end, rest.end));
            rest = without;
            break;
        }
        if prefix > 0 {
            emit(text, Span::new(rest.start, inner.start), found);
            rest.start = inner.start;
        }
        if suffix > 0 {
            suffixes.push(Span::new(without.end, rest.end));
            rest.end = without.end;
        }
        if rest == before {
            break;
        }
    }
    if !rest.is_empty() && exception(text, rest, english, found).is_none() {
        middle(text, rest, english, found);
    }
    for suffix in suffixes.iter().rev() {
        emit(text, *suffix, found);
    }
}

fn is_exception(word: &str, english: bool) -> bool {
    is_smiley(word) || (english && parts(word).is_some())
}

/// The parts of a word that the rules do not divide as other words.
fn exception(text: &str, span: Span, english: bool, found: &mut impl FnMut(Span)) -> Option<()> {
    let word = span.of(text);
    if is_smiley(word) {
        found(span);
        return Some(());
    }
    if !english {
        return None;
    }
    let mut start = span.start;
    for chars in parts(word)? {
        let left = text.get(start..span.end).unwrap_or_default();
        let end = start + left.char_indices().nth(*chars).map_or(left.len(), |(at, _)| at);
        found(Span::new(start, end));
        start = end;
    }
    Some(())
}

/// What is left of a stretch after its ends: an address, or words between signs.
fn middle(text: &str, span: Span, english: bool, found: &mut impl FnMut(Span)) {
    let word = span.of(text);
    if word.contains('.') && is_address(word) {
        return found(span);
    }
    let mut start = 0;
    let mut at = 0;
    while at < word.len() {
        let length = infix(word, at, english);
        if length == 0 {
            at += word[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        // A sign at the very start is a part of the word behind it.
        if at > 0 {
            if at > start {
                emit(text, Span::new(span.start + start, span.start + at), found);
            }
            emit(text, Span::new(span.start + at, span.start + at + length), found);
            start = at + length;
        }
        at += length;
    }
    if start < word.len() {
        emit(text, Span::new(span.start + start, span.end), found);
    }
}

/// Hands out a word; characters of scripts without spaces one by one.
fn emit(text: &str, span: Span, found: &mut impl FnMut(Span)) {
    let word = span.of(text);
    if word.is_ascii() || !word.contains(is_unspaced) {
        return found(span);
    }
    let mut start = span.start;
    for (at, c) in word.char_indices() {
        let at = span.start + at;
        if is_unspaced(c) {
            if start < at {
                found(Span::new(start, at));
            }
            start = at + c.len_utf8();
            found(Span::new(at, start));
        }
    }
    if start < span.end {
        found(Span::new(start, span.end));
    }
}

/// The bytes of the sign that a stretch begins with; zero if it begins with none.
fn prefix(word: &str) -> usize {
    let mut chars = word.chars();
    let Some(first) = chars.next() else { return 0 };
    let next = chars.next();
    match first {
        '+' if !next.is_some_and(|c| c.is_ascii_digit()) => 1,
        '.' if next == Some('.') => word.len() - word.trim_start_matches('.').len(),
        'U' if word.starts_with("US$") => 3,
        'A' | 'C' if next == Some('$') => 2,
        '§' | '%' | '=' | '—' | '–' => first.len_utf8(),
        c if is_sign(c) || is_currency(c) => c.len_utf8(),
        _ => 0,
    }
}

/// The bytes of the sign, the unit or the 's that a stretch ends with; zero if it ends with none.
fn suffix(word: &str) -> usize {
    let mut chars = word.chars();
    let Some(last) = chars.next_back() else { return 0 };
    let before = chars.next_back();
    let after_digit = |length: usize| {
        let rest = word.len().checked_sub(length + 1).and_then(|at| word.as_bytes().get(at));
        rest.is_some_and(u8::is_ascii_digit)
    };
    if last == '.' {
        let dots = word.len() - word.trim_end_matches('.').len();
        if dots > 1 {
            return dots;
        }
        return usize::from(before.is_some_and(|before| is_before_full_stop(before, chars.next_back())));
    }
    if word.ends_with("……") {
        return "……".len();
    }
    if matches!(last, 's' | 'S')
        && let Some(apostrophe @ ('\'' | '’')) = before
    {
        return 1 + apostrophe.len_utf8();
    }
    if is_currency(last) {
        let country = ["US$", "C$", "A$"].into_iter().find(|sign| word.ends_with(sign) && after_digit(sign.len()));
        let length = country.map_or(last.len_utf8(), str::len);
        if after_digit(length) {
            return length;
        }
    }
    if is_sign(last) || matches!(last, '—' | '–') {
        return last.len_utf8();
    }
    if last == '+' && after_digit(1) {
        return 1;
    }
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    let unit =
        UNITS.split(' ').filter(|unit| word.ends_with(unit) && after_digit(unit.len())).max_by_key(|unit| unit.len());
    unit.map_or(0, str::len)
}

/// True if a full stop after these characters ends a sentence, not an abbreviation.
fn is_before_full_stop(last: char, before: Option<char>) -> bool {
    let degrees = before == Some('°') && matches!(last, 'F' | 'f' | 'C' | 'c' | 'K' | 'k');
    last.is_ascii_digit()
        || is_small(last)
        || matches!(last, '%' | '²' | '-' | '+' | '|')
        || is_mark(last)
        || degrees
        || (is_capital(last) && before.is_some_and(is_capital))
}

/// The bytes of the sign that divides a word here; zero if none does.
fn infix(word: &str, at: usize, english: bool) -> usize {
    let rest = &word[at..];
    let Some(sign) = rest.chars().next() else { return 0 };
    if sign.is_alphanumeric() {
        return 0;
    }
    let before = word[..at].chars().next_back();
    let behind = |length: usize| rest.get(length..).and_then(|rest| rest.chars().next());
    let next = behind(sign.len_utf8());
    let letter_before = before.is_some_and(is_letter);
    let digit_before = before.is_some_and(|c| c.is_ascii_digit());
    let is_quote = |c: char| QUOTES.contains(c) || c == ',';
    match sign {
        '.' if next == Some('.') => return rest.len() - rest.trim_start_matches('.').len(),
        '.' if before.is_some_and(|c| is_small(c) || is_quote(c))
            && next.is_some_and(|c| is_capital(c) || is_quote(c)) =>
        {
            return 1;
        }
        '…' => return sign.len_utf8(),
        ',' if letter_before && next.is_some_and(is_letter) => return 1,
        ':' | '<' | '>' | '=' | '/' if (letter_before || digit_before) && next.is_some_and(is_letter) => return 1,
        '+' | '-' | '*' | '^' if digit_before && next.is_some_and(|c| c.is_ascii_digit() || c == '-') => return 1,
        _ => {}
    }
    if letter_before || (english && digit_before) {
        let hyphen = ["-", "–", "—", "--", "---", "——", "~"]
            .into_iter()
            .find(|hyphen| rest.starts_with(hyphen) && behind(hyphen.len()).is_some_and(is_letter));
        if let Some(hyphen) = hyphen {
            return hyphen.len();
        }
    }
    if is_picture(sign) { sign.len_utf8() } else { 0 }
}

/// True for an address of the web or of mail.
fn is_address(word: &str) -> bool {
    let is_scheme = |name: &str| {
        name.chars().count() >= 2 && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.'))
    };
    let rest = without_scheme(word);
    let name = word.strip_suffix(rest).and_then(|start| start.strip_suffix("://"));
    let scheme = name.filter(|name| is_scheme(name)).map(|_| rest);
    [Some(word), scheme].into_iter().flatten().any(|rest| {
        let users = rest.match_indices('@').filter(|(at, _)| *at > 0).map(|(at, _)| &rest[at + 1..]);
        std::iter::once(rest).chain(users).any(is_host_and_path)
    })
}

fn is_host_and_path(address: &str) -> bool {
    let (host, rest) = address.split_at(address.find([':', '/', '?', '#']).unwrap_or(address.len()));
    let path = match rest.strip_prefix(':') {
        None => rest,
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if !(2..=5).contains(&digits) {
                return false;
            }
            &rest[digits..]
        }
    };
    if !(path.is_empty() || path.starts_with(['/', '?', '#'])) {
        return false;
    }
    if let Ok(address) = host.parse::<std::net::Ipv4Addr>() {
        let [first, .., last] = address.octets();
        let local = address.is_private() || address.is_loopback() || address.is_link_local();
        return !local && (1..=223).contains(&first) && (1..=254).contains(&last);
    }
    let Some((names, top)) = host.rsplit_once('.') else { return false };
    let inside = |c: char| c.is_ascii_alphanumeric() || ('\u{a1}'..='\u{ffff}').contains(&c);
    let is_name = |name: &str| {
        name.chars().count() <= 64
            && name.starts_with(inside)
            && name.ends_with(inside)
            && name.chars().all(|c| inside(c) || matches!(c, '_' | '-'))
    };
    (2..=63).contains(&top.chars().count()) && top.chars().all(is_small) && names.split('.').all(is_name)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// A small letter, or one of a script without capitals.
fn is_small(c: char) -> bool {
    c.is_alphabetic() && !c.is_uppercase()
}

/// A capital, or a letter of a script without capitals.
fn is_capital(c: char) -> bool {
    c.is_uppercase() || (c.is_alphabetic() && !c.is_lowercase())
}

/// A sign that is a word of its own at both ends of a stretch.
fn is_sign(c: char) -> bool {
    is_mark(c) || is_picture(c)
}

const QUOTES: &str = "'\"”“`‘´’‚„»«「」『』（）〔〕【】《》〈〉〈〉⟦⟧";

/// A punctuation mark or a quotation mark.
fn is_mark(c: char) -> bool {
    match c {
        ',' | ':' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '_' | '#' | '*' | '&' => true,
        _ if c.is_ascii_alphanumeric() => false,
        _ => "…¿؟¡。？！，、；：～·।،۔؛٪".contains(c) || QUOTES.contains(c),
    }
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '¥' | '฿' | '₽' | '﷼' | '\u{20a0}'..='\u{20bf}')
}

/// Units that are a word of their own behind a number.
const UNITS: &str = "km km² km³ m m² m³ dm dm² dm³ cm cm² cm³ mm mm² mm³ ha µm nm yd in ft kg g mg µg t lb oz m/s km/h kmh mph hPa Pa \
    mbar mb MB kb KB gb GB tb TB T G M K % км км² км³ м м² м³ дм дм² дм³ см см² см³ мм мм² мм³ нм кг г мг м/с км/ч кПа Па мбар \
    Кб КБ кб Мб МБ мб Гб ГБ гб Тб ТБ كم كم² كم³ م م² م³ سم سم² سم³ مم مم² مم³ غرام جرام جم كغ ملغ كوب اكواب";

/// A symbol that is no letter, mark, currency or operator, such as an emoji (the category So of Unicode, where it is in use).
#[rustfmt::skip] // a table
fn is_picture(c: char) -> bool {
    matches!(c, '¦' | '©' | '®' | '°' | '\u{482}' | '\u{6de}' | '\u{6e9}' | '\u{2100}' | '\u{2101}' | '\u{2103}'..='\u{2106}'
        | '\u{2108}' | '\u{2109}' | '\u{2114}' | '\u{2116}' | '\u{2117}' | '\u{211e}'..='\u{2123}' | '\u{2125}' | '\u{2127}'
        | '\u{2129}' | '\u{212e}' | '\u{2195}'..='\u{2199}' | '\u{219c}'..='\u{219f}' | '\u{21a1}' | '\u{21a2}' | '\u{21a4}'
        | '\u{21a5}' | '\u{21a7}'..='\u{21ad}' | '\u{21af}'..='\u{21cd}' | '\u{21d0}' | '\u{21d1}' | '\u{21d3}'
        | '\u{21d5}'..='\u{21f3}' | '\u{2300}'..='\u{2307}' | '\u{230c}'..='\u{231f}' | '\u{2322}'..='\u{2328}'
        | '\u{232b}'..='\u{237b}' | '\u{237d}'..='\u{239a}' | '\u{23b4}'..='\u{23db}' | '\u{23e2}'..='\u{2426}'
        | '\u{2440}'..='\u{244a}' | '\u{249c}'..='\u{24e9}' | '\u{2500}'..='\u{25b6}' | '\u{25b8}'..='\u{25c0}'
        | '\u{25c2}'..='\u{25f7}' | '\u{2600}'..='\u{266e}' | '\u{2670}'..='\u{2767}' | '\u{2794}'..='\u{27bf}'
        | '\u{2800}'..='\u{28ff}' | '\u{2b00}'..='\u{2b2f}' | '\u{2b45}' | '\u{2b46}' | '\u{2b4d}'..='\u{2bfe}'
        | '\u{3004}' | '\u{3012}' | '\u{3013}' | '\u{3020}' | '\u{3200}'..='\u{321e}' | '\u{3260}'..='\u{327f}'
        | '\u{32c0}'..='\u{33ff}' | '\u{fdfd}' | '\u{ffe4}' | '\u{ffe8}' | '\u{ffed}' | '\u{ffee}' | '\u{fffc}' | '\u{fffd}'
        | '\u{1f000}'..='\u{1f0f5}' | '\u{1f110}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f9ff}' | '\u{1fa60}'..='\u{1fa6d}')
}

/// The punctuation of Unicode (the categories P), where it is in use.
fn is_punctuation(c: char) -> bool {
    match c {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        _ if c.is_ascii() => c.is_ascii_punctuation(),
        '\u{2044}' | '\u{2052}' => false,
        '¡'
        | '§'
        | '«'
        | '¶'
        | '·'
        | '»'
        | '¿'
        | '\u{37e}'
        | '\u{387}'
        | '\u{589}'
        | '\u{5be}'
        | '\u{60c}'
        | '\u{61b}'
        | '\u{66a}'..='\u{66d}'
        | '\u{2010}'..='\u{2027}'
        | '\u{2030}'..='\u{205e}'
        | '\u{2308}'..='\u{230b}'
        | '\u{2329}'
        | '\u{232a}'
        | '\u{2768}'..='\u{2775}'
        | '\u{27e6}'..='\u{27ef}'
        | '\u{2e00}'..='\u{2e5d}'
        | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}'
        | '\u{30fb}'
        | '\u{ff01}'..='\u{ff03}'
        | '\u{ff05}'..='\u{ff0a}'
        | '\u{ff0c}'..='\u{ff0f}'
        | '\u{ff1a}'
        | '\u{ff1b}'
        | '\u{ff1f}'
        | '\u{ff20}'
        | '\u{ff3b}'..='\u{ff3d}'
        | '\u{ff5b}'
        | '\u{ff5d}'
        | '\u{ff5f}'..='\u{ff65}' => true,
        _ => ends_sentence(c),
    }
}

fn is_sentence_end(word: &str) -> bool {
    let mut chars = word.chars();
    matches!((chars.next(), chars.next()), (Some(c), None) if ends_sentence(c))
}

/// The characters that end sentences in the scripts of the world (the property Sentence_Terminal of Unicode), and the interrobang.
#[rustfmt::skip] // a table
pub(super) fn ends_sentence(c: char) -> bool {
    match c {
        '.' | '!' | '?' => true,
        _ if c.is_ascii() => false,
        '։' | '\u{61d}' | '؞' | '؟' | '۔' | '܀'..='܂' | '߹' | '࠷' | '࠹' | '࠽' | '࠾' | '।' | '॥' | '၊' | '။' | '።' | '፧' | '፨'
        | '᙮' | '᜵' | '᜶' | '។'..='៖' | '៙' | '៚' | '᠃' | '᠉' | '᥄' | '᥅' | '᪨'..='᪫' | '᭚' | '᭛' | '᭞' | '᭟' | '\u{1b7d}' | '\u{1b7e}'
        | '᰻' | '᰼' | '᱾' | '᱿' | '‼' | '‽' | '⁇'..='⁉' | '⸮' | '⸼' | '\u{2e53}' | '\u{2e54}' | '。' | '꓿' | '꘎' | '꘏' | '꛳' | '꛷' | '꡶' | '꡷'
        | '꣎' | '꣏' | '꤯' | '꧈' | '꧉' | '꩝'..='꩟' | '꫰' | '꫱' | '꯫' | '﹒' | '﹖' | '﹗' | '！' | '．' | '？' | '｡' => true,
        _ => matches!(c as u32, 0x10a56 | 0x10a57 | 0x10f55..=0x10f59 | 0x10f86..=0x10f89 | 0x11047 | 0x11048 | 0x110be..=0x110c1
            | 0x11141..=0x11143 | 0x111c5 | 0x111c6 | 0x111cd | 0x111de | 0x111df | 0x11238 | 0x11239 | 0x1123b | 0x1123c | 0x112a9
            | 0x1144b | 0x1144c | 0x115c2 | 0x115c3 | 0x115c9..=0x115d7 | 0x11641 | 0x11642 | 0x1173c..=0x1173e | 0x11944 | 0x11946
            | 0x11a42 | 0x11a43 | 0x11a9b | 0x11a9c | 0x11c41 | 0x11c42 | 0x11ef7 | 0x11ef8 | 0x11f43 | 0x11f44 | 0x16a6e | 0x16a6f
            | 0x16af5 | 0x16b37 | 0x16b38 | 0x16b44 | 0x16e98 | 0x1bc9f | 0x1da88),
    }
}

/// True for a word of punctuation and control characters alone, as datatrove lists them.
pub(super) fn is_symbols(word: &str) -> bool {
    word.chars().all(|c| match c {
        _ if c.is_ascii() => c.is_ascii_punctuation() || c.is_ascii_control(),
        '\u{80}'..='\u{9f}' => true,
        _ => "—”％１〈、━【「」，】；“《„’∶´．（–？！：～«〉》）。…►»".contains(c) || ends_sentence(c),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, english: bool) -> Vec<&str> {
        let mut all = Vec::new();
        words(text, english, |word| all.push(word.of(text)));
        all
    }

    #[test]
    fn words_are_those_of_the_published_tokeniser() {
        // Each of these was compared with the English tokeniser of spaCy 3.8.
        for (text, expected) in [
            ("He said: \"No...\" (twice).", "He said : \" No ... \" ( twice ) ."),
            ("I can't, won’t and shouldn't've.", "I ca n't , wo n’t and should n't 've ."),
            ("Mr. Hart left at 5p.m. on Dec. 3rd.", "Mr. Hart left at 5 p.m. on Dec. 3rd ."),
            ("a well-known 10-year-old $5.00 10km 5%", "a well - known 10 - year - old $ 5.00 10 km 5 %"),
            ("Read a.b@c.example or www.x.example/y?z=1.", "Read a.b@c.example or www.x.example/y?z=1 ."),
            ("the U.S. and the EU. It's the keeper's;", "the U.S. and the EU . It 's the keeper 's ;"),
            ("either/or, x=y 3-4 a,b end.Next", "either / or , x = y 3 - 4 a , b end . Next"),
            ("yes :) and ;-) ok…", "yes :) and ;-) ok …"),
            ("US$5 and 5€ +5 + 1", "US$ 5 and 5 € +5 + 1"),
        ] {
            assert_eq!(of(text, true).join(" "), expected);
        }
        assert_eq!(of("灯台は light", false), ["灯", "台", "は", "light"]);
        assert_eq!(of("don't", false), ["don't"]);
    }

    #[test]
    fn sentences_begin_after_the_mark_that_ends_one() {
        for (text, count) in [("", 0), ("One", 1), ("One. Two? \"Three!\" Four", 4), ("Mr. Hart went... home.", 1)] {
            assert_eq!(count_sentences(text, true), count, "{text}");
        }
        assert_eq!(count_sentences("یک۔ دو۔", false), 2);
    }

    proptest! {
        /// Words are in order and apart, and only white space is outside them.
        #[test]
        fn no_character_is_lost(text in "([a-zA-Z'.,:)(\\-/@…’0-9$é灯 \n]|\\PC){0,60}") {
            for english in [true, false] {
                let mut end = 0;
                words(&text, english, |word| {
                    assert!(word.start >= end && word.end > word.start, "{word:?}");
                    assert!(text[end..word.start].chars().all(is_space) && !word.of(&text).is_empty());
                    end = word.end;
                });
                prop_assert!(text[end..].chars().all(is_space));
            }
        }
    }
}
