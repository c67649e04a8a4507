"""Fixtures: an own home for every test, a small release of CSFCube's layout, a web server."""

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import ir_datasets
import pytest
import requests

import ir_datasets_ext

ir_datasets_ext.register()  # a second time changes nothing
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of ir_datasets for this test alone; it does not exist yet."""
    path = tmp_path / "home"
    monkeypatch.setenv("IR_DATASETS_HOME", str(path))
    monkeypatch.setenv("IR_DATASETS_DL_DISABLE_PBAR", "true")
    return path


@pytest.fixture
def python(home):
    """A function that starts Python on a file, or on code of several lines, and gives its Popen."""

    def start(code, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, *(["-c", code] if "\n" in code else [code]), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    return start


@pytest.fixture
def refused():
    """A function: reading says FILE, then a text or pattern (RECORD, FIELD: …), then the remedy."""
    remedy = "Correct the file, or delete it to download the release's"

    def check(read, path, said, remedy=remedy):
        with pytest.raises(ValueError) as caught:
            list(read())
        file, end = str(path), f". {remedy}"
        told = str(caught.value)
        assert (told.startswith(file), told.endswith(end)) == (True, True), told
        middle = told.removeprefix(file).removesuffix(end)
        problem = middle.partition(", in ")[0]  # then the record's beginning is shown
        assert said in (middle, problem) or re.fullmatch(said, middle), middle

    return check


class Files:
    """Files of a small collection, where csfcube expects the release's.

    Papers 1, 2, 3, 7. Paper 1 is a query for method and lists itself, paper 2 is one for
    background and method.
    """

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        self.papers(1, 2, 3, 7)
        split = {f"fold{n}_{part}": [] for n in (1, 2) for part in ("dev", "test")}
        method = {**split, "fold1_dev": ["2_method"], "fold1_test": ["1_method"]}
        splits = {"background": split, "method": method, "result": split, "all": method}
        self.write("evaluation_splits.json", splits)
        ratings = {"adju": [3, 2, 0], "max": [3, 2, 1], "min": [3, 2, -1], "ann1": [3, 2, 1]}
        ratings = {f"relevance_{name}": values for name, values in ratings.items()}
        ratings["relevance_ann3"] = [3, 2, -1]
        self.annotate("background", {"2": {"cands": ["3", "1", "7"], **ratings}})
        first, second = {"cands": ["1", "3", "7"]}, {"cands": ["1", "2", "3"]}
        self.annotate("method", {"2": {**first, **ratings}, "1": {**second, **ratings}})
        self.annotate("result", {})
        pool = {"cands": ["2", "9"], "cand_source": [["cited"], ["specter", "cited"]]}
        self.write("test-pid2pool-csfcube.json", {"1": pool})
        rows = "1,method,1999,Title 1,resources\n2,method,,Title 2,survey\n"
        self.write("queries-release.csv", "pid,facet,year,title,paper type\n" + rows)

    def write(self, name, content):
        """Write a file, from a string or as JSON."""
        text = content if isinstance(content, str) else json.dumps(content)
        (self.folder / name).write_text(text)

    def annotate(self, facet, annotations):
        """Write a facet's annotations."""
        self.write(f"test-pid2anns-csfcube-{facet}.json", annotations)

    def papers(self, *numbers, **fields):
        """Write the abstracts file: a paper per number, three sentences with a label each."""
        labels = ["background_label", "objective_label", "method_label"]
        papers = [
            {
                "paper_id": str(number),
                "title": f"Title {number}",
                "abstract": [f"{label[:4]} of {number}." for label in labels],
                "pred_labels": labels,
                "metadata": {"year": 2000 + number},
                **fields,
            }
            for number in numbers
        ]
        lines = "".join(json.dumps(paper) + "\n" for paper in papers)
        self.write("abstracts-csfcube-preds.jsonl", lines)


@pytest.fixture
def files(home):
    """`Files` in this test's home."""
    return Files(home / "csfcube")


@pytest.fixture
def load(files):
    """A function that loads a dataset below csfcube, which has `files`."""
    return lambda below: ir_datasets.load(f"csfcube/{below}")


class Site(ThreadingHTTPServer):
    """A web server on this machine.

    pages: content by path. requests: the (path, Range header) pairs asked for.
    stop_after: bytes after which an answer breaks off, though its header promises the whole.
    hold: answers wait here after `stop_after` bytes until it is set, and then go on.
    heads: (status, headers) by path, what is answered when only the headers are asked for.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages, self.requests, self.heads = {}, [], {}
        self.stop_after, self.hold, self.ranges = None, None, False

    def url(self, path):
        """The address of a page."""
        return f"http://127.0.0.1:{self.server_port}{path}"

    def handle_error(self, *_):
        """Say nothing of clients that were killed."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        site, wanted = self.server, self.headers.get("Range")
        site.requests.append((self.path, wanted))
        content = site.pages.get(self.path)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        self.send_response(404 if content is None else 206 if wanted else 200)
        content = (content or b"<html>nothing here</html>")[start:]
        self.send_header("Content-Length", str(len(content)))
        if site.ranges:
            self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        self.wfile.write(content[: site.stop_after])
        if site.hold:
            self.wfile.flush()
            site.hold.wait(20)
        if site.hold or site.stop_after is None:
            self.wfile.write(content[len(content[: site.stop_after]) :])

    def do_HEAD(self):
        status, headers = self.server.heads.get(self.path, (404, {}))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    """A running `Site`."""
    server = Site()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


class DorisFile:
    """The release's file of DORIS-MAE in small, made by hand: two queries, four abstracts.

    content: what `write` writes; change it and write again.
    """

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder, self.path = folder, folder / "DORIS-MAE_dataset_v1.json"
        self.content = json.loads(Path(__file__).with_name("doris-mae-small.json").read_text())
        self.write()

    def write(self, text=None):
        """Write the content, or any text."""
        self.path.write_text(text or json.dumps(self.content))


@pytest.fixture
def offline(monkeypatch):
    """Nobody answers for Zenodo and the like, in processes that are started neither."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")


@pytest.fixture
def world(site, monkeypatch):
    """The `site`, which answers in the place of every server that is asked by https."""
    send = requests.adapters.HTTPAdapter.send

    def to_site(adapter, request, **how):
        if request.url.startswith("https:"):
            request.url, how["proxies"] = site.url(request.path_url), {}
        return send(adapter, request, **how)

    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", to_site)
    return site


@pytest.fixture
def doris(home, offline):
    """`DorisFile` in this test's home."""
    return DorisFile(home / "doris-mae")
