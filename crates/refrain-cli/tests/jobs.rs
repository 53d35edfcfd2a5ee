//! A job of the library writes the same bytes as the verb of the same name.

mod common;

use common::{Env, sample};
use refrain::{
    Compare, Convert, Corpus, Decode, Decontaminate, Dedup, Editions, Extract, Input, Outputs, Run, Strip, Template,
    Unit,
};

/// Runs a command, whose output is in the folder `verb/`, and a job, whose output is in the folder `job/`; compares the folders.
#[track_caller]
fn same_bytes(command: &str, inputs: &[&str], job: impl FnOnce(&Input, &dyn Fn(&str) -> String)) {
    let env = Env::new();
    for folder in ["verb", "job"] {
        std::fs::create_dir(env.path(folder)).expect("a folder");
    }
    let inputs: Vec<String> = inputs.iter().map(|input| sample(input)).collect();
    let (verb, options) = command.split_once(' ').expect("an output");
    let options = options.split_whitespace().map(str::to_owned);
    let arguments: Vec<String> = [verb.to_owned()].into_iter().chain(inputs.clone()).chain(options).collect();
    env.run(&arguments).code(0);
    job(&Input::paths(&inputs).expect("names"), &|name| {
        format!(
            "{}{}",
            env.path("job").join(name.trim_end_matches('/')).display(),
            if name.ends_with('/') { "/" } else { "" }
        )
    });
    let (of_verb, of_job) = (env.snapshot("verb"), env.snapshot("job"));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<String>>();
    assert_eq!(names(&of_verb), names(&of_job));
    assert!(!of_verb.is_empty());
    for ((name, one), (_, other)) in of_verb.iter().zip(&of_job) {
        assert!(one == other, "{command}: {name}: {} {}", String::from_utf8_lossy(one), String::from_utf8_lossy(other));
    }
}

fn to(name: String) -> Outputs {
    Outputs::to(name).expect("an output")
}

#[test]
fn jobs_write_the_bytes_of_their_verbs() {
    let run = Run::default();
    same_bytes("convert -o verb/out.jsonl", &["crawl.warc.gz"], |input, at| {
        Convert::default().run(input, to(at("out.jsonl")), &run).map(drop).expect("documents");
    });
    same_bytes("extract -o verb/out.jsonl", &["crawl.warc.gz"], |input, at| {
        Extract::default().run(input, to(at("out.jsonl")), &run).map(drop).expect("pages");
    });
    same_bytes("decode -o verb/out/", &["pages"], |input, at| {
        Decode::default().run(input, to(at("out/")), &run).map(drop).expect("texts");
    });
    same_bytes("dedup -o verb/out.jsonl --removed verb/removed.jsonl", &["crawl.warc.gz"], |input, at| {
        let outputs = to(at("out.jsonl")).removed(at("removed.jsonl")).expect("a list");
        Dedup::default().run(input, outputs, &run).map(drop).expect("documents");
    });
    same_bytes("dedup --by document -o verb/out.jsonl", &["crawl.warc.gz"], |input, at| {
        let job = Dedup { unit: Unit::Document, ..Dedup::default() };
        job.run(input, to(at("out.jsonl")), &run).map(drop).expect("documents");
    });
    same_bytes("strip -o verb/out/", &["books"], |input, at| {
        Strip::default().run(input, to(at("out/")), &run).map(drop).expect("books");
    });
    same_bytes("template -o verb/out/", &["site"], |input, at| {
        Template::default().run(input, to(at("out/")), &run).map(drop).expect("pages");
    });
    same_bytes("compare -o verb/out/", &["essays"], |input, at| {
        Compare::default().run(input, to(at("out/")), &run).map(drop).expect("pairs");
    });
    same_bytes("editions -o verb/out/", &["editions"], |input, at| {
        Editions::default().run(input, to(at("out/")), &run).map(drop).expect("works");
    });
    same_bytes("corpus -o verb/out/", &["crawl.warc.gz"], |input, at| {
        Corpus::default().run(input, to(at("out/")), &run).map(drop).expect("a corpus");
    });
    let evals = sample("evals");
    same_bytes(&format!("decontaminate --evals {evals} -o verb/out.jsonl"), &["quiz.jsonl"], |input, at| {
        let evals = Input::paths([&evals]).expect("benchmarks");
        Decontaminate::default().run(input, &evals, to(at("out.jsonl")), &run).map(drop).expect("documents");
    });
}
