//! The command line of refrain.

mod arguments;
mod cmd;
mod config;
mod exit;
mod maintenance;
mod messages;
#[cfg(test)]
mod options_page;
mod progress;
mod strip_method;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use arguments::Given;
use exit::Exit;

/// Documents are made by one thread and dropped by another: this costs much less time with it. See `.cargo/config.toml`.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

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

fn main() -> std::process::ExitCode {
    keep_quiet_about_damaged_files();
    let line = match config::with_recipe(std::env::args_os()) {
        Ok(line) => line,
        Err(error) => return Exit::of_error(&error).into(),
    };
    let matches = Arguments::command().get_matches_from(line);
    let given = matches.subcommand().map(|(_, verb)| Given::of(verb)).unwrap_or_default();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match arguments.command {
        Command::Corpus(arguments) => cmd::corpus::run(&arguments, &given),
        Command::Extract(arguments) => cmd::extract::run(&arguments, &given),
        Command::Convert(arguments) => cmd::convert::run(&arguments, &given),
        Command::Decode(arguments) => cmd::decode::run(&arguments, &given),
        Command::Dedup(arguments) => cmd::dedup::run(&arguments, &given),
        Command::Decontaminate(arguments) => cmd::decontaminate::run(&arguments, &given),
        Command::Quality(arguments) => cmd::quality::run(&arguments),
        Command::Strip(arguments) => cmd::strip::run(&arguments, &given),
        Command::Template(arguments) => cmd::template::run(&arguments, &given),
        Command::Compare(arguments) => cmd::compare::run(&arguments, &given),
        Command::Library(arguments) => cmd::library::run(&arguments),
        Command::Editions(arguments) => cmd::editions::run(&arguments, &given),
        Command::List(arguments) => cmd::list::run(&arguments),
        Command::Stats(arguments) => cmd::stats::run(&arguments),
        Command::Why(arguments) => cmd::why::run(&arguments),
        Command::Audit(arguments) => cmd::audit::run(&arguments, &given),
        Command::Schema(arguments) => cmd::schema::run(&arguments),
        Command::Completions(arguments) => cmd::completions::run(&arguments, &mut self::Arguments::command()),
        Command::Man(arguments) => cmd::man::run(&arguments, self::Arguments::command()),
    };
    result.unwrap_or_else(|error| Exit::of_error(&error)).into()
}

/// The libraries for Parquet and PDF panic on some damaged files. The library of refrain turns that into a failure of the file, so
/// the report of the panic itself would only frighten.
fn keep_quiet_about_damaged_files() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !refrain::source::is_guarded() {
            report(panic);
        }
    }));
}
