"""Heat maps that can be read."""

import re

import numpy as np
import pytest

from pyterrier_scholarly.explanation._figures import _cell, bars
from pyterrier_scholarly.explanation.result import Pairs


def luminance(rgb):
    """Relative luminance of a colour from 0 to 255, as WCAG 2.2 defines it."""
    part = np.array(rgb) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("place", np.linspace(0, 1, 21))
def test_figures_stand_out_from_their_cells(place):
    """By WCAG's contrast for small text, 4.5 to 1, along the whole scale."""
    cell = _cell(0.5, place, best=False)
    ground = luminance([int(number) for number in re.findall(r"\d+", cell["fill"])])
    ink = {"#fff": 1.0, "#000": 0.0}[cell["ink"]]
    assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) >= 4.5


def test_bars_stand_on_one_zero():
    """Of 3 and -1 the zero is a quarter from the left; the longest bar takes the rest."""
    plus, minus = bars([Pairs("a", 3.0), Pairs("b", -1.0)])
    assert (plus["left"], plus["width"]) == (25, 75)
    assert (minus["left"], minus["width"]) == (0, 25)
