"""Draw many papers at once: as ribbons between the boxes of `flow_layout`.

::

    ribbons = list_ribbons(layout, bands, papers)     # of all queries together, by `list_bands`
    by_query = list_ribbons_by_query(layout, papers)  # of each query alone

Conventions: boxes are called by their positions in `FlowLayout.boxes`. Bands are numbered from the
top, from 0; the last is for papers that the stage did not return. Of all queries, a ribbon is as
high as its number of papers, in proportion, at each box. Of a query, bands have equal heights,
because lines of papers show ranks there; a ribbon's height is then its share of the band alone.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from .flow_bands import PlacedBand, find_bands
from .flow_layout import FlowLayout
from .pipeline_run import Lane

FILLED_SHARE = 0.9  # of a band's height, in the box where the band has most papers


class Move(NamedTuple):
    """The way from a band of one box to a band of a box that follows."""

    source: int
    target: int
    source_band: int
    target_band: int


class Ribbon(NamedTuple):
    """The papers that make one `Move`, as they are drawn.

    Attributes:
        source, target: the boxes.
        source_band, target_band: the bands.
        paper_count: how many papers they are.
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


class BandSpace(NamedTuple):
    """Where the ribbons of a band end in a box.

    lane: its top and bottom.
    capacity: how many papers fill it.
    """

    lane: Lane
    capacity: int


class StackKey(NamedTuple):
    """Names a stack: the ribbon ends that lie on each other in a band, on one side of its box.

    Ribbons from one other box, or to it, make a stack of their own: `box` and `band` say where the
    ends lie, `other_box` where the ribbons go or come from.
    """

    box: int
    other_box: int
    band: int


def list_ribbons(
    layout: FlowLayout, bands: Sequence[PlacedBand], papers: pd.DataFrame
) -> list[Ribbon]:
    """Return the ribbons of all relevant papers together, also of those that neither box has.

    Args:
        bands: of `list_bands`, which the ribbons fill.
        papers: the relevant rows of `Stages.papers`.
    """
    moves = _list_moves(layout, papers)
    paper_counts = moves.value_counts(list(Move._fields))  # how many papers make the same move
    counts: Counter[Move] = Counter()
    for numbers, paper_count in paper_counts.items():
        counts[_read_move(numbers)] = int(paper_count)

    space_by_band = {}
    for placed_band in bands:
        papers_of_band = placed_band.papers
        space = BandSpace(placed_band.lane, capacity=papers_of_band.relevant_count)
        space_by_band[papers_of_band.box, papers_of_band.band] = space
    return _stack_ribbons(counts, space_by_band)


def list_ribbons_by_query(layout: FlowLayout, papers: pd.DataFrame) -> dict[str, list[Ribbon]]:
    """Return the ribbons of each query's papers.

    A paper is drawn only where it is in one of the two boxes, and, in front of an operator, only
    from the branches that have it.

    papers: rows of `Stages.papers`.
    """
    moves = _list_moves(layout, papers)
    drawn_moves = moves[~_mark_hidden(layout, moves)]
    paper_counts = drawn_moves.value_counts(["qid", *Move._fields])
    counts_by_qid: defaultdict[str, Counter[Move]] = defaultdict(Counter)
    for (qid, *numbers), paper_count in paper_counts.items():
        counts_by_qid[qid][_read_move(numbers)] = int(paper_count)

    ribbons_by_qid = {}
    for qid, counts in counts_by_qid.items():
        ribbons_by_qid[qid] = _stack_ribbons(counts, _divide_equally(layout, counts))
    return ribbons_by_qid


def _mark_hidden(layout: FlowLayout, moves: pd.DataFrame) -> pd.Series:
    """Mark the moves of a query's papers that no ribbon shows, see `list_ribbons_by_query`.

    moves: of `_list_moves`.
    """
    is_source_missing = moves["source_band"] == layout.missing_band
    is_target_missing = moves["target_band"] == layout.missing_band
    is_in_neither_box = is_source_missing & is_target_missing

    # an operator receives several branches: the paper comes from another one, if from any
    operators = [position for position, box in enumerate(layout.boxes) if len(box.sources) > 1]
    is_to_operator = moves["target"].isin(operators)
    return is_in_neither_box | (is_source_missing & is_to_operator)


def _list_moves(layout: FlowLayout, papers: pd.DataFrame) -> pd.DataFrame:
    """Return `qid` and the columns of `Move`: a row for each paper and each two boxes in a row."""
    bands_by_box = [find_bands(layout, papers, box) for box in layout.boxes]  # (papers,) each
    blocks = []
    for target, box in enumerate(layout.boxes):
        for source in box.sources:
            block = pd.DataFrame(
                {
                    "qid": papers["qid"].to_numpy(dtype=object),
                    "source": source,
                    "target": target,
                    "source_band": bands_by_box[source],
                    "target_band": bands_by_box[target],
                }
            )
            blocks.append(block)
    if not blocks:
        return pd.DataFrame(columns=["qid", *Move._fields])
    return pd.concat(blocks, ignore_index=True)


def _read_move(numbers: Sequence[int]) -> Move:
    """Return a move from its fields as whole numbers of Python, which JSON takes."""
    source, target, source_band, target_band = [int(number) for number in numbers]
    return Move(source, target, source_band, target_band)


def _divide_equally(layout: FlowLayout, counts: Counter[Move]) -> dict[tuple[int, int], BandSpace]:
    """Return the space of each box's bands, by box and band: all bands of a box are equally high.

    Bands of one number have one capacity in all boxes, so that their ribbons can be compared.
    """
    most_papers = _find_most_papers(counts)
    space_by_band = {}
    for position, box in enumerate(layout.boxes):
        height = FILLED_SHARE * layout.find_band_height(box)
        for band, capacity in most_papers.items():
            top = layout.find_band_top(box, band)
            space_by_band[position, band] = BandSpace(Lane(top, top + height), capacity)
    return space_by_band


def _stack_ribbons(
    counts: Counter[Move], space_by_band: Mapping[tuple[int, int], BandSpace]
) -> list[Ribbon]:
    """Turn moves into ribbons whose ends lie on each other, from the top of each band.

    A stack is the ends of all ribbons between one band and one other box.

    Args:
        counts: how many papers make each move.
        space_by_band: where the ribbons of a band end, by box and band.
    """
    stacked_counts: Counter[StackKey] = Counter()  # papers that lie in each stack already
    ribbons = []
    for move, count in sorted(counts.items()):
        source_space = space_by_band[move.source, move.source_band]
        source_stack = _name_source_stack(move)
        source_end = _place_end(source_space, stacked_counts[source_stack], count)
        stacked_counts[source_stack] += count

        target_space = space_by_band[move.target, move.target_band]
        target_stack = _name_target_stack(move)
        target_end = _place_end(target_space, stacked_counts[target_stack], count)
        stacked_counts[target_stack] += count

        ribbon = Ribbon(
            source=move.source,
            target=move.target,
            source_band=move.source_band,
            target_band=move.target_band,
            paper_count=count,
            source_top=source_end.top,
            source_bottom=source_end.bottom,
            target_top=target_end.top,
            target_bottom=target_end.bottom,
        )
        ribbons.append(ribbon)
    return ribbons


def _find_most_papers(counts: Counter[Move]) -> dict[int, int]:
    """Return for each band the most papers that any stack in it has, by the band's number.

    So many papers fill a band. Bands differ, because the decades of ranks hold 10, 90, 900 papers.
    """
    stack_counts: Counter[StackKey] = Counter()
    for move, count in counts.items():
        stack_counts[_name_source_stack(move)] += count
        stack_counts[_name_target_stack(move)] += count

    most_papers: defaultdict[int, int] = defaultdict(int)
    for stack, count in stack_counts.items():
        most_papers[stack.band] = max(most_papers[stack.band], count)
    return most_papers


def _name_source_stack(move: Move) -> StackKey:
    """Return the stack in which a ribbon begins."""
    return StackKey(box=move.source, other_box=move.target, band=move.source_band)


def _name_target_stack(move: Move) -> StackKey:
    """Return the stack in which a ribbon ends."""
    return StackKey(box=move.target, other_box=move.source, band=move.target_band)


def _place_end(space: BandSpace, stacked_count: int, count: int) -> Lane:
    """Return the top and bottom of a ribbon's end.

    Args:
        space: of the band.
        stacked_count: papers of the ribbons that lie above it.
        count: its own papers.
    """
    paper_height = space.lane.height / space.capacity
    top = space.lane.top + stacked_count * paper_height
    return Lane(top, top + count * paper_height)
