"""The rows of a table: their names, the keys that it takes, and what ran under these."""

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TypeAlias

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store.fingerprint import ADDRESS

from ..encoders import model_value
from ..recipes.pipelines import Systems
from ..text import writable
from .shapes import Shape

System: TypeAlias = str | pt.Transformer | pd.DataFrame  # a key, a pipeline, or results
DESCRIBED = ["key", "name", "named", "run", "source", "note", "system"]
QUOTED = re.compile(r"(?<=')[^'\n]+(?=')")
MODEL_FILES = ("config.json", "config_sentence_transformers.json")


def by_name(systems: System | Iterable[System] | Mapping[str, System]) -> dict[str, System]:
    """Return systems by name: without names, by their keys and reprs."""
    if isinstance(systems, Mapping):
        return dict(systems)
    listed = [systems] if isinstance(systems, (str, pt.Transformer)) else systems
    return {one if isinstance(one, str) else repr(one): one for one in listed}


def check_names(names: Iterable[object]) -> None:
    """Raise ValueError for a name that a page cannot show."""
    for name in names:
        if not (isinstance(name, str) and name.strip() and name == writable(name)):
            raise ValueError(f"The name {name!r} of a system cannot be written. Pass a plain text.")


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
    table, asked = named.table, set(keys)
    forms = set(table[table["name"].ne("") & table["table"].eq(shape.number)]["form"])
    for own in named.yours.values():
        rows = table[table["key"].isin(own) & table["text"].eq(shape.text)]
        printed = rows[rows["form"].isin(forms)]
        taken = [] if asked.intersection(own) else (rows if printed.empty else printed)["key"]
        for key in taken:
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
        readers = systems[systems["text"] == shape.text]
        others = readers[_same_system(readers, rows)]
        if not rows["text"].eq(shape.text).all():
            right = readers if others.empty else others
        elif rows["table"].eq(shape.number).any():
            continue
        else:
            right = others[others["table"] == shape.number]
        if not right.empty:
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(right['key'].unique())}."
            )


def _same_system(rows: pd.DataFrame, one: pd.DataFrame) -> pd.Series:
    """Mark the rows with the papers' name of `one`, or with its model in another form."""
    named = rows["name"].isin(set(one["name"]) - {""})
    model = rows["run"].isin(set(one["run"]) - {""}) & ~rows["form"].isin(one["form"])
    return named | (model & rows["name"].ne("") & one["name"].ne("").any())


def described(named: Systems | None, keys: dict[str, str], number: str) -> pd.DataFrame:
    """Describe what ran under the keys, with table `number`'s names; see `PaperTable.systems`."""
    if named is None or not keys:
        return pd.DataFrame(columns=DESCRIBED)
    rows = named.table.sort_values("table", key=lambda tables: tables != number, kind="stable")
    table = rows.drop_duplicates("key").set_index("key").loc[list(keys.values())].reset_index()
    encoders = map(named.encoder, table["key"])
    run = [row if one is None else label(one) for one, row in zip(encoders, table["run"])]
    return table.assign(run=run, system=list(keys))[DESCRIBED]


def label(encoder: object) -> str:
    """Return an encoder's repr on one line: no addresses, and of a folder's path the last name.

    The folder of a model has the beginning of a digest of its files behind its name.
    """
    text = ADDRESS.sub("", repr(encoder))
    model = getattr(encoder, "model", None)
    if hasattr(model, "parameters"):
        text = text.replace(repr(model), f"<{type(model).__name__}>")
    return " ".join(QUOTED.sub(_folder_name, text).split())


def _folder_name(quoted: re.Match[str]) -> str:
    text = quoted[0]
    if not (os.path.isabs(text) or os.path.isdir(text)):
        return text
    is_model = any(os.path.isfile(os.path.join(text, file)) for file in MODEL_FILES)
    name = os.path.basename(os.path.abspath(text))
    return f"{name}@{model_value(text)[:8]}" if is_model else name
