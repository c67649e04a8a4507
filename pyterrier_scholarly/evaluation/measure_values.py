"""Compute a measure for each query, from frames with PyTerrier's names of columns."""

import ir_measures
import pandas as pd
from ir_measures import Measure


def measure_queries(measure: Measure, qrels: pd.DataFrame, run: pd.DataFrame) -> pd.Series:
    """Compute a measure for each query with judgements: a series by `qid`; 0 without results.

    NaN for a query that the measure leaves out.
    """
    metrics = ir_measures.iter_calc(
        [measure], rename_for_ir_measures(qrels), rename_for_ir_measures(run)
    )
    value_by_query = dict.fromkeys(qrels["qid"], 0.0)
    for metric in metrics:
        value_by_query[metric.query_id] = float(metric.value)
    return pd.Series(value_by_query, dtype=float).rename_axis("qid")


def rename_for_ir_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with ir_measures' names of columns."""
    return frame.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
