"""Runs the commands in the documents, and compares or updates the output printed below them.

A block that starts with ```console holds commands after "$ ", each followed by its output. A line "..." stands for any
number of lines. A block that starts with ```sh holds commands alone, which must succeed. The commands of a document run one
after the other in a new folder that holds a copy of samples/.

    python tests/python/examples.py --check
    python tests/python/examples.py --update docs/guide/dedup.md
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cli import BINARY, ROOT, SAMPLES

FENCE = re.compile(r"^```(console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documents():
    """Every Markdown file that belongs to the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True
    )
    named = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in named if path.is_file() and not path.is_symlink()]


def with_examples():
    """The documents that show commands."""
    return [document for document in documents() if FENCE.search(document.read_text())]


def matches(expected, actual):
    """Whether the output is as expected; a line "..." stands for any number of lines."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in expected.splitlines())
    return re.fullmatch(pattern, actual) is not None


def renewed(document):
    """The text of a document with the output that its commands print now, and the commands that failed."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SAMPLES, Path(folder) / "samples")
        tools = Path(folder) / ".bin"
        tools.mkdir()
        (tools / "refrain").symlink_to(BINARY)
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COLUMNS": "100"}

        def run(command):
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300
            )
            return done.returncode, done.stdout.decode()

        def block(found):
            language, body = found.groups()
            if language == "sh":
                for command in re.sub(r"\\\n", "", body).splitlines():
                    code, output = run(command)
                    if code != 0:
                        failed.append(f"{command}: exit code {code}\n{output}")
                return found.group(0)
            parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE)
            text = parts[0]
            for command, expected in zip(parts[1::2], parts[2::2]):
                output = run(command)[1]
                output += "" if output.endswith("\n") or not output else "\n"
                text += f"$ {command}\n{expected if matches(expected, output) else output}"
            return f"```{language}\n{text}```"

        return FENCE.sub(block, document.read_text()), failed


def main():
    parser = argparse.ArgumentParser(description="Run the commands in the documents.")
    parser.add_argument("documents", nargs="*", type=lambda name: Path(name).resolve())
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="report documents whose output is out of date")
    action.add_argument("--update", action="store_true", help="replace output that is out of date")
    options = parser.parse_args()
    wrong = False
    for document in options.documents or with_examples():
        text, failed = renewed(document)
        for message in failed:
            print(f"{document}: {message}", file=sys.stderr)
        outdated = text != document.read_text()
        if outdated and options.update:
            document.write_text(text)
        if outdated:
            print(f"{document}: {'updated' if options.update else 'out of date'}", file=sys.stderr)
        wrong |= bool(failed) or (outdated and options.check)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
