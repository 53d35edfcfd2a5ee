//! The command line of refrain, for its program and for the Python package, which contains it.

#![allow(unreachable_pub)] // the program and the Python package call two functions; clap's derive makes the rest public

mod arguments;
mod cmd;
mod config;
mod exit;
mod maintenance;
mod messages;
#[cfg(test)]
mod options_page;
mod progress;
mod stores;
mod strip_method;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use arguments::Given;
use exit::Exit;

/// Find repeated text in document collections, remove it or show where it is, and record why
#[derive(Parser)]
#[command(
    name = "refrain",
    version,
    before_help = "Example:\n  refrain corpus samples/crawl.warc.gz -o corpus/",
    after_help = "Exit codes: 0 done; 1 done, but some inputs failed (listed on standard error); 2 could not run; 3 not completed, because of --alarm; 130 interrupted"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Corpus(cmd::corpus::Arguments),
    Extract(cmd::extract::Arguments),
    Convert(cmd::convert::Arguments),
    Decode(cmd::decode::Arguments),
    Dedup(cmd::dedup::Arguments),
    Decontaminate(cmd::decontaminate::Arguments),
    Quality(cmd::quality::Arguments),
    Strip(cmd::strip::Arguments),
    Template(cmd::template::Arguments),
    Compare(cmd::compare::Arguments),
    Library(cmd::library::Arguments),
    Editions(cmd::editions::Arguments),
    List(cmd::list::Arguments),
    Stats(cmd::stats::Arguments),
    Why(cmd::why::Arguments),
    Audit(cmd::audit::Arguments),
    Schema(cmd::schema::Arguments),
    Completions(cmd::completions::Arguments),
    Man(cmd::man::Arguments),
}

/// Runs a command line, whose first word is the name of the program. Returns its exit code.
pub fn run(line: Vec<OsString>) -> u8 {
    keep_quiet_about_damaged_files();
    let given = line.clone();
    let (line, outgoing) = match config::with_recipe(line.into_iter()).and_then(stores::Outgoing::of) {
        Ok(line) => line,
        Err(error) => return Exit::of_error(&error, given).code(),
    };
    let parsed = Arguments::command().try_get_matches_from(line).and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((matches, arguments))
    });
    match parsed {
        Ok((matches, arguments)) => {
            let ready = matches.subcommand().map_or(Ok(()), |(verb, given)| stores::refuse_addresses(verb, given));
            let ready = ready.and_then(|()| outgoing.as_ref().map_or(Ok(()), stores::Outgoing::prepare));
            let result = ready.and_then(|()| {
                let result = run_verb(&matches, &arguments);
                match outgoing {
                    Some(outgoing) => outgoing.finish(result),
                    None => result,
                }
            });
            result.unwrap_or_else(|error| Exit::of_error(&error, given)).code()
        }
        Err(error) => {
            // Help, the version, or a mistake.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(u8::MAX)
        }
    }
}

fn run_verb(matches: &ArgMatches, arguments: &Arguments) -> anyhow::Result<Exit> {
    let given = matches.subcommand().map(|(_, verb)| Given::of(verb)).unwrap_or_default();
    match &arguments.command {
        Command::Corpus(arguments) => cmd::corpus::run(arguments, &given),
        Command::Extract(arguments) => cmd::extract::run(arguments, &given),
        Command::Convert(arguments) => cmd::convert::run(arguments, &given),
        Command::Decode(arguments) => cmd::decode::run(arguments, &given),
        Command::Dedup(arguments) => cmd::dedup::run(arguments, &given),
        Command::Decontaminate(arguments) => cmd::decontaminate::run(arguments, &given),
        Command::Quality(arguments) => cmd::quality::run(arguments),
        Command::Strip(arguments) => cmd::strip::run(arguments, &given),
        Command::Template(arguments) => cmd::template::run(arguments, &given),
        Command::Compare(arguments) => cmd::compare::run(arguments, &given),
        Command::Library(arguments) => cmd::library::run(arguments),
        Command::Editions(arguments) => cmd::editions::run(arguments, &given),
        Command::List(arguments) => cmd::list::run(arguments),
        Command::Stats(arguments) => cmd::stats::run(arguments),
        Command::Why(arguments) => cmd::why::run(arguments),
        Command::Audit(arguments) => cmd::audit::run(arguments, &given),
        Command::Schema(arguments) => cmd::schema::run(arguments),
        Command::Completions(arguments) => cmd::completions::run(arguments, &mut self::Arguments::command()),
        Command::Man(arguments) => cmd::man::run(arguments, self::Arguments::command()),
    }
}

/// The libraries for Parquet and PDF panic on some damaged files. The library of refrain turns that into a failure of the file, so
/// the report of the panic itself would only frighten.
pub fn keep_quiet_about_damaged_files() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !refrain::source::is_guarded() {
            report(panic);
        }
    }));
}
