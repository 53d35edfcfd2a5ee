//! Hosts whose documents are removed.

use std::collections::HashSet;

use crate::url::host_or_start;

/// A list of hosts. A host is on it if it is named, or if it is below a host that is named.
///
/// ```
/// use refrain::quality::BlockedHosts;
///
/// let blocked = BlockedHosts::parse("# spam\nspam.example\nhttps://www.ads.example/banner\n");
/// assert_eq!(blocked.find("cheap.spam.example"), Some("spam.example"));
/// assert_eq!(blocked.find("ads.example"), Some("ads.example"));
/// assert_eq!(blocked.find("antispam.example"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockedHosts(HashSet<String>);

impl BlockedHosts {
    /// Reads a list with one host or address per line. Blank lines and lines that begin with `#` do not count, nor does what
    /// follows a white space.
    pub fn parse(list: &str) -> BlockedHosts {
        let names = list.lines().filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| !name.starts_with('#'));
        // Some lists write `.host` or `*.host` for all hosts below it.
        let hosts = names.map(|name| host_or_start(name.trim_start_matches('*').trim_start_matches('.')));
        BlockedHosts(hosts.filter(|host| !host.is_empty()).collect())
    }

    /// Adds the hosts of another list.
    pub fn extend(&mut self, other: BlockedHosts) {
        self.0.extend(other.0);
    }

    /// The number of hosts.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if no host is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name on the list that covers a host.
    pub fn find(&self, host: &str) -> Option<&str> {
        let mut rest = Some(host);
        while let Some(name) = rest.filter(|name| !name.is_empty()) {
            if let Some(found) = self.0.get(name) {
                return Some(found);
            }
            rest = name.split_once('.').map(|(_, parent)| parent);
        }
        None
    }

    /// The hosts, in order.
    pub fn sorted(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = self.0.iter().map(String::as_str).collect();
        hosts.sort_unstable();
        hosts
    }
}
