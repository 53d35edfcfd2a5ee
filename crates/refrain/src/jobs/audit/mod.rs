//! `audit`: removals drawn at random, next to the text that they were copied from, for people to judge.

mod verdicts;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use twox_hash::XxHash3_64;

use super::evidence::{Evidence, Partner, Removal};
use super::failures::{FailureLog, Failures};
use super::outputs::{ERRORS, Outputs, REPORT};
use crate::document::Span;
use crate::error::{Error, Result};
use crate::report::{AuditItem, Pieces, ShownPartner, audit_page, rule, score, sentence, source};
use crate::run::Run;
use crate::text::count_words;
use crate::write::Format;

pub(super) use verdicts::VerdictLine;
pub use verdicts::{Agreement, AuditRate, AuditVerdicts};

/// Draws removed ranges at random, and writes each next to the text that it was copied from, for people to judge.
///
/// Half of the draw is stratified, first by rule, then by score, so that rare rules are judged, too; the other half is in
/// proportion. Each item has a weight, the number of removals that it represents. The main output is a web page (`.html`) that takes verdicts, or one JSON object per item
/// (`.jsonl`). [`AuditVerdicts`] sums up the verdicts.
///
/// ```
/// use refrain::{Audit, Dedup, Document, Input, Outputs, Run};
///
/// let folder = tempfile::tempdir()?;
/// let clean = folder.path().join("clean/").display().to_string();
/// let text = "The keeper lit the lamp at dusk, and again when the fog came in.";
/// let input = Input::documents([Document::from_text("a", text), Document::from_text("b", text)]);
/// Dedup::default().run(&input, Outputs::to(&clean)?, &Run::default())?;
/// let (outputs, results) = Outputs::memory();
/// let report = Audit::default().run(&[clean], outputs, &Run::default())?;
/// assert_eq!((report.removals, report.drawn), (1, 1));
/// assert!(String::from_utf8_lossy(&results.bytes()).contains(r#""rule":"dedup digest""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Audit {
    /// The number of removals to draw.
    pub sample: usize,
    /// The number that the draw depends on.
    pub seed: u64,
    /// The list of removed ranges, where the output is not a folder that holds one.
    pub removed: Option<PathBuf>,
}

impl Default for Audit {
    fn default() -> Audit {
        Audit { sample: 300, seed: 1, removed: None }
    }
}

/// The result of [`Audit`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuditReport {
    /// Removed ranges of the output.
    pub removals: u64,
    /// How many were drawn.
    pub drawn: u64,
    /// Removals and drawn removals of each rule.
    pub rules: BTreeMap<String, DrawnOfRule>,
    /// What could not be read.
    pub failures: Failures,
}

/// How many removals of a rule were drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DrawnOfRule {
    /// Removed ranges.
    pub removals: u64,
    /// Drawn ones.
    pub drawn: u64,
}

/// The limits between bands of scores.
const BANDS: [f64; 4] = [0.5, 0.7, 0.9, 1.0];
/// Bytes of a removed text that are kept: a page shows no more.
const SHOWN: usize = 12_000;
/// Bytes before and after the copied text that are shown.
const AROUND: usize = 120;

/// Removals of one rule and band: how many there are, and those drawn so far, by their random numbers.
#[derive(Default)]
struct Stratum {
    removals: u64,
    drawn: BTreeMap<(u64, String), Drawn>,
}

struct Drawn {
    removal: Removal,
    words: u64,
    /// Bytes that are not shown.
    cut: usize,
}

impl Audit {
    /// The formats that the job writes.
    pub const FORMATS: [Format; 2] = [Format::Html, Format::Jsonl];

    /// Runs the job on an output: a folder that a run wrote, or its documents. More outputs are searched for the text that was
    /// copied.
    pub fn run(&self, outputs: &[String], results: Outputs, run: &Run) -> Result<AuditReport> {
        results.check(&[ERRORS, REPORT])?;
        let format = results.file_format(&Audit::FORMATS, Format::Jsonl)?;
        let evidence = Evidence::open(outputs, self.removed.as_deref())?;
        let workers = run.start()?;
        let mut failures = FailureLog::new(&results, Vec::new())?;
        let strata = self.draw(&evidence)?;
        let mut report = AuditReport::default();
        for ((rule, _), stratum) in &strata {
            let of_rule = report.rules.entry(rule.clone()).or_default();
            of_rule.removals += stratum.removals;
            of_rule.drawn += stratum.drawn.len() as u64;
            report.removals += stratum.removals;
            report.drawn += stratum.drawn.len() as u64;
        }
        if report.drawn == 0 {
            return Err(Error::Refused(format!("nothing was removed in {}", outputs.join(", "))));
        }
        // In the order of the random numbers, so that the first ones that a reader judges are a sample, too.
        let mut drawn: Vec<(u64, String, String, f64, Drawn)> = Vec::new();
        for ((rule, _), stratum) in strata {
            let weight = stratum.removals as f64 / stratum.drawn.len().max(1) as f64;
            drawn
                .extend(stratum.drawn.into_iter().map(|((random, item), it)| (random, item, rule.clone(), weight, it)));
        }
        drawn.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        let removals: Vec<&Removal> = drawn.iter().map(|(.., drawn)| &drawn.removal).collect();
        let partners = evidence.partners(&workers, &mut failures, &removals)?;
        let items: Vec<AuditItem> = drawn
            .iter()
            .zip(partners)
            .map(|((_, item, rule, weight, drawn), partner)| drawn.item(item, rule, *weight, partner))
            .collect();
        let mut out = results.main().open()?;
        if format == Format::Html {
            out.put(
                audit_page(&json!({"outputs": outputs, "seed": self.seed, "rules": report.rules, "items": items}))
                    .as_bytes(),
            )?;
        } else {
            items.iter().try_for_each(|item| out.put((item.line().to_string() + "\n").as_bytes()))?;
        }
        out.finish()?;
        (_, report.failures) = failures.finish();
        results.write_report(&report)?;
        Ok(report)
    }

    /// Draws removals, by rule and band of scores.
    fn draw(&self, evidence: &Evidence) -> Result<BTreeMap<(String, usize), Stratum>> {
        let mut strata: BTreeMap<(String, usize), Stratum> = BTreeMap::new();
        evidence.each_removed(|group| {
            for removal in group {
                let line = &removal.line;
                let rule = rule(&line.pass, line.label, &line.evidence);
                let band = score(&line.evidence).map_or(0, |score| 1 + BANDS.partition_point(|limit| *limit <= score));
                let item = format!("{}:{}-{}:{}", line.id, line.start, line.end, line.pass);
                let random = XxHash3_64::oneshot_with_seed(self.seed, item.as_bytes());
                let stratum = strata.entry((rule, band)).or_default();
                stratum.removals += 1;
                if stratum.drawn.len() >= self.sample
                    && stratum.drawn.last_key_value().is_none_or(|(last, _)| (random, &item) >= (last.0, &last.1))
                {
                    continue;
                }
                stratum.drawn.insert((random, item), Drawn::of(removal));
                if stratum.drawn.len() > self.sample {
                    stratum.drawn.pop_last();
                }
            }
            Ok(())
        })?;
        // One half in equal numbers for each rule, and within it for each band, as far as there are so many; the other half
        // in proportion to what there is, for a rate of all removals that does not rest on a few items.
        let mut rules: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for ((rule, _), stratum) in &strata {
            rules.entry(rule).or_default().push(stratum.drawn.len());
        }
        let sizes: Vec<usize> = rules.values().map(|bands| bands.iter().sum()).collect();
        let equal = shared(self.sample.div_ceil(2), &sizes);
        let mut shares: Vec<usize> =
            rules.values().zip(equal).flat_map(|(bands, share)| shared(share, bands)).collect();
        let left: Vec<u64> = strata.values().zip(&shares).map(|(it, share)| it.removals - *share as u64).collect();
        let more = in_proportion((self.sample - shares.iter().sum::<usize>()) as u64, &left);
        shares.iter_mut().zip(more).for_each(|(share, more)| *share += more as usize);
        for (stratum, share) in strata.values_mut().zip(shares) {
            while stratum.drawn.len() > share {
                stratum.drawn.pop_last();
            }
        }
        Ok(strata)
    }
}

/// Divides a number among groups: equal shares, but no more than a group has. Each group gets one, as far as there are so many.
fn shared(number: usize, sizes: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|group| sizes[*group]);
    let (mut shares, mut left) = (vec![0; sizes.len()], number);
    for (at, group) in order.iter().enumerate() {
        // Groups with more get what is left over.
        shares[*group] = sizes[*group].min(left.div_ceil(sizes.len() - at));
        left -= shares[*group];
    }
    shares
}

/// Divides a number among groups in proportion to their sizes, but no more than there are.
fn in_proportion(number: u64, sizes: &[u64]) -> Vec<u64> {
    let all: u64 = sizes.iter().sum();
    let (number, mut before) = (number.min(all), 0);
    let upto = |sum: u64| (u128::from(sum) * u128::from(number) / u128::from(all.max(1))) as u64;
    let share = |size: &u64| {
        before += size;
        upto(before) - upto(before - size)
    };
    sizes.iter().map(share).collect()
}

impl Drawn {
    fn of(mut removal: Removal) -> Drawn {
        let text = removal.line.text.to_mut();
        let words = count_words(text);
        let shown = text.floor_char_boundary(SHOWN);
        let cut = text.len() - shown;
        text.truncate(shown);
        Drawn { removal, words, cut }
    }

    /// What is shown of it.
    fn item(&self, item: &str, rule: &str, weight: f64, partner: Option<Partner>) -> AuditItem {
        let line = &self.removal.line;
        let named = partner.as_ref().filter(|partner| partner.is_named && source(&line.evidence).is_some());
        let name = named.map(|partner| partner.document.url.as_deref().unwrap_or(&partner.document.id));
        let own = partner.as_ref().map_or(&[][..], |partner| &partner.aligned.own);
        AuditItem {
            item: item.to_owned(),
            rule: rule.to_owned(),
            score: score(&line.evidence),
            weight: (weight * 1000.0).round() / 1000.0,
            id: line.id.clone().into_owned(),
            url: line.url.clone().map(std::borrow::Cow::into_owned),
            start: line.start,
            end: line.end,
            words: self.words,
            sentence: sentence(&line.evidence, name),
            source: self.removal.source().map(str::to_owned),
            text: pieces(&line.text, Span::new(0, line.text.len()), own, self.cut),
            partner: partner.map(|partner| {
                let text = &partner.document.text;
                let place = partner.aligned.place().unwrap_or_default();
                let from = text.floor_char_boundary(place.start.saturating_sub(AROUND));
                let wanted = text.ceil_char_boundary((place.end + AROUND).min(text.len()));
                let to = text.floor_char_boundary(wanted.min(from + SHOWN));
                ShownPartner {
                    id: partner.document.id.clone(),
                    url: partner.document.url.clone(),
                    benchmark: partner.document.benchmark.clone(),
                    is_named: partner.is_named,
                    text: pieces(text, Span::new(from, to), &partner.aligned.other, wanted - to),
                }
            }),
        }
    }
}

/// A stretch of a text in pieces, with the marked ranges.
fn pieces(text: &str, shown: Span, marked: &[Span], cut: usize) -> Pieces {
    let mut pieces = Vec::new();
    let mut at = shown.start;
    let mut push = |span: Span, is_marked: bool| {
        if !span.is_empty() {
            pieces.push((span.of(text).to_owned(), is_marked));
        }
    };
    for span in marked.iter().map(|span| span.intersection(shown)).filter(|span| !span.is_empty()) {
        push(Span::new(at, span.start), false);
        push(span, true);
        at = span.end;
    }
    push(Span::new(at, shown.end), false);
    if cut > 0 {
        pieces.push((format!(" … ({cut} bytes more)"), false));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_are_drawn_whole_and_large_ones_equally() {
        assert_eq!(shared(10, &[2, 100, 50]), [2, 4, 4]);
        assert_eq!(shared(300, &[5, 7]), [5, 7]);
        assert_eq!(shared(2, &[9, 9, 9]).iter().sum::<usize>(), 2);
        assert_eq!(shared(7, &[]), [0; 0]);
    }

    #[test]
    fn the_rest_is_drawn_in_proportion() {
        assert_eq!(in_proportion(10, &[900, 0, 100]), [9, 0, 1]);
        assert_eq!(in_proportion(7, &[2, 3]), [2, 3]);
        assert_eq!(in_proportion(5, &[1, 1, 1]).iter().sum::<u64>(), 3);
        assert_eq!(in_proportion(5, &[]), [0; 0]);
    }

    #[test]
    fn pieces_cover_the_shown_text() {
        let all = pieces("one two three", Span::new(4, 13), &[Span::new(0, 5), Span::new(8, 13)], 3);
        let expected = [("t", true), ("wo ", false), ("three", true), (" … (3 bytes more)", false)];
        assert_eq!(all, expected.map(|(piece, marked)| (piece.to_owned(), marked)));
    }
}
