"""Artifacts fitted when first needed, kept as a folder of plain files, and read from there.

In a folder pt_meta.json says what it is, a list of texts is a file with a line for each
(`<name>.txt`), and vectors.npz holds the arrays: no pickle, so that a folder from elsewhere can be
wrong but cannot run anything.
"""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import pyterrier as pt

from ir_datasets_ext.store import read_json

from . import datasets
from .artifacts import META, check_free, new_folder
from .settings import BySettings

ARRAYS = "vectors.npz"
KEPT = 16  # fits in memory, of those that were used last


@dataclass(eq=False, repr=False)
class FittedArtifact(BySettings, pt.Artifact):
    """What is fitted on a `source`; a subclass says how to `fit`, and what is kept.

    The first setting, `source`, is a dataset, a list of texts, or a folder that `save` wrote.
    Instances that are equal, but for settings in CHOSEN or for subsets of one collection, share one
    fit.
    """

    source: object

    ARTIFACT_FORMAT = "npz"
    WHAT = ""  #: for people, in the plural
    PARTS = None  #: the dataclass of what is kept: lists of texts, arrays; has `whole()`
    CHOSEN = ()  #: settings that the fit does not depend on, to be said anew of a folder

    def fit(self):
        """Return PARTS; `source` is a list of texts or a whole collection."""
        raise NotImplementedError

    @classmethod
    def train(cls, source, path, **settings):
        """Fit on `source` (a dataset or a list of texts), write to the new folder `path`.

        Returns:
            What reads from there.
        """
        return cls(source, **settings).save(path)

    def save(self, path):
        """Write to the new folder `path`, fitting first if need be; returns what reads from there.

        Raises:
            FileExistsError: there is something at `path`.
        """
        check_free(path)  # before hours of fitting
        own = [f.name for f in fields(self) if f.name not in ("source", *self.CHOSEN)]
        known = own if self._folder() is None else ()  # a folder's are not known here
        _write(
            path, self.parts(), type(self), {name: _plain(getattr(self, name)) for name in known}
        )
        _read.cache_clear()  # of an older folder there
        return type(self)(str(path), **{name: getattr(self, name) for name in self.CHOSEN})

    @property
    def path(self):
        """The folder, or `pt.Artifact.NO_PATH` for what is not saved."""
        folder = self._folder()
        return self.NO_PATH if folder is None else folder

    def parts(self):
        """What is kept of the source: read, or fitted, unless it was before."""
        folder = self._folder()
        if folder is not None:
            return _read(type(self), folder.resolve())
        own = isinstance(self.source, (list, tuple))
        source = self.source if own else self._collection()
        defaults = {f.name: f.default for f in fields(self) if f.name in self.CHOSEN}
        return _fitted(replace(self, source=source, **defaults))

    def _folder(self):
        """The folder that the source names, or None: a Path, or a string that has META in it."""
        if isinstance(self.source, Path):
            return self.source
        named = isinstance(self.source, str) and Path(self.source, META).is_file()
        return Path(self.source) if named else None

    def _collection(self):
        try:
            return datasets.collection(self.source)
        except ValueError as error:
            raise ValueError(
                f"{error} Nor is it a folder with {self.WHAT}: "
                f"{type(self).__name__}.train(dataset, folder) makes one."
            ) from None


@lru_cache(maxsize=KEPT)
def _fitted(artifact):
    return artifact.fit()


def _write(path, parts, artifact, settings):
    """Write `parts` to the new folder `path`: whole, or not at all."""
    texts, arrays = _files(artifact.PARTS)
    broken = [line for name in texts for line in getattr(parts, name) if "\n" in line]
    if broken:
        raise ValueError(f"{broken[0]!r} has a line break: {artifact.WHAT} with it are not kept.")
    with new_folder(path, artifact, settings=settings) as folder:
        for name in texts:
            lines = getattr(parts, name)
            (folder / f"{name}.txt").write_bytes("".join(f"{s}\n" for s in lines).encode())
        np.savez(folder / ARRAYS, **{name: getattr(parts, name) for name in arrays})


@lru_cache(maxsize=KEPT)
def _read(artifact, path):
    """What `_write` wrote; FileNotFoundError for a missing file, ValueError for a damaged one."""
    texts, arrays = _files(artifact.PARTS)
    names = (META, *(f"{name}.txt" for name in texts), ARRAYS)
    missing = [name for name in names if not Path(path, name).is_file()]
    again = f"{artifact.__name__}.train(dataset, folder) makes them"
    if missing:
        raise FileNotFoundError(
            f"There are no {artifact.WHAT} in {path} ({', '.join(missing)} missing): {again}."
        )
    try:
        meta = read_json(Path(path, META))
        found = {name: Path(path, f"{name}.txt").read_bytes().decode() for name in texts}
        found = {name: text.split("\n")[:-1] for name, text in found.items()}
        with np.load(Path(path, ARRAYS), allow_pickle=False) as stored:
            parts = artifact.PARTS(**found, **{name: stored[name] for name in arrays})
        whole = meta["type"] == artifact.ARTIFACT_TYPE and parts.whole()
    except (OSError, ValueError, KeyError, IndexError, EOFError, BadZipFile, TypeError) as error:
        whole, why = False, error
    else:
        why = "its files do not fit each other, or hold what are no numbers"
    if not whole:
        raise ValueError(
            f"The {artifact.WHAT} in {path} are damaged ({why}). Train them again ({again}), or "
            "fetch them anew."
        )
    return parts


def _files(parts):
    """The names of the texts and of the arrays among what is kept."""
    texts = [field.name for field in fields(parts) if field.type is list]
    return texts, [field.name for field in fields(parts) if field.name not in texts]


def _plain(setting):
    """A setting as JSON has it: numbers and texts as they are, others as they are written."""
    return setting if isinstance(setting, (int, float, str, type(None))) else repr(setting)
