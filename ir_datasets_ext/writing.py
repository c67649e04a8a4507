"""Write a collection into a folder that ir_datasets loads: all of it, or nothing.

::

    docs = [{"doc_id": "a", "text": "On ants"}]
    parts = {"": {"queries": [{"query_id": "1", "query": "ants"}]}}
    write_folder(folder_of("made", "ants"), docs, parts, description="Ants.", licence="CC0-1.0")

Rows are data frames, or iterables of mappings or named tuples. They are read once, checked one by
one, and never all in memory. The first row of a table defines its fields. PyTerrier's names of
columns (`qid`, `docno`, `label`) may be in the place of ours.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import ir_datasets
import msgspec
from msgspec.structs import asdict

from .atomic import HOME_REMEDY, locked, new_file, replacing
from .files import hash_file
from .local_tables import (
    MANIFEST,
    OPTIONAL,
    REQUIRED,
    TYPES,
    USUAL,
    Manifest,
    Table,
    check_fields,
    check_name,
    read_manifest,
)

Rows: TypeAlias = Iterable  #: a data frame, or an iterable of mappings or named tuples

FORMS = ("jsonl", "parquet")  # also the suffixes of the files' names
#: folders of the tables, in turn: those of an overwritten collection stay for who reads them
TABLES_FOLDERS = ("tables", "tables-2")
ROWS_AT_ONCE = 1 << 15  # of Parquet in memory
PAGE = "page.yaml"  # in the tables' folder
#: PyTerrier's name of a column -> ours, in the tables that require it
RENAMED = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
#: kinds of tables in a part: queries come before the tables that name them
KINDS_OF_PARTS = ("queries", "scoreddocs", "qrels", "ratings", "pairs")
#: required fields whose values, together, are there once; a pair of documents may be repeated
KEY_FIELDS = ("query_id", "doc_id", "annotator")
#: required field -> the table that defines its values
TABLES_OF_IDS = {"query_id": "queries", "doc_id": "docs", "doc_id_a": "docs", "doc_id_b": "docs"}


def write_folder(
    folder: str | Path,
    docs: Rows,
    parts: Mapping[str, Mapping[str, Rows]],
    *,
    description: str,
    licence: str,
    lang: str = "en",
    definitions: Mapping[int, str] | None = None,
    page: Mapping[str, Mapping[str, Any]] | None = None,
    about: Mapping[str, Any] | None = None,
    form: str = "jsonl",
    overwrite: bool = False,
) -> Path:
    """Write a collection into `folder` and return its path.

    A killed call leaves the folder as it was. One rename puts a new folder in its place; to
    overwrite a collection, its manifest is replaced. Equal input gives equal bytes.

    Args:
        folder: of the collection, see `local.folder_of`.
        docs: rows with `doc_id` and any other fields (`title`, `text`, …).
        parts: by name ("" is the collection itself, "100q" a part of it), dicts from a kind
            (queries, scoreddocs, qrels, ratings, pairs) to its rows.
        description: of the collection.
        licence: its name, or its whole text with the name on the first line.
        lang: of the documents, ISO 639-1.
        definitions: grade of the qrels -> meaning.
        page: texts of documentation by part ("_" is the collection): `desc`, `bibtex`, …
        about: more for the manifest: seeds, settings.
        form: "jsonl", or "parquet" for millions of rows.
        overwrite: whether a collection in the folder may be replaced.

    Raises:
        ValueError: inconsistent rows (a duplicate id, an unknown document, …); names the row.
        FileExistsError: `folder` has content, and `overwrite` is false or it is no collection.
        OSError: it cannot be written, or the disk is full; names the remedy.
    """
    folder = Path(folder)
    _check_arguments(parts, description, licence, form)

    place = folder.resolve()
    with locked(place, HOME_REMEDY):
        _check_free(folder, overwrite)
        # nobody sees new tables in a collection before its manifest names them
        is_collection = (place / MANIFEST).exists()
        open_target = nullcontext(place) if is_collection else replacing(place, remedy=HOME_REMEDY)
        with open_target as target:
            tables_name = _choose_tables_folder(target)
            with replacing(target / tables_name, remedy=HOME_REMEDY) as tables_folder:
                writer = _TableWriter(tables_folder, tables_name, form)
                docs_table = writer.write("docs", "", docs)
                if not docs_table.rows:
                    raise ValueError("the collection has no documents: expected one or more")
                tables_by_part = {
                    part: writer.write_part(part, rows_by_kind, definitions or {})
                    for part, rows_by_kind in parts.items()
                }
                _write_texts(tables_folder, licence, page)

            manifest = Manifest(
                format=1,
                description=description,
                licence=licence.strip().partition("\n")[0],  # its name
                lang=lang,
                docs=docs_table,
                parts=tables_by_part,
                page=f"{tables_name}/{PAGE}" if page else None,
                about=dict(about or {}),
            )
            manifest_text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
            with new_file(target / MANIFEST, "wb") as file:
                file.write(manifest_text + b"\n")
    return folder


def _check_arguments(parts: Iterable[str], description: str, licence: str, form: str) -> None:
    """Raise ValueError for what cannot be written."""
    if form not in FORMS:
        raise ValueError(f"Unknown form {form!r}. Choose one of: {', '.join(FORMS)}")
    for name, text in {"description": description, "licence": licence}.items():
        if not text.strip():
            raise ValueError(f"{name} is empty: write what applies, because others rely on it")
    for part in filter(None, parts):  # "" is the collection itself
        check_name(part, "part")


def _check_free(folder: Path, overwrite: bool) -> None:
    """Raise FileExistsError if something is in the folder's place that may not be replaced."""
    if (folder / MANIFEST).is_file():
        if not overwrite:
            raise FileExistsError(
                f"{folder} already has a collection: pass overwrite=True, or choose another name"
            )
    elif folder.is_file() or any(folder.glob("*")):
        raise FileExistsError(
            f"{folder} exists and is no collection (it has no {MANIFEST}): choose another name"
        )


def _choose_tables_folder(folder: Path) -> str:
    """Return the name of a folder for new tables, in which the present tables are not."""
    try:
        present_file = read_manifest(folder).docs.file
    except (FileNotFoundError, ValueError):  # a new or a damaged collection
        return TABLES_FOLDERS[0]
    return next(name for name in TABLES_FOLDERS if not present_file.startswith(f"{name}/"))


def _write_texts(folder: Path, licence: str, page: Mapping | None) -> None:
    """Write the licence's whole text, and the texts of documentation."""
    (folder / "LICENCE.txt").write_text(f"{licence.strip()}\n", "utf-8")
    if page:
        yaml = ir_datasets.lazy_libs.yaml()
        texts = yaml.safe_dump(page, sort_keys=False, allow_unicode=True)
        (folder / PAGE).write_text(texts, "utf-8")


@dataclass
class _TableWriter:
    """Writes the tables of a collection, and checks that their rows fit together.

    folder: into which files are written. name: that the folder will have in the collection's.
    keys: kind of table -> the keys of its rows, in the present part.
    """

    folder: Path
    name: str
    form: str
    keys: dict[str, set[tuple]] = field(default_factory=dict)

    def write_part(
        self, part: str, rows_by_kind: Mapping[str, Rows], definitions: Mapping[int, str]
    ) -> dict[str, Table]:
        """Write the tables of a part; return the manifest's entry of each, by kind."""
        unknown_kinds = rows_by_kind.keys() - set(KINDS_OF_PARTS)
        if unknown_kinds:
            raise ValueError(
                f"part {part!r} has {', '.join(unknown_kinds)}: expected "
                f"{', '.join(KINDS_OF_PARTS)}"
            )

        self.keys["queries"] = set()
        tables = {}
        for kind in KINDS_OF_PARTS:
            if kind in rows_by_kind:
                tables[kind] = self.write(kind, part, rows_by_kind[kind])
        if "qrels" in tables:
            tables["qrels"].definitions = {
                int(grade): meaning for grade, meaning in definitions.items()
            }
        return tables

    def write(self, kind: str, part: str, rows: Rows) -> Table:
        """Write a table of a part; return the manifest's entry. ValueError for a bad row."""
        plain_rows = iter_rows(kind, rows)
        first_rows = list(islice(plain_rows, 1))
        fields = _find_fields(kind, first_rows[0]) if first_rows else dict(REQUIRED[kind])
        checked_rows = self._check_rows(kind, fields, chain(first_rows, plain_rows))

        path = self.folder / part / f"{kind}.{self.form}"
        path.parent.mkdir(exist_ok=True)
        if self.form == "parquet":
            row_count = _write_parquet(path, fields, checked_rows)
        else:
            row_count = _write_json_lines(path, checked_rows)
        place = Path(self.name, part, path.name).as_posix()
        return Table(place, fields, row_count, hash_file(path, "sha256"))

    def _check_rows(
        self, kind: str, fields: Mapping[str, str], rows: Iterable[dict]
    ) -> Iterator[msgspec.Struct]:
        """Yield the rows; ValueError for one of other types, of unknown ids, or there twice."""
        types = {name: TYPES[of_type] for name, of_type in fields.items()}
        if kind == "ratings":
            types["rating"] |= None  # it may be missing
        layout = msgspec.defstruct("Row", types.items(), forbid_unknown_fields=True)

        id_fields = [name for name in TABLES_OF_IDS if name in REQUIRED[kind]]
        key_fields = [name for name in KEY_FIELDS if name in REQUIRED[kind]]
        keys: set[tuple] = set()
        self.keys[kind] = keys

        for number, row in enumerate(rows, 1):
            try:
                record = msgspec.convert(row, layout)
                # ValueError for what JSON cannot hold: NaN, and texts that are no UTF-8
                msgspec.json.decode(msgspec.json.encode(record), type=layout)
                for name in id_fields:
                    self._check_id(kind, name, getattr(record, name))

                key = tuple(getattr(record, name) for name in key_fields)
                if key_fields and key in keys:
                    duplicate = ", ".join(f"{name} {id_}" for name, id_ in zip(key_fields, key))
                    raise ValueError(f"duplicate of {duplicate}: expected it once")
                keys.add(key)
            except ValueError as error:
                raise ValueError(
                    f"the {kind} to be written, row {number}: {error}, in {row!r:.200}. Correct "
                    f"the row, or leave it out; the first one has the fields {fields}"
                ) from None
            yield record

    def _check_id(self, kind: str, name: str, id_: str) -> None:
        """Raise ValueError for an id that is none, or that no row of its own table has."""
        table = TABLES_OF_IDS[name]
        if table == kind:
            is_right = id_.split() == [id_]
            expected = "a text without blanks, as blanks split the lines of a TREC file"
        else:
            is_right = (id_,) in self.keys[table]
            expected = f"one of the collection's {len(self.keys[table])} {table}"
        if not is_right:
            raise ValueError(f"{name} is {id_!r}: expected {expected}")


def iter_rows(kind: str, rows: Rows) -> Iterator[dict[str, Any]]:
    """Yield rows of a kind as dicts of plain Python, by our names of columns."""
    our_names = {theirs: ours for theirs, ours in RENAMED.items() if ours in REQUIRED[kind]}
    for row in _iter_mappings(kind, rows):
        plain_row = {}
        for column, value in row.items():
            name = our_names.get(column, column)
            if name in plain_row:
                raise ValueError(f"the {kind} have two columns for {name}: leave one out")
            plain_row[name] = _make_plain(value)
        if kind == "ratings" and "rating" in plain_row:
            plain_row["rating"] = _make_rating(plain_row["rating"])
        yield plain_row


def _iter_mappings(kind: str, rows: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a data frame, or mappings and named tuples, as mappings."""
    if hasattr(rows, "itertuples"):
        for values in rows.itertuples(index=False, name=None):
            yield dict(zip(rows.columns, values))
        return

    for row in rows:
        mapping = row._asdict() if hasattr(row, "_asdict") else row
        if not hasattr(mapping, "keys"):
            raise ValueError(
                f"{kind} have {row!r:.60}: expected a data frame, or an iterable of mappings "
                "(dict) or named tuples"
            )
        yield mapping


def _make_plain(value: Any) -> Any:
    """Return a value without NumPy's types."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_make_plain(item) for item in value]
    return value


def _make_rating(value: Any) -> Any:
    """Return a rating as an integer, None if it is missing; frames have floats and NaN."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    is_nan = value != value
    return None if is_nan else value


def _find_fields(kind: str, first_row: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a table with their types, the required ones first.

    Raises ValueError for fields that a table of this kind may not have.
    """
    type_by_name = {**REQUIRED[kind], **OPTIONAL.get(kind, USUAL)}
    fields = {
        name: type_by_name.get(name, type(first_row[name]).__name__)
        for name in dict.fromkeys([*REQUIRED[kind], *first_row])
        if name in first_row
    }
    check_fields(kind, fields)
    return fields


def _write_json_lines(path: Path, rows: Iterable[msgspec.Struct]) -> int:
    """Write a JSON object per row; return their number."""
    row_count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(msgspec.json.encode(row) + b"\n")
            row_count += 1
    return row_count


def _write_parquet(path: Path, fields: Mapping[str, str], rows: Iterator[msgspec.Struct]) -> int:
    """Write the rows as Parquet, some at once; return their number."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    arrow_types = {
        "str": pyarrow.string(),
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "list": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, arrow_types[of_type]) for name, of_type in fields.items()])
    row_count = 0
    with ParquetWriter(path, schema) as writer:
        while block := [asdict(row) for row in islice(rows, ROWS_AT_ONCE)]:
            writer.write_table(pyarrow.Table.from_pylist(block, schema))
            row_count += len(block)
    return row_count
