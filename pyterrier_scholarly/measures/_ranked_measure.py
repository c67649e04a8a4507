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

import re
import warnings
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ir_measures import Measure, Metric, ParamInfo

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ._ranked_run import Ranked

HALF_SURROGATE = re.compile("[\ud800-\udfff]")  # half a pair, which no encoding can write
ID_COLUMNS = ("query_id", "doc_id")
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
            # by `type`, because True is an int to `isinstance`
            if type(value) is not info.dtype or not info.validate(value):
                expected = _describe_expected(info)
                raise ValueError(f"{self.__name__}: {name}={value!r}, expected {expected}")

    # --- what a subclass defines ---------------------------------------------------------------

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return a float or `Value` for each query of ``ranked.queries``.

        `runtime_impl` calls it once, with all queries. Every subclass defines it.
        """
        raise NotImplementedError

    def read_relevance(self, qrels: "pd.DataFrame") -> "np.ndarray":
        """Return the relevance of each row of the qrels, as this measure sees it: an int array.

        `runtime_impl` passes it to `join`, which calls it once. A subclass overrides it if it
        derives relevance from other columns.
        """
        from ._ranked_run import read_whole_relevance

        return read_whole_relevance(qrels)

    def default_of(self, name: str) -> Any:
        """Return a parameter's default; overridden where it depends on other parameters."""
        return self.SUPPORTED_PARAMS[name].default

    # --- what ir_measures and subclasses call --------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """Return a parameter's value, or its default."""
        if name in self.params:
            return self.params[name]
        return self.default_of(name)

    def runtime_impl(self, qrels: "pd.DataFrame", run: "pd.DataFrame") -> Iterator[Metric]:
        """Yield a `Metric` for each query of the qrels; ir_measures calls this."""
        from ._ranked_run import join

        _check_columns("qrels", qrels, "relevance")
        _check_columns("run", run, "score")

        ranked = join(qrels, run, self["judged_only"], self.read_relevance)
        if not ranked.run.judged.any():
            _warn_once_of_foreign_ids(qrels, run)

        for query_id, value in zip(ranked.queries, self.compute_values(ranked)):
            yield Metric(query_id, self, value)

    def __repr__(self) -> str:
        """Return the measure as text, such as ``NDCG(gain='exp2')@10``.

        As in ir_measures, the parameter that `AT_PARAM` names, the cut-off, follows an @; so it is
        left out of the parentheses.
        """
        text_without_cutoff = self.write(never=(self.AT_PARAM,))
        if self.AT_PARAM not in self.params:
            return text_without_cutoff

        cutoff = self[self.AT_PARAM]
        return f"{text_without_cutoff}@{cutoff}"

    def write(self, always: Collection[str] = (), never: Collection[str] = ()) -> str:
        """Write ``name(param=value,...)`` with the parameters that are not default.

        always, never: names of parameters that are written, or left out, in any case.
        """
        written_params = []
        for param in self.SUPPORTED_PARAMS:
            is_default = self[param] == self.default_of(param)
            is_written = param in always or not is_default
            if is_written and param not in never:
                written_params.append(f"{param}={self[param]!r}")

        if not written_params:
            return self.__name__
        return f"{self.__name__}({','.join(written_params)})"

    def _describe_unknown(self, name: str) -> str:
        """Return the message of an error about an unknown parameter."""
        # here, because ir_datasets_ext loads ir_datasets, which who measures may not need
        from ir_datasets_ext.choices import describe_unknown

        message = describe_unknown("parameter", name, self.SUPPORTED_PARAMS, of=self.__name__)
        remedy = self.REMEDIES.get(name, "")
        return f"{message} {remedy}".rstrip()


def _describe_expected(info: ParamInfo) -> str:
    """Say which values a parameter takes."""
    if isinstance(info.choices, range):
        return f"a whole number from {info.choices[0]} to {info.choices[-1]}"
    if isinstance(info.choices, tuple):
        return "one of " + ", ".join(repr(choice) for choice in info.choices)
    return f"a {info.dtype.__name__}"


def _check_columns(what: str, frame: "pd.DataFrame", number_column: str) -> None:
    """Raise ValueError unless a frame has two columns of ids, which are texts, and a third one.

    ir_measures' ids are texts; other values may have no hash or no order.

    Args:
        what: the frame's name in the message.
        number_column: the third column; what it holds is checked where it is read.
    """
    columns = (*ID_COLUMNS, number_column)
    missing_columns = [column for column in columns if column not in frame]
    if missing_columns:
        raise ValueError(
            f"{what} without column {', '.join(missing_columns)}: expected {', '.join(columns)}, "
            f"found {', '.join(str(column) for column in frame.columns)}"
        )

    for column in ID_COLUMNS:
        ids = frame[column]
        # pandas' own type of texts holds nothing else, so a look at each value is saved
        is_text_column = str(ids.dtype) in ("str", "string") and not ids.hasnans
        if is_text_column:
            continue

        wrong_ids = [value for value in ids.tolist() if not _is_writable_text(value)]
        if wrong_ids:
            raise ValueError(
                f"{what}, column {column}: {wrong_ids[0]!r:.60} is no text; convert ids with "
                f".astype({{{column!r}: str}}), and drop rows without one"
            )


def _is_writable_text(value: object) -> bool:
    return isinstance(value, str) and not HALF_SURROGATE.search(value)


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
