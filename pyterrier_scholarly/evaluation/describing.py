"""The tables that describe a collection, computed from its data."""

from ..datasets import irds
from ..protocols import PROTOCOLS, protocol_of
from ..settings import dataset_id
from . import _csfcube_tables, _doris_mae_tables, _litsearch_tables

#: `Protocol.statistics` -> function from a dataset of such a collection to its tables
TABLES = {
    "csfcube": _csfcube_tables.tables,
    "litsearch": _litsearch_tables.tables,
    "doris-mae": _doris_mae_tables.tables,
}


def statistics(dataset):
    """Compute the tables with which papers describe their collections, over a dataset's queries.

    - CSFCube: `cited` (how papers that the query paper cites were rated: Appendix D) and `pools`
      (sizes and grades), a row per facet; the same as `pools` by `paper_type` and `paper_year` of
      the query papers (section 3); and `facets` (how candidates of one paper were rated for two
      facets: Figure 2). They are over the release's rows: 8781666, which the release lists among
      its own candidates, is counted.
    - LitSearch: `questions` (Table 2, by source and specificity) and `sets` (Table 14): words per
      question, gold papers per question, and the share of a question's words that stand in the
      gold papers' titles and abstracts. `filter`: how many questions exceed the limit of overlap
      with titles that the collection was filtered by. `corpus`: papers and words per paper, of
      ``"litsearch/full-text"`` also those of full texts (section 2.5).
    - DORIS-MAE: `queries` (words, aspects, pools), `relevant` (relevant abstracts per query: Table
      9), `scores` (normalised scores: Table 10), `abstracts` (words), by type of query; of
      ``"doris-mae/subqueries-2"`` the lower halves of both tables. `printed_tables` has them.

    Words are what stands between blanks. What needs papers that are not in the files at hand is
    computed over the others, and a column says over how many.

    Args:
        dataset: an id (``"csfcube"``, ``"litsearch/inline"``, …) or a dataset object.

    Returns:
        Dict from the table's name to a data frame.

    Raises:
        ValueError: the dataset is not of one of these collections.
    """
    name = dataset_id(dataset) or repr(dataset)
    protocol = protocol_of(name)
    if protocol is None or not protocol.statistics:
        known = ", ".join(one for one, protocol in PROTOCOLS.items() if protocol.statistics)
        raise ValueError(f"no statistics of {name}: there are of {known}")
    return TABLES[protocol.statistics](irds(dataset))
