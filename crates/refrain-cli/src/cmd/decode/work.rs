//! What is done with each file, on all cores, in the order of the files.

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use refrain::decode::{Decoded, Detection, Hints, LanguageFilter, NotText, Repair, decode, detect, identify_page};
use refrain::pipeline::Control;
use refrain::source::{Input, Inputs};
use refrain::{Error, Failure, Hint, Place};

/// What became of a file.
pub(super) struct Found {
    pub(super) origin: String,
    /// Its size.
    pub(super) bytes: u64,
    /// What it is; none where it could not be read as text.
    pub(super) detection: Option<Detection>,
    /// What was wrong with its text, where it was decoded.
    pub(super) damage: Damage,
    /// It is in a language that was not asked for, and is not written.
    pub(super) foreign: bool,
    /// It may be: there is too little to tell. It is written.
    pub(super) unsure: bool,
    pub(super) failure: Option<Failure>,
}

/// What is not as it should be in a text.
#[derive(Default)]
pub(super) struct Damage {
    /// How many U+FFFD stand for bytes that fit nothing.
    pub(super) losses: u64,
    /// Where the first U+FFFD stand, in bytes of the text.
    pub(super) loss_at: Vec<usize>,
    pub(super) repair: Option<Repair>,
    /// NUL characters: where the first one stood, and how many there were.
    pub(super) nuls: Option<(usize, usize)>,
}

/// How many losses are told by their place.
const PLACES: usize = 10;

impl Damage {
    fn of(decoded: &Decoded) -> Damage {
        let Decoded { losses, repair, nuls, .. } = *decoded;
        let replaced = losses > 0 || nuls.is_some();
        let places = || decoded.text.match_indices('\u{fffd}').map(|(at, _)| at).take(PLACES).collect();
        Damage { losses, loss_at: if replaced { places() } else { Vec::new() }, repair, nuls }
    }
}

impl Found {
    /// A file that is of no use.
    pub(super) fn failed(failure: Failure) -> Found {
        let (origin, failure) = (failure.input.clone(), Some(failure));
        Found { origin, bytes: 0, detection: None, damage: Damage::default(), foreign: false, unsure: false, failure }
    }

    fn not_text(input: &Input, bytes: u64, NotText { at }: NotText) -> Found {
        let failure = Failure::new(&input.name, "is not text: binary data").place(Place::Byte(at as u64));
        Found { bytes, ..Found::failed(failure) }
    }

    fn text(input: &Input, bytes: u64, detection: Detection, damage: Damage) -> Found {
        let origin = input.name.clone();
        Found { origin, bytes, detection: Some(detection), damage, foreign: false, unsure: false, failure: None }
    }

    /// Notes whether the text is in a language that was asked for.
    pub(super) fn note_language(&mut self, text: &str, filter: &LanguageFilter) {
        if filter.wanted.is_empty() {
            return;
        }
        let found = identify_page(text);
        self.foreign = found.is_some_and(|found| filter.is_foreign(&found));
        self.unsure = !found.is_some_and(|found| found.reliable);
        if let (Some(found), Some(detection)) = (found.filter(|found| found.reliable), &mut self.detection) {
            detection.language = Some(found.code);
        }
    }

    /// True for a file without content.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0 && self.detection.is_some()
    }
}

/// Reads files whole.
pub(super) struct Reader {
    max_document: u64,
    read: AtomicU64,
}

/// Declarations stand at the top of a document.
const HEAD: usize = 16 << 10;

impl Reader {
    pub(super) fn new(max_document: u64) -> Reader {
        Reader { max_document, read: AtomicU64::new(0) }
    }

    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Tells what a file is.
    pub(super) fn detect(&self, input: &Input, hints: Hints<'_>) -> Found {
        let bytes = match self.bytes(input) {
            Ok(bytes) => bytes,
            Err(failure) => return Found::failed(failure),
        };
        let size = bytes.len() as u64;
        match detect(&bytes, hints) {
            Ok(detection) => Found::text(input, size, detection, Damage::default()),
            Err(error) => Found::not_text(input, size, error),
        }
    }

    /// Gives the text of a file, if it is one.
    pub(super) fn decode(&self, input: &Input, hints: Hints<'_>) -> (Found, Option<String>) {
        let bytes = match self.bytes(input) {
            Ok(bytes) => bytes,
            Err(failure) => return (Found::failed(failure), None),
        };
        let size = bytes.len() as u64;
        let head = detect(&bytes[..bytes.len().min(HEAD)], hints).ok();
        let declared = head.as_ref().and_then(|head| head.declared);
        match decode(bytes, hints) {
            Ok(decoded) => {
                let damage = Damage::of(&decoded);
                let Decoded { text, encoding, language, confidence, .. } = decoded;
                let detection = match size {
                    0 => Detection { encoding: None, language: None, confidence: 0.0, declared },
                    _ => {
                        let language = language.or(head.and_then(|head| head.language));
                        Detection { encoding: Some(encoding), language, confidence, declared }
                    }
                };
                (Found::text(input, size, detection, damage), Some(text))
            }
            Err(error) => (Found::not_text(input, size, error), None),
        }
    }

    fn bytes(&self, input: &Input) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let limit = self.max_document.saturating_add(1);
        let read = match input.is_stdin() {
            true => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            false => File::open(&input.path).and_then(|file| {
                bytes.reserve_exact(input.size.unwrap_or(0).min(self.max_document) as usize);
                file.take(limit).read_to_end(&mut bytes)
            }),
        };
        self.read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        match read {
            Ok(read) if read as u64 > self.max_document => {
                let error = format!("larger than {} bytes, the limit for one document", self.max_document);
                Err(Failure::new(&input.name, error).hint(Hint::option("max_document", "raise it with `max_document`")))
            }
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure::new(&input.name, describe(&error))),
        }
    }
}

/// An I/O error in words a user can act on.
fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// How many files are worked on before what was found is handed over.
const CHUNK: usize = 256;

/// Works on all files, and hands over what was found in their order. Each thread holds one file at a time.
pub(super) fn in_order(
    inputs: &Inputs,
    pool: &rayon::ThreadPool,
    control: &Control,
    work: impl Fn(&Input) -> refrain::Result<Found> + Sync,
    mut sink: impl FnMut(Found) -> refrain::Result<()>,
) -> refrain::Result<()> {
    let work = |input: &&Input| {
        if control.stopped() {
            return Err(Error::Interrupted);
        }
        let found = work(input);
        control.count(1, 0);
        found
    };
    let list: Vec<&Input> = inputs.iter().collect();
    for chunk in list.chunks(CHUNK) {
        let done: Vec<_> = pool.install(|| chunk.par_iter().map(work).collect());
        for found in done {
            sink(found?)?;
        }
    }
    Ok(())
}
