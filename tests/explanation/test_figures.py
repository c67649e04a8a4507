"""Heat maps that can be read."""

import re

import numpy as np

from pyterrier_scholarly.explanation import Explanation, explain
from pyterrier_scholarly.explanation.score_parts import Part
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.similarity.matches import Matches
from pyterrier_scholarly.transformers import SentenceMaxSim

CELL = re.compile(r"background:rgb\((\d+) (\d+) (\d+)\);color:#(fff|000)")
BAR = re.compile(r'<i class="(plus|minus)" style="left:([\d.]+)%;width:([\d.]+)%">')


def luminance(rgb):
    """Relative luminance of a colour from 0 to 255, as WCAG 2.2 defines it."""
    part = np.array(rgb) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def with_cosine(texts):
    """A vector in the plane whose cosine with that of "1" is the number that a text is."""
    cosines = np.array(texts, dtype=float)
    return np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)


def test_figures_stand_out_from_their_cells(tmp_path):
    """Numbers have WCAG's contrast for small text, 4.5 to 1, along the whole scale."""
    scale = [str(place) for place in np.linspace(0, 1, 41)]
    told = explain(SentenceMaxSim(with_cosine), ["1"], scale)
    cells = CELL.findall(told.to_html(tmp_path / "page.html").read_text(encoding="utf-8"))
    grounds = [luminance([int(number) for number in cell[:3]]) for cell in cells]
    assert len(grounds) == 41 and grounds == sorted(grounds, reverse=True)
    for ground, (*_, name) in zip(grounds, cells):
        ink = {"fff": 1.0, "000": 0.0}[name]
        assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) >= 4.5


def test_bars_stand_on_one_zero(tmp_path):
    """For 3 and -1, zero lies at a quarter of the width, and the longest bar fills the rest."""
    paper, one = Paper("", "", ("A sentence.",), ("",)), np.ones((1, 1))
    matched = Part("a", 3.0, Matches(one, 3 * one, one > 0), (0,), (0,))
    told = Explanation("q", "d", "", 2.0, paper, paper, (matched, Part("b", -1.0)))
    bars = BAR.findall(told.to_html(tmp_path / "page.html").read_text(encoding="utf-8"))
    expected = [("plus", 25, 75), ("minus", 0, 25)]
    assert [(name, float(left), float(width)) for name, left, width in bars] == expected
