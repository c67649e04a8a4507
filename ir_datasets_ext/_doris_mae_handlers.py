"""The queries, judgements and candidates of a way to ask DORIS-MAE's queries."""

from dataclasses import dataclass
from typing import Callable

from ir_datasets.formats import BaseQrels, BaseQueries, BaseScoredDocs, GenericScoredDoc, TrecQrel

from ir_datasets_ext._doris_mae_release import Release
from ir_datasets_ext._handlers import QueryStore

#: abstracts of more than 512 tokens: they never count as relevant, but stay in the ideal ranking
TOO_LONG = frozenset(("28674", "205580", "346695", "346826", "346836"))

#: what relevance means where it is a total
TOTAL_DEFS = {
    0: "none of the query's aspects and sub-aspects is met in the least",
    1: "this or more: the sum of the scores (0 to 2) of the query's aspects and sub-aspects, of "
    "which there are |Q|. Relevant is what has a total of |Q| or more. The qrels' iteration column "
    "has |Q|, with a minus sign for an abstract that never counts as relevant",
}
#: what relevance means where it is a single score; a score of 1 was DISPUTE or AGREE when given
SCORE_DEFS = {
    2: "the abstract directly answers all key components of the aspect",
    1: "the abstract answers some key components of the aspect, or can be adapted to do so",
    0: "the abstract is unrelated to the aspect, or of no help with its key components",
}


@dataclass(frozen=True)
class Selection:
    """The judged queries of one dataset.

    derive: a function of (contents, part) that gives a list of `Judged` whose queries are of class
        `cls`, see `_doris_mae_judged`.
    part: "dev", "test", or None for all queries.
    """

    release: Release
    derive: Callable
    cls: type
    part: str | None = None

    def judged(self):
        """Return the queries with their candidates and judgements, a list of `Judged`."""
        return self.derive(self.release.contents(), self.part)

    def count(self, records):
        """Return how many `records()` yields, or None while the release is not downloaded."""
        return sum(1 for _ in records()) if self.release.source.present() else None


class JudgedQueries(BaseQueries):
    """The queries of a selection."""

    def __init__(self, selection):
        self._selection = selection

    def queries_iter(self):
        """Yield the queries in the release's order."""
        for judged in self._selection.judged():
            yield judged.query

    def queries_count(self):
        """Return the number of queries, or None while the release is not downloaded."""
        return self._selection.count(self.queries_iter)

    def queries_store(self):
        """Return the queries for look-ups by id."""
        return QueryStore(self.queries_iter())

    def queries_cls(self):
        """Return the class of the queries."""
        return self._selection.cls

    def queries_namespace(self):
        """Return the collection's name."""
        return self._selection.release.docs_namespace()

    def queries_lang(self):
        """Return "en"."""
        return "en"


class JudgedQrels(BaseQrels):
    """The judgements of a selection.

    definitions: what their relevance means.
    """

    def __init__(self, selection, definitions):
        self._selection = selection
        self._definitions = definitions

    def qrels_iter(self):
        """Yield TrecQrel whose `iteration` is |Q|, negative where it never counts as relevant."""
        for query, size, _, relevances in self._selection.judged():
            for doc_id, relevance in relevances.items():
                sign = "-" if doc_id in TOO_LONG else ""
                yield TrecQrel(query.query_id, doc_id, relevance, f"{sign}{size}")

    def qrels_count(self):
        """Return the number of judgements, or None while the release is not downloaded."""
        return self._selection.count(self.qrels_iter)

    def qrels_cls(self):
        """Return TrecQrel."""
        return TrecQrel

    def qrels_defs(self):
        """Return what relevance means, by the least value that means it."""
        return self._definitions


class JudgedPools(BaseScoredDocs):
    """The candidate pools of a selection, to be re-ranked."""

    def __init__(self, selection):
        self._selection = selection

    def scoreddocs_iter(self):
        """Yield GenericScoredDoc with score 0.0, in the order of the pools."""
        for judged in self._selection.judged():
            for doc_id in judged.pool:
                yield GenericScoredDoc(judged.query.query_id, doc_id, 0.0)

    def scoreddocs_count(self):
        """Return the number of candidates, or None while the release is not downloaded."""
        return self._selection.count(self.scoreddocs_iter)
