"""One file of a release: found, or downloaded from a server on this machine and verified."""

import hashlib
import io
import threading
import warnings

import ir_datasets
import pytest

from ir_datasets_ext.releases import DownloadError, Source

CONTENT = bytes(range(256)) * 4000  # 1,024,000 bytes
MD5 = hashlib.md5(CONTENT).hexdigest()
FETCH = """
import sys
from ir_datasets_ext.releases import Source
source = Source("collection", "file.bin", sys.argv[1], "md5", sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
print(source.path().stat().st_size)
"""


@pytest.fixture
def source(site):
    """A file that the site has, and its md5."""
    site.pages["/file.bin"] = CONTENT
    return Source("collection", "file.bin", site.url("/file.bin"), "md5", MD5)


def names(home):
    """What lies in the collection's folder."""
    return sorted(path.name for path in (home / "collection").iterdir())


@pytest.mark.parametrize(
    ("algorithm", "digest"),
    [
        ("md5", MD5),
        ("sha256", hashlib.sha256(CONTENT).hexdigest()),
        ("git-blob", hashlib.sha1(b"blob 1024000\0" + CONTENT).hexdigest()),
        (None, None),
    ],
)
def test_a_missing_file_is_downloaded_once(source, site, home, algorithm, digest):
    """It is fetched at the first use alone, under its own name, with nothing beside it."""
    source.algorithm, source.digest = algorithm, digest
    assert not source.present()
    assert source.path() == source.path() == home / "collection" / "file.bin"
    assert source.present()
    assert source.path().read_bytes() == CONTENT
    assert names(home) == ["file.bin"]
    assert len(site.requests) == 1


def test_a_file_without_address_is_placed_by_the_user(home):
    """The error says where; once it is there, it is used."""
    source = Source("collection", "file.bin", "")
    place = home / "collection" / "file.bin"
    with pytest.raises(DownloadError, match=f"file.bin cannot be downloaded: put .* at {place}"):
        source.path()
    place.write_bytes(CONTENT)
    assert source.path() == place


def test_a_wrong_download_is_not_kept(source, home):
    """The error names the file, what was expected, what came, and what to do."""
    source.digest = "0" * 32
    with pytest.raises(DownloadError) as caught:
        source.path()
    message = str(caught.value)
    for part in ("file.bin", source.url, "md5 " + "0" * 32, MD5, "Try again", str(source.place())):
        assert part in message
    assert names(home) == []


@pytest.mark.parametrize("digest", [MD5, None])
def test_a_page_that_says_not_found_is_no_file(source, home, digest):
    """A status of 404 is an error that says so, whether a hash is known or not."""
    source.url += ".missing"
    source.digest = digest
    with pytest.raises(DownloadError, match="404"):
        source.path()
    assert names(home) == []


def test_a_server_that_nobody_runs_is_one_clear_error(source, site, home):
    """No connection: the error has the address and where to put the file by hand."""
    source.url = "http://127.0.0.1:9/file.bin"
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:9.*by hand"):
        source.path()
    assert names(home) == []


@pytest.mark.parametrize("digest", [MD5, None])
def test_a_truncated_download_is_not_kept(source, site, home, digest):
    """An answer that always breaks off is an error, whether a hash is known or not."""
    site.stop_after = 100_000
    source.digest = digest
    with pytest.raises(DownloadError, match=r"file\.bin could not be downloaded"):
        source.path()
    assert names(home) == []


@pytest.mark.parametrize("digest", [MD5, None])
def test_a_server_that_falls_silent_is_given_up(source, site, home, digest):
    """After `seconds` in all, however long the server means to go on."""
    site.stop_after, site.hold = 1000, threading.Event()
    source.digest, source.seconds = digest, 0.3
    with pytest.raises(DownloadError, match=r"not complete after 0\.3 seconds.*by hand"):
        source.path()
    site.hold.set()
    assert names(home) == []


def test_an_answer_without_end_is_given_up(source, site, home):
    """No more than `most` bytes are taken, where no length is stated."""
    site.length, source.most = None, len(CONTENT) - 1
    with pytest.raises(DownloadError, match="more than the 1023999 bytes"):
        source.path()
    assert names(home) == []
    source.most += 1
    assert source.path().read_bytes() == CONTENT


def test_a_length_that_is_no_number_is_one_clear_error(source, site, home):
    """The error has the address, what could not be read, and what to do."""
    site.length = "abc"
    with pytest.raises(DownloadError, match=r"file\.bin could not .*answer.*'abc'.*by hand"):
        source.path()
    assert names(home) == []


def test_a_download_that_breaks_off_is_resumed(source, site, home):
    """Where the server serves ranges, the rest is asked for from where it broke off."""
    site.stop_after, site.ranges = 400_000, True
    assert source.path().read_bytes() == CONTENT
    whole = 400_000 // io.DEFAULT_BUFFER_SIZE * io.DEFAULT_BUFFER_SIZE  # blocks that were handed on
    ranges = [wanted for _, wanted in site.requests]
    assert ranges == [None, f"bytes={whole}-", f"bytes={2 * whole}-"]
    assert names(home) == ["file.bin"]


def test_a_killed_download_leaves_no_file_and_the_next_cleans_up(source, site, home, python):
    """Half a download is never under the file's name, and what is left of it goes at the next."""
    site.stop_after, site.hold = 500_000, threading.Event()
    process = python(FETCH, source.url, MD5)
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    while not (list(home.glob("collection/.file.bin.*.tmp")) and site.requests):
        assert process.poll() is None
    process.kill()
    process.communicate()
    assert [name[:10] + name[-4:] for name in names(home)] == [".file.bin..tmp"]
    site.hold.set()
    assert source.path().read_bytes() == CONTENT
    assert names(home) == ["file.bin"]


def test_of_two_processes_one_downloads_and_both_have_it(source, site, python):
    """The second waits for the first, then finds the file: the server is asked once."""
    site.stop_after, site.hold = 1000, threading.Event()
    processes = [python(FETCH, source.url, MD5) for _ in range(2)]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    threading.Timer(0.5, site.hold.set).start()
    assert [process.communicate()[0].strip() for process in processes] == ["1024000", "1024000"]
    assert len(site.requests) == 1


def test_a_file_found_is_used_and_warned_of_once(source, site, home):
    """Any file of the name is used as it is; check() says once that it is not the release's."""
    place = home / "collection" / "file.bin"
    place.parent.mkdir(parents=True)
    place.write_text("another")
    assert source.path() == place
    with pytest.warns(UserWarning, match=r"file\.bin is not the release's file: figures may diff"):
        source.check()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source.check()
    assert place.read_text() == "another"
    assert site.requests == []


def test_the_release_s_own_file_needs_no_warning(source, home):
    """A file of the right hash passes, and so does any where no hash is known."""
    source.path()
    unknown = Source("collection", "file.bin", source.url)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source.check()
        unknown.check()
    assert names(home) == ["file.bin"]


def test_the_licence_is_told_before_the_first_download_alone(site, monkeypatch):
    """One notice per collection, however many files are downloaded."""
    told = []
    logger = ir_datasets.log.easy().logger()
    monkeypatch.setattr(logger, "info", lambda text, **_: told.append(text))
    for name in ("a", "b"):
        site.pages["/" + name] = b"x"
        Source("licensed", name, site.url("/" + name), notice="CC BY-NC 4.0").path()
    assert told.count("CC BY-NC 4.0") == 1


def test_a_folder_that_cannot_be_written_says_what_to_do(source, site, home):
    """A file in the folder's place: one error with the remedy, and no request was made."""
    home.mkdir()
    (home / "collection").touch()
    with pytest.raises(OSError, match=r"cannot write to .*collection.*IR_DATASETS_HOME"):
        source.path()
    assert site.requests == []
