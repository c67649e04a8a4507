"""Documents in a store that follows their file, and queries by id."""

import builtins
import io
import os
import pickle
import shutil
import time
import warnings

import ir_datasets
import lz4.block
import pytest

from ir_datasets_ext import csfcube


@pytest.fixture
def docs(files):
    """The handler of csfcube's documents over `files`."""
    return ir_datasets.load("csfcube").docs_handler()


def ids(docs):
    """The ids that an iteration gives."""
    return [doc.doc_id for doc in docs]


def test_nothing_is_counted_before_there_is_a_file(home):
    """Without the file the count is unknown, and asking for it downloads and builds nothing."""
    docs = ir_datasets.load("csfcube").docs_handler()
    assert docs.docs_count() is None
    assert not (home / "csfcube").exists()


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
class TestDocs:
    """Four papers: 1, 2, 3, 7."""

    @pytest.mark.parametrize(
        "part",
        [slice(None), slice(1, 3), slice(2, None), slice(None, 2), slice(0, 4, 2), slice(-2, 4)],
    )
    def test_slices_are_those_of_a_list(self, docs, part):
        """An iteration is cut like a list of its documents, and twice over."""
        everything = ["1", "2", "3", "7"]
        assert ids(docs.docs_iter()[part]) == everything[part]
        assert ids(docs.docs_iter()[part][:1]) == everything[part][:1]

    @pytest.mark.parametrize("index", [0, 1, 3, -1])
    def test_single_documents_are_those_of_a_list(self, docs, index):
        """An index gives one document, from the end too."""
        assert docs.docs_iter()[index].doc_id == ["1", "2", "3", "7"][index]

    def test_an_index_beyond_the_end_is_an_error(self, docs):
        """There is no fifth document."""
        with pytest.raises(IndexError):
            docs.docs_iter()[4]

    def test_look_ups(self, docs):
        """The store finds what there is, by id, and KeyErrors name what there is not."""
        store = docs.docs_store()
        assert store.count() == docs.docs_count() == 4
        assert store.get("7").title == "Title 7"
        assert ids(store.get_many_iter(["7", "1", "8"])) == ["1", "7"]
        assert store.get_many(["2", "8"]).keys() == {"2"}
        assert store.get("3", "year") == 2003
        with pytest.raises(KeyError, match="8"):
            store.get("8")

    def test_a_replaced_file_is_followed_by_those_who_have_the_old(self, docs, files):
        """What is asked for afterwards is the new file's; what runs, runs on."""
        old, running = docs.docs_store(), docs.docs_iter()
        next(running)
        files.papers(5, 6)
        assert docs.docs_count() == 2
        assert ids(docs.docs_iter()) == ["5", "6"]
        assert docs.docs_store().get("5").doc_id == "5"
        assert ids(running) == ["2", "3", "7"]
        assert ids(old.get_many_iter(["7"])) == ["7"]

    def test_a_store_replaced_while_it_is_opened_is_opened_again(self, docs, files, monkeypatch):
        """Another process rebuilds between the look at the folder and the opening of its file."""
        files.papers(7)
        docs.docs_count()
        files.papers(3)
        other, opens = csfcube.datasets()["csfcube"], builtins.open

        def slowly(path, *how, **more):
            if str(path) == str(store_of(files) / "docs.entries") and more == {"buffering": 0}:
                monkeypatch.setattr(builtins, "open", opens)
                files.papers(5, 6)
                other.docs_count()
                shutil.rmtree(store_of(files))
            return opens(path, *how, **more)

        monkeypatch.setattr(builtins, "open", slowly)
        assert ids(docs.docs_iter()) == ["5", "6"]
        assert builtins.open is opens

    def test_a_store_is_verified_when_it_is_opened(self, docs, monkeypatch):
        """A second look-up opens no file to verify the store; it reads a document alone."""
        now = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: now() + 10**9)  # its files are a second old
        docs.docs_count()
        store = docs.docs_store()
        opens, opened = builtins.open, []

        def noted(path, *how, **more):
            opened.append(path)
            return opens(path, *how, **more)

        monkeypatch.setattr(builtins, "open", noted)
        monkeypatch.setattr(io, "open", noted)
        assert docs.docs_store() is store
        assert docs.docs_store().get("7").title == "Title 7"
        assert opened == []

    @pytest.mark.parametrize("change", ["inode", "size", "time"])
    def test_a_replaced_file_of_the_store_is_noticed(self, docs, files, monkeypatch, change):
        """After it was verified, by its inode, its size or its time of change alone."""
        now = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: now() + 10**9)
        docs.docs_count()
        docs.docs_store()
        path = store_of(files) / "docs.entries"
        before = path.stat()
        content = path.read_bytes()
        damaged = bytes([content[-40] ^ 4]) + content[-39:]  # what the manifest has of the file
        if change == "inode":
            other = files.folder / "other"
            other.write_bytes(content[:-40] + damaged)
            os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
            other.replace(path)
        elif change == "size":
            path.write_bytes(content + b"x")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        else:
            path.write_bytes(content[:-40] + damaged)
        with pytest.warns(UserWarning, match="damaged or was edited.*built again"):
            assert ids(docs.docs_iter()) == ["1", "2", "3", "7"]
        assert path.read_bytes() == content

    def test_a_removed_source_is_asked_for_again(self, docs, files):
        """A store alone is not the collection: without the release's file nothing is counted."""
        docs.docs_count()
        (files.folder / "abstracts-csfcube-preds.jsonl").unlink()
        assert docs.docs_count() is None

    def test_the_home_may_change_between_two_uses(self, docs, files, tmp_path, monkeypatch):
        """The same dataset reads the home that is set at the moment."""
        docs.docs_count()
        shutil.copytree(files.folder.parent, tmp_path / "other")
        monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "other"))
        files.papers(5)
        assert docs.docs_count() == 4

    def test_an_empty_file_is_an_error(self, docs, files):
        """A file without records is named, with what to do about it."""
        files.papers()
        with pytest.raises(ValueError, match=r"abstracts-csfcube-preds\.jsonl.*delete it"):
            docs.docs_iter()
        assert not list(files.folder.parent.rglob("docs*"))

    @pytest.mark.parametrize("place", range(40))
    def test_a_damaged_store_is_built_again(self, docs, files, place):
        """Whichever byte of it changed, the documents are the file's, in their order."""
        expected = list(docs.docs_iter())
        path = store_of(files) / "docs.entries"
        held = bytearray(path.read_bytes())
        held[place * len(held) // 40] ^= 4
        path.write_bytes(held)
        running = docs.docs_iter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert list(running) == list(docs.docs_iter()) == expected
            assert [docs.docs_store().get(one.doc_id) for one in expected] == expected

    def test_a_store_with_a_damaged_index_is_built_again(self, docs, files):
        """Also where it is damaged before it is opened."""
        docs.docs_count()
        path = store_of(files) / "docs.entries"
        held = bytearray(path.read_bytes())
        held[-50] ^= 4  # before the last 48 bytes, which the manifest has
        path.write_bytes(held)
        unopened = csfcube.datasets()["csfcube"]
        with pytest.warns(UserWarning, match="built again"):
            assert ids(unopened.docs_iter()) == ["1", "2", "3", "7"]

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"title": "half: \ud83d"}, {"title": "half: \ud83d"}),
            (
                {"metadata": {"year": 2**70, "authors": ["A", "B"]}},
                {"year": 2**70, "authors": ("A", "B")},
            ),
        ],
    )
    def test_what_messagepack_cannot_hold_is_kept(self, docs, files, fields, expected):
        """Lone surrogates, and numbers beyond 64 bits."""
        files.papers(1)
        (usual,) = docs.docs_iter()
        files.papers(1, **fields)
        (doc,) = docs.docs_iter()
        assert doc == usual._replace(**expected)

    def test_nothing_is_unpickled(self, docs, files, tmp_path):
        """Crafted stores, beside the files (with times kept) and where ours are, run nothing."""
        docs.docs_count()
        record = (store_of(files) / "manifest.json").read_bytes()
        for folder in (files.folder / "docs.pklz4", store_of(files)):
            folder.mkdir(exist_ok=True)
            crafted = pickle.dumps(Crafted(str(tmp_path / "ran")))
            held = lz4.block.compress(crafted, store_size=True)
            for name in ("bin", "docs.entries"):
                (folder / name).write_bytes(len(held).to_bytes(4, "little") + held)
            for name in ("sources.json", "manifest.json"):
                (folder / name).write_bytes(record)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ids(docs.docs_iter()) == ["1", "2", "3", "7"]
            assert docs.docs_store().get("7").title == "Title 7"
        assert not (tmp_path / "ran").exists()


class Crafted:
    """What makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def store_of(files):
    """Where the documents are built."""
    return files.folder.parent / ".stores" / "csfcube" / "docs"


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_queries_by_id(load):
    """What is there is found in the order asked for; an unknown id is named."""
    second, first = load("method").queries_iter()
    store = load("method").queries_store()
    assert store.get("2") == second
    assert list(store.get_many_iter(["1", "3", "2"])) == [first, second]
    assert store.get_many(["2", "3"]) == {"2": second}
    with pytest.raises(KeyError, match="query_id=3 not found"):
        store.get("3")
