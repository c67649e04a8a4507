"""Encoders with a cache: texts on disk are not encoded again."""

import shutil
from itertools import count

import numpy as np
import pytest

from pyterrier_scholarly import entries
from pyterrier_scholarly.encoders import (
    Contextual,
    SentenceTransformer,
    VectorCache,
    as_encoder,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

TEXTS = ["a b", "c", "", "a b", "日本語"]


class InContext:
    """Contextual, for passages of one text."""

    def __init__(self, model, **settings):
        self.encoder = Contextual(model, memory=0, **settings)

    def __call__(self, texts):
        """Vectors (n, d)."""
        return np.stack([one[0] for one in self.encoder.encode_passages([(t,) for t in texts])])


class Alone:
    """SentenceTransformer."""

    def __init__(self, model, **settings):
        self.encoder = SentenceTransformer(model, memory=0, **settings)

    def __call__(self, texts):
        """Vectors (n, d)."""
        return self.encoder.encode(texts, "document")


KINDS = [InContext, Alone]
EVERY = pytest.mark.parametrize("kind", KINDS)


class Counting:
    """A user's model that logs its texts, and fails at "break"."""

    def __init__(self):
        self.read = []

    def encode(self, texts, batch_size=32, show_progress_bar=None):
        """Vectors (n, 2)."""
        if "break" in texts:
            raise RuntimeError("cannot read this")
        self.read.extend(texts)
        return np.array([[len(text), 1] for text in texts])


MANY = [f"text {number}" for number in range(5_000)]


@EVERY
def test_what_is_on_disk_is_not_encoded(kind, own_folder, passes, tmp_path):
    """A second run encodes only new texts, with the same arrays as without a cache."""
    expected, cache = kind(own_folder)(TEXTS), tmp_path / "cache"
    before = sum(passes)
    first = kind(own_folder, cache=cache)(TEXTS)
    assert sum(passes) == before + 4
    again = kind(own_folder, cache=cache)([*TEXTS, "d"])
    assert sum(passes) == before + 5
    assert np.allclose(first, expected, atol=1e-6)
    assert np.array_equal(again[:5], first)


@EVERY
def test_other_precisions_have_other_vectors(kind, letters_folder, tmp_path):
    """Encoders that share a cache find their own arrays."""
    found = {}
    for precision in ("fp32", "bf16", "fp32", "bf16"):
        made = kind(letters_folder, cache=tmp_path, precision=precision)(TEXTS)
        assert np.array_equal(found.setdefault(precision, made), made)
    assert not np.array_equal(found["fp32"], found["bf16"])


@EVERY
def test_a_name_finds_what_it_encoded(kind, letters_folder, tmp_path, offline):
    """A folder with changed files finds nothing."""
    folder, cache = shutil.copytree(letters_folder, tmp_path / "m"), VectorCache(tmp_path / "cache")
    kind(str(folder), cache=cache)(TEXTS)
    size = cache.bytes
    kind(str(folder), cache=cache)(TEXTS)
    assert cache.bytes == size
    (folder / "note.txt").write_text("changed")
    kind(str(folder), cache=cache)(TEXTS)
    assert cache.bytes > size


@EVERY
def test_a_folder_may_be_trained_again(kind, letters, letters_folder, tmp_path):
    """Arrays follow a folder's present files, in memory and on disk."""
    folder, cache = shutil.copytree(letters_folder, tmp_path / "m"), VectorCache(tmp_path / "cache")
    remembering, keeping = kind(str(folder)), kind(str(folder), cache=cache)
    remembering.encoder.memory = 2**20
    before = remembering(TEXTS)
    assert np.array_equal(keeping(TEXTS), before)
    with torch.no_grad():
        letters[0].auto_model.embeddings.word_embeddings.weight.mul_(-1)
    letters.save(str(folder))
    expected = kind(letters)(TEXTS)
    assert not np.allclose(expected, before, atol=0.1)
    for encode in (remembering, keeping, kind(str(folder), cache=cache)):
        assert np.allclose(encode(TEXTS), expected, atol=1e-6)


class Writes:
    """A cache that finds nothing, and counts the embeddings of each write."""

    def __init__(self):
        self.sizes = []

    def get_many(self, settings, keys):
        """Find nothing."""
        return {}

    def put_many(self, settings, arrays):
        """Count."""
        self.sizes.append(len(arrays))


def test_a_slow_model_is_written_every_half_minute(letters_folder, monkeypatch):
    """A killed process loses half a minute of work, also where a chunk takes hours."""
    seconds = count(step=10)  # each look at the clock is ten seconds later
    module = "pyterrier_scholarly.encoders.cache"
    monkeypatch.setattr(f"{module}.monotonic", lambda: next(seconds))

    cache = Writes()
    Alone(letters_folder, cache=cache)([f"text {number}" for number in range(20)])
    assert sum(cache.sizes) == 20
    assert max(cache.sizes) <= 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_seq_length", 4),
        ("truncate_dim", 8),
        ("prompts", {"query": "", "passage": "z "}),
        ("document_length", 4),
    ],
)
def test_settings_of_a_model_may_change(name, value, letters):
    """A setting changed after the first call counts in the next, on either side."""
    texts = ["a b c d e", "f"]
    encoder = SentenceTransformer(letters)
    before = encoder.encode(texts, "document")
    setattr(letters[0] if name == "document_length" else letters, name, value)
    found = encoder.encode(texts, "document")
    assert found.shape != before.shape or not np.allclose(found, before, atol=1e-3)
    assert np.allclose(found, letters.encode_document(texts), atol=1e-6)
    assert np.allclose(encoder.encode(texts, "query"), letters.encode_query(texts), atol=1e-6)


@EVERY
@pytest.mark.parametrize("way", ["file in its place", "no space", "damaged"])
def test_a_bad_disk_changes_no_vector(kind, way, letters_folder, tmp_path, monkeypatch):
    """A useless cache warns once, and the arrays are right."""
    cache = VectorCache(tmp_path / "cache")
    if way == "file in its place":
        cache.path.write_text("")
    if way == "no space":
        monkeypatch.setattr(entries, "LAYOUT", "pragma max_page_count = 1;" + entries.LAYOUT)
    if way == "damaged":
        kind(letters_folder, cache=cache)(TEXTS)
        (file,) = cache.path.glob("*/*.sqlite")
        file.write_bytes(file.read_bytes()[:10_000])
    with pytest.warns(UserWarning, match=r"Embedding cache .*/cache|/cache/.* is damaged") as said:
        found = [kind(letters_folder, cache=cache)(TEXTS) for _ in range(2)]
    assert len(said) == 1
    assert np.allclose(found, kind(letters_folder)(TEXTS), atol=1e-6)


def test_what_was_done_is_kept_when_it_ends_early(tmp_path):
    """An error loses no earlier chunk."""
    model = Counting()
    encode = Alone(model, cache=tmp_path, name="counting")
    with pytest.raises(RuntimeError, match="cannot read this"):
        encode([*MANY, "break"])
    done = model.read.copy()
    assert done
    encode(done)
    assert model.read == done


def test_other_settings_have_other_vectors(letters, tmp_path):
    """Another side, prompt, pooling or length finds nothing."""
    texts = ["a b c", "d"]
    ways = [
        {},
        {"pooling": "cls"},
        {"max_length": 3},
        {"document_prompt": "e "},
        {"document_prompt": "e ", "prompt_pooled": False, "pooling": "mean"},
    ]
    for way in ways:
        kept = Alone(letters, cache=tmp_path, name="letters", **way)(texts)
        assert np.allclose(kept, Alone(letters, **way)(texts), atol=1e-6)
    encoder = SentenceTransformer(letters, document_prompt="e ", cache=tmp_path, name="letters")
    assert not np.allclose(encoder.encode(texts, "query"), encoder.encode(texts, "document"))


def test_another_query_prompt_encodes_no_document_again(own_folder, tmp_path, passes):
    """On disk, a text does not depend on the other side's prompt."""
    for prompt in ("e ", "f "):
        encoder = SentenceTransformer(own_folder, query_prompt=prompt, cache=tmp_path / "cache")
        encoder.encode(["a b c", "d"], "document")
        encoder.encode(["a"], "query")
    assert sum(passes) == 2 + 1 + 1


class Quicker(VectorCache):
    """A cache into which another process writes everything, after the first call."""

    def put_many(self, settings, made):
        """Put the other process's arrays, zeros."""
        super().put_many(settings, made)
        super().put_many(settings, {text: np.zeros((1, 2)) for text in MANY if text not in made})


def test_another_process_may_be_quicker(tmp_path):
    """Texts that another process wrote meanwhile are not encoded."""
    model = Counting()
    found = Alone(model, cache=Quicker(tmp_path), name="counting")(MANY)
    assert 0 < len(model.read) < len(MANY)
    assert model.read == [text for text, row in zip(MANY, found, strict=True) if row.any()]


def test_a_model_of_the_hub_is_known_by_its_commit(letters_folder, tmp_path, offline, monkeypatch):
    """Another commit on the hub finds nothing."""
    hub = tmp_path / "hub" / "models--some--letters"
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    (hub / "refs").mkdir(parents=True)
    cache, sizes = VectorCache(tmp_path / "cache"), []
    for commit in ("1" * 40, "2" * 40, "1" * 40):
        shutil.copytree(letters_folder, hub / "snapshots" / commit, dirs_exist_ok=True)
        (hub / "refs" / "main").write_text(commit)
        for kind in KINDS:
            assert kind("some/letters", cache=cache)(["a"]).shape == (1, 16)
        sizes.append(cache.bytes)
    assert sizes[0] > 0
    assert sizes == [sizes[0], 2 * sizes[0], 2 * sizes[0]]


@pytest.mark.parametrize("precision", ["fp32", "auto"])
def test_from_the_cache_no_model_is_loaded(
    precision, letters_folder, tmp_path, offline, monkeypatch
):
    """If the cache has everything, no model is loaded."""
    settings = {"cache": tmp_path / "cache", "precision": precision}
    before = InContext(letters_folder, **settings)(TEXTS)
    another_name = str(shutil.copytree(letters_folder, tmp_path / "copy"))
    library = "sentence_transformers.SentenceTransformer"
    monkeypatch.setattr(library, lambda *_, **__: pytest.fail("loaded a model"))
    assert np.array_equal(InContext(another_name, **settings)(TEXTS), before)


def test_models_of_ones_own():
    """A user's model can have a cache by name."""

    class Model:
        def encode(self, texts, batch_size=32, show_progress_bar=None):
            return np.ones((len(texts), 2))

    assert Alone(Model())(["a"]).tolist() == [[1, 1]]
    assert isinstance(as_encoder(Model()), SentenceTransformer)
