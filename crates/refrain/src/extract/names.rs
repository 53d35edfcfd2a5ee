//! Finds people's names in what pages state about their authors.

use super::dates::{Order, find_date};
use super::segment::unescape;

/// Maximum length of a field's value, in characters.
pub(crate) const LONGEST: usize = 500;

/// Maximum length of a person's name.
pub(crate) const LONGEST_NAME: usize = 60;

/// A readable value: references resolved, white space collapsed, cut to a length in characters.
pub(crate) fn tidy(raw: &str, longest: usize) -> String {
    // The rest cannot matter, and some values are whole pages.
    let raw = &raw[..raw.floor_char_boundary(longest * 16)];
    let once = unescape(raw);
    // Pages that were escaped twice are common.
    let text = unescape(&once);
    let mut tidy = String::with_capacity(text.len().min(longest));
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            tidy.push(' ');
        }
        for c in word.chars().filter(|c| !c.is_control()) {
            if length >= longest {
                return tidy.trim_end().to_owned();
            }
            tidy.push(c);
            length += 1;
        }
        length += 1;
    }
    tidy.trim().to_owned()
}

/// Words before the name of an author.
const BEFORE_NAMES: [&str; 26] = [
    "by ",
    "by:",
    "written by ",
    "posted by ",
    "published by ",
    "article by ",
    "post by ",
    "interview by ",
    "story by ",
    "reviewed by ",
    "words by ",
    "author:",
    "authors:",
    "author ",
    "authored by ",
    "submitted by ",
    "contributed by ",
    "text by ",
    "writer:",
    "von ",
    "par ",
    "por ",
    "autor:",
    "door ",
    "från ",
    "текст:",
];

/// The text after the words that introduce an author's name.
pub(crate) fn after_by(text: &str) -> Option<&str> {
    let text = text.trim_start();
    BEFORE_NAMES.iter().find_map(|words| {
        let start = text.get(..words.len())?;
        let same = start.chars().flat_map(char::to_lowercase).eq(words.chars());
        same.then(|| text[words.len()..].trim_start())
    })
}

/// The text after the words with which forums name the author of a discussion: `Discussion in 'Horns' started by Ida`.
pub(crate) fn starter(text: &str) -> Option<&str> {
    text.split_once(" started by ").map(|(_, rest)| rest)
}

/// The names in a line about the author, which may contain other facts: `By Jane Doe | March 3, 2021`.
pub(crate) fn byline(text: &str) -> Option<String> {
    let text = tidy(text, LONGEST);
    let mut text = text.as_str();
    while let Some(rest) = after_by(text) {
        text = rest;
    }
    // The first part that can be a name is the name.
    let parts = text.split(['|', '•', '·', '⋅', '–', '—', '\n', '/', '(', ':']).flat_map(|part| part.split(" - "));
    let mut parts = parts.map(before_date).map(str::trim).filter(|part| !part.is_empty());
    parts.find_map(names)
}

/// The part of a line before a date or another remark about the text.
fn before_date(text: &str) -> &str {
    const ENDS: [&str; 14] = [
        " on ",
        " updated",
        " published",
        " posted",
        " last ",
        " in ",
        " at ",
        ", updated",
        ", published",
        " | ",
        " for ",
        " medically ",
        " reviewed",
        ", edited",
    ];
    let lower: String = text.chars().map(|c| c.to_ascii_lowercase()).collect();
    let digit = lower.find(|c: char| c.is_ascii_digit()).map(|digit| {
        // `March 3`: the word before the number belongs to the date.
        let before = lower[..digit].trim_end_matches([' ', ',', '.']);
        let word = before.rfind([' ', ',']).map_or(0, |space| space + 1);
        let dated = |from: usize| find_date(&text[from..], Order::MonthFirst).is_some();
        let dated = !dated(digit) && dated(word);
        // Digits inside a word belong to a user name.
        let inside = lower[..digit].ends_with(char::is_alphanumeric);
        if dated {
            word
        } else if inside {
            lower.len()
        } else {
            digit
        }
    });
    let end = ENDS.iter().filter_map(|end| lower.find(end)).chain(digit).min().unwrap_or(text.len());
    text[..end].trim_end_matches([' ', ',', '-'])
}

/// The names of people, separated by commas, in a text that contains nothing else.
pub(crate) fn names(text: &str) -> Option<String> {
    const MOST: usize = 20;
    let mut text = text.trim();
    while let Some(rest) = after_by(text) {
        text = rest;
    }
    let text = text.split(" - ").next().unwrap_or_default().trim();
    if is_firm(text) && is_name(text) {
        return Some(text.to_owned());
    }
    let parts =
        text.split([',', ';', '&', '|', '\n']).flat_map(|part| part.split(" and ")).flat_map(|p| p.split(" und "));
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        let part = without_stop(part.trim().trim_start_matches("and ").trim());
        if part.is_empty() || names.iter().any(|name| name == part) {
            continue;
        }
        // `Jane Doe, Jr.`
        if is_descent(part)
            && let Some(name) = names.last_mut()
        {
            name.push(' ');
            name.push_str(part);
            continue;
        }
        if !is_name(part) || names.len() == MOST {
            // After the names comes something else: a title, a place, a sentence.
            break;
        }
        names.push(part.to_owned());
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// True for a company name, in which commas and the like do not separate names: `Müller, Ü. & Co.`
fn is_firm(text: &str) -> bool {
    const ENDS: [&str; 6] = ["& co", "& co.", "& cie", "& cie.", "& sons", "& söhne"];
    let lower = text.to_lowercase();
    ENDS.iter().any(|end| lower.strip_suffix(end).is_some_and(|before| before.ends_with(' ')))
}

/// True for suffixes such as `Jr.` that distinguish relatives of the same name.
fn is_descent(part: &str) -> bool {
    matches!(part, "Jr." | "Jr" | "Sr." | "Sr" | "II" | "III" | "IV")
}

/// A name without the full stop of its sentence. The full stop of an abbreviation is part of the name.
fn without_stop(part: &str) -> &str {
    const ABBREVIATIONS: [&str; 11] = ["jr", "sr", "co", "cie", "inc", "ltd", "corp", "bros", "esq", "phd", "al"];
    let bare = part.trim_end_matches('.').trim_end();
    let last = bare.rsplit(' ').next().unwrap_or_default();
    let is_initial = last.chars().count() == 1 && last.starts_with(char::is_uppercase);
    let is_abbreviated =
        is_initial || last.contains('.') || ABBREVIATIONS.iter().any(|known| last.eq_ignore_ascii_case(known));
    // Of several full stops, one belongs to the name.
    match part.strip_prefix(bare) {
        Some(stops) if is_abbreviated && stops.starts_with('.') => &part[..=bare.len()],
        _ => bare,
    }
}

/// True for text that can be the name of a person or an office.
fn is_name(text: &str) -> bool {
    const NO_NAMES: [&str; 14] = [
        "unknown",
        "author",
        "none",
        "null",
        "undefined",
        "by",
        "true",
        "false",
        "read more",
        "follow",
        "share",
        "view",
        "about",
        "anonymous",
    ];
    let lower = text.to_lowercase();
    let words = text.split_whitespace().count();
    text.chars().count() <= LONGEST_NAME
        && (1..=6).contains(&words)
        && text.chars().any(char::is_alphabetic)
        && (words == 1 || text.chars().filter(char::is_ascii_digit).count() <= 2)
        && !text.contains(['@', '/', '<', '>', '{', '}', '=', '!', '?', '#', '%', '$', '…'])
        && !lower.starts_with("http")
        && !lower.starts_with("www.")
        && !NO_NAMES.contains(&lower.as_str())
        && !["view all", "about the", "follow ", "see all", "posts by", "more from", "become an "]
            .iter()
            .any(|s| lower.starts_with(s))
        && find_date(text, Order::MonthFirst).is_none()
}
