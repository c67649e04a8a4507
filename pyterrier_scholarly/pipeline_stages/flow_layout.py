"""Lay out the flow of papers through stages: what a picture and the page draw.

::

    layout = lay_out_flow(result.run)
    ribbons = list_ribbons(layout, papers)   # many papers at once
    y = layout.find_height(layout.boxes[0], rank=31)             # one paper

Conventions: heights are shares of the picture's height, from the top. A box is a stage with a
ranking of its own. Its ranks are on a logarithmic axis of decades (1–10, 11–100, …), which have
equal heights; below them is a strip for papers that the stage did not return.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log10
from textwrap import shorten
from typing import NamedTuple

import numpy as np
import pandas as pd

from .stage_documents import name_rank_column
from .stage_runs import WHOLE_HEIGHT, Lane, PipelineRun, Stage

LONGEST_LABEL = 20  # characters of a box's name
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

    @property
    def label(self) -> str:
        """The number and a short name: without settings, if these make it long."""
        name = self.name
        if len(name) > LONGEST_LABEL:
            name = shorten(name.partition("(")[0], LONGEST_LABEL, placeholder="…")
        return f"{self.number} {name}"


class Side(NamedTuple):
    """A band at one side of a box, where the ribbons to or from one other box end."""

    box: int
    other_box: int
    band: int


class Move(NamedTuple):
    """From a band of a box to a band of a box that follows; see `Ribbon`."""

    source: int
    target: int
    source_band: int
    target_band: int

    @property
    def right_side(self) -> Side:
        """Where the ribbon begins."""
        return Side(self.source, self.target, self.source_band)

    @property
    def left_side(self) -> Side:
        """Where the ribbon ends."""
        return Side(self.target, self.source, self.target_band)


class Ribbon(NamedTuple):
    """Papers that are in one band of a box, and in one band of a box that follows.

    Attributes:
        source, target: positions of the boxes.
        source_band, target_band: numbers of the decades, from 0; the last is for missing papers.
        paper_count: how many they are.
        source_top, source_bottom, target_top, target_bottom: heights at both ends.
    """

    source: int
    target: int
    source_band: int
    target_band: int
    paper_count: int
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
        names = ["1–10"]
        for decade in range(1, self.decades):
            names.append(f"{10**decade + 1}–{10 ** (decade + 1)}")
        return [*names, "not returned"]

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


def list_ribbons(layout: FlowLayout, papers: pd.DataFrame) -> list[Ribbon]:
    """Return the ribbons of all papers together, missing ones included.

    papers: rows of `Stages.papers`.
    """
    one_group = np.zeros(len(papers), dtype=int)
    counts_by_group = _count_moves(layout, papers, one_group, keeps_missing=True)
    return _stack_ribbons(layout, counts_by_group[0])


def list_ribbons_by_query(layout: FlowLayout, papers: pd.DataFrame) -> dict[str, list[Ribbon]]:
    """Return the ribbons of each query's papers.

    A paper is drawn only where it is in one of the two boxes, and, in front of an operator, only
    from the branches that have it.

    papers: rows of `Stages.papers`.
    """
    qids = papers["qid"].to_numpy(dtype=object)
    counts_by_qid = _count_moves(layout, papers, qids, keeps_missing=False)
    return {str(qid): _stack_ribbons(layout, counts) for qid, counts in counts_by_qid.items()}


def select_lines(
    papers: pd.DataFrame, boxes: Sequence[Box], relevant: int, top: int
) -> pd.DataFrame:
    """Return the papers that are drawn as lines: relevant ones, and the first of the last box."""
    if not boxes:
        return papers.iloc[:0]
    is_relevant = (papers["relevance"] >= relevant).fillna(False).astype(bool)
    is_top = (papers[name_rank_column(boxes[-1].number)] <= top).fillna(False).astype(bool)
    return papers[is_relevant | is_top]


def _count_moves(
    layout: FlowLayout, papers: pd.DataFrame, groups: np.ndarray, keeps_missing: bool
) -> defaultdict[object, Counter[Move]]:
    """Count, in each group of papers, those that go from one band of a box to one of the next.

    groups: of each paper (papers,).
    """
    bands_by_box = [_find_bands(layout, papers, box) for box in layout.boxes]  # (papers,) each
    counts_by_group: defaultdict[object, Counter[Move]] = defaultdict(Counter)
    for target, box in enumerate(layout.boxes):
        for source in box.sources:
            moves = pd.DataFrame(
                {
                    "group": groups,
                    "source_band": bands_by_box[source],
                    "target_band": bands_by_box[target],
                }
            )
            if not keeps_missing:
                is_missing = moves["source_band"] == layout.decades
                comes_from_another_branch = is_missing & (len(box.sources) > 1)
                is_absent = is_missing & (moves["target_band"] == layout.decades)
                moves = moves[~(comes_from_another_branch | is_absent)]

            for (group, source_band, target_band), count in moves.value_counts().items():
                move = Move(source, target, int(source_band), int(target_band))
                counts_by_group[group][move] = int(count)
    return counts_by_group


def _find_largest_rank(stage: Stage) -> int:
    """Return the number of documents of the query that has most."""
    if stage.ranking.empty:
        return 1
    return int(stage.ranking["rank"].max())


def _shrink_lane(lane: Lane) -> Lane:
    """Return a lane with a gap below it, unless it is the whole height."""
    if lane == WHOLE_HEIGHT:
        return lane
    height = lane.bottom - lane.top
    return Lane(lane.top, lane.bottom - GAP_BETWEEN_LANES * height)


def _find_bands(layout: FlowLayout, papers: pd.DataFrame, box: Box) -> np.ndarray:
    """Return the number of each paper's band in a box: an int array (papers,)."""
    ranks = papers[name_rank_column(box.number)].to_numpy(dtype=float, na_value=np.nan)
    # rank 1 is in the first decade, although its logarithm is 0
    decades = np.maximum(np.ceil(np.log10(ranks)) - 1, 0)
    return np.where(np.isnan(ranks), layout.decades, decades).astype(int)


def _stack_ribbons(layout: FlowLayout, counts: Counter[Move]) -> list[Ribbon]:
    """Give ribbons their heights: those at one side of a band lie on each other.

    A band's height stands for the most papers that it has in any box, because the decades of ranks
    hold 10, 90 and 900 papers.
    """
    papers_by_side: Counter[Side] = Counter()
    for move, count in counts.items():
        papers_by_side[move.right_side] += count
        papers_by_side[move.left_side] += count

    most_by_band: Counter[int] = Counter()
    for side, paper_count in papers_by_side.items():
        most_by_band[side.band] = max(most_by_band[side.band], paper_count)

    papers_above: Counter[Side] = Counter()  # in each side, those of the ribbons that are stacked
    ribbons = []
    for move, count in sorted(counts.items()):
        ends = []
        for side in (move.right_side, move.left_side):
            most_papers = most_by_band[side.band]
            ends.append(_find_ends(layout, side, papers_above[side], count, most_papers))
            papers_above[side] += count
        source_end, target_end = ends
        ribbons.append(Ribbon(*move, count, *source_end, *target_end))
    return ribbons


def _find_ends(
    layout: FlowLayout, side: Side, papers_above: int, count: int, most_papers: int
) -> Lane:
    """Return the top and bottom of a ribbon's end.

    Args:
        papers_above: of the ribbons above it in the same band.
        count: of the ribbon's papers.
        most_papers: that fill the band.
    """
    box = layout.boxes[side.box]
    band_height = (box.lane.bottom - box.lane.top) / (layout.decades + 1)
    paper_height = FILLED_SHARE * band_height / most_papers
    top = layout.find_band_top(box, side.band) + papers_above * paper_height
    return Lane(top, top + count * paper_height)
