"""CSFCube's measures: nDCG of a share of the pool, and precision at the last relevant document.

The nDCG also has the discounts of DORIS-MAE and LitSearch.

Conventions: gains and discounts are per document, ranks start at 1, values lie in 0..1. Negative
relevance counts as 0; unjudged documents have no gain.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ir_measures import ParamInfo

from ._base import JUDGED_ONLY, REL, RankedMeasure, one_of, whole

if TYPE_CHECKING:
    import numpy as np

    from ._ranked import Ranked, Rows

    Factor = Callable[[np.ndarray], np.ndarray]  # from ranks to factors
    #: from the relevance of documents, and the largest of each one's query, to gains
    Gain = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _per_log2(number: "np.ndarray") -> "np.ndarray":
    import numpy as np

    return 1 / np.log2(number)


class Discount(NamedTuple):
    """A discount, with its source's other choices."""

    factor: "Factor"
    cut_ideal: bool = True  #: whether the ideal ranking is cut at the run's cut-off
    judged_only: bool = True  #: whether unjudged documents are removed before ranks are counted


def _linear_gain(relevance: "np.ndarray", largest: "np.ndarray") -> "np.ndarray":
    return relevance


def _exp2_gain(relevance: "np.ndarray", largest: "np.ndarray") -> "np.ndarray":
    """Return ``2**relevance``, divided by its largest value: a relevance of 2000 would overflow.

    An nDCG divides one sum of gains by another, so that no common factor changes it.
    """
    import numpy as np

    return np.ldexp(1.0, relevance - largest)


def _exp2_minus_1_gain(relevance: "np.ndarray", largest: "np.ndarray") -> "np.ndarray":
    """Return ``2**relevance - 1``, divided like `_exp2_gain`."""
    import numpy as np

    return _exp2_gain(relevance, largest) - np.ldexp(1.0, -largest)


DISCOUNTS = {
    # from rank 3 on [Järvelin & Kekäläinen 2000, with base 2]
    "csfcube": Discount(lambda rank: _per_log2(rank.clip(2))),
    "log2": Discount(lambda rank: _per_log2(rank + 1)),  # as in trec_eval
    "reciprocal": Discount(lambda rank: 1 / rank, cut_ideal=False, judged_only=False),
}
#: name -> function of judged documents, whose relevance is 0 or more
GAINS: "dict[str, Gain]" = {
    "linear": _linear_gain,
    "exp2": _exp2_gain,
    "exp2-1": _exp2_minus_1_gain,
}
#: parameters that say where a ranking is cut, not how it is measured
CUTS = ("percent", "cutoff")


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
        "percent": whole(1, 100, desc="cut-off in percent of the query's documents (NDCG%k)"),
        "cutoff": whole(1, 10**9, desc="ranking cutoff threshold; not together with percent"),
        "discount": one_of(
            DISCOUNTS,
            "csfcube",
            "csfcube: none at ranks 1 and 2, then 1/log2(rank); log2: 1/log2(rank + 1); "
            "reciprocal: 1/rank, and the ideal ranking is not cut",
        ),
        "gain": one_of(
            GAINS, "linear", "linear: relevance; exp2: 2**relevance; exp2-1: 2**relevance - 1"
        ),
        "pool": one_of(
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

    def default(self, name: str) -> object:
        """Return a parameter's default; that of `judged_only` depends on the discount."""
        if name == "judged_only":
            return DISCOUNTS[self["discount"]].judged_only
        return super().default(name)

    def __mod__(self, percent: int) -> "_NDCG":
        return self(percent=percent)

    def values(self, ranked: "Ranked") -> list[float]:
        """Return values in 0..1; 0 if the ideal is 0.

        `percent` is rounded down exactly (29 of 100 is 29); a cut-off of 0 documents gives 0.
        """
        import numpy as np

        size, whole_ranking = len(ranked.queries), np.iinfo(np.int64).max
        limit = np.full(size, self.params.get("cutoff", whole_ranking))
        if "percent" in self.params:
            rows = ranked.ideal if self["pool"] == "judged" else ranked.run
            limit = self["percent"] * ranked.sums(rows.query[rows.judged]) // 100
        largest = np.zeros(size, dtype=np.int64)  # relevance of each query
        is_first = ranked.ideal.rank == 1
        largest[ranked.ideal.query[is_first]] = ranked.ideal.relevance[is_first].clip(0)

        reached = ranked.sums(*self._gains(ranked.run, limit, largest))
        if not DISCOUNTS[self["discount"]].cut_ideal:
            limit = np.full(size, whole_ranking)
        ideal = ranked.sums(*self._gains(ranked.ideal, limit, largest))
        return np.divide(reached, ideal, out=np.zeros(size), where=ideal > 0).tolist()

    def _gains(
        self, rows: "Rows", limit: "np.ndarray", largest: "np.ndarray"
    ) -> "tuple[np.ndarray, np.ndarray]":
        """Return query and discounted gain of the judged rows within each query's limit."""
        is_counted = rows.judged & (rows.rank <= limit[rows.query])
        query = rows.query[is_counted]
        gains = GAINS[self["gain"]](rows.relevance[is_counted].clip(0), largest[query])
        factors = DISCOUNTS[self["discount"]].factor(rows.rank[is_counted])
        return query, gains * factors

    def __repr__(self) -> str:
        if "percent" in self.params:
            name = self._short_name() or self.written(never=["percent"])
            return f"{name}%{self['percent']}"

        # a bare NDCG@20 is ir_measures' own, so the discount is always written
        name = self._short_name() or self.written(always=["discount"], never=["cutoff"])
        if "cutoff" in self.params:
            return f"{name}@{self['cutoff']}"
        return name

    def _short_name(self) -> str | None:
        """Return the name in `SHORT_NAMES` of a measure with this one's parameters, if any."""
        for short_name, formulation in SHORT_NAMES.items():
            if self._formulation() == formulation._formulation():
                return short_name
        return None

    def _formulation(self) -> dict[str, object]:
        """Return all parameters but the cut, with their defaults."""
        return {name: self[name] for name in self.SUPPORTED_PARAMS if name not in CUTS}


NDCG = _NDCG()
#: short name -> the formulation that it stands for; a cut-off follows it
SHORT_NAMES: dict[str, _NDCG] = {
    "DorisNDCG": NDCG(discount="log2", pool="ranked"),
    "DorisNDCGexp": NDCG(discount="log2", gain="exp2", pool="ranked"),
    "LitSearchNDCG": NDCG(discount="reciprocal"),
}


class _PLastRel(RankedMeasure):
    """Precision at the rank of the last relevant document; 0 if one of them is not ranked.

    It equals interpolated precision at recall 1. CSFCube's evaluation script calls it R-Precision.
    Elsewhere that is the precision at rank R, the number of relevant documents (``Rprec``).

    Unjudged documents are removed before ranks are counted; ``judged_only=False`` keeps them.
    Ties are broken by document id, descending.

    Source: the evaluation script of Mysore et al., CSFCube (2021).
    """

    __name__ = NAME = "PLastRel"
    PRETTY_NAME = "Precision at the Last Relevant Document"
    SHORT_DESC = "The share of relevant documents among those ranked down to the last relevant one."
    SUPPORTED_PARAMS = {"rel": REL, "judged_only": JUDGED_ONLY}

    def values(self, ranked: "Ranked") -> list[float]:
        """Return values in 0..1; also 0 if no document is relevant."""
        query, rank, number = ranked.hits(ranked.run.relevance >= self["rel"])
        last = number == ranked.relevant(self["rel"])[query]
        return ranked.sums(query[last], number[last] / rank[last]).tolist()


PLastRel = _PLastRel()
