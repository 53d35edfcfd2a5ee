#![no_main]

use refrain::source::InputFormat;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| refrain_fuzz::read(bytes, "input", Some(InputFormat::Mediawiki)));
