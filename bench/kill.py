"""Kill a corpus run at random moments, let it finish, and compare every byte with an undisturbed run.

Usage: kill.py --refrain target/release/refrain [--kills 10] [--seed 1] [--dedup blocks] [--add INPUT]... INPUT...

With --add, a corpus of the other inputs is there first, and the runs that add to it are killed. After each kill, the corpus must be the
old one or the new one.
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
from pathlib import Path


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file below a folder, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def documents(folder: Path) -> dict[str, str]:
    """The manifest of a corpus, and the digests of the files that it names."""
    manifest = json.loads((folder / "manifest.json").read_text())
    names = [part["path"] for part in manifest["parts"] + manifest["removed"]]
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return files | {"digest": manifest["digest"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", default="target/release/refrain")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dedup", default="blocks")
    parser.add_argument("--add", action="append", default=[], help="an input to add to a corpus of the others")
    parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    work = Path(tempfile.mkdtemp(prefix="refrain-kill-"))
    try:
        options = ["--dedup", arguments.dedup, "--checkpoint", "16M", "--part-size", "4M", "--quiet", "-o"]
        command = [arguments.refrain, "corpus", *arguments.inputs, *options]
        states = []
        if arguments.add:
            for name in "undisturbed", "killed":
                subprocess.run([*command, str(work / name)], capture_output=True)
            states.append(documents(work / "undisturbed"))
            command = [arguments.refrain, "corpus", *arguments.add, "--add", *options]
        start = time.monotonic()
        code = subprocess.run([*command, str(work / "undisturbed")], capture_output=True).returncode
        whole = time.monotonic() - start
        print(f"undisturbed run: {whole:.1f} s, exit code {code}")
        states.append(documents(work / "undisturbed"))
        killed, neither = work / "killed", 0
        for number in range(1, arguments.kills + 1):
            # Work that is done is not done again, so runs get shorter; the moments together reach all phases.
            moment = moments.uniform(0, whole * 0.15)
            run = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(moment)
            ended = run.poll() is not None
            run.kill()
            run.wait()
            parts = len(list((killed / "work").glob("*.json"))) if (killed / "work").exists() else 0
            state = "had ended" if ended else "killed"
            print(f"run {number:2}: {state} after {moment:.2f} s, {parts} notes of finished work")
            if arguments.add and documents(killed) not in states:
                neither += 1
                print("  the corpus is neither the old one nor the new one")
        last = subprocess.run([*command, str(killed)], capture_output=True).returncode
        expected, found = digests(work / "undisturbed"), digests(killed)
        same = expected == found and last == code and not neither
        print(f"last run: exit code {last}; {len(found)} files, {'all identical' if same else 'DIFFERENT'}")
        for name in sorted(set(expected) | set(found)):
            if expected.get(name) != found.get(name):
                print(f"  differs: {name}")
        return 0 if same else 1
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
