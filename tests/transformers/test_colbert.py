"""pyterrier_colbert behind our pool, by its interface, because no package index has it.

The stand-in keeps to what its `ranking.ColBERTModelOnlyFactory` promises: `text_scorer` needs
`qid`, `query`, `docno` and `text`, and gives a new frame of `qid`, `query`, `docno`, `score` and
`rank` alone. What the scores are does not matter here.
"""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.transformers import (
    FacetMiss,
    FacetQuery,
    PaperLoader,
    Pool,
    TfIdfScore,
)

GIVEN = ["qid", "query", "docno", "score", "rank"]


class ColBERTModelOnlyFactory:
    """The part of the interface that re-ranks texts; words in common stand in for the model."""

    def text_scorer(self, query_encoded=False, doc_attr="text", verbose=False):
        """A transformer that scores a column of texts, query by query."""

        def score(results):
            rows = []
            for qid, own in results.groupby("qid"):
                query = own["query"].iloc[0]
                common = [len({*query.split()} & {*text.split()}) for text in own[doc_attr]]
                ranking = sorted(zip(common, own["docno"]), key=lambda pair: -pair[0])
                rows += [(qid, query, docno, float(s), r) for r, (s, docno) in enumerate(ranking)]
            return pd.DataFrame(rows, columns=GIVEN)

        return pt.apply.generic(score)


@pytest.fixture
def dataset(mini):
    """The embedded collection."""
    return pt.get_dataset(f"irds:{mini}")


@pytest.fixture
def topics(dataset):
    """Two of its topics."""
    return dataset.get_topics("query").head(2)


@pytest.fixture
def candidates(mini, dataset):
    """Each query's pool with texts."""
    return Pool(mini) >> FacetQuery(mini) >> dataset.text_loader("text")


@pytest.fixture
def colbert():
    """The scorer."""
    return ColBERTModelOnlyFactory().text_scorer()


def by_document(results):
    """Scores in a fixed order."""
    return results.set_index(["qid", "docno"])["score"].sort_index()


def test_it_ranks_the_whole_pool(candidates, colbert, mini, topics):
    """Every candidate gets a score and a rank from our steps' and a text loader's columns."""
    out = (candidates >> colbert)(topics)
    assert list(out.columns) == GIVEN
    pool = Pool(mini)(topics)
    assert set(zip(out["qid"], out["docno"])) == set(zip(pool["qid"], pool["docno"]))


def test_our_steps_follow_it(candidates, colbert, mini, topics):
    """The columns that it drops are put back by qid and docno: the penalty needs the facet."""
    plain = by_document((candidates >> colbert)(topics))
    put_back = FacetQuery(mini) >> PaperLoader(mini)
    out = (candidates >> colbert >> put_back >> FacetMiss(100))(topics)
    facets = {"background": {"background", "objective"}, "method": {"method"}, "result": {"result"}}
    rows = zip(out["facet"], out["paper"])
    missing = [not facets[facet] & set(paper.labels) for facet, paper in rows]
    out = out.assign(score=out["score"] + [100 if miss else 0 for miss in missing])
    assert 0 < sum(missing) < len(out)
    pd.testing.assert_series_equal(by_document(out), plain)


def test_it_adds_to_our_scores(candidates, colbert, mini, topics):
    """PyTerrier's operators combine it with our scorers."""
    both = by_document((candidates >> (colbert + 0.5 * TfIdfScore(mini)))(topics))
    one = by_document((candidates >> colbert)(topics))
    other = by_document((candidates >> TfIdfScore(mini))(topics))
    pd.testing.assert_series_equal(both, one + 0.5 * other)


def test_it_scores_sentences_of_the_facet(candidates, mini, topics):
    """Any column of texts is scored: here the candidate's sentences of the query's facet."""

    def join_counted(row):
        return " ".join(row["paper"].only(row["sentence_ids"]).sentences)

    joined = pt.apply.facet_text(join_counted)
    scorer = ColBERTModelOnlyFactory().text_scorer(doc_attr="facet_text")
    out = (candidates >> PaperLoader(mini, facet_only=True) >> joined >> scorer)(topics)
    assert (by_document(out) <= by_document((candidates >> scorer_of_text())(topics))).all()


def scorer_of_text():
    """The scorer over whole texts, which have all the words that their sentences have."""
    return ColBERTModelOnlyFactory().text_scorer()


def test_it_runs_in_an_experiment(candidates, colbert, mini, dataset):
    """Beside our scorers, on the candidates that they share."""
    systems = {"colbert": candidates >> colbert, "tf-idf": candidates >> TfIdfScore(mini)}
    table = pt.Experiment(
        list(systems.values()),
        dataset.get_topics("query"),
        dataset.get_qrels(),
        ["NDCG%20"],
        names=list(systems),
    )
    assert table["name"].tolist() == ["colbert", "tf-idf"]
    assert table["NDCG%20"].between(0, 1).all()
