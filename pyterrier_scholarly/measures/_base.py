"""The base class of our measures: checked parameters, one repr per meaning, one value per query."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures import Measure, Metric, ParamInfo

from ._ranked import Ranked, join, whole_relevance

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def whole(low: int, high: int, **info: object) -> ParamInfo:
    """Describe a parameter that is a whole number from `low` to `high`."""
    return ParamInfo(dtype=int, choices=range(low, high + 1), **info)


CUTOFF = whole(1, 10**9, desc="ranking cutoff threshold; default: the whole ranking")
REL = whole(
    1, 10**9, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
JUDGED_ONLY = ParamInfo(
    dtype=bool, default=True, desc="ignore returned documents without relevance judgments"
)


class RankedMeasure(Measure):
    """Measure each query's ranking; `values` computes all queries at once.

    Every query of the qrels gets a value, also one without results. No other query does.
    The repr names the parameters that differ from their defaults, in the order of
    `SUPPORTED_PARAMS`. ir_measures compares reprs, so measures of one meaning are equal.

    Raises:
        ValueError: a parameter is unknown or out of range.
    """

    RUN_INPUTS = ["query_id", "doc_id", "score"]
    QREL_INPUTS = ["query_id", "doc_id", "relevance"]
    __name__: str  #: the registered name
    #: the name in reprs and messages, if it differs from the registered one
    WRITTEN: str | None = None
    #: unknown parameter, known from a similar measure -> what to write instead
    REMEDIES: dict[str, str] = {}

    def __init__(self, **params: object) -> None:
        super().__init__(**params)
        for name, value in params.items():
            self._check(name, value)

    def _check(self, name: str, value: object) -> None:
        info = self.SUPPORTED_PARAMS.get(name)
        if info is None:
            raise ValueError(
                f"{self._written} has no parameter {name!r}: expected one of "
                f"{', '.join(self.SUPPORTED_PARAMS)}{self.REMEDIES.get(name, '')}"
            )
        if type(value) is not info.dtype or not info.validate(value):
            raise ValueError(f"{self._written}: {name}={value!r}, expected {_expected(info)}")

    def default(self, name: str) -> Any:
        """Return a parameter's default; overridden where it depends on other parameters."""
        return self.SUPPORTED_PARAMS[name].default

    def __getitem__(self, name: str) -> Any:
        return self.params[name] if name in self.params else self.default(name)

    def values(self, ranked: Ranked) -> "np.ndarray | list[float]":
        """Compute the measure.

        Args:
            ranked: the run, joined with its judgements.

        Returns:
            One number per query of ``ranked.queries``: an array, or a list of floats and `Value`s.
        """
        raise NotImplementedError

    def relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return the relevance of each row of the qrels, as this measure sees it: an int array."""
        return whole_relevance(qrels)

    def runtime_impl(self, qrels: "pd.DataFrame", run: "pd.DataFrame") -> Iterator[Metric]:
        """Yield a `Metric` for each query of the qrels; ir_measures calls this."""
        ranked = join(qrels, run, self["judged_only"], self.relevance)
        values = self.values(ranked)
        for query_id, value in zip(ranked.queries, getattr(values, "tolist", lambda: values)()):
            yield Metric(query_id, self, value)

    @property
    def _written(self) -> str:
        return self.WRITTEN or self.__name__

    def _call(self, always: Collection[str] = (), never: Collection[str] = ()) -> str:
        """Write ``name(param=value,...)`` with the parameters that are not default."""
        params = [
            f"{param}={self[param]!r}"
            for param in self.SUPPORTED_PARAMS
            if param not in never and (param in always or self[param] != self.default(param))
        ]
        return f"{self._written}({','.join(params)})" if params else self._written

    def __repr__(self) -> str:
        written = self._call(never=(self.AT_PARAM,))
        return f"{written}@{self[self.AT_PARAM]}" if self.AT_PARAM in self.params else written


def _expected(info: ParamInfo) -> str:
    if isinstance(info.choices, range):
        return f"a whole number from {info.choices[0]} to {info.choices[-1]}"
    if isinstance(info.choices, tuple):
        return "one of " + ", ".join(map(repr, info.choices))
    return f"a {info.dtype.__name__}"
