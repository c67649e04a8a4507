"""What printed figures are over, where the name of their subset is not the id of a dataset.

PrintedSubset("full-text (broad)", queries="broad", texts="full-text")
PrintedSubset("(search engines) broad", queries=None)  # their queries were not published
PrintedSubset("with-query-paper", queries="all", pools="with-query-paper")
"""

from typing import NamedTuple


class PrintedSubset(NamedTuple):
    """The queries and texts behind the figures of a subset.

    name: of the subset, as in column `subset` of `published`.
    queries: id, below the collection, of the dataset with the queries; None if there is none,
        because they were not published.
    texts: id, below the collection, of the dataset whose texts systems read; "" for the usual.
    pools: id, below the collection, of the dataset whose candidates systems rank, with the same
        queries; "" for those of `queries`. Tables show its figures in the column of `queries`.
    pools_remark: how these candidates differ, for tables with figures of both kinds.
    """

    name: str
    queries: str | None
    texts: str = ""
    pools: str = ""
    pools_remark: str = ""

    @property
    def dataset(self) -> str | None:
        """Id, below the collection, of the dataset to load: the one with the texts, or queries."""
        return self.texts or self.queries
