"""TF-IDF and Okapi BM25 over a dataset's documents."""

import math

import pandas as pd
import pytest

from pyterrier_scholarly.transformers import OkapiBM25Score, TfIdfScore

RESULTS = pd.DataFrame(
    {"qid": ["1"] * 3, "query": ["pruned trees"] * 3, "docno": ["c", "a", "b"], "rank": [0, 1, 2]}
)
EACH = pytest.mark.parametrize("scorer", [TfIdfScore, OkapiBM25Score])


def scores(transformer, query="pruned trees"):
    """Score by document."""
    out = transformer(RESULTS.assign(query=query))
    return dict(zip(out["docno"], out["score"]))


def test_tfidf_by_hand(papers):
    """Cosine of query and b ("trees are pruned"), idf = 1 + ln((1 + 3) / (1 + df)) with df 2.

    Of three documents a and b have each of the three words, so idf is one and the same and cancels:
    cos((1, 1, 0), (1, 1, 1)) = 2 / (sqrt 2 * sqrt 3).
    """
    assert scores(TfIdfScore(papers))["b"] == pytest.approx(2 / math.sqrt(6))


def test_bm25_by_hand(papers):
    """Words in more than half of the documents get a quarter of the mean idf.

    Of three documents (15, 3 and 0 words, 6 on average) trees, pruned and are occur in a and b:
    idf = ln(1.5 / 2.5) < 0; the other 9 words occur in a alone: ln(2.5 / 1.5).
    """
    mean = (9 * math.log(2.5 / 1.5) + 3 * math.log(1.5 / 2.5)) / 12
    weight = 2.5 / (1 + 1.5 * (0.25 + 0.75 * 3 / 6))
    assert scores(OkapiBM25Score(papers))["b"] == pytest.approx(2 * 0.25 * mean * weight)


@EACH
def test_the_pool_changes_no_score(papers, scorer):
    """Fitted on the collection, a document's score does not depend on its neighbours."""
    whole = scores(scorer(papers))
    alone = scorer(papers)(RESULTS[RESULTS["docno"] == "b"])
    assert alone["score"].tolist() == pytest.approx([whole["b"]])


@EACH
def test_ranking(papers, scorer):
    """Rows go by rank; what shares no word with the query, or has no text, scores 0."""
    out = scorer(papers)(RESULTS)
    assert out["rank"].tolist() == [0, 1, 2]
    assert out["docno"].tolist()[-1] == "c"
    assert scores(scorer(papers), "unseen") == {"a": 0, "b": 0, "c": 0}


@EACH
def test_equal_scorers_share_a_fit(papers, docs, monkeypatch, scorer):
    """The documents are read once, also for a second instance."""
    reads = []
    monkeypatch.setattr(docs, "docs_iter", lambda: reads.append(1) or iter(docs.records.values()))
    scorer(papers)(RESULTS)
    scorer(papers)(RESULTS)
    assert len(reads) == 1


@EACH
def test_bad_input(papers, scorer):
    """Unknown documents and empty queries are named."""
    with pytest.raises(ValueError, match="no document z"):
        scorer(papers)(RESULTS.assign(docno=["a", "b", "z"]))
    with pytest.raises(ValueError, match=r"'query'.* qid 1"):
        scorer(papers)(RESULTS.assign(query=""))


def test_tfidf_fitted_on_the_pool_by_hand(papers):
    """In the pool of a and b each shared word has idf 1: cos((1, 1, 0), (1, 1, 1)) for b again.

    On the collection of three, b's cosine is the same because its words are equally frequent; a's
    differs, for its other nine words weigh 1 + ln(4 / 2) there and 1 + ln(3 / 2) in the pool, those
    shared 1 + ln(4 / 3) and 1.
    """
    pool = RESULTS[RESULTS["docno"] != "c"].assign(query="pruned trees")
    out = TfIdfScore(papers, fitted_on="pool")(pool)
    fitted = dict(zip(out["docno"], out["score"]))
    assert fitted["b"] == pytest.approx(2 / math.sqrt(6))
    assert fitted["a"] != pytest.approx(scores(TfIdfScore(papers))["a"])


@EACH
def test_a_pool_changes_scores_where_it_is_fitted_on(papers, scorer):
    """Fitted on the pool, a document's score depends on its neighbours; the setting is checked."""
    whole = scorer(papers, fitted_on="pool")(RESULTS)
    part = scorer(papers, fitted_on="pool")(RESULTS[RESULTS["docno"] != "c"])
    score = whole.set_index("docno")["score"]
    assert part["score"].tolist() != pytest.approx(score[part["docno"]].tolist())
    assert scorer(papers) != scorer(papers, fitted_on="pool")
    with pytest.raises(ValueError, match="'pools': expected 'collection' or 'pool'"):
        scorer(papers, fitted_on="pools")(RESULTS)
