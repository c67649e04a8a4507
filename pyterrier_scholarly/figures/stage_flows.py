"""The flow of papers through the stages of a pipeline."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..arguments import Positive, check_arguments
from ..pipeline_stages import Stages
from ..pipeline_stages.flow_layout import Box, FlowLayout, lay_out_flow, select_lines
from ..pipeline_stages.flow_ribbons import Ribbon, list_ribbons, list_ribbons_by_query
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
SOFT = 0.7  # opacity of the ranges of ranks
BOX_WIDTH = 0.06  # in columns of boxes
LABEL_WIDTH = 0.55  # in columns of boxes, for the names at the right and the ranks at the left


@check_arguments
def plot_stages(
    stages: Stages,
    qid: str | None = None,
    width: Positive | None = None,
    height: Positive = DEFAULT_HEIGHT,
) -> "Figure":
    """Draw how papers flow through the stages of a pipeline.

    Each bar is a stage that changes the ranking, with rank 1 at the top, on a logarithmic axis.
    Without `qid`, bands are the relevant papers of all queries: blue if they keep their range of
    ranks or rise, vermilion if they fall or are left out, grey if neither stage has them. With
    `qid`, grey bands are all papers of that query; lines are its relevant papers (blue, dashed
    vermilion if the last stage lacks them) and the first ones of the last stage (grey). The frame
    behind it is `Stages.papers`.

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
        _draw_all_queries(panel, layout, stages)
    else:
        _draw_one_query(panel, layout, stages, qid)

    _draw_boxes(panel, layout)
    _add_legend(panel, stages, qid)
    return figure


def _draw_all_queries(panel: "Axes", layout: FlowLayout, stages: Stages) -> None:
    """Draw the relevant papers of all queries as coloured bands."""
    is_relevant = stages.papers["relevance"] >= stages.judgements.relevant
    is_relevant = is_relevant.fillna(False).astype(bool)  # unjudged papers are not
    relevant_papers = stages.papers[is_relevant]
    for ribbon in list_ribbons(layout, relevant_papers):
        colour = _choose_colour(layout, ribbon)
        _draw_ribbon(panel, layout, ribbon, colour, RIBBON_OPACITY)


def _draw_one_query(panel: "Axes", layout: FlowLayout, stages: Stages, qid: str) -> None:
    """Draw all papers of a query as grey bands, and a line for each of the chosen ones."""
    papers_of_query = stages.papers[stages.papers["qid"] == qid]
    for ribbon in list_ribbons_by_query(layout, papers_of_query).get(qid, []):
        _draw_ribbon(panel, layout, ribbon, GREY, BACKGROUND_OPACITY)

    lowest_relevant_grade = stages.judgements.relevant
    papers = select_lines(papers_of_query, layout.boxes, lowest_relevant_grade, stages.top)
    for paper in papers.to_dict("records"):
        _draw_line(panel, layout, paper, lowest_relevant_grade)


def _check_query(stages: Stages, qid: str | None) -> None:
    """Raise ValueError for a query that was not evaluated."""
    qids = stages.judgements.qids
    if qid is not None and qid not in qids:
        raise ValueError(
            f"plot_stages, qid={qid!r}: expected one of the {len(qids)} evaluated queries, such as "
            f"{qids[0]!r}."
        )


def _choose_colour(layout: FlowLayout, ribbon: Ribbon) -> str:
    """Return a ribbon's colour: whether its papers fall, or are in neither stage."""
    is_absent = ribbon.source_band == ribbon.target_band == layout.decades
    if is_absent:
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
    """Draw a line from box to box, at the paper's rank in each stage.

    Args:
        paper: a row of `Stages.papers`.
        relevant: lowest grade of a relevant paper.
    """
    is_relevant = not pd.isna(paper["relevance"]) and paper["relevance"] >= relevant
    is_lost = _read_rank(paper, layout.boxes[-1]) is None
    if not is_relevant:
        style: dict[str, Any] = {"color": GREY, "linewidth": 0.6, "linestyle": "-"}
    elif is_lost:
        style = {"color": VERMILION, "linewidth": 1.2, "linestyle": "--"}
    else:
        style = {"color": BLUE, "linewidth": 1.2, "linestyle": "-"}

    for box in layout.boxes:
        rank = _read_rank(paper, box)
        is_join = len(box.sources) > 1  # of branches
        for source_position in box.sources:
            source = layout.boxes[source_position]
            source_rank = _read_rank(paper, source)
            # a paper that this source lacks comes from another branch, or is in neither box; behind
            # a single source, its line begins at the place of papers without a rank
            if source_rank is None and (is_join or rank is None):
                continue

            source_height = layout.find_height(source, source_rank)
            height = layout.find_height(box, rank)
            panel.plot([source.column + BOX_WIDTH, box.column], [source_height, height], **style)


def _read_rank(paper: dict, box: Box) -> int | None:
    """Return a paper's rank in a box; None if it is not there."""
    rank = paper[name_rank_column(box.number)]
    return None if pd.isna(rank) else int(rank)


def _draw_boxes(panel: "Axes", layout: FlowLayout) -> None:
    """Draw the stages with their names, and the ranges of ranks at the left."""
    from matplotlib.patches import Rectangle

    for box in layout.boxes:
        lane_height = box.lane.bottom - box.lane.top
        panel.add_patch(
            Rectangle(
                (box.column, box.lane.top),
                BOX_WIDTH,
                lane_height,
                facecolor="none",
                edgecolor=GREY,
                linewidth=0.6,
            )
        )
        panel.text(box.column, box.lane.top - 0.012, box.label, size=TEXT_SIZE, va="bottom")
        if box.column == 0:
            _name_ranges(panel, layout, box)

    panel.set_xlim(-LABEL_WIDTH, layout.column_count - 1 + LABEL_WIDTH)
    panel.set_ylim(1.01, -0.07)  # rank 1 at the top
    panel.set_axis_off()


def _name_ranges(panel: "Axes", layout: FlowLayout, box: Box) -> None:
    """Write the ranges of ranks at the left of a box, each beside the middle of its band."""
    lane_height = box.lane.bottom - box.lane.top
    band_height = lane_height / (layout.decades + 1)
    panel.text(-0.04, box.lane.top - 0.012, "rank", size=TEXT_SIZE, ha="right", alpha=SOFT)
    for band, name in enumerate(layout.bands):
        middle = box.lane.top + (band + 0.5) * band_height
        panel.text(-0.04, middle, name, size=TEXT_SIZE, va="center", ha="right", alpha=SOFT)


def _add_legend(panel: "Axes", stages: Stages, qid: str | None) -> None:
    """Say below the picture what its colours mean."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if qid is None:
        title = "relevant papers of all queries"
        handles: list = [
            Patch(color=BLUE, alpha=RIBBON_OPACITY, label="keep their range or rise"),
            Patch(color=VERMILION, alpha=RIBBON_OPACITY, label="fall, or left out"),
            Patch(color=GREY, alpha=RIBBON_OPACITY, label="in neither"),
        ]
    else:
        title = f"papers of query {qid:.40}"
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
