"""Names on the Hugging Face hub, with the commit that they stand for."""

import os
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ._adapter import CONFIG


def commit(name, revision=None, file="config.json"):
    """The commit of a name that is on this machine, or else would be downloaded now, or None.

    So a name stands for the same before and after it is downloaded.
    """
    if find_spec("huggingface_hub") is None:  # the encoder will say what to install
        return None
    return _here(name, revision, file) or _there(name, revision)


def _full(name):
    """What a name may stand for: sentence-transformers' own models need no owner."""
    return (name,) if "/" in name else (name, f"sentence-transformers/{name}")


def _here(name, revision, file):
    """The commit of a branch, tag or (short) commit whose `file` is on this machine, or None."""
    from huggingface_hub import try_to_load_from_cache

    # where sentence-transformers downloads to; adapters, which it does not know, are elsewhere
    place = None if file == CONFIG else os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    with suppress(ValueError):  # no name on the hub, but a folder that is not there
        for full in _full(name):
            found = try_to_load_from_cache(full, file, cache_dir=place, revision=revision)
            if isinstance(found, str):
                return Path(found).parent.name
    return None


@lru_cache
def _there(name, revision):
    from huggingface_hub import model_info

    for full in _full(name):
        try:
            return model_info(full, revision=revision, timeout=10).sha
        except Exception:  # none of that name, or no network, which is of many classes
            continue
    return None
