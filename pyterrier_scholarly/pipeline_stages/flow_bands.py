"""Count the papers in each band of each box, and share a box's height among its bands.

::

    bands = list_bands(layout, papers, relevant=1)            # of all queries together
    counts = count_bands_by_query(layout, papers, relevant=1)  # of each query alone

Conventions: boxes are called by their positions in `FlowLayout.boxes`. Bands are numbered from the
top, from 0; the last is for papers that the stage did not return. Heights are shares of the
picture's height.
"""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pandas as pd

from .flow_layout import Box, FlowLayout
from .pipeline_run import Lane
from .rank_traces import name_rank_column

LEAST_SLOT = 0.05  # of the picture's height: a line of text fits beside a band of few papers


class BandCount(NamedTuple):
    """How many papers are in a band of a box.

    Attributes:
        box, band: which one.
        relevant_count: of its relevant papers.
        paper_count: of all its papers. In the last band, which has those that the stage did not
            return, it counts only papers that another stage ranked, or that are relevant.
    """

    box: int
    band: int
    relevant_count: int
    paper_count: int


class PlacedBand(NamedTuple):
    """A band of a box in the picture of all queries.

    Attributes:
        papers: how many it has.
        lane: where it is drawn; in each box, heights are proportional to the relevant papers.
    """

    papers: BandCount
    lane: Lane


def list_bands(layout: FlowLayout, papers: pd.DataFrame, relevant: int) -> list[PlacedBand]:
    """Return the bands of all boxes, with their papers counted over all queries together.

    In each box, the bands share its height in proportion to their relevant papers. Bands without
    papers are left out, and so is a last band without relevant papers, as it would have no height
    and no text but 0.

    Args:
        layout: of the picture.
        papers: as `Stages.papers`.
        relevant: lowest grade of a relevant paper.
    """
    counts_by_box: defaultdict[int, list[BandCount]] = defaultdict(list)
    for count in _count_bands(layout, papers, relevant):
        is_of_missing = count.band == layout.missing_band
        if count.relevant_count or not is_of_missing:
            counts_by_box[count.box].append(count)

    placed_bands = []
    for box, counts in counts_by_box.items():
        box_lane = layout.boxes[box].lane
        band_lanes = share_lane(box_lane, [count.relevant_count for count in counts])
        for count, band_lane in zip(counts, band_lanes):
            placed_bands.append(PlacedBand(count, band_lane))
    return placed_bands


def count_bands_by_query(
    layout: FlowLayout, papers: pd.DataFrame, relevant: int
) -> dict[str, list[BandCount]]:
    """Return the counts of each query's bands, by the query's id; arguments as of `list_bands`."""
    table = _tabulate_bands(layout, papers, relevant)
    totals = table.groupby(["qid", "box", "band"])["is_relevant"].agg(["sum", "size"])

    counts_by_qid: defaultdict[str, list[BandCount]] = defaultdict(list)
    for (qid, box, band), relevant_count, paper_count in totals.itertuples(name=None):
        count = BandCount(int(box), int(band), int(relevant_count), int(paper_count))
        counts_by_qid[qid].append(count)
    return dict(counts_by_qid)


def find_bands(layout: FlowLayout, papers: pd.DataFrame, box: Box) -> np.ndarray:
    """Return the number of each paper's band in a box: an int array (papers,).

    Ranks 1–10 are in band 0, 11–100 in band 1, and so on; papers without a rank are in the last.
    """
    ranks = papers[name_rank_column(box.number)].to_numpy(dtype=float, na_value=np.nan)
    # rank 1 is in the first decade, although its logarithm is 0
    decades = np.maximum(np.ceil(np.log10(ranks)) - 1, 0)
    is_missing = np.isnan(ranks)
    return np.where(is_missing, layout.missing_band, decades).astype(int)


def describe_band(layout: FlowLayout, count: BandCount) -> str:
    """Return the text beside a band, such as "1–10: 50 of 170", or "not returned: 243"."""
    name = layout.bands[count.band]
    return f"{name}: {describe_count(layout, count)}"


def describe_count(layout: FlowLayout, count: BandCount) -> str:
    """Return the relevant papers of all papers in a band, such as "50 of 170".

    The papers that a stage did not return are the rest of the collection, so these are not counted.
    """
    if count.band == layout.missing_band:
        return str(count.relevant_count)
    return f"{count.relevant_count} of {count.paper_count}"


def share_lane(lane: Lane, sizes: list[int]) -> list[Lane]:
    """Return a lane for each of `sizes`, from the top, with heights in proportion to the sizes.

    Beside each of these parts there is room for a line of text. So a small part lies in the middle
    of a slot that is higher than the part; the others share what is left, all on one scale.

    >>> share_lane(Lane(0.0, 1.0), [3, 1])
    [Lane(top=0.0, bottom=0.75), Lane(top=0.75, bottom=1.0)]
    """
    least_slot = min(LEAST_SLOT, lane.height / len(sizes))
    height_of_one = _find_scale(lane.height, sizes, least_slot)

    part_lanes = []
    slot_top = lane.top
    for size in sizes:
        part_height = size * height_of_one
        slot_height = max(part_height, least_slot)
        part_top = slot_top + (slot_height - part_height) / 2
        part_lanes.append(Lane(part_top, part_top + part_height))
        slot_top += slot_height
    return part_lanes


def _find_scale(height: float, sizes: list[int], least_slot: float) -> float:
    """Return the height of a part of size 1, if no slot is lower than `least_slot`.

    Parts that would be lower than the slot leave the scale, the smallest first: each takes a whole
    slot, and the larger ones share what is left. 0 if all sizes are 0.

    Args:
        height: of all slots together.
        sizes: of the parts.
        least_slot: height of the lowest slot.
    """
    large_sizes = sorted(sizes)
    small_count = 0
    while sum(large_sizes):
        height_left = height - small_count * least_slot
        height_of_one = height_left / sum(large_sizes)
        smallest_height = large_sizes[0] * height_of_one
        if smallest_height >= least_slot:
            return height_of_one

        large_sizes.pop(0)  # it takes a whole slot
        small_count += 1
    return 0.0


def _count_bands(layout: FlowLayout, papers: pd.DataFrame, relevant: int) -> list[BandCount]:
    """Return the counts of the bands that have papers, over all queries, by box, then by band."""
    table = _tabulate_bands(layout, papers, relevant)
    totals = table.groupby(["box", "band"])["is_relevant"].agg(["sum", "size"])

    counts = []
    for (box, band), relevant_count, paper_count in totals.itertuples(name=None):
        count = BandCount(int(box), int(band), int(relevant_count), int(paper_count))
        counts.append(count)
    return counts


def _tabulate_bands(layout: FlowLayout, papers: pd.DataFrame, relevant: int) -> pd.DataFrame:
    """Return `qid`, `box`, `band`, `is_relevant`: a row for each paper and each box."""
    is_relevant = (papers["label"] >= relevant).fillna(False).to_numpy(dtype=bool)

    blocks = []
    for position, box in enumerate(layout.boxes):
        block = pd.DataFrame(
            {
                "qid": papers["qid"].to_numpy(dtype=object),
                "box": position,
                "band": find_bands(layout, papers, box),
                "is_relevant": is_relevant,
            }
        )
        blocks.append(block)

    if not blocks:
        return pd.DataFrame(columns=["qid", "box", "band", "is_relevant"])
    return pd.concat(blocks, ignore_index=True)
