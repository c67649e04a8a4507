"""Remove the papers of one pool method, to see whether the judgements serve other systems.

::

    leave_one_out({"bm25": run}, "csfcube/method")  # value and change, a row per method left out
"""

from collections.abc import Mapping

import ir_datasets
import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds, pool_sources
from ..frames import check, without_pairs
from .folds import SYSTEM, fold_mean, has_folds
from .measure_names import Measures, measure_of
from .official_measures import official_measures
from .run_checks import check_against, warn_of_misfit
from .run_reference import Reference

NOTHING_LEFT_OUT = ""  # in place of a method's name: the whole pool


@check_arguments
def leave_one_out(
    runs: Mapping[str, pd.DataFrame],
    dataset: DatasetLike,
    measures: Measures | None = None,
    pools: pd.DataFrame | None = None,
    rerank: bool = True,
) -> pd.DataFrame:
    """Measure systems without the papers of one pool method, for each method in turn.

    A method's papers are those that only it listed and that are not cited (CSFCube does not say
    which methods list cited papers). If the judgements can be reused, this costs a system similar
    to the method no more than others.

    Args:
        runs: dict from a system's name to its results for all queries of `dataset` (`qid`, `docno`,
            `score`).
        dataset: an id or dataset with judgements, such as ``"csfcube/method"``.
        measures: objects or strings; None for `official_measures`.
        pools: frame of `qid`, `docno`, `sources`; None for the dataset's own.
        rerank: whether systems re-rank the pool, so that the papers leave the rankings, too. Else
            they stay, unjudged, as in a retrieval from the collection.

    Returns:
        Frame `name`, `measure`, `left_out` (a method; "" for the whole pool), `removed` (number of
        judged pairs), `value` (CSFCube's mean of both folds' test means if there are folds, else
        the mean over queries), `change` (from the whole pool's).

    Raises:
        ValueError: a dataset without pool sources, or a run that does not fit (see `check_run`).

    Warns:
        UserWarning: for a run that fits in part.
    """
    if not runs:
        raise ValueError("runs={}: expected the results of one system or more.")
    source = irds(dataset)
    reference = Reference.of(source)
    for name, run in runs.items():
        warn_of_misfit(check_against(run, reference, name))

    sources = pool_sources(source) if pools is None else pools
    sources = check(sources, "leave_one_out(pools=…)", ["qid", "docno", "sources"])
    pairs_of_method = _find_pairs_of_single_methods(sources)
    pairs_to_remove: dict[str, set[tuple[str, str]]] = {NOTHING_LEFT_OUT: set(), **pairs_of_method}

    topics = _read_topics(source)
    qrels = _read_judgements(source)
    if measures is None:
        measures = official_measures(source)
    parsed_measures = [measure_of(measure) for measure in measures]

    tables = []
    for method, pairs in pairs_to_remove.items():
        remaining_qrels = without_pairs(qrels, pairs)
        remaining_runs = dict(runs)
        if rerank:
            remaining_runs = {name: without_pairs(run, pairs) for name, run in runs.items()}

        perquery = pt.Experiment(
            remaining_runs, topics, remaining_qrels, parsed_measures, perquery=True
        )
        removed_count = len(qrels) - len(remaining_qrels)
        means = _average(perquery, source)
        tables.append(means.assign(left_out=method, removed=removed_count))

    table = pd.concat(tables, ignore_index=True)
    # the first row of each system is that of the whole pool
    whole_pool_value = table.groupby(SYSTEM)["value"].transform(lambda values: values.iloc[0])
    change = table["value"] - whole_pool_value
    columns = [*SYSTEM, "left_out", "removed", "value", "change"]
    return table.assign(change=change)[columns]


def _find_pairs_of_single_methods(sources: pd.DataFrame) -> dict[str, set[tuple[str, str]]]:
    """Return the pairs of query and document that one method alone lists, by that method."""
    all_methods: set[str] = set()
    for methods in sources["sources"]:
        all_methods.update(methods)
    all_methods.discard("cited")  # a reason to be in the pool, and no method

    pairs_by_method: dict[str, set[tuple[str, str]]] = {}
    for method in sorted(all_methods):
        pairs_by_method[method] = set()
    for row in sources.itertuples(index=False):
        methods = set(row.sources)
        if len(methods) != 1:
            continue
        (only_method,) = methods
        if only_method in pairs_by_method:
            pairs_by_method[only_method].add((row.qid, row.docno))
    return pairs_by_method


def _read_topics(dataset: ir_datasets.Dataset) -> pd.DataFrame:
    rows = [(query.query_id, query.default_text()) for query in dataset.queries_iter()]
    return pd.DataFrame(rows, columns=["qid", "query"])


def _read_judgements(dataset: ir_datasets.Dataset) -> pd.DataFrame:
    rows = [(row.query_id, row.doc_id, row.relevance) for row in dataset.qrels_iter()]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


def _average(perquery: pd.DataFrame, dataset: ir_datasets.Dataset) -> pd.DataFrame:
    """Return the mean of each system and measure: `name`, `measure`, `value`.

    It is the mean over queries; if the dataset has folds, the one on test of `fold_mean`.
    """
    if not has_folds(dataset):
        means = perquery.groupby(SYSTEM, sort=False)["value"].mean()
        return means.reset_index()

    means_of_splits = fold_mean(perquery, dataset)
    is_test = means_of_splits["split"] == "test"
    return means_of_splits[is_test].drop(columns="split")
