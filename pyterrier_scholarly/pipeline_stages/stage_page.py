"""Write the stages of a pipeline as one HTML file, from a template.

`Stages` calls `render_stages`. All figures are computed here; the script draws the flow of a query
when a reader opens it. The script receives data as JSON, and writes texts as texts.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import pandas as pd

from ..pages import MINUS, format_signed, render_page
from .flow_layout import (
    FlowLayout,
    Ribbon,
    lay_out_flow,
    list_ribbons,
    list_ribbons_by_query,
    select_lines,
)
from .repeat_checks import Verdict
from .stage_documents import name_rank_column
from .stage_runs import PipelineRun
from .stage_values import JUDGED, RECALL, Judgements

TEMPLATES = Path(__file__).parent / "_page"
LONGEST_HEADING = 100  # characters of the pipeline in the heading
LONGEST_QUERY = 160  # characters of a query's text
MOST_LINES = 80  # papers that a query's picture and table have
DECIMALS = 4  # of heights and values that the script receives
SURE = 0.05  # a p-value below this is marked
UNKNOWN = "–"  # a figure that is not known


@dataclass(frozen=True)
class StagePage:
    """What the page shows; see `Stages` for the fields."""

    name: str
    run: PipelineRun
    judgements: Judgements
    measures: Sequence[str]
    top: int
    perquery: pd.DataFrame
    verdict: Verdict
    query_texts: Mapping[str, str]
    titles: Mapping[str, str]
    stages: pd.DataFrame
    papers: pd.DataFrame
    lost: pd.DataFrame
    branches: pd.DataFrame
    changes: pd.DataFrame
    failures: pd.DataFrame


class ShownFigure(NamedTuple):
    """A measure of a stage: its value, its change, and whether the change is sure."""

    value: str
    change: str = ""
    is_sure: bool = False
    is_loss: bool = False


class ShownStage(NamedTuple):
    """A row of the first table."""

    number: int
    name: str
    branch: str
    inside: str
    result: str
    figures: list[ShownFigure]
    recall: str
    judged: str
    documents: str
    lost: int
    seconds: str
    share: float


class ShownQuery(NamedTuple):
    """A row of the table of queries: a value for each ranked stage, by the first measure."""

    qid: str
    text: str
    values: list[str]
    worst_stage: str
    worst_change: str


def render_stages(page: StagePage) -> str:
    """Render the stages as HTML that fetches nothing."""
    layout = lay_out_flow(page.run)
    return render_page(
        TEMPLATES,
        "stages.html",
        page=page,
        heading=shorten(page.name, LONGEST_HEADING, placeholder=" …"),
        stages=_show_stages(page),
        layout=layout,
        changes=_show_changes(page.changes),
        branches=_show_branches(page.branches, page.measures),
        summary=_describe_losses(page),
        queries=_show_queries(page, layout),
        data=_make_data(page, layout),
    )


def format_figure(value: float, decimals: int = 3) -> str:
    """Format a figure; a dash for NaN."""
    if math.isnan(value):
        return UNKNOWN
    return f"{value:.{decimals}f}".replace("-", MINUS)


def format_p(value: float) -> str:
    """Format a p-value; a dash for NaN."""
    if math.isnan(value):
        return UNKNOWN
    return "< .001" if value < 0.001 else f"{value:.3f}"


# --- tables ------------------------------------------------------------------------------------


def _show_stages(page: StagePage) -> list[ShownStage]:
    """Return the rows of the first table."""
    change_by_key = {(row.stage, row.measure): row for row in page.changes.itertuples(index=False)}

    rows = []
    for record in page.stages.to_dict("records"):
        number = record["stage"]
        figures = []
        for measure in page.measures:
            value = format_figure(record[measure])
            change = change_by_key.get((number, measure))
            if change is None:
                figures.append(ShownFigure(value))
                continue
            figures.append(
                ShownFigure(
                    value=value,
                    change=format_signed(change.difference, 3),
                    is_sure=change.p_holm < SURE,
                    is_loss=change.difference < 0,
                )
            )

        share = record["share"]
        rows.append(
            ShownStage(
                number=number,
                name=record["name"],
                branch=record["branch"],
                inside=record["inside"],
                result=record["result"],
                figures=figures,
                recall=format_figure(record[RECALL]),
                judged=format_figure(record[JUDGED]),
                documents=format_figure(record["documents"], 1),
                lost=record["lost_relevant"],
                seconds=format_figure(record["seconds"], 2),
                share=0.0 if math.isnan(share) else 100 * share,
            )
        )
    return rows


def _show_changes(changes: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the table of changes, as texts."""
    rows = []
    for change in changes.to_dict("records"):
        rows.append(
            {
                **change,
                "before": format_figure(change["before"]),
                "after": format_figure(change["after"]),
                "difference": format_signed(change["difference"], 3),
                "p": format_p(change["p"]),
                "p_holm": format_p(change["p_holm"]),
                "detectable": format_figure(change["detectable"]),
            }
        )
    return rows


def _show_branches(branches: pd.DataFrame, measures: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the table of branches, as texts."""
    rows = []
    for branch in branches.to_dict("records"):
        row = dict(branch)
        for column in ("documents", "shared", "alone", "top_alone"):
            row[column] = format_figure(branch[column], 1)
        row["figures"] = [format_figure(branch[measure]) for measure in measures]
        rows.append(row)
    return rows


def _describe_losses(page: StagePage) -> str:
    """Say in words how many relevant papers the pipeline returned, and where others were lost."""
    relevant_count = len(page.judgements.relevant_pairs)
    lost_for_good = page.lost[~page.lost["in_result"]]
    lost_pairs = lost_for_good.drop_duplicates(["qid", "docno"])
    sentences = [
        f"The pipeline returned {relevant_count - len(lost_pairs)} of {relevant_count} relevant "
        "papers."
    ]

    never_found = int(page.lost["stage"].isna().sum())
    if never_found:
        sentences.append(f"No stage returned {never_found} of them.")
    counts = lost_for_good.dropna(subset="stage").groupby(["stage", "name"], sort=True).size()
    for (stage, name), count in counts.items():
        sentences.append(f"Stage {stage} ({name}) left out {count}.")
    return " ".join(sentences)


def _show_queries(page: StagePage, layout: FlowLayout) -> list[ShownQuery]:
    """Return the rows of the table of queries; those that a stage made worst come first."""
    measure = page.measures[0]
    values_of_measure = page.perquery[page.perquery["measure"] == measure]
    value_by_key = {
        (row.stage, row.qid): row.value for row in values_of_measure.itertuples(index=False)
    }
    # failures are sorted by stage; of each query, the worst over all stages
    failures = page.failures[page.failures["measure"] == measure].sort_values("difference")
    worst_by_qid = {row.qid: row for row in failures.drop_duplicates("qid").itertuples(index=False)}
    rows_with_keys = []
    for qid in page.judgements.qids:
        worst = worst_by_qid.get(qid)
        row = ShownQuery(
            qid=qid,
            text=shorten(page.query_texts.get(qid, ""), LONGEST_QUERY, placeholder=" …"),
            values=[format_figure(value_by_key[box.number, qid]) for box in layout.boxes],
            worst_stage="" if worst is None else f"{worst.stage} {worst.name}",
            worst_change="" if worst is None else format_signed(worst.difference, 3),
        )
        sort_key = 0.0 if worst is None else worst.difference
        rows_with_keys.append((sort_key, row))
    return [row for _, row in sorted(rows_with_keys, key=lambda pair: pair[0])]


# --- what the script receives ------------------------------------------------------------------


def _make_data(page: StagePage, layout: FlowLayout) -> dict[str, Any]:
    """Return the boxes, and the ribbons, values and papers of all queries and of each."""
    boxes = [
        {
            "number": box.number,
            "name": f"{box.number} {box.name}",
            "label": box.label,
            "column": box.column,
            "top": box.lane.top,
            "bottom": box.lane.bottom,
            "sources": list(box.sources),
        }
        for box in layout.boxes
    ]
    grades = page.papers["relevance"]
    is_relevant = (grades >= page.judgements.relevant).fillna(False).astype(bool)
    relevant_papers = page.papers[is_relevant]
    return {
        "boxes": boxes,
        "bands": layout.bands,
        "decades": layout.decades,
        "relevant": page.judgements.relevant,
        "measures": list(page.measures),
        "ribbons": _write_ribbons(list_ribbons(layout, relevant_papers)),
        "queries": _write_queries(page, layout),
    }


def _write_ribbons(ribbons: Sequence[Ribbon]) -> list[list[float]]:
    """Write ribbons as lists: positions, bands, count and heights."""
    return [[round(number, DECIMALS) for number in ribbon] for ribbon in ribbons]


def _write_queries(page: StagePage, layout: FlowLayout) -> dict[str, Any]:
    """Write the ribbons, values, papers and losses of each query."""
    lines = select_lines(page.papers, layout.boxes, page.judgements.relevant, page.top)
    papers_by_qid = _write_papers(lines, layout, page.titles)
    losses_by_qid = _write_losses(page.lost)
    ribbons_by_qid = list_ribbons_by_query(layout, page.papers)
    value_by_key = {
        (row.qid, row.measure, row.stage): row.value
        for row in page.perquery.itertuples(index=False)
    }

    queries = {}
    for qid in page.judgements.qids:
        # a list for each measure, with a value for each box
        values = []
        for measure in page.measures:
            values_of_boxes = [value_by_key[qid, measure, box.number] for box in layout.boxes]
            values.append([_round_or_none(value) for value in values_of_boxes])

        papers = papers_by_qid[qid]
        queries[qid] = {
            "ribbons": _write_ribbons(ribbons_by_qid.get(qid, [])),
            "values": values,
            "papers": papers[:MOST_LINES],
            "more": max(len(papers) - MOST_LINES, 0),
            "lost": losses_by_qid[qid],
        }
    return queries


def _round_or_none(value: float) -> float | None:
    """Round a value for the script; NaN is no JSON."""
    return None if math.isnan(value) else round(value, DECIMALS)


def _write_papers(
    papers: pd.DataFrame, layout: FlowLayout, titles: Mapping[str, str]
) -> defaultdict[str, list[list[Any]]]:
    """Write each query's papers as lists: id, title, grade or None, and each rank or None."""
    rank_columns = [name_rank_column(box.number) for box in layout.boxes]
    papers_by_qid: defaultdict[str, list[list[Any]]] = defaultdict(list)
    for paper in papers.to_dict("records"):
        ranks = [_int_or_none(paper[column]) for column in rank_columns]
        grade = _int_or_none(paper["relevance"])
        row = [paper["docno"], titles.get(paper["docno"], ""), grade, ranks]
        papers_by_qid[paper["qid"]].append(row)
    return papers_by_qid


def _int_or_none(value: Any) -> int | None:
    """Convert a value of an Int64 column."""
    return None if pd.isna(value) else int(value)


def _write_losses(lost: pd.DataFrame) -> defaultdict[str, list[list[Any]]]:
    """Write each query's lost papers: id, stage, rank before, reason, whether returned at last."""
    losses_by_qid: defaultdict[str, list[list[Any]]] = defaultdict(list)
    for row in lost.to_dict("records"):
        stage = _int_or_none(row["stage"])
        stage_name = "" if stage is None else f"{stage} {row['name']}"
        rank = _int_or_none(row["rank"])
        loss = [row["docno"], stage_name, rank, row["reason"], bool(row["in_result"])]
        losses_by_qid[row["qid"]].append(loss)
    return losses_by_qid
