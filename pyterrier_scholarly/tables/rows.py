"""The rows of a table before they are run: keys of systems, pipelines, results, and your models.

read_systems(["bm25", pipeline], "litsearch")
read_systems({"ours": "my-run.trec", "theirs": results}, "litsearch")
plan_rows(["bm25"], shape, options={"models": {"ours": "folder"}}, verbose=False)
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ..choices import describe_unknown
from ..encoders import EncoderLike, model_value
from ..evaluation import read_run
from ..fingerprint import ADDRESS
from ..recipes import systems as named_systems
from ..recipes.named_systems import Systems
from .saved_runs import rank_from_topics
from .shape import Shape

#: a key, a pipeline, results, a file of results, or several files
SystemLike: TypeAlias = str | pt.Transformer | pd.DataFrame | Path | Sequence[str | Path]
#: one or several, under names or not
SystemsLike: TypeAlias = SystemLike | Iterable[SystemLike] | Mapping[str, SystemLike]

#: what a row is made from after files are read: a key, a pipeline, or results
Source: TypeAlias = str | pt.Transformer | pd.DataFrame

#: how the names of files with results end
RUN_ENDINGS = (".trec", ".run", ".res", ".txt", ".json", ".gz", ".pickle", ".pkl")
#: `system` is the row's name, `name` the printed one; the others are as in `Systems.table`, but for
#: `model`, which is the encoder of this run
DESCRIBED_COLUMNS = ["key", "name", "named", "model", "source", "note", "system"]
QUOTED_TEXT = re.compile(r"(?<=')[^'\n]+(?=')")
#: a folder with one of these is a model's
MODEL_FILES = ("config.json", "config_sentence_transformers.json")
DIGEST_LENGTH = 8  # digits


class PlannedRows(NamedTuple):
    """The rows of a table before they are run.

    systems: by the row's name, each a pipeline from topics, or results.
    keys: dict from the name of a row that is a named system to its key.
    named: the named systems; None if no row is one.
    """

    systems: dict[str, pt.Transformer | pd.DataFrame]
    keys: dict[str, str]
    named: Systems | None


def plan_rows(
    systems: SystemsLike, shape: Shape, options: Mapping[str, Any], verbose: bool
) -> PlannedRows:
    """Return the rows of a table, without running or loading anything.

    First come the rows that the user chose, then those of the user's own models.

    Args:
        systems, options: as of `reproduce`.
        shape: of the table.
        verbose: whether systems show progress.

    Raises:
        ValueError, KeyError, OSError: a row that this table cannot have.
    """
    models = options.get("models") or {}
    _check_names(models)
    chosen_rows = read_systems(systems, shape.run)
    chosen_keys = {name: row for name, row in chosen_rows.items() if isinstance(row, str)}
    if not chosen_keys and not models:  # all rows are results or the user's pipelines
        pipelines = build_pipelines(chosen_rows, {}, shape.run)
        return PlannedRows(pipelines, keys={}, named=None)

    if options.get("cache") is None:  # embeddings are kept unless the user says otherwise
        options = {**options, "cache": True}
    named = named_systems(shape.run, verbose=verbose, **options)
    chosen_pipelines = build_pipelines(chosen_rows, named, shape.run)

    # a row of a model has its key as its name
    model_keys = {key: key for key in choose_own_keys(named, shape, chosen_keys.values())}
    for key in model_keys:
        if key in chosen_rows:
            raise ValueError(f"models: another row is called {key!r}. Choose another name.")
    model_pipelines = build_pipelines(model_keys, named, shape.run)

    keys = chosen_keys | model_keys
    check_keys(keys.values(), named.table, shape)
    return PlannedRows(chosen_pipelines | model_pipelines, keys, named)


def read_systems(systems: SystemsLike, dataset: str) -> dict[str, Source]:
    """Return systems by name: keys, pipelines, and results, which are read from files.

    In a list, keys and files are their own names, and pipelines are named by their reprs.

    Args:
        systems: as of `reproduce`.
        dataset: id of the dataset whose queries files have results of.

    Raises:
        ValueError: a name that is no text; results in a list, which have no name; what is no
            system; a file of another form.
        OSError: a file is missing or cannot be read.
    """
    if isinstance(systems, (str, Path, pt.Transformer, pd.DataFrame)):
        systems = [systems]
    if not isinstance(systems, Mapping):
        systems = _name_systems(systems)
    _check_names(systems)
    return {name: _read_system(name, system, dataset) for name, system in systems.items()}


def build_pipelines(
    rows: Mapping[str, Source], named: Mapping[str, pt.Transformer], dataset: str
) -> dict[str, pt.Transformer | pd.DataFrame]:
    """Return rows in which each key is its pipeline, from topics; KeyError for an unknown key."""
    built: dict[str, pt.Transformer | pd.DataFrame] = {}
    for name, row in rows.items():
        if not isinstance(row, str):
            built[name] = row
        elif row in named:
            built[name] = rank_from_topics(named[row], dataset)
        else:
            message = describe_unknown("system", row, named)
            if Path(row).is_file():
                message += f" To read the file of that name, pass pathlib.Path({row!r})."
            raise KeyError(message)
    return built


def is_run_file(text: str) -> bool:
    """Return whether a text is the path of a file with results, and no key of a system."""
    return text.lower().endswith(RUN_ENDINGS) or "/" in text


def check_keys(keys: Iterable[str], systems: pd.DataFrame, shape: Shape) -> None:
    """Reject keys whose system reads other texts than the table's, or that another table prints.

    A paper may run a system in two ways (on other texts, or sentence by sentence) and print each in
    its own table. Each table then takes its own only.

    Args:
        keys: of systems that the user chose.
        systems: frame `Systems.table`, a row for each key and each table that prints the system.
        shape: of the table.

    Raises:
        ValueError: names the first such key, and the keys that the table takes instead.
    """
    for key in keys:
        keys_to_take = _find_keys_to_take(key, systems, shape)
        if keys_to_take:
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(keys_to_take)}."
            )


def choose_own_keys(named: Systems, shape: Shape, keys: Iterable[str]) -> list[str]:
    """Return keys of the user's own models: for each, those in the forms that the table prints.

    A model gets the keys that read the table's texts, in the forms of the table's printed rows; in
    all forms if it has none of these. A model with a key among `keys`, which the user chose, gets
    no further ones.
    """
    systems = named.table
    is_printed = systems["name"].ne("") & systems["table"].eq(shape.number)
    forms_of_table = systems["form"][is_printed]
    on_texts = systems[systems["text"] == shape.text_dataset]

    own_keys: list[str] = []
    for keys_of_model in named.yours.values():
        if set(keys_of_model).intersection(keys):
            continue
        systems_of_model = on_texts[on_texts["key"].isin(keys_of_model)]
        is_in_forms = systems_of_model["form"].isin(forms_of_table)
        if is_in_forms.any():
            systems_of_model = systems_of_model[is_in_forms]
        own_keys += list(systems_of_model["key"])
    return own_keys


def describe_systems(rows: PlannedRows, table: str) -> pd.DataFrame:
    """Return `PaperTable.systems`: DESCRIBED_COLUMNS, a row for each named system of a table.

    A system has three names: the *row*, which the user chose; the *key*, by which `systems` finds
    it; and the *printed name* in a paper, which may differ between tables.

    Args:
        rows: of the table.
        table: its number in the paper, whose printed names count.
    """
    if rows.named is None:
        return pd.DataFrame(columns=DESCRIBED_COLUMNS)

    systems = rows.named.table
    descriptions = []
    for row_name, key in rows.keys.items():
        # several tables may print a system, each under its own name; that of this one goes first
        rows_of_key = systems[systems["key"] == key]
        rows_of_table = rows_of_key[rows_of_key["table"] == table]
        preferred_rows = pd.concat([rows_of_table, rows_of_key])

        description = preferred_rows.iloc[0].to_dict()
        description["system"] = row_name
        encoder = rows.named.encoder(key)
        if encoder is not None:  # the table of systems has the model of the papers' figures
            description["model"] = describe_encoder(encoder)
        descriptions.append(description)
    return pd.DataFrame(descriptions, columns=DESCRIBED_COLUMNS)


def describe_encoder(encoder: EncoderLike) -> str:
    """Return an encoder's repr on one line: no addresses, and of a folder's path the last name.

    The folder of a model has the beginning of a digest of its files behind its name.
    """
    text = ADDRESS.sub("", repr(encoder))
    model = getattr(encoder, "model", None)
    if hasattr(model, "parameters"):  # a network of torch, whose repr lists all layers
        text = text.replace(repr(model), f"<{type(model).__name__}>")
    text = QUOTED_TEXT.sub(_shorten_path, text)
    return " ".join(text.split())


def _shorten_path(quoted: re.Match[str]) -> str:
    """Return what replaces a quoted text of a repr: of a path only the last name.

    So a page shows no folder of the user's. A text that is no path stays as it is.
    """
    text = quoted[0]
    if not (os.path.isabs(text) or os.path.isdir(text)):
        return text
    last_name = os.path.basename(os.path.abspath(text))
    is_model = any(os.path.isfile(os.path.join(text, file)) for file in MODEL_FILES)
    if not is_model:
        return last_name
    digest = model_value(text)[:DIGEST_LENGTH]
    return f"{last_name}@{digest}"


def _name_systems(systems: Iterable[SystemLike]) -> dict[str, SystemLike]:
    """Return the systems of a list by name: keys and files by themselves, pipelines by repr."""
    system_of_name = {}
    for system in systems:
        if isinstance(system, pd.DataFrame):
            raise ValueError("Results have no name in a list. Pass a dict: {'my run': results}.")
        name = str(system) if isinstance(system, (str, Path)) else repr(system)
        system_of_name[name] = system
    return system_of_name


def _check_names(names: Iterable[object]) -> None:
    """Raise ValueError for a name that a page cannot show."""
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"The name {name!r} of a system cannot be written. Pass a plain text.")


def _read_system(name: str, system: object, dataset: str) -> Source:
    """Return a key, a pipeline or results; read files with results of queries of `dataset`."""
    if isinstance(system, (pd.DataFrame, pt.Transformer)):
        return system
    if isinstance(system, str) and not is_run_file(system):
        return system
    files: Any = system if isinstance(system, (list, tuple)) else [system]
    folders = [str(file) for file in files if isinstance(file, (str, Path)) and os.path.isdir(file)]
    if folders:
        raise ValueError(
            f"Row {name!r}: {folders[0]!r} is a folder. Pass a model of your own as "
            f"models={{{name!r}: folder}}, and of a folder with results its files."
        )
    if all(isinstance(file, (str, Path)) for file in files):
        return read_run(files, dataset)
    raise ValueError(
        f"Row {name!r}: {system!r:.100} is no system. Pass a key of systems(dataset), a pipeline, "
        "results (a frame with qid, docno, score), or the path of a file with results."
    )


def _find_keys_to_take(key: str, systems: pd.DataFrame, shape: Shape) -> list[str]:
    """Return the keys that a table takes instead of `key`; none if it takes this one.

    systems, shape: as for `check_keys`.
    """
    rows_of_key = systems[systems["key"] == key]
    rows_on_texts = systems[systems["text"] == shape.text_dataset]
    rows_of_system = rows_on_texts[_is_same_system(rows_on_texts, rows_of_key)]

    reads_texts_of_table = rows_of_key["text"].eq(shape.text_dataset).all()
    is_printed_in_table = rows_of_key["table"].eq(shape.number).any()
    if reads_texts_of_table and is_printed_in_table:
        return []

    rows_to_take = rows_of_system
    if reads_texts_of_table:
        # A form that the table prints is better than this key. There is none if the table prints
        # the system in no form: then it runs this one.
        rows_to_take = rows_of_system[rows_of_system["table"] == shape.number]
    elif rows_of_system.empty:  # this key is wrong in any case, so name all that could be meant
        rows_to_take = rows_on_texts
    return list(rows_to_take["key"].unique())


def _is_same_system(rows: pd.DataFrame, rows_of_key: pd.DataFrame) -> pd.Series:
    """Return which of `rows` are of the same system as a key's rows, under this or another key.

    Papers may print one system under one name in several forms, or one model under several names.
    So a row is of the same system if it has its printed name; or if it has its model in another
    form, and papers print both.
    """
    # a system that no paper prints has no other form
    printed_names = set(rows_of_key["name"]) - {""}
    models = set(rows_of_key["model"]) - {""} if printed_names else set()

    has_same_name = rows["name"].isin(printed_names)
    is_printed_with_model = rows["name"].ne("") & rows["model"].isin(models)
    # A row with the same model and form, but another name, is another system: GPT-4o may re-rank
    # the results of several retrievers.
    has_other_form = ~rows["form"].isin(rows_of_key["form"])
    return has_same_name | (is_printed_with_model & has_other_form)
