"""Kill corpus runs at random moments, let them finish, and compare every byte with an undisturbed run.

Usage: kill.py --refrain target/release/refrain [--kills 50] [--seed 1] [--full-disk] INPUT...

Each way to build a corpus gets its share of the kills: by default, with whole documents, with templates of hosts, with books and rules
of quality, and by adding a batch. --full-disk also runs each of them on a disk that fills up, gives the disk more space, and
runs the same command again; for this, the system must allow this user to mount a file system in memory.
"""

import argparse
import hashlib
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

COMMON = ["--checkpoint", "4M", "--part-size", "4M", "--quiet"]
# Options of a run; with --add, the last input is added to a corpus of the others.
WAYS = {
    "default": [],
    "documents": ["--dedup", "documents"],
    "template": ["--template", "host"],
    "books and quality": ["--strip", "--quality", "fineweb"],
    "add": ["--add"],
    "add documents": ["--add", "--dedup", "documents"],
}


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below a folder, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def stage(folder: Path) -> str:
    """The stage in which a run was killed, as far as its files show."""
    work = folder / "work"
    if (work / "commit").exists():
        return "commit"
    if list(work.glob("final-*.json")):
        return "write"
    if (work / "words").exists():
        return "learn"
    return "read" if list(work.glob("0*.json")) else "start"


class Way:
    """A way to build a corpus, with the corpus that an undisturbed run builds."""

    def __init__(self, name: str, refrain: str, inputs: list[str], work: Path):
        self.name, self.options = name, WAYS[name]
        self.refrain, self.inputs = refrain, inputs
        self.base = None
        if "--add" in self.options:
            self.base = work / f"{name} base"
            options = [option for option in self.options if option != "--add"]
            self.run(self.base, inputs[:-1], options)
        undisturbed = work / f"{name} undisturbed"
        self.prepare(undisturbed)
        start = time.monotonic()
        self.code = self.start(undisturbed).wait()
        self.seconds = time.monotonic() - start
        self.expected = digests(undisturbed)
        self.manifests = [(path / "manifest.json").read_bytes() for path in (self.base, undisturbed) if path]
        self.digest = json.loads((undisturbed / "manifest.json").read_text())["digest"]
        print(f"{name}: an undisturbed run takes {self.seconds:.1f} s, exit code {self.code}, digest {str(self.digest)[:16]}", flush=True)

    def prepare(self, folder: Path) -> None:
        """The folder as it is before the run."""
        if folder.exists():
            for entry in folder.iterdir():
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if self.base:
            shutil.copytree(self.base, folder, dirs_exist_ok=True)

    def command(self, folder: Path, inputs: list[str], options: list[str]) -> list[str]:
        return [self.refrain, "corpus", *inputs, *COMMON, *options, "-o", f"{folder}/"]

    def run(self, folder: Path, inputs: list[str], options: list[str]) -> None:
        done = subprocess.run(self.command(folder, inputs, options), capture_output=True)
        if done.returncode > 1:
            sys.exit(done.stderr.decode())

    def start(self, folder: Path, **streams) -> subprocess.Popen:
        inputs = self.inputs[-1:] if self.base else self.inputs
        streams = streams or {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(self.command(folder, inputs, self.options), **streams)

    def differences(self, folder: Path) -> list[str]:
        found = digests(folder)
        return [name for name in sorted(set(self.expected) | set(found)) if self.expected.get(name) != found.get(name)]


def kill(way: Way, kills: int, moments: random.Random, work: Path) -> tuple[Counter, int]:
    """Kills runs, each resuming the one before. Whenever one is complete, compares it and starts again."""
    folder, stages, wrong, complete = work / "killed", Counter(), 0, 0
    way.prepare(folder)
    while stages.total() < kills or complete == 0:
        run = way.start(folder)
        # With enough kills, the last run of a corpus is left alone.
        if stages.total() < kills:
            # Work that is done is not done again, so runs get shorter; the moments together reach all stages.
            time.sleep(moments.uniform(0, way.seconds * 0.4))
            ended = run.poll() is not None
            run.kill()
            run.wait()
            if not ended:
                stages[stage(folder)] += 1
                if way.base and (folder / "manifest.json").read_bytes() not in way.manifests:
                    wrong += 1
                    print("  the corpus is neither the old one nor the new one")
                continue
        else:
            run.wait()
        complete += 1
        differences = way.differences(folder) if run.returncode == way.code else [f"exit code {run.returncode}"]
        wrong += bool(differences)
        for name in differences:
            print(f"  differs: {name}")
        way.prepare(folder)
    shutil.rmtree(folder)
    in_stages = ", ".join(f"{count} in {name}" for name, count in stages.items())
    print(f"{way.name}: {stages.total()} kills ({in_stages}), {complete} complete runs, {'DIFFERENT' if wrong else 'all identical'}", flush=True)
    return stages, wrong


def fill(way: Way, moments: random.Random, work: Path) -> int:
    """Runs on a disk that is too small, several times with more space, until the run is complete."""
    disk = work / "disk"
    disk.mkdir(exist_ok=True)
    folder = disk / "corpus"
    needed = sum(path.stat().st_size for path in (work / f"{way.name} undisturbed").rglob("*"))
    before = sum(path.stat().st_size for path in way.base.rglob("*")) if way.base else 0
    size, full = int(before + (needed - before) * moments.uniform(0.1, 0.4)) + (1 << 20), 0
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=True)
    try:
        way.prepare(folder)
        while True:
            run = way.start(folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            message = run.communicate()[1].decode()
            if run.returncode != 2:
                break
            if "No space left on device" not in message and "disk is full" not in message:
                print(f"  unclear: {message.strip()}")
                return 1
            full += 1
            last = message.strip().splitlines()[-1]
            size = int(size * 1.5)
            subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
        differences = way.differences(folder) if run.returncode == way.code else [f"exit code {run.returncode}"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    for name in differences:
        print(f"  differs: {name}")
    print(f"{way.name}: {full} runs ended on a full disk, {'DIFFERENT' if differences else 'all identical'} afterwards", flush=True)
    print(f"  the last of them said: {last}")
    return bool(differences)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", default="target/release/refrain")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full-disk", action="store_true", help="also let disks fill up")
    parser.add_argument("inputs", nargs="+", help="at least two; the last one is the batch that is added")
    arguments = parser.parse_args()
    if len(arguments.inputs) < 2:
        parser.error("name at least two inputs")
    moments = random.Random(arguments.seed)
    work = Path(tempfile.mkdtemp(prefix="refrain-kill-"))
    stages, wrong = Counter(), 0
    try:
        for number, name in enumerate(WAYS):
            way = Way(name, arguments.refrain, arguments.inputs, work)
            share = arguments.kills * (number + 1) // len(WAYS) - arguments.kills * number // len(WAYS)
            killed, different = kill(way, share, moments, work)
            stages += killed
            wrong += different
            if arguments.full_disk:
                wrong += fill(way, moments, work)
        in_stages = ", ".join(f"{count} in {name}" for name, count in stages.most_common())
        print(f"{stages.total()} kills in all: {in_stages}; {'DIFFERENT' if wrong else 'all identical'}")
        return 1 if wrong else 0
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
