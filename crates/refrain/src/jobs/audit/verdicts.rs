//! The verdicts of people on drawn removals, summed up.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, IoContext, Result};
use crate::report::percent;

/// The verdicts on an [`Audit`](crate::Audit), summed up. As text, it is a table.
///
/// An item on which two people disagree counts as wrong if one of them found it wrong, and else as unsure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuditVerdicts {
    /// Each rule.
    pub rules: BTreeMap<String, AuditRate>,
    /// All rules together.
    pub overall: AuditRate,
    /// The agreement of the people who judged the same items.
    pub agreement: Option<Agreement>,
}

/// How many removals were judged, and the share of wrong ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct AuditRate {
    /// Items with a verdict.
    pub judged: u64,
    /// Items that should not have been removed.
    pub wrong: u64,
    /// Items that nobody could decide. They do not count in the rate.
    pub unsure: u64,
    /// The share of wrong removals. Each item counts as the number of removals that it represents.
    pub rate: f64,
    /// The 95 % interval of the rate, by the method of Wilson.
    pub interval: (f64, f64),
    #[serde(skip)]
    sums: Sums,
}

/// Sums of weights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Sums {
    all: f64,
    squares: f64,
    wrong: f64,
}

/// How often two people gave the same verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Agreement {
    /// Items that two people judged.
    pub items: u64,
    /// The share with the same verdict.
    pub share: f64,
    /// Cohen's kappa: 1 for full agreement, 0 for as much as chance gives.
    pub kappa: f64,
}

/// The verdict of a person on an item. The page also writes `score` and `note`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(in crate::jobs) struct VerdictLine {
    /// The item.
    item: String,
    /// The rule that removed it.
    rule: String,
    /// The number of removals that it represents.
    #[serde(default = "one")]
    weight: f64,
    /// The verdict.
    verdict: Verdict,
    /// Who judged.
    #[serde(default)]
    judge: String,
}

fn one() -> f64 {
    1.0
}

/// Whether a removal was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// It was.
    Right,
    /// The judge cannot say.
    Unsure,
    /// It should have been kept.
    Wrong,
}

/// The verdicts on one item, by judge.
struct Item {
    rule: String,
    weight: f64,
    verdicts: BTreeMap<String, Verdict>,
}

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_985;

impl AuditVerdicts {
    /// Reads files of verdicts: one JSON object per line, with `item`, `rule`, `verdict`, and if known `weight` and `judge`. Of
    /// several verdicts of one judge, the last one counts.
    pub fn read(paths: &[impl AsRef<Path>]) -> Result<AuditVerdicts> {
        let mut items: BTreeMap<String, Item> = BTreeMap::new();
        for path in paths.iter().map(AsRef::as_ref) {
            for (number, line) in BufReader::new(File::open(path).at(path)?).lines().enumerate() {
                let line = line.at(path)?;
                let value: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
                if line.trim().is_empty() || (value.is_object() && value.get("verdict").is_none()) {
                    continue;
                }
                let line: VerdictLine = serde_json::from_value(value).map_err(|error| Error::Damaged {
                    path: path.to_owned(),
                    message: format!("line {} is not a verdict: {error}", number + 1),
                })?;
                if !(line.weight.is_finite() && line.weight > 0.0) {
                    let message = format!("line {}: the weight {} is not a positive number", number + 1, line.weight);
                    return Err(Error::Damaged { path: path.to_owned(), message });
                }
                let item = items.entry(line.item).or_insert_with(|| Item {
                    rule: line.rule,
                    weight: line.weight,
                    verdicts: BTreeMap::new(),
                });
                item.verdicts.insert(line.judge, line.verdict);
            }
        }
        if items.is_empty() {
            let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
            return Err(Error::Refused(format!("no verdicts in {}", names.join(", "))));
        }
        let mut sum = AuditVerdicts::default();
        let mut pairs = Vec::new();
        for item in items.values() {
            let verdicts: Vec<Verdict> = item.verdicts.values().copied().collect();
            let worst = verdicts.iter().copied().max().unwrap_or(Verdict::Unsure);
            sum.rules.entry(item.rule.clone()).or_default().add(worst, item.weight);
            sum.overall.add(worst, item.weight);
            if let [one, two, ..] = verdicts[..] {
                pairs.push((one, two));
            }
        }
        sum.rules.values_mut().chain([&mut sum.overall]).for_each(AuditRate::conclude);
        sum.agreement = (!pairs.is_empty()).then(|| Agreement::of(&pairs));
        Ok(sum)
    }
}

impl AuditRate {
    fn add(&mut self, verdict: Verdict, weight: f64) {
        self.judged += 1;
        self.wrong += u64::from(verdict == Verdict::Wrong);
        self.unsure += u64::from(verdict == Verdict::Unsure);
        if verdict != Verdict::Unsure {
            self.sums.all += weight;
            self.sums.squares += weight * weight;
            self.sums.wrong += if verdict == Verdict::Wrong { weight } else { 0.0 };
        }
    }

    /// Computes rate and interval. Weights make a sample worth fewer items than it has: the square of their sum by the sum of
    /// their squares (Kish).
    fn conclude(&mut self) {
        let Sums { all, squares, wrong } = self.sums;
        if all == 0.0 {
            self.interval = (0.0, 1.0);
            return;
        }
        self.rate = wrong / all;
        self.interval = wilson(self.rate, all * all / squares);
    }
}

/// The interval of Wilson for a share that was observed on this many items.
fn wilson(share: f64, items: f64) -> (f64, f64) {
    let z2 = Z * Z / items;
    let middle = share + z2 / 2.0;
    let reach = Z * (share * (1.0 - share) / items + z2 / (4.0 * items)).sqrt();
    (((middle - reach) / (1.0 + z2)).max(0.0), ((middle + reach) / (1.0 + z2)).min(1.0))
}

impl Agreement {
    fn of(pairs: &[(Verdict, Verdict)]) -> Agreement {
        let items = pairs.len() as f64;
        let share = pairs.iter().filter(|(one, two)| one == two).count() as f64 / items;
        let of = |side: fn(&(Verdict, Verdict)) -> Verdict, verdict| {
            pairs.iter().filter(|pair| side(pair) == verdict).count() as f64 / items
        };
        let all = [Verdict::Right, Verdict::Unsure, Verdict::Wrong];
        let chance: f64 = all.into_iter().map(|it| of(|pair| pair.0, it) * of(|pair| pair.1, it)).sum();
        let kappa = if chance < 1.0 { (share - chance) / (1.0 - chance) } else { 1.0 };
        Agreement { items: pairs.len() as u64, share, kappa }
    }
}

impl fmt::Display for AuditVerdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rules.keys().map(|rule| rule.chars().count()).max().unwrap_or_default().max(12);
        writeln!(f, "{:<width$}{:>8}{:>8}{:>8}{:>9}  95 % interval", "rule", "judged", "wrong", "unsure", "rate")?;
        let overall = ("all removals", &self.overall);
        for (name, rate) in self.rules.iter().map(|(name, rate)| (name.as_str(), rate)).chain([overall]) {
            let AuditRate { judged, wrong, unsure, interval: (low, high), .. } = rate;
            let [share, low, high] = [rate.rate, *low, *high].map(|share| format!("{:.1} %", share * 100.0));
            writeln!(f, "{name:<width$}{judged:>8}{wrong:>8}{unsure:>8}{share:>9}  {low} to {high}")?;
        }
        writeln!(
            f,
            "each item counts as the number of removals that it represents; unsure ones do not count in the rate"
        )?;
        if let Some(Agreement { items, share, kappa }) = self.agreement {
            writeln!(f, "two judges agree on {} of {items} items (kappa {kappa:.2})", percent(share))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(files: &[&str]) -> Result<AuditVerdicts> {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<_> = (0..files.len()).map(|number| folder.path().join(number.to_string())).collect();
        for (path, content) in paths.iter().zip(files) {
            std::fs::write(path, content).expect("a file");
        }
        AuditVerdicts::read(&paths)
    }

    fn verdicts(rule: &str, weight: f64, verdicts: &[&str]) -> String {
        let line = |(number, verdict): (usize, &&str)| {
            format!(
                r#"{{"item":"{rule}{number}","rule":"{rule}","weight":{weight},"verdict":"{verdict}","judge":"a"}}"#
            )
        };
        verdicts.iter().enumerate().map(line).collect::<Vec<_>>().join("\n") + "\n"
    }

    #[test]
    fn intervals_are_those_of_wilson() {
        let rounded = |(low, high): (f64, f64)| ((low * 1e4).round() / 1e4, (high * 1e4).round() / 1e4);
        // From tables: 4 of 100, and none of 300.
        assert_eq!(rounded(wilson(0.04, 100.0)), (0.0157, 0.0984));
        assert_eq!(rounded(wilson(0.0, 300.0)), (0.0, 0.0126));
    }

    #[test]
    fn rules_count_by_the_removals_that_they_represent() {
        let common = verdicts("a", 90.0, &["right"; 10]);
        let rare = verdicts(
            "b",
            10.0,
            &["wrong", "right", "right", "right", "right", "right", "right", "right", "right", "unsure"],
        );
        let sum = sum(&["{\"date\": \"today\"}\n", &common, &rare]).expect("verdicts");
        let (a, b) = (sum.rules["a"], sum.rules["b"]);
        assert_eq!((a.judged, a.wrong, a.rate), (10, 0, 0.0));
        assert_eq!((b.judged, b.wrong, b.unsure), (10, 1, 1));
        assert!((b.rate - 1.0 / 9.0).abs() < 1e-9);
        assert!((sum.overall.rate - 10.0 / 990.0).abs() < 1e-9);
        assert!(sum.overall.interval.1 > 0.2, "few items stand for most removals: {:?}", sum.overall.interval);
        assert_eq!(sum.agreement, None);
        assert!(sum.to_string().contains("all removals      20       1       1    1.0 %"), "{sum}");
    }

    #[test]
    fn two_judges_are_compared_and_doubt_counts_against_the_program() {
        let one = verdicts("a", 1.0, &["right", "right", "wrong", "right"]);
        let two =
            verdicts("a", 1.0, &["right", "wrong", "wrong", "unsure"]).replace(r#""judge":"a""#, r#""judge":"b""#);
        let sum = sum(&[&one, &two]).expect("verdicts");
        assert_eq!((sum.overall.judged, sum.overall.wrong, sum.overall.unsure), (4, 2, 1));
        let agreement = sum.agreement.expect("two judges");
        assert_eq!((agreement.items, agreement.share), (4, 0.5));
        assert!((agreement.kappa - 3.0 / 11.0).abs() < 1e-9, "{agreement:?}");
    }

    #[test]
    fn what_is_no_verdict_is_named() {
        for (content, expected) in [
            ("", "no verdicts"),
            ("lens", "line 1 is not a verdict"),
            (r#"{"item":"a","rule":"b","verdict":"perhaps"}"#, "line 1 is not a verdict"),
            (r#"{"item":"a","rule":"b","verdict":"right","weight":-1}"#, "weight -1"),
        ] {
            let error = sum(&[content]).expect_err("no verdict").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
