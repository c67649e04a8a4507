"""Parts of datasets that get their records from functions, and the datasets made of them.

::

    source = Source([FILE], "questions", "tiny")
    queries = Queries(read_queries, TinyQuery, source, namespace="tiny", lang="en")
    make_dataset("tiny", docs, queries, documentation=partial(merge_texts, "tiny"))

ir_datasets reads documents from handlers with methods named ``<kind>_iter``, ``<kind>_cls`` and so
on. `StoredDocs` is the one of documents; here are those of all else, and of documents that cite
each other.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.formats import BaseQrels, BaseQueries, BaseScoredDocs
from ir_datasets.indices import Docstore
from ir_datasets.util import MetadataComponent, MetadataProvider

from .files import DATA, DELETE, ReleaseFile, Version, name_files, read_version
from .store import StoredDocs


class MissingContent(ValueError):
    """The files at hand have nothing that a part of a collection is made from."""


class Source(NamedTuple):
    """What the records of a dataset are read from.

    files: their files.
    content: what of the files they are made from, for errors: "candidate pools". A release always
        has such records; "" if there may be none.
    dataset_id: of their dataset, for errors.
    stated_count: their number, if it is known without reading.
    """

    files: Sequence[ReleaseFile] = ()
    content: str = ""
    dataset_id: str = ""
    stated_count: int | None = None


class Part:
    """Records of a dataset, by the names of ir_datasets.

    ``Queries(read, TinyQuery, source, lang="en")`` has the methods `queries_iter`, `queries_count`,
    `queries_cls`, `queries_lang`, and `queries_files`: what was made of the records is made again
    when these files change.

    kind: what these names begin with.
    read: returns the records, which are of the class `cls`.
    answers: of further methods, by their names.
    """

    kind: str

    def __init__(
        self, read: Callable[[], Iterable], cls: type, source: Source, **answers: Any
    ) -> None:
        self._read = read
        self._source = source
        setattr(self, f"{self.kind}_iter", self.iter_records)
        setattr(self, f"{self.kind}_count", self.count_records)
        answers |= {"cls": cls, "files": source.files}
        for name, answer in answers.items():
            # the default binds this answer, and not the loop's last one
            setattr(self, f"{self.kind}_{name}", lambda answer=answer: answer)

    def iter_records(self) -> Iterator:
        """Return the records one by one; MissingContent if there have to be some, and are none."""
        records = iter(self._read())
        files, content, dataset_id, _ = self._source
        if not content:
            return records

        first_record = next(records, None)
        if first_record is None:
            raise MissingContent(
                f"{name_files(files)}: expected {content}, from which {dataset_id} is made, got "
                f"none. {DELETE}"
            )
        return chain([first_record], records)

    def count_records(self) -> int | None:
        """Return the number of records, or None while their files are not downloaded."""
        if self._source.stated_count is not None:
            return self._source.stated_count
        if not all(file.present() for file in self._source.files):
            return None
        return sum(1 for _ in self.iter_records())


class Queries(Part, BaseQueries):
    """Queries; answers: `namespace`, the collection's name, and `lang`, in ISO 639-1."""

    kind = "queries"

    def queries_store(self) -> "QueryStore":
        """Return the queries by id, as ``ir_datasets lookup ID -q`` reads them."""
        return QueryStore(self)


class QueryStore(Docstore):
    """Queries by id."""

    def __init__(self, queries: BaseQueries) -> None:
        super().__init__(queries.queries_cls(), "query_id")
        self._queries = queries.queries_dict()

    def get_many_iter(self, query_ids: Iterable[str]) -> Iterator:
        """Return the queries of those ids, without unknown ones."""
        return (self._queries[id_] for id_ in query_ids if id_ in self._queries)


class Qrels(Part, BaseQrels):
    """Judgements; answers: `defs`, the meaning of each grade."""

    kind = "qrels"


class ScoredDocs(Part, BaseScoredDocs):
    """Candidates."""

    kind = "scoreddocs"


class OtherRecords(Part):
    """Records of a kind that ir_datasets lacks: `ratings` are read by ``ratings_iter()``."""

    def __init__(self, kind: str, read: Callable[[], Iterable], cls: type, source: Source) -> None:
        self.kind = kind
        super().__init__(read, cls, source)


class CitingDocs(StoredDocs):
    """Documents with a field `citations`; column: the field's name in the files, for errors."""

    column = "citations"

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the papers that `doc_id` cites, in the release's order.

        Papers outside the collection are included. Raises KeyError for an unknown `doc_id`,
        MissingContent if the files have no citations of any paper.
        """
        documents = self.docs_store()
        cited_ids = documents.get(doc_id).citations
        if not cited_ids and not any(document.citations for document in documents):
            raise make_missing_values(self.store.files, self.column, documents.count())
        return cited_ids


def make_missing_values(
    files: Sequence[ReleaseFile], column: str, document_count: int
) -> MissingContent:
    """Return the error for files in which no document has a value in a column."""
    return MissingContent(
        f"{name_files(files)}, {column}: expected a value in some of {document_count} documents, "
        f"got none. {DELETE}"
    )


class Dataset(ir_datasets.Dataset):
    """A dataset that is pickled as its id: in another process it is what is registered there."""

    def __reduce__(self) -> tuple:
        return _load, (self.dataset_id(),)


def _load(dataset_id: str) -> ir_datasets.Dataset:
    return ir_datasets.load(dataset_id)  # importing this module has registered ours


def make_dataset(
    dataset_id: str, *handlers: object, documentation: Callable[[], Mapping[str, object]]
) -> Dataset:
    """Return a dataset.

    Its counts are in ``data/metadata.json`` as long as its files are not downloaded.

    documentation: returns the texts, by name.
    """
    parts = ir_datasets.Dataset(*handlers, SimpleNamespace(documentation=documentation))
    metadata = MetadataComponent(dataset_id, parts, METADATA)
    return Dataset(metadata, parts)


def merge_texts(file: str | Path, *parts: str) -> dict[str, Any]:
    """Return the texts of documentation of a dataset, from ``data/<file>.yaml``, or a path.

    They are the collection's, which are under "_", and those of the parts that its id names, as
    "method" and "fold1/test". Of equal names, the last one's wins.
    """
    texts = read_texts(file)
    merged: dict[str, Any] = {}
    for part in ("_", *parts):
        merged |= texts.get(part, {})
    return merged


def read_texts(file: str | Path) -> dict[str, dict[str, Any]]:
    """Return the texts of documentation in ``data/<file>.yaml``, or at a path, by part."""
    path = file if isinstance(file, Path) else DATA / f"{file}.yaml"
    return _read_yaml(read_version(path))


@lru_cache(maxsize=64)
def _read_yaml(version: Version) -> Any:
    yaml = ir_datasets.lazy_libs.yaml()
    return yaml.load(version.path.read_bytes(), yaml.BaseLoader)  # strings, as ir_datasets has it


METADATA = MetadataProvider(lambda: json.loads((DATA / "metadata.json").read_bytes()))
