"""DORIS-MAE's documents, built once from its JSON file with all else that the file has."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.files import Release
from ir_datasets_ext.records import checked, refused
from ir_datasets_ext.store import new_file

# The readers load msgspec, so they are imported when the first record is read.


class Papers(StoredDocs):
    """The documents of a version of the release, and the other content of its file.

    release: the release. version: the file's key there.
    folder: what is built from the file: the documents, `CONTENTS` and `SS_IDS`.
    """

    CONTENTS = "contents.json"  #: what `read_contents` returns
    SS_IDS = "ss_ids.json"  #: Semantic Scholar's ids -> doc_id
    _known: tuple = (None, {})  # a store, and the content of SS_IDS that belongs to it

    def __init__(self, release: Release, version: str, folder: str) -> None:
        self.release, self.version = release, version
        sources, folder = partial(release.files, version), f"{release.name}/{folder}"
        super().__init__(release.name, folder, sources, self._records, DorisMaeDoc)

    def place(self) -> Path:
        """Return where the release's file is, or belongs."""
        return self.release.place(self.version)

    def contents(self) -> dict[str, Any]:
        """Return queries, aspects, annotations and human judgements, see `read_contents`.

        Its entry `file` is the path of the release's file.
        """
        return {**self._read_json(self.CONTENTS), "file": self.place()}

    def annotations_iter(self) -> Iterator[DorisMaeAnnotation]:
        """Yield DorisMaeAnnotation in the release's order, reading one at a time.

        They are checked when documents and queries are built, which happens first if need be.
        """
        from ir_datasets_ext.doris_mae.reading import Annotation

        self._built()
        file = JsonFile(self.place())
        start = file.offsets(["Annotation"])["Annotation"]
        for number, entry in enumerate(file.entries("Annotation", start)):
            yield checked(entry, Annotation, file.path, f"annotation {number}").record()

    def annotations_cls(self) -> type[DorisMaeAnnotation]:
        """Return DorisMaeAnnotation."""
        return DorisMaeAnnotation

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the documents that `doc_id` cites, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids. Semantic Scholar's ids of
        documents are understood too. Raises KeyError for an unknown `doc_id`.
        """
        store = self.docs_store()
        if self._known[0] is not store:  # graphs call this often
            self._known = (store, self._read_json(self.SS_IDS))
        _, by_ss_id = self._known
        cited = [by_ss_id.get(paper, paper) for paper in store.get(doc_id).citations]
        there = {doc.doc_id for doc in store.get_many_iter(cited)} if cited else ()
        return tuple(paper for paper in dict.fromkeys(cited) if paper in there)

    def _read_json(self, name: str) -> Any:
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
