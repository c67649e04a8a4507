"""What the rows of a table are made from: keys of named systems, pipelines, results, and files.

read_sources(["bm25", pipeline], "litsearch")
read_sources({"ours": "my-run.trec", "theirs": results}, "litsearch")
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeGuard

import pandas as pd
import pyterrier as pt

from ..evaluation import read_run
from ..text import writable

#: a key, a pipeline, results, a file of results, or several files
SystemLike: TypeAlias = str | pt.Transformer | pd.DataFrame | Path | Sequence[str | Path]
#: one or several, under names or not
SystemsLike: TypeAlias = SystemLike | Iterable[SystemLike] | Mapping[str, SystemLike]
#: how the names of files with results end
RUN_ENDINGS = (".trec", ".run", ".res", ".txt", ".json", ".gz", ".pickle", ".pkl")


class RowSource(NamedTuple):
    """What a row is made from: a key, a pipeline, or results; each key gets its pipeline later.

    name: of the row.
    key: of `systems`; None for other rows.
    pipeline: from topics to results; None for results, and for a key until the table is planned.
    results: frame `qid`, `docno`, `score`; None for what has to be run.
    """

    name: str
    key: str | None = None
    pipeline: pt.Transformer | None = None
    results: pd.DataFrame | None = None


def read_sources(systems: SystemsLike, dataset: str) -> list[RowSource]:
    """Return what each row is made from; read files with results of queries of `dataset`.

    Raises:
        ValueError: a name that cannot be written; results in a list, which have no name; what is
            no system; a file of another form.
        OSError: a file is missing or cannot be read.
    """
    system_by_name = _name_systems(systems)
    check_names(system_by_name)
    return [_read_source(name, system, dataset) for name, system in system_by_name.items()]


def check_names(names: Iterable[object]) -> None:
    """Raise ValueError for a name that a page cannot show."""
    for name in names:
        is_shown_as_it_is = isinstance(name, str) and name.strip() and name == writable(name)
        if not is_shown_as_it_is:
            raise ValueError(f"The name {name!r} of a system cannot be written. Pass a plain text.")


def is_run_file(text: str) -> bool:
    """Return whether a text is the path of a file with results, and no key of a system."""
    return text.lower().endswith(RUN_ENDINGS) or "/" in text


def _name_systems(systems: SystemsLike) -> dict[str, SystemLike]:
    """Return systems by name: in a list, keys and files are their own names, pipelines by repr."""
    if isinstance(systems, Mapping):
        return dict(systems)
    if isinstance(systems, (str, Path, pt.Transformer, pd.DataFrame)):
        systems = [systems]

    system_by_name: dict[str, SystemLike] = {}
    for system in systems:
        if isinstance(system, pd.DataFrame):
            raise ValueError("Results have no name in a list. Pass a dict: {'my run': results}.")
        name = str(system) if isinstance(system, (str, Path)) else repr(system)
        system_by_name[name] = system
    return system_by_name


def _read_source(name: str, system: object, dataset: str) -> RowSource:
    """Return what one row is made from; read its files with results of queries of `dataset`."""
    if isinstance(system, pd.DataFrame):
        return RowSource(name, results=system)
    if isinstance(system, pt.Transformer):
        return RowSource(name, pipeline=system)
    if isinstance(system, str) and not is_run_file(system):
        return RowSource(name, key=system)

    if isinstance(system, (str, Path)):
        return RowSource(name, results=read_run([system], dataset))
    if _are_paths(system):
        return RowSource(name, results=read_run(system, dataset))
    raise ValueError(_describe_no_system(name, system))


def _are_paths(value: object) -> TypeGuard[Sequence[str | Path]]:
    """Return whether a value is a list of the paths of files."""
    if not isinstance(value, (list, tuple)):
        return False
    return all(isinstance(item, (str, Path)) for item in value)


def _describe_no_system(name: str, system: object) -> str:
    """Return an error's message for what can make no row."""
    return (
        f"Row {name!r}: {system!r:.100} is no system. Pass a key of systems(dataset), a pipeline, "
        "results (a frame with qid, docno, score), or the path of a file with results."
    )
