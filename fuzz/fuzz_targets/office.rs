#![no_main]
//! The first byte chooses a format, the rest is a file of it.

use refrain::source::InputFormat;

const FORMATS: [InputFormat; 8] = [
    InputFormat::Docx,
    InputFormat::Odt,
    InputFormat::Pdf,
    InputFormat::Epub,
    InputFormat::Rtf,
    InputFormat::Tei,
    InputFormat::Alto,
    InputFormat::Hocr,
];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((&choice, bytes)) = input.split_first() {
        refrain_fuzz::read(bytes, "input", Some(FORMATS[usize::from(choice) % FORMATS.len()]));
    }
});
