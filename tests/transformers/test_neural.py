"""Neural models: tiny random ones made here, in their real architectures."""

import os

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import SparseEncoder
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import as_encoder, vectors
from pyterrier_scholarly.transformers import (
    CrossEncoderScore,
    FacetQuery,
    PaperLoader,
    Pool,
    SentenceMaxSim,
    TextSimilarity,
)

pytestmark = pytest.mark.torch

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="session", autouse=True)
def _offline():
    before = os.environ.get("HF_HUB_OFFLINE")
    os.environ["HF_HUB_OFFLINE"] = "1"
    yield
    if before is None:
        del os.environ["HF_HUB_OFFLINE"]


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
    """A folder with a sentence-transformers model: BERT of one layer over letters."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*special, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 128}
    config = BertConfig(vocab_size=len(words), num_hidden_layers=1, num_attention_heads=2, **size)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=128).save_pretrained(folder)
    made = tmp_path_factory.mktemp("model")
    SentenceTransformer(str(folder), device="cpu").save(str(made))
    return str(made)


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory):
    """A folder with a T5 of one layer that knows true, false and a few letters."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    folder = tmp_path_factory.mktemp("t5")
    words = ["<pad>", "</s>", "<unk>", "▁true", "▁false", "▁", *LETTERS]
    T5Tokenizer(vocab=[(word, 0.0) for word in words], extra_ids=0).save_pretrained(folder)
    torch.manual_seed(0)
    size = {"d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    config = T5Config(vocab_size=len(words), decoder_start_token_id=0, n_positions=512, **size)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def results(mini):
    """Candidates with sentences for two queries of the embedded collection."""
    qids = [query.query_id for query in irds(mini).queries_iter()][:2]
    return (Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini))(pd.DataFrame({"qid": qids}))


def scores(transformer, frame):
    """Score by query and document."""
    out = transformer(frame)
    return out.set_index(["qid", "docno"])["score"].sort_index()


def test_a_model_its_name_and_its_function_agree(tiny_bert, results):
    """A model passed in any form gives the scores of its vectors."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(tiny_bert, device="cpu")
    expected = scores(SentenceMaxSim(model.encode, batch_size=10**6), results)
    assert expected.nunique() > 10
    assert scores(SentenceMaxSim(tiny_bert), results).values == pytest.approx(expected.values)
    assert scores(SentenceMaxSim(model), results).values == pytest.approx(expected.values)


def test_a_pyterrier_dr_encoder_agrees_with_its_model(tiny_bert, results):
    """Its query and document sides, where both are the same model."""
    import pyterrier_dr

    encoder = pyterrier_dr.SBertBiEncoder(tiny_bert, device="cpu")
    expected = scores(SentenceMaxSim(tiny_bert), results)
    assert scores(SentenceMaxSim(encoder), results).values == pytest.approx(expected.values)
    assert SentenceMaxSim(encoder) == SentenceMaxSim(encoder)


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_the_batch_size_changes_no_score(tiny_bert, results, batch_size):
    """Beyond rounding in padded batches."""
    expected = scores(SentenceMaxSim(tiny_bert), results)
    found = scores(SentenceMaxSim(tiny_bert, batch_size=batch_size), results)
    assert found.values == pytest.approx(expected.values, abs=1e-5)


def test_prompts_of_a_model_are_used(tiny_bert):
    """A model's own prompt for queries is put before them, and not before documents."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(tiny_bert, device="cpu", prompts={"query": "ask ", "document": ""})
    encoder = as_encoder(model)
    assert np.allclose(vectors(encoder, ["tree"], "query"), model.encode(["ask tree"]))
    assert np.allclose(vectors(encoder, ["tree"]), model.encode(["tree"]))


def test_a_pyterrier_dr_scorer_behind_the_pool(tiny_bert, results):
    """It takes our frames' `query` and `text`, and ranks every candidate."""
    import pyterrier_dr

    texts = results.assign(text=[paper.text for paper in results["paper"]])
    out = pyterrier_dr.SBertBiEncoder(tiny_bert, device="cpu").text_scorer()(texts)
    assert len(out) == len(results)
    assert out["score"].notna().all()


@pytest.fixture
def pool(mini):
    """From topics to three candidates of each, with texts, and two topics."""
    dataset = pt.get_dataset(f"irds:{mini}")
    query = Pool(mini) % 3 >> FacetQuery(mini)
    return query >> dataset.text_loader(["title", "text"]), dataset.get_topics("query").head(2)


def t5(cls, folder):
    """A pyterrier_t5 re-ranker of that class."""
    return cls(tok_model=folder, model=folder, device="cpu", verbose=False)


def mono_scores(folder, rows):
    """MonoT5: the logarithm of how likely *true* is beside *false* [Nogueira2020]."""
    import torch
    from transformers import T5ForConditionalGeneration, T5Tokenizer

    tokenizer = T5Tokenizer.from_pretrained(folder)
    model = T5ForConditionalGeneration.from_pretrained(folder).eval()
    words = [tokenizer.encode(word)[0] for word in ("true", "false")]
    scores = []
    for row in rows.itertuples():
        text = f"Query: {row.query} Document: {row.text} Relevant:"
        read = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            logits = model(**read, decoder_input_ids=torch.zeros(1, 1, dtype=torch.long)).logits
        scores.append(torch.log_softmax(logits[0, 0, words], dim=0)[0].item())
    return scores


def test_mono_t5_behind_the_pool(tiny_t5, pool):
    """It ranks our candidates by their texts; its scores are logarithms of probabilities."""
    from pyterrier_t5 import MonoT5ReRanker

    candidates, topics = pool
    rows = candidates(topics).assign(text="a tree", query="tree")
    rerank = pt.Transformer.from_df(rows) >> t5(MonoT5ReRanker, tiny_t5)
    assert rerank(topics)["score"].tolist() == pytest.approx(mono_scores(tiny_t5, rows), abs=1e-4)
    out = (candidates >> t5(MonoT5ReRanker, tiny_t5))(topics)
    assert len(out) == 6
    assert (out["score"] < 0).all()
    assert out.groupby("qid")["score"].nunique().eq(3).all()


def test_duo_t5_behind_mono_t5(tiny_t5, pool):
    """It compares each pair of the candidates both ways: of n, 2(n - 1) numbers make a score.

    A comparison's score s counts as s for one and 1 - s for the other, so that each query's scores
    add up to the number of its comparisons, n (n - 1).
    """
    from pyterrier_t5 import DuoT5ReRanker, MonoT5ReRanker

    candidates, topics = pool
    mono = candidates >> t5(MonoT5ReRanker, tiny_t5)
    out = (mono >> t5(DuoT5ReRanker, tiny_t5))(topics)
    assert sorted(zip(out["qid"], out["docno"])) == sorted(
        zip(mono(topics)["qid"], mono(topics)["docno"])
    )
    assert out.groupby("qid")["score"].sum().tolist() == pytest.approx([3 * 2] * 2)
    assert out.groupby("qid")["rank"].agg(sorted).tolist() == [[0, 1, 2]] * 2


def test_a_cross_encoder_behind_the_pool(tiny, pool, mini):
    """By its name and as an object, over texts; and by the sentences of the facet, their mean."""
    from sentence_transformers import CrossEncoder

    candidates, topics = pool
    model = CrossEncoder(tiny("cross"), device="cpu")
    out = (candidates >> CrossEncoderScore(tiny("cross")))(topics)
    pairs = [(row.query, f"{row.title} {row.text}") for row in out.itertuples()]
    logits = model.predict(pairs, activation_fn=lambda scores: scores)
    assert out["score"].values == pytest.approx(logits, abs=1e-5)
    same = (candidates >> CrossEncoderScore(model))(topics)
    assert same["score"].values == pytest.approx(logits, abs=1e-5)
    by_sentence = (candidates >> CrossEncoderScore(model, sentences=True))(topics)
    means = [
        model.predict(
            [
                (row.query_paper.sentences[position], f"{row.title} {row.text}")
                for position in row.query_sentence_ids
            ],
            activation_fn=lambda scores: scores,
        ).mean()
        for row in by_sentence.itertuples()
    ]
    assert by_sentence["score"].values == pytest.approx(means, abs=1e-5)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_splade_behind_the_pool(tiny, pool, similarity):
    """Whole texts, by the model's dot product or, as in DORIS-MAE, by cosines."""
    candidates, topics = pool
    encoder = SparseEncoder(tiny("masked"))
    out = (candidates >> TextSimilarity(encoder, similarity=similarity))(topics)
    queries = encoder.encode(list(out["query"]), "query").toarray()
    texts = [f"{row.title} {row.text}" for row in out.itertuples()]
    documents = encoder.encode(texts, "document").toarray()
    expected = (queries * documents).sum(axis=1)
    lengths = np.linalg.norm(queries, axis=1) * np.linalg.norm(documents, axis=1)
    expected = {"dot": expected, "cosine": expected / lengths}[similarity]
    assert out["score"].values == pytest.approx(expected, rel=1e-4)


def test_splade_by_sentences(tiny, results):
    """Max-sim of sparse vectors is that of the same vectors, dense."""
    encoder = SparseEncoder(tiny("masked"))
    dense = scores(SentenceMaxSim(lambda texts: encoder.encode(texts, "query").toarray()), results)
    assert scores(SentenceMaxSim(encoder), results).values == pytest.approx(dense.values, abs=1e-5)
    assert dense.nunique() > 10
