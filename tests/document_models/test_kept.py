"""Models on disk: read back, damaged, never pickled."""

import io
import json
import pickle
import shutil
import tarfile
import zipfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
from lz4.frame import LZ4FrameFile

from pyterrier_scholarly import TfIdfModel, TopicModel
from pyterrier_scholarly.folders import write_manifest

BOTH = pytest.mark.parametrize("name", ["tfidf", "topics"])


@pytest.fixture
def model(name, request):
    """A model of each kind."""
    return request.getfixturevalue(name)


def scores(model):
    """Return the scores of all pairs."""
    return model.scores(*np.array(model.documents)[np.indices((8, 8)).reshape(2, -1)])


@BOTH
def test_what_is_saved_is_read_back(model, tmp_path, monkeypatch):
    """A saved model loads by our class and PyTerrier's, from a string or path, with its texts."""
    expected = scores(model)
    saved = model.save(tmp_path / "deep" / "model")
    monkeypatch.setitem(__import__("sys").modules, "tomotopy", None)
    for read in (saved, type(model)(saved.path), pt.Artifact.load(str(saved.path))):
        assert np.array_equal(scores(read), expected)
        assert (read.documents, read.words) == (model.documents, model.words)
        found = read.of_texts(["leaves wait"]) - model.of_texts(["leaves wait"])
        assert abs(found).max() == 0
    assert saved == type(model).load(str(saved.path)) and eval(repr(saved)) == saved
    assert model.path is pt.Artifact.NO_PATH
    assert pt.inspect.artifact_type_format(model) == (model.ARTIFACT_TYPE, "npz")
    meta = json.loads((saved.path / "pt_meta.json").read_text())
    assert meta["settings"]["min_count"] == 1 and "top" not in meta["settings"]


def test_terms_are_chosen_later(tfidf, tmp_path):
    """One folder serves every number of terms."""
    folder = str(tfidf.save(tmp_path / "model").path)
    few = TfIdfModel(tfidf.source, top=2, min_count=1, most_frequent=0, min_length=1)
    assert np.array_equal(scores(TfIdfModel(folder, top=2)), scores(few))
    assert few.save(tmp_path / "other").top == 2


@BOTH
def test_a_package_travels(model, tmp_path):
    """PyTerrier's package of a model, unpacked elsewhere, is the same artifact."""
    package = model.save(tmp_path / "model").build_package(verbose=False)
    with LZ4FrameFile(package) as file, tarfile.open(fileobj=file) as packed:
        packed.extractall(tmp_path / "elsewhere", filter="data")
    assert np.array_equal(scores(pt.Artifact.load(str(tmp_path / "elsewhere"))), scores(model))


@BOTH
def test_nothing_is_overwritten(model, tmp_path):
    """An existing folder stays as it is, and nothing is fitted."""
    with pytest.raises(FileExistsError, match="choose another name"):
        model.save(tmp_path)


def test_an_id_with_a_line_break_is_told(tmp_path):
    """An id with a line break raises, and nothing is written."""
    model = TfIdfModel(["one word", "one"], min_count=1, most_frequent=0, min_length=1)
    model.parts().documents[0] = "a\nb"
    with pytest.raises(ValueError, match="has a line break"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


class Trap:
    """A pickle that leaves a sign when it is opened."""

    def __reduce__(self):
        return (Path.touch, (Path("sprung"),))


def cut(folder):
    """Truncate the arrays."""
    whole = (folder / "arrays.npz").read_bytes()
    (folder / "arrays.npz").write_bytes(whole[: len(whole) // 2])


def fewer_documents(folder):
    """Write one id less than vectors."""
    lines = (folder / "documents.txt").read_text().splitlines(keepends=True)
    (folder / "documents.txt").write_text("".join(lines[1:]))


def a_document_twice(folder):
    """Write a duplicate id."""
    lines = (folder / "documents.txt").read_text().splitlines(keepends=True)
    (folder / "documents.txt").write_text("".join([lines[1], *lines[1:]]))


def more_words(folder):
    """Write a word without a column."""
    with (folder / "words.txt").open("a") as file:
        file.write("one more\n")


def no_text(folder):
    """Write bytes that are no UTF-8."""
    (folder / "words.txt").write_bytes(b"\xff\n")


def _changed(folder, change):
    with np.load(folder / "arrays.npz") as stored:
        arrays = {name: change(name, array) for name, array in stored.items()}
    np.savez(folder / "arrays.npz", allow_pickle=True, **arrays)


def not_numbers(folder):
    """Write NaN instead of numbers."""
    _changed(folder, lambda _, a: np.full_like(a, np.nan) if a.dtype.kind == "f" else a)


def turned_round(folder):
    """Write negative numbers, and columns that do not exist."""
    _changed(folder, lambda _, a: -1 - a)


def pickled_inside(folder):
    """Write a pickle inside each array."""
    _changed(folder, lambda *_: np.array([Trap()], dtype=object))


def pickled(folder):
    """Write a pickle instead of the arrays."""
    (folder / "arrays.npz").write_bytes(pickle.dumps(Trap()))


def huge_header(folder):
    """Promise 10**14 numbers in each header."""
    with zipfile.ZipFile(folder / "arrays.npz") as archive:
        names = archive.namelist()
    with zipfile.ZipFile(folder / "arrays.npz", "w") as archive:
        for name in names:
            header = io.BytesIO()
            about = {"descr": "<f8", "fortran_order": False, "shape": (10**14,)}
            np.lib.format.write_array_header_1_0(header, about)
            archive.writestr(name, header.getvalue() + bytes(80))


def with_imaginary_parts(folder):
    """Write complex numbers, which are finite."""
    _changed(folder, lambda _, a: a + 1j if a.dtype.kind == "f" else a)


def of_texts(folder):
    """Write numbers as texts."""
    _changed(folder, lambda _, a: a.astype("U8"))


def rounded(folder):
    """Write whole numbers instead of real ones."""
    _changed(folder, lambda _, a: np.ones_like(a, np.int64) if a.dtype.kind == "f" else a)


def flat(folder):
    """Write all arrays without their shape."""
    _changed(folder, lambda _, a: a.ravel()[0])


def of_another_type(folder):
    """Write the metadata of an index."""
    (folder / "pt_meta.json").write_text('{"type": "sparse_index", "format": "npz"}')


def no_json(folder):
    """Write empty metadata."""
    (folder / "pt_meta.json").write_text("[]")


DAMAGE = [
    cut,
    fewer_documents,
    a_document_twice,
    more_words,
    no_text,
    not_numbers,
    turned_round,
    pickled_inside,
    pickled,
    huge_header,
    with_imaginary_parts,
    of_texts,
    rounded,
    flat,
    of_another_type,
    no_json,
]


@BOTH
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_said(model, damage, tmp_path):
    """A file that differs from the manifest's hash is never read."""
    folder = model.save(tmp_path / "model").path
    damage(folder)
    with pytest.raises(ValueError, match=rf"in {folder} cannot be used.*Make them again.*train\("):
        scores(type(model)(folder))


@BOTH
@pytest.mark.parametrize("crafted", [pickled_inside, pickled], ids=lambda craft: craft.__name__)
def test_no_pickle_is_opened(model, crafted, tmp_path, monkeypatch):
    """A foreign folder with a manifest of its own cannot run anything."""
    monkeypatch.chdir(tmp_path)
    folder = model.save(tmp_path / "model").path
    crafted(folder)
    write_manifest(folder, {})
    with pytest.raises(ValueError, match=rf"in {folder} cannot be used.*Make them again.*train\("):
        scores(type(model)(folder))
    assert not Path("sprung").exists()


@BOTH
def test_another_folder_of_files_is_no_model(model, tmp_path):
    """The error names what is missing, and the remedy."""
    folder = model.save(tmp_path / "model").path
    (folder / "words.txt").unlink()
    write_manifest(folder, {})
    with pytest.raises(FileNotFoundError, match=r"\(words\.txt missing\).*train\("):
        scores(type(model)(folder))


@BOTH
@pytest.mark.parametrize("file", ["pt_meta.json", "words.txt", "documents.txt", "arrays.npz"])
def test_a_file_that_is_missing(model, file, tmp_path):
    """A missing folder is named in the error, with the remedy."""
    folder = model.save(tmp_path / "model").path
    (folder / file).unlink()
    with pytest.raises(ValueError, match=rf"{file} cannot be read: No such file.*train\("):
        scores(type(model)(folder))


@pytest.mark.parametrize("cls", [TfIdfModel, TopicModel])
def test_what_is_neither_dataset_nor_folder(cls):
    """The error says what a source may be."""
    with pytest.raises(ValueError, match=rf"Unknown dataset 'no/such'.*{cls.__name__}\.train"):
        cls("no/such").scores(["0"], ["0"])


@BOTH
def test_another_folder_in_the_place(model, tmp_path):
    """What is read from a folder follows the folder."""
    words = "cats purr mice hide cats mice purr hide".split()
    texts = [f"{word} {other}" for word, other in pairwise(words)]
    folder = tmp_path / "model"
    first = model.save(folder)
    assert first.words == model.words

    replace(model, source=texts).save(tmp_path / "other")
    shutil.rmtree(folder)
    (tmp_path / "other").rename(folder)
    assert first.words == type(model)(str(folder)).words == ["cats", "hide", "mice", "purr"]
