//! What later batches are compared with: files that only grow, and a note that says how much of them counts. So a run that is killed
//! while it adds a batch leaves the evidence as it was.

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder::{Folder, Manifest, read_json, write_json};
use super::run::CorpusDedup;
use crate::dedup::{DedupOptions, Past, PastSize, PastVerdict, Task, VERDICTS, bytes_of_evidence, each_saved};
use crate::error::{IoContext, Result};
use crate::run::Workers;
use crate::stats::NgramSample;

/// The folder of what later batches are compared with, and the files in its folders. `evidence.json` is of an earlier layout.
pub(super) const EVIDENCE: &str = "evidence";
pub(super) const EVIDENCE_FILES: [&str; 11] = [
    NOTE,
    EXACT,
    NGRAMS,
    VERDICTS,
    "words",
    "documents",
    "ids",
    "widespread",
    "first-ngrams",
    "first-anchors",
    "evidence.json",
];
/// The note, written last.
const NOTE: &str = "size.json";
/// Digests of all documents.
const EXACT: &str = "exact";

/// Which n-grams are repeated.
pub(super) const NGRAMS: &str = "ngrams";

/// How much of the files counts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Size {
    /// Bytes of the digests.
    exact: u64,
    /// The other files.
    #[serde(flatten)]
    past: PastSize,
}

/// The evidence of a corpus.
pub(super) struct Evidence {
    name: String,
    size: Size,
    /// The words of documents and what was decided about them.
    pub(super) past: Past,
    /// It had an earlier layout.
    pub(super) is_converted: bool,
}

impl Evidence {
    /// Evidence with nothing in it. What is in its files is of a run that was killed.
    pub(super) fn new(folder: &Folder, name: String) -> Result<Evidence> {
        let home = folder.old_path(&name);
        fs::create_dir_all(&home).at(&home)?;
        Ok(Evidence { name, size: Size::default(), past: Past::none(home), is_converted: false })
    }

    /// The evidence of a corpus, to add documents to. An earlier layout is converted.
    pub(super) fn open(
        folder: &Folder,
        manifest: &Manifest,
        options: Option<DedupOptions>,
        workers: &Workers,
    ) -> Result<Evidence> {
        let Some(name) = &manifest.evidence else { return Evidence::new(folder, manifest.next_evidence()) };
        if let Some(evidence) = Evidence::read(folder, name)? {
            return Ok(evidence);
        }
        let next = manifest.next_evidence();
        if let Some(evidence) = Evidence::read(folder, &next)? {
            return Ok(Evidence { is_converted: true, ..evidence });
        }
        Evidence::convert(&folder.old_path(name), Evidence::new(folder, next)?, folder, options, workers)
    }

    fn read(folder: &Folder, name: &str) -> Result<Option<Evidence>> {
        let home = folder.old_path(name);
        let size: Option<Size> = read_json(&home.join(NOTE))?;
        Ok(size.map(|size| {
            let past = Past { folder: home, size: size.past.clone() };
            Evidence { name: name.to_owned(), size, past, is_converted: false }
        }))
    }

    /// Makes evidence from that of an earlier layout, which holds words and verdicts alone.
    fn convert(
        old: &Path,
        mut new: Evidence,
        folder: &Folder,
        options: Option<DedupOptions>,
        workers: &Workers,
    ) -> Result<Evidence> {
        let path = old.join(EXACT);
        if path.exists() {
            new.size.exact = fs::copy(&path, new.past.folder.join(EXACT)).at(&path)?;
        }
        let path = old.join(VERDICTS);
        if let Some(options) = options.filter(|_| path.exists()) {
            let mut verdicts = BufReader::with_capacity(1 << 20, File::open(&path).at(&path)?);
            let options = DedupOptions { expected: bytes_of_evidence(old), ..options };
            let home = new.past.folder.clone();
            new.past = Past::rebuild(home, &folder.work("rebuild"), &options, workers, |take| {
                each_saved(old, &options, |id, signature| {
                    let verdict = PastVerdict::read_old(&mut verdicts, &signature).at(&path)?;
                    take(&id, &signature, &verdict)
                })
            })?;
        }
        new.finish()?;
        write_json(&new.past.folder.join(NOTE), &new.size)?;
        Ok(Evidence { is_converted: true, ..new })
    }

    /// The digests of all documents, if there are any.
    pub(super) fn exact(&self) -> Result<Option<impl std::io::BufRead>> {
        if self.size.exact == 0 {
            return Ok(None);
        }
        let path = self.past.folder.join(EXACT);
        let file = File::open(&path).at(&path)?;
        Ok(Some(BufReader::with_capacity(1 << 20, file.take(self.size.exact))))
    }

    /// Adds the digests in some files.
    pub(super) fn add_exact(&mut self, from: impl IntoIterator<Item = PathBuf>) -> Result<()> {
        let path = self.past.folder.join(EXACT);
        let mut file = File::options().write(true).create(true).truncate(false).open(&path).at(&path)?;
        file.set_len(self.size.exact).and_then(|()| file.seek(SeekFrom::End(0))).at(&path)?;
        for from in from.into_iter().filter(|from| from.exists()) {
            self.size.exact += File::open(&from).and_then(|mut from| std::io::copy(&mut from, &mut file)).at(&from)?;
        }
        file.sync_all().at(&path)
    }

    /// Drops what does not count.
    fn finish(&mut self) -> Result<()> {
        self.size.past = self.past.size.clone();
        self.past.finish()
    }

    /// Makes all of it count, once the corpus is complete. Returns the name of its folder.
    pub(super) fn keep(mut self, folder: &Folder, ngrams: Option<&NgramSample>) -> Result<String> {
        self.finish()?;
        let home = folder.path(&self.name);
        fs::create_dir_all(&home).at(&home)?;
        ngrams.map_or(Ok(()), |ngrams| ngrams.save(&home.join(NGRAMS)))?;
        write_json(&home.join(NOTE), &self.size)?;
        Ok(self.name)
    }
}

/// How documents are compared with earlier ones, if they are.
pub(super) fn near_duplicates(
    dedup: CorpusDedup,
    memory: u64,
    temporary: PathBuf,
    expected: u64,
) -> Option<DedupOptions> {
    let task = match dedup {
        CorpusDedup::None | CorpusDedup::Exact => return None,
        CorpusDedup::Documents => Task::Documents,
        CorpusDedup::Blocks => Task::Blocks,
    };
    Some(DedupOptions { task, causal: true, memory, temporary, expected, ..DedupOptions::default() })
}
