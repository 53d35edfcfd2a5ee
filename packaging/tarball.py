"""Packs a built program as a release: the program, manual pages, completions, licences and README.

    python3 packaging/tarball.py target/release/refrain x86_64-linux target/dist

writes target/dist/refrain-VERSION-x86_64-linux.tar.gz (.zip for a program that ends with .exe) and target/dist/SHA256SUMS.
The same program always gives the same bytes: names are sorted, times are fixed, and no user is named.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The first time that both formats can hold.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
COMPLETIONS = {
    "bash": "refrain.bash",
    "zsh": "_refrain",
    "fish": "refrain.fish",
    "powershell": "_refrain.ps1",
    "elvish": "refrain.elv",
}
LICENCE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|UNLICENSE)", re.IGNORECASE)


def verbs(program, *verb):
    """Each verb and subverb, as the help lists them."""
    text = subprocess.run([program, *verb, "--help"], check=True, capture_output=True, text=True).stdout
    _, _, listed = text.partition("\nCommands:\n")
    for line in listed.split("\n\n")[0].splitlines():
        name = re.match(r"  ([a-z]+)  ", line)
        if name and name[1] != "help":
            yield (*verb, name[1])
            yield from verbs(program, *verb, name[1])


def third_party():
    """The licences of all crates that are compiled into the program."""
    metadata = json.loads(
        subprocess.run(
            ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", ROOT / "Cargo.toml"],
            check=True, capture_output=True,
        ).stdout
    )  # fmt: skip
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [id for id, package in packages.items() if package["name"] == "refrain-cli"]
    used = set()
    while waiting:
        if (id := waiting.pop()) in used:
            continue
        used.add(id)
        is_used = lambda dependency: any(kind["kind"] is None for kind in dependency["dep_kinds"])
        waiting.extend(dependency["pkg"] for dependency in nodes[id]["deps"] if is_used(dependency))
    text = "# Licences of the crates in refrain\n"
    for package in sorted((packages[id] for id in used), key=lambda package: (package["name"], package["version"])):
        if not package["source"]:
            continue
        text += f"\n## {package['name']} {package['version']}\n\nLicence: {package['license']}\n"
        folder = Path(package["manifest_path"]).parent
        for path in sorted(path for path in folder.iterdir() if path.is_file() and LICENCE.match(path.name)):
            indented = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").splitlines()
            text += f"\n### {path.name}\n\n" + "".join(f"    {line}".rstrip() + "\n" for line in indented)
    return text


def contents(program):
    """The name, bytes and mode of each file."""
    run = lambda *arguments: subprocess.run([program, *arguments], check=True, capture_output=True).stdout
    yield f"refrain{program.suffix}", program.read_bytes(), 0o755
    for name in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"):
        yield name, (ROOT / name).read_bytes(), 0o644
    yield "THIRD-PARTY.md", third_party().encode(), 0o644
    for verb in [(), *verbs(program)]:
        yield f"man/man1/{'-'.join(('refrain', *verb))}.1", run("man", *verb), 0o644
    for shell, name in COMPLETIONS.items():
        yield f"completions/{name}", run("completions", shell), 0o644


def packed(folder, files, is_zip):
    out = io.BytesIO()
    if is_zip:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data, mode in files:
                info = zipfile.ZipInfo(f"{folder}/{name}")  # 1980
                info.external_attr, info.compress_type, info.create_system = mode << 16, zipfile.ZIP_DEFLATED, 3
                archive.writestr(info, data)
        return out.getvalue()
    with gzip.GzipFile("", "wb", 9, out, TIME) as compressed, tarfile.open(fileobj=compressed, mode="w") as archive:
        for name, data, mode in files:
            info = tarfile.TarInfo(f"{folder}/{name}")
            info.size, info.mode, info.mtime = len(data), mode, TIME
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("target", help="what it runs on, such as x86_64-linux")
    parser.add_argument("output", type=Path, help="the folder for the archive")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    name = f"refrain-{version}-{arguments.target}"
    is_zip = program.suffix == ".exe"
    arguments.output.mkdir(parents=True, exist_ok=True)
    archive = arguments.output / (name + (".zip" if is_zip else ".tar.gz"))
    archive.write_bytes(packed(name, sorted(contents(program)), is_zip))
    archives = sorted(path for path in arguments.output.iterdir() if path.suffix in (".gz", ".zip"))
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in archives)
    (arguments.output / "SHA256SUMS").write_text(sums)
    print(f"wrote {archive} ({archive.stat().st_size:,} bytes)")


if __name__ == "__main__":
    main()
