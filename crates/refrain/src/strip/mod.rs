//! What was put in front of books and behind them: licences, headers, notes of those who typed them.
//!
//! Texts of one collection carry the same notices by hand, with variations. [`Strip`] learns from the two ends of many texts
//! which lines and words belong to notices, without labels, and then finds for each text the last line of its preamble and the
//! first line of its epilogue ([`Found`]). What was learned is [`Evidence`]: small, can be merged and saved, and comes with the
//! library for the books of Project Gutenberg, so that a single book can be stripped.
//!
//! [`LineCounts`] and [`FrequentLines`] are the published method that this started from, over five [structures that
//! count](counters).
//!
//! ```
//! use refrain::strip::{EDGE_LINES, Ends, Evidence, Profile, Strip};
//!
//! let book = "The Project Gutenberg EBook of The Lamp, by A. Keeper\n\nTitle: The Lamp\n\nAuthor: A. Keeper\n\n\
//!     *** START OF THIS PROJECT GUTENBERG EBOOK THE LAMP ***\n\n\nProduced by B. Reader\n\n\n\n\
//!     THE LAMP\n\nBy A. Keeper\n\nThe lamp was lit at dusk.\n\n\n\
//!     End of Project Gutenberg's The Lamp, by A. Keeper\n";
//! let strip = Strip::new(Profile::Gutenberg)?;
//! let ends = Ends::of(book.as_bytes(), EDGE_LINES);
//! let found = strip.find(&ends, Evidence::shipped());
//! assert_eq!((found.preamble_end, found.epilogue_start), (10, 21));
//! assert_eq!(found.facts.author, "A. Keeper");
//! assert_eq!(found.facts.credits, "Produced by B. Reader");
//! # Ok::<(), refrain::Error>(())
//! ```

mod blocks;
pub mod counters;
mod evidence;
mod figures;
mod generic;
mod head;
mod learn;
mod lines;
mod mark;
mod meta;
mod model;
mod paper;
mod rules;
mod sample;

pub use evidence::Evidence;
pub use figures::{Column, Figures};
pub use lines::Ends;
pub use meta::Facts;
pub use paper::{FrequentLines, LineCounts, PaperOptions, PreparedLines};
pub use sample::Sample;

use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use crate::document::{Document, Label, Mark, Reason, Span};
use crate::error::Result;
use crate::pass::Pass;
use lines::Edges;
use rules::Rules;

/// Lines that are looked at at each end of a text.
pub const EDGE_LINES: usize = 600;

/// Below this confidence, somebody should have a look.
pub const DOUBTFUL: f32 = 0.7;

/// What is known beforehand of the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Books of Project Gutenberg: rules for its markers, titles and notes, and evidence that comes with the library.
    #[default]
    Gutenberg,
    /// Nothing: only what the texts of a collection share.
    Generic,
}

impl Profile {
    /// All of them, with the names that options use.
    pub const ALL: [(&'static str, Profile); 2] = [("gutenberg", Profile::Gutenberg), ("generic", Profile::Generic)];
}

/// The pass that finds preambles and epilogues.
///
/// As a [`Pass`], it observes the two ends of documents ([`Sample`]), concludes [`Evidence`], and marks.
#[derive(Debug)]
pub struct Strip {
    profile: Profile,
    rules: Rules,
    /// Credits and notes of those who made the e-book, behind the marker, stay in the book.
    pub keep_credits: bool,
}

impl Strip {
    /// With the rules of a profile.
    pub fn new(profile: Profile) -> Result<Strip> {
        let rules = match profile {
            Profile::Gutenberg => Rules::parse(rules::GUTENBERG)?,
            Profile::Generic => Rules::default(),
        };
        Ok(Strip { profile, rules, keep_credits: false })
    }

    /// What these texts teach by themselves. Near-copies of one text have one vote.
    pub fn learn_only(&self, sample: &Sample) -> Evidence {
        let edges = sample.edges();
        match self.profile {
            Profile::Gutenberg => learn::learn(&edges, &self.rules),
            Profile::Generic => generic::learn(&edges),
        }
    }

    /// What these texts teach, together with what is known of the profile: few texts change it little.
    pub fn learn(&self, sample: &Sample) -> Evidence {
        match self.profile {
            Profile::Gutenberg if sample.len() < 2 => Evidence::shipped().clone(),
            Profile::Gutenberg => {
                let mut evidence = Evidence::shipped().clone();
                evidence.merge(&self.learn_only(sample));
                evidence
            }
            Profile::Generic => self.learn_only(sample),
        }
    }

    /// Finds preamble and epilogue of one text.
    pub fn find(&self, text: &Ends, evidence: &Evidence) -> Found {
        let edges = text.edges();
        let found = match self.profile {
            Profile::Gutenberg => mark::mark(&edges, &self.rules, evidence, self.keep_credits),
            Profile::Generic => generic::mark(&edges, evidence),
        };
        found.checked(&edges)
    }
}

/// What was found in one text. Lines count from 1, and 0 is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Lines of the whole text.
    pub lines: usize,
    /// The last line of the preamble.
    pub preamble_end: usize,
    /// The first line of the epilogue.
    pub epilogue_start: usize,
    /// From 0 to 1, where the method tells. Good for sorting; it is no probability.
    pub confidence: Option<f32>,
    /// What made the preamble end there.
    pub why_preamble: String,
    /// What made the epilogue begin there.
    pub why_epilogue: String,
    /// What speaks against it.
    pub doubts: Vec<&'static str>,
    /// What the preamble says about the book.
    pub facts: Facts,
    /// Nothing would be left of the text.
    pub emptied: bool,
}

impl Found {
    /// True when somebody should have a look.
    pub fn is_doubtful(&self) -> bool {
        self.emptied || self.confidence.is_some_and(|confidence| confidence < DOUBTFUL)
    }

    /// The least certain first; texts of which nothing would be left before them.
    pub fn by_doubt(&self, other: &Found) -> Ordering {
        let confidence = |found: &Found| found.confidence.unwrap_or(1.0);
        other.emptied.cmp(&self.emptied).then(confidence(self).total_cmp(&confidence(other)))
    }

    /// The bytes of the text that stay. A text of which nothing would be left stays as it is.
    pub fn body(&self, text: &Ends) -> Range<u64> {
        if self.emptied { 0..text.size() } else { text.body(self.preamble_end, self.epilogue_start) }
    }

    /// Marks the text of a document, and notes what the preamble says about it. `text` are the ends of that very text.
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
    fn checked(mut self, edges: &Edges) -> Found {
        self.lines = edges.total;
        let end = if self.epilogue_start == 0 { edges.total } else { self.epilogue_start - 1 };
        let seen = edges.head.len()..edges.total - edges.tail.len();
        let unseen = seen.start.max(self.preamble_end) < seen.end.min(end);
        let inside = |number: usize| number >= self.preamble_end && number < end;
        let left = edges.head.iter().chain(&edges.tail).any(|line| inside(line.number) && !line.is_blank());
        self.emptied = !unseen && !left && (self.preamble_end > 0 || self.epilogue_start > 0);
        if self.emptied {
            self.doubts.insert(0, "nothing would be left");
        }
        self
    }
}

/// The name that marks carry.
const NAME: &str = "strip";

impl Pass for Strip {
    type Evidence = Sample;
    type Finding = Evidence;

    fn name(&self) -> &'static str {
        NAME
    }

    fn evidence(&self) -> Sample {
        Sample::default()
    }

    fn observe(&self, document: &Document, sample: &mut Sample) -> Result<()> {
        sample.add(document.position, Ends::of(document.text().as_bytes(), EDGE_LINES));
        Ok(())
    }

    fn conclude(&self, sample: Sample) -> Result<Evidence> {
        Ok(self.learn(&sample))
    }

    fn mark(&self, document: &mut Document, evidence: &Evidence) -> Result<()> {
        let ends = Ends::of(document.text().as_bytes(), EDGE_LINES);
        self.find(&ends, evidence).mark(document, &ends);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Position;
    use crate::pass::law;

    fn book(n: u32) -> Document {
        let body =
            (0..30).map(|i| format!("Sentence {i} of story {} goes on and on.\n", n * 7)).collect::<Vec<_>>().concat();
        let text = format!(
            "The Project Gutenberg EBook of Tale {n}\n\nTitle: The Tale\n\n*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n\n\n\
             Produced by A. Volunteer\n\n\n\nTHE TALE\n\n{body}\n\nEnd of Project Gutenberg's The Tale\n"
        );
        let mut document = Document::from_text(format!("book {n}"), text);
        document.position = Position { input: n, record: 0 };
        document
    }

    #[test]
    fn the_cut_of_the_collection_does_not_change_marks() {
        let books: Vec<Document> = (0..8).map(book).collect();
        let strip = Strip::new(Profile::Gutenberg).expect("rules");
        law::check(&strip, &books, &[0, 1, 2, 0, 1, 2, 0, 1], &[2, 0, 1]).expect("marks");
        let strip = Strip::new(Profile::Generic).expect("rules");
        law::check(&strip, &books, &[3, 1, 2, 0, 1, 2, 0, 1], &[1, 3]).expect("marks");
    }

    #[test]
    fn documents_are_marked_and_know_more_of_themselves() {
        let mut document = book(1);
        let strip = Strip::new(Profile::Gutenberg).expect("rules");
        strip.mark(&mut document, Evidence::shipped()).expect("marks");
        assert!(document.kept().starts_with("THE TALE") && document.kept().trim_end().ends_with("goes on and on."));
        assert_eq!(document.meta["title"], "The Tale");
        assert_eq!(document.meta["credits"], "Produced by A. Volunteer");
    }

    #[test]
    fn a_text_that_is_all_boilerplate_is_told_and_kept() {
        let text = "*** START OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n\n\n*** END OF THIS PROJECT GUTENBERG EBOOK THE TALE ***\n";
        let ends = Ends::of(text.as_bytes(), EDGE_LINES);
        let found = Strip::new(Profile::Gutenberg).expect("rules").find(&ends, Evidence::shipped());
        assert!(found.emptied && found.is_doubtful());
        assert_eq!(found.body(&ends), 0..text.len() as u64);
    }
}
