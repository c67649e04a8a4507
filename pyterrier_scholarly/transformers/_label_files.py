"""Label models on disk: a folder of plain files, as PyTerrier's artifacts are.

pt_meta.json holds the kind of artifact and the labels, terms.txt a term a line, and arrays.npz the
arrays of a `LabelModel` in the order of the terms: `weights` as int8 in units of `scale` (3, l),
the others as float32.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..artifact_files import ArtifactClass, are_numbers, open_artifact, write_artifact
from ..text.facet_labels import LabelModel
from ..text.label_features import PLACES

TERMS = "terms"
LARGEST_WEIGHT = 127  # in units of its scale: the largest int8
#: arrays that are stored as the model has them; its weights are stored as two arrays
PLAIN_ARRAYS = ("idf", "places", "bias", "start", "steps")


def write(path: str | Path, model: LabelModel, artifact: ArtifactClass) -> None:
    """Write `model` to the new folder `path`, all or nothing; FileExistsError if it exists."""
    write_artifact(
        path, artifact, {TERMS: model.number}, pack_arrays(model), labels=list(model.labels)
    )


def read(path: str | Path, artifact: ArtifactClass) -> LabelModel:
    """Read what `write` wrote; for errors see `artifact_files.open_artifact`."""
    remedy = "FacetLabeller.train(abstracts, folder) makes one"
    with open_artifact(path, artifact, [TERMS], "label models", remedy) as files:
        return unpack_model(files.meta["labels"], files.texts[TERMS], files.arrays)


def pack_arrays(model: LabelModel) -> dict[str, np.ndarray]:
    """Return the arrays of `model` by name, as they are stored."""
    scale = np.abs(model.weights).max(axis=1) / LARGEST_WEIGHT  # (3, l)
    divisors = np.where(scale > 0, scale, 1)  # where all weights are 0, so is the scale
    weights_in_units = np.rint(model.weights / divisors[:, None])

    plain_arrays = {name: np.asarray(getattr(model, name), np.float32) for name in PLAIN_ARRAYS}
    return {
        "weights": weights_in_units.astype(np.int8),
        "scale": scale.astype(np.float32),
        **plain_arrays,
    }


def unpack_model(
    labels: Sequence[str], terms: Sequence[str], stored: Mapping[str, np.ndarray]
) -> LabelModel:
    """Return the model of stored labels, terms and arrays; ValueError, KeyError if they misfit."""
    _check_names(labels, terms)
    arrays = {}
    for name, shape in _list_shapes(len(terms), len(labels)).items():
        array = stored[name]
        kind = "i" if name == "weights" else "f"  # numpy's letters: whole, or floating
        if array.shape != shape or not are_numbers(kind, array):
            raise ValueError(f"{name} is no array {shape} of numbers")
        arrays[name] = array

    number_of_term = {term: number for number, term in enumerate(terms)}
    # weights are stored as whole multiples of their label's scale, which makes the file smaller
    weights = arrays["weights"] * arrays["scale"][:, None]
    plain_arrays = {name: arrays[name] for name in PLAIN_ARRAYS}
    return LabelModel(tuple(labels), number_of_term, weights=weights, **plain_arrays)


def _check_names(labels: Sequence[str], terms: Sequence[str]) -> None:
    """Raise ValueError unless labels are texts, and each label and term occurs once."""
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"its labels are {labels!r:.80}, not a list of texts")
    if len(set(labels)) != len(labels):
        raise ValueError("a label occurs twice")
    if len(set(terms)) != len(terms):
        raise ValueError("a term occurs twice")


def _list_shapes(term_count: int, label_count: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of each stored array of a model, by the array's name."""
    return {
        "weights": (3, term_count, label_count),
        "scale": (3, label_count),
        "idf": (term_count,),
        "places": (PLACES, label_count),
        "bias": (label_count,),
        "start": (label_count,),
        "steps": (label_count, label_count),
    }
