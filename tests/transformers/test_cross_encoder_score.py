"""Ranking by pairs of texts, with functions for models; a real architecture in test_neural."""

import pandas as pd
import pytest

from pyterrier_scholarly import CrossEncoderScore
from pyterrier_scholarly.paper import Paper


def letters(pairs):
    """Count the query's first letter in the document."""
    return [document.count(query[0]) for query, document in pairs]


@pytest.fixture
def results():
    """Three candidates of one query, one of another."""
    return pd.DataFrame(
        {
            "qid": ["1", "1", "1", "2"],
            "query": ["a", "a", "a", "b"],
            "query_paper": [Paper("", "", ["abc", "b"])] * 3 + [Paper("", "", ["a", "c"])],
            "query_sentence_ids": [[0, 1]] * 3 + [[1]],
            "docno": ["d1", "d2", "d3", "d1"],
            "title": ["aa", "b", "", "aa"],
            "text": ["ab", "abb", "", "ab"],
        }
    )


def scores(frame):
    """By query and document."""
    return {(row.qid, row.docno): row.score for row in frame.itertuples()}


def test_whole_texts(results):
    """Templates make the query's and the document's text; ranks follow the scores."""
    out = CrossEncoderScore(letters)(results)
    assert scores(out) == {("1", "d1"): 3, ("1", "d2"): 1, ("1", "d3"): 0, ("2", "d1"): 1}
    assert out[out["qid"] == "1"]["docno"].tolist() == ["d1", "d2", "d3"]
    titles = CrossEncoderScore(letters, document="{title}")(results)
    assert scores(titles)["1", "d1"] == 2


def test_sentences_of_the_query_by_their_mean(results):
    """Of abc and b the letters a and b: (3 + 1)/2, (1 + 3)/2, 0; of c none."""
    out = CrossEncoderScore(letters, sentences=True)(results.drop(columns="query"))
    assert scores(out) == {("1", "d1"): 2, ("1", "d2"): 2, ("1", "d3"): 0, ("2", "d1"): 0}


def test_each_pair_once(results):
    """Rows that share query and text, and sentences that occur twice, are one pair."""
    seen = []
    twice = pd.concat([results, results.assign(qid=results["qid"] + "'")])
    repeating = Paper("", "", ["abc", "b", "abc"])
    twice = twice.assign(query_paper=[repeating] * 8, query_sentence_ids=[[0, 1, 2]] * 8)
    twice = twice.assign(text="x", title="y")
    CrossEncoderScore(lambda pairs: seen.append(pairs) or letters(pairs), sentences=True)(twice)
    assert seen == [[("abc", "y x"), ("b", "y x")]]


@pytest.mark.parametrize("n", [1, 1000])
def test_few_and_many_candidates(results, n):
    """Equal texts share a score and keep the order in which they came."""
    many = pd.concat([results.iloc[:1]] * n).assign(docno=[f"d{number:04}" for number in range(n)])
    out = CrossEncoderScore(letters)(many)
    assert out["docno"].tolist() == many["docno"].tolist()
    assert out["score"].eq(3).all()


def test_fields_of_the_dataset(mini):
    """With a dataset, its documents' texts are used instead of the frame's."""
    import pyterrier as pt

    dataset = pt.get_dataset(f"irds:{mini}")
    paper = next(iter(dataset.get_corpus_iter(verbose=False)))
    frame = pd.DataFrame({"qid": ["1"], "query": ["a"], "docno": [paper["docno"]], "text": ["?"]})
    seen = []
    CrossEncoderScore(lambda pairs: seen.extend(pairs) or [1.0], dataset=mini)(frame)
    assert seen == [("a", f"{paper['title']} {paper['text']}")]


@pytest.mark.parametrize(
    ("change", "settings", "said"),
    [
        ({"query": ["a", "a", "a", " "]}, {}, "'query' must hold a text that is not empty.*qid 2"),
        ({"text": ["a", None, "", "a"]}, {}, "'text' must hold a text"),
        ({"query_sentence_ids": [[]] * 4}, {"sentences": True}, "at least one position"),
        ({}, {"document": "all"}, "has no field"),
    ],
)
def test_bad_input(results, change, settings, said):
    """The error comes before the model is called."""
    scorer = CrossEncoderScore(lambda pairs: pytest.fail("asked"), **settings)
    with pytest.raises(ValueError, match=said):
        scorer(results.assign(**change))


def test_a_broken_model(results):
    """NaN raises an error that shows the texts."""
    with pytest.raises(ValueError, match="NaN or infinity for 3 of 4 pairs, first for 'a'"):
        nan = float("nan")
        CrossEncoderScore(lambda pairs: [nan, nan, nan, 1])(results)
