"""What a server states of a file, and downloads whose own hash is uncertain."""

import hashlib
import warnings

import ir_datasets
import pytest
import requests

from ir_datasets_ext.litsearch import RELEASE
from ir_datasets_ext.releases import DownloadError, Source

CONTENT = b"the last of six files"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
OTHER = "0" * 64


@pytest.fixture
def source(site):
    """A file that the site has, with a hash that is another and uncertain."""
    site.pages["/file"] = CONTENT
    return Source("collection", "sub/file", site.url("/file"), "sha256", OTHER, uncertain=True)


@pytest.fixture
def told(monkeypatch):
    """What is logged."""
    lines, logger = [], ir_datasets.log.easy().logger()
    monkeypatch.setattr(logger, "info", lambda text, **_: lines.append(text))
    return lines


def test_the_server_s_hash_counts_where_ours_is_uncertain(source, site, told):
    """The file is kept, the log says which hash was used, and no later check warns of it."""
    site.heads["/file"] = (200, {"X-Linked-Etag": f'"{SHA256}"'})
    assert source.path().read_bytes() == CONTENT
    (line,) = [line for line in told if SHA256 in line]
    assert OTHER in line
    assert "server's was used" in line
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source.check()


def test_the_hash_we_know_is_enough(source, site, told):
    """Where it fits nobody is asked, and nothing is said."""
    source.digest = SHA256
    assert source.path().read_bytes() == CONTENT
    assert not [line for line in told if SHA256 in line]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Linked-Etag": f'"{SHA256}"', "ETag": f'"{OTHER}"'},
        {"X-Linked-Etag": "no hash", "ETag": f'W/"{SHA256}"'},
    ],
)
def test_the_hub_s_own_header_goes_before_the_usual_one(source, site, headers):
    """Which counts where that is no sha256."""
    site.heads["/file"] = (200, headers)
    assert source.path().read_bytes() == CONTENT


def test_the_hub_states_it_before_it_leads_on(source, site):
    """The answer that redirects has the hash, whatever the place it leads to says, even no."""
    site.heads["/file"] = (302, {"X-Linked-Etag": f'"{SHA256}"', "Location": site.url("/cdn")})
    site.heads["/cdn"] = (403, {"ETag": f'"{OTHER}"'})
    assert source.path().read_bytes() == CONTENT


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Linked-Etag": "1" * 64},
        {"X-Linked-Etag": f'"{OTHER}"', "ETag": f'"{SHA256}"'},
        {"ETag": '"d41d8cd98f00b204e9800998ecf8427e"'},
        {},
    ],
)
def test_a_file_that_has_neither_hash_is_not_kept(source, site, headers):
    """Whether the server states another one, something else, or none."""
    site.heads["/file"] = (200, headers)
    with pytest.raises(DownloadError, match=rf"{OTHER} \(likely, but uncertain\), got {SHA256}"):
        source.path()
    assert list(source.place().parent.iterdir()) == []


def test_a_server_that_states_nothing_any_more(source, site, monkeypatch):
    """No connection is no hash, and no other error."""

    def gone(*_, **__):
        raise requests.ConnectionError("gone")

    monkeypatch.setattr(requests, "head", gone)
    with pytest.raises(DownloadError, match=rf"{OTHER} \(likely, but uncertain\), got {SHA256}"):
        source.path()


def test_a_certain_hash_is_not_given_up(source, site):
    """What the server states is no excuse for a file whose hash is known."""
    source.uncertain = False
    site.heads["/file"] = (200, {"X-Linked-Etag": SHA256})
    with pytest.raises(DownloadError, match=f"expected sha256 {OTHER}, got {SHA256}"):
        source.path()


def test_one_file_of_litsearch_is_uncertain():
    """All are of the pinned revision and have a sha256; that of the last is not certain."""
    sources = RELEASE.sources
    base = "https://huggingface.co/datasets/princeton-nlp/LitSearch/resolve/"
    base += "9573fb284a1026c998df47024b888a163f0f0e25/"
    assert {key: source.url for key, source in sources.items()} == {
        "queries": f"{base}query/full-00000-of-00001.parquet",
        **{f"corpus/{n}": f"{base}corpus_clean/full-0000{n}-of-00006.parquet" for n in range(6)},
    }
    assert all(source.url.endswith(f"/{source.name}") for source in sources.values())
    assert {source.algorithm for source in sources.values()} == {"sha256"}
    assert len({source.digest for source in sources.values()}) == 7
    assert [key for key, source in sources.items() if source.uncertain] == ["corpus/5"]
