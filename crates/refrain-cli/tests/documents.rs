//! Documents as people hand them in: DOCX, ODT, PDF, EPUB, RTF; encrypted, damaged and scanned ones.

mod common;

use common::{Env, GOOD, cut, gzip, handed_in, noise, reader_file, sample, tar, text_of, warc_record, zip};
use serde_json::{Value, json};

const TITLE: &str = "The keeper's year";
const FIRST: &str = "The lamp at Skerrow Head was lit at dusk and burned until the morning, when the keeper climbed the \
    stairs once more, trimmed the wick and drew the curtains around the lens.";
/// The deleted word is "three".
const CHANGED: &str = "The log says that four boats went out that night.";
const HEADING: &str = "The harbour";
const SECOND: &str = "In the harbour café the fishermen from Évreux-sur-Mer spoke of naïve visitors, “quite lost”, who \
    asked for the first ferry of the day and found the office closed until noon.";
const ITEMS: [&str; 3] = ["Oil for the lamp", "Wicks, cut to length", "Chamois leather"];
const TABLE: &str = "Month\tNights lit\tOil used\nJanuary\t31\t120 l\nJune\t30\t64 l";
const LAST: &str = "Nobody has counted the gulls.";
const FOOTNOTE: &str = "The stairs have one hundred and ninety-six steps.";
const ENDNOTE: &str = "The log is kept in the office of the harbour.";

/// The whole essay, with notes at its end.
fn essay() -> String {
    let parts = [TITLE, FIRST, CHANGED, HEADING, SECOND, ITEMS[0], ITEMS[1], ITEMS[2], TABLE, LAST, FOOTNOTE, ENDNOTE];
    parts.join("\n\n")
}

fn document(name: &str) -> String {
    sample(&format!("documents/{name}"))
}

/// The only document that a sample becomes.
fn convert(name: &str) -> Value {
    let converted = Env::new().convert(&[&document(name)]);
    assert_eq!((converted.outcome.code, converted.documents.len()), (0, 1), "{name}: {converted:?}");
    converted.documents[0].clone()
}

#[track_caller]
fn assert_about(found: &Value) {
    assert_eq!(
        (&found["title"], &found["author"], &found["language"]),
        (&json!(TITLE), &json!("Ida Fennick"), &json!("en"))
    );
}

#[test]
fn docx_comes_with_tables_and_notes_and_without_what_was_deleted() {
    let found = convert("keeper.docx");
    assert_eq!(text_of(&found), essay());
    assert_about(&found);
}

#[test]
fn odt_comes_with_tables_and_notes_and_without_what_was_deleted() {
    let found = convert("keeper.odt");
    assert_eq!(text_of(&found), essay());
    assert_about(&found);
}

#[test]
fn epub_comes_in_the_order_of_reading() {
    let found = convert("keeper.epub");
    let expected = [TITLE, FIRST, CHANGED, HEADING, SECOND, ITEMS[0], ITEMS[1], ITEMS[2], LAST].join("\n\n");
    assert_eq!(text_of(&found), expected);
    assert_about(&found);
}

#[test]
fn pdf_comes_in_paragraphs_and_says_where_its_pages_begin() {
    for name in ["keeper.pdf", "restricted.pdf"] {
        let found = convert(name);
        let page_one = [TITLE, FIRST, CHANGED].join("\n\n");
        let items = ITEMS.map(|item| format!("• {item}")).join("\n\n");
        let page_two = [HEADING, SECOND, &items, TABLE, LAST].join("\n\n");
        assert_eq!(text_of(&found), format!("{page_one}\n\n{page_two}"), "{name}");
        assert_eq!(found["pages"], json!([0, page_one.chars().count() + 2]), "{name}");
        assert_about(&found);
    }
}

#[test]
fn rtf_of_a_word_processor_is_read_like_its_docx() {
    let found = convert("keeper.rtf");
    assert_eq!(text_of(&found), essay());
    assert_eq!((&found["title"], &found["author"]), (&json!(TITLE), &json!("Ida Fennick")));
}

#[test]
fn pdf_of_a_word_processor_is_read() {
    // LibreOffice prints both forms of what was changed, and the marks of notes.
    let found = convert("writer.pdf");
    let expected = essay().replace("four", "threefour").replace("lens.", "lens.1").replace("noon.", "noon.i");
    let expected = expected.replace(FOOTNOTE, &format!("1 {FOOTNOTE}")).replace(ENDNOTE, &format!("i {ENDNOTE}"));
    let expected = ITEMS.iter().fold(expected, |text, item| text.replace(item, &format!("• {item}")));
    assert_eq!(text_of(&found), expected);
    assert_eq!(found["pages"].as_array().map(Vec::len), Some(2));
}

#[test]
fn documents_are_recognised_in_any_input() {
    let env = Env::new();
    let names = ["keeper.docx", "keeper.epub", "keeper.odt", "keeper.pdf", "keeper.rtf"];
    let contents = names.map(handed_in);
    let members: Vec<(&str, &[u8])> = names.iter().copied().zip(contents.iter().map(Vec::as_slice)).collect();
    for (name, content) in [
        ("submissions.zip", zip(&members, true)),
        ("submissions.tar.gz", gzip(&tar(&members))),
        ("nested.zip", zip(&[("week-1.zip", &zip(&members, false))], true)),
    ] {
        env.write(name, content);
        let converted = env.convert(&[name]);
        assert_eq!((converted.outcome.code, converted.documents.len()), (0, names.len()), "{name}: {converted:?}");
        for found in &converted.documents {
            assert!(text_of(found).contains(FIRST) && text_of(found).contains(SECOND), "{name}: {found}");
            assert!(!text_of(found).contains("three"), "{name}: {found}");
        }
    }
    // By content, not by name; packed; and through a pipe.
    env.write("folder/essay", handed_in("keeper.docx"));
    env.write("folder/paper.txt", gzip(&handed_in("keeper.pdf")));
    assert_eq!(env.convert(&["folder"]).documents.len(), 2);
    let outcome = env.run_fed(&["convert", "-", "--format", "text"], &handed_in("keeper.odt"));
    assert_eq!((outcome.code, String::from_utf8_lossy(&outcome.stdout).trim_end()), (0, essay().as_str()));
}

#[test]
fn documents_are_listed_with_their_size() {
    let env = Env::new();
    let content = handed_in("keeper.docx");
    env.write("essay.docx", &content);
    let listed = env.run(&["list", "essay.docx"]).code(0);
    let expected = format!("document\t{}\tessay.docx\tessay.docx #1\n", content.len());
    assert_eq!(String::from_utf8_lossy(&listed.stdout), expected);
}

#[test]
fn a_format_can_be_named() {
    let env = Env::with_good_document();
    for format in ["docx", "odt", "epub", "pdf", "rtf"] {
        let name = document(&format!("keeper.{format}"));
        assert!(env.only_text(&[&name, "--input-format", format]).contains(FIRST), "{format}");
        let converted = env.convert(&["good.txt", "--input-format", format]);
        assert_eq!((converted.documents.len(), converted.failures.len()), (0, 1), "{format}: {converted:?}");
    }
    // Who asks for an archive gets its members.
    let converted = env.convert(&[&document("keeper.odt"), "--input-format", "zip"]);
    assert!(converted.documents.len() > 3, "{converted:?}");
}

#[test]
fn encrypted_documents_say_so() {
    let env = Env::with_good_document();
    for name in ["encrypted.pdf", "encrypted.docx"] {
        env.write(name, handed_in(name));
        env.convert(&[name, "good.txt"]).good_is_kept_with_one_failure(name, &["encrypted", "without a password"]);
    }
    // Inside of an archive, too.
    env.write("all.zip", zip(&[("a.docx", &handed_in("encrypted.docx")), ("b.txt", GOOD.as_bytes())], true));
    let converted = env.convert(&["all.zip"]);
    let failure = converted.good_is_kept_with_one_failure("all.zip", &["encrypted"]);
    assert_eq!(failure["member"], "a.docx");
}

#[test]
fn pictures_of_pages_are_no_text() {
    let env = Env::with_good_document();
    env.write("scan.pdf", handed_in("scan.pdf"));
    let converted = env.convert(&["scan.pdf", "good.txt"]);
    converted.good_is_kept_with_one_failure("scan.pdf", &["images of pages", "ocrmypdf"]);
}

#[test]
fn documents_of_old_word_are_named_with_a_way_out() {
    let env = Env::new();
    env.write("all/essay.doc", handed_in("keeper.doc"));
    env.write("all/good.txt", GOOD);
    let converted = env.convert(&["all"]);
    converted.good_is_kept_with_one_failure("all/essay.doc", &[".doc", "save it as DOCX"]);
}

#[test]
fn damaged_documents_say_which_part() {
    let env = Env::with_good_document();
    for format in ["docx", "odt", "epub"] {
        let name = format!("cut.{format}");
        env.write(&name, cut(&format!("keeper.{format}"), 60));
        let converted = env.convert(&[&name, "good.txt"]);
        converted.good_is_kept_with_one_failure(&name, &["damaged", &format.to_uppercase(), "list of parts"]);
    }
    env.write("cut.pdf", cut("keeper.pdf", 2));
    env.convert(&["cut.pdf", "good.txt"]).good_is_kept_with_one_failure("cut.pdf", &["damaged PDF file"]);
    env.write("noise.pdf", [&b"%PDF-1.4\n"[..], &noise(3000)].concat());
    env.convert(&["noise.pdf", "good.txt"]).good_is_kept_with_one_failure("noise.pdf", &["damaged PDF file"]);

    let content_types: &[u8] = b"<Types/>";
    let members: [(&str, &[u8]); 2] =
        [("[Content_Types].xml", content_types), ("word/document.xml", b"<w:p><w:t>x</w:p>")];
    env.write("bad.docx", zip(&members, true));
    let converted = env.convert(&["bad.docx", "good.txt"]);
    converted.good_is_kept_with_one_failure("bad.docx", &["damaged DOCX file", "word/document.xml", "byte"]);
}

#[test]
fn a_cut_off_rtf_is_used_and_reported() {
    let env = Env::new();
    env.write("cut.rtf", r"{\rtf1\ansi The lamp is lit.\par And th");
    let converted = env.convert(&["cut.rtf"]);
    assert_eq!(converted.texts(), ["The lamp is lit.\n\nAnd th"]);
    assert!(
        converted.failures[0]["error"].as_str().is_some_and(|error| error.starts_with("truncated")),
        "{converted:?}"
    );
}

#[test]
fn documents_that_expand_beyond_the_limit_fail() {
    let env = Env::with_good_document();
    let body = format!("<w:document><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:document>", "lamp ".repeat(1 << 20));
    let members: [(&str, &[u8]); 2] = [("[Content_Types].xml", b"<Types/>"), ("word/document.xml", body.as_bytes())];
    env.write("bomb.docx", zip(&members, true));
    let converted = env.convert(&["bomb.docx", "good.txt", "--max-document", "1M"]);
    converted.good_is_kept_with_one_failure("bomb.docx", &["expands to more than", "--max-document"]);
}

#[test]
fn tables_and_slides_in_folders_are_skipped() {
    let env = Env::new();
    let sheet: [(&str, &[u8]); 2] = [("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<x/>")];
    let slides: [(&str, &[u8]); 1] = [("mimetype", b"application/vnd.oasis.opendocument.presentation")];
    env.write("all/sheet.xlsx", zip(&sheet, true));
    env.write("all/slides.odp", zip(&slides, false));
    env.write("all/good.txt", GOOD);
    let listed = env.run(&["list", "all"]).code(0);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("skipped\t-\tOffice document\tall/sheet.xlsx"), "{listed}");
    assert!(listed.contains("skipped\t-\tOpenDocument file\tall/slides.odp"), "{listed}");
    assert_eq!(env.only_text(&["all"]), GOOD);
}

fn response(address: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let header = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n");
    let message = [header.as_bytes(), body].concat();
    warc_record("response", &format!("https://a.example/{address}"), "application/http", &message)
}

#[test]
fn documents_in_crawls_are_read_by_content_and_type() {
    let env = Env::new();
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let records = [
        response("a.pdf", "application/pdf", &handed_in("keeper.pdf")),
        response("a.docx", docx, &handed_in("keeper.docx")),
        response("misnamed", "text/html; charset=utf-8", &handed_in("keeper.odt")),
        response("unnamed", "application/octet-stream", &handed_in("keeper.epub")),
        response("a.rtf", "text/rtf", &handed_in("keeper.rtf")),
        response("gone.pdf", "application/pdf", b"<!doctype html><p>This file has moved.</p>"),
        response("sheet", docx, &zip(&[("[Content_Types].xml", b""), ("xl/workbook.xml", b"")], true)),
        response("scan.pdf", "application/pdf", &handed_in("scan.pdf")),
        response("locked.pdf", "application/pdf", &handed_in("encrypted.pdf")),
        response("cut.docx", docx, &handed_in("keeper.docx")[..900]),
        response("tei", "text/xml", b"<?xml version='1.0'?><TEI><text><p>An edition.</p></text></TEI>"),
        response("feed", "application/xml", b"<?xml version='1.0'?><rss><item>No document.</item></rss>"),
    ];
    env.write("crawl.warc", records.concat());
    let converted = env.convert(&["crawl.warc"]);
    converted
        .outcome
        .code(1)
        .says(&["found 12 items: 7 documents, 3 skipped (1 Office document, 1 content type application/xml, 1 pdf without text), 2 failed"]);
    let names = ["keeper.pdf", "keeper.docx", "keeper.odt", "keeper.epub", "keeper.rtf"];
    for (found, name) in converted.documents.iter().zip(names) {
        let alone = convert(name);
        assert_eq!(
            (&found["text"], &found["title"], &found["pages"]),
            (&alone["text"], &alone["title"], &alone["pages"])
        );
    }
    assert_eq!(converted.documents[0]["content_type"], "application/pdf");
    assert_eq!(converted.documents[0]["url"], "https://a.example/a.pdf");
    assert_eq!(converted.documents[5]["text"], "This file has moved.");
    assert_eq!(converted.documents[6]["text"], "An edition.");
    let errors: Vec<&str> = converted.failures.iter().filter_map(|failure| failure["error"].as_str()).collect();
    assert_eq!(errors[0], "https://a.example/locked.pdf: encrypted PDF file");
    assert!(errors[1].starts_with("https://a.example/cut.docx: damaged DOCX file"), "{errors:?}");
}

#[test]
fn types_of_documents_are_chosen() {
    let env = Env::new();
    env.write("crawl.warc", response("a.pdf", "application/pdf", &handed_in("keeper.pdf")));
    env.write("keeper.odt", handed_in("keeper.odt"));
    env.write("page.htm", "No tag at all.");
    env.write(
        "tagged",
        [b"\xff\xfe".to_vec(), "<p>A page.".encode_utf16().flat_map(u16::to_le_bytes).collect()].concat(),
    );
    env.write("rows.jsonl", "{\"text\": \"One row.\"}\n{\"text\": \"<html><p>A page in a row.\"}\n");
    env.write("note.txt", GOOD);
    let inputs = ["crawl.warc", "keeper.odt", "page.htm", "tagged", "rows.jsonl", "note.txt"];
    let of_types = |types| {
        let mut arguments = vec!["--types", types];
        arguments.extend(inputs);
        let converted = env.convert(&arguments);
        assert_eq!(converted.outcome.code, 0, "{converted:?}");
        converted
            .documents
            .iter()
            .map(|found| found["text"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of_types("html"), ["No tag at all.", "A page.", "A page in a row."]);
    assert_eq!(of_types("text"), ["One row.", GOOD]);
    assert_eq!(of_types("pdf,odt").len(), 2);
    env.run(&["list", "--types", "pdf", "crawl.warc", "note.txt"])
        .code(0)
        .says(&["1 document, 1 skipped (1 type text)"]);
    env.run(&["list", "--types", "warc", "crawl.warc"]).code(2).says(&["invalid value 'warc'"]);
}

/// A PDF of one page with this content, and with these objects from number 5 on. It has no table of objects: that is made
/// good by whoever reads it.
fn small_pdf(content: &str, objects: &[&str]) -> String {
    let mut pdf = format!(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
         3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>\
         /XObject<</X 6 0 R>>>>>>\nendobj\n4 0 obj\n<</Length {}>>\nstream\n{content}\nendstream\nendobj\n",
        content.len()
    );
    for (number, object) in (5..).zip(objects) {
        pdf.push_str(&[&format!("{number} 0 obj\n"), *object, "\nendobj\n"].concat());
    }
    pdf + "trailer\n<</Root 1 0 R/Size 9>>\nstartxref\n0\n%%EOF\n"
}

#[test]
fn hostile_pdfs_are_survived() {
    let env = Env::new();
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    let text = "BT /F 12 Tf 10 100 Td (The lamp is lit.) Tj ET";
    env.write("small.pdf", small_pdf(text, &[font]));
    assert_eq!(env.only_text(&["small.pdf"]), "The lamp is lit.");
    // A form that draws itself, twice each time.
    let form = "<</Type/XObject/Subtype/Form/Length 11>>\nstream\n/X Do /X Do\nendstream";
    env.write("forms.pdf", small_pdf(&format!("{text} /X Do"), &[font, form]));
    assert_eq!(env.only_text(&["forms.pdf"]), "The lamp is lit.");
    // A table that gives four billion codes a character.
    let table = "beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange";
    let wide = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>";
    let table = format!("<</Length {}>>\nstream\n{table}\nendstream", table.len());
    env.write("table.pdf", small_pdf("BT /F 12 Tf 10 100 Td <0001> Tj ET", &[wide, &table]));
    assert_eq!(env.only_text(&["table.pdf"]), "AB");
}

const HEBREW: [&str; 2] = [
    "המנורה בסקרו הד הודלקה עם רדת הלילה ובערה עד הבוקר, ואז עלה השומר שוב במדרגות, גזם את הפתיל וסגר את הווילונות סביב העדשה.",
    "ביומן נכתב כי 4 סירות (שתיים מהן מ־Évreux) יצאו בלילה ההוא בשעה 21:45, ורק 3 חזרו. איש לא ספר את השחפים!",
];
const ARABIC: [&str; 2] = [
    "أضيء المصباح في سكيرو هيد عند الغسق وظل مشتعلاً حتى الصباح، ثم صعد الحارس السلالم مرة أخرى، وقلّم الفتيل وأسدل الستائر حول العدسة.",
    "يقول السجل إن 4 قوارب (اثنان منها من Évreux) خرجت تلك الليلة في الساعة 21:45، ولم يعد إلا 3. لا أحد يحصي النوارس!",
];

#[test]
fn hebrew_and_arabic_pdfs_are_read_from_right_to_left() {
    for (language, text) in [("hebrew", HEBREW), ("arabic", ARABIC)] {
        for program in ["pango", "harfbuzz", "reportlab"] {
            let converted = Env::new().convert(&[&reader_file(&format!("{language}-{program}.pdf"))]);
            assert_eq!(converted.outcome.code, 0, "{converted:?}");
            assert_eq!(converted.texts(), [text.join("\n\n")], "{language}, {program}");
        }
    }
}

#[test]
fn fonts_that_do_not_map_to_letters_are_reported_and_the_others_are_read() {
    let converted = Env::new().convert(&[&reader_file("unmapped.pdf")]);
    assert_eq!(converted.texts(), ["The lamp at Skerrow Head was lit at dusk and burned until the morning."]);
    assert_eq!(converted.documents[0]["unmapped_glyphs"], 0.5);
    let glyphs = "70 of 140 glyphs of this PDF file are missing from the text";
    converted.outcome.code(1).says(&[glyphs, "ocrmypdf"]);
}
