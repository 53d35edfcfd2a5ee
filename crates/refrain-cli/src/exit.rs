//! Exit codes.

use std::ffi::OsString;

use refrain::text::legible;

use crate::arguments::print_message;
use crate::messages;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Done,
    /// Done, but some inputs failed, or all that there was to work with did; they were listed.
    SomeFailed,
    /// Could not run.
    CouldNotRun,
    /// Not completed, because more would be lost than the user accepts.
    Alarm,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl Exit {
    /// Prints the error of a command line and chooses its exit code. A closed pipe is not an error: its reader has seen enough.
    pub(crate) fn of_error(error: &anyhow::Error, line: Vec<OsString>) -> Exit {
        for cause in error.chain() {
            let closed = match (cause.downcast_ref::<refrain::Error>(), cause.downcast_ref::<std::io::Error>()) {
                (Some(error), _) if error.is_interrupted() => return Exit::Interrupted,
                (Some(alarm), _) if alarm.is_alarm() => {
                    print_message(&format!("alarm: {}:\n  {}", messages::error(error), accepting(line.into_iter())));
                    return Exit::Alarm;
                }
                (Some(refrain::Error::Unusable { .. }), _) => {
                    print_message(&format!("failed: {}", messages::error(error)));
                    return Exit::SomeFailed;
                }
                (Some(error), _) => error.is_closed_pipe(),
                (_, Some(error)) => error.kind() == std::io::ErrorKind::BrokenPipe,
                _ => false,
            };
            if closed {
                return Exit::Done;
            }
        }
        print_message(&format!("error: {}", messages::error(error)));
        Exit::CouldNotRun
    }

    /// The exit code of the program.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::SomeFailed => 1,
            Exit::CouldNotRun => 2,
            Exit::Alarm => 3,
            Exit::Interrupted => 130,
        }
    }

    /// The code for a run that met this many failures.
    pub(crate) fn of_failures(failures: u64) -> Exit {
        if failures == 0 { Exit::Done } else { Exit::SomeFailed }
    }
}

/// The command line that accepts what raised an alarm, for a shell: the given one, with `--alarm off`.
fn accepting(given: impl Iterator<Item = OsString>) -> String {
    let mut words: Vec<String> = Vec::new();
    let (mut skips, mut at) = (false, None);
    for argument in given {
        let argument = argument.to_string_lossy();
        match &*argument {
            _ if std::mem::take(&mut skips) => {}
            "--" if at.is_none() => {
                at = Some(words.len());
                words.push(argument.into_owned());
            }
            "--alarm" if at.is_none() => skips = true,
            value if at.is_none() && value.starts_with("--alarm=") => {}
            _ => words.push(quoted(&argument)),
        }
    }
    words.insert(at.unwrap_or(words.len()), "--alarm off".to_owned());
    words.join(" ")
}

/// A word of a command line that a shell reads back as it is. Control characters are not shown.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", legible(&word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_accepted_by_a_command_that_a_shell_can_run() {
        let accepted = |line: &[&str]| accepting(line.iter().map(OsString::from));
        assert_eq!(
            accepted(&["refrain", "dedup", "my docs/it's.jsonl", "--alarm", "30%", "-o", "clean/"]),
            r"refrain dedup 'my docs/it'\''s.jsonl' -o clean/ --alarm off"
        );
        assert_eq!(
            accepted(&["refrain", "corpus", "--alarm=.3", "--", "--alarm"]),
            "refrain corpus --alarm off -- --alarm"
        );
        assert_eq!(accepted(&["refrain", "corpus", "a*", ""]), "refrain corpus 'a*' '' --alarm off");
    }
}
