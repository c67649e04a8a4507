"""Read your own papers for one search: the readers of a library, but nothing is skipped.

    >>> read_papers([{"id": 7, "title": "Trees", "abstract": "We prune trees."}])
      docno  title             text
    0     7  Trees  We prune trees.

`papers.sources` says what can be read, and which fields a record may have.
"""

from collections.abc import Iterator

import pandas as pd

from ..arguments import check_arguments
from ..papers import PaperRecord, Remark, UnreadRecord, read_source
from ..papers.paper_merging import MergedPapers, merge_papers
from ..papers.sources import Source

MOST_NAMED_RECORDS = 3  # in an error


@check_arguments
def read_papers(source: Source) -> pd.DataFrame:
    """Read papers, whatever they come from.

    Args:
        source: see :func:`~pyterrier_scholarly.papers.read_source`. A paper without an id is called
            by its DOI, else by its number in the source, from 1.

    Returns:
        Frame with `docno`, `title` and `text` (the abstract, or ""), all str, U+FFFD in place of
        half a surrogate pair. The same paper twice is there once, see `papers.same_papers`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: an unknown kind of source or file, a record that is no paper; names the place.
    """
    records = read_distinct_papers(source).records
    rows = [(record.paper_id, record.title, record.abstract) for record in records]
    return pd.DataFrame(rows, columns=["docno", "title", "text"], dtype=object)


def read_distinct_papers(source: Source) -> MergedPapers:
    """Read the papers of a source, each once; raise ValueError for what cannot be read."""
    merged = merge_papers([], _number_papers(source))
    if merged.unread:
        named = [f"{record.place}: {record.reason}" for record in merged.unread]
        more_count = len(named) - MOST_NAMED_RECORDS
        more = f" {more_count} more cannot be read." if more_count > 0 else ""
        raise ValueError(
            f"{'; '.join(named[:MOST_NAMED_RECORDS])}.{more} Correct or remove what is named. "
            "Papers.build leaves it out."
        )
    if not merged.records:
        raise ValueError("The source has no papers: expected records with 'title' and 'abstract'.")
    return merged


def _number_papers(source: Source) -> Iterator[PaperRecord | UnreadRecord | Remark]:
    """Yield what a source has; a paper with neither an id nor a DOI is called by its number."""
    number = 0
    for record in read_source(source):
        number += not isinstance(record, Remark)
        if isinstance(record, PaperRecord) and not (record.paper_id or record.doi):
            yield record._replace(paper_id=str(number))
        else:
            yield record
