//! Messages of the library as the command line prints them: options are flags.

use refrain::Failure;

/// An option as a flag, with its value where there is one.
fn flag(option: &str, value: Option<&str>) -> String {
    let flag = match option {
        "output" => "-o".to_owned(),
        // The list of names is written to the file that this flag names.
        "key" => "--anonymous".to_owned(),
        option => format!("--{}", option.replace('_', "-")),
    };
    value.map_or_else(|| flag.clone(), |value| format!("{flag} {value}"))
}

/// An error with its causes.
pub(crate) fn error(error: &anyhow::Error) -> String {
    causes(error).join(": ")
}

/// The messages of an error and its causes, the outermost first.
pub(crate) fn causes(error: &anyhow::Error) -> Vec<String> {
    let spelled = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<refrain::Error>() {
        Some(error) => error.spelled(flag),
        None => cause.to_string(),
    };
    error.chain().map(spelled).collect()
}

/// A failure on one line.
pub(crate) fn failure(failure: &Failure) -> String {
    failure.spelled(flag)
}
