"""What the DORIS-MAE authors' code removes from texts."""

import pandas as pd
import pytest

from pyterrier_scholarly import PlainText


@pytest.fixture
def results():
    """One row with everything in it."""
    row = {
        "qid": "q",
        "docno": "b",
        "query": "On $n$\ntrees",
        "text": "See https://a.org/b?c=d or www.e.org now",
        "sentences": ["Trees.\r\nMore.", "$No$", "http://a.org"],
        "labels": ["method", "result", "other"],
    }
    return pd.DataFrame([row])


def test_line_breaks_dollars_and_addresses(results):
    """Breaks become blanks; other marks and sentences below five characters are removed."""
    (row,) = PlainText()(results).to_dict("records")
    assert row["query"] == "On n trees"
    assert row["text"] == "See  or  now"
    assert row["sentences"] == ["Trees. More."]
    assert row["labels"] == ["method"]


def test_half_a_surrogate_pair_stays(results):
    """A text with one, which pandas' own strings cannot hold, is changed as others are."""
    broken = pd.Series(["\ud800\ntrees"], dtype=object)
    assert PlainText()(results.assign(query=broken))["query"].tolist() == ["\ud800 trees"]


def test_queries_may_stay_as_they_are(results):
    """With `queries=False` the document alone is changed; short sentences go on both sides."""
    asked = results.assign(query_sentences=[["On $n$", "No."]])
    (row,) = PlainText(queries=False)(asked).to_dict("records")
    assert (row["query"], row["query_sentences"]) == ("On $n$\ntrees", ["On $n$"])
    assert (row["text"], row["sentences"]) == ("See  or  now", ["Trees. More."])


def test_the_texts_of_a_dataset(papers, results):
    """The dataset's texts replace the column."""
    assert PlainText(papers)(results)["text"].tolist() == ["Trees are pruned."]


def test_how_short_a_sentence_may_be(results):
    """With `shortest=2`, "No" is one."""
    (kept,) = PlainText(shortest=2)(results)["sentences"]
    assert kept == ["Trees. More.", "No"]


def test_documents_may_be_left_out(results):
    """Their rows are dropped."""
    both = pd.concat([results, results.assign(docno="c")])
    assert PlainText(without=("b",))(both)["docno"].tolist() == ["c"]


def test_a_query_without_labels_has_blank_ones(results):
    """The remaining sentences become its paper; without sentences its positions stay."""
    asked = results.assign(query_sentence_ids=[[4, 7]])
    assert PlainText()(asked)["query_sentence_ids"].tolist() == [[4, 7]]
    (row,) = PlainText()(asked.assign(query_sentences=[["Trees\ngrow.", "$No$"]])).to_dict(
        "records"
    )
    assert row["query_sentences"] == row["query_paper_sentences"] == ["Trees grow."]
    assert (row["query_paper_labels"], row["query_sentence_ids"]) == ([""], [0])
