"""Check which keys of named systems a table takes, and choose those of a user's own models.

check_known(["bm25"], named)                     # KeyError for a key that no system has
check_keys(["bm25"], named.table, shape)         # ValueError for a system of another table
choose_own_keys(named, shape, ["bm25"], names)   # ["ours_sentences"]

Conventions: `systems` is the frame `Systems.table`, with a row for each key and each table that
prints the system: `key`, `name` and `table` (as in `published`; name "" if no table prints it),
`text` (the dataset whose texts it reads; "" for the usual), `form` (how it compares texts) and
`run` (its model).
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
    """Reject keys whose system reads other texts than the table's, or that another table prints.

    A paper may run a system in two ways (on other texts, or sentence by sentence) and print each in
    its own table. Each table then takes its own only.

    Args:
        keys: of systems that the user chose, all of them known.
        systems: see above.
        shape: of the table.

    Raises:
        ValueError: names the first such key, and the keys that the table takes instead.
    """
    for key in keys:
        rows_of_key = systems[systems["key"] == key]
        reads_texts_of_table = rows_of_key["text"].eq(shape.text_dataset).all()
        is_printed_in_table = rows_of_key["table"].eq(shape.number).any()

        if reads_texts_of_table and is_printed_in_table:
            continue

        # the same system as the table could take it
        rows_on_texts = systems[systems["text"] == shape.text_dataset]
        rows_to_take = rows_on_texts[_is_same_system(rows_on_texts, rows_of_key)]
        if reads_texts_of_table:  # then only what the table prints is better than this key
            rows_to_take = rows_to_take[rows_to_take["table"] == shape.number]
        elif rows_to_take.empty:  # this key is wrong in any case, so name all that could be meant
            rows_to_take = rows_on_texts

        # A table may also run a system that it does not print in any form. Then there is no key to
        # take instead, and this one is right.
        keys_to_take = list(rows_to_take["key"].unique())
        if keys_to_take:
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(keys_to_take)}."
            )


def choose_own_keys(
    named: Systems, shape: Shape, keys: Iterable[str], names: Container[str]
) -> list[str]:
    """Return keys of the user's own models: for each, those in the forms that the table prints.

    A model gets the keys that read the table's texts, in the forms of the table's printed rows; in
    all forms if it has none of these. A model with a key among `keys` gets no further ones.

    Args:
        named: systems, with models of the user's.
        shape: of the table.
        keys: of systems that the user chose.
        names: of the table's other rows.

    Raises:
        ValueError: another row has the name of such a key.
    """
    systems = named.table
    is_printed_in_table = systems["name"].ne("") & systems["table"].eq(shape.number)
    forms_of_table = set(systems[is_printed_in_table]["form"])
    systems_on_texts = systems[systems["text"] == shape.text_dataset]

    chosen_keys = set(keys)
    own_keys: list[str] = []
    for keys_of_model in named.yours.values():
        if chosen_keys.intersection(keys_of_model):
            continue

        systems_of_model = systems_on_texts[systems_on_texts["key"].isin(keys_of_model)]
        in_forms_of_table = systems_of_model[systems_of_model["form"].isin(forms_of_table)]
        if in_forms_of_table.empty:
            own_keys += list(systems_of_model["key"])
        else:
            own_keys += list(in_forms_of_table["key"])

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


def _is_same_system(rows: pd.DataFrame, rows_of_key: pd.DataFrame) -> pd.Series:
    """Return which of `rows` are of the same system as a key's rows, under this or another key.

    Papers may print one system under one name in several forms, or one model under several names.
    So a row is of the same system if it has its printed name; or if it has its model in another
    form, and papers print both.

    Args:
        rows: of the table of named systems.
        rows_of_key: those that the key has there.
    """
    printed_names = set(rows_of_key["name"]) - {""}
    if not printed_names:  # a system that no paper prints has no other form
        return pd.Series(False, index=rows.index, dtype=bool)

    has_same_name = rows["name"].isin(printed_names)

    models = set(rows_of_key["run"]) - {""}
    is_printed = rows["name"].ne("")
    is_printed_with_model = is_printed & rows["run"].isin(models)
    # A row with the same model and form, but another name, is another system: GPT-4o may re-rank
    # the results of several retrievers.
    has_other_form = ~rows["form"].isin(rows_of_key["form"])
    return has_same_name | (is_printed_with_model & has_other_form)
