//! Extraction from broken and hostile pages: no panic, ranges that hold, and no endless work.

mod common;

use common::{Random, WebPage, web_pages};
use refrain::extract::{
    ExtractMethod, ExtractOptions, Extracted, Extractor, MarkdownOptions, Metadata, RecordOptions, Workspace, markdown,
    tei,
};

/// One extractor for each method, with a workspace that all pages go through.
struct Methods {
    extractors: Vec<(&'static str, Extractor)>,
    workspace: Workspace,
}

impl Methods {
    fn new() -> Methods {
        let extractor = |method| Extractor::new(ExtractOptions { method, ..ExtractOptions::default() });
        let extractors = ExtractMethod::ALL.map(|(name, method)| (name, extractor(method))).into();
        Methods { extractors, workspace: Workspace::default() }
    }

    /// Extracts by all methods, and checks what comes out.
    fn check(&mut self, html: &str, what: &str) {
        for (name, extractor) in &self.extractors {
            check(&extractor.extract(html, Some("en"), &mut self.workspace), &format!("{what}, {name}"));
        }
    }

    /// The same, with everything that is written about a page. Returns how many bytes that is.
    fn check_all(&mut self, html: &str, what: &str) -> usize {
        let mut written = 0;
        for (name, extractor) in &self.extractors {
            let found = extractor.extract(html, Some("en"), &mut self.workspace);
            check(&found, &format!("{what}, {name}"));
            let metadata = Metadata::of(html, found.page, Some("https://a.example/"));
            let keep = |block: usize| found.keeps(block);
            written += markdown(html, found.page, &keep, &MarkdownOptions::default()).len();
            written += tei(html, found.page, &metadata, "id", &keep).len();
            let record = found.record(&metadata, RecordOptions { keep_marked: true, ..RecordOptions::default() });
            written += serde_json::to_vec(&record).expect("JSON").len();
        }
        written
    }
}

/// What holds of any page.
fn check(found: &Extracted<'_>, what: &str) {
    let text = found.page.text.as_str();
    assert_eq!(found.decisions.len(), found.page.blocks.len(), "{what}: a decision for each block");
    let mut end = 0;
    for (i, block) in found.page.blocks.iter().enumerate() {
        let content = text.get(block.span.start..block.span.end);
        let content = content.unwrap_or_else(|| panic!("{what}: block {i}, {:?}, lies not in the text", block.span));
        assert!(!content.is_empty(), "{what}: block {i} is empty");
        let between = if i == 0 { "" } else { "\n\n" };
        assert_eq!(&text[end..block.span.start], between, "{what}: between block {i} and the one before");
        end = block.span.end;
    }
    assert_eq!(end, text.len(), "{what}: there is text behind the last block");
    assert!((0.0..=1.0).contains(&found.confidence), "{what}: confidence {}", found.confidence);
    let kept = found.blocks().count();
    assert_eq!(found.text().is_empty(), kept == 0, "{what}");
    assert!(
        kept > 0 || (found.confidence == 0.0 && found.note.is_some()),
        "{what}: nothing kept, and no word about it"
    );
}

/// Bytes as text, whatever they are.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

/// Checks what becomes of pages when they are damaged.
fn check_damaged(nth: usize, damage: impl Fn(&WebPage, &mut Random) -> Vec<String>) {
    let Some(pages) = web_pages(nth) else { return };
    let mut methods = Methods::new();
    let mut random = Random(7);
    for page in &pages {
        for html in damage(page, &mut random) {
            methods.check(&html, &page.id);
        }
    }
}

#[test]
fn pages_that_are_cut_off() {
    check_damaged(16, |page, random| {
        (0..20).map(|_| lossy(&page.html.as_bytes()[..random.below(page.html.len())])).collect()
    });
}

#[test]
fn pages_with_changed_bytes() {
    check_damaged(4, |page, random| {
        let mut bytes = page.html.clone().into_bytes();
        for _ in 0..bytes.len() / 100 {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        vec![lossy(&bytes)]
    });
}

/// `<p>` becomes `<p><p>`, and `</p>` becomes `</p></p>`.
#[test]
fn pages_with_every_tag_twice() {
    check_damaged(4, |page, _| {
        let mut doubled = String::with_capacity(2 * page.html.len());
        let mut rest = page.html.as_str();
        while let Some(open) = rest.find('<') {
            doubled.push_str(&rest[..open]);
            rest = &rest[open..];
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            let is_tag = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
            doubled.push_str(&rest[..end]);
            doubled.push_str(if is_tag { &rest[..end] } else { "" });
            rest = &rest[end..];
        }
        doubled.push_str(rest);
        vec![doubled]
    });
}

/// Makes a page of some size.
#[cfg(target_os = "linux")]
type Maker = Box<dyn Fn(usize) -> String>;

/// How often something slow is measured again.
#[cfg(target_os = "linux")]
const TRIES: usize = 4;

/// Nanoseconds that this thread has been computing. Unlike a clock, this does not count the time that others take.
#[cfg(target_os = "linux")]
fn computed() -> u64 {
    let figures = std::fs::read_to_string("/proc/thread-self/schedstat").expect("figures of the scheduler");
    figures.split(' ').next().and_then(|time| time.parse().ok()).expect("a number")
}

/// Pages that were made to be hard. Each at two sizes: four times the page may take eight times the work, and no more; and it
/// makes four times the output.
#[cfg(target_os = "linux")]
#[test]
fn the_work_for_monsters_is_linear() {
    let monsters: Vec<(&str, Maker)> = vec![
        ("deep", Box::new(|n| "<div>".repeat(n) + "x" + &"</div>".repeat(n))),
        ("deep and open", Box::new(|n| "<div><p>x".repeat(n))),
        ("deep lists", Box::new(|n| "<ul><li>x".repeat(n))),
        ("deep tables", Box::new(|n| "<table><tr><td>x".repeat(n))),
        ("open links", Box::new(|n| "<a>".repeat(n) + "x")),
        ("links with text", Box::new(|n| "<a href=x>y ".repeat(n))),
        ("end tags in a cell", Box::new(|n| "<table><tr><td>x".to_owned() + &"</div>".repeat(n))),
        ("end tags in deep cells", Box::new(|n| "<div><table><tr><td>".repeat(2000) + &"</div>".repeat(n))),
        ("end tags out of reach", Box::new(|n| "<p>".to_owned() + &"<ul>".repeat(3000) + &"</p>x".repeat(n))),
        ("open bold", Box::new(|n| "<b>".repeat(n) + "x")),
        ("open bold and paragraphs", Box::new(|n| "<b>x<p>".repeat(n / 4))),
        ("bold that is closed in the wrong order", Box::new(|n| "<b><i>x</b></i>".repeat(n))),
        ("open italics, closed bold", Box::new(|n| "<i>".repeat(n / 2) + &"</b>".repeat(n / 2) + "x")),
        ("angle brackets", Box::new(|n| "<".repeat(n))),
        ("comments without end", Box::new(|n| "<!--".repeat(n))),
        ("comments that nearly end", Box::new(|n| "<!--".to_owned() + &"--x".repeat(n))),
        ("end tags without name", Box::new(|n| "</ ".repeat(n))),
        ("questions", Box::new(|n| "<?".repeat(n))),
        ("CDATA in drawings", Box::new(|n| "<svg>".to_owned() + &"<![CDATA[".repeat(n))),
        ("drawings", Box::new(|n| "<svg><path>".repeat(n) + "<p>x")),
        ("scripts without end", Box::new(|n| "<script>".to_owned() + &"</scrip <!--".repeat(n))),
        ("scripts in scripts", Box::new(|n| "<script><!--".to_owned() + &"<script></script>".repeat(n))),
        ("titles without end", Box::new(|n| "<title>".to_owned() + &"</titl".repeat(n))),
        ("text areas", Box::new(|n| "<textarea></text".repeat(n))),
        ("references", Box::new(|n| "&amp".repeat(n))),
        ("ampersands", Box::new(|n| "&".repeat(n))),
        ("attributes", Box::new(|n| format!("<div {}>x", "a=b ".repeat(n)))),
        ("attributes we know", Box::new(|n| format!("<div {}>x", "class=b id=c href=d rel=e ".repeat(n)))),
        ("attributes without end", Box::new(|n| "<a href=\"".repeat(n))),
        ("class names", Box::new(|n| format!("<div class='{}'><p>x</div>", "comment author date ".repeat(n)))),
        ("one long attribute", Box::new(|n| format!("<p class='{}'>x<p>y", "x".repeat(n)))),
        ("NULs", Box::new(|n| "\0".repeat(n) + "<p>\0")),
        ("breaks", Box::new(|n| "<br>".repeat(n) + "x")),
        ("breaks and words", Box::new(|n| "x<br>".repeat(n))),
        ("blocks", Box::new(|n| "<p>x".repeat(n))),
        ("the same sentence", Box::new(|n| "<p>The keeper lit the lamp at dusk.".repeat(n))),
        (
            "different sentences",
            Box::new(|n| (0..n / 8).map(|i| format!("<p>The keeper {i} lit lamp {i}.")).collect::<Vec<_>>().concat()),
        ),
        ("headings", Box::new(|n| "<h1>x<h2>y</h3>".repeat(n))),
        ("choices", Box::new(|n| "<select>".to_owned() + &"<option>x".repeat(n))),
        ("authors", Box::new(|n| "<span class=author><time itemprop=datePublished>x".repeat(n))),
        ("authors that end", Box::new(|n| "<span class=author>x</span>".repeat(n))),
        ("dates", Box::new(|n| "<p class=date>1 May 2021, 2021-05-01 ".repeat(n))),
        ("statements", Box::new(|n| "<meta name=author content=x><link rel=canonical href=x>".repeat(n))),
        (
            "data",
            Box::new(|n| "<script type=application/ld+json>{\"@type\":\"Article\"}</script>".repeat(n / 8) + "<p>x"),
        ),
        ("deep data", Box::new(|n| format!("<script type=application/ld+json>{}</script><p>x", "[".repeat(n)))),
        ("one long word", Box::new(|n| "x".repeat(n))),
        ("lines", Box::new(|n| format!("<pre>{}</pre>", "x\n".repeat(n)))),
        ("lines and tags", Box::new(|n| format!("<pre>{}</pre>", "<b>x</b>\n".repeat(n)))),
        ("white space", Box::new(|n| format!("<pre>x{}</pre>y", " \n".repeat(n)))),
        ("comments of readers", Box::new(|n| "<div class=comment><p>I remember it.</p></div>".repeat(n / 4))),
        ("rows", Box::new(|n| "<table>".to_owned() + &"<tr><td>x<td>y".repeat(n))),
        ("cells", Box::new(|n| "<table><tr>".to_owned() + &"<td>x".repeat(n))),
        (
            "wide and narrow rows",
            Box::new(|n| format!("<table><tr>{}{}</table>", "<td>x".repeat(n / 2), "<tr><td>y".repeat(n / 2))),
        ),
    ];
    let mut methods = Methods::new();
    let mut slow = Vec::new();
    for (name, make) in &monsters {
        let mut measured = |html: &str| {
            let start = computed();
            let written = methods.check_all(html, name);
            (computed() - start, written)
        };
        let (small, large) = (make(20_000), make(80_000));
        let is_slow = (0..=TRIES).all(|_| {
            let ((one, small), (four, large)) = (measured(&small), measured(&large));
            assert!(large <= 5 * small, "{name}: {small} bytes of output, {large} for four times as much input");
            four > 150_000_000 && four > 8 * one
        });
        if is_slow {
            slow.push(*name);
        }
    }
    assert!(slow.is_empty(), "more than eight times the work for four times as much: {slow:?}");
}

/// The sizes that somebody will send some day.
#[test]
fn monsters_at_full_size() {
    let mut methods = Methods::new();
    for (name, html) in [
        ("10,000 deep", "<div>".repeat(10_000) + "The keeper lit the lamp." + &"</div>".repeat(10_000)),
        (
            "an attribute of a megabyte",
            format!("<p class='{}' id=\"{}\">x</p>", "a ".repeat(1 << 19), "b".repeat(1 << 20)),
        ),
        ("a million links", "<a>".repeat(1_000_000) + "x"),
        ("a million end tags in a cell", "<table><tr><td>x".to_owned() + &"</div>".repeat(1_000_000) + "y"),
        ("200,000 bold", "<b>".repeat(200_000) + "x"),
        ("a million angle brackets", "<".repeat(1_000_000)),
        ("a comment without end", "<p>x<!-- ".to_owned() + &"y ".repeat(500_000)),
        ("a script without end", "<p>x<script>".to_owned() + &"y ".repeat(500_000)),
        ("a title without end", "<p>x<title>".to_owned() + &"y ".repeat(500_000)),
        ("NULs", "<p>x\0y".repeat(100_000)),
        ("a quote without end", "<p>x<a href=\"".to_owned() + &"y ".repeat(500_000)),
    ] {
        methods.check_all(&html, name);
    }
}

/// A real page over and over. Up to some 14 MB of it are blocks of their own; behind them all is one block.
#[test]
fn huge_pages_end() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/pages/lighthouse.example/lens.html");
    let page = std::fs::read_to_string(path).expect("a sample");
    let mut methods = Methods::new();
    for size in [12_000_000, 40_000_000] {
        methods.check(&page.repeat(size / page.len() + 1), "a huge page");
    }
}
