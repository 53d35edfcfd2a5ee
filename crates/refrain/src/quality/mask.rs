//! E-mail addresses and IP addresses in a text.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::document::Span;

/// What is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mask {
    /// E-mail addresses and public IP addresses.
    Pii,
}

/// A kind of personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonalData {
    /// An e-mail address.
    Email,
    /// A public IP address.
    IpAddress,
}

impl PersonalData {
    /// What is written instead.
    pub fn placeholder(self) -> &'static str {
        match self {
            PersonalData::Email => "[email]",
            PersonalData::IpAddress => "[ip]",
        }
    }

    /// What it is, in words.
    pub fn name(self) -> &'static str {
        match self {
            PersonalData::Email => "e-mail address",
            PersonalData::IpAddress => "IP address",
        }
    }
}

/// Finds the e-mail addresses and public IP addresses of a text, in order.
///
/// ```
/// use refrain::quality::{PersonalData, personal_data};
///
/// let text = "Write to eva.carrow@post.example, not to 127.0.0.1 or 8.8.8.8.";
/// let found: Vec<_> = personal_data(text).into_iter().map(|(span, kind)| (span.of(text), kind)).collect();
/// assert_eq!(found, [("eva.carrow@post.example", PersonalData::Email), ("8.8.8.8", PersonalData::IpAddress)]);
/// ```
pub fn personal_data(text: &str) -> Vec<(Span, PersonalData)> {
    let mut found: Vec<(Span, PersonalData)> = Vec::new();
    for at in memchr::memchr_iter(b'@', text.as_bytes()) {
        let known = found.last().map_or(0, |(span, _)| span.end);
        found.extend(email(text, known, at).map(|span| (span, PersonalData::Email)));
    }
    let emails = found.len();
    let mut end = 0;
    for at in memchr::memchr2_iter(b'.', b':', text.as_bytes()) {
        if at >= end
            && let Some(span) = address(text, end, at)
        {
            end = span.end;
            let next = found[..emails].partition_point(|(email, _)| email.end <= span.start);
            if found[..emails].get(next).is_none_or(|(email, _)| email.start >= span.end) {
                found.push((span, PersonalData::IpAddress));
            }
        }
    }
    found.sort_unstable_by_key(|(span, _)| *span);
    found
}

/// The e-mail address around an at sign.
fn email(text: &str, from: usize, at: usize) -> Option<Span> {
    let is_local = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    let before = text.get(from..at)?;
    let start = before.char_indices().rev().take_while(|(_, c)| is_local(*c)).last()?.0;
    // The part before the sign begins with a letter or digit, and has no two full stops in a row.
    let local = &before[start..];
    let local = local.rfind("..").map_or(local, |at| &local[at + 2..]);
    let local = local.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let is_domain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
    let after = &text[at + 1..];
    let domain = &after[..after.find(|c| !is_domain(c)).unwrap_or(after.len())];
    let domain = domain.split("..").next().unwrap_or_default().trim_end_matches(['.', '-']);
    let labels = || domain.split('.');
    let fits = labels().count() > 1
        && labels().all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    (fits && !local.is_empty() && !local.ends_with('.')).then(|| Span::new(at - local.len(), at + 1 + domain.len()))
}

/// The public IP address around a full stop or colon, if it begins at or after a position.
fn address(text: &str, from: usize, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
    let start = at - bytes[from..at].iter().rev().take_while(|byte| is_part(byte)).count();
    let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if is_word(text[..start].chars().next_back()) || is_word(text[end..].chars().next()) {
        return None;
    }
    let shown = text[start..end].trim_end_matches(['.', ':']);
    let span = Span::new(start, start + shown.len());
    if shown.bytes().filter(|byte| *byte == b':').count() > 1 {
        return shown.parse().is_ok_and(is_public_6).then_some(span);
    }
    // A port may follow.
    let four = shown.split(':').next().unwrap_or_default();
    four.parse().is_ok_and(is_public_4).then(|| Span::new(start, start + four.len()))
}

/// Addresses that belong to somebody: not those of local networks, examples, groups and tests.
fn is_public_4(address: Ipv4Addr) -> bool {
    let [one, two, three, _] = address.octets();
    let shared = one == 100 && (64..128).contains(&two);
    let tests = (one == 198 && (two == 18 || two == 19)) || (one == 192 && two == 0 && three == 0);
    let local = address.is_private() || address.is_loopback() || address.is_link_local() || shared || tests;
    !(local || address.is_documentation() || one == 0 || one >= 224)
}

/// The same for the long addresses: all that belong to somebody begin with the same three bits.
fn is_public_6(address: Ipv6Addr) -> bool {
    let [one, two, ..] = address.segments();
    one & 0xe000 == 0x2000 && !(one == 0x2001 && two == 0xdb8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> Vec<&str> {
        personal_data(text).into_iter().map(|(span, _)| span.of(text)).collect()
    }

    #[test]
    fn addresses_are_found_and_nothing_else() {
        for (text, expected) in [
            ("mailto:eva+list@a-b.example.", vec!["eva+list@a-b.example"]),
            ("'eva@a.example' <jan@b.example>", vec!["eva@a.example", "jan@b.example"]),
            ("ž.nováková@pošta.example", vec!["ž.nováková@pošta.example"]),
            ("a@b, @home, x@@y.example, eva@.example", vec![]),
            ("from 203.0.114.7:80, 10.0.0.1, 192.168.1.1 and 300.1.1.1", vec!["203.0.114.7"]),
            ("2a00:1450:4001::200e and 2001:db8::1, ::1 std::a 12:30:45", vec!["2a00:1450:4001::200e"]),
            ("version 1.2.3 and v8.8.8.8 and 1.2.3.4.5", vec![]),
            ("root@8.8.8.8", vec!["root@8.8.8.8"]),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_apart(text in "([a-c0-9é@.:\\- ]|a@b\\.cz|8\\.8\\.8\\.8|\\PC){0,40}") {
            let mut end = 0;
            for (span, _) in personal_data(&text) {
                prop_assert!(span.start >= end && text.get(span.start..span.end).is_some_and(|of| !of.is_empty()));
                end = span.end;
            }
        }
    }
}
