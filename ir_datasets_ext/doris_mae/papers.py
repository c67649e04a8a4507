"""DORIS-MAE's documents, built once from its JSON file with all else that the file has."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.doris_mae.judged import Contents
from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.files import Release
from ir_datasets_ext.handlers import answer
from ir_datasets_ext.records import Json, checked, read_items, refused
from ir_datasets_ext.store import new_file

BLOCK = 1 << 16  # bytes
LONGEST = 64  # bytes of the longest key, with quotes, colon and blanks
# `reading` loads msgspec, so it is imported when the first record is read.


class Papers(StoredDocs):
    """The documents of a version of the release, and the other content of its file.

    version: the file's key in the release.
    folder: what is built from the file: the documents, `CONTENTS` and `SS_IDS`.
    """

    CONTENTS = "contents.json"  #: what `read_contents` returns
    SS_IDS = "ss_ids.json"  #: Semantic Scholar's ids -> doc_id
    _known: tuple = (None, {})  # a store, and the content of SS_IDS that belongs to it

    def __init__(self, release: Release, version: str, folder: str) -> None:
        self.release, self.version = release, version
        sources, folder = partial(release.files, version), f"{release.name}/{folder}"
        super().__init__(release.name, folder, sources, self._records, DorisMaeDoc)
        answer(self, "annotations", cls=DorisMaeAnnotation)

    def place(self) -> Path:
        """Return where the release's file is, or belongs."""
        return self.release.place(self.version)

    def contents(self) -> Contents:
        """Return what `read_contents` read, and `file`, the path of the release's file."""
        return {**self._read_json(self.CONTENTS), "file": self.place()}

    def annotations_iter(self) -> Iterator[DorisMaeAnnotation]:
        """Yield DorisMaeAnnotation in the release's order; all were checked in the building."""
        from ir_datasets_ext.doris_mae.reading import Annotation

        self._built()
        file = JsonFile(self.place())
        start = file.offsets(["Annotation"])["Annotation"]
        for number, entry in enumerate(file.entries("Annotation", start)):
            yield checked(entry, Annotation, file.path, f"annotation {number}").record()

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the documents that `doc_id` cites, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids. Semantic Scholar's ids of
        documents are understood too. Raises KeyError for an unknown `doc_id`.
        """
        store = self.docs_store()
        if self._known[0] is not store:  # graphs call this often
            self._known = (store, self._read_json(self.SS_IDS))
        cited = [self._known[1].get(paper, paper) for paper in store.get(doc_id).citations]
        there = {doc.doc_id for doc in store.get_many_iter(cited)} if cited else ()
        return tuple(paper for paper in dict.fromkeys(cited) if paper in there)

    def _read_json(self, name: str) -> Json:
        return self._whole(lambda folder: json.loads((folder / name).read_text("utf-8")))

    def _records(self) -> Iterator[DorisMaeDoc]:
        from ir_datasets_ext.doris_mae.reading import Paper

        self._file = JsonFile(self.place())
        self._ss_ids: dict[str, str] = {}
        for number, entry in enumerate(self._file.entries("Corpus")):
            record = f"entry {number} of Corpus"
            doc = checked(entry, Paper, self._file.path, record).record()
            if doc.doc_id in self._ss_ids:
                what = f"expected each id once, got {doc.doc_id} again"
                raise refused(self._file.path, record, "abstract_id", what)
            self._ss_ids[doc.doc_id] = doc.ss_id
            yield doc

    def _make(self, folder: Path) -> None:
        from ir_datasets_ext.doris_mae.reading import read_contents

        super()._make(folder)
        ss_ids, self._ss_ids = self._ss_ids, {}
        by_ss_id = {ss_id: doc_id for doc_id, ss_id in ss_ids.items() if ss_id}
        contents = read_contents(self._file, ss_ids)
        for name, content in {self.SS_IDS: by_ss_id, self.CONTENTS: contents}.items():
            with new_file(folder / name) as file:
                json.dump(content, file, separators=(",", ":"))


class JsonFile:
    """A JSON file with one object; a ValueError has file and remedy if it is truncated."""

    def __init__(self, path: Path) -> None:
        self.path, self._read = path, 0  # bytes that the parser has read
        self._within = (0, 0)  # first and last byte of a list that was read: no key is in there

    def entries(self, key: str, start: int = 0) -> Iterator[Json]:
        """Yield the entries of the list under `key`, one at a time.

        start: first byte to read, which `offsets` returns for this key or an earlier one. From 0,
            the syntax of the whole file is checked by the time the last entry is yielded.
        """
        first = last = 0
        for entry in read_items(self.path, self._blocks(start), f"{key}.item"):
            last = self._read
            first = first or last
            yield entry
        if last:
            self._within = (first, last - BLOCK)

    def value(self, key: str, start: int = 0) -> Json:
        """Return the whole value under `key`, or None; for small values."""
        return next(read_items(self.path, self._blocks(start), key), None)

    def offsets(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the first byte of each of `keys`, without missing ones.

        A search is a tenth of the work of parsing; a list that `entries` has read is skipped. The
        first match that reads like the key of a list or an object counts. So inner objects must not
        have keys of these names.
        """
        missing, offsets = set(keys), dict[str, int]()
        with self.path.open("rb") as file:
            while missing and (block := file.read(BLOCK)):
                at = file.tell() - len(block)
                block += file.read(LONGEST)  # a key may cross the border
                here = {key: place for key in missing if (place := _find(block, key)) is not None}
                offsets.update((key, at + place) for key, place in here.items())
                missing -= here.keys()
                at += BLOCK
                first, last = self._within
                file.seek(last if first <= at < last else at)
        return offsets

    def _blocks(self, start: int) -> Iterator[bytes]:
        if start:
            yield b"{"
        with self.path.open("rb") as file:
            file.seek(start)
            while block := file.read(BLOCK):
                self._read = file.tell()
                yield block


def _find(text: bytes, key: str) -> int | None:
    """Return the position of ``"key": [`` or ``"key": {`` in `text`, with or without blanks."""
    quoted, at = f'"{key}"'.encode(), -1
    while (at := text.find(quoted, at + 1)) >= 0:
        after = text[at + len(quoted) : at + LONGEST].lstrip()
        if after[:1] == b":" and after[1:].lstrip()[:1] in (b"[", b"{"):
            return at
    return None
