"""nDCG of a share of the pool, with the discounts of CSFCube, DORIS-MAE and LitSearch.

    >>> from ir_measures import parse_measure
    >>> parse_measure("NDCG%20")
    NDCG%20
    >>> NDCG(discount="log2", pool="ranked") % 10
    DorisNDCG%10

Conventions: gains and discounts are per document, ranks start at 1, values lie in 0..1. Negative
relevance counts as 0; unjudged documents have no gain.
"""

import warnings
from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_measures import ParamInfo

from ._ranked_measure import JUDGED_ONLY, RankedMeasure, choice_param, whole_number_param

if TYPE_CHECKING:
    import numpy as np

    from ._ranked_run import Ranked, Rows


# --- discounts and gains: functions of arrays ---------------------------------------------------


def _compute_log2(numbers: Any) -> Any:
    import numpy as np  # not with the module, which is imported whenever ir_measures is

    return np.log2(numbers)


def _compute_exp2(exponents: Any) -> Any:
    import numpy as np

    return np.ldexp(1.0, exponents)


class Discount(NamedTuple):
    """A discount, with its source's other choices."""

    factor: Callable[[Any], Any]  #: from ranks to what gains are multiplied by
    cut_ideal: bool = True  #: whether the ideal ranking is cut at the run's cut-off
    judged_only: bool = True  #: whether unjudged documents are removed before ranks are counted


DISCOUNTS = {
    # from rank 3 on [Järvelin & Kekäläinen 2000, with base 2]
    "csfcube": Discount(lambda rank: 1 / _compute_log2(rank.clip(2))),
    # from rank 2 on, as trec_eval
    "log2": Discount(lambda rank: 1 / _compute_log2(rank + 1)),
    "reciprocal": Discount(lambda rank: 1 / rank, cut_ideal=False, judged_only=False),
}

#: name -> function from the relevance of judged documents, 0 or more, and the largest one of each
#: document's query. Powers of 2 are divided by that of the largest relevance, because 2**2000 would
#: overflow: an nDCG divides one sum of gains by another, so that no common factor changes it
GAINS: dict[str, Callable[[Any, Any], Any]] = {
    "linear": lambda relevance, largest: relevance,
    "exp2": lambda relevance, largest: _compute_exp2(relevance - largest),
    "exp2-1": lambda relevance, largest: (
        _compute_exp2(relevance - largest) - _compute_exp2(-largest)
    ),
}


# --- the measure -------------------------------------------------------------------------------

#: the parameters that say how a ranking is measured; the others say where it is cut
FORMULATION = ("discount", "gain", "pool", "judged_only")
#: short name -> the parameters that it stands for; a cut-off follows it
SHORT_NAMES: dict[str, dict[str, str]] = {
    "DorisNDCG": {"discount": "log2", "pool": "ranked"},
    "DorisNDCGexp": {"discount": "log2", "gain": "exp2", "pool": "ranked"},
    "LitSearchNDCG": {"discount": "reciprocal"},
}


class _NDCG(RankedMeasure):
    """nDCG cut at a share of the pool (``NDCG%20``), or with another discount than trec_eval's.

    ``NDCG%k`` cuts each query's ranking after k percent of its documents. Its default discount is
    that of CSFCube's evaluation script; its default gain is the relevance itself. The ideal ranking
    is that of all judged documents. At a fixed rank or over the whole ranking, write the discount:
    ``NDCG(discount='csfcube')@20``, because ``NDCG@20`` is ir_measures' own.

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them. Note
    that ``P@20`` counts them; ``P(judged_only=True)@20`` does not. Ties are broken by document id,
    descending.

    ``NDCG(discount='reciprocal')@10`` is LitSearch's: the sum of 1/rank over the relevant documents
    found, divided by the sum of 1/i for i up to their number in the judgements. So its ideal is not
    cut, and unjudged documents keep their ranks, unless ``judged_only=True``. LitSearch's grades
    are 0 and 1; higher ones count by `gain`.

    It is registered as ``PooledNDCG``, because ``NDCG`` is taken. Three formulations have short
    names, which are read and printed: ``DorisNDCG%10`` and ``DorisNDCGexp%10`` are DORIS-MAE's
    ``NDCG(discount='log2',pool='ranked')%10`` and the same with ``gain='exp2'``;
    ``LitSearchNDCG@10`` is ``NDCG(discount='reciprocal')@10``.

    Source: Mysore et al., CSFCube (2021), section 5 and the release's script; for
    ``NDCG(discount='log2',pool='ranked')%10``, Wang et al., DORIS-MAE (2023); for ``reciprocal``,
    Ajith et al., LitSearch (2024), the released ``calculate_ndcg``. The first two scripts take
    ``pool='ranked'``. It is not the default: with it, a run can gain by leaving documents out.
    """

    NAME = "PooledNDCG"
    __name__ = "NDCG"
    PRETTY_NAME = "Normalised Discounted Cumulative Gain of a Share of the Pool"
    SHORT_DESC = "nDCG of the first k percent of a query's documents, as collections define it."
    SUPPORTED_PARAMS = {
        "percent": whole_number_param(
            1, 100, desc="cut-off in percent of the query's documents (NDCG%k)"
        ),
        "cutoff": whole_number_param(
            1, 10**9, desc="ranking cutoff threshold; not together with percent"
        ),
        "discount": choice_param(
            DISCOUNTS,
            "csfcube",
            "csfcube: none at ranks 1 and 2, then 1/log2(rank); log2: 1/log2(rank + 1); "
            "reciprocal: 1/rank, and the ideal ranking is not cut",
        ),
        "gain": choice_param(
            GAINS, "linear", "linear: relevance; exp2: 2**relevance; exp2-1: 2**relevance - 1"
        ),
        "pool": choice_param(
            ("judged", "ranked"), "judged", "percent counts judged documents: all, or the ranked"
        ),
        "judged_only": ParamInfo(
            dtype=bool, default=True, desc=f"{JUDGED_ONLY.desc}; the default of reciprocal is False"
        ),
    }
    REMEDIES = {
        "dcg": "Instead of dcg='log2' write discount='log2', "
        "instead of dcg='exp-log2' discount='log2',gain='exp2-1'.",
        "gains": "Pass gain='linear', 'exp2' or 'exp2-1', or map the relevance in the qrels.",
    }

    def __init__(self, **params: object) -> None:
        super().__init__(**params)
        if "percent" in params and "cutoff" in params:
            raise ValueError(
                "percent and cutoff exclude each other: write NDCG%20 for the first 20 percent, or "
                "NDCG(discount='csfcube')@20 for the first 20 documents"
            )

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self._default_of(name))

    def _default_of(self, name: str) -> object:
        """Return a parameter's default; that of `judged_only` depends on the discount."""
        if name == "judged_only":
            return DISCOUNTS[self["discount"]].judged_only
        return self.SUPPORTED_PARAMS[name].default

    def __mod__(self, percent: int) -> "_NDCG":
        return self(percent=percent)

    def compute_values(self, ranked: "Ranked") -> list[float]:
        """Return values in 0..1; 0 if the ideal is 0."""
        import numpy as np

        # the last rank that counts for each query
        pool = ranked.ideal if self["pool"] == "judged" else ranked.run
        pool_sizes = ranked.sum_by_query(pool.query[pool.judged])
        limits = np.full(len(pool_sizes), self.find_limits(pool_sizes))
        small_count = np.count_nonzero((limits == 0) & (pool_sizes > 0))
        if small_count:
            warnings.warn(
                f"{self}: for {small_count} of {len(limits)} queries {self['percent']} percent of "
                "the judged documents are less than one, so their value is 0 for every run. A "
                "share of a pool is for collections with pools; elsewhere write a rank, such as "
                "nDCG@10 or LitSearchNDCG@10",
                stacklevel=2,
            )

        # some discounts cut the run alone, and not the ideal ranking
        is_ideal_cut = DISCOUNTS[self["discount"]].cut_ideal
        ideal_limits = limits if is_ideal_cut else np.full(len(limits), inf)
        dcg = self._sum_gains(ranked, ranked.run, limits)
        ideal_dcg = self._sum_gains(ranked, ranked.ideal, ideal_limits)

        # without an ideal gain, the value is 0 / infinity
        divisors = np.where(ideal_dcg > 0, ideal_dcg, inf)
        return (dcg / divisors).tolist()

    def find_limits(self, pool_sizes: Any) -> Any:
        """Return the last rank that counts, for the pool size of one query or those of an array.

        `percent` is rounded down exactly (29 of 100 is 29); a limit of 0 documents gives 0.
        """
        if "percent" in self.params:
            return self["percent"] * pool_sizes // 100
        return self.params.get("cutoff", inf)

    def _sum_gains(self, ranked: "Ranked", rows: "Rows", limits: "np.ndarray") -> "np.ndarray":
        """Add up the discounted gains of each query's judged documents: a float array (queries,).

        Args:
            rows: a ranking; the run's, or the ideal one.
            limits: the last rank that counts for each query, (queries,).
        """
        is_counted = rows.judged & (rows.rank <= limits[rows.query])
        query = rows.query[is_counted]
        relevance = rows.relevance[is_counted].clip(0)

        compute_gains = GAINS[self["gain"]]
        largest_relevance = ranked.highest_relevance.clip(0)
        gains = compute_gains(relevance, largest_relevance[query])
        discount = DISCOUNTS[self["discount"]]
        return ranked.sum_by_query(query, gains * discount.factor(rows.rank[is_counted]))

    def __repr__(self) -> str:
        cut = ""
        if "percent" in self.params:
            cut = f"%{self['percent']}"
        elif "cutoff" in self.params:
            cut = f"@{self['cutoff']}"

        written = {name: self[name] for name in FORMULATION if self[name] != self._default_of(name)}
        for short_name, params in SHORT_NAMES.items():
            if written == params:
                return f"{short_name}{cut}"

        # a bare NDCG@20 is ir_measures' own, so the discount is always written
        if "percent" not in self.params:
            written = {"discount": self["discount"], **written}
        if not written:
            return f"NDCG{cut}"
        arguments = [f"{name}={value!r}" for name, value in written.items()]
        return f"NDCG({','.join(arguments)}){cut}"


NDCG = _NDCG()
