"""JSON files, whose errors name the file."""

import json
from pathlib import Path

KINDS = {dict: "an object", list: "a list"}


def read_json(path, kind=dict, remedy="Restore it from a copy, or write it again."):
    """Return what a JSON file holds, a value of type `kind`; UTF-8, or what JSON's marks say.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no JSON, nested too deeply, or of another type; names it and `remedy`.
    """
    try:
        value = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no JSON, or damaged ({error}). {remedy}") from error
    if not isinstance(value, kind):
        raise ValueError(f"{path}: expected {KINDS[kind]} of JSON, found {value!r:.80}. {remedy}")
    return value
