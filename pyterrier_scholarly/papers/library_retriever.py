"""A library as the first step of a pipeline: from topics to a ranking of papers for each.

run = LibraryRetriever(papers, facet="method", num_results=100)(topics)
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import pandas as pd

from .. import frames
from ..arguments import Count
from ..transformers.step import Step
from .library_search import FoundInLibrary


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


@dataclass(eq=False, repr=False)
class LibraryRetriever(Step):
    """Retrieve papers of a library; see `Papers.pipeline`."""

    papers: SearchableLibrary
    facet: str | None = None
    num_results: Count = 1000
    depth: Count | None = None

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank papers for each topic."""
        topics = frames.check(
            topics, self, ["qid", "query"], ["qid", "query_docno"], without=["docno"]
        )
        if topics.empty:
            nothing = pd.Series([], dtype=object)
            return frames.ranked(topics.assign(docno=nothing, title=nothing, score=0.0))

        query_column = "query_docno" if "query_docno" in topics else "query"
        rankings = []
        for position, query in enumerate(topics[query_column]):
            found = self.papers.search(query, self.facet, self.num_results, depth=self.depth)
            scored = found.ranking[["docno", "title", "score"]]
            topic = topics.iloc[[position]].drop(columns=[*scored.columns, "rank"], errors="ignore")
            rankings.append(topic.merge(scored, how="cross"))
        return frames.ranked(pd.concat(rankings, ignore_index=True))
