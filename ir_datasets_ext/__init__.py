"""Scientific-literature collections for ir_datasets; importing this registers them.

`csfcube` (CSFCube, Mysore et al. 2021; `csfcube/s2orc`: over 800,000 abstracts), `doris-mae`
(DORIS-MAE, Wang et al. 2023), `litsearch` (LitSearch, Ajith et al. 2024) and `scholarly-mini` (a
small collection of CSFCube's shape that is shipped in the package); and any folder on this machine
that says what it holds, as `made/<name>` or `download-log/<name>`. Importing reads no data and
touches neither network nor home: files are fetched, verified and indexed when something is
iterated.
"""

from ir_datasets_ext import csfcube, doris_mae, litsearch, local, mini
from ir_datasets_ext.csfcube import s2orc
from ir_datasets_ext.registration import add

__all__ = ["register"]


def register():
    """Put our datasets into ``ir_datasets.registry``; a second call changes nothing.

    An id that the registry has from someone else stays theirs, and one RuntimeWarning names all
    such ids.
    """
    found = {}
    for collection in (csfcube, s2orc, doris_mae, litsearch, mini):
        found.update(collection.datasets())
    add(found)
    local.register()


register()
