"""nDCG as collections of scientific papers define it: cut at a share of the pool, other discounts.

Conventions: gains and discounts are per document, ranks start at 1, values lie in 0..1.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ir_measures import ParamInfo

from ._base import JUDGED_ONLY, RankedMeasure, whole
from ._ranked import Ranked, Rows

if TYPE_CHECKING:
    import numpy as np

    Step = Callable[[np.ndarray], np.ndarray]  # from ranks to factors, or from relevance to gains


def _csfcube_discount(rank: "np.ndarray") -> "np.ndarray":
    """Discount from rank 3 on [Järvelin & Kekäläinen 2000, with base 2]."""
    import numpy as np

    return 1 / np.log2(np.maximum(rank, 2))


def _log2_discount(rank: "np.ndarray") -> "np.ndarray":
    """Discount as trec_eval does."""
    import numpy as np

    return 1 / np.log2(rank + 1)


class Discount(NamedTuple):
    """A discount, with its source's other choices.

    factor: from ranks to factors.
    cut_ideal: whether the ideal ranking is cut at the run's cut-off.
    judged_only: whether unjudged documents are removed before ranks are counted.
    """

    factor: "Step"
    cut_ideal: bool = True
    judged_only: bool = True


def _exp2_gain(relevance: "np.ndarray") -> "np.ndarray":
    import numpy as np

    return np.ldexp(1.0, relevance)


DISCOUNTS = {
    "csfcube": Discount(_csfcube_discount),
    "log2": Discount(_log2_discount),
    "reciprocal": Discount(lambda rank: 1 / rank, cut_ideal=False, judged_only=False),
}
#: name -> function from the relevance of judged documents (0 or more) to gains
GAINS: "dict[str, Step]" = {
    "linear": lambda relevance: relevance,
    "exp2": _exp2_gain,
    "exp2-1": lambda relevance: _exp2_gain(relevance) - 1,
}
POOLS = ("judged", "ranked")


def normalised_dcg(
    ranked: Ranked,
    percent: int | None = None,
    cutoff: int | None = None,
    pool: str = "judged",
    discount: str = "csfcube",
    gain: str = "linear",
) -> "np.ndarray":
    """Compute nDCG for all queries at once.

    Negative relevance counts as 0, unjudged documents have no gain.

    Args:
        ranked: a run, joined with its judgements.
        percent: cut-off in percent of a query's number of documents, rounded down (exactly: 29 of
            100 is 29); 0 documents give 0.
        cutoff: cut-off rank. By default, the whole ranking counts.
        pool: the documents that `percent` counts: "judged", those in the qrels; "ranked", those of
            them that the run ranks.
        discount: a name in `DISCOUNTS`.
        gain: a name in `GAINS`.

    Returns:
        float array, one value in 0..1 per query of ``ranked.queries``; 0 if the ideal is 0.
    """
    import numpy as np

    size = len(ranked.queries)
    if percent is not None:
        rows = ranked.ideal if pool == "judged" else ranked.run
        limit = percent * np.bincount(rows.query[rows.judged], minlength=size) // 100
    else:
        limit = np.full(size, cutoff or np.iinfo(np.int64).max)
    factor, cut_ideal, _ = DISCOUNTS[discount]
    reached = _dcg(ranked.run, limit, factor, GAINS[gain])
    whole_ranking = np.full(size, np.iinfo(np.int64).max)
    ideal = _dcg(ranked.ideal, limit if cut_ideal else whole_ranking, factor, GAINS[gain])
    return np.divide(reached, ideal, out=np.zeros(size), where=ideal > 0)


def _dcg(rows: Rows, limit: "np.ndarray", discount: "Step", gain: "Step") -> "np.ndarray":
    import numpy as np

    counted = rows.judged & (rows.rank <= limit[rows.query])
    gains = gain(np.maximum(rows.relevance[counted], 0)) * discount(rows.rank[counted])
    return np.bincount(rows.query[counted], weights=gains, minlength=len(limit))


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

    It is registered as ``PooledNDCG``, because ``NDCG`` is taken.

    Source: Mysore et al., CSFCube (2021), section 5 and the release's script; for
    ``NDCG(discount='log2',pool='ranked')%10``, Wang et al., DORIS-MAE (2023); for ``reciprocal``,
    Ajith et al., LitSearch (2024), the released ``calculate_ndcg``. The first two scripts take
    ``pool='ranked'``. It is not the default: with it, a run can gain by leaving documents out.
    """

    __name__ = "PooledNDCG"
    NAME = __name__
    WRITTEN = "NDCG"
    PRETTY_NAME = "Normalised Discounted Cumulative Gain of a Share of the Pool"
    SHORT_DESC = (
        "nDCG of the first k percent of each query's documents (NDCG%k), with the collection's "
        "discount and gain."
    )
    SUPPORTED_PARAMS = {
        "percent": whole(1, 100, desc="cut-off in percent of the query's documents (NDCG%k)"),
        "cutoff": whole(1, 10**9, desc="ranking cutoff threshold; not together with percent"),
        "discount": ParamInfo(
            dtype=str,
            choices=tuple(DISCOUNTS),
            default="csfcube",
            desc="csfcube: none at ranks 1 and 2, then 1/log2(rank); log2: 1/log2(rank + 1); "
            "reciprocal: 1/rank, and the ideal ranking is not cut",
        ),
        "gain": ParamInfo(
            dtype=str,
            choices=tuple(GAINS),
            default="linear",
            desc="linear: relevance; exp2: 2**relevance; exp2-1: 2**relevance - 1",
        ),
        "pool": ParamInfo(
            dtype=str,
            choices=POOLS,
            default="judged",
            desc="documents that percent counts: all judged ones, or the ranked ones of these",
        ),
        "judged_only": ParamInfo(
            dtype=bool, default=True, desc=f"{JUDGED_ONLY.desc}; the default of reciprocal is False"
        ),
    }
    REMEDIES = {
        "dcg": "; instead of dcg='log2' write discount='log2', "
        "instead of dcg='exp-log2' discount='log2',gain='exp2-1'",
        "gains": "; gain='linear', 'exp2' or 'exp2-1', or map the relevance in the qrels",
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

    def values(self, ranked: Ranked) -> "np.ndarray":
        """Compute the measure (see `normalised_dcg`)."""
        params = {name: value for name, value in self.params.items() if name != "judged_only"}
        return normalised_dcg(ranked, **params)

    def __repr__(self) -> str:
        at_percent = "percent" in self.params
        written = self._call(() if at_percent else ("discount",), ("percent", "cutoff"))
        if at_percent:
            return f"{written}%{self['percent']}"
        return f"{written}@{self['cutoff']}" if "cutoff" in self.params else written


NDCG = _NDCG()
