//! Compression, recognised by content, and readers that count and limit.

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;

use super::store::Bytewise;

/// Compression formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Compression {
    pub(super) fn of(head: &[u8]) -> Option<Compression> {
        if head.starts_with(&[0x1f, 0x8b, 0x08]) {
            Some(Compression::Gzip)
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
            || (head.len() >= 4 && (0x50..=0x5f).contains(&head[0]) && head[1..4] == [0x2a, 0x4d, 0x18])
        {
            Some(Compression::Zstd)
        } else if head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY") {
            Some(Compression::Bzip2)
        } else if head.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
            Some(Compression::Xz)
        } else {
            None
        }
    }

    /// Decompresses all members or frames of a stream.
    pub(super) fn decoder<'r>(self, reader: Box<dyn BufRead + 'r>) -> io::Result<Box<dyn Read + 'r>> {
        Ok(match self {
            Compression::Gzip => Box::new(GzipMembers::new(reader)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(reader)?),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(reader)),
            Compression::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(reader)),
        })
    }
}

/// Counts the bytes read from a file into a shared counter.
pub(super) struct Counted<'a> {
    file: Bytewise,
    count: &'a AtomicU64,
}

impl<'a> Counted<'a> {
    pub(super) fn new(file: Bytewise, count: &'a AtomicU64) -> Counted<'a> {
        Counted { file, count }
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// How many bytes an input may still expand to; shared by everything decompressed from it.
#[derive(Clone)]
pub(super) struct Allowance(Rc<Cell<u64>>);

impl Allowance {
    pub(super) fn of(bytes: u64) -> Allowance {
        Allowance(Rc::new(Cell::new(bytes)))
    }

    pub(super) fn covers(&self, bytes: u64) -> bool {
        bytes <= self.0.get()
    }

    /// How many bytes may still be decompressed.
    pub(super) fn left(&self) -> u64 {
        self.0.get()
    }
}

/// Stops a stream that expands beyond its allowance.
pub(super) struct Metered<R> {
    inner: R,
    allowance: Allowance,
}

/// The error of a stream that expands beyond its allowance.
pub(super) const BOMB: &str = "expands beyond the limit: a decompression bomb?";
/// The way out.
pub(super) const RAISE_EXPANSION: &str = "raise the limit with `max_expansion`";

impl<R: Read> Metered<R> {
    pub(super) fn new(inner: R, allowance: &Allowance) -> Metered<R> {
        Metered { inner, allowance: allowance.clone() }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        let left = self.allowance.0.get().checked_sub(n as u64).ok_or_else(|| io::Error::other(BOMB))?;
        self.allowance.0.set(left);
        Ok(n)
    }
}

/// Returns an error once, then the end of the stream.
pub(super) struct Once(pub(super) Option<io::Error>);

impl Read for Once {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl BufRead for Once {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.take().map_or(Ok(&[]), Err)
    }

    fn consume(&mut self, _amount: usize) {}
}

/// A stream of known length; if it ends early, that is an error, and the flag is set.
pub(super) struct Whole<'c, R> {
    inner: R,
    left: u64,
    cut_off: &'c Cell<bool>,
}

impl<'c, R: Read> Whole<'c, R> {
    pub(super) fn new(inner: R, length: u64, cut_off: &'c Cell<bool>) -> Whole<'c, R> {
        Whole { inner, left: length, cut_off }
    }
}

impl<R: Read> Read for Whole<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        if n == 0 && self.left > 0 && !buffer.is_empty() {
            self.cut_off.set(true);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{} bytes are missing", self.left)));
        }
        self.left = self.left.saturating_sub(n as u64);
        Ok(n)
    }
}

/// The error of a gzip member that cannot be decompressed. The reader continues with the next good member.
#[derive(Debug)]
pub(super) struct DamagedMember {
    what: String,
    /// True if the member produced no bytes: everything read before belongs to complete members.
    at_start: bool,
}

impl DamagedMember {
    /// True for errors after which reading may continue.
    pub(super) fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<DamagedMember>)
    }

    /// True if everything read before the error is complete.
    pub(super) fn is_at_start(error: &io::Error) -> bool {
        error.get_ref().and_then(|inner| inner.downcast_ref::<DamagedMember>()).is_some_and(|damaged| damaged.at_start)
    }
}

impl fmt::Display for DamagedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for DamagedMember {}

/// Reads consecutive gzip members. After a damaged member it reports [`DamagedMember`] once, searches for the next
/// member that decompresses, and continues there.
struct GzipMembers<R> {
    state: State<R>,
    /// Decompressed bytes of a member found after damage, not yet returned.
    tried: io::Cursor<Vec<u8>>,
    /// Positions that looked like a member after damage.
    trials: u32,
    /// True once bytes of the current member were returned.
    given: bool,
}

#[allow(clippy::large_enum_variant)] // one for each open stream, and it is mostly the large one
enum State<R> {
    /// Inside a member.
    Member(GzDecoder<Replay<R>>),
    /// Between members.
    Between(Replay<R>),
    /// After damage: the next good member has to be found.
    Lost(Replay<R>),
    Done,
}

/// How much of a candidate is decompressed before it is accepted.
const TRIAL: u64 = 32 << 10;

/// The maximum number of searches for a member in one stream; a stream with more damage is abandoned.
const MAX_TRIALS: u32 = 10_000;

impl<R: BufRead> GzipMembers<R> {
    fn new(reader: R) -> GzipMembers<R> {
        GzipMembers {
            state: State::Between(Replay::new(reader)),
            tried: io::Cursor::default(),
            trials: 0,
            given: false,
        }
    }

    /// Opens the next member. Zero padding, and trailing garbage without a member in it, end the stream.
    fn open_next(&mut self, mut reader: Replay<R>) -> io::Result<()> {
        let head = reader.peek(3)?;
        if head.is_empty() || head.iter().all(|&b| b == 0) {
            self.state = State::Done;
        } else if head == [0x1f, 0x8b, 0x08] {
            reader.start_recording();
            self.state = State::Member(GzDecoder::new(reader));
            self.given = false;
        } else {
            self.state = State::Lost(reader);
            return Err(io::Error::other(DamagedMember { what: "expected a gzip member".into(), at_start: true }));
        }
        Ok(())
    }

    /// After damage: searches for a member that decompresses at least for a while.
    fn find_next(&mut self, mut reader: Replay<R>) -> io::Result<()> {
        while self.trials < MAX_TRIALS && reader.seek_magic()? {
            self.trials += 1;
            reader.start_recording();
            let mut decoder = GzDecoder::new(reader);
            let mut tried = Vec::new();
            match (&mut decoder).take(TRIAL).read_to_end(&mut tried) {
                Ok(_) => {
                    self.given = !tried.is_empty();
                    self.tried = io::Cursor::new(tried);
                    self.state = State::Member(decoder);
                    return Ok(());
                }
                Err(_) => {
                    reader = decoder.into_inner();
                    reader.rewind_past_start();
                }
            }
        }
        self.state = State::Done;
        Ok(())
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let n = self.tried.read(buffer)?;
            if n > 0 {
                return Ok(n);
            }
            if let State::Member(decoder) = &mut self.state {
                match decoder.read(buffer) {
                    Ok(n) if n > 0 => {
                        self.given = true;
                        return Ok(n);
                    }
                    Ok(_) => {
                        let State::Member(decoder) = std::mem::replace(&mut self.state, State::Done) else { continue };
                        self.state = State::Between(decoder.into_inner());
                    }
                    Err(error) => {
                        let State::Member(decoder) = std::mem::replace(&mut self.state, State::Done) else { continue };
                        let mut reader = decoder.into_inner();
                        reader.rewind_past_start();
                        self.state = State::Lost(reader);
                        let what = if error.kind() == io::ErrorKind::UnexpectedEof {
                            "truncated gzip data".to_owned()
                        } else {
                            format!("damaged gzip data: {error}")
                        };
                        return Err(io::Error::other(DamagedMember { what, at_start: !self.given }));
                    }
                }
                continue;
            }
            match std::mem::replace(&mut self.state, State::Done) {
                State::Between(reader) => self.open_next(reader)?,
                State::Lost(reader) => self.find_next(reader)?,
                State::Member(_) | State::Done => return Ok(0),
            }
        }
    }
}

/// A reader that can return to the start of a member: it keeps the bytes consumed since then, up to a limit. A damaged
/// member may have swallowed bytes of its successors; rewinding recovers them.
struct Replay<R> {
    inner: R,
    /// Bytes consumed since the recording began, and bytes to read (again) before the inner reader continues.
    memory: Vec<u8>,
    /// The current position in it.
    at: usize,
    /// Where the recording began in it; `None` if nothing is recorded, or too much was.
    start: Option<usize>,
}

/// How much is remembered.
const REMEMBER: usize = 8 << 20;

impl<R: BufRead> Replay<R> {
    fn new(inner: R) -> Replay<R> {
        Replay { inner, memory: Vec::new(), at: 0, start: None }
    }

    fn start_recording(&mut self) {
        // Consumed bytes are dropped occasionally, not each time: a damaged stream may have many false starts.
        if self.at == self.memory.len() || self.at > REMEMBER {
            self.memory.drain(..self.at);
            self.at = 0;
        }
        self.start = Some(self.at);
    }

    /// Returns to the byte after the start of the recording, if it is still in memory.
    fn rewind_past_start(&mut self) {
        if let Some(start) = self.start.take() {
            self.at = (start + 1).min(self.memory.len());
        }
    }

    /// The next bytes, without consuming them: fewer than requested only at the end.
    fn peek(&mut self, length: usize) -> io::Result<&[u8]> {
        while self.memory.len() - self.at < length {
            let buffer = self.inner.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let wanted = buffer.len().min(length);
            self.memory.extend_from_slice(&buffer[..wanted]);
            self.inner.consume(wanted);
        }
        let end = self.memory.len().min(self.at + length);
        Ok(&self.memory[self.at..end])
    }

    /// Moves to the next possible start of a gzip member. False at the end of the stream.
    fn seek_magic(&mut self) -> io::Result<bool> {
        self.start = None;
        loop {
            let buffer = self.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let (skip, found) = match memchr::memchr(0x1f, buffer) {
                Some(at) => (at, true),
                None => (buffer.len(), false),
            };
            self.consume(skip);
            if found {
                // Magic, deflate, and no reserved flag set.
                let head = self.peek(4)?;
                if head.len() == 4 && head[..3] == [0x1f, 0x8b, 0x08] && head[3] & 0xe0 == 0 {
                    return Ok(true);
                }
                self.consume(1);
            }
        }
    }
}

impl<R: BufRead> Read for Replay<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(buffer.len());
        buffer[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Replay<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at < self.memory.len() { Ok(&self.memory[self.at..]) } else { self.inner.fill_buf() }
    }

    fn consume(&mut self, amount: usize) {
        if amount == 0 {
            return;
        }
        if self.at < self.memory.len() {
            self.at += amount;
        } else if let Some(start) = self.start {
            // The buffer is still what fill_buf returned: nothing was read since.
            match self.inner.fill_buf() {
                Ok(buffer) if self.memory.len() - start + amount <= REMEMBER => {
                    self.memory.extend_from_slice(&buffer[..amount.min(buffer.len())]);
                    self.at = self.memory.len();
                }
                _ => self.start = None,
            }
            self.inner.consume(amount);
        } else {
            self.inner.consume(amount);
        }
        if self.start.is_none() && self.at == self.memory.len() {
            self.memory.clear();
            self.at = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn member(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).expect("in memory");
        encoder.finish().expect("in memory")
    }

    /// Everything that can be read, and the errors on the way.
    fn read_out(bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
        let mut reader = GzipMembers::new(bytes);
        let (mut content, mut errors) = (Vec::new(), Vec::new());
        let mut buffer = [0; 7];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (content, errors),
                Ok(n) => content.extend_from_slice(&buffer[..n]),
                Err(error) => {
                    assert!(DamagedMember::is(&error), "{error}");
                    errors.push(error.to_string());
                    assert!(errors.len() < 100, "endless errors");
                }
            }
        }
    }

    #[test]
    fn members_follow_each_other() {
        let bytes = [member(b"one "), member(b""), member(b"two")].concat();
        assert_eq!(read_out(&bytes), (b"one two".to_vec(), vec![]));
    }

    #[test]
    fn zeros_behind_the_last_member_are_padding() {
        assert_eq!(read_out(&[member(b"one"), vec![0; 512]].concat()), (b"one".to_vec(), vec![]));
    }

    #[test]
    fn a_damaged_member_is_reported_once_and_the_next_one_read() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        let noise: Vec<u8> = (0..20_000).map(|_| random()).collect();
        let good = member(b"after");
        for at in [12, 200, 9000, 15_000] {
            let mut bad = member(&noise);
            for byte in &mut bad[at..at + 8] {
                *byte ^= 0x5a;
            }
            let (content, errors) = read_out(&[member(b"before"), bad, good.clone(), good.clone()].concat());
            assert!(content.starts_with(b"before") && content.ends_with(b"afterafter"), "damage at {at}");
            assert_eq!(errors.len(), 1, "damage at {at}: {errors:?}");
        }
    }

    #[test]
    fn a_stream_cut_off_says_so() {
        let whole = [member(b"one"), member(&[b'x'; 1000])].concat();
        let (content, errors) = read_out(&whole[..whole.len() - 9]);
        assert!(content.starts_with(b"one"));
        assert_eq!(errors, ["truncated gzip data"]);
    }

    #[test]
    fn expansion_is_limited() {
        let mut metered = Metered::new(io::repeat(b'x'), &Allowance::of(1000));
        let error = io::copy(&mut metered, &mut io::sink()).expect_err("endless");
        assert_eq!(error.to_string(), BOMB);
    }
}
