"""LitSearch's files, whole and damaged, on a small release written by hand."""

import errno
import hashlib
import os
import resource
import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path

import ir_datasets
import pyarrow
import pytest
from pyarrow import parquet

from ir_datasets_ext import litsearch
from ir_datasets_ext.releases import DownloadError, Release, Source

QUERIES = "query/full-00000-of-00001.parquet"
SHARDS = [f"corpus_clean/full-0000{number}-of-00006.parquet" for number in range(6)]

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


class Files:
    """A release of six papers, one per file, under the release's paths.

    Paper 7 cites 8, 99 (which is no paper of the release) and 7.
    """

    def __init__(self, folder):
        self.folder = folder
        for number, name in enumerate(SHARDS):
            self.papers(name, [paper(7 + number, citations=[[8, 99, 7], None][number > 0])])
        self.write(
            QUERIES,
            [
                {"query_set": "inline_acl", "query": "Who?", "quality": 2, **asked(0, 7, 12)},
                {"query_set": "manual_iclr", "query": "What?", "quality": 1, **asked(1, 9)},
            ],
        )

    def write(self, name, rows, **settings):
        """Write rows to a file of that path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pyarrow.Table.from_pylist(rows), path, **settings)

    def papers(self, name, rows):
        """Write papers to a file, with the release's columns in another order and one more."""
        self.write(name, [{"more": 1, **dict(sorted(row.items()))} for row in rows])

    def bytes(self, name):
        """The content of a file, to be changed."""
        return bytearray((self.folder / name).read_bytes())

    def replace(self, name, content):
        """Put another content in a file's place."""
        (self.folder / name).write_bytes(content)


def paper(number, title="Title", abstract="Abstract", citations=(), full_paper="Text " * 900):
    """A row of a paper."""
    citations = None if citations is None else list(citations)
    named = {"corpusid": number, "title": title, "abstract": abstract}
    return {**named, "citations": citations, "full_paper": full_paper}


def asked(specificity, *papers):
    """What a row of a question has besides the question."""
    return {"specificity": specificity, "corpusids": list(papers)}


@pytest.fixture
def files(home):
    """`Files` in this test's home."""
    return Files(home / "litsearch")


@pytest.fixture
def light():
    """The documents without full texts."""
    return ir_datasets.load("litsearch")


@pytest.fixture
def full():
    """The documents with full texts."""
    return ir_datasets.load("litsearch/full-text")


def left(files):
    """What was built; nothing lies beside the release's own folders."""
    assert {path.name for path in files.folder.iterdir()} == {"query", "corpus_clean"}
    return {path.name for path in (files.folder.parent / ".stores" / "litsearch").glob("*")}


def spoil(files, name, column):
    """Overwrite what a file has in one column, and nothing else."""
    group = parquet.ParquetFile(files.folder / name).metadata.row_group(0)
    chunk = next(
        group.column(number)
        for number in range(group.num_columns)
        if group.column(number).path_in_schema == column
    )
    content = files.bytes(name)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    content[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    files.replace(name, content)


def test_empty_and_repeated_texts_survive(files, light, full):
    """Papers without title, abstract, citations or text are there, and so are equal ones."""
    empty = paper(8, title="", abstract="", full_paper="")
    missing = paper(9, title=None, abstract=None, citations=None, full_paper=None)
    files.papers(SHARDS[1], [paper(11), empty, paper(10)])
    files.papers(SHARDS[2], [missing])
    documents = list(light.docs_iter())[1:5]
    assert [tuple(document) for document in documents] == [
        ("11", "Title", "Abstract", ()),
        ("8", "", "", ()),
        ("10", "Title", "Abstract", ()),
        ("9", "", "", ()),
    ]
    assert [document.full_text for document in full.docs_iter()[1:5]] == [
        "Text " * 900,
        "",
        "Text " * 900,
        "",
    ]


def test_many_rows_are_read_in_order(files, light):
    """Batches of a file, and files one after the other, keep the release's order."""
    files.papers(SHARDS[0], [paper(1000 + number) for number in range(1000)])
    ids = [document.doc_id for document in light.docs_iter()]
    assert ids == [*(str(1000 + number) for number in range(1000)), "8", "9", "10", "11", "12"]


def test_records(files, light, full):
    """Ids are strings, citations are as listed, and each record says its text."""
    document = light.docs_store().get("7")
    assert document == ("7", "Title", "Abstract", ("8", "99", "7"))
    assert document.default_text() == "Title Abstract"
    assert full.docs_store().get("7").default_text() == "Title Abstract " + "Text " * 900
    assert [tuple(question) for question in light.queries_iter()] == [
        ("0", "Who?", "inline_acl", "broad", 2),
        ("1", "What?", "manual_iclr", "specific", 1),
    ]
    assert [tuple(qrel) for qrel in light.qrels_iter()] == [
        ("0", "7", 1),
        ("0", "12", 1),
        ("1", "9", 1),
    ]


def test_full_texts_are_not_decoded_for_titles_and_abstracts(files, light, full):
    """A column of full texts that cannot be read hinders those alone who want it."""
    spoil(files, SHARDS[3], "full_paper")
    assert light.docs_count() == 6
    with pytest.raises(ValueError, match=r"00003-of-00006\.parquet: expected a whole .*delete it"):
        full.docs_count()
    assert left(files) == {"docs"}


def test_a_damaged_column_is_an_error(files, light):
    """It names the file and what to do, and no store is left."""
    spoil(files, SHARDS[4], "abstract")
    with pytest.raises(ValueError, match=r"00004-of-00006\.parquet: expected a whole.*delete it"):
        light.docs_iter()
    assert left(files) == set()


@pytest.mark.parametrize("size", [0, 3, 100, -100, -1])
def test_a_truncated_file_is_an_error(files, light, size):
    """A rest of any length is an error."""
    files.replace(SHARDS[5], files.bytes(SHARDS[5])[:size])
    with pytest.raises(ValueError, match=r"00005-of-00006\.parquet: expected a whole.*delete it"):
        light.docs_iter()
    assert left(files) == set()


@pytest.mark.parametrize("name", [QUERIES, SHARDS[0]])
def test_another_file_of_that_name_is_an_error(files, light, name):
    """The error for a file that is no Parquet, or has other columns, has both names."""
    for content in (b"<html>", None):
        if content:
            files.replace(name, content)
        else:
            files.write(name, [{"corpusid": 1, "query": "Who?", "specificity": 0}])
        with pytest.raises(
            ValueError,
            match=f"{name}(: expected a whole|, column .*: expected the columns)",
        ):
            list(light.docs_iter()), list(light.queries_iter())


@pytest.fixture
def mirror(site, tmp_path):
    """A mirror of the small release on this machine: its files by key; none is at home."""
    files, sources = Files(tmp_path / "mirror"), {}
    names = {"queries": QUERIES, **{f"corpus/{n}": name for n, name in enumerate(SHARDS)}}
    for key, name in names.items():
        content = site.pages[f"/{name}"] = bytes(files.bytes(name))
        digest = hashlib.sha256(content).hexdigest()
        sources[key] = Source("litsearch", name, site.url(f"/{name}"), "sha256", digest)
    return sources


@pytest.fixture
def mirrored(mirror):
    """The collection from there."""
    release = Release("litsearch", litsearch.__name__)
    release.sources = mirror
    return litsearch.datasets(release)["litsearch"]


def test_all_files_are_downloaded_when_something_is_read(site, mirrored, home):
    """Questions alone need their file alone; documents need six; nothing else is left."""
    assert len(list(mirrored.queries_iter())) == 2
    assert [path for path, _ in site.requests] == [f"/{QUERIES}"]
    assert [document.doc_id for document in mirrored.docs_iter()] == [*map(str, range(7, 13))]
    assert [path for path, _ in site.requests[1:]] == [f"/{name}" for name in SHARDS]
    folder = home / "litsearch"
    files = {str(path.relative_to(folder)) for path in folder.glob("*/*.parquet")}
    assert files == {QUERIES, *SHARDS}
    assert not list(folder.rglob(".*"))


def test_a_missing_file_says_where_it_belongs(mirror, mirrored, home):
    """Offline, with one of six files not at hand: the error names that file and its place."""
    assert mirrored.docs_store().count() == 6
    place = home / "litsearch" / SHARDS[2]
    place.unlink()
    shutil.rmtree(home / ".stores")
    mirror["corpus/2"].url = "http://127.0.0.1:9/"
    with pytest.raises(DownloadError, match=rf"{SHARDS[2]} could not.*{place} by hand"):
        mirrored.docs_iter()
    assert sorted(path.name for path in place.parent.rglob("*")) == [
        Path(name).name for name in SHARDS if name != SHARDS[2]
    ]


def test_a_wrong_download_is_not_kept(mirror, mirrored, home):
    """Another hash than the release's: expected and got are named, and the place stays empty."""
    mirror["corpus/1"].digest = "0" * 64
    with pytest.raises(DownloadError, match=rf"{SHARDS[1]}.*expected sha256 0{{64}}, got [1-9a-f]"):
        mirrored.docs_iter()
    assert [path.name for path in (home / "litsearch").rglob("*.parquet")] == [Path(SHARDS[0]).name]


def test_files_put_there_by_hand_are_warned_of_and_used(files, light):
    """Each of the six is named once, the last with the remark that its hash is uncertain."""
    with pytest.warns(UserWarning, match="is not the release's file") as caught:
        light.docs_count()
    named = [str(warning.message) for warning in caught]
    assert [name for name in SHARDS if any(name in text for text in named)] == SHARDS
    assert [name for name in SHARDS if any(name in t and "uncertain" in t for t in named)] == [
        SHARDS[5]
    ]


@contextmanager
def as_somebody():
    """Give up the right to write everywhere that root has."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_home_that_cannot_be_written(light, full, monkeypatch):
    """Built stores still work; building another is an error with the remedy."""
    home = Path(tempfile.mkdtemp())  # pytest's own folders are closed to others
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))
    files = Files(home / "litsearch")
    light.docs_count()
    folders = [path for path in (home, *home.rglob("*")) if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    with as_somebody():
        assert len(list(light.docs_iter())) == 6
        assert light.citations("7") == ("8", "99", "7")
        with pytest.raises(OSError, match=r"cannot write to .*litsearch.*IR_DATASETS_HOME"):
            full.docs_iter()
    for folder in folders:
        folder.chmod(0o755)
    assert left(files) == {"docs"}
    shutil.rmtree(home)


def test_a_disk_that_fills_up_while_building(files, light, monkeypatch):
    """The error names the folder and the remedy, nothing is left, and with room all is well."""
    replace = os.replace

    def no_room(old, new):
        if Path(new).name == "docs.entries":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_room)
        with pytest.raises(OSError, match=r"cannot write to .*litsearch: No space.*IR_DATASETS_HO"):
            light.docs_iter()
    assert left(files) == set()
    assert light.docs_count() == 6


def test_a_disk_that_fills_up_while_downloading(site, mirrored, home):
    """The error names file, folder and remedy, and no part of the file is left."""
    page, limits = f"/{SHARDS[0]}", resource.getrlimit(resource.RLIMIT_FSIZE)
    content, site.pages[page] = site.pages[page], bytes(8_000_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, limits[1]))
    try:
        with pytest.raises(DownloadError, match=rf"{SHARDS[0]}.*cannot write to .*: File too larg"):
            mirrored.docs_iter()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not [path for path in home.rglob("*") if path.is_file()]
    site.pages[page] = content
    assert mirrored.docs_store().count() == 6


def test_what_a_killed_download_left_goes_though_the_file_is_there_now(files, light):
    """A part left in a folder below the collection's is swept at the next use."""
    part = files.folder / "corpus_clean" / ".full-00002-of-00006.parquet.0123.tmp"
    part.touch()
    light.docs_count()
    assert not part.exists()


def test_the_release_s_own_files_need_no_warning(mirrored):
    """What was downloaded and verified is not warned of when it is read."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert mirrored.docs_store().count() == 6
