"""Folders of plain files that PyTerrier takes for artifacts: whole, or not there at all."""

import json
import os
from contextlib import contextmanager
from pathlib import Path

import pyterrier as pt

META = "pt_meta.json"


def check_free(path) -> Path:
    """`path`, at which there is nothing; FileExistsError if there is something."""
    if Path(path).exists():
        raise FileExistsError(f"{path} exists: remove it, or give another folder.")
    return Path(path)


@contextmanager
def new_folder(path, artifact, **more):
    """Yield a folder to write to, which becomes `path` at the end; it says what it is.

    Args:
        artifact: the class that reads it, with ARTIFACT_TYPE and ARTIFACT_FORMAT.
        more: what else pt_meta.json shall hold, as JSON.

    Raises:
        FileExistsError: there is something at `path`.
    """
    path = check_free(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {
        "type": artifact.ARTIFACT_TYPE,
        "format": artifact.ARTIFACT_FORMAT,
        "package_hint": "pyterrier-scholarly",
        **more,
    }
    with pt.io.finalized_directory(os.path.abspath(path)) as folder:
        Path(folder, META).write_text(json.dumps(meta, indent=2) + "\n", encoding="utf-8")
        yield Path(folder)
