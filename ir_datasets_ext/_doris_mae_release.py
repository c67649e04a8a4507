"""DORIS-MAE's release, one JSON file: what is built from it once, and read ever after."""

import json
from functools import cached_property

from ir_datasets_ext._doris_mae_records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext._handlers import StoredDocs
from ir_datasets_ext._json import JsonFile
from ir_datasets_ext.records import checked, refused
from ir_datasets_ext.store import new_file


class Release(StoredDocs):
    """The documents of a version of the release, and all else that its file holds.

    name: the collection's id, its namespace, and its folder under ir_datasets' home.
    find_source: a function that gives the file as a `Source`; called when it is first needed.
    folder: what is built from the file: the documents, `CONTENTS` and `SS_IDS`.
    """

    CONTENTS = "contents.json"  #: what `read_contents` gives
    SS_IDS = "ss_ids.json"  #: Semantic Scholar's ids -> doc_id
    _known = (None, None)  # the store, and the content of SS_IDS that goes with it

    def __init__(self, name, find_source, folder):
        super().__init__(name, lambda: [self.source], self._docs, DorisMaeDoc, folder=folder)
        self._find_source = find_source

    @cached_property
    def source(self):
        """The release's file; mirrors may set another `url` on it."""
        return self._find_source()

    def contents(self):
        """Return queries, aspects, annotations and human judgements, see `read_contents`.

        file: where they were read.
        """
        return {**self._read_json(self.CONTENTS), "file": self.source.place()}

    def annotations_iter(self):
        """Yield DorisMaeAnnotation in the release's order, one at a time out of its file.

        They are checked when documents and queries are built, which is done first if need be.
        """
        from ir_datasets_ext._doris_mae_layout import Annotation

        self._built()
        file = JsonFile(self.source.place())
        start = file.offsets(["Annotation"])["Annotation"]
        for number, entry in enumerate(file.entries("Annotation", start)):
            entry = checked(entry, Annotation, file.path, f"annotation {number}")
            pair = str(entry.aspect_id), str(entry.abstract_id)
            yield DorisMaeAnnotation(*pair, entry.gpt_response or "", entry.score)

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

    def _docs(self):
        from ir_datasets_ext._doris_mae_layout import Paper

        self._file, self._ss_ids = JsonFile(self.source.place()), {}
        for number, entry in enumerate(self._file.entries("Corpus")):
            record = f"entry {number} of Corpus"
            paper = checked(entry, Paper, self._file.path, record)
            doc = _doc(paper)
            if doc.doc_id in self._ss_ids:
                what = f"expected each id once, got {doc.doc_id} again"
                raise refused(self._file.path, record, "abstract_id", what)
            self._ss_ids[doc.doc_id] = paper.ss_id
            yield doc

    def _make(self, folder):
        from ir_datasets_ext._doris_mae_contents import read_contents

        super()._make(folder)
        ss_ids, self._ss_ids = self._ss_ids, {}
        by_ss_id = {ss_id: doc_id for doc_id, ss_id in ss_ids.items() if ss_id}
        contents = read_contents(self._file, ss_ids)
        for name, content in {self.SS_IDS: by_ss_id, self.CONTENTS: contents}.items():
            with new_file(folder / name) as file:
                json.dump(content, file, separators=(",", ":"))


def _doc(paper):
    categories = paper.categories or ()
    return DorisMaeDoc(  # by position: that is a tenth of a second quicker
        str(paper.abstract_id),
        paper.title or "",
        paper.original_abstract or "",
        paper.url or "",
        tuple(categories.split()) if isinstance(categories, str) else categories,
        tuple(map(str, paper.outgoing_citations or ())),
        paper.masked_abstract or "",
        paper.primary_category or "",
        paper.ss_id or "",
        tuple(map(str, paper.incoming_citations or ())),
    )
