"""A library as the first step of a pipeline: from topics to a ranking of papers for each.

run = LibraryRetriever(papers, facet="method", num_results=100)(topics)
"""

import warnings
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import pandas as pd

from ..choices import some
from ..step import Count, Step, ranked
from .library_search import FoundInLibrary
from .paper_ids import describe_missing_paper, format_id
from .sources.fields import is_missing

#: columns that say with which paper a topic asks
PAPER_COLUMNS = ("query_docno", "paper_id")
#: columns that a topic asks with; the first that is present counts
ASKING_COLUMNS = (*PAPER_COLUMNS, "query")


@runtime_checkable
class SearchableLibrary(Protocol):
    """What can be searched: `Papers`."""

    def search(
        self,
        query: str,
        facet: str | None = None,
        num_results: int = 10,
        *,
        depth: int | None = None,
    ) -> FoundInLibrary:
        """Rank papers by what they share with one of them, or with a text."""

    @property
    def ids(self) -> list[str]:
        """The ids of all papers."""


class LibraryRetriever(Step):
    """Retrieve papers of a library; see `Papers.pipeline`."""

    papers: SearchableLibrary
    facet: str | None = None
    num_results: Count = 1000
    depth: Count | None = None

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank papers for each topic."""
        present = [name for name in ASKING_COLUMNS if name in topics.columns]
        asking_column = present[0] if present else "query"
        remedy = f"Pass topics with one of the columns {', '.join(ASKING_COLUMNS)}."
        topics = self.check(topics, ["qid", asking_column], without=["docno"], remedy=remedy)
        if topics.empty:
            nothing = pd.Series([], dtype=object)
            return ranked(topics.assign(docno=nothing, title=nothing, score=0.0))

        queries = choose_queries(topics, self.papers.ids)
        rankings = []
        for position, query in enumerate(queries):
            found = self.papers.search(query, self.facet, self.num_results, depth=self.depth)
            results = found.ranking[["docno", "title", "score"]]
            topic = topics.iloc[[position]]
            # a topic may have columns of an earlier ranking: the new ones replace them
            topic = topic.drop(columns=[*results.columns, "rank"], errors="ignore")
            rankings.append(topic.merge(results, how="cross"))
        warn_of_titles(queries, rankings)
        return ranked(pd.concat(rankings, ignore_index=True))


def choose_queries(topics: pd.DataFrame, ids: Sequence[str]) -> list[str]:
    """Return what each topic asks with: the id of its paper, else its text.

    Raises:
        ValueError: the library has no such paper.
    """
    present_columns = [name for name in PAPER_COLUMNS if name in topics]
    if not present_columns:
        return topics["query"].tolist()

    paper_column = present_columns[0]
    known_ids = set(ids)
    queries = []
    for topic in topics.to_dict("records"):
        value = topic[paper_column]
        if is_missing(value) and "query" in topic:
            queries.append(topic["query"])
            continue

        # "117" for 117; what can be no id, such as 1.5, is shown in the error
        paper_id = format_id(value) or str(value)
        if paper_id not in known_ids:
            raise ValueError(
                f"Topic {topic['qid']}, column {paper_column}: "
                f"{describe_missing_paper(paper_id, ids)} Or add the paper, leave the topic out, "
                f"or drop the column {paper_column} to ask with the texts in query."
            )
        queries.append(paper_id)
    return queries


def warn_of_titles(queries: Sequence[str], rankings: Sequence[pd.DataFrame]) -> None:
    """Warn if queries are titles of papers that they retrieve: the user probably meant the papers.

    queries: the text or id that each topic asks with. rankings: of each, with the column `title`.
    """
    titles = []
    for query, ranking in zip(queries, rankings):
        if query in set(ranking["title"]):
            titles.append(query)

    if titles:
        warnings.warn(
            f"Queries are titles of papers of the library: {some(titles)}. They ask as "
            "texts, so these papers are ranked, too. To ask with the papers, pass topics with "
            "their ids in the column query_docno or paper_id, such as dataset.get_topics().",
            stacklevel=3,  # who called `transform`
        )
