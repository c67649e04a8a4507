"""Fill templates of texts, as in `str.format`, from a frame's columns or a dataset's documents.

    fill_template("{title} {text}", record)  # the fields of a document's record
    rows = read_texts(results, step)  # by the templates of a step
    rows.queries[0], rows.documents[0]  # the texts of the first row

With a dataset, a document's fields are those of its record in the dataset. Fields of a query that
begin with `query_` are those of the query's paper: `query_title` is the title of the document that
column `query_docno` names. All other fields are columns.
"""

from dataclasses import field
from string import Formatter
from typing import NamedTuple

import numpy as np
import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..step import Step, some
from ..typed_records import Record


class TemplatedStep(Step):
    """A step with templates of a query's and of a document's text; see the module."""

    dataset: DatasetLike | None = field(default=None, kw_only=True)
    query: str = field(default="{query}", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)


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
    field_names = list_fields(template)
    value_of_field = {name: _read_field(record, name, template) for name in field_names}
    return template.format(**value_of_field)


def read_texts(results: pd.DataFrame, step: TemplatedStep) -> TextRows:
    """Check a frame, and return for each row the texts that a step's two templates make of it.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a template without a field or with an unknown one, texts that are NaN, a query
            without text; names the rows.
    """
    needed_columns = ["qid", "docno", *_list_columns(step)]
    remedy = _find_remedy(results, step)
    results = step.check(results, needed_columns, remedy=remedy)

    query_texts = _fill_rows(results, step.dataset, step.query, QUERIES)
    document_texts = read_document_texts(results, step)
    return TextRows(results, query_texts, document_texts)


def read_document_texts(results: pd.DataFrame, step: TemplatedStep) -> list[str]:
    """Return the document's text for each row of a checked frame; errors as of `read_texts`."""
    return _fill_rows(results, step.dataset, step.document, DOCUMENTS)


def _list_columns(step: TemplatedStep) -> list[str]:
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
    for name in query_fields:
        is_of_paper = name.startswith(QUERIES.paper_prefix)
        columns.append(QUERIES.paper_column if is_of_paper else name)
    return columns


def _find_remedy(results: pd.DataFrame, step: TemplatedStep) -> str:
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
    field_names = list_fields(template)
    values = _collect_values(results, dataset, template, side)  # a column for each field

    # a document may lack a text, and a query one of several; a query's only text is needed
    may_be_blank = side is DOCUMENTS or len(field_names) > 1
    for name in field_names:
        _check_filled(values, name, side.id_column, may_be_blank)

    texts = []
    for row in values[field_names].itertuples(index=False, name=None):
        value_of_field = dict(zip(field_names, row))
        texts.append(template.format(**value_of_field))
    return texts


def _check_filled(values: pd.DataFrame, column: str, id_column: str, may_be_blank: bool) -> None:
    """Raise ValueError for values of a field that are no texts, or blank; names their rows."""
    is_bad = []
    for value in values[column].tolist():
        is_text = isinstance(value, str)
        is_filled = is_text and (may_be_blank or value.strip() != "")
        is_bad.append(not is_filled)

    if any(is_bad):
        bad_rows = values[np.array(is_bad)]
        expected = "a text" if may_be_blank else "a text that is not empty"
        raise ValueError(
            f"Column {column!r} must hold {expected}; it does not for {id_column} "
            f"{some(bad_rows[id_column].drop_duplicates())}: fill it, or drop these rows. Found: "
            f"{bad_rows[column].iloc[0]!r:.60}."
        )


def _collect_values(
    results: pd.DataFrame, dataset: DatasetLike | None, template: str, side: TemplateSide
) -> pd.DataFrame:
    """Return a column of each field in a template, and the ids that errors name.

    Fields of papers are read from the dataset if there is one; all others are columns of `results`.
    """
    stored_fields = []
    column_fields = []
    for name in list_fields(template):
        is_stored = dataset is not None and name.startswith(side.paper_prefix)
        if is_stored:
            stored_fields.append(name)
        else:
            column_fields.append(name)

    # each column once: the ids may be a field, too
    columns = list(dict.fromkeys([side.id_column, *column_fields]))
    values = results[columns].copy()
    if dataset is None or not stored_fields:
        return values

    paper_ids = results[side.paper_column]
    record_of_paper = datasets.documents(dataset, paper_ids)
    for name in stored_fields:
        field_name = name.removeprefix(side.paper_prefix)
        value_of_paper = {}
        for paper_id, record in record_of_paper.items():
            value_of_paper[paper_id] = _read_field(record, field_name, template)
        values[name] = paper_ids.map(value_of_paper)
    return values


def _read_field(record: Record, name: str, template: str) -> object:
    """Return the value of a record's field; an unknown one raises ValueError that lists all."""
    if not hasattr(record, name):
        names = ", ".join(getattr(record, "_fields", ()))
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {names}.")
    return getattr(record, name)
