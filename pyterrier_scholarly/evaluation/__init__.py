"""Figures of a paper's tables: from `pt.Experiment`, from chance, from the paper, from the data.

::

    perquery = pt.Experiment(systems, topics, qrels, official_measures(dataset), perquery=True)
    fold_mean(perquery, dataset)            # as CSFCube's script averages
    against_baseline(perquery, dataset, "bm25")
    published(dataset)                      # what papers print for it
    check_run("my-run.trec", dataset)       # what does not fit, before figures are believed
"""

from .checks import RunCheck, check_run
from .collection_statistics import statistics
from .figures import against_baseline, bootstrap, by_subset, fold_mean
from .groups import folds, queries_by
from .measure_names import official_measures
from .plotted_values import by_cutoff, by_query, correlate
from .pool_studies import PoolSensitivity, leave_one_out, pool_sensitivity, random_baseline
from .printed import beside, printed_tables, published
from .runs import (
    from_all,
    read_ranked_pools,
    read_run,
    read_runs,
    read_trec_run,
    to_all,
    write_ranked_pools,
)
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
