"""Words in common."""

import math
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD

from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.transformers import PaperTfIdf

TEXTS = ["pruned tree", "tall tree", "fair queue", "long queue", "tall queue"]
PAPERS = [
    Paper("a", "", ["Pruned trees.", "Long queues."], ["method", "result"]),
    Paper("b", "Trees", ["Tall."]),
    Paper("c", "", ["Unheard of."]),
]


def frame(query, *papers):
    """Return candidates of a query by its first sentence, a method."""
    return pd.DataFrame(
        {
            "qid": "1",
            "facet": "method",
            "query_paper": [query] * len(papers),
            "query_sentence_ids": [[0]] * len(papers),
            "docno": [paper.doc_id for paper in papers],
            "paper": papers,
        }
    )


RESULTS = frame(Paper("", "Pruned", ["Trees.", "Queues."], ["method", "result"]), *PAPERS)


def scores(transformer):
    """Score by document."""
    out = transformer(RESULTS)
    return dict(zip(out["docno"], out["score"]))


def test_whole_papers_by_hand():
    """Query pruned tree queue, b tree tall; idf = 1 + ln(6 / (1 + df)), df 1, 2, 3, 2."""
    pruned, tree, queue, tall = (1 + math.log(6 / (1 + df)) for df in (1, 2, 3, 2))
    lengths = math.hypot(pruned, tree, queue) * math.hypot(tree, tall)
    found = scores(PaperTfIdf(TEXTS))
    assert found["b"] == pytest.approx(tree**2 / lengths)
    assert found["c"] == 0


def test_every_word_counts_in_any_writing():
    """A paper of one word equals a query of that word and no other: the first of all words, too."""
    model = PaperTfIdf(["Fair fair trees", "FAIR queues", "tall queue"])
    words = ["fair", "tree", "queue", "tall"]
    for asked in words:
        papers = [Paper(word, "", [word.upper()]) for word in words]
        out = model(frame(Paper("", "", [asked]), *papers))
        found = dict(zip(out["docno"], out["score"]))
        assert found == pytest.approx({word: float(word == asked) for word in words})


def test_the_facet_alone():
    """Title and method: pruned tree on both sides; b has no method, so all of it counts."""
    pruned, tree, tall = (1 + math.log(6 / (1 + df)) for df in (1, 2, 2))
    found = scores(PaperTfIdf(TEXTS, facet_only=True))
    assert found["a"] == pytest.approx(1)
    lengths = math.hypot(pruned, tree) * math.hypot(tree, tall)
    assert found["b"] == pytest.approx(tree**2 / lengths)


def test_all_dimensions_change_nothing():
    """A decomposition that keeps everything keeps cosines of the texts that it was fitted on."""
    plain, whole = (
        PaperTfIdf(TEXTS, facet_only=True),
        PaperTfIdf(TEXTS, dimensions=99, facet_only=True),
    )
    assert scores(whole)["a"] == pytest.approx(scores(plain)["a"])
    assert scores(whole)["c"] == 0


def test_few_dimensions_join_a_topic():
    """In two dimensions a tall tree is like a pruned one, through the word that they share."""
    plain, topics = (PaperTfIdf(TEXTS, dimensions=d, facet_only=True) for d in (None, 2))
    assert scores(topics)["b"] > scores(plain)["b"] + 0.2


def test_title_and_abstract_of_a_dataset_are_fitted(papers):
    """A word that occurs only in titles is known."""
    pruned = Paper("b", "On b", ["Pruned."])
    unknown = frame(Paper("", "b on", ["b c."]), pruned)
    assert PaperTfIdf(papers)(unknown)["score"].tolist() == [0]
    known = frame(Paper("", "pruned", ["b c."]), pruned)
    assert PaperTfIdf(papers)(known)["score"].min() > 0


def test_texts_without_words():
    """The error says what is needed."""
    with pytest.raises(ValueError, match=r"cannot be fitted on \['', 'a'\].*texts with words"):
        PaperTfIdf(["", "a"])(RESULTS)


TOPICS = PaperTfIdf(TEXTS, dimensions=2)


def test_a_decomposition_is_kept(tmp_path, monkeypatch):
    """A cached decomposition is reused with equal scores; other texts have another."""
    expected, other = (
        scores(PaperTfIdf(texts, dimensions=2)) for texts in (TEXTS, [*TEXTS, "tall"])
    )
    calls = []
    fit = TruncatedSVD.fit
    monkeypatch.setattr(TruncatedSVD, "fit", lambda *given: calls.append(1) or fit(*given))
    assert scores(replace(TOPICS, cache=tmp_path / "one")) == expected
    copy = shutil.copytree(tmp_path / "one", tmp_path / "copy")  # of which nothing is in memory
    assert scores(replace(TOPICS, cache=copy)) == expected
    assert len(calls) == 1
    assert scores(PaperTfIdf([*TEXTS, "tall"], dimensions=2, cache=copy)) == other
    assert other != expected
    assert len(calls) == 2


def test_a_decomposition_that_was_made_without_a_cache(tmp_path):
    """A later scorer's cache is written, although the scorers are equal."""
    scores(TOPICS)
    assert not list(tmp_path.iterdir())
    scores(replace(TOPICS, cache=tmp_path))
    assert list(tmp_path.iterdir())
