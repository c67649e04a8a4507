"""DORIS-MAE's documents, built once from its JSON file with all else that the file has."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.built_documents import DOCS, StoredDocs
from ir_datasets_ext.docstore import write_documents
from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import Contents, DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.handlers import add_answers
from ir_datasets_ext.packed_records import read_records, write_records
from ir_datasets_ext.releases import Release
from ir_datasets_ext.store import new_file
from ir_datasets_ext.typed_records import Json

if TYPE_CHECKING:
    from ir_datasets_ext.doris_mae.release import Corpus

# `reading` loads msgspec, so it is imported when the first record is read.


class Papers(StoredDocs):
    """The documents of a version of the release, and the other content of its file.

    All of it is in the store, and read from there: the release's file is read while the store is
    built, and hashed meanwhile.

    version: the file's key in the release. folder: of the store.
    """

    CONTENTS = "contents.json"  #: what `judged` derives queries and judgements from
    ANNOTATIONS = "annotations.entries"  #: the annotations, by their number
    SS_IDS = "ss_ids.json"  #: Semantic Scholar's ids -> doc_id
    _linked: tuple = (None, {})  # a store, and the content of SS_IDS that belongs to it

    def __init__(self, release: Release, version: str, folder: str) -> None:
        self.release = release
        self.version = version
        sources = partial(release.files, version)
        store_folder = f"{release.name}/{folder}"
        super().__init__(release.name, store_folder, sources, self._open_corpus, DorisMaeDoc)
        add_answers(self, "annotations", cls=DorisMaeAnnotation)

    def place(self) -> Path:
        """Return where the release's file is, or belongs."""
        return self.release.place(self.version)

    def contents(self) -> Contents:
        """Return the release's content, and `file`, the path of its file."""
        return {**self._read_json(self.CONTENTS), "file": self.place()}

    def annotations_iter(self) -> Iterator[DorisMaeAnnotation]:
        """Yield DorisMaeAnnotation in the release's order."""
        return iter(self._open_records(self.ANNOTATIONS, DorisMaeAnnotation))

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the documents that `doc_id` cites, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids. Semantic Scholar's ids of
        documents are understood too. Raises KeyError for an unknown `doc_id`, MissingContent if
        the file has no citations of any paper.
        """
        store = self.docs_store()
        document = store.get(doc_id)
        self._require_field("citations")

        if self._linked[0] is not store:  # graphs call this often
            self._linked = (store, self._read_json(self.SS_IDS))
        doc_ids = self._linked[1]
        cited = [doc_ids.get(paper, paper) for paper in document.citations]
        present = {doc.doc_id for doc in store.get_many_iter(cited)} if cited else set()
        return tuple(paper for paper in dict.fromkeys(cited) if paper in present)

    def _read_json(self, name: str) -> Json:
        return self._read_store(lambda folder: json.loads((folder / name).read_text("utf-8")))

    def _open_corpus(self) -> "Corpus":
        from ir_datasets_ext.doris_mae.release import Corpus

        return Corpus(JsonFile(self.place()))

    def _write_files(self, folder: Path) -> int:
        """Write the documents, then all else that the release's file has."""
        from ir_datasets_ext.doris_mae import release

        corpus = self._open_corpus()
        count = write_documents(folder / DOCS, corpus, DorisMaeDoc)

        sections = release.read_sections(corpus.file, corpus.ss_ids)
        annotations = release.read_annotations(corpus.file, sections, corpus.ss_ids)
        keyed = ((b"%d" % number, annotation) for number, annotation in enumerate(annotations))
        write_records(folder / self.ANNOTATIONS, keyed, DorisMaeAnnotation)

        # the entries in the new file are read again, so that only one is in memory at a time
        written = read_records(folder / self.ANNOTATIONS, DorisMaeAnnotation)
        contents = {**sections.contents, "annotations": release.group_scores(written)}
        release.warn_of_unusual(contents, corpus.file.path)

        ids_of_others = {ss_id: doc_id for doc_id, ss_id in corpus.ss_ids.items() if ss_id}
        for name, content in ((self.SS_IDS, ids_of_others), (self.CONTENTS, contents)):
            with new_file(folder / name) as file:
                json.dump(content, file, separators=(",", ":"))
        return count
