"""Re-ranking and retrieval by models of whole documents."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import (
    DocumentRetriever,
    DocumentSimilarity,
    FacetQuery,
    Pool,
    TfIdfModel,
    TopicModel,
)
from pyterrier_scholarly.protocols import KRSTOVSKI_2016

MINI = "scholarly-mini"
FEW = dict(min_count=2, most_frequent=20)


@pytest.fixture(scope="module")
def topics():
    """A topic model of the embedded collection."""
    pytest.importorskip("tomotopy")
    return TopicModel(MINI, 5, iterations=50, **FEW)


@pytest.fixture(scope="module", params=["tfidf", "top", "topics"])
def model(request):
    """Each kind of model."""
    if request.param == "topics":
        return request.getfixturevalue("topics")
    return TfIdfModel(MINI, top=5 if request.param == "top" else None, **FEW)


@pytest.fixture
def asked():
    """The facet queries of the embedded collection."""
    dataset = pt.get_dataset(f"irds:{MINI}/all")
    return FacetQuery(dataset)(dataset.get_topics("query"))


def test_scores_are_the_models(model, asked):
    """The query paper's vector with each candidate's, ranked."""
    results = (Pool(f"{MINI}/all") >> DocumentSimilarity(model))(asked)
    expected = model.scores(results["query_docno"], results["docno"])
    assert results["score"].tolist() == expected.tolist()
    assert set(results["qid"]) == set(asked["qid"])
    for _, rows in results.groupby("qid"):
        assert rows["rank"].tolist() == list(range(len(rows)))
        assert (np.diff(rows["score"]) <= 0).all()


def test_a_query_does_not_feel_its_neighbours(model, asked):
    """A query has the same scores alone and among others."""
    pipeline = Pool(f"{MINI}/all") >> DocumentSimilarity(model)
    together, alone = pipeline(asked), pipeline(asked[3:4])
    same = together[together["qid"] == asked["qid"].iloc[3]].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, alone)


def test_texts_ask_too(model, asked):
    """By `query`: facets of one paper ask with their own words."""
    results = (Pool(f"{MINI}/all") >> DocumentSimilarity(model, by="query"))(asked)
    row = results.iloc[17]
    vector = model.of_texts([row["query"]])
    pair = np.array([[0, model.rows([row["docno"]])[0]]])
    assert row["score"] == pytest.approx(model.compare(vector, pair)[0])


def test_retrieval_ranks_the_collection(model, asked):
    """All documents except the asking one, with the scores of re-ranking; `num_results` cuts."""
    every = DocumentRetriever(model)(asked)
    assert len(every) == len(asked) * 47 and (every["docno"] != every["query_docno"]).all()
    again = DocumentSimilarity(model)(every)
    pd.testing.assert_frame_equal(every, again[every.columns], check_exact=False)
    cut = DocumentRetriever(model, num_results=3)(asked)
    pd.testing.assert_frame_equal(cut, every[every["rank"] < 3].reset_index(drop=True))


def test_documents_may_be_left_out_of_every_ranking(model, asked):
    """As the paper of rHSA ranks no query: the others keep their scores and their order."""
    queries = sorted(set(asked["query_docno"]))
    every = DocumentRetriever(model)(asked)
    others = every[~every["docno"].isin(queries)]
    found = DocumentRetriever(model, **KRSTOVSKI_2016.ranking(queries))(asked)
    assert len(found) == len(asked) * (48 - len(queries))
    columns = ["qid", "docno", "score"]
    pd.testing.assert_frame_equal(found[columns], others[columns].reset_index(drop=True))
    cut = DocumentRetriever(model, without=queries, num_results=3)(asked)
    pd.testing.assert_frame_equal(cut, found[found["rank"] < 3].reset_index(drop=True))
    with pytest.raises(ValueError, match="'nowhere'"):
        DocumentRetriever(model, without=["nowhere"])(asked)


def test_free_text_finds_its_paper(asked):
    """A text belongs to no document, so none is left out."""
    import ir_datasets

    paper = next(ir_datasets.load(MINI).docs_iter())
    search = DocumentRetriever(TfIdfModel(MINI, **FEW), by="query")
    found = search.search(paper.title)
    assert len(found) == 48 and found["docno"][0] == paper.doc_id


def test_an_unknown_document_is_told(model, asked):
    """Among candidates, and as the one that asks."""
    results = asked.head(1).assign(docno="nowhere")
    with pytest.raises(ValueError, match=r"1 documents are not among the 48 .*'nowhere'"):
        DocumentSimilarity(model)(results)
    with pytest.raises(ValueError, match="'nowhere'"):
        DocumentRetriever(model)(asked.head(1).assign(query_docno="nowhere"))


def test_wrong_columns_and_texts_are_told(model, asked):
    """A missing document, an empty text, topics twice, a column that cannot ask."""
    with pytest.raises(pt.validate.InputValidationError, match="query_docno names the document"):
        DocumentRetriever(model)(asked[["qid", "query"]])
    with pytest.raises(ValueError, match="a text that is not empty"):
        DocumentRetriever(model, by="query")(asked.assign(query=" "))
    with pytest.raises(ValueError, match="Duplicate qid"):
        DocumentRetriever(model)(pd.concat([asked, asked]))
    with pytest.raises(ValueError, match="by='docno': expected one of 'query_docno', 'query'"):
        DocumentSimilarity(model, by="docno")(asked)
