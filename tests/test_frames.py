"""Checks at the door, look-ups and ranks."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, BM25Retriever, Pool, TextRetriever, frames, systems
from pyterrier_scholarly.step import ranked, rows_by_query, topic_columns
from pyterrier_scholarly.tables.saved_runs import EveryDocument


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
    "value", ["one text", float("nan"), None, [], ["a", ""], ["a", 3], np.array("a")]
)
def test_lists_must_be_of_texts(value):
    """A text, NaN, and lists without texts, with blanks or other types are refused, by query."""
    frame = pd.DataFrame({"qid": ["1", "2"], "doc_ids": pd.Series([["a"], value], dtype=object)})
    with pytest.raises(ValueError, match=r"'doc_ids' must hold a list .* qid 2"):
        frames.check(frame, "function", ["qid", "doc_ids"])
    frames.check(frame[:1], "function", ["qid", "doc_ids"])


def test_rows_of_a_query_share_its_text():
    """Two texts of one query are refused; the error names the query."""
    frame = pd.DataFrame({"qid": ["1", "2", "2"], "docno": list("abc"), "query": ["x", "y", "z"]})
    with pytest.raises(ValueError, match=r"'query' must hold one value .* qid 2"):
        frames.check(frame, "function", ["qid", "docno", "query"])
    frames.check(frame[:2], "function", ["qid", "docno", "query"])


@pytest.mark.parametrize(
    "values", [[np.array([0, 1]), np.nan], [[0], pd.NA], [np.nan, None], [[0], [1]]]
)
def test_rows_of_a_query_share_values_of_any_kind(values):
    """Lists, arrays and missing values are compared; the error names column and query."""
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"]})
    frame["query_sentence_ids"] = pd.Series(values, dtype=object)
    with pytest.raises(ValueError, match=r"'query_sentence_ids' must hold one value .* qid 1"):
        frames.check(frame, "function", ["qid", "docno", "query_sentence_ids"])
    alike = pd.Series([float("nan"), float("nan")], dtype=object)
    frames.check(frame.assign(query_sentence_ids=alike), "function", ["qid", "query_sentence_ids"])


def test_a_column_of_ones_own_may_differ():
    """Only what a query asks with is shared by its rows."""
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "query_note": ["x", "y"]})
    frames.check(frame, "function", ["qid", "docno", "query_note"])


@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "Float64", "bool", "object"])
def test_numbers_of_any_type_are_scores(dtype):
    """Finite numbers of any dtype are accepted; a number beyond floats is refused."""
    frame = pd.DataFrame({"qid": ["1", "2"], "score": pd.Series([1, 0], dtype=dtype)})
    frames.check_numbers(frame, "score")
    with pytest.raises(ValueError, match=r"'score'.* qid 2"):
        frames.check_numbers(frame.assign(score=[1, 10**400]), "score")


@pytest.mark.parametrize("dtype", ["category", "string[pyarrow]", pd.ArrowDtype(pa.string())])
def test_ids_may_be_categories_or_arrows(dtype):
    """They become objects: pandas would group by a category without rows, too."""
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [0.5, 1.0]})
    typed = frame.astype({"qid": dtype, "docno": dtype, "score": "category"})
    checked = frames.check(typed[typed["qid"] == "1"], "test", ["qid", "docno", "score"])
    assert [len(rows) for _, rows in checked.groupby("qid")] == [1]
    assert ranked(checked)["score"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("column", "values"), [("qid", [1, 2]), ("docno", ["a", None]), ("score", ["0.5", "x"])]
)
def test_wrong_categories_are_refused_as_their_values_are(column, values):
    """The error names the values, as for columns without categories."""
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": ["a", "b"], "score": [0.5, 1.0]})
    frame[column] = pd.Series(values, dtype="category")
    with pytest.raises(ValueError, match=f"Column '{column}' must hold"):
        frames.check(frame, "test", ["qid", "docno", "score"])


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("docno", float("nan"), r"qid q2: .*Found: nan \(float\), first for qid q2, docno nan\."),
        ("score", float("nan"), r"qid q2: .*Found: nan \(float\), first for qid q2, docno b\."),
        ("qid", [1], r"qid \[1\]: .*Found: \[1\] \(list\), first for qid \[1\], docno b\."),
    ],
)
def test_the_first_bad_row_is_named(column, value, said):
    """By its query and its document."""
    frame = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["a", "b"], "score": [0.5, 1.0]})
    frame[column] = pd.Series([frame[column][0], value], dtype=object)
    with pytest.raises(ValueError, match=f"'{column}' must hold .*{said}"):
        frames.COLUMN_CHECKS[column](frame, column)


@pytest.mark.parametrize(
    ("names", "said"), [(["docno"], "docno nan"), (["docno", "doc_id"], "doc_id c"), ([], "row 1")]
)
def test_a_row_without_a_query_is_named(names, said):
    """By the document, or by its position."""
    frame = pd.DataFrame({"docno": ["a", np.nan], "doc_id": ["a", "c"], "query": ["a", " "]})
    column = "docno" if names else "query"
    with pytest.raises(ValueError, match=f"'{column}' must hold .* for {said}: .*\\)\\.$"):
        frames.COLUMN_CHECKS[column](frame[[*dict.fromkeys([*names, column])]], column)


@pytest.mark.parametrize("dtype", [object, "str", "string[python]"])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_id_is_found_in_any_type(dtype, missing):
    """Pandas' own strings hide it, objects do not."""
    frame = pd.DataFrame({"docno": pd.Series(["a", missing], dtype=dtype)})
    with pytest.raises(ValueError, match="'docno' must hold texts"):
        frames.check_ids(frame, "docno", by="docno")


def test_only_a_frame_is_a_frame():
    """The error names the type of any other argument."""
    with pytest.raises(TypeError, match=r"pandas\.DataFrame, not list"):
        frames.check([{"qid": "1"}], "step", ["qid"])


def test_no_rank_for_nan():
    """A score that is not a number would rank in silence; the error names the pair."""
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [1, float("nan")]})
    with pytest.raises(ValueError, match=r"NaN for qid and docno 1 b\. Check"):
        ranked(frame)


def test_ranks_are_set_on_a_new_frame():
    """Queries stay in their order, rows go by rank from 0, ties in theirs; the input is as it was.

    Its index may repeat itself, as after `pd.concat`.
    """
    frame = pd.DataFrame(
        {"qid": ["b", "a", "b", "b"], "docno": ["1", "2", "3", "4"], "score": [1, 5, 2, 2]},
        index=[0, 0, 1, 1],
    )
    before = frame.copy()
    out = ranked(frame)
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
    out = ranked(pd.DataFrame(columns=["qid", "docno", "score"]))
    assert list(out.columns) == ["qid", "docno", "score", "rank"]
    assert len(out) == 0


def test_topic_columns():
    """PyTerrier's (names that begin with q), the facet, and the fields of query records."""
    frame = pd.DataFrame(
        columns=["qid", "docno", "query_0", "facet", "paper_year", "text", "score"]
    )
    assert topic_columns(frame) == ["qid", "query_0", "facet", "paper_year"]


def test_rows_by_query():
    """It returns positions, whatever the index and the order of rows."""
    frame = pd.DataFrame({"qid": ["b", "a", "b", "c"]}, index=[9, 9, 0, 1])
    found = [rows.tolist() for rows in rows_by_query(frame)]
    assert sorted(found) == [[0, 2], [1], [3]]
    assert not rows_by_query(frame.head(0))


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
