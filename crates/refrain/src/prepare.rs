//! Joins the stages: raw documents to marked documents.

use std::cell::RefCell;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::decode::{Hints, LanguageFilter, NotText, decode, detect_language, replace_nuls};
use crate::document::{
    Annotation, BLOCKS_FIELD, BYTE_BLOCKS_FIELD, BYTE_MARKS_FIELD, Block, BlockKind, Document, Label, MARKS_FIELD,
    Mark, Origin, PAGES_FIELD, Position, Reason, Span,
};
use crate::error::{Failure, Place, Result};
use crate::extract::{ExtractMethod, Extractor, Workspace, segment};
use crate::quality::QualityFilter;
use crate::source::office::{self, Content, Unreadable};
use crate::source::{Body, Item, Markup, OfficeFile, OfficeFormat, RawDocument, is_html, names_page};
use crate::template::{self, LearnedTemplate, TemplateMatch, Templates};
use crate::text::{ByteOffsets, Offsets, count_words};

/// Why a document is skipped that is not in the sample.
const NOT_SAMPLED: &str = "document outside the sample";

/// Turns raw documents into marked ones: decode, cut into blocks, language, main content, quality.
#[derive(Debug, Default)]
pub struct Preparation {
    /// Notes languages and marks those not asked for.
    pub language: Option<LanguageFilter>,
    /// Marks boilerplate of web pages; without it every block is kept. Plain text has none.
    pub extractor: Option<Extractor>,
    /// Masks personal data, and marks what is not worth keeping.
    pub quality: Option<QualityFilter>,
}

/// What became of an item.
#[derive(Debug, Default)]
pub struct Prepared {
    /// The document, if it was one.
    pub document: Option<Document>,
    /// Why it was skipped, if it was.
    pub skipped: Option<String>,
    /// What went wrong. A document may come with a failure: it was damaged, but could be used.
    pub failure: Option<Failure>,
    /// Size of the raw document.
    pub raw_bytes: u64,
    /// True for a web page.
    pub is_page: bool,
    /// Whether the marks that the document came with leave nothing of it.
    is_fully_marked: bool,
}

/// Why a document is skipped of which marks that it came with leave nothing.
pub(crate) const FULLY_MARKED: &str = "fully marked text";

impl Prepared {
    /// Skips a document of which marks that it came with leave nothing, unless marked text is kept. The document stays here, so that
    /// its marks can be listed.
    pub(crate) fn skip_marked(mut self, keep_marked: bool) -> Prepared {
        if self.is_fully_marked && !keep_marked {
            self.skipped = Some(FULLY_MARKED.into());
        }
        self
    }

    /// Removes marked text from the document. If nothing is left of it, it is skipped.
    pub(crate) fn without_marked(self) -> Prepared {
        let mut prepared = self.skip_marked(false);
        prepared.document = prepared.document.filter(|_| prepared.skipped.is_none());
        prepared.document.iter_mut().for_each(Document::remove_marked);
        prepared
    }
}

/// True if nothing is left of a document because of its marks. One that never had any text is not meant.
fn is_fully_marked(document: &Document) -> bool {
    !document.marks.is_empty() && document.is_removed()
}

impl Preparation {
    /// Prepares one item.
    pub fn prepare(&self, position: Position, item: Item) -> Prepared {
        self.prepare_in_site(position, item, None)
    }

    /// Prepares one item, with the templates of sites in hand, by host: what is no content on the pages of its site is
    /// marked, too.
    pub fn prepare_in_site(&self, position: Position, item: Item, sites: Option<&Templates>) -> Prepared {
        match item {
            Item::Document(raw) => self.prepare_document(position, *raw, sites),
            Item::Skipped { reason, .. } => Prepared { skipped: Some(reason), ..Prepared::default() },
            Item::Failed(failure) => Prepared { failure: Some(failure), ..Prepared::default() },
        }
    }

    fn prepare_document(&self, position: Position, raw: RawDocument, sites: Option<&Templates>) -> Prepared {
        let raw_bytes = raw.size() as u64;
        let mut opened = match Opened::new(position, raw) {
            Ok(opened) => opened,
            Err(prepared) => return *prepared,
        };
        if let Some(quality) = &self.quality {
            let text = if opened.in_memory { opened.document.text() } else { &opened.text };
            if !quality.is_sampled(opened.document.address(), text) {
                return Prepared { skipped: Some(NOT_SAMPLED.into()), raw_bytes, ..Prepared::default() };
            }
        }
        let mut fully_marked = false;
        match opened.markup {
            Markup::Text => {
                // A document in memory has its text, and ranges that fit it.
                if !opened.in_memory {
                    opened.document.set_text(std::mem::take(&mut opened.text));
                    opened.document.annotate(opened.annotation.take());
                    let failure = adopt_ranges(&mut opened.document, std::mem::take(&mut opened.pages));
                    opened.failure = opened.failure.or(failure);
                    adopt_known_fields(&mut opened.document);
                }
                fully_marked = is_fully_marked(&opened.document);
                if let Some(language) = &self.language {
                    language.mark(&mut opened.document);
                }
            }
            Markup::Html => with_workspace(|workspace| self.prepare_page(&mut opened, workspace, sites)),
        }
        if let Some(quality) = &self.quality {
            quality.mask(&mut opened.document);
            quality.mark(&mut opened.document);
        }
        let is_page = opened.markup == Markup::Html;
        Prepared {
            document: Some(opened.document),
            skipped: None,
            failure: opened.failure,
            raw_bytes,
            is_page,
            is_fully_marked: fully_marked,
        }
    }

    /// The language of a page before its main content is known.
    fn language_of(&self, document: &Document) -> Option<String> {
        let found = self.language.as_ref().and_then(|_| detect_language(document)).filter(|found| found.reliable);
        found.map(|found| found.code.to_owned()).or_else(|| document.language.clone())
    }

    fn prepare_page(&self, opened: &mut Opened, workspace: &mut Workspace, sites: Option<&Templates>) {
        let (html, document) = (&opened.text, &mut opened.document);
        let whole = Extractor::default();
        self.extractor.as_ref().unwrap_or(&whole).segment(html, workspace);
        if let Some(title) = &workspace.page.title {
            document.meta.entry("title").or_insert(Value::from(title.as_str()));
        }
        let page = &mut workspace.page;
        document.set_text_and_blocks(std::mem::take(&mut page.text), std::mem::take(&mut page.blocks));
        adopt_known_fields(document);
        let declared = workspace.page.language.clone();
        if let Some(extractor) = &self.extractor {
            let mut marks = std::mem::take(&mut document.marks);
            let language = match extractor.options().method {
                ExtractMethod::JusText(_) => self.language_of(document).or(declared.clone()),
                ExtractMethod::Default | ExtractMethod::Bte => None,
            };
            (workspace.page.text, workspace.page.blocks) = document.take_text_and_blocks();
            let wanted = self.language.as_ref().and_then(|filter| filter.wanted.first());
            let language = language.as_deref().or(wanted.map(String::as_str));
            let found = extractor.decide(html, language, workspace);
            marks.extend(found.marks(extractor.options().method));
            let page = &mut workspace.page;
            document.set_text_and_blocks(std::mem::take(&mut page.text), std::mem::take(&mut page.blocks));
            document.marks = marks;
        }
        if let Some(language) = &self.language {
            language.mark(document);
        }
        document.language = document.language.take().or(declared);
        if let Some(sites) = sites {
            mark_template(document, html, workspace, sites);
        }
    }
}

/// Marks what is no content on the pages of the site, but for what is marked as boilerplate already. A page that is unlike the
/// others of its site, such as a list, stays as it is.
fn mark_template(document: &mut Document, html: &str, workspace: &Workspace, sites: &Templates) {
    let host = document.host();
    let TemplateMatch::Page(number, fit) = sites.find(&host, html) else { return };
    let pages = sites.all().get(number).map_or(0, LearnedTemplate::pages) as u64;
    let is_content = |at: u32| covers(&fit.content, at);
    let places = || document.blocks().iter().zip(&workspace.page.outline.places);
    if !fit.fits || !places().any(|(_, place)| is_content(place.source)) {
        return;
    }
    let known: HashSet<usize> =
        document.marks.iter().filter(|mark| mark.label == Label::Boilerplate).map(|mark| mark.span.start).collect();
    let outside = places().filter(|(block, place)| !is_content(place.source) && !known.contains(&block.span.start));
    let mark = |(block, _): (&Block, &_)| Mark {
        span: block.span,
        label: Label::Template,
        pass: template::PASS.into(),
        reason: Reason::Site { host: host.clone(), pages },
    };
    let marks: Vec<Mark> = outside.map(mark).collect();
    document.marks.extend(marks);
}

/// True if ranges of a page, in order, cover a position.
fn covers(ranges: &[Span], at: u32) -> bool {
    let next = ranges.partition_point(|span| span.end <= at as usize);
    ranges.get(next).is_some_and(|span| span.start <= at as usize)
}

/// The visible text of a page, with a mark on each block outside its content. The marks fit `mark` but for their range.
pub(crate) fn with_marks_outside(mut document: Document, html: &str, content: &[Span], mark: &Mark) -> Document {
    with_workspace(|workspace| {
        Extractor::default().segment(html, workspace);
        let page = &mut workspace.page;
        document.set_text_and_blocks(std::mem::take(&mut page.text), std::mem::take(&mut page.blocks));

        let places = document.blocks().iter().zip(&page.outline.places);
        let outside = places.filter(|(_, place)| !covers(content, place.source));
        document.marks = outside.map(|(block, _)| Mark { span: block.span, ..mark.clone() }).collect();
        document
    })
}

thread_local! {
    /// Buffers for pages, one set a thread.
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Hands out this thread's buffers for pages; new ones when they are in use.
pub(crate) fn with_workspace<T>(work: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with(|shared| match shared.try_borrow_mut() {
        Ok(mut workspace) => work(&mut workspace),
        Err(_) => work(&mut Workspace::default()),
    })
}

/// A document that was decoded, but not yet cut into blocks.
#[derive(Debug)]
pub(crate) struct Opened {
    /// All that is known of it but its text.
    pub document: Document,
    /// The text as it came: HTML, or plain.
    pub text: String,
    /// Which of them.
    pub markup: Markup,
    /// What was wrong with it, though it can be used.
    pub failure: Option<Failure>,
    /// The document was in memory, with blocks and marks that fit the text.
    in_memory: bool,
    /// Where the pages of the file begin in the text, in code points.
    pages: Vec<usize>,
    /// What a vertical file says of the tokens of the text.
    annotation: Option<Box<Annotation>>,
}

impl Opened {
    /// Decodes a document; what cannot be read as text is a failure, or is skipped.
    pub(crate) fn new(position: Position, mut raw: RawDocument) -> Result<Opened, Box<Prepared>> {
        let mut losses = 0;
        let mut damage = None;
        let mut known = None;
        let mut pages = Vec::new();
        let mut annotation = None;
        let (text, encoding, nuls) = match raw.body {
            Body::Text(text) => {
                let (text, nuls) = replace_nuls(text);
                (text, None, nuls)
            }
            Body::Wiki(wiki) => {
                let (text, nuls) = replace_nuls(wiki.plain());
                (text, None, nuls)
            }
            Body::Document(mut document) => {
                while let Some(at) = document.text().find('\0') {
                    document.replace(Span::new(at, at + 1), "\u{fffd}");
                }
                known = Some(document);
                (String::new(), None, None)
            }
            Body::Annotated(text, mut said) => {
                move_past_nuls(&mut said, &text);
                annotation = Some(said);
                let (text, nuls) = replace_nuls(text);
                (text, None, nuls)
            }
            Body::Office(packed) => {
                let mut content = match unpack(&packed) {
                    Ok(content) => content,
                    // Pictures of pages are ordinary in a crawl.
                    Err(why) if why.is_without_text && !raw.claims_text => {
                        let skipped = Some(format!("{} without text", packed.format.input_format().name()));
                        return Err(Box::new(Prepared { skipped, ..Prepared::default() }));
                    }
                    Err(why) => {
                        let failure = Some(unreadable(&raw.origin, &raw.id, why));
                        return Err(Box::new(Prepared { failure, ..Prepared::default() }));
                    }
                };
                damage = content.damage.take();
                pages = std::mem::take(&mut content.pages);
                let (text, nuls) = replace_nuls(std::mem::take(&mut content.text));
                note_fields(content, &mut raw.meta);
                (text, None, nuls)
            }
            Body::Bytes(bytes) => {
                let domain = raw.origin.url.as_deref().and_then(crate::url::top_level_domain);
                let hints = Hints { charset: raw.charset.as_deref(), domain: domain.as_deref(), ..Hints::default() };
                match decode(bytes, hints) {
                    Ok(decoded) => {
                        losses = decoded.losses;
                        (decoded.text, Some(decoded.encoding), decoded.nuls)
                    }
                    Err(NotText { at }) => return Err(Box::new(not_text(&raw.origin, raw.claims_text, at))),
                }
            }
        };
        let shown = || known.as_ref().map_or(text.as_str(), |document| document.text());
        let html = || is_html(shown()) || names_page(&raw.origin);
        let markup = raw.markup.unwrap_or_else(|| if html() { Markup::Html } else { Markup::Text });
        if let Some(mut document) = known {
            document.position = position;
            let text = document.text().to_owned();
            let opened =
                Opened { document: *document, text, markup, failure: None, in_memory: true, pages, annotation };
            return if markup == Markup::Html { opened.without_marked() } else { Ok(opened) };
        }
        let mut document = Document::from_text(raw.id, "");
        document.position = position;
        document.origin = raw.origin;
        document.encoding = encoding.map(str::to_owned);
        document.meta = raw.meta;
        if losses > 0 {
            document.meta.insert("encoding_losses".into(), Value::from(losses));
        }
        let failure = nuls.map(|(at, count)| {
            // A file with one document needs no other name; a record of an archive does.
            let which = if document.id == document.origin.path() { "" } else { document.name() };
            let text = if which.is_empty() { "the text".to_owned() } else { format!("the text of {which}") };
            let error = format!("NUL bytes in {text} ({count}), replaced by U+FFFD");
            let failure = Failure::new(&document.origin.input, error).member(document.origin.member.as_deref());
            failure.place(Place::Byte(at as u64))
        });
        let damage = damage.map(|damage| unreadable(&document.origin, &document.id, damage));
        let failure = damage.or(failure);
        let opened = Opened { document, text, markup, failure, in_memory: false, pages, annotation };
        if markup == Markup::Html { opened.without_marked() } else { Ok(opened) }
    }

    /// Removes the ranges of the text that an earlier run marked. If nothing is left, the document is skipped. Blocks are dropped:
    /// whoever asks for the text as it came finds its own. Pages are kept with the document.
    pub(crate) fn without_marked(mut self) -> Result<Opened, Box<Prepared>> {
        let document = &mut self.document;
        if !self.in_memory {
            if self.pages.is_empty() && !has_ranges(&document.meta) {
                return Ok(self);
            }
            document.set_text(std::mem::take(&mut self.text));
            let failure = adopt_ranges(document, std::mem::take(&mut self.pages));
            self.failure = self.failure.take().or(failure);
        }
        if is_fully_marked(document) {
            let skipped = Some(FULLY_MARKED.into());
            return Err(Box::new(Prepared { skipped, failure: self.failure, ..Prepared::default() }));
        }
        document.remove_marked();
        document.text().clone_into(&mut self.text);
        Ok(self)
    }

    /// Fields that an earlier run of refrain wrote go back to where they belong, but for those that say what the text is
    /// about: [`Metadata::adopt`](crate::extract::Metadata::adopt) takes these. Marked text is removed.
    pub(crate) fn adopt_known_fields(mut self) -> Result<Opened, Box<Prepared>> {
        adopt_encoding(&mut self.document);
        if self.markup == Markup::Html {
            return Ok(self);
        }
        let mut opened = self.without_marked()?;
        if has_count(&opened.document.meta, &opened.text) {
            opened.document.meta.shift_remove(COUNT);
        }
        Ok(opened)
    }
}

/// Moves the ranges of an annotation to where they are once every NUL of the text has become a longer character.
fn move_past_nuls(annotation: &mut Annotation, text: &str) {
    let nuls: Vec<usize> = memchr::memchr_iter(0, text.as_bytes()).collect();
    if nuls.is_empty() {
        return;
    }
    let growth = char::REPLACEMENT_CHARACTER.len_utf8() - 1;
    let moved = |at: usize| at + growth * nuls.partition_point(|nul| *nul < at);
    let tokens = annotation.tokens.iter_mut().map(|token| &mut token.span);
    for span in tokens.chain(annotation.structures.iter_mut().map(|structure| &mut structure.span)) {
        *span = Span::new(moved(span.start), moved(span.end));
    }
}

/// Opens a document. Chapters of books are web pages, and all of a chapter is text.
fn unpack(packed: &OfficeFile) -> Result<Content, Unreadable> {
    let limit = usize::try_from(packed.limit).unwrap_or(usize::MAX);
    match packed.format {
        OfficeFormat::Docx => office::docx(&packed.bytes, limit),
        OfficeFormat::Odt => office::odt(&packed.bytes, limit),
        OfficeFormat::Pdf => office::pdf(&packed.bytes, limit),
        OfficeFormat::Epub => office::epub(&packed.bytes, limit, |chapter| segment(chapter).text),
        OfficeFormat::Rtf => office::rtf(&packed.bytes, limit),
        OfficeFormat::Tei => office::tei(&packed.bytes, limit),
        OfficeFormat::Alto => office::alto(&packed.bytes, limit),
        OfficeFormat::Hocr => office::hocr(&packed.bytes, limit),
    }
}

/// What a document says of itself becomes fields, under the names that web pages have for it.
fn note_fields(content: Content, fields: &mut Map<String, Value>) {
    if content.unmapped > 0.0 {
        // Rounded up: a field that is there says that something is missing.
        fields.insert("unmapped_glyphs".into(), Value::from((content.unmapped * 10_000.0).ceil() / 10_000.0));
    }
    let about = content.about;
    for (name, value) in [("title", about.title), ("author", about.author), ("language", about.language)] {
        fields.extend(value.map(|value| (name.to_owned(), Value::from(value))));
    }
}

fn failure_of(origin: &Origin, error: String) -> Failure {
    Failure::new(&origin.input, error).member(origin.member.as_deref())
}

fn unreadable(origin: &Origin, id: &str, why: Unreadable) -> Failure {
    // A file with one document needs no other name; a record of an archive does.
    let error = match id == origin.path() {
        true => why.error,
        false => format!("{}: {}", origin.url.as_deref().unwrap_or(id), why.error),
    };
    let failure = failure_of(origin, error);
    match why.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn not_text(origin: &Origin, claims_text: bool, at: usize) -> Prepared {
    if claims_text {
        let failure = failure_of(origin, "is not text: binary data".into());
        Prepared { failure: Some(failure.place(Place::Byte(at as u64))), ..Prepared::default() }
    } else {
        Prepared { skipped: Some("binary data".into()), ..Prepared::default() }
    }
}

/// Fields that an earlier run of refrain wrote go back to where they belong.
fn adopt_known_fields(document: &mut Document) {
    let code = |value: &Value| value.as_str().filter(|code| (2..=3).contains(&code.len())).map(str::to_owned);
    if let Some(language) = document.meta.get("language").and_then(code) {
        document.meta.shift_remove("language");
        document.language = Some(language);
    }
    adopt_encoding(document);
    if has_count(&document.meta, document.text()) {
        document.meta.shift_remove(COUNT);
    }
}

/// True if a field has the name of one with ranges. Comparing a few names is faster than looking each of them up.
fn has_ranges(fields: &Map<String, Value>) -> bool {
    let ranges = [MARKS_FIELD, BYTE_MARKS_FIELD, BLOCKS_FIELD, BYTE_BLOCKS_FIELD, PAGES_FIELD];
    fields.keys().any(|name| ranges.contains(&name.as_str()))
}

/// Ranges that an earlier run wrote next to the text go back to where they belong: marks, blocks, pages. Those that do not fit
/// the text are reported, and ignored. Fields of these names that refrain did not write stay what they are.
fn adopt_ranges(document: &mut Document, pages: Vec<usize>) -> Option<Failure> {
    if pages.is_empty() && !has_ranges(&document.meta) {
        return None;
    }
    let mut misfits = Vec::new();
    let mut unknown = Vec::new();
    for (field, offsets) in [(MARKS_FIELD, Offsets::Chars), (BYTE_MARKS_FIELD, Offsets::Bytes)] {
        let Some(written) = take_marks(&mut document.meta, field) else { continue };
        let mut chars = ByteOffsets::new(document.text());
        let read: Vec<WrittenMark> = written.iter().map(|mark| WrittenMark::read(mark, offsets, &mut chars)).collect();
        let count = |is_one: fn(&WrittenMark) -> bool| {
            let count = read.iter().filter(|mark| is_one(mark)).count();
            (count > 0).then(|| format!("{count} of {} `{field}`", read.len()))
        };
        misfits.extend(count(|mark| matches!(mark, WrittenMark::Outside)));
        let labels = count(|mark| matches!(mark, WrittenMark::UnknownLabel));
        unknown.extend(labels.map(|which| format!("ignored {which}, whose label is unknown")));
        let evidence = count(|mark| matches!(mark, WrittenMark::UnknownEvidence(_)));
        unknown.extend(evidence.map(|which| format!("kept {which}, whose evidence is unknown")));
        document.marks.extend(read.into_iter().filter_map(|mark| match mark {
            WrittenMark::Known(mark) | WrittenMark::UnknownEvidence(mark) => Some(mark),
            WrittenMark::Outside | WrittenMark::UnknownLabel => None,
        }));
    }
    for (field, offsets) in [(BLOCKS_FIELD, Offsets::Chars), (BYTE_BLOCKS_FIELD, Offsets::Bytes)] {
        let Some(written) = take_list::<WrittenBlock>(&mut document.meta, field) else { continue };
        let all = written.len();
        let mut chars = ByteOffsets::new(document.text());
        let read = |block: Option<WrittenBlock>| {
            let WrittenBlock { start, end, kind, fields } = block?;
            let span = chars.in_bytes(Span::new(start, end), offsets)?;
            Some((Block { span, kind, link_chars: 0 }, fields))
        };
        let (blocks, fields): (Vec<Block>, Vec<_>) = written.into_iter().filter_map(read).unzip();
        if blocks.len() < all || !document.adopt_blocks(blocks, fields) {
            misfits.push(format!("`{field}`"));
        }
    }
    let pages = if pages.is_empty() { take_pages(&mut document.meta) } else { pages };
    let mut chars = ByteOffsets::new(document.text());
    let places: Option<Vec<usize>> = pages.iter().map(|&at| chars.byte(at)).collect();
    if !places.is_some_and(|places| document.adopt_pages(places)) {
        misfits.push(format!("`{PAGES_FIELD}`"));
    }
    if misfits.is_empty() && unknown.is_empty() {
        return None;
    }
    let which = if document.id == document.origin.path() { String::new() } else { format!("{}: ", document.name()) };
    let outside =
        |misfits: &[String]| format!("ignored {}, which are outside the text or split a character", misfits.join(", "));
    let hint = match misfits.is_empty() {
        false => "the text changed after they were written; create them again",
        true => "another version of refrain or another program wrote them; create them again",
    };
    let problems: Vec<String> = Some(&misfits)
        .filter(|misfits| !misfits.is_empty())
        .map(|misfits| outside(misfits))
        .into_iter()
        .chain(unknown)
        .collect();
    Some(failure_of(&document.origin, format!("{which}{}", problems.join("; "))).hint(hint))
}

/// Takes a list of marks out of the fields. A list without any range is not one that refrain writes, and is kept.
fn take_marks(fields: &mut Map<String, Value>, name: &str) -> Option<Vec<Value>> {
    let has_range = |value: &Value| value.get("start").is_some() && value.get("end").is_some();
    let is_ours = |value: &Value| value.as_array().is_some_and(|marks| marks.is_empty() || marks.iter().any(has_range));
    if !fields.get(name).is_some_and(is_ours) {
        return None;
    }
    match fields.shift_remove(name) {
        Some(Value::Array(marks)) => Some(marks),
        _ => None,
    }
}

/// Takes a list out of the fields, if it is one that refrain writes: what else is in it is none.
fn take_list<T: for<'de> Deserialize<'de>>(fields: &mut Map<String, Value>, name: &str) -> Option<Vec<Option<T>>> {
    let Some(Value::Array(values)) = fields.get(name) else { return None };
    let list: Vec<Option<T>> = values.iter().map(|value| T::deserialize(value).ok()).collect();
    if !list.is_empty() && list.iter().all(Option::is_none) {
        return None;
    }
    fields.shift_remove(name);
    Some(list)
}

/// Takes the places where pages begin out of the fields, if it is a list that refrain writes: the first page begins at 0.
fn take_pages(fields: &mut Map<String, Value>) -> Vec<usize> {
    let list = fields.get(PAGES_FIELD).and_then(|value| Vec::<usize>::deserialize(value).ok());
    let Some(list) = list.filter(|list| list.first() == Some(&0)) else { return Vec::new() };
    fields.shift_remove(PAGES_FIELD);
    list
}

fn adopt_encoding(document: &mut Document) {
    if document.encoding.is_none()
        && let Some(Value::String(_)) = document.meta.get("encoding")
        && let Some(Value::String(encoding)) = document.meta.shift_remove("encoding")
    {
        document.encoding = Some(encoding);
    }
}

/// The field of our tables that counts words; the count is made anew when it is needed.
const COUNT: &str = "words";

/// True for a count that our tables carry.
fn has_count(fields: &Map<String, Value>, text: &str) -> bool {
    fields.get(COUNT).and_then(Value::as_u64).is_some_and(|words| words == count_words(text))
}

/// A mark as it was written beside a text.
enum WrittenMark {
    /// One that refrain writes.
    Known(Mark),
    /// Its evidence is of no known kind, and became a reason in words.
    UnknownEvidence(Mark),
    /// Its label is unknown, so nobody can say whether its text is meant to be removed.
    UnknownLabel,
    /// Its range does not fit the text.
    Outside,
}

impl WrittenMark {
    fn read(value: &Value, offsets: Offsets, chars: &mut ByteOffsets<'_>) -> WrittenMark {
        let at = |name: &str| usize::deserialize(value.get(name)?).ok();
        let range = at("start").zip(at("end")).map(|(start, end)| Span::new(start, end));
        let Some(span) = range.and_then(|range| chars.in_bytes(range, offsets)) else { return WrittenMark::Outside };
        let label = value.get("label").and_then(|label| Label::deserialize(label).ok());
        let Some(label) = label else { return WrittenMark::UnknownLabel };
        let pass = value.get("pass").and_then(Value::as_str).unwrap_or_default().to_owned();
        // Parquet has no column type for a choice of structures: there the reason is JSON in a string.
        let evidence = value.get("evidence").unwrap_or(&Value::Null);
        let known = match evidence {
            Value::String(json) => serde_json::from_str(json).ok(),
            evidence => Reason::deserialize(evidence).ok(),
        };
        let mark = |reason| Mark { span, label, pass: pass.into(), reason };
        match known {
            Some(reason) => WrittenMark::Known(mark(reason)),
            None => {
                let words = evidence.as_str().map_or_else(|| evidence.to_string(), str::to_owned);
                WrittenMark::UnknownEvidence(mark(Reason::Stated(words)))
            }
        }
    }
}

/// A block as our writers write it.
#[derive(Deserialize)]
struct WrittenBlock {
    start: usize,
    end: usize,
    kind: BlockKind,
    #[serde(flatten)]
    fields: Map<String, Value>,
}
