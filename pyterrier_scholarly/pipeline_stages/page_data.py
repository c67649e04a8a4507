"""Collect what the script of the page draws: boxes, ribbons, values and papers, as JSON takes them.

The script writes texts as texts, so nothing is escaped here.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from .flow_bands import (
    BandCount,
    PlacedBand,
    count_bands_by_query,
    describe_band,
    describe_count,
    list_bands,
)
from .flow_layout import Box, FlowLayout, select_lines
from .flow_ribbons import Ribbon, list_ribbons, list_ribbons_by_query
from .page_content import StagePage
from .rank_traces import name_rank_column

MOST_LINES = 80  # papers that a query's picture and table have
DECIMALS = 4  # of heights and values


def collect_data(page: StagePage, layout: FlowLayout) -> dict[str, Any]:
    """Return the boxes, the bands of relevant papers, and what is drawn of each query."""
    bands = list_bands(layout, page.papers, page.judgements.relevant)
    is_relevant = page.papers["label"] >= page.judgements.relevant
    relevant_papers = page.papers[is_relevant.fillna(False).astype(bool)]  # unjudged ones are NA
    return {
        "boxes": [_write_box(box) for box in layout.boxes],
        "bands": layout.bands,
        "decades": layout.decades,
        "relevant": page.judgements.relevant,
        "measures": list(page.measures),
        "total": len(relevant_papers),
        "filled": [_write_band(band, layout) for band in bands],
        "ribbons": _write_ribbons(list_ribbons(layout, bands, relevant_papers)),
        "queries": _write_queries(page, layout),
    }


def _write_box(box: Box) -> dict[str, Any]:
    """Write a box with its names, its place, and the positions of the boxes before it."""
    return {
        "number": box.number,
        "name": f"{box.number} {box.name}",
        "label": box.label,
        "column": box.column,
        "top": box.lane.top,
        "bottom": box.lane.bottom,
        "sources": list(box.sources),
    }


def _write_band(band: PlacedBand, layout: FlowLayout) -> list[Any]:
    """Write a band as a list: box, top, bottom and the text beside it."""
    top, bottom = [round(height, DECIMALS) for height in band.lane]
    return [band.papers.box, top, bottom, describe_band(layout, band.papers)]


def _write_counts(counts: Sequence[BandCount], layout: FlowLayout) -> list[list[Any]]:
    """Write the counts of a query's bands as lists: box, band, and the text beside it."""
    return [[count.box, count.band, describe_count(layout, count)] for count in counts]


def _write_ribbons(ribbons: Sequence[Ribbon]) -> list[list[float]]:
    """Write ribbons as lists, in the order of `Ribbon`'s fields."""
    return [[round(number, DECIMALS) for number in ribbon] for ribbon in ribbons]


def _write_queries(page: StagePage, layout: FlowLayout) -> dict[str, Any]:
    """Write the ribbons, values, papers and losses of each query."""
    lines = select_lines(page.papers, layout.boxes, page.judgements.relevant, page.top)
    papers_by_qid = _write_papers(lines, layout, page.titles)
    losses_by_qid = _write_losses(page.lost)
    ribbons_by_qid = list_ribbons_by_query(layout, page.papers)
    values_by_qid = _write_values(page, layout)
    counts_by_qid = count_bands_by_query(layout, page.papers, page.judgements.relevant)

    queries = {}
    for qid in page.judgements.qids:
        papers = papers_by_qid[qid]
        queries[qid] = {
            "ribbons": _write_ribbons(ribbons_by_qid.get(qid, [])),
            "counts": _write_counts(counts_by_qid.get(qid, []), layout),
            "values": values_by_qid[qid],
            "papers": papers[:MOST_LINES],
            "more": max(len(papers) - MOST_LINES, 0),
            "lost": losses_by_qid[qid],
        }
    return queries


def _write_values(page: StagePage, layout: FlowLayout) -> dict[str, list[list[float | None]]]:
    """Write each query's values: a list for each measure, with a value for each box."""
    value_by_key = {
        (row.qid, row.measure, row.stage): row.value
        for row in page.perquery.itertuples(index=False)
    }
    values_by_qid = {}
    for qid in page.judgements.qids:
        values_of_query = []
        for measure in page.measures:
            values = [value_by_key[qid, measure, box.number] for box in layout.boxes]
            values_of_query.append([_round_or_none(value) for value in values])
        values_by_qid[qid] = values_of_query
    return values_by_qid


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
        grade = _int_or_none(paper["label"])
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
