"""The files of a release: found, or downloaded from a server on this machine and verified."""

import hashlib
import io
import json
import threading
import warnings

import ir_datasets
import pytest

from ir_datasets_ext import csfcube, doris_mae, litsearch, s2orc
from ir_datasets_ext.files import DATA, DownloadError, ReleaseFile

CONTENT = bytes(range(256)) * 4000  # 1,024,000 bytes
MD5 = hashlib.md5(CONTENT).hexdigest()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER = "0" * 64
FETCH = """
import sys
from ir_datasets_ext.files import ReleaseFile
file = ReleaseFile("collection", "file.bin", sys.argv[1], digest=sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
print(file.path().stat().st_size)
"""


@pytest.fixture
def file(site):
    """A file that the site has, and its md5."""
    site.pages["/file.bin"] = CONTENT
    return ReleaseFile("collection", "file.bin", site.url("/file.bin"), digest=MD5)


def list_names(home):
    """Return the names in the collection's folder, but of the lock."""
    names = {path.name for path in (home / "collection").iterdir()}
    return sorted(names - {".file.bin.lock"})


@pytest.mark.parametrize(
    ("algorithm", "digest"),
    [
        ("md5", MD5),
        ("sha256", SHA256),
        ("git-blob", hashlib.sha1(b"blob 1024000\0" + CONTENT).hexdigest()),
    ],
)
def test_a_missing_file_is_downloaded_once(file, site, home, algorithm, digest):
    """It is requested at the first use alone, and gets its name, with nothing beside it."""
    file.algorithm, file.digest = algorithm, digest
    assert not file.present()
    assert file.path() == file.path() == home / "collection" / "file.bin"
    assert file.path().read_bytes() == CONTENT
    assert list_names(home) == ["file.bin"]
    assert len(site.requests) == 1


def test_a_wrong_download_is_not_kept(file, home):
    """The error names the file, what was expected, what came, and what to do."""
    file.digest, file.page = "0" * 32, "https://example.org"
    with pytest.raises(DownloadError) as caught:
        file.path()
    parts = ("file.bin", file.url, "md5 " + "0" * 32, MD5, "Try again", file.page, file.place())
    assert [part for part in map(str, parts) if part not in str(caught.value)] == []
    assert list_names(home) == []


def test_servers_that_have_no_file(file, site, home):
    """A status of 404, no server, or an answer that always breaks off: one error, and no file."""
    url = file.url
    for file.url, problem in ((f"{url}.missing", "404"), ("http://127.0.0.1:9/f", "127.0.0.1")):
        with pytest.raises(DownloadError, match=rf"file\.bin could not be downloaded.*{problem}"):
            file.path()
    file.url, site.stop_after = url, 100_000
    with pytest.raises(DownloadError, match="could not be downloaded"):
        file.path()
    assert list_names(home) == []


def test_a_download_that_breaks_off_is_resumed(file, site, home):
    """If the server serves ranges, the rest is requested from where it broke off."""
    site.stop_after, site.ranges = 400_000, True
    assert file.path().read_bytes() == CONTENT
    whole = 400_000 // io.DEFAULT_BUFFER_SIZE * io.DEFAULT_BUFFER_SIZE  # blocks that were handed on
    ranges = [requested for _, requested in site.requests]
    assert ranges == [None, f"bytes={whole}-", f"bytes={2 * whole}-"]


def test_a_killed_download_leaves_no_file(file, site, home, python):
    """Half a download is never under the file's name, and the next one is whole."""
    site.stop_after, site.hold = 500_000, threading.Event()
    process = python(FETCH, file.url, MD5)
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    while not (list(home.glob("collection/.file.bin.*.tmp")) and site.requests):
        assert process.poll() is None
    process.kill()
    process.communicate()
    assert not file.present()
    site.hold.set()
    assert file.path().read_bytes() == CONTENT


def test_of_two_processes_one_downloads(file, site, python):
    """The second waits for the first, then finds the file."""
    site.stop_after, site.hold = 1000, threading.Event()
    processes = [python(FETCH, file.url, MD5) for _ in range(2)]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    threading.Timer(0.5, site.hold.set).start()
    assert [process.communicate()[0].strip() for process in processes] == ["1024000", "1024000"]
    assert len(site.requests) == 1


def test_an_existing_file_is_used_and_warned_of_once(file, site, home):
    """Any file of the name is used as it is."""
    file.place().parent.mkdir(parents=True)
    file.place().write_text("another")
    said = r"file\.bin is not the release's file: figures may diff"
    with pytest.warns(UserWarning, match=said) as told:
        assert file.load(lambda path: path.read_text()) == "another"
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file.check()
        file.place().write_bytes(CONTENT)
        assert file.load(lambda path: path.read_bytes()) == CONTENT
    assert site.requests == []


def test_a_parsed_file_is_read_again_once_it_changed(file, home):
    """Between changes it is the same object."""
    file.digest = ""
    file.place().parent.mkdir(parents=True)

    def read(path):
        return [path.read_text()]

    for number in range(10):  # quick changes of equal size
        file.place().write_text(str(number))
        assert file.load(read) == [str(number)]
    while not file.version().is_settled():
        pass
    assert file.load(read) is file.load(read)


def test_the_licence_is_logged_before_the_first_download_alone(site, monkeypatch):
    """There is one notice per collection, however many files are downloaded."""
    messages = []
    logger = ir_datasets.log.easy().logger()
    monkeypatch.setattr(logger, "info", lambda text, **_: messages.append(text))
    for name in ("a", "b"):
        site.pages["/" + name] = CONTENT
        ReleaseFile("licensed", name, site.url("/" + name), digest=MD5, notice="CC0-1").path()
    assert messages.count("CC0-1") == 1


@pytest.fixture
def uncertain(file):
    """The file, with another hash, which is uncertain."""
    file.algorithm, file.digest, file.uncertain = "sha256", OTHER, True
    return file


def test_the_server_s_hash_counts_if_ours_is_uncertain(uncertain, site):
    """The hub states it before it redirects; no later check warns of the file."""
    site.heads["/file.bin"] = (302, {"X-Linked-Etag": f'"{SHA256}"', "Location": "/cdn"})
    assert uncertain.path().read_bytes() == CONTENT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        uncertain.check()


@pytest.mark.parametrize("headers", [{"X-Linked-Etag": "1" * 64}, {"ETag": f'"{SHA256}"'}, None])
def test_a_file_that_has_neither_hash_is_not_kept(uncertain, site, home, headers):
    """Whether the server states another one, none, or does not know the file."""
    site.heads["/file.bin"] = (200, headers) if headers else (404, {})
    expected = (headers or {}).get("X-Linked-Etag", OTHER)
    with pytest.raises(DownloadError, match=rf"{expected} \(likely, but uncertain\), got {SHA256}"):
        uncertain.path()
    assert list_names(home) == []


@pytest.fixture
def recorded(site):
    """A file that is listed in a record of Zenodo, which states its md5."""
    entry = {"key": "file.bin", "checksum": f"md5:{MD5}", "links": {"self": site.url("/file.bin")}}
    site.pages["/record"] = json.dumps({"files": [{"key": "another"}, entry]}).encode()
    site.pages["/file.bin"] = CONTENT
    return ReleaseFile("collection", "file.bin", record=site.url("/record"), page="the page")


def test_a_file_of_a_record(recorded, site, home):
    """The record states address and md5; a file with another md5 is not kept."""
    site.pages["/file.bin"] = CONTENT[:-1]
    with pytest.raises(DownloadError, match=f"expected md5 {MD5}, got .*open the page in a brow"):
        recorded.path()
    assert list_names(home) == []
    site.pages["/file.bin"] = CONTENT
    assert recorded.path().read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (None, "404"),
        (b"<html>busy</html>", "Expecting value"),
        (b'{"files": [{"key": "renamed.bin"}]}', "does not list file.bin"),
        (b'{"files": [{"key": "file.bin"}]}', "'links'"),
        (b"{}", "'files'"),
    ],
)
def test_a_record_that_states_no_hash(recorded, site, home, record, problem):
    """The error says what is missing, and what to do; nothing is downloaded."""
    site.pages["/record"] = record
    with pytest.raises(DownloadError, match=f"{problem}.*open the page in a browser"):
        recorded.path()
    assert list_names(home) == []


def test_every_file_is_pinned():
    """CSFCube's are those of a commit, LitSearch's of a revision; records state other hashes."""
    csfcube_base = "https://raw.githubusercontent.com/iesl/CSFCube/"
    csfcube_base += "7ffe012c1d92c470f185fc086086caf5b8e05ef3/"
    litsearch_base = "https://huggingface.co/datasets/princeton-nlp/LitSearch/resolve/"
    litsearch_base += "9573fb284a1026c998df47024b888a163f0f0e25/"
    for files, base in ((csfcube.FILES, csfcube_base), (litsearch.FILES, litsearch_base)):
        assert all(file.url == base + file.name for file in files.values())
        assert len({file.digest for file in files.values()}) == 7
    assert [key for key, file in litsearch.FILES.items() if file.uncertain] == ["corpus/5"]
    records = [*doris_mae.FILES.values(), *s2orc.FILES.values()]
    assert [(file.record, file.name) for file in records] == [
        ("https://zenodo.org/api/records/8299749", "DORIS-MAE_dataset_v1.json"),
        ("https://zenodo.org/api/records/8035110", "DORIS_MAE_dataset_v0.json"),
        ("https://api.figshare.com/v2/articles/14796339", "abstracts-preds.zip"),
    ]
    assert all(file.place().parent == DATA / "mini" for file in csfcube.MINI_FILES.values())


def test_hashes_are_those_of_the_release(csfcube_home):
    """The real files at hand have them, but for the abstracts, which are no copy."""
    wrong = [key for key, file in csfcube.FILES.items() if file.hash() != file.digest]
    assert wrong == ["docs"]
