#![no_main]

use refrain::Document;
use refrain::extract::segment;

libfuzzer_sys::fuzz_target!(|html: &str| {
    let page = segment(html);
    let blocks: Vec<&str> = page.blocks.iter().map(|block| block.span.of(&page.text)).collect();
    assert_eq!(page.text, blocks.join("\n\n"), "all text is in blocks");
    let mut document = Document::default();
    document.set_text_and_blocks(page.text.clone(), page.blocks.clone());
    refrain_fuzz::check_document(&document);
});
