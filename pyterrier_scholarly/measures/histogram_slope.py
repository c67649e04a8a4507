"""rHSA as a measure of a run: how steeply its scores separate relevant documents from others.

    >>> rHSA(low=0, high=1)
    rHSA(low=0.0,high=1.0)

Pass it to `pt.Experiment`, or to ir_measures::

    ir_measures.calc_aggregate([rHSA], qrels, run)  # one slope, of all queries' pairs

In the order of calls: ir_measures calls ``rHSA.compute_values`` with a run. Each query gets a
`SlopeValue`: the query's own slope, which also carries the query's scores. PyTerrier or ir_measures
adds these values up and divides the sum, which calls ``SlopeValue.pooled`` (see `Value`). This
computes one slope from the scores of all queries.

What a value carries has one of two forms. If `low` and `high`, or `distances`, state the range of
scores, it carries histograms, which are small. Else the range is known only when all queries are,
so it carries the scores themselves.
"""

import warnings
from functools import reduce
from numbers import Real
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from ir_measures import ParamInfo

from ._ranked_measure import JUDGED_ONLY, REL, RankedMeasure, choice_param, whole_number_param
from ._value import Total, Value

if TYPE_CHECKING:
    import numpy as np

    from ..stats import Histogram, Slope
    from ..stats.fits import FitName
    from ..stats.score_ranges import ScoreRange
    from ._ranked_run import Ranked

    #: scores of a query's similar or random pairs; or their histogram, if the range is stated
    Kept = np.ndarray | Histogram

#: as in `stats`, whose modules load numpy
FITS = ("expected", "binomial", "observed")
X_ERRORS = ("mean", "spread", "none")
NORMALISATIONS = ("reversed", "divided")
WIDEST_RANGE = 1e308  # nearly the largest float: a wider range overflows


class StatedRange(NamedTuple):
    """The range of scores or distances that a measure's parameters state, with both ends."""

    low: float
    high: float


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
        "x_error": choice_param(X_ERRORS, "mean", "the error of a bin's position"),
        "normalise": choice_param(
            NORMALISATIONS,
            "reversed",
            "how scores become distances: (max - s) / (max - min), or s / (max - min)",
        ),
    }

    def __init__(self, **params: object) -> None:
        stated_params = {name: value for name, value in params.items() if value is not None}
        for name in ("low", "high"):
            if name in stated_params:
                stated_params[name] = _convert_number(stated_params[name])
        super().__init__(**stated_params)

        _check_range(self.params.get("low"), self.params.get("high"))

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return a `SlopeValue` for each query: its slope, with the scores of its pairs."""
        import numpy as np

        if self._read_range() is None:
            _check_finite(ranked)

        run = ranked.run
        is_similar = run.judged & (run.relevance >= self["rel"])

        # rows are in the order of queries; of a query without rows, both ends are equal
        query_numbers = np.arange(len(ranked.queries))
        starts = np.searchsorted(run.query, query_numbers, side="left")
        stops = np.searchsorted(run.query, query_numbers, side="right")

        values: list[float] = []
        for start, stop in zip(starts, stops):
            scores = ranked.score[start:stop]
            is_similar_row = is_similar[start:stop]
            similar = self._summarise_scores(scores[is_similar_row])
            random = self._summarise_scores(scores[~is_similar_row])
            values.append(SlopeValue(self, similar, random))
        return values

    def compute_slope(self, similar: list, random: list, fit: "FitName") -> "Slope":
        """Compute the slope of the pairs of several queries together; `SlopeValue` calls it.

        Args:
            similar, random: what `_summarise_scores` returned for each of the queries: histograms
                if the parameters state a range, else scores.
            fit: see `pyterrier_scholarly.stats.histogram_slope`.
        """
        from ..stats import histogram_slope

        has_histograms = self._read_range() is not None
        if has_histograms:
            similar_histogram = reduce(add, similar)
            random_histogram = reduce(add, random)
        else:
            similar_histogram, random_histogram = self._count_in_common_range(similar, random)

        return histogram_slope(
            similar_histogram, random_histogram, fit=fit, x_error=self["x_error"]
        )

    def _read_range(self) -> StatedRange | None:
        """Return the range that the parameters state; None if it is that of the run's scores."""
        if "low" in self.params:
            return StatedRange(self["low"], self["high"])
        if self["distances"]:
            return StatedRange(0.0, 1.0)
        return None

    def _summarise_scores(self, scores: "np.ndarray") -> "Kept":
        """Return what a value keeps of the scores (n,) of a query's similar or random pairs.

        That is their histogram if the range is stated, else the scores themselves, because the
        range is known only when all queries are.
        """
        from ..stats import Histogram
        from ..stats.score_ranges import ScoreRange

        stated = self._read_range()
        if stated is None:
            return scores

        if self["distances"]:
            distances = (scores - stated.low) / (stated.high - stated.low)
            return Histogram(self["bins"]).add(distances)

        return self._count_scores(scores, ScoreRange(stated.low, stated.high, self["normalise"]))

    def _count_in_common_range(self, similar: list, random: list) -> "tuple[Histogram, Histogram]":
        """Return the histograms of similar and of random pairs, both in the range of all scores.

        similar, random: a score array (n,) for each query.
        """
        import numpy as np

        from ..stats.score_ranges import find_score_range

        similar_scores = np.concatenate(similar)
        random_scores = np.concatenate(random)
        common_range = find_score_range(similar_scores, random_scores, normalise=self["normalise"])

        similar_histogram = self._count_scores(similar_scores, common_range)
        random_histogram = self._count_scores(random_scores, common_range)
        return similar_histogram, random_histogram

    def _count_scores(self, scores: "np.ndarray", score_range: "ScoreRange") -> "Histogram":
        """Return the histogram of scores (n,), normalised to distances in their range."""
        from ..stats import Histogram

        first, last = score_range.ends
        histogram = Histogram(self["bins"], first, last)
        return histogram.add(score_range.normalise_scores(scores))


def _convert_number(value: object) -> object:
    """Return a number as float, so that low=0 and low=0.0 are one measure; others unchanged."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return float(value)


def _check_range(low: float | None, high: float | None) -> None:
    """Raise ValueError unless there are both ends of a range, or none."""
    if low is None and high is None:  # then the range is that of the scores
        return

    is_range = low is not None and high is not None and 0 < high - low < WIDEST_RANGE
    if not is_range:
        raise ValueError(
            f"rHSA: low={low!r}, high={high!r}: expected two finite numbers low < high, or neither"
        )


def _check_finite(ranked: "Ranked") -> None:
    """Raise ValueError if a score is infinite: then the run's scores have no range."""
    import numpy as np

    wrong_rows = np.flatnonzero(~np.isfinite(ranked.score))
    if not len(wrong_rows):
        return

    first_wrong_row = wrong_rows[0]
    query_number = ranked.run.query[first_wrong_row]
    query_of_wrong_rows = ranked.run.query[wrong_rows]
    wrong_count = (query_of_wrong_rows == query_number).sum()
    raise ValueError(
        f"rHSA: {wrong_count} documents of query {ranked.queries[query_number]!r} have the score "
        f"{ranked.score[first_wrong_row]}: expected finite scores. Drop these rows, or pass a "
        "range, as in rHSA(low=0,high=1); documents outside it are left out"
    )


def _warn_of_missing_pairs(measure: _rHSA, slope: "Slope") -> None:
    """Warn if no query has similar pairs, or none has random ones: then the value is 0."""
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


class SlopeValue(Value):
    """A query's rHSA; over several queries, the rHSA of all their pairs, not the mean of theirs.

    A measure sees a batch of queries at a time, but the scores' range is that of all queries. So
    each value carries its own scores until it is averaged, or histograms if the range is stated.
    """

    __slots__ = ("measure", "random", "similar")
    measure: _rHSA  #: the measure that computed the value
    similar: "Kept"  #: of the query's similar pairs: scores, or their histogram
    random: "Kept"  #: of the query's random pairs, likewise

    def __new__(cls, measure: _rHSA, similar: "Kept", random: "Kept") -> "SlopeValue":
        """Create a float, the query's slope; in its own scores' range if the measure has none."""
        slope = measure.compute_slope([similar], [random], measure["query_fit"])
        self = float.__new__(cls, slope.value)
        self.weight = 1.0
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
        slope_values = [value for value in total.values if isinstance(value, SlopeValue)]
        # all values that a host adds up are from one measure. The first one called this method
        measure = slope_values[0].measure
        slope = measure.compute_slope(
            similar=[value.similar for value in slope_values],
            random=[value.random for value in slope_values],
            fit=measure["fit"],
        )
        _warn_of_missing_pairs(measure, slope)

        similar_outside, random_outside = slope.outside
        if similar_outside or random_outside:
            warnings.warn(
                f"{measure}: {similar_outside} similar and {random_outside} random pairs are "
                "outside its range and are left out",
                stacklevel=2,
            )
        return slope.value

    def __reduce__(self) -> tuple:
        """Return how to unpickle this value: from its measure and its pairs."""
        return type(self), (self.measure, self.similar, self.random)


rHSA = _rHSA()
