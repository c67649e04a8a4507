"""The two pictures of a score on its page: a bar for each part, and heat maps of similarities.

Everything is computed here; ``_page/page.html`` writes it as HTML. The records are what that
template reads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..similarity.matches import Matches
from .score_parts import Part

# the ends of the colours' scale in page.css: red, green and blue, 0 to 255
LIGHTEST = np.array([237, 244, 251])
DARKEST = np.array([8, 64, 129])
ROUNDING = 1e-6  # of a similarity in single precision
WHITE_INK_FROM = 0.68  # position on the scale where white is as legible as black


@dataclass(frozen=True)
class Bar:
    """A part's bar. left: its left end. width: both in percent of the space for bars."""

    name: str
    value: float
    left: float
    width: float


@dataclass(frozen=True)
class Cell:
    """A similarity on the ground that shows it.

    fill, ink: colours of the ground and of the number, as CSS writes them.
    best: whether it is the highest of its row.
    """

    value: float
    fill: str
    ink: str
    best: bool


@dataclass(frozen=True)
class HeatMapRow:
    """A query sentence's similarities. number: its id."""

    number: int
    cells: list[Cell]


@dataclass(frozen=True)
class HeatMap:
    """The similarities of all pairs of sentences."""

    names: list[str]  #: of the parts that have these similarities
    matrix: pd.DataFrame  #: the similarities, (m, n)
    unit: str  #: of the similarities, see `Matches`
    low: float  #: the least similarity
    high: float  #: the greatest similarity
    columns: Sequence[int]  #: ids of the document's sentences
    rows: list[HeatMapRow]  #: a row per sentence of the query


def draw_bars(parts: Sequence[Part]) -> list[Bar]:
    """Return a bar for each part; all of them start at one zero."""
    values = [part.value for part in parts]
    lowest = min(0, *values)
    highest = max(0, *values)
    percent_per_unit = 100 / ((highest - lowest) or 1)

    bars = []
    for part in parts:
        left_value = min(part.value, 0)  # a negative bar ends at zero, a positive one starts there
        left = percent_per_unit * (left_value - lowest)
        width = percent_per_unit * abs(part.value)
        bars.append(Bar(part.name, part.value, left, width))
    return bars


def draw_heat_maps(parts: Iterable[Part]) -> list[HeatMap]:
    """Return one heat map for all parts with the same similarities."""
    heat_maps: list[HeatMap] = []
    for part in parts:
        if part.matches is None:
            continue

        equal_map = _find_equal(heat_maps, part.matrix)
        if equal_map is None:
            heat_maps.append(_draw_heat_map(part, part.matches))
        else:
            equal_map.names.append(part.name)
    return heat_maps


def _find_equal(heat_maps: Iterable[HeatMap], matrix: pd.DataFrame) -> HeatMap | None:
    """Return the heat map that has all similarities of a matrix, up to rounding, or None.

    It may have more: only some of the document's sentences count for a centroid.
    """
    for heat_map in heat_maps:
        has_rows = heat_map.matrix.index.equals(matrix.index)
        has_columns = matrix.columns.isin(heat_map.matrix.columns).all()
        if has_rows and has_columns:
            same_columns = heat_map.matrix[matrix.columns]
            if np.allclose(same_columns, matrix, atol=ROUNDING):
                return heat_map
    return None


def _draw_heat_map(part: Part, matches: Matches) -> HeatMap:
    """Return the heat map of one part; `matches` are the part's."""
    similarities = matches.similarities  # (m, n)
    lowest = similarities.min()
    highest = similarities.max()
    positions = (similarities - lowest) / ((highest - lowest) or 1)  # on the scale of colours, 0..1

    rows = []
    for number, query_id in enumerate(part.query_ids):
        best_column = similarities[number].argmax()
        cells = []
        for column in range(similarities.shape[1]):
            is_best = column == best_column
            cells.append(
                _draw_cell(similarities[number, column], positions[number, column], is_best)
            )
        rows.append(HeatMapRow(query_id, cells))

    return HeatMap(
        names=[part.name],
        matrix=part.matrix,
        unit=matches.unit,
        low=lowest,
        high=highest,
        columns=part.document_ids,
        rows=rows,
    )


def _draw_cell(similarity: float, position: float, best: bool) -> Cell:
    """Return the cell of a similarity. position: on the scale of colours, 0..1."""
    red, green, blue = (LIGHTEST + (DARKEST - LIGHTEST) * position).astype(int)
    ink = "#fff" if position > WHITE_INK_FROM else "#000"
    return Cell(similarity, f"rgb({red} {green} {blue})", ink, best)
