"""LitSearch's papers with what they cite, and the questions and judgements of a subset."""

from ir_datasets.formats import BaseQrels, BaseQueries, GenericQrel

from ir_datasets_ext._handlers import QueryStore, StoredDocs
from ir_datasets_ext._litsearch_records import LitsearchQuery

QREL_DEFS = {1: "answers the question; what else does is not known"}


class CitingDocs(StoredDocs):
    """Documents that have a field `citations`."""

    def citations(self, doc_id):
        """Return the ids of the papers that `doc_id` cites: a tuple, in the release's order.

        Papers that are not in the collection are among them. KeyError for an unknown `doc_id`.
        """
        return self.docs_store().get(doc_id).citations


class SubsetQueries(BaseQueries):
    """The questions of a subset."""

    def __init__(self, subset, namespace):
        self._subset = subset
        self._namespace = namespace

    def queries_iter(self):
        """Yield LitsearchQuery in the release's order."""
        for question, _ in self._subset.questions():
            yield question

    def queries_count(self):
        """Return the number of questions, or None while their file is not downloaded."""
        return self._subset.count(self.queries_iter)

    def queries_store(self):
        """Return the questions for look-ups by id."""
        return QueryStore(self.queries_iter())

    def queries_cls(self):
        """Return LitsearchQuery."""
        return LitsearchQuery

    def queries_namespace(self):
        """Return the collection's name."""
        return self._namespace

    def queries_lang(self):
        """Return "en"."""
        return "en"


class SubsetQrels(BaseQrels):
    """The papers that answer the questions of a subset; no others are judged."""

    def __init__(self, subset):
        self._subset = subset

    def qrels_iter(self):
        """Yield GenericQrel with relevance 1, in the release's order."""
        for question, sought in self._subset.questions():
            for doc_id in sought:
                yield GenericQrel(question.query_id, doc_id, 1)

    def qrels_count(self):
        """Return the number of judgements, or None while their file is not downloaded."""
        return self._subset.count(self.qrels_iter)

    def qrels_defs(self):
        """Return what the grade means."""
        return QREL_DEFS
