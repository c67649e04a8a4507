"""Artifacts fitted when first needed, kept as a folder of plain files, and read from there."""

from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path

import pyterrier as pt

from ir_datasets_ext.store import check_free

from . import datasets
from .artifacts import META, read_artifact, write_artifact
from .settings import BySettings

KEPT = 16  # fits in memory, of those that were used last


@dataclass(eq=False, repr=False)
class Fitted(BySettings):
    """What is fitted on a `source`, a dataset or a list of texts; a subclass says how to `fit`.

    Instances that are equal, but for settings in CHOSEN or for subsets of one collection, share one
    fit, which depends on nothing else.
    """

    source: object

    CHOSEN = ()  #: settings that the fit does not depend on

    def fit(self):
        """Return what is kept; `source` is a list of texts or a whole collection."""
        raise NotImplementedError

    def texts(self):
        """The texts of the source, a list."""
        own = isinstance(self.source, (list, tuple))
        return self.source if own else list(datasets.texts(self.source).values())

    def parts(self):
        """What is kept of the source: fitted, unless it was before."""
        own = isinstance(self.source, (list, tuple))
        source = self.source if own else self._collection()
        defaults = {f.name: f.default for f in fields(self) if f.name in self.CHOSEN}
        return _fitted(replace(self, source=source, **defaults))

    def _collection(self):
        return datasets.collection(self.source)


@dataclass(eq=False, repr=False)
class FittedArtifact(Fitted, pt.Artifact):
    """What is fitted and may be kept in a folder; a subclass says what is kept.

    The first setting, `source`, may also be a folder that `save` wrote. Settings in CHOSEN are said
    anew of a folder.
    """

    ARTIFACT_FORMAT = "npz"
    WHAT = ""  #: for people, in the plural
    PARTS = None  #: the dataclass of what is kept: lists of texts, arrays; has `whole()`

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
        settings, parts = {name: _plain(getattr(self, name)) for name in known}, self.parts()
        files = [{name: getattr(parts, name) for name in names} for names in _files(self.PARTS)]
        write_artifact(path, type(self), *files, settings=settings)
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
        return super().parts() if folder is None else _read(type(self), folder.resolve())

    def _folder(self):
        """The folder that the source names, or None: a Path, or a string that has META in it."""
        if isinstance(self.source, Path):
            return self.source
        named = isinstance(self.source, str) and Path(self.source, META).is_file()
        return Path(self.source) if named else None

    def _collection(self):
        try:
            return super()._collection()
        except ValueError as error:
            raise ValueError(
                f"{error} Nor is it a folder with {self.WHAT}: "
                f"{type(self).__name__}.train(dataset, folder) makes one."
            ) from None


@lru_cache(maxsize=KEPT)
def _fitted(artifact):
    return artifact.fit()


@lru_cache(maxsize=KEPT)
def _read(artifact, path):
    """What `save` wrote; FileNotFoundError if it is missing, ValueError if it is damaged."""
    texts, arrays = _files(artifact.PARTS)

    def load(meta, lines, stored):
        parts = artifact.PARTS(**lines, **{name: stored[name] for name in arrays})
        if not parts.whole():
            raise ValueError("its files are inconsistent, or hold values that are not numbers")
        return parts

    again = f"{artifact.__name__}.train(dataset, folder) makes them"
    return read_artifact(path, artifact, texts, load, (artifact.WHAT, again))


def _files(parts):
    """The names of the texts and of the arrays among what is kept."""
    texts = [field.name for field in fields(parts) if field.type is list]
    return texts, [field.name for field in fields(parts) if field.name not in texts]


def _plain(setting):
    """A setting as JSON has it: numbers and texts as they are, others as they are written."""
    return setting if isinstance(setting, (int, float, str, type(None))) else repr(setting)
