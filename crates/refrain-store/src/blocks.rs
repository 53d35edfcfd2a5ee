//! An object in blocks, which are requested in parallel ahead of where it is read.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use refrain::source::Content;
use tokio::runtime::Handle;

use crate::object::Source;
use crate::trouble::Trouble;

/// The bytes of a block: large enough that the answer takes longer than the question.
pub(crate) const BLOCK: u64 = 2 << 20;
/// Blocks that are requested ahead of a reader that reads on and on.
const AHEAD: u64 = 4;
/// Blocks in memory. Columns of a table are read at several places at once.
const HELD: usize = 16;

/// The blocks of an object. All its readers share them.
#[derive(Debug)]
pub(crate) struct Blocks {
    source: Arc<Source>,
    size: u64,
    version: Option<String>,
    runtime: Handle,
    /// The most recently used one is the last.
    held: Mutex<VecDeque<(u64, Arc<Block>)>>,
}

/// A block, once it has arrived.
#[derive(Debug, Default)]
struct Block {
    content: Mutex<Option<Result<Bytes, Trouble>>>,
    arrived: Condvar,
}

impl Block {
    fn put(&self, content: Result<Bytes, Trouble>) {
        *lock(&self.content) = Some(content);
        self.arrived.notify_all();
    }

    fn wait(&self) -> Result<Bytes, Trouble> {
        let mut content = lock(&self.content);
        loop {
            if let Some(content) = &*content {
                return content.clone();
            }
            content = self.arrived.wait(content).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Blocks {
    pub(crate) fn new(source: Arc<Source>, size: u64, version: Option<String>, runtime: Handle) -> Blocks {
        Blocks { source, size, version, runtime, held: Mutex::default() }
    }

    /// Requests the first block.
    pub(crate) fn request_first(&self) {
        self.request(&mut lock(&self.held), 0);
    }

    /// A block, and some after it are requested.
    fn get(&self, number: u64, ahead: u64) -> Result<Bytes, Trouble> {
        let last = self.size.saturating_sub(1) / BLOCK;
        let wanted = {
            let mut held = lock(&self.held);
            // A new reader that goes on where another one was.
            let ahead = if held.iter().any(|(known, _)| known + 1 == number) { ahead.max(1) } else { ahead };
            // The wanted block is the last, so that it is dropped last.
            for next in (number + 1..=(number + ahead).min(last)).rev() {
                self.request(&mut held, next);
            }
            self.request(&mut held, number)
        };
        wanted.wait()
    }

    fn request(&self, held: &mut VecDeque<(u64, Arc<Block>)>, number: u64) -> Arc<Block> {
        let block = match held.iter().position(|(known, _)| *known == number).and_then(|at| held.remove(at)) {
            Some((_, block)) => block,
            None => self.fetch(number),
        };
        held.push_back((number, block.clone()));
        if held.len() > HELD {
            held.pop_front();
        }
        block
    }

    fn fetch(&self, number: u64) -> Arc<Block> {
        let block = Arc::new(Block::default());
        let (own, source, version) = (block.clone(), self.source.clone(), self.version.clone());
        let start = number * BLOCK;
        let range = start..(start + BLOCK).min(self.size);
        self.runtime.spawn(async move { own.put(source.range(range, version.as_deref()).await) });
        block
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reader of blocks.
pub(crate) struct Cursor {
    blocks: Arc<Blocks>,
    at: u64,
    /// The block at hand, with its number.
    current: Option<(u64, Bytes)>,
    /// How many blocks are requested ahead.
    ahead: u64,
}

impl Cursor {
    pub(crate) fn new(blocks: Arc<Blocks>) -> Cursor {
        Cursor { blocks, at: 0, current: None, ahead: 0 }
    }
}

impl Read for Cursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.blocks.size || buffer.is_empty() {
            return Ok(0);
        }
        let number = self.at / BLOCK;
        let block = match &self.current {
            Some((current, block)) if *current == number => block,
            before => {
                // More and more ahead, as long as one block follows the other.
                let follows = before.as_ref().is_some_and(|(before, _)| before + 1 == number);
                self.ahead = if follows { (2 * self.ahead).clamp(1, AHEAD) } else { 0 };
                let block = self.blocks.get(number, self.ahead).map_err(Trouble::into_io)?;
                &self.current.insert((number, block)).1
            }
        };
        let rest = block.get((self.at - number * BLOCK) as usize..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(offset) => self.blocks.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.at.checked_add_signed(offset),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

impl Content for Cursor {
    fn is_seekable(&self) -> bool {
        true
    }

    fn again(&self) -> io::Result<Box<dyn Content>> {
        Ok(Box::new(Cursor::new(self.blocks.clone())))
    }
}
