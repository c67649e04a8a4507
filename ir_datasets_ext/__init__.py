"""Scientific-literature collections for ir_datasets; importing this package registers them.

::

    import ir_datasets_ext
    ir_datasets.load("csfcube/method").queries_iter()

`csfcube` (CSFCube, Mysore et al. 2021; `csfcube/s2orc`: over 800,000 abstracts), `doris-mae`
(DORIS-MAE, Wang et al. 2023), `litsearch` (LitSearch, Ajith et al. 2024) and `scholarly-mini` (a
small collection of CSFCube's shape, shipped here); and any folder on this machine that has a
``collection.json``, as `made/<name>` or `download-log/<name>`. The import reads no data, and
touches neither network nor home. Files are fetched, verified and indexed when something is read.
"""

import warnings

import ir_datasets

from . import csfcube, doris_mae, litsearch, local, s2orc
from .handlers import Dataset

__all__ = ["datasets", "register"]

BENCHMARKS = (csfcube, s2orc, litsearch, doris_mae)


def datasets() -> dict[str, Dataset]:
    """Return all released datasets, by id."""
    return {
        dataset.dataset_id(): dataset
        for benchmark in BENCHMARKS
        for dataset in benchmark.datasets()
    }


def register() -> None:
    """Add our datasets to ``ir_datasets.registry``.

    A second call changes nothing. If another package has taken an id, it keeps it, and a
    RuntimeWarning names all such ids.
    """
    registry = ir_datasets.registry
    registered_ids = set(registry)
    taken_ids = []
    for dataset_id, dataset in datasets().items():
        if dataset_id not in registered_ids:
            registry.register(dataset_id, dataset)
        elif not isinstance(registry[dataset_id], Dataset):
            taken_ids.append(dataset_id)
    local.register()

    if taken_ids:
        warnings.warn(
            "ir_datasets already has datasets with these ids, and keeps them: "
            f"{', '.join(sorted(taken_ids))}. Those of pyterrier-scholarly are not registered.",
            RuntimeWarning,
            stacklevel=3,
        )


register()
