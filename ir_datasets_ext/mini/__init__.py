"""scholarly-mini: abstracts written for this package, in the shape of CSFCube.

Small enough to be shipped, so that documentation, the demo and tests need no download. Its licence
is the package's. Figures on it say that something runs, not how good it is.
"""

from ir_datasets_ext import csfcube
from ir_datasets_ext.csfcube.release import Release
from ir_datasets_ext.facets import FACETS
from ir_datasets_ext.files import PackagedFile

NAME = "scholarly-mini"
FILES = {
    "docs": "abstracts-mini-preds.jsonl",
    "queries": "queries-release.csv",
    "splits": "evaluation_splits.json",
    "pool": "test-pid2pool-mini.json",
    **{f"annotations/{facet}": f"test-pid2anns-mini-{facet}.json" for facet in FACETS},
}

RELEASE = Release(NAME, lambda: {key: PackagedFile("mini", file) for key, file in FILES.items()})


def datasets():
    """Return its datasets, with the same ids below it as csfcube has: a dict by id."""
    return csfcube.datasets(RELEASE)
