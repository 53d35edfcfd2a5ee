#![no_main]
//! The first byte chooses the options, the rest is a page. What is found does not depend on the pages before.

use refrain::Document;
use refrain::extract::{
    ExtractMethod, ExtractOptions, ExtractProfile, Extractor, MarkdownOptions, Metadata, RecordOptions, Workspace,
    markdown, tei,
};
use refrain::text::Offsets;

const URL: Option<&str> = Some("https://lighthouse.example/2021/05/lens.html");

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let is = |bit: u8| choice >> bit & 1 == 1;
    let html = String::from_utf8_lossy(bytes);
    let mut workspace = Workspace::default();
    for (_, method) in ExtractMethod::ALL {
        let extractor = Extractor::new(ExtractOptions {
            method,
            profile: if is(0) { ExtractProfile::KrdWrd } else { ExtractProfile::CleanEval },
            comments: is(1),
            language: is(2).then(|| "en".to_owned()),
        });
        let made = make(&extractor, &html, is(3), &mut workspace);
        // Once more where another page has been, and once more where none has.
        make(&extractor, "<ul><li>Home<li>About</ul><p>The lamp is lit.", is(3), &mut workspace);
        assert_eq!(make(&extractor, &html, is(3), &mut workspace), made, "the page before makes no difference");
        assert_eq!(
            make(&extractor, &html, is(3), &mut Workspace::default()),
            made,
            "the workspace makes no difference"
        );
    }
    refrain_fuzz::check_extracted(&Extractor::plain(&html, &mut workspace));
});

/// All that can be made of a page.
fn make(extractor: &Extractor, html: &str, whole: bool, workspace: &mut Workspace) -> [String; 5] {
    let found = extractor.extract(html, None, workspace);
    refrain_fuzz::check_extracted(&found);
    let method = extractor.options().method;
    let mut blocks = found.page.blocks.clone();
    if matches!(method, ExtractMethod::JusText(_)) {
        // As published, white space at both ends of a link counts, also where it is not shown.
        blocks.iter_mut().for_each(|block| block.link_chars = 0);
    }
    let mut document = Document::default();
    document.set_text_and_blocks(found.page.text.clone(), blocks);
    document.marks = found.marks(method);
    refrain_fuzz::check_document(&document);
    let metadata = Metadata::of(html, found.page, URL);
    let keep = |block: usize| whole || found.keeps(block);
    let options = MarkdownOptions { links: !whole, tables: !whole, ..MarkdownOptions::default() };
    let record = RecordOptions { keep_marked: whole, offsets: if whole { Offsets::Bytes } else { Offsets::Chars } };
    let explanation = found.explanation(html);
    assert_eq!(explanation.len(), found.page.blocks.len(), "an explanation for each block");
    [
        found.text(),
        markdown(html, found.page, &keep, &options),
        tei(html, found.page, &metadata, "id", &keep),
        debug(&found.record(&metadata, record)),
        explanation.iter().map(debug).collect(),
    ]
}

fn debug(fields: &impl std::fmt::Debug) -> String {
    format!("{fields:?}")
}
