"""The papers that a page shows: which, by which number, and under which name."""

from collections.abc import Mapping, Sequence
from textwrap import shorten

import numpy as np
import pandas as pd

from ..datasets import irds
from ..typed_records import Record
from .comparison_frames import ComparisonFrames
from .joined_rankings import is_ranked_within
from .shared_words import text_of_paper

MOST_ROWS = 45_000  # of papers on a page, over all queries: a page of some MB
DEEPEST, SHALLOWEST = 50, 10  # papers of each ranking on a page
LONGEST_NAME = 100  # characters of a paper without a title


def choose_depth(comparison: ComparisonFrames) -> int:
    """Return how many papers of each ranking are shown, so that the page stays small."""
    rankings = len(comparison.values) * len(comparison.names)
    return int(np.clip(MOST_ROWS // max(1, rankings), SHALLOWEST, DEEPEST))


def choose_papers(comparison: ComparisonFrames, name: str, depth: int) -> dict[str, pd.DataFrame]:
    """Return, by query, the papers that the page shows of a system and the baseline.

    These are the first papers of both rankings, and all with a share of the difference.

    Args:
        comparison: of all systems.
        name: of the system.
        depth: number of papers of each ranking.
    """
    chosen = {}
    for qid in comparison.values.index:
        table = comparison.papers(qid, name)
        is_first = is_ranked_within(table["rank"], depth)
        is_first_of_baseline = is_ranked_within(table["baseline_rank"], depth)
        is_shown = is_first | is_first_of_baseline
        if comparison.has_shares:
            is_shown |= table["share"].ne(0)
        chosen[qid] = table[is_shown]
    return chosen


def number_papers(
    shown_papers: Mapping[str, Mapping[str, pd.DataFrame]], missed_papers: pd.DataFrame
) -> dict[str, int]:
    """Number all papers on the page: the script names a paper by its number, as ids are long.

    Args:
        shown_papers: tables of papers, by system and query.
        missed_papers: see `missed` of a comparison.
    """
    columns = []
    for table_by_query in shown_papers.values():
        columns += [table["docno"] for table in table_by_query.values()]
    columns.append(missed_papers["docno"])

    distinct_docnos = pd.concat(columns).unique()
    return {docno: number for number, docno in enumerate(distinct_docnos)}


def read_records(dataset: str, docnos: Sequence[str]) -> Mapping[str, Record]:
    """Return the records of the papers that are present, by id."""
    source = irds(dataset)
    if not source.has_docs() or not docnos:
        return {}
    return source.docs_store().get_many(list(docnos))


def name_paper(record: Record | None) -> str:
    """Return a paper's title, else how its text begins; "" for a paper that is not present."""
    if record is None:
        return ""
    title: str = getattr(record, "title", "")
    return title or shorten(text_of_paper(record), LONGEST_NAME, placeholder=" …")
