"""The papers that scored sentences are of."""

from .. import frames
from ..text.contexts import Paper, places_of
from ..transformers import FacetQuery, Sentences
from .tracing import steps


def papers_of(row, dataset, pipeline):
    """The row (a frame), as a dict, and query's and document's paper: of `dataset`, if given.

    Otherwise of the pipeline's own datasets, or what the row itself says.
    """
    asked, offered = _query(row, dataset), _document(row, dataset, pipeline)
    row = row.iloc[0].to_dict()
    return (
        row,
        _with(row["query_sentences"], row.get("query_labels"), *asked),
        _with(row["sentences"], row.get("labels"), *offered),
    )


def _with(sentences, labels, title, *whole):
    """The whole paper, or, where a step has changed the `sentences` (`PlainText`), one of these."""
    paper = Paper(title, *map(tuple, whole))
    try:
        places_of(sentences, labels, paper)
    except ValueError:
        labels = [""] * len(sentences) if labels is None else labels
        return Paper(title, tuple(sentences), tuple(labels))
    return paper


def _query(row, dataset):
    """Title, sentences and labels of the query's paper."""
    known = row
    if dataset is not None and "query_docno" in row and row["query_docno"].iloc[0]:
        known = FacetQuery(dataset)(row)
    elif not set(frames.QUERY_PAPER) <= set(row.columns):
        known = FacetQuery()(row.drop(columns=list(frames.QUERY_PAPER), errors="ignore"))
    return known[list(frames.QUERY_PAPER)].iloc[0]


def _document(row, dataset, pipeline):
    """Title, sentences and labels of the candidate, from the first source there is."""
    own = [step.dataset for step in steps(pipeline) if isinstance(step, Sentences)]
    sources = [source for source in [dataset, *own] if source is not None]
    return Sentences(sources[0] if sources else None)(row)[list(frames.CANDIDATE)].iloc[0]
