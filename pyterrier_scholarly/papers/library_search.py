"""Ask a library: choose candidates, and rank them by `one_encoding`.

Up to `WHOLE_RANKED` papers are ranked all. In a larger library, the papers whose sentences are
nearest to those that ask are candidates, beside some at random, see `first_stage`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..arguments import FilePath, check_arguments
from ..encoders import sentence_vectors
from ..pages import write_page
from ..paper import Paper
from ..progress import progress
from ..text import writable
from ..transformers.rescoring import REPRESENTED
from .first_stage import Candidates, choose_candidates, score_by_sentences
from .found_papers import ALL_EQUAL, BY_WORDS, FoundPapers
from .library_state import LibraryState
from .paper_ids import is_like_id, suggest_ids
from .paper_query import Topic, check_facet, make_topic
from .paper_store import PaperDoc
from .ranking_page import render_ranking
from .stored_vectors import STORED_CONTEXT

WHOLE_RANKED = 5_000  # papers, up to which all are ranked
DEPTH = 4_000  # candidates in a larger library; the page `own_papers` has what it finds


@dataclass(frozen=True, eq=False, repr=False)
class FoundInLibrary(FoundPapers):
    """A ranking of papers of a library; see `FoundPapers`.

    Attributes:
        query: what was asked: the title of a paper, or the text.
        facet: its facet, or None.
        documents: of the ranking, best first.
        ranked_count: papers that were ranked by `one_encoding`.
        library_count: papers in the library that could have been.
        left_out: of the library's sources, what was merged, renamed or not read, by its place.
    """

    query: str = ""
    facet: str | None = None
    documents: tuple[PaperDoc, ...] = ()
    ranked_count: int = 0
    library_count: int = 0
    left_out: tuple[str, ...] = ()

    @check_arguments
    def to_html(self, path: FilePath) -> Path:
        """Write one HTML file with the ranking and why each paper is in it; return its path.

        Of each paper it shows the pair of sentences that weighs most, a link by its DOI, a button
        that copies its BibTeX, and the whole explanation when it is opened.
        """
        explanations = []
        with progress("explaining", len(self.documents), "paper") as bar:
            for document in self.documents:
                explanations.append(self.explain(document.doc_id))
                bar.update()
        page = render_ranking(
            self.query,
            self.facet,
            self.note,
            self.documents,
            explanations,
            self.ranked_count,
            self.library_count,
            self.left_out,
        )
        return write_page(path, page)


class AskingPaper(NamedTuple):
    """A paper that asks, and its position in the library; None for a text."""

    paper: Paper
    row: int | None


def search_state(
    state: LibraryState,
    text: str | int,
    facet: str | None,
    num_results: int,
    depth: int | None,
) -> FoundInLibrary:
    """Rank the papers of a library by a query; see `Papers.search`.

    Args:
        state: the library's current one.
        text: the id of a paper, or what is searched for.
        facet: of the query's sentences that ask; None for all.
        num_results: papers in the ranking, at most.
        depth: see `find_candidates`.
    """
    check_facet(facet)
    asking = find_paper(state, text)
    others_count = len(state.doc_ids)
    if asking.row is not None:  # a paper of the library asks, and is not ranked itself
        others_count -= 1
    if others_count == 0:
        raise ValueError("There is no other paper to rank: expected two papers or more.")

    topic = make_topic(asking.paper, facet)
    chosen = find_candidates(state, asking, topic, depth)
    candidates = make_candidates(state, topic, chosen)
    ranked = state.pipeline.transform(candidates).sort_values("rank", ignore_index=True)

    best = ranked.head(num_results)
    document_of_id = state.documents.get_many(best["docno"].tolist())
    documents = [document_of_id[docno] for docno in best["docno"]]
    ranking = best.assign(
        rank=best["rank"] + 1,  # people count from 1, pipelines from 0
        title=[document.title for document in documents],
    )
    return FoundInLibrary(
        ranking=ranking[["rank", "docno", "title", "score"]],
        candidates=candidates,
        pipeline=state.pipeline,
        note="\n".join(list_remarks(state, topic, ranked, others_count)),
        query=asking.paper.title or asking.paper.text,
        facet=facet,
        documents=tuple(documents),
        ranked_count=len(chosen.rows),
        library_count=others_count,
    )


def find_paper(state: LibraryState, text: str | int) -> AskingPaper:
    """Return the paper that somebody asks with, if `text` is its id; else the text as a paper.

    Raises:
        ValueError: an empty query, or one that is probably a mistyped id.
    """
    query_text = writable(str(text)).strip()
    if not query_text:
        raise ValueError("The query is empty: pass a text, or the id of a paper.")

    if query_text in state.row_of_id:
        paper = Paper.from_record(state.documents.get(query_text))
        return AskingPaper(paper, state.row_of_id[query_text])

    if not isinstance(text, str) or is_like_id(query_text, state.doc_ids):
        raise ValueError(
            f"No paper has the id {query_text!r}. {suggest_ids(query_text, state.doc_ids)} To "
            "search for a text, pass more than one word."
        )
    return AskingPaper(Paper.from_text("", "", query_text), None)


def find_candidates(
    state: LibraryState, asking: AskingPaper, topic: Topic, depth: int | None
) -> Candidates:
    """Return the papers that are ranked for a query: all others, or those of the first stage.

    depth: how many are ranked at most; None for the whole of a library of up to `WHOLE_RANKED`
        papers, and `DEPTH` of a larger one.
    """
    paper_count = len(state.doc_ids)
    if depth is None:
        ranks_all = paper_count <= WHOLE_RANKED
        depth = paper_count if ranks_all else DEPTH

    if depth >= paper_count:
        return choose_all_papers(paper_count, asking.row)
    return choose_candidates(score_papers(state, topic), depth, asking.row)


def choose_all_papers(paper_count: int, excluded_row: int | None) -> Candidates:
    """Return all papers of a library but the one that asks, each standing for itself alone."""
    rows = np.arange(paper_count)
    if excluded_row is not None:
        rows = np.delete(rows, excluded_row)
    return Candidates(rows, represented=np.ones(len(rows)))


def score_papers(state: LibraryState, topic: Topic) -> np.ndarray:
    """Return the first stage's score of each paper of the library, for the sentences that ask."""
    paper, positions = topic.frame[["query_paper", "query_sentence_ids"]].iloc[0]
    # sentences are encoded with their paper's title, so all of them, and then those that ask remain
    (vectors,) = sentence_vectors(state.encoder, [paper], STORED_CONTEXT)
    asking_vectors = vectors[positions]
    return score_by_sentences(asking_vectors, state.vectors, state.lengths, state.sentence_ends)


def make_candidates(state: LibraryState, topic: Topic, chosen: Candidates) -> pd.DataFrame:
    """Return the frame that the pipeline takes: the query beside each candidate."""
    documents = list(state.documents.rows(chosen.rows.tolist()))
    others = pd.DataFrame(
        {
            "docno": [document.doc_id for document in documents],
            "paper": [Paper.from_record(document) for document in documents],
            "text": [document.text for document in documents],
            REPRESENTED: chosen.represented,
        }
    )
    return topic.frame.merge(others, how="cross")


def list_remarks(
    state: LibraryState, topic: Topic, ranked: pd.DataFrame, others_count: int
) -> list[str]:
    """Say what a reader of the ranking has to know."""
    remarks = []
    if topic.remark:
        remarks.append(topic.remark)
    if len(ranked) > 1 and ranked["score"].nunique() == 1:
        remarks.append(ALL_EQUAL)
    if len(ranked) < others_count:
        remarks.append(
            f"Ranked: {len(ranked):,} papers of {others_count:,}. Half of them are those "
            "whose sentences are nearest to the query's, the others are drawn at random."
        )
    if state.is_by_words:
        remarks.append(BY_WORDS)
    return remarks
