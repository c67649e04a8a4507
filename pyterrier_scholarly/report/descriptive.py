"""The papers' tables that are not figures of systems: rubrics, statistics, lists.

Conventions: a CSV per table, ``tables/<collection>/<number>.csv``, with headings and cells as
printed. A heading over several columns stands before each ("Broad #Q").
"""

from pathlib import Path

import pandas as pd

from ..settings import dataset_id

FOLDER = Path(__file__).parents[1] / "protocols" / "printed" / "tables"


def printed_tables(dataset):
    """Return a paper's tables that describe its collection, as printed.

    They stand beside what `statistics` computes. Tables with figures of systems are in `published`.

    - LitSearch [Ajith et al. 2024]: "1" (rubric of the annotation), "2" and "14" (the questions),
      "9" (checkpoints of the retrievers), "2.5" (that section's figures of the papers).
    - DORIS-MAE [Wang et al. 2023]: "9" (relevant abstracts per query) and "10" (normalised
      scores), of queries and of sub-queries with two aspects, by type.
    - rHSA [Krstovski et al. 2016]: "3" (correlations of rHSA with MAP; `correlate` computes them
      from `published("rhsa")`).

    Args:
        dataset: id of a collection (``"litsearch"``, with or without ``irds:``) or of a part of
            it, or a dataset object. A part has the tables of its collection.

    Returns:
        Dict from the number of a table or section to a frame, in the order of the numbers. Figures
        are numbers in the printed unit; an empty cell is NaN.

    Raises:
        ValueError: there are no such tables of the collection; names those that have some.
    """
    name = dataset_id(dataset) or repr(dataset)
    found = FOLDER.joinpath(name.partition("/")[0])
    known = sorted(folder.name for folder in FOLDER.iterdir())
    if found.name not in known:
        raise ValueError(f"no printed tables of {name}: there are of {', '.join(known)}")
    paths = sorted(found.glob("*.csv"), key=lambda path: _order(path.stem))
    return {path.stem: pd.read_csv(path, keep_default_na=False, na_values=[""]) for path in paths}


def _order(number):
    """Put 2 before 2.5 and 10, and numbers before names."""
    try:
        return 0, float(number), number
    except ValueError:
        return 1, 0.0, number
