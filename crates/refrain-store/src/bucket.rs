//! Buckets of S3 and of Google Cloud Storage.

use std::collections::{HashMap, HashSet};
use std::env;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use refrain::source::Object;

use crate::object::Source;
use crate::trouble::{Access, Trouble};

/// The buckets that were used, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Buckets(Mutex<HashMap<String, Bucket>>);

/// A bucket.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) access: Access,
}

impl Buckets {
    /// The bucket and the key of an address.
    pub(crate) fn resolve<'n>(&self, name: &'n str) -> Result<(Bucket, &'n str), Trouble> {
        let (scheme, rest) = name.split_once("://").unwrap_or(("", name));
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(Trouble::end("names no bucket").hint(format!("write {scheme}://bucket/key")));
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = format!("{scheme}://{bucket}");
        if let Some(known) = known.get(&address) {
            return Ok((known.clone(), key));
        }
        let made = if scheme == "gs" { Bucket::of_google(bucket) } else { Bucket::of_amazon(bucket) }?;
        known.insert(address, made.clone());
        Ok((made, key))
    }
}

#[cfg(test)]
impl Buckets {
    /// A bucket of a test.
    pub(crate) fn insert(&self, address: &str, bucket: Bucket) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(address.to_owned(), bucket);
    }
}

/// A variable of the environment, unless it is empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// How often a request is sent before it counts as failed.
pub(crate) fn attempts() -> usize {
    let set = variable("AWS_MAX_ATTEMPTS").and_then(|number| number.parse().ok());
    set.unwrap_or(10).clamp(1, 100)
}

/// How long a connection may take, and how long it may be silent.
pub(crate) const CONNECT: Duration = Duration::from_secs(15);
pub(crate) const SILENCE: Duration = Duration::from_mins(1);
/// The pause after the first failure, and the longest one.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(15);

fn client(endpoint: &str) -> ClientOptions {
    let options = ClientOptions::new().with_timeout_disabled().with_connect_timeout(CONNECT).with_read_timeout(SILENCE);
    options.with_allow_http(endpoint.starts_with("http://"))
}

fn retry() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { init_backoff: PAUSE, max_backoff: LONGEST_PAUSE, base: 2.0 },
        max_retries: attempts() - 1,
        retry_timeout: Duration::from_mins(3),
    }
}

impl Bucket {
    fn of_amazon(bucket: &str) -> Result<Bucket, Trouble> {
        let endpoint = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let key = (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"));
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_client_options(client(endpoint.as_deref().unwrap_or_default()))
            .with_retry(retry())
            // Each upload is checked by its length and digest; the signature of a large body takes as long as sending it.
            .with_unsigned_payload(endpoint.as_deref().is_none_or(|endpoint| endpoint.starts_with("https://")));
        if let Some(endpoint) = endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        if let Some(region) = region {
            builder = builder.with_region(region);
        }
        let advice = match key {
            (Some(id), Some(secret)) => {
                builder = builder.with_access_key_id(id).with_secret_access_key(secret);
                if let Some(token) = variable("AWS_SESSION_TOKEN") {
                    builder = builder.with_token(token);
                }
                "check the credentials in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and what they permit"
            }
            (None, None) => {
                // Without this, the library would ask services of the cloud for credentials.
                builder = builder.with_skip_signature(true);
                "the request had no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            }
            _ => {
                let problem = "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set";
                return Err(Trouble::end(problem).hint("set both, or none for public objects"));
            }
        };
        Bucket::of(builder.build(), advice)
    }

    fn of_google(bucket: &str) -> Result<Bucket, Trouble> {
        let endpoint = variable("STORAGE_EMULATOR_HOST");
        let mut builder = GoogleCloudStorageBuilder::new()
            .with_bucket_name(bucket)
            .with_client_options(client(endpoint.as_deref().unwrap_or_default()))
            .with_retry(retry());
        if let Some(endpoint) = endpoint {
            builder = builder.with_base_url(&endpoint);
        }
        let advice = match variable("GOOGLE_APPLICATION_CREDENTIALS") {
            Some(file) => {
                builder = builder.with_application_credentials(file);
                "check the credentials that GOOGLE_APPLICATION_CREDENTIALS names, and what they permit"
            }
            None => {
                builder = builder.with_skip_signature(true);
                "the request had no credentials; set GOOGLE_APPLICATION_CREDENTIALS to the file with yours"
            }
        };
        Bucket::of(builder.build(), advice)
    }

    fn of<S: ObjectStore>(built: object_store::Result<S>, advice: &'static str) -> Result<Bucket, Trouble> {
        let access = Access { advice };
        match built {
            Ok(store) => Ok(Bucket { store: Arc::new(store), access }),
            Err(error) => Err(Trouble::end(crate::trouble::innermost(&error))),
        }
    }

    pub(crate) fn trouble(&self, error: &object_store::Error) -> Trouble {
        Trouble::of_store(error, &self.access)
    }

    /// The path of a key as it is.
    pub(crate) fn path(key: &str) -> Result<Path, Trouble> {
        Path::parse(key).map_err(|error| Trouble::end(format!("not a usable key: {error}")))
    }

    /// The size and the version of an object.
    pub(crate) async fn head(&self, key: &str) -> Result<(u64, Option<String>), Trouble> {
        let meta = self.store.head(&Bucket::path(key)?).await.map_err(|error| self.trouble(&error))?;
        Ok((meta.size, version(&meta)))
    }

    /// The objects below a folder, in the order in which the files of a folder are read.
    pub(crate) async fn list(&self, folder: &str, name: impl Fn(&str) -> String) -> Result<Vec<Object>, Trouble> {
        let folder = Bucket::path(folder)?;
        let listed: Vec<ObjectMeta> =
            self.store.list(Some(&folder)).try_collect().await.map_err(|error| self.trouble(&error))?;
        let above = |path: &Path| path.as_ref().rfind('/').map(|end| path.as_ref()[..end].to_owned());
        let folders: HashSet<String> = listed.iter().filter_map(|meta| above(&meta.location)).collect();
        let mut objects: Vec<Object> = listed
            .iter()
            // Some programs put an empty object where a folder would be.
            .filter(|meta| meta.size > 0 || !folders.contains(meta.location.as_ref()))
            .map(|meta| Object {
                name: name(meta.location.as_ref()),
                size: Some(meta.size),
                version: version(meta),
                named: false,
            })
            .collect();
        objects.sort_by(|one, other| one.name.split('/').cmp(other.name.split('/')));
        Ok(objects)
    }

    pub(crate) fn source(self, key: &str) -> Source {
        Source::Bucket(self, key.to_owned())
    }
}

/// What changes with the content.
pub(crate) fn version(meta: &ObjectMeta) -> Option<String> {
    meta.e_tag.clone().or_else(|| Some(meta.last_modified.to_rfc3339()))
}
