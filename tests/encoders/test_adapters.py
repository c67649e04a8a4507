"""SPECTER2's adapter on a model, with tiny random weights."""

import json

import numpy as np
import pytest

from pyterrier_scholarly import SentenceTransformer

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]

TEXTS = ["we model data", "on the learning of a method: results", "a"]


@pytest.fixture
def adapter(tmp_path):
    """A folder with a random adapter for the tiny BERT, in the layout of allenai/specter2."""
    torch.manual_seed(1)
    shapes = {"down.0.weight": (4, 16), "down.0.bias": (4,), "up.weight": (16, 4), "up.bias": (16,)}
    weights = {
        f"bert.encoder.layer.{layer}.output.adapters.[PRX].adapter_{name}": torch.randn(shape)
        for layer in range(2)
        for name, shape in shapes.items()
    }
    torch.save(weights, tmp_path / "pytorch_adapter.bin")
    config = {"output_adapter": True, "non_linearity": "relu", "residual_before_ln": True}
    (tmp_path / "adapter_config.json").write_text(json.dumps({"config": config}))
    return tmp_path, weights


def test_an_adapter_changes_every_layers_output(tiny, adapter):
    """norm(h + x + up(relu(down(norm(h + x))))), layer by layer: what SPECTER2's proximity needs.

    (The same weights in the library `adapters` 1.3.0 gave the same states to 1e-6.)
    """
    from transformers import AutoModel, AutoTokenizer

    folder, weights = adapter
    model = AutoModel.from_pretrained(tiny("bert")).eval()
    tokens = AutoTokenizer.from_pretrained(tiny("bert"))(TEXTS[0], return_tensors="pt")
    with torch.inference_mode():
        state = model.embeddings(tokens["input_ids"])
        for number, layer in enumerate(model.encoder.layer):
            name = f"bert.encoder.layer.{number}.output.adapters.[PRX].adapter_"
            part = {key.removeprefix(name): weights[key] for key in weights if name in key}
            x = layer.attention(state)[0]
            summed = layer.output.dense(layer.intermediate(x)) + x
            low = layer.output.LayerNorm(summed) @ part["down.0.weight"].T + part["down.0.bias"]
            high = low.clamp(min=0) @ part["up.weight"].T + part["up.bias"]
            state = layer.output.LayerNorm(summed + high)
    encoder = SentenceTransformer(tiny("bert"), pooling="cls", adapter=str(folder))
    assert np.allclose(encoder.encode(TEXTS[:1], "document")[0], state[0, 0], atol=1e-5)


def test_an_object_is_read_as_its_name_is(tiny, adapter):
    """Adapter and direction of reading count for a model passed as an object, too."""
    from sentence_transformers import SentenceTransformer as Model

    for kind, settings in (
        ("bert", {"adapter": str(adapter[0])}),
        ("mistral", {"bidirectional": True}),
    ):
        model = Model(tiny(kind), device="cpu")
        found = SentenceTransformer(model, pooling="cls", **settings).encode(TEXTS, "query")
        by_name = SentenceTransformer(tiny(kind), pooling="cls", **settings).encode(TEXTS, "query")
        without = SentenceTransformer(model, pooling="cls").encode(TEXTS, "query")
        assert np.allclose(found, by_name, atol=1e-5)
        assert not np.allclose(found, without)


def test_an_adapter_may_be_trained_again(tiny, adapter):
    """Changed files of an adapter count."""
    folder, weights = adapter
    encoder = SentenceTransformer(tiny("bert"), adapter=str(folder))
    before = encoder.encode(TEXTS, "document")
    torch.save(
        {name: 2 * weight for name, weight in weights.items()}, folder / "pytorch_adapter.bin"
    )
    found = encoder.encode(TEXTS, "document")
    assert not np.allclose(found, before, atol=1e-3)


def test_an_adapter_is_loaded_at_the_commit_that_names_its_embeddings(
    tiny, adapter, tmp_path, monkeypatch
):
    """An adapter that changed on the hub meanwhile is not mixed with the one on this machine."""
    import huggingface_hub

    commit = "1" * 40
    hub_folder = tmp_path / "hub" / "models--own--adapter"
    (hub_folder / "snapshots" / commit).mkdir(parents=True)
    (hub_folder / "snapshots" / commit / "adapter_config.json").write_text("{}")
    (hub_folder / "refs").mkdir()
    (hub_folder / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))

    asked_revisions = []
    find = huggingface_hub.snapshot_download

    def download(source, revision, **settings):
        if settings.get("local_files_only"):
            return find(source, revision=revision, **settings)
        asked_revisions.append(revision)
        return str(adapter[0])

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    SentenceTransformer(tiny("bert"), adapter="own/adapter").encode(["a"], "query")
    assert asked_revisions == [commit]


def test_an_adapter_of_another_kind_is_refused(tiny, adapter):
    """Another kind of adapter raises with the difference."""
    folder, _ = adapter
    (folder / "adapter_config.json").write_text('{"config": {"mh_adapter": true}}')
    with pytest.raises(ValueError, match=r"another kind .* \{'mh_adapter': True\}"):
        SentenceTransformer(tiny("bert"), adapter=str(folder)).encode(["a"], "query")


def test_an_adapter_of_another_model_is_refused(tiny, adapter):
    """An adapter of another size raises with both sizes."""
    with pytest.raises(ValueError, match=r"2 layers of width .* has 0 of width"):
        SentenceTransformer(tiny("llama"), adapter=str(adapter[0])).encode(["a"], "query")


def test_an_adapter_that_is_not_there(tiny):
    """A missing adapter raises with what to download."""
    with pytest.raises(OSError, match="hf download nobody/nothing"):
        SentenceTransformer(tiny("bert"), adapter="nobody/nothing").encode(["a"], "query")
