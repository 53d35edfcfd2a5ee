//! Templates of sites: what is learned does not depend on how pages come, files keep it, and FindOptimal agrees with its
//! published steps.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use refrain::Position;
use refrain::template::findoptimal::{Covered, Documents, FindOptimal, Percent, Readings, Ties};
use refrain::template::{PageSample, TemplateMatch, TemplatePage, Templates, Wrapper, normalise};

/// FindOptimal, step by step as published: a hash table for each n, range strings letter by letter.
struct Plain {
    documents: Vec<Vec<char>>,
    readings: Readings,
}

impl Plain {
    fn new(documents: &[String], readings: Readings) -> Plain {
        Plain { documents: documents.iter().map(|text| normalise(text).chars().collect()).collect(), readings }
    }

    /// The subroutine countsort: n-grams by decreasing number of occurrences, equal ones in the order in which they are met.
    fn countsort(&self, n: usize) -> Vec<(Vec<char>, usize)> {
        let mut numbers: HashMap<Vec<char>, usize> = HashMap::new();
        let mut sorted: Vec<(Vec<char>, usize)> = Vec::new();
        for gram in self.documents.iter().flat_map(|document| document.windows(n)) {
            let number = *numbers.entry(gram.to_vec()).or_insert_with(|| {
                sorted.push((gram.to_vec(), 0));
                sorted.len() - 1
            });
            sorted[number].1 += 1;
        }
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sorted
    }

    /// The n-grams that are useless at a cut point.
    fn useless(&self, sorted: &[(Vec<char>, usize)], a: usize) -> Vec<Vec<char>> {
        let mut count = match self.readings.percent {
            Percent::Distinct => sorted.len() * a / 100,
            Percent::Occurrences => {
                let all: usize = sorted.iter().map(|(_, count)| count).sum();
                let mut taken = 0;
                while taken < sorted.len()
                    && sorted[..=taken].iter().map(|(_, count)| count).sum::<usize>() <= all * a / 100
                {
                    taken += 1;
                }
                taken
            }
        };
        match self.readings.ties {
            Ties::First => {}
            Ties::All => {
                while count > 0 && count < sorted.len() && sorted[count].1 == sorted[count - 1].1 {
                    count += 1;
                }
            }
            Ties::None => {
                while count > 0 && count < sorted.len() && sorted[count].1 == sorted[count - 1].1 {
                    count -= 1;
                }
            }
        }
        sorted[..count].iter().map(|(gram, _)| gram.clone()).collect()
    }

    /// The range strings of a cut point, true for useless letters; one for all documents where they are joined.
    fn range_strings(&self, n: usize, a: usize) -> Vec<Vec<bool>> {
        let useless = self.useless(&self.countsort(n), a);
        let joined: Vec<Vec<char>> = match self.readings.documents {
            Documents::Apart => self.documents.clone(),
            Documents::Joined => vec![self.documents.concat()],
        };
        let letters = n + usize::from(self.readings.covered == Covered::AndNext);
        let range_string = |text: &Vec<char>| {
            let mut range = vec![false; text.len()];
            for i in 0..text.len() {
                if i + n <= text.len() && useless.contains(&text[i..i + n].to_vec()) {
                    let end = (i + letters).min(text.len());
                    range[i..end].fill(true);
                }
            }
            range
        };
        joined.iter().map(range_string).collect()
    }

    /// The subroutine alternation.
    fn alternation(&self, n: usize, a: usize) -> usize {
        let boundaries = |range: &Vec<bool>| range.windows(2).filter(|pair| pair[0] != pair[1]).count();
        self.range_strings(n, a).iter().map(boundaries).sum()
    }

    /// The procedure of Figure 3.
    fn find_optimal(&self) -> (usize, usize, usize) {
        let longest = self.documents.iter().map(Vec::len).max().unwrap_or_default();
        let (mut n, mut a) = (2, 1);
        let mut val0 = self.alternation(n, a);
        while n <= longest && a < 100 {
            let val1 = self.alternation(n, a + 1);
            let val2 = self.alternation(n + 1, a);
            if val0 <= val1 && val0 <= val2 {
                break;
            } else if val0 > val1 && val1 < val2 {
                a += 1;
                val0 = val1;
            } else if val0 > val2 && val2 <= val1 {
                n += 1;
                val0 = val2;
            }
        }
        (n, a, val0)
    }

    /// Letters that are not useless, of all documents on end.
    fn content(&self, n: usize, a: usize) -> Vec<bool> {
        self.range_strings(n, a).concat().into_iter().map(|useless| !useless).collect()
    }
}

fn readings() -> impl Strategy<Value = Readings> {
    (
        prop::sample::select(vec![Ties::First, Ties::All, Ties::None]),
        prop::sample::select(vec![Covered::Own, Covered::AndNext]),
        prop::sample::select(vec![Documents::Apart, Documents::Joined]),
        prop::sample::select(vec![Percent::Distinct, Percent::Occurrences]),
    )
        .prop_map(|(ties, covered, documents, percent)| Readings { ties, covered, documents, percent })
}

fn agree(documents: &[String], readings: Readings) {
    let plain = Plain::new(documents, readings);
    let fast = FindOptimal::new(documents.iter().map(String::as_str), readings).expect("a suffix array");
    let (n, a, alternations) = plain.find_optimal();
    let found = fast.cut_point();
    assert_eq!((found.n, found.a, found.alternations), (n, a, alternations), "{readings:?}");
    let mut letters = Vec::new();
    for (document, ranges) in plain.documents.iter().zip(fast.content(n, a)) {
        let mut content = vec![false; document.len()];
        for (start, end) in ranges {
            content[start..end].fill(true);
        }
        letters.extend(content);
    }
    assert_eq!(letters, plain.content(n, a), "{readings:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn findoptimal_agrees_with_the_published_steps(
        shared in "[ab <>]{4,14}",
        own in prop::collection::vec("[a-dé漢 \n]{0,18}", 1..5),
        readings in readings(),
    ) {
        let documents: Vec<String> = own.iter().map(|own| format!("{shared}{own}{shared}")).collect();
        agree(&documents, readings);
    }
}

#[test]
fn findoptimal_agrees_on_real_markup() {
    for readings in
        [Readings::default(), Readings { ties: Ties::First, documents: Documents::Joined, ..Readings::default() }]
    {
        let documents: Vec<String> =
            site().into_iter().take(3).map(|(_, page)| page.chars().skip(600).take(500).collect()).collect();
        agree(&documents, readings);
    }
}

#[test]
fn the_example_of_the_paper() {
    // x = accbaacbc and W = {cb, ba}: the range string is 110001001, and there are four alternations.
    let text = "accbaacbc";
    let plain = Plain::new(&[text.to_owned()], Readings::default());
    let useless: Vec<Vec<char>> = ["cb", "ba"].map(|gram| gram.chars().collect()).to_vec();
    let letters = &plain.documents[0];
    let mut range = vec![true; letters.len()];
    for i in 0..letters.len() - 1 {
        if useless.contains(&letters[i..i + 2].to_vec()) {
            range[i..i + 2].fill(false);
        }
    }
    let shown: String = range.iter().map(|kept| if *kept { '1' } else { '0' }).collect();
    assert_eq!(shown, "110001001");
    assert_eq!(range.windows(2).filter(|pair| pair[0] != pair[1]).count(), 4);
    // Of its n-grams of two letters, ac and cb are there twice; a third of six different ones are two.
    let first = Readings { ties: Ties::First, ..Readings::default() };
    let found = FindOptimal::new([text], first).expect("a small text").content(2, 34);
    assert_eq!(found, [vec![(2 + 2, 5), (8, 9)]], "letters that no frequent n-gram covers");
    agree(&[text.to_owned()], Readings::default());
}

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
