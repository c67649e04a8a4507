"""The manifest of a collection on this machine: the content of its folder, read and checked.

``collection.json`` is an object of

    format       1
    description  of the collection, a sentence or more
    licence      its name
    lang         of the documents, ISO 639-1 (default en)
    page         a YAML file in the folder, with the texts of documentation (optional)
    page_sha256  of that file (optional)
    docs         a table
    parts        by name ("" is the collection itself), tables by kind: queries, scoreddocs, qrels,
                 ratings, pairs
    about        further notes of its writer (optional)
    digest       `digest_of` all of this, to detect changes (optional)

A table is an object of `file` (a path in the folder) and `fields` (name -> str, int, float or list
(of texts)). It may have `rows`, `bytes` and `sha256`, to detect changes. Qrels may have
`definitions`, from a grade (as text) to its meaning. `local.kinds` has the fields of each kind.

::

    manifest = read_manifest(folder_of("made", "mine"))
    for row in manifest.docs.rows():
        ...
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Dict

import ir_datasets
from msgspec import Meta, Struct

from ir_datasets_ext.choices import check_option, suggest_choice
from ir_datasets_ext.local.kinds import REQUIRED, check_fields
from ir_datasets_ext.local.names import NAME, check_name
from ir_datasets_ext.local.record_files import FORMS, Entry, Table
from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.file_measures import verify_file
from ir_datasets_ext.store.inner_paths import check_inside
from ir_datasets_ext.store.plain_files import Identity, check_plain, identity_of
from ir_datasets_ext.typed_records import convert, read_json, reading_error

FILE = "collection.json"
FORMAT = 1
LARGEST_MANIFEST = 1 << 24  # bytes
LARGEST_PAGE = 1 << 20  # bytes
INNER_PATH = re.compile(rf"{NAME}(?:/{NAME})*")  # of a file in the folder
REMEDY = "Delete {folder} and write the collection again, or restore a copy of it"


class Layout(Struct):
    """The content of a manifest's file; the module says what its fields are."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    description: str
    licence: str
    docs: Entry
    parts: Dict[str, Dict[str, Entry]]
    lang: str = "en"
    page: str | None = None
    page_sha256: str | None = None
    about: Dict[str, object] = {}
    digest: str | None = None


@dataclass(frozen=True, eq=False)
class Manifest:
    """The content of a folder, as read at one moment.

    folder: of the collection.
    docs: the table of its documents.
    parts: other tables, by name of the part and kind; "" (the collection itself) is always present.
    layout: the content of the manifest's file.
    """

    folder: Path
    docs: Table
    parts: Dict[str, Dict[str, Table]]
    layout: Layout

    @cached_property
    def texts(self) -> Dict[str, Dict[str, object]]:
        """The texts of documentation by part, "_" for the collection; {} without a page."""
        if self.layout.page is None:
            return {}

        remedy = REMEDY.format(folder=self.folder)
        try:
            path = _find_inside(self.folder, self.layout.page)
        except ValueError as error:
            raise reading_error(self.folder / FILE, "", "$.page", str(error), remedy) from None
        verify_file(path, {"sha256": self.layout.page_sha256}, remedy)
        return _read_page(path, remedy)

    def read_all(self) -> None:
        """Read every row; raise OSError or ValueError if a file is missing or damaged."""
        tables = [self.docs]
        for tables_by_kind in self.parts.values():
            tables += tables_by_kind.values()

        for table in tables:
            for _ in table.rows():
                pass


def read_manifest(folder: Path) -> Manifest:
    """Return the `Manifest` of a folder, the same object until the manifest's file changes.

    Raises FileNotFoundError if it is missing, ValueError if it is damaged; both name path,
    expectation and remedy.
    """
    path = folder / FILE
    try:
        check_plain(path)
        return _read_identified(folder, identity_of(path))
    except OSError as error:
        remedy = (
            "Write it (write_collection or `pyterrier-scholarly mine-log`), put its folder there, "
            "or set IR_DATASETS_HOME to the home that has it; `pyterrier-scholarly list-local` "
            "lists the collections"
        )
        raise FileNotFoundError(
            f"no collection in {folder}: its manifest {path} cannot be read ({error.strerror}). "
            f"{suggest_choice(folder.name, _list_neighbours(folder), remedy)}"
        ) from None


def _list_neighbours(folder: Path) -> list[str]:
    """List the names of the collections beside a folder, in alphabetical order."""
    if not folder.parent.is_dir():
        return []
    return sorted(path.parent.name for path in folder.parent.glob(f"[!.]*/{FILE}"))


def digest_of(manifest: Mapping[str, object]) -> str:
    """Return the sha256 of a manifest without its digest."""
    digested = {key: value for key, value in manifest.items() if key != "digest"}
    return fingerprint(digested)


@lru_cache(maxsize=256)
def _read_identified(folder: Path, identity: Identity) -> Manifest:
    """Return the manifest; its file's identity is part of the cache's key."""
    path = folder / FILE
    remedy = REMEDY.format(folder=folder)
    if identity.size > LARGEST_MANIFEST:
        problem = f"expected a file of {LARGEST_MANIFEST} bytes or less, got {identity.size}"
        raise reading_error(path, "", "", problem, remedy)

    content = read_json(path, dict, remedy)
    layout = convert(content, Layout, path, "", remedy)
    if layout.digest is not None and layout.digest != digest_of(content):
        remedy += "; if you changed it yourself, remove its digest"
        problem = "expected what was written, got another content"
        raise reading_error(path, "", "", problem, remedy)

    try:
        return _make_manifest(folder, layout)
    except ValueError as error:
        raise reading_error(path, "", "", str(error), remedy) from None


def _make_manifest(folder: Path, layout: Layout) -> Manifest:
    """Return the manifest with its tables; raise ValueError for a wrong name, field or path."""
    docs = _make_table(folder, "docs", layout.docs)
    parts: Dict[str, Dict[str, Table]] = {"": {}}  # first, and present in any case
    for part, entries in layout.parts.items():
        if part:
            check_name(part, "part")
        parts[part] = {kind: _make_table(folder, kind, entry) for kind, entry in entries.items()}
    return Manifest(folder, docs, parts, layout)


def _make_table(folder: Path, kind: str, entry: Entry) -> Table:
    """Return a table of a manifest's entry, which is checked."""
    check_option("kind of table", kind, REQUIRED)
    check_fields(kind, entry.fields, "its fields")

    file = _find_inside(folder, entry.file)
    if file.suffix.removeprefix(".") not in FORMS:
        raise ValueError(f"{file.name}: expected a name that ends in .{' or .'.join(FORMS)}")
    return Table(name=file.name, file=file, entry=entry, remedy=REMEDY.format(folder=folder))


def _find_inside(folder: Path, path: str) -> Path:
    """Return the path of a file in `folder`; raise ValueError for any other path, or a link out."""
    if not INNER_PATH.fullmatch(path):
        raise ValueError(f"{path!r:.200}: expected the path of a file in {folder}")
    check_inside(folder, path)
    return folder / path


def _read_page(path: Path, remedy: str) -> Dict[str, Dict[str, object]]:
    """Return the texts in a page of documentation; raise ValueError if it is damaged."""
    yaml = ir_datasets.lazy_libs.yaml()
    size = path.stat().st_size
    if size > LARGEST_PAGE:  # YAML is slow to read
        problem = f"expected a file of {LARGEST_PAGE} bytes or less, got {size}"
        raise reading_error(path, "", "", problem, remedy)

    try:
        texts = yaml.load(path.read_bytes(), yaml.BaseLoader)  # only strings, as ir_datasets has it
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        problem = f"expected YAML, got {' '.join(str(error).split())}"
        raise reading_error(path, "", "", problem, remedy) from error
    return convert(texts or {}, Dict[str, Dict[str, object]], path, "", remedy)
