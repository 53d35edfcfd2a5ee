//! Removes what was added before and after books: licences, headers, transcribers' notes.
//!
//! People add the same notices to the texts of a collection by hand, with variations. [`BoundaryFinder`] learns from
//! the two ends of many texts which lines and words belong to notices, without labels. Then it finds for each text the
//! last line of its preamble and the first line of its epilogue ([`Boundaries`]). The result of learning is
//! [`Evidence`], which is small and can be merged and saved. The library contains evidence on books of Project
//! Gutenberg, so that a single book can be stripped.
//!
//! [`LineCounts`] and [`FrequentLines`] are the published method, with five [structures that count
//! lines](crate::papers::frequent_lines::counters).
//!
//! ```
//! use refrain::strip::{EDGE_LINES, Ends, Evidence, StripProfile, BoundaryFinder};
//!
//! let book = "The Project Gutenberg EBook of The Lamp, by A. Keeper\n\nTitle: The Lamp\n\nAuthor: A. Keeper\n\n\
//!     *** START OF THIS PROJECT GUTENBERG EBOOK THE LAMP ***\n\n\nProduced by B. Reader\n\n\n\n\
//!     THE LAMP\n\nBy A. Keeper\n\nThe lamp was lit at dusk.\n\n\n\
//!     End of Project Gutenberg's The Lamp, by A. Keeper\n";
//! let strip = BoundaryFinder::new(StripProfile::Gutenberg)?;
//! let ends = Ends::of(book.as_bytes(), EDGE_LINES);
//! let found = strip.find(&ends, Evidence::shipped());
//! assert_eq!((found.preamble_end, found.epilogue_start), (10, 21));
//! assert_eq!(found.facts.author, "A. Keeper");
//! assert_eq!(found.facts.credits, "Produced by B. Reader");
//! # Ok::<(), refrain::Error>(())
//! ```

pub(crate) mod blocks;
mod evidence;
mod figures;
mod generic;
mod head;
mod learn;
pub(crate) mod lines;
mod mark;
mod meta;
mod model;
pub(crate) mod rules;
mod sample;

pub use evidence::Evidence;
#[doc(hidden)]
pub use figures::Occurrences;
pub(crate) use figures::{Column, StripFigures};
pub use lines::Ends;
pub use meta::Facts;
pub use sample::{BookSample, BookText};

#[cfg(feature = "papers")]
pub use crate::papers::frequent_lines::{FrequentLines, LineCounts, PaperOptions, PreparedLines};

use std::cmp::Ordering;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::document::{Document, Label, Mark, Reason, Span};
use crate::error::Result;
use crate::kernel::Kernel;
use lines::Edges;
use rules::Rules;

/// The number of lines examined at each end of a text.
pub const EDGE_LINES: usize = 600;

/// Results below this confidence need a manual check.
pub(crate) const DOUBTFUL: f32 = 0.7;

/// How preambles and epilogues are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripMethod {
    /// By what is learned from the two ends of all texts: [`BoundaryFinder`].
    #[default]
    Learned,
    /// By lines that are frequent in the collection, as published: [`FrequentLines`].
    #[cfg(feature = "papers")]
    Paper(PaperOptions),
}

impl StripMethod {
    /// The methods by name, with default parameters.
    pub const ALL: &[(&'static str, StripMethod)] = &[
        ("learned", StripMethod::Learned),
        #[cfg(feature = "papers")]
        ("paper", StripMethod::Paper(PaperOptions::PUBLISHED)),
    ];

    /// Lines that are needed of each end of a text.
    pub fn edge_lines(&self) -> usize {
        match self {
            StripMethod::Learned => EDGE_LINES,
            #[cfg(feature = "papers")]
            StripMethod::Paper(options) => options.edge_lines(),
        }
    }
}

/// The kind of texts, which determines rules and evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StripProfile {
    /// Books of Project Gutenberg: rules for its markers, titles and notes, and evidence that comes with the library.
    #[default]
    Gutenberg,
    /// Nothing: only what the texts of a collection share.
    Generic,
}

impl StripProfile {
    /// All of them, with the names that options use.
    pub const ALL: [(&'static str, StripProfile); 2] =
        [("gutenberg", StripProfile::Gutenberg), ("generic", StripProfile::Generic)];

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            StripProfile::Gutenberg => "gutenberg",
            StripProfile::Generic => "generic",
        }
    }

    /// What messages call one of the texts.
    pub fn noun(self) -> &'static str {
        match self {
            StripProfile::Gutenberg => "book",
            StripProfile::Generic => "text",
        }
    }
}

/// The method that finds preambles and epilogues.
///
/// As a [`Kernel`], it observes the two ends of texts ([`BookSample`]), concludes [`Evidence`], and finds where the body of a text is.
#[derive(Debug)]
pub struct BoundaryFinder {
    profile: StripProfile,
    rules: Rules,
    /// Keep credits and transcribers' notes after the marker in the book.
    pub keep_credits: bool,
}

impl BoundaryFinder {
    /// With the rules of a profile.
    pub fn new(profile: StripProfile) -> Result<BoundaryFinder> {
        let rules = match profile {
            StripProfile::Gutenberg => Rules::parse(rules::GUTENBERG)?,
            StripProfile::Generic => Rules::default(),
        };
        Ok(BoundaryFinder { profile, rules, keep_credits: false })
    }

    /// Evidence from these texts alone. Near-duplicates have one vote.
    pub fn learn_only(&self, sample: &BookSample) -> Evidence {
        let edges = sample.edges();
        match self.profile {
            StripProfile::Gutenberg => learn::learn(&edges, &self.rules),
            StripProfile::Generic => generic::learn(&edges),
        }
    }

    /// Evidence from these texts, merged with the shipped evidence of the profile. A few texts change it little.
    pub fn learn(&self, sample: &BookSample) -> Evidence {
        match self.profile {
            StripProfile::Gutenberg if sample.len() < 2 => Evidence::shipped().clone(),
            StripProfile::Gutenberg => {
                let mut evidence = Evidence::shipped().clone();
                evidence.merge(&self.learn_only(sample));
                evidence
            }
            StripProfile::Generic => self.learn_only(sample),
        }
    }

    /// Finds preamble and epilogue of one text.
    pub fn find(&self, text: &Ends, evidence: &Evidence) -> Boundaries {
        let edges = text.edges();
        let found = match self.profile {
            StripProfile::Gutenberg => mark::mark(&edges, &self.rules, evidence, self.keep_credits),
            StripProfile::Generic => generic::mark(&edges, evidence),
        };
        found.checked(&edges)
    }
}

/// Where the preamble of a text ends and its epilogue starts, and why. Lines count from 1, and 0 means none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boundaries {
    /// Lines of the whole text.
    pub lines: usize,
    /// The last line of the preamble.
    pub preamble_end: usize,
    /// The first line of the epilogue.
    pub epilogue_start: usize,
    /// From 0 to 1, if the method provides it. Good for sorting; it is not a probability.
    pub confidence: Option<f32>,
    /// Why the preamble ends there.
    pub why_preamble: String,
    /// Why the epilogue begins there.
    pub why_epilogue: String,
    /// The evidence against it.
    pub doubts: Vec<&'static str>,
    /// What the preamble says about the book.
    pub facts: Facts,
    /// Nothing would be left of the text.
    pub emptied: bool,
}

impl Boundaries {
    /// True if the result needs a manual check.
    pub fn is_doubtful(&self) -> bool {
        self.emptied || self.confidence.is_some_and(|confidence| confidence < DOUBTFUL)
    }

    /// Orders texts of which nothing would remain first, then the least certain ones.
    pub fn by_doubt(&self, other: &Boundaries) -> Ordering {
        let confidence = |found: &Boundaries| found.confidence.unwrap_or(1.0);
        other.emptied.cmp(&self.emptied).then(confidence(self).total_cmp(&confidence(other)))
    }

    /// The bytes of the text that are kept: all of them if nothing would remain.
    pub fn body(&self, text: &Ends) -> Range<u64> {
        if self.emptied { 0..text.size() } else { text.body(self.preamble_end, self.epilogue_start) }
    }

    /// Marks the text of a document, and adds the facts in its preamble to its fields. `text` holds the ends of the same text.
    pub fn mark(&self, document: &mut Document, text: &Ends) {
        let body = self.body(text);
        let length = document.text().len();
        let inside = |at: u64| document.text().floor_char_boundary(usize::try_from(at).unwrap_or(length).min(length));
        let (start, end) = (inside(body.start), inside(body.end));
        let mark = |span, label, why: &str| Mark { span, label, pass: NAME.into(), reason: Reason::Stated(why.into()) };
        if start > 0 {
            document.marks.push(mark(Span::new(0, start), Label::Preamble, &self.why_preamble));
        }
        if end < length {
            document.marks.push(mark(Span::new(end, length), Label::Epilogue, &self.why_epilogue));
        }
        for (name, value) in self.facts.fields() {
            document.meta.entry(name).or_insert_with(|| Value::from(value));
        }
    }

    /// Notes the number of lines, and whether anything would be left.
    pub(crate) fn checked(mut self, edges: &Edges) -> Boundaries {
        self.lines = edges.total;
        let end = if self.epilogue_start == 0 { edges.total } else { self.epilogue_start - 1 };
        let seen = edges.head.len()..edges.total - edges.tail.len();
        let unseen = seen.start.max(self.preamble_end) < seen.end.min(end);
        let inside = |number: usize| number >= self.preamble_end && number < end;
        let left = edges.head.iter().chain(&edges.tail).any(|line| inside(line.number) && !line.is_blank());
        self.emptied = !unseen && !left && (self.preamble_end > 0 || self.epilogue_start > 0);
        if self.emptied {
            self.doubts.insert(0, "nothing would remain");
        }
        self
    }
}

/// The name that marks carry.
pub(crate) const NAME: &str = "strip";

impl Kernel for BoundaryFinder {
    type Item<'a> = BookText<'a>;
    type Partial = BookSample;
    type Finding = Evidence;
    type Verdict = Boundaries;

    fn partial(&self) -> BookSample {
        BookSample::default()
    }

    fn observe(&self, text: BookText<'_>, sample: &mut BookSample) -> Result<()> {
        sample.add(text);
        Ok(())
    }

    fn merge(&self, sample: &mut BookSample, other: BookSample) -> Result<()> {
        sample.merge(&other);
        Ok(())
    }

    fn conclude(&self, sample: BookSample) -> Result<Evidence> {
        Ok(self.learn(&sample))
    }

    fn mark(&self, text: BookText<'_>, evidence: &Evidence) -> Result<Boundaries> {
        Ok(self.find(text.ends, evidence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Document {
        let body = (0..30).map(|i| format!("Sentence {i} of the story goes on and on.\n")).collect::<Vec<_>>().concat();
        let text = format!(
            "The Project Gutenberg EBook of The Tale\n\nTitle: The Tale\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n\n\n\
             Produced by A. Volunteer\n\n\n\nTHE TALE\n\n{body}\n\nEnd of Project Gutenberg's The Tale\n"
        );
        Document::from_text("book", text)
    }

    #[test]
    fn documents_are_marked_and_know_more_of_themselves() {
        let mut document = book();
        let ends = Ends::of(document.text().as_bytes(), EDGE_LINES);
        let strip = BoundaryFinder::new(StripProfile::Gutenberg).expect("rules");
        strip.find(&ends, Evidence::shipped()).mark(&mut document, &ends);
        assert!(document.kept().starts_with("THE TALE") && document.kept().trim_end().ends_with("goes on and on."));
        assert_eq!(document.meta["title"], "The Tale");
        assert_eq!(document.meta["credits"], "Produced by A. Volunteer");
    }

    #[test]
    fn a_text_that_is_all_boilerplate_is_reported_and_kept() {
        let text = "*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n";
        let ends = Ends::of(text.as_bytes(), EDGE_LINES);
        let found = BoundaryFinder::new(StripProfile::Gutenberg).expect("rules").find(&ends, Evidence::shipped());
        assert!(found.emptied && found.is_doubtful());
        assert_eq!(found.body(&ends), 0..text.len() as u64);
    }
}
