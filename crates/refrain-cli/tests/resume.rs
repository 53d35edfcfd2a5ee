//! A corpus run that is killed goes on where it was, and ends with the same bytes.

#[path = "../../../tests/skipped.rs"]
mod skipped;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A crawl large enough for a run to be killed in its middle: pages made from the sample, each with words of its own, and
/// every seventh one a copy.
fn make_crawl(folder: &Path) -> PathBuf {
    let page = fs::read_to_string(samples().join("pages/lighthouse.example/lens.html")).expect("a sample page");
    let crawl = folder.join("crawl");
    fs::create_dir(&crawl).expect("a folder");
    for file in 0..4 {
        let out = fs::File::create(crawl.join(format!("{file}.jsonl.zst"))).expect("a file");
        let mut out = zstd::stream::write::Encoder::new(out, 1).expect("an encoder").auto_finish();
        for number in 0..800 {
            let number = if number % 7 == 0 { 0 } else { number + file * 800 };
            let html =
                page.replacen("<p>", &format!("<p>The number of this page is {number}, and it is the only one. "), 1);
            writeln!(out, "{}", serde_json::json!({"id": format!("{file}-{number}"), "html": html})).expect("a line");
        }
        writeln!(out, "{{ damaged").expect("a line");
    }
    crawl
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn command(crawl: &Path, corpus: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
    command
        .args(["corpus", "--text-field", "html", "--part-size", "2M", "--checkpoint", "1M"])
        .arg(crawl)
        .arg("-o")
        .arg(corpus);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn start(crawl: &Path, corpus: &Path, threads: &str) -> Child {
    command(crawl, corpus).args(["--threads", threads]).spawn().expect("the program")
}

/// Every file below a folder by its path there, with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(root, &path, files);
            } else {
                let name = path.strip_prefix(root).expect("inside").to_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

#[test]
fn killed_runs_resume_and_end_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = make_crawl(folder.path());
    let undisturbed = folder.path().join("undisturbed");
    let began = Instant::now();
    assert_eq!(start(&crawl, &undisturbed, "2").wait().expect("an end").code(), Some(1), "four damaged lines");
    let whole = began.elapsed();
    let expected = contents(&undisturbed);
    assert!(expected.keys().filter(|path| path.starts_with("removed")).count() > 1, "several parts");

    let killed = folder.path().join("killed");
    let mut most_notes = 0;
    // Moments spread over the run; later ones fall into later phases because finished work is not done again.
    for moment in [5, 13, 2, 21, 8, 17, 30, 3, 25, 11] {
        let mut run = start(&crawl, &killed, if moment % 2 == 0 { "1" } else { "3" });
        std::thread::sleep(whole.mul_f64(f64::from(moment) / 80.0).min(Duration::from_secs(5)));
        run.kill().expect("killed");
        run.wait().expect("an end");
        if let Ok(entries) = fs::read_dir(killed.join("work")) {
            let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
            most_notes = most_notes.max(names.filter(|name| name.ends_with("0.json")).count());
        }
        if killed.join("manifest.json").exists() {
            break;
        }
    }
    assert!(most_notes > 0, "a kill fell between two parts");
    let last = command(&crawl, &killed).stderr(Stdio::piped()).output().expect("an end");
    assert_eq!(last.status.code(), Some(1));
    let message = String::from_utf8_lossy(&last.stderr).into_owned();
    assert!(message.contains("resumed an interrupted run") || message.contains("already complete"), "{message}");
    let found = contents(&killed);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, content) in &found {
        assert!(*content == expected[path], "{} differs", path.display());
    }
}

/// What the notes in the work folder of a corpus say: documents that were read, and parts that were written.
fn kept(corpus: &Path) -> (u64, u64) {
    let (mut documents, mut parts) = (0, 0);
    for entry in fs::read_dir(corpus.join("work")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            let note: serde_json::Value = serde_json::from_slice(&fs::read(&path).expect("a note")).expect("JSON");
            documents += note["documents"].as_u64().expect("a number");
        }
        parts += u64::from(name.starts_with("final-"));
    }
    (documents, parts)
}

#[test]
fn interrupted_runs_say_what_they_keep_and_resume() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = make_crawl(folder.path());
    let undisturbed = folder.path().join("undisturbed");
    let began = Instant::now();
    assert_eq!(start(&crawl, &undisturbed, "2").wait().expect("an end").code(), Some(1), "four damaged lines");
    let whole = began.elapsed();

    let corpus = folder.path().join("corpus");
    let mut interrupted = 0;
    for moment in [0, 4, 10, 16, 8, 20, 12, 6] {
        let run =
            command(&crawl, &corpus).args(["--threads", "2"]).stderr(Stdio::piped()).spawn().expect("the program");
        while !corpus.join("work/run.json").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(whole.mul_f64(f64::from(moment) / 60.0));
        let sent = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("a signal");
        assert!(sent.success());
        let ended = run.wait_with_output().expect("an end");
        if ended.status.code() == Some(1) {
            break; // it was complete before
        }
        assert_eq!(ended.status.code(), Some(130));
        assert!(!corpus.join("manifest.json").exists());
        interrupted += 1;
        let message = String::from_utf8_lossy(&ended.stderr).replace(',', "");
        assert!(message.contains("run the same command again to resume"), "{message}");
        let expected = match kept(&corpus) {
            (0, _) => "interrupted; nothing is complete yet;".to_owned(),
            (documents, 0) => format!("interrupted; kept: {documents} documents as read;"),
            (documents, 1) => format!("interrupted; kept: {documents} documents as read 1 part as written;"),
            (documents, parts) => format!("interrupted; kept: {documents} documents as read {parts} parts as written;"),
        };
        assert!(message.contains(&expected), "{message}: not {expected}");
        let reading = Command::new(env!("CARGO_BIN_EXE_refrain")).arg("convert").arg(&corpus).output().expect("an end");
        assert_eq!(reading.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&reading.stderr).contains("incomplete"), "a half corpus is no input");
    }
    assert!(interrupted > 1, "{interrupted}");
    assert_eq!(start(&crawl, &corpus, "1").wait().expect("an end").code(), Some(1));
    assert!(contents(&corpus) == contents(&undisturbed));
}

#[test]
fn a_corpus_on_a_full_disk_is_resumed_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = make_crawl(folder.path());
    let whole = folder.path().join("whole");
    assert_eq!(start(&crawl, &whole, "2").wait().expect("an end").code(), Some(1), "four damaged lines");
    let small = folder.path().join("small");
    fs::create_dir(&small).expect("a folder");
    let mount = |options: &str| {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&small).stderr(Stdio::null());
        mount.status().is_ok_and(|end| end.success())
    };
    if !mount("size=1m") {
        skipped::skipped("this user may not mount a small disk");
        return;
    }
    let corpus = small.join("corpus");
    let (mut size, mut errors, mut code) = (1, Vec::new(), Some(2));
    while code == Some(2) && size < 1000 {
        let ended = command(&crawl, &corpus).stderr(Stdio::piped()).output().expect("an end");
        code = ended.status.code();
        if code == Some(2) {
            errors.push(String::from_utf8_lossy(&ended.stderr).into_owned());
            size *= 2;
            assert!(mount(&format!("remount,size={size}m")), "more space");
        }
    }
    let found = contents(&corpus);
    let unmounted = Command::new("umount").arg(&small).status();
    assert!(unmounted.is_ok_and(|end| end.success()));
    assert_eq!(code, Some(1));
    assert!(!errors.is_empty());
    for error in &errors {
        assert!(error.contains("No space left") && error.contains("make room on the disk of"), "{error}");
        assert!(error.contains("run the same command again to resume"), "{error}");
    }
    assert!(found == contents(&whole));
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let crawl = make_crawl(folder.path());
    let corpus = folder.path().join("corpus");
    let mut first = start(&crawl, &corpus, "1");
    while !corpus.join("work/run.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = command(&crawl, &corpus).stderr(Stdio::piped()).output().expect("an end");
    first.kill().expect("killed");
    first.wait().expect("an end");
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another run is writing"));
}

#[test]
fn a_batch_that_is_killed_while_it_is_added_is_in_the_corpus_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let sentence = |n: u64| -> String {
        let word = |at: u64| format!("w{:x}", (n * 97 + at).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50);
        (0..40).map(word).collect::<Vec<_>>().join(" ") + "."
    };
    for (name, range) in [("a.jsonl", 0..150), ("b.jsonl", 100..300)] {
        let line = |n: u64| {
            let text = [sentence(n % 40), sentence(n), sentence(n / 3)].join("\n\n");
            serde_json::json!({"id": n.to_string(), "text": text}).to_string() + "\n"
        };
        fs::write(folder.path().join(name), range.map(line).collect::<String>()).expect("a file");
    }
    let refrain = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrain"));
        command.current_dir(folder.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let options = ["--part-size", "20K", "--checkpoint", "10K", "-o"];
    let (first, second) = (["corpus", "a.jsonl"], ["corpus", "b.jsonl", "--add"]);
    let run = |inputs: &[&str], output: &str| refrain(&[inputs, &options[..], &[output]].concat());
    assert!(run(&first, "whole").status().expect("an end").success());
    let old = contents(&folder.path().join("whole"));
    let began = Instant::now();
    assert!(run(&second, "whole").status().expect("an end").success());
    let whole = began.elapsed();
    let expected = contents(&folder.path().join("whole"));

    assert!(run(&first, "killed").status().expect("an end").success());
    let killed = folder.path().join("killed");
    let manifest = |files: &BTreeMap<PathBuf, Vec<u8>>| files[Path::new("manifest.json")].clone();
    for moment in 0..14 {
        let mut adding = run(&second, "killed").spawn().expect("the program");
        std::thread::sleep(whole.mul_f64(f64::from(moment * 7 % 11) / 14.0));
        adding.kill().expect("killed");
        adding.wait().expect("an end");
        assert!(refrain(&["corpus", "--verify", "killed"]).status().expect("an end").success(), "{moment}");
        let now = manifest(&contents(&killed));
        assert!(now == manifest(&old) || now == manifest(&expected), "{moment}");
    }
    assert!(run(&second, "killed").status().expect("an end").success());
    let found = contents(&killed);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, content) in &found {
        assert!(*content == expected[path], "{} differs", path.display());
    }
}
