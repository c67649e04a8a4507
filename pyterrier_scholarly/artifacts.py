"""Things that are fitted on a dataset when first needed, and may be saved as PyTerrier's artifacts.

A subclass says how to fit, and which dataclass holds what is fitted::

    @dataclass(eq=False, repr=False)
    class WordVectors(FittedArtifact[Words]):
        dimensions: int = 200

        ARTIFACT_TYPE = "word_vectors"
        WHAT = "word vectors"
        PARTS = Words  # a dataclass of lists of texts and of arrays

        def fit(self) -> Words: ...

    WordVectors("csfcube").parts()  # fits, at the first call only
    WordVectors.train("csfcube", "folder")  # fits and writes
    WordVectors("folder").parts()  # reads

For the files see `artifact_files`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar, get_origin

import pyterrier as pt

from . import datasets
from .artifact_files import META_FILE, open_artifact, write_artifact
from .datasets import DatasetLike
from .folders import check_free, identify_file
from .settings import BySettings

#: what is fitted on: a dataset, a list of texts, or (of a `FittedArtifact`) a folder with the parts
Source: TypeAlias = DatasetLike | Sequence[str] | Path

Parts = TypeVar("Parts")
OwnArtifact = TypeVar("OwnArtifact", bound="FittedArtifact[Any]")


@dataclass(eq=False, repr=False)
class Fitted(BySettings, Generic[Parts]):
    """Something that a subclass fits on a `source`, a dataset or a list of texts.

    Equal instances share one fit. So do instances whose sources are subsets of one collection, or
    that differ only in the settings that UNFITTED_SETTINGS names: the fit depends on neither. It is
    made again when the documents change.
    """

    source: Source

    #: names of settings that the fit does not depend on; a subclass sets it
    UNFITTED_SETTINGS: ClassVar[tuple[str, ...]] = ()
    #: names of settings that are fitted on: a dataset, a list of texts, or None
    SOURCES: ClassVar[tuple[str, ...]] = ("source",)

    def fit(self) -> Parts:
        """Return the fitted parts; a subclass fills this in, and `parts` calls it once."""
        raise NotImplementedError

    def texts(self) -> Sequence[str]:
        """Return the texts of the source."""
        if isinstance(self.source, (list, tuple)):
            return self.source
        return list(datasets.texts(self.source).values())

    def parts(self) -> Parts:
        """Return the fitted parts; fit at the first call, and when the documents have changed."""
        settings = self.__fingerprint__()
        values = [settings[name] for name in settings if name not in self.UNFITTED_SETTINGS]
        # typed because mypy takes a class that defines a hash of its instances for unhashable
        own_class: type = type(self)
        return datasets.fit_once(self.fit, own_class, *values)

    def __fingerprint__(self) -> dict[str, Any]:
        """Return the settings by name, with the documents in place of a dataset's name."""
        settings = super().__fingerprint__()
        for name in self.SOURCES:
            if settings[name] is not None:
                settings[name] = datasets.identify_documents(settings[name], name)
        return settings


@dataclass(eq=False, repr=False)
class FittedArtifact(Fitted[Parts], pt.Artifact):
    """Something fitted that may be saved to a folder; a subclass says what its files hold.

    The first setting, `source`, may also be a folder that `save` wrote. UNFITTED_SETTINGS are not
    read from a folder: pass them again.
    """

    #: kind of artifact, for PyTerrier; a subclass sets it
    ARTIFACT_TYPE: ClassVar[str]
    ARTIFACT_FORMAT: ClassVar[str] = "npz"

    #: name for messages, in the plural
    WHAT: ClassVar[str] = ""

    #: class of what `fit` returns: a dataclass, each field a list of texts or an array
    PARTS: ClassVar[type[Any]]

    @classmethod
    def train(
        cls: type[OwnArtifact],
        source: Source,
        path: str | Path,
        **settings: object,
    ) -> OwnArtifact:
        """Fit on `source` (a dataset or a list of texts), and write to the new folder `path`.

        Returns:
            An instance that reads from there.
        """
        return cls(source, **settings).save(path)

    def save(self: OwnArtifact, path: str | Path) -> OwnArtifact:
        """Write to the new folder `path`, after fitting if necessary.

        Returns:
            An instance that reads from there.

        Raises:
            FileExistsError: `path` exists.
        """
        check_free(path)  # before hours of fitting
        parts = self.parts()
        names = _sort_names(self.PARTS)
        texts = {name: getattr(parts, name) for name in names.of_texts}
        arrays = {name: getattr(parts, name) for name in names.of_arrays}
        write_artifact(path, type(self), texts, arrays, settings=self._settings_of_fit())

        unfitted_settings = {name: getattr(self, name) for name in self.UNFITTED_SETTINGS}
        return type(self)(str(path), **unfitted_settings)

    @property
    def path(self) -> object:  # type: ignore[override]  # there it is an attribute
        """The folder, or `pt.Artifact.NO_PATH` if it is not saved."""
        return self._folder() or self.NO_PATH

    def parts(self) -> Parts:
        """Return the parts: fitted, or read if the source is a folder; both are kept in memory."""
        folder = self._folder()
        if folder is None:
            return super().parts()

        path = folder.resolve()
        meta_file = identify_file(path / META_FILE)
        return datasets.fit_once(partial(self._read_parts, path), self.ARTIFACT_TYPE, meta_file)

    def _read_parts(self, path: Path) -> Parts:
        """Return the saved parts; FileNotFoundError if they are missing, ValueError if damaged."""
        names = _sort_names(self.PARTS)
        remedy = f"{type(self).__name__}.train(dataset, folder) makes them"
        with open_artifact(path, type(self), names.of_texts, self.WHAT, remedy) as files:
            arrays = {name: files.arrays[name] for name in names.of_arrays}
            parts: Parts = self.PARTS(**files.texts, **arrays)  # a dataclass, by its fields' names
            return parts

    def _folder(self) -> Path | None:
        """Return the source as a folder; None if it is a dataset or a list of texts.

        A string is a folder only if an artifact is in it, because it may be a dataset's id.
        """
        if isinstance(self.source, Path):
            return self.source
        if isinstance(self.source, str) and Path(self.source, META_FILE).is_file():
            return Path(self.source)
        return None

    def __fingerprint__(self) -> dict[str, Any]:
        """Return the settings by name; of a source that is a folder, its path.

        Raises:
            ValueError: the source is nothing to fit on. It adds that a folder would be a source.
        """
        if self._folder() is not None:
            return BySettings.__fingerprint__(self)  # as they are
        try:
            return super().__fingerprint__()
        except ValueError as error:
            raise ValueError(
                f"{error} Nor is it a folder with {self.WHAT}: "
                f"{type(self).__name__}.train(dataset, folder) makes one."
            ) from None

    def _settings_of_fit(self) -> dict[str, int | float | str | None]:
        """Return the settings that the fit depends on, by name, with values that JSON has.

        Returns {} for parts that were read from a folder.
        """
        if self._folder() is not None:  # fitted before, with settings that are not known here
            return {}

        settings = {}
        for field in fields(self):
            if field.name != "source" and field.name not in self.UNFITTED_SETTINGS:
                settings[field.name] = _to_json(getattr(self, field.name))
        return settings


class PartNames(NamedTuple):
    """The names of parts that are lists of texts, and of those that are arrays."""

    of_texts: list[str]
    of_arrays: list[str]


def _sort_names(parts: type[Any]) -> PartNames:
    """Return the names of the parts, by what they hold."""
    text_names = []
    array_names = []
    for field in fields(parts):
        is_list = field.type is list or get_origin(field.type) is list
        if is_list:
            text_names.append(field.name)
        else:
            array_names.append(field.name)
    return PartNames(text_names, array_names)


def _to_json(setting: object) -> int | float | str | None:
    """Return a setting as JSON has it: numbers and texts unchanged, others as their repr."""
    if setting is None or isinstance(setting, (int, float, str)):
        return setting
    return repr(setting)
