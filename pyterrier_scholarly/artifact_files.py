"""PyTerrier's artifacts as folders of plain files: written completely or not at all, no pickle.

    write_artifact("words", WordVectors, {"words": ["cat", "dog"]}, {"idf": np.ones(2)})

    with open_artifact("words", WordVectors, ["words"], "word vectors", remedy) as files:
        words = files.texts["words"]
        idf = files.arrays["idf"]

A folder has pt_meta.json, which describes the artifact; a file `<name>.txt` for each list of texts,
one text a line; and arrays.npz for the arrays. A downloaded folder can be wrong, but cannot run
code.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ir_datasets_ext.atomic import new_file

from .folders import new_folder, read_folder
from .typed_records import Json, read_json

META_FILE = "pt_meta.json"
ARRAYS_FILE = "arrays.npz"

#: what reading the files of another artifact raises
WRONG_FILE_ERRORS = (OSError, ValueError, LookupError)


class ArtifactClass(Protocol):
    """What the files say of the class that reads them; a subclass of `pt.Artifact` has both."""

    ARTIFACT_TYPE: str
    ARTIFACT_FORMAT: str


class ArtifactFiles(NamedTuple):
    """An artifact's contents.

    meta: of pt_meta.json. texts: lists of texts by name. arrays: by name, until the files are
    closed; each is read when it is asked for.
    """

    meta: dict[str, Json]
    texts: dict[str, list[str]]
    arrays: Mapping[str, np.ndarray]


def write_artifact(
    path: str | Path,
    artifact: ArtifactClass,
    texts: Mapping[str, Iterable[str]],
    arrays: Mapping[str, Any],
    **more_meta: object,
) -> None:
    """Write an artifact to the new folder `path`.

    Args:
        artifact: the class that reads it.
        texts: lists of texts by name.
        arrays: by name.
        more_meta: further values for pt_meta.json, as JSON.

    Raises:
        FileExistsError: `path` exists.
        ValueError: a text has a line break.
    """
    for lines in texts.values():
        for line in lines:
            if "\n" in line:
                raise ValueError(f"{line!r} has a line break, so it cannot be written to {path}.")

    meta = {
        "type": artifact.ARTIFACT_TYPE,
        "format": artifact.ARTIFACT_FORMAT,
        "package_hint": "pyterrier-scholarly",
        **more_meta,
    }
    with new_folder(path, {}) as folder:
        with new_file(folder / META_FILE) as file:
            file.write(json.dumps(meta, indent=2) + "\n")
        for name, lines in texts.items():
            with new_file(folder / f"{name}.txt") as file:
                file.writelines(f"{line}\n" for line in lines)
        with new_file(folder / ARRAYS_FILE, "wb") as file:
            np.savez(file, **arrays)


@contextmanager
def open_artifact(
    path: str | Path, artifact: ArtifactClass, text_names: Iterable[str], contents: str, remedy: str
) -> Iterator[ArtifactFiles]:
    """Check a folder that `write_artifact` wrote, and yield its contents.

    An error that the caller raises while it reads the contents gets the same message as that of a
    damaged file.

    Args:
        artifact: the class that reads it.
        text_names: of the lists of texts.
        contents: what the files are, in the plural, for messages.
        remedy: how to make them, for messages.

    Raises:
        FileNotFoundError: the folder or its manifest is missing.
        ValueError: a file is missing or damaged, or is of another artifact.
    """
    try:
        read_folder(path)
        meta = read_json(Path(path, META_FILE))
        if meta["type"] != artifact.ARTIFACT_TYPE:
            raise ValueError(f"it is of type {meta['type']!r}, not {artifact.ARTIFACT_TYPE!r}")

        texts = {name: _read_lines(Path(path, f"{name}.txt")) for name in text_names}
        with np.load(Path(path, ARRAYS_FILE), allow_pickle=False) as arrays:
            yield ArtifactFiles(meta, texts, arrays)
    except FileNotFoundError as error:
        missing_name = Path(error.filename).name
        raise FileNotFoundError(
            f"No {contents} in {path} ({missing_name} missing): {remedy}."
        ) from None
    except WRONG_FILE_ERRORS as error:
        raise ValueError(
            f"The {contents} in {path} cannot be used ({error}). Make them again ({remedy}), or "
            "download them again."
        ) from error


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a file; only a line feed ends one."""
    lines = path.read_bytes().decode().split("\n")
    return lines[:-1]  # behind the last line feed there is nothing
