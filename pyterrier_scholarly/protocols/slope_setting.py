"""How the paper that introduced rHSA computes it [Krstovski et al. 2016].

::

    histogram_slope(distances, relevant, **KRSTOVSKI_2016.line)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..stats.fits import FitName
from ..stats.score_ranges import Normalisation
from ..stats.slope import XError
from .facts import read_facts


@dataclass(frozen=True)
class SlopeSetting:
    """How a paper computes rHSA, with the arguments of each step.

    Args:
        fit: see `histogram_slope`.
        x_error: see `histogram_slope`.
        normalise: of cosines; see `distances`.
        rank_queries: whether documents that are queries are ranked for other queries.
    """

    fit: FitName
    x_error: XError
    normalise: Normalisation
    rank_queries: bool

    @property
    def line(self) -> dict[str, Any]:
        """The arguments of `histogram_slope` for divergences, which are distances already."""
        return {"fit": self.fit, "x_error": self.x_error}

    @property
    def scores(self) -> dict[str, Any]:
        """The arguments of `score_slope`, and of `rHSA`, for scores that are cosines."""
        return {**self.line, "normalise": self.normalise}

    def ranking(self, query_ids: Iterable[str]) -> dict[str, Any]:
        """Return the arguments of `DocumentRetriever`, where these documents are the queries."""
        return {"without": () if self.rank_queries else tuple(query_ids)}


#: the paper's words read literally
KRSTOVSKI_2016 = read_facts("rhsa/slope.yaml", SlopeSetting)
