"""Fill templates of texts, as in `str.format`, from a frame's columns or a dataset's documents.

    fill_template("{title} {text}", record)  # the fields of a document's record
    results = step.check_templates(results, step.list_query_columns())
    step.fill_queries(results)[0], step.fill_documents(results)[0]  # the texts of the first row

With a dataset, a document's fields are those of its record in the dataset. Fields of a query that
begin with `query_` are those of the query's paper: `query_title` is the title of the document that
column `query_docno` names. All other fields are columns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from hashlib import blake2b
from string import Formatter

import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..step import Step, some
from ..typed_records import Record

QUERY_PREFIX = "query_"  # of fields that a dataset has of a query's paper


class TemplatedStep(Step):
    """A step with templates of a query's and of a document's text; see the module."""

    dataset: DatasetLike | None = field(default=None, kw_only=True)
    query: str = field(default="{query}", kw_only=True)
    document: str = field(default="{title} {text}", kw_only=True)

    def check_templates(self, results: pd.DataFrame, query_columns: list[str]) -> pd.DataFrame:
        """Return a frame after checking `query_columns`, and the columns that `document` needs."""
        document_fields = list_fields(self.document)
        document_columns = document_fields if self.dataset is None else []
        present_columns = [name for name in document_columns if name in results.columns]

        name = type(self).__name__
        remedy = f"Pass {name} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."
        if present_columns and present_columns != document_columns:
            template = " ".join(f"{{{column}}}" for column in present_columns)
            remedy = (
                f"To do without the other fields of documents, pass {name}(…, "
                f"document={template!r}); or pass a dataset that has them."
            )
        needed_columns = ["qid", "docno", *query_columns, *document_columns]
        return self.check(results, needed_columns, remedy=remedy)

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
        if self.dataset is not None:
            stored_names = [name for name in field_names if name.startswith(prefix)]
        paper_ids = results[paper_column].tolist() if stored_names else []
        record_of_paper = datasets.documents(self.dataset, paper_ids) if stored_names else {}

        # a document may lack a text, and a query one of several; a query's only text is needed
        may_be_blank = id_column == "docno" or len(field_names) > 1
        expected = "a text" if may_be_blank else "a text that is not empty"
        values_of_fields = []
        for name in field_names:
            if name in stored_names:
                stored_name = name.removeprefix(prefix)
                records = [record_of_paper[paper_id] for paper_id in paper_ids]
                values = [_read_field(record, stored_name, template) for record in records]
            else:
                values = results[name].tolist()

            is_filled = [
                isinstance(value, str) and (may_be_blank or value.strip() != "") for value in values
            ]
            if not all(is_filled):
                ids = results[id_column][[not filled for filled in is_filled]]
                raise ValueError(
                    f"Column {name!r} must hold {expected}; it does not for {id_column} "
                    f"{some(ids.drop_duplicates())}: fill it, or drop these rows. Found: "
                    f"{values[is_filled.index(False)]!r:.60}."
                )
            values_of_fields.append(values)

        rows = zip(*values_of_fields)
        return [template.format(**dict(zip(field_names, values))) for values in rows]


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
    """The distinct texts of documents, which one iteration yields; of equal ones, the last counts.

    This is how LitSearch's code builds its indexes [Ajith2024]: documents with equal texts count as
    one, at the position of the first of them, with the id of the last.

    Args:
        records: of documents.
        template: of a document's text.

    Attributes:
        docnos: after the iteration, the last document with each text, in the order of the texts.
    """

    def __init__(self, records: Iterable[Record], template: str) -> None:
        self.records = records
        self.template = template
        self.docnos: list[str] = []

    def __iter__(self) -> Iterator[str]:
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
