//! Laws that hold for any input.

use std::ops::ControlFlow;

use proptest::prelude::*;
use refrain::decode::{Hints, decode};
use refrain::extract::{JusText, segment};
use refrain::source::{Collection, InputFiles, ReadOptions};
use refrain::text::tokens;
use refrain::write::{Compression, Format, Sink, WriteOptions, open};
use refrain::{Document, Label, Mark, Position, Reason, Span};

/// HTML as the worst of authors would write it.
fn html() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Zäöü ,.]{0,40}",
        "</?(p|div|a|li|ul|td|tr|table|h1|h2|br|select|option|pre|b|script|style|svg|title|head|body|template)( [a-z]+=\"[^\"<]{0,5}\")?/?>",
        Just("<!-- x".to_owned()),
        Just("-->".to_owned()),
        Just("&amp; &nbsp; &#x41; &bogus;".to_owned()),
        "<{0,2}[\\x00-\\x7f]{0,3}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Blocks lie in order inside the text, on character boundaries, and cover all of it but the breaks between them.
    #[test]
    fn blocks_tile_the_text(html in html()) {
        let page = segment(&html);
        let mut at = 0;
        for block in &page.blocks {
            prop_assert_eq!(&page.text[at..block.span.start], if at == 0 { "" } else { "\n\n" });
            prop_assert!(!block.span.of(&page.text).trim().is_empty());
            prop_assert!(block.link_chars as usize <= block.span.of(&page.text).chars().count());
            at = block.span.end;
        }
        prop_assert_eq!(at, page.text.len());
    }

    /// What is kept and what is removed make up all words of the text.
    #[test]
    fn no_word_is_lost(html in html()) {
        let page = segment(&html);
        let mut document = Document::default();
        document.set_text_and_blocks(page.text, page.blocks);
        JusText::default().mark(&mut document);
        let removed: usize = document.marks.iter().map(|m| m.span.of(document.text()).split_whitespace().count()).sum();
        let kept = document.kept().split_whitespace().count();
        prop_assert_eq!(kept + removed, document.text().split_whitespace().count());
    }

    /// Marks anywhere: what is kept is made of the unmarked characters, in order.
    #[test]
    fn kept_text_is_the_unmarked_text(text in "[a-zä \n]{0,60}", cuts in proptest::collection::vec((0..60_usize, 0..20_usize), 0..5)) {
        let mut document = Document::from_text("d", text.clone());
        let boundary = |at: usize| (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        for (start, length) in cuts {
            let span = Span::new(boundary(start), boundary(start + length));
            document.marks.push(Mark { span, label: Label::Duplicate, pass: "test".into(), reason: Reason::Stated(String::new()) });
        }
        let marked = |at: usize| document.marks.iter().any(|m| m.span.start <= at && at < m.span.end);
        let expected: String = text.char_indices().filter(|&(at, c)| !marked(at) && !c.is_whitespace()).map(|(_, c)| c).collect();
        let kept: String = document.kept().chars().filter(|c| !c.is_whitespace()).collect();
        prop_assert_eq!(kept, expected.clone());
        prop_assert_eq!(document.is_removed(), expected.is_empty());
    }

    /// Any bytes decode or are refused, and valid UTF-8 text comes back as it was.
    #[test]
    fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(decoded) = decode(bytes.clone(), Hints::default())
            && decoded.encoding == "UTF-8" && decoded.nuls.is_none() && decoded.losses == 0
        {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            prop_assert_eq!(decoded.text.as_bytes(), bytes);
        }
    }

    /// Tokens and their glue give the words back.
    #[test]
    fn tokens_make_up_the_text(text in "\\PC{0,60}") {
        let mut back = String::new();
        for token in tokens(&text) {
            if !token.glued && !back.is_empty() {
                back.push(' ');
            }
            back.push_str(token.text);
        }
        prop_assert_eq!(back, text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
}

proptest! {
    // Files are synced when they are finished, which takes its time.
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// What a format writes, its source reads: id, text and fields.
    #[test]
    fn written_documents_are_read_back(
        texts in proptest::collection::vec("[a-z<>&\"' .,é漢]{1,30}(\n\n[a-zB-D<&;]{1,20})?", 1..5),
        title in "[a-z<>&\"=]{1,12}",
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        for format in [Format::Jsonl, Format::Parquet, Format::Vertical] {
            let path = folder.path().join(format!("x.{}", format.extension()));
            let mut writer = open(Sink::file(&path).expect("a file"), format, Compression::None, WriteOptions::default()).expect("a writer");
            for (i, text) in texts.iter().enumerate() {
                let mut document = Document::from_text(format!("id \"{i}\" <&>"), text.clone());
                document.meta.insert("title".into(), title.clone().into());
                writer.write(&document).expect("written");
            }
            writer.finish().expect("finished");
            let (inputs, _) = InputFiles::expand([path.to_string_lossy()]);
            let mut read = Vec::new();
            let _ = Collection::new(inputs, ReadOptions::default()).read(Position::default(), &mut |_, item| {
                let refrain::source::Item::Document(raw) = item else { panic!("{item:?}") };
                let refrain::source::Body::Text(text) = &raw.body else { panic!("no text") };
                assert_eq!(raw.meta["title"], title.as_str());
                read.push((raw.id.clone(), words_by_paragraph(text)));
                ControlFlow::Continue(())
            });
            let wanted: Vec<_> = texts.iter().enumerate().map(|(i, text)| (format!("id \"{i}\" <&>"), words_by_paragraph(text))).collect();
            prop_assert_eq!(&read, &wanted, "{}", format.name());
        }
    }
}

/// Vertical files keep words and paragraphs, not the width of white space.
fn words_by_paragraph(text: &str) -> Vec<Vec<String>> {
    let words = |span: Span| span.of(text).split_whitespace().map(str::to_owned).collect();
    refrain::text::paragraphs(text).map(words).collect()
}
