"""rHSA of a model, from pairs to the slope in one call."""

import pandas as pd
import pytest

from pyterrier_scholarly import TfIdfModel
from pyterrier_scholarly.protocols import KRSTOVSKI_2016
from pyterrier_scholarly.stats import distances, histogram_slope

from .conftest import EVERY


@pytest.fixture
def pairs():
    """Every pair of texts: similar within a subject, random across all."""
    within = [(a, b) for a in range(8) for b in range(8) if a != b and (a < 4) == (b < 4)]
    across = [(a, b) for a in range(8) for b in range(8) if a != b]
    rows = [(str(a), str(b), "similar") for a, b in within]
    rows += [(str(a), str(b), "random") for a, b in across]
    return pd.DataFrame(rows, columns=["doc_id_a", "doc_id_b", "kind"])


def slope_by_hand(model, pairs, *score_range, **choices):
    """The steps of the page on rHSA: scores, distances, slope."""
    of_kind = [pairs[pairs["kind"] == kind] for kind in ("similar", "random")]
    scores = [model.scores(part["doc_id_a"], part["doc_id_b"]) for part in of_kind]
    return histogram_slope(*distances(*scores, *score_range), **choices)


@pytest.mark.parametrize("choices", [{}, {"bins": 5, "fit": "binomial"}, KRSTOVSKI_2016.line])
def test_one_call_does_all_the_steps(tfidf, pairs, choices):
    """Cosines are converted in the range of all pairs; choices are those of `histogram_slope`."""
    slope, expected = tfidf.rhsa(pairs, **choices), slope_by_hand(tfidf, pairs, **choices)
    assert str(slope) == str(expected)
    assert slope.similar.counts.tolist() == expected.similar.counts.tolist()


def test_divergences_keep_their_range(topics, pairs):
    """A topic model's scores are 1 less a divergence, in 0..1 whatever the pairs are."""
    slope, expected = topics.rhsa(pairs, bins=5), slope_by_hand(topics, pairs, 0, 1, bins=5)
    assert slope.random.counts.tolist() == expected.random.counts.tolist()
    assert str(slope) == str(expected)


def test_other_pairs_are_refused(tfidf, pairs):
    """The error says which pairs are expected."""
    expected = r"kinds 'similar' and 'random'.*download-log/<name>/1m"
    for wrong in (pairs.drop(columns="kind"), pairs[pairs["kind"] == "random"]):
        with pytest.raises(ValueError, match=expected):
            tfidf.rhsa(wrong)
    with pytest.raises(ValueError, match="scholarly-mini has no pairs"):
        tfidf.rhsa("scholarly-mini")
    with pytest.raises(ValueError, match="not among the 1"):
        TfIdfModel(["trees grow"], **EVERY).rhsa(pairs)
