"""Word vectors on disk: a folder of plain files, as PyTerrier's artifacts are.

pt_meta.json says what it is, words.txt has a word a line, the most frequent first, and vectors.npz
holds `vectors` (w, d) float32 and `idf` (w,), row by row those of the words.
"""

from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np

from ..artifacts import META, new_folder

WORDS, VECTORS = "words.txt", "vectors.npz"


class Words(NamedTuple):
    """From each of w words to its number; vectors (w, d) and inverse document frequencies (w,)."""

    number: dict
    vectors: np.ndarray
    idf: np.ndarray


def write(path, words, artifact, settings):
    """Write `words` to the new folder `path`: whole, or not at all.

    Args:
        artifact: the class that reads it, with ARTIFACT_TYPE and ARTIFACT_FORMAT.
        settings: of the training, a dict for people to read.

    Raises:
        FileExistsError: there is something at `path`.
    """
    with new_folder(path, artifact, settings=settings) as folder:
        (folder / WORDS).write_text("".join(f"{word}\n" for word in words.number), "utf-8")
        np.savez(folder / VECTORS, vectors=words.vectors, idf=words.idf)


def read(path) -> Words:
    """What `write` wrote.

    Raises:
        FileNotFoundError: there is no such folder, or a file is missing in it.
        ValueError: the files are damaged, or not of each other.
    """
    missing = [name for name in (META, WORDS, VECTORS) if not Path(path, name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"There are no word vectors in {path} ({', '.join(missing)} missing): "
            "WordVectors.train(dataset, folder) makes them."
        )
    names = Path(path, WORDS).read_bytes().decode("utf-8", "replace").split("\n")[:-1]
    try:
        with np.load(Path(path, VECTORS), allow_pickle=False) as stored:
            words = Words(
                {word: n for n, word in enumerate(names)}, stored["vectors"], stored["idf"]
            )
        fits = words.vectors.ndim == 2 and len(words.vectors) == len(words.idf) == len(words.number)
        whole = fits and np.isfinite(words.vectors).all() and np.isfinite(words.idf).all()
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, TypeError):
        whole = False
    if not whole:
        raise ValueError(
            f"The word vectors in {path} are damaged: {WORDS} has {len(names)} words, and "
            f"{VECTORS} not one vector of numbers for each. Train them again, or fetch them anew."
        )
    return words
