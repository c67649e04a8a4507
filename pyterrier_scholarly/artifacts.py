"""PyTerrier's artifacts as folders of plain files: whole, or not there at all, and no pickle.

pt_meta.json says what it is, each list of texts is a file with a line for each (`<name>.txt`), and
arrays.npz holds the arrays. A folder from elsewhere can be wrong, but cannot run anything.
"""

import json
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ir_datasets_ext.store import new_file, new_folder, read_folder, read_json

META, ARRAYS = "pt_meta.json", "arrays.npz"
WRONG = (OSError, ValueError, LookupError, EOFError, BadZipFile, TypeError, AttributeError)


def write_artifact(path, artifact, texts, arrays, **more):
    """Write an artifact to the new folder `path`.

    Args:
        artifact: the class that reads it, with ARTIFACT_TYPE and ARTIFACT_FORMAT.
        texts: lists of texts by name.
        arrays: by name.
        more: what else pt_meta.json shall hold, as JSON.

    Raises:
        FileExistsError: there is something at `path`.
        ValueError: a text has a line break.
    """
    broken = [line for lines in texts.values() for line in lines if "\n" in line]
    if broken:
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


def read_artifact(path, artifact, texts, load, what):
    """What `load` makes of pt_meta.json, the lists of texts, and the arrays, all by name.

    Args:
        path: of a folder that `write_artifact` wrote.
        artifact: the class that reads it.
        texts: names of lists.
        load: a function; whatever it raises for files that do not fit each other.
        what: they are, for people, and what makes them: two strings.

    Raises:
        FileNotFoundError: there is no artifact.
        ValueError: a file is missing, damaged, or does not fit the others.
    """
    what, again = what
    try:
        read_folder(path)
        meta = read_json(Path(path, META))
        if meta["type"] != artifact.ARTIFACT_TYPE:
            raise ValueError(f"it is of type {meta['type']!r}, not {artifact.ARTIFACT_TYPE!r}")
        files = {name: Path(path, f"{name}.txt").read_bytes().decode() for name in texts}
        lines = {name: text.split("\n")[:-1] for name, text in files.items()}
        with np.load(Path(path, ARRAYS), allow_pickle=False) as stored:
            return load(meta, lines, stored)
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        raise FileNotFoundError(f"No {what} in {path} ({missing} missing): {again}.") from None
    except WRONG as error:
        raise ValueError(
            f"The {what} in {path} cannot be used ({error}). Make them again ({again}), or fetch "
            "them anew."
        ) from error
