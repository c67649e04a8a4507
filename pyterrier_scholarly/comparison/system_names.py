"""Give each system of a comparison its name."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from ..choices import some
from ..tables import PaperTable
from ..tables.rows import SystemLike, name_system


def name_systems(
    systems: Sequence[SystemLike | PaperTable | Mapping[str, SystemLike]],
) -> dict[str, SystemLike]:
    """Return systems by name: dicts and tables bring names, others are named as in a table.

    Raises:
        ValueError: two systems have one name; fewer than two systems.
    """
    named: dict[str, SystemLike] = {}
    for system in systems:
        for name, named_system in _name_system(system, number=len(named) + 1):
            if name in named:
                raise ValueError(
                    f"Two systems are called {name!r}. Pass a dict with different names: "
                    "compare({'a': …, 'b': …}, dataset=…)."
                )
            named[name] = named_system
    if len(named) < 2:
        raise ValueError(
            f"compare needs two systems or more, got {len(named)} ({some(named) or 'none'}). Pass "
            "pipelines, keys of systems(dataset), frames or files of results, or a table."
        )
    return named


def _name_system(
    system: SystemLike | PaperTable | Mapping[str, SystemLike], number: int
) -> Iterator[tuple[str, SystemLike]]:
    """Yield the names and systems that one argument of `compare` stands for."""
    if isinstance(system, PaperTable):
        yield from system.runs.items()
    elif isinstance(system, Mapping):
        yield from system.items()
    elif isinstance(system, pd.DataFrame):
        yield f"run {number}", system
    elif isinstance(system, (list, tuple)):  # files of different queries are one run
        yield str(system[0]) if system else "", system
    else:
        yield name_system(system), system
