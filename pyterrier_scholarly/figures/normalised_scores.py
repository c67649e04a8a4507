"""The normalised scores of DORIS-MAE's candidates, as curves: its Figure 2."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ir_datasets_ext.doris_mae_queries import DorisMaeJudgement

from ..arguments import check_arguments
from ..datasets import DatasetLike, irds
from .panels import GREY, LINE_COLOURS, create_panels

if TYPE_CHECKING:
    import ir_datasets
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNKNOWN_TYPE = ""  # of a query whose type is not in the file


@check_arguments
def plot_normalised_scores(dataset: DatasetLike) -> "Figure":
    """Draw the normalised scores of candidates in descending order, per query and per type.

    Left: a line per query, over its pool. Right: a line per type of query, over the candidates of
    all its queries together; the paper does not say how it aggregates them. A score is the total
    over `|Q|`; scores of 1 and above are relevant.

    Args:
        dataset: one of DORIS-MAE's with complex queries: ``"doris-mae"``, ``"doris-mae/dev"``, ….

    Raises:
        ValueError: the queries have no aspects.

    Source: Wang et al. (2023), appendix A.5, Figure 2.
    """
    irds_dataset = irds(dataset)
    if "aspect_ids" not in irds_dataset.queries_cls()._fields:
        raise ValueError(f"{dataset} has no complex queries: pass doris-mae or doris-mae/dev")

    scores = _read_normalised_scores(irds_dataset)
    colours = _choose_colours(scores["type"])
    figure, axes = create_panels(1, 2, width=10, height=4, sharey=True)
    query_panel, type_panel = axes[0]

    for (_, query_type), rows in scores.groupby(["query_id", "type"], sort=False):
        _draw_descending(query_panel, rows["score"], color=colours[query_type], linewidth=0.6)
    for query_type, rows in scores.groupby("type", sort=False):
        label = query_type or "type not in the file"
        _draw_descending(type_panel, rows["score"], color=colours[query_type], label=label)

    query_panel.set(ylabel="normalised score", xlabel="candidate of a query", title="Per query")
    type_panel.set(xlabel="candidate of all queries of a type", title="Per type of query")
    for panel in (query_panel, type_panel):
        panel.axhline(1, color=GREY, linewidth=0.5, linestyle="--")  # relevant from here on
    type_panel.legend(title="type")
    return figure


def _read_normalised_scores(irds_dataset: "ir_datasets.Dataset") -> pd.DataFrame:
    """Return a row per judged candidate: `query_id`, `type` of the query, `score`."""
    query_types = {query.query_id: query.query_type for query in irds_dataset.queries_iter()}
    qrels = irds_dataset.qrels_iter()
    judgements = pd.DataFrame(DorisMaeJudgement.from_qrel(qrel) for qrel in qrels)
    return pd.DataFrame(
        {
            "query_id": judgements["query_id"],
            "type": judgements["query_id"].map(query_types),
            "score": judgements["total"] / judgements["aspects"],
        }
    )


def _choose_colours(query_types: pd.Series) -> dict[str, str]:
    """Return the colour of each type, in alphabetical order, and grey for the unknown one."""
    known_types = sorted(set(query_types) - {UNKNOWN_TYPE})
    colours = dict(zip(known_types, LINE_COLOURS))
    colours[UNKNOWN_TYPE] = GREY
    return colours


def _draw_descending(panel: "Axes", scores: pd.Series, **style: Any) -> None:
    ranks = np.arange(1, len(scores) + 1)
    descending_scores = np.sort(scores)[::-1]
    panel.plot(ranks, descending_scores, **style)
