"""The manifest of a collection's folder, and the tables that it names.

``collection.json`` is an object of

    format       1
    description  of the collection, a sentence or more
    licence      its name
    lang         of the documents, ISO 639-1 (default en)
    docs         a table
    parts        by name ("" is the collection itself), tables by kind: queries, scoreddocs, qrels,
                 ratings, pairs
    page         a YAML file in the folder: texts of documentation by part, "_" for the collection
                 (optional)
    about        further notes of its writer (optional)

A table is an object of `file` (a path in the folder, of JSON lines or Parquet) and `fields` (name
-> str, int, float or list (of texts)). It may have `rows` (their number), and `sha256` of the file:
another file is an error then, and not read. Qrels may have `definitions`, from a grade to its
meaning.

::

    manifest = read_manifest(folder_of("made", "mine"))
    for doc in read_records(folder, manifest.docs, make_class("docs", manifest.docs.fields)):
        print(doc.doc_id)
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Tuple

import msgspec
from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrel
from msgspec.structs import astuple

from .files import ReadingError, ReleaseFile, explaining, read_lines, read_parquet

#: names of collections and parts; none leads out of a folder or is hidden in one
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}"
MANIFEST = "collection.json"
#: what to do about a damaged file; for errors
REMEDY = "Restore a copy of its folder, or delete the folder and write the collection again"

#: kind of table -> its required fields, with their types
REQUIRED: dict[str, dict[str, str]] = {
    "docs": {"doc_id": "str"},
    "queries": {"query_id": "str", "query": "str"},
    "scoreddocs": {"query_id": "str", "doc_id": "str"},
    "qrels": {"query_id": "str", "doc_id": "str", "relevance": "int"},
    "ratings": {"query_id": "str", "doc_id": "str", "annotator": "str", "rating": "int"},
    "pairs": {"doc_id_a": "str", "doc_id_b": "str"},
}
#: fields of fixed type in any other table: PyTerrier and our transformers rely on these
USUAL = {"title": "str", "text": "str", "sentences": "list", "labels": "list"}
#: kind of table -> its optional fields, with their types; other kinds may have any fields
OPTIONAL: dict[str, dict[str, str]] = {
    "scoreddocs": {"score": "float", "sources": "list"},
    "qrels": {"iteration": "str"},
    "ratings": {},
}
#: optional field -> its value if missing
DEFAULTS: dict[str, Any] = {"score": 0.0, "sources": ()}
#: fields not allowed: PyTerrier's loader of texts would replace the query's by the document's
REFUSED = {"queries": ("text", "qid"), "docs": ("docno",)}
#: a field's type in a manifest -> Python's, as ir_datasets' exporters know it
TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "list": Tuple[str, ...]}
#: neither infinite nor NaN, which Parquet can hold
FINITE = Annotated[float, msgspec.Meta(ge=-1e308, le=1e308)]


class Rating(NamedTuple):
    """One annotator's rating of a document for a query; rating: None if missing."""

    query_id: str
    doc_id: str
    annotator: str
    rating: int | None


#: kind of table -> the class of its records, unless the manifest's fields decide it
FIXED_CLASSES = {"scoreddocs": GenericScoredDoc, "qrels": GenericQrel, "ratings": Rating}


class Table(msgspec.Struct, eq=False, omit_defaults=True):
    """A file of records; the module says what the fields of a manifest are."""

    file: str
    fields: dict[str, str]
    rows: int | None = None
    sha256: str = ""
    definitions: dict[int, str] = {}


class Manifest(msgspec.Struct, eq=False, omit_defaults=True):
    """The content of ``collection.json``."""

    format: Literal[1]
    description: str
    licence: str
    docs: Table
    parts: dict[str, dict[str, Table]]
    lang: str = "en"
    page: str | None = None
    about: dict[str, Any] = {}

    def list_tables(self) -> list[tuple[str, Table]]:
        """Return all tables, each with its kind."""
        tables = [("docs", self.docs)]
        for tables_by_kind in self.parts.values():
            tables += tables_by_kind.items()
        return tables


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder; it is the same object until its file changes.

    Raises FileNotFoundError if it is missing, ValueError if it is wrong.
    """
    path = folder / MANIFEST
    if not path.is_file():
        neighbours = [other.parent.name for other in folder.parent.glob(f"[!.]*/{MANIFEST}")]
        similar_names = get_close_matches(folder.name, neighbours, n=1)
        suggestion = f" Did you mean {similar_names[0]!r}?" if similar_names else ""
        raise FileNotFoundError(
            f"no collection in {folder}: {path} is missing.{suggestion} Write it (write_collection "
            "or `pyterrier-scholarly mine-log`), put its folder there, or set IR_DATASETS_HOME to "
            "the home that has it; `pyterrier-scholarly list-local` lists the collections"
        )
    return _decode_manifest(folder, path.read_bytes())


@lru_cache(maxsize=256)
def _decode_manifest(folder: Path, content: bytes) -> Manifest:
    with explaining(folder / MANIFEST, REMEDY):
        manifest = msgspec.json.decode(content, type=Manifest)
        manifest.parts = {"": {}, **manifest.parts}
        for kind, table in manifest.list_tables():
            check_fields(kind, table.fields)
    return manifest


def read_records(folder: Path, table: Table, cls: Any) -> Iterator[Any]:
    """Yield a table's records; optional fields that it lacks have their default.

    cls: of the records, a named tuple. Its fields are read, and no others.

    Raises ValueError, which names the file, and the line of a wrong row.
    """
    path = folder / table.file
    layout_fields: list[Any] = []
    for name, of_type in cls.__annotations__.items():
        default = [] if name in table.fields else [DEFAULTS[name]]
        layout_fields.append((name, FINITE if of_type is float else of_type, *default))
    layout = msgspec.defstruct("Row", layout_fields)
    with explaining(path, REMEDY), path.open("rb") as lines:
        actual_sha256 = make_file(folder, table).hash()
        if table.sha256 not in ("", actual_sha256):
            raise ReadingError(
                f"{path} is damaged or was edited: expected sha256 {table.sha256}, got "
                f"{actual_sha256}. {REMEDY}"
            )

        if path.suffix == ".parquet":
            rows: Any = (msgspec.convert(row, layout) for row in read_parquet(path, cls._fields))
        else:
            rows = read_lines(path, lines, layout, REMEDY)
        for row in rows:
            yield cls._make(astuple(row))


def check_fields(kind: str, fields: Mapping[str, str]) -> None:
    """Raise ValueError unless a table of this kind may have these fields (name -> type)."""
    if kind not in REQUIRED:
        raise ValueError(f"unknown table {kind}: expected {', '.join(REQUIRED)}")

    required = REQUIRED[kind]
    type_by_name = {**OPTIONAL.get(kind, USUAL), **required}
    for name in required:
        if name not in fields:
            raise ValueError(f"{kind} lack {name}: expected the fields {', '.join(required)}")
    for name, of_type in fields.items():
        if name in REFUSED.get(kind, ()):
            raise ValueError(
                f"{kind} may not have the field {name}: PyTerrier's loader of texts would mix it "
                "up with another one. Rename it, or leave it out"
            )
        if name in type_by_name:
            expected_types = [type_by_name[name]]
        else:
            expected_types = [] if kind in OPTIONAL else list(TYPES)
        if of_type not in expected_types:
            expected = " or ".join(expected_types) or f"no others than {', '.join(type_by_name)}"
            raise ValueError(f"{kind} have a field {name} of type {of_type}: expected {expected}")
    make_class(kind, fields)  # ValueError for a name that no record can have


def make_class(kind: str, fields: Mapping[str, str]) -> type:
    """Return the class of a table's records; the same class for the same fields."""
    return _make_class(kind, tuple(fields.items()))


@lru_cache(maxsize=256)
def _make_class(kind: str, fields: tuple) -> type:
    if kind == "qrels" and ("iteration", "str") in fields:
        return TrecQrel
    if kind in FIXED_CLASSES:
        return FIXED_CLASSES[kind]

    class_name = {"docs": "LocalDoc", "queries": "LocalQuery", "pairs": "LocalPair"}[kind]
    make_named_tuple: Any = NamedTuple  # a type checker refuses fields that it cannot read here
    cls = make_named_tuple(class_name, [(name, TYPES[of_type]) for name, of_type in fields])
    cls.__doc__ = f"One of the {kind} of a collection on this machine."
    # pickle finds the class in no module
    cls.__reduce__ = lambda record: (_restore, (kind, fields, tuple(record)))
    if kind == "docs":
        cls.default_text = _join_document_text
    elif kind == "queries":
        cls.default_text = lambda query: query.query
    return cls


def _restore(kind: str, fields: tuple, values: tuple) -> Any:
    """Return a record again; pickle calls this."""
    return _make_class(kind, fields)(*values)


def _join_document_text(document: Any) -> str:
    """Return title and text, if present; without a text, the sentences."""
    text = getattr(document, "text", "") or " ".join(getattr(document, "sentences", ()))
    return " ".join(part for part in (getattr(document, "title", ""), text) if part)


def check_name(name: str, what: str = "collection") -> None:
    """Raise ValueError for a name that no collection or part can have."""
    if not re.fullmatch(NAME, name):
        raise ValueError(
            f"{name!r:.80} is no name of a {what}: expected letters, digits, '.', '_' and '-', "
            "200 at most, with a letter or digit first"
        )


@lru_cache(maxsize=256)
def make_file(folder: Path, table: Table) -> ReleaseFile:
    """Return the file of a table; the same object for the same one, which remembers its hash."""
    path = (folder / table.file).absolute()  # a relative one would be below the home
    return ReleaseFile(
        str(path.parent),
        path.name,
        algorithm="sha256",
        digest=table.sha256,
        remedy=REMEDY,
    )
