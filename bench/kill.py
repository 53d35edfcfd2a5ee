"""Kill a corpus run at random moments, let it finish, and compare every byte with an undisturbed run.

Usage: kill.py --refrain target/release/refrain [--kills 10] [--seed 1] INPUT...
"""

import argparse
import hashlib
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--refrain", default="target/release/refrain")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("inputs", nargs="+")
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    work = Path(tempfile.mkdtemp(prefix="refrain-kill-"))
    try:
        command = [arguments.refrain, "corpus", *arguments.inputs, "--checkpoint", "16M", "--part-size", "4M", "--quiet", "-o"]
        start = time.monotonic()
        code = subprocess.run([*command, str(work / "undisturbed")], capture_output=True).returncode
        whole = time.monotonic() - start
        print(f"undisturbed run: {whole:.1f} s, exit code {code}")
        killed = work / "killed"
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
        last = subprocess.run([*command, str(killed)], capture_output=True).returncode
        expected, found = digests(work / "undisturbed"), digests(killed)
        same = expected == found and last == code
        print(f"last run: exit code {last}; {len(found)} files, {'all identical' if same else 'DIFFERENT'}")
        for name in sorted(set(expected) | set(found)):
            if expected.get(name) != found.get(name):
                print(f"  differs: {name}")
        return 0 if same else 1
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
