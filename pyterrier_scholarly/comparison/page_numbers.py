"""Numbers in the data of a page, which JSON can hold."""

from typing import Any, TypeAlias

import pandas as pd

DECIMALS = 6  # of shares and values
Json: TypeAlias = Any  #: what `json` writes


def round_figure(value: float) -> float | None:
    """Return a figure for JSON; None for NaN."""
    return None if pd.isna(value) else round(float(value), DECIMALS)


def convert_whole(value: Any) -> int | None:
    """Return a whole number for JSON; None for a missing one."""
    return None if pd.isna(value) else int(value)
