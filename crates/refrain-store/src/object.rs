//! Readers of objects.

use std::future::Future;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt};
use object_store::{GetOptions, GetRange, ObjectStore};
use refrain::source::{Content, Object};
use reqwest::{Client, Url};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::blocks::{Blocks, Cursor};
use crate::bucket::{Bucket, LONGEST_PAUSE, PAUSE, attempts, version};
use crate::trouble::{Trouble, innermost};
use crate::web;

/// Where the bytes of an object are.
#[derive(Debug)]
pub(crate) enum Source {
    Bucket(Bucket, String),
    Web(Client, Url),
}

/// Pieces of an object as they arrive.
type Pieces = futures_util::stream::BoxStream<'static, Result<Bytes, Trouble>>;

/// Opens an object.
pub(crate) fn open(source: Arc<Source>, object: &Object, runtime: &Handle) -> Box<dyn Content> {
    match object.size {
        Some(_) => Box::new(Cursor::new(Arc::new(blocks(source, object, runtime)))),
        None => Box::new(Whole::new(source, object.version.clone(), runtime)),
    }
}

/// The blocks of an object whose size is known.
pub(crate) fn blocks(source: Arc<Source>, object: &Object, runtime: &Handle) -> Blocks {
    Blocks::new(source, object.size.unwrap_or_default(), object.version.clone(), runtime.clone())
}

impl Source {
    /// The bytes of a range, as many as there are until the connection ends. All of a file without a range.
    async fn pieces(&self, range: Option<Range<u64>>, wanted: Option<&str>) -> Result<Pieces, Trouble> {
        let is_wanted = |version: Option<String>| wanted.is_none() || version.as_deref() == wanted;
        match self {
            Source::Bucket(bucket, key) => {
                let is_tag = wanted.is_some_and(|wanted| wanted.starts_with('"'));
                let options = GetOptions {
                    range: range.map(GetRange::Bounded),
                    if_match: wanted.filter(|_| is_tag).map(str::to_owned),
                    ..GetOptions::default()
                };
                let bucket = bucket.clone();
                let got = bucket.store.get_opts(&Bucket::path(key)?, options).await;
                let got = got.map_err(|error| bucket.trouble(&error))?;
                if !is_wanted(version(&got.meta)) {
                    return Err(Trouble::Changed);
                }
                Ok(got.into_stream().map(move |piece| piece.map_err(|error| bucket.trouble(&error))).boxed())
            }
            Source::Web(client, url) => {
                let bytes = range.as_ref().map(|range| format!("bytes={}-{}", range.start, range.end - 1));
                let response = web::request(client, url, bytes.as_deref()).await?;
                if !is_wanted(web::version(&response)) {
                    return Err(Trouble::Changed);
                }
                match (&range, web::part(&response)) {
                    (None, _) => {}
                    (Some(range), Some((start, _))) if start == range.start => {}
                    (Some(_), None) if response.status() == reqwest::StatusCode::OK => return Err(Trouble::NoRanges),
                    (Some(_), _) => return Err(Trouble::Changed),
                }
                let pieces = response.bytes_stream();
                Ok(pieces.map(|piece| piece.map_err(|error| Trouble::Passing(innermost(&error.without_url())))).boxed())
            }
        }
    }

    /// The bytes of a range. After a connection is cut, the rest is requested.
    pub(crate) async fn range(&self, range: Range<u64>, wanted: Option<&str>) -> Result<Bytes, Trouble> {
        let length = (range.end - range.start) as usize;
        let mut bytes = BytesMut::with_capacity(length);
        let mut failures = 0;
        loop {
            let got = bytes.len();
            let trouble = match self.pieces(Some(range.start + got as u64..range.end), wanted).await {
                Ok(pieces) => append(&mut bytes, pieces).await.err(),
                // The library of the bucket has repeated the request.
                Err(trouble @ Trouble::Passing(_)) if matches!(self, Source::Bucket(..)) => return Err(trouble),
                Err(trouble) => Some(trouble),
            };
            match trouble {
                None if bytes.len() == length => return Ok(bytes.freeze()),
                None if bytes.len() > length => return Err(Trouble::Changed),
                None => {}
                Some(Trouble::Passing(problem)) => wait_after(problem, &mut failures, bytes.len() > got).await?,
                // An object that is gone, or no longer as long, was there before.
                Some(Trouble::Missing(_)) => return Err(Trouble::Changed),
                Some(trouble) => return Err(trouble),
            }
        }
    }
}

async fn append(bytes: &mut BytesMut, mut pieces: Pieces) -> Result<(), Trouble> {
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece?);
    }
    Ok(())
}

/// Waits before another attempt, or gives up. Progress counts as a new beginning.
async fn wait_after(problem: String, failures: &mut usize, progress: bool) -> Result<(), Trouble> {
    *failures = if progress { 1 } else { *failures + 1 };
    if *failures >= attempts() {
        return Err(Trouble::Passing(problem));
    }
    let pause = PAUSE.saturating_mul(1 << (*failures - 1).min(16)).min(LONGEST_PAUSE);
    tokio::time::sleep(pause).await;
    Ok(())
}

/// The answer of the first attempt that does not fail by chance.
pub(crate) async fn retried<T, F: Future<Output = Result<T, Trouble>>>(attempt: impl Fn() -> F) -> Result<T, Trouble> {
    let mut failures = 0;
    loop {
        match attempt().await {
            Err(Trouble::Passing(problem)) => wait_after(problem, &mut failures, false).await?,
            answer => return answer,
        }
    }
}

/// A reader of a file that the server sends as a whole only.
struct Whole {
    source: Arc<Source>,
    version: Option<String>,
    runtime: Handle,
    pieces: mpsc::Receiver<Result<Bytes, Trouble>>,
    current: Bytes,
    at: u64,
}

/// Pieces that have arrived and are not read yet.
const WAITING: usize = 64;

impl Whole {
    fn new(source: Arc<Source>, version: Option<String>, runtime: &Handle) -> Whole {
        let (sender, pieces) = mpsc::channel(WAITING);
        runtime.spawn(send_whole(source.clone(), version.clone(), sender));
        Whole { source, version, runtime: runtime.clone(), pieces, current: Bytes::new(), at: 0 }
    }
}

/// Sends all bytes of a file. After a connection is cut, it begins again and skips what was sent.
async fn send_whole(source: Arc<Source>, version: Option<String>, sender: mpsc::Sender<Result<Bytes, Trouble>>) {
    let (mut sent, mut failures) = (0, 0);
    loop {
        let before = sent;
        let trouble = match source.pieces(None, version.as_deref()).await {
            Ok(pieces) => match send_from(pieces, &mut sent, &sender).await {
                Ok(()) => return,
                Err(trouble) => trouble,
            },
            Err(trouble) => trouble,
        };
        let given_up = match trouble {
            Trouble::Passing(problem) => wait_after(problem, &mut failures, sent > before).await.err(),
            trouble => Some(trouble),
        };
        if let Some(trouble) = given_up {
            let _ = sender.send(Err(trouble)).await;
            return;
        }
    }
}

async fn send_from(
    mut pieces: impl Stream<Item = Result<Bytes, Trouble>> + Unpin,
    sent: &mut u64,
    sender: &mpsc::Sender<Result<Bytes, Trouble>>,
) -> Result<(), Trouble> {
    let mut skip = *sent;
    while let Some(piece) = pieces.next().await {
        let mut piece = piece?;
        let known = skip.min(piece.len() as u64);
        skip -= known;
        let new = piece.split_off(known as usize);
        if new.is_empty() {
            continue;
        }
        *sent += new.len() as u64;
        // Nobody reads any more.
        if sender.send(Ok(new)).await.is_err() {
            return Ok(());
        }
    }
    if skip > 0 { Err(Trouble::Changed) } else { Ok(()) }
}

impl Read for Whole {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.pieces.blocking_recv() {
                Some(Ok(piece)) => self.current = piece,
                Some(Err(trouble)) => return Err(trouble.into_io()),
                None => return Ok(0),
            }
        }
        let taken = self.current.split_to(buffer.len().min(self.current.len()));
        buffer[..taken.len()].copy_from_slice(&taken);
        self.at += taken.len() as u64;
        Ok(taken.len())
    }
}

impl Seek for Whole {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(at) if at == self.at => Ok(at),
            SeekFrom::Current(0) => Ok(self.at),
            _ => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

impl Content for Whole {
    fn is_seekable(&self) -> bool {
        false
    }

    fn again(&self) -> io::Result<Box<dyn Content>> {
        Ok(Box::new(Whole::new(self.source.clone(), self.version.clone(), &self.runtime)))
    }
}
