"""Lay out the flow of papers through stages: what a picture and the page draw.

::

    layout = lay_out_flow(result.run)
    ribbons = list_ribbons(layout, papers, keeps_missing=True)   # many papers at once
    y = layout.find_height(layout.boxes[0], rank=31)             # one paper

Conventions: heights are shares of the picture's height, from the top. A box is a stage with a
ranking of its own. Its ranks are on a logarithmic axis of decades (1–10, 11–100, …), which have equal heights; below them
is a strip for papers that the stage did not return.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import NamedTuple

import pandas as pd

from .stage_documents import name_rank_column
from .stage_runs import Lane, PipelineRun, Stage

FILLED_SHARE = 0.9  # of a band's height, in the box where the band has most papers
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


class Ribbon(NamedTuple):
    """Papers that are in one band of a box, and in one band of a box that follows.

    Attributes:
        source, target: positions of the boxes.
        source_band, target_band: numbers of the decades, from 0; the last is for missing papers.
        count: of papers.
        source_top, source_bottom, target_top, target_bottom: heights at both ends.
    """

    source: int
    target: int
    source_band: int
    target_band: int
    count: int
    source_top: float
    source_bottom: float
    target_top: float
    target_bottom: float

    @property
    def falls(self) -> bool:
        """Whether the papers fall into a lower band, or are lost."""
        return self.target_band > self.source_band


@dataclass(frozen=True)
class FlowLayout:
    """The boxes, and the decades of ranks that each has."""

    boxes: tuple[Box, ...]
    decades: int

    @property
    def column_count(self) -> int:
        """How many columns of boxes there are."""
        return 1 + max((box.column for box in self.boxes), default=-1)

    @property
    def bands(self) -> list[str]:
        """The names of the bands, from the top."""
        names = [f"{10**decade + (decade > 0)}–{10 ** (decade + 1)}" for decade in range(self.decades)]
        return [*names, "not returned"]

    def find_band(self, rank: int | None) -> int:
        """Return the band of a rank; None is the rank of a missing paper."""
        if rank is None:
            return self.decades
        return max(ceil(log10(rank)) - 1, 0)

    def find_height(self, box: Box, rank: int | None) -> float:
        """Return the height at which a paper's line crosses a box."""
        band_height = (box.lane.bottom - box.lane.top) / (self.decades + 1)
        if rank is None:
            return box.lane.top + (self.decades + 0.5) * band_height
        return box.lane.top + log10(rank) * band_height

    def find_band_top(self, box: Box, band: int) -> float:
        """Return where a band of a box begins."""
        return box.lane.top + band * (box.lane.bottom - box.lane.top) / (self.decades + 1)


def lay_out_flow(run: PipelineRun) -> FlowLayout:
    """Return a box for each ranking, in the order in which the stages run."""
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


def list_ribbons(layout: FlowLayout, papers: pd.DataFrame, keeps_missing: bool) -> list[Ribbon]:
    """Return the ribbons between boxes.

    Args:
        papers: rows of `Stages.papers`.
        keeps_missing: whether to draw papers that are missing at both ends, or that come into a box
            from a branch without them.
    """
    bands_by_box = [_find_bands(layout, papers, box) for box in layout.boxes]
    counts: Counter[tuple[int, int, int, int]] = Counter()
    for target, box in enumerate(layout.boxes):
        for source in box.sources:
            for source_band, target_band in zip(bands_by_box[source], bands_by_box[target]):
                is_missing = source_band == layout.decades
                comes_from_nowhere = is_missing and len(box.sources) > 1
                is_absent = is_missing and target_band == layout.decades
                if keeps_missing or not (comes_from_nowhere or is_absent):
                    counts[source, target, source_band, target_band] += 1

    return _stack_ribbons(layout, counts)


def _find_largest_rank(stage: Stage) -> int:
    """Return the number of documents of the query that has most."""
    if stage.ranking.empty:
        return 1
    return int(stage.ranking["rank"].max())


def _shrink_lane(lane: Lane) -> Lane:
    """Return a lane with a gap below it, unless it is the whole height."""
    if lane == Lane(0.0, 1.0):
        return lane
    height = lane.bottom - lane.top
    return Lane(lane.top, lane.bottom - GAP_BETWEEN_LANES * height)


def _find_bands(layout: FlowLayout, papers: pd.DataFrame, box: Box) -> list[int]:
    """Return the band of each paper in a box."""
    ranks = papers[name_rank_column(box.number)]
    return [layout.find_band(None if pd.isna(rank) else int(rank)) for rank in ranks]


def _stack_ribbons(
    layout: FlowLayout, counts: Counter[tuple[int, int, int, int]]
) -> list[Ribbon]:
    """Give ribbons their heights: those at one side of a band lie on each other.

    A band's height stands for the most papers that it has in any box, because the decades of ranks
    hold 10, 90 and 900 papers.
    """
    keys = sorted(counts)
    totals_of_sides: defaultdict[tuple[int, str, int, int], int] = defaultdict(int)
    for source, target, source_band, target_band in keys:
        count = counts[source, target, source_band, target_band]
        totals_of_sides[source, "right", target, source_band] += count
        totals_of_sides[target, "left", source, target_band] += count

    most_of_band: defaultdict[int, int] = defaultdict(int)
    for (*_, band), total in totals_of_sides.items():
        most_of_band[band] = max(most_of_band[band], total)

    filled: defaultdict[tuple[int, str, int, int], int] = defaultdict(int)
    ribbons = []
    for source, target, source_band, target_band in keys:
        count = counts[source, target, source_band, target_band]
        source_side = (source, "right", target, source_band)
        target_side = (target, "left", source, target_band)
        source_ends = _find_ends(layout, source, source_band, filled[source_side], count, most_of_band)
        target_ends = _find_ends(layout, target, target_band, filled[target_side], count, most_of_band)
        filled[source_side] += count
        filled[target_side] += count
        ribbons.append(
            Ribbon(source, target, source_band, target_band, count, *source_ends, *target_ends)
        )
    return ribbons


def _find_ends(
    layout: FlowLayout,
    position: int,
    band: int,
    papers_above: int,
    count: int,
    most_of_band: defaultdict[int, int],
) -> Lane:
    """Return the top and bottom of a ribbon's end, below the papers of ribbons above it."""
    box = layout.boxes[position]
    band_height = (box.lane.bottom - box.lane.top) / (layout.decades + 1)
    paper_height = FILLED_SHARE * band_height / most_of_band[band]
    top = layout.find_band_top(box, band) + papers_above * paper_height
    return Lane(top, top + count * paper_height)


def select_lines(papers: pd.DataFrame, boxes: Sequence[Box], relevant: int, top: int) -> pd.DataFrame:
    """Return the papers that are drawn as lines: relevant ones, and the first of the last box."""
    if not boxes:
        return papers.iloc[:0]
    is_relevant = (papers["relevance"] >= relevant).fillna(False).astype(bool)
    is_top = (papers[name_rank_column(boxes[-1].number)] <= top).fillna(False).astype(bool)
    return papers[is_relevant | is_top]
