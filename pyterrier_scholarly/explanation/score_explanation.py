"""Explain one document's score: run the pipeline, follow the score, show the papers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pandas as pd
import pyterrier as pt

from .. import frames, transformers
from ..arguments import check_arguments
from ..datasets import DatasetLike
from ..progress import progress
from ..settings import shown
from ..text.contexts import Paper
from ..transformers import FacetQuery, Sentences
from .explanation_result import Explanation
from .paper_sentences import ids_of, read_candidate, read_query
from .score_parts import Part, Traced
from .tracing import EXACT, follow, steps

QUERY, DOCUMENT = "query", "document"  # the ids of loose sentences
LONGEST_SHOWN = 120  # characters of a pipeline in an error
LONGEST_SYSTEM = 2_000  # characters of a pipeline on a page; its settings may be all papers' texts


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
        pipeline: from queries to scored documents, e.g. ``Pool(…) >> FacetQuery(…) >> Sentences(…)
            >> SentenceMaxSim(…)``; or from whatever `query` holds.
        query: an id; or a frame of one query, or of its candidates, as the pipeline takes it; or a
            list of sentences.
        document: a `docno`; or a list of sentences, if `query` is one.
        dataset: with the abstracts in which sentences are shown; None for the dataset of the
            pipeline's own steps. Without any, only the sentences are shown.
        name: what the page calls the system; None for the pipeline, as it is written.

    Raises:
        ValueError: several queries; a document without sentences, or missing in the pipeline's
            output; a pipeline without a similarity of sentences, or with a step that changes its
            score in an unknown way; parts that do not add up to the score. The error names them.
    """
    frame, docno = _make_input(query, document)
    with progress("explaining"):
        end = follow(pipeline, Traced(frame, docno))
    row = _check_end(end, pipeline)
    score = float(row["score"].iloc[0])
    _check_sum(end.parts, score)

    scored = next(part.row for part in end.parts if part.row is not None)
    query_paper = read_query(scored, dataset)
    candidate = read_candidate(scored, _find_dataset(pipeline, dataset))
    columns = scored.iloc[0].to_dict()
    return Explanation(
        qid=str(columns["qid"]),
        docno=docno,
        facet=columns.get("facet") or "",
        score=score,
        query=query_paper,
        document=candidate,
        parts=_with_ids(_number_names(end.parts), query_paper, candidate),
        system=_write(pipeline) if name is None else name,
        rank=_find_rank(end.frame, row),
        candidates=len(end.frame),
    )


def _make_input(
    query: str | pd.DataFrame | list[str] | tuple[str, ...],
    document: str | list[str] | tuple[str, ...],
) -> tuple[pd.DataFrame, str]:
    """Return the pipeline's input, and the docno to explain."""
    if not isinstance(query, (str, pd.DataFrame)):
        if isinstance(document, str):
            raise ValueError(
                f"document={document!r:.80} must be a list of sentences, as the query is. Or pass "
                "the query's id and a docno."
            )
        sentences = {"query_sentences": [list(query)], "sentences": [list(document)]}
        frame = pd.DataFrame({"qid": QUERY, "docno": DOCUMENT, **sentences})
        return (FacetQuery() >> Sentences())(frame), DOCUMENT

    if not isinstance(document, str):
        raise ValueError(
            f"document={document!r:.80} must be a docno, as the query has an id. Or pass lists of "
            "sentences for both."
        )
    frame = pd.DataFrame({"qid": [query]}) if isinstance(query, str) else query
    frame = frames.check(frame, "explain(query=…)", ["qid"], keys=[])
    qids = frame["qid"].unique()
    if len(qids) != 1:
        raise ValueError(
            f"query must be one query, not {len(qids)} ({frames.some(qids)}). Choose one, e.g. "
            "topics[topics['qid'] == …]."
        )
    return frame, document


def _check_end(end: Traced, pipeline: pt.Transformer) -> pd.DataFrame:
    """Return the document's row; raise ValueError if there are no pairs of sentences to show."""
    docnos = end.frame["docno"] if "docno" in end.frame else pd.Series([], dtype=object)
    if end.docno not in set(docnos):
        raise ValueError(
            f"{end.docno!r} is not in the pipeline's output, which has {len(docnos)} documents "
            f"({frames.some(docnos)}). Choose one of these."
        )
    row = end.row
    if any(part.matches is not None for part in end.parts):
        return row
    if "sentences" in row and not len(row["sentences"].iloc[0]):
        raise ValueError(
            f"{end.docno!r} has no sentences (of the facet) to match; its score, {end.score}, is "
            "the default for such documents. Explain a document with sentences."
        )
    known = [n for n in transformers.__all__ if hasattr(getattr(transformers, n), "explained")]
    raise ValueError(
        f"There is no similarity of sentences in {shown(pipeline):.{LONGEST_SHOWN}}. Use one of "
        f"{', '.join(known)}, outside of steps that explain cannot look into."
    )


def _check_sum(parts: Iterable[Part], score: float) -> None:
    """Raise ValueError unless the parts add up to the score, up to the rounding of sums."""
    values = [part.value for part in parts]
    size = max(abs(score), sum(map(abs, values)))
    if abs(sum(values) - score) > EXACT * size:
        raise ValueError(
            f"The parts of the score add up to {sum(values)!r}, but the pipeline's score is "
            f"{score!r}: a difference of {score - sum(values):.3g}. A step changes scores in a way "
            "that explain does not know; explain the pipeline before that step."
        )


def _find_dataset(pipeline: pt.Transformer, dataset: DatasetLike) -> object:
    """Return `dataset`, or that of the pipeline's own `Sentences`, or None."""
    if dataset is not None:
        return dataset
    sources = [step.dataset for step in steps(pipeline) if isinstance(step, Sentences)]
    return next((source for source in sources if source is not None), None)


def _write(pipeline: pt.Transformer) -> str:
    """Return the pipeline as it is written, up to LONGEST_SYSTEM characters."""
    written = shown(pipeline)
    return written if len(written) <= LONGEST_SYSTEM else f"{written[:LONGEST_SYSTEM]}…"


def _find_rank(frame: pd.DataFrame, row: pd.DataFrame) -> int:
    """Return the document's rank, from 1: that of column `rank`, else by the scores."""
    if "rank" in frame.columns:
        return 1 + int(row["rank"].iloc[0])
    return 1 + int((frame["score"] > row["score"].iloc[0]).sum())


def _number_names(parts: Iterable[Part]) -> list[Part]:
    """Return the parts; number those whose name occurred before."""
    seen: Counter[str] = Counter()
    numbered = []
    for part in parts:
        seen[part.name] += 1
        count = seen[part.name]
        name = part.name if count == 1 else f"{part.name} ({count})"
        numbered.append(replace(part, name=name))
    return numbered


def _with_ids(parts: Iterable[Part], query: Paper, document: Paper) -> tuple[Part, ...]:
    """Return the parts with the ids of their sentences in the papers.

    Raises:
        ValueError: two parts scored different sentences under one id.
    """
    with_ids = []
    for part in parts:
        if part.row is None or part.matches is None:
            with_ids.append(part)
            continue
        asked, offered = ids_of(part.row, "query"), ids_of(part.row, "document")
        columns = part.row.iloc[0]
        _check_texts(part, query, asked, columns.get("query_sentences"))
        _check_texts(part, document, offered, columns["sentences"])
        if part.matches.columns is not None:
            offered = tuple(offered[position] for position in part.matches.columns)
        with_ids.append(replace(part, asked=asked, offered=offered, row=None))
    return tuple(with_ids)


def _check_texts(
    part: Part, paper: Paper, ids: Sequence[int], sentences: Sequence[str] | None
) -> None:
    """Raise ValueError unless a part's sentences are those that the paper has at their ids."""
    size = len(paper.sentences)
    for number, position in enumerate(ids):
        known = paper.sentences[position] if position < size else None
        if sentences is not None and sentences[number] != known:
            raise ValueError(
                f"{part.name} scored {sentences[number]!r:.60}, where another part of the pipeline "
                f"scored {known!r:.60}: explain the pipelines of such parts apart."
            )
