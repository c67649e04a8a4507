"""One vector per text, of the query and of whole documents."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FacetQuery, Pool, TextSimilarity

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def counts(texts):
    """Counts of each letter in a text, (n, 26)."""
    return np.array([[text.lower().count(letter) for letter in LETTERS] for text in texts])


class Sides:
    """Queries and documents in different ways; keeps what it is asked for."""

    def __init__(self):
        self.queries, self.documents = [], []

    def encode(self, texts, side):
        """Letters; of queries twice."""
        if side == "query":
            self.queries.extend(texts)
            return 2 * counts(texts)
        self.documents.extend(texts)
        return counts(texts)


@pytest.fixture
def results():
    """Two queries; document d is a candidate of both."""
    rows = [
        ("q1", "ab", "d", "a", "b"),
        ("q1", "ab", "e", "a", "a"),
        ("q2", "cc", "d", "a", "b"),
        ("q2", "cc", "f", "c", ""),
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "title", "text"])


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [
        ("cosine", [1, 2 / np.sqrt(2 * 4), 0, 1]),
        ("dot", [1 + 1, 2, 0, 2]),
        ("l2", [0, -np.sqrt(2), -np.sqrt(1 + 1 + 4), -1]),
    ],
)
def test_scores_are_of_the_two_texts(results, similarity, expected):
    """Letters ab against a + b, a + a; cc against a + b, c: by their definitions."""
    run = TextSimilarity(counts, similarity=similarity)(results)
    found = run.set_index(["qid", "docno"])["score"]
    keys = [("q1", "d"), ("q1", "e"), ("q2", "d"), ("q2", "f")]
    assert found[keys].tolist() == pytest.approx(expected)
    assert run["rank"].tolist() == [0, 1, 0, 1]
    assert run[run["qid"] == "q2"]["docno"].tolist() == ["f", "d"]


def test_templates_say_what_a_text_is(results):
    """Fields of columns between any other characters; each distinct text is encoded once."""
    encoder = Sides()
    TextSimilarity(encoder, query="find {query}", document="{title}[SEP]{text}")(results)
    assert encoder.queries == ["find ab", "find cc"]
    assert encoder.documents == ["a[SEP]b", "a[SEP]a", "c[SEP]"]


def test_a_query_by_example(papers, topics):
    """The query's paper is put in the same form as the candidates, all from the dataset."""
    encoder = Sides()
    pipeline = Pool(papers) >> FacetQuery(papers)
    example = "{query_title}[SEP]{query_text}"
    form = {"query": example, "document": "{title}[SEP]{text}", "dataset": papers}
    (pipeline >> TextSimilarity(encoder, similarity="l2", **form))(topics)
    first = "Trees are slow. We hurry them. Pruned trees are compared with trees of all depths."
    assert encoder.queries == [f"On a[SEP]{first}"]
    assert sorted(encoder.documents) == ["On b[SEP]Trees are pruned.", "On c[SEP]"]


def test_the_users_own_paper_is_the_query(results):
    """Without a dataset the query's paper is in columns."""
    encoder = Sides()
    own = results.assign(query_title="On us", query_text="We.")
    TextSimilarity(encoder, query="{query_title}: {query_text}")(own)
    assert encoder.queries == ["On us: We."]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"similarity": "angle"}, "similarity='angle': expected one of 'cosine', 'dot', 'l2'"),
        ({"document": "title"}, "'title' has no field"),
    ],
)
def test_settings_that_mean_nothing(results, settings, message):
    """The error lists the options."""
    with pytest.raises(ValueError, match=message):
        TextSimilarity(counts, **settings)(results)


def test_a_field_that_documents_do_not_have(papers, topics):
    """The error lists the documents' fields."""
    step = TextSimilarity(counts, dataset=papers, document="{venue}")
    with pytest.raises(ValueError, match="'venue'; the documents have doc_id, title, text"):
        (Pool(papers) >> FacetQuery(papers) >> step)(topics)


def test_missing_columns(results):
    """The error names the missing columns, and where they come from."""
    with pytest.raises(pt.validate.InputValidationError, match=r"a dataset.*title"):
        TextSimilarity(counts)(results[["qid", "docno", "query"]])
    with pytest.raises(pt.validate.InputValidationError, match="query_docno"):
        TextSimilarity(counts, query="{query_title}", dataset="csfcube")(results)


@pytest.mark.parametrize("step", [TextSimilarity(counts), Pool("csfcube")])
def test_a_list_in_place_of_a_frame(step):
    """The error names the step, also of a step that reads columns to choose a remedy."""
    with pytest.raises(TypeError, match=f"{type(step).__name__} needs a pandas.DataFrame, not lis"):
        step.transform(["ab"])


@pytest.mark.parametrize(
    ("column", "bad", "row"), [("text", None, "d"), ("query", " ", "q1"), ("query", np.nan, "q1")]
)
def test_texts_that_are_none(results, column, bad, row):
    """Documents' NaN and queries' blanks are refused; the error names the rows."""
    results[column] = results[column].astype(object)
    results.loc[0, column] = bad
    with pytest.raises(ValueError, match=f"Column '{column}' must hold .* {row}"):
        TextSimilarity(counts)(results)


def test_a_query_may_lack_one_of_several_texts(results):
    """A blank query is scored by its title, if the template has both."""
    titled = results.assign(query="", query_title="a title")
    scores = TextSimilarity(counts, query="{query_title} {query}")(titled)["score"]
    assert scores.notna().all()


def test_a_broken_encoder(results):
    """The error names NaN and the first text."""
    with pytest.raises(ValueError, match=r"NaN or infinity .* 'ab'"):
        TextSimilarity(lambda texts: np.full((len(texts), 2), np.nan))(results)
