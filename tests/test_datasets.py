"""Datasets as transformers take them."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from typing import NamedTuple

import ir_datasets
import pyterrier as pt
import pytest
from ir_datasets.formats import BaseDocs

from pyterrier_scholarly import datasets


class Record(NamedTuple):
    """A document with a title alone."""

    doc_id: str
    title: str

    def default_text(self):
        """The title."""
        return self.title


class Docs(BaseDocs):
    """Three documents in memory."""

    def docs_iter(self):
        """All records."""
        return iter([Record(str(number), f"On {number}") for number in range(3)])

    def docs_store(self):
        """Itself: `get_many` is all that is used."""
        return self

    def get_many(self, doc_ids):
        """Those records that there are, by id."""
        return {record.doc_id: record for record in self.docs_iter() if record.doc_id in doc_ids}


@pytest.fixture
def made():
    """A dataset made by hand: three records with a title and no text."""
    return ir_datasets.Dataset(Docs())


def test_every_way_to_name_a_dataset(made):
    """Ids with and without prefix, PyTerrier's object and ir_datasets' own lead to one object."""
    named = ir_datasets.load("antique/train")
    ways = ["antique/train", "irds:antique/train", pt.get_dataset("irds:antique/train"), named]
    assert all(datasets.irds(way) is named for way in ways)
    assert datasets.irds(made) is made


def test_an_unknown_id_lists_near_ones():
    """A slip of the pen is recognised."""
    with pytest.raises(ValueError, match=r"'csfcube/metod'.*csfcube/method"):
        datasets.irds("csfcube/metod")


def test_a_file_is_no_dataset(tmp_path, monkeypatch):
    """For a file of judgements, the error says how a collection is made of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n")
    with pytest.raises(ValueError, match=r"'qrels.txt' is a file.*write_collection.*'made/mine'"):
        datasets.irds("qrels.txt")


def test_what_is_no_dataset():
    """Anything else is refused, with an example of what is wanted."""
    with pytest.raises(ValueError, match=r"3 is no dataset.*csfcube/method"):
        datasets.irds(3)


def test_a_subset_is_its_collection_where_documents_count(made):
    """Subsets share their collection's documents; what has no id stands for itself."""
    assert datasets.collection("csfcube/method/fold1/dev") == "csfcube"
    assert datasets.collection("csfcube") == "csfcube"
    assert datasets.collection(made) is made


def test_documents_by_id(made):
    """Each is there once, however often it is asked for; nothing asked, nothing read."""
    found = datasets.documents(made, ["2", "0", "2"])
    assert {key: record.title for key, record in found.items()} == {"2": "On 2", "0": "On 0"}
    assert datasets.documents("csfcube", []) == {}


def test_unknown_documents_are_named(made):
    """Five of them, then their number."""
    with pytest.raises(ValueError, match="no document a, b, c, d, e and 1 more"):
        datasets.documents(made, ["0", *"abcdef"])


def test_texts_of_a_collection(made):
    """Records without a field `text` say their default text."""
    assert datasets.texts(made) == {"0": "On 0", "1": "On 1", "2": "On 2"}


def test_a_list_of_texts_is_not_printed_as_a_whole():
    """The error shows how it begins."""
    with pytest.raises(ValueError, match="is no dataset") as caught:
        datasets.irds(["a long text"] * 1000)
    assert len(str(caught.value)) < 300


def test_equal_fits_are_shared():
    """What is fitted once is the same object, until what it depends on changes."""
    content = ["a"]
    first = datasets.fit_once(object, "shared", *content)
    assert datasets.fit_once(object, "shared", *content) is first
    content[:] = ["b"]
    assert datasets.fit_once(object, "shared", *content) is not first


def test_a_fit_that_fails_is_tried_again():
    """An error is not kept."""
    with pytest.raises(ZeroDivisionError):
        datasets.fit_once(lambda: 1 / 0, "fails")
    assert datasets.fit_once(lambda: 1, "fails") == 1


def test_threads_fit_once():
    """The second thread waits for the first one's result."""
    fits = []

    def fit():
        sleep(0.05)
        fits.append(1)
        return object()

    with ThreadPoolExecutor(4) as threads:
        results = [*threads.map(lambda _: datasets.fit_once(fit, "threads"), range(4))]
    assert len(fits) == 1 and len(set(map(id, results))) == 1


class Kept:
    """Something fitted; unlike a plain object, it has weak references."""


def test_memory_is_bounded():
    """The fits that were used last are kept; a weak reference to another one is dead."""
    made = []

    def fit():
        kept = Kept()
        made.append(weakref.ref(kept))
        return kept

    for number in range(datasets.MOST_FITS + 1):
        datasets.fit_once(fit, "bounded", number)
    gc.collect()
    assert [kept() is None for kept in made] == [True] + [False] * datasets.MOST_FITS
