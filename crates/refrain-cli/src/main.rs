//! The program `refrain`.

use std::process::ExitCode;

/// Documents are made by one thread and dropped by another: this costs much less time with it. See `.cargo/config.toml`.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    ExitCode::from(refrain_cli::run(std::env::args_os().collect()))
}
