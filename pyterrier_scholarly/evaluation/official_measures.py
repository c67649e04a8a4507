"""The measures that a collection's paper reports.

::

    official_measures("csfcube/method")  # [PLastRel(rel=2), …]
    default_measures("made/mine")        # nDCG@10, AP and R@100, for a collection without a paper
"""

import ir_datasets
import ir_measures

from ..datasets import DatasetLike, irds
from .measure_names import measure_of

#: for datasets without official measures
GENERAL_MEASURES = ("nDCG@10", "AP", "R@100")


def official_measures(dataset: DatasetLike) -> list[ir_measures.Measure]:
    """List the measures that a dataset's paper reports, in the order of its tables.

    They are part of the dataset's documentation, so ``ir_datasets``' pages have them, too:
    R-precision (`PLastRel`) to NDCG%20 for CSFCube, recall for LitSearch, the seven columns of
    DORIS-MAE's tables for `doris-mae`.

    Args:
        dataset: an id (``"csfcube/method"``, with or without ``irds:``) or a dataset object. A
            collection without own queries (`csfcube`) has the measures of its subsets.

    Raises:
        ValueError: an unknown dataset, or one without measures in its documentation, such as a
            collection of your own; names the measures that `reproduce` takes then.
    """
    name = irds(dataset).dataset_id()
    ids_below = [other for other in ir_datasets.registry if other.startswith(f"{name}/")]
    for dataset_id in [name, *ids_below]:
        measure_names = _read_documented_measures(irds(dataset_id))
        if measure_names is not None:
            return [measure_of(measure_name) for measure_name in measure_names]
    raise ValueError(
        f"{name} has no official measures in its documentation: pass your own. Without any, "
        f"`reproduce` takes {', '.join(GENERAL_MEASURES)}, or those of a protocol of yours: "
        f"protocols.register(Protocol({name!r}, …, measures=…))."
    )


def default_measures(dataset: DatasetLike) -> list[ir_measures.Measure]:
    """List a dataset's `official_measures`; nDCG@10, AP and R@100 if it has none."""
    try:
        return official_measures(dataset)
    except ValueError:
        return [measure_of(text) for text in GENERAL_MEASURES]


def _read_documented_measures(dataset: ir_datasets.Dataset) -> list[str] | None:
    """Return the measures that a dataset's documentation names; None if it names none."""
    if not hasattr(dataset, "documentation"):  # some datasets of other packages
        return None
    texts = dataset.documentation() or {}
    return texts.get("official_measures")
