"""Find the files of a collection's release by the collection's name."""

import importlib
from functools import lru_cache

from ir_datasets_ext.files import ReleaseFile


@lru_cache
def find_release(collection: str) -> dict[str, ReleaseFile] | None:
    """Return the files of a collection's release, by key; None if none is public."""
    module_name = f"ir_datasets_ext.{collection.replace('-', '_')}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError:
        return None
    return module.FILES
