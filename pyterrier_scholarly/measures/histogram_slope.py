"""rHSA as a measure of a run: how steeply its scores separate relevant documents from others.

    >>> rHSA(low=0, high=1)
    rHSA(low=0.0,high=1.0)

Pass it to `pt.Experiment`, or to ir_measures::

    ir_measures.calc_aggregate([rHSA], qrels, run)  # one slope, of all queries' pairs

In the order of calls: ir_measures calls ``rHSA.compute_values`` with a run. Each query gets a
`SlopeValue`: the query's own slope, which also carries the query's scores. PyTerrier or ir_measures
adds these values up and divides the sum, which calls ``SlopeValue.pooled`` (see `Value`). This
computes one slope from the scores of all queries.
"""

import warnings
from numbers import Real
from typing import TYPE_CHECKING

from ir_measures import ParamInfo

from ._ranked_measure import JUDGED_ONLY, REL, RankedMeasure, choice_param, whole_number_param
from ._value import Total, Value

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Slope
    from ..stats.fits import FitName
    from ._ranked_run import Ranked

FITS = ("expected", "binomial", "observed")  # as in `stats`, whose modules load numpy
WIDEST_RANGE = 1e308  # nearly the largest float: a wider range overflows


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
    range and multiplies the slope; `low` and `high` prevent this. Scores that are not comparable
    across queries, as BM25's, blur the common slope; `ZScore` standardises them. Queries without
    results have no pairs.

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
        "bins": whole_number_param(3, 10**6, default=50, desc="number of bins of equal width"),
        "rel": REL,
        "judged_only": JUDGED_ONLY,
        "low": ParamInfo(dtype=float, default=None, desc="lowest score, together with high"),
        "high": ParamInfo(dtype=float, default=None, desc="highest score, together with low"),
        "distances": ParamInfo(
            dtype=bool,
            default=False,
            desc="scores are distances from low (default 0) to high (default 1); alike is small",
        ),
        "fit": choice_param(FITS, "expected", "how the average's line is fitted"),
        "query_fit": choice_param(FITS, "binomial", "how a single query's line is fitted"),
        "x_error": choice_param(
            ("mean", "spread", "none"), "mean", "the error of a bin's position"
        ),
        "normalise": choice_param(
            ("reversed", "divided"),
            "reversed",
            "how scores become distances: (max - s) / (max - min), or s / (max - min)",
        ),
    }

    def __init__(self, **params: object) -> None:
        stated_params = {name: value for name, value in params.items() if value is not None}
        for name in {"low", "high"} & stated_params.keys():
            value = stated_params[name]
            if isinstance(value, Real) and not isinstance(value, bool):
                stated_params[name] = float(value)  # so that low=0 and low=0.0 are one measure
        super().__init__(**stated_params)

        low, high = self["low"], self["high"]
        has_range = low is not None or high is not None
        if has_range and (low is None or high is None or not 0 < high - low < WIDEST_RANGE):
            raise ValueError(
                f"rHSA: low={low!r}, high={high!r}: expected two finite numbers low < high, "
                "or neither"
            )

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return a `SlopeValue` for each query: its slope, with the scores of its pairs."""
        import numpy as np

        run = ranked.run
        is_similar = run.judged & (run.relevance >= self["rel"])
        # the rows are in the order of queries; here begin those of each query but the first
        starts = np.searchsorted(run.query, np.arange(1, len(ranked.queries)))
        rows_of_queries = zip(np.split(ranked.score, starts), np.split(is_similar, starts))
        return [
            SlopeValue(self, scores[is_similar_row], scores[~is_similar_row])
            for scores, is_similar_row in rows_of_queries
        ]

    def compute_slope(self, similar: "np.ndarray", random: "np.ndarray", fit: "FitName") -> "Slope":
        """Compute the slope of pairs of one query, or of several together.

        Args:
            similar, random: the scores of similar and of random pairs, (n,) and (m,).
            fit: see `pyterrier_scholarly.stats.histogram_slope`.

        Raises:
            ValueError: a score is infinite, and the parameters state no range.
        """
        from ..stats import Histogram, histogram_slope
        from ..stats.score_ranges import normalise_scores

        low, high, normalise = self["low"], self["high"], self["normalise"]
        if self["distances"]:
            # negated, they are scores: high for similar pairs, and with a range of their own
            similar, random = -similar, -random
            low, high = (-1.0, 0.0) if low is None else (-high, -low)
            normalise = "reversed"

        similar, random, first = normalise_scores(similar, random, low, high, normalise)
        return histogram_slope(
            Histogram(self["bins"], first, first + 1).add(similar),
            Histogram(self["bins"], first, first + 1).add(random),
            fit=fit,
            x_error=self["x_error"],
        )


class SlopeValue(Value):
    """A query's rHSA; over several queries, the rHSA of all their pairs, not the mean of theirs.

    A measure sees a batch of queries at a time, but the scores' range is that of all queries. So
    each value carries its own scores until it is averaged.
    """

    __slots__ = ("measure", "random", "similar")
    measure: _rHSA  #: the measure that computed the value
    similar: "np.ndarray"  #: scores of the query's similar pairs
    random: "np.ndarray"  #: scores of the query's random pairs

    def __new__(cls, measure: _rHSA, similar: "np.ndarray", random: "np.ndarray") -> "SlopeValue":
        """Create a float, the query's slope; in its own scores' range if the measure has none."""
        slope = measure.compute_slope(similar, random, measure["query_fit"])
        self = super().__new__(cls, slope.value)
        self.measure = measure
        self.similar = similar
        self.random = random
        return self

    @staticmethod
    def pooled(total: Total, count: float) -> float:
        """Return the slope of the pairs of all queries; warn if some are outside the range.

        Args:
            total: the sum of all queries' values. A `SlopeValue` among them carries its query's
                pairs; a plain float, the value of a query without results, has none to add.
            count: number of queries, which a slope of pairs does not depend on.
        """
        import numpy as np

        values = [value for value in total.values if isinstance(value, SlopeValue)]
        # all values that a host adds up are from one measure. The first one called this method
        measure = values[0].measure
        similar = np.concatenate([value.similar for value in values])
        random = np.concatenate([value.random for value in values])
        slope = measure.compute_slope(similar, random, measure["fit"])
        _warn_of_pairs(measure, slope)
        return slope.value

    def __reduce__(self) -> tuple:
        """Return how to unpickle this value: from its measure and its pairs."""
        return type(self), (self.measure, self.similar, self.random)


def _warn_of_pairs(measure: _rHSA, slope: "Slope") -> None:
    """Warn of pairs outside the range; and if all pairs are of one kind: then the value is 0."""
    has_similar = slope.similar.counts.any()
    has_random = slope.random.counts.any()
    if has_similar and not has_random:
        warnings.warn(
            f"{measure}: no judged document in the run is irrelevant, so there are no random pairs "
            "and its value is 0. With judged_only=False unjudged documents make random pairs",
            stacklevel=3,
        )
    if has_random and not has_similar:
        warnings.warn(
            f"{measure}: no document in the run has relevance {measure['rel']} or more, so there "
            "are no similar pairs and its value is 0",
            stacklevel=3,
        )

    similar_outside, random_outside = slope.outside
    if similar_outside or random_outside:
        warnings.warn(
            f"{measure}: {similar_outside} similar and {random_outside} random pairs are "
            "outside its range and are left out",
            stacklevel=3,
        )


rHSA = _rHSA()
