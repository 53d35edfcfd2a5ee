//! Finished files and folders to a bucket.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::{ObjectStoreExt, WriteMultipart};
use refrain::{Failure, Stop};

use crate::Stores;
use crate::bucket::Bucket;
use crate::trouble::Trouble;

/// Larger files are sent in parts of at least this size.
const PART: u64 = 16 << 20;
/// Parts of a file that are sent at the same time.
const PARTS_AT_ONCE: usize = 4;
/// Smaller files that are sent at the same time.
const FILES_AT_ONCE: usize = 8;
/// A store takes at most 10,000 parts.
const MOST_PARTS: u64 = 9_000;

/// The file that makes a folder a complete corpus: the last one.
const MANIFEST: &str = "manifest.json";

/// A file to send.
struct Outgoing {
    path: PathBuf,
    key: String,
    size: u64,
}

impl Stores {
    /// The content of a small object.
    pub fn read(&self, address: &str) -> Result<Vec<u8>, Failure> {
        let read = || {
            let (bucket, key) = self.buckets.resolve(address)?;
            let path = Bucket::path(key)?;
            let got = self.runtime.block_on(async { bucket.store.get(&path).await?.bytes().await });
            got.map(Vec::from).map_err(|error| bucket.trouble(&error))
        };
        read().map_err(|trouble: Trouble| trouble.into_failure(address))
    }

    /// True if there is an object below this name.
    pub fn holds_any(&self, address: &str) -> Result<bool, Failure> {
        let any = || {
            let (bucket, key) = self.buckets.resolve(address)?;
            let folder = Bucket::path(key.trim_end_matches('/'))?;
            let first = self.runtime.block_on(async { bucket.store.list(Some(&folder)).next().await });
            first.transpose().map(|first| first.is_some()).map_err(|error| bucket.trouble(&error))
        };
        any().map_err(|trouble: Trouble| trouble.into_failure(address))
    }

    /// Fails if objects cannot be written there. Leaves nothing.
    pub fn check_writable(&self, address: &str) -> Result<(), Failure> {
        let check = || {
            let (bucket, key) = self.buckets.resolve(address)?;
            let path = Bucket::path(key.trim_end_matches('/'))?;
            self.runtime.block_on(async {
                let mut begun = bucket.store.put_multipart(&path).await.map_err(|error| bucket.trouble(&error))?;
                begun.abort().await.map_err(|error| bucket.trouble(&error))
            })
        };
        check().map_err(|trouble: Trouble| trouble.into_failure(address))
    }

    /// Sends a file, or all files of a folder: those in folders first, then the others, and `manifest.json` last. An object appears
    /// under its name once it is complete. With `replaces`, a corpus is incomplete until all of the new one is there, and
    /// files of the old one are removed then. Returns how many files and bytes were sent.
    pub fn upload(&self, local: &Path, address: &str, replaces: bool, stop: &Stop) -> Result<(usize, u64), Failure> {
        let upload = || {
            let (bucket, key) = self.buckets.resolve(address)?;
            self.runtime.block_on(send_all(&bucket, local, key, replaces, stop))
        };
        upload().map_err(|trouble: Trouble| trouble.into_failure(address))
    }
}

async fn send_all(
    bucket: &Bucket,
    local: &Path,
    key: &str,
    replaces: bool,
    stop: &Stop,
) -> Result<(usize, u64), Trouble> {
    let files = outgoing(local, key).map_err(|error| of_file(local, &error))?;
    let bytes = files.iter().map(|file| file.size).sum();
    let folder = format!("{}/", key.trim_end_matches('/'));
    let is_corpus = local.join(MANIFEST).is_file();
    if replaces && is_corpus {
        let manifest = Bucket::path(&format!("{folder}{MANIFEST}"))?;
        match bucket.store.delete(&manifest).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(bucket.trouble(&error)),
        }
    }
    let (last, others): (Vec<&Outgoing>, Vec<&Outgoing>) =
        files.iter().partition(|file| file.path == local.join(MANIFEST));
    let (large, small): (Vec<&Outgoing>, Vec<&Outgoing>) = others.into_iter().partition(|file| file.size > PART);
    for file in large {
        send_in_parts(bucket, file, stop).await?;
    }
    let sent = futures_util::stream::iter(small).map(|file| send(bucket, file, stop)).buffered(FILES_AT_ONCE);
    sent.try_collect::<Vec<()>>().await?;
    for file in last {
        send(bucket, file, stop).await?;
    }
    if replaces && is_corpus {
        remove_others(bucket, &folder, &files).await?;
    }
    Ok((files.len(), bytes))
}

/// The files of a folder in the order in which they are sent, or the one file.
fn outgoing(local: &Path, key: &str) -> io::Result<Vec<Outgoing>> {
    if local.is_file() {
        return Ok(vec![Outgoing { path: local.to_owned(), key: key.to_owned(), size: fs::metadata(local)?.len() }]);
    }
    let mut files = Vec::new();
    let folder = key.trim_end_matches('/');
    let mut waiting = vec![(local.to_owned(), folder.to_owned())];
    while let Some((from, to)) = waiting.pop() {
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // Hidden files are those of runs that did not end.
            if name.starts_with('.') {
                continue;
            }
            let key = if to.is_empty() { name.into_owned() } else { format!("{to}/{name}") };
            match entry.file_type()? {
                kind if kind.is_dir() => waiting.push((entry.path(), key)),
                _ => files.push(Outgoing { path: entry.path(), key, size: entry.metadata()?.len() }),
            }
        }
    }
    files.sort_by_key(|file| (file.path.parent() == Some(local), file.key.clone()));
    Ok(files)
}

fn of_file(path: &Path, error: &io::Error) -> Trouble {
    Trouble::end(format!("{}: {error}", path.display()))
}

fn go_on(stop: &Stop) -> Result<(), Trouble> {
    if stop.is_requested() { Err(Trouble::end("interrupted before all of it was sent")) } else { Ok(()) }
}

async fn send(bucket: &Bucket, file: &Outgoing, stop: &Stop) -> Result<(), Trouble> {
    go_on(stop)?;
    let content = fs::read(&file.path).map_err(|error| of_file(&file.path, &error))?;
    let put = bucket.store.put(&Bucket::path(&file.key)?, content.into()).await;
    put.map(drop).map_err(|error| bucket.trouble(&error))
}

async fn send_in_parts(bucket: &Bucket, file: &Outgoing, stop: &Stop) -> Result<(), Trouble> {
    let part = file.size.div_ceil(MOST_PARTS).max(PART);
    let upload = bucket.store.put_multipart(&Bucket::path(&file.key)?).await.map_err(|error| bucket.trouble(&error))?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, part as usize);
    match put_parts(bucket, file, part, &mut upload, stop).await {
        // It removes the parts itself if they cannot be put together.
        Ok(()) => upload.finish().await.map(drop).map_err(|error| bucket.trouble(&error)),
        Err(trouble) => {
            let _ = upload.abort().await;
            Err(trouble)
        }
    }
}

async fn put_parts(
    bucket: &Bucket,
    file: &Outgoing,
    part: u64,
    upload: &mut WriteMultipart,
    stop: &Stop,
) -> Result<(), Trouble> {
    let read_error = |error: io::Error| of_file(&file.path, &error);
    let mut content = File::open(&file.path).map_err(read_error)?;
    loop {
        go_on(stop)?;
        let mut bytes = Vec::with_capacity(part as usize);
        if content.by_ref().take(part).read_to_end(&mut bytes).map_err(read_error)? == 0 {
            return Ok(());
        }
        upload.wait_for_capacity(PARTS_AT_ONCE).await.map_err(|error| bucket.trouble(&error))?;
        upload.put(Bytes::from(bytes));
    }
}

/// Removes what an old corpus had in the folders of the new one.
async fn remove_others(bucket: &Bucket, folder: &str, files: &[Outgoing]) -> Result<(), Trouble> {
    let inner =
        |key: &str| key.strip_prefix(folder).and_then(|rest| rest.split_once('/')).map(|(first, _)| first.to_owned());
    let folders: std::collections::HashSet<String> = files.iter().filter_map(|file| inner(&file.key)).collect();
    let keys: std::collections::HashSet<&str> = files.iter().map(|file| file.key.as_str()).collect();
    let path = Bucket::path(folder.trim_end_matches('/'))?;
    let listed: Vec<_> = bucket.store.list(Some(&path)).try_collect().await.map_err(|error| bucket.trouble(&error))?;
    for object in listed {
        let key = object.location.as_ref();
        if !keys.contains(key) && inner(key).is_some_and(|first| folders.contains(&first)) {
            bucket.store.delete(&object.location).await.map_err(|error| bucket.trouble(&error))?;
        }
    }
    Ok(())
}
