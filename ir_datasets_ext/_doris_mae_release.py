"""DORIS-MAE's release, one JSON file: what is built from it once, and read ever after."""

import json
from functools import cached_property

from ir_datasets_ext._doris_mae_contents import read_contents
from ir_datasets_ext._doris_mae_records import DorisMaeAnnotation, DorisMaeDoc
from ir_datasets_ext._handlers import StoredDocs
from ir_datasets_ext._json import JsonFile
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
        """The release's file; tests and mirrors may set another `url` on it."""
        return self._find_source()

    def contents(self):
        """Return queries, aspects, annotations and human judgements, see `read_contents`."""
        return self._read_json(self.CONTENTS)

    def annotations_iter(self):
        """Yield DorisMaeAnnotation in the release's order, one at a time out of its file.

        They are checked when documents and queries are built, which is done first if need be.
        """
        self._built()
        file = JsonFile(self.source.place())
        start = file.offsets(["Annotation"])["Annotation"]
        for entry in file.entries("Annotation", start):
            reply = entry.get("gpt_response") or ""
            pair = str(entry["aspect_id"]), str(entry["abstract_id"])
            yield DorisMaeAnnotation(*pair, reply, int(entry["score"]))

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
        self._file, self._ss_ids = JsonFile(self.source.place()), {}
        for number, entry in enumerate(self._file.entries("Corpus")):
            try:
                doc = _doc(entry)
            except (KeyError, TypeError, AttributeError) as error:
                what = f"is not as the release has it ({type(error).__name__}: {error})"
                expected = "the keys that appendix A.4 of the paper lists"
                raise _wrong(self._file.path, number, what, expected) from error
            if doc.doc_id in self._ss_ids:
                what = f"has the abstract_id {doc.doc_id}, as one before it"
                raise _wrong(self._file.path, number, what, "each id once")
            self._ss_ids[doc.doc_id] = entry.get("ss_id")
            yield doc

    def _make(self, folder):
        super()._make(folder)
        ss_ids, self._ss_ids = self._ss_ids, {}
        by_ss_id = {ss_id: doc_id for doc_id, ss_id in ss_ids.items() if isinstance(ss_id, str)}
        contents = read_contents(self._file, ss_ids)
        for name, content in {self.SS_IDS: by_ss_id, self.CONTENTS: contents}.items():
            with new_file(folder / name) as file:
                json.dump(content, file, separators=(",", ":"))


def _doc(entry):
    categories = entry["categories"] or ()
    return DorisMaeDoc(  # by position: that is a tenth of a second quicker
        str(entry["abstract_id"]),
        entry["title"] or "",
        entry["original_abstract"] or "",
        entry["url"] or "",
        tuple(categories.split() if isinstance(categories, str) else categories),
        tuple(map(str, entry["outgoing_citations"] or ())),
        entry.get("masked_abstract") or "",
        entry.get("primary_category") or "",
        entry.get("ss_id") or "",
        tuple(map(str, entry.get("incoming_citations") or ())),
    )


def _wrong(path, number, what, expected):
    return ValueError(
        f"{path}: entry {number} of Corpus {what}: expected {expected}. Correct the file, or "
        "delete it to download the release's"
    )
