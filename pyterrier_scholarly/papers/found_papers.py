"""A ranking of papers, as it is shown and explained."""

from dataclasses import dataclass
from html import escape

import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from ..explanation import Explanation, explain
from .paper_ids import format_id, suggest_ids

MOST_SHOWN_PAPERS = 10
WIDEST_SHOWN_TITLE = 70  # characters
PIPELINE_NAME = "likeness of sentences and words in common (one_encoding)"  # on pages
BY_WORDS = (
    "Compared by words (latent semantic analysis of these papers). "
    "Pass encoder='sentence-transformers/all-MiniLM-L6-v2' (extra `dense`; to a library when it is "
    "built) to compare by meaning: NDCG%20 on CSFCube is 66.6 so, and 52.2 by words."
)
ALL_EQUAL = (
    "All scores are equal, so the order says nothing: perhaps the query shares no word with the "
    "papers."
)


@dataclass(frozen=True, eq=False, repr=False)
class FoundPapers:
    """A ranking of papers; a notebook and `print` show its first ten.

    Attributes:
        ranking: frame with `rank` (from 1), `docno`, `title` and `score`, best first.
        candidates: frame of the query with all candidates, as `pipeline` takes it.
        pipeline: what ranked them.
        note: remarks on what asked and how the papers were compared, or "".
    """

    ranking: pd.DataFrame
    candidates: pd.DataFrame
    pipeline: pt.Transformer
    note: str = ""

    @check_arguments
    def explain(self, docno: str | int | None = None) -> Explanation:
        """Explain the score of a paper, sentence by sentence; None for the best.

        Raises:
            ValueError: the paper is not in the ranking; says why, or names the nearest ids.
        """
        docnos = self.ranking["docno"].tolist()
        chosen = docnos[0] if docno is None else format_id(docno)
        if chosen is None or chosen not in docnos:
            raise ValueError(self._describe_unranked(chosen or str(docno)))
        return explain(self.pipeline, self.candidates, chosen, name=PIPELINE_NAME)

    def _describe_unranked(self, docno: str) -> str:
        """Return the message of an error about a paper that is not in the ranking."""
        docnos = self.ranking["docno"].tolist()
        problem = f"{docno!r} is not in the ranking of {len(docnos)} papers"
        if docno == self.candidates["query_docno"].iloc[0]:
            return f"{problem}: it is the paper that asks, and a paper does not rank itself."

        # a library returns only the best of the candidates that it has ranked
        if docno in self.candidates["docno"].tolist():
            whole_ranking = self.pipeline.transform(self.candidates).set_index("docno")
            rank = whole_ranking["rank"][docno] + 1
            return (
                f"{problem}: it is at rank {rank:,} of {len(whole_ranking):,}. Search again with "
                f"num_results={rank} or more."
            )
        return f"{problem}. {suggest_ids(docno, docnos)}"

    def __repr__(self) -> str:
        table = self.ranking.head(MOST_SHOWN_PAPERS).to_string(
            index=False, max_colwidth=WIDEST_SHOWN_TITLE
        )
        return f"{table}\n{self.note}".rstrip()

    def _repr_html_(self) -> str:
        table = self.ranking.head(MOST_SHOWN_PAPERS).to_html(index=False)
        remarks = f"<p>{escape(self.note)}</p>" if self.note else ""
        return table + remarks
