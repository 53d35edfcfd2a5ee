//! A dedup run that is killed, or has no room left, goes on where it was, and ends with the same bytes.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::Env;
use serde_json::json;

/// Documents of which many have blocks of others, some with other words, and some are copies.
fn make_documents(env: &Env) {
    let mut lines = String::new();
    for n in 0..2400_u64 {
        let blocks = [n % 997, 5000 + n % 701, 10_000 + n].map(|seed| common::words(120, seed));
        let text = if n % 9 == 0 { blocks[0].clone() } else { blocks.join("\n\n") };
        let text = if n % 5 == 0 { text.replace("a ", "an ") } else { text };
        lines +=
            &json!({"id": format!("d{n}"), "text": text, "url": format!("https://h{}.example/{n}", n % 3)}).to_string();
        lines += if n % 600 == 599 { "\n{ damaged\n" } else { "\n" };
    }
    env.write("docs.jsonl", lines);
}

/// What a run writes.
const FILES: [&str; 5] = ["clean.jsonl.zst", "removed.jsonl.gz", "lost.jsonl", "report.json", "errors.jsonl"];

/// The same command in a folder of its own, with files named alike.
fn command(env: &Env, folder: &str, more: &[&str]) -> Command {
    let name = |file: &str| format!("{folder}/{file}");
    let [clean, removed, lost, report, errors] = FILES.map(name);
    let mut arguments = vec!["dedup", "docs.jsonl", "--checkpoint", "300K", "-o", &clean, "--removed", &removed];
    arguments.extend(["--lost", &lost, "--report", &report, "--errors", &errors]);
    arguments.extend(more);
    let mut command = env.command(&arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn contents(env: &Env, folder: &str) -> Vec<Vec<u8>> {
    FILES.iter().map(|file| env.read(&format!("{folder}/{file}"))).collect()
}

fn folder(env: &Env, name: &str) {
    std::fs::create_dir(env.path(name)).expect("a folder");
}

#[test]
fn killed_runs_resume_and_end_with_the_same_bytes() {
    let env = Env::new();
    make_documents(&env);
    folder(&env, "whole");
    let began = Instant::now();
    assert_eq!(command(&env, "whole", &[]).status().expect("an end").code(), Some(1), "four damaged lines");
    let whole = began.elapsed();
    let expected = contents(&env, "whole");
    assert!(!env.path("whole/.clean.jsonl.zst.working").exists(), "nothing stays behind");
    assert!(expected.iter().all(|file| !file.is_empty()));

    folder(&env, "killed");
    let work = env.path("killed/.clean.jsonl.zst.working");
    let (mut learning, mut marking) = (0, 0);
    // Soon after the start, behind the first checkpoint of learning, and behind that of marking; then a bit later.
    for (number, behind) in [None, Some("learn.json"), Some("learn.json"), Some("mark.state"), None]
        .into_iter()
        .cycle()
        .take(10)
        .enumerate()
    {
        let threads = if number % 2 == 0 { "2" } else { "1" };
        let mut run = command(&env, "killed", &["--threads", threads]).spawn().expect("the program");
        while behind.is_some_and(|state| !work.join(state).exists()) && run.try_wait().expect("a state").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(whole.mul_f64([0.02, 0.15, 0.05][number % 3]));
        run.kill().expect("it can be killed");
        run.wait().expect("an end");
        learning += u32::from(work.join("learn.json").exists());
        marking += u32::from(work.join("mark.state").exists());
    }
    assert!(
        learning > 2 && marking > 0,
        "too few runs were killed behind a checkpoint: {learning}, {marking}, {whole:?}"
    );
    let last = command(&env, "killed", &[]).stderr(Stdio::piped()).output().expect("an end");
    assert_eq!(last.status.code(), Some(1), "{}", String::from_utf8_lossy(&last.stderr));
    assert!(contents(&env, "killed") == expected, "other bytes");
    assert!(!env.path("killed/.clean.jsonl.zst.working").exists());
}

#[test]
fn a_run_that_is_killed_while_it_deletes_its_working_folder_can_be_repeated() {
    let env = Env::new();
    make_documents(&env);
    for name in ["whole", "killed"] {
        folder(&env, name);
    }
    assert_eq!(command(&env, "whole", &[]).status().expect("an end").code(), Some(1));
    let (report, work) = (env.path("killed/report.json"), env.path("killed/.clean.jsonl.zst.working"));
    let files = || work.read_dir().map_or(0, Iterator::count);
    let mut run = command(&env, "killed", &[]).spawn().expect("the program");
    // The report is the last file before the folder is deleted.
    let mut before = 0;
    while !report.exists() || files() >= before {
        before = if report.exists() { before } else { files() };
        if run.try_wait().expect("a state").is_some() {
            break;
        }
    }
    run.kill().expect("it can be killed");
    run.wait().expect("an end");
    let again = command(&env, "killed", &[]).stderr(Stdio::piped()).output().expect("an end");
    assert_eq!(again.status.code(), Some(1), "{}", String::from_utf8_lossy(&again.stderr));
    assert!(contents(&env, "killed") == contents(&env, "whole"), "other bytes");
}

#[test]
fn a_run_into_a_folder_resumes_wherever_it_is_killed() {
    let env = Env::new();
    make_documents(&env);
    let run = |folder: &str| {
        let [out, removed, lost, report] =
            ["out/", "r.jsonl", "l.jsonl", "r.json"].map(|name| format!("{folder}/{name}"));
        let mut arguments = vec!["dedup", "docs.jsonl", "--checkpoint", "300K", "--part-size", "500K", "-o", &out];
        arguments.extend(["--removed", &removed, "--lost", &lost, "--report", &report]);
        let mut command = env.command(&arguments);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let written = |folder: &str| {
        let parts = env.path(&format!("{folder}/out")).read_dir().expect("a folder");
        let mut files: Vec<_> = parts.map(|part| part.expect("a part").path()).filter(|path| path.is_file()).collect();
        files.push(env.path(&format!("{folder}/out/_refrain/removed.jsonl.zst")));
        files.extend(["r.jsonl", "l.jsonl", "r.json"].map(|name| env.path(&format!("{folder}/{name}"))));
        files.sort();
        files.iter().map(|file| std::fs::read(file).expect("a file")).collect::<Vec<_>>()
    };
    folder(&env, "whole");
    assert_eq!(run("whole").status().expect("an end").code(), Some(1));
    assert!(written("whole").len() > 6, "several parts");
    // Behind a checkpoint of marking, when the list of what was removed is complete, and while the folder is deleted.
    for state in ["k/out.working/mark.state", "k/r.jsonl", "k/r.json"] {
        let state = state.replace("out.working", ".out.working");
        let _ = std::fs::remove_dir_all(env.path("k"));
        folder(&env, "k");
        let mut killed = run("k").spawn().expect("the program");
        while !env.path(&state).exists() && killed.try_wait().expect("a state").is_none() {
            std::thread::yield_now();
        }
        killed.kill().expect("it can be killed");
        if killed.wait().expect("an end").code().is_some() && !env.path("k/.out.working").exists() {
            continue; // it was faster
        }
        let again = run("k").output().expect("an end");
        assert_eq!(again.status.code(), Some(1), "{state}: {}", String::from_utf8_lossy(&again.stderr));
        assert!(written("k") == written("whole"), "{state}: other bytes");
    }
}

#[test]
fn another_command_does_not_resume_the_work_of_one_that_was_killed() {
    let env = Env::new();
    make_documents(&env);
    folder(&env, "a");
    let state = env.path("a/.clean.jsonl.zst.working/learn.json");
    let mut run = command(&env, "a", &[]).spawn().expect("the program");
    while !state.exists() && run.try_wait().expect("a state").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    // Two at a time would spoil each other's files.
    let second = command(&env, "a", &[]).stderr(Stdio::piped()).output().expect("an end");
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another run"), "{second:?}");
    run.kill().expect("it can be killed");
    run.wait().expect("an end");
    assert!(state.exists());
    assert_eq!(command(&env, "a", &["--ngram", "5"]).status().expect("an end").code(), Some(1));
    folder(&env, "b");
    assert_eq!(command(&env, "b", &["--ngram", "5"]).status().expect("an end").code(), Some(1));
    assert!(contents(&env, "a") == contents(&env, "b"), "other bytes");
}

#[test]
fn a_full_disk_is_reported_and_the_run_resumes_when_there_is_room() {
    let env = Env::new();
    make_documents(&env);
    for name in ["whole", "full", "small"] {
        folder(&env, name);
    }
    assert_eq!(command(&env, "whole", &[]).status().expect("an end").code(), Some(1));
    let small = env.path("small");
    let mount = |arguments: &[&str]| {
        Command::new("mount").args(arguments).arg(&small).stderr(Stdio::null()).status().is_ok_and(|end| end.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=10m", "tmpfs"]) {
        common::skipped("this user may not mount a small disk");
        return;
    }
    let outcome = command(&env, "full", &["--temporary", "small"]).stderr(Stdio::piped()).output().expect("an end");
    let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let nothing_yet = !env.path("full/clean.jsonl.zst").exists();
    let room = mount(&["-o", "remount,size=200m"]);
    let end = command(&env, "full", &["--temporary", "small"]).status().expect("an end");
    let unmounted = Command::new("umount").arg(&small).status();
    assert_eq!(outcome.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("No space left") && stderr.contains("run it again with the same options"), "{stderr}");
    assert!(nothing_yet && room && unmounted.is_ok_and(|end| end.success()));
    assert_eq!(end.code(), Some(1));
    assert!(contents(&env, "full") == contents(&env, "whole"), "other bytes");
}

#[test]
fn temporary_files_that_cannot_be_written_are_reported() {
    let env = Env::new();
    env.write("docs.jsonl", json!({"id": "a", "text": common::GOOD}).to_string());
    env.write("file", "no folder");
    for place in ["none", "file", "/proc"] {
        let outcome = env.run(&["dedup", "docs.jsonl", "-o", "x.jsonl", "--temporary", place]).code(2);
        assert!(outcome.stderr.contains(place), "{outcome:?}");
        let outcome = env.run(&["dedup", "docs.jsonl", "--count-only", "--temporary", place]).code(2);
        assert!(outcome.stderr.contains(place), "{outcome:?}");
    }
    assert!(!env.path("x.jsonl").exists());
}
