"""Fill templates of texts, as in `str.format`, from a frame's columns or a dataset's documents.

    fill_template("{title} {text}", record)  # the fields of a document's record
    results = step.check_results(results)
    step.fill(results, QUERIES)[0], step.fill(results, DOCUMENTS)[0]  # the texts of the first row

With a dataset, a document's fields are those of its record in the dataset. Fields of a query that
begin with `query_` are those of the query's paper: `query_title` is the title of the document that
column `query_docno` names. All other fields are columns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY
from hashlib import blake2b
from string import Formatter
from typing import NamedTuple

import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..frames import check_texts
from ..typed_records import Record
from .scorer import Scorer


class Side(NamedTuple):
    """What differs between the texts of queries and those of documents.

    Attributes:
        template_setting: the step's setting with the template.
        id_column: column with the ids that errors name.
        paper_column: column with the ids of papers in the dataset.
        paper_prefix: how the names of fields begin that the dataset has of these papers.
    """

    template_setting: str
    id_column: str
    paper_column: str
    paper_prefix: str


QUERIES = Side(
    template_setting="query",
    id_column="qid",
    paper_column="query_docno",
    paper_prefix="query_",
)
DOCUMENTS = Side(
    template_setting="document",
    id_column="docno",
    paper_column="docno",
    paper_prefix="",  # all of them
)


class TemplatedStep(Scorer):
    """A step with templates of a query's and of a document's text; see the module."""

    _: KW_ONLY
    dataset: DatasetLike | None = None
    query: str = "{query}"
    document: str = "{title} {text}"

    def check_results(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the frame, after checking its columns."""
        query_columns = self.list_columns(QUERIES)
        document_columns = self.list_columns(DOCUMENTS)
        all_columns = ["qid", "docno", *query_columns, *document_columns]
        needed_columns = list(dict.fromkeys(all_columns))  # each once

        # what is no frame has no columns; `check` refuses it
        columns = getattr(results, "columns", ())
        present_columns = [name for name in document_columns if name in columns]
        remedy = self._describe_remedy(document_columns, present_columns)

        # `fill` says whether a query's text may be blank
        return self.check(results, needed_columns, remedy=remedy, may_be_blank=["query"])

    def _describe_remedy(self, document_columns: list[str], present_columns: list[str]) -> str:
        """Say what to do if columns are missing, of documents or of queries.

        Args:
            document_columns: those that the template of documents needs.
            present_columns: those of them that the frame has.
        """
        step_name = type(self).__name__
        if not present_columns or present_columns == document_columns:
            return (
                f"Pass {step_name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."
            )

        # some fields of documents are present: a template of these alone would do
        fields = [f"{{{name}}}" for name in present_columns]
        template = " ".join(fields)
        return (
            f"To do without the other fields of documents, pass {step_name}(…, "
            f"document={template!r}); or pass a dataset that has them."
        )

    def list_columns(self, side: Side) -> list[str]:
        """Return for each field of a side's template the column that it needs.

        For the query "{query} {query_title}" these are both, without a dataset. With one they are
        query, and query_docno, by which the dataset finds the title.
        """
        columns = []
        for name in list_fields(getattr(self, side.template_setting)):
            is_stored = self.dataset is not None and name.startswith(side.paper_prefix)
            columns.append(side.paper_column if is_stored else name)
        return columns

    def fill(self, results: pd.DataFrame, side: Side) -> list[str]:
        """Return a side's text for each row of a checked frame.

        Raises:
            ValueError: an unknown field, a value that is no text, a query whose only text is blank;
                names the rows.
        """
        template = getattr(self, side.template_setting)
        field_names = list_fields(template)
        columns = self.list_columns(side)
        records = {}  # of papers in the dataset, by id
        if self.dataset is not None and side.paper_column in columns:
            records = datasets.documents(self.dataset, results[side.paper_column])

        # a document may lack a text, and a query one of several; a query's only text is needed
        may_be_blank = side is DOCUMENTS or len(field_names) > 1
        # a frame, because errors name its rows by their ids
        filled_fields = pd.DataFrame({side.id_column: results[side.id_column].tolist()})
        for field_name, column in zip(field_names, columns):
            values = results[column].tolist()
            if records and column == side.paper_column:
                stored_name = field_name.removeprefix(side.paper_prefix)
                values = [_read_field(records[id_], stored_name, template) for id_ in values]
            filled_fields[field_name] = pd.Series(values, dtype=object)
            check_texts(filled_fields, field_name, by=side.id_column, blank=may_be_blank)

        rows = filled_fields[field_names].to_dict("records")
        return [template.format(**values_by_field) for values_by_field in rows]


def list_fields(template: str) -> list[str]:
    """List the names in braces, each once; raise ValueError if there are none."""
    names = dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name)
    if not names:
        raise ValueError(
            f"The template {template!r} has no field: write it like '{{title}} {{text}}'."
        )
    return list(names)


def fill_template(template: str, record: Record) -> str:
    """Fill `template` with the fields of a document's record; ValueError for an unknown field."""
    names = list_fields(template)
    return template.format(**{name: _read_field(record, name, template) for name in names})


def _read_field(record: Record, name: str, template: str) -> object:
    """Return the value of a record's field; an unknown one raises ValueError that lists all."""
    if not hasattr(record, name):
        names = ", ".join(getattr(record, "_fields", ()))
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {names}.")
    return getattr(record, name)


class DistinctTexts:
    """The distinct texts of documents, which an iteration yields; of equal ones, the last counts.

    >>> from collections import namedtuple
    >>> Record = namedtuple("Record", ["doc_id", "title"])
    >>> records = [Record("a", "On trees"), Record("b", "On graphs"), Record("c", "On trees")]
    >>> distinct_texts = DistinctTexts(records, "{title}")
    >>> list(distinct_texts)
    ['On trees', 'On graphs']
    >>> distinct_texts.docnos
    ['c', 'b']

    This is how LitSearch's code builds its indexes [Ajith2024]: documents with equal texts count as
    one, at the position of the first of them, with the id of the last.

    Args:
        records: of documents.
        template: of a document's text.

    Attributes:
        docnos: after an iteration, the last document with each text, in the order of the texts.
    """

    def __init__(self, records: Iterable[Record], template: str) -> None:
        self.records = records
        self.template = template
        self.docnos: list[str] = []

    def __iter__(self) -> Iterator[str]:
        self.docnos = []
        # digests, because the texts of a large collection would not fit into memory
        number_of_digest: dict[bytes, int] = {}
        for record in self.records:
            text = fill_template(self.template, record)
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest in number_of_digest:  # an earlier document has this text; the last one counts
                self.docnos[number_of_digest[digest]] = record.doc_id
            else:
                number_of_digest[digest] = len(self.docnos)
                self.docnos.append(record.doc_id)
                yield text
