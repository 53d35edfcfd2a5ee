#![no_main]
//! Pages between line feeds: a template is learned from them, and laid on each. All of it is opened as saved templates and as a
//! wrapper, too.

use refrain::Position;
use refrain::template::{PageSample, TemplateMatch, TemplatePage, Templates, Wrapper, normalised_ranges};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let pages: Vec<&str> = text.split('\n').collect();
    let mut sample = PageSample::default();
    for (record, page) in (0..).zip(&pages) {
        sample.observe(TemplatePage { position: Position { input: 0, record }, key: "", text: page });
    }
    let (templates, wrappers) = sample.conclude_with_wrappers();
    let saved = templates.to_bytes().expect("templates can be saved");
    let read = Templates::from_bytes(&saved).expect("what was saved can be read");
    for page in &pages {
        let found = templates.find("", page);
        assert_eq!(found, read.find("", page), "saved templates find the same");
        if let TemplateMatch::Page(_, fit) = found {
            let mut last = 0;
            for span in &fit.content {
                assert!(
                    page.get(span.start..span.end).is_some() && span.start >= last,
                    "content lies in the page, in order"
                );
                last = span.end;
            }
            assert_eq!(normalised_ranges(page, &fit.content).len(), fit.content.len());
        }
        for wrapper in &wrappers {
            assert_eq!(wrapper.extract(page).len(), wrapper.fields.len());
        }
    }
    let _ = Templates::from_bytes(input).map(|templates| templates.find("", &text));
    let _ = Wrapper::from_bytes(input);
});
