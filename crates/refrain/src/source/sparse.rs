//! Sparse files in tar archives, as GNU tar writes them in the format of POSIX (versions 0.0, 0.1 and 1.0 of its map).
//!
//! Such a member holds only the data between the holes of a file. A map says where the data belong: in the extended
//! header (0.0 and 0.1), or as lines before the data (1.0). Sparse members in the older format of GNU have a type of their
//! own, and the tar library expands them.

use std::io::{self, Read};

use tar::Entry;

/// Where the data of a sparse file belong.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Map {
    /// Offset and length of each range of data, in order.
    ranges: Vec<(u64, u64)>,
    /// The size of the file with its holes.
    size: u64,
}

/// No honest file is in more pieces.
const MAX_RANGES: u64 = 1 << 20;

/// Lines of a map are padded to blocks of this size.
const BLOCK: u64 = 512;

/// The name of a member, and its map if it is a sparse file. An error comes with the name.
pub(super) fn map_of<R: Read>(
    entry: &mut Entry<'_, R>,
    mut name: String,
) -> Result<(String, Option<Map>), (String, io::Error)> {
    let mut fields = Vec::new();
    match entry.pax_extensions() {
        Ok(extensions) => {
            for extension in extensions.into_iter().flatten().flatten() {
                let key = extension.key_bytes().strip_prefix(b"GNU.sparse.");
                fields.extend(key.map(|key| (key.to_owned(), extension.value_bytes().to_owned())));
            }
        }
        Err(error) => return Err((name, error)),
    }
    let field = |wanted: &[u8]| fields.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_slice());
    if let Some(real) = field(b"name") {
        name = String::from_utf8_lossy(real).into_owned();
    }
    let map = if field(b"major").is_some_and(|major| major != b"0") {
        read_map(entry).map(|ranges| (ranges, field(b"realsize").or(field(b"size"))))
    } else if let Some(list) = field(b"map") {
        numbers(list.split(|byte| *byte == b','))
            .and_then(|numbers| pairs(&numbers))
            .map(|ranges| (ranges, field(b"size")))
    } else if let Some(size) = field(b"size").or(field(b"realsize")) {
        // One field for each offset and each length, in turn.
        let places = fields.iter().filter(|(key, _)| key == b"offset" || key == b"numbytes");
        numbers(places.map(|(_, value)| value.as_slice()))
            .and_then(|numbers| pairs(&numbers))
            .map(|ranges| (ranges, Some(size)))
    } else {
        return Ok((name, None));
    };
    match map.and_then(|(ranges, size)| Map::new(ranges, number(size.unwrap_or_default())?)) {
        Ok(map) => Ok((name, Some(map))),
        Err(error) => Err((name, error)),
    }
}

/// The map before the data: the number of ranges, then offset and length of each, one number a line.
fn read_map(reader: &mut impl Read) -> io::Result<Vec<(u64, u64)>> {
    let mut read = 0;
    let mut next = || -> io::Result<u64> {
        let mut digits = Vec::new();
        loop {
            let mut byte = [0];
            reader.read_exact(&mut byte)?;
            read += 1;
            match byte[0] {
                b'\n' => return number(&digits),
                digit if digits.len() < 20 => digits.push(digit),
                _ => return Err(invalid("a number is too long")),
            }
        }
    };
    let count = next()?;
    if count > MAX_RANGES {
        return Err(invalid("too many ranges"));
    }
    let ranges = (0..count).map(|_| Ok((next()?, next()?))).collect::<io::Result<_>>()?;
    let padding = (BLOCK - read % BLOCK) % BLOCK;
    io::copy(&mut reader.take(padding), &mut io::sink())?;
    Ok(ranges)
}

fn numbers<'n>(values: impl Iterator<Item = &'n [u8]>) -> io::Result<Vec<u64>> {
    values.filter(|value| !value.is_empty()).map(number).collect()
}

fn number(digits: &[u8]) -> io::Result<u64> {
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).ok_or_else(|| invalid("not a number"))
}

fn pairs(numbers: &[u64]) -> io::Result<Vec<(u64, u64)>> {
    if !numbers.len().is_multiple_of(2) {
        return Err(invalid("an offset without a length"));
    }
    Ok(numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl Map {
    fn new(ranges: Vec<(u64, u64)>, size: u64) -> io::Result<Map> {
        let mut end = 0;
        for (offset, length) in &ranges {
            if *offset < end {
                return Err(invalid("its ranges overlap"));
            }
            end = offset.checked_add(*length).ok_or_else(|| invalid("a range is too long"))?;
        }
        if end > size {
            return Err(invalid("a range is beyond the end of the file"));
        }
        Ok(Map { ranges, size })
    }

    /// How many bytes of the file the archive holds.
    pub(super) fn held(&self) -> u64 {
        self.ranges.iter().map(|(_, length)| length).sum()
    }

    /// The file with its holes, from the data between them.
    pub(super) fn expand<R: Read>(self, data: R) -> Expanded<R> {
        Expanded { map: self, data, range: 0, at: 0 }
    }
}

/// A file with its holes.
pub(super) struct Expanded<R> {
    map: Map,
    data: R,
    /// The range that is read or comes next.
    range: usize,
    at: u64,
}

impl<R: Read> Read for Expanded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.map.ranges.get(self.range).is_some_and(|(offset, length)| self.at >= offset + length) {
            self.range += 1;
        }
        let within = |end: u64| usize::try_from(end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        let filled = match self.map.ranges.get(self.range) {
            Some((offset, length)) if self.at >= *offset => {
                let end = within(offset + length);
                self.data.read(&mut buffer[..end])?
            }
            next => {
                let end = within(next.map_or(self.map.size, |(offset, _)| *offset));
                buffer[..end].fill(0);
                end
            }
        };
        self.at += filled as u64;
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(ranges: &[(u64, u64)], size: u64, data: &[u8]) -> io::Result<Vec<u8>> {
        let mut whole = Vec::new();
        Map::new(ranges.to_vec(), size)?.expand(data).read_to_end(&mut whole)?;
        Ok(whole)
    }

    #[test]
    fn holes_are_filled() {
        assert_eq!(expanded(&[(2, 3), (6, 1), (9, 0)], 9, b"abcd").expect("a map"), b"\0\0abc\0d\0\0");
        assert_eq!(expanded(&[], 2, b"").expect("a map"), b"\0\0");
        assert_eq!(expanded(&[(0, 0), (1, 1)], 2, b"x").expect("a map"), b"\0x");
        for (ranges, size) in [(&[(2, 3), (4, 1)][..], 9), (&[(0, 3)], 2), (&[(1, u64::MAX)], u64::MAX)] {
            assert!(expanded(ranges, size, b"abcd").is_err(), "{ranges:?}");
        }
    }

    #[test]
    fn maps_before_the_data_are_read() {
        let mut block = b"2\n0\n4\n1024\n512\n".to_vec();
        block.resize(512, 0);
        block.extend_from_slice(b"data");
        let mut rest = block.as_slice();
        assert_eq!(read_map(&mut rest).expect("a map"), [(0, 4), (1024, 512)]);
        assert_eq!(rest, b"data");
        assert!(read_map(&mut b"9999999999\n".as_slice()).is_err());
        assert!(read_map(&mut b"1\nx\n1\n".as_slice()).is_err());
    }
}
