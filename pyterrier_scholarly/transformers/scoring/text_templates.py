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
        id_column: the column with the ids that errors name.
        paper_column: the column with the ids of papers in the dataset.
        paper_prefix: how the names of fields begin that the dataset has of these papers.
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
    """Return the columns that a frame must have for a step's templates, besides `qid` and `docno`.

    For the templates "{query} {query_title}" and "{title}", without a dataset: query, query_title
    and title. With one: query, and query_docno, by which the dataset finds the query's title.
    """
    query_fields = list_fields(step.query)
    if step.dataset is None:
        document_fields = list_fields(step.document)
        return query_fields + document_fields

    # the dataset has the fields of documents, and of the query's paper, whose id is a column
    columns = []
    for field in query_fields:
        if field.startswith(QUERIES.paper_prefix):
            columns.append(QUERIES.paper_column)
        else:
            columns.append(field)
    return columns


def _find_remedy(results: pd.DataFrame, step: Templated) -> str:
    """Return advice for an error: what to do if a field of a template is no column.

    results: what the user passed, not yet checked, so maybe no frame.
    """
    step_name = type(step).__name__
    document_fields = list_fields(step.document)
    present_fields = []
    if step.dataset is None and isinstance(results, pd.DataFrame):
        present_fields = [name for name in document_fields if name in results.columns]

    has_some_fields = present_fields and present_fields != document_fields
    if has_some_fields:  # a template of these alone would do
        template = " ".join(f"{{{name}}}" for name in present_fields)
        return (
            f"To do without the other fields of documents, pass {step_name}(…, "
            f"document={template!r}); or pass a dataset that has them."
        )
    return f"Pass {step_name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."


def _fill_rows(
    results: pd.DataFrame, dataset: DatasetLike | None, template: str, side: TemplateSide
) -> list[str]:
    """Return the text that a template makes of each row, after checking the values of its fields.

    side: whether it is the template of the queries or of the documents.
    """
    values = _collect_values(results, dataset, template, side)
    names = list_fields(template)
    # a document may lack a text, and a query one of several; a query's only text is needed
    may_be_blank = side is DOCUMENTS or len(names) > 1
    for name in names:
        frames.check_texts(values, name, by=side.id_column, blank=may_be_blank)

    # rows with the same values have the same text, which is made once
    text_of_row, first_rows = frames.numbered(values, names)
    distinct_values = values[names].iloc[first_rows].to_dict("records")
    texts = [template.format(**row) for row in distinct_values]
    return [texts[number] for number in text_of_row.tolist()]


def _collect_values(
    results: pd.DataFrame, dataset: DatasetLike | None, template: str, side: TemplateSide
) -> pd.DataFrame:
    """Return a column of each field in a template, and the ids that errors name.

    Fields of papers are read from the dataset if there is one; all others are columns of `results`.
    """
    names = list_fields(template)
    stored_names = []
    if dataset is not None:
        stored_names = [name for name in names if name.startswith(side.paper_prefix)]

    column_names = [name for name in names if name not in stored_names]
    values = results[[side.id_column]]
    values = values.assign(**{name: results[name] for name in column_names})
    if dataset is None or not stored_names:
        return values

    paper_ids = results[side.paper_column]
    record_by_id = datasets.documents(dataset, paper_ids)
    for name in stored_names:
        field = name.removeprefix(side.paper_prefix)
        value_by_id = {}
        for doc_id, record in record_by_id.items():
            value_by_id[doc_id] = _read_field(record, field, template)
        values[name] = paper_ids.map(value_by_id)
    return values


def _read_field(record: Record, name: str, template: str) -> object:
    """Return the value of a record's field; an unknown one raises ValueError that lists all."""
    if not hasattr(record, name):
        names = ", ".join(getattr(record, "_fields", ()))
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {names}.")
    return getattr(record, name)
