"""Transport of sentences over frames."""

import math

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.encoders import LSA
from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool, SentenceTransport

from .conftest import frame

#: vectors in the plane: at home, three to the east, four to the north, both, far away
PLANE = {"h": (0, 0), "e": (3, 0), "n": (0, 4), "b": (3, 4), "f": (300, 400)}
METHODS = pytest.mark.parametrize("method", ["sinkhorn", "plan", "exact", "single", "mean"])


class Plane:
    """A function from texts to vectors that remembers what it was asked."""

    def __init__(self):
        self.seen = []

    def __call__(self, texts):
        """Vectors (n, 2)."""
        self.seen.extend(texts)
        return np.array([PLANE[text] for text in texts])


RESULTS = frame(
    ("1", "h", "a", "e"),
    ("1", "h", "b", "nb"),
    ("1", "h", "c", ""),
    ("1", "h", "d", "h"),
    ("2", "en", "a", "e"),
)


def by_pair(out):
    """Scores by query and document."""
    return {(row.qid, row.docno): row.score for row in out.itertuples()}


@pytest.mark.parametrize("method", ["sinkhorn", "plan", "exact"])
def test_scores_and_ranks_by_hand(method):
    """One sentence on one side: its distances to the others, weighted by how near these are."""
    out = SentenceTransport(Plane(), method=method)(RESULTS)
    four = 1 / (1 + math.exp(4 - 5))  # of b's sentences, 4 and 5 from home
    b = -(four * 4 + (1 - four) * 5)
    stays = 1 / (1 + math.exp(0 - 5))  # of the second query's, 0 and 5 from e
    expected = {"a": -3.0, "b": b, "c": b - 1, "d": 0.0}
    scores = {("1", docno): score for docno, score in expected.items()}
    scores["2", "a"] = -(1 - stays) * 5
    assert by_pair(out) == pytest.approx(scores, abs=1e-6)
    assert list(zip(out["docno"], out["rank"])) == [
        ("d", 0),
        ("a", 1),
        ("b", 2),
        ("c", 3),
        ("a", 0),
    ]


def test_single_match_by_hand():
    """TS-ASPIRE: minus the distance of the nearest two sentences."""
    out = SentenceTransport(Plane(), method="single")(RESULTS)
    expected = {"a": -3.0, "b": -4.0, "c": -4.0 - 1, "d": 0.0}
    scores = {("1", docno): score for docno, score in expected.items()}
    assert by_pair(out) == pytest.approx(scores | {("2", "a"): 0.0})


def test_mean_match_by_hand():
    """TS-ASPIRE as DORIS-MAE ran it: each of the query's sentences has its nearest."""
    out = SentenceTransport(Plane(), method="mean")(
        frame(("1", "en", "a", "h"), ("1", "en", "b", "be"))
    )
    assert by_pair(out) == pytest.approx({("1", "a"): -(3 + 4) / 2, ("1", "b"): -(0 + 3) / 2})


@METHODS
def test_documents_without_sentences(method):
    """The score is finite and below all others, however far; without others it is -1."""
    out = SentenceTransport(Plane(), method=method)(
        frame(("1", "h", "c", ""), ("1", "h", "f", "f"), ("2", "h", "c", ""))
    )
    assert by_pair(out) == pytest.approx({("1", "f"): -500, ("1", "c"): -501, ("2", "c"): -1})


def test_every_distinct_sentence_is_encoded_once():
    """Each sentence is encoded once per side, however many rows share it."""
    plane = Plane()
    SentenceTransport(plane, batch_size=2)(RESULTS)
    assert sorted(plane.seen) == ["b", "e", "e", "h", "h", "n", "n"]


def test_the_light_default_in_an_experiment(mini):
    """Without an encoder, LSA of the dataset's documents; a pipeline that Experiment takes."""
    dataset = pt.get_dataset(f"irds:{mini}")
    topics = dataset.get_topics("query")
    candidates = Pool(mini) >> FacetQuery(mini) >> PaperLoader(mini)
    pipeline = candidates >> SentenceTransport(dataset=mini)
    explicit = candidates >> SentenceTransport(LSA("scholarly-mini"))
    pd.testing.assert_frame_equal(pipeline(topics), explicit(topics))
    figures = pt.Experiment([pipeline], topics, dataset.get_qrels(), ["map"])
    assert 0 < figures["map"][0] <= 1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"method": "emd"}, "method='emd': expected one of 'sinkhorn', 'plan', 'exact', 'single'"),
        ({"temperature": 0}, "temperature=0: expected a number above 0"),
        ({"blur": -1}, "blur=-1: expected a number above 0"),
    ],
)
def test_settings_are_checked_before_encoding(setting, message):
    """The error lists the options before anything is encoded, also for zero rows."""
    plane = Plane()
    for results in (RESULTS, RESULTS.iloc[:0]):
        with pytest.raises(ValueError, match=message):
            SentenceTransport(plane, **setting)(results)
    assert not plane.seen


def test_vectors_that_are_no_numbers():
    """A broken model is refused before it scores anything."""
    with pytest.raises(ValueError, match="NaN or infinity"):
        SentenceTransport(lambda texts: np.full((len(texts), 2), math.nan))(RESULTS)
