//! `convert`: any input to any output; removes only ranges that were already marked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Outputs, REMOVED, REPORT};
use crate::error::{Error, Hint, Result};
use crate::flow::each_document;
use crate::prepare::Preparation;
use crate::run::Run;
use crate::source::{InputFiles, ReadOptions};
use crate::stats::Account;
use crate::text::Offsets;
use crate::write::{
    Compressed, DocumentWriter, Format, HubWriter, Names, Parts, ShardsWriter, WriteOptions, removed_lines,
};

/// Converts documents from any format to any other. Ranges that are already marked are removed, unless `keep_marked` is set.
///
/// ```
/// use refrain::{Convert, Document, Input, Outputs, Run};
///
/// let (outputs, results) = Outputs::memory();
/// let input = Input::documents([Document::from_text("a", "One text.")]);
/// let report = Convert::default().run(&input, outputs, &Run::default())?;
/// assert_eq!(report.documents, 1);
/// assert_eq!(results.documents()[0].text(), "One text.");
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Convert {
    /// How inputs are read.
    pub read: ReadOptions,
    /// Keep ranges that are already marked, with their marks.
    pub keep_marked: bool,
    /// The unit of the offsets of marks in files.
    pub offsets: Offsets,
    /// The level of zstd, in Parquet and in compressed files.
    pub zstd_level: Option<i32>,
    /// Bytes of a row group in Parquet.
    pub row_group: Option<u64>,
    /// Divide the documents into so many files of about the same size, in a folder.
    pub shards: Option<u32>,
    /// Write the registry of a vertical file next to it.
    pub registry: bool,
}

/// The result of [`Convert`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConvertReport {
    /// Documents that were written.
    pub documents: u64,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

impl Convert {
    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<ConvertReport> {
        outputs.check(&[ERRORS, REMOVED, REPORT])?;
        let (source, early) = input.open(&self.read, &outputs)?;
        let names = Names::new(input.names(), source.inputs());
        let mut writer = self.open(&outputs, names, source.files())?;
        let mut removed = outputs.open_list(REMOVED)?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let mut documents = 0;
        let preparation = Preparation::default();
        each_document(
            &run.start()?,
            "read",
            &source,
            |position, item| preparation.prepare(position, item).skip_marked(self.keep_marked),
            |_, prepared| {
                failures.count(prepared.document.is_some(), prepared.skipped.as_deref(), prepared.failure)?;
                let Some(document) = prepared.document else { return Ok(()) };
                if let Some(removed) = &mut removed {
                    removed.put(&removed_lines(&document, self.offsets)?)?;
                }
                if prepared.skipped.is_none() {
                    documents += 1;
                    writer.write(&document)?;
                }
                Ok(())
            },
        )?;
        writer.finish()?;
        removed.map(Compressed::finish).transpose()?;
        let (input, failures) = failures.finish();
        let report = ConvertReport { documents, input, failures };
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// Opens the main output.
    fn open<'a>(
        &self,
        outputs: &Outputs,
        names: Names,
        inputs: Option<&'a InputFiles>,
    ) -> Result<Box<dyn DocumentWriter + 'a>> {
        let options = WriteOptions {
            keep_marked: self.keep_marked,
            offsets: self.offsets,
            zstd_level: self.zstd_level,
            row_group: self.row_group,
            registry: self.registry,
        };
        let is_hub = outputs.requested_format().is_some_and(|(format, _)| format == Format::Hf);
        let shards = match self.shards {
            None if !is_hub => return outputs.open_texts(options, names, inputs),
            shards => shards.unwrap_or(1),
        };
        let Some(Parts { folder, format, packing }) = outputs.parts()? else {
            let hint = Hint::option("output", "end the name of `output` in /");
            return Err(Error::Refused("several files are written to a folder".into()).hint(hint));
        };
        outputs.check_folder(&folder)?;
        if is_hub {
            return Ok(Box::new(HubWriter::open(&folder, shards, options)?));
        }
        let suffix = format!("{}{}", format.extension(), packing.suffix());
        let names: Vec<String> = (0..shards).map(|number| format!("part-{number:05}.{suffix}")).collect();
        Ok(Box::new(ShardsWriter::open(&folder, &names, (format, packing), options, false)?))
    }
}
