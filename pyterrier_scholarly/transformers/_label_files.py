"""Label models on disk: a folder of plain files, as PyTerrier's artifacts are.

pt_meta.json holds the kind of artifact and the labels, terms.txt a term a line, and arrays.npz the
arrays of a `LabelModel` in the order of the terms: `weights` as int8 in units of `scale` (3, l),
the others as float32.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyterrier as pt

from ..artifacts import StoredArrays, are_numbers, read_artifact, write_artifact
from ..text.facet_labels import PLACES, LabelModel

TERMS = "terms"
LARGEST = 127  # the largest weight, in units of its scale

#: shapes of a model's arrays, with t terms and l labels
SHAPES: dict[str, tuple[int | str, ...]] = {
    "idf": ("t",),
    "places": (PLACES, "l"),
    "bias": ("l",),
    "start": ("l",),
    "steps": ("l", "l"),
}


def packed(model: LabelModel) -> dict[str, np.ndarray]:
    """Return the arrays of `model` by name, as they are stored."""
    scale = np.abs(model.weights).max(axis=1) / LARGEST
    units = model.weights / np.where(scale > 0, scale, 1)[:, None]
    arrays = {name: np.asarray(getattr(model, name), np.float32) for name in SHAPES}
    return {"weights": np.rint(units).astype(np.int8), "scale": scale.astype(np.float32), **arrays}


def unpacked(labels: Sequence[str], terms: Sequence[str], stored: StoredArrays) -> LabelModel:
    """Make a model of stored labels, terms and arrays; ValueError, KeyError if they do not fit."""
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"its labels are {labels!r:.80}, not a list of texts")
    if len(set(labels)) != len(labels):
        raise ValueError("a label occurs twice")

    arrays = {name: stored[name] for name in ("weights", "scale", *SHAPES)}
    sizes = {"t": len(terms), "l": len(labels)}
    shapes = {
        name: tuple(sizes[n] if isinstance(n, str) else n for n in shape)
        for name, shape in SHAPES.items()
    }
    shapes |= {"weights": (3, len(terms), len(labels)), "scale": (3, len(labels))}
    for name, shape in shapes.items():
        kind = "i" if name == "weights" else "f"
        if arrays[name].shape != shape or not are_numbers(kind, arrays[name]):
            raise ValueError(f"{name} is no array {shape} of numbers")
    weights = arrays["weights"] * arrays["scale"][:, None]
    number = {term: index for index, term in enumerate(terms)}
    if len(number) != len(terms):
        raise ValueError("a term occurs twice")
    return LabelModel(tuple(labels), number, weights=weights, **{n: arrays[n] for n in SHAPES})


def write(path: str | Path, model: LabelModel, artifact: type[pt.Artifact]) -> None:
    """Write `model` to the new folder `path`, all or nothing; FileExistsError if it exists."""
    write_artifact(path, artifact, {TERMS: model.number}, packed(model), labels=list(model.labels))


@lru_cache(maxsize=4)
def read(path: str | Path, artifact: type[pt.Artifact]) -> LabelModel:
    """Read what `write` wrote; for errors see `artifacts.read_artifact`."""
    return read_artifact(
        path,
        artifact,
        [TERMS],
        lambda meta, texts, stored: unpacked(meta["labels"], texts[TERMS], stored),
        ("label models", "FacetLabeller.train(abstracts, folder) makes one"),
    )
