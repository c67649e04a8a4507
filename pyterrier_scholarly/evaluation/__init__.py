"""Figures of a paper's tables: from `pt.Experiment`, from chance, from the paper, from the data.

::

    perquery = pt.Experiment(systems, topics, qrels, official_measures(dataset), perquery=True)
    fold_mean(perquery, dataset)            # as CSFCube's script averages
    against_baseline(perquery, dataset, "bm25")
    published(dataset)                      # what papers print for it
    check_run("my-run.trec", dataset)       # what does not fit, before figures are believed
"""

from .baselines import against_baseline
from .beside_printed import beside
from .bootstrapped_means import bootstrap
from .collection_tables import statistics
from .cutoff_values import by_cutoff, by_query
from .faceted_runs import from_all, to_all
from .folds import by_subset, fold_mean, folds
from .left_out_methods import leave_one_out
from .measure_correlation import correlate
from .official_measures import official_measures
from .pool_changes import PoolSensitivity, pool_sensitivity
from .printed import printed_tables, published
from .query_groups import queries_by
from .ranked_pools import read_ranked_pools, write_ranked_pools
from .run_check_report import RunCheck
from .run_checks import check_run
from .runs import read_run, read_runs
from .shuffled_pools import random_baseline
from .trec_runs import read_trec_run
from .unjudged_documents import bound_ndcg, condense, unjudged_effects
from .weight_choice import chosen_on_dev

__all__ = [
    "PoolSensitivity",
    "RunCheck",
    "against_baseline",
    "beside",
    "bootstrap",
    "bound_ndcg",
    "by_cutoff",
    "by_query",
    "by_subset",
    "check_run",
    "chosen_on_dev",
    "condense",
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
    "unjudged_effects",
    "write_ranked_pools",
]
