"""Find the release of a collection by the collection's name."""

import importlib
from functools import lru_cache

from ir_datasets_ext.releases import Release


@lru_cache
def find_release(collection: str) -> Release | None:
    """Return the release of a collection; None if none is public."""
    module_name = f"ir_datasets_ext.{collection.replace('-', '_')}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError:
        return None
    return module.RELEASE
