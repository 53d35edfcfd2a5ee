//! Lines at the two ends of a text: splitting them off, and the preprocessing of the paper.

use std::convert::Infallible;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use memchr::{memchr, memchr_iter};
use twox_hash::XxHash3_64;

use super::meta::decode;
use crate::error::Result;
use crate::kernel::{Bytes, Fields, damaged, put, put_numbers};

/// Lines with fewer characters (after preprocessing) are trivial. The default method counts bytes instead, which is faster and
/// only decides which lines are long enough to look up.
pub(super) const TRIVIAL_BELOW: usize = 30;

/// One line: its number in the text, from 0, and its bytes without white space around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a [u8],
}

impl Line<'_> {
    /// True when nothing but white space is on the line.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// The first and the last lines of a text. They overlap in short texts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Edges<'a> {
    pub(crate) head: Vec<Line<'a>>,
    pub(crate) tail: Vec<Line<'a>>,
    /// Number of lines in the whole text; an empty rest after the last line end does not count.
    pub(crate) total: usize,
}

/// The two ends of a text, and the number of lines between them: all of a book that must be in memory.
///
/// Lines end at `
/// `; a text without any is split at `\r`. A text in UTF-16 (detected by its byte order mark) is converted to UTF-8;
/// its lines keep their numbers.
///
/// ```
/// use refrain::strip::Ends;
///
/// let ends = Ends::of(b"Licence\r\n\r\nThe book.\r\nThe end\r\n", 600);
/// assert_eq!(ends.lines(), 4);
/// assert_eq!(ends.body(2, 4), 11..22);
/// ```
#[derive(Debug, Clone)]
pub struct Ends {
    /// The first lines, followed by the last ones; a short text as a whole.
    bytes: Vec<u8>,
    /// Where each line of the head ends in it, after its separator.
    head_stops: Vec<usize>,
    /// Where each line of the tail begins in it.
    tail_starts: Vec<usize>,
    /// Bytes of the text between the two that are not in memory.
    left_out: u64,
    size: u64,
    total: usize,
    separator: u8,
    /// Lines that were asked for at each end.
    limit: usize,
    /// Where each line begins in a text in UTF-16.
    wide: Option<Vec<u64>>,
    /// See [`Ends::identity`].
    identity: u64,
}

/// Bytes that are read at each end of a file at first: 600 lines of a book are about 40 KB.
const CHUNK: u64 = 64 << 10;
/// The most bytes of each end that are kept. Lines that reach further are not examined: a text without line ends would have to
/// be in memory as a whole.
const MOST: u64 = 4 << 20;
/// Bytes that are read at a time between the ends.
const PIECE: u64 = 256 << 10;
/// Bytes at the beginning, in the middle and at the end of a text by which it is identified.
const WINDOW: u64 = 4 << 10;
const UTF_8_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Ends {
    /// The ends of a text in memory, with `lines` lines each.
    pub fn of(bytes: &[u8], lines: usize) -> Ends {
        Ends::of_within(bytes, lines, MOST)
    }

    /// The same with at most `most` bytes of each end.
    fn of_within(bytes: &[u8], lines: usize, most: u64) -> Ends {
        if let Some(order) = ByteOrder::of(bytes) {
            return Ends::of_wide(bytes, order, lines);
        }
        let mut ends = Ends::cut(bytes, lines, most);
        let (stop, start) = ends.gap(bytes.len());
        ends.bytes.reserve_exact(stop + bytes.len() - start);
        ends.bytes.extend_from_slice(&bytes[..stop]);
        ends.bytes.extend_from_slice(&bytes[start..]);
        ends.drop_gap(stop, start);
        ends
    }

    /// The same for an owned text: copies nothing, and keeps the text between the ends in memory.
    pub fn of_whole(bytes: Vec<u8>, lines: usize) -> Ends {
        match ByteOrder::of(&bytes) {
            Some(order) => Ends::of_wide(&bytes, order, lines),
            None => {
                let cut = Ends::cut(&bytes, lines, MOST);
                Ends { bytes, ..cut }
            }
        }
    }

    /// A copy without the text between the ends.
    pub(super) fn without_middle(&self) -> Ends {
        let (stop, start) = self.gap(self.bytes.len());
        let bytes = [&self.bytes[..stop], &self.bytes[start..]].concat();
        let (head_stops, tail_starts, wide) = (self.head_stops.clone(), self.tail_starts.clone(), self.wide.clone());
        let mut ends = Ends { bytes, head_stops, tail_starts, wide, ..*self };
        ends.drop_gap(stop, start);
        ends
    }

    /// The bytes between the ends, in a text of `size` bytes; empty if the ends overlap.
    fn gap(&self, size: usize) -> (usize, usize) {
        let stop = self.head_stops.last().copied().unwrap_or(0);
        (stop, self.tail_starts.first().copied().unwrap_or(size).max(stop))
    }

    /// Records that these bytes are not in memory.
    fn drop_gap(&mut self, stop: usize, start: usize) {
        if start > stop {
            self.left_out += (start - stop) as u64;
            for at in &mut self.tail_starts {
                *at -= start - stop;
            }
        }
    }

    /// Divides the first and last `most` bytes of a text into lines. The bytes themselves are added later.
    fn cut(bytes: &[u8], lines: usize, most: u64) -> Ends {
        let separator = separator(bytes);
        let mut head_stops = first_ends(bytes, separator, lines);
        let reached = head_stops.last().copied().unwrap_or(0);
        if head_stops.len() < lines && reached < bytes.len() {
            head_stops.push(bytes.len());
        }
        let closed = bytes.strip_suffix(&[separator]).unwrap_or(bytes);
        let mut tail_starts = last_starts(closed, separator, lines);
        let first = tail_starts.first().copied().unwrap_or(0);
        let total = if tail_starts.len() < lines {
            // The tail reaches the first line.
            if !bytes.is_empty() {
                tail_starts.insert(0, 0);
            }
            tail_starts.len()
        } else if first >= reached {
            head_stops.len() + memchr_iter(separator, &bytes[reached..first]).count() + tail_starts.len()
        } else {
            count(bytes, separator)
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        head_stops.truncate(head_stops.partition_point(|stop| *stop <= most));
        if let Some(unseen) = bytes.len().checked_sub(most).filter(|unseen| *unseen > 0) {
            tail_starts.drain(..tail_starts.partition_point(|start| *start <= unseen));
        }
        Ends {
            bytes: Vec::new(),
            head_stops,
            tail_starts,
            left_out: 0,
            size: bytes.len() as u64,
            total,
            separator,
            limit: lines,
            wide: None,
            identity: identity_of(bytes),
        }
    }

    fn of_wide(bytes: &[u8], order: ByteOrder, lines: usize) -> Ends {
        let text = order.decode(bytes);
        let ends = Ends::of(text.as_bytes(), lines);
        let mut starts = vec![0];
        let units = bytes.chunks_exact(2).enumerate().filter(|(_, unit)| order.is(unit, ends.separator));
        starts.extend(units.map(|(unit, _)| 2 * unit as u64 + 2));
        Ends { size: bytes.len() as u64, wide: Some(starts), ..ends }
    }

    /// The same for a file, of which only the ends are kept; the rest is read once to count its lines.
    pub fn read(file: &mut (impl Read + Seek), lines: usize) -> io::Result<Ends> {
        Ends::read_in_chunks(file, lines, CHUNK..MOST, count_between)
    }

    /// The same without the text between the ends: enough to learn from. Line numbers at the end ignore that text.
    pub fn glance(file: &mut (impl Read + Seek), lines: usize) -> io::Result<Ends> {
        Ends::read_in_chunks(file, lines, CHUNK..MOST, |_, _, _, _| Ok(0))
    }

    /// Reads more and more of each end, within these limits, until there are enough lines.
    fn read_in_chunks<F: Read + Seek>(
        file: &mut F,
        lines: usize,
        reaches: Range<u64>,
        between: impl Fn(&mut F, u8, u64, u64) -> io::Result<usize>,
    ) -> io::Result<Ends> {
        let size = file.seek(SeekFrom::End(0))?;
        let most = reaches.end;
        let mut reach = reaches.start.min(most);
        while reach < size / 2 {
            let head = read_range(file, 0, reach)?;
            let tail = read_range(file, size - reach, size)?;
            let wide = ByteOrder::of(&head).is_some();
            let full = reach >= most;
            let has = |byte| memchr(byte, &head).is_some() || memchr(byte, &tail).is_some();
            let by_cr = full && !has(b'\n') && has(b'\r') && count_between(file, b'\n', reach, size - reach)? == 0;
            let separator = if by_cr { b'\r' } else { b'\n' };
            let head_stops = first_ends(&head, separator, lines);
            let closed = tail.strip_suffix(&[separator]).unwrap_or(&tail);
            let mut tail_starts = last_starts(closed, separator, lines);
            if !wide && (full || (head_stops.len() == lines && tail_starts.len() == lines)) {
                let stop = head_stops.last().copied().unwrap_or(0);
                let start = tail_starts.first().copied().unwrap_or(tail.len());
                let inside = [&head[stop..], &tail[..start]].map(|part| memchr_iter(separator, part).count());
                // An unterminated last line counts even if it is too long to be examined.
                let open = usize::from(tail_starts.is_empty() && closed.len() == tail.len());
                let known = head_stops.len() + inside[0] + inside[1] + tail_starts.len() + open;
                let total = known + between(file, separator, reach, size - reach)?;
                for at in &mut tail_starts {
                    *at = *at - start + stop;
                }
                let bytes = [&head[..stop], &tail[start..]].concat();
                let left_out = size - bytes.len() as u64;
                // Most of what identifies the text was read already.
                let mark = mark_of(&head).len() as u64;
                let read = |range: Range<u64>| {
                    let (from, to) = (mark + range.start, mark + range.end);
                    let inside = |part: &[u8], start: u64| Some(part.get(at(from, start)?..at(to, start)?)?.to_vec());
                    match inside(&head, 0).or_else(|| inside(&tail, size - reach)) {
                        Some(bytes) => Ok(bytes),
                        None => read_range(file, from, to),
                    }
                };
                let (identity, _) = identity(size - mark, read)?;
                return Ok(Ends {
                    bytes,
                    head_stops,
                    tail_starts,
                    left_out,
                    size,
                    total,
                    separator,
                    limit: lines,
                    wide: None,
                    identity,
                });
            }
            reach = if wide { size } else { reach.saturating_mul(2).min(most) };
        }
        Ok(Ends::of_within(&read_range(file, 0, size)?, lines, most))
    }

    /// The bytes of the first lines and of the last ones.
    fn parts(&self) -> (&[u8], &[u8]) {
        let stop = self.head_stops.last().copied().unwrap_or(0);
        let start = self.tail_starts.first().copied().unwrap_or(self.bytes.len());
        (&self.bytes[..stop], &self.bytes[start..])
    }

    /// Identifies a text by its size and its first, middle and last bytes. It is the same for a file and for a document in
    /// memory that has the text of the file; only files in an older encoding than Unicode differ from their text.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// The [identity](Ends::identity) of a file, of which little is read. None where the file is not text.
    pub fn identify(file: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
        let size = file.seek(SeekFrom::End(0))?;
        let start = read_range(file, 0, size.min(UTF_8_MARK.len() as u64))?;
        if ByteOrder::of(&start).is_some() {
            return Ok(Some(Ends::of(&read_range(file, 0, size)?, 0).identity));
        }
        let mark = mark_of(&start).len() as u64;
        let (identity, is_text) =
            identity(size - mark, |range| read_range(file, mark + range.start, mark + range.end))?;
        Ok(is_text.then_some(identity))
    }

    /// A digest of the kept bytes; equal texts have equal digests.
    pub fn digest(&self) -> u64 {
        let (head, tail) = self.parts();
        XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot_with_seed(self.size, tail), head)
    }

    /// Number of lines of the whole text.
    pub fn lines(&self) -> usize {
        self.total
    }

    /// Lines that were asked for at each end.
    pub fn edge_lines(&self) -> usize {
        self.limit
    }

    /// Size of the whole text, in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes that it occupies in memory.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + (self.head_stops.len() + self.tail_starts.len()) * size_of::<usize>()
    }

    /// False if either end has a NUL byte: this is not text, or it is in an undeclared encoding.
    pub fn is_text(&self) -> bool {
        let (head, tail) = self.parts();
        self.wide.is_some() || (memchr(0, head).is_none() && memchr(0, tail).is_none())
    }

    /// The bytes after line `preamble_end` and before line `epilogue_start`; lines count from 1, and 0 means none. Both
    /// must be within the ends.
    pub fn body(&self, preamble_end: usize, epilogue_start: usize) -> Range<u64> {
        let start = match (preamble_end, &self.wide) {
            (0, _) => 0,
            (line, Some(starts)) => starts.get(line).copied().unwrap_or(self.size),
            (line, None) => self.head_stops.get(line - 1).copied().unwrap_or(self.parts().0.len()) as u64,
        };
        let end = match (epilogue_start, &self.wide) {
            (0, _) => self.size,
            (line, Some(starts)) => starts.get(line - 1).copied().unwrap_or(self.size),
            (line, None) => {
                let before = self.total - self.tail_starts.len();
                let start = line.saturating_sub(before + 1);
                self.left_out + self.tail_starts.get(start).copied().unwrap_or(self.bytes.len()) as u64
            }
        };
        start..end.max(start)
    }

    /// The lines around the end of a line, with their numbers: `lines` that are not blank on each side. Lines count from 1, and
    /// 0 is the start of the text. They are decoded as UTF-8, or else as Latin-1.
    pub fn around(&self, line: usize, lines: usize) -> Vec<(usize, String)> {
        let edges = self.edges();
        let tail = edges.tail.iter().filter(|line| line.number >= edges.head.len());
        let all: Vec<&Line> = edges.head.iter().chain(tail).filter(|line| !line.is_blank()).collect();
        let at = all.partition_point(|one| one.number < line);
        let near = &all[at.saturating_sub(lines)..all.len().min(at + lines)];
        near.iter().map(|line| (line.number + 1, decode(line.text))).collect()
    }

    /// The lines of both ends.
    pub(crate) fn edges(&self) -> Edges<'_> {
        let mut start = 0;
        let head = self.head_stops.iter().enumerate().map(|(number, &end)| {
            let text = trim(&self.bytes[start..end]);
            start = end;
            Line { number, text }
        });
        let head = head.collect();
        let before = self.total - self.tail_starts.len();
        let ends = self.tail_starts.iter().copied().skip(1).chain([self.bytes.len()]);
        let tail = self.tail_starts.iter().zip(ends).zip(before..);
        let tail = tail.map(|((&start, end), number)| Line { number, text: trim(&self.bytes[start..end]) }).collect();
        Edges { head, tail, total: self.total }
    }
}

impl Bytes for Ends {
    fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.memory());
        put(&mut out, &self.bytes);
        let lists = [&self.head_stops, &self.tail_starts].map(|list| list.iter().map(|at| *at as u64).collect());
        for list in lists.iter().chain([self.wide.as_ref().unwrap_or(&Vec::new())]) {
            put_numbers(&mut out, list);
        }
        let is_wide = u64::from(self.wide.is_some());
        let (total, limit) = (self.total as u64, self.limit as u64);
        for number in [self.left_out, self.size, total, self.separator.into(), limit, is_wide, self.identity] {
            out.extend(number.to_le_bytes());
        }
        Ok(out)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Ends> {
        let ends = Fields(bytes).only(|fields| {
            let bytes = fields.bytes()?.to_vec();
            let mut list = || fields.numbers();
            let [head_stops, tail_starts] = [list()?, list()?].map(|list| list.iter().map(|at| *at as usize).collect());
            let wide = list()?;
            let (left_out, size, total) = (fields.number()?, fields.number()?, fields.size()?);
            let separator = u8::try_from(fields.number()?).map_err(|_| damaged())?;
            let limit = fields.size()?;
            let wide = (fields.number()? != 0).then_some(wide);
            let identity = fields.number()?;
            Ok(Ends { bytes, head_stops, tail_starts, left_out, size, total, separator, limit, wide, identity })
        })?;
        let inside = |places: &[usize]| places.is_sorted() && places.last().is_none_or(|at| *at <= ends.bytes.len());
        let lines = ends.head_stops.len().max(ends.tail_starts.len());
        let sound = inside(&ends.head_stops) && inside(&ends.tail_starts) && lines <= ends.total;
        if sound { Ok(ends) } else { Err(damaged()) }
    }
}

/// The order of bytes in UTF-16.
#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn of(bytes: &[u8]) -> Option<ByteOrder> {
        match bytes {
            [0xFF, 0xFE, ..] => Some(ByteOrder::Little),
            [0xFE, 0xFF, ..] => Some(ByteOrder::Big),
            _ => None,
        }
    }

    fn decode(self, bytes: &[u8]) -> std::borrow::Cow<'_, str> {
        match self {
            ByteOrder::Little => encoding_rs::UTF_16LE.decode(bytes).0,
            ByteOrder::Big => encoding_rs::UTF_16BE.decode(bytes).0,
        }
    }

    /// True when a code unit is this ASCII character.
    fn is(self, unit: &[u8], character: u8) -> bool {
        match self {
            ByteOrder::Little => unit == [character, 0],
            ByteOrder::Big => unit == [0, character],
        }
    }
}

/// Digests the size of a text and some of its bytes. Texts that share headers and footers differ in the middle. Also returns
/// whether both ends are free of NUL bytes.
fn identity<E>(size: u64, mut read: impl FnMut(Range<u64>) -> Result<Vec<u8>, E>) -> Result<(u64, bool), E> {
    let first = read(0..size.min(WINDOW))?;
    let middle = if size > 3 * WINDOW { read(size / 2..size / 2 + WINDOW)? } else { Vec::new() };
    let last = if size > WINDOW { read((size - WINDOW).max(WINDOW)..size)? } else { Vec::new() };
    let is_text = memchr(0, &first).is_none() && memchr(0, &last).is_none();
    Ok((XxHash3_64::oneshot_with_seed(size, &[first, middle, last].concat()), is_text))
}

/// The identity of a text in memory. It ignores a byte order mark.
fn identity_of(bytes: &[u8]) -> u64 {
    let text = &bytes[mark_of(bytes).len()..];
    let read = |range: Range<u64>| Ok::<_, Infallible>(text[range.start as usize..range.end as usize].to_vec());
    let Ok((identity, _)) = identity(text.len() as u64, read);
    identity
}

/// Converts a position in a file to one in a part of it.
fn at(place: u64, start: u64) -> Option<usize> {
    place.checked_sub(start).and_then(|at| usize::try_from(at).ok())
}

/// The byte order mark of a text in UTF-8, if it has one.
fn mark_of(bytes: &[u8]) -> &'static [u8] {
    if bytes.starts_with(UTF_8_MARK) { UTF_8_MARK } else { b"" }
}

fn read_range(file: &mut (impl Read + Seek), start: u64, end: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::with_capacity((end - start) as usize);
    file.take(end - start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Line ends between two places.
fn count_between(file: &mut (impl Read + Seek), separator: u8, start: u64, end: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(start))?;
    let mut between = file.take(end - start);
    let mut buffer = vec![0; PIECE.min(end - start) as usize];
    let mut lines = 0;
    loop {
        match between.read(&mut buffer) {
            Ok(0) => return Ok(lines),
            Ok(filled) => lines += memchr_iter(separator, &buffer[..filled]).count(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn separator(bytes: &[u8]) -> u8 {
    if memchr(b'\n', bytes).is_none() && memchr(b'\r', bytes).is_some() { b'\r' } else { b'\n' }
}

/// Number of lines.
fn count(bytes: &[u8], separator: u8) -> usize {
    let open = bytes.last().is_some_and(|&last| last != separator);
    memchr_iter(separator, bytes).count() + usize::from(open)
}

/// Where the first lines end, at most `lines`; an unterminated last line does not count.
fn first_ends(bytes: &[u8], separator: u8, lines: usize) -> Vec<usize> {
    memchr_iter(separator, bytes).take(lines).map(|end| end + 1).collect()
}

/// Where the last lines begin, at most `lines`, without the first line of the text. The text lacks its last line end.
fn last_starts(bytes: &[u8], separator: u8, lines: usize) -> Vec<usize> {
    let mut starts: Vec<usize> = memchr_iter(separator, bytes).rev().take(lines).map(|end| end + 1).collect();
    starts.reverse();
    starts
}

/// Removes white space, byte order marks and no-break spaces from both ends.
#[inline]
fn trim(mut line: &[u8]) -> &[u8] {
    line = trim_control(line);
    if line.first().is_none_or(u8::is_ascii) {
        return line;
    }
    while let Some(rest) = line.strip_prefix(b"\xEF\xBB\xBF").or_else(|| line.strip_prefix(b"\xC2\xA0")) {
        line = trim_control(rest);
    }
    line
}

/// Removes white space and control characters from both ends (old DOS files end in 0x1A).
#[inline]
fn trim_control(mut line: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = line
        && *first <= b' '
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && *last <= b' '
    {
        line = rest;
    }
    line
}

/// The preprocessing of the paper: runs of `*`, `-` and white space become one. False for a trivial line.
pub(crate) fn preprocess(line: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    let mut rest = line;
    while !rest.is_empty() {
        let plain = rest.iter().position(|&byte| runs(byte)).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        rest = &rest[plain..];
        let Some(&first) = rest.first() else { break };
        let same = |&byte: &u8| byte == first || (first.is_ascii_whitespace() && byte.is_ascii_whitespace());
        match first {
            b'*' => out.extend_from_slice(b"***"),
            b'-' => out.extend_from_slice(b"---"),
            _ => out.push(b' '),
        }
        rest = &rest[rest.iter().take_while(|byte| same(byte)).count()..];
    }
    out.len() >= TRIVIAL_BELOW && characters(out) >= TRIVIAL_BELOW && out.iter().any(|&byte| is_letter(byte))
}

/// Number of characters, in UTF-8 or else in an encoding with one byte for each.
fn characters(line: &[u8]) -> usize {
    if line.is_ascii() { line.len() } else { std::str::from_utf8(line).map_or(line.len(), |text| text.chars().count()) }
}

/// Bytes of which runs become one.
fn runs(byte: u8) -> bool {
    matches!(byte, b'*' | b'-') || byte.is_ascii_whitespace()
}

/// Letters of any encoding: those of ASCII and all bytes above it.
#[inline]
pub(super) fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// Splits off at most this many lines from either end: the reference for [`Ends::edges`].
#[cfg(test)]
pub(crate) fn edges(bytes: &[u8], head: usize, tail: usize) -> Edges<'_> {
    let separator = separator(bytes);
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == separator).collect();
    lines.pop_if(|last| last.is_empty());
    let all: Vec<Line> = lines.iter().enumerate().map(|(number, line)| Line { number, text: trim(line) }).collect();
    let total = all.len();
    Edges { head: all[..head.min(total)].to_vec(), tail: all[total - tail.min(total)..].to_vec(), total }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_have_the_same_numbers_from_both_ends() {
        let edges = edges(b"a\r\nb\r\n\r\nd\r\n", 2, 2);
        assert_eq!(edges.total, 4);
        assert_eq!(edges.head[1], Line { number: 1, text: b"b" });
        assert_eq!(edges.tail[1], Line { number: 3, text: b"d" });
        assert!(edges.tail[0].is_blank());
    }

    #[test]
    fn a_last_line_without_line_end_counts() {
        let edges = edges(b"a\nb", 9, 9);
        assert_eq!((edges.total, edges.tail.len(), edges.tail[1].text), (2, 2, &b"b"[..]));
    }

    #[test]
    fn texts_with_bare_cr_are_split() {
        assert_eq!(edges(b"a\rb\rc", 9, 9).total, 3);
        let ends = Ends::of(b"a\rb\rc", 9);
        assert_eq!((ends.lines(), ends.body(1, 3)), (3, 2..4));
    }

    #[test]
    fn utf_16_has_the_lines_of_its_text() {
        for big in [false, true] {
            let text = "\u{feff}Lizenz\r\nĊ book ਊ\r\nThe end";
            let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let ends = Ends::of(&bytes, 600);
            assert_eq!((ends.lines(), ends.is_text(), ends.edges().head[0].text), (3, true, &b"Lizenz"[..]));
            let body = ends.body(1, 3);
            let wanted: Vec<u8> = "Ċ book ਊ\r\n".encode_utf16().flat_map(unit).collect();
            assert_eq!(bytes[body.start as usize..body.end as usize], wanted);
            assert_eq!(
                Ends::read_in_chunks(&mut Cursor::new(&bytes), 1, 8..MOST, count_between).expect("in memory").lines(),
                3
            );
        }
    }

    #[test]
    fn preprocessing_is_that_of_the_paper() {
        let mut out = Vec::new();
        assert!(preprocess(b"*****These  Etexts Are Prepared By---- Thousands*", &mut out));
        assert_eq!(out, b"***These Etexts Are Prepared By--- Thousands***");
        assert!(!preprocess(b"CHAPTER ONE.", &mut out));
        assert!(!preprocess("\u{436}".repeat(29).as_bytes(), &mut out) && preprocess(&[0xE4; 30], &mut out));
        assert!(preprocess("\u{436}".repeat(30).as_bytes(), &mut out));
        assert!(!preprocess(b"1234567890 1234567890 1234567890", &mut out));
    }

    proptest! {
        /// Reading the ends of a file gives the same as splitting all of it, and the body is what is between the lines.
        #[test]
        fn ends_are_those_of_the_plain_split(
            text in "[a\\r\\n \u{e4}]{0,300}",
            lines in 1_usize..8,
            chunk in 1_u64..40,
            cut in (0_usize..9, 0_usize..9),
        ) {
            let bytes = text.as_bytes();
            let read = Ends::read_in_chunks(&mut Cursor::new(bytes), lines, chunk..MOST, count_between).expect("in memory");
            prop_assert_eq!(read.edges(), edges(bytes, lines, lines));
            let glance = Ends::read_in_chunks(&mut Cursor::new(bytes), lines, chunk..MOST, |_, _, _, _| Ok(0)).expect("in memory");
            prop_assert_eq!(glance.parts(), read.parts());
            let whole = Ends::of_whole(bytes.to_vec(), lines);
            prop_assert_eq!(whole.body(1, 2), Ends::of(bytes, lines).body(1, 2));
            for ends in [&Ends::of(bytes, lines), &whole, &whole.clone().without_middle()] {
                prop_assert_eq!(ends.edges(), read.edges());
                prop_assert_eq!((ends.parts(), ends.digest(), ends.size()), (read.parts(), read.digest(), read.size()));
            }
            let most = 2 * chunk + 1;
            let within =
                Ends::read_in_chunks(&mut Cursor::new(bytes), lines, chunk..most, count_between).expect("in memory");
            let plain = Ends::of_within(bytes, lines, most);
            prop_assert_eq!(within.edges(), plain.edges());
            prop_assert!(within.bytes.len() as u64 <= 2 * most);
            let (all, seen) = (read.edges(), within.edges());
            prop_assert!(all.total == seen.total && all.head.starts_with(&seen.head) && all.tail.ends_with(&seen.tail));
            prop_assert_eq!(within.body(0, 0), 0..bytes.len() as u64);
            let separator = char::from(separator(bytes));
            let split: Vec<&str> = text.split_inclusive(separator).collect();
            prop_assert_eq!(split.len(), read.lines());
            let first = cut.0.min(lines).min(split.len());
            let last = split.len() - cut.1.min(lines).min(split.len() - first);
            let epilogue = if last == split.len() { 0 } else { last + 1 };
            let body = read.body(first, epilogue);
            prop_assert_eq!(&text[body.start as usize..body.end as usize], split[first..last].concat());
        }
    }
}
