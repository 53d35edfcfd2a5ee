#![no_main]
//! The first byte chooses a name, the rest is the content: what it is, is for refrain to tell.

const NAMES: [&str; 8] =
    ["input", "page.html", "text.txt", "rows.jsonl", "rows.jsonl.gz", "words.vert", "crawl.warc.gz", "picture.png"];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    if let Some((&choice, bytes)) = input.split_first() {
        refrain_fuzz::read(bytes, NAMES[usize::from(choice) % NAMES.len()], None);
    }
});
