"""Fill templates of texts, as in `str.format`, from a frame's columns or a dataset's documents.

    fill_template("{title} {text}", record)  # the fields of a document's record
    rows = read_texts(results, step)  # by the templates of a step
    rows.queries[0], rows.documents[0]  # the texts of the first row

With a dataset, a document's fields are those of its record in the dataset. Fields of a query that
begin with `query_` are those of the query's paper: `query_title` is the title of the document that
column `query_docno` names. All other fields are columns.
"""

from string import Formatter
from typing import NamedTuple, Protocol

import pandas as pd

from ir_datasets_ext.typed_records import Record

from ... import datasets, frames
from ...datasets import DatasetLike


class Templated(Protocol):
    """A transformer with templates of a query's and of a document's text; see the module."""

    dataset: DatasetLike | None
    query: str
    document: str


class TextRows(NamedTuple):
    """A checked frame, and for each of its n rows the text of the query and of the document."""

    frame: pd.DataFrame
    queries: list[str]
    documents: list[str]


class TemplateSide(NamedTuple):
    """What differs between the templates of queries and of documents.

    Attributes:
        id_column: of the ids that errors name.
        paper_column: of the ids of documents in the dataset.
        paper_prefix: how fields begin that are fields of these documents.
    """

    id_column: str
    paper_column: str
    paper_prefix: str


QUERIES = TemplateSide("qid", "query_docno", "query_")
DOCUMENTS = TemplateSide("docno", "docno", "")


def list_fields(template: str) -> list[str]:
    """List the names in braces, each once; raise ValueError if there are none."""
    names: list[str] = []
    for _, name, _, _ in Formatter().parse(template):
        if name and name not in names:
            names.append(name)

    if not names:
        raise ValueError(
            f"The template {template!r} has no field: write it like '{{title}} {{text}}'."
        )
    return names


def fill_template(template: str, record: Record) -> str:
    """Fill `template` with the fields of a document's record; ValueError for an unknown field."""
    values = {name: _read_field(record, name, template) for name in list_fields(template)}
    return template.format(**values)


def read_texts(results: pd.DataFrame, step: Templated) -> TextRows:
    """Check a frame, and return for each row the texts that a step's two templates make of it.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a template without a field or with an unknown one, texts that are NaN, a query
            without text; names the rows.
    """
    needed_columns = ["qid", "docno", *_list_columns(step)]
    remedy = _find_remedy(results, step)
    results = frames.check(results, step, needed_columns, remedy=remedy)

    query_texts = _fill_rows(results, step.dataset, step.query, QUERIES)
    document_texts = read_document_texts(results, step)
    return TextRows(results, query_texts, document_texts)


def read_document_texts(results: pd.DataFrame, step: Templated) -> list[str]:
    """Return the document's text for each row of a checked frame; errors as of `read_texts`."""
    return _fill_rows(results, step.dataset, step.document, DOCUMENTS)


def _list_columns(step: Templated) -> list[str]:
    """Return the columns that a step's templates need, besides `qid` and `docno`."""
    query_fields = list_fields(step.query)
    if step.dataset is None:
        return [*query_fields, *list_fields(step.document)]

    # the dataset has all fields of documents; of the query's paper, the frame has the id alone
    columns = []
    for name in query_fields:
        is_of_paper = name.startswith(QUERIES.paper_prefix)
        columns.append(QUERIES.paper_column if is_of_paper else name)
    return columns


def _find_remedy(results: pd.DataFrame, step: Templated) -> str:
    """Say what to do if a field of a template is no column."""
    step_name = type(step).__name__
    document_fields = list_fields(step.document)
    present_fields = []
    if step.dataset is None and isinstance(results, pd.DataFrame):  # which is not yet checked
        present_fields = [name for name in document_fields if name in results.columns]

    if present_fields and present_fields != document_fields:
        template = " ".join(f"{{{name}}}" for name in present_fields)
        return (
            f"To do without the other fields of documents, pass {step_name}(…, "
            f"document={template!r}); or pass a dataset that has them."
        )
    return f"Pass {step_name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."


def _fill_rows(
    results: pd.DataFrame, dataset: DatasetLike | None, template: str, side: TemplateSide
) -> list[str]:
    """Fill a template for each row; equal values are filled in once."""
    names = list_fields(template)
    stored_names = []
    if dataset is not None:
        stored_names = [name for name in names if name.startswith(side.paper_prefix)]

    values = results[[side.id_column]]
    values = values.assign(**{name: results[name] for name in names if name not in stored_names})
    if dataset is not None and stored_names:
        paper_ids = results[side.paper_column]
        record_by_id = datasets.documents(dataset, paper_ids)
        for name in stored_names:
            field = name.removeprefix(side.paper_prefix)
            value_by_id = {
                doc_id: _read_field(record, field, template)
                for doc_id, record in record_by_id.items()
            }
            values[name] = paper_ids.map(value_by_id)

    may_be_blank = side is DOCUMENTS or len(names) > 1
    for name in names:
        frames.check_texts(values, name, by=side.id_column, blank=may_be_blank)

    text_of_row, first_rows = frames.numbered(values, names)
    distinct_values = values[names].iloc[first_rows].to_dict("records")
    texts = [template.format(**row) for row in distinct_values]
    return [texts[number] for number in text_of_row.tolist()]


def _read_field(record: Record, name: str, template: str) -> object:
    """Return a record's field; ValueError, with all fields, for an unknown one."""
    if not hasattr(record, name):
        names = ", ".join(getattr(record, "_fields", ()))
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {names}.")
    return getattr(record, name)
