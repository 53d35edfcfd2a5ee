//! What every pass is made of: observe, merge, conclude, mark.
//!
//! A pass first counts something over the whole collection, then looks at one document with that in hand. Its finding must
//! not depend on how the collection was cut into pieces or in which order the pieces were merged: that one law gives
//! threads, resumable runs, memory caps and clusters from one implementation. [`law::check`] states it for tests.

use crate::document::Document;
use crate::error::Result;

/// Counts that can be joined. Joining is associative and commutative as far as [`Pass::conclude`] can tell.
pub trait Evidence: Send {
    /// Adds what `other` has counted.
    fn merge(&mut self, other: Self) -> Result<()>;
}

/// Evidence of passes that learn nothing.
impl Evidence for () {
    fn merge(&mut self, (): ()) -> Result<()> {
        Ok(())
    }
}

/// A way to find text that should be marked.
pub trait Pass: Sync {
    /// What it counts.
    type Evidence: Evidence;
    /// What it concludes from the counts of the whole collection.
    type Finding: Sync;

    /// The name that its marks carry.
    fn name(&self) -> &'static str;

    /// Empty evidence.
    fn evidence(&self) -> Self::Evidence;

    /// Counts one document.
    fn observe(&self, document: &Document, evidence: &mut Self::Evidence) -> Result<()>;

    /// Draws the conclusion, once all evidence is merged.
    fn conclude(&self, evidence: Self::Evidence) -> Result<Self::Finding>;

    /// Looks at one document with the finding in hand. Only adds marks (and what it learned of the document's language).
    fn mark(&self, document: &mut Document, finding: &Self::Finding) -> Result<()>;
}

/// A pass that learns nothing from other documents.
pub trait LocalPass: Sync {
    /// The name that its marks carry.
    fn name(&self) -> &'static str;

    /// Looks at one document.
    fn mark(&self, document: &mut Document);
}

impl<P: LocalPass> Pass for P {
    type Evidence = ();
    type Finding = ();

    fn name(&self) -> &'static str {
        LocalPass::name(self)
    }

    fn evidence(&self) {}

    fn observe(&self, _document: &Document, _evidence: &mut ()) -> Result<()> {
        Ok(())
    }

    fn conclude(&self, _evidence: ()) -> Result<()> {
        Ok(())
    }

    fn mark(&self, document: &mut Document, _finding: &()) -> Result<()> {
        LocalPass::mark(self, document);
        Ok(())
    }
}

/// The merge law, as a check for tests of any pass.
pub mod law {
    use super::{Evidence, Pass};
    use crate::document::{Document, Mark};
    use crate::error::Result;

    /// Marks every document with what the whole collection teaches, learnt in pieces.
    ///
    /// `piece_of[i]` is the piece in which document `i` is observed; pieces are merged in the order of `merge_order`, which
    /// may name them in any order (pieces it leaves out are merged last).
    pub fn marks_learnt_in_pieces<P: Pass>(
        pass: &P,
        documents: &[Document],
        piece_of: &[usize],
        merge_order: &[usize],
    ) -> Result<Vec<Vec<Mark>>> {
        let pieces = piece_of.iter().max().map_or(1, |&most| most + 1);
        let mut evidence: Vec<Option<P::Evidence>> = (0..pieces).map(|_| Some(pass.evidence())).collect();
        for (document, &piece) in documents.iter().zip(piece_of) {
            if let Some(evidence) = &mut evidence[piece] {
                pass.observe(document, evidence)?;
            }
        }
        let mut whole = pass.evidence();
        for piece in merge_order.iter().copied().chain(0..pieces) {
            if let Some(part) = evidence.get_mut(piece).and_then(Option::take) {
                whole.merge(part)?;
            }
        }
        let finding = pass.conclude(whole)?;
        let mark = |document: &Document| {
            let mut document = document.clone();
            pass.mark(&mut document, &finding)?;
            Ok(document.marks)
        };
        documents.iter().map(mark).collect()
    }

    /// Checks that a cut of the collection gives the same marks as no cut at all.
    ///
    /// # Panics
    ///
    /// When the law does not hold: this is an assertion for tests.
    pub fn check<P: Pass>(pass: &P, documents: &[Document], piece_of: &[usize], merge_order: &[usize]) -> Result<()> {
        let whole = marks_learnt_in_pieces(pass, documents, &vec![0; documents.len()], &[])?;
        let pieces = marks_learnt_in_pieces(pass, documents, piece_of, merge_order)?;
        assert_eq!(whole, pieces, "pass {}: the cut of the collection changed its marks", pass.name());
        Ok(())
    }
}
