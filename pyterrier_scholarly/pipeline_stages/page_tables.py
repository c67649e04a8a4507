"""Write the tables of the page of `stages`: figures as texts, and a summary in words."""

import math
from collections.abc import Sequence
from textwrap import shorten
from typing import Any, NamedTuple

import pandas as pd

from ..pages import MINUS, format_signed
from .flow_layout import FlowLayout
from .page_content import StagePage
from .stage_values import JUDGED, RECALL

LONGEST_QUERY = 160  # characters of a query's text
SURE = 0.05  # a p-value below this is marked
DASH = "–"  # in the place of a figure that is not known


class ShownFigure(NamedTuple):
    """A measure of a stage: its value, its change, and whether the change is sure."""

    value: str
    change: str = ""
    is_sure: bool = False
    is_loss: bool = False


class ShownStage(NamedTuple):
    """A row of the first table.

    figures: of each measure.
    time_share: of the whole, in percent.
    """

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
    time_share: float


class ShownQuery(NamedTuple):
    """A row of the table of queries.

    values: of the first measure, for each box.
    worst_stage, worst_change: where the query lost most, and how much; empty if it never lost.
    """

    qid: str
    text: str
    values: list[str]
    worst_stage: str
    worst_change: str


def show_stages(page: StagePage) -> list[ShownStage]:
    """Return the rows of the first table."""
    change_by_key = {(row.stage, row.measure): row for row in page.changes.itertuples(index=False)}

    rows = []
    for record in page.stages.to_dict("records"):
        figures = []
        for measure in page.measures:
            change = change_by_key.get((record["stage"], measure))
            figures.append(_show_figure(record[measure], change))

        time_share = record["time_share"]
        rows.append(
            ShownStage(
                number=record["stage"],
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
                time_share=0.0 if math.isnan(time_share) else 100 * time_share,
            )
        )
    return rows


def _show_figure(value: float, change: Any) -> ShownFigure:
    """Return a measure of a stage with its change: a row of `Stages.changes`, or None."""
    if change is None:
        return ShownFigure(format_figure(value))
    return ShownFigure(
        value=format_figure(value),
        change=format_signed(change.difference, 3),
        is_sure=change.p_holm < SURE,
        is_loss=change.difference < 0,
    )


def show_changes(changes: pd.DataFrame) -> list[dict[str, Any]]:
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


def show_branches(branches: pd.DataFrame, measures: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the table of branches, as texts."""
    rows = []
    for branch in branches.to_dict("records"):
        row = dict(branch)
        for column in ("documents", "shared", "alone", "top_alone"):
            row[column] = format_figure(branch[column], 1)
        row["figures"] = [format_figure(branch[measure]) for measure in measures]
        rows.append(row)
    return rows


def show_unjudged(unjudged: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return the rows of the table of unjudged papers, as texts; none if all papers are judged."""
    if unjudged is None or (unjudged["judged_share"] == 1).all():
        return []

    rows = []
    for effect in unjudged.to_dict("records"):
        row = dict(effect)
        for column in ("judged_share", "value", "condensed", "lowest", "highest"):
            row[column] = format_figure(effect[column])
        rows.append(row)
    return rows


def show_queries(page: StagePage, layout: FlowLayout) -> list[ShownQuery]:
    """Return the rows of the table of queries; those that a stage made worst come first."""
    measure = page.measures[0]
    values_of_measure = page.perquery[page.perquery["measure"] == measure]
    value_by_key = {
        (row.stage, row.qid): row.value for row in values_of_measure.itertuples(index=False)
    }

    # a query may have failures at several stages: the worst is shown
    failures = page.failures[page.failures["measure"] == measure]
    worst_first = failures.sort_values("difference", kind="stable")
    worst_by_qid: dict[str, Any] = {}
    for failure in worst_first.itertuples(index=False):
        worst_by_qid.setdefault(failure.qid, failure)
    other_qids = [qid for qid in page.judgements.qids if qid not in worst_by_qid]

    rows = []
    for qid in [*worst_by_qid, *other_qids]:
        worst = worst_by_qid.get(qid)
        row = ShownQuery(
            qid=qid,
            text=shorten(page.query_texts.get(qid, ""), LONGEST_QUERY, placeholder=" …"),
            values=[format_figure(value_by_key[box.number, qid]) for box in layout.boxes],
            worst_stage="" if worst is None else f"{worst.stage} {worst.name}",
            worst_change="" if worst is None else format_signed(worst.difference, 3),
        )
        rows.append(row)
    return rows


def format_figure(value: float, decimals: int = 3) -> str:
    """Format a figure; a dash for NaN."""
    if math.isnan(value):
        return DASH
    return f"{value:.{decimals}f}".replace("-", MINUS)


def format_p(value: float) -> str:
    """Format a p-value; a dash for NaN."""
    if math.isnan(value):
        return DASH
    return "< .001" if value < 0.001 else f"{value:.3f}"
