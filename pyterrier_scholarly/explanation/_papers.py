"""The papers that scored sentences are of."""

from ..text.contexts import Paper, places_of
from ..transformers import FacetQuery, PaperContext, Sentences
from .tracing import steps

WITH_SENTENCES = (FacetQuery, Sentences, PaperContext)  # steps whose dataset has the papers


def papers_of(row, dataset, pipeline):
    """The row (a frame), as a dict, and query's and document's paper: of `dataset`, if given.

    Otherwise of the pipeline's own, or, where no dataset has both, what the row itself says.
    """
    known = row
    if "query_paper_sentences" not in row or "title" not in row:
        known = _in_papers(row, dataset, pipeline)
    row, known = row.iloc[0].to_dict(), known.iloc[0]
    query = known["query_title"], known["query_paper_sentences"], known["query_paper_labels"]
    document = known["title"], known["sentences"], known["labels"]
    return (
        row,
        _with(row["query_sentences"], row.get("query_labels"), *query),
        _with(row["sentences"], row.get("labels"), *document),
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


def _in_papers(row, dataset, pipeline):
    """The row behind `PaperContext`."""
    if dataset is not None:
        return PaperContext(dataset)(row)
    for step in steps(pipeline):
        if isinstance(step, WITH_SENTENCES) and step.dataset is not None:
            try:
                return PaperContext(step.dataset)(row)
            except ValueError:  # queries and documents are of two datasets: not both are here
                continue
    return PaperContext()(row)
