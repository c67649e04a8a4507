"""Describe the systems of a table: what they are called in the papers, and which model ran.

describe_systems(named, {"ours": "bm25"}, "3")  # the row "ours" is the system "bm25" of table 3
describe_encoder(WholeText("/home/me/my-model"))  # "WholeText('my-model@5f2c81aa')"

A system has three names: the *row*, which the user chose; the *key*, by which `systems` finds it;
and the *printed name* in a paper, which may differ between tables.
"""

import os
import re
from collections.abc import Mapping

import pandas as pd

from ir_datasets_ext.store.fingerprint import ADDRESS

from ..encoders import EncoderLike, model_value
from ..recipes.pipelines import Systems

#: `system` is the row's name, `name` the printed one; the others are as in `Systems.table`, but for
#: `run`, which is the encoder of this run
DESCRIBED_COLUMNS = ["key", "name", "named", "run", "source", "note", "system"]
QUOTED_TEXT = re.compile(r"(?<=')[^'\n]+(?=')")
#: a folder with one of these is a model's
MODEL_FILES = ("config.json", "config_sentence_transformers.json")
DIGEST_LENGTH = 8  # digits


def describe_systems(
    named: Systems | None, key_by_row: Mapping[str, str], table: str
) -> pd.DataFrame:
    """Return `PaperTable.systems`: DESCRIBED_COLUMNS, a row for each named system of a table.

    Args:
        named: the named systems of the dataset; None if no row of the table is one.
        key_by_row: dict from a row's name to the key of its system.
        table: number of the paper's table, whose printed names count.
    """
    if named is None or not key_by_row:
        return pd.DataFrame(columns=DESCRIBED_COLUMNS)

    row_names = list(key_by_row)
    keys = list(key_by_row.values())
    # a row for each key, in the order of `keys`, also where two rows of the table have one key
    descriptions = _choose_printed_rows(named.table, table).loc[keys].reset_index()

    # column `run` has the model that the papers' figures are from; here it is the one of this run
    models_of_run = []
    for key, usual_model in zip(keys, descriptions["run"]):
        encoder = named.encoder(key)
        if encoder is None:  # such as BM25
            models_of_run.append(usual_model)
        else:
            models_of_run.append(describe_encoder(encoder))

    descriptions = descriptions.assign(run=models_of_run, system=row_names)
    return descriptions[DESCRIBED_COLUMNS]


def describe_encoder(encoder: EncoderLike) -> str:
    """Return an encoder's repr on one line: no addresses, and of a folder's path the last name.

    The folder of a model has the beginning of a digest of its files behind its name.
    """
    text = ADDRESS.sub("", repr(encoder))

    model = getattr(encoder, "model", None)
    is_loaded_model = hasattr(model, "parameters")
    if is_loaded_model:  # its repr lists all layers
        text = text.replace(repr(model), f"<{type(model).__name__}>")

    text = QUOTED_TEXT.sub(_shorten_path, text)
    return " ".join(text.split())


def _choose_printed_rows(systems: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return one row for each key, its index: as `table` prints the system, if it does.

    systems: frame `Systems.table`, with a row for each table that prints a system.
    """
    is_of_other_table = systems["table"] != table
    this_table_first = systems.assign(is_of_other_table=is_of_other_table).sort_values(
        "is_of_other_table", kind="stable"
    )
    return this_table_first.drop_duplicates("key").set_index("key")


def _shorten_path(quoted: re.Match[str]) -> str:
    """Return what replaces a quoted text of a repr: of a path only the last name.

    So a page shows no folder of the user's. Behind the name of a model's folder stands a digest of
    its files. A text that is no path stays as it is.
    """
    text = quoted[0]
    is_path = os.path.isabs(text) or os.path.isdir(text)
    if not is_path:
        return text

    last_name = os.path.basename(os.path.abspath(text))
    is_folder_of_model = any(os.path.isfile(os.path.join(text, file)) for file in MODEL_FILES)
    if not is_folder_of_model:
        return last_name
    digest = model_value(text)[:DIGEST_LENGTH]
    return f"{last_name}@{digest}"
