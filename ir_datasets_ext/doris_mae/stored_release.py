"""DORIS-MAE's documents, built once from its JSON file with all else that the file has.

::

    stored = StoredRelease(RELEASE, "v1", "docs")
    stored.docs_store().get("7")
    stored.contents().queries   # the store is built at the first call ever
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ir_datasets_ext.built_documents import DOCS, StoredDocs
from ir_datasets_ext.docstore import write_documents
from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.handlers import add_answers
from ir_datasets_ext.packed_records import write_records
from ir_datasets_ext.releases import Release
from ir_datasets_ext.store import new_file

if TYPE_CHECKING:
    from ir_datasets_ext.doris_mae.contents import Contents
    from ir_datasets_ext.doris_mae.release import Corpus

# `contents` and `release` load msgspec, so they are imported when the first record is read.

# the store's files besides DOCS
CONTENTS = "contents.json"
ANNOTATIONS = "annotations.entries"  # by their number
SS_IDS = "ss_ids.json"  # Semantic Scholar's ids -> doc_id


class StoredRelease(StoredDocs):
    """The documents of a version of the release, and the other content of its file.

    All of it is in the store, and read from there: the release's file is read while the store is
    built, and hashed meanwhile.

    version: the file's key in the release. folder: of the store.
    """

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

    def contents(self) -> "Contents":
        """Return the content beside the corpus; it is the same object until the files change."""
        from ir_datasets_ext.doris_mae.contents import read_contents

        return self._read_unchanged(CONTENTS, read_contents)

    def annotations_iter(self) -> Iterator[DorisMaeAnnotation]:
        """Yield DorisMaeAnnotation in the release's order."""
        return iter(self._open_records(ANNOTATIONS, DorisMaeAnnotation))

    def citations(self, doc_id: str) -> tuple[str, ...]:
        """Return the ids of the documents that `doc_id` cites, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids. Semantic Scholar's ids of
        documents are understood too. Raises KeyError for an unknown `doc_id`, MissingContent if
        the file has no citations of any paper.
        """
        store = self.docs_store()
        document = store.get(doc_id)
        self._require_field(store, "citations")

        doc_id_by_ss_id = self._read_unchanged(SS_IDS, _read_ss_ids)
        cited_ids = [doc_id_by_ss_id.get(paper_id, paper_id) for paper_id in document.citations]
        distinct_ids = list(dict.fromkeys(cited_ids))
        present_docs = store.get_many(distinct_ids)
        return tuple(cited_id for cited_id in distinct_ids if cited_id in present_docs)

    def _open_corpus(self) -> "Corpus":
        from ir_datasets_ext.doris_mae.release import Corpus

        return Corpus(JsonFile(self.place()))

    def _write_files(self, folder: Path) -> int:
        """Write the documents, then all else that the release's file has."""
        from ir_datasets_ext.doris_mae.contents import write_contents
        from ir_datasets_ext.doris_mae.release import (
            Annotations,
            join_contents,
            read_sections,
            warn_of_unusual,
        )

        corpus = self._open_corpus()
        document_count = write_documents(folder / DOCS, corpus, DorisMaeDoc)

        sections = read_sections(corpus.file, corpus.ss_ids)
        # they are written while they are read, so that only one is in memory at a time
        annotations = Annotations(corpus.file, sections, corpus.ss_ids)
        keyed_annotations = (
            (b"%d" % number, annotation) for number, annotation in enumerate(annotations)
        )
        write_records(folder / ANNOTATIONS, keyed_annotations, DorisMaeAnnotation)

        contents = join_contents(sections, annotations.scores_by_aspect)
        warn_of_unusual(contents, corpus.file.path)

        write_contents(folder / CONTENTS, contents)
        _write_ss_ids(folder / SS_IDS, corpus.ss_ids)
        return document_count


def _write_ss_ids(path: Path, ss_ids: dict[str, str]) -> None:
    """Write the doc_ids by Semantic Scholar's ids; `ss_ids` is the inverse, "" if missing."""
    doc_id_by_ss_id = {ss_id: doc_id for doc_id, ss_id in ss_ids.items() if ss_id}
    with new_file(path) as file:
        json.dump(doc_id_by_ss_id, file, separators=(",", ":"))


def _read_ss_ids(path: Path) -> dict[str, str]:
    return json.loads(path.read_text("utf-8"))
