"""What identifies a model, before and after its training."""

import shutil

import numpy as np
import pytest

from pyterrier_scholarly import CrossEncoder, SentenceTransformer, SparseEncoder
from pyterrier_scholarly.encoders import Contextual
from pyterrier_scholarly.encoders.loading import ADAPTER_CONFIG, find_commit
from pyterrier_scholarly.fingerprint import fingerprint

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]

COMMIT = "1" * 40
LOADING = "pyterrier_scholarly.encoders.loading"
MODEL = "sentence_transformers.SentenceTransformer"


def of_cross(folder):
    """A score by the cross-encoder."""
    return CrossEncoder(folder).score([("the model", "data")])


def of_sparse(folder):
    """The vector of a text."""
    return SparseEncoder(folder).encode(["the model"], "query").toarray()


def of_whole(folder):
    """The vector of a text."""
    return SentenceTransformer(folder).encode(["the model"], "query")


def train(folder):
    """Replace the weights in a folder."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    changed = {name: weight.flip(0).contiguous() for name, weight in weights.items()}
    save_file(changed, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("kind", "asked"), [("cross", of_cross), ("masked", of_sparse), ("bert", of_whole)]
)
def test_a_folder_that_is_trained_again_is_loaded_again(kind, asked, tiny, tmp_path):
    """Encoders of a folder use its files' present content."""
    folder = shutil.copytree(tiny(kind), tmp_path / "model")
    before = asked(str(folder))
    train(folder)
    elsewhere = shutil.copytree(folder, tmp_path / "copy")
    assert np.array_equal(asked(str(folder)), asked(str(elsewhere)))
    assert not np.allclose(asked(str(folder)), before, atol=1e-3)


def test_without_a_cache_nothing_is_identified(own_folder, letters, monkeypatch):
    """In memory, arrays go by settings and times of change: no file is hashed, no hub is asked."""
    monkeypatch.setattr(f"{LOADING}.hash_once", lambda path: pytest.fail("hashed a file"))
    monkeypatch.setattr("huggingface_hub.model_info", lambda *_, **__: pytest.fail("asked the hub"))
    of_whole(own_folder)

    monkeypatch.setattr(MODEL, lambda *_, **__: letters)
    of_whole("some/letters-not-here")


def test_without_a_cache_any_argument_of_a_model_does(letters, monkeypatch):
    """An object that has no fingerprint may be passed to the model's class."""
    loaded = []
    monkeypatch.setattr(MODEL, lambda *_, **__: loaded.append("model") or letters)
    encoder = SentenceTransformer("some/letters", model_kwargs={"progress": lambda share: share})
    encoder.encode(["the model"], "query")
    encoder.encode(["the data"], "query")
    assert loaded == ["model"]


@pytest.fixture
def hub(letters_folder, tmp_path, monkeypatch):
    """The hub's files of some/letters, with one commit as branch main and as short commit."""
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    model = tmp_path / "hub" / "models--some--letters"
    shutil.copytree(letters_folder, model / "snapshots" / COMMIT)
    (model / "refs").mkdir()
    for name in ("main", COMMIT[:7]):
        (model / "refs" / name).write_text(COMMIT)
    return model


def kept_of(cache, *models):
    """Count the encoders in a cache, after these models and revisions encoded."""
    for model, revision in models:
        Contextual(model, revision=revision, cache=cache, memory=0).encode_passages([("a",)])
    return len(list(cache.glob("*/")))


@pytest.mark.parametrize("revision", [None, "main", COMMIT[:7], COMMIT])
def test_what_is_on_this_machine_is_known_without_loading(hub, revision, monkeypatch):
    """A branch and a short commit stand for the whole commit."""
    monkeypatch.setattr(MODEL, lambda *_, **__: pytest.fail("loaded a model"))
    found = fingerprint(Contextual("some/letters", revision=revision))
    assert found == fingerprint(Contextual("some/letters", revision=COMMIT))
    assert found != fingerprint(Contextual("some/letters", revision="2" * 40))


def test_a_model_without_a_configuration_is_known_by_its_commit(hub, monkeypatch):
    """Static embeddings have no config.json: any file that each model's folder has does."""
    monkeypatch.setattr(MODEL, lambda *_, **__: pytest.fail("loaded a model"))
    expected = fingerprint(Contextual("some/letters"))
    (hub / "snapshots" / COMMIT / "config.json").unlink()
    assert fingerprint(Contextual("some/letters")) == expected


def test_what_is_downloaded_for_it_is_known_by_its_commit(hub, letters, tmp_path, monkeypatch):
    """After its download, a branch stands for its commit."""

    def downloaded(*_, **__):
        (hub / "refs" / "later").write_text(COMMIT)
        return letters

    monkeypatch.setattr(MODEL, downloaded)
    assert kept_of(tmp_path / "cache", ("some/letters", "later"), ("some/letters", COMMIT)) == 1


@pytest.mark.parametrize("revision", [None, "main"])
def test_a_branch_is_no_identity(letters, revision, tmp_path, monkeypatch):
    """A branch may move: without the hub's files, the weights identify the model."""
    monkeypatch.setattr(MODEL, lambda *_, **__: letters)
    of = [("some/letters", None), ("some/other-letters", revision)]
    assert kept_of(tmp_path, *of) == 1
    scaled(letters)
    assert kept_of(tmp_path, *of) == 2


def test_an_exported_model_without_a_commit_is_identified(letters, tmp_path, monkeypatch):
    """A backend is for names, but the loaded model stands for a name without a commit."""
    monkeypatch.setattr(MODEL, lambda *_, **__: letters)
    encoder = SentenceTransformer("some/letters", backend="onnx", cache=tmp_path)
    assert encoder.encode(["a"], "query").shape == (1, 16)


def test_a_folder_that_is_not_there(tmp_path):
    """A missing folder raises when it is loaded."""
    with pytest.raises(OSError, match="There is no folder"):
        SentenceTransformer(str(tmp_path / "none"), cache=tmp_path).encode(["a"], "query")


class Adapted(torch.nn.Module):
    """A layer's adapters, in PEFT's form."""

    active_adapters, disable_adapters = ("one",), False


def scaled(model):
    """Change weights in a way that PyTorch does not count."""
    model[0].auto_model.embeddings.LayerNorm.weight.data.mul_(2)


def configured(model):
    """Change a setting of the transformer."""
    model[0].auto_model.config.chunk_size_feed_forward += 1


def chosen(model):
    """Choose another adapter."""
    model[0].auto_model.extra.active_adapters = ("two",)


def without(model):
    """Switch the adapter off."""
    model[0].auto_model.extra.disable_adapters = True


@pytest.mark.parametrize("change", [scaled, configured, chosen, without])
def test_what_is_changed_in_place_is_another_model(letters, change, passes):
    """A changed model has another fingerprint and is encoded again; encoding changes nothing."""
    letters[0].auto_model.extra = Adapted()
    encoder = Contextual(letters)

    def found():
        return fingerprint(letters), fingerprint(encoder)

    before = found()
    encoder.encode_passages([("a b", "c")])
    assert found() == before
    change(letters)
    assert not set(found()) & set(before)
    passes.clear()
    encoder.encode_passages([("a b", "c")])
    assert passes == [1]


def test_weights_written_through_data_have_vectors_of_their_own(letters):
    """Weights written through `.data` give new arrays."""
    encoder = Contextual(letters)
    (before,) = encoder.encode_passages([("a", "b c")])
    scaled(letters)
    (after,) = encoder.encode_passages([("a", "b c")])
    assert not np.allclose(before, after, atol=0.1)
    assert np.array_equal(after, Contextual(letters, memory=0).encode_passages([("a", "b c")])[0])


def test_a_model_with_broken_weights_is_one_model(letters):
    """NaN in weights does not change the fingerprint."""
    letters[0].auto_model.embeddings.LayerNorm.weight.data.fill_(float("nan"))
    assert fingerprint(letters) == fingerprint(letters)
    assert fingerprint(Contextual(letters)) == fingerprint(Contextual(letters))


def test_an_adapter_and_a_model_of_one_name_have_commits_of_their_own(hub, tmp_path, monkeypatch):
    """Each is looked up where its library keeps it, by the files that it has."""
    adapters, other_commit = tmp_path / "adapters", "2" * 40
    for name in ("letters", "adapter"):
        folder = adapters / f"models--some--{name}"
        (folder / "snapshots" / other_commit).mkdir(parents=True)
        (folder / "snapshots" / other_commit / ADAPTER_CONFIG).write_text("{}")
        (folder / "refs").mkdir()
        (folder / "refs" / "main").write_text(other_commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(adapters))
    monkeypatch.setattr(f"{LOADING}._ask_hub_for_commit", lambda *_: None)
    assert find_commit("some/letters") == COMMIT
    assert find_commit("some/letters", is_adapter=True) == other_commit
    assert find_commit("some/adapter") is None
    encoder = SentenceTransformer("some/letters", adapter="some/letters")
    assert encoder.__fingerprint__()["adapter"] == f"some/letters@{other_commit}"
