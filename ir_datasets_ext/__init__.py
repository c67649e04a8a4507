"""Scientific-literature collections for ir_datasets; importing this package registers them.

::

    import ir_datasets_ext
    ir_datasets.load("csfcube/method").queries_iter()

`csfcube` (CSFCube, Mysore et al. 2021; `csfcube/s2orc`: over 800,000 abstracts), `doris-mae`
(DORIS-MAE, Wang et al. 2023), `litsearch` (LitSearch, Ajith et al. 2024) and `scholarly-mini` (a
small collection of CSFCube's shape, shipped here); and any folder on this machine that has a
manifest, as `made/<name>` or `download-log/<name>`. The import reads no data, and touches neither
network nor home. Files are fetched, verified and indexed when something is iterated.
"""

import pkgutil
from importlib import import_module

from ir_datasets_ext import local
from ir_datasets_ext.handlers import ScholarlyDataset, register_datasets

__all__ = ["register"]


def register() -> None:
    """Add our datasets to ``ir_datasets.registry``; a second call changes nothing.

    Each folder here whose package has a function `datasets` is a collection. If another package
    has taken an id, it keeps it, and one RuntimeWarning names all such ids.
    """
    datasets_by_id: dict[str, ScholarlyDataset] = {}
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not module.ispkg:
            continue
        package = import_module(module.name)
        if hasattr(package, "datasets"):
            datasets_by_id.update(package.datasets())

    register_datasets(datasets_by_id)
    local.register()


register()
