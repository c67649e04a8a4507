"""What happens to systems when a pool method's papers were never judged: reusability."""

import ir_datasets
import pandas as pd
import pyterrier as pt

from ..datasets import irds, pool_sources
from ..frames import without_pairs
from .folds import fold_mean
from .measures import measure_of, official_measures

PAIR = ["qid", "docno"]


def leave_one_out(runs, dataset, measures=None, pools=None, rerank=True):
    """Measure systems after the papers of one pool method left the pool, method after method.

    A method's papers are those that it alone put there: no other method lists them, and they are
    not cited (of cited papers CSFCube does not say which methods list them). If the judgements can
    be reused, a system that the method resembles loses no more by it than others do.

    Args:
        runs: dict from a system's name to its results for all queries of `dataset` (`qid`, `docno`,
            `score`).
        dataset: an id or dataset with judgements, such as ``"csfcube/method"``.
        measures: those of `official_measures`, unless others are given.
        pools: frame of `qid`, `docno`, `sources`; None for the dataset's own.
        rerank: whether systems re-rank the pool, so that these papers leave the rankings too; else
            they stay there unjudged, as in a retrieval from the collection.

    Returns:
        Frame `name`, `measure`, `left_out` (a method; "" for the whole pool), `removed` (how many
        judged pairs), `value` (CSFCube's mean of both folds' test means where there are folds, else
        the mean over queries), `change` (from the whole pool's).

    Raises:
        ValueError: the dataset does not say what its pools are from.
    """
    found = irds(dataset)
    sources = pool_sources(found) if pools is None else pools
    judged = pd.DataFrame(found.qrels_iter())[["query_id", "doc_id", "relevance"]]
    judged = judged.set_axis([*PAIR, "label"], axis=1)
    topics = pd.DataFrame([(q.query_id, q.default_text()) for q in found.queries_iter()])
    topics = topics.set_axis(["qid", "query"], axis=1)
    measures = list(map(measure_of, measures or official_measures(found)))
    parts = []
    for method, gone in _alone(sources).items():
        left = without_pairs(judged, gone)
        kept = {name: without_pairs(run, gone) if rerank else run for name, run in runs.items()}
        figures = pt.Experiment(kept, topics, left, measures, perquery=True)
        said = {"left_out": method, "removed": len(judged) - len(left)}
        parts.append(_means(figures, found).assign(**said))
    table = pd.concat(parts, ignore_index=True)
    whole = table["value"].where(table["left_out"] == "")
    first = whole.groupby([table["name"], table["measure"]]).transform("first")
    table = table.assign(change=table["value"] - first)
    return table[["name", "measure", "left_out", "removed", "value", "change"]]


def _alone(sources):
    """From "" (nothing) and each method to the pairs that it alone lists."""
    names = [tuple(dict.fromkeys(of)) for of in sources["sources"]]
    pairs = list(zip(sources["qid"], sources["docno"], names))
    methods = sorted({name for of in names for name in of} - {"cited"})
    return {"": set()} | {
        method: {(qid, docno) for qid, docno, of in pairs if of == (method,)} for method in methods
    }


def _means(perquery, dataset):
    if f"{dataset.dataset_id()}/fold1/dev" in ir_datasets.registry:
        return fold_mean(perquery, dataset).query("split == 'test'").drop(columns="split")
    return perquery.groupby(["name", "measure"], sort=False)["value"].mean().reset_index()
