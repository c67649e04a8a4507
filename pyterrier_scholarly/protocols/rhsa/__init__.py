"""The paper that introduced rHSA, evaluation without judgements [Krstovski et al. 2016]."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

from ...stats.fits import FitName
from ...stats.score_ranges import Normalisation
from ...stats.slope import XError
from ..protocol import Protocol

#: label of a column in tables 1 and 2 -> the set of pairs that its figures are over
SET_OF_LABEL = {"MAP(100q)": "100q", "rHSA(100q)": "100q", "rHSA(1M)": "1M"}

RHSA = Protocol(
    "rhsa",
    "rHSA",
    subset=lambda row: SET_OF_LABEL[row["measure"]],
    measures={"MAP(100q)": "AP", "rHSA(100q)": "rHSA", "rHSA(1M)": "rHSA"},
    source="Krstovski et al. 2016",
    quoted={"log": "counts of a log and of articles that are not public"},
    unpublished=dict.fromkeys(
        ("1", "2"),
        "over a download log and articles that are not public; ``examples/rhsa_study.ipynb`` does "
        "the same with a made-up log of CSFCube's papers",
    ),
    unit=1,
)


class LineChoices(TypedDict):
    """How a line is fitted, and which error a bin's position has."""

    fit: FitName
    x_error: XError


class ScoreChoices(LineChoices):
    """How a line is fitted, and how scores become distances."""

    normalise: Normalisation


class RankingChoices(TypedDict):
    """Which documents a retriever leaves out."""

    without: tuple[str, ...]


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
    def line(self) -> LineChoices:
        """The arguments of `histogram_slope` for divergences, which are distances already."""
        return {"fit": self.fit, "x_error": self.x_error}

    @property
    def scores(self) -> ScoreChoices:
        """The arguments of `score_slope`, and of `rHSA`, for scores that are cosines."""
        return {**self.line, "normalise": self.normalise}

    def ranking(self, query_ids: Iterable[str]) -> RankingChoices:
        """Return the arguments of `DocumentRetriever`, where these documents are the queries."""
        return {"without": () if self.rank_queries else tuple(query_ids)}


#: The paper's words read literally. The variances of a bin are its observed counts, and the
#: variance of its position is that of its values (section "Computing rHSA"). Cosines are divided by
#: their range, max - min (section "Document Similarity Models"): ours are (max - s) / (max - min),
#: so the slope has the same size and the other sign. Only documents that are no queries are ranked,
#: 90,295 of 90,395 (same section): ours are all but the one that asks. Whether a relevant document
#: that is a query counts as missing, the paper does not say.
KRSTOVSKI_2016 = SlopeSetting(
    fit="observed", x_error="spread", normalise="divided", rank_queries=False
)
