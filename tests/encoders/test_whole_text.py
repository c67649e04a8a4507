"""Whole texts as vectors, against plain transformers, with tiny random models."""

import json
import sys

import numpy as np
import pytest

from pyterrier_scholarly import SentenceMaxSim, WholeText
from pyterrier_scholarly.encoders import (
    Contextual,
    Encoder,
    SentenceTransformer,
    as_encoder,
    vectors,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

TEXTS = ["we model data", "on the learning of a method: results", "a"]
DECODERS = ["llama", "mistral"]
KINDS = ["bert", "roberta", "mpnet", "ernie", "t5", *DECODERS]


@pytest.fixture(autouse=True)
def _offline(offline):
    """No test asks the hub."""


def alone(folder, text, **settings):
    """All layers' states of one text, by transformers itself: [(tokens, d)] from the bottom up."""
    from transformers import AutoModel, AutoTokenizer, T5EncoderModel

    cls = T5EncoderModel if "t5" in folder else AutoModel
    model = cls.from_pretrained(folder, **settings).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    tokens.pop("token_type_ids", None)
    with torch.inference_mode():
        made = model(**tokens, output_hidden_states=True)
    return [state[0].numpy() for state in made.hidden_states], made


POOLED = {
    "mean": lambda states: states[-1].mean(0),
    "cls": lambda states: states[-1][0],
    "last": lambda states: states[-1][-1],
    "penultimate": lambda states: states[-2].mean(0),
}


@pytest.mark.parametrize("pooling", POOLED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_pooling_is_what_its_name_says(tiny, kind, pooling):
    """Each pooling equals transformers' own states, in any batch."""
    found = WholeText(tiny(kind), pooling=pooling).encode_documents(TEXTS)
    expected = [POOLED[pooling](alone(tiny(kind), text)[0]) for text in TEXTS]
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "roberta", "ernie"])
def test_the_pooler_is_the_models_own(tiny, kind):
    """`pooler_output` of transformers: tanh of a layer on the first token."""
    found = WholeText(tiny(kind), pooling="pooler").encode_documents(TEXTS)
    expected = [alone(tiny(kind), text)[1].pooler_output[0].numpy() for text in TEXTS]
    assert np.allclose(found, expected, atol=1e-5)


def test_a_plain_models_own_pooling_is_the_mean(tiny):
    """A plain Hugging Face model pools by the mean."""
    own, mean = (WholeText(tiny("bert"), pooling=name) for name in ("model", "mean"))
    assert np.allclose(own.encode_queries(TEXTS), mean.encode_queries(TEXTS))


def test_the_models_own_modules_count(letters):
    """With pooling="model" a sentence-transformers model gives what its `encode` gives."""
    assert np.allclose(
        WholeText(letters).encode_queries(["a b", "c"]), letters.encode(["a b", "c"])
    )


def test_prompts_stand_before_the_texts(tiny):
    """Queries and documents get their own prompts."""
    encoder = WholeText(tiny("bert"), pooling="mean", query_prompt="query: ", document_prompt="")
    plain = WholeText(tiny("bert"), pooling="mean")
    with_prompt = plain.encode_documents(["query: " + text for text in TEXTS])
    assert np.allclose(encoder.encode_queries(TEXTS), with_prompt, atol=1e-6)
    assert np.allclose(encoder.encode_documents(TEXTS), plain.encode_documents(TEXTS), atol=1e-6)


def test_a_models_own_prompts(letters):
    """None keeps the model's prompts; "" removes them."""
    letters.prompts = {"query": "q ", "document": "d "}
    own, none = WholeText(letters), WholeText(letters, query_prompt="", document_prompt="")
    assert np.allclose(own.encode_queries(["a"]), none.encode_queries(["q a"]), atol=1e-6)
    assert np.allclose(own.encode_documents(["a"]), none.encode_documents(["d a"]), atol=1e-6)
    assert not own.symmetric
    assert none.symmetric


@pytest.mark.parametrize("kind", ["t5", "mistral"])
def test_instructions_are_read_but_not_pooled(tiny, kind):
    """With prompt_pooled=False, the mean is over the states after the prompt."""
    prompt = "a method for "
    encoder = WholeText(tiny(kind), pooling="mean", query_prompt=prompt, prompt_pooled=False)
    states = alone(tiny(kind), prompt + TEXTS[0])[0][-1]
    before = 3 + (kind == "mistral")  # its first token goes with the prompt
    assert np.allclose(encoder.encode_queries(TEXTS[:1])[0], states[before:].mean(0), atol=1e-5)


def test_a_decoder_that_sees_both_ways(tiny):
    """With bidirectional=True, a first token's state depends on later tokens."""
    one, other = "we model data", "we model a method"
    for both_ways in (False, True):
        encoder = WholeText(tiny("mistral"), pooling="cls", bidirectional=both_ways)
        together = encoder.encode_queries([one, other])
        assert np.allclose(together[0], encoder.encode_queries([one])[0], atol=1e-5)
        difference = np.abs(np.subtract(*together)).max()
        assert (difference > 0.01) == both_ways


def test_precision(tiny):
    """Half precision is close to full precision, in float32 arrays."""
    exact = WholeText(tiny("bert")).encode_queries(TEXTS)
    for precision, near in (("bf16", 0.1), ("fp16", 0.02)):
        found = WholeText(tiny("bert"), precision=precision).encode_queries(TEXTS)
        assert found.dtype == np.float32
        assert 0 < np.abs(found - exact).max() < near
    assert WholeText(tiny("bert"), precision="auto").encode_queries(TEXTS).shape == exact.shape


def test_a_given_model_stays_as_it_is(letters):
    """Other precisions, lengths and layers change a copy only."""
    before = letters.encode(["a b c"])
    WholeText(letters, precision="bf16", max_length=4, pooling="penultimate").encode_queries(["a"])
    assert letters.max_seq_length == 32
    assert np.array_equal(letters.encode(["a b c"]), before)


def test_long_texts_are_cut(letters_folder):
    """Texts are truncated at `max_length` tokens, with special ones."""
    encoder = WholeText(letters_folder, max_length=5)
    long, short = encoder.encode_queries(["a b c d e f", "a b c"])
    assert np.allclose(long, short, atol=1e-6)


def test_batches_are_cut_by_tokens(letters):
    """Batches count prompts: two texts of 22 tokens, eight short ones."""
    shapes = []
    letters[0].register_forward_pre_hook(
        lambda _, given: shapes.append(tuple(given[0]["input_ids"].shape))
    )
    long = [" ".join("abcdefghijklmnopqrs"[n:] + "a" * n) for n in range(4)]
    short = list("abcdefgh")
    settings = {"batch_tokens": 48, "memory": 0}
    made = WholeText(letters, document_prompt="z ", **settings).encode_documents(short + long)
    assert shapes == [(2, 22)] * 2 + [(8, 4)]
    alone = WholeText(letters, document_prompt="z ", batch_tokens=1).encode_documents(short + long)
    assert np.allclose(made, alone, atol=1e-5)


def test_every_distinct_text_is_encoded_once(letters):
    """A duplicate text is encoded once; rows are in order."""
    sizes = []
    letters[0].register_forward_pre_hook(
        lambda module, args: sizes.append(len(args[0]["input_ids"]))
    )
    found = WholeText(letters).encode_queries(["a", "b", "a", "a"])
    assert sum(sizes) == 2
    assert np.array_equal(found[[0, 0, 0]], found[[0, 2, 3]])


def test_it_is_an_encoder_like_others(letters):
    """All steps with an encoder accept it."""
    encoder = WholeText(letters, pooling="cls")
    assert isinstance(encoder, Encoder)
    assert as_encoder(encoder) is encoder
    assert "WholeText" in repr(SentenceMaxSim(encoder))


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
    encoder = WholeText(tiny("bert"), pooling="cls", adapter=str(folder))
    assert np.allclose(encoder.encode_documents(TEXTS[:1])[0], state[0, 0], atol=1e-5)


def test_an_object_is_read_as_its_name_is(tiny, adapter):
    """Adapter and direction of reading count for a model passed as an object, too."""
    from sentence_transformers import SentenceTransformer

    for kind, settings in (
        ("bert", {"adapter": str(adapter[0])}),
        ("mistral", {"bidirectional": True}),
    ):
        model = SentenceTransformer(tiny(kind), device="cpu")
        found = WholeText(model, pooling="cls", **settings).encode_queries(TEXTS)
        by_name = WholeText(tiny(kind), pooling="cls", **settings).encode_queries(TEXTS)
        assert np.allclose(found, by_name, atol=1e-5)
        assert not np.allclose(found, WholeText(model, pooling="cls").encode_queries(TEXTS))


def test_an_adapter_may_be_trained_again(tiny, adapter):
    """Changed files of an adapter count."""
    folder, weights = adapter
    encoder = WholeText(tiny("bert"), adapter=str(folder))
    before = encoder.encode_documents(TEXTS)
    torch.save(
        {name: 2 * weight for name, weight in weights.items()}, folder / "pytorch_adapter.bin"
    )
    found = encoder.encode_documents(TEXTS)
    assert not np.allclose(found, before, atol=1e-3)


def test_an_adapter_of_another_kind_is_refused(tiny, adapter):
    """Another kind of adapter raises with the difference."""
    folder, _ = adapter
    (folder / "adapter_config.json").write_text('{"config": {"mh_adapter": true}}')
    with pytest.raises(ValueError, match=r"another kind .* \{'mh_adapter': True\}"):
        WholeText(tiny("bert"), adapter=str(folder)).encode_queries(["a"])


def test_an_adapter_of_another_model_is_refused(letters_folder, tiny, adapter):
    """An adapter of another size raises with both sizes."""
    with pytest.raises(ValueError, match=r"2 layers of width .* has 0 of width"):
        WholeText(tiny("llama"), adapter=str(adapter[0])).encode_queries(["a"])


def test_an_adapter_that_is_not_there(tiny):
    """A missing adapter raises with what to download."""
    with pytest.raises(OSError, match="hf download nobody/nothing"):
        WholeText(tiny("bert"), adapter="nobody/nothing").encode_queries(["a"])


def test_a_model_that_is_not_there():
    """A missing model raises with what to download, also without network."""
    with pytest.raises(OSError, match="hf download nobody/nothing"):
        WholeText("nobody/nothing", pooling="cls").encode_queries(["a"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "max"}, "pooling='max': choose one of model, mean, cls, last, pooler"),
        (
            {"precision": "int3"},
            "precision='int3': choose one of fp32, bf16, fp16, int8, auto",
        ),
        ({"max_length": 600}, "max_length=600 .* 1 to 514"),
    ],
)
def test_unknown_settings_are_refused(tiny, settings, message):
    """Wrong settings raise with the known ones."""
    with pytest.raises(ValueError, match=message):
        WholeText(tiny("bert"), **settings).encode_queries(["a"])


def test_a_model_without_a_pooler(tiny):
    """A model without a pooler raises with its name."""
    with pytest.raises(ValueError, match="has no pooler"):
        WholeText(tiny("t5"), pooling="pooler").encode_queries(["a"])


def test_code_of_a_model_does_not_run_unless_asked(tiny, tmp_path, monkeypatch):
    """A folder with Python code raises in every encoder of names; no code runs."""
    import shutil

    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    ran = tmp_path / "ran"
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.C", "AutoModel": "own.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\nraise RuntimeError('ran')")
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))
    for encoder in (WholeText(str(folder)), SentenceTransformer(str(folder))):
        with pytest.raises((ValueError, OSError), match=r"trust_remote_code|model_type|own"):
            encoder.encode_documents(["a"])
    with pytest.raises((ValueError, OSError), match=r"trust_remote_code|model_type|own"):
        Contextual(str(folder)).encode_passages([("a",)])
    assert not ran.exists()
    with pytest.raises(RuntimeError, match="ran"):
        WholeText(str(folder), trust_remote_code=True).encode_documents(["a"])
    assert ran.exists()


def test_progress_has_a_total(letters, capsys):
    """Progress counts the distinct texts to encode."""
    WholeText(letters, verbose=True).encode_documents(["a b", "c", "c"])
    assert "2/2" in capsys.readouterr().err


def test_odd_texts(letters):
    """Empty, short, very long and non-Latin texts have arrays, equal in any batch."""
    texts = ["", "a", " ".join("abcd" * 5_000), "日本語の文", "привет мир"]
    encoder = WholeText(letters, memory=0)  # so that nothing is kept
    found = encoder.encode_documents(texts)
    alone = [encoder.encode_documents([text])[0] for text in texts]
    assert np.isfinite(found).all()
    assert np.allclose(found, alone, atol=1e-5)


def test_nan_of_a_broken_model_is_said(letters):
    """NaN raises and names the text."""
    letters[0].auto_model.embeddings.word_embeddings.weight.data[:] = float("nan")
    with pytest.raises(ValueError, match=r"NaN or infinity .* 'a b'"):
        vectors(WholeText(letters).encode_queries, ["a b"])


def test_without_sentence_transformers(monkeypatch, tiny):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        WholeText("any", pooling="mean").encode_queries(["a"])


def test_equal_by_settings():
    """Settings that change no array (memory, batches, progress) do not count."""
    assert WholeText("a", memory=4, batch_tokens=9, verbose=True) == WholeText("a")
    assert WholeText("a", pooling="cls") != WholeText("a")
    assert repr(WholeText("a", query_prompt="q: ")) == "WholeText('a', query_prompt='q: ')"
