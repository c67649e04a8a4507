"""The 800,000 abstracts that CSFCube's pools were drawn from (Mysore et al. 2021, section 3).

arXiv's computer-science papers with full text, and what they cite, from S2ORC; with the queries and
judgements of CSFCube over them. <https://doi.org/10.6084/m9.figshare.14796339>, CC BY-NC 4.0.
"""

from functools import partial

from ir_datasets_ext import csfcube, registration
from ir_datasets_ext.csfcube.records import CsfcubeDoc
from ir_datasets_ext.csfcube.release import Subset
from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.files import Release, release_sources

NAME = f"{csfcube.NAME}/s2orc"
RELEASE = Release(NAME, partial(release_sources, NAME, csfcube.NOTICE))


def datasets():
    """Return the datasets: the documents, and each facet's (and `all` facets') queries and qrels.

    There are no pools here: they are CSFCube's. Of a ranking of all documents nothing is published;
    what can be said of it is how many of the relevant papers it finds, and how much of it was
    judged at all.
    """
    docs = StoredDocs(csfcube.NAME, f"{csfcube.NAME}/docs-s2orc", _sources, _read, CsfcubeDoc)
    parts = {"": (docs, csfcube.no_queries(NAME, csfcube.RELEASE))}
    for facet in (*FACETS, "all"):
        parts[facet] = (docs, *csfcube.judgements(Subset(csfcube.RELEASE, docs, facet)))
    texts = registration.Documentation(partial(registration.packaged, "csfcube-s2orc"))
    return registration.datasets(NAME, texts, parts)


def _sources():
    return RELEASE.files("docs") + csfcube.RELEASE.files("docs")


def _read():
    """Yield the documents of the archive in its order, and last those that it lacks.

    CSFCube's own 4,205 are as they are there (the labels of query papers were corrected by hand),
    so that queries and judged papers are the same in both.
    """
    from ir_datasets_ext.csfcube.archive import read_abstracts

    own = {doc.doc_id: doc for doc in csfcube.RELEASE.docs()}
    missing = dict(own)
    for doc in read_abstracts(RELEASE.sources["docs"].place()):
        missing.pop(doc.doc_id, None)
        yield own.get(doc.doc_id, doc)
    yield from missing.values()
