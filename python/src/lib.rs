//! The compiled module of the Python package. Its functions take and return plain values; the package `refrain` gives them their
//! names, defaults and types.

mod errors;
mod jobs;
mod page;
mod read;
mod rows;
mod run;
mod source;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line in this process, and returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    py.detach(|| refrain_cli::run(line))
}

#[pymodule(gil_used = false)]
fn _refrain(module: &Bound<'_, PyModule>) -> PyResult<()> {
    refrain_cli::keep_quiet_about_damaged_files();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<source::Source>()?;
    module.add_class::<run::Outcome>()?;
    module.add_class::<rows::Batches>()?;
    module.add_class::<read::Reading>()?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::defaults, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::methods, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::library_sources, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::library_change, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::statistics, module)?)?;
    module.add_function(wrap_pyfunction!(page::extract, module)?)?;
    module.add_function(wrap_pyfunction!(page::decode, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)
}
