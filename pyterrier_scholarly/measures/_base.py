"""The base class of our measures: checked parameters, one repr per meaning, one value per query."""

import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures import Measure, Metric, ParamInfo

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ._ranked import Ranked

BROKEN = re.compile("[\ud800-\udfff]")  # half a surrogate pair
#: marks, among a frame's attributes, a run that was warned about
WARNED = "warned of foreign ids"


def whole(low: int, high: int, **info: object) -> ParamInfo:
    """Describe a parameter that is a whole number from `low` to `high`."""
    return ParamInfo(dtype=int, choices=range(low, high + 1), **info)


def one_of(choices: Iterable[str], default: str, desc: str) -> ParamInfo:
    """Describe a parameter that is one of a few names."""
    return ParamInfo(dtype=str, choices=tuple(choices), default=default, desc=desc)


CUTOFF = whole(1, 10**9, desc="ranking cutoff threshold; default: the whole ranking")
REL = whole(
    1, 10**9, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
JUDGED_ONLY = ParamInfo(
    dtype=bool, default=True, desc="ignore returned documents without relevance judgments"
)


class RankedMeasure(Measure):
    """Measure each query's ranking; `values` computes all queries at once.

    Every query of the qrels gets a value, also one without results. No other query does. If all
    queries or documents of a run are unjudged, there is a warning.

    The repr names the parameters that differ from their defaults, in the order of
    `SUPPORTED_PARAMS`. ir_measures compares reprs, so measures of one meaning are equal.

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
        super().__init__(**params)
        for name, value in params.items():
            info = self.SUPPORTED_PARAMS.get(name)
            if info is None:
                raise ValueError(self._describe_unknown(name))
            if type(value) is not info.dtype or not info.validate(value):
                raise ValueError(f"{self.__name__}: {name}={value!r}, expected {_expected(info)}")

    def _describe_unknown(self, name: str) -> str:
        """Return the message of an error about an unknown parameter."""
        # here, because ir_datasets_ext loads ir_datasets, which who measures may not need
        from ir_datasets_ext.choices import describe_unknown

        message = describe_unknown("parameter", name, self.SUPPORTED_PARAMS, of=self.__name__)
        return f"{message} {self.REMEDIES.get(name, '')}".rstrip()

    def default(self, name: str) -> Any:
        """Return a parameter's default; overridden where it depends on other parameters."""
        return self.SUPPORTED_PARAMS[name].default

    def __getitem__(self, name: str) -> Any:
        return self.params[name] if name in self.params else self.default(name)

    def values(self, ranked: "Ranked") -> list[float]:
        """Return a float or `Value` for each query of ``ranked.queries``."""
        raise NotImplementedError

    def relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return the relevance of each row of the qrels, as this measure sees it: an int array."""
        from ._ranked import whole_relevance

        return whole_relevance(qrels)

    def runtime_impl(self, qrels: "pd.DataFrame", run: "pd.DataFrame") -> Iterator[Metric]:
        """Yield a `Metric` for each query of the qrels; ir_measures calls this."""
        from ._ranked import join

        _check_columns("qrels", qrels, "relevance")
        _check_columns("run", run, "score")
        ranked = join(qrels, run, self["judged_only"], self.relevance)
        if not ranked.run.judged.any():
            _warn_once_of_foreign_ids(qrels, run)

        for query_id, value in zip(ranked.queries, self.values(ranked)):
            yield Metric(query_id, self, value)

    def written(self, always: Collection[str] = (), never: Collection[str] = ()) -> str:
        """Write ``name(param=value,...)`` with the parameters that are not default."""
        params = [
            f"{param}={self[param]!r}"
            for param in self.SUPPORTED_PARAMS
            if param not in never and (param in always or self[param] != self.default(param))
        ]
        return f"{self.__name__}({','.join(params)})" if params else self.__name__

    def __repr__(self) -> str:
        written = self.written(never=(self.AT_PARAM,))
        return f"{written}@{self[self.AT_PARAM]}" if self.AT_PARAM in self.params else written


def _warn_once_of_foreign_ids(qrels: "pd.DataFrame", run: "pd.DataFrame") -> None:
    """Warn if no query, or no document, of a run is among the judgements: all values are 0."""
    if run.empty or qrels.empty or WARNED in run.attrs:
        return

    for column, kind in (("query_id", "queries"), ("doc_id", "documents")):
        if not run[column].isin(qrels[column]).any():
            warnings.warn(
                f"None of the run's {kind} (such as {run[column].iloc[0]!r}) is judged; judged are "
                f"{qrels[column].iloc[0]!r} and others. So all values are 0. Is the run of another "
                "collection? pyterrier_scholarly.check_run tells.",
                stacklevel=3,
            )
            # ir_measures calls each measure with the same frame, its own copy of the run
            run.attrs[WARNED] = True
            return


def _expected(info: ParamInfo) -> str:
    if isinstance(info.choices, range):
        return f"a whole number from {info.choices[0]} to {info.choices[-1]}"
    if isinstance(info.choices, tuple):
        return "one of " + ", ".join(map(repr, info.choices))
    return f"a {info.dtype.__name__}"


def _check_columns(what: str, frame: "pd.DataFrame", number: str) -> None:
    """Raise ValueError unless a frame has two columns of ids, which are texts, and `number`.

    ir_measures' ids are texts; other values may have no hash or no order.
    """
    columns = ("query_id", "doc_id", number)
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(
            f"{what} without column {', '.join(missing)}: expected {', '.join(columns)}, "
            f"found {', '.join(map(str, frame.columns))}"
        )
    for column in columns[:2]:
        values = frame[column]
        if str(values.dtype) in ("str", "string") and not values.hasnans:
            continue
        wrong = [v for v in values.tolist() if not isinstance(v, str) or BROKEN.search(v)]
        if wrong:
            raise ValueError(
                f"{what}, column {column}: {wrong[0]!r:.60} is no text; convert ids with "
                f".astype({{{column!r}: str}}), and drop rows without one"
            )
