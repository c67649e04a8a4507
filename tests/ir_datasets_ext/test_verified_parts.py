"""Whatever a dataset serves stems from bytes that were verified: changed ones are never silent."""

import hashlib
import os
import shutil
import warnings

import ir_datasets
import pyarrow
import pytest
from pyarrow import parquet

from ir_datasets_ext import csfcube, litsearch
from ir_datasets_ext.releases import Release, Source


def write_keeping_its_time(path, content):
    """Write bytes into an existing file, as a failing disk does: its times stay."""
    status = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.filterwarnings("ignore:.*was not compared with the release's")
class TestAnnotations:
    """DORIS-MAE's file is large, so its annotations are in the store with all else."""

    def annotations(self):
        """All annotations."""
        return list(ir_datasets.load("doris-mae").annotations_iter())

    def test_a_changed_digit_changes_no_score(self, doris):
        """The file's first score becomes another, with size and time kept; what is served stays."""
        expected = self.annotations()
        before = doris.path.read_bytes()
        changed = before.replace(b'"score": 2', b'"score": 0', 1)
        assert changed != before
        write_keeping_its_time(doris.path, changed)
        assert self.annotations() == expected

    @pytest.mark.parametrize("content", [b"\0", b"x"])
    def test_a_file_of_zeros_changes_no_score(self, doris, content):
        """Neither does a file without any of its content, nor is there a raw error."""
        expected = self.annotations()
        write_keeping_its_time(doris.path, content * doris.path.stat().st_size)
        assert self.annotations() == expected

    def test_damaged_annotations_are_built_again(self, doris, home):
        """A changed byte in the store is said, and the annotations are the file's."""
        expected = self.annotations()
        path = home / ".stores" / "doris-mae" / "docs" / "annotations.entries"
        held = bytearray(path.read_bytes())
        held[30] ^= 4  # in the first entry's value
        path.write_bytes(held)
        with pytest.warns(UserWarning, match=r"annotations\.entries is damaged.*is built again"):
            assert self.annotations() == expected

    def test_they_follow_a_replaced_file(self, doris):
        """Another file, with a time of its own, is what is served from then on."""
        self.annotations()
        doris.content["Annotation"] = doris.content["Annotation"][:3]
        doris.write()
        assert len(self.annotations()) == 3


def release_of(package, name, folder):
    """A release of files that have the right hashes, as they are in a folder."""
    release = Release(name, package.__name__)
    for key, source in release.sources.items():
        path = folder / source.name
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
        release.sources[key] = Source(name, source.name, "", "sha256", digest)
    return release


def read_all(dataset, records):
    """All records of a kind, and the texts of the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = list(getattr(dataset, f"{records}_iter")())
    return found, [str(warning.message) for warning in said]


@pytest.mark.parametrize(
    ("below", "records", "file", "old", "new"),
    [
        ("method", "qrels", "test-pid2anns-csfcube-method.json", b"[3, 2, 0]", b"[0, 2, 3]"),
        ("method", "ratings", "test-pid2anns-csfcube-method.json", b"[3, 2, 1]", b"[0, 2, 1]"),
        ("all", "scoreddocs", "test-pid2anns-csfcube-background.json", b'"7"', b'"8"'),
        ("method", "queries", "queries-release.csv", b"1999", b"1998"),
        ("method/fold1/dev", "qrels", "evaluation_splits.json", b'["2_', b'["1_'),
        ("", "pool_sources", "test-pid2pool-csfcube.json", b'"2"', b'"3"'),
    ],
)
def test_a_changed_file_of_csfcube_is_said(files, below, records, file, old, new):
    """Its hash is that of the very bytes that are read, each time; size and time prove nothing."""
    dataset_id = f"csfcube/{below}".rstrip("/")
    dataset = csfcube.datasets(release_of(csfcube, "csfcube", files.folder))[dataset_id]
    path = files.folder / file
    before, said = read_all(dataset, records)
    assert said == []

    content = path.read_bytes().replace(old, new)
    write_keeping_its_time(path, content)
    after, said = read_all(dataset, records)
    assert before != after
    assert len(said) == 1
    assert str(path) in said[0] and "is not the release's file" in said[0]


def test_changed_questions_of_litsearch_are_said(home):
    """The same for a Parquet file."""
    path = home / "litsearch" / "query" / "full-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    row = {"query_set": "inline_acl", "query": "Who?", "quality": 2, "specificity": 0}
    row["corpusids"] = [7, 12]
    parquet.write_table(pyarrow.Table.from_pylist([row]), path, compression="none")
    dataset = litsearch.datasets(release_of(litsearch, "litsearch", home / "litsearch"))
    before, said = read_all(dataset["litsearch"], "queries")
    assert said == []

    write_keeping_its_time(path, path.read_bytes().replace(b"Who?", b"Why?"))
    after, said = read_all(dataset["litsearch"], "queries")
    assert [query.query for query in (*before, *after)] == ["Who?", "Why?"]
    assert len(said) == 1
    assert str(path) in said[0] and "is not the release's file" in said[0]


def test_a_folder_in_the_place_of_a_file_is_said(files):
    """No download replaces it, and no raw error of the system comes out."""
    path = files.folder / "test-pid2anns-csfcube-method.json"
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match=rf"{path} cannot be read: it is a folder.* Remove it"):
        list(ir_datasets.load("csfcube/method").qrels_iter())


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
class TestSwappedDocuments:
    """Two documents of equal length change their places in the store; each is whole by itself."""

    @pytest.fixture
    def docs(self, files):
        """The documents, built, and with the first two swapped."""
        docs = ir_datasets.load("csfcube").docs_handler()
        assert docs.docs_count() == 4
        path = files.folder.parent / ".stores" / "csfcube" / "docs" / "docs.entries"
        content = path.read_bytes()
        marks = [at for at in range(len(content)) if content.startswith(b"\xabent", at)]
        first, second = content[marks[0] : marks[1]], content[marks[1] : marks[2]]
        assert len(first) == len(second)
        path.write_bytes(second + first + content[marks[2] :])
        return csfcube.datasets()["csfcube"]

    def test_the_order_stays_that_of_the_file(self, docs):
        """An iteration finds them in the wrong places, and builds the store again."""
        with pytest.warns(UserWarning, match=r"docs\.entries is damaged.*is built again"):
            assert [doc.doc_id for doc in docs.docs_iter()] == ["1", "2", "3", "7"]

    def test_both_are_still_found(self, docs):
        """A look-up does, too."""
        with pytest.warns(UserWarning, match=r"docs\.entries is damaged.*is built again"):
            assert docs.docs_store().get("1").title == "Title 1"
        assert docs.docs_store().get_many(["1", "2"]).keys() == {"1", "2"}


class TestAMovedHome:
    """A home with a store of files that are not the release's."""

    @pytest.fixture(params=["moved", "copied"])
    def moved(self, files, request, tmp_path, monkeypatch):
        """Build, then move or copy the home; return the folder that it has now."""
        with pytest.warns(UserWarning, match="is not the release's file"):
            assert ir_datasets.load("csfcube").docs_count() == 4
        new_home = tmp_path / "elsewhere" / "home"
        if request.param == "moved":
            shutil.move(files.folder.parent, new_home)
        else:  # without times, as `cp -r` copies
            shutil.copytree(files.folder.parent, new_home, copy_function=shutil.copyfile)
        monkeypatch.setenv("IR_DATASETS_HOME", str(new_home))
        return new_home

    def test_its_warnings_name_its_own_files(self, moved, files):
        """Nobody can delete a file in a home that is no more."""
        with pytest.warns(UserWarning) as said:
            ir_datasets.load("csfcube").docs_count()
        texts = [str(one.message) for one in said]
        assert [text for text in texts if str(files.folder) in text] == []
        path = moved / "csfcube" / "abstracts-csfcube-preds.jsonl"
        assert sum(text.startswith(f"{path} is not the release's file") for text in texts) == 1

    @pytest.mark.filterwarnings("ignore:.*is not the release's file")
    def test_its_stores_are_not_built_again(self, moved):
        """The built file is the same one, neither written anew nor replaced."""
        path = moved / ".stores" / "csfcube" / "docs" / "docs.entries"
        before = path.stat()
        assert ir_datasets.load("csfcube").docs_count() == 4
        assert path.stat().st_ino == before.st_ino
        assert path.stat().st_mtime_ns == before.st_mtime_ns
