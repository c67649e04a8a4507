"""Documents, queries, judgements, pools, ratings and pairs out of a collection's tables."""

from ir_datasets.formats import (
    BaseQrels,
    BaseQueries,
    BaseScoredDocs,
    GenericQrel,
    GenericScoredDoc,
    TrecQrel,
)

from ir_datasets_ext._handlers import QueryStore, StoredDocs
from ir_datasets_ext.local.kinds import PoolSource, Rating, record


class LocalDocs(StoredDocs):
    """The documents of a collection on this machine."""

    def __init__(self, manifest):
        kind, self._name = manifest.folder.parent.name, manifest.folder.name
        cls = record("docs", manifest.docs.fields)
        super().__init__(
            kind,
            lambda: [manifest.docs],
            lambda: map(cls._make, manifest.docs.rows()),
            cls,
            manifest.about.lang,
            self._name,
        )

    def docs_namespace(self):
        """Return the collection's name."""
        return self._name


class LocalQueries(BaseQueries):
    """The queries of a part."""

    def __init__(self, table, manifest):
        self._table, self._manifest = table, manifest

    def queries_iter(self):
        """Yield the queries in the table's order."""
        return map(self.queries_cls()._make, self._table.rows())

    def queries_count(self):
        """Return the number of queries."""
        return count(self._table)

    def queries_store(self):
        """Return the queries for look-ups by id."""
        return QueryStore(self.queries_iter())

    def queries_cls(self):
        """Return the class of the queries, with the table's fields."""
        return record("queries", self._table.fields)

    def queries_namespace(self):
        """Return the collection's name."""
        return self._manifest.folder.name

    def queries_lang(self):
        """Return the collection's language."""
        return self._manifest.about.lang


class LocalQrels(BaseQrels):
    """The judgements of a part."""

    def __init__(self, table, manifest):
        self._table = table

    def qrels_iter(self):
        """Yield the judgements in the table's order."""
        return map(self.qrels_cls()._make, _columns(self._table, self.qrels_cls()._fields))

    def qrels_count(self):
        """Return the number of judgements."""
        return count(self._table)

    def qrels_cls(self):
        """Return GenericQrel, or TrecQrel where the table has the field `iteration`."""
        return TrecQrel if "iteration" in self._table.fields else GenericQrel

    def qrels_defs(self):
        """Return what the grades mean, as far as the collection says so."""
        return {int(grade): text for grade, text in self._table.about.definitions.items()}


class LocalPools(BaseScoredDocs):
    """The candidates of a part's queries, to be re-ranked, and what put them there."""

    def __init__(self, table, manifest):
        self._table = table

    def scoreddocs_iter(self):
        """Yield GenericScoredDoc in the table's order, score 0.0 where it has none."""
        names = [name for name in GenericScoredDoc._fields if name in self._table.fields]
        for values in _columns(self._table, names):
            yield GenericScoredDoc(*values, *(() if "score" in names else (0.0,)))

    def scoreddocs_count(self):
        """Return the number of candidates."""
        return count(self._table)

    def pool_sources_iter(self):
        """Yield PoolSource; without a source each where the table has none."""
        names = [name for name in PoolSource._fields if name in self._table.fields]
        for values in _columns(self._table, names):
            yield PoolSource(*values, *(() if "sources" in names else ((),)))

    def pool_sources_cls(self):
        """Return PoolSource."""
        return PoolSource


class LocalRatings:
    """What single annotators said."""

    def __init__(self, table, manifest):
        self._table = table

    def ratings_iter(self):
        """Yield Rating in the table's order."""
        return map(Rating._make, _columns(self._table, Rating._fields))

    def ratings_cls(self):
        """Return Rating."""
        return Rating


class LocalPairs:
    """Pairs of documents: downloaded one after the other, for instance, or drawn at random."""

    def __init__(self, table, manifest):
        self._table = table

    def pairs_iter(self):
        """Yield the pairs in the table's order."""
        return map(self.pairs_cls()._make, self._table.rows())

    def pairs_count(self):
        """Return the number of pairs."""
        return count(self._table)

    def pairs_cls(self):
        """Return the class of the pairs, with the table's fields."""
        return record("pairs", self._table.fields)


#: kind -> handler of a table of that kind
HANDLERS = {
    "queries": LocalQueries,
    "qrels": LocalQrels,
    "scoreddocs": LocalPools,
    "ratings": LocalRatings,
    "pairs": LocalPairs,
}


def count(table):
    """Return the number of a table's records: as the manifest has it, else counted."""
    rows = table.about.rows
    return sum(1 for _ in table.rows()) if rows is None else rows


def _columns(table, names):
    """Yield the values of `names`, in this order."""
    places = [list(table.fields).index(name) for name in names]
    for row in table.rows():
        yield tuple(row[place] for place in places)
