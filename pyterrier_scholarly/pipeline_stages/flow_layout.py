"""Lay out the stages of a pipeline as boxes, for the picture and the page.

::

    layout = lay_out_flow(result.run)
    y = layout.find_height(layout.boxes[0], rank=31)

A box is drawn for each stage with a ranking of its own. Many papers at once are drawn as ribbons,
see `flow_ribbons`; some papers as lines, from box to box.

Conventions: heights are shares of the picture's height, from the top. A box has a band for each
decade of ranks (1–10, 11–100, …), and below them one for papers that the stage did not return.
In the picture of a query, ranks are on a logarithmic axis, so all bands have equal heights. In that
of all queries, heights are numbers of papers, see `flow_bands`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from textwrap import shorten
from typing import NamedTuple

import pandas as pd

from .pipeline_run import WHOLE_HEIGHT, Lane, PipelineRun, Stage
from .rank_traces import name_rank_column

LONGEST_LABEL = 20  # characters of a box's name
GAP_BETWEEN_LANES = 0.18  # as a share of a lane's height; the name of the box stands there


class Box(NamedTuple):
    """A stage with a ranking of its own, in the picture.

    Attributes:
        number, name: of the stage.
        column: from the left, from 0.
        lane: top and bottom.
        sources: positions among the boxes from which its papers come.
    """

    number: int
    name: str
    column: int
    lane: Lane
    sources: tuple[int, ...]

    @property
    def label(self) -> str:
        """The number and a short name: without settings, if these make it long."""
        name = self.name
        if len(name) > LONGEST_LABEL:
            name = shorten(name.partition("(")[0], LONGEST_LABEL, placeholder="…")
        return f"{self.number} {name}"


@dataclass(frozen=True)
class FlowLayout:
    """The boxes of a picture.

    Attributes:
        boxes: in the order in which the stages run.
        decades: how many each box has; the band behind the last is for papers not returned.
    """

    boxes: tuple[Box, ...]
    decades: int

    @property
    def column_count(self) -> int:
        """How many columns of boxes there are."""
        return 1 + max((box.column for box in self.boxes), default=-1)

    @property
    def missing_band(self) -> int:
        """The number of the last band, of the papers that a stage did not return."""
        return self.decades  # bands count from 0, and each decade has one

    @property
    def bands(self) -> list[str]:
        """The names of the bands, from the top."""
        names = ["1–10"]
        for decade in range(1, self.decades):
            names.append(f"{10**decade + 1}–{10 ** (decade + 1)}")
        return [*names, "not returned"]

    def find_height(self, box: Box, rank: int | None) -> float:
        """Return the height at which a paper's line crosses a box. rank: None if not returned."""
        if rank is None:
            middle_of_last_band = self.decades + 0.5
            return box.lane.top + middle_of_last_band * self.find_band_height(box)
        return box.lane.top + log10(rank) * self.find_band_height(box)

    def find_band_top(self, box: Box, band: int) -> float:
        """Return where a band of a box begins."""
        return box.lane.top + band * self.find_band_height(box)

    def find_band_height(self, box: Box) -> float:
        """Return the height of each band of a box."""
        band_count = self.decades + 1
        return box.lane.height / band_count


def lay_out_flow(run: PipelineRun) -> FlowLayout:
    """Return a box for each stage that ranks anew, each right of those that it received."""
    ranked_stages = [stage for stage in run.stages if stage.is_ranking_of_its_own]
    position_by_number = {stage.number: position for position, stage in enumerate(ranked_stages)}

    boxes: list[Box] = []
    for stage in ranked_stages:
        rankings_before = run.find_rankings_before(stage)
        sources = tuple(position_by_number[ranking.number] for ranking in rankings_before)
        column = 1 + max((boxes[position].column for position in sources), default=-1)
        boxes.append(Box(stage.number, stage.name, column, _shrink_lane(stage.lane), sources))

    largest_rank = max((_find_largest_rank(stage) for stage in ranked_stages), default=1)
    decades = max(ceil(log10(max(largest_rank, 1))), 1)
    return FlowLayout(tuple(boxes), decades)


def select_lines(
    papers: pd.DataFrame, boxes: Sequence[Box], relevant: int, top: int
) -> pd.DataFrame:
    """Return the papers that are drawn as lines: relevant ones, and the first of the last box."""
    if not boxes:
        return papers.iloc[:0]
    is_relevant = (papers["label"] >= relevant).fillna(False).astype(bool)
    is_top = (papers[name_rank_column(boxes[-1].number)] <= top).fillna(False).astype(bool)
    return papers[is_relevant | is_top]


def _find_largest_rank(stage: Stage) -> int:
    """Return the number of documents of the query that has most."""
    if stage.ranking.empty:
        return 1
    return int(stage.ranking["rank"].max())


def _shrink_lane(lane: Lane) -> Lane:
    """Return a lane with a gap below it, unless it is the whole height."""
    if lane == WHOLE_HEIGHT:
        return lane
    return Lane(lane.top, lane.bottom - GAP_BETWEEN_LANES * lane.height)
