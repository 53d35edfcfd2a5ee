//! The second half of a run: learn what repeats, judge the documents of all work parts in their order, and write final parts.

use std::fs::{self, File};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::{ContentDigest, digest_of};
use super::evidence::{Evidence, NGRAMS, near_duplicates};
use super::folder::{Folder, Part, read_json, write_json};
use super::run::{Building, Corpus, CorpusDedup};
use super::work::{WorkPart, read_document, read_records};
use crate::dedup::{
    Aligner, DedupOptions, DocumentContext, DocumentEvidence, DocumentRule, ExactDuplicates, FirstCopies, Learned,
    Learning, LookupState, Past, PastSize, PastVerdict, Repeated, Repetition, RepetitionCounts, Signature, VERDICTS,
    hash_of_id, ngrams_of,
};
use crate::disk::atomic::rename_if_present;
use crate::document::{Document, Label};
use crate::error::{Error, IoContext, Result};
use crate::jobs::judging::{Judged, each_with_evidence, language_of, number_of_language, reason_of_copy};
use crate::kernel::Kernel;
use crate::stats::{NGRAM, NgramAmount, NgramSample, NgramStages, Statistics, TextNgrams, group_of};
use crate::write::{self, Compressed, Compression, DocumentWriter, Sink, WriteOptions, removed_lines};

/// The folder for the evidence about new documents, in the work folder, and how much of what later batches need is known.
const WORDS: &str = "words";
const SIZE: &str = "size.json";
/// The checkpoint that judging resumes from.
const STATE: &str = "mark.state";
/// Bytes of text that are handed over at a time.
const CHUNK: usize = 256 << 10;
/// The part of the memory for evidence of exact duplicates, which is kept while words are learned.
const EXACT_SHARE: u64 = 8;

/// The note that makes a final part count.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FinalNote {
    pub(super) part: Part,
    pub(super) removed: Option<Part>,
    pub(super) statistics: Statistics,
    /// The digest of all documents up to here.
    pub(super) digest: ContentDigest,
    /// How many hashes of n-grams and of addresses were counted up to here, by partition.
    hashes: [Vec<u64>; 2],
}

/// What is written, and the figures that need all documents.
pub(super) struct Finals {
    pub(super) notes: Vec<FinalNote>,
    pub(super) statistics: Statistics,
    pub(super) digest: ContentDigest,
    /// The n-grams of all documents, for those of several batches.
    pub(super) sample: NgramSample,
}

/// A document on its way from a work part to its final part.
struct Passing {
    /// The number of its final part, and whether it is the last in it.
    part: usize,
    is_last: bool,
    document: Document,
    /// What is compared with earlier documents; `None` if nothing is.
    signature: Option<Signature>,
    /// The number of marks before it was compared.
    marks: usize,
}

impl Judged for Passing {
    fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    fn text_bytes(&self) -> u64 {
        self.document.text().len() as u64
    }

    fn align(&mut self, aligner: &Aligner, evidence: &mut DocumentEvidence) -> Result<()> {
        self.signature.as_ref().map_or(Ok(()), |signature| aligner.align(signature, evidence))
    }
}

/// A document that is ready to be written.
struct Written {
    part: usize,
    is_last: bool,
    document: Document,
    is_removed: bool,
    statistics: Statistics,
    removed: Option<Vec<u8>>,
    digest: Option<ContentDigest>,
    ngrams: Vec<u64>,
    group: (String, String),
    address: Option<u64>,
}

impl Building<'_> {
    /// Learns from the whole collection which documents are exact duplicates.
    pub(super) fn first_copies(&self, folder: &Folder, old: &Evidence, parts: &[WorkPart]) -> Result<FirstCopies> {
        let pass = self.exact_duplicates(folder);
        let mut evidence = pass.partial();
        self.workers.begin("compare", parts.iter().map(|part| part.note.text_bytes).sum());
        for part in parts {
            let path = folder.work(&part.digests_name());
            if self.job.dedup != CorpusDedup::None && path.exists() {
                evidence.extend(BufReader::new(File::open(&path).at(&path)?))?;
            }
            self.workers.stop().check()?;
            self.workers.advance(part.note.text_bytes, part.note.documents, 0);
        }
        if let Some(file) = old.exact()? {
            match evidence.digests() {
                Some(new) => evidence.extend_with(file, |digest| new.contains(&digest))?,
                None => evidence.extend(file)?,
            }
        }
        pass.conclude(evidence)
    }

    /// The n-grams of all batches, if they are known: they are not after a batch was removed.
    pub(super) fn ngrams_of_all(&self, folder: &Folder, sample: NgramSample) -> Result<Option<NgramSample>> {
        let Some(base) = &self.base else { return Ok(Some(sample)) };
        let old = base.evidence.as_deref().map(|evidence| folder.old_path(evidence).join(NGRAMS));
        let Some(old) = old.filter(|old| old.exists()) else { return Ok(None) };
        let mut all = NgramSample::read(&old)?;
        all.merge(&sample);
        Ok(Some(all))
    }

    /// Keeps what later batches are compared with, if it is wanted. Returns the name of its folder.
    pub(super) fn keep_evidence(
        &self,
        folder: &Folder,
        mut evidence: Evidence,
        parts: &[WorkPart],
        ngrams: Option<&NgramSample>,
    ) -> Result<Option<String>> {
        if !self.job.evidence {
            return Ok(None);
        }
        if self.job.dedup != CorpusDedup::None {
            evidence.add_exact(parts.iter().map(|part| folder.work(&part.digests_name())))?;
        }
        if let Some(size) = read_json::<PastSize>(&folder.work(WORDS).join(SIZE))? {
            evidence.past.size = size;
        }
        let counts_ngrams = matches!(self.job.dedup, CorpusDedup::Documents | CorpusDedup::Blocks);
        evidence.keep(folder, ngrams.filter(|_| counts_ngrams)).map(Some)
    }

    fn exact_duplicates(&self, folder: &Folder) -> ExactDuplicates {
        ExactDuplicates { memory: (self.memory() / EXACT_SHARE) as usize, temporary: folder.work("") }
    }

    fn memory(&self) -> u64 {
        self.workers.run().memory.unwrap_or(Corpus::MEMORY)
    }

    /// How documents are compared with earlier ones, if they are. `expected` is the size of their text.
    pub(super) fn near_duplicates(&self, folder: &Folder, expected: u64) -> Option<DedupOptions> {
        near_duplicates(self.job.dedup, self.memory(), folder.work(""), expected)
    }

    /// Writes the final parts that an earlier run did not finish.
    pub(super) fn write(
        &self,
        folder: &Folder,
        past: &Past,
        parts: &[WorkPart],
        copies: &FirstCopies,
    ) -> Result<Finals> {
        let groups = group(parts, self.job.part_size);
        let mut notes = Vec::new();
        while let Some(note) = read_json::<FinalNote>(&folder.work(&note_name(notes.len())))? {
            notes.push(note);
        }
        let options = self.near_duplicates(folder, parts.iter().map(|part| part.note.text_bytes).sum());
        let marking = Marking { building: self, folder, groups, copies, options, past };
        if !marking.can_resume(notes.len()) {
            notes.clear();
        }
        let mut learned = match &marking.options {
            Some(options) if notes.len() < marking.groups.len() => Some(marking.learn(options, notes.len())?),
            _ => None,
        };
        self.workers.begin("write", parts.iter().map(|part| part.note.text_bytes).sum());
        for group in &marking.groups[..notes.len()] {
            self.workers.advance(group.iter().map(|part| part.note.text_bytes).sum(), 0, 0);
        }
        let mut output = marking.output(notes)?;
        let first = output.notes.len();
        self.workers.in_stages(
            |send| {
                let (mut chunk, mut bytes) = (Vec::new(), 0);
                let mut take = |passing: Passing| {
                    bytes += passing.document.text().len();
                    chunk.push(passing);
                    if bytes < CHUNK {
                        return Ok(());
                    }
                    bytes = 0;
                    // If the chunk is refused, the sink met an error and returns it.
                    if send(std::mem::take(&mut chunk)).is_break() { Err(Error::Interrupted) } else { Ok(()) }
                };
                match &mut learned {
                    Some(learned) => marking.judge(learned, first, take)?,
                    None => marking.each(first, &mut take)?,
                }
                let _ = send(chunk);
                Ok(())
            },
            |passing| marking.prepare(passing),
            |ready| output.write(ready?),
        )?;
        output.finish()
    }
}

/// The collection while its documents are marked.
struct Marking<'a> {
    building: &'a Building<'a>,
    folder: &'a Folder,
    /// The work parts of each final part.
    groups: Vec<Vec<WorkPart>>,
    copies: &'a FirstCopies,
    /// How documents are compared, if they are.
    options: Option<DedupOptions>,
    /// The words of earlier documents, and what was decided about them. Those of the new ones are added.
    past: &'a Past,
}

impl Marking<'_> {
    /// True if writing can go on behind this many parts.
    fn can_resume(&self, done: usize) -> bool {
        let is_saved = || {
            let all = done == self.groups.len();
            let sample = self.folder.work(&sample_name(done - 1));
            sample.exists() && (all || self.options.is_none() || self.state(done - 1).exists())
        };
        done == 0 || is_saved()
    }

    /// The state of judging behind a part.
    fn state(&self, part: usize) -> PathBuf {
        self.folder.work(WORDS).join(format!("part-{part:05}.state"))
    }

    /// A run with one part is not worth a checkpoint.
    fn is_resumable(&self) -> bool {
        self.groups.len() > 1
    }

    /// Learns from the words of all documents, unless that was done. `done` parts were written.
    fn learn(&self, options: &DedupOptions, done: usize) -> Result<Learned> {
        let (home, workers) = (self.folder.work(WORDS), self.building.workers);
        let mut learning = Learning::resume_behind(options.clone(), &home, self.past)?;
        if learning.last_checkpoint().is_none() {
            workers.begin("learn", options.expected);
            self.each(0, &mut |passing| {
                workers.advance(passing.text_bytes(), 1, 0);
                match passing.signature {
                    Some(signature) => learning.add(&passing.document.id, &signature),
                    None => Ok(()),
                }
            })?;
            learning.look_back(workers)?;
            if self.is_resumable() {
                learning.checkpoint(Value::Null, true)?;
            }
        }
        let state = home.join(STATE);
        match fs::remove_file(&state) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(state, error)),
            _ => {}
        }
        if done > 0 {
            fs::copy(self.state(done - 1), &state).at(&state)?;
        }
        learning.conclude(workers)
    }

    /// Reads all documents in their order, from a final part on, and marks exact duplicates.
    fn each(&self, first: usize, take: &mut dyn FnMut(Passing) -> Result<()>) -> Result<()> {
        let path = |part: &WorkPart| self.folder.work(&part.file_name());
        self.building.workers.in_stages(
            |send| {
                for (number, group) in self.groups.iter().enumerate().skip(first) {
                    let mut left: u64 = group.iter().map(|part| part.note.documents).sum();
                    for part in group {
                        let path = path(part);
                        let read = read_records(&path, &mut |records| {
                            let mut record = |record| {
                                left = left.saturating_sub(1);
                                (number, left == 0, record, part)
                            };
                            send(records.into_iter().map(&mut record).collect())
                        })?;
                        if read.is_break() {
                            return Ok(());
                        }
                    }
                }
                Ok(())
            },
            |(number, is_last, record, part)| {
                let (mut document, digest) = read_document(&record, &path(part))?;
                let copy = match digest.filter(|_| !self.copies.is_empty()) {
                    Some(digest) => self.copies.copy_of(digest, document.position)?,
                    None => None,
                };
                let is_left = digest.is_some() && copy.is_none();
                if let Some(reason) = copy {
                    document.mark_all(Label::Duplicate, ExactDuplicates::NAME, reason);
                }
                let options = self.options.as_ref().filter(|_| is_left);
                let signature = options.map(|options| Signature::of(&document, options));
                let marks = document.marks.len();
                Ok(Passing { part: number, is_last, document, signature, marks })
            },
            |passing: Result<Passing>| {
                self.building.workers.stop().check()?;
                take(passing?)
            },
        )
    }

    /// The same, and marks what occurs in earlier documents.
    fn judge(&self, learned: &mut Learned, first: usize, mut take: impl FnMut(Passing) -> Result<()>) -> Result<()> {
        let lookup = learned.take_lookup()?;
        let written = learned.last_checkpoint().and_then(Value::as_u64).unwrap_or(self.past.size.verdicts);
        let path = self.past.folder.join(VERDICTS);
        let mut verdicts = File::options().write(true).create(true).truncate(false).open(&path).at(&path)?;
        verdicts.set_len(written).and_then(|()| verdicts.seek(SeekFrom::End(0))).at(&path)?;
        let mut waiting = Vec::new();
        each_with_evidence(
            self.building.workers,
            lookup,
            |send| {
                self.each(first, &mut |passing| {
                    let is_last = passing.is_last;
                    send(passing, is_last)
                })
            },
            |mut passing, evidence, state| {
                if passing.signature.is_some() {
                    self.mark(learned, &mut passing, &evidence)?.write(&mut waiting);
                }
                if waiting.len() >= CHUNK || passing.is_last {
                    verdicts.write_all(&waiting).at(&path)?;
                    waiting.clear();
                }
                if passing.is_last {
                    let written = verdicts.stream_position().at(&path)?;
                    if let Some(state) = state.filter(|_| self.is_resumable()) {
                        self.checkpoint(learned, state, passing.part, written)?;
                    }
                    // The last part counts once it is written, which is later.
                    if passing.part + 1 == self.groups.len() {
                        write_json(&self.folder.work(WORDS).join(SIZE), &learned.size_as_past(written)?)?;
                    }
                }
                take(passing)
            },
        )?;
        learned.finish()
    }

    /// Marks what a document repeats. Returns the verdict in short.
    fn mark(&self, learned: &mut Learned, passing: &mut Passing, evidence: &DocumentEvidence) -> Result<PastVerdict> {
        let Passing { document, signature: Some(signature), marks, .. } = passing else {
            return Ok(PastVerdict::default());
        };
        if self.building.job.dedup == CorpusDedup::Blocks {
            learned.mark(document, signature, evidence)?;
            return Ok(PastVerdict::of(signature, evidence, &document.marks[*marks..], None));
        }
        let language = document.language.as_deref().map(number_of_language);
        let context = DocumentContext { language, text: Some((document, language_of)), choosing: false };
        let rule = DocumentRule::Contained(DocumentRule::CONTAINED);
        let found = learned.judge_document(signature, evidence, rule, context)?.resembles;
        if let Some(found) = &found {
            document.mark_all(Label::Duplicate, "dedup", reason_of_copy(found));
        }
        let mut verdict = PastVerdict::of(signature, evidence, &[], language);
        verdict.is_gone = found.is_some();
        Ok(verdict)
    }

    /// Saves the state of judging behind a part. The part counts once it is written, which is later.
    fn checkpoint(&self, learned: &mut Learned, lookup: LookupState, part: usize, verdicts: u64) -> Result<()> {
        learned.checkpoint(lookup, Value::from(verdicts))?;
        let (from, to) = (self.folder.work(WORDS).join(STATE), self.state(part));
        rename_if_present(&from, &to).map(drop)
    }

    /// Computes all that a document adds to its part.
    fn prepare(&self, passing: Passing) -> Result<Written> {
        let job = self.building.job;
        let Passing { part, is_last, document, signature, marks, .. } = passing;
        let mut statistics = Statistics::default();
        statistics.add(&document);
        let removed = job.removed.then(|| removed_lines(&document, job.offsets)).transpose()?;
        let is_removed = document.is_removed();
        let is_written = job.keep_marked || !is_removed;
        let ngrams = signature.map(|signature| ngrams_of(&signature, NGRAM, &document.marks[marks..]));
        let address = document.address().map(|url| hash_of_id(url.as_bytes()));
        let group = group_of(&document);
        Ok(Written {
            part,
            is_last,
            digest: is_written.then(|| digest_of(&document, job.keep_marked)),
            document,
            is_removed,
            statistics,
            removed,
            ngrams: ngrams.unwrap_or_default(),
            group,
            address,
        })
    }

    /// The final parts, behind those that were written before.
    fn output(&self, notes: Vec<FinalNote>) -> Result<Output<'_>> {
        let memory = self.building.memory();
        let new = |name| Repetition::new(&self.folder.work(""), name, memory);
        let (mut ngrams, mut addresses, mut sample) = (new("ngrams"), new("addresses"), NgramSample::default());
        let base = self.building.base.as_ref();
        let mut digest = base.and_then(|base| base.digest).unwrap_or_default();
        if let Some(note) = notes.last() {
            ngrams.resume(&note.hashes[0])?;
            addresses.resume(&note.hashes[1])?;
            digest = note.digest;
            sample = NgramSample::read(&self.folder.work(&sample_name(notes.len() - 1)))?;
        }
        Ok(Output { marking: self, part: None, notes, ngrams, addresses, sample, digest })
    }
}

/// The final parts while they are written.
struct Output<'a> {
    marking: &'a Marking<'a>,
    /// The part that is being written.
    part: Option<PartOutput>,
    notes: Vec<FinalNote>,
    ngrams: Repetition,
    addresses: Repetition,
    sample: NgramSample,
    digest: ContentDigest,
}

/// A part that is being written.
struct PartOutput {
    name: String,
    documents: u64,
    writer: Box<dyn DocumentWriter>,
    /// The list of removed ranges: its name, the number of documents in it, and its file.
    removed: Option<(String, u64, Compressed)>,
    statistics: Statistics,
}

impl Output<'_> {
    fn write(&mut self, ready: Written) -> Result<()> {
        let Marking { building, folder, .. } = self.marking;
        let Written {
            part: number,
            is_last,
            document,
            is_removed,
            statistics,
            removed,
            digest,
            ngrams,
            group,
            address,
        } = ready;
        let part = match &mut self.part {
            Some(part) => part,
            none => {
                let before = building.base.as_ref().map_or(0, |base| base.next_part());
                none.insert(PartOutput::create(building, folder, before + number)?)
            }
        };
        building.workers.remove(u64::from(is_removed));
        building.workers.advance(document.text().len() as u64, 1, 0);
        part.statistics.merge(&statistics);
        if let (Some((_, documents, file)), Some(lines)) = (&mut part.removed, removed) {
            *documents += u64::from(!document.marks.is_empty());
            file.put(&lines)?;
        }
        if let Some(digest) = digest {
            part.documents += 1;
            part.writer.write(&document)?;
            self.digest = self.digest.followed_by(digest);
        }
        self.ngrams.add_all(&ngrams)?;
        if !ngrams.is_empty() {
            self.sample.add(group, &ngrams);
        }
        address.map_or(Ok(()), |address| self.addresses.add(address, true))?;
        if is_last { self.finish_part(number) } else { Ok(()) }
    }

    fn finish_part(&mut self, number: usize) -> Result<()> {
        let Some(part) = self.part.take() else { return Ok(()) };
        let removed = part
            .removed
            .map(|(path, documents, file)| Ok::<_, Error>(Part { path, documents, written: file.finish()? }));
        let hashes = match self.marking.is_resumable() {
            true => [self.ngrams.flush()?, self.addresses.flush()?],
            false => [Vec::new(), Vec::new()],
        };
        if self.marking.is_resumable() {
            self.sample.save(&self.marking.folder.work(&sample_name(number)))?;
        }
        let note = FinalNote {
            part: Part { path: part.name, documents: part.documents, written: part.writer.finish()? },
            removed: removed.transpose()?,
            statistics: part.statistics,
            digest: self.digest,
            hashes,
        };
        write_json(&self.marking.folder.work(&note_name(number)), &note)?;
        self.notes.push(note);
        // The run resumes behind this part from now on.
        if let Some(earlier) = number.checked_sub(1) {
            let _ = fs::remove_file(self.marking.state(earlier));
            let _ = fs::remove_file(self.marking.folder.work(&sample_name(earlier)));
        }
        Ok(())
    }

    fn finish(self) -> Result<Finals> {
        let workers = self.marking.building.workers;
        let mut statistics = Statistics::default();
        self.notes.iter().for_each(|note| statistics.merge(&note.statistics));
        statistics.addresses = self.addresses.count(workers)?.before.distinct;
        let counts = self.ngrams.count(workers)?;
        if self.marking.options.is_some() {
            statistics.ngrams = Some(TextNgrams { total: of_text(counts), ..self.sample.count() });
        }
        Ok(Finals { notes: self.notes, statistics, digest: self.digest, sample: self.sample })
    }
}

impl PartOutput {
    fn create(building: &Building<'_>, folder: &Folder, number: usize) -> Result<PartOutput> {
        let job = building.job;
        let (format, compression) = building.format;
        let name = Folder::documents(&format!("part-{number:05}.{}{}", format.extension(), compression.suffix()));
        let output = Sink::file(&folder.path(&name))?.with_digest();
        let Corpus { keep_marked, offsets, zstd_level, row_group, .. } = *job;
        let options = WriteOptions { keep_marked, offsets, zstd_level, row_group, registry: false };
        let writer = write::open(output, format, compression, options)?;
        let removed = job.removed.then(|| {
            let name = Folder::removed(&format!("part-{number:05}.jsonl.zst"));
            let output = Sink::file(&folder.path(&name))?.with_digest();
            Ok::<_, Error>((name.clone(), 0, Compression::of_path(Path::new(&name)).compress(output)?))
        });
        let removed = removed.transpose()?;
        Ok(PartOutput { name, documents: 0, writer, removed, statistics: Statistics::default() })
    }
}

/// The figures of n-grams for people.
fn of_text(RepetitionCounts { before, after }: RepetitionCounts) -> NgramStages {
    let amount =
        |count: Repeated| NgramAmount { ngrams: count.all, distinct: count.distinct, duplicate: count.duplicate };
    NgramStages { after_exact_duplicates: amount(before), after_near_duplicates: amount(after) }
}

fn note_name(number: usize) -> String {
    format!("final-{number:05}.json")
}

/// The n-grams of all documents up to a part.
fn sample_name(number: usize) -> String {
    format!("final-{number:05}.ngrams")
}

/// Consecutive work parts that make one final part.
fn group(parts: &[WorkPart], bytes: u64) -> Vec<Vec<WorkPart>> {
    let mut groups: Vec<Vec<WorkPart>> = Vec::new();
    let mut size = u64::MAX;
    for part in parts.iter().filter(|part| part.note.documents > 0) {
        if size >= bytes {
            groups.push(Vec::new());
            size = 0;
        }
        size = size.saturating_add(part.note.text_bytes);
        if let Some(group) = groups.last_mut() {
            group.push(part.clone());
        }
    }
    groups
}
