"""Late interaction, with a tiny random model and with vectors made by hand."""

import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.transformers import FacetQuery, Pool, TfIdfScore, TokenMaxSim, token_maxsim


class Tokens:
    """An encoder that knows some words; `seen` holds the texts of each call, by side."""

    def __init__(self, **vectors):
        self.vectors, self.seen = vectors, []

    def encode_query_tokens(self, texts):
        """A vector for each word; no row for an unknown one."""
        self.seen.append(("query", list(texts)))
        return self._rows(texts)

    def encode_document_tokens(self, texts):
        """The same."""
        self.seen.append(("document", list(texts)))
        return self._rows(texts)

    def _rows(self, texts):
        found = [[self.vectors[w] for w in text.split() if w in self.vectors] for text in texts]
        return [np.array(rows, dtype=float).reshape(-1, 2) for rows in found]


@pytest.fixture
def compass():
    """Four words in four directions, of different lengths."""
    return Tokens(east=[1, 0], north=[0, 3], west=[-2, 0], south=[0, -1], northeast=[5, 5])


def frame(*rows):
    """Results of (qid, query, docno, text)."""
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "text"])


def scores(transformer, results):
    """Score by document."""
    return transformer(results).set_index("docno")["score"].to_dict()


def test_each_query_token_finds_its_best(compass):
    """The cosines' maxima add up; lengths of vectors do not count, nor unknown words."""
    results = frame(
        ("1", "east north", "both", "north unheard east"),
        ("1", "east north", "between", "northeast south"),
        ("1", "east north", "behind", "west"),
    )
    out = scores(TokenMaxSim(compass), results)
    assert out["both"] == pytest.approx(1 + 1)
    assert out["between"] == pytest.approx(2 * math.cos(math.pi / 4))
    assert out["behind"] == pytest.approx(-1 + 0)


def test_nothing_wins_over_negative_cosines(compass):
    """Beside longer documents, a document whose cosines are all negative stays negative."""
    results = frame(
        ("1", "east east", "short", "west"),
        ("1", "east east", "long", "south south south south west"),
    )
    assert scores(TokenMaxSim(compass), results) == pytest.approx({"short": -2, "long": 0})


@pytest.mark.parametrize("text", ["", " ", "unheard"])
def test_a_document_without_tokens_is_last(compass, text):
    """It gets the lowest score that there is: -m for m query tokens."""
    results = frame(("1", "east west", "none", text), ("1", "east west", "one", "east"))
    assert scores(TokenMaxSim(compass), results) == pytest.approx({"none": -2, "one": 0})


def test_every_distinct_text_is_encoded_once(compass, monkeypatch):
    """Over queries and documents that repeat, in pieces too, with the same scores."""
    rows = [
        (qid, query, f"{qid}{docno}", text)
        for qid, query in [("1", "east"), ("2", "north west"), ("3", "east")]
        for docno, text in enumerate(["east", "north south", "east", "west west", "", "south"])
    ]
    whole = scores(TokenMaxSim(compass), frame(*rows))
    assert len(compass.seen) == 2
    monkeypatch.setattr(token_maxsim, "CHUNK", 2)
    compass.seen.clear()
    assert scores(TokenMaxSim(compass), frame(*rows)) == whole
    documents = [text for side, texts in compass.seen for text in texts if side == "document"]
    assert sorted(documents) == ["east", "north south", "south", "west west"]
    assert compass.seen[0] == ("query", ["east", "north west"])


def test_several_columns_are_one_text(compass):
    """Title and text, joined; an empty title leaves no blank."""
    results = frame(("1", "east", "a", "west"), ("1", "east", "b", "west"))
    results = results.assign(title=["east", ""])
    step = TokenMaxSim(compass, ("title", "text"))
    assert scores(step, results) == pytest.approx({"a": 1, "b": -1})
    assert compass.seen[1] == ("document", ["west", "east west"])


def test_rows_come_back_ranked(compass):
    """By query and rank, other columns beside them."""
    results = frame(("1", "east", "a", "west"), ("1", "east", "b", "east")).assign(more=[1, 2])
    out = TokenMaxSim(compass)(results)
    assert out[["docno", "rank", "more"]].values.tolist() == [["b", 0, 2], ["a", 1, 1]]


def test_bad_input_is_named(compass):
    """Missing columns, empty queries, texts that are NaN."""
    results = frame(("1", "east", "a", "west"))
    for column in ("query", "text"):
        with pytest.raises(pt.validate.InputValidationError, match=rf"text loader.*'{column}'"):
            TokenMaxSim(compass)(results.drop(columns=column))
    with pytest.raises(ValueError, match=r"'query'.*qid 1"):
        TokenMaxSim(compass)(results.assign(query=" "))
    with pytest.raises(ValueError, match=r"'text'.*docno a"):
        TokenMaxSim(compass)(results.assign(text=float("nan")))


def test_broken_vectors_are_named():
    """NaN is an error that shows the text; so are arrays of another shape."""
    results = frame(("1", "east", "a", "nowhere"))
    broken = Tokens(east=[1, 0], nowhere=[float("nan"), 0])
    with pytest.raises(ValueError, match="NaN or infinity, first for 'nowhere'"):
        TokenMaxSim(broken)(results)
    broken.encode_document_tokens = lambda texts: [np.zeros(2)]
    with pytest.raises(ValueError, match=r"shapes \[\(2,\)\] for 1 texts"):
        TokenMaxSim(broken)(results)


def test_what_gives_no_token_vectors():
    """A function of one vector per text is no encoder of tokens."""
    with pytest.raises(ValueError, match=r"no vectors of tokens.*MultiVectorEncoder"):
        TokenMaxSim(len)(frame(("1", "east", "a", "west")))


def test_behind_our_pipelines(mini):
    """Pool, FacetQuery and a text loader give all it needs; its score adds to others'."""
    dataset = pt.get_dataset(f"irds:{mini}")
    letters = Tokens(the=[1, 0], of=[0, 1], we=[1, 1])
    topics = dataset.get_topics("query")
    candidates = (Pool(mini) >> FacetQuery(mini) >> dataset.text_loader(["title", "text"]))(topics)
    tokens, words = TokenMaxSim(letters, ("title", "text")), TfIdfScore(mini)
    each = [step(candidates).set_index(["qid", "docno"])["score"] for step in (tokens, words)]
    total = (tokens + words)(candidates).set_index(["qid", "docno"])["score"]
    assert each[0].notna().all() and each[0].nunique() > 2
    pd.testing.assert_series_equal(total.sort_index(), (each[0] + each[1]).sort_index())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A folder with a late-interaction model: BERT of one layer over letters, 8 dimensions."""
    torch = pytest.importorskip("torch")
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from sentence_transformers.sentence_transformer.modules import Normalize
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "q", "d", ",", *"abcefgh"]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 32}
    size["initializer_range"] = 0.5
    config = BertConfig(vocab_size=len(words), num_hidden_layers=1, num_attention_heads=2, **size)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    inside = {"module_input_name": "token_embeddings"}
    modules = [
        Transformer(str(folder)),
        Dense(16, 8, bias=False, activation_function=torch.nn.Identity(), **inside),
        MultiVectorMask(skiplist_words=[","]),
        Normalize(**inside),
    ]
    prompts = {"query": "q ", "document": "d "}
    made = tmp_path_factory.mktemp("model")
    MultiVectorEncoder(modules=modules, prompts=prompts, device="cpu").save(str(made))
    return str(made)


def by_hand(model, prompt, text):
    """Token vectors of one text alone, out of the model's parts: no batch, no padding, no mask."""
    import torch

    made = model.tokenizer(prompt + text)["input_ids"]
    with torch.no_grad():
        states = model[0].auto_model(torch.tensor([made])).last_hidden_state[0]
        rows = (states @ model[1].linear.weight.T).tolist()
    comma = model.tokenizer.convert_tokens_to_ids(",")
    return [row for row, token in zip(rows, made) if prompt == "q " or token != comma]


def cosine(one, two):
    """Of two lists of numbers."""
    return sum(a * b for a, b in zip(one, two)) / math.hypot(*one) / math.hypot(*two)


QUERIES = {"1": "a b", "2": "c"}
TEXTS = ["a b", "c , c", "e f g h a b c e f g h a b c", "h", "b , a , h"]


@pytest.mark.torch
@pytest.mark.parametrize("batch_size", [1, 3, 32])
def test_a_model_scores_as_its_formula(tiny, batch_size):
    """Sum over query tokens of the largest cosine, whatever a text is batched with."""
    from sentence_transformers import MultiVectorEncoder

    model = MultiVectorEncoder(tiny, device="cpu")
    rows = [(qid, q, f"{qid}/{text}", text) for qid, q in QUERIES.items() for text in TEXTS]
    expected = {}
    for _, query, docno, text in rows:
        asked, there = by_hand(model, "q ", query), by_hand(model, "d ", text)
        expected[docno] = sum(max(cosine(token, other) for other in there) for token in asked)
    assert min(expected.values()) < 0 or len(set(expected.values())) == len(rows)
    for given in (model, tiny):
        found = scores(TokenMaxSim(given, batch_size=batch_size), frame(*rows))
        assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.torch
def test_a_model_that_is_not_there(monkeypatch):
    """The error says what to download, and how it goes without network."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(OSError, match=r"'no-such/colbert' cannot be loaded(.|\n)*hf download"):
        TokenMaxSim("no-such/colbert")(frame(("1", "a", "a", "b")))


def test_sentence_transformers_missing(monkeypatch):
    """Without the library, the error names the extra that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        TokenMaxSim("no-such/model")(frame(("1", "a", "a", "b")))
