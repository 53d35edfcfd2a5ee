//! `refrain editions`: books that share text, and what is no book.

mod common;

use std::collections::BTreeSet;

use common::{Env, noise, parse_jsonl, read_parquet, samples};
use serde_json::Value;

/// Made-up words, the same for each seed; many of them occur once.
fn story(seed: u64, count: usize) -> String {
    story_of(seed, count, 3)
}

/// The same with longer words, of which there are more.
fn story_of(seed: u64, count: usize, syllables_each: usize) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let common = ["the", "and", "of", "keeper", "went", "to", "his", "boat", "with", "a", "lamp", "under"];
    let syllables = ["ba", "ko", "li", "mur", "ten", "sol", "va", "ri", "dun", "pe", "gas", "tho", "wil", "ne"];
    let mut text = String::new();
    for n in 0..count {
        match next(3) {
            0 => (0..syllables_each + next(2)).for_each(|_| text.push_str(syllables[next(syllables.len())])),
            _ => text.push_str(common[next(common.len())]),
        }
        text.push(if n % 12 == 11 { '\n' } else { ' ' });
    }
    text
}

/// The cells of a table with tabs, without its head.
fn rows(tsv: &str) -> Vec<Vec<&str>> {
    tsv.lines().skip(1).map(|line| line.split('\t').collect()).collect()
}

/// A copy, a collection with one story of it, and a book that has nothing to do with them.
fn with_books() -> Env {
    let env = Env::new();
    let (one, two) = (story(1, 3000), story(2, 2500));
    env.write("books/one.txt", &one);
    env.write("books/again.txt", one.replace("keeper", "warden"));
    env.write("books/tales.txt", format!("{}\n{two}\n{one}", story(3, 1500)));
    env.write("books/two.txt", &two);
    env.write("books/other.txt", story(4, 4000));
    env
}

fn pairs(tsv: &str) -> Vec<(String, String, String)> {
    let cell = |row: &Vec<&str>, n: usize| row[n].to_owned();
    rows(tsv).iter().map(|row| (cell(row, 0), cell(row, 1), cell(row, 3))).collect()
}

fn named(a: &str, b: &str, kind: &str) -> (String, String, String) {
    (a.into(), b.into(), kind.into())
}

#[test]
fn a_table_names_pairs_with_score_and_kind() {
    let env = with_books();
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0).says(&["5 books, 4 pairs"]);
    let tsv = env.read_text("pairs.tsv");
    assert!(tsv.starts_with("a\tb\tscore\tkind\t"), "{tsv}");
    let wanted = [
        named("again", "one", "duplicate"),
        named("again", "tales", "partial"),
        named("one", "tales", "partial"),
        named("tales", "two", "partial"),
    ];
    assert_eq!(pairs(&tsv), wanted);
    for row in rows(&tsv) {
        let score: f64 = row[2].parse().expect("a number");
        assert!(score > 0.9 && score <= 1.0, "{row:?}");
    }
}

#[test]
fn passages_are_ranges_of_bytes_whatever_their_order() {
    let env = Env::new();
    let (one, two) = (story(1, 1500), story(2, 1500));
    env.write("books/a.txt", format!("{one}\n{two}"));
    env.write("books/b.txt", format!("Vorwort für Leser\n{two}\n{}\n{one}", story(5, 900)));
    env.run(&["editions", "books", "--format", "jsonl", "-o", "pairs.jsonl"]).code(0);
    let pairs = env.read_jsonl("pairs.jsonl");
    let passages = pairs[0]["passages"].as_array().expect("passages");
    assert_eq!(passages.len(), 2, "{passages:?}");
    let (a, b) = (env.read("books/a.txt"), env.read("books/b.txt"));
    let piece = |text: &[u8], range: &Value| {
        let at = |n: usize| usize::try_from(range[n].as_u64().expect("a number")).expect("a place");
        String::from_utf8(text[at(0)..at(1)].to_vec()).expect("text")
    };
    for passage in passages {
        let (in_a, in_b) = (piece(&a, &passage["a"]), piece(&b, &passage["b"]));
        assert_eq!(in_a, in_b);
        assert!(in_a.len() > 6000, "{}", in_a.len());
    }
}

#[test]
fn a_folder_has_pairs_works_and_a_page_with_pictures() {
    let env = with_books();
    let outcome = env.run(&["editions", "books", "-o", "report/"]).code(0);
    assert!(String::from_utf8_lossy(&outcome.stdout).contains("again | one"));
    assert_eq!(env.names("report"), ["pairs.jsonl", "pairs.tsv", "report.html", "works.jsonl"]);
    let works = env.read_jsonl("report/works.jsonl");
    let books = |work: &Value| work["books"].as_array().map_or(0, Vec::len);
    assert_eq!(works.iter().map(books).collect::<Vec<_>>(), [2, 1, 1], "a collection joins no works: {works:?}");
    assert_eq!(works[0]["contained_in"], serde_json::json!([2]));
    assert_eq!(works[1]["contains"], serde_json::json!([1, 3]));
    let page = env.read_text("report/report.html");
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("class=\"shared\"") && page.contains("class=\"own\"") && page.contains("class=\"ribbon\""));
    env.write("report/mine.txt", "keep");
    env.run(&["editions", "books", "-o", "report/"]).code(2).says(&["report/ is not empty"]);
}

#[test]
fn a_report_among_the_books_is_no_book() {
    let env = with_books();
    env.run(&["editions", "books", "-o", "books/report/"]).code(0).says(&["5 books, 4 pairs"]);
    env.run(&["editions", "books", "-o", "pairs.tsv"]).code(0).says(&["5 books, 4 pairs"]);
    env.run(&["editions", "books/report", "-o", "pairs.tsv"]).code(2).says(&["is a report of refrain"]);
}

#[test]
fn samples_are_distinguished() {
    let env = Env::new();
    let folder = samples().join("editions").display().to_string();
    env.run(&["editions", &folder, "-o", "report/"]).code(0);
    let tsv = env.read_text("report/pairs.tsv");
    let found: Vec<(String, String)> = pairs(&tsv).into_iter().map(|(a, b, _)| (a, b)).collect();
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let wanted = [
        pair("ferry", "harbour-tales"),
        pair("harbour-tales", "lamp"),
        pair("harbour-tales", "lamp-scanned"),
        pair("harbour-tales", "lamp-second-edition"),
        pair("lamp", "lamp-scanned"),
        pair("lamp", "lamp-second-edition"),
        pair("lamp-scanned", "lamp-second-edition"),
    ];
    assert_eq!(found, wanted);
    let works = env.read_jsonl("report/works.jsonl");
    let lamp = works.iter().find(|work| work["books"].as_array().is_some_and(|books| books.len() == 3));
    assert_eq!(lamp.expect("the lamp")["title"], "The Lock on Skerrow Head");
}

#[test]
fn licences_do_not_count_unless_they_are_asked_for() {
    let env = Env::new();
    let licence = story(9, 2500);
    let book = |n: u64| {
        format!(
            "The Project Gutenberg EBook of Tale {n}\n\nTitle: Tale\n\n*** START OF THIS PROJECT GUTENBERG EBOOK TALE ***\n\n\n\
             TALE\n\n{}\n\n\nEnd of Project Gutenberg's Tale\n\n*** END OF THIS PROJECT GUTENBERG EBOOK TALE ***\n\n{licence}\n",
            story(20 + n, 2000)
        )
    };
    for n in 0..4 {
        env.write(&format!("books/b{n}.txt"), book(n));
    }
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0).says(&["4 books, 0 pairs"]);
    env.run(&["editions", "books", "--no-strip", "--format", "tsv", "-o", "raw.tsv"]).code(0).says(&["6 pairs"]);
    // A licence in the middle of a file is one, too.
    let middle = format!("{}\n{licence}\n{}", story(40, 1500), story(41, 1500));
    env.write("books/middle.txt", middle.clone());
    env.write("books/other.txt", format!("{}\n{licence}\n{}", story(42, 1500), story(43, 1500)));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0).says(&["6 books, 0 pairs"]);
}

#[test]
fn a_new_book_is_checked_against_a_saved_index() {
    let env = with_books();
    env.run(&["editions", "books", "--index", "books.index", "-o", "all.tsv"]).code(0).says(&["saved the index"]);
    env.write("new.txt", format!("{}\n{}", story(50, 1500), story(4, 4000)));
    let of_books = env.run(&["editions", "books", "--against", "new.txt", "--format", "tsv"]).code(0);
    for name in ["one", "again", "tales", "two", "other"] {
        std::fs::remove_file(env.path(&format!("books/{name}.txt"))).expect("a book");
    }
    let of_index = env.run(&["editions", "books.index", "--against", "new.txt", "--format", "tsv"]).code(0);
    assert_eq!(of_books.stdout, of_index.stdout);
    let tsv = String::from_utf8(of_index.stdout).expect("text");
    assert_eq!(pairs(&tsv), [named("other", "new", "duplicate")], "only the new book is looked for");
    env.run(&["editions", "books.index", "-o", "again.tsv"]).code(0);
    assert_eq!(env.read("all.tsv"), env.read("again.tsv"));
}

#[test]
fn indexes_are_joined_and_threads_change_nothing() {
    let env = with_books();
    env.run(&["editions", "books", "--threads", "1", "-o", "one.tsv"]).code(0);
    env.run(&["editions", "books", "--threads", "3", "--memory", "32M", "-o", "three.tsv"]).code(0);
    assert_eq!(env.read("one.tsv"), env.read("three.tsv"));
    env.run(&["editions", "books/again.txt", "books/one.txt", "books/other.txt", "--index", "first", "-o", "x.tsv"])
        .code(0);
    env.run(&["editions", "books/tales.txt", "books/two.txt", "--index", "second", "-o", "x.tsv"]).code(0);
    env.run(&["editions", "first", "second", "-o", "joined.tsv"]).code(0);
    assert_eq!(env.read("one.tsv"), env.read("joined.tsv"));
}

#[test]
fn pairs_are_written_as_parquet() {
    let env = with_books();
    env.run(&["editions", "books", "-o", "pairs.parquet"]).code(0);
    let (names, _) = read_parquet(&env.path("pairs.parquet"));
    assert_eq!(names[..4], ["a", "b", "score", "kind"]);
    env.run(&["editions", "books", "--format", "parquet"]).code(2).says(&["with -o"]);
}

#[test]
fn published_methods_find_copies() {
    let env = with_books();
    for method in ["cs", "its", "uwo", "vo", "shingle"] {
        let outcome = env.run(&["editions", "books", "--method", method, "--format", "jsonl"]).code(0);
        let found = parse_jsonl(&outcome.stdout);
        let pair = |row: &Value| row["a"] == "again" && row["b"] == "one";
        assert!(found.iter().any(pair), "{method}: {found:?}");
        assert!(found.iter().all(|row| row["a"] != "other" && row["b"] != "other"), "{method}: {found:?}");
    }
    env.run(&["editions", "books", "--method", "its", "--threshold", "1", "--format", "tsv"]).code(0);
    env.run(&["editions", "books", "--threshold", "0.5"]).code(2).says(&["--threshold needs a published method"]);
    env.run(&["editions", "books", "--index", "i", "-o", "x.tsv"]).code(0);
    env.run(&["editions", "i", "--method", "cs"]).code(2).says(&["name the books"]);
}

#[test]
fn exact_copies_are_duplicates() {
    let env = Env::new();
    env.write("books/a.txt", story(1, 2000));
    env.write("books/b.txt", story(1, 2000));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0);
    let tsv = env.read_text("pairs.tsv");
    assert_eq!(pairs(&tsv), [named("a", "b", "duplicate")]);
    assert_eq!(rows(&tsv)[0][9], "1.0000", "cs");
}

#[test]
fn many_editions_of_one_work_are_all_found() {
    let env = Env::new();
    let text = story(1, 1500);
    for n in 0..40 {
        env.write(&format!("books/b{n:02}.txt"), format!("{}\n{text}", story(100 + n, 60)));
    }
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0).says(&["40 books, 780 pairs"]);
}

#[test]
fn short_books_are_listed_and_not_judged() {
    let env = Env::new();
    env.write("books/a.txt", "The keeper lit the lamp at dusk.");
    env.write("books/b.txt", "The keeper lit the lamp at dusk.");
    env.write("books/c.txt", story(1, 1000));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"])
        .code(0)
        .says(&["too short to compare: a, b", "3 books, 0 pairs"]);
}

#[test]
fn empty_and_binary_files_are_named_and_the_others_are_done() {
    let env = with_books();
    env.write("books/empty.txt", "");
    env.write("books/blank.txt", "... ... ...\n\n* * *\n");
    env.write("books/binary.txt", noise(5000));
    env.write("books/picture.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &noise(300)].concat());
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv", "--errors", "errors.jsonl"]).code(1).says(&[
        "empty.txt",
        "blank.txt",
        "binary.txt",
        "picture.png",
        "5 books, 4 pairs",
    ]);
    assert_eq!(env.read_jsonl("errors.jsonl").len(), 4);
    assert_eq!(rows(&env.read_text("pairs.tsv")).len(), 4);
}

#[test]
fn a_book_of_50_megabytes_and_one_of_a_kilobyte_go_together() {
    let env = Env::new();
    let small = story_of(1, 3000, 6);
    let mut large = String::with_capacity(52 << 20);
    for seed in 0.. {
        if large.len() > 50 << 20 {
            break;
        }
        large.push_str(&story(1000 + seed, 40_000));
    }
    large.push_str(&small);
    env.write("books/large.txt", &large);
    env.write("books/small.txt", &small);
    env.write("books/tiny.txt", &small[..1024]);
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"])
        .code(0)
        .says(&["to compare: tiny", "3 books"]);
    // The share of the smaller book counts, not that of the larger one.
    assert_eq!(pairs(&env.read_text("pairs.tsv")), [named("large", "small", "partial")]);
}

#[test]
fn a_folder_of_one_has_nothing_to_compare() {
    let env = Env::new();
    env.write("books/a.txt", story(1, 1000));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"])
        .code(1)
        .says(&["a: this is the only book", "name at least two books"]);
    assert!(!env.path("pairs.tsv").exists(), "no empty table is left behind");
    env.run(&["editions", "books", "--index", "i", "--format", "tsv", "-o", "pairs.tsv"]).code(0);
    assert!(env.read_text("pairs.tsv").starts_with("a\tb\tscore\tkind"), "an index of one book is asked for");
    env.write("none/empty.txt", "");
    env.run(&["editions", "none", "-o", "report/", "--index", "j"]).code(1).says(&["no book could be read"]);
    env.run(&["editions", "books", "--against", "none", "-o", "new.tsv"]).code(1).says(&["nothing to compare"]);
    env.write("other/b.txt", story(2, 1000));
    env.run(&["editions", "none", "--against", "books", "other", "-o", "new.tsv"]).code(1).says(&["one side"]);
    for left in ["report", "j", "new.tsv"] {
        assert!(!env.path(left).exists(), "{left}");
    }
}

#[test]
fn word_lists_are_recognised_and_not_matched() {
    let env = Env::new();
    let list = |step: usize, what: &str| -> String {
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        let entries = (0..3000).step_by(step);
        entries
            .map(|n| format!("{}{}{}ary\n{what}", letter(n / 676), letter(n / 26), letter(n)))
            .collect::<Vec<_>>()
            .concat()
    };
    env.write("books/a.txt", list(1, ""));
    env.write("books/b.txt", list(2, ""));
    env.write("books/c.txt", story(1, 1000));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"])
        .code(0)
        .says(&["alphabetical lists, not compared with each other: a, b", "0 pairs"]);
}

#[test]
fn what_cannot_be_done_is_an_error_with_a_way_out() {
    let env = with_books();
    env.run(&["editions", "nowhere", "-o", "pairs.tsv"]).code(2).says(&["nothing to read", "nowhere"]);
    assert!(!env.path("pairs.tsv").exists());
    env.run(&["editions", "books", "nowhere", "-o", "pairs.tsv"]).code(1).says(&["nowhere", "5 books, 4 pairs"]);
    env.run(&["editions", "books", "-o", "pairs"]).code(2).says(&["`pairs` could be a file or a folder"]);
    env.run(&["editions", "books", "--format", "report"]).code(2).says(&["with -o"]);
    env.run(&["editions", "books", "--memory", "1M"]).code(2).says(&["not enough memory"]);
    env.run(&["editions", "books", "--temporary", "nowhere"]).code(2).says(&["is not a folder"]);
    env.run(&["editions", "books", "--index", "books/one.txt"]).code(2).says(&["is an input"]);
    env.run(&["editions", "books", "--index", "x.tsv", "-o", "x.tsv"])
        .code(2)
        .says(&["two outputs cannot share one file"]);
    env.run(&["editions", "books", "--index", "no/where"]).code(2).says(&["does not exist"]);
    env.run(&["editions", "books", "--against", "nowhere"]).code(2).says(&["nowhere"]);
    env.run(&["editions", "books", "--index", "i", "-o", "x.tsv"]).code(0);
    let mut damaged = env.read("i");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    env.write("damaged", &damaged);
    env.run(&["editions", "damaged"]).code(2).says(&["damaged", "create the index again"]);
    env.write("later", "refrain editions 9\nwhatever comes then, and comes, and comes");
    env.run(&["editions", "later"]).code(1).says(&["another version of refrain"]);
}

#[test]
fn two_books_of_one_name_are_reported() {
    let env = Env::new();
    let line = |id: &str, text: &str| serde_json::json!({"id": id, "text": text}).to_string() + "\n";
    env.write("books.jsonl", line("a", &story(1, 900)) + &line("a", &story(2, 900)) + &line("b", &story(1, 900)));
    env.run(&["editions", "books.jsonl", "--format", "tsv"]).code(1).says(&["another book has the name `a`"]);
}

/// A text as a bad scanner reads it: of a hundred characters, so many are others, are missing, or have one too many in front of them.
fn scanned(text: &str, of_hundred: u64, seed: u64) -> String {
    let mut state = seed | 1;
    let mut next = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut scan = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || next(100) >= of_hundred {
            scan.push(character);
            continue;
        }
        let other = char::from(b'a' + next(26) as u8);
        match next(10) {
            0 => {}
            1 => scan.extend([other, character]),
            _ => scan.push(other),
        }
    }
    scan
}

/// The same story in the words of somebody else: rare words stay and come in nearly the same order, all others change.
fn translated(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        let length = words.len().max(1);
        words.rotate_left(n * 5 % length);
        words.swap(0, length / 2);
        let other = |word: &&str| {
            if word.len() < 7 { ["that", "which", "by", "one", "some"][(n + word.len()) % 5] } else { *word }.to_owned()
        };
        lines.push(words.iter().map(other).collect::<Vec<_>>().join(" "));
    }
    lines.join("\n")
}

#[test]
fn bad_scans_and_parts_are_found_and_translations_are_not() {
    let env = Env::new();
    let original = story_of(1, 16_000, 4);
    let words: Vec<&str> = original.split_inclusive([' ', '\n']).collect();
    let part = |from: usize, share: usize| words[from..from + words.len() * share / 100].concat();
    let beside = |seed: u64, share: usize| story_of(seed, 16_000 * share / 100, 4);
    env.write("books/original.txt", &original);
    env.write("books/scan.txt", scanned(&original, 20, 7));
    env.write("books/two-fifths.txt", beside(2, 30) + &scanned(&part(5000, 40), 20, 8) + &beside(3, 30));
    env.write("books/tenth.txt", beside(4, 45) + &part(9000, 10) + &beside(5, 45));
    env.write("books/tenth-scanned.txt", beside(6, 45) + &scanned(&part(2000, 10), 10, 9) + &beside(7, 45));
    env.write("books/quotation.txt", beside(8, 50) + &words[3000..3150].concat() + &beside(9, 50));
    env.write("books/translation.txt", translated(&original));
    env.write("books/other.txt", story_of(10, 16_000, 4));
    env.run(&["editions", "books", "--format", "tsv", "-o", "pairs.tsv"]).code(0);
    let tsv = env.read_text("pairs.tsv");
    let with_original: Vec<(String, String, String)> =
        pairs(&tsv).into_iter().filter(|(a, b, _)| a == "original" || b == "original").collect();
    let wanted = [
        named("original", "scan", "duplicate"),
        named("original", "tenth", "partial"),
        named("original", "tenth-scanned", "partial"),
        named("original", "two-fifths", "partial"),
    ];
    assert_eq!(with_original, wanted);
    let alone = |name: &str| pairs(&tsv).iter().all(|(a, b, _)| a != name && b != name);
    assert!(alone("translation") && alone("quotation") && alone("other"), "{tsv}");
}

/// Figures on real books, where they are: what was reached must not get lost.
#[test]
fn real_books_are_distinguished() {
    let data = samples().join("../../shared/data/books");
    let archive = data.join("editions.tar.zst");
    let Ok(labels) = std::fs::read_to_string(data.join("editions_pairs.tsv")) else {
        common::skipped("../shared/data/books does not exist");
        return;
    };
    let pair = |a: &str, b: &str| {
        let name = |id: &str| id.rsplit('/').next().unwrap_or_default().to_owned();
        let (a, b) = (name(a), name(b));
        if a <= b { (a, b) } else { (b, a) }
    };
    let env = Env::new();
    env.run(&["editions", &archive.display().to_string(), "--format", "tsv", "-o", "pairs.tsv"]).code(0);
    let found: BTreeSet<_> = pairs(&env.read_text("pairs.tsv")).iter().map(|(a, b, _)| pair(a, b)).collect();
    let of_kind = |ignored: bool| -> BTreeSet<_> {
        let of = rows(&labels).into_iter().filter(|row| (row[2] == "ignore") == ignored);
        of.map(|row| pair(row[0], row[1])).collect()
    };
    let (wanted, ignored) = (of_kind(false), of_kind(true));
    let right = found.intersection(&wanted).count();
    let wrong: Vec<_> = found.iter().filter(|pair| !wanted.contains(pair) && !ignored.contains(pair)).collect();
    assert!(100 * right >= 97 * wanted.len(), "{right} of {} found", wanted.len());
    assert!(100 * wrong.len() <= right, "{wrong:?}");
}

#[test]
fn a_new_book_is_found_in_all_editions_of_a_work() {
    let env = Env::new();
    (0..40)
        .for_each(|n| env.write(&format!("books/e{n:02}.txt"), format!("{} {}", story(1, 1500), story(100 + n, 40))));
    env.write("new.txt", story(1, 1500));
    let outcome = env.run(&["editions", "books", "--against", "new.txt", "--format", "tsv"]).code(0);
    assert_eq!(rows(outcome.text()).len(), 40);
}

#[test]
fn a_book_of_the_collection_is_looked_for_and_does_not_find_itself() {
    let env = with_books();
    let outcome = env.run(&["editions", "books", "--against", "books/one.txt", "--format", "tsv"]).code(0);
    let found = pairs(outcome.text());
    assert!(found.contains(&named("again", "one", "duplicate")), "{found:?}");
    assert!(found.iter().all(|(a, b, _)| a != b && b == "one"), "{found:?}");
}

#[test]
fn copies_are_all_listed_however_many_there_are() {
    let env = Env::new();
    let copy = story(1, 400);
    (0..1100).for_each(|n| env.write(&format!("books/c{n:04}.txt"), &copy));
    let outcome = env.run(&["editions", "books", "--format", "tsv"]).code(0);
    assert_eq!(rows(outcome.text()).len(), 1099, "beside the first of them, where they are more than a thousand");
    (6..1100).for_each(|n| std::fs::remove_file(env.path(&format!("books/c{n:04}.txt"))).expect("a copy"));
    env.write("books/d.txt", format!("{} {copy}", story(2, 900)));
    let outcome = env.run(&["editions", "books", "--format", "tsv"]).code(0);
    assert_eq!(rows(outcome.text()).len(), 6 * 5 / 2 + 6);
}

#[test]
fn the_order_of_inputs_changes_nothing() {
    let env = with_books();
    let pairs =
        |inputs: [&str; 3]| env.run(&[&["editions"], inputs.as_slice(), &["--format", "tsv"]].concat()).code(0).stdout;
    let [one, again, other] = ["books/one.txt", "books/again.txt", "books/other.txt"];
    assert_eq!(pairs([one, again, other]), pairs([other, again, one]));
}

#[test]
fn books_that_are_looked_for_are_never_written_over() {
    let env = with_books();
    let book = env.read("books/one.txt");
    for output in [&["--index", "books/one.txt"], &["--index", "./books/../books/one.txt"], &["-o", "books/one.txt"]] {
        env.run(&[&["editions", "books/other.txt", "--against", "books/one.txt"], output.as_slice()].concat()).code(2);
        assert_eq!(env.read("books/one.txt"), book, "{output:?}");
    }
    env.run(&["editions", "books", "--index", "x.tsv", "-o", "./x.tsv"]).code(2).says(&["one file"]);
}

#[test]
fn indexes_that_were_made_in_another_way_are_refused() {
    let env = with_books();
    env.run(&["editions", "books", "--no-strip", "--index", "raw", "-o", "raw.tsv"]).code(0);
    env.run(&["editions", "raw", "--against", "books/one.txt"]).code(1).says(&[
        "raw",
        "other options",
        "create the index again",
    ]);
    env.run(&["editions", "raw", "--no-strip", "--against", "books/one.txt"]).code(0);
    // The same index twice has the same books twice.
    let outcome = env.run(&["editions", "raw", "raw", "./raw", "--no-strip", "--format", "tsv"]);
    assert!(pairs(outcome.text()).iter().all(|(a, b, _)| a != b), "{}", outcome.text());
}

#[test]
fn a_text_of_random_letters_is_read_in_time() {
    let env = with_books();
    // More different pairs of words than any book has: they must not crowd in one place of a table.
    env.write("books/noise.txt", common::words(2_500_000, 7));
    env.run(&["editions", "books", "--format", "tsv"]).code(0);
}

#[test]
fn no_pair_is_listed_twice_where_there_are_copies_and_many_editions() {
    let env = Env::new();
    (0..40)
        .for_each(|n| env.write(&format!("books/e{n:02}.txt"), format!("{} {}", story(1, 1500), story(100 + n, 40))));
    env.write("books/copy.txt", env.read("books/e00.txt"));
    let outcome = env.run(&["editions", "books", "--format", "tsv"]).code(0);
    let found = pairs(outcome.text());
    assert_eq!(found.len(), 41 * 40 / 2);
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
}

#[test]
fn an_index_keeps_one_book_of_a_name() {
    let env = with_books();
    env.run(&["editions", "books", "--index", "saved", "-o", "pairs.tsv"]).code(0);
    let again = ["editions", "saved", "--against", "books/one.txt", "--index", "more", "-o", "more.tsv"];
    env.run(&again).code(1).says(&["another book has the name `one`"]);
    env.run(&["editions", "saved", "--format", "tsv"]).code(0);
}
