"""Label models on disk: a folder of plain files, as PyTerrier's artifacts are.

pt_meta.json says what it is and has the labels, terms.txt a term a line, and arrays.npz the arrays
of a `LabelModel`, row by row those of the terms: `weights` as int8 in units of `scale` (3, l), the
rest as float32.
"""

import numpy as np

from ..artifacts import read_artifact, write_artifact
from ..text.labelling import PLACES, LabelModel

TERMS = "terms"
LARGEST = 127  # of a weight, in units of its scale
TRAIN = "FacetLabeller.train(abstracts, folder) makes one"

#: shapes of a model's arrays, with t terms and l labels
SHAPES = {
    "idf": ("t",),
    "places": (PLACES, "l"),
    "bias": ("l",),
    "start": ("l",),
    "steps": ("l", "l"),
}


def packed(model) -> dict:
    """The arrays of `model` by name, as they are on disk."""
    scale = np.abs(model.weights).max(axis=1) / LARGEST
    units = model.weights / np.where(scale > 0, scale, 1)[:, None]
    names = ("idf", "places", "bias", "start", "steps")
    arrays = {name: np.asarray(getattr(model, name), np.float32) for name in names}
    return {"weights": np.rint(units).astype(np.int8), "scale": scale.astype(np.float32), **arrays}


def unpacked(labels, terms, stored) -> LabelModel:
    """The model of these labels, terms and arrays.

    Raises:
        ValueError, KeyError: they are not of each other.
    """
    arrays = {name: np.asarray(stored[name]) for name in ("weights", "scale", *SHAPES)}
    sizes = {"t": len(terms), "l": len(labels)}
    shapes = {name: tuple(sizes.get(n, n) for n in shape) for name, shape in SHAPES.items()}
    shapes |= {"weights": (3, len(terms), len(labels)), "scale": (3, len(labels))}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} is no array {shape} of numbers")
    weights = arrays["weights"] * arrays["scale"][:, None]
    number = {term: place for place, term in enumerate(terms)}
    if len(number) != len(terms):
        raise ValueError("a term occurs twice")
    return LabelModel(tuple(labels), number, weights=weights, **{n: arrays[n] for n in SHAPES})


def write(path, model, artifact):
    """Write `model` to the new folder `path`, whole or not at all; `artifact` is what reads it.

    Raises:
        FileExistsError: there is something at `path`.
    """
    write_artifact(path, artifact, {TERMS: model.number}, packed(model), labels=list(model.labels))


def read(path, artifact) -> LabelModel:
    """What `write` wrote.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: a file is missing, damaged, or not of the others.
    """

    def load(meta, texts, stored):
        return unpacked(meta["labels"], texts[TERMS], stored)

    return read_artifact(path, artifact, [TERMS], load, ("label models", TRAIN))
