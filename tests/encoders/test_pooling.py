"""Poolings and prompts of whole texts, against plain transformers, with tiny random models."""

import numpy as np
import pytest

from pyterrier_scholarly import SentenceTransformer

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

TEXTS = ["we model data", "on the learning of a method: results", "a"]
KINDS = ["bert", "roberta", "mpnet", "ernie", "t5", "llama", "mistral"]


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
    found = SentenceTransformer(tiny(kind), pooling=pooling).encode(TEXTS, "document")
    expected = [POOLED[pooling](alone(tiny(kind), text)[0]) for text in TEXTS]
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["bert", "roberta", "ernie"])
def test_the_pooler_is_the_models_own(tiny, kind):
    """`pooler_output` of transformers: tanh of a layer on the first token."""
    found = SentenceTransformer(tiny(kind), pooling="pooler").encode(TEXTS, "document")
    expected = [alone(tiny(kind), text)[1].pooler_output[0].numpy() for text in TEXTS]
    assert np.allclose(found, expected, atol=1e-5)


def test_a_plain_models_own_pooling_is_the_mean(tiny):
    """A plain Hugging Face model pools by the mean."""
    own, mean = (SentenceTransformer(tiny("bert"), pooling=name) for name in ("model", "mean"))
    assert np.allclose(own.encode(TEXTS, "query"), mean.encode(TEXTS, "query"))


def test_prompts_stand_before_the_texts(tiny):
    """Queries and documents get their own prompts."""
    encoder = SentenceTransformer(
        tiny("bert"), pooling="mean", query_prompt="query: ", document_prompt=""
    )
    plain = SentenceTransformer(tiny("bert"), pooling="mean")
    with_prompt = plain.encode(["query: " + text for text in TEXTS], "document")
    assert np.allclose(encoder.encode(TEXTS, "query"), with_prompt, atol=1e-6)
    assert np.allclose(
        encoder.encode(TEXTS, "document"), plain.encode(TEXTS, "document"), atol=1e-6
    )


def test_a_models_own_prompts(letters):
    """None keeps the model's prompts; "" removes them."""
    letters.prompts = {"query": "q ", "document": "d "}
    own = SentenceTransformer(letters)
    none = SentenceTransformer(letters, query_prompt="", document_prompt="")
    assert np.allclose(own.encode(["a"], "query"), none.encode(["q a"], "query"), atol=1e-6)
    assert np.allclose(own.encode(["a"], "document"), none.encode(["d a"], "document"), atol=1e-6)


@pytest.mark.parametrize("kind", ["t5", "mistral"])
def test_instructions_are_read_but_not_pooled(tiny, kind):
    """With prompt_pooled=False, the mean is over the states after the prompt."""
    prompt = "a method for "
    encoder = SentenceTransformer(
        tiny(kind), pooling="mean", query_prompt=prompt, prompt_pooled=False
    )
    states = alone(tiny(kind), prompt + TEXTS[0])[0][-1]
    before = 3 + (kind == "mistral")  # its first token goes with the prompt
    assert np.allclose(encoder.encode(TEXTS[:1], "query")[0], states[before:].mean(0), atol=1e-5)


def test_a_decoder_that_sees_both_ways(tiny):
    """With bidirectional=True, a first token's state depends on later tokens."""
    one, other = "we model data", "we model a method"
    for both_ways in (False, True):
        encoder = SentenceTransformer(tiny("mistral"), pooling="cls", bidirectional=both_ways)
        together = encoder.encode([one, other], "query")
        assert np.allclose(together[0], encoder.encode([one], "query")[0], atol=1e-5)
        difference = np.abs(np.subtract(*together)).max()
        assert (difference > 0.01) == both_ways


def test_a_given_model_stays_as_it_is(letters):
    """Other precisions, lengths and layers change a copy only."""
    before = letters.encode(["a b c"])
    SentenceTransformer(letters, precision="bf16", max_length=4, pooling="penultimate").encode(
        ["a"], "query"
    )
    assert letters.max_seq_length == 32
    assert np.array_equal(letters.encode(["a b c"]), before)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "max"}, "pooling='max': expected one of 'model', 'mean', 'cls', 'last', "),
        ({"max_length": 600}, "max_length=600 .* 1 to 514"),
    ],
)
def test_unknown_settings_are_refused(tiny, settings, message):
    """Wrong settings raise with the known ones."""
    with pytest.raises(ValueError, match=message):
        SentenceTransformer(tiny("bert"), **settings).encode(["a"], "query")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "cls"}, "The setting pooling needs a transformer"),
        ({"bidirectional": True, "adapter": "a"}, "bidirectional and adapter .*StaticEmbedding"),
    ],
)
def test_settings_of_a_transformer_need_one(letters, settings, message):
    """Static embeddings have none, and encode without these settings only."""
    from sentence_transformers import SentenceTransformer as Model
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    static = Model(modules=[StaticEmbedding(letters.tokenizer, embedding_dim=4)], device="cpu")
    assert SentenceTransformer(static, precision="bf16").encode(["a"], "query").shape == (1, 4)
    with pytest.raises(ValueError, match=message):
        SentenceTransformer(static, **settings).encode(["a"], "query")


def test_a_model_without_a_pooler(tiny):
    """A model without a pooler raises with its name."""
    with pytest.raises(ValueError, match="has no pooler"):
        SentenceTransformer(tiny("t5"), pooling="pooler").encode(["a"], "query")
