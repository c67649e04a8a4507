"""The tables that describe a collection, computed from its data."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain

import ir_datasets
import pandas as pd

from ir_datasets_ext.litsearch.records import SOURCES, LitsearchDoc, LitsearchQuery

from ..datasets import DatasetLike, irds
from ..protocols import TITLE_LIMITS
from ..text import mean_overlap
from ._pool_tables import Tables, csfcube, doris_mae
from .printed import protocol_with


def statistics(dataset: DatasetLike) -> Tables:
    """Compute the tables with which papers describe their collections, over a dataset's queries.

    - CSFCube: `cited` (grades of papers that the query paper cites: Appendix D) and `pools` (sizes
      and grades), a row per facet; the same as `pools` by `paper_type` and `paper_year` of the
      query papers (section 3); and `facets` (grades of the same candidates for two facets: Figure
      2). They cover all rows of the release, with 8781666, which is its own candidate there.
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
    protocol = protocol_with("statistics", lambda one: one.statistics, dataset)
    return TABLES[protocol.statistics](irds(dataset))


def litsearch(dataset: ir_datasets.Dataset) -> Tables:
    """Compute `questions` (Table 2), `sets` (Table 14), `filter` (2.1) and `corpus` (2.5).

    questions, sets: a row per source (or set) and `specificity`: `questions` (their number),
        `words` and `papers` (means per question), `overlap` (mean over questions of the mean over
        their gold papers, in 0..1), `overlap_questions` (number of questions in that mean: those
        whose gold papers are all present).
    filter: a row per set filtered by overlap with titles: `limit`, `questions` (those whose gold
        papers are all present), `above` (how many of these still exceed the limit).
    corpus: a row for titles with abstracts and, for `litsearch/full-text` only, one for full texts:
        `text`, `papers` (those with such text), `words` (mean per such paper; NaN if none).
    """
    gold = defaultdict(list)
    for qrel in dataset.qrels_iter():
        gold[qrel.query_id].append(qrel.doc_id)
    papers = dataset.docs_store().get_many({*chain.from_iterable(gold.values())})
    rows = pd.DataFrame(_question(q, gold[q.query_id], papers) for q in dataset.queries_iter())
    return {
        "questions": _described(rows, "source"),
        "sets": _described(rows, "set"),
        "filter": _filtered(rows),
        "corpus": _corpus(dataset),
    }


def _corpus(dataset: ir_datasets.Dataset) -> pd.DataFrame:
    """Count the words of the papers, with one paper in memory at a time."""
    words = defaultdict(list)
    for doc in dataset.docs_iter():
        words["titles and abstracts"].append(len(f"{doc.title} {doc.text}".split()))
        if hasattr(doc, "full_text"):
            words["full texts"].append(len(doc.full_text.split()))
    present = {text: pd.Series(filter(None, counts), dtype=float) for text, counts in words.items()}
    rows = [(text, len(counts), counts.mean()) for text, counts in present.items()]
    return pd.DataFrame(rows, columns=["text", "papers", "words"])


def _question(
    query: LitsearchQuery, gold: list[str], papers: Mapping[str, LitsearchDoc]
) -> dict[str, object]:
    source, subset = (name for name, sets in SOURCES.items() if query.query_set in sets)
    known = [papers[doc_id] for doc_id in gold if doc_id in papers]
    overlap = title_overlap = float("nan")
    if len(known) == len(gold) > 0:
        # the authors' form
        texts = [f"Title: {doc.title}\nAbstract: {doc.text}" for doc in known]
        overlap = mean_overlap(query.query, texts)
        title_overlap = mean_overlap(query.query, [doc.title for doc in known])
    return {
        "source": source,
        "set": subset,
        "specificity": query.specificity,
        "words": len(query.query.split()),
        "papers": len(gold),
        "overlap": overlap,
        "title_overlap": title_overlap,
    }


def _described(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Average by `by` and specificity, in the tables' order."""
    described = rows.groupby([by, "specificity"], sort=False).agg(
        questions=("words", "size"),
        words=("words", "mean"),
        papers=("papers", "mean"),
        overlap=("overlap", "mean"),
        overlap_questions=("overlap", "count"),
    )
    return described.reset_index().sort_values(
        [by, "specificity"],
        key=lambda column: column.map(list(SOURCES).index) if column.name == by else column,
        ignore_index=True,
    )


def _filtered(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the questions of filtered sets that exceed the limit."""
    overlap = {name: rows["title_overlap"][rows["set"] == name].dropna() for name in TITLE_LIMITS}
    counts = [
        (name, limit, len(overlap[name]), int((overlap[name] > limit).sum()))
        for name, limit in TITLE_LIMITS.items()
    ]
    return pd.DataFrame(counts, columns=["set", "limit", "questions", "above"])


#: `Protocol.statistics` -> function from a dataset of such a collection to its tables
TABLES: dict[str, Callable[[ir_datasets.Dataset], Tables]] = {
    "csfcube": csfcube,
    "litsearch": litsearch,
    "doris-mae": doris_mae,
}
