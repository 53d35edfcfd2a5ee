"""How runs behave in a program: Ctrl-C, forks, processes, threads, progress, messages."""

from __future__ import annotations

import concurrent.futures
import logging
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import SAMPLES, sentence

import refrain

TEXTS = [sentence(random.Random(n % 9), 40) for n in range(20)]


def work(_: int) -> int:
    return len(refrain.dedup(TEXTS, unit="document", threads=2))


def test_threads() -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(24))) == [9] * 24


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method: str) -> None:
    assert work(0) == 9, "the parent has run jobs before"
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(work, range(4)).get(60) == [9] * 4


def test_fork_while_a_job_runs() -> None:
    done = threading.Event()

    def busy() -> None:
        while not done.is_set():
            work(0)

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(work(0))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    finally:
        done.set()
        thread.join()


ENDLESS = """
import itertools, random, refrain, sys, time
def texts():
    r = random.Random(1)
    # Letters only: words that differ in digits count as one word for compare, which would list every pair.
    words = ["".join(letters) for letters in itertools.islice(itertools.product("abcdefghij", repeat=5), 50000)]
    for n in range(%d):
        yield " ".join(r.choices(words, k=200))
texts = list(texts())
print("ready", flush=True)
try:
    while True:
        %s
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
CALLS = [
    "refrain.dedup(texts)",
    "refrain.compare(texts[:2000], no_passages=True)",
    "list(refrain.read([{'text': text} for text in texts]))",
    "refrain.convert(texts, '/dev/null', format='jsonl')",
]


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_stops_within_a_second(call: str) -> None:
    run = subprocess.Popen([sys.executable, "-c", ENDLESS % (20_000, call)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None and run.stdout.readline() == "ready\n"
    time.sleep(1)
    before = cpu_of(run.pid)
    run.send_signal(signal.SIGINT)
    assert run.stdout.readline() == "interrupted\n"
    # On a busy machine, a second of two cores is what counts.
    assert cpu_of(run.pid, before) - before < 2.5
    assert run.wait(60) == 0


def cpu_of(process: int, default: float = 0) -> float:
    """The CPU seconds of a process."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return default
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_progress_and_silence(capfd: pytest.CaptureFixture[str]) -> None:
    refrain.dedup(TEXTS * 200, progress=True)
    assert "dedup" in capfd.readouterr().err
    refrain.dedup(TEXTS)
    refrain.convert(SAMPLES / "crawl.warc.gz")
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_notes_are_logged(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"text": "good"}\n{"text": \n')
    with caplog.at_level(logging.INFO, "refrain"):
        refrain.convert(tmp_path / "bad.jsonl")
    assert "bad.jsonl, line 2" in caplog.text


def test_the_program(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "refrain", *words], capture_output=True, text=True)

    assert run("--version").stdout.startswith("refrain ") and run("--version").returncode == 0
    assert run("--help").returncode == 0
    assert run("extract", "--nothing").returncode == 2
    assert run("extract", str(tmp_path / "none.html")).returncode == 2
    text = run("extract", str(SAMPLES / "pages/lighthouse.example/lens.html")).stdout
    assert text.rstrip("\n") == refrain.extract((SAMPLES / "pages/lighthouse.example/lens.html").read_bytes()).text
    script = Path(sys.executable).with_name("refrain")
    assert subprocess.run([script, "--version"], capture_output=True).returncode == 0
