//! The parts of a web address.
//!
//! Addresses come from archives, metadata and ids. Many are not valid URLs, so this parser only splits them, and never fails.

/// Splits an address into its host with user and port, and what follows the host.
fn split(address: &str) -> (&str, &str) {
    let rest = without_scheme(address);
    rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()))
}

/// An address without its scheme.
pub(crate) fn without_scheme(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// The host of an address, in lower case and without `www.`, user and port. `None` if the address has no scheme or no host.
pub(crate) fn host(address: &str) -> Option<String> {
    address.contains("://").then(|| host_or_start(address)).filter(|host| !host.is_empty())
}

/// The same for addresses that may lack a scheme: then they start with the host.
pub(crate) fn host_or_start(address: &str) -> String {
    let (authority, _) = split(address);
    let host = authority.rsplit('@').next().unwrap_or_default();
    // An IPv6 address is in brackets and contains colons.
    let end = if host.starts_with('[') { host.find(']').map(|at| at + 1) } else { host.find(':') };
    let host = host[..end.unwrap_or(host.len())].trim_end_matches('.').to_lowercase();
    host.strip_prefix("www.").map(str::to_owned).unwrap_or(host)
}

/// The last label of the host, such as `org`. `None` for numeric addresses.
pub(crate) fn top_level_domain(address: &str) -> Option<String> {
    let host = host(address)?;
    let label = host.rsplit('.').next()?;
    (label.len() >= 2 && label.bytes().all(|b| b.is_ascii_alphabetic())).then(|| label.to_owned())
}

/// The path of an address, without the first slash, the query and the fragment.
pub(crate) fn path(address: &str) -> Option<&str> {
    split(address).1.strip_prefix('/')?.split(['?', '#']).next()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hosts_have_neither_user_nor_port() {
        assert_eq!(host("https://user@WWW.Example.org:8080/a?b").as_deref(), Some("example.org"));
        assert_eq!(host("http://[2001:db8::1]:80/").as_deref(), Some("[2001:db8::1]"));
        assert_eq!(host("notes.txt"), None);
    }

    #[test]
    fn one_site_has_one_host() {
        for address in
            ["http://example.org", "https://WWW.Example.org:80/a", "//x://a:b@example.org./?c", "a://example.org#d"]
        {
            assert_eq!(host(address).as_deref(), Some("example.org"), "{address}");
        }
        assert_eq!(host("file:///home"), None);
        assert_eq!(host_or_start("www.example.org/a"), "example.org");
    }

    #[test]
    fn only_names_have_a_top_level_domain() {
        assert_eq!(top_level_domain("https://www.example.CZ:80/a.de/?q").as_deref(), Some("cz"));
        assert_eq!(top_level_domain("http://user:word@example.cz./").as_deref(), Some("cz"));
        assert_eq!(top_level_domain("http://127.0.0.1/"), None);
        assert_eq!(top_level_domain("notes.txt"), None);
    }

    #[test]
    fn a_path_ends_before_the_query() {
        assert_eq!(path("https://a.example/b/c?d#e"), Some("b/c"));
        assert_eq!(path("a.example/b#c/d"), Some("b"));
        assert_eq!(path("https://a.example?b=/c"), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_split(text in "\\PC*") {
            let _ = (host(&text), top_level_domain(&text), path(&text));
        }
    }
}
