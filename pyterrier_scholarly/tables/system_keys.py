"""Check which keys of named systems a table takes, and choose those of a user's own models.

Conventions: `systems` is the frame `Systems.table`, with a row for each key and each printed table.
"""

from collections.abc import Container, Iterable
from pathlib import Path

import pandas as pd

from ir_datasets_ext.choices import describe_unknown

from ..recipes.pipelines import Systems
from .table_shapes import Shape


def check_known(keys: Iterable[str], named: Systems) -> None:
    """Raise KeyError for a key that no system has; say so if it is the name of a file."""
    for key in keys:
        if key not in named:
            raise KeyError(_describe_unknown_key(key, named))


def check_keys(keys: Iterable[str], systems: pd.DataFrame, shape: Shape) -> None:
    """Reject keys whose system reads other texts than the table's, or has another table's form.

    A paper may run a system in two forms (on other texts, sentence by sentence) and print each form
    in its own table. Each table then takes its own form only.

    Raises:
        ValueError: names the first such key, and the keys that the table takes instead.
    """
    for key in keys:
        right_keys = _find_right_keys(key, systems, shape)
        if right_keys:
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(right_keys)}."
            )


def choose_own_keys(
    named: Systems, shape: Shape, keys: Iterable[str], names: Container[str]
) -> list[str]:
    """Return the keys that a table takes of each of the user's models without a key among `keys`.

    They are those of its texts and of the forms of its printed rows; of all forms if it has none.

    Args:
        named: systems, with models of the user's.
        shape: of the table.
        keys: of systems that the user chose.
        names: of the table's other rows.

    Raises:
        ValueError: another row has the name of such a key.
    """
    systems = named.table
    chosen_keys = set(keys)

    is_printed_in_table = systems["name"].ne("") & systems["table"].eq(shape.number)
    forms_of_table = set(systems[is_printed_in_table]["form"])
    reads_texts_of_table = systems["text"].eq(shape.text)

    own_keys: list[str] = []
    for keys_of_model in named.yours.values():
        if chosen_keys.intersection(keys_of_model):
            continue  # the user chose the model's rows

        is_of_model = systems["key"].isin(keys_of_model)
        rows = systems[is_of_model & reads_texts_of_table]
        rows_in_forms = rows[rows["form"].isin(forms_of_table)]
        if not rows_in_forms.empty:
            rows = rows_in_forms
        own_keys += rows["key"].tolist()

    for key in own_keys:
        if key in names:
            raise ValueError(f"models: another row is called {key!r}. Choose another name.")
    return own_keys


def _describe_unknown_key(key: str, named: Systems) -> str:
    """Return an error's message for a key that no system has."""
    message = describe_unknown("system", key, named)
    if Path(key).is_file():
        message += f" To read the file of that name, pass pathlib.Path({key!r})."
    return message


def _find_right_keys(key: str, systems: pd.DataFrame, shape: Shape) -> list[str]:
    """Return the keys that a table takes instead of one in another form; none if it takes it."""
    rows_of_key = systems[systems["key"] == key]
    rows_on_texts = systems[systems["text"] == shape.text]
    same_system_on_texts = rows_on_texts[_is_same_system(rows_on_texts, rows_of_key)]

    reads_texts_of_table = rows_of_key["text"].eq(shape.text).all()
    is_printed_in_table = rows_of_key["table"].eq(shape.number).any()
    if reads_texts_of_table and is_printed_in_table:
        return []

    if reads_texts_of_table:
        right_rows = same_system_on_texts[same_system_on_texts["table"] == shape.number]
    elif same_system_on_texts.empty:
        right_rows = rows_on_texts
    else:
        right_rows = same_system_on_texts
    return list(right_rows["key"].unique())


def _is_same_system(candidates: pd.DataFrame, rows_of_key: pd.DataFrame) -> pd.Series:
    """Mark the rows of the system of a key: with its printed name, or its model in another form.

    A model in another form is the same system only if papers print both.
    """
    printed_names = set(rows_of_key["name"]) - {""}
    models = set(rows_of_key["run"]) - {""}

    has_same_name = candidates["name"].isin(printed_names)
    has_same_model = candidates["run"].isin(models)
    has_same_form = candidates["form"].isin(rows_of_key["form"])
    if not printed_names:
        return has_same_name

    is_printed = candidates["name"].ne("")
    return has_same_name | (has_same_model & ~has_same_form & is_printed)
