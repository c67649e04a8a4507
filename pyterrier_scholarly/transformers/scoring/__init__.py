"""Score documents by sentences, passages, texts, tokens or words; retrieve by the same scores.

Here: fill the templates of texts, as in `str.format`, from columns or a dataset's documents.
"""

from string import Formatter
from typing import Protocol

import pandas as pd

from ... import datasets, frames
from ...datasets import DatasetLike

PAPER = "query_"  # prefix of the fields of the query's paper


class Templated(Protocol):
    """A transformer with templates of a query's and of a document's text.

    With a `dataset`, fields of the document, and fields of the query that begin with `query_`, are
    fields of its documents `docno` and `query_docno`. Other fields are columns.
    """

    dataset: DatasetLike
    query: str
    document: str


def fields(template: str) -> list[str]:
    """Return the names in braces, each once; raise ValueError if there are none."""
    names = list(dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name))
    if not names:
        raise ValueError(
            f"The template {template!r} has no field: write it like '{{title}} {{text}}'."
        )
    return names


def both_texts(results: pd.DataFrame, step: Templated) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Check a frame; return it, and the text of each row's query and of its document.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a template without a field or with an unknown one, texts that are NaN, a query
            without text; names the rows.
    """
    query_fields = fields(step.query)
    if step.dataset is None:
        needed = [*query_fields, *fields(step.document)]
    else:
        needed = ["query_docno" if name.startswith(PAPER) else name for name in query_fields]

    remedy = _find_remedy(results, step)
    results = frames.check(results, step, ["qid", "docno", *needed], remedy=remedy)
    queries = _texts(results, step, step.query, "qid", PAPER, "query_docno")
    return results, queries, document_texts(results, step)


def _find_remedy(results: pd.DataFrame, step: Templated) -> str:
    """Say what to do if a field of a template is no column."""
    name = type(step).__name__
    in_columns = step.dataset is None and isinstance(results, pd.DataFrame)
    document_fields = fields(step.document)
    known = [field for field in document_fields if in_columns and field in results.columns]
    if known and known != document_fields:
        template = " ".join(f"{{{field}}}" for field in known)
        return (
            f"To do without the other fields of documents, pass {name}(…, document={template!r}); "
            "or pass a dataset that has them."
        )
    return f"Pass {name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."


def document_texts(results: pd.DataFrame, step: Templated) -> list[str]:
    """Return the document's text for each row; see `both_texts`."""
    return _texts(results, step, step.document, "docno", "", "docno")


def filled(template: str, record: object) -> str:
    """Fill `template` with the fields of a document's record."""
    return template.format(**{name: _of(record, name, template) for name in fields(template)})


def _texts(
    results: pd.DataFrame, step: Templated, template: str, by: str, prefix: str, docno: str
) -> list[str]:
    names, dataset = fields(template), step.dataset
    stored = [n for n in names if dataset is not None and n.startswith(prefix)]
    values = results[[by]].assign(**{n: results[n] for n in names if n not in stored})
    if stored:
        records = datasets.documents(dataset, results[docno])
        for name in stored:
            key = name.removeprefix(prefix)
            texts = {doc_id: _of(record, key, template) for doc_id, record in records.items()}
            values[name] = results[docno].map(texts)
    for name in names:
        frames.check_texts(values, name, by=by, blank=by == "docno" or len(names) > 1)
    return frames.per_key(values, names, lambda *row: template.format(**dict(zip(names, row))))


def _of(record: object, name: str, template: str) -> object:
    if not hasattr(record, name):
        known = ", ".join(getattr(record, "_fields", ()))
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {known}.")
    return getattr(record, name)
