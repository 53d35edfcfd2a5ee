use std::fs;

use refrain::jobs::ContaminatedUnit;
use refrain::{Decontaminate, Document, Input, Label, Outputs, Reason, Run};

use super::{names_of, read, samples, texts};

fn evals() -> Input {
    Input::paths([samples().join("evals").to_string_lossy()]).expect("a name")
}

#[test]
fn files_and_memory_give_the_same_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let quiz = samples().join("quiz.jsonl");
    let input = Input::paths([quiz.to_string_lossy()]).expect("a name");
    let file = folder.path().join("clean.jsonl");
    let job = Decontaminate::default();
    let report = job.run(&input, &evals(), Outputs::to(&file).expect("a name"), &Run::default()).expect("files");
    let (outputs, results) = Outputs::memory();
    let again = job.run(&Input::documents(read(&quiz)), &evals(), outputs, &Run::default()).expect("memory");
    assert_eq!(report, again);
    let documents = results.documents();
    assert_eq!((texts(&read(&file)), names_of(&read(&file))), (texts(&documents), names_of(&documents)));
    assert_eq!(report.documents_contaminated, 2);
}

#[test]
fn items_can_be_in_memory_or_parquet() {
    let folder = tempfile::tempdir().expect("a folder");
    let benchmark = samples().join("evals/lighthouse-quiz.jsonl");
    // Records without a text: `convert` reads the question as the text and keeps the other fields in a column.
    let table = folder.path().join("lighthouse-quiz.parquet");
    let read_questions = refrain::source::ReadOptions { text_field: "question".into(), ..Default::default() };
    let convert = refrain::Convert { read: read_questions, ..Default::default() };
    let input = Input::paths([benchmark.to_string_lossy()]).expect("a name");
    convert.run(&input, Outputs::to(&table).expect("a name"), &Run::default()).expect("a table");
    let job = Decontaminate {
        fields: refrain::decontaminate::BenchmarkFields { question: Some("text".into()), ..Default::default() },
        ..Decontaminate::default()
    };
    let quiz = Input::paths([samples().join("quiz.jsonl").to_string_lossy()]).expect("a name");
    let table = Input::paths([table.to_string_lossy()]).expect("a name");
    let report = job.run(&quiz, &table, Outputs::none(), &Run::default()).expect("a report");
    let figures = &report.benchmarks[0];
    assert_eq!((&*figures.name, figures.items, figures.items_found), ("lighthouse-quiz", 4, 1));
    assert_eq!(figures.found[0].id, "q1");
}

#[test]
fn marks_say_which_item_it_is() {
    let quiz = Input::paths([samples().join("quiz.jsonl").to_string_lossy()]).expect("a name");
    let (outputs, results) = Outputs::memory();
    let job = Decontaminate { keep_marked: true, ..Decontaminate::default() };
    job.run(&quiz, &evals(), outputs, &Run::default()).expect("documents");
    let documents = results.documents();
    let mark = &documents[0].marks[0];
    assert_eq!((mark.label, &*mark.pass), (Label::Benchmark, "decontaminate"));
    let Reason::Item { benchmark, item, fields, share, text } = &mark.reason else { panic!("{mark:?}") };
    assert_eq!((&**benchmark, &**item), ("lighthouse-quiz", "q1"));
    assert!(text.starts_with("Which keeper of Skerrow Head") && text.ends_with("Eva Carrow"), "{text}");
    assert_eq!((fields.join(" "), *share), ("question options answer".to_owned(), 1.0));
    assert!(mark.span.of(documents[0].text()).starts_with("7. WHICH KEEPER"));
    assert!(mark.span.of(documents[0].text()).ends_with("(d) Ada Finch"));
    // Comments between the lines of a quotation are somebody's own text.
    assert!(documents[1].kept().contains("I love this part."));
    assert!(!documents[1].kept().contains("ledger"), "{}", documents[1].kept());
}

#[test]
fn whole_documents_go_if_that_is_wanted() {
    let quiz = Input::paths([samples().join("quiz.jsonl").to_string_lossy()]).expect("a name");
    let (outputs, results) = Outputs::memory();
    let job = Decontaminate { unit: ContaminatedUnit::Document, ..Decontaminate::default() };
    let report = job.run(&quiz, &evals(), outputs, &Run::default()).expect("documents");
    assert_eq!(names_of(&results.documents()), ["lens", "stairs", "nets"]);
    assert_eq!((report.documents, report.documents_kept), (5, 3));
}

#[test]
fn what_is_not_sure_is_reported_and_kept() {
    let quiz = Input::paths([samples().join("quiz.jsonl").to_string_lossy()]).expect("a name");
    let report = Decontaminate::default().run(&quiz, &evals(), Outputs::none(), &Run::default()).expect("a report");
    let figures = report.benchmarks.iter().find(|figures| figures.name == "lighthouse-quiz").expect("the benchmark");
    let doubts: Vec<(&str, &str)> =
        figures.doubtful.iter().map(|item| (&*item.id, item.doubt.expect("a reason").explained())).collect();
    assert_eq!(
        doubts,
        [
            ("q2", "too short to be sure without the answer"),
            ("q3", "too short to be sure without the answer"),
            ("q4", "the same wording with other names or numbers")
        ]
    );
}

#[test]
fn bad_benchmarks_are_failures_and_none_at_all_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = "{\"id\": 1, \"level\": \"hard\"}\nnot JSON\n{\"question\": \"Which keeper lit the old lamp of Skerrow Head?\"}\n";
    fs::write(folder.path().join("bad.jsonl"), bad).expect("a file");
    fs::write(folder.path().join("README.md"), "Some benchmarks.").expect("a file");
    let evals = Input::paths([folder.path().to_string_lossy()]).expect("a name");
    let documents = Input::documents([Document::from_text("a", "Nothing of it.")]);
    let job = Decontaminate::default();
    let report = job.run(&documents, &evals, Outputs::none(), &Run::default()).expect("a report");
    assert_eq!((report.failures.count, report.benchmarks[0].items), (2, 1), "{:?}", report.failures);
    assert_eq!(report.input.skipped["not a benchmark"], 1);
    fs::write(folder.path().join("bad.jsonl"), "{\"level\": 3}\n").expect("a file");
    let error = job.run(&documents, &evals, Outputs::none(), &Run::default()).expect_err("no item");
    assert!(error.to_string().contains("no benchmark item could be read"), "{error}");
}
