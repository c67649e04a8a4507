"""rHSA as a measure of a run: how steeply its scores separate relevant documents from others."""

from functools import reduce
from numbers import Real
from operator import add
from typing import TYPE_CHECKING

from ir_measures import ParamInfo

from ._base import JUDGED_ONLY, REL, RankedMeasure, one_of, whole
from ._value import SlopeValue

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Slope
    from ..stats.fits import FitName
    from ._ranked import Ranked
    from ._value import Kept

#: as in `stats.slope`, which loads numpy
FITS = ("expected", "binomial", "observed")
X_ERRORS = ("mean", "spread", "none")
NORMALISATIONS = ("reversed", "divided")


class _rHSA(RankedMeasure):
    """Random histogram slope analysis over a run's scores.

    Similar pairs are a query and its relevant documents; random pairs are a query and its other
    judged documents. Scores become distances (max - s) / (max - min), or (high - s) / (high - low)
    with both given. The value is the size of the slope of the log division of both histograms of
    distances, see `pyterrier_scholarly.stats.histogram_slope`. The paper divides cosines by
    max - min only (``normalise="divided"``), which gives the same size. Its run has only documents
    that are no queries: pairs are those of the run, so leave queries out of it for its setting.

    Per query it is the slope in the query's own range. It is 0 if no line can be fitted: with fewer
    than three bins, or if the relevant documents are all above, or all below, the others. The
    average of `pt.Experiment` and of ir_measures is not the mean of these values. It is the slope
    of the pairs of all queries together, in their common range. One outlying score stretches that
    range and multiplies the slope; `low` and `high` prevent this. They save memory too: histograms
    are kept instead of scores. Scores that are not comparable across queries, as BM25's, blur the
    common slope; `ZScore` standardises them. Queries without results have no pairs.

    Significance tests (``baseline=``) compare the per-query slopes.

    Source: Krstovski, Smith & Kurtz, Automatic Construction of Evaluation Sets and Evaluation of
    Document Similarity Models in Large Scholarly Retrieval Systems (2016). Its rHSA(100q) is the
    average over a set's queries. It leaves open which non-relevant documents are taken (see
    `mine_log`). ``rHSA(**protocols.KRSTOVSKI_2016.scores)`` is its setting, read literally.
    """

    __name__ = NAME = "rHSA"
    PRETTY_NAME = "Random Histogram Slope Analysis"
    SHORT_DESC = (
        "The slope of the log division of the histograms of relevant and of other judged "
        "documents' distances."
    )
    SUPPORTED_PARAMS = {
        "bins": whole(3, 10**6, default=50, desc="number of bins of equal width"),
        "rel": REL,
        "judged_only": JUDGED_ONLY,
        "low": ParamInfo(dtype=float, default=None, desc="lowest score, together with high"),
        "high": ParamInfo(dtype=float, default=None, desc="highest score, together with low"),
        "distances": ParamInfo(
            dtype=bool,
            default=False,
            desc="scores are distances from low (default 0) to high (default 1); alike is small",
        ),
        "fit": one_of(FITS, "expected", "how the average's line is fitted"),
        "query_fit": one_of(FITS, "binomial", "how a single query's line is fitted"),
        "x_error": one_of(X_ERRORS, "mean", "the error of a bin's position"),
        "normalise": one_of(
            NORMALISATIONS,
            "reversed",
            "how scores become distances: (max - s) / (max - min), or s / (max - min)",
        ),
    }

    def __init__(self, **params: object) -> None:
        for name in ("low", "high"):
            value = params.get(name)
            if isinstance(value, Real) and not isinstance(value, bool):
                params[name] = float(value)
        super().__init__(**{name: value for name, value in params.items() if value is not None})
        low, high = self._ends() or (0.0, 1.0)
        if low is None or high is None or not 0 < high - low < 1e308:
            raise ValueError(
                f"rHSA: low={low!r}, high={high!r}: expected two finite numbers low < high, or "
                "neither"
            )

    def _ends(self) -> tuple[float, float] | None:
        """Return the range of the scores, None if it is that of the run's scores."""
        low, high = self.params.get("low"), self.params.get("high")
        if low is None and high is None:
            return (0.0, 1.0) if self["distances"] else None
        return low, high

    def values(self, ranked: "Ranked") -> list[float]:
        """Compute a `SlopeValue`, which carries its pairs, for each query."""
        import numpy as np

        run = ranked.run
        similar = run.judged & (run.relevance >= self["rel"])
        bad = np.flatnonzero(~np.isfinite(ranked.score))
        if len(bad) and not self._ends():
            query = run.query[bad[0]]
            raise ValueError(
                f"rHSA: {(run.query[bad] == query).sum()} documents of query "
                f"{ranked.queries[query]!r} have the score {ranked.score[bad[0]]}: expected finite "
                "scores. Drop these rows, or pass a range, as in rHSA(low=0,high=1); documents "
                "outside it are left out"
            )
        ends = np.searchsorted(run.query, np.arange(len(ranked.queries) + 1))
        rows = [(ranked.score[here], similar[here]) for here in map(slice, ends[:-1], ends[1:])]
        return [SlopeValue(self, self._kept(s[near]), self._kept(s[~near])) for s, near in rows]

    def _kept(self, scores: "np.ndarray") -> "Kept":
        """Return what a value keeps of its scores: a histogram if the range is known."""
        from ..stats import Histogram
        from ..stats.slope import ScoreRange

        ends = self._ends()
        if ends is None:
            return scores
        low, high = ends
        if self["distances"]:
            return Histogram(self["bins"]).add((scores - low) / (high - low))
        score_range = ScoreRange(low, high, self["normalise"])
        return Histogram(self["bins"], *score_range.ends).add(score_range.normalised(scores))

    def slope(self, similar: list, random: list, fit: "FitName") -> "Slope":
        """Compute the slope of the pairs of several queries' values.

        Args:
            similar, random: scores or histograms of one query or more, as `values` keeps them.
            fit: see `pyterrier_scholarly.stats.histogram_slope`.

        Returns:
            `pyterrier_scholarly.stats.Slope`.
        """
        import numpy as np

        from ..stats import Histogram, histogram_slope
        from ..stats.slope import find_score_range

        if self._ends():  # histograms are kept
            all_similar = reduce(add, similar)
            all_random = reduce(add, random)
        else:
            similar_scores = np.concatenate(similar)
            random_scores = np.concatenate(random)
            score_range = find_score_range(
                similar_scores, random_scores, normalise=self["normalise"]
            )
            shape = self["bins"], *score_range.ends
            all_similar = Histogram(*shape).add(score_range.normalised(similar_scores))
            all_random = Histogram(*shape).add(score_range.normalised(random_scores))
        return histogram_slope(all_similar, all_random, fit=fit, x_error=self["x_error"])


rHSA = _rHSA()
