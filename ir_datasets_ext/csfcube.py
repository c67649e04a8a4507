"""CSFCube (Mysore, O'Gorman, McCallum and Zamani, NeurIPS Datasets and Benchmarks 2021).

34 computer-science papers, 50 query-facet pairs: which papers are like this one in its background
(and objective), its method, its result? <https://github.com/iesl/CSFCube>, CC BY-NC 4.0.
"""

from functools import partial

from ir_datasets_ext._csfcube_handlers import (
    FacetCandidates,
    FacetQrels,
    FacetQueries,
    NoQueries,
)
from ir_datasets_ext._csfcube_ratings import FacetRatings, PoolSources
from ir_datasets_ext._csfcube_records import CsfcubeDoc
from ir_datasets_ext._csfcube_release import Release
from ir_datasets_ext._csfcube_selection import Selection
from ir_datasets_ext._handlers import StoredDocs
from ir_datasets_ext._register import Documentation, dataset
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.files import release_sources

NAME = "csfcube"
NOTICE = (
    "CSFCube is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Mysore et al. 2021, https://openreview.net/forum?id=8Y50dBbmGU"
)

#: id below a facet's -> the part in the splits file; a fold's dev part is the other's test part
SPLITS = {f"fold{fold}/{part}": f"fold{fold}_{part}" for fold in (1, 2) for part in ("dev", "test")}

RELEASE = Release(NAME, partial(release_sources, NAME, NOTICE))


def datasets(release=RELEASE, documentation=f"docs/{NAME}.yaml"):
    """Return the datasets of a collection in CSFCube's layout: a dict by id.

    The bare collection has the documents, each facet (and `all`) the queries, qrels and scoreddocs
    as well, and so has each fold's dev and test part below it.
    """
    texts = Documentation(documentation)
    docs = StoredDocs(release.name, lambda: [release.sources["docs"]], release.docs, CsfcubeDoc)
    nothing = NoQueries(Selection(release, "all"), docs, release.name)
    bare = (docs, nothing, PoolSources(release))
    found = {release.name: dataset(release.name, texts("_"), *bare)}
    for facet in (*FACETS, "all"):
        for below, split in {"": None, **SPLITS}.items():
            key = f"{facet}/{below}".rstrip("/")
            selection = Selection(release, facet, split)
            found[f"{release.name}/{key}"] = dataset(
                f"{release.name}/{key}",
                texts(key),
                docs,
                FacetQueries(selection, docs),
                FacetQrels(selection),
                FacetCandidates(selection),
                FacetRatings(selection),
            )
    return found
