"""A file of a Zenodo record, from a server on this machine that answers as Zenodo does."""

import hashlib
import json
import warnings

import pytest

from ir_datasets_ext.doris_mae import RELEASE
from ir_datasets_ext.releases import DownloadError, ZenodoFile

CONTENT = b'{"Query": []}'
MD5 = hashlib.md5(CONTENT).hexdigest()
RECORD, FILE = "/api/records/8299749", "/api/records/8299749/files/file.json/content"


@pytest.fixture
def zenodo(site):
    """A function that lets the record state a file of this key and md5, which is served."""

    def state(key="file.json", md5=MD5):
        other = {"key": "another.pickle", "checksum": "md5:0", "links": {"self": "none"}}
        entry = {"key": key, "checksum": f"md5:{md5}", "links": {"self": site.url(FILE)}}
        site.pages[RECORD] = json.dumps({"files": [other, entry]}).encode()
        site.pages[FILE] = CONTENT

    state()
    return state


@pytest.fixture
def file(site, zenodo):
    """The file, not downloaded."""
    return ZenodoFile("collection", "file.json", site.url(RECORD))


def by_hand(file, content=CONTENT):
    """Put the file where it belongs."""
    file.place().parent.mkdir(parents=True)
    file.place().write_bytes(content)


def test_a_missing_file_is_downloaded_from_where_the_record_says(file, site):
    """The record is asked once, the file once; to check what was verified asks nothing more."""
    assert file.path() == file.path() == file.place()
    assert file.place().read_bytes() == CONTENT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file.check()
    assert [path for path, _ in site.requests] == [RECORD, FILE]


def test_a_wrong_download_is_not_kept(file, zenodo, home):
    """The error has what was expected, what came, and how to do it by hand: page, name, place."""
    zenodo(md5="0" * 32)
    with pytest.raises(DownloadError) as caught:
        file.path()
    page = file.url.replace("/api", "")
    for part in ("md5 " + "0" * 32, MD5, "Nothing was kept", f"{page} in a browser"):
        assert part in str(caught.value)
    assert f"download file.json, and move it to {file.place()}" in str(caught.value)
    assert list((home / "collection").iterdir()) == []


@pytest.mark.parametrize("turned_away", [RECORD, FILE])
def test_zenodo_turns_us_away(file, site, home, turned_away):
    """Whether it is the record or the file that is refused: how to do it by hand, and no file."""
    del site.pages[turned_away]
    with pytest.raises(DownloadError, match=r"404.*To do it by hand, open http.*file\.json"):
        file.path()
    assert list((home / "collection").iterdir()) == []


def test_nobody_answers(file):
    """No connection gives the same error."""
    file.url = "http://127.0.0.1:9/api/records/1"
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1.*open http://127\.0\.0\.1:9/records/1 "):
        file.path()


def test_a_record_of_another_shape(file, zenodo, site):
    """The error says what is missing: the file, its md5, or JSON."""
    zenodo(key="renamed.json")
    with pytest.raises(DownloadError, match=r"does not state address and md5 of file\.json"):
        file.path()
    site.pages[RECORD] = b'{"files": [{"key": "file.json"}]}'
    with pytest.raises(DownloadError, match="KeyError: 'checksum'"):
        file.path()
    site.pages[RECORD] = b"[" * 200_000
    with pytest.raises(DownloadError, match="recursion"):
        file.path()
    site.pages[RECORD] = b"<html>busy</html>"
    with pytest.raises(DownloadError, match=r"md5 of file\.json could not be requested from"):
        file.path()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"checksum": 7}, "the md5 is '7': expected 32 hex digits"),
        ({"checksum": "md5:" + "0" * 31}, "expected 32 hex digits"),
        ({"checksum": "sha256:" + "0" * 64}, "the md5 is 'sha256:0"),
        ({"links": {"self": 3}}, "the address is 3: expected a text"),
        ({"size": "13"}, "the size is '13': expected a number of bytes"),
        ({"size": -1}, "the size is -1: expected a number of bytes"),
    ],
)
def test_a_record_of_other_types(file, site, wrong, message):
    """The error names the wrong value of md5, address or size, and nothing is downloaded."""
    entry = {"key": "file.json", "checksum": f"md5:{MD5}", "links": {"self": site.url(FILE)}}
    site.pages[RECORD] = json.dumps({"files": [entry | wrong]}).encode()
    with pytest.raises(DownloadError, match=message):
        file.path()
    assert [path for path, _ in site.requests] == [RECORD]


def test_no_more_is_downloaded_than_the_record_states(file, site):
    """A download that exceeds the file's size is stopped."""
    entry = {"key": "file.json", "checksum": f"md5:{MD5}", "links": {"self": site.url(FILE)}}
    site.pages[RECORD] = json.dumps({"files": [entry | {"size": 12}]}).encode()
    with pytest.raises(DownloadError, match="sends more than the 12 bytes"):
        file.path()
    site.pages[RECORD] = json.dumps({"files": [entry | {"size": 13}]}).encode()
    assert file.path().read_bytes() == CONTENT


def test_a_file_placed_by_hand_is_compared(file, site):
    """The release's own file causes no warning and no download."""
    by_hand(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert file.path() == file.place()
        file.check()
    assert [path for path, _ in site.requests] == [RECORD]


def test_another_file_placed_by_hand_is_warned_of_once(file, site):
    """It is used as it is; Zenodo is asked once per process."""
    by_hand(file, b"another")
    with pytest.warns(UserWarning, match=rf"is not the release's file.*expected md5 {MD5}"):
        file.check()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file.check()
    assert file.path().read_bytes() == b"another"
    assert [path for path, _ in site.requests] == [RECORD]


def test_a_file_that_cannot_be_compared_is_used(file):
    """Without Zenodo, one warning says so."""
    by_hand(file)
    file.url = "http://127.0.0.1:9/api/records/1"
    with pytest.warns(UserWarning, match=r"was not compared with the release's, and is used as it"):
        file.check()
    assert file.path() == file.place()


def test_the_records_of_doris_mae():
    """Both versions, under the names that the records have."""
    assert {key: (file.url, file.name) for key, file in RELEASE.sources.items()} == {
        "v1": ("https://zenodo.org/api/records/8299749", "DORIS-MAE_dataset_v1.json"),
        "v0": ("https://zenodo.org/api/records/8035110", "DORIS_MAE_dataset_v0.json"),
    }
