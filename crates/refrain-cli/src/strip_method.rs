//! The options of `refrain strip` for the method: the default one, and the published one with its parameters.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use refrain::papers::frequent_lines::counters::CounterKind;
use refrain::strip::{PaperOptions, StripMethod, StripProfile};

use crate::arguments::{Given, named, size, with_parameters};

/// How preambles and epilogues are found.
#[derive(Args)]
#[command(next_help_heading = "Method")]
pub(crate) struct MethodArguments {
    /// Kind of text: books of Project Gutenberg, or any texts that share headers or footers
    #[arg(long, value_name = "PROFILE", default_value = StripProfile::default().name(), value_parser = named(StripProfile::ALL.to_vec()))]
    pub(crate) profile: StripProfile,

    /// Keep credits and notes of the e-book's producers that follow the marker
    #[arg(long)]
    pub(crate) keep_credits: bool,

    /// Learn nothing; use evidence that --save wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) evidence: Option<PathBuf>,

    /// Write what was learned to this file, for --evidence
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// The default method, or the published one: lines that are frequent at the ends of these texts
    #[arg(long, value_name = "METHOD", default_value = "learned", value_parser = named(StripMethod::ALL.to_vec()))]
    method: StripMethod,

    /// Set a parameter of the published method, such as gap_max=5; repeat it for others. The guide lists them
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Method paper: a line is frequent if it occurs more often than this
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.k)]
    k: u32,

    /// Method paper: non-trivial lines that are examined at the start
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.p_max)]
    p_max: usize,

    /// Method paper: non-trivial lines that are examined at the end
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.e_max)]
    e_max: usize,

    /// Method paper: this many infrequent lines in a row end the boilerplate
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.gap_max)]
    gap_max: usize,

    /// Method paper: lines that say where the boilerplate ends count, too
    #[arg(long, hide = true)]
    heuristics: bool,

    /// Method paper: what counts lines; each has its own errors and needs (see the guide)
    #[arg(long, hide = true, value_name = "NAME", default_value = PaperOptions::PUBLISHED.counter.name(), value_parser = named(CounterKind::ALL.map(|kind| (kind.name(), kind)).to_vec()))]
    counter: CounterKind,

    /// Counter hashed: 2 to the power of this many 8-bit counters, 3 to 30
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.bits, value_parser = clap::value_parser!(u32).range(3..=30))]
    bits: u32,

    /// Counter majority: lines that are monitored at a time
    #[arg(long, hide = true, value_name = "N", default_value_t = PaperOptions::PUBLISHED.counters, value_parser = clap::value_parser!(u32).range(1..))]
    counters: u32,

    /// With --method paper --set counter=sorted: memory for the counts. refrain writes the rest to temporary files
    /// [default: 512M]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true, help_heading = "Running")]
    pub(crate) memory: Option<u64>,
}

impl MethodArguments {
    pub(crate) fn method(&self) -> Result<StripMethod> {
        let MethodArguments { k, p_max, e_max, gap_max, heuristics, counter, bits, counters, .. } = *self;
        if self.method == StripMethod::Learned {
            return Ok(StripMethod::Learned);
        }
        let options = PaperOptions { k, p_max, e_max, gap_max, heuristics, counter, bits, counters };
        let options = with_parameters(options, &self.set)?;
        if !(3..=30).contains(&options.bits) || options.counters == 0 {
            bail!("--set: bits is a number from 3 to 30, and counters is at least 1");
        }
        Ok(StripMethod::Paper(options))
    }

    /// Refuses options that would do nothing.
    pub(crate) fn refuse_idle(&self, given: &Given) -> Result<()> {
        match self.method {
            StripMethod::Learned => {
                let paper =
                    ["set", "k", "p_max", "e_max", "gap_max", "heuristics", "counter", "bits", "counters", "memory"];
                given.refuse(&paper, "needs --method paper")?;
            }
            StripMethod::Paper(_) => given.refuse(
                &["profile", "keep_credits", "evidence", "save"],
                "is for the default method; remove --method paper",
            )?,
        }
        let counter = match self.method()? {
            StripMethod::Paper(options) => options.counter,
            StripMethod::Learned => self.counter,
        };
        for (kind, option) in
            [(CounterKind::Hashed, "bits"), (CounterKind::Majority, "counters"), (CounterKind::Sorted, "memory")]
        {
            if counter != kind {
                given.refuse(&[option], &format!("needs --set counter={kind}"))?;
            }
        }
        if self.profile == StripProfile::Generic {
            given.refuse(&["keep_credits"], "needs --profile gutenberg, which recognises credits")?;
        }
        if self.evidence.is_some() {
            given.refuse(&["save"], "has nothing to save if --evidence is used")?;
        }
        Ok(())
    }
}
