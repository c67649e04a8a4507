"""With neural models: tiny random ones made here, in their real architectures."""

import os

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import as_encoder, vectors
from pyterrier_scholarly.transformers import FacetQuery, Pool, SentenceMaxSim, Sentences

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
    return (Pool(mini) >> FacetQuery(mini) >> Sentences(mini))(pd.DataFrame({"qid": qids}))


def scores(transformer, frame):
    """Score by query and document."""
    out = transformer(frame)
    return out.set_index(["qid", "docno"])["score"].sort_index()


def test_a_model_its_name_and_its_function_agree(tiny_bert, results):
    """Whatever way a model is given, the scores are those of its vectors."""
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
    assert not encoder.symmetric
    assert np.allclose(vectors(encoder.encode_queries, ["tree"]), model.encode(["ask tree"]))
    assert np.allclose(vectors(encoder.encode_documents, ["tree"]), model.encode(["tree"]))


def test_a_pyterrier_dr_scorer_behind_the_pool(tiny_bert, results):
    """It takes our frames as they are, `query` and `text`, and ranks every candidate."""
    import pyterrier_dr

    texts = results.assign(text=results["sentences"].map(" ".join))
    out = pyterrier_dr.SBertBiEncoder(tiny_bert, device="cpu").text_scorer()(texts)
    assert len(out) == len(results)
    assert out["score"].notna().all()


def test_mono_t5_behind_the_pool(tiny_t5, results):
    """So does MonoT5; its scores are logarithms of probabilities."""
    from pyterrier_t5 import MonoT5ReRanker

    texts = results.assign(text=results["sentences"].map(" ".join))
    out = MonoT5ReRanker(tok_model=tiny_t5, model=tiny_t5, device="cpu", verbose=False)(texts)
    assert len(out) == len(results)
    assert (out["score"] <= 0).all()
    assert out["score"].nunique() > 10
