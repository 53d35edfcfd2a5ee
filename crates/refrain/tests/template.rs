//! Templates of sites: what is learned does not depend on the order of pages, and files keep it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use refrain::Position;
use refrain::template::{PageSample, TemplateMatch, TemplatePage, Templates, Wrapper};

/// The pages of the sample site.
fn site() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/site");
    let mut pages: Vec<(String, String)> = fs::read_dir(folder)
        .expect("the sample site")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("a page"))
        })
        .collect();
    pages.sort();
    pages
}

fn sample(pages: &[(String, String)]) -> PageSample {
    let mut sample = PageSample::default();
    for (record, (_, page)) in (0..).zip(pages) {
        sample.observe(TemplatePage { position: Position { input: 0, record }, key: "", text: page });
    }
    sample
}

#[test]
fn small_keys_keep_their_pages_and_long_pages_give_way() {
    let mut sample = PageSample::new(10_000);
    let mut observe = |input: u32, count: u64, key: &str, text: &str| {
        (0..count).for_each(|record| sample.observe(TemplatePage { position: Position { input, record }, key, text }));
    };
    observe(0, 100, "large", &"x".repeat(500));
    observe(1, 3, "small", &"y".repeat(500));
    observe(2, 1, "small", &"z".repeat(5 << 20));
    // Each key may hold half of 15/16 of the memory: nine pages of the large one, all short pages of the other.
    assert_eq!((sample.observed(), sample.kept()), (104, 12));
}

fn content(templates: &Templates, page: &str) -> Vec<String> {
    match templates.find("", page) {
        TemplateMatch::Page(_, fit) => fit.content.iter().map(|span| span.of(page).trim().to_owned()).collect(),
        TemplateMatch::Unknown { nearest } => panic!("no template; the nearest has {nearest}"),
    }
}

#[test]
fn headlines_and_bodies_are_the_content_of_the_sample_site() {
    let pages = site();
    let templates = sample(&pages).conclude();
    assert_eq!(templates.all().len(), 1);
    for (name, page) in &pages {
        let body =
            page.split("<div class=\"body\">").nth(1).and_then(|rest| rest.split("</div>").next()).expect("a body");
        let headline = page.split("<h1>").nth(1).and_then(|rest| rest.split("</h1>").next()).expect("a headline");
        let found = content(&templates, page);
        assert_eq!(found[0], headline, "{name}");
        assert_eq!(found.last().map(String::as_str), Some(body.trim()), "{name}");
    }
}

#[test]
fn what_was_learned_comes_back_from_its_file() {
    let pages = site();
    let templates = sample(&pages).conclude();
    let bytes = templates.to_bytes().expect("JSON");
    let again = Templates::from_bytes(&bytes).expect("the same templates");
    for (_, page) in &pages {
        assert_eq!(templates.find("", page), again.find("", page));
    }
    assert_eq!(again.observed(), pages.len() as u64);
    for damaged in
        [&b"{}"[..], b"", &bytes[..bytes.len() / 2], b"{\"what\":\"templates of refrain\",\"version\":9,\"pages\":1}"]
    {
        assert!(Templates::from_bytes(damaged).is_err());
    }
    let version = Templates::from_bytes(b"{\"what\":\"templates of refrain\",\"version\":9,\"pages\":1}");
    assert!(version.expect_err("another version").to_string().contains("version 9"));
}

#[test]
fn pages_of_another_kind_have_no_content_and_strange_ones_no_template() {
    let pages = site();
    let templates = sample(&pages).conclude();
    let (_, page) = &pages[0];
    let start = page.find("<article>").expect("an article");
    let end = page.find("</article>").expect("its end");
    let list = "<ul>".to_owned() + &"<li><a href=/x>A notice</a></li>".repeat(30) + "</ul>";
    let list_page = format!("{}{list}{}", &page[..start], &page[end + 10..]);
    match templates.find("", &list_page) {
        TemplateMatch::Page(_, fit) => assert!(!fit.fits && fit.content.is_empty(), "{fit:?}"),
        TemplateMatch::Unknown { .. } => {}
    }
    let strange = "<p>Something else altogether, from a page that nobody has seen before.</p>";
    assert!(matches!(templates.find("", strange), TemplateMatch::Unknown { .. }));
    assert!(matches!(templates.find("other.example", page), TemplateMatch::Unknown { .. }));
    assert!(matches!(templates.find("", ""), TemplateMatch::Unknown { .. }));
}

#[test]
fn near_duplicates_have_one_vote() {
    let pages = site();
    let one = &pages[0].1;
    // The same page three times, with another date: nothing is known of what differs.
    let copies: Vec<(String, String)> =
        (0..3).map(|n| (n.to_string(), one.replace("16 May", &format!("1{n} May")))).collect();
    assert!(sample(&copies).conclude().all().is_empty());
    // Beside other pages they do not make their text a part of the template.
    let many: Vec<(String, String)> = [&copies[..], &copies, &copies, &pages].concat();
    let templates = sample(&many).conclude();
    assert_eq!(content(&templates, one), content(&sample(&pages).conclude(), one));
}

#[test]
fn fields_are_found_and_their_wrapper_works_on_new_pages() {
    let pages = site();
    let (new, learned) = pages.split_last().expect("pages");
    let (_, wrappers) = sample(learned).conclude_with_wrappers();
    let wrappers = Wrapper::from_bytes(&Wrapper::to_bytes(&wrappers).expect("JSON")).expect("the same wrapper");
    assert_eq!(wrappers.len(), 1);
    for field in &wrappers[0].fields {
        assert!(field.left.ends_with('>') && field.right.starts_with('<'), "{field:?}");
    }
    let values = wrappers[0].extract(&new.1);
    let named: HashMap<&str, &str> = wrappers[0]
        .fields
        .iter()
        .zip(&values)
        .filter_map(|(field, value)| Some((field.name.as_str(), value.as_deref()?)))
        .collect();
    assert_eq!(named.get("headline"), Some(&"A rope walk in the attic"), "{named:?}");
    assert_eq!(named.get("place"), Some(&"Sail Loft"), "{named:?}");
    assert_eq!(named.get("date"), Some(&"23 May 2024"), "{named:?}");
    assert!(named.get("content").is_some_and(|body| body.contains("two sisters lay ropes")), "{named:?}");
    assert!(Wrapper::from_bytes(b"[]").is_err());
    assert!(wrappers[0].extract("<p>Another page</p>").iter().all(Option::is_none));
}
