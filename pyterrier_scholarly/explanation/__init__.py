"""Explain a document's score by matched sentences, as a frame and as a page."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pyterrier as pt

from .. import frames, transformers
from ..arguments import check_arguments
from ..progress import progress
from ..text.contexts import Paper, places_of
from ..transformers import FacetQuery, Sentences
from .parts import Part, Traced, matches
from .result import Explanation
from .tracing import follow, steps

__all__ = ["Explanation", "explain", "matches"]


@check_arguments
def explain(
    pipeline: pt.Transformer,
    query: str | pd.DataFrame | list[str] | tuple[str, ...],
    document: str | list[str] | tuple[str, ...],
    *,
    dataset: object = None,
) -> Explanation:
    """Explain a document's score for a query, sentence by sentence.

    The pipeline runs once, over all the query's candidates, because scores may depend on the pool
    (`ZScore`). It may contain scorers with a method `explained`, such as `SentenceMaxSim` and your
    own (see `matches`), sums and multiples of scores, `ZScore` and `FacetMiss`. Scores of other
    steps (words in common) are parts without pairs.

        explain(system, "1791179_method", "34254969").to_html("why.html")

    Args:
        pipeline: from queries to scored documents, e.g. ``Pool(…) >> FacetQuery(…) >> Sentences(…)
            >> SentenceMaxSim(…)``; or from whatever `query` holds.
        query: an id; or a frame of one query, or of its candidates, as the pipeline takes it; or a
            list of sentences.
        document: a `docno`; or a list of sentences, if `query` is one.
        dataset: with the abstracts in which sentences are shown; None for the dataset of the
            pipeline's own steps. Without any, only the sentences are shown.

    Raises:
        ValueError: several queries; a document without sentences, or missing in the pipeline's
            output; a pipeline without a similarity of sentences, or with a step that changes its
            score in an unknown way. The error names them.
    """
    frame, docno = _start(query, document)
    with progress("explaining"):
        end = follow(pipeline, Traced(frame, docno))
    score = _checked(end, pipeline)
    scored = next(part.row for part in end.parts if part.row is not None)
    source, target = _query_paper(scored, dataset), _candidate(scored, dataset, pipeline)
    row = scored.iloc[0].to_dict()
    return Explanation(
        qid=str(row["qid"]),
        docno=docno,
        facet=row.get("facet") or "",
        score=score,
        query=source,
        document=target,
        parts=tuple(_with_ids(part, source, target) for part in _numbered(end.parts)),
    )


def _start(query: Any, document: Any) -> tuple[pd.DataFrame, str]:
    """Return the pipeline's input, and the docno to explain; lists get the ids query, document."""
    is_sentences = not isinstance(query, (str, pd.DataFrame))
    if not is_sentences and not isinstance(document, str):
        raise ValueError(
            f"document={document!r:.80} must be a docno, as the query has an id. Or pass lists of "
            "sentences for both."
        )
    if isinstance(query, str):
        query = pd.DataFrame({"qid": [query]})
    elif is_sentences:
        if isinstance(document, str):
            raise ValueError(
                f"document={document!r:.80} must be a list of sentences, as the query is. Or pass "
                "the query's id and a docno."
            )
        texts = {"query_sentences": [list(query)], "sentences": [list(document)]}
        frame = pd.DataFrame({"qid": "query", "docno": "document", **texts})
        return (FacetQuery() >> Sentences())(frame), "document"
    query = frames.check(query, "explain(query=…)", ["qid"], keys=[])
    qids = query["qid"].unique()
    if len(qids) != 1:
        raise ValueError(
            f"query must be one query, not {len(qids)} ({frames.some(qids)}). Choose one, e.g. "
            "topics[topics['qid'] == …]."
        )
    return query, document


def _checked(end: Traced, pipeline: pt.Transformer) -> float:
    """Return the score; raise ValueError if there are no pairs of sentences to show."""
    docnos = end.frame["docno"] if "docno" in end.frame else pd.Series([], dtype=object)
    if end.docno not in set(docnos):
        output = f"{len(docnos)} documents ({frames.some(docnos)}). Choose one of these."
        raise ValueError(f"{end.docno!r} is not in the pipeline's output, which has {output}")
    row = end.row
    if any(part.matches for part in end.parts):
        return float(row["score"].iloc[0])
    if "sentences" in row and not len(row["sentences"].iloc[0]):
        raise ValueError(
            f"{end.docno!r} has no sentences (of the facet) to match; its score, {end.score}, is "
            "the default for such documents. Explain a document with sentences."
        )
    known = [n for n in transformers.__all__ if hasattr(getattr(transformers, n), "explained")]
    raise ValueError(
        f"There is no similarity of sentences in {pipeline!r:.120}. Use one of {', '.join(known)}, "
        "outside of steps that explain cannot look into."
    )


def _query_paper(row: pd.DataFrame, dataset: object) -> Paper:
    """Return the query's paper from `dataset`; default: what the row itself holds."""
    known = row
    if dataset is not None and "query_docno" in row and row["query_docno"].iloc[0]:
        known = FacetQuery(dataset)(row)
    elif not set(frames.QUERY_PAPER) <= set(row.columns):
        known = FacetQuery()(row.drop(columns=list(frames.QUERY_PAPER), errors="ignore"))
    return _paper(row, "query_sentences", "query_labels", *known[list(frames.QUERY_PAPER)].iloc[0])


def _candidate(row: pd.DataFrame, dataset: object, pipeline: pt.Transformer) -> Paper:
    """Return the candidate's paper from `dataset`, else the pipeline's dataset, else the row."""
    own = [step.dataset for step in steps(pipeline) if isinstance(step, Sentences)]
    source = next((one for one in [dataset, *own] if one is not None), None)
    known = Sentences(source).transform(row)
    return _paper(row, "sentences", "labels", *known[list(frames.CANDIDATE)].iloc[0])


def _paper(frame: pd.DataFrame, of: str, marks: str, title: str, *whole: Iterable[str]) -> Paper:
    """Return the whole paper; if a step (`PlainText`) changed its sentences, only the changed."""
    sentences, labels = frame[of].iloc[0], frame.iloc[0].get(marks)
    paper = Paper(title, *map(tuple, whole))
    try:
        places_of(sentences, labels, paper)
    except ValueError:
        labels = [""] * len(sentences) if labels is None else labels
        return Paper(title, tuple(sentences), tuple(labels))
    return paper


def _numbered(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts; number those whose name occurred before."""
    seen: Counter[str] = Counter()
    for part in parts:
        seen[part.name] += 1
        count = seen[part.name]
        yield part if count == 1 else replace(part, name=f"{part.name} ({count})")


def _with_ids(part: Part, query: Paper, document: Paper) -> Part:
    """Return the part with its sentences' ids: their positions in the papers."""
    if part.row is None:
        return part
    row = part.row.iloc[0]
    asked = places_of(row["query_sentences"], row.get("query_labels"), query)
    offered = places_of(row["sentences"], row.get("labels"), document)
    return replace(part, asked=tuple(asked), offered=tuple(offered), row=None)
