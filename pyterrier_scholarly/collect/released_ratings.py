"""The ratings of single annotators, of any collection that keeps them, as one frame.

ratings = single_ratings("csfcube/all")
agreement(ratings, reference="reference")
"""

import ir_datasets
import pandas as pd

from .. import datasets
from ..datasets import DatasetLike
from ..settings import dataset_id
from .ratings import RATING_COLUMNS, REFERENCE

CSFCUBE_ANNOTATORS = ["ann1", "ann2", "ann3", "ann4"]  # columns of its ratings


def single_ratings(dataset: DatasetLike) -> pd.DataFrame:
    """Load the ratings of single annotators, and the grades that were made of them.

    Args:
        dataset: an id (``"csfcube/all"``, ``"doris-mae/human"``, ``"made/<name>"``) or a dataset
            object.

    Returns:
        Frame of `qid`, `docno`, `annotator`, `rating` (float; NaN for a missing rating), in the
        collection's order. The annotator ``"reference"`` has the final grade: CSFCube's
        `relevance`, else the qrels (of DORIS-MAE, the majority's).

    Raises:
        ValueError: the dataset has no single ratings.
    """
    source = datasets.irds(dataset)
    if not hasattr(source, "ratings_iter"):
        ratings = _read_annotator_datasets(source, dataset)
    else:
        ratings = _read_ratings(source)
    return ratings.reset_index(drop=True).astype({"rating": float})


def _read_ratings(source: ir_datasets.Dataset) -> pd.DataFrame:
    """Read the ratings of a dataset that has records of them."""
    field_names = list(source.ratings_cls()._fields)
    ratings = pd.DataFrame(source.ratings_iter(), columns=field_names)
    if "annotator" not in ratings:
        return _lengthen(ratings)

    ratings = ratings.set_axis(RATING_COLUMNS, axis=1)
    if not source.has_qrels():
        return ratings
    return pd.concat([ratings, _read_qrels(source, REFERENCE)])


def _lengthen(wide: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each rating of CSFCube's frame, which has a column for each annotator."""
    named = wide.rename(columns={"relevance": REFERENCE})
    long = named.melt(
        id_vars=["query_id", "doc_id"],
        value_vars=[REFERENCE, *CSFCUBE_ANNOTATORS],
        var_name="annotator",
        value_name="rating",
        ignore_index=False,
    )

    # NaN in the collection: the annotator rated nothing for this query, which makes no row
    ratings = long.dropna(subset="rating")
    # `melt` kept each pair's row number, so this is the collection's order
    ratings = ratings.sort_index(kind="stable")
    # -1 in the collection: this one rating is missing, which is NaN here
    is_present = ratings["rating"] >= 0
    ratings["rating"] = ratings["rating"].where(is_present)
    return ratings.set_axis(RATING_COLUMNS, axis=1)


def _read_annotator_datasets(source: ir_datasets.Dataset, dataset: DatasetLike) -> pd.DataFrame:
    """Read DORIS-MAE's test set, whose annotators are datasets below it (`…/annotator-1`)."""
    prefix = f"{dataset_id(source)}/annotator-"
    annotator_ids = [name for name in ir_datasets.registry if name.startswith(prefix)]
    if not annotator_ids:
        raise ValueError(
            f"{dataset} keeps no ratings of single annotators: pass csfcube/all or a facet of it, "
            "doris-mae/human, or a collection written with `write_collection(annotators=…)`."
        )

    ratings = []
    for annotator_id in annotator_ids:
        annotator = annotator_id.rpartition("/")[2]
        ratings.append(_read_qrels(datasets.irds(annotator_id), annotator))
    ratings.append(_read_qrels(source, REFERENCE))
    return pd.concat(ratings)


def _read_qrels(source: ir_datasets.Dataset, annotator: str) -> pd.DataFrame:
    """Read judgements as the ratings of one annotator."""
    rows = [(row.query_id, row.doc_id, annotator, row.relevance) for row in source.qrels_iter()]
    return pd.DataFrame(rows, columns=RATING_COLUMNS)
