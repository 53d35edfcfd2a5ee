//! ARC 1.0 and 1.1, the format of the Internet Archive before WARC: a line with five or ten fields before each record.
//!
//! Everything else is as in a WARC file, so `warc.rs` reads both: this module turns a line into a header.

/// The header of a record, by its line: `URL IP date type length`, and in the second version of the line also status,
/// checksum, location, offset and file before the length. `None` if it is no such line.
pub(super) fn header(line: &[u8]) -> Option<(Vec<(String, String)>, u64)> {
    // Most lines that are asked about are lines of a page.
    if !line.trim_ascii_end().last().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?.trim_ascii_end();
    let words: Vec<&str> = line.split(' ').collect();
    // A URL may contain spaces, and a type parameters.
    let date_at = words.iter().position(|word| is_date(word)).filter(|at| *at >= 2)?;
    let (url, rest) = (words[..date_at - 1].join(" "), &words[date_at + 1..]);
    let (scheme, _) = url.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if !is_scheme || !is_address(words[date_at - 1]) || rest.len() < 2 {
        return None;
    }
    let length = rest.last()?.parse().ok()?;
    let after_type = if rest.len() >= 7 { 6 } else { 1 };
    let content_type = rest[..rest.len() - after_type].join(" ");
    let kind = match scheme.to_ascii_lowercase().as_str() {
        "filedesc" => "ARC header",
        "http" | "https" => "response",
        _ => "resource",
    };
    let mut fields = vec![
        ("warc-type".to_owned(), kind.to_owned()),
        ("warc-target-uri".to_owned(), url),
        ("warc-date".to_owned(), date(words[date_at])),
    ];
    // What servers did not name has names of its own.
    if !["no-type", "unknown", "-"].contains(&content_type.as_str()) {
        fields.push(("content-type".to_owned(), content_type));
    }
    Some((fields, length))
}

/// Year to second, or to day in the oldest files.
fn is_date(word: &str) -> bool {
    matches!(word.len(), 8 | 12 | 14) && word.bytes().all(|b| b.is_ascii_digit()) && word.starts_with(['1', '2'])
}

/// The address of a server, or a zero or hyphen for one that is unknown.
fn is_address(word: &str) -> bool {
    word == "0" || word == "-" || word.parse::<std::net::IpAddr>().is_ok()
}

/// A date as WARC files write it.
fn date(digits: &str) -> String {
    let part = |from: usize| digits.get(from..from + 2).unwrap_or("00");
    let (year, month, day) = (&digits[..4], part(4), part(6));
    format!("{year}-{month}-{day}T{}:{}:{}Z", part(8), part(10), part(12))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(String, u64)> {
        let (fields, length) = header(line.as_bytes())?;
        let fields: Vec<String> = fields.into_iter().map(|(_, value)| value).collect();
        Some((fields.join("|"), length))
    }

    #[test]
    fn lines_become_headers() {
        let page = |url: &str| (format!("response|{url}|2008-04-30T20:48:25Z|text/html"), 680);
        for (line, url) in [
            ("http://a.example/ 192.0.2.1 20080430204825 text/html 680\n", "http://a.example/"),
            ("http://a.example/a b.html 192.0.2.1 20080430204825 text/html 680\r\n", "http://a.example/a b.html"),
            ("https://a.example/ 2001:db8::1 20080430204825 text/html 200 sum - 1234 x.arc 680", "https://a.example/"),
        ] {
            assert_eq!(read(line), Some(page(url)), "{line}");
        }
        let (of_type, _) = read("http://a.example/ 0 20080430 text/html; charset=utf-8 680").expect("a header");
        assert_eq!(of_type, "response|http://a.example/|2008-04-30T00:00:00Z|text/html; charset=utf-8");
        let (file, length) = read("filedesc://x.arc 0.0.0.0 20080430204825 text/plain 1301").expect("a header");
        assert_eq!((file.as_str(), length), ("ARC header|filedesc://x.arc|2008-04-30T20:48:25Z|text/plain", 1301));
        let (name, _) = read("dns:a.example 192.0.2.1 20080430204825 text/dns 53").expect("a header");
        assert_eq!(name, "resource|dns:a.example|2008-04-30T20:48:25Z|text/dns");
        let (no_type, _) = read("http://a.example/ 192.0.2.1 20080430204825 no-type 53").expect("a header");
        assert_eq!(no_type, "response|http://a.example/|2008-04-30T20:48:25Z");
    }

    #[test]
    fn other_lines_are_no_headers() {
        for line in [
            "",
            "URL IP-address Archive-date Content-type Archive-length",
            "http://a.example/ 192.0.2.1 20080430204825 680",
            "see http://a.example/ of 20080430204825 at page 12",
            "http://a.example/ 192.0.2.1 20080430204825 text/html many",
            "20080430204825 192.0.2.1 text/html 12",
            "a.example 192.0.2.1 20080430204825 text/html 12",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
