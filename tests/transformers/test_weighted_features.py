"""Weighted sums of a feature union."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly.transformers import WeightedFeatures


def test_the_sum_by_hand():
    """2 x 0.5 - 1 x 4 and 2 x 3 - 1 x 1, best first."""
    rows = pd.DataFrame(
        {"qid": "1", "docno": ["a", "b"], "features": [np.array([0.5, 4.0]), np.array([3.0, 1.0])]}
    )
    out = WeightedFeatures((2, -1))(rows)
    assert out["docno"].tolist() == ["b", "a"]
    assert out["score"].tolist() == [5.0, -3.0]
    assert out["rank"].tolist() == [0, 1]


def test_a_union_is_an_equal_sum_of_products():
    """(a ** b) >> WeightedFeatures((x, y)) scores as x * a + y * b."""
    rows = pd.DataFrame({"qid": "1", "docno": ["a", "bb", "cccc"], "score": 1.0, "rank": [0, 1, 2]})
    one = pt.apply.doc_score(lambda row: len(row["docno"]))
    two = pt.apply.doc_score(lambda row: 10 - len(row["docno"]) ** 2)
    found = ((one**two) >> WeightedFeatures((0.3, 0.7)))(rows).set_index("docno")["score"]
    expected = (0.3 * one + 0.7 * two)(rows).set_index("docno")["score"]
    assert found[expected.index].tolist() == pytest.approx(expected.tolist())


@pytest.mark.parametrize("other", [np.ones(3), [1.0, float("nan")], None])
def test_a_row_with_other_features_is_named(other):
    """Each row needs as many finite numbers as there are weights."""
    rows = pd.DataFrame({"qid": ["1", "q7"], "docno": "a"}).assign(features=[[1, 2.0], other])
    with pytest.raises(ValueError, match=r"2 finite numbers.*q7"):
        WeightedFeatures((1, 1))(rows)
