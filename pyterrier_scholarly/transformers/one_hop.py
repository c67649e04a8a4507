"""Expand a retriever's results by what they cite."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Protocol, TypeVar, runtime_checkable

import pandas as pd

from .. import frames
from ..arguments import Count, one_of
from .step import Step

Id = TypeVar("Id")


def interleaved(seeds: Sequence[Id], cited: Sequence[Iterable[Id]], n: Count) -> list[Id]:
    """Return the first n of: each seed, directly followed by what it cites [Ajith2024, 3.2].

    Args:
        seeds: ids, best first.
        cited: for each seed, any number of ids.
        n: maximum length.

    Returns:
        Ids, each at its first position only.

    >>> interleaved([1, 2], [[10, 2], [10, 12]], 4)
    [1, 10, 2, 12]
    """
    ids = chain.from_iterable([seed, *own] for seed, own in zip(seeds, cited))
    return list(dict.fromkeys(ids))[:n]


def appended(seeds: Sequence[Id], cited: Sequence[Iterable[Id]], n: Count) -> list[Id]:
    """Return the first n of: all seeds, then what the first cites, what the second cites, ….

    This is LitSearch's released code; its paper describes `interleaved`. Arguments and result are
    the same.

    >>> appended([1, 2], [[10, 2], [10, 12]], 4)
    [1, 2, 10, 12]
    """
    return list(dict.fromkeys(chain(seeds, *cited)))[:n]


ORDERS = {"paper": interleaved, "released": appended}


@runtime_checkable
class Graph(Protocol):
    """A corpus graph, such as those of pyterrier_adaptive."""

    def neighbours(self, docid: str) -> Iterable[object]:
        """Return the ids of a document's neighbours, in any number."""


@dataclass(eq=False, repr=False)
class OneHop(Step):
    """Add to a query's first results the papers that they cite: LitSearch's one-hop strategy.

    Columns in: `qid`, `docno`, `score`. Columns out: the topics' columns, `docno`, `score` (how
    many candidates of the query rank below) and `rank`; load texts afterwards. Results are sorted
    by descending score, ties by descending `docno`. Cited papers outside the corpus are left out
    before candidates are counted; `counts` says how many.

    Args:
        graph: a ``citation_graph(dataset)``, or any corpus graph of pyterrier_adaptive: an object
            with the method ``neighbours(docno)``.
        m: how many of a query's results are seeds [Ajith2024, 3.2].
        n: the largest number of candidates.
        order: ``"paper"``: each seed, what it cites, the next seed, …; ``"released"``, as in the
            authors' code: all seeds, then what they cite. A repeated paper counts once, at its
            first position.

    Raises:
        ValueError: an unknown `order`, `m` or `n` below 1, a result missing from the graph,
            duplicate documents, scores that are no numbers.
    """

    graph: Graph
    m: Count = 50
    n: Count = 200
    order: Annotated[str, one_of(ORDERS)] = "paper"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Expand each query's results."""
        return self._expanded(results)[0]

    def counts(self, results: pd.DataFrame) -> pd.DataFrame:
        """Count where each query's candidates come from.

        Returns:
            A frame with a row for each query: `qid`, `seeds` (seeds among the candidates), `cited`
            (other candidates), `outside` (citations of the m seeds that lead out of the corpus; 0
            if the graph has no method ``dropped`` that counts them).
        """
        return self._expanded(results)[1]

    def _expanded(self, results: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the ranked candidates, and their counts."""
        results = frames.check(
            results, self, ["qid", "docno", "score"], remedy="Put a retriever before it."
        )
        expansion = ORDERS[self.order]
        topics = results[frames.topic_columns(results)].drop_duplicates("qid")
        seeds = frames.best_first(results).groupby("qid", sort=False)["docno"]
        outside = getattr(self.graph, "dropped", lambda docnos: 0)
        rows, counts = [], []
        for qid, docnos in seeds:
            first = list(docnos[: self.m])
            ids = expansion(first, [self._cited(docno) for docno in first], self.n)
            rows.append(pd.DataFrame({"qid": qid, "docno": ids, "score": range(len(ids))[::-1]}))
            kept = len(set(ids) & set(first))
            counts.append((qid, kept, len(ids) - kept, outside(first)))
        table = pd.DataFrame(counts, columns=["qid", "seeds", "cited", "outside"])
        return frames.retrieved(topics, rows), table

    def _cited(self, docno: str) -> list[str]:
        try:
            return [str(cited) for cited in self.graph.neighbours(docno)]
        except KeyError:
            raise ValueError(
                f"{self.graph!r} has no document {docno!r}: retrieve from the graph's collection."
            ) from None
