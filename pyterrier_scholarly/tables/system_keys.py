"""Keys of named systems in a table: which it takes, and what ran under them."""

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd

from ir_datasets_ext.choices import describe_unknown
from ir_datasets_ext.store.fingerprint import ADDRESS

from ..encoders import EncoderLike, model_value
from ..recipes.pipelines import Systems
from .table_shapes import Shape

DESCRIBED = ["key", "name", "named", "run", "source", "note", "system"]
QUOTED = re.compile(r"(?<=')[^'\n]+(?=')")
MODEL_FILES = ("config.json", "config_sentence_transformers.json")


def check_known(keys: Iterable[str], named: Systems) -> None:
    """Raise KeyError for a key that no system has; say so if it is the name of a file."""
    for key in keys:
        if key in named:
            continue
        message = describe_unknown("system", key, named)
        if Path(key).is_file():
            message += f" To read the file of that name, pass pathlib.Path({key!r})."
        raise KeyError(message)


def your_keys(
    named: Systems, shape: Shape, keys: Iterable[str], names: Container[str]
) -> Iterator[str]:
    """Yield the keys that a table takes of each of the user's models without a key among `keys`.

    They are those of its texts and of the forms of its printed rows; of all forms if it has none.

    Args:
        named: systems, with models of the user's.
        shape: of the table.
        keys: of systems, as asked for.
        names: of the table's other rows.

    Raises:
        ValueError: another row has the name of such a key.
    """
    systems, asked_keys = named.table, set(keys)
    is_printed_here = systems["name"].ne("") & systems["table"].eq(shape.number)
    printed_forms = set(systems[is_printed_here]["form"])

    for model_keys in named.yours.values():
        if asked_keys.intersection(model_keys):
            continue  # then these are the model's only rows

        is_of_model = systems["key"].isin(model_keys)
        reads_texts = systems["text"].eq(shape.text)
        rows = systems[is_of_model & reads_texts]
        rows_as_printed = rows[rows["form"].isin(printed_forms)]
        if not rows_as_printed.empty:
            rows = rows_as_printed

        for key in rows["key"]:
            if key in names:
                raise ValueError(f"models: another row is called {key!r}. Choose another name.")
            yield key


def check_keys(keys: Iterable[str], systems: pd.DataFrame, shape: Shape) -> None:
    """Reject keys whose system reads other texts than the table's, or has another table's form.

    A paper may run a system in two forms (on other texts, sentence by sentence) and print each form
    in its own table. Each table then takes its own form only.

    Args:
        keys: of systems.
        systems: the frame `Systems.table`.
        shape: of the table.

    Raises:
        ValueError: names the first such key, and the keys that the table takes instead.
    """
    for key in keys:
        rows = systems[systems["key"] == key]
        readers = systems[systems["text"] == shape.text]  # of the table's texts
        same_system = readers[_same_system(readers, rows)]

        reads_other_texts = not rows["text"].eq(shape.text).all()
        if not reads_other_texts and rows["table"].eq(shape.number).any():
            continue
        if reads_other_texts:
            taken_instead = readers if same_system.empty else same_system
        else:
            taken_instead = same_system[same_system["table"] == shape.number]

        if not taken_instead.empty:
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(taken_instead['key'].unique())}."
            )


def _same_system(systems: pd.DataFrame, rows: pd.DataFrame) -> pd.Series:
    """Mark the systems with the papers' name of `rows`, or with their model in another form."""
    has_name = systems["name"].isin(set(rows["name"]) - {""})
    has_model = systems["run"].isin(set(rows["run"]) - {""})
    has_form = systems["form"].isin(rows["form"])
    both_are_printed = systems["name"].ne("") & rows["name"].ne("").any()
    return has_name | (has_model & ~has_form & both_are_printed)


def describe_systems(named: Systems | None, keys: Mapping[str, str], number: str) -> pd.DataFrame:
    """Describe what ran under keys, with the names of table `number`; see `PaperTable.systems`.

    Args:
        named: systems; None if no row is one.
        keys: dict from a row's name to its key.
        number: of the table.
    """
    if named is None or not keys:
        return pd.DataFrame(columns=DESCRIBED)

    # a system has a row for each table that prints it: that of this table counts
    in_this_table_first = named.table.sort_values(
        "table", key=lambda numbers: numbers != number, kind="stable"
    )
    by_key = in_this_table_first.drop_duplicates("key").set_index("key")
    described = by_key.loc[list(keys.values())].reset_index()

    encoders = [named.encoder(key) for key in described["key"]]
    run = [
        printed if encoder is None else label(encoder)
        for encoder, printed in zip(encoders, described["run"])
    ]
    return described.assign(run=run, system=list(keys))[DESCRIBED]


def label(encoder: EncoderLike) -> str:
    """Return an encoder's repr on one line: no addresses, and of a folder's path the last name.

    The folder of a model has the beginning of a digest of its files behind its name.
    """
    text = ADDRESS.sub("", repr(encoder))
    model = getattr(encoder, "model", None)
    if hasattr(model, "parameters"):
        text = text.replace(repr(model), f"<{type(model).__name__}>")
    return " ".join(QUOTED.sub(_folder_name, text).split())


def _folder_name(quoted: re.Match[str]) -> str:
    """Return the last name of a folder's path, with a digest if it is a model's; else the text."""
    text = quoted[0]
    if not (os.path.isabs(text) or os.path.isdir(text)):
        return text
    is_model = any(os.path.isfile(os.path.join(text, file)) for file in MODEL_FILES)
    name = os.path.basename(os.path.abspath(text))
    return f"{name}@{model_value(text)[:8]}" if is_model else name
