use std::fs;
use std::path::Path;

use refrain::{Convert, Dedup, Document, Input, Keep, Memory, Output, Outputs, Run, Unit};

use super::{read, samples, texts};

#[test]
fn dedup() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |file: &str| folder.path().join(file);
    let docs = name("docs.jsonl");
    let crawl = Input::documents(read(&samples().join("crawl.warc.gz")));
    Convert::default().run(&crawl, Outputs::to(&docs).expect("a name"), &Run::default()).expect("a file");
    let files = Input::paths([docs.to_string_lossy()]).expect("a name");
    let in_memory = Input::documents(read(&docs));

    let by_document = Dedup { unit: Unit::Document, ..Dedup::default() };
    let longest = Dedup { keep: Keep::Longest, ..by_document.clone() };
    for (number, job) in [Dedup::default(), by_document, longest].into_iter().enumerate() {
        let (clean, list) = (name(&format!("{number}.jsonl")), name(&format!("{number}-removed.jsonl")));
        let outputs = Outputs::to(&clean).and_then(|outputs| outputs.removed(&list)).expect("names");
        let on_disk = job.run(&files, outputs, &Run::default()).expect("the documents");
        assert!(on_disk.words_kept < on_disk.words, "{job:?}");
        for input in [&files, &in_memory] {
            let (outputs, results) = Outputs::memory();
            let removed = Memory::default();
            let outputs = outputs.list("removed", Output::Memory(removed.clone()));
            assert_eq!(job.run(input, outputs, &Run::default()).expect("the documents"), on_disk);
            assert_eq!(removed.bytes(), fs::read(&list).expect("a list"));
            assert_eq!(texts(&results.documents()), texts(&read(&clean)));
        }
        let job = Dedup { alarm: Some(0.5), ..job };
        let written = serde_json::to_string(&job).expect("a job is plain data");
        assert_eq!(serde_json::from_str::<Dedup>(&written).expect("the same job"), job);
    }
}

#[test]
fn dedup_against_documents_files_and_evidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = |file: &str| folder.path().join(file).to_string_lossy().into_owned();
    let known = read(&samples().join("crawl.warc.gz"));
    let (old, new) = known.split_at(known.len() / 2);
    let (old, new) = (Input::documents(old.to_vec()), Input::documents(new.to_vec()));
    let job = Dedup::default();
    let outputs = Outputs::to(name("old.jsonl")).and_then(|outputs| outputs.save(name("evidence")));
    job.run(&old, outputs.expect("names"), &Run::default()).expect("the documents");
    let against = |known: &Input| {
        let (outputs, results) = Outputs::memory();
        let outputs = outputs.list("explain", Output::Memory(results.clone()));
        job.run_against(&new, known, outputs, &Run::default()).expect("the documents");
        assert!(!results.bytes().is_empty());
        results.documents()
    };
    let file = against(&Input::paths([name("old.jsonl")]).expect("a name"));
    let documents = against(&Input::documents(read(Path::new(&name("old.jsonl")))));
    let evidence = against(&Input::paths([name("evidence")]).expect("a name"));
    assert_eq!((texts(&documents), texts(&evidence)), (texts(&file), texts(&file)));
}

#[test]
fn dedup_refuses_what_it_cannot_do() {
    let input = Input::documents([Document::from_text("a", "One text.")]);
    let refusal = |job: &Dedup, outputs: Outputs| {
        job.run(&input, outputs, &Run::default()).expect_err("cannot be done").to_string()
    };
    let clusters = Outputs::none().list("clusters", Output::Memory(Memory::default()));
    assert!(refusal(&Dedup::default(), clusters).contains("`clusters`"));
    let longest = Dedup { keep: Keep::Longest, ..Dedup::default() };
    assert!(refusal(&longest, Outputs::none()).contains("`keep`"));
    let count = Dedup { count_only: true, ..Dedup::default() };
    assert!(refusal(&count, Outputs::memory().0).contains("writes no documents"));
    let run = Run { memory: Some(1 << 20), ..Run::default() };
    let error = Dedup::default().run(&input, Outputs::none(), &run).expect_err("too little memory");
    assert!(error.to_string().contains("`memory=128M`"), "{error}");
}

const NAMES: [&str; 40] = [
    "Abel", "Bruno", "Carla", "Dora", "Emil", "Frieda", "Gustav", "Hanna", "Igor", "Jana", "Karl", "Lena", "Moritz",
    "Nora", "Otto", "Paula", "Quirin", "Rosa", "Stefan", "Tilda", "Ulrich", "Vera", "Walter", "Xenia", "Yara", "Zeno",
    "Ashford", "Barton", "Calder", "Denby", "Elmham", "Fenwick", "Garston", "Hexham", "Ilkley", "Jarrow", "Kendal",
    "Lydden", "Malton", "Norham",
];

/// A notice with the wording of all others, about other people, places and sums.
fn notice(number: usize) -> String {
    // In small letters, nothing marks them as names.
    let name = |at: usize| NAMES[(number * (2 * at + 3) + at * at + number / 7) % NAMES.len()].to_lowercase();
    let (sum, room, day) = (1000 + number * 37 % 8999, 1 + number * 11 % 97, 1 + number * 5 % 28);
    format!(
        "Notice is given that the district court of {} will hear the claim of {} against {} for the sum of {sum} pounds, \
         as the parties could not agree on the amount that is owed.\n\nThe hearing begins in room {room} on the morning of \
         the {day}th, and {} is appointed to speak for the party that is absent. A party that does not appear loses the \
         right to be heard and bears the costs of {} pounds. Letters about it go to {} in {}, or to {} at number {}.",
        name(1),
        name(2),
        name(3),
        name(4),
        sum / 9 + room,
        name(5),
        name(6),
        name(7),
        room * 7 + day
    )
}

fn notices() -> Vec<Document> {
    (0..60).map(|number| Document::from_text(format!("notice-{number}"), notice(number))).collect()
}

fn by_document() -> Dedup {
    Dedup { unit: Unit::Document, ..Dedup::default() }
}

/// The ids of what is kept, and the lines of a list.
fn kept(job: &Dedup, documents: Vec<Document>, list: &'static str) -> (Vec<String>, String, refrain::DedupReport) {
    let (outputs, results) = Outputs::memory();
    let lines = Memory::default();
    let outputs = outputs.list(list, Output::Memory(lines.clone()));
    let report = job.run(&Input::documents(documents), outputs, &Run::default()).expect("the documents");
    let ids = results.documents().iter().map(|document| document.id.clone()).collect();
    (ids, String::from_utf8(lines.bytes()).expect("text"), report)
}

#[test]
fn the_same_wording_with_other_facts_is_no_copy() {
    let documents = notices();
    let (ids, _, _) = kept(&by_document(), documents.clone(), "removed");
    assert_eq!(ids.len(), documents.len());
    let (_, _, report) = kept(&Dedup::default(), documents.clone(), "removed");
    let removed = |report: &refrain::DedupReport| report.words - report.words_kept;
    assert!(report.blocks_of_templates.is_some_and(|blocks| blocks > 20), "{report:?}");
    // The plain rule, and the user's word, remove it.
    for job in [Dedup { intact: true, ..Dedup::default() }, Dedup { template_text: true, ..Dedup::default() }] {
        let (_, _, plain) = kept(&job, documents.clone(), "removed");
        assert!(4 * removed(&report) < 3 * removed(&plain), "{report:?} {plain:?}");
    }
    let published = Dedup { resemblance: Some(0.2), ..by_document() };
    assert!(kept(&published, documents, "removed").0.len() < 60);
}

#[test]
fn copies_of_such_documents_are_found() {
    let mut documents = notices();
    let changed = |text: &str| text.replace("morning", "evening").replace("could not agree", "did not agree");
    let newer = format!(
        "{}\n\n{}",
        notice(9),
        "The gardener of the bishop counted every apple tree before the storm. ".repeat(9)
    );
    documents.push(Document::from_text("exact", notice(5)));
    documents.push(Document::from_text("edited", changed(&notice(7))));
    documents.push(Document::from_text("newer", newer));
    let (ids, clusters, report) = kept(&by_document(), documents, "clusters");
    assert!(!ids.contains(&"exact".into()) && !ids.contains(&"edited".into()) && ids.contains(&"newer".into()));
    assert_eq!(report.documents - report.documents_kept, 2);
    let line =
        |id: &str| clusters.lines().find(|line| line.contains(&format!("\"keep\":\"{id}\""))).expect("a cluster");
    assert!(line("notice-7").contains(r#""copies":["edited"]"#), "{clusters}");
    assert!(line("notice-9").contains(r#""id":"newer","kind":"newer_version""#), "{clusters}");
}

/// Sentences of which no two share a sequence of words.
fn story(from: usize, sentences: usize) -> String {
    let word = |at: usize| format!("{}{}", ["sta", "mor", "lin", "ver", "tol", "bra"][at % 6], at * 7919 % 1009);
    let sentence = |number: usize| (0..12).map(|at| word(number * 13 + at)).collect::<Vec<_>>().join(" ") + ".";
    (from..from + sentences).map(sentence).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_removed_is_in_the_document_that_is_kept() {
    // Each contains most of the one before it, but the last contains little of the first.
    let chain = |number: usize| Document::from_text(format!("d{number}"), story(number * 2, 24));
    let (ids, _, _) = kept(&by_document(), (0..4).map(chain).collect(), "removed");
    assert_eq!(ids, ["d0", "d2"]);
    // The longest one that contains others is kept; what it does not contain is kept, too.
    let texts = [("a", story(0, 20)), ("b", story(0, 28)), ("c", story(0, 19)), ("d", story(20, 24))];
    let documents = || texts.iter().map(|(id, text)| Document::from_text(*id, text.as_str())).collect::<Vec<_>>();
    let longest = Dedup { keep: Keep::Longest, ..by_document() };
    let (ids, clusters, _) = kept(&longest, documents(), "clusters");
    assert_eq!(ids, ["b", "d"]);
    assert!(clusters.contains(r#"{"keep":"b","copies":["a","c"]"#), "{clusters}");
    assert_eq!(kept(&by_document(), documents(), "removed").0, ["a", "b", "d"]);
    let dated = documents().into_iter().zip(["2024-01-01", "2023-05-05", "2026-02-03", "2025-01-01"]);
    let dated = dated.map(|(mut document, date)| {
        document.meta.insert("date".into(), date.into());
        document
    });
    let newest = Dedup { keep: Keep::Newest, ..by_document() };
    assert_eq!(kept(&newest, dated.collect(), "removed").0, ["a", "b", "c", "d"][1..]);
}

/// The ids of what `refrain dedup --by document` keeps.
fn kept_of(texts: &[(&str, String)]) -> Vec<String> {
    let documents = texts.iter().map(|(id, text)| Document::from_text(*id, text.as_str())).collect();
    kept(&by_document(), documents, "removed").0
}

#[test]
fn new_text_in_one_place_is_kept_and_edits_in_many_places_are_not() {
    let old = story(0, 10);
    let words: Vec<&str> = old.split(' ').collect();
    let changed = |is_changed: &dyn Fn(usize) -> bool| {
        let word = |(at, word): (usize, &&str)| {
            if is_changed(at) { NAMES[at % NAMES.len()].to_lowercase() } else { (*word).to_owned() }
        };
        words.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    };
    // Both lack 18 of 120 words.
    let (together, spread) = (changed(&|at| (40..58).contains(&at)), changed(&|at| at % 7 == 3 || at == 40));
    assert_eq!(kept_of(&[("old", old.clone()), ("together", together)]), ["old", "together"]);
    assert_eq!(kept_of(&[("old", old.clone()), ("spread", spread)]), ["old"]);
    // So few changes of a short text can be an editor's or a different text.
    let short =
        |subject: &str| format!("This bundle holds the {subject} of the lamp library, which lights a room on request.");
    assert_eq!(kept_of(&[("a", short("manual")), ("b", short("compiled samples"))]), ["a", "b"]);
}

#[test]
fn the_same_change_in_many_places_is_another_subject() {
    let page = |verb: &str| {
        format!(
            "Use {verb} with one lamp of the set. The command {verb} waits until the lamp answers, and reports how long that took.\n\n\
             Each call of {verb} needs the name of a lamp, which the list of the set shows. Where no lamp has the name, {verb} \
             ends at once. Two calls do not disturb each other, since {verb} locks the lamp for the time that it needs.\n\n\
             A log keeps the last calls of {verb} with their times. Clear it with the switch on the back of the set, or let it \
             run over; nothing else reads it. Owners of older sets replace the lamp first, then follow the steps above."
        )
    };
    let edits = [
        ("until the lamp", "while the lamp"),
        ("reports how", "notes how"),
        ("list of the set", "register of the set"),
    ];
    let edits = edits.into_iter().chain([
        ("has the name", "has that name"),
        ("that it needs", "that it takes"),
        ("keeps the last", "stores all"),
    ]);
    let edited = |text: String| edits.clone().fold(text, |text, (old, new)| text.replace(old, new));
    assert_eq!(kept_of(&[("a", page("dim")), ("b", edited(page("dim")))]), ["a"]);
    assert_eq!(kept_of(&[("a", page("brighten")), ("b", edited(page("dim")))]), ["a", "b"]);
}

#[test]
fn a_subject_is_recognised_in_all_its_forms() {
    let page = |forms: [&str; 7]| {
        let [one, two, three, four, five, six, seven] = forms;
        format!(
            "This page is about the flag of the harbour, and how to {one} it in good time.\n\nThe keeper {two} the flag when a \
             ship is expected, and writes the hour of the day in the book of the station. A flag that was {three} by mistake \
             counts as an order to wait outside. While {four} the flag, no one else may stand on the platform of the mast. Ask a \
             second person to {five} the small pennant with the other hand, because the rope is long and the wind is strong on \
             most days of the year.\n\nNobody {six} a flag that is torn; new ones are in the chest below the stairs, with a list \
             of all ships that sail on this coast. In fog, {seven} the lantern first and ring the bell three times."
        )
    };
    let raise = page(["raise", "raises", "hoisted", "raising", "hoist", "hoists", "lift"]);
    let edited = page(["set", "shows", "set", "showing", "hold", "uses", "use"]);
    let lower =
        page(["take down", "brings down", "lowered down", "getting down", "let down", "pulls down", "bring down"]);
    assert_eq!(kept_of(&[("raise", raise.clone()), ("edited", edited)]), ["raise"]);
    assert_eq!(kept_of(&[("raise", raise), ("lower", lower)]), ["raise", "lower"]);
}

#[test]
fn a_passage_of_its_own_is_kept_however_long_the_document_is() {
    let with = |passage: usize| {
        let words: Vec<String> = story(500, 4).split(' ').take(passage).map(str::to_owned).collect();
        format!("{} {}. {}", story(0, 50), words.join(" "), story(50, 50))
    };
    let old = || ("old", story(0, 100));
    assert_eq!(kept_of(&[old(), ("sentence", with(15))]), ["old"]);
    assert_eq!(kept_of(&[old(), ("passage", with(30))]), ["old", "passage"]);
    // A higher share allows less new text, but some; a lower one is the user's word.
    let kept_at = |contained: f64, passage: usize| {
        let documents = [old(), ("new", with(passage))].map(|(id, text)| Document::from_text(id, text));
        kept(&Dedup { contained, ..by_document() }, documents.to_vec(), "removed").0.len()
    };
    assert_eq!([kept_at(0.9, 15), kept_at(1.0, 15), kept_at(0.7, 30)], [1, 2, 1]);
}

#[test]
fn paragraphs_in_another_order_are_the_same_text() {
    let paragraphs: Vec<String> = (0..12).map(|number| story(number * 3, 3)).collect();
    let mut other = paragraphs.clone();
    other.reverse();
    assert_eq!(kept_of(&[("a", paragraphs.join("\n\n")), ("b", other.join("\n\n"))]), ["a"]);
}

#[test]
fn wording_that_many_share_has_to_be_in_the_other_document_too() {
    let (terms, own) = (story(0, 8), story(100, 2));
    let mut texts: Vec<(String, String)> =
        (0..6).map(|number| (format!("n{number}"), format!("{terms}\n\n{}", story(200 + number * 9, 9)))).collect();
    texts.push(("short".into(), format!("{own}\n\n{}", story(300, 2))));
    texts.push(("long".into(), format!("{terms}\n\n{own}")));
    let texts: Vec<(&str, String)> = texts.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    assert_eq!(kept_of(&texts).len(), texts.len());
}

#[test]
fn documents_in_different_languages_are_not_copies() {
    let code = "let shared = value.iter().map(|item| item.next()).filter(|item| item.is_some()).collect(); ".repeat(12);
    let with = |prose: &str| format!("{prose}\n\n{code}");
    let english =
        with("This example shows how the values of a list are taken one after the other, and which of them are kept.");
    let german =
        with("Dieses Beispiel zeigt, wie die Werte einer Liste nacheinander genommen werden und welche davon bleiben.");
    let mut documents = [Document::from_text("en", english), Document::from_text("de", german)];
    for (document, language) in documents.iter_mut().zip(["en", "de"]) {
        document.language = Some(language.into());
    }
    let low = Dedup { contained: 0.3, ..by_document() };
    let (ids, clusters, _) = kept(&low, documents.to_vec(), "clusters");
    assert_eq!(ids, ["en", "de"]);
    assert!(clusters.contains(r#""kind":"translation""#), "{clusters}");
    // The country does not matter.
    let edited = documents[0].text().replace("one after the other", "in their order");
    let mut stated = [Document::from_text("gb", documents[0].text()), Document::from_text("us", edited)];
    for (document, language) in stated.iter_mut().zip(["en-GB", "en"]) {
        document.language = Some(language.into());
    }
    assert_eq!(kept(&low, stated.to_vec(), "removed").0, ["gb"]);
}

#[test]
fn new_text_in_another_language_is_kept() {
    let with = |others: [&str; 3]| {
        let sentence = |number: usize| match number {
            5 | 12 | 19 => others[number / 7].to_owned(),
            _ => format!(
                "The keeper of the lamp in {} writes the hour of the evening in the book of the station, and {} reads it when \
                 the ship from {} has arrived.",
                NAMES[number],
                NAMES[(number * 5 + 3) % 26],
                NAMES[26 + number % 13]
            ),
        };
        (0..26).map(sentence).collect::<Vec<_>>().join("\n\n")
    };
    let english = with([
        "Nobody may enter the upper room without a lantern in the winter months.",
        "Spare wicks are stored below the stairs, next to the barrels of oil.",
        "Whoever breaks a window pays for new glass before spring comes.",
    ]);
    let edited = with([
        "People must not climb these steep steps after dark during a storm.",
        "Fresh bread is delivered on Mondays by boat, if the sea allows that.",
        "Visitors leave their muddy boots outside and sign their full names.",
    ]);
    let german = with([
        "Niemand darf das obere Zimmer im Winter ohne eine Laterne betreten.",
        "Neue Dochte liegen unter der Treppe, gleich neben den Fässern voll Öl.",
        "Wer eine Scheibe zerbricht, bezahlt vor dem Frühling frisches Glas.",
    ]);
    assert_eq!(kept_of(&[("a", english.clone()), ("b", edited)]), ["a"]);
    assert_eq!(kept_of(&[("a", english.clone()), ("b", german.clone())]), ["a", "b"]);
    let longest = Dedup { keep: Keep::Longest, ..by_document() };
    let documents = vec![Document::from_text("a", english), Document::from_text("b", german)];
    assert_eq!(kept(&longest, documents, "removed").0, ["a", "b"]);
}

/// Documents of random words, as JSONL. One paragraph in seven is a copy.
fn collection(documents: usize) -> String {
    let paragraph = |number: u64| -> String {
        let word = |at: u64| (number * 60 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(25) % 5000;
        (0..60).map(|at| format!("w{} ", word(at))).collect::<Vec<_>>().concat()
    };
    let line = |number: usize| {
        let chosen = |at: usize| if at == 2 { number / 2 * 11 } else { number * 11 + at };
        let text: String = (0..3 + number % 9).map(|at| paragraph(chosen(at) as u64) + "\n\n").collect();
        serde_json::json!({"id": number.to_string(), "text": text}).to_string() + "\n"
    };
    (0..documents).map(line).collect()
}

#[test]
fn a_plan_foresees_words_and_output_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (docs, clean) = (folder.path().join("docs.jsonl"), folder.path().join("clean.jsonl"));
    let temporary = tempfile::tempdir().expect("a folder");
    let run = Run { temporary: Some(temporary.path().to_owned()), ..Run::default() };
    // The first is read whole.
    for documents in [300, 5_000, 9_000] {
        fs::write(&docs, collection(documents)).expect("room");
        let input = Input::paths([docs.to_string_lossy()]).expect("a name");
        let outputs = || Outputs::to(&clean).expect("a name");
        let job = Dedup::default();
        let plan = job.plan(&input, None, &outputs(), &run).expect("a plan");
        assert!(!clean.exists() && fs::read_dir(temporary.path()).expect("a folder").next().is_none());
        let report = job.run(&input, outputs(), &run).expect("the documents");
        let written = fs::metadata(&clean).expect("a file").len();
        for (name, foreseen, found) in [
            ("documents", plan.documents, report.documents),
            ("words", plan.words, report.words),
            ("output", plan.output, written),
        ] {
            let share = foreseen as f64 / found as f64;
            assert!((0.75..1.25).contains(&share), "{name} of {documents}: {share}");
        }
        assert_eq!(plan.sampled_bytes < plan.input_bytes, documents > 300);
        fs::remove_file(&clean).expect("a file");
    }
    let error = Dedup::default().plan(&Input::stdin(), None, &Outputs::none(), &run).expect_err("no file");
    assert!(error.to_string().contains("standard input"), "{error}");
}
