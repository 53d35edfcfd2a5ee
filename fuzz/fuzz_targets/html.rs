#![no_main]

use refrain::Document;
use refrain::extract::{JusText, segment};
use refrain::pass::LocalPass;

libfuzzer_sys::fuzz_target!(|html: &str| {
    let page = segment(html);
    let blocks: Vec<&str> = page.blocks.iter().map(|block| block.span.of(&page.text)).collect();
    assert_eq!(page.text, blocks.join("\n\n"), "all text is in blocks");
    for language in [None, Some("en")] {
        let mut document = Document {
            text: page.text.clone(),
            blocks: page.blocks.clone(),
            language: language.map(str::to_owned),
            ..Document::default()
        };
        refrain_fuzz::check_document(&document);
        JusText::default().mark(&mut document);
        refrain_fuzz::check_document(&document);
    }
});
