"""CSFCube's pool methods as systems: neighbours of whole papers."""

import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.collect import make_pools
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.encoders import SentenceTransformer
from pyterrier_scholarly.recipes import pool_systems
from pyterrier_scholarly.recipes.pool_systems import Neighbours
from pyterrier_scholarly.transformers import FacetQuery

MINI = "scholarly-mini/method"
NAMES = [
    "title_tfidf",
    "title_cbow200",
    "title_tfidfcbow200",
    "abs_tfidf",
    "abs_cbow200",
    "abs_tfidfcbow200",
    "specter",
]


def lengths(texts):
    """Two numbers that are not of one direction."""
    return [[len(text), text.count("e") + 1] for text in texts]


@pytest.fixture
def topics():
    """The queries of the embedded collection, by their ids alone."""
    return pd.DataFrame({"qid": [query.query_id for query in irds(MINI).queries_iter()]})


def test_every_method_ranks_all_other_papers(topics):
    """Seven by the release's names; the query's own paper is never among its neighbours."""
    pytest.importorskip("gensim")
    systems = pool_systems(MINI, specter=lengths, num_results=1000)
    assert list(systems) == NAMES
    for system in systems.values():
        found = system(topics)
        assert found.groupby("qid").size().tolist() == [47] * len(topics)
        assert (found["docno"] != found["query_docno"]).all()
        assert found["rank"].tolist() == list(range(47)) * len(topics)


def test_their_runs_make_a_pool(topics):
    """What they give is what `make_pools` takes: 3 of each for every query."""
    systems = pool_systems(MINI, specter=lengths, num_results=47)
    chosen = {name: systems[name](topics) for name in ("title_tfidf", "abs_tfidf", "specter")}
    found = make_pools(chosen, 3)
    assert found.groupby("qid").size().tolist() == [9] * len(topics)


def test_tfidf_is_scikit_learns(topics):
    """The cosine of the abstracts' vectors, fitted on all of them."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    docs = list(irds(MINI).docs_iter())
    weights = TfidfVectorizer().fit_transform([doc.text for doc in docs]).toarray()
    row = {doc.doc_id: n for n, doc in enumerate(docs)}
    found = pool_systems(MINI, specter=None)["abs_tfidf"](topics)
    expected = [
        weights[row[one]] @ weights[row[two]]
        for one, two in zip(found["query_docno"], found["docno"])
    ]
    assert len(expected) == 47 * len(topics)
    np.testing.assert_allclose(found["score"], expected)


def test_specter_goes_by_distance():
    """Minus the distance of the vectors of title and abstract, joined by [SEP]."""
    docs = {doc.doc_id: doc for doc in irds(MINI).docs_iter()}
    paper = next(iter(docs))
    found = Neighbours(MINI, lengths, "{title}[SEP]{text}", "l2", 5)(
        pd.DataFrame({"qid": ["q"], "query_docno": [paper]})
    )
    ours = {key: np.array(lengths([f"{d.title}[SEP]{d.text}"])[0]) for key, d in docs.items()}
    expected = [-np.linalg.norm(ours[doc] - ours[paper]) for doc in found["docno"]]
    np.testing.assert_allclose(found["score"], expected, atol=1e-6)
    assert len(found) == 5 and found["score"].is_monotonic_decreasing


def test_zero_rows_and_an_unknown_paper():
    """No topics give no rows of the same columns; a paper of elsewhere is an error."""
    topics = pd.DataFrame({"qid": ["q"], "query_docno": ["elsewhere"]})
    system = Neighbours(MINI)
    assert list(system(topics.head(0)).columns) == ["qid", "query_docno", "docno", "score", "rank"]
    with pytest.raises(ValueError, match="has no document elsewhere"):
        system(topics)


def test_an_unknown_similarity():
    """Is an error, also of no topics."""
    topics = pd.DataFrame({"qid": ["q"], "query_docno": ["p"]})
    with pytest.raises(ValueError, match=r"'L2': expected one of 'cosine', 'dot', 'l2'"):
        Neighbours(MINI, similarity="L2")(topics.head(0))


@pytest.mark.torch
def test_a_model_that_was_trained_on_ranks_anew(tiny, topics):
    """The collection is encoded again where the model is not what it was."""
    torch = pytest.importorskip("torch")
    from sentence_transformers import SentenceTransformer as Model

    model = Model(tiny("bert"), device="cpu")
    topics = FacetQuery(MINI)(topics)
    system = Neighbours(MINI, SentenceTransformer(model))
    before = system(topics)["score"]
    torch.manual_seed(1)
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(torch.randn_like(weights))
    assert not np.allclose(system(topics)["score"], before)
