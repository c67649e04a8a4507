"""The tables that describe a collection, computed from its data.

    statistics("csfcube")["pools"]      # a row per facet: queries, candidates, grades
    statistics("litsearch")["questions"]

Each collection has its own file, with a function that computes its tables.
"""

from collections.abc import Callable

import ir_datasets
import pandas as pd

from ..datasets import DatasetLike, irds
from ..protocols import Protocol
from .csfcube_tables import csfcube
from .doris_mae_tables import doris_mae
from .litsearch_tables import litsearch
from .printed import find_protocol

#: `Protocol.statistics` -> function from a dataset of such a collection to its tables
TABLES: dict[str, Callable[[ir_datasets.Dataset], dict[str, pd.DataFrame]]] = {
    "csfcube": csfcube,
    "litsearch": litsearch,
    "doris-mae": doris_mae,
}


def statistics(dataset: DatasetLike) -> dict[str, pd.DataFrame]:
    """Compute the tables with which papers describe their collections, over a dataset's queries.

    - CSFCube: `cited` (grades of papers that the query paper cites: Appendix D) and `pools` (sizes
      and grades), a row per facet; the same as `pools` by `paper_type` and `paper_year` of the
      query papers (section 3); and `facets` (grades of the same candidates for two facets: Figure
      2). They cover all rows of the release, with 8781666, which is its own candidate there in
      two facets: 6,244 pairs, as the datasheet counts. The qrels leave these two out.
    - LitSearch: `questions` (Table 2, by source and specificity) and `sets` (Table 14): words per
      question, gold papers per question, and the share of a question's words that occur in the
      gold papers' titles and abstracts. `filter`: questions above the collection's limit of
      overlap with titles. `corpus`: papers and words per paper, for ``"litsearch/full-text"`` also
      of full texts (section 2.5; the release does not say which papers are ACL's and ICLR's).
    - DORIS-MAE: `queries` (words, aspects, pools), `relevant` (relevant abstracts per query: Table
      9), `scores` (normalised scores: Table 10), `abstracts` (words), by type of query. For
      ``"doris-mae/subqueries-2"``, the lower halves of both tables. See `printed_tables`.

    Words are separated by blanks. If papers are missing from the files, figures cover the others,
    and a column has their number.

    Args:
        dataset: an id (``"csfcube"``, ``"litsearch/inline"``, …) or a dataset object.

    Returns:
        Dict from the table's name to a data frame.

    Raises:
        ValueError: a dataset of another collection.
    """
    protocol = find_protocol("statistics", dataset, has_statistics)
    compute_tables = TABLES[protocol.statistics]
    return compute_tables(irds(dataset))


def has_statistics(protocol: Protocol) -> bool:
    """Return whether code computes the tables of a protocol's collection."""
    return bool(protocol.statistics)
