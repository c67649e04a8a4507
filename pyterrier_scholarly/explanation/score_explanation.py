"""Explain one document's score: run the pipeline, follow the score, show the papers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

import pandas as pd
import pyterrier as pt

from .. import datasets, frames, transformers
from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..paper import Paper
from ..pipeline_walk import list_steps
from ..progress import progress
from ..settings import shown
from ..transformers import FacetQuery, PaperLoader
from .explanation_page import DOCUMENT_WITHOUT_ID, QUERY_WITHOUT_ID
from .explanation_result import Explanation
from .score_parts import Part
from .stated_pairs import EXACT, find_counted
from .tracing import Traced, follow

LONGEST_PIPELINE_IN_ERROR = 120  # characters
#: characters of a pipeline on a page; its settings may be all papers' texts
LONGEST_SYSTEM = 2_000


@check_arguments
def explain(
    pipeline: pt.Transformer,
    query: str | pd.DataFrame | list[str] | tuple[str, ...],
    document: str | list[str] | tuple[str, ...],
    *,
    dataset: DatasetLike | None = None,
    name: str | None = None,
) -> Explanation:
    """Explain a document's score for a query, sentence by sentence.

    The pipeline runs once, over all the query's candidates, because scores may depend on the pool
    (`ZScore`). It may contain scorers with a method `explained`, such as `SentenceMaxSim` and your
    own (see `Matches`), sums and multiples of scores, `ZScore` and `FacetMiss`. Scores of other
    steps (words in common) are parts without pairs. Behind a search, an encoder that keeps its
    embeddings encodes nothing again::

        explain(system, "1791179_method", "674508").to_html("why.html")

    Args:
        pipeline: from queries to scored documents, e.g. ``Pool(…) >> FacetQuery(…) >>
            PaperLoader(…) >> SentenceMaxSim(…)``; or from whatever `query` holds.
        query: an id; or a frame of one query, or of its candidates, as the pipeline takes it; or a
            list of sentences.
        document: a `docno`; or a list of sentences, if `query` is one.
        dataset: with the titles of papers that were scored without; None for the dataset of the
            pipeline's own steps.
        name: what the page calls the system; None for the pipeline, as it is written.

    Raises:
        ValueError: several queries; a document without sentences, or missing in the pipeline's
            output; a pipeline without a similarity of sentences, or with a step that changes its
            score in an unknown way; parts that do not add up to the score. The error names them.
    """
    pipeline_input = _make_input(query, document)
    with progress("explaining"):
        traced = follow(pipeline, Traced(pipeline_input.frame, pipeline_input.docno))

    _check_has_pairs(traced, pipeline)
    row = traced.row
    score = float(row["score"].iloc[0])
    _check_sum(traced.parts, score)

    # the query and the papers are those of the first scorer that compared sentences
    scored_row = next(part.row for part in traced.parts if part.row is not None)
    values = scored_row.iloc[0].to_dict()
    dataset_of_titles = _find_dataset(pipeline) if dataset is None else dataset
    parts = _number_names(traced.parts)
    _check_same_papers(parts, values["query_paper"], values["paper"])

    return Explanation(
        qid=str(values["qid"]),
        docno=traced.docno,
        facet=values.get("facet") or "",
        score=score,
        query=_add_title(values["query_paper"], dataset),
        document=_add_title(values["paper"], dataset_of_titles),
        parts=parts,
        system=_write_pipeline(pipeline) if name is None else name,
        rank=_find_rank(traced.frame, row),
        candidates=len(traced.frame),
    )


# --- the pipeline's input ----------------------------------------------------------------------


class PipelineInput(NamedTuple):
    """What the pipeline runs on, and the document to explain."""

    frame: pd.DataFrame
    docno: str


def _make_input(
    query: str | pd.DataFrame | list[str] | tuple[str, ...],
    document: str | list[str] | tuple[str, ...],
) -> PipelineInput:
    """Return the pipeline's input: of an id, of a frame, or of two lists of sentences."""
    if isinstance(query, str):
        return _make_input_of_frame(pd.DataFrame({"qid": [query]}), document)
    if isinstance(query, pd.DataFrame):
        return _make_input_of_frame(query, document)
    return _make_input_of_sentences(query, document)  # a list, or an array


def _make_input_of_frame(query_frame: pd.DataFrame, document: str | Sequence[str]) -> PipelineInput:
    """Return the input of a pipeline for a frame of one query, or of its candidates.

    Raises:
        ValueError: the document is a list of sentences; the frame has none or several queries.
    """
    if not isinstance(document, str):
        raise ValueError(
            f"document={document!r:.80} must be a docno, as the query has an id. Or pass lists of "
            "sentences for both."
        )

    frame = frames.check(query_frame, "explain(query=…)", ["qid"], keys=[])
    qids = frame["qid"].unique()
    if len(qids) != 1:
        raise ValueError(
            f"query must be one query, not {len(qids)} ({frames.some(qids)}). Choose one, e.g. "
            "topics[topics['qid'] == …]."
        )
    return PipelineInput(frame, document)


def _make_input_of_sentences(
    query_sentences: Sequence[str], document: str | Sequence[str]
) -> PipelineInput:
    """Return the input of a pipeline for one query and one candidate, both made of sentences.

    Raises:
        ValueError: the document is one text.
    """
    if isinstance(document, str):
        raise ValueError(
            f"document={document!r:.80} must be a list of sentences, as the query is. Or pass "
            "the query's id and a docno."
        )
    candidate = pd.DataFrame(
        {
            "qid": [QUERY_WITHOUT_ID],
            "docno": [DOCUMENT_WITHOUT_ID],
            "query_paper": [Paper("", "", tuple(query_sentences))],
            "paper": [Paper("", "", tuple(document))],
        }
    )
    add_columns = FacetQuery() >> PaperLoader()
    return PipelineInput(add_columns(candidate), DOCUMENT_WITHOUT_ID)


# --- checks of what the pipeline returned ------------------------------------------------------


def _check_has_pairs(traced: Traced, pipeline: pt.Transformer) -> None:
    """Raise ValueError if the document is missing, or there are no pairs of sentences to show."""
    docnos = traced.frame["docno"] if "docno" in traced.frame else pd.Series([], dtype=object)
    if traced.docno not in set(docnos):
        raise ValueError(
            f"{traced.docno!r} is not in the pipeline's output, which has {len(docnos)} documents "
            f"({frames.some(docnos)}). Choose one of these."
        )
    has_pairs = any(part.matches is not None for part in traced.parts)
    if has_pairs:
        return

    row = traced.row
    if "paper" in row and not find_counted(row):
        raise ValueError(
            f"{traced.docno!r} has no sentences (of the facet) to match; its score, "
            f"{traced.score}, is the default for such documents. Explain a document with sentences."
        )

    scorers = []
    for name in transformers.__all__:
        transformer = getattr(transformers, name)
        if hasattr(transformer, "explained"):  # it states its pairs
            scorers.append(name)
    raise ValueError(
        "There is no similarity of sentences in "
        f"{shown(pipeline):.{LONGEST_PIPELINE_IN_ERROR}}. Use one of "
        f"{', '.join(scorers)}, outside of steps that explain cannot look into."
    )


def _check_sum(parts: Iterable[Part], score: float) -> None:
    """Raise ValueError unless the parts add up to the score, up to the rounding of sums."""
    values = [part.value for part in parts]
    difference = score - sum(values)

    # rounding grows with the numbers that are added, not with their sum
    sum_of_sizes = sum(abs(value) for value in values)
    largest_difference = EXACT * max(abs(score), sum_of_sizes)
    if abs(difference) > largest_difference:
        raise ValueError(
            f"The parts of the score add up to {sum(values)!r}, but the pipeline's score is "
            f"{score!r}: a difference of {difference:.3g}. A step changes scores in a way "
            "that explain does not know; explain the pipeline before that step."
        )


# --- what the explanation states ---------------------------------------------------------------


def _add_title(paper: Paper, dataset: DatasetLike | None) -> Paper:
    """Return a paper with its title in a dataset, if the paper itself has none."""
    if paper.title or dataset is None or not paper.doc_id:
        return paper
    records = datasets.documents(dataset, [paper.doc_id])
    return replace(paper, title=getattr(records[paper.doc_id], "title", ""))


def _find_dataset(pipeline: pt.Transformer) -> DatasetLike | None:
    """Return the dataset of the pipeline's first `PaperLoader` with one, or None."""
    for step in list_steps(pipeline):
        if isinstance(step, PaperLoader) and step.dataset is not None:
            return step.dataset
    return None


def _write_pipeline(pipeline: pt.Transformer) -> str:
    """Return the pipeline as it is written, up to LONGEST_SYSTEM characters."""
    text = shown(pipeline)
    if len(text) <= LONGEST_SYSTEM:
        return text
    return f"{text[:LONGEST_SYSTEM]}…"


def _find_rank(frame: pd.DataFrame, row: pd.DataFrame) -> int:
    """Return the document's rank, from 1: that of column `rank`, else by the scores."""
    if "rank" in frame.columns:
        return 1 + int(row["rank"].iloc[0])  # PyTerrier's ranks start at 0

    better_count = (frame["score"] > row["score"].iloc[0]).sum()
    return 1 + int(better_count)


def _number_names(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with distinct names: a second "ZScore" becomes "ZScore (2)"."""
    name_counts: Counter[str] = Counter()
    numbered_parts = []
    for part in parts:
        name_counts[part.name] += 1
        count = name_counts[part.name]
        name = part.name if count == 1 else f"{part.name} ({count})"
        numbered_parts.append(replace(part, name=name))
    return tuple(numbered_parts)


def _check_same_papers(parts: Iterable[Part], query: Paper, document: Paper) -> None:
    """Raise ValueError if a part compared other sentences than the page shows.

    Steps in one branch may change a paper, or split its text in another way.

    Args:
        parts: of one score.
        query, document: the papers that the page shows.
    """
    for part in parts:
        if part.row is None:
            continue
        for column, shown_paper in (("query_paper", query), ("paper", document)):
            scored_paper = part.row[column].iloc[0]
            pairs = zip_longest(scored_paper.sentences, shown_paper.sentences)
            for scored_sentence, shown_sentence in pairs:
                if scored_sentence != shown_sentence:
                    raise ValueError(
                        f"{part.name} scored {scored_sentence!r:.60}, where another part of the "
                        f"pipeline scored {shown_sentence!r:.60}: explain the pipelines of such "
                        "parts apart."
                    )
