"""What refrain writes fits the schemas that it prints: every verb on the samples, every format, and no field without a description."""

import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import zstandard
from cli import BINARY, SAMPLES, json_lines
from jsonschema import Draft202012Validator

# Runs in order, in one folder; what the last part names was written in a format: FILE=FORMAT, where `-` is standard output.
RUNS = """
corpus samples/crawl.warc.gz samples/crawl-broken.warc.gz -o corpus/ --format jsonl --keep-marked --json
    -=stats corpus/stats.json=stats corpus/manifest.json=manifest corpus/errors.jsonl=errors
    corpus/documents/part-00000.jsonl=documents corpus/removed/part-00000.jsonl.zst=removed
corpus samples/books -o books-corpus/ --strip --lang de --quality c4 --mask pii -q
    books-corpus/stats.json=stats books-corpus/manifest.json=manifest books-corpus/removed/part-00000.jsonl.zst=removed
corpus --verify corpus/ --json
    -=corpus-verify
stats corpus/ --json
    -=stats
list samples/crawl.warc.gz samples/crawl-broken.warc.gz samples/documents --json
    -=list
convert samples/documents samples/crawl-broken.warc.gz -o documents.jsonl --errors failed.jsonl --report convert.json
    documents.jsonl=documents failed.jsonl=errors convert.json=convert-report
convert samples/notes.jsonl -o notes.jsonl --json
    notes.jsonl=documents -=convert-report
convert samples/crawl.warc.gz -o dolma.jsonl --format dolma -q
    dolma.jsonl=dolma
convert samples/notes.jsonl -o datatrove.jsonl --format datatrove -q
    datatrove.jsonl=datatrove
extract samples/pages samples/documents -o pages.jsonl --report extract.json
    pages.jsonl=extract-records extract.json=extract-report
extract samples/pages --keep-marked --offsets bytes --format jsonl
    -=extract-records
extract samples/pages --method justext --keep-marked -o justext.jsonl --removed boilerplate.jsonl
    justext.jsonl=extract-records boilerplate.jsonl=removed
extract samples/pages --explain --format jsonl
    -=extract-blocks
extract samples/pages --explain --method bte --format jsonl
    -=extract-blocks
convert pages.jsonl -o again.jsonl --keep-marked --offsets bytes -q
    again.jsonl=documents
decode samples/pages -o utf8/ --json
    -=decode-report utf8/report.jsonl=decode-files
decode samples/pages samples/notes.zip --detect --format jsonl
    -=decode-files
dedup samples/crawl.warc.gz -o clean.jsonl --removed removed.jsonl --lost lost.jsonl --report dedup.json
    clean.jsonl=documents removed.jsonl=removed lost.jsonl=dedup-lost dedup.json=dedup-report
dedup samples/crawl.warc.gz --by document -o kept.jsonl --clusters clusters.jsonl --removed copies.jsonl --json
    -=dedup-report clusters.jsonl=dedup-clusters copies.jsonl=removed
dedup samples/crawl.warc.gz --exact -o exact.jsonl --json --keep-marked
    -=dedup-report exact.jsonl=documents
dedup samples/crawl.warc.gz --plan --json
    -=dedup-plan
dedup samples/crawl.warc.gz --count-only --json
    -=dedup-counts
dedup samples/crawl.warc.gz -o clean/ -q
    clean/_refrain/report.json=dedup-report clean/_refrain/removed.jsonl.zst=removed
decontaminate --evals=samples/evals/ samples/quiz.jsonl -o free.jsonl --removed items.jsonl --json
    -=decontaminate-report items.jsonl=removed
quality --quality gopher,c4 samples/pages -o good.jsonl --removed poor.jsonl --report quality.json
    poor.jsonl=removed quality.json=quality-report
quality --quality gopher samples/notes.jsonl --explain
    -=quality-explain
quality --learn lines.jsonl -o own.json --json
    own.json=quality-rules -=quality-learn-report
strip samples/books -o books/ --json --removed licences.jsonl
    -=strip-report books/report.jsonl=strip-books licences.jsonl=removed
strip samples/books --explain --format jsonl
    -=strip-books
template samples/site -o site/ --report template.json --save site.templates
    site/report.jsonl=template-pages template.json=template-report site.templates=template-saved
template samples/site --json
    -=template-summary
template samples/site --method findoptimal --json
    -=template-summary
template samples/site --ranges chars
    -=template-ranges
template samples/site --records --save-wrapper wrapper.json -o records.jsonl
    wrapper.json=template-wrapper records.jsonl=template-records
compare samples/essays --exclude samples/brief.md -o report/ --report compare.json
    report/report.json=report report/texts.jsonl=compare-texts compare.json=compare-report
compare samples/essays --json
    -=compare-report
compare samples/essays samples/documents -o pairs.jsonl
    pairs.jsonl=compare-pairs
editions samples/editions -o editions/ --json
    -=editions-report editions/pairs.jsonl=editions-pairs editions/works.jsonl=editions-works
library add lib/ samples/essays --json
    -=library-add-report lib/library.json=library
library list lib/ --json
    -=library-sources
library check lib/ samples/essays/anna.txt samples/brief.md --json
    -=library-check
library check lib/ samples/essays/anna.txt -o checked.jsonl --report check.json
    checked.jsonl=library-check check.json=library-check-report
why fog-signals.html corpus/ --json
    -=why
audit clean/ -o sample.jsonl --json
    sample.jsonl=audit-sample -=audit-report
audit --verdicts verdicts.jsonl --json
    -=audit-summary verdicts.jsonl=audit-verdicts
"""


def runs():
    """Each run, with the formats of what it writes."""
    found = []
    for line in filter(None, RUNS.split("\n")):
        if line.startswith(" "):
            found[-1][1].extend(pair.split("=") for pair in line.split())
        else:
            found.append((line, []))
    return found


def content(path):
    """The text of a file, decompressed."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
    return data.decode()


def strict(schema, inside=False):
    """The schema without room for fields that it does not name, except where it describes such fields."""
    if isinstance(schema, list):
        return [strict(each, inside) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: strict(each) for name, each in value.items()}
        elif key in ("items", "additionalProperties", "prefixItems"):
            kept[key] = strict(value)
        elif key in ("allOf", "anyOf", "oneOf"):
            kept[key] = strict(value, "properties" in schema)
        else:
            kept[key] = value
    if "properties" in schema and "additionalProperties" not in schema and not inside:
        kept["unevaluatedProperties"] = False
    return kept


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    subprocess.run([BINARY, "schema", "--all", "-o", f"{folder}/"], check=True, capture_output=True)
    found = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in folder.iterdir()}
    listed = subprocess.run([BINARY, "schema"], check=True, capture_output=True, text=True).stdout
    assert sorted(found) == [line.split()[0] for line in listed.splitlines()]
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What each run wrote: the run, the name and the text of the file, and its format."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "samples").symlink_to(SAMPLES)
    verdict = {"item": "a:0-4:dedup", "rule": "dedup digest", "weight": 2.0, "verdict": "wrong", "judge": "ida"}
    (folder / "verdicts.jsonl").write_text("".join(json.dumps(verdict | {"judge": who}) + "\n" for who in ("ida", "ben")))
    text = "The keeper lit the lamp at dusk on day {}, and again when the fog came in from the sea."
    (folder / "lines.jsonl").write_text("".join(json.dumps({"text": text.format(day)}) + "\n" for day in range(120)))
    found = []
    for line, files in runs():
        done = subprocess.run([BINARY, *line.split()], capture_output=True, cwd=folder, timeout=300)
        assert done.returncode in (0, 1), f"{line}: {done.stderr.decode()}"
        for name, format in files:
            text = done.stdout.decode() if name == "-" else content(folder / name)
            found.append((line, name, text, format))
    yield found
    shutil.rmtree(folder)


def test_schemas_are_valid(schemas):
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema["description"], name


def test_what_every_verb_writes_fits_its_schema(schemas, written):
    for line, name, text, format in written:
        schema = schemas[format]
        lines = schema["description"].startswith("Each line")
        objects = json_lines(text) if lines else [json.loads(text)]
        assert objects or format == "errors", f"refrain {line} wrote nothing to {name}"
        for validator in (Draft202012Validator(schema), Draft202012Validator(strict(schema))):
            for each in objects:
                errors = [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(each)]
                assert not errors, f"refrain {line}, {name} is not {format}: {errors[:3]}"


def test_every_format_was_written(schemas, written):
    assert {format for *_, format in written} == set(schemas)


def test_a_wrong_object_does_not_fit(schemas):
    wrong = {"id": "a", "start": "0", "end": 4, "label": "duplicate", "pass": "dedup", "evidence": {"guessed": {}}, "text": "lamp"}
    errors = {error.json_path for error in Draft202012Validator(schemas["removed"]).iter_errors(wrong)}
    assert "$.start" in errors and any(path.startswith("$.evidence") for path in errors)


def test_every_field_is_described(schemas):
    def undescribed(schema, path):
        # The only field of a variant is described with it.
        is_variant = isinstance(schema, dict) and "description" in schema and len(schema.get("properties", ())) == 1
        for key, value in schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ():
            if key == "properties":
                for name, field in value.items():
                    if isinstance(field, dict) and not is_variant and not ({"description", "$ref", "const"} & set(field)):
                        yield f"{path}.{name}"
                    yield from undescribed(field, f"{path}.{name}")
            else:
                yield from undescribed(value, path)

    missing = [name for format, schema in schemas.items() for name in undescribed(schema, format)]
    assert not missing, missing
