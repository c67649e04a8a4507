"""What the DORIS-MAE authors' code removes from texts."""

import pandas as pd
import pytest

from pyterrier_scholarly import PlainText
from pyterrier_scholarly.paper import Paper


@pytest.fixture
def results():
    """One row with everything in it."""
    row = {
        "qid": "q",
        "docno": "b",
        "query": "On $n$\ntrees",
        "text": "See https://a.org/b?c=d or www.e.org now",
        "paper": Paper(
            "b", "T", ["Trees.\r\nMore.", "$No$", "http://a.org"], ["method", "result", "other"]
        ),
    }
    return pd.DataFrame([row])


def test_line_breaks_dollars_and_addresses(results):
    """Breaks become blanks; other marks and sentences below five characters are removed."""
    (row,) = PlainText()(results).to_dict("records")
    assert row["query"] == "On n trees"
    assert row["text"] == "See  or  now"
    assert row["paper"] == Paper("b", "T", ["Trees. More."], ["method"])


def test_queries_may_stay_as_they_are(results):
    """With `queries=False` the document alone is changed; short sentences go on both sides."""
    asked = results.assign(query_paper=[Paper("q", "", ["On $n$", "No."])])
    (row,) = PlainText(queries=False)(asked).to_dict("records")
    assert (row["query"], row["query_paper"].sentences) == ("On $n$\ntrees", ("On $n$",))
    assert (row["text"], row["paper"].sentences) == ("See  or  now", ("Trees. More.",))


def test_the_texts_of_a_dataset(papers, results):
    """The dataset's texts replace the column."""
    assert PlainText(papers)(results)["text"].tolist() == ["Trees are pruned."]


def test_how_short_a_sentence_may_be(results):
    """With `shortest=2`, "No" is one."""
    (paper,) = PlainText(shortest=2)(results)["paper"]
    assert paper.sentences == ("Trees. More.", "No")


def test_documents_may_be_left_out(results):
    """Their rows are dropped."""
    both = pd.concat([results, results.assign(docno="c")])
    assert PlainText(without=("b",))(both)["docno"].tolist() == ["c"]


def test_positions_follow_their_sentences(results):
    """Those of dropped sentences go, with their weights; the others are counted anew."""
    chosen = results.assign(
        query_paper=[Paper("q", "", ["No.", "Trees\ngrow.", "$No$", "Axes are cut."])],
        query_sentence_ids=[[3, 0, 1]],
        query_sentence_weights=[[0.5, 2.0, 1.0]],
        sentence_ids=[[1, 0]],
    )
    (row,) = PlainText()(chosen).to_dict("records")
    assert row["query_paper"].sentences == ("Trees grow.", "Axes are cut.")
    assert (row["query_sentence_ids"], row["query_sentence_weights"]) == ([1, 0], [0.5, 1.0])
    assert row["sentence_ids"] == [0]
