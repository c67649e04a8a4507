"""Figures of a paper's tables: from `pt.Experiment`, from chance, from the paper, from the data."""

from .against import against_baseline
from .bootstrapping import bootstrap
from .choosing import chosen_on_dev
from .correlating import correlate
from .describing import statistics
from .folds import by_subset, fold_mean, folds
from .grouping import queries_by
from .measures import official_measures
from .pool_changes import PoolSensitivity, pool_sensitivity
from .printed import printed_tables, published
from .random_pools import random_baseline
from .reusing import leave_one_out
from .together import beside

__all__ = [
    "PoolSensitivity",
    "against_baseline",
    "beside",
    "bootstrap",
    "by_subset",
    "chosen_on_dev",
    "correlate",
    "fold_mean",
    "folds",
    "leave_one_out",
    "official_measures",
    "queries_by",
    "pool_sensitivity",
    "printed_tables",
    "published",
    "random_baseline",
    "statistics",
]
