"""The measures that a collection reports."""

import ir_datasets

from ..datasets import irds
from ._measures import measure_of


def official_measures(dataset):
    """Return the measures that a dataset's paper reports, in the order of its tables.

    They are what the dataset's own documentation names, so they stand in ``ir_datasets``' pages
    too: R-precision (`PLastRel`) to NDCG%20 for CSFCube, recall for LitSearch, the seven columns of
    DORIS-MAE's tables for `doris-mae`.

    Args:
        dataset: an id (``"csfcube/method"``, with or without ``irds:``) or a dataset object. A
            collection whose queries are all in subsets (`csfcube`) has those of its subsets.

    Returns:
        List of measures, as `pt.Experiment` takes it.

    Raises:
        ValueError: the dataset is unknown, or its documentation names no measures.
    """
    name = irds(dataset).dataset_id()
    below = (found for found in ir_datasets.registry if found.startswith(f"{name}/"))
    for dataset_id in (name, *below):
        texts = irds(dataset_id).documentation() or {}
        if "official_measures" in texts:
            return [measure_of(text) for text in texts["official_measures"]]
    raise ValueError(f"{name} has no official measures in its documentation: name your own")
