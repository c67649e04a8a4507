"""Bootstrap figures of an experiment's per-query values."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP

from pyterrier_scholarly import bootstrap


@pytest.fixture
def perquery():
    """Two systems, two measures, 40 queries; the second measure leaves out ten of them."""
    values = np.random.default_rng(7).random((2, 2, 40))
    values[:, 1, :10] = np.nan
    rows = [
        (name, f"q{number}", measure, values[s, m, number])
        for s, name in enumerate(["zeta", "alpha"])
        for m, measure in enumerate(["R@5", "AP"])
        for number in range(40)
    ]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_a_row_per_system_and_measure_in_their_order(perquery):
    """The mean is the mean over the queries that count, and their number stands beside it."""
    found = bootstrap(perquery)
    assert list(found) == ["name", "measure", "value", "std", "low", "high", "queries"]
    expected = [[name, measure] for name in ("zeta", "alpha") for measure in ("R@5", "AP")]
    assert found[["name", "measure"]].to_numpy().tolist() == expected
    assert found["queries"].tolist() == [40, 30, 40, 30]
    means = perquery.groupby(["name", "measure"], sort=False)["value"].mean()  # without NaN
    assert found["value"].tolist() == pytest.approx(means.tolist())


def test_the_spread_is_that_of_a_mean(perquery):
    """Std is near the standard error; the interval is about 3.92 of these wide."""
    found = bootstrap(perquery, resamples=4000)
    spread = perquery.groupby(["name", "measure"], sort=False)["value"].std(ddof=0)
    error = spread.to_numpy() / np.sqrt(found["queries"])
    assert found["std"].to_numpy() == pytest.approx(error, rel=0.06)
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"])).all()
    assert (found["high"] - found["low"]).to_numpy() == pytest.approx(2 * 1.96 * error, rel=0.08)


def test_it_is_seeded(perquery):
    """The same figures again, whatever the order of the rows; others with another seed."""
    again = bootstrap(perquery.sample(frac=1, random_state=1))
    both = bootstrap(perquery).merge(again, on=["name", "measure"], suffixes=("", "_again"))
    assert both["low"].tolist() == pytest.approx(both["low_again"].tolist())
    assert both["std"].tolist() == pytest.approx(both["std_again"].tolist())
    assert bootstrap(perquery, seed=1)["std"].tolist() != both["std"].tolist()


def test_measures_may_be_chosen(perquery):
    """Measures are reported in the order passed, as objects or strings; a missing one is named."""
    assert bootstrap(perquery, ["recall_5"])["measure"].tolist() == ["R@5", "R@5"]
    assert bootstrap(perquery, [AP, "R@5"])["measure"].tolist() == ["AP", "R@5"] * 2
    with pytest.raises(
        ValueError, match=r"Unknown measure 'nDCG@10' of the experiment. .*: R@5, AP"
    ):
        bootstrap(perquery, ["nDCG@10"])


def test_a_confidence_in_percent_is_refused(perquery):
    """The error names the value and what was expected."""
    with pytest.raises(ValueError, match=r"confidence=95.*between 0 and 1"):
        bootstrap(perquery, confidence=95)
