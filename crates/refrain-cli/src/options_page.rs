//! The page of the guide that lists which verb has which option, made from the command line itself.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory};

const INTRODUCTION: &str = "# Find the options of every verb

This page shows which verbs have which options. Below each table, a list describes the options that several verbs share.
Where verbs describe an option differently, each has its own line. `refrain VERB --help` describes all options of a verb.

A test makes this page from the command line. To update it, run
`REFRAIN_GOLDENS=write cargo nextest run -p refrain-cli the_page_of_options_is_up_to_date`.

Most verbs write a folder to `-o name/` and a file to `-o name.ext`. The output of `corpus` is always a folder, also for `-o name`.

`corpus` has no `--removed`, `--errors`, `--report` and `--temporary`, because its folder holds all of these:
[`removed/`](../formats.md#removed), `errors.jsonl`, `stats.json`, `manifest.json`, and temporary files in `work/` during the run.
";

/// An option with the verbs that have it, and how each describes it.
struct Row {
    name: String,
    heading: String,
    verbs: Vec<(String, String)>,
}

#[test]
fn the_page_of_options_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/options.md");
    let page = page(&crate::Arguments::command());
    if std::env::var_os("REFRAIN_GOLDENS").is_some_and(|value| value == "write") {
        std::fs::write(&path, &page).expect("the page");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/guide/options.md is out of date: run the test again with REFRAIN_GOLDENS=write and review the diff"
    );
}

fn page(command: &Command) -> String {
    let mut rows = Vec::new();
    collect(command, "", &mut rows);
    let mut headings: Vec<&str> = Vec::new();
    for row in &rows {
        if !headings.contains(&row.heading.as_str()) {
            headings.push(&row.heading);
        }
    }
    let mut page = INTRODUCTION.to_owned();
    for heading in headings {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.heading == heading).collect();
        write!(page, "\n## {heading}\n\n{}", table(&verbs(command, ""), &rows)).expect("in memory");
        let shared: Vec<String> = rows.iter().filter(|row| row.verbs.len() > 1).map(|row| meaning(row)).collect();
        if !shared.is_empty() {
            write!(page, "\n{}", shared.concat()).expect("in memory");
        }
    }
    page
}

/// The verbs that do work, by their full names: `corpus`, `library add`.
fn verbs(command: &Command, above: &str) -> Vec<String> {
    let below = command.get_subcommands().flat_map(|verb| match verb.has_subcommands() {
        true => verbs(verb, &format!("{}{} ", above, verb.get_name())),
        false => vec![format!("{above}{}", verb.get_name())],
    });
    below.collect()
}

/// Adds the options of all verbs below a command.
fn collect(command: &Command, above: &str, rows: &mut Vec<Row>) {
    for verb in command.get_subcommands() {
        let name = format!("{above}{}", verb.get_name());
        collect(verb, &format!("{name} "), rows);
        for option in verb.get_arguments().filter(|option| !option.is_positional() && !option.is_hide_set()) {
            let Some(long) = option.get_long() else { continue };
            let shown = option.get_short().map_or(format!("--{long}"), |short| format!("-{short}, --{long}"));
            let heading = option.get_help_heading().unwrap_or("Output");
            let entry = (name.clone(), described(option));
            match rows.iter_mut().find(|row| row.name == shown) {
                Some(row) => {
                    if row.heading != heading {
                        // Verbs name their methods by what they do: main content, encoding, comparison.
                        "Method".clone_into(&mut row.heading);
                    }
                    row.verbs.push(entry);
                }
                None => rows.push(Row { name: shown, heading: heading.to_owned(), verbs: vec![entry] }),
            }
        }
    }
}

fn described(option: &Arg) -> String {
    option.get_help().map(ToString::to_string).unwrap_or_default()
}

/// A table with a dot where a verb has an option. Verbs that have none of the options get no column.
fn table(verbs: &[String], rows: &[&Row]) -> String {
    let has = |row: &Row, verb: &String| row.verbs.iter().any(|(name, _)| name == verb);
    let verbs: Vec<&String> = verbs.iter().filter(|verb| rows.iter().any(|row| has(row, verb))).collect();
    let mut table = "| |".to_owned();
    for verb in &verbs {
        write!(table, " {verb} |").expect("in memory");
    }
    write!(table, "\n|---|{}\n", ":-:|".repeat(verbs.len())).expect("in memory");
    for row in rows {
        let cells: String = verbs.iter().map(|verb| if has(row, verb) { " • |" } else { " |" }).collect();
        writeln!(table, "| `{}` |{cells}", row.name).expect("in memory");
    }
    table
}

/// What an option means: once if all verbs say the same, else by verb.
fn meaning(Row { name, verbs, .. }: &Row) -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for (verb, text) in verbs {
        match texts.iter_mut().find(|(known, _)| known == text) {
            Some((_, verbs)) => verbs.push(verb),
            None => texts.push((text, vec![verb])),
        }
    }
    match texts.as_slice() {
        [(text, _)] => format!("- `{name}`: {text}.\n"),
        texts => texts.iter().fold(format!("- `{name}`:\n"), |list, (text, verbs)| {
            list + &format!("  - {}: {text}.\n", verbs.join(", "))
        }),
    }
}
