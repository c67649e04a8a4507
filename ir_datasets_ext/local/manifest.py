"""The manifest of a collection on this machine: what its folder holds, read and checked.

``collection.json`` is an object of

    format       1
    description  what it is, a sentence or more
    licence      its name
    lang         of the documents, ISO 639-1 (default en)
    page         a YAML file in the folder, with the texts of documentation (optional)
    page_sha256  of that file (optional)
    docs         a table
    parts        by name ("" is the collection itself), tables by kind: queries, scoreddocs, qrels,
                 ratings, pairs
    about        anything else that its writer notes (optional)
    digest       `digest_of` all of this, if its writer vouches for it (optional)

A table is an object of `file` (a path in the folder), `fields` (name -> str, int, float or list (of
texts)), and, if its writer vouches for it, `rows`, `bytes` and `sha256`; qrels may have
`definitions`, from a grade (as text) to what it means. `local.kinds` says which fields there are.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Dict

from msgspec import Meta, Struct

from ir_datasets_ext.local import NAME, check_name
from ir_datasets_ext.local.kinds import REQUIRED, check_fields
from ir_datasets_ext.local.tables import FORMS, Entry, Table
from ir_datasets_ext.records import checked, read_json, refused
from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.store.files import stamp
from ir_datasets_ext.store.folders import verify

FILE, FORMAT = "collection.json", 1
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
    about: Dict[str, Any] = {}
    digest: str | None = None


@dataclass(frozen=True, eq=False)
class Manifest:
    """What a folder holds, as read at one moment.

    docs: its documents. parts: by name, tables by kind; "" is there always.
    about: the manifest, a `Layout`.
    """

    folder: Path
    docs: Table
    parts: Dict[str, Dict[str, Table]]
    about: Layout

    @cached_property
    def texts(self):
        """The texts of documentation, by part, "_" for the collection; {} where it has none."""
        import ir_datasets

        if self.about.page is None:
            return {}
        yaml = ir_datasets.lazy_libs.yaml()
        remedy = REMEDY.format(folder=self.folder)
        try:
            path = self.folder / _inner(self.folder, self.about.page)
        except ValueError as error:
            raise refused(self.folder / FILE, "", "$.page", str(error), remedy) from None
        verify(path, {"sha256": self.about.page_sha256}, remedy)
        try:  # only strings, as ir_datasets has it
            texts = yaml.load(path.read_bytes(), yaml.BaseLoader) or {}
        except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
            what = f"expected YAML, got {' '.join(str(error).split())}"
            raise refused(path, "", "", what, remedy) from error
        return checked(texts, Dict[str, Dict[str, Any]], path, "", remedy)


def read_manifest(folder):
    """Return the `Manifest` of a folder, the same object until the manifest's file changes.

    Raises FileNotFoundError where there is no manifest, ValueError where it is damaged; both name
    path, expectation and remedy.
    """
    path = folder / FILE
    try:
        return _read(folder, *stamp(path), path.stat().st_ino)
    except OSError as error:
        raise FileNotFoundError(
            f"there is no collection in {folder}: {path} cannot be read ({error.strerror}), where "
            "its manifest is expected. Write it (write_collection or `pyterrier-scholarly "
            "mine-log`), put its folder there, or set IR_DATASETS_HOME to the home that has it; "
            "`pyterrier-scholarly list-local` lists what there is"
        ) from None


@lru_cache(maxsize=256)
def _read(folder, size, mtime_ns, inode):
    # the last three take part in the cache's key alone
    path = folder / FILE
    remedy = REMEDY.format(folder=folder)
    held = read_json(path, dict, remedy)
    about = checked(held, Layout, path, "", remedy)
    if about.digest is not None and about.digest != digest_of(held):
        what = "expected what was written, got another content"
        own = f"{remedy}; if you changed it yourself, remove its digest"
        raise refused(path, "", "", what, own)
    try:
        docs = _table(folder, "docs", about.docs)
        parts = {
            check_name(part, "part") if part else "": {
                kind: _table(folder, kind, entry) for kind, entry in tables.items()
            }
            for part, tables in about.parts.items()
        }
    except ValueError as error:
        raise refused(path, "", "", str(error), remedy) from None
    return Manifest(folder, docs, {"": {}, **parts}, about)


def digest_of(manifest):
    """Return the sha256 of a manifest, a dict, without its digest."""
    return fingerprint({key: value for key, value in manifest.items() if key != "digest"})


def _table(folder, kind, entry):
    if kind not in REQUIRED:
        raise ValueError(f"{kind} is no kind of table: expected one of {', '.join(REQUIRED)}")
    check_fields(kind, entry.fields, "its fields")
    file = folder / _inner(folder, entry.file)
    if file.suffix[1:] not in FORMS:
        raise ValueError(f"{file.name} is neither .{' nor .'.join(FORMS)}")
    return Table(file, entry.fields, entry, REMEDY.format(folder=folder))


def _inner(folder, path):
    if not INNER.fullmatch(path):
        raise ValueError(f"{path!r} is no path of a file in {folder}")
    return path
