"""How cells compare, and which status a row has."""

import numpy as np
import pytest

from pyterrier_scholarly.verification import Cell, Status
from pyterrier_scholarly.verification.outcomes import margin_of_resampling, status_of


def cell(found, **more):
    """A cell that is printed as 38.14."""
    return Cell(label="MAP", expected=38.14, found=found, decimals=2, **more)


@pytest.mark.parametrize(
    ("found", "more", "status"),
    [
        (38.1449, {}, Status.EQUAL),
        (38.1351, {}, Status.EQUAL),
        (38.1451, {}, Status.DIFFERS),
        (38.30, {"margin": 0.2}, Status.RESAMPLED),
        (38.36, {"margin": 0.2}, Status.DIFFERS),
        (38.14, {"queries": 40, "of": 100}, Status.PART),
        (50.0, {"queries": 40, "of": 100}, Status.PART),
        (38.14, {"part": "459 of 64,183 documents"}, Status.PART),
        ("a", {}, Status.DIFFERS),
    ],
)
def test_how_a_cell_compares(found, more, status):
    """To the last printed digit; over a part it is neither equal nor different."""
    assert cell(found, **more).status is status


def test_a_row_has_the_worst_status_of_its_cells():
    """One difference is a difference of the row; without cells nothing was compared."""
    equal, near, far = cell(38.14), cell(38.2, margin=0.2), cell(40.0)
    part = cell(1.0, part="some")
    assert status_of((equal, equal)) is Status.EQUAL
    assert status_of((equal, near)) is Status.RESAMPLED
    assert status_of((equal, part)) is Status.PART
    assert status_of((part, far)) is Status.DIFFERS
    assert status_of(()) is Status.NOT_RUN


def test_the_margin_holds_means_of_resampled_means():
    """2,000 times the mean of 1,000 bootstrap means: all within the margin, some beyond half."""
    draw = np.random.default_rng(0)
    values = draw.beta(1, 2, 50)
    samples = draw.choice(values, (1000, 50)).mean(axis=1)
    margin = margin_of_resampling(samples.std(), 1000)
    # a mean of 1,000 means of 50 is a mean of 50,000 draws
    counts = draw.multinomial(50 * 1000, np.full(50, 1 / 50), 2000)
    distances = np.abs(counts @ values / (50 * 1000) - values.mean())
    assert (distances <= margin).all()
    assert (distances > margin / 2).any()
    assert margin_of_resampling(1.0, 0) == 0.0
