"""Late interaction, with a tiny random model and with vectors made by hand."""

import json
import math
import shutil
from itertools import product

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import MultiVector
from pyterrier_scholarly.transformers import FacetQuery, Pool, TfIdfScore, TokenMaxSim


class Tokens:
    """An encoder that knows some words; `seen` holds the texts of each call, by side."""

    def __init__(self, **vectors):
        self.vectors, self.seen = vectors, []

    def encode_tokens(self, texts, side):
        """A vector for each word; no row for an unknown one."""
        self.seen.append((side, list(texts)))
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
    """The cosines' maxima add up; vectors' lengths and unknown words do not count."""
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
    """It gets the lowest possible score: -m for m query tokens."""
    results = frame(("1", "east west", "none", text), ("1", "east west", "one", "east"))
    assert scores(TokenMaxSim(compass), results) == pytest.approx({"none": -2, "one": 0})


def test_every_distinct_text_is_encoded_once(compass):
    """Queries and documents may repeat."""
    rows = [
        (qid, query, f"{qid}{docno}", text)
        for qid, query in [("1", "east"), ("2", "north west"), ("3", "east")]
        for docno, text in enumerate(["east", "north south", "east", "west west", "", "south"])
    ]
    TokenMaxSim(compass)(frame(*rows))
    (asked, queries), (side, documents) = compass.seen
    assert (asked, queries) == ("query", ["east", "north west"])
    assert (side, sorted(documents)) == ("document", ["east", "north south", "south", "west west"])


def test_many_texts_are_encoded_in_pieces(compass):
    """Of 2,100 distinct texts at most 1,024 at a time, each once, with the formula's scores."""
    words = {"east": (1, 0), "north": (0, 1), "west": (-1, 0), "south": (0, -1)}
    texts = [" ".join(some) for some in product(words, repeat=6)][:2_100]
    rows = [
        (qid, q, qid + t, t) for qid, q in {"1": "east", "2": "west south"}.items() for t in texts
    ]
    expected = {
        docno: sum(
            max(np.dot(words[asked], words[word]) for word in text.split()) for asked in q.split()
        )
        for _, q, docno, text in rows
    }
    assert scores(TokenMaxSim(compass), frame(*rows)) == pytest.approx(expected)
    pieces = [texts for side, texts in compass.seen if side == "document"]
    assert [len(piece) for piece in pieces] == [1_024, 1_024, 52]
    assert sorted(text for piece in pieces for text in piece) == sorted(texts)


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
        with pytest.raises(pt.validate.InputValidationError, match=f"'{column}'"):
            TokenMaxSim(compass)(results.drop(columns=column))
    with pytest.raises(ValueError, match=r"'query'.*qid 1"):
        TokenMaxSim(compass)(results.assign(query=" "))
    with pytest.raises(ValueError, match=r"'text'.*docno a"):
        TokenMaxSim(compass)(results.assign(text=float("nan")))


def test_broken_vectors_are_named():
    """NaN, and arrays of another shape, raise an error."""
    results = frame(("1", "east", "a", "nowhere"))
    broken = Tokens(east=[1, 0], nowhere=[float("nan"), 0])
    with pytest.raises(ValueError, match=r"NaN or infinity .* first for 'nowhere'"):
        TokenMaxSim(broken)(results)
    broken.encode_tokens = lambda texts, side: [np.zeros(2)]
    with pytest.raises(ValueError, match=r"shape \(2,\); expected .* \(tokens, dimensions\)"):
        TokenMaxSim(broken)(results)


def test_what_gives_no_token_vectors():
    """A function of one vector per text is no encoder of tokens."""
    with pytest.raises(ValueError, match=r"no encoder of tokens.*MultiVectorEncoder"):
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


WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", ",", *"abcdefghq"]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A folder with a BERT of one layer whose words are letters."""
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 32}
    size["initializer_range"] = 0.5
    config = BertConfig(vocab_size=len(WORDS), num_hidden_layers=1, num_attention_heads=2, **size)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def own(bert, tmp_path_factory):
    """A late-interaction model as sentence-transformers saves it: no expansion, commas skipped."""
    import torch
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
    from sentence_transformers.sentence_transformer.modules import Normalize

    inside = {"module_input_name": "token_embeddings"}
    modules = [
        Transformer(str(bert)),
        Dense(16, 8, bias=False, activation_function=torch.nn.Identity(), **inside),
        MultiVectorMask(skiplist_words=[","]),
        Normalize(**inside),
    ]
    folder = tmp_path_factory.mktemp("own")
    prompts = {"query": "q ", "document": "d "}
    MultiVectorEncoder(modules=modules, prompts=prompts, device="cpu").save(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def stanford(bert, tmp_path_factory):
    """The same as ColBERTv2 is stored: weights of both in one file, queries filled up to eight."""
    import torch
    from safetensors.torch import load_file, save_file

    folder = tmp_path_factory.mktemp("stanford") / "model"
    shutil.copytree(bert, folder)
    weights = load_file(folder / "model.safetensors")
    weights = {f"bert.{name}": weight for name, weight in weights.items()}
    weights["linear.weight"] = torch.randn(8, 16)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "architectures": ["HF_ColBERT"]}))
    (folder / "artifact.metadata").write_text(json.dumps({"query_maxlen": 8, "doc_maxlen": 30}))
    return str(folder)


def by_hand(model, mark, text, length=0):
    """Token vectors of one text alone: of marker, tokens and, up to `length`, unattended masks."""
    import torch

    words = ["[CLS]", mark, *text.split(), "[SEP]"]
    attended = [1] * len(words) + [0] * (length - len(words))
    words += ["[MASK]"] * (length - len(words))
    tokens = torch.tensor([[WORDS.index(word) for word in words]])
    with torch.no_grad():
        states = model[0].auto_model(tokens, attention_mask=torch.tensor([attended]))
        rows = (states.last_hidden_state[0] @ model[1].linear.weight.T).tolist()
    return [(word, row) for word, row in zip(words, rows)]


def cosine(one, two):
    """Of two lists of numbers."""
    return sum(a * b for a, b in zip(one, two)) / math.hypot(*one) / math.hypot(*two)


def expected(model, marks, length, query, text):
    """The formula of [Khattab2020]; commas of documents do not count."""
    asked = by_hand(model, marks[0], query, length)
    there = [row for word, row in by_hand(model, marks[1], text) if word != ","]
    return sum(max(cosine(token, other) for other in there) for _, token in asked)


QUERIES = {"1": "a b", "2": "c"}
TEXTS = ["a b", "c , c", "e f g h a b c e f g h a b c", "h", "b , a , h"]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("kind", "marks", "length"),
    [("own", ("q", "d"), 0), ("stanford", ("[unused0]", "[unused1]"), 8)],
)
def test_a_model_scores_as_its_formula(kind, marks, length, request):
    """Whatever a text is batched with; given as a model or by name; in ColBERTv2's files too."""
    from sentence_transformers import MultiVectorEncoder

    folder = request.getfixturevalue(kind)
    model = MultiVectorEncoder(folder, device="cpu")
    rows = [(qid, q, f"{qid}/{text}", text) for qid, q in QUERIES.items() for text in TEXTS]
    formula = {row[2]: expected(model, marks, length, row[1], row[3]) for row in rows}
    assert len(set(formula.values())) == len(rows)
    for given in (MultiVector(model, batch_tokens=1), model, folder):
        found = scores(TokenMaxSim(given), frame(*rows))
        assert found == pytest.approx(formula, abs=1e-5)


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


@pytest.mark.torch
def test_tokens_are_kept_on_disk(own, tmp_path, monkeypatch):
    """Cached vectors need no model; each side has its own, and texts without tokens are cached.

    Another model finds nothing.
    """
    texts = ["a b", "", "c , d", "a b"]
    encoder = MultiVector(own, cache=tmp_path)
    before = encoder.encode_tokens(texts, "document"), encoder.encode_tokens(texts, "query")
    plain = MultiVector(own)
    for made, expected in zip(before[0], plain.encode_tokens(texts, "document"), strict=True):
        assert np.allclose(made, expected, atol=1e-6)
    for side in ("document", "query"):
        asked = f"sentence_transformers.MultiVectorEncoder.encode_{side}"
        monkeypatch.setattr(asked, lambda *_, **__: pytest.fail("asked a model"))
    again = encoder.encode_tokens(texts, "document"), encoder.encode_tokens(texts, "query")
    for side, other in zip(before, again, strict=True):
        assert len(side) == len(texts)
        assert all(np.array_equal(one, two) for one, two in zip(side, other, strict=True))
    elsewhere = shutil.copytree(own, tmp_path / "another")
    (elsewhere / "note.txt").write_text("not the same")
    with pytest.raises(pytest.fail.Exception, match="asked a model"):
        MultiVector(str(elsewhere), cache=tmp_path).encode_tokens(texts, "document")


@pytest.mark.torch
def test_a_model_may_be_trained_again(own, tmp_path):
    """In its folder: its files count as they are, with vectors on disk and without."""
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(own, tmp_path / "model")
    plain, kept = MultiVector(str(folder)), MultiVector(str(folder), cache=tmp_path / "cache")
    (before,), _ = plain.encode_tokens(["a b"], "query"), kept.encode_tokens(["a b"], "query")
    weights = load_file(folder / "model.safetensors")
    changed = {name: weight.flip(0).contiguous() for name, weight in weights.items()}
    save_file(changed, folder / "model.safetensors", metadata={"format": "pt"})
    (found,), (again,) = plain.encode_tokens(["a b"], "query"), kept.encode_tokens(["a b"], "query")
    assert not np.allclose(found, before, atol=1e-3)
    assert np.array_equal(found, again)


@pytest.mark.torch
def test_the_revision_whose_vectors_are_kept_is_loaded(own, tmp_path, monkeypatch):
    """A name counts by its commit, even after its branch moves."""
    import sentence_transformers

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    hub, commit = tmp_path / "hub" / "models--some--tokens", "1" * 40
    shutil.copytree(own, hub / "snapshots" / commit)
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text(commit)
    seen, made = [], sentence_transformers.MultiVectorEncoder
    monkeypatch.setattr(
        sentence_transformers,
        "MultiVectorEncoder",
        lambda *given, **more: seen.append(more["revision"]) or made(*given, **more),
    )
    MultiVector("some/tokens", cache=tmp_path / "cache").encode_tokens(["a"], "query")
    assert seen == [commit]
