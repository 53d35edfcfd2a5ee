//! A sample of a collection: parts spread over all of its bytes, which are read as the whole collection would be.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::{ControlFlow, Range};

use super::compress::{Compression, Counted};
use super::sniff::{HEAD, Kind};
use super::store::Bytewise;
use super::{At, BUFFER, Collection, Emitter, InMemory, InputFile, InputFiles, InputFormat, describe, read_up_to};

/// A part of an input.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its bytes in the file. Of a table or an archive: the rows or members at these bytes, roughly.
    bytes: Range<u64>,
    size: u64,
    /// The format of what is in the file, for parts that do not begin with it.
    format: Option<InputFormat>,
}

impl Part {
    /// The numbers of the rows of this part.
    pub(super) fn rows(&self, all: u64) -> Range<u64> {
        let row = |byte: u64| (u128::from(all) * u128::from(byte) / u128::from(self.size.max(1))) as u64;
        row(self.bytes.start)..row(self.bytes.end)
    }

    /// True if what begins at this byte belongs to the part.
    pub(super) fn contains(&self, byte: u64) -> bool {
        self.bytes.contains(&byte)
    }

    /// The number of its bytes.
    pub(super) fn len(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

/// A sample of a collection.
pub(crate) struct Sample {
    /// The parts, as a collection.
    pub(crate) collection: Collection,
    /// Inputs of which only the beginning was sampled, because nothing shows where a later record begins.
    pub(crate) beginnings: u32,
    /// The bytes of the largest input that is one document.
    pub(crate) largest: u64,
}

/// Where the records of an input begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Records {
    /// After these bytes, of which as many belong to the record.
    After(&'static [u8], usize),
    /// With each member or frame of compressed data.
    Members(Compression),
    /// Anywhere, in numbers: rows of a table, members of an archive.
    Numbered,
    /// Unknown.
    Unknown,
    /// There is only one.
    One,
    /// There is only one, and nothing can be done with a part of it.
    Closed,
}

/// How far the next record is looked for.
const SEARCH: u64 = 8 << 20;
const CHUNK: usize = 64 << 10;

impl Collection {
    /// Parts of the same length at equal distances, of `bytes` in all; the whole collection, if it is not larger.
    pub(crate) fn sample(&self, count: u64, bytes: u64) -> Sample {
        let total = self.inputs.total_size();
        let mut sample = Sample { collection: self.again(), beginnings: 0, largest: 0 };
        if total <= bytes {
            return sample;
        }
        let (step, length) = (total / count, (bytes / count).max(1));
        let window = |number: u64| {
            let start = number * step + step.saturating_sub(length) / 2;
            start..start + length
        };
        // The windows that overlap some bytes, as ranges of these bytes.
        let windows = |bytes: &Range<u64>| {
            let (from, to) = (bytes.start, bytes.end);
            let near = from / step..=(to / step).min(count - 1);
            let inside = near.map(window).map(move |it| it.start.max(from) - from..it.end.min(to).max(from) - from);
            inside.filter(|it| !it.is_empty()).collect::<Vec<_>>()
        };
        if let Some(InMemory::Table(_)) = &self.memory {
            return sample;
        }
        if let Some(InMemory::Documents(documents)) = &self.memory {
            let mut at = 0;
            let is_chosen = |text: usize| {
                let own = at..at + text as u64;
                at = own.end;
                windows(&own).first().is_some_and(|first| first.start == 0)
            };
            let chosen: Vec<bool> = documents.iter().map(|document| document.text().len()).map(is_chosen).collect();
            let chosen = documents.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen);
            let documents = chosen.map(|(document, _)| document.clone()).collect();
            sample.collection = Collection::of_documents(documents, self.options.clone());
            return sample;
        }
        let (mut list, mut parts, mut at) = (Vec::new(), Vec::new(), 0);
        for input in self.inputs.iter() {
            let size = input.size.unwrap_or_default();
            let own = at..at + size;
            at = own.end;
            let inside = windows(&own);
            let Some(first) = inside.first() else { continue };
            let (records, format) = if size <= length { (Records::Closed, None) } else { self.records(input) };
            let mut add = |bytes: Range<u64>, format| {
                if !bytes.is_empty() {
                    list.push(InputFile { size: Some(bytes.end - bytes.start), ..input.clone() });
                    parts.push(Some(Part { bytes, size, format }));
                }
            };
            match records {
                Records::Closed if first.start == 0 => {
                    list.push(input.clone());
                    parts.push(None);
                }
                Records::Closed => {}
                Records::Unknown | Records::One => {
                    sample.beginnings += 1;
                    add(0..inside.iter().map(|it| it.end - it.start).sum(), None);
                }
                Records::Numbered => inside.into_iter().for_each(|bytes| add(bytes, None)),
                _ => match self.open(input).and_then(|file| boundaries(file, size, records, &inside)) {
                    Ok(found) => found.into_iter().for_each(|bytes| add(bytes, format)),
                    Err(_) => {
                        sample.beginnings += 1;
                        add(0..inside.iter().map(|it| it.end - it.start).sum(), None);
                    }
                },
            }
            if matches!(records, Records::One | Records::Closed) {
                sample.largest = sample.largest.max(size);
            }
        }
        sample.collection = Collection { parts, ..Collection::new(InputFiles::of(list), self.options.clone()) };
        sample
    }

    /// Where the records of an input begin, and what they are.
    fn records(&self, input: &InputFile) -> (Records, Option<InputFormat>) {
        let mut head = [0; HEAD];
        let Ok(mut file) = self.open(input) else { return (Records::Closed, None) };
        let (filled, _) = read_up_to(&mut file, &mut head);
        let at = self.at(input);
        match at.kind(&head[..filled]) {
            Kind::Compressed(compression) => match inner_head(&mut file, compression, &mut head) {
                Ok(filled) => match at.kind(&head[..filled]) {
                    Kind::Format(
                        format @ (InputFormat::Warc | InputFormat::Arc | InputFormat::Jsonl | InputFormat::Vertical),
                    ) => (Records::Members(compression), Some(format)),
                    Kind::Unknown | Kind::Format(InputFormat::Html | InputFormat::Text) => (Records::One, None),
                    _ => (Records::Unknown, None),
                },
                Err(_) => (Records::Unknown, None),
            },
            Kind::Format(format) => {
                let records = match format {
                    InputFormat::Jsonl => Records::After(b"\n", 0),
                    InputFormat::Warc => Records::After(b"\r\n\r\nWARC/", 5),
                    InputFormat::Vertical => Records::After(b"\n<doc", 4),
                    InputFormat::Zip | InputFormat::Parquet => Records::Numbered,
                    InputFormat::Html | InputFormat::Text => Records::One,
                    InputFormat::Tar | InputFormat::Arc | InputFormat::Csv | InputFormat::Mediawiki => Records::Unknown,
                    _ => Records::Closed,
                };
                (records, Some(format))
            }
            Kind::Unknown => (Records::One, None),
            _ => (Records::Closed, None),
        }
    }
}

/// The first bytes of what is compressed in a file.
fn inner_head(file: &mut Bytewise, compression: Compression, head: &mut [u8]) -> io::Result<usize> {
    file.rewind()?;
    let mut decoder = compression.decoder(Box::new(BufReader::new(file)))?;
    Ok(read_up_to(&mut decoder, head).0)
}

/// The same ranges from the beginning of a record to that of another one. An error if no record begins near one of them, or
/// only the first one is found.
fn boundaries(mut file: Bytewise, size: u64, records: Records, ranges: &[Range<u64>]) -> io::Result<Vec<Range<u64>>> {
    let mut next = |at: u64| if at == 0 || at >= size { Ok(at) } else { next_record(&mut file, records, at) };
    let found = ranges.iter().map(|range| Ok(next(range.start)?..next(range.end)?)).collect::<io::Result<Vec<_>>>()?;
    let is_inside = |at: &u64| (1..size).contains(at);
    match found.iter().any(|range| is_inside(&range.start) || is_inside(&range.end)) {
        true => Ok(found),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// The first byte from `from` on with which a record begins; the end of the file if there is none.
fn next_record(file: &mut Bytewise, records: Records, from: u64) -> io::Result<u64> {
    let (sign, own) = match records {
        Records::After(sign, own) => (sign, own),
        Records::Members(Compression::Gzip) => (&b"\x1f\x8b\x08"[..], 3),
        Records::Members(Compression::Zstd) => (&b"\x28\xb5\x2f\xfd"[..], 4),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let mut chunk = vec![0; CHUNK];
    let mut at = from - (sign.len() - own).min(from as usize) as u64;
    while at < from + SEARCH {
        let filled = file.fill_at(&mut chunk, at)?;
        for found in memchr::memmem::find_iter(&chunk[..filled], sign) {
            let begin = at + (found + sign.len() - own) as u64;
            let is_record = match records {
                Records::Members(compression) => decompresses(file, compression, begin),
                _ => true,
            };
            if is_record {
                return Ok(begin);
            }
        }
        if filled < CHUNK {
            return Ok(at + filled as u64);
        }
        // The sign may be on both sides of the border.
        at += (CHUNK - sign.len() + 1) as u64;
    }
    Err(io::ErrorKind::NotFound.into())
}

/// True if a member or frame begins at a byte.
fn decompresses(file: &mut Bytewise, compression: Compression, from: u64) -> bool {
    let mut bytes = vec![0; 2 * CHUNK];
    let Ok(filled) = file.fill_at(&mut bytes, from) else { return false };
    let mut head = [0; 256];
    let decoder = compression.decoder(Box::new(&bytes[..filled]));
    decoder.is_ok_and(|mut decoder| decoder.read(&mut head).is_ok_and(|read| read > 0))
}

impl At<'_> {
    /// Reads a part of a file.
    pub(super) fn read_part(&self, mut file: Bytewise, part: &Part, out: &mut Emitter<'_>) -> ControlFlow<()> {
        let mut head = [0; HEAD];
        let (filled, _) = read_up_to(&mut file, &mut head);
        if let Kind::Format(format) = self.kind(&head[..filled])
            && format.is_seekable()
        {
            let result = self.read_seekable(format, file, Some(part), out);
            self.source.add_read(part.len());
            return result;
        }
        if let Err(error) = file.seek(SeekFrom::Start(part.bytes.start)) {
            return out.failed(self.failure(describe(&error)));
        }
        let at = At { forced: self.forced.or(part.format.filter(|_| part.bytes.start > 0)), ..self.clone() };
        let bytes = Counted::new(file, &self.source.bytes_read).take(part.len());
        at.read_stream(Box::new(BufReader::with_capacity(BUFFER, bytes)), out)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;

    use super::*;
    use crate::source::{Item, ReadOptions};

    fn record(number: usize) -> String {
        format!("{{\"id\": \"{number}\", \"text\": \"{}\"}}\n", "The keeper lit the lamp. ".repeat(1 + number % 40))
    }

    /// The numbers of the documents in a sample of a file, the size of its parts, and how many inputs have only a beginning.
    fn sampled(name: &str, content: &[u8], bytes: u64) -> (Vec<usize>, u64, u32) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, content).expect("room");
        let (inputs, _) = InputFiles::expand([path.to_string_lossy()]);
        let sample = Collection::new(inputs, ReadOptions::default()).sample(8, bytes);
        let mut numbers = Vec::new();
        sample.collection.read_all(&mut |_, item| {
            if let Item::Document(raw) = item {
                numbers.push(raw.id.parse().expect("the id of a record"));
            }
            ControlFlow::Continue(())
        });
        (numbers, sample.collection.inputs().total_size(), sample.beginnings)
    }

    #[test]
    fn parts_are_spread_over_the_records() {
        let records: Vec<String> = (0..4000).map(record).collect();
        let plain = records.concat();
        let mut members = Vec::new();
        for some in records.chunks(10) {
            let mut member = GzEncoder::new(Vec::new(), flate2::Compression::fast());
            member.write_all(some.concat().as_bytes()).expect("memory");
            members.extend(member.finish().expect("memory"));
        }
        for (name, content) in [("a.jsonl", plain.as_bytes()), ("a.jsonl.gz", &members)] {
            let (numbers, bytes, beginnings) = sampled(name, content, content.len() as u64 / 5);
            let foreseen = numbers.len() as f64 * content.len() as f64 / bytes as f64;
            assert!((3600.0..4400.0).contains(&foreseen), "{name}: {foreseen}");
            assert!(numbers.is_sorted_by(|one, next| one < next), "{name}: each once");
            for eighth in 0..8 {
                assert!(numbers.iter().any(|number| number / 500 == eighth), "{name}: {eighth}");
            }
            assert_eq!(beginnings, 0);
        }
    }

    #[test]
    fn of_one_frame_only_the_beginning_is_read() {
        let plain: String = (0..40_000).map(record).collect();
        let frame = zstd::encode_all(plain.as_bytes(), 1).expect("memory");
        let (numbers, _, beginnings) = sampled("a.jsonl.zst", &frame, frame.len() as u64 / 4);
        assert_eq!(beginnings, 1);
        assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>());
        assert!((5_000..15_000).contains(&numbers.len()), "{}", numbers.len());
    }

    #[test]
    fn small_collections_are_read_whole() {
        let plain: String = (0..40).map(record).collect();
        assert_eq!(sampled("a.jsonl", plain.as_bytes(), 1 << 20).0.len(), 40);
    }
}
