"""Recall by the number of documents, as curves: LitSearch's Figure 3."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..arguments import Count, check_arguments
from ..datasets import DatasetLike, irds
from ..evaluation import published
from ..settings import dataset_id
from ..step import best_first
from .panels import LINE_COLOURS, create_panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_WIDTH, LEGEND_WIDTH, HEIGHT = 3, 1, 3.5  # inches
PRINTED_COLUMNS = ["name", "k", "value"]


@check_arguments
def plot_recall(
    runs: Mapping[str, pd.DataFrame],
    datasets: Sequence[object],
    k: Count = 50,
    relevant: int = 1,
) -> "Figure":
    """Draw the recall of runs at 1 to k, a panel for each dataset; crosses are printed figures.

    Recall is a mean over the queries that have relevant documents; a query without results has 0.
    A printed figure (`published`) of a system is drawn if a run has the system's name, as printed.
    LitSearch's Figure 3 is such curves; only its points at 5 and 20 are printed, in its table 3.

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`), the first k of
            each query at least.
        datasets: ids or dataset objects with the judgements, e.g. the four parts of LitSearch's
            table 3: ``["litsearch/inline/broad", "litsearch/inline/specific", …]``.
        k: largest number of documents.
        relevant: lowest grade of a relevant document.

    Raises:
        ValueError: no run, or no dataset; a run without results for a dataset's queries, or a
            dataset without relevant documents.

    Source: Ajith et al. (2024), Figure 3.
    """
    if not runs or not len(datasets):
        raise ValueError("nothing to draw: pass at least one run and one dataset")

    width = LEGEND_WIDTH + PANEL_WIDTH * len(datasets)
    figure, axes = create_panels(1, len(datasets), width, HEIGHT, sharey=True)
    for panel, dataset in zip(axes[0], datasets):
        printed_recalls = _read_printed_recalls(dataset)
        for (system, run), colour in zip(runs.items(), cycle(LINE_COLOURS)):
            recalls = _compute_recalls(system, run, dataset, k, relevant)
            panel.plot(np.arange(1, k + 1), recalls, color=colour, label=system)

            is_of_system = printed_recalls["name"] == system
            is_in_panel = printed_recalls["k"] <= k
            crosses = printed_recalls[is_of_system & is_in_panel]
            panel.plot(crosses["k"], crosses["value"], "x", color=colour)
        panel.set(title=dataset_id(dataset) or "", xlabel="k", xlim=(0, k + 1), ylim=(0, 1.02))

    axes[0, 0].set_ylabel("recall at k")
    axes[0, -1].legend(loc="lower right")
    return figure


def _compute_recalls(
    system: str, run: pd.DataFrame, dataset: DatasetLike, k: int, relevant: int
) -> np.ndarray:
    """Return mean recall at 1 to k: a float array (k,)."""
    qrels = pd.DataFrame(irds(dataset).qrels_iter())
    relevant_qrels = qrels[qrels["relevance"] >= relevant]
    if relevant_qrels.empty:
        raise ValueError(f"{dataset} has no document of grade {relevant} or more: pass `relevant`")

    relevant_ids = relevant_qrels.groupby("query_id")["doc_id"].agg(set)  # by query
    results = run[run["qid"].isin(set(relevant_ids.index))]
    if results.empty:
        raise ValueError(
            f"{system} has no results for the queries of {dataset}: pass its run there"
        )

    recall_gains = np.zeros(k)  # at each rank, summed over queries
    for qid, ranked_ids in best_first(results).groupby("qid")["docno"]:
        is_relevant = ranked_ids.iloc[:k].isin(relevant_ids[qid]).to_numpy()
        recall_gains[: len(is_relevant)] += is_relevant / len(relevant_ids[qid])
    return recall_gains.cumsum() / len(relevant_ids)


def _read_printed_recalls(dataset: DatasetLike) -> pd.DataFrame:
    """Return the printed recall of a dataset's queries: `name`, `k`, `value`; maybe no row."""
    try:
        figures = published(dataset)
    except ValueError:  # nothing is printed of it
        return pd.DataFrame(columns=PRINTED_COLUMNS)

    _, _, subset = (dataset_id(dataset) or "").partition("/")
    figures_of_subset = figures[figures["subset"] == subset]

    # NaN for another measure than recall
    cutoffs = figures_of_subset["measure"].str.extract(r"^R@(\d+)$", expand=False)
    recalls = figures_of_subset.assign(k=cutoffs).dropna(subset="k").astype({"k": int})
    return recalls[PRINTED_COLUMNS].drop_duplicates()
