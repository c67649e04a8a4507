"""rHSA as a measure of a run: how steeply its scores tell relevant documents from others."""

from numbers import Real

from ir_measures import ParamInfo

from ._base import RankedMeasure, whole
from ._slope_value import SlopeValue

#: as in `stats.histogram_slope`, which loads numpy
FITS = ("expected", "binomial", "observed")
X_ERRORS = ("mean", "spread", "none")


class _rHSA(RankedMeasure):
    """Random histogram slope analysis over a run's scores.

    Similar pairs are a query and its relevant documents, random pairs a query and its other judged
    documents. Scores become distances (max - s) / (max - min), or (high - s) / (high - low) with
    both given. (The paper divides cosines by max - min alone; turned round, 0 is nearest, as in the
    divergences beside them, and the slope falls where a system is good.) The value is the size of
    the slope of the log division of both histograms of distances, see
    `pyterrier_scholarly.histogram_slope`.

    Per query it is the slope in the query's own range, 0 where no line can be had: with fewer than
    three bins, or where the query's relevant documents are all above, or all below, its others. The
    average of `pt.Experiment` and of ir_measures is not the mean of these: it is the slope of the
    pairs of all queries together, in their common range. So one outlying score, which stretches the
    range, multiplies the slope; `low` and `high` prevent that, and save memory, as then histograms
    are kept instead of scores. Scores that do not compare from query to query, as BM25's, blur the
    common slope; `ZScore` standardises them. Queries without results have no pairs.

    Significance tests (``baseline=``) compare the per-query slopes.

    Source: Krstovski, Smith & Kurtz, Automatic Construction of Evaluation Sets and Evaluation of
    Document Similarity Models in Large Scholarly Retrieval Systems (2016). Its rHSA(100q) is the
    average over a set's queries; which non-relevant documents it takes is open (see `mine_log`).
    `protocols.KRSTOVSKI_2016` reads its errors literally: ``rHSA(**KRSTOVSKI_2016)``.
    """

    __name__ = "rHSA"
    NAME = __name__
    PRETTY_NAME = "Random Histogram Slope Analysis"
    SHORT_DESC = (
        "The slope of the log division of the histograms of relevant and of other judged "
        "documents' distances."
    )
    SUPPORTED_PARAMS = {
        "bins": whole(3, 10**6, default=50, desc="number of bins of equal width"),
        "rel": whole(
            1, 10**9, default=1, desc="minimum relevance of a similar pair's document (inclusive)"
        ),
        "judged_only": ParamInfo(
            dtype=bool, default=True, desc="whether random pairs are of judged documents only"
        ),
        "low": ParamInfo(dtype=float, default=None, desc="lowest score, together with high"),
        "high": ParamInfo(dtype=float, default=None, desc="highest score, together with low"),
        "distances": ParamInfo(
            dtype=bool,
            default=False,
            desc="scores are distances from low (else 0) to high (else 1), small where alike",
        ),
        "fit": ParamInfo(
            dtype=str, choices=FITS, default="expected", desc="how the average's line is fitted"
        ),
        "query_fit": ParamInfo(
            dtype=str, choices=FITS, default="binomial", desc="how a single query's is"
        ),
        "x_error": ParamInfo(
            dtype=str, choices=X_ERRORS, default="mean", desc="the error of a bin's position"
        ),
    }

    def __init__(self, **params):
        for name in ("low", "high"):
            if isinstance(params.get(name), Real) and not isinstance(params[name], bool):
                params[name] = float(params[name])
        super().__init__(**{name: value for name, value in params.items() if value is not None})
        low, high = self._ends()
        if (low is None) != (high is None) or (low is not None and not 0 < high - low < 1e308):
            raise ValueError(
                f"rHSA: low={low!r}, high={high!r}: expected two finite numbers low < high, or "
                "neither"
            )

    def _ends(self):
        low, high = self.params.get("low"), self.params.get("high")
        if self["distances"] and low is None and high is None:
            return 0.0, 1.0
        return low, high

    def values(self, ranked):
        """Compute a `SlopeValue` for each query, which carries its pairs."""
        import numpy as np

        run = ranked.run
        similar = run.judged & (run.relevance >= self["rel"])
        ends = np.searchsorted(run.query, np.arange(len(ranked.queries) + 1))
        values = []
        for query, first, last in zip(ranked.queries, ends[:-1], ends[1:]):
            score, here = ranked.score[first:last], similar[first:last]
            if self._ends()[0] is None:
                _check_finite(score, query)
            values.append(SlopeValue(self, self._kept(score[here]), self._kept(score[~here])))
        return values

    def _kept(self, scores):
        """What a value keeps of its scores: a histogram where the range is known."""
        if self._ends()[0] is None:
            return scores
        return self._histogram(scores, *self._ends())

    def _histogram(self, scores, low, high):
        from ..stats import Histogram

        away = scores - low if self["distances"] else high - scores
        return Histogram(self["bins"]).add(away / ((high - low) or 1.0))

    def slope(self, similar, random, fit):
        """Compute the slope of pairs that several queries' values keep.

        Args:
            similar, random: lists of what `values` keeps, one item per query, at least one.
            fit: see `pyterrier_scholarly.histogram_slope`.

        Returns:
            `pyterrier_scholarly.stats.Slope`.
        """
        from functools import reduce
        from operator import add

        import numpy as np

        from ..stats import histogram_slope

        if self._ends()[0] is None:
            similar, random = np.concatenate(similar), np.concatenate(random)
            both = np.concatenate([similar, random])
            ends = (both.min(), both.max()) if len(both) else (0.0, 1.0)
            pairs = [self._histogram(scores, *ends) for scores in (similar, random)]
        else:
            pairs = [reduce(add, kept) for kept in (similar, random)]
        return histogram_slope(*pairs, fit=fit, x_error=self["x_error"])


def _check_finite(score, query):
    import numpy as np

    bad = score[~np.isfinite(score)]
    if len(bad):
        raise ValueError(
            f"rHSA: {len(bad)} documents of query {query!r} have the score {bad[0]}, so that there "
            "is no range: drop these rows, or say the range, as in rHSA(low=0,high=1), which "
            "leaves out what is outside"
        )


rHSA = _rHSA()
