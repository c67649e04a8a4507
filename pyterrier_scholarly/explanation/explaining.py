"""`explain`: one candidate of one query, through any pipeline of ours."""

from collections import Counter
from dataclasses import replace

import pandas as pd

from .. import frames, transformers
from ..text.contexts import places_of
from ..transformers import FacetQuery, Sentences
from ._papers import papers_of
from ._traced import Traced
from .result import Explanation, Pairs
from .tracing import follow

QUERY, DOCUMENT = "query", "document"  # ids of what has none


def explain(pipeline, query, document, *, dataset=None):
    """Why a pipeline scores a document as it does for a query, sentence by sentence.

    It runs the pipeline once for this query, over all its candidates, because scores may depend on
    the pool (`ZScore`). Scorers with a method `explained`, such as `SentenceMaxSim` and scorers of
    your own (see `matches`), may be anywhere in it, with sums and multiples of scores, `ZScore` and
    `FacetMiss`; scores of other steps (words in common) are parts without pairs.

        explain(system, "1791179_method", "34254969").to_html("why.html")

    Args:
        pipeline: from queries to scored documents, e.g. ``Pool(…) >> FacetQuery(…) >> Sentences(…)
            >> SentenceMaxSim(…)``; or from what `query` is.
        query: an id; or a frame of one query, or of its candidates, as the pipeline takes it; or a
            list of sentences.
        document: a `docno`; or, beside a list of sentences, another.
        dataset: where the whole abstracts and titles are, to show the sentences in; None for the
            dataset of the pipeline's own steps, without which only the sentences are shown.

    Returns:
        `Explanation`.

    Raises:
        ValueError: more than one query, a document that is not in the pipeline's output or has no
            sentences, a pipeline without a similarity of sentences, or with a step that changes its
            score in an unknown way; names them.
    """
    frame, docno = _asked(query, document)
    end = follow(pipeline, Traced(frame, docno))
    _check(end, pipeline)
    row = next(part.row for part in end.parts if part.matches)
    row, source, target = papers_of(row, dataset, pipeline)
    return Explanation(
        qid=str(row["qid"]),
        docno=docno,
        facet=row.get("facet") or "",
        score=end.score,
        query=source,
        document=target,
        parts=tuple(_pairs(part, source, target) for part in _told_apart(end.parts)),
    )


def _asked(query, document):
    """The frame that goes into the pipeline, and the docno that is looked for."""
    if isinstance(query, str):
        query = pd.DataFrame({"qid": [query]})
    elif isinstance(query, (list, tuple)):
        if not isinstance(document, (list, tuple)):
            raise ValueError(
                f"document={document!r:.80} must be a list of sentences, as the query is; or give "
                "the query's id and a docno."
            )
        own = {"query_sentences": [list(query)], "sentences": [list(document)]}
        frame = pd.DataFrame({"qid": QUERY, "docno": DOCUMENT, **own})
        return (FacetQuery() >> Sentences())(frame), DOCUMENT
    qids = query["qid"].unique()
    if len(qids) != 1:
        raise ValueError(
            f"query must be one query, not {len(qids)} ({frames.some(qids)}): choose one, e.g. "
            "topics[topics['qid'] == …]."
        )
    return query, document


def _check(end, pipeline):
    """Raise ValueError if there are no pairs of sentences to show."""
    there = end.frame["docno"] if "docno" in end.frame else pd.Series([], dtype=object)
    if end.docno not in set(there):
        raise ValueError(
            f"{end.docno!r} is not in the pipeline's output for this query, which has "
            f"{len(there)} documents ({frames.some(there)}): choose one of these."
        )
    if any(part.matches for part in end.parts):
        return
    row = end.row
    if "sentences" in row and not len(row["sentences"].iloc[0]):
        raise ValueError(
            f"{end.docno!r} has no sentences (of the facet) to be matched: its score, {end.score}, "
            "is the one for such documents. Explain a document with sentences."
        )
    known = [
        name for name in transformers.__all__ if hasattr(getattr(transformers, name), "explained")
    ]
    raise ValueError(
        f"There is no similarity of sentences in {pipeline!r:.120}: explain needs one of "
        f"{', '.join(known)} in the pipeline, outside of steps that it does not look into."
    )


def _told_apart(parts):
    """The parts, those of a name that was there before numbered."""
    seen = Counter()
    for part in parts:
        seen[part.name] += 1
        again = f" ({seen[part.name]})" if seen[part.name] > 1 else ""
        yield replace(part, name=part.name + again)


def _pairs(part, query, document):
    """The part with its sentences' places in the papers."""
    if part.matches is None:
        return Pairs(part.name, part.value)
    row = part.row.iloc[0]
    asked = places_of(row["query_sentences"], row.get("query_labels"), query)
    offered = places_of(row["sentences"], row.get("labels"), document)
    return Pairs(part.name, part.value, part.matches, tuple(asked), tuple(offered))
