//! Inputs and outputs of refrain that are not files: objects in S3 and Google Cloud Storage, and addresses of the web.
//!
//! The library `refrain` has no network. [`Stores`] implements its [`Store`], and [`Stores::upload`] puts finished files where a
//! command line names them. Credentials come from the environment, and requests go to the named host only.

mod blocks;
mod bucket;
mod object;
mod private;
mod trouble;
mod upload;
mod web;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glob::{MatchOptions, Pattern};
use refrain::Failure;
use refrain::source::{Content, Object, Store};
use tokio::runtime::Runtime;

use blocks::{Blocks, Cursor};
use bucket::Buckets;
use object::Source;
pub use private::private_folder;
pub use trouble::Trouble;
use web::Web;

/// All stores, by the addresses of their objects.
#[derive(Debug)]
pub struct Stores {
    runtime: Runtime,
    buckets: Buckets,
    web: Web,
    /// Small objects that are requested and not opened yet.
    expected: Mutex<VecDeque<(Object, Arc<Blocks>)>>,
}

/// How many of them are kept: some for each of several threads.
const EXPECTED: usize = 32;

/// What the addresses of objects begin with.
const SCHEMES: [&str; 4] = ["s3://", "gs://", "http://", "https://"];

/// True for the address of an object.
pub fn is_address(name: &str) -> bool {
    SCHEMES.iter().any(|scheme| name.starts_with(scheme))
}

/// Threads that wait for the network.
const THREADS: usize = 2;

impl Stores {
    /// Prepares for requests; none is sent before an address is used.
    pub fn new() -> std::io::Result<Stores> {
        // The default of this process, for all connections. Another default is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("store")
            .enable_all()
            .build()?;
        Ok(Stores { runtime, buckets: Buckets::default(), web: Web::default(), expected: Mutex::default() })
    }

    /// The object with this name, or those below it.
    fn find_in_bucket(&self, name: &str) -> Result<Vec<Object>, Trouble> {
        let (bucket, key) = self.buckets.resolve(name)?;
        let root = &name[..name.len() - key.len()];
        let named = |key: &str| format!("{root}{key}");
        if let Some(first) = key.find(['*', '?', '[']) {
            let folder = key[..first].rfind('/').map_or("", |end| &key[..end]);
            let pattern = Pattern::new(key).map_err(|error| Trouble::end(format!("not a pattern: {error}")))?;
            let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
            let objects = self.runtime.block_on(bucket.list(folder, named))?;
            let matches = |object: &Object| pattern.matches_with(&object.name[root.len()..], options);
            let found: Vec<Object> = objects.into_iter().filter(matches).collect();
            return if found.is_empty() { Err(Trouble::end("no object matches this pattern")) } else { Ok(found) };
        }
        if !key.is_empty() && !key.ends_with('/') {
            match self.runtime.block_on(bucket.head(key)) {
                Ok((size, version)) => {
                    return Ok(vec![Object { name: name.to_owned(), size: Some(size), version, named: true }]);
                }
                Err(Trouble::Missing(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        let found = self.runtime.block_on(bucket.list(key.trim_end_matches('/'), named))?;
        let found: Vec<Object> =
            found.into_iter().filter(|object| !is_hidden(&object.name[root.len() + key.len()..])).collect();
        match (found.is_empty(), key.is_empty() || key.ends_with('/')) {
            (false, _) => Ok(found),
            (true, false) => Err(Trouble::Missing("no such object, and no objects below this name".into())),
            (true, true) => Err(Trouble::end("no objects below this name")),
        }
    }

    fn find_on_web(&self, name: &str) -> Result<Vec<Object>, Trouble> {
        if name.contains('*') {
            return Err(Trouble::end("a pattern, and the web has no lists of files")
                .hint("name each file, or a list of them with @list.txt"));
        }
        let found = self.runtime.block_on(self.web.look(name))?;
        Ok(vec![Object { name: name.to_owned(), size: found.size, version: found.version, named: true }])
    }

    fn expected(&self) -> MutexGuard<'_, VecDeque<(Object, Arc<Blocks>)>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn source(&self, object: &Object) -> Result<Source, Trouble> {
        match is_web(&object.name) {
            true => self.web.source(&object.name),
            false => self.buckets.resolve(&object.name).map(|(bucket, key)| bucket.source(key)),
        }
    }
}

fn is_web(name: &str) -> bool {
    name.starts_with("http")
}

/// True for what is hidden below a folder.
fn is_hidden(below: &str) -> bool {
    below.split('/').any(|part| part.starts_with('.'))
}

impl Store for Stores {
    fn knows(&self, name: &str) -> bool {
        is_address(name)
    }

    fn find(&self, name: &str) -> Result<Vec<Object>, Failure> {
        let found = if is_web(name) { self.find_on_web(name) } else { self.find_in_bucket(name) };
        found.map_err(|trouble| trouble.into_failure(name))
    }

    fn expect(&self, objects: &[&Object]) {
        let mut expected = self.expected();
        for object in objects.iter().filter(|object| object.size.is_some_and(|size| size > 0 && size <= blocks::BLOCK))
        {
            let is_known = expected.iter().any(|(known, _)| known == *object);
            if let (false, Ok(source)) = (is_known, self.source(object)) {
                let blocks = object::blocks(Arc::new(source), object, self.runtime.handle());
                blocks.request_first();
                expected.push_back(((*object).clone(), Arc::new(blocks)));
            }
        }
        while expected.len() > EXPECTED {
            expected.pop_front();
        }
    }

    fn open(&self, object: &Object) -> std::io::Result<Box<dyn Content>> {
        let mut expected = self.expected();
        let requested = expected.iter().position(|(known, _)| known == object).and_then(|at| expected.remove(at));
        drop(expected);
        if let Some((_, blocks)) = requested {
            return Ok(Box::new(Cursor::new(blocks)));
        }
        let source = Arc::new(self.source(object).map_err(Trouble::into_io)?);
        Ok(object::open(source, object, self.runtime.handle()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, SeekFrom};

    use object_store::ObjectStoreExt;
    use object_store::memory::InMemory;
    use refrain::{Convert, Input, Outputs, Run, Stop};

    use super::*;

    /// Stores with a bucket in memory.
    fn stores(objects: &[(&str, Vec<u8>)]) -> Arc<Stores> {
        let stores = Stores::new().expect("threads");
        let bucket = bucket::Bucket { store: Arc::new(InMemory::new()), access: trouble::Access { advice: "" } };
        for (key, content) in objects {
            put(&stores, &bucket, key, content);
        }
        stores.buckets.insert("s3://bucket", bucket);
        Arc::new(stores)
    }

    fn put(stores: &Stores, bucket: &bucket::Bucket, key: &str, content: &[u8]) {
        let path = bucket::Bucket::path(key).expect("a key");
        stores.runtime.block_on(bucket.store.put(&path, content.to_vec().into())).expect("memory");
    }

    fn names(stores: &Stores, name: &str) -> Vec<String> {
        stores.find(name).expect("objects").into_iter().map(|object| object.name).collect()
    }

    /// Bytes without a pattern that a block could repeat.
    fn bytes(count: usize) -> Vec<u8> {
        (0..count as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8).collect()
    }

    #[test]
    fn a_name_is_an_object_or_a_folder_or_a_pattern() {
        let stores = stores(&["a/2.txt", "a/10.txt", "a/b/1.txt", "a-c/1.txt", "a/.x", "d"].map(|key| (key, vec![1])));
        assert_eq!(names(&stores, "s3://bucket/d"), ["s3://bucket/d"]);
        assert_eq!(
            names(&stores, "s3://bucket/a/"),
            ["10.txt", "2.txt", "b/1.txt"].map(|name| format!("s3://bucket/a/{name}"))
        );
        assert_eq!(names(&stores, "s3://bucket/a"), names(&stores, "s3://bucket/a/"));
        assert_eq!(names(&stores, "s3://bucket/*/1.txt"), ["s3://bucket/a-c/1.txt"]);
        assert_eq!(names(&stores, "s3://bucket/**/1.txt"), ["s3://bucket/a/b/1.txt", "s3://bucket/a-c/1.txt"]);
        let message = |name: &str| stores.find(name).expect_err("nothing").to_string();
        assert_eq!(message("s3://bucket/e"), "s3://bucket/e: no such object, and no objects below this name");
        assert_eq!(message("s3://bucket/e/"), "s3://bucket/e/: no objects below this name");
        assert_eq!(message("s3:///a"), "s3:///a: names no bucket (write s3://bucket/key)");
    }

    #[test]
    fn an_object_is_read_from_any_byte() {
        let whole = bytes((11 << 20) + 17);
        let stores = stores(&[("a", whole.clone())]);
        let object = &stores.find("s3://bucket/a").expect("an object")[0];
        let mut content = stores.open(object).expect("an object");
        let mut read = Vec::new();
        content.read_to_end(&mut read).expect("memory");
        assert!(read == whole);
        let mut other = content.again().expect("a reader");
        let mut place = 7_u64;
        for length in [1, 100, 70_000, 3 << 20, 5 << 20] {
            place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) % whole.len() as u64;
            let mut part = Vec::new();
            other.seek(SeekFrom::Start(place)).expect("a place");
            (&mut other).take(length).read_to_end(&mut part).expect("memory");
            let end = (place + length).min(whole.len() as u64) as usize;
            assert!(part == whole[place as usize..end], "{length} bytes from {place}");
        }
        assert_eq!(other.seek(SeekFrom::End(5)).expect("a place"), whole.len() as u64 + 5);
        assert_eq!(other.read(&mut [0; 8]).expect("the end"), 0);
        other.seek(SeekFrom::Current(-(1 << 40))).expect_err("before the beginning");
    }

    #[test]
    fn an_object_that_changes_is_an_error_of_the_run() {
        let line = |number: usize| format!("{{\"id\": \"{number}\", \"text\": \"{}\"}}\n", "A word. ".repeat(20));
        let lines: String = (0..40_000).map(line).collect();
        let stores = stores(&[("a.jsonl", lines.clone().into_bytes())]);
        let run = |stores: &Arc<Stores>| {
            let (outputs, memory) = Outputs::memory();
            let input = Input::paths(["s3://bucket/a.jsonl"]).expect("a name").with_store(stores.clone());
            Convert::default().run(&input, outputs, &Run::default()).map(|_| memory.documents().len())
        };
        assert_eq!(run(&stores).expect("documents"), 40_000);
        let object = &stores.find("s3://bucket/a.jsonl").expect("an object")[0];
        let mut content = stores.open(object).expect("an object");
        content.read_exact(&mut [0; 100]).expect("the beginning");
        let (bucket, key) = stores.buckets.resolve("s3://bucket/a.jsonl").expect("the bucket");
        put(&stores, &bucket, key, lines.replace("word", "verb").as_bytes());
        let error = content.read_to_end(&mut Vec::new()).expect_err("another object");
        assert_eq!(error.to_string(), "changed while it was read; run again when nothing writes to it");
        assert_eq!(run(&stores).expect("the new object"), 40_000);
    }

    #[test]
    fn a_folder_is_sent_whole_and_replaces_a_corpus() {
        let stores = stores(&[("c/manifest.json", vec![1]), ("c/documents/9", vec![1]), ("c/own", vec![1])]);
        let above = std::env::temp_dir().join(format!("refrain-upload-{}", std::process::id()));
        std::fs::create_dir_all(above.join("documents")).expect("a folder");
        let large = bytes(40 << 20);
        for (name, content) in [("documents/1", &large[..]), ("documents/.x", b"x"), ("manifest.json", b"{}")] {
            std::fs::write(above.join(name), content).expect("a file");
        }
        let stop = Stop::default();
        stop.request();
        let error = stores.upload(&above, "s3://bucket/c/", true, &stop).expect_err("a stop");
        assert!(error.to_string().contains("interrupted"), "{error}");
        assert_eq!(names(&stores, "s3://bucket/c/").len(), 2, "an incomplete corpus has no manifest");
        let sent = stores.upload(&above, "s3://bucket/c/", true, &Stop::default()).expect("memory");
        assert_eq!(sent, (2, large.len() as u64 + 2));
        let kept = ["documents/1", "manifest.json", "own"].map(|name| format!("s3://bucket/c/{name}"));
        assert_eq!(names(&stores, "s3://bucket/c/"), kept);
        assert!(stores.read("s3://bucket/c/documents/1").expect("memory") == large);
        assert!(
            stores.holds_any("s3://bucket/c/").expect("memory") && !stores.holds_any("s3://bucket/d").expect("memory")
        );
        std::fs::remove_dir_all(&above).expect("the folder");
    }
}
