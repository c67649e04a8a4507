"""DORIS-MAE's release, one JSON file: what is built from it once, and read ever after."""

import json
from dataclasses import dataclass
from functools import partial
from typing import Callable

from ir_datasets.formats import GenericScoredDoc, TrecQrel

from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.doris_mae.json_file import JsonFile
from ir_datasets_ext.doris_mae.records import TOO_LONG, DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext.records import checked, refused
from ir_datasets_ext.store import new_file


class Papers(StoredDocs):
    """The documents of a version of the release, and all else that its file holds.

    release: the `Release` that has it. version: the file's key there.
    folder: what is built from the file: the documents, `CONTENTS` and `SS_IDS`.
    """

    CONTENTS = "contents.json"  #: what `read_contents` gives
    SS_IDS = "ss_ids.json"  #: Semantic Scholar's ids -> doc_id
    _known = (None, None)  # the store, and the content of SS_IDS that goes with it

    def __init__(self, release, version, folder):
        self.release, self.version = release, version
        sources, folder = partial(release.files, version), f"{release.name}/{folder}"
        super().__init__(release.name, folder, sources, self._records, DorisMaeDoc)

    def place(self):
        """Return where the release's file is, or belongs."""
        return self.release.sources[self.version].place()

    def contents(self):
        """Return queries, aspects, annotations and human judgements, see `read_contents`.

        file: where they were read.
        """
        return {**self._read_json(self.CONTENTS), "file": self.place()}

    def annotations_iter(self):
        """Yield DorisMaeAnnotation in the release's order, one at a time out of its file.

        They are checked when documents and queries are built, which is done first if need be.
        """
        from ir_datasets_ext.doris_mae.layout import Annotation

        self._built()
        file = JsonFile(self.place())
        start = file.offsets(["Annotation"])["Annotation"]
        for number, entry in enumerate(file.entries("Annotation", start)):
            yield checked(entry, Annotation, file.path, f"annotation {number}").record()

    def annotations_cls(self):
        """Return DorisMaeAnnotation."""
        return DorisMaeAnnotation

    def citations(self, doc_id):
        """Return the ids of the documents that `doc_id` cites: a tuple, in the release's order.

        The paper's appendix A.4 says that citations are abstract ids; Semantic Scholar's ids, of
        documents that have one, are understood as well. KeyError for an unknown `doc_id`.
        """
        store = self.docs_store()
        if self._known[0] is not store:  # a graph asks often
            self._known = (store, self._read_json(self.SS_IDS))
        _, by_ss_id = self._known
        cited = [by_ss_id.get(paper, paper) for paper in store.get(doc_id).citations]
        there = {doc.doc_id for doc in store.get_many_iter(cited)} if cited else ()
        return tuple(paper for paper in dict.fromkeys(cited) if paper in there)

    def _read_json(self, name):
        return self._whole(lambda folder: json.loads((folder / name).read_text("utf-8")))

    def _records(self):
        from ir_datasets_ext.doris_mae.layout import Paper

        self._file, self._ss_ids = JsonFile(self.place()), {}
        for number, entry in enumerate(self._file.entries("Corpus")):
            record = f"entry {number} of Corpus"
            doc = checked(entry, Paper, self._file.path, record).record()
            if doc.doc_id in self._ss_ids:
                what = f"expected each id once, got {doc.doc_id} again"
                raise refused(self._file.path, record, "abstract_id", what)
            self._ss_ids[doc.doc_id] = doc.ss_id
            yield doc

    def _make(self, folder):
        from ir_datasets_ext.doris_mae.contents import read_contents

        super()._make(folder)
        ss_ids, self._ss_ids = self._ss_ids, {}
        by_ss_id = {ss_id: doc_id for doc_id, ss_id in ss_ids.items() if ss_id}
        contents = read_contents(self._file, ss_ids)
        for name, content in {self.SS_IDS: by_ss_id, self.CONTENTS: contents}.items():
            with new_file(folder / name) as file:
                json.dump(content, file, separators=(",", ":"))


@dataclass(frozen=True)
class Subset:
    """The judged queries of one dataset.

    derive: a function of (contents, part) that gives a list of `Judged`, see `doris_mae.judged`.
    part: "dev", "test", or None for all queries.
    """

    docs: Papers
    derive: Callable
    part: str | None = None

    def judged(self):
        """Return the queries with their candidates and judgements, a list of `Judged`."""
        return self.derive(self.docs.contents(), self.part)

    def queries(self):
        """Yield the queries in the release's order."""
        return (judged.query for judged in self.judged())

    def qrels(self):
        """Yield TrecQrel whose `iteration` is |Q|, negative where it never counts as relevant."""
        for query, size, _, relevances in self.judged():
            for doc_id, relevance in relevances.items():
                sign = "-" if doc_id in TOO_LONG else ""
                yield TrecQrel(query.query_id, doc_id, relevance, f"{sign}{size}")

    def candidates(self):
        """Yield GenericScoredDoc with score 0.0, in the order of the pools."""
        for judged in self.judged():
            for doc_id in judged.pool:
                yield GenericScoredDoc(judged.query.query_id, doc_id, 0.0)

    def count(self, read):
        """Return how many `read()` yields, or None while the release is not downloaded."""
        return self.docs.release.count(read, self.docs.version)
