"""The flow of papers through the stages of a pipeline."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..arguments import Positive, check_arguments
from ..pipeline_stages import Stages
from ..pipeline_stages.flow_bands import (
    BandCount,
    PlacedBand,
    count_bands_by_query,
    describe_band,
    describe_count,
    list_bands,
)
from ..pipeline_stages.flow_layout import Box, FlowLayout, lay_out_flow, select_lines
from ..pipeline_stages.flow_ribbons import Ribbon, list_ribbons, list_ribbons_by_query
from ..pipeline_stages.pipeline_run import Lane
from ..pipeline_stages.rank_traces import name_rank_column
from .panels import BLUE, GREY, VERMILION, create_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH, PAGE_WIDTH = 3.4, 7.0  # inches, of a paper in two columns
MOST_BOXES_OF_A_COLUMN = 3  # boxes beside each other that fit into COLUMN_WIDTH
DEFAULT_HEIGHT = 2.6  # inches
TEXT_SIZE = 7  # points
RIBBON_OPACITY, BACKGROUND_OPACITY = 0.45, 0.15
HALO_OPACITY = 0.7
SOFT = 0.7  # opacity of the ranges of ranks
BOX_WIDTH = 0.06  # in columns of boxes
RANKS_WIDTH = 0.55  # in columns of boxes, for the ranges of ranks at the left
LABEL_WIDTH = 0.85  # in columns of boxes, for the names and numbers at the right
GAP = 0.04  # in columns of boxes, between a box and a text beside it
# heights count downwards, as ranks do: boxes go from 0 to 1, and their names stand above 0
TOP, BOTTOM = -0.07, 1.01
NAME_GAP = 0.012  # between a box and the text above it


@check_arguments
def plot_stages(
    stages: Stages,
    qid: str | None = None,
    width: Positive | None = None,
    height: Positive = DEFAULT_HEIGHT,
) -> "Figure":
    """Draw how papers flow through the stages of a pipeline.

    Each bar is a stage that changes the ranking, with the best ranks at the top.

    Without `qid`, bands are the relevant papers of all queries: blue if they keep their range of
    ranks or rise, vermilion if they fall or are left out, grey if neither stage has them. In each
    bar, heights are proportional to numbers of relevant papers. Beside it are these numbers, and
    how many papers the range of ranks has ("1–10: 50 of 170").

    With `qid`, the height is the rank, on a logarithmic axis. Lines are the query's relevant papers
    (blue, dashed vermilion if the last stage lacks them) and the first ones of the last stage
    (grey). Grey bands are all papers; numbers count them as above, heights do not.

    The frame behind it is `Stages.papers`.

    Args:
        stages: of `pipeline_stages.stages`.
        qid: a query; None for all.
        width, height: inches; width None for a column of a two-column paper, or for its page if
            more than three stages stand beside each other.

    Raises:
        ValueError: no stage ranks, or `qid` was not evaluated.
    """
    layout = lay_out_flow(stages.run)
    if not layout.boxes:
        raise ValueError("nothing to draw: no stage of the pipeline ranks documents")
    _check_query(stages, qid)
    if width is None:
        is_narrow = layout.column_count <= MOST_BOXES_OF_A_COLUMN
        width = COLUMN_WIDTH if is_narrow else PAGE_WIDTH

    figure, axes = create_panels(1, 1, width, height)
    panel = axes[0, 0]
    if qid is None:
        _draw_relevant_papers(panel, layout, stages)
    else:
        _draw_papers_of_query(panel, layout, stages, qid)

    _name_boxes(panel, layout)
    panel.set_ylim(BOTTOM, TOP)  # the best ranks at the top
    panel.set_axis_off()
    _add_legend(panel, stages, qid)
    return figure


def _check_query(stages: Stages, qid: str | None) -> None:
    """Raise ValueError for a query that was not evaluated."""
    qids = stages.judgements.qids
    if qid is not None and qid not in qids:
        raise ValueError(
            f"plot_stages, qid={qid!r}: expected one of the {len(qids)} evaluated queries, such as "
            f"{qids[0]!r}."
        )


def _draw_relevant_papers(panel: "Axes", layout: FlowLayout, stages: Stages) -> None:
    """Draw the relevant papers of all queries as bands between boxes."""
    papers = stages.papers
    relevant = stages.judgements.relevant
    bands = list_bands(layout, papers, relevant)

    # the label of a paper without a judgement is missing: it is not relevant
    is_relevant = (papers["label"] >= relevant).fillna(False).astype(bool)
    for ribbon in list_ribbons(layout, bands, papers[is_relevant]):
        _draw_ribbon(panel, layout, ribbon, _choose_colour(layout, ribbon), RIBBON_OPACITY)
    _draw_filled_boxes(panel, layout, bands)


def _draw_papers_of_query(panel: "Axes", layout: FlowLayout, stages: Stages, qid: str) -> None:
    """Draw all papers of a query as bands, and in front of them the lines of `select_lines`."""
    papers_of_query = stages.papers[stages.papers["qid"] == qid]
    relevant = stages.judgements.relevant

    for ribbon in list_ribbons_by_query(layout, papers_of_query).get(qid, []):
        _draw_ribbon(panel, layout, ribbon, GREY, BACKGROUND_OPACITY)
    lines = select_lines(papers_of_query, layout.boxes, relevant, stages.top)
    for paper in lines.to_dict("records"):
        _draw_line(panel, layout, paper, relevant)

    counts = count_bands_by_query(layout, papers_of_query, relevant).get(qid, [])
    _draw_ranked_boxes(panel, layout, counts)


def _choose_colour(layout: FlowLayout, ribbon: Ribbon) -> str:
    """Return a ribbon's colour: whether its papers fall, or are in neither stage."""
    is_in_neither = ribbon.source_band == ribbon.target_band == layout.missing_band
    if is_in_neither:
        return GREY
    return VERMILION if ribbon.falls else BLUE


def _draw_ribbon(
    panel: "Axes", layout: FlowLayout, ribbon: Ribbon, colour: str, opacity: float
) -> None:
    """Draw a ribbon with curved sides."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    start = layout.boxes[ribbon.source].column + BOX_WIDTH
    end = layout.boxes[ribbon.target].column
    middle = (start + end) / 2
    points = [
        (start, ribbon.source_top),
        (middle, ribbon.source_top),
        (middle, ribbon.target_top),
        (end, ribbon.target_top),
        (end, ribbon.target_bottom),
        (middle, ribbon.target_bottom),
        (middle, ribbon.source_bottom),
        (start, ribbon.source_bottom),
        (start, ribbon.source_top),
    ]
    curve = [Path.CURVE4] * 3
    codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
    patch = PathPatch(Path(points, codes), facecolor=colour, alpha=opacity, linewidth=0)
    panel.add_patch(patch)


def _draw_line(panel: "Axes", layout: FlowLayout, paper: dict, relevant: int) -> None:
    """Draw the line of a paper from box to box, at the height of its rank in each.

    Args:
        panel, layout: of the picture.
        paper: a row of `Stages.papers`.
        relevant: the smallest label of a relevant paper.
    """
    is_relevant = not pd.isna(paper["label"]) and paper["label"] >= relevant
    is_lost = _read_rank(paper, layout.boxes[-1]) is None
    style: dict[str, Any]
    if not is_relevant:
        style = {"color": GREY, "linewidth": 0.6, "linestyle": "-"}
    elif is_lost:
        style = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
    else:
        style = {"color": BLUE, "linewidth": 1.2, "linestyle": "-"}

    for box in layout.boxes:
        rank = _read_rank(paper, box)
        for source_position in box.sources:  # several if branches of the pipeline join here
            source = layout.boxes[source_position]
            source_rank = _read_rank(paper, source)
            comes_from_another_branch = source_rank is None and len(box.sources) > 1
            is_in_neither = source_rank is None and rank is None
            if comes_from_another_branch or is_in_neither:
                continue

            columns = [source.column + BOX_WIDTH, box.column]
            heights = [layout.find_height(source, source_rank), layout.find_height(box, rank)]
            panel.plot(columns, heights, **style)


def _read_rank(paper: dict, box: Box) -> int | None:
    """Return a paper's rank in a box; None if it is not there."""
    rank = paper[name_rank_column(box.number)]
    return None if pd.isna(rank) else int(rank)


def _draw_filled_boxes(panel: "Axes", layout: FlowLayout, bands: Sequence[PlacedBand]) -> None:
    """Draw each stage's bands, as high as their numbers of relevant papers, and these numbers."""
    for band in bands:
        box = layout.boxes[band.papers.box]
        _draw_box(panel, box, band.lane)
        middle = (band.lane.top + band.lane.bottom) / 2
        _write_beside(panel, box, middle, describe_band(layout, band.papers))
    panel.set_xlim(-GAP, layout.column_count - 1 + LABEL_WIDTH)


def _draw_ranked_boxes(panel: "Axes", layout: FlowLayout, counts: Sequence[BandCount]) -> None:
    """Draw each stage with equal bands, the numbers of papers, and the ranks at the left."""
    for box in layout.boxes:
        _draw_box(panel, box, box.lane)
        is_leftmost = box.column == 0
        if is_leftmost:
            _write_ranks(panel, layout, box)

    for count in counts:
        box = layout.boxes[count.box]
        middle = _find_band_middle(layout, box, count.band)
        _write_beside(panel, box, middle, describe_count(layout, count))
    panel.set_xlim(-RANKS_WIDTH, layout.column_count - 1 + LABEL_WIDTH)


def _write_ranks(panel: "Axes", layout: FlowLayout, box: Box) -> None:
    """Write the ranges of ranks at the left of a box, each beside its band."""
    panel.text(-GAP, box.lane.top - NAME_GAP, "rank", size=TEXT_SIZE, ha="right", alpha=SOFT)
    for band, name in enumerate(layout.bands):
        middle = _find_band_middle(layout, box, band)
        panel.text(-GAP, middle, name, size=TEXT_SIZE, va="center", ha="right", alpha=SOFT)


def _find_band_middle(layout: FlowLayout, box: Box, band: int) -> float:
    """Return the height of the middle of a band in a box of equal bands."""
    return layout.find_band_top(box, band) + layout.find_band_height(box) / 2


def _draw_box(panel: "Axes", box: Box, lane: Lane) -> None:
    """Draw a box, or one of its bands, as high as `lane`."""
    from matplotlib.patches import Rectangle

    outline = Rectangle(
        (box.column, lane.top),
        BOX_WIDTH,
        lane.height,
        facecolor="none",
        edgecolor=GREY,
        linewidth=0.6,
    )
    panel.add_patch(outline)


def _write_beside(panel: "Axes", box: Box, height: float, text: str) -> None:
    """Write a text at the right of a box."""
    from matplotlib.patheffects import withStroke

    # bands and lines run behind it
    halo = withStroke(linewidth=2, foreground=panel.get_facecolor(), alpha=HALO_OPACITY)
    panel.text(
        box.column + BOX_WIDTH + GAP,
        height,
        text,
        size=TEXT_SIZE,
        va="center",
        path_effects=[halo],
    )


def _name_boxes(panel: "Axes", layout: FlowLayout) -> None:
    """Write the stages' names above their boxes."""
    for box in layout.boxes:
        panel.text(box.column, box.lane.top - NAME_GAP, box.label, size=TEXT_SIZE, va="bottom")


def _add_legend(panel: "Axes", stages: Stages, qid: str | None) -> None:
    """Say below the picture what its colours mean."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if qid is None:
        title = "relevant papers of all queries; heights are their numbers"
        handles: list = [
            Patch(color=BLUE, alpha=RIBBON_OPACITY, label="keep their range or rise"),
            Patch(color=VERMILION, alpha=RIBBON_OPACITY, label="fall, or left out"),
            Patch(color=GREY, alpha=RIBBON_OPACITY, label="in neither"),
        ]
    else:
        title = f"papers of query {qid:.40}\nheights are ranks, numbers the relevant of all papers"
        handles = [
            Line2D([], [], color=BLUE, label="relevant"),
            Line2D([], [], color=VERMILION, linestyle="--", label="relevant, lost"),
            Line2D([], [], color=GREY, linewidth=0.6, label=f"first {stages.top} at last"),
        ]
    panel.legend(
        handles=handles,
        title=title,
        title_fontsize=TEXT_SIZE,
        fontsize=TEXT_SIZE,
        ncols=len(handles),
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        frameon=False,
        columnspacing=1.0,
        handlelength=1.5,
    )
