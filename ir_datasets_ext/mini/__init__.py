"""scholarly-mini: abstracts written for this package, in the shape of CSFCube.

It is shipped, so that documentation, demo and tests need no download. Its licence is the package's.
A figure on it shows that something runs, not how good it is.

::

    ir_datasets.load("scholarly-mini/method").queries_iter()
"""

from ir_datasets_ext import csfcube
from ir_datasets_ext.handlers import ScholarlyDataset
from ir_datasets_ext.releases import Release

RELEASE = Release("scholarly-mini", __name__)


def datasets() -> dict[str, ScholarlyDataset]:
    """Return the datasets by id, with the same ids below the collection's as csfcube has."""
    return csfcube.datasets(RELEASE)
