//! `template`: removes what the pages of a site share.

#[cfg(feature = "papers")]
mod findoptimal;
mod output;
mod pages;
mod records;

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(feature = "papers")]
use self::findoptimal::Cut;
use self::output::{Destination, Put, Target};
pub(super) use self::output::{PageRanges, WrittenPage};
use self::pages::{Page, Pages};
use self::records::{Columns, Row};
use super::failures::{FailureLog, Failures};
use super::input::Input;
use super::outputs::{ERRORS, Outputs, REPORT, SAVE};
use crate::document::Span;
use crate::error::{Error, Hint, IoContext, Result};
use crate::extract::Extractor;
use crate::kernel::Kernel;
use crate::prepare::with_workspace;
use crate::run::Run;
use crate::source::ReadOptions;
use crate::stats::Account;
use crate::stats::losses::Losses;
#[cfg(feature = "papers")]
use crate::template::findoptimal::CutPoint;
use crate::template::{self, PageSample, SiteTemplates, TemplateMatch, Templates, Wrapper};
use crate::write::Format;

pub use self::pages::TemplateBy;

/// Removes the template of a site from its pages, and keeps content and records.
///
/// Pages are read twice: first to learn what the pages of a site share, then to find the content of each page. Without
/// enough pages of a site, the content of a page is extracted as [`Extract`](crate::Extract) does it.
///
/// The list `save` receives the templates, for [`evidence`](Template::evidence), and `save_wrapper` the delimiters of fields,
/// for [`wrapper`](Template::wrapper).
///
/// ```
/// use refrain::{Document, Input, Outputs, Run, Template};
///
/// let texts = ["The lamp is lit at dusk.", "Gulls sleep on the gallery.", "In spring the lens is polished."];
/// let page = |text: &str| format!("<ul><li><a href=/>Home</a></ul><div id=text>{text}</div><p>All rights reserved</p>");
/// let input = Input::documents(texts.map(|text| Document::from_text(text, page(text))));
/// let (outputs, results) = Outputs::memory();
/// let report = Template::default().run(&input, outputs, &Run::default())?;
/// assert_eq!((report.pages, report.templates.len()), (3, 1));
/// assert!(results.documents().iter().zip(texts).all(|(document, text)| document.text() == text));
/// # Ok::<(), refrain::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Template {
    /// How inputs are read. Texts in JSON, Parquet and memory are web pages unless `text_is` says otherwise.
    pub read: ReadOptions,
    /// Which pages may share a template.
    pub by: TemplateBy,
    /// How content is found.
    pub method: TemplateMethod,
    /// A file of templates that an earlier run saved. With it, the job learns nothing.
    pub evidence: Option<PathBuf>,
    /// Bytes of pages that are learned from. If more pages are read, a sample is used, with an equal share for each host.
    pub memory: u64,
    /// The kind of result to write.
    pub result: TemplateResult,
    /// A file with the delimiters of fields that an earlier run saved, for records. With it, the job learns nothing.
    pub wrapper: Option<PathBuf>,
}

impl Default for Template {
    fn default() -> Template {
        Template {
            read: ReadOptions::default(),
            by: TemplateBy::default(),
            method: TemplateMethod::default(),
            evidence: None,
            memory: PageSample::MEMORY as u64,
            result: TemplateResult::default(),
            wrapper: None,
        }
    }
}

/// How [`Template`] finds the content of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateMethod {
    /// By the parts that the pages of a site share, in their order.
    #[default]
    Backbone,
    /// By n-grams that are frequent in these pages: FindOptimal, as published.
    #[cfg(feature = "papers")]
    #[serde(rename = "findoptimal")]
    FindOptimal,
}

impl TemplateMethod {
    /// All methods, by name.
    pub const ALL: &[(&'static str, TemplateMethod)] = &[
        ("backbone", TemplateMethod::Backbone),
        #[cfg(feature = "papers")]
        ("findoptimal", TemplateMethod::FindOptimal),
    ];
}

/// The kind of result that [`Template`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateResult {
    /// The content of each page: its text as a document, or its part of the page in a folder of files.
    #[default]
    Content,
    /// Where the content of each page is: one JSON object for each page.
    Ranges(RangeUnit),
    /// A table with a row for each page and a column for each field that was inferred.
    Records,
    /// Whole pages with their template in grey, as a web page.
    Show,
    /// The same for a terminal, with colours.
    ShowInTerminal,
}

/// The unit of the ranges of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeUnit {
    /// Characters (code points) of the page.
    Chars,
    /// Bytes of the page.
    Bytes,
    /// Characters of the normalised page, in which every run of white space is one space.
    Normalised,
}

impl RangeUnit {
    /// All units, by name.
    pub const ALL: [(&'static str, RangeUnit); 3] =
        [("chars", RangeUnit::Chars), ("bytes", RangeUnit::Bytes), ("normalised", RangeUnit::Normalised)];
}

/// The result of [`Template`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct TemplateReport {
    /// Pages that were read.
    pub pages: u64,
    /// Pages that have a template.
    pub fitting: u64,
    /// Pages of a site with a template that are of another kind: lists, for example.
    pub other_kind: u64,
    /// Pages without a template, whose content was extracted page by page.
    pub alone: u64,
    /// Pages without content.
    pub empty: u64,
    /// Pages that templates were learned from in this run.
    pub learned_from: u64,
    /// Pages that could have been learned from.
    pub observed: u64,
    /// The templates.
    pub templates: Vec<TemplateFigures>,
    /// The share of pages that fitted the saved templates when they were learned.
    pub fitted_before: Option<f64>,
    /// Whether clearly fewer pages fit the saved templates than when they were learned.
    pub no_longer_fits: bool,
    /// The fields of records.
    pub fields: Vec<String>,
    /// How much visible text was removed from pages whose content is written, by group and by rule.
    #[serde(flatten)]
    pub losses: Losses,
    /// The cut point that FindOptimal found.
    #[cfg(feature = "papers")]
    pub cut: Option<CutPoint>,
    /// What became of the items of the inputs.
    pub input: Account,
    /// What failed.
    pub failures: Failures,
}

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TemplateSummary<'a> {
    /// Templates were learned, or read.
    Templates {
        /// The method.
        method: &'a str,
        /// Pages that were read.
        pages: u64,
        /// Pages that have a template.
        fitting: u64,
        /// Pages of a site with a template that are of another kind.
        of_another_kind: u64,
        /// Pages without a template.
        without_template: u64,
        /// The templates.
        templates: &'a [TemplateFigures],
    },
    /// A cut point was found.
    #[cfg(feature = "papers")]
    Cut {
        /// The method.
        method: &'a str,
        /// Letters of an n-gram.
        n: usize,
        /// Percent of n-grams that are useless.
        a: usize,
        /// Alternations between useless and other parts.
        alternation_count: usize,
        /// Pages that were read.
        pages: u64,
    },
}

/// Figures of one template.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TemplateFigures {
    /// The host or folder of its pages; empty for all pages.
    pub key: String,
    /// How many pages it was learned from.
    pub pages: usize,
    /// The share of these pages that fit it.
    pub fitted: f32,
}

/// Templates no longer fit if the share of pages that fit has fallen by more than this.
const DRIFT: f64 = 0.2;

/// The list of delimiters of fields.
const SAVE_WRAPPER: &str = "save_wrapper";

impl Template {
    /// The minimum number of different pages to learn a template from.
    pub const LEAST_PAGES: usize = template::LEAST_PAGES;

    /// The formats of tables of records.
    pub const RECORD_FORMATS: &[Format] = &[Format::Csv, Format::Tsv, Format::Jsonl, Format::Parquet];

    /// Runs the job.
    pub fn run(&self, input: &Input, outputs: Outputs, run: &Run) -> Result<TemplateReport> {
        outputs.check(&[ERRORS, REPORT, SAVE, SAVE_WRAPPER])?;
        self.check(&outputs)?;
        let outputs = outputs.with_evidence();
        let target = Target::of(self.result, &outputs)?;
        let (source, early, _copy) = input.open_twice(&self.read.of_pages(), &outputs, run.temporary.as_deref())?;
        let mut failures = FailureLog::new(&outputs, early)?;
        let pages = Pages { source, by: self.by, workers: run.start()? };
        let mut report = TemplateReport::default();
        let known = self.learn(&pages, &outputs, &mut report)?;
        let names = input.names();
        let mut destination = Destination::open(&outputs, &target, known.columns(), names, &pages.source)?;
        let mut removed = outputs.open_removed(&[])?;
        pages.each(
            "write",
            |page| page.map(|mut page| (page.failure.take(), known.put(&target, page))),
            |done| {
                let (damage, mut put) = match done {
                    Ok(done) => done,
                    Err(none) => return failures.count_none(none),
                };
                failures.count(true, None, damage)?;
                if let Some(failure) = put.failure() {
                    failures.add(failure)?;
                }
                report.add(&mut put);
                removed.put(&put.removed)?;
                destination.put(put)
            },
        )?;
        report.note(&known, self.evidence.is_some());
        destination.finish(&report)?;
        if report.pages > 0 {
            removed.finish()?;
        }
        (report.input, report.failures) = failures.finish();
        outputs.write_report(&report)?;
        Ok(report)
    }

    /// Refuses options that contradict each other.
    fn check(&self, outputs: &Outputs) -> Result<()> {
        let records = self.result == TemplateResult::Records;
        let refuse = |message: &str, hint: Hint| Err(Error::Refused(message.into()).hint(hint));
        #[cfg(feature = "papers")]
        if self.method == TemplateMethod::FindOptimal && (self.evidence.is_some() || records) {
            let hint = Hint::value("method", "backbone", "use `method=backbone`");
            return refuse("FindOptimal neither uses saved templates nor finds records", hint);
        }
        if self.evidence.is_some() && records {
            let hint = Hint::option("wrapper", "remove `evidence`, or name a `wrapper` instead");
            return refuse("fields of records are learned from pages, not from saved templates", hint);
        }
        let wants_wrapper = self.wrapper.is_some() || outputs.get(SAVE_WRAPPER).is_some();
        if wants_wrapper && !records {
            return refuse("a wrapper is for records", Hint::option("records", "write `records`"));
        }
        let learns = self.method == TemplateMethod::Backbone && self.evidence.is_none() && self.wrapper.is_none();
        if !learns && (outputs.get(SAVE).is_some() || outputs.get(SAVE_WRAPPER).is_some()) {
            return refuse("this run learns nothing, so it has nothing to save", Hint::option("save", "remove `save`"));
        }
        Ok(())
    }

    /// Learns from all pages, or loads what an earlier run learned.
    fn learn(&self, pages: &Pages, outputs: &Outputs, report: &mut TemplateReport) -> Result<Known> {
        let named = |path: &Path, error: &Error| Error::Refused(format!("{}: {error}", path.display()));
        if let Some(path) = &self.wrapper {
            let wrappers = Wrapper::from_bytes(&fs::read(path).at(path)?).map_err(|error| named(path, &error))?;
            return Ok(Known::Wrappers(wrappers));
        }
        if let Some(path) = &self.evidence {
            let templates = Templates::from_bytes(&fs::read(path).at(path)?).map_err(|error| named(path, &error))?;
            return Ok(Known::Templates(templates));
        }
        #[cfg(feature = "papers")]
        if self.method == TemplateMethod::FindOptimal {
            return Cut::find(pages).map(Known::Cut);
        }
        let kernel = SiteTemplates { memory: usize::try_from(self.memory).unwrap_or(usize::MAX) };
        let mut sample = kernel.partial();
        pages.each("learn", Result::ok, |page| {
            let Some(Page { document, text, key, .. }) = page else { return Ok(()) };
            kernel.observe(template::TemplatePage { position: document.position, key: &key, text: &text }, &mut sample)
        })?;
        (report.learned_from, report.observed) = (sample.kept(), sample.observed());
        let records = self.result == TemplateResult::Records;
        let (templates, wrappers) = pages.workers.install(|| match records {
            true => Ok(sample.conclude_with_wrappers()),
            false => kernel.conclude(sample).map(|templates| (templates, Vec::new())),
        })?;
        if let Some(output) = outputs.get(SAVE) {
            output.write(&templates.to_bytes()?)?;
        }
        if let Some(output) = outputs.get(SAVE_WRAPPER) {
            output.write(&Wrapper::to_bytes(&wrappers)?)?;
        }
        Ok(if records { Known::Records(templates, wrappers) } else { Known::Templates(templates) })
    }
}

/// The knowledge available before pages are examined one by one.
enum Known {
    Templates(Templates),
    /// Delimiters of fields from a file.
    Wrappers(Vec<Wrapper>),
    /// The same, learned from these pages.
    Records(Templates, Vec<Wrapper>),
    #[cfg(feature = "papers")]
    Cut(Cut),
}

/// How the content of a page was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Template,
    /// Its site has a template, but it is another kind of page: a list, for example.
    OtherKind,
    /// It has no template.
    Alone,
}

/// A page and its content.
struct Marked {
    page: Page,
    content: Vec<Span>,
    how: How,
    /// The number of pages that its template was learned from.
    learned_from: usize,
}

impl Known {
    /// Prepares a page for writing.
    fn put(&self, target: &Target, page: Page) -> Put {
        match self {
            Known::Templates(templates) => Put::new(target, mark(templates, page)),
            Known::Wrappers(wrappers) => Put::row(Row::of(wrappers, page)),
            Known::Records(templates, wrappers) => Put::row(Row::learned(templates, wrappers, page)),
            #[cfg(feature = "papers")]
            Known::Cut(cut) => Put::new(target, cut.mark(page)),
        }
    }

    /// The columns of a table of records.
    fn columns(&self) -> Columns {
        match self {
            Known::Wrappers(wrappers) | Known::Records(_, wrappers) => Columns::of(wrappers),
            Known::Templates(_) => Columns::of(&[]),
            #[cfg(feature = "papers")]
            Known::Cut(_) => Columns::of(&[]),
        }
    }
}

/// With fewer pages, a template does not decide that a page is of another kind.
const ENOUGH: usize = 10;

/// Finds the content of a page.
fn mark(templates: &Templates, page: Page) -> Marked {
    match templates.find(&page.key, &page.text) {
        TemplateMatch::Page(number, fit) if fit.fits || templates.all()[number].pages() >= ENOUGH => {
            let how = if fit.fits { How::Template } else { How::OtherKind };
            Marked { content: fit.content, page, how, learned_from: templates.all()[number].pages() }
        }
        _ => Marked { content: by_page(&page.text), page, how: How::Alone, learned_from: 0 },
    }
}

/// The content of a page without a template.
fn by_page(html: &str) -> Vec<Span> {
    with_workspace(|workspace| Extractor::default().extract(html, None, workspace).sources(html))
}

impl TemplateReport {
    /// What was found, in short: the templates, or the cut point of FindOptimal.
    pub fn summary(&self) -> TemplateSummary<'_> {
        #[cfg(feature = "papers")]
        if let Some(cut) = self.cut {
            return TemplateSummary::Cut {
                method: "findoptimal",
                n: cut.n,
                a: cut.a,
                alternation_count: cut.alternations,
                pages: self.pages,
            };
        }
        TemplateSummary::Templates {
            method: "backbone",
            pages: self.pages,
            fitting: self.fitting,
            of_another_kind: self.other_kind,
            without_template: self.alone,
            templates: &self.templates,
        }
    }

    fn add(&mut self, put: &mut Put) {
        self.pages += 1;
        self.losses.merge(std::mem::take(&mut put.lost));
        self.empty += u64::from(put.is_empty);
        match put.how {
            How::Template => self.fitting += 1,
            How::OtherKind => self.other_kind += 1,
            How::Alone => self.alone += 1,
        }
    }

    /// Adds the saved templates, and whether they still fit.
    fn note(&mut self, known: &Known, saved: bool) {
        let templates = match known {
            Known::Templates(templates) | Known::Records(templates, _) => templates.all(),
            Known::Wrappers(_) => &[],
            #[cfg(feature = "papers")]
            Known::Cut(_) => &[],
        };
        let figures = |template: &template::LearnedTemplate| TemplateFigures {
            key: template.key().to_owned(),
            pages: template.pages(),
            fitted: template.fitted(),
        };
        self.templates = templates.iter().map(figures).collect();
        self.fields = known.columns().names.split_off(1);
        #[cfg(feature = "papers")]
        if let Known::Cut(cut) = known {
            self.cut = Some(cut.point);
        }
        if saved {
            let learned: usize = templates.iter().map(template::LearnedTemplate::pages).sum();
            let fitted: f64 =
                templates.iter().map(|template| f64::from(template.fitted()) * template.pages() as f64).sum();
            let before = if learned == 0 { 0.0 } else { fitted / learned as f64 };
            let now = if self.pages == 0 { before } else { self.fitting as f64 / self.pages as f64 };
            self.fitted_before = Some(before);
            self.no_longer_fits = before - now > DRIFT;
        }
    }
}
