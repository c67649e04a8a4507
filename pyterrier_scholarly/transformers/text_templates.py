"""Fill templates of texts, as in `str.format`, from a frame's columns or a dataset's documents.

    fill_template("{title} {text}", record)  # the fields of a document's record
    results = step.check_templates(results, step.list_query_columns())
    step.fill_queries(results)[0], step.fill_documents(results)[0]  # the texts of the first row

With a dataset, a document's fields are those of its record in the dataset. Fields of a query that
begin with `query_` are those of the query's paper: `query_title` is the title of the document that
column `query_docno` names. All other fields are columns.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from hashlib import blake2b
from string import Formatter

import pandas as pd

from .. import datasets
from ..choices import some
from ..datasets import DatasetLike
from ..step import Step
from ..typed_records import Record

QUERY_PREFIX = "query_"  # of fields that a dataset has of a query's paper


class TemplatedStep(Step):
    """A step with templates of a query's and of a document's text; see the module."""

    dataset: DatasetLike | None = field(default=None, kw_only=True)
    query: str = field(default="{query}", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)

    def check_templates(self, results: pd.DataFrame, query_columns: list[str]) -> pd.DataFrame:
        """Return a frame after checking `query_columns`, and the columns that `document` needs."""
        step_name = type(self).__name__
        remedy = f"Pass {step_name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."
        needed_columns = ["qid", "docno", *query_columns]
        document_fields = list_fields(self.document)
        if self.dataset is not None:  # which has the fields of documents
            return self.check(results, needed_columns, remedy=remedy)

        # the other fields are columns; if there are some of them, a shorter template would do
        columns = results.columns if isinstance(results, pd.DataFrame) else ()
        present_fields = [name for name in document_fields if name in columns]
        if 0 < len(present_fields) < len(document_fields):
            template = " ".join(f"{{{name}}}" for name in present_fields)
            remedy = (
                f"To do without the other fields of documents, pass {step_name}(…, "
                f"document={template!r}); or pass a dataset that has them."
            )
        return self.check(results, needed_columns + document_fields, remedy=remedy)

    def list_query_columns(self) -> list[str]:
        """Return the columns that the template of queries needs.

        For "{query} {query_title}" these are both, without a dataset. With one they are query, and
        query_docno, by which the dataset finds the title.
        """
        columns = []
        for name in list_fields(self.query):
            is_of_paper = self.dataset is not None and name.startswith(QUERY_PREFIX)
            columns.append("query_docno" if is_of_paper else name)
        return columns

    def fill_queries(self, results: pd.DataFrame) -> list[str]:
        """Return the query's text for each row of a checked frame.

        Raises:
            ValueError: an unknown field, a value that is no text, a query whose only text is blank;
                names the rows.
        """
        return self._fill(results, self.query, "qid", "query_docno", QUERY_PREFIX)

    def fill_documents(self, results: pd.DataFrame) -> list[str]:
        """Return the document's text for each row; errors as of `fill_queries`, but for blanks."""
        return self._fill(results, self.document, "docno", "docno", "")

    def _fill(
        self, results: pd.DataFrame, template: str, id_column: str, paper_column: str, prefix: str
    ) -> list[str]:
        """Return the text that a template makes of each row.

        Args:
            results: a checked frame.
            template: of queries or of documents.
            id_column: with the ids that errors name.
            paper_column: with the ids of papers in the dataset.
            prefix: how the names of fields begin that the dataset has of these papers.
        """
        field_names = list_fields(template)
        stored_names = []
        records = []  # of each row's paper
        if self.dataset is not None:
            stored_names = [name for name in field_names if name.startswith(prefix)]
        if stored_names:
            paper_ids = results[paper_column].tolist()
            record_of_paper = datasets.documents(self.dataset, paper_ids)
            records = [record_of_paper[paper_id] for paper_id in paper_ids]

        # a document may lack a text, and a query one of several; a query's only text is needed
        may_be_blank = id_column == "docno" or len(field_names) > 1
        values_of_fields = []
        for name in field_names:
            if name in stored_names:
                stored_name = name.removeprefix(prefix)
                values = [_read_field(record, stored_name, template) for record in records]
            else:
                values = results[name].tolist()
            _check_values(name, values, results[id_column], may_be_blank)
            values_of_fields.append(values)

        texts = []
        for values_of_row in zip(*values_of_fields):
            texts.append(template.format(**dict(zip(field_names, values_of_row))))
        return texts


def _check_values(name: str, values: Sequence[object], ids: pd.Series, may_be_blank: bool) -> None:
    """Raise ValueError unless a field has a text in each row; `ids` name rows in the error."""
    wrong_rows = []
    for row, value in enumerate(values):
        is_text = isinstance(value, str) and (may_be_blank or value.strip())
        if not is_text:
            wrong_rows.append(row)

    if wrong_rows:
        expected = "a text" if may_be_blank else "a text that is not empty"
        raise ValueError(
            f"Column {name!r} must hold {expected}; it does not for {ids.name} "
            f"{some(ids.iloc[wrong_rows].drop_duplicates())}: fill it, or drop these rows. Found: "
            f"{values[wrong_rows[0]]!r:.60}."
        )


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
            number = number_of_digest.setdefault(digest, len(self.docnos))
            if number < len(self.docnos):  # an earlier document has this text
                self.docnos[number] = record.doc_id
            else:
                self.docnos.append(record.doc_id)
                yield text
