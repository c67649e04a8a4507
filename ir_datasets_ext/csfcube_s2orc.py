"""The 800,000 abstracts that CSFCube's pools were drawn from (Mysore et al. 2021, section 3).

arXiv's computer-science papers with full text, and what they cite, from S2ORC; with the queries and
judgements of CSFCube over them. <https://doi.org/10.6084/m9.figshare.14796339>, CC BY-NC 4.0.
"""

from functools import cached_property

from ir_datasets_ext import csfcube
from ir_datasets_ext._csfcube_handlers import FacetQrels, FacetQueries, NoQueries
from ir_datasets_ext._csfcube_records import CsfcubeDoc
from ir_datasets_ext._csfcube_selection import Selection
from ir_datasets_ext._handlers import StoredDocs
from ir_datasets_ext._register import Documentation, dataset
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.files import FigshareFile, release_sources

NAME = f"{csfcube.NAME}/s2orc"


class Abstracts(StoredDocs):
    """The documents, from figshare's archive.

    CSFCube's own 4,205 are as they are there (the labels of query papers were corrected by hand),
    so that queries and judged papers are the same in both; those that the archive lacks come last.
    """

    def __init__(self):
        super().__init__(csfcube.NAME, self._files, self._read, CsfcubeDoc, folder="docs-s2orc")

    @cached_property
    def source(self):
        """The archive; mirrors may set another `url` on it."""
        entry = release_sources(NAME)["docs"]  # which stands beside CSFCube's own files
        return FigshareFile(csfcube.NAME, entry.name, entry.url, notice=csfcube.NOTICE)

    def _files(self):
        return [self.source, csfcube.RELEASE.sources["docs"]]

    def _read(self):
        from ir_datasets_ext._s2orc_abstracts import read_abstracts

        own = {doc.doc_id: doc for doc in csfcube.RELEASE.docs()}
        missing = dict(own)
        for doc in read_abstracts(self.source.place()):
            missing.pop(doc.doc_id, None)
            yield own.get(doc.doc_id, doc)
        yield from missing.values()


DOCS = Abstracts()


def datasets():
    """Return the datasets: the documents, and each facet's (and `all` facets') queries and qrels.

    There are no pools here: they are CSFCube's. Of a ranking of all documents nothing is published;
    what can be said of it is how many of the relevant papers it finds, and how much of it was
    judged at all.
    """
    texts, release = Documentation("docs/csfcube-s2orc.yaml"), csfcube.RELEASE
    bare = NoQueries(Selection(release, "all"), DOCS, NAME)
    found = {NAME: dataset(NAME, texts("_"), DOCS, bare)}
    for facet in (*FACETS, "all"):
        selection = Selection(release, facet)
        parts = (DOCS, FacetQueries(selection, DOCS), FacetQrels(selection))
        found[f"{NAME}/{facet}"] = dataset(f"{NAME}/{facet}", texts(facet), *parts)
    return found
