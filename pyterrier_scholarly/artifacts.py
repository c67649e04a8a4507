"""PyTerrier's artifacts as folders of plain files: written completely or not at all, no pickle.

pt_meta.json describes the artifact, each list of texts is a file with one text a line
(`<name>.txt`), and arrays.npz holds the arrays. A downloaded folder can be wrong, but cannot run
code. What is fitted on a dataset is fitted when it is first needed, and may be such a folder.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import prod
from pathlib import Path
from tokenize import TokenError
from typing import Any, ClassVar, TypeAlias, TypeVar, get_origin
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
import pyterrier as pt

from ir_datasets_ext.store import check_free, new_file, new_folder, read_folder, read_json
from ir_datasets_ext.typed_records import Json

from . import datasets
from .arguments import FilePath, check_arguments
from .settings import BySettings

META, ARRAYS = "pt_meta.json", "arrays.npz"
NUMBERS = "fiu"  # kinds of arrays
#: version of NumPy's format -> function that reads an array's header
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
#: what a wrong file raises; the last two come from NumPy's reader of headers
WRONG: tuple[type[Exception], ...] = (
    *(OSError, ValueError, LookupError, EOFError, BadZipFile, TypeError, AttributeError),
    *(TokenError, SyntaxError),
)
KEPT = 16  # fits in memory, those that were used last

Loaded = TypeVar("Loaded")
Own = TypeVar("Own", bound="FittedArtifact")

Fit: TypeAlias = Any  #: what `fit` returns; its class is the choice of each subclass


def write_artifact(
    path: FilePath,
    artifact: Any,
    texts: Mapping[str, Iterable[str]],
    arrays: Mapping[str, Any],
    **more: object,
) -> None:
    """Write an artifact to the new folder `path`.

    Args:
        artifact: the class that reads it, with ARTIFACT_TYPE and ARTIFACT_FORMAT.
        texts: lists of texts by name.
        arrays: by name.
        more: further values for pt_meta.json, as JSON.

    Raises:
        FileExistsError: `path` exists.
        ValueError: a text has a line break.
    """
    if broken := [line for lines in texts.values() for line in lines if "\n" in line]:
        raise ValueError(f"{broken[0]!r} has a line break, so it cannot be written to {path}.")
    meta = {
        "type": artifact.ARTIFACT_TYPE,
        "format": artifact.ARTIFACT_FORMAT,
        "package_hint": "pyterrier-scholarly",
        **more,
    }
    with new_folder(path, {}) as folder:
        with new_file(folder / META) as file:
            file.write(json.dumps(meta, indent=2) + "\n")
        for name, lines in texts.items():
            with new_file(folder / f"{name}.txt") as file:
                file.writelines(f"{line}\n" for line in lines)
        with new_file(folder / ARRAYS, "wb") as file:
            np.savez(file, **arrays)


def read_artifact(
    path: FilePath,
    artifact: Any,
    texts: Iterable[str],
    load: Callable[[dict[str, Json], dict[str, list[str]], "StoredArrays"], Loaded],
    what: tuple[str, str],
) -> Loaded:
    """Return the result of `load` for pt_meta.json, the lists of texts, and the arrays, by name.

    Args:
        path: a folder that `write_artifact` wrote.
        artifact: the class that reads it.
        texts: names of lists.
        load: a function; it may raise any error for inconsistent files.
        what: two texts for messages: what the files are (plural), and how to make them.

    Raises:
        FileNotFoundError: the folder or its manifest is missing.
        ValueError: a file is missing or damaged, or the files are inconsistent.
    """
    kind, again = what
    text_files = {name: Path(path, f"{name}.txt") for name in texts}
    try:
        read_folder(path, needed=[META, ARRAYS, *(file.name for file in text_files.values())])
        meta = read_json(Path(path, META))
        if meta["type"] != artifact.ARTIFACT_TYPE:
            raise ValueError(f"it is of type {meta['type']!r}, not {artifact.ARTIFACT_TYPE!r}")
        contents = {name: file.read_bytes().decode() for name, file in text_files.items()}
        lines = {name: content.split("\n")[:-1] for name, content in contents.items()}
        with ZipFile(Path(path, ARRAYS)) as archive:
            return load(meta, lines, StoredArrays(archive))
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"No {kind} in {path} ({Path(error.filename).name} missing): {again}."
        ) from None
    except WRONG as error:
        raise ValueError(
            f"The {kind} in {path} cannot be used ({error}). Make them again ({again}), or "
            "download them again."
        ) from error


class StoredArrays:
    """The arrays in a file that `np.savez` wrote, by name; each is read when it is asked for.

    The file may be made up: a header that promises more than the file holds is an error, before
    memory is taken for it.
    """

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array of numbers; KeyError if it is missing, ValueError if it is none."""
        member = self._archive.getinfo(f"{name}.npy")
        if member.compress_type != ZIP_STORED or member.file_size != member.compress_size:
            raise ValueError(f"array {name} is compressed: expected what np.savez writes")

        with self._archive.open(member) as file:
            version = np.lib.format.read_magic(file)
            read_header = HEADERS.get(version)
            if read_header is None:
                raise ValueError(f"array {name} is of version {version} of NumPy's format")
            shape, _, dtype = read_header(file)
            size = prod(shape) * dtype.itemsize
            stated = f"{dtype} {shape}, {size} bytes"
            if dtype.kind not in NUMBERS:
                raise ValueError(f"array {name} is of {stated}: expected numbers")
            if size != member.file_size - file.tell():
                raise ValueError(f"array {name} is of {stated}, which its file does not have")

        with self._archive.open(member) as file:
            return np.lib.format.read_array(file, allow_pickle=False)


def are_numbers(kind: str, *arrays: np.ndarray) -> bool:
    """Return whether all arrays hold finite numbers of a kind: "f" (floating) or "i" (whole)."""
    return all(array.dtype.kind == kind and np.isfinite(array).all() for array in arrays)


@dataclass(eq=False, repr=False)
class Fitted(BySettings):
    """Something fitted on a `source`, a dataset or a list of texts; a subclass has `fit`.

    Equal instances share one fit. So do instances that differ in settings in CHOSEN only, or in
    subsets of one collection: the fit depends on neither.
    """

    source: Any

    CHOSEN: ClassVar[tuple[str, ...]] = ()  #: settings that the fit does not depend on

    def fit(self) -> Fit:
        """Return the fitted parts; `source` is a list of texts or a whole collection."""
        raise NotImplementedError

    def texts(self) -> Sequence[str]:
        """Return the texts of the source."""
        if not isinstance(self.source, (list, tuple)):
            return list(datasets.texts(self.source).values())
        return datasets.check_texts(self.source, "source")

    def parts(self) -> Fit:
        """Return the fitted parts; fit at the first call only."""
        defaults = {f.name: f.default for f in fields(self) if f.name in self.CHOSEN}
        return _fitted(replace(self, source=self._fitted_on(), **defaults))

    def _fitted_on(self) -> object:
        """Return the list of texts, or the whole collection."""
        listed = isinstance(self.source, (list, tuple))
        return self.source if listed else datasets.collection(self.source)


@dataclass(eq=False, repr=False)
class FittedArtifact(Fitted, pt.Artifact):
    """Something fitted that may be saved to a folder; a subclass says what its files hold.

    The first setting, `source`, may also be a folder that `save` wrote. Settings in CHOSEN are not
    read from a folder: pass them again.
    """

    ARTIFACT_FORMAT = "npz"
    WHAT: ClassVar[str] = ""  #: name for messages, in the plural
    PARTS: ClassVar[Any] = None  #: dataclass of the parts: lists of texts, arrays; has `whole()`

    @classmethod
    @check_arguments
    def train(cls: type[Own], source: object, path: FilePath, **settings: object) -> Own:
        """Fit on `source` (a dataset or a list of texts), and write to the new folder `path`.

        Returns:
            An instance that reads from there.
        """
        return cls(source, **settings).save(path)

    @check_arguments
    def save(self: Own, path: FilePath) -> Own:
        """Write to the new folder `path`, after fitting if necessary.

        Returns:
            An instance that reads from there.

        Raises:
            FileExistsError: `path` exists.
        """
        check_free(path)  # before hours of fitting
        names = [f.name for f in fields(self) if f.name not in ("source", *self.CHOSEN)]
        known = names if self._folder() is None else ()  # unknown for a folder's parts
        settings, parts = {name: _plain(getattr(self, name)) for name in known}, self.parts()
        files = [{name: getattr(parts, name) for name in names} for names in _files(self.PARTS)]
        write_artifact(path, type(self), *files, settings=settings)
        _read.cache_clear()  # it may hold an older folder of this path
        return type(self)(str(path), **{name: getattr(self, name) for name in self.CHOSEN})

    @property
    def path(self) -> object:  # type: ignore[override]  # there it is an attribute
        """The folder, or `pt.Artifact.NO_PATH` if it is not saved."""
        return self._folder() or self.NO_PATH

    def parts(self) -> Fit:
        """Return the parts, read from the folder or fitted, at the first call only."""
        kind: type = type(self)
        folder = self._folder()
        return super().parts() if folder is None else _read(kind, folder.resolve())

    def _folder(self) -> Path | None:
        """The source as a folder: a Path, or a string if META is in it; else None."""
        named = isinstance(self.source, str) and Path(self.source, META).is_file()
        return Path(self.source) if named or isinstance(self.source, Path) else None

    def _fitted_on(self) -> object:
        try:
            return super()._fitted_on()
        except ValueError as error:
            raise ValueError(
                f"{error} Nor is it a folder with {self.WHAT}: "
                f"{type(self).__name__}.train(dataset, folder) makes one."
            ) from None


@lru_cache(maxsize=KEPT)
def _fitted(artifact: Fitted) -> Fit:
    return artifact.fit()


@lru_cache(maxsize=KEPT)
def _read(artifact: type[FittedArtifact], path: Path) -> Fit:
    """Return the saved parts; FileNotFoundError if they are missing, ValueError if damaged."""
    texts, arrays = _files(artifact.PARTS)

    def load(meta: object, lines: Mapping[str, list[str]], stored: StoredArrays) -> Fit:
        parts = artifact.PARTS(**lines, **{name: stored[name] for name in arrays})
        if not parts.whole():
            raise ValueError("its files are inconsistent, or hold values that are not numbers")
        return parts

    again = f"{artifact.__name__}.train(dataset, folder) makes them"
    return read_artifact(path, artifact, texts, load, (artifact.WHAT, again))


def _files(parts: type[Fit]) -> tuple[list[str], list[str]]:
    """Return the names of the lists of texts, and of the arrays, among the parts."""
    texts = [field.name for field in fields(parts) if list in (field.type, get_origin(field.type))]
    return texts, [field.name for field in fields(parts) if field.name not in texts]


def _plain(setting: object) -> int | float | str | None:
    """Return a setting as JSON has it: numbers and texts unchanged, others as their repr."""
    return setting if isinstance(setting, (int, float, str, type(None))) else repr(setting)
