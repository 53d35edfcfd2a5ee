//! Exit codes.

use std::process::ExitCode;

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
    /// Prints the error and chooses its exit code. A closed pipe is not an error: its reader has seen enough.
    pub(crate) fn of_error(error: &anyhow::Error) -> Exit {
        for cause in error.chain() {
            let closed = match (cause.downcast_ref::<refrain::Error>(), cause.downcast_ref::<std::io::Error>()) {
                (Some(error), _) if error.is_interrupted() => return Exit::Interrupted,
                (Some(alarm), _) if alarm.is_alarm() => {
                    print_message(&format!("alarm: {}", messages::error(error)));
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

    /// The code for a run that met this many failures.
    pub(crate) fn of_failures(failures: u64) -> Exit {
        if failures == 0 { Exit::Done } else { Exit::SomeFailed }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::SomeFailed => 1,
            Exit::CouldNotRun => 2,
            Exit::Alarm => 3,
            Exit::Interrupted => 130,
        })
    }
}
