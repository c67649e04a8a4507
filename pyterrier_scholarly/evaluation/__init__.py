"""Figures of a paper's tables: from `pt.Experiment`, from chance, from the paper, from the data."""

from .baselines import against_baseline, bootstrap, chosen_on_dev
from .collection_tables import statistics
from .folds import by_subset, fold_mean, folds, queries_by
from .measure_names import correlate, official_measures
from .pool_changes import PoolSensitivity, pool_sensitivity
from .pool_effects import leave_one_out, random_baseline
from .printed import beside, printed_tables, published
from .run_checks import RunCheck, check_run
from .runs import (
    from_all,
    read_ranked_pools,
    read_run,
    read_runs,
    read_trec_run,
    to_all,
    write_ranked_pools,
)

__all__ = [
    "PoolSensitivity",
    "RunCheck",
    "against_baseline",
    "beside",
    "bootstrap",
    "by_subset",
    "check_run",
    "chosen_on_dev",
    "correlate",
    "fold_mean",
    "folds",
    "from_all",
    "leave_one_out",
    "official_measures",
    "pool_sensitivity",
    "printed_tables",
    "published",
    "queries_by",
    "random_baseline",
    "read_ranked_pools",
    "read_run",
    "read_runs",
    "read_trec_run",
    "statistics",
    "to_all",
    "write_ranked_pools",
]
