"""What is published: archives, crates, the image, workflows and the citation."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile

import pytest
import yaml
from cli import BINARY, ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
VERSION = re.search(r'^version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def packed(folder):
    run(sys.executable, "packaging/tarball.py", BINARY, "x86_64-linux", folder)
    return folder / f"refrain-{VERSION}-x86_64-linux.tar.gz"


def test_the_archive_is_complete_and_always_the_same(tmp_path):
    first, again = packed(tmp_path / "a"), packed(tmp_path / "b")
    assert first.read_bytes() == again.read_bytes()
    sums = (tmp_path / "a/SHA256SUMS").read_text()
    assert sums == f"{hashlib.sha256(first.read_bytes()).hexdigest()}  {first.name}\n"
    with tarfile.open(first) as archive:
        members = archive.getmembers()
        archive.extractall(tmp_path, filter="data")
    names = [member.name for member in members]
    assert names == sorted(names)
    assert {(member.mtime, member.uid, member.gid, member.uname, member.gname) for member in members} == {(315532800, 0, 0, "", "")}
    folder = tmp_path / f"refrain-{VERSION}-x86_64-linux"
    assert run(folder / "refrain", "--version") == f"refrain {VERSION}\n"
    verbs = re.findall(r"^  ([a-z]+)  ", run(BINARY, "--help").split("\nCommands:\n")[1].split("\n\n")[0], re.MULTILINE)
    pages = {page.stem for page in (folder / "man/man1").iterdir()}
    assert {"refrain"} | {f"refrain-{verb}" for verb in verbs if verb != "help"} <= pages
    assert "refrain-library-add" in pages
    assert all(".TH" in page.read_text() for page in (folder / "man/man1").iterdir())
    assert len(list((folder / "completions").iterdir())) == 5
    licences = (folder / "THIRD-PARTY.md").read_text()
    assert "## serde " in licences and "## proptest " not in licences
    assert licences.count("\n## ") == licences.count("\nLicence: ") > 50 and "Licence: None" not in licences
    assert {"README.md", "LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("crate", ["refrain", "refrain-cli"])
def test_a_crate_holds_all_that_it_includes(crate):
    folder = ROOT / "crates" / crate
    listed = set(run("cargo", "package", "--list", "--allow-dirty", "--offline", "--package", crate).split("\n"))
    assert {"README.md", "LICENSE-APACHE", "LICENSE-MIT", "Cargo.toml"} <= listed
    included = 0
    for path in (folder / "src").rglob("*.rs"):
        assert str(path.relative_to(folder)) in listed
        for name in re.findall(r'include_(?:str|bytes)!\("([^"]+)"\)', path.read_text().split("#[cfg(test)]")[0]):
            included += 1
            target = os.path.relpath(os.path.normpath(path.parent / name), folder)
            assert target in listed, f"{path} includes {target}, which is not in the crate"
    assert included > 5 or crate == "refrain-cli"
    # crates.io accepts 10 MB, compressed.
    assert sum((folder / name).stat().st_size for name in listed if (folder / name).is_file()) < 20_000_000


@pytest.mark.parametrize("crate", ["refrain", "refrain-cli"])
def test_the_metadata_of_a_crate_is_complete(crate):
    metadata = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"))
    package = next(package for package in metadata["packages"] if package["name"] == crate)
    for field in ("description", "license", "readme", "repository", "homepage", "documentation", "rust_version", "keywords", "categories"):
        assert package[field], field
    assert package["publish"] is None
    own = [dependency for dependency in package["dependencies"] if dependency["name"] == "refrain"]
    assert all(dependency["req"] == f"={VERSION}" for dependency in own), "the version of refrain in Cargo.toml"


def image():
    """The stages of the Dockerfile, each a list of instructions with their arguments."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    stages = []
    for line in filter(None, (line.strip() for line in text.split("\n"))):
        if line.startswith("#"):
            continue
        instruction, arguments = line.split(maxsplit=1)
        assert instruction in ("FROM", "RUN", "WORKDIR", "COPY", "LABEL", "USER", "ENTRYPOINT", "CMD"), line
        if instruction == "FROM":
            stages.append([])
        stages[-1].append((instruction, arguments))
    return stages


def test_the_image_is_small_and_not_run_by_root():
    build, final = image()
    assert build[0][1].endswith(" AS build") and "distroless" in final[0][1]
    assert ("USER", "nonroot:nonroot") in final
    assert not any(instruction == "RUN" for instruction, _ in final)
    for _, arguments in (each for each in final if each[0] in ("ENTRYPOINT", "CMD")):
        assert isinstance(json.loads(arguments), list)
    rust = re.search(r'^rust-version = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    assert build[0][1].startswith(f"rust:{rust}-")
    # What the build needs is not ignored.
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().split("\n") if line.startswith("!")]
    members = json.loads(re.search(r"^members = (\[.*\])$", (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1])
    for needed in ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "README.md", "LICENSE-MIT", *members]:
        assert any(needed == name or needed.startswith(f"{name}/") for name in kept), needed


def test_the_image_can_be_built_and_run():
    if not shutil.which("docker") or subprocess.run(["docker", "info"], capture_output=True).returncode != 0:
        pytest.skip("no container engine is running")
    run("docker", "build", "--tag", "refrain-test", ".", timeout=3600)
    assert run("docker", "run", "--rm", "refrain-test", "--version") == f"refrain {VERSION}\n"
    user = run("docker", "image", "inspect", "--format", "{{.Config.User}}", "refrain-test").strip()
    assert user == "nonroot:nonroot"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_valid(path):
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", path)
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert job["permissions"], name
        for step in job.get("steps", []):
            if uses := step.get("uses"):
                assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", uses), f"{name} pins {uses} by its major version"


def test_workflows_are_safe():
    zizmor = shutil.which("zizmor", path=os.path.dirname(sys.executable))
    run(zizmor, "--offline", "--no-progress", "--min-severity", "medium", "--config", ".github/zizmor.yml", ".github/workflows")


def test_the_citation_is_valid():
    run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.citation-file-format", ROOT / "CITATION.cff")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == VERSION
