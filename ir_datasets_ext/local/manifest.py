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
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Dict

from msgspec import Meta, Struct

from ir_datasets_ext.choices import check_option
from ir_datasets_ext.local import NAME, check_name
from ir_datasets_ext.local.kinds import REQUIRED, check_fields
from ir_datasets_ext.local.record_files import FORMS, Entry, Table
from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.folders import check_inside, verify_file
from ir_datasets_ext.store.plain_files import Identity, check_plain, identity_of
from ir_datasets_ext.typed_records import convert, read_json, reading_error

FILE, FORMAT = "collection.json", 1
LARGEST, LARGEST_PAGE = 1 << 24, 1 << 20  # bytes of the manifest, and of its page
INNER = re.compile(rf"{NAME}(?:/{NAME})*")
REMEDY = "Delete {folder} and write the collection again, or restore a copy of it"


class Layout(Struct):
    """A manifest."""

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

    docs: its documents. parts: tables by name of the part and kind; "" is always present.
    about: the content of the manifest's file.
    """

    folder: Path
    docs: Table
    parts: Dict[str, Dict[str, Table]]
    about: Layout

    @cached_property
    def texts(self) -> Dict[str, Dict[str, object]]:
        """The texts of documentation by part, "_" for the collection; {} without a page."""
        import ir_datasets

        if self.about.page is None:
            return {}
        yaml = ir_datasets.lazy_libs.yaml()
        remedy = REMEDY.format(folder=self.folder)
        try:
            path = _inside(self.folder, self.about.page)
        except ValueError as error:
            raise reading_error(self.folder / FILE, "", "$.page", str(error), remedy) from None
        verify_file(path, {"sha256": self.about.page_sha256}, remedy)
        size = path.stat().st_size
        if size > LARGEST_PAGE:  # YAML is slow to read
            what = f"expected a file of {LARGEST_PAGE} bytes or less, got {size}"
            raise reading_error(path, "", "", what, remedy)

        try:  # only strings, as ir_datasets has it
            texts = yaml.load(path.read_bytes(), yaml.BaseLoader) or {}
        except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
            what = f"expected YAML, got {' '.join(str(error).split())}"
            raise reading_error(path, "", "", what, remedy) from error
        return convert(texts, Dict[str, Dict[str, object]], path, "", remedy)

    def read_all(self) -> None:
        """Read every row; raise OSError or ValueError if a file is missing or damaged."""
        for tables in ({"docs": self.docs}, *self.parts.values()):
            for table in tables.values():
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
        return _read(folder, identity_of(path))
    except OSError as error:
        raise FileNotFoundError(
            f"no collection in {folder}: its manifest {path} cannot be read ({error.strerror}). "
            "Write it (write_collection or `pyterrier-scholarly mine-log`), put its folder there, "
            "or set IR_DATASETS_HOME to the home that has it; `pyterrier-scholarly list-local` "
            "lists the collections"
        ) from None


@lru_cache(maxsize=256)
def _read(folder: Path, identity: Identity) -> Manifest:
    """Return the manifest; its file's identity is part of the cache's key."""
    path = folder / FILE
    remedy = REMEDY.format(folder=folder)
    if identity.size > LARGEST:
        what = f"expected a file of {LARGEST} bytes or less, got {identity.size}"
        raise reading_error(path, "", "", what, remedy)

    content = read_json(path, dict, remedy)
    about = convert(content, Layout, path, "", remedy)
    if about.digest is not None and about.digest != digest_of(content):
        remedy += "; if you changed it yourself, remove its digest"
        raise reading_error(path, "", "", "expected what was written, got another content", remedy)
    try:
        docs = _table(folder, "docs", about.docs)
        parts = {
            check_name(part, "part") if part else "": {
                kind: _table(folder, kind, entry) for kind, entry in tables.items()
            }
            for part, tables in about.parts.items()
        }
    except ValueError as error:
        raise reading_error(path, "", "", str(error), remedy) from None
    return Manifest(folder, docs, {"": {}, **parts}, about)


def digest_of(manifest: Mapping[str, object]) -> str:
    """Return the sha256 of a manifest without its digest."""
    return fingerprint({key: value for key, value in manifest.items() if key != "digest"})


def _table(folder: Path, kind: str, entry: Entry) -> Table:
    check_option("kind of table", kind, REQUIRED)
    check_fields(kind, entry.fields, "its fields")
    file = _inside(folder, entry.file)
    if file.suffix[1:] not in FORMS:
        raise ValueError(f"{file.name}: expected a name that ends in .{' or .'.join(FORMS)}")
    return Table(file.name, file, entry, REMEDY.format(folder=folder))


def _inside(folder: Path, path: str) -> Path:
    """Return the path of a file in `folder`; raise ValueError for any other path, or a link out."""
    if not INNER.fullmatch(path):
        raise ValueError(f"{path!r:.200}: expected the path of a file in {folder}")
    check_inside(folder, path)
    return folder / path
