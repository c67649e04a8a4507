"""Train a tiny random model on papers of four topics."""

import random
import sys
from contextlib import nullcontext
from math import ceil

import pandas as pd
import pytest

from pyterrier_scholarly import TextSimilarity
from pyterrier_scholarly.training import TRAINING_RECIPES, CitationTriplets, TrainingSettings
from pyterrier_scholarly.training import train_encoder as train

pytestmark = pytest.mark.torch

WORDS = "the of a and in we to for is are with on model models data learning".split()
PAPERS = [f"p{number}" for number in range(40)]
#: papers cite the others of their topic
CITES = {p: [q for q in PAPERS[place % 4 :: 4] if q != p][:5] for place, p in enumerate(PAPERS)}
SETTINGS = TrainingSettings(batch_size=8, learning_rate=1e-3, log_every=5)


@pytest.fixture(scope="module")
def texts():
    """Twelve words of each paper's topic."""
    draw = random.Random(0)
    return {p: " ".join(draw.choices(WORDS[4 * (n % 4) :][:4], k=12)) for n, p in enumerate(PAPERS)}


@pytest.fixture(autouse=True)
def one_thread():
    """Run on one thread: tiny products are slower on several."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("accelerate")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


TRIPLETS = CitationTriplets(CITES, PAPERS, seed=1)


def run(tiny, texts, folder, settings=SETTINGS, **more):
    """Train for 60 steps."""
    return train(tiny("bert"), TRIPLETS, texts, folder, settings, steps=60, verbose=False, **more)


def test_sixty_steps(tiny, texts, tmp_path):
    """The loss falls; equal seeds give equal losses, others do not.

    The model that is saved ranks: the papers of the query's topic come first. How long it takes is
    printed by ``benchmarks/training.py``.
    """
    trained = run(tiny, texts, tmp_path / "one")
    losses = [loss for _, loss in trained.losses]
    assert [step for step, _ in trained.losses] == list(range(5, 61, 5))
    assert sum(losses[-3:]) < 0.9 * sum(losses[:3])
    assert run(tiny, texts, tmp_path / "two").losses == trained.losses
    other = TrainingSettings(batch_size=8, learning_rate=1e-3, log_every=5, seed=1)
    assert run(tiny, texts, tmp_path / "three", other).losses != trained.losses
    results = pd.DataFrame({"qid": "q", "query": texts["p0"], "docno": PAPERS[1:]})
    results = results.assign(text=[texts[paper] for paper in PAPERS[1:]])
    ranked = TextSimilarity(trained.model, similarity="l2", document="{text}")(results)
    assert len(ranked) == 39
    assert [int(docno[1:]) % 4 for docno in ranked["docno"][:5]] == [0] * 5


class Stopped(BaseException):
    """An error that nothing catches, like KeyboardInterrupt, which would end the tests."""


class Interrupted(dict):
    """Texts that raise after `left` reads."""

    left = 0

    def __getitem__(self, paper):
        self.left -= 1
        if not self.left:
            raise Stopped
        return super().__getitem__(paper)


def unlink(path):
    """Remove a file."""
    path.unlink()


def change(path):
    """Change a byte in the middle."""
    held = bytearray(path.read_bytes())
    held[len(held) // 2] ^= 1
    path.write_bytes(held)


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("manifest.json", unlink, None),  # killed before it was written
        ("trainer_state.json", change, "is damaged"),
        ("model.safetensors", change, "is damaged"),
        ("optimizer.pt", unlink, "cannot be read"),
    ],
)
def test_an_interrupted_training_goes_on(tiny, texts, tmp_path, name, damage, said):
    """A run that stopped after step 40, with a damaged checkpoint, ends with equal losses."""
    broken, few = Interrupted(texts), Interrupted(texts)
    broken.left = few.left = 2 * len(PAPERS) + 3 * 8 * 46  # too few to begin anew
    with pytest.raises(Stopped):
        run(tiny, broken, tmp_path / "stopped", save_every=20)
    left = {path.name for path in (tmp_path / "stopped").glob("[!.]*")}
    assert left == {"manifest.json", "checkpoints"}
    damage(tmp_path / "stopped" / "checkpoints" / "checkpoint-40" / name)
    with nullcontext() if said is None else pytest.warns(UserWarning, match=f"{name} {said}"):
        gone_on = run(tiny, few, tmp_path / "stopped", save_every=20)
    straight = run(tiny, texts, tmp_path / "straight", save_every=60)
    assert gone_on.losses == straight.losses


def test_losses_are_whole_means_wherever_it_was_interrupted(tiny, texts, tmp_path):
    """Checkpoints are at multiples of 4, where a mean ends: 8 and 16, not 6 and 12."""
    few = {"batch_size": 2, "learning_rate": 1e-3, "log_every": 4}
    settings, broken = TrainingSettings(**few), Interrupted(texts)
    broken.left = 2 * len(PAPERS) + 3 * 2 * 15
    more = {"settings": settings, "steps": 20, "verbose": False, "save_every": 6}
    with pytest.raises(Stopped):
        train(tiny("bert"), TRIPLETS, broken, tmp_path / "stopped", **more)
    kept = [path.name for path in (tmp_path / "stopped" / "checkpoints").iterdir()]
    assert kept == ["checkpoint-8"]
    gone_on = train(tiny("bert"), TRIPLETS, texts, tmp_path / "stopped", **more)
    straight = train(tiny("bert"), TRIPLETS, texts, tmp_path / "straight", **more)
    assert [step for step, _ in straight.losses] == [4, 8, 12, 16, 20]
    assert gone_on.losses == straight.losses


@pytest.mark.parametrize("content", ["", '{"steps": 2', "[1]", "[" * 99_999, "\0"])
def test_damaged_settings_are_named(texts, tmp_path, content):
    """The error names the file, the damage and the remedy; nothing is trained."""
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ValueError, match=r"manifest\.json.*Remove .* or restore"):
        train("no/such/model", TRIPLETS, texts, tmp_path, SETTINGS)
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["manifest.json"]


def test_a_training_that_ended_is_not_done_again(tiny, texts, tmp_path):
    """A second call returns its losses and model; other settings raise."""
    first = run(tiny, texts, tmp_path / "one")
    never = Interrupted(texts)
    never.left = 2 * len(PAPERS) + 1
    assert run(tiny, never, tmp_path / "one") == first
    change(tmp_path / "one" / "model" / "model.safetensors")
    with pytest.raises(ValueError, match=r"model\.safetensors is damaged.*Remove it to train"):
        run(tiny, texts, tmp_path / "one")
    other = TrainingSettings(batch_size=8, learning_rate=1e-3, log_every=5, margin=2)
    with pytest.raises(ValueError, match=r"other settings: margin is 1\.0 there, 2 here\. Pass"):
        run(tiny, texts, tmp_path / "one", other)
    with pytest.raises(ValueError, match="something else in it"):
        run(tiny, texts, tmp_path)


def test_a_folder_is_of_its_texts_and_citations(texts, tmp_path, offline):
    """A changed text or citation makes another training; another order of papers does not."""
    folder = tmp_path / "one"

    def begin(texts=texts, cites=CITES, papers=PAPERS):
        train("no/such/model", CitationTriplets(cites, papers), texts, folder, SETTINGS)

    for same in ({}, {"papers": PAPERS[::-1]}, {"papers": set(PAPERS)}):
        with pytest.raises(OSError, match="cannot be loaded"):  # so far, the folder is its own
            begin(**same)
    for other in ({"texts": {**texts, "p3": "the"}}, {"cites": {**CITES, "p0": ["p8"]}}):
        with pytest.raises(
            ValueError, match=r"other settings: content is '\w+' there, '\w+' here\. Pass"
        ):
            begin(**other)


def test_the_other_loss_and_the_mean(tiny, texts, tmp_path):
    """In-batch negatives and mean pooling train, too; the model records its pooling."""
    settings = TrainingSettings("mean", "multiple-negatives", batch_size=8, learning_rate=1e-3)
    trained = train(
        tiny("bert"), TRIPLETS, texts, tmp_path / "m", settings, steps=20, verbose=False
    )
    from sentence_transformers import SentenceTransformer

    assert SentenceTransformer(trained.model)[1].pooling_mode == "mean"
    assert len(trained.losses) == 2


def test_recipes_train(tiny, texts, tmp_path):
    """The three recipes train for as many steps as their passes have."""
    small = TrainingSettings(batch_size=8, accumulate=5, log_every=1)
    more = {"settings": small, "model": tiny("bert"), "verbose": False}
    # the first six papers of a topic cite each other, the four behind them five of these six
    sizes = {"csfcube/specter-id": 40 * 5, "doris-mae/specter-id": 4 * (6 * 5 + 4 * 6)}
    sizes["doris-mae/scibert-id"] = sizes["doris-mae/specter-id"]
    assert [recipe.epochs for recipe in TRAINING_RECIPES.values()] == [2, 1, 10]  # as printed
    for name, size in sizes.items():
        recipe = TRAINING_RECIPES[name]
        trained = recipe.train(CITES, texts, tmp_path / name, **more)
        assert len(trained.losses) == ceil(recipe.epochs * size / 40)


def test_a_paper_without_text(tiny, texts, tmp_path):
    """Papers without text are named before a model is loaded, and nothing is written."""
    some = {**texts, "p3": " "}
    del some["p7"]
    with pytest.raises(ValueError, match="no text of p3, p7: pass `texts`"):
        train("no/such/model", TRIPLETS, some, tmp_path / "one", SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_a_graph_without_triplets(texts, tmp_path):
    """A graph of other ids has no triplets, and the error says so."""
    other = CitationTriplets({"x": ["y"]}, PAPERS)
    with pytest.raises(ValueError, match="Are the ids of the graph those of the papers"):
        train("no/such/model", other, texts, tmp_path / "one", SETTINGS)


@pytest.mark.parametrize("missing", ["accelerate", "datasets", "sentence_transformers"])
def test_without_the_extra(missing, texts, tmp_path, monkeypatch):
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=r'pip install "pyterrier-scholarly\[train\]"`\.$'):
        train("m", TRIPLETS, texts, tmp_path / "one", SETTINGS)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"pooling": "max"}, "pooling='max': expected one of 'cls', 'mean' or None"),
        ({"loss": "mine"}, "expected one of 'triplet', 'multiple-negatives'"),
        ({"batch_size": 0}, "batch_size=0: expected a whole number of at least 1"),
        ({"warmup": 10}, "warmup=10: expected a number of at least 0, below 1"),
        ({"margin": 0}, "margin=0: expected a number above 0"),
        ({"margin": "1"}, "TrainingSettings, margin='1': expected a number .* The default is 1"),
        ({"batch_size": "32"}, "batch_size='32': expected a whole number"),
        ({"batch_size": 2.0}, "batch_size=2.0: expected a whole number"),
        ({"batch_size": True}, "batch_size=True: expected a whole number"),
        ({"seed": None}, "seed=None: expected a whole number"),
        ({"max_length": "all"}, "max_length='all': expected a whole number of .* or None"),
        ({"pooling": 3}, "pooling=3: expected one of 'cls'"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    """Malformed settings raise when they are created."""
    with pytest.raises(ValueError, match=message):
        TrainingSettings(**settings)
