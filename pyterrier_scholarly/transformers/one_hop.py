"""Expand a retriever's results by what they cite.

retriever >> OneHop(citation_graph("litsearch")) >> dataset.text_loader(["title", "text"])
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Literal, Protocol, TypeVar, runtime_checkable

import pandas as pd

from ..step import Count, Step, best_first, retrieved, topic_columns

Id = TypeVar("Id")


def interleaved(seeds: Sequence[Id], cited: Sequence[Iterable[Id]], n: int) -> list[Id]:
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
    groups = [[seed, *cited_by_seed] for seed, cited_by_seed in zip(seeds, cited)]
    return list(dict.fromkeys(chain.from_iterable(groups)))[:n]


def appended(seeds: Sequence[Id], cited: Sequence[Iterable[Id]], n: int) -> list[Id]:
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
    order: Literal["paper", "released"] = "paper"

    def transform(self, results: pd.DataFrame) -> pd.DataFrame:
        """Expand each query's results."""
        candidates, _ = self._expand(results)
        return candidates

    def counts(self, results: pd.DataFrame) -> pd.DataFrame:
        """Count where each query's candidates come from.

        Returns:
            A frame with a row for each query: `qid`, `seeds` (seeds among the candidates), `cited`
            (other candidates), `outside` (citations of the m seeds that lead out of the corpus; 0
            if the graph has no method ``dropped`` that counts them).
        """
        _, counts = self._expand(results)
        return counts

    def _expand(self, results: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the candidates of all queries, ranked, and where those of each come from."""
        remedy = "Put a retriever before it."
        results = self.check(results, ["qid", "docno", "score"], remedy=remedy)
        candidate_frames = []
        count_rows = []
        for qid, docnos in best_first(results).groupby("qid", sort=False)["docno"]:
            seeds = list(docnos[: self.m])
            cited_by_seeds = [self._find_cited(seed) for seed in seeds]
            candidate_ids = ORDERS[self.order](seeds, cited_by_seeds, self.n)  # best first

            # a candidate's score is the number of those below it: the last one has 0
            candidate_count = len(candidate_ids)
            scores = range(candidate_count - 1, -1, -1)
            candidates = {"qid": qid, "docno": candidate_ids, "score": scores}
            candidate_frames.append(pd.DataFrame(candidates))

            # `n` can cut off seeds, so they are counted; every other candidate is cited by one
            seed_count = len(set(seeds).intersection(candidate_ids))
            cited_count = candidate_count - seed_count
            outside_count = self.graph.dropped(seeds) if hasattr(self.graph, "dropped") else 0
            count_rows.append((qid, seed_count, cited_count, outside_count))

        topics = results[topic_columns(results)].drop_duplicates("qid")
        counts = pd.DataFrame(count_rows, columns=["qid", "seeds", "cited", "outside"])
        return retrieved(topics, candidate_frames), counts

    def _find_cited(self, docno: str) -> list[str]:
        """Return the ids of the papers that a document cites."""
        try:
            return [str(cited) for cited in self.graph.neighbours(docno)]
        except KeyError:
            raise ValueError(
                f"{self.graph!r} has no document {docno!r}: retrieve from the graph's collection."
            ) from None
