"""Word vectors: means, weights, and files."""

import json
import math
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
from lz4.frame import LZ4FrameFile

from pyterrier_scholarly.encoders import WordVectors, as_encoder
from pyterrier_scholarly.similarity.vectors import cosines

pytest.importorskip("gensim")

TEXTS = [
    "Pruned trees grow",
    "small trees grow, and small trees stay",
    "long queues wait",
    "fair queues wait",
] * 50
SMALL = {"dimensions": 8, "min_count": 1, "window": 2, "epochs": 30}


@pytest.fixture
def words():
    """Vectors of these texts."""
    return WordVectors(TEXTS, **SMALL)


@pytest.fixture
def untrained():
    """Return a new class, which was never trained, and logs its trainings."""

    class Own(WordVectors):
        trained = []

        def fit(self):
            self.trained.append(self)
            return super().fit()

    return Own


def test_a_text_is_the_mean_of_its_words(words):
    """Each occurrence counts, case and punctuation do not, unknown words are left out."""
    trees, small, text = words.encode(
        ["trees", "small", "Small TREES: small, unheard-of!"], "query"
    )
    assert text == pytest.approx((2 * small + trees) / 3, abs=1e-6)


def test_weights_are_tf_idf(words):
    """The idf is ln((1 + texts) / (1 + texts with the word)) + 1, weights add up to one."""
    weighted = WordVectors(TEXTS, weighted=True, **SMALL)
    trees, small = words.encode(["trees", "small"], "query")
    in_trees, in_small = (math.log(201 / 101) + 1, math.log(201 / 51) + 1)
    expected = (in_trees * trees + 2 * in_small * small) / (in_trees + 2 * in_small)
    assert weighted.encode(["small trees, small"], "query")[0] == pytest.approx(expected, abs=1e-6)
    assert weighted.encode(["trees"], "query")[0] == pytest.approx(trees, abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_text_of_unknown_words_is_the_zero_vector(weighted):
    """A text of unknown words is zero, and leaves the others unchanged."""
    words = WordVectors(TEXTS, weighted=weighted, **SMALL)
    made = words.encode(["unheard-of", "trees", "", "?"], "document")
    assert made.shape == (4, 8)
    assert not made[[0, 2, 3]].any()
    assert np.array_equal(made[1], words.encode(["trees"], "document")[0])


def test_words_in_like_company_are_alike(words):
    """Words of similar contexts are closer: 'pruned' to 'small' than to 'long'."""
    pruned, small, long = words.encode(["pruned", "small", "long"], "query")
    near, far = cosines(pruned[None], np.stack([small, long]))[0]
    assert near > far + 0.2


def test_the_same_texts_give_the_same_vectors(words, untrained):
    """One worker and one seed repeat the training exactly; another seed differs."""
    first = words.encode(["small trees"], "query")
    assert np.array_equal(untrained(TEXTS, **SMALL).encode(["small trees"], "query"), first)
    assert len(untrained.trained) == 1
    other = WordVectors(TEXTS, seed=2, **SMALL).encode(["small trees"], "query")
    assert not np.allclose(other, first)


def test_one_training_for_a_collection_and_both_weights(mini_id, untrained):
    """Facets of a collection, weighted or not, share one training."""
    settings = {"dimensions": 4, "epochs": 1}
    for source in (f"{mini_id}/method", f"{mini_id}/all", f"irds:{mini_id}"):
        untrained(source, **settings).encode(["trees"], "query")
        untrained(source, weighted=True, **settings).encode(["trees"], "query")
    assert len(untrained.trained) == 1
    assert WordVectors(mini_id).encode(["model"], "query").shape == (1, 200)


@pytest.fixture
def mini_id():
    """The embedded collection."""
    return "scholarly-mini"


def test_what_is_saved_is_read_back(words, tmp_path, monkeypatch):
    """Our class and PyTerrier's load the artifact, by string or path, without gensim."""
    expected = words.encode(["small trees"], "query")
    folder = tmp_path / "deep" / "words"
    saved = words.save(folder)
    assert saved == WordVectors.load(str(folder)) == WordVectors(str(folder))
    assert words.path is pt.Artifact.NO_PATH
    assert saved.path == folder
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    for read in (saved, WordVectors(folder), pt.Artifact.load(str(folder))):
        assert np.array_equal(read.encode(["small trees"], "query"), expected)
    assert [path.name for path in tmp_path.glob("deep/*")] == ["words"]


def test_train_writes_and_weights_are_chosen_later(words, tmp_path):
    """The plain and the weighted mean share one training."""
    plain = WordVectors.train(TEXTS, tmp_path / "words", **SMALL)
    assert np.array_equal(plain.encode(["trees"], "query"), words.encode(["trees"], "query"))
    weighted = WordVectors(plain.source, weighted=True)
    expected = WordVectors(TEXTS, weighted=True, **SMALL).encode(["small trees"], "query")
    assert np.array_equal(weighted.encode(["small trees"], "query"), expected)
    assert eval(repr(weighted)) == weighted


def test_a_package_travels(words, tmp_path):
    """PyTerrier's own package of the artifact, unpacked elsewhere, is equal."""
    package = words.save(tmp_path / "words").build_package(verbose=False)
    with LZ4FrameFile(package) as file, tarfile.open(fileobj=file) as packed:
        packed.extractall(tmp_path / "elsewhere", filter="data")
    read = pt.Artifact.load(str(tmp_path / "elsewhere"))
    assert np.array_equal(read.encode(["trees"], "query"), words.encode(["trees"], "query"))


def test_nothing_is_overwritten(words, tmp_path):
    """An existing folder stays unchanged."""
    words.save(tmp_path / "words")
    with pytest.raises(FileExistsError, match="choose another name"):
        words.save(tmp_path / "words")


@pytest.mark.parametrize("name", ["pt_meta.json", "words.txt", "arrays.npz"])
def test_a_file_that_is_missing(words, tmp_path, name):
    """A missing folder raises with the remedy."""
    folder = words.save(tmp_path / "words").path
    (folder / name).unlink()
    with pytest.raises(ValueError, match=rf"{name} cannot be read: No such.*WordVectors\.train"):
        WordVectors(folder).encode(["trees"], "query")


class Trap:
    """A pickle that logs when it is opened."""

    def __reduce__(self):
        return (Path.touch, (Path("sprung"),))


def truncated(folder):
    """Truncate a file."""
    whole = (folder / "arrays.npz").read_bytes()
    (folder / "arrays.npz").write_bytes(whole[: len(whole) // 2])


def fewer_words(folder):
    """Write fewer words than vectors."""
    (folder / "words.txt").write_text("trees\n")


def not_a_number(folder):
    """Write vectors with NaN."""
    np.savez(folder / "arrays.npz", vectors=np.full((8, 2), np.nan), idf=np.ones(8))


def other_arrays(folder):
    """Write a file of other arrays."""
    np.savez(folder / "arrays.npz", a=np.ones(1))


def pickled(folder):
    """Write a pickle instead of arrays."""
    (folder / "arrays.npz").write_bytes(pickle.dumps(Trap()))


def pickled_inside(folder):
    """Write a pickle inside an array."""
    trap = np.array([Trap()], dtype=object)
    np.savez(folder / "arrays.npz", allow_pickle=True, vectors=trap, idf=trap)


@pytest.mark.parametrize(
    "damage", [truncated, fewer_words, not_a_number, other_arrays, pickled, pickled_inside]
)
def test_damage_is_said_and_no_pickle_is_opened(words, tmp_path, damage, monkeypatch):
    """A wrong folder raises and runs nothing."""
    monkeypatch.chdir(tmp_path)
    folder = words.save(tmp_path / "words").path
    damage(folder)
    with pytest.raises(ValueError, match=r"damaged.*Make them again"):
        WordVectors(folder).encode(["trees"], "query")
    assert not Path("sprung").exists()


def test_what_is_neither_dataset_nor_folder():
    """A wrong source raises with the possible ones."""
    with pytest.raises(ValueError, match=r"Unknown dataset 'no/such'.*WordVectors\.train"):
        WordVectors("no/such").encode(["trees"], "query")
    with pytest.raises(FileNotFoundError, match=r"No word vectors in .*such"):
        WordVectors(Path("no/such")).encode(["trees"], "query")


@pytest.mark.parametrize("texts", [[], ["", "?"], ["alone"] * 4])
def test_texts_without_frequent_words(texts):
    """Without a word that occurs five times, training raises."""
    with pytest.raises(ValueError, match=r"No word occurs 5 times.*min_count"):
        WordVectors(texts).encode(["a text"], "query")


def test_gensim_missing(monkeypatch, untrained):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[words\]"):
        untrained(TEXTS, **SMALL).encode(["trees"], "query")


def test_it_is_an_encoder_and_an_artifact(words, tmp_path):
    """Both sides are equal, and the folder names its type for PyTerrier."""
    assert as_encoder(words) is words
    assert np.array_equal(words.encode(["trees"], "query"), words.encode(["trees"], "document"))
    meta = json.loads((words.save(tmp_path / "words").path / "pt_meta.json").read_text())
    assert (meta["type"], meta["format"]) == ("word_vectors", "npz")
    assert pt.inspect.artifact_type_format(words) == ("word_vectors", "npz")
