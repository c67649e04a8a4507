"""Candidates of topics, restrictions of results, coverage of runs."""

import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.transformers import Pool

CANDIDATES = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"]})


@pytest.fixture
def topics():
    """Two topics in another order than their candidates."""
    return pd.DataFrame({"qid": ["2", "1"], "query": ["two", "one"]})


@pytest.fixture
def results():
    """A retriever's: for topic 1 candidate b above an outsider, for topic 2 an outsider alone."""
    return pd.DataFrame(
        {
            "qid": ["1", "1", "2"],
            "query": ["one", "one", "two"],
            "docid": [7, 8, 8],
            "docno": ["b", "x", "x"],
            "score": [3.0, -2.0, 5.0],
            "rank": [0, 1, 0],
        }
    )


def rows(frame, *columns):
    """Rows as tuples."""
    return list(frame[list(columns)].itertuples(index=False, name=None))


def test_candidates_of_topics(topics):
    """Topics in their order with all columns, candidates in the source's; score 0 without one."""
    assert rows(Pool(CANDIDATES)(topics), "qid", "query", "docno", "score", "rank") == [
        ("2", "two", "c", 0.0, 0),
        ("1", "one", "a", 0.0, 0),
        ("1", "one", "b", 0.0, 1),
    ]


def test_candidates_of_a_dataset(papers, judged):
    """Its scoreddocs with their scores; without any, the documents of its qrels."""
    topics = pd.DataFrame({"qid": ["q1"]})
    assert rows(Pool(papers)(topics), "docno", "score") == [("c", 2.0), ("b", 0.5)]
    assert rows(Pool(judged)(topics), "docno", "score") == [("c", 0.0), ("b", 0.0)]


def test_a_paper_is_no_candidate_of_itself(topics, results):
    """The query's own paper is left out of pools, restrictions and coverage."""
    pool = Pool(CANDIDATES)
    own = topics.assign(query_docno=["z", "b"])
    assert rows(pool(own), "qid", "docno") == [("2", "c"), ("1", "a")]
    own = results[:2].assign(query_docno="b")
    assert rows(pool.restrict()(own), "docno") == []
    assert rows(pool.restrict("append")(own), "docno") == [("a",)]
    assert rows(pool.coverage(own), "qid", "pool", "ranked") == [("1", 1, 0), ("2", 1, 0)]


def test_restriction_drops_what_is_outside(results):
    """And ranks start at 0 again."""
    out = Pool(CANDIDATES).restrict()(results.iloc[::-1])
    assert rows(out, "qid", "docno", "score", "rank") == [("1", "b", 3.0, 0)]
    assert list(out.columns) == ["qid", "query", "docid", "docno", "score", "rank"]


def test_restriction_appends_what_was_missed(results):
    """Last, below the query's lowest score: -2 - 1 - |-2|, and 5 - 1 - |5|; with the query."""
    out = Pool(CANDIDATES).restrict(missing="append")(results)
    assert rows(out, "qid", "query", "docno", "score", "rank") == [
        ("1", "one", "b", 3.0, 0),
        ("1", "one", "a", -5.0, 1),
        ("2", "two", "c", -1.0, 0),
    ]
    assert "docid" not in out.columns


def test_appended_rows_have_all_that_belongs_to_the_query(results):
    """Lists too; what belongs to a document is empty."""
    full = results.assign(query_sentence_ids=[[1]] * 3, facet="method", text="…")
    out = Pool(CANDIDATES).restrict("append")(full).set_index("docno")
    assert out.loc["a", "query_sentence_ids"] == [1]
    assert out.loc["a", "facet"] == "method"
    assert out["text"].isna().to_dict() == {"b": False, "a": True, "c": True}


def test_a_large_score_does_not_swallow_the_distance(results):
    """Appended documents are below the others even if rounding loses the 1."""
    out = Pool(CANDIDATES).restrict("append")(results.assign(score=-1e20))
    assert rows(out[out["qid"] == "1"], "docno", "rank") == [("b", 0), ("a", 1)]
    assert out["score"].nunique() == 2


def test_a_query_without_results_stays_without(results):
    """A query without results cannot be restored; coverage shows it."""
    pool = Pool(CANDIDATES)
    out = pool.restrict("append")(results[:2])
    assert set(out["qid"]) == {"1"}
    assert rows(pool.coverage(out), "qid", "pool", "ranked", "coverage") == [
        ("1", 2, 2, 1.0),
        ("2", 1, 0, 0.0),
    ]


def test_coverage_counts_candidates_once(results):
    """One of two for topic 1, however often it is ranked; outsiders count for nothing."""
    counted = Pool(CANDIDATES).coverage(pd.concat([results, results]))
    assert rows(counted, "qid", "pool", "ranked", "coverage") == [
        ("1", 2, 1, 0.5),
        ("2", 1, 0, 0.0),
    ]


def test_topics_without_candidates(topics):
    """The error names the queries, and some that the source has."""
    with pytest.raises(ValueError, match=r"Pool\(.*no candidates for 1.*'2'.*has some for '1'"):
        Pool(CANDIDATES[:2])(topics)
    alone = pd.DataFrame({"qid": ["2"], "query_docno": ["c"]})
    with pytest.raises(ValueError, match="no candidates for 1 of the queries: '2'"):
        Pool(CANDIDATES)(alone)
    with pytest.raises(ValueError, match="no candidates for 1 of the queries: 'unknown'"):
        Pool(CANDIDATES)(alone.assign(qid="unknown"))


def test_an_empty_pool(topics):
    """The error says that the source is empty."""
    with pytest.raises(ValueError, match="no candidates for 2"):
        Pool(CANDIDATES[:0])(topics)


def test_qrels_without_the_query(mini):
    """A topic of another facet is named together with the dataset."""
    with pytest.raises(ValueError, match=r"Pool\('scholarly-mini/method'\).*'nobody'"):
        Pool("scholarly-mini/method")(pd.DataFrame({"qid": ["nobody"]}))


def test_a_dataset_without_candidates(documents_only):
    """For a dataset without scoreddocs and qrels, the error names one that has them."""
    with pytest.raises(ValueError, match=r"neither scoreddocs nor qrels.*csfcube/method"):
        Pool(documents_only)(pd.DataFrame({"qid": ["1"]}))


def test_duplicates(topics):
    """Topics, and pairs in the source, may occur once."""
    with pytest.raises(ValueError, match="Duplicate qid: 2, 1"):
        Pool(CANDIDATES)(pd.concat([topics, topics]))
    with pytest.raises(ValueError, match="Duplicate qid docno: 1 a"):
        Pool(pd.concat([CANDIDATES, CANDIDATES[:1]]))(topics)


def test_documents_where_topics_belong(results):
    """The error names what the user wants instead."""
    with pytest.raises(pt.validate.InputValidationError, match=r"use Pool\(…\)\.restrict\(\)"):
        Pool(CANDIDATES)(results)
    with pytest.raises(pt.validate.InputValidationError, match=r"candidates of topics use Pool"):
        Pool(CANDIDATES).restrict()(results[["qid", "query"]])


def test_unknown_way_with_the_missing(results):
    """The error lists both options."""
    with pytest.raises(ValueError, match="missing='keep': expected one of 'drop', 'append'"):
        Pool(CANDIDATES).restrict("keep")(results)
