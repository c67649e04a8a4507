"""What datasets are made of beside their documents, each kind of records given by a function."""

from functools import partial
from types import SimpleNamespace

from ir_datasets.formats import BaseQrels, BaseQueries, BaseScoredDocs
from ir_datasets.indices import Docstore

BASES = {"queries": BaseQueries, "qrels": BaseQrels, "scoreddocs": BaseScoredDocs}


def handler(kind, read, cls, count=None, **answers):
    """Return the part of a dataset that has records of one kind.

    It answers what ir_datasets asks of a part: ``<kind>_iter()``, ``<kind>_cls()``,
    ``<kind>_count()`` and so on; queries are looked up by id with ``queries_store()`` as well.

    kind: queries, qrels or scoreddocs; or one that ir_datasets has not, such as ratings or pairs.
    read: a function that yields the records, of class `cls`.
    count: a function from `read` to how many there are, or to None while that is not known.
    answers: what else is asked, by name: `lang` and `namespace` of queries, `defs` of qrels.
    """
    part = BASES.get(kind, SimpleNamespace)()
    answer(part, kind, cls=cls, **answers)
    setattr(part, f"{kind}_iter", read)
    if count is not None:
        setattr(part, f"{kind}_count", partial(count, read))
    if kind == "queries":
        part.queries_store = lambda: QueryStore(read(), cls)
    return part


def answer(part, kind, **answers):
    """Have `part` answer ``<kind>_<name>()`` for each of `answers`, by name."""
    for name, value in answers.items():
        setattr(part, f"{kind}_{name}", lambda value=value: value)


class QueryStore(Docstore):
    """Queries by id, as ``ir_datasets lookup ID -q`` asks for them."""

    def __init__(self, queries, cls):
        super().__init__(cls, "query_id")
        self._queries = {query.query_id: query for query in queries}

    def get(self, query_id, field=None):
        """Return the query, or its `field`; KeyError if there is none of that id."""
        if query_id not in self._queries:
            raise KeyError(f"query_id={query_id} not found")
        return super().get(query_id, field)

    def get_many_iter(self, query_ids):
        """Yield the queries of those ids that there are."""
        return (self._queries[query_id] for query_id in query_ids if query_id in self._queries)
