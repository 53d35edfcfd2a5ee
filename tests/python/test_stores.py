"""Inputs in stores and on the web, and outputs to S3: against moto's server on loopback, behind a proxy that fails on purpose."""

import gzip
import http.client
import http.server
import json
import os
import shutil
import signal
import socketserver
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import boto3
import pytest
from cli import BINARY, SAMPLES
from moto.server import ThreadedMotoServer

CRAWL = SAMPLES / "crawl.warc.gz"
KEYS = {"AWS_ACCESS_KEY_ID": "an-id", "AWS_SECRET_ACCESS_KEY": "a-secret", "AWS_REGION": "us-east-1"}


class Faults:
    """What goes wrong with the next requests, and what was requested."""

    def __init__(self):
        self.requests = []
        self.refuse = 0  # answer this many requests with 503
        self.cut = []  # cut the bodies of answers with content after so many bytes
        self.then = None  # called once, before the first answer to a request for content


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def forward(self):
        faults, target = self.server.faults, self.server.target
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        faults.requests.append((self.command, self.path, dict(self.headers)))
        if faults.refuse > 0:
            faults.refuse -= 1
            slow = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            self.answer(503, {}, slow)
            return
        is_content = self.command == "GET" and "list-type" not in self.path
        if is_content and faults.then:
            then, faults.then = faults.then, None
            then()
        onward = http.client.HTTPConnection(target, timeout=30)
        onward.request(self.command, self.path, body, dict(self.headers))
        answer = onward.getresponse()
        content = answer.read()
        headers = {name: value for name, value in answer.getheaders() if name.lower() not in ("connection", "transfer-encoding")}
        cut = faults.cut.pop(0) if is_content and faults.cut and content else None
        self.answer(answer.status, headers, content, cut)
        onward.close()

    def answer(self, status, headers, content, cut=None):
        self.send_response(status)
        headers = {name: value for name, value in headers.items() if name.lower() not in ("date", "server")}
        if not any(name.lower() == "content-length" for name in headers):
            headers["Content-Length"] = str(len(content))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        if cut is not None and cut < len(content):
            self.wfile.write(content[:cut])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)
            return
        self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


def serving(handler, **attributes):
    server = Server(("127.0.0.1", 0), handler)
    for name, value in attributes.items():
        setattr(server, name, value)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="session")
def moto():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"{host}:{port}"
    server.stop()


@pytest.fixture
def s3(moto):
    """An empty bucket, `bucket`."""
    connection = http.client.HTTPConnection(moto)
    connection.request("POST", "/moto-api/reset")
    connection.getresponse().read()
    client = boto3.client(
        "s3",
        endpoint_url=f"http://{moto}",
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
        region_name=KEYS["AWS_REGION"],
    )
    client.create_bucket(Bucket="bucket")
    return client


@pytest.fixture
def proxy(moto):
    server = serving(Proxy, target=moto, faults=Faults())
    yield server
    server.shutdown()


class Run:
    """Runs refrain with a store, and nothing else in the environment that could lead elsewhere."""

    def __init__(self, endpoint, folder):
        self.environment = {
            "PATH": os.environ["PATH"],
            "TMPDIR": str(folder),
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_MAX_ATTEMPTS": "4",
            # Any request to another place than loopback would fail.
            "HTTPS_PROXY": "http://127.0.0.1:9",
            **KEYS,
        }

    def start(self, *arguments, **more):
        return subprocess.Popen(
            [BINARY, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **more},
            text=True,
        )

    def __call__(self, *arguments, code=0, **more):
        run = self.start(*arguments, **more)
        out, error = run.communicate(timeout=300)
        assert run.returncode == code, f"{run.returncode}: {error}"
        return out, error


@pytest.fixture
def run(moto, tmp_path_factory):
    return Run(f"http://{moto}", tmp_path_factory.mktemp("temporary"))


@pytest.fixture
def through(proxy, tmp_path_factory):
    """The same through the proxy."""
    made = Run(f"http://127.0.0.1:{proxy.server_port}", tmp_path_factory.mktemp("temporary"))
    made.faults = proxy.faults
    return made


def documents(text):
    return [json.loads(line) for line in text.splitlines()]


def texts(text):
    return [document["text"] for document in documents(text)]


def put(s3, path, key=None):
    s3.upload_file(str(path), "bucket", key or path.name)


def keys(s3, prefix=""):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="bucket", Prefix=prefix)
    return [item["Key"] for page in pages for item in page.get("Contents", [])]


def records(count, words=200):
    """JSONL of about a kilobyte a record."""
    return "".join(
        json.dumps({"id": str(number), "text": " ".join(f"word{number * 31 + at}" for at in range(words))}) + "\n"
        for number in range(count)
    )


# Reading


def test_an_object_is_read_as_a_file(s3, run):
    put(s3, CRAWL)
    address = "s3://bucket/crawl.warc.gz"
    there, _ = run("list", address, "--quiet")
    here, _ = run("list", CRAWL, "--quiet")
    assert there == here.replace(str(CRAWL), address)
    assert texts(run("convert", address)[0]) == texts(run("convert", CRAWL)[0])


def test_a_prefix_is_a_folder_and_a_pattern_selects(s3, run, tmp_path):
    for folder, name in [("a", "2.txt"), ("a", "10.txt"), ("a-b", "1.txt"), ("a/c", "1.txt"), ("a", ".hidden"), ("b", "1.md")]:
        path = tmp_path / "in" / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"The note {folder}/{name}.")
        put(s3, path, f"in/{folder}/{name}")
    s3.put_object(Bucket="bucket", Key="in/a/", Body=b"")  # as consoles make folders
    for below in ["in/", "in/a", "in/a/*.txt", "in/*/1.*", "in/**/1.txt"]:
        names = [document["id"] for document in documents(run("convert", f"s3://bucket/{below}")[0])]
        local = [document["id"] for document in documents(run("convert", tmp_path / below)[0])]
        assert [name.replace("s3://bucket", str(tmp_path)) for name in names] == local, below
    assert "no object matches this pattern" in run("list", "s3://bucket/in/*.x", code=2)[1]
    listed = tmp_path / "list.txt"
    listed.write_text("s3://bucket/in/b/1.md\n")
    assert len(documents(run("convert", f"@{listed}")[0])) == 1


def test_tables_and_archives_are_read_by_ranges(s3, through, tmp_path):
    plain = tmp_path / "docs.jsonl"
    plain.write_text(records(4000))
    through("convert", plain, "-o", tmp_path / "docs.parquet", "--row-group", "1M", "--quiet")
    put(s3, tmp_path / "docs.parquet")
    put(s3, SAMPLES / "notes.zip")
    assert texts(through("convert", "s3://bucket/docs.parquet")[0]) == texts(plain.read_text())
    assert texts(through("convert", "s3://bucket/notes.zip")[0]) == texts(through("convert", SAMPLES / "notes.zip")[0])
    got = [headers for method, path, headers in through.faults.requests if method == "GET" and "list-type" not in path]
    assert got and all("range" in {name.lower() for name in headers} for headers in got)


def test_ten_thousand_keys_are_listed(moto, s3, run):
    from moto.s3.models import s3_backends

    backend = s3_backends["123456789012"]["aws"]
    for number in range(10_000):
        backend.put_object("bucket", f"many/{number % 100:02}/{number}.txt", f"Note {number}.".encode())
    out, error = run("list", "s3://bucket/many/", "--quiet")
    names = [line.split("\t")[2] for line in out.splitlines()]
    assert len(names) == len(set(names)) == 10_000
    assert names == sorted(names, key=lambda name: name.split("/"))


def test_every_verb_reads_addresses(s3, run, tmp_path):
    for folder in ["essays", "editions", "site", "books"]:
        for path in sorted((SAMPLES / folder).rglob("*")):
            if path.is_file():
                put(s3, path, f"{folder}/{path.relative_to(SAMPLES / folder)}")
    put(s3, SAMPLES / "quiz.jsonl")
    put(s3, SAMPLES / "brief.md")
    for path in (SAMPLES / "evals").iterdir():
        put(s3, path, f"evals/{path.name}")
    at = "s3://bucket"
    lines = [
        ["compare", "{}/essays", "--exclude", "{}/brief.md", "--format", "jsonl"],
        ["editions", "{}/editions", "--format", "jsonl"],
        ["template", "{}/site/"],
        ["dedup", "{}/essays/", "--against", "{}/brief.md"],
        ["decontaminate", "{}/quiz.jsonl", "--evals", "{}/evals"],
        ["quality", "{}/essays/", "--quality", "gopher"],
        ["decode", "{}/essays/", "--detect"],
        ["strip", "{}/books/", "-o", str(tmp_path / "OUT") + "/"],
    ]
    for line in lines:
        results = []
        for place in [at, str(SAMPLES)]:
            shutil.rmtree(tmp_path / "OUT", ignore_errors=True)
            out, error = run(*(word.format(place) for word in line))
            files = {path.name: path.read_text() for path in (tmp_path / "OUT").rglob("*.txt")} if "OUT" in line[-1] else {}
            # Columns are as wide as the names in them.
            results.append((out.replace(place, "@").split(), error.replace(place, "@").split(), files))
        assert results[0] == results[1], line[0]


# Trouble


@pytest.fixture
def large(s3, tmp_path):
    """An object of several blocks."""
    path = tmp_path / "large.jsonl"
    path.write_text(records(12_000, 100))
    assert path.stat().st_size > 8 << 20
    put(s3, path)
    return path


def test_cut_connections_are_resumed_where_they_were_cut(large, through):
    through.faults.cut = [100_000, 1, 0, 700_000, 3]
    out, _ = through("convert", "s3://bucket/large.jsonl")
    assert texts(out) == texts(large.read_text())
    starts = [
        int(headers.get("range", headers.get("Range")).removeprefix("bytes=").split("-")[0])
        for method, path, headers in through.faults.requests
        if method == "GET" and "list-type" not in path
    ]
    assert not through.faults.cut
    assert 100_000 in starts, "the rest of the first block"


def test_a_store_that_asks_to_slow_down_is_asked_again(large, through):
    through.faults.refuse = 3
    out, _ = through("convert", "s3://bucket/large.jsonl")
    assert texts(out) == texts(large.read_text())


def test_a_store_that_stays_away_ends_the_run(large, through):
    through.faults.then = lambda: setattr(through.faults, "refuse", 10_000)
    through.faults.cut = [10]
    out, error = through("convert", "s3://bucket/large.jsonl", code=2)
    assert error.startswith("error: s3://bucket/large.jsonl: ") and "run again later" in error


def test_an_object_that_changes_while_it_is_read_is_an_error(s3, large, through):
    through.faults.then = lambda: s3.put_object(Bucket="bucket", Key="large.jsonl", Body=large.read_bytes().replace(b"word1 ", b"word2 "))
    _, error = through("convert", "s3://bucket/large.jsonl", code=2)
    assert error.startswith("error: s3://bucket/large.jsonl: changed while it was read")
    through.faults.then = lambda: s3.delete_object(Bucket="bucket", Key="large.jsonl")
    _, error = through("convert", "s3://bucket/large.jsonl", code=2)
    assert "changed while it was read" in error


def test_errors_name_the_address_and_the_way_out(s3, run, proxy):
    put(s3, CRAWL)
    _, error = run("list", "s3://bucket/none.warc.gz", code=2)
    assert "s3://bucket/none.warc.gz: no such object" in error
    _, error = run("list", "s3://nobucket/a", code=2)
    assert "s3://nobucket/a: no such bucket" in error
    _, error = run("list", "s3://", code=2)
    assert "names no bucket" in error
    _, error = run("list", "s3://bucket/crawl.warc.gz", code=2, AWS_SECRET_ACCESS_KEY="")
    assert "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set" in error
    # One of two inputs is missing: the other one is read.
    out, error = run("list", "s3://bucket/none", "s3://bucket/crawl.warc.gz", code=1)
    assert "no such object" in error + out and "lighthouse" in out
    for status, code, wanted in [
        (403, "AccessDenied", "access denied (the request had no credentials; set AWS_ACCESS_KEY_ID"),
        (301, "PermanentRedirect", "the bucket is in another region (set AWS_REGION"),
        (400, "AuthorizationHeaderMalformed", "the bucket is in another region (set AWS_REGION"),
    ]:

        class Refusing(Proxy):
            def forward(self):
                self.answer(status, {}, f"<Error><Code>{code}</Code><Message>No.</Message></Error>".encode())

            do_GET = do_HEAD = forward

        server = serving(Refusing)
        none = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
        endpoint = f"http://127.0.0.1:{server.server_port}"
        _, error = run("list", "s3://bucket/folder/", code=2, AWS_ENDPOINT_URL=endpoint, **none)
        assert wanted in error, error
        server.shutdown()


def test_requests_without_credentials_are_not_signed(s3, through):
    put(s3, CRAWL)
    s3.put_object_acl(Bucket="bucket", Key=CRAWL.name, ACL="public-read")
    through("list", "s3://bucket/crawl.warc.gz", AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="")
    assert not any("authorization" in {name.lower() for name in headers} for _, _, headers in through.faults.requests)
    through("list", "s3://bucket/crawl.warc.gz", AWS_SESSION_TOKEN="a-token")
    _, _, headers = through.faults.requests[-1]
    headers = {name.lower(): value for name, value in headers.items()}
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256") and headers["x-amz-security-token"] == "a-token"


def test_google_cloud_storage_is_read(s3, moto, run):
    # Its lists and objects are those of S3.
    put(s3, CRAWL, "crawls/crawl.warc.gz")
    s3.put_object_acl(Bucket="bucket", Key="crawls/crawl.warc.gz", ACL="public-read")
    out, _ = run("convert", "gs://bucket/crawls/", STORAGE_EMULATOR_HOST=f"http://{moto}")
    assert texts(out) == texts(run("convert", CRAWL)[0])


# Writing


def test_an_output_is_sent_when_it_is_complete(s3, run):
    _, error = run("convert", CRAWL, "-o", "s3://bucket/out/docs.jsonl.zst")
    assert "wrote 24 documents to s3://bucket/out/docs.jsonl.zst" in error
    assert keys(s3) == ["out/docs.jsonl.zst"]
    assert texts(run("convert", "s3://bucket/out/docs.jsonl.zst")[0]) == texts(run("convert", CRAWL)[0])
    assert not list(Path(run.environment["TMPDIR"]).iterdir())
    _, error = run("convert", CRAWL, "-o", "s3://bucket/out/docs.jsonl.zst", "--removed", "s3://bucket/removed.jsonl", code=2)
    assert "--removed names a file of this machine" in error
    _, error = run("convert", CRAWL, "-o", "http://127.0.0.1/x.jsonl", code=2)
    assert "files cannot be written to the web" in error
    _, error = run("convert", CRAWL, "-o", "s3://nobucket/x.jsonl", code=2)
    assert "no such bucket" in error
    # A run that fails sends nothing.
    run("convert", "/nothing/there", "-o", "s3://bucket/out/none.jsonl", code=2)
    assert keys(s3) == ["out/docs.jsonl.zst"]


def corpus_at(s3, prefix):
    return {key.removeprefix(prefix): s3.get_object(Bucket="bucket", Key=key)["Body"].read() for key in keys(s3, prefix)}


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_corpus_is_built_and_read(s3, run, tmp_path):
    put(s3, CRAWL, "crawls/crawl.warc.gz")
    at = "s3://bucket/corpus/"
    out, error = run("corpus", "s3://bucket/crawls/", "-o", at)
    assert f"corpus: {at.rstrip('/')}" in error and "/tmp/" not in error
    run("corpus", CRAWL, "-o", tmp_path / "corpus", "--quiet")
    there, here = corpus_at(s3, "corpus/"), files_of(tmp_path / "corpus")
    assert set(there) == set(here)
    assert run("stats", at)[0].splitlines()[1:] == run("stats", tmp_path / "corpus")[0].splitlines()[1:]
    assert texts(run("convert", at)[0]) == texts(run("convert", tmp_path / "corpus")[0])
    etag = s3.head_object(Bucket="bucket", Key="crawls/crawl.warc.gz")["ETag"]
    assert there["inputs.tsv"].decode() == f"{CRAWL.stat().st_size}\ts3://bucket/crawls/crawl.warc.gz\t{etag}\n"
    # What is there is not replaced, unless that is asked for; then nothing of it is left.
    _, error = run("corpus", CRAWL, "-o", at, code=2)
    assert f"{at} is not empty" in error
    s3.put_object(Bucket="bucket", Key="corpus/documents/99999.parquet", Body=b"old")
    run("corpus", SAMPLES / "notes.zip", "-o", at, "--overwrite")
    run("corpus", SAMPLES / "notes.zip", "-o", tmp_path / "notes", "--quiet")
    assert set(corpus_at(s3, "corpus/")) == set(files_of(tmp_path / "notes"))
    _, error = run("corpus", CRAWL, "-o", at, "--add", code=2)
    assert "--add changes a corpus on this machine" in error


def test_the_manifest_is_sent_last_and_a_failed_upload_is_repeated(s3, through):
    at = "s3://bucket/corpus/"
    command = ["corpus", CRAWL, "-o", at]
    sent = lambda: [path for method, path, _ in through.faults.requests if method == "PUT" and "uploadId" not in path]
    allowed = 2

    original = Proxy.do_PUT

    def refuse(self):
        if len(sent()) >= allowed and "partNumber" not in self.path:
            self.server.faults.refuse = 1
        original(self)

    Proxy.do_PUT = refuse
    try:
        _, error = through(*command, code=2)
    finally:
        Proxy.do_PUT = original
    assert "was not sent" in error
    assert "corpus/manifest.json" not in keys(s3)
    through.faults.requests.clear()
    _, error = through(*command)
    assert "already complete" in error
    assert sent()[-1].endswith("/manifest.json")
    assert "corpus/manifest.json" in keys(s3)


def test_large_files_are_sent_in_parts_and_a_failure_leaves_none(s3, through, tmp_path):
    path = tmp_path / "large.jsonl"
    path.write_text(records(24_000, 200))
    assert path.stat().st_size > 40 << 20
    through("convert", path, "-o", "s3://bucket/out.jsonl", "--quiet")
    assert sum("partNumber" in path for method, path, _ in through.faults.requests if method == "PUT") >= 3
    body = s3.get_object(Bucket="bucket", Key="out.jsonl")["Body"].read().decode()
    assert texts(body) == texts(path.read_text())
    s3.delete_object(Bucket="bucket", Key="out.jsonl")
    original = Proxy.do_PUT

    def refuse(self):
        if "partNumber=2" not in self.path:
            original(self)
            return
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(403, {}, b"<Error><Code>AccessDenied</Code><Message>No.</Message></Error>")

    Proxy.do_PUT = refuse
    try:
        _, error = through("convert", path, "-o", "s3://bucket/out.jsonl", code=2)
    finally:
        Proxy.do_PUT = original
    assert "s3://bucket/out.jsonl" in error
    assert keys(s3) == [] and not s3.list_multipart_uploads(Bucket="bucket").get("Uploads")


def test_a_killed_corpus_run_is_resumed(s3, run, tmp_path):
    for number in range(6):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(records(6000, 150).replace("word", f"w{number}x"))
        put(s3, path, f"crawls/{path.name}")
    command = ["corpus", "s3://bucket/crawls/", "-o", "s3://bucket/corpus/", "--checkpoint", "1M", "--dedup", "exact", "--quiet"]
    began = run.start(*command)
    temporary = Path(run.environment["TMPDIR"])
    for _ in range(600):
        if any(temporary.glob("*/corpus/work/*-000001.json")):
            break
        time.sleep(0.05)
    began.send_signal(signal.SIGKILL)
    began.communicate()
    assert keys(s3, "corpus/") == []
    run(*command)
    whole = run("convert", "s3://bucket/corpus/")[0]
    assert sorted(texts(whole)) == sorted(texts(run("convert", "s3://bucket/crawls/")[0]))
    # An input with other content, of the same size: another run.
    began = run.start(*command[:3], "s3://bucket/other/", *command[4:])
    for _ in range(600):
        if any(temporary.glob("*/other/work/*-000001.json")):
            break
        time.sleep(0.05)
    began.send_signal(signal.SIGKILL)
    began.communicate()
    body = (tmp_path / "3.jsonl").read_text().replace("w3x", "w9x")
    s3.put_object(Bucket="bucket", Key="crawls/3.jsonl", Body=body.encode())
    _, error = run(*command[:3], "s3://bucket/other/", *command[4:], code=2)
    assert "with other names or sizes" in error


# The web


class Web(http.server.BaseHTTPRequestHandler):
    """A server of files, with or without ranges."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = urlsplit(self.path).path.lstrip("/")
        if name.startswith("moved/"):
            self.send_response(302)
            self.send_header("Location", "/" + name.removeprefix("moved/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path = self.server.folder / name
        if not path.is_file():
            self.send_error(404)
            return
        content, status, extra = path.read_bytes(), 200, {}
        asked = self.headers.get("Range")
        if asked and self.server.ranges:
            first, last = asked.removeprefix("bytes=").split("-")
            first, size = int(first), len(content)
            if first >= size:
                self.send_response(416)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            content, status = content[first : int(last) + 1], 206
            extra = {"Content-Range": f"bytes {first}-{first + len(content) - 1}/{size}"}
        self.send_response(status)
        stamp = path.stat()
        extra["ETag"] = f'"{stamp.st_mtime_ns:x}-{stamp.st_size:x}"'
        if self.server.chunked:
            extra["Transfer-Encoding"] = "chunked"
            content = b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content)
        else:
            extra["Content-Length"] = str(len(content))
        for name, value in extra.items():
            self.send_header(name, value)
        self.end_headers()
        cut = self.server.cut.pop(0) if self.server.cut and len(content) > 1000 else None
        if cut is None:
            self.wfile.write(content)
        else:
            self.wfile.write(content[:cut])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(2)


@pytest.fixture(params=["ranges", "whole", "chunked"])
def web(request, tmp_path):
    ranges, chunked = request.param == "ranges", request.param == "chunked"
    server = serving(Web, folder=tmp_path, ranges=ranges, chunked=chunked, cut=[])
    server.at = f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()


def test_files_on_the_web_are_read(web, run, tmp_path):
    shutil.copy(CRAWL, tmp_path)
    shutil.copy(SAMPLES / "notes.zip", tmp_path)
    plain = tmp_path / "docs.jsonl"
    plain.write_text(records(6000))
    (tmp_path / "docs.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes(), 1))
    run("convert", plain, "-o", tmp_path / "docs.parquet", "--quiet")
    for name in ["crawl.warc.gz", "notes.zip", "docs.jsonl", "docs.jsonl.gz", "docs.parquet"]:
        there, _ = run("convert", f"{web.at}/moved/{name}?a=b")
        here, _ = run("convert", tmp_path / name)
        assert texts(there) == texts(here), name
    web.cut = [5, 500_000, 900]
    assert texts(run("convert", f"{web.at}/docs.jsonl")[0]) == texts(plain.read_text())
    assert not web.cut
    _, error = run("list", f"{web.at}/none", code=2)
    assert f"{web.at}/none: no such file (404 Not Found)" in error
    _, error = run("list", f"{web.at}/*.gz", code=2)
    assert "the web has no lists of files" in error


def test_a_server_that_is_not_there_is_named(run):
    _, error = run("list", "http://127.0.0.1:9/a.warc.gz", code=2, AWS_MAX_ATTEMPTS="2")
    assert "http://127.0.0.1:9/a.warc.gz: " in error and "run again later" in error
