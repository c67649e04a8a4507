"""Checks at the door, look-ups and ranks."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, BM25Retriever, Pool, TextRetriever, frames, systems
from pyterrier_scholarly.tables.system_runs import EveryDocument


def test_missing_columns_are_named_with_a_remedy():
    """The error is PyTerrier's own, which inspection understands, and says what to do."""
    frame = pd.DataFrame(columns=["qid"])
    with pytest.raises(pt.validate.InputValidationError, match=r"Add it\..*\['docno'\]"):
        frames.check(frame, "step", ["qid", "docno"], remedy="Add it.")
    frames.check(frame, "step", ["docno"], ["qid"])


def test_duplicates_are_named():
    """The error names at most five, then counts the others."""
    frame = pd.DataFrame({"qid": [*"abcdefgabcdefg", "h"]})
    with pytest.raises(ValueError, match="a, b, c, d, e and 2 more"):
        frames.check(frame, "step", ["qid"])
    frames.check(frame.drop_duplicates(), "step", ["qid"])


@pytest.mark.parametrize("value", [float("nan"), None, "", "  ", 3])
def test_a_text_must_be_there(value):
    """NaN, blanks and other types are refused, and the error names the query."""
    frame = pd.DataFrame({"qid": ["1", "2"], "query": ["trees", value]}, dtype=object)
    with pytest.raises(ValueError, match=r"'query'.* qid 2:"):
        frames.check_texts(frame, "query")


def test_a_blank_text_may_be_allowed():
    """An abstract may be empty, but not missing."""
    frame = pd.DataFrame({"docno": ["1", "2"], "text": ["", float("nan")]}, dtype=object)
    frames.check_texts(frame[:1], "text", by="docno", blank=True)
    with pytest.raises(ValueError, match="docno 2"):
        frames.check_texts(frame, "text", by="docno", blank=True)


@pytest.mark.parametrize(
    "value", ["one text", float("nan"), None, ["a", ""], ["a", 3], np.array("a")]
)
@pytest.mark.parametrize("empty", [True, False])
def test_sentences_must_be_a_list_of_texts(value, empty):
    """A text, NaN, and lists with blanks or other types are refused; the error names the query."""
    frame = pd.DataFrame({"qid": ["1", "2"], "query_sentences": [["a"], value]})
    with pytest.raises(ValueError, match=r"'query_sentences'.* qid 2"):
        frames.check_sentences(frame, "query_sentences", empty=empty)


def test_no_sentences_may_be_allowed():
    """A document may have none, a query may not."""
    frame = pd.DataFrame({"qid": ["1"], "sentences": [[]]})
    frames.check_sentences(frame, "sentences", empty=True)
    with pytest.raises(ValueError, match=r"at least one text.* qid 1"):
        frames.check_sentences(frame, "sentences")


@pytest.mark.parametrize("value", [None, float("nan"), "method", [], ["a", "b"], [None], [3]])
def test_labels_are_one_text_per_sentence(value):
    """Wrong labels are refused even if optional; the error names column and document."""
    frame = pd.DataFrame({"docno": ["1", "2"], "sentences": [["a"], ["b"]]})
    frame["labels"] = pd.Series([[""], value], dtype=object)
    with pytest.raises(ValueError, match=r"'labels' must hold one label per.* docno 2"):
        frames.check(frame, "step", ["docno", "sentences"], optional=["labels"])
    assert frames.check(frame[:1], "step", ["docno"], optional=["labels"]).equals(frame[:1])


@pytest.mark.parametrize("value", [7, "0", ["0"], [0.5], float("inf")])
def test_positions_are_lists_of_whole_numbers(value):
    """None and NaN stand for a query without positions; other values are refused."""
    ids = pd.Series([[0], np.array([1]), None, float("nan"), value], dtype=object)
    frame = pd.DataFrame({"qid": list("abcde"), "query_sentence_ids": ids})
    frames.check_positions(frame[:4], "query_sentence_ids")
    with pytest.raises(ValueError, match=r"'query_sentence_ids'.* qid e"):
        frames.check_positions(frame, "query_sentence_ids")


@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "Float64", "bool", "object"])
def test_numbers_of_any_type_are_scores(dtype):
    """Finite numbers of any dtype are accepted; a number beyond floats is refused."""
    frame = pd.DataFrame({"qid": ["1", "2"], "score": pd.Series([1, 0], dtype=dtype)})
    frames.check_columns(frame, ["score"])
    with pytest.raises(ValueError, match=r"'score'.* qid 2"):
        frames.check_columns(frame.assign(score=[1, 10**400]), ["score"])


@pytest.mark.parametrize("dtype", ["category", "string[pyarrow]", pd.ArrowDtype(pa.string())])
def test_ids_may_be_categories_or_arrows(dtype):
    """They become objects: pandas would group by a category without rows, too."""
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [0.5, 1.0]})
    typed = frame.astype({"qid": dtype, "docno": dtype, "score": "category"})
    checked = frames.check(typed[typed["qid"] == "1"], "test", ["qid", "docno", "score"])
    assert [len(rows) for _, rows in checked.groupby("qid")] == [1]
    assert frames.ranked(checked)["score"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("column", "values"), [("qid", [1, 2]), ("docno", ["a", None]), ("score", ["0.5", "x"])]
)
def test_wrong_categories_are_refused_as_their_values_are(column, values):
    """The error names the values, as for columns without categories."""
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [0.5, 1.0]})
    frame[column] = pd.Series(values, dtype="category")
    with pytest.raises(ValueError, match=f"Column '{column}' must hold"):
        frames.check(frame, "test", ["qid", "docno", "score"])


def test_ids_are_texts_that_a_file_can_hold():
    """Half a surrogate pair is refused: neither pandas' strings nor UTF-8 have it."""
    frame = pd.DataFrame({"docno": pd.Series(["a", "\ud800"], dtype=object)})
    with pytest.raises(ValueError, match=r"'docno' must hold texts that UTF-8.*'\\ud800'"):
        frames.check_columns(frame, ["docno"])


def test_only_a_frame_is_a_frame():
    """The error names the type of any other argument."""
    with pytest.raises(TypeError, match=r"pandas\.DataFrame, not list"):
        frames.check([{"qid": "1"}], "step", ["qid"])


def test_one_look_up_per_key():
    """Rows of an equal text and the same list or array share one answer object."""
    calls, shared = [], [0]
    frame = pd.DataFrame({"qid": ["1", "2", "1"], "ids": [shared, np.array([1]), shared]})
    answers = frames.per_key(frame, ["qid", "ids"], lambda *key: calls.append(key) or [key])
    assert len(calls) == 2
    assert answers[0] is answers[2]
    assert answers[1][0][0] == "2"


def test_numbers_of_rows_follow_values_of_texts_and_identity_of_lists():
    """Equal texts share a number, equal lists do not; the first row of each number is named."""
    shared = ["a"]
    frame = pd.DataFrame(
        {"title": ["t", "u", "t", "t"], "sentences": [shared, shared, ["a"], shared]}
    )
    rows, first = frames.numbered(frame, ["title", "sentences"])
    assert (rows.tolist(), first.tolist()) == ([0, 1, 2, 0], [0, 1, 2])
    rows, first = frames.numbered(frame, ["title"])
    assert (rows.tolist(), first.tolist()) == ([0, 1, 0, 0], [0, 1])
    rows, first = frames.by_identity([shared, ["a"], shared])
    assert (rows.tolist(), first.tolist()) == ([0, 1, 0], [0, 1])
    assert [len(part) for part in frames.numbered(frame.head(0), ["title", "sentences"])] == [0, 0]


def test_no_rank_for_nan():
    """A score that is not a number would rank in silence; the error names the pair."""
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1, float("nan")]})
    with pytest.raises(ValueError, match=r"NaN for qid, docno 1 b\. Check"):
        frames.ranked(frame)


def test_ranks_are_set_on_a_new_frame():
    """Queries stay in their order, rows go by rank from 0, ties in theirs; the input is as it was.

    Its index may repeat itself, as after `pd.concat`.
    """
    frame = pd.DataFrame(
        {"qid": ["b", "a", "b", "b"], "docno": ["1", "2", "3", "4"], "score": [1, 5, 2, 2]},
        index=[0, 0, 1, 1],
    )
    before = frame.copy()
    out = frames.ranked(frame)
    assert list(zip(out["qid"], out["docno"], out["rank"])) == [
        ("b", "3", 0),
        ("b", "4", 1),
        ("b", "1", 2),
        ("a", "2", 0),
    ]
    assert list(out.index) == [0, 1, 2, 3]
    pd.testing.assert_frame_equal(frame, before)


def test_ranks_of_no_rows():
    """Zero rows in, zero rows out, with the column."""
    out = frames.ranked(pd.DataFrame(columns=["qid", "docno", "score"]))
    assert list(out.columns) == ["qid", "docno", "score", "rank"]
    assert len(out) == 0


def test_topic_columns():
    """PyTerrier's (names that begin with q), the facet, and the fields of query records."""
    frame = pd.DataFrame(
        columns=["qid", "docno", "query_0", "facet", "paper_year", "text", "score"]
    )
    assert frames.topic_columns(frame) == ["qid", "query_0", "facet", "paper_year"]


def test_rows_by_query():
    """It returns positions, whatever the index and the order of rows."""
    frame = pd.DataFrame({"qid": ["b", "a", "b", "c"]}, index=[9, 9, 0, 1])
    found = [rows.tolist() for rows in frames.rows_by_query(frame)]
    assert sorted(found) == [[0, 2], [1], [3]]
    assert not frames.rows_by_query(frame.head(0))


@pytest.mark.parametrize(
    "topics",
    [
        {"qid": [], "query": []},
        {"qid": pd.Series([], dtype=float), "query": pd.Series([], dtype=float)},
        {"qid": pd.Series([], dtype=int), "query": pd.Series([], dtype=object)},
    ],
    ids=["lists", "floats", "integers"],
)
@pytest.mark.parametrize(
    "step",
    [
        Pool("scholarly-mini/all"),
        systems("scholarly-mini/all")["fabs_tfidf"],
        BM25Retriever("scholarly-mini"),
        TextRetriever(LSA("scholarly-mini"), "scholarly-mini"),
        EveryDocument("scholarly-mini"),
    ],
    ids=lambda step: type(step[0] if hasattr(step, "__getitem__") else step).__name__,
)
def test_topics_without_rows_give_results_without_rows(step, topics):
    """Whatever types their empty columns have, which pandas would refuse to join with ids."""
    found = step(pd.DataFrame(topics))
    assert len(found) == 0
    assert {"qid", "query", "docno", "score", "rank"} <= set(found)
