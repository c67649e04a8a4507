"""The base class of our measures: checked parameters, one repr per meaning, one value per query.

A measure is its parameters and one method, `compute_values`::

    class _Found(RankedMeasure):
        __name__ = NAME = "Found"
        SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

        def compute_values(self, ranked: "Ranked") -> list[float]:
            hits = ranked.find_hits(ranked.run.relevance >= self["rel"])
            return ranked.sum_by_query(hits.query).tolist()

This module loads neither numpy nor pandas, because it is imported whenever ir_measures is.
"""

import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ir_measures import Measure, Metric, ParamInfo

from ..choices import check_option

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ._ranked_run import Ranked

#: marks, among a frame's attributes, a run that was warned about
WARNED = "warned of foreign ids"


def whole_number_param(low: int, high: int, **info: object) -> ParamInfo:
    """Describe a parameter that is a whole number from `low` to `high`."""
    return ParamInfo(dtype=int, choices=range(low, high + 1), **info)


def choice_param(choices: Iterable[str], default: str, desc: str) -> ParamInfo:
    """Describe a parameter that is one of a few names."""
    return ParamInfo(dtype=str, choices=tuple(choices), default=default, desc=desc)


CUTOFF = whole_number_param(1, 10**9, desc="ranking cutoff threshold; default: the whole ranking")
REL = whole_number_param(
    1, 10**9, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
JUDGED_ONLY = ParamInfo(
    dtype=bool, default=True, desc="ignore returned documents without relevance judgments"
)


class RankedMeasure(Measure):
    """Measure each query's ranking; `compute_values` does so for all queries at once.

    Every query of the qrels gets a value, also one without results. No other query does. If all
    queries or documents of a run are unjudged, there is a warning.

    Raises:
        ValueError: a parameter is unknown or out of range.
    """

    RUN_INPUTS = ["query_id", "doc_id", "score"]
    QREL_INPUTS = ["query_id", "doc_id", "relevance"]
    NAME: str  #: as registered
    __name__: str  #: as in reprs and messages
    #: unknown parameter, known from a similar measure -> what to write instead
    REMEDIES: dict[str, str] = {}

    def __init__(self, **params: object) -> None:
        for name, value in params.items():
            check_option(
                "parameter", name, self.SUPPORTED_PARAMS, self.REMEDIES.get(name), of=self.__name__
            )
            info = self.SUPPORTED_PARAMS[name]
            # by `type`, because True is an int to `isinstance`
            if type(value) is not info.dtype or not info.validate(value):
                expected = _describe_expected(info)
                raise ValueError(f"{self.__name__}: {name}={value!r}, expected {expected}")

        # ir_measures writes them in their order, and compares measures by what it writes
        super().__init__(**{name: params[name] for name in self.SUPPORTED_PARAMS if name in params})

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return a float or `Value` for each query of ``ranked.queries``.

        `runtime_impl` calls it once, with all queries. Every subclass defines it.
        """
        raise NotImplementedError

    def read_relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return the relevance of each row of the qrels, as this measure sees it: an int array.

        A subclass overrides it if it derives relevance from other columns.
        """
        from ._ranked_run import read_whole_relevance

        return read_whole_relevance(qrels)

    def runtime_impl(self, qrels: "pd.DataFrame", run: "pd.DataFrame") -> Iterator[Metric]:
        """Yield a `Metric` for each query of the qrels; ir_measures calls this."""
        from ._ranked_run import join

        ranked = join(qrels, run, self.read_relevance(qrels), self["judged_only"])
        if not ranked.run.judged.any():
            _warn_once_of_foreign_ids(qrels, run)

        for query_id, value in zip(ranked.queries, self.compute_values(ranked)):
            yield Metric(query_id, self, value)


def _describe_expected(info: ParamInfo) -> str:
    """Say which values a parameter takes."""
    if isinstance(info.choices, range):
        return f"a whole number from {info.choices[0]} to {info.choices[-1]}"
    if isinstance(info.choices, tuple):
        return "one of " + ", ".join(repr(choice) for choice in info.choices)
    return f"a {info.dtype.__name__}"


def _warn_once_of_foreign_ids(qrels: "pd.DataFrame", run: "pd.DataFrame") -> None:
    """Warn if no query, or no document, of a run is among the judgements: all values are 0."""
    if run.empty or qrels.empty or WARNED in run.attrs:
        return

    for column, kind in (("query_id", "queries"), ("doc_id", "documents")):
        if not run[column].isin(qrels[column]).any():
            run_id = run[column].iloc[0]
            judged_id = qrels[column].iloc[0]
            remedy = "Is the run of another collection? pyterrier_scholarly.check_run tells."
            if type(run_id) is not type(judged_id):  # as pd.read_csv reads the id 17 as a number
                remedy = f"Ids are texts: convert both frames by .astype({{{column!r}: str}})."
            warnings.warn(
                f"None of the run's {kind} (such as {run_id!r}) is judged; judged are "
                f"{judged_id!r} and others. So all values are 0. {remedy}",
                stacklevel=3,
            )
            # ir_measures calls each measure with the same frame, its own copy of the run
            run.attrs[WARNED] = True
            return
