"""Documents in a store that follows its files."""

import os
import pickle
import shutil
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import ir_datasets
import pytest

from ir_datasets_ext.files import ReleaseFile, read_lines
from ir_datasets_ext.store import Store

EVERYTHING = ["1", "2", "3", "7"]


def list_ids(documents):
    """Return the ids of documents."""
    return [document.doc_id for document in documents]


class TinyDoc(NamedTuple):
    """A document's id."""

    doc_id: str


@pytest.fixture
def docs(files):
    """The handler of csfcube's documents over `files`: papers 1, 2, 3, 7."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*is not the release's file")
        handler = ir_datasets.load("csfcube").docs_handler()
        handler.docs_count()
        yield handler


@pytest.fixture
def store_path(files):
    """The file of the store."""
    return files.folder.parent / ".stores" / "csfcube.sqlite"


def test_nothing_is_counted_before_there_is_a_file(home):
    """Without the file the count is unknown; asking for it downloads and builds nothing."""
    assert ir_datasets.load("csfcube").docs_handler().docs_count() is None
    assert not (home / "csfcube").exists()


@pytest.mark.parametrize(
    "part",
    [slice(None), slice(1, 3), slice(2, None), slice(None, 2), slice(0, 4, 2), slice(-2, 4)],
)
def test_slices_are_those_of_a_list(docs, part):
    """An iteration is cut like a list of its documents, also twice."""
    assert list_ids(docs.docs_iter()[part]) == EVERYTHING[part]
    assert list_ids(docs.docs_iter()[part][:1]) == EVERYTHING[part][:1]


def test_positions_are_those_of_a_list(docs):
    """A position counts from the first document that was not returned yet, or from the end."""
    documents = docs.docs_iter()
    assert [documents[position].doc_id for position in (0, 3, -1)] == ["1", "7", "7"]
    next(documents)
    assert documents[0].doc_id == "2"
    assert list_ids(documents[1:]) == ["3", "7"]
    with pytest.raises(IndexError):
        documents[3]
    with pytest.raises(TypeError):
        documents["1"]


def test_look_ups(docs):
    """The store finds documents by id, in the files' order; KeyErrors name unknown ids."""
    store = docs.docs_store()
    assert store.count() == docs.docs_count() == 4
    assert list_ids(store.get_many_iter(["7", "1", "8", "1"])) == ["1", "7"]
    assert store.get("3", "year") == 2003
    with pytest.raises(KeyError, match="8"):
        store.get("8")


def test_a_replaced_file_is_followed(docs, files):
    """A later call reads the new file; stores and iterators in use keep the old documents."""
    old_store, running = docs.docs_store(), docs.docs_iter()
    old_fingerprint = docs.docs_fingerprint()
    next(running)
    files.papers(5, 6)
    with pytest.warns(UserWarning, match=r"csfcube\.sqlite is built again: its files have") as told:
        assert docs.docs_count() == 2
    assert told[0].filename == __file__
    assert list_ids(docs.docs_iter()) == ["5", "6"]
    assert docs.docs_fingerprint() != old_fingerprint
    assert list_ids(running) == ["2", "3", "7"]
    assert list_ids(old_store.get_many_iter(["7"])) == ["7"]


def test_a_file_with_another_time_is_not_read_again(docs, files, store_path):
    """Its hash decides, so a home may be copied; the fingerprint is the content's."""
    built = store_path.stat().st_ino
    fingerprint = docs.docs_fingerprint()
    os.utime(files.folder / "abstracts-csfcube-preds.jsonl", ns=(1, 1))
    assert docs.docs_count() == 4
    assert store_path.stat().st_ino == built
    store_path.unlink()
    docs.docs_count()
    assert docs.docs_fingerprint() == fingerprint


def test_a_removed_file_is_missed(docs, files):
    """A store of other files than the release's is not the collection without them."""
    (files.folder / "abstracts-csfcube-preds.jsonl").unlink()
    assert docs.docs_count() is None


def test_the_release_s_files_are_not_needed_after_building(home):
    """What was built from the right files is served without them."""
    home.mkdir()
    (home / "tiny.jsonl").write_bytes(b'["1"]\n')
    digest = "7227ef60036169f22c1e08baf4fc0794"  # printf '["1"]\n' | md5sum
    file = ReleaseFile("", "tiny.jsonl", digest=digest)

    def read_tables():
        with file.path().open("rb") as lines:
            yield "docs", list(read_lines(file.path(), lines, TinyDoc))

    store = Store("tiny", TinyDoc, [file], read_tables)
    assert list(store.open().get_many_iter(["1", "2"])) == [("1",)]
    file.place().unlink()
    store = Store("tiny", TinyDoc, [file], read_tables)
    assert list(store.open()) == [("1",)]


def test_a_home_may_be_copied(docs, files, tmp_path, monkeypatch):
    """The same dataset reads the home that is set at the moment."""
    shutil.copytree(files.folder.parent, tmp_path / "other")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "other"))
    (tmp_path / "other").chmod(0o555)
    assert list_ids(docs.docs_iter()) == EVERYTHING
    (tmp_path / "other").chmod(0o755)


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [
        ((), "expected documents, got none; delete it"),
        ((1, 2, 1), r"jsonl: the id '1' is there twice in docs, .*once; delete it"),
    ],
)
def test_files_without_documents_or_with_an_id_twice_are_errors(
    docs, files, store_path, numbers, problem
):
    """Nothing is kept, and the earlier store stays."""
    files.papers(*numbers)
    before = store_path.read_bytes()
    with pytest.warns(UserWarning, match="built again"), pytest.raises(ValueError, match=problem):
        docs.docs_iter()
    assert store_path.read_bytes() == before
    assert [path.name for path in store_path.parent.glob("*.tmp")] == []


def test_nothing_is_unpickled(docs, store_path, tmp_path):
    """A crafted file in the place of the store runs nothing."""
    store_path.write_bytes(pickle.dumps(Crafted(str(tmp_path / "ran"))))
    with pytest.warns(UserWarning, match="damaged, and built again") as told:
        assert list_ids(docs.docs_store().get_many_iter(EVERYTHING)) == EVERYTHING
    assert told[0].filename == __file__
    assert not (tmp_path / "ran").exists()


class Crafted:
    """What makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_threads_share_a_store(docs):
    """Each gets all documents, whether it built the store or not."""
    shutil.rmtree(docs.docs_handler().store.path.parent)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list_ids(docs.docs_iter()), range(40)))
    assert found == [EVERYTHING] * 40
