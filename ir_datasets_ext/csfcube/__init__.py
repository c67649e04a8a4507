"""CSFCube (Mysore, O'Gorman, McCallum and Zamani, NeurIPS Datasets and Benchmarks 2021).

34 computer-science papers, 50 query-facet pairs: which papers are like this one in its background
(and objective), its method, its result? <https://github.com/iesl/CSFCube>, CC BY-NC 4.0.
"""

from functools import partial

from ir_datasets.formats import GenericQrel, GenericScoredDoc

from ir_datasets_ext import registration
from ir_datasets_ext.csfcube.records import (
    QREL_DEFS,
    CsfcubeDoc,
    CsfcubePoolSource,
    CsfcubeQuery,
    CsfcubeRating,
)
from ir_datasets_ext.csfcube.release import Release, Subset
from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.files import release_sources
from ir_datasets_ext.handlers import handler

NAME = "csfcube"
NOTICE = (
    "CSFCube is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Mysore et al. 2021, https://openreview.net/forum?id=8Y50dBbmGU"
)

#: id below a facet's -> the part in the splits file; a fold's dev part is the other's test part
SPLITS = {f"fold{fold}/{part}": f"fold{fold}_{part}" for fold in (1, 2) for part in ("dev", "test")}

RELEASE = Release(NAME, partial(release_sources, NAME, NOTICE))


def datasets(release=RELEASE):
    """Return the datasets of a collection in CSFCube's layout: a dict by id.

    The bare collection has the documents, each facet (and `all`) the queries, qrels and scoreddocs
    as well, and so has each fold's dev and test part below it.
    """
    sources = partial(release.files, "docs")
    docs = StoredDocs(release.name, f"{release.name}/docs", sources, release.docs, CsfcubeDoc)
    pool_sources = handler("pool_sources", release.pool, CsfcubePoolSource)
    parts = {"": (docs, no_queries(release.name, release), pool_sources)}
    for facet in (*FACETS, "all"):
        for below, split in {"": None, **SPLITS}.items():
            subset = Subset(release, docs, facet, split)
            parts[f"{facet}/{below}".rstrip("/")] = (
                docs,
                *judgements(subset),
                handler("scoreddocs", subset.candidates, GenericScoredDoc, subset.count),
                handler("ratings", subset.ratings, CsfcubeRating),
            )
    texts = registration.Documentation(partial(registration.packaged, release.name))
    return registration.datasets(release.name, texts, parts)


def judgements(subset):
    """Return the handlers of a `Subset`'s queries and qrels."""
    name = subset.release.name
    return (
        handler(
            "queries",
            subset.queries,
            CsfcubeQuery,
            lambda _: subset.count(subset.judged),  # which needs no documents
            namespace=name,
            lang="en",
        ),
        handler("qrels", subset.qrels, GenericQrel, subset.count, defs=QREL_DEFS[subset.facet]),
    )


def no_queries(dataset_id, release):
    """Return what stands where queries would be in a bare collection, and says who has some."""

    def refuse():
        ids = ", ".join(f"{dataset_id}/{facet}" for facet in (*FACETS, "all"))
        raise NotImplementedError(
            f"{dataset_id} has no queries of its own, its facets have: use {ids}"
        )

    return handler("queries", refuse, CsfcubeQuery, namespace=release.name, lang="en")
