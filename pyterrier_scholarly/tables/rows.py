"""The rows of a table before they are run: keys of systems, pipelines, results, and your models.

read_systems(["bm25", pipeline], "litsearch")
read_systems({"ours": "my-run.trec", "theirs": results}, "litsearch")
plan_rows(["bm25"], shape, options={"models": {"ours": "folder"}}, verbose=False)
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import pyterrier as pt

from ..choices import describe_unknown
from ..encoders import EncoderLike, model_value
from ..evaluation import read_run
from ..evaluation.runs import ENDINGS
from ..fingerprint import ADDRESS
from ..protocols import System
from ..recipes import systems as named_systems
from ..recipes.named_systems import Systems
from .saved_runs import RankingSource, rank_from_topics
from .shape import Shape

#: a key, a pipeline, results, a file of results, or several files
SystemLike: TypeAlias = str | pt.Transformer | pd.DataFrame | Path | Sequence[str | Path]
#: one or several, under names or not
SystemsLike: TypeAlias = SystemLike | Iterable[SystemLike] | Mapping[str, SystemLike]

#: what a row is made from after files are read: a key, a pipeline, or results
Source: TypeAlias = str | RankingSource

#: how keys end that are another form of the system whose key they begin with
FORM_ENDING = re.compile("_(sentences|text|full)$")
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
    named: dict from the name of a row that is a named system to this system.
    descriptions: `PaperTable.systems`.
    """

    systems: dict[str, RankingSource]
    named: dict[str, System]
    descriptions: pd.DataFrame


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
    chosen_keys = [source for source in chosen_rows.values() if isinstance(source, str)]
    if not chosen_keys and not models:  # all rows are results or the user's pipelines
        pipelines = build_pipelines(chosen_rows, {}, shape.run)
        return PlannedRows(pipelines, {}, pd.DataFrame(columns=DESCRIBED_COLUMNS))

    system_options = dict(options)
    if system_options.get("cache") is None:  # embeddings are kept unless the user says otherwise
        system_options["cache"] = True
    dataset_systems = named_systems(shape.run, verbose=verbose, **system_options)

    # the user's own models add rows, which are called by their keys
    source_of_row = dict(chosen_rows)
    model_keys = choose_own_keys(dataset_systems, shape, chosen_keys) if models else []
    for key in model_keys:
        if key in source_of_row:
            raise ValueError(f"models: another row is called {key!r}. Choose another name.")
        source_of_row[key] = key

    pipelines = build_pipelines(source_of_row, dataset_systems, shape.run)

    # of the rows that keys name, but not of results and the user's pipelines
    system_of_row = {}
    for row_name, source in source_of_row.items():
        if isinstance(source, str):
            system_of_row[row_name] = dataset_systems.rows[source]
    check_keys([system.key for system in system_of_row.values()], dataset_systems, shape)

    descriptions = _describe_systems(system_of_row, dataset_systems, shape.number)
    return PlannedRows(pipelines, system_of_row, descriptions)


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
        systems = {name_system(system): system for system in systems}
    _check_names(systems)
    return {name: _read_system(name, system, dataset) for name, system in systems.items()}


def name_system(system: SystemLike) -> str:
    """Return the name of a system in a list: of a key or a file itself, of a pipeline its repr."""
    if isinstance(system, pd.DataFrame):
        raise ValueError("Results have no name in a list. Pass a dict: {'my run': results}.")
    return str(system) if isinstance(system, (str, Path)) else repr(system)


def build_pipelines(
    rows: Mapping[str, Source], named: Mapping[str, pt.Transformer], dataset: str
) -> dict[str, RankingSource]:
    """Return rows in which each key is its pipeline, from topics; KeyError for an unknown key."""
    pipelines: dict[str, RankingSource] = {}
    for name, row in rows.items():
        if isinstance(row, str):
            if row not in named and Path(row).is_file():
                unknown = describe_unknown("system", row, named)
                raise KeyError(
                    f"{unknown} To read the file of that name, pass pathlib.Path({row!r})."
                )
            row = rank_from_topics(named[row], dataset)
        pipelines[name] = row
    return pipelines


def is_run_file(text: str) -> bool:
    """Return whether a text is the path of a file with results, and no key of a system."""
    return text.lower().endswith(ENDINGS) or "/" in text


def check_keys(keys: Iterable[str], named: Systems, shape: Shape) -> None:
    """Reject keys whose system reads other texts than the table's, or that another table prints.

    A paper may run a system in two forms (on other texts, or sentence by sentence) and print each
    in its own table. Each table then takes its own form only.

    Args:
        keys: of systems that the user chose.
        named: all systems.
        shape: of the table.

    Raises:
        ValueError: names the first such key, and the keys that the table takes instead.
    """
    for key in keys:
        system = named.rows[key]
        on_texts = [row for row in named.rows.values() if row.text == shape.text_dataset]

        # the system's forms on the table's texts: their keys differ in the ending alone
        base_key = FORM_ENDING.sub("", key)
        forms = [row for row in on_texts if FORM_ENDING.sub("", row.key) == base_key]
        printed_forms = [form for form in forms if form.is_printed_in(shape.number)]

        systems_to_take: list[System] = []
        if system.text != shape.text_dataset:
            # if it has no form on these texts, the user could mean any system on them
            systems_to_take = forms or on_texts
        elif system.printed_name and not system.is_printed_in(shape.number):
            # if the table prints no form at all, it takes this one
            systems_to_take = printed_forms

        if systems_to_take:
            keys_to_take = [other.key for other in systems_to_take]
            raise ValueError(
                f"System {key!r} has another form than table {shape.number} of {shape.run}. "
                f"Pass {' or '.join(keys_to_take)}."
            )


def choose_own_keys(named: Systems, shape: Shape, keys: Collection[str]) -> list[str]:
    """Return the keys of the user's own models that the table has rows of.

    They read the table's texts. If a model has keys of a form (such as max-sim of sentences) in
    which the table prints a row, it has rows of these alone. It has none besides `keys`, which the
    user chose, if one of these is the model's.
    """
    systems = named.rows
    printed_systems = [row for row in systems.values() if row.is_printed_in(shape.number)]
    printed_forms = {system.form for system in printed_systems}

    own_keys: list[str] = []
    for keys_of_model in named.yours.values():
        if not set(keys_of_model).isdisjoint(keys):
            continue
        keys_on_texts = [key for key in keys_of_model if systems[key].text == shape.text_dataset]
        keys_in_print = [key for key in keys_on_texts if systems[key].form in printed_forms]
        own_keys += keys_in_print or keys_on_texts
    return own_keys


def _describe_systems(rows: Mapping[str, System], named: Systems, table: str) -> pd.DataFrame:
    """Return `PaperTable.systems`: DESCRIBED_COLUMNS, a row for each named system of a table.

    A system has three names: the *row*, which the user chose; the *key*, by which `systems` finds
    it; and the *printed name* in a paper, which may differ between tables.

    Args:
        rows: systems by the row's name.
        named: all systems.
        table: its number in the paper, whose printed names count.
    """
    descriptions = []
    for row_name, system in rows.items():
        encoder = named.encoder(system.key)
        description = {
            "key": system.key,
            "name": system.name_in(table),
            "named": system.named,
            "model": system.model if encoder is None else describe_encoder(encoder),
            "source": system.source,
            "note": system.note,
            "system": row_name,
        }
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
    """Return what stands in the quotes of a repr: of a path only the last name.

    So a page shows no folder of the user's. The folder of a model is shown as ``name@digest``. A
    text that is no path stays as it is.
    """
    text = quoted[0]  # without the quotes
    if not (os.path.isabs(text) or os.path.isdir(text)):
        return text
    path = Path(os.path.abspath(text))
    if any((path / file).is_file() for file in MODEL_FILES):
        return f"{path.name}@{model_value(text)[:DIGEST_LENGTH]}"
    return path.name


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
        return system  # a key

    files: Any = system if isinstance(system, (list, tuple)) else [system]
    if not all(isinstance(file, (str, Path)) for file in files):
        raise ValueError(
            f"Row {name!r}: {system!r:.100} is no system. Pass a key of systems(dataset), a "
            "pipeline, results (a frame with qid, docno, score), or the path of a file with "
            "results."
        )
    for file in files:
        if os.path.isdir(file):
            raise ValueError(
                f"Row {name!r}: {str(file)!r} is a folder. Pass a model of your own as "
                f"models={{{name!r}: folder}}, and of a folder with results its files."
            )
    return read_run(files, dataset)
