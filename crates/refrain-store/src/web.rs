//! Files on the web. A server has no list of them, and some send whole files only.

use std::sync::OnceLock;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, ETAG, LAST_MODIFIED, RANGE};
use reqwest::{Client, Response, StatusCode, Url};

use crate::bucket::{CONNECT, SILENCE};
use crate::object::{Source, retried};
use crate::trouble::{Trouble, innermost};

/// The client, once it is needed.
#[derive(Debug, Default)]
pub(crate) struct Web(OnceLock<Client>);

/// What a server says about a file.
pub(crate) struct Found {
    /// Its size, if the server sends ranges of it.
    pub(crate) size: Option<u64>,
    pub(crate) version: Option<String>,
}

impl Web {
    fn client(&self) -> Result<Client, Trouble> {
        if let Some(client) = self.0.get() {
            return Ok(client.clone());
        }
        let agent = concat!("refrain/", env!("CARGO_PKG_VERSION"));
        let made = Client::builder().user_agent(agent).connect_timeout(CONNECT).read_timeout(SILENCE).build();
        let made = made.map_err(|error| Trouble::end(innermost(&error)))?;
        Ok(self.0.get_or_init(|| made).clone())
    }

    /// Asks for the first byte, which shows whether there is a file, its size, and whether the server sends ranges.
    pub(crate) async fn look(&self, name: &str) -> Result<Found, Trouble> {
        let (client, url) = (self.client()?, address(name)?);
        retried(|| async {
            let response = request(&client, &url, Some("bytes=0-0")).await?;
            let version = version(&response);
            let size = match response.status() {
                StatusCode::PARTIAL_CONTENT => whole_size(&response),
                StatusCode::RANGE_NOT_SATISFIABLE => Some(0),
                _ => None,
            };
            Ok(Found { size, version })
        })
        .await
    }

    pub(crate) fn source(&self, name: &str) -> Result<Source, Trouble> {
        Ok(Source::Web(self.client()?, address(name)?))
    }
}

fn address(name: &str) -> Result<Url, Trouble> {
    Url::parse(name).map_err(|error| Trouble::end(format!("not an address: {error}")))
}

/// Sends a request. Other answers than the file, a part of it, or a refusal of the range are errors.
pub(crate) async fn request(client: &Client, url: &Url, range: Option<&str>) -> Result<Response, Trouble> {
    // The file as it is, and not as the server would pack it.
    let mut request = client.get(url.clone()).header(ACCEPT_ENCODING, "identity");
    if let Some(range) = range {
        request = request.header(RANGE, range);
    }
    let response = request.send().await.map_err(|error| Trouble::Passing(innermost(&error.without_url())))?;
    let status = response.status();
    match status {
        _ if status.is_success() => Ok(response),
        StatusCode::RANGE_NOT_SATISFIABLE if range.is_some() => Ok(response),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(Trouble::Missing(format!("no such file ({status})"))),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            Err(Trouble::end(format!("access denied ({status})")).hint("download it with a program that can log in"))
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(Trouble::Passing(format!("{status}"))),
        _ if status.is_server_error() => Err(Trouble::Passing(format!("{status}"))),
        _ => Err(Trouble::end(format!("the server answered {status}"))),
    }
}

/// What changes with the content, if the server says it.
pub(crate) fn version(response: &Response) -> Option<String> {
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    header(ETAG).or_else(|| header(LAST_MODIFIED))
}

/// The first byte of a part, and the size of the whole.
pub(crate) fn part(response: &Response) -> Option<(u64, u64)> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    let (part, size) = range.strip_prefix("bytes ")?.split_once('/')?;
    Some((part.split_once('-')?.0.parse().ok()?, size.parse().ok()?))
}

fn whole_size(response: &Response) -> Option<u64> {
    part(response).map(|(_, size)| size)
}
