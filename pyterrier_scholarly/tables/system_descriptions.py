"""Describe the systems that ran under a table's keys: the papers' model, and that of this run."""

import os
import re
from collections.abc import Mapping

import pandas as pd

from ir_datasets_ext.store.fingerprint import ADDRESS

from ..encoders import EncoderLike, model_value
from ..recipes.pipelines import Systems

DESCRIBED_COLUMNS = ["key", "name", "named", "run", "source", "note", "system"]
QUOTED_TEXT = re.compile(r"(?<=')[^'\n]+(?=')")
#: a folder with one of these is a model's
MODEL_FILES = ("config.json", "config_sentence_transformers.json")
DIGEST_LENGTH = 8  # digits


def describe_systems(named: Systems | None, keys: Mapping[str, str], number: str) -> pd.DataFrame:
    """Return `PaperTable.systems`, with the papers' names of table `number`.

    Args:
        named: systems; None if no row is one.
        keys: dict from a row's name to its key.
        number: of the table.
    """
    if named is None or not keys:
        return pd.DataFrame(columns=DESCRIBED_COLUMNS)

    # a system has a row for each table that prints it: that of this table comes first, and counts
    is_other_table = named.table["table"] != number
    rows = named.table.assign(is_other_table=is_other_table)
    rows = rows.sort_values("is_other_table", kind="stable").drop_duplicates("key")

    key_list = list(keys.values())
    described = rows.set_index("key").loc[key_list].reset_index()
    runs = []
    for key, printed_run in zip(key_list, described["run"]):
        encoder = named.encoder(key)
        runs.append(printed_run if encoder is None else describe_encoder(encoder))
    return described.assign(run=runs, system=list(keys))[DESCRIBED_COLUMNS]


def describe_encoder(encoder: EncoderLike) -> str:
    """Return an encoder's repr on one line: no addresses, and of a folder's path the last name.

    The folder of a model has the beginning of a digest of its files behind its name.
    """
    text = ADDRESS.sub("", repr(encoder))
    model = getattr(encoder, "model", None)
    if hasattr(model, "parameters"):  # a model's repr lists its layers
        text = text.replace(repr(model), f"<{type(model).__name__}>")
    text = QUOTED_TEXT.sub(_shorten_path, text)
    return " ".join(text.split())


def _shorten_path(quoted: re.Match[str]) -> str:
    """Return the last name of a folder's path, with a digest if it is a model's; else the text."""
    text = quoted[0]
    is_path = os.path.isabs(text) or os.path.isdir(text)
    if not is_path:
        return text

    name = os.path.basename(os.path.abspath(text))
    is_model = any(os.path.isfile(os.path.join(text, file)) for file in MODEL_FILES)
    if not is_model:
        return name
    digest = model_value(text)[:DIGEST_LENGTH]
    return f"{name}@{digest}"
